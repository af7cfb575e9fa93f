/* SPDX-License-Identifier: MIT */
/*
** generations.c -- minor cycles: old objects are neither visited nor lost
*/
#include "gc_test.h"

/* Units of work that one cycle takes. */
static uint64_t cycle_work(Toy *toy) {
  uint64_t before = toy->gc.stats.work;
  gc_test_cycle(toy);
  return toy->gc.stats.work - before;
}

/* Lets the test, not the collector, decide when a cycle is minor. */
static void set_generational(Toy *toy, bool on) {
  gc_set_generational(&toy->gc, on);
  toy->gc.choice.minors_pay = true;
}

static void make_old(Toy *toy) {
  set_generational(toy, true);
  gc_collect(&toy->gc);
  assert_true(toy->gc.marks_kept);
}

static void test_old_objects_are_not_visited(void **state) {
  Toy *toy = *state;
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
  toy->root[0] = gc_test_list(toy, 50000);
  make_old(toy);
  uint64_t minors = toy->gc.stats.minor_cycles;
  gc_test_list(toy, 100);
  uint64_t work = cycle_work(toy);
  assert_int_equal(toy->gc.stats.minor_cycles, minors + 1);
  assert_int_equal(gc_test_count(toy).all, 50000);
  toy->gc.major_next = true;
  uint64_t full = cycle_work(toy);
  assert_int_equal(toy->gc.stats.minor_cycles, minors + 1);
  if (work * 10 > full)
    fail_msg("a minor cycle takes %llu units, a major one %llu",
             (unsigned long long)work, (unsigned long long)full);
}

/* Young objects that only old ones refer to, stored with either barrier into
** small and large objects. */
static void test_old_to_young(void **state) {
  Toy *toy = *state;
  ToyRef pair = toy->root[0] = toy_new_pair(toy, 0, 0);
  ToyRef array = toy->root[1] = toy_new_array(toy, 2000);
  ToyRef table = toy->root[2] = toy_new_ephemeron(toy, 8);
  make_old(toy);
  for (size_t round = 0; round < 5; round++) {
    toy_pair_set(toy, pair, 0, toy_new_pair(toy, 0, 0));
    toy_pair_set(toy, pair, 1, toy_new_pair(toy, 0, 0));
    toy_array_set(toy, array, 100 + round, toy_new_pair(toy, 0, 0));
    toy_table_put(toy, table, pair, toy_new_pair(toy, 0, 0));
    gc_test_cycle(toy);
    assert_true(toy->gc.minor);
    assert_true(gc_test_exists(toy, toy_pair_get(pair, 0)));
    assert_true(gc_test_exists(toy, toy_pair_get(pair, 1)));
    assert_true(gc_test_exists(toy, toy_array_get(toy, array, 100 + round)));
    assert_true(gc_test_exists(toy, toy_table_get(toy, table, pair)));
  }
}

/* Survivors are old at once.  Old garbage waits for a major cycle. */
static void test_aging(void **state) {
  Toy *toy = *state;
  toy->root[1] = gc_test_list(toy, 1000);
  make_old(toy);
  ToyRef object = toy->root[0] = toy_new_pair(toy, 0, 0);
  gc_test_cycle(toy);
  assert_true(gc_test_is_black(object));
  toy->root[0] = 0;
  gc_test_cycle(toy);
  assert_true(gc_test_exists(toy, object));
  gc_collect(&toy->gc);
  assert_false(gc_test_exists(toy, object));
}

/* Old weak containers that hold young objects. */
static void test_old_weak_containers(void **state) {
  Toy *toy = *state;
  ToyRef small = toy->root[0] = toy_new_weak_array(toy, 10);
  ToyRef large = toy->root[1] = toy_new_weak_array(toy, 1000);
  ToyRef table = toy->root[2] = toy_new_ephemeron(toy, 4);
  ToyRef many = toy->root[3] = toy_new_ephemeron(toy, 1024);
  ToyRef cache = toy->root[4] = toy_new_cache(toy, 1024);
  make_old(toy);
  toy_array_set(toy, small, 0, toy_new_pair(toy, 0, 0));
  toy_array_set(toy, large, 0, toy_new_pair(toy, 0, 0));
  ToyRef key = toy->root[5] = toy_new_pair(toy, 0, 0);
  toy_table_put(toy, table, key, toy_new_leaf(toy, 16));
  toy_table_put(toy, many, key, toy_new_leaf(toy, 16));
  toy_table_put(toy, cache, key, key);
  toy->root[5] = 0;
  for (int i = 0; i < 2; i++) gc_test_cycle(toy);
  gc_collect(&toy->gc);
  assert_int_equal(toy_array_get(toy, small, 0), 0);
  assert_int_equal(toy_array_get(toy, large, 0), 0);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 0);
  assert_int_equal(gc_test_count(toy).kind[TOY_LEAF], 0);
}

