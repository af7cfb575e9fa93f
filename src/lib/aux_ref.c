/* SPDX-License-Identifier: MIT */
/*
** aux_ref.c -- values kept in a table under numbers
**
** Freed numbers form a free list in the table itself: the slot REF_FREE holds
** the first one, each free slot holds the next one, and 0 ends the list.
** REF_FREE follows the slots that the registry uses for itself.
*/

#include "lib.h"

enum { REF_FREE = LUA_RIDX_LAST + 1 };

static void ref_set(lua_State *L, int t, int slot, int number) {
  lua_pushinteger(L, number);
  lua_rawseti(L, t, slot);
}

/* The number in a slot.  Creates the free list when it is first used. */
static int ref_get(lua_State *L, int t, int slot) {
  const bool none = lua_rawgeti(L, t, slot) == LUA_TNIL;
  const int number = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  if (none && slot == REF_FREE) ref_set(L, t, REF_FREE, 0);
  return number;
}

LUALIB_API int luaL_ref(lua_State *L, int t) {
  t = lua_absindex(L, t);
  if (lua_isnil(L, -1)) {
    lua_settop(L, -2);
    return LUA_REFNIL;
  }
  int ref = ref_get(L, t, REF_FREE);
  if (ref == 0)
    ref = (int)lua_rawlen(L, t) + 1;
  else
    ref_set(L, t, REF_FREE, ref_get(L, t, ref));
  lua_rawseti(L, t, ref);
  return ref;
}

LUALIB_API void luaL_unref(lua_State *L, int t, int ref) {
  if (ref < 0) return;
  t = lua_absindex(L, t);
  ref_set(L, t, ref, ref_get(L, t, REF_FREE));
  ref_set(L, t, REF_FREE, ref);
}
