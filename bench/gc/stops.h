/* SPDX-License-Identifier: MIT */
/*
** stops.h -- measures from outside how long the program waits for the collector
**
** With MEASURE_STOPS, the clock is read around every operation that can run the
** collector, for every collector alike.  That costs more than an allocation, so
** total times come from a program compiled without it.
*/
#ifndef PENUMBRA_BENCH_STOPS_H
#define PENUMBRA_BENCH_STOPS_H

#include "clock.h"

#ifndef MEASURE_STOPS
#define MEASURE_STOPS 0
#endif

typedef struct Stops {
  uint64_t began;
  uint64_t longest; /* nanoseconds of CPU time */
  uint64_t over_200us;
} Stops;

static inline void stops_begin(Stops *stops) {
  if (MEASURE_STOPS) stops->began = clock_thread();
}

static inline void stops_end(Stops *stops) {
  if (!MEASURE_STOPS) return;
  uint64_t time = clock_thread() - stops->began;
  if (time > stops->longest) stops->longest = time;
  if (time > 200000) stops->over_200us++;
}

#endif
