/* SPDX-License-Identifier: MIT */
/*
** locale.c -- numerals where the C library's decimal point is a comma
**
** Few machines have such a locale.  So the test replaces strtod and localeconv
** by functions that behave as if one were set.  A numeral with a point is
** copied for them, up to 200 characters.
*/
#include "object_test.h"

#include <locale.h>

#include "object/number.h"

/* Reads a comma, and stops at a point. */
double strtod(const char *text, char **end) {
  char copy[1000], *stop;
  size_t i = 0;
  for (; text[i] && text[i] != '.' && i < sizeof copy - 1; i++)
    copy[i] = text[i] == ',' ? '.' : text[i];
  copy[i] = '\0';
  double n = (double)strtold(copy, &stop);
  *end = (char *)(uintptr_t)text + (stop - copy);
  return n;
}

struct lconv *localeconv(void) {
  static char comma[] = ",";
  static struct lconv locale;
  locale.decimal_point = comma;
  return &locale;
}

typedef struct Numeral {
  const char *text;
  bool is_number;
  double value;
} Numeral;

static void test_points(void **state) {
  static const Numeral numerals[] = {
      {"1.5", true, 1.5},
      {"-.25e1", true, -2.5},
      {"0x1.8p1", true, 3.0},
      {" 12.5e-1 ", true, 1.25},
      {"1.5x", false, 0},
      {"1.5.5", false, 0},
      {"123456789012345678.75", true, 123456789012345678.75},
      {".", false, 0},
      {"1.5e", false, 0}};
  (void)state;
  for (size_t i = 0; i < sizeof numerals / sizeof *numerals; i++) {
    Value v;
    bool found =
        number_from_text(numerals[i].text, strlen(numerals[i].text), &v);
    if (found != numerals[i].is_number) fail_msg("%s", numerals[i].text);
    if (found) assert_true(v.tag == TAG_FLOAT && v.as.n == numerals[i].value);
  }
}

/* Numerals just below, at and above the limit. */
static void test_long_numerals(void **state) {
  (void)state;
  for (size_t length = 195; length <= 205; length++) {
    char text[300];
    memset(text, '0', length);
    memcpy(text + length - 3, "2.5", 4);
    Value v;
    bool found = number_from_text(text, length, &v);
    assert_int_equal(found, length <= 200);
    if (found) assert_true(v.tag == TAG_FLOAT && v.as.n == 2.5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_points),
      cmocka_unit_test(test_long_numerals),
  };
  return cmocka_run_group_tests_name("object locale", tests, NULL, NULL);
}
