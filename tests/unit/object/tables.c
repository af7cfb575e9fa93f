/* SPDX-License-Identifier: MIT */
/*
** tables.c -- tables compared with a simple model, and their edge cases
*/
#include "object_test.h"

/* -- The model: a pool of keys, and for each the value it should have ------ */

enum { POOL = 160 };

typedef struct Model {
  ObjectTest *test;
  Table *table;
  Value key[POOL];
  lua_Integer value[POOL]; /* 0: absent */
  TestRandom random;
} Model;

/* A separate table keeps the keys alive. */
static void model_add_key(Model *m, Table *keys, int i) {
  lua_State *L = m->test->L;
  char text[80];
  switch (i % 8) {
    case 0: m->key[i] = make_integer(i / 8 + 1); break;
    case 1: m->key[i] = make_integer((lua_Integer)1 << (i / 8)); break;
    case 2: m->key[i] = make_integer(-i); break;
    case 3: m->key[i] = make_float(i + 0.5); break;
    case 4:
      snprintf(text, sizeof text, "key%d", i);
      m->key[i] = make_string_value(string_from_c(L, text));
      break;
    case 5:
      snprintf(text, sizeof text, "%070d", i);
      m->key[i] = make_string_value(string_from_c(L, text));
      break;
    case 6: m->key[i] = make_table_value(table_new(L)); break;
    default: value_set_pointer(&m->key[i], (void *)(uintptr_t)i); break;
  }
  push_value(L, m->key[i]);
  table_set_int(L, keys, i + 1, L->top - 1);
  object_test_pop(L, 1);
}

static void model_init(Model *m, ObjectTest *test, uint64_t seed) {
  memset(m, 0, sizeof *m);
  m->test = test;
  m->random.state = seed;
  m->table = push_table(test->L);
  Table *keys = push_table(test->L);
  for (int i = 0; i < POOL; i++) model_add_key(m, keys, i);
  value_set_bool(&m->key[7], false);
  value_set_bool(&m->key[15], true);
}

/* The first key equal to key i: powers of two may also be small integers. */
static int model_same(const Model *m, int i) {
  for (int k = 0; k < i; k++)
    if (value_raw_equal(&m->key[k], &m->key[i])) return k;
  return i;
}

static void model_set(Model *m) {
  int i = model_same(m, (int)random_below(&m->random, POOL));
  bool remove = random_chance(&m->random, 40);
  lua_Integer number =
      remove ? 0 : 1 + (lua_Integer)random_below(&m->random, 1000000);
  Value v = remove ? make_nil() : make_integer(number);
  table_set(m->test->L, m->table, &m->key[i], &v);
  m->value[i] = number;
}

static void model_compare_one(Model *m, int i) {
  Value out;
  bool found = table_get(m->test->L, m->table, &m->key[i], &out);
  lua_Integer expected = m->value[model_same(m, i)];
  assert_int_equal(found, expected != 0);
  if (found) assert_int_equal(out.as.i, expected);
}

/* A walk sees every entry once. */
static void model_compare_walk(Model *m) {
  lua_State *L = m->test->L;
  int expected = 0, seen = 0;
  for (int i = 0; i < POOL; i++) expected += m->value[i] != 0;
  Value slot[2] = {make_nil(), make_nil()};
  while (table_next(L, m->table, slot)) {
    Value out;
    assert_true(table_get(L, m->table, &slot[0], &out));
    assert_int_equal(out.as.i, slot[1].as.i);
    seen++;
  }
  assert_int_equal(seen, expected);
  seen = 0;
  for (size_t at = 0; (at = table_next_at(L, m->table, at, slot)) != 0;) seen++;
  assert_int_equal(seen, expected);
}

static int model_index(const Model *m, const Value *key) {
  for (int i = 0; i < POOL; i++)
    if (value_raw_equal(&m->key[i], key)) return i;
  fail_msg("a walk returned a key that was never stored");
  return -1;
}

