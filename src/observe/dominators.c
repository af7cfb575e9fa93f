/* SPDX-License-Identifier: MIT */
/*
** dominators.c -- what would be free without an object, for all objects at once
**
** The walk is breadth first, so the object that led to another one first is a
** good guess, and a dominator always has a lower number than the object.  Then
** every reference lifts the guess to the nearest common ancestor, until nothing
** changes (Cooper, Harvey and Kennedy 2001).  References are not stored, they
** are visited again each time.
**
** The value of an ephemeron counts as held by its table.
*/
#include "observe/dominators.h"

#include <string.h>

enum { PASSES = 40, STEPS_PER_OBJECT = 500, STEPS_MORE = 10000000 };

/* Long lists with references across them would take very long, so the number of
** steps is bounded. */
static uint32_t common_ancestor(Dominators *d, uint32_t a, uint32_t b) {
  while (a != b && d->steps > 0) {
    d->steps--;
    if (a > b)
      a = d->above[a];
    else
      b = d->above[b];
  }
  return a;
}

static void dominators_lift(Dominators *d, const Cell *to, uint32_t from) {
  uint32_t number = side_table_get(&d->reach.numbers, to);
  if (number == 0) return;
  uint32_t common = common_ancestor(d, d->above[number], from);
  if (common == d->above[number]) return;
  d->above[number] = common;
  d->changed = true;
}

static void dominators_visit(void *context, GcEdge edge) {
  Dominators *d = context;
  const Describer *describer = d->reach.describer;
  if (!edge.to) return;
  if (d->reach.weakness)
    describer->weigh(describer->context, d->reach.weakness, &edge);
  switch (edge.strength) {
    case EDGE_WEAK:
    case EDGE_WEAK_KEY:
    case EDGE_PART: break;
    default: dominators_lift(d, edge.to, d->reach.at);
  }
}

static void dominators_root(void *context, GcEdge edge) {
  if (edge.to) dominators_lift(context, edge.to, 0);
}

static void dominators_pass(Dominators *d) {
  Gc *gc = d->reach.gc;
  const Describer *describer = d->reach.describer;
  d->changed = false;
  gc->client.roots(gc->client.context, dominators_root, d);
  for (uint32_t i = 1; i <= d->count; i++) {
    Cell *cell = dominators_cell(d, i);
    d->reach.at = i;
    d->reach.weakness = describer->weakness(describer->context, cell);
    gc_walk_edges(gc, cell, dominators_visit, d);
  }
}

/* The first guess, and the size of each object. */
static void dominators_prepare(Dominators *d) {
  d->above[0] = 0;
  d->retained[0] = 0;
  for (uint32_t i = 1; i <= d->count; i++) {
    const ReachItem *item = items_item(&d->reach.queue, i - 1);
    d->above[i] = item->parent == UINT32_MAX ? 0 : item->parent + 1;
    d->retained[i] = reach_size(d->reach.gc, item->cell);
  }
}

static bool dominators_allocate(Dominators *d) {
  Heap *heap = &d->reach.gc->heap;
  d->count = d->reach.queue.count;
  if (d->reach.failed || d->count > DOMINATORS_MAX) return false;
  d->above = heap_raw_allocate(heap, (d->count + 1) * sizeof *d->above);
  d->retained = heap_raw_allocate(heap, (d->count + 1) * sizeof *d->retained);
  return d->above && d->retained;
}

bool dominators_find(Dominators *d, Gc *gc, const Describer *describer) {
  memset(d, 0, sizeof *d);
  reach_walk(&d->reach, gc, describer, NULL, NULL, false);
  if (!dominators_allocate(d)) return false;
  dominators_prepare(d);
  d->steps = (uint64_t)STEPS_PER_OBJECT * d->count + STEPS_MORE;
  int pass = 0;
  do {
    if (pass++ == PASSES) return false;
    dominators_pass(d);
    if (d->steps == 0) return false;
  } while (d->changed);
  for (size_t i = d->count; i > 0; i--)
    d->retained[d->above[i]] += d->retained[i];
  return true;
}

void dominators_free(Dominators *d) {
  Heap *heap = &d->reach.gc->heap;
  if (d->above)
    heap_raw_free(heap, d->above, (d->count + 1) * sizeof *d->above);
  if (d->retained)
    heap_raw_free(heap, d->retained, (d->count + 1) * sizeof *d->retained);
  reach_free(&d->reach);
}

size_t dominators_top(const Dominators *d, uint32_t *top, size_t count) {
  size_t used = 0;
  for (uint32_t i = 1; i <= d->count; i++) {
    size_t at = used;
    while (at > 0 && d->retained[top[at - 1]] < d->retained[i]) at--;
    if (at == count) continue;
    if (used < count) used++;
    memmove(top + at + 1, top + at, (used - at - 1) * sizeof *top);
    top[at] = i;
  }
  return used;
}
