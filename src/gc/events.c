/* SPDX-License-Identifier: MIT */
/*
** events.c -- reporting events and durations
**
** Without a listener and a histogram, the durations of steps are not measured
** and no event is made.
*/
#define _POSIX_C_SOURCE 200809L

#include "gc/gc_impl.h"

#include <string.h>
#include <time.h>

static uint64_t clock_read(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t gc_clock(void) { return clock_read(CLOCK_MONOTONIC); }

/* Durations are in processor time of this thread: other activity of the system
** is not caused by the collector.  Windows counts it in units of 16 ms, so time
** that passes is better there. */
uint64_t report_clock(void) {
#if defined(CLOCK_THREAD_CPUTIME_ID) && !defined(_WIN32)
  return clock_read(CLOCK_THREAD_CPUTIME_ID);
#else
  return gc_clock();
#endif
}

bool report_is_timed(const Gc *gc) {
  return gc->listener.event != NULL || gc->histogram != NULL;
}

static void deliver(Gc *gc, GcEvent *event) {
  event->phase = (GcPhase)gc->phase;
  event->minor = gc->minor;
  event->time = gc_clock();
  event->cpu = report_clock();
  event->wait = gc->wait;
  event->wait_began = gc->wait_began;
  gc->listener.event(gc->listener.context, event);
}

void report_event(Gc *gc, GcEventType type, size_t bytes) {
  if (LIKELY(!gc->listener.event)) return;
  GcEvent event = {.type = type, .bytes = bytes};
  deliver(gc, &event);
}

/* -- The sampler ----------------------------------------------------------- */

void gc_set_sampler(Gc *gc, const GcSampler *sampler) {
  gc->sampler = sampler ? *sampler : (GcSampler){NULL, NULL, 0, 0};
  gc->sampler.interval = size_min(gc->sampler.interval, PTRDIFF_MAX);
  gc->sampler.last = gc->heap.allocation_clock;
}

/* The clock runs backwards when the program itself frees memory. */
void report_sample(Gc *gc) {
  GcSampler *sampler = &gc->sampler;
  ptrdiff_t bytes = (ptrdiff_t)(gc->heap.allocation_clock - sampler->last);
  if (bytes < 0) sampler->last = gc->heap.allocation_clock;
  if (bytes < (ptrdiff_t)sampler->interval) return;
  sampler->last = gc->heap.allocation_clock;
  sampler->sample(sampler->context, (size_t)bytes);
}

/* -- The watch ------------------------------------------------------------- */

/* Below this interval every cell is considered by itself. */
enum { EXACT_INTERVAL = 4 * RUN_MAX };

/* Chooses when the next cell is reported.  With equal distances this would be
** the same object again and again in a program that makes objects in turns. */
static void watch_choose(GcWatch *watch) {
  watch->random = watch->random * UINT64_C(6364136223846793005) + 1;
  watch->threshold =
      watch->interval / 2 + (size_t)(watch->random >> 24) % watch->interval;
}

void gc_set_watch(Gc *gc, const GcWatch *watch) {
  memset(&gc->watch, 0, sizeof gc->watch);
  if (!watch) return;
  gc->watch = *watch;
  gc->watch.last = gc->heap.allocation_clock;
  watch_choose(&gc->watch);
}

static bool watch_is_due(const GcWatch *watch, size_t clock) {
  ptrdiff_t bytes = (ptrdiff_t)(clock - watch->last);
  return bytes > 0 && bytes >= (ptrdiff_t)watch->threshold;
}

static void watch_report(GcWatch *watch, void *cell, size_t size,
                         size_t clock) {
  size_t bytes = clock - watch->last;
  watch->last = clock;
  watch_choose(watch);
  watch->made(watch->context, cell, size, bytes);
}

/* The clock counts all cells of a run when the run is taken.  If the run goes
** beyond the threshold, any of its cells is the one to report, by chance.  The
** rest of the run is returned, so that the next cells come here, too. */
static bool watch_waits(Gc *gc, size_t size, size_t run) {
  GcWatch *watch = &gc->watch;
  if (watch->waiting > 0 && watch->waiting_size != size) return true;
  if (watch->waiting > 0) {
    watch->waiting--;
  } else {
    watch->waiting = (size_t)(watch->random >> 20) % (run / size + 1);
    watch->waiting_size = size;
  }
  if (watch->waiting > 0) heap_return_run(&gc->heap, size);
  return watch->waiting > 0;
}

/* A program may stop making cells of the size that the watch waits for. */
static bool watch_waits_long(const GcWatch *watch, size_t clock) {
  return clock - watch->last > watch->threshold + 16 * RUN_MAX;
}

void report_made(Gc *gc, void *cell, size_t size) {
  GcWatch *watch = &gc->watch;
  const size_t *clock = &gc->heap.allocation_clock;
  bool exact = watch->interval < EXACT_INTERVAL;
  size_t rounded = heap_rounded_size(size);
  if (exact && size <= CELL_MAX) heap_return_run(&gc->heap, size);
  if (!watch_is_due(watch, *clock)) return;
  if (!exact && size <= CELL_MAX && !watch_waits_long(watch, *clock) &&
      watch_waits(gc, rounded, heap_run_bytes(&gc->heap, size)))
    return;
  watch->waiting = 0;
  watch_report(watch, cell, size, *clock);
}

void report_grows(Gc *gc, void *part, size_t old_size, size_t new_size) {
  GcWatch *watch = &gc->watch;
  size_t clock = gc->heap.allocation_clock + new_size - old_size;
  if (new_size < old_size) watch->last -= old_size - new_size;
  if (watch_is_due(watch, clock)) watch_report(watch, part, new_size, clock);
}

/* The clock runs backwards when the program itself frees memory.  For the watch
** it does not, because it reports what is allocated. */
void report_freed(Gc *gc, const void *part, size_t bytes) {
  gc->watch.last -= bytes;
  gc->watch.moved(gc->watch.context, part, NULL);
}

/* -- The histogram --------------------------------------------------------- */

/* Bucket i of power p begins at (HISTOGRAM_PARTS + i) * 2^p.  Each duration
** below HISTOGRAM_PARTS has a bucket of its own. */
static unsigned histogram_bucket(uint64_t nanoseconds) {
  unsigned power = 0;
  if (nanoseconds < HISTOGRAM_PARTS) return (unsigned)nanoseconds;
  while (nanoseconds >= 2 * HISTOGRAM_PARTS) {
    nanoseconds >>= 1;
    power++;
  }
  unsigned bucket = power * HISTOGRAM_PARTS + (unsigned)nanoseconds;
  return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

uint64_t gc_bucket_begin(unsigned bucket) {
  if (bucket < HISTOGRAM_PARTS) return bucket;
  unsigned power = bucket / HISTOGRAM_PARTS - 1;
  return (uint64_t)(HISTOGRAM_PARTS + bucket % HISTOGRAM_PARTS) << power;
}

static void maximum(uint64_t *longest, uint64_t nanoseconds) {
  if (nanoseconds > *longest) *longest = nanoseconds;
}

static void histogram_step(GcHistogram *histogram, uint64_t nanoseconds) {
  histogram->count[histogram_bucket(nanoseconds)]++;
  histogram->steps++;
  histogram->total_nanoseconds += nanoseconds;
  maximum(&histogram->longest_nanoseconds, nanoseconds);
}

static void histogram_collection(GcHistogram *histogram, uint64_t nanoseconds) {
  histogram->collections++;
  histogram->collections_nanoseconds += nanoseconds;
  maximum(&histogram->longest_collection, nanoseconds);
}

void gc_histogram_add(GcHistogram *histogram, GcWait wait,
                      uint64_t nanoseconds) {
  maximum(&histogram->longest_wait[wait], nanoseconds);
  if (wait == WAIT_FINALIZER)
    histogram->finalizers_nanoseconds += nanoseconds;
  else if (wait == WAIT_STEP || wait == WAIT_HAND)
    histogram_step(histogram, nanoseconds);
  else
    histogram_collection(histogram, nanoseconds);
}

GcWait gc_histogram_worst(const GcHistogram *histogram) {
  const uint64_t *longest = histogram->longest_wait;
  int worst = WAIT_STEP;
  for (int i = worst + 1; i < WAIT_COUNT; i++)
    if (longest[i] > longest[worst]) worst = i;
  return (GcWait)worst;
}

/* -- Waits ----------------------------------------------------------------- */

void report_wait_begins(Gc *gc, GcWait wait) {
  gc->wait = wait;
  gc->wait_began = report_is_timed(gc) ? report_clock() : 0;
}

void report_wait_ends(Gc *gc, GcEventType type, size_t work) {
  if (gc->wait_began == 0) return;
  uint64_t nanoseconds = report_clock() - gc->wait_began;
  if (gc->histogram) gc_histogram_add(gc->histogram, gc->wait, nanoseconds);
  if (gc->listener.event) {
    GcEvent event = {.type = type,
                     .bytes = gc_count(gc),
                     .work = work,
                     .nanoseconds = nanoseconds};
    deliver(gc, &event);
  }
  gc->wait_began = 0;
}

uint64_t gc_finalizer_begins(const Gc *gc) {
  return report_is_timed(gc) ? report_clock() : 0;
}

/* Steps may run inside a finalizer, so it has no place in gc->wait meanwhile. */
void gc_finalizer_ends(Gc *gc, uint64_t began) {
  if (began == 0 || !report_is_timed(gc)) return;
  gc->wait = WAIT_FINALIZER;
  gc->wait_began = began;
  report_wait_ends(gc, EVENT_FINALIZER, 0);
}

const char *gc_wait_name(GcWait wait) {
  static const char *const names[WAIT_COUNT] = {
      "automatic step", "step by hand", "whole collection",
      "emergency collection", "finalizer"};
  return wait < WAIT_COUNT ? names[wait] : "unknown";
}

/* -- Switches -------------------------------------------------------------- */

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
      "pause",      "inspect",      "unmark",    "mark",
      "mark again", "clear values", "separate",  "resurrect",
      "clear keys", "dying",        "sweep set", "sweep"};
  return phase < PHASE_COUNT ? names[phase] : "unknown";
}
