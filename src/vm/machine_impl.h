/* SPDX-License-Identifier: MIT */
/*
** machine_impl.h -- where the vm meets machine code
**
** All of these are empty without PENUMBRA_MACHINE, and those of the loop in the
** loop that counts: a program with a budget is interpreted.
*/
#ifndef PENUMBRA_VM_MACHINE_IMPL_H
#define PENUMBRA_VM_MACHINE_IMPL_H

#include "machine/machine.h"
#include "vm/native.h"

#if PENUMBRA_MACHINE

/* slow_flow.c: see Global. */
int slow_for_step(lua_State *L, Value *ra, unsigned wanted);
uint64_t slow_make(lua_State *L, Instruction *pc);

#define BEGIN_MACHINE(L)                   \
  do {                                     \
    machine_begin(L);                      \
    (L)->global->for_step = slow_for_step; \
    (L)->global->make = slow_make;         \
  } while (0)
/* Machine code calls a function of a library, and cannot be left now. */
#define IN_MACHINE_CALL(L)   ((L)->global->machine_calls)
#define END_MACHINE(g)       machine_end(g)
#define NOTE_SLOT_WRITTEN(f) machine_slot_written(f)
#define NOTE_BREAKPOINT(L)   machine_forget((L)->global)

/* A slow call of a Lua function from the running frame. */
#define COUNT_CALL(L, p)                                              \
  do {                                                                \
    if ((p)->enter_size != (p)->frame_size) machine_count_call(L, p); \
    if (frame_is_lua((L)->frame)) (L)->frame->u.lua.resume = 0;       \
  } while (0)

/* In the loop: what a fast call needs room for; a call by the loop returns to the
** loop; a frame that may have code; a jump back. */
#define ENTER_SIZE(p) (LOOP_COUNTS ? (p)->frame_size : (p)->enter_size)
#define FORGET_CODE() ((void)(frame->u.lua.resume = 0))
#define SEEK_CODE()                                                         \
  do {                                                                      \
    if (!LOOP_COUNTS && UNLIKELY(machine_has_code(frame))) goto enter_code; \
  } while (0)
#define COUNT_JUMP()                                                   \
  do {                                                                 \
    if (!LOOP_COUNTS && UNLIKELY(--L->global->machine_countdown <= 0)) \
      goto count_jump;                                                 \
  } while (0)

#else

#define BEGIN_MACHINE(L)     ((void)0)
#define IN_MACHINE_CALL(L)   false
#define END_MACHINE(g)       ((void)0)
#define NOTE_SLOT_WRITTEN(f) ((void)0)
#define NOTE_BREAKPOINT(L)   ((void)0)
#define COUNT_CALL(L, p)     ((void)0)
#define ENTER_SIZE(p)        ((p)->frame_size)
#define FORGET_CODE()        ((void)0)
#define SEEK_CODE()          ((void)0)
#define COUNT_JUMP()         ((void)0)

#endif
#endif
