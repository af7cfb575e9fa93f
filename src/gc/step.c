/* SPDX-License-Identifier: MIT */
/*
** step.c -- how much work the next step does
**
** While a cycle runs, W is the work that is left, and R the headroom: the bytes
** that may be allocated before the heap reaches its goal.  A rate of W / R
** units for each byte allocated ends the cycle at the goal.  Work that a step
** leaves undone needs no record: it makes W larger and R smaller, so the next
** step has a higher rate.
**
** Two caps protect the program:
**
**   A step      ends after STEP_UNITS, and begins no slice after 40 us.
**   Steps in    take STEP_SHARE times as long as the program runs between them,
**   a row       and up to SHARE_MOST times if the cycle would end beyond its goal
**               otherwise.  So within the goal the program has at least half of
**               the time, in any window of 2 ms.
**
** Beyond the goal a step does all that the second cap allows, and the cap rises
** with the lateness: how far the heap is beyond the goal, in units of the growth
** that was allowed.  An allocation of n bytes may then wait longer, for up to n
** / 3 units, or 4/3 ns a byte.  Filling an array takes about as long.  Visiting
** an array is one unit for 9 bytes, so the cycle gains on a program that does
** nothing but make arrays.
**
**   lateness    steps in a row        more units after an allocation of n bytes
**      0        0.6 to 0.85 times     none for small ones; fill_rate
**     1/2       1.7 times as long     n / 6
**      1        no cap                n / 3
**
** At a lateness of 1 each kilobyte of allocation causes a step.  The step does
** thousands of units, so the cycle ends before the heap has grown much further.
*/
#include "gc/gc_impl.h"

enum {
  STEP_UNITS = 8192, /* most work in a step: 25 us with warm caches */
  STEP_AIM = 2048,   /* units of a usual step: 6 us */
  STEP_PARTS = 8,    /* the shortest step has this part of the time of a step */
  BUCKET_PARTS = 2,  /* within the goal, steps may have this part of the time
                        ** of a step without waiting for the program */
  GAP_STEPS = 16,    /* the program's time between two steps counts up to this
                        ** many times that of a step: it may have slept, or
                        ** another program may have run */
  STEP_BYTES_MIN = BLOCK_PAGE, /* a run of cells is no shorter */
  STEP_SIZE_MIN = 10,          /* logarithm of STEP_BYTES_MIN */
  STEP_SIZE_MAX = 16,          /* 64 KB: only a small multiplier gets there */
  CLOCK_UNITS = 512,   /* units between two readings of the clock: 2 us */
  FINALIZER_GROUP = 8, /* finalizers called in a row: a few us */
  FILL_UNIT = 3,       /* bytes of an allocation for one more unit */
  FILL_LARGE = 8192,   /* bytes of an allocation that waits even within the
                            ** goal */
  UNIT_NANOSECONDS = 4
};

/* Units for each byte beyond the goal, where the clock is not read. */
#define LATE_RATE 1.0

/* Nanoseconds of steps for each one of the program during an inspection. */
#define INSPECTION_SHARE 4.0

/* -- When a step is due ---------------------------------------------------- */

static bool clock_has_passed(const Gc *gc, size_t place) {
  return (ptrdiff_t)(pace_clock(gc) - place) >= 0;
}

void pace_notice(Gc *gc) {
  if (clock_has_passed(gc, gc->pace.step_at) || gc->debug.step_always)
    gc->step_due = !gc->stopped;
  if (UNLIKELY(gc->sampler.sample != NULL)) report_sample(gc);
}

/* Between cycles, reserved bytes count at once, because a reservation that is
** never used would otherwise be forgotten.  They do not lengthen the next step.
** If a cycle begins before the last of them are filled, these count as reserved
** after all: otherwise the clock would stand still while the program fills a
** huge part, and the cycle with it. */
void gc_part_reserved(Gc *gc, size_t bytes) {
  GcPace *pace = &gc->pace;
  if ((float)bytes * 2 > pace->lump) pace->lump = (float)bytes * 2;
  if (gc->phase != PHASE_PAUSE) {
    pace->reserved += bytes;
    return;
  }
  pace->waived += bytes;
  pace->reserved = bytes;
  pace_lump(gc);
}

