/* SPDX-License-Identifier: MIT */
/*
** record.c -- what the collector did during a run, in bounded memory
*/
#include "observe/record.h"

#include <string.h>

enum { FIRST_WIDTH = 100000 /* nanoseconds of an interval in the beginning */ };

/* -- Intervals ------------------------------------------------------------- */

static void time_join(RecordTime *to, const RecordTime *more) {
  to->allocated += more->allocated;
  to->waited += more->waited;
  if (more->most == 0) return;
  if (to->most == 0) to->first = to->least = more->first;
  if (more->least < to->least) to->least = more->least;
  to->last = more->last;
  if (more->most > to->most) to->most = more->most;
  if (more->goal > to->goal) to->goal = more->goal;
  if (more->longest > to->longest) to->longest = more->longest;
}

/* Joins pairs of intervals. */
static void times_halve(Record *r) {
  for (size_t i = 0; i < RECORD_TIMES / 2; i++) {
    RecordTime joined = r->time[2 * i];
    time_join(&joined, &r->time[2 * i + 1]);
    r->time[i] = joined;
  }
  memset(&r->time[RECORD_TIMES / 2], 0, sizeof r->time / 2);
  r->time_count = (r->time_count + 1) / 2;
  r->width *= 2;
}

/* The interval of a moment. */
static RecordTime *time_at(Record *r, uint64_t moment) {
  while (moment / r->width >= RECORD_TIMES) times_halve(r);
  size_t i = (size_t)(moment / r->width);
  if (i >= r->time_count) r->time_count = i + 1;
  return &r->time[i];
}

/* gc_goal falls during the sweep, because it is relative to the bytes in use.
** So the value from before the sweep is kept. */
static size_t goal_now(Record *r) {
  if (r->gc->phase != PHASE_SWEEP || r->goal == 0) r->goal = gc_goal(r->gc);
  return r->goal;
}

/* The part of `amount` for an interval, if it is spread evenly from `from` to
** `to`. */
static uint64_t time_part(const Record *r, size_t i, uint64_t from, uint64_t to,
                          uint64_t amount) {
  uint64_t begin = (uint64_t)i * r->width, end = begin + r->width;
  if (begin < from) begin = from;
  if (end > to) end = to;
  return (uint64_t)((double)amount * (double)(end - begin) /
                    (double)(to - from));
}

/* Spreads bytes and waiting over the time that they took. */
static void time_spread(Record *r, uint64_t from, uint64_t to,
                        uint64_t allocated, uint64_t waited) {
  RecordTime *last = time_at(r, to);
  for (size_t i = (size_t)(from / r->width); &r->time[i] < last; i++) {
    uint64_t bytes = time_part(r, i, from, to, allocated);
    uint64_t time = time_part(r, i, from, to, waited);
    r->time[i].allocated += bytes;
    r->time[i].waited += time;
    allocated -= bytes;
    waited -= time;
    from = (uint64_t)(i + 1) * r->width;
  }
  last->allocated += allocated;
  last->waited += waited;
}

/* The allocation clock may stand still while objects are made from memory that
** it has counted already, or that is counted later.  So the bytes belong to the
** time since it last moved. */
static void allocation_note(Record *r, uint64_t at, uint64_t bytes) {
  time_spread(r, r->clock_at, at, bytes, 0);
  r->allocated += bytes;
  r->clock_at = at;
}

static void time_note(Record *r, const GcEvent *event) {
  size_t bytes = gc_count(r->gc), clock = r->gc->heap.allocation_clock;
  uint64_t at = event->time - r->began, waited = event->nanoseconds;
  ptrdiff_t allocated = (ptrdiff_t)(clock - r->clock);
  RecordTime now = {.least = bytes,
                    .most = bytes > 0 ? bytes : 1,
                    .first = bytes,
                    .last = bytes,
                    .goal = goal_now(r),
                    .longest = waited};
  if (at < r->clock_at) at = r->clock_at;
  time_join(time_at(r, at), &now);
  if (allocated > 0) allocation_note(r, at, (uint64_t)allocated);
  time_spread(r, at > waited ? at - waited : 0, at, 0, waited);
  if (bytes > r->peak) r->peak = bytes;
  r->clock = clock;
}

/* -- Windows --------------------------------------------------------------- */

/* Makes part number `to` the last one.  Older parts leave the window. */
static void window_advance(RecordWindow *w, uint64_t to) {
  enum { ALL = WINDOW_PARTS + 1 };
  if (to <= w->last) return;
  if (to - w->last >= ALL) {
    memset(w->part, 0, sizeof w->part);
    w->sum = 0;
  } else {
    for (uint64_t i = w->last + 1; i <= to; i++) {
      w->sum -= w->part[i % ALL];
      w->part[i % ALL] = 0;
    }
  }
  w->last = to;
}

