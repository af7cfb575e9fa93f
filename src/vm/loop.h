/* SPDX-License-Identifier: MIT */
/*
** loop.h -- the interpreter
*/
#ifndef PENUMBRA_VM_LOOP_H
#define PENUMBRA_VM_LOOP_H

#include "object/thread.h"

/* Executes the running frame, a Lua function, from its saved pc on.  Returns
** when a frame with FRAME_FRESH returns. */
NO_INLINE void loop_run(lua_State *L);

/* A metamethod that an instruction of the running Lua frame called has
** returned; its result is below the top.  Finishes the instruction. */
NO_INLINE void loop_finish(lua_State *L);

/* A call that the current instruction of the running Lua frame made has ended
** after a yield.  Makes the frame ready to continue. */
void loop_resume(lua_State *L);

#endif
