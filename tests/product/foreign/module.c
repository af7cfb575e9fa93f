/* SPDX-License-Identifier: MIT */
/*
** module.c -- a module for Windows: calls into the library and back
*/

#include "lauxlib.h"

/* Calls its first argument for each of the others, and returns the sum. */
static int module_sum(lua_State *L) {
  lua_Integer sum = 0;
  const int top = lua_gettop(L);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  for (int i = 2; i <= top; i++) {
    lua_pushvalue(L, 1);
    lua_pushvalue(L, i);
    lua_call(L, 1, 1);
    sum += luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  lua_pushinteger(L, sum);
  return 1;
}

#if defined(_WIN32)
__declspec(dllexport)
#endif
    int luaopen_module(lua_State *L);

int luaopen_module(lua_State *L) {
  static const luaL_Reg functions[] = {{"sum", module_sum}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
