/* SPDX-License-Identifier: MIT */
/*
** cells.h -- questions of tests about the cells of a heap
*/
#ifndef PENUMBRA_TOY_CELLS_H
#define PENUMBRA_TOY_CELLS_H

#include "heap/heap.h"

typedef struct CellSearch {
  const void *cell;
  bool found;
} CellSearch;

static inline void cells_compare(void *context, void *cell, size_t size,
                                 bool marked) {
  CellSearch *search = context;
  (void)size, (void)marked;
  if (cell == search->cell) search->found = true;
}

/* True if `cell` is the address of an allocated cell. */
static inline bool cells_include(Heap *heap, const void *cell) {
  CellSearch search = {cell, false};
  heap_walk(heap, cells_compare, &search);
  return search.found;
}

#endif