/* The new part replaces one of about half its size, so it fills twice as much
** memory as it adds. */
void gc_part_filled(Gc *gc, size_t bytes) {
  GcPace *pace = &gc->pace;
  heap_release_filled(&gc->heap, 2 * bytes);
  pace->reserved -= size_min(pace->reserved, bytes);
  pace_notice(gc);
}

void gc_part_settled(Gc *gc) {
  if (gc->phase != PHASE_PAUSE) gc->pace.waived += gc->pace.reserved;
  gc->pace.reserved = 0;
  pace_notice(gc);
}

/* Makes the next step due after `bytes` more are allocated. */
static void next_step_after(Gc *gc, size_t bytes) {
  gc->heap.run_limit = size_min(size_max(bytes, STEP_BYTES_MIN), RUN_MAX);
  gc->pace.step_at = pace_clock(gc) + bytes;
  gc->pace.waived = 0;
  gc->step_due = false;
}

/* Bytes that may be allocated before the clock is at `place`. */
static size_t bytes_to(const Gc *gc, size_t place) {
  ptrdiff_t left = (ptrdiff_t)(place - pace_clock(gc));
  return left > 0 ? (size_t)left : 0;
}

/* Between cycles, finalizers are called in small groups, and memory goes back a
** piece at a time. */
void step_after_cycle(Gc *gc) {
  size_t bytes = bytes_to(gc, gc->pace.cycle_at);
  if (heap_excess(&gc->heap) > 0) bytes = size_min(bytes, RUN_MAX);
  if (gc_has_finalizable(gc)) {
    size_t each = bytes / (gc->ready / FINALIZER_GROUP + 1);
    bytes = size_max(each, STEP_BYTES_MIN); /* also if a cycle is overdue */
  }
  gc->pace.stepped_at = pace_clock(gc);
  next_step_after(gc, bytes);
}

/* -- The rate -------------------------------------------------------------- */

double step_share(const Gc *gc) {
  return STEP_SHARE * (gc->step_multiplier > 0 ? gc->step_multiplier : 1) / 100;
}

/* An inspection between cycles and the cycle after it have one goal. */
static double work_left(const Gc *gc) {
  const GcPace *pace = &gc->pace;
  if (UNLIKELY(gc->phase == PHASE_INSPECT)) {
    GcWork next = pace_expected(gc, false, pace_bytes(gc));
    return next.marking + next.rest + gc->inspection.left;
  }
  GcWork work = pace_expected(gc, gc->minor, pace_began_bytes(gc));
  double inspection =
      gc->inspection.part == INSPECT_FIRST ? gc->inspection.left : 0;
  double done = (double)(gc->stats.work - pace->began_work);
  double after = (double)(gc->stats.work - pace->marked_work);
  if (gc->phase < PHASE_CLEAR_VALUES) {
    double marking = work.marking - done, least = work.marking / ESTIMATE_PARTS;
    return (marking > least ? marking : least) + work.rest + inspection;
  }
  double rest = work.rest - after, least = work.rest / ESTIMATE_PARTS;
  return (rest > least ? rest : least) + inspection;
}

