/* SPDX-License-Identifier: MIT */
/*
** gclib_leaks.c -- the library `penumbra.gc`: what grows, and where it is made
*/

#include <string.h>

#include "gclib_impl.h"
#include "lualib.h"

enum { LEAKS_BYTES = 65536, LEAKS_SHOWN = 10 };

/* The list of leaks is at this index of the stack. */
enum { LEAKS_LIST = 2 };

/* The innermost call that has a line: the text from the last but not C. */
static void leaks_set_line(lua_State *L, const char *stack) {
  const char *found = stack;
  for (const char *at = stack; at; at = strchr(at, ';')) {
    if (*at == ';') at++;
    const size_t length = strcspn(at, ";");
    if (length < 5 || strncmp(at + length - 5, "([C])", 5) != 0) found = at;
  }
  lua_pushlstring(L, found, strcspn(found, ";"));
  lua_setfield(L, -2, "line");
}

/* Adds a site that grows to the list.  An object of it is on top. */
static void leaks_add(void *ud, const penumbra_Site *site) {
  lua_State *L = ud;
  if (!site->growing) return;
  lua_createtable(L, 0, 8);
  leaks_set_line(L, site->stack);
  lua_pushstring(L, site->stack);
  lua_setfield(L, -2, "stack");
  lua_pushstring(L, site->name);
  lua_setfield(L, -2, "name");
  gclib_set(L, "growth", site->growth);
  gclib_set(L, "bytes", site->live_bytes);
  gclib_set(L, "count", site->live_objects);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "object");
  lua_rawseti(L, LEAKS_LIST, (lua_Integer)lua_rawlen(L, LEAKS_LIST) + 1);
}

/* Orders by growth, the most first. */
static int leaks_less(lua_State *L) {
  lua_getfield(L, 2, "growth");
  lua_getfield(L, 1, "growth");
  lua_pushboolean(L, lua_compare(L, -2, -1, LUA_OPLT));
  return 1;
}

static void leaks_sort(lua_State *L) {
  luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 0);
  lua_getfield(L, -1, "sort");
  lua_pushvalue(L, LEAKS_LIST);
  lua_pushcfunction(L, leaks_less);
  lua_call(L, 2, 0);
  lua_settop(L, LEAKS_LIST);
}

/* Drops what is beyond `most`, and tells of the others who keeps the object. */
static void leaks_finish(lua_State *L, lua_Integer most) {
  penumbra_Why why = {.size = sizeof why};
  const lua_Integer count = (lua_Integer)lua_rawlen(L, LEAKS_LIST);
  for (lua_Integer i = count; i > most; i--) {
    lua_pushnil(L);
    lua_rawseti(L, LEAKS_LIST, i);
  }
  for (lua_Integer i = 1; i <= count && i <= most; i++) {
    lua_rawgeti(L, LEAKS_LIST, i);
    lua_getfield(L, -1, "object");
    lua_pushnil(L);
    lua_setfield(L, -3, "object");
    if (!lua_isnil(L, -1) && penumbra_why(L, -1, &why)) {
      lua_pushstring(L, why.path);
      lua_setfield(L, -3, "path");
    }
    lua_settop(L, LEAKS_LIST);
  }
}

/* gc.leaks(true [, bytes]) begins to sample what is allocated, gc.leaks(false)
** stops it.  gc.leaks([most]) lists what has grown since. */
int gclib_leaks(lua_State *L) {
  if (lua_isboolean(L, 1)) {
    const lua_Integer bytes = luaL_optinteger(L, 2, LEAKS_BYTES);
    luaL_argcheck(L, bytes > 0, 2, "positive number expected");
    if (!penumbra_samplealloc(
            L, lua_toboolean(L, 1) ? gclib_size((lua_Unsigned)bytes) : 0))
      return luaL_error(L, "not enough memory");
    return 0;
  }
  const lua_Integer most = luaL_optinteger(L, 1, LEAKS_SHOWN);
  luaL_argcheck(L, most >= 0, 1, "not negative expected");
  lua_settop(L, 1);
  lua_newtable(L);
  if (!penumbra_getsites(L, leaks_add, L))
    return luaL_error(L, "no samples: call gc.leaks(true) first");
  leaks_sort(L);
  leaks_finish(L, most);
  return 1;
}
