/* SPDX-License-Identifier: MIT */
/*
** errors.c -- the exact messages of syntax errors
*/
#include "compiler_test.h"

typedef struct ErrorCase {
  const char *source;
  const char *message; /* without "test:" */
} ErrorCase;

static void check_error(lua_State *L, const ErrorCase *c) {
  int status;
  LuaClosure *closure =
      test_compile_pieces(L, c->source, strlen(c->source), SIZE_MAX, &status);
  if (closure) fail_msg("no error: %s", c->source);
  assert_int_equal(status, LUA_ERRSYNTAX);
  const char *message = test_message(L);
  assert_memory_equal(message, "test:", 5);
  if (strcmp(message + 5, c->message) != 0)
    fail_msg("%s\n  expected: %s\n  found:    %s", c->source, c->message,
             message + 5);
  L->top--;
}

static void check_errors(const ErrorCase *cases, size_t count) {
  TestMemory memory = {0, -1};
  lua_State *L = global_new(test_allocate, &memory, sizeof(Global));
  for (size_t i = 0; i < count; i++) check_error(L, &cases[i]);
  global_free(L->global);
  assert_int_equal(memory.bytes, 0);
}

#define CHECK(...)                                       \
  do {                                                   \
    static const ErrorCase cases[] = {__VA_ARGS__};      \
    (void)state;                                         \
    check_errors(cases, sizeof cases / sizeof cases[0]); \
  } while (0)

static void test_tokens(void **state) {
  CHECK(
      {"x = 3x", "1: malformed number near '3x'"},
      {"x = 0x", "1: malformed number near '0x'"},
      {"x = 1e+", "1: malformed number near '1e+'"},
      {"x = 3..2", "1: malformed number near '3..2'"},
      {"x = 'abc", "1: unfinished string near <eof>"},
      {"x = 'abc\n'", "1: unfinished string near ''abc'"},
      {"x = '\\q'", "1: invalid escape sequence near ''\\q'"},
      {"x = '\\400'", "1: decimal escape too large near ''\\400''"},
      {"x = '\\xag'", "1: hexadecimal digit expected near ''\\xag'"},
      {"x = '\\u123'", "1: missing '{' near ''\\u1'"},
      {"x = '\\u{123'", "1: missing '}' near ''\\u{123''"},
      {"x = '\\u{80000000}'", "1: UTF-8 value too large near ''\\u{80000000'"},
      {"x = [[\na",
       "2: unfinished long string (starting at line 1) near <eof>"},
      {"--[==[\n\n]]",
       "3: unfinished long comment (starting at line 1) near <eof>"},
      {"x = [==", "1: invalid long string delimiter near '[=='"},
      {"x = @", "1: unexpected symbol near '@'"},
      {"x = \1", "1: unexpected symbol near '<\\1>'"});
}

static void test_structure(void **state) {
  CHECK({"x =", "1: unexpected symbol near <eof>"},
        {"x = }", "1: unexpected symbol near '}'"},
        {"if x then", "1: 'end' expected near <eof>"},
        {"if x then\n\nelse\n",
         "4: 'end' expected (to close 'if' at line 1) near <eof>"},
        {"f(\n\n", "3: unexpected symbol near <eof>"},
        {"f(1\n", "2: ')' expected (to close '(' at line 1) near <eof>"},
        {"repeat\n", "2: 'until' expected (to close 'repeat' at line 1) near "
                     "<eof>"},
        {"for i do end", "1: '=' or 'in' expected near 'do'"},
        {"for i = 1 do end", "1: ',' expected near 'do'"},
        {"a + 1", "1: syntax error near '+'"},
        {"a.b:c = 1", "1: function arguments expected near '='"},
        {"(a) = 1", "1: syntax error near '='"},
        {"x, f() = 1", "1: syntax error near '='"},
        {"function f(a,) end", "1: <name> or '...' expected near ')'"},
        {"function f(..., a) end", "1: ')' expected near ','"},
        {"function f() return ... end",
         "1: cannot use '...' outside a vararg function near '...'"},
        {"return 1 2", "1: <eof> expected near '2'"},
        {"x = y 'z' w v", "1: syntax error near 'v'"},
        {"local 1", "1: <name> expected near '1'"});
}

