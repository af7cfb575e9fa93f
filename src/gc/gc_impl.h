/* SPDX-License-Identifier: MIT */
/*
** gc_impl.h -- what the files of this folder share
*/
#ifndef PENUMBRA_GC_IMPL_H
#define PENUMBRA_GC_IMPL_H

#include "gc/gc.h"

/* Prices, in units of work.  One unit is the visit of one reference. */
enum {
  PRICE_OBJECT = 4,         /* a cache miss for its header */
  PRICE_SPAN = 4,           /* sweeping, besides one unit a page */
  PRICE_FINALIZABLE = 2,    /* looking at a registered object */
  PRICE_RELEASE_SHIFT = 7,  /* giving 128 bytes back to the system */
  PRICE_RESOLVE = 16,       /* an ephemeron entry: key, object, value */
  PRICE_ASK = 8,            /* ... without key and object */
  PRICE_BLOCK = 8,          /* clearing the marks of a block */
  PRICE_SEGMENT = 32        /* freeing a segment of a list */
};

/* In an entry of the gray list for an object in pieces: none is left. */
#define PIECE_NONE SIZE_MAX

/* -- mark.c: from gray to black -------------------------------------------- */

/* Marks whatever the object is. */
void mark_cell(Gc *gc, Cell *cell);

/* Reports all roots to the marker. */
void mark_roots(Gc *gc);

/* Visits gray objects, about `budget` units; the work done. */
size_t mark_gray(Gc *gc, size_t budget);

/* Visits one object that a barrier has set back; the work done. */
size_t mark_again_one(Gc *gc);

/* Visits a piece of a stack.  True if nothing is left that may be visited
** now. */
bool mark_stack_piece(Gc *gc, Cell *cell, size_t *work);

GcScanFn mark_visit_stack;

/* Visits what must wait to the end in the running stack. */
size_t mark_running_rest(Gc *gc);

/* How many slots those are. */
size_t mark_running_slots(Gc *gc);

/* Slots of the running stack that could be visited now. */
bool mark_running_is_behind(Gc *gc);

/* Looks for gray objects that no list had room for, in one block, and sets
** objects with ephemerons back if entries of theirs were lost; the work done.
** Starts a walk if none is under way. */
size_t mark_find_lost(Gc *gc);

/* -- ephemeron.c ----------------------------------------------------------- */

/* The object has many ephemerons: it is asked for every key that is reached, if
** there are few such objects. */
void ephemeron_ask(Gc *gc, Cell *object);

/* The key was reached: its entries are resolved, or will be; the work done. */
size_t ephemeron_key_reached(Gc *gc, Cell *key);

/* Resolves entries of reached keys; the work done, 0 if there are none. */
size_t ephemeron_resolve_some(Gc *gc);

/* Forgets what is pending, piecewise; true when nothing is left. */
bool ephemeron_forget_some(Gc *gc);
void ephemeron_free(Gc *gc);

/* -- weak.c ---------------------------------------------------------------- */

/* Notes an object for clearing, once per cycle. */
void weak_note(Gc *gc, Cell *cell, unsigned weakness);

void weak_values_begin(Gc *gc);
/* Clears one piece; the work done, 0 at the end of the list. */
size_t weak_values_some(Gc *gc);
void weak_keys_begin(Gc *gc);
size_t weak_keys_some(Gc *gc);

/* Clears every noted object by a walk over the heap, for when memory was
** short: one piece; the work done, 0 at the end. */
void weak_lost_begin(Gc *gc);
size_t weak_lost_some(Gc *gc, unsigned weakness);

/* -- finalize.c ------------------------------------------------------------ */

void finalize_separate_begin(Gc *gc);
/* Looks at some registered objects, newest first; 0 at the end. */
size_t finalize_separate_some(Gc *gc);
/* Closes the gaps that left; 0 at the end. */
size_t finalize_compact_some(Gc *gc);
/* Marks some of the queue; 0 at the end. */
void finalize_mark_begin(Gc *gc);
size_t finalize_mark_some(Gc *gc);

