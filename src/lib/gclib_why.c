/* SPDX-License-Identifier: MIT */
/*
** gclib_why.c -- the library `penumbra.gc`: why is this alive?
*/

#include "gclib_impl.h"

/* gc.why(object): the path in words, and a table of figures. */
int gclib_why(lua_State *L) {
  penumbra_Why why = {.size = sizeof why};
  luaL_checkany(L, 1);
  if (!penumbra_why(L, 1, &why)) {
    luaL_pushfail(L);
    lua_pushstring(L, why.path);
    return 2;
  }
  lua_pushstring(L, why.path);
  lua_createtable(L, 0, 3);
  gclib_set(L, "size", why.bytes);
  gclib_set(L, "retained", why.retained);
  if (why.dominator[0] != '\0') {
    lua_pushstring(L, why.dominator);
    lua_setfield(L, -2, "dominator");
  }
  return 2;
}
