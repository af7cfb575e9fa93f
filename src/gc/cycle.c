/* SPDX-License-Identifier: MIT */
/*
** cycle.c -- the phases of a collection
**
** The only file that assigns gc->phase.
**
**   inspect
**      | ^
**      v |
**      pause --> mark --> again ==> clear --> separate --> resurrect --+
**       | ^       ^ |      ^ |      values                             |
**       | |       +-+      +-+                                         v
**       v |                                      dying <-- clear keys
**     unmark                                       |
**       +-----------> mark                         v
**         +------------------- sweep <------- sweep set
**
**   from       to         by                  what holds then
**   pause      inspect    pause_slice         all live objects have been seen
**   inspect    pause      inspect_slice       all live objects are written
**   pause      unmark     pause_slice         old marks are to be dropped
**   pause      mark       enter_mark          roots gray, all else white (in a
**   unmark     mark       enter_mark            minor cycle, old objects black)
**   mark       again      mark_slice          few gray left; barriers forward
**   again      clear v.   again_atomic        unmarked means dead    [G1 G4 G5]
**   clear v.   separate   clear_values_slice  no dead value in a weak object
**   separate   resurrect  separate_slice      dead finalizable objects queued
**   resurrect  clear k.   resurrect_slice     all they refer to marked    [G1]
**   clear k.   dying      clear_keys_slice    no dead key in a weak object
**   dying      sweep set  dying_slice         hooks of dead objects called
**   sweep set  sweep      sweep_set_slice     no dead member in the set; no
**                                               live object borrows from a dead
**                                               stack
**   sweep      pause      sweep_slice         dead cells are free       [G3]
**
** The double arrow is the atomic step.  It is short, because it visits only
** what must be visited while the program does not run: the roots, and the
** frames of the running stack above its watermark.  If these lead to more than
** a little new work, the collector stays in `again` and tries later.
**
** A slice is the smallest piece of work.  The program may run between two
** slices.  The work of a slice does not depend on the size of any object or
** list.
*/
#include "gc/gc_impl.h"

enum {
  MARK_PIECE = 256,      /* units of marking in one slice of a phase */
  ATOMIC_PIECE = 512,    /* units of marking in the atomic step */
  FRAME_SLOTS = 2048,    /* a frame with more slots is large */
  FRAME_SLOT_BYTES = 16, /* the end of marking waits until this many bytes
                            ** are allocated for each slot */
  FRAME_BYTES = 262144,  /* ... and at least this many bytes in all */
  RESET_PIECE = 128,     /* list entries taken off at a time */
  SWEEP_PIECE = 64       /* units of sweeping at a time */
};

static void enter(Gc *gc, GcPhase phase) {
  gc->phase = (uint8_t)phase;
  gc->stage = 0;
  report_event(gc, EVENT_PHASE, 0);
}

/* -- Inspections ----------------------------------------------------------- */

bool gc_inspect(Gc *gc, const GcInspection *inspection) {
  if (gc->inspection.slice) return false;
  gc->inspection = *inspection;
  if (gc->phase == PHASE_PAUSE) pace_restart(gc);
  return true;
}

static size_t inspection_call(Gc *gc) {
  size_t work = gc->inspection.slice(&gc->inspection);
  if (work == 0)
    gc->inspection = (GcInspection){NULL, NULL, NULL, 0, INSPECT_FIRST};
  return work;
}

void inspection_poll(Gc *gc) {
  if (LIKELY(gc->inspection.part != INSPECT_ELSEWHERE)) return;
  bool inside = gc->inside;
  gc->inside = true;
  inspection_call(gc);
  gc->inside = inside;
}

/* The work of an inspection does not count as work of the cycle. */
static size_t inspection_some(Gc *gc) {
  size_t work = inspection_call(gc);
  gc->pace.began_work += work;
  gc->pace.marked_work += work;
  gc->choice.period_work += work;
  return work + 1;
}

