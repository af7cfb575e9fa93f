/* SPDX-License-Identifier: MIT */
/*
** tables.c -- tables, metatables, userdata
*/
#include "same.h"

static void test_fields(lua_State *L) {
  SECTION("fields");
  lua_createtable(L, 2, 3);
  lua_pushinteger(L, 1);
  lua_setfield(L, -2, "one");
  lua_pushliteral(L, "two");
  lua_pushinteger(L, 2);
  lua_settable(L, -3);
  lua_pushliteral(L, "three");
  lua_pushinteger(L, 3);
  lua_rawset(L, 1);
  lua_pushliteral(L, "first");
  lua_seti(L, 1, 1);
  lua_pushliteral(L, "second");
  lua_rawseti(L, 1, 2);
  lua_pushliteral(L, "far");
  lua_seti(L, 1, LUA_MININTEGER);
  lua_pushliteral(L, "pointer");
  lua_rawsetp(L, 1, L);
  printf("%d ", lua_getfield(L, 1, "one"));
  show_top(L, "one");
  lua_pushliteral(L, "two");
  printf("%d ", lua_gettable(L, 1));
  show_top(L, "two");
  lua_pushliteral(L, "three");
  printf("%d ", lua_rawget(L, 1));
  show_top(L, "three");
  printf("%d ", lua_geti(L, 1, 1));
  show_top(L, "1");
  printf("%d ", lua_rawgeti(L, 1, 2));
  show_top(L, "2");
  printf("%d ", lua_rawgeti(L, 1, LUA_MININTEGER));
  show_top(L, "minimum");
  printf("%d ", lua_rawgetp(L, 1, L));
  show_top(L, "pointer");
  printf("%d ", lua_rawgetp(L, 1, &L));
  show_top(L, "other pointer");
  printf("%d ", lua_getfield(L, 1, "none"));
  show_top(L, "none");
  printf("rawlen %d\n", (int)lua_rawlen(L, 1));
  lua_settop(L, 0);
}

static void test_globals(lua_State *L) {
  SECTION("globals");
  lua_pushinteger(L, 77);
  lua_setglobal(L, "answer");
  printf("%d ", lua_getglobal(L, "answer"));
  show_top(L, "answer");
  run(L, "return answer, _G.answer, _ENV.answer");
  show_stack(L, "seen");
  lua_settop(L, 0);
  printf("%d ", lua_getglobal(L, "undefined"));
  show_top(L, "undefined");
  lua_pushglobaltable(L);
  lua_getfield(L, -1, "answer");
  show_top(L, "by table");
  lua_settop(L, 0);
}

/* The order of entries is undefined, so only their sum and number are shown. */
static void test_next(lua_State *L) {
  lua_Integer sum = 0;
  int count = 0;
  SECTION("next");
  run(L, "return {10, 20, 30, x = 1, y = 2, [2.5] = 3, [true] = 4}");
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    sum += lua_tointeger(L, -1);
    count++;
    lua_pop(L, 1);
  }
  printf("%d entries, " LUA_INTEGER_FMT "\n", count, (LUAI_UACINT)sum);
  lua_newtable(L);
  lua_pushnil(L);
  printf("empty: %d\n", lua_next(L, -2));
  lua_settop(L, 0);
}

static int next_of_unknown(lua_State *L) {
  lua_newtable(L);
  lua_pushliteral(L, "unknown");
  lua_next(L, 1);
  return 0;
}
static int index_nil(lua_State *L) {
  lua_pushnil(L);
  lua_getfield(L, 1, "x");
  return 0;
}
static int set_in_number(lua_State *L) {
  lua_pushinteger(L, 1);
  lua_pushinteger(L, 2);
  lua_setfield(L, 1, "x");
  return 0;
}
static int set_nil_key(lua_State *L) {
  lua_newtable(L);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_rawset(L, 1);
  return 0;
}
static int set_nan_key(lua_State *L) {
  lua_newtable(L);
  lua_pushnumber(L, 0.0 / 0.0);
  lua_pushinteger(L, 1);
  lua_settable(L, 1);
  return 0;
}

