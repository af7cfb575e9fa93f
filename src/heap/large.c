/* SPDX-License-Identifier: MIT */
/*
** large.c -- cells of their own
**
** A large cell is one request to the allocator, with a header in front.  It is
** on one of two lists, `large` or `large_unswept`; a dead one moves to
** `releasing` if giving it back at once would take long: the system needs a
** millisecond for every few megabytes, so a gigabyte goes back in pieces, by
** shrinking it.  An allocator that copies when it shrinks gets it all at once
** instead; we notice that at the first piece.
*/
#include "heap/heap_impl.h"

#include <string.h>

enum { LARGE_SLACK = GRANULE - 1 };

/* Puts a cell that needs no sweep on the list of those. */
static void large_link(Heap *heap, Large *large) {
  large->sweep_epoch = heap->sweep_epoch;
  large->previous = NULL;
  large->next = heap->large;
  if (heap->large) heap->large->previous = large;
  heap->large = large;
}

static void large_unlink(Heap *heap, Large *large) {
  if (heap->walk && heap->walk->large == large)
    heap->walk->large = large->next;
  if (large->previous)
    large->previous->next = large->next;
  else if (heap->large == large)
    heap->large = large->next;
  else
    heap->large_unswept = large->next;
  if (large->next) large->next->previous = large->previous;
}

static char *large_raw(Large *large) {
  return (char *)large - large->raw_offset;
}

/* Bytes asked from the allocator for a cell of `size`. */
static size_t large_raw_size(const Heap *heap, size_t size) {
  return sizeof(Large) + size + (heap->unaligned_large ? LARGE_SLACK : 0);
}

/* Bytes asked for this cell, which may predate unaligned_large. */
static size_t large_own_raw_size(const Large *large) {
  return sizeof(Large) + large->size + (large->slack ? LARGE_SLACK : 0);
}

static void *large_cell(Large *large) { return large + 1; }

/* -- Allocating ------------------------------------------------------------ */

/* Places the header in raw memory so that the cell lies at 8 modulo 16. */
static Large *large_place(Heap *heap, char *raw, size_t size) {
  uintptr_t aligned = ((uintptr_t)raw + LARGE_SLACK) & ~(uintptr_t)LARGE_SLACK;
  Large *large = (Large *)aligned;
  large->raw_offset = (uint32_t)(aligned - (uintptr_t)raw);
  large->size = size;
  large->slack = heap->unaligned_large;
  return large;
}

static char *large_request(Heap *heap, size_t size) {
  if (size > SIZE_MAX - sizeof(Large) - LARGE_SLACK) return NULL;
  char *raw = heap_raw_allocate(heap, large_raw_size(heap, size));
  if (!raw || heap->unaligned_large || (uintptr_t)raw % GRANULE == 0)
    return raw;
  heap_raw_free(heap, raw, large_raw_size(heap, size));
  heap->unaligned_large = true;
  return heap_raw_allocate(heap, large_raw_size(heap, size));
}

void *heap_allocate_large(Heap *heap, size_t size) {
  char *raw = large_request(heap, size);
  if (!raw) return NULL;
  Large *large = large_place(heap, raw, size);
  large->marked = heap->allocate_marked;
  large_link(heap, large);
  heap_account(heap, size, 0);
  heap->large_bytes += size;
  return large_cell(large);
}

/* The mark the cell has after a resize, which counts as its sweep: somebody
** uses it. */
static bool large_kept_mark(const Heap *heap, const Large *large) {
  bool swept = !heap->sweeping || large->sweep_epoch == heap->sweep_epoch;
  return large->marked && (swept || heap->keep_marks);
}

/* Resizing where the allocator may give a pointer of another alignment. */
static void *large_resize_by_copy(Heap *heap, Large *large, size_t size) {
  void *cell = heap_allocate_large(heap, size);
  if (!cell) return NULL;
  memcpy(cell, large_cell(large), size_min(large->size, size));
  heap_large_of(cell)->marked = large_kept_mark(heap, large);
  large_free(heap, large_cell(large));
  return cell;
}

