/* SPDX-License-Identifier: MIT */
/*
** watch.c -- samples the heap of a running program, for timeline.lua
**
** The signal handler of a timer only reads figures of the collector.  So
** watching causes no call and no step of the program.  The figures are a few
** numbers that the state has ready.  A sample during a change may show one of
** them too early or too late.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "lauxlib.h"
#include "lua.h"
#include "penumbra.h"

enum { LOOKS_MAX = 200000 };

typedef struct Look {
  long long microseconds; /* of CPU time */
  size_t bytes, footprint, goal, cycles;
} Look;

static Look looks[LOOKS_MAX];
static volatile sig_atomic_t look_count;
static lua_State *watched;
static long long begin;
static void (*get_stats)(lua_State *L, penumbra_Stats *stats);

static long long cpu_microseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static bool look_at_stats(Look *look) {
  penumbra_Stats stats = {.size = sizeof stats};
  get_stats(watched, &stats);
  look->bytes = stats.bytes + stats.external;
  look->footprint = stats.footprint + stats.external;
  look->goal = stats.goal;
  look->cycles = (size_t)stats.cycles;
  return true;
}

/* There is no count while a finalizer runs. */
static bool look_at_count(Look *look) {
  const int kilobytes = lua_gc(watched, LUA_GCCOUNT);
  look->bytes = (size_t)kilobytes * 1024;
  return kilobytes >= 0;
}

static void on_timer(int number) {
  const int error = errno;
  Look *look = &looks[look_count];
  (void)number;
  if (look_count == LOOKS_MAX) return;
  look->microseconds = cpu_microseconds() - begin;
  if (get_stats != NULL ? look_at_stats(look) : look_at_count(look))
    look_count = look_count + 1;
  errno = error;
}

static void timer_set(long microseconds) {
  struct itimerval value;
  memset(&value, 0, sizeof value);
  value.it_interval.tv_usec = microseconds;
  value.it_value.tv_usec = microseconds;
  setitimer(ITIMER_REAL, &value, NULL);
}

/* start(microseconds) */
static int watch_start(lua_State *L) {
  const long interval = (long)luaL_checkinteger(L, 1);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_timer;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  watched = L;
  begin = cpu_microseconds();
  timer_set(interval);
  return 0;
}

/* stop(path): writes a line for each sample */
static int watch_stop(lua_State *L) {
  FILE *file;
  timer_set(0);
  file = fopen(luaL_checkstring(L, 1), "w");
  if (file == NULL) return luaL_error(L, "cannot write");
  for (int i = 0; i < look_count; i++) {
    const Look *look = &looks[i];
    fprintf(file, "%lld %zu %zu %zu %zu\n", look->microseconds, look->bytes,
            look->footprint, look->goal, look->cycles);
  }
  fclose(file);
  return 0;
}

static const luaL_Reg functions[] = {
    {"start", watch_start}, {"stop", watch_stop}, {NULL, NULL}};

LUAMOD_API int luaopen_memory_watch(lua_State *L);

LUAMOD_API int luaopen_memory_watch(lua_State *L) {
  *(void **)&get_stats = dlsym(RTLD_DEFAULT, "penumbra_getstats");
  luaL_newlib(L, functions);
  return 1;
}
