/* SPDX-License-Identifier: MIT */
/*
** scribe.h -- a thread that writes files, so that the program does not wait
**
** Now and then the system takes milliseconds for a write of some kilobytes.  So
** steps of the collector only note what is to be done, as errands.  A thread
** does them, one after the other, in the order in which they were given.
**
** Giving an errand takes no lock, and wakes nobody: the thread sleeps for some
** milliseconds when it has nothing to do, and then looks.  It starts with the
** first errand.  The errands are in a ring.  If the thread is a whole ring
** behind, whoever gives the next one waits.
**
** Where the C library has no threads, an errand is done when it is given.
*/
#ifndef PENUMBRA_OBSERVE_SCRIBE_H
#define PENUMBRA_OBSERVE_SCRIBE_H

#include "base/base.h"

/* The C library of GNU has threads since 2.34.  Before, and on some systems, a
** program needs another library for them. */
#if defined(__linux__) || defined(__APPLE__)
#include <limits.h>
#if !defined(__GLIBC__) || __GLIBC__ > 2 || __GLIBC_MINOR__ >= 34
#define SCRIBE_HAS_THREAD 1
#include <pthread.h>
#include <unistd.h>
#endif
#endif

/* What both threads read. */
#ifdef SCRIBE_HAS_THREAD
#define SCRIBE_ATOMIC _Atomic
#else
#define SCRIBE_HAS_THREAD 0
#define SCRIBE_ATOMIC
#endif

enum { SCRIBE_ERRANDS = 64 };

typedef struct Errand {
  void (*run)(struct Errand *errand);
  void *from, *to; /* what `run` needs */
  char *buffer;    /* the scribe's until the errand is done; may be NULL */
  size_t size;     /* bytes in the buffer */
} Errand;

typedef struct Scribe {
  Errand ring[SCRIBE_ERRANDS];
  SCRIBE_ATOMIC size_t given; /* errands so far; only the program changes it */
  SCRIBE_ATOMIC size_t done;  /* errands so far; only the thread changes it */
  size_t returned; /* errands whose buffers are in `spare` or taken */
  char *spare;     /* buffers; each begins with the address of the next */
  SCRIBE_ATOMIC bool stopping;
  SCRIBE_ATOMIC bool ended; /* there is no thread, or it does nothing more */
#if SCRIBE_HAS_THREAD
  pthread_t thread;
  pid_t process; /* that has the thread */
  bool started, joined;
#endif
} Scribe;

void scribe_open(Scribe *scribe);

/* Tells the thread to end when all errands are done. */
void scribe_stop(Scribe *scribe);

/* The same, and waits for it. */
void scribe_finish(Scribe *scribe);

/* True once there is no thread any more.  Never waits long. */
bool scribe_has_ended(Scribe *scribe);

/* True in a process that was forked while the thread was at work: it has no such
** thread, and the files belong to the other process.  All errands are
** dropped. */
bool scribe_is_lost(const Scribe *scribe);

/* Waits if there are too many errands. */
void scribe_give(Scribe *scribe, Errand errand);

/* True if at least `errands` can be given without waiting. */
bool scribe_has_room(const Scribe *scribe, size_t errands);

/* True if no errand is left. */
bool scribe_is_idle(const Scribe *scribe);

/* Sleeps for a moment, for whoever must wait for the thread. */
void scribe_wait(void);

/* A buffer of an errand that is done.  NULL: there is none.  A buffer must have
** room for an address. */
char *scribe_take_back(Scribe *scribe);

#endif
