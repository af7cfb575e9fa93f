/* SPDX-License-Identifier: MIT */
/*
** strings.c -- interning, reviving, comparing, the set that grows and shrinks
*/
#include "object/short_text.h"
#include "object/string_set.h"
#include "object_test.h"

/* Formatted at run time, so that the compiler cannot share it with a
** literal. */
static String *numbered(lua_State *L, const char *prefix, unsigned n) {
  char text[64];
  snprintf(text, sizeof text, "%s%u", prefix, n);
  return string_from_c(L, text);
}

OBJECT_TEST(test_short_strings_are_one) {
  lua_State *L = test->L;
  String *a = push_string(L, "hello");
  String *b = string_new(L, "hello world", 5);
  assert_ptr_equal(a, b);
  assert_true(string_is_short(a));
  assert_int_equal(string_length(a), 5);
  assert_string_equal(string_bytes(a), "hello");
  assert_ptr_not_equal(a, string_from_c(L, "hellp"));
}

OBJECT_TEST(test_boundary_between_short_and_long) {
  lua_State *L = test->L;
  char text[STRING_MAX_SHORT + 2];
  memset(text, 'x', sizeof text);
  for (size_t n = STRING_MAX_SHORT - 1; n <= STRING_MAX_SHORT + 1; n++) {
    String *s = string_new(L, text, n);
    push_value(L, make_string_value(s));
    assert_int_equal(string_is_short(s), n <= STRING_MAX_SHORT);
    assert_int_equal(string_length(s), n);
    assert_int_equal(string_bytes(s)[n], 0);
  }
}

/* A text written in two parts.  The bytes around it do not belong to it. */
static String *written(lua_State *L, const String *a, const String *b) {
  uint64_t word[TEXT_CAPACITY];
  memset(word, 0xee, sizeof word);
  TextWriter w = text_begin(word);
  text_write_string(&w, a);
  text_write_string(&w, b);
  return text_string(L, &w);
}

OBJECT_TEST(test_all_ways_make_the_same_string) {
  lua_State *L = test->L;
  char text[3 * STRING_MAX_SHORT];
  for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('!' + i % 90);
  String *whole = string_new(L, text, sizeof text);
  push_value(L, make_string_value(whole));
  for (size_t n = 0; n <= STRING_MAX_SHORT; n++) {
    String *s = string_new(L, text + n, n);
    push_value(L, make_string_value(s));
    assert_int_equal(string_length(s), n);
    assert_memory_equal(string_bytes(s), text + n, n);
    for (size_t i = n; i < text_words(n) * TEXT_WORD; i++)
      assert_int_equal(string_bytes(s)[i], 0);
    assert_ptr_equal(s, string_new_part(L, string_bytes(whole) + n, n));
    for (size_t first = 0; first <= n; first++) {
      String *a = string_new(L, text + n, first);
      push_value(L, make_string_value(a));
      String *b = string_new(L, text + n + first, n - first);
      push_value(L, make_string_value(b));
      assert_ptr_equal(s, written(L, a, b));
      object_test_pop(L, 2);
    }
    object_test_pop(L, 1);
  }
  string_set_check(L->global);
}

static void check_integer(lua_State *L, lua_Integer i) {
  char text[32];
  uint64_t word[TEXT_CAPACITY];
  TextWriter w = text_begin(word);
  text_write_integer(&w, i);
  snprintf(text, sizeof text, LUA_INTEGER_FMT, i);
  assert_string_equal(string_bytes(text_string(L, &w)), text);
}

OBJECT_TEST(test_integers_are_written) {
  lua_State *L = test->L;
  TestRandom random = {object_test_seed()};
  for (lua_Integer i = 0; i < 1000; i++) {
    check_integer(L, i);
    check_integer(L, 123000 + i);
    check_integer(L, 1000 * i);
  }
  for (lua_Integer power = 1;; power *= 10) {
    for (lua_Integer i = power - 2; i <= power + 2; i++) {
      check_integer(L, i);
      check_integer(L, -i);
    }
    if (power > LUA_MAXINTEGER / 10) break;
  }
  check_integer(L, LUA_MAXINTEGER);
  check_integer(L, LUA_MININTEGER);
  for (int i = 0; i < 2000; i++)
    check_integer(L, (lua_Integer)(random_next(&random) >> i % 64));
}

