/* SPDX-License-Identifier: MIT */
/*
** spool.h -- text that is written now and wanted later
**
** What fits into a small buffer stays there, the rest goes to a file without a
** name that the system removes.  A failure is remembered, and told at the end.
*/
#ifndef PENUMBRA_OBSERVE_SPOOL_H
#define PENUMBRA_OBSERVE_SPOOL_H

#include <stdio.h>

#include "heap/heap.h"

enum { SPOOL_BUFFER = 16384 };

typedef struct Spool {
  Heap *heap;
  FILE *file;             /* NULL: all of it is in the buffer */
  char *buffer;
  size_t used;            /* bytes in the buffer */
  uint64_t size;          /* bytes in all */
  uint64_t taken;         /* read again so far */
  bool failed;
} Spool;

/* False: no memory. */
bool spool_open(Spool *spool, Heap *heap);

/* Opens the file now, which takes a while, rather than when it is needed. */
void spool_open_early(Spool *spool);

/* Gives a piece of the file back to the system, since all of a large file at
** once takes long.  True when nothing is left. */
bool spool_close_some(Spool *spool);

void spool_put(Spool *spool, const char *bytes, size_t size);
void spool_text(Spool *spool, const char *text);
void spool_number(Spool *spool, uint64_t n);

/* A new line with these numbers, a few, behind a comma. */
void spool_numbers(Spool *spool, const uint64_t *n, int count);

/* A string of JSON with its quotes.  What is not UTF-8 is shown as \xNN. */
void spool_json(Spool *spool, const char *bytes, size_t size);

/* The next bytes of what was written, at most `room`; 0 at the end. */
size_t spool_take(Spool *spool, char *bytes, size_t room);

#endif