static void window_pause(RecordWindow *w, uint64_t from, uint64_t to) {
  uint64_t width = w->length / WINDOW_PARTS;
  if (to - from >= w->length) w->worst = w->length;
  if (w->worst == w->length) return; /* it cannot get worse */
  while (from < to) {
    uint64_t part = from / width, end = (part + 1) * width;
    uint64_t here = (end < to ? end : to) - from;
    window_advance(w, part);
    w->part[w->last % (WINDOW_PARTS + 1)] += here;
    w->sum += here;
    from += here;
  }
  if (w->sum > w->worst) w->worst = w->sum < w->length ? w->sum : w->length;
}

static void windows_note(Record *r, const GcEvent *event) {
  uint64_t to = event->time - r->began;
  uint64_t from = to > event->nanoseconds ? to - event->nanoseconds : 0;
  for (int i = 0; i < RECORD_WINDOWS; i++)
    window_pause(&r->window[i], from, to);
}

/* 0.1, 0.2, 0.5, 1, 2 ... milliseconds. */
static void windows_begin(Record *r) {
  static const unsigned steps[] = {1, 2, 5};
  uint64_t unit = 100000;
  for (int i = 0; i < RECORD_WINDOWS; i++) {
    r->window[i].length = unit * steps[i % 3];
    if (i % 3 == 2) unit *= 10;
  }
}

/* -- Cycles ---------------------------------------------------------------- */

static void cycle_join(RecordCycle *to, const RecordCycle *more) {
  to->time = more->time;
  to->majors += more->majors;
  to->minors += more->minors;
  to->late += more->late;
  to->before += more->before;
  to->live += more->live;
  to->major_live += more->major_live;
}

static void cycles_halve(Record *r) {
  for (size_t i = 0; i < RECORD_CYCLES / 2; i++) {
    r->cycle[i] = r->cycle[2 * i];
    cycle_join(&r->cycle[i], &r->cycle[2 * i + 1]);
  }
  r->cycle_count = RECORD_CYCLES / 2;
  r->cycle_group *= 2;
}

static void cycle_add(Record *r, const RecordCycle *cycle) {
  RecordCycle *last = r->cycle_count > 0 ? &r->cycle[r->cycle_count - 1] : NULL;
  if (last && last->majors + last->minors < r->cycle_group) {
    cycle_join(last, cycle);
    return;
  }
  if (r->cycle_count == RECORD_CYCLES) cycles_halve(r);
  r->cycle[r->cycle_count++] = *cycle;
}

static void record_cycle_ends(Record *r, const GcEvent *event) {
  size_t live = r->gc->stats.live_bytes;
  if (!r->cycle_known) return;
  r->cycle_known = false;
  cycle_add(r, &(RecordCycle){.time = event->time - r->began,
                              .majors = !event->minor,
                              .minors = event->minor,
                              .late = r->cycle_late,
                              .before = r->cycle_bytes,
                              .live = live,
                              .major_live = event->minor ? 0 : live});
}

/* True if the heap is beyond its goal by more than a sixteenth. */
static bool is_beyond_goal(const Gc *gc) {
  size_t goal = gc_goal(gc);
  return gc_count(gc) + gc->external_bytes > goal + goal / 16;
}

/* -- Events ---------------------------------------------------------------- */

static void record_pause(Record *r, const GcEvent *event) {
  if (event->type != EVENT_FINALIZER) windows_note(r, event);
  gc_histogram_add(&r->pauses, event->wait, event->nanoseconds);
}

void record_event(Record *r, const GcEvent *event) {
  if (r->ended) return;
  switch (event->type) {
    case EVENT_CYCLE_BEGIN:
      r->cycle_known = true;
      r->cycle_bytes = event->bytes;
      break;
    case EVENT_PHASE: /* the goal is still that of the cycle that ends */
      if (event->phase == PHASE_PAUSE) r->cycle_late = is_beyond_goal(r->gc);
      break;
    case EVENT_CYCLE_END: record_cycle_ends(r, event); break;
    case EVENT_STEP:
    case EVENT_COLLECT: record_pause(r, event); break;
    case EVENT_LARGE_CELL: r->large++; break;
    case EVENT_EMERGENCY: r->emergencies++; break;
    case EVENT_FINALIZER: /* the program's own code: not the collector's time */
      record_pause(r, event);
      return;
  }
  time_note(r, event);
}

/* -- Beginning, end, results ----------------------------------------------- */

void record_begin(Record *r, Gc *gc) {
  memset(r, 0, sizeof *r);
  r->gc = gc;
  r->began = gc_clock();
  r->width = FIRST_WIDTH;
  r->cycle_group = 1;
  r->clock = gc->heap.allocation_clock;
  windows_begin(r);
}

void record_end(Record *r) {
  if (r->ended) return;
  GcEvent last = {.type = EVENT_PHASE, .time = gc_clock()};
  time_note(r, &last);
  r->ended = last.time;
}

void record_resume(Record *r) {
  r->ended = 0;
  r->cycle_known = false;
  r->clock = r->gc->heap.allocation_clock;
  r->clock_at = gc_clock() - r->began;
}

uint64_t record_length(const Record *r) {
  return (r->ended ? r->ended : gc_clock()) - r->began;
}
