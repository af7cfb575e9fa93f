/* SPDX-License-Identifier: MIT */
/*
** resurrect.c -- finalizers: order, resurrection, registering again
*/
#include "gc_test.h"

#include <string.h>

enum { MANY = 1500 };

static ToyRef registered_pair(Toy *toy) {
  ToyRef pair = toy_new_pair(toy, 0, 0);
  assert_true(toy_register(toy, pair));
  return pair;
}

/* -- Order and number ------------------------------------------------------ */

/* Finalizers run in reverse order of registration.  References between the
** objects do not matter. */
static void test_reverse_order(void **state) {
  Toy *toy = *state;
  static ToyRef object[MANY];
  for (int i = 0; i < MANY; i++) {
    object[i] = registered_pair(toy);
    if (i > 0) toy_pair_set(toy, object[i], 0, object[i - 1]);
    if (i % 2) toy_pair_set(toy, object[i - 1], 1, object[i]);
  }
  gc_test_cycle(toy);
  for (int i = MANY; i-- > 0;)
    assert_int_equal(toy_next_finalizable(toy), object[i]);
  assert_int_equal(toy_next_finalizable(toy), 0);
  assert_false(gc_has_finalizable(&toy->gc));
  gc_test_cycle(toy);
  assert_int_equal(gc_test_count(toy).all, 0);
}

/* The order is that of registration, not of creation. */
static void test_order_of_registration(void **state) {
  Toy *toy = *state;
  ToyRef a = toy_new_pair(toy, 0, 0), b = toy_new_pair(toy, 0, 0);
  ToyRef c = toy_new_pair(toy, 0, 0);
  assert_true(toy_register(toy, b));
  assert_true(toy_register(toy, a));
  assert_true(toy_register(toy, c));
  assert_true(toy_register(toy, b)); /* registered already: no change */
  gc_test_cycle(toy);
  assert_int_equal(toy_next_finalizable(toy), c);
  assert_int_equal(toy_next_finalizable(toy), a);
  assert_int_equal(toy_next_finalizable(toy), b);
  assert_int_equal(toy_next_finalizable(toy), 0);
}

/* Some objects die in one cycle, some in the next.  The gaps in the list close
** and the order stays the same. */
static void test_gaps_close(void **state) {
  Toy *toy = *state;
  ToyRef kept = toy->root[0] = toy_new_array(toy, MANY);
  for (size_t i = 0; i < MANY; i++)
    toy_array_set(toy, kept, i, registered_pair(toy));
  static const size_t dying[] = {7, 3, 2, 1};
  for (int round = 0; round < 4; round++) {
    for (size_t i = 0; i < MANY; i += dying[round])
      toy_array_set(toy, kept, i, 0);
    gc_test_cycle(toy);
    uint32_t previous = UINT32_MAX;
    for (ToyRef object; (object = toy_next_finalizable(toy)) != 0;) {
      assert_true(toy_id(toy_cell(object)) < previous);
      previous = toy_id(toy_cell(object));
    }
    assert_int_not_equal(previous, UINT32_MAX);
    size_t left = 0;
    for (size_t i = 0; i < MANY; i++) left += toy_array_get(toy, kept, i) != 0;
    assert_int_equal(worklist_count(&toy->gc.finalizable), left);
  }
}

/* An object registered during the separation waits for the next cycle. */
static void test_register_while_separating(void **state) {
  Toy *toy = *state;
  for (int i = 0; i < MANY; i++) registered_pair(toy);
  gc_test_advance(toy, PHASE_SEPARATE);
  size_t late = 0;
  ToyRef kept = toy->root[0] = toy_new_array(toy, 100);
  for (; toy->gc.phase != PHASE_PAUSE && late < 100; late++) {
    toy_array_set(toy, kept, late, registered_pair(toy));
    gc_step_work(&toy->gc, 1);
  }
  gc_test_finish(toy);
  for (int i = 0; i < MANY; i++) assert_true(toy_next_finalizable(toy) != 0);
  assert_int_equal(toy_next_finalizable(toy), 0);
  toy->root[0] = 0;
  gc_test_cycle(toy);
  while (toy_next_finalizable(toy)) late--;
  assert_int_equal(late, 0);
}

/* -- Resurrection ---------------------------------------------------------- */