/* A walk sees every entry once, also if it removes entries behind it and ahead
** of it, and the collector buries their keys. */
static void model_remove_on_walk(Model *m) {
  lua_State *L = m->test->L;
  bool seen[POOL] = {false};
  Value *slot = push_value(L, make_nil());
  push_value(L, make_nil());
  while (table_next(L, m->table, slot)) {
    int here = model_index(m, slot);
    assert_false(seen[here]);
    seen[here] = true;
    int other = model_same(m, (int)random_below(&m->random, POOL));
    int gone = random_chance(&m->random, 30) ? here : other;
    Value nil = make_nil();
    if (random_chance(&m->random, 50)) {
      table_set(L, m->table, &m->key[gone], &nil);
      m->value[gone] = 0;
    }
    gc_step_work(m->test->gc, 20);
  }
  for (int i = 0; i < POOL; i++) assert_true(seen[i] || m->value[i] == 0);
  object_test_pop(L, 2);
}

static void model_compare_length(Model *m) {
  Value out;
  lua_Unsigned n = table_length(m->test->L, m->table);
  lua_State *L = m->test->L;
  if (n > 0) assert_true(table_get_int(L, m->table, (lua_Integer)n, &out));
  assert_false(table_get_int(L, m->table, (lua_Integer)n + 1, &out));
}

OBJECT_TEST(test_model) {
  Model m;
  model_init(&m, test, object_test_seed() + test->mode);
  int rounds = test->mode == MODE_PLAIN ? 20000 : 2000;
  for (int round = 0; round < rounds; round++) {
    model_set(&m);
    model_compare_one(&m, (int)random_below(&m.random, POOL));
    object_test_poll(test);
    if (round % 100 != 0) continue;
    for (int i = 0; i < POOL; i++) model_compare_one(&m, i);
    model_compare_walk(&m);
    model_compare_length(&m);
    if (round % 500 == 0) model_remove_on_walk(&m);
    table_check(test->L, m.table);
  }
}

/* -- Room in the table's own cell ------------------------------------------ */

static Table *push_roomy(lua_State *L, size_t room) {
  value_set_table(L->top, table_new_presized(L, room, false));
  return value_table(L->top++);
}

static void check_same_order(lua_State *L, Table *t, Table *roomy) {
  Value slot[2] = {make_nil(), make_nil()}, twin[2] = {slot[0], slot[1]};
  bool more;
  do {
    more = table_next(L, t, slot);
    assert_int_equal(table_next(L, roomy, twin), more);
    if (!more) return;
    assert_true(value_raw_equal(&slot[0], &twin[0]));
    assert_true(value_raw_equal(&slot[1], &twin[1]));
  } while (more);
}

/* The place of a table's parts has no visible effect. */
static void compare_twins(ObjectTest *test, size_t room, uint64_t seed) {
  Model m;
  lua_State *L = test->L;
  Value *base = L->top;
  model_init(&m, test, seed);
  Table *roomy = push_roomy(L, room);
  int pool = 8 + (int)random_below(&m.random, POOL - 8);
  for (int round = 0; round < 100; round++) {
    int i = (int)random_below(&m.random, (uint64_t)pool);
    Value v = make_integer(round);
    if (random_chance(&m.random, 30)) v = make_nil();
    table_set(L, m.table, &m.key[i], &v);
    table_set(L, roomy, &m.key[i], &v);
    object_test_poll(test);
    check_same_order(L, m.table, roomy);
    assert_int_equal(table_length(L, m.table), table_length(L, roomy));
    assert_int_equal(m.table->array_size, roomy->array_size);
    table_check(L, roomy);
  }
  object_test_pop(L, L->top - base);
}

OBJECT_TEST(test_room_changes_nothing) {
  int seeds = test->mode == MODE_PLAIN ? 20 : 2;
  for (size_t room = 16; room <= 480; room += 16)
    for (int i = 0; i < seeds; i++)
      compare_twins(test, room, object_test_seed() + room * 100 + (size_t)i);
}

