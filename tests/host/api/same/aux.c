/* SPDX-License-Identifier: MIT */
/*
** aux.c -- the auxiliary library
*/
#include "same.h"

/* -- Buffers --------------------------------------------------------------- */

static void test_buffers(lua_State *L) {
  luaL_Buffer b;
  char *room;
  int i;
  SECTION("buffers");
  luaL_buffinit(L, &b);
  luaL_pushresult(&b);
  show_top(L, "empty");
  luaL_buffinit(L, &b);
  luaL_addchar(&b, 'a');
  luaL_addstring(&b, "bc");
  luaL_addlstring(&b, "d\0e", 3);
  lua_pushinteger(L, 42);
  luaL_addvalue(&b);
  luaL_addgsub(&b, "x.y.z", ".", "::");
  printf("length %d\n", (int)luaL_bufflen(&b));
  luaL_buffsub(&b, 2);
  luaL_pushresult(&b);
  printf("size %d ", (int)lua_rawlen(L, -1));
  show_top(L, "");
  luaL_buffinit(L, &b);
  for (i = 0; i < 5000; i++) {
    lua_pushfstring(L, "%d,", i);
    luaL_addvalue(&b);
  }
  luaL_pushresult(&b);
  printf("large %d, stack %d\n", (int)lua_rawlen(L, -1), lua_gettop(L));
  lua_settop(L, 0);
  room = luaL_buffinitsize(L, &b, 100000);
  memset(room, 'q', 100000);
  luaL_addsize(&b, 100000);
  room = luaL_prepbuffsize(&b, 10);
  memcpy(room, "end", 3);
  luaL_pushresultsize(&b, 3);
  printf("sized %d, stack %d\n", (int)lua_rawlen(L, -1), lua_gettop(L));
  lua_settop(L, 0);
}

/* -- Checks of arguments --------------------------------------------------- */

static int check_all(lua_State *L) {
  static const char *const options[] = {"one", "two", NULL};
  lua_Integer which = lua_tointeger(L, lua_upvalueindex(1));
  switch (which) {
    case 0: lua_pushinteger(L, luaL_checkinteger(L, 1)); break;
    case 1: lua_pushnumber(L, luaL_checknumber(L, 1)); break;
    case 2: lua_pushstring(L, luaL_checkstring(L, 1)); break;
    case 3:
      luaL_checktype(L, 1, LUA_TTABLE);
      lua_pushnil(L);
      break;
    case 4:
      luaL_checkany(L, 1);
      lua_pushnil(L);
      break;
    case 5: lua_pushinteger(L, luaL_checkoption(L, 1, "two", options)); break;
    case 6: lua_pushinteger(L, luaL_optinteger(L, 1, 99)); break;
    case 7: lua_pushnumber(L, luaL_optnumber(L, 1, 9.5)); break;
    case 8: lua_pushstring(L, luaL_optstring(L, 1, "default")); break;
    case 9:
      luaL_checkudata(L, 1, "Some.Type");
      lua_pushnil(L);
      break;
    case 10: luaL_argcheck(L, lua_toboolean(L, 1), 1, "true wanted"); break;
    case 11: luaL_argexpected(L, lua_isnil(L, 1), 1, "nothing"); break;
    default: luaL_typeerror(L, 1, "miracle"); break;
  }
  return 1;
}

/* However full a buffer is, the next piece has the room that was asked for. */
static void test_room(lua_State *L) {
  size_t first, more;
  int pieces = 0, small = 0, wrong = 0;
  SECTION("room in buffers");
  for (first = 1; first < 40000; first = first * 3 + 1) {
    for (more = 1; more < 70000; more = more * 2 + 1) {
      luaL_Buffer b;
      size_t taken = more;
      char *p = luaL_buffinitsize(L, &b, first);
      memset(p, 'a', first);
      luaL_addsize(&b, first);
      p = luaL_prepbuffsize(&b, more);
      if (b.size - b.n < more) {
        small++;
        taken = b.size - b.n; /* do not write beyond */
      }
      memset(p, 'b', taken);
      luaL_pushresultsize(&b, taken);
      if (lua_rawlen(L, -1) != first + taken) wrong++;
      lua_pop(L, 1);
      pieces++;
    }
  }
  printf("%d pieces, %d small, %d wrong\n", pieces, small, wrong);
}

static void test_checks(lua_State *L) {
  static const char *const arguments[] = {
      "",         "nil",   "1",     "1.5",
      "'10'",     "'x'",   "'one'", "{}",
      "true",     "print", "2^70",  "setmetatable({}, {__name = 'My name'})",
      "io.stdout"};
  size_t i;
  int which;
  SECTION("checks");
  for (which = 0; which <= 12; which++) {
    lua_pushinteger(L, which);
    lua_pushcclosure(L, check_all, 1);
    lua_setglobal(L, "check");
    for (i = 0; i < sizeof arguments / sizeof *arguments; i++) {
      char code[200];
      sprintf(code, "local ok, r = pcall(check%s%s) return r",
              *arguments[i] ? ", " : "", arguments[i]);
      printf("%d(%s) ", which, arguments[i]);
      run(L, code);
      show_top(L, "");
    }
  }
  run(L, "local s = {check = check} return select(2, pcall(function() "
         "s:check() end)), select(2, pcall(function() s.check(1) end))");
  show_stack(L, "names");
  lua_settop(L, 0);
}

