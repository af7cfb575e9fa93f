/* SPDX-License-Identifier: MIT */
/*
** emergency.c -- when memory runs out
**
** The program gets a collection first, and then a clean refusal.  The collector
** is refused memory for its own lists, and finds their objects in another way.
*/
#include "gc_test.h"

enum { LIMIT = 1 << 20 };

/* -- Garbage makes room ---------------------------------------------------- */

/* An emergency with no step before it, and before any list exists. */
static void test_garbage_makes_room(void **state) {
  Toy *toy = *state;
  toy->gc.debug.verify = toy->gc.debug.checkmark = false;
  gc_set_limit(&toy->gc, LIMIT);
  for (int i = 0; i < 200000; i++) {
    ToyRef pair = toy_new_pair(toy, 0, 0);
    if (!pair) fail_msg("refused at object %d", i);
    if (i % 1000 == 0) toy->root[0] = toy_new_pair(toy, toy->root[0], 0);
    assert_true(toy->allocator.bytes <= LIMIT);
  }
  assert_true(toy->gc.stats.emergencies >= 3);
  assert_int_equal(gc_test_list_length(toy->root[0]), 200);
}

static void test_garbage_makes_room_for_large(void **state) {
  Toy *toy = *state;
  gc_set_limit(&toy->gc, LIMIT);
  for (int i = 0; i < 50; i++) {
    toy->root[0] = toy_new_array(toy, LIMIT / 2 / sizeof(ToyRef));
    assert_true(toy->root[0] != 0);
    toy->root[0] = 0;
  }
  ToyRef array = toy->root[0] = toy_new_array(toy, 1000);
  toy_new_leaf(toy, LIMIT / 2);
  assert_true(toy_array_resize(toy, array, LIMIT / 2 / sizeof(ToyRef)));
}

/* A heap full of live objects: the allocation is refused and nothing changes.
** Allocation works again when there is room. */
static void test_clean_refusal(void **state) {
  Toy *toy = *state;
  gc_set_limit(&toy->gc, LIMIT);
  size_t length = 0;
  for (ToyRef pair; (pair = toy_new_pair(toy, toy->root[0], 0)) != 0;) {
    toy->root[0] = pair;
    length++;
  }
  assert_true(length * 32 > LIMIT / 2);
  assert_int_equal(toy_new_leaf(toy, LIMIT / 4), 0);
  assert_int_equal(toy_new_array(toy, LIMIT / 16), 0);
  gc_verify(&toy->gc);
  assert_int_equal(gc_test_list_length(toy->root[0]), length);
  gc_set_limit(&toy->gc, 2 * LIMIT);
  assert_true(toy_new_leaf(toy, LIMIT / 4) != 0);
  gc_set_limit(&toy->gc, LIMIT);
  toy->root[0] = 0;
  for (int i = 0; i < 1000; i++) assert_true(toy_new_pair(toy, 0, 0) != 0);
}

/* An allocation in any phase may become an emergency. */
static void test_emergency_in_every_phase(void **state) {
  Toy *toy = *state;
  for (int mode = 0; mode < 2; mode++)
    for (int phase = PHASE_MARK; phase <= PHASE_SWEEP; phase++) {
      gc_set_generational(&toy->gc, mode);
      toy->root[0] = gc_test_list(toy, 1000);
      ToyRef object = toy_new_pair(toy, 0, 0);
      assert_true(toy_register(toy, object));
      toy->root[1] = toy_new_weak_array(toy, 1);
      toy_array_set(toy, toy->root[1], 0, toy_new_pair(toy, 0, 0));
      gc_test_list(toy, 1000);
      gc_test_advance(toy, (GcPhase)phase);
      toy->root[2] = toy_new_pair(toy, 0, 0);
      uint64_t emergencies = toy->gc.stats.emergencies;
      gc_set_limit(&toy->gc, toy->gc.heap.footprint);
      assert_int_equal(toy_new_leaf(toy, LIMIT), 0);
      gc_set_limit(&toy->gc, 0);
      assert_int_equal(toy->gc.stats.emergencies, emergencies + 1);
      assert_int_equal(toy->gc.phase, PHASE_PAUSE);
      assert_false(toy->gc.emergency);
      assert_int_equal(gc_test_list_length(toy->root[0]), 1000);
      assert_int_equal(toy_array_get(toy, toy->root[1], 0), 0);
      assert_true(gc_test_exists(toy, toy->root[2]));
      assert_int_equal(toy_next_finalizable(toy), object);
      memset(toy->root, 0, sizeof toy->root);
      gc_collect(&toy->gc);
      assert_int_equal(gc_test_count(toy).all, 0);
    }
}

