/* SPDX-License-Identifier: MIT */
/*
** aux_module.c -- tables of functions, and how a host opens modules
*/

#include "lib.h"
#include "values.h"

/* Pushes a closure with copies of the `count` values from `first` up.  A NULL
** function pushes false, as a placeholder. */
static void module_push_function(lua_State *L, lua_CFunction f, int first,
                                 int count) {
  if (!f) {
    lua_pushboolean(L, 0);
    return;
  }
  for (int up = first; up < first + count; up++) lua_pushvalue(L, up);
  lua_pushcclosure(L, f, count);
}

LUALIB_API void luaL_setfuncs(lua_State *L, const luaL_Reg *l, int nup) {
  const int table = lua_gettop(L) - nup;
  luaL_checkstack(L, nup, "too many upvalues");
  while (l->name) {
    module_push_function(L, l->func, table + 1, nup);
    lua_setfield(L, table, l++->name);
  }
  lua_settop(L, table);
}

LUALIB_API int luaL_getsubtable(lua_State *L, int idx, const char *fname) {
  idx = lua_absindex(L, idx);
  const bool found = lua_getfield(L, idx, fname) == LUA_TTABLE;
  if (!found) {
    lua_newtable(L);
    lua_replace(L, -2);
    values_keep(L, idx, fname);
  }
  return found;
}

LUALIB_API void luaL_requiref(lua_State *L, const char *modname,
                              lua_CFunction openf, int glb) {
  const int value = lua_gettop(L) + 1;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, value, modname);
  if (!lua_toboolean(L, -1)) {
    lua_pushcfunction(L, openf);
    values_push(L, "s", modname);
    lua_call(L, 1, 1);
    values_keep(L, value, modname);
  }
  lua_replace(L, value);
  lua_settop(L, value);
  if (!glb) return;
  lua_pushvalue(L, value);
  lua_setglobal(L, modname);
}

LUALIB_API void luaL_checkversion_(lua_State *L, lua_Number ver, size_t sz) {
  const double here = (double)lua_version(L), there = (double)ver;
  if (sz == LUAL_NUMSIZES && here == there) return;
  luaL_error(L,
             sz != LUAL_NUMSIZES
                 ? "core and library have incompatible numeric types"
                 : "version mismatch: app. needs Lua %f, core provides Lua %f",
             there, here);
}