void dying_begin(Gc *gc);
size_t dying_some(Gc *gc);

/* -- cycle.c --------------------------------------------------------------- */

/* One unit of work in the current phase; the work done.  Enters the next phase
** when the current one is finished. */
size_t cycle_unit(Gc *gc);

/* The gray lists must have room for a few objects, or nothing can be marked.
** False: no memory for that. */
bool cycle_reserve(Gc *gc);

/* Runs units until the collector pauses. */
void cycle_finish(Gc *gc);

/* Somebody looks at the heap in this cycle, or will. */
static inline bool gc_is_looked_at(const Gc *gc) {
  return UNLIKELY(gc->look.unit != NULL) && !gc->minor;
}

/* -- goal.c ---------------------------------------------------------------- */

/* Bytes allocated so far, less those that the program has freed, and those that
** are reserved but not in use. */
static inline size_t pace_clock(const Gc *gc) {
  return gc->heap.allocation_clock - gc->pace.reserved;
}

void pace_init(Gc *gc);
/* A cycle begins. */
void pace_cycle_begun(Gc *gc);
/* Marking has ended. */
void pace_marked(Gc *gc);
/* Around the marking of what comes back to be finalized. */
void pace_revives(Gc *gc);
void pace_revived(Gc *gc);
/* Sets the next goal, and when the next cycle begins. */
void pace_cycle_done(Gc *gc);
/* The program has freed so much, and the clock has gone back. */
void pace_freed(Gc *gc, size_t bytes);
/* The next cycle begins now. */
void pace_restart(Gc *gc);

/* Bytes in use, those outside of the heap included. */
size_t pace_bytes(const Gc *gc);

/* Units of work that a cycle of that sort will take which begins with so many
** bytes in use, judged by the last. */
typedef struct GcWork {
  double marking;
  double rest;
} GcWork;
GcWork pace_expected(const Gc *gc, bool minor, size_t bytes);

/* How much the heap may grow before the end of a major cycle. */
size_t pace_major_growth(const Gc *gc, size_t live);

/* -- step.c ---------------------------------------------------------------- */

/* Units of work for each byte allocated, at a step multiplier of 100, that a
** cycle does at least. */
#define LEAST_RATE 1.0

/* Notices that a step is due. */
void pace_notice(Gc *gc);
/* The least rate at the multiplier that is set. */
double step_least_rate(const Gc *gc);
/* Says when the next step is due: in a cycle, and between cycles. */
void step_schedule(Gc *gc);
void step_after_cycle(Gc *gc);
/* What a step may do. */
typedef struct Allowance {
  size_t units;
  size_t waiting;           /* those of them that the size of the last
                            ** allocation allows */
  uint64_t nanoseconds;     /* no unit begins after that; 0: at any time */
} Allowance;

/* What an automatic step would be allowed now. */
Allowance step_allowed_now(const Gc *gc);
/* Keeps the record of the largest step. */
void step_note_largest(Gc *gc, size_t work, size_t waiting);
/* What every way of stepping has around it. */
void step_begin(Gc *gc, uint64_t *started);
void step_end(Gc *gc, size_t work, uint64_t started);

/* -- choose.c -------------------------------------------------------------- */

/* The mode has changed. */
void choose_mode(Gc *gc);
/* Decides whether minor cycles are worth it.  What the last major cycle found
** is still known, also if this was one. */
void choose_cycle_done(Gc *gc, size_t live);

/* -- report.c -------------------------------------------------------------- */

void report_event(Gc *gc, GcEventType type, size_t bytes);
bool report_is_timed(const Gc *gc);
/* Tells the sampler if enough was allocated. */
COLD void report_sample(Gc *gc);
uint64_t report_clock(void);
void report_step(Gc *gc, size_t work, uint64_t started);
void report_collection(Gc *gc, uint64_t started);

/* -- verify.c -------------------------------------------------------------- */

/* Marks a second time, from scratch, and compares. */
void verify_checkmark(Gc *gc);

#endif
