/* SPDX-License-Identifier: MIT */
/*
** pieces.c -- no unit of work depends on the size of an object
**
** Bounds are in units of work; one is the visit of a reference.
*/
#include "gc_test.h"

enum {
  UNIT_MAX = 2048,    /* a few pieces of 256 references */
  RELEASE_MAX = 4300, /* giving a chunk of half a megabyte back */
  HUGE_COUNT = 50000
};

static void check_units(Toy *toy, size_t most) {
  if (toy->gc.stats.largest_unit > most)
    fail_msg("a unit of %zu in %s", toy->gc.stats.largest_unit,
             gc_phase_name((GcPhase)toy->gc.phase));
  toy->gc.stats.largest_unit = 0;
}

/* Runs a whole cycle and checks the bound of every unit. */
static void bounded_cycle(Toy *toy) {
  toy->gc.stats.largest_unit = 0;
  for (GcPhase phase = PHASE_MARK; phase <= PHASE_SWEEP; phase++) {
    gc_test_advance(toy, phase);
    check_units(toy, UNIT_MAX);
  }
  gc_test_finish(toy);
  check_units(toy, RELEASE_MAX);
}

static void quiet(Toy *toy) {
  toy->gc.debug.verify = false; /* the heap is large, and units are many */
  toy->gc.debug.checkmark = false;
}

static ToyRef full_array(Toy *toy, size_t count) {
  ToyRef array = toy_new_array(toy, count);
  toy->root[0] = array;
  for (size_t i = 0; i < count; i++)
    toy_array_set(toy, array, i, toy_new_pair(toy, 0, 0));
  return array;
}

static void test_large_array(void **state) {
  Toy *toy = *state;
  quiet(toy);
  full_array(toy, HUGE_COUNT);
  bounded_cycle(toy);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], HUGE_COUNT);
  toy->root[0] = 0;
  bounded_cycle(toy);
  assert_int_equal(gc_test_count(toy).all, 0);
}

static void test_large_weak_array(void **state) {
  Toy *toy = *state;
  quiet(toy);
  ToyRef weak = toy_new_weak_array(toy, HUGE_COUNT);
  toy->root[0] = weak;
  toy->root[1] = toy_new_array(toy, HUGE_COUNT);
  for (size_t i = 0; i < HUGE_COUNT; i++) {
    ToyRef leaf = toy_new_leaf(toy, 16);
    toy_array_set(toy, weak, i, leaf);
    if (i % 2) toy_array_set(toy, toy->root[1], i, leaf);
  }
  bounded_cycle(toy);
  for (size_t i = 0; i < HUGE_COUNT; i++)
    assert_true((toy_array_get(toy, weak, i) != 0) == (i % 2 != 0));
}

static void test_large_ephemeron(void **state) {
  Toy *toy = *state;
  quiet(toy);
  ToyRef table = toy_new_ephemeron(toy, 65536);
  toy->root[0] = table;
  toy->root[1] = toy_new_array(toy, 40000);
  for (size_t i = 0; i < 40000; i++) {
    ToyRef key = toy_new_pair(toy, 0, 0);
    toy->root[2] = key;
    if (i % 2) toy_array_set(toy, toy->root[1], i, key);
    ToyRef value = toy_new_pair(toy, 0, 0);
    toy_table_put(toy, table, key, value);
  }
  toy->root[2] = 0;
  bounded_cycle(toy);
  size_t left = 0;
  ToyRef key, value;
  for (size_t i = 0; i < toy_table_places(table); i++)
    if (toy_table_entry(toy, table, i, &key, &value)) left++;
  assert_int_equal(left, 20000);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 40000);
}

static void test_deep_stack(void **state) {
  Toy *toy = *state;
  quiet(toy);
  ToyRef stack = toy_new_stack(toy, HUGE_COUNT);
  toy->main_stack = stack;
  toy_switch(toy, stack);
  while (toy_stack_top(stack) < HUGE_COUNT) {
    for (int i = 0; i < 8; i++)
      toy_stack_push(toy, stack, toy_new_pair(toy, 0, 0));
    toy_call(toy);
  }
  bounded_cycle(toy);
  size_t pairs = gc_test_count(toy).kind[TOY_PAIR];
  assert_true(pairs > HUGE_COUNT * 8 / 10);
  toy_switch(toy, 0); /* the same at rest */
  bounded_cycle(toy);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], pairs);
}

static void test_many_finalizable(void **state) {
  Toy *toy = *state;
  quiet(toy);
  for (size_t i = 0; i < HUGE_COUNT; i++)
    assert_true(toy_register(toy, toy_new_pair(toy, 0, 0)));
  bounded_cycle(toy);
  size_t count = 0;
  while (toy_next_finalizable(toy)) count++;
  assert_int_equal(count, HUGE_COUNT);
  bounded_cycle(toy);
  assert_int_equal(gc_test_count(toy).all, 0);
}

