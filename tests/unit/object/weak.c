/* SPDX-License-Identifier: MIT */
/*
** weak.c -- weak tables, read in every phase of the collector
**
** A reader must never see a dead object in any phase.  An object that it has
** seen must stay alive.
*/
#include "object_test.h"

static Table *push_weak(lua_State *L, const char *mode) {
  Table *t = push_table(L);
  Table *meta = push_table(L);
  set_field(L, meta, "__mode", make_string_value(string_from_c(L, mode)));
  table_set_metatable(L, t, meta);
  object_test_pop(L, 1);
  return t;
}

static size_t count_entries(lua_State *L, Table *t) {
  size_t count = 0;
  Value slot[2] = {make_nil(), make_nil()};
  for (size_t at = 0; (at = table_next_at(L, t, at, slot)) != 0;) count++;
  return count;
}

static void put_new_table(lua_State *L, Table *t, lua_Integer key) {
  Value v = make_table_value(table_new(L));
  push_value(L, v);
  table_set_int(L, t, key, L->top - 1);
  object_test_pop(L, 1);
}

OBJECT_TEST(test_weak_values_go_away) {
  lua_State *L = test->L;
  Table *t = push_weak(L, "v");
  Table *kept = push_table(L);
  for (int i = 1; i <= 100; i++) {
    put_new_table(L, t, i);
    put_new_table(L, t, i * 1000);
  }
  Value v = make_table_value(kept);
  table_set_int(L, t, 50, &v);
  v = make_integer(5);
  table_set_int(L, t, 51, &v);
  set_field(L, t, "text", make_string_value(string_from_c(L, "some text")));
  gc_collect(test->gc);
  assert_int_equal(count_entries(L, t), 3);
  assert_true(table_get_int(L, t, 50, &v));
  assert_ptr_equal(value_table(&v), kept);
  table_check(L, t);
}

OBJECT_TEST(test_weak_keys_go_away) {
  lua_State *L = test->L;
  Table *t = push_weak(L, "k");
  Table *kept = push_table(L);
  Value key = make_table_value(kept), v;
  for (int i = 0; i < 100; i++) {
    Value k = make_table_value(table_new(L));
    push_value(L, k);
    v = make_integer(i);
    table_set(L, t, &k, &v);
    object_test_pop(L, 1);
  }
  v = make_table_value(table_new(L));
  push_value(L, v);
  table_set(L, t, &key, &v);
  object_test_pop(L, 1);
  gc_collect(test->gc);
  assert_int_equal(count_entries(L, t), 1);
  assert_true(table_get(L, t, &key, &v));
  assert_int_equal(value_table(&v)->cell.kind, KIND_TABLE);
}

/* a -> b -> c ... in one table: the first link decides whether all live. */
OBJECT_TEST(test_chain_of_ephemerons) {
  lua_State *L = test->L;
  enum { LENGTH = 500 };
  Table *t = push_weak(L, "k");
  Value *first = push_value(L, make_table_value(table_new(L)));
  Value *last = push_value(L, *first);
  for (int i = 0; i < LENGTH; i++) {
    Value next = make_table_value(table_new(L));
    push_value(L, next);
    table_set(L, t, last, &next);
    *last = next;
    object_test_pop(L, 1);
    object_test_poll(test);
  }
  object_test_pop(L, 1);
  gc_collect(test->gc);
  assert_int_equal(count_entries(L, t), LENGTH);
  *first = make_nil();
  gc_collect(test->gc);
  assert_int_equal(count_entries(L, t), 0);
}

/* __mode may be set and removed at any time. */
OBJECT_TEST(test_mode_is_read_when_visited) {
  lua_State *L = test->L;
  Table *t = push_table(L);
  Table *meta = push_table(L);
  table_set_metatable(L, t, meta);
  put_new_table(L, t, 1);
  gc_collect(test->gc);
  assert_int_equal(count_entries(L, t), 1);
  set_field(L, meta, "__mode", make_string_value(string_from_c(L, "v")));
  gc_collect(test->gc);
  assert_int_equal(count_entries(L, t), 0);
  set_field(L, meta, "__mode", make_nil());
  put_new_table(L, t, 2);
  gc_collect(test->gc);
  assert_int_equal(count_entries(L, t), 1);
  table_set_metatable(L, t, NULL);
  gc_collect(test->gc);
  assert_int_equal(count_entries(L, t), 1);
}

