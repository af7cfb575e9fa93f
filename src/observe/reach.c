/* SPDX-License-Identifier: MIT */
/*
** reach.c -- which references keep an object alive
**
** The walk reaches the value of an ephemeron once it has reached both the table
** and the key.  If it reaches the table first, it notes the pair by its key.
*/
#include "observe/reach.h"

#include <string.h>

enum { NO_PARENT = UINT32_MAX };

typedef struct ReachPair {
  Cell *value;
  uint32_t table; /* the item of the table */
  uint32_t next;  /* the next pair of the same key; 0: none */
} ReachPair;

static void reach_meet(Reach *reach, Cell *cell, uint32_t parent) {
  if (!cell || cell == reach->without) return;
  uint32_t *number = side_table_at(&reach->numbers, cell);
  if (number && *number) return;
  Heap *heap = &reach->gc->heap;
  ReachItem *item = number ? items_add(heap, &reach->queue) : NULL;
  if (!item) {
    reach->failed = true;
    return;
  }
  *item = (ReachItem){cell, parent};
  *number = (uint32_t)reach->queue.count;
}

static void reach_note_pair(Reach *reach, const GcEdge *edge) {
  uint32_t *first = side_table_at(&reach->pairs, edge->key);
  ReachPair *pair = first ? items_add(&reach->gc->heap, &reach->records) : NULL;
  if (!pair) {
    reach->failed = true;
    return;
  }
  *pair = (ReachPair){edge->to, reach->at, *first};
  *first = (uint32_t)reach->records.count;
}

static void reach_visit(void *context, GcEdge edge) {
  Reach *reach = context;
  const Describer *d = reach->describer;
  if (!edge.to) return;
  if (reach->weakness) d->weigh(d->context, reach->weakness, &edge);
  switch (edge.strength) {
    case EDGE_WEAK:
    case EDGE_WEAK_KEY: break;
    case EDGE_PART: reach->bytes += heap_cell_size(edge.to); break;
    case EDGE_EPHEMERON:
    case EDGE_EPHEMERON_LEAF:
      if (side_table_get(&reach->numbers, edge.key))
        reach_meet(reach, edge.to, reach->at);
      else
        reach_note_pair(reach, &edge);
      break;
    default: reach_meet(reach, edge.to, reach->at);
  }
}

static void reach_root(void *context, GcEdge edge) {
  reach_meet(context, edge.to, NO_PARENT);
}

static void reach_roots(Reach *reach) {
  Gc *gc = reach->gc;
  gc_roots(gc, reach_root, reach);
  reach_meet(reach, gc->running, NO_PARENT);
  const Worklist *queue = &gc->to_finalize;
  WorkPlace place = worklist_begin(queue);
  for (uintptr_t *word; (word = worklist_next(queue, &place)) != NULL;)
    reach_meet(reach, (Cell *)*word, NO_PARENT);
}

static void reach_pairs_of(Reach *reach, const Cell *key) {
  uint32_t next = side_table_get(&reach->pairs, key);
  while (next != 0) {
    const ReachPair *pair = items_item(&reach->records, next - 1);
    reach_meet(reach, pair->value, pair->table);
    next = pair->next;
  }
}

static void reach_walk_edges(const Reach *reach, Cell *cell, GcEdgeFn *edge,
                             void *context) {
  const GcKind *kind = gc_kind(reach->gc, cell);
  if (!reach->without_running || cell != reach->gc->running) {
    gc_walk_edges(reach->gc, cell, edge, context);
    return;
  }
  size_t from = 0;
  do {
    from = kind->walk(cell, from, edge, context).next;
  } while (from != GC_DONE);
}

static void reach_enter(Reach *reach, uint32_t at) {
  const Describer *d = reach->describer;
  Cell *cell = ((ReachItem *)items_item(&reach->queue, at))->cell;
  reach->at = at;
  reach->bytes += heap_cell_size(cell);
  reach->weakness = d->weakness(d->context, cell);
  reach_walk_edges(reach, cell, reach_visit, reach);
  reach_pairs_of(reach, cell);
}

bool reach_walk(Reach *reach, Gc *gc, const Describer *describer,
                const Cell *target, const Cell *without, bool without_running) {
  memset(reach, 0, sizeof *reach);
  reach->gc = gc;
  reach->describer = describer;
  reach->without = without;
  reach->without_running = without_running;
  side_table_init(&reach->numbers, &gc->heap);
  side_table_init(&reach->pairs, &gc->heap);
  reach->queue = items_list(sizeof(ReachItem));
  reach->records = items_list(sizeof(ReachPair));
  reach_roots(reach);
  for (uint32_t at = 0; at < reach->queue.count && !reach->failed; at++) {
    if (target && side_table_get(&reach->numbers, target)) return true;
    reach_enter(reach, at);
  }
  return target && side_table_get(&reach->numbers, target);
}

void reach_free(Reach *reach) {
  Heap *heap = &reach->gc->heap;
  while (items_free_rest(heap, &reach->queue)) continue;
  while (items_free_rest(heap, &reach->records)) continue;
  side_table_free(&reach->numbers);
  side_table_free(&reach->pairs);
}

const ReachItem *reach_item(const Reach *reach, const Cell *cell) {
  uint32_t number = side_table_get(&reach->numbers, cell);
  return number ? items_item(&reach->queue, number - 1) : NULL;
}

/* -- One reference --------------------------------------------------------- */

typedef struct EdgeSearch {
  const Reach *reach;
  const Cell *to;
  GcEdge *found;
  bool ok;
} EdgeSearch;

static void edge_search(void *context, GcEdge edge) {
  EdgeSearch *search = context;
  if (search->ok || edge.to != search->to || edge.strength == EDGE_WEAK ||
      edge.strength == EDGE_WEAK_KEY)
    return;
  *search->found = edge;
  search->ok = true;
}

bool reach_edge(const Reach *reach, Cell *from, const Cell *to, GcEdge *edge) {
  EdgeSearch search = {reach, to, edge, false};
  const Gc *gc = reach->gc;
  if (from)
    reach_walk_edges(reach, from, edge_search, &search);
  else
    gc_roots(gc, edge_search, &search);
  return search.ok;
}

static void size_edge(void *context, GcEdge edge) {
  if (edge.strength == EDGE_PART)
    *(uint64_t *)context += heap_cell_size(edge.to);
}

uint64_t reach_size(Gc *gc, Cell *cell) {
  uint64_t size = heap_cell_size(cell);
  gc_walk_edges(gc, cell, size_edge, &size);
  return size;
}
