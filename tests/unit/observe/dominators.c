/* SPDX-License-Identifier: MIT */
/*
** dominators.c -- what would be free without an object, compared with what is
** reached without it
*/
#include "observe/dominators.h"

#include "../gc/gc_test.h"

static bool no_begin(void *context) {
  (void)context;
  return false;
}
static unsigned no_weakness(void *context, Cell *cell) {
  (void)context, (void)cell;
  return 0;
}
static void no_weigh(void *context, unsigned weakness, GcEdge *edge) {
  (void)context, (void)weakness, (void)edge;
}
static const Describer describer = {no_begin, no_weakness, no_weigh,
                                    NULL,     NULL,        NULL};

static uint64_t bytes_without(Toy *toy, const Cell *without) {
  Reach reach;
  reach_walk(&reach, &toy->gc, &describer, NULL, without, false);
  uint64_t bytes = reach.bytes;
  reach_free(&reach);
  return bytes;
}

static uint64_t chance(uint64_t below) {
  static uint64_t seed = 7;
  seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (seed >> 33) % below;
}

/* Arrays that refer to each other at random, also in circles. */
static void make_graph(Toy *toy, size_t objects, size_t links) {
  toy->root[0] = toy_new_array(toy, objects);
  for (size_t i = 0; i < objects; i++)
    toy_array_set(toy, toy->root[0], i, toy_new_array(toy, 4 + chance(20)));
  for (size_t i = 0; i < links; i++) {
    ToyRef from = toy_array_get(toy, toy->root[0], chance(objects));
    ToyRef to = toy_array_get(toy, toy->root[0], chance(objects));
    toy_array_set(toy, from, chance(4), to);
  }
  toy->root[1] = toy_array_get(toy, toy->root[0], 0);
  toy->root[2] = toy_array_get(toy, toy->root[0], 1);
  toy->root[0] = 0;
  gc_collect(&toy->gc);
}

static void check_graph(Toy *toy) {
  Dominators d;
  uint32_t top[10];
  assert_true(dominators_find(&d, &toy->gc, &describer));
  uint64_t all = bytes_without(toy, NULL);
  assert_int_equal(d.retained[0], all);
  for (uint32_t i = 1; i <= d.count; i++) {
    uint64_t without = bytes_without(toy, dominators_cell(&d, i));
    assert_int_equal(d.retained[i], all - without);
  }
  size_t count = dominators_top(&d, top, 10);
  assert_int_equal(count, size_min(10, d.count));
  for (size_t i = 1; i < count; i++)
    assert_true(d.retained[top[i]] <= d.retained[top[i - 1]]);
  uint64_t most = 0;
  for (uint32_t i = 1; i <= d.count; i++)
    if (d.retained[i] > most) most = d.retained[i];
  assert_int_equal(d.retained[top[0]], most);
  dominators_free(&d);
}

static void test_retained(void **state) {
  Toy *toy = *state;
  for (int i = 0; i < 40; i++) {
    size_t objects = 2 + chance(60);
    make_graph(toy, objects, chance(4 * objects));
    check_graph(toy);
  }
}

/* A long list, whose links go both ways. */
static void test_list(void **state) {
  Toy *toy = *state;
  Dominators d;
  toy->root[0] = gc_test_list(toy, 20000);
  ToyRef last = 0;
  for (ToyRef at = toy->root[0]; at; at = toy_pair_get(at, 0)) {
    toy_pair_set(toy, at, 1, last);
    last = at;
  }
  assert_true(dominators_find(&d, &toy->gc, &describer));
  assert_int_equal(d.retained[1], d.retained[0]);
  assert_true(d.retained[d.count / 2] < d.retained[0] * 6 / 10);
  assert_true(d.retained[d.count / 2] > d.retained[0] * 4 / 10);
  dominators_free(&d);
}

/* References from the end of a long list to everywhere: it gives up. */
static void test_takes_too_long(void **state) {
  enum { LENGTH = 30000 };
  Toy *toy = *state;
  Dominators d;
  ToyRef list = gc_test_list(toy, LENGTH);
  toy->root[0] = list;
  toy->root[1] = toy_new_array(toy, LENGTH);
  ToyRef at = list;
  for (size_t i = 0; i < LENGTH; i++) {
    toy_array_set(toy, toy->root[1], i, at);
    if (!toy_pair_get(at, 0)) break;
    at = toy_pair_get(at, 0);
  }
  toy_pair_set(toy, at, 1, toy->root[1]);
  toy->root[1] = 0;
  assert_false(dominators_find(&d, &toy->gc, &describer));
  dominators_free(&d);
}

static void test_no_memory(void **state) {
  Toy *toy = *state;
  Dominators d;
  toy->root[0] = gc_test_list(toy, 20000);
  toy->gc.heap.limit = toy->gc.heap.footprint;
  assert_false(dominators_find(&d, &toy->gc, &describer));
  dominators_free(&d);
  toy->gc.heap.limit = 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_retained),
      GC_TEST(test_list),
      GC_TEST(test_takes_too_long),
      GC_TEST(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