OBJECT_TEST(test_room_is_used) {
  lua_State *L = test->L;
  bool names;
  Table *t = push_roomy(L, 112);
  Value v = make_integer(1);
  for (int i = 1; i <= 8; i++) table_set_int(L, t, i, &v);
  assert_ptr_equal(t->array, (char *)(t + 1) + sizeof(ArrayPart));
  assert_int_equal(table_space_used(t, &names),
                   sizeof(ArrayPart) + 9 * t->array_size);
  assert_false(names);
  Table *h = push_roomy(L, 112);
  const char *name[] = {"a", "b", "c", "d"};
  for (int i = 0; i < 4; i++) {
    value_set_string(L->top++, string_from_c(L, name[i]));
    table_set(L, h, L->top - 1, &v);
    object_test_pop(L, 1);
  }
  assert_ptr_equal(h->hash, h + 1);
  assert_int_equal(table_space_used(h, &names), 112);
  assert_true(names);
  for (int i = 9; i <= 200; i++) table_set_int(L, t, i, &v);
  assert_int_equal(table_space_used(t, &names), 0);
  assert_int_equal(table_length(L, t), 200);
}

/* -- Arrays ---------------------------------------------------------------- */

OBJECT_TEST(test_append_fills_the_array) {
  lua_State *L = test->L;
  Table *t = push_table(L);
  int count = test->mode == MODE_PLAIN ? 100000 : 1000;
  for (int i = 1; i <= count; i++) {
    Value v = make_integer(i);
    assert_int_equal(table_length(L, t), i - 1);
    if (!table_fast_set_int(t, i, &v)) table_set_int(L, t, i, &v);
    object_test_poll(test);
  }
  assert_true(t->array_size >= (uint32_t)count);
  for (int i = count; i >= 1; i--) {
    Value out, nil = make_nil();
    assert_int_equal(table_length(L, t), i);
    assert_true(table_fast_get_int(t, i, &out));
    assert_int_equal(out.as.i, i);
    table_set_int(L, t, i, &nil);
  }
  assert_int_equal(table_length(L, t), 0);
  table_check(L, t);
}

/* A length that was requested after each store is known after the next one.  It
** must be searched for only in a new array, or behind the last slot. */
OBJECT_TEST(test_length_is_followed) {
  lua_State *L = test->L;
  Table *t = push_table(L);
  uint32_t size = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    Value v = make_integer(i);
    uint32_t length = table_fast_length(t);
    if (t->array_size == size && size > i && !(t->cell.user & TABLE_SPECIAL))
      assert_int_equal(length, i);
    if (length == 0) length = (uint32_t)table_length(L, t);
    assert_int_equal(length, i);
    size = t->array_size;
    table_set_int(L, t, i + 1, &v);
    object_test_poll(test);
  }
}

/* In an array that is filled from the end, keys move from the hash into it. */
OBJECT_TEST(test_filled_downwards) {
  lua_State *L = test->L;
  Table *t = push_table(L);
  enum { COUNT = 1000 };
  for (int i = COUNT; i >= 1; i--) {
    Value v = make_integer(i);
    table_set_int(L, t, i, &v);
    object_test_poll(test);
  }
  table_check(L, t);
  assert_int_equal(table_length(L, t), COUNT);
  assert_true(t->array_size >= COUNT / 2);
  for (int i = 1; i <= COUNT; i++) {
    Value out;
    assert_true(table_get_int(L, t, i, &out));
    assert_int_equal(out.as.i, i);
  }
}

/* A table that is used as a queue stays small. */
OBJECT_TEST(test_queue_does_not_grow) {
  lua_State *L = test->L;
  Table *t = push_table(L);
  enum { LENGTH = 50 };
  int count = test->mode == MODE_PLAIN ? 100000 : 2000;
  for (int i = 1; i <= count; i++) {
    Value v = make_integer(i), nil = make_nil();
    table_set_int(L, t, i, &v);
    if (i > LENGTH) table_set_int(L, t, i - LENGTH, &nil);
    object_test_poll(test);
  }
  table_check(L, t);
  assert_true(t->array_size <= 4 * LENGTH);
  assert_true(t->hash->mask < 8 * LENGTH);
}

