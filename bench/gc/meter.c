/* SPDX-License-Identifier: MIT */
/*
** meter.c -- times every call of the collector from outside
*/
#include "meter.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "clock.h"

enum { UNITS_PER_POLL = 8, STEP_NANOSECONDS = 40000 /* as for Lua */ };

static void *share(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) return memory;
  perror("mmap");
  exit(1);
}

void meter_open(Meter *meter, size_t runs, size_t capacity) {
  *meter = (Meter){.capacity = capacity};
  meter->run = share(runs * sizeof *meter->run);
  meter->records = share(capacity * sizeof *meter->records);
}

void meter_close(Meter *meter, size_t runs) {
  munmap(meter->run, runs * sizeof *meter->run);
  munmap(meter->records, meter->capacity * sizeof *meter->records);
}

/* Records the work of a step and the phases it worked in. */
static void meter_event(void *context, const GcEvent *event) {
  Meter *meter = context;
  if (event->type == EVENT_PHASE)
    meter->current.phases |= (uint16_t)(1u << event->phase);
  else if (event->type == EVENT_STEP)
    meter->current.work = (uint32_t)event->work;
}

void meter_attach(Meter *meter, World *world) {
  meter->world = world;
  world->gc.listener = (GcListener){meter_event, meter};
  world->gc.step_nanoseconds = meter->by_unit ? 0 : STEP_NANOSECONDS;
}

void meter_finish(Meter *meter) {
  const Gc *gc = &meter->world->gc;
  meter->run->largest_unit = gc->stats.largest_unit;
  meter->run->largest_step = gc->stats.largest_step;
  meter->run->cycles = gc->stats.cycles;
  meter->run->minor_cycles = gc->stats.minor_cycles;
  meter->run->live_bytes = gc->stats.live_bytes;
  meter->run->complete = true;
}

/* -- Records --------------------------------------------------------------- */

static uint64_t record_begin(Meter *meter, MeterCall call) {
  unsigned phase = meter->world->gc.phase;
  meter->current =
      (Record){.phases = (uint16_t)(1u << phase), .call = (uint16_t)call};
  return clock_thread();
}

static void record_store(Meter *meter, Record *record) {
  const Record *now = &meter->current;
  if (!meter->again || !meter->by_unit) {
    *record = *now;
  } else if (record->call != now->call || record->work != now->work) {
    fprintf(stderr, "the history is not the same in every run\n");
    exit(1);
  } else if (now->nanoseconds < record->nanoseconds) {
    record->nanoseconds = now->nanoseconds;
  }
}

static void record_end(Meter *meter, uint64_t began) {
  uint64_t time = clock_thread() - began;
  MeterRun *run = meter->run;
  meter->current.nanoseconds = time < UINT32_MAX ? (uint32_t)time : UINT32_MAX;
  if (meter->current.nanoseconds > run->longest[meter->current.call])
    run->longest[meter->current.call] = meter->current.nanoseconds;
  if (run->count == meter->capacity) {
    fprintf(stderr, "more than %zu records\n", meter->capacity);
    exit(1);
  }
  record_store(meter, &meter->records[run->count++]);
}

const Record *meter_worst(const Meter *meter, MeterCall call) {
  const Record *worst = NULL;
  for (size_t i = 0; i < meter->run->count; i++) {
    const Record *record = &meter->records[i];
    if (record->call != call) continue;
    if (!worst || record->nanoseconds > worst->nanoseconds) worst = record;
  }
  return worst;
}

/* -- Calls ----------------------------------------------------------------- */

void meter_poll(Meter *meter) {
  Gc *gc = &meter->world->gc;
  bool begun = meter->by_unit && gc->phase != PHASE_PAUSE;
  if (!begun && !gc_step_due(gc)) return;
  for (int i = 0; i < (meter->by_unit ? UNITS_PER_POLL : 1); i++) {
    uint64_t began = record_begin(meter, CALL_STEP);
    if (meter->by_unit)
      gc_step_work(gc, 1);
    else
      gc_step(gc);
    record_end(meter, began);
    if (gc->phase == PHASE_PAUSE) break;
  }
}

Node *meter_node_slow(Meter *meter) {
  uint64_t began = record_begin(meter, CALL_ALLOCATE);
  Node *node = node_new(meter->world);
  record_end(meter, began);
  return node;
}

Cell *meter_next_finalizable(Meter *meter) {
  if (!gc_has_finalizable(&meter->world->gc)) return NULL;
  uint64_t began = record_begin(meter, CALL_NEXT_FINALIZABLE);
  Cell *cell = gc_next_finalizable(&meter->world->gc);
  record_end(meter, began);
  return cell;
}
