/* SPDX-License-Identifier: MIT */
/*
** aux_meta.c -- metatables, and what they change about a value
*/

#include "lib.h"

LUALIB_API int luaL_getmetafield(lua_State *L, int obj, const char *e) {
  if (!lua_getmetatable(L, obj)) return LUA_TNIL;
  lua_pushstring(L, e);
  const int type = lua_rawget(L, -2);
  if (type == LUA_TNIL)
    lua_pop(L, 2);
  else
    lua_remove(L, -2);
  return type;
}

LUALIB_API int luaL_callmeta(lua_State *L, int obj, const char *e) {
  obj = lua_absindex(L, obj);
  if (luaL_getmetafield(L, obj, e) == LUA_TNIL) return 0;
  lua_pushvalue(L, obj);
  lua_call(L, 1, 1);
  return 1;
}

LUALIB_API lua_Integer luaL_len(lua_State *L, int idx) {
  int ok;
  lua_len(L, idx);
  const lua_Integer len = lua_tointegerx(L, -1, &ok);
  if (luai_unlikely(!ok)) luaL_error(L, "object length is not an integer");
  lua_pop(L, 1);
  return len;
}

/* A value that has no text of its own: its type and its address. */
static void meta_push_address(lua_State *L, int idx) {
  const int type = luaL_getmetafield(L, idx, "__name");
  const char *kind =
      type == LUA_TSTRING ? lua_tostring(L, -1) : luaL_typename(L, idx);
  lua_pushfstring(L, "%s: %p", kind, lua_topointer(L, idx));
  if (type != LUA_TNIL) lua_remove(L, -2);
}

static void meta_push_text(lua_State *L, int idx) {
  switch (lua_type(L, idx)) {
    case LUA_TNUMBER:
      lua_pushvalue(L, idx);
      lua_tolstring(L, -1, NULL); /* turns the copy into a string */
      break;
    case LUA_TSTRING: lua_pushvalue(L, idx); break;
    case LUA_TBOOLEAN:
      lua_pushstring(L, lua_toboolean(L, idx) ? "true" : "false");
      break;
    case LUA_TNIL: lua_pushliteral(L, "nil"); break;
    default: meta_push_address(L, idx); break;
  }
}

LUALIB_API const char *luaL_tolstring(lua_State *L, int idx, size_t *len) {
  idx = lua_absindex(L, idx);
  if (!luaL_callmeta(L, idx, "__tostring"))
    meta_push_text(L, idx);
  else if (!lua_isstring(L, -1))
    luaL_error(L, "'__tostring' must return a string");
  return lua_tolstring(L, -1, len);
}

/* -- Types of userdata --------------------------------------------------- */

LUALIB_API int luaL_newmetatable(lua_State *L, const char *tname) {
  if (luaL_getmetatable(L, tname) != LUA_TNIL) return 0;
  lua_pop(L, 1);
  lua_createtable(L, 0, 2);
  lua_pushstring(L, tname);
  lua_setfield(L, -2, "__name");
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, tname);
  return 1;
}

LUALIB_API void luaL_setmetatable(lua_State *L, const char *tname) {
  luaL_getmetatable(L, tname);
  lua_setmetatable(L, -2);
}

LUALIB_API void *luaL_testudata(lua_State *L, int ud, const char *tname) {
  void *p = lua_touserdata(L, ud);
  if (p == NULL || !lua_getmetatable(L, ud)) return NULL;
  luaL_getmetatable(L, tname);
  if (!lua_rawequal(L, -1, -2)) p = NULL;
  lua_pop(L, 2);
  return p;
}

LUALIB_API void *luaL_checkudata(lua_State *L, int ud, const char *tname) {
  void *p = luaL_testudata(L, ud, tname);
  luaL_argexpected(L, p != NULL, ud, tname);
  return p;
}
