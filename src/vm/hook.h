/* SPDX-License-Identifier: MIT */
/*
** hook.h -- events for the host's hook function
*/
#ifndef PENUMBRA_VM_HOOK_H
#define PENUMBRA_VM_HOOK_H

#include "bytecode/bytecode.h"
#include "object/thread.h"

/* Calls the hook if it may run now.  `first` and `count` describe the values
** that a call or return transfers; 0 for none.  The stack may move. */
void hook_run(lua_State *L, int event, int line, int first, int count);

/* Report that the running frame begins, or that it returns the `count` results
** below the top. */
void hook_call(lua_State *L);
void hook_return(lua_State *L, int count);

/* TFORLOOP is part of the call of the iterator before it: no event of its own.
** A return has to call its hook, whatever else happens. */
static ALWAYS_INLINE bool hook_is_silent(Opcode op) {
  return op == OP_TFORLOOP;
}
static ALWAYS_INLINE bool hook_is_return(Opcode op) {
  return opcode_is_return(op);
}
static ALWAYS_INLINE bool hook_is_special(Opcode op) {
  return hook_is_silent(op) || hook_is_return(op);
}

/* Reports count and line events before an instruction of the running Lua frame.
** The saved pc is the word after the instruction's first. */
void hook_instruction(lua_State *L);

/* True if there is no event before the instruction with that opcode.  It counts
** then, so do not call hook_instruction. */
static ALWAYS_INLINE bool hook_passes(lua_State *L, const Frame *f, Opcode op) {
  unsigned mask = L->hook_mask;
  if (mask & HOOK_MASK_LINE || !(f->status & FRAME_ENTERED) ||
      hook_is_special(op))
    return false;
  if (!(mask & HOOK_MASK_COUNT)) return true;
  if (L->hook_count <= 1) return false;
  L->hook_count--;
  return true;
}

/* True if the instruction takes all values up to the top. */
bool hook_op_uses_top(Instruction i);

#endif