/* An old object can be registered.  A young registered object dies young. */
static void test_finalizers(void **state) {
  Toy *toy = *state;
  ToyRef old = toy->root[0] = toy_new_pair(toy, 0, 0);
  make_old(toy);
  assert_true(toy_register(toy, old));
  toy->root[0] = 0;
  ToyRef young = toy_new_pair(toy, 0, 0);
  assert_true(toy_register(toy, young));
  gc_test_cycle(toy);
  assert_int_equal(toy_next_finalizable(toy), young);
  assert_int_equal(toy_next_finalizable(toy), 0);
  gc_collect(&toy->gc);
  assert_int_equal(toy_next_finalizable(toy), old);
}

/* A minor cycle looks only at new registrations. */
static void test_old_registrations_cost_nothing(void **state) {
  Toy *toy = *state;
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
  ToyRef kept = toy->root[0] = toy_new_array(toy, 20000);
  for (size_t i = 0; i < 20000; i++) {
    toy_array_set(toy, kept, i, toy_new_pair(toy, 0, 0));
    toy_register(toy, toy_array_get(toy, kept, i));
  }
  make_old(toy);
  gc_test_cycle(toy);
  assert_true(cycle_work(toy) < 10000);
}

/* An old stack runs, rests, and is written from outside. */
static void test_old_stacks(void **state) {
  Toy *toy = *state;
  ToyRef main = toy->main_stack = toy_new_stack(toy, 8);
  ToyRef other = toy->root[0] = toy_new_stack(toy, 8);
  toy_switch(toy, main);
  for (int i = 0; i < 20; i++) {
    toy_stack_push(toy, main, 0);
    toy_stack_push(toy, other, 0);
    if (i % 4 == 0) toy_call(toy);
  }
  make_old(toy);
  for (size_t round = 0; round < 20; round++) {
    ToyRef pair = toy_new_pair(toy, 0, 0);
    ToyRef stack = round % 2 ? main : other;
    if (round % 3 == 0) toy_switch(toy, stack);
    size_t slot = round % toy_stack_top(stack);
    if (toy_stack_get(stack, slot) & TOY_IS_NUMBER) continue;
    toy_stack_set(toy, stack, slot, pair);
    gc_test_cycle(toy);
    assert_true(gc_test_exists(toy, pair));
  }
}

/* Changing the mode in every phase loses nothing and keeps no garbage. */
static void test_mode_changes(void **state) {
  Toy *toy = *state;
  for (int phase = PHASE_PAUSE; phase < PHASE_COUNT; phase++)
    for (int mode = 0; mode < 2; mode++) {
      set_generational(toy, mode);
      gc_collect(&toy->gc);
      toy->root[0] = gc_test_list(toy, 2000);
      gc_test_list(toy, 500);
      toy->gc.major_next = true;
      if (phase == PHASE_INSPECT) continue; /* nobody looks */
      if (phase != PHASE_UNMARK || mode) gc_test_advance(toy, (GcPhase)phase);
      set_generational(toy, !mode);
      gc_test_finish(toy);
      assert_int_equal(gc_test_list_length(toy->root[0]), 2000);
      gc_test_cycle(toy);
      gc_collect(&toy->gc);
      assert_int_equal(gc_test_list_length(toy->root[0]), 2000);
      assert_int_equal(gc_test_count(toy).all, 2000);
    }
}

