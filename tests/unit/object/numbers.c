/* SPDX-License-Identifier: MIT */
/*
** numbers.c -- arithmetic and conversions at their limits
*/
#include "object_test.h"

#include <float.h>
#include <math.h>

#include "object/number.h"

/* -- Text to number -------------------------------------------------------- */

static void expect_integer(const char *text, lua_Integer expected) {
  Value v;
  if (!number_from_text(text, strlen(text), &v)) fail_msg("'%s'", text);
  assert_int_equal(v.tag, TAG_INTEGER);
  assert_int_equal(v.as.i, expected);
}

static void expect_float(const char *text, lua_Number expected) {
  Value v;
  if (!number_from_text(text, strlen(text), &v)) fail_msg("'%s'", text);
  assert_int_equal(v.tag, TAG_FLOAT);
  if (v.as.n != expected) fail_msg("'%s' is %.17g", text, v.as.n);
}

static void expect_none(const char *text) {
  Value v;
  if (number_from_text(text, strlen(text), &v)) fail_msg("'%s'", text);
}

static void test_integers_from_text(void **unused) {
  (void)unused;
  expect_integer("0", 0);
  expect_integer("  -12\t\n", -12);
  expect_integer("+7", 7);
  expect_integer("0x10", 16);
  expect_integer("-0XfF", -255);
  expect_integer("9223372036854775807", LUA_MAXINTEGER);
  expect_integer("-9223372036854775808", LUA_MININTEGER);
  expect_integer("0xffffffffffffffff", -1);
  expect_integer("0x1ffffffffffffffff", -1); /* wraps around */
  expect_integer("00012", 12);
}

static void test_floats_from_text(void **unused) {
  (void)unused;
  expect_float("9223372036854775808", 0x1p63);
  expect_float("-9223372036854775809", -0x1p63);
  expect_float("1.", 1);
  expect_float(".5", 0.5);
  expect_float("-.5e1", -5);
  expect_float("1e2", 100);
  expect_float("1E+2", 100);
  expect_float("0.1", 0.1);
  expect_float("3.14159265358979", 3.14159265358979);
  expect_float("123456789012345.6", 123456789012345.6);
  expect_float("1e308", 1e308);
  expect_float("1e999", HUGE_VAL);
  expect_float("2.2250738585072014e-308", DBL_MIN);
  expect_float("4.9406564584124654e-324", 0x1p-1074);
  expect_float("0x1p4", 16);
  expect_float("0x.8", 0.5);
  expect_float("0xA.8p1", 21);
  expect_float("-0x1P-1", -0.5);
  expect_float(" 1.5 ", 1.5);
}

