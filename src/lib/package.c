/* SPDX-License-Identifier: MIT */
/*
** package.c -- the package library, and require
**
** require calls the functions of package.searchers, in order, for a loader:
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

#include "declare.h"
#include "lib.h"
#include "lualib.h"
#include "package_impl.h"
#include "system.h"
#include "values.h"

/* The upvalues of the searchers and of require: the package table, and for a
** searcher the number of its row. */
#define PACKAGE_TABLE lua_upvalueindex(1)
#define PACKAGE_ROW   lua_upvalueindex(2)

/* -- Paths --------------------------------------------------------------- */

/* The environment variables of the paths; a variable of this version comes
** first. */
static const struct Path {
  const char *field, *versioned, *variable, *standard;
} package_paths[] = {
    {"path", "LUA_PATH" LUA_VERSUFFIX, "LUA_PATH", LUA_PATH_DEFAULT},
    {"cpath", "LUA_CPATH" LUA_VERSUFFIX, "LUA_CPATH", LUA_CPATH_DEFAULT},
};

/* Pushes the path from the environment, with its first ";;" replaced by the
** standard path.  No separator is added at either end of the result. */
static void path_push_expanded(lua_State *L, const char *wish,
                               const char *standard) {
  const char *mark = strstr(wish, LUA_PATH_SEP LUA_PATH_SEP);
  if (!mark) {
    lua_pushstring(L, wish);
    return;
  }
  const char *rest = mark + 2;
  lua_pushlstring(L, wish, (size_t)(mark - wish));
  lua_pushfstring(L, "%s%s%s%s%s", lua_tostring(L, -1),
                  mark > wish ? LUA_PATH_SEP : "", standard,
                  *rest != '\0' ? LUA_PATH_SEP : "", rest);
  lua_replace(L, -2);
}

/* Sets the paths of the package table on top. */
static void package_set_paths(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
  const bool ignore = lua_toboolean(L, -1);
  lua_pop(L, 1);
  for (size_t i = 0; i < sizeof(package_paths) / sizeof(*package_paths); i++) {
    const struct Path *path = &package_paths[i];
    const char *wish = getenv(path->versioned);
    if (!wish) wish = getenv(path->variable);
    path_push_expanded(L, !wish || ignore ? path->standard : wish,
                       path->standard);
    system_expand_path(L);
    lua_setfield(L, -2, path->field);
  }
}

static bool path_is_readable(const char *name) {
  FILE *f = fopen(name, "r");
  if (!f) return false;
  fclose(f);
  return true;
}

/* Searches for a name along a path.  Pushes the file's name and returns true,
** or pushes the list of files tried and returns false. */
static bool path_search(lua_State *L, const char *name, const char *path,
                        const char *sep, const char *rep) {
  luaL_Buffer failures;
  if (*sep != '\0') name = luaL_gsub(L, name, sep, rep);
  const char *files = luaL_gsub(L, path, LUA_PATH_MARK, name);
  luaL_buffinit(L, &failures);
  for (const char *prefix = "no file '";; prefix = "\n\tno file '") {
    const size_t length = strcspn(files, LUA_PATH_SEP);
    luaL_addstring(&failures, prefix);
    if (path_is_readable(lua_pushlstring(L, files, length))) return true;
    luaL_addvalue(&failures);
    luaL_addchar(&failures, '\'');
    if (files[length] == '\0') break;
    files += length + 1;
  }
  luaL_pushresult(&failures);
  return false;
}

static int package_searchpath_framed(lua_State *L) {
  const char *name = lua_tostring(L, 1);
  const char *path = lua_tostring(L, 2);
  const char *sep = luaL_optstring(L, 3, ".");
  const char *rep = luaL_optstring(L, 4, LUA_DIRSEP);
  const bool found = path_search(L, name, path, sep, rep);
  return found ? 1 : values_push(L, "-v", lua_gettop(L));
}

/* -- Searchers ----------------------------------------------------------- */

/* Each returns the number of values it pushed: a message why it found nothing,
** or a loader and a second argument for it. */

static int search_preload(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  if (lua_getfield(L, -1, name) != LUA_TNIL)
    return 1 + values_push(L, "s", ":preload:");
  lua_pushfstring(L, "no field package.preload['%s']", name);
  return 1;
}

static ClibStatus search_open_lua(lua_State *L, const char *file,
                                  const char *name) {
  (void)name;
  return luaL_loadfile(L, file) == LUA_OK ? CLIB_OK : CLIB_NO_LIBRARY;
}

/* The searchers that look for files.  `open` pushes a loader or a message. */
static const struct Searcher {
  const char *field; /* the path it uses */
  bool root;         /* searches for the first part of a name only */
  ClibStatus (*open)(lua_State *L, const char *file, const char *name);
} search_rows[] = {
    {"path", false, search_open_lua},
    {"cpath", false, clib_push_opener},
    {"cpath", true, clib_push_opener},
};

/* The part of a name that the searcher looks for.  NULL if a root searcher gets
** a name without a dot: another searcher has already looked for it. */
static const char *search_subject(lua_State *L, const struct Searcher *s,
                                  const char *name) {
  const size_t length = strcspn(name, ".");
  if (!s->root) return name;
  return name[length] != '\0' ? lua_pushlstring(L, name, length) : NULL;
}

