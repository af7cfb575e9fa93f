/* SPDX-License-Identifier: MIT */
/*
** mark.c -- visiting gray objects
**
** An entry of the gray list is the address of an object.  For an object visited
** in pieces it is two words: where the next piece begins, and the address plus
** one.  That entry stays in place while a piece is visited, below the objects
** that the piece refers to.  So these are visited before the next piece: for an
** array of a million objects, the list holds a few hundred of them.  When the
** object is finished, its entry becomes PIECE_NONE, and is dropped when it is
** popped.
**
** Memory for the list may be refused.  Then the object is marked and its gray
** byte is LISTED, but it is on no list, and gc->gray_lost is set.  When the
** list is empty, a walk over the heap finds such objects again.  The same walk
** sets objects with ephemerons back: see ephemeron.c.
*/
#include "gc/gc_impl.h"

enum { ENTRY_IN_PIECES = 1 };

void mark_cell(Gc *gc, Cell *cell) {
  if (gc_kind(gc, cell)->flags & (KIND_LEAF | KIND_PART))
    heap_mark(cell);
  else
    gc_mark_object(gc, cell);
}

/* There are few roots, so this looks up their kinds. */
static void mark_root(void *context, GcEdge edge) {
  if (edge.to) mark_cell(context, edge.to);
}

void mark_roots(Gc *gc) {
  gc->client.roots(gc->client.context, mark_root, gc);
  if (gc->running) gc_mark_object(gc, gc->running);
}

void mark_fixed_roots(Gc *gc) {
  if (gc->client.scan_fixed_roots)
    gc->client.scan_fixed_roots(gc->client.context, gc);
}

void gc_roots(const Gc *gc, GcEdgeFn *edge, void *context) {
  gc->client.roots(gc->client.context, edge, context);
  if (gc->client.walk_fixed_roots)
    gc->client.walk_fixed_roots(gc->client.context, edge, context);
}

/* -- Objects --------------------------------------------------------------- */

enum {
  FLAGS_OF_VISIT =
      CELL_KEY_PENDING | CELL_IN_PIECES | CELL_SCANNING | CELL_RESTART
};

/* Pushes an entry for the rest of an object, which begins at `next`.  Returns
** the place of `next` in the list.  NULL: no memory. */
static uintptr_t *push_piece(Gc *gc, Cell *cell, size_t next) {
  cell->flags |= CELL_IN_PIECES | CELL_SCANNING;
  if (worklist_push(gc, &gc->gray, next)) {
    uintptr_t *noted = gc->gray.top - 1;
    if (worklist_push(gc, &gc->gray, (uintptr_t)cell + ENTRY_IN_PIECES))
      return noted;
    worklist_pop(gc, &gc->gray); /* not covered: no memory just here */
  }
  gc->gray_lost = true;
  return NULL;
}

/* Handles the rare results of a visit: weak references, and further pieces.
** Returns the work that the visit has not counted. */
static COLD size_t visit_end(Gc *gc, Cell *cell, GcProgress progress) {
  if (progress.weakness) weak_note(gc, cell, progress.weakness);
  if (progress.weakness == WEAK_KEYS && progress.next != GC_DONE)
    ephemeron_ask(gc, cell);
  if (progress.next != GC_DONE)
    push_piece(gc, cell, progress.next);
  else
    cell->flags &= (uint8_t)~CELL_SCANNING;
  return ephemeron_passed(gc);
}

static COLD size_t visit_begin(Gc *gc, Cell *cell) {
  cell->flags &= (uint8_t) ~(CELL_IN_PIECES | CELL_SCANNING | CELL_RESTART);
  return cell->flags & CELL_KEY_PENDING ? ephemeron_key_reached(gc, cell) : 0;
}

/* True if the object was made while this cycle marks. */
static bool is_new(const Cell *cell) {
  return (cell->flags & (CELL_RESTART | CELL_SCANNING)) == CELL_RESTART;
}

