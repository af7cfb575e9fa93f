/* SPDX-License-Identifier: MIT */
/*
** heap_impl.h -- declarations shared by the files of this folder
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
  char *first;       /* the first block */
  Chunk *next_fresh; /* in fresh_chunks, if `fresh` is not 0 */
  Chunk *previous_fresh;
  unsigned block_count;
  unsigned free_count; /* blocks whose pages are all free */
  uint16_t fresh;      /* bit set: the block has no header */
  uint16_t discarded;  /* bit set: the system has the block back */
};

/* The header of a span.  It is the first granule of the span's first page.  In
** page 0 it is the first granule after the block's header. */
struct Span {
  Span *next;
  uint8_t class_index;
  uint8_t first_page;
  uint8_t page_count;
  uint8_t unused;
  uint16_t first_granule; /* of the first cell, counted in the block */
  uint16_t end_granule;   /* one past the last cell */
};

/* -- heap.c: bytes from the allocator -------------------------------------- */

/* Bytes of any alignment.  They count in the footprint and stay within the
** limit.  NULL: no memory, even after giving back all idle memory. */
void *bytes_allocate(Heap *heap, size_t size);
void *bytes_resize(Heap *heap, void *old, size_t old_size, size_t size);
void bytes_free(Heap *heap, void *pointer, size_t size);

enum {
  RAW_SLACK = GRANULE,       /* to align the result of heap_raw_allocate */
  LARGE_SLACK = GRANULE - 1, /* to align large cells */
  BLOCK_HEADER = 304,        /* bytes in front of the first span */
  WHOLE_BLOCK = 0xFFFF       /* free_pages if all pages are free */
};
static_assert(sizeof(Block) <= BLOCK_HEADER && BLOCK_HEADER % GRANULE == 0,
              "cells start on a granule");
static_assert(sizeof(Span) <= GRANULE, "a span's header takes one granule");

/* Counts `more` bytes of cells handed out, and `less` bytes freed by the
** program. */
static inline void heap_account(Heap *heap, size_t more, size_t less) {
  heap->charged += more - less;
  heap->allocation_clock += more - less;
}

/* -- release.c: what is kept ----------------------------------------------- */

/* Idle or newly allocated memory has come into use: updates the peak. */
void release_note_peak(Heap *heap);

/* `bytes` were taken from the allocator.  Twice as many become due, up to the
** excess. */
void release_for_taken(Heap *heap, size_t bytes);

/* Gives back a piece of a dead large cell, an empty chunk or an empty block.
** Returns its bytes, 0 if nothing is idle. */
size_t release_piece(Heap *heap);

/* A sweep has ended.  Begins to measure the peak of the next cycle. */
void release_cycle_ended(Heap *heap);

/* -- chunk.c: blocks from the allocator ------------------------------------ */

/* Finds a block with a row of at least `least` free pages.  At most `most` of
** them are found: *first to *first + *count - 1.  With `whole` they do not
** include the first page of a block, part of which is its header.  NULL: there
** are no such pages; see chunk_add_block. */
Block *chunk_find_pages(Heap *heap, unsigned least, unsigned most, bool whole,
                        unsigned *first, unsigned *count);

/* Adds an empty block; false: no memory. */
bool chunk_add_block(Heap *heap);

/* Marks pages as taken or free, and updates the lists and counts. */
void chunk_take_pages(Heap *heap, Block *block, unsigned first, unsigned count);
void chunk_return_pages(Heap *heap, Block *block, unsigned first,
                        unsigned count);

/* Gives back one empty chunk, or else one empty block.  Returns the bytes given
** back, 0 if there is none. */
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

/* Makes a span whose cells are all free.  NULL: no memory, or no free pages and
** `may_grow` is false. */
Span *span_create(Heap *heap, unsigned class_index, bool may_grow);

/* Returns the pages of an empty span to its block. */
void span_destroy(Heap *heap, Span *span);

/* The bits of all cells that begin in bitmap word `page`. */
uint64_t span_starts(const Span *span, unsigned page);

/* Starts the search for free cells of the span at the granule. */
void span_search_from(const Span *span, unsigned granule, Search *search);

/* Finds and takes the next run of free cells; false if there is none.  The
** cells become live, and also marked if heap->allocate_marked.  The search
** moves past them. */
bool span_take_run(Heap *heap, Span *span, Search *search, Run *run);

/* Marks cells of a page as they are handed out. */
NO_INLINE void heap_take_marked(const Heap *heap, Block *block, unsigned page,
                                uint64_t cells);

/* span_take_run within the bitmap word of the search: the usual case in a heap
** that has been in use for a while.  Such a run ends with the word.  If the
** word is all free, it is left to span_take_run, because the run may go on.
** False: span_take_run may still find a run. */
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
  unsigned to =
      above ? from + bits_lowest(above) : bits_highest(here) + granules;
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

/* Returns the rest of the class's run: its cells are free again. */
void span_return_run(Heap *heap, unsigned class_index);

/* Cuts a swept span into smaller spans, and returns the pages without a live
** cell to their block.  Returns the list of the new spans. */
Span *span_split(Heap *heap, Span *span);

/* Sets live := mark.  Returns the number of live cells.  *freed is the number
** of cells that died. */
unsigned span_sweep(Heap *heap, Span *span, unsigned *freed);

/* -- walk.c: what a walk stands on ----------------------------------------- */

/* The chunk is about to leave heap->chunks, or the cell heap->large.  A walk
** that stands there goes on to the next one.  [H8] */
void walk_leaves_chunk(Heap *heap, const Chunk *chunk);
void walk_leaves_large(Heap *heap, const Large *large);

/* -- large.c --------------------------------------------------------------- */

/* Sweeps one large cell.  Returns the work done, 0 if none was left. */
size_t large_sweep_one(Heap *heap);
void large_free(Heap *heap, void *cell);
/* Gives back a piece of a dead cell.  Returns its bytes, 0 if there is none. */
size_t large_release_piece(Heap *heap);
void large_release_every(Heap *heap);

/* Memory for the program's own use, in pieces of more than RELEASE_PIECE.
** NULL: no memory. */
void *large_own_allocate(Heap *heap, size_t size);
void *large_own_resize(Heap *heap, void *memory, size_t size);
void large_own_free(Heap *heap, void *memory);

/* Follows the header of a dead cell: its links in the list of its size. */
typedef struct DeadLinks {
  Large *next;
  Large *previous;
} DeadLinks;

/* The list of dead cells for a size.  There are eight lists for each power of
** two.  Sizes that differ by a factor of 16 share a list. */
static inline unsigned large_dead_list(size_t size) {
  unsigned bits = bits_highest(size);
  unsigned eighth = (unsigned)(size >> (bits - 3)) & 7;
  return (bits * 8 + eighth) % DEAD_LISTS;
}

static inline DeadLinks *large_dead_links(const Large *large) {
  return (DeadLinks *)(uintptr_t)(large + 1);
}

#endif
