/* SPDX-License-Identifier: MIT */
/*
** calls.c -- calls, results, errors, and the limits of both stacks
*/
#include "vm_test.h"

#include "vm/operate.h"

static int c_three(lua_State *L) {
  for (lua_Integer i = 1; i <= 3; i++) push_integer(L, i);
  return 3;
}

static int c_sum(lua_State *L) {
  lua_Integer sum = 0;
  for (Value *v = L->frame->func + 1; v < L->top; v++) sum += integer_at(v);
  push_integer(L, sum);
  return 1;
}

static int c_fail(lua_State *L) {
  push_text(L, "it failed");
  raise_value(L);
}

static void test_results_are_adjusted(void **state) {
  (void)state;
  lua_State *L = test_open();
  for (int wanted = -1; wanted <= 5; wanted++) {
    Value *base = L->top;
    push_c(L, c_three);
    call_value_no_yield(L, base, wanted);
    base = L->stack + 1;
    assert_int_equal(L->top - base, wanted < 0 ? 3 : wanted);
    for (int i = 0; i < L->top - base; i++) {
      if (i < 3)
        assert_int_equal(integer_at(base + i), i + 1);
      else
        assert_int_equal(base[i].tag, TAG_NIL);
    }
    L->top = base;
  }
  state_close(L);
}

/* return a + b, with fewer, as many and more arguments than parameters */
static void test_lua_function(void **state) {
  (void)state;
  lua_State *L = test_open();
  PUSH_CODE(L, 2, ABC(ADD_RR, 2, 0, 1), ABC(RETURN1, 2, 0, 0));
  push_integer(L, 40);
  push_integer(L, 2);
  push_integer(L, 99);
  call_value_no_yield(L, L->top - 4, 1);
  assert_int_equal(integer_at(L->top - 1), 42);
  PUSH_CODE(L, 2, ABC(RETURN1, 1, 0, 0));
  push_integer(L, 1);
  call_value_no_yield(L, L->top - 2, 1);
  assert_int_equal(L->top[-1].tag, TAG_NIL);
  state_close(L);
}

/* return (first argument)(2, 3): a C function called by the loop */
static void test_loop_calls_c(void **state) {
  (void)state;
  lua_State *L = test_open();
  PUSH_CODE(L, 1, ABC(MOVE, 1, 0, 0), code_make_ad(OP_LOADI, 2, 2),
            code_make_ad(OP_LOADI, 3, 3), ABC(CALL, 1, 2, 1),
            ABC(RETURN1, 1, 0, 0));
  push_c(L, c_sum);
  call_value_no_yield(L, L->top - 2, 1);
  assert_int_equal(integer_at(L->top - 1), 5);
  state_close(L);
}

static void test_error_restores(void **state) {
  (void)state;
  lua_State *L = test_open();
  push_integer(L, 7);
  Frame *frame = L->frame;
  push_c(L, c_fail);
  assert_int_equal(protect_call(L, L->top - 1, 0, 0), LUA_ERRRUN);
  assert_ptr_equal(L->frame, frame);
  assert_int_equal(L->c_calls, 0);
  assert_int_equal(L->top - L->stack, 3);
  check_text(L->top - 1, "it failed");
  assert_int_equal(integer_at(L->top - 2), 7);
  state_close(L);
}

static int c_handler(lua_State *L) {
  push_text(L, "handled");
  return 1;
}

static void test_message_handler(void **state) {
  (void)state;
  lua_State *L = test_open();
  push_c(L, c_handler);
  ptrdiff_t handler = stack_save(L, L->top - 1);
  push_c(L, c_fail);
  assert_int_equal(protect_call(L, L->top - 1, 0, handler), LUA_ERRRUN);
  check_text(L->top - 1, "handled");
  assert_int_equal(L->handler, 0);
  state_close(L);
}

/* An error in the handler calls the handler, until there is no C stack left. */
static void test_error_in_handler(void **state) {
  (void)state;
  lua_State *L = test_open();
  push_c(L, c_fail);
  ptrdiff_t handler = stack_save(L, L->top - 1);
  push_c(L, c_fail);
  assert_int_equal(protect_call(L, L->top - 1, 0, handler), LUA_ERRERR);
  check_text(L->top - 1, "error in error handling");
  state_close(L);
}

