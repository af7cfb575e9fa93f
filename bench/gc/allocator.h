/* SPDX-License-Identifier: MIT */
/*
** allocator.h -- a lua_Alloc for the benchmarks
**
** Small requests go to the C library.  Large ones go directly to the system.
** free() of glibc keeps freed memory and returns it later, tens of megabytes in
** one call.  That takes milliseconds, which would count as the collector's
** time.  Memory from the system is aligned to a block, or nearly so.
*/
#ifndef PENUMBRA_BENCH_ALLOCATOR_H
#define PENUMBRA_BENCH_ALLOCATOR_H

#include "heap/heap.h"

/* The context is not used. */
void *bench_allocate(void *context, void *pointer, size_t old_size,
                     size_t new_size);

#endif
