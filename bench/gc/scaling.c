/* SPDX-License-Identifier: MIT */
/*
** scaling.c -- the cost of an allocation, from small heaps to large ones
**
**   gc_scaling shape mode megabytes
**
** Builds a live heap of the given size.  Then it allocates nodes.  One in eight
** replaces a random old node, the others die at once.  The growth ratio between
** cycles is the same for all sizes, so the collector marks the same number of
** bytes for each byte allocated.  The cost of an allocation should rise only
** because a smaller share of the heap is in the caches.
**
**   many   vectors of 1000 slots hold the nodes
**   one    a single vector holds all nodes
**
** The program measures the effect of the caches on the same heap: the time to
** read a random node through its vector, where each index depends on the node
** before.  It also measures the random stores, which belong to the program,
** once more by themselves.
*/
#include "clock.h"
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SMALL_VECTOR = 1000,
  CYCLES = 4,             /* at least, during the measurement */
  ALLOCATIONS = 20000000, /* at least */
  READS = 4000000
};

typedef struct Load {
  World world;
  Vector **vector; /* outside the heap; also in roots */
  size_t vector_count;
  size_t vector_size;
} Load;

/* The directory of vectors is itself a vector, with references to vectors. */
static void load_build(Load *load, size_t nodes, size_t vector_size) {
  World *world = &load->world;
  load->vector_size = vector_size;
  load->vector_count = nodes / vector_size;
  load->vector = malloc(load->vector_count * sizeof *load->vector);
  if (!load->vector) exit(1);
  Vector *all = vector_new(world, OBJECT_VECTOR, load->vector_count);
  world->root[0] = &all->cell;
  for (size_t i = 0; i < load->vector_count; i++) {
    load->vector[i] = vector_new(world, OBJECT_VECTOR, vector_size);
    vector_set(world, all, i, (Node *)(void *)load->vector[i]);
    for (size_t j = 0; j < vector_size; j++) {
      vector_set(world, load->vector[i], j, node_new(world));
      if (gc_step_due(&world->gc)) gc_step(&world->gc);
    }
  }
}

/* A large heap does not grow by all of its live size (docs/gc/pacing.md).  Here
** all sizes must grow by their live size. */
static void load_same_growth(Load *load, size_t live) {
  enum { WHOLE = 2097152 }; /* LARGE_HEAP in src/gc/goal.c */
  size_t beyond = live > WHOLE ? live - WHOLE : 0;
  int percent = (int)(100.0 * (double)live / (double)(live - beyond / 4));
  load->world.gc.pause = 100 + percent;
  load->world.gc.major_multiplier = percent;
}

static void load_allocate(Load *load, size_t count) {
  World *world = &load->world;
  for (size_t i = 0; i < count; i++) {
    Node *node = node_new(world);
    if (i % 8 == 0) {
      size_t which = world_random_below(world, load->vector_count);
      size_t slot = world_random_below(world, load->vector_size);
      vector_set(world, load->vector[which], slot, node);
    }
    if (gc_step_due(&world->gc)) gc_step(&world->gc);
  }
}

/* Allocates until enough cycles have ended.  Returns nanoseconds for each. */
static double load_measure(Load *load) {
  const GcStats *stats = &load->world.gc.stats;
  uint64_t end = stats->cycles + CYCLES;
  size_t allocations = 0;
  uint64_t began = clock_thread();
  while (stats->cycles < end || allocations < ALLOCATIONS) {
    load_allocate(load, 100000);
    allocations += 100000;
  }
  return (double)(clock_thread() - began) / (double)allocations;
}

/* Measures the program's own part of load_allocate: the same stores, but of an
** existing node, without allocation.  Returns nanoseconds for each round. */
static double load_store(Load *load) {
  World *world = &load->world;
  Node *node = load->vector[0]->slot[0];
  uint64_t began = clock_thread();
  for (size_t i = 0; i < ALLOCATIONS; i++) {
    if (i % 8 == 0) {
      size_t which = world_random_below(world, load->vector_count);
      size_t slot = world_random_below(world, load->vector_size);
      vector_set(world, load->vector[which], slot, node);
    }
  }
  return (double)(clock_thread() - began) / ALLOCATIONS;
}

/* Reads random nodes.  Returns nanoseconds for each. */
static double load_read(Load *load) {
  World *world = &load->world;
  uint64_t sum = 0;
  uint64_t began = clock_thread();
  for (size_t i = 0; i < READS; i++) {
    world->random ^= sum; /* always 0, but the compiler cannot know that */
    size_t which = world_random_below(world, load->vector_count);
    size_t slot = world_random_below(world, load->vector_size);
    sum |= load->vector[which]->slot[slot]->index;
  }
  return (double)(clock_thread() - began) / READS;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: gc_scaling many|one incremental|generational "
                    "megabytes\n");
    return 2;
  }
  static Load load;
  size_t bytes = (size_t)atoi(argv[3]) * 1000000;
  size_t nodes = bytes / (NODE_SIZE + sizeof(Node *));
  bool one = strcmp(argv[1], "one") == 0;
  world_open(&load.world, strcmp(argv[2], "generational") == 0, 1);
  load_same_growth(&load, bytes);
  load_build(&load, nodes, one ? nodes : SMALL_VECTOR);
  uint64_t cycles = load.world.gc.stats.cycles;
  double cost = load_measure(&load);
  double read = load_read(&load);
  double store = load_store(&load);
  printf("shape=%s mode=%s live_mb=%s allocation_ns=%.2f read_ns=%.2f "
         "store_ns=%.2f cycles=%llu peak_rss_mb=%.1f\n",
         argv[1], argv[2], argv[3], cost, read, store,
         (unsigned long long)(load.world.gc.stats.cycles - cycles),
         (double)clock_peak_kilobytes() / 1024);
  world_close(&load.world);
  free(load.vector);
  return 0;
}
