/* SPDX-License-Identifier: MIT */
/*
** footprint.c -- memory follows the heap, and returning it causes no pauses
**
** Miniature programs take and drop memory.  Two bounds hold after each
** operation.  The heap holds at most 5/4 of the most memory that was in use,
** plus 4 MB.  The operation has returned at most a few pieces, plus twice the
** bytes that it filled.
*/
#include "heap_test.h"

enum { KILOBYTE = 1024, MEGABYTE = 1 << 20, SLACK = 4 * MEGABYTE, ROUNDS = 60 };

typedef struct Watch {
  Heap *heap;
  size_t most_used;
  size_t resident;
} Watch;

static Watch watch_begin(Heap *heap) {
  return (Watch){heap, heap_used(heap), heap_resident(heap)};
}

/* Checks the bounds after an operation that filled `filled` bytes. */
static void watch(Watch *w, size_t filled) {
  heap_release_filled(w->heap, filled);
  size_t resident = heap_resident(w->heap);
  w->most_used = size_max(w->most_used, heap_used(w->heap));
  if (resident > w->most_used / 4 * 5 + SLACK)
    fail_msg("%zu bytes held, at most %zu were in use", resident, w->most_used);
  if (w->resident > resident + filled)
    assert_true(w->resident - resident <= 3 * RELEASE_PIECE + 2 * filled);
  w->resident = resident;
}

static void *allocate_filled(Watch *w, size_t size) {
  void *cell = heap_reuse_large(w->heap, size);
  if (!cell) cell = heap_allocate(w->heap, size);
  assert_non_null(cell);
  watch(w, size);
  return cell;
}

/* Sweeps: all cells that are not marked die. */
static void sweep(Watch *w, bool keep_marks) {
  heap_test_sweep(w->heap, keep_marks);
  watch(w, 0);
}

/* -- Large cells ----------------------------------------------------------- */

/* Vectors that double until they reach a megabyte, and are dropped. */
static void test_growing_vectors(void **state) {
  HeapTest *test = *state;
  Watch w = watch_begin(&test->heap);
  for (int round = 0; round < ROUNDS; round++) {
    size_t size = 2000;
    void *cell = heap_allocate(w.heap, size);
    for (; size < MEGABYTE; size *= 2) {
      cell = heap_resize_large(w.heap, cell, size * 2);
      watch(&w, size * 2);
    }
    if (round % 3 == 0) sweep(&w, false);
  }
  heap_check(w.heap);
}

/* The same, but the old vector is freed after the new one is filled. */
static void test_replaced_vectors(void **state) {
  HeapTest *test = *state;
  Watch w = watch_begin(&test->heap);
  for (int round = 0; round < ROUNDS; round++) {
    void *old = NULL;
    for (size_t size = 2000; size < MEGABYTE; size *= 2) {
      void *cell = heap_allocate(w.heap, size);
      watch(&w, size);
      if (old) heap_free(w.heap, old, size / 2);
      watch(&w, 0);
      old = cell;
    }
    if (round % 4 == 0) sweep(&w, false);
  }
}

/* Cells of many sizes, none of which fits the memory of another. */
static void test_sizes_that_do_not_fit(void **state) {
  HeapTest *test = *state;
  Watch w = watch_begin(&test->heap);
  TestRandom random = {7};
  for (int round = 0; round < 10 * ROUNDS; round++) {
    size_t size = 150 * KILOBYTE + random_below(&random, 2 * MEGABYTE);
    void *cell = heap_allocate(w.heap, size);
    assert_non_null(cell);
    watch(&w, size);
    if (round % 2) heap_free(w.heap, cell, size);
    if (round % 7 == 0) sweep(&w, false);
    if (round % 50 == 0) heap_check(w.heap);
  }
}

/* The memory of a dead cell is reused for one that is smaller by an eighth.  As
** long as the program continues in this way, the allocator is not asked. */
static void test_dead_cells_are_used_again(void **state) {
  HeapTest *test = *state;
  Watch w = watch_begin(&test->heap);
  uint64_t requests = 0;
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < 8; i++)
      allocate_filled(&w, 9 * MEGABYTE / 8 - i % 2 * MEGABYTE / 9);
    sweep(&w, false);
    heap_check(w.heap);
    if (round == 0) requests = test->allocator.requests;
  }
  assert_true(test->allocator.requests <= requests + 8);
  void *large = heap_reuse_large(w.heap, MEGABYTE / 2);
  assert_null(large);
}

