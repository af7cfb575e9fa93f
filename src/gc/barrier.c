/* SPDX-License-Identifier: MIT */
/*
** barrier.c -- the slow paths of the write barrier
**
** The inline check has found that the barrier byte is ARMED, so the object is
** black or white.  The phase decides what happens, through barrier_mode:
**
**   mode      object white             object black
**   OFF       stop watching            stop watching: marks mean nothing now
**   BACK      stop watching            set the object back to gray; if it is
**                                      visited in pieces, mark the value
**   FORWARD   stop watching            mark the value
**   IDLE      nothing                  nothing
**
** Stacks are always set back: one visit covers any number of writes.
*/
#include "gc/gc_impl.h"

static void set_back(Gc *gc, Cell *cell) {
  if (gc->debug.skip & SKIP_BARRIER_BACK) return;
  cell->barrier = BARRIER_LISTED;
  if (!worklist_push(gc, &gc->again, (uintptr_t)cell)) gc->gray_lost = true;
}

static void mark_value(Gc *gc, Cell *to) {
  if (to && !(gc->debug.skip & SKIP_BARRIER_FORWARD)) mark_cell(gc, to);
}

void gc_barrier_back_slow(Gc *gc, Cell *from, Cell *to) {
  if (gc->barrier_mode == BARRIER_IDLE) return;
  if (gc->barrier_mode == BARRIER_OFF || !heap_is_marked(from)) {
    from->barrier = BARRIER_DISARMED;
    return;
  }
  bool stack = (gc_kind(gc, from)->flags & KIND_STACK) != 0;
  bool forward =
      gc->barrier_mode == BARRIER_FORWARD || (from->flags & CELL_IN_PIECES);
  if (!stack && forward)
    mark_value(gc, to);
  else
    set_back(gc, from);
}

void gc_barrier_forward_slow(Gc *gc, Cell *from, Cell *to) {
  if (gc->barrier_mode == BARRIER_IDLE) return;
  if (gc->barrier_mode == BARRIER_OFF || !heap_is_marked(from))
    from->barrier = BARRIER_DISARMED;
  else
    mark_value(gc, to);
}

static bool is_clearing(const Gc *gc) {
  return gc->phase == PHASE_CLEAR_VALUES || gc->phase == PHASE_CLEAR_KEYS;
}

/* A part is not visited by itself, and must live as long as its owner.  So it
** is marked if its owner is. */
void gc_part_replaced(Gc *gc, Cell *owner, Cell *part) {
  if (owner->flags & CELL_SCANNING && !(gc->debug.skip & SKIP_RESTART))
    owner->flags |= CELL_RESTART;
  if (is_clearing(gc) && owner == gc->at.clear.object) gc->at.clear.piece = 0;
  if (!part || gc->barrier_mode == BARRIER_OFF) return;
  if (heap_is_marked(owner) && !(gc->debug.skip & SKIP_PART_BARRIER))
    heap_mark(part);
}

/* -- Stacks ---------------------------------------------------------------- */

/* Marks an unreached stack that was written to.  Its open upvalues may have
** been visited already, with the old values of the slots.  If the stack died,
** nothing would visit the new values.  So a stack written to during marking
** lives until the next cycle. */
static void stack_mark_written(Gc *gc, Cell *cell) {
  if (gc->debug.skip & SKIP_DIRTY_STACKS) return;
  if (gc->phase == PHASE_MARK || gc->phase == PHASE_AGAIN)
    gc_mark_object(gc, cell);
}

void gc_stack_touch_slow(Gc *gc, Cell *stack) {
  if (heap_is_marked(stack))
    gc_barrier_back_slow(gc, stack, NULL);
  else
    stack_mark_written(gc, stack);
}

/* True if the stack can be set back even while barriers are forward.  A few
** stacks between two slices do not delay the end of marking, as long as they
** are less work than a slice. */
static bool stack_may_wait(Gc *gc, Cell *cell) {
  enum { STACKS_WAITING = 4, SLOTS_WAITING = 32 };
  const GcStack *stack = (const GcStack *)cell;
  size_t visited = stack->epoch == gc->epoch ? stack->watermark : 0;
  if (gc->stacks_waiting >= STACKS_WAITING ||
      gc_kind(gc, cell)->stack_top(cell) > visited + SLOTS_WAITING)
    return false;
  gc->stacks_waiting++;
  return true;
}

/* While barriers are forward, a stack is visited at once if one piece is
** enough.  So stacks that take turns do not delay the end of marking. */
void gc_stack_rest_slow(Gc *gc, Cell *cell) {
  if (!heap_is_marked(cell)) {
    stack_mark_written(gc, cell);
    return;
  }
  size_t work = 0;
  if (gc->debug.skip & SKIP_DIRTY_STACKS)
    /* not covered: only in a child of unit/gc/mutation, without counts */
    cell->barrier = BARRIER_ARMED;
  else if (gc->barrier_mode == BARRIER_BACK || stack_may_wait(gc, cell) ||
           !mark_stack_piece(gc, cell, &work))
    set_back(gc, cell);
}

void gc_stack_switch(Gc *gc, Cell *stack) {
  Cell *old = gc->running;
  if (old == stack) return;
  gc->running = stack;
  if (old) gc_stack_rest(gc, old);
  if (!stack) return;
  if (stack->barrier == BARRIER_ARMED) stack->barrier = BARRIER_DISARMED;
  const GcKind *kind = gc_kind(gc, stack);
  GcStack *slots = (GcStack *)stack;
  gc_stack_lower(gc, slots, kind->stack_stable(stack));
  if (kind->stack_watch) kind->stack_watch(stack, slots->watermark);
}