/* -- Reading while the collector works ------------------------------------- */

/* Objects contain their number, which reveals a freed and reused object. */
static Value new_numbered(lua_State *L, lua_Integer number) {
  Table *t = push_table(L);
  Value v = make_integer(number);
  table_set_int(L, t, 1, &v);
  object_test_pop(L, 1);
  return make_table_value(t);
}

static void check_numbered(lua_State *L, const Value *v, lua_Integer number) {
  Value n;
  assert_int_equal(v->tag, TAG_TABLE);
  assert_int_equal(value_table(v)->cell.kind, KIND_TABLE);
  assert_true(table_get_int(L, value_table(v), 1, &n));
  assert_int_equal(n.as.i, number);
}

enum { CACHE = 400, HELD = 20 };

typedef struct Cache {
  ObjectTest *test;
  Table *table; /* weak */
  Value *held;  /* stack slots */
  lua_Integer number[HELD];
  TestRandom random;
} Cache;

static void cache_store(Cache *c) {
  lua_State *L = c->test->L;
  lua_Integer n = 1 + (lua_Integer)random_below(&c->random, CACHE);
  Value v = new_numbered(L, n);
  push_value(L, v);
  table_set_int(L, c->table, n, L->top - 1);
  object_test_pop(L, 1);
}

static void cache_look(Cache *c) {
  lua_State *L = c->test->L;
  lua_Integer n = 1 + (lua_Integer)random_below(&c->random, CACHE);
  size_t slot = random_below(&c->random, HELD);
  Value v;
  if (!table_get_int(L, c->table, n, &v)) return;
  check_numbered(L, &v, n);
  c->held[slot] = v;
  c->number[slot] = n;
}

static void cache_walk(Cache *c) {
  lua_State *L = c->test->L;
  Value *slot = push_value(L, make_nil());
  push_value(L, make_nil());
  while (table_next(L, c->table, slot))
    check_numbered(L, &slot[1], slot[0].as.i);
  object_test_pop(L, 2);
}

static void cache_check_held(Cache *c) {
  for (size_t i = 0; i < HELD; i++) {
    if (c->held[i].tag == TAG_NIL) continue;
    check_numbered(c->test->L, &c->held[i], c->number[i]);
  }
}

OBJECT_TEST(test_cache_in_all_phases) {
  Cache c = {.test = test, .random = {object_test_seed() + test->mode}};
  lua_State *L = test->L;
  c.table = push_weak(L, random_chance(&c.random, 50) ? "v" : "kv");
  c.held = L->top;
  for (int i = 0; i < HELD; i++) push_value(L, make_nil());
  int rounds = test->mode == MODE_PLAIN ? 30000 : 1500;
  for (int i = 0; i < rounds; i++) {
    switch (random_below(&c.random, 8)) {
      case 0: cache_walk(&c); break;
      case 1:
      case 2:
      case 3: cache_store(&c); break;
      case 4: c.held[random_below(&c.random, HELD)] = make_nil(); break;
      default: cache_look(&c); break;
    }
    if (random_chance(&c.random, 30)) gc_step_work(test->gc, 60);
    object_test_poll(test);
    if (i % 64 == 0) {
      cache_check_held(&c);
      table_check(L, c.table);
      Value out;
      lua_Unsigned n = table_length(L, c.table);
      if (n > 0) assert_true(table_get_int(L, c.table, (lua_Integer)n, &out));
    }
  }
}

