/* SPDX-License-Identifier: MIT */
/*
** growth.c -- tables that are large enough to grow in steps
**
** The bound: no insertion moves more than a few entries, however large the
** table is.  Apart from the time, growth in steps has no visible effect.
*/
#include "object_test.h"

#include "object/table_impl.h"

enum { MOVES_MAX = 256, HUGE_MOVES_MAX = 64, SEARCH_MAX = 8192 };

/* -- The bound ------------------------------------------------------------- */

/* The number of slots and nodes that are still to move. */
static size_t pending_of(const Table *t) {
  TableParts parts = table_parts(t);
  size_t sum = 0;
  for (RetiredPart *r = parts_retired(&parts); r; r = r->older)
    if (r->hash != parts.hash) sum += r->size - r->cursor;
  return sum;
}

/* The entries moved by insertions.  The insertion that retires a part moves at
** most one step of it. */
typedef struct Watch {
  size_t pending;
  size_t most;
  size_t most_huge;     /* the same, for huge parts */
  unsigned retired;     /* how many parts were retired */
  const HashPart *hash; /* the hash part at the last insertion */
  size_t unsearched;    /* its nodes not yet searched for a free one */
  size_t most_searched; /* by one insertion */
} Watch;

static void watch_search(Watch *w, const Table *t) {
  const HashPart *h = table_parts(t).hash;
  if (h == w->hash && hash_has_link(h) && h->free < w->unsearched)
    w->most_searched = size_max(w->most_searched, w->unsearched - h->free);
  w->hash = h;
  w->unsearched = h->free;
}

static void watch(Watch *w, const Table *t) {
  size_t now = pending_of(t);
  if (now > w->pending)
    w->retired++;
  else
    w->most = size_max(w->most, w->pending - now);
  if (now > 2 * TABLE_HUGE && now <= w->pending)
    w->most_huge = size_max(w->most_huge, w->pending - now);
  w->pending = now;
}

static Value key_of(int kind, int i) {
  return kind == 0   ? make_integer(i)
         : kind == 1 ? make_float(i + 0.5)
         : kind == 2 ? make_integer((lua_Integer)i * 7919)
                     : make_integer(((lua_Integer)1 << 40) + i);
}

/* Grows an array, or a hash with floats, with integers, or with integers that
** take one node after the other until all are used. */
static void grow_and_watch(int kind, int count) {
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  Table *t = push_table(L);
  Watch w = {0};
  for (int i = 1; i <= count; i++) {
    Value key = key_of(kind, i), v = make_integer(i);
    table_set(L, t, &key, &v);
    watch(&w, t);
    watch_search(&w, t);
    object_test_poll(&test);
  }
  table_check(L, t);
  for (int i = 1; i <= count; i++) {
    Value key = key_of(kind, i), out;
    assert_true(table_get(L, t, &key, &out));
    assert_int_equal(out.as.i, i);
  }
  assert_true(w.retired >= 3);
  assert_in_range(w.most, 1, MOVES_MAX);
  assert_in_range(w.most_huge, 1, HUGE_MOVES_MAX);
  assert_in_range(w.most_searched, 0, SEARCH_MAX);
  object_test_close(&test);
}

static void test_bound(void **unused) {
  (void)unused;
  for (int kind = 0; kind < 4; kind++) grow_and_watch(kind, 300000);
}

/* -- The model: what each of many keys should hold ------------------------- */

enum { KEYS = 40000 };

typedef struct Model {
  ObjectTest *test;
  Table *table;
  lua_Integer *value; /* of KEYS integers and KEYS floats; 0: absent */
  TestRandom random;
} Model;

static Value model_key(int i) {
  return i < KEYS ? make_integer(i + 1) : make_float(i + 0.5);
}

static void model_set(Model *m, int i, lua_Integer number) {
  Value key = model_key(i);
  Value v = number ? make_integer(number) : make_nil();
  table_set(m->test->L, m->table, &key, &v);
  m->value[i] = number;
}

static void model_compare(Model *m, int i) {
  Value key = model_key(i), out;
  bool found = table_get(m->test->L, m->table, &key, &out);
  assert_int_equal(found, m->value[i] != 0);
  if (found) assert_int_equal(out.as.i, m->value[i]);
}

static int model_index(const Value *key) {
  return key->tag == TAG_INTEGER ? (int)key->as.i - 1 : (int)(key->as.n - 0.5);
}

