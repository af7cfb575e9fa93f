/* SPDX-License-Identifier: MIT */
/*
** aux_module.c -- tables of functions, and how a host opens modules
*/

#include "lib.h"

LUALIB_API void luaL_setfuncs(lua_State *L, const luaL_Reg *l, int nup) {
  luaL_checkstack(L, nup, "too many upvalues");
  for (; l->name != NULL; l++) {
    if (l->func == NULL) {
      lua_pushboolean(L, 0);
    } else {
      for (int i = 0; i < nup; i++) lua_pushvalue(L, -nup);
      lua_pushcclosure(L, l->func, nup);
    }
    lua_setfield(L, -(nup + 2), l->name);
  }
  lua_pop(L, nup);
}

LUALIB_API int luaL_getsubtable(lua_State *L, int idx, const char *fname) {
  if (lua_getfield(L, idx, fname) == LUA_TTABLE) return 1;
  lua_pop(L, 1);
  idx = lua_absindex(L, idx);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, idx, fname);
  return 0;
}

/* Runs the opening function and records its result; pushes it. */
static void module_open(lua_State *L, int loaded, const char *name,
                        lua_CFunction open) {
  lua_pushcfunction(L, open);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, loaded, name);
}

LUALIB_API void luaL_requiref(lua_State *L, const char *modname,
                              lua_CFunction openf, int glb) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  const int loaded = lua_gettop(L);
  lua_getfield(L, loaded, modname);
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    module_open(L, loaded, modname, openf);
  }
  lua_remove(L, loaded);
  if (glb) {
    lua_pushvalue(L, -1);
    lua_setglobal(L, modname);
  }
}

LUALIB_API void luaL_checkversion_(lua_State *L, lua_Number ver, size_t sz) {
  const lua_Number version = lua_version(L);
  if (sz != LUAL_NUMSIZES)
    luaL_error(L, "core and library have incompatible numeric types");
  else if (version != ver)
    luaL_error(L, "version mismatch: app. needs Lua %f, core provides Lua %f",
               (LUAI_UACNUMBER)ver, (LUAI_UACNUMBER)version);
}
