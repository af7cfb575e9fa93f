/* SPDX-License-Identifier: MIT */
/*
** aux_ref.c -- values kept in a table under numbers
**
** Freed numbers form a list through the table itself: the slot REF_FREE holds
** the first one, each free slot the next, 0 ends it.  REF_FREE follows the
** slots that the registry uses for itself.
*/

#include "lib.h"

enum { REF_FREE = LUA_RIDX_LAST + 1 };

/* The head of the list of free numbers; makes an empty list the first time. */
static lua_Integer ref_first_free(lua_State *L, int t) {
  lua_Integer first = 0;
  if (lua_rawgeti(L, t, REF_FREE) == LUA_TNIL) {
    lua_pushinteger(L, 0);
    lua_rawseti(L, t, REF_FREE);
  } else {
    first = lua_tointeger(L, -1);
  }
  lua_pop(L, 1);
  return first;
}

LUALIB_API int luaL_ref(lua_State *L, int t) {
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return LUA_REFNIL;
  }
  t = lua_absindex(L, t);
  int ref = (int)ref_first_free(L, t);
  if (ref != 0) {
    lua_rawgeti(L, t, ref);
    lua_rawseti(L, t, REF_FREE);
  } else {
    ref = (int)lua_rawlen(L, t) + 1;
  }
  lua_rawseti(L, t, ref);
  return ref;
}

LUALIB_API void luaL_unref(lua_State *L, int t, int ref) {
  if (ref < 0) return;
  t = lua_absindex(L, t);
  lua_rawgeti(L, t, REF_FREE);
  lua_rawseti(L, t, ref);
  lua_pushinteger(L, ref);
  lua_rawseti(L, t, REF_FREE);
}
