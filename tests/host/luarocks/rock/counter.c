/* SPDX-License-Identifier: MIT */
/*
** counter.c -- the C half of the rock: a userdata with a metatable
*/
#include <lauxlib.h>
#include <lua.h>

#if !defined(PENUMBRA_VERSION)
#error "not compiled with the headers of Penumbra"
#endif

static int counter_next(lua_State *L) {
  lua_Integer *n = luaL_checkudata(L, 1, "counter");
  lua_pushinteger(L, ++*n);
  return 1;
}

static int counter_new(lua_State *L) {
  lua_Integer *n = lua_newuserdatauv(L, sizeof *n, 0);
  *n = luaL_optinteger(L, 1, 0);
  luaL_setmetatable(L, "counter");
  return 1;
}

int luaopen_counter_core(lua_State *L);
int luaopen_counter_core(lua_State *L) {
  luaL_newmetatable(L, "counter");
  lua_pushcfunction(L, counter_next);
  lua_setfield(L, -2, "__call");
  lua_newtable(L);
  lua_pushcfunction(L, counter_new);
  lua_setfield(L, -2, "new");
  return 1;
}
