/* SPDX-License-Identifier: MIT */
/*
** threads.c -- coroutines from C, continuations
*/
#include "same.h"

static void resume(lua_State *co, lua_State *from, int count) {
  int results = -1;
  int status = lua_resume(co, from, count, &results);
  printf("resume: %d, %d results, status %d ", status, results, lua_status(co));
  show_stack(co, "");
}

static void test_lua_function(lua_State *L) {
  lua_State *co = lua_newthread(L);
  SECTION("Lua function");
  printf("status %d, yieldable %d %d\n", lua_status(co), lua_isyieldable(co),
         lua_isyieldable(L));
  run(L, "return function(...) local a = coroutine.yield(...) "
         "local b = coroutine.yield(a, a) return 'end', a, b end");
  lua_xmove(L, co, 1);
  lua_pushinteger(co, 1);
  lua_pushinteger(co, 2);
  resume(co, L, 2);
  lua_pop(co, 2);
  lua_pushliteral(co, "x");
  resume(co, L, 1);
  lua_pop(co, 2);
  lua_pushliteral(co, "y");
  resume(co, L, 1);
  lua_settop(co, 0);
  resume(co, L, 0);
  lua_settop(L, 0);
}

static void test_errors(lua_State *L) {
  lua_State *co = lua_newthread(L);
  SECTION("errors");
  run(L, "return function(x) local t = setmetatable({}, {__close = "
         "function(_, e) print('closing', e) end}) "
         "local c <close> = t; coroutine.yield(x); error('failed', 0) end");
  lua_xmove(L, co, 1);
  lua_pushinteger(co, 5);
  resume(co, L, 1);
  resume(co, L, 0);
  resume(co, L, 0);
  printf("reset %d ", lua_resetthread(co));
  show_stack(co, "");
  printf("status %d\n", lua_status(co));
  lua_settop(co, 0);
  run(L, "return function() local c <close> = setmetatable({}, {__close = "
         "function() error('in close', 0) end}) coroutine.yield() end");
  lua_xmove(L, co, 1);
  resume(co, L, 0);
  printf("reset %d ", lua_resetthread(co));
  show_stack(co, "");
  lua_settop(co, 0);
  luaL_loadstring(co, "return 'again', ...");
  lua_pushinteger(co, 9);
  resume(co, NULL, 1);
  lua_settop(L, 0);
}

/* -- Continuations --------------------------------------------------------- */

static int after_yield(lua_State *L, int status, lua_KContext context) {
  printf("continued: status %d context %d ", status, (int)context);
  show_stack(L, "");
  if (context < 3) {
    lua_pushinteger(L, (lua_Integer)context);
    return lua_yieldk(L, 1, context + 1, after_yield);
  }
  lua_pushliteral(L, "done");
  return lua_gettop(L);
}

static int yield_with_continuation(lua_State *L) {
  show_stack(L, "started");
  lua_pushliteral(L, "first");
  return lua_yieldk(L, 1, 1, after_yield);
}

static int plain_yield(lua_State *L) { return lua_yield(L, lua_gettop(L)); }

static int after_call(lua_State *L, int status, lua_KContext context) {
  printf("after call: status %d context %d ", status, (int)context);
  show_stack(L, "");
  return lua_gettop(L);
}

static int call_with_continuation(lua_State *L) {
  run(L, "return function(...) return 'from Lua', coroutine.yield(...) end");
  lua_insert(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 7, after_call);
  return after_call(L, LUA_OK, 7);
}

static int pcall_with_continuation(lua_State *L) {
  int status;
  run(L, "return function(...) local x = coroutine.yield(...) "
         "error({x}, 0) end");
  lua_insert(L, 1);
  status = lua_pcallk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, 8, after_call);
  return after_call(L, status, 8);
}

static void drive(lua_State *L, const char *name, lua_CFunction f) {
  lua_State *co = lua_newthread(L);
  int i;
  SECTION(name);
  lua_pushcfunction(co, f);
  lua_pushliteral(co, "argument");
  resume(co, L, 1);
  for (i = 0; lua_status(co) == LUA_YIELD; i++) {
    lua_settop(co, 0);
    lua_pushinteger(co, 100 + i);
    resume(co, L, 1);
  }
  lua_settop(L, 0);
}

