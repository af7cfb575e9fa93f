/* SPDX-License-Identifier: MIT */
/*
** machine.c -- penumbra.h: machine code, its memory and its switches
**
** Most of it needs a build with machine code, on a system that gives memory for
** it.  The others must say why they have none.
*/
#include "own.h"

#if defined(__unix__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

static const char hot[] = "local function f(n) local s = 0 for i = 1, n do s = "
                          "s + i % 7 end return s "
                          "end for i = 1, 100 do assert(f(1000) == 3003) end";

static penumbra_Machine machine_of(lua_State *L) {
  penumbra_Machine m = {.size = sizeof m};
  penumbra_getmachine(L, &m);
  return m;
}

static size_t external_of(lua_State *L) {
  penumbra_Stats stats = {.size = sizeof stats};
  penumbra_getstats(L, &stats);
  return stats.external;
}

/* Makes functions that each get code. */
static void make_many(lua_State *L, int count) {
  lua_pushinteger(L, count);
  lua_setglobal(L, "count");
  own_run(
      L, "for i = 1, count do local f = load('local s = ' .. i .. ' for i = 1, "
         "300 do s = s + i end return s') assert(f() == i + 45150) "
         "assert(f() == i + 45150) end");
}

/* -- Where there is none --------------------------------------------------- */

/* A state that says why. */
static void test_none(lua_State *L) {
  own_run(L, hot);
  penumbra_Machine m = machine_of(L);
  CHECK(!m.on && m.why && m.why[0]);
  CHECK(m.bytes == 0 && m.pieces == 0 && external_of(L) == 0);
  CHECK(penumbra_setmachine(L, 0) == 0);
  own_run(L, hot);
}

static void test_values(void) {
  lua_State *L = own_open();
  own_run(L, "return print, 1, function() end");
  CHECK(penumbra_setmachinefor(L, 1, 0) == 0);
  CHECK(penumbra_setmachinefor(L, 2, 1) == 0);
  CHECK(penumbra_setmachinefor(L, 3, 0) == 1);
  CHECK(penumbra_setmachinefor(L, 3, 1) == 1);
  lua_settop(L, 0);
  own_run(L, hot);
  lua_close(L);
}

/* -- Switches -------------------------------------------------------------- */

static void test_state_switch(void) {
  lua_State *L = own_open();
  CHECK(machine_of(L).bytes == 0);
  own_run(L, hot);
  CHECK(machine_of(L).on && !machine_of(L).why);
  CHECK(machine_of(L).functions > 0 && machine_of(L).pieces > 0);
  CHECK(machine_of(L).bytes > machine_of(L).code && machine_of(L).code > 0);
  CHECK(machine_of(L).bytes > 0 && external_of(L) == 0);
  CHECK(penumbra_setmachine(L, 0) == 1);
  CHECK(!machine_of(L).on && machine_of(L).why);
  CHECK(external_of(L) == 0);
  lua_Unsigned pieces = machine_of(L).pieces;
  own_run(L, hot);
  CHECK(machine_of(L).pieces == pieces && machine_of(L).bytes == 0);
  CHECK(penumbra_setmachine(L, 1) == 0);
  own_run(L, hot);
  CHECK(machine_of(L).on && machine_of(L).pieces > pieces);
  lua_close(L);
}

static int api_switch(lua_State *L) {
  lua_pushboolean(L, penumbra_setmachine(L, lua_toboolean(L, 1)));
  return 1;
}

/* Frames that are in the middle of code when it is freed. */
static void test_switch_in_the_middle(void) {
  lua_State *L = own_open();
  lua_register(L, "switch", api_switch);
  own_run(
      L, "local function f(n) if n == 0 then switch(false) switch(true) return "
         "1 end local r = f(n - 1) return r + 1 end "
         "for i = 1, 200 do assert(f(i) == i + 1) end "
         "local function g(n) if n == 0 then coroutine.yield() return 1 end "
         "local r = g(n - 1) return r + 1 end "
         "for i = 1, 200 do local co = coroutine.wrap(g) co(i % 50) "
         "if i % 3 == 0 then switch(false) switch(true) end "
         "for k = 1, 40 do f(3) end assert(co() == i % 50 + 1) end");
  lua_close(L);
}

static void test_function_switch(void) {
  lua_State *L = own_open();
  own_run(L,
          "return function(n) local s = 0 for i = 1, n do s = s + i end return "
          "s end");
  CHECK(penumbra_setmachinefor(L, -1, 0) == 1);
  for (int on = 0; on <= 1; on++) {
    penumbra_setmachinefor(L, -1, on);
    lua_pushvalue(L, -1);
    lua_pushinteger(L, 100000);
    lua_call(L, 1, 1);
    CHECK(lua_tointeger(L, -1) == 5000050000);
    lua_pop(L, 1);
    CHECK((machine_of(L).functions > 0) == on);
  }
  lua_close(L);
}

/* -- Listing --------------------------------------------------------------- */

static int count_bytes(lua_State *L, const void *p, size_t size, void *ud) {
  size_t *left = ud;
  (void)L;
  CHECK(p && size == strlen(p));
  if (*left < size) return 7;
  *left -= size;
  return 0;
}

