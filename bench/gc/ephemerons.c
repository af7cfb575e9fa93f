/* SPDX-License-Identifier: MIT */
/*
** ephemerons.c -- the cost of an entry in a chain of ephemerons, by length
**
**   gc_ephemerons [runs]
**
** The value of each entry is the key of another.  Only the key of the first one
** is reachable otherwise.  The order is the worst case for a collector that
** visits tables repeatedly until nothing changes: each visit resolves one more
** entry.  Either all entries are in one table, or each has its own table, also
** visited in the wrong order.
**
** The program times one whole collection of a heap with nothing else in it.
** For comparison it connects the same objects by ordinary references, which
** shows the effect of the caches.  Short chains are built several times, in
** separate worlds that together are as large as the longest chain, so that the
** caches are equally cold for all lengths.
*/
#include "clock.h"
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>

enum { LENGTH_MAX = 1000000 };

typedef enum Shape { SHAPE_ONE_TABLE, SHAPE_MANY_TABLES, SHAPE_LIST } Shape;

static const char *const shape_names[] = {"one_table", "many_tables", "list"};

/* Builds the chain from its end.  The key made last, in root 0, is its
** first. */
static void build_one_table(World *world, size_t length) {
  Ephemerons *table = ephemerons_new(world, length);
  world->root[1] = &table->cell;
  Node *previous = NULL;
  for (size_t i = 0; i < length; i++) {
    Node *key = node_new(world);
    key->index = (uint32_t)i;
    world->root[0] = &key->cell;
    ephemerons_set(world, table, key, previous);
    previous = key;
  }
}

/* A list of nodes holds the tables, through a vector that is visited before the
** first key. */
static void build_many_tables(World *world, size_t length) {
  Vector *tables = vector_new(world, OBJECT_VECTOR, length);
  world->root[1] = &tables->cell;
  Node *previous = NULL;
  for (size_t i = 0; i < length; i++) {
    Node *key = node_new(world);
    world->root[0] = &key->cell;
    Ephemerons *table = ephemerons_new(world, 1);
    vector_set(world, tables, i, (Node *)(void *)table);
    ephemerons_set(world, table, key, previous);
    previous = key;
  }
}

static void build_list(World *world, size_t length) {
  for (size_t i = 0; i < length; i++) {
    Node *node = node_new(world);
    node->left = (Node *)(void *)world->root[0];
    world->root[0] = &node->cell;
  }
}

static void build(World *world, Shape shape, size_t length) {
  world_open(world, false, 1);
  gc_stop(&world->gc);
  if (shape == SHAPE_ONE_TABLE)
    build_one_table(world, length);
  else if (shape == SHAPE_MANY_TABLES)
    build_many_tables(world, length);
  else
    build_list(world, length);
}

/* Checks that the chain still has its full length. */
static void check_length(World *world, Shape shape, size_t length) {
  size_t tables = shape == SHAPE_LIST ? 0 : 1, found = 0;
  size_t bytes = gc_count(&world->gc);
  if (shape == SHAPE_ONE_TABLE)
    found = (bytes - sizeof(Ephemerons) - length * sizeof(Entry)) / NODE_SIZE;
  else
    found = bytes / NODE_SIZE;
  if (found + tables >= length) return;
  fprintf(stderr, "%zu of %zu entries are left\n", found, length);
  exit(1);
}

/* Nanoseconds per entry of one collection of every world. */
static double measure(Shape shape, size_t length, unsigned runs) {
  size_t count = LENGTH_MAX / length;
  World *worlds = malloc(count * sizeof *worlds);
  if (!worlds) exit(1);
  for (size_t i = 0; i < count; i++) build(&worlds[i], shape, length);
  uint64_t best = UINT64_MAX;
  for (unsigned run = 0; run < runs; run++) {
    uint64_t began = clock_thread();
    for (size_t i = 0; i < count; i++) gc_collect(&worlds[i].gc);
    uint64_t time = clock_thread() - began;
    if (time < best) best = time;
  }
  for (size_t i = 0; i < count; i++) {
    check_length(&worlds[i], shape, length);
    world_close(&worlds[i]);
  }
  free(worlds);
  return (double)best / (double)(count * length);
}

int main(int argc, char **argv) {
  unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 5;
  for (size_t length = 1000; length <= LENGTH_MAX; length *= 10) {
    for (int shape = SHAPE_ONE_TABLE; shape <= SHAPE_LIST; shape++)
      printf("%s%s_ns=%.1f", shape ? " " : "", shape_names[shape],
             measure((Shape)shape, length, runs));
    printf(" length=%zu\n", length);
    fflush(stdout);
  }
  return 0;
}
