/* SPDX-License-Identifier: MIT */
/*
** values.c -- the types of values, and their conversions
*/
#include "same.h"

static int a_function(lua_State *L) {
  (void)L;
  return 0;
}

/* Pushes one value of each sort. */
static int push_all(lua_State *L) {
  static int address;
  luaL_checkstack(L, 30, NULL);
  lua_pushnil(L);
  lua_pushboolean(L, 0);
  lua_pushboolean(L, 7);
  lua_pushinteger(L, 0);
  lua_pushinteger(L, LUA_MININTEGER);
  lua_pushnumber(L, 3.0);
  lua_pushnumber(L, -2.5);
  lua_pushnumber(L, 1e300);
  lua_pushliteral(L, "");
  lua_pushliteral(L, "12");
  lua_pushliteral(L, " 0x10 ");
  lua_pushliteral(L, "1e1");
  lua_pushliteral(L, "12x");
  lua_pushlstring(L, "1\0", 2);
  lua_pushliteral(L, "9223372036854775808");
  lua_pushlightuserdata(L, &address);
  lua_newuserdatauv(L, 5, 0);
  lua_newtable(L);
  lua_pushcfunction(L, a_function);
  lua_pushinteger(L, 1);
  lua_pushcclosure(L, a_function, 1);
  luaL_loadstring(L, "return 1");
  lua_pushthread(L);
  return lua_gettop(L);
}

static void test_queries(lua_State *L) {
  int i, n = push_all(L);
  SECTION("queries");
  for (i = 1; i <= n + 1; i++) {
    int is_number, is_integer;
    lua_Number number = lua_tonumberx(L, i, &is_number);
    lua_Integer integer = lua_tointegerx(L, i, &is_integer);
    printf("%2d %s %d isnumber %d isstring %d iscfunction %d isinteger %d "
           "isuserdata %d bool %d number %d %.14g integer %d " LUA_INTEGER_FMT
           " rawlen " LUA_INTEGER_FMT "\n",
           i, luaL_typename(L, i), lua_type(L, i), lua_isnumber(L, i),
           lua_isstring(L, i), lua_iscfunction(L, i), lua_isinteger(L, i),
           lua_isuserdata(L, i), lua_toboolean(L, i), is_number, number,
           is_integer, (LUAI_UACINT)integer, (LUAI_UACINT)lua_rawlen(L, i));
    printf("   cfunction %d userdata %d thread %d pointer %d none %d nil %d "
           "noneornil %d\n",
           lua_tocfunction(L, i) == a_function, lua_touserdata(L, i) != NULL,
           lua_tothread(L, i) == L, lua_topointer(L, i) != NULL,
           lua_isnone(L, i), lua_isnil(L, i), lua_isnoneornil(L, i));
  }
  lua_settop(L, 0);
}

static void test_strings(lua_State *L) {
  int i, n = push_all(L);
  SECTION("strings");
  for (i = 1; i <= n; i++) {
    size_t length = 99;
    const char *text = lua_tolstring(L, i, &length);
    printf("%2d '%s' %d, now %s\n", i, text ? text : "(none)", (int)length,
           luaL_typename(L, i));
  }
  printf("pushstring NULL: %d %d\n", lua_pushstring(L, NULL) == NULL,
         lua_type(L, -1));
  lua_pushlstring(L, NULL, 0);
  printf("empty: %d\n", (int)lua_rawlen(L, -1));
  lua_settop(L, 0);
}

static void test_numbers_from_strings(lua_State *L) {
  static const char *const texts[] = {"0",
                                      "10",
                                      " 10 ",
                                      "0x1F",
                                      "1.5",
                                      ".5",
                                      "5.",
                                      "1e5",
                                      "0x1p4",
                                      "",
                                      " ",
                                      "x",
                                      "1 2",
                                      "nan",
                                      "inf",
                                      "0x",
                                      "1e",
                                      "99999999999999999999",
                                      "-0",
                                      "- 1",
                                      "0x7fffffffffffffff",
                                      "0x8000000000000000"};
  size_t i;
  SECTION("stringtonumber");
  for (i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t size = lua_stringtonumber(L, texts[i]);
    printf("'%s' %d ", texts[i], (int)size);
    if (size)
      show_top(L, "");
    else
      printf("\n");
  }
}

static void test_formats(lua_State *L) {
  SECTION("pushfstring");
  lua_pushfstring(L, "%s %d %c %f %I %U %%", "text", -7, 'x', 0.5,
                  (LUAI_UACINT)LUA_MAXINTEGER, 0x20ACL);
  show_top(L, "all");
  lua_pushfstring(L, "%f %f %f", 1.0, 1e100, -0.0);
  show_top(L, "floats");
  lua_pushfstring(L, "%s", (char *)NULL);
  show_top(L, "null");
  lua_pushfstring(L, "");
  show_top(L, "empty");
}

static int bad_format(lua_State *L) {
  lua_pushfstring(L, "%d %y", 1);
  return 0;
}

/* -- Operators ------------------------------------------------------------- */

static int arith_body(lua_State *L) {
  lua_arith(L, (int)lua_tointeger(L, lua_upvalueindex(1)));
  return 1;
}

