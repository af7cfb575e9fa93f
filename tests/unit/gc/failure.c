/* SPDX-License-Identifier: MIT */
/*
** failure.c -- every request for memory refused, one after the other
**
** The tests refuse the first, the second, the third ... request, either alone
** or with all that follow.  A failed operation must have changed nothing, the
** heap must be consistent, and at the end every byte must be given back.
*/
#include "gc_test.h"

#include <stdio.h>

#include "toy/world.h"

/* -- A scenario with all kinds of objects ---------------------------------- */

/* The size of the data.  It is small where each single object is refused in
** turn.  It is large where the allocator refuses, which gives large pieces. */
static size_t amount = 100;

static size_t some(size_t count) { return (count * amount + 99) / 100; }

/* Each refusal costs a whole collection, so a run stops after some of them. */
static bool is_hopeless(const Toy *toy) {
  return toy->allocator.refused + toy->gc.debug.refused > 40;
}

/* Fills a table.  Returns false if that failed. */
static bool use_table(Toy *toy, ToyRef table, size_t count) {
  bool complete = table != 0;
  for (size_t i = 0; table && i < count && !is_hopeless(toy); i++) {
    toy->root[5] = toy_new_pair(toy, toy->root[5], 0);
    if (!toy->root[5]) return false;
    if (!toy_table_put(toy, table, toy->root[5], toy_intern(toy, 7)))
      complete = false;
  }
  if (count % 2) toy->root[5] = 0;
  return complete;
}

static bool use_arrays(Toy *toy) {
  bool complete = true;
  toy->root[0] = toy_new_array(toy, some(100));
  toy->root[1] = toy_new_weak_array(toy, some(100));
  for (size_t i = 0; toy->root[0] && toy->root[1] && i < some(100); i++) {
    if (is_hopeless(toy)) return false;
    ToyRef leaf = toy_new_leaf(toy, 16 + i * i);
    if (!leaf) complete = false;
    toy_array_set(toy, toy->root[i % 2], i, leaf);
  }
  for (size_t count = 10; toy->root[0] && count < 40000; count *= 3)
    if (!toy_array_resize(toy, toy->root[0], count)) complete = false;
  return complete && toy->root[0] && toy->root[1];
}

static bool use_stacks(Toy *toy) {
  bool complete = true;
  ToyRef stack = toy->main_stack = toy_new_stack(toy, 4);
  if (!stack) return false;
  toy_switch(toy, stack);
  for (size_t i = 0; i < some(300) && !is_hopeless(toy); i++) {
    if (!toy_stack_push(toy, stack, toy->root[0])) complete = false;
    if (i % 10 == 0 && !toy_call(toy)) complete = false;
    if (i % 25 == 0 && toy_stack_top(stack) > 0)
      toy->root[6] = toy_new_upvalue(toy, stack, toy_stack_top(stack) - 1);
    if (i % 30 == 29) toy_return(toy);
  }
  return complete && toy->root[6];
}

static bool use_registrations(Toy *toy) {
  bool complete = true;
  for (size_t i = 0; i < some(1200) && !is_hopeless(toy); i++) {
    ToyRef pair = toy_new_pair(toy, toy->root[0], toy->root[7]);
    if (!pair || !toy_register(toy, pair)) complete = false;
    if (i % 3 == 0) toy->root[7] = pair;
  }
  return complete;
}

static bool use_histogram(Toy *toy) {
  bool complete = gc_enable_histogram(&toy->gc, true);
  gc_step(&toy->gc);
  return gc_enable_histogram(&toy->gc, false) && complete;
}

static bool use_everything(Toy *toy) {
  bool complete = use_arrays(toy);
  gc_step_work(&toy->gc, 1000);
  toy->root[2] = toy_new_ephemeron(toy, 0);
  complete &= use_table(toy, toy->root[2], some(700));
  toy->root[3] = toy_new_cache(toy, 4);
  complete &= use_table(toy, toy->root[3], some(300) | 1);
  gc_step_work(&toy->gc, 1000);
  complete &= use_stacks(toy) && use_histogram(toy);
  for (uint32_t key = 0; key < some(200) && !is_hopeless(toy); key++)
    complete &= toy_intern(toy, key) != 0;
  while (!gc_step_work(&toy->gc, 500) && toy->gc.phase != PHASE_PAUSE) continue;
  gc_set_generational(&toy->gc, true);
  complete &= use_registrations(toy);
  gc_collect(&toy->gc);
  toy->root[7] = 0;
  gc_step_work(&toy->gc, 3000);
  for (size_t i = 0; i < some(1000) && !is_hopeless(toy); i++) {
    ToyRef pair = toy_new_pair(toy, toy->root[8], 0);
    if (pair) toy->root[8] = pair;
    complete &= pair != 0;
  }
  gc_collect_emergency(&toy->gc);
  while (toy_next_finalizable(toy)) continue;
  return complete;
}