/* The rate, in units for each byte allocated, that ends the cycle at the
** goal. */
static double rate_to_goal(const Gc *gc) {
  const GcPace *pace = &gc->pace;
  double headroom =
      (double)(ptrdiff_t)(pace->goal - pace_clock(gc)) - pace->margin;
  double least_headroom = pace->margin / 2 + 1;
  return work_left(gc) /
         (headroom > least_headroom ? headroom : least_headroom);
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

/* The bytes between two steps.  The step size is a setting, but a step with
** more work to do comes earlier. */
static size_t step_bytes(const Gc *gc) {
  int size = gc->step_size;
  if (size < STEP_SIZE_MIN) size = STEP_SIZE_MIN;
  if (size > STEP_SIZE_MAX) size = STEP_SIZE_MAX;
  double unit = gc->pace.last[gc->minor].bytes_per_unit;
  double bytes = (double)((size_t)1 << size);
  double enough = STEP_AIM * unit / step_share(gc);
  if (bytes > enough) bytes = enough;
  return size_max((size_t)bytes, STEP_BYTES_MIN);
}

/* -- Steps in a row -------------------------------------------------------- */

/* Nanoseconds of steps for each one of the program.  A cycle is planned for the
** share of the settings.  If those are low, it may need more to end at the
** goal.  An inspection keeps all garbage until it ends, so it must end soon. */
static double share_now(const Gc *gc, double late) {
  double share = step_share(gc);
  double needed = rate_to_goal(gc) * gc->pace.last[gc->minor].bytes_per_unit;
  if (late > 0 || needed > SHARE_MOST) needed = SHARE_MOST;
  if (share < needed) share = needed;
  if (UNLIKELY(gc->inspection.slice != NULL) && share < INSPECTION_SHARE)
    share = INSPECTION_SHARE;
  return late < 1 ? share / (1 - late) : share;
}

/* A token bucket of nanoseconds.  It fills while the program runs, and each
** step takes its duration out of it.  It holds part of a step, so that a short
** frame has few steps, and more beyond the goal. */
static double bucket_size(const Gc *gc, double late) {
  double step = (double)gc->step_nanoseconds, part = step / BUCKET_PARTS;
  return part + late * (2 * step - part);
}

static void bucket_fill(Gc *gc, double late) {
  GcPace *pace = &gc->pace;
  uint64_t now = gc_clock(), passed = now - pace->credit_at;
  uint64_t longest = GAP_STEPS * gc->step_nanoseconds;
  if (passed > longest) passed = longest;
  double most = bucket_size(gc, late);
  double credit = pace->credit + (double)passed * share_now(gc, late);
  pace->credit = (float)(credit > most || late >= 1 ? most : credit);
  pace->program_time += (float)passed;
  pace->credit_at = now;
}

/* Without a time limit the clock is not read, and the time is estimated from
** the units.  A step that takes much longer than it may was interrupted by
** another program. */
static void bucket_take(Gc *gc, size_t work) {
  GcPace *pace = &gc->pace;
  uint64_t now = 0, spent = work * UNIT_NANOSECONDS;
  uint64_t longest = 2 * gc->step_nanoseconds;
  if (longest) {
    now = gc_clock();
    spent = now - pace->credit_at;
  }
  if (longest && spent > longest) spent = longest;
  pace->frame_used += spent;
  pace->credit -= (float)spent;
  pace->credit_at = now;
  pace->step_time += (float)spent;
}

/* What the bucket lacks for the shortest step, in nanoseconds. */
static double bucket_lacks(const Gc *gc) {
  return (double)gc->step_nanoseconds / STEP_PARTS - gc->pace.credit;
}

/* True if the bucket has enough for the shortest step. */
static bool bucket_allows_step(Gc *gc, double late) {
  if (!gc->step_nanoseconds || gc->debug.step_always) return true;
  bucket_fill(gc, late);
  return bucket_lacks(gc) <= 0;
}

/* Bytes that the program allocates until the bucket has enough.  Asking more
** often would take time and allow no step. */
static size_t bytes_to_credit(const Gc *gc, double late) {
  double bytes_per_unit = gc->pace.last[gc->minor].bytes_per_unit;
  double units = bucket_lacks(gc) / share_now(gc, late) / UNIT_NANOSECONDS;
  double bytes = units * bytes_per_unit, most = (double)step_bytes(gc);
  return size_max((size_t)(bytes < most ? bytes : most), STEP_BYTES_MIN);
}

/* -- Steps in a frame ------------------------------------------------------ */

/* Nanoseconds that are left for steps in this frame.  The bound rises with the
** lateness.  At a lateness of 1 there is no bound.  Bytes allocated while the
** bound suppresses steps do not lengthen later steps. */
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
  ptrdiff_t bytes = (ptrdiff_t)(pace_clock(gc) - pace->step_at);
  return bytes > 0 ? (size_t)bytes - size_min((size_t)bytes, pace->waived) : 0;
}

