/* SPDX-License-Identifier: MIT */
/*
** gc_demo.c -- a demonstration of the collector
**
** Builds a live heap of a few million objects of all sorts that are hard on
** collectors.  Changes it for some seconds, first in incremental and then in
** generational mode, and shows the effects on the program: each cycle with its
** phases, as reported to the listener, and a histogram of the waiting times of
** the program.  All times are CPU times, because wall-clock time would include
** other programs.
**
**   gc_demo [seconds]
*/
#include "clock.h"
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ARRAY_COUNT = 1000000,
  WEAK_COUNT = 200000,
  CHAIN_COUNT = 100000,
  BAR = 50,    /* length of the longest bar of the histogram */
  BUCKETS = 40 /* powers of two of nanoseconds */
};

/* A histogram of the durations of steps. */
typedef struct Histogram {
  uint64_t count[BUCKETS];
  uint64_t total_nanoseconds;
  uint64_t longest_nanoseconds;
} Histogram;

typedef struct Demo {
  World world;
  uint64_t phase_time[PHASE_COUNT]; /* in this cycle, during steps */
  uint64_t cycle_steps;
  uint64_t cycle_longest;
  uint64_t cycle_began;
  uint64_t shown; /* cycles printed so far */
  Histogram histogram;
  GcPhase longest_phase;
  uint64_t finalized;
} Demo;

/* -- Listening ------------------------------------------------------------- */

static void print_phases(const Demo *demo) {
  for (int i = PHASE_UNMARK; i < PHASE_COUNT; i++) {
    double time = (double)demo->phase_time[i] / 1e6;
    if (time >= 0.05) printf("  %s %.1f", gc_phase_name((GcPhase)i), time);
  }
}

static void demo_cycle_begin(Demo *demo) {
  memset(demo->phase_time, 0, sizeof demo->phase_time);
  demo->cycle_steps = demo->cycle_longest = 0;
  demo->cycle_began = clock_thread();
}

static void demo_cycle_end(Demo *demo, const GcEvent *event) {
  double time = (double)(clock_thread() - demo->cycle_began) / 1e6;
  demo->shown++;
  printf("  %s %3llu  %4.0f MB  %6llu steps in %4.0f ms  longest %4.0f us |",
         event->minor ? "minor" : "cycle", (unsigned long long)demo->shown,
         (double)event->bytes / 1e6, (unsigned long long)demo->cycle_steps,
         time, (double)demo->cycle_longest / 1e3);
  print_phases(demo);
  printf(" ms\n");
}

static void demo_event(void *context, const GcEvent *event) {
  if (event->type == EVENT_CYCLE_BEGIN)
    demo_cycle_begin(context);
  else if (event->type == EVENT_CYCLE_END)
    demo_cycle_end(context, event);
}

/* -- The program ----------------------------------------------------------- */

/* Records a step of this duration that ended in this phase. */
static void demo_step(Demo *demo, uint64_t time, GcPhase phase) {
  Histogram *histogram = &demo->histogram;
  unsigned bucket = 0;
  while (bucket < BUCKETS - 1 && time >> bucket > 1) bucket++;
  histogram->count[bucket]++;
  histogram->total_nanoseconds += time;
  demo->phase_time[phase] += time;
  demo->cycle_steps++;
  if (time > demo->cycle_longest) demo->cycle_longest = time;
  if (time <= histogram->longest_nanoseconds) return;
  histogram->longest_nanoseconds = time;
  demo->longest_phase = phase;
}

static void demo_poll(Demo *demo) {
  Gc *gc = &demo->world.gc;
  if (LIKELY(!gc_step_due(gc))) return;
  GcPhase phase = (GcPhase)gc->phase;
  uint64_t began = clock_thread();
  gc_step(gc);
  uint64_t time = clock_thread() - began;
  if (gc->phase != PHASE_PAUSE) phase = (GcPhase)gc->phase;
  demo_step(demo, time, phase);
}

static Vector *demo_vector(Demo *demo, int root) {
  return (Vector *)(void *)demo->world.root[root];
}

