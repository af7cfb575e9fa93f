/* SPDX-License-Identifier: MIT */
/*
** gclib.c -- the library `penumbra.gc`: penumbra.h for Lua programs
**
** docs/gc-library.md is its manual. Times are microseconds, sizes bytes.
*/

#include <math.h>

#include "gclib_impl.h"

/* -- Arguments ----------------------------------------------------------- */

/* A number that is not negative, or the default. */
static lua_Unsigned gclib_opt_unsigned(lua_State *L, int arg, lua_Integer def) {
  const lua_Integer n = luaL_optinteger(L, arg, def);
  luaL_argcheck(L, n >= 0, arg, "not negative expected");
  return (lua_Unsigned)n;
}

/* A time in microseconds, rounded up: the 0 of some functions means no limit. */
static lua_Unsigned gclib_opt_time(lua_State *L, int arg, lua_Number def) {
  const lua_Number n = luaL_optnumber(L, arg, def);
  luaL_argcheck(L, n >= 0 && n < 9e15, arg, "time out of range");
  return (lua_Unsigned)ceil(n);
}

/* -- Fields of the table on top ------------------------------------------ */

static void set_boolean(lua_State *L, const char *name, int b) {
  lua_pushboolean(L, b);
  lua_setfield(L, -2, name);
}

/* A number in a structure of penumbra.h: a size_t or a lua_Unsigned. */
typedef struct Figure {
  const char *name;
  size_t offset;
  size_t bytes;
} Figure;
#define FIGURE(type, field) \
  { #field, offsetof(type, field), sizeof(((type *)0)->field) }

static lua_Unsigned figure_read(const Figure *figure, const void *structure) {
  const char *at = (const char *)structure + figure->offset;
  if (figure->bytes == sizeof(size_t)) return *(const size_t *)(const void *)at;
  return *(const lua_Unsigned *)(const void *)at;
}

static void set_figures(lua_State *L, const Figure *figure,
                        const void *structure) {
  for (; figure->name; figure++)
    gclib_set(L, figure->name, figure_read(figure, structure));
}

/* -- Time for the collector ---------------------------------------------- */

#define STEP(name) FIGURE(penumbra_Step, name)
static const Figure step_figures[] = {STEP(work),       STEP(left),
                                      STEP(finalizers), STEP(allocated),
                                      STEP(room),       {NULL, 0, 0}};

/* With a table as argument, stores there what the step did. */
static int gclib_step(lua_State *L) {
  penumbra_Step step = {.size = sizeof step};
  const lua_Unsigned time = gclib_opt_time(L, 1, 1000);
  const bool wanted = !lua_isnoneornil(L, 2);
  if (wanted) luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  const int done = penumbra_step(L, time, &step);
  if (wanted) {
    set_figures(L, step_figures, &step);
    gclib_set_time(L, "time", step.nanoseconds);
    set_boolean(L, "ended", step.ended);
    set_boolean(L, "keeps_up", step.keeps_up);
  }
  lua_pushboolean(L, done);
  return 1;
}

/* The bound on automatic steps in a frame: returns the old one, sets a new
** one. */
static int gclib_frame(lua_State *L) {
  const lua_Unsigned wanted = gclib_opt_time(L, 1, 0);
  const lua_Unsigned old = penumbra_setframebudget(L, wanted);
  if (lua_isnoneornil(L, 1)) penumbra_setframebudget(L, old);
  lua_pushinteger(L, (lua_Integer)old);
  return 1;
}

static int gclib_finalize(lua_State *L) {
  const size_t count = gclib_size(gclib_opt_unsigned(L, 1, 0));
  const size_t called = penumbra_finalize(L, count, gclib_opt_time(L, 2, 0));
  lua_pushinteger(L, (lua_Integer)called);
  return 1;
}

/* The number of finalizers after a step: returns the old one, sets a new
** one. */
static int gclib_finalizers(lua_State *L) {
  const lua_Unsigned wanted = gclib_opt_unsigned(L, 1, 0);
  luaL_argcheck(L, wanted <= 1000000, 1, "too many");
  const int old = penumbra_setfinalizers(L, (int)wanted);
  if (lua_isnoneornil(L, 1)) penumbra_setfinalizers(L, old);
  lua_pushinteger(L, old);
  return 1;
}

static int gclib_mode(lua_State *L) {
  static const char *const names[] = {"incremental", "generational", NULL};
  penumbra_Stats stats = {.size = sizeof stats};
  penumbra_getstats(L, &stats);
  if (!lua_isnoneornil(L, 1)) {
    if (luaL_checkoption(L, 1, NULL, names) == 0)
      lua_gc(L, LUA_GCINC, 0, 0, 0);
    else
      lua_gc(L, LUA_GCGEN, 0, 0);
  }
  lua_pushstring(L, names[stats.generational]);
  return 1;
}

/* -- Memory -------------------------------------------------------------- */

/* Returns the old limit; with an argument, sets a new one (0: none). */
static int gclib_limit(lua_State *L) {
  const size_t old = penumbra_getlimit(L);
  const lua_Unsigned bytes = gclib_opt_unsigned(L, 1, (lua_Integer)old);
  penumbra_setlimit(L, gclib_size(bytes));
  lua_pushinteger(L, (lua_Integer)old);
  return 1;
}

/* The address is the key of the function in the registry. */
static const char target_key = 't';

static void target_missed(lua_State *L, void *ud, size_t live) {
  (void)ud;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &target_key) != LUA_TFUNCTION) return;
  lua_pushinteger(L, (lua_Integer)live);
  lua_call(L, 1, 0);
}