static void test_many_symbols(void **state) {
  Toy *toy = *state;
  quiet(toy);
  ToyRef kept = toy_new_array(toy, HUGE_COUNT);
  toy->root[0] = kept;
  for (uint32_t i = 0; i < HUGE_COUNT; i++) {
    ToyRef symbol = toy_intern(toy, i);
    if (i % 3 == 0) toy_array_set(toy, kept, i, symbol);
  }
  bounded_cycle(toy);
  assert_int_equal(toy->set_count, (HUGE_COUNT + 2) / 3);
}

static void test_many_small_objects(void **state) {
  Toy *toy = *state;
  quiet(toy);
  toy->root[0] = gc_test_list(toy, 100000);
  gc_test_list(toy, 100000);
  bounded_cycle(toy);
  assert_int_equal(gc_test_count(toy).all, 100000);
}

static void test_many_stacks(void **state) {
  Toy *toy = *state;
  quiet(toy);
  toy->root[0] = toy_new_array(toy, 5000);
  for (size_t i = 0; i < 5000; i++) {
    ToyRef stack = toy_new_stack(toy, 4);
    toy->root[1] = stack;
    toy_stack_push(toy, stack, 0);
    ToyRef upvalue = toy_new_upvalue(toy, stack, 0);
    toy_array_set(toy, toy->root[0], i, i % 2 ? stack : upvalue);
  }
  toy->root[1] = 0;
  bounded_cycle(toy);
  assert_int_equal(gc_test_count(toy).kind[TOY_STACK], 2500);
  assert_int_equal(gc_test_count(toy).kind[TOY_UPVALUE], 5000);
}

/* Makes a large array and advances into the middle of its visit. */
static ToyRef array_in_visit(Toy *toy) {
  ToyRef array = full_array(toy, 5000);
  gc_test_advance(toy, PHASE_MARK);
  while (!(toy_cell(array)->flags & CELL_SCANNING)) gc_step_work(&toy->gc, 1);
  return array;
}

/* A store during the visit marks the value, before and behind the cursor. */
static void test_store_during_visit(void **state) {
  Toy *toy = *state;
  ToyRef array = array_in_visit(toy);
  static const size_t slots[] = {0, 300, 2500, 4999};
  for (size_t i = 0; i < 4; i++) {
    ToyRef value = toy_new_pair(toy, 0, 0);
    toy_array_set(toy, array, slots[i], value);
    assert_true(heap_is_marked(toy_cell(value)));
    assert_false(gc_test_is_gray(array));
  }
  gc_test_finish(toy);
  for (size_t i = 0; i < 4; i++)
    assert_true(gc_test_exists(toy, toy_array_get(toy, array, slots[i])));
}

static void test_resize_during_visit(void **state) {
  Toy *toy = *state;
  for (size_t count = 1; count < 20000; count *= 5) {
    ToyRef array = array_in_visit(toy);
    assert_true(toy_array_resize(toy, array, count));
    if (count > 5000)
      for (size_t i = 5000; i < count; i += 100)
        toy_array_set(toy, array, i, toy_new_pair(toy, 0, 0));
    gc_test_finish(toy);
    for (size_t i = 0; i < count; i++) {
      ToyRef value = toy_array_get(toy, array, i);
      if (value) assert_int_equal(toy_kind(value), TOY_PAIR);
    }
    toy->root[0] = 0;
    bounded_cycle(toy);
    assert_int_equal(gc_test_count(toy).all, 0);
  }
}

/* Each resize restarts the visit and pays for that, so the visit ends. */
static void test_visit_survives_many_resizes(void **state) {
  Toy *toy = *state;
  ToyRef array = array_in_visit(toy);
  for (size_t i = 0; i < 50; i++) {
    assert_true(toy_array_resize(toy, array, 5000 + i % 2 * 3000));
    gc_step_work(&toy->gc, 1);
  }
  gc_test_finish(toy);
  assert_true(gc_test_exists(toy, toy_array_get(toy, array, 4999)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_large_array),
      GC_TEST(test_large_weak_array),
      GC_TEST(test_large_ephemeron),
      GC_TEST(test_deep_stack),
      GC_TEST(test_many_finalizable),
      GC_TEST(test_many_symbols),
      GC_TEST(test_many_small_objects),
      GC_TEST(test_many_stacks),
      GC_TEST(test_store_during_visit),
      GC_TEST(test_resize_during_visit),
      GC_TEST(test_visit_survives_many_resizes),
  };
  return cmocka_run_group_tests_name("pieces", tests, NULL, NULL);
}
