/* SPDX-License-Identifier: MIT */
/*
** amounts.c -- how much: cells in a span, bytes given back, cells of a walk
*/
#include "heap_test.h"
#include "../toy/cells.h"

/* -- Spans are used to their end ------------------------------------------- */

enum { FILL_BYTES = 32 * BLOCK_SIZE };

/* Once a class has many cells a span is a whole block, and its cells lie one
** behind the other until no other one fits.  False: the block is not
** full yet. */
static bool check_block(const uintptr_t *cell, size_t count, size_t size) {
  uintptr_t block = cell[0] / BLOCK_SIZE, last = cell[0];
  size_t i = 1;
  for (; i < count && cell[i] / BLOCK_SIZE == block; i++) {
    assert_int_equal(cell[i] - last, size);
    last = cell[i];
  }
  size_t left = (block + 1) * BLOCK_SIZE - (last + size);
  if (i == count) return false;
  if (left >= size) fail_msg("%zu bytes left behind cells of %zu", left, size);
  return true;
}

/* Cells in the order in which they were made; the second half is looked at. */
static void check_blocks(const uintptr_t *cell, size_t count, size_t size) {
  size_t blocks = 0, i = count / 2;
  while (i < count && cell[i] / BLOCK_SIZE == cell[count / 2] / BLOCK_SIZE) i++;
  while (i < count && check_block(cell + i, count - i, size)) {
    uintptr_t block = cell[i] / BLOCK_SIZE;
    while (i < count && cell[i] / BLOCK_SIZE == block) i++;
    blocks++;
  }
  assert_true(blocks > 8);
}

static void test_spans_are_used_to_their_end(void **state) {
  (void)state;
  for (unsigned class_index = 0; class_index < CLASS_COUNT; class_index++) {
    HeapTest test;
    heap_test_open(&test);
    size_t size = heap_class_size(class_index), count = FILL_BYTES / size;
    uintptr_t *cell = malloc(count * sizeof *cell);
    for (size_t i = 0; i < count; i++) {
      void *made = heap_allocate_class(&test.heap, class_index);
      assert_non_null(made);
      memset(made, 0x5A, size);
      cell[i] = (uintptr_t)made;
    }
    check_blocks(cell, count, size);
    free(cell);
    heap_test_close(&test);
  }
}

/* A size on a boundary has the class of that size, one more the next. */
static void test_class_boundaries(void **state) {
  (void)state;
  for (unsigned i = 0; i < CLASS_COUNT; i++) {
    size_t size = heap_class_size(i);
    assert_int_equal(heap_class_for(size), i);
    assert_int_equal(heap_class_for(size - 1), i);
    assert_int_equal(heap_rounded_size(size), size);
    if (i + 1 < CLASS_COUNT) assert_int_equal(heap_class_for(size + 1), i + 1);
  }
  assert_int_equal(heap_class_size(CLASS_COUNT - 1), CELL_MAX);
  assert_int_equal(heap_class_for(0), 0);
}

static void test_large_boundary(void **state) {
  HeapTest *test = *state;
  static const size_t sizes[] = {CELL_MAX - 1, CELL_MAX, CELL_MAX + 1};
  for (int i = 0; i < 3; i++) {
    char *cell = heap_allocate(&test->heap, sizes[i]);
    assert_int_equal(heap_is_large(cell), sizes[i] > CELL_MAX);
    assert_int_equal(heap_cell_size(cell), heap_rounded_size(sizes[i]));
    heap_free(&test->heap, cell, sizes[i]);
  }
  assert_int_equal(heap_used(&test->heap), 0);
}

/* -- What is freed lowers the footprint ------------------------------------ */

/* Sizes on both sides of the piece in which memory goes back. */
static void test_freed_large_cells_lower_the_footprint(void **state) {
  static const size_t sizes[] = {CELL_MAX + 1,      RELEASE_PIECE - 1,
                                 RELEASE_PIECE,     RELEASE_PIECE + 1,
                                 2 * RELEASE_PIECE, 3 * RELEASE_PIECE + 5,
                                 40 * RELEASE_PIECE};
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    HeapTest test;
    heap_test_open(&test);
    void *kept = heap_allocate(&test.heap, 64);
    size_t before = test.heap.footprint;
    void *cell = heap_allocate(&test.heap, sizes[i]);
    size_t with = test.heap.footprint;
    assert_true(with - before >= sizes[i]);
    assert_true(with - before <= sizes[i] + 64);
    assert_int_equal(test.heap.large_bytes, sizes[i]);
    heap_free(&test.heap, cell, sizes[i]);
    assert_int_equal(test.heap.large_bytes, 0);
    if (sizes[i] <= RELEASE_PIECE)
      assert_int_equal(test.heap.footprint, before);
    heap_release_all(&test.heap);
    assert_true(test.heap.footprint <= before);
    assert_int_equal(test.heap.releasing_bytes, 0);
    heap_free(&test.heap, kept, 64);
    heap_test_close(&test);
  }
}

