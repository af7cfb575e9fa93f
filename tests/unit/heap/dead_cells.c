/* SPDX-License-Identifier: MIT */
/*
** dead_cells.c -- the sweep reads neither dead nor live cells
**
** The tests make the memory of the cells inaccessible while the heap sweeps,
** and while it hands out cells from swept spans.  Any access to a cell then
** causes a signal.  Only the first system page of each block stays accessible,
** because it holds the bitmaps.  The tests do this for every cell size, and for
** every way in which a span can be swept.
**
** The absence of a signal proves little unless a wrong access would cause one.
** So the last test makes the heap touch dead cells (it can poison them), and
** expects to be killed.
*/
#include "heap_test.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1 << 20, CELLS_MAX = BYTES / GRANULE };

static void *cells[CELLS_MAX];

static size_t system_page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* Fills a megabyte.  Returns the number of cells. */
static size_t fill(Heap *heap, size_t size) {
  size_t count = BYTES / size;
  for (size_t i = 0; i < count; i++) {
    cells[i] = heap_allocate(heap, size);
    assert_non_null(cells[i]);
  }
  return count;
}

/* True if the headers of all spans of the block are in its first system
** page. */
static bool block_can_hide(const Block *block) {
  for (unsigned page = 0; page < BLOCK_PAGES; page++) {
    bool is_free = block->free_pages >> page & 1;
    size_t header = (size_t)block->span_page[page] * BLOCK_PAGE;
    if (is_free || header >= system_page()) return false;
  }
  return true;
}

static void block_protect(Block *block, int protection) {
  size_t page = system_page();
  assert_int_equal(
      mprotect((char *)block + page, BLOCK_SIZE - page, protection), 0);
}

/* Makes all cells inaccessible except those next to the bitmaps.  Returns the
** number of cells in such blocks. */
static size_t hide(size_t count) {
  size_t hidden = 0;
  const Block *last = NULL;
  for (size_t i = 0; i < count; i++) {
    Block *block = heap_block_of(cells[i]);
    if (!block_can_hide(block)) continue;
    if (block != last) block_protect(block, PROT_NONE);
    last = block;
    hidden++;
  }
  return hidden;
}

static void show(size_t count) {
  const Block *last = NULL;
  for (size_t i = 0; i < count; i++) {
    Block *block = heap_block_of(cells[i]);
    if (block != last) block_protect(block, PROT_READ | PROT_WRITE);
    last = block;
  }
}

static void mark_every(size_t count, size_t nth) {
  for (size_t i = 0; nth && i < count; i += nth) heap_mark(cells[i]);
}

static size_t live_count(size_t count, size_t nth) {
  return nth ? (count + nth - 1) / nth : 0;
}

/* A sweep by the heap itself. */
static void sweep_hidden(HeapTest *test, size_t size, size_t nth, bool keep) {
  Heap *heap = &test->heap;
  size_t count = fill(heap, size);
  mark_every(count, nth);
  assert_true(hide(count) > count / 2);
  heap_test_sweep(heap, keep);
  size_t used = heap_used(heap);
  show(count);
  assert_int_equal(used, live_count(count, nth) * size);
  heap_check(heap);
}

static void for_every_size(size_t nth, bool keep) {
  for (unsigned class = 0; class < CLASS_COUNT; class ++) {
    HeapTest test;
    heap_test_open(&test);
    test.heap.poison = false;
    sweep_hidden(&test, heap_class_size(class), nth, keep);
    heap_test_close(&test);
  }
}

static void test_all_dead(void **state) {
  (void)state;
  for_every_size(0, false);
}

static void test_some_dead(void **state) {
  (void)state;
  for_every_size(2, false);
  for_every_size(7, false);
}

static void test_marks_kept(void **state) {
  (void)state;
  for_every_size(0, true);
  for_every_size(3, true);
}

/* The allocator sweeps the spans that it needs, and hands out dead cells
** without reading them. */
static void test_allocator_sweeps(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  heap->poison = false;
  size_t count = fill(heap, 64);
  mark_every(count, 2);
  assert_true(hide(count) > count / 2);
  size_t footprint = heap->footprint;
  heap_sweep_begin(heap, false);
  for (size_t i = 0; i < count / 4; i++)
    assert_non_null(heap_allocate(heap, 64));
  assert_int_equal(heap->footprint, footprint);
  show(count);
  while (heap_sweep_some(heap)) continue;
  assert_int_equal(heap_used(heap), (count / 2 + count / 4) * 64);
}

/* A heap that writes into dead cells, in a process of its own. */
static void touch_dead_cells(void) {
  HeapTest test;
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(SIGSEGV, SIG_DFL);
  signal(SIGBUS, SIG_DFL);
  heap_test_open(&test);
  size_t count = fill(&test.heap, 64);
  hide(count);
  test.heap.poison = true;
  heap_test_sweep(&test.heap, false);
}

static void test_touching_would_show(void **state) {
  (void)state;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    touch_dead_cells();
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  int signal_number = WTERMSIG(status);
  assert_true(signal_number == SIGSEGV || signal_number == SIGBUS);
}

int main(void) {
  if (system_page() >= BLOCK_SIZE) {
    printf("SKIPPED: system pages are as large as blocks here\n");
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_dead),
      cmocka_unit_test(test_some_dead),
      cmocka_unit_test(test_marks_kept),
      HEAP_TEST(test_allocator_sweeps),
      cmocka_unit_test(test_touching_would_show),
  };
  return cmocka_run_group_tests_name("heap dead cells", tests, NULL, NULL);
}
