/* SPDX-License-Identifier: MIT */
/*
** figures.c -- what the state tells of itself is what happened
*/
#include "own.h"

/* -- The text for Prometheus ----------------------------------------------- */

/* The value of a metric; the name with its labels. */
static unsigned long long metric(const char *text, const char *name) {
  char line[200];
  snprintf(line, sizeof line, "\n%s ", name);
  const char *found = strstr(text, line);
  if (!found) {
    fprintf(stderr, "no %s\n", name);
    abort();
  }
  return strtoull(found + strlen(line), NULL, 10);
}

static void test_metrics(void) {
  static const struct {
    const char *name;
    size_t offset;
    int wide; /* a lua_Unsigned */
  } metrics[] = {
#define ROW(name, field, wide) \
  {"penumbra_" name, offsetof(penumbra_Stats, field), wide}
      ROW("heap_bytes", bytes, 0),
      ROW("heap_live_bytes", live, 0),
      ROW("heap_goal_bytes", goal, 0),
      ROW("heap_footprint_bytes", footprint, 0),
      ROW("heap_limit_bytes", limit, 0),
      ROW("external_bytes", external, 0),
#undef ROW
  };
  static char text[16384];
  lua_State *L = own_open();
  penumbra_Stats stats = {.size = sizeof stats};
  lua_gc(L, LUA_GCGEN, 0, 0);
  own_run(L, "local t = {} for i = 1, 300000 do t[i % 1000] = {i} end");
  lua_gc(L, LUA_GCCOLLECT);
  penumbra_getstats(L, &stats);
  size_t external = stats.external; /* machine code */
  CHECK(penumbra_addexternal(L, 12345));
  penumbra_setlimit(L, 1 << 30);
  lua_gc(L, LUA_GCSTOP);
  size_t length = penumbra_metrics(L, text, sizeof text);
  CHECK(length == strlen(text) && length < sizeof text);
  penumbra_getstats(L, &stats);
  for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
    size_t value;
    memcpy(&value, (const char *)&stats + metrics[i].offset, sizeof value);
    CHECK(metric(text, metrics[i].name) == value);
  }
  CHECK(stats.external == external + 12345 && stats.limit == 1 << 30);
  CHECK(stats.minor_cycles > 0 && stats.cycles > stats.minor_cycles);
  CHECK(metric(text, "penumbra_gc_cycles_total{sort=\"major\"}") ==
        stats.cycles - stats.minor_cycles);
  CHECK(metric(text, "penumbra_gc_cycles_total{sort=\"minor\"}") ==
        stats.minor_cycles);
  CHECK(metric(text, "penumbra_gc_steps_total") == stats.steps);
  CHECK(metric(text, "penumbra_gc_work_units_total") == stats.work);
  CHECK(metric(text, "penumbra_gc_emergencies_total") == stats.emergencies);
  CHECK(metric(text, "penumbra_finalizers_called_total") ==
        stats.finalizers_called);
  /* As snprintf: at every size a prefix, with a zero. */
  for (size_t size = 0; size < 300; size++) {
    char some[300];
    memset(some, 'x', sizeof some);
    CHECK(penumbra_metrics(L, some, size) == length);
    if (size > 0) CHECK(strlen(some) == size - 1);
    if (size > 0) CHECK(memcmp(some, text, size - 1) == 0);
    CHECK(some[size] == 'x');
  }
  penumbra_removeexternal(L, 12345);
  lua_close(L);
}

/* The buckets of the histogram have bounds that are powers of four, from 2^10 to
** 2^30 nanoseconds, and counts that only grow. */
static void test_metrics_of_pauses(void) {
  static char text[16384];
  lua_State *L = own_open();
  lua_Unsigned last = 0;
  double bound = 1024;
  int buckets = 0;
  penumbra_timepauses(L, 1);
  own_run(L, "local t = {} for i = 1, 300000 do t[i % 1000] = {i} end");
  penumbra_metrics(L, text, sizeof text);
  for (const char *at = text; (at = strstr(at, "_bucket{le=\"")) != NULL;) {
    at += strlen("_bucket{le=\"");
    char *end;
    double seconds = strtod(at, &end);
    lua_Unsigned count = strtoull(strchr(end, '}') + 1, NULL, 10);
    CHECK(count >= last);
    last = count;
    if (strncmp(at, "+Inf", 4) == 0) break;
    CHECK(seconds > bound * 0.999e-9 && seconds < bound * 1.001e-9);
    bound *= 4;
    buckets++;
  }
  CHECK(buckets == 11 && last > 0);
  CHECK(metric(text, "penumbra_gc_pause_seconds_count") == last);
  lua_close(L);
}

