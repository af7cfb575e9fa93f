/* SPDX-License-Identifier: MIT */
/*
** compat.c -- the names of Lua 5.3, which LUA_COMPAT_5_3 adds to the headers
*/
#define LUA_COMPAT_5_3
#include "same.h"

static void test_values(lua_State *L) {
  SECTION("values");
  lua_pushunsigned(L, 7);
  lua_pushliteral(L, "four");
  lua_newtable(L);
  printf("%d %d %d\n", (int)lua_tounsigned(L, 1), (int)lua_strlen(L, 2),
         (int)lua_objlen(L, 3));
  printf("%d %d\n", (int)lua_tounsignedx(L, 1, NULL), lua_equal(L, 1, 2));
  lua_pushinteger(L, 8);
  printf("%d %d\n", lua_lessthan(L, 1, 4), lua_lessthan(L, 4, 1));
  lua_settop(L, 0);
}

static int check_body(lua_State *L) {
  printf("%d %d %d %d %d %d\n", (int)luaL_checkunsigned(L, 1),
         (int)luaL_optunsigned(L, 2, 5), luaL_checkint(L, 1),
         luaL_optint(L, 2, 6), (int)luaL_checklong(L, 1),
         (int)luaL_optlong(L, 2, 7));
  luaL_checkunsigned(L, 3);
  return 0;
}

static void test_arguments(lua_State *L) {
  SECTION("arguments");
  lua_pushcfunction(L, check_body);
  lua_pushinteger(L, 3);
  lua_pushnil(L);
  lua_pushliteral(L, "no number");
  lua_pcall(L, 3, 0, 0);
  show_top(L, "message");
}

static void test_library(lua_State *L) {
  SECTION("library");
  run(L, "return math.pow(2, 3), math.cosh(0), math.sinh(0), math.tanh(0),"
         " math.log10(100), math.ldexp(1, 4), math.frexp(8)");
  show_stack(L, "math");
  lua_settop(L, 0);
}

int main(void) {
  lua_State *L = same_open();
  test_values(L);
  test_arguments(L);
  test_library(L);
  same_close(L);
  return 0;
}
