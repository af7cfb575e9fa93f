/* SPDX-License-Identifier: MIT */
/*
** decimal.c -- floats as text, compared with the output of printf
*/
#include "object_test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "object/decimal.h"

static uint64_t bits_state = UINT64_C(88172645463325252);

static uint64_t next_bits(void) {
  bits_state ^= bits_state << 13;
  bits_state ^= bits_state >> 7;
  bits_state ^= bits_state << 17;
  return bits_state;
}

static lua_Number float_below(uint64_t n) {
  return (lua_Number)(next_bits() % n);
}

/* Random floats of all magnitudes, and floats that programs often print. */
static lua_Number random_float(void) {
  lua_Number n;
  uint64_t bits;
  switch (next_bits() % 6) {
    case 0:
      bits = next_bits();
      memcpy(&n, &bits, sizeof n);
      return n;
    case 1: return float_below(2000000) / (1 + float_below(1000));
    case 2: return float_below(100000000) / 100;
    case 3: return float_below(100000) * 0.5 + float_below(8) * 0.125;
    case 4: return ldexp((lua_Number)next_bits(), -(int)(next_bits() % 140));
    default: return -pow(10, float_below(40) - 15);
  }
}

/* True if decimal_write produced a text.  The text must be that of printf.
** It may return 0 for any number, but not for most. */
static bool check(lua_Number n, char letter, int precision) {
  char format[16], expected[512], text[DECIMAL_TEXT_SIZE];
  size_t length = decimal_write(text, n, letter, precision);
  if (length == 0) return false;
  snprintf(format, sizeof format, "%%.%d%c", precision, letter);
  snprintf(expected, sizeof expected, format, n);
  if (strlen(expected) != length || memcmp(expected, text, length) != 0)
    fail_msg("%s of %a: %s, not %.*s", format, n, expected, (int)length, text);
  return true;
}

static void test_random(void **unused) {
  enum { ROUNDS = 300000 };
  int done = 0;
  (void)unused;
  for (int i = 0; i < ROUNDS; i++)
    done +=
        check(random_float(), "feg"[next_bits() % 3], (int)(next_bits() % 18));
  if (done < ROUNDS / 2) fail_msg("only %d of %d", done, ROUNDS);
}

/* Ties, and a carry into a further digit. */
static void test_rounding(void **unused) {
  static const lua_Number numbers[] = {0.5,
                                       1.5,
                                       2.5,
                                       0.125,
                                       0.375,
                                       2.675,
                                       9.5,
                                       99.5,
                                       9.9999999999999,
                                       0.95,
                                       999999.5,
                                       1e15,
                                       1e16,
                                       123456789012345678.0,
                                       4503599627370496.5,
                                       1e22,
                                       0.0001,
                                       0.00001234,
                                       0.1,
                                       1.0 / 3,
                                       5e-5,
                                       1e-9};
  (void)unused;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    for (int precision = 0; precision <= 17; precision++)
      for (const char *letter = "feg"; *letter; letter++) {
        check(numbers[i], *letter, precision);
        check(-numbers[i], *letter, precision);
      }
  assert_true(check(2.5, 'f', 0));
  assert_true(check(0.1, 'g', 14));
  assert_true(check(9.5, 'e', 0));
}

/* Numbers that decimal_write leaves to printf. */
static void test_others(void **unused) {
  char text[DECIMAL_TEXT_SIZE];
  (void)unused;
  assert_int_equal(decimal_write(text, 0.0, 'g', 14), 0);
  assert_int_equal(decimal_write(text, (lua_Number)INFINITY, 'g', 14), 0);
  assert_int_equal(decimal_write(text, (lua_Number)NAN, 'f', 2), 0);
  assert_int_equal(decimal_write(text, DBL_MIN / 4, 'e', 2), 0);
  assert_int_equal(decimal_write(text, 1e300, 'f', 2), 0);
  assert_int_equal(decimal_write(text, 1.5, 'a', 2), 0);
  assert_int_equal(decimal_write(text, 1.5, 'f', 18), 0);
}

static void test_digits(void **unused) {
  char room[24];
  char *end = room + sizeof room - 1;
  static const char *const expected[] = {"1",   "10",  "99",
                                         "100", "107", "18446744073709551615"};
  static const uint64_t numbers[] = {1, 10, 99, 100, 107, UINT64_MAX};
  (void)unused;
  *end = '\0';
  for (size_t i = 0; i < 6; i++)
    assert_string_equal(decimal_digits(end, numbers[i]), expected[i]);
  assert_ptr_equal(decimal_digits(end, 0), end);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random), cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_others), cmocka_unit_test(test_digits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
