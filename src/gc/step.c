/* SPDX-License-Identifier: MIT */
/*
** step.c -- how much work the next step does
**
** While a cycle runs, W is the work that is left, and R the room that is left:
** the bytes that may be allocated before the heap reaches its goal.  A rate of
** W / R units for each byte allocated ends the cycle at the goal.  Work that a
** step leaves undone needs no record: it makes W larger and R smaller, so the
** next step has a higher rate.
**
** Two caps protect the program:
**
**   A step      ends after STEP_UNITS, and begins no unit after 40 us.
**   Steps in    take at most COLLECTOR_SHARE times as long as the program runs
**   a row       between them.  So within the goal the program has at least a
**               fifth of the time, in any window longer than two steps.
**
** An allocation of n bytes may wait longer, for another n * W / R units.  That
** is at most one unit for 3 bytes, or 4/3 ns a byte.  Filling an array takes
** about as long.  Visiting an array is one unit for 9 bytes, so the cycle gains
** on a program that does nothing but make arrays.
**
** The caps depend only on the lateness: how far the heap is beyond the goal, in
** units of the growth that was allowed.
**
**   lateness    steps in a row        more units after an allocation of n bytes
**      0        4 times as long       n * W / R, at most n / 3
**     1/2       8 times as long       at least n / 6
**      1        no cap                n / 3
**
** At a lateness of 1 each kilobyte of allocation causes a step.  The step does
** thousands of units, so the cycle ends before the heap has grown much further.
*/
#include "gc/gc_impl.h"

enum {
  STEP_UNITS = 8192,   /* most work in a step: 25 us with warm caches */
  STEP_AIM = 2048,     /* units of a usual step: 6 us */
  COLLECTOR_SHARE = 4, /* nanoseconds for each nanosecond of the program */
  BUCKET_STEPS = 2,    /* steps that may follow each other immediately */
  STEP_BYTES_MIN = BLOCK_PAGE, /* a run of cells is no shorter */
  STEP_SIZE_MIN = 10,          /* logarithm of STEP_BYTES_MIN */
  STEP_SIZE_MAX = 16,          /* 64 KB: only a small multiplier gets there */
  ROOM_PARTS = 8,      /* estimates of work and room are not more precise
                            ** than an eighth */
  CLOCK_UNITS = 512,   /* units between two readings of the clock: 2 us */
  FINALIZER_GROUP = 8, /* finalizers called in a row: a few us */
  FILL_UNIT = 3,       /* bytes of an allocation for one more unit */
  UNIT_NANOSECONDS = 4
};

/* -- When a step is due ---------------------------------------------------- */

static bool clock_has_passed(const Gc *gc, size_t place) {
  return (ptrdiff_t)(pace_clock(gc) - place) >= 0;
}

void pace_notice(Gc *gc) {
  if (clock_has_passed(gc, gc->pace.step_at) || gc->debug.step_always)
    gc->step_due = !gc->stopped;
  if (UNLIKELY(gc->sampler.sample != NULL)) report_sample(gc);
}

/* Between cycles reserved bytes count at once, because nothing would correct
** for bytes that are reserved and never used.  But no step becomes longer
** because of them. */
void gc_part_reserved(Gc *gc, size_t bytes) {
  if (gc->phase != PHASE_PAUSE)
    gc->pace.reserved += bytes;
  else
    gc->pace.waived += bytes;
}

/* The new part replaces one of about half its size, so it fills twice as much
** memory as it adds. */
void gc_part_filled(Gc *gc, size_t bytes) {
  heap_release_filled(&gc->heap, 2 * bytes);
  gc->pace.reserved -= size_min(gc->pace.reserved, bytes);
  pace_notice(gc);
}

void gc_part_settled(Gc *gc) {
  gc->pace.waived += gc->pace.reserved;
  gc->pace.reserved = 0;
  pace_notice(gc);
}

/* Makes sure that no step happens before `bytes` more are allocated. */
static void rest_for(Gc *gc, size_t bytes) {
  gc->heap.run_limit = size_min(size_max(bytes, STEP_BYTES_MIN), RUN_MAX);
  gc->pace.step_at = pace_clock(gc) + bytes;
  gc->step_due = false;
}

/* Makes the next step due after `bytes` more are allocated. */
static void next_step_after(Gc *gc, size_t bytes) {
  rest_for(gc, bytes);
  gc->pace.due_at = gc->pace.step_at;
  gc->pace.waived = 0;
}

/* Bytes that may be allocated before the next cycle begins. */
static size_t bytes_to_cycle(const Gc *gc) {
  ptrdiff_t left = (ptrdiff_t)(gc->pace.cycle_at - pace_clock(gc));
  return left > 0 ? (size_t)left : 0;
}

