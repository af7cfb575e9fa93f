/* SPDX-License-Identifier: MIT */
/*
** verify.c -- checking the invariants
**
** docs/gc/invariants.md says why each invariant must hold.  Here is at least
** one function for each.  They walk the whole heap, so they are for debug
** builds and tests.
**
**   [G1] while marks mean something, no black object refers to a white one
**   [G2] a gray object is on exactly one worklist, and only gray ones are
**   [G3] in pause nothing is marked, unless marks are kept
**   [G4] when marking has ended, all roots are marked
**   [G5] when marking has ended, all that is reachable is marked
**   [G6] slots below a stack's watermark refer to marked objects; that of the
**        running stack is not above its top
**   [G7] entries of the lists of registered objects are objects with the flag
**        of that list
**   [G8] a place in a list is in that list
**   [G9] in pause, an object that may be weak refers to objects in use
**   [G10] no chain of undecided ephemerons is long
*/
#include "gc/gc_impl.h"

#include <stdlib.h>

/* -- A set of cells, each with a count ------------------------------------- */

typedef struct CellSet {
  Cell **cell;
  unsigned *count;
  size_t capacity; /* a power of two */
  size_t used;
} CellSet;

static size_t set_slot(const CellSet *set, const Cell *cell) {
  size_t slot =
      (size_t)((uint64_t)(uintptr_t)cell * UINT64_C(0x9E3779B97F4A7C15) >> 16);
  for (slot &= set->capacity - 1; set->cell[slot];
       slot = (slot + 1) & (set->capacity - 1))
    if (set->cell[slot] == cell) break;
  return slot;
}

static void set_init(CellSet *set, size_t capacity) {
  set->capacity = capacity;
  set->used = 0;
  set->cell = calloc(capacity, sizeof *set->cell);
  set->count = calloc(capacity, sizeof *set->count);
  REQUIRE(set->cell && set->count, "no memory for the verifier");
}

static void set_free(CellSet *set) {
  free(set->cell);
  free(set->count);
}

static void set_grow(CellSet *set) {
  CellSet larger;
  set_init(&larger, set->capacity * 2);
  for (size_t i = 0; i < set->capacity; i++) {
    if (!set->cell[i]) continue;
    size_t slot = set_slot(&larger, set->cell[i]);
    larger.cell[slot] = set->cell[i];
    larger.count[slot] = set->count[i];
  }
  larger.used = set->used;
  set_free(set);
  *set = larger;
}

/* Adds 1 to the count of the cell.  Returns the count before that. */
static unsigned set_add(CellSet *set, Cell *cell) {
  size_t slot = set_slot(set, cell);
  if (!set->cell[slot]) {
    if (set->used * 2 >= set->capacity) {
      set_grow(set);
      slot = set_slot(set, cell);
    }
    set->cell[slot] = cell;
    set->used++;
  }
  return set->count[slot]++;
}

static unsigned set_count(const CellSet *set, const Cell *cell) {
  size_t slot = set_slot(set, cell);
  return set->cell[slot] ? set->count[slot] : 0;
}

/* -- Colors ---------------------------------------------------------------- */

typedef struct Verify {
  Gc *gc;
  Cell *from;
  CellSet listed;
  CellSet in_use;
} Verify;

static bool is_object(const Gc *gc, const Cell *cell) {
  return !(gc_kind(gc, cell)->flags & KIND_PART);
}

static bool is_black(const Cell *cell) {
  return heap_is_marked(cell) && cell->barrier == BARRIER_ARMED &&
         !(cell->flags & CELL_SCANNING);
}

/* not covered: for the messages of failed checks */
static const char *name_of(const Gc *gc, const Cell *cell) {
  return gc_kind(gc, cell)->name;
}

/* Marks mean something from the start of marking to the sweep, and also between
** cycles while marks are kept. */
static bool marks_matter(const Gc *gc) {
  return gc->barrier_mode != BARRIER_OFF;
}

/* -- [G1] ------------------------------------------------------------------ */

