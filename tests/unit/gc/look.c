/* SPDX-License-Identifier: MIT */
/*
** look.c -- a snapshot or census looks at the heap before the sweep
*/
#include "gc_test.h"

enum { UNITS = 20 };

typedef struct Look {
  Toy *toy;
  int units;
  int dropped;
} Look;

/* Checks that all that the roots keep is marked and no sweep has begun. */
static size_t look_unit(void *context) {
  Look *look = context;
  const Gc *gc = &look->toy->gc;
  assert_int_equal(gc->phase, PHASE_SWEEP_SET);
  assert_false(gc->minor);
  assert_true(heap_is_marked(toy_cell(look->toy->root[0])));
  return ++look->units < UNITS ? 100 : 0;
}

static void look_drop(void *context) { ((Look *)context)->dropped++; }

static GcLook look_of(Look *look, Toy *toy) {
  *look = (Look){toy, 0, 0};
  return (GcLook){look_unit, look_drop, look, UNITS * 100};
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
      GC_TEST(test_dropped),
      GC_TEST(test_sampler),
  };
  return cmocka_run_group_tests_name("gc look", tests, NULL, NULL);
}