/* Runs the scenario with the nth request refused.  True if none was refused. */
static bool run_with_failure(uint64_t n, bool after, bool verify) {
  Toy toy;
  gc_test_open(&toy);
  toy.gc.debug.verify = toy.gc.debug.checkmark = verify;
  test_allocator_fail(&toy.allocator, n, after);
  bool complete = use_everything(&toy);
  bool refused = toy.allocator.refused > 0;
  if (!refused) assert_true(complete);
  gc_verify(&toy.gc);
  test_allocator_obey(&toy.allocator);
  gc_collect(&toy.gc);
  gc_verify(&toy.gc);
  gc_test_close(&toy);
  return !refused;
}

/* The same with the nth object or part refused. */
static bool run_without_object(uint64_t n, bool after, bool verify) {
  Toy toy;
  gc_test_open(&toy);
  toy.gc.debug.verify = toy.gc.debug.checkmark = verify;
  toy.gc.debug.fail_in = n;
  toy.gc.debug.fail_after = after;
  bool complete = use_everything(&toy);
  bool refused = toy.gc.debug.refused > 0;
  if (!refused) assert_true(complete);
  toy.gc.debug.fail_in = 0;
  gc_collect(&toy.gc);
  gc_verify(&toy.gc);
  gc_test_close(&toy);
  return !refused;
}

static void fail_each_object(bool after) {
  uint64_t n = 1;
  check_set_handler(gc_test_failed, NULL);
  size_t stride = getenv("PENUMBRA_VALGRIND") ? 7 : 1;
  amount = 5;
  while (!run_without_object(n, after, n % 8 == 0)) n += stride;
  amount = 100;
  check_set_handler(NULL, NULL);
  assert_true(n > 20);
}

static void test_each_object_fails_once(void **state) {
  (void)state;
  fail_each_object(false);
}

static void test_each_object_fails_from_then_on(void **state) {
  (void)state;
  fail_each_object(true);
}

/* Verifies only where that can find something new, because it takes long. */
static void fail_each(bool after) {
  uint64_t n = 1;
  check_set_handler(gc_test_failed, NULL);
  size_t stride = getenv("PENUMBRA_VALGRIND") ? 7 : 1;
  while (!run_with_failure(n, after, n % 8 == 0)) n += stride;
  check_set_handler(NULL, NULL);
  assert_true(n > 20);
}

static void test_each_request_fails_once(void **state) {
  (void)state;
  fail_each(false);
}

static void test_each_request_fails_from_then_on(void **state) {
  (void)state;
  fail_each(true);
}

/* -- Recovery in pieces ---------------------------------------------------- */

enum {
  RECOVERED = 20000, /* objects, far more than spare pages can list */
  PLACES = 65536,    /* capacity of a table for them */
  LINKS = 100,       /* entries of a chain in it */
  UNIT_LINKS = 25,   /* a unit must not reach more than a quarter */
  SAMPLES = 100,
  UNIT_MAX = 2000,  /* in work */
  UNIT_SAMPLES = 10 /* a unit must not clear more than a tenth */
};

/* Weak arrays with one dead value each. */
static void make_weak_arrays(Toy *toy) {
  ToyRef all = toy->root[0] = toy_new_array(toy, RECOVERED);
  for (size_t i = 0; i < RECOVERED; i++) {
    ToyRef weak = toy_new_weak_array(toy, 2);
    toy_array_set(toy, all, i, weak);
    toy_array_set(toy, weak, 0, toy_new_pair(toy, 0, 0));
  }
}

/* The number of sampled arrays that still hold their value. */
static size_t samples_left(Toy *toy) {
  size_t left = 0;
  for (size_t i = 0; i < RECOVERED; i += RECOVERED / SAMPLES)
    left += toy_array(toy_array_get(toy, toy->root[0], i))->part->slot[0] != 0;
  return left;
}