static void test_variables(void **state) {
  CHECK({"local x <const> = 1; x = 2",
         "1: attempt to assign to const variable 'x'"},
        {"local x <const> = f(); function x() end",
         "1: attempt to assign to const variable 'x'"},
        {"local x <const> = f(); return function() x = 1 end",
         "1: attempt to assign to const variable 'x'"},
        {"local x <close> = f(); x = 1",
         "1: attempt to assign to const variable 'x'"},
        {"local x <foo> = 1", "1: unknown attribute 'foo'"},
        {"local x <close>, y <close> = 1",
         "1: multiple to-be-closed variables in local list"});
}

static void test_labels(void **state) {
  CHECK(
      {"goto l", "1: no visible label 'l' for <goto> at line 1"},
      {"do ::l:: end\ngoto l", "2: no visible label 'l' for <goto> at line 2"},
      {"break", "1: break outside loop at line 1"},
      {"while x do f = function()\nbreak end end",
       "2: break outside loop at line 2"},
      {"goto l; local a ::l:: f()",
       "1: <goto l> at line 1 jumps into the scope of local 'a'"},
      {"repeat if x then goto c end local y ::c:: until y",
       "1: <goto c> at line 1 jumps into the scope of local 'y'"},
      {"::a::\nf()\n::a::", "3: label 'a' already defined on line 1"},
      {"::a:: do ::a:: end", "1: label 'a' already defined on line 1"});
}

/* Makes a chunk of a beginning, a repeated middle, and an end. */
static char *repeated(const char *begin, const char *middle, int count,
                      const char *end) {
  size_t size = strlen(begin) + strlen(middle) * (size_t)count + strlen(end);
  char *text = malloc(size + 1);
  assert_non_null(text);
  strcpy(text, begin);
  char *to = text + strlen(begin);
  for (int i = 0; i < count; i++, to += strlen(middle)) strcpy(to, middle);
  strcpy(to, end);
  return text;
}

static void check_repeated(const char *begin, const char *middle, int count,
                           const char *end, const char *message) {
  TestMemory memory = {0, -1};
  lua_State *L = global_new(test_allocate, &memory, sizeof(Global));
  char *text = repeated(begin, middle, count, end);
  LuaClosure *closure = test_compile(L, text);
  if (message) {
    assert_null(closure);
    if (!strstr(test_message(L), message))
      fail_msg("expected: %s\n  found: %s", message, test_message(L));
  } else if (!closure) {
    fail_msg("%s", test_message(L));
  }
  free(text);
  global_free(L->global);
  assert_int_equal(memory.bytes, 0);
}

static void test_limits(void **state) {
  (void)state;
  check_repeated("local a", ",a", 199, "", NULL);
  check_repeated("local a", ",a", 200, " = 1",
                 "test:1: too many local variables (limit is 200) in main "
                 "function near '='");
  check_repeated("\nfunction f() local a", ",a", 200, "= 1 end",
                 "too many local variables (limit is 200) in function at "
                 "line 2 near");
  check_repeated("x = ", "(", 150, "", "unexpected symbol near <eof>");
  check_repeated("x = ", "(", 300, "", "C stack overflow");
  check_repeated("x = ", "{", 300, "", "C stack overflow");
  check_repeated("", "do ", 300, "", "C stack overflow");
  check_repeated("", "if a then else ", 300, "", "C stack overflow");
  check_repeated("x = ", "- ", 1000, "", "C stack overflow");
  check_repeated("x = a", "..a", 1000, "", "C stack overflow");
  check_repeated("x = a", "+a", 5000, "", NULL);
  check_repeated("x = f(", "a,", 253, "a)",
                 "function or expression needs too many registers");
  check_repeated("x = {", "a,", 5000, "a}", NULL);
}

/* A function that uses 256 variables of the enclosing functions. */
static void test_upvalue_limit(void **state) {
  (void)state;
  char *text = malloc(100000);
  char *to = text;
  assert_non_null(text);
  for (int f = 0; f < 2; f++) {
    to += sprintf(to, "local function f%d() local a%d_0", f, f);
    for (int i = 1; i < 150; i++) to += sprintf(to, ",a%d_%d", f, i);
    to += sprintf(to, "\n");
  }
  to += sprintf(to, "return function()\n");
  for (int i = 0; i < 300; i++)
    to += sprintf(to, "a%d_%d = 1\n", i / 150, i % 150);
  sprintf(to, "end end end");
  check_repeated(text, "", 0, "",
                 "too many upvalues (limit is 255) in "
                 "function at line 3 near '='");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tokens),    cmocka_unit_test(test_structure),
      cmocka_unit_test(test_variables), cmocka_unit_test(test_labels),
      cmocka_unit_test(test_limits),    cmocka_unit_test(test_upvalue_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
