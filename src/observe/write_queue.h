/* SPDX-License-Identifier: MIT */
/*
** write_queue.h -- writes of files, done by a thread of their own
**
** Now and then the system takes milliseconds for a write of some kilobytes.  So
** steps of the collector only note what is to be done, as jobs.  A thread does
** them, one after the other, in the order in which they were given.
**
** Giving a job takes no lock, and wakes nobody: the thread sleeps for some
** milliseconds when it has nothing to do, and then looks.  It starts with the
** first job.  The jobs are in a ring.  If the thread is a whole ring behind,
** whoever gives the next one waits.
**
** Where the C library has no threads, a job is done when it is given.
*/
#ifndef PENUMBRA_OBSERVE_WRITE_QUEUE_H
#define PENUMBRA_OBSERVE_WRITE_QUEUE_H

#include "base/base.h"

/* The C library of GNU has threads since 2.34.  Before, and on some systems, a
** program needs another library for them. */
#if defined(__linux__) || defined(__APPLE__)
#include <limits.h>
#if !defined(__GLIBC__) || __GLIBC__ > 2 || __GLIBC_MINOR__ >= 34
#define WRITE_QUEUE_HAS_THREAD 1
#include <pthread.h>
#include <unistd.h>
#endif
#endif

/* What both threads read. */
#ifdef WRITE_QUEUE_HAS_THREAD
#define WRITE_QUEUE_ATOMIC _Atomic
#else
#define WRITE_QUEUE_HAS_THREAD 0
#define WRITE_QUEUE_ATOMIC
#endif

enum { WRITE_QUEUE_JOBS = 64 };

typedef struct WriteJob {
  void (*run)(struct WriteJob *job);
  void *from, *to; /* what `run` needs */
  char *buffer;    /* the writer thread's until the job is done; may be NULL */
  size_t size;     /* bytes in the buffer */
} WriteJob;

typedef struct WriteQueue {
  WriteJob ring[WRITE_QUEUE_JOBS];
  WRITE_QUEUE_ATOMIC size_t
      given;                      /* jobs so far; only the program changes it */
  WRITE_QUEUE_ATOMIC size_t done; /* jobs so far; only the thread changes it */
  size_t returned; /* jobs whose buffers are in `spare` or taken */
  char *spare;     /* buffers; each begins with the address of the next */
  WRITE_QUEUE_ATOMIC bool stopping;
  WRITE_QUEUE_ATOMIC bool
      ended; /* there is no thread, or it does nothing more */
#if WRITE_QUEUE_HAS_THREAD
  pthread_t thread;
  pid_t process; /* that has the thread */
  bool started, joined;
#endif
} WriteQueue;

void write_queue_open(WriteQueue *writes);

/* Tells the thread to end when all jobs are done. */
void write_queue_stop(WriteQueue *writes);

/* Like write_queue_stop, and waits for the thread. */
void write_queue_finish(WriteQueue *writes);

/* True once there is no thread any more.  Never waits long. */
bool write_queue_has_ended(WriteQueue *writes);

/* True in a process that was forked while the thread was at work: it has no such
** thread, and the files belong to the other process.  All jobs are
** dropped. */
bool write_queue_is_lost(const WriteQueue *writes);

/* Waits if there are too many jobs. */
void write_queue_give(WriteQueue *writes, WriteJob job);

/* True if at least `jobs` can be given without waiting. */
bool write_queue_has_space(const WriteQueue *writes, size_t jobs);

/* True if no job is left. */
bool write_queue_is_idle(const WriteQueue *writes);

/* Sleeps for a moment, for whoever must wait for the thread. */
void write_queue_wait(void);

/* A buffer of a job that is done.  NULL: there is none.  A buffer must have
** room for an address. */
char *write_queue_take_back(WriteQueue *writes);

#endif
