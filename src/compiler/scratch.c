/* SPDX-License-Identifier: MIT */
/*
** scratch.c -- growing vectors that last as long as a compilation
*/
#include "compiler/scratch.h"

void scratch_reserve(lua_State *L, Scratch *s, size_t element_size, size_t more,
                     size_t limit, const char *what) {
  if (s->count + more > vector_capacity(s->box->data))
    vector_reserve(L, &s->box->cell, &s->box->data, element_size,
                   s->count + more, limit, what);
}

COLD void scratch_grow_bytes(lua_State *L, Scratch *s, size_t more) {
  scratch_reserve(L, s, 1, more, UINT32_MAX, "bytes in a token");
}

void scratch_append(lua_State *L, Scratch *s, const char *bytes,
                    size_t length) {
  if (s->count + length > vector_capacity(s->box->data))
    scratch_grow_bytes(L, s, length);
  memcpy(scratch_bytes(s) + s->count, bytes, length);
  s->count += length;
}

const char *scratch_text(lua_State *L, Scratch *s) {
  scratch_add_byte(L, s, '\0');
  s->count--;
  return scratch_bytes(s);
}
