/* SPDX-License-Identifier: MIT */
/*
** rooms.c -- the room of tables is learned from those made before
*/
#include "vm_test.h"

#include "vm/collect.h"

/* A table; with an argument that is not false it gets four items. */
#define CONSTRUCTOR                                                          \
  ABC(NEWTABLE, 1, 0, 1), 0, ABC(JF, 0, 0, 0), 6,                            \
      code_make_ad(OP_LOADI, 2, 7), ABC(SETINT, 1, 1, 2),                    \
      ABC(SETINT, 1, 2, 2), ABC(SETINT, 1, 3, 2), ABC(SETINT, 1, 4, 2),      \
      ABC(RETURN1, 1, 0, 0)

enum { MANY = PENUMBRA_STRESS ? 500 : 400000 };

/* Makes tables until the room of the first instruction is what is expected, or
** many have been made. */
static bool learns(lua_State *L, const Proto *p, bool filled, bool room) {
  for (int i = 0; i < MANY; i++) {
    value_copy(L->top, L->top - 1);
    value_set_bool(L->top + 1, filled);
    L->top += 2;
    call_value_no_yield(L, L->top - 2, 1);
    assert_int_equal(table_length(L, value_table(L->top - 1)), filled ? 4 : 0);
    L->top--;
    if (code_has_room(p->code[0]) == room) return true;
  }
  return false;
}

static void test_room_follows_the_tables(void **state) {
  (void)state;
  lua_State *L = test_open();
  const Proto *p = PUSH_CODE(L, 1, CONSTRUCTOR);
  Instruction fresh = p->code[0];
  assert_false(code_has_room(fresh));
  assert_true(learns(L, p, true, true));
  assert_in_range(code_room(p->code[0]), 44, 64);
  assert_int_equal(code_with_room(p->code[0], 0, false), fresh);
  assert_true(learns(L, p, false, false));
  assert_int_equal(p->code[0], fresh);
  assert_true(learns(L, p, true, true));
  state_close(L);
}

static void test_no_room_for_empty_tables(void **state) {
  (void)state;
  lua_State *L = test_open();
  const Proto *p = PUSH_CODE(L, 1, CONSTRUCTOR);
  assert_false(learns(L, p, false, true));
  state_close(L);
}

/* Code and sample go away together. */
static void test_code_that_dies(void **state) {
  (void)state;
  lua_State *L = test_open();
  for (int i = 0; i < MANY / 100; i++) {
    PUSH_CODE(L, 1, CONSTRUCTOR);
    for (int k = 0; k < 20; k++) {
      value_copy(L->top, L->top - 1);
      value_set_bool(L->top + 1, true);
      L->top += 2;
      call_value_no_yield(L, L->top - 2, 0);
    }
    L->top--;
    if (i % 100 == 0) collect_full(L);
  }
  state_close(L);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_room_follows_the_tables),
      cmocka_unit_test(test_no_room_for_empty_tables),
      cmocka_unit_test(test_code_that_dies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
