/* SPDX-License-Identifier: MIT */
/*
** walk.c -- visiting cells, in bounded pieces or all at once
**
** Between two pieces of a walk the program runs.  The chunk or the large cell
** that the walk comes to next may then leave its list: a chunk becomes empty, a
** large cell is freed.  Whoever takes it off the list calls walk_leaves_chunk
** or walk_leaves_large first.  New chunks and cells are put in front of all
** others, where the walk has been already.  A large cell that is resized keeps
** its place.  So a cell that lives as long as the walk is visited once.
*/
#include "heap/heap_impl.h"

#include <string.h>

enum { LARGE_PER_CALL = 2 };

/* -- Moving a cursor ------------------------------------------------------- */

static void cursor_begin(Heap *heap, HeapCursor *cursor) {
  cursor->chunk = heap->chunks;
  cursor->block = 0;
  cursor->large = NULL;
  cursor->in_large = false;
}

void heap_walk_begin(Heap *heap, HeapCursor *cursor) {
  ASSERT(!heap->walk, "two walks at once");
  ASSERT(!heap->sweeping, "a walk during a sweep");
  cursor_begin(heap, cursor);
  heap->walk = cursor;
}

void heap_walk_end(Heap *heap) { heap->walk = NULL; }

void walk_leaves_chunk(Heap *heap, const Chunk *chunk) {
  HeapCursor *cursor = heap->walk;
  if (!cursor || cursor->chunk != chunk) return;
  cursor->chunk = chunk->next;
  cursor->block = 0;
}

void walk_leaves_large(Heap *heap, const Large *large) {
  HeapCursor *cursor = heap->walk;
  if (cursor && cursor->large == large) cursor->large = large->next;
}

/* The next block with a header, or NULL when only large cells are left. */
static Block *cursor_next_block(Heap *heap, HeapCursor *cursor) {
  if (cursor->in_large) return NULL;
  for (; cursor->chunk; cursor->chunk = cursor->chunk->next) {
    while (cursor->block < cursor->chunk->block_count) {
      unsigned index = cursor->block++;
      if (!chunk_is_fresh(cursor->chunk, index))
        return chunk_block(cursor->chunk, index);
    }
    cursor->block = 0;
  }
  cursor->in_large = true;
  cursor->large = heap->large;
  return NULL;
}

static bool cursor_finished(Heap *heap, HeapCursor *cursor) {
  if (heap->walk == cursor) heap->walk = NULL;
  return false;
}

/* -- Visiting -------------------------------------------------------------- */

/* True if the cell is in the unused rest of a run: its live bit is set, but it
** is not handed out yet. */
static bool cell_is_in_run(const Heap *heap, const Span *span,
                           const char *cell) {
  const Run *run = &heap->run[span->class_index];
  return cell >= run->next && cell < run->end;
}

static void walk_block(Heap *heap, Block *block, HeapCellFn *visit,
                       void *context) {
  for (unsigned page = 0; page < BLOCK_PAGES; page++) {
    uint64_t live = block->free_pages >> page & 1 ? 0 : block->live[page];
    for (; live; live &= live - 1) {
      size_t granule = page * 64 + bits_lowest(live);
      char *cell = (char *)block + granule * GRANULE;
      Span *span = span_of(cell);
      if (!cell_is_in_run(heap, span, cell))
        visit(context, cell, span_cell_size(span), heap_is_marked(cell));
    }
  }
}

static bool walk_some(Heap *heap, HeapCursor *cursor, HeapCellFn *visit,
                      void *context) {
  Block *block = cursor_next_block(heap, cursor);
  if (block) {
    walk_block(heap, block, visit, context);
    return true;
  }
  for (int i = 0; cursor->large && i < LARGE_PER_CALL; i++) {
    Large *large = cursor->large;
    cursor->large = large->next;
    visit(context, large + 1, large->size, large->marked);
  }
  return cursor->large || cursor_finished(heap, cursor);
}

bool heap_walk_some(Heap *heap, HeapCursor *cursor, HeapCellFn *visit,
                    void *context) {
  return walk_some(heap, cursor, visit, context);
}

void heap_walk(Heap *heap, HeapCellFn *visit, void *context) {
  HeapCursor cursor;
  cursor_begin(heap, &cursor);
  while (walk_some(heap, &cursor, visit, context)) continue;
  for (Large *large = heap->large_unswept; large; large = large->next)
    visit(context, large + 1, large->size, large->marked);
}

/* -- Clearing marks -------------------------------------------------------- */

bool heap_unmark_some(Heap *heap, HeapCursor *cursor) {
  Block *block = cursor_next_block(heap, cursor);
  if (block) {
    memset(block->mark, 0, sizeof block->mark);
    return true;
  }
  for (int i = 0; cursor->large && i < LARGE_PER_CALL; i++) {
    cursor->large->marked = 0;
    cursor->large = cursor->large->next;
  }
  return cursor->large || cursor_finished(heap, cursor);
}
