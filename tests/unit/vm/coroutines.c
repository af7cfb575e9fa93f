/* SPDX-License-Identifier: MIT */
/*
** coroutines.c -- resuming, yielding in both ways, closing
*/
#include "vm_test.h"

#include "vm/closing.h"
#include "vm/coroutine.h"

/* Replaces the function on top of L by a new coroutine with it as its body. */
static lua_State *new_coroutine(lua_State *L) {
  lua_State *co = thread_new(L);
  value_copy(co->top++, L->top - 1);
  value_set_thread(L->top - 1, co); /* anchored in place of the body */
  return co;
}

/* -- By a jump, and by a result -------------------------------------------- */

static int c_yield_by_jump(lua_State *L) {
  return coroutine_yield(L, (int)(L->top - L->frame->func) - 1, 0, NULL);
}

static int c_yield_by_result(lua_State *L) {
  return coroutine_yield_result(L, (int)(L->top - L->frame->func) - 1);
}

/* function (yield) local a = yield(1); return yield(a + 1) end */
static void check_two_yields(lua_CFunction yield) {
  lua_State *L = test_open();
  int count;
  PUSH_CODE(L, 1, ABC(MOVE, 1, 0, 0), code_make_ad(OP_LOADI, 2, 1),
            ABC(CALL, 1, 1, 1), ABC(MOVE, 2, 0, 0), ABC(ADD_RI, 3, 1, 1),
            ABC(CALL, 2, 1, 1), ABC(RETURN1, 2, 0, 0));
  lua_State *co = new_coroutine(L);
  push_c(co, yield);
  assert_int_equal(coroutine_resume(co, L, 1, &count, false), LUA_YIELD);
  assert_int_equal(count, 1);
  assert_int_equal(integer_at(co->top - 1), 1);
  co->top--;
  push_integer(co, 10);
  assert_int_equal(coroutine_resume(co, L, 1, &count, false), LUA_YIELD);
  assert_int_equal(integer_at(co->top - 1), 11);
  co->top--;
  push_integer(co, 5);
  assert_int_equal(coroutine_resume(co, L, 1, &count, false), LUA_OK);
  assert_int_equal(count, 1);
  assert_int_equal(integer_at(co->top - 1), 5);
  assert_ptr_equal(gc_of(L)->running, thread_cell(L));
  state_close(L);
}

static void test_yield_by_jump(void **state) {
  (void)state;
  check_two_yields(c_yield_by_jump);
}

static void test_yield_by_result(void **state) {
  (void)state;
  check_two_yields(c_yield_by_result);
}

static int c_call_argument(lua_State *L) {
  value_copy(L->top, L->frame->func + 1);
  L->top++;
  protect_call_k(L, L->top - 1, 0, 0, NULL);
  return 0;
}

/* A C function without a continuation prevents a yield. */
static void test_yield_across_c(void **state) {
  (void)state;
  lua_State *L = test_open();
  int count;
  push_c(L, c_call_argument);
  lua_State *co = new_coroutine(L);
  push_c(co, c_yield_by_result);
  assert_int_equal(coroutine_resume(co, L, 1, &count, false), LUA_ERRRUN);
  check_text(co->top - 1, "attempt to yield across a C-call boundary");
  assert_int_equal(co->status, LUA_ERRRUN);
  state_close(L);
}

/* -- Continuations --------------------------------------------------------- */

static int c_continue(lua_State *L, int status, lua_KContext context) {
  push_integer(L, status);
  push_integer(L, (lua_Integer)context);
  return 2;
}

static int c_pcall_k(lua_State *L) {
  value_copy(L->top, L->frame->func + 1);
  L->top++;
  int status = protect_pcall_k(L, L->top - 1, 0, 0, 77, c_continue);
  return c_continue(L, status, 77);
}

static int c_yield_then_fail_k(lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  push_text(L, "late");
  raise_value(L);
}

static int c_yield_then_fail(lua_State *L) {
  return coroutine_yield(L, 0, 0, c_yield_then_fail_k);
}

/* The error occurs after the yield has discarded the C stack.  The frame of the
** protected call catches it. */
static void test_error_after_yield_in_pcall(void **state) {
  (void)state;
  lua_State *L = test_open();
  int count;
  push_c(L, c_pcall_k);
  lua_State *co = new_coroutine(L);
  push_c(co, c_yield_then_fail);
  assert_int_equal(coroutine_resume(co, L, 1, &count, false), LUA_YIELD);
  assert_int_equal(coroutine_resume(co, L, 0, &count, false), LUA_OK);
  assert_int_equal(count, 2);
  assert_int_equal(integer_at(co->top - 2), LUA_ERRRUN);
  assert_int_equal(integer_at(co->top - 1), 77);
  state_close(L);
}

/* -- Coroutines that cannot be resumed ------------------------------------- */

static int c_nothing(lua_State *L) {
  (void)L;
  return 0;
}

static void test_dead_coroutine(void **state) {
  (void)state;
  lua_State *L = test_open();
  int count;
  push_c(L, c_nothing);
  lua_State *co = new_coroutine(L);
  assert_int_equal(coroutine_resume(co, L, 0, &count, false), LUA_OK);
  assert_int_equal(coroutine_resume(co, L, 0, &count, false), LUA_ERRRUN);
  check_text(co->top - 1, "cannot resume dead coroutine");
  state_close(L);
}

/* -- Closing --------------------------------------------------------------- */

static int closed;

static int c_close(lua_State *L) {
  (void)L;
  closed++;
  return 0;
}

static int c_mark_and_yield(lua_State *L) {
  push_object(L, "__close", c_close);
  closing_mark(L, L->top - 1);
  return coroutine_yield(L, 0, 0, NULL);
}

static void test_close_runs_what_is_pending(void **state) {
  (void)state;
  lua_State *L = test_open();
  int count;
  closed = 0;
  push_c(L, c_mark_and_yield);
  lua_State *co = new_coroutine(L);
  assert_int_equal(coroutine_resume(co, L, 0, &count, false), LUA_YIELD);
  assert_int_equal(closed, 0);
  assert_int_equal(coroutine_close(co, L), LUA_OK);
  assert_int_equal(closed, 1);
  assert_int_equal(co->closable_count, 0);
  assert_int_equal(co->top - co->stack, 1);
  state_close(L);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_yield_by_jump),
      cmocka_unit_test(test_yield_by_result),
      cmocka_unit_test(test_yield_across_c),
      cmocka_unit_test(test_error_after_yield_in_pcall),
      cmocka_unit_test(test_dead_coroutine),
      cmocka_unit_test(test_close_runs_what_is_pending),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
