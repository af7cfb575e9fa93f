/* SPDX-License-Identifier: MIT */
/*
** record.c -- a record of a run is bounded, and its sums are right
*/
#include "observe/record.h"

#include "../gc/gc_test.h"

static Record record;

/* Numbers that look random and are the same each time. */
static uint64_t chance(uint64_t below) {
  static uint64_t seed = 1;
  seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (seed >> 33) % below;
}

static void step_at(uint64_t end, uint64_t nanoseconds) {
  record_event(&record, &(GcEvent){.type = EVENT_STEP,
                                   .nanoseconds = nanoseconds,
                                   .time = record.began + end});
}

/* The worst window of this length, looked for at the beginning and at the end
** of each pause. */
static uint64_t worst_window(const uint64_t (*pause)[2], size_t count,
                             uint64_t length) {
  uint64_t worst = 0;
  for (size_t i = 0; i < 2 * count; i++) {
    uint64_t from = pause[i / 2][i % 2], sum = 0;
    if (i % 2) from = from > length ? from - length : 0;
    for (size_t k = 0; k < count; k++) {
      uint64_t low = pause[k][0] > from ? pause[k][0] : from;
      uint64_t high = pause[k][1] < from + length ? pause[k][1] : from + length;
      if (high > low) sum += high - low;
    }
    if (sum > worst) worst = sum;
  }
  return worst;
}

/* Windows are never better than they are, and at most a sixteenth worse. */
static void test_windows(void **state) {
  enum { PAUSES = 1500 };
  static uint64_t pause[PAUSES][2];
  Toy *toy = *state;
  uint64_t now = 0;
  record_begin(&record, &toy->gc);
  for (size_t i = 0; i < PAUSES; i++) {
    now += chance(10) == 0 ? chance(3000000) : chance(60000);
    uint64_t length = chance(50) == 0 ? chance(400000) : chance(40000);
    pause[i][0] = now;
    pause[i][1] = now + length;
    now += length;
    step_at(now, length);
  }
  for (int i = 0; i < RECORD_WINDOWS; i++) {
    const RecordWindow *w = &record.window[i];
    uint64_t exact = worst_window(pause, PAUSES, w->length);
    assert_true(w->worst >= exact);
    assert_true(w->worst <= exact + w->length / 16 || exact == w->length);
  }
}

/* However long the run is, intervals are enough, and no pause is lost. */
static void test_long_run(void **state) {
  Toy *toy = *state;
  uint64_t now = 0, total = 0, longest = 0, waited = 0;
  record_begin(&record, &toy->gc);
  for (int i = 0; i < 50000; i++) {
    uint64_t length = 1 + chance(30000);
    now += 50000 + chance(1000000) * (uint64_t)(i / 1000 + 1);
    step_at(now, length);
    total += length;
    if (length > longest) longest = length;
  }
  assert_in_range(record.time_count, RECORD_TIMES / 2, RECORD_TIMES);
  assert_true(record.width * RECORD_TIMES >= now);
  for (size_t i = 0; i < record.time_count; i++)
    waited += record.time[i].waited;
  assert_int_equal(waited, total);
  assert_int_equal(record.pauses.total_nanoseconds, total);
  assert_int_equal(record.pauses.longest_nanoseconds, longest);
}

/* Bytes and waiting are spread over the time that they took. */
static void test_spread(void **state) {
  Toy *toy = *state;
  record_begin(&record, &toy->gc);
  step_at(1000, 1000);
  toy->root[0] = gc_test_list(toy, 100000);
  step_at(20000000, 5000000); /* 200 intervals later, waited 50 of them */
  uint64_t allocated = 0, waited = 0;
  for (size_t i = 0; i < record.time_count; i++) {
    const RecordTime *t = &record.time[i];
    allocated += t->allocated;
    waited += t->waited;
    assert_true(t->waited <= record.width);
    assert_true(t->allocated <= record.allocated / 150);
  }
  assert_int_equal(waited, 5001000);
  assert_int_equal(allocated, record.allocated);
  assert_true(allocated >= 100000 * 16);
  assert_int_equal(record.time[100].waited, 0);
  assert_in_range(record.time[175].waited, record.width - 2, record.width);
}

/* Cycles of a real collector, more than there are groups. */
static void test_cycles(void **state) {
  Toy *toy = *state;
  uint32_t cycles = 0;
  record_begin(&record, &toy->gc);
  toy->gc.listener =
      (GcListener){(void (*)(void *, const GcEvent *))record_event, &record};
  toy->root[0] = gc_test_list(toy, 100);
  size_t live = 0;
  for (int i = 0; i < 3 * RECORD_CYCLES; i++) {
    gc_test_list(toy, 50);
    gc_collect(&toy->gc);
    live = toy->gc.stats.live_bytes;
  }
  toy->gc.listener.event = NULL;
  record_end(&record);
  assert_in_range(record.cycle_count, RECORD_CYCLES / 2, RECORD_CYCLES);
  uint64_t before = 0, found = 0;
  for (size_t i = 0; i < record.cycle_count; i++) {
    assert_int_equal(record.cycle[i].minors, 0);
    cycles += record.cycle[i].majors;
    before += record.cycle[i].before;
    found += record.cycle[i].live;
  }
  assert_int_equal(cycles, 3 * RECORD_CYCLES);
  assert_int_equal(found, (uint64_t)live * cycles);
  assert_true(before >= found + 50 * 16 * (cycles - 1));
  assert_int_equal(record.pauses.collections, cycles);
  assert_true(record.allocated >= 50u * 16 * cycles);
  uint64_t allocated = record.allocated;
  gc_test_list(toy, 5000);
  record_resume(&record);
  record_event(&record, &(GcEvent){.type = EVENT_STEP, .time = gc_clock()});
  assert_int_equal(record.allocated, allocated);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_windows),
      GC_TEST(test_long_run),
      GC_TEST(test_spread),
      GC_TEST(test_cycles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