OBJECT_TEST(test_float_keys_are_normal) {
  lua_State *L = test->L;
  Table *t = push_table(L);
  Value out, v = make_integer(7), key = make_float(3.0);
  table_set(L, t, &key, &v);
  assert_true(table_get_int(L, t, 3, &out));
  key = make_float(-0.0);
  table_set(L, t, &key, &v);
  assert_true(table_get_int(L, t, 0, &out));
  key = make_float(0x1p63);
  table_set(L, t, &key, &v);
  assert_true(table_get(L, t, &key, &out));
  assert_false(table_get_int(L, t, LUA_MININTEGER, &out));
  key = make_float(0x1p53);
  table_set(L, t, &key, &v);
  assert_true(table_get_int(L, t, (lua_Integer)1 << 53, &out));
}

OBJECT_TEST(test_length_at_the_ends_of_integers) {
  lua_State *L = test->L;
  Table *t = push_table(L);
  Value v = make_integer(1);
  table_set_int(L, t, LUA_MAXINTEGER, &v);
  table_set_int(L, t, LUA_MININTEGER, &v);
  assert_int_equal(table_length(L, t), 0);
  for (int i = 0; i < 63; i++) table_set_int(L, t, (lua_Integer)1 << i, &v);
  lua_Unsigned n = table_length(L, t);
  Value out;
  assert_true(table_get_int(L, t, (lua_Integer)n, &out));
  assert_true(n == LUA_MAXINTEGER ||
              !table_get_int(L, t, (lua_Integer)n + 1, &out));
}

OBJECT_TEST(test_resize_keeps_entries) {
  lua_State *L = test->L;
  Table *t = push_table(L);
  static const size_t sizes[][2] = {{0, 0},   {10, 0}, {0, 10}, {100, 3},
                                    {3, 100}, {7, 7},  {0, 0},  {64, 64}};
  for (int i = 1; i <= 40; i++) {
    Value v = make_integer(i);
    table_set_int(L, t, i, &v);
  }
  set_field(L, t, "name", make_integer(41));
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    table_resize(L, t, sizes[k][0], sizes[k][1]);
    table_check(L, t);
    for (int i = 1; i <= 40; i++) {
      Value out;
      assert_true(table_get_int(L, t, i, &out));
      assert_int_equal(out.as.i, i);
    }
    Value out;
    assert_true(table_get_str(L, t, string_from_c(L, "name"), &out));
    assert_int_equal(out.as.i, 41);
  }
}

/* -- The hash -------------------------------------------------------------- */

/* A cache that forgets its oldest entry neither grows nor is rebuilt at each
** insertion. */
static void test_churn_is_cheap(void **unused) {
  (void)unused;
  enum { LIVE = 1000, ROUNDS = 200000 };
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  Table *t = push_table(L);
  const HashPart *part = NULL;
  size_t rebuilds = 0;
  for (lua_Integer i = 0; i < ROUNDS; i++) {
    Value v = make_integer(1), nil = make_nil();
    Value key = make_float((lua_Number)i + 0.5);
    Value old = make_float((lua_Number)(i - LIVE) + 0.5);
    table_set(L, t, &key, &v);
    if (i >= LIVE) table_set(L, t, &old, &nil);
    if (t->hash != part && i > 4 * LIVE) rebuilds++;
    part = t->hash;
  }
  table_check(L, t);
  assert_true(t->hash->mask < 4 * LIVE);
  assert_true(rebuilds < ROUNDS / LIVE * 4);
  object_test_close(&test);
}

/* Fields are cleared during a walk of the table, and their keys die at once. */
OBJECT_TEST(test_clearing_while_walking) {
  lua_State *L = test->L;
  Table *t = push_table(L);
  enum { COUNT = 300 };
  for (int i = 0; i < COUNT; i++) {
    Value key = make_table_value(table_new(L));
    Value v = make_integer(i);
    push_value(L, key);
    table_set(L, t, &key, &v);
    object_test_pop(L, 1);
    v = make_integer(i);
    table_set_int(L, t, i + 1, &v);
    char text[64];
    snprintf(text, sizeof text, i % 2 ? "s%d" : "%060d", i);
    set_field(L, t, text, make_integer(i));
  }
  Value *slot = push_value(L, make_nil());
  push_value(L, make_nil());
  int seen = 0;
  while (table_next(L, t, slot)) {
    Value nil = make_nil();
    table_set(L, t, &slot[0], &nil);
    seen++;
    gc_step_work(test->gc, 40);
    if (seen % 50 == 0) gc_collect(test->gc);
    object_test_poll(test);
  }
  assert_int_equal(seen, COUNT * 3);
  *slot = make_nil();
  assert_false(table_next(L, t, slot));
}

