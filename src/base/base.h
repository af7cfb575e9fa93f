/* SPDX-License-Identifier: MIT */
/*
** base.h -- the few things every layer needs
**
** Hints for the compiler, sizes, and bit arithmetic.  Nothing here has
** state, and nothing here knows what a collector is.
*/
#ifndef PENUMBRA_BASE_H
#define PENUMBRA_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define LIKELY(x)     __builtin_expect(!!(x), 1)
#define UNLIKELY(x)   __builtin_expect(!!(x), 0)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NO_INLINE     __attribute__((noinline))
#define COLD          __attribute__((noinline, cold))
#define UNUSED        __attribute__((unused))
#if defined(__MINGW32__)
#define PRINTF_LIKE(at, first) __attribute__((format(gnu_printf, at, first)))
#else
#define PRINTF_LIKE(at, first) __attribute__((format(printf, at, first)))
#endif
#define PREFETCH(address)       __builtin_prefetch(address)
#define PREFETCH_WRITE(address) __builtin_prefetch(address, 1)
#else
#define LIKELY(x)     (x)
#define UNLIKELY(x)   (x)
#define ALWAYS_INLINE inline
#define NO_INLINE
#define COLD
#define UNUSED
#define PRINTF_LIKE(at, first)
#define PREFETCH(address)       ((void)(address))
#define PREFETCH_WRITE(address) ((void)(address))
#endif

/* Kinds of builds: the build system defines these to 1 to switch them on. */
#ifndef PENUMBRA_DEBUG
#define PENUMBRA_DEBUG 0
#endif
#ifndef PENUMBRA_STRESS
#define PENUMBRA_STRESS 0
#endif
#ifndef PENUMBRA_MACHINE
#define PENUMBRA_MACHINE 0
#endif

/* Pads `count` pointers or sizes of four bytes to eight bytes each.  So a
** structure has the same size on machines of 32 and 64 bits. */
#if UINTPTR_MAX <= UINT32_MAX
#define POINTER_GAP(name, count) uint32_t name[count];
#else
#define POINTER_GAP(name, count)
#endif

/* Index of the lowest set bit; the word must not be zero. */
static inline unsigned bits_lowest(uint64_t word) {
#if defined(__GNUC__) || defined(__clang__)
  return (unsigned)__builtin_ctzll(word);
#else
  unsigned index = 0;
  while (!(word & 1)) {
    word >>= 1;
    index++;
  }
  return index;
#endif
}

/* The 128 bits of a product. */
typedef struct Product {
  uint64_t low, high;
} Product;

static inline Product multiply(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 Wide;
  Wide wide = (Wide)a * b;
  return (Product){(uint64_t)wide, (uint64_t)(wide >> 64)};
#else
  uint64_t a_low = (uint32_t)a, a_high = a >> 32;
  uint64_t b_low = (uint32_t)b, b_high = b >> 32;
  uint64_t low = a_low * b_low, cross = a_high * b_low;
  uint64_t middle = (low >> 32) + (uint32_t)cross + a_low * b_high;
  uint64_t high = a_high * b_high + (cross >> 32) + (middle >> 32);
  return (Product){middle << 32 | (uint32_t)low, high};
#endif
}

/* Index of the highest set bit; the word must not be zero. */
static inline unsigned bits_highest(uint64_t word) {
#if defined(__GNUC__) || defined(__clang__)
  return 63 - (unsigned)__builtin_clzll(word);
#else
  unsigned index = 0;
  while (word >>= 1) index++;
  return index;
#endif
}

/* Number of set bits.  On some machines gcc would call a function for it.  So
** elsewhere fields of 2, 4 and 8 bits count their own bits, and a product adds
** up the bytes. */
static inline unsigned bits_count(uint64_t word) {
#if defined(__aarch64__) || defined(__POPCNT__)
  return (unsigned)__builtin_popcountll(word);
#else
  const uint64_t all = ~UINT64_C(0);
  word -= word >> 1 & all / 3;
  word = (word & all / 5) + (word >> 2 & all / 5);
  word = (word + (word >> 4)) & all / 17;
  return (unsigned)(word * (all / 255) >> 56);
#endif
}

/* All bits below `index`, which may be 64. */
static inline uint64_t bits_below(unsigned index) {
  return index >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << index) - 1;
}

static inline size_t size_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t size_max(size_t a, size_t b) { return a > b ? a : b; }

/* Round up to a multiple of `unit`, a power of two. */
static inline size_t size_round_up(size_t size, size_t unit) {
  return (size + unit - 1) & ~(unit - 1);
}

#endif
