/* SPDX-License-Identifier: MIT */
/*
** machine.h -- machine code for hot functions, as the loop sees it
**
** The loop runs everything.  When a function or a loop of the program has been
** executed often, the loop asks for machine code.  From then on it enters that
** code through *doors*, and the code leaves by *exits* for all that it cannot
** do.  Every result is stored in its slot at once, so nothing has to be restored
** at an exit: the loop goes on as if it had executed everything itself.
** docs/machine-code.md explains it.
**
**     machine_begin       a state begins: reads the settings
**     machine_switch      on and off, for a state; machine_allow: for a function
**     machine_count_call  a function was called: may make it a hot one
**     machine_count_jump  a loop of the program jumped back often: the same
**     machine_run         runs the code behind the door of the current
**                         instruction, until an exit
**
** Without PENUMBRA_MACHINE nothing of this exists.
*/
#ifndef PENUMBRA_MACHINE_MACHINE_H
#define PENUMBRA_MACHINE_MACHINE_H

#include "object/thread.h"

#if PENUMBRA_MACHINE

/* Why machine code has ended.  The frame's pc is the next instruction. */
typedef enum MachineExit {
  EXIT_NONE, /* there is no door, nothing has happened */
  EXIT_STEP, /* the loop must execute one instruction */
  EXIT_POLL, /* there is a hook */
  EXIT_FRAME /* a function has returned to a frame that has to be entered */
} MachineExit;

/* -- For the state --------------------------------------------------------- */

void machine_begin(lua_State *L);
void machine_end(Global *g);

/* -- For the API ----------------------------------------------------------- */

/* Why hot functions get no machine code, in words; NULL if they do. */
const char *machine_why_not(const Global *g);

/* Off: frees all code. */
void machine_switch(Global *g, bool on);

/* The same for a function.  Frames of it that wait for a call may still return
** to its code. */
void machine_allow(Proto *p, bool on);

/* The host has set a limit of memory: frees code that is too large for it. */
void machine_fit(Global *g);

typedef struct MachineFigures {
  size_t bytes, code_bytes;          /* in use now */
  uint64_t functions, pieces, drops; /* so far */
  uint64_t exits;
} MachineFigures;
void machine_figures(const Global *g, MachineFigures *out);

/* From now on, notes what a listing shows of functions that become hot. */
void machine_record(Global *g);

/* Lists the machine code of a function. */
typedef void MachineWriter(void *context, const char *text);
void machine_list(const Global *g, const Proto *p, MachineWriter *write,
                  void *context);

/* -- For the debugger ------------------------------------------------------ */

/* Forgets all code: a breakpoint has been set. */
void machine_forget(Global *g);

/* -- For the loop ---------------------------------------------------------- */

/* A Lua function is called the slow way.  Its prototype is told when calls may
** be fast again. */
void machine_count_call(lua_State *L, Proto *p);

/* The running Lua frame has jumped back to `pc`; called now and then. */
void machine_count_jump(lua_State *L, const Instruction *pc);

/* L is the running thread, and its frame that of a Lua function with code. */
MachineExit machine_run(lua_State *L);

static ALWAYS_INLINE bool machine_has_code(const Frame *f) {
  return frame_closure(f)->proto->machine != NULL;
}

/* A debugger has written a slot of the frame: what is known about it at the
** return from its current call is no longer true. */
static inline void machine_slot_written(Frame *f) {
  if (frame_is_lua(f)) f->u.lua.resume = 0;
}

#endif
#endif
