/* SPDX-License-Identifier: MIT */
/*
** units.c -- the largest unit of work and the largest step, on heaps that are
** hard on collectors
**
**   units [runs [case...]]
**
** Each case is one huge object of a sort that collectors tend to handle at
** once.  It runs with steps that are due to the program's allocation, and once
** more with every single unit of work timed as a separate step.
*/
#include "meter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  ARRAY_COUNT = 10000000,
  WEAK_COUNT = 1000000,
  CHAIN_COUNT = 1000000,
  FINALIZABLE_COUNT = 1000000,
  STACK_COUNT = 1000000,
  NODE_COUNT = 10000000,
  CYCLES = 3, /* after the heap was built */
  MINOR_PER_MAJOR = 3,
  RECORDS_MAX = 100000000
};

typedef struct Case {
  const char *name;
  void (*build)(Meter *meter);
  /* One small change of the heap, with an allocation and a poll. */
  void (*change)(Meter *meter, uint64_t number);
  /* Called between two cycles; may be NULL. */
  void (*between)(Meter *meter, unsigned cycle);
} Case;

static void allocate_garbage(Meter *meter) {
  meter_node(meter);
  meter_poll(meter);
}

/* -- One array of 10 million references ------------------------------------ */

static void array_build(Meter *meter) {
  World *world = meter->world;
  Vector *vector = vector_new(world, OBJECT_VECTOR, ARRAY_COUNT);
  world->root[0] = &vector->cell;
  for (size_t i = 0; i < ARRAY_COUNT; i++) {
    vector_set(world, vector, i, meter_node(meter));
    meter_poll(meter);
  }
}

static void array_change(Meter *meter, uint64_t number) {
  World *world = meter->world;
  Vector *vector = (Vector *)(void *)world->root[0];
  (void)number;
  size_t index = world_random_below(world, ARRAY_COUNT);
  vector_set(world, vector, index, meter_node(meter));
  meter_poll(meter);
}

/* -- A million weak entries ------------------------------------------------ */

static void weak_build(Meter *meter) {
  World *world = meter->world;
  world->root[0] = &vector_new(world, OBJECT_WEAK, WEAK_COUNT)->cell;
  world->root[1] = &vector_new(world, OBJECT_VECTOR, WEAK_COUNT)->cell;
  Vector *weak = (Vector *)(void *)world->root[0];
  Vector *strong = (Vector *)(void *)world->root[1];
  for (size_t i = 0; i < WEAK_COUNT; i++) {
    Node *node = meter_node(meter);
    vector_set(world, strong, i, node);
    vector_set(world, weak, i, node);
    meter_poll(meter);
  }
}

/* If nothing else holds the old value, it vanishes from the weak vector. */
static void weak_change(Meter *meter, uint64_t number) {
  World *world = meter->world;
  Vector *weak = (Vector *)(void *)world->root[0];
  Vector *strong = (Vector *)(void *)world->root[1];
  size_t index = world_random_below(world, WEAK_COUNT);
  Node *node = meter_node(meter);
  if (number % 2) vector_set(world, strong, index, node);
  vector_set(world, weak, world_random_below(world, WEAK_COUNT), node);
  meter_poll(meter);
}

/* -- A chain of a million ephemerons --------------------------------------- */

/* The value of each entry is the key of the entry before it, so no key is
** reached before the whole table was visited. */
static void chain_build(Meter *meter) {
  World *world = meter->world;
  Ephemerons *table = ephemerons_new(world, CHAIN_COUNT);
  world->root[1] = &table->cell;
  Node *previous = NULL;
  for (size_t i = 0; i < CHAIN_COUNT; i++) {
    Node *key = meter_node(meter);
    key->index = (uint32_t)i;
    world->root[0] = &key->cell;
    ephemerons_set(world, table, key, previous);
    previous = key;
    meter_poll(meter);
  }
}

static void chain_change(Meter *meter, uint64_t number) {
  (void)number;
  allocate_garbage(meter);
}

/* Cuts the chain, so that a quarter of its keys die. */
static void chain_between(Meter *meter, unsigned cycle) {
  Ephemerons *table = (Ephemerons *)(void *)meter->world->root[1];
  Entry *entry = &table->entry[CHAIN_COUNT / 4 * ((CYCLES - cycle) % 4)];
  if (entry->key) entry->value = NULL;
}

/* -- A million finalizable objects dying together -------------------------- */

static void finalizable_build(Meter *meter) {
  World *world = meter->world;
  Vector *vector = vector_new(world, OBJECT_VECTOR, FINALIZABLE_COUNT);
  world->root[0] = &vector->cell;
  for (size_t i = 0; i < FINALIZABLE_COUNT; i++) {
    Node *node = meter_node(meter);
    vector_set(world, vector, i, node);
    if (!gc_register_finalizer(&world->gc, &node->cell)) exit(1);
    meter_poll(meter);
  }
}