/* -- The collector's own memory -------------------------------------------- */

enum { PAGES_MAX = 20000 };

static void *taken[PAGES_MAX];
static size_t taken_count;

/* Refuses every request from now on, and leaves no page of the heap free. */
static void refuse_memory(Toy *toy) {
  test_allocator_fail(&toy->allocator, 1, true);
  taken_count = 0;
  for (void *page; (page = heap_pages_allocate(&toy->gc.heap, 1)) != NULL;)
    taken[taken_count++] = page;
}

static void allow_memory(Toy *toy) {
  test_allocator_obey(&toy->allocator);
  while (taken_count > 0)
    heap_pages_free(&toy->gc.heap, taken[--taken_count], 1);
}

/* Runs a cycle, unit by unit, without any memory. */
static void cycle_without_memory(Toy *toy) {
  refuse_memory(toy);
  uint64_t refused = toy->allocator.refused;
  gc_test_cycle(toy);
  assert_true(toy->allocator.refused > refused);
  allow_memory(toy);
}

/* Makes the lists in a first small cycle.  They cannot grow afterwards. */
static void small_cycle(Toy *toy) {
  toy->root[15] = toy_new_pair(toy, 0, 0);
  gc_test_cycle(toy);
  toy->root[15] = 0;
}

/* Makes arrays whose last slot refers to the next one.  The visit finds more
** and more of them before it returns to the remaining slots. */
static ToyRef comb(Toy *toy, size_t depth) {
  ToyRef array = 0;
  for (size_t n = 0; n < depth; n++) {
    toy->root[0] = array;
    ToyRef next = toy_new_array(toy, 200);
    toy_array_set(toy, next, 199, array);
    toy->root[0] = array = next;
    for (size_t i = 0; i < 199; i++) {
      toy_array_set(toy, array, i, toy_new_pair(toy, 0, 0));
      toy_pair_set(toy, toy_array_get(toy, array, i), 1, toy_new_leaf(toy, 20));
    }
  }
  return array;
}

static void test_gray_list_is_refused(void **state) {
  Toy *toy = *state;
  small_cycle(toy);
  for (int mode = 0; mode < 2; mode++) {
    gc_set_generational(&toy->gc, mode);
    comb(toy, 20);
    cycle_without_memory(toy);
    assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 20 * 199);
    assert_int_equal(gc_test_count(toy).kind[TOY_LEAF], 20 * 199);
    toy->root[0] = 0;
    gc_collect(&toy->gc);
    assert_int_equal(gc_test_count(toy).all, 0);
  }
}

/* Barriers need the worklist, too. */
static void test_barriers_without_memory(void **state) {
  Toy *toy = *state;
  enum { COUNT = 3000 };
  small_cycle(toy);
  ToyRef old = toy->root[0] = toy_new_array(toy, COUNT);
  for (size_t i = 0; i < COUNT; i++)
    toy_array_set(toy, old, i, toy_new_pair(toy, 0, 0));
  gc_set_generational(&toy->gc, true);
  gc_collect(&toy->gc);
  ToyRef young = toy->root[1] = toy_new_array(toy, COUNT);
  for (size_t i = 0; i < COUNT; i++)
    toy_array_set(toy, young, i, toy_new_pair(toy, 0, 0));
  refuse_memory(toy);
  for (size_t i = 0; i < COUNT; i++)
    toy_pair_set(toy, toy_array_get(toy, old, i), 1,
                 toy_array_get(toy, young, i));
  toy->root[1] = 0;
  gc_test_cycle(toy);
  allow_memory(toy);
  for (size_t i = 0; i < COUNT; i++)
    assert_true(toy_kind(toy_pair_get(toy_array_get(toy, old, i), 1)) ==
                TOY_PAIR);
}

/* Keys that are reached late, early, in the atomic step, or by resurrection. */
static void test_pending_entries_are_refused(void **state) {
  Toy *toy = *state;
  small_cycle(toy);
  ToyRef stack = toy->main_stack = toy_new_stack(toy, 8);
  toy_switch(toy, stack);
  ToyRef table = toy->root[0] = toy_new_ephemeron(toy, 8);
  ToyRef first = toy->root[1] = toy_new_pair(toy, 0, 0), key = first;
  for (int i = 0; i < 300; i++) { /* a chain */
    ToyRef value = toy->root[2] = toy_new_pair(toy, 0, 0);
    assert_true(toy_table_put(toy, table, key, value));
    key = value;
  }
  ToyRef object = toy->root[3] = toy_new_pair(toy, 0, 0);
  assert_true(toy_register(toy, object));
  assert_true(toy_table_put(toy, table, object, toy_new_pair(toy, 0, 0)));
  assert_true(toy_table_put(toy, table, toy_new_pair(toy, 0, 0), 0));
  toy->root[1] = toy->root[2] = toy->root[3] = 0;
  toy_stack_push(toy, stack, first); /* reached in the atomic step only */
  cycle_without_memory(toy);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 303);
  size_t length = 0;
  for (key = first; toy_is_object(key); length++)
    key = toy_table_get(toy, table, key);
  assert_int_equal(length, 301);
}

