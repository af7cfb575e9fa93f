/* SPDX-License-Identifier: MIT */
/*
** census.h -- how many objects there are of each sort, and their bytes
**
** A look (GcLook) that walks over the heap, a block at a time, at the end of a
** major cycle.  Objects are told apart by their words (Describer) and by their
** size; all strings are one sort.  What is born meanwhile may or may not be
** counted.
*/
#ifndef PENUMBRA_OBSERVE_CENSUS_H
#define PENUMBRA_OBSERVE_CENSUS_H

#include "observe/snapshot.h"

enum { CENSUS_SORTS = 4096, CENSUS_NAME = 112, CENSUS_SIZES = 40 };

typedef struct CensusSort {
  uint64_t hash;
  uint64_t count;           /* 0: a free place */
  uint64_t bytes;
  char name[CENSUS_NAME];
} CensusSort;

typedef struct CensusResult {
  bool ok;
  uint64_t count;
  uint64_t bytes;
  uint64_t kind_count[GC_KINDS_MAX];
  uint64_t kind_bytes[GC_KINDS_MAX];
  uint64_t size_count[CENSUS_SIZES]; /* by the power of two that is not less */
  uint64_t size_bytes[CENSUS_SIZES];
  CensusSort sort[CENSUS_SORTS];     /* some are free; the first one is for all
                                     ** that had no place */
} CensusResult;

typedef void CensusDone(void *context, const CensusResult *result);

/* Begins a census, which the next major cycle will take; then `done` is called.
** False: no memory, or somebody else is looking at the heap. */
bool census_begin(Gc *gc, const Describer *describer, CensusDone *done,
                  void *context);

#endif
