/* SPDX-License-Identifier: MIT */
/*
** package_clib.c -- libraries written in C
**
** A library is loaded once per state.  The record of loaded libraries is a
** table in the registry, which holds each library under its name and under a
** number, in order.  When the state ends they are unloaded, last one first.
*/

#include <string.h>

#include "lib.h"
#include "package_impl.h"
#include "system.h"
#include "values.h"

#define CLIB_TABLE "_CLIBS"

/* -- The record ---------------------------------------------------------- */

/* The library of that file.  Loads it if it is not in use yet.  NULL, with a
** message pushed, if that fails. */
static void *clib_get(lua_State *L, const char *file, bool global) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, CLIB_TABLE);
  const int record = lua_gettop(L);
  const bool known = lua_getfield(L, record, file) != LUA_TNIL;
  void *lib = known ? lua_touserdata(L, -1) : system_load(L, file, global);
  if (!lib) return NULL;
  if (!known) {
    lua_pushlightuserdata(L, lib);
    values_keep(L, record, file);
    lua_rawseti(L, record, (lua_Integer)lua_rawlen(L, record) + 1);
  }
  lua_settop(L, record - 1);
  return lib;
}

static int clib_unload_all(lua_State *L) {
  lua_Integer left = (lua_Integer)lua_rawlen(L, 1);
  while (left > 0) {
    lua_settop(L, 1);
    lua_rawgeti(L, 1, left--);
    system_unload(lua_touserdata(L, 2));
  }
  return 0;
}

void clib_open(lua_State *L) {
  static const luaL_Reg metamethods[] = {{"__gc", clib_unload_all},
                                         {NULL, NULL}};
  luaL_getsubtable(L, LUA_REGISTRYINDEX, CLIB_TABLE);
  luaL_newlibtable(L, metamethods);
  luaL_setfuncs(L, metamethods, 0);
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

/* -- Functions ----------------------------------------------------------- */

/* Pushes the function of that name from a library, or a message.  The name "*"
** only loads the library, so that other libraries can link with it, and pushes
** true. */
static ClibStatus clib_push_function(lua_State *L, const char *file,
                                     const char *name) {
  const bool whole = *name == '*';
  void *lib = clib_get(L, file, whole);
  if (!lib) return CLIB_NO_LIBRARY;
  const lua_CFunction function = whole ? NULL : system_find(L, lib, name);
  if (function)
    lua_pushcfunction(L, function);
  else if (whole)
    values_push(L, "b", 1);
  return whole || function ? CLIB_OK : CLIB_NO_FUNCTION;
}

/* In "name-suffix" the part before the hyphen is tried first.  Then, as in
** older versions, the part after it. */
ClibStatus clib_push_opener(lua_State *L, const char *file, const char *name) {
  name = luaL_gsub(L, name, ".", "_");
  const char *mark = strchr(name, *PACKAGE_IGNORE);
  if (mark) {
    const char *first = lua_pushlstring(L, name, (size_t)(mark - name));
    first = lua_pushfstring(L, "luaopen_%s", first);
    const ClibStatus status = clib_push_function(L, file, first);
    if (status != CLIB_NO_FUNCTION) return status;
    name = mark + 1;
  }
  return clib_push_function(L, file, lua_pushfstring(L, "luaopen_%s", name));
}

int package_loadlib_framed(lua_State *L) {
  static const char *const where[] = {
      [CLIB_NO_LIBRARY] = system_load_step,
      [CLIB_NO_FUNCTION] = "init",
  };
  const ClibStatus status =
      clib_push_function(L, lua_tostring(L, 1), lua_tostring(L, 2));
  if (status == CLIB_OK) return 1;
  return values_push(L, "-vs", lua_gettop(L), where[status]);
}
