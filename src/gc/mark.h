/* SPDX-License-Identifier: MIT */
/*
** mark.h -- marking one reference, inlined into the visit of each kind
**
** Included by gc.h.  A kind's list of references calls gc_mark_edge with a
** constant strength, so the compiler keeps only one branch in each place.
*/
#ifndef PENUMBRA_GC_MARK_H
#define PENUMBRA_GC_MARK_H

#include "gc/gc.h"

/* Puts an object on the gray list.  The store into the barrier byte also
** fetches the object's cache line, and nothing waits for it as it would for a
** load. */
static ALWAYS_INLINE void gc_push_gray(Gc *gc, Cell *cell) {
  cell->barrier = BARRIER_LISTED;
  if (UNLIKELY(!worklist_push(gc, &gc->gray, (uintptr_t)cell)))
    gc->gray_lost = true;
}

/* Marks an object that has references. */
static ALWAYS_INLINE void gc_mark_object(Gc *gc, Cell *cell) {
  if (heap_mark(cell)) gc_push_gray(gc, cell);
}

/* Call before marking references of an object out of turn. */
static ALWAYS_INLINE void gc_mark_from(Gc *gc, Cell *object) {
  gc->scanning = object;
}

/* Called when the object being visited has an entry with an unreached key.
** Records that the entry must be resolved when the key is reached.  False if
** the key has no references, and so will not be visited.  Then the key is
** marked, as if the entry were strong. */
bool gc_ephemeron_pending(Gc *gc, Cell *key);

/* True if the object is searched for every reached key, so that its entries
** need no records: ephemeron.c. */
bool gc_ephemeron_is_asked(const Gc *gc, const Cell *object);

/* Like gc_ephemeron_pending, for a weak key whose entry keeps no value
** alive. */
void gc_weak_key_pending(Gc *gc, Cell *key);

static ALWAYS_INLINE void gc_mark_ephemeron(Gc *gc, GcEdge edge) {
  if (!heap_is_marked(edge.key) && gc_ephemeron_pending(gc, edge.key)) return;
  if (edge.strength == EDGE_EPHEMERON_LEAF)
    heap_mark(edge.to);
  else
    gc_mark_object(gc, edge.to);
}

/* The marker's edge function; `context` is the Gc. */
static ALWAYS_INLINE void gc_mark_edge(void *context, GcEdge edge) {
  Gc *gc = (Gc *)context;
  switch (edge.strength) {
    case EDGE_STRONG:
    case EDGE_BORROWED: gc_mark_object(gc, edge.to); break;
    case EDGE_LEAF:
    case EDGE_BORROWED_LEAF:
    case EDGE_PART: heap_mark(edge.to); break;
    case EDGE_WEAK: break;
    case EDGE_WEAK_KEY:
      if (!heap_is_marked(edge.to)) gc_weak_key_pending(gc, edge.to);
      break;
    case EDGE_EPHEMERON:
    case EDGE_EPHEMERON_LEAF: gc_mark_ephemeron(gc, edge); break;
  }
}

/* Makes the two functions of a kind from `name_edges`, which is
** ALWAYS_INLINE. */
#define GC_KIND_VISITS(name, Type)                                       \
  static GcProgress name##_scan(Gc *gc, Cell *cell, size_t from) {       \
    return name##_edges((Type *)(void *)cell, from, gc_mark_edge, gc);   \
  }                                                                      \
  static GcProgress name##_walk(Cell *cell, size_t from, GcEdgeFn *edge, \
                                void *context) {                         \
    return name##_edges((Type *)(void *)cell, from, edge, context);      \
  }

/* Makes those for the slots of a stack from `name_slot_edges`. */
#define GC_STACK_VISITS(name, Type)                                           \
  static void name##_scan_slots(Gc *gc, Cell *cell, size_t from, size_t to) { \
    name##_slot_edges((Type *)(void *)cell, from, to, gc_mark_edge, gc);      \
  }                                                                           \
  static void name##_walk_slots(Cell *cell, size_t from, size_t to,           \
                                GcEdgeFn *edge, void *context) {              \
    name##_slot_edges((Type *)(void *)cell, from, to, edge, context);         \
  }

#endif
