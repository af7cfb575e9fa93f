/* SPDX-License-Identifier: MIT */
/*
** api.c -- sequences of C API calls, two bytes for each call, in a state with
** values of all types on the stack
*/
#include "fuzz.h"

enum { STACK_MOST = 40 };

typedef struct Input {
  const uint8_t *data;
  size_t size;
} Input;

static unsigned next_byte(Input *in) {
  if (in->size == 0) return 0;
  in->size--;
  return *in->data++;
}

/* A valid stack index, counted from 1. */
static int any_index(lua_State *L, Input *in) {
  return 1 + (int)(next_byte(in) % (unsigned)lua_gettop(L));
}

static int identity(lua_State *L) { return lua_gettop(L); }

static int continue_call(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  return lua_gettop(L);
}

static int calls(lua_State *L) {
  if (lua_gettop(L) == 0) return 0;
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, continue_call);
  return lua_gettop(L);
}

static void push_something(lua_State *L, Input *in) {
  unsigned what = next_byte(in);
  switch (what % 12) {
    case 0: lua_pushnil(L); break;
    case 1: lua_pushboolean(L, what & 16); break;
    case 2: lua_pushinteger(L, (lua_Integer)next_byte(in) - 100); break;
    case 3: lua_pushnumber(L, next_byte(in) / 8.0); break;
    case 4: lua_pushfstring(L, "%d%s", (int)next_byte(in), "x"); break;
    case 5: lua_newtable(L); break;
    case 6: lua_pushcfunction(L, identity); break;
    case 7: lua_newuserdatauv(L, next_byte(in), (int)(what / 12 % 3)); break;
    case 8: lua_newthread(L); break;
    case 9: lua_pushlightuserdata(L, in); break;
    case 10: lua_pushcfunction(L, calls); break;
    default:
      if (luaL_loadstring(L, "local a, b = ... return b, a, {...}") != LUA_OK)
        lua_error(L);
  }
}

static void change_table(lua_State *L, Input *in) {
  int t = any_index(L, in);
  if (!lua_istable(L, t)) return;
  switch (next_byte(in) % 8) {
    case 0:
      lua_pushvalue(L, any_index(L, in));
      lua_pushvalue(L, any_index(L, in));
      if (lua_isnil(L, -2) || lua_tonumber(L, -2) != lua_tonumber(L, -2))
        lua_pop(L, 2);
      else
        lua_rawset(L, t);
      break;
    case 1:
      lua_pushvalue(L, any_index(L, in));
      lua_rawget(L, t);
      break;
    case 2:
      lua_pushvalue(L, any_index(L, in));
      lua_rawseti(L, t, next_byte(in) % 20);
      break;
    case 3: lua_rawgeti(L, t, next_byte(in) % 20); break;
    case 4:
      lua_pushnil(L);
      for (int i = 0; i < 10 && lua_next(L, t); i++) lua_pop(L, 1);
      break;
    case 5:
      lua_pushvalue(L, t);
      lua_setmetatable(L, any_index(L, in));
      break;
    case 6: lua_len(L, t); break;
    default:
      lua_pushvalue(L, any_index(L, in));
      lua_setfield(L, t, next_byte(in) % 2 ? "__index" : "__close");
  }
}

static void call_something(lua_State *L, Input *in) {
  int nargs = (int)(next_byte(in) % 4);
  lua_pushvalue(L, any_index(L, in));
  for (int i = 0; i < nargs; i++) lua_pushvalue(L, any_index(L, in));
  lua_pcall(L, nargs, (int)(next_byte(in) % 4), 0);
}

static void resume_something(lua_State *L, Input *in) {
  int results;
  lua_State *co = lua_tothread(L, any_index(L, in));
  if (co == NULL || co == L || lua_status(co) > LUA_YIELD) return;
  if (lua_status(co) == LUA_OK && lua_gettop(co) == 0) {
    lua_pushvalue(L, any_index(L, in));
    if (!lua_isfunction(L, -1)) return;
    lua_xmove(L, co, 1);
  }
  if (lua_resume(co, L, 0, &results) <= LUA_YIELD) lua_pop(co, results);
}

static void do_something(lua_State *L, Input *in) {
  switch (next_byte(in) % 16) {
    case 0:
    case 1:
    case 2: push_something(L, in); break;
    case 3:
    case 4:
    case 5: change_table(L, in); break;
    case 6: call_something(L, in); break;
    case 7: resume_something(L, in); break;
    case 8: lua_pushvalue(L, any_index(L, in)); break;
    case 9: lua_rotate(L, any_index(L, in), 1); break;
    case 10: lua_copy(L, any_index(L, in), any_index(L, in)); break;
    case 11: lua_pop(L, 1); break;
    case 12:
      lua_compare(L, any_index(L, in), any_index(L, in), LUA_OPEQ);
      break;
    case 13: lua_concat(L, (int)(next_byte(in) % 3)); break;
    case 14: lua_gc(L, LUA_GCSTEP, (int)next_byte(in)); break;
    default: luaL_tolstring(L, any_index(L, in), NULL); break;
  }
}

static int run(lua_State *L) {
  Input *in = lua_touserdata(L, 1);
  while (in->size > 0) {
    if (lua_gettop(L) == 0) lua_pushnil(L);
    if (lua_gettop(L) > STACK_MOST) lua_settop(L, STACK_MOST / 2);
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    if (lua_gettop(L) < 2) lua_pushinteger(L, 1);
    do_something(L, in);
  }
  return 0;
}

/* An error ends one call of `run`.  The next call continues with the rest. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t held;
  Input in = {data, size};
  lua_State *L = fuzz_open(&held);
  for (int i = 0; i < 20 && in.size > 0; i++) {
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, &in);
    fuzz_call(L, 1);
    lua_settop(L, 0);
  }
  fuzz_close(L, &held);
  return 0;
}
