/* SPDX-License-Identifier: MIT */
/*
** span.c -- pages that hold cells of one size
**
** A span begins with a header of one granule, the cells follow.  Only the bit
** of a cell's first granule counts, so for cells of k granules every k-th bit
** of the bitmaps is in use; span_starts() is the mask of those bits.
**
**      page p                                    page p+1
**      +----+--------+--------+--------+-----+----+--------+
**      |head| cell   | cell   | cell   | cell     | cell   | ...
**      +----+--------+--------+--------+-----+----+--------+
**      0    1        1+k      1+2k               granules
*/
#include "heap/heap_impl.h"

#include <string.h>

#define WORD(bits) UINT64_C(bits)

static unsigned span_granules(const Span *span) {
  return (unsigned)(span_cell_size(span) / GRANULE);
}

/* Every k-th bit, beginning with bit 0. */
static uint64_t every_nth_bit(unsigned k) {
  uint64_t bits = 1;
  for (unsigned width = k; width < 64; width *= 2) bits |= bits << width;
  return bits;
}

uint64_t span_starts(const Span *span, unsigned page) {
  unsigned k = span_granules(span);
  unsigned word_first = page * 64;
  unsigned phase;
  if (word_first <= span->first_granule)
    phase = span->first_granule - word_first;
  else
    phase = (k - (word_first - span->first_granule) % k) % k;
  if (phase >= 64) return 0;
  uint64_t starts = every_nth_bit(k) << phase;
  if (word_first + 64 > span->end_granule) {
    unsigned end = span->end_granule > word_first
                       ? span->end_granule - word_first
                       : 0;
    starts &= bits_below(end);
  }
  return starts;
}

Span *span_of(const void *cell) {
  Block *block = heap_block_of(cell);
  unsigned page = block->span_page[heap_word_of(cell)];
  size_t offset = page ? (size_t)page * BLOCK_PAGE : BLOCK_HEADER;
  return (Span *)(void *)((char *)block + offset);
}

/* -- Creating and destroying ----------------------------------------------- */

/* The least number of pages that wastes at most an eighth. */
static unsigned span_least_pages(unsigned granules) {
  unsigned pages = 1;
  for (; pages < BLOCK_PAGES; pages++) {
    unsigned all = pages * 64;
    unsigned used = (all - 1) / granules * granules;
    if (all - used <= all / 8) break;
  }
  return pages;
}

/* Spans grow with the number of cells in use: a small heap has small ones. */
static unsigned span_wanted_pages(const SizeClass *class, unsigned least) {
  return (unsigned)size_min(size_max(class->pages / 4, least), BLOCK_PAGES);
}

Span *span_create(Heap *heap, unsigned class_index) {
  SizeClass *class = &heap->classes[class_index];
  unsigned granules = (unsigned)heap_class_size(class_index) / GRANULE;
  unsigned least = span_least_pages(granules);
  unsigned first, count;
  Block *block = chunk_find_pages(heap, least, span_wanted_pages(class, least),
                                  &first, &count);
  if (!block) return NULL;
  chunk_take_pages(heap, block, first, count);
  size_t offset = first ? (size_t)first * BLOCK_PAGE : BLOCK_HEADER;
  Span *span = (Span *)(void *)((char *)block + offset);
  span->next = NULL;
  span->class_index = (uint8_t)class_index;
  span->first_page = (uint8_t)first;
  span->page_count = (uint8_t)count;
  span->unused = 0;
  span->first_granule = (uint16_t)(offset / GRANULE + 1);
  unsigned room = (first + count) * 64 - span->first_granule;
  span->end_granule =
      (uint16_t)(span->first_granule + room / granules * granules);
  for (unsigned page = first; page < first + count; page++) {
    block->span_page[page] = (uint8_t)first;
    block->live[page] = block->mark[page] = 0;
  }
  class->pages += count;
  return span;
}

void span_destroy(Heap *heap, Span *span) {
  heap->classes[span->class_index].pages -= span->page_count;
  chunk_return_pages(heap, span_block(span), span->first_page,
                     span->page_count);
}

/* -- Runs ------------------------------------------------------------------ */

