/* SPDX-License-Identifier: MIT */
/*
** allocator.h -- the C library's memory in the shape of a lua_Alloc
**
** Whole blocks are asked for aligned, which the heap notices and likes; any
** host can do the same.
*/
#ifndef PENUMBRA_BENCH_ALLOCATOR_H
#define PENUMBRA_BENCH_ALLOCATOR_H

#include <stdlib.h>

#include "heap/heap.h"

static inline void *bench_allocate(void *context, void *pointer,
                                   size_t old_size, size_t new_size) {
  (void)context;
  (void)old_size;
  if (new_size == 0) {
    free(pointer);
    return NULL;
  }
  if (!pointer && new_size % BLOCK_SIZE == 0)
    return aligned_alloc(BLOCK_SIZE, new_size);
  return realloc(pointer, new_size);
}

#endif
