/* SPDX-License-Identifier: MIT */
/*
** large.c -- large cells: resizing, releasing in pieces, alignment
*/
#include "heap_test.h"

enum { MEGABYTE = 1 << 20 };

static void fill_pattern(unsigned char *cell, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) cell[i] = (unsigned char)(i * 31 + 7);
}

static void check_pattern(const unsigned char *cell, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (cell[i] != (unsigned char)(i * 31 + 7))
      fail_msg("byte %zu of %zu is %u", i, size, cell[i]);
}

static void test_large_cells(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  void *cell[40];
  size_t used = 0;
  for (size_t i = 0; i < 40; i++) {
    size_t size = CELL_MAX + 1 + i * i * 13;
    cell[i] = heap_allocate(heap, size);
    assert_true(heap_is_large(cell[i]));
    assert_int_equal((uintptr_t)cell[i] % 16, 8);
    assert_int_equal(heap_cell_size(cell[i]), size);
    assert_false(heap_is_marked(cell[i]));
    memset(cell[i], 0x22, size);
    used += size;
  }
  assert_int_equal(heap_used(heap), used);
  heap_check(heap);
  for (size_t i = 0; i < 40; i += 2) {
    used -= heap_cell_size(cell[i]);
    heap_free(heap, cell[i], heap_cell_size(cell[i]));
  }
  assert_int_equal(heap_used(heap), used);
  assert_int_equal(heap_test_count(heap).cells, 20);
}

static void test_large_marks_and_sweep(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  void *cell[30];
  for (size_t i = 0; i < 30; i++) cell[i] = heap_allocate(heap, 3000 + i);
  for (size_t i = 0; i < 30; i += 3) assert_true(heap_mark(cell[i]));
  assert_false(heap_mark(cell[0]));
  heap_test_unmark(cell[0]);
  assert_false(heap_is_marked(cell[0]));
  heap_sweep_begin(heap, false);
  void *newborn = heap_allocate(heap, 5000);
  while (heap_sweep_some(heap)) continue;
  assert_false(cells_include(heap, cell[0]));
  assert_true(cells_include(heap, cell[3]));
  assert_false(heap_is_marked(cell[3]));
  assert_true(cells_include(heap, newborn));
  assert_int_equal(heap_test_count(heap).cells, 10);
}

/* Resizes up and down through many sizes: the contents stay, and the figures
** are exact. */
static void resize_through_sizes(HeapTest *test) {
  Heap *heap = &test->heap;
  static const size_t sizes[] = {1025,   1500,  1040, 70000, 200000, 150000,
                                 500000, 40000, 1025, 1026,  600000, 2000};
  size_t size = 2000, others = heap_used(heap), count;
  count = heap_test_count(heap).cells;
  unsigned char *cell = heap_allocate(heap, size);
  void *neighbor = heap_allocate(heap, 7777);
  fill_pattern(cell, 0, size);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    size_t next = sizes[i];
    bool marked = i & 1;
    if (marked) heap_mark(cell);
    cell = heap_resize_large(heap, cell, next);
    assert_non_null(cell);
    assert_int_equal((uintptr_t)cell % 16, 8);
    assert_true(heap_is_marked(cell) == marked);
    heap_test_unmark(cell);
    check_pattern(cell, size_min(size, next));
    fill_pattern(cell, 0, next);
    assert_int_equal(heap_used(heap), others + next + 7777);
    heap_check(heap);
    size = next;
  }
  assert_int_equal(heap_test_count(heap).cells, count + 2);
  heap_free(heap, cell, size);
  heap_free(heap, neighbor, 7777);
  assert_int_equal(heap_used(heap), others);
}

static void test_resize(void **state) { resize_through_sizes(*state); }

static void test_resize_with_moving_allocator(void **state) {
  HeapTest *test = *state;
  test->allocator.moves_on_shrink = true;
  resize_through_sizes(test);
}

