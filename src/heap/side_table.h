/* SPDX-License-Identifier: MIT */
/*
** side_table.h -- a number beside any cell, for snapshots and other tools
**
** A map from cells to 32-bit numbers.  At first every number is 0.  Nothing is
** stored in cells, and a heap without a side table pays nothing for it.
**
**      address   | root 12 bits | middle 11 | leaf 11 | page 4 | in page 10 |
**
** The leaf leads to the numbers of a block.  These are one vector for each page
** of 1 KB, with as many numbers as cells can begin in that page.  All cells of
** a page have one size.  A large cell has a page of its own.  The time of an
** operation does not depend on the number of cells: the map never moves, and it
** is freed one slab at a time.
**
** A number belongs to a cell, not to its address.  So while heap->side_table
** points to a map, sweeps clear the numbers of cells that die.
*/
#ifndef PENUMBRA_HEAP_SIDE_TABLE_H
#define PENUMBRA_HEAP_SIDE_TABLE_H

#include "heap/heap.h"

typedef struct SideSlab SideSlab;
typedef union SidePage SidePage;

enum { SIDE_SIZES = 65 };

typedef struct SideTable {
  Heap *heap;
  void ***root;                /* NULL: the map is empty */
  SideSlab *slabs;             /* all memory of the map, the newest first */
  size_t slab_used;            /* bytes used of the newest slab */
  SidePage *spare[SIDE_SIZES]; /* unused vectors, by size */
  uint32_t next;               /* the next number to give out; for the owner */
} SideTable;

/* Makes an empty map.  It takes no memory yet. */
void side_table_init(SideTable *side_table, Heap *heap);

/* Frees one slab of the map.  False: nothing is left.  Until then the map must
** not be used. */
bool side_table_free_some(SideTable *side_table);
void side_table_free(SideTable *side_table);

/* Makes heap->side_table, whose numbers begin with `first`, unless it is there.
** False: no memory. */
bool side_table_make(Heap *heap, uint32_t first);

/* Frees heap->side_table. */
void side_table_drop(Heap *heap);

/* The number of a cell, 0 if it has none.  The cell is not read. */
uint32_t side_table_get(const SideTable *side_table, const void *cell);

/* The place of the number of a live cell.  Valid until the cell dies.  NULL: no
** memory. */
uint32_t *side_table_at(SideTable *side_table, const void *cell);

/* A bit beside any cell, in the same map.  `cells` are bits of the bitmap word
** of a page.  If there is no memory, the bits are not set. */
void side_table_mark(SideTable *side_table, const Block *block, unsigned page,
                     uint64_t cells);
void side_table_mark_large(SideTable *side_table, const void *cell);
bool side_table_is_marked(const SideTable *side_table, const void *cell);

/* -- For the sweep --------------------------------------------------------- */

/* Clears the numbers of cells that die.  `cells` are bits of the bitmap word of
** a page. */
void side_table_forget_cells(SideTable *side_table, const Block *block,
                             unsigned page, uint64_t cells);
/* Clears the number of a large cell that dies. */
void side_table_forget_large(SideTable *side_table, const void *cell);

#endif
