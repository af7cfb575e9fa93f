/* SPDX-License-Identifier: MIT */
/*
** aux_region.c -- pieces of memory of a medium size
**
** malloc joins free neighbors, and returns the end of its memory to the system
** when it is free: after many pieces have been freed that is a long pause.  So
** pieces of 1 to 256 KB lie in regions of 1 MB, each with a bitmap:
**
**     | header, bitmap | units of 256 bytes ...                              |
**
** Every operation reads one bitmap of 4096 bits, or a few; its time does not
** depend on the number of pieces.  Empty regions go back to the system in
** parts, one every REGION_PATIENCE operations.  One empty region is kept.
**
** The regions of a pool are on lists by the length of their longest run of free
** units.  That length is an upper bound; a search that fails corrects it.
*/
#define _GNU_SOURCE

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "aux_region_impl.h"

#if defined(__linux__) && !defined(PENUMBRA_PLAIN)
#include <sys/mman.h>

enum {
  REGION_SIZE = 1 << 20,
  REGION_UNIT = 256,
  REGION_UNITS = REGION_SIZE / REGION_UNIT,
  REGION_WORDS = REGION_UNITS / 64,
  REGION_TRIES = 4,     /* regions of one list to search for a piece */
  REGION_PART = 131072, /* bytes given back to the system at a time */
  REGION_PATIENCE = 64, /* operations between two such parts */
  REGION_IMPATIENCE = 8 /* the same when most regions are empty */
};

struct Region {
  Region *next;
  Region *previous;
  RegionPool *pool;
  uint32_t longest; /* upper bound of free units in a row */
  uint32_t used_units;
  uint32_t first;          /* all units below are used */
  uint32_t searched;       /* below this place there is no free run */
  uint32_t searched_count; /* ... of this many units */
  uint32_t touched; /* units from here on have not been used since the region
                    ** was mapped */
  uint64_t used[REGION_WORDS];
};
enum { REGION_HEADER_UNITS = (sizeof(Region) + REGION_UNIT - 1) / REGION_UNIT };

static size_t region_units(size_t size) {
  return (size + REGION_UNIT - 1) / REGION_UNIT;
}

static Region *region_of(void *piece) {
  return (Region *)((uintptr_t)piece & ~(uintptr_t)(REGION_SIZE - 1));
}

static size_t region_index(const void *piece) {
  return ((uintptr_t)piece & (REGION_SIZE - 1)) / REGION_UNIT;
}

/* -- Lists ---------------------------------------------------------------- */

/* The logarithm of a length; 0 for 0. */
static unsigned region_fit(uint32_t longest) {
  return 31 - (unsigned)__builtin_clz(longest | 1);
}

static void region_push(Region **list, Region *region) {
  region->previous = NULL;
  region->next = *list;
  if (*list) (*list)->previous = region;
  *list = region;
}

static void region_unlink(Region **list, Region *region) {
  if (region->previous)
    region->previous->next = region->next;
  else
    *list = region->next;
  if (region->next) region->next->previous = region->previous;
}

static void region_set_longest(Region *region, uint32_t longest) {
  RegionPool *pool = region->pool;
  unsigned old_fit = region_fit(region->longest), fit = region_fit(longest);
  region->longest = longest;
  if (fit == old_fit) return;
  region_unlink(&pool->fit[old_fit], region);
  region_push(&pool->fit[fit], region);
}

/* -- From and to the system ----------------------------------------------- */

