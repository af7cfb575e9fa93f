/* SPDX-License-Identifier: MIT */
/*
** inspection.c -- a snapshot or census examines the heap before the sweep, and
** after it if there is more to do
*/
#include "gc_test.h"

enum { UNITS = 20 };

typedef struct Inspection {
  Toy *toy;
  int units;
  int dropped;
} Inspection;

/* Checks that all that the roots keep is marked and no sweep has begun. */
static size_t inspect_slice(GcInspection *request) {
  Inspection *inspection = request->context;
  const Gc *gc = &inspection->toy->gc;
  assert_int_equal(gc->phase, PHASE_SWEEP_SET);
  assert_false(gc->minor);
  assert_true(heap_is_marked(toy_cell(inspection->toy->root[0])));
  return ++inspection->units < UNITS ? 100 : 0;
}

static void inspection_drop(void *context) {
  ((Inspection *)context)->dropped++;
}

static GcInspection inspection_of(Inspection *inspection, Toy *toy) {
  *inspection = (Inspection){toy, 0, 0};
  return (GcInspection){inspect_slice, inspection_drop, inspection, UNITS * 100,
                        INSPECT_FIRST};
}

/* The inspection happens once, in the next cycle, and does not count as its
** work. */
static void test_looks_once(void **state) {
  Toy *toy = *state;
  Inspection inspection;
  toy->root[0] = gc_test_list(toy, 1000);
  gc_collect(&toy->gc);
  uint64_t rest = toy->gc.pace.last[0].rest;
  GcInspection request = inspection_of(&inspection, toy);
  assert_true(gc_inspect(&toy->gc, &request));
  assert_false(gc_inspect(&toy->gc, &request));
  gc_collect(&toy->gc);
  assert_int_equal(inspection.units, UNITS);
  assert_null(toy->gc.inspection.slice);
  assert_true(toy->gc.pace.last[0].rest < rest + UNITS * 50);
  gc_collect(&toy->gc);
  assert_int_equal(inspection.units, UNITS);
  assert_int_equal(inspection.dropped, 0);
}

/* In generational mode the inspection needs a major cycle, and causes one. */
static void test_wants_a_major_cycle(void **state) {
  Toy *toy = *state;
  Inspection inspection;
  toy->root[0] = gc_test_list(toy, 1000);
  gc_set_generational(&toy->gc, true);
  gc_collect(&toy->gc);
  GcInspection request = inspection_of(&inspection, toy);
  assert_true(gc_inspect(&toy->gc, &request));
  for (int i = 0; i < 100000 && toy->gc.inspection.slice; i++)
    gc_step_work(&toy->gc, 100);
  assert_int_equal(inspection.units, UNITS);
}

/* An inspection in two parts: one object of a list is dropped between them. */
typedef struct LongInspection {
  Toy *toy;
  Cell *seen; /* an object that the first part has seen */
  int units, after;
} LongInspection;

static size_t long_inspection_slice(GcInspection *request) {
  LongInspection *inspection = request->context;
  Gc *gc = &inspection->toy->gc;
  if (++inspection->units <= UNITS) {
    assert_int_equal(gc->phase, PHASE_SWEEP_SET);
    assert_true(heap_is_marked(inspection->seen));
    if (inspection->units == UNITS) request->part = INSPECT_SECOND;
    request->left = 100 * UNITS;
    return 100;
  }
  assert_int_equal(gc->phase, PHASE_INSPECT);
  assert_int_equal(inspection->seen->kind,
                   toy_cell(inspection->toy->root[0])->kind);
  return ++inspection->after < UNITS ? 100 : 0;
}

static GcInspection long_inspection_of(LongInspection *inspection, Toy *toy) {
  *inspection = (LongInspection){toy, toy_cell(toy->root[0]), 0, 0};
  return (GcInspection){long_inspection_slice, inspection_drop, inspection,
                        UNITS * 100, INSPECT_FIRST};
}

/* Between the parts the garbage of the cycle goes; what has been seen stays
** until the second part has ended, even if it is garbage by then. */
static void test_second_part(void **state) {
  Toy *toy = *state;
  LongInspection inspection;
  toy->root[0] = gc_test_list(toy, 10);
  gc_collect(&toy->gc);
  gc_test_list(toy, 1000);
  size_t full = gc_count(&toy->gc), least = full;
  GcInspection request = long_inspection_of(&inspection, toy);
  assert_true(gc_inspect(&toy->gc, &request));
  for (int i = 0; i < 100000 && toy->gc.inspection.slice; i++) {
    gc_step_work(&toy->gc, 100);
    if (toy->gc.inspection.part == INSPECT_SECOND)
      toy->root[0] = gc_test_list(toy, 1);
    if (toy->gc.phase == PHASE_INSPECT)
      least = size_min(least, gc_count(&toy->gc));
  }
  assert_int_equal(inspection.units, 2 * UNITS);
  assert_int_equal(inspection.after, UNITS);
  assert_true(least < full / 2);
  assert_int_equal(toy->gc.phase, PHASE_PAUSE);
}

/* A whole collection finishes both parts. */
static void test_whole_collection(void **state) {
  Toy *toy = *state;
  LongInspection inspection;
  toy->root[0] = gc_test_list(toy, 10);
  GcInspection request = long_inspection_of(&inspection, toy);
  assert_true(gc_inspect(&toy->gc, &request));
  uint64_t cycles = toy->gc.stats.cycles;
  gc_collect(&toy->gc);
  assert_int_equal(inspection.after, UNITS);
  assert_null(toy->gc.inspection.slice);
  assert_int_equal(toy->gc.stats.cycles, cycles + 1);
}

