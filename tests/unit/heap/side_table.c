/* SPDX-License-Identifier: MIT */
/*
** side_table.c -- numbers and bits for cells, stored beside the heap
*/
#include "heap_test.h"

#include "heap/side_table.h"

enum { CELLS = 5000 };

static void *cells[CELLS];

static size_t size_of(size_t i) { return 16 + i * 37 % 1500; }

static void fill(Heap *heap) {
  for (size_t i = 0; i < CELLS; i++) {
    cells[i] = heap_allocate(heap, size_of(i));
    assert_non_null(cells[i]);
  }
}

static void number_all(SideTable *side_table) {
  for (size_t i = 0; i < CELLS; i++) {
    assert_int_equal(side_table_get(side_table, cells[i]), 0);
    uint32_t *number = side_table_at(side_table, cells[i]);
    assert_non_null(number);
    assert_int_equal(*number, 0);
    *number = (uint32_t)i + 1;
  }
}

/* Every cell has a number of its own, small or large. */
static void test_numbers(void **state) {
  HeapTest *test = *state;
  SideTable side_table;
  side_table_init(&side_table, &test->heap);
  fill(&test->heap);
  number_all(&side_table);
  for (size_t i = 0; i < CELLS; i++) {
    assert_int_equal(side_table_get(&side_table, cells[i]), i + 1);
    assert_int_equal(*side_table_at(&side_table, cells[i]), i + 1);
  }
  side_table_free(&side_table);
  assert_int_equal(side_table_get(&side_table, cells[0]), 0);
}

/* A sweep removes the numbers of dead cells, also where a new cell of another
** size takes their place.  Live cells keep their numbers. */
static void test_sweep_forgets(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  SideTable side_table;
  side_table_init(&side_table, heap);
  fill(heap);
  number_all(&side_table);
  heap->side_table = &side_table;
  for (size_t i = 0; i < CELLS; i += 3) heap_mark(cells[i]);
  heap_test_sweep(heap, false);
  for (size_t i = 0; i < CELLS; i += 3)
    assert_int_equal(side_table_get(&side_table, cells[i]), i + 1);
  for (size_t i = 0; i < CELLS; i++) {
    void *cell = heap_allocate(heap, size_of(i * 11));
    assert_non_null(cell);
    assert_int_equal(*side_table_at(&side_table, cell), 0);
  }
  for (size_t i = 0; i < CELLS; i += 3)
    assert_int_equal(side_table_get(&side_table, cells[i]), i + 1);
  heap->side_table = NULL;
  side_table_free(&side_table);
}

/* Cells allocated after some moment can be distinguished from the others. */
static void test_born(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  SideTable born;
  side_table_init(&born, heap);
  fill(heap);
  heap_set_allocate_marked(heap, true);
  heap->born = &born;
  for (size_t i = 0; i < CELLS; i++) {
    void *cell = heap_allocate(heap, size_of(i * 7));
    assert_non_null(cell);
    assert_true(side_table_is_marked(&born, cell));
  }
  heap->born = NULL;
  for (size_t i = 0; i < CELLS; i++)
    assert_false(side_table_is_marked(&born, cells[i]));
  side_table_free(&born);
}

/* Without memory there is no number, and no other number is lost. */
static void test_no_memory(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  SideTable side_table;
  side_table_init(&side_table, heap);
  fill(heap);
  heap->limit = heap->footprint;
  assert_null(side_table_at(&side_table, cells[0]));
  assert_int_equal(side_table_get(&side_table, cells[0]), 0);
  heap->limit = 0;
  assert_non_null(side_table_at(&side_table, cells[0]));
  side_table_free(&side_table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HEAP_TEST(test_numbers),
      HEAP_TEST(test_sweep_forgets),
      HEAP_TEST(test_born),
      HEAP_TEST(test_no_memory),
  };
  return cmocka_run_group_tests_name("heap notes", tests, NULL, NULL);
}
