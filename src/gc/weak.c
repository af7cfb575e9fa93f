/* SPDX-License-Identifier: MIT */
/*
** weak.c -- taking dead entries out of weak objects
**
** An object that turns out to be weak when it is visited is noted on one list
** or both.  Entries with dead values are cleared before finalizers are looked
** for, so that an object about to be finalized is not found through its value;
** entries with dead keys only after objects were resurrected for their
** finalizers.  Objects that were reached only by resurrection are noted late,
** at the end of weak_values; a second pass goes on where the first stopped.
**
** If memory for a list is refused, the flags in the headers are enough: a walk
** over the heap finds the objects then.
*/
#include "gc/gc_impl.h"

static void note(Gc *gc, Worklist *list, Cell *cell, uint8_t flag) {
  if (cell->flags & flag) return;
  cell->flags |= flag;
  if (!worklist_push(gc, list, (uintptr_t)cell)) gc->weak_lost = true;
}

void weak_note(Gc *gc, Cell *cell, unsigned weakness) {
  if (weakness & WEAK_VALUES)
    note(gc, &gc->weak_values, cell, CELL_WEAK_VALUES);
  if (weakness & WEAK_KEYS) note(gc, &gc->weak_keys, cell, CELL_WEAK_KEYS);
}

/* One piece of the list; the work done, 0 at its end. */
static size_t clear_some(Gc *gc, Worklist *list, WorkPlace *place,
                         unsigned which) {
  if (!gc->clearing) {
    if (!place->segment) *place = worklist_begin(list);
    uintptr_t *entry = worklist_next(list, place);
    if (!entry) return 0;
    gc->clearing = (Cell *)*entry;
    gc->piece = 0;
  }
  Cell *cell = gc->clearing;
  const GcKind *kind = gc_kind(gc, cell);
  GcProgress progress = which == WEAK_VALUES
                            ? kind->clear_values(gc, cell, gc->piece)
                            : kind->clear_keys(gc, cell, gc->piece);
  gc->piece = progress.next;
  if (progress.next == GC_DONE) gc->clearing = NULL;
  return progress.work + PRICE_OBJECT;
}

void weak_values_begin(Gc *gc) {
  gc->values_place = worklist_begin(&gc->weak_values);
  gc->clearing = NULL;
}

size_t weak_values_some(Gc *gc) {
  if (gc->debug.skip & SKIP_CLEAR_VALUES) return 0;
  return clear_some(gc, &gc->weak_values, &gc->values_place, WEAK_VALUES);
}

void weak_keys_begin(Gc *gc) {
  gc->place = worklist_begin(&gc->weak_keys);
  gc->clearing = NULL;
}

size_t weak_keys_some(Gc *gc) {
  if (gc->debug.skip & SKIP_CLEAR_KEYS) return 0;
  return clear_some(gc, &gc->weak_keys, &gc->place, WEAK_KEYS);
}

/* -- When memory was short ----------------------------------------------------- */

typedef struct LostClearing {
  Gc *gc;
  uint8_t flag;
} LostClearing;

static void clear_lost_cell(void *context, void *address, size_t size,
                            bool marked) {
  LostClearing *clearing = context;
  Cell *cell = address;
  const GcKind *kind = gc_kind(clearing->gc, cell);
  (void)size;
  if (!marked || kind->flags & (KIND_PART | KIND_LEAF)) return;
  if (!(cell->flags & clearing->flag)) return;
  size_t from = 0;
  do {
    from = (clearing->flag == CELL_WEAK_VALUES ? kind->clear_values
                                               : kind->clear_keys)(
               clearing->gc, cell, from).next;
  } while (from != GC_DONE);
}

static void forget_lost_cell(void *context, void *address, size_t size,
                             bool marked) {
  LostClearing *clearing = context;
  Cell *cell = address;
  (void)size;
  (void)marked;
  if (!(gc_kind(clearing->gc, cell)->flags & (KIND_PART | KIND_LEAF)))
    cell->flags &= (uint8_t)~clearing->flag;
}

size_t weak_clear_lost(Gc *gc, unsigned weakness) {
  bool values = weakness == WEAK_VALUES;
  LostClearing clearing = {gc, values ? CELL_WEAK_VALUES : CELL_WEAK_KEYS};
  heap_walk(&gc->heap, clear_lost_cell, &clearing);
  if (values) return 1;
  clearing.flag = CELL_WEAK_KEYS | CELL_KEY_PENDING;
  heap_walk(&gc->heap, forget_lost_cell, &clearing);
  clearing.flag = CELL_WEAK_VALUES;
  heap_walk(&gc->heap, clear_lost_cell, &clearing);
  heap_walk(&gc->heap, forget_lost_cell, &clearing);
  return 1;
}