/* Returns the old target; with arguments, sets a new one (0: none), and a
** function that is called when it cannot be met. */
static int gclib_target(lua_State *L) {
  const size_t old = penumbra_gettarget(L);
  if (!lua_isnoneornil(L, 1)) {
    const size_t bytes = gclib_size(gclib_opt_unsigned(L, 1, 0));
    if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &target_key);
    penumbra_settarget(L, bytes, target_missed, NULL);
  }
  lua_pushinteger(L, (lua_Integer)old);
  return 1;
}

/* Adds to or subtracts from the bytes held elsewhere; returns their sum. */
static int gclib_external(lua_State *L) {
  const lua_Integer change = luaL_optinteger(L, 1, 0);
  penumbra_Stats stats = {.size = sizeof stats};
  if (change < 0) {
    penumbra_removeexternal(L, gclib_size(0 - (lua_Unsigned)change));
  } else if (!penumbra_addexternal(L, gclib_size((lua_Unsigned)change))) {
    lua_pushliteral(L, "not enough memory");
    return lua_error(L);
  }
  penumbra_getstats(L, &stats);
  lua_pushinteger(L, (lua_Integer)stats.external);
  return 1;
}

/* -- Figures ------------------------------------------------------------- */

#define STAT(name) FIGURE(penumbra_Stats, name)
static const Figure stat_figures[] = {STAT(bytes),
                                      STAT(live),
                                      STAT(peak),
                                      STAT(footprint),
                                      STAT(external),
                                      STAT(goal),
                                      STAT(limit),
                                      STAT(target),
                                      STAT(allocated),
                                      STAT(debt),
                                      STAT(work),
                                      STAT(steps),
                                      STAT(cycles),
                                      STAT(minor_cycles),
                                      STAT(emergencies),
                                      STAT(largest_unit),
                                      STAT(largest_step),
                                      STAT(finalizers_found),
                                      STAT(finalizers_called),
                                      STAT(finalizers_due),
                                      {NULL, 0, 0}};

/* Fills the given table, or a new one. */
static int gclib_stats(lua_State *L) {
  penumbra_Stats stats = {.size = sizeof stats};
  penumbra_getstats(L, &stats);
  lua_settop(L, 1);
  if (!lua_istable(L, 1)) lua_newtable(L);
  set_figures(L, stat_figures, &stats);
  lua_pushstring(L, stats.phase_name);
  lua_setfield(L, -2, "phase");
  lua_pushstring(L, stats.generational ? "generational" : "incremental");
  lua_setfield(L, -2, "mode");
  set_boolean(L, "running", stats.running);
  return 1;
}

