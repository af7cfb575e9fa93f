/* SPDX-License-Identifier: MIT */
/*
** collect.h -- where the collector gets its turn, and finalizers theirs
**
** Steps happen only here: at points where all roots are in place.
*/
#ifndef PENUMBRA_VM_COLLECT_H
#define PENUMBRA_VM_COLLECT_H

#include "object/thread.h"

/* Why the collector or finalizers must wait: bits of Global.gc_stopped_by. */
enum CollectStop {
  STOP_FINALIZER = 1,   /* a finalizer is running: no other one begins */
  STOP_CLOSING = 2      /* the state is being closed */
};

/* A step, and then finalizers that are ready.  May run any Lua code, but
** raises nothing; the stack may move. */
NO_INLINE void collect_step(lua_State *L);

/* The step alone: no code runs. */
void collect_step_quietly(lua_State *L);

/* A step and finalizers in a Lua function of which only the slots below
** `live_end` are in use: others may hold old values, which should not be kept
** alive. */
NO_INLINE void collect_step_below(lua_State *L, Value *live_end);

/* The same after a table has grown, every other time: the next instruction that
** makes an object then has its turn.  In a program that allocates in a fixed
** order, all turns would be here otherwise, and no new table a sample
** (room.h). */
NO_INLINE void collect_after_growth(lua_State *L, Value *live_end);

/* For C functions and the API, where L->top is exact. */
static inline void collect_poll(lua_State *L) {
  if (UNLIKELY(gc_step_due(gc_of(L)))) collect_step(L);
}

/* A whole cycle, and all finalizers that are ready then. */
void collect_full(lua_State *L);

/* Calls finalizers: those that are ready, `limit` at most; 0 is all. */
void collect_finalize(lua_State *L, size_t limit);

/* The same, beginning none after gc_clock says `end`; how many were called. */
size_t collect_finalize_until(lua_State *L, size_t limit, uint64_t end);

/* Tells the host if the last major cycle found more live than the target. */
void collect_tell_target(lua_State *L);

/* The most finalizers after a step, for Global.finalizers_per_step of a new
** state.  A step comes with each kilobyte as long as there are any, which is
** room for fewer new objects than that: so all are called in time. */
enum { FINALIZERS_PER_STEP = 64 };

/* -- Warnings -------------------------------------------------------------- */

/* One piece of a warning. */
void warn_emit(lua_State *L, const char *message, bool to_continue);

/* A warning of the error on top of the stack, which is not popped. */
void warn_error(lua_State *L, const char *where);

#endif
