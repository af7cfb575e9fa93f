/* SPDX-License-Identifier: MIT */
/*
** threads.c -- many states in many threads
**
** Arguments are shared libraries of any Lua.  For each, 1, 2 and 4 threads run
** for a second.  First each thread repeatedly opens a state with the libraries,
** runs a small program in it, and closes it.  Then each thread keeps one state
** and runs a program that allocates.  The program prints states and runs, per
** second and per second of CPU time of all threads together, the best of five
** turns.  States share nothing.  So two threads on two free processors should
** do twice the work of one in a second.  The work in a second of CPU time
** should depend neither on the number of threads nor on the load of the
** machine.
*/
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdint.h>

#include "library.h"

enum { TURNS = 5, THREADS_MAX = 4, SECOND = 1000000 };

/* A library that runs programs. */
typedef struct Runner {
  Library library;
  int (*load_string)(lua_State *L, const char *s);
  int (*pcall)(lua_State *L, int args, int results, int handler, intptr_t ctx,
               void *k);
} Runner;

static const char small_program[] =
    "local t = {} for i = 1, 100 do t[i] = i .. '' end return #t";
static const char large_program[] =
    "local ring = {} for i = 1, 20000 do ring[i % 500] = {i, i .. ''} end";

static void runner_open(Runner *runner, const char *path) {
  library_open(&runner->library, path);
  library_find(&runner->library, "luaL_loadstring", &runner->load_string);
  library_find(&runner->library, "lua_pcallk", &runner->pcall);
}

static double now(void) { return clock_of(CLOCK_MONOTONIC); }

typedef struct Rates {
  double second, cpu_second;
} Rates;

typedef struct Worker {
  const Runner *runner;
  int keeps_state;
  double end;
  long done;
  pthread_t thread;
} Worker;

static void run(const Runner *runner, lua_State *L, const char *program) {
  if (runner->load_string(L, program) != 0 ||
      runner->pcall(L, 0, 0, 0, 0, NULL) != 0)
    fail(runner->library.path, "the program failed");
}

static void *worker_main(void *argument) {
  Worker *w = argument;
  const Library *library = &w->runner->library;
  lua_State *L = w->keeps_state ? library_state(library) : NULL;
  for (; now() < w->end; w->done++) {
    if (w->keeps_state) {
      run(w->runner, L, large_program);
    } else {
      L = library_state(library);
      run(w->runner, L, small_program);
      library->close_state(L);
    }
  }
  if (w->keeps_state) library->close_state(L);
  return NULL;
}

/* Runs this number of threads, and returns their rates. */
static Rates turn(const Runner *runner, int threads, int keeps_state) {
  Worker worker[THREADS_MAX];
  const double begin = now(), cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  double done = 0;
  for (int i = 0; i < threads; i++) {
    worker[i] = (Worker){runner, keeps_state, begin + SECOND, 0, 0};
    if (pthread_create(&worker[i].thread, NULL, worker_main, &worker[i]) != 0)
      fail("pthread_create", "no thread");
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(worker[i].thread, NULL);
    done += (double)worker[i].done;
  }
  return (Rates){done * SECOND / (now() - begin),
                 done * SECOND / (clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu)};
}

static Rates best(const Runner *runner, int threads, int keeps_state) {
  Rates most = {0, 0};
  for (int i = 0; i < TURNS; i++) {
    const Rates r = turn(runner, threads, keeps_state);
    if (r.second > most.second) most.second = r.second;
    if (r.cpu_second > most.cpu_second) most.cpu_second = r.cpu_second;
  }
  return most;
}

int main(int argc, char **argv) {
  if (argc < 2) fail("usage", "threads LIBRARY ...");
  printf("%7s %10s %10s %10s %10s\n", "threads", "states/s", "/CPU s", "runs/s",
         "/CPU s");
  for (int i = 1; i < argc; i++) {
    Runner runner;
    runner_open(&runner, argv[i]);
    puts(argv[i]);
    for (int threads = 1; threads <= THREADS_MAX; threads *= 2) {
      const Rates states = best(&runner, threads, 0);
      const Rates runs = best(&runner, threads, 1);
      printf("%7d %10.0f %10.0f %10.0f %10.0f\n", threads, states.second,
             states.cpu_second, runs.second, runs.cpu_second);
    }
  }
  return EXIT_SUCCESS;
}
