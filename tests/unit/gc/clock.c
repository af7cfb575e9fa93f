/* SPDX-License-Identifier: MIT */
/*
** clock.c -- steps that look at the clock
**
** Only release builds look at it by themselves, and there a test can tell
** little from times.  Here the clock is the test's own: it goes on by `tick`
** each time somebody looks, and by what the test adds.
*/
#include "gc_test.h"

#include <time.h>

static struct {
  uint64_t now; /* nanoseconds */
  uint64_t tick;
  unsigned looks;
} watch;

int clock_gettime(clockid_t clock, struct timespec *time) {
  (void)clock;
  watch.now += watch.tick;
  watch.looks++;
  time->tv_sec = (time_t)(watch.now / 1000000000);
  time->tv_nsec = (long)(watch.now % 1000000000);
  return 0;
}

enum {
  STEP = 40000,        /* nanoseconds of a step */
  SHORTEST = STEP / 8, /* ... of the shortest one */
  BUCKET = STEP / 2,   /* nanoseconds that steps may take in a row */
  STEP_UNITS = 8192
};

/* The collector's time for each nanosecond of the program. */
static const double SHARE = 0.85;

/* A cycle under way, with much to mark, and the heap within its goal. */
static void begin(Toy *toy) {
  Gc *gc = &toy->gc;
  watch.now = 1000000000;
  watch.tick = 0;
  gc->debug.verify = gc->debug.checkmark = false;
  toy->root[0] = gc_test_list(toy, 60000);
  gc_restart(gc);
  gc->step_nanoseconds = STEP;
  gc_test_advance(toy, PHASE_MARK);
  gc->pace.goal = gc->heap.allocation_clock + (64u << 20);
  gc->pace.growth = 64u << 20;
  gc->pace.margin = 0;
  gc->pace.credit = BUCKET;
  gc->pace.credit_at = watch.now;
}

/* A step for `bytes` allocated; the work done. */
static uint64_t step(Toy *toy, size_t bytes) {
  Gc *gc = &toy->gc;
  uint64_t before = gc->stats.work;
  gc->pace.stepped_at = gc->heap.allocation_clock - bytes;
  gc->pace.step_at = gc->heap.allocation_clock;
  gc_step(gc);
  return gc->stats.work - before;
}

enum { MUCH = 8u << 20 };

/* While time stands still a step does all that is due, but no more than a step
** may. */
static void test_no_time_passes(void **state) {
  Toy *toy = *state;
  begin(toy);
  uint64_t work = step(toy, MUCH);
  assert_true(work >= STEP_UNITS / 4 && work <= STEP_UNITS + 4096);
}

/* The clock is looked at about every 512 units; a step that sees that its time
** is over ends. */
static void test_step_ends_by_the_clock(void **state) {
  Toy *toy = *state;
  begin(toy);
  watch.tick = STEP; /* one look too many at once */
  uint64_t work = step(toy, MUCH);
  assert_true(work > 0 && work < 512 + 512);
  watch.tick = 0;
}

static void test_looks_are_rare(void **state) {
  Toy *toy = *state;
  begin(toy);
  watch.looks = 0;
  uint64_t work = step(toy, MUCH);
  assert_true(watch.looks >= work / 1024);
  assert_true(watch.looks <= work / 256 + 4);
}

/* Steps in a row use up the bucket; then they wait until the program has run
** for a little more than the time of the shortest step. */
static void test_steps_in_a_row(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  begin(toy);
  unsigned steps = 0;
  watch.tick = STEP / 8;
  while (step(toy, MUCH) > 0) {
    steps++;
    assert_true(steps < 20);
  }
  watch.tick = 0;
  assert_true(steps >= 1 && steps <= 4);
  assert_false(gc->step_due);
  /* It is tried again when the bucket may have enough, after a kilobyte or
  ** more. */
  size_t next = gc->pace.step_at - gc->heap.allocation_clock;
  assert_true(next >= BLOCK_PAGE && next <= 8 * BLOCK_PAGE);
  double lacking = SHORTEST - gc->pace.credit;
  assert_true(lacking > 0);
  watch.now += (uint64_t)(lacking / SHARE) - 100;
  assert_int_equal(step(toy, MUCH), 0);
  watch.now += 200;
  assert_true(step(toy, MUCH) > 0);
}

/* With a low step multiplier the share is lower, but near the goal it rises to
** the usual one. */
static void test_share_rises(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  begin(toy);
  gc->step_multiplier = 10;
  gc->pace.credit = 0;
  watch.now += (uint64_t)(SHORTEST / SHARE) + 200;
  assert_int_equal(step(toy, MUCH), 0);
  begin(toy);
  gc->pace.goal = gc->heap.allocation_clock + 65536;
  gc->pace.growth = 65536;
  gc->pace.credit = 0;
  watch.now += (uint64_t)(SHORTEST / SHARE) - 100;
  assert_int_equal(step(toy, MUCH), 0);
  watch.now += 200;
  assert_true(step(toy, MUCH) > 0);
}

/* However long the program runs, it waits for half a step at most. */
static void test_bucket_is_bounded(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  begin(toy);
  gc->pace.credit = 0;
  watch.now += 1000000000;
  assert_true(step(toy, 1024) > 0);
  assert_true(gc->pace.credit <= BUCKET);
  assert_true(gc->pace.credit > 0.9 * BUCKET);
}

