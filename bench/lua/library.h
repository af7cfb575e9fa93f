/* SPDX-License-Identifier: MIT */
/*
** library.h -- a shared library of any Lua, opened at run time
**
** All libraries define the same names, so each is opened with RTLD_LOCAL.
** Include this header in one file of a program.
*/
#ifndef BENCH_LIBRARY_H
#define BENCH_LIBRARY_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct lua_State lua_State;

typedef struct Library {
  const char *path;
  void *handle;
  lua_State *(*new_state)(void);
  void (*open_libraries)(lua_State *L);
  void (*close_state)(lua_State *L);
} Library;

static inline void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(EXIT_FAILURE);
}

/* The C standard has no conversion from an object to a function pointer. */
static inline void library_find(const Library *library, const char *name,
                                void *function) {
  void *address = dlsym(library->handle, name);
  if (address == NULL) fail(name, dlerror());
  memcpy(function, &address, sizeof address);
}

static inline void library_open(Library *library, const char *path) {
  library->path = path;
  library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library->handle == NULL) fail(path, dlerror());
  library_find(library, "luaL_newstate", &library->new_state);
  library_find(library, "luaL_openlibs", &library->open_libraries);
  library_find(library, "lua_close", &library->close_state);
}

/* Opens a state with its libraries. */
static inline lua_State *library_state(const Library *library) {
  lua_State *L = library->new_state();
  if (L == NULL) fail(library->path, "no state");
  library->open_libraries(L);
  return L;
}

/* The clock in microseconds. */
static inline double clock_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

#endif
