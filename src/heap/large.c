/* SPDX-License-Identifier: MIT */
/*
** large.c -- large cells
**
** A large cell is one request to the allocator, with a header in front.  It is
** on one of two lists, `large` or `large_unswept`.  A dead cell of more than
** RELEASE_PIECE bytes moves to `releasing`, where it waits to be reused:
**
**      releasing ---> newest <--> ... <--> oldest <--- releasing_last
**                        |                    |
**      dead[i] --------> a cell <--> another of about that size
**
** Allocation reuses the newest cell that fits.  While there is an excess
** (release.c), the oldest cell goes back.  It goes back in pieces, by shrinking
** it, because the system needs a millisecond for every few megabytes.  If the
** allocator copies when it shrinks, the cell goes back at once instead.  We
** notice that at the first piece.
*/
#include "heap/heap_impl.h"
#include "heap/side_table.h"

#include <string.h>

/* Prices of the sweep, in pages like the result of heap_sweep_some: a cache
** miss, and what the allocator does when it frees a kilobyte. */
enum { LARGE_SWEEP = 16, LARGE_FREE_KILOBYTE = 2 };

enum {
  SHRINK_PIECE = 65536, /* bytes of a dead cell given back at a time */
  REUSE_TRIES = 8,      /* cells searched in one list */
  REUSE_SHARE = 8,      /* a reused cell may be larger by 1/8 of the size */
  BUFFER_SLACK = 8,     /* times as large as needed is the cell of one buffer */
  COPY_MAX = 262144     /* above this, moving pages is faster than a copy; a
                            ** copy of this size takes 30 us */
};

/* Puts a cell on the list of swept cells. */
static void large_link(Heap *heap, Large *large) {
  large->sweep_epoch = heap->sweep_epoch;
  large->previous = NULL;
  large->next = heap->large;
  if (heap->large) heap->large->previous = large;
  heap->large = large;
}

static void large_unlink(Heap *heap, Large *large) {
  walk_leaves_large(heap, large);
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

/* Bytes to ask the allocator for, with room to align a cell of `size`. */
static size_t large_raw_size(size_t size) {
  return sizeof(Large) + size + LARGE_SLACK;
}

static void *large_cell(Large *large) { return large + 1; }

/* -- Dead cells ------------------------------------------------------------ */

static void dead_push(Heap *heap, Large *large) {
  DeadLinks *links = large_dead_links(large);
  Large **list = &heap->dead[large_dead_list(large->size)];
  links->previous = NULL;
  links->next = *list;
  if (*list) large_dead_links(*list)->previous = large;
  *list = large;
  large->previous = NULL;
  large->next = heap->releasing;
  *(large->next ? &large->next->previous : &heap->releasing_last) = large;
  heap->releasing = large;
  heap->releasing_bytes += large_raw_size(large->size);
}

/* Takes the cell off both lists.  Its bytes still count in releasing_bytes. */
static void dead_unlink(Heap *heap, Large *large) {
  const DeadLinks *links = large_dead_links(large);
  Large **list = &heap->dead[large_dead_list(large->size)];
  *(links->previous ? &large_dead_links(links->previous)->next : list) =
      links->next;
  if (links->next) large_dead_links(links->next)->previous = links->previous;
  *(large->previous ? &large->previous->next : &heap->releasing) = large->next;
  *(large->next ? &large->next->previous : &heap->releasing_last) =
      large->previous;
}

static Large *dead_find(Large *large, size_t size, size_t more) {
  for (int i = 0; large && i < REUSE_TRIES; i++) {
    if (large->size >= size && large->size - size <= more) return large;
    large = large_dead_links(large)->next;
  }
  return NULL;
}

/* Takes a dead cell of `size` to `size + more` bytes off its lists.  NULL:
** there is none.  There are eight lists for each power of two, so the search
** ends before it comes round. */
static Large *dead_take(Heap *heap, size_t size, size_t more) {
  static_assert(BUFFER_SLACK < 1 << DEAD_LISTS / 8,
                "the lists do not wrap around");
  if (!heap->releasing || size < RELEASE_PIECE) return NULL;
  unsigned list = large_dead_list(size);
  unsigned end = (large_dead_list(size + more) + 1) % DEAD_LISTS;
  Large *large = NULL;
  do {
    large = dead_find(heap->dead[list], size, more);
    list = (list + 1) % DEAD_LISTS;
  } while (!large && list != end);
  if (!large) return NULL;
  dead_unlink(heap, large);
  heap->releasing_bytes -= large_raw_size(large->size);
  release_note_peak(heap);
  return large;
}

/* Takes a dead cell of `size`, or up to an eighth larger, and counts it as in
** use. */
static Large *dead_revive(Heap *heap, size_t size) {
  Large *large = dead_take(heap, size, size / REUSE_SHARE);
  if (!large) return NULL;
  large->is_zero = false;
  heap_account(heap, large->size, 0);
  heap->large_bytes += large->size;
  return large;
}

/* Keeps a dead cell, which is off its list, for reuse.  A cell of at most
** RELEASE_PIECE bytes is freed at once. */
static void large_discard(Heap *heap, Large *large) {
  heap->charged -= large->size;
  heap->large_bytes -= large->size;
  if (large->size > RELEASE_PIECE)
    dead_push(heap, large);
  else
    bytes_free(heap, large_raw(large), large_raw_size(large->size));
}

/* -- Allocating ------------------------------------------------------------ */

/* The offset of the header in memory from the allocator, so that the cell lies
** at 8 modulo 16. */
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
  large->is_zero = heap->zeros_from > 0 && size >= heap->zeros_from;
  large->marked = heap->allocate_marked;
  if (UNLIKELY(heap->born != NULL))
    side_table_mark_large(heap->born, large + 1);
  large_link(heap, large);
  heap_account(heap, size, 0);
  heap->large_bytes += size;
  return large_cell(large);
}

