/* SPDX-License-Identifier: MIT */
/*
** aux_memory.c -- the allocator of luaL_newstate
**
** A state works with any allocator.  This one does six things that keep pauses
** short and memory small:
**
**   - A request for a multiple of MEMORY_BLOCK is aligned to MEMORY_BLOCK: the
**     core requests such memory where it would otherwise have to align it
**     itself.
**   - Such requests of MEMORY_MAPPED_BLOCKS or more come from the system
**     directly and go back to it at once.  free() may keep them until the last
**     one is freed, and then give all of them back together, which is a pause.
**   - Medium-sized pieces, from 1 KB on, have an allocator of their own
**     (aux_region.c), for the same reason.
**   - Huge vectors are mapped, so that they grow by moving pages instead of
**     bytes, and shrink in place.  They are zero when they are new.
**   - The contents of blocks can go back to the system while the memory around
**     them is in use.
**   - While it takes memory from the system, it gives a page back now and then.
**
** The size of an old piece tells where it came from.  Each state has its own
** AuxMemory, which is freed with the last piece of memory.  Without mmap, all
** requests go to malloc.
*/
#define _GNU_SOURCE

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aux_region_impl.h"
#include "lib.h"

#if defined(__linux__) && !defined(PENUMBRA_PLAIN)
#include <sys/mman.h>
#include <unistd.h>
#define MEMORY_MAPS 1
#else
#define MEMORY_MAPS 0
#endif

enum {
  MEMORY_BLOCK = 16384, /* BLOCK_SIZE of the heap: see unit/lib/memory */
  MEMORY_MAPPED_BLOCKS = 65536, /* mapped if a multiple of MEMORY_BLOCK */
  MEMORY_MEDIUM = 1024,         /* regions hold other pieces above this */
  MEMORY_HUGE = 262144,         /* all pieces from this size are mapped */
  MEMORY_PAGE = 4096,           /* or more, if the system's are larger */
  MEMORY_FRESH = 262144,        /* one page is given back for this many bytes */
  MEMORY_EARLY = 8,             /* pieces from malloc before a region */
  MEMORY_EARLY_MAX = 16384      /* the largest of those */
};

struct AuxMemory {
  RegionPool regions;
  void *early[MEMORY_EARLY]; /* medium pieces from malloc */
  size_t pieces;             /* in use */
  size_t fresh;              /* new bytes since a page was given back */
  char *page;                /* ... that page, or NULL */
  bool is_used;              /* by a state: freed with the last piece */
};

static bool is_blocks(size_t size) {
  return size > 0 && size % MEMORY_BLOCK == 0;
}

static bool is_mapped(size_t size) {
  if (!MEMORY_MAPS) return false;
  return size >= MEMORY_HUGE ||
         (size >= MEMORY_MAPPED_BLOCKS && is_blocks(size));
}

static bool is_medium(size_t size) {
  if (!MEMORY_MAPS) return false;
  return size > MEMORY_MEDIUM && !is_blocks(size) && !is_mapped(size);
}

/* -- Mapped memory -------------------------------------------------------- */

#if MEMORY_MAPS