/* return self(self) without a tail call: only the Lua stack grows */
static void test_stack_overflow(void **state) {
  (void)state;
  lua_State *L = test_open();
  PUSH_CODE(L, 1, ABC(MOVE, 1, 0, 0), ABC(MOVE, 2, 0, 0), ABC(CALL, 1, 1, 1),
            ABC(RETURN1, 1, 0, 0));
  value_copy(L->top, L->top - 1);
  L->top++;
  assert_int_equal(protect_call(L, L->top - 2, 1, 0), LUA_ERRRUN);
  assert_non_null(
      strstr(string_bytes(value_string(L->top - 1)), "stack overflow"));
  assert_true(L->end - L->stack <= LUAI_MAXSTACK);
  state_close(L);
}

/* function f(f, n) if n == 0 then return n end return f(f, n - 1) end */
static void test_tail_calls_do_not_grow(void **state) {
  (void)state;
  lua_State *L = test_open();
  const Instruction to_the_end = 6;
  PUSH_CODE(L, 2, code_make_ad(OP_JEQI, 1, code_make_i15(0, false)), to_the_end,
            ABC(MOVE, 2, 0, 0), ABC(MOVE, 3, 0, 0), ABC(ADD_RI, 4, 1, 0xff),
            ABC(TAILCALL, 2, 3, 0), ABC(RETURN, 2, 0, 0),
            ABC(RETURN1, 1, 0, 0));
  value_copy(L->top, L->top - 1);
  L->top++;
  push_integer(L, 100000);
  ptrdiff_t slots = L->end - L->stack;
  call_value_no_yield(L, L->top - 3, 1);
  assert_int_equal(integer_at(L->top - 1), 0);
  assert_true(L->end - L->stack <= slots * 4);
  state_close(L);
}

/* -- Metamethods ----------------------------------------------------------- */

static int c_answer(lua_State *L) {
  push_integer(L, 42);
  return 1;
}

static void test_arithmetic_metamethod(void **state) {
  (void)state;
  lua_State *L = test_open();
  PUSH_CODE(L, 1, ABC(ADD_RI, 1, 0, 1), ABC(RETURN1, 1, 0, 0));
  push_object(L, "__add", c_answer);
  call_value_no_yield(L, L->top - 2, 1);
  assert_int_equal(integer_at(L->top - 1), 42);
  state_close(L);
}

/* A metamethod written in Lua returns into the middle of an instruction. */
static void test_metamethod_in_lua(void **state) {
  (void)state;
  lua_State *L = test_open();
  PUSH_CODE(L, 1, ABC(UNM, 1, 0, 0), ABC(RETURN1, 1, 0, 0));
  push_object(L, "__unm", c_answer);
  Table *t = value_table(L->top - 1);
  push_text(L, "__unm");
  PUSH_CODE(L, 2, code_make_ad(OP_LOADI, 2, 17), ABC(RETURN1, 2, 0, 0));
  table_set(L, t->metatable, L->top - 2, L->top - 1);
  L->top -= 2;
  call_value_no_yield(L, L->top - 2, 1);
  assert_int_equal(integer_at(L->top - 1), 17);
  state_close(L);
}

static void test_call_metamethod(void **state) {
  (void)state;
  lua_State *L = test_open();
  push_object(L, "__call", c_answer);
  call_value_no_yield(L, L->top - 1, 1);
  assert_int_equal(integer_at(L->top - 1), 42);
  push_integer(L, 1);
  assert_int_equal(protect_call(L, L->top - 1, 0, 0), LUA_ERRRUN);
  check_text(L->top - 1, "attempt to call a number value");
  state_close(L);
}

static void test_concatenation(void **state) {
  (void)state;
  lua_State *L = test_open();
  push_text(L, "a");
  push_integer(L, 1);
  value_set_float(L->top++, 2.0);
  operate_concat(L, 3);
  check_text(L->top - 1, "a12.0");
  assert_int_equal(L->top - L->stack, 2);
  state_close(L);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_results_are_adjusted),
      cmocka_unit_test(test_lua_function),
      cmocka_unit_test(test_loop_calls_c),
      cmocka_unit_test(test_error_restores),
      cmocka_unit_test(test_message_handler),
      cmocka_unit_test(test_error_in_handler),
      cmocka_unit_test(test_stack_overflow),
      cmocka_unit_test(test_tail_calls_do_not_grow),
      cmocka_unit_test(test_arithmetic_metamethod),
      cmocka_unit_test(test_metamethod_in_lua),
      cmocka_unit_test(test_call_metamethod),
      cmocka_unit_test(test_concatenation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
