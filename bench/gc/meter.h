/* SPDX-License-Identifier: MIT */
/*
** meter.h -- every call of the collector, timed from outside
**
** Each step, and each allocation that leaves the fast path, is one record: CPU
** time of the thread, work, phases.  The clock itself takes about 0.3 us of
** each time.
**
** Unit by unit, a history of the same seed makes the same calls with the same
** work, so it is run several times, and each call counts with its shortest time:
** what an interrupt or a cold start of the machine adds to one run is not in all
** of them, what the collector does is.  Steps look at the clock, and so are not
** the same in every run: there the longest of each run is taken, and of these
** the shortest, which is reported for both.
*/
#ifndef PENUMBRA_BENCH_METER_H
#define PENUMBRA_BENCH_METER_H

#include "objects.h"

typedef enum MeterCall {
  CALL_STEP, CALL_ALLOCATE, CALL_NEXT_FINALIZABLE, CALL_COUNT
} MeterCall;

typedef struct Record {
  uint32_t nanoseconds;
  uint32_t work;
  uint16_t phases;          /* bit for each phase that was worked in */
  uint16_t call;            /* MeterCall */
} Record;

/* Lies in memory shared between the runs, each a process of its own. */
typedef struct MeterRun {
  size_t count;
  uint32_t longest[CALL_COUNT];
  size_t largest_unit;      /* in work units */
  size_t largest_step;
  uint64_t cycles;
  uint64_t minor_cycles;
  size_t live_bytes;
  bool complete;
} MeterRun;

typedef struct Meter {
  World *world;
  bool by_unit;             /* a step is one unit of work, without a clock */
  bool again;               /* not the first run: keep the shortest times */
  MeterRun *run;
  Record *records;
  size_t capacity;
  Record current;
} Meter;

/* Prepares `runs` runs of at most `capacity` records.  Exits without memory. */
void meter_open(Meter *meter, size_t runs, size_t capacity);
void meter_close(Meter *meter, size_t runs);

/* Begins measuring the calls of a world; sets its clock. */
void meter_attach(Meter *meter, World *world);

/* The history is over; fills in the run. */
void meter_finish(Meter *meter);

/* Runs the collector if it is due.  All roots are in place. */
void meter_poll(Meter *meter);

/* An allocation that leaves the fast path. */
Node *meter_node_slow(Meter *meter);

/* A new node; not yet reachable. */
static inline Node *meter_node(Meter *meter) {
  World *world = meter->world;
  const Run *run = &world->gc.heap.run[heap_class_for(NODE_SIZE)];
  if (LIKELY(run->next + NODE_SIZE <= run->end) || meter->by_unit)
    return node_new(world);
  return meter_node_slow(meter);
}

/* As gc_next_finalizable. */
Cell *meter_next_finalizable(Meter *meter);

/* The worst record of a call, NULL if there is none. */
const Record *meter_worst(const Meter *meter, MeterCall call);

#endif
