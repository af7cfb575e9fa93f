/* SPDX-License-Identifier: MIT */
/*
** spool.h -- text that is written now and read later
**
** A short text stays in a small buffer.  A longer one goes to a temporary file
** without a name, which the system removes.  A failure sets `failed`, which the
** owner checks at the end.
*/
#ifndef PENUMBRA_OBSERVE_SPOOL_H
#define PENUMBRA_OBSERVE_SPOOL_H

#include <stdio.h>

#include "heap/heap.h"

enum {
  SPOOL_BUFFER = 16384,
  SPOOL_PIECE = 131072 /* of a file that is freed at once */
};

typedef struct Spool {
  Heap *heap;
  FILE *file; /* NULL: the whole text is in the buffer */
  char *buffer;
  size_t used;    /* bytes in the buffer */
  uint64_t size;  /* bytes written in total */
  uint64_t taken; /* bytes read so far */
  bool failed;
} Spool;

/* False: no memory. */
bool spool_open(Spool *spool, Heap *heap);

/* Opens the file in advance, because opening it takes a while. */
void spool_open_early(Spool *spool);

/* Frees one piece of the file, because freeing a large file at once takes long.
** True when nothing is left. */
bool spool_close_some(Spool *spool);

void spool_put(Spool *spool, const char *bytes, size_t size);
void spool_text(Spool *spool, const char *text);
void spool_number(Spool *spool, uint64_t n);

/* Writes a comma, a line break, and up to eight numbers with commas between
** them. */
void spool_numbers(Spool *spool, const uint64_t *n, int count);

/* Writes a JSON string with its quotes.  Bytes that are not UTF-8 are written
** as the text \xNN. */
void spool_json(Spool *spool, const char *bytes, size_t size);

/* Reads the next bytes of the text, at most `room`.  Returns their number; 0 at
** the end. */
size_t spool_take(Spool *spool, char *bytes, size_t room);

#endif
