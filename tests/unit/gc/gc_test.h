/* SPDX-License-Identifier: MIT */
/*
** gc_test.h -- what the directed tests of the collector share
**
** Every test gets a toy program.  The collector works only when the test asks
** for it.  At the end the heap is checked and closed, and every byte must have
** been given back.
*/
#ifndef PENUMBRA_GC_TEST_H
#define PENUMBRA_GC_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toy/cells.h"
#include "toy/toy.h"

/* A broken invariant ends the test, not the process. */
static inline void gc_test_failed(void *context, const char *message) {
  (void)context;
  print_error("%s\n", message);
  fail();
}

static inline void gc_test_open(Toy *toy) {
  toy_open(toy);
  toy->gc.debug.step_always = false;
  toy->gc.debug.verify = true;
  toy->gc.debug.checkmark = true;
  gc_stop(&toy->gc);
}

static inline void gc_test_close(Toy *toy) {
  heap_check(&toy->gc.heap);
  toy_close(toy);
  assert_int_equal(toy->allocator.bytes, 0);
  assert_int_equal(toy->allocator.blocks, 0);
}

static inline int gc_test_setup(void **state) {
  Toy *toy = malloc(sizeof *toy);
  if (!toy) return -1;
  check_set_handler(gc_test_failed, NULL);
  gc_test_open(toy);
  *state = toy;
  return 0;
}

static inline int gc_test_teardown(void **state) {
  gc_test_close(*state);
  free(*state);
  check_set_handler(NULL, NULL);
  return 0;
}

#define GC_TEST(function) \
  cmocka_unit_test_setup_teardown(function, gc_test_setup, gc_test_teardown)

/* -- Driving --------------------------------------------------------------- */

/* Works one unit at a time until the phase begins. */
static inline void gc_test_advance(Toy *toy, GcPhase phase) {
  for (size_t i = 0; toy->gc.phase != phase; i++) {
    gc_step_work(&toy->gc, 1);
    assert_true(i < 10000000);
  }
}

/* Works until the end of the cycle. */
static inline void gc_test_finish(Toy *toy) {
  gc_test_advance(toy, PHASE_PAUSE);
}

/* Runs a whole cycle, unit by unit. */
static inline void gc_test_cycle(Toy *toy) {
  gc_test_finish(toy);
  gc_step_work(&toy->gc, 1);
  gc_test_finish(toy);
}

/* -- Inspecting ------------------------------------------------------------ */

typedef struct GcTestCount {
  size_t kind[TOY_KIND_COUNT];
  size_t all;
} GcTestCount;

static inline void gc_test_count_cell(void *context, void *p, size_t size,
                                      bool marked) {
  GcTestCount *count = context;
  const Cell *cell = p;
  (void)size, (void)marked;
  assert_true(cell->kind < TOY_KIND_COUNT);
  count->kind[cell->kind]++;
  count->all++;
}

/* Counts the cells of each kind. */
static inline GcTestCount gc_test_count(Toy *toy) {
  GcTestCount count = {{0}, 0};
  heap_walk(&toy->gc.heap, gc_test_count_cell, &count);
  return count;
}

static inline bool gc_test_exists(Toy *toy, ToyRef ref) {
  return cells_include(&toy->gc.heap, toy_cell(ref));
}

static inline bool gc_test_is_black(ToyRef ref) {
  return heap_is_marked(toy_cell(ref)) &&
         toy_cell(ref)->barrier == BARRIER_ARMED;
}

static inline bool gc_test_is_gray(ToyRef ref) {
  return heap_is_marked(toy_cell(ref)) &&
         toy_cell(ref)->barrier == BARRIER_LISTED;
}

static inline bool gc_test_is_white(ToyRef ref) {
  return !heap_is_marked(toy_cell(ref));
}

/* -- Making ---------------------------------------------------------------- */

/* A list of `count` pairs.  A root holds it while it is made. */
static inline ToyRef gc_test_list(Toy *toy, size_t count) {
  ToyRef list = 0;
  for (size_t i = 0; i < count; i++) {
    toy->newborn = list;
    list = toy_new_pair(toy, list, 0);
    assert_true(list != 0);
  }
  toy->newborn = 0;
  return list;
}

static inline size_t gc_test_list_length(ToyRef list) {
  size_t count = 0;
  for (; toy_is_object(list); list = toy_pair_get(list, 0)) {
    assert_int_equal(toy_kind(list), TOY_PAIR);
    count++;
  }
  return count;
}

#endif