static void verify_black_edge(void *context, GcEdge edge) {
  Verify *v = context;
  Gc *gc = v->gc;
  if (!edge.to || edge.strength == EDGE_WEAK ||
      edge.strength == EDGE_WEAK_KEY || edge.strength == EDGE_BORROWED ||
      edge.strength == EDGE_BORROWED_LEAF)
    return;
  if (edge.strength == EDGE_EPHEMERON || edge.strength == EDGE_EPHEMERON_LEAF) {
    bool decided = gc->phase >= PHASE_CLEAR_KEYS && gc->phase < PHASE_SWEEP;
    if (!decided || !heap_is_marked(edge.key)) return;
  }
  REQUIRE(heap_is_marked(edge.to), "[G1] black %s %p --%s--> white %s %p (%s)",
          name_of(gc, v->from), (void *)v->from, edge.label,
          name_of(gc, edge.to), (void *)edge.to,
          gc_phase_name((GcPhase)gc->phase));
}

static void verify_black(Verify *v, Cell *cell) {
  v->from = cell;
  if (is_black(cell)) gc_walk_edges(v->gc, cell, verify_black_edge, v);
}

/* -- [G6] ------------------------------------------------------------------ */

static void verify_slot_edge(void *context, GcEdge edge) {
  Verify *v = context;
  REQUIRE(!edge.to || heap_is_marked(edge.to),
          "[G6] %s below the watermark of %p is white", name_of(v->gc, edge.to),
          (void *)v->from);
}

static void verify_watermark(Verify *v, Cell *cell) {
  const GcKind *kind = gc_kind(v->gc, cell);
  GcStack *stack = (GcStack *)cell;
  if (!(kind->flags & KIND_STACK) || !heap_is_marked(cell)) return;
  if (stack->epoch != v->gc->epoch) return;
  v->from = cell;
  size_t top = kind->stack_top(cell);
  REQUIRE(cell != v->gc->running || stack->watermark <= top,
          "[G6] the watermark of the running stack is above its top");
  kind->walk_slots(cell, 0, size_min(stack->watermark, top), verify_slot_edge,
                   v);
}

/* -- [G2] ------------------------------------------------------------------ */

enum { IN_PIECES_TAG = 1 };

static void collect_listed(Verify *v, Worklist *list) {
  WorkPlace place = worklist_end(list);
  uintptr_t *entry;
  while ((entry = worklist_back(list, &place)) != NULL) {
    bool in_pieces = (*entry & IN_PIECES_TAG) != 0;
    Cell *cell = (Cell *)(*entry & ~(uintptr_t)IN_PIECES_TAG);
    if (in_pieces) {
      uintptr_t *next = worklist_back(list, &place);
      if (*next == PIECE_NONE) continue;
      REQUIRE(cell->flags & CELL_SCANNING || v->gc->gray_lost,
              "[G2] %s in pieces is finished", name_of(v->gc, cell));
    }
    REQUIRE(heap_is_marked(cell), "[G2] white %s %p is listed",
            name_of(v->gc, cell), (void *)cell);
    set_add(&v->listed, cell);
  }
}

static void verify_listed(Verify *v, Cell *cell) {
  bool gray = heap_is_marked(cell) &&
              (cell->barrier == BARRIER_LISTED || cell->flags & CELL_SCANNING);
  if (!gray || v->gc->gray_lost || v->gc->heap.walk) return;
  unsigned lists = set_count(&v->listed, cell);
  REQUIRE(lists == 1 || (lists > 1 && v->gc->gray_twice),
          "[G2] gray %s %p on %u lists", name_of(v->gc, cell), (void *)cell,
          lists);
}

/* The running stack is visited at the end.  All other marked objects that are
** not gray must be watched. */
static void verify_armed(Verify *v, Cell *cell) {
  if (!heap_is_marked(cell) || cell->barrier != BARRIER_DISARMED) return;
  REQUIRE(cell == v->gc->running, "[G2] marked %s %p is not armed",
          name_of(v->gc, cell), (void *)cell);
}

/* -- [G3] ------------------------------------------------------------------ */

static void verify_unmarked(void *context, void *address, size_t size,
                            bool marked) {
  Verify *v = context;
  (void)size;
  REQUIRE(!marked, "[G3] %s %p is marked in pause", name_of(v->gc, address),
          address);
}

/* -- [G4] ------------------------------------------------------------------ */

static void verify_root(void *context, GcEdge edge) {
  Gc *gc = context;
  REQUIRE(!edge.to || heap_is_marked(edge.to), "[G4] root %s is white",
          name_of(gc, edge.to));
}

/* -- [G7] ------------------------------------------------------------------ */