static void test_metatables(lua_State *L) {
  SECTION("metatables");
  lua_newtable(L);
  printf("none: %d, top %d\n", lua_getmetatable(L, 1), lua_gettop(L));
  run(L, "return {__index = function(t, k) return k .. '?' end, "
         "__newindex = function(t, k, v) rawset(t, k, v .. '!') end, "
         "__metatable = 'locked', __name = 'my type'}");
  printf("set: %d\n", lua_setmetatable(L, 1));
  printf("%d ", lua_getfield(L, 1, "field"));
  show_top(L, "field");
  lua_pushliteral(L, "value");
  lua_setfield(L, 1, "new");
  lua_pushliteral(L, "new");
  lua_rawget(L, 1);
  show_top(L, "new");
  lua_geti(L, 1, 5);
  show_top(L, "5");
  lua_rawgeti(L, 1, 5);
  show_top(L, "raw 5");
  printf("get: %d\n", lua_getmetatable(L, 1));
  lua_pop(L, 1);
  printf("metafield %d\n", luaL_getmetafield(L, 1, "__name"));
  show_top(L, "__name");
  printf("no metafield %d\n", luaL_getmetafield(L, 1, "__none"));
  lua_pushnil(L);
  lua_setmetatable(L, 1);
  printf("removed: %d\n", lua_getmetatable(L, 1));
  lua_settop(L, 0);
}

/* All numbers share a metatable, and so do all nils and all functions. */
static void test_shared_metatables(lua_State *L) {
  SECTION("shared metatables");
  lua_pushinteger(L, 5);
  run(L, "return {__index = function(n, k) return n * #k end}");
  lua_setmetatable(L, 1);
  lua_getfield(L, 1, "four");
  show_top(L, "field of 5");
  run(L, "return (2).abc, (1.5).xy");
  show_stack(L, "fields");
  lua_settop(L, 1);
  lua_pushnil(L);
  lua_setmetatable(L, 1);
  printf("removed: %d\n", lua_getmetatable(L, 1));
  lua_pushliteral(L, "");
  printf("strings: %d\n", lua_getmetatable(L, -1));
  lua_settop(L, 0);
}

static void test_userdata(lua_State *L) {
  int *p = (int *)lua_newuserdatauv(L, sizeof(int) * 4, 3);
  SECTION("userdata");
  p[0] = 1;
  p[3] = 4;
  printf("same: %d, size %d\n", lua_touserdata(L, 1) == (void *)p,
         (int)lua_rawlen(L, 1));
  lua_pushliteral(L, "first");
  printf("set 1: %d\n", lua_setiuservalue(L, 1, 1));
  lua_pushinteger(L, 3);
  printf("set 3: %d\n", lua_setiuservalue(L, 1, 3));
  lua_pushinteger(L, 4);
  printf("set 4: %d\n", lua_setiuservalue(L, 1, 4));
  lua_pushinteger(L, 4);
  printf("set 0: %d, top %d\n", lua_setiuservalue(L, 1, 0), lua_gettop(L));
  printf("%d ", lua_getiuservalue(L, 1, 1));
  show_top(L, "1");
  printf("%d ", lua_getiuservalue(L, 1, 2));
  show_top(L, "2");
  printf("%d ", lua_getiuservalue(L, 1, 3));
  show_top(L, "3");
  printf("%d ", lua_getiuservalue(L, 1, 4));
  show_top(L, "4");
  printf("%d ", lua_getiuservalue(L, 1, -1));
  show_top(L, "-1");
  lua_gc(L, LUA_GCCOLLECT);
  printf("contents %d %d\n", p[0], p[3]);
  lua_newuserdatauv(L, 0, 0);
  printf("empty: %d %d\n", lua_touserdata(L, -1) != NULL,
         (int)lua_rawlen(L, -1));
  lua_settop(L, 0);
}

static void test_named_types(lua_State *L) {
  SECTION("named types");
  printf("new %d again %d\n", luaL_newmetatable(L, "My.Type"),
         luaL_newmetatable(L, "My.Type"));
  printf("same %d\n", lua_rawequal(L, -1, -2));
  lua_newuserdatauv(L, 1, 1);
  printf("test before %d\n", luaL_testudata(L, -1, "My.Type") != NULL);
  luaL_setmetatable(L, "My.Type");
  printf("test after %d other %d\n", luaL_testudata(L, -1, "My.Type") != NULL,
         luaL_testudata(L, -1, "Other") != NULL);
  printf("of a number %d\n",
         (lua_pushinteger(L, 1), luaL_testudata(L, -1, "My.Type") != NULL));
  lua_settop(L, 0);
}

int main(void) {
  lua_State *L = same_open();
  test_fields(L);
  test_globals(L);
  test_next(L);
  try_call(L, "next", next_of_unknown);
  try_call(L, "index nil", index_nil);
  try_call(L, "set in number", set_in_number);
  try_call(L, "nil key", set_nil_key);
  try_call(L, "NaN key", set_nan_key);
  test_metatables(L);
  test_shared_metatables(L);
  test_userdata(L);
  test_named_types(L);
  same_close(L);
  return 0;
}
