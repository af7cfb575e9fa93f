/* SPDX-License-Identifier: MIT */
/*
** events.c -- events for a listener, and the histogram of steps
*/
#include "gc_test.h"

enum { EVENTS_MAX = 20000 };

typedef struct Log {
  GcEvent event[EVENTS_MAX];
  size_t count;
} Log;

static Log events;

static void listen(void *context, const GcEvent *event) {
  Log *log = context;
  if (log->count < EVENTS_MAX) log->event[log->count++] = *event;
}

static void start_listening(Toy *toy) {
  memset(&events, 0, sizeof events);
  toy->gc.listener = (GcListener){listen, &events};
}

static size_t count_type(GcEventType type) {
  size_t count = 0;
  for (size_t i = 0; i < events.count; i++)
    if (events.event[i].type == type) count++;
  return count;
}

/* A cycle begins, goes through its phases in order, and ends. */
static void test_events_of_a_cycle(void **state) {
  Toy *toy = *state;
  toy->root[0] = gc_test_list(toy, 2000);
  start_listening(toy);
  gc_test_cycle(toy);
  assert_int_equal(count_type(EVENT_CYCLE_BEGIN), 1);
  assert_int_equal(count_type(EVENT_CYCLE_END), 1);
  assert_int_equal(events.event[0].type, EVENT_CYCLE_BEGIN);
  GcPhase phase = PHASE_UNMARK;
  uint64_t work = 0;
  for (size_t i = 0; i < events.count; i++) {
    const GcEvent *event = &events.event[i];
    assert_false(event->minor);
    if (event->type == EVENT_STEP) work += event->work;
    if (event->type != EVENT_PHASE) continue;
    assert_true(event->phase > phase || event->phase == PHASE_PAUSE);
    phase = event->phase;
  }
  assert_int_equal(phase, PHASE_PAUSE);
  assert_int_equal(count_type(EVENT_PHASE), PHASE_SWEEP - PHASE_MARK + 2);
  assert_int_equal(work, toy->gc.stats.work);
  assert_int_equal(count_type(EVENT_STEP), toy->gc.stats.steps);
}

static void test_bytes_and_durations(void **state) {
  Toy *toy = *state;
  toy->root[0] = gc_test_list(toy, 1000);
  gc_test_list(toy, 1000);
  start_listening(toy);
  gc_test_cycle(toy);
  uint64_t nanoseconds = 0;
  for (size_t i = 0; i < events.count; i++) {
    const GcEvent *event = &events.event[i];
    if (event->type == EVENT_CYCLE_BEGIN)
      assert_int_equal(event->bytes, 2000 * 32);
    if (event->type == EVENT_CYCLE_END)
      assert_int_equal(event->bytes, 1000 * 32);
    nanoseconds += event->nanoseconds;
  }
  assert_true(nanoseconds > 0);
}

static void test_minor_cycles_say_so(void **state) {
  Toy *toy = *state;
  toy->root[0] = gc_test_list(toy, 1000);
  gc_set_generational(&toy->gc, true);
  gc_collect(&toy->gc);
  start_listening(toy);
  gc_test_cycle(toy);
  for (size_t i = 1; i < events.count; i++) assert_true(events.event[i].minor);
  start_listening(toy);
  gc_collect(&toy->gc);
  size_t last = events.count - 1;
  assert_int_equal(events.event[last].type, EVENT_COLLECT);
  assert_true(events.event[last].nanoseconds > 0);
  last--;
  assert_int_equal(events.event[last].type, EVENT_CYCLE_END);
  assert_false(events.event[last].minor);
}

static void test_large_cells_and_emergencies(void **state) {
  Toy *toy = *state;
  start_listening(toy);
  toy->root[0] = toy_new_leaf(toy, 1000);
  assert_int_equal(count_type(EVENT_LARGE_CELL), 0);
  toy->root[0] = toy_new_leaf(toy, 1000000);
  assert_int_equal(count_type(EVENT_LARGE_CELL), 1);
  assert_int_equal(events.event[events.count - 1].bytes, 1000000);
  toy->root[1] = toy_new_array(toy, 100);
  assert_true(toy_array_resize(toy, toy->root[1], 100000));
  assert_int_equal(count_type(EVENT_LARGE_CELL), 2);
  gc_collect_emergency(&toy->gc);
  assert_int_equal(count_type(EVENT_EMERGENCY), 1);
  assert_int_equal(toy->gc.stats.emergencies, 1);
}