/* A reused cell is not zeroed.  A resize keeps its contents. */
static void test_reused_cells(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  heap->zeros_from = 200000;
  unsigned char *cell = heap_allocate(heap, 300000);
  assert_true(heap_was_zero(cell));
  heap_free(heap, cell, 300000);
  assert_ptr_equal(heap_reuse_large(heap, 290000), cell);
  assert_false(heap_was_zero(cell));
  assert_int_equal(heap_used(heap), 300000);
  heap_free(heap, cell, 300000);
  unsigned char *small = heap_allocate(heap, 150000);
  assert_false(heap_was_zero(small));
  memset(small, 0x61, 150000);
  heap_mark(small);
  assert_ptr_equal(heap_resize_large(heap, small, 280000), cell);
  for (size_t i = 0; i < 150000; i++) assert_int_equal(cell[i], 0x61);
  assert_true(heap_is_marked(cell));
  assert_int_equal(heap_used(heap), 300000);
  heap_check(heap);
}

/* While a large part is filled in small pieces, memory is returned in small
** pieces. */
static void test_filling_bit_by_bit(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  void *dead[32];
  for (size_t i = 0; i < 32; i++) dead[i] = heap_allocate(heap, MEGABYTE);
  for (size_t i = 0; i < 32; i++) heap_free(heap, dead[i], MEGABYTE);
  heap_test_forget_peak(heap);
  size_t before = heap_resident(heap);
  void *part = heap_allocate(heap, 24 * MEGABYTE);
  heap_mark(part);
  assert_true(heap_resident(heap) + 4 * RELEASE_PIECE >=
              before + 24 * MEGABYTE);
  size_t largest = 0;
  for (size_t filled = 0; filled < 24 * MEGABYTE; filled += KILOBYTE) {
    size_t resident = heap_resident(heap);
    heap_release_filled(heap, KILOBYTE);
    largest = size_max(largest, resident - heap_resident(heap));
  }
  assert_true(largest <= 3 * RELEASE_PIECE);
  assert_true(heap_resident(heap) <= heap->peak + heap->peak / 4 + SLACK);
}

/* -- Memory of the program's own ------------------------------------------- */

static void check_bytes(const unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) assert_int_equal(bytes[i], i % 251);
}

static unsigned char *grow_buffer(Heap *heap, size_t end) {
  size_t size = 1024;
  unsigned char *bytes = heap_memory_resize(heap, NULL, 0, size);
  for (size_t used = 0; used < end; used++) {
    if (used == size) {
      size_t more = size + size / 2;
      bytes = heap_memory_resize(heap, bytes, size, more);
      assert_non_null(bytes);
      if (more > RELEASE_PIECE) assert_int_equal((uintptr_t)bytes % 16, 0);
      size = more;
    }
    bytes[used] = (unsigned char)(used % 251);
  }
  check_bytes(bytes, end);
  bytes = heap_memory_resize(heap, bytes, size, end);
  check_bytes(bytes, end);
  return bytes;
}

/* Buffers of `size` that grow by half, like those that build strings.  After a
** while they reuse memory, and the allocator is not asked for large pieces. */
static void check_buffers(HeapTest *test, size_t size) {
  Heap *heap = &test->heap;
  size_t peak = 0, requests = 0;
  for (int round = 0; round < 12; round++) {
    requests = test->allocator.requests;
    size_t end = size + (size_t)(round % 3) * 1000;
    unsigned char *bytes = grow_buffer(heap, end);
    heap_check(heap);
    heap_memory_resize(heap, bytes, end, 0);
    peak = size_max(peak, heap_resident(heap));
    if (round % 5 == 0) heap_test_sweep(heap, false);
  }
  assert_true(peak <= 2 * (size + size / 2) / 4 * 5 + SLACK);
  requests = test->allocator.requests - requests;
  assert_true(requests <= 13); /* those up to RELEASE_PIECE */
}

