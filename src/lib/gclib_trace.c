/* SPDX-License-Identifier: MIT */
/*
** gclib_trace.c -- the library `penumbra.gc`: the timeline
**
** The file is closed when the trace ends: by gc.trace(), by the next trace, or
** with the state, when the userdata that holds it is finalized.
*/

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gclib_impl.h"

typedef struct TraceFile {
  FILE *file;
} TraceFile;

static const char trace_key = 't';

static int trace_file_write(void *ud, const char *text, size_t size) {
  TraceFile *t = ud;
  return fwrite(text, 1, size, t->file) != size;
}

/* The trace of this library, or NULL. */
static TraceFile *trace_current(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &trace_key);
  TraceFile *t = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return t;
}

/* Ends the trace; true if all of it was written. */
static int trace_finish(lua_State *L) {
  TraceFile *t = trace_current(L);
  if (t == NULL || t->file == NULL) return 1;
  int ok = penumbra_trace(L, NULL, NULL, NULL);
  if (fclose(t->file) != 0) ok = 0;
  t->file = NULL;
  return ok;
}

static int trace_collected(lua_State *L) {
  const TraceFile *t = lua_touserdata(L, 1);
  if (t == trace_current(L)) trace_finish(L);
  return 0;
}

static TraceFile *trace_new(lua_State *L) {
  TraceFile *t = lua_newuserdatauv(L, sizeof *t, 0);
  t->file = NULL;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, trace_collected);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &trace_key);
  return t;
}

/* gc.trace(file) begins to write trace events, gc.trace() stops. */
int gclib_trace(lua_State *L) {
  const char *name = luaL_optstring(L, 1, NULL);
  const int ok = trace_finish(L);
  if (name == NULL) {
    if (ok) lua_pushboolean(L, 1);
    if (!ok) luaL_pushfail(L);
    if (!ok) lua_pushliteral(L, "cannot write the trace");
    return ok ? 1 : 2;
  }
  TraceFile *t = trace_new(L);
  t->file = fopen(name, "w");
  if (t->file == NULL) {
    luaL_pushfail(L);
    lua_pushfstring(L, "%s: %s", name, strerror(errno));
    return 2;
  }
  if (!penumbra_trace(L, trace_file_write, NULL, t))
    return luaL_error(L, "not enough memory");
  lua_pushboolean(L, 1);
  return 1;
}

/* gc.mark(name): marks the beginning of a frame, a request, and so on. */
int gclib_mark(lua_State *L) {
  penumbra_mark(L, luaL_checkstring(L, 1));
  return 0;
}
