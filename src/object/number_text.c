/* SPDX-License-Identifier: MIT */
/*
** number_text.c -- numbers from text and to text
**
** Integers and short decimal fractions are read here.  Numbers that need more
** than 53 bits are left to the C library, whose strtod rounds correctly.
** Numbers that decimal.h cannot write are left to printf.
*/
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object/bytes.h"
#include "object/decimal.h"
#include "object/number.h"

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(int c) {
  if (c >= '0' && c <= '9') return c - '0';
  return (c | 0x20) - 'a' + 10;
}

static bool is_hex_digit(char c) {
  char low = (char)(c | 0x20);
  return is_digit(c) || (low >= 'a' && low <= 'f');
}

static const char *skip_spaces(const char *s) {
  while (is_space(*s)) s++;
  return s;
}

/* -- Integers -------------------------------------------------------------- */

static const char *read_hex(const char *s, Unsigned *out) {
  Unsigned a = 0;
  const char *start = s;
  for (; is_hex_digit(*s); s++) a = a * 16 + (Unsigned)hex_digit(*s);
  *out = a; /* wraps around, as the manual requires */
  return s == start ? NULL : s;
}

/* NULL also if the number is too large: it is a float then. */
static const char *read_decimal(const char *s, bool negative, Unsigned *out) {
  const Unsigned limit = (Unsigned)INTEGER_MAX + negative;
  Unsigned a = 0;
  const char *start = s;
  for (; is_digit(*s); s++) {
    Unsigned d = (Unsigned)(*s - '0');
    if (a > (limit - d) / 10) return NULL;
    a = a * 10 + d;
  }
  *out = a;
  return s == start ? NULL : s;
}

static const char *read_integer(const char *s, Integer *out) {
  Unsigned a;
  s = skip_spaces(s);
  bool negative = *s == '-';
  if (*s == '-' || *s == '+') s++;
  bool hex = s[0] == '0' && (s[1] | 0x20) == 'x';
  s = hex ? read_hex(s + 2, &a) : read_decimal(s, negative, &a);
  if (!s) return NULL;
  *out = negative ? int_neg((Integer)a) : (Integer)a;
  return skip_spaces(s);
}

/* -- Floats ---------------------------------------------------------------- */

/* Digits, at most one dot, and an exponent from -22 to 22: such a number is one
** division or multiplication of exact floats (Clinger 1990). */
static const char *read_short_float(const char *s, Number *out) {
  static const Number power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  uint64_t mantissa = 0;
  int fraction = 0, digits = 0;
  bool negative = *s == '-', dot = false;
  if (*s == '-' || *s == '+') s++;
  for (; is_digit(*s) || (*s == '.' && !dot); s++) {
    if (*s == '.') {
      dot = true;
      continue;
    }
    if (++digits > 15) return NULL;
    mantissa = mantissa * 10 + (uint64_t)(*s - '0');
    fraction += dot;
  }
  if (digits == 0 || (*s | 0x20) == 'e' || *s == 'x' || *s == 'X') return NULL;
  Number n = (Number)mantissa / power[fraction];
  *out = negative ? -n : n;
  return skip_spaces(s);
}

static const char *read_with_strtod(const char *s, Number *out) {
  char *end;
  *out = strtod(s, &end);
  return end == s ? NULL : skip_spaces(end);
}

/* The C library expects the decimal point of the locale; programs write a
** dot. */
static const char *read_with_locale(const char *s, Number *out) {
  enum { MAX_TEXT = 200 };
  char text[MAX_TEXT + 1];
  const char *dot = strchr(s, '.');
  size_t length = strlen(s);
  if (!dot || length > MAX_TEXT) return NULL;
  memcpy(text, s, length + 1);
  text[dot - s] = localeconv()->decimal_point[0];
  const char *end = read_with_strtod(text, out);
  return end ? s + (end - text) : NULL;
}

static const char *read_float(const char *s, Number *out) {
  s = skip_spaces(s);
  const char *end = read_short_float(s, out);
  if (end && *end == '\0') return end;
  if (strpbrk(s, "nN")) return NULL; /* rejects "nan" and "inf" */
  end = read_with_strtod(s, out);
  if (end && *end == '\0') return end;
  return read_with_locale(s, out);
}

bool number_from_text(const char *text, size_t length, Value *out) {
  if (UNLIKELY(length > LONG_NUMERAL))
    return number_from_long_text(text, length, out);
  Integer i;
  Number n;
  const char *end = read_integer(text, &i);
  if (end && end == text + length) {
    value_set_integer(out, i);
    return true;
  }
  end = read_float(text, &n);
  if (!end || end != text + length) return false;
  value_set_float(out, n);
  return true;
}

/* -- To text --------------------------------------------------------------- */

static size_t write_integer(Integer i, char *text) {
  char digits[24];
  char *end = digits + sizeof digits;
  char *first = decimal_digits(end, i < 0 ? 0u - (Unsigned)i : (Unsigned)i);
  if (i == 0) *--first = '0';
  if (i < 0) *--first = '-';
  bytes_copy(text, first, (size_t)(end - first));
  return (size_t)(end - first);
}

/* Appends the decimal point and a zero: a float never looks like an integer. */
static size_t write_point(char *text, size_t length) {
  text[length++] = localeconv()->decimal_point[0];
  text[length++] = '0';
  return length;
}

static bool has_only_digits(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (!is_digit(text[i]) && text[i] != '-') return false;
  return true;
}

static size_t write_float(Number n, char *text) {
  enum { FLOAT_DIGITS = 14 }; /* as in NUMBER_FORMAT */
  const Number limit = 1e14;  /* %.14g shows all digits below this */
  if (n > -limit && n < limit && n == (Number)(Integer)n &&
      (n != 0 || !signbit(n)))
    return write_point(text, write_integer((Integer)n, text));
  size_t length = decimal_write(text, n, 'g', FLOAT_DIGITS);
  if (length == 0)
    length = (size_t)snprintf(text, NUMBER_TEXT_SIZE, NUMBER_FORMAT, n);
  return has_only_digits(text, length) ? write_point(text, length) : length;
}

size_t number_to_text(const Value *v, char text[NUMBER_TEXT_SIZE]) {
  size_t length = v->tag == TAG_INTEGER ? write_integer(v->as.i, text)
                                        : write_float(v->as.n, text);
  text[length] = '\0';
  return length;
}

/* -- UTF-8 ----------------------------------------------------------------- */

size_t utf8_encode(uint32_t code, char buffer[UTF8_MAX_BYTES]) {
  size_t count = 1;
  if (code < 0x80) {
    buffer[UTF8_MAX_BYTES - 1] = (char)code;
    return count;
  }
  uint32_t first_limit = 0x3f; /* largest value of the first byte */
  do {
    buffer[UTF8_MAX_BYTES - count++] = (char)(0x80 | (code & 0x3f));
    code >>= 6;
    first_limit >>= 1;
  } while (code > first_limit);
  buffer[UTF8_MAX_BYTES - count] = (char)((~first_limit << 1) | code);
  return count;
}
