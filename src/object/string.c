/* SPDX-License-Identifier: MIT */
/*
** string.c -- making, hashing and comparing strings
*/
#include "object/string.h"

#include "object/bytes.h"
#include "object/string_set.h"

/* -- Hashing --------------------------------------------------------------- */

/* Both halves of a product, folded. */
static ALWAYS_INLINE uint64_t fold(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 Product;
  Product product = (Product)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
  uint64_t a_low = (uint32_t)a, a_high = a >> 32;
  uint64_t b_low = (uint32_t)b, b_high = b >> 32;
  uint64_t low = a_low * b_low, cross = a_high * b_low;
  uint64_t middle = (low >> 32) + (uint32_t)cross + a_low * b_high;
  uint64_t high = a_high * b_high + (cross >> 32) + (middle >> 32);
  return (middle << 32 | (uint32_t)low) ^ high;
#endif
}

/* Sixteen bytes at a time, the last ones perhaps twice.  Both factors of each
** product depend on the seed: whoever does not know it can neither make one of
** them zero nor tell which strings have the same hash. */
static ALWAYS_INLINE uint32_t hash_of_bytes(const char *s, size_t n,
                                            uint64_t seed) {
  const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t other = (seed << 32 | seed >> 32) * odd;
  uint64_t h = seed ^ (uint64_t)n * odd, first, last;
  if (n < 8) {
    first = bytes_load_tail(s, n);
    last = 0;
  } else {
    size_t from = n <= 16 ? 0 : n - 16;
    for (size_t i = 0; i < from; i += 16)
      h = fold(bytes_load_8(s + i) ^ h, bytes_load_8(s + i + 8) ^ other);
    first = bytes_load_8(s + from);
    last = bytes_load_8(s + n - 8);
  }
  return (uint32_t)(fold(first ^ h, last ^ other) * odd >> 32);
}

uint32_t string_hash_of(const char *s, size_t n, uint64_t seed) {
  return hash_of_bytes(s, n, seed);
}

uint32_t string_hash_long(const lua_State *L, String *s) {
  if (!s->cell.user) {
    s->hash = hash_of_bytes(string_bytes(s), s->u.length, L->global->seed);
    s->cell.user = 1;
  }
  return s->hash;
}

/* -- Comparing ------------------------------------------------------------- */

bool string_equal_long(const String *a, const String *b) {
  return a->u.length == b->u.length &&
         memcmp(string_bytes(a), string_bytes(b), a->u.length) == 0;
}

/* strcoll stops at a zero, strings need not: compare piece by piece. */
int string_compare(const String *a, const String *b) {
  const char *s = string_bytes(a), *t = string_bytes(b);
  size_t s_left = string_length(a), t_left = string_length(b);
  for (;;) {
    int order = strcoll(s, t);
    if (order != 0) return order;
    size_t piece = strlen(s);
    if (piece == t_left) return piece == s_left ? 0 : 1;
    if (piece == s_left) return -1;
    piece++;
    s += piece;
    t += piece;
    s_left -= piece;
    t_left -= piece;
  }
}

/* -- Making strings -------------------------------------------------------- */

static ALWAYS_INLINE bool string_is(const String *s, const char *bytes,
                                    size_t length, uint32_t hash) {
  return s->hash == hash && s->cell.user == length &&
         bytes_equal(string_bytes(s), bytes, length);
}

static String *chain_find(String *s, const char *bytes, size_t length,
                          uint32_t hash) {
  while (s && !string_is(s, bytes, length, hash)) s = s->u.next;
  return s;
}

static ALWAYS_INLINE String *set_find(const StringSet *set, const char *bytes,
                                      size_t length, uint32_t hash) {
  const StringBucket *b = set_bucket(set, hash);
  uint64_t bits = bucket_matches(b->tags, hash);
  for (; bits; bits &= bits - 1) {
    String *s = b->slot[slot_of_bits(bits)];
    if (LIKELY(string_is(s, bytes, length, hash))) return s;
  }
  if (LIKELY(!bucket_has_more(b))) return NULL;
  return chain_find(b->slot[BUCKET_LAST]->u.next, bytes, length, hash);
}

static String *short_new(lua_State *L, const char *bytes, size_t length,
                         uint32_t hash) {
  StringSet *set = &L->global->strings;
  String *s = object_new(L, sizeof(String) + length + 1, KIND_SHORT_STRING);
  s->cell.user = (uint8_t)length;
  s->hash = hash;
  bytes_copy(string_buffer(s), bytes, length);
  string_buffer(s)[length] = '\0';
  bucket_add_string(set_bucket(set, hash), s);   /* found after what collects */
  set->count++;
  string_set_grow(&gc_of(L)->heap, set);
  return s;
}

static String *long_new(lua_State *L, size_t size) {
  if (LIKELY(size < HUGE_SIZE)) return object_new(L, size, KIND_LONG_STRING);
  String *s = gc_new_huge(gc_of(L), size, KIND_LONG_STRING);
  if (!s) raise_memory(L);
  return s;
}

String *string_new_long(lua_State *L, size_t length) {
  ASSERT(length > STRING_MAX_SHORT, "%zu bytes are a short string", length);
  if (length > STRING_MAX_LENGTH) raise_memory(L);
  String *s = long_new(L, sizeof(String) + length + 1);
  s->hash = 0;
  s->u.length = length;
  string_buffer(s)[length] = '\0';
  return s;
}

static String *short_intern(lua_State *L, const char *bytes, size_t length) {
  Global *g = L->global;
  uint32_t hash = hash_of_bytes(bytes, length, g->seed);
  String *s = set_find(&g->strings, bytes, length, hash);
  if (!s) return short_new(L, bytes, length, hash);
  gc_revive_leaf(&g->gc, &s->cell);
  return s;
}

String *string_new_char(lua_State *L, unsigned char c) {
  String **cached = &L->global->char_cache[c];
  if (LIKELY(*cached)) {
    gc_revive_leaf(gc_of(L), &(*cached)->cell);
    return *cached;
  }
  char byte = (char)c;
  String *s = short_intern(L, &byte, 1);
  *cached = s;
  return s;
}

String *string_new_short(lua_State *L, const char *bytes, size_t length) {
  if (length == 1) return string_new_char(L, (unsigned char)*bytes);
  return short_intern(L, bytes, length);
}

String *string_new(lua_State *L, const char *bytes, size_t length) {
  if (length <= STRING_MAX_SHORT) return string_new_short(L, bytes, length);
  String *s = string_new_long(L, length);
  memcpy(string_buffer(s), bytes, length);
  return s;
}

/* The cache is indexed by address, and verified by content: the bytes there
** may have changed. */
String *string_new_cached(lua_State *L, const char *text) {
  size_t row = ((uintptr_t)text ^ (uintptr_t)text >> 9) % STRING_CACHE_ROWS;
  String **ways = L->global->string_cache[row];
  for (int i = 0; i < STRING_CACHE_WAYS; i++) {
    if (strcmp(text, string_bytes(ways[i])) == 0) {
      gc_revive_leaf(gc_of(L), &ways[i]->cell);
      return ways[i];
    }
  }
  String *s = string_new(L, text, strlen(text));
  for (int i = STRING_CACHE_WAYS - 1; i > 0; i--) ways[i] = ways[i - 1];
  ways[0] = s;
  return s;
}

String *string_new_fixed(lua_State *L, const char *text) {
  String *s = string_from_c(L, text);
  anchor_push(L, s, string_tag(s));
  bool fixed = gc_fix(gc_of(L), &s->cell);
  L->top--;
  if (!fixed) raise_memory(L);
  return s;
}
