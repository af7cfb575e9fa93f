/* SPDX-License-Identifier: MIT */
/*
** builtin_impl.h -- what the builtins share
*/
#ifndef PENUMBRA_VM_BUILTIN_IMPL_H
#define PENUMBRA_VM_BUILTIN_IMPL_H

#include "vm/builtin.h"
#include "vm/collect.h"

/* -- Results --------------------------------------------------------------- */

static ALWAYS_INLINE int give_integer(Value *func, lua_Integer i) {
  value_set_integer(func, i);
  return 1;
}

static ALWAYS_INLINE int give_float(Value *func, lua_Number n) {
  value_set_float(func, n);
  return 1;
}

static ALWAYS_INLINE int give_bool(Value *func, bool b) {
  value_set_bool(func, b);
  return 1;
}

static ALWAYS_INLINE int give_value(Value *func, const Value *v) {
  value_copy(func, v);
  return 1;
}

/* The collector may have its turn when the new object is in place. */
static ALWAYS_INLINE int give_new(lua_State *L) {
  if (UNLIKELY(gc_step_due(gc_of(L)))) collect_step_below(L, L->frame->top);
  return 1;
}

static ALWAYS_INLINE int give_new_string(lua_State *L, Value *func,
                                         const String *s) {
  value_set_string(func, s);
  return give_new(L);
}

/* -- Arguments ------------------------------------------------------------- */

/* Positions from 1 on; negative ones count from the end.  The first may lie
** beyond the end, the last one before the beginning. */
static ALWAYS_INLINE lua_Integer first_position(lua_Integer at,
                                                lua_Integer length) {
  if (LIKELY(at > 0)) return at;
  if (at == 0 || at < -length) return 1;
  return length + at + 1;
}

static ALWAYS_INLINE lua_Integer last_position(lua_Integer at,
                                               lua_Integer length) {
  if (at > length) return length;
  if (LIKELY(at >= 0)) return at;
  return at < -length ? 0 : length + at + 1;
}

/* The optional integer argument `n`; false if it is something else. */
static ALWAYS_INLINE bool take_integer(const Value *func, unsigned argc,
                                       unsigned n, lua_Integer *out) {
  if (argc < n) return true;
  *out = func[n].as.i;
  return value_is_integer(&func[n]);
}

static inline bool is_plain_table(const Value *v) {
  return value_is_table(v) && !value_table(v)->metatable;
}

/* -- Functions of the string library: builtin_string.c --------------------- */

BuiltinFn builtin_byte;
BuiltinFn builtin_char;
BuiltinFn builtin_concat;
BuiltinFn builtin_find;
BuiltinFn builtin_len;
BuiltinFn builtin_lower;
BuiltinFn builtin_rep;
BuiltinFn builtin_reverse;
BuiltinFn builtin_sub;
BuiltinFn builtin_upper;

#endif
