/* SPDX-License-Identifier: MIT */
/*
** mutator_penumbra.h -- the operations of gcbench.c, on this project's
** collector
**
** Roots are exact.  Local variables that must survive an allocation are pushed
** onto a stack that the collector knows.  Every store of a reference has a
** barrier.  The environment variables PAUSE, STEPMUL, MINORMUL and MAJORMUL
** change the settings of the collector, in percent.
*/
#ifndef PENUMBRA_BENCH_MUTATOR_PENUMBRA_H
#define PENUMBRA_BENCH_MUTATOR_PENUMBRA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "gc/gc.h"
#include "stops.h"

enum MutatorKind { KIND_NODE, KIND_ARRAY, KIND_ROOTS, KIND_COUNT };
enum { ROOTS_MAX = 256, STEP_NANOSECONDS = 40000 /* as for Lua */ };

typedef struct Node {
  Cell cell;
  int i;
  struct Node *left;
  struct Node *right;
  int j;
} Node;

typedef struct Array {
  Cell cell;
  double value[];
} Array;

typedef struct Roots {
  GcStack gc;
  size_t top;
  Cell *slot[ROOTS_MAX];
} Roots;

typedef struct Mutator {
  Gc gc;
  Roots *roots;
  Stops stops;
} Mutator;

static Mutator mutator;

/* -- Kinds ----------------------------------------------------------------- */

static ALWAYS_INLINE GcProgress node_edges(Node *node, size_t from,
                                           GcEdgeFn *edge, void *context) {
  (void)from;
  if (node->left)
    edge(context, (GcEdge){&node->left->cell, NULL, EDGE_STRONG, "left", NULL});
  if (node->right)
    edge(context,
         (GcEdge){&node->right->cell, NULL, EDGE_STRONG, "right", NULL});
  return (GcProgress){GC_DONE, 2, WEAK_NONE};
}
GC_KIND_VISITS(node, Node)

static ALWAYS_INLINE GcProgress roots_edges(Roots *roots, size_t from,
                                            GcEdgeFn *edge, void *context) {
  (void)roots, (void)from, (void)edge, (void)context;
  return (GcProgress){GC_DONE, 1, WEAK_NONE};
}
GC_KIND_VISITS(roots, Roots)

static ALWAYS_INLINE void roots_slot_edges(Roots *roots, size_t from, size_t to,
                                           GcEdgeFn *edge, void *context) {
  for (size_t i = from; i < to; i++) {
    bool leaf = roots->slot[i]->kind == KIND_ARRAY;
    GcStrength strength = leaf ? EDGE_LEAF : EDGE_STRONG;
    edge(context, (GcEdge){roots->slot[i], NULL, strength, "slot", NULL});
  }
}
GC_STACK_VISITS(roots, Roots)

static size_t roots_top(const Cell *cell) {
  return ((const Roots *)(const void *)cell)->top;
}

/* There are no frames, so the whole stack is visited at the end. */
static size_t roots_stable(const Cell *cell) {
  (void)cell;
  return 0;
}

static const GcKind mutator_kinds[KIND_COUNT] = {
    [KIND_NODE] = {.name = "node", .scan = node_scan, .walk = node_walk},
    [KIND_ARRAY] = {.name = "array", .flags = KIND_LEAF},
    [KIND_ROOTS] = {.name = "roots",
                    .flags = KIND_STACK,
                    .scan = roots_scan,
                    .walk = roots_walk,
                    .scan_slots = roots_scan_slots,
                    .walk_slots = roots_walk_slots,
                    .stack_top = roots_top,
                    .stack_stable = roots_stable},
};

/* -- The interface --------------------------------------------------------- */

static const char *const mutator_modes[] = {"incremental", "generational",
                                            NULL};

static void mutator_report_roots(void *context, GcEdgeFn *edge,
                                 void *edge_context) {
  Mutator *m = context;
  if (!m->roots) return;
  edge(edge_context,
       (GcEdge){&m->roots->gc.cell, NULL, EDGE_STRONG, "roots", NULL});
}

static void mutator_set(int *setting, const char *variable) {
  const char *value = getenv(variable);
  if (value) *setting = atoi(value);
}

static void mutator_settings(Gc *gc) {
  mutator_set(&gc->pause, "PAUSE");
  mutator_set(&gc->step_multiplier, "STEPMUL");
  mutator_set(&gc->minor_multiplier, "MINORMUL");
  mutator_set(&gc->major_multiplier, "MAJORMUL");
}

static void mutator_open(const char *mode) {
  GcClient client = {.kinds = mutator_kinds,
                     .kind_count = KIND_COUNT,
                     .roots = mutator_report_roots,
                     .context = &mutator};
  gc_init(&mutator.gc, &client, bench_allocate, NULL);
  gc_set_generational(&mutator.gc, strcmp(mode, "generational") == 0);
  mutator.gc.step_nanoseconds = STEP_NANOSECONDS;
  mutator_settings(&mutator.gc);
  if (MEASURE_STOPS) gc_enable_histogram(&mutator.gc, true);
  mutator.roots = gc_new(&mutator.gc, sizeof *mutator.roots, KIND_ROOTS);
  mutator.roots->gc.epoch = 0;
  mutator.roots->gc.watermark = 0;
  mutator.roots->top = 0;
  gc_stack_switch(&mutator.gc, &mutator.roots->gc.cell);
}

static inline void mutator_push(void *object) {
  mutator.roots->slot[mutator.roots->top++] = object;
}

static inline void mutator_pop(size_t count) { mutator.roots->top -= count; }

static inline Node *mutator_new_node(Node *left, Node *right) {
  stops_begin(&mutator.stops);
  Node *node = gc_new(&mutator.gc, sizeof *node, KIND_NODE);
  stops_end(&mutator.stops);
  node->left = left;
  node->right = right;
  return node;
}

static inline Array *mutator_new_array(size_t count) {
  size_t size = sizeof(Array) + count * sizeof(double);
  stops_begin(&mutator.stops);
  Array *array = gc_new(&mutator.gc, size, KIND_ARRAY);
  stops_end(&mutator.stops);
  return array;
}

static inline void mutator_store(Node *from, Node **field, Node *to) {
  *field = to;
  gc_barrier_back(&mutator.gc, &from->cell, &to->cell);
}

/* Every object that is still needed must be reachable now. */
static inline void mutator_poll(void) {
  if (LIKELY(!gc_step_due(&mutator.gc))) return;
  stops_begin(&mutator.stops);
  gc_step(&mutator.gc);
  stops_end(&mutator.stops);
}

static void mutator_report(void) {
  const GcStats *stats = &mutator.gc.stats;
  printf("collections=%llu minor=%llu steps=%llu largest_step=%zu "
         "largest_unit=%zu heap_peak_mb=%.1f",
         (unsigned long long)stats->cycles,
         (unsigned long long)stats->minor_cycles,
         (unsigned long long)stats->steps, stats->largest_step,
         stats->largest_unit, (double)stats->peak_bytes / 1e6);
  if (mutator.gc.histogram)
    printf(" longest_step_wall_us=%.1f",
           (double)mutator.gc.histogram->longest_nanoseconds / 1e3);
}

static void mutator_close(void) { gc_close(&mutator.gc); }

#endif