/* Between cycles, finalizers are called in small groups, and memory goes back a
** piece at a time. */
void step_after_cycle(Gc *gc) {
  size_t bytes = bytes_to_cycle(gc);
  if (heap_excess(&gc->heap) > 0) bytes = size_min(bytes, RUN_MAX);
  if (gc_has_finalizable(gc)) {
    size_t each = bytes / (gc->ready / FINALIZER_GROUP + 1);
    bytes = size_max(each, STEP_BYTES_MIN); /* also if a cycle is overdue */
  }
  gc->pace.stepped_at = pace_clock(gc);
  next_step_after(gc, bytes);
}

/* -- The rate -------------------------------------------------------------- */

/* The rate at which a cycle works even if there is room for a lower one.
** Objects that die after they were marked stay until the next cycle, so slow
** cycles keep garbage. */
double step_least_rate(const Gc *gc) {
  int multiplier = gc->step_multiplier > 0 ? gc->step_multiplier : 1;
  return multiplier * LEAST_RATE / 100;
}

/* A look between cycles and the cycle after it have one goal. */
static double work_left(const Gc *gc) {
  const GcPace *pace = &gc->pace;
  if (UNLIKELY(gc->phase == PHASE_LOOK)) {
    GcWork next = pace_expected(gc, false, pace_bytes(gc));
    return next.marking + next.rest + gc->look.left;
  }
  GcWork work = pace_expected(gc, gc->minor, pace->began_bytes);
  double look = gc->look.part == LOOK_FIRST ? gc->look.left : 0;
  double done = (double)(gc->stats.work - pace->began_work);
  double after = (double)(gc->stats.work - pace->marked_work);
  if (gc->phase < PHASE_CLEAR_VALUES) {
    double marking = work.marking - done, least = work.marking / ROOM_PARTS;
    return (marking > least ? marking : least) + work.rest + look;
  }
  double rest = work.rest - after, least = work.rest / ROOM_PARTS;
  return (rest > least ? rest : least) + look;
}

/* The rate, in units for each byte allocated, that ends the cycle at the
** goal. */
static double rate_to_goal(const Gc *gc) {
  const GcPace *pace = &gc->pace;
  double room = (double)(ptrdiff_t)(pace->goal - pace_clock(gc));
  double least_room = (double)(pace->growth / ROOM_PARTS + 1);
  return work_left(gc) / (room > least_room ? room : least_room);
}

static double step_rate(const Gc *gc) {
  double rate = rate_to_goal(gc), least = step_least_rate(gc);
  return rate > least ? rate : least;
}

/* 0 while the heap is within the goal, 1 when it is one growth or more beyond
** it. */
static double lateness(const Gc *gc) {
  ptrdiff_t beyond = (ptrdiff_t)(pace_clock(gc) - gc->pace.goal);
  if (beyond <= 0) return 0;
  double late = (double)beyond / (double)(gc->pace.growth + 1);
  return late < 1 ? late : 1;
}

bool gc_is_late(const Gc *gc) { return lateness(gc) > 0; }

bool gc_may_wait(const Gc *gc) { return gc->finishing || lateness(gc) >= 1; }

/* -- Steps in a row -------------------------------------------------------- */

/* A token bucket of nanoseconds.  It fills while the program runs, and each
** step takes its duration out of it. */
static void bucket_fill(Gc *gc, double late) {
  GcPace *pace = &gc->pace;
  uint64_t now = gc_clock(), passed = now - pace->credit_at;
  double most = BUCKET_STEPS * (double)gc->step_nanoseconds;
  double earned = (double)passed * COLLECTOR_SHARE;
  if (late < 1) earned /= 1 - late;
  pace->credit += earned < 2 * most ? earned : 2 * most;
  if (pace->credit > most || late >= 1) pace->credit = most;
  pace->credit_at = now;
}

/* Without a time limit the clock is not read, and the time is estimated from
** the units. */
static void bucket_take(Gc *gc, size_t work) {
  GcPace *pace = &gc->pace;
  uint64_t now = 0, spent = work * UNIT_NANOSECONDS;
  if (gc->step_nanoseconds) {
    now = gc_clock();
    spent = now - pace->credit_at;
  }
  double most = BUCKET_STEPS * (double)gc->step_nanoseconds;
  pace->credit -= (double)spent < most ? (double)spent : most;
  pace->credit_at = now;
  pace->frame_used += spent;
}

