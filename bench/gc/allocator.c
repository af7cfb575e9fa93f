/* SPDX-License-Identifier: MIT */
/*
** allocator.c -- small requests go to malloc, large ones to the system
*/
#define _GNU_SOURCE 1 /* mremap */

#include "allocator.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FROM_SYSTEM = 65536 };

static bool is_large(size_t size) { return size >= FROM_SYSTEM; }

static size_t pages_of(size_t size) { return size_round_up(size, 4096); }

/* Requests one block more than needed and cuts off both ends. */
static void *system_allocate(size_t size) {
  size_t wanted = pages_of(size), whole = wanted + BLOCK_SIZE;
  char *raw = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return NULL;
  size_t front = -(uintptr_t)raw & (BLOCK_SIZE - 1);
  if (front > 0) munmap(raw, front);
  munmap(raw + front + wanted, whole - front - wanted);
  return raw + front;
}

static void *system_resize(void *pointer, size_t old_size, size_t new_size) {
  void *moved =
      mremap(pointer, pages_of(old_size), pages_of(new_size), MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? NULL : moved;
}

static void any_free(void *pointer, size_t size) {
  if (!pointer) return;
  if (is_large(size))
    munmap(pointer, pages_of(size));
  else
    free(pointer);
}

static void *any_allocate(size_t size) {
  if (is_large(size)) return system_allocate(size);
  if (size % BLOCK_SIZE == 0) return aligned_alloc(BLOCK_SIZE, size);
  return malloc(size);
}

void *bench_allocate(void *context, void *pointer, size_t old_size,
                     size_t new_size) {
  (void)context;
  if (new_size == 0) {
    any_free(pointer, old_size);
    return NULL;
  }
  if (!pointer) return any_allocate(new_size);
  if (is_large(old_size) && is_large(new_size))
    return system_resize(pointer, old_size, new_size);
  void *moved = any_allocate(new_size);
  if (!moved) return NULL;
  memcpy(moved, pointer, size_min(old_size, new_size));
  any_free(pointer, old_size);
  return moved;
}
