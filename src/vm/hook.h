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
/* Also for a breakpoint, which may be in place of one of these. */
static ALWAYS_INLINE bool hook_is_special(Opcode op) {
  return hook_is_silent(op) || hook_is_return(op) || op >= (Opcode)OPCODE_COUNT;
}

/* Reports count and line events before an instruction of the running Lua frame.
** The saved pc is the word after the instruction's first. */
void hook_instruction(lua_State *L);

/* Reports the instruction to a debugger that steps. */
void hook_step(lua_State *L);

/* True if there is no event before the instruction with that opcode.  It counts
** then, so do not call hook_instruction. */
static ALWAYS_INLINE bool hook_passes(lua_State *L, const Frame *f, Opcode op) {
  unsigned mask = L->hook_mask;
  if (mask & (HOOK_MASK_LINE | HOOK_STEP) || !(f->status & FRAME_ENTERED) ||
      hook_is_special(op))
    return false;
  if (!(mask & HOOK_MASK_COUNT)) return true;
  if (L->hook_count <= 1) return false;
  L->hook_count--;
  return true;
}

/* What needs a slow path for every call. */
static ALWAYS_INLINE bool hook_sees_calls(const lua_State *L) {
  return (L->hook_mask & ~HOOK_MASK_COUNT) != 0;
}

enum { HOOK_NEAR = 16 }; /* instructions */

/* True if the only hook is a count hook, and the next event is some instructions
** away.  They need not be looked at one by one.  For a hook that comes often
** that would not be worth it, and it would not be exact enough.  Not inlined:
** the loop would load the mask earlier, where that costs something. */
NO_INLINE bool hook_is_far(const lua_State *L);

/* The end of that. */
static ALWAYS_INLINE bool hook_is_near(const lua_State *L) {
  return L->hook_mask != HOOK_MASK_COUNT || L->hook_count < HOOK_NEAR;
}

/* True if the instruction takes all values up to the top. */
bool hook_op_uses_top(Instruction i);

#endif
