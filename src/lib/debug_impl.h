/* SPDX-License-Identifier: MIT */
/*
** debug_impl.h -- what the files of the debug library share
*/

#ifndef PENUMBRA_DEBUG_IMPL_H
#define PENUMBRA_DEBUG_IMPL_H

#include "lua.h"

/* The thread a function works on: its first argument, or else L itself.
** *shift becomes 1 or 0, the number of arguments that took. */
lua_State *debug_thread(lua_State *L, int *shift);

/* Makes sure that another thread has room for n more values. */
void debug_check_stack(lua_State *L, lua_State *L1, int n);

/* Moves the value on top to another thread, which may be the same one. */
static inline void debug_move(lua_State *from, lua_State *to) {
  if (from != to) lua_xmove(from, to, 1);
}

int debug_gethook(lua_State *L); /* debug_hook.c */
int debug_sethook(lua_State *L);

#endif