static void test_buffers(void **state) { check_buffers(*state, MEGABYTE); }

static void test_large_buffers(void **state) {
  check_buffers(*state, 8 * MEGABYTE);
}

/* Only one buffer at a time has a cell much larger than itself: dead cells of 4
** MB do not all disappear under smaller buffers. */
static void test_roomy_buffers(void **state) {
  enum { COUNT = 8, LARGE = 4 * MEGABYTE, SMALL = 3 * MEGABYTE / 2 };
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  void *large[COUNT], *small[COUNT];
  for (int i = 0; i < COUNT; i++)
    large[i] = heap_memory_resize(heap, NULL, 0, LARGE);
  for (int i = 0; i < COUNT; i++) heap_memory_resize(heap, large[i], LARGE, 0);
  for (int i = 0; i < COUNT; i++)
    small[i] = heap_memory_resize(heap, NULL, 0, SMALL);
  heap_check(heap);
  heap_release_all(heap);
  assert_true(heap_resident(heap) >= COUNT * SMALL + LARGE - SMALL);
  assert_true(heap_resident(heap) < COUNT * SMALL + 2 * (LARGE - SMALL));
  for (int i = 0; i < COUNT; i++) heap_memory_resize(heap, small[i], SMALL, 0);
}

/* -- After a peak ---------------------------------------------------------- */

/* Two cycles after a peak the heap is small, and it returned its memory in
** small pieces. */
static void after_peak(HeapTest *test, size_t size, size_t nth) {
  Heap *heap = &test->heap;
  size_t count = 24 * MEGABYTE / size;
  for (size_t i = 0; i < count; i++) {
    void *cell = heap_allocate(heap, size);
    assert_non_null(cell);
    if (i % nth == 0) heap_mark(cell);
  }
  for (int cycle = 0; cycle < 2; cycle++) heap_test_sweep(heap, true);
  size_t bytes;
  while ((bytes = heap_release_some(heap)) != 0)
    assert_true(bytes <= 3 * RELEASE_PIECE);
  heap_check(heap);
}

static void test_large_once(void **state) {
  static const size_t sizes[] = {32, 500, 3000, 100000, 200000, 5 * MEGABYTE};
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    HeapTest test;
    heap_test_open(&test);
    test.heap.poison = false;
    after_peak(&test, sizes[i], SIZE_MAX);
    if (heap_resident(&test.heap) > 2 * sizes[i] + MEGABYTE / 2)
      fail_msg("%zu bytes are left for one cell of %zu",
               heap_resident(&test.heap), sizes[i]);
    heap_test_close(&test);
  }
}

/* One cell in a thousand survives.  The heap keeps a block for each survivor,
** half a block each to align them, and the memory that is always kept. */
static void test_few_stay(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  heap->discard = test_discard;
  heap->poison = false;
  after_peak(test, 64, 1000);
  size_t left = 24 * MEGABYTE / 64 / 1000 + 1;
  assert_int_equal(heap_used(heap), left * 64);
  if (heap_resident(heap) > left * BLOCK_SIZE * 3 / 2 + 3 * MEGABYTE)
    fail_msg("%zu bytes for %zu blocks", heap_resident(heap), left);
  assert_true(test->allocator.discards > left);
  size_t footprint = heap->footprint, resident = heap_resident(heap);
  for (size_t i = 0; i < 100000; i++) assert_non_null(heap_allocate(heap, 128));
  assert_int_equal(heap->footprint, footprint);
  assert_true(heap_resident(heap) > resident + 100000 * 128 / 3);
  heap_check(heap);
}

/* Cells of all sizes, one size after the other.  One cell in a hundred of each
** size survives.  The pages between the survivors serve the other sizes. */
static void test_survivors_of_many_sizes(void **state) {
  enum { BYTES = 4 << 20, NTH = 100 };
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  heap->poison = false;
  size_t kept = 0;
  for (size_t size = 64; size <= 512; size += 32) {
    for (size_t i = 0; i < BYTES / size; i++) {
      void *cell = heap_allocate(heap, size);
      assert_non_null(cell);
      if (i % NTH == 0) heap_mark(cell), kept += size;
    }
    heap_test_sweep(heap, true);
    heap_check(heap);
  }
  assert_int_equal(heap_used(heap), kept);
  if (heap->footprint > 4 * (size_t)BYTES)
    fail_msg("%zu bytes for a peak of %d", heap->footprint, BYTES);
}

