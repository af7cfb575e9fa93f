/* SPDX-License-Identifier: MIT */
/*
** pacing.c -- how much work, and when
*/
#include <limits.h>

#include "gc_test.h"

enum { STEP_MAX = 12500 /* units: a step of 8192 and the largest unit */ };

static void quiet(Toy *toy) {
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
}

/* Allocates garbage and takes the steps that are due; the most bytes there
** were. */
static size_t churn(Toy *toy, size_t objects) {
  size_t peak = 0;
  for (size_t i = 0; i < objects; i++) {
    assert_true(toy_new_pair(toy, 0, 0) != 0);
    toy_poll(toy);
    peak = size_max(peak, gc_count(&toy->gc));
  }
  return peak;
}

static void live_list(Toy *toy, size_t count) {
  quiet(toy);
  toy->root[0] = gc_test_list(toy, count);
  gc_collect(&toy->gc);
  gc_restart(&toy->gc);
  gc_collect(&toy->gc); /* the next cycle begins by the settings */
}

/* A larger pause lets the heap grow more and collects less often. */
static void test_pause(void **state) {
  (void)state;
  size_t last_peak = 0;
  uint64_t last_cycles = UINT64_MAX;
  static const int pauses[] = {120, 200, 400};
  for (int i = 0; i < 3; i++) {
    Toy toy;
    gc_test_open(&toy);
    toy.gc.pause = pauses[i];
    toy.gc.choice.majors_left = UINT_MAX; /* only major cycles are compared */
    live_list(&toy, 50000);
    uint64_t cycles = toy.gc.stats.cycles;
    size_t peak = churn(&toy, 500000);
    cycles = toy.gc.stats.cycles - cycles;
    assert_true(peak > last_peak);
    assert_true(cycles < last_cycles);
    last_peak = peak;
    last_cycles = cycles;
    if (pauses[i] == 200) assert_true(peak < 50000 * 32 * 3);
    gc_test_close(&toy);
  }
}

/* A larger multiplier finishes a cycle within fewer allocated bytes. */
static void test_step_multiplier(void **state) {
  (void)state;
  size_t last = SIZE_MAX;
  static const int multipliers[] = {50, 100, 400};
  for (int i = 0; i < 3; i++) {
    Toy toy;
    gc_test_open(&toy);
    toy.gc.step_multiplier = multipliers[i];
    live_list(&toy, 100000);
    while (toy.gc.phase == PHASE_PAUSE) churn(&toy, 100);
    size_t objects = 0;
    while (toy.gc.phase != PHASE_PAUSE) {
      churn(&toy, 100);
      objects += 100;
    }
    assert_true(objects <= last);
    last = objects;
    gc_test_close(&toy);
  }
}

/* A huge allocation makes much work due; it is not paid in one step. */
static void test_debt_is_spread(void **state) {
  Toy *toy = *state;
  live_list(toy, 50000);
  while (toy->gc.phase != PHASE_MARK) churn(toy, 100);
  toy->gc.stats.largest_step = 0;
  uint64_t steps = toy->gc.stats.steps;
  toy->root[1] = toy_new_leaf(toy, 50 << 20);
  assert_true(gc_step_due(&toy->gc));
  while (toy->gc.phase != PHASE_PAUSE) churn(toy, 10);
  assert_true(toy->gc.stats.steps - steps > 20);
  assert_true(toy->gc.stats.largest_step < STEP_MAX);
}

/* Steps stay bounded whatever the settings say. */
static void test_steps_are_bounded(void **state) {
  Toy *toy = *state;
  live_list(toy, 50000);
  static const int sizes[] = {0, 13, 20, 60, -5};
  for (int i = 0; i < 5; i++) {
    toy->gc.step_size = sizes[i];
    toy->gc.step_multiplier = 1000;
    toy->gc.stats.largest_step = 0;
    churn(toy, 100000);
    assert_true(toy->gc.stats.largest_step < STEP_MAX);
  }
}

/* A tiny heap is not collected all the time. */
static void test_floor(void **state) {
  Toy *toy = *state;
  live_list(toy, 10);
  toy->gc.pause = 100;
  uint64_t cycles = toy->gc.stats.cycles;
  churn(toy, 100000); /* 3.2 MB */
  assert_true(toy->gc.stats.cycles - cycles <= 64);
  assert_true(toy->gc.stats.cycles - cycles >= 2);
}

static void test_stop_and_restart(void **state) {
  Toy *toy = *state;
  live_list(toy, 100);
  gc_stop(&toy->gc);
  uint64_t steps = toy->gc.stats.steps;
  churn(toy, 50000);
  assert_int_equal(toy->gc.stats.steps, steps);
  assert_false(gc_step_due(&toy->gc));
  assert_int_equal(gc_test_count(toy).all, 50100);
  gc_collect(&toy->gc); /* asked for explicitly, it works */
  assert_int_equal(gc_test_count(toy).all, 100);
  gc_restart(&toy->gc);
  churn(toy, 50000);
  assert_true(toy->gc.stats.steps > steps);
  assert_true(gc_test_count(toy).all < 40000);
}

static void test_step_by_work(void **state) {
  Toy *toy = *state;
  quiet(toy);
  toy->root[0] = gc_test_list(toy, 20000);
  assert_false(gc_step_work(&toy->gc, 5000));
  uint64_t work = toy->gc.stats.work;
  assert_false(gc_step_work(&toy->gc, 5000));
  assert_in_range(toy->gc.stats.work - work, 5000, 5000 + 4300);
  size_t calls = 0;
  while (!gc_step_work(&toy->gc, 5000)) calls++;
  assert_true(calls > 10);
  assert_int_equal(toy->gc.phase, PHASE_PAUSE);
}

