/* SPDX-License-Identifier: MIT */
/*
** weak.c -- weak arrays, ephemerons, caches, and the set of symbols
*/
#include "gc_test.h"

static size_t entries(Toy *toy, ToyRef table) {
  size_t count = 0;
  ToyRef key, value;
  for (size_t i = 0; i < toy_table_places(table); i++)
    if (toy_table_entry(toy, table, i, &key, &value)) count++;
  return count;
}

/* -- Values ---------------------------------------------------------------- */

static void test_weak_values(void **state) {
  Toy *toy = *state;
  ToyRef weak = toy_new_weak_array(toy, 5);
  toy->root[0] = weak;
  toy->root[1] = toy_new_pair(toy, 0, 0);
  toy_array_set(toy, weak, 0, toy->root[1]);
  toy_array_set(toy, weak, 1, toy_new_pair(toy, 0, 0));
  toy_array_set(toy, weak, 2, toy_new_leaf(toy, 40));
  toy_array_set(toy, weak, 3, toy_number(17));
  toy_array_set(toy, weak, 4, toy_intern(toy, 5));
  gc_test_cycle(toy);
  assert_int_equal(toy_array_get(toy, weak, 0), toy->root[1]);
  assert_int_equal(toy_array_get(toy, weak, 1), 0);
  assert_int_equal(toy_array_get(toy, weak, 2), 0);
  assert_int_equal(toy_array_get(toy, weak, 3), toy_number(17));
  assert_int_equal(toy_kind(toy_array_get(toy, weak, 4)), TOY_SYMBOL);
  assert_int_equal(gc_test_count(toy).kind[TOY_LEAF], 0);
}

/* From the end of marking on, a dead value is hidden, whether it is cleared yet
** or not.  Before that the program can take it out, and it lives. */
static void test_dead_values_do_not_show(void **state) {
  Toy *toy = *state;
  ToyRef weak = toy_new_weak_array(toy, 3000);
  toy->root[0] = weak;
  for (size_t i = 0; i < 3000; i++)
    toy_array_set(toy, weak, i, toy_new_pair(toy, 0, 0));
  gc_test_advance(toy, PHASE_AGAIN);
  toy->root[1] = toy_array_get(toy, weak, 2999);
  assert_true(toy->root[1] != 0);
  gc_test_advance(toy, PHASE_CLEAR_VALUES);
  assert_true(toy_array(weak)->part->slot[2000] != 0); /* not cleared yet, */
  for (; toy->gc.phase != PHASE_PAUSE; gc_step_work(&toy->gc, 1))
    for (size_t i = 0; i < 2999; i++)
      assert_int_equal(toy_array_get(toy, weak, i), 0); /* but hidden */
  assert_int_equal(toy_array_get(toy, weak, 2999), toy->root[1]);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 1);
}

/* A store into a weak array that was cleared, or is being cleared. */
static void test_store_while_clearing(void **state) {
  Toy *toy = *state;
  ToyRef weak = toy_new_weak_array(toy, 2000);
  toy->root[0] = weak;
  gc_test_advance(toy, PHASE_CLEAR_VALUES);
  for (size_t i = 0; toy->gc.phase != PHASE_PAUSE; i++) {
    toy_array_set(toy, weak, i % 2000, toy_new_pair(toy, 0, 0));
    if (i == 3) assert_true(toy_array_resize(toy, weak, 5000));
    assert_true(toy_array_get(toy, weak, i % 2000) != 0);
    gc_step_work(&toy->gc, 1);
  }
  gc_collect(&toy->gc);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 0);
}

/* -- Ephemerons ------------------------------------------------------------ */