/* One growth beyond the goal no step is refused. */
static void test_late_steps_are_not_refused(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  begin(toy);
  gc->pace.goal = gc->heap.allocation_clock - 2 * MUCH;
  gc->pace.growth = MUCH;
  watch.tick = STEP / 4;
  for (int i = 0; i < 10; i++) assert_true(step(toy, MUCH) > 0);
  watch.tick = 0;
  gc->pace.credit = 0;
  gc->pace.credit_at = watch.now;
  assert_true(step(toy, MUCH) > 0);
}

/* The work of a step after an allocation of `bytes`, in a heap that is
** `headroom` bytes below its goal.  The time of a step is over at the second
** look. */
static uint64_t after_allocation(Toy *toy, size_t bytes, ptrdiff_t headroom) {
  Gc *gc = &toy->gc;
  begin(toy);
  gc->pace.goal = gc->heap.allocation_clock + (size_t)headroom;
  gc->pace.growth = MUCH;
  uint64_t before = gc->stats.work;
  gc->pace.stepped_at = gc->heap.allocation_clock - bytes;
  gc->pace.step_at = gc->heap.allocation_clock - bytes;
  watch.tick = STEP / 2;
  gc_step(gc);
  watch.tick = 0;
  return gc->stats.work - before;
}

/* A large allocation waits longer, in units and in time.  A smaller one does so
** only beyond the goal. */
static void test_large_allocation_waits(void **state) {
  assert_true(after_allocation(*state, 6000, MUCH) < 2 * 512);
  assert_true(after_allocation(*state, 6000, -MUCH / 2) > 2 * 512);
  assert_true(after_allocation(*state, MUCH, MUCH) > 2 * 1024);
}

/* Halfway there the program's time counts twice. */
static void test_half_late(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  begin(toy);
  gc->pace.goal = gc->heap.allocation_clock - MUCH / 2;
  gc->pace.growth = MUCH;
  gc->pace.credit = 0;
  gc->pace.credit_at = watch.now;
  watch.now += (uint64_t)(SHORTEST / SHARE / 2) - 200;
  assert_int_equal(step(toy, MUCH), 0);
  watch.now += 400;
  assert_true(step(toy, MUCH) > 0);
}

/* A step of which the time is used up by the frame waits for the next frame. */
static void test_frames(void **state) {
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  begin(toy);
  gc_begin_frame(gc, 3 * STEP);
  watch.tick = STEP / 8;
  unsigned steps = 0;
  for (; steps < 100; steps++) {
    gc->pace.credit = STEP;
    gc->pace.credit_at = watch.now;
    if (step(toy, MUCH) == 0) break;
  }
  assert_true(steps >= 2 && steps <= 8);
  gc_begin_frame(gc, 3 * STEP);
  watch.tick = 0;
  gc->pace.credit = STEP;
  assert_true(step(toy, MUCH) > 0);
}

/* Memory that is not needed goes back in what is left of the time: none if
** there is no time, all of it if there is enough. */
static void test_release_by_time(void **state) {
  enum { CELLS = 40, SIZE = 2 * RELEASE_PIECE };
  Toy *toy = *state;
  Heap *heap = &toy->gc.heap;
  void *cells[CELLS];
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
  watch.tick = 0;
  for (int i = 0; i < CELLS; i++) cells[i] = heap_allocate(heap, SIZE);
  for (int i = 0; i < CELLS; i++) heap_free(heap, cells[i], SIZE);
  heap->peak = heap->last_peak = 0; /* as after two cycles */
  size_t excess = heap_excess(heap);
  assert_true(excess > CELLS / 2 * (size_t)SIZE);
  watch.tick = 2000000; /* a look takes all the time */
  gc_step_time(&toy->gc, 1000);
  assert_int_equal(heap_excess(heap), excess);
  watch.tick = 0;
  gc_step_time(&toy->gc, 1000);
  assert_int_equal(heap_excess(heap), 0);
}

/* -- Settings by name ------------------------------------------------------ */

static void test_settings(void **state) {
  static const struct {
    const char *names;
    bool known, step, collect, verify, checkmark, poison;
  } cases[] = {{"", true, false, false, false, false, false},
               {"step", true, true, false, false, false, false},
               {"collect", true, false, true, false, false, false},
               {"verify", true, false, false, true, false, false},
               {"checkmark", true, false, false, false, true, false},
               {"poison", true, false, false, false, false, true},
               {"step,poison", true, true, false, false, false, true},
               {",step,,verify,", true, true, false, true, false, false},
               {"steps", false, false, false, false, false, false},
               {"ste", false, false, false, false, false, false},
               {"verify,nothing", false, false, false, true, false, false}};
  Toy *toy = *state;
  Gc *gc = &toy->gc;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(gc_debug_settings(gc, cases[i].names), cases[i].known);
    assert_int_equal(gc->debug.step_always, cases[i].step);
    assert_int_equal(gc->debug.collect_always, cases[i].collect);
    assert_int_equal(gc->debug.verify, cases[i].verify);
    assert_int_equal(gc->debug.checkmark, cases[i].checkmark);
    assert_int_equal(gc->heap.poison, cases[i].poison);
  }
  gc_debug_settings(gc, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_no_time_passes),
      GC_TEST(test_step_ends_by_the_clock),
      GC_TEST(test_looks_are_rare),
      GC_TEST(test_steps_in_a_row),
      GC_TEST(test_share_rises),
      GC_TEST(test_bucket_is_bounded),
      GC_TEST(test_late_steps_are_not_refused),
      GC_TEST(test_large_allocation_waits),
      GC_TEST(test_half_late),
      GC_TEST(test_frames),
      GC_TEST(test_release_by_time),
      GC_TEST(test_settings),
  };
  return cmocka_run_group_tests_name("gc clock", tests, NULL, NULL);
}
