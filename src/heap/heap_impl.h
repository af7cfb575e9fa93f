/* SPDX-License-Identifier: MIT */
/*
** heap_impl.h -- what the files of this folder share
*/
#ifndef PENUMBRA_HEAP_IMPL_H
#define PENUMBRA_HEAP_IMPL_H

#include "heap/heap.h"

/* One request to the allocator, cut into blocks. */
struct Chunk {
  Chunk *next;
  Chunk *previous;
  char *raw;
  size_t raw_size;
  char *first;              /* the first block */
  Chunk *next_fresh;        /* in fresh_chunks, if `fresh` is not 0 */
  Chunk *previous_fresh;
  unsigned block_count;
  unsigned free_count;      /* blocks without any span */
  uint16_t fresh;           /* bit set: no header in the block */
  uint16_t discarded;       /* ... because the system has it back */
};

/* The header of a span: the first granule of its first page (or, in page 0,
** the first after the block's header). */
struct Span {
  Span *next;
  uint8_t class_index;
  uint8_t first_page;
  uint8_t page_count;
  uint8_t unused;
  uint16_t first_granule;   /* of the first cell, counted in the block */
  uint16_t end_granule;     /* behind the last cell */
};

/* -- heap.c: bytes from the allocator -------------------------------------- */

/* Bytes of any alignment, counted and within the limit.  NULL: no memory, even
** after giving back what can be given back. */
void *bytes_allocate(Heap *heap, size_t size);
void *bytes_resize(Heap *heap, void *old, size_t old_size, size_t size);
void bytes_free(Heap *heap, void *pointer, size_t size);

enum {
  RAW_SLACK = GRANULE,      /* to align what heap_raw_allocate gives */
  LARGE_SLACK = GRANULE - 1, /* to align large cells */
  BLOCK_HEADER = 304,       /* bytes in front of the first span */
  WHOLE_BLOCK = 0xFFFF      /* free_pages of a block without spans */
};
static_assert(sizeof(Block) <= BLOCK_HEADER && BLOCK_HEADER % GRANULE == 0,
              "cells start on a granule");
static_assert(sizeof(Span) <= GRANULE, "a span's header takes one granule");

/* Cells were handed out, or given back by the program. */
static inline void heap_account(Heap *heap, size_t more, size_t less) {
  heap->charged += more - less;
  heap->net_allocated += more - less;
}

/* -- release.c: what is kept ----------------------------------------------- */

/* Memory that was idle, or the allocator's, is in use. */
void release_note_peak(Heap *heap);

/* So many bytes were taken from the allocator: as many may have to go back. */
void release_for_taken(Heap *heap, size_t bytes);

/* A sweep has ended, and another cycle begins. */
void release_cycle_ended(Heap *heap);

/* -- chunk.c: blocks from the allocator ------------------------------------ */

/* A block with `least` free pages in a row, or more, up to `most`.  The pages
** found are *first .. *first + *count - 1.  `whole` ones do not include the
** first page of a block, part of which is its header.  NULL: no such pages;
** see chunk_add_block. */
Block *chunk_find_pages(Heap *heap, unsigned least, unsigned most, bool whole,
                        unsigned *first, unsigned *count);

/* Adds an empty block; false: no memory. */
bool chunk_add_block(Heap *heap);

/* Marks pages as taken or free, keeping the lists and counts in order. */
void chunk_take_pages(Heap *heap, Block *block, unsigned first, unsigned count);
void chunk_return_pages(Heap *heap, Block *block, unsigned first,
                        unsigned count);

/* Gives one wholly empty chunk back, or else one empty block; bytes returned,
** 0 if there is none. */
size_t chunk_release_one(Heap *heap);
void chunk_release_every(Heap *heap);

static inline Block *chunk_block(const Chunk *chunk, unsigned index) {
  return (Block *)(chunk->first + (size_t)index * BLOCK_SIZE);
}

static inline bool chunk_is_fresh(const Chunk *chunk, unsigned index) {
  return chunk->fresh >> index & 1;
}

/* -- span.c: cells of one class -------------------------------------------- */

