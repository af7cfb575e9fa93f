/* SPDX-License-Identifier: MIT */
/*
** barrier.c -- the slow paths: a watched object was stored into
**
** The inline check has seen that the gray byte says WATCHED: the object is
** black or white.  What happens depends on the phase, through barrier_mode:
**
**   mode      object white             object black
**   OFF       stop watching            (cannot be told from white; same)
**   BACK      stop watching            set back to gray; marks the value
**                                      instead if it is visited in pieces
**   FORWARD   stop watching            mark the value
**   IDLE      nothing                  nothing
**
** Stacks are always set back: one visit covers any number of writes.
*/
#include "gc/gc_impl.h"

static void set_back(Gc *gc, Cell *cell) {
  if (gc->debug.skip & SKIP_BARRIER_BACK) return;
  cell->gray = GRAY_LISTED;
  if (!worklist_push(gc, &gc->again, (uintptr_t)cell)) gc->gray_lost = true;
}

static void mark_value(Gc *gc, Cell *to) {
  if (to && !(gc->debug.skip & SKIP_BARRIER_FORWARD)) mark_cell(gc, to);
}

void gc_barrier_back_slow(Gc *gc, Cell *from, Cell *to) {
  if (gc->barrier_mode == BARRIER_IDLE) return;
  if (gc->barrier_mode == BARRIER_OFF || !heap_is_marked(from)) {
    from->gray = GRAY_UNWATCHED;
    return;
  }
  bool stack = (gc_kind(gc, from)->flags & KIND_STACK) != 0;
  bool forward = gc->barrier_mode == BARRIER_FORWARD ||
                 (from->flags & CELL_IN_PIECES);
  if (!stack && forward)
    mark_value(gc, to);
  else
    set_back(gc, from);
}

void gc_barrier_forward_slow(Gc *gc, Cell *from, Cell *to) {
  if (gc->barrier_mode == BARRIER_IDLE) return;
  if (gc->barrier_mode == BARRIER_OFF || !heap_is_marked(from))
    from->gray = GRAY_UNWATCHED;
  else
    mark_value(gc, to);
}

static bool is_clearing(const Gc *gc) {
  return gc->phase == PHASE_CLEAR_VALUES || gc->phase == PHASE_CLEAR_KEYS;
}

/* The part is not visited by itself; it must live as long as its owner. */
void gc_part_replaced(Gc *gc, Cell *owner, Cell *part) {
  if (owner->flags & CELL_SCANNING && !(gc->debug.skip & SKIP_RESTART))
    owner->flags |= CELL_RESTART;
  if (is_clearing(gc) && owner == gc->at.clear.object) gc->at.clear.piece = 0;
  if (!part || gc->barrier_mode == BARRIER_OFF) return;
  if (heap_is_marked(owner) && !(gc->debug.skip & SKIP_PART_BARRIER))
    heap_mark(part);
}

/* -- Stacks ---------------------------------------------------------------- */

/* An unreached stack was written.  Its open upvalues may have been visited
** already, with what the slots held then; if the stack dies, nobody else will
** visit what they hold now.  So a stack written while marking goes on lives
** until the next cycle. */
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

/* True if the stack can be set back also while barriers are forward: a few of
** them between two units of work do not keep marking from its end, as long as
** they are less work than a unit. */
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

/* While barriers are forward a stack is visited at once if that is one piece,
** so that the end of marking does not have to wait for stacks that take
** turns. */
void gc_stack_rest_slow(Gc *gc, Cell *cell) {
  if (!heap_is_marked(cell)) {
    stack_mark_written(gc, cell);
    return;
  }
  size_t work = 0;
  if (gc->debug.skip & SKIP_DIRTY_STACKS)
    cell->gray = GRAY_WATCHED;
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
  if (stack->gray == GRAY_WATCHED) stack->gray = GRAY_UNWATCHED;
  const GcKind *kind = gc_kind(gc, stack);
  GcStack *slots = (GcStack *)stack;
  gc_stack_lower(gc, slots, kind->stack_stable(stack));
  if (kind->stack_watch) kind->stack_watch(stack, slots->watermark);
}
