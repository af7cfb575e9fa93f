/* SPDX-License-Identifier: MIT */
/*
** refused.c -- no memory for the map of undecided ephemerons
**
** The rest of the heap gets all it asks for.  So many entries can be noted, but
** the map cannot grow with them, or there is no map at all.  Units must stay as
** small as ever, and the result must be the same.
*/
#include "gc_test.h"

#include <stdio.h>

#include "toy/world.h"

enum {
  TABLE_KEYS = 100, /* in one table: many in one piece */
  TABLE_PLACES = 256,
  FEW = 30000, /* keys */
  MANY = 240000
};

/* Sizes of requests that only the map makes: for its first pages of buckets,
** and for more of them. */
enum {
  FIRST_SHELF = 8 * sizeof(void *) + GRANULE,
  SECOND_SHELF = 16 * sizeof(void *) + GRANULE
};

/* Tables whose keys are reached only when marking has ended, through an object
** that waits for its finalizer.  Until then all entries are undecided. */
static void make_tables(Toy *toy, size_t count) {
  ToyRef tables = toy->root[0] = toy_new_array(toy, count / TABLE_KEYS);
  ToyRef keys = toy->root[1] = toy_new_array(toy, count);
  for (size_t i = 0; i < count; i++) {
    if (i % TABLE_KEYS == 0)
      toy_array_set(toy, tables, i / TABLE_KEYS,
                    toy_new_ephemeron(toy, TABLE_PLACES));
    ToyRef key = toy_new_pair(toy, 0, 0);
    toy_array_set(toy, keys, i, key);
    ToyRef table = toy_array_get(toy, tables, i / TABLE_KEYS);
    assert_true(toy_table_put(toy, table, key, toy_new_array(toy, 0)));
  }
  assert_true(toy_register(toy, keys));
  toy->root[1] = 0;
}

static size_t count_values(Toy *toy) {
  return gc_test_count(toy).kind[TOY_ARRAY];
}

/* One cycle, in which requests of `fail_size` are refused.  Returns the largest
** unit. */
static size_t largest_unit(size_t count, size_t fail_size) {
  Toy toy;
  gc_test_open(&toy);
  toy.gc.debug.verify = toy.gc.debug.checkmark = false;
  make_tables(&toy, count);
  gc_test_finish(&toy);
  toy.gc.stats.largest_unit = 0;
  toy.allocator.fail_size = fail_size;
  gc_test_advance(&toy, PHASE_CLEAR_VALUES);
  gc_verify(&toy.gc);
  gc_test_finish(&toy);
  assert_true((toy.allocator.refused > 0) == (fail_size > 0));
  assert_int_equal(count_values(&toy), count + 2);
  size_t largest = toy.gc.stats.largest_unit;
  assert_true(toy_next_finalizable(&toy) != 0);
  gc_test_cycle(&toy); /* now the keys die */
  assert_int_equal(count_values(&toy), 1);
  gc_test_close(&toy);
  return largest;
}

/* A unit searches chains of the map, so they must not grow with the keys. */
static void check_units(size_t fail_size) {
  size_t usual = largest_unit(FEW, 0);
  size_t few = largest_unit(FEW, fail_size);
  size_t many = largest_unit(MANY, fail_size);
  print_message("largest unit: %zu; refused: %zu, with more keys: %zu\n", usual,
                few, many);
  if (few > 3 * usual || many > 3 * usual)
    fail_msg("units of %zu and %zu, not %zu", few, many, usual);
}

static void test_map_cannot_grow(void **state) {
  (void)state;
  check_units(SECOND_SHELF);
}

static void test_no_map(void **state) {
  (void)state;
  check_units(FIRST_SHELF);
}

/* -- Compared with the oracle ---------------------------------------------- */

static World world;

static void failed(void *context, const char *message) {
  const WorldOptions *options = context;
  fprintf(stderr, "%s\nseed %llu\n", message,
          (unsigned long long)options->seed);
  abort();
}

static void test_random_edits(void **state) {
  (void)state;
  uint64_t seeds = getenv("PENUMBRA_FULL") ? 400 : 40, refused = 0;
  if (getenv("PENUMBRA_VALGRIND")) seeds = 2;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    WorldOptions options = {.seed = seed,
                            .edits = 3000,
                            .fail_size = FIRST_SHELF,
                            .verify = seed % 8 == 0};
    check_set_handler(failed, &options);
    world_run(&world, &options);
    check_set_handler(NULL, NULL);
    refused += world.toy.allocator.refused;
  }
  assert_true(refused > seeds);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_map_cannot_grow),
      cmocka_unit_test(test_no_map),
      cmocka_unit_test(test_random_edits),
  };
  return cmocka_run_group_tests_name("refused memory", tests, NULL, NULL);
}