/* No list has room for the arrays, so a walk clears them in pieces. */
static void test_lost_weak_objects(void **state) {
  Toy toy;
  (void)state;
  gc_test_open(&toy);
  toy.gc.debug.verify = false;
  make_weak_arrays(&toy);
  gc_test_finish(&toy);
  toy.gc.stats.largest_unit = 0;
  test_allocator_fail(&toy.allocator, 1, true);
  gc_test_advance(&toy, PHASE_CLEAR_VALUES);
  assert_true(toy.gc.weak_lost);
  size_t left = samples_left(&toy), units = 0;
  assert_int_equal(left, SAMPLES);
  for (; toy.gc.phase != PHASE_PAUSE; gc_step_work(&toy.gc, 1)) {
    size_t now = samples_left(&toy);
    assert_true(left - now <= UNIT_SAMPLES);
    left = now;
    units++;
  }
  assert_true(units < RECOVERED / 4); /* a unit clears many */
  assert_int_equal(samples_left(&toy), 0);
  assert_true(toy.gc.stats.largest_unit <= UNIT_MAX);
  test_allocator_obey(&toy.allocator);
  assert_int_equal(gc_test_count(&toy).kind[TOY_PAIR], 0);
  gc_test_close(&toy);
}

/* A chain of ephemerons in a table with more dead entries than can be noted.
** The array `link`, outside the heap, holds the links. */
static void make_ephemerons(Toy *toy, ToyRef *link) {
  ToyRef all = toy->root[0] = toy_new_ephemeron(toy, PLACES);
  for (size_t i = 0; i < RECOVERED; i++) {
    ToyRef dead = toy->root[1] = toy_new_pair(toy, 0, 0);
    assert_true(toy_table_put(toy, all, dead, dead));
  }
  link[0] = toy->root[1] = toy_new_pair(toy, 0, 0);
  for (size_t i = 0; i < LINKS; i++) {
    link[i + 1] = toy->root[2] = toy_new_pair(toy, 0, 0);
    assert_true(toy_table_put(toy, all, link[i], link[i + 1]));
  }
  toy->root[2] = 0;
}

static size_t links_reached(const ToyRef *link) {
  size_t count = 0;
  for (size_t i = 0; i <= LINKS; i++) count += !gc_test_is_white(link[i]);
  return count;
}

/* Marks unit by unit while every request is refused. */
static void mark_without_memory(Toy *toy, const ToyRef *link) {
  size_t before = 0, now;
  bool lost = false;
  test_allocator_fail(&toy->allocator, 1, true);
  for (; toy->gc.phase < PHASE_CLEAR_VALUES; before = now) {
    gc_step_work(&toy->gc, 1);
    lost |= toy->gc.pending_lost;
    now = links_reached(link);
    if (now > before + UNIT_LINKS) fail_msg("%zu at once", now - before);
  }
  assert_true(lost);
  assert_int_equal(before, LINKS + 1);
}

/* No map has room for the entries, so they are visited repeatedly. */
static void test_lost_ephemerons(void **state) {
  static ToyRef link[LINKS + 1];
  Toy toy;
  (void)state;
  gc_test_open(&toy);
  toy.gc.debug.verify = false;
  make_ephemerons(&toy, link);
  gc_test_finish(&toy);
  toy.gc.stats.largest_unit = 0;
  mark_without_memory(&toy, link);
  gc_test_finish(&toy);
  assert_true(toy.gc.stats.largest_unit <= UNIT_MAX);
  test_allocator_obey(&toy.allocator);
  assert_int_equal(gc_test_count(&toy).kind[TOY_PAIR], LINKS + 1);
  toy.root[1] = 0;
  gc_test_cycle(&toy);
  assert_int_equal(gc_test_count(&toy).kind[TOY_PAIR], 0);
  gc_test_close(&toy);
}

/* The program stores into visited objects, but there is no room to list them.
** A walk finds them. */
static void test_lost_gray_objects(void **state) {
  static ToyRef holder[RECOVERED], value[RECOVERED];
  Toy toy;
  (void)state;
  gc_test_open(&toy);
  toy.gc.debug.verify = false;
  toy.root[0] = gc_test_list(&toy, RECOVERED); /* marking goes on meanwhile */
  ToyRef all = toy.root[9] = toy_new_array(&toy, RECOVERED);
  for (size_t i = 0; i < RECOVERED; i++) {
    holder[i] = toy_new_array(&toy, 1);
    toy_array_set(&toy, all, i, holder[i]);
  }
  for (size_t i = 0; i < RECOVERED; i++) value[i] = toy_new_pair(&toy, 0, 0);
  gc_test_advance(&toy, PHASE_MARK);
  for (size_t i = 0; i < RECOVERED; i++)
    while (!gc_test_is_black(holder[i])) gc_step_work(&toy.gc, 1);
  assert_int_equal(toy.gc.phase, PHASE_MARK);
  test_allocator_fail(&toy.allocator, 1, true);
  for (size_t i = 0; i < RECOVERED; i++)
    toy_array_set(&toy, holder[i], 0, value[i]);
  assert_true(toy.gc.gray_lost);
  gc_test_finish(&toy);
  test_allocator_obey(&toy.allocator);
  for (size_t i = 0; i < RECOVERED; i += 100)
    assert_true(gc_test_exists(&toy, value[i]));
  assert_int_equal(gc_test_count(&toy).kind[TOY_PAIR], 2 * RECOVERED);
  gc_test_close(&toy);
}

