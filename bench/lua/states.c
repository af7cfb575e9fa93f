/* SPDX-License-Identifier: MIT */
/*
** states.c -- the cost of opening and closing a state with its libraries
**
** Arguments are shared libraries of any Lua.  They take turns.  In each turn a
** few hundred states are opened, given the standard libraries and closed again.
** It prints the CPU time for one state, of the best turn and of the median
** turn.
*/
#define _POSIX_C_SOURCE 200809L
#include "library.h"

enum { TURNS = 31, STATES = 200, LIBRARIES_MAX = 8 };

static double now(void) { return clock_of(CLOCK_PROCESS_CPUTIME_ID); }

static double library_turn(const Library *library) {
  const double start = now();
  for (int i = 0; i < STATES; i++) library->close_state(library_state(library));
  return (now() - start) / STATES;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  static Library library[LIBRARIES_MAX];
  static double microseconds[LIBRARIES_MAX][TURNS];
  const int count = argc - 1;
  if (count < 1 || count > LIBRARIES_MAX) fail("usage", "states LIBRARY ...");
  for (int i = 0; i < count; i++) library_open(&library[i], argv[i + 1]);
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < count; i++)
      microseconds[i][turn] = library_turn(&library[i]);
  printf("%8s %8s  microseconds for a state with libraries\n", "least",
         "median");
  for (int i = 0; i < count; i++) {
    double *times = microseconds[i];
    qsort(times, TURNS, sizeof *times, compare);
    printf("%8.1f %8.1f  %s\n", times[0], times[TURNS / 2], library[i].path);
  }
  return EXIT_SUCCESS;
}
