/* SPDX-License-Identifier: MIT */
/*
** look.c -- a snapshot or census looks at the heap before the sweep, and after
** it if there is more to do
*/
#include "gc_test.h"

enum { UNITS = 20 };

typedef struct Look {
  Toy *toy;
  int units;
  int dropped;
} Look;

/* Checks that all that the roots keep is marked and no sweep has begun. */
static size_t look_unit(GcLook *request) {
  Look *look = request->context;
  const Gc *gc = &look->toy->gc;
  assert_int_equal(gc->phase, PHASE_SWEEP_SET);
  assert_false(gc->minor);
  assert_true(heap_is_marked(toy_cell(look->toy->root[0])));
  return ++look->units < UNITS ? 100 : 0;
}

static void look_drop(void *context) { ((Look *)context)->dropped++; }

static GcLook look_of(Look *look, Toy *toy) {
  *look = (Look){toy, 0, 0};
  return (GcLook){look_unit, look_drop, look, UNITS * 100, LOOK_FIRST};
}

/* The look happens once, in the next cycle, and does not count as its work. */
static void test_looks_once(void **state) {
  Toy *toy = *state;
  Look look;
  toy->root[0] = gc_test_list(toy, 1000);
  gc_collect(&toy->gc);
  uint64_t rest = toy->gc.pace.last[0].rest;
  GcLook request = look_of(&look, toy);
  assert_true(gc_look(&toy->gc, &request));
  assert_false(gc_look(&toy->gc, &request));
  gc_collect(&toy->gc);
  assert_int_equal(look.units, UNITS);
  assert_null(toy->gc.look.unit);
  assert_true(toy->gc.pace.last[0].rest < rest + UNITS * 50);
  gc_collect(&toy->gc);
  assert_int_equal(look.units, UNITS);
  assert_int_equal(look.dropped, 0);
}

/* In generational mode the look needs a major cycle, and causes one. */
static void test_wants_a_major_cycle(void **state) {
  Toy *toy = *state;
  Look look;
  toy->root[0] = gc_test_list(toy, 1000);
  gc_set_generational(&toy->gc, true);
  gc_collect(&toy->gc);
  GcLook request = look_of(&look, toy);
  assert_true(gc_look(&toy->gc, &request));
  for (int i = 0; i < 100000 && toy->gc.look.unit; i++)
    gc_step_work(&toy->gc, 100);
  assert_int_equal(look.units, UNITS);
}

/* A look in two parts: one object of a list is dropped between them. */
typedef struct LongLook {
  Toy *toy;
  Cell *seen; /* an object that the first part has seen */
  int units, after;
} LongLook;

static size_t long_look_unit(GcLook *request) {
  LongLook *look = request->context;
  Gc *gc = &look->toy->gc;
  if (++look->units <= UNITS) {
    assert_int_equal(gc->phase, PHASE_SWEEP_SET);
    assert_true(heap_is_marked(look->seen));
    if (look->units == UNITS) request->part = LOOK_SECOND;
    request->left = 100 * UNITS;
    return 100;
  }
  assert_int_equal(gc->phase, PHASE_LOOK);
  assert_int_equal(look->seen->kind, toy_cell(look->toy->root[0])->kind);
  return ++look->after < UNITS ? 100 : 0;
}

static GcLook long_look_of(LongLook *look, Toy *toy) {
  *look = (LongLook){toy, toy_cell(toy->root[0]), 0, 0};
  return (GcLook){long_look_unit, look_drop, look, UNITS * 100, LOOK_FIRST};
}

/* Between the parts the garbage of the cycle goes; what has been seen stays
** until the second part has ended, even if it is garbage by then. */
static void test_second_part(void **state) {
  Toy *toy = *state;
  LongLook look;
  toy->root[0] = gc_test_list(toy, 10);
  gc_collect(&toy->gc);
  gc_test_list(toy, 1000);
  size_t full = gc_count(&toy->gc), least = full;
  GcLook request = long_look_of(&look, toy);
  assert_true(gc_look(&toy->gc, &request));
  for (int i = 0; i < 100000 && toy->gc.look.unit; i++) {
    gc_step_work(&toy->gc, 100);
    if (toy->gc.look.part == LOOK_SECOND) toy->root[0] = gc_test_list(toy, 1);
    if (toy->gc.phase == PHASE_LOOK)
      least = size_min(least, gc_count(&toy->gc));
  }
  assert_int_equal(look.units, 2 * UNITS);
  assert_int_equal(look.after, UNITS);
  assert_true(least < full / 2);
  assert_int_equal(toy->gc.phase, PHASE_PAUSE);
}

