/* SPDX-License-Identifier: MIT */
/*
** stream.c -- bytes from a lua_Reader
*/
#include "bytecode/stream.h"

#include <string.h>

int stream_refill(Stream *s) {
  size_t size = 0;
  const char *piece = s->reader(s->L, s->context, &size);
  if (!piece || size == 0) return STREAM_END;
  s->next = piece + 1;
  s->end = piece + size;
  return (unsigned char)*piece;
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
