/* SPDX-License-Identifier: MIT */
/*
** heap_test.h -- what the tests of the heap share
**
** Every test gets a heap on a checking allocator.  At the end the heap is
** checked and closed, and every byte must have been given back.
*/
#ifndef PENUMBRA_HEAP_TEST_H
#define PENUMBRA_HEAP_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toy/allocator.h"
#include "toy/cells.h"
#include "heap/heap.h"

typedef struct HeapTest {
  Heap heap;
  TestAllocator allocator;
} HeapTest;

static inline void heap_test_open(HeapTest *test) {
  memset(test, 0, sizeof *test);
  heap_init(&test->heap, test_allocate, &test->allocator);
  test->heap.poison = true;
}

static inline void heap_test_close(HeapTest *test) {
  heap_check(&test->heap);
  assert_int_equal(test->heap.footprint, test->allocator.bytes);
  heap_close(&test->heap);
  assert_int_equal(test->allocator.bytes, 0);
  assert_int_equal(test->allocator.blocks, 0);
}

static inline int heap_test_setup(void **state) {
  HeapTest *test = malloc(sizeof *test);
  if (!test) return -1;
  heap_test_open(test);
  *state = test;
  return 0;
}

static inline int heap_test_teardown(void **state) {
  heap_test_close(*state);
  free(*state);
  return 0;
}

#define HEAP_TEST(function) \
  cmocka_unit_test_setup_teardown(function, heap_test_setup, heap_test_teardown)

static inline void heap_test_unmark(const void *cell) {
  if (heap_is_large(cell))
    heap_large_of(cell)->marked = 0;
  else
    heap_unmark_small(cell);
}

/* Sweeps from beginning to end: cells that are not marked are freed. */
static inline size_t heap_test_sweep(Heap *heap, bool keep_marks) {
  size_t work = 0, some;
  heap_sweep_begin(heap, keep_marks);
  while ((some = heap_sweep_some(heap)) != 0) work += some;
  return work;
}

/* Runs two cycles without other events.  Marked cells stay marked, and the heap
** forgets its peak. */
static inline void heap_test_forget_peak(Heap *heap) {
  heap_test_sweep(heap, true);
  heap_test_sweep(heap, true);
}

typedef struct HeapTestCount {
  size_t cells;
  size_t bytes;
  size_t marked;
} HeapTestCount;

static inline void heap_test_count_cell(void *context, void *cell, size_t size,
                                        bool marked) {
  HeapTestCount *count = context;
  assert_int_equal(size, heap_cell_size(cell));
  assert_true(marked == heap_is_marked(cell));
  count->cells++;
  count->bytes += size;
  if (marked) count->marked++;
}

static inline HeapTestCount heap_test_count(Heap *heap) {
  HeapTestCount count = {0, 0, 0};
  heap_walk(heap, heap_test_count_cell, &count);
  return count;
}

#endif