static inline Block *span_block(const Span *span) {
  return (Block *)((uintptr_t)span & ~(uintptr_t)(BLOCK_SIZE - 1));
}

static inline size_t span_cell_size(const Span *span) {
  return heap_class_size(span->class_index);
}

/* The span that contains the cell. */
Span *span_of(const void *cell);

/* A new span, all of its cells free.  NULL: no memory, or no free pages where
** the heap may not grow. */
Span *span_create(Heap *heap, unsigned class_index, bool may_grow);

/* Gives the pages of an empty span back to its block. */
void span_destroy(Heap *heap, Span *span);

/* Bits of the first granules of all cells in bitmap word `page`. */
uint64_t span_starts(const Span *span, unsigned page);

/* Free cells of the span are looked for from the granule on. */
void span_search_from(const Span *span, unsigned granule, Search *search);

/* Finds the next stretch of free cells; false if there is none.  The cells are
** taken: live (and marked, if the heap wants that), and the search moves behind
** them. */
bool span_take_run(Heap *heap, Span *span, Search *search, Run *run);

/* Marks cells of a page that are handed out. */
NO_INLINE void heap_take_marked(const Heap *heap, Block *block, unsigned page,
                                uint64_t cells);

/* The same in the word where the search is, the usual case in a heap that has
** been in use for a while.  Runs end with the word, unless all of it is free.
** False says nothing. */
static inline bool span_take_in_word(const Heap *heap, Search *search,
                                     unsigned granules, Run *run) {
  if (search->cells == 0) return false;
  Block *block = search->block;
  unsigned page = search->page;
  uint64_t live = block->live[page];
  uint64_t free_cells = search->cells & ~live;
  if (free_cells == 0) return false;
  unsigned from = bits_lowest(free_cells);
  uint64_t above = live >> from;
  if (above == 0 && from < granules) return false;
  uint64_t here = search->cells >> from << from;
  unsigned to = above ? from + bits_lowest(above)
                      : bits_highest(here) + granules;
  uint64_t taken = here & bits_below(to);
  block->live[page] = live | taken;
  if (UNLIKELY(heap->allocate_marked))
    heap_take_marked(heap, block, page, taken);
  search->cells = here ^ taken;
  char *word = (char *)block + (size_t)page * BLOCK_PAGE;
  run->next = word + (size_t)from * GRANULE;
  run->end = word + (size_t)to * GRANULE;
  return true;
}

/* Takes back what is left of a run: those cells are free again. */
void span_return_run(Heap *heap, unsigned class_index);

/* Cuts a swept span into pieces, each a span, and gives the pages without a live
** cell back to their block.  Returns the list of the pieces. */
Span *span_split(Heap *heap, Span *span);

/* live := mark.  Returns the number of cells still live; *freed is the number
** that were not. */
unsigned span_sweep(Heap *heap, Span *span, unsigned *freed);

/* -- large.c --------------------------------------------------------------- */

/* Sweeps one large cell.  Returns the work done, 0 if none was left. */
size_t large_sweep_one(Heap *heap);
void large_free(Heap *heap, void *cell);
/* Gives back a piece of a dead cell; bytes returned, 0 if there is none. */
size_t large_release_piece(Heap *heap);
void large_release_every(Heap *heap);

/* Memory of the program's own in large pieces, of more than RELEASE_PIECE.
** NULL: no memory. */
void *large_own_allocate(Heap *heap, size_t size);
void *large_own_resize(Heap *heap, void *memory, size_t size);
void large_own_free(Heap *heap, void *memory);

/* Behind the header of a dead cell: its place among those of its size. */
typedef struct DeadLinks {
  Large *next;
  Large *previous;
} DeadLinks;

/* The list of dead cells for a size: eight for each power of two, and sizes
** that differ by a factor of 16 share one. */
static inline unsigned large_dead_list(size_t size) {
  unsigned bits = bits_highest(size);
  unsigned eighth = (unsigned)(size >> (bits - 3)) & 7;
  return (bits * 8 + eighth) % DEAD_LISTS;
}

static inline DeadLinks *large_dead_links(const Large *large) {
  return (DeadLinks *)(uintptr_t)(large + 1);
}

#endif
