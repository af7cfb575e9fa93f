/* SPDX-License-Identifier: MIT */
/*
** report.c -- events and durations, for whoever listens
**
** Without a listener and a histogram nothing is timed and nothing is built.
*/
#define _POSIX_C_SOURCE 200809L

#include "gc/gc_impl.h"

#include <string.h>
#include <time.h>

uint64_t report_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

bool report_is_timed(const Gc *gc) {
  return gc->listener.event != NULL || gc->histogram != NULL;
}

static void deliver(Gc *gc, GcEvent *event) {
  event->phase = (GcPhase)gc->phase;
  event->minor = gc->minor;
  gc->listener.event(gc->listener.context, event);
}

void report_event(Gc *gc, GcEventType type, size_t bytes) {
  if (LIKELY(!gc->listener.event)) return;
  GcEvent event = {.type = type, .bytes = bytes};
  deliver(gc, &event);
}

static unsigned histogram_bucket(uint64_t nanoseconds) {
  unsigned bucket = 0;
  while (nanoseconds > 1 && bucket < HISTOGRAM_BUCKETS - 1) {
    nanoseconds >>= 1;
    bucket++;
  }
  return bucket;
}

static void histogram_add(GcHistogram *histogram, uint64_t nanoseconds) {
  histogram->count[histogram_bucket(nanoseconds)]++;
  histogram->steps++;
  histogram->total_nanoseconds += nanoseconds;
  if (nanoseconds > histogram->longest_nanoseconds)
    histogram->longest_nanoseconds = nanoseconds;
}

void report_step(Gc *gc, size_t work, uint64_t started) {
  uint64_t nanoseconds = report_clock() - started;
  if (gc->histogram) histogram_add(gc->histogram, nanoseconds);
  if (!gc->listener.event) return;
  GcEvent event = {.type = EVENT_STEP,
                   .bytes = gc_count(gc),
                   .work = work,
                   .nanoseconds = nanoseconds};
  deliver(gc, &event);
}

bool gc_enable_histogram(Gc *gc, bool on) {
  if (on && !gc->histogram) {
    gc->histogram = heap_raw_allocate(&gc->heap, sizeof *gc->histogram);
    if (!gc->histogram) return false;
    memset(gc->histogram, 0, sizeof *gc->histogram);
  } else if (!on && gc->histogram) {
    heap_raw_free(&gc->heap, gc->histogram, sizeof *gc->histogram);
    gc->histogram = NULL;
  }
  return true;
}

const char *gc_phase_name(GcPhase phase) {
  static const char *const names[PHASE_COUNT] = {
      "pause",     "unmark",     "mark",  "mark again", "clear values",
      "separate",  "resurrect",  "clear keys", "dying", "sweep set",
      "sweep"};
  return phase < PHASE_COUNT ? names[phase] : "unknown";
}
