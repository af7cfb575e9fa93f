/* SPDX-License-Identifier: MIT */
/*
** finalize.c -- objects with finalizers, and objects with a `dying` hook
**
** Registered objects are on a list in the order of registration.  The age of
** an object does not matter.  When marking has ended, a walk goes from the
** newest entry to the oldest.  Unreached objects move to the queue
** `to_finalize` in that order.  They are marked, so that they and all they
** refer to live on for their finalizers.  A second walk closes the gaps.
**
** In a minor cycle the walk ends at the entries that were registered before the
** last cycle: their objects are old and so marked.
**
**      finalizable:   a b c d e f g        a, d, f not reached
**      to_finalize:   ... f d a            f is finalized first
**      finalizable:   b c e g
*/
#include "gc/gc_impl.h"

enum { LIST_PIECE = 128 };

bool gc_register_finalizer(Gc *gc, Cell *cell) {
  if (cell->flags & CELL_FINALIZABLE) return true;
  if (!worklist_push(gc, &gc->finalizable, (uintptr_t)cell)) return false;
  cell->flags |= CELL_FINALIZABLE;
  return true;
}

/* -- Separating ------------------------------------------------------------ */

void finalize_separate_begin(Gc *gc) {
  gc->at.list.place = worklist_end(&gc->finalizable);
  gc->at.list.left = worklist_count(&gc->finalizable);
  if (gc->minor) gc->at.list.left -= gc->finalizable_old;
  gc->at.list.hole.segment = NULL;
}

/* Queues an unreached object.  If there is no memory for the queue, the object
** stays registered and lives until a later cycle can queue it. */
static void separate_cell(Gc *gc, uintptr_t *entry) {
  Cell *cell = (Cell *)*entry;
  if (worklist_push(gc, &gc->to_finalize, (uintptr_t)cell)) {
    *entry = 0;
    gc->at.list.hole = gc->at.list.place;
    gc->at.list.hole_index =
        gc->at.list.left + (gc->minor ? gc->finalizable_old : 0);
    gc->stats.finalizers_queued++;
  }
  if (!(gc->debug.skip & SKIP_RESURRECT)) mark_cell(gc, cell);
}

size_t finalize_separate_some(Gc *gc) {
  size_t work = 0;
  while (gc->at.list.left > 0 && work < LIST_PIECE * PRICE_FINALIZABLE) {
    uintptr_t *entry = worklist_back(&gc->finalizable, &gc->at.list.place);
    gc->at.list.left--;
    work += PRICE_FINALIZABLE;
    if (!heap_is_marked((Cell *)*entry)) separate_cell(gc, entry);
  }
  if (work == 0) gc->at.list.place = gc->at.list.hole; /* the oldest gap */
  return work;
}

static void keep_entry(Gc *gc, Worklist *list, uintptr_t value) {
  *worklist_next(list, &gc->at.list.hole) = value;
  gc->at.list.hole_index++;
}

/* Moves entries down into the gaps.  The program may append entries between two
** calls. */
static size_t compact_some(Gc *gc, Worklist *list) {
  size_t work = 0;
  while (gc->at.list.hole.segment && work < LIST_PIECE) {
    uintptr_t *entry = worklist_next(list, &gc->at.list.place);
    if (!entry) {
      worklist_truncate(gc, list, gc->at.list.hole, gc->at.list.hole_index);
      gc->at.list.hole.segment = NULL;
    } else if (*entry) {
      keep_entry(gc, list, *entry);
    }
    work++;
  }
  return work;
}

size_t finalize_compact_some(Gc *gc) {
  size_t work = compact_some(gc, &gc->finalizable);
  if (work == 0) gc->finalizable_old = worklist_count(&gc->finalizable);
  return work;
}

/* -- Reviving -------------------------------------------------------------- */

/* While objects are revived, the bytes that this marks are counted.  Most of
** them die when their finalizers have been called, so they must not raise the
** goal.  An object is counted when it is visited.  What is never visited is
** marked and counted here.  So each reference is read twice, but charged
** once. */
static void count_unvisited(void *context, GcEdge edge) {
  Gc *gc = context;
  bool unvisited = edge.strength == EDGE_LEAF || edge.strength == EDGE_PART ||
                   edge.strength == EDGE_BORROWED_LEAF;
  if (unvisited && heap_mark(edge.to))
    gc->pace.revived += heap_cell_size(edge.to);
}

