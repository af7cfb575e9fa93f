/* SPDX-License-Identifier: MIT */
/*
** state.h -- the beginning and the end of a state
*/
#ifndef PENUMBRA_VM_STATE_H
#define PENUMBRA_VM_STATE_H

#include "object/thread.h"

/* A state ready to run: registry with main thread and globals, host's frame.
** NULL: no memory. */
lua_State *state_open(lua_Alloc allocate, void *context);

/* Closes pending variables of the main thread, runs all finalizers, frees
** everything.  Any thread of the state may be given. */
void state_close(lua_State *L);

#endif
