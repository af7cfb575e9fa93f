/* SPDX-License-Identifier: MIT */
/*
** package.c -- the package library, and require
**
** require asks the functions of package.searchers, in order, for a loader:
**
**      preload     a function that the host or the program put there
**      Lua         a file found by package.path
**      C           a library found by package.cpath
**      C root      the library of the first part of a name like "a.b.c"
**
** C libraries themselves are in package_clib.c.
*/

#include <stdlib.h>
#include <string.h>

#include "lib.h"
#include "lualib.h"
#include "package_impl.h"

/* The upvalue of the searchers and of require: the package table. */
#define PACKAGE_TABLE lua_upvalueindex(1)

/* -- Paths --------------------------------------------------------------- */

static bool package_no_environment(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
  const bool res = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return res;
}

/* Pushes the path with its first ";;" replaced by the default. */
static void path_push_expanded(lua_State *L, const char *path,
                               const char *def) {
  const char *mark = strstr(path, LUA_PATH_SEP LUA_PATH_SEP);
  if (mark == NULL) {
    lua_pushstring(L, path);
    return;
  }
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  if (mark > path) {
    luaL_addlstring(&b, path, (size_t)(mark - path));
    luaL_addchar(&b, *LUA_PATH_SEP);
  }
  luaL_addstring(&b, def);
  if (mark[2] != '\0') {
    luaL_addchar(&b, *LUA_PATH_SEP);
    luaL_addstring(&b, mark + 2);
  }
  luaL_pushresult(&b);
}

/* Sets a path of the package table on top: from the environment, where the
** variable of this version comes first, or to its default. */
static void path_set(lua_State *L, const char *field, const char *variable,
                     const char *def) {
  const char *versioned = lua_pushfstring(L, "%s%s", variable, LUA_VERSUFFIX);
  const char *path = getenv(versioned);
  if (path == NULL) path = getenv(variable);
  lua_pop(L, 1);
  if (path == NULL || package_no_environment(L))
    lua_pushstring(L, def);
  else
    path_push_expanded(L, path, def);
  lua_setfield(L, -2, field);
}

static bool path_is_readable(const char *name) {
  FILE *f = fopen(name, "r");
  if (f == NULL) return false;
  fclose(f);
  return true;
}

/* Pushes the reasons why none of the file names in `list` is the one. */
static void path_push_failure(lua_State *L, const char *list) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, "no file '");
  luaL_addgsub(&b, list, LUA_PATH_SEP, "'\n\tno file '");
  luaL_addstring(&b, "'");
  luaL_pushresult(&b);
}

/* Pushes the first readable name among those separated by ';' in the list on
** top, and true; otherwise the list of failures, and false. */
static bool path_choose(lua_State *L) {
  const char *list = lua_tostring(L, -1);
  const char *p = list;
  while (*p != '\0') {
    const char *end = strchr(p, *LUA_PATH_SEP);
    if (end == NULL) end = p + strlen(p);
    const char *name = lua_pushlstring(L, p, (size_t)(end - p));
    if (path_is_readable(name)) return true;
    lua_pop(L, 1);
    p = *end == '\0' ? end : end + 1;
  }
  path_push_failure(L, list);
  return false;
}

/* Looks for a name along a path: pushes the file's name, true, or what was
** tried in vain, false. */
static bool path_search(lua_State *L, const char *name, const char *path,
                        const char *sep, const char *rep) {
  luaL_Buffer b;
  if (*sep != '\0' && strstr(name, sep) != NULL)
    name = luaL_gsub(L, name, sep, rep);
  luaL_buffinit(L, &b);
  luaL_addgsub(&b, path, LUA_PATH_MARK, name);
  luaL_pushresult(&b);
  return path_choose(L);
}

static int package_searchpath(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  const char *path = luaL_checkstring(L, 2);
  const char *sep = luaL_optstring(L, 3, ".");
  const char *rep = luaL_optstring(L, 4, LUA_DIRSEP);
  if (path_search(L, name, path, sep, rep)) return 1;
  luaL_pushfail(L);
  lua_insert(L, -2);
  return 2;
}

/* -- Searchers ----------------------------------------------------------- */

/* Each returns the number of values it pushed: a message why it found
** nothing, or a loader and a second argument for it. */

static bool search_file(lua_State *L, const char *name, const char *field) {
  lua_getfield(L, PACKAGE_TABLE, field);
  const char *path = lua_tostring(L, -1);
  if (luai_unlikely(path == NULL))
    luaL_error(L, "'package.%s' must be a string", field);
  return path_search(L, name, path, ".", LUA_DIRSEP);
}

/* With the file's name on top: success, or an error with the message that
** lies above it. */
static int search_finish(lua_State *L, bool ok, const char *file) {
  if (luai_likely(ok)) {
    lua_pushstring(L, file);
    return 2;
  }
  return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s",
                    lua_tostring(L, 1), file, lua_tostring(L, -1));
}

static int search_preload(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  if (lua_getfield(L, -1, name) == LUA_TNIL) {
    lua_pushfstring(L, "no field package.preload['%s']", name);
    return 1;
  }
  lua_pushliteral(L, ":preload:");
  return 2;
}

