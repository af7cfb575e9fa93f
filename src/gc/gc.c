/* SPDX-License-Identifier: MIT */
/*
** gc.c -- creating and closing a collector, and the slow path of allocation
*/
#include "gc/gc_impl.h"

#include <string.h>

#include "heap/side_table.h"

enum {
  LARGE_EVENT = 65536,  /* cells from this size on are reported */
  RESERVE_FROM = 65536, /* a heap of this many bytes will need collecting */
  CLEAR_MAX = 262144    /* up to this size clearing memory is faster than to
                          ** fault new memory in: 20 us */
};

void gc_init(Gc *gc, const GcClient *client, HeapAllocFn *allocate,
             void *context) {
  memset(gc, 0, sizeof *gc);
  heap_init(&gc->heap, allocate, context);
  gc->heap.poison = PENUMBRA_STRESS;
  gc->client = *client;
  ASSERT(client->kind_count <= GC_KINDS_MAX, "too many kinds: %u",
         client->kind_count);
  mark_set_visits(gc);
  gc->newborn.barrier = BARRIER_DISARMED;
  gc->barrier_mode = BARRIER_OFF;
  gc->epoch = 1;
  gc->debug.step_always = PENUMBRA_STRESS;
  gc->debug.verify = PENUMBRA_STRESS;
  gc->debug.checkmark = PENUMBRA_STRESS;
  pace_init(gc);
  choose_mode(gc);
}

void gc_close(Gc *gc) {
  Worklist *lists[] = {&gc->gray,        &gc->again,       &gc->weak_values,
                       &gc->weak_keys,   &gc->finalizable, &gc->to_finalize,
                       &gc->dying_hooks, &gc->returning};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    worklist_free(gc, lists[i]);
  Worklist spares = {.first = gc->spare_segments};
  worklist_free(gc, &spares);
  gc->spare_segments = NULL;
  ephemeron_free(gc);
  if (gc->inspection.drop) gc->inspection.drop(gc->inspection.context);
  if (gc->heap.side_table) side_table_drop(&gc->heap);
  gc_enable_histogram(gc, false);
  heap_walk_end(&gc->heap);
  heap_close(&gc->heap);
}

/* -- Allocation ------------------------------------------------------------ */

/* True if a test wants this allocation to fail.  Only in debug builds does
** every allocation come here. */
static bool is_refused(Gc *gc) {
  GcDebug *debug = &gc->debug;
  if (LIKELY(debug->fail_in == 0)) return false;
  if (debug->fail_in > 1) {
    debug->fail_in--;
    return false;
  }
  if (!debug->fail_after) debug->fail_in = 0;
  debug->refused++;
  gc_collect_emergency(gc);
  return true;
}

/* Reserves the memory that every collection needs before memory is short.
** Otherwise an emergency collection could not run.  A tiny program does not pay
** for this yet. */
static void reserve_early(Gc *gc) {
  const Heap *heap = &gc->heap;
  if (heap->footprint >= RESERVE_FROM ||
      (heap->limit && heap->footprint >= heap->limit / 2))
    cycle_reserve(gc);
}

static void notice_new(Gc *gc, void *cell, size_t size) {
  pace_notice(gc);
  if (UNLIKELY(gc->watch.made != NULL)) report_made(gc, cell, size);
}

static NO_INLINE void *allocate_with_care(Gc *gc, size_t size) {
  if (gc->debug.collect_always) gc_collect_emergency(gc);
  if (is_refused(gc)) return NULL;
  void *cell = heap_allocate(&gc->heap, size);
  if (UNLIKELY(!cell)) {
    gc_collect_emergency(gc);
    cell = heap_allocate(&gc->heap, size);
    if (!cell) return NULL;
  }
  if (size >= LARGE_EVENT) report_event(gc, EVENT_LARGE_CELL, size);
  if (UNLIKELY(!gc->again.last)) reserve_early(gc);
  notice_new(gc, cell, size);
  return cell;
}

/* In the usual case this only takes the next run of small cells. */
void *gc_allocate_slow(Gc *gc, size_t size) {
  const GcDebug *debug = &gc->debug;
  if (LIKELY(size <= CELL_MAX && gc->again.last && debug->fail_in == 0 &&
             !debug->collect_always)) {
    void *cell = heap_allocate(&gc->heap, size);
    if (LIKELY(cell != NULL)) {
      notice_new(gc, cell, size);
      return cell;
    }
  }
  return allocate_with_care(gc, size);
}

