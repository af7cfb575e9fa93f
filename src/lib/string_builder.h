/* SPDX-License-Identifier: MIT */
/*
** string_builder.h -- new strings of a known length, and positions in strings
**
** The bytes are written where they will stay, without a buffer in between.
*/
#ifndef PENUMBRA_LIB_STRING_BUILDER_H
#define PENUMBRA_LIB_STRING_BUILDER_H

#include "lauxlib.h"
#include "vm/native.h"

typedef struct StringBuilder {
  String *s; /* or NULL: it is short, and in `bytes` */
  size_t length;
  char bytes[STRING_MAX_SHORT];
} StringBuilder;

/* Returns where to write the bytes.  In a call with a frame, a long string is
** on the stack meanwhile: budgets may be spent until builder_give. */
static ALWAYS_INLINE char *builder_begin(lua_State *L, StringBuilder *t,
                                         size_t length, Value *out) {
  t->length = length;
  t->s = NULL;
  if (LIKELY(length <= STRING_MAX_SHORT)) return t->bytes;
  t->s = string_new_long(L, length);
  if (native_has_frame(L)) {
    value_set_string(out, t->s);
    L->top = out + 1;
  }
  return string_buffer(t->s);
}

static ALWAYS_INLINE int builder_give(lua_State *L, const StringBuilder *t,
                                      Value *out) {
  if (LIKELY(!t->s))
    return give_new_string(L, out, string_new_short(L, t->bytes, t->length));
  if (native_has_frame(L)) out = L->top - 1; /* the stack may have moved */
  return give_new_string(L, out, t->s);
}

/* Positions from 1 on; negative ones count from the end.  The first position
** may lie after the end, and the last one before the beginning. */
static ALWAYS_INLINE lua_Integer first_position(lua_Integer at,
                                                lua_Integer length) {
  if (LIKELY(at > 0)) return at;
  if (at == 0 || at < -length) return 1;
  return length + at + 1;
}

/* The number of bytes before the position in the third argument, or before the
** first byte if it is missing. */
static inline size_t bytes_before(lua_State *L, size_t length) {
  lua_Integer at = luaL_optinteger(L, 3, 1);
  return (size_t)first_position(at, (lua_Integer)length) - 1;
}

static ALWAYS_INLINE lua_Integer last_position(lua_Integer at,
                                               lua_Integer length) {
  if (at > length) return length;
  if (LIKELY(at >= 0)) return at;
  return at < -length ? 0 : length + at + 1;
}

#endif