/* All objects that a finalizable object refers to survive for its finalizer. */
static void test_resurrection(void **state) {
  Toy *toy = *state;
  ToyRef object = registered_pair(toy);
  toy->root[0] = object;
  toy_pair_set(toy, object, 0, gc_test_list(toy, 3000));
  toy_pair_set(toy, object, 1, toy_intern(toy, 4));
  toy->root[0] = 0;
  gc_test_cycle(toy);
  gc_test_cycle(toy); /* it waits in the queue, and lives */
  assert_int_equal(toy_next_finalizable(toy), object);
  assert_int_equal(gc_test_list_length(toy_pair_get(object, 0)), 3000);
  toy->root[0] = object;
  gc_test_cycle(toy);
  assert_int_equal(gc_test_list_length(object), 3001);
  assert_int_equal(toy_pair_get(object, 1), toy_intern(toy, 4));
  toy->root[0] = 0; /* no longer registered: freed without a finalizer */
  gc_test_cycle(toy);
  assert_int_equal(toy_next_finalizable(toy), 0);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 0);
}

static void test_register_again(void **state) {
  Toy *toy = *state;
  ToyRef object = registered_pair(toy);
  for (int i = 0; i < 5; i++) {
    gc_test_cycle(toy);
    assert_int_equal(toy_next_finalizable(toy), object);
    assert_int_equal(toy_next_finalizable(toy), 0);
    assert_true(toy_register(toy, object));
  }
}

/* A queued object counts as registered: it gets one finalizer call, not two. */
static void test_register_while_queued(void **state) {
  Toy *toy = *state;
  ToyRef first = registered_pair(toy), second = registered_pair(toy);
  toy_pair_set(toy, second, 0, first);
  gc_test_cycle(toy);
  assert_int_equal(toy_next_finalizable(toy), second);
  assert_true(toy_register(toy, toy_pair_get(second, 0)));
  gc_test_cycle(toy);
  assert_int_equal(toy_next_finalizable(toy), first);
  gc_test_cycle(toy);
  assert_int_equal(toy_next_finalizable(toy), 0);
}

/* Registering costs one list entry, however many old objects there are. */
static void test_registering_is_cheap(void **state) {
  Toy *toy = *state;
  toy->gc.debug.verify = false;
  gc_set_generational(&toy->gc, true);
  ToyRef kept = toy->root[0] = gc_test_list(toy, 20000);
  gc_collect(&toy->gc);
  uint64_t work = toy->gc.stats.work;
  for (; kept; kept = toy_pair_get(kept, 0))
    assert_true(toy_register(toy, kept));
  assert_int_equal(toy->gc.stats.work, work);
  toy->root[0] = 0;
  gc_collect(&toy->gc);
  size_t count = 0;
  while (toy_next_finalizable(toy)) count++;
  assert_int_equal(count, 20000);
}

/* Objects are taken from the queue while the collector marks it, `each` after
** each unit. */
static void take_while_marking(Toy *toy, int each) {
  for (int i = 0; i < MANY; i++) registered_pair(toy);
  gc_test_cycle(toy);
  size_t taken = 0;
  for (int cycle = 0; taken < MANY; cycle++) {
    gc_step_work(&toy->gc, 1);
    while (toy->gc.phase != PHASE_PAUSE) {
      for (int i = 0; i < each; i++) {
        ToyRef object = toy_next_finalizable(toy);
        if (!object) continue;
        assert_int_equal(toy_kind(object), TOY_PAIR);
        toy->root[taken++ % 8] = object;
      }
      gc_verify(&toy->gc);
      gc_step_work(&toy->gc, 1);
    }
    assert_true(cycle < MANY);
  }
  gc_test_cycle(toy);
  assert_int_equal(gc_test_count(toy).all, 8);
  memset(toy->root, 0, sizeof toy->root);
}

/* The two meet in another place of the queue each time. */
static void test_take_while_marking(void **state) {
  for (int each = 20; each <= 300; each += 17) take_while_marking(*state, each);
}

/* -- Closing --------------------------------------------------------------- */

