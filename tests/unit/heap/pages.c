/* SPDX-License-Identifier: MIT */
/*
** pages.c -- whole pages beside the spans, for the collector's lists
*/
#include "heap_test.h"

enum { MANY = 400 };

static unsigned pages_of(size_t i) { return 1 + (unsigned)(i * 5 % 8); }

static void test_pages_do_not_overlap(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  unsigned char *pages[MANY];
  for (size_t i = 0; i < MANY; i++) {
    pages[i] = heap_pages_allocate(heap, pages_of(i));
    assert_non_null(pages[i]);
    assert_int_equal((uintptr_t)pages[i] % GRANULE, 0);
    memset(pages[i], (int)(i % 251), pages_of(i) * (size_t)BLOCK_PAGE);
    assert_non_null(heap_allocate(heap, 16 + i)); /* spans in between */
  }
  heap_check(heap);
  for (size_t i = 0; i < MANY; i++)
    for (size_t at = 0; at < pages_of(i) * (size_t)BLOCK_PAGE; at += 16)
      assert_int_equal(pages[i][at], i % 251);
  assert_int_equal(heap_test_count(heap).cells, MANY);
  for (size_t i = 0; i < MANY; i++)
    heap_pages_free(heap, pages[i], pages_of(i));
  heap_check(heap);
}

/* Pages are not cells: they are not counted, walked or swept. */
static void test_pages_are_no_cells(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  unsigned char *pages = heap_pages_allocate(heap, 4);
  memset(pages, 0x44, 4 * BLOCK_PAGE);
  assert_int_equal(heap_used(heap), 0);
  heap_test_sweep(heap, false);
  heap_release_all(heap);
  for (size_t i = 0; i < 4 * BLOCK_PAGE; i++) assert_int_equal(pages[i], 0x44);
  assert_true(heap->footprint > 0);
  heap_pages_free(heap, pages, 4);
  heap_release_all(heap);
  assert_int_equal(heap->footprint, 0);
}

/* Returned pages are reused for cells, and freed cells for pages. */
static void test_pages_are_used_again(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  void *pages[MANY];
  for (size_t i = 0; i < MANY; i++) pages[i] = heap_pages_allocate(heap, 2);
  size_t footprint = heap->footprint;
  for (size_t i = 0; i < MANY; i++) heap_pages_free(heap, pages[i], 2);
  for (size_t i = 0; i < MANY; i++) assert_non_null(heap_allocate(heap, 1000));
  assert_int_equal(heap->footprint, footprint);
  heap_test_sweep(heap, false);
  for (size_t i = 0; i < MANY; i++) {
    pages[i] = heap_pages_allocate(heap, 2);
    assert_non_null(pages[i]);
  }
  assert_true(heap->footprint <= footprint);
  heap_check(heap);
}

static void test_pages_are_refused(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  heap->limit = 200000;
  size_t count = 0;
  while (heap_pages_allocate(heap, 4)) count++;
  assert_true(count > 10);
  assert_true(test->allocator.bytes <= 200000);
  heap_check(heap);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HEAP_TEST(test_pages_do_not_overlap),
      HEAP_TEST(test_pages_are_no_cells),
      HEAP_TEST(test_pages_are_used_again),
      HEAP_TEST(test_pages_are_refused),
  };
  return cmocka_run_group_tests_name("heap pages", tests, NULL, NULL);
}
