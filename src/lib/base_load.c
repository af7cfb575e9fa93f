/* SPDX-License-Identifier: MIT */
/*
** base_load.c -- load, loadfile, dofile
**
** `load` uses the same reader for a string and for a function.  A string is a
** source whose only piece exists from the start.  A function is called for
** every piece, including the first.
*/

#include "base_impl.h"
#include "lib.h"
#include "values.h"

/* Slots of `load`: its arguments, and the piece that the compiler reads, which
** must not be collected meanwhile. */
enum { LOAD_SOURCE = 1, LOAD_NAME, LOAD_MODE, LOAD_ENV, LOAD_PIECE };

typedef struct PieceReader {
  const char *text; /* the first piece, or NULL */
  size_t size;
  bool more; /* call the function for more pieces */
} PieceReader;

/* Calls the function for a piece and keeps it; NULL at the end. */
static const char *piece_ask(lua_State *L, size_t *size) {
  luaL_checkstack(L, 1, "too many nested functions");
  lua_pushvalue(L, LOAD_SOURCE);
  lua_call(L, 0, 1);
  lua_replace(L, LOAD_PIECE);
  const char *text = lua_tolstring(L, LOAD_PIECE, size);
  if (!text && !lua_isnil(L, LOAD_PIECE))
    luaL_error(L, "reader function must return a string");
  return text;
}

static const char *piece_read(lua_State *L, void *ud, size_t *size) {
  PieceReader *reader = ud;
  if (reader->more) return piece_ask(L, size);
  const char *text = reader->text;
  *size = reader->size;
  reader->text = NULL;
  return text;
}

/* The results of load and loadfile: the chunk on top with the value at `env` as
** its environment, or fail and the message on top. */
static int load_result(lua_State *L, int status, int env) {
  const int chunk = lua_gettop(L);
  if (status != LUA_OK) return values_push(L, "-v", chunk);
  if (env != 0) {
    lua_pushvalue(L, env);
    lua_setupvalue(L, chunk, 1);
  }
  lua_settop(L, chunk); /* pops the value if the chunk has no upvalue */
  return 1;
}

int base_load_framed(lua_State *L) {
  PieceReader reader = {NULL, 0, false};
  const int env = lua_gettop(L) >= LOAD_ENV ? LOAD_ENV : 0;
  const char *mode = luaL_optstring(L, LOAD_MODE, "bt");
  reader.text = lua_tolstring(L, LOAD_SOURCE, &reader.size);
  reader.more = reader.text == NULL;
  const char *name =
      luaL_optstring(L, LOAD_NAME, reader.more ? "=(load)" : reader.text);
  if (reader.more) luaL_checktype(L, LOAD_SOURCE, LUA_TFUNCTION);
  lua_settop(L, LOAD_PIECE);
  return load_result(L, lua_load(L, piece_read, &reader, name, mode), env);
}

int base_loadfile_framed(lua_State *L) {
  const int env = lua_gettop(L) >= 3 ? 3 : 0;
  const char *mode = luaL_optstring(L, 2, NULL);
  const char *name = luaL_optstring(L, 1, NULL);
  return load_result(L, luaL_loadfilex(L, name, mode), env);
}

/* The chunk was at the bottom of the stack, and its results replace it. */
static int dofile_results(lua_State *L, int status, lua_KContext ctx) {
  (void)status, (void)ctx;
  return lua_gettop(L);
}

int base_dofile_framed(lua_State *L) {
  lua_settop(L, 1);
  const int status = luaL_loadfile(L, luaL_optstring(L, 1, NULL));
  lua_replace(L, 1);
  if (status != LUA_OK) return lua_error(L);
  lua_callk(L, 0, LUA_MULTRET, 0, dofile_results);
  return dofile_results(L, LUA_OK, 0);
}