/* Maps more than needed, and unmaps both ends. */
static void *region_map(void) {
  char *p = mmap(NULL, 2 * REGION_SIZE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return NULL;
  size_t front = -(uintptr_t)p & (REGION_SIZE - 1);
  if (front > 0) munmap(p, front);
  munmap(p + front + REGION_SIZE, REGION_SIZE - front);
  return p + front;
}

/* Gives back a part of an empty region now and then.  Memory that is needed
** again soon should still be there, because new pages take time. */
static void region_give_back(RegionPool *pool) {
  if (!pool->leaving && pool->empty_count <= 1) return;
  bool most = pool->empty_count > pool->count / 2;
  if (++pool->waited < (most ? REGION_IMPATIENCE : REGION_PATIENCE)) return;
  pool->waited = 0;
  if (!pool->leaving) {
    pool->leaving = pool->empty;
    pool->leaving_bytes = REGION_SIZE;
    region_unlink(&pool->empty, pool->leaving);
    pool->empty_count--;
    pool->count--;
  }
  pool->leaving_bytes -= REGION_PART;
  munmap((char *)pool->leaving + pool->leaving_bytes, REGION_PART);
  if (pool->leaving_bytes == 0) pool->leaving = NULL;
}

static Region *region_new(RegionPool *pool) {
  Region *region = pool->empty;
  if (region) {
    region_unlink(&pool->empty, region);
    pool->empty_count--;
  } else {
    region = region_map();
    if (!region) return NULL;
    pool->count++;
    region->pool = pool;
    region->touched = REGION_HEADER_UNITS;
    for (size_t i = 0; i < REGION_HEADER_UNITS; i++)
      region->used[i / 64] |= UINT64_C(1) << i % 64;
  }
  region->used_units = 0;
  region->first = REGION_HEADER_UNITS;
  region->searched = region->searched_count = 0;
  region->longest = REGION_UNITS - REGION_HEADER_UNITS;
  region_push(&pool->fit[region_fit(region->longest)], region);
  return region;
}

void region_close(RegionPool *pool) {
  if (pool->leaving) munmap(pool->leaving, pool->leaving_bytes);
  while (pool->empty) {
    Region *next = pool->empty->next;
    munmap(pool->empty, REGION_SIZE);
    pool->empty = next;
  }
  memset(pool, 0, sizeof *pool);
}

/* -- Bits ----------------------------------------------------------------- */

/* Bits [from, to) of one word. */
static uint64_t region_mask(size_t from, size_t to) {
  uint64_t mask = UINT64_MAX << from;
  return to < 64 ? mask & ~(UINT64_MAX << to) : mask;
}

static void region_mark(Region *region, size_t from, size_t count, bool used) {
  size_t end = from + count;
  while (from < end) {
    size_t word = from / 64;
    size_t to = end < (word + 1) * 64 ? end - word * 64 : 64;
    uint64_t mask = region_mask(from % 64, to);
    if (used)
      region->used[word] |= mask;
    else
      region->used[word] &= ~mask;
    from = word * 64 + to;
  }
}

/* The end of the run of units from `at` on that are all used, or all free.  It
** does not look further than the word of `enough`. */
static size_t region_stretch(const Region *region, size_t at, size_t enough,
                             bool used) {
  while (at < enough) {
    uint64_t bits = region->used[at / 64];
    uint64_t others = (used ? ~bits : bits) >> at % 64;
    if (others != 0) return at + (size_t)__builtin_ctzll(others);
    at = (at / 64 + 1) * 64;
  }
  return at;
}

/* The end of the free units from `at` on, or a place at least `count` units
** later. */
static size_t region_free_end(const Region *region, size_t at, size_t count) {
  size_t enough = at + count;
  if (enough > REGION_UNITS) enough = REGION_UNITS;
  return region_stretch(region, at, enough, false);
}

/* The beginning of the run of free units before `at`. */
static size_t region_stretch_back(const Region *region, size_t at) {
  while (at > 0) {
    size_t word = (at - 1) / 64;
    uint64_t bits = region->used[word] & region_mask(0, at - word * 64);
    if (bits != 0) return word * 64 + 64 - (size_t)__builtin_clzll(bits);
    at = word * 64;
  }
  return 0;
}

/* Where a search for `count` free units begins.  If the last search was not for
** more units, it has excluded everything below the place where it ended. */
static size_t region_search_from(Region *region, size_t count) {
  region->first =
      (uint32_t)region_stretch(region, region->first, REGION_UNITS, true);
  if (count < region->searched_count) return region->first;
  return region->searched > region->first ? region->searched : region->first;
}

/* The first run of `count` free units. 0 if there is none; then an upper bound
** of the longest run is known. */
static size_t region_find(Region *region, size_t count) {
  size_t at = region_search_from(region, count), longest = 0;
  if (at > region->first) longest = region->searched_count - 1;
  while (at < REGION_UNITS) {
    at = region_stretch(region, at, REGION_UNITS, true);
    size_t end = region_free_end(region, at, count);
    if (end - at >= count) {
      region->searched = (uint32_t)at;
      region->searched_count = (uint32_t)count;
      return at;
    }
    if (end - at > longest) longest = end - at;
    at = end;
  }
  region_set_longest(region, (uint32_t)longest);
  return 0;
}

/* -- Pieces --------------------------------------------------------------- */

static void *region_take(Region *region, size_t at, size_t count) {
  region_mark(region, at, count, true);
  region->used_units += (uint32_t)count;
  if (at + count > region->touched) {
    region->pool->fresh += (at + count - region->touched) * REGION_UNIT;
    region->touched = (uint32_t)(at + count);
  }
  return (char *)region + at * REGION_UNIT;
}

/* Searches a list for room, up to `tries` regions. */
static void *region_try(Region *list, size_t count, int tries) {
  for (Region *r = list, *next; r && tries > 0; r = next, tries--) {
    next = r->next;
    if (r->longest < count) continue;
    size_t at = region_find(r, count);
    if (at > 0) return region_take(r, at, count);
  }
  return NULL;
}

/* First searches lists in which there may be room, then those in which there
** should be. */
void *region_allocate(RegionPool *pool, size_t size) {
  size_t count = region_units(size);
  region_give_back(pool);
  for (unsigned fit = region_fit((uint32_t)count); fit < REGION_FITS; fit++) {
    void *piece = region_try(pool->fit[fit], count, REGION_TRIES);
    if (piece) return piece;
  }
  Region *region = region_new(pool);
  if (!region) return NULL;
  return region_take(region, REGION_HEADER_UNITS, count);
}

/* Units have become free.  The run that they are in may be the longest now.  If
** the bound already allows for all free units, there is nothing to find out. */
static void region_note_run(Region *region, size_t at, size_t count) {
  uint32_t all = REGION_UNITS - REGION_HEADER_UNITS - region->used_units;
  if (region->longest >= all) return;
  size_t from = region_stretch_back(region, at);
  size_t to = region_stretch(region, at + count, REGION_UNITS, false);
  if (to - from > region->longest)
    region_set_longest(region, (uint32_t)(to - from));
}

static void region_release(Region *region, size_t at, size_t count) {
  RegionPool *pool = region->pool;
  region_mark(region, at, count, false);
  if (at < region->first) region->first = (uint32_t)at;
  if (at <= region->searched)
    region->searched = (uint32_t)region_stretch_back(region, at);
  region->used_units -= (uint32_t)count;
  if (region->used_units == 0) {
    region_unlink(&pool->fit[region_fit(region->longest)], region);
    region_push(&pool->empty, region);
    pool->empty_count++;
    return;
  }
  region_note_run(region, at, count);
}

void region_free(RegionPool *pool, void *piece, size_t size) {
  region_release(region_of(piece), region_index(piece), region_units(size));
  region_give_back(pool);
}

bool region_resize(RegionPool *pool, void *piece, size_t old_size,
                   size_t size) {
  size_t old_count = region_units(old_size), count = region_units(size);
  Region *region = region_of(piece);
  size_t end = region_index(piece) + old_count;
  (void)pool;
  if (count < old_count) {
    region_release(region, end - (old_count - count), old_count - count);
  } else if (count > old_count) {
    if (region_free_end(region, end, count - old_count) - end <
        count - old_count)
      return false;
    region_take(region, end, count - old_count);
  }
  return true;
}

#else

/* Without mapped memory no piece is medium-sized: see is_medium. */

void *region_allocate(RegionPool *pool, size_t size) {
  (void)pool, (void)size;
  return NULL;
}

void region_free(RegionPool *pool, void *piece, size_t size) {
  (void)pool, (void)piece, (void)size;
}

bool region_resize(RegionPool *pool, void *piece, size_t old_size,
                   size_t size) {
  (void)pool, (void)piece, (void)old_size, (void)size;
  return false;
}

void region_close(RegionPool *pool) { (void)pool; }

#endif
