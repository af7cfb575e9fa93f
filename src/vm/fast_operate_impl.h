/* SPDX-License-Identifier: MIT */
/*
** fast_operate_impl.h -- the common cases of arithmetic
**
** These functions store the result of an operation into the register A of the
** instruction `i`, and return whether they have done it: they have not if an
** operand is of another type.  Operations are constant arguments, so every call
** is compiled into the code of its operation.
*/
#ifndef PENUMBRA_VM_FAST_OPERATE_IMPL_H
#define PENUMBRA_VM_FAST_OPERATE_IMPL_H

#include "object/number.h"
#include "vm/fast_impl.h"

typedef Integer IntOp(Integer, Integer);
typedef Number FloatOp(Number, Number);

/* -- Types ----------------------------------------------------------------- */

/* `&` makes this one condition; with `&&` compilers make two branches. */
static ALWAYS_INLINE bool both_integers(const Value *a, const Value *b) {
  return (a->tag == TAG_INTEGER) & (b->tag == TAG_INTEGER);
}

static ALWAYS_INLINE bool both_floats(const Value *a, const Value *b) {
  return (a->tag == TAG_FLOAT) & (b->tag == TAG_FLOAT);
}

/* The number as a float.  False if it is not exactly representable, or the
** value is not a number. */
static ALWAYS_INLINE bool exact_float(const Value *v, Number *out) {
  const Unsigned most = (Unsigned)1 << 53;
  if (v->tag == TAG_FLOAT) {
    *out = v->as.n;
    return true;
  }
  *out = (Number)v->as.i;
  return v->tag == TAG_INTEGER && (Unsigned)v->as.i + most <= 2 * most;
}

/* The number as an integer.  False if its value is not an integer, or not a
** number. */
static ALWAYS_INLINE bool exact_integer(const Value *v, Integer *out) {
  if (LIKELY(v->tag == TAG_INTEGER)) {
    *out = v->as.i;
    return true;
  }
  return v->tag == TAG_FLOAT && float_to_integer(v->as.n, out);
}

/* -- Operations that C has as operators ------------------------------------ */

static ALWAYS_INLINE Number float_add(Number a, Number b) { return a + b; }
static ALWAYS_INLINE Number float_sub(Number a, Number b) { return a - b; }
static ALWAYS_INLINE Number float_mul(Number a, Number b) { return a * b; }
static ALWAYS_INLINE Number float_div(Number a, Number b) { return a / b; }
static ALWAYS_INLINE Integer int_and(Integer a, Integer b) { return a & b; }
static ALWAYS_INLINE Integer int_or(Integer a, Integer b) { return a | b; }
static ALWAYS_INLINE Integer int_xor(Integer a, Integer b) { return a ^ b; }

/* Shifts by less than 64. */
static ALWAYS_INLINE Integer int_shl_by(Integer a, Integer by) {
  return (Integer)((Unsigned)a << by);
}
static ALWAYS_INLINE Integer int_shr_by(Integer a, Integer by) {
  return (Integer)((Unsigned)a >> by);
}

/* The operands the other way round: for pairs. */
static ALWAYS_INLINE Number float_add_to(Number a, Number b) { return b + a; }
static ALWAYS_INLINE Integer int_sub_from(Integer a, Integer b) {
  return int_sub(b, a);
}
static ALWAYS_INLINE Number float_sub_from(Number a, Number b) { return b - a; }

/* The remainder of a division by a power of two. */
static ALWAYS_INLINE Integer int_mod_power(Integer a, Integer b) {
  return a & (b - 1);
}

/* Floor division by a positive number cannot overflow. */
static ALWAYS_INLINE Integer int_mod_positive(Integer a, Integer b) {
  Integer r = a % b;
  return r < 0 ? r + b : r;
}
static ALWAYS_INLINE Integer int_idiv_positive(Integer a, Integer b) {
  Integer q = a / b;
  return q * b > a ? q - 1 : q;
}

/* -- Arithmetic ------------------------------------------------------------ */

static ALWAYS_INLINE bool fast_integers(Value *base, LoopWord i, const Value *a,
                                        const Value *b, IntOp *op) {
  if (UNLIKELY(!both_integers(a, b))) return false;
  value_set_integer(slot_a(base, i), op(a->as.i, b->as.i));
  return true;
}