/* Units for each byte of an allocation of `bytes`.  Within the goal, only a large
** one waits: it is made in less time than a step takes, so that the share of the
** time would not keep the goal. */
static double fill_rate(const Gc *gc, size_t bytes, double late) {
  double least = late / FILL_UNIT, most = 1.0 / FILL_UNIT;
  double rate = bytes >= FILL_LARGE ? rate_to_goal(gc) : 0;
  if (rate < least) return least;
  return rate < most ? rate : most;
}

/* Units that a step may do because of the size of an allocation. */
static double fill_units(const Gc *gc, double late) {
  size_t bytes = bytes_beyond(gc);
  double units = fill_rate(gc, bytes, late) * (double)bytes;
  double most = frame_left(gc, late) / UNIT_NANOSECONDS;
  return units < most ? units : most;
}

/* The time of a step: what the bucket has, and what a large allocation waits. */
static uint64_t step_time(const Gc *gc, double fill, double late) {
  double time = gc->pace.credit, longest = (double)gc->step_nanoseconds;
  double frame = frame_left(gc, late), least = longest / STEP_PARTS;
  if (time > longest) time = longest;
  if (time < 0) time = 0;
  time += fill * UNIT_NANOSECONDS;
  if (time > frame) time = frame;
  return (uint64_t)(time > least ? time : least);
}

/* True if there is time for a step now, or something else to do it for. */
static bool step_has_time(Gc *gc, double late) {
  if (frame_left(gc, late) <= 0) return false;
  return bucket_allows_step(gc, late) || fill_units(gc, late) >= CLOCK_UNITS;
}

/* `rate` units for each byte allocated since the last step. */
static Allowance allowance_at(const Gc *gc, double rate, double late) {
  double fill = fill_units(gc, late), most = STEP_UNITS + fill;
  double due = rate * (double)bytes_stepped(gc) + 1;
  if (due > most || (late >= 1 && !gc->stopped)) due = most;
  return (Allowance){(size_t)due, (size_t)fill, 0};
}

/* Without a clock, a step does what ends the cycle at the goal, and at least what
** the share would do in a program of usual speed. */
static Allowance step_untimed(const Gc *gc, double late) {
  double rate = rate_to_goal(gc), least = step_share(gc) / UNIT_BYTES;
  if (late > 0) least = LATE_RATE;
  return allowance_at(gc, rate > least ? rate : least, late);
}

/* A step with a clock does what its time allows. */
static Allowance step_allowance(const Gc *gc, double late) {
  if (gc->step_nanoseconds == 0) return step_untimed(gc, late);
  double fill = fill_units(gc, late);
  return (Allowance){(size_t)(STEP_UNITS + fill), (size_t)fill,
                     step_time(gc, fill, late)};
}

/* If the collector is stopped, everything allocated since the last step by hand
** counts as one allocation beyond the goal, because there are no steps in
** between. */
Allowance step_allowed_now(const Gc *gc) {
  return step_untimed(gc, gc->stopped ? 1 : lateness(gc));
}

Allowance step_allowed_to_goal(const Gc *gc) {
  return allowance_at(gc, rate_to_goal(gc), lateness(gc));
}

/* Prices of units assume that half of the data is in the caches.  If less is,
** the clock ends the step.  Time in which another program ran does not count: a
** few units never take as long as that. */
static size_t work_allowed(Gc *gc, Allowance most) {
  uint64_t limit = most.nanoseconds, began = gc->pace.credit_at, last = began;
  size_t work = 0, next_reading = limit ? CLOCK_UNITS : SIZE_MAX;
  while (work < most.units) {
    size_t done = cycle_slice(gc);
    work += done;
    if (done == 0 || gc->phase == PHASE_PAUSE) break;
    if (work < next_reading) continue;
    uint64_t now = gc_clock();
    if (now - last > GAP_STEPS * gc->step_nanoseconds) began += now - last;
    last = now;
    uint64_t passed = now - began;
    if (passed > limit) break;
    next_reading = work + (passed > limit / 2 ? CLOCK_UNITS / 2 : CLOCK_UNITS);
  }
  return work;
}

