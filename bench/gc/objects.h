/* SPDX-License-Identifier: MIT */
/*
** objects.h -- a small world of objects as a load for the collector
**
** Nodes, vectors, weak vectors, ephemeron tables and a stack of frames.  They
** are as simple as possible, because the collector is measured.
*/
#ifndef PENUMBRA_BENCH_OBJECTS_H
#define PENUMBRA_BENCH_OBJECTS_H

#include "gc/gc.h"

typedef enum ObjectKind {
  OBJECT_NODE,
  OBJECT_LEAF,
  OBJECT_VECTOR,
  OBJECT_WEAK,
  OBJECT_EPHEMERONS,
  OBJECT_STACK,
  OBJECT_KIND_COUNT
} ObjectKind;

enum {
  WORLD_ROOTS = 4,
  NODE_SIZE = 32,
  FRAME_SLOTS = 16 /* of a frame of the stack; the first is its link */
};

/* `index` is free for use.  For a key it is the index of its entry. */
typedef struct Node {
  Cell cell;
  uint32_t index;
  struct Node *left;
  struct Node *right;
  uint64_t payload;
} Node;
static_assert(sizeof(Node) == NODE_SIZE, "nodes are what reports say");

/* References to nodes, or NULL.  The kind says whether they are weak. */
typedef struct Vector {
  Cell cell;
  uint32_t unused;
  size_t count;
  Node *slot[];
} Vector;

typedef struct Entry {
  Node *key; /* key->index is the index of the entry */
  Node *value;
} Entry;

typedef struct Ephemerons {
  Cell cell;
  uint32_t unused;
  size_t count;
  Entry entry[];
} Ephemerons;

/* Frames of FRAME_SLOTS slots, on top of each other. */
typedef struct Stack {
  GcStack gc;
  size_t base; /* of the running frame */
  size_t top;
  size_t watched; /* a return below this tells the collector */
  size_t capacity;
  Node *slot[];
} Stack;

typedef struct World {
  Gc gc;
  Cell *root[WORLD_ROOTS];
  uint64_t random;
} World;

/* Opens an empty world.  The same seed gives the same history. */
void world_open(World *world, bool generational, uint64_t seed);
void world_close(World *world);

/* -- Objects; all exit the program when memory runs out -------------------- */

/* Ends the program if the allocation fails. */
void *world_new(World *world, size_t size, ObjectKind kind);

static inline Node *node_new(World *world) {
  Node *node = gc_new(&world->gc, sizeof *node, OBJECT_NODE);
  if (UNLIKELY(!node)) node = world_new(world, sizeof *node, OBJECT_NODE);
  node->left = node->right = NULL;
  node->index = 0;
  return node;
}

static inline void node_set_left(World *world, Node *node, Node *to) {
  node->left = to;
  gc_barrier_back(&world->gc, &node->cell, to ? &to->cell : NULL);
}

static inline void node_set_right(World *world, Node *node, Node *to) {
  node->right = to;
  gc_barrier_back(&world->gc, &node->cell, to ? &to->cell : NULL);
}

/* `kind` is OBJECT_VECTOR or OBJECT_WEAK.  All slots are NULL. */
Vector *vector_new(World *world, ObjectKind kind, size_t count);

/* The header of a large vector is far from the slot, and seldom cached.  So it
** is not read while nothing is black. */
static inline void vector_set(World *world, Vector *vector, size_t index,
                              Node *to) {
  Gc *gc = &world->gc;
  vector->slot[index] = to;
  if (gc->barrier_mode == BARRIER_BACK || gc->barrier_mode == BARRIER_FORWARD)
    gc_barrier_back(gc, &vector->cell, to ? &to->cell : NULL);
}

Ephemerons *ephemerons_new(World *world, size_t count);

/* Puts the entry at key->index. */
static inline void ephemerons_set(World *world, Ephemerons *table, Node *key,
                                  Node *value) {
  table->entry[key->index] = (Entry){key, value};
  gc_barrier_back(&world->gc, &table->cell, &key->cell);
  if (value) gc_barrier_back(&world->gc, &table->cell, &value->cell);
}

/* Makes a stack with one frame, and runs it. */
Stack *stack_new(World *world, size_t capacity);

/* Pushes a frame whose slots all refer to the node. */
void stack_call(Stack *stack, Node *node);
void stack_return(World *world, Stack *stack);

/* -- Random numbers -------------------------------------------------------- */

static inline uint64_t world_random(World *world) {
  uint64_t x = world->random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return world->random = x;
}

static inline size_t world_random_below(World *world, size_t bound) {
  return (size_t)((world_random(world) >> 32) * bound >> 32);
}

#endif
