/* SPDX-License-Identifier: MIT */
/*
** gclib_trace.c -- the library `penumbra.gc`: the timeline
**
** penumbra_tracefile writes and closes the file.  The registry tells whether a
** trace that gc.trace has begun is under way: gc.trace() does not end others.
*/

#include <errno.h>
#include <string.h>

#include "gclib_impl.h"

static const char trace_key = 't';

static void trace_note(lua_State *L, int under_way) {
  lua_pushboolean(L, under_way);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &trace_key);
}

/* Ends the trace; true if all of it was written. */
static int trace_finish(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &trace_key);
  const int under_way = lua_toboolean(L, -1);
  lua_pop(L, 1);
  trace_note(L, 0);
  return !under_way || penumbra_trace(L, NULL, NULL, NULL);
}

/* gc.trace(file) begins to write trace events, gc.trace() stops. */
int gclib_trace(lua_State *L) {
  const char *name = luaL_optstring(L, 1, NULL);
  int ok = trace_finish(L);
  if (name) {
    ok = penumbra_tracefile(L, name, NULL, NULL);
    if (ok) trace_note(L, 1);
  }
  if (ok) {
    lua_pushboolean(L, 1);
    return 1;
  }
  luaL_pushfail(L);
  if (name)
    lua_pushfstring(L, "%s: %s", name, strerror(errno));
  else
    lua_pushliteral(L, "cannot write the trace");
  return 2;
}

/* gc.mark(name): marks the beginning of a frame, a request, and so on. */
int gclib_mark(lua_State *L) {
  penumbra_tracemark(L, luaL_checkstring(L, 1));
  return 0;
}