void step_schedule(Gc *gc) {
  double late = lateness(gc);
  size_t bytes = late > 0 ? STEP_BYTES_MIN : step_bytes(gc);
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

/* Between cycles a step gives one piece of memory back to the system. */
static void idle_step(Gc *gc) {
  report_wait_begins(gc, WAIT_STEP);
  size_t released = heap_release_some(&gc->heap);
  step_after_cycle(gc);
  if (released == 0) gc->wait_began = 0; /* that is not worth an event */
  report_wait_ends(gc, EVENT_STEP, 0);
}

void step_note_largest(Gc *gc, size_t work, size_t waiting) {
  work -= size_min(work, waiting);
  if (work > gc->stats.largest_step) gc->stats.largest_step = work;
}

static size_t cycle_step(Gc *gc, double late) {
  Allowance allowed = step_allowance(gc, late);
  step_begin(gc, WAIT_STEP);
  size_t work = work_allowed(gc, allowed);
  if (gc->phase != PHASE_PAUSE || work == 0) step_schedule(gc);
  step_note_largest(gc, work, allowed.waiting);
  step_end(gc, work);
  return work;
}

void gc_step(Gc *gc) {
  double late = lateness(gc);
  if (gc->inside) return;
  inspection_poll(gc);
  if (!step_has_time(gc, late)) {
    next_step_after(gc, late > 0 ? STEP_BYTES_MIN : bytes_to_credit(gc, late));
    return;
  }
  size_t work = 0;
  if (is_idle(gc))
    idle_step(gc);
  else
    work = cycle_step(gc, late);
  bucket_take(gc, work);
}

/* All ready finalizers are called before the next cycle begins.  If they make so
** much garbage that it must begin before, the rest is called before it ends.
** Otherwise a program could make more of them than are called. */
size_t gc_finalizers_due(const Gc *gc) {
  bool pause = gc->phase == PHASE_PAUSE;
  size_t headroom = bytes_to(gc, pause ? gc->pace.cycle_at : gc->pace.goal);
  size_t steps = headroom / (pause ? STEP_BYTES_MIN : step_bytes(gc));
  if (steps == 0) return gc->ready;
  return size_max(pause ? FINALIZER_GROUP : 1, gc->ready / steps);
}

/* -- For steps by hand ----------------------------------------------------- */

size_t gc_units_due(const Gc *gc) { return step_allowed_now(gc).units; }

size_t gc_units_to_goal(const Gc *gc) { return step_allowed_to_goal(gc).units; }

bool gc_is_due(const Gc *gc) { return !is_idle(gc); }

GcProspect gc_prospect(Gc *gc) {
  GcPace *pace = &gc->pace;
  ptrdiff_t headroom = (ptrdiff_t)(pace->goal - pace_clock(gc));
  ptrdiff_t allocated = (ptrdiff_t)(pace_clock(gc) - pace->asked_at);
  pace->asked_at = pace_clock(gc);
  return (GcProspect){gc->phase == PHASE_PAUSE ? 0 : (size_t)work_left(gc),
                      headroom > 0 ? (size_t)headroom : 0,
                      allocated > 0 ? (size_t)allocated : 0};
}

/* -- Before and after every kind of step ----------------------------------- */

void step_begin(Gc *gc, GcWait wait) {
  gc->inside = true;
  report_wait_begins(gc, wait);
}

void step_end(Gc *gc, size_t work) {
  gc->inside = gc->finishing = false;
  gc->stats.steps++;
  size_t bytes = gc_count(gc);
  if (bytes > gc->stats.peak_bytes) gc->stats.peak_bytes = bytes;
  report_wait_ends(gc, EVENT_STEP, work);
  verify_step(gc);
}
