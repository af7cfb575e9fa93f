/* SPDX-License-Identifier: MIT */
/*
** number_long.c -- numbers from long texts
**
** A script can write a number with millions of digits.  They are passed in
** blocks, which takes a fifth of the time that the C library takes.  Only the
** first digits are converted, and one more that tells whether others follow: no
** float is told apart from its neighbors by more than 767 digits.
*/
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "object/number.h"

enum {
  NUMERAL_BLOCK = 8,        /* characters that are checked together */
  NUMERAL_KEPT = 800,       /* digits that are converted */
  NUMERAL_EXPONENT = 100000 /* with so few digits, more is infinity or zero */
};

/* The text that is left, and its number as far as it was read. */
typedef struct Numeral {
  const char *s, *end;
  bool negative, hex;
  char kept[NUMERAL_KEPT + 1]; /* digits, without zeros in front */
  size_t count;
  int64_t exponent; /* of the base, for `kept` as an integer */
  bool has_digits, has_more;
} Numeral;

/* -- Eight characters at once ---------------------------------------------- */

/* A test gives a word of eight characters the highest bit of each that passes. */
typedef uint64_t WordTest(uint64_t word);

static const uint64_t each_byte = UINT64_C(0x0101010101010101);
static const uint64_t high_bits = UINT64_C(0x8080808080808080);

/* Bytes from 128 on are in no range. */
static ALWAYS_INLINE uint64_t in_range(uint64_t word, unsigned first,
                                       unsigned last) {
  const uint64_t low = word & ~high_bits;
  const uint64_t reaches = low + each_byte * (0x80 - first);
  const uint64_t exceeds = low + each_byte * (0x7F - last);
  return reaches & ~exceeds & ~word & high_bits;
}

static ALWAYS_INLINE uint64_t test_blank(uint64_t word) {
  return in_range(word, ' ', ' ') | in_range(word, '\t', '\r');
}
static ALWAYS_INLINE uint64_t test_zero(uint64_t word) {
  return in_range(word, '0', '0');
}
static ALWAYS_INLINE uint64_t test_decimal(uint64_t word) {
  return in_range(word, '0', '9');
}
static ALWAYS_INLINE uint64_t test_hex(uint64_t word) {
  return in_range(word, '0', '9') | in_range(word | each_byte * 0x20, 'a', 'f');
}

/* Passes all characters for which the test is true. */
static ALWAYS_INLINE const char *pass_chars(const char *s, const char *end,
                                            WordTest *test) {
  for (uint64_t word; end - s >= NUMERAL_BLOCK; s += NUMERAL_BLOCK) {
    memcpy(&word, s, NUMERAL_BLOCK);
    if (test(word) != high_bits) break;
  }
  while (s < end && test((unsigned char)*s * each_byte) == high_bits) s++;
  return s;
}

static const char *pass_spaces(const char *s, const char *end) {
  return pass_chars(s, end, test_blank);
}
static const char *pass_zeros(const char *s, const char *end) {
  return pass_chars(s, end, test_zero);
}
static const char *pass_digits(const char *s, const char *end, bool hex) {
  return hex ? pass_chars(s, end, test_hex) : pass_chars(s, end, test_decimal);
}

static const char *before_spaces(const char *s, const char *end) {
  while (end - s >= NUMERAL_BLOCK &&
         pass_spaces(end - NUMERAL_BLOCK, end) == end)
    end -= NUMERAL_BLOCK;
  while (end > s && pass_spaces(end - 1, end) == end) end--;
  return end;
}

/* -- Parts of a number ----------------------------------------------------- */

static void read_beginning(Numeral *n) {
  n->s = pass_spaces(n->s, n->end);
  n->end = before_spaces(n->s, n->end);
  n->negative = n->s < n->end && *n->s == '-';
  if (n->s < n->end && (*n->s == '-' || *n->s == '+')) n->s++;
  n->hex = n->end - n->s > 2 && n->s[0] == '0' && (n->s[1] | 0x20) == 'x';
  if (n->hex) n->s += 2;
}

