/* SPDX-License-Identifier: MIT */
/*
** watch.h -- breakpoints, steps and errors, for a debugger
**
** A debugger is one C function for the whole state.  It is called in the middle
** of the program, like a hook, and may look at all threads, change variables
** and call functions.  It must not yield, and not raise errors.  The hooks of
** the program are not touched, and work as without a debugger.
**
** A *breakpoint* is the opcode BREAK, or BREAKX for an instruction of two words,
** in place of the opcode of one instruction.  So breakpoints cost nothing
** elsewhere.  A prototype with breakpoints has a copy of its code without them,
** `plain_code`.  All that reads code reads the copy (proto_code).  The loop and
** its slow paths ask watch_instruction.
**
** A *step* is a bit in the hook mask of a thread, HOOK_STEP.  While it is set,
** the debugger is called before each instruction of that thread.
*/
#ifndef PENUMBRA_VM_WATCH_H
#define PENUMBRA_VM_WATCH_H

#include "bytecode/bytecode.h"
#include "vm/state.h"

/* Sets the debugger; NULL removes it.  Breakpoints stay. */
void watch_set(lua_State *L, WatchFn *watch, void *data);

/* -- Breakpoints ----------------------------------------------------------- */

/* Calls f(context, pc) for each instruction at which a breakpoint for the line
** belongs.  These are the first one of the line, and later ones that begin
** another round of a loop.  With line 0: the first one of the function. */
typedef void WatchPlaceFn(void *context, uint32_t pc);
void watch_each_place(const Proto *p, int line, WatchPlaceFn *f, void *context);

/* The first instruction after the one that the frame is executing. */
uint32_t watch_next_pc(const Frame *f);

/* False if no breakpoint can be at this instruction. */
bool watch_is_place(const Proto *p, uint32_t pc);

/* Adds a breakpoint at such a place.  May raise the memory error. */
void watch_break_at(lua_State *L, Proto *p, uint32_t pc);

/* Removes all breakpoints of the prototype. */
void watch_clear(lua_State *L, Proto *p);

/* -- Threads --------------------------------------------------------------- */

/* May be called from a signal handler. */
static inline void watch_step(lua_State *L, bool on) {
  if (on)
    L->hook_mask |= HOOK_STEP;
  else
    L->hook_mask &= (uint8_t)~HOOK_STEP;
}

/* The thread that resumed L and waits for it; NULL if there is none. */
lua_State *watch_resumer(const lua_State *L);

/* -- For the vm ------------------------------------------------------------ */

/* Calls the debugger. */
void watch_run(lua_State *L, WatchEvent event);

/* The instruction of the frame, under a breakpoint. */
Instruction watch_hidden(const Frame *f);

/* The instruction that the Lua frame executes; its pc is saved. */
static ALWAYS_INLINE Instruction watch_instruction(const Frame *f) {
  Instruction i = f->u.lua.pc[-1];
  return LIKELY(code_op(i) < (Opcode)OPCODE_COUNT) ? i : watch_hidden(f);
}

/* The instruction that it executes next. */
static inline Instruction watch_next(const Frame *f) {
  Frame next = *f;
  next.u.lua.pc++;
  return watch_instruction(&next);
}

#endif