static ALWAYS_INLINE bool fast_floats(Value *base, LoopWord i, const Value *a,
                                      const Value *b, FloatOp *op) {
  if (UNLIKELY(!both_floats(a, b))) return false;
  value_set_float(slot_a(base, i), op(a->as.n, b->as.n));
  return true;
}

/* Numbers of any type, as floats. */
static ALWAYS_INLINE bool fast_mixed(Value *base, LoopWord i, const Value *a,
                                     const Value *b, FloatOp *op) {
  Number x, y;
  if (!value_number_to_float(a, &x) || !value_number_to_float(b, &y))
    return false;
  value_set_float(slot_a(base, i), op(x, y));
  return true;
}

/* A division: of integers, if both operands are; then a divisor of 0 is an
** error.  Otherwise of floats. */
static ALWAYS_INLINE bool fast_division(Value *base, LoopWord i, const Value *a,
                                        const Value *b, IntOp *int_op,
                                        FloatOp *float_op) {
  if (UNLIKELY(!both_integers(a, b)))
    return fast_mixed(base, i, a, b, float_op);
  if (UNLIKELY(b->as.i == 0)) return false;
  value_set_integer(slot_a(base, i), int_op(a->as.i, b->as.i));
  return true;
}

/* -- Bits ------------------------------------------------------------------ */

static ALWAYS_INLINE bool fast_bits(Value *base, LoopWord i, const Value *a,
                                    const Value *b, IntOp *op) {
  Integer x, y;
  if (UNLIKELY(!exact_integer(a, &x) || !exact_integer(b, &y))) return false;
  value_set_integer(slot_a(base, i), op(x, y));
  return true;
}

static ALWAYS_INLINE bool fast_bits_with(Value *base, LoopWord i,
                                         const Value *a, Integer n, IntOp *op) {
  Integer x;
  if (UNLIKELY(!exact_integer(a, &x))) return false;
  value_set_integer(slot_a(base, i), op(x, n));
  return true;
}

static ALWAYS_INLINE bool fast_bits_of(Value *base, LoopWord i, Integer n,
                                       const Value *b, IntOp *op) {
  Integer y;
  if (UNLIKELY(!exact_integer(b, &y))) return false;
  value_set_integer(slot_a(base, i), op(n, y));
  return true;
}

/* -- Pairs ----------------------------------------------------------------- */

static ALWAYS_INLINE void put_floats(Value *base, LoopWord i, LoopWord next,
                                     Number first, Number second) {
  value_set_float(slot_a(base, i), first);
  value_set_float(slot_a(base, next), second);
}
static ALWAYS_INLINE void put_integers(Value *base, LoopWord i, LoopWord next,
                                       Integer first, Integer second) {
  value_set_integer(slot_a(base, i), first);
  value_set_integer(slot_a(base, next), second);
}

/* Stores `value`, the result of `i`, and what the `next` instruction computes
** with it and its `other` operand.  Both operands have the tag. */
static ALWAYS_INLINE bool fast_pair(Value *base, LoopWord i, LoopWord next,
                                    unsigned tag, Payload value,
                                    const Value *other, IntOp *int_op,
                                    FloatOp *float_op) {
  if (LIKELY(tag == TAG_FLOAT))
    put_floats(base, i, next, value.n, float_op(other->as.n, value.n));
  else if (LIKELY(tag == TAG_INTEGER))
    put_integers(base, i, next, value.i, int_op(other->as.i, value.i));
  else
    return false;
  return true;
}

/* The same for the product of `a` and `b`. */
static ALWAYS_INLINE bool fast_product(Value *base, LoopWord i, LoopWord next,
                                       const Value *a, const Value *b,
                                       const Value *other, IntOp *int_op,
                                       FloatOp *float_op) {
  unsigned tag = a->tag;
  if (UNLIKELY((b->tag != tag) | (other->tag != tag))) return false;
  if (LIKELY(tag == TAG_FLOAT)) {
    Number product = a->as.n * b->as.n;
    put_floats(base, i, next, product, float_op(other->as.n, product));
  } else if (LIKELY(tag == TAG_INTEGER)) {
    Integer product = int_mul(a->as.i, b->as.i);
    put_integers(base, i, next, product, int_op(other->as.i, product));
  } else {
    return false;
  }
  return true;
}

#endif
