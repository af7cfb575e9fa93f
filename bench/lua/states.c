/* SPDX-License-Identifier: MIT */
/*
** states.c -- what it takes to open and to close a state with its libraries
**
** Arguments are shared libraries of any Lua.  They take turns; each time a few
** hundred states are opened, given the standard libraries and closed again.
** Printed is the CPU time for one, of the best turn and of the median one.
*/
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TURNS = 31, STATES = 200, LIBRARIES_MAX = 8 };

typedef struct lua_State lua_State;

typedef struct Library {
  const char *path;
  lua_State *(*new_state)(void);
  void (*open_libraries)(lua_State *L);
  void (*close_state)(lua_State *L);
  double microseconds[TURNS];
} Library;

static void fail(const char *what, const char *why) {
  fprintf(stderr, "states: %s: %s\n", what, why);
  exit(EXIT_FAILURE);
}

/* The standard has no conversion from an object pointer to a function's. */
static void find(void *handle, const char *name, void *function) {
  void *address = dlsym(handle, name);
  if (address == NULL) fail(name, dlerror());
  *(void **)function = address;
}

/* The names are the same in all of them: each keeps its own. */
static void library_open(Library *library, const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) fail(path, dlerror());
  library->path = path;
  find(handle, "luaL_newstate", &library->new_state);
  find(handle, "luaL_openlibs", &library->open_libraries);
  find(handle, "lua_close", &library->close_state);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double library_turn(const Library *library) {
  const double start = now();
  for (int i = 0; i < STATES; i++) {
    lua_State *L = library->new_state();
    if (L == NULL) fail(library->path, "no state");
    library->open_libraries(L);
    library->close_state(L);
  }
  return (now() - start) / STATES;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  static Library library[LIBRARIES_MAX];
  const int count = argc - 1;
  if (count < 1 || count > LIBRARIES_MAX) fail("usage", "states LIBRARY ...");
  for (int i = 0; i < count; i++) library_open(&library[i], argv[i + 1]);
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < count; i++)
      library[i].microseconds[turn] = library_turn(&library[i]);
  printf("%8s %8s  microseconds for a state with libraries\n", "least",
         "median");
  for (int i = 0; i < count; i++) {
    double *times = library[i].microseconds;
    qsort(times, TURNS, sizeof *times, compare);
    printf("%8.1f %8.1f  %s\n", times[0], times[TURNS / 2], library[i].path);
  }
  return EXIT_SUCCESS;
}
