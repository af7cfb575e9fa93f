/* SPDX-License-Identifier: MIT */
/*
** sweep.c -- sweeping: by the sweeper, by the allocator, with marks kept
**
** It also tests why sweeping is cheap: pieces are bounded, and dead cells are
** not read.
*/
#include "heap_test.h"

#include <sys/mman.h>
#include <unistd.h>

enum { MANY = 20000 };

static void *cells[MANY];

static size_t size_of(size_t i) { return 16 + i * 7 % 1200; }

static void fill(Heap *heap) {
  for (size_t i = 0; i < MANY; i++) {
    cells[i] = heap_allocate(heap, size_of(i));
    assert_non_null(cells[i]);
  }
}

/* Marks every nth cell.  Returns the bytes of the marked cells. */
static size_t mark_every(size_t n) {
  size_t bytes = 0;
  for (size_t i = 0; i < MANY; i += n) {
    assert_true(heap_mark(cells[i]));
    assert_false(heap_mark(cells[i]));
    bytes += heap_cell_size(cells[i]);
  }
  return bytes;
}

static void test_sweep_frees_what_is_not_marked(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  fill(heap);
  for (size_t n = 1; n <= 256; n *= 4) {
    size_t bytes = 0;
    for (size_t i = 0; i < MANY; i += n) {
      heap_mark(cells[i]);
      bytes += heap_cell_size(cells[i]);
    }
    heap_test_sweep(heap, false);
    heap_check(heap);
    assert_int_equal(heap_used(heap), bytes);
    HeapTestCount count = heap_test_count(heap);
    assert_int_equal(count.bytes, bytes);
    assert_int_equal(count.cells, (MANY + n - 1) / n);
    assert_int_equal(count.marked, 0);
    for (size_t i = 0; i < MANY; i += n * 1024)
      assert_true(cells_include(heap, cells[i]));
  }
}

static void test_keep_marks(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  fill(heap);
  size_t bytes = mark_every(5);
  heap_test_sweep(heap, true);
  assert_int_equal(heap_used(heap), bytes);
  assert_int_equal(heap_test_count(heap).marked, MANY / 5);
  void *young = heap_allocate(heap, 40);
  void *young_large = heap_allocate(heap, 4000);
  assert_false(heap_is_marked(young));
  assert_false(heap_is_marked(young_large));
  heap_test_sweep(heap, false);
  assert_int_equal(heap_used(heap), bytes);
  assert_int_equal(heap_test_count(heap).marked, 0);
}

/* Cells born between the end of marking and the sweep survive it. */
static void test_allocate_marked(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  fill(heap);
  size_t bytes = mark_every(3);
  heap_set_allocate_marked(heap, true);
  static void *newborn[1000];
  for (size_t i = 0; i < 1000; i++) {
    newborn[i] = heap_allocate(heap, size_of(i * 3));
    assert_true(heap_is_marked(newborn[i]));
    bytes += heap_cell_size(newborn[i]);
  }
  heap_check(heap);
  heap_test_sweep(heap, false);
  assert_int_equal(heap_used(heap), bytes);
  for (size_t i = 0; i < 1000; i++) {
    if (i % 100 == 0) assert_true(cells_include(heap, newborn[i]));
    assert_false(heap_is_marked(newborn[i]));
  }
  assert_false(heap_is_marked(heap_allocate(heap, 32)));
}

/* A cell is handed out marked, also if it was freed before. */
static void test_allocate_marked_after_free(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  void *old = heap_allocate(heap, 32);
  heap_set_allocate_marked(heap, true);
  void *next = heap_allocate(heap, 32);
  heap_free(heap, next, 32);
  heap_free(heap, old, 32);
  for (int i = 0; i < 10; i++)
    assert_true(heap_is_marked(heap_allocate(heap, 32)));
  heap_set_allocate_marked(heap, false);
  void *plain[4];
  for (int i = 0; i < 4; i++) plain[i] = heap_allocate(heap, 32);
  for (int i = 0; i < 4; i++) assert_false(heap_is_marked(plain[i]));
  for (int i = 3; i >= 0; i--) heap_free(heap, plain[i], 32);
  assert_false(heap_is_marked(heap_allocate(heap, 32)));
}

/* The allocator sweeps unswept spans that it meets.  The cells that it hands
** out are free and unmarked, and are not swept again. */
static void test_allocation_during_sweep(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  TestRandom random = {7};
  fill(heap);
  size_t bytes = mark_every(4);
  heap_sweep_begin(heap, false);
  for (size_t i = 0; i < MANY; i++) {
    if (i % 4 == 0) continue;
    cells[i] = heap_allocate(heap, size_of(i));
    assert_non_null(cells[i]);
    assert_false(heap_is_marked(cells[i]));
    memset(cells[i], 0x11, size_of(i));
    bytes += heap_cell_size(cells[i]);
    if (random_chance(&random, 5)) heap_sweep_some(heap);
    if (i % 1000 == 1) heap_check(heap);
  }
  while (heap_sweep_some(heap)) continue;
  assert_int_equal(heap_used(heap), bytes);
  assert_int_equal(heap_test_count(heap).cells, MANY);
  for (size_t i = 0; i < MANY; i++)
    if (i % 4 != 0)
      assert_int_equal(((unsigned char *)cells[i])[size_of(i) - 1], 0x11);
}

