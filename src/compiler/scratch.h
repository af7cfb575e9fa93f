/* SPDX-License-Identifier: MIT */
/*
** scratch.h -- growing vectors that last as long as a compilation
**
** Each lives in a Box that the compiler anchors on the stack, so that an
** error, which jumps out of the compiler, leaks nothing.
*/
#ifndef PENUMBRA_COMPILER_SCRATCH_H
#define PENUMBRA_COMPILER_SCRATCH_H

#include <string.h>

#include "object/part.h"

typedef struct Scratch {
  Box *box;
  size_t count; /* elements in use */
} Scratch;

/* Makes room for `more` elements above those in use; raises "too many
** <what>" above `limit`. */
void scratch_reserve(lua_State *L, Scratch *s, size_t element_size, size_t more,
                     size_t limit, const char *what);

static inline void scratch_clear(Scratch *s) { s->count = 0; }
static inline void scratch_truncate(Scratch *s, size_t count) {
  s->count = count;
}
static inline size_t scratch_count(const Scratch *s) { return s->count; }

/* -- Vectors of bytes ------------------------------------------------------ */

void scratch_grow_bytes(lua_State *L, Scratch *s, size_t more);

static inline char *scratch_bytes(const Scratch *s) {
  return (char *)s->box->data;
}
static inline void scratch_add_byte(lua_State *L, Scratch *s, char c) {
  if (UNLIKELY(s->count >= vector_capacity(s->box->data)))
    scratch_grow_bytes(L, s, 1);
  scratch_bytes(s)[s->count++] = c;
}

void scratch_append(lua_State *L, Scratch *s, const char *bytes, size_t length);

/* The bytes, followed by a zero that is not counted. */
const char *scratch_text(lua_State *L, Scratch *s);

#endif
