/* SPDX-License-Identifier: MIT */
/*
** buffered_file.h -- text that is written now and read later
**
** A short text stays in a small buffer.  A longer one goes to a file, which the
** thread of a WriteQueue writes: a temporary one without a name, which the
** system removes, or one that the owner has opened.  A failure sets `error`,
** which the owner checks at the end.
*/
#ifndef PENUMBRA_OBSERVE_BUFFERED_FILE_H
#define PENUMBRA_OBSERVE_BUFFERED_FILE_H

#include <stdio.h>

#include "heap/heap.h"
#include "observe/write_queue.h"

enum { BUFFERED_SIZE = 16384 };

typedef struct BufferedFile {
  Heap *heap;
  WriteQueue *writes;
  FILE *file; /* the writer thread's; NULL until it is needed */
  char *buffer;
  size_t used;    /* bytes in the buffer */
  uint64_t size;  /* bytes written in total */
  uint64_t taken; /* bytes read so far */
  bool in_file;   /* some of the text has been given to the writer thread */
  WRITE_QUEUE_ATOMIC int error; /* an error number of the system; 0: none */
} BufferedFile;

/* `file` may be NULL.  False: no memory.  Then the file is still the
** caller's. */
bool buffered_open(BufferedFile *buffered, Heap *heap, WriteQueue *writes,
                   FILE *file);

/* Closes the file and frees the buffer. */
void buffered_close(BufferedFile *buffered);

/* Writes what is in the buffer. */
void buffered_flush(BufferedFile *buffered);

/* Writes all of the other text after this one. */
void buffered_append(BufferedFile *buffered, BufferedFile *other);

/* Frees all buffers that the writer thread is done with. */
void buffered_free_spare(Heap *heap, WriteQueue *writes);

void buffered_put(BufferedFile *buffered, const char *bytes, size_t size);
void buffered_text(BufferedFile *buffered, const char *text);
void buffered_number(BufferedFile *buffered, uint64_t n);

/* Writes a comma, a line break, and up to eight numbers with commas between
** them. */
void buffered_numbers(BufferedFile *buffered, const uint64_t *n, int count);

/* Writes a JSON string with its quotes.  Bytes that are not UTF-8 are written
** as the text \xNN. */
void buffered_json(BufferedFile *buffered, const char *bytes, size_t size);

/* Reads the next bytes of the text, at most `capacity`.  Returns their number;
** 0 at the end.  The text must have been flushed if some of it is in the file,
** and the writer thread must be idle. */
size_t buffered_take(BufferedFile *buffered, char *bytes, size_t capacity);

#endif