/* Growth beyond the major multiplier causes a major cycle. */
static void test_major_when_grown(void **state) {
  Toy *toy = *state;
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
  toy->root[0] = gc_test_list(toy, 20000);
  gc_set_generational(&toy->gc, true);
  gc_collect(&toy->gc);
  gc_restart(&toy->gc);
  uint64_t cycles = toy->gc.stats.cycles, minors = toy->gc.stats.minor_cycles;
  for (size_t i = 0; i < 200000; i++) {
    toy->root[0] = toy_new_pair(toy, toy->root[0], 0);
    toy_poll(toy);
  }
  uint64_t majors =
      toy->gc.stats.cycles - cycles - (toy->gc.stats.minor_cycles - minors);
  assert_true(toy->gc.stats.minor_cycles > minors);
  assert_in_range(majors, 1, 5);
  assert_int_equal(gc_test_list_length(toy->root[0]), 220000);
}

/* Allocates `count` pairs and keeps every `kept`-th of them in a ring.  Returns
** the share of minor cycles in percent. */
static unsigned minor_share(Toy *toy, size_t count, size_t kept) {
  enum { RING = 30000 };
  ToyRef ring = toy->root[1] = toy_new_array(toy, RING);
  for (size_t i = 0; i < RING; i++)
    toy_array_set(toy, ring, i, toy_new_pair(toy, 0, 0));
  uint64_t cycles = toy->gc.stats.cycles, minors = toy->gc.stats.minor_cycles;
  for (size_t i = 0; i < count; i++) {
    ToyRef pair = toy_new_pair(toy, 0, 0);
    if (i % kept == 0) toy_array_set(toy, ring, i / kept % RING, pair);
    toy_poll(toy);
  }
  minors = toy->gc.stats.minor_cycles - minors;
  return (unsigned)(minors * 100 / (toy->gc.stats.cycles - cycles));
}

/* Minor cycles are chosen where objects die young.  They are not chosen where
** all objects survive for a while and die old.  This holds in both modes. */
static void test_minor_cycles_only_where_they_pay(void **state) {
  Toy *toy = *state;
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
  gc_restart(&toy->gc);
  for (int mode = 0; mode < 2; mode++) {
    gc_set_generational(&toy->gc, mode);
    assert_in_range(minor_share(toy, 1000000, 1000), 60, 100);
    assert_in_range(minor_share(toy, 1000000, 1), 0, 30);
    assert_in_range(minor_share(toy, 4000000, 1000), 60, 100);
  }
}

/* A trial of minor cycles that does not pay leaves old garbage behind, but the
** heap does not become larger than with major cycles only. */
static void test_trials_take_no_memory(void **state) {
  Toy *toy = *state;
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
  gc_restart(&toy->gc);
  minor_share(toy, 2000000, 1);
  assert_true(toy->gc.stats.minor_cycles > 0);
  gc_collect(&toy->gc);
  size_t live = toy->gc.stats.live_bytes;
  assert_in_range(toy->gc.stats.peak_bytes, live, live * 3);
}

/* Replaces the `size` entries of a ring at a slow pace, so that they die old,
** and lets the rest die young.  Returns the most bytes in use. */
static size_t peak_with_minors(Toy *toy, size_t size, size_t count) {
  enum { KEPT = 4 };
  ToyRef ring = toy->root[1];
  size_t peak = gc_count(&toy->gc);
  gc_restart(&toy->gc);
  for (size_t i = 0; i < count; i++) {
    ToyRef pair = toy_new_pair(toy, 0, 0);
    if (i % KEPT == 0) toy_array_set(toy, ring, i / KEPT % size, pair);
    toy->gc.choice.minors_pay = true;
    toy_poll(toy);
    peak = size_max(peak, gc_count(&toy->gc));
  }
  return peak;
}

