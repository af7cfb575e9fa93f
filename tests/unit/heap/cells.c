/* SPDX-License-Identifier: MIT */
/*
** cells.c -- small cells: size classes, runs, explicit freeing, the walk
*/
#include "heap_test.h"

enum { MANY = 5000 };

static void test_empty_heap_holds_nothing(void **state) {
  HeapTest *test = *state;
  assert_int_equal(test->allocator.requests, 0);
  assert_int_equal(heap_used(&test->heap), 0);
  assert_int_equal(test->heap.footprint, 0);
  assert_int_equal(heap_sweep_some(&test->heap), 0);
  assert_int_equal(heap_release_some(&test->heap), 0);
  heap_check(&test->heap);
  assert_int_equal(heap_test_count(&test->heap).cells, 0);
}

/* Every size gets the smallest class that holds it.  Above 128 bytes no class
** wastes more than an eighth of itself. */
static void test_size_classes(void **state) {
  (void)state;
  assert_int_equal(heap_class_size(0), GRANULE);
  assert_int_equal(heap_class_size(CLASS_COUNT - 1), CELL_MAX);
  for (unsigned i = 0; i < CLASS_COUNT; i++)
    assert_int_equal(heap_class_size(i) % GRANULE, 0);
  for (size_t size = 1; size <= CELL_MAX; size++) {
    unsigned class_index = heap_class_for(size);
    assert_true(class_index < CLASS_COUNT);
    assert_true(heap_class_size(class_index) >= size);
    if (class_index > 0) assert_true(heap_class_size(class_index - 1) < size);
    assert_int_equal(heap_rounded_size(size), heap_class_size(class_index));
    size_t granules = size_round_up(size, GRANULE);
    assert_true(heap_class_size(class_index) - granules <= granules / 8);
  }
  assert_int_equal(heap_rounded_size(CELL_MAX + 1), CELL_MAX + 1);
}

/* Cells of every size, each filled with its own pattern: none overlaps
** another, all are aligned, and the figures are exact. */
static void test_cells_do_not_overlap(void **state) {
  HeapTest *test = *state;
  static unsigned char *cell[4 * CELL_MAX];
  size_t used = 0, count = 0;
  for (int round = 0; round < 4; round++)
    for (size_t size = 1; size <= CELL_MAX; size += 3) {
      unsigned char *memory = heap_allocate(&test->heap, size);
      assert_non_null(memory);
      assert_int_equal((uintptr_t)memory % GRANULE, 0);
      assert_false(heap_is_large(memory));
      assert_int_equal(heap_cell_size(memory), heap_rounded_size(size));
      assert_false(heap_is_marked(memory));
      used += heap_rounded_size(size);
      memset(memory, (int)(count % 251), heap_rounded_size(size));
      cell[count++] = memory;
      assert_int_equal(heap_used(&test->heap), used);
    }
  heap_check(&test->heap);
  for (size_t i = 0; i < count; i++)
    for (size_t at = 0; at < heap_cell_size(cell[i]); at++)
      assert_int_equal(cell[i][at], i % 251);
  HeapTestCount seen = heap_test_count(&test->heap);
  assert_int_equal(seen.cells, count);
  assert_int_equal(seen.bytes, used);
}

/* Successive cells of a fresh heap are adjacent: allocation bumps a pointer and
** does not search. */
static void test_allocation_bumps(void **state) {
  HeapTest *test = *state;
  char *previous = heap_allocate(&test->heap, 48);
  unsigned adjacent = 0;
  uint64_t requests = test->allocator.requests;
  for (int i = 0; i < 10; i++) {
    char *cell = heap_allocate(&test->heap, 48);
    if (cell == previous + 48) adjacent++;
    previous = cell;
  }
  assert_int_equal(adjacent, 10);
  assert_int_equal(test->allocator.requests, requests);
}

