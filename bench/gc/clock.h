/* SPDX-License-Identifier: MIT */
/*
** clock.h -- time and memory as measured by the operating system
**
** It measures CPU time, not wall-clock time, because the machine is shared.
*/
#ifndef PENUMBRA_BENCH_CLOCK_H
#define PENUMBRA_BENCH_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

static inline uint64_t clock_read(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Nanoseconds of CPU time of this thread. */
static inline uint64_t clock_thread(void) {
  return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

/* The same for all threads of the process, including a collector's helpers. */
static inline uint64_t clock_process(void) {
  return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* The peak memory of the process in kilobytes. */
static inline size_t clock_peak_kilobytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (size_t)usage.ru_maxrss;
}

#endif
