/* SPDX-License-Identifier: MIT */
/*
** string.c -- making, hashing and comparing strings
*/
#include "object/string.h"

#include "object/budget.h"
#include "object/short_text.h"
#include "object/string_set.h"

/* -- Hashing --------------------------------------------------------------- */

/* The two halves of a product, combined. */
static ALWAYS_INLINE uint64_t fold(uint64_t a, uint64_t b) {
  Product product = multiply(a, b);
  return product.low ^ product.high;
}

/* Adds sixteen bytes.  Both factors of each product depend on the seed: without
** knowing it, an attacker can neither make one of them zero nor tell which
** strings have the same hash. */
static ALWAYS_INLINE void hash_add(HashSeed *hash, uint64_t a, uint64_t b) {
  hash->one = fold(a ^ hash->one, b ^ hash->other);
}

/* Adds the last two words of a short text, whose last byte is unused. */
static ALWAYS_INLINE void hash_add_last(HashSeed *hash, uint64_t a, uint64_t b,
                                        size_t n) {
  hash_add(hash, a, b ^ (uint64_t)n << 56);
}

/* Three parts of the word, at distances that have no common divisor.  A text
** that repeats a few digits leaves repeated patterns in the product: with two
** parts 32 bits apart they cancelled each other under one seed in 80. */
static ALWAYS_INLINE uint32_t hash_end(const HashSeed *hash) {
  return (uint32_t)(hash->one ^ hash->one >> 23 ^ hash->one >> 41);
}

/* The hash of `words` words, which are `n` bytes of text. */
static ALWAYS_INLINE uint32_t hash_of_words(const uint64_t *word, size_t words,
                                            size_t n, HashSeed hash) {
  size_t last = words - 2;
  for (size_t i = 0; i < last; i += 2)
    hash_add(&hash, text_word(word, i), text_word(word, i + 1));
  hash_add_last(&hash, text_word(word, last), text_word(word, last + 1), n);
  return hash_end(&hash);
}

/* The hash of a long string; some of the last bytes are used twice. */
static uint32_t hash_of_bytes(const char *s, size_t n, HashSeed hash) {
  hash.one += n;
  for (size_t i = 0; i < n - TEXT_PAIR; i += TEXT_PAIR)
    hash_add(&hash, text_load(s + i), text_load(s + i + TEXT_WORD));
  hash_add(&hash, text_load(s + n - TEXT_PAIR), text_load(s + n - TEXT_WORD));
  return hash_end(&hash);
}

uint32_t string_hash_of(const char *s, size_t n, HashSeed seed) {
  uint64_t word[TEXT_WORDS];
  if (n > STRING_MAX_SHORT) return hash_of_bytes(s, n, seed);
  text_load_all(s, n, word);
  return hash_of_words(word, text_words(n), n, seed);
}

uint32_t string_hash_long(const lua_State *L, String *s) {
  if (!s->cell.user) {
    budget_charge(L, s->u.length / BUDGET_BYTES_PER_UNIT);
    s->hash =
        hash_of_bytes(string_bytes(s), s->u.length, L->global->strings.seed);
    s->cell.user = 1;
  }
  return s->hash;
}

/* -- Comparing ------------------------------------------------------------- */

/* Keys of a table have been hashed. */
static bool hashes_differ(const String *a, const String *b) {
  return a->cell.user && b->cell.user && a->hash != b->hash;
}

bool string_equal_long(const String *a, const String *b) {
  return a->u.length == b->u.length && !hashes_differ(a, b) &&
         memcmp(string_bytes(a), string_bytes(b), a->u.length) == 0;
}

enum { COMPARED = 1024 }; /* bytes that are looked at together */

/* The number of bytes at the beginning that are the same. */
static size_t common_bytes(const char *s, const char *t, size_t size) {
  size_t same = 0;
  while (size - same >= COMPARED && memcmp(s + same, t + same, COMPARED) == 0)
    same += COMPARED;
  while (same < size && s[same] == t[same]) same++;
  return same;
}

/* Where the piece begins in which long strings differ: behind a zero. */
static NO_INLINE size_t piece_that_differs(const char *s, const char *t,
                                           size_t size) {
  size_t begin = common_bytes(s, t, size);
  while (begin >= COMPARED && !memchr(s + begin - COMPARED, 0, COMPARED))
    begin -= COMPARED;
  while (begin > 0 && s[begin - 1] != '\0') begin--;
  return begin;
}

