/* SPDX-License-Identifier: MIT */
/*
** dead.c -- the cost of sweeping a dead cell, by size
**
**   gc_dead [runs]
**
** Allocates 128 MB of cells of one size, more than any cache, and marks none,
** every eighth or every second one.  Times one whole sweep and, for comparison,
** a loop that reads one byte of every cell: the additional cost if the sweep
** read the cells.
*/
#include "allocator.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { TOTAL = 128000000 };

typedef struct Sample {
  double sweep_ns; /* per cell */
  double read_ns;
} Sample;

static void **fill(Heap *heap, size_t size, size_t count) {
  void **cell = malloc(count * sizeof *cell);
  if (!cell) exit(1);
  for (size_t i = 0; i < count; i++) {
    cell[i] = heap_allocate(heap, size);
    if (!cell[i]) exit(1);
    *(volatile char *)cell[i] = 1;
  }
  return cell;
}

static uint64_t time_reading(void **cell, size_t count) {
  uint64_t began = clock_thread();
  for (size_t i = 0; i < count; i++) (void)*(volatile char *)cell[i];
  return clock_thread() - began;
}

static uint64_t time_sweeping(Heap *heap) {
  uint64_t began = clock_thread();
  heap_sweep_begin(heap, false);
  while (heap_sweep_some(heap)) continue;
  return clock_thread() - began;
}

static Sample measure(size_t size, size_t marked_every) {
  Heap heap;
  size_t count = TOTAL / size;
  heap_init(&heap, bench_allocate, NULL);
  void **cell = fill(&heap, size, count);
  if (marked_every > 0)
    for (size_t i = 0; i < count; i += marked_every) heap_mark(cell[i]);
  Sample sample;
  sample.read_ns = (double)time_reading(cell, count) / (double)count;
  sample.sweep_ns = (double)time_sweeping(&heap) / (double)count;
  heap_close(&heap);
  free(cell);
  return sample;
}

static Sample best_of(size_t size, size_t marked_every, int runs) {
  Sample best = measure(size, marked_every);
  for (int i = 1; i < runs; i++) {
    Sample sample = measure(size, marked_every);
    if (sample.sweep_ns < best.sweep_ns) best.sweep_ns = sample.sweep_ns;
    if (sample.read_ns < best.read_ns) best.read_ns = sample.read_ns;
  }
  return best;
}

int main(int argc, char **argv) {
  int runs = argc > 1 ? atoi(argv[1]) : 3;
  for (size_t size = 16; size <= CELL_MAX; size *= 2) {
    Sample none = best_of(size, 0, runs);
    Sample eighth = best_of(size, 8, runs);
    Sample half = best_of(size, 2, runs);
    printf("size=%zu all_dead_ns=%.3f eighth_live_ns=%.3f half_live_ns=%.3f "
           "all_dead_ns_per_kb=%.2f read_ns=%.3f\n",
           size, none.sweep_ns, eighth.sweep_ns, half.sweep_ns,
           none.sweep_ns * 1024 / (double)size, none.read_ns);
    fflush(stdout);
  }
  return 0;
}
