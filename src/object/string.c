/* SPDX-License-Identifier: MIT */
/*
** string.c -- making, hashing and comparing strings
*/
#include "object/string.h"

#include "object/object_impl.h"

/* -- Hashing --------------------------------------------------------------- */

static uint64_t load_8(const char *s) {
  uint64_t word;
  memcpy(&word, s, sizeof word);
  return word;
}

static uint64_t load_4(const char *s) {
  uint32_t word;
  memcpy(&word, s, sizeof word);
  return word;
}

/* The last n < 8 bytes as one word; bytes may be used twice. */
static uint64_t load_tail(const char *s, size_t n) {
  if (n >= 4) return load_4(s) << 32 | load_4(s + n - 4);
  if (n == 0) return 0;
  return (uint64_t)(uint8_t)s[0] << 16 | (uint64_t)(uint8_t)s[n / 2] << 8 |
         (uint8_t)s[n - 1];
}

/* Multiply and fold, eight bytes at a time. */
static uint32_t hash_of_bytes(const char *s, size_t n, uint32_t seed) {
  uint64_t h = seed ^ (uint64_t)n * UINT64_C(0x9e3779b97f4a7c15);
  for (; n >= 8; s += 8, n -= 8) {
    h = (h ^ load_8(s)) * UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
  }
  h = (h ^ load_tail(s, n)) * UINT64_C(0xd6e8feb86659fd93);
  h ^= h >> 29;
  h *= UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(h >> 32);
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

/* -- The set of short strings ---------------------------------------------- */

enum {
  SEGMENT_PAGES_OF_SET = STRING_SEGMENT * sizeof(String *) / BLOCK_PAGE
};

static ALWAYS_INLINE String **set_bucket(const StringSet *set, uint32_t hash) {
  uint32_t index = hash & set->mask;
  if (index >= set->bucket_count) index = hash & (set->mask >> 1);
  return &set->segment[index / STRING_SEGMENT][index % STRING_SEGMENT];
}

static String **set_bucket_at(const StringSet *set, uint32_t index) {
  return &set->segment[index / STRING_SEGMENT][index % STRING_SEGMENT];
}

/* The directory alone moves when it grows: one pointer for 256 strings. */
static bool set_grow_directory(Heap *heap, StringSet *set) {
  uint32_t size = set->directory_size * 2;
  String ***directory = heap_raw_allocate(heap, size * sizeof *directory);
  if (!directory) return false;
  size_t used = set->directory_size * sizeof *directory;
  memcpy(directory, set->segment, used);
  heap_raw_free(heap, set->segment, used);
  set->segment = directory;
  set->directory_size = size;
  return true;
}

static bool set_add_segment(Heap *heap, StringSet *set) {
  uint32_t index = set->bucket_count / STRING_SEGMENT;
  if (index == set->directory_size && !set_grow_directory(heap, set))
    return false;
  String **segment = heap_pages_allocate(heap, SEGMENT_PAGES_OF_SET);
  if (!segment) return false;
  memset(segment, 0, STRING_SEGMENT * sizeof(String *));
  set->segment[index] = segment;
  return true;
}

/* Adds a bucket and moves its strings there from the one it was split off.
** Without memory nothing changes: chains get longer, that is all. */
static void set_split(Heap *heap, StringSet *set) {
  uint32_t added = set->bucket_count;
  if (added == UINT32_MAX / 2) return;
  if (added % STRING_SEGMENT == 0 && !set_add_segment(heap, set)) return;
  if (added > set->mask) set->mask = set->mask * 2 + 1;
  set->bucket_count++;
  String **from = set_bucket_at(set, added & (set->mask >> 1));
  String **to = set_bucket_at(set, added);
  while (*from) {
    String *s = *from;
    if ((s->hash & set->mask) == added) {
      *from = s->u.next;
      s->u.next = *to;
      *to = s;
    } else {
      from = &s->u.next;
    }
  }
}

/* Takes the last bucket away. */
static void set_merge(Heap *heap, StringSet *set) {
  uint32_t last = set->bucket_count - 1;
  String **end = set_bucket_at(set, last & (set->mask >> 1));
  while (*end) end = &(*end)->u.next;
  *end = *set_bucket_at(set, last);
  *set_bucket_at(set, last) = NULL;
  set->bucket_count = last;
  if (last == (set->mask >> 1) + 1) set->mask >>= 1;
  if (last % STRING_SEGMENT == 0)
    heap_pages_free(heap, set->segment[last / STRING_SEGMENT],
                    SEGMENT_PAGES_OF_SET);
}

bool string_set_init(Global *g) {
  StringSet *set = &g->strings;
  Heap *heap = &g->gc.heap;
  enum { FIRST_DIRECTORY = 4 };
  set->bucket_count = 0;
  set->mask = STRING_SEGMENT - 1;
  set->count = 0;
  set->directory_size = 0;
  set->segment = heap_raw_allocate(heap, FIRST_DIRECTORY * sizeof(String **));
  if (!set->segment) return false;
  set->directory_size = FIRST_DIRECTORY;
  if (!set_add_segment(heap, set)) return false;
  set->bucket_count = STRING_SEGMENT;
  return true;
}

void string_set_free(Global *g) {
  StringSet *set = &g->strings;
  Heap *heap = &g->gc.heap;
  if (set->directory_size == 0) return;
  for (uint32_t i = 0; i < set->bucket_count; i += STRING_SEGMENT)
    heap_pages_free(heap, set->segment[i / STRING_SEGMENT],
                    SEGMENT_PAGES_OF_SET);
  heap_raw_free(heap, set->segment,
                set->directory_size * sizeof(String **));
  set->directory_size = 0;
}

/* -- Sweeping the set ------------------------------------------------------ */

static size_t set_sweep_bucket(StringSet *set, String **link) {
  size_t work = 1;
  while (*link) {
    work++;
    if (gc_is_reached(&(*link)->cell)) {
      link = &(*link)->u.next;
    } else {
      *link = (*link)->u.next;
      set->count--;
    }
  }
  return work;
}

/* Strings the cache remembers may be dying: forget them all. */
static void cache_clear(Global *g) {
  for (int row = 0; row < STRING_CACHE_ROWS; row++)
    for (int way = 0; way < STRING_CACHE_WAYS; way++)
      g->string_cache[row][way] = g->memory_message;
}

static bool set_is_sparse(const StringSet *set) {
  return set->bucket_count > STRING_SEGMENT &&
         set->count < set->bucket_count / 4;
}

/* First all buckets, then, if few strings are left, the shrinking; a position
** behind the last bucket stands for that.  Splits meanwhile do no harm: a new
** bucket is the last, and will be swept. */
GcProgress string_set_sweep(void *context, Gc *gc, size_t from) {
  Global *g = context;
  StringSet *set = &g->strings;
  enum { BUCKETS_AT_ONCE = 128 };
  GcProgress progress = {GC_DONE, 1, WEAK_NONE};
  if (from == 0) cache_clear(g);
  if (from < set->bucket_count) {
    size_t end = size_min(from + BUCKETS_AT_ONCE, set->bucket_count);
    for (size_t i = from; i < end; i++)
      progress.work +=
          (uint32_t)set_sweep_bucket(set, set_bucket_at(set, (uint32_t)i));
    progress.next = end;
    return progress;
  }
  for (int i = 0; i < BUCKETS_AT_ONCE && set_is_sparse(set); i++) {
    set_merge(&gc->heap, set);
    progress.work++;
  }
  if (set_is_sparse(set)) progress.next = from;
  return progress;
}

void string_set_check(const Global *g) {
  const StringSet *set = &g->strings;
  size_t count = 0;
  for (uint32_t i = 0; i < set->bucket_count; i++) {
    for (String *s = *set_bucket_at(set, i); s; s = s->u.next) {
      REQUIRE(s->cell.kind == KIND_SHORT_STRING, "kind %d", s->cell.kind);
      REQUIRE(set_bucket(set, s->hash) == set_bucket_at(set, i),
              "'%s' in bucket %u", string_bytes(s), i);
      REQUIRE(s->hash == hash_of_bytes(string_bytes(s), s->cell.user, g->seed),
              "hash of '%s'", string_bytes(s));
      count++;
    }
  }
  REQUIRE(count == set->count, "%zu strings, not %u", count, set->count);
}

/* -- Making strings -------------------------------------------------------- */

/* memcmp and memcpy for a few bytes, without a call; bytes may be used
** twice. */
static ALWAYS_INLINE bool short_equal(const char *a, const char *b, size_t n) {
  if (n < 8) return load_tail(a, n) == load_tail(b, n);
  for (size_t i = 0; i + 8 < n; i += 8)
    if (load_8(a + i) != load_8(b + i)) return false;
  return load_8(a + n - 8) == load_8(b + n - 8);
}

static ALWAYS_INLINE void short_copy(char *to, const char *from, size_t n) {
  if (n < 4) {
    for (size_t i = 0; i < n; i++) to[i] = from[i];
  } else if (n < 8) {
    uint32_t first = (uint32_t)load_4(from);
    uint32_t last = (uint32_t)load_4(from + n - 4);
    memcpy(to, &first, sizeof first);
    memcpy(to + n - 4, &last, sizeof last);
  } else {
    uint64_t last = load_8(from + n - 8);
    for (size_t i = 0; i + 8 < n; i += 8) memcpy(to + i, from + i, 8);
    memcpy(to + n - 8, &last, sizeof last);
  }
}

static ALWAYS_INLINE String *set_find(const StringSet *set, const char *bytes,
                                      size_t length, uint32_t hash) {
  String *s = *set_bucket(set, hash);
  for (; s; s = s->u.next)
    if (s->hash == hash && s->cell.user == length &&
        short_equal(string_bytes(s), bytes, length))
      return s;
  return NULL;
}

static String *short_new(lua_State *L, const char *bytes, size_t length,
                         uint32_t hash) {
  StringSet *set = &L->global->strings;
  String *s = object_new(L, sizeof(String) + length + 1, KIND_SHORT_STRING);
  s->cell.user = (uint8_t)length;
  s->hash = hash;
  short_copy(string_buffer(s), bytes, length);
  string_buffer(s)[length] = '\0';
  String **bucket = set_bucket(set, hash);  /* after what collects */
  s->u.next = *bucket;
  *bucket = s;
  if (++set->count > set->bucket_count) set_split(&gc_of(L)->heap, set);
  return s;
}

String *string_new_long(lua_State *L, size_t length) {
  ASSERT(length > STRING_MAX_SHORT, "%zu bytes are a short string", length);
  if (length > STRING_MAX_LENGTH) raise_memory(L);
  String *s = object_new(L, sizeof(String) + length + 1, KIND_LONG_STRING);
  s->hash = 0;
  s->u.length = length;
  string_buffer(s)[length] = '\0';
  return s;
}

String *string_new_short(lua_State *L, const char *bytes, size_t length) {
  Global *g = L->global;
  uint32_t hash = hash_of_bytes(bytes, length, g->seed);
  String *s = set_find(&g->strings, bytes, length, hash);
  if (!s) return short_new(L, bytes, length, hash);
  gc_revive_leaf(&g->gc, &s->cell);
  return s;
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
