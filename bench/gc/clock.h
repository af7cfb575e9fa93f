/* SPDX-License-Identifier: MIT */
/*
** clock.h -- time and memory as the operating system sees them
**
** CPU time, not time on the wall: the machine has other things to do.
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

/* Nanoseconds this thread has been on a processor. */
static inline uint64_t clock_thread(void) {
  return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

/* The same for all threads of the process, helpers of a collector included. */
static inline uint64_t clock_process(void) {
  return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* The most kilobytes of memory the process ever had. */
static inline size_t clock_peak_kilobytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (size_t)usage.ru_maxrss;
}

#endif
