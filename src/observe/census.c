/* SPDX-License-Identifier: MIT */
/*
** census.c -- counts the objects of each sort, and their bytes
*/
#include "observe/census.h"

#include <string.h>

enum {
  PRICE_COUNT = 60, /* units of work for an object */
  CENSUS_UNITS_PER_BYTE = 1
};

typedef struct CensusWalk {
  Gc *gc;
  Describer describer;
  CensusDone *done;
  void *context;
  HeapCursor cursor;
  bool begun;
  size_t work;
  uint64_t size; /* bytes of the object that is being counted */
  CensusResult result;
} CensusWalk;

static uint64_t sort_name_hash(const char *text, size_t length) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < length; i++)
    h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return h | 1;
}

static CensusSort *census_sort(CensusWalk *c, const char *text, size_t length) {
  enum { TRIES = 16 };
  uint64_t hash = sort_name_hash(text, length);
  for (unsigned i = 0; i < TRIES; i++) {
    CensusSort *sort = &c->result.sort[1 + (hash + i) % (CENSUS_SORTS - 1)];
    if (sort->count > 0 && sort->hash == hash) return sort;
    if (sort->count > 0) continue;
    sort->hash = hash;
    length = size_min(length, CENSUS_NAME - 1);
    memcpy(sort->name, text, length);
    sort->name[length] = '\0';
    return sort;
  }
  return &c->result.sort[0];
}

static void census_part(void *context, GcEdge edge) {
  CensusWalk *c = context;
  c->work++;
  if (edge.strength == EDGE_PART) c->size += heap_cell_size(edge.to);
}

static unsigned size_class(uint64_t size) {
  unsigned bits = size > 1 ? bits_highest(size - 1) + 1 : 0;
  return bits < CENSUS_SIZES ? bits : CENSUS_SIZES - 1;
}

/* The first piece of a walk is enough: it reports all parts of the object. */
static void census_cell(void *context, void *address, size_t size,
                        bool marked) {
  CensusWalk *c = context;
  Cell *cell = address;
  const GcKind *kind = gc_kind(c->gc, cell);
  NodeWords words = {NODE_STRING, 6, "string"};
  c->work += PRICE_COUNT;
  if (!marked || kind->flags & KIND_PART) return;
  c->size = size;
  if (!(kind->flags & KIND_LEAF)) {
    kind->walk(cell, 0, census_part, c);
    c->describer.node(c->describer.context, cell, &words);
  }
  CensusSort *sort = census_sort(c, words.text, words.length);
  CensusResult *r = &c->result;
  sort->count++;
  sort->bytes += c->size;
  r->count++;
  r->bytes += c->size;
  r->kind_count[cell->kind]++;
  r->kind_bytes[cell->kind] += c->size;
  r->size_count[size_class(c->size)]++;
  r->size_bytes[size_class(c->size)] += c->size;
}

static void census_finish(CensusWalk *c) {
  Heap *heap = &c->gc->heap;
  if (heap->walk == &c->cursor) heap_walk_end(heap);
  c->done(c->context, &c->result);
  heap_raw_free(heap, c, sizeof *c);
}

static void census_drop(void *context) { census_finish(context); }

static size_t census_slice(GcInspection *inspection) {
  CensusWalk *c = inspection->context;
  Heap *heap = &c->gc->heap;
  c->work = 1;
  if (!c->begun) {
    c->begun = !c->describer.begin(c->describer.context);
    if (c->begun) heap_walk_begin(heap, &c->cursor);
    return PRICE_DESCRIBE;
  }
  bool more = heap_walk_some(heap, &c->cursor, census_cell, c);
  double left = inspection->left - (double)c->work;
  inspection->left = left > 0 ? left : 0;
  if (more && !c->gc->emergency) return c->work;
  c->result.ok = !more;
  census_finish(c);
  return 0;
}

bool census_begin(Gc *gc, const Describer *describer, CensusDone *done,
                  void *context) {
  if (gc_is_inspecting(gc)) return false;
  CensusWalk *c = heap_raw_allocate(&gc->heap, sizeof *c);
  if (!c) return false;
  memset(c, 0, sizeof *c);
  c->gc = gc;
  c->describer = *describer;
  c->done = done;
  c->context = context;
  strcpy(c->result.sort[0].name, "(others)");
  GcInspection inspection = {census_slice, census_drop, c,
                             (double)gc_count(gc) * CENSUS_UNITS_PER_BYTE,
                             INSPECT_FIRST};
  return gc_inspect(gc, &inspection);
}
