/* SPDX-License-Identifier: MIT */
/*
** pacing.c -- how much work the collector does, and when
*/
#include <limits.h>

#include "gc_test.h"

enum {
  STEP_MAX = 12500,      /* units: a step of 8192 and the largest unit */
  GROWTH_FLOOR = 1 << 20 /* bytes that a small heap may grow by */
};

static void quiet(Toy *toy) {
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
}

/* Allocates garbage and takes the steps that are due.  Returns the peak size of
** the heap in bytes. */
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
  gc_collect(&toy->gc); /* the next cycle uses the settings */
}

/* The heap may grow by what the pause says, no more and no less.  It is neither
** so small nor so large that other rules hold. */
static void test_goal(void **state) {
  static const int pauses[] = {180, 200, 400};
  Toy *toy = *state;
  for (int i = 0; i < 3; i++) {
    toy->gc.pause = pauses[i];
    toy->gc.choice.majors_left = UINT_MAX; /* major cycles only */
    live_list(toy, 60000);
    size_t live = toy->gc.stats.live_bytes;
    size_t growth = live / 100 * (size_t)(pauses[i] - 100);
    assert_true(growth > GROWTH_FLOOR);
    assert_in_range(toy->gc.pace.growth, growth - growth / 50,
                    growth + growth / 50);
  }
}

/* A large allocation allows a longer step.  Bytes that are reserved between
** cycles do not; but that holds for these bytes, not for later ones. */
static void test_reserved_bytes(void **state) {
  enum { BIG = 1 << 23, STEP_UNITS = 8192 };
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  live_list(toy, 60000);
  assert_int_equal(gc->phase, PHASE_PAUSE);
  assert_true(toy_new_leaf(toy, BIG) != 0);
  assert_true(gc_units_due(gc) > 2 * STEP_UNITS);
  gc_part_reserved(gc, BIG);
  assert_true(gc_units_due(gc) <= STEP_UNITS + 1);
  gc_step(gc);
  assert_int_not_equal(gc->phase, PHASE_PAUSE);
  assert_true(toy_new_leaf(toy, BIG) != 0);
  assert_true(gc_units_due(gc) > 2 * STEP_UNITS);
  gc_collect(gc);
}