/* A walk that overwrites and clears entries on its way sees each entry once. */
static void model_walk(Model *m) {
  lua_State *L = m->test->L;
  int expected = 0, seen = 0;
  for (int i = 0; i < 2 * KEYS; i++) expected += m->value[i] != 0;
  Value slot[2] = {make_nil(), make_nil()};
  while (table_next(L, m->table, slot)) {
    int i = model_index(&slot[0]);
    assert_int_equal(slot[1].as.i, m->value[i]);
    seen++;
    if (seen % 5 == 0)
      model_set(m, i, 0);
    else if (seen % 5 == 1)
      model_set(m, i, seen);
  }
  assert_int_equal(seen, expected);
}

static void model_length(Model *m) {
  lua_State *L = m->test->L;
  Value out;
  lua_Unsigned n = table_length(L, m->table);
  if (n > 0) assert_true(table_get_int(L, m->table, (lua_Integer)n, &out));
  assert_false(table_get_int(L, m->table, (lua_Integer)n + 1, &out));
}

/* Alternately fills in some order or at random, and clears some entries.
** Arrays form from hashes and dissolve again. */
static void model_round(Model *m, int round) {
  int order = round % 4;
  int count = 5000 + (int)random_below(&m->random, KEYS - 5000);
  int keep = (int)random_below(&m->random, 90);
  for (int n = 0; n < count; n++) {
    int i = order == 0   ? n
            : order == 1 ? count - 1 - n
            : order == 2 ? KEYS + n
                         : (int)random_below(&m->random, 2 * KEYS);
    bool clear = !random_chance(&m->random, (unsigned)keep);
    model_set(m, i, clear && order == 3 ? 0 : n + 1);
    if (n % 64 == 0) {
      model_compare(m, (int)random_below(&m->random, 2 * KEYS));
      model_length(m);
      gc_step_work(m->test->gc, 300);
    }
    if (n % 4099 == 0) table_check(m->test->L, m->table);
  }
}

static void model_empty(Model *m, int from, int to) {
  for (int i = from; i < to; i++) model_set(m, i, 0);
}

static void test_model(void **unused) {
  (void)unused;
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  Model m = {.test = &test, .random = {object_test_seed()}};
  m.value = calloc(2 * KEYS, sizeof *m.value);
  m.table = push_table(test.L);
  for (int round = 0; round < 40; round++) {
    model_round(&m, round);
    model_walk(&m);
    if (round % 3 == 2) model_empty(&m, 0, KEYS);
    if (round % 5 == 4) model_empty(&m, KEYS, 2 * KEYS);
    for (int i = 0; i < 2 * KEYS; i += 7) model_compare(&m, i);
    table_check(test.L, m.table);
    gc_verify(test.gc);
  }
  free(m.value);
  object_test_close(&test);
}

/* -- Shapes ---------------------------------------------------------------- */

/* Integers that arrive in descending order end up in the array.  (In stress
** builds entries of one growth still move when the next one begins, and the
** array waits for them.) */
static void test_filled_downwards(void **unused) {
  (void)unused;
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  Table *t = push_table(L);
  enum { COUNT = 100000 };
  for (int i = COUNT; i >= 1; i--) {
    Value v = make_integer(i);
    table_set_int(L, t, i, &v);
  }
  table_check(L, t);
  assert_int_equal(table_length(L, t), COUNT);
  assert_true(PENUMBRA_STRESS || table_parts(t).array_size >= COUNT / 2);
  object_test_close(&test);
}

/* A walk sees `count` entries, and each value under its own key.  A tool finds
** the index of every slot. */
static void check_entries(lua_State *L, Table *t, size_t count) {
  Value slot[2] = {make_nil(), make_nil()};
  size_t seen = 0;
  for (; table_next(L, t, slot); seen++) {
    lua_Integer key = slot[0].tag == TAG_INTEGER
                          ? slot[0].as.i
                          : (lua_Integer)(slot[0].as.n - 0.5);
    if (slot[1].as.i != key) fail_msg("%lld under %lld", slot[1].as.i, key);
  }
  assert_int_equal(seen, count);
  table_check(L, t);
}

static void check_slots(const Table *t) {
  TableParts parts = table_parts(t);
  for (RetiredPart *r = parts_retired(&parts); r; r = r->older)
    if (r->array)
      for (size_t i = r->cursor; i < r->size; i += 97)
        assert_int_equal(table_slot_index(t, &r->array[i]), i + 1);
}

static void set_number(lua_State *L, Table *t, int kind, int i) {
  Value key = key_of(kind, i), v = make_integer(i);
  table_set(L, t, &key, &v);
}

