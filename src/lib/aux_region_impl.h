/* SPDX-License-Identifier: MIT */
/*
** aux_region_impl.h -- pieces of memory of a medium size
*/
#ifndef PENUMBRA_AUX_REGION_IMPL_H
#define PENUMBRA_AUX_REGION_IMPL_H

#include <stdbool.h>
#include <stddef.h>

enum { REGION_FITS = 13 /* logarithms of lengths of free runs */ };

typedef struct Region Region;

typedef struct RegionPool {
  Region *fit[REGION_FITS]; /* by the upper bound of the longest run */
  Region *empty;            /* without any piece */
  Region *leaving;          /* being returned to the system in parts */
  size_t leaving_bytes;     /* of it that are still mapped */
  size_t count;             /* of regions, without the leaving one */
  size_t empty_count;
  size_t fresh;    /* bytes in pages that were never used before */
  unsigned waited; /* operations since memory was given back */
} RegionPool;

/* A piece of up to 256 KB, or NULL if there is no memory. */
void *region_allocate(RegionPool *pool, size_t size);

void region_free(RegionPool *pool, void *piece, size_t size);

/* Changes the size in place; false if that is not possible. */
bool region_resize(RegionPool *pool, void *piece, size_t old_size, size_t size);

/* Gives all regions back; all must be empty. */
void region_close(RegionPool *pool);

#endif
