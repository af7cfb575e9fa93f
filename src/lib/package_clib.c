/* SPDX-License-Identifier: MIT */
/*
** package_clib.c -- libraries written in C
**
** A library is loaded once per state.  The record of those in use is a table
** in the registry: under its name and, in order, under a number.  When the
** state ends they are unloaded, last one first.
*/

#include <string.h>

#include "lib.h"
#include "package_impl.h"

#define CLIB_TABLE "_CLIBS"

/* -- The system ---------------------------------------------------------- */

#if defined(LUA_USE_DLOPEN)

#include <dlfcn.h>

static void system_unload(void *lib) { dlclose(lib); }

/* Pushes a message and returns NULL on failure. */
static void *system_load(lua_State *L, const char *file, bool global) {
  void *lib = dlopen(file, RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  if (luai_unlikely(lib == NULL)) lua_pushstring(L, dlerror());
  return lib;
}

static lua_CFunction system_find(lua_State *L, void *lib, const char *name) {
  union {
    void *data;
    lua_CFunction function;
  } symbol;
  symbol.data = dlsym(lib, name);
  if (luai_unlikely(symbol.data == NULL)) {
    lua_pushstring(L, dlerror());
    return NULL;
  }
  return symbol.function;
}

#define CLIB_MISSING "open"

#else

#define CLIB_MISSING "absent"

static void system_unload(void *lib) { (void)lib; }

static void *system_load(lua_State *L, const char *file, bool global) {
  (void)file;
  (void)global;
  lua_pushliteral(L, "dynamic libraries not enabled; check your Lua "
                     "installation");
  return NULL;
}

static lua_CFunction system_find(lua_State *L, void *lib, const char *name) {
  (void)lib;
  (void)name;
  lua_pushliteral(L, "dynamic libraries not enabled; check your Lua "
                     "installation");
  return NULL;
}

#endif

/* -- The record ---------------------------------------------------------- */

static void *clib_find(lua_State *L, const char *file) {
  lua_getfield(L, LUA_REGISTRYINDEX, CLIB_TABLE);
  lua_getfield(L, -1, file);
  void *lib = lua_touserdata(L, -1);
  lua_pop(L, 2);
  return lib;
}

static void clib_record(lua_State *L, const char *file, void *lib) {
  lua_getfield(L, LUA_REGISTRYINDEX, CLIB_TABLE);
  lua_pushlightuserdata(L, lib);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, file);
  lua_rawseti(L, -2, luaL_len(L, -2) + 1);
  lua_pop(L, 1);
}

static int clib_unload_all(lua_State *L) {
  for (lua_Integer n = luaL_len(L, 1); n >= 1; n--) {
    lua_rawgeti(L, 1, n);
    system_unload(lua_touserdata(L, -1));
    lua_pop(L, 1);
  }
  return 0;
}

void clib_open(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, CLIB_TABLE);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, clib_unload_all);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

/* -- Functions ----------------------------------------------------------- */

/* Pushes the function of that name from a library, or a message. The name
** "*" only loads the library, for others to link with, and pushes true. */
static ClibStatus clib_push_function(lua_State *L, const char *file,
                                     const char *name) {
  void *lib = clib_find(L, file);
  if (lib == NULL) {
    lib = system_load(L, file, *name == '*');
    if (lib == NULL) return CLIB_NO_LIBRARY;
    clib_record(L, file, lib);
  }
  if (*name == '*') {
    lua_pushboolean(L, 1);
    return CLIB_OK;
  }
  const lua_CFunction f = system_find(L, lib, name);
  if (f == NULL) return CLIB_NO_FUNCTION;
  lua_pushcfunction(L, f);
  return CLIB_OK;
}

/* In "name-suffix" the name before the hyphen is tried, then, as older
** versions had it, what comes after it. */
ClibStatus clib_push_opener(lua_State *L, const char *file, const char *name) {
  name = luaL_gsub(L, name, ".", "_");
  const char *mark = strchr(name, *PACKAGE_IGNORE);
  if (mark != NULL) {
    const char *first = lua_pushlstring(L, name, (size_t)(mark - name));
    first = lua_pushfstring(L, "luaopen_%s", first);
    const ClibStatus status = clib_push_function(L, file, first);
    if (status != CLIB_NO_FUNCTION) return status;
    name = mark + 1;
  }
  return clib_push_function(L, file, lua_pushfstring(L, "luaopen_%s", name));
}

int package_loadlib(lua_State *L) {
  const char *file = luaL_checkstring(L, 1);
  const char *name = luaL_checkstring(L, 2);
  const ClibStatus status = clib_push_function(L, file, name);
  if (luai_likely(status == CLIB_OK)) return 1;
  luaL_pushfail(L);
  lua_insert(L, -2);
  lua_pushstring(L, status == CLIB_NO_LIBRARY ? CLIB_MISSING : "init");
  return 3;
}