static void test_failed_resize_changes_nothing(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  unsigned char *cell = heap_allocate(heap, 5000);
  fill_pattern(cell, 0, 5000);
  heap_mark(cell);
  for (size_t size = 3000; size < 100000; size *= 5) {
    test_allocator_fail(&test->allocator, 1, true);
    void *moved = heap_resize_large(heap, cell, size);
    test_allocator_obey(&test->allocator);
    if (moved) fail_msg("the allocator refused, and yet there is a cell");
    check_pattern(cell, 5000);
    assert_true(heap_is_marked(cell));
    assert_int_equal(heap_used(heap), 5000);
    heap_check(heap);
  }
  assert_null(heap_resize_large(heap, cell, SIZE_MAX - 20));
  assert_null(heap_allocate(heap, SIZE_MAX - 20));
  check_pattern(cell, 5000);
}

/* A mark lasts for one cycle.  A live cell is unmarked at the end of the sweep,
** whether it was resized before or after the sweeper reached it. */
static void test_resize_during_sweep(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  for (int swept = 0; swept <= 8; swept++) {
    void *cell[8];
    for (int i = 0; i < 8; i++) {
      cell[i] = heap_allocate(heap, 2000 + (size_t)i);
      if (i % 2 == 0) heap_mark(cell[i]);
    }
    heap_sweep_begin(heap, false);
    for (int i = 0; i < swept; i++) heap_sweep_some(heap);
    for (int i = 0; i < 8; i += 2)
      cell[i] = heap_resize_large(heap, cell[i], 3000 + (size_t)i);
    heap_check(heap);
    while (heap_sweep_some(heap)) continue;
    HeapTestCount count = heap_test_count(heap);
    assert_int_equal(count.cells, 4);
    assert_int_equal(count.marked, 0);
    for (int i = 0; i < 8; i += 2) heap_free(heap, cell[i], 3000 + (size_t)i);
    assert_int_equal(heap_used(heap), 0);
  }
}

/* A huge cell is not given back at once (here: 20 MB). */
static void test_release_in_pieces(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  void *cell = heap_allocate(heap, 20 * MEGABYTE);
  heap_free(heap, cell, 20 * MEGABYTE);
  assert_int_equal(heap_used(heap), 0);
  assert_true(test->allocator.bytes >= 20 * MEGABYTE);
  heap_test_forget_peak(heap);
  size_t pieces = 0, bytes, before = test->allocator.bytes;
  while ((bytes = heap_release_some(heap)) != 0) {
    assert_true(bytes <= 3 * RELEASE_PIECE);
    assert_int_equal(before - test->allocator.bytes, bytes);
    before = test->allocator.bytes;
    heap_check(heap);
    pieces++;
  }
  assert_true(pieces >= 20 * MEGABYTE / RELEASE_PIECE - 2);
  assert_int_equal(test->allocator.bytes, 0);
}

/* If shrinking moves memory, all is given back at once: copying 20 MB for each
** piece would be worse. */
static void test_release_with_moving_allocator(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  test->allocator.moves_on_shrink = true;
  for (int round = 0; round < 2; round++) {
    void *cell = heap_allocate(heap, 20 * MEGABYTE);
    heap_free(heap, cell, 20 * MEGABYTE);
    heap_test_forget_peak(heap);
    size_t pieces = 0;
    while (heap_release_some(heap)) pieces++;
    assert_true(pieces <= 2);
    assert_int_equal(test->allocator.bytes, 0);
  }
}

/* The allocator may also refuse to shrink. */
static void test_release_when_shrinking_fails(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  void *cell = heap_allocate(heap, 5 * MEGABYTE);
  heap_free(heap, cell, 5 * MEGABYTE);
  heap_test_forget_peak(heap);
  heap_release_some(heap);
  test_allocator_fail(&test->allocator, 1, true);
  while (heap_release_some(heap)) continue;
  assert_int_equal(test->allocator.bytes, 0);
}