static size_t inspect_slice(Gc *gc) {
  size_t work = inspection_some(gc);
  if (inspection_is_due(gc)) return work;
  enter(gc, PHASE_PAUSE);
  pace_inspected(gc);
  return work;
}

/* -- Beginning ------------------------------------------------------------- */

static void enter_mark(Gc *gc) {
  enter(gc, PHASE_MARK);
  gc->barrier_mode = BARRIER_BACK;
  gc->newborn.flags = CELL_RESTART;
  if (gc->minor) {
    Worklist touched = gc->again; /* objects that barriers have set back */
    gc->again = gc->gray;
    gc->gray = touched;
  } else {
    gc->epoch++;
    mark_fixed_roots(gc);
  }
  gc->pending_lost = gc->key_lost = gc->revisiting = false;
  gc->gray_twice = false;
  gc_begin_waiting(gc);
  mark_roots(gc);
}

bool cycle_reserve(Gc *gc) {
  if (!gc->gray.last && !worklist_grow(gc, &gc->gray)) return false;
  return gc->again.last || worklist_grow(gc, &gc->again);
}

static size_t pause_slice(Gc *gc) {
  if (UNLIKELY(gc->inspection.part == INSPECT_SECOND)) {
    enter(gc, PHASE_INSPECT);
    return 1;
  }
  if (!cycle_reserve(gc)) return 0;
  report_size(gc, EVENT_CYCLE_BEGIN);
  pace_cycle_begun(gc);
  gc->minor = gc->marks_kept && !gc->major_next && !inspection_is_due(gc);
  if (gc->marks_kept && !gc->minor) {
    enter(gc, PHASE_UNMARK);
    gc->barrier_mode = BARRIER_OFF;
    gc->marks_kept = false;
  } else {
    enter_mark(gc);
  }
  return 1;
}

/* Removes entries from a list that has lost its meaning. */
static size_t unlist_some(Gc *gc, Worklist *list) {
  size_t work = 0;
  while (!worklist_is_empty(list) && work < RESET_PIECE) {
    ((Cell *)worklist_pop(gc, list))->barrier = BARRIER_DISARMED;
    work++;
  }
  return work;
}

static size_t unmark_slice(Gc *gc) {
  size_t work = unlist_some(gc, &gc->gray) + unlist_some(gc, &gc->again);
  if (work > 0) return work;
  if (gc->stage == 0) {
    heap_walk_begin(&gc->heap, &gc->heap_cursor);
    gc->gray_lost = false;
    gc->stage = 1;
  }
  if (!heap_unmark_some(&gc->heap, &gc->heap_cursor)) enter_mark(gc);
  return PRICE_BLOCK;
}

/* -- Marking --------------------------------------------------------------- */

/* The marking that all phases share, about `budget` units.  Returns 0 if there
** is nothing to do. */
static size_t mark_some(Gc *gc, size_t budget) {
  if (!worklist_is_empty(&gc->gray)) return mark_gray(gc, budget);
  if (gc->resolving) return ephemeron_resolve_some(gc);
  if (gc->gray_lost || gc->key_lost || gc->heap.walk) return mark_find_lost(gc);
  return 0;
}

static size_t mark_running_some(Gc *gc) {
  size_t work = 0;
  if (mark_running_is_behind(gc)) mark_stack_piece(gc, gc->running, &work);
  return work;
}

static bool gray_is_left(const Gc *gc) {
  return !worklist_is_empty(&gc->gray) || gc->resolving || gc->gray_lost ||
         gc->key_lost || gc->heap.walk;
}

/* Enters the next phase in the same slice if little was left.  A program may
** cause some marking between any two slices: a barrier marks a value, a call
** goes deeper.  That must not delay the next phase forever. */
static size_t mark_slice(Gc *gc) {
  size_t work = mark_some(gc, MARK_PIECE);
  if (work >= MARK_PIECE || gray_is_left(gc)) return work;
  size_t roots = finalize_mark_some(gc);
  work += roots + mark_running_some(gc);
  if (roots > 0 || mark_running_is_behind(gc)) return work;
  enter(gc, PHASE_AGAIN);
  gc->barrier_mode = BARRIER_FORWARD;
  gc->frame_waits = false;
  return work + 1;
}