/* -- What a step tells ----------------------------------------------------- */

static penumbra_Step step(lua_State *L, lua_Unsigned microseconds) {
  penumbra_Step result = {.size = sizeof result};
  int idle = penumbra_step(L, microseconds, &result);
  CHECK(!idle || result.left == 0);
  return result;
}

/* A cycle that is behind says so; one that is not, too. */
static void test_steps(void) {
  lua_State *L = own_open();
  own_run(L, "kept = {} for i = 1, 100000 do kept[i] = {i} end");
  lua_gc(L, LUA_GCCOLLECT);
  lua_gc(L, LUA_GCSTOP);
  own_run(L, "for i = 1, 200000 do local x = {i} end");
  penumbra_Step result = step(L, 0);
  CHECK(result.allocated > 200000 * 16);
  CHECK(result.left > 0 && !result.ended && result.work > 0);
  CHECK(!result.keeps_up);
  result = step(L, 0); /* nothing was allocated since */
  CHECK(result.allocated == 0 && result.left > 0);
  CHECK(result.keeps_up);
  unsigned calls = 0;
  for (; !result.ended; calls++) {
    size_t left = result.left;
    result = step(L, 50);
    CHECK(result.left <= left + left / 2);
    CHECK(calls < 1000000);
  }
  CHECK(result.left == 0 && result.keeps_up);
  lua_close(L);
}

/* -- Finalizers wait for the host ------------------------------------------ */

static int called;
static int count_call(lua_State *L) {
  (void)L;
  called++;
  return 0;
}

static void make_finalizable(lua_State *L, int count) {
  for (int i = 0; i < count; i++) {
    lua_newtable(L);
    luaL_setmetatable(L, "counted");
    lua_pop(L, 1);
  }
}

static void test_finalizers(void) {
  lua_State *L = own_open();
  luaL_newmetatable(L, "counted");
  lua_pushcfunction(L, count_call);
  lua_setfield(L, -2, "__gc");
  CHECK(penumbra_setfinalizers(L, 0) == 64);
  CHECK(penumbra_setfinalizers(L, 0) == 0);
  make_finalizable(L, 1000);
  /* Many cycles, and none is called. */
  own_run(L, "local t = {} for i = 1, 400000 do t[i % 100] = {i} end");
  CHECK(called == 0);
  penumbra_Stats stats = {.size = sizeof stats};
  penumbra_getstats(L, &stats);
  CHECK(stats.cycles > 1 && stats.finalizers_due == 1000);
  CHECK(stats.finalizers_found == 1000 && stats.finalizers_called == 0);
  static const struct {
    size_t count;
    int left;
  } turns[] = {{1, 999}, {2, 997}, {500, 497}, {497, 0}, {5, 0}};
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
    int before = called;
    size_t told = penumbra_finalize(L, turns[i].count, 0);
    CHECK((int)told == called - before);
    CHECK(1000 - called == turns[i].left);
    penumbra_getstats(L, &stats);
    CHECK((int)stats.finalizers_due == turns[i].left);
    CHECK((int)stats.finalizers_called == called);
  }
  /* Once more by itself. */
  CHECK(penumbra_setfinalizers(L, 3) == 0);
  make_finalizable(L, 100);
  own_run(L, "local t = {} for i = 1, 400000 do t[i % 100] = {i} end");
  CHECK(called == 1100);
  lua_close(L);
}

/* A cycle is not over before the finalizers that it found have been called:
** until then steps by lua_gc do nothing else, and say so. */
static void test_steps_and_finalizers(void) {
  lua_State *L = own_open();
  penumbra_Stats stats = {.size = sizeof stats};
  luaL_newmetatable(L, "counted");
  lua_pushcfunction(L, count_call);
  lua_setfield(L, -2, "__gc");
  lua_gc(L, LUA_GCCOLLECT);
  lua_gc(L, LUA_GCSTOP);
  make_finalizable(L, 500);
  called = 0;
  do {
    CHECK(lua_gc(L, LUA_GCSTEP, 0) == 0);
    penumbra_getstats(L, &stats);
  } while (called == 0 || strcmp(stats.phase_name, "pause") != 0);
  int steps = 0, over = 0;
  while (!over) {
    lua_Unsigned work = stats.work, cycles = stats.cycles;
    CHECK(stats.finalizers_due > 0);
    over = lua_gc(L, LUA_GCSTEP, 0);
    penumbra_getstats(L, &stats);
    CHECK(stats.work == work && stats.cycles == cycles);
    CHECK(over == (stats.finalizers_due == 0));
    steps++;
  }
  CHECK(called == 500 && steps > 10);
  lua_close(L);
}

