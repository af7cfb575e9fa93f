/* SPDX-License-Identifier: MIT */
/*
** collect.h -- steps of the collector, and finalizers
**
** The collector steps only here, at safepoints: all roots are in place.
*/
#ifndef PENUMBRA_VM_COLLECT_H
#define PENUMBRA_VM_COLLECT_H

#include "object/thread.h"

/* Why no finalizer may start, and why lua_gc refuses to work: bits of
** VmState.gc_stopped_by. */
enum CollectStop {
  STOP_FINALIZER = 1, /* a finalizer is running */
  STOP_CLOSING = 2    /* the state is being closed */
};

/* Runs a step, and then finalizers that are ready.  May run any Lua code, but
** raises no error.  The stack may move. */
NO_INLINE void collect_step(lua_State *L);

/* Runs a step without finalizers, so no Lua code runs. */
void collect_step_quietly(lua_State *L);

/* Runs a step and finalizers in a Lua function that uses only the slots below
** `live_end`.  The slots above may hold old values, which should not be kept
** alive. */
NO_INLINE void collect_step_below(lua_State *L, Value *live_end);

/* Like collect_step_below, after a table has grown, but only every second time.
** The other times, the next instruction that makes an object runs the step.
** Otherwise, in a program that allocates in a fixed order, all steps could
** happen here, and no new table would become a sample (presize.h). */
NO_INLINE void collect_after_growth(lua_State *L, Value *live_end);

/* For C functions and the API, where L->top is exact. */
static inline void collect_poll(lua_State *L) {
  if (UNLIKELY(gc_step_due(gc_of(L)))) collect_step(L);
}

/* Runs a whole cycle, and then all finalizers that are ready. */
void collect_full(lua_State *L);

/* Calls at most `limit` finalizers that are ready; 0 means all. */
void collect_finalize(lua_State *L, size_t limit);

/* Like collect_finalize, but starts none after gc_clock reaches `end`
** (UINT64_MAX: no limit).  Returns the number of calls. */
size_t collect_finalize_until(lua_State *L, size_t limit, uint64_t end);

/* Tells the host if the last major cycle found more live bytes than the
** target. */
void collect_tell_target(lua_State *L);

/* The initial VmState.finalizers_per_step: the most finalizers after one step.
** While finalizers are pending, there is a step for each allocated kilobyte.  A
** kilobyte has room for fewer new objects than that, so the finalizers keep
** up. */
enum { FINALIZERS_PER_STEP = 64 };

/* -- Warnings -------------------------------------------------------------- */

/* Emits one piece of a warning. */
void warn_emit(lua_State *L, const char *message, bool to_continue);

/* Warns of the error on top of the stack, and leaves it there. */
void warn_error(lua_State *L, const char *where);

#endif