/* Finalizers are called in groups, and all before the next cycle. */
static void test_finalizers_due(void **state) {
  enum { STEP_BYTES = 1024 };
  Toy *toy = *state;
  live_list(toy, 300000);
  size_t steps = toy->gc.pace.growth / STEP_BYTES;
  toy->gc.ready = 5;
  assert_in_range(gc_finalizers_due(&toy->gc), 5, 20);
  toy->gc.ready = 100 * steps;
  assert_in_range(gc_finalizers_due(&toy->gc), 100, 100 * steps);
  toy->gc.ready = 0;
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
    toy.gc.choice.majors_left = UINT_MAX; /* compare major cycles only */
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

/* A huge allocation within the goal does not lengthen the steps after it. */
static void test_steps_within_goal(void **state) {
  Toy *toy = *state;
  toy->gc.choice.majors_left = UINT_MAX; /* minor cycles end in one step */
  live_list(toy, 50000);
  toy->root[1] = toy_new_leaf(toy, 10 << 20);
  gc_collect(&toy->gc); /* 11 MB are live, so the goal is far */
  while (toy->gc.phase != PHASE_MARK) churn(toy, 100);
  toy->gc.stats.largest_step = 0;
  uint64_t steps = toy->gc.stats.steps;
  toy->root[2] = toy_new_leaf(toy, 100000);
  while (toy->gc.phase != PHASE_PAUSE) churn(toy, 10);
  assert_true(toy->gc.stats.steps - steps > 20);
  assert_in_range(toy->gc.stats.largest_step, 1, STEP_MAX);
}

/* Beyond the goal an allocation causes work in proportion to its size, so that
** the cycle ends.  The heap never exceeds the goal, one growth beyond it, and
** the last piece together. */
static void test_large_pieces_wait(void **state) {
  enum { PIECE = 1 << 20, LIVE = 50000 * 32 };
  Toy *toy = *state;
  live_list(toy, 50000);
  toy->gc.stats.largest_step = 0;
  size_t peak = 0;
  for (int i = 0; i < 200; i++) {
    assert_true(toy_new_leaf(toy, PIECE) != 0);
    toy_poll(toy);
    peak = size_max(peak, gc_count(&toy->gc));
  }
  assert_in_range(toy->gc.stats.largest_step, 1, STEP_MAX);
  assert_in_range(peak, 1, 3 * LIVE + 2 * PIECE);
}

/* Cycles end before the goal, for every pause and in both modes.  A lower step
** multiplier only brings the end nearer to the goal. */
static void test_goal_is_kept(void **state) {
  static const int pauses[] = {105, 120, 150, 200, 400, 1000};
  static const int multipliers[] = {1, 100};
  (void)state;
  for (int i = 0; i < 6 * 2 * 2; i++) {
    Toy toy;
    gc_test_open(&toy);
    int percent = pauses[i % 6];
    gc_set_generational(&toy.gc, i >= 12);
    toy.gc.pause = percent;
    toy.gc.major_multiplier = percent - 100;
    toy.gc.step_multiplier = multipliers[i / 6 % 2];
    live_list(&toy, 50000);
    size_t live = gc_count(&toy.gc), peak = churn(&toy, 200000);
    size_t bound = live / 100 * (size_t)(percent + 10) + GROWTH_FLOOR;
    if (peak > bound)
      print_error("pause %d: %zu > %zu\n", percent, peak, bound);
    assert_true(peak <= bound);
    gc_test_close(&toy);
  }
}

/* Steps stay bounded with all settings. */
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

/* A tiny heap is not collected constantly. */
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
  gc_collect(&toy->gc); /* an explicit collection still works */
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

/* A step keeps its time budget, roughly, and can finish a cycle.  After that
** nothing is due, and a step does nothing. */
static void test_step_by_time(void **state) {
  Toy *toy = *state;
  quiet(toy);
  toy->root[0] = gc_test_list(toy, 200000);
  assert_true(gc_enable_histogram(&toy->gc, true));
  size_t calls = 0;
  for (; gc_is_due(&toy->gc); calls++) gc_step_time(&toy->gc, 100);
  assert_int_equal(gc_test_list_length(toy->root[0]), 200000);
  assert_true(calls > 2);
  assert_int_equal(toy->gc.histogram->steps, calls);
  gc_step_time(&toy->gc, 60000000);
  assert_int_equal(toy->gc.stats.cycles, 1);
}

/* How far the heap is beyond its goal, in units of the growth allowed. */
static double late_by(const Gc *gc) {
  ptrdiff_t beyond = (ptrdiff_t)(gc->heap.allocation_clock - gc->pace.goal);
  return beyond > 0 ? (double)beyond / (double)(gc->pace.growth + 1) : 0;
}

/* Steps take no more of a frame than its budget, which rises as the heap goes
** beyond its goal.  Even so the heap stays below one growth beyond the goal.
** Returns the number of frames that end beyond it. */
static size_t run_frames(Toy *toy, int frames, size_t objects) {
  enum { FRAME = 20000, FRAME_UNITS = FRAME / 4 };
  size_t live = gc_count(&toy->gc), peak = 0, late = 0;
  for (int frame = 0; frame < frames; frame++) {
    gc_begin_frame(&toy->gc, FRAME);
    uint64_t work = toy->gc.stats.work, cycles = toy->gc.stats.cycles;
    peak = size_max(peak, churn(toy, objects));
    double beyond = late_by(&toy->gc);
    late += beyond > 0;
    if (toy->gc.stats.cycles != cycles || beyond >= 1) continue;
    assert_true((double)(toy->gc.stats.work - work) <=
                FRAME_UNITS / (1 - beyond) + STEP_MAX);
  }
  assert_true(peak < 3 * live + (1 << 20));
  return late;
}

static void test_frame(void **state) {
  enum { FRAMES = 3000 };
  Toy *toy = *state;
  live_list(toy, 50000);
  assert_true(run_frames(toy, FRAMES, 100) < FRAMES / 2);
  assert_true(toy->gc.stats.cycles > 3);
  run_frames(toy, FRAMES / 10, 5000);
}

/* External bytes count like bytes of the heap. */
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

/* The limit applies to external bytes and to memory of the program's own. */
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

/* Under a limit, cycles begin early enough: garbage causes no emergency. */
static void test_limit_is_foreseen(void **state) {
  Toy *toy = *state;
  live_list(toy, 1000);
  gc_set_limit(&toy->gc, toy->gc.heap.footprint + 200000);
  churn(toy, 100000);
  assert_int_equal(toy->gc.stats.emergencies, 0);
  gc_set_limit(&toy->gc, 0);
}

/* After a cycle no work is due.  The next begins after the heap has grown. */
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

/* The collector keeps a target by more frequent cycles, if that is possible,
** and without an emergency. */
static void test_target(void **state) {
  Toy *toy = *state;
  live_list(toy, 50000);
  size_t live = gc_count(&toy->gc), target = live + (700 << 10);
  size_t free_peak = churn(toy, 300000);
  gc_set_target(&toy->gc, target);
  churn(toy, 100000);
  size_t peak = churn(toy, 300000);
  assert_true(free_peak > target);
  assert_in_range(peak, live, target + (64 << 10));
  assert_int_equal(toy->gc.stats.emergencies, 0);
  assert_false(toy->gc.target_missed);
}

/* A target that cannot be kept is reported.  It costs no more than about eight
** times the usual number of cycles. */
static void test_target_missed(void **state) {
  Toy *toy = *state;
  live_list(toy, 400000);
  uint64_t cycles = toy->gc.stats.cycles;
  churn(toy, 4000000);
  uint64_t usual = toy->gc.stats.cycles - cycles;
  gc_set_target(&toy->gc, 1 << 20);
  churn(toy, 4000000);
  assert_true(toy->gc.target_missed);
  assert_in_range(toy->gc.stats.cycles - cycles - usual, 2 * usual, 10 * usual);
}

/* The goal is lowered when the program explicitly frees memory after a cycle,
** because that memory counted as live in the cycle. */
static void test_goal_falls_with_frees(void **state) {
  enum { EXTRA = 20 << 20 };
  Toy *toy = *state;
  live_list(toy, 50000);
  size_t usual = churn(toy, 300000);
  void *memory = gc_memory_resize(&toy->gc, NULL, 0, EXTRA);
  assert_non_null(memory);
  gc_collect(&toy->gc);
  gc_memory_resize(&toy->gc, memory, EXTRA, 0);
  size_t peak = churn(toy, 1000000);
  assert_in_range(peak, 1, usual + usual / 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_goal),
      GC_TEST(test_reserved_bytes),
      GC_TEST(test_finalizers_due),
      cmocka_unit_test(test_pause),
      cmocka_unit_test(test_step_multiplier),
      GC_TEST(test_steps_within_goal),
      GC_TEST(test_large_pieces_wait),
      cmocka_unit_test(test_goal_is_kept),
      GC_TEST(test_target),
      GC_TEST(test_target_missed),
      GC_TEST(test_frame),
      GC_TEST(test_goal_falls_with_frees),
      GC_TEST(test_steps_are_bounded),
      GC_TEST(test_floor),
      GC_TEST(test_stop_and_restart),
      GC_TEST(test_step_by_work),
      GC_TEST(test_step_by_time),
      GC_TEST(test_external_bytes),
      GC_TEST(test_external_limit),
      GC_TEST(test_limit_is_foreseen),
      GC_TEST(test_rest_between_cycles),
  };
  return cmocka_run_group_tests_name("pacing", tests, NULL, NULL);
}
