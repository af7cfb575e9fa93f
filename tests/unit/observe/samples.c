/* SPDX-License-Identifier: MIT */
/*
** samples.c -- samples of allocations follow their cells until they die
*/
#include "observe/samples.h"

#include <stdio.h>

#include "../gc/gc_test.h"

/* The name of the code that allocates. */
static const char *place = "?";

static size_t write_place(void *context, char *text, size_t capacity) {
  (void)context;
  return (size_t)snprintf(text, capacity, "%s", place);
}

static uint64_t key_of_place(void *context) {
  uint64_t key = 0;
  (void)context;
  for (const char *c = place; *c; c++) key = key * 31 + (unsigned char)*c;
  return key;
}

static Samples *begin(Toy *toy, size_t interval) {
  const SampleStack stack = {write_place, key_of_place, NULL};
  Samples *s = samples_begin(&toy->gc, interval, &stack);
  assert_non_null(s);
  return s;
}

static const SampleSite *site(const Samples *s, const char *name) {
  for (size_t i = 0; i < s->site_count; i++)
    if (strcmp(samples_site(s, i)->stack, name) == 0) return samples_site(s, i);
  fail_msg("no site %s", name);
  return NULL;
}

static uint64_t live_sum(const Samples *s) {
  uint64_t sum = 0;
  for (size_t i = 0; i < s->site_count; i++) sum += samples_site(s, i)->live;
  return sum;
}

static void make_garbage(Toy *toy, size_t count) {
  place = "garbage";
  for (size_t i = 0; i < count; i++) toy_new_pair(toy, 0, 0);
}

static void keep_list(Toy *toy, int root, size_t count) {
  place = "kept";
  for (size_t i = 0; i < count; i++)
    toy->root[root] = toy_new_pair(toy, toy->root[root], 0);
}

/* What is garbage is not live after a cycle, what is kept is. */
static void test_live_and_total(void **state) {
  Toy *toy = *state;
  Samples *s = begin(toy, 256);
  size_t before = gc_count(&toy->gc);
  for (int i = 0; i < 20; i++) {
    keep_list(toy, 0, 500);
    make_garbage(toy, 1500);
  }
  uint64_t kept = site(s, "kept")->bytes, waste = site(s, "garbage")->bytes;
  size_t made = gc_count(&toy->gc) - before;
  assert_int_equal(site(s, "garbage")->live, waste);
  gc_collect(&toy->gc);
  samples_check(s);
  assert_int_equal(site(s, "garbage")->live, 0);
  assert_true(site(s, "garbage")->live_cells == 0);
  assert_int_equal(site(s, "kept")->live, kept);
  assert_in_range(kept + waste, made / 10 * 9, made / 10 * 11);
  assert_in_range(waste, kept * 2, kept * 4);
  assert_in_range(site(s, "kept")->live_cells, 8000, 12000);
  const Cell *example = site(s, "kept")->example;
  assert_int_equal(example->kind, TOY_PAIR);
  assert_true(heap_is_marked(example) || toy->gc.phase == PHASE_PAUSE);
  toy->root[0] = 0;
  gc_collect(&toy->gc);
  samples_check(s);
  assert_int_equal(live_sum(s), 0);
  assert_int_equal(s->count, 0);
  assert_null(site(s, "kept")->example);
  samples_end(s);
}

/* In steps, with minor cycles, addresses are used again and again. */
static void test_reused_addresses(void **state) {
  Toy *toy = *state;
  gc_set_generational(&toy->gc, true);
  gc_restart(&toy->gc);
  Samples *s = begin(toy, 64);
  for (int round = 0; round < 400; round++) {
    toy->root[round % 3] = 0;
    keep_list(toy, round % 3, 50);
    make_garbage(toy, 200);
    toy_poll(toy);
    if (round % 40 == 0) samples_check(s);
  }
  assert_true(toy->gc.stats.cycles > 3);
  gc_collect(&toy->gc);
  samples_check(s);
  assert_in_range(live_sum(s), 0, gc_count(&toy->gc) + 2 * RUN_MAX);
  for (int i = 0; i < 3; i++) toy->root[i] = 0;
  gc_collect(&toy->gc);
  assert_int_equal(live_sum(s), 0);
  samples_end(s);
}

