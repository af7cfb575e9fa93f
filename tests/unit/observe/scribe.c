/* SPDX-License-Identifier: MIT */
/*
** scribe.c -- what is given to the scribe is done in order, and its buffers come
** back; texts that it writes arrive
*/
#include "observe/scribe.h"

#include <errno.h>

#include "observe/spool.h"
#include "../gc/gc_test.h"

#if SCRIBE_HAS_THREAD
#include <sys/wait.h>
#endif

enum { MANY = 5 * SCRIBE_ERRANDS };

static size_t seen[MANY], seen_count;

static void run_note(Errand *errand) { seen[seen_count++] = errand->size; }

static void run_slowly(Errand *errand) {
  for (int i = 0; i < 20; i++) scribe_wait();
  run_note(errand);
}

/* More errands than fit into the ring: each is done once, in order. */
static void test_order(void **state) {
  (void)state;
  Scribe scribe;
  seen_count = 0;
  scribe_open(&scribe);
  for (size_t i = 0; i < MANY; i++)
    scribe_give(&scribe, (Errand){run_note, NULL, NULL, NULL, i});
  scribe_finish(&scribe);
  assert_true(scribe_is_idle(&scribe));
  assert_int_equal(seen_count, MANY);
  for (size_t i = 0; i < MANY; i++) assert_int_equal(seen[i], i);
}

/* Room is what the thread has done, and whoever gives does not wait for it. */
static void test_room(void **state) {
  (void)state;
  Scribe scribe;
  seen_count = 0;
  scribe_open(&scribe);
  for (size_t i = 0; i < SCRIBE_ERRANDS - 4; i++)
    scribe_give(&scribe, (Errand){run_slowly, NULL, NULL, NULL, i});
  bool waits = !scribe.ended;
  if (waits) {
    assert_true(scribe_has_room(&scribe, 4));
    assert_false(scribe_has_room(&scribe, SCRIBE_ERRANDS));
    assert_false(scribe_is_idle(&scribe));
    assert_false(scribe_has_ended(&scribe));
  }
  scribe_finish(&scribe);
  assert_true(scribe_has_room(&scribe, SCRIBE_ERRANDS));
  assert_int_equal(seen_count, SCRIBE_ERRANDS - 4);
}

/* Every buffer comes back once. */
static void test_buffers(void **state) {
  (void)state;
  static char buffer[MANY][sizeof(char *)];
  Scribe scribe;
  size_t back = 0;
  seen_count = 0;
  scribe_open(&scribe);
  for (size_t i = 0; i < MANY; i++) {
    scribe_give(&scribe, (Errand){run_note, NULL, NULL, buffer[i], i});
    if (i % 2) back += scribe_take_back(&scribe) != NULL;
  }
  scribe_finish(&scribe);
  while (scribe_take_back(&scribe)) back++;
  assert_int_equal(back, MANY);
}

#if SCRIBE_HAS_THREAD
/* A forked process has no thread.  It drops all errands, does not wait for any,
** and gets the buffers back. */
static void test_fork(void **state) {
  (void)state;
  static char buffer[4][sizeof(char *)];
  Scribe scribe;
  int status;
  seen_count = 0;
  scribe_open(&scribe);
  for (int i = 0; i < 4; i++)
    scribe_give(&scribe, (Errand){run_slowly, NULL, NULL, buffer[i], 0});
  pid_t child = fork();
  if (child == 0) {
    int back = 0;
    seen_count = 0;
    for (size_t i = 0; i < MANY; i++)
      scribe_give(&scribe, (Errand){run_note, NULL, NULL, NULL, i});
    while (scribe_take_back(&scribe)) back++;
    _exit(scribe_is_lost(&scribe) && scribe_has_ended(&scribe) &&
                  scribe_is_idle(&scribe) && seen_count == 0 && back == 4
              ? 0
              : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_false(scribe_is_lost(&scribe));
  scribe_finish(&scribe);
}
#endif

/* A long text goes through temporary files and arrives as it was. */
static void test_texts(void **state) {
  Toy *toy = *state;
  enum { NUMBERS = 200000 };
  Heap *heap = &toy->gc.heap;
  size_t before = heap->footprint;
  Scribe scribe;
  Spool part[2], out;
  FILE *file = tmpfile();
  int copy = dup(fileno(file));
  scribe_open(&scribe);
  assert_true(spool_open(&part[0], heap, &scribe, NULL));
  assert_true(spool_open(&part[1], heap, &scribe, NULL));
  assert_true(spool_open(&out, heap, &scribe, file));
  for (uint64_t i = 0; i < NUMBERS; i++) spool_numbers(&part[0], &i, 1);
  spool_text(&part[1], "short");
  spool_text(&out, "head");
  for (int i = 0; i < 2; i++) spool_append(&out, &part[i]);
  spool_flush(&out);
  for (int i = 0; i < 2; i++) spool_close(&part[i]);
  spool_close(&out);
  scribe_finish(&scribe);
  spool_free_spare(heap, &scribe);
  assert_int_equal(part[0].error | part[1].error | out.error, 0);
  assert_int_equal(heap->footprint, before);
  file = fdopen(copy, "r+");
  rewind(file);
  assert_int_equal(fscanf(file, "head"), 0);
  for (int i = 0; i < NUMBERS; i++) {
    int n = -1;
    assert_int_equal(fscanf(file, ",%d", &n), 1);
    assert_int_equal(n, i);
  }
  char rest[16] = "";
  assert_non_null(fgets(rest, sizeof rest, file));
  assert_string_equal(rest, "short");
  fclose(file);
}

/* A file that cannot be written has an error. */
static void test_full(void **state) {
  Toy *toy = *state;
  FILE *file = fopen("/dev/full", "wb");
  if (!file) skip();
  Scribe scribe;
  Spool out;
  scribe_open(&scribe);
  assert_true(spool_open(&out, &toy->gc.heap, &scribe, file));
  spool_text(&out, "text");
  spool_flush(&out);
  spool_close(&out);
  scribe_finish(&scribe);
  spool_free_spare(&toy->gc.heap, &scribe);
  assert_int_equal(out.error, ENOSPC);
}

/* Without memory for more buffers, a text waits for those it has. */
static void test_no_memory(void **state) {
  Toy *toy = *state;
  Heap *heap = &toy->gc.heap;
  Scribe scribe;
  Spool part;
  scribe_open(&scribe);
  assert_true(spool_open(&part, heap, &scribe, NULL));
  heap->limit = heap->footprint;
  for (uint64_t i = 0; i < 100000; i++) spool_numbers(&part, &i, 1);
  heap->limit = 0;
  spool_close(&part);
  scribe_finish(&scribe);
  spool_free_spare(heap, &scribe);
  assert_int_equal(part.error, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_order),
    cmocka_unit_test(test_room),
    cmocka_unit_test(test_buffers),
    GC_TEST(test_texts),
    GC_TEST(test_full),
    GC_TEST(test_no_memory),
#if SCRIBE_HAS_THREAD
    cmocka_unit_test(test_fork),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
