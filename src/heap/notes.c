/* SPDX-License-Identifier: MIT */
/*
** notes.c -- a number beside any cell
*/
#include "heap/notes.h"

#include <string.h>

#include "heap/heap_impl.h"

enum {
  ROOT_BITS = 12,
  MIDDLE_BITS = 11,
  LEAF_BITS = 11,
  BLOCK_BITS = 14,     /* logarithm of BLOCK_SIZE */
  LARGE_GRANULES = 64, /* a large cell has a page of its own */
  SLAB_BYTES = 65536
};
static_assert(1 << BLOCK_BITS == BLOCK_SIZE, "blocks are leaves");

struct NoteSlab {
  NoteSlab *next;
  uint64_t unused;
};

/* The numbers of the cells that begin in a page.  There are more than two if the
** cells are small. */
union NotePage {
  uint32_t number[2];
  NotePage *next; /* the next spare page of the same size */
};

typedef struct NoteBlock {
  NotePage *page[BLOCK_PAGES];
  uint8_t granules[BLOCK_PAGES]; /* of each cell in the page */
  uint64_t *marked;              /* a word for each page, or NULL */
} NoteBlock;

/* -- Memory ---------------------------------------------------------------- */

void notes_init(Notes *notes, Heap *heap) {
  memset(notes, 0, sizeof *notes);
  notes->heap = heap;
}

bool notes_free_some(Notes *notes) {
  NoteSlab *slab = notes->slabs;
  if (!slab) {
    notes_init(notes, notes->heap);
    return false;
  }
  notes->slabs = slab->next;
  heap_raw_free(notes->heap, slab, SLAB_BYTES);
  return true;
}

void notes_free(Notes *notes) {
  while (notes_free_some(notes)) continue;
}

bool notes_make(Heap *heap, uint32_t first) {
  if (heap->notes) return true;
  Notes *notes = heap_raw_allocate(heap, sizeof *notes);
  if (!notes) return false;
  notes_init(notes, heap);
  notes->next = first;
  heap->notes = notes;
  return true;
}

void notes_drop(Heap *heap) {
  notes_free(heap->notes);
  heap_raw_free(heap, heap->notes, sizeof *heap->notes);
  heap->notes = NULL;
}

static bool notes_add_slab(Notes *notes) {
  NoteSlab *slab = heap_raw_allocate(notes->heap, SLAB_BYTES);
  if (!slab) return false;
  slab->next = notes->slabs;
  notes->slabs = slab;
  notes->slab_used = sizeof *slab;
  return true;
}

/* Takes zeroed memory from a slab.  `size` is at most half of a slab. */
static void *notes_take(Notes *notes, size_t size) {
  size = (size + 7) & ~(size_t)7;
  if ((!notes->slabs || notes->slab_used + size > SLAB_BYTES) &&
      !notes_add_slab(notes))
    return NULL;
  char *memory = (char *)notes->slabs + notes->slab_used;
  notes->slab_used += size;
  memset(memory, 0, size);
  return memory;
}

/* -- The way to a page ----------------------------------------------------- */

static unsigned bits_of(uintptr_t address, unsigned from, unsigned count) {
  return (unsigned)(address >> from) & ((1u << count) - 1);
}

static unsigned root_index(uintptr_t a) {
  return bits_of(a, BLOCK_BITS + LEAF_BITS + MIDDLE_BITS, ROOT_BITS);
}
static unsigned middle_index(uintptr_t a) {
  return bits_of(a, BLOCK_BITS + LEAF_BITS, MIDDLE_BITS);
}
static unsigned leaf_index(uintptr_t a) {
  return bits_of(a, BLOCK_BITS, LEAF_BITS);
}

/* True if the map covers the address.  It covers 48 bits, which is what
** processes use today. */
static bool address_fits(uintptr_t a) {
  return (uint64_t)a >> (BLOCK_BITS + LEAF_BITS + MIDDLE_BITS + ROOT_BITS) == 0;
}

static NoteBlock *find_block(const Notes *notes, uintptr_t a) {
  if (!notes->root || !address_fits(a)) return NULL;
  void **middle = notes->root[root_index(a)];
  void **leaf = middle ? middle[middle_index(a)] : NULL;
  return leaf ? leaf[leaf_index(a)] : NULL;
}

static void *make_level(Notes *notes, void **place, size_t size) {
  if (!*place) *place = notes_take(notes, size);
  return *place;
}

