/* SPDX-License-Identifier: MIT */
/*
** write_queue.c -- jobs are done in order, their buffers come back, and
** buffered files arrive whole
*/
#include "observe/write_queue.h"

#include <errno.h>

#include "observe/buffered_file.h"
#include "../gc/gc_test.h"

#if WRITE_QUEUE_HAS_THREAD
#include <sys/wait.h>
#endif

enum { MANY = 5 * WRITE_QUEUE_JOBS };

static size_t seen[MANY], seen_count;

static void run_note(WriteJob *job) { seen[seen_count++] = job->size; }

static void run_slowly(WriteJob *job) {
  for (int i = 0; i < 20; i++) write_queue_wait();
  run_note(job);
}

/* More jobs than fit into the ring: each is done once, in order. */
static void test_order(void **state) {
  (void)state;
  WriteQueue writes;
  seen_count = 0;
  write_queue_open(&writes);
  for (size_t i = 0; i < MANY; i++)
    write_queue_give(&writes, (WriteJob){run_note, NULL, NULL, NULL, i});
  write_queue_finish(&writes);
  assert_true(write_queue_is_idle(&writes));
  assert_int_equal(seen_count, MANY);
  for (size_t i = 0; i < MANY; i++) assert_int_equal(seen[i], i);
}

/* Room is what the thread has done, and whoever gives does not wait for it. */
static void test_room(void **state) {
  (void)state;
  WriteQueue writes;
  seen_count = 0;
  write_queue_open(&writes);
  for (size_t i = 0; i < WRITE_QUEUE_JOBS - 4; i++)
    write_queue_give(&writes, (WriteJob){run_slowly, NULL, NULL, NULL, i});
  bool waits = !writes.ended;
  if (waits) {
    assert_true(write_queue_has_space(&writes, 4));
    assert_false(write_queue_has_space(&writes, WRITE_QUEUE_JOBS));
    assert_false(write_queue_is_idle(&writes));
    assert_false(write_queue_has_ended(&writes));
  }
  write_queue_finish(&writes);
  assert_true(write_queue_has_space(&writes, WRITE_QUEUE_JOBS));
  assert_int_equal(seen_count, WRITE_QUEUE_JOBS - 4);
}

/* Every buffer comes back once. */
static void test_buffers(void **state) {
  (void)state;
  static char buffer[MANY][sizeof(char *)];
  WriteQueue writes;
  size_t back = 0;
  seen_count = 0;
  write_queue_open(&writes);
  for (size_t i = 0; i < MANY; i++) {
    write_queue_give(&writes, (WriteJob){run_note, NULL, NULL, buffer[i], i});
    if (i % 2) back += write_queue_take_back(&writes) != NULL;
  }
  write_queue_finish(&writes);
  while (write_queue_take_back(&writes)) back++;
  assert_int_equal(back, MANY);
}

#if WRITE_QUEUE_HAS_THREAD
/* A forked process has no thread.  It drops all jobs, does not wait for any,
** and gets the buffers back. */
static void test_fork(void **state) {
  (void)state;
  static char buffer[4][sizeof(char *)];
  WriteQueue writes;
  int status;
  seen_count = 0;
  write_queue_open(&writes);
  for (int i = 0; i < 4; i++)
    write_queue_give(&writes, (WriteJob){run_slowly, NULL, NULL, buffer[i], 0});
  pid_t child = fork();
  if (child == 0) {
    int back = 0;
    seen_count = 0;
    for (size_t i = 0; i < MANY; i++)
      write_queue_give(&writes, (WriteJob){run_note, NULL, NULL, NULL, i});
    while (write_queue_take_back(&writes)) back++;
    _exit(write_queue_is_lost(&writes) && write_queue_has_ended(&writes) &&
                  write_queue_is_idle(&writes) && seen_count == 0 && back == 4
              ? 0
              : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_false(write_queue_is_lost(&writes));
  write_queue_finish(&writes);
}
#endif

/* A long text goes through temporary files and arrives as it was. */
static void test_texts(void **state) {
  Toy *toy = *state;
  enum { NUMBERS = 200000 };
  Heap *heap = &toy->gc.heap;
  size_t before = heap->footprint;
  WriteQueue writes;
  BufferedFile part[2], out;
  FILE *file = tmpfile();
  int copy = dup(fileno(file));
  write_queue_open(&writes);
  assert_true(buffered_open(&part[0], heap, &writes, NULL));
  assert_true(buffered_open(&part[1], heap, &writes, NULL));
  assert_true(buffered_open(&out, heap, &writes, file));
  for (uint64_t i = 0; i < NUMBERS; i++) buffered_numbers(&part[0], &i, 1);
  buffered_text(&part[1], "short");
  buffered_text(&out, "head");
  for (int i = 0; i < 2; i++) buffered_append(&out, &part[i]);
  buffered_flush(&out);
  for (int i = 0; i < 2; i++) buffered_close(&part[i]);
  buffered_close(&out);
  write_queue_finish(&writes);
  buffered_free_spare(heap, &writes);
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
  WriteQueue writes;
  BufferedFile out;
  write_queue_open(&writes);
  assert_true(buffered_open(&out, &toy->gc.heap, &writes, file));
  buffered_text(&out, "text");
  buffered_flush(&out);
  buffered_close(&out);
  write_queue_finish(&writes);
  buffered_free_spare(&toy->gc.heap, &writes);
  assert_int_equal(out.error, ENOSPC);
}

/* Without memory for more buffers, a text waits for those it has. */
static void test_no_memory(void **state) {
  Toy *toy = *state;
  Heap *heap = &toy->gc.heap;
  WriteQueue writes;
  BufferedFile part;
  write_queue_open(&writes);
  assert_true(buffered_open(&part, heap, &writes, NULL));
  heap->limit = heap->footprint;
  for (uint64_t i = 0; i < 100000; i++) buffered_numbers(&part, &i, 1);
  heap->limit = 0;
  buffered_close(&part);
  write_queue_finish(&writes);
  buffered_free_spare(heap, &writes);
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
#if WRITE_QUEUE_HAS_THREAD
    cmocka_unit_test(test_fork),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
