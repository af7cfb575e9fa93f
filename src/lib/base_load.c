/* SPDX-License-Identifier: MIT */
/*
** base_load.c -- load, loadfile, dofile
*/

#include "lib.h"
#include "base_impl.h"

/* Where the reader keeps its last piece, so that it is not collected while
** the compiler reads it: above the arguments of `load`. */
enum { LOAD_PIECE = 5 };

/* What load and loadfile return: the function, with its environment set if
** the argument at `env` (0: none) was given, or fail and a message. */
static int load_finish(lua_State *L, int status, int env) {
  if (luai_unlikely(status != LUA_OK)) {
    luaL_pushfail(L);
    lua_insert(L, -2);
    return 2;
  }
  if (env != 0) {
    lua_pushvalue(L, env);
    if (lua_setupvalue(L, -2, 1) == NULL)
      lua_pop(L, 1); /* the chunk uses no globals */
  }
  return 1;
}

/* Asks the function at index 1 for the next piece. */
static const char *load_read_piece(lua_State *L, void *ud, size_t *size) {
  (void)ud;
  luaL_checkstack(L, 2, "too many nested functions");
  lua_pushvalue(L, 1);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    *size = 0;
    return NULL;
  }
  if (luai_unlikely(!lua_isstring(L, -1)))
    luaL_error(L, "reader function must return a string");
  lua_replace(L, LOAD_PIECE);
  return lua_tolstring(L, LOAD_PIECE, size);
}

int base_load(lua_State *L) {
  size_t len;
  int status;
  const char *mode = luaL_optstring(L, 3, "bt");
  const int env = lua_isnone(L, 4) ? 0 : 4;
  const char *s = lua_tolstring(L, 1, &len);
  if (s != NULL) {
    const char *name = luaL_optstring(L, 2, s);
    status = luaL_loadbufferx(L, s, len, name, mode);
  } else {
    const char *name = luaL_optstring(L, 2, "=(load)");
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, LOAD_PIECE);
    status = lua_load(L, load_read_piece, NULL, name, mode);
  }
  return load_finish(L, status, env);
}

int base_loadfile(lua_State *L) {
  const char *name = luaL_optstring(L, 1, NULL);
  const char *mode = luaL_optstring(L, 2, NULL);
  const int env = lua_isnone(L, 3) ? 0 : 3;
  return load_finish(L, luaL_loadfilex(L, name, mode), env);
}

/* The results are all that is above the file's name. */
static int dofile_finish(lua_State *L, int status, lua_KContext ctx) {
  (void)status;
  (void)ctx;
  return lua_gettop(L) - 1;
}

int base_dofile(lua_State *L) {
  const char *name = luaL_optstring(L, 1, NULL);
  lua_settop(L, 1);
  if (luai_unlikely(luaL_loadfile(L, name) != LUA_OK)) return lua_error(L);
  lua_callk(L, 0, LUA_MULTRET, 0, dofile_finish);
  return dofile_finish(L, LUA_OK, 0);
}
