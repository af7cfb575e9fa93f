/* SPDX-License-Identifier: MIT */
/*
** colors.c -- colors and barriers, phase by phase
*/
#include "gc_test.h"

/* Advances to the phase.  Root 0 holds a pair that the collector has visited,
** and root 1 holds enough to keep it busy. */
static ToyRef start_in(Toy *toy, GcPhase phase) {
  toy->root[1] = gc_test_list(toy, 3000);
  ToyRef pair = toy_new_pair(toy, 0, 0);
  toy->root[0] = pair;
  gc_test_advance(toy, phase);
  if (phase == PHASE_MARK)
    while (!gc_test_is_black(pair)) gc_step_work(&toy->gc, 1);
  assert_int_equal(toy->gc.phase, phase);
  return pair;
}

/* Newborns are white during marking, black from its end until the sweep, and
** white again after that. */
static void test_newborns(void **state) {
  Toy *toy = *state;
  start_in(toy, PHASE_MARK);
  for (GcPhase phase = PHASE_MARK; phase <= PHASE_SWEEP; phase++) {
    gc_test_advance(toy, phase);
    toy->root[2] = toy_new_pair(toy, 0, 0);
    bool marked = phase >= PHASE_CLEAR_VALUES && phase <= PHASE_SWEEP_SET;
    assert_true(heap_is_marked(toy_cell(toy->root[2])) == marked);
    assert_true(gc_unmarked_is_dead(&toy->gc) == marked);
    if (!marked)
      assert_int_equal(toy_cell(toy->root[2])->barrier, BARRIER_DISARMED);
  }
  ToyRef last = toy->root[2];
  gc_test_finish(toy);
  assert_true(gc_test_exists(toy, last));
  assert_true(gc_test_is_white(last));
}

static void test_back_barrier_while_marking(void **state) {
  Toy *toy = *state;
  ToyRef pair = start_in(toy, PHASE_MARK);
  ToyRef value = toy_new_pair(toy, 0, 0);
  toy_pair_set(toy, pair, 1, value);
  assert_true(gc_test_is_gray(pair));   /* will be visited again */
  assert_true(gc_test_is_white(value)); /* the value was not touched */
  gc_test_advance(toy, PHASE_CLEAR_VALUES);
  assert_true(gc_test_is_black(pair));
  assert_true(gc_test_is_black(value));
}

static void test_forward_barrier_while_marking(void **state) {
  Toy *toy = *state;
  ToyRef pair = start_in(toy, PHASE_MARK);
  ToyRef value = toy_new_pair(toy, 0, 0);
  toy_pair_set(toy, pair, 0, value);
  assert_true(gc_test_is_black(pair));
  assert_true(gc_test_is_gray(value));
}

/* In the phase `again` barriers mark forward and set nothing back to gray, so
** that marking terminates. */
static void test_barriers_turn_forward(void **state) {
  Toy *toy = *state;
  ToyRef pair = start_in(toy, PHASE_AGAIN);
  ToyRef value = toy_new_pair(toy, 0, 0), leaf = toy_new_leaf(toy, 100);
  toy_pair_set(toy, pair, 1, value);
  assert_true(gc_test_is_black(pair));
  assert_true(gc_test_is_gray(value));
  toy_pair_set(toy, pair, 1, leaf);
  assert_true(heap_is_marked(toy_cell(leaf)));
  assert_int_equal(toy_cell(leaf)->barrier, BARRIER_DISARMED); /* not touched */
}

/* A store into a white object makes it light gray and marks nothing. */
static void test_store_into_white(void **state) {
  Toy *toy = *state;
  ToyRef pair = toy_new_pair(toy, 0, 0), list = gc_test_list(toy, 3000);
  toy->root[0] = list;
  gc_test_cycle(toy); /* the pair is garbage from here on */
  pair = toy_new_pair(toy, 0, 0);
  ToyRef last = list;
  while (toy_pair_get(last, 0)) last = toy_pair_get(last, 0);
  toy_pair_set(toy, last, 1, pair);
  gc_test_cycle(toy);
  assert_int_equal(toy_cell(pair)->barrier, BARRIER_ARMED);
  gc_test_advance(toy, PHASE_MARK);
  ToyRef value = toy_new_pair(toy, 0, 0);
  for (unsigned slot = 0; slot < 2; slot++) {
    toy_cell(pair)->barrier = BARRIER_ARMED;
    toy_pair_set(toy, pair, slot, value);
    assert_true(gc_test_is_white(pair));
    assert_true(gc_test_is_white(value));
    assert_int_equal(toy_cell(pair)->barrier, BARRIER_DISARMED);
  }
  gc_test_finish(toy);
  assert_true(gc_test_exists(toy, value));
}

