/* SPDX-License-Identifier: MIT */
/*
** limit.c -- out of memory: the heap's limit, and an allocator that refuses
*/
#include "heap_test.h"

enum { LIMIT = 300000 };

static void test_limit_bounds_the_footprint(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  heap->limit = LIMIT;
  size_t used = 0, size = 16;
  void *cell;
  while ((cell = heap_allocate(heap, size)) != NULL) {
    used += heap_rounded_size(size);
    size = size * 7 % 900 + 16;
    assert_true(test->allocator.bytes <= LIMIT);
  }
  assert_true(used > LIMIT / 4);
  assert_int_equal(heap_used(heap), used);
  heap_check(heap);
  heap_test_sweep(heap, false);
  assert_non_null(heap_allocate(heap, size));
}

static void test_limit_for_large_and_raw(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  heap->limit = LIMIT;
  void *cell = heap_allocate(heap, LIMIT / 2);
  assert_non_null(cell);
  assert_null(heap_allocate(heap, LIMIT / 2));
  assert_null(heap_resize_large(heap, cell, LIMIT));
  assert_null(heap_raw_allocate(heap, LIMIT / 2));
  assert_int_equal(test->allocator.bytes, heap->footprint);
  void *raw = heap_raw_allocate(heap, LIMIT / 4);
  assert_non_null(raw);
  assert_null(heap_raw_allocate(heap, LIMIT / 4));
  heap_raw_free(heap, raw, LIMIT / 4);
  cell = heap_resize_large(heap, cell, LIMIT / 2 + LIMIT / 4);
  assert_non_null(cell);
  heap->limit = 0;
  assert_non_null(heap_allocate(heap, LIMIT));
}

/* A limit below the memory held refuses everything and harms nothing. */
static void test_limit_below_footprint(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  void *cell = heap_allocate(heap, 50000);
  heap->limit = 1000;
  assert_null(heap_allocate(heap, 2000));
  assert_null(heap_raw_allocate(heap, 1));
  cell = heap_resize_large(heap, cell, 20000);
  if (cell) heap_free(heap, cell, 20000);
}

/* A refused request gives back idle memory, but not more than it needs: a unit
** of the collector may have made it. */
static void test_refusal_releases_what_is_needed(void **state) {
  enum { CELLS = 10, SIZE = 1 << 20, WANTED = 100000, PIECES = 3 * 65536 };
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  void *cell[CELLS];
  for (int i = 0; i < CELLS; i++) cell[i] = heap_allocate(heap, SIZE);
  for (int i = 0; i < CELLS; i++) heap_free(heap, cell[i], SIZE);
  size_t idle = heap->releasing_bytes;
  assert_true(idle >= (size_t)CELLS * SIZE);
  heap->limit = heap_resident(heap) + WANTED / 2;
  void *raw = heap_raw_allocate(heap, WANTED);
  assert_non_null(raw);
  assert_in_range(idle - heap->releasing_bytes, WANTED / 2, PIECES);
  heap_check(heap);
  assert_null(heap_raw_allocate(heap, heap->limit)); /* needs more than all */
  assert_int_equal(heap->releasing_bytes, 0);
  heap_raw_free(heap, raw, WANTED);
}

/* All operations of the heap in sequence.  False if memory ran out. */
static bool scenario(Heap *heap) {
  bool complete = true;
  void *large = heap_allocate(heap, 4000);
  if (!large) complete = false;
  for (size_t i = 0; i < 600; i++) {
    void *cell = heap_allocate(heap, 16 + i * 37 % 1000);
    if (!cell)
      complete = false;
    else if (i % 2)
      heap_mark(cell);
  }
  if (large) {
    heap_mark(large);
    void *moved = heap_resize_large(heap, large, 400000);
    if (moved)
      heap_free(heap, moved, 400000);
    else
      complete = false;
  }
  void *raw = heap_raw_allocate(heap, 4096);
  if (!raw) complete = false;
  heap_test_sweep(heap, false);
  while (heap_release_some(heap)) continue;
  for (size_t i = 0; i < 300; i++)
    if (!heap_allocate(heap, 16 + i * 37 % 2000)) complete = false;
  if (raw) heap_raw_free(heap, raw, 4096);
  return complete;
}

/* Refuses the nth request, alone or with all that follow, for every n that
** matters.  The heap stays consistent and gives back all memory. */
static void fail_each(bool after, unsigned offset) {
  bool complete = false;
  uint64_t n = 1;
  for (; !complete || n < 10; n++) {
    HeapTest test;
    heap_test_open(&test);
    test.allocator.offset = offset;
    test_allocator_fail(&test.allocator, n, after);
    complete = scenario(&test.heap);
    if (test.allocator.requests < n) assert_true(complete);
    heap_check(&test.heap);
    heap_test_close(&test);
    assert_true(n < 10000);
  }
  assert_true(n >= 10);
}

static void test_each_request_fails_once(void **state) {
  (void)state;
  fail_each(false, 0);
  fail_each(false, 5);
}

static void test_each_request_fails_from_then_on(void **state) {
  (void)state;
  fail_each(true, 0);
  fail_each(true, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HEAP_TEST(test_limit_bounds_the_footprint),
      HEAP_TEST(test_limit_for_large_and_raw),
      HEAP_TEST(test_limit_below_footprint),
      HEAP_TEST(test_refusal_releases_what_is_needed),
      HEAP_TEST(test_each_request_fails_once),
      HEAP_TEST(test_each_request_fails_from_then_on),
  };
  return cmocka_run_group_tests_name("heap limits", tests, NULL, NULL);
}