static int search_lua(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  if (!search_file(L, name, "path")) return 1;
  const char *file = lua_tostring(L, -1);
  return search_finish(L, luaL_loadfile(L, file) == LUA_OK, file);
}

static int search_c(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  if (!search_file(L, name, "cpath")) return 1;
  const char *file = lua_tostring(L, -1);
  return search_finish(L, clib_push_opener(L, file, name) == CLIB_OK, file);
}

static int search_c_root(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  const char *dot = strchr(name, '.');
  if (dot == NULL) return 0; /* search_c has looked for it already */
  lua_pushlstring(L, name, (size_t)(dot - name));
  if (!search_file(L, lua_tostring(L, -1), "cpath")) return 1;
  const char *file = lua_tostring(L, -1);
  const ClibStatus status = clib_push_opener(L, file, name);
  if (status == CLIB_NO_FUNCTION) {
    lua_pushfstring(L, "no module '%s' in file '%s'", name, file);
    return 1;
  }
  return search_finish(L, status == CLIB_OK, file);
}

/* -- require ------------------------------------------------------------- */

#define REQUIRE_PREFIX "\n\t" /* of each message */

/* Asks the searcher on top, which lies above the buffer's slot; true with loader
** and data in its place, or false, with its message added to the buffer and the
** prefix of the next one behind it. */
static bool require_ask(lua_State *L, luaL_Buffer *messages, const char *name) {
  lua_pushstring(L, name);
  lua_call(L, 1, 2);
  if (lua_isfunction(L, -2)) return true;
  if (lua_isstring(L, -2)) {
    lua_pop(L, 1);
    luaL_addvalue(messages);
    luaL_addstring(messages, REQUIRE_PREFIX);
  } else {
    lua_pop(L, 2); /* nothing to say */
  }
  return false;
}

/* Leaves loader and data on top. */
static void require_find(lua_State *L, const char *name) {
  luaL_Buffer messages;
  if (luai_unlikely(lua_getfield(L, PACKAGE_TABLE, "searchers") != LUA_TTABLE))
    luaL_error(L, "'package.searchers' must be a table");
  const int searchers = lua_gettop(L);
  luaL_buffinit(L, &messages);
  luaL_addstring(&messages, REQUIRE_PREFIX);
  for (lua_Integer i = 1;; i++) {
    if (lua_rawgeti(L, searchers, i) == LUA_TNIL) {
      lua_pop(L, 1);
      luaL_buffsub(&messages, strlen(REQUIRE_PREFIX)); /* the last one */
      luaL_pushresult(&messages);
      luaL_error(L, "module '%s' not found:%s", name, lua_tostring(L, -1));
    }
    if (require_ask(L, &messages, name)) return;
  }
}

static int package_require(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  lua_settop(L, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, 2, name);
  if (lua_toboolean(L, -1)) return 1;
  lua_pop(L, 1);
  require_find(L, name);
  lua_rotate(L, -2, 1); /* data, loader */
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -3);
  lua_call(L, 2, 1);
  if (!lua_isnil(L, -1))
    lua_setfield(L, 2, name);
  else
    lua_pop(L, 1);
  if (lua_getfield(L, 2, name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushboolean(L, 1); /* the loader stored nothing */
    lua_pushvalue(L, -1);
    lua_setfield(L, 2, name);
  }
  lua_rotate(L, -2, 1);
  return 2;
}

/* -- Opening ------------------------------------------------------------- */

static const luaL_Reg package_functions[] = {
    {"config", NULL},    {"cpath", NULL},
    {"loaded", NULL},    {"loadlib", package_loadlib},
    {"path", NULL},      {"preload", NULL},
    {"searchers", NULL}, {"searchpath", package_searchpath},
    {NULL, NULL},
};

/* With the package table on top. */
static void package_set_searchers(lua_State *L) {
  static const lua_CFunction searchers[] = {
      search_preload,
      search_lua,
      search_c,
      search_c_root,
  };
  const int n = sizeof(searchers) / sizeof(searchers[0]);
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushvalue(L, -2);
    lua_pushcclosure(L, searchers[i], 1);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "searchers");
}

static void package_set_require(lua_State *L) {
  lua_pushglobaltable(L);
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, package_require, 1);
  lua_setfield(L, -2, "require");
  lua_pop(L, 1);
}

LUAMOD_API int luaopen_package(lua_State *L) {
  clib_open(L);
  luaL_newlib(L, package_functions);
  package_set_searchers(L);
  path_set(L, "path", "LUA_PATH", LUA_PATH_DEFAULT);
  path_set(L, "cpath", "LUA_CPATH", LUA_CPATH_DEFAULT);
  lua_pushliteral(L, LUA_DIRSEP "\n" LUA_PATH_SEP "\n" LUA_PATH_MARK
                                "\n" LUA_EXEC_DIR "\n" PACKAGE_IGNORE "\n");
  lua_setfield(L, -2, "config");
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_setfield(L, -2, "loaded");
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_setfield(L, -2, "preload");
  package_set_require(L);
  return 1;
}
