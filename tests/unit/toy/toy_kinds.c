/* SPDX-License-Identifier: MIT */
/*
** toy_kinds.c -- the references of every kind, listed once
*/
#include "toy/toy_impl.h"

enum { TABLE_PIECE = GC_PIECE / 2 };

static ALWAYS_INLINE void edge_to(ToyRef ref, const char *label, GcEdgeFn *edge,
                                  void *context) {
  if (!toy_is_object(ref)) return;
  bool leaf = (ref & (TOY_IS_LEAF | TOY_IS_SYMBOL)) != 0;
  GcEdge e = {toy_cell(ref), NULL, leaf ? EDGE_LEAF : EDGE_STRONG, label, NULL};
  edge(context, e);
}

static ALWAYS_INLINE void edge_part(ToyPart *part, GcEdgeFn *edge,
                                    void *context) {
  if (!part) return;
  GcEdge e = {&part->cell, NULL, EDGE_PART, "slots", NULL};
  edge(context, e);
}

/* A symbol is a value, not an object with an identity, so it is held
** strongly. */
static ALWAYS_INLINE void edge_weak(ToyRef ref, GcStrength strength,
                                    const char *label, GcEdgeFn *edge,
                                    void *context) {
  if (!toy_is_object(ref)) return;
  bool strong = (ref & TOY_IS_SYMBOL) != 0;
  GcEdge e = {toy_cell(ref), NULL, strong ? EDGE_LEAF : strength, label, NULL};
  edge(context, e);
}

/* The progress after a visit of [from, to) out of `count` slots or entries. */
static ALWAYS_INLINE GcProgress progress_of(size_t from, size_t to,
                                            size_t count, GcWeakness weakness) {
  GcProgress progress = {to < count ? to : GC_DONE, (uint32_t)(to - from + 1),
                         (uint32_t)weakness};
  return progress;
}

static inline size_t piece_end(size_t from, size_t count, size_t piece) {
  return from < count ? size_min(count, from + piece) : from;
}

/* -- Pairs ----------------------------------------------------------------- */

static ALWAYS_INLINE GcProgress pair_edges(ToyPair *pair, size_t from,
                                           GcEdgeFn *edge, void *context) {
  edge_to(pair->slot[0], "first", edge, context);
  edge_to(pair->slot[1], "second", edge, context);
  return progress_of(from, 2, 2, WEAK_NONE);
}
GC_KIND_VISITS(pair, ToyPair)

/* -- Arrays ---------------------------------------------------------------- */

static ALWAYS_INLINE GcProgress array_edges(ToyArray *array, size_t from,
                                            GcEdgeFn *edge, void *context) {
  size_t to = piece_end(from, array->count, GC_PIECE);
  if (from == 0) edge_part(array->part, edge, context);
  for (size_t i = from; i < to; i++)
    edge_to(array->part->slot[i], "slot", edge, context);
  return progress_of(from, to, array->count, WEAK_NONE);
}
GC_KIND_VISITS(array, ToyArray)

static ALWAYS_INLINE GcProgress weak_array_edges(ToyArray *array, size_t from,
                                                 GcEdgeFn *edge,
                                                 void *context) {
  size_t to = piece_end(from, array->count, GC_PIECE);
  if (from == 0) edge_part(array->part, edge, context);
  for (size_t i = from; i < to; i++)
    edge_weak(array->part->slot[i], EDGE_WEAK, "weak slot", edge, context);
  return progress_of(from, to, array->count, WEAK_VALUES);
}
GC_KIND_VISITS(weak_array, ToyArray)

static bool ref_is_unreached(ToyRef ref) {
  return toy_is_object(ref) && !gc_is_reached(toy_cell(ref));
}

static GcProgress weak_array_clear(Gc *gc, Cell *cell, size_t from) {
  ToyArray *array = (ToyArray *)(void *)cell;
  size_t to = piece_end(from, array->count, GC_PIECE);
  (void)gc;
  for (size_t i = from; i < to; i++)
    if (ref_is_unreached(array->part->slot[i])) array->part->slot[i] = 0;
  return progress_of(from, to, array->count, WEAK_VALUES);
}