/* Visits an object.  From now on the barrier watches it. */
static ALWAYS_INLINE size_t visit_new(Gc *gc, Cell *cell) {
  size_t work = PRICE_OBJECT;
  bool fresh = false;
  if (UNLIKELY(cell->flags & FLAGS_OF_VISIT)) {
    fresh = is_new(cell);
    work += visit_begin(gc, cell);
  }
  cell->barrier = BARRIER_ARMED;
  gc->scanning = cell;
  GcProgress progress = gc->visit[cell->kind](gc, cell, 0);
  if (UNLIKELY(progress.next | progress.weakness))
    work += visit_end(gc, cell, progress);
  work += progress.work;
  if (UNLIKELY(fresh)) gc->pace.new_work += (float)work;
  return work;
}

/* Visits the next piece of an object.  The word below its address in the list
** is where the piece begins.  If the slots of the object have moved, the visit
** starts again. */
static size_t visit_next_piece(Gc *gc, Cell *cell) {
  size_t from = worklist_pop(gc, &gc->gray);
  if (from == PIECE_NONE || !(cell->flags & CELL_SCANNING)) return 1;
  if (cell->flags & CELL_RESTART) {
    cell->flags &= (uint8_t)~CELL_RESTART;
    from = 0;
  }
  uintptr_t *noted = push_piece(gc, cell, from); /* in place again */
  gc->scanning = cell;
  GcProgress progress = gc->visit[cell->kind](gc, cell, from);
  if (progress.weakness) weak_note(gc, cell, progress.weakness);
  if (progress.next == GC_DONE) cell->flags &= (uint8_t)~CELL_SCANNING;
  if (noted) *noted = progress.next == GC_DONE ? PIECE_NONE : progress.next;
  return progress.work + PRICE_OBJECT + ephemeron_passed(gc);
}

/* -- The gray list --------------------------------------------------------- */

/* Between the list and the visit, objects wait in a ring while the prefetch
** brings them into the cache (Cher, Hosking and Vitek 2004).  Three cache lines
** are fetched, because most tables have a part right behind their fields: a hash
** of four nodes ends 144 bytes from the beginning. */
enum { RING = 8, LINE = 64 };

static void ring_return(Gc *gc, Cell **ring) {
  for (int i = 0; i < RING; i++)
    if (ring[i] && !worklist_push(gc, &gc->gray, (uintptr_t)ring[i]))
      gc->gray_lost = true;
}

/* Visits the objects in the ring, oldest first, about `budget` units.  Returns
** the work done. */
static size_t ring_drain(Gc *gc, Cell **ring, unsigned place, size_t budget) {
  size_t work = 0;
  for (int i = 0; i < RING && work < budget; i++) {
    Cell *cell = ring[(place + (unsigned)i) % RING];
    ring[(place + (unsigned)i) % RING] = NULL;
    if (cell && cell->barrier == BARRIER_LISTED) work += visit_new(gc, cell);
  }
  return work;
}

size_t mark_gray(Gc *gc, size_t budget) {
  Cell *ring[RING] = {NULL};
  unsigned place = 0;
  size_t work = 0;
  while (work < budget) {
    if (UNLIKELY(worklist_is_empty(&gc->gray))) {
      work += ring_drain(gc, ring, place, budget - work) + 1;
      if (worklist_is_empty(&gc->gray)) break;
    }
    uintptr_t entry = worklist_pop(gc, &gc->gray);
    if (UNLIKELY(entry & ENTRY_IN_PIECES)) {
      work += visit_next_piece(gc, (Cell *)(entry - ENTRY_IN_PIECES));
      continue;
    }
    PREFETCH((void *)entry);
    PREFETCH((char *)entry + LINE);
    PREFETCH((char *)entry + 2 * LINE);
    Cell *cell = ring[place];
    ring[place] = (Cell *)entry;
    place = (place + 1) % RING;
    if (cell && LIKELY(cell->barrier == BARRIER_LISTED))
      work += visit_new(gc, cell);
  }
  ring_return(gc, ring);
  return work;
}

size_t mark_again_one(Gc *gc) {
  Cell *cell = (Cell *)worklist_pop(gc, &gc->again);
  if (cell->barrier != BARRIER_LISTED) return 1;
  return visit_new(gc, cell);
}

/* -- Stacks ---------------------------------------------------------------- */

static GcStack *stack_current(Gc *gc, Cell *cell) {
  GcStack *stack = (GcStack *)cell;
  if (stack->epoch != gc->epoch) {
    stack->epoch = gc->epoch;
    stack->watermark = 0;
  }
  return stack;
}