/* A table with a large hash gets a large array, which takes integers over from
** the hash.  With `both`, the hash grows meanwhile. */
static void grow_mixed(bool both) {
  enum { FLOATS = 6000, FIRST = 40000, AHEAD = 1000, COUNT = 70000 };
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  Table *t = push_table(L);
  size_t count = FLOATS + AHEAD;
  unsigned checks = 0;
  for (int i = 1; i <= FLOATS; i++) set_number(L, t, 1, i);
  for (int i = FIRST; i < FIRST + AHEAD; i++) set_number(L, t, 0, i);
  for (int i = 1; i <= COUNT; i++) {
    count += i < FIRST || i >= FIRST + AHEAD;
    set_number(L, t, 0, i);
    if (both && i > FLOATS) {
      set_number(L, t, 1, i);
      count++;
    }
    TableParts parts = table_parts(t);
    if (parts_retired(&parts) && i % 64 == 1 && checks < 300) {
      checks++;
      check_entries(L, t, count);
      check_slots(t);
    }
    object_test_poll(&test);
  }
  check_entries(L, t, count);
  assert_true(checks > 10);
  assert_true(PENUMBRA_STRESS || table_parts(t).array_size >= COUNT / 2);
  object_test_close(&test);
}

/* A table with a large hash gets a larger array all at once, and then changes
** in every way before the integers have left the hash. */
static void grow_adopted(bool hash_first) {
  enum { SLOTS = 12000, FLOATS = 7200, AHEAD = 18000, ROOM = 20000 };
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  Table *t = push_table(L);
  size_t count = SLOTS + FLOATS + 100;
  for (int i = 1; i <= SLOTS; i++) set_number(L, t, 0, i);
  for (int i = 1; i <= FLOATS; i++) set_number(L, t, 1, i);
  for (int i = AHEAD; i < AHEAD + 100; i++) set_number(L, t, 0, i);
  check_entries(L, t, count);
  table_resize(L, t, ROOM, 0);
  assert_true(PENUMBRA_STRESS || table_parts(t).array_size == ROOM);
  check_entries(L, t, count);
  set_number(L, t, 0, ROOM + 1); /* the array waits, and this one too */
  check_entries(L, t, ++count);
  for (int i = SLOTS + 1; !hash_first && i < AHEAD; i++) {
    set_number(L, t, 0, i);
    count++;
    if (i % 64 == 0) check_entries(L, t, count);
  }
  for (int i = FLOATS + 1; i <= FLOATS + 1500; i++) {
    set_number(L, t, 1, i);
    count++;
    if (i % 16 == 0) check_entries(L, t, count);
    if (i % 20 == 0) gc_step_work(test.gc, 300);
  }
  if (hash_first) count += AHEAD - SLOTS - 1;
  for (int i = SLOTS + 1; i < AHEAD; i++) set_number(L, t, 0, i);
  check_entries(L, t, count);
  object_test_close(&test);
}

static void test_adopted(void **unused) {
  (void)unused;
  grow_adopted(false);
  grow_adopted(true);
}

/* True if the array takes keys over from the hash while older parts are left. */
static bool adopts_before_others(const Table *t) {
  TableParts parts = table_parts(t);
  RetiredPart *r = parts_retired(&parts);
  while (r && r->hash != parts.hash) r = r->older;
  return r && r->older;
}

/* A full array grows while the hash is growing.  When the hash began to grow the
** array had `filled` items; if these are few, it was not made larger then. */
static void append_while_growing(int filled) {
  enum { SLOTS = 32768, MORE = 300 };
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  Table *t = push_table(L);
  for (int i = 1; i <= filled; i++) set_number(L, t, 0, i);
  int floats = 0;
  for (bool growing = false; floats < 40000 || !growing;) {
    set_number(L, t, 1, ++floats);
    TableParts parts = table_parts(t);
    growing = parts_retired(&parts) != NULL;
  }
  for (int i = filled + 1; i <= SLOTS; i++) set_number(L, t, 0, i);
  bool seen = false;
  for (int i = 1; i <= MORE; i++) {
    set_number(L, t, 0, SLOTS + i);
    seen |= adopts_before_others(t);
    if (i % 16 == 1) check_entries(L, t, (size_t)(SLOTS + floats + i));
  }
  check_entries(L, t, (size_t)(SLOTS + floats + MORE));
  assert_true(PENUMBRA_STRESS || seen || filled == SLOTS);
  object_test_close(&test);
}

static void test_appended_while_growing(void **unused) {
  (void)unused;
  append_while_growing(32768);
  append_while_growing(28000);
}

