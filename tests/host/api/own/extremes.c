/* SPDX-License-Identifier: MIT */
/*
** extremes.c -- the functions of penumbra.h with the smallest and the largest
** numbers
**
** The sanitizers see whether a call computes something that C does not define.
** Here each call must end soon, and keep what its comment in the header
** promises for any number.  Afterwards the state must still collect garbage.
** headers/extremes.lua checks that this file calls all functions with numbers.
*/
#include <limits.h>
#include <time.h>

#include "own.h"

static const lua_Unsigned numbers[] = {
    0,
    1,
    2,
    1000,
    INT_MAX,
    (lua_Unsigned)INT_MAX + 1,
    UINT_MAX,
    (lua_Unsigned)UINT_MAX + 1,
    (lua_Unsigned)1 << 53,
    LUA_MAXINTEGER / 1000,
    LUA_MAXINTEGER,
    (lua_Unsigned)LUA_MAXINTEGER + 1,
    (lua_Unsigned)-1 / 1000,
    (lua_Unsigned)-2,
    (lua_Unsigned)-1,
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static size_t size_at(int i) {
  return numbers[i] < (size_t)-1 ? (size_t)numbers[i] : (size_t)-1;
}

static int int_at(int i) { return (int)(unsigned)(numbers[i] & UINT_MAX); }

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* A call may take this long, also under sanitizers. */
#define SOON(call)                     \
  do {                                 \
    double soon_began = seconds();     \
    call;                              \
    CHECK(seconds() - soon_began < 2); \
  } while (0)

/* Makes 32 MB of garbage, and checks that it does not stay. */
static void still_collects(lua_State *L) {
  penumbra_Stats stats = {.size = sizeof stats};
  own_run(L, "for i = 1, 32 do local s = {} for j = 1, 1000 do "
             "s[j % 10] = ('x'):rep(1000) .. i .. j end end");
  penumbra_getstats(L, &stats);
  CHECK(stats.bytes < 16u << 20);
  lua_settop(L, 0);
}

/* -- Time for the collector ------------------------------------------------ */

static void test_time(lua_State *L, int i, int j) {
  penumbra_Step result = {.size = sizeof result};
  SOON(penumbra_step(L, numbers[i], &result));
  SOON(penumbra_step(L, numbers[i], NULL));
  SOON(penumbra_finalize(L, size_at(i), numbers[j]));
  penumbra_setframebudget(L, numbers[i]);
  lua_Unsigned frame = penumbra_setframebudget(L, 0);
  CHECK(frame <= numbers[i] && (frame > 0) == (numbers[i] > 0));
  if (int_at(i) >= 0) {
    penumbra_setfinalizers(L, int_at(i));
    CHECK(penumbra_setfinalizers(L, 64) == int_at(i));
  }
}

/* -- Memory ---------------------------------------------------------------- */

static void missed(lua_State *L, void *ud, size_t live) {
  (void)L, (void)ud, (void)live;
}

static size_t external(lua_State *L) {
  penumbra_Stats stats = {.size = sizeof stats};
  penumbra_getstats(L, &stats);
  return stats.external;
}

/* What is counted is counted in full; what is refused, not at all. */
static void test_external(lua_State *L, int i, int j) {
  size_t before = external(L), a = size_at(i), b = size_at(j);
  int first = penumbra_addexternal(L, a);
  CHECK(external(L) == before + (first ? a : 0));
  int second = penumbra_addexternal(L, b);
  CHECK(external(L) == before + (first ? a : 0) + (second ? b : 0));
  if (first && second) CHECK(a + b >= a); /* a sum that is none is refused */
  if (first) penumbra_removeexternal(L, a);
  if (second) penumbra_removeexternal(L, b);
  CHECK(external(L) == before);
  penumbra_removeexternal(L, (size_t)-1); /* no more than there is */
  CHECK(external(L) <= before);
}

static void test_memory(lua_State *L, int i, int j) {
  penumbra_setlimit(L, size_at(i));
  CHECK(penumbra_getlimit(L) == size_at(i));
  size_t size = size_at(j) > 1000 ? size_at(j) / 2 : size_at(j);
  void *more = penumbra_realloc(L, NULL, 0, size);
  CHECK(more == NULL || size_at(i) == 0 || size < size_at(i));
  if (more != NULL) penumbra_realloc(L, more, size, 0);
  penumbra_setlimit(L, 0);
  penumbra_settarget(L, size_at(i), missed, NULL);
  CHECK(penumbra_gettarget(L) == size_at(i));
  SOON(own_run(L, "for i = 1, 1000 do local t = {i} end"));
  penumbra_settarget(L, 0, NULL, NULL);
  test_external(L, i, j);
}

/* -- Budgets --------------------------------------------------------------- */

static int spend(lua_State *L) {
  penumbra_spend(L, (size_t)lua_tointeger(L, 1));
  return 0;
}

/* Calls `spend` with a budget, and tells whether the budget ended it. */
static int spends(lua_State *L, lua_Unsigned units, lua_Unsigned microseconds,
                  size_t spent) {
  int over = 0;
  lua_pushcfunction(L, spend);
  lua_pushinteger(L, (lua_Integer)spent);
  int status = penumbra_pcall(L, 1, 0, 0, units, microseconds, &over);
  CHECK((status != LUA_OK) == over);
  lua_settop(L, 0);
  return over;
}

static void test_budget(lua_State *L, int i, int j) {
  lua_Unsigned units = numbers[i];
  int has = units != 0 && units < LUA_MAXINTEGER;
  CHECK(spends(L, units, 0, (size_t)-1) == has || !has);
  CHECK(!spends(L, units, 0, 0) || units < 100);
  CHECK(!spends(L, units, numbers[j], 0) || units < 100 ||
        numbers[j] < 1000000);
  /* What is added makes a budget larger. */
  penumbra_setbudget(L, 100000, 10000000);
  penumbra_addbudget(L, numbers[i], numbers[j]);
  CHECK(penumbra_getbudgetused(L) < 1000);
  CHECK(!spends(L, 50000, 0, 1000));
  own_run(L, "for i = 1, 1000 do end");
  penumbra_addbudget(L, numbers[j], numbers[i]);
  own_run(L, "for i = 1, 1000 do end");
  CHECK(penumbra_getbudgetused(L) < 80000);
  penumbra_setbudget(L, 1, 10000000);
  penumbra_addbudget(L, numbers[i], numbers[j]);
  if (numbers[i] > 1000000) own_run(L, "for i = 1, 1000 do end");
  penumbra_setbudget(L, 0, 0);
}

static void test_interrupt(lua_State *L, int i) {
  static const char long_loop[] = "for i = 1, 1000000 do end";
  int on = (int)numbers[i];
  penumbra_interrupt(L, on);
  own_run(L, long_loop); /* without a budget it has no effect */
  penumbra_setbudget(L, (lua_Unsigned)1 << 40, 0);
  CHECK((luaL_dostring(L, long_loop) != LUA_OK) == (on != 0));
  penumbra_interrupt(L, 0);
  penumbra_setbudget(L, 0, 0);
  lua_settop(L, 0);
}

/* 0, 1 and 2 are descriptors of this program. */
static void test_debugger(int i) {
  int number = (int)numbers[i], port;
  lua_State *L = own_open();
  if (number < 0 || number > 2) CHECK(penumbra_debugfd(L, number, number) == 0);
  lua_close(L);
  L = own_open();
  port = penumbra_debug(L, number);
  CHECK(port == 0 || port == number || number == 0);
  CHECK(port == 0 || (number >= 0 && number <= 65535));
  lua_close(L);
}

/* Anything but 0 switches it on. */
static void test_machine(lua_State *L, int i) {
  penumbra_Machine machine = {.size = sizeof machine};
  int was_on = penumbra_setmachine(L, int_at(i));
  penumbra_getmachine(L, &machine);
  CHECK(was_on == 0 || was_on == 1);
  CHECK(machine.on == 0 || int_at(i) != 0);
  CHECK((machine.why == NULL) == (machine.on == 1));
  CHECK(luaL_loadstring(L, "for i = 1, 100 do end return ...") == LUA_OK);
  CHECK(penumbra_setmachinefor(L, 1, int_at(i)) == 1);
  lua_pushinteger(L, 5);
  CHECK(penumbra_setmachinefor(L, 2, int_at(i)) == 0);
  lua_call(L, 1, 1);
  CHECK(lua_tointeger(L, 1) == 5);
  lua_settop(L, 0);
  penumbra_setmachine(L, was_on);
}

static void test_sandbox(lua_State *L, int i, int j) {
  penumbra_Limits limits = {.size = sizeof limits,
                            .units = numbers[i],
                            .microseconds = numbers[j],
                            .memory = size_at(i)};
  static const char code[] = "local t = {...} for i = 1, 100 do t[i] = i end";
  penumbra_pushsandbox(L);
  int over = 2;
  SOON(penumbra_runsandbox(L, code, sizeof code - 1, "=x", 0, &limits, &over));
  CHECK(over == 0 || over == 1);
  CHECK(penumbra_getlimit(L) == 0 && penumbra_getbudgetused(L) == 0);
  lua_settop(L, 0);
}

/* -- Figures --------------------------------------------------------------- */

static void test_figures(lua_State *L, int i, int j) {
  penumbra_Pauses pauses = {.size = sizeof pauses};
  CHECK(penumbra_timepauses(L, int_at(i)));
  SOON(own_run(L, "for i = 1, 1000 do local t = {i} end"));
  if (int_at(i) != 0) CHECK(penumbra_getpauses(L, &pauses));
  lua_Number percent = (lua_Number)(lua_Integer)numbers[j];
  CHECK(penumbra_percentile(&pauses, percent) <= pauses.longest);
  CHECK(penumbra_percentile(&pauses, -percent) <= pauses.longest);
  CHECK(penumbra_percentile(&pauses, percent * 1e300) <= pauses.longest);
  CHECK(penumbra_percentile(&pauses, 0.0 / (lua_Number)numbers[0]) <=
        pauses.longest);
  penumbra_bucketbegin(int_at(i));
  char text[8];
  memset(text, 'x', sizeof text);
  CHECK(penumbra_metrics(L, text, size_at(i) < 7 ? size_at(i) : 7) > 7);
  CHECK(text[7] == 'x');
  penumbra_timepauses(L, 0);
}

/* Buckets follow each other, and beyond the last one there is nothing. */
static void test_buckets(void) {
  for (int i = 0; i < PENUMBRA_BUCKETS - 1; i++)
    CHECK(penumbra_bucketbegin(i) < penumbra_bucketbegin(i + 1));
  lua_Unsigned last = penumbra_bucketbegin(PENUMBRA_BUCKETS);
  CHECK(penumbra_bucketbegin(INT_MAX) == last);
  CHECK(penumbra_bucketbegin(-1) == 0 && penumbra_bucketbegin(INT_MIN) == 0);
}

/* -- Samples, reports and hosts -------------------------------------------- */

static size_t sampled;
static void sample(void *ud, size_t bytes) {
  (void)ud;
  sampled += bytes > 0;
}

static int write_nothing(lua_State *L, const void *p, size_t size, void *ud) {
  (void)L, (void)p, (void)size, (void)ud;
  return 0;
}

static void no_site(void *ud, const penumbra_Site *site) {
  (void)ud, (void)site;
}

static void test_samples(lua_State *L, int i, int j) {
  static const char work[] = "for i = 1, 1000 do local t = {i, {}} end";
  sampled = 0;
  penumbra_setsampler(L, size_at(i), sample, NULL);
  SOON(own_run(L, work));
  if (size_at(i) > 1u << 30) CHECK(sampled == 0);
  penumbra_setsampler(L, 0, NULL, NULL);
  CHECK(penumbra_samplealloc(L, size_at(i)));
  SOON(own_run(L, work));
  CHECK(penumbra_getsites(L, no_site, NULL) == (size_at(i) != 0));
  CHECK(penumbra_samplealloc(L, 0));
  if (i == j) { /* these take longer */
    CHECK(penumbra_record(L, int_at(i)));
    SOON(penumbra_report(L, "", write_nothing, NULL));
    CHECK(penumbra_record(L, 0));
  }
}

/* Zeros are promised for sizes that no allocation has. */
static void test_hosts(lua_State *L, int i, int j) {
  penumbra_Why why = {.size = sizeof why};
  (void)j;
  if (size_at(i) > 1u << 30) penumbra_setzeros(L, size_at(i));
  SOON(own_run(L, "local t = {} for i = 1, 1000 do t[i] = i end"));
  penumbra_setzeros(L, 0);
  luaL_loadstring(L, "return 1");
  CHECK(penumbra_listcode(L, int_at(i), write_nothing, NULL) == 0);
  CHECK(penumbra_why(L, 1, &why) && penumbra_pushsignature(L, 1));
  lua_settop(L, 0);
}

/* -- All ------------------------------------------------------------------- */

int main(void) {
  static void (*const tests[])(lua_State *, int, int) = {
      test_time,    test_memory,  test_budget, test_sandbox,
      test_figures, test_samples, test_hosts};
  test_buckets();
  for (int i = 0; i < NUMBERS; i++) test_debugger(i);
  for (size_t n = 0; n < sizeof tests / sizeof *tests; n++) {
    lua_State *L = own_open();
    lua_gc(L, LUA_GCINC, 0, 0, 0);
    for (int i = 0; i < NUMBERS; i++) {
      for (int j = 0; j < NUMBERS; j++) tests[n](L, i, j);
      test_interrupt(L, i);
      test_machine(L, i);
      still_collects(L);
    }
    lua_close(L);
  }
  puts("numbers of both ends: all calls end, and the state still collects");
  return 0;
}