/* -- Who holds what -------------------------------------------------------- */

static void test_why(void) {
  lua_State *L = own_open();
  lua_newuserdatauv(L, 8, 3);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setglobal(L, "wanted");
  lua_setiuservalue(L, -2, 2);
  lua_setglobal(L, "holder");
  own_run(L, "local gc = require 'penumbra.gc' "
             "local o = wanted; wanted = nil; "
             "local weak = setmetatable({o}, {__mode = 'v'}); o = nil; "
             "local text = tostring(gc.why(weak[1])) "
             "assert(text:find('user value 2', 1, true), text) "
             "assert(text:find('holder', 1, true), text)");
  lua_close(L);
}

/* The same in a state without libraries. */
static void test_why_without_libraries(void) {
  lua_State *L = luaL_newstate();
  penumbra_Why why;
  why.size = sizeof why;
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setglobal(L, "wanted");
  CHECK(penumbra_why(L, -1, &why));
  CHECK(strcmp(why.path, "_G.wanted") == 0);
  lua_close(L);
}

/* -- Samples of allocation ------------------------------------------------- */

typedef struct Samples {
  size_t calls, bytes, least;
} Samples;

static void sample(void *ud, size_t bytes) {
  Samples *s = ud;
  s->calls++;
  s->bytes += bytes;
  if (bytes < s->least) s->least = bytes;
}

/* A table of 16 bytes or more, a hundred thousand times.  A smaller interval
** gives more samples, and what they add up to is what was allocated. */
static void test_sampler(void) {
  static const size_t intervals[] = {4096, 65536, 1 << 20};
  const char *code = "for i = 1, 100000 do local t = {i} end";
  lua_State *L = own_open();
  size_t last_calls = SIZE_MAX, first_bytes = 0;
  for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
    Samples s = {0, 0, SIZE_MAX};
    penumbra_setsampler(L, intervals[i], sample, &s);
    own_run(L, code);
    penumbra_setsampler(L, 0, NULL, NULL);
    size_t calls = s.calls;
    own_run(L, code);
    CHECK(s.calls == calls && calls > 0 && calls < last_calls);
    CHECK(s.least >= intervals[i] && s.bytes >= calls * intervals[i]);
    if (i == 0) first_bytes = s.bytes;
    CHECK(s.bytes <= first_bytes + 65536);
    CHECK(s.bytes + 2 * intervals[i] >= first_bytes - first_bytes / 4);
    last_calls = calls;
  }
  CHECK(first_bytes >= 100000 * 32);
  lua_close(L);
}

/* -- Examples of what was sampled ------------------------------------------ */

typedef struct Examples {
  lua_State *L;
  int type, found;
} Examples;

static void see_example(void *ud, const penumbra_Site *site) {
  Examples *e = ud;
  if (lua_type(e->L, -1) != e->type) return;
  CHECK(strcmp(site->type, "") != 0 && site->live_objects > 0);
  e->found++;
}

static int idle(lua_State *L) {
  (void)L;
  return 0;
}

static int make(lua_State *L) {
  switch (lua_tointeger(L, 1)) {
    case LUA_TTABLE: lua_newtable(L); break;
    case LUA_TTHREAD: lua_newthread(L); break;
    case LUA_TUSERDATA: lua_newuserdatauv(L, 100, 1); break;
    default: lua_pushcclosure(L, idle, 1);
  }
  return 1;
}

static void test_examples(void) {
  static const int types[] = {LUA_TTABLE, LUA_TTHREAD, LUA_TUSERDATA,
                              LUA_TFUNCTION};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    lua_State *L = own_open();
    Examples e = {L, types[i], 0};
    lua_register(L, "make", make);
    lua_pushinteger(L, types[i]);
    lua_setglobal(L, "type_of_object");
    CHECK(penumbra_samplealloc(L, 64));
    own_run(L, "kept = {} for i = 1, 500 do kept[i] = make(type_of_object) end "
               "collectgarbage()");
    CHECK(penumbra_getsites(L, see_example, &e));
    CHECK(e.found > 0);
    lua_close(L);
  }
}

int main(void) {
  test_metrics();
  test_metrics_of_pauses();
  test_sampler();
  test_examples();
  test_steps();
  test_finalizers();
  test_steps_and_finalizers();
  test_why();
  test_why_without_libraries();
  return 0;
}