/* A cell that the program frees is the next to be handed out, unless its page
** serves another size by then. */
static void test_freed_in_cut_span(void **state) {
  enum { CELLS = 4096, NTH = 64, SIZE = 64, OTHER = 96, OTHERS = 8192 };
  static void *cells[CELLS];
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  for (size_t i = 0; i < CELLS; i++) {
    cells[i] = heap_allocate(heap, SIZE);
    if (i % NTH == 0) heap_mark(cells[i]);
  }
  heap_test_sweep(heap, false);
  heap_free(heap, cells[CELLS / 2], SIZE);
  for (size_t i = 0; i < OTHERS; i++)
    assert_non_null(heap_allocate(heap, OTHER));
  heap_check(heap);
  for (size_t i = 0; i < CELLS; i++) assert_non_null(heap_allocate(heap, SIZE));
  heap_check(heap);
}

/* Half of the spans are nearly full, the others nearly empty.  New cells go to
** the nearly full spans, so that the others become empty when their last cells
** die. */
static void test_fuller_spans_first(void **state) {
  enum { CELLS = 40000, SIZE = 64, PER_BLOCK = BLOCK_SIZE / SIZE, DENSE = 8 };
  static void *cells[CELLS];
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  heap->poison = false;
  size_t dropped = 0;
  for (size_t i = 0; i < CELLS; i++) cells[i] = heap_allocate(heap, SIZE);
  for (size_t i = 0; i < CELLS; i++) {
    bool is_dense = i / PER_BLOCK / DENSE % 2 == 0;
    bool lives = is_dense ? i % 10 >= 3 : i % 20 == 0;
    if (is_dense && !lives) dropped++;
    if (lives) heap_mark(cells[i]);
    if (is_dense || !lives) cells[i] = NULL;
  }
  heap_test_sweep(heap, true);
  for (size_t i = 0; i < dropped; i++) heap_mark(heap_allocate(heap, SIZE));
  for (size_t i = 0; i < CELLS; i++)
    if (cells[i]) heap_test_unmark(cells[i]);
  heap_test_sweep(heap, true);
  assert_true(heap->free_block_count >= CELLS / PER_BLOCK * 2 / 5);
}

/* The limit does not count blocks that were discarded. */
static void test_limit_and_discarded_blocks(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  heap->discard = test_discard;
  heap->poison = false;
  after_peak(test, 64, 1000);
  heap->limit = heap_resident(heap) + 40 * BLOCK_SIZE;
  size_t count = 0;
  while (heap_allocate(heap, 1000)) count++;
  assert_true(count >= 35 * BLOCK_SIZE / 1024);
  assert_true(heap_resident(heap) <= heap->limit);
  heap_check(heap);
}

/* An allocator that cannot discard is asked only once. */
static void test_discards_refused(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  heap->discard = test_discard;
  heap->poison = false;
  test->allocator.refuses_discards = true;
  after_peak(test, 64, 1000);
  assert_int_equal(test->allocator.discards, 1);
  assert_int_equal(heap->discarded_blocks, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HEAP_TEST(test_growing_vectors),
      HEAP_TEST(test_replaced_vectors),
      HEAP_TEST(test_sizes_that_do_not_fit),
      HEAP_TEST(test_dead_cells_are_used_again),
      HEAP_TEST(test_reused_cells),
      HEAP_TEST(test_filling_bit_by_bit),
      HEAP_TEST(test_buffers),
      HEAP_TEST(test_large_buffers),
      HEAP_TEST(test_roomy_buffers),
      HEAP_TEST(test_large_once),
      HEAP_TEST(test_few_stay),
      HEAP_TEST(test_survivors_of_many_sizes),
      HEAP_TEST(test_freed_in_cut_span),
      HEAP_TEST(test_fuller_spans_first),
      HEAP_TEST(test_limit_and_discarded_blocks),
      HEAP_TEST(test_discards_refused),
  };
  return cmocka_run_group_tests_name("heap footprint", tests, NULL, NULL);
}
