/* SPDX-License-Identifier: MIT */
/*
** hook.h -- events for the host's hook function
*/
#ifndef PENUMBRA_VM_HOOK_H
#define PENUMBRA_VM_HOOK_H

#include "object/thread.h"

/* Calls the hook if it may run now.  `first` and `count` describe the values
** that a call or return transfers; 0 for none.  The stack may move. */
void hook_run(lua_State *L, int event, int line, int first, int count);

/* Report that the running frame begins, or that it returns the `count` results
** below the top. */
void hook_call(lua_State *L);
void hook_return(lua_State *L, int count);

/* Reports count and line events before an instruction of the running Lua frame.
** The saved pc is the word after the instruction's first. */
void hook_instruction(lua_State *L);

/* True if the instruction takes all values up to the top. */
bool hook_op_uses_top(Instruction i);

#endif
