/* SPDX-License-Identifier: MIT */
/*
** objects.c -- the kinds of objects.h
*/
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"

enum { ENTRY_PIECE = GC_PIECE / 2, MARK_AHEAD = 12 };

static inline size_t piece_end(size_t from, size_t count, size_t piece) {
  return size_min(count, from + piece);
}

static ALWAYS_INLINE GcProgress progress_of(size_t from, size_t to,
                                            size_t count, GcWeakness weakness) {
  return (GcProgress){to < count ? to : GC_DONE, (uint32_t)(to - from + 1),
                      (uint32_t)weakness};
}

static ALWAYS_INLINE void edge_to(Node *to, GcStrength strength,
                                  const char *label, GcEdgeFn *edge,
                                  void *context) {
  if (to) edge(context, (GcEdge){&to->cell, NULL, strength, label, NULL});
}

/* -- Nodes ----------------------------------------------------------------- */

static ALWAYS_INLINE GcProgress node_edges(Node *node, size_t from,
                                           GcEdgeFn *edge, void *context) {
  (void)from;
  edge_to(node->left, EDGE_STRONG, "left", edge, context);
  edge_to(node->right, EDGE_STRONG, "right", edge, context);
  return (GcProgress){GC_DONE, 2, WEAK_NONE};
}
GC_KIND_VISITS(node, Node)

/* -- Vectors --------------------------------------------------------------- */

/* Prefetches the mark of a cell that is marked soon. */
static inline void fetch_mark(const void *cell) {
  PREFETCH_WRITE(&heap_block_of(cell)->mark[heap_word_of(cell)]);
}

static ALWAYS_INLINE GcProgress vector_edges(Vector *vector, size_t from,
                                             GcEdgeFn *edge, void *context) {
  size_t to = piece_end(from, vector->count, GC_PIECE);
  for (size_t i = from; i < to; i++) {
    if (i + MARK_AHEAD < to) fetch_mark(vector->slot[i + MARK_AHEAD]);
    edge_to(vector->slot[i], EDGE_STRONG, "slot", edge, context);
  }
  return progress_of(from, to, vector->count, WEAK_NONE);
}
GC_KIND_VISITS(vector, Vector)

static ALWAYS_INLINE GcProgress weak_edges(Vector *vector, size_t from,
                                           GcEdgeFn *edge, void *context) {
  size_t to = piece_end(from, vector->count, GC_PIECE);
  for (size_t i = from; i < to; i++)
    edge_to(vector->slot[i], EDGE_WEAK, "weak slot", edge, context);
  return progress_of(from, to, vector->count, WEAK_VALUES);
}
GC_KIND_VISITS(weak, Vector)

static GcProgress weak_clear(Gc *gc, Cell *cell, size_t from) {
  Vector *vector = (Vector *)(void *)cell;
  size_t to = piece_end(from, vector->count, GC_PIECE);
  (void)gc;
  for (size_t i = from; i < to; i++) {
    Node *node = vector->slot[i];
    if (node && !gc_is_reached(&node->cell)) vector->slot[i] = NULL;
  }
  return progress_of(from, to, vector->count, WEAK_VALUES);
}

Vector *vector_new(World *world, ObjectKind kind, size_t count) {
  Vector *vector =
      world_new(world, sizeof *vector + count * sizeof(Node *), kind);
  vector->count = count;
  memset(vector->slot, 0, count * sizeof(Node *));
  return vector;
}

/* -- Ephemerons ------------------------------------------------------------ */

/* As for tables: a key that is not reached costs a few cache misses. */
enum { WEAK_KEYS_PIECE = 32, WEAK_KEY_PRICE = 16 };

static ALWAYS_INLINE GcProgress ephemerons_edges(Ephemerons *table, size_t from,
                                                 GcEdgeFn *edge,
                                                 void *context) {
  size_t to = piece_end(from, table->count, WEAK_KEYS_PIECE);
  for (size_t i = from; i < to; i++) {
    Entry *entry = &table->entry[i];
    if (!entry->key || !entry->value) continue;
    edge(context, (GcEdge){&entry->value->cell, &entry->key->cell,
                           EDGE_EPHEMERON, "entry", NULL});
  }
  GcProgress progress = progress_of(from, to, table->count, WEAK_KEYS);
  progress.work += (uint32_t)(to - from) * (WEAK_KEY_PRICE - 1);
  return progress;
}
GC_KIND_VISITS(ephemerons, Ephemerons)

static GcProgress ephemerons_clear(Gc *gc, Cell *cell, size_t from) {
  Ephemerons *table = (Ephemerons *)(void *)cell;
  size_t to = piece_end(from, table->count, ENTRY_PIECE);
  (void)gc;
  for (size_t i = from; i < to; i++) {
    Entry *entry = &table->entry[i];
    if (entry->key && !gc_is_reached(&entry->key->cell))
      *entry = (Entry){NULL, NULL};
  }
  return progress_of(from, to, table->count, WEAK_KEYS);
}

