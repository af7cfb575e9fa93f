/* SPDX-License-Identifier: MIT */
/*
** gclib_impl.h -- what the files of the library `penumbra.gc` share
*/

#ifndef PENUMBRA_GCLIB_IMPL_H
#define PENUMBRA_GCLIB_IMPL_H

#include "lib.h"

/* A size.  Larger numbers become the largest size. */
static inline size_t gclib_size(lua_Unsigned n) {
  return n > (size_t)-1 ? (size_t)-1 : (size_t)n;
}

/* Sets a field of the table on top. */
static inline void gclib_set(lua_State *L, const char *name, lua_Unsigned n) {
  lua_pushinteger(L, (lua_Integer)n);
  lua_setfield(L, -2, name);
}

/* Like gclib_set, for a time.  All times in the library are in microseconds. */
static inline void gclib_set_time(lua_State *L, const char *name,
                                  lua_Unsigned nanoseconds) {
  lua_pushnumber(L, (lua_Number)nanoseconds / 1000);
  lua_setfield(L, -2, name);
}

/* Sets a key of the registry to false.  The key exists then, so a value can be
** stored without memory. */
static inline void gclib_clear(lua_State *L, const void *key) {
  lua_pushboolean(L, 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

/* Clears the key if it is not there yet. */
static inline void gclib_reserve(lua_State *L, const void *key) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, key) == LUA_TNIL) gclib_clear(L, key);
  lua_pop(L, 1);
}

/* -- gclib_events.c ------------------------------------------------------ */

int gclib_events(lua_State *L);
int gclib_poll(lua_State *L);
int gclib_listen(lua_State *L);

/* -- gclib_snapshot.c ---------------------------------------------------- */

int gclib_snapshot(lua_State *L);

/* -- gclib_census.c ------------------------------------------------------ */

int gclib_census(lua_State *L);
int gclib_diff(lua_State *L);

/* -- gclib_trace.c ------------------------------------------------------- */

int gclib_mark(lua_State *L);
int gclib_trace(lua_State *L);

/* -- gclib_leaks.c ------------------------------------------------------- */

int gclib_leaks(lua_State *L);

/* -- gclib_report.c ------------------------------------------------------ */

int gclib_report(lua_State *L);

/* -- gclib_why.c --------------------------------------------------------- */

int gclib_why(lua_State *L);

#endif
