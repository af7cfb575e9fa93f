/* SPDX-License-Identifier: MIT */
/*
** stack.c -- moving values on the stack, indices of all sorts
*/
#include "same.h"

static void push_five(lua_State *L) {
  int i;
  for (i = 1; i <= 5; i++) lua_pushinteger(L, i * 10);
}

static void test_top(lua_State *L) {
  SECTION("top");
  push_five(L);
  show_stack(L, "five");
  printf("absindex %d %d %d %d\n", lua_absindex(L, 2), lua_absindex(L, -1),
         lua_absindex(L, -5),
         lua_absindex(L, LUA_REGISTRYINDEX) == LUA_REGISTRYINDEX);
  lua_settop(L, 7);
  show_stack(L, "settop 7");
  lua_settop(L, 3);
  show_stack(L, "settop 3");
  lua_settop(L, -2);
  show_stack(L, "settop -2");
  lua_settop(L, 0);
  show_stack(L, "settop 0");
}

static void test_moves(lua_State *L) {
  int n;
  SECTION("moves");
  push_five(L);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -1);
  show_stack(L, "pushvalue");
  lua_insert(L, 1);
  show_stack(L, "insert 1");
  lua_remove(L, 3);
  show_stack(L, "remove 3");
  lua_replace(L, 2);
  show_stack(L, "replace 2");
  lua_copy(L, 1, -1);
  show_stack(L, "copy 1 -1");
  for (n = -5; n <= 5; n++) {
    lua_settop(L, 0);
    push_five(L);
    lua_rotate(L, 1, n);
    printf("rotate %d ", n);
    show_stack(L, "");
  }
  lua_rotate(L, -3, 1);
  show_stack(L, "rotate -3 1");
  lua_settop(L, 0);
}

static int count_upvalues(lua_State *L) {
  int i;
  printf("upvalues:");
  for (i = 1; i <= 5; i++) {
    printf(" %d ", lua_type(L, lua_upvalueindex(i)));
    show_value(L, lua_upvalueindex(i));
  }
  printf("\n");
  if (lua_isnone(L, lua_upvalueindex(1))) return 0;
  lua_pushstring(L, "changed");
  lua_replace(L, lua_upvalueindex(1));
  lua_pushinteger(L, 42);
  lua_copy(L, -1, lua_upvalueindex(2));
  return 0;
}

static void test_pseudo_indices(lua_State *L) {
  SECTION("pseudo-indices");
  lua_pushnil(L);
  lua_pushnumber(L, 2.5);
  lua_pushliteral(L, "three");
  lua_pushcclosure(L, count_upvalues, 3);
  lua_pushvalue(L, -1);
  lua_call(L, 0, 0);
  lua_call(L, 0, 0);
  lua_pushcfunction(L, count_upvalues);
  lua_call(L, 0, 0);
  printf("registry %d, globals %d, main thread %d\n",
         lua_type(L, LUA_REGISTRYINDEX),
         lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS),
         lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD));
  printf("is main: %d\n", lua_tothread(L, -1) == L);
  lua_settop(L, 0);
}

static void test_room(lua_State *L) {
  int i, ok;
  SECTION("room");
  printf("checkstack 1000: %d\n", lua_checkstack(L, 1000));
  for (i = 0; i < 1000; i++) lua_pushinteger(L, i);
  printf("top %d, last ", lua_gettop(L));
  show_top(L, "");
  printf("checkstack too much: %d %d\n", lua_checkstack(L, LUAI_MAXSTACK),
         lua_checkstack(L, 100000000));
  ok = lua_checkstack(L, 900000);
  printf("checkstack 900000: %d\n", ok);
  if (ok)
    for (i = 0; i < 900000; i++) lua_pushboolean(L, i & 1);
  lua_settop(L, 0);
}

static int too_much(lua_State *L) {
  luaL_checkstack(L, 1000001, "that is a lot");
  return 0;
}
static int too_much_unnamed(lua_State *L) {
  luaL_checkstack(L, 1000001, NULL);
  return 0;
}

static void test_xmove(lua_State *L) {
  lua_State *co = lua_newthread(L);
  SECTION("xmove");
  push_five(L);
  lua_xmove(L, co, 3);
  show_stack(L, "from");
  show_stack(co, "to");
  lua_xmove(co, L, 2);
  show_stack(L, "from");
  show_stack(co, "to");
  lua_xmove(L, L, 2);
  show_stack(L, "itself");
  lua_settop(L, 0);
}

int main(void) {
  lua_State *L = same_open();
  test_top(L);
  test_moves(L);
  test_pseudo_indices(L);
  test_room(L);
  try_call(L, "luaL_checkstack", too_much);
  try_call(L, "luaL_checkstack", too_much_unnamed);
  test_xmove(L);
  same_close(L);
  return 0;
}
