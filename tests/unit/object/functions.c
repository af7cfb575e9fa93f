/* SPDX-License-Identifier: MIT */
/*
** functions.c -- prototypes and closures: how the code is found
*/
#include "object_test.h"

/* The code distance computed for a code vector `bytes` away. */
static int32_t distance_of(Proto *p, ptrdiff_t bytes) {
  uintptr_t part = (uintptr_t)p + (uintptr_t)bytes;
  p->code_distance = 99;
  p->code = (Instruction *)(part + sizeof(VectorPart));
  proto_fix_code(p);
  return p->code_distance;
}

/* The vector need not exist, because only its address is used. */
static void test_distance_is_known_if_it_fits(void **state) {
  enum { MANY = 1000 };
  static _Alignas(GRANULE) Proto p;
  const ptrdiff_t farthest = (ptrdiff_t)INT32_MAX * GRANULE;
  (void)state;
  assert_int_equal(distance_of(&p, MANY * GRANULE), MANY);
  assert_int_equal(distance_of(&p, -MANY * GRANULE), -MANY);
  assert_int_equal(distance_of(&p, farthest), INT32_MAX);
  assert_int_equal(distance_of(&p, farthest + GRANULE), 0);
  assert_int_equal(distance_of(&p, -farthest - GRANULE), INT32_MIN);
  assert_int_equal(distance_of(&p, -farthest - 2 * GRANULE), 0);
  assert_int_equal(distance_of(&p, MANY * GRANULE + GRANULE / 2), 0);
}

OBJECT_TEST(test_closures_find_their_code) {
  lua_State *L = test->L;
  Proto *p = proto_new(L);
  value_set_cell(L->top++, p, TAG_PROTO);
  VECTOR_RESIZE(L, p, p->code, 4);
  LuaClosure *unknown = closure_new_lua(L, p);
  assert_int_equal(unknown->code_distance, 0);
  assert_ptr_equal(closure_code(unknown), p->code);
  proto_fix_code(p);
  assert_ptr_equal(closure_code(closure_new_lua(L, p)), p->code);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distance_is_known_if_it_fits),
      cmocka_unit_test(test_closures_find_their_code),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
