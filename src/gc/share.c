/* SPDX-License-Identifier: MIT */
/*
** share.c -- how much of the time steps take
**
** A step is short, but steps are due by bytes, and a program that only
** allocates has the bytes for the next one after two microseconds: a row of
** short steps is a long stop.  So the collector has a share of the time as
** well.  Each nanosecond that the program runs earns it some, up to what two
** steps take; a step spends what it took; and while there is too little left
** for half a step, steps are put off, and what they would have done is owed.
** A late cycle earns more.
**
**     share     ^    /----\                 /
**               |   /      \  /|  /|  /|   /
**               |  /        |/ |/ |/ |/|  /
**               +-------------------------------> time
**                  program   steps, as soon as there is enough
**
** That is about when the work is done, not how much.  A program that has its
** data in the caches seldom meets it.
*/
#include "gc/gc_impl.h"

enum {
  SHARE_RATE = 3,           /* nanoseconds earned in one of the program's */
  SHARE_RATE_LATE = 6,      /* ... in a late cycle */
  SHARE_STEPS = 2           /* whole steps that may follow each other */
};

static int64_t share_most(const Gc *gc) {
  return SHARE_STEPS * (int64_t)gc->step_nanoseconds;
}

static void share_earn(Gc *gc) {
  uint64_t now = gc_clock(), passed = now - gc->share_at;
  int64_t most = share_most(gc);
  int rate = pace_is_late(gc) ? SHARE_RATE_LATE : SHARE_RATE;
  if (passed > (uint64_t)most) passed = (uint64_t)most;
  gc->share += (int64_t)passed * rate;
  if (gc->share > most) gc->share = most;
  gc->share_at = now;
}

bool share_allows_step(Gc *gc) {
  if (!gc->step_nanoseconds) return true;
  share_earn(gc);
  return gc->share >= (int64_t)gc->step_nanoseconds / 2;
}

void share_spend(Gc *gc) {
  if (!gc->step_nanoseconds) return;
  uint64_t now = gc_clock(), spent = now - gc->share_at;
  int64_t most = share_most(gc);
  gc->share -= spent < (uint64_t)most ? (int64_t)spent : most;
  if (gc->share < -most) gc->share = -most;
  gc->share_at = now;
}

uint64_t share_limit(const Gc *gc) {
  if (gc->share >= (int64_t)gc->step_nanoseconds) return gc->step_nanoseconds;
  return gc->share > 0 ? (uint64_t)gc->share : gc->step_nanoseconds / 2;
}
