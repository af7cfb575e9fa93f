/* SPDX-License-Identifier: MIT */
/*
** units.c -- how much time a unit of a budget stands for
**
**    units script [arguments]
**
** Runs the script, which returns two functions.  `next` returns a function to
** measure, and for how many nanoseconds, or nil at the end; `result` gets what
** was measured.  A measured
** function runs with a budget of WINDOW units.  Whenever they are spent, the
** host's function reads the clock and adds as many, until the time is up.  So
** the time between two of its calls shows the longest stretch of work without a
** check, and the whole run the time that a unit stands for.  Work that spends
** many units at once, when it begins, has been checked: it is not begun if there
** is not enough time left for it.  So has a whole collection because memory ran
** out: it has units for all bytes, and its time is subtracted.
*/
#define _POSIX_C_SOURCE 200809L

#include <time.h>

#include "../../host/api/own/own.h"

enum {
  WINDOW = 1024,
  AHEAD_NANOSECONDS = 2, /* that an announced unit may take */
  LONG_NANOSECONDS = 100000,
  MEMORY = 128 << 20
};

typedef struct Meter {
  lua_State *L;
  double begin, last; /* nanoseconds */
  double longest;     /* between two checks */
  double announced;   /* for work that the last check allowed */
  double collected;   /* in whole collections so far */
  double enough;      /* nanoseconds to run */
  lua_Unsigned spent, longest_units;
} Meter;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds in whole collections. */
static double collected(lua_State *L) {
  penumbra_Pauses pauses;
  pauses.size = sizeof pauses;
  penumbra_getpauses(L, &pauses);
  return (double)pauses.collections_total;
}

/* The time since the last window that was not allowed beforehand. */
static double meter_piece(Meter *m, double t) {
  const double piece = t - m->last - m->announced;
  if (piece < LONG_NANOSECONDS) return piece; /* do not look further */
  const double before = m->collected;
  m->collected = collected(m->L);
  return piece - (m->collected - before);
}

static void meter_window(Meter *m) {
  const double t = now(), piece = meter_piece(m, t);
  const lua_Unsigned spent = penumbra_getbudgetused(m->L);
  const double over = (double)(spent - m->spent) - WINDOW;
  if (piece > m->longest) {
    m->longest = piece;
    m->longest_units = spent - m->spent;
  }
  m->announced = over > 8192 ? over * AHEAD_NANOSECONDS : 0;
  m->spent = spent;
  m->last = t;
}

static int meter_decide(lua_State *L, void *ud, int canyield) {
  Meter *m = ud;
  (void)canyield;
  meter_window(m);
  if (m->last - m->begin > m->enough) return PENUMBRA_STOP;
  penumbra_addbudget(L, WINDOW, 0);
  m->last = now();
  return PENUMBRA_MORE;
}

/* Calls the function on top for some nanoseconds; leaves its error, or nil. */
static void meter_run(Meter *m, lua_State *L, double enough) {
  memset(m, 0, sizeof *m);
  m->L = L;
  m->enough = enough;
  m->collected = collected(L);
  penumbra_setlimit(L, (size_t)lua_gc(L, LUA_GCCOUNT, 0) * 1024 + MEMORY);
  penumbra_setbudgethook(L, meter_decide, m);
  penumbra_setbudget(L, WINDOW, 0);
  m->begin = m->last = now();
  const int status = lua_pcall(L, 0, 0, 0);
  meter_window(m);
  penumbra_setbudget(L, 0, 0);
  penumbra_setbudgethook(L, NULL, NULL);
  penumbra_setlimit(L, 0);
  if (status == LUA_OK) lua_pushnil(L);
}

static void call(lua_State *L, int nargs, int nresults) {
  if (lua_pcall(L, nargs, nresults, 0) == LUA_OK) return;
  fprintf(stderr, "%s\n", lua_tostring(L, -1));
  exit(1);
}

int main(int argc, char **argv) {
  Meter m;
  lua_State *L = own_open();
  CHECK(argc > 1);
  CHECK(penumbra_timepauses(L, 1));
  penumbra_pushsandbox(L);
  lua_setglobal(L, "sandbox");
  CHECK(luaL_loadfile(L, argv[1]) == LUA_OK || !puts(lua_tostring(L, -1)));
  for (int i = 2; i < argc; i++) lua_pushstring(L, argv[i]);
  call(L, argc - 2, 2);
  for (;;) {
    lua_settop(L, 2);
    lua_pushvalue(L, 1);
    call(L, 0, 2);
    if (lua_isnil(L, -2)) break;
    const double enough = lua_tonumber(L, -1);
    lua_pop(L, 1);
    meter_run(&m, L, enough);
    lua_pushvalue(L, 2);
    lua_insert(L, 3);
    lua_pushnumber(L, m.last - m.begin);
    lua_pushinteger(L, (lua_Integer)m.spent);
    lua_pushnumber(L, m.longest);
    lua_pushinteger(L, (lua_Integer)m.longest_units);
    call(L, 5, 0);
  }
  lua_close(L);
  return 0;
}