/* The number of slots that may be visited before the end of marking. */
static size_t stack_limit(const Gc *gc, const Cell *cell) {
  const GcKind *kind = gc_kind(gc, cell);
  size_t top = kind->stack_top(cell);
  if (cell != gc->running) return top;
  return size_min(top, kind->stack_stable(cell));
}

bool mark_stack_piece(Gc *gc, Cell *cell, size_t *work) {
  const GcKind *kind = gc_kind(gc, cell);
  GcStack *stack = stack_current(gc, cell);
  size_t limit = stack_limit(gc, cell);
  gc->scanning = cell;
  *work += kind->scan(gc, cell, 0).work + PRICE_OBJECT;
  size_t from = size_min(stack->watermark, limit);
  size_t to = size_min(limit, from + GC_PIECE);
  kind->scan_slots(gc, cell, from, to);
  *work += to - from;
  if (to > stack->watermark) {
    stack->watermark = to;
    if (kind->stack_watch) kind->stack_watch(cell, to);
  }
  if (to < limit) return false;
  cell->barrier = cell == gc->running ? BARRIER_DISARMED : BARRIER_ARMED;
  return true;
}

/* The visit function of stacks.  A stack that is not finished stays gray, and
** its next visit continues at its watermark. */
static GcProgress visit_stack(Gc *gc, Cell *cell, size_t from) {
  size_t work = 0;
  (void)from;
  if (!mark_stack_piece(gc, cell, &work)) gc_push_gray(gc, cell);
  return (GcProgress){GC_DONE, (uint32_t)work, WEAK_NONE};
}

void mark_set_visits(Gc *gc) {
  for (unsigned i = 0; i < gc->client.kind_count; i++) {
    const GcKind *kind = &gc->client.kinds[i];
    gc->visit[i] = kind->flags & KIND_STACK ? visit_stack : kind->scan;
  }
}

bool mark_running_is_behind(Gc *gc) {
  if (!gc->running || gc->running->barrier == BARRIER_LISTED) return false;
  GcStack *stack = stack_current(gc, gc->running);
  return stack->watermark < stack_limit(gc, gc->running);
}

size_t mark_running_slots(Gc *gc) {
  if (!gc->running) return 0;
  GcStack *stack = stack_current(gc, gc->running);
  size_t top = gc_kind(gc, gc->running)->stack_top(gc->running);
  return top - size_min(stack->watermark, top);
}

size_t mark_running_rest(Gc *gc) {
  Cell *cell = gc->running;
  if (!cell) return 1;
  const GcKind *kind = gc_kind(gc, cell);
  GcStack *stack = stack_current(gc, cell);
  gc->scanning = cell;
  kind->scan(gc, cell, 0);
  size_t top = kind->stack_top(cell);
  size_t from = size_min(stack->watermark, top);
  kind->scan_slots(gc, cell, from, top);
  return top - from + PRICE_OBJECT;
}

/* -- When memory was short ------------------------------------------------- */

typedef struct LostSearch {
  Gc *gc;
  size_t work;
} LostSearch;

static void find_lost_cell(void *context, void *address, size_t size,
                           bool marked) {
  LostSearch *search = context;
  Gc *gc = search->gc;
  Cell *cell = address;
  (void)size;
  search->work++;
  if (!marked || gc_kind(gc, cell)->flags & (KIND_PART | KIND_LEAF)) return;
  if (cell->barrier == BARRIER_LISTED || cell->flags & CELL_SCANNING ||
      (gc->revisiting && cell->flags & CELL_WEAK_KEYS))
    gc_push_gray(gc, cell);
}

static void find_lost_begin(Gc *gc) {
  gc->gray_lost = false;
  gc->gray_twice = true;
  gc->revisiting = gc->key_lost;
  if (gc->revisiting) gc->key_lost = gc->pending_lost = false;
  heap_walk_begin(&gc->heap, &gc->heap_cursor);
}

size_t mark_find_lost(Gc *gc) {
  LostSearch search = {gc, PRICE_BLOCK};
  if (!gc->heap.walk) find_lost_begin(gc);
  heap_walk_some(&gc->heap, &gc->heap_cursor, find_lost_cell, &search);
  return search.work;
}
