/* SPDX-License-Identifier: MIT */
/*
** collect.c -- steps and collections by hand
**
** They use the machine that automatic steps use, and leave the same state
** behind: the next automatic step finds less work left.
*/
#include "gc/gc_impl.h"

enum { SMALL_WORK = 16384 /* units of a whole cycle in one step: 50 us */ };

/* -- Steps ----------------------------------------------------------------- */

/* Steps by hand may be repeated until the cycle ends.  So the end does not wait
** for a large frame, which stays as long as they are repeated.  And they are
** repeated to get rid of garbage, so outside of generational mode the cycle
** they begin is a major one. */
static void begin_by_hand(Gc *gc, uint64_t *started) {
  step_begin(gc, started);
  gc->finishing = gc->frame_waits;
  if (!gc->generational) gc->major_next = true;
}

static void end_by_hand(Gc *gc, size_t work, uint64_t started) {
  if (gc->phase != PHASE_PAUSE) step_schedule(gc);
  step_end(gc, work, started);
}

bool gc_cycle_is_over(const Gc *gc) {
  return gc->phase == PHASE_PAUSE && (gc->generational || !gc->minor);
}

/* Works until `units` are done, the time is `end` or a cycle ends. */
static size_t work_until(Gc *gc, size_t units, uint64_t end) {
  size_t work = 0;
  while (work < units) {
    size_t done = cycle_unit(gc);
    work += done;
    if (done == 0 || gc->phase == PHASE_PAUSE) break;
    if (end && gc_clock() >= end) break;
  }
  return work;
}

/* Those of the units that an allocation waits for in proportion to its size,
** where no more than what is due was asked for. */
static size_t waiting_within(const Gc *gc, size_t units) {
  Allowance due = step_allowed_now(gc);
  return units <= due.units ? due.waiting : 0;
}

bool gc_step_work(Gc *gc, size_t units) {
  uint64_t started;
  if (gc->inside) return false;
  size_t waiting = waiting_within(gc, units);
  begin_by_hand(gc, &started);
  size_t work = work_until(gc, units, 0);
  step_note_largest(gc, work, waiting);
  end_by_hand(gc, work, started);
  return gc_cycle_is_over(gc);
}

/* Between cycles there is nothing to do but to give memory back. */
static void release_until(Gc *gc, uint64_t end) {
  while (heap_excess(&gc->heap) > 0 && gc_clock() < end)
    if (heap_release_some(&gc->heap) == 0) return;
}

void gc_step_time(Gc *gc, uint64_t microseconds) {
  uint64_t started, end = gc_clock() + microseconds * 1000;
  if (gc->inside) return;
  if (gc_is_due(gc)) {
    begin_by_hand(gc, &started);
    end_by_hand(gc, work_until(gc, SIZE_MAX, end), started);
  }
  if (gc->phase == PHASE_PAUSE) release_until(gc, end);
}

static size_t major_work_expected(const Gc *gc) {
  GcWork work = pace_expected(gc, false, pace_bytes(gc));
  return (size_t)(work.marking + work.rest);
}

/* Ends the cycle under way and begins another: a minor one cannot free what
** the first has made old.  A small heap is collected whole instead; since the
** estimate may be wrong, that stops at twice the units. */
bool gc_step_young(Gc *gc, size_t units) {
  uint64_t started, cycles = gc->stats.cycles;
  if (gc->inside) return false;
  size_t waiting = waiting_within(gc, units);
  bool small = major_work_expected(gc) <= size_max(units, SMALL_WORK);
  if (small) units = 2 * size_max(units, SMALL_WORK);
  begin_by_hand(gc, &started);
  size_t work = gc->phase != PHASE_PAUSE ? work_until(gc, units, 0) : 0;
  if (gc->phase == PHASE_PAUSE && work < units) {
    if (small) gc->major_next = true;
    work += work_until(gc, units - work, 0);
  }
  step_note_largest(gc, work, waiting);
  end_by_hand(gc, work, started);
  return gc->stats.cycles != cycles;
}

/* -- Whole collections ----------------------------------------------------- */

static void collect(Gc *gc) {
  cycle_finish(gc);
  gc->major_next = true;
  gc->choice.minors = 0;        /* says nothing about what they cost */
  if (cycle_unit(gc) > 0) cycle_finish(gc);
  heap_release_all(&gc->heap);
}

void gc_collect(Gc *gc) {
  uint64_t started;
  if (gc->inside) return;
  step_begin(gc, &started);
  collect(gc);
  gc->inside = false;
  if (started) report_collection(gc, started);
  if (gc->debug.verify) gc_verify(gc);
}

void gc_collect_emergency(Gc *gc) {
  if (gc->inside) return;
  size_t bytes = gc_count(gc);
  if (gc->client.emergency && !gc->client.emergency(gc->client.context, bytes))
    return;
  gc->stats.emergencies++;
  report_event(gc, EVENT_EMERGENCY, bytes);
  gc->emergency = true;
  gc_collect(gc);
  gc->emergency = false;
}

/* -- Switches -------------------------------------------------------------- */

void gc_stop(Gc *gc) {
  gc->stopped = true;
  gc->step_due = false;
}

/* A cycle begins now.  If the heap has outgrown its goal meanwhile, it has as
** much room as after a cycle. */
void gc_restart(Gc *gc) {
  gc->stopped = false;
  pace_restart(gc);
}

void gc_set_generational(Gc *gc, bool generational) {
  if (gc->generational == generational) return;
  gc->generational = generational;
  choose_mode(gc);
}
