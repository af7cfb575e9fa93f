/* SPDX-License-Identifier: MIT */
/*
** size.c -- a state with its libraries takes less than 64 KB
**
** Its allocator counts this when it guarantees no alignment.  The system counts
** it with thousands of states of luaL_newstate in one process.  Hundreds of
** states that do a little now and then stay small: it costs next to nothing to
** collect them often.
*/
#include <unistd.h>

#include "own.h"

enum { STATE_MAX = 65536, STATES = 2000, BUSY_MAX = 163840, BUSY_STATES = 300 };

static void test_allocator(void) {
  OwnAllocator a = {0, 0, 0};
  lua_State *L = lua_newstate(own_allocate, &a);
  CHECK(L != NULL);
  luaL_openlibs(L);
  printf("allocator: %zu bytes in %zu pieces, at most %zu\n", a.bytes, a.pieces,
         a.peak);
  CHECK(a.peak < STATE_MAX);
  lua_gc(L, LUA_GCCOLLECT);
  printf("after a collection: %zu bytes\n", a.bytes);
  CHECK(a.bytes < STATE_MAX);
  lua_close(L);
  CHECK(a.bytes == 0 && a.pieces == 0);
}

/* Resident bytes of the process; 0 if unknown. */
static size_t resident_bytes(void) {
  long all, resident;
  FILE *f = fopen("/proc/self/statm", "r");
  int count = 0;
  if (f == NULL) return 0;
  count = fscanf(f, "%ld %ld", &all, &resident);
  fclose(f);
  return count == 2 ? (size_t)resident * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

static void test_many(void) {
  static lua_State *states[STATES];
  size_t before, each;
  int i;
  lua_close(own_open());
  before = resident_bytes();
  for (i = 0; i < STATES; i++) states[i] = own_open();
  each = (resident_bytes() - before) / STATES;
  printf("%d states: %zu bytes each\n", STATES, each);
  CHECK(each < STATE_MAX);
  for (i = 0; i < STATES; i++) lua_close(states[i]);
}

static void run_code(lua_State *L, const char *code) {
  CHECK(luaL_dostring(L, code) == LUA_OK);
}

/* The live bytes of each are 33 KB, and lua5.4 takes 98 KB. */
static void test_little_work(void) {
  static lua_State *states[BUSY_STATES];
  size_t before, each;
  int i, round;
  lua_close(own_open());
  before = resident_bytes();
  for (i = 0; i < BUSY_STATES; i++) {
    states[i] = own_open();
    run_code(states[i], "live = {} for i = 1, 200 do live[i] = {i} end");
  }
  for (round = 0; round < 100; round++)
    for (i = 0; i < BUSY_STATES; i++)
      run_code(states[i], "for i = 1, 50 do local _ = {i, tostring(i)} end");
  each = (resident_bytes() - before) / BUSY_STATES;
  printf("%d states at work: %lu bytes each\n", BUSY_STATES,
         (unsigned long)each);
  CHECK(each < BUSY_MAX);
  for (i = 0; i < BUSY_STATES; i++) lua_close(states[i]);
}

/* Debug builds do not read the clock of the machine, and so do not pace by it. */
#ifdef NDEBUG
enum { READS_CLOCK = 1 };
#else
enum { READS_CLOCK = 0 };
#endif

int main(void) {
  test_allocator();
  if (READS_CLOCK && !OWN_SANITIZED) test_little_work();
  if (!OWN_SANITIZED) test_many();
  return 0;
}