/* At closing, the queued objects come first.  Then come all registered objects,
** reachable or not, newest first, and those that these finalizers register. */
static void test_close(void **state) {
  Toy *toy = *state;
  ToyRef dead[3];
  for (int i = 0; i < 3; i++) dead[i] = registered_pair(toy);
  gc_test_cycle(toy);
  ToyRef kept = toy->root[0] = toy_new_array(toy, MANY);
  for (size_t i = 0; i < MANY; i++)
    toy_array_set(toy, kept, i, registered_pair(toy));
  gc_test_advance(toy, PHASE_SEPARATE);
  gc_queue_all_finalizable(&toy->gc);
  for (int i = 3; i-- > 0;)
    assert_int_equal(toy_next_finalizable(toy), dead[i]);
  for (size_t i = MANY; i-- > 0;)
    assert_int_equal(toy_next_finalizable(toy), toy_array_get(toy, kept, i));
  ToyRef late = registered_pair(toy);
  assert_int_equal(toy_next_finalizable(toy), late);
  assert_int_equal(toy_next_finalizable(toy), 0);
}

/* Finalizers that run at closing allocate, and the collector continues. */
static void test_collecting_while_closing(void **state) {
  Toy *toy = *state;
  ToyRef kept = toy->root[0] = toy_new_array(toy, MANY);
  for (size_t i = 0; i < MANY; i++)
    toy_array_set(toy, kept, i, registered_pair(toy));
  gc_queue_all_finalizable(&toy->gc);
  size_t count = 0;
  for (ToyRef object; (object = toy_next_finalizable(toy)) != 0; count++) {
    assert_int_equal(toy_kind(object), TOY_PAIR);
    toy->root[1] = object;
    gc_test_list(toy, 10);
    if (count % 3 == 0) toy_array_set(toy, kept, count, 0);
    gc_step_work(&toy->gc, 1);
  }
  assert_int_equal(count, MANY);
}

/* -- Hidden until resurrected ---------------------------------------------- */

/* A weak key that is being resurrected is hidden from the program.  If the
** program found it too early, it could take the key apart while the collector
** visits it. */
static void resurrecting_key_is_hidden(Toy *toy, ToyRef table) {
  toy->root[0] = table;
  ToyRef object = toy_new_pair(toy, 0, 0);
  toy->root[1] = object;
  ToyRef list = gc_test_list(toy, 3000);
  toy_pair_set(toy, object, 0, list);
  toy_table_put(toy, table, object, toy_number(1));
  toy_register(toy, object);
  toy->root[1] = 0;
  bool seen = false;
  gc_step_work(&toy->gc, 1);
  while (toy->gc.phase != PHASE_CLEAR_KEYS) {
    ToyRef key, value;
    for (size_t i = 0; i < toy_table_places(table); i++) {
      if (!toy_table_entry(toy, table, i, &key, &value)) continue;
      if (toy->gc.phase < PHASE_CLEAR_VALUES) continue;
      ToyRef deep = toy_pair_get(key, 0);
      for (int n = 0; n < 2000; n++) deep = toy_pair_get(deep, 0);
      toy->root[2] = deep; /* the rest of the list, cut off */
      toy_pair_set(toy, toy_pair_get(key, 0), 0, 0);
      seen = true;
    }
    gc_step_work(&toy->gc, 1);
  }
  gc_test_finish(toy);
  if (seen) assert_int_equal(gc_test_list_length(toy->root[2]), 999);
  ToyRef key, value;
  size_t entries = 0;
  for (size_t i = 0; i < toy_table_places(table); i++)
    if (toy_table_entry(toy, table, i, &key, &value)) entries++;
  assert_int_equal(entries, 1);
  assert_int_equal(toy_next_finalizable(toy), object);
}

static void test_resurrecting_key_of_ephemeron(void **state) {
  Toy *toy = *state;
  resurrecting_key_is_hidden(toy, toy_new_ephemeron(toy, 8));
}

static void test_resurrecting_key_of_cache(void **state) {
  Toy *toy = *state;
  resurrecting_key_is_hidden(toy, toy_new_cache(toy, 8));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_reverse_order),
      GC_TEST(test_order_of_registration),
      GC_TEST(test_gaps_close),
      GC_TEST(test_register_while_separating),
      GC_TEST(test_resurrection),
      GC_TEST(test_register_again),
      GC_TEST(test_register_while_queued),
      GC_TEST(test_registering_is_cheap),
      GC_TEST(test_take_while_marking),
      GC_TEST(test_close),
      GC_TEST(test_collecting_while_closing),
      GC_TEST(test_resurrecting_key_of_ephemeron),
      GC_TEST(test_resurrecting_key_of_cache),
  };
  return cmocka_run_group_tests_name("resurrection", tests, NULL, NULL);
}
