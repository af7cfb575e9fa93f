/* SPDX-License-Identifier: MIT */
/*
** collect.c -- steps and collections by hand
**
** They use the same functions as automatic steps and leave the same state: the
** next automatic step only has less work to do.
*/
#include "gc/gc_impl.h"

enum { SMALL_WORK = 16384 /* units of a full cycle in one step: 50 us */ };

/* -- Steps ----------------------------------------------------------------- */

/* Steps by hand may be repeated until the cycle ends.  A large frame stays for
** that whole time, so the end of the cycle does not wait for it.  Their purpose
** is to free garbage, so outside of generational mode they begin a major
** cycle. */
static void begin_by_hand(Gc *gc) {
  step_begin(gc, WAIT_HAND);
  gc->finishing = gc->frame_waits;
  if (!gc->generational) gc->major_next = true;
}

static void end_by_hand(Gc *gc, size_t work) {
  if (gc->phase != PHASE_PAUSE) step_schedule(gc);
  step_end(gc, work);
}

bool gc_cycle_is_over(const Gc *gc) {
  return gc->phase == PHASE_PAUSE && (gc->generational || !gc->minor);
}

/* Works until `units` are done, the clock reaches `end` or a cycle ends.  0 as
** `end` means no bound. */
static size_t work_until(Gc *gc, size_t units, uint64_t end) {
  size_t work = 0;
  while (work < units) {
    size_t done = cycle_slice(gc);
    work += done;
    if (done == 0 || gc->phase == PHASE_PAUSE) break;
    if (end && gc_clock() >= end) break;
  }
  return work;
}

/* The part of `units` that is allowed because of the size of an allocation.  If
** more is asked for than is due, it is the part that the goal needs. */
static size_t waiting_within(const Gc *gc, size_t units) {
  Allowance due = step_allowed_now(gc);
  return units <= due.units ? due.waiting : step_allowed_to_goal(gc).waiting;
}

bool gc_step_work(Gc *gc, size_t units) {
  if (gc->inside) return false;
  inspection_poll(gc);
  size_t waiting = waiting_within(gc, units);
  begin_by_hand(gc);
  size_t work = work_until(gc, units, 0);
  step_note_largest(gc, work, waiting);
  end_by_hand(gc, work);
  return gc_cycle_is_over(gc);
}

/* Gives memory back until the clock reaches `end`.  Between cycles there is
** nothing else to do. */
static void release_until(Gc *gc, uint64_t end) {
  while (heap_excess(&gc->heap) > 0 && gc_clock() < end)
    if (heap_release_some(&gc->heap) == 0) return;
}

void gc_step_time(Gc *gc, uint64_t microseconds) {
  uint64_t end = gc_clock() + microseconds * 1000;
  if (gc->inside) return;
  inspection_poll(gc);
  if (gc_is_due(gc)) {
    begin_by_hand(gc);
    end_by_hand(gc, work_until(gc, SIZE_MAX, end));
  }
  if (gc->phase == PHASE_PAUSE) release_until(gc, end);
}

static size_t major_work_expected(const Gc *gc) {
  GcWork work = pace_expected(gc, false, pace_bytes(gc));
  return (size_t)(work.marking + work.rest);
}

/* True if no object is young.  As in PUC Lua, an object is young until it has
** survived two cycles.  So none is young if two have ended since the program
** last allocated.  If the program has freed memory, what it has allocated may be
** unknown. */
static bool is_quiet(Gc *gc) {
  const GcQuiet *quiet = &gc->quiet;
  if (heap_clock(&gc->heap) != quiet->clock || gc->pace.frees != quiet->frees)
    gc->quiet.cycles = 0;
  return quiet->cycles >= 2 && gc->phase == PHASE_PAUSE;
}

static void note_quiet(Gc *gc, uint64_t cycles) {
  gc->quiet.clock = heap_clock(&gc->heap);
  gc->quiet.frees = gc->pace.frees;
  gc->quiet.cycles += (unsigned)(gc->stats.cycles - cycles);
}

/* Ends the cycle under way and begins another one.  A minor cycle cannot free
** what the first cycle has made old, so a small heap gets a major cycle
** instead.  The estimate may be wrong, so that stops at twice the units.  If no
** object is young, no garbage can be young, and there is nothing to do. */
bool gc_step_young(Gc *gc, size_t units) {
  uint64_t cycles = gc->stats.cycles;
  if (gc->inside) return false;
  inspection_poll(gc);
  if (is_quiet(gc)) return true;
  size_t waiting = waiting_within(gc, units);
  bool small = major_work_expected(gc) <= size_max(units, SMALL_WORK);
  if (small) units = 2 * size_max(units, SMALL_WORK);
  begin_by_hand(gc);
  size_t work = gc->phase != PHASE_PAUSE ? work_until(gc, units, 0) : 0;
  if (gc->phase == PHASE_PAUSE && work < units) {
    if (small) gc->major_next = true;
    work += work_until(gc, units - work, 0);
  }
  step_note_largest(gc, work, waiting);
  end_by_hand(gc, work);
  note_quiet(gc, cycles);
  return gc->stats.cycles != cycles;
}

/* -- Whole collections ----------------------------------------------------- */

/* The second part of an inspection comes before the next cycle. */
static void finish_second(Gc *gc) {
  if (gc->inspection.part == INSPECT_SECOND && cycle_slice(gc) > 0)
    cycle_finish(gc);
}

/* True if an emergency collection is to be given up.  The cycle goes on in steps
** then.  It may take much longer than usual if the collector itself gets no
** memory (ephemeron.c). */
static bool is_given_up(const Gc *gc) {
  const GcClient *client = &gc->client;
  return gc->emergency && client->emergency &&
         !client->emergency(client->context, 0);
}

/* Finishes the cycle.  False if that was given up. */
static bool finish(Gc *gc) {
  enum { ASK_UNITS = 1 << 14 };
  gc->finishing = true;
  bool given_up = false;
  for (size_t work = 0; gc->phase != PHASE_PAUSE && !given_up;) {
    work += cycle_slice(gc);
    if (work < ASK_UNITS) continue;
    given_up = is_given_up(gc);
    work = 0;
  }
  gc->finishing = false;
  return !given_up;
}

static void collect(Gc *gc) {
  if (!finish(gc)) return;
  finish_second(gc);
  gc->major_next = true;
  gc->choice.minors = 0; /* says nothing about their cost */
  if (cycle_slice(gc) > 0 && !finish(gc)) return;
  finish_second(gc);
  heap_release_all(&gc->heap);
}

/* The program has asked for all there is to do, so it waits. */
static void finish_inspection(Gc *gc) {
  gc->finishing = true;
  while (gc->inspection.part == INSPECT_ELSEWHERE) inspection_poll(gc);
  gc->finishing = false;
}

void gc_collect(Gc *gc) {
  if (gc->inside) return;
  step_begin(gc, gc->emergency ? WAIT_EMERGENCY : WAIT_COLLECTION);
  collect(gc);
  finish_inspection(gc);
  gc->inside = false;
  report_wait_ends(gc, EVENT_COLLECT, 0);
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

/* A cycle begins now.  If the heap has outgrown its goal in the meantime, the
** cycle gets as much headroom as after a normal cycle. */
void gc_restart(Gc *gc) {
  gc->stopped = false;
  pace_restart(gc);
}

void gc_set_generational(Gc *gc, bool generational) {
  if (gc->generational == generational) return;
  gc->generational = generational;
  choose_mode(gc);
}