static void test_free_gives_the_cell_again(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  for (size_t size = GRANULE; size <= CELL_MAX; size += 2 * GRANULE) {
    void *first = heap_allocate(heap, size);
    void *second = heap_allocate(heap, size);
    size_t used = heap_used(heap);
    heap_free(heap, second, size);
    assert_int_equal(heap_used(heap), used - heap_rounded_size(size));
    assert_ptr_equal(heap_allocate(heap, size), second);
    assert_int_equal(heap_used(heap), used);
    heap_free(heap, first, size);
    heap_check(heap);
    assert_false(cells_include(heap, first));
    assert_true(cells_include(heap, second));
  }
}

/* Freed cells are reused before new memory is requested.  Freed cells that the
** heap did not remember are reused after the next sweep. */
static void test_freed_cells_are_reused(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  static void *cell[MANY];
  for (int i = 0; i < MANY; i++) cell[i] = heap_allocate(heap, 64);
  for (int i = 0; i < MANY; i += 2) heap_free(heap, cell[i], 64);
  heap_check(heap);
  assert_int_equal(heap_used(heap), MANY / 2 * 64);
  for (int i = 1; i < MANY; i += 2) heap_mark(cell[i]);
  heap_test_sweep(heap, false);
  size_t footprint = heap->footprint;
  for (int i = 0; i < MANY; i += 2) {
    cell[i] = heap_allocate(heap, 64);
    assert_non_null(cell[i]);
  }
  assert_int_equal(heap->footprint, footprint);
  assert_int_equal(heap_used(heap), MANY * 64);
  assert_int_equal(heap_test_count(heap).cells, MANY);
}

/* A cell that is freed, reused and freed again is not handed out twice. */
static void test_freed_twice_is_given_once(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  void *cell[64];
  for (int i = 0; i < 64; i++) cell[i] = heap_allocate(heap, 32);
  for (int round = 0; round < 8; round++) {
    for (int i = 0; i < 64; i += 8) heap_free(heap, cell[i], 32);
    for (int i = 0; i < 64; i += 8) cell[i] = heap_allocate(heap, 32);
    for (int i = 0; i < 64; i++)
      for (int j = 0; j < i; j++) assert_ptr_not_equal(cell[i], cell[j]);
    heap_check(heap);
  }
  assert_int_equal(heap_used(heap), 64 * 32);
}

static void test_freed_cells_are_poisoned(void **state) {
  HeapTest *test = *state;
  unsigned char *cell = heap_allocate(&test->heap, 100);
  void *keep = heap_allocate(&test->heap, 100);
  memset(cell, 1, 100);
  heap_free(&test->heap, cell, 100);
  for (int i = 0; i < 100; i++) assert_int_equal(cell[i], 0xDB);
  assert_true(cells_include(&test->heap, keep));
}

/* Chunks start small: a heap with one cell of each class stays small. */
static void test_small_heap_is_small(void **state) {
  HeapTest *test = *state;
  for (int i = 0; i < 20; i++) assert_non_null(heap_allocate(&test->heap, 32));
  assert_true(test->heap.footprint <= 3 * BLOCK_SIZE + 256);
  for (size_t size = GRANULE; size <= CELL_MAX; size += GRANULE)
    assert_non_null(heap_allocate(&test->heap, size));
  assert_true(test->heap.footprint <= 9 * BLOCK_SIZE + 512);
}

/* The walk in pieces sees the same cells as the walk at once. */
static void test_walk_in_pieces(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  for (size_t i = 0; i < MANY; i++) {
    void *cell = heap_allocate(heap, 16 + i % 1500);
    if (i % 3 == 0) heap_mark(cell);
  }
  HeapTestCount whole = heap_test_count(heap), pieces = {0, 0, 0};
  HeapCursor cursor;
  size_t calls = 0, before = 0;
  heap_walk_begin(heap, &cursor);
  while (heap_walk_some(heap, &cursor, heap_test_count_cell, &pieces)) {
    assert_true(pieces.cells - before <= BLOCK_SIZE / GRANULE);
    before = pieces.cells;
    calls++;
  }
  assert_int_equal(whole.cells, MANY);
  assert_int_equal(pieces.cells, whole.cells);
  assert_int_equal(pieces.bytes, whole.bytes);
  assert_int_equal(pieces.marked, (MANY + 2) / 3);
  assert_true(calls > whole.bytes / BLOCK_SIZE / 2);
}

