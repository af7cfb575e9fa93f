/* SPDX-License-Identifier: MIT */
/*
** memory.c -- compiling when memory fails, in pieces, and with a step or a
** collection at every allocation
*/
#include "compiler_test.h"

/* A program with most constructs of the language. */
static const char program[] =
    "local t <const>, u = 10, {1, 2.5, 'three', x = 4, ['y z'] = nil, f()}\n"
    "--[==[ a\ncomment ]==]\n"
    "local function a_rather_long_name_for_a_function_which_is_not_interned(\n"
    "    p, ...)\n"
    "  local c <close> = setmetatable({}, mt)\n"
    "  local d = {1, name = p, other = 'constant', kind = {zero = 0}, [p] = 1}"
    "\n"
    "  for i = 1, #u do if i % 2 == 0 then goto skip end p(i, u[i]) ::skip:: "
    "end\n"
    "  for k, v in pairs(u) do if k == 'x' then break end end\n"
    "  return select('#', ...), function() p = p + 1; return p, t end\n"
    "end\n"
    "while u.x < 0x1p4 and not done do u.x = u.x .. '\\u{20AC}\\x41\\065\\z\n"
    "   ' .. [[long\nstring that is more than forty bytes long, certainly]]\n"
    "end\n"
    "repeat local z = u:method('a', {}) until z ~= nil or z == 'b'\n"
    "return a_rather_long_name_for_a_function_which_is_not_interned(u, ...)\n";

static void collect_text(void *context, const char *text) {
  char **to = context;
  strcpy(*to, text);
  *to += strlen(text);
}

/* The listing of the program, compiled in pieces of the given size. */
static char *listing_in_pieces(size_t piece) {
  TestMemory memory = {0, -1};
  lua_State *L = global_new(test_allocate, &memory, sizeof(Global));
  int status;
  LuaClosure *closure =
      test_compile_pieces(L, program, sizeof program - 1, piece, &status);
  if (!closure) fail_msg("%s", test_message(L));
  char *text = malloc(100000), *to = text;
  assert_non_null(text);
  listing_write(closure->proto, (ListingOptions){true, true}, collect_text,
                &to);
  global_free(L->global);
  assert_int_equal(memory.bytes, 0);
  return text;
}

static void test_pieces_make_no_difference(void **state) {
  (void)state;
  char *whole = listing_in_pieces(SIZE_MAX);
  for (size_t piece = 1; piece < 20; piece++) {
    char *text = listing_in_pieces(piece);
    assert_string_equal(text, whole);
    free(text);
  }
  free(whole);
}

/* Fails the allocations from the nth on, for every n until compiling succeeds.
** Afterwards the same state compiles the program. */
static void test_failing_allocations(void **state) {
  (void)state;
  TestMemory memory = {0, -1};
  lua_State *L = global_new(test_allocate, &memory, sizeof(Global));
  long failures = 0;
  int status;
  do {
    memory.until_failure = failures++;
    test_compile_pieces(L, program, sizeof program - 1, SIZE_MAX, &status);
    memory.until_failure = -1;
    if (status != LUA_OK) {
      assert_int_equal(status, LUA_ERRMEM);
      assert_string_equal(test_message(L), "not enough memory");
    }
    L->top--;
    gc_collect(gc_of(L));
    gc_verify(gc_of(L));
  } while (status != LUA_OK);
  assert_true(failures > 1);
  global_free(L->global);
  assert_int_equal(memory.bytes, 0);
}

/* Finds objects that are not anchored, and missing barriers. */
static void compile_with(bool step, bool collect) {
  TestMemory memory = {0, -1};
  lua_State *L = global_new(test_allocate, &memory, sizeof(Global));
  Gc *gc = gc_of(L);
  gc->debug.step_always = step;
  gc->debug.collect_always = collect;
  gc->debug.verify = true;
  gc->debug.checkmark = true;
  LuaClosure *closure = test_compile(L, program);
  if (!closure) fail_msg("%s", test_message(L));
  gc->debug = (GcDebug){0};
  gc_collect(gc);
  size_t pc;
  assert_null(verify_proto(L, closure->proto, &pc));
  global_free(L->global);
  assert_int_equal(memory.bytes, 0);
}

static void test_collector_steps(void **state) {
  (void)state;
  compile_with(true, false);
}

static void test_emergency_collections(void **state) {
  (void)state;
  compile_with(false, true);
}

/* Words in random order cause mostly errors, and never a crash or a leak. */
static void test_random_tokens(void **state) {
  static const char *const words[] = {
      "local", "function", "end", "if",   "then",    "else",    "elseif",
      "while", "do",       "for", "in",   "repeat",  "until",   "return",
      "break", "goto",     "::",  "a",    "b",       "x",       "1",
      "2.5",   "'s'",      "nil", "true", "and",     "or",      "not",
      "+",     "-",        "..",  "==",   "<",       "(",       ")",
      "{",     "}",        "[",   "]",    "=",       ",",       ";",
      ":",     ".",        "...", "#",    "<const>", "<close>", "\n"};
  enum { WORDS = sizeof words / sizeof words[0] };
  (void)state;
  TestMemory memory = {0, -1};
  lua_State *L = global_new(test_allocate, &memory, sizeof(Global));
  const char *given = getenv("PENUMBRA_SEED");
  uint32_t seed = given ? (uint32_t)strtoul(given, NULL, 0) : 20240501;
  print_message("seed %u\n", seed);
  int rounds = getenv("PENUMBRA_FULL") ? 300000 : 10000, compiled = 0;
  for (int round = 0; round < rounds; round++) {
    char text[400] = "";
    for (int i = 0; i < 30; i++) {
      seed = seed * 1664525 + 1013904223;
      strcat(text, words[(seed >> 10) % WORDS]);
      strcat(text, " ");
      if (seed >> 28 == 0) break;
    }
    if (test_compile(L, text)) compiled++;
    L->top--;
  }
  assert_true(compiled > 0 && compiled < rounds);
  gc_collect(gc_of(L));
  gc_verify(gc_of(L));
  global_free(L->global);
  assert_int_equal(memory.bytes, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces_make_no_difference),
      cmocka_unit_test(test_failing_allocations),
      cmocka_unit_test(test_collector_steps),
      cmocka_unit_test(test_emergency_collections),
      cmocka_unit_test(test_random_tokens),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
