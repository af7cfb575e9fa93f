/* SPDX-License-Identifier: MIT */
/*
** split.c -- spans of every class, cut around single survivors
**
** A span with few survivors is cut: the pages without any of them serve another
** class.  If one page too many is given away, the next cells overwrite a
** survivor.  So each cell of a span in turn is the survivor, all free memory is
** filled with other cells, and every byte of the survivors is compared.
*/
#include "heap_test.h"

enum {
  CLASS_BYTES = 96 * BLOCK_PAGE, /* enough for spans of a whole block */
  CELLS_MAX = CLASS_BYTES / GRANULE,
  FILL_BYTES = CLASS_BYTES * 3 / 4,
  SURVIVORS_MAX = 256
};

typedef struct Survivor {
  unsigned char *cell;
  unsigned char fill;
} Survivor;

typedef struct Split {
  HeapTest test;
  size_t size;
  void *cell[CELLS_MAX];
  size_t count;
  Survivor survivor[SURVIVORS_MAX];
  size_t survivors;
  bool more; /* some span has cells that have not survived yet */
} Split;

/* What was seen in all runs of a class. */
typedef struct Seen {
  size_t crossing;     /* survivors that reach into the next page */
  size_t crossing_one; /* ... by one granule */
  size_t at_front;     /* survivors where a header of a piece would be */
  size_t cut;          /* pages that the class has lost */
} Seen;

static void fill_class(Split *split) {
  split->count = CLASS_BYTES / split->size;
  for (size_t i = 0; i < split->count; i++) {
    split->cell[i] = heap_allocate(&split->test.heap, split->size);
    assert_non_null(split->cell[i]);
  }
}

/* The address of the span, or of its block if it is the first one there. */
static const char *span_at(const void *cell) {
  const Block *block = heap_block_of(cell);
  return (const char *)block +
         (size_t)block->span_page[heap_word_of(cell)] * BLOCK_PAGE;
}

static unsigned granule_in_page(const void *cell) {
  return (unsigned)((uintptr_t)cell / GRANULE % 64);
}

static void survive(Split *split, void *cell, Seen *seen) {
  unsigned end =
      granule_in_page(cell) + (unsigned)(heap_cell_size(cell) / GRANULE);
  assert_true(split->survivors < SURVIVORS_MAX);
  Survivor *survivor = &split->survivor[split->survivors];
  *survivor = (Survivor){cell, (unsigned char)(1 + split->survivors++ % 199)};
  memset(cell, survivor->fill, split->size);
  heap_mark(cell);
  seen->crossing += end > 64;
  seen->crossing_one += end == 65;
  seen->at_front += granule_in_page(cell) == 0;
}

/* Cell number n of each span survives; a run of cells is in one span. */
static void choose_survivors(Split *split, size_t n, Seen *seen) {
  for (size_t first = 0, end; first < split->count; first = end) {
    const char *span = span_at(split->cell[first]);
    for (end = first; end < split->count; end++)
      if (span_at(split->cell[end]) != span) break;
    size_t chosen = first + n;
    if (chosen < end) split->more = true;
    survive(split, split->cell[chosen < end ? chosen : first], seen);
  }
}

/* Fills memory with cells of other classes, which cuts the spans, then with
** cells of the class itself, and with pages. */
static void fill_rest(Split *split, size_t n) {
  static const size_t sizes[] = {48, 16, 1024, 320, 112};
  Heap *heap = &split->test.heap;
  size_t bytes = 0;
  for (size_t i = n; bytes < FILL_BYTES; i++) {
    size_t size = sizes[i % (sizeof sizes / sizeof *sizes)];
    if (size == split->size) size += GRANULE;
    void *cell = heap_allocate(heap, size);
    assert_non_null(cell);
    memset(cell, 0xC1, size);
    bytes += size;
  }
  for (bytes = 0; bytes < FILL_BYTES / 4; bytes += split->size) {
    void *cell = heap_allocate(heap, split->size);
    assert_non_null(cell);
    memset(cell, 0xC2, split->size);
  }
  for (int i = 0; i < 4; i++)
    memset(heap_pages_allocate(heap, 1), 0xC3, BLOCK_PAGE);
}

static void check_survivors(const Split *split) {
  for (size_t i = 0; i < split->survivors; i++) {
    const Survivor *survivor = &split->survivor[i];
    for (size_t at = 0; at < split->size; at++)
      if (survivor->cell[at] != survivor->fill)
        fail_msg("cell of %zu bytes at granule %u: byte %zu was overwritten",
                 split->size, granule_in_page(survivor->cell), at);
  }
}

/* True if there are further cells to try. */
static bool run(unsigned class_index, size_t n, Seen *seen) {
  static Split split;
  Heap *heap = &split.test.heap;
  memset(&split, 0, sizeof split);
  heap_test_open(&split.test);
  split.size = heap_class_size(class_index);
  fill_class(&split);
  choose_survivors(&split, n, seen);
  heap_test_sweep(heap, n % 2);
  size_t pages = heap->classes[class_index].pages;
  fill_rest(&split, n);
  if (heap->classes[class_index].pages < pages)
    seen->cut += pages - heap->classes[class_index].pages;
  check_survivors(&split);
  heap_check(heap);
  heap_test_sweep(heap, false); /* those that have kept their marks */
  if (n % 2) check_survivors(&split);
  heap_test_close(&split.test);
  return split.more;
}

static void split_class(unsigned class_index) {
  size_t size = heap_class_size(class_index), n = 0;
  Seen seen = {0, 0, 0, 0};
  size_t stride = getenv("PENUMBRA_VALGRIND") ? 17 : 1;
  while (run(class_index, n, &seen)) n += stride;
  assert_true(n > BLOCK_SIZE / size / 2);
  assert_true(seen.cut > 0);
  bool odd = size / GRANULE % 2 == 1;
  if (odd && size > GRANULE) assert_true(seen.crossing_one > 0);
  if (odd && size > GRANULE) assert_true(seen.at_front > 0);
  if (size > BLOCK_PAGE / 2) assert_true(seen.crossing > 0);
}

static void test_every_class(void **state) {
  (void)state;
  for (unsigned i = 0; i < CLASS_COUNT; i++) split_class(i);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_class),
  };
  return cmocka_run_group_tests_name("heap split", tests, NULL, NULL);
}