static void ephemerons_resolve(Gc *gc, Cell *cell, Cell *key) {
  Ephemerons *table = (Ephemerons *)(void *)cell;
  size_t index = ((Node *)(void *)key)->index;
  if (index >= table->count || &table->entry[index].key->cell != key) return;
  edge_to(table->entry[index].value, EDGE_STRONG, "value", gc_mark_edge, gc);
}

Ephemerons *ephemerons_new(World *world, size_t count) {
  Ephemerons *table = world_new(world, sizeof *table + count * sizeof(Entry),
                                OBJECT_EPHEMERONS);
  table->count = count;
  memset(table->entry, 0, count * sizeof(Entry));
  return table;
}

/* -- The stack ------------------------------------------------------------- */

static ALWAYS_INLINE GcProgress stack_edges(Stack *stack, size_t from,
                                            GcEdgeFn *edge, void *context) {
  (void)stack, (void)from, (void)edge, (void)context;
  return (GcProgress){GC_DONE, 1, WEAK_NONE};
}
GC_KIND_VISITS(stack, Stack)

static ALWAYS_INLINE void stack_slot_edges(Stack *stack, size_t from, size_t to,
                                           GcEdgeFn *edge, void *context) {
  for (size_t i = from; i < to; i++)
    edge_to(stack->slot[i], EDGE_STRONG, "stack slot", edge, context);
}
GC_STACK_VISITS(stack, Stack)

static size_t stack_top(const Cell *cell) {
  return ((const Stack *)(const void *)cell)->top;
}

static size_t stack_stable(const Cell *cell) {
  return ((const Stack *)(const void *)cell)->base;
}

static void stack_watch(Cell *cell, size_t watermark) {
  ((Stack *)(void *)cell)->watched = watermark;
}

Stack *stack_new(World *world, size_t capacity) {
  Stack *stack =
      world_new(world, sizeof *stack + capacity * sizeof(Node *), OBJECT_STACK);
  stack->gc.epoch = 0;
  stack->gc.watermark = 0;
  stack->base = 0;
  stack->top = FRAME_SLOTS;
  stack->watched = 0;
  stack->capacity = capacity;
  memset(stack->slot, 0, FRAME_SLOTS * sizeof(Node *));
  gc_stack_switch(&world->gc, &stack->gc.cell);
  return stack;
}

void stack_call(Stack *stack, Node *node) {
  for (size_t i = 0; i < FRAME_SLOTS; i++) stack->slot[stack->top + i] = node;
  stack->base = stack->top;
  stack->top += FRAME_SLOTS;
}

void stack_return(World *world, Stack *stack) {
  stack->top = stack->base;
  stack->base -= FRAME_SLOTS;
  if (stack->base >= stack->watched) return;
  gc_stack_lower(&world->gc, &stack->gc, stack->base);
  stack->watched = stack->base;
}

/* -- The world ------------------------------------------------------------- */

static const GcKind world_kinds[OBJECT_KIND_COUNT] = {
    [OBJECT_NODE] = {.name = "node", .scan = node_scan, .walk = node_walk},
    [OBJECT_LEAF] = {.name = "leaf", .flags = KIND_LEAF},
    [OBJECT_VECTOR] = {.name = "vector",
                       .scan = vector_scan,
                       .walk = vector_walk},
    [OBJECT_WEAK] = {.name = "weak vector",
                     .scan = weak_scan,
                     .walk = weak_walk,
                     .clear_values = weak_clear},
    [OBJECT_EPHEMERONS] = {.name = "ephemerons",
                           .scan = ephemerons_scan,
                           .walk = ephemerons_walk,
                           .clear_keys = ephemerons_clear,
                           .resolve = ephemerons_resolve},
    [OBJECT_STACK] = {.name = "stack",
                      .flags = KIND_STACK,
                      .scan = stack_scan,
                      .walk = stack_walk,
                      .scan_slots = stack_scan_slots,
                      .walk_slots = stack_walk_slots,
                      .stack_top = stack_top,
                      .stack_stable = stack_stable,
                      .stack_watch = stack_watch},
};

static void world_roots(void *context, GcEdgeFn *edge, void *edge_context) {
  World *world = context;
  for (int i = 0; i < WORLD_ROOTS; i++)
    if (world->root[i])
      edge(edge_context,
           (GcEdge){world->root[i], NULL, EDGE_STRONG, "root", NULL});
}

void world_open(World *world, bool generational, uint64_t seed) {
  GcClient client = {.kinds = world_kinds,
                     .kind_count = OBJECT_KIND_COUNT,
                     .roots = world_roots,
                     .context = world};
  memset(world, 0, sizeof *world);
  world->random = seed;
  gc_init(&world->gc, &client, bench_allocate, NULL);
  gc_set_generational(&world->gc, generational);
}

void world_close(World *world) { gc_close(&world->gc); }

void *world_new(World *world, size_t size, ObjectKind kind) {
  void *object = gc_new(&world->gc, size, kind);
  if (object) return object;
  fprintf(stderr, "no memory for an object of %zu bytes\n", size);
  exit(1);
}
