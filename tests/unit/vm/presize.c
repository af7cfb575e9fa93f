/* SPDX-License-Identifier: MIT */
/*
** presize.c -- the room of tables is learned from earlier tables
*/
#include "vm_test.h"

#include "vm/collect.h"

/* Makes a table, and adds four items if the argument is true. */
#define CONSTRUCTOR                                                     \
  ABC(NEWTABLE, 1, 0, 1), 0, ABC(JF, 0, 0, 0), 6,                       \
      code_make_ad(OP_LOADI, 2, 7), ABC(SETINT, 1, 1, 2),               \
      ABC(SETINT, 1, 2, 2), ABC(SETINT, 1, 3, 2), ABC(SETINT, 1, 4, 2), \
      ABC(RETURN1, 1, 0, 0)

enum { MANY = PENUMBRA_STRESS ? 500 : 400000 };

/* Makes tables until the room of the first instruction is the expected one, or
** until MANY have been made.  Other objects of all sizes in between prevent the
** collector's steps from always coming at the same instruction. */
static bool learns(lua_State *L, const Proto *p, bool filled, bool room) {
  for (int i = 0; i < MANY; i++) {
    value_copy(L->top, L->top - 1);
    value_set_bool(L->top + 1, filled);
    L->top += 2;
    call_value_no_yield(L, L->top - 2, 1);
    assert_int_equal(table_length(L, value_table(L->top - 1)), filled ? 4 : 0);
    L->top--;
    if (!PENUMBRA_STRESS) userdata_new(L, (uint32_t)i * 2654435761u >> 23, 0);
    if (code_is_presized(p->code[0]) == room) return true;
  }
  return false;
}

static void test_room_follows_the_tables(void **state) {
  (void)state;
  lua_State *L = test_open();
  const Proto *p = PUSH_CODE(L, 1, CONSTRUCTOR);
  Instruction fresh = p->code[0];
  assert_false(code_is_presized(fresh));
  assert_true(learns(L, p, true, true));
  /* With a step at every allocation, tables are sampled half filled. */
  assert_in_range(code_presize(p->code[0]), PENUMBRA_STRESS ? 17 : 44, 64);
  assert_int_equal(code_with_presize(p->code[0], 0, false), fresh);
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

/* -- Names ----------------------------------------------------------------- */

/* {own = 1}, to which `both` is added, and also `some` if the argument is
** true. */
static Table *push_template_code(lua_State *L, Proto **p) {
  *p =
      PUSH_CODE(L, 1, ABC(DUPTABLE, 1, 0, 1), 0, code_make_ad(OP_LOADI, 2, 7),
                ABC(SETFIELD, 1, 2, 0), aux_field(1, 0), ABC(JF, 0, 0, 0), 3,
                ABC(SETFIELD, 1, 2, 0), aux_field(2, 0), ABC(RETURN1, 1, 0, 0));
  VECTOR_RESIZE(L, *p, (*p)->constants, 3);
  for (int i = 0; i < 3; i++) value_set_nil(&(*p)->constants[i]);
  (*p)->constant_count = 3;
  push_text(L, "both");
  (*p)->constants[1] = *--L->top;
  push_text(L, "some");
  (*p)->constants[2] = *--L->top;
  Table *template = table_new(L);
  value_set_table(&(*p)->constants[0], template);
  push_text(L, "own");
  push_integer(L, 1);
  table_set(L, template, L->top - 2, L->top - 1);
  L->top -= 2;
  return template;
}

/* The template keeps names that were added to all tables. */
static void test_names_are_learned(void **state) {
  (void)state;
  lua_State *L = test_open();
  Proto *p;
  const Table *template = push_template_code(L, &p);
  const Node *kept = NULL;
  for (int i = 0; i < MANY && !kept; i++) {
    value_copy(L->top, L->top - 1);
    value_set_bool(L->top + 1, i / 3 % 2 == 0);
    L->top += 2;
    call_value_no_yield(L, L->top - 2, 1);
    L->top--;
    kept = table_find_str(template, value_string(&p->constants[1]));
  }
  assert_non_null(kept);
  assert_int_equal(kept->value_tag, TAG_NIL);
  state_close(L);
}

/* Code and its sample are freed together. */
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
      cmocka_unit_test(test_names_are_learned),
      cmocka_unit_test(test_code_that_dies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
