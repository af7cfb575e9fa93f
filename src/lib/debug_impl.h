/* SPDX-License-Identifier: MIT */
/*
** debug_impl.h -- what the files of the debug library share
*/

#ifndef PENUMBRA_DEBUG_IMPL_H
#define PENUMBRA_DEBUG_IMPL_H

#include "lua.h"

/* The index of a function's first argument after the thread.  *L1 is the thread
** it works on: the optional first argument, or L itself. */
int debug_first_argument(lua_State *L, lua_State **L1);

/* Ensures that another thread has room for n more values. */
void debug_check_stack(lua_State *L, lua_State *L1, int n);

/* Moves the value on top to another thread, or to the same one. */
static inline void debug_move(lua_State *from, lua_State *to) {
  if (from != to) lua_xmove(from, to, 1);
}

int debug_gethook_framed(lua_State *L); /* debug_hook.c */
int debug_sethook_framed(lua_State *L);

#endif
