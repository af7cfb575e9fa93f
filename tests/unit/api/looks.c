/* SPDX-License-Identifier: MIT */
/*
** looks.c -- snapshots and censuses that memory interrupts at any moment
**
** After each number of units an emergency collection ends the look.  It must
** leave nothing behind: no walk over the heap, no note of births, no memory.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "object/thread.h"
#include "penumbra.h"
#include "toy/allocator.h"

typedef struct Look {
  lua_State *L;
  TestAllocator allocator;
  int ended; /* how often the look has said that it is over */
  bool ok;
} Look;

static int write_nothing(lua_State *L, const void *p, size_t size, void *ud) {
  (void)L, (void)p, (void)size, (void)ud;
  return 0;
}

static void snapshot_done(void *ud, const penumbra_Snapshot *result) {
  Look *look = ud;
  look->ended++;
  look->ok = result->ok;
}

static void census_line(void *ud, int part, const char *name,
                        lua_Unsigned count, lua_Unsigned bytes) {
  (void)ud, (void)part, (void)name, (void)count, (void)bytes;
}

static void census_done(void *ud, int ok) {
  Look *look = ud;
  look->ended++;
  look->ok = ok;
}

/* A heap with some blocks, weak tables and a thread. */
static void look_open(Look *look) {
  memset(look, 0, sizeof *look);
  lua_State *L = look->L = lua_newstate(test_allocate, &look->allocator);
  assert_non_null(L);
  gc_stop(gc_of(L));
  lua_createtable(L, 0, 0);
  for (int i = 1; i <= 1500; i++) {
    lua_createtable(L, 2, 1);
    lua_pushfstring(L, "text %d", i);
    lua_setfield(L, -2, "name");
    lua_rawseti(L, -2, i);
  }
  lua_setglobal(L, "things");
  lua_newthread(L);
  lua_setglobal(L, "thread");
}

static void look_begin(Look *look, bool census) {
  int begun =
      census
          ? penumbra_begincensus(look->L, census_line, census_done, look)
          : penumbra_beginsnapshot(look->L, write_nothing, snapshot_done, look);
  assert_true(begun);
}

static void look_check_gone(const Look *look) {
  const Gc *gc = gc_of(look->L);
  assert_null(gc->look.unit);
  assert_null(gc->heap.walk);
  assert_null(gc->heap.born);
  assert_int_equal(look->ended, 1);
}

/* True if the look had ended by itself before. */
static bool interrupt_after(int units, bool census) {
  Look look;
  look_open(&look);
  Gc *gc = gc_of(look.L);
  look_begin(&look, census);
  for (int i = 0; i < units && !look.ended; i++) gc_step_work(gc, 1);
  bool ended = look.ended > 0;
  gc_collect_emergency(gc);
  look_check_gone(&look);
  look.ended = 0;
  look_begin(&look, census); /* another one finds all in order */
  gc_collect(gc);
  look_check_gone(&look);
  assert_true(look.ok);
  lua_close(look.L);
  assert_int_equal(look.allocator.bytes, 0);
  return ended;
}

/* Every unit at first, then each that is a few percent further. */
static void interrupt_everywhere(bool census) {
  int units = 0;
  while (!interrupt_after(units, census)) {
    units += 1 + units / 16;
    assert_true(units < 10000000);
  }
}

static void test_snapshots(void **state) {
  (void)state;
  interrupt_everywhere(false);
}

static void test_censuses(void **state) {
  (void)state;
  interrupt_everywhere(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_snapshots),
      cmocka_unit_test(test_censuses),
  };
  return cmocka_run_group_tests_name("interrupted looks", tests, NULL, NULL);
}
