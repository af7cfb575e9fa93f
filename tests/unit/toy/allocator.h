/* SPDX-License-Identifier: MIT */
/*
** allocator.h -- an allocator that checks its caller
**
** It has the shape of lua_Alloc.  It counts the memory it gives, checks the old
** sizes that the caller states, and surrounds every block with guard bytes.  It
** fails on command: the nth request, all from the nth on, a percentage of them,
** those of one size, or those beyond a number of bytes.  It can be as unhelpful
** as the contract allows: pointers of any alignment, blocks that move when they
** shrink.
**
** Large requests always lie at the same place modulo 16 KB, so two runs with
** the same seed have the same heap layout.
**
** Everything is in this header, because the tests of the heap link only the
** heap.
*/
#ifndef PENUMBRA_TEST_ALLOCATOR_H
#define PENUMBRA_TEST_ALLOCATOR_H

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* -- Random numbers -------------------------------------------------------- */

/* SplitMix64 (Steele, Lea, Flood 2014): small, and good enough from any
** seed. */
typedef struct TestRandom {
  uint64_t state;
} TestRandom;

static inline uint64_t random_next(TestRandom *random) {
  uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* A number in [0, bound). */
static inline size_t random_below(TestRandom *random, size_t bound) {
  return bound ? (size_t)(random_next(random) % bound) : 0;
}

static inline bool random_chance(TestRandom *random, unsigned percent) {
  return random_below(random, 100) < percent;
}

/* -- The allocator --------------------------------------------------------- */

enum {
  TEST_GUARD = 8, /* guard bytes behind a block */
  TEST_GUARD_BYTE = 0xFD,
  TEST_FRESH_BYTE = 0xA7,   /* contents of new memory */
  TEST_STALE_BYTE = 0x5C,   /* contents of returned memory */
  TEST_ALIGNED_FROM = 8192, /* requests laid out the same in every run */
  TEST_ALIGNMENT = 16384,
  TEST_OFFSET_MAX = 64
};

static const uint64_t TEST_MAGIC = UINT64_C(0x616C6C6F63617465);

/* The header in front of every block, at any alignment. */
typedef struct TestBlock {
  void *base;
  size_t size;
  size_t capacity;
  uint64_t magic;
} TestBlock;

typedef struct TestAllocator {
  size_t bytes; /* held by the caller now */
  size_t blocks;
  size_t peak;
  uint64_t requests; /* for memory, refused ones included */
  uint64_t refused;
  uint64_t discards;
  /* Settings; all zero is an ordinary allocator. */
  uint64_t fail_at;      /* refuse this request, counted from 1; 0: none */
  bool fail_after;       /* refuse all requests after fail_at, too */
  unsigned fail_percent; /* refuse this percentage of all requests */
  size_t fail_size;      /* refuse requests of exactly this size */
  size_t byte_limit;     /* refuse requests beyond this total; 0: no limit */
  unsigned offset;       /* added to every pointer, below TEST_OFFSET_MAX */
  bool offset_varies;    /* another offset each time, of any value modulo 16 */
  bool moves_on_shrink;
  bool refuses_discards;
  TestRandom random;
} TestAllocator;

static inline TestBlock test_block_of(const char *pointer) {
  TestBlock block;
  memcpy(&block, pointer - sizeof block, sizeof block);
  REQUIRE(block.magic == TEST_MAGIC, "%p is no block of this allocator",
          (const void *)pointer);
  for (int i = 0; i < TEST_GUARD; i++)
    REQUIRE((unsigned char)pointer[block.size + (size_t)i] == TEST_GUARD_BYTE,
            "written behind a block of %zu bytes", block.size);
  return block;
}

static inline void test_block_set(char *pointer, TestBlock block) {
  memcpy(pointer - sizeof block, &block, sizeof block);
  memset(pointer + block.size, TEST_GUARD_BYTE, TEST_GUARD);
}

static inline bool test_allocator_refuses(TestAllocator *a, size_t old_size,
                                          size_t new_size) {
  uint64_t n = ++a->requests;
  bool refuse = false;
  if (a->fail_at) refuse = a->fail_after ? n >= a->fail_at : n == a->fail_at;
  if (a->fail_percent && random_chance(&a->random, a->fail_percent))
    refuse = true;
  if (a->fail_size && a->fail_size == new_size) refuse = true;
  if (a->byte_limit && new_size > old_size &&
      a->bytes + (new_size - old_size) > a->byte_limit)
    refuse = true;
  if (refuse) a->refused++;
  return refuse;
}

static inline void test_allocator_account(TestAllocator *a, size_t old_size,
                                          size_t new_size) {
  a->bytes = a->bytes - old_size + new_size;
  if (a->bytes > a->peak) a->peak = a->bytes;
}

static inline char *test_block_new(TestAllocator *a, size_t size) {
  size_t offset = a->offset;
  if (a->offset_varies) offset = random_below(&a->random, TEST_OFFSET_MAX);
  size_t whole = sizeof(TestBlock) + offset + size + TEST_GUARD;
  void *base = NULL;
  if (size < TEST_ALIGNED_FROM)
    base = malloc(whole);
  else if (posix_memalign(&base, TEST_ALIGNMENT, whole) != 0)
    base = NULL;
  if (!base) return NULL;
  TestBlock block = {base, size, size, TEST_MAGIC};
  char *pointer = (char *)base + sizeof block + offset;
  memset(pointer, TEST_FRESH_BYTE, size);
  test_block_set(pointer, block);
  a->blocks++;
  return pointer;
}

static inline void test_block_free(TestAllocator *a, char *pointer) {
  TestBlock block = test_block_of(pointer);
  memset(pointer - sizeof block, TEST_STALE_BYTE, block.size + sizeof block);
  free(block.base);
  a->blocks--;
}

static inline char *test_block_resize(TestAllocator *a, char *pointer,
                                      size_t size) {
  TestBlock block = test_block_of(pointer);
  if (size <= block.capacity && !a->moves_on_shrink) {
    block.size = size;
    test_block_set(pointer, block);
    return pointer;
  }
  char *moved = test_block_new(a, size);
  if (!moved) return NULL;
  memcpy(moved, pointer, size < block.size ? size : block.size);
  test_block_free(a, pointer);
  return moved;
}

/* The allocator function for the heap.  The context is the TestAllocator. */
static inline void *test_allocate(void *context, void *pointer, size_t old_size,
                                  size_t new_size) {
  TestAllocator *a = context;
  if (pointer) {
    TestBlock block = test_block_of(pointer);
    REQUIRE(block.size == old_size, "block of %zu bytes said to have %zu",
            block.size, old_size);
  }
  size_t held = pointer ? old_size : 0;
  if (new_size == 0) {
    if (pointer) test_block_free(a, pointer);
    test_allocator_account(a, held, 0);
    return NULL;
  }
  if (test_allocator_refuses(a, held, new_size)) return NULL;
  char *result = pointer ? test_block_resize(a, pointer, new_size)
                         : test_block_new(a, new_size);
  if (result) test_allocator_account(a, held, new_size);
  return result;
}

/* The HeapDiscardFn of this allocator.  It destroys the contents. */
static inline int test_discard(void *context, void *pointer, size_t size) {
  TestAllocator *a = context;
  a->discards++;
  if (a->refuses_discards) return 0;
  memset(pointer, TEST_STALE_BYTE, size);
  return 1;
}

/* Refuses the nth request from now.  With `after`, refuses all later ones,
** too. */
static inline void test_allocator_fail(TestAllocator *a, uint64_t nth,
                                       bool after) {
  a->fail_at = a->requests + nth;
  a->fail_after = after;
}

static inline void test_allocator_obey(TestAllocator *a) {
  a->fail_at = 0;
  a->fail_percent = 0;
  a->fail_size = 0;
  a->byte_limit = 0;
}

#endif
