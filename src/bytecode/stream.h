/* SPDX-License-Identifier: MIT */
/*
** stream.h -- bytes from a lua_Reader
**
** What load functions read from: source text or a precompiled function.  The
** byte last taken always lies at next[-1], in memory of the reader's current
** piece, so that a scanner may look at a piece directly.
*/
#ifndef PENUMBRA_BYTECODE_STREAM_H
#define PENUMBRA_BYTECODE_STREAM_H

#include "base/base.h"
#include "lua.h"

enum { STREAM_END = -1 };

typedef struct Stream {
  lua_State *L;
  lua_Reader reader;
  void *context;
  const char *next; /* first byte not taken */
  const char *end;  /* of what can be taken at once: a part of ... */
  size_t rest;      /* ... the reader's piece, of which so much is left then */
} Stream;

static inline void stream_init(Stream *s, lua_State *L, lua_Reader reader,
                               void *context) {
  *s = (Stream){L, reader, context, NULL, NULL, 0};
}

/* Asks the reader for its next piece and takes the first byte of it.  The
** reader may raise, or run the collector. */
int stream_refill(Stream *s);

/* Takes one byte; STREAM_END when there is none. */
static ALWAYS_INLINE int stream_get(Stream *s) {
  if (LIKELY(s->next < s->end)) return (unsigned char)*s->next++;
  return stream_refill(s);
}

/* Takes `size` bytes; the result is how many were missing. */
size_t stream_read(Stream *s, void *to, size_t size);

#endif
