/* SPDX-License-Identifier: MIT */
/*
** thread_gc.c -- what the collector does with threads
*/
#include "object/object_impl.h"

/* No frame needs more registers than this above the function of the frame above
** it.  So clearing this many slots clears all that a frame may see again. */
enum { CLEAR_ABOVE_TOP = 320 };
static_assert(CLEAR_ABOVE_TOP > 256 + STACK_EXTRA, "registers of one frame");

/* -- References ------------------------------------------------------------ */

static ALWAYS_INLINE GcProgress thread_edges(Thread *t, size_t from,
                                             GcEdgeFn *edge, void *context) {
  lua_State *L = &t->state;
  (void)from;
  if (!thread_stack_is_inline(L))
    edge_to(vector_cell(L->stack), EDGE_PART, LABEL_STACK, edge, context);
  if (!thread_frames_are_inline(L))
    edge_to(vector_cell(L->frames), EDGE_PART, LABEL_FRAMES, edge, context);
  edge_if(vector_cell(L->closables), EDGE_PART, LABEL_CLOSABLES, edge, context);
  edge_if(L->open_upvalues, EDGE_STRONG, LABEL_OPEN_UPVALUE, edge, context);
  /* These two are set while this thread runs: no barrier needed. */
  if (L->resumer)
    edge_to(thread_of(L->resumer), EDGE_STRONG, LABEL_RESUMER, edge, context);
  if (L->paused_in)
    edge_to(thread_of(L->paused_in), EDGE_STRONG, LABEL_PAUSED_IN, edge,
            context);
  return progress_done(6);
}

static ALWAYS_INLINE void thread_slot_edges(Thread *t, size_t from, size_t to,
                                            GcEdgeFn *edge, void *context) {
  const Value *stack = t->state.stack;
  for (size_t i = from; i < to; i++)
    value_edge(&stack[i], LABEL_SLOT, edge, context);
}

/* In a step of the collector, there are no pointers into the stack of a thread
** that does not run, and the stack may have been deep once.  This does not hold
** when the program makes the visit, in a switch of threads, or in an
** emergency. */
static bool may_shrink(const Gc *gc, const Cell *cell) {
  return gc->inside && !gc->emergency && cell != gc->running;
}

GcProgress thread_scan(Gc *gc, Cell *cell, size_t from) {
  Thread *t = (Thread *)(void *)cell;
  size_t shrunk = 0;
  if (may_shrink(gc, cell)) {
    if (PENUMBRA_STRESS) stack_move(&t->state);
    shrunk = stack_shrink_some(&t->state);
  }
  GcProgress progress = thread_edges(t, from, gc_mark_edge, gc);
  progress.work += (uint32_t)shrunk;
  return progress;
}

GcProgress thread_walk(Cell *cell, size_t from, GcEdgeFn *edge, void *context) {
  return thread_edges((Thread *)(void *)cell, from, edge, context);
}

void thread_walk_slots(Cell *cell, size_t from, size_t to, GcEdgeFn *edge,
                       void *context) {
  thread_slot_edges((Thread *)(void *)cell, from, to, edge, context);
}

/* Clears old values above the top, which may be about to die.  So a new frame
** never finds dangling values in its registers.  See thread.h. */
static void clear_above_top(lua_State *L) {
  Value *top = stack_live_top(L);
  if (L->limit - top > CLEAR_ABOVE_TOP) L->limit = top + CLEAR_ABOVE_TOP;
  for (Value *v = top; v < L->limit; v++) value_set_nil(v);
}

void thread_scan_slots(Gc *gc, Cell *cell, size_t from, size_t to) {
  Thread *t = (Thread *)(void *)cell;
  thread_slot_edges(t, from, to, gc_mark_edge, gc);
  if (to == thread_stack_top(cell)) clear_above_top(&t->state);
}

/* -- Which slots ----------------------------------------------------------- */

size_t thread_stack_top(const Cell *cell) {
  const lua_State *L = &((const Thread *)(const void *)cell)->state;
  return (size_t)(stack_live_top(L) - L->stack);
}

/* Slots of a C function can be visited while it runs, because its writes lower
** the watermark.  That pays if there are many slots, and only in the phase with
** forward barriers: the function may pop and push all of them at any time. */
static bool frame_in_pieces(const lua_State *L) {
  enum { MANY = PENUMBRA_STRESS ? 2 : 512 };
  const Frame *f = L->frame;
  return (f->status & (FRAME_C | FRAME_HOOKED)) == FRAME_C &&
         L->top - f->func > MANY && gc_of(L)->phase == PHASE_AGAIN;
}

size_t thread_stack_stable(const Cell *cell) {
  const lua_State *L = &((const Thread *)(const void *)cell)->state;
  const Value *stable = frame_in_pieces(L) ? L->top : L->frame->func;
  return (size_t)(stable - L->stack);
}

/* Watches the lowest frame that begins at or above the watermark: leaving it
** uncovers slots below. */
void thread_stack_watch(Cell *cell, size_t watermark) {
  lua_State *L = &((Thread *)(void *)cell)->state;
  const Value *mark = L->stack + watermark;
  if (watermark == 0) return;
  if (L->frame->func < mark) { /* within the last frame */
    if (gc_of(L)->running == cell) L->frame->status |= FRAME_WATCH;
    return;
  }
  if (L->frame == L->frames || L->frame[-1].func < mark) {
    L->frame->status |= FRAME_WATCH; /* common when threads take turns */
    return;
  }
  Frame *low = L->frames, *high = L->frame + 1;
  while (low < high) {
    Frame *middle = low + (high - low) / 2;
    if (middle->func >= mark)
      high = middle;
    else
      low = middle + 1;
  }
  if (low <= L->frame) low->status |= FRAME_WATCH;
}

void thread_rest(lua_State *L) {
  if (!thread_rests_unseen(L)) gc_stack_rest(gc_of(L), thread_cell(L));
}

/* -- The end --------------------------------------------------------------- */

/* This thread will never run again, but closures may share its variables.
** There may be very many of them, so they are closed in pieces before the
** sweep.  A dead thread returns to no resumer, so that field links the
** list. */
void thread_dying(Gc *gc, Cell *cell) {
  lua_State *L = &((Thread *)(void *)cell)->state;
  (void)gc;
  L->resumer = L->global->dying;
  L->global->dying = L;
}

size_t threads_close_some(Global *g) {
  enum { PIECE = 128, PRICE_UPVALUE = 4, PRICE_THREAD = 4 };
  size_t work = 0, count = 0;
  while (g->dying && count < PIECE) {
    lua_State *L = g->dying;
    count += upvalue_close_some(L, PIECE - count);
    work += PRICE_THREAD;
    if (L->open_upvalues) break;
    g->dying = L->resumer;
    L->resumer = NULL;
  }
  return work + count * PRICE_UPVALUE;
}
