/* SPDX-License-Identifier: MIT */
/*
** weak.c -- clearing dead entries of weak objects
**
** When a visit finds that an object is weak, the object goes on one list or on
** both.  Entries with dead values are cleared before objects are resurrected,
** so that an object about to be finalized is not found as a value.  Entries
** with dead keys are cleared only after objects were resurrected for their
** finalizers.  Objects that were reached only by resurrection come late, at the
** end of weak_values.  A second pass over that list continues where the first
** one stopped.
**
** If memory for a list is refused, the flags in the headers are enough.  Then a
** walk over the heap finds the objects, and clears them piece by piece too.
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

/* Clears one piece of gc->at.clear.object.  Returns the work done. */
static size_t clear_piece(Gc *gc, unsigned which) {
  Cell *cell = gc->at.clear.object;
  const GcKind *kind = gc_kind(gc, cell);
  GcProgress progress = which == WEAK_VALUES
                            ? kind->clear_values(gc, cell, gc->at.clear.piece)
                            : kind->clear_keys(gc, cell, gc->at.clear.piece);
  gc->at.clear.piece = progress.next;
  if (progress.next == GC_DONE) gc->at.clear.object = NULL;
  return progress.work + PRICE_OBJECT;
}

/* Clears one piece of an object of the list.  Returns the work done, 0 at the
** end. */
static size_t clear_some(Gc *gc, Worklist *list, WorkPlace *place,
                         unsigned which) {
  if (!gc->at.clear.object) {
    if (!place->segment) *place = worklist_begin(list);
    uintptr_t *entry = worklist_next(list, place);
    if (!entry) return 0;
    gc->at.clear.object = (Cell *)*entry;
    gc->at.clear.piece = 0;
  }
  return clear_piece(gc, which);
}

void weak_values_begin(Gc *gc) {
  gc->values_place = worklist_begin(&gc->weak_values);
  gc->at.clear.object = NULL;
}

size_t weak_values_some(Gc *gc) {
  if (gc->debug.skip & SKIP_CLEAR_VALUES) return 0;
  return clear_some(gc, &gc->weak_values, &gc->values_place, WEAK_VALUES);
}

void weak_keys_begin(Gc *gc) {
  gc->at.clear.keys = worklist_begin(&gc->weak_keys);
  gc->at.clear.object = NULL;
}

size_t weak_keys_some(Gc *gc) {
  if (gc->debug.skip & SKIP_CLEAR_KEYS) return 0;
  return clear_some(gc, &gc->weak_keys, &gc->at.clear.keys, WEAK_KEYS);
}

/* -- When memory was short ------------------------------------------------- */

enum { LOST_PIECE = 512 }; /* work after which no further object is begun */

typedef struct LostClearing {
  Gc *gc;
  unsigned which;
  uint8_t flag;
  size_t looked_at;
  size_t work;
  bool left; /* an object of this block was not cleared yet */
} LostClearing;

/* Clears a piece of gc->at.clear.object.  A finished object loses its flag. */
static size_t clear_lost_piece(Gc *gc, unsigned which, uint8_t flag) {
  Cell *cell = gc->at.clear.object;
  size_t work = clear_piece(gc, which);
  if (!gc->at.clear.object) cell->flags &= (uint8_t)~flag;
  return work;
}

static void clear_lost_cell(void *context, void *address, size_t size,
                            bool marked) {
  LostClearing *clearing = context;
  Gc *gc = clearing->gc;
  Cell *cell = address;
  (void)size;
  clearing->looked_at++;
  if (!marked || gc_kind(gc, cell)->flags & (KIND_PART | KIND_LEAF)) return;
  if (clearing->which == WEAK_KEYS) /* gc->returning may be incomplete, too */
    cell->flags &= (uint8_t)~CELL_KEY_PENDING;
  if (!(cell->flags & clearing->flag)) return;
  if (gc->at.clear.object || clearing->work > LOST_PIECE) {
    clearing->left = true;
    return;
  }
  gc->at.clear.object = cell;
  gc->at.clear.piece = 0;
  clearing->work += clear_lost_piece(gc, clearing->which, clearing->flag);
}

void weak_lost_begin(Gc *gc) {
  gc->at.clear.object = NULL;
  heap_walk_begin(&gc->heap, &gc->heap_cursor);
}

/* Walks over a block again if an object in it was not cleared yet. */
size_t weak_lost_some(Gc *gc, unsigned weakness) {
  LostClearing clearing = {.gc = gc,
                           .which = weakness,
                           .flag = weakness == WEAK_VALUES ? CELL_WEAK_VALUES
                                                           : CELL_WEAK_KEYS};
  if (gc->at.clear.object) return clear_lost_piece(gc, weakness, clearing.flag);
  if (!gc->heap.walk) return 0;
  HeapCursor before = gc->heap_cursor;
  heap_walk_some(&gc->heap, &gc->heap_cursor, clear_lost_cell, &clearing);
  if (clearing.left) {
    gc->heap_cursor = before;
    gc->heap.walk = &gc->heap_cursor;
  }
  return clearing.looked_at + clearing.work + PRICE_BLOCK;
}
