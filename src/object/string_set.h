/* SPDX-License-Identifier: MIT */
/*
** string_set.h -- the set of interned strings, from the inside
**
** A bucket is one cache line:
**
**     +---------------------------------+--------+--------+-----+--------+
**     | tags: t0 t1 t2 t3 t4 t5 t6 more | slot 0 | slot 1 | ... | slot 6 |
**     +---------------------------------+--------+--------+-----+--------+
**     0                                 8                               64
**
** A tag is seven bits of the hash with bit 7 set, or 0 if the slot is free.
** All tags are compared at once, so a search reads the line, and only strings
** that almost certainly match.  A sweep reads the line and the mark bits; it
** does not touch dead strings.
**
** If seven slots are not enough, `more` is set: then the string in slot 6 is
** the first of a chain.  String.u.next has a meaning only there.
*/
#ifndef PENUMBRA_OBJECT_STRING_SET_H
#define PENUMBRA_OBJECT_STRING_SET_H

#include "object/object_impl.h"

enum {
  BUCKET_SLOTS = STRING_BUCKET_SLOTS,
  BUCKET_LAST = BUCKET_SLOTS - 1, /* where a chain may start */
  SLOT_TAG_BITS = 8
};

static const uint64_t BUCKET_OCCUPIED = UINT64_C(0x0080808080808080);
static const uint64_t BUCKET_MORE = UINT64_C(0x8000000000000000);

static ALWAYS_INLINE bool bucket_has_more(const StringBucket *b) {
  return (b->tags & BUCKET_MORE) != 0;
}

static ALWAYS_INLINE uint64_t tag_of_hash(uint32_t hash) {
  return hash >> 25 | 0x80;
}

static ALWAYS_INLINE uint64_t tag_in_slot(uint64_t tag, unsigned slot) {
  return tag << slot * SLOT_TAG_BITS;
}

/* Bit 7 of each byte that equals the tag.  Bit 7 may also be set in some bytes
** after a match. */
static ALWAYS_INLINE uint64_t bucket_matches(uint64_t tags, uint32_t hash) {
  const uint64_t ones = UINT64_C(0x0001010101010101);
  uint64_t differing = tags ^ tag_of_hash(hash) * ones;
  return (differing - ones) & ~differing & BUCKET_OCCUPIED;
}

/* The slot of the lowest of these bits. */
static ALWAYS_INLINE unsigned slot_of_bits(uint64_t bits) {
  return bits_lowest(bits) / SLOT_TAG_BITS;
}

static ALWAYS_INLINE StringBucket *set_bucket_at(const StringSet *set,
                                                 uint32_t index) {
  return &set->segment[index / STRING_SEGMENT][index % STRING_SEGMENT];
}

static ALWAYS_INLINE StringBucket *set_bucket(const StringSet *set,
                                              uint32_t hash) {
  uint32_t index = hash & set->mask;
  if (index >= set->bucket_count) index = hash & (set->mask >> 1);
  return set_bucket_at(set, index);
}

static ALWAYS_INLINE void bucket_put(StringBucket *b, unsigned slot, String *s,
                                     uint32_t hash) {
  b->slot[slot] = s;
  b->tags = (b->tags & ~tag_in_slot(0xff, slot)) |
            tag_in_slot(tag_of_hash(hash), slot);
}

static inline void bucket_add_string(StringBucket *b, String *s,
                                     uint32_t hash) {
  uint64_t free = ~b->tags & BUCKET_OCCUPIED;
  if (LIKELY(free)) {
    bucket_put(b, slot_of_bits(free), s, hash);
    return;
  }
  if (!bucket_has_more(b)) b->slot[BUCKET_LAST]->u.next = NULL;
  s->u.next = b->slot[BUCKET_LAST];
  b->tags |= BUCKET_MORE;
  bucket_put(b, BUCKET_LAST, s, hash);
}

/* Call if there are more strings than `capacity`.  Adds one bucket. */
void string_set_grow(Heap *heap, StringSet *set);

/* True if memory for buckets was refused so often that chains are too long.
** They are searched for each string, and one is swept at a time. */
bool string_set_is_crowded(const StringSet *set);

/* Derives two secret numbers from one. */
static inline HashSeed string_seed(uint64_t seed) {
  HashSeed pair = {seed,
                   (seed << 32 | seed >> 32) * UINT64_C(0x9e3779b97f4a7c15)};
  return pair;
}

/* The hash of these bytes. */
uint32_t string_hash_of(const char *s, size_t n, HashSeed seed);

#endif