/* True if the bucket has enough for at least half a step. */
static bool bucket_allows_step(Gc *gc, double late) {
  if (!gc->step_nanoseconds || gc->debug.step_always) return true;
  bucket_fill(gc, late);
  return gc->pace.credit * 2 >= (double)gc->step_nanoseconds;
}

/* -- Steps in a frame ------------------------------------------------------ */

/* Nanoseconds that are left for steps in this frame.  The bound rises with the
** lateness.  At a lateness of 1 there is no bound.  What is allocated while the
** bound holds steps back makes no later step longer. */
static double frame_left(const Gc *gc, double late) {
  const GcPace *pace = &gc->pace;
  if (pace->frame_most == 0 || late >= 1) return (double)PTRDIFF_MAX;
  return (double)pace->frame_most / (1 - late) - (double)pace->frame_used;
}

void gc_begin_frame(Gc *gc, uint64_t nanoseconds) {
  gc->pace.frame_most = nanoseconds;
  gc->pace.frame_used = 0;
}

/* -- One step -------------------------------------------------------------- */

/* Bytes allocated since the last step. */
static size_t bytes_stepped(const Gc *gc) {
  ptrdiff_t bytes = (ptrdiff_t)(pace_clock(gc) - gc->pace.stepped_at);
  return bytes > 0 ? (size_t)bytes : 0;
}

/* Bytes allocated beyond the place where the step was due. */
static size_t bytes_beyond(const Gc *gc) {
  const GcPace *pace = &gc->pace;
  ptrdiff_t bytes = (ptrdiff_t)(pace_clock(gc) - pace->due_at);
  return bytes > 0 ? (size_t)bytes - size_min((size_t)bytes, pace->waived) : 0;
}

/* Units for each byte of a large allocation. */
static double fill_rate(double to_goal, double late) {
  double least = late / FILL_UNIT, most = 1.0 / FILL_UNIT;
  if (to_goal < least) return least;
  return to_goal < most ? to_goal : most;
}

/* Units that a step may do because of the size of an allocation. */
static double fill_units(const Gc *gc, double to_goal, double late) {
  double units = fill_rate(to_goal, late) * (double)bytes_beyond(gc);
  double most = frame_left(gc, late) / UNIT_NANOSECONDS;
  return units < most ? units : most;
}

/* The allowance of a step that works at the rate that the goal needs, but at
** least at the rate `least`. */
static Allowance step_allowance(const Gc *gc, double least, double late) {
  double to_goal = rate_to_goal(gc), bytes = (double)bytes_stepped(gc);
  double rate = to_goal > least ? to_goal : least;
  double fill = fill_units(gc, to_goal, late);
  double due = rate * bytes + 1, most = STEP_UNITS + fill;
  if (due > most || (late >= 1 && !gc->stopped)) due = most;
  Allowance allowed = {(size_t)due, (size_t)fill, 0};
  if (gc->step_nanoseconds == 0) return allowed;
  double time = gc->pace.credit, longest = (double)gc->step_nanoseconds;
  double frame = frame_left(gc, late);
  if (time > longest) time = longest;
  time += fill * UNIT_NANOSECONDS;
  if (time > frame) time = frame;
  if (time < longest / 2) time = longest / 2;
  allowed.nanoseconds = (uint64_t)time;
  return allowed;
}

/* If the collector is stopped, everything allocated since the last step by hand
** counts as one allocation beyond the goal, because there are no steps in
** between. */
Allowance step_allowed_now(const Gc *gc) {
  double late = gc->stopped ? 1 : lateness(gc);
  return step_allowance(gc, step_least_rate(gc), late);
}

/* Prices of units assume that half of the data is in the caches.  If less is,
** the clock ends the step. */
static size_t work_allowed(Gc *gc, Allowance most) {
  uint64_t limit = most.nanoseconds, began = gc->pace.credit_at;
  size_t work = 0, next_look = limit ? CLOCK_UNITS : SIZE_MAX;
  while (work < most.units) {
    size_t done = cycle_unit(gc);
    work += done;
    if (done == 0 || gc->phase == PHASE_PAUSE) break;
    if (work < next_look) continue;
    uint64_t passed = gc_clock() - began;
    if (passed > limit) break;
    next_look = work + (passed > limit / 2 ? CLOCK_UNITS / 2 : CLOCK_UNITS);
  }
  return work;
}

/* The bytes between two steps.  The step size is a setting, but a step with
** more work to do comes earlier. */
static size_t step_bytes(const Gc *gc, double rate) {
  int size = gc->step_size;
  if (size < STEP_SIZE_MIN) size = STEP_SIZE_MIN;
  if (size > STEP_SIZE_MAX) size = STEP_SIZE_MAX;
  double bytes = (double)((size_t)1 << size), enough = STEP_AIM / rate;
  if (bytes > enough) bytes = enough;
  return size_max((size_t)bytes, STEP_BYTES_MIN);
}