static int yield_across_call(lua_State *L) {
  lua_pushcfunction(L, plain_yield);
  lua_call(L, 0, 0);
  return 0;
}

static void test_boundaries(lua_State *L) {
  lua_State *co = lua_newthread(L);
  SECTION("boundaries");
  try_call(L, "yield in the main thread", plain_yield);
  lua_pushcfunction(co, yield_across_call);
  resume(co, L, 0);
  lua_settop(L, 0);
  co = lua_newthread(L);
  resume(co, L, 0);
  lua_settop(L, 0);
  run(L, "local co; co = coroutine.create(function() "
         "return coroutine.resume(co) end) return coroutine.resume(co)");
  show_stack(L, "resumes itself");
  lua_settop(L, 0);
  run(L, "return coroutine.resume(coroutine.running())");
  show_stack(L, "resumes the main thread");
  lua_settop(L, 0);
  run(L, "local function f() return coroutine.wrap(f)() end return pcall(f)");
  printf("deep: ");
  show_value(L, 1);
  printf(" %d\n", strstr(lua_tostring(L, 2), "C stack overflow") != NULL);
  lua_settop(L, 0);
}

/* Uses a thread as a second stack, without resuming it. */
static void test_calls_in_threads(lua_State *L) {
  lua_State *co = lua_newthread(L);
  SECTION("calls in threads");
  luaL_loadstring(co, "local t = {} for i = 1, 1000 do t[i] = {i} end "
                      "collectgarbage() return #t, t[500][1]");
  lua_call(co, 0, 2);
  show_stack(co, "called");
  lua_settop(co, 0);
  luaL_loadstring(co, "error('here', 0)");
  printf("status %d ", lua_pcall(co, 0, 0, 0));
  show_stack(co, "");
  lua_gc(L, LUA_GCCOLLECT);
  lua_getglobal(co, "print");
  lua_pushliteral(co, "printed");
  lua_call(co, 1, 0);
  printf("pushthread %d %d\n", lua_pushthread(co), lua_pushthread(L));
  lua_settop(L, 0);
}

static int throw_in(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  lua_pushvalue(L, 2);
  lua_xmove(L, co, 1);
  return lua_error(co);
}

/* An error that is raised on a thread that does not run.  The thread is
** suspended inside xpcall, so its message handler runs first, on that thread.
** The error goes to the main thread. */
static void test_thrown_elsewhere(lua_State *L) {
  SECTION("thrown elsewhere");
  lua_register(L, "throw_in", throw_in);
  run(L, "for _, name in ipairs{'good', 'bad'} do "
         "local co = coroutine.create(function() "
         "  return xpcall(coroutine.yield, function(m) "
         "    print('handles', m, coroutine.isyieldable()) "
         "    if m == 'bad' then error('worse', 0) end "
         "    return m .. '!' end) end) "
         "print(coroutine.resume(co)) "
         "print(pcall(throw_in, co, name)) "
         "local t = {} for i = 1, 1000 do t[i] = {i} end collectgarbage() "
         "print(#t, t[500][1]) end");
  lua_settop(L, 0);
}

static void test_extra_space(lua_State *L) {
  lua_State *co;
  SECTION("extra space");
  *(void **)lua_getextraspace(L) = &L;
  co = lua_newthread(L);
  printf("inherited %d\n", *(void **)lua_getextraspace(co) == (void *)&L);
  *(void **)lua_getextraspace(co) = NULL;
  printf("own %d\n", *(void **)lua_getextraspace(L) == (void *)&L);
  lua_settop(L, 0);
}

int main(void) {
  lua_State *L = same_open();
  test_lua_function(L);
  test_errors(L);
  drive(L, "yieldk", yield_with_continuation);
  drive(L, "yield", plain_yield);
  drive(L, "callk", call_with_continuation);
  drive(L, "pcallk", pcall_with_continuation);
  test_boundaries(L);
  test_calls_in_threads(L);
  test_thrown_elsewhere(L);
  test_extra_space(L);
  same_close(L);
  return 0;
}