static int search_file(lua_State *L) {
  const struct Searcher *s = &search_rows[lua_tointeger(L, PACKAGE_ROW)];
  const char *name = luaL_checkstring(L, 1);
  const char *subject = search_subject(L, s, name);
  if (!subject) return 0;
  lua_getfield(L, PACKAGE_TABLE, s->field);
  const char *path = lua_tostring(L, -1);
  if (!path) luaL_error(L, "'package.%s' must be a string", s->field);
  if (!path_search(L, subject, path, ".", LUA_DIRSEP)) return 1;
  const char *file = lua_tostring(L, -1);
  const ClibStatus status = s->open(L, file, name);
  if (status == CLIB_OK) return 1 + values_push(L, "s", file);
  if (status == CLIB_NO_LIBRARY || !s->root)
    return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s",
                      name, file, lua_tostring(L, -1));
  lua_pushfstring(L, "no module '%s' in file '%s'", name, file);
  return 1;
}

/* -- require ------------------------------------------------------------- */

#define REQUIRE_PREFIX "\n\t" /* of each message */

/* Calls the searcher on top, which is above the buffer's slot.  True with
** loader and data in its place.  Otherwise false, with its message and the
** prefix of the next message added to the buffer. */
static bool require_ask(lua_State *L, luaL_Buffer *messages, const char *name) {
  lua_pushstring(L, name);
  lua_call(L, 1, 2);
  if (lua_isfunction(L, -2)) return true;
  if (lua_isstring(L, -2)) {
    lua_pop(L, 1);
    luaL_addvalue(messages);
    luaL_addstring(messages, REQUIRE_PREFIX);
  } else {
    lua_pop(L, 2); /* no message */
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
      luaL_buffsub(&messages, strlen(REQUIRE_PREFIX)); /* the last prefix */
      luaL_pushresult(&messages);
      luaL_error(L, "module '%s' not found:%s", name, lua_tostring(L, -1));
    }
    if (require_ask(L, &messages, name)) return;
  }
}

/* Stack slots of require. */
enum { REQUIRE_NAME = 1, REQUIRE_LOADED, REQUIRE_FIRST };

/* Pushes the value of package.loaded for the name; true if it is a module. */
static bool require_is_loaded(lua_State *L, const char *name) {
  lua_getfield(L, REQUIRE_LOADED, name);
  return lua_toboolean(L, -1);
}

/* Runs the loader at REQUIRE_FIRST with the data above it, and stores its
** result in package.loaded.  If it returns nil, a value that the loader itself
** has stored stays.  If there is none either, the value is true.  Pushes the
** module. */
static void require_run(lua_State *L, const char *name) {
  const int result = lua_gettop(L) + 1;
  values_push(L, "vvv", REQUIRE_FIRST, REQUIRE_NAME, REQUIRE_FIRST + 1);
  lua_call(L, 2, 1);
  if (!lua_isnil(L, result)) values_keep(L, REQUIRE_LOADED, name);
  if (lua_getfield(L, REQUIRE_LOADED, name) != LUA_TNIL) return;
  values_push(L, "b", 1);
  values_keep(L, REQUIRE_LOADED, name);
}

static int global_require_framed(lua_State *L) {
  const char *name = lua_tostring(L, REQUIRE_NAME);
  lua_settop(L, REQUIRE_NAME);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (require_is_loaded(L, name)) return 1;
  require_find(L, name);
  lua_copy(L, -2, REQUIRE_FIRST);
  lua_copy(L, -1, REQUIRE_FIRST + 1);
  lua_settop(L, REQUIRE_FIRST + 1);
  require_run(L, name);
  return values_push(L, "vv", -1, REQUIRE_FIRST + 1);
}

/* -- Opening ------------------------------------------------------------- */

#define PACKAGE_NATIVES(RUN, BOTH, SPLIT, FRAMED)                             \
  FRAMED(package, loadlib, STRING(libname), STRING(funcname))                 \
  FRAMED(package, searchpath, STRING(name), STRING(path), MAYBE(STRING, sep), \
         MAYBE(STRING, rep))

NATIVE_LIBRARY(package, "package.", PACKAGE_NATIVES)

/* A closure, because it needs the table of the library. */
#define GLOBAL_NATIVES(RUN, BOTH, SPLIT, FRAMED) \
  FRAMED(global, require, STRING(modname))

NATIVE_LIBRARY(global, "", GLOBAL_NATIVES)

/* The package table is on top.  Adds the searchers in the order of require. */
static void package_set_searchers(lua_State *L) {
  const int package = lua_gettop(L);
  const int rows = (int)(sizeof(search_rows) / sizeof(search_rows[0]));
  lua_createtable(L, rows + 1, 0);
  lua_pushvalue(L, package);
  lua_pushcclosure(L, search_preload, 1);
  lua_rawseti(L, package + 1, 1);
  for (int row = 0; row < rows; row++) {
    lua_pushcclosure(L, search_file, values_push(L, "vi", package, row));
    lua_rawseti(L, package + 1, row + 2);
  }
  lua_setfield(L, package, "searchers");
}

LUAMOD_API int luaopen_package(lua_State *L) {
  static const char *const shared[][2] = {
      {"loaded", LUA_LOADED_TABLE},
      {"preload", LUA_PRELOAD_TABLE},
  };
  clib_open(L);
  lua_createtable(L, 0, package_count + 6);
  native_open(L, package_natives);
  package_set_searchers(L);
  package_set_paths(L);
  lua_pushliteral(L, LUA_DIRSEP "\n" LUA_PATH_SEP "\n" LUA_PATH_MARK
                                "\n" LUA_EXEC_DIR "\n" PACKAGE_IGNORE "\n");
  lua_setfield(L, -2, "config");
  for (int i = 0; i < 2; i++) {
    luaL_getsubtable(L, LUA_REGISTRYINDEX, shared[i][1]);
    lua_setfield(L, -2, shared[i][0]);
  }
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, global_require_c, 1);
  lua_setglobal(L, "require");
  return 1;
}
