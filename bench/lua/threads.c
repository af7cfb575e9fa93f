/* SPDX-License-Identifier: MIT */
/*
** threads.c -- many states in many threads
**
** Arguments are shared libraries of any Lua.  For each, 1, 2 and 4 threads run
** for a second: each thread opens a state with the libraries, runs a small
** program in it, closes it, and begins again.  Then each thread keeps one state
** and runs a program that allocates.  Printed are states and runs, for a second
** and for a second of CPU time of all threads together, the best of five turns.
** States share nothing: what two threads do in a second on two free processors
** should be twice what one does, and what a second of CPU time is good for
** should not depend on the number of threads, however busy the machine is.
*/
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 5, THREADS_MAX = 4, SECOND = 1000000 };

typedef struct lua_State lua_State;

typedef struct Library {
  const char *path;
  lua_State *(*new_state)(void);
  void (*open_libraries)(lua_State *L);
  void (*close_state)(lua_State *L);
  int (*load_string)(lua_State *L, const char *s);
  int (*pcall)(lua_State *L, int args, int results, int handler, intptr_t ctx,
               void *k);
  void (*set_top)(lua_State *L, int index);
} Library;

static const char small_program[] =
    "local t = {} for i = 1, 100 do t[i] = i .. '' end return #t";
static const char large_program[] =
    "local ring = {} for i = 1, 20000 do ring[i % 500] = {i, i .. ''} end";

static void fail(const char *what, const char *why) {
  fprintf(stderr, "threads: %s: %s\n", what, why);
  exit(EXIT_FAILURE);
}

static void find(void *handle, const char *name, void *function) {
  void *address = dlsym(handle, name);
  if (address == NULL) fail(name, dlerror());
  memcpy(function, &address, sizeof address);
}

static void library_open(Library *library, const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) fail(path, dlerror());
  library->path = path;
  find(handle, "luaL_newstate", &library->new_state);
  find(handle, "luaL_openlibs", &library->open_libraries);
  find(handle, "lua_close", &library->close_state);
  find(handle, "luaL_loadstring", &library->load_string);
  find(handle, "lua_pcallk", &library->pcall);
  find(handle, "lua_settop", &library->set_top);
}

static double clock_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double now(void) { return clock_of(CLOCK_MONOTONIC); }

typedef struct Rates {
  double second, cpu_second;
} Rates;

typedef struct Worker {
  const Library *library;
  int keeps_state;
  double end;
  long done;
  pthread_t thread;
} Worker;

static lua_State *worker_open(const Library *lib) {
  lua_State *L = lib->new_state();
  if (L == NULL) fail(lib->path, "no state");
  lib->open_libraries(L);
  return L;
}

static void worker_run(const Library *lib, lua_State *L, const char *program) {
  if (lib->load_string(L, program) != 0 || lib->pcall(L, 0, 0, 0, 0, NULL) != 0)
    fail(lib->path, "the program failed");
}

static void *worker_main(void *argument) {
  Worker *w = argument;
  lua_State *L = w->keeps_state ? worker_open(w->library) : NULL;
  for (; now() < w->end; w->done++) {
    if (w->keeps_state) {
      worker_run(w->library, L, large_program);
    } else {
      L = worker_open(w->library);
      worker_run(w->library, L, small_program);
      w->library->close_state(L);
    }
  }
  if (w->keeps_state) w->library->close_state(L);
  return NULL;
}

/* What so many threads do. */
static Rates turn(const Library *library, int threads, int keeps_state) {
  Worker worker[THREADS_MAX];
  const double begin = now(), cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  double done = 0;
  for (int i = 0; i < threads; i++) {
    worker[i] = (Worker){library, keeps_state, begin + SECOND, 0, 0};
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

static Rates best(const Library *library, int threads, int keeps_state) {
  Rates most = {0, 0};
  for (int i = 0; i < TURNS; i++) {
    const Rates r = turn(library, threads, keeps_state);
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
    Library library;
    library_open(&library, argv[i]);
    puts(library.path);
    for (int threads = 1; threads <= THREADS_MAX; threads *= 2) {
      const Rates states = best(&library, threads, 0);
      const Rates runs = best(&library, threads, 1);
      printf("%7d %10.0f %10.0f %10.0f %10.0f\n", threads, states.second,
             states.cpu_second, runs.second, runs.cpu_second);
    }
  }
  return EXIT_SUCCESS;
}
