/* SPDX-License-Identifier: MIT */
/*
** number.h -- arithmetic on bare numbers, and conversions
**
** Nothing here uses metamethods, raises errors or depends on a state.
*/
#ifndef PENUMBRA_OBJECT_NUMBER_H
#define PENUMBRA_OBJECT_NUMBER_H

#include <math.h>
#include <string.h>

#include "object/value.h"

/* -- Integers wrap around -------------------------------------------------- */

static ALWAYS_INLINE Integer int_add(Integer a, Integer b) {
  return (Integer)((Unsigned)a + (Unsigned)b);
}
static ALWAYS_INLINE Integer int_sub(Integer a, Integer b) {
  return (Integer)((Unsigned)a - (Unsigned)b);
}
static ALWAYS_INLINE Integer int_mul(Integer a, Integer b) {
  return (Integer)((Unsigned)a * (Unsigned)b);
}
static ALWAYS_INLINE Integer int_neg(Integer a) {
  return (Integer)(0u - (Unsigned)a);
}

/* Floor division and its remainder; the divisor must not be 0. */
static ALWAYS_INLINE Integer int_idiv(Integer a, Integer b) {
  if (UNLIKELY(b == -1)) return int_neg(a); /* the minimum overflows */
  Integer q = a / b;
  if ((a ^ b) < 0 && q * b != a) q--;
  return q;
}
static ALWAYS_INLINE Integer int_mod(Integer a, Integer b) {
  if (UNLIKELY(b == -1)) return 0;
  Integer r = a % b;
  if (r != 0 && (r ^ b) < 0) r += b;
  return r;
}

/* Shifts by any amount; a negative amount shifts in the opposite direction. */
static ALWAYS_INLINE Integer int_shl(Integer a, Integer by) {
  if (by >= 0) return by < 64 ? (Integer)((Unsigned)a << by) : 0;
  return by > -64 ? (Integer)((Unsigned)a >> -by) : 0;
}
static ALWAYS_INLINE Integer int_shr(Integer a, Integer by) {
  if (by >= 0) return by < 64 ? (Integer)((Unsigned)a >> by) : 0;
  return by > -64 ? (Integer)((Unsigned)a << -by) : 0;
}

/* -- Floats ---------------------------------------------------------------- */

static ALWAYS_INLINE Number float_idiv(Number a, Number b) {
  return floor(a / b);
}
/* fmod of the C library: the remainder has the sign of a.  The remainder of
** float_mod has the sign of b; if it is zero, that of a. */
Number float_remainder(Number a, Number b);
Number float_mod(Number a, Number b);
static ALWAYS_INLINE Number float_pow(Number a, Number b) {
  return b == 2 ? a * a : pow(a, b);
}

/* True if n is a positive power of two whose inverse is one too, and neither is
** too small for a full mantissa: then multiplying by the inverse equals
** dividing. */
static inline bool float_has_inverse(Number n) {
  uint64_t bits;
  memcpy(&bits, &n, sizeof bits);
  uint64_t exponent = bits >> 52;
  return bits << 12 == 0 && exponent > 0 && exponent < 2046;
}
static ALWAYS_INLINE Number float_inverse(Number n) {
  uint64_t bits;
  memcpy(&bits, &n, sizeof bits);
  bits = (UINT64_C(2046) << 52) - bits; /* the exponent is biased by 1023 */
  memcpy(&n, &bits, sizeof n);
  return n;
}

/* -- Between integers and floats ------------------------------------------- */

typedef enum RoundMode { ROUND_EXACT, ROUND_FLOOR, ROUND_CEIL } RoundMode;

/* The float as an integer, if its value is (or rounds to) an integer that
** fits. */
static ALWAYS_INLINE bool float_fits_integer(Number n) {
  return n >= -0x1p63 && n < 0x1p63;
}
static ALWAYS_INLINE bool float_to_integer(Number n, Integer *out) {
  if (!float_fits_integer(n)) return false; /* also false for NaN */
  Integer i = (Integer)n;
  *out = i;
  return (Number)i == n;
}
bool float_to_integer_mode(Number n, Integer *out, RoundMode mode);

/* Exact comparisons between an integer and a float. */
bool int_less_float(Integer i, Number n);
bool int_less_equal_float(Integer i, Number n);
bool float_less_int(Number n, Integer i);
bool float_less_equal_int(Number n, Integer i);
static ALWAYS_INLINE bool int_equal_float(Integer i, Number n) {
  Integer k;
  return float_to_integer(n, &k) && k == i;
}

/* Both operands are numbers: mathematical order. */
bool number_less(const Value *a, const Value *b);
bool number_less_equal(const Value *a, const Value *b);

/* -- Values to numbers ----------------------------------------------------- */

/* From numbers only. */
static ALWAYS_INLINE bool value_number_to_float(const Value *v, Number *out) {
  if (v->tag == TAG_FLOAT) {
    *out = v->as.n;
    return true;
  }
  if (v->tag != TAG_INTEGER) return false;
  *out = (Number)v->as.i;
  return true;
}
bool value_number_to_integer(const Value *v, Integer *out, RoundMode mode);

/* From numbers, and strings that contain one. */
bool value_to_float(const Value *v, Number *out);
bool value_to_integer(const Value *v, Integer *out, RoundMode mode);

/* The number itself, or the one that a string contains. */
bool value_to_number(const Value *v, Value *out);

/* `op` is ARITH_ADD ...  ARITH_BNOT; the operands are numbers.  False if an
** operand of a bitwise operator is not an integer, or an integer is divided by
** 0. */
bool number_arith(int op, const Value *a, const Value *b, Value *out);

/* -- Text ------------------------------------------------------------------ */

enum { NUMBER_TEXT_SIZE = 48 }; /* for any number and a terminating zero */

/* Reads the number that the whole of `text` contains; text[length] is a zero.
** The number is decimal or hexadecimal, integer or float, with optional spaces
** around it.  The result does not depend on the locale, except that the
** locale's decimal point is accepted as well as a dot. */
bool number_from_text(const char *text, size_t length, Value *out);

/* Like number_from_text, for a text of more than LONG_NUMERAL characters. */
enum { LONG_NUMERAL = 1000 };
bool number_from_long_text(const char *text, size_t length, Value *out);

/* Writes the number as tostring does, with a terminating zero.  Returns the
** length. */
size_t number_to_text(const Value *v, char text[NUMBER_TEXT_SIZE]);

/* Writes the digits of n, none for 0, before `end`.  Returns where they
** begin. */
static inline char *number_digits(char *end, Unsigned n, unsigned base,
                                  const char *digits) {
  for (; n != 0; n /= base) *--end = digits[n % base];
  return end;
}

/* Writes an address as GNU's printf does, ending before `end`: 18 characters at
** most.  Returns its beginning. */
static inline char *number_address(char *end, const void *address) {
  char *p = number_digits(end, (uintptr_t)address, 16, "0123456789abcdef");
  *--p = 'x';
  *--p = '0';
  return p;
}

/* Writes a code point (up to 2^31 - 1) as UTF-8 into the end of `buffer`.
** Returns the number of bytes. */
enum { UTF8_MAX_BYTES = 8 };
size_t utf8_encode(uint32_t code, char buffer[UTF8_MAX_BYTES]);

/* The value of a hexadecimal digit. */
int hex_digit(int c);

#endif
