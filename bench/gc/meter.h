/* SPDX-License-Identifier: MIT */
/*
** meter.h -- times every call of the collector from outside
**
** Each step, and each allocation that leaves the fast path, makes one record:
** CPU time of the thread, work, phases.  Reading the clock adds about 0.3 us to
** each time.
**
** Unit by unit, a history with the same seed makes the same calls with the same
** work.  So it runs several times, and each call counts with its shortest time.
** This removes the effect of interrupts and of a cold start, which differ from
** run to run, but not that of the collector.  Steps read the clock, so they are
** not the same in every run.  For steps, the shortest of the longest times of
** all runs counts.  It is reported for both.
*/
#ifndef PENUMBRA_BENCH_METER_H
#define PENUMBRA_BENCH_METER_H

#include "objects.h"

typedef enum MeterCall {
  CALL_STEP,
  CALL_ALLOCATE,
  CALL_NEXT_FINALIZABLE,
  CALL_COUNT
} MeterCall;

typedef struct Record {
  uint32_t nanoseconds;
  uint32_t work;
  uint16_t phases; /* a bit for each phase it worked in */
  uint16_t call;   /* MeterCall */
} Record;

/* It is in memory shared by the runs, which are separate processes. */
typedef struct MeterRun {
  size_t count;
  uint32_t longest[CALL_COUNT];
  size_t largest_unit; /* in work units */
  size_t largest_step;
  uint64_t cycles;
  uint64_t minor_cycles;
  size_t live_bytes;
  bool complete;
} MeterRun;

typedef struct Meter {
  World *world;
  bool by_unit; /* a step is one unit of work, without a clock */
  bool again;   /* not the first run: keep the shortest times */
  MeterRun *run;
  Record *records;
  size_t capacity;
  Record current;
} Meter;

/* Prepares `runs` runs of at most `capacity` records.  Exits if out of
** memory. */
void meter_open(Meter *meter, size_t runs, size_t capacity);
void meter_close(Meter *meter, size_t runs);

/* Begins to measure the calls of a world, and sets its clock. */
void meter_attach(Meter *meter, World *world);

/* Ends the history and fills in the run. */
void meter_finish(Meter *meter);

/* Runs the collector if it is due.  All roots must be in place. */
void meter_poll(Meter *meter);

/* Allocates a node on the slow path. */
Node *meter_node_slow(Meter *meter);

/* A new node, which is not reachable yet. */
static inline Node *meter_node(Meter *meter) {
  World *world = meter->world;
  const Run *run = &world->gc.heap.run[heap_class_for(NODE_SIZE)];
  if (LIKELY(run->next + NODE_SIZE <= run->end) || meter->by_unit)
    return node_new(world);
  return meter_node_slow(meter);
}

/* Like gc_next_finalizable. */
Cell *meter_next_finalizable(Meter *meter);

/* The worst record of a sort of call, or NULL. */
const Record *meter_worst(const Meter *meter, MeterCall call);

#endif
