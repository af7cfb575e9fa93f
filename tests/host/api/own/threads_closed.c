/* SPDX-License-Identifier: MIT */
/*
** threads_closed.c -- a coroutine that C closes while it waits in a protected
** call with a message handler: that handler is not asked any more
*/
#include "own.h"

static int handled, closed;

static int handler(lua_State *L) {
  handled++;
  return lua_error(L); /* and it would fail */
}

static int close_badly(lua_State *L) {
  closed++;
  return luaL_error(L, "close %d", closed);
}

static int continued(lua_State *L, int status, lua_KContext context) {
  (void)L, (void)context;
  return status == LUA_YIELD ? 0 : -1;
}

/* Makes the value on top of the stack one to be closed. */
static void push_closable(lua_State *L) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushcfunction(L, close_badly);
  lua_setfield(L, -2, "__close");
  lua_setmetatable(L, -2);
  lua_toclose(L, -1);
}

static int yields(lua_State *L) {
  push_closable(L);
  push_closable(L);
  return lua_yieldk(L, 0, 0, continued);
}

/* yields, in so many calls of lua_pcallk with a handler. */
static int protects(lua_State *L) {
  lua_Integer depth = lua_tointeger(L, 1);
  push_closable(L);
  lua_pushcfunction(L, handler);
  lua_pushcfunction(L, depth > 1 ? protects : yields);
  lua_pushinteger(L, depth - 1);
  lua_pcallk(L, 1, 0, -3, 0, continued);
  return 0;
}

typedef enum Way { BY_CLOSE, BY_CLOSE_NULL, BY_RESET, BY_LUA, WAYS } Way;

static int close_thread(lua_State *L, lua_State *co, Way way) {
  int ok;
  switch (way) {
    case BY_CLOSE: return lua_closethread(co, L);
    case BY_CLOSE_NULL: return lua_closethread(co, NULL);
    case BY_RESET: return lua_resetthread(co);
    default: break;
  }
  own_run(L, "return coroutine.close");
  lua_pushthread(co);
  lua_xmove(co, L, 1);
  lua_call(L, 1, 2);
  ok = lua_toboolean(L, -2);
  lua_xmove(L, co, 1);
  lua_pop(L, 1);
  return ok ? LUA_OK : LUA_ERRRUN;
}

static void run(int depth, Way way) {
  lua_State *L = own_open();
  lua_State *co = lua_newthread(L);
  char last[20];
  int results;
  handled = closed = 0;
  lua_pushcfunction(co, protects);
  lua_pushinteger(co, depth);
  CHECK(lua_resume(co, L, 1, &results) == LUA_YIELD);
  CHECK(close_thread(L, co, way) == LUA_ERRRUN);
  snprintf(last, sizeof last, "close %d", depth + 2);
  CHECK(strcmp(lua_tostring(co, -1), last) == 0);
  CHECK(handled == 0 && closed == depth + 2);
  CHECK(lua_status(co) == LUA_OK && lua_gettop(co) == 1);
  lua_settop(co, 0);
  lua_pushcfunction(co, handler); /* a handler of its own still works */
  CHECK(luaL_loadstring(co, "error 'x'") == LUA_OK);
  CHECK(lua_pcall(co, 0, 0, 1) == LUA_ERRERR && handled > 0);
  lua_close(L);
}

int main(void) {
  for (int depth = 1; depth < 4; depth++)
    for (int way = 0; way < WAYS; way++) run(depth, (Way)way);
  return 0;
}
