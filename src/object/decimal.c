/* SPDX-License-Identifier: MIT */
/*
** decimal.c -- floats as decimal text, as printf writes them
*/
#include "object/decimal.h"

#include <locale.h>
#include <string.h>

#include "base/check.h"

char *decimal_digits(char *end, uint64_t n) {
  static const char pairs[] =
      "00010203040506070809101112131415161718192021222324"
      "25262728293031323334353637383940414243444546474849"
      "50515253545556575859606162636465666768697071727374"
      "75767778798081828384858687888990919293949596979899";
  for (; n >= 10; n /= 100) {
    end -= 2;
    memcpy(end, &pairs[n % 100 * 2], 2);
  }
  if (n > 0) *--end = (char)('0' + n);
  return end;
}

#if defined(__SIZEOF_INT128__)

__extension__ typedef unsigned __int128 Wide;

enum {
  POWER_MAX = 19, /* 10^19 fits 64 bits */
  SCALE_MAX = 22, /* 10^22 times any mantissa fits Wide */
  PLACES_MAX = 17
};

static const uint64_t power_of_ten[POWER_MAX + 1] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000)};

/* A positive float: mantissa * 2^exponent. */
typedef struct Parts {
  uint64_t mantissa;
  int exponent;
} Parts;

/* False for zero, infinities, NaN, and subnormal numbers. */
static bool parts_of(Number n, Parts *parts) {
  enum { MANTISSA_BITS = 52, EXPONENT_MASK = 0x7ff, BIAS = 1075 };
  uint64_t bits;
  static_assert(sizeof n == sizeof bits, "a float has 64 bits");
  memcpy(&bits, &n, sizeof bits);
  int exponent = (int)(bits >> MANTISSA_BITS & EXPONENT_MASK);
  if (exponent == 0 || exponent == EXPONENT_MASK) return false;
  const uint64_t hidden = UINT64_C(1) << MANTISSA_BITS;
  parts->mantissa = (bits & (hidden - 1)) | hidden;
  parts->exponent = exponent - BIAS;
  return true;
}

/* n / 2^shift, rounded to the nearest; a tie is rounded to even.  An odd `odd`
** flips the parity of the quotient. */
static Wide round_shift(Wide n, int shift, unsigned odd) {
  if (shift >= 128) return 0; /* n is less than 2^127 */
  if (shift == 0) return n;
  Wide quotient = n >> shift;
  Wide rest = n - (quotient << shift), half = (Wide)1 << (shift - 1);
  if (rest > half || (rest == half && ((unsigned)quotient ^ odd) & 1))
    quotient++;
  return quotient;
}

static Wide round_divide(Wide n, Wide by) {
  Wide quotient = n / by;
  Wide rest = n - quotient * by;
  if (rest > by - rest || (rest == by - rest && (quotient & 1))) quotient++;
  return quotient;
}

/* -- %f -------------------------------------------------------------------- */

/* The whole part and `places` decimals of a number below 2^63. */
static bool split_fixed(Parts x, int places, uint64_t *whole,
                        uint64_t *fraction) {
  int below = -x.exponent; /* bits after the point */
  *fraction = 0;
  if (below <= 0) {
    if (below < -10) return false;
    *whole = x.mantissa << -below;
    return true;
  }
  *whole = below < 64 ? x.mantissa >> below : 0;
  uint64_t rest = x.mantissa - (below < 64 ? *whole << below : 0);
  Wide scaled = (Wide)rest * power_of_ten[places];
  unsigned odd = places == 0 ? (unsigned)*whole & 1 : 0;
  *fraction = (uint64_t)round_shift(scaled, below, odd);
  if (*fraction == power_of_ten[places]) {
    *fraction = 0;
    ++*whole;
  }
  return true;
}

/* Writes `count` digits, with leading zeros. */
static char *write_padded(char *text, uint64_t n, int count) {
  char *end = text + count;
  char *first = decimal_digits(end, n);
  memset(text, '0', (size_t)(first - text));
  return end;
}

static char *write_whole(char *text, uint64_t n) {
  char digits[POWER_MAX + 1];
  char *end = digits + sizeof digits;
  char *first = decimal_digits(end, n);
  if (first == end) *--first = '0';
  memcpy(text, first, (size_t)(end - first));
  return text + (end - first);
}

static char *write_fixed(char *text, Parts x, int places, char point) {
  uint64_t whole, fraction;
  if (!split_fixed(x, places, &whole, &fraction)) return NULL;
  text = write_whole(text, whole);
  if (places == 0) return text;
  *text++ = point;
  return write_padded(text, fraction, places);
}

/* -- %e and %g ------------------------------------------------------------- */

