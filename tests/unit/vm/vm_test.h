/* SPDX-License-Identifier: MIT */
/*
** vm_test.h -- functions assembled by hand
**
** The compiler is not below the vm, so the tests write their instructions.
*/
#ifndef PENUMBRA_TESTS_VM_TEST_H
#define PENUMBRA_TESTS_VM_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bytecode/bytecode.h"
#include "object/thread.h"
#include "vm/call.h"
#include "vm/protect.h"
#include "vm/state.h"
#include "lua.h"

static inline void *test_allocate(void *context, void *pointer, size_t old,
                                  size_t size) {
  (void)context;
  (void)old;
  if (size > 0) return realloc(pointer, size);
  free(pointer);
  return NULL;
}

static inline lua_State *test_open(void) {
  lua_State *L = state_open(test_allocate, NULL, sizeof(VmState));
  assert_non_null(L);
  return L;
}

static inline void state_close(lua_State *L) {
  state_finish(L);
  state_free(L);
}

/* -- Pushing --------------------------------------------------------------- */

static inline void push_integer(lua_State *L, lua_Integer i) {
  value_set_integer(L->top++, i);
}

static inline void push_c(lua_State *L, lua_CFunction f) {
  value_set_c_function(L->top++, f);
}

static inline void push_text(lua_State *L, const char *text) {
  String *s = string_from_c(L, text);
  value_set_string(L->top++, s);
}

/* A function of `parameters` parameters and the given code, 20 registers. */
static inline Proto *push_code(lua_State *L, unsigned parameters,
                               const Instruction *code, size_t words) {
  Proto *p = proto_new(L);
  value_set_cell(L->top++, p, TAG_PROTO);
  p->param_count = (uint8_t)parameters;
  p->frame_size = 20;
  VECTOR_RESIZE(L, p, p->code, words);
  memcpy(p->code, code, words * sizeof *code);
  p->code_size = (uint32_t)words;
  LuaClosure *c = closure_new_lua(L, p);
  value_set_cell(L->top - 1, c, TAG_LUA_CLOSURE);
  return p;
}

#define PUSH_CODE(L, parameters, ...)                              \
  push_code((L), (parameters), (const Instruction[]){__VA_ARGS__}, \
            sizeof((const Instruction[]){__VA_ARGS__}) / sizeof(Instruction))

#define ABC(op, a, b, c) code_make_abc(OP_##op, (a), (b), (c))

/* A new table on top with a metatable in which `event` is the C function. */
static inline Table *push_object(lua_State *L, const char *event,
                                 lua_CFunction f) {
  Table *t = table_new(L);
  value_set_table(L->top++, t);
  Table *meta = table_new(L);
  value_set_table(L->top++, meta);
  push_text(L, event);
  push_c(L, f);
  table_set(L, meta, L->top - 2, L->top - 1);
  table_set_metatable(L, t, meta);
  L->top -= 3;
  return t;
}

/* -- Checking -------------------------------------------------------------- */

static inline lua_Integer integer_at(const Value *v) {
  assert_int_equal(v->tag, TAG_INTEGER);
  return v->as.i;
}

static inline void check_text(const Value *v, const char *text) {
  assert_true(value_is_string(v));
  assert_string_equal(string_bytes(value_string(v)), text);
}

#endif