/* strcoll stops at a zero, but strings may contain zeros: compare them piece by
** piece.  A script may have millions of zeros, so behind the first piece what is
** the same is passed at once. */
int string_compare(const String *a, const String *b) {
  const char *s = string_bytes(a), *t = string_bytes(b);
  size_t s_left = string_length(a), t_left = string_length(b);
  for (bool first = true;; first = false) {
    int order = strcoll(s, t);
    if (order != 0) return order;
    size_t piece = strlen(s);
    if (piece == t_left) return piece == s_left ? 0 : 1;
    if (piece == s_left) return -1;
    piece++;
    if (first)
      piece += piece_that_differs(s + piece, t + piece,
                                  size_min(s_left, t_left) - piece);
    s += piece;
    t += piece;
    s_left -= piece;
    t_left -= piece;
  }
}

/* -- Making strings -------------------------------------------------------- */

/* The text to look up: two words, and more if it is longer. */
typedef struct Key {
  uint64_t first, second;
  const uint64_t *word; /* all words, or NULL if there are only two */
  size_t length;
  uint32_t hash;
} Key;

static ALWAYS_INLINE size_t key_words(const Key *k) {
  return k->word ? text_words(k->length) : 2;
}

/* The first two words are compared without a loop and with one branch. */
static ALWAYS_INLINE bool string_is(const String *s, const Key *k) {
  const char *bytes = string_bytes(s);
  uint64_t differing = (s->cell.user ^ k->length) |
                       (text_load(bytes) ^ k->first) |
                       (text_load(bytes + TEXT_WORD) ^ k->second);
  if (differing) return false;
  for (size_t i = 2; i < key_words(k); i++)
    if (text_load(bytes + i * TEXT_WORD) != k->word[i]) return false;
  return true;
}

static ALWAYS_INLINE String *bucket_find(const StringBucket *b, const Key *k) {
  uint64_t bits = bucket_matches(b->tags, k->hash);
  for (; bits; bits &= bits - 1) {
    String *s = b->slot[slot_of_bits(bits)];
    if (LIKELY(string_is(s, k))) return s;
  }
  if (LIKELY(!bucket_has_more(b))) return NULL;
  String *s = b->slot[BUCKET_LAST]->u.next;
  while (s && !string_is(s, k)) s = s->u.next;
  return s;
}

static ALWAYS_INLINE size_t short_size(const Key *k) {
  return sizeof(String) + key_words(k) * TEXT_WORD;
}

/* The set has one string more than it has room for.  If its chains would become
** too long, there is not enough memory for the string. */
static NO_INLINE String *short_grow_set(lua_State *L, String *s) {
  StringSet *set = &L->global->strings;
  string_set_grow(&gc_of(L)->heap, set);
  if (LIKELY(!string_set_is_crowded(set))) return s;
  gc_collect_emergency(gc_of(L));
  raise_memory(L);
}

/* Makes the cell a string, and puts it into its bucket. */
static ALWAYS_INLINE String *short_fill(lua_State *L, String *s, const Key *k,
                                        StringBucket *b) {
  StringSet *set = &L->global->strings;
  char *to = string_buffer(s);
  s->cell.user = (uint8_t)k->length;
  s->hash = k->hash;
  text_store(to, k->first);
  text_store(to + TEXT_WORD, k->second);
  for (size_t i = 2; i < key_words(k); i++)
    text_store(to + i * TEXT_WORD, k->word[i]);
  bucket_add_string(b, s, k->hash);
  if (UNLIKELY(++set->count > set->capacity)) return short_grow_set(L, s);
  return s;
}

/* The allocation may collect, and so change the set. */
static NO_INLINE String *short_new_slow(lua_State *L, const Key *k) {
  String *s = object_new(L, short_size(k), KIND_SHORT_STRING);
  return short_fill(L, s, k, set_bucket(&L->global->strings, k->hash));
}

static ALWAYS_INLINE String *short_new(lua_State *L, const Key *k,
                                       StringBucket *b) {
  String *s = gc_new_fast(gc_of(L), short_size(k), KIND_SHORT_STRING);
  if (LIKELY(s)) return short_fill(L, s, k, b);
  Key copy = *k; /* lets *k stay in registers */
  return short_new_slow(L, &copy);
}

String *string_new_long(lua_State *L, size_t length) {
  ASSERT(length > STRING_MAX_SHORT, "%zu bytes are a short string", length);
  if (length > STRING_MAX_LENGTH) raise_memory(L);
  budget_charge(L, length / BUDGET_BYTES_PER_UNIT); /* to fill it */
  String *s = object_new(L, sizeof(String) + length + 1, KIND_LONG_STRING);
  s->hash = 0;
  s->u.length = length;
  string_buffer(s)[length] = '\0';
  return s;
}