static void test_what_is_no_number(void **unused) {
  (void)unused;
  static const char *const texts[] = {
      "",     " ",     "a",   "1a",  "1 2",      "0x",   "0xg",  "1e",  "1e+",
      ".",    "e1",    "--1", "+-1", "- 1",      "nan",  "inf",  "0x.", "0xp1",
      "1..2", "1.2.3", "INF", "NaN", "infinity", "0x1p", "1e1.5"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    expect_none(texts[i]);
  Value v;
  assert_false(number_from_text("1\0", 2, &v));
  assert_false(number_from_text("1.5\0", 4, &v));
}

/* -- Number to text -------------------------------------------------------- */

static void expect_text(Value v, const char *expected) {
  char text[NUMBER_TEXT_SIZE];
  size_t length = number_to_text(&v, text);
  assert_string_equal(text, expected);
  assert_int_equal(length, strlen(expected));
}

static void test_numbers_to_text(void **unused) {
  (void)unused;
  expect_text(make_integer(0), "0");
  expect_text(make_integer(-1), "-1");
  expect_text(make_integer(LUA_MAXINTEGER), "9223372036854775807");
  expect_text(make_integer(LUA_MININTEGER), "-9223372036854775808");
  expect_text(make_float(0.0), "0.0");
  expect_text(make_float(-0.0), "-0.0");
  expect_text(make_float(1), "1.0");
  expect_text(make_float(-1e13), "-10000000000000.0");
  expect_text(make_float(99999999999999.0), "99999999999999.0");
  expect_text(make_float(1e14), "1e+14");
  expect_text(make_float(0.1), "0.1");
  expect_text(make_float(1.0 / 3), "0.33333333333333");
  expect_text(make_float(3.14159265358979), "3.1415926535898");
  expect_text(make_float(1e100), "1e+100");
  expect_text(make_float(HUGE_VAL), "inf");
  expect_text(make_float(-HUGE_VAL), "-inf");
  expect_text(make_float(DBL_MAX), "1.7976931348623e+308");
}

/* An integer written as text reads back as the same integer. */
static void test_text_of_integers_is_exact(void **unused) {
  (void)unused;
  TestRandom random = {object_test_seed()};
  for (int i = 0; i < 20000; i++) {
    char text[NUMBER_TEXT_SIZE];
    Value v = make_integer(
        (lua_Integer)(random_next(&random) >> random_below(&random, 64)));
    number_to_text(&v, text);
    expect_integer(text, v.as.i);
  }
}

/* The fast path of the conversion gives the result of the C library. */
static void test_short_floats_are_exact(void **unused) {
  (void)unused;
  TestRandom random = {object_test_seed()};
  for (int i = 0; i < 50000; i++) {
    char text[64];
    unsigned long long digits = random_next(&random) % 1000000000000000ull;
    int length = snprintf(text, sizeof text, "%llu", digits);
    int point = (int)random_below(&random, (size_t)length + 1);
    memmove(text + point + 1, text + point, (size_t)(length - point) + 1);
    text[point] = '.';
    expect_float(text, strtod(text, NULL));
  }
}

/* -- Long texts ------------------------------------------------------------ */

static bool same(const Value *a, const Value *b) {
  return a->tag == b->tag && a->as.bits == b->as.bits;
}

/* What is written for long texts reads short ones like the rest does: numbers,
** and what is nearly a number. */
static void test_long_is_like_short(void **unused) {
  (void)unused;
  static const char letters[] = "0001234567899.eEpPxX+- \tafANn,/:";
  TestRandom random = {object_test_seed()};
  int numbers = 0;
  for (int i = 0; i < 300000; i++) {
    char text[48] = "";
    size_t length = random_below(&random, 40);
    size_t begin = random_below(&random, 2) == 0 ? 2 : 0;
    if (begin > 0) memcpy(text, "0x", 2);
    size_t kinds = random_below(&random, 3) == 0 ? sizeof letters - 1 : 14;
    for (size_t k = begin; k < length + begin; k++)
      text[k] = letters[random_below(&random, kinds)];
    Value a = {0}, b = {0};
    bool found = number_from_text(text, length + begin, &a);
    if (number_from_long_text(text, length + begin, &b) != found)
      fail_msg("'%s': %d", text, found);
    if (found && !same(&a, &b)) fail_msg("'%s'", text);
    numbers += found;
  }
  assert_true(numbers > 10000);
}

static size_t add_digits(TestRandom *random, char *text, size_t n, bool hex) {
  bool zeros = random_below(random, 3) == 0;
  for (size_t k = 0; k < n; k++)
    text[k] =
        zeros ? '0' : "0123456789abcdef"[random_below(random, hex ? 16 : 10)];
  return n;
}

/* Long floats are those of the C library. */
static void test_long_floats_are_exact(void **unused) {
  (void)unused;
  enum { MOST = 3000 };
  TestRandom random = {object_test_seed()};
  for (int i = 0; i < 5000; i++) {
    char text[4 * MOST + 100];
    bool hex = random_below(&random, 4) == 0;
    size_t n = (size_t)sprintf(text, hex ? "0x" : "");
    size_t whole = random_below(&random, MOST),
           zeros = random_below(&random, MOST);
    n += add_digits(&random, text + n, whole, hex);
    text[n++] = '.';
    n += add_digits(&random, text + n, zeros, hex);
    n += add_digits(&random, text + n, 1 + random_below(&random, MOST), hex);
    int shift =
        (hex ? 4 : 1) * (random_below(&random, 2) ? (int)zeros : -(int)whole);
    n += (size_t)sprintf(text + n, "%c%d", hex ? 'p' : 'e',
                         shift + (int)random_below(&random, 700) - 350);
    Value v;
    if (!number_from_long_text(text, n, &v)) fail_msg("%s", text);
    lua_Number expected = strtod(text, NULL);
    if (v.tag != TAG_FLOAT || memcmp(&v.as.n, &expected, sizeof expected) != 0)
      fail_msg("%.17g instead of %.17g: %s", v.as.n, expected, text);
  }
}

/* Halfway between two floats, and one digit more behind 2000 zeros. */
static void test_long_ties(void **unused) {
  (void)unused;
  char text[2100] = "9007199254740993.";
  memset(text + 17, '0', 2000);
  Value v;
  assert_true(number_from_text(text, 2017, &v));
  assert_true(v.as.n == 9007199254740992.0);
  text[2016] = '1';
  assert_true(number_from_text(text, 2017, &v));
  assert_true(v.as.n == 9007199254740994.0);
}

/* -- Arithmetic ------------------------------------------------------------ */

static void test_integer_division(void **unused) {
  (void)unused;
  for (lua_Integer a = -20; a <= 20; a++) {
    for (lua_Integer b = -7; b <= 7; b++) {
      if (b == 0) continue;
      lua_Integer q = int_idiv(a, b), r = int_mod(a, b);
      assert_int_equal(q, (lua_Integer)floor((double)a / (double)b));
      assert_int_equal(q * b + r, a);
      assert_true(r == 0 || (r < 0) == (b < 0));
    }
  }
  assert_int_equal(int_idiv(LUA_MININTEGER, -1), LUA_MININTEGER);
  assert_int_equal(int_mod(LUA_MININTEGER, -1), 0);
}

static void test_shifts(void **unused) {
  (void)unused;
  assert_int_equal(int_shl(1, 63), LUA_MININTEGER);
  assert_int_equal(int_shl(1, 64), 0);
  assert_int_equal(int_shl(-1, -63), 1);
  assert_int_equal(int_shl(-1, -64), 0);
  assert_int_equal(int_shl(-1, LUA_MININTEGER), 0);
  assert_int_equal(int_shr(-1, 63), 1);
  assert_int_equal(int_shr(1, -3), 8);
  assert_int_equal(int_shr(1, LUA_MAXINTEGER), 0);
}

static void test_float_remainder(void **unused) {
  (void)unused;
  assert_true(float_mod(5.5, 2) == 1.5);
  assert_true(float_mod(-5.5, 2) == 0.5);
  assert_true(float_mod(5.5, -2) == -0.5);
  assert_true(float_mod(-1, HUGE_VAL) == HUGE_VAL);
  assert_true(float_mod(1, HUGE_VAL) == 1);
  assert_true(float_mod(1, -HUGE_VAL) == -HUGE_VAL);
  assert_true(isnan(float_mod(1, 0)));
  assert_true(signbit(float_mod(-6, 2)));
}

/* A float with random bits: near 1, or with any exponent, or an integer. */
static lua_Number random_float(TestRandom *random) {
  uint64_t bits = random_next(random);
  lua_Number n;
  if (random_below(random, 4) == 0)
    return (lua_Number)(int64_t)(bits >> random_below(random, 64));
  if (random_below(random, 4) > 0)
    bits = (bits & ~(UINT64_C(0x7ff) << 52)) |
           (uint64_t)(990 + random_below(random, 70)) << 52;
  if (random_below(random, 4) == 0) bits &= ~UINT64_C(0) << 40;
  memcpy(&n, &bits, sizeof n);
  return n;
}

static void expect_remainder(lua_Number a, lua_Number b) {
  lua_Number r = float_remainder(a, b), expected = fmod(a, b);
  if (isnan(r) && isnan(expected)) return;
  if (memcmp(&r, &expected, sizeof r) != 0)
    fail_msg("%a %% %a is %a instead of %a", a, b, r, expected);
}

static void test_remainder_is_exact(void **unused) {
  (void)unused;
  TestRandom random = {object_test_seed()};
  static const lua_Number special[] = {
      0,   -0.0,     1,      DBL_MIN,    DBL_TRUE_MIN, DBL_MAX,   0x1p900,
      0.1, 0x1p-900, 0x1p53, 0x1p53 - 1, HUGE_VAL,     -HUGE_VAL, NAN};
  enum { SPECIAL = sizeof special / sizeof *special, CASES = 1000000 };
  for (size_t i = 0; i < SPECIAL; i++)
    for (size_t k = 0; k < SPECIAL; k++)
      expect_remainder(special[i], special[k]);
  for (int i = 0; i < CASES; i++) {
    lua_Number a = random_float(&random), b = random_float(&random);
    lua_Number near = trunc(a / b) * b; /* the quotient is nearly integral */
    expect_remainder(a, b);
    expect_remainder(near, b);
    expect_remainder(nextafter(near, 0), b);
    expect_remainder(a, special[random_below(&random, SPECIAL)]);
  }
}

static void test_operators_by_number(void **unused) {
  (void)unused;
  Value a = make_integer(7), b = make_integer(2), zero = make_integer(0);
  Value half = make_float(0.5), out;
  assert_true(number_arith(LUA_OPDIV, &a, &b, &out));
  assert_true(out.tag == TAG_FLOAT && out.as.n == 3.5);
  assert_true(number_arith(LUA_OPPOW, &a, &b, &out));
  assert_true(out.tag == TAG_FLOAT && out.as.n == 49);
  assert_true(number_arith(LUA_OPIDIV, &a, &b, &out));
  assert_true(out.tag == TAG_INTEGER && out.as.i == 3);
  assert_true(number_arith(LUA_OPADD, &a, &half, &out));
  assert_true(out.tag == TAG_FLOAT && out.as.n == 7.5);
  assert_true(number_arith(LUA_OPBNOT, &a, &a, &out));
  assert_int_equal(out.as.i, -8);
  assert_false(number_arith(LUA_OPBAND, &a, &half, &out));
  assert_false(number_arith(LUA_OPMOD, &a, &zero, &out));
  assert_false(number_arith(LUA_OPIDIV, &a, &zero, &out));
}

/* -- Comparisons ----------------------------------------------------------- */

/* Compares with long double, where that type holds all integers. */
static void test_mixed_comparisons(void **unused) {
  (void)unused;
  static const lua_Integer integers[] = {0,
                                         1,
                                         -1,
                                         ((lua_Integer)1 << 53) - 1,
                                         (lua_Integer)1 << 53,
                                         ((lua_Integer)1 << 53) + 1,
                                         LUA_MAXINTEGER,
                                         LUA_MAXINTEGER - 1,
                                         LUA_MININTEGER,
                                         LUA_MININTEGER + 1};
  static const lua_Number floats[] = {0,        0.5,     -0.5,
                                      1,        0x1p53,  0x1p53 + 2,
                                      0x1p63,   -0x1p63, 0x1.fffffffffffffp62,
                                      1e300,    -1e300,  HUGE_VAL,
                                      -HUGE_VAL};
  if (LDBL_MANT_DIG < 64) skip();
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++) {
      long double x = (long double)integers[i], y = floats[k];
      assert_int_equal(int_less_float(integers[i], floats[k]), x < y);
      assert_int_equal(int_less_equal_float(integers[i], floats[k]), x <= y);
      assert_int_equal(float_less_int(floats[k], integers[i]), y < x);
      assert_int_equal(float_less_equal_int(floats[k], integers[i]), y <= x);
      assert_int_equal(int_equal_float(integers[i], floats[k]), x == y);
    }
    assert_false(int_less_float(integers[i], NAN));
    assert_false(int_less_equal_float(integers[i], NAN));
    assert_false(float_less_int(NAN, integers[i]));
    assert_false(float_less_equal_int(NAN, integers[i]));
    assert_false(int_equal_float(integers[i], NAN));
  }
}