/* The buckets count all steps.  The longest step is in the last bucket used. */
static void test_histogram(void **state) {
  Toy *toy = *state;
  toy->root[0] = gc_test_list(toy, 2000);
  assert_null(toy->gc.histogram);
  assert_true(gc_enable_histogram(&toy->gc, true));
  assert_true(gc_enable_histogram(&toy->gc, true)); /* no change */
  uint64_t steps = toy->gc.stats.steps;
  gc_test_cycle(toy);
  const GcHistogram *histogram = toy->gc.histogram;
  assert_int_equal(histogram->steps, toy->gc.stats.steps - steps);
  uint64_t sum = 0;
  int last = -1;
  for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
    sum += histogram->count[i];
    if (histogram->count[i]) last = i;
  }
  assert_int_equal(sum, histogram->steps);
  assert_true(last >= 0);
  assert_true(histogram->longest_nanoseconds >=
              gc_bucket_begin((unsigned)last));
  if (last < HISTOGRAM_BUCKETS - 1)
    assert_true(histogram->longest_nanoseconds <
                gc_bucket_begin((unsigned)last + 1));
  assert_true(histogram->total_nanoseconds >= histogram->longest_nanoseconds);
  assert_int_equal(histogram->collections, 0);
  gc_collect(&toy->gc);
  assert_int_equal(histogram->collections, 1);
  assert_true(histogram->longest_collection > 0);
  assert_true(gc_enable_histogram(&toy->gc, false));
  assert_null(toy->gc.histogram);
}

/* Buckets are contiguous, and none is wider than an eighth of its value. */
static void test_buckets(void **state) {
  (void)state;
  for (unsigned i = 1; i < HISTOGRAM_BUCKETS; i++) {
    uint64_t begin = gc_bucket_begin(i - 1), end = gc_bucket_begin(i);
    assert_true(begin < end);
    assert_true(end - begin <= 1 || (end - begin) * 8 <= begin);
  }
  assert_true(gc_bucket_begin(HISTOGRAM_BUCKETS - 1) > 60 * 1000000000ull);
}

static void test_statistics(void **state) {
  Toy *toy = *state;
  toy->root[0] = gc_test_list(toy, 3000);
  gc_test_list(toy, 1000);
  gc_test_cycle(toy);
  const GcStats *stats = &toy->gc.stats;
  assert_int_equal(stats->cycles, 1);
  assert_int_equal(stats->live_bytes, 3000 * 32);
  assert_true(stats->peak_bytes >= 4000 * 32);
  assert_true(stats->largest_step >= stats->largest_unit);
  assert_true(stats->largest_unit > 0);
  for (int i = 0; i < PHASE_COUNT; i++)
    assert_true(strlen(gc_phase_name((GcPhase)i)) > 2);
}

/* -- The watch ------------------------------------------------------------- */

static void watch_made(void *context, void *cell, size_t size, size_t bytes) {
  (void)cell, (void)size;
  *(size_t *)context += bytes;
}

static void watch_moved(void *context, const void *cell, void *to) {
  (void)context, (void)cell, (void)to;
}

static GcProgress watch_clear(void *context, size_t from) {
  (void)context, (void)from;
  return (GcProgress){GC_DONE, 1, WEAK_NONE};
}

/* The watch is told of all bytes that are allocated, though a part that shrinks
** or is freed turns the clock back. */
static void check_watched(Toy *toy, size_t large, size_t small) {
  enum { ROUNDS = 200 };
  size_t told = 0;
  ToyRef array = toy->root[0] = toy_new_array(toy, small);
  GcWatch watch = {.made = watch_made,
                   .moved = watch_moved,
                   .clear = watch_clear,
                   .context = &told,
                   .interval = 10000};
  gc_set_watch(&toy->gc, &watch);
  for (int i = 0; i < ROUNDS; i++) {
    assert_true(toy_array_resize(toy, array, large));
    assert_true(toy_array_resize(toy, array, small));
  }
  gc_set_watch(&toy->gc, NULL);
  size_t made = ROUNDS * (large - small) * sizeof(ToyRef);
  assert_in_range(told, made - made / 10, made + made / 2);
}

static void test_watch(void **state) {
  check_watched(*state, 20000, 200); /* resized in place */
  check_watched(*state, 20000, 2);
  check_watched(*state, 20000, 0); /* freed */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_events_of_a_cycle),
      GC_TEST(test_bytes_and_durations),
      GC_TEST(test_minor_cycles_say_so),
      GC_TEST(test_large_cells_and_emergencies),
      GC_TEST(test_histogram),
      GC_TEST(test_buckets),
      GC_TEST(test_statistics),
      GC_TEST(test_watch),
  };
  return cmocka_run_group_tests_name("reports", tests, NULL, NULL);
}
