/* SPDX-License-Identifier: MIT */
/*
** number.c -- arithmetic on bare numbers, comparisons, coercions
*/
#include "object/number.h"

#include <float.h>

#include "object/string.h"

/* -- Remainders ------------------------------------------------------------ */

#ifdef FP_FAST_FMA
static bool can_reduce(UNUSED Number b) { return true; }
/* a - q * b, if that is a float. */
static Number reduce(Number a, Number q, Number b) { return fma(-q, b, a); }
#else
/* The upper half of the bits of n; the lower half is what is left of n
** (Veltkamp 1968). */
static Number upper_half(Number n) {
  Number shifted = n * (0x1p27 + 1);
  return shifted - (shifted - n);
}
/* Halves must neither overflow nor lose bits, and the processor must round each
** result to a double. */
static bool can_reduce(Number b) {
  return FLT_EVAL_METHOD == 0 && fabs(b) > 0x1p-900 && fabs(b) < 0x1p900;
}
/* The product is rounded, but the products of halves are exact, and so is what
** the rounding took (Dekker 1971). */
static Number reduce(Number a, Number q, Number b) {
  Number q1 = upper_half(q), q2 = q - q1;
  Number b1 = upper_half(b), b2 = b - b1;
  Number product = q * b;
  Number lost = ((q1 * b1 - product) + q1 * b2 + q2 * b1) + q2 * b2;
  return (a - product) - lost;
}
#endif

/* The C library divides bit by bit.  One division is enough if the quotient has
** at most 53 bits: rounding can make it too large by 1, but not too small,
** because it does not cross an integer.  A remainder, and one that is too small
** by b, are floats, so no other step rounds. */
Number float_remainder(Number a, Number b) {
  Number quotient = a / b;
  if (UNLIKELY(!(fabs(quotient) < 0x1p53) || !can_reduce(b))) return fmod(a, b);
  Number q = (Number)(int64_t)quotient;
  if (q == 0) return a;
  Number r = reduce(a, q, b);
  if (r == 0) return copysign(0, a);
  return (r < 0) == (a < 0) ? r : r + copysign(b, a);
}

Number float_mod(Number a, Number b) {
  Number r = float_remainder(a, b);
  if (r != 0 && (r < 0) != (b < 0)) r += b;
  return r;
}

/* -- Conversions ----------------------------------------------------------- */

bool float_to_integer_mode(Number n, Integer *out, RoundMode mode) {
  Number f = floor(n);
  if (f != n) {
    if (mode == ROUND_EXACT) return false;
    if (mode == ROUND_CEIL) f += 1;
  }
  if (!float_fits_integer(f)) return false;
  *out = (Integer)f;
  return true;
}

/* -- Comparing integers with floats ---------------------------------------- */

/* Up to 2^53 every integer is a float, so floats are compared.  Beyond that,
** the float is rounded in the direction that keeps the answer. */
static bool int_is_exact_float(Integer i) {
  const Integer limit = (Integer)1 << 53;
  return -limit <= i && i <= limit;
}

bool int_less_float(Integer i, Number n) {
  if (int_is_exact_float(i)) return (Number)i < n;
  Integer k;
  if (float_to_integer_mode(n, &k, ROUND_CEIL)) return i < k;
  return n > 0; /* n is out of range; false for NaN */
}

bool int_less_equal_float(Integer i, Number n) {
  if (int_is_exact_float(i)) return (Number)i <= n;
  Integer k;
  if (float_to_integer_mode(n, &k, ROUND_FLOOR)) return i <= k;
  return n > 0;
}

bool float_less_int(Number n, Integer i) {
  if (int_is_exact_float(i)) return n < (Number)i;
  Integer k;
  if (float_to_integer_mode(n, &k, ROUND_FLOOR)) return k < i;
  return n < 0;
}

bool float_less_equal_int(Number n, Integer i) {
  if (int_is_exact_float(i)) return n <= (Number)i;
  Integer k;
  if (float_to_integer_mode(n, &k, ROUND_CEIL)) return k <= i;
  return n < 0;
}

