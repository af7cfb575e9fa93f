/* SPDX-License-Identifier: MIT */
/*
** gc_impl.h -- declarations shared by the files of this folder
*/
#ifndef PENUMBRA_GC_IMPL_H
#define PENUMBRA_GC_IMPL_H

#include "gc/gc.h"

/* Prices, in units of work.  One unit is about the visit of one reference. */
enum {
  PRICE_OBJECT = 4,        /* a cache miss for its header */
  PRICE_SPAN = 4,          /* sweeping a span, plus one unit a page */
  PRICE_FINALIZABLE = 2,   /* examining a registered object */
  PRICE_RELEASE_SHIFT = 7, /* giving 128 bytes back to the system */
  PRICE_RESOLVE = 16,      /* an ephemeron entry: key, object, value */
  PRICE_ASK = 8,           /* asking a large object for a key: ephemeron.c */
  PRICE_BLOCK = 8,         /* clearing the marks of a block */
  PRICE_SEGMENT = 32       /* freeing a segment of a list */
};

/* In the gray list's entry of an object in pieces: no piece is left. */
#define PIECE_NONE SIZE_MAX

/* -- mark.c: from gray to black -------------------------------------------- */

/* Marks an object or part of any kind. */
void mark_cell(Gc *gc, Cell *cell);

/* Reports all roots to the marker. */
void mark_roots(Gc *gc);
void mark_fixed_roots(Gc *gc);

/* Visits gray objects, about `budget` units.  Returns the work done. */
size_t mark_gray(Gc *gc, size_t budget);

/* Visits one object that a barrier has set back.  Returns the work done. */
size_t mark_again_one(Gc *gc);

/* Visits a piece of a stack.  True if no slots are left that may be visited
** now. */
bool mark_stack_piece(Gc *gc, Cell *cell, size_t *work);

/* Sets what to do with gray objects. */
void mark_set_visits(Gc *gc);

/* Visits the slots of the running stack that must wait for the end of
** marking. */
size_t mark_running_rest(Gc *gc);

/* The number of those slots. */
size_t mark_running_slots(Gc *gc);

/* True if the running stack has slots that could be visited now. */
bool mark_running_is_behind(Gc *gc);

/* Searches one block for gray objects that no list had room for.  Also sets
** objects with ephemerons back, if entries of theirs were lost.  Starts a walk
** if none is under way.  Returns the work done. */
size_t mark_find_lost(Gc *gc);

/* -- ephemeron.c ----------------------------------------------------------- */

/* Adds an object with many ephemerons to the list of those that are searched
** for every reached key.  Does nothing if the list has PENDING_ASKED
** objects. */
void ephemeron_ask(Gc *gc, Cell *object);

/* The key was reached: resolves its entries, or queues them for that.  Returns
** the work done. */
size_t ephemeron_key_reached(Gc *gc, Cell *key);

/* Resolves entries of reached keys.  Returns the work done, 0 if there are
** none. */
size_t ephemeron_resolve_some(Gc *gc);

/* The work of searching chains that were longer than usual, since the last
** call. */
size_t ephemeron_passed(Gc *gc);

/* Checks the map of pending entries. */
void ephemeron_check(const Gc *gc);

/* Frees a piece of the map of pending entries.  True when nothing is left. */
bool ephemeron_forget_some(Gc *gc);
void ephemeron_free(Gc *gc);

/* -- weak.c ---------------------------------------------------------------- */

/* Puts an object on the lists for clearing, once per cycle. */
void weak_note(Gc *gc, Cell *cell, unsigned weakness);

void weak_values_begin(Gc *gc);
/* Clears one piece.  Returns the work done, 0 at the end of the list. */
size_t weak_values_some(Gc *gc);
void weak_keys_begin(Gc *gc);
size_t weak_keys_some(Gc *gc);

/* Clears one piece of the weak objects, found by a walk over the heap, because
** memory for the lists was short.  Returns the work done, 0 at the end. */
void weak_lost_begin(Gc *gc);
size_t weak_lost_some(Gc *gc, unsigned weakness);

/* -- finalize.c ------------------------------------------------------------ */

void finalize_separate_begin(Gc *gc);
/* Examines some registered objects, newest first.  Returns 0 at the end. */
size_t finalize_separate_some(Gc *gc);
/* Closes some of the gaps in the list.  Returns 0 at the end. */
size_t finalize_compact_some(Gc *gc);
/* Called before and after the marking that revives separated objects. */
void finalize_revive_begin(Gc *gc);
void finalize_revive_end(Gc *gc);
/* Marks some objects of the queue.  Returns 0 at the end. */
size_t finalize_mark_some(Gc *gc);

void dying_begin(Gc *gc);
size_t dying_some(Gc *gc);

/* -- cycle.c --------------------------------------------------------------- */

/* Does one slice of work in the current phase.  Enters the next phase when the
** current one is finished.  Returns the work done. */
size_t cycle_slice(Gc *gc);

/* Makes sure that the gray lists have room for a few objects.  Without that
** nothing can be marked.  False: no memory. */
bool cycle_reserve(Gc *gc);

/* Runs slices until the collector pauses. */
void cycle_finish(Gc *gc);

/* True if the collector has work to do for an inspection. */
static inline bool inspection_is_due(const Gc *gc) {
  return UNLIKELY(gc->inspection.slice != NULL) &&
         gc->inspection.part != INSPECT_ELSEWHERE;
}

/* Asks whether an inspection that is done elsewhere has ended. */
void inspection_poll(Gc *gc);

/* True if the first part of an inspection is in this cycle and not finished. */
static inline bool gc_is_inspected(const Gc *gc) {
  return UNLIKELY(gc->inspection.slice != NULL) && !gc->minor &&
         gc->inspection.part == INSPECT_FIRST;
}