/* A new string at the address of a removed key must not match that key. */
OBJECT_TEST(test_dead_keys_are_not_found) {
  lua_State *L = test->L;
  Table *t = push_table(L);
  for (int i = 0; i < 2000; i++) {
    char text[64];
    snprintf(text, sizeof text, "temporary %d", i);
    set_field(L, t, text, make_integer(i));
    set_field(L, t, text, make_nil());
    if (i % 10 == 0) gc_step_work(test->gc, 300);
    object_test_poll(test);
  }
  table_check(L, t);
  Value slot[2] = {make_nil(), make_nil()};
  assert_false(table_next(L, t, slot));
}

OBJECT_TEST(test_hints) {
  lua_State *L = test->L;
  Table *t = push_table(L);
  for (int i = 0; i < 12; i++) {
    char text[16];
    snprintf(text, sizeof text, "f%d", i);
    set_field(L, t, text, make_integer(i));
  }
  String *key = push_string(L, "f7");
  Node *n = table_find_str(t, key);
  assert_non_null(n);
  uint32_t hint = table_node_hint(t, n);
  assert_ptr_equal(table_hinted_node(t, key, hint), n);
  assert_null(table_hinted_node(t, key, hint ? 0 : 3));
  assert_null(table_hinted_node(push_table(L), key, hint));
  set_field(L, t, "f7", make_nil());
  assert_null(table_hinted_node(t, key, hint));
}

/* -- Templates ------------------------------------------------------------- */

static uint32_t place_of(lua_State *L, const Table *t, const char *name) {
  const Node *n = table_find_str(t, string_from_c(L, name));
  assert_non_null(n);
  return table_node_hint(t, n);
}

static void keep_name(lua_State *L, Table *template, const char *name) {
  String *s = push_string(L, name);
  table_keep_names(L, template, &s, 1);
  object_test_pop(L, 1);
}

static int count_fields(lua_State *L, Table *t) {
  int count = 0;
  Value slot[2] = {make_nil(), make_nil()};
  while (table_next(L, t, slot)) count++;
  return count;
}

/* A template keeps names that nothing else refers to.  They have the same place
** in the template and in all copies, and no value. */
OBJECT_TEST(test_kept_names) {
  lua_State *L = test->L;
  static const char *const name[] = {"n0", "n1", "n2", "n3", "n4", "n5"};
  Table *template = push_table(L);
  set_field(L, template, "own", make_integer(1));
  set_field(L, template, "other", make_integer(2));
  table_widen(L, template, 8);
  for (int i = 0; i < 6; i++) {
    keep_name(L, template, name[i]);
    gc_collect(test->gc);
  }
  keep_name(L, template, "no room for this");
  assert_null(table_find_str(template, string_from_c(L, "no room for this")));
  assert_int_equal(count_fields(L, template), 2);
  for (int round = 0; round < 100; round++) {
    Value *to = push_value(L, make_nil());
    table_new_copy(L, to, template, 0);
    Table *copy = value_table(to);
    assert_int_equal(count_fields(L, copy), 2);
    for (int i = 0; i < 6; i++) {
      const char *n = name[(i + round) % 6];
      assert_int_equal(place_of(L, copy, n), place_of(L, template, n));
      set_field(L, copy, n, make_integer(i));
      assert_int_equal(place_of(L, copy, n), place_of(L, template, n));
    }
    assert_int_equal(count_fields(L, copy), 8);
    table_check(L, copy);
    object_test_poll(test);
    object_test_pop(L, 1);
  }
}