void *heap_resize_large(Heap *heap, void *cell, size_t new_size) {
  Large *large = heap_large_of(cell);
  size_t old_size = large->size;
  size_t old_raw = large_own_raw_size(large);
  if (heap->unaligned_large)
    return large_resize_by_copy(heap, large, new_size);
  if (new_size > SIZE_MAX - sizeof(Large) - LARGE_SLACK) return NULL;
  size_t new_raw = large_raw_size(heap, new_size);
  if (heap->limit && new_raw > old_raw &&
      heap->footprint + (new_raw - old_raw) > heap->limit)
    return NULL;
  large_unlink(heap, large);
  large->marked = large_kept_mark(heap, large);
  char *raw = heap->allocate(heap->context, large_raw(large), old_raw, new_raw);
  if (!raw) {
    large_link(heap, large);
    return NULL;
  }
  heap->footprint += new_raw - old_raw;
  ASSERT((uintptr_t)raw % GRANULE == 0, "allocator lost its alignment");
  large = (Large *)(void *)raw;
  large->size = new_size;
  large_link(heap, large);
  heap_account(heap, new_size, old_size);
  heap->large_bytes += new_size - old_size;
  return large_cell(large);
}

/* -- Freeing --------------------------------------------------------------- */

/* The cell is off its list.  Gives it back, or queues it for that. */
static void large_discard(Heap *heap, Large *large) {
  heap->charged -= large->size;
  heap->large_bytes -= large->size;
  if (large->size > RELEASE_PIECE) {
    large->next = heap->releasing;
    heap->releasing = large;
  } else {
    heap_raw_free(heap, large_raw(large), large_own_raw_size(large));
  }
}

void large_free(Heap *heap, void *cell) {
  Large *large = heap_large_of(cell);
  heap->net_allocated -= large->size;
  large_unlink(heap, large);
  large_discard(heap, large);
}

size_t large_sweep_one(Heap *heap) {
  Large *large = heap->large_unswept;
  if (!large) return 0;
  heap->large_unswept = large->next;
  if (large->next) large->next->previous = NULL;
  if (large->marked) {
    if (!heap->keep_marks) large->marked = 0;
    large_link(heap, large);
  } else {
    if (heap->poison) memset(large_cell(large), 0xDB, large->size);
    large_discard(heap, large);
  }
  return BLOCK_PAGES;
}

static size_t large_release_whole(Heap *heap, Large *large) {
  size_t size = large_own_raw_size(large);
  heap->releasing = large->next;
  heap_raw_free(heap, large_raw(large), size);
  return size;
}

size_t large_release_piece(Heap *heap) {
  Large *large = heap->releasing;
  if (!large) return 0;
  size_t old_size = large_own_raw_size(large);
  if (large->size <= 2 * RELEASE_PIECE || heap->moves_on_shrink)
    return large_release_whole(heap, large);
  char *raw = large_raw(large);
  Large *next = large->next;
  size_t new_size = old_size - RELEASE_PIECE;
  char *left = heap->allocate(heap->context, raw, old_size, new_size);
  if (!left) return large_release_whole(heap, large);
  heap->footprint -= RELEASE_PIECE;
  if (left == raw) {
    large->size -= RELEASE_PIECE;
    return RELEASE_PIECE;
  }
  heap->moves_on_shrink = true;
  heap->releasing = next;
  heap_raw_free(heap, left, new_size);
  return old_size;
}

static void large_free_list(Heap *heap, Large *large) {
  while (large) {
    Large *next = large->next;
    heap_raw_free(heap, large_raw(large), large_own_raw_size(large));
    large = next;
  }
}

void large_release_every(Heap *heap) {
  large_free_list(heap, heap->large);
  large_free_list(heap, heap->large_unswept);
  large_free_list(heap, heap->releasing);
  heap->large = heap->large_unswept = heap->releasing = NULL;
}