void *heap_reuse_large(Heap *heap, size_t size) {
  Large *large = dead_revive(heap, size);
  if (!large) return NULL;
  large->marked = heap->allocate_marked;
  if (UNLIKELY(heap->born != NULL))
    side_table_mark_large(heap->born, large + 1);
  large_link(heap, large);
  return large_cell(large);
}

/* -- Resizing -------------------------------------------------------------- */

/* The program uses the cell, so it is swept before it is resized.  Its mark is
** then that of a cell that survived the sweep. */
static void large_sweep_early(Heap *heap, Large *large) {
  if (!heap->sweeping || large->sweep_epoch == heap->sweep_epoch) return;
  large_unlink(heap, large);
  large->marked = large->marked && heap->keep_marks;
  large_link(heap, large);
}

/* The header of a cell on heap->large has moved here, and its links with it.
** The cell keeps its place in the list, and with it a walk that stands on it. */
static void large_moved(Heap *heap, Large *large, bool walked) {
  *(large->previous ? &large->previous->next : &heap->large) = large;
  if (large->next) large->next->previous = large;
  if (walked) heap->walk->large = large;
}

static bool large_is_walked(const Heap *heap, const Large *large) {
  return heap->walk && heap->walk->large == large;
}

/* Aligns a cell after the allocator has moved it.  The new pointer may need
** another offset, so the header and the contents move there. */
static Large *large_realign(char *raw, uint32_t old_offset, size_t kept) {
  uint32_t offset = large_offset(raw);
  if (offset != old_offset)
    memmove(raw + offset, raw + old_offset, sizeof(Large) + kept);
  Large *large = (Large *)(void *)(raw + offset);
  large->raw_offset = offset;
  return large;
}

/* Moves the contents into a dead cell, if that takes less time than to move
** pages and to fault in new ones.  NULL if not. */
static void *large_move(Heap *heap, Large *old, size_t new_size) {
  if (new_size <= old->size || old->size > COPY_MAX) return NULL;
  Large *large = dead_revive(heap, new_size);
  if (!large) return NULL;
  memcpy(large_cell(large), large_cell(old), old->size);
  large->marked = old->marked;
  large->sweep_epoch = old->sweep_epoch;
  large->previous = old->previous;
  large->next = old->next;
  large_moved(heap, large, large_is_walked(heap, old));
  heap->allocation_clock -= old->size;
  large_discard(heap, old);
  return large_cell(large);
}

void *heap_resize_large(Heap *heap, void *cell, size_t new_size) {
  Large *large = heap_large_of(cell);
  size_t old_size = large->size;
  uint32_t old_offset = large->raw_offset;
  if (new_size > SIZE_MAX - sizeof(Large) - LARGE_SLACK) return NULL;
  large_sweep_early(heap, large);
  void *moved = large_move(heap, large, new_size);
  if (moved) return moved;
  bool walked = large_is_walked(heap, large);
  char *raw = bytes_resize(heap, large_raw(large), large_raw_size(old_size),
                           large_raw_size(new_size));
  if (!raw) return NULL;
  large = large_realign(raw, old_offset, size_min(old_size, new_size));
  large->size = new_size;
  large->is_zero = false;
  large_moved(heap, large, walked);
  heap_account(heap, new_size, old_size);
  heap->large_bytes += new_size - old_size;
  return large_cell(large);
}

/* -- Freeing --------------------------------------------------------------- */

void large_free(Heap *heap, void *cell) {
  Large *large = heap_large_of(cell);
  heap->allocation_clock -= large->size;
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
  if (UNLIKELY(heap->side_table != NULL))
    side_table_forget_large(heap->side_table, large_cell(large));
  size_t kilobytes = large->size > RELEASE_PIECE ? 0 : large->size / 1024;
  large_discard(heap, large);
  return LARGE_SWEEP + kilobytes * LARGE_FREE_KILOBYTE;
}

/* Frees the rest of the leaving cell: `size` bytes at `raw`. */
static size_t leaving_end(Heap *heap, char *raw, size_t size) {
  heap->leaving = NULL;
  heap->releasing_bytes -= size;
  bytes_free(heap, raw, size);
  return size;
}

