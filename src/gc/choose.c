/* SPDX-License-Identifier: MIT */
/*
** choose.c -- choosing between minor and major cycles
**
** Minor cycles do not visit objects that survived earlier cycles.  That pays if
** most objects die young and old objects are seldom written.  In other programs
** minor cycles visit nearly everything, run more often than major ones, and
** leave old garbage behind.
**
** So two costs are compared after each major cycle:
**
**   actual cost       the work of all cycles since the last major one, with
**                     this one, for each byte allocated in that time
**   cost of major     the work of this cycle alone, for each byte that major
**   cycles only       cycles would allow to be allocated between two of them
**
** If minor cycles were not cheaper, only major cycles run for a while.  Then
** minor ones are tried again, each time after twice as many major ones.
**
** The two modes differ only in the beginning: generational mode has minor
** cycles from the start, incremental mode tries them after a few major cycles.
*/
#include "gc/gc_impl.h"

enum {
  EARLY_WAIT = 2,  /* major cycles before minor ones are first tried */
  FIRST_WAIT = 16, /* major cycles before minor ones are tried again */
  LONGEST_WAIT = 64,
  CHEAPER = 85 /* percent: minor cycles must cost less than this */
};

void choose_mode(Gc *gc) {
  gc->choice.minors_pay = gc->generational;
  gc->choice.majors_left = EARLY_WAIT;
  gc->choice.wait = FIRST_WAIT;
}

/* True if major cycles cost enough to be worth saving. */
static bool is_much_work(const Gc *gc, size_t live) {
  uint64_t work = gc->stats.work - gc->pace.began_work;
  return work * MUCH_WORK > pace_major_growth(gc, live);
}

/* True if the heap has not grown by more than a quarter since the last major
** cycle, so most objects allocated since have died.  Minor cycles are of no use
** while the heap grows. */
static bool is_steady(const Gc *gc, size_t live) {
  size_t before = gc->major_base;
  return live <= before + before / 4;
}

/* Bytes allocated since the last major cycle. */
static size_t period_bytes(const Gc *gc) {
  ptrdiff_t bytes =
      (ptrdiff_t)(gc->heap.allocation_clock - gc->choice.period_began);
  return bytes > 0 ? (size_t)bytes : 0;
}

/* True if the work for each byte allocated since the last major cycle was less
** than with major cycles only, of `alone` units each. */
static bool was_cheaper(const Gc *gc, uint64_t alone, size_t live) {
  double work = (double)(gc->stats.work - gc->choice.period_work);
  double headroom = (double)pace_major_growth(gc, live);
  double bytes = (double)period_bytes(gc);
  return work * headroom * 100 < (double)alone * bytes * CHEAPER;
}

static void stop_minors(GcChoice *c) {
  c->minors_pay = false;
  c->majors_left = c->wait;
  if (c->wait < LONGEST_WAIT) c->wait *= 2;
}

/* Stops minor cycles if they are too expensive even without the next major
** cycle.  If hardly a byte was allocated, cycles were run by hand and prove
** nothing. */
static void minor_done(Gc *gc, size_t live) {
  enum { FEW = 16 };
  gc->choice.minors++;
  if (period_bytes(gc) < pace_major_growth(gc, live) / FEW) return;
  if (!was_cheaper(gc, pace_major_work(gc), live)) stop_minors(&gc->choice);
}

static void major_done(Gc *gc, size_t live) {
  GcChoice *c = &gc->choice;
  uint64_t alone = gc->stats.work - gc->pace.began_work;
  if (!c->minors_pay) {
    if (c->majors_left > 0) c->majors_left--;
    c->minors_pay =
        c->majors_left == 0 && is_much_work(gc, live) && is_steady(gc, live);
  } else if (c->minors > 0) {
    if (is_much_work(gc, live) && was_cheaper(gc, alone, live))
      c->wait = FIRST_WAIT;
    else
      stop_minors(c);
  }
  c->minors = 0;
  c->period_began = gc->heap.allocation_clock;
  c->period_work = gc->stats.work;
}

void choose_cycle_done(Gc *gc, size_t live) {
  if (gc->minor)
    minor_done(gc, live);
  else
    major_done(gc, live);
}
