/* SPDX-License-Identifier: MIT */
/*
** mutator_boehm.h -- the operations of gcbench.c, on Boehm's collector
**
** Roots are conservative.  The collector finds local variables on the C stack
** by itself, so push and pop do nothing, and stores have no barrier.  As in the
** original benchmark, nodes are ordinary objects, and the array is declared to
** be free of pointers.  There is one thread, and no helper marks in parallel.
*/
#ifndef PENUMBRA_BENCH_MUTATOR_BOEHM_H
#define PENUMBRA_BENCH_MUTATOR_BOEHM_H

/* Declares GC_set_markers_count. */
#define GC_THREADS
#include <gc.h>
#include <stdio.h>
#include <string.h>

#include "stops.h"

typedef struct Node {
  struct Node *left;
  struct Node *right;
  int i;
  int j;
} Node;

typedef struct Array {
  double value[1];
} Array;

typedef struct Mutator {
  Stops stops;
} Mutator;

static Mutator mutator;

static const char *const mutator_modes[] = {"full", "incremental", NULL};

static void mutator_open(const char *mode) {
  GC_set_markers_count(1);
  GC_INIT();
  if (strcmp(mode, "incremental") == 0) GC_enable_incremental();
}

static inline void mutator_push(void *object) { (void)object; }
static inline void mutator_pop(size_t count) { (void)count; }

static inline Node *mutator_new_node(Node *left, Node *right) {
  stops_begin(&mutator.stops);
  Node *node = GC_MALLOC(sizeof *node);
  stops_end(&mutator.stops);
  node->left = left;
  node->right = right;
  return node;
}

static inline Array *mutator_new_array(size_t count) {
  stops_begin(&mutator.stops);
  Array *array = GC_MALLOC_ATOMIC(count * sizeof(double));
  stops_end(&mutator.stops);
  return array;
}

static inline void mutator_store(Node *from, Node **field, Node *to) {
  (void)from;
  *field = to;
}

static inline void mutator_poll(void) {}

static void mutator_report(void) {
  printf("collections=%lu heap_peak_mb=%.1f", (unsigned long)GC_get_gc_no(),
         (double)GC_get_heap_size() / 1e6);
}

static void mutator_close(void) {}

#endif
