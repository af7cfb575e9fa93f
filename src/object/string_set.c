/* SPDX-License-Identifier: MIT */
/*
** string_set.c -- the set of interned strings: growing, shrinking, sweeping
**
** Linear hashing (Litwin 1980): the set grows and shrinks one bucket at a time.
** Buckets lie in segments that never move.
*/
#include "object/string_set.h"

enum {
  PAGES_OF_SEGMENT = STRING_SEGMENT * sizeof(StringBucket) / BLOCK_PAGE,
  SET_LOAD = 5,    /* strings in a bucket, on average */
  SET_CROWDED = 32 /* times as many, if memory is refused */
};
static_assert(STRING_SEGMENT * sizeof(StringBucket) % BLOCK_PAGE == 0,
              "a segment is made of whole pages");

/* -- Buckets --------------------------------------------------------------- */

static void bucket_clear_slot(StringBucket *b, unsigned slot) {
  b->tags &= ~tag_in_slot(0xff, slot);
}

/* Removes and returns the overflow chain, if there is one. */
static String *bucket_take_chain(StringBucket *b) {
  if (LIKELY(!bucket_has_more(b))) return NULL;
  bucket_clear_slot(b, BUCKET_LAST);
  b->tags &= ~BUCKET_MORE;
  return b->slot[BUCKET_LAST];
}

/* Puts the strings of a chain into their buckets. */
static void set_add_chain(StringSet *set, String *chain) {
  while (chain) {
    String *s = chain;
    chain = s->u.next;
    bucket_add_string(set_bucket(set, s->hash), s, s->hash);
  }
}

/* Moves the strings that now belong to another bucket. */
static void set_empty_bucket(StringSet *set, StringBucket *b) {
  String *chain = bucket_take_chain(b);
  uint64_t bits = b->tags & BUCKET_OCCUPIED;
  for (; bits; bits &= bits - 1) {
    unsigned slot = slot_of_bits(bits);
    String *s = b->slot[slot];
    StringBucket *to = set_bucket(set, s->hash);
    if (to == b) continue;
    bucket_clear_slot(b, slot);
    bucket_add_string(to, s, s->hash);
  }
  set_add_chain(set, chain);
}

/* -- Growing and shrinking ------------------------------------------------- */

static void set_resize(StringSet *set, uint32_t bucket_count) {
  set->bucket_count = bucket_count;
  set->capacity = bucket_count < UINT32_MAX / SET_LOAD - 1
                      ? (bucket_count + 1) * SET_LOAD - 1
                      : UINT32_MAX;
}

/* Only the directory moves when it grows: it has one pointer for each segment
** of 64 buckets, about 320 strings. */
static bool set_grow_directory(Heap *heap, StringSet *set) {
  uint32_t size = set->directory_size * 2;
  StringBucket **directory = heap_raw_allocate(heap, size * sizeof *directory);
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
  StringBucket *segment = heap_pages_allocate(heap, PAGES_OF_SEGMENT);
  if (!segment) return false;
  set->segment[index] = segment;
  return true;
}

bool string_set_is_crowded(const StringSet *set) {
  return set->count / SET_CROWDED > set->capacity;
}

/* Adds a bucket and moves its strings there from the bucket that it splits.  If
** there is no memory, nothing changes, except that chains get longer. */
void string_set_grow(Heap *heap, StringSet *set) {
  uint32_t added = set->bucket_count;
  if (added == UINT32_MAX / 2) return;
  if (added % STRING_SEGMENT == 0 && !set_add_segment(heap, set)) return;
  if (added > set->mask) set->mask = set->mask * 2 + 1;
  set_resize(set, added + 1);
  set_bucket_at(set, added)->tags = 0;
  set_empty_bucket(set, set_bucket_at(set, added & (set->mask >> 1)));
}

static bool set_is_sparse(const StringSet *set) {
  return set->bucket_count > STRING_SEGMENT &&
         set->count < set->bucket_count / 2;
}

/* Removes the last bucket. */
static void set_merge(Heap *heap, StringSet *set) {
  uint32_t last = set->bucket_count - 1;
  set_resize(set, last);
  set_empty_bucket(set, set_bucket_at(set, last));
  if (last == (set->mask >> 1) + 1) set->mask >>= 1;
  if (last % STRING_SEGMENT == 0)
    heap_pages_free(heap, set->segment[last / STRING_SEGMENT],
                    PAGES_OF_SEGMENT);
}

/* -- Life ------------------------------------------------------------------ */

bool string_set_init(Global *g) {
  StringSet *set = &g->strings;
  Heap *heap = &g->gc.heap;
  enum { FIRST_DIRECTORY = 4 };
  set_resize(set, 0);
  set->mask = STRING_SEGMENT - 1;
  set->count = 0;
  set->directory_size = 0;
  set->segment =
      heap_raw_allocate(heap, FIRST_DIRECTORY * sizeof *set->segment);
  if (!set->segment) return false;
  set->directory_size = FIRST_DIRECTORY;
  if (!set_add_segment(heap, set)) return false;
  set_resize(set, STRING_SEGMENT);
  for (uint32_t i = 0; i < STRING_SEGMENT; i++) set_bucket_at(set, i)->tags = 0;
  return true;
}

void string_set_free(Global *g) {
  StringSet *set = &g->strings;
  Heap *heap = &g->gc.heap;
  if (set->directory_size == 0) return;
  for (uint32_t i = 0; i < set->bucket_count; i += STRING_SEGMENT)
    heap_pages_free(heap, set->segment[i / STRING_SEGMENT], PAGES_OF_SEGMENT);
  heap_raw_free(heap, set->segment, set->directory_size * sizeof *set->segment);
  set->directory_size = 0;
}