/* A large array of small trees, weak references to some of them, and a chain
** of ephemerons in the worst order. */
static void demo_build(Demo *demo) {
  World *world = &demo->world;
  world->root[0] = &vector_new(world, OBJECT_VECTOR, ARRAY_COUNT)->cell;
  world->root[1] = &vector_new(world, OBJECT_WEAK, WEAK_COUNT)->cell;
  world->root[3] = &ephemerons_new(world, CHAIN_COUNT)->cell;
  Ephemerons *chain = (Ephemerons *)(void *)world->root[3];
  Node *previous = NULL;
  for (size_t i = 0; i < CHAIN_COUNT; i++) {
    Node *key = node_new(world);
    key->index = (uint32_t)i;
    world->root[2] = &key->cell;
    ephemerons_set(world, chain, key, previous);
    previous = key;
    demo_poll(demo);
  }
}

/* Puts a node with two children into a random slot of the array. */
static void demo_change(Demo *demo, uint64_t number) {
  World *world = &demo->world;
  Vector *array = demo_vector(demo, 0), *weak = demo_vector(demo, 1);
  size_t index = world_random_below(world, ARRAY_COUNT);
  Node *node = node_new(world);
  vector_set(world, array, index, node);
  node_set_left(world, node, node_new(world));
  node_set_right(world, node, node_new(world));
  if (number % 4 == 0)
    vector_set(world, weak, world_random_below(world, WEAK_COUNT), node);
  if (number % 64 == 0 && !gc_register_finalizer(&world->gc, &node->cell))
    exit(1);
  if (gc_next_finalizable(&world->gc)) demo->finalized++;
  demo_poll(demo);
}

/* -- Showing --------------------------------------------------------------- */

static void print_time(double nanoseconds) {
  if (nanoseconds < 1000)
    printf("%5.0f ns", nanoseconds);
  else if (nanoseconds < 1e6)
    printf("%5.0f us", nanoseconds / 1e3);
  else
    printf("%5.0f ms", nanoseconds / 1e6);
}

static void print_bar(uint64_t count, uint64_t most) {
  uint64_t length = (count * BAR + most - 1) / most;
  for (uint64_t i = 0; i < length; i++) putchar('#');
  printf(" %llu\n", (unsigned long long)count);
}

static void print_histogram(const Histogram *histogram) {
  uint64_t most = 1;
  for (int i = 0; i < BUCKETS; i++)
    if (histogram->count[i] > most) most = histogram->count[i];
  printf("\n  how long the program waited for a step\n");
  for (int i = 0; i < BUCKETS; i++) {
    if (histogram->count[i] == 0) continue;
    printf("  ");
    print_time((double)(UINT64_C(1) << i));
    printf(" - ");
    print_time((double)(UINT64_C(2) << i));
    printf("  ");
    print_bar(histogram->count[i], most);
  }
}

static void print_summary(const Demo *demo, uint64_t changes, double seconds) {
  const Histogram *histogram = &demo->histogram;
  printf("\n  %.1f million changes in %.1f s, %.0f %% of it in the collector; "
         "%llu objects finalized\n",
         (double)changes / 1e6, seconds,
         (double)histogram->total_nanoseconds / 1e7 / seconds,
         (unsigned long long)demo->finalized);
  printf("  longest step: %.0f us, in phase '%s'\n",
         (double)histogram->longest_nanoseconds / 1e3,
         gc_phase_name(demo->longest_phase));
}

static void demo_run(bool generational, double seconds) {
  Demo *demo = calloc(1, sizeof *demo);
  if (!demo) exit(1);
  printf("\n%s mode\n\n", generational ? "Generational" : "Incremental");
  world_open(&demo->world, generational, 42);
  demo->world.gc.listener = (GcListener){demo_event, demo};
  uint64_t began = clock_thread(), changes = 0, now;
  demo_build(demo);
  do {
    for (int i = 0; i < 1000; i++) demo_change(demo, changes++);
    now = clock_thread();
  } while ((double)(now - began) / 1e9 < seconds);
  print_histogram(&demo->histogram);
  print_summary(demo, changes, (double)(now - began) / 1e9);
  world_close(&demo->world);
  free(demo);
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 3;
  printf("Penumbra's collector: an array of %d trees, %d weak references, a\n"
         "chain of %d ephemerons, objects with finalizers, all changing.\n",
         ARRAY_COUNT, WEAK_COUNT, CHAIN_COUNT);
  demo_run(false, seconds / 2);
  demo_run(true, seconds / 2);
  return 0;
}
