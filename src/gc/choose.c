/* SPDX-License-Identifier: MIT */
/*
** choose.c -- minor or major cycles
**
** Minor cycles do not visit what survived the cycles before.  That pays if most
** objects die young and old ones are seldom written.  Where they do not, minor
** cycles visit nearly everything, come more often than major ones, and leave
** old garbage behind.
**
** So the two are compared after each major cycle:
**
**   what it cost      the work of all cycles since the last major one, and of
**                     this one, for each byte allocated in that time
**   what it would     the work of this cycle alone, for each byte that could
**   have cost         have been allocated before it, with major cycles only
**
** If minor ones were not cheaper, there are only major ones for a while; then
** they are tried again, each time after twice as many.
**
** The modes differ in how that begins: generational mode has minor cycles from
** the start, incremental mode tries them after a few major cycles.
*/
#include "gc/gc_impl.h"

enum {
  EARLY_WAIT = 2,           /* major cycles before minor ones are first tried */
  FIRST_WAIT = 16,          /* ... tried again */
  LONGEST_WAIT = 64,
  CHEAPER = 85,             /* percent: minor cycles must be that cheap */
  MUCH_WORK = 32            /* bytes allocated for each unit of work, at most */
};

void choose_mode(Gc *gc) {
  gc->choice.minors_pay = gc->generational;
  gc->choice.majors_left = EARLY_WAIT;
  gc->choice.wait = FIRST_WAIT;
}

/* True if major cycles are a cost worth saving. */
static bool is_much_work(const Gc *gc, size_t live) {
  uint64_t work = gc->stats.work - gc->pace.began_work;
  return work * MUCH_WORK > pace_major_growth(gc, live);
}

/* True if most of what was allocated since the last major cycle has died: the
** heap does not grow much.  For as long as it does, minor cycles are of no
** use. */
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

/* True if the work since the last major cycle was less, for each byte allocated
** since then, than `alone` units for each round of major cycles. */
static bool was_cheaper(const Gc *gc, uint64_t alone, size_t live) {
  double work = (double)(gc->stats.work - gc->choice.period_work);
  double room = (double)pace_major_growth(gc, live);
  double bytes = (double)period_bytes(gc);
  return work * room * 100 < (double)alone * bytes * CHEAPER;
}

static void stop_minors(GcChoice *c) {
  c->minors_pay = false;
  c->majors_left = c->wait;
  if (c->wait < LONGEST_WAIT) c->wait *= 2;
}

static uint64_t last_major_work(const Gc *gc) {
  const GcRecord *last = &gc->pace.last[false];
  return last->marking + last->rest;
}

/* Those since the last major one need not wait for the next to be judged, if
** they are too much even without it.  Cycles that somebody asked for, with
** hardly a byte allocated, prove nothing. */
static void minor_done(Gc *gc, size_t live) {
  enum { FEW = 16 };
  gc->choice.minors++;
  if (period_bytes(gc) < pace_major_growth(gc, live) / FEW) return;
  if (!was_cheaper(gc, last_major_work(gc), live)) stop_minors(&gc->choice);
}

static void major_done(Gc *gc, size_t live) {
  GcChoice *c = &gc->choice;
  uint64_t alone = gc->stats.work - gc->pace.began_work;
  if (!c->minors_pay) {
    if (c->majors_left > 0) c->majors_left--;
    c->minors_pay = c->majors_left == 0 && is_much_work(gc, live) &&
                    is_steady(gc, live);
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