static void test_listing(void) {
  lua_State *L = own_open();
  penumbra_setmachine(L, PENUMBRA_RECORDMACHINE);
  CHECK(luaL_loadstring(L, hot) == LUA_OK);
  lua_pushvalue(L, -1);
  lua_call(L, 0, 0);
  size_t left = 1 << 20;
  CHECK(penumbra_listmachine(L, count_bytes, &left) == 0);
  CHECK(left < (1 << 20) - 500);
  left = 100;
  CHECK(penumbra_listmachine(L, count_bytes, &left) == 7);
  lua_pushinteger(L, 1);
  CHECK(penumbra_listmachine(L, count_bytes, &left) == 1);
  lua_close(L);
}

/* -- Memory ---------------------------------------------------------------- */

/* It is bounded, and used again. */
static void test_memory_is_flat(void) {
  lua_State *L = own_open();
  make_many(L, 2000);
  size_t bytes = machine_of(L).bytes;
  CHECK(bytes > 0 && bytes < 8 << 20);
  for (int n = 0; n < 10 && machine_of(L).drops < 2; n++) make_many(L, 4000);
  CHECK(machine_of(L).drops >= 2);
  bytes = machine_of(L).bytes;
  make_many(L, 8000);
  CHECK(machine_of(L).bytes == bytes && external_of(L) == 0);
  lua_close(L);
}

/* The number of tables that fit into 2 MB, for a program that has many hot
** functions. */
static lua_Integer tables_that_fit(int machine) {
  lua_State *L = own_open();
  penumbra_Stats stats = {.size = sizeof stats};
  penumbra_setmachine(L, machine);
  penumbra_getstats(L, &stats);
  penumbra_setlimit(L, stats.footprint + stats.external + (2 << 20));
  make_many(L, 400);
  own_run(L, "local kept, n = {}, 0 pcall(function() while true do kept[n + 1] "
             "= {n} n = n + 1 end end) kept = nil count = n");
  lua_getglobal(L, "count");
  lua_Integer count = lua_tointeger(L, -1);
  penumbra_setlimit(L, 0);
  lua_close(L);
  return count;
}

/* Code is not worth an error: with little memory there is less of it. */
static void test_limit(void) {
  lua_Integer count = tables_that_fit(0);
  CHECK(count > 10000 && tables_that_fit(1) >= count * 15 / 16);
  lua_State *L = own_open();
  penumbra_Stats stats = {.size = sizeof stats};
  penumbra_getstats(L, &stats);
  penumbra_setlimit(L, stats.footprint + (200 << 10));
  own_run(L, hot);
  CHECK(machine_of(L).bytes == 0 && machine_of(L).why);
  penumbra_setlimit(L, stats.footprint + (8 << 20));
  make_many(L, 4000);
  CHECK(machine_of(L).bytes > 0 && machine_of(L).bytes < 1 << 19);
  CHECK(machine_of(L).drops > 0 && !machine_of(L).why);
  penumbra_setlimit(L, 0);
  make_many(L, 4000);
  if (machine_of(L).bytes > 1 << 19) {
    penumbra_setlimit(L, stats.footprint + (8 << 20));
    CHECK(machine_of(L).bytes == 0);
  }
  make_many(L, 100);
  CHECK(machine_of(L).bytes > 0 && machine_of(L).bytes < 1 << 19);
  lua_close(L);
}

static void test_many_states(void) {
  lua_State *L[20];
  for (int n = 0; n < 20; n++) {
    L[n] = own_open();
    own_run(L[n], hot);
  }
  for (int n = 0; n < 20; n += 2) lua_close(L[n]);
  for (int n = 1; n < 20; n += 2) {
    own_run(L[n], hot);
    CHECK(machine_of(L[n]).pieces > 0);
    lua_close(L[n]);
  }
}

/* -- Processes ------------------------------------------------------------- */

#if defined(__unix__)

/* The body runs in a child process, which must succeed. */
static void in_child(void (*body)(lua_State *L), lua_State *L) {
  fflush(NULL);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    body(L);
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The child makes code of its own, and frees the parent's. */
static void child_body(lua_State *L) {
  own_run(L, hot);
  own_run(L, "assert(kept(1000) == 3003)");
  CHECK(machine_of(L).pieces > 0);
  CHECK(machine_of(L).bytes > 0 && external_of(L) == 0);
  make_many(L, 1000);
  lua_close(L);
}

static void test_fork(void) {
  lua_State *L = own_open();
  own_run(L, "function kept(n) local s = 0 for i = 1, n do s = s + i % 7 end "
             "return s end for i = 1, 100 do kept(100) end");
  own_run(L, hot);
  in_child(child_body, L);
  own_run(L, "assert(kept(1000) == 3003)");
  own_run(L, hot);
  lua_close(L);
}

/* The system refuses: a file of that size would even be deadly. */
static void no_files(lua_State *L) {
  struct rlimit none = {0, 0};
  CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
  own_run(L, hot);
  test_none(L);
  lua_close(L);
}

static void no_descriptors(lua_State *L) {
  struct rlimit none = {0, 0};
  CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
  test_none(L);
  lua_close(L);
}

static void test_refused(void) {
  lua_State *L = own_open();
  in_child(no_files, L);
  in_child(no_descriptors, L);
  lua_close(L);
}

#else
static void test_fork(void) {}
static void test_refused(void) {}
#endif

int main(void) {
  lua_State *L = own_open();
  own_run(L, hot);
  int works = machine_of(L).pieces > 0;
  CHECK(works || machine_of(L).why);
  if (!works) test_none(L);
  lua_close(L);
  test_values();
  if (!works) return 0;
  test_state_switch();
  test_switch_in_the_middle();
  test_function_switch();
  test_listing();
  test_memory_is_flat();
  test_limit();
  test_many_states();
  test_fork();
  test_refused();
  return 0;
}
