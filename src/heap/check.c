/* SPDX-License-Identifier: MIT */
/*
** check.c -- checks that a heap's counts, bits, lists and bytes agree
**
**   [H1] a live bit is set only for the first granule of a cell of its span; a
**        page without a span has no bits
**   [H2] a marked cell is live
**   [H3] every page is free, belongs to exactly one span, or holds data of the
**        collector's lists; every span is on exactly one list of its class, or
**        is the one that the class takes cells from
**   [H4] heap->charged is the size of all live cells, runs included
**   [H5] heap->footprint is the bytes asked for all chunks and large cells,
**        dead ones included, plus the raw memory of the collector
**   [H6] block and chunk counts agree with the lists
**   [H7] dead large cells are on two lists each, and their bytes are counted
**   [H8] a walk stands on a chunk in use and on a swept large cell, or is past
**        them; there is none during a sweep
**   [H9] what a class remembers is there: its search is in its current span, its
**        run in a span of its own, the cells freed last are free, and the ends
**        of its lists are their ends
*/
#include "heap/heap_impl.h"

typedef struct HeapTally {
  size_t charged;
  size_t footprint;
  size_t blocks;
  size_t free_blocks;
  size_t empty_blocks; /* free blocks with a header */
  size_t discarded;
  size_t empty_slack;
  size_t fresh_chunks;
  size_t spans;
  size_t class_pages[CLASS_COUNT];
} HeapTally;

static void check_span(const Span *span, HeapTally *tally) {
  const Block *block = span_block(span);
  size_t cells = 0;
  REQUIRE(span->page_count > 0 &&
              span->first_page + span->page_count <= BLOCK_PAGES,
          "[H3] span of %u pages at %u", span->page_count, span->first_page);
  REQUIRE(span->end_granule > span->first_granule, "[H3] no room for a cell");
  for (unsigned i = 0; i < span->page_count; i++) {
    unsigned page = span->first_page + i;
    uint64_t starts = span_starts(span, page);
    REQUIRE(!(block->free_pages >> page & 1), "[H3] page %u is free", page);
    REQUIRE(block->span_page[page] == span->first_page,
            "[H3] page %u belongs to another span", page);
    REQUIRE(!(block->live[page] & ~starts), "[H1] page %u: live %llx of %llx",
            page, (unsigned long long)block->live[page],
            (unsigned long long)starts);
    REQUIRE(!(block->mark[page] & ~block->live[page]),
            "[H2] page %u: mark %llx, live %llx", page,
            (unsigned long long)block->mark[page],
            (unsigned long long)block->live[page]);
    cells += bits_count(block->live[page]);
  }
  tally->charged += cells * span_cell_size(span);
  tally->class_pages[span->class_index] += span->page_count;
  tally->spans++;
}

static void check_block(const Block *block, HeapTally *tally) {
  for (unsigned page = 0; page < BLOCK_PAGES;) {
    if (block->free_pages >> page & 1 || block->span_page[page] == NO_SPAN) {
      REQUIRE(!(block->live[page] | block->mark[page]),
              "[H1] page %u has bits, but no span", page);
      page++;
      continue;
    }
    size_t offset = page ? (size_t)page * BLOCK_PAGE : BLOCK_HEADER;
    const Span *span =
        (const Span *)(const void *)((const char *)block + offset);
    REQUIRE(span->first_page == page, "[H3] no span begins at page %u", page);
    check_span(span, tally);
    page += span->page_count;
  }
}

static void check_chunks(const Chunk *chunk, bool empty, HeapTally *tally) {
  for (; chunk; chunk = chunk->next) {
    unsigned free_blocks = bits_count(chunk->fresh);
    REQUIRE(!(chunk->discarded & ~chunk->fresh), "[H6] a block in use is gone");
    tally->discarded += bits_count(chunk->discarded);
    for (unsigned i = 0; i < chunk->block_count; i++) {
      if (chunk_is_fresh(chunk, i)) continue;
      const Block *block = chunk_block(chunk, i);
      REQUIRE(block->chunk == chunk, "[H6] block %u of another chunk", i);
      if (block->free_pages == WHOLE_BLOCK) free_blocks++;
      check_block(block, tally);
    }
    REQUIRE(free_blocks == chunk->free_count, "[H6] %u free blocks, not %u",
            free_blocks, chunk->free_count);
    REQUIRE((free_blocks == chunk->block_count) == empty,
            "[H6] chunk on the wrong list");
    if (chunk->fresh) tally->fresh_chunks++;
    tally->blocks += chunk->block_count;
    tally->free_blocks += free_blocks;
    tally->empty_blocks += free_blocks - bits_count(chunk->fresh);
    if (empty)
      tally->empty_slack +=
          chunk->raw_size - (size_t)chunk->block_count * BLOCK_SIZE;
    tally->footprint += chunk->raw_size + sizeof *chunk + RAW_SLACK;
  }
}