OBJECT_TEST(test_long_strings_are_equal_by_content) {
  lua_State *L = test->L;
  const char *text = "a string that is clearly longer than forty bytes ...";
  String *a = push_string(L, text);
  String *b = push_string(L, text);
  assert_ptr_not_equal(a, b);
  assert_true(string_equal(a, b));
  assert_int_equal(string_hash(L, a), string_hash(L, b));
  assert_true(value_raw_equal(L->top - 1, L->top - 2));
}

OBJECT_TEST(test_order_looks_behind_zeros) {
  lua_State *L = test->L;
  String *a = string_new(L, "a\0b", 3);
  push_value(L, make_string_value(a));
  String *b = string_new(L, "a\0c", 3);
  push_value(L, make_string_value(b));
  String *c = push_string(L, "a");
  assert_true(string_compare(a, b) < 0);
  assert_true(string_compare(b, a) > 0);
  assert_true(string_compare(a, c) > 0);
  assert_true(string_compare(c, a) < 0);
  assert_int_equal(string_compare(a, a), 0);
}

/* In each phase an unreferenced string is requested again.  The result must be
** the same string, alive, or a new one, but never a freed one. */
OBJECT_TEST(test_dying_strings_are_revived) {
  lua_State *L = test->L;
  Gc *gc = test->gc;
  gc->debug.step_always = false;
  for (unsigned round = 0; round < 200; round++) {
    push_value(L, make_string_value(numbered(L, "dying", round)));
    object_test_pop(L, 1);
    gc_step_work(gc, round % 7);
    String *s = numbered(L, "dying", round);
    push_value(L, make_string_value(s));
    gc_step_work(gc, 3);
    assert_ptr_equal(s, numbered(L, "dying", round));
    gc_collect(gc);
    assert_ptr_equal(s, numbered(L, "dying", round));
    char text[64];
    snprintf(text, sizeof text, "dying%u", round);
    assert_string_equal(string_bytes(s), text);
    object_test_pop(L, 1);
  }
}

/* The same for strings of one byte, which are found without the set. */
OBJECT_TEST(test_dying_bytes_are_revived) {
  lua_State *L = test->L;
  Gc *gc = test->gc;
  gc->debug.step_always = false;
  for (unsigned round = 0; round < 400; round++) {
    char byte = (char)(round * 7);
    push_value(L, make_string_value(string_new_char(L, (unsigned char)byte)));
    object_test_pop(L, 1);
    gc_step_work(gc, round % 11);
    String *s = string_new_char(L, (unsigned char)byte);
    push_value(L, make_string_value(s));
    gc_step_work(gc, 3);
    assert_ptr_equal(s, string_new(L, &byte, 1));
    gc_collect(gc);
    assert_ptr_equal(s, string_new(L, &byte, 1));
    assert_int_equal(string_length(s), 1);
    assert_int_equal(string_bytes(s)[0], byte);
    assert_int_equal(string_bytes(s)[1], '\0');
    object_test_pop(L, 1);
    string_set_check(L->global);
  }
}

/* Without memory for more buckets, a bucket holds more strings than it has
** slots for.  The sweep brings buckets back to their slots. */
static void test_buckets_overflow(void **unused) {
  (void)unused;
  enum { COUNT = 5000, KEPT = 3 };
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  StringSet *set = &L->global->strings;
  Table *t = push_table(L);
  table_resize(L, t, COUNT, 0);
  uint32_t buckets = set->bucket_count;
  for (unsigned i = 0; i < COUNT; i++) {
    uint32_t count = set->count;
    set->count = 0; /* so that the set does not grow */
    Value v = make_string_value(numbered(L, "crowd", i));
    table_set_int(L, t, i + 1, &v);
    numbered(L, "other", i);
    set->count += count;
  }
  assert_int_equal(set->bucket_count, buckets);
  string_set_check(L->global);
  for (unsigned i = 0; i < COUNT; i++) {
    Value v;
    assert_true(table_get_int(L, t, i + 1, &v));
    assert_ptr_equal(value_string(&v), numbered(L, "crowd", i));
    value_set_nil(&v);
    if (i % KEPT != 0) table_set_int(L, t, i + 1, &v);
  }
  gc_collect(test.gc);
  string_set_check(L->global);
  assert_true(set->count < COUNT / KEPT + 200);
  for (unsigned i = 0; i < COUNT; i += KEPT) {
    Value v;
    assert_true(table_get_int(L, t, i + 1, &v));
    assert_ptr_equal(value_string(&v), numbered(L, "crowd", i));
  }
  object_test_pop(L, 1);
  object_test_close(&test);
}