static void test_ephemeron_entries(void **state) {
  Toy *toy = *state;
  ToyRef table = toy_new_ephemeron(toy, 16);
  toy->root[0] = table;
  ToyRef key = toy->root[1] = toy_new_pair(toy, 0, 0);
  toy_table_put(toy, table, key, toy->root[2] = toy_new_pair(toy, 0, 0));
  toy->root[3] = toy_new_pair(toy, 0, 0);
  toy_table_put(toy, table, toy->root[3], toy->root[3]); /* value is the key */
  toy->root[2] = toy_new_leaf(toy, 30);
  toy_table_put(toy, table, toy->root[2], toy_number(1)); /* a leaf is strong */
  toy_table_put(toy, table, toy_intern(toy, 1), toy_number(2));
  toy->root[2] = toy->root[3] = 0;
  gc_test_cycle(toy);
  assert_int_equal(entries(toy, table), 3);
  assert_int_equal(toy_kind(toy_table_get(toy, table, key)), TOY_PAIR);
  toy->root[1] = 0;
  gc_test_cycle(toy);
  assert_int_equal(entries(toy, table), 2);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 0);
}

/* Two tables keep each other's keys, but nothing else refers to these keys. */
static void test_ephemeron_cycle(void **state) {
  Toy *toy = *state;
  ToyRef one = toy->root[0] = toy_new_ephemeron(toy, 4);
  ToyRef two = toy->root[1] = toy_new_ephemeron(toy, 4);
  ToyRef a = toy->root[2] = toy_new_pair(toy, 0, 0);
  ToyRef b = toy->root[3] = toy_new_pair(toy, 0, 0);
  toy_table_put(toy, one, a, b);
  toy_table_put(toy, two, b, a);
  toy->root[2] = toy->root[3] = 0;
  gc_test_cycle(toy);
  assert_int_equal(entries(toy, one) + entries(toy, two), 0);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 0);
}

/* A chain key -> value = next key ..., in one table or with one table for each
** entry.  `from_end`: creates them so that the visit meets the entries in the
** worst order. */
static size_t chain_work(size_t length, bool many_tables, bool from_end) {
  Toy toy;
  gc_test_open(&toy);
  toy.gc.debug.verify = toy.gc.debug.checkmark = false;
  size_t capacity = 4;
  while (capacity < 2 * length) capacity *= 2;
  ToyRef keys = toy.root[0] = toy_new_array(&toy, length + 1);
  ToyRef tables = toy.root[1] = toy_new_array(&toy, many_tables ? length : 1);
  for (size_t i = 0; i <= length; i++)
    toy_array_set(&toy, keys, i, toy_new_pair(&toy, 0, 0));
  if (!many_tables)
    toy_array_set(&toy, tables, 0, toy_new_ephemeron(&toy, capacity));
  for (size_t n = 0; n < length; n++) {
    size_t i = from_end ? length - 1 - n : n;
    if (many_tables) toy_array_set(&toy, tables, i, toy_new_ephemeron(&toy, 4));
    ToyRef table = toy_array_get(&toy, tables, many_tables ? i : 0);
    assert_true(toy_table_put(&toy, table, toy_array_get(&toy, keys, i),
                              toy_array_get(&toy, keys, i + 1)));
  }
  toy.root[2] = toy_array_get(&toy, keys, 0);
  toy.root[0] = 0;
  size_t before = (size_t)toy.gc.stats.work;
  gc_test_cycle(&toy);
  size_t work = (size_t)toy.gc.stats.work - before;
  assert_int_equal(gc_test_count(&toy).kind[TOY_PAIR], length + 1);
  toy.root[2] = 0;
  gc_test_cycle(&toy);
  assert_int_equal(gc_test_count(&toy).kind[TOY_PAIR], 0);
  gc_test_close(&toy);
  return work;
}

/* The work per entry is constant, however long the chain is. */
static void test_chain_is_linear(void **state) {
  (void)state;
  for (int shape = 0; shape < 4; shape++) {
    size_t small = chain_work(1000, shape & 1, shape & 2);
    size_t large = chain_work(30000, shape & 1, shape & 2);
    if (large > 2 * 30 * small)
      fail_msg("shape %d: %zu units for 1000, %zu for 30000", shape, small,
               large);
  }
}

