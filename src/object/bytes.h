/* SPDX-License-Identifier: MIT */
/*
** bytes.h -- comparing and copying a few bytes, without a call
*/
#ifndef PENUMBRA_OBJECT_BYTES_H
#define PENUMBRA_OBJECT_BYTES_H

#include <string.h>

#include "base/check.h"

static ALWAYS_INLINE uint64_t bytes_load_8(const char *s) {
  uint64_t word;
  memcpy(&word, s, sizeof word);
  return word;
}

static ALWAYS_INLINE uint64_t bytes_load_4(const char *s) {
  uint32_t word;
  memcpy(&word, s, sizeof word);
  return word;
}

/* The last n < 8 bytes as one word; some bytes may be read twice. */
static ALWAYS_INLINE uint64_t bytes_load_tail(const char *s, size_t n) {
  if (n >= 4) return bytes_load_4(s) << 32 | bytes_load_4(s + n - 4);
  if (n == 0) return 0;
  return (uint64_t)(uint8_t)s[0] << 16 | (uint64_t)(uint8_t)s[n / 2] << 8 |
         (uint8_t)s[n - 1];
}

/* memcmp and memcpy; some bytes may be read or written twice. */
static ALWAYS_INLINE bool bytes_equal(const char *a, const char *b, size_t n) {
  if (n < 8) return bytes_load_tail(a, n) == bytes_load_tail(b, n);
  for (size_t i = 0; i + 8 < n; i += 8)
    if (bytes_load_8(a + i) != bytes_load_8(b + i)) return false;
  return bytes_load_8(a + n - 8) == bytes_load_8(b + n - 8);
}

static ALWAYS_INLINE void bytes_copy(char *to, const char *from, size_t n) {
  if (n < 4) {
    if (n == 0) return;
    char middle = from[n / 2], last = from[n - 1];
    to[0] = from[0];
    to[n / 2] = middle;
    to[n - 1] = last;
  } else if (n < 8) {
    uint32_t first = (uint32_t)bytes_load_4(from);
    uint32_t last = (uint32_t)bytes_load_4(from + n - 4);
    memcpy(to, &first, sizeof first);
    memcpy(to + n - 4, &last, sizeof last);
  } else {
    uint64_t last = bytes_load_8(from + n - 8);
    for (size_t i = 0; i + 8 < n; i += 8) memcpy(to + i, from + i, 8);
    memcpy(to + n - 8, &last, sizeof last);
  }
}

/* Like bytes_copy, for any number of bytes, optimized for few. */
static ALWAYS_INLINE void bytes_copy_any(char *to, const char *from, size_t n) {
  enum { FEW = 32 };
  if (LIKELY(n <= FEW))
    bytes_copy(to, from, n);
  else
    memcpy(to, from, n);
}

#endif