/* The seed must decide whether two strings that differ in chosen bits have the
** same hash. */
static void test_collisions_need_the_seed(void **unused) {
  (void)unused;
  enum { WORDS = 8, SEEDS = 64, TRIALS = 2000 };
  TestRandom random = {object_test_seed()};
  unsigned most = 0;
  for (unsigned trial = 0; trial < TRIALS; trial++) {
    uint64_t a[WORDS] = {0}, b[WORDS] = {0};
    unsigned same = 0, words = 1 + trial % WORDS, bit = 63 - trial % 3;
    for (unsigned i = 0; i < words; i++) a[i] = b[i] = random_next(&random);
    unsigned at = (unsigned)(random_next(&random) % words);
    b[at] ^= UINT64_C(1) << bit;
    for (unsigned i = at + 1; i < words && i < at + 3; i++)
      b[i] ^= random_next(&random) % 2 ? (UINT64_C(1) << bit) >> 32
                                       : UINT64_C(0x100000001) << (bit - 32);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
      HashSeed mixed = string_seed(seed * UINT64_C(0xd6e8feb86659fd93));
      same += string_hash_of((const char *)a, words * 8, mixed) ==
              string_hash_of((const char *)b, words * 8, mixed);
    }
    if (same > most) most = same;
  }
  assert_true(most <= 2);
}

/* Typical keys of programs must not crowd into few buckets. */
static void test_hashes_are_spread(void **unused) {
  (void)unused;
  enum { COUNT = 1 << 14, BUCKETS = 1 << 12, EACH = COUNT / BUCKETS };
  static const char *const formats[] = {"%u", "k%u", "item:%08u", "%x",
                                        "a rather long name, number %u"};
  static unsigned in_bucket[BUCKETS];
  for (unsigned f = 0; f < sizeof formats / sizeof *formats; f++) {
    unsigned most = 0;
    memset(in_bucket, 0, sizeof in_bucket);
    for (unsigned i = 0; i < COUNT; i++) {
      char text[64];
      int length = snprintf(text, sizeof text, formats[f], i);
      uint32_t hash = string_hash_of(text, (size_t)length, string_seed(12345));
      unsigned *count = &in_bucket[hash % BUCKETS];
      if (++*count > most) most = *count;
    }
    assert_true(most < EACH * 5);
  }
}

static void test_set_grows_and_shrinks(void **unused) {
  (void)unused;
  enum { COUNT = 20000 };
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  StringSet *set = &L->global->strings;
  uint32_t few = set->bucket_count;
  Table *t = push_table(L);
  table_resize(L, t, COUNT, 0);
  for (unsigned i = 0; i < COUNT; i++) {
    Value v = make_string_value(numbered(L, "many", i));
    table_set_int(L, t, i + 1, &v);
    if (i % 500 == 0) string_set_check(L->global);
  }
  assert_true(set->count >= COUNT);
  assert_true(set->bucket_count >= COUNT / STRING_BUCKET_SLOTS);
  for (unsigned i = 0; i < COUNT; i++) {
    Value v;
    assert_true(table_get_int(L, t, i + 1, &v));
    assert_ptr_equal(value_string(&v), numbered(L, "many", i));
  }
  object_test_pop(L, 1);
  gc_collect(test.gc);
  string_set_check(L->global);
  assert_true(set->count < 200);
  assert_true(set->bucket_count < few * 4);
  object_test_close(&test);
}

OBJECT_TEST(test_cache_does_not_keep_what_died) {
  lua_State *L = test->L;
  char text[STRING_MAX_SHORT * 2];
  for (unsigned i = 0; i < 100; i++) {
    memset(text, 'a' + (int)(i % 26), sizeof text);
    text[i % (sizeof text - 1)] = '\0';
    String *s = string_new_cached(L, text);
    push_value(L, make_string_value(s));
    assert_string_equal(string_bytes(s), text);
    assert_string_equal(string_bytes(string_new_cached(L, text)), text);
    object_test_pop(L, 1);
    object_test_poll(test);
    gc_step_work(test->gc, 50);
  }
}

