/* SPDX-License-Identifier: MIT */
/*
** census.h -- counts the objects of each sort, and their bytes
**
** A census is an inspection (GcInspection) that walks over the heap at the end
** of a major cycle, one block at a time.  It sorts objects by their description
** (Describer), their kind and their size.  All strings have the same
** description.  Objects made during the census may or may not be counted.
*/
#ifndef PENUMBRA_OBSERVE_CENSUS_H
#define PENUMBRA_OBSERVE_CENSUS_H

#include "observe/snapshot.h"

enum { CENSUS_SORTS = 4096, CENSUS_NAME = 112, CENSUS_SIZES = 40 };

typedef struct CensusSort {
  uint64_t hash;
  uint64_t count; /* 0: the entry is free */
  uint64_t bytes;
  char name[CENSUS_NAME];
} CensusSort;

typedef struct CensusResult {
  bool ok;
  uint64_t count;
  uint64_t bytes;
  uint64_t kind_count[GC_KINDS_MAX];
  uint64_t kind_bytes[GC_KINDS_MAX];
  uint64_t size_count[CENSUS_SIZES]; /* by size, rounded up to a power of two */
  uint64_t size_bytes[CENSUS_SIZES];
  CensusSort sort[CENSUS_SORTS]; /* some are free; the first one counts all
                                     ** objects that found no entry */
} CensusResult;

typedef void CensusDone(void *context, const CensusResult *result);

/* Begins a census.  The next major cycle carries it out, and then calls `done`.
** False: no memory, or another inspection of the heap is under way. */
bool census_begin(Gc *gc, const Describer *describer, CensusDone *done,
                  void *context);

#endif