/* A part that is replaced or moved is not counted twice. */
static void test_parts(void **state) {
  Toy *toy = *state;
  Samples *s = begin(toy, 1);
  place = "array";
  toy->root[0] = toy_new_array(toy, 10);
  for (size_t size = 20; size < 1000000; size = size * 3 / 2) {
    assert_true(toy_array_resize(toy, toy->root[0], size));
    samples_check(s);
    uint64_t all = gc_count(&toy->gc);
    assert_in_range(site(s, "array")->live, all / 2, all * 3 / 2 + RUN_MAX);
  }
  for (size_t size = 1000000; size > 10; size /= 3) {
    assert_true(toy_array_resize(toy, toy->root[0], size));
    samples_check(s);
  }
  toy->root[0] = 0;
  gc_collect(&toy->gc);
  assert_int_equal(live_sum(s), 0);
  samples_end(s);
}

/* With more live cells than there are samples, fewer samples are taken. */
static void test_memory_is_bounded(void **state) {
  Toy *toy = *state;
  Samples *s = begin(toy, 16);
  for (int i = 0; i < 60; i++) {
    place = "kept";
    for (int k = 0; k < SAMPLES_MAX / 10; k++)
      toy->root[0] = toy_new_pair(toy, toy->root[0], toy_new_leaf(toy, 2000));
    uint64_t all = gc_count(&toy->gc);
    assert_in_range(site(s, "kept")->live, all / 10 * 8,
                    all / 10 * 12 + RUN_MAX);
  }
  samples_check(s);
  assert_in_range(s->count, SAMPLES_MAX / 8, SAMPLES_MAX);
  assert_int_equal(s->sample.count <= SAMPLES_MAX, 1);
  samples_end(s);
  s = begin(toy, 16);
  char name[32];
  place = name;
  for (int i = 0; i < SITES_MAX + 500; i++) {
    snprintf(name, sizeof name, "place %d", i);
    toy_new_leaf(toy, 5000);
  }
  assert_int_equal(s->site_count, SITES_MAX);
  assert_true(samples_site(s, 0)->bytes > 500 * 5000 / 2);
  samples_check(s);
  samples_end(s);
}

/* Objects that are made in turns are sampled equally often. */
static void test_no_favorites(void **state) {
  Toy *toy = *state;
  Samples *s = begin(toy, 4096);
  for (int i = 0; i < 200000; i++) {
    place = i % 2 ? "odd" : "even";
    toy_new_pair(toy, 0, 0);
    if (i % 20000 == 0) gc_collect(&toy->gc);
  }
  uint64_t odd = site(s, "odd")->bytes, even = site(s, "even")->bytes;
  assert_in_range(odd, even / 4 * 3, even / 3 * 4);
  samples_end(s);
}

/* Growth is what major cycles find more and more of. */
static void test_growth(void **state) {
  Toy *toy = *state;
  Samples *s = begin(toy, 64);
  place = "steady";
  toy->root[1] = gc_test_list(toy, 300);
  for (int i = 0; i < 10; i++) {
    keep_list(toy, 0, 200);
    place = "changing";
    toy->root[2] = 0;
    toy->root[2] = gc_test_list(toy, 200);
    make_garbage(toy, 300);
    gc_collect(&toy->gc);
  }
  SampleGrowth kept = samples_growth(s, site(s, "kept"));
  assert_int_equal(kept.records, 10);
  assert_true(kept.is_growing);
  assert_in_range(kept.bytes, site(s, "kept")->live / 2, site(s, "kept")->live);
  assert_false(samples_growth(s, site(s, "steady")).is_growing);
  assert_false(samples_growth(s, site(s, "changing")).is_growing);
  assert_int_equal(samples_growth(s, site(s, "garbage")).bytes, 0);
  for (int i = 10; i < 200; i++) {
    keep_list(toy, 0, 20);
    gc_collect(&toy->gc);
  }
  kept = samples_growth(s, site(s, "kept"));
  assert_in_range(kept.records, SITE_RECORDS / 2, SITE_RECORDS);
  assert_true(kept.is_growing);
  for (int i = 0; i < 300; i++) gc_collect(&toy->gc);
  assert_false(samples_growth(s, site(s, "kept")).is_growing);
  samples_end(s);
}

/* Without memory there are fewer samples, and nothing else. */
static void test_no_memory(void **state) {
  Toy *toy = *state;
  Samples *s = begin(toy, 1);
  toy->gc.heap.limit = toy->gc.heap.footprint;
  keep_list(toy, 0, 20000);
  toy->gc.heap.limit = 0;
  samples_check(s);
  gc_collect(&toy->gc);
  samples_check(s);
  samples_end(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_live_and_total), GC_TEST(test_reused_addresses),
      GC_TEST(test_parts),          GC_TEST(test_memory_is_bounded),
      GC_TEST(test_growth),         GC_TEST(test_no_memory),
      GC_TEST(test_no_favorites),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
