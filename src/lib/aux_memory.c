/* SPDX-License-Identifier: MIT */
/*
** aux_memory.c -- the allocator of luaL_newstate
**
** Any allocator will do for a state; this one does three things that help to
** keep pauses short and memory small:
**
**   - A request for a multiple of MEMORY_BLOCK is aligned to MEMORY_BLOCK: the
**     core asks so for memory that it would otherwise have to align itself.
**   - Larger ones of these come from the system directly and go back to it at
**     once.  free() may keep them until the last one is freed, and then give
**     all of them back together, which is a pause.
**   - Huge vectors are mapped, so that they grow by moving pages instead of
**     bytes, and shrink in place.
**
** The size of an old piece tells where it came from.  Without mmap, all this is
** malloc.
*/
#define _GNU_SOURCE

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"

#if defined(__linux__)
#include <sys/mman.h>
#define MEMORY_MAPS 1
#else
#define MEMORY_MAPS 0
#endif

enum {
  MEMORY_BLOCK = 16384,
  MEMORY_MAPPED_BLOCKS = 65536, /* multiples of MEMORY_BLOCK from this size */
  MEMORY_HUGE = 262144          /* anything from this size */
};

static bool is_blocks(size_t size) {
  return size > 0 && size % MEMORY_BLOCK == 0;
}

static bool is_mapped(size_t size) {
  if (!MEMORY_MAPS) return false;
  return size >= MEMORY_HUGE ||
         (size >= MEMORY_MAPPED_BLOCKS && is_blocks(size));
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

/* Maps more, and gives the ends back. */
static void *map_aligned(size_t size) {
  char *p = map_pages(size + MEMORY_BLOCK);
  if (p == NULL) return NULL;
  size_t front = (MEMORY_BLOCK - (uintptr_t)p % MEMORY_BLOCK) % MEMORY_BLOCK;
  if (front > 0) munmap(p, front);
  munmap(p + front + size, MEMORY_BLOCK - front);
  return p + front;
}

static void *map_new(size_t size) {
  void *p = map_pages(size);
  if (p == NULL || !is_blocks(size) || is_aligned(p)) return p;
  munmap(p, size);
  return map_aligned(size);
}

static void map_free(void *p, size_t size) { munmap(p, size); }

/* ThreadSanitizer does not see pages move, and takes what another thread did at
** their new address before for a race: it gets a copy. */
#if defined(__SANITIZE_THREAD__)
static void *map_resize(void *p, size_t osize, size_t nsize) {
  void *moved = map_new(nsize);
  if (moved == NULL) return NULL;
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

static void *map_new(size_t size) { return malloc(size); }
static void map_free(void *p, size_t size) {
  (void)size;
  free(p);
}
static void *map_resize(void *p, size_t osize, size_t nsize) {
  (void)osize;
  return realloc(p, nsize);
}

#endif

/* -- All memory ----------------------------------------------------------- */

static void *memory_new(size_t size) {
  if (is_mapped(size)) return map_new(size);
  if (!is_blocks(size)) return malloc(size);
#if MEMORY_MAPS
  void *p = NULL;
  return posix_memalign(&p, MEMORY_BLOCK, size) == 0 ? p : NULL;
#else
  return malloc(size);
#endif
}

static void memory_free(void *p, size_t size) {
  if (is_mapped(size))
    map_free(p, size);
  else
    free(p);
}

/* From malloc to a mapping, or back. */
static void *memory_move(void *p, size_t osize, size_t nsize) {
  void *moved = memory_new(nsize);
  if (moved == NULL) return NULL;
  memcpy(moved, p, osize < nsize ? osize : nsize);
  memory_free(p, osize);
  return moved;
}

void *aux_allocate(void *ud, void *ptr, size_t osize, size_t nsize) {
  (void)ud;
  if (ptr == NULL) return nsize > 0 ? memory_new(nsize) : NULL;
  if (nsize == 0) {
    memory_free(ptr, osize);
    return NULL;
  }
  if (is_mapped(osize) != is_mapped(nsize))
    return memory_move(ptr, osize, nsize);
  if (is_mapped(osize)) return map_resize(ptr, osize, nsize);
  return realloc(ptr, nsize);
}

size_t aux_zeros_from(void) { return MEMORY_MAPS ? MEMORY_HUGE : 0; }