static bool marking_is_finished(const Gc *gc) {
  return !gray_is_left(gc) && worklist_is_empty(&gc->again);
}

/* Marks everything that is left, but at most about `budget` units. */
static size_t mark_rest(Gc *gc, size_t budget) {
  size_t work = 0;
  while (work < budget && !marking_is_finished(gc)) {
    size_t some = mark_some(gc, budget - work);
    work += some > 0 ? some : mark_again_one(gc);
  }
  return work;
}

/* From here on unmarked objects are dead, and new objects are marked. */
static void enter_clear_values(Gc *gc) {
  enter(gc, PHASE_CLEAR_VALUES);
  gc->frame_waits = false;
  gc->barrier_mode = BARRIER_IDLE;
  pace_marked(gc);
  gc->newborn.barrier = BARRIER_ARMED;
  gc->newborn.flags = 0;
  heap_set_allocate_marked(&gc->heap, true);
  weak_values_begin(gc);
  if (gc->debug.checkmark) verify_checkmark(gc);
}

/* The atomic end of marking.  If it turns out not to be small, marking goes on
** and this is tried again.  A frame with thousands of slots is visited each
** time.  Then as much work again is allowed.  Otherwise a program that makes an
** array of such a frame, and the next frame before the next try, would delay
** the end forever. */
static size_t again_atomic(Gc *gc) {
  size_t work = 1;
  if (!(gc->debug.skip & SKIP_RUNNING_STACK)) work += mark_running_rest(gc);
  if (!(gc->debug.skip & SKIP_ROOTS_AGAIN)) mark_roots(gc);
  work += mark_rest(gc, size_max(ATOMIC_PIECE, work));
  if (marking_is_finished(gc)) enter_clear_values(gc);
  return work;
}

/* A frame has thousands of slots only for a moment, during a call with that
** many arguments or results.  So the end of marking waits until that is over.
** But it does not wait forever: the program may keep allocating in that frame,
** or put each such frame into a table before it is visited.  When the program
** has allocated as many bytes as the frame has, the visit costs less than that
** allocation. */
static bool frame_may_wait(Gc *gc, size_t slots) {
  if (gc->finishing) return false;
  if (!gc->frame_waits) gc->frame_since = gc->heap.allocation_clock;
  gc->frame_waits = true;
  ptrdiff_t bytes = (ptrdiff_t)(gc->heap.allocation_clock - gc->frame_since);
  return bytes < (ptrdiff_t)size_max(FRAME_BYTES, slots * FRAME_SLOT_BYTES);
}

static bool frame_is_too_large(Gc *gc) {
  size_t slots = mark_running_slots(gc);
  return UNLIKELY(slots > FRAME_SLOTS) && frame_may_wait(gc, slots);
}

/* True if pieces of the running stack are left for the next steps.  This ends
** unless the program pops and pushes many values between any two steps.  While
** the steps have less time than the program, they need more bytes than for a
** frame that is visited at once. */
static bool running_is_left(Gc *gc) {
  enum { SLOWER = 4 };
  if (!mark_running_is_behind(gc)) return false;
  size_t slots = gc_kind(gc, gc->running)->stack_top(gc->running);
  return gc->finishing || frame_may_wait(gc, SLOWER * slots);
}

/* As in mark_slice, the next part is done in the same slice if little was
** left. */
static size_t again_slice(Gc *gc) {
  gc->stacks_waiting = 0;
  size_t work = mark_rest(gc, MARK_PIECE);
  if (work >= MARK_PIECE) return work;
  work += mark_running_some(gc);
  if (running_is_left(gc)) return work;
  if (frame_is_too_large(gc)) return work;
  return work + again_atomic(gc);
}

/* -- Weak objects and finalizers ------------------------------------------- */