/* Shrinks the leaving cell by a piece. */
static size_t leaving_shrink(Heap *heap) {
  char *raw = large_raw(heap->leaving);
  size_t old_size = large_raw_size(heap->leaving->size);
  size_t new_size = old_size - SHRINK_PIECE;
  char *left = heap->allocate(heap->context, raw, old_size, new_size);
  if (!left) return leaving_end(heap, raw, old_size);
  heap->footprint -= SHRINK_PIECE;
  heap->releasing_bytes -= SHRINK_PIECE;
  if (left == raw) {
    heap->leaving->size -= SHRINK_PIECE;
    return SHRINK_PIECE;
  }
  heap->moves_on_shrink = true;
  return SHRINK_PIECE + leaving_end(heap, left, new_size);
}

size_t large_release_piece(Heap *heap) {
  if (!heap->leaving) {
    heap->leaving = heap->releasing_last;
    if (!heap->leaving) return 0;
    dead_unlink(heap, heap->leaving);
  }
  size_t size = heap->leaving->size;
  if (size >= 2 * RELEASE_PIECE + SHRINK_PIECE && !heap->moves_on_shrink)
    return leaving_shrink(heap);
  return leaving_end(heap, large_raw(heap->leaving), large_raw_size(size));
}

/* -- Memory of the program's own ------------------------------------------- */

/* Memory of more than RELEASE_PIECE bytes has the header of a large cell.  It
** is on no list while it is in use, and becomes a dead cell when it is
** freed. */

/* Aligns the program's pointer to 16 bytes. */
enum { OWN_OFFSET = 8 };

static void *own_memory(Large *large) {
  return (char *)large_cell(large) + OWN_OFFSET;
}

static Large *own_large(void *memory) {
  return heap_large_of((char *)memory - OWN_OFFSET);
}

static Large *own_begin(char *raw, size_t size) {
  Large *large = (Large *)(void *)(raw + large_offset(raw));
  large->raw_offset = large_offset(raw);
  large->size = size;
  return large;
}

/* Takes a dead cell for a buffer of `size` bytes.  It may be larger by up to
** half and an eighth: a buffer grows by half, so it will soon need that size.
** One buffer at a time may have a cell BUFFER_SLACK times as large.  A program
** often fills one buffer after the other.  Each of them then needs a few cells,
** each larger than the one before by that factor.  The smaller ones together
** have 1/7 of the largest: about what release.c keeps for the largest and a
** string made of it. */
static Large *own_take(Heap *heap, const Large *old, size_t size) {
  Large *large = dead_take(heap, size, size / 2 + size / REUSE_SHARE);
  if (large || (heap->slack_buffer && heap->slack_buffer != old)) return large;
  large = dead_take(heap, size, (BUFFER_SLACK - 1) * size);
  if (large) heap->slack_buffer = large;
  return large;
}

static void own_discard(Heap *heap, Large *large) {
  if (heap->slack_buffer == large) heap->slack_buffer = NULL;
  dead_push(heap, large);
}

void *large_own_allocate(Heap *heap, size_t size) {
  if (size > SIZE_MAX / 4) return NULL;
  size += OWN_OFFSET;
  Large *large = own_take(heap, NULL, size);
  if (large) return own_memory(large);
  char *raw = bytes_allocate(heap, large_raw_size(size));
  if (!raw) return NULL;
  heap_release_filled(heap, size);
  return own_memory(own_begin(raw, size));
}

void large_own_free(Heap *heap, void *memory) {
  own_discard(heap, own_large(memory));
}

/* Resizes by the allocator, which may be able to move pages instead of
** copying. */
static void *own_move(Heap *heap, Large *large, size_t size) {
  size_t old_size = large->size;
  uint32_t old_offset = large->raw_offset;
  char *raw = bytes_resize(heap, large_raw(large), large_raw_size(old_size),
                           large_raw_size(size));
  if (!raw) return NULL;
  if (heap->slack_buffer == large) heap->slack_buffer = NULL;
  if (size > old_size) heap_release_filled(heap, size - old_size);
  large = large_realign(raw, old_offset, size_min(old_size, size));
  large->size = size;
  return own_memory(large);
}

void *large_own_resize(Heap *heap, void *memory, size_t size) {
  Large *large = own_large(memory);
  if (size > SIZE_MAX / 4) return NULL;
  size += OWN_OFFSET;
  size_t parts = heap->slack_buffer == large ? 2 * BUFFER_SLACK : 2;
  if (size <= large->size && size >= large->size / parts) return memory;
  Large *dead = size > large->size ? own_take(heap, large, size) : NULL;
  if (!dead) return own_move(heap, large, size);
  memcpy(large_cell(dead), large_cell(large), large->size);
  own_discard(heap, large);
  return own_memory(dead);
}

/* -- The end --------------------------------------------------------------- */

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
  if (heap->leaving) heap->leaving->next = NULL;
  large_free_list(heap, heap->leaving);
}