/* -- Tables ---------------------------------------------------------------- */

static ALWAYS_INLINE void ephemeron_entry_edges(ToyRef key, ToyRef value,
                                                GcEdgeFn *edge, void *context) {
  if (!toy_is_object(key)) return;
  if (key & (TOY_IS_LEAF | TOY_IS_SYMBOL)) {
    edge_to(key, "key", edge, context);
    edge_to(value, "value", edge, context);
    return;
  }
  if (!toy_is_object(value)) {
    GcEdge weak = {toy_cell(key), NULL, EDGE_WEAK_KEY, "key", NULL};
    edge(context, weak);
    return;
  }
  bool leaf = (value & (TOY_IS_LEAF | TOY_IS_SYMBOL)) != 0;
  GcEdge e = {toy_cell(value), toy_cell(key),
              leaf ? EDGE_EPHEMERON_LEAF : EDGE_EPHEMERON, "entry", NULL};
  edge(context, e);
}

static ALWAYS_INLINE GcProgress ephemeron_edges(ToyTable *table, size_t from,
                                                GcEdgeFn *edge, void *context) {
  size_t to = piece_end(from, table->capacity, TABLE_PIECE);
  if (from == 0) edge_part(table->part, edge, context);
  for (size_t i = from; i < to; i++)
    ephemeron_entry_edges(table->part->slot[2 * i],
                          table->part->slot[2 * i + 1], edge, context);
  return progress_of(from, to, table->capacity, WEAK_KEYS);
}
GC_KIND_VISITS(ephemeron, ToyTable)

static ALWAYS_INLINE GcProgress cache_edges(ToyTable *table, size_t from,
                                            GcEdgeFn *edge, void *context) {
  size_t to = piece_end(from, table->capacity, TABLE_PIECE);
  if (from == 0) edge_part(table->part, edge, context);
  for (size_t i = from; i < to; i++) {
    edge_weak(table->part->slot[2 * i], EDGE_WEAK_KEY, "weak key", edge,
              context);
    edge_weak(table->part->slot[2 * i + 1], EDGE_WEAK, "weak value", edge,
              context);
  }
  return progress_of(from, to, table->capacity, WEAK_BOTH);
}
GC_KIND_VISITS(cache, ToyTable)

/* Deletes the entries of one piece whose keys are dead, or whose values are. */
static GcProgress table_clear(Cell *cell, size_t from, bool keys,
                              GcWeakness weakness) {
  ToyTable *table = (ToyTable *)(void *)cell;
  size_t to = piece_end(from, table->capacity, TABLE_PIECE);
  for (size_t i = from; i < to; i++) {
    ToyRef *entry = &table->part->slot[2 * i];
    if (!toy_is_object(entry[0])) continue;
    if (!ref_is_unreached(entry[keys ? 0 : 1])) continue;
    entry[0] = TOY_DELETED;
    entry[1] = 0;
  }
  return progress_of(from, to, table->capacity, weakness);
}

static GcProgress ephemeron_clear_keys(Gc *gc, Cell *cell, size_t from) {
  (void)gc;
  return table_clear(cell, from, true, WEAK_KEYS);
}

static GcProgress cache_clear_values(Gc *gc, Cell *cell, size_t from) {
  (void)gc;
  return table_clear(cell, from, false, WEAK_BOTH);
}

static GcProgress cache_clear_keys(Gc *gc, Cell *cell, size_t from) {
  (void)gc;
  return table_clear(cell, from, true, WEAK_BOTH);
}

/* Visits the value of a key that is now known to be alive. */
static void ephemeron_resolve(Gc *gc, Cell *cell, Cell *key) {
  ToyTable *table = (ToyTable *)(void *)cell;
  if (table->capacity == 0) return;
  size_t mask = table->capacity - 1;
  size_t place = toy_hash(toy_id(key)) & mask;
  for (size_t i = 0; i <= mask; i++, place = (place + 1) & mask) {
    ToyRef found = table->part->slot[2 * place];
    if (found == 0) return;
    if (toy_cell(found) != key) continue;
    edge_to(table->part->slot[2 * place + 1], "value", gc_mark_edge, gc);
    return;
  }
}