/* In a copy a kept name can be replaced like a removed entry. */
OBJECT_TEST(test_kept_names_give_way) {
  lua_State *L = test->L;
  Table *template = push_table(L);
  set_field(L, template, "own", make_integer(1));
  table_resize(L, template, 0, 4);
  keep_name(L, template, "a");
  keep_name(L, template, "b");
  keep_name(L, template, "c");
  for (int round = 0; round < 100; round++) {
    Value *to = push_value(L, make_nil());
    table_new_copy(L, to, template, 0);
    gc_collect(test->gc);
    for (int i = 0; i < 3; i++) {
      char text[16];
      snprintf(text, sizeof text, "x%d", round + i);
      set_field(L, value_table(to), text, make_integer(i));
    }
    set_field(L, value_table(to), "b", make_integer(3));
    assert_int_equal(count_fields(L, value_table(to)), 5);
    table_check(L, value_table(to));
    object_test_pop(L, 1);
  }
}

/* -- Metatables ------------------------------------------------------------ */

OBJECT_TEST(test_absent_metamethods_are_remembered) {
  lua_State *L = test->L;
  Table *meta = push_table(L);
  Value out;
  assert_false(meta_get_fast(L, meta, META_INDEX, &out));
  assert_true(meta->cell.user & 1u << META_INDEX);
  assert_false(meta_get_fast(L, NULL, META_INDEX, &out));
  set_field(L, meta, "__index", make_integer(5));
  assert_true(meta_get_fast(L, meta, META_INDEX, &out));
  assert_int_equal(out.as.i, 5);
  set_field(L, meta, "__index", make_nil());
  assert_false(meta_get_fast(L, meta, META_INDEX, &out));
  set_field(L, meta, "__index", make_integer(6));
  assert_true(meta_get_fast(L, meta, META_INDEX, &out));
  assert_int_equal(out.as.i, 6);
}

/* -- Size ------------------------------------------------------------------ */

/* The collector visits the table in many pieces while the table is written. */
static void test_huge_table_while_collecting(void **unused) {
  (void)unused;
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  Gc *gc = test.gc;
  Table *t = push_table(L);
  enum { COUNT = 60000 };
  TestRandom random = {object_test_seed()};
  for (int i = 1; i <= COUNT; i++) {
    lua_Integer n = 1 + (lua_Integer)random_below(&random, COUNT);
    Value key = random_chance(&random, 50) ? make_integer(n)
                                           : make_float((lua_Number)n + 0.5);
    Value v = make_table_value(table_new(L));
    push_value(L, v);
    if (random_chance(&random, 20)) v = make_nil();
    table_set(L, t, &key, &v);
    object_test_pop(L, 1);
    gc_step_work(gc, 30);
    if (i % 10000 == 0) {
      table_check(L, t);
      gc_verify(gc);
    }
  }
  Value slot[2] = {make_nil(), make_nil()};
  while (table_next(L, t, slot)) {
    assert_int_equal(slot[1].tag, TAG_TABLE);
    assert_int_equal(value_table(&slot[1])->cell.kind, KIND_TABLE);
  }
  object_test_close(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_model),
      cmocka_unit_test(test_room_changes_nothing),
      cmocka_unit_test(test_room_is_used),
      cmocka_unit_test(test_append_fills_the_array),
      cmocka_unit_test(test_length_is_followed),
      cmocka_unit_test(test_filled_downwards),
      cmocka_unit_test(test_queue_does_not_grow),
      cmocka_unit_test(test_float_keys_are_normal),
      cmocka_unit_test(test_length_at_the_ends_of_integers),
      cmocka_unit_test(test_resize_keeps_entries),
      cmocka_unit_test(test_churn_is_cheap),
      cmocka_unit_test(test_clearing_while_walking),
      cmocka_unit_test(test_dead_keys_are_not_found),
      cmocka_unit_test(test_hints),
      cmocka_unit_test(test_kept_names),
      cmocka_unit_test(test_kept_names_give_way),
      cmocka_unit_test(test_absent_metamethods_are_remembered),
      cmocka_unit_test(test_huge_table_while_collecting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
