/* SPDX-License-Identifier: MIT */
/*
** state.h -- opening and closing a state
*/
#ifndef PENUMBRA_VM_STATE_H
#define PENUMBRA_VM_STATE_H

#include "object/thread.h"

/* Makes a state that is ready to run, with a registry, a main thread, globals
** and the frame of the host.  NULL if there is no memory. */
lua_State *state_open(lua_Alloc allocate, void *context);

/* Closes pending variables of the main thread, calls all finalizers, and frees
** everything.  L may be any thread of the state. */
void state_close(lua_State *L);

#endif