/* -- Stacks and upvalues --------------------------------------------------- */

static ALWAYS_INLINE GcProgress stack_edges(ToyStack *stack, size_t from,
                                            GcEdgeFn *edge, void *context) {
  size_t count = 1;
  edge_part(stack->part, edge, context);
  for (ToyUpvalue *up = stack->open; up; up = up->next, count++) {
    GcEdge e = {&up->cell, NULL, EDGE_STRONG, "open upvalue", NULL};
    edge(context, e);
  }
  return progress_of(from, count, count, WEAK_NONE);
}
GC_KIND_VISITS(stack, ToyStack)

static ALWAYS_INLINE void stack_slot_edges(ToyStack *stack, size_t from,
                                           size_t to, GcEdgeFn *edge,
                                           void *context) {
  for (size_t i = from; i < to; i++)
    edge_to(stack->part->slot[i], "stack slot", edge, context);
}
GC_STACK_VISITS(stack, ToyStack)

static size_t stack_top(const Cell *cell) {
  return ((const ToyStack *)(const void *)cell)->top;
}

static size_t stack_stable(const Cell *cell) {
  return ((const ToyStack *)(const void *)cell)->base;
}

static void stack_watch(Cell *cell, size_t watermark) {
  ((ToyStack *)(void *)cell)->watched = watermark;
}

static void stack_dying(Gc *gc, Cell *cell) {
  (void)gc;
  toy_stack_close_upvalues(NULL, (ToyStack *)(void *)cell, 0);
}

static ALWAYS_INLINE GcProgress upvalue_edges(ToyUpvalue *up, size_t from,
                                              GcEdgeFn *edge, void *context) {
  if (!up->stack) {
    edge_to(up->value, "value", edge, context);
  } else {
    ToyRef ref = up->stack->part->slot[up->slot];
    bool leaf = (ref & (TOY_IS_LEAF | TOY_IS_SYMBOL)) != 0;
    GcEdge e = {toy_cell(ref), NULL, leaf ? EDGE_BORROWED_LEAF : EDGE_BORROWED,
                "slot", NULL};
    if (e.to) edge(context, e);
  }
  return progress_of(from, 1, 1, WEAK_NONE);
}
GC_KIND_VISITS(upvalue, ToyUpvalue)

/* -- The table ------------------------------------------------------------- */

const GcKind toy_kinds[TOY_KIND_COUNT] = {
    [TOY_PART] = {.name = "part", .flags = KIND_PART},
    [TOY_LEAF] = {.name = "leaf", .flags = KIND_LEAF},
    [TOY_SYMBOL] = {.name = "symbol", .flags = KIND_LEAF},
    [TOY_PAIR] = {.name = "pair", .scan = pair_scan, .walk = pair_walk},
    [TOY_ARRAY] = {.name = "array", .scan = array_scan, .walk = array_walk},
    [TOY_WEAK_ARRAY] = {.name = "weak array",
                        .scan = weak_array_scan,
                        .walk = weak_array_walk,
                        .clear_values = weak_array_clear},
    [TOY_EPHEMERON] = {.name = "ephemeron",
                       .scan = ephemeron_scan,
                       .walk = ephemeron_walk,
                       .clear_keys = ephemeron_clear_keys,
                       .resolve = ephemeron_resolve},
    [TOY_CACHE] = {.name = "cache",
                   .scan = cache_scan,
                   .walk = cache_walk,
                   .clear_values = cache_clear_values,
                   .clear_keys = cache_clear_keys},
    [TOY_STACK] = {.name = "stack",
                   .flags = KIND_STACK,
                   .scan = stack_scan,
                   .walk = stack_walk,
                   .scan_slots = stack_scan_slots,
                   .walk_slots = stack_walk_slots,
                   .stack_top = stack_top,
                   .stack_stable = stack_stable,
                   .stack_watch = stack_watch,
                   .dying = stack_dying},
    [TOY_UPVALUE] = {.name = "upvalue",
                     .scan = upvalue_scan,
                     .walk = upvalue_walk},
};
