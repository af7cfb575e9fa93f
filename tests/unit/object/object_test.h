/* SPDX-License-Identifier: MIT */
/*
** object_test.h -- what the tests of objects share
**
** Every test gets a state without vm on a checking allocator.  Test functions
** that begin with OBJECT_TEST run three times: with an ordinary collector, with
** a step and a check of all invariants at every poll, and with an emergency
** collection at every allocation.  At the end the state is freed, and every
** byte must have been given back.
*/
#ifndef PENUMBRA_OBJECT_TEST_H
#define PENUMBRA_OBJECT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "object/meta.h"
#include "object/thread.h"
#include "toy/allocator.h"
#include "lua.h"

typedef enum TestMode { MODE_PLAIN, MODE_STEPS, MODE_COLLECT } TestMode;

typedef struct ObjectTest {
  lua_State *L;
  Gc *gc;
  TestMode mode;
  TestAllocator allocator;
} ObjectTest;

static inline void object_test_open(ObjectTest *test, TestMode mode) {
  memset(test, 0, sizeof *test);
  test->mode = mode;
  test->L = global_new(test_allocate, &test->allocator, sizeof(Global));
  assert_non_null(test->L);
  test->gc = gc_of(test->L);
  test->gc->heap.poison = true;
  test->gc->debug.step_always = mode == MODE_STEPS;
  test->gc->debug.verify = mode == MODE_STEPS;
  test->gc->debug.checkmark = mode != MODE_PLAIN;
  test->gc->debug.collect_always = mode == MODE_COLLECT;
  stack_ensure(test->L, 200);
}

static inline void object_test_close(ObjectTest *test) {
  Global *g = test->L->global;
  test->gc->debug.collect_always = false;
  string_set_check(g);
  gc_collect(test->gc);
  string_set_check(g);
  gc_verify(test->gc);
  heap_check(&test->gc->heap);
  global_free(g);
  assert_int_equal(test->allocator.bytes, 0);
}

/* Polls the collector, as the vm does between instructions. */
static inline void object_test_poll(ObjectTest *test) {
  if (gc_step_due(test->gc)) gc_step(test->gc);
}

/* -- The stack keeps objects alive ----------------------------------------- */

static inline Value *push_value(lua_State *L, Value v) {
  *L->top++ = v;
  return L->top - 1;
}
static inline Table *push_table(lua_State *L) {
  Table *t = table_new(L);
  Value v;
  value_set_table(&v, t);
  push_value(L, v);
  return t;
}
static inline String *push_string(lua_State *L, const char *text) {
  String *s = string_from_c(L, text);
  Value v;
  value_set_string(&v, s);
  push_value(L, v);
  return s;
}
static inline Value make_integer(lua_Integer i) {
  Value v;
  value_set_integer(&v, i);
  return v;
}
static inline Value make_float(lua_Number n) {
  Value v;
  value_set_float(&v, n);
  return v;
}
static inline Value make_table_value(Table *t) {
  Value v;
  value_set_table(&v, t);
  return v;
}
static inline Value make_string_value(String *s) {
  Value v;
  value_set_string(&v, s);
  return v;
}
static inline Value make_nil(void) {
  Value v;
  memset(&v, 0, sizeof v);
  return v;
}

/* Pops values.  The collector is told, as in the product. */
static inline void object_test_pop(lua_State *L, ptrdiff_t count) {
  L->top -= count;
  stack_lower(L, L->top);
}

/* t[name] = v for a name in C. */
static inline void set_field(lua_State *L, Table *t, const char *name,
                             Value v) {
  push_value(L, v);
  String *s = push_string(L, name);
  table_set_str(L, t, s, L->top - 2);
  object_test_pop(L, 2);
}

/* -- Running --------------------------------------------------------------- */

typedef void ObjectTestBody(ObjectTest *test);

static inline void object_test_run(ObjectTestBody *body) {
  for (int mode = MODE_PLAIN; mode <= MODE_COLLECT; mode++) {
    ObjectTest test;
    object_test_open(&test, (TestMode)mode);
    body(&test);
    object_test_close(&test);
  }
}

#define OBJECT_TEST(name)                    \
  static void name##_body(ObjectTest *test); \
  static void name(void **unused) {          \
    (void)unused;                            \
    object_test_run(name##_body);            \
  }                                          \
  static void name##_body(ObjectTest *test)

static inline uint64_t object_test_seed(void) {
  const char *text = getenv("PENUMBRA_SEED");
  uint64_t seed = text ? strtoull(text, NULL, 0) : UINT64_C(20240711);
  printf("PENUMBRA_SEED=%llu\n", (unsigned long long)seed);
  return seed;
}

#endif