static void verify_registered(Gc *gc, const Worklist *list, uint8_t flag) {
  WorkPlace place = worklist_begin(list);
  uintptr_t *entry;
  while ((entry = worklist_next(list, &place)) != NULL) {
    Cell *cell = (Cell *)*entry;
    if (!cell) continue;
    REQUIRE(cell->kind < gc->client.kind_count && is_object(gc, cell),
            "[G7] %p is no object", (void *)cell);
    REQUIRE((cell->flags & flag) == flag, "[G7] %s %p lost its flag",
            name_of(gc, cell), (void *)cell);
  }
}

static void verify_registrations(Gc *gc) {
  bool compacting = gc->phase == PHASE_SEPARATE || gc->phase == PHASE_DYING;
  if (compacting) return;
  verify_registered(gc, &gc->finalizable, CELL_FINALIZABLE);
  verify_registered(gc, &gc->dying_hooks, CELL_DYING_HOOK);
  verify_registered(gc, &gc->to_finalize, 0);
}

/* -- [G8] ------------------------------------------------------------------ */

static void verify_place(const Worklist *list, WorkPlace place,
                         const char *name) {
  const WorkSegment *segment = list->first;
  if (!place.segment) return;
  while (segment && segment != place.segment) segment = segment->next;
  REQUIRE(segment && place.word >= segment->word &&
              place.word <= segment->word + SEGMENT_WORDS,
          "[G8] the place in %s is not in that list", name);
}

/* While a list is examined, `place` is in it; while gaps are closed, `hole` is
** in it as well. */
static void verify_list_place(const GcListPlace *at, const Worklist *list,
                              const char *name) {
  verify_place(list, at->hole, name);
  if (at->hole.segment) verify_place(list, at->place, name);
}

static void verify_places(const Gc *gc) {
  verify_place(&gc->to_finalize, gc->root_place, "to_finalize");
  if (gc->phase == PHASE_SEPARATE)
    verify_list_place(&gc->at.list, &gc->finalizable, "finalizable");
  if (gc->phase == PHASE_DYING)
    verify_list_place(&gc->at.list, &gc->dying_hooks, "dying_hooks");
  bool clearing = gc->phase == PHASE_CLEAR_KEYS && gc->stage <= 1;
  if (clearing ||
      (gc->phase >= PHASE_CLEAR_VALUES && gc->phase <= PHASE_RESURRECT))
    verify_place(&gc->weak_values, gc->values_place, "weak_values");
  if (clearing && gc->stage == 0)
    verify_place(&gc->weak_keys, gc->at.clear.keys, "weak_keys");
}

/* -- [G9] ------------------------------------------------------------------ */

static void collect_cell(void *context, void *address, size_t size,
                         bool marked) {
  Verify *v = context;
  (void)size;
  (void)marked;
  set_add(&v->in_use, address);
}

static void verify_edge_in_use(void *context, GcEdge edge) {
  Verify *v = context;
  const Cell *key = edge.key ? edge.key : edge.to;
  REQUIRE(!edge.to || (set_count(&v->in_use, edge.to) > 0 &&
                       set_count(&v->in_use, key) > 0),
          "[G9] %s %p --%s--> an object that was freed",
          name_of(v->gc, v->from), (void *)v->from, edge.label);
}

/* All references of kinds that can be weak: one that was weak when the cycle
** decided may be strong now. */
static void verify_weak(void *context, void *address, size_t size,
                        bool marked) {
  Verify *v = context;
  (void)size;
  (void)marked;
  v->from = address;
  const GcKind *kind = gc_kind(v->gc, v->from);
  if (!kind->clear_values && !kind->clear_keys) return;
  gc_walk_edges(v->gc, v->from, verify_edge_in_use, v);
}

static void verify_weak_references(Verify *v) {
  set_init(&v->in_use, 1024);
  heap_walk(&v->gc->heap, collect_cell, v);
  heap_walk(&v->gc->heap, verify_weak, v);
  set_free(&v->in_use);
}

/* -- All together ---------------------------------------------------------- */

static void verify_cell(void *context, void *address, size_t size,
                        bool marked) {
  Verify *v = context;
  Cell *cell = address;
  (void)size;
  REQUIRE(cell->kind < v->gc->client.kind_count, "cell %p of kind %u", address,
          cell->kind);
  if (!marked || !is_object(v->gc, cell) ||
      gc_kind(v->gc, cell)->flags & KIND_LEAF)
    return;
  verify_black(v, cell);
  verify_watermark(v, cell);
  verify_listed(v, cell);
  verify_armed(v, cell);
}