/* The program frees cells in spans that are not swept yet. */
static void test_free_during_sweep(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  fill(heap);
  size_t bytes = mark_every(2);
  heap_sweep_begin(heap, false);
  for (size_t i = 0; i < MANY; i += 6) {
    bytes -= heap_cell_size(cells[i]);
    heap_free(heap, cells[i], size_of(i));
    if (i % 5 == 0) heap_sweep_some(heap);
  }
  heap_check(heap);
  while (heap_sweep_some(heap)) continue;
  heap_check(heap);
  assert_int_equal(heap_used(heap), bytes);
}

/* The sweep of many cells is divided into many small pieces. */
static void test_pieces_are_bounded(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  fill(heap);
  mark_every(2);
  heap_sweep_begin(heap, false);
  size_t pieces = 0, largest = 0, some, used = heap_used(heap);
  while ((some = heap_sweep_some(heap)) != 0) {
    largest = size_max(largest, some);
    assert_true(used - heap_used(heap) <= BLOCK_SIZE);
    used = heap_used(heap);
    pieces++;
  }
  assert_true(largest <= BLOCK_PAGES + 2 * RELEASE_PIECE / 1024);
  assert_true(pieces >= heap->block_count / 2);
}

/* When everything dies, all blocks except a few are returned, one at a time. */
static void test_empty_chunks_go_back(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  fill(heap);
  size_t peak = heap->footprint;
  heap_test_sweep(heap, false);
  assert_int_equal(heap_used(heap), 0);
  assert_int_equal(heap_excess(heap), 0);
  heap_test_forget_peak(heap);
  size_t bytes;
  while ((bytes = heap_release_some(heap)) != 0)
    assert_true(bytes <= 64 * BLOCK_SIZE);
  assert_true(heap->footprint < peak / 4);
  heap_check(heap);
  heap_release_all(heap);
  assert_int_equal(heap->footprint, 0);
  assert_int_equal(test->allocator.bytes, 0);
  heap_check(heap);
  assert_non_null(heap_allocate(heap, 32));
}

/* A heap with free memory keeps some of it for the next allocations. */
static void test_some_memory_is_kept(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  fill(heap);
  heap_test_sweep(heap, false);
  while (heap_release_some(heap)) continue;
  assert_true(heap->free_block_count > 0);
  uint64_t requests = test->allocator.requests;
  assert_non_null(heap_allocate(heap, 32));
  assert_int_equal(test->allocator.requests, requests);
}

/* Protects the pages of a block behind its first page.  False if they hold more
** than cells: a span that begins there has its header in them. */
static bool protect_cells(Block *block, size_t page, int protection) {
  for (unsigned i = 0; i < BLOCK_PAGES; i++)
    if (block->span_page[i] * (size_t)BLOCK_PAGE >= page ||
        (block->free_pages >> i & 1))
      return false;
  return mprotect((char *)block + page, BLOCK_SIZE - page, protection) == 0;
}

/* A sweep reads neither dead nor live cells: their pages can be inaccessible
** while it runs. */
static void test_sweep_reads_no_cell(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (page >= BLOCK_SIZE) skip();
  heap->poison = false;
  for (size_t i = 0; i < MANY; i++) cells[i] = heap_allocate(heap, 48);
  for (size_t i = 0; i < MANY; i += 2) heap_mark(cells[i]);
  size_t hidden = 0;
  for (size_t i = 0; i < MANY; i++)
    if (protect_cells(heap_block_of(cells[i]), page, PROT_NONE)) hidden++;
  assert_true(hidden > MANY / 2);
  heap_test_sweep(heap, false);
  size_t used = heap_used(heap);
  for (size_t i = 0; i < MANY; i++)
    protect_cells(heap_block_of(cells[i]), page, PROT_READ | PROT_WRITE);
  assert_int_equal(used, MANY / 2 * 48);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HEAP_TEST(test_sweep_frees_what_is_not_marked),
      HEAP_TEST(test_keep_marks),
      HEAP_TEST(test_allocate_marked),
      HEAP_TEST(test_allocate_marked_after_free),
      HEAP_TEST(test_allocation_during_sweep),
      HEAP_TEST(test_free_during_sweep),
      HEAP_TEST(test_pieces_are_bounded),
      HEAP_TEST(test_empty_chunks_go_back),
      HEAP_TEST(test_some_memory_is_kept),
      HEAP_TEST(test_sweep_reads_no_cell),
  };
  return cmocka_run_group_tests_name("heap sweep", tests, NULL, NULL);
}
