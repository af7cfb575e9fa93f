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

/* Prices of the sweep, in granules' worth of bitmap: a miss of the cache, and
** what the allocator does with a cell that is not needed any more. */
enum { LARGE_SWEEP = 16, LARGE_FREE_KILOBYTE = 2 };

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

/* Bytes asked from the allocator for a cell of `size`, with room to align. */
static size_t large_raw_size(size_t size) {
  return sizeof(Large) + size + LARGE_SLACK;
}

static void *large_cell(Large *large) { return large + 1; }

/* -- Allocating ------------------------------------------------------------ */

/* Where in raw memory the header must be, so that the cell lies at 8 modulo
** 16. */
static uint32_t large_offset(const char *raw) {
  return (uint32_t)(-(uintptr_t)raw & LARGE_SLACK);
}

void *heap_allocate_large(Heap *heap, size_t size) {
  if (size > SIZE_MAX - sizeof(Large) - LARGE_SLACK) return NULL;
  char *raw = bytes_allocate(heap, large_raw_size(size));
  if (!raw) return NULL;
  Large *large = (Large *)(void *)(raw + large_offset(raw));
  large->raw_offset = large_offset(raw);
  large->size = size;
  large->marked = heap->allocate_marked;
  large_link(heap, large);
  heap_account(heap, size, 0);
  heap->large_bytes += size;
  return large_cell(large);
}

/* A dead cell on its way back to the system, if it is at most half as large
** again.  The last ones first, and not all of them. */
static Large *large_reclaim(Heap *heap, size_t size) {
  Large **link = &heap->releasing;
  for (int tries = 64; *link && tries > 0; tries--) {
    Large *large = *link;
    if (large->size >= size && large->size - size <= size / 2) {
      *link = large->next;
      return large;
    }
    link = &large->next;
  }
  return NULL;
}

void *heap_reuse_large(Heap *heap, size_t size) {
  Large *large = large_reclaim(heap, size);
  if (!large) return NULL;
  large->marked = heap->allocate_marked;
  large_link(heap, large);
  heap_account(heap, large->size, 0);
  heap->large_bytes += large->size;
  return large_cell(large);
}

/* -- Resizing -------------------------------------------------------------- */

/* The mark the cell has after a resize, which counts as its sweep: somebody
** uses it. */
static bool large_kept_mark(const Heap *heap, const Large *large) {
  bool swept = !heap->sweeping || large->sweep_epoch == heap->sweep_epoch;
  return large->marked && (swept || heap->keep_marks);
}

/* The allocator may give a pointer of another alignment: moves the header and
** what follows it to where they belong. */
static Large *large_realign(char *raw, uint32_t old_offset, size_t kept) {
  uint32_t offset = large_offset(raw);
  if (offset != old_offset)
    memmove(raw + offset, raw + old_offset, sizeof(Large) + kept);
  Large *large = (Large *)(void *)(raw + offset);
  large->raw_offset = offset;
  return large;
}

void *heap_resize_large(Heap *heap, void *cell, size_t new_size) {
  Large *large = heap_large_of(cell);
  size_t old_size = large->size;
  uint32_t old_offset = large->raw_offset;
  if (new_size > SIZE_MAX - sizeof(Large) - LARGE_SLACK) return NULL;
  large_unlink(heap, large);
  large->marked = large_kept_mark(heap, large);
  char *raw = bytes_resize(heap, large_raw(large), large_raw_size(old_size),
                           large_raw_size(new_size));
  if (!raw) {
    large_link(heap, large);
    return NULL;
  }
  large = large_realign(raw, old_offset, size_min(old_size, new_size));
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
    bytes_free(heap, large_raw(large), large_raw_size(large->size));
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
    heap->marked_bytes += large->size;
    return LARGE_SWEEP;
  }
  if (heap->poison) memset(large_cell(large), 0xDB, large->size);
  size_t kilobytes = size_min(large->size, RELEASE_PIECE) / 1024;
  large_discard(heap, large);
  return LARGE_SWEEP + kilobytes * LARGE_FREE_KILOBYTE;
}

static size_t large_release_whole(Heap *heap, Large *large) {
  size_t size = large_raw_size(large->size);
  heap->releasing = large->next;
  bytes_free(heap, large_raw(large), size);
  return size;
}

size_t large_release_piece(Heap *heap) {
  Large *large = heap->releasing;
  if (!large) return 0;
  size_t old_size = large_raw_size(large->size);
  if (large->size < 3 * RELEASE_PIECE || heap->moves_on_shrink)
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
  bytes_free(heap, left, new_size);
  return old_size;
}

static void large_free_list(Heap *heap, Large *large) {
  while (large) {
    Large *next = large->next;
    bytes_free(heap, large_raw(large), large_raw_size(large->size));
    large = next;
  }
}

void large_release_every(Heap *heap) {
  large_free_list(heap, heap->large);
  large_free_list(heap, heap->large_unswept);
  large_free_list(heap, heap->releasing);
  heap->large = heap->large_unswept = heap->releasing = NULL;
}