static void *map_pages(size_t size) {
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static bool is_aligned(const void *p) {
  return (uintptr_t)p % MEMORY_BLOCK == 0;
}

/* Maps more than needed, and unmaps both ends. */
static void *map_aligned(size_t size) {
  char *p = map_pages(size + MEMORY_BLOCK);
  if (!p) return NULL;
  size_t front = (MEMORY_BLOCK - (uintptr_t)p % MEMORY_BLOCK) % MEMORY_BLOCK;
  if (front > 0) munmap(p, front);
  munmap(p + front + size, MEMORY_BLOCK - front);
  return p + front;
}

static void *map_new(size_t size) {
  void *p = map_pages(size);
  if (!p || !is_blocks(size) || is_aligned(p)) return p;
  munmap(p, size);
  return map_aligned(size);
}

static void map_free(void *p, size_t size) { munmap(p, size); }

/* ThreadSanitizer does not see that pages move.  It reports a race with what
** another thread did at their new address before.  So with ThreadSanitizer the
** contents are copied. */
#if defined(__SANITIZE_THREAD__)
static void *map_resize(void *p, size_t osize, size_t nsize) {
  void *moved = map_new(nsize);
  if (!moved) return NULL;
  memcpy(moved, p, osize < nsize ? osize : nsize);
  map_free(p, osize);
  return moved;
}
#else
static void *map_resize(void *p, size_t osize, size_t nsize) {
  void *moved = mremap(p, osize, nsize, MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? NULL : moved;
}
#endif

#else

static void *map_resize(void *p, size_t osize, size_t nsize) {
  (void)osize;
  return realloc(p, nsize);
}

#endif

/* -- Giving a page back ---------------------------------------------------- */

/* If a processor requests many pages and gives none back, Linux hands out more
** and more of them at a time, up to 2016: then one page in every 8 MB takes 0.2
** to 0.5 ms.  A page that is given back halves the number.  So an unused page
** is touched and given back, for 2 percent of the cost of touching the fresh
** ones.  The longest delay is then below 0.1 ms. */
#if MEMORY_MAPS
static void memory_taken(AuxMemory *memory, size_t size) {
  memory->fresh += size;
  if (memory->fresh < MEMORY_FRESH) return;
  memory->fresh = 0;
  if (!memory->page) memory->page = map_pages(MEMORY_PAGE);
  if (!memory->page) return;
  *(volatile char *)memory->page = 1;
  madvise(memory->page, MEMORY_PAGE, MADV_DONTNEED);
}
#endif

/* -- Medium pieces --------------------------------------------------------- */

#if MEMORY_MAPS

/* The place in `early` that holds p, or NULL. */
static void **early_find(AuxMemory *memory, const void *p) {
  for (int i = 0; i < MEMORY_EARLY; i++)
    if (memory->early[i] == p) return &memory->early[i];
  return NULL;
}

/* A state that stays small needs a few pieces and no region for them; a region
** would be the larger part of its cost.  Most states are small in a process
** with thousands of them. */
static void *medium_new(AuxMemory *memory, size_t size) {
  void **place = memory->regions.count == 0 && size <= MEMORY_EARLY_MAX
                     ? early_find(memory, NULL)
                     : NULL;
  if (place) return *place = malloc(size);
  void *p = region_allocate(&memory->regions, size);
  memory_taken(memory, memory->regions.fresh);
  memory->regions.fresh = 0;
  return p;
}

static void medium_free(AuxMemory *memory, void *p, size_t size) {
  void **place = early_find(memory, p);
  if (!place) {
    region_free(&memory->regions, p, size);
  } else {
    *place = NULL;
    free(p);
  }
}

/* Changes the size in place; false if that is not possible. */
static bool medium_resize(AuxMemory *memory, void *p, size_t osize,
                          size_t nsize) {
  return !early_find(memory, p) &&
         region_resize(&memory->regions, p, osize, nsize);
}

#endif

/* -- All memory ----------------------------------------------------------- */

static void *memory_get(AuxMemory *memory, size_t size) {
#if MEMORY_MAPS
  if (is_mapped(size)) memory_taken(memory, size);
  if (is_mapped(size)) return map_new(size);
  if (is_medium(size)) return medium_new(memory, size);
  if (is_blocks(size)) {
    void *p = NULL;
    return posix_memalign(&p, MEMORY_BLOCK, size) == 0 ? p : NULL;
  }
#else
  (void)memory;
#endif
  return malloc(size);
}

static void *memory_new(AuxMemory *memory, size_t size) {
  void *p = memory_get(memory, size);
  if (p) memory->pieces++;
  return p;
}

static void memory_free(AuxMemory *memory, void *p, size_t size) {
#if MEMORY_MAPS
  if (is_mapped(size))
    map_free(p, size);
  else if (is_medium(size))
    medium_free(memory, p, size);
  else
#else
  (void)size;
#endif
    free(p);
  if (--memory->pieces == 0 && memory->is_used) aux_memory_close(memory);
}

/* Moves a piece from one kind of memory to another. */
static void *memory_move(AuxMemory *memory, void *p, size_t osize,
                         size_t nsize) {
  void *moved = memory_new(memory, nsize);
  if (!moved) return NULL;
  memcpy(moved, p, osize < nsize ? osize : nsize);
  memory_free(memory, p, osize);
  return moved;
}

static void *memory_resize(AuxMemory *memory, void *p, size_t osize,
                           size_t nsize) {
  if (is_mapped(osize) && is_mapped(nsize)) return map_resize(p, osize, nsize);
#if MEMORY_MAPS
  if (is_medium(osize) && is_medium(nsize) &&
      medium_resize(memory, p, osize, nsize))
    return p;
#endif
  if (is_mapped(osize) || is_mapped(nsize) || is_medium(osize) ||
      is_medium(nsize))
    return memory_move(memory, p, osize, nsize);
  return realloc(p, nsize);
}

void *aux_allocate(void *ud, void *ptr, size_t osize, size_t nsize) {
  AuxMemory *memory = ud;
  if (!ptr) return nsize > 0 ? memory_new(memory, nsize) : NULL;
  if (nsize > 0) return memory_resize(memory, ptr, osize, nsize);
  memory_free(memory, ptr, osize);
  return NULL;
}

/* -- Its life -------------------------------------------------------------- */

AuxMemory *aux_memory_open(void) { return calloc(1, sizeof(AuxMemory)); }

void aux_memory_close(AuxMemory *memory) {
#if MEMORY_MAPS
  region_close(&memory->regions);
  if (memory->page) map_free(memory->page, MEMORY_PAGE);
#endif
  free(memory);
}

void aux_memory_use(AuxMemory *memory) { memory->is_used = true; }

int aux_discard(void *ud, void *ptr, size_t size) {
  (void)ud;
#if MEMORY_MAPS
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if ((uintptr_t)ptr % page != 0 || size % page != 0) return 0;
  return madvise(ptr, size, MADV_DONTNEED) == 0;
#else
  (void)ptr;
  (void)size;
  return 0;
#endif
}

size_t aux_zeros_from(void) { return MEMORY_MAPS ? MEMORY_HUGE : 0; }