/* The last major cycle allows growth by `multiplier` percent, or by a megabyte
** if that is more.  A cycle may end a little late. */
static void check_bound(size_t size, int multiplier) {
  enum { MEGABYTE = 1048576, LATE = 10 /* percent */ };
  Toy toy;
  gc_test_open(&toy);
  toy.gc.debug.verify = toy.gc.debug.checkmark = false;
  ToyRef ring = toy.root[1] = toy_new_array(&toy, size);
  for (size_t i = 0; i < size; i++)
    toy_array_set(&toy, ring, i, toy_new_pair(&toy, 0, 0));
  gc_set_generational(&toy.gc, true);
  toy.gc.major_multiplier = multiplier;
  gc_collect(&toy.gc);
  size_t live = gc_count(&toy.gc);
  size_t growth = size_max(live * (size_t)multiplier / 100, MEGABYTE);
  size_t peak = peak_with_minors(&toy, size, 20 * size);
  uint64_t minors = toy.gc.stats.minor_cycles;
  uint64_t majors = toy.gc.stats.cycles - minors;
  print_message("%zu bytes live, %d %%: peak %zu, %llu minor, %llu major\n",
                live, multiplier, peak, (unsigned long long)minors,
                (unsigned long long)majors);
  assert_in_range(peak, live + growth / 2, live + growth + live * LATE / 100);
  assert_true(minors > majors / 4);
  gc_test_close(&toy);
}

/* Old garbage adds up from one minor cycle to the next.  The last major cycle
** sets a bound for them, whatever they find live.  Before it is reached, a major
** cycle begins.  But there must be minor ones in between, or the bound would be
** kept by major cycles alone. */
static void test_bound_of_minor_cycles(void **state) {
  (void)state;
  check_bound(30000, 50);
  check_bound(200000, 50);
  check_bound(200000, 100);
  check_bound(200000, 200);
}

/* Minor cycles are not chosen where almost nothing is live. */
static void test_no_minor_cycles_in_small_heaps(void **state) {
  Toy *toy = *state;
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
  gc_restart(&toy->gc);
  for (int mode = 0; mode < 2; mode++) {
    gc_set_generational(&toy->gc, mode);
    uint64_t cycles = toy->gc.stats.cycles;
    uint64_t minors = toy->gc.stats.minor_cycles;
    for (size_t i = 0; i < 1000000; i++) {
      toy_new_pair(toy, 0, 0);
      toy_poll(toy);
    }
    minors = toy->gc.stats.minor_cycles - minors;
    assert_in_range(minors * 10, 0, toy->gc.stats.cycles - cycles);
  }
}

/* Steps requested by the program run major cycles in incremental mode. */
static void test_steps_by_hand_are_major(void **state) {
  Toy *toy = *state;
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
  gc_restart(&toy->gc);
  minor_share(toy, 1000000, 1000);
  assert_true(toy->gc.choice.minors_pay);
  gc_stop(&toy->gc);
  gc_test_finish(toy);
  uint64_t minors = toy->gc.stats.minor_cycles;
  for (int i = 0; i < 5; i++)
    while (!gc_step_work(&toy->gc, 1000)) {}
  assert_int_equal(toy->gc.stats.minor_cycles, minors);
}

/* A requested step does not report the end of a minor cycle under way. */
static void test_minor_ends_are_not_told(void **state) {
  Toy *toy = *state;
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
  gc_restart(&toy->gc);
  minor_share(toy, 1000000, 1000);
  for (size_t i = 0; toy->gc.phase == PHASE_PAUSE || !toy->gc.minor; i++) {
    assert_true(i < 1000000);
    toy_array_set(toy, toy->root[1], i % 1000, toy_new_pair(toy, 0, 0));
    toy_poll(toy);
  }
  gc_stop(&toy->gc);
  while (toy->gc.phase != PHASE_PAUSE)
    assert_false(gc_step_work(&toy->gc, 100));
  uint64_t cycles = toy->gc.stats.cycles;
  while (!gc_step_work(&toy->gc, 100)) {}
  assert_int_equal(toy->gc.stats.cycles, cycles + 1);
  assert_false(toy->gc.minor);
}

/* A requested step frees objects born in the current cycle, in every phase.
** test_aging shows that a minor cycle would not free them. */
static void test_step_in_any_phase(void **state) {
  Toy *toy = *state;
  for (int phase = PHASE_PAUSE; phase < PHASE_COUNT; phase++) {
    if (phase == PHASE_INSPECT) continue;
    set_generational(toy, true);
    toy->root[0] = gc_test_list(toy, 1000);
    gc_collect(&toy->gc);
    toy->gc.major_next = phase == PHASE_UNMARK;
    gc_test_advance(toy, (GcPhase)phase);
    ToyRef object = toy->root[1] = toy_new_pair(toy, 0, 0);
    for (int i = 0; i < 3; i++) gc_step_work(&toy->gc, 1);
    toy->root[1] = 0;
    assert_true(gc_step_young(&toy->gc, 1));
    assert_int_equal(toy->gc.phase, PHASE_PAUSE);
    assert_false(gc_test_exists(toy, object));
    assert_int_equal(gc_test_count(toy).all, 1000);
  }
}

