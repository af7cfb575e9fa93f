/* SPDX-License-Identifier: MIT */
/*
** table_place_impl.h -- the place in a hash at which the chain of a key starts
**
** These functions are inline because moving an entry, or finding a number,
** takes hardly longer than they do.
*/
#ifndef PENUMBRA_OBJECT_TABLE_PLACE_IMPL_H
#define PENUMBRA_OBJECT_TABLE_PLACE_IMPL_H

#include <math.h>

#include "object/table_impl.h"

/* True if the order of keys is that of PUC Lua 5.4, which programs can see. */
static ALWAYS_INLINE bool mask_is_as_lua(uint32_t mask) {
  return mask < TABLE_PUC_NODES;
}

static ALWAYS_INLINE uint32_t place_as_lua(uint64_t word, uint32_t mask) {
  if (LIKELY(word < mask)) return (uint32_t)word;
  uint32_t divisor = mask | 1;
  if (LIKELY(word <= UINT32_MAX)) return (uint32_t)word % divisor;
  return (uint32_t)(word % divisor);
}

static ALWAYS_INLINE uint32_t main_place_of_word(uint64_t word, uint32_t mask) {
  if (LIKELY(mask < TABLE_FITS_CACHE)) return table_hash_word(word) & mask;
  return table_place_in_order(word, mask);
}

/* Numbers lie in order in all parts that do not follow PUC Lua.  The common
** case are numbers in an arithmetic progression: indices, multiples, fields of
** a matrix.  Modulo a prime, as many of them as there are nodes have distinct
** places, for any stride.  When a queue or a window moves on, the next key
** finds the node of a removed one.  No power of two, nor a neighbor of one up
** to 2^50, is a multiple of these primes.
**
** A stride that is a multiple of the prime puts all keys into one chain.  When
** a chain has become long, the part is replaced by a scattered one, which
** hashes numbers. */
typedef struct Modulus {
  uint64_t reciprocal; /* 2^64 / prime */
  uint32_t prime;
  uint32_t wrap; /* 2^64 modulo prime */
} Modulus;
extern const Modulus table_modulus[];

/* The remainder without a division, which takes longer than all the rest.  The
** estimate of the quotient is right, or too low by 1. */
static ALWAYS_INLINE uint32_t remainder_of(uint64_t number, const Modulus *m) {
  uint64_t quotient = multiply(number, m->reciprocal).high;
  uint64_t rest = number - quotient * m->prime;
  return (uint32_t)(rest < m->prime ? rest : rest - m->prime);
}

/* A negative number continues the progression.  No branch asks whether the rest
** wraps around, because it would be as good as random. */
static ALWAYS_INLINE uint32_t place_of_number(uint64_t number,
                                              const HashPart *h) {
  if (UNLIKELY(h->cell.user & HASH_SCATTERED))
    return table_hash_secretly(number) & h->mask;
  const Modulus *m = &table_modulus[bits_highest(h->mask)];
  uint32_t rest = remainder_of(number, m);
  if (LIKELY(number >> 63 == 0)) return rest;
  uint32_t wraps = rest < m->wrap;
  return rest - m->wrap + (m->prime & (0 - wraps));
}

static ALWAYS_INLINE uint32_t main_place_of_int(Integer key,
                                                const HashPart *h) {
  if (LIKELY(mask_is_as_lua(h->mask)))
    return place_as_lua((uint64_t)key, h->mask);
  return place_of_number((uint64_t)key, h);
}

/* The integer that 5.4 hashes instead of a float: the sum of 31 bits of its
** mantissa and its exponent. */
static inline uint32_t float_as_lua(Number n) {
  int exponent;
  Number mantissa = frexp(n, &exponent) * 0x1p31;
  if (!(fabs(mantissa) <= 0x1p31)) return 0;
  uint32_t sum = (uint32_t)exponent + (uint32_t)(int64_t)mantissa;
  return sum <= INT32_MAX ? sum : ~sum;
}

/* Numbers with the same fraction lie in order. */
static ALWAYS_INLINE uint32_t main_place_of_float(Number n, uint64_t bits,
                                                  const HashPart *h) {
  if (mask_is_as_lua(h->mask)) return place_as_lua(float_as_lua(n), h->mask);
  if (UNLIKELY(h->cell.user & HASH_SCATTERED))
    return table_hash_secretly(bits) & h->mask;
  if (!(fabs(n) < 0x1p53)) return table_hash_word(bits) & h->mask;
  int64_t whole = (int64_t)n;
  Number fraction = n - (Number)whole;
  memcpy(&bits, &fraction, sizeof bits);
  return (place_of_number((uint64_t)whole, h) + table_hash_word(bits)) &
         h->mask;
}

/* True for an object, whose hash depends on its address alone. */
static ALWAYS_INLINE bool key_is_object(const Value *key) {
  return tag_is_collectable(key->tag) && !tag_is_string(key->tag);
}

/* hash_main_place, inline for the usual keys. */
static ALWAYS_INLINE uint32_t hash_place(const lua_State *L, const HashPart *h,
                                         const Value *key) {
  if (LIKELY(key->tag == TAG_INTEGER)) return main_place_of_int(key->as.i, h);
  if (key->tag == TAG_SHORT_STRING)
    return table_place_of_str(value_string(key), h->mask);
  if (key_is_object(key))
    return main_place_of_word((uintptr_t)key->as.cell / GRANULE, h->mask);
  return hash_main_place(L, h, key);
}

/* -- Taking a node --------------------------------------------------------- */

/* Notes that a free node is going to be used. */
static ALWAYS_INLINE void hash_note_used(HashPart *h, size_t place) {
  if (hash_has_link(h)) hash_used_groups(h)[place / HASH_GROUP] = 1;
}

static ALWAYS_INLINE Node *hash_use(Node *n, uint32_t place, const Value *key) {
  n->key = key->as;
  n->key_tag = key->tag;
  n->main_bits = (uint8_t)place;
  n->value_tag = TAG_NIL;
  return n;
}

/* Takes a node for a new key whose main position is in use; or NULL. */
Node *hash_take_other(HashPart *h, uint32_t place, const Value *key);

/* See table_impl.h.  The caller checks that the hash is not the empty one. */
static ALWAYS_INLINE Node *hash_take_quickly(HashPart *h, uint32_t place,
                                             const Value *key) {
  Node *n = &h->node[place];
  node_touch(n);
  if (UNLIKELY(h->mask < TABLE_PUC_NODES)) h->cell.user |= HASH_MIXED;
  if (UNLIKELY(n->value_tag != TAG_NIL)) return hash_take_other(h, place, key);
  hash_note_used(h, place);
  return hash_use(n, place, key);
}

#endif
