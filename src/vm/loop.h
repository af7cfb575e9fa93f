/* SPDX-License-Identifier: MIT */
/*
** loop.h -- the interpreter
*/
#ifndef PENUMBRA_VM_LOOP_H
#define PENUMBRA_VM_LOOP_H

#include "object/thread.h"

/* Runs the running frame, a Lua function, from its saved pc on, until a frame
** with FRAME_FRESH returns. */
NO_INLINE void loop_run(lua_State *L);

/* A metamethod called for an instruction of the running Lua frame has returned;
** its result is below the top.  Does what is left of the instruction. */
NO_INLINE void loop_finish(lua_State *L);

/* A call that the current instruction of the running Lua frame made has ended
** after a yield: makes the frame ready to go on. */
void loop_resume(lua_State *L);

#endif
