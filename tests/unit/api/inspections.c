/* SPDX-License-Identifier: MIT */
/*
** inspections.c -- snapshots and censuses that memory interrupts at any moment
**
** After each number of units an emergency collection ends the inspection.  It
** must leave nothing behind: no walk over the heap, no note of births, no
** memory.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "object/thread.h"
#include "penumbra.h"
#include "toy/allocator.h"

typedef struct Inspection {
  lua_State *L;
  TestAllocator allocator;
  int ended; /* how often the inspection has said that it is over */
  bool ok;
} Inspection;

static int write_nothing(lua_State *L, const void *p, size_t size, void *ud) {
  (void)L, (void)p, (void)size, (void)ud;
  return 0;
}

static void snapshot_done(void *ud, const penumbra_Snapshot *result) {
  Inspection *inspection = ud;
  inspection->ended++;
  inspection->ok = result->ok;
}

static void census_line(void *ud, int part, const char *name,
                        lua_Unsigned count, lua_Unsigned bytes) {
  (void)ud, (void)part, (void)name, (void)count, (void)bytes;
}

static void census_done(void *ud, int ok) {
  Inspection *inspection = ud;
  inspection->ended++;
  inspection->ok = ok;
}

/* A heap with some blocks, weak tables and a thread. */
static void inspection_open(Inspection *inspection) {
  memset(inspection, 0, sizeof *inspection);
  lua_State *L = inspection->L =
      lua_newstate(test_allocate, &inspection->allocator);
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

static void inspection_begin(Inspection *inspection, bool census) {
  int begun = census ? penumbra_begincensus(inspection->L, census_line,
                                            census_done, inspection)
                     : penumbra_beginsnapshot(inspection->L, write_nothing,
                                              snapshot_done, inspection);
  assert_true(begun);
}

static void inspection_check_gone(const Inspection *inspection) {
  const Gc *gc = gc_of(inspection->L);
  assert_null(gc->inspection.slice);
  assert_null(gc->heap.walk);
  assert_null(gc->heap.born);
  assert_int_equal(inspection->ended, 1);
}

/* True if the inspection had ended by itself before. */
static bool interrupt_after(int units, bool census) {
  Inspection inspection;
  inspection_open(&inspection);
  Gc *gc = gc_of(inspection.L);
  inspection_begin(&inspection, census);
  for (int i = 0; i < units && !inspection.ended; i++) gc_step_work(gc, 1);
  bool ended = inspection.ended > 0;
  gc_collect_emergency(gc);
  inspection_check_gone(&inspection);
  inspection.ended = 0;
  inspection_begin(&inspection, census); /* another one finds all in order */
  gc_collect(gc);
  inspection_check_gone(&inspection);
  assert_true(inspection.ok);
  lua_close(inspection.L);
  assert_int_equal(inspection.allocator.bytes, 0);
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
  return cmocka_run_group_tests_name("interrupted inspections", tests, NULL,
                                     NULL);
}