static void show_arith(lua_State *L, int op, const char *a, const char *b) {
  char label[100];
  int unary = op == LUA_OPUNM || op == LUA_OPBNOT;
  sprintf(label, "arith %d %s %s", op, a, unary ? "" : b);
  lua_pushinteger(L, op);
  lua_pushcclosure(L, arith_body, 1);
  lua_pushfstring(L, "return %s, %s", a, b);
  luaL_loadstring(L, lua_tostring(L, -1));
  lua_remove(L, -2);
  lua_call(L, 0, 2);
  if (unary) lua_pop(L, 1);
  lua_pcall(L, unary ? 1 : 2, 1, 0);
  show_top(L, label);
}

static void test_arith(lua_State *L) {
  static const char *const operands[][2] = {
      {"7", "3"},
      {"-7", "3"},
      {"7.5", "2"},
      {"7", "0"},
      {"7", "0.0"},
      {"'10'", "3"},
      {"1", "64"},
      {"-1", "-1"},
      {"2^53", "1"},
      {"{}", "1"},
      {"1", "nil"},
      {"'a'", "1"},
      {"1.5", "1"},
      {"math.mininteger", "-1"},
      {"setmetatable({}, {__index = 1})", "2"}};
  size_t i;
  int op;
  SECTION("arith");
  for (i = 0; i < sizeof operands / sizeof *operands; i++)
    for (op = LUA_OPADD; op <= LUA_OPBNOT; op++)
      show_arith(L, op, operands[i][0], operands[i][1]);
}

static int compare_body(lua_State *L) {
  lua_pushboolean(
      L, lua_compare(L, 1, 2, (int)lua_tointeger(L, lua_upvalueindex(1))));
  return 1;
}

static void test_compare(lua_State *L) {
  static const char *const operands[] = {
      "return 1, 2",
      "return 1, 1.0",
      "return 2, 1",
      "return 'a', 'b'",
      "return 'a', 'a\\0'",
      "return 1, 'a'",
      "return {}, {}",
      "return nil, nil",
      "return 2^53, 2^53 + 1",
      "return 0/0, 0/0",
      "local m = {__eq = function() return 1 end, __lt = function() return nil "
      "end, __le = function() return {} end} "
      "return setmetatable({}, m), setmetatable({}, m)",
      "local m = {__lt = function(a, b) return a.v < b.v end} "
      "return setmetatable({v = 1}, m), setmetatable({v = 2}, m)",
      "local m = {__lt = function(a, b) return a.v < b.v end} "
      "return setmetatable({v = 1}, m), setmetatable({v = 1}, m)"};
  size_t i;
  int op;
  SECTION("compare");
  for (i = 0; i < sizeof operands / sizeof *operands; i++) {
    for (op = LUA_OPEQ; op <= LUA_OPLE; op++) {
      printf("%d %s ", op, operands[i]);
      lua_pushinteger(L, op);
      lua_pushcclosure(L, compare_body, 1);
      luaL_loadstring(L, operands[i]);
      lua_call(L, 0, 2);
      lua_pcall(L, 2, 1, 0);
      show_top(L, "");
    }
  }
  lua_pushinteger(L, 1);
  printf("invalid: %d %d\n", lua_compare(L, 1, 5, LUA_OPEQ),
         lua_rawequal(L, 7, 1));
  lua_pushnumber(L, 1.0);
  printf("rawequal 1 1.0: %d\n", lua_rawequal(L, 1, 2));
  lua_settop(L, 0);
}

static int concat_body(lua_State *L) {
  lua_concat(L, lua_gettop(L));
  return 1;
}

static void test_concat(lua_State *L) {
  static const char *const operands[] = {
      "return",
      "return 1",
      "return 'a', 'b'",
      "return 1, 2, 3.0, 'x', ''",
      "return {}, 'a'",
      "return 'a', nil",
      ("return 1, setmetatable({}, {__concat = function(a, b) "
       "return type(a) .. type(b) end}), 2")};
  size_t i;
  SECTION("concat and len");
  for (i = 0; i < sizeof operands / sizeof *operands; i++) {
    int top = lua_gettop(L);
    lua_pushcfunction(L, concat_body);
    luaL_loadstring(L, operands[i]);
    lua_call(L, 0, LUA_MULTRET);
    lua_pcall(L, lua_gettop(L) - top - 1, 1, 0);
    show_top(L, operands[i]);
  }
  run(L, "return 'abc', {1, 2}, setmetatable({}, {__len = function() "
         "return 'long' end})");
  lua_len(L, 1);
  show_top(L, "len");
  lua_len(L, 2);
  show_top(L, "len");
  lua_len(L, 3);
  show_top(L, "len");
  printf("rawlen %d\n", (int)lua_rawlen(L, 3));
  lua_settop(L, 0);
}

int main(void) {
  lua_State *L = same_open();
  test_queries(L);
  test_strings(L);
  test_numbers_from_strings(L);
  test_formats(L);
  try_call(L, "bad format", bad_format);
  test_arith(L);
  test_compare(L);
  test_concat(L);
  printf("version %g\n", lua_version(L));
  same_close(L);
  return 0;
}