/* A whole collection during the sweep between both parts ends the inspection,
** and then frees all garbage. */
static void test_collection_between_parts(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  LongInspection inspection;
  toy->root[0] = gc_test_list(toy, 1000);
  gc_collect(gc);
  size_t least = gc_count(gc);
  toy->root[1] = gc_test_list(toy, 1000);
  GcInspection request = long_inspection_of(&inspection, toy);
  assert_true(gc_inspect(gc, &request));
  while (gc->inspection.part != INSPECT_SECOND) gc_step_work(gc, 100);
  assert_int_not_equal(gc->phase, PHASE_INSPECT);
  assert_true(gc_count(gc) > least + 1000);
  toy->root[1] = 0;
  gc_collect(gc);
  assert_null(gc->inspection.slice);
  assert_true(gc_count(gc) < least + 1000);
}

/* An inspection whose end is elsewhere.  It is asked for that in every step. */
typedef struct FarInspection {
  Toy *toy;
  int units, asked, ends_at;
  bool may_wait; /* when it was asked last */
} FarInspection;

static size_t far_inspection_slice(GcInspection *request) {
  FarInspection *inspection = request->context;
  Gc *gc = &inspection->toy->gc;
  if (request->part == INSPECT_ELSEWHERE) {
    inspection->may_wait = gc_may_wait(gc);
    return ++inspection->asked < inspection->ends_at ? 1000000 : 0;
  }
  assert_int_equal(gc->phase, PHASE_SWEEP_SET);
  if (++inspection->units == UNITS) request->part = INSPECT_ELSEWHERE;
  return 100;
}

/* Meanwhile cycles begin and end as always, minor ones too, and the answers do
** not count as work. */
static void test_elsewhere(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  FarInspection inspection = {toy, 0, 0, 50, false};
  toy->root[0] = gc_test_list(toy, 1000);
  gc_set_generational(gc, true);
  gc_collect(gc);
  GcInspection request = {far_inspection_slice, inspection_drop, &inspection, 1,
                          INSPECT_FIRST};
  assert_true(gc_inspect(gc, &request));
  while (gc->inspection.part == INSPECT_FIRST) gc_step_work(gc, 100);
  uint64_t minor = gc->stats.minor_cycles, work = gc->stats.work;
  while (gc->inspection.slice) {
    gc_test_list(toy, 1000);
    gc_step_work(gc, 5000);
  }
  assert_int_equal(inspection.asked, 50);
  assert_true(gc->stats.minor_cycles > minor);
  assert_true(gc->stats.work - work < 1000000);
  assert_false(inspection.may_wait);
}

/* A program that wants a whole collection waits for the end, and so does a step
** by hand that has nothing else to do. */
static void test_waits_for_elsewhere(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  toy->root[0] = gc_test_list(toy, 1000);
  for (int by_steps = 0; by_steps < 2; by_steps++) {
    FarInspection inspection = {toy, 0, 0, 50, false};
    GcInspection request = {far_inspection_slice, inspection_drop, &inspection,
                            1, INSPECT_FIRST};
    assert_true(gc_inspect(gc, &request));
    if (!by_steps) gc_collect(gc);
    for (int i = 0; by_steps && gc->inspection.slice && i < 1000000; i++)
      gc_step_time(gc, 10);
    assert_null(gc->inspection.slice);
    assert_int_equal(inspection.may_wait, !by_steps);
    assert_int_equal(inspection.asked, 50);
  }
}

/* Closing the state drops an inspection that has not happened yet. */
static void test_dropped(void **state) {
  Toy *toy = *state;
  Toy other;
  static Inspection inspection;
  (void)toy;
  gc_test_open(&other);
  other.root[0] = gc_test_list(&other, 10);
  GcInspection request = inspection_of(&inspection, &other);
  assert_true(gc_inspect(&other.gc, &request));
  gc_test_close(&other);
  assert_int_equal(inspection.dropped, 1);
}

static size_t sampled_bytes;
static int samples;

static void sample(void *context, size_t bytes) {
  (void)context;
  sampled_bytes += bytes;
  samples++;
}

/* The sampler is told of all bytes except the last few. */
static void test_sampler(void **state) {
  Toy *toy = *state;
  enum { INTERVAL = 65536 };
  GcSampler sampler = {sample, NULL, INTERVAL, 0};
  size_t before = toy->gc.heap.allocation_clock;
  gc_set_sampler(&toy->gc, &sampler);
  toy->root[0] = gc_test_list(toy, 50000);
  size_t allocated = toy->gc.heap.allocation_clock - before;
  gc_set_sampler(&toy->gc, NULL);
  assert_true(samples > 2);
  assert_true(sampled_bytes <= allocated);
  assert_true(allocated - sampled_bytes < 2 * INTERVAL);
  int heard = samples;
  toy->root[1] = gc_test_list(toy, 5000);
  assert_int_equal(samples, heard);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_looks_once),
      GC_TEST(test_wants_a_major_cycle),
      GC_TEST(test_second_part),
      GC_TEST(test_whole_collection),
      GC_TEST(test_collection_between_parts),
      GC_TEST(test_elsewhere),
      GC_TEST(test_waits_for_elsewhere),
      GC_TEST(test_dropped),
      GC_TEST(test_sampler),
  };
  return cmocka_run_group_tests_name("gc inspections", tests, NULL, NULL);
}
