/* SPDX-License-Identifier: MIT */
/*
** discard.c -- blocks that the system has back, until their chunk goes, too
**
** An empty block of a chunk in use is discarded: its pages go back, and its
** addresses stay.  Then the rest of the chunk is freed, and the chunk is given
** back or comes into use again.  After each step the counters must agree with
** what is there, and with what the allocator has given.
*/
#include "heap_test.h"

enum {
  BLOCKS = 80, /* at least */
  BLOCKS_MAX = BLOCKS + 8,
  PIECE = BLOCK_PAGES - 1, /* pages: one piece in each block */
  HEADER = 256 /* a chunk's own record, which is not counted as given back */
};

typedef struct Piece {
  void *memory; /* NULL: freed */
  const Chunk *chunk;
} Piece;

typedef struct Pieces {
  Piece piece[BLOCKS_MAX];
  size_t in_use;
} Pieces;

/* Takes a piece of each block, until no block is left that was never used. */
static void take(Heap *heap, Pieces *all) {
  for (size_t i = 0; i < BLOCKS || heap->fresh_chunks; i++) {
    assert_true(i < BLOCKS_MAX);
    if (all->piece[i].memory) continue;
    void *memory = heap_pages_allocate(heap, PIECE);
    assert_non_null(memory);
    memset(memory, 0x44, (size_t)PIECE * BLOCK_PAGE);
    all->piece[i] = (Piece){memory, heap_block_of(memory)->chunk};
    all->in_use++;
  }
}

static void drop(Heap *heap, Pieces *all, size_t i) {
  if (!all->piece[i].memory) return;
  heap_pages_free(heap, all->piece[i].memory, PIECE);
  all->piece[i].memory = NULL;
  all->in_use--;
}

/* True if a piece before this one is in the same chunk. */
static bool is_further(const Pieces *all, size_t i) {
  if (!all->piece[i].memory) return false;
  for (size_t j = 0; j < i; j++)
    if (all->piece[j].memory && all->piece[j].chunk == all->piece[i].chunk)
      return true;
  return false;
}

static void drop_all(Heap *heap, Pieces *all) {
  for (size_t i = 0; i < BLOCKS_MAX; i++) drop(heap, all, i);
}

/* Leaves one block of each chunk in use. */
static void thin_out(Heap *heap, Pieces *all) {
  for (size_t i = BLOCKS_MAX; i-- > 0;)
    if (is_further(all, i)) drop(heap, all, i);
}

/* The bytes that are really there: chunks without discarded blocks. */
static void check_counters(HeapTest *test, size_t in_use) {
  const Heap *heap = &test->heap;
  heap_check(&test->heap);
  assert_int_equal(heap->footprint, test->allocator.bytes);
  assert_int_equal(heap->block_count - heap->free_block_count, in_use);
  assert_true(heap->discarded_blocks <= heap->free_block_count);
  assert_int_equal(heap_resident(heap),
                   heap->footprint - heap->discarded_blocks * BLOCK_SIZE);
}

/* Gives back all that is idle.  Each piece must be as large as it is said to
** be.  Returns the number of pieces. */
static size_t release(HeapTest *test, size_t in_use) {
  Heap *heap = &test->heap;
  size_t pieces = 0, before = heap_resident(heap), bytes;
  heap->peak = heap->last_peak = 0;
  while ((bytes = heap_release_some(heap)) > 0) {
    size_t after = heap_resident(heap);
    assert_in_range(before - after, bytes, bytes + HEADER);
    check_counters(test, in_use);
    before = after;
    pieces++;
  }
  return pieces;
}

/* Discards blocks of all chunks.  Chunks of more than two blocks have some. */
static size_t discard_most(HeapTest *test, Pieces *all) {
  Heap *heap = &test->heap;
  take(heap, all);
  check_counters(test, all->in_use);
  thin_out(heap, all);
  size_t chunks = all->in_use;
  assert_true(chunks < BLOCKS / 2);
  release(test, chunks);
  assert_int_equal(heap->discarded_blocks, heap->block_count - chunks);
  assert_int_equal(heap->free_block_count, heap->discarded_blocks);
  return heap->discarded_blocks;
}

/* Chunks become empty one by one, and are given back. */
static void test_chunks_go(void **state) {
  HeapTest *test = *state;
  Pieces all = {0};
  test->heap.discard = test_discard;
  discard_most(test, &all);
  for (size_t i = 0; i < BLOCKS_MAX; i++) {
    if (!all.piece[i].memory) continue;
    size_t discarded = test->heap.discarded_blocks;
    drop(&test->heap, &all, i);
    check_counters(test, all.in_use);
    assert_int_equal(release(test, all.in_use), 1);
    assert_true(test->heap.discarded_blocks <= discarded);
  }
  assert_int_equal(test->heap.block_count, 0);
  assert_int_equal(test->heap.discarded_blocks, 0);
  assert_int_equal(test->heap.footprint, 0);
}

/* Chunks become empty all at once. */
static void test_chunks_go_together(void **state) {
  HeapTest *test = *state;
  Pieces all = {0};
  test->heap.discard = test_discard;
  size_t chunks = (discard_most(test, &all), all.in_use);
  drop_all(&test->heap, &all);
  check_counters(test, 0);
  assert_int_equal(release(test, 0), chunks);
  assert_int_equal(test->heap.footprint, 0);
}

/* Discarded blocks come into use again, before and after their chunk has been
** empty.  They count as new memory. */
static void test_blocks_return(void **state) {
  HeapTest *test = *state;
  Heap *heap = &test->heap;
  Pieces all = {0};
  heap->discard = test_discard;
  for (int round = 0; round < 3; round++) {
    size_t discarded = discard_most(test, &all);
    size_t resident = heap_resident(heap), blocks = heap->block_count;
    if (round == 1) drop_all(heap, &all);
    check_counters(test, all.in_use);
    take(heap, &all);
    check_counters(test, all.in_use);
    assert_int_equal(heap->block_count, blocks);
    assert_int_equal(heap_resident(heap) - resident,
                     (discarded - heap->discarded_blocks) * BLOCK_SIZE);
  }
  drop_all(heap, &all);
  release(test, 0);
  assert_int_equal(heap->footprint, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HEAP_TEST(test_chunks_go),
      HEAP_TEST(test_chunks_go_together),
      HEAP_TEST(test_blocks_return),
  };
  return cmocka_run_group_tests_name("heap discard", tests, NULL, NULL);
}