static void check_fresh_chunks(const Heap *heap, const HeapTally *tally) {
  size_t count = 0;
  const Chunk *previous = NULL, *chunk = heap->fresh_chunks;
  for (; chunk; previous = chunk, chunk = chunk->next_fresh, count++)
    REQUIRE(chunk->fresh && chunk->previous_fresh == previous,
            "[H6] broken list of chunks with fresh blocks");
  REQUIRE(count == tally->fresh_chunks, "[H6] fresh blocks forgotten");
  REQUIRE(heap->discarded_blocks == tally->discarded,
          "[H6] %zu blocks given back, not %zu", tally->discarded,
          heap->discarded_blocks);
}

static size_t count_spans(const Span *span, unsigned class_index) {
  size_t count = 0;
  for (; span; span = span->next, count++)
    REQUIRE(span->class_index == class_index, "[H3] span of class %u in %u",
            span->class_index, class_index);
  return count;
}

static void check_last(const Span *span, const Span *last, unsigned i) {
  while (span && span->next) span = span->next;
  REQUIRE(!span || span == last, "[H9] class %u: a list ends elsewhere", i);
}

/* True if the address is in a page of a span of the class. */
static bool is_in_class(const void *cell, unsigned class_index) {
  const Block *block = heap_block_of(cell);
  unsigned page = heap_word_of(cell);
  return !(block->free_pages >> page & 1) &&
         block->span_page[page] != NO_SPAN &&
         span_of(cell)->class_index == class_index;
}

static bool is_live(const void *cell) {
  return heap_block_of(cell)->live[heap_word_of(cell)] & heap_bit_of(cell);
}

/* Classes of large cells search by granules and do not use `block` (span.c). */
static void check_search(const SizeClass *class, unsigned i) {
  const Span *span = class->current;
  const Search *search = &class->search;
  if (!span || search->cells == 0) return;
  REQUIRE(search->block == span_block(span) &&
              search->page >= span->first_page &&
              search->page < span->first_page + span->page_count,
          "[H9] class %u searches page %u, not its span", i, search->page);
}

static void check_remembered(const Heap *heap, unsigned i) {
  const SizeClass *class = &heap->classes[i];
  const Run *run = &heap->run[i];
  check_last(class->full, class->full_last, i);
  check_last(class->sparse, class->sparse_last, i);
  check_search(class, i);
  REQUIRE(run->next == run->end ||
              (is_in_class(run->next, i) && is_live(run->next)),
          "[H9] class %u has a run in no span of its own", i);
  for (unsigned n = 0; n < class->freed_count; n++)
    REQUIRE(is_in_class(class->freed[n], i) && !is_live(class->freed[n]),
            "[H9] class %u: a freed cell is not free", i);
}

static size_t check_classes(const Heap *heap, const HeapTally *tally) {
  size_t spans = 0;
  for (unsigned i = 0; i < CLASS_COUNT; i++) {
    const SizeClass *class = &heap->classes[i];
    spans += count_spans(class->unswept, i) + count_spans(class->partial, i) +
             count_spans(class->sparse, i) + count_spans(class->full, i) +
             (class->current != NULL);
    REQUIRE(class->pages == tally->class_pages[i], "[H3] class %u: %u pages", i,
            class->pages);
    check_remembered(heap, i);
  }
  return spans;
}

static size_t check_large(const Large *large, HeapTally *tally) {
  size_t bytes = 0;
  for (; large; large = large->next) {
    REQUIRE(((uintptr_t)(large + 1) & 15) == 8, "large cell at %p",
            (const void *)(large + 1));
    REQUIRE(!large->next || large->next->previous == large,
            "broken list of large cells");
    bytes += large->size;
    tally->footprint += sizeof(Large) + large->size + LARGE_SLACK;
  }
  return bytes;
}

