/* SPDX-License-Identifier: MIT */
/*
** choose.c -- minor or major cycles
**
** In generational mode most cycles are minor: they do not visit what survived
** the cycles before.  That pays if most objects die young and old ones are
** seldom written.  Where they do not, minor cycles visit nearly everything, come
** more often than major ones, and leave old garbage behind.
**
** So the two are compared after each major cycle:
**
**   what it cost      the work of all cycles since the last major one, and of
**                     this one, for each byte allocated in that time
**   what it would     the work of this cycle alone, for each byte that could
**   have cost         have been allocated before it, with major cycles only
**
** If minor ones were not cheaper, there are only major ones for a while, as in
** incremental mode; then they are tried again, each time after twice as many.
*/
#include "gc/gc_impl.h"

enum {
  FIRST_WAIT = 16,          /* major cycles before minor ones are tried again */
  LONGEST_WAIT = 64,
  CHEAPER = 85              /* percent: minor cycles must be that cheap */
};

void choose_init(Gc *gc) {
  gc->choice.minors_pay = true;
  gc->choice.wait = FIRST_WAIT;
}

/* True if the cycles since the last major one, which had minor ones among them,
** were cheaper than major ones alone. */
static bool minors_were_cheap(const Gc *gc, size_t live) {
  const GcChoice *c = &gc->choice;
  ptrdiff_t bytes = (ptrdiff_t)(gc->heap.net_allocated - c->period_began);
  double work = (double)(gc->stats.work - c->period_work);
  double alone = (double)(gc->stats.work - c->cycle_work);
  double room = (double)pace_major_growth(gc, live);
  return bytes > 0 && work * room * 100 < alone * (double)bytes * CHEAPER;
}

static void stop_minors(GcChoice *c) {
  c->minors_pay = false;
  c->majors_left = c->wait;
  if (c->wait < LONGEST_WAIT) c->wait *= 2;
}

void choose_cycle_done(Gc *gc, size_t live) {
  GcChoice *c = &gc->choice;
  if (gc->minor) {
    c->minors++;
    return;
  }
  if (!c->minors_pay) {
    if (--c->majors_left == 0) c->minors_pay = true;
  } else if (c->minors > 0) {
    if (minors_were_cheap(gc, live))
      c->wait = FIRST_WAIT;
    else
      stop_minors(c);
  }
  c->minors = 0;
  c->period_began = gc->heap.net_allocated;
  c->period_work = gc->stats.work;
}