/* A peak is forgotten after two cycles; then pieces go back one at a time, as
** long as there is an excess, and no more than that. */
static void test_excess_goes_back(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  enum { CELLS = 64, SIZE = 4 * RELEASE_PIECE };
  void *cells[CELLS];
  for (int i = 0; i < CELLS; i++) cells[i] = heap_allocate(heap, SIZE);
  size_t peak = heap->footprint;
  for (int i = 0; i < CELLS; i++) heap_free(heap, cells[i], SIZE);
  assert_int_equal(heap_excess(heap), 0); /* kept for a while */
  heap_test_forget_peak(heap);
  while (heap_excess(heap) > 0) {
    size_t footprint = heap->footprint, excess = heap_excess(heap);
    size_t bytes = heap_release_some(heap);
    assert_true(bytes > 0);
    assert_int_equal(footprint - heap->footprint, bytes);
    assert_true(heap_excess(heap) < excess);
    heap_check(heap);
  }
  assert_int_equal(heap_release_some(heap), 0);
  assert_true(heap->footprint < peak / 8);
}

/* -- Walks ----------------------------------------------------------------- */

typedef struct Seen {
  void *cell[64];
  size_t count;
} Seen;

static void note_large(void *context, void *cell, size_t size, bool marked) {
  Seen *seen = context;
  (void)size;
  (void)marked;
  if (!heap_is_large(cell)) return;
  assert_true(seen->count < 64);
  seen->cell[seen->count++] = cell;
}

static size_t times_seen(const Seen *seen, const void *cell) {
  size_t times = 0;
  for (size_t i = 0; i < seen->count; i++) times += seen->cell[i] == cell;
  return times;
}

enum { WALKED = 12, BIG = 5000 };

/* After `pieces` pieces of the walk, cell number `victim` is freed or changes
** its size; the others are seen once each. */
static void walk_with(size_t pieces, size_t victim, bool resize) {
  HeapTest test;
  heap_test_open(&test);
  Heap *heap = &test.heap;
  void *cells[WALKED];
  for (size_t i = 0; i < WALKED; i++) cells[i] = heap_allocate(heap, BIG);
  HeapCursor cursor;
  Seen seen = {{NULL}, 0};
  bool more = true;
  heap_walk_begin(heap, &cursor);
  for (size_t i = 0; more && i < pieces; i++)
    more = heap_walk_some(heap, &cursor, note_large, &seen);
  if (resize)
    cells[victim] = heap_resize_large(heap, cells[victim], 3 * BIG);
  else
    heap_free(heap, cells[victim], BIG);
  while (more) more = heap_walk_some(heap, &cursor, note_large, &seen);
  for (size_t i = 0; i < WALKED; i++)
    if (i != victim) assert_int_equal(times_seen(&seen, cells[i]), 1);
  heap_walk_end(heap);
  heap_test_close(&test);
}

static void test_cells_change_between_pieces(void **state) {
  (void)state;
  for (size_t pieces = 0; pieces <= WALKED / 2 + 2; pieces++) {
    for (size_t victim = 0; victim < WALKED; victim++) {
      walk_with(pieces, victim, false);
      walk_with(pieces, victim, true);
    }
  }
}

/* The same for the walk that clears marks: none is left out. */
static void test_unmark_while_cells_are_freed(void **state) {
  (void)state;
  for (size_t pieces = 0; pieces <= WALKED / 2 + 2; pieces++) {
    for (size_t victim = 0; victim < WALKED; victim++) {
      HeapTest test;
      heap_test_open(&test);
      void *cells[WALKED];
      for (size_t i = 0; i < WALKED; i++) {
        cells[i] = heap_allocate(&test.heap, BIG);
        heap_mark(cells[i]);
      }
      HeapCursor cursor;
      bool more = true;
      heap_walk_begin(&test.heap, &cursor);
      for (size_t i = 0; more && i < pieces; i++)
        more = heap_unmark_some(&test.heap, &cursor);
      heap_free(&test.heap, cells[victim], BIG);
      while (more) more = heap_unmark_some(&test.heap, &cursor);
      for (size_t i = 0; i < WALKED; i++)
        if (i != victim) assert_false(heap_is_marked(cells[i]));
      heap_walk_end(&test.heap);
      heap_test_close(&test);
    }
  }
}

/* A resize counts as the sweep of the cell.  It lives, and its mark is what the
** sweep would have left. */
static void test_mark_of_resized_cells(void **state) {
  (void)state;
  for (int variant = 0; variant < 8; variant++) {
    bool keep_marks = variant & 1, marked = variant & 2, shrinks = variant & 4;
    HeapTest test;
    heap_test_open(&test);
    Heap *heap = &test.heap;
    void *cell = heap_allocate(heap, 4 * BIG);
    void *other = heap_allocate(heap, BIG);
    heap_mark(other);
    if (marked) heap_mark(cell);
    heap_sweep_begin(heap, keep_marks);
    cell = heap_resize_large(heap, cell, shrinks ? BIG : 8 * BIG);
    assert_int_equal(heap_is_marked(cell), marked && keep_marks);
    while (heap_sweep_some(heap) != 0) continue;
    assert_true(cells_include(heap, cell) && cells_include(heap, other));
    assert_int_equal(heap_is_marked(cell), marked && keep_marks);
    assert_int_equal(heap_is_marked(other), keep_marks);
    heap_test_close(&test);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spans_are_used_to_their_end),
      cmocka_unit_test(test_class_boundaries),
      HEAP_TEST(test_large_boundary),
      cmocka_unit_test(test_freed_large_cells_lower_the_footprint),
      HEAP_TEST(test_excess_goes_back),
      cmocka_unit_test(test_cells_change_between_pieces),
      cmocka_unit_test(test_unmark_while_cells_are_freed),
      cmocka_unit_test(test_mark_of_resized_cells),
  };
  return cmocka_run_group_tests_name("heap amounts", tests, NULL, NULL);
}