static void test_unmark_in_pieces(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  for (size_t i = 0; i < MANY; i++)
    heap_mark(heap_allocate(heap, 16 + i % 1500));
  HeapCursor cursor;
  heap_walk_begin(heap, &cursor);
  while (heap_unmark_some(heap, &cursor)) continue;
  assert_int_equal(heap_test_count(heap).marked, 0);
  assert_int_equal(heap_test_count(heap).cells, MANY);
}

/* -- An allocator that does not align --------------------------------------- */

enum { ASKEW = 8 };

/* Every block begins eight bytes behind the border of a heap block.  That is
** the worst case: the next aligned address is almost a heap block away. */
static void *allocate_askew(void *context, void *pointer, size_t old_size,
                            size_t new_size) {
  size_t *held = context;
  void *base = NULL;
  char *result = NULL;
  if (new_size > 0) {
    size_t whole = size_round_up(new_size + ASKEW, BLOCK_SIZE);
    assert_int_equal(posix_memalign(&base, BLOCK_SIZE, whole), 0);
    result = (char *)base + ASKEW;
    *held += new_size;
  }
  if (pointer) {
    if (result) memcpy(result, pointer, size_min(old_size, new_size));
    free((char *)pointer - ASKEW);
    *held -= old_size;
  }
  return result;
}

static void test_allocator_does_not_align(void **state) {
  (void)state;
  Heap heap;
  size_t held = 0;
  memset(&heap, 0, sizeof heap);
  heap_init(&heap, allocate_askew, &held);
  for (size_t i = 0; i < MANY; i++) {
    size_t size = i % 100 == 0 ? 20000 + i : 16 + i % 700;
    char *cell = heap_allocate(&heap, size);
    assert_non_null(cell);
    assert_int_equal((uintptr_t)cell % GRANULE, heap_is_large(cell) ? 8 : 0);
    memset(cell, 0x55, size);
  }
  heap_check(&heap);
  assert_int_equal(heap.footprint, held);
  heap_close(&heap);
  assert_int_equal(held, 0);
}

/* The same, and there is never memory for more than one block and what aligns
** it. */
static void *allocate_askew_and_little(void *context, void *pointer,
                                       size_t old_size, size_t new_size) {
  if (new_size > 2 * BLOCK_SIZE) return NULL;
  return allocate_askew(context, pointer, old_size, new_size);
}

/* Every chunk has the block that it was made for, however unlucky its place. */
static void test_chunks_of_one_block(void **state) {
  (void)state;
  Heap heap;
  size_t held = 0;
  memset(&heap, 0, sizeof heap);
  heap_init(&heap, allocate_askew_and_little, &held);
  for (size_t i = 0; i < MANY; i++) {
    char *cell = heap_allocate(&heap, 16 + i % 700);
    assert_non_null(cell);
    memset(cell, 0x55, 16 + i % 700);
  }
  heap_check(&heap);
  assert_int_equal(heap.footprint, held);
  heap_close(&heap);
  assert_int_equal(held, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HEAP_TEST(test_empty_heap_holds_nothing),
      HEAP_TEST(test_size_classes),
      HEAP_TEST(test_cells_do_not_overlap),
      HEAP_TEST(test_allocation_bumps),
      HEAP_TEST(test_free_gives_the_cell_again),
      HEAP_TEST(test_freed_cells_are_reused),
      HEAP_TEST(test_freed_twice_is_given_once),
      HEAP_TEST(test_freed_cells_are_poisoned),
      HEAP_TEST(test_small_heap_is_small),
      HEAP_TEST(test_walk_in_pieces),
      HEAP_TEST(test_unmark_in_pieces),
      cmocka_unit_test(test_allocator_does_not_align),
      cmocka_unit_test(test_chunks_of_one_block),
  };
  return cmocka_run_group_tests_name("heap cells", tests, NULL, NULL);
}