/* The program adds, replaces and removes entries while marking is under way. */
static void test_ephemeron_changes_while_marking(void **state) {
  Toy *toy = *state;
  ToyRef table = toy->root[0] = toy_new_ephemeron(toy, 8);
  ToyRef list = toy->root[1] = gc_test_list(toy, 3000), last = list;
  while (toy_pair_get(last, 0)) last = toy_pair_get(last, 0);
  toy_table_put(toy, table, last, toy_new_pair(toy, 0, 0));
  gc_test_advance(toy, PHASE_MARK);
  while (!gc_test_is_black(table)) gc_step_work(&toy->gc, 1);
  assert_true(gc_test_is_white(last)); /* undecided */
  ToyRef value = toy->root[2] = toy_new_pair(toy, 0, 0);
  toy_table_put(toy, table, last, value); /* replaced after the visit */
  toy->root[2] = 0;
  for (int i = 0; i < 100; i++) { /* the table grows, too */
    ToyRef key = toy->root[3] = toy_new_pair(toy, toy->root[3], 0);
    toy_table_put(toy, table, key, toy_new_leaf(toy, 20));
    if (i % 10 == 0) gc_step_work(&toy->gc, 1);
  }
  gc_test_finish(toy);
  assert_int_equal(toy_table_get(toy, table, last), value);
  assert_true(gc_test_exists(toy, value));
  assert_int_equal(entries(toy, table), 101);
}

/* -- Caches ---------------------------------------------------------------- */

static void test_cache_entries(void **state) {
  Toy *toy = *state;
  ToyRef cache = toy->root[0] = toy_new_cache(toy, 16);
  ToyRef both = toy->root[1] = toy_new_pair(toy, 0, 0);
  toy_table_put(toy, cache, both, both);
  toy_table_put(toy, cache, toy_new_pair(toy, 0, 0), both);
  ToyRef other = toy->root[2] = toy_new_pair(toy, 0, 0);
  toy_table_put(toy, cache, other, toy_new_pair(toy, 0, 0));
  toy_table_put(toy, cache, toy_new_leaf(toy, 20), both);
  toy_table_put(toy, cache, toy_intern(toy, 3), both);
  assert_int_equal(entries(toy, cache), 5);
  gc_test_cycle(toy);
  assert_int_equal(entries(toy, cache), 2);
  assert_int_equal(toy_table_get(toy, cache, both), both);
  assert_int_equal(toy_table_get(toy, cache, toy_intern(toy, 3)), both);
  assert_int_equal(toy_table_get(toy, cache, other), 0);
}

/* -- Finalizable objects in weak containers -------------------------------- */

/* Weak values are cleared before the finalizer runs, weak keys when the object
** is freed. */
static void test_finalizable_in_weak_containers(void **state) {
  Toy *toy = *state;
  ToyRef weak = toy->root[0] = toy_new_weak_array(toy, 1);
  ToyRef table = toy->root[1] = toy_new_ephemeron(toy, 4);
  ToyRef cache = toy->root[2] = toy_new_cache(toy, 4);
  ToyRef object = toy->root[3] = toy_new_pair(toy, 0, 0);
  toy_array_set(toy, weak, 0, object);
  toy_table_put(toy, table, object, toy_new_leaf(toy, 25));
  toy_table_put(toy, cache, object, weak);
  toy_register(toy, object);
  toy->root[3] = 0;
  gc_test_cycle(toy);
  assert_int_equal(toy_array_get(toy, weak, 0), 0);
  assert_int_equal(entries(toy, table), 1);
  assert_int_equal(entries(toy, cache), 1);
  assert_int_equal(toy_next_finalizable(toy), object);
  assert_int_equal(toy_kind(toy_table_get(toy, table, object)), TOY_LEAF);
  gc_test_cycle(toy);
  assert_int_equal(entries(toy, table) + entries(toy, cache), 0);
  assert_int_equal(gc_test_count(toy).kind[TOY_LEAF], 0);
}

