/* SPDX-License-Identifier: MIT */
/*
** release.c -- which memory is kept, and which goes back to the system
**
** Memory from the allocator is *held* (by spans with cells, large cells, lists)
** or *idle* (empty blocks, dead large cells).  Idle memory is used before new
** memory is taken.  One rule bounds the idle memory:
**
**     resident <= peak * 17/16 + min(peak, 1 MB)
**
** where `peak` is the most that was held in this cycle or in the one before.
** So a program whose heap goes up and down finds the memory it needs, and does
** not pay a page fault for each page in every cycle.  Two cycles after a peak
** its memory is gone.
**
** The memory above this bound is the *excess*.  It goes back in pieces.  Some
** goes back with the collector's steps.  And when the program takes memory from
** the allocator and fills it, twice as many bytes go back.  A large part that
** is filled little by little also gives back little by little: taking it makes
** bytes *due*, and filling it makes them *earned*.  So the footprint does not
** grow while there is an excess, and a wait is never longer than the request
** justifies.  A part that cannot reuse dead cells is taken as a sign that these
** are of no use: what is idle above the peak then becomes due as well.
*/
#include "heap/heap_impl.h"

enum {
  KEPT_SHARE = 16,      /* 1/16 of the peak is kept above it */
  KEPT_BYTES = 1048576, /* and the peak once more, up to this many bytes */
  RELEASE_RATE = 2      /* bytes given back for each byte filled */
};

/* Bytes that can be given back or reused at once. */
static size_t idle_bytes(const Heap *heap) {
  size_t blocks = heap->free_block_count - heap->discarded_blocks;
  return blocks * BLOCK_SIZE + heap->empty_slack + heap->releasing_bytes;
}

size_t heap_resident(const Heap *heap) {
  return heap->footprint - heap->discarded_blocks * BLOCK_SIZE;
}

static size_t held_bytes(const Heap *heap) {
  return heap_resident(heap) - idle_bytes(heap);
}

void release_note_peak(Heap *heap) {
  size_t held = held_bytes(heap);
  if (held > heap->peak) heap->peak = held;
}

void release_cycle_ended(Heap *heap) {
  heap->last_peak = heap->peak;
  heap->peak = held_bytes(heap);
}

static size_t last_peak(const Heap *heap) {
  return size_max(heap->peak, heap->last_peak);
}

/* The idle bytes above `kept`. */
static size_t idle_above(const Heap *heap, size_t kept) {
  size_t resident = heap_resident(heap);
  return resident > kept ? size_min(resident - kept, idle_bytes(heap)) : 0;
}

size_t heap_excess(const Heap *heap) {
  size_t peak = last_peak(heap);
  return idle_above(heap,
                    peak + peak / KEPT_SHARE + size_min(peak, KEPT_BYTES));
}

size_t release_piece(Heap *heap) {
  size_t bytes = large_release_piece(heap);
  return bytes ? bytes : chunk_release_one(heap);
}

size_t heap_release_some(Heap *heap) {
  return heap_excess(heap) > 0 ? release_piece(heap) : 0;
}

void heap_release_all(Heap *heap) {
  while (release_piece(heap)) continue;
}

/* Gives back what is due and earned, in pieces of RELEASE_PIECE. */
static void release_pay(Heap *heap) {
  while (heap->release_earned >= RELEASE_PIECE) {
    size_t bytes = heap->release_due > 0 ? release_piece(heap) : 0;
    heap->release_due -= size_min(heap->release_due, bytes);
    heap->release_earned -= size_min(heap->release_earned, bytes);
    if (bytes == 0) heap->release_due = 0;
    if (heap->release_due == 0) heap->release_earned = 0;
  }
}

void heap_release_filled(Heap *heap, size_t bytes) {
  if (LIKELY(heap->release_due == 0)) return;
  heap->release_earned += size_min(bytes, heap->footprint) * RELEASE_RATE;
  release_pay(heap);
}

/* The beginning of a request counts as filled, so a small request counts whole.
** Later calls of heap_release_filled report the rest of a large one.  At most
** one piece goes back here. */
void release_for_taken(Heap *heap, size_t bytes) {
  release_note_peak(heap);
  size_t excess = heap_excess(heap);
  heap->release_due =
      size_min(heap->release_due + bytes * RELEASE_RATE, excess);
  heap_release_filled(heap, size_min(bytes, RELEASE_PIECE / RELEASE_RATE));
}

void heap_release_useless(Heap *heap, size_t bytes) {
  size_t most =
      size_min(bytes * RELEASE_RATE, idle_above(heap, last_peak(heap)));
  heap->release_due = size_max(heap->release_due, most);
}