/* Clears weak objects that the lists had no room for, if any.  Uses `stage` and
** the stage after it. */
static size_t clear_lost(Gc *gc, unsigned weakness, uint8_t stage) {
  if (gc->stage == stage) {
    gc->stage++;
    if (gc->weak_lost) weak_lost_begin(gc);
  }
  if (gc->stage != stage + 1) return 0;
  size_t work = weak_lost_some(gc, weakness);
  if (work == 0) gc->stage++;
  return work;
}

/* Stages: objects on the list; objects that the list had no room for. */
static size_t clear_values_slice(Gc *gc) {
  size_t work = 0;
  if (gc->stage == 0 && (work = weak_values_some(gc)) == 0) gc->stage = 1;
  if (work == 0) work = clear_lost(gc, WEAK_VALUES, 1);
  if (work > 0) return work;
  enter(gc, PHASE_SEPARATE);
  finalize_separate_begin(gc);
  return 1;
}

static size_t separate_slice(Gc *gc) {
  size_t work = 0;
  if (gc->stage == 0) work = finalize_separate_some(gc);
  if (work > 0) return work;
  gc->stage = 1;
  work = finalize_compact_some(gc);
  if (work > 0) return work;
  enter(gc, PHASE_RESURRECT);
  finalize_revive_begin(gc);
  return 1;
}

static size_t resurrect_slice(Gc *gc) {
  size_t work = mark_some(gc, MARK_PIECE);
  if (work > 0) return work;
  finalize_revive_end(gc);
  enter(gc, PHASE_CLEAR_KEYS);
  weak_keys_begin(gc);
  return 1;
}

/* Removes objects from a list of weak objects at the end of the cycle. */
static size_t reset_weak_list(Gc *gc, Worklist *list, uint8_t flag) {
  size_t work = 0;
  while (!worklist_is_empty(list) && work < RESET_PIECE * PRICE_FINALIZABLE) {
    ((Cell *)worklist_pop(gc, list))->flags &= (uint8_t)~flag;
    work += PRICE_FINALIZABLE;
  }
  return work;
}

static size_t reset_weak_lists(Gc *gc) {
  size_t work = reset_weak_list(gc, &gc->weak_keys, CELL_WEAK_KEYS);
  if (work == 0) work = reset_weak_list(gc, &gc->weak_values, CELL_WEAK_VALUES);
  if (work == 0) work = reset_weak_list(gc, &gc->returning, CELL_KEY_PENDING);
  return work;
}

/* Stages: dead keys; dead values of objects reached by resurrection; both, for
** objects that the lists had no room for; emptying the lists. */
static size_t clear_keys_slice(Gc *gc) {
  size_t work = 0;
  if (gc->stage == 0 && (work = weak_keys_some(gc)) == 0) gc->stage = 1;
  if (gc->stage == 1 && (work = weak_values_some(gc)) == 0) gc->stage = 2;
  if (work == 0) work = clear_lost(gc, WEAK_KEYS, 2);
  if (work == 0) work = clear_lost(gc, WEAK_VALUES, 4);
  if (work == 0) work = reset_weak_lists(gc);
  if (work > 0) return work;
  gc->weak_lost = false;
  enter(gc, PHASE_DYING);
  dying_begin(gc);
  return 1;
}

static size_t dying_slice(Gc *gc) {
  size_t work = dying_some(gc);
  if (work > 0) return work;
  enter(gc, PHASE_SWEEP_SET);
  gc->at.set_piece = 0;
  return 1;
}

/* -- Sweeping -------------------------------------------------------------- */

static void enter_sweep(Gc *gc) {
  enter(gc, PHASE_SWEEP);
  pace_sweeps(gc);
  gc->marks_kept = gc->choice.minors_pay;
  gc->barrier_mode = gc->marks_kept ? BARRIER_BACK : BARRIER_OFF;
  gc->newborn.barrier = BARRIER_DISARMED;
  heap_sweep_begin(&gc->heap, gc->marks_kept);
}