/* Computes x * 10^scale, rounded to an integer.  False if that is not possible
** exactly. */
static bool scale_rounded(Parts x, int scale, Wide *out) {
  if (scale >= 0) {
    if (scale > SCALE_MAX || x.exponent > 10) return false;
    int more = scale > POWER_MAX ? scale - POWER_MAX : 0;
    Wide n = (Wide)x.mantissa * power_of_ten[scale - more];
    n *= power_of_ten[more];
    *out = x.exponent >= 0 ? n << x.exponent : round_shift(n, -x.exponent, 0);
    return true;
  }
  if (scale < -POWER_MAX || x.exponent > 74 || x.exponent < -63) return false;
  Wide by = power_of_ten[-scale];
  if (x.exponent >= 0)
    *out = round_divide((Wide)x.mantissa << x.exponent, by);
  else
    *out = round_divide(x.mantissa, by << -x.exponent);
  return true;
}

/* Computes `count` significant digits, and the power of ten of the first one.
** The power is estimated from the power of two, and may be one too small.  It
** is too large only for some numbers below 10^-200, whose scale is out of
** range. */
static bool split_scientific(Parts x, int count, uint64_t *digits,
                             int *exponent) {
  int guess = (x.exponent + 52) * 1233 >> 12; /* log10(2) */
  for (;; guess++) {
    Wide n;
    if (!scale_rounded(x, count - 1 - guess, &n)) return false;
    ASSERT(n >= power_of_ten[count - 1], "2^%d", x.exponent + 52);
    if (n < power_of_ten[count]) {
      *digits = (uint64_t)n;
      *exponent = guess;
      return true;
    }
  }
}

static char *write_exponent(char *text, int exponent) {
  *text++ = 'e';
  *text++ = exponent < 0 ? '-' : '+';
  return write_padded(text, (uint64_t)(exponent < 0 ? -exponent : exponent), 2);
}

/* Writes one digit, the point and the other digits if any, and the exponent. */
static char *write_scientific(char *text, uint64_t digits, int count,
                              int exponent, char point) {
  char *end = write_padded(text + 1, digits, count);
  text[0] = text[1];
  text[1] = point;
  return write_exponent(count == 1 ? text + 1 : end, exponent);
}

/* Removes zeros at the end. */
static uint64_t strip_zeros(uint64_t digits, int *count) {
  for (int step = 8; step > 0; step /= 2) {
    while (*count > step && digits % power_of_ten[step] == 0) {
      digits /= power_of_ten[step];
      *count -= step;
    }
  }
  return digits;
}

/* Writes the form that %g uses for small exponents. */
static char *write_plain(char *text, uint64_t digits, int count, int exponent,
                         char point) {
  if (exponent < 0) {
    *text++ = '0';
    *text++ = point;
    memset(text, '0', (size_t)(-exponent - 1));
    return write_padded(text - exponent - 1, digits, count);
  }
  int whole = exponent + 1; /* digits before the point */
  if (count <= whole) {
    text = write_padded(text, digits, count);
    memset(text, '0', (size_t)(whole - count));
    return text + (whole - count);
  }
  char *end = write_padded(text + 1, digits, count);
  memmove(text, text + 1, (size_t)whole);
  text[whole] = point;
  return end;
}

static char *write_shorter(char *text, Parts x, int precision, char point) {
  uint64_t digits;
  int exponent, count = precision ? precision : 1;
  if (!split_scientific(x, count, &digits, &exponent)) return NULL;
  bool plain = exponent >= -4 && exponent < count;
  digits = strip_zeros(digits, &count);
  return plain ? write_plain(text, digits, count, exponent, point)
               : write_scientific(text, digits, count, exponent, point);
}

static char *write_long(char *text, Parts x, int precision, char point) {
  uint64_t digits;
  int exponent;
  if (!split_scientific(x, precision + 1, &digits, &exponent)) return NULL;
  return write_scientific(text, digits, precision + 1, exponent, point);
}

size_t decimal_write(char *text, Number n, char letter, int precision) {
  Parts x;
  const char *point = localeconv()->decimal_point;
  if (precision > PLACES_MAX || !parts_of(n, &x) || point[1]) return 0;
  char *end = text;
  if (n < 0) *end++ = '-';
  switch (letter) {
    case 'f': end = write_fixed(end, x, precision, *point); break;
    case 'e': end = write_long(end, x, precision, *point); break;
    case 'g': end = write_shorter(end, x, precision, *point); break;
    default: return 0;
  }
  return end ? (size_t)(end - text) : 0;
}

#else

size_t decimal_write(char *text, Number n, char letter, int precision) {
  (void)text;
  (void)n;
  (void)letter;
  (void)precision;
  return 0;
}

#endif
