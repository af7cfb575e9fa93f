/* SPDX-License-Identifier: MIT */
/*
** aux_region_impl.h -- pieces of memory of a middling size
*/
#ifndef PENUMBRA_AUX_REGION_IMPL_H
#define PENUMBRA_AUX_REGION_IMPL_H

#include <stdbool.h>
#include <stddef.h>

enum {
  REGION_PIECE_MAX = 262144,  /* larger pieces are not for regions */
  REGION_FITS = 13            /* logarithms of lengths of free stretches */
};

typedef struct Region Region;

typedef struct RegionPool {
  Region *fit[REGION_FITS];   /* by the longest stretch, which may be less */
  Region *empty;              /* nothing in them */
  Region *leaving;            /* on its way back to the system */
  size_t leaving_bytes;       /* what is left of that */
  size_t count;               /* of regions but the leaving one */
  size_t empty_count;
  unsigned waited;            /* operations since memory was given back */
} RegionPool;

/* A piece of up to REGION_PIECE_MAX bytes; NULL: no memory. */
void *region_allocate(RegionPool *pool, size_t size);

void region_free(RegionPool *pool, void *piece, size_t size);

/* Changes the size in place; false if that is not possible. */
bool region_resize(RegionPool *pool, void *piece, size_t old_size,
                   size_t size);

/* Gives all empty regions back; there must be no others. */
void region_close(RegionPool *pool);

#endif
