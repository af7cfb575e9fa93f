/* SPDX-License-Identifier: MIT */
/*
** switching.c -- coroutines that Lua code resumes, with C functions in them
**
** Lua code and C alternately resume the same coroutines.  The coroutines run C
** code as well: yields with and without continuations, calls, errors, hooks.
*/
#include "same.h"

/* -- Functions for coroutines ---------------------------------------------- */

static int again(lua_State *L, int status, lua_KContext context) {
  printf("again: status %d context %d ", status, (int)context);
  show_stack(L, "");
  if (context == 0) return lua_gettop(L);
  lua_settop(L, 0);
  lua_pushinteger(L, (lua_Integer)context);
  return lua_yieldk(L, 1, context - 1, again);
}

static int c_yieldk(lua_State *L) {
  return lua_yieldk(L, lua_gettop(L), 2, again);
}

static int c_yield(lua_State *L) { return lua_yield(L, lua_gettop(L)); }

static int c_callk(lua_State *L) {
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, again);
  return again(L, LUA_OK, 0);
}

static int c_pcallk(lua_State *L) {
  int status = lua_pcallk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, 0, again);
  return again(L, status, 0);
}

static int c_call(lua_State *L) {
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

static int c_error(lua_State *L) {
  lua_settop(L, 1);
  return lua_error(L);
}

/* c_resume(co, ...): like coroutine.resume, from C. */
static int c_resume(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  int count = lua_gettop(L) - 1, results, status;
  lua_xmove(L, co, count);
  status = lua_resume(co, L, count, &results);
  lua_pushinteger(L, status);
  if (status > LUA_YIELD) results = 1;
  luaL_checkstack(L, results, NULL);
  lua_xmove(co, L, results);
  return results + 1;
}

/* Pushes values without a lua_checkstack: LUA_MINSTACK slots are always
** free. */
static int c_resume_full(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  int i, results, status;
  for (i = 1; i < LUA_MINSTACK; i++) lua_pushinteger(co, i);
  status = lua_resume(co, L, LUA_MINSTACK - 1, &results);
  lua_pushinteger(L, status);
  lua_xmove(co, L, results);
  return results + 1;
}

static void hook_yields(lua_State *L, lua_Debug *ar) {
  (void)ar;
  if (lua_isyieldable(L)) lua_yield(L, 0);
}

static int c_hook(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  lua_sethook(co, lua_toboolean(L, 2) ? hook_yields : NULL, LUA_MASKLINE, 0);
  return 0;
}

static int c_close(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  lua_pushinteger(L, lua_resetthread(co));
  lua_settop(co, 0);
  return 1;
}

/* Yields with a slot that is closed when the function resumes and ends. */
static int c_yield_closing(lua_State *L) {
  lua_toclose(L, 1);
  lua_pushliteral(L, "yielded");
  return lua_yield(L, 1);
}

/* Returns with a slot to be closed. */
static int c_return_closing(lua_State *L) {
  lua_toclose(L, 1);
  lua_pushliteral(L, "one");
  lua_pushinteger(L, 2);
  return 2;
}

static const luaL_Reg functions[] = {{"c_yieldk", c_yieldk},
                                     {"c_yield", c_yield},
                                     {"c_callk", c_callk},
                                     {"c_pcallk", c_pcallk},
                                     {"c_call", c_call},
                                     {"c_error", c_error},
                                     {"c_resume", c_resume},
                                     {"c_resume_full", c_resume_full},
                                     {"c_hook", c_hook},
                                     {"c_close", c_close},
                                     {"c_yield_closing", c_yield_closing},
                                     {"c_return_closing", c_return_closing},
                                     {NULL, NULL}};

/* -- Programs -------------------------------------------------------------- */

static void test(lua_State *L, const char *name, const char *code) {
  SECTION(name);
  run(L, code);
  if (lua_gettop(L) > 0) show_stack(L, "results");
  lua_settop(L, 0);
}

/* Runs f(co) to its end three times: resumed by Lua, by C, and by both in
** turns. */
static const char drive[] =
    "local print_any = print\n"
    "function print(...)\n"
    "  local t = table.pack(...)\n"
    "  for i = 1, t.n do t[i] = tostring(t[i]):gsub('0x%x+', '') end\n"
    "  print_any(table.unpack(t, 1, t.n))\n"
    "end\n"
    "function drive(f, ...)\n"
    "  for way = 1, 3 do\n"
    "    local co, n = coroutine.create(f), 0\n"
    "    local args = table.pack(...)\n"
    "    repeat\n"
    "      n = n + 1\n"
    "      local by_c = way == 2 or way == 3 and n % 2 == 0\n"
    "      local resume = by_c and c_resume or coroutine.resume\n"
    "      print(way, n, select(2, resume(co, table.unpack(args))))\n"
    "      args = table.pack(n, -n)\n"
    "    until coroutine.status(co) ~= 'suspended'\n"
    "    print(coroutine.status(co))\n"
    "  end\n"
    "end\n";

static void test_yields(lua_State *L) {
  test(L, "yieldk",
       "drive(function(...) local a, b = c_yieldk(...) "
       "return 'end', a, b, c_yieldk(b) end, 'x')");
  test(L, "yield",
       "drive(function(...) print(c_yield(...)) "
       "for a, b in c_yield, 1 do if a > 3 then return a end end "
       "end, 'x')");
  test(L, "tail", "drive(function(...) return c_yield(...) end, 1, 2, 3)");
  test(L, "callk",
       "drive(function(...) return 'end', c_callk(function(...) "
       "return coroutine.yield(...), c_yield(...) end, ...) end, "
       "1, 2)");
  test(L, "callk yield",
       "drive(function(...) return c_callk(c_yield, ...), "
       "c_callk(coroutine.yield, ...) end, 1, 2)");
  test(L, "pcallk",
       "drive(function(...) print(c_pcallk(function(...) "
       "coroutine.yield(...) c_yield(2) c_error({}) end, ...)) "
       "coroutine.yield('still here') c_error('at last') end, 1)");
  test(L, "function", "drive(c_yieldk, 1, 2)");
  test(L, "metamethods",
       "local t = setmetatable({}, {__index = c_yield, "
       "__add = c_yieldk, __close = c_yield, __lt = "
       "coroutine.yield}) drive(function() local c <close> "
       "= t local x = t.x local y = t + 1 return t < 1, y "
       "end)");
}

static void test_boundaries(lua_State *L) {
  test(L, "in the way",
       "drive(function() print(pcall(c_call, "
       "coroutine.yield, 1)) coroutine.yield(2) "
       "c_call(function() c_yield() end) end)");
  test(L, "inside",
       "print(c_call(function() local w = coroutine.wrap("
       "function() coroutine.yield(1) c_error('inside') end) "
       "return w(), pcall(w), pcall(w) end))");
  test(L, "through",
       "print(pcall(c_call, function() coroutine.wrap(function()"
       " c_call(function() coroutine.wrap(c_error)({}) end) "
       "end)() end))");
  test(L, "deeper",
       "local function f(n) if n == 0 then c_error('deep') end "
       "local co = coroutine.create(c_call) "
       "local t = {c_call(coroutine.resume, co, f, n - 1)} "
       "c_error(t[2] .. n) end print(pcall(f, 5))");
}

static void test_room(lua_State *L) {
  test(L, "room",
       "local function body(...) return select('#', coroutine.yield(...)), "
       "select('#', pcall(coroutine.yield, 2)) end "
       "local co = coroutine.create(body) coroutine.resume(co) "
       "print(c_resume_full(co)) print(c_resume_full(co)) "
       "co = coroutine.wrap(function() local a, b, c, d, e, f, g, h = 1, 2, 3,"
       " 4, 5, 6, 7, 8 local co = coroutine.create(function() local i, j, k, l"
       " = a, b, c, d return select('#', i, j, k, l, coroutine.yield(h)) end) "
       "print(coroutine.resume(co)) return c_resume_full(co) end) "
       "print(co())");
}

static void test_hooks(lua_State *L) {
  test(L, "hooks",
       "local co = coroutine.create(function(a)\n"
       "  local b = a\n"
       "  local c = coroutine.yield(b)\n"
       "  return b + c\n"
       "end)\n"
       "c_hook(co, true)\n"
       "for i = 1, 20 do print(coroutine.resume(co, i)) "
       "if i == 3 then c_hook(co, false) end "
       "if coroutine.status(co) == 'dead' then break end end");
}

static void test_ends(lua_State *L) {
  test(L, "ends",
       "local co = coroutine.create(function() local c <close> = "
       "setmetatable({}, {__close = function() print('closed', "
       "select(2, coroutine.resume(coroutine.create(function() "
       "return coroutine.wrap(function() coroutine.yield(5) end)() "
       "end)))) end}) coroutine.yield() end) "
       "coroutine.resume(co) print(c_close(co)) "
       "print(coroutine.resume(co)) print(coroutine.status(co))");
}

static void test_closing(lua_State *L) {
  test(L, "closing",
       "local function closer(name) return setmetatable({}, {__close = "
       "function(_, e) print('close', name, e) end}) end "
       "local co = coroutine.wrap(function(...) "
       "local outer <close> = closer('outer') "
       "print('back', c_yield_closing(closer('first'))) "
       "local t = {c_yield_closing(closer('second'))} print(#t) "
       "return c_yield_closing(closer('third')) end) "
       "for i = 1, 4 do print(co(i, -i)) end");
  test(L, "closing that yields",
       "local function closer(name) return setmetatable({}, {__close = "
       "function(_, e) print('close', name, coroutine.yield(name)) end}) end "
       "local co = coroutine.wrap(function(...) "
       "print('back', c_return_closing(closer('first'))) "
       "local a, b, c = c_return_closing(closer('second')) print(a, b, c) "
       "print('called', c_callk(c_return_closing, closer('third'))) "
       "return c_return_closing(closer('fourth')) end) "
       "for i = 1, 5 do print(co(i, -i)) end");
}

int main(void) {
  lua_State *L = same_open();
  const luaL_Reg *f;
  for (f = functions; f->name; f++) lua_register(L, f->name, f->func);
  run(L, drive);
  test_yields(L);
  test_boundaries(L);
  test_room(L);
  test_hooks(L);
  test_ends(L);
  test_closing(L);
  same_close(L);
  return 0;
}