/* First free cell at or after the granule; end_granule if there is none. */
static unsigned span_first_free(const Span *span, unsigned granule) {
  const Block *block = span_block(span);
  unsigned end_page = span->first_page + span->page_count;
  unsigned page = granule / 64;
  uint64_t below = bits_below(granule % 64);
  for (; page < end_page; page++, below = 0) {
    uint64_t full = block->live[page] | below;
    if (full == ~WORD(0)) continue;
    uint64_t free_cells = span_starts(span, page) & ~full;
    if (free_cells) return page * 64 + bits_lowest(free_cells);
  }
  return span->end_granule;
}

/* First live cell after the granule; end_granule if there is none. */
static unsigned span_first_live(const Span *span, unsigned granule) {
  const Block *block = span_block(span);
  unsigned end_page = span->first_page + span->page_count;
  unsigned page = granule / 64;
  uint64_t below = bits_below(granule % 64);
  for (; page < end_page; page++, below = 0) {
    uint64_t live = block->live[page] & ~below;
    if (live) return page * 64 + bits_lowest(live);
  }
  return span->end_granule;
}

/* Sets or clears the bits of all cells in [from, to). */
static void span_set_bits(const Span *span, uint64_t *bitmap, unsigned from,
                          unsigned to, bool set) {
  for (unsigned page = from / 64; page * 64 < to; page++) {
    uint64_t cells = span_starts(span, page);
    if (page * 64 < from) cells &= ~bits_below(from - page * 64);
    if (to - page * 64 < 64) cells &= bits_below(to - page * 64);
    if (set)
      bitmap[page] |= cells;
    else
      bitmap[page] &= ~cells;
  }
}

static unsigned granule_in_block(const void *address) {
  return (unsigned)(((uintptr_t)address & (BLOCK_SIZE - 1)) / GRANULE);
}

/* The longest run of cells of k granules, at least one cell. */
static unsigned run_granules(const Heap *heap, unsigned k) {
  unsigned cells = (unsigned)(heap->run_limit / GRANULE) / k;
  return cells > 0 ? cells * k : k;
}

bool span_take_run(Heap *heap, Span *span, uint32_t *search, Run *run) {
  unsigned from = span_first_free(span, *search);
  if (from >= span->end_granule) return false;
  unsigned k = span_granules(span);
  unsigned longest = run_granules(heap, k);
  unsigned to = span_first_live(span, from);
  if (to - from > longest) to = from + longest;
  Block *block = span_block(span);
  span_set_bits(span, block->live, from, to, true);
  if (heap->allocate_marked) span_set_bits(span, block->mark, from, to, true);
  run->next = (char *)block + (size_t)from * GRANULE;
  run->end = (char *)block + (size_t)to * GRANULE;
  *search = to;
  return true;
}

void span_return_run(Heap *heap, unsigned class_index) {
  Run *run = &heap->run[class_index];
  SizeClass *class = &heap->classes[class_index];
  if (run->next < run->end) {
    Span *span = span_of(run->next);
    Block *block = span_block(span);
    unsigned from = granule_in_block(run->next);
    unsigned to = from + (unsigned)(run->end - run->next) / GRANULE;
    span_set_bits(span, block->live, from, to, false);
    span_set_bits(span, block->mark, from, to, false);
    heap_account(heap, 0, (size_t)(run->end - run->next));
    if (span == class->current && from < class->search) class->search = from;
  }
  run->next = run->end = NULL;
}

/* -- Sweeping -------------------------------------------------------------- */

static void poison_cells(Span *span, unsigned page, uint64_t cells) {
  char *start = (char *)span_block(span) + (size_t)page * BLOCK_PAGE;
  for (; cells; cells &= cells - 1)
    memset(start + (size_t)bits_lowest(cells) * GRANULE, 0xDB,
           span_cell_size(span));
}

unsigned span_sweep(Heap *heap, Span *span, unsigned *freed) {
  Block *block = span_block(span);
  unsigned end_page = span->first_page + span->page_count;
  unsigned before = 0, after = 0;
  for (unsigned page = span->first_page; page < end_page; page++) {
    uint64_t live = block->live[page];
    uint64_t mark = block->mark[page];
    before += bits_count(live);
    after += bits_count(mark);
    if (UNLIKELY(heap->poison)) poison_cells(span, page, live & ~mark);
    block->live[page] = mark;
    if (!heap->keep_marks) block->mark[page] = 0;
  }
  *freed = before - after;
  return after;
}