/* A memo grows in all phases of the collector.  Nothing else refers to its
** values, which live as long as their keys.  Dead keys do not make it grow. */
OBJECT_TEST(test_memo_grows_in_all_phases) {
  enum { KEYS = 60 };
  TestRandom random = {object_test_seed() + test->mode};
  lua_State *L = test->L;
  Table *memo = push_weak(L, "k");
  Value *key = L->top;
  for (int i = 0; i < KEYS; i++) push_value(L, make_nil());
  int rounds = test->mode == MODE_PLAIN ? 200000 : 2000;
  for (int i = 0; i < rounds; i++) {
    int k = (int)random_below(&random, KEYS);
    key[k] = make_table_value(table_new(L));
    push_value(L, new_numbered(L, k));
    table_set(L, memo, &key[k], L->top - 1);
    object_test_pop(L, 1);
    if (random_chance(&random, 20)) gc_step_work(test->gc, 40);
    object_test_poll(test);
    k = (int)random_below(&random, KEYS);
    if (key[k].tag == TAG_NIL) continue;
    Value out;
    assert_true(table_get(L, memo, &key[k], &out));
    check_numbered(L, &out, k);
    if (i % 512 == 0) table_check(L, memo);
  }
  assert_true(count_entries(L, memo) < 60000);
  for (int i = 0; i < KEYS; i++)
    if (random_chance(&random, 50)) key[i] = make_nil();
  size_t live = 0;
  for (int i = 0; i < KEYS; i++) live += key[i].tag != TAG_NIL;
  gc_collect(test->gc);
  gc_collect(test->gc);
  assert_int_equal(count_entries(L, memo), live);
}

/* The table is rebuilt after so many units of its clearing.  Entries move, and
** dead ones must not move to where the clearing has been. */
static void rebuild_while_clearing(ObjectTest *test, int slots, int units) {
  lua_State *L = test->L;
  Table *t = push_weak(L, "v");
  Value *kept = push_value(L, make_table_value(table_new(L)));
  for (int i = 1; i <= slots; i++) put_new_table(L, t, i);
  table_set_int(L, t, slots, kept);
  gc_collect(test->gc);
  for (int i = 1; i < slots; i++) put_new_table(L, t, i);
  while (test->gc->phase != PHASE_CLEAR_VALUES) gc_step_work(test->gc, 1);
  for (int i = 0; i < units; i++) gc_step_work(test->gc, 1);
  for (char name[] = "a"; *name < 'k'; ++*name)
    set_field(L, t, name, make_integer(1));
  while (test->gc->phase != PHASE_PAUSE) gc_step_work(test->gc, 1);
  assert_int_equal(count_entries(L, t), 11);
  table_check(L, t);
  object_test_pop(L, 2);
}

OBJECT_TEST(test_rebuilt_while_cleared) {
  if (test->mode == MODE_COLLECT) return; /* there are no units */
  test->gc->debug.step_always = false;
  for (int slots = 256; slots <= 4096; slots *= 2)
    for (int units = 0; units < 6; units++)
      rebuild_while_clearing(test, slots, units);
}

/* Strings as keys or values are never lost. */
OBJECT_TEST(test_strings_stay) {
  lua_State *L = test->L;
  TestRandom random = {object_test_seed()};
  static const char *const modes[] = {"k", "v", "kv"};
  for (int m = 0; m < 3; m++) {
    Table *t = push_weak(L, modes[m]);
    for (int i = 0; i < 60; i++) {
      char key[80], value[80];
      snprintf(key, sizeof key, i % 2 ? "key %d" : "%070d", i);
      snprintf(value, sizeof value, i % 3 ? "value %d" : "v%069d", i);
      set_field(L, t, key, make_string_value(string_from_c(L, value)));
      gc_step_work(test->gc, random_below(&random, 100));
    }
    for (int round = 0; round < 50; round++) {
      gc_step_work(test->gc, random_below(&random, 100));
      Value slot[2] = {make_nil(), make_nil()};
      size_t count = 0;
      for (size_t at = 0; (at = table_next_at(L, t, at, slot)) != 0;) {
        assert_true(tag_is_string(slot[0].tag) && tag_is_string(slot[1].tag));
        assert_true(string_length(value_string(&slot[1])) >= 7);
        count++;
      }
      assert_int_equal(count, 60);
    }
    object_test_pop(L, 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_weak_values_go_away),
      cmocka_unit_test(test_weak_keys_go_away),
      cmocka_unit_test(test_chain_of_ephemerons),
      cmocka_unit_test(test_mode_is_read_when_visited),
      cmocka_unit_test(test_cache_in_all_phases),
      cmocka_unit_test(test_memo_grows_in_all_phases),
      cmocka_unit_test(test_rebuilt_while_cleared),
      cmocka_unit_test(test_strings_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