static void finalizable_change(Meter *meter, uint64_t number) {
  if (number % 4 == 0) meter_next_finalizable(meter);
  allocate_garbage(meter);
}

static void finalizable_between(Meter *meter, unsigned cycle) {
  World *world = meter->world;
  if (cycle % 2 == 0) {
    world->root[0] = NULL;
    return;
  }
  while (meter_next_finalizable(meter)) continue;
  finalizable_build(meter);
}

/* -- A stack of a million slots -------------------------------------------- */

static void stack_build(Meter *meter) {
  World *world = meter->world;
  Stack *stack = stack_new(world, STACK_COUNT + FRAME_SLOTS);
  world->root[0] = &stack->gc.cell;
  while (stack->top < STACK_COUNT) {
    stack_call(stack, meter_node(meter));
    meter_poll(meter);
  }
}

/* Returns from some frames, seldom from many, and calls as many. */
static void stack_change(Meter *meter, uint64_t number) {
  World *world = meter->world;
  Stack *stack = (Stack *)(void *)world->root[0];
  size_t frames = 1 + world_random_below(world, 8);
  if (number % 65536 == 0)
    frames = world_random_below(world, STACK_COUNT / FRAME_SLOTS);
  for (size_t i = 0; i < frames && stack->base > 0; i++)
    stack_return(world, stack);
  while (stack->top < STACK_COUNT) {
    stack_call(stack, meter_node(meter));
    meter_poll(meter);
  }
}

/* -- 10 million small objects ---------------------------------------------- */

/* Connects the nodes of a list, each linked by `left`, as a binary heap.  The
** order is independent of their places in memory. */
static void nodes_shuffle(World *world) {
  Node **node = malloc(NODE_COUNT * sizeof *node);
  if (!node) exit(1);
  Node *next = (Node *)(void *)world->root[0];
  for (size_t i = 0; i < NODE_COUNT; i++, next = next->left) node[i] = next;
  for (size_t i = NODE_COUNT - 1; i > 0; i--) {
    size_t j = world_random_below(world, i + 1);
    Node *other = node[i];
    node[i] = node[j];
    node[j] = other;
  }
  for (size_t i = 0; i < NODE_COUNT; i++) {
    size_t left = 2 * i + 1, right = 2 * i + 2;
    node_set_left(world, node[i], left < NODE_COUNT ? node[left] : NULL);
    node_set_right(world, node[i], right < NODE_COUNT ? node[right] : NULL);
  }
  world->root[0] = &node[0]->cell;
  free(node);
}

static void nodes_build(Meter *meter) {
  World *world = meter->world;
  for (size_t i = 0; i < NODE_COUNT; i++) {
    Node *node = meter_node(meter);
    node->left = (Node *)(void *)world->root[0];
    world->root[0] = &node->cell;
    meter_poll(meter);
  }
  nodes_shuffle(world);
}

/* Sometimes replaces a leaf of the tree; all other new nodes are garbage. */
static void nodes_change(Meter *meter, uint64_t number) {
  World *world = meter->world;
  if (number % 16 == 0) {
    Node *parent = (Node *)(void *)world->root[0];
    uint64_t way = world_random(world);
    Node *child = parent->left;
    while (child && child->left) {
      parent = child;
      child = way & 1 && parent->right ? parent->right : parent->left;
      way >>= 1;
    }
    if (child == parent->left) node_set_left(world, parent, meter_node(meter));
  }
  allocate_garbage(meter);
}

/* -- Running --------------------------------------------------------------- */

static const Case cases[] = {
    {"array", array_build, array_change, NULL},
    {"weak", weak_build, weak_change, NULL},
    {"ephemerons", chain_build, chain_change, chain_between},
    {"finalizable", finalizable_build, finalizable_change, finalizable_between},
    {"stack", stack_build, stack_change, NULL},
    {"objects", nodes_build, nodes_change, NULL},
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

static void run_history(const Case *test, Meter *meter, bool generational) {
  World world;
  world_open(&world, generational, UINT64_C(0x9E3779B97F4A7C15));
  meter_attach(meter, &world);
  test->build(meter);
  uint64_t number = 0;
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    if (test->between) test->between(meter, cycle);
    uint64_t end = world.gc.stats.cycles + (generational ? 4 : 1);
    while (world.gc.stats.cycles < end) {
      uint64_t done = world.gc.stats.cycles;
      test->change(meter, number++);
      if (generational && world.gc.stats.cycles != done &&
          done % (MINOR_PER_MAJOR + 1) == 0)
        world.gc.major_next = true;
    }
  }
  meter_finish(meter);
  world_close(&world);
}

