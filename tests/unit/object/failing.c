/* SPDX-License-Identifier: MIT */
/*
** failing.c -- every allocation refused in turn
**
** Each body runs with its first, second, third ... request for memory refused,
** either only this one or all from then on, until it succeeds.  Each time it
** must complete or end with the memory error, leave a heap that passes all
** checks, and lose no byte.
*/
#include "object_test.h"

#include "object/format.h"

typedef struct FailCase {
  const char *name;
  RaiseBody *body;
} FailCase;

static void body_strings(lua_State *L, void *data) {
  (void)data;
  char text[64];
  for (int i = 0; i < 600; i++) {
    snprintf(text, sizeof text, "a string with the number %d", i);
    push_string(L, text);
    object_test_pop(L, 1);
    if (i % 100 == 0) push_string(L, text);
  }
}

static void body_array(lua_State *L, void *data) {
  (void)data;
  Table *t = push_table(L);
  for (int i = 1; i <= 3000; i++) {
    Value v = make_integer(i);
    table_set_int(L, t, i, &v);
  }
  table_resize(L, t, 10, 10);
  table_check(L, t);
  assert_int_equal(table_length(L, t), 3000);
}

static void body_hash(lua_State *L, void *data) {
  (void)data;
  Table *t = push_table(L);
  for (int i = 1; i <= 500; i++) {
    Value key = make_float(i + 0.5), v = make_table_value(push_table(L));
    table_set(L, t, &key, &v);
    object_test_pop(L, 1);
    v = make_integer(i);
    table_set_int(L, t, 1000 - i, &v);
  }
  table_check(L, t);
}

static void body_threads(lua_State *L, void *data) {
  (void)data;
  for (int i = 0; i < 30; i++) {
    lua_State *co = thread_new(L);
    Value v;
    value_set_thread(&v, co);
    push_value(L, v);
    Value *slot = push_value(co, make_integer(i));
    upvalue_find(co, slot);
    if (i % 2) object_test_pop(L, 1);
  }
  for (int i = 0; i < 500; i++) {
    stack_ensure(L, 1);
    push_value(L, make_integer(i));
  }
}

static void body_objects(lua_State *L, void *data) {
  (void)data;
  for (int i = 0; i < 50; i++) {
    Value v;
    value_set_cell(&v, userdata_new(L, 100 * (size_t)i, 3), TAG_USERDATA);
    push_value(L, v);
    value_set_cell(&v, closure_new_c(L, NULL, 5), TAG_C_CLOSURE);
    push_value(L, v);
    Proto *p = proto_new(L);
    value_set_cell(&v, p, TAG_PROTO);
    push_value(L, v);
    VECTOR_RESERVE(L, p, p->code, 100, 1000, "words");
    format_push(L, "%s %d", "message number", i);
    object_test_pop(L, 4);
  }
}

static const FailCase cases[] = {{"strings", body_strings},
                                 {"array", body_array},
                                 {"hash", body_hash},
                                 {"threads", body_threads},
                                 {"objects", body_objects}};

/* The distance to the next request that is refused.  It grows, so that the test
** takes only seconds. */
static uint64_t fail_stride(uint64_t n) {
  return getenv("PENUMBRA_FULL") ? 1 : 1 + n / 16;
}

/* Either the allocator refuses, which is asked for large pieces, or the
** collector, which is asked for each object (in debug builds only). */
typedef enum Refuser { BY_ALLOCATOR, BY_COLLECTOR } Refuser;

static void refuse(ObjectTest *test, Refuser who, uint64_t nth, bool after) {
  if (who == BY_ALLOCATOR) {
    test_allocator_fail(&test->allocator, nth, after);
    return;
  }
  test->gc->debug.fail_in = nth;
  test->gc->debug.fail_after = after;
}

static bool has_refused(ObjectTest *test) {
  bool refused = test->allocator.refused > 0 || test->gc->debug.refused > 0;
  test_allocator_obey(&test->allocator);
  test->gc->debug.fail_in = 0;
  return refused;
}

/* True if the body completed. */
static bool run_once(const FailCase *c, Refuser who, uint64_t nth, bool after) {
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  ptrdiff_t top = stack_save(L, L->top);
  refuse(&test, who, nth, after);
  int status = raise_protect(L, c->body, NULL);
  bool refused = has_refused(&test);
  if (status != LUA_OK && status != LUA_ERRMEM)
    fail_msg("%s, request %llu: status %d", c->name, (unsigned long long)nth,
             status);
  raise_error_value(L, status, stack_restore(L, top));
  object_test_pop(L, 1);
  assert_true(status == LUA_OK || refused);
  gc_verify(test.gc);
  object_test_close(&test);
  return !refused;
}

static void run_cases(Refuser who, bool after) {
  if (who == BY_COLLECTOR && !PENUMBRA_DEBUG) skip();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint64_t n = 1; !run_once(&cases[i], who, n, after);
         n += fail_stride(n))
      continue;
}

static void test_one_refusal(void **unused) {
  (void)unused;
  run_cases(BY_ALLOCATOR, false);
}

static void test_no_memory_from_then_on(void **unused) {
  (void)unused;
  run_cases(BY_ALLOCATOR, true);
}

static void test_one_object_refused(void **unused) {
  (void)unused;
  run_cases(BY_COLLECTOR, false);
}

static void test_no_objects_from_then_on(void **unused) {
  (void)unused;
  run_cases(BY_COLLECTOR, true);
}

/* A state is created completely or not at all. */
static void test_new_states(void **unused) {
  (void)unused;
  lua_State *L = NULL;
  for (uint64_t n = 1; !L; n++) {
    TestAllocator allocator;
    memset(&allocator, 0, sizeof allocator);
    test_allocator_fail(&allocator, n, false);
    L = global_new(test_allocate, &allocator, sizeof(Global));
    if (L) global_free(L->global);
    assert_int_equal(allocator.bytes, 0);
  }
}

/* Memory of any alignment, as lua_Alloc allows. */
static void test_any_alignment(void **unused) {
  (void)unused;
  for (unsigned offset = 0; offset < 16; offset += 3) {
    ObjectTest test;
    memset(&test, 0, sizeof test);
    test.allocator.offset = offset;
    test.L = global_new(test_allocate, &test.allocator, sizeof(Global));
    assert_non_null(test.L);
    test.gc = gc_of(test.L);
    stack_ensure(test.L, 200);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      cases[i].body(test.L, NULL);
      test.L->top = test.L->stack + 1;
      upvalue_close(test.L, test.L->stack);
    }
    object_test_close(&test);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_refusal),
      cmocka_unit_test(test_no_memory_from_then_on),
      cmocka_unit_test(test_one_object_refused),
      cmocka_unit_test(test_no_objects_from_then_on),
      cmocka_unit_test(test_new_states),
      cmocka_unit_test(test_any_alignment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