bool number_less(const Value *a, const Value *b) {
  if (a->tag == TAG_INTEGER) {
    if (b->tag == TAG_INTEGER) return a->as.i < b->as.i;
    return int_less_float(a->as.i, b->as.n);
  }
  if (b->tag == TAG_FLOAT) return a->as.n < b->as.n;
  return float_less_int(a->as.n, b->as.i);
}

bool number_less_equal(const Value *a, const Value *b) {
  if (a->tag == TAG_INTEGER) {
    if (b->tag == TAG_INTEGER) return a->as.i <= b->as.i;
    return int_less_equal_float(a->as.i, b->as.n);
  }
  if (b->tag == TAG_FLOAT) return a->as.n <= b->as.n;
  return float_less_equal_int(a->as.n, b->as.i);
}

/* -- Values to numbers ----------------------------------------------------- */

bool value_number_to_integer(const Value *v, Integer *out, RoundMode mode) {
  if (v->tag == TAG_INTEGER) {
    *out = v->as.i;
    return true;
  }
  return v->tag == TAG_FLOAT && float_to_integer_mode(v->as.n, out, mode);
}

bool value_to_number(const Value *v, Value *out) {
  if (value_is_number(v)) {
    *out = *v;
    return true;
  }
  if (!value_is_string(v)) return false;
  const String *s = value_string(v);
  return number_from_text(string_bytes(s), string_length(s), out);
}

bool value_to_float(const Value *v, Number *out) {
  Value number;
  if (value_number_to_float(v, out)) return true;
  return value_to_number(v, &number) && value_number_to_float(&number, out);
}

bool value_to_integer(const Value *v, Integer *out, RoundMode mode) {
  Value number;
  if (LIKELY(v->tag == TAG_INTEGER)) {
    *out = v->as.i;
    return true;
  }
  return value_to_number(v, &number) &&
         value_number_to_integer(&number, out, mode);
}

/* -- Operators ------------------------------------------------------------- */

static bool arith_bitwise(int op, const Value *a, const Value *b, Value *out) {
  Integer x, y, r;
  if (!value_number_to_integer(a, &x, ROUND_EXACT) ||
      !value_number_to_integer(b, &y, ROUND_EXACT))
    return false;
  switch (op) {
    case ARITH_BAND: r = x & y; break;
    case ARITH_BOR: r = x | y; break;
    case ARITH_BXOR: r = x ^ y; break;
    case ARITH_SHL: r = int_shl(x, y); break;
    case ARITH_SHR: r = int_shr(x, y); break;
    default: r = ~x; break;
  }
  value_set_integer(out, r);
  return true;
}

static bool arith_integers(int op, Integer x, Integer y, Value *out) {
  Integer r;
  switch (op) {
    case ARITH_ADD: r = int_add(x, y); break;
    case ARITH_SUB: r = int_sub(x, y); break;
    case ARITH_MUL: r = int_mul(x, y); break;
    case ARITH_MOD:
      if (y == 0) return false;
      r = int_mod(x, y);
      break;
    case ARITH_IDIV:
      if (y == 0) return false;
      r = int_idiv(x, y);
      break;
    default: r = int_neg(x); break;
  }
  value_set_integer(out, r);
  return true;
}

static Number arith_floats(int op, Number x, Number y) {
  switch (op) {
    case ARITH_ADD: return x + y;
    case ARITH_SUB: return x - y;
    case ARITH_MUL: return x * y;
    case ARITH_MOD: return float_mod(x, y);
    case ARITH_POW: return float_pow(x, y);
    case ARITH_DIV: return x / y;
    case ARITH_IDIV: return float_idiv(x, y);
    default: return -x;
  }
}

bool number_arith(int op, const Value *a, const Value *b, Value *out) {
  bool bitwise = (op >= ARITH_BAND && op <= ARITH_SHR) || op == ARITH_BNOT;
  if (bitwise) return arith_bitwise(op, a, b, out);
  bool always_float = op == ARITH_DIV || op == ARITH_POW;
  if (!always_float && a->tag == TAG_INTEGER && b->tag == TAG_INTEGER)
    return arith_integers(op, a->as.i, b->as.i, out);
  Number x = 0, y = 0;
  value_number_to_float(a, &x);
  value_number_to_float(b, &y);
  value_set_float(out, arith_floats(op, x, y));
  return true;
}