/* Rounds sizes up by less than an eighth, so that strings that get a bit longer
** every time can reuse each other's memory. */
static size_t huge_rounded(size_t size) {
  size_t unit = (size_t)1 << (bits_highest(size) - 3);
  return size <= SIZE_MAX - unit ? (size + unit - 1) & ~(unit - 1) : size;
}

void gc_give_back(Gc *gc, size_t size) { heap_release_filled(&gc->heap, size); }

/* Reuses a dead cell, or NULL. */
static void *reuse_huge(Gc *gc, size_t size, unsigned kind) {
  if (is_refused(gc)) return NULL;
  Cell *cell = heap_reuse_large(&gc->heap, size);
  if (!cell) return NULL;
  notice_new(gc, cell, size);
  return gc_begin_object(gc, cell, kind);
}

void *gc_new_huge(Gc *gc, size_t size, unsigned kind) {
  size = huge_rounded(size);
  Cell *cell = reuse_huge(gc, size, kind);
  if (cell) return cell;
  cell = gc_new(gc, size, kind);
  gc_give_back(gc, size);
  return cell;
}

void *gc_new_part(Gc *gc, size_t size, size_t cleared, unsigned kind) {
  Cell *cell = NULL;
  bool huge = UNLIKELY(size >= HUGE_SIZE), reusing = cleared <= CLEAR_MAX;
  if (huge && reusing) cell = reuse_huge(gc, size, kind);
  if (cell) return cell;
  cell = gc_new(gc, size, kind);
  if (huge && !reusing) heap_release_useless(&gc->heap, size);
  return cell;
}

void gc_free_part(Gc *gc, void *part, size_t size) {
  size_t before = gc->heap.allocation_clock;
  heap_free(&gc->heap, part, size);
  if (UNLIKELY(gc->watch.made != NULL))
    report_freed(gc, part, before - gc->heap.allocation_clock);
  pace_freed(gc, before - gc->heap.allocation_clock);
  if (gc->heap.releasing && heap_excess(&gc->heap) > 0 && !gc->stopped)
    gc->step_due = true;
}

/* Resizes a large cell to another large size.  The allocator may do it in
** place. */
static void *resize_large(Gc *gc, void *part, size_t old_size,
                          size_t new_size) {
  if (is_refused(gc)) return NULL;
  if (UNLIKELY(gc->watch.made != NULL))
    report_grows(gc, part, old_size, new_size);
  void *cell = heap_resize_large(&gc->heap, part, new_size);
  if (!cell) {
    gc_collect_emergency(gc);
    cell = heap_resize_large(&gc->heap, part, new_size);
  }
  if (!cell) return NULL;
  heap_release_filled(&gc->heap, new_size);
  if (new_size < old_size) gc->pace.frees++;
  if (UNLIKELY(gc->watch.made != NULL))
    gc->watch.moved(gc->watch.context, part, cell);
  pace_notice(gc);
  return cell;
}

void *gc_resize_part(Gc *gc, void *part, size_t old_size, size_t new_size) {
  if (old_size > CELL_MAX && new_size > CELL_MAX)
    return resize_large(gc, part, old_size, new_size);
  if (heap_rounded_size(old_size) == heap_rounded_size(new_size)) return part;
  void *cell = gc_allocate_slow(gc, new_size);
  if (!cell) return NULL;
  memcpy(cell, part, size_min(old_size, new_size));
  gc_free_part(gc, part, old_size);
  return cell;
}

/* -- Walking --------------------------------------------------------------- */

void gc_walk_edges(const Gc *gc, Cell *cell, GcEdgeFn *edge, void *context) {
  const GcKind *kind = gc_kind(gc, cell);
  if (kind->flags & (KIND_PART | KIND_LEAF)) return;
  size_t from = 0;
  do {
    from = kind->walk(cell, from, edge, context).next;
  } while (from != GC_DONE);
  if (kind->flags & KIND_STACK)
    kind->walk_slots(cell, 0, kind->stack_top(cell), edge, context);
}