static size_t sweep_set_some(Gc *gc) {
  GcProgress progress = {GC_DONE, 1, WEAK_NONE};
  if (gc->client.sweep_set)
    progress = gc->client.sweep_set(gc->client.context, gc, gc->at.set_piece);
  gc->at.set_piece = progress.next;
  if (progress.next != GC_DONE) return progress.work;
  gc->stage = gc->watch.made ? 1 : 2;
  gc->at.set_piece = 0;
  return progress.work;
}

/* Marks are final when the set has been swept: no member comes back. */
static size_t watch_some(Gc *gc) {
  GcProgress progress = {GC_DONE, 1, WEAK_NONE};
  if (gc->watch.made)
    progress = gc->watch.clear(gc->watch.context, gc->at.set_piece);
  gc->at.set_piece = progress.next;
  if (progress.next == GC_DONE) gc->stage = 2;
  return progress.work;
}

/* Stages: the set; the followed cells; the first part of an inspection. */
static size_t sweep_set_slice(Gc *gc) {
  size_t work = gc->stage == 0   ? sweep_set_some(gc)
                : gc->stage == 1 ? watch_some(gc)
                                 : inspection_some(gc);
  if (gc->stage == 2 && !gc_is_inspected(gc)) enter_sweep(gc);
  return work;
}

static size_t sweep_cells(Gc *gc) {
  size_t work = 0, pages;
  while (work < SWEEP_PIECE && (pages = heap_sweep_some(&gc->heap)) > 0)
    work += pages + PRICE_SPAN;
  return work;
}

/* Frees the collector's own memory, and gives idle memory back to the
** allocator.  If the cycle is very late, idle memory can wait: huge objects die
** faster than it goes back. */
static size_t sweep_own_memory(Gc *gc) {
  if (!ephemeron_forget_some(gc)) return PRICE_SEGMENT;
  if (worklist_trim_spares(gc)) return PRICE_SEGMENT;
  if (gc_may_wait(gc)) return 0;
  size_t bytes = heap_release_some(&gc->heap);
  return bytes ? (bytes >> PRICE_RELEASE_SHIFT) + 1 : 0;
}

static size_t sweep_slice(Gc *gc) {
  size_t work = 0;
  if (gc->stage == 0 && (work = sweep_cells(gc)) == 0) gc->stage = 1;
  if (gc->stage == 1) work = sweep_own_memory(gc);
  if (work > 0) return work;
  enter(gc, PHASE_PAUSE);
  gc->stats.cycles++;
  if (gc->minor) gc->stats.minor_cycles++;
  pace_cycle_done(gc);
  if (inspection_is_due(gc)) pace_restart(gc);
  report_size(gc, EVENT_CYCLE_END);
  return 1;
}

/* -- The machine ----------------------------------------------------------- */

static size_t dispatch(Gc *gc) {
  switch ((GcPhase)gc->phase) {
    case PHASE_PAUSE: return pause_slice(gc);
    case PHASE_INSPECT: return inspect_slice(gc);
    case PHASE_UNMARK: return unmark_slice(gc);
    case PHASE_MARK: return mark_slice(gc);
    case PHASE_AGAIN: return again_slice(gc);
    case PHASE_CLEAR_VALUES: return clear_values_slice(gc);
    case PHASE_SEPARATE: return separate_slice(gc);
    case PHASE_RESURRECT: return resurrect_slice(gc);
    case PHASE_CLEAR_KEYS: return clear_keys_slice(gc);
    case PHASE_DYING: return dying_slice(gc);
    case PHASE_SWEEP_SET: return sweep_set_slice(gc);
    case PHASE_SWEEP: return sweep_slice(gc);
    case PHASE_COUNT: break; /* not covered: not a phase */
  }
  return 0; /* not covered: likewise */
}

size_t cycle_slice(Gc *gc) {
  size_t work = dispatch(gc);
  gc->stats.work += work;
  if (work > gc->stats.largest_unit) gc->stats.largest_unit = work;
  return work;
}

void cycle_finish(Gc *gc) {
  gc->finishing = true;
  while (gc->phase != PHASE_PAUSE) cycle_slice(gc);
  gc->finishing = false;
}
