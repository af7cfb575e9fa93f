/* SPDX-License-Identifier: MIT */
/*
** gclib_impl.h -- what the files of the library `penumbra.gc` share
*/

#ifndef PENUMBRA_GCLIB_IMPL_H
#define PENUMBRA_GCLIB_IMPL_H

#include "lib.h"
#include "penumbra.h"

/* Nanoseconds as microseconds, the unit of all times in the library. */
static inline lua_Number gclib_microseconds(lua_Unsigned nanoseconds) {
  return (lua_Number)nanoseconds / 1000;
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
