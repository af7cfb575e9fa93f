/* SPDX-License-Identifier: MIT */
/*
** debug.c -- the debug interface
*/
#include "same.h"

static void show_debug(const char *label, const lua_Debug *ar) {
  printf("%s: name '%s' (%s) what %s source %s %d short %s line %d defined %d "
         "to %d nups %d params %d vararg %d tail %d transfer %d %d\n",
         label, ar->name ? ar->name : "?", ar->namewhat, ar->what, ar->source,
         (int)ar->srclen, ar->short_src, ar->currentline, ar->linedefined,
         ar->lastlinedefined, ar->nups, ar->nparams, ar->isvararg,
         ar->istailcall != 0, ar->ftransfer, ar->ntransfer);
}

/* Shows everything about the functions below this one. */
static int inspect(lua_State *L) {
  lua_Debug ar;
  int level;
  for (level = 0; lua_getstack(L, level, &ar); level++) {
    char label[20];
    sprintf(label, "level %d", level);
    lua_getinfo(L, "nSlutr", &ar);
    show_debug(label, &ar);
  }
  printf("no level %d\n", level);
  return 0;
}

static const char program[] =
    "local function inner(a, b, ...)\n"
    "  local c = a + b\n"
    "  inspect()\n"
    "  return c\n"
    "end\n"
    "local function tail(...)\n"
    "  return inner(...)\n"
    "end\n"
    "function global_function(...)\n"
    "  local x = tail(1, 2, ...)\n"
    "  return x\n"
    "end\n"
    "local object = {}\n"
    "function object:method()\n"
    "  return (global_function(3, 4))\n"
    "end\n"
    "local x = object:method()\n"
    "for k in function(s, c) if not c then inspect() return 1 end end do end\n"
    "setmetatable(object, {__add = function() inspect() return 1 end})\n"
    "local y = object + 1\n";

static void test_info(lua_State *L) {
  SECTION("getinfo");
  lua_register(L, "inspect", inspect);
  if (luaL_loadbuffer(L, program, strlen(program), "@program.lua") ||
      lua_pcall(L, 0, 0, 0))
    show_top(L, "error");
}

static void test_info_of_functions(lua_State *L) {
  lua_Debug ar;
  int line;
  SECTION("getinfo of functions");
  run(L, "local u, v\nreturn function(a, b)\n  u = v\n\n  return a\nend, "
         "print");
  lua_pushvalue(L, 1);
  printf("%d ", lua_getinfo(L, ">Su", &ar));
  printf("%s %d %d %d %d %d\n", ar.what, ar.linedefined, ar.lastlinedefined,
         ar.nups, ar.nparams, ar.isvararg);
  lua_pushvalue(L, 2);
  printf("%d ", lua_getinfo(L, ">nSul", &ar));
  printf("%s %s %d %d %d %d %d\n", ar.what, ar.short_src, ar.linedefined,
         ar.currentline, ar.nups, ar.nparams, ar.isvararg);
  lua_pushvalue(L, 1);
  lua_getinfo(L, ">fL", &ar);
  show_stack(L, "f and L");
  printf("active lines:");
  for (line = 1; line <= 10; line++) {
    if (lua_rawgeti(L, -1, line) != LUA_TNIL) printf(" %d", line);
    lua_pop(L, 1);
  }
  printf("\n");
  lua_settop(L, 2);
  printf("unknown letter %d\n",
         (lua_pushvalue(L, 1), lua_getinfo(L, ">Sx", &ar)));
  lua_settop(L, 0);
}

/* -- Local variables ------------------------------------------------------- */

static int inspect_locals(lua_State *L) {
  lua_Debug ar;
  const char *name;
  int n;
  lua_getstack(L, 1, &ar);
  for (n = 1; (name = lua_getlocal(L, &ar, n)) != NULL; n++) {
    printf("local %d %s ", n, name);
    if (name[0] == '(') lua_pushliteral(L, "not told"), lua_replace(L, -2);
    show_top(L, "");
  }
  for (n = -1; (name = lua_getlocal(L, &ar, n)) != NULL; n--) {
    printf("vararg %d %s ", n, name);
    show_top(L, "");
  }
  lua_pushliteral(L, "set from C");
  name = lua_setlocal(L, &ar, 2);
  printf("set %s\n", name);
  lua_pushliteral(L, "vararg set");
  name = lua_setlocal(L, &ar, -1);
  printf("set %s\n", name);
  lua_pushliteral(L, "nowhere");
  name = lua_setlocal(L, &ar, 100);
  printf("set %s, top %d\n", name ? name : "nothing", lua_gettop(L));
  return 0;
}