/* Keeps the first digits from s to end.  Others count in the exponent. */
static void keep_digits(Numeral *n, const char *s, const char *end,
                        bool fraction) {
  n->has_digits |= s < end;
  if (n->count == 0) {
    const char *first = pass_zeros(s, end);
    if (fraction) n->exponent -= first - s;
    s = first;
  }
  size_t size = (size_t)(end - s), left = NUMERAL_KEPT - n->count;
  if (size > left) size = left;
  memcpy(n->kept + n->count, s, size);
  n->count += size;
  if (fraction) n->exponent -= (int64_t)size;
  s += size;
  if (!fraction) n->exponent += end - s;
  n->has_more |= pass_zeros(s, end) != end;
}

/* The exponent behind the digits, in powers of the base or, for a hexadecimal
** number, of two.  False if there is something else. */
static bool read_exponent(Numeral *n, int64_t *out) {
  *out = 0;
  if (n->s == n->end) return true;
  if ((*n->s | 0x20) != (n->hex ? 'p' : 'e')) return false;
  bool negative = n->end - n->s > 1 && n->s[1] == '-';
  n->s += n->end - n->s > 1 && (n->s[1] == '-' || n->s[1] == '+') ? 2 : 1;
  const char *last = pass_digits(n->s, n->end, false);
  if (last == n->s || last != n->end) return false;
  int64_t e = 0;
  for (const char *p = pass_zeros(n->s, last); p < last; p++) {
    e = e * 10 + (*p - '0');
    if (e > INT32_MAX) break;
  }
  *out = negative ? -e : e;
  return true;
}

/* -- Numbers --------------------------------------------------------------- */

/* Reads a short text with the sign of the number, those digits and that
** exponent. */
static bool read_short(const Numeral *n, const char *digits, size_t count,
                       const char *exponent, Value *out) {
  char text[NUMERAL_KEPT + 64];
  static_assert(sizeof text < LONG_NUMERAL, "it would be read here again");
  int size = snprintf(text, sizeof text, "%s%s0%.*s%s", n->negative ? "-" : "",
                      n->hex ? "0x" : "", (int)count, digits, exponent);
  return number_from_text(text, (size_t)size, out);
}

/* All digits from n->s on, without a point.  False if it is a float. */
static bool long_integer(const Numeral *n, Value *out) {
  enum { HEX_DIGITS = 16, DECIMAL_DIGITS = 19 };
  const char *s = pass_zeros(n->s, n->end);
  if (n->hex && n->end - s > HEX_DIGITS) /* wraps around */
    s = n->end - HEX_DIGITS;
  return n->end - s <= DECIMAL_DIGITS &&
         read_short(n, s, (size_t)(n->end - s), "", out);
}

static bool long_float(Numeral *n, int64_t exponent, Value *out) {
  enum { DIGIT_BITS = 4 };
  char power[24];
  if (n->has_more) {
    n->kept[n->count++] = '1';
    n->exponent--;
  }
  exponent += n->hex ? n->exponent * DIGIT_BITS : n->exponent;
  if (exponent > NUMERAL_EXPONENT) exponent = NUMERAL_EXPONENT;
  if (exponent < -NUMERAL_EXPONENT) exponent = -NUMERAL_EXPONENT;
  snprintf(power, sizeof power, "%c%ld", n->hex ? 'p' : 'e', (long)exponent);
  return read_short(n, n->kept, n->count, power, out);
}

bool number_from_long_text(const char *text, size_t length, Value *out) {
  Numeral n = {.s = text, .end = text + length};
  int64_t exponent;
  read_beginning(&n);
  const char *whole = pass_digits(n.s, n.end, n.hex), *begin = n.s;
  if (whole == n.end && whole > begin && long_integer(&n, out)) return true;
  keep_digits(&n, begin, whole, false);
  n.s = whole;
  if (n.s < n.end && (*n.s == '.' || *n.s == *localeconv()->decimal_point)) {
    const char *last = pass_digits(n.s + 1, n.end, n.hex);
    keep_digits(&n, n.s + 1, last, true);
    n.s = last;
  }
  return n.has_digits && read_exponent(&n, &exponent) &&
         long_float(&n, exponent, out);
}
