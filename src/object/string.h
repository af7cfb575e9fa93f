/* SPDX-License-Identifier: MIT */
/*
** string.h -- strings, and the set of interned ones
**
** A string of up to STRING_MAX_SHORT bytes is *short*: there is only one with
** these bytes, so strings are compared by address.  Longer ones are not
** interned, and are hashed when first used as a key.
**
**     +------+---------------+-----------------+--------------------+---+
**     | Cell | hash          | next  or length | bytes              | 0 |
**     +------+---------------+-----------------+--------------------+---+
**     0      4               8                 16
**
** Cell.user is the length of a short string.  For a long one it tells whether
** the hash is known.  The bytes after a short string are zero up to the next
** multiple of sixteen; see short_text.h.  The set of short strings is described
** in string_set.h.
*/
#ifndef PENUMBRA_OBJECT_STRING_H
#define PENUMBRA_OBJECT_STRING_H

#include <string.h>

#include "object/value.h"

enum {
  STRING_MAX_SHORT = 40,
  STRING_BUCKET_SLOTS = 7,
  STRING_SEGMENT = 64,    /* buckets per segment */
  STRING_CACHE_ROWS = 43, /* a prime: see string_new_cached */
  STRING_CACHE_WAYS = 2
};

struct String {
  Cell cell;
  uint32_t hash;
  union {
    String *next;  /* short: next of an overflow chain */
    size_t length; /* long */
  } u;
  POINTER_GAP(gap, 1)
};
static_assert(sizeof(String) == 16, "the header of a string is 16 bytes");

/* The longest string there may be. */
static const size_t STRING_MAX_LENGTH =
    (size_t)PTRDIFF_MAX - sizeof(String) - GRANULE;

/* Which part of the hash is in which slot; see string_set.h. */
typedef struct StringBucket {
  uint64_t tags;
  String *slot[STRING_BUCKET_SLOTS];
  POINTER_GAP(gap, STRING_BUCKET_SLOTS)
} StringBucket;
static_assert(sizeof(StringBucket) == 64, "a bucket is a line of the cache");

/* The initial state of a hash; see string_seed. */
typedef struct HashSeed {
  uint64_t one, other;
} HashSeed;

typedef struct StringSet {
  HashSeed seed;          /* for all strings, also long ones */
  StringBucket **segment; /* directory of segments of buckets */
  uint32_t directory_size;
  uint32_t bucket_count; /* buckets in use */
  uint32_t mask;         /* smallest 2^n - 1 >= bucket_count - 1 */
  uint32_t count;        /* strings */
  uint32_t capacity;     /* the set grows beyond this count */
} StringSet;

/* -- Looking at strings ---------------------------------------------------- */

static ALWAYS_INLINE bool string_is_short(const String *s) {
  return s->cell.kind == KIND_SHORT_STRING;
}
static ALWAYS_INLINE size_t string_length(const String *s) {
  return string_is_short(s) ? s->cell.user : s->u.length;
}
/* Zero-terminated. */
static ALWAYS_INLINE const char *string_bytes(const String *s) {
  return (const char *)(s + 1);
}
static ALWAYS_INLINE unsigned string_tag(const String *s) {
  return string_is_short(s) ? TAG_SHORT_STRING : TAG_LONG_STRING;
}

/* The hash of any string.  A long string is hashed over all its bytes when this
** is called for the first time. */
uint32_t string_hash_long(const lua_State *L, String *s);
static inline uint32_t string_hash(const lua_State *L, String *s) {
  if (string_is_short(s)) return s->hash;
  return string_hash_long(L, s);
}

bool string_equal_long(const String *a, const String *b);
static inline bool string_equal(const String *a, const String *b) {
  if (a == b) return true;
  if (string_is_short(a) || string_is_short(b)) return false;
  return string_equal_long(a, b);
}

/* The order of strcoll; zeros inside strings are supported. */
int string_compare(const String *a, const String *b);

/* -- Making strings: raise when there is no memory ------------------------- */

/* The result is not anchored. */
String *string_new(lua_State *L, const char *bytes, size_t length);
/* Like string_new, for lengths up to STRING_MAX_SHORT. */
String *string_new_short(lua_State *L, const char *bytes, size_t length);
/* Like string_new, for bytes that lie in a string. */
String *string_new_part(lua_State *L, const char *bytes, size_t length);
/* Like string_new_short, for text in words, see short_text.h: of 0 and 2 to 15
** bytes, and of 16 to STRING_MAX_SHORT. */
String *string_new_pair(lua_State *L, uint64_t first, uint64_t second,
                        size_t length);
String *string_new_words(lua_State *L, const uint64_t *word, size_t length);
/* The string of a single byte. */
String *string_new_char(lua_State *L, unsigned char c);
static inline String *string_from_c(lua_State *L, const char *text) {
  return string_new(L, text, strlen(text));
}

/* For literals that are used repeatedly at the same address. */
String *string_new_cached(lua_State *L, const char *text);

/* A string whose bytes the caller must fill in before any other operation; only
** for lengths above STRING_MAX_SHORT. */
String *string_new_long(lua_State *L, size_t length);
static ALWAYS_INLINE char *string_buffer(String *s) { return (char *)(s + 1); }

/* -- For the state and the collector --------------------------------------- */

bool string_set_init(Global *g); /* false: no memory */
void string_set_free(Global *g);
GcProgress string_set_sweep(void *context, Gc *gc, size_t from);

/* Checks that every string is in its bucket exactly once, and that counts
** agree. */
void string_set_check(const Global *g);

#endif