static void test_floats_to_integers(void **unused) {
  (void)unused;
  lua_Integer i = 0;
  assert_true(float_to_integer(-0x1p63, &i) && i == LUA_MININTEGER);
  assert_false(float_to_integer(0x1p63, &i));
  assert_false(float_to_integer(0.5, &i));
  assert_false(float_to_integer(NAN, &i));
  assert_true(float_to_integer_mode(1.5, &i, ROUND_FLOOR) && i == 1);
  assert_true(float_to_integer_mode(1.5, &i, ROUND_CEIL) && i == 2);
  assert_true(float_to_integer_mode(-1.5, &i, ROUND_FLOOR) && i == -2);
  assert_true(float_to_integer_mode(-1.5, &i, ROUND_CEIL) && i == -1);
  assert_false(float_to_integer_mode(1.5, &i, ROUND_EXACT));
  assert_false(float_to_integer_mode(HUGE_VAL, &i, ROUND_FLOOR));
}

static void test_utf8(void **unused) {
  (void)unused;
  static const struct {
    uint32_t code;
    const char *bytes;
  } cases[] = {{0x41, "A"},
               {0x7f, "\x7f"},
               {0x80, "\xc2\x80"},
               {0x7ff, "\xdf\xbf"},
               {0x800, "\xe0\xa0\x80"},
               {0xffff, "\xef\xbf\xbf"},
               {0x10000, "\xf0\x90\x80\x80"},
               {0x10ffff, "\xf4\x8f\xbf\xbf"},
               {0x200000, "\xf8\x88\x80\x80\x80"},
               {0x7fffffff, "\xfd\xbf\xbf\xbf\xbf\xbf"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char buffer[UTF8_MAX_BYTES];
    size_t n = utf8_encode(cases[i].code, buffer);
    assert_int_equal(n, strlen(cases[i].bytes));
    assert_memory_equal(buffer + UTF8_MAX_BYTES - n, cases[i].bytes, n);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integers_from_text),
      cmocka_unit_test(test_floats_from_text),
      cmocka_unit_test(test_what_is_no_number),
      cmocka_unit_test(test_numbers_to_text),
      cmocka_unit_test(test_text_of_integers_is_exact),
      cmocka_unit_test(test_long_is_like_short),
      cmocka_unit_test(test_long_floats_are_exact),
      cmocka_unit_test(test_long_ties),
      cmocka_unit_test(test_short_floats_are_exact),
      cmocka_unit_test(test_integer_division),
      cmocka_unit_test(test_shifts),
      cmocka_unit_test(test_float_remainder),
      cmocka_unit_test(test_remainder_is_exact),
      cmocka_unit_test(test_operators_by_number),
      cmocka_unit_test(test_mixed_comparisons),
      cmocka_unit_test(test_floats_to_integers),
      cmocka_unit_test(test_utf8),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