/* -- Sweeping -------------------------------------------------------------- */

static size_t sweep_string_chain(StringSet *set, StringBucket *b,
                                 String *chain) {
  size_t work = 0;
  while (chain) {
    String *s = chain;
    chain = s->u.next;
    work++;
    if (gc_is_reached(&s->cell))
      bucket_add_string(b, s, s->hash);
    else
      set->count--;
  }
  return work;
}

/* The number of slots in a set of bits 7. */
static ALWAYS_INLINE uint32_t slot_count(uint64_t bits) {
  return (uint32_t)((bits >> (SLOT_TAG_BITS - 1)) *
                        UINT64_C(0x0101010101010101) >>
                    56);
}

/* Bit 7 of the slot if its string is reached.  An empty slot may hold the
** address of memory that is gone, so the bucket stands in for its string. */
static ALWAYS_INLINE uint64_t slot_reached(const StringBucket *b,
                                           unsigned slot) {
  const void *s = b->slot[slot], *safe = b;
  s = b->tags & tag_in_slot(0x80, slot) ? s : safe;
  return tag_in_slot(heap_mark_of_small(s) << (SLOT_TAG_BITS - 1), slot);
}

/* Looks at all slots, because the end of a loop over those in use cannot be
** predicted. */
static ALWAYS_INLINE uint64_t bucket_reached(const StringBucket *b) {
  static_assert(BUCKET_SLOTS == 7, "all slots are looked at");
  return slot_reached(b, 0) | slot_reached(b, 1) | slot_reached(b, 2) |
         slot_reached(b, 3) | slot_reached(b, 4) | slot_reached(b, 5) |
         slot_reached(b, 6);
}

static size_t sweep_string_bucket(StringSet *set, StringBucket *b) {
  String *chain = bucket_take_chain(b);
  uint64_t bits = b->tags & BUCKET_OCCUPIED, dead = bits & ~bucket_reached(b);
  size_t work = 1 + slot_count(bits);
  b->tags &= ~((dead >> (SLOT_TAG_BITS - 1)) * 0xff);
  set->count -= slot_count(dead);
  return chain ? work + sweep_string_chain(set, b, chain) : work;
}

/* The caches may hold strings that are about to die: clear them. */
static void caches_clear(Global *g) {
  for (int row = 0; row < STRING_CACHE_ROWS; row++)
    for (int way = 0; way < STRING_CACHE_WAYS; way++)
      g->string_cache[row][way] = g->memory_message;
  memset(g->char_cache, 0, sizeof g->char_cache);
}

/* Sweeps all buckets, and then shrinks the set if few strings are left.  A
** position after the last bucket stands for shrinking.  Splits in the meantime
** are harmless: a new bucket is the last one, and will be swept.  Where memory
** was refused, buckets have long chains, so a unit sweeps fewer of them. */
GcProgress string_set_sweep(void *context, Gc *gc, size_t from) {
  Global *g = context;
  StringSet *set = &g->strings;
  enum { BUCKETS_AT_ONCE = 32, WORK_AT_ONCE = 256 };
  GcProgress progress = {GC_DONE, 1, WEAK_NONE};
  if (from == 0) caches_clear(g);
  if (from < set->bucket_count) {
    size_t end = size_min(from + BUCKETS_AT_ONCE, set->bucket_count);
    for (; from < end && progress.work <= WORK_AT_ONCE; from++)
      progress.work += (uint32_t)sweep_string_bucket(
          set, set_bucket_at(set, (uint32_t)from));
    progress.next = from;
    return progress;
  }
  for (int i = 0; i < BUCKETS_AT_ONCE && set_is_sparse(set); i++) {
    set_merge(&gc->heap, set);
    progress.work += 1 + SET_LOAD;
  }
  if (set_is_sparse(set)) progress.next = from;
  return progress;
}

/* -- Checking -------------------------------------------------------------- */

static void check_string(const Global *g, const StringBucket *b,
                         const String *s) {
  REQUIRE(s->cell.kind == KIND_SHORT_STRING, "kind %d", s->cell.kind);
  REQUIRE(set_bucket(&g->strings, s->hash) == b, "'%s' in a wrong bucket",
          string_bytes(s));
  REQUIRE(s->hash ==
              string_hash_of(string_bytes(s), s->cell.user, g->strings.seed),
          "hash of '%s'", string_bytes(s));
}

static size_t check_string_bucket(const Global *g, const StringBucket *b) {
  size_t count = 0;
  for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
    uint64_t tag = b->tags >> i * SLOT_TAG_BITS & 0xff;
    if (tag == 0) continue;
    check_string(g, b, b->slot[i]);
    REQUIRE(tag == tag_of_hash(b->slot[i]->hash), "tag %#x", (unsigned)tag);
    count++;
  }
  if (!bucket_has_more(b)) return count;
  REQUIRE(count == BUCKET_SLOTS, "a chain and %zu strings", count);
  for (String *s = b->slot[BUCKET_LAST]->u.next; s; s = s->u.next) {
    check_string(g, b, s);
    count++;
  }
  return count;
}

void string_set_check(const Global *g) {
  const StringSet *set = &g->strings;
  size_t count = 0;
  for (uint32_t i = 0; i < set->bucket_count; i++)
    count += check_string_bucket(g, set_bucket_at(set, i));
  REQUIRE(count == set->count, "%zu strings, not %u", count, set->count);
}