static NoteBlock *make_block(Notes *notes, uintptr_t a) {
  enum { WORD = sizeof(void *) };
  void *root = notes->root;
  if (!address_fits(a)) return NULL;
  notes->root = make_level(notes, &root, WORD << ROOT_BITS);
  if (!notes->root) return NULL;
  void *middle = notes->root[root_index(a)];
  middle = make_level(notes, &middle, WORD << MIDDLE_BITS);
  notes->root[root_index(a)] = middle;
  if (!middle) return NULL;
  void **leaf_at = &((void **)middle)[middle_index(a)];
  void **leaf = make_level(notes, leaf_at, WORD << LEAF_BITS);
  if (!leaf) return NULL;
  return make_level(notes, &leaf[leaf_index(a)], sizeof(NoteBlock));
}

/* -- Pages ----------------------------------------------------------------- */

static unsigned granules_of(const void *cell) {
  if (heap_is_large(cell)) return LARGE_GRANULES;
  return (unsigned)(span_cell_size(span_of(cell)) / GRANULE);
}

/* The number of cells that can begin in a page. */
static unsigned page_numbers(unsigned granules) {
  return (64 + granules - 1) / granules;
}

static void page_retire(Notes *notes, NotePage *page, unsigned granules) {
  unsigned count = page_numbers(granules);
  page->next = notes->spare[count];
  notes->spare[count] = page;
}

static NotePage *page_new(Notes *notes, unsigned granules) {
  unsigned count = page_numbers(granules);
  size_t size = size_max(sizeof(NotePage), count * sizeof(uint32_t));
  NotePage *page = notes->spare[count];
  if (!page) return notes_take(notes, size);
  notes->spare[count] = page->next;
  memset(page, 0, size);
  return page;
}

/* The place of the number of a cell that begins in the page at this granule. */
static uint32_t *number_at(const NoteBlock *block, unsigned page,
                           unsigned granule) {
  uint32_t *first = block->page[page]->number;
  return first + granule / block->granules[page];
}

static unsigned granule_of(const void *cell) {
  return bits_of((uintptr_t)cell, 4, 6);
}

uint32_t notes_get(const Notes *notes, const void *cell) {
  const NoteBlock *block = find_block(notes, (uintptr_t)cell);
  unsigned page = heap_word_of(cell);
  if (!block || !block->page[page]) return 0;
  return *number_at(block, page, granule_of(cell));
}

/* If the cells of a page have another size now, the old cells are dead, and so
** the old numbers go. */
uint32_t *notes_at(Notes *notes, const void *cell) {
  NoteBlock *block = find_block(notes, (uintptr_t)cell);
  if (!block) block = make_block(notes, (uintptr_t)cell);
  if (!block) return NULL;
  unsigned page = heap_word_of(cell), granules = granules_of(cell);
  NotePage **place = &block->page[page];
  if (*place && block->granules[page] != granules) {
    page_retire(notes, *place, block->granules[page]);
    *place = NULL;
  }
  if (!*place) *place = page_new(notes, granules);
  block->granules[page] = (uint8_t)granules;
  return *place ? number_at(block, page, granule_of(cell)) : NULL;
}

/* -- Bits ------------------------------------------------------------------ */

static void mark_in_page(Notes *notes, uintptr_t a, unsigned page,
                         uint64_t cells) {
  NoteBlock *block = make_block(notes, a);
  if (!block) return;
  if (!block->marked)
    block->marked = notes_take(notes, BLOCK_PAGES * sizeof(uint64_t));
  if (block->marked) block->marked[page] |= cells;
}

void notes_mark(Notes *notes, const Block *block, unsigned page,
                uint64_t cells) {
  mark_in_page(notes, (uintptr_t)block, page, cells);
}

void notes_mark_large(Notes *notes, const void *cell) {
  mark_in_page(notes, (uintptr_t)cell, heap_word_of(cell), 1);
}

bool notes_is_marked(const Notes *notes, const void *cell) {
  const NoteBlock *block = find_block(notes, (uintptr_t)cell);
  uint64_t bit = heap_is_large(cell) ? 1 : heap_bit_of(cell);
  return block && block->marked && (block->marked[heap_word_of(cell)] & bit);
}

/* -- For the sweep --------------------------------------------------------- */

void notes_forget_cells(Notes *notes, const Block *block, unsigned page,
                        uint64_t cells) {
  NoteBlock *noted = find_block(notes, (uintptr_t)block);
  if (!noted || !noted->page[page]) return;
  for (; cells; cells &= cells - 1)
    *number_at(noted, page, bits_lowest(cells)) = 0;
}

void notes_forget_large(Notes *notes, const void *cell) {
  NoteBlock *noted = find_block(notes, (uintptr_t)cell);
  unsigned page = heap_word_of(cell);
  if (noted && noted->page[page]) *number_at(noted, page, granule_of(cell)) = 0;
}