static ALWAYS_INLINE String *intern(lua_State *L, const Key *key) {
  Global *g = L->global;
  StringBucket *b = set_bucket(&g->strings, key->hash);
  String *s = bucket_find(b, key);
  if (!s) return short_new(L, key, b);
  gc_revive_leaf(&g->gc, &s->cell);
  return s;
}

/* Most strings have less than sixteen bytes: then no branch depends on the
** length. */
String *string_new_pair(lua_State *L, uint64_t first, uint64_t second,
                        size_t length) {
  HashSeed hash = L->global->strings.seed;
  hash_add_last(&hash, first, second, length);
  Key key = {first, second, NULL, length, hash_end(&hash)};
  return intern(L, &key);
}

static NO_INLINE String *intern_words(lua_State *L, const uint64_t *word,
                                      size_t length, uint32_t hash) {
  Key key = {word[0], word[1], word, length, hash};
  return intern(L, &key);
}

String *string_new_words(lua_State *L, const uint64_t *word, size_t length) {
  uint32_t hash =
      hash_of_words(word, text_words(length), length, L->global->strings.seed);
  return intern_words(L, word, length, hash);
}

/* Hashes words when they are loaded, not when they are stored. */
static String *intern_bytes(lua_State *L, const char *bytes, size_t length) {
  uint64_t word[TEXT_WORDS];
  HashSeed hash = L->global->strings.seed;
  size_t done = 0;
  uint64_t *pair = word;
  for (; done + TEXT_PAIR <= length; done += TEXT_PAIR, pair += 2) {
    pair[0] = text_load(bytes + done);
    pair[1] = text_load(bytes + done + TEXT_WORD);
    hash_add(&hash, pair[0], pair[1]);
  }
  text_load_tail(bytes + length, length - done, pair);
  hash_add_last(&hash, pair[0], pair[1], length);
  return intern_words(L, word, length, hash_end(&hash));
}

String *string_new_char(lua_State *L, unsigned char c) {
  String **cached = &L->global->char_cache[c];
  if (LIKELY(*cached)) {
    gc_revive_leaf(gc_of(L), &(*cached)->cell);
    return *cached;
  }
  String *s = string_new_pair(L, c, 0, 1);
  *cached = s;
  return s;
}

String *string_new_short(lua_State *L, const char *bytes, size_t length) {
  uint64_t pair[2];
  if (length == 1) return string_new_char(L, (unsigned char)*bytes);
  if (length >= TEXT_PAIR) return intern_bytes(L, bytes, length);
  text_load_few(bytes, length, pair);
  return string_new_pair(L, pair[0], pair[1], length);
}

String *string_new_part(lua_State *L, const char *bytes, size_t length) {
  uint64_t pair[2];
  if (length == 1) return string_new_char(L, (unsigned char)*bytes);
  if (length >= TEXT_PAIR) return string_new(L, bytes, length);
  text_load_tail(bytes + length, length, pair);
  return string_new_pair(L, pair[0], pair[1], length);
}

String *string_new(lua_State *L, const char *bytes, size_t length) {
  if (length <= STRING_MAX_SHORT) return string_new_short(L, bytes, length);
  String *s = string_new_long(L, length);
  memcpy(string_buffer(s), bytes, length);
  return s;
}

/* The row of an address: the upper bits of a product, scaled to the number of
** rows, which takes less time than a remainder. */
static size_t cache_row(const char *text) {
  uint32_t hash = (uint32_t)(uintptr_t)text * UINT32_C(0x9e3779b1);
  return (size_t)((uint64_t)hash * STRING_CACHE_ROWS >> 32);
}

/* The cache is indexed by address and verified by content, because the bytes at
** that address may have changed. */
String *string_new_cached(lua_State *L, const char *text) {
  size_t row = cache_row(text);
  String **ways = L->global->string_cache[row];
  for (int i = 0; i < STRING_CACHE_WAYS; i++) {
    const char *cached = string_bytes(ways[i]);
    if (*text == *cached && strcmp(text, cached) == 0) {
      gc_revive_leaf(gc_of(L), &ways[i]->cell);
      return ways[i];
    }
  }
  String *s = string_new(L, text, strlen(text));
  for (int i = STRING_CACHE_WAYS - 1; i > 0; i--) ways[i] = ways[i - 1];
  ways[0] = s;
  return s;
}
