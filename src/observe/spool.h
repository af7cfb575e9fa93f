/* SPDX-License-Identifier: MIT */
/*
** spool.h -- text that is written now and read later
**
** A short text stays in a small buffer.  A longer one goes to a file, which a
** Scribe writes: a temporary one without a name, which the system removes, or one
** that the owner has opened.  A failure sets `error`, which the owner checks at
** the end.
*/
#ifndef PENUMBRA_OBSERVE_SPOOL_H
#define PENUMBRA_OBSERVE_SPOOL_H

#include <stdio.h>

#include "heap/heap.h"
#include "observe/scribe.h"

enum { SPOOL_BUFFER = 16384 };

typedef struct Spool {
  Heap *heap;
  Scribe *scribe;
  FILE *file; /* the scribe's; NULL until it is needed */
  char *buffer;
  size_t used;             /* bytes in the buffer */
  uint64_t size;           /* bytes written in total */
  uint64_t taken;          /* bytes read so far */
  bool in_file;            /* some of the text has been given to the scribe */
  SCRIBE_ATOMIC int error; /* an error number of the system; 0: none */
} Spool;

/* `file` may be NULL.  False: no memory.  Then the file is still the
** caller's. */
bool spool_open(Spool *spool, Heap *heap, Scribe *scribe, FILE *file);

/* Closes the file and frees the buffer. */
void spool_close(Spool *spool);

/* Writes what is in the buffer. */
void spool_flush(Spool *spool);

/* Writes all of the other text after this one. */
void spool_append(Spool *spool, Spool *other);

/* Frees all buffers that the scribe is done with. */
void spool_free_spare(Heap *heap, Scribe *scribe);

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
** the end.  The text must have been flushed if some of it is in the file, and
** the scribe must be idle. */
size_t spool_take(Spool *spool, char *bytes, size_t room);

#endif