void gc_verify(Gc *gc) {
  Verify v = {.gc = gc};
  heap_check(&gc->heap);
  verify_registrations(gc);
  verify_places(gc);
  if (gc->phase < PHASE_SWEEP) ephemeron_check(gc);
  if (gc->phase == PHASE_PAUSE) verify_weak_references(&v);
  if (gc->phase == PHASE_PAUSE && !marks_matter(gc))
    heap_walk(&gc->heap, verify_unmarked, &v);
  if (gc_unmarked_is_dead(gc)) gc_roots(gc, verify_root, gc);
  if (!marks_matter(gc)) return;
  set_init(&v.listed, 1024);
  collect_listed(&v, &gc->gray);
  collect_listed(&v, &gc->again);
  heap_walk(&gc->heap, verify_cell, &v);
  set_free(&v.listed);
}

/* A check looks at the whole heap.  Of a heap of n * VERIFY_BYTES every nth step
** is checked, so the time for each step does not grow with the heap. */
enum { VERIFY_BYTES = 131072 };

void verify_step(Gc *gc) {
  if (!gc->debug.verify || ++gc->debug.unverified < gc_count(gc) / VERIFY_BYTES)
    return;
  gc->debug.unverified = 0;
  gc_verify(gc);
}

/* -- [G5]: marking a second time ------------------------------------------- */

typedef struct Checkmark {
  Gc *gc;
  CellSet reached;
  Cell **stack;
  size_t depth;
  size_t capacity;
  bool changed;
} Checkmark;

static void check_reach(Checkmark *check, Cell *cell) {
  if (set_count(&check->reached, cell) > 0) return;
  set_add(&check->reached, cell);
  check->changed = true;
  if (gc_kind(check->gc, cell)->flags & (KIND_PART | KIND_LEAF)) return;
  if (check->depth == check->capacity) {
    check->capacity = check->capacity ? check->capacity * 2 : 256;
    check->stack =
        realloc(check->stack, check->capacity * sizeof *check->stack);
    REQUIRE(check->stack, "no memory for the verifier");
  }
  check->stack[check->depth++] = cell;
}

static void check_edge(void *context, GcEdge edge) {
  Checkmark *check = context;
  if (!edge.to || edge.strength == EDGE_WEAK || edge.strength == EDGE_WEAK_KEY)
    return;
  bool ephemeron =
      edge.strength == EDGE_EPHEMERON || edge.strength == EDGE_EPHEMERON_LEAF;
  if (ephemeron && set_count(&check->reached, edge.key) == 0) {
    if (!(gc_kind(check->gc, edge.key)->flags & KIND_LEAF)) return;
    check_reach(check, edge.key); /* not covered: no client has such keys */
  }
  check_reach(check, edge.to);
}

static void check_drain(Checkmark *check) {
  while (check->depth > 0)
    gc_walk_edges(check->gc, check->stack[--check->depth], check_edge, check);
}

static void check_list(Checkmark *check, const Worklist *list) {
  WorkPlace place = worklist_begin(list);
  uintptr_t *entry;
  while ((entry = worklist_next(list, &place)) != NULL)
    check_reach(check, (Cell *)*entry);
}

/* Handles entries whose key was reached later: visits all objects with
** ephemerons again until nothing changes.  This is quadratic, and obviously
** correct. */
static void check_ephemerons(Checkmark *check) {
  do {
    check->changed = false;
    for (size_t i = 0; i < check->reached.capacity; i++) {
      Cell *cell = check->reached.cell[i];
      if (cell && cell->flags & CELL_WEAK_KEYS) {
        gc_walk_edges(check->gc, cell, check_edge, check);
        check_drain(check);
      }
    }
  } while (check->changed);
}

static void check_compare(const Checkmark *check) {
  for (size_t i = 0; i < check->reached.capacity; i++) {
    Cell *cell = check->reached.cell[i];
    REQUIRE(!cell || heap_is_marked(cell),
            "[G5] %s %p is reachable but was not marked",
            name_of(check->gc, cell), (void *)cell);
  }
}

void verify_checkmark(Gc *gc) {
  Checkmark check = {.gc = gc};
  set_init(&check.reached, 1024);
  gc_roots(gc, check_edge, &check);
  if (gc->running) check_reach(&check, gc->running);
  check_list(&check, &gc->to_finalize);
  check_drain(&check);
  check_ephemerons(&check);
  check_compare(&check);
  free(check.stack);
  set_free(&check.reached);
}