static void test_locals(lua_State *L) {
  int n;
  SECTION("locals");
  lua_register(L, "inspect_locals", inspect_locals);
  run(L, "local function f(a, b, ...) local c <const> = 'c' local d = {} "
         "do local hidden = 1 end for i = 1, 1 do inspect_locals() end "
         "return a, b, ... end return f(1, 2, 'v1', 'v2')");
  show_stack(L, "results");
  lua_settop(L, 0);
  run(L, "return function(p, q) local r end");
  for (n = 1; n <= 3; n++) {
    const char *name;
    lua_pushvalue(L, 1);
    name = lua_getlocal(L, NULL, n);
    printf("parameter %d %s\n", n, name ? name : "none");
  }
  lua_settop(L, 0);
}

/* -- Registers of a loop, written from C ----------------------------------- */

static const char loops[] =
    "local write = ...\n"
    "local r = {}\n"
    "for i = 1, 5 do r[#r + 1] = tostring(i) write(i) end\n"
    "for i = 9, 1, -2 do r[#r + 1] = tostring(i) write(i) end\n"
    "for i = 1.0, 4 do r[#r + 1] = tostring(i) write(i) end\n"
    "for k, v in pairs({7, 8}) do r[#r + 1] = tostring(k) .. v write(k) end\n"
    "for k in ipairs({7, 8}) do r[#r + 1] = tostring(k) write(k) end\n"
    "return table.concat(r, ' ')";

static int write_slot, write_type, writes_left;

/* Writes a slot of the caller in the second iteration of the loop. */
static int write_local(lua_State *L) {
  lua_Debug ar;
  const char *name;
  lua_Number n = lua_tonumber(L, 1);
  if ((n != 2 && n != 7) || writes_left == 0) return 0;
  if (!lua_getstack(L, 1, &ar)) return 0;
  name = lua_getlocal(L, &ar, write_slot);
  if (name == NULL) return 0;
  /* Of a loop's state, writes only what the reference implementation can
  ** bear. */
  if (write_slot < 6 && !(lua_isinteger(L, -1) && write_type == LUA_TNUMBER))
    return 0;
  switch (write_type) {
    case LUA_TNUMBER: lua_pushinteger(L, 1); break;
    case LUA_TSTRING: lua_pushliteral(L, "a string"); break;
    case LUA_TTABLE: lua_newtable(L); break;
    default: lua_pushnil(L); break;
  }
  writes_left--;
  printf("%s ", lua_setlocal(L, &ar, write_slot));
  return 0;
}

static void test_loops(lua_State *L) {
  static const int types[] = {LUA_TNUMBER, LUA_TSTRING, LUA_TTABLE, LUA_TNIL};
  int slot, i;
  SECTION("loops");
  for (slot = 3; slot <= 8; slot++)
    for (i = 0; i < 4; i++) {
      write_slot = slot;
      write_type = types[i];
      writes_left = 4; /* otherwise a loop would not end */
      luaL_loadstring(L, loops);
      lua_pushcfunction(L, write_local);
      lua_pcall(L, 1, 1, 0);
      show_top(L, lua_typename(L, write_type));
    }
}

/* -- Upvalues -------------------------------------------------------------- */

static int with_upvalues(lua_State *L) {
  (void)L;
  return 0;
}

static void test_upvalues(lua_State *L) {
  const char *name;
  int n;
  SECTION("upvalues");
  run(L, "local a, b = 1, 2 return function() return a, b, print end, "
         "function() b = b + 1 return b, a end");
  for (n = 0; n <= 4; n++) {
    name = lua_getupvalue(L, 1, n);
    printf("%d %s ", n, name ? name : "none");
    if (name)
      show_top(L, "");
    else
      printf("\n");
  }
  lua_pushliteral(L, "new b");
  printf("set %s\n", lua_setupvalue(L, 1, 2));
  lua_pushvalue(L, 1);
  lua_call(L, 0, 2);
  show_top(L, "b");
  show_top(L, "a");
  printf("shared %d %d\n", lua_upvalueid(L, 1, 1) == lua_upvalueid(L, 2, 2),
         lua_upvalueid(L, 1, 1) == lua_upvalueid(L, 2, 1));
  lua_upvaluejoin(L, 1, 1, 2, 1);
  printf("joined %d\n", lua_upvalueid(L, 1, 1) == lua_upvalueid(L, 2, 1));
  lua_pushinteger(L, 8);
  lua_pushcclosure(L, with_upvalues, 1);
  name = lua_getupvalue(L, -1, 1);
  printf("of C: '%s' ", name);
  show_top(L, "");
  lua_pushinteger(L, 9);
  printf("set '%s'\n", lua_setupvalue(L, -2, 1));
  name = lua_getupvalue(L, -1, 2);
  printf("of C: %s, id %d\n", name ? name : "none",
         lua_upvalueid(L, -1, 1) != NULL);
  lua_settop(L, 0);
}

/* -- Hooks ----------------------------------------------------------------- */

static int events;

static void hook(lua_State *L, lua_Debug *ar) {
  static const char *const names[] = {"call", "return", "line", "count",
                                      "tail call"};
  if (++events > 60) return;
  lua_getinfo(L, "nSl", ar);
  printf("%s %s %d %s\n", names[ar->event], ar->name ? ar->name : "?",
         ar->event == LUA_HOOKLINE ? ar->currentline : -1, ar->what);
}