/* Each run is a separate process, with the same addresses and history. */
static void run_in_child(const Case *test, Meter *meter, bool generational) {
  pid_t child = fork();
  if (child < 0) exit(1);
  if (child == 0) {
    run_history(test, meter, generational);
    _exit(0);
  }
  int status;
  if (waitpid(child, &status, 0) != child || !meter->run->complete) {
    fprintf(stderr, "%s: a run failed\n", test->name);
    exit(1);
  }
}

static void print_phases(unsigned phases) {
  const char *separator = "";
  for (unsigned i = 0; i < PHASE_COUNT; i++) {
    if (!(phases >> i & 1)) continue;
    for (const char *c = gc_phase_name((GcPhase)i); *c; c++) {
      printf("%s%c", separator, *c == ' ' ? '_' : *c);
      separator = "";
    }
    separator = "+";
  }
}

static void print_call(const Meter *meter, MeterCall call, const char *name,
                       uint32_t longest) {
  const Record *worst = meter_worst(meter, call);
  if (!worst) return;
  uint32_t filtered = meter->by_unit ? worst->nanoseconds : longest;
  printf(" %s_us=%.1f %s_raw_us=%.1f %s_work=%u %s_phases=", name,
         filtered / 1e3, name, longest / 1e3, name, worst->work, name);
  print_phases(worst->phases);
}

/* The smallest of the longest times of the runs. */
static uint32_t least_longest(const MeterRun *runs, size_t count,
                              MeterCall call) {
  uint32_t least = UINT32_MAX;
  for (size_t i = 0; i < count; i++)
    if (runs[i].longest[call] < least) least = runs[i].longest[call];
  return least;
}

static void print_case(const Case *test, const Meter *meter,
                       const MeterRun *runs, size_t count, bool generational) {
  const MeterRun *run = meter->run;
  printf("case=%s mode=%s by=%s cycles=%llu minor=%llu live_mb=%.0f calls=%zu"
         " largest_unit=%zu largest_step=%zu",
         test->name, generational ? "generational" : "incremental",
         meter->by_unit ? "unit" : "step", (unsigned long long)run->cycles,
         (unsigned long long)run->minor_cycles, (double)run->live_bytes / 1e6,
         run->count, run->largest_unit, run->largest_step);
  print_call(meter, CALL_STEP, "step", least_longest(runs, count, CALL_STEP));
  print_call(meter, CALL_ALLOCATE, "allocate",
             least_longest(runs, count, CALL_ALLOCATE));
  print_call(meter, CALL_NEXT_FINALIZABLE, "next",
             least_longest(runs, count, CALL_NEXT_FINALIZABLE));
  printf("\n");
  fflush(stdout);
}

/* For the analysis of a bad case: its worst calls, with their order. */
static void print_worst(const Meter *meter, uint32_t limit) {
  for (size_t i = 0; i < meter->run->count; i++) {
    const Record *record = &meter->records[i];
    if (record->nanoseconds < limit) continue;
    printf("  call %zu: kind %u, %.1f us, work %u, ", i, record->call,
           record->nanoseconds / 1e3, record->work);
    print_phases(record->phases);
    printf("\n");
  }
}

static void run_case(const Case *test, size_t runs, bool generational,
                     bool by_unit) {
  Meter meter;
  meter_open(&meter, runs, RECORDS_MAX);
  meter.by_unit = by_unit;
  MeterRun *first = meter.run;
  for (size_t i = 0; i < runs; i++) {
    meter.run = &first[i];
    meter.again = i > 0;
    run_in_child(test, &meter, generational);
  }
  print_case(test, &meter, first, runs, generational);
  if (getenv("UNITS_WORST"))
    print_worst(&meter, (uint32_t)atoi(getenv("UNITS_WORST")) * 1000);
  meter.run = first;
  meter_close(&meter, runs);
}

static bool is_wanted(const Case *test, int argc, char **argv) {
  if (argc <= 2) return true;
  for (int i = 2; i < argc; i++)
    if (strcmp(argv[i], test->name) == 0) return true;
  return false;
}

int main(int argc, char **argv) {
  size_t runs = argc > 1 ? (size_t)atoi(argv[1]) : 3;
  if (runs < 1) runs = 1;
  for (int i = 0; i < CASE_COUNT; i++) {
    if (!is_wanted(&cases[i], argc, argv)) continue;
    for (int mode = 0; mode < 2; mode++) {
      run_case(&cases[i], runs, mode == 1, false);
      run_case(&cases[i], runs, mode == 1, true);
    }
  }
  return 0;
}