/* A weak array that only a finalizer can reach keeps the objects that the
** finalizer can reach. */
static void test_resurrected_weak_containers(void **state) {
  Toy *toy = *state;
  ToyRef object = toy->root[0] = toy_new_array(toy, 3);
  ToyRef weak = toy_new_weak_array(toy, 3);
  toy_array_set(toy, object, 0, weak);
  ToyRef kept = toy_new_pair(toy, 0, 0);
  toy_array_set(toy, object, 1, kept);
  toy_array_set(toy, weak, 0, kept);
  toy_array_set(toy, weak, 1, toy_new_pair(toy, 0, 0));
  toy_array_set(toy, weak, 2, object);
  toy_register(toy, object);
  toy->root[0] = 0;
  gc_test_cycle(toy);
  assert_int_equal(toy_next_finalizable(toy), object);
  assert_int_equal(toy_array_get(toy, weak, 0), kept);
  assert_int_equal(toy_array_get(toy, weak, 1), 0);
  assert_int_equal(toy_array_get(toy, weak, 2), object);
}

/* -- Symbols --------------------------------------------------------------- */

/* A symbol that is interned in any phase is unique, and lives from then on. */
static void test_symbols_in_every_phase(void **state) {
  Toy *toy = *state;
  for (GcPhase phase = PHASE_MARK; phase <= PHASE_SWEEP; phase++) {
    for (uint32_t key = 0; key < 600; key++) toy_intern(toy, key);
    gc_test_finish(toy);
    gc_test_advance(toy, phase);
    for (uint32_t key = 0; key < 600; key += 100) {
      ToyRef symbol = toy_intern(toy, key);
      assert_int_equal(toy_intern(toy, key), symbol);
      toy->root[key / 100] = symbol;
    }
    gc_test_finish(toy);
    for (uint32_t key = 0; key < 600; key += 100) {
      assert_true(gc_test_exists(toy, toy->root[key / 100]));
      assert_int_equal(toy_intern(toy, key), toy->root[key / 100]);
    }
    memset(toy->root, 0, sizeof toy->root);
    gc_collect(&toy->gc);
    assert_int_equal(toy->set_count, 0);
    assert_int_equal(gc_test_count(toy).all, 0);
  }
}

/* The set grows during its sweep. */
static void test_set_grows_while_swept(void **state) {
  Toy *toy = *state;
  for (uint32_t key = 0; key < 4000; key++) toy_intern(toy, key);
  gc_test_advance(toy, PHASE_SWEEP_SET);
  gc_step_work(&toy->gc, 1);
  ToyRef kept = toy->root[0] = toy_new_array(toy, 6000);
  for (uint32_t key = 0; key < 6000; key++)
    toy_array_set(toy, kept, key, toy_intern(toy, 10000 + key));
  gc_test_finish(toy);
  assert_int_equal(toy->set_count, 6000);
  for (uint32_t key = 0; key < 6000; key++)
    assert_int_equal(toy_array_get(toy, kept, key),
                     toy_intern(toy, 10000 + key));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_weak_values),
      GC_TEST(test_dead_values_do_not_show),
      GC_TEST(test_store_while_clearing),
      GC_TEST(test_ephemeron_entries),
      GC_TEST(test_ephemeron_cycle),
      GC_TEST(test_chain_is_linear),
      GC_TEST(test_ephemeron_changes_while_marking),
      GC_TEST(test_cache_entries),
      GC_TEST(test_finalizable_in_weak_containers),
      GC_TEST(test_resurrected_weak_containers),
      GC_TEST(test_symbols_in_every_phase),
      GC_TEST(test_set_grows_while_swept),
  };
  return cmocka_run_group_tests_name("weak objects", tests, NULL, NULL);
}
