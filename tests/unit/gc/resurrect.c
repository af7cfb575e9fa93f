/* SPDX-License-Identifier: MIT */
/*
** resurrect.c -- finalizers: order, resurrection, registering again
*/
#include "gc_test.h"

enum { MANY = 700 };

/* What comes back for its finalizer is not the program's yet: found as a weak
** key too early, it could be taken apart while the collector still visits it. */
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
      GC_TEST(test_resurrecting_key_of_ephemeron),
      GC_TEST(test_resurrecting_key_of_cache),
  };
  return cmocka_run_group_tests_name("resurrection", tests, NULL, NULL);
}