/* A dead large cell is on the list of all dead cells and on the list of its
** size. */
static void check_dead(const Heap *heap, HeapTally *tally) {
  size_t count = 0, listed = 0, bytes = 0;
  for (const Large *large = heap->releasing; large; large = large->next) {
    REQUIRE(large->next ? large->next->previous == large
                        : heap->releasing_last == large,
            "[H7] broken list of dead cells");
    bytes += sizeof(Large) + large->size + LARGE_SLACK;
    count++;
  }
  for (unsigned i = 0; i < DEAD_LISTS; i++)
    for (const Large *large = heap->dead[i]; large; listed++) {
      REQUIRE(large_dead_list(large->size) == i, "[H7] %zu bytes in list %u",
              large->size, i);
      large = large_dead_links(large)->next;
    }
  if (heap->leaving) bytes += sizeof(Large) + heap->leaving->size + LARGE_SLACK;
  REQUIRE(count == listed, "[H7] %zu dead cells, %zu by size", count, listed);
  REQUIRE(bytes == heap->releasing_bytes, "[H7] %zu dead bytes, not %zu", bytes,
          heap->releasing_bytes);
  tally->footprint += bytes;
  REQUIRE(tally->footprint <= heap->footprint, "[H5] %zu of %zu bytes held",
          tally->footprint, heap->footprint);
}

static size_t check_blocks_listed(const Block *block, bool empty) {
  size_t count = 0;
  for (; block; block = block->next, count++)
    REQUIRE(empty ? block->free_pages == WHOLE_BLOCK
                  : block->free_pages && block->free_pages != WHOLE_BLOCK,
            "[H6] block with free pages %x on the wrong list",
            block->free_pages);
  return count;
}

static bool is_chunk_in_use(const Heap *heap, const Chunk *wanted) {
  const Chunk *chunk = heap->chunks;
  while (chunk && chunk != wanted) chunk = chunk->next;
  return chunk != NULL;
}

static bool is_swept_large(const Heap *heap, const Large *wanted) {
  const Large *large = heap->large;
  while (large && large != wanted) large = large->next;
  return large != NULL;
}

static void check_walk(const Heap *heap) {
  const HeapCursor *cursor = heap->walk;
  if (!cursor) return;
  REQUIRE(!heap->sweeping, "[H8] a walk during a sweep");
  REQUIRE(!cursor->chunk || (is_chunk_in_use(heap, cursor->chunk) &&
                             cursor->block <= cursor->chunk->block_count),
          "[H8] the walk stands on a chunk that is not in use");
  REQUIRE(!cursor->large || is_swept_large(heap, cursor->large),
          "[H8] the walk stands on a large cell that is not on its list");
}

void heap_check(Heap *heap) {
  HeapTally tally = {0};
  check_chunks(heap->chunks, false, &tally);
  check_chunks(heap->empty_chunks, true, &tally);
  check_fresh_chunks(heap, &tally);
  REQUIRE(tally.empty_slack == heap->empty_slack, "[H6] slack of %zu, not %zu",
          tally.empty_slack, heap->empty_slack);
  size_t large = check_large(heap->large, &tally) +
                 check_large(heap->large_unswept, &tally);
  tally.charged += large;
  REQUIRE(large == heap->large_bytes, "[H4] large cells: %zu, not %zu", large,
          heap->large_bytes);
  REQUIRE(tally.charged == heap->charged, "[H4] %zu bytes live, not %zu",
          tally.charged, heap->charged);
  REQUIRE(tally.blocks == heap->block_count &&
              tally.free_blocks == heap->free_block_count,
          "[H6] %zu blocks, %zu free", tally.blocks, tally.free_blocks);
  REQUIRE(check_classes(heap, &tally) == tally.spans,
          "[H3] %zu spans are not all listed", tally.spans);
  for (unsigned i = 0; i < PARTIAL_LISTS; i++)
    check_blocks_listed(heap->partial_blocks[i], false);
  REQUIRE(check_blocks_listed(heap->empty_blocks, true) == tally.empty_blocks,
          "[H6] empty blocks forgotten");
  REQUIRE(!heap->empty_last == !heap->empty_blocks &&
              (!heap->empty_last || !heap->empty_last->next),
          "[H6] the last empty block is not the last");
  check_dead(heap, &tally);
  check_walk(heap);
}