/* -- goal.c ---------------------------------------------------------------- */

/* The clock of all pacing: heap.allocation_clock, during a cycle without the
** bytes that are reserved but not in use. */
static inline size_t pace_clock(const Gc *gc) {
  size_t reserved = gc->phase == PHASE_PAUSE ? 0 : gc->pace.reserved;
  return gc->heap.allocation_clock - reserved;
}

void pace_init(Gc *gc);
/* Between cycles: a table has grown.  The next cycle may begin earlier. */
void pace_lump(Gc *gc);
/* The work of the last major cycle. */
uint64_t pace_major_work(const Gc *gc);
/* A cycle begins. */
void pace_cycle_begun(Gc *gc);
/* Marking has ended; the sweep begins. */
void pace_marked(Gc *gc);
void pace_sweeps(Gc *gc);
/* A cycle has ended.  Sets the next goal and the start of the next cycle. */
void pace_cycle_done(Gc *gc);

/* The queue of finalizers is empty. */
void pace_finalized(Gc *gc);

/* The second part of an inspection has ended. */
void pace_inspected(Gc *gc);
/* The program has freed `bytes`, so the clock has run backwards. */
void pace_freed(Gc *gc, size_t bytes);
/* The next cycle begins now. */
void pace_restart(Gc *gc);

/* Bytes in use, including those outside of the heap. */
size_t pace_bytes(const Gc *gc);

/* Bytes in use when the cycle under way began. */
size_t pace_began_bytes(const Gc *gc);

/* The expected work of a minor or major cycle that begins with `bytes` in use,
** estimated from the last one, in units. */
typedef struct GcWork {
  double marking;
  double rest;
} GcWork;
GcWork pace_expected(const Gc *gc, bool minor, size_t bytes);

/* The bytes that the heap may grow by before the end of a major cycle. */
size_t pace_major_growth(const Gc *gc, size_t live);

/* -- step.c ---------------------------------------------------------------- */

/* Nanoseconds of steps for each nanosecond of the program, while the heap is
** within its goal.  A cycle is planned for the first, at a step multiplier of
** 100.  Beside the collector the program itself takes up to a quarter longer,
** because of the caches, so a frame takes 1.25 * 1.6 times its own time: twice.
** A cycle that would end beyond its goal gets up to the second.  With that, the
** program still keeps half of any window of 2 ms, with the steps that are already
** due when it begins. */
#define STEP_SHARE 0.6
#define SHARE_MOST 0.85

/* Bytes that the program allocates in the time of a unit of work:
** as long as nothing is known, and at least.  A program that has been idle may
** allocate fast at any time. */
#define UNIT_BYTES     1.0f
#define UNIT_BYTES_MIN 0.5f

enum {
  ESTIMATE_PARTS = 8
}; /* estimates of work and room are not more precise
                              ** than one part in so many */

enum { MUCH_WORK = 32 }; /* bytes: a unit of work for fewer is much work */

/* Checks whether a step is due.  Called after each allocation that leaves the
** fast path. */
void pace_notice(Gc *gc);
/* The share at the current step multiplier. */
double step_share(const Gc *gc);
/* Schedule the next step: during a cycle, and between cycles. */
void step_schedule(Gc *gc);
void step_after_cycle(Gc *gc);
/* The work that a step may do. */
typedef struct Allowance {
  size_t units;
  size_t waiting;       /* the part of `units` that is allowed because of
                            ** the size of the last allocation */
  uint64_t nanoseconds; /* no slice begins after this time; 0: no bound */
} Allowance;

/* The allowance of an automatic step now. */
Allowance step_allowed_now(const Gc *gc);
/* The part of it without which the cycle would end beyond its goal. */
Allowance step_allowed_to_goal(const Gc *gc);
/* Updates stats.largest_step. */
void step_note_largest(Gc *gc, size_t work, size_t waiting);
/* Called before and after every kind of step. */
void step_begin(Gc *gc, GcWait wait);
void step_end(Gc *gc, size_t work);

/* -- choose.c -------------------------------------------------------------- */

/* The mode has changed. */
void choose_mode(Gc *gc);
/* Decides whether minor cycles pay.  Called before gc->major_base is updated,
** so it still holds the result of the previous major cycle. */
void choose_cycle_done(Gc *gc, size_t live);

/* -- report.c -------------------------------------------------------------- */

void report_event(Gc *gc, GcEventType type, size_t bytes);
/* Reports an event with the bytes in use. */
static inline void report_size(Gc *gc, GcEventType type) {
  if (UNLIKELY(gc->listener.event != NULL))
    report_event(gc, type, gc_count(gc));
}
bool report_is_timed(const Gc *gc);
/* Calls the sampler if enough was allocated since its last call. */
COLD void report_sample(Gc *gc);
/* Tells the watch of a new cell, if enough was allocated since the last one. */
COLD void report_made(Gc *gc, void *cell, size_t size);
/* Like report_made, for a part that is about to grow.  It may be the running
** stack, which cannot be read any more when it has moved. */
COLD void report_grows(Gc *gc, void *part, size_t old_size, size_t new_size);
/* Tells the watch that a part was freed, which took `bytes` off the clock. */
COLD void report_freed(Gc *gc, const void *part, size_t bytes);
uint64_t report_clock(void);
/* The program begins to wait, or has waited; `type` is the event that tells of
** it. */
void report_wait_begins(Gc *gc, GcWait wait);
void report_wait_ends(Gc *gc, GcEventType type, size_t work);

/* -- verify.c -------------------------------------------------------------- */

/* Checks the invariants after a step, if that is switched on: after every step
** of a small heap, after some of a large one. */
void verify_step(Gc *gc);
/* Marks a second time, from the roots, and compares. */
void verify_checkmark(Gc *gc);

#endif