/* Memory that waits to be given back is returned when memory is short. */
static void test_waiting_memory_helps_out(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  test->allocator.byte_limit = 6 * MEGABYTE;
  for (int i = 0; i < 10; i++) {
    void *cell = heap_allocate(heap, 4 * MEGABYTE);
    assert_non_null(cell);
    heap_free(heap, cell, 4 * MEGABYTE);
  }
}

static void exercise_alignment(HeapTest *test) {
  Heap *heap = &test->heap;
  void *small[300];
  for (size_t i = 0; i < 300; i++) {
    small[i] = heap_allocate(heap, 16 + i * 3);
    assert_non_null(small[i]);
    assert_int_equal((uintptr_t)small[i] % GRANULE, 0);
  }
  resize_through_sizes(test);
  void *big = heap_allocate(heap, 2 * MEGABYTE);
  heap_free(heap, big, 2 * MEGABYTE);
  while (heap_release_some(heap)) continue;
  for (size_t i = 0; i < 300; i += 2) heap_mark(small[i]);
  heap_test_sweep(heap, false);
  heap_check(heap);
  assert_int_equal(heap_test_count(heap).cells, 150);
}

/* A cell grows into a dead one if a copy is cheap.  One that shrinks would not
** fit into it, and a very large one moves by its pages. */
static void test_resize_into_dead_cell(void **state) {
  enum { KB = 1024 };
  static const struct {
    size_t from, to, dead;
    bool moves;
  } cases[] = {{150 * KB, 200 * KB, 220 * KB, true},
               {256 * KB, 300 * KB, 320 * KB, true},
               {250 * KB, 180 * KB, 200 * KB, false},
               {200 * KB, 200 * KB, 210 * KB, false},
               {257 * KB, 300 * KB, 320 * KB, false},
               {900 * KB, 950 * KB, 960 * KB, false}};
  Heap *heap = &((HeapTest *)*state)->heap;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *cell = heap_allocate(heap, cases[i].from);
    char *dead = heap_allocate(heap, cases[i].dead);
    assert_non_null(cell);
    assert_non_null(dead);
    memset(cell, 42, cases[i].from);
    heap_free(heap, dead, cases[i].dead);
    char *now = heap_resize_large(heap, cell, cases[i].to);
    assert_non_null(now);
    assert_int_equal(now == dead, cases[i].moves);
    for (size_t k = 0; k < size_min(cases[i].from, cases[i].to); k++)
      assert_int_equal(now[k], 42);
    heap_check(heap);
    heap_free(heap, now, cases[i].to);
    heap_release_all(heap);
  }
}

/* An allocator that returns pointers of any, but constant, alignment. */
static void test_every_alignment(void **state) {
  (void)state;
  for (unsigned offset = 0; offset < 32; offset++) {
    HeapTest test;
    heap_test_open(&test);
    test.allocator.offset = offset;
    test.allocator.moves_on_shrink = offset & 1;
    exercise_alignment(&test);
    heap_test_close(&test);
  }
}

/* An allocator that returns pointers of varying alignment. */
static void test_varying_alignment(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 64; seed++) {
    HeapTest test;
    heap_test_open(&test);
    test.allocator.offset_varies = true;
    test.allocator.moves_on_shrink = seed & 1;
    test.allocator.random.state = seed;
    exercise_alignment(&test);
    heap_test_close(&test);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HEAP_TEST(test_large_cells),
      HEAP_TEST(test_large_marks_and_sweep),
      HEAP_TEST(test_resize),
      HEAP_TEST(test_resize_with_moving_allocator),
      HEAP_TEST(test_failed_resize_changes_nothing),
      HEAP_TEST(test_resize_during_sweep),
      HEAP_TEST(test_release_in_pieces),
      HEAP_TEST(test_release_with_moving_allocator),
      HEAP_TEST(test_release_when_shrinking_fails),
      HEAP_TEST(test_waiting_memory_helps_out),
      HEAP_TEST(test_resize_into_dead_cell),
      HEAP_TEST(test_every_alignment),
      HEAP_TEST(test_varying_alignment),
  };
  return cmocka_run_group_tests_name("large cells", tests, NULL, NULL);
}
