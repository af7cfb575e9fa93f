/* SPDX-License-Identifier: MIT */
/*
** object_impl.h -- what the files of this folder share
*/
#ifndef PENUMBRA_OBJECT_IMPL_H
#define PENUMBRA_OBJECT_IMPL_H

#include "object/thread.h"

/* -- Visits of kinds that have a file of their own ------------------------- */

GcProgress table_scan(Gc *gc, Cell *cell, size_t from);
GcProgress table_walk(Cell *cell, size_t from, GcEdgeFn *edge, void *context);
GcProgress table_clear_values(Gc *gc, Cell *cell, size_t from);
GcProgress table_clear_keys(Gc *gc, Cell *cell, size_t from);
void table_resolve(Gc *gc, Cell *cell, Cell *key);

GcProgress thread_scan(Gc *gc, Cell *cell, size_t from);
GcProgress thread_walk(Cell *cell, size_t from, GcEdgeFn *edge, void *context);
void thread_scan_slots(Gc *gc, Cell *cell, size_t from, size_t to);
void thread_walk_slots(Cell *cell, size_t from, size_t to, GcEdgeFn *edge,
                       void *context);
size_t thread_stack_top(const Cell *cell);
size_t thread_stack_stable(const Cell *cell);
void thread_dying(Gc *gc, Cell *cell);

/* Closes some open upvalues of dead threads.  Returns the work done, 0 at the
** end. */
size_t threads_close_some(Global *g);

/* Closes up to `limit` of the highest open upvalues.  Returns their number. */
size_t upvalue_close_some(lua_State *L, size_t limit);

/* The whole object was visited at once. */
static ALWAYS_INLINE GcProgress progress_done(size_t work) {
  GcProgress p = {GC_DONE, (uint32_t)(work + 1), WEAK_NONE};
  return p;
}

/* The end of a piece that starts at `at`, out of `count` references. */
static ALWAYS_INLINE size_t piece_end(size_t at, size_t count) {
  return count - at <= GC_PIECE ? count : at + GC_PIECE;
}

/* -- Anchoring ------------------------------------------------------------- */

/* Puts an object into the first free slot and makes it part of the live stack.
** There are always STACK_EXTRA such slots. */
static inline void anchor_push(lua_State *L, void *cell, unsigned tag) {
  L->top = stack_live_top(L);
  value_set_cell(L->top, cell, tag);
  L->top++;
}

/* -- Metatables ------------------------------------------------------------ */

/* Call after the object got that metatable.  Tells the collector if it has
** __gc. */
void object_check_finalizer(lua_State *L, Cell *cell, Table *metatable);

/* -- Threads --------------------------------------------------------------- */

/* True if stack or frames are in the thread's own cell. */
static inline bool thread_contains(const lua_State *L, const void *vector) {
  return (uintptr_t)vector - (uintptr_t)thread_of(L) < sizeof(Thread);
}
static inline bool thread_stack_is_inline(const lua_State *L) {
  return thread_contains(L, L->stack);
}
static inline bool thread_frames_are_inline(const lua_State *L) {
  return thread_contains(L, L->frames);
}

/* The main thread of a new state, or NULL if there is no memory. */
lua_State *thread_create_main(Global *g);

#endif
