/* SPDX-License-Identifier: MIT */
/*
** stream.h -- bytes from a ByteReader
**
** Source text or a precompiled function, as load functions read it.  The byte
** last taken is always at next[-1], in the reader's current piece, so a scanner
** may read the piece directly.
*/
#ifndef PENUMBRA_BYTECODE_STREAM_H
#define PENUMBRA_BYTECODE_STREAM_H

#include "base/base.h"
#include "object/types.h"

enum { STREAM_END = -1 };

typedef struct Stream {
  lua_State *L;
  ByteReader reader;
  void *context;
  const char *next; /* first byte not taken */
  const char *end;  /* end of the bytes that can be taken at once */
  size_t rest;      /* bytes of the reader's piece after `end` */
} Stream;

static inline void stream_init(Stream *s, lua_State *L, ByteReader reader,
                               void *context) {
  *s = (Stream){L, reader, context, NULL, NULL, 0};
}

/* Moves to the next bytes, asking the reader for a new piece if needed, and
** takes the first one.  The reader may raise an error or run the collector. */
int stream_refill(Stream *s);

/* Takes one byte.  Returns STREAM_END at the end. */
static ALWAYS_INLINE int stream_get(Stream *s) {
  if (LIKELY(s->next < s->end)) return (unsigned char)*s->next++;
  return stream_refill(s);
}

/* Takes `size` bytes.  Returns the number of bytes that were missing. */
size_t stream_read(Stream *s, void *to, size_t size);

#endif