/* The figures in the text format of Prometheus. */
static int gclib_metrics(lua_State *L) {
  luaL_Buffer b;
  size_t size = penumbra_metrics(L, NULL, 0) + 256;
  char *text = luaL_buffinitsize(L, &b, size);
  const size_t length = penumbra_metrics(L, text, size);
  luaL_pushresultsize(&b, length < size ? length : size - 1);
  return 1;
}

/* -- Pauses -------------------------------------------------------------- */

/* Pushes the buckets that are not empty: {from =, to =, count =}. */
static void push_buckets(lua_State *L, const penumbra_Pauses *pauses) {
  lua_Integer n = 0;
  lua_newtable(L);
  for (int i = 0; i < PENUMBRA_BUCKETS; i++) {
    if (pauses->bucket[i] == 0) continue;
    lua_createtable(L, 0, 3);
    gclib_set_time(L, "from", penumbra_bucketbegin(i));
    gclib_set_time(L, "to", penumbra_bucketbegin(i + 1));
    gclib_set(L, "count", pauses->bucket[i]);
    lua_rawseti(L, -2, ++n);
  }
}

static void push_pauses(lua_State *L, const penumbra_Pauses *pauses) {
  lua_createtable(L, 0, 12);
  gclib_set(L, "count", pauses->count);
  gclib_set_time(L, "total", pauses->total);
  gclib_set_time(L, "max", pauses->longest);
  gclib_set_time(L, "p50", penumbra_percentile(pauses, 50));
  gclib_set_time(L, "p90", penumbra_percentile(pauses, 90));
  gclib_set_time(L, "p99", penumbra_percentile(pauses, 99));
  gclib_set_time(L, "p999", penumbra_percentile(pauses, 99.9));
  push_buckets(L, pauses);
  lua_setfield(L, -2, "buckets");
  lua_createtable(L, 0, 3);
  gclib_set(L, "count", pauses->collections);
  gclib_set_time(L, "total", pauses->collections_total);
  gclib_set_time(L, "max", pauses->longest_collection);
  lua_setfield(L, -2, "collections");
  gclib_set_time(L, "wait", pauses->longest_wait);
  lua_pushstring(L, pauses->cause);
  lua_setfield(L, -2, "cause");
  lua_createtable(L, 0, PENUMBRA_WAITS);
  for (int i = 0; i < PENUMBRA_WAITS; i++)
    gclib_set_time(L, pauses->wait_name[i], pauses->wait[i]);
  lua_setfield(L, -2, "waits");
}

/* With a boolean: begins or stops to measure.  Returns the measurements so far;
** nil if there are none. */
static int gclib_pauses(lua_State *L) {
  penumbra_Pauses pauses = {.size = sizeof pauses};
  const int measured = penumbra_getpauses(L, &pauses);
  if (!lua_isnoneornil(L, 1)) {
    luaL_checktype(L, 1, LUA_TBOOLEAN);
    if (!penumbra_timepauses(L, lua_toboolean(L, 1))) {
      lua_pushliteral(L, "not enough memory");
      return lua_error(L);
    }
  }
  if (measured)
    push_pauses(L, &pauses);
  else
    luaL_pushfail(L);
  return 1;
}

static const luaL_Reg gclib_functions[] = {
    {"census", gclib_census},
    {"diff", gclib_diff},
    {"events", gclib_events},
    {"external", gclib_external},
    {"finalize", gclib_finalize},
    {"finalizers", gclib_finalizers},
    {"frame", gclib_frame},
    {"leaks", gclib_leaks},
    {"limit", gclib_limit},
    {"listen", gclib_listen},
    {"mode", gclib_mode},
    {"mark", gclib_mark},
    {"metrics", gclib_metrics},
    {"pauses", gclib_pauses},
    {"poll", gclib_poll},
    {"report", gclib_report},
    {"snapshot", gclib_snapshot},
    {"stats", gclib_stats},
    {"step", gclib_step},
    {"target", gclib_target},
    {"trace", gclib_trace},
    {"why", gclib_why},
    {NULL, NULL},
};

LUAMOD_API int luaopen_penumbra_gc(lua_State *L) {
  luaL_newlib(L, gclib_functions);
  return 1;
}