/* While nothing is black, a store costs one test of the barrier byte. */
static void test_no_barrier_between_cycles(void **state) {
  Toy *toy = *state;
  ToyRef pair = start_in(toy, PHASE_SWEEP);
  for (int round = 0; round < 2; round++) {
    ToyRef value = toy_new_pair(toy, 0, 0);
    toy_pair_set(toy, pair, 0, value);
    toy_pair_set(toy, pair, 1, value);
    assert_int_equal(toy_cell(pair)->barrier, BARRIER_DISARMED);
    assert_true(worklist_is_empty(&toy->gc.again));
    assert_true(worklist_is_empty(&toy->gc.gray));
    gc_test_finish(toy);
  }
}

/* Between the end of marking and the sweep, stores need no work: every object
** that the program can store is marked. */
static void test_idle_barrier(void **state) {
  Toy *toy = *state;
  ToyRef pair = start_in(toy, PHASE_CLEAR_VALUES);
  for (GcPhase phase = PHASE_CLEAR_VALUES; phase < PHASE_SWEEP; phase++) {
    gc_test_advance(toy, phase);
    ToyRef value = toy_new_pair(toy, 0, 0);
    toy_pair_set(toy, pair, 0, value);
    toy_pair_set(toy, pair, 1, toy->root[1]);
    assert_true(gc_test_is_black(pair));
    assert_true(worklist_is_empty(&toy->gc.gray));
  }
  gc_test_finish(toy);
  assert_true(gc_test_exists(toy, toy_pair_get(pair, 0)));
}

/* The collector sees a root that is written at any time, without a barrier. */
static void test_roots_without_barrier(void **state) {
  Toy *toy = *state;
  start_in(toy, PHASE_MARK);
  ToyRef late = toy_new_pair(toy, 0, 0);
  toy_pair_set(toy, late, 0, toy_new_leaf(toy, 2000));
  gc_test_advance(toy, PHASE_AGAIN);
  toy->root[5] = late;
  gc_test_finish(toy);
  assert_true(gc_test_exists(toy, toy_pair_get(late, 0)));
}

/* At the end of a cycle its garbage is gone and the live objects are intact. */
static void test_whole_cycle(void **state) {
  Toy *toy = *state;
  toy->root[0] = gc_test_list(toy, 1000);
  gc_test_list(toy, 1000);
  gc_test_cycle(toy);
  assert_int_equal(gc_test_count(toy).all, 1000);
  assert_int_equal(gc_test_list_length(toy->root[0]), 1000);
  toy->root[0] = 0;
  gc_test_cycle(toy);
  assert_int_equal(gc_test_count(toy).all, 0);
  assert_int_equal(gc_count(&toy->gc), 0);
  assert_int_equal(toy->gc.stats.cycles, 2);
}

/* A replaced part is freed at once.  A part dies with its owner. */
static void test_parts(void **state) {
  Toy *toy = *state;
  ToyRef array = toy_new_array(toy, 10);
  toy->root[0] = array;
  static const size_t counts[] = {11, 100, 500, 5000, 300, 2, 0, 40, 2000, 7};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    assert_true(toy_array_resize(toy, array, counts[i]));
    assert_int_equal(gc_test_count(toy).kind[TOY_PART], counts[i] ? 1 : 0);
    if (i % 3 == 0) gc_test_cycle(toy);
  }
  toy->root[0] = 0;
  gc_test_cycle(toy);
  assert_int_equal(gc_test_count(toy).all, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_newborns),
      GC_TEST(test_back_barrier_while_marking),
      GC_TEST(test_forward_barrier_while_marking),
      GC_TEST(test_barriers_turn_forward),
      GC_TEST(test_store_into_white),
      GC_TEST(test_no_barrier_between_cycles),
      GC_TEST(test_idle_barrier),
      GC_TEST(test_roots_without_barrier),
      GC_TEST(test_whole_cycle),
      GC_TEST(test_parts),
  };
  return cmocka_run_group_tests_name("colors and barriers", tests, NULL, NULL);
}
