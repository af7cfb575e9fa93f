/* SPDX-License-Identifier: MIT */
/*
** stream.c -- bytes from a ByteReader
*/
#include "bytecode/stream.h"

#include <string.h>

#include "object/budget.h"

/* Bytes taken between two charges to the budget, and what a byte costs. */
enum { WINDOW = 1024, SPENT_PER_BYTE = 8 };

/* Makes the next window of a piece available and takes its first byte. */
static int stream_open(Stream *s, const char *part, size_t size) {
  size_t window = size_min(size, WINDOW);
  s->next = part + 1;
  s->end = part + window;
  s->rest = size - window;
  if (s->L) budget_spend(s->L, window * SPENT_PER_BYTE);
  return (unsigned char)*part;
}

int stream_refill(Stream *s) {
  size_t size = 0;
  if (s->rest > 0) return stream_open(s, s->end, s->rest);
  const char *piece = s->reader(s->L, s->context, &size);
  if (!piece || size == 0) return STREAM_END;
  return stream_open(s, piece, size);
}

size_t stream_read(Stream *s, void *to, size_t size) {
  char *out = to;
  while (size > 0) {
    if (s->next == s->end) {
      if (stream_refill(s) == STREAM_END) return size;
      s->next--;
    }
    size_t left = (size_t)(s->end - s->next);
    size_t count = size < left ? size : left;
    memcpy(out, s->next, count);
    s->next += count;
    out += count;
    size -= count;
  }
  return 0;
}