/* A table that has to grow again before its entries have moved gets room for
** those that are still to come. */
static void test_grows_again(void **unused) {
  (void)unused;
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  Table *t = push_table(L);
  int floats = 0;
  for (bool growing = false; floats < 5000 || !growing;) {
    set_number(L, t, 1, ++floats);
    TableParts parts = table_parts(t);
    growing = parts_retired(&parts) != NULL;
  }
  Value key = key_of(1, floats + 1);
  table_grow_for(L, t, &key);
  assert_true(PENUMBRA_STRESS ||
              hash_size(table_parts(t).hash) >= (size_t)floats);
  check_entries(L, t, (size_t)floats);
  for (int i = floats + 1; i <= 2 * floats; i++) set_number(L, t, 1, i);
  check_entries(L, t, 2 * (size_t)floats);
  object_test_close(&test);
}

static void test_mixed(void **unused) {
  (void)unused;
  grow_mixed(false);
  grow_mixed(true);
}

/* The memory of a long queue is proportional to its contents. */
static void test_queue(void **unused) {
  (void)unused;
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  Table *t = push_table(L);
  enum { LENGTH = 30000 };
  for (int i = 1; i <= 40 * LENGTH; i++) {
    Value v = make_integer(i), nil = make_nil();
    table_set_int(L, t, i, &v);
    if (i > LENGTH) table_set_int(L, t, i - LENGTH, &nil);
    object_test_poll(&test);
  }
  table_check(L, t);
  gc_collect(test.gc);
  assert_true(gc_count(test.gc) < (size_t)LENGTH * 24 * 8);
  object_test_close(&test);
}

/* -- Weak tables ----------------------------------------------------------- */

static Table *push_weak(lua_State *L, const char *mode) {
  Table *t = push_table(L);
  Table *meta = push_table(L);
  set_field(L, meta, "__mode", make_string_value(string_from_c(L, mode)));
  table_set_metatable(L, t, meta);
  return t;
}

/* Adds entries while the collector removes others.  `kept` holds every tenth
** object.  These must stay, and no dead object may be visible. */
static void grow_weak(const char *mode, bool generational) {
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  gc_set_generational(test.gc, generational);
  Table *t = push_weak(L, mode), *kept = push_table(L);
  enum { COUNT = 60000 };
  for (int i = 1; i <= COUNT; i++) {
    Value *object = push_value(L, make_table_value(table_new(L)));
    Value number = make_integer(i);
    if (i % 10 == 0) table_set_int(L, kept, i / 10, object);
    if (strchr(mode, 'k'))
      table_set(L, t, object, &number);
    else
      table_set(L, t, &number, object);
    object_test_pop(L, 1);
    gc_step_work(test.gc, 40);
    if (i % 9973 == 0) table_check(L, t);
    if (i % 9973 == 0) gc_verify(test.gc);
  }
  gc_collect(test.gc);
  size_t count = 0;
  Value slot[2] = {make_nil(), make_nil()};
  for (size_t at = 0; (at = table_next_at(L, t, at, slot)) != 0;) count++;
  assert_int_equal(count, COUNT / 10);
  object_test_close(&test);
}

/* A weak array of live objects grows while cycles clear it. */
static void test_weak_array(void **unused) {
  enum { COUNT = 70000 };
  (void)unused;
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  Table *t = push_weak(L, "v"), *kept = push_table(L);
  for (int i = 1; i <= COUNT; i++) {
    Value *object = push_value(L, make_table_value(table_new(L)));
    table_set_int(L, kept, i, object);
    table_set_int(L, t, i, object);
    object_test_pop(L, 1);
    gc_step_work(test.gc, pending_of(t) > 0 ? 1500 : 100);
  }
  for (int i = 1; i <= COUNT; i++) {
    Value a, b;
    assert_true(table_get_int(L, t, i, &a) && table_get_int(L, kept, i, &b));
    assert_ptr_equal(a.as.cell, b.as.cell);
  }
  object_test_pop(L, 1); /* kept */
  gc_collect(test.gc);
  Value slot[2] = {make_nil(), make_nil()};
  assert_int_equal(table_next_at(L, t, 0, slot), 0);
  object_test_close(&test);
}

static void test_weak(void **unused) {
  (void)unused;
  grow_weak("v", false);
  grow_weak("k", false);
  grow_weak("kv", false);
  grow_weak("k", true);
  grow_weak("v", true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bound),
      cmocka_unit_test(test_model),
      cmocka_unit_test(test_filled_downwards),
      cmocka_unit_test(test_mixed),
      cmocka_unit_test(test_adopted),
      cmocka_unit_test(test_appended_while_growing),
      cmocka_unit_test(test_grows_again),
      cmocka_unit_test(test_queue),
      cmocka_unit_test(test_weak),
      cmocka_unit_test(test_weak_array),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
