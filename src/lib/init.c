/* SPDX-License-Identifier: MIT */
/*
** init.c -- luaL_openlibs: which libraries a state has
*/

#include "lib.h"
#include "lualib.h"

/* Opened at once, and global. */
static const luaL_Reg opened_libs[] = {
    {LUA_GNAME, luaopen_base},
    {LUA_LOADLIBNAME, luaopen_package},
    {LUA_COLIBNAME, luaopen_coroutine},
    {LUA_TABLIBNAME, luaopen_table},
    {LUA_IOLIBNAME, luaopen_io},
    {LUA_OSLIBNAME, luaopen_os},
    {LUA_STRLIBNAME, luaopen_string},
    {LUA_MATHLIBNAME, luaopen_math},
    {LUA_UTF8LIBNAME, luaopen_utf8},
    {LUA_DBLIBNAME, luaopen_debug},
    {NULL, NULL},
};

/* Opened when a program requires them. */
static const luaL_Reg preloaded_libs[] = {
    {PENUMBRA_GCLIBNAME, luaopen_penumbra_gc},
    {PENUMBRA_SANDBOXLIBNAME, luaopen_penumbra_sandbox},
    {PENUMBRA_DESCRIBELIBNAME, luaopen_penumbra_describe},
    {PENUMBRA_PROFILELIBNAME, luaopen_penumbra_profile},
#if defined(PENUMBRA_MACHINE) && PENUMBRA_MACHINE
    {PENUMBRA_MACHINELIBNAME, luaopen_penumbra_machine},
#endif
    {NULL, NULL},
};

LUALIB_API void luaL_openlibs(lua_State *L) {
  for (const luaL_Reg *lib = opened_libs; lib->func; lib++) {
    luaL_requiref(L, lib->name, lib->func, 1);
    lua_pop(L, 1);
  }
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  luaL_setfuncs(L, preloaded_libs, 0);
  lua_pop(L, 1);
}
