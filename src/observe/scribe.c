/* SPDX-License-Identifier: MIT */
/*
** scribe.c -- a thread that writes files, so that the program does not wait
*/
#define _POSIX_C_SOURCE 200809L

#include "observe/scribe.h"

#include <string.h>

#if SCRIBE_HAS_THREAD
#include <signal.h>
#include <time.h>
#endif

/* -- The ring -------------------------------------------------------------- */

static size_t errands_left(const Scribe *scribe) {
  size_t done = scribe->done;
  return scribe->given - done;
}

/* Does the next errand.  False if there is none. */
static bool do_next(Scribe *scribe) {
  size_t done = scribe->done;
  if (errands_left(scribe) == 0) return false;
  Errand *errand = &scribe->ring[done % SCRIBE_ERRANDS];
  errand->run(errand);
  scribe->done = done + 1;
  return true;
}

bool scribe_is_idle(const Scribe *scribe) {
  return errands_left(scribe) == 0 || scribe_is_lost(scribe);
}

bool scribe_has_room(const Scribe *scribe, size_t errands) {
  return errands_left(scribe) + errands <= SCRIBE_ERRANDS ||
         scribe_is_lost(scribe);
}

/* Puts the buffers of all errands that are done into `spare`. */
static void collect_buffers(Scribe *scribe) {
  size_t done = scribe->done;
  if (scribe_is_lost(scribe)) done = scribe->given;
  for (; scribe->returned != done; scribe->returned++) {
    char *buffer = scribe->ring[scribe->returned % SCRIBE_ERRANDS].buffer;
    if (!buffer) continue;
    memcpy(buffer, &scribe->spare, sizeof scribe->spare);
    scribe->spare = buffer;
  }
}

char *scribe_take_back(Scribe *scribe) {
  collect_buffers(scribe);
  char *buffer = scribe->spare;
  if (buffer) memcpy(&scribe->spare, buffer, sizeof scribe->spare);
  return buffer;
}

#if SCRIBE_HAS_THREAD
static void start_thread(Scribe *scribe);
#endif

void scribe_give(Scribe *scribe, Errand errand) {
#if SCRIBE_HAS_THREAD
  if (!scribe->started && !scribe_is_lost(scribe)) start_thread(scribe);
#endif
  while (!scribe_has_room(scribe, 1)) scribe_wait();
  collect_buffers(scribe);
  size_t given = scribe->given;
  scribe->ring[given % SCRIBE_ERRANDS] = errand;
  scribe->given = given + 1;
  if (scribe->ended && !scribe_is_lost(scribe)) do_next(scribe);
}

/* -- The thread ------------------------------------------------------------ */

#if SCRIBE_HAS_THREAD

static void sleep_for(long nanoseconds) {
  const struct timespec time = {0, nanoseconds};
  nanosleep(&time, NULL);
}

void scribe_wait(void) { sleep_for(100000); }

static void *scribe_main(void *context) {
  enum { MILLISECOND = 1000000 };
  Scribe *scribe = context;
  long pause = MILLISECOND;
  for (;;) {
    bool stopping = scribe->stopping;
    if (do_next(scribe)) {
      pause = MILLISECOND;
      continue;
    }
    if (stopping) break;
    sleep_for(pause);
    if (pause < 4 * MILLISECOND) pause *= 2;
  }
  scribe->ended = true;
  return NULL;
}

/* The thread gets no signals: these are for the program.  Without a thread, the
** scribe has ended, and errands are done at once. */
static void start_thread(Scribe *scribe) {
  enum { STACK = 256 * 1024 };
  sigset_t all, before;
  pthread_attr_t attributes;
  scribe->started = true;
  scribe->ended = scribe->joined = true;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, STACK);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  scribe->ended = scribe->joined = false;
  if (pthread_create(&scribe->thread, &attributes, scribe_main, scribe) != 0)
    scribe->ended = scribe->joined = true;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}

void scribe_open(Scribe *scribe) {
  memset(scribe, 0, sizeof *scribe);
  scribe->process = getpid();
}

bool scribe_is_lost(const Scribe *scribe) {
  return scribe->process != getpid();
}

bool scribe_has_ended(Scribe *scribe) {
  if (scribe_is_lost(scribe) || !scribe->started) return true;
  if (!scribe->ended) return false;
  if (!scribe->joined) pthread_join(scribe->thread, NULL);
  return scribe->joined = true;
}

#else

void scribe_wait(void) {}

void scribe_open(Scribe *scribe) {
  memset(scribe, 0, sizeof *scribe);
  scribe->ended = true;
}

bool scribe_is_lost(const Scribe *scribe) {
  (void)scribe;
  return false;
}

bool scribe_has_ended(Scribe *scribe) { return scribe->ended; }

#endif

void scribe_stop(Scribe *scribe) { scribe->stopping = true; }

void scribe_finish(Scribe *scribe) {
  scribe_stop(scribe);
  while (!scribe_has_ended(scribe)) scribe_wait();
}
