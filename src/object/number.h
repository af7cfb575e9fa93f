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

static ALWAYS_INLINE lua_Integer int_add(lua_Integer a, lua_Integer b) {
  return (lua_Integer)((lua_Unsigned)a + (lua_Unsigned)b);
}
static ALWAYS_INLINE lua_Integer int_sub(lua_Integer a, lua_Integer b) {
  return (lua_Integer)((lua_Unsigned)a - (lua_Unsigned)b);
}
static ALWAYS_INLINE lua_Integer int_mul(lua_Integer a, lua_Integer b) {
  return (lua_Integer)((lua_Unsigned)a * (lua_Unsigned)b);
}
static ALWAYS_INLINE lua_Integer int_neg(lua_Integer a) {
  return (lua_Integer)(0u - (lua_Unsigned)a);
}

/* Floor division and its remainder; the divisor must not be 0. */
static ALWAYS_INLINE lua_Integer int_idiv(lua_Integer a, lua_Integer b) {
  if (UNLIKELY(b == -1)) return int_neg(a); /* the minimum overflows */
  lua_Integer q = a / b;
  if ((a ^ b) < 0 && q * b != a) q--;
  return q;
}
static ALWAYS_INLINE lua_Integer int_mod(lua_Integer a, lua_Integer b) {
  if (UNLIKELY(b == -1)) return 0;
  lua_Integer r = a % b;
  if (r != 0 && (r ^ b) < 0) r += b;
  return r;
}

/* Shifts by any amount; a negative amount shifts in the opposite direction. */
static ALWAYS_INLINE lua_Integer int_shl(lua_Integer a, lua_Integer by) {
  if (by >= 0) return by < 64 ? (lua_Integer)((lua_Unsigned)a << by) : 0;
  return by > -64 ? (lua_Integer)((lua_Unsigned)a >> -by) : 0;
}
static ALWAYS_INLINE lua_Integer int_shr(lua_Integer a, lua_Integer by) {
  if (by >= 0) return by < 64 ? (lua_Integer)((lua_Unsigned)a >> by) : 0;
  return by > -64 ? (lua_Integer)((lua_Unsigned)a << -by) : 0;
}

/* -- Floats ---------------------------------------------------------------- */

static ALWAYS_INLINE lua_Number float_idiv(lua_Number a, lua_Number b) {
  return floor(a / b);
}
/* fmod of the C library: the remainder has the sign of a.  The remainder of
** float_mod has the sign of b; if it is zero, that of a. */
lua_Number float_remainder(lua_Number a, lua_Number b);
lua_Number float_mod(lua_Number a, lua_Number b);
static ALWAYS_INLINE lua_Number float_pow(lua_Number a, lua_Number b) {
  return b == 2 ? a * a : pow(a, b);
}

/* True if n is a positive power of two whose inverse is one too, and neither is
** too small for a full mantissa: then multiplying by the inverse equals
** dividing. */
static inline bool float_has_inverse(lua_Number n) {
  uint64_t bits;
  memcpy(&bits, &n, sizeof bits);
  uint64_t exponent = bits >> 52;
  return bits << 12 == 0 && exponent > 0 && exponent < 2046;
}
static ALWAYS_INLINE lua_Number float_inverse(lua_Number n) {
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
static ALWAYS_INLINE bool float_fits_integer(lua_Number n) {
  return n >= -0x1p63 && n < 0x1p63;
}
static ALWAYS_INLINE bool float_to_integer(lua_Number n, lua_Integer *out) {
  if (!float_fits_integer(n)) return false; /* also false for NaN */
  lua_Integer i = (lua_Integer)n;
  *out = i;
  return (lua_Number)i == n;
}
bool float_to_integer_mode(lua_Number n, lua_Integer *out, RoundMode mode);

/* Exact comparisons between an integer and a float. */
bool int_less_float(lua_Integer i, lua_Number n);
bool int_less_equal_float(lua_Integer i, lua_Number n);
bool float_less_int(lua_Number n, lua_Integer i);
bool float_less_equal_int(lua_Number n, lua_Integer i);
static ALWAYS_INLINE bool int_equal_float(lua_Integer i, lua_Number n) {
  lua_Integer k;
  return float_to_integer(n, &k) && k == i;
}

/* Both operands are numbers: mathematical order. */
bool number_less(const Value *a, const Value *b);
bool number_less_equal(const Value *a, const Value *b);

/* -- Values to numbers ----------------------------------------------------- */

/* From numbers only. */
static ALWAYS_INLINE bool value_number_to_float(const Value *v,
                                                lua_Number *out) {
  if (v->tag == TAG_FLOAT) {
    *out = v->as.n;
    return true;
  }
  if (v->tag != TAG_INTEGER) return false;
  *out = (lua_Number)v->as.i;
  return true;
}
bool value_number_to_integer(const Value *v, lua_Integer *out, RoundMode mode);

/* From numbers, and strings that contain one. */
bool value_to_float(const Value *v, lua_Number *out);
bool value_to_integer(const Value *v, lua_Integer *out, RoundMode mode);

/* The number itself, or the one that a string contains. */
bool value_to_number(const Value *v, Value *out);

/* `op` is LUA_OPADD ...  LUA_OPBNOT; the operands are numbers.  False if an
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

/* The same for a text of more than LONG_NUMERAL characters. */
enum { LONG_NUMERAL = 1000 };
bool number_from_long_text(const char *text, size_t length, Value *out);

/* Writes the number as tostring does, with a terminating zero.  Returns the
** length. */
size_t number_to_text(const Value *v, char text[NUMBER_TEXT_SIZE]);

/* Writes the digits of n, none for 0, before `end`.  Returns where they
** begin. */
static inline char *number_digits(char *end, lua_Unsigned n, unsigned base,
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