/* The set works on if it gets no memory for a larger directory. */
static void test_directory_refused(void **unused) {
  (void)unused;
  uint64_t refused = 0;
  enum { COUNT = 20000 };
  for (size_t size = 64; size <= 1 << 16; size *= 2) {
    ObjectTest test;
    object_test_open(&test, MODE_PLAIN);
    Table *t = push_table(test.L);
    test.allocator.fail_size = size + GRANULE; /* as heap_raw_allocate asks */
    for (unsigned i = 0; i < COUNT; i++) {
      String *s = numbered(test.L, "key", i);
      Value v = make_string_value(s);
      test.allocator.fail_size = 0; /* not for the table */
      table_set_int(test.L, t, i + 1, &v);
      test.allocator.fail_size = size + GRANULE;
    }
    for (unsigned i = 0; i < COUNT; i += 7) {
      Value v;
      assert_true(table_get_int(test.L, t, i + 1, &v));
      assert_ptr_equal(numbered(test.L, "key", i), value_string(&v));
    }
    refused += test.allocator.refused;
    test.allocator.fail_size = 0;
    object_test_close(&test);
  }
  assert_true(refused > 0);
}

/* Makes ever more strings, and keeps them. */
static void make_crowd(lua_State *L, void *data) {
  enum { ENDLESS = 1000000 };
  ObjectTest *test = data;
  size_t size = test->allocator.fail_size;
  Table *t = value_table(L->top - 1);
  for (unsigned i = 0; i < ENDLESS; i++) {
    Value v = make_string_value(numbered(L, "crowd", i));
    test->allocator.fail_size = 0; /* not for the table */
    table_set_int(L, t, i + 1, &v);
    test->allocator.fail_size = size;
  }
}

/* Runs a cycle, and returns its largest unit. */
static size_t largest_unit(Gc *gc) {
  gc_stop(gc);
  while (gc->phase != PHASE_PAUSE) gc_step_work(gc, 1);
  gc->stats.largest_unit = 0;
  do gc_step_work(gc, 1);
  while (gc->phase != PHASE_PAUSE);
  return gc->stats.largest_unit;
}

/* Without memory for more buckets, their chains have a bound: a unit sweeps
** whole ones.  Beyond it there is no memory for strings. */
static void test_chains_are_bounded(void **unused) {
  (void)unused;
  enum { UNIT_MAX = 1200, STRINGS = 20000 };
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  Table *t = push_table(L);
  test.allocator.fail_size = 8 * sizeof(void *) + GRANULE;
  assert_int_equal(raise_protect(L, make_crowd, &test), LUA_ERRMEM);
  assert_true(test.allocator.refused > 0);
  string_set_check(L->global);
  assert_in_range(L->global->strings.count, STRINGS, 3 * STRINGS);
  assert_in_range(largest_unit(test.gc), 1, UNIT_MAX);
  Value v;
  assert_true(table_get_int(L, t, STRINGS, &v));
  assert_ptr_equal(numbered(L, "crowd", STRINGS - 1), value_string(&v));
  test.allocator.fail_size = 0;
  numbered(L, "more", 1);
  object_test_pop(L, 1);
  gc_collect(test.gc);
  assert_in_range(L->global->strings.count, 1, STRINGS);
  object_test_close(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_short_strings_are_one),
      cmocka_unit_test(test_boundary_between_short_and_long),
      cmocka_unit_test(test_all_ways_make_the_same_string),
      cmocka_unit_test(test_integers_are_written),
      cmocka_unit_test(test_long_strings_are_equal_by_content),
      cmocka_unit_test(test_order_looks_behind_zeros),
      cmocka_unit_test(test_dying_strings_are_revived),
      cmocka_unit_test(test_dying_bytes_are_revived),
      cmocka_unit_test(test_buckets_overflow),
      cmocka_unit_test(test_collisions_need_the_seed),
      cmocka_unit_test(test_hashes_are_spread),
      cmocka_unit_test(test_set_grows_and_shrinks),
      cmocka_unit_test(test_cache_does_not_keep_what_died),
      cmocka_unit_test(test_directory_refused),
      cmocka_unit_test(test_chains_are_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