/* Takes all pages that the heap has.  Returns the last one, with the address of
** the one before in it. */
static void *take_all_pages(Heap *heap) {
  void *last = NULL;
  for (void **page; (page = heap_pages_allocate(heap, 1)) != NULL; last = page)
    *page = last;
  return last;
}

static void give_pages_back(Heap *heap, void *last) {
  for (void *before; last; last = before) {
    before = *(void **)last;
    heap_pages_free(heap, last, 1);
  }
}

/* An array with references to `count` new pairs, and slots without any. */
static ToyRef array_of_pairs(Toy *toy, size_t count, size_t others) {
  ToyRef array = toy->newborn = toy_new_array(toy, count + others);
  for (size_t i = 0; i < count; i++)
    toy_array_set(toy, array, i, toy_new_pair(toy, 0, 0));
  return array;
}

/* A unit of marking takes objects off the list, and at its end puts those back
** that it has not visited.  In between others may have taken their place, and
** the list cannot grow.  The sizes decide when the unit ends, and how full the
** list is then. */
static void mark_with_one_segment(size_t count, size_t others) {
  enum { ARRAYS = 8 };
  Toy toy;
  gc_test_open(&toy);
  toy.gc.debug.verify = false;
  ToyRef all = toy.root[0] = toy_new_array(&toy, ARRAYS);
  for (size_t i = 0; i < ARRAYS; i++)
    toy_array_set(&toy, all, i, array_of_pairs(&toy, count, others));
  toy.newborn = 0;
  gc_step_work(&toy.gc, 1);
  assert_int_equal(toy.gc.phase, PHASE_MARK);
  test_allocator_fail(&toy.allocator, 1, true);
  void *pages = take_all_pages(&toy.gc.heap);
  gc_test_finish(&toy);
  test_allocator_obey(&toy.allocator);
  give_pages_back(&toy.gc.heap, pages);
  assert_int_equal(gc_test_count(&toy).kind[TOY_PAIR], ARRAYS * count);
  gc_verify(&toy.gc);
  gc_test_close(&toy);
}

static void test_full_gray_list(void **state) {
  (void)state;
  for (size_t count = 4; count <= 32; count++)
    for (size_t others = 0; others <= 64; others += 4)
      mark_with_one_segment(count, others);
}

/* -- Random edits ---------------------------------------------------------- */

static World world;

static void failed(void *context, const char *message) {
  const WorldOptions *options = context;
  print_error("%s\nseed %llu, request %llu%s\n", message,
              (unsigned long long)options->seed,
              (unsigned long long)options->fail_at,
              options->fail_after ? " and all after it" : "");
  abort();
}

/* The oracle checks that a failed operation has changed nothing. */
static void fail_each_in_world(uint64_t seed, bool after, size_t edits) {
  WorldOptions options = {
      .seed = seed, .edits = edits, .fail_at = 1, .fail_after = after};
  check_set_handler(failed, &options);
  do {
    world_run(&world, &options);
  } while (options.fail_at++ <= world.requests);
  check_set_handler(NULL, NULL);
}

static void test_random_edits(void **state) {
  (void)state;
  uint64_t seeds = getenv("PENUMBRA_FULL") ? 40 : 4;
  if (getenv("PENUMBRA_VALGRIND")) seeds = 1;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    fail_each_in_world(seed, false, 600);
    fail_each_in_world(seed, true, 600);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lost_weak_objects),
      cmocka_unit_test(test_lost_ephemerons),
      cmocka_unit_test(test_lost_gray_objects),
      cmocka_unit_test(test_full_gray_list),
      cmocka_unit_test(test_each_request_fails_once),
      cmocka_unit_test(test_each_request_fails_from_then_on),
      cmocka_unit_test(test_each_object_fails_once),
      cmocka_unit_test(test_each_object_fails_from_then_on),
      cmocka_unit_test(test_random_edits),
  };
  return cmocka_run_group_tests_name("failing requests", tests, NULL, NULL);
}