static GcProgress visit_counted(Gc *gc, Cell *cell, size_t from) {
  const GcKind *kind = gc_kind(gc, cell);
  if (from == 0) gc->pace.revived += heap_cell_size(cell);
  kind->walk(cell, from, count_unvisited, gc);
  return kind->scan(gc, cell, from);
}

void finalize_revive_begin(Gc *gc) {
  for (unsigned i = 0; i < gc->client.kind_count; i++)
    if (!(gc->client.kinds[i].flags & KIND_STACK)) gc->visit[i] = visit_counted;
}

void finalize_revive_end(Gc *gc) {
  gc->ready = worklist_count(&gc->to_finalize);
  mark_set_visits(gc);
}

/* -- The queue ------------------------------------------------------------- */

/* While a state closes, registered objects are taken too, even if reached.  In
** the middle of a cycle some of them may be dead, so the cycle is finished
** first. */
Cell *gc_next_finalizable(Gc *gc) {
  Worklist *queue = &gc->to_finalize;
  if (gc->closing && gc_unmarked_is_dead(gc)) cycle_finish(gc);
  if (gc->ready > 0) {
    WorkSegment *first = queue->first;
    Cell *cell = (Cell *)worklist_shift(gc, queue);
    gc->ready--;
    gc->stats.finalizers_taken++;
    cell->flags &= (uint8_t)~CELL_FINALIZABLE; /* may be registered again */
    bool passed = gc->root_place.segment == first && queue->first != first;
    if (passed || worklist_is_empty(queue))
      gc->root_place.segment = NULL; /* all in front of it has been taken */
    if (gc->ready == 0) pace_finalized(gc);
    return cell;
  }
  if (!gc->closing || worklist_is_empty(&gc->finalizable)) return NULL;
  Cell *cell = (Cell *)worklist_pop(gc, &gc->finalizable);
  gc->stats.finalizers_taken++;
  cell->flags &= (uint8_t)~CELL_FINALIZABLE;
  gc->finalizable_old =
      size_min(gc->finalizable_old, worklist_count(&gc->finalizable));
  return cell;
}

void gc_queue_all_finalizable(Gc *gc) {
  cycle_finish(gc);
  gc->closing = true;
}

void gc_begin_waiting(Gc *gc) {
  gc->root_place = worklist_end(&gc->to_finalize);
}

Cell *gc_next_waiting(Gc *gc) {
  uintptr_t *entry = worklist_back(&gc->to_finalize, &gc->root_place);
  if (!entry) gc->root_place.segment = NULL;
  return entry ? (Cell *)*entry : NULL;
}

/* Objects in the queue are roots.  They come last, so what they alone refer to is
** counted with what is revived. */
size_t finalize_mark_some(Gc *gc) {
  size_t work = 0;
  if (gc->root_place.segment)
    finalize_revive_begin(gc);
  else
    mark_set_visits(gc);
  while (gc->root_place.segment && work < LIST_PIECE * PRICE_FINALIZABLE) {
    Cell *cell = gc_next_waiting(gc);
    if (cell) mark_cell(gc, cell);
    work += PRICE_FINALIZABLE;
  }
  return work;
}

/* -- Objects that let go of others when they die --------------------------- */

bool gc_register_dying(Gc *gc, Cell *cell) {
  if (cell->flags & CELL_DYING_HOOK) return true;
  if (!worklist_push(gc, &gc->dying_hooks, (uintptr_t)cell)) return false;
  cell->flags |= CELL_DYING_HOOK;
  return true;
}

void dying_begin(Gc *gc) {
  gc->at.list.place = gc->at.list.hole = worklist_begin(&gc->dying_hooks);
  gc->at.list.hole_index = 0;
}

static void dying_cell(Gc *gc, uintptr_t *entry) {
  Cell *cell = (Cell *)*entry;
  if (heap_is_marked(cell)) {
    keep_entry(gc, &gc->dying_hooks, *entry);
  } else if (!(gc->debug.skip & SKIP_DYING)) {
    gc_kind(gc, cell)->dying(gc, cell);
  }
}

size_t dying_some(Gc *gc) {
  size_t work = 0;
  while (gc->at.list.hole.segment && work < LIST_PIECE) {
    uintptr_t *entry = worklist_next(&gc->dying_hooks, &gc->at.list.place);
    if (entry) {
      dying_cell(gc, entry);
    } else {
      worklist_truncate(gc, &gc->dying_hooks, gc->at.list.hole,
                        gc->at.list.hole_index);
      gc->at.list.hole.segment = NULL;
    }
    work += PRICE_FINALIZABLE;
  }
  return work;
}
