/* SPDX-License-Identifier: MIT */
/*
** aux_meta.c -- metatables, and how they change a value
*/

#include "lib.h"
#include "values.h"

/* The field replaces the metatable on the stack; nil is popped too. */
LUALIB_API int luaL_getmetafield(lua_State *L, int obj, const char *e) {
  if (!lua_getmetatable(L, obj)) return LUA_TNIL;
  lua_pushstring(L, e);
  const int type = lua_rawget(L, -2);
  lua_replace(L, -2);
  lua_settop(L, type == LUA_TNIL ? -2 : -1);
  return type;
}

LUALIB_API int luaL_callmeta(lua_State *L, int obj, const char *e) {
  const int self = lua_absindex(L, obj);
  const bool exists = luaL_getmetafield(L, self, e) != LUA_TNIL;
  if (exists) {
    lua_pushvalue(L, self);
    lua_call(L, 1, 1);
  }
  return exists;
}

LUALIB_API lua_Integer luaL_len(lua_State *L, int idx) {
  int fits;
  lua_len(L, idx);
  const lua_Integer len = lua_tointegerx(L, -1, &fits);
  lua_pop(L, 1);
  return fits ? len : luaL_error(L, "object length is not an integer");
}

/* Pushes the text of a value: the value itself if it is a number or a string, a
** word, or its type and address. */
static void meta_push_plain(lua_State *L, int idx) {
  static const char *const words[] = {"false", "true"};
  const int type = lua_type(L, idx);
  if (type == LUA_TNUMBER || type == LUA_TSTRING) {
    lua_pushvalue(L, idx);
  } else if (type == LUA_TNIL || type == LUA_TBOOLEAN) {
    lua_pushstring(L, type == LUA_TNIL ? lua_typename(L, LUA_TNIL)
                                       : words[lua_toboolean(L, idx)]);
  } else {
    if (luaL_getmetafield(L, idx, "__name") != LUA_TSTRING)
      lua_pushstring(L, lua_typename(L, type));
    lua_pushfstring(L, "%s: %p", lua_tostring(L, -1), lua_topointer(L, idx));
  }
}

LUALIB_API const char *luaL_tolstring(lua_State *L, int idx, size_t *len) {
  const int value = lua_absindex(L, idx), result = lua_gettop(L) + 1;
  if (!luaL_callmeta(L, value, "__tostring")) {
    meta_push_plain(L, value);
    if (lua_gettop(L) > result) {
      lua_copy(L, -1, result);
      lua_settop(L, result);
    }
  } else if (!lua_isstring(L, result)) {
    luaL_error(L, "'__tostring' must return a string");
  }
  return lua_tolstring(L, result, len); /* converts a number to a string */
}

/* -- Types of userdata --------------------------------------------------- */

LUALIB_API int luaL_newmetatable(lua_State *L, const char *tname) {
  const bool is_new = luaL_getmetatable(L, tname) == LUA_TNIL;
  if (is_new) {
    lua_createtable(L, 0, 2);
    lua_replace(L, -2);
    values_push(L, "s", tname);
    lua_setfield(L, -2, "__name");
    values_keep(L, LUA_REGISTRYINDEX, tname);
  }
  return is_new;
}

LUALIB_API void luaL_setmetatable(lua_State *L, const char *tname) {
  luaL_getmetatable(L, tname);
  lua_setmetatable(L, -2);
}

/* Compares the two metatables by address; a missing one is equal to none. */
LUALIB_API void *luaL_testudata(lua_State *L, int ud, const char *tname) {
  void *block = lua_touserdata(L, ud);
  if (block && lua_getmetatable(L, ud)) {
    const void *own = lua_topointer(L, -1);
    luaL_getmetatable(L, tname);
    if (lua_topointer(L, -1) != own) block = NULL;
    lua_pop(L, 2);
    return block;
  }
  return NULL;
}

LUALIB_API void *luaL_checkudata(lua_State *L, int ud, const char *tname) {
  void *p = luaL_testudata(L, ud, tname);
  luaL_argexpected(L, p != NULL, ud, tname);
  return p;
}