/* Tables with weak keys that are weak keys themselves, reached by resurrection.
** They are visited again in every round for lost entries, and must not cause
** another round. */
static void test_tables_as_keys_are_refused(void **state) {
  Toy *toy = *state;
  enum { COUNT = 50 };
  small_cycle(toy);
  ToyRef owners = toy->root[0] = toy_new_ephemeron(toy, 8);
  ToyRef object = toy->root[1] = toy_new_array(toy, COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    ToyRef table = toy_new_ephemeron(toy, 8);
    toy_array_set(toy, object, i, table);
    assert_true(toy_table_put(toy, owners, table, toy_new_pair(toy, 0, 0)));
    ToyRef key = toy->root[2] = toy_new_pair(toy, 0, 0);
    assert_true(toy_table_put(toy, table, key, toy_new_pair(toy, 0, 0)));
  }
  toy->root[2] = 0;
  assert_true(toy_register(toy, object));
  toy->root[1] = 0;
  cycle_without_memory(toy);
  assert_int_equal(gc_test_count(toy).kind[TOY_EPHEMERON], COUNT + 1);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], COUNT);
}

static void test_weak_lists_are_refused(void **state) {
  Toy *toy = *state;
  small_cycle(toy);
  enum { TABLES = 600 };
  ToyRef all = toy->root[0] = toy_new_array(toy, 3 * TABLES);
  for (size_t i = 0; i < TABLES; i++) {
    ToyRef weak = toy_new_weak_array(toy, 1);
    toy_array_set(toy, all, 3 * i, weak);
    toy_array_set(toy, weak, 0, toy_new_pair(toy, 0, 0));
    ToyRef table = toy_new_ephemeron(toy, 4);
    toy_array_set(toy, all, 3 * i + 1, table);
    toy->root[1] = toy_new_pair(toy, 0, 0);
    toy_table_put(toy, table, toy->root[1], toy_new_pair(toy, 0, 0));
    ToyRef cache = toy_new_cache(toy, 4);
    toy_array_set(toy, all, 3 * i + 2, cache);
    toy_table_put(toy, cache, toy->root[1], toy->root[1]);
  }
  toy->root[1] = 0;
  cycle_without_memory(toy);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 0);
  for (size_t i = 0; i < TABLES; i++)
    assert_int_equal(toy_array_get(toy, toy_array_get(toy, all, 3 * i), 0), 0);
  gc_test_cycle(toy);
}

/* Without room in the queue, objects stay registered until a later cycle. */
static void test_queue_is_refused(void **state) {
  Toy *toy = *state;
  small_cycle(toy);
  for (int i = 0; i < 1000; i++)
    assert_true(toy_register(toy, toy_new_pair(toy, 0, 0)));
  cycle_without_memory(toy);
  size_t count = 0;
  while (toy_next_finalizable(toy)) count++;
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 1000);
  gc_test_cycle(toy);
  while (toy_next_finalizable(toy)) count++;
  assert_int_equal(count, 1000);
}

/* A registration that finds no memory reports it and changes nothing. */
static void test_registration_is_refused(void **state) {
  Toy *toy = *state;
  ToyRef pair = toy->root[0] = toy_new_pair(toy, 0, 0);
  refuse_memory(toy);
  assert_false(toy_register(toy, pair));
  assert_false(gc_register_dying(&toy->gc, toy_cell(pair)));
  assert_false(gc_enable_histogram(&toy->gc, true));
  assert_int_equal(toy_cell(pair)->flags, 0);
  allow_memory(toy);
  assert_true(toy_register(toy, pair));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_garbage_makes_room),
      GC_TEST(test_garbage_makes_room_for_large),
      GC_TEST(test_clean_refusal),
      GC_TEST(test_emergency_in_every_phase),
      GC_TEST(test_gray_list_is_refused),
      GC_TEST(test_barriers_without_memory),
      GC_TEST(test_pending_entries_are_refused),
      GC_TEST(test_tables_as_keys_are_refused),
      GC_TEST(test_weak_lists_are_refused),
      GC_TEST(test_queue_is_refused),
      GC_TEST(test_registration_is_refused),
  };
  return cmocka_run_group_tests_name("emergencies", tests, NULL, NULL);
}