/* In a large heap a requested step is bounded.  It continues where the last one
** ended, and reports the end of each cycle. */
static void test_step_is_bounded(void **state) {
  Toy *toy = *state;
  enum { UNITS = 1000, SLACK = 4300, LARGE = 50000 };
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
  toy->root[0] = gc_test_list(toy, LARGE);
  make_old(toy);
  toy->root[1] = gc_test_list(toy, LARGE);
  toy->gc.stats.largest_step = 0;
  for (int ends = 0; ends < 3;) {
    uint64_t cycles = toy->gc.stats.cycles;
    toy_new_pair(toy, 0, 0);
    bool ended = gc_step_young(&toy->gc, UNITS);
    assert_int_equal(ended, toy->gc.stats.cycles != cycles);
    ends += ended;
  }
  assert_in_range(toy->gc.stats.largest_step, UNITS, UNITS + SLACK);
  assert_true(gc_step_young(&toy->gc, SIZE_MAX));
  assert_int_equal(toy->gc.phase, PHASE_PAUSE);
  assert_int_equal(gc_test_count(toy).all, 2 * LARGE);
}

/* The cycles that a requested step has run. */
static uint64_t cycles_of_step(Toy *toy) {
  uint64_t before = toy->gc.stats.cycles;
  assert_true(gc_step_young(&toy->gc, 1));
  return toy->gc.stats.cycles - before;
}

/* A requested step does nothing if no object is young.  An object is young until
** it has survived two cycles. */
static void test_step_with_nothing_young(void **state) {
  Toy *toy = *state;
  set_generational(toy, true);
  ToyRef object = toy->root[0] = toy_new_pair(toy, 0, 0);
  assert_int_equal(cycles_of_step(toy), 1);
  toy->root[0] = 0;
  assert_int_equal(cycles_of_step(toy), 1);
  assert_false(gc_test_exists(toy, object));
  assert_int_equal(cycles_of_step(toy), 0);
  assert_int_equal(cycles_of_step(toy), 0);
  object = toy_new_pair(toy, 0, 0);
  assert_int_equal(cycles_of_step(toy), 1);
  assert_false(gc_test_exists(toy, object));
}

/* A step finds young garbage even if the program has freed as many bytes as it
** has allocated. */
static void test_step_after_freeing(void **state) {
  Toy *toy = *state;
  set_generational(toy, true);
  toy->root[0] = toy_new_array(toy, 40);
  while (cycles_of_step(toy) > 0) {}
  size_t clock = heap_clock(&toy->gc.heap);
  assert_true(toy_array_resize(toy, toy->root[0], 0));
  ToyRef object = 0;
  while (heap_clock(&toy->gc.heap) < clock) object = toy_new_pair(toy, 0, 0);
  assert_int_equal(heap_clock(&toy->gc.heap), clock);
  assert_int_equal(cycles_of_step(toy), 1);
  assert_false(gc_test_exists(toy, object));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_old_objects_are_not_visited),
      GC_TEST(test_old_to_young),
      GC_TEST(test_aging),
      GC_TEST(test_old_weak_containers),
      GC_TEST(test_finalizers),
      GC_TEST(test_old_registrations_cost_nothing),
      GC_TEST(test_old_stacks),
      GC_TEST(test_mode_changes),
      GC_TEST(test_major_when_grown),
      GC_TEST(test_minor_cycles_only_where_they_pay),
      GC_TEST(test_trials_take_no_memory),
      cmocka_unit_test(test_bound_of_minor_cycles),
      GC_TEST(test_no_minor_cycles_in_small_heaps),
      GC_TEST(test_steps_by_hand_are_major),
      GC_TEST(test_minor_ends_are_not_told),
      GC_TEST(test_step_in_any_phase),
      GC_TEST(test_step_is_bounded),
      GC_TEST(test_step_with_nothing_young),
      GC_TEST(test_step_after_freeing),
  };
  return cmocka_run_group_tests_name("generations", tests, NULL, NULL);
}
