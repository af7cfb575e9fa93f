/* SPDX-License-Identifier: MIT */
/*
** write_queue.c -- writes of files, done by a thread of their own
*/
#define _POSIX_C_SOURCE 200809L

#include "observe/write_queue.h"

#include <string.h>

#if WRITE_QUEUE_HAS_THREAD
#include <signal.h>
#include <time.h>
#endif

/* -- The ring -------------------------------------------------------------- */

static size_t jobs_left(const WriteQueue *writes) {
  size_t done = writes->done;
  return writes->given - done;
}

/* Does the next job.  False if there is none. */
static bool do_next(WriteQueue *writes) {
  size_t done = writes->done;
  if (jobs_left(writes) == 0) return false;
  WriteJob *job = &writes->ring[done % WRITE_QUEUE_JOBS];
  job->run(job);
  writes->done = done + 1;
  return true;
}

bool write_queue_is_idle(const WriteQueue *writes) {
  return jobs_left(writes) == 0 || write_queue_is_lost(writes);
}

bool write_queue_has_space(const WriteQueue *writes, size_t jobs) {
  return jobs_left(writes) + jobs <= WRITE_QUEUE_JOBS ||
         write_queue_is_lost(writes);
}

/* Puts the buffers of all jobs that are done into `spare`. */
static void collect_buffers(WriteQueue *writes) {
  size_t done = writes->done;
  if (write_queue_is_lost(writes)) done = writes->given;
  for (; writes->returned != done; writes->returned++) {
    char *buffer = writes->ring[writes->returned % WRITE_QUEUE_JOBS].buffer;
    if (!buffer) continue;
    memcpy(buffer, &writes->spare, sizeof writes->spare);
    writes->spare = buffer;
  }
}

char *write_queue_take_back(WriteQueue *writes) {
  collect_buffers(writes);
  char *buffer = writes->spare;
  if (buffer) memcpy(&writes->spare, buffer, sizeof writes->spare);
  return buffer;
}

#if WRITE_QUEUE_HAS_THREAD
static void start_thread(WriteQueue *writes);
#endif

void write_queue_give(WriteQueue *writes, WriteJob job) {
#if WRITE_QUEUE_HAS_THREAD
  if (!writes->started && !write_queue_is_lost(writes)) start_thread(writes);
#endif
  while (!write_queue_has_space(writes, 1)) write_queue_wait();
  collect_buffers(writes);
  size_t given = writes->given;
  writes->ring[given % WRITE_QUEUE_JOBS] = job;
  writes->given = given + 1;
  if (writes->ended && !write_queue_is_lost(writes)) do_next(writes);
}

/* -- The thread ------------------------------------------------------------ */

#if WRITE_QUEUE_HAS_THREAD

static void sleep_for(long nanoseconds) {
  const struct timespec time = {0, nanoseconds};
  nanosleep(&time, NULL);
}

void write_queue_wait(void) { sleep_for(100000); }

static void *write_queue_main(void *context) {
  enum { MILLISECOND = 1000000 };
  WriteQueue *writes = context;
  long pause = MILLISECOND;
  for (;;) {
    bool stopping = writes->stopping;
    if (do_next(writes)) {
      pause = MILLISECOND;
      continue;
    }
    if (stopping) break;
    sleep_for(pause);
    if (pause < 4 * MILLISECOND) pause *= 2;
  }
  writes->ended = true;
  return NULL;
}

/* The thread gets no signals: these are for the program.  Without a thread, the
** queue has ended, and jobs are done at once. */
static void start_thread(WriteQueue *writes) {
  enum { STACK = 256 * 1024 };
  sigset_t all, before;
  pthread_attr_t attributes;
  writes->started = true;
  writes->ended = writes->joined = true;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, STACK);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  writes->ended = writes->joined = false;
  if (pthread_create(&writes->thread, &attributes, write_queue_main, writes) !=
      0)
    writes->ended = writes->joined = true;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}

void write_queue_open(WriteQueue *writes) {
  memset(writes, 0, sizeof *writes);
  writes->process = getpid();
}

bool write_queue_is_lost(const WriteQueue *writes) {
  return writes->process != getpid();
}

bool write_queue_has_ended(WriteQueue *writes) {
  if (write_queue_is_lost(writes) || !writes->started) return true;
  if (!writes->ended) return false;
  if (!writes->joined) pthread_join(writes->thread, NULL);
  return writes->joined = true;
}

#else

void write_queue_wait(void) {}

void write_queue_open(WriteQueue *writes) {
  memset(writes, 0, sizeof *writes);
  writes->ended = true;
}

bool write_queue_is_lost(const WriteQueue *writes) {
  (void)writes;
  return false;
}

bool write_queue_has_ended(WriteQueue *writes) { return writes->ended; }

#endif

void write_queue_stop(WriteQueue *writes) { writes->stopping = true; }

void write_queue_finish(WriteQueue *writes) {
  write_queue_stop(writes);
  while (!write_queue_has_ended(writes)) write_queue_wait();
}