/* A time budget is kept, roughly, and a cycle can be finished with it. */
static void test_step_by_time(void **state) {
  Toy *toy = *state;
  quiet(toy);
  toy->root[0] = gc_test_list(toy, 200000);
  assert_true(gc_enable_histogram(&toy->gc, true));
  size_t calls = 0;
  while (!gc_step_time(&toy->gc, 100)) calls++;
  assert_int_equal(gc_test_list_length(toy->root[0]), 200000);
  assert_true(calls > 2);
  assert_int_equal(toy->gc.histogram->steps, calls + 1);
  assert_true(
      gc_step_time(&toy->gc, 60000000)); /* a whole cycle, and no more */
  assert_int_equal(toy->gc.stats.cycles, 2);
}

/* Bytes held elsewhere count like bytes held here. */
static void test_external_bytes(void **state) {
  Toy *toy = *state;
  live_list(toy, 1000);
  uint64_t cycles = toy->gc.stats.cycles;
  for (int i = 0; i < 1000; i++) {
    gc_external_bytes(&toy->gc, 100000, 0);
    churn(toy, 1);
    gc_external_bytes(&toy->gc, 0, 100000);
  }
  assert_true(toy->gc.stats.cycles > cycles + 5);
  assert_int_equal(toy->gc.external_bytes, 0);
  gc_external_bytes(&toy->gc, 0, 50); /* never below zero */
  assert_int_equal(toy->gc.external_bytes, 0);
}

/* ... and fall under the limit, as does memory of the program's own. */
static void test_external_limit(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  live_list(toy, 1000);
  gc_set_limit(gc, 1000000);
  assert_true(gc_external_bytes(gc, 500000, 0));
  assert_false(gc_external_bytes(gc, 500000, 0));
  assert_int_equal(gc->external_bytes, 500000);
  assert_null(gc_memory_resize(gc, NULL, 0, 500000));
  void *memory = gc_memory_resize(gc, NULL, 0, 200000);
  assert_non_null(memory);
  assert_null(gc_memory_resize(gc, memory, 200000, 500000));
  assert_int_equal(gc->external_bytes, 700000);
  memory = gc_memory_resize(gc, memory, 200000, 300000);
  assert_non_null(memory);
  assert_true(gc->stats.emergencies > 0);
  assert_null(gc_memory_resize(gc, memory, 300000, 0));
  assert_true(gc_external_bytes(gc, 0, 500000));
  assert_int_equal(gc->external_bytes, 0);
  assert_int_equal(gc->heap.external, 0);
}

/* Cycles come in time: garbage never makes an emergency under a limit. */
static void test_limit_is_foreseen(void **state) {
  Toy *toy = *state;
  live_list(toy, 1000);
  gc_set_limit(&toy->gc, toy->gc.heap.footprint + 200000);
  churn(toy, 100000);
  assert_int_equal(toy->gc.stats.emergencies, 0);
  gc_set_limit(&toy->gc, 0);
}

/* What a cycle has done is paid: none begins before the heap has grown. */
static void test_rest_between_cycles(void **state) {
  Toy *toy = *state;
  live_list(toy, 50000);
  churn(toy, 200000);
  uint64_t cycles = toy->gc.stats.cycles;
  while (toy->gc.stats.cycles == cycles) churn(toy, 1);
  size_t start = gc_count(&toy->gc);
  uint64_t steps = toy->gc.stats.steps;
  churn(toy, 3000);
  assert_int_equal(toy->gc.phase, PHASE_PAUSE);
  assert_int_equal(toy->gc.stats.steps, steps);
  assert_int_equal(gc_count(&toy->gc), start + 3000 * 32);
}

/* Time that the program has spent on a large piece makes the step after it
** longer, but not those that follow while the program has hardly run. */
static void test_credit_is_for_one_step(void **state) {
  Toy *toy = *state;
  live_list(toy, 200000);
  gc_stop(&toy->gc);
  gc_test_advance(toy, PHASE_MARK);
  gc_restart(&toy->gc);
  toy->gc.stats.largest_step = 0;
  toy->gc.step_nanoseconds = UINT64_C(1000000000);
  toy->gc.debt = toy->gc.large_debt = 10000000;
  toy->gc.time_credit = UINT64_C(60000000000);
  toy->gc.step_ended = gc_clock() + UINT64_C(3600000000000); /* not yet */
  gc_step(&toy->gc);
  assert_int_equal(toy->gc.phase, PHASE_MARK);
  assert_in_range(toy->gc.stats.largest_step, 1, STEP_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pause), cmocka_unit_test(test_step_multiplier),
      GC_TEST(test_debt_is_spread), GC_TEST(test_steps_are_bounded),
      GC_TEST(test_floor),          GC_TEST(test_stop_and_restart),
      GC_TEST(test_step_by_work),   GC_TEST(test_step_by_time),
      GC_TEST(test_external_bytes), GC_TEST(test_external_limit),
      GC_TEST(test_limit_is_foreseen), GC_TEST(test_rest_between_cycles),
      GC_TEST(test_credit_is_for_one_step),
  };
  return cmocka_run_group_tests_name("pacing", tests, NULL, NULL);
}