static void hooked_run(lua_State *L, int mask, int count) {
  static const char code[] = "local function g(x)\n"
                             "  return x + 1\n"
                             "end\n"
                             "local function f(x)\n"
                             "  return g(x)\n"
                             "end\n"
                             "local s = 0\n"
                             "for i = 1, 3 do\n"
                             "  s = s + f(i)\n"
                             "end\n"
                             "return math.abs(s)\n";
  luaL_loadbuffer(L, code, strlen(code), "=hooked");
  events = 0;
  lua_sethook(L, hook, mask, count);
  printf("hook set %d, mask %d, count %d\n", lua_gethook(L) == hook,
         lua_gethookmask(L), lua_gethookcount(L));
  lua_call(L, 0, 1);
  lua_sethook(L, NULL, 0, 0);
  show_top(L, "result");
  printf("hook gone %d, mask %d\n", lua_gethook(L) == NULL, lua_gethookmask(L));
}

static void count_hook(lua_State *L, lua_Debug *ar) {
  (void)L;
  if (ar->event == LUA_HOOKCOUNT) events++;
}

static void failing_hook(lua_State *L, lua_Debug *ar) {
  if (ar->event == LUA_HOOKCOUNT) luaL_error(L, "too long");
}

static void yielding_hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_yield(L, 0);
}

static void quiet_hook(lua_State *L, lua_Debug *ar) {
  (void)L, (void)ar;
  events++;
}

/* Runs code in a coroutine, and returns how often the hook was called: it counts
** itself, or yields each time. */
static int hooked_times(lua_State *L, lua_Hook f, int mask, int count) {
  lua_State *co = lua_newthread(L);
  int yields = 0, results;
  luaL_loadstring(co, "local s = 0 for i = 1, 3000 do s = s + i\n"
                      "if s % 2 == 0 then s = s + #tostring(s) end end\n"
                      "local t = {s, s}\nreturn t[1] - t[2]");
  events = 0;
  lua_sethook(co, f, mask, count);
  while (lua_resume(co, L, 0, &results) == LUA_YIELD) yields++;
  printf("%d results, ", results);
  lua_settop(L, 0);
  return f == quiet_hook ? events : yields;
}

/* A hook that yields is called as often as one that does not. */
static void test_hooks_that_yield(lua_State *L) {
  static const int counts[] = {1, 2, 3, 7, 50, 300, 1000, 1000000};
  int i;
  SECTION("hooks that yield");
  for (i = 0; i < 8; i++) {
    int plain = hooked_times(L, quiet_hook, LUA_MASKCOUNT, counts[i]);
    int yielding = hooked_times(L, yielding_hook, LUA_MASKCOUNT, counts[i]);
    printf("each %d: %s\n", counts[i], plain == yielding ? "same" : "other");
  }
}

static void test_hooks(lua_State *L) {
  lua_State *co;
  int lines = 0, results;
  SECTION("hooks");
  hooked_run(L, LUA_MASKCALL | LUA_MASKRET, 0);
  hooked_run(L, LUA_MASKLINE, 0);
  lua_sethook(L, count_hook, LUA_MASKCOUNT, 100);
  events = 0;
  run(L, "for i = 1, 10000 do end");
  printf("counted: %d\n", events > 50);
  lua_sethook(L, failing_hook, LUA_MASKCOUNT, 1000);
  run(L, "while true do end");
  lua_sethook(L, NULL, 0, 0);
  co = lua_newthread(L);
  luaL_loadstring(co, "local a = 1\nlocal b = 2\nlocal c = a + b\nreturn c");
  lua_sethook(co, yielding_hook, LUA_MASKLINE, 0);
  while (lua_resume(co, L, 0, &results) == LUA_YIELD) lines++;
  printf("yielded at %d lines, %d results ", lines, results);
  show_stack(co, "");
  lua_settop(L, 0);
}

static int trace(lua_State *L) {
  luaL_traceback(L, L, "message", 0);
  printf("%s\n", lua_tostring(L, -1));
  luaL_traceback(L, L, NULL, 1);
  printf("%s\n", lua_tostring(L, -1));
  return 0;
}

static void test_traceback(lua_State *L) {
  SECTION("traceback");
  lua_register(L, "trace", trace);
  run(L, "local function f() trace() end function named() f() end "
         "local t = {field = function() named() end} t.field() "
         "local function deep(n) if n == 0 then trace() else deep(n - 1) end "
         "end deep(40)");
  luaL_where(L, 0);
  show_top(L, "where");
}

int main(void) {
  lua_State *L = same_open();
  test_info(L);
  test_info_of_functions(L);
  test_locals(L);
  test_loops(L);
  test_upvalues(L);
  test_hooks(L);
  test_hooks_that_yield(L);
  test_traceback(L);
  same_close(L);
  return 0;
}