void step_schedule(Gc *gc) {
  size_t bytes =
      lateness(gc) < 1 ? step_bytes(gc, step_rate(gc)) : STEP_BYTES_MIN;
  gc->pace.stepped_at = pace_clock(gc);
  next_step_after(gc, bytes);
  if (gc->frame_waits) gc->step_due = !gc->stopped;
}

/* True if there is nothing to do for a cycle.  A cycle that began while objects
** wait for their finalizers would find them live and the heap too large.  So it
** waits for these calls, if the client makes them. */
static bool is_idle(const Gc *gc) {
  if (gc->phase != PHASE_PAUSE) return false;
  if (gc->finalizers_first && gc_has_finalizable(gc)) return true;
  return !clock_has_passed(gc, gc->pace.cycle_at) && !gc->debug.step_always;
}

/* The frame has no time left for a step. */
static void hold_back(Gc *gc) {
  bool between = gc->phase <= PHASE_LOOK; /* a cycle should have begun */
  if (!is_idle(gc)) pace_held(gc, between ? pace_clock(gc) : gc->pace.began_at);
  next_step_after(gc, STEP_BYTES_MIN);
}

/* Between cycles a step gives one piece of memory back to the system. */
static void idle_step(Gc *gc) {
  uint64_t started = report_is_timed(gc) ? report_clock() : 0;
  size_t released = heap_release_some(&gc->heap);
  step_after_cycle(gc);
  if (started && released) report_step(gc, 0, started);
}

void step_note_largest(Gc *gc, size_t work, size_t waiting) {
  work -= size_min(work, waiting);
  if (work > gc->stats.largest_step) gc->stats.largest_step = work;
}

static size_t cycle_step(Gc *gc, double late) {
  uint64_t started;
  Allowance allowed = step_allowance(gc, step_least_rate(gc), late);
  step_begin(gc, &started);
  size_t work = work_allowed(gc, allowed);
  if (gc->phase != PHASE_PAUSE || work == 0) step_schedule(gc);
  step_note_largest(gc, work, allowed.waiting);
  step_end(gc, work, started);
  return work;
}

void gc_step(Gc *gc) {
  double late = lateness(gc);
  if (gc->inside) return;
  look_ask(gc);
  if (frame_left(gc, late) <= 0) {
    hold_back(gc);
    return;
  }
  if (!bucket_allows_step(gc, late)) {
    rest_for(gc, STEP_BYTES_MIN);
    return;
  }
  size_t work = 0;
  if (is_idle(gc))
    idle_step(gc);
  else
    work = cycle_step(gc, late);
  bucket_take(gc, work);
}

/* All ready finalizers are called before the next cycle begins. */
size_t gc_finalizers_due(const Gc *gc) {
  size_t room = bytes_to_cycle(gc);
  if (gc->phase != PHASE_PAUSE) return 1;
  if (room < STEP_BYTES_MIN) return gc->ready;
  return size_max(FINALIZER_GROUP, gc->ready / (room / STEP_BYTES_MIN));
}

/* -- For steps by hand ----------------------------------------------------- */

size_t gc_units_due(const Gc *gc) { return step_allowed_now(gc).units; }

size_t gc_units_to_goal(const Gc *gc) {
  return step_allowance(gc, 0, lateness(gc)).units;
}

bool gc_is_due(const Gc *gc) { return !is_idle(gc); }

GcProspect gc_prospect(Gc *gc) {
  GcPace *pace = &gc->pace;
  ptrdiff_t room = (ptrdiff_t)(pace->goal - pace_clock(gc));
  ptrdiff_t allocated = (ptrdiff_t)(pace_clock(gc) - pace->asked_at);
  pace->asked_at = pace_clock(gc);
  return (GcProspect){gc->phase == PHASE_PAUSE ? 0 : (size_t)work_left(gc),
                      room > 0 ? (size_t)room : 0,
                      allocated > 0 ? (size_t)allocated : 0};
}

/* -- Before and after every kind of step ----------------------------------- */

void step_begin(Gc *gc, uint64_t *started) {
  gc->inside = true;
  *started = report_is_timed(gc) ? report_clock() : 0;
}

void step_end(Gc *gc, size_t work, uint64_t started) {
  gc->inside = gc->finishing = false;
  gc->stats.steps++;
  size_t bytes = gc_count(gc);
  if (bytes > gc->stats.peak_bytes) gc->stats.peak_bytes = bytes;
  if (started) report_step(gc, work, started);
  verify_step(gc);
}