/* -- References ------------------------------------------------------------ */

static void test_references(lua_State *L) {
  int a, b, c, again;
  SECTION("references");
  lua_newtable(L);
  lua_pushliteral(L, "a");
  a = luaL_ref(L, 1);
  lua_pushliteral(L, "b");
  b = luaL_ref(L, 1);
  lua_pushnil(L);
  c = luaL_ref(L, 1);
  printf("different %d, nil %d\n", a != b, c == LUA_REFNIL);
  lua_rawgeti(L, 1, a);
  show_top(L, "a");
  luaL_unref(L, 1, a);
  luaL_unref(L, 1, LUA_NOREF);
  luaL_unref(L, 1, LUA_REFNIL);
  lua_pushliteral(L, "again");
  again = luaL_ref(L, 1);
  printf("reused %d\n", again == a);
  lua_rawgeti(L, 1, b);
  show_top(L, "b");
  lua_settop(L, 0);
}

/* -- Conversions ----------------------------------------------------------- */

static void test_tolstring(lua_State *L) {
  static const char *const values[] = {
      "nil",
      "true",
      "12",
      "1.0",
      "-0.0",
      "1e15",
      "2^63",
      "'text'",
      "setmetatable({}, {__tostring = function() return 'mine' end})",
      "math.pi",
      "1/0",
      "-1/0"};
  size_t i, length;
  SECTION("tolstring");
  for (i = 0; i < sizeof values / sizeof *values; i++) {
    char code[100];
    sprintf(code, "return %s", values[i]);
    run(L, code);
    printf("%s = %s\n", values[i], luaL_tolstring(L, -1, &length));
    lua_settop(L, 0);
  }
  run(L, "return {}, setmetatable({}, {__name = 'Named'}), print");
  printf("%.6s %.6s %.9s\n", luaL_tolstring(L, 1, NULL),
         luaL_tolstring(L, 2, NULL), luaL_tolstring(L, 3, NULL));
  lua_settop(L, 0);
  luaL_gsub(L, "a-b-c", "-", "+");
  show_top(L, "gsub");
  luaL_gsub(L, "", "-", "+");
  show_top(L, "gsub");
  run(L, "return {1, 2, 3}, setmetatable({}, {__len = function() return 7 "
         "end})");
  printf("len %d %d\n", (int)luaL_len(L, 1), (int)luaL_len(L, 2));
  lua_settop(L, 0);
}

static int bad_tostring(lua_State *L) {
  run(L, "return setmetatable({}, {__tostring = function() return 1 end})");
  luaL_tolstring(L, -1, NULL);
  return 0;
}
static int bad_length(lua_State *L) {
  run(L, "return setmetatable({}, {__len = function() return 'x' end})");
  luaL_len(L, -1);
  return 0;
}

/* -- Modules --------------------------------------------------------------- */

static int twice(lua_State *L) {
  lua_pushinteger(L, luaL_checkinteger(L, 1) * 2);
  return 1;
}
static int upvalue_of(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  return 1;
}

static const luaL_Reg functions[] = {
    {"twice", twice}, {"placeholder", NULL}, {NULL, NULL}};
static const luaL_Reg with_upvalue[] = {{"value", upvalue_of}, {NULL, NULL}};

static int open_module(lua_State *L) {
  printf("opening %s\n", lua_tostring(L, 1));
  luaL_newlib(L, functions);
  lua_pushliteral(L, "the upvalue");
  luaL_setfuncs(L, with_upvalue, 1);
  return 1;
}

static void test_modules(lua_State *L) {
  SECTION("modules");
  luaL_requiref(L, "my.module", open_module, 1);
  luaL_requiref(L, "my.module", open_module, 0);
  printf("same %d\n", lua_rawequal(L, 1, 2));
  lua_settop(L, 0);
  run(L, "local m = require 'my.module' return m.twice(21), m.value(), "
         "m.placeholder, _G['my.module'] == m");
  show_stack(L, "module");
  lua_settop(L, 0);
  lua_newtable(L);
  printf("subtable %d", luaL_getsubtable(L, 1, "sub"));
  printf(" %d\n", luaL_getsubtable(L, 1, "sub"));
  lua_settop(L, 0);
  luaL_checkversion(L);
  lua_pushnil(L);
  printf("callmeta %d\n", luaL_callmeta(L, -1, "__tostring"));
  run(L, "return setmetatable({}, {__tostring = function() return 'm' end})");
  printf("callmeta %d ", luaL_callmeta(L, -1, "__tostring"));
  show_top(L, "");
  lua_settop(L, 0);
}

static int fail_file(lua_State *L) {
  lua_pushinteger(L, luaL_loadfile(L, "/no/such/file.lua"));
  show_stack(L, "loadfile");
  return 0;
}

int main(void) {
  lua_State *L = same_open();
  test_buffers(L);
  test_room(L);
  test_checks(L);
  test_references(L);
  test_tolstring(L);
  try_call(L, "bad tostring", bad_tostring);
  try_call(L, "bad length", bad_length);
  test_modules(L);
  try_call(L, "no file", fail_file);
  same_close(L);
  return 0;
}
