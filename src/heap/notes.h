/* SPDX-License-Identifier: MIT */
/*
** notes.h -- a number beside any cell, for those who look at a heap
**
** A map from cells to 32-bit numbers, 0 for all at first.  Nothing is stored in
** cells, and a heap without notes pays nothing for them.
**
**      address   | root 12 bits | middle 11 | leaf 11 | page 4 | in page 10 |
**
** The leaf leads to the notes of a block: one vector for each of its pages of
** 1 KB, which has as many numbers as cells can begin in that page.  All cells
** of a page have one size.  A large cell has its page for itself.  No operation
** depends on the number of cells: the map never moves, and is freed a slab at a
** time.
**
** Notes are about cells, not about what was in the same place before: while
** heap->notes is set to a map, sweeps clear the numbers of cells that die.
*/
#ifndef PENUMBRA_HEAP_NOTES_H
#define PENUMBRA_HEAP_NOTES_H

#include "heap/heap.h"

typedef struct NoteSlab NoteSlab;
typedef struct NotePage NotePage;

enum { NOTE_SIZES = 65 };

typedef struct Notes {
  Heap *heap;
  void ***root;             /* NULL: nothing was noted yet */
  NoteSlab *slabs;          /* all memory of the map, the newest first */
  size_t slab_used;         /* bytes of the newest */
  NotePage *spare[NOTE_SIZES]; /* vectors that are in use no more, by size */
  uint32_t next;            /* for the owner: the next number */
} Notes;

/* An empty map; takes no memory yet. */
void notes_init(Notes *notes, Heap *heap);

/* Frees a piece of the map; false when nothing is left.  The map must not be
** used in between. */
bool notes_free_some(Notes *notes);
void notes_free(Notes *notes);

/* Frees heap->notes. */
void notes_drop(Heap *heap);

/* The number of a cell, 0 if it has none.  The cell is not read. */
uint32_t notes_get(const Notes *notes, const void *cell);

/* Where the number of a living cell is kept.  Valid until the cell dies.  NULL:
** no memory. */
uint32_t *notes_at(Notes *notes, const void *cell);

/* A bit beside any cell, in the same map.  These are bits of the bitmap of a
** page of a block.  Without memory nothing happens. */
void notes_mark(Notes *notes, const Block *block, unsigned page,
                uint64_t cells);
void notes_mark_large(Notes *notes, const void *cell);
bool notes_is_marked(const Notes *notes, const void *cell);

/* -- For the sweep --------------------------------------------------------- */

/* These cells of a page of a block die: bits of its bitmap. */
void notes_forget_cells(Notes *notes, const Block *block, unsigned page,
                        uint64_t cells);
/* Likewise a large one. */
void notes_forget_large(Notes *notes, const void *cell);

#endif