/* A whole collection finishes both parts. */
static void test_whole_collection(void **state) {
  Toy *toy = *state;
  LongLook look;
  toy->root[0] = gc_test_list(toy, 10);
  GcLook request = long_look_of(&look, toy);
  assert_true(gc_look(&toy->gc, &request));
  uint64_t cycles = toy->gc.stats.cycles;
  gc_collect(&toy->gc);
  assert_int_equal(look.after, UNITS);
  assert_null(toy->gc.look.unit);
  assert_int_equal(toy->gc.stats.cycles, cycles + 1);
}

/* A whole collection during the sweep between both parts ends the look, and then
** frees all garbage. */
static void test_collection_between_parts(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  LongLook look;
  toy->root[0] = gc_test_list(toy, 1000);
  gc_collect(gc);
  size_t least = gc_count(gc);
  toy->root[1] = gc_test_list(toy, 1000);
  GcLook request = long_look_of(&look, toy);
  assert_true(gc_look(gc, &request));
  while (gc->look.part != LOOK_SECOND) gc_step_work(gc, 100);
  assert_int_not_equal(gc->phase, PHASE_LOOK);
  assert_true(gc_count(gc) > least + 1000);
  toy->root[1] = 0;
  gc_collect(gc);
  assert_null(gc->look.unit);
  assert_true(gc_count(gc) < least + 1000);
}

/* A look whose end is elsewhere.  It is asked for that in every step. */
typedef struct FarLook {
  Toy *toy;
  int units, asked, ends_at;
  bool may_wait; /* when it was asked last */
} FarLook;

static size_t far_look_unit(GcLook *request) {
  FarLook *look = request->context;
  Gc *gc = &look->toy->gc;
  if (request->part == LOOK_ELSEWHERE) {
    look->may_wait = gc_may_wait(gc);
    return ++look->asked < look->ends_at ? 1000000 : 0;
  }
  assert_int_equal(gc->phase, PHASE_SWEEP_SET);
  if (++look->units == UNITS) request->part = LOOK_ELSEWHERE;
  return 100;
}

/* Meanwhile cycles begin and end as always, minor ones too, and the answers do
** not count as work. */
static void test_elsewhere(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  FarLook look = {toy, 0, 0, 50, false};
  toy->root[0] = gc_test_list(toy, 1000);
  gc_set_generational(gc, true);
  gc_collect(gc);
  GcLook request = {far_look_unit, look_drop, &look, 1, LOOK_FIRST};
  assert_true(gc_look(gc, &request));
  while (gc->look.part == LOOK_FIRST) gc_step_work(gc, 100);
  uint64_t minor = gc->stats.minor_cycles, work = gc->stats.work;
  while (gc->look.unit) {
    gc_test_list(toy, 1000);
    gc_step_work(gc, 5000);
  }
  assert_int_equal(look.asked, 50);
  assert_true(gc->stats.minor_cycles > minor);
  assert_true(gc->stats.work - work < 1000000);
  assert_false(look.may_wait);
}

/* A program that wants a whole collection waits for the end, and so does a step
** by hand that has nothing else to do. */
static void test_waits_for_elsewhere(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  toy->root[0] = gc_test_list(toy, 1000);
  for (int by_steps = 0; by_steps < 2; by_steps++) {
    FarLook look = {toy, 0, 0, 50, false};
    GcLook request = {far_look_unit, look_drop, &look, 1, LOOK_FIRST};
    assert_true(gc_look(gc, &request));
    if (!by_steps) gc_collect(gc);
    for (int i = 0; by_steps && gc->look.unit && i < 1000000; i++)
      gc_step_time(gc, 10);
    assert_null(gc->look.unit);
    assert_int_equal(look.may_wait, !by_steps);
    assert_int_equal(look.asked, 50);
  }
}

/* Closing the state drops a look that has not happened yet. */
static void test_dropped(void **state) {
  Toy *toy = *state;
  Toy other;
  static Look look;
  (void)toy;
  gc_test_open(&other);
  other.root[0] = gc_test_list(&other, 10);
  GcLook request = look_of(&look, &other);
  assert_true(gc_look(&other.gc, &request));
  gc_test_close(&other);
  assert_int_equal(look.dropped, 1);
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
  return cmocka_run_group_tests_name("gc look", tests, NULL, NULL);
}
