/* SPDX-License-Identifier: MIT */
/*
** side_table.c -- a number beside any cell
*/
#include "heap/side_table.h"

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

struct SideSlab {
  SideSlab *next;
  uint64_t unused;
};

/* The numbers of the cells that begin in a page.  There are more than two if the
** cells are small. */
union SidePage {
  uint32_t number[2];
  SidePage *next; /* the next spare page of the same size */
};

typedef struct SideBlock {
  SidePage *page[BLOCK_PAGES];
  uint8_t granules[BLOCK_PAGES]; /* of each cell in the page */
  uint64_t *marked;              /* a word for each page, or NULL */
} SideBlock;

/* -- Memory ---------------------------------------------------------------- */

void side_table_init(SideTable *side_table, Heap *heap) {
  memset(side_table, 0, sizeof *side_table);
  side_table->heap = heap;
}

bool side_table_free_some(SideTable *side_table) {
  SideSlab *slab = side_table->slabs;
  if (!slab) {
    side_table_init(side_table, side_table->heap);
    return false;
  }
  side_table->slabs = slab->next;
  heap_raw_free(side_table->heap, slab, SLAB_BYTES);
  return true;
}

void side_table_free(SideTable *side_table) {
  while (side_table_free_some(side_table)) continue;
}

bool side_table_make(Heap *heap, uint32_t first) {
  if (heap->side_table) return true;
  SideTable *side_table = heap_raw_allocate(heap, sizeof *side_table);
  if (!side_table) return false;
  side_table_init(side_table, heap);
  side_table->next = first;
  heap->side_table = side_table;
  return true;
}

void side_table_drop(Heap *heap) {
  side_table_free(heap->side_table);
  heap_raw_free(heap, heap->side_table, sizeof *heap->side_table);
  heap->side_table = NULL;
}

static bool side_table_add_slab(SideTable *side_table) {
  SideSlab *slab = heap_raw_allocate(side_table->heap, SLAB_BYTES);
  if (!slab) return false;
  slab->next = side_table->slabs;
  side_table->slabs = slab;
  side_table->slab_used = sizeof *slab;
  return true;
}

/* Takes zeroed memory from a slab.  `size` is at most half of a slab. */
static void *side_table_take(SideTable *side_table, size_t size) {
  size = (size + 7) & ~(size_t)7;
  if ((!side_table->slabs || side_table->slab_used + size > SLAB_BYTES) &&
      !side_table_add_slab(side_table))
    return NULL;
  char *memory = (char *)side_table->slabs + side_table->slab_used;
  side_table->slab_used += size;
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

static SideBlock *find_block(const SideTable *side_table, uintptr_t a) {
  if (!side_table->root || !address_fits(a)) return NULL;
  void **middle = side_table->root[root_index(a)];
  void **leaf = middle ? middle[middle_index(a)] : NULL;
  return leaf ? leaf[leaf_index(a)] : NULL;
}

static void *make_level(SideTable *side_table, void **place, size_t size) {
  if (!*place) *place = side_table_take(side_table, size);
  return *place;
}

static SideBlock *make_block(SideTable *side_table, uintptr_t a) {
  enum { WORD = sizeof(void *) };
  void *root = side_table->root;
  if (!address_fits(a)) return NULL;
  side_table->root = make_level(side_table, &root, WORD << ROOT_BITS);
  if (!side_table->root) return NULL;
  void *middle = side_table->root[root_index(a)];
  middle = make_level(side_table, &middle, WORD << MIDDLE_BITS);
  side_table->root[root_index(a)] = middle;
  if (!middle) return NULL;
  void **leaf_at = &((void **)middle)[middle_index(a)];
  void **leaf = make_level(side_table, leaf_at, WORD << LEAF_BITS);
  if (!leaf) return NULL;
  return make_level(side_table, &leaf[leaf_index(a)], sizeof(SideBlock));
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

static void page_retire(SideTable *side_table, SidePage *page,
                        unsigned granules) {
  unsigned count = page_numbers(granules);
  page->next = side_table->spare[count];
  side_table->spare[count] = page;
}

static SidePage *page_new(SideTable *side_table, unsigned granules) {
  unsigned count = page_numbers(granules);
  size_t size = size_max(sizeof(SidePage), count * sizeof(uint32_t));
  SidePage *page = side_table->spare[count];
  if (!page) return side_table_take(side_table, size);
  side_table->spare[count] = page->next;
  memset(page, 0, size);
  return page;
}

/* The place of the number of a cell that begins in the page at this granule. */
static uint32_t *number_at(const SideBlock *block, unsigned page,
                           unsigned granule) {
  uint32_t *first = block->page[page]->number;
  return first + granule / block->granules[page];
}

static unsigned granule_of(const void *cell) {
  return bits_of((uintptr_t)cell, 4, 6);
}

uint32_t side_table_get(const SideTable *side_table, const void *cell) {
  const SideBlock *block = find_block(side_table, (uintptr_t)cell);
  unsigned page = heap_word_of(cell);
  if (!block || !block->page[page]) return 0;
  return *number_at(block, page, granule_of(cell));
}

/* If the cells of a page have another size now, the old cells are dead, and so
** the old numbers go. */
uint32_t *side_table_at(SideTable *side_table, const void *cell) {
  SideBlock *block = find_block(side_table, (uintptr_t)cell);
  if (!block) block = make_block(side_table, (uintptr_t)cell);
  if (!block) return NULL;
  unsigned page = heap_word_of(cell), granules = granules_of(cell);
  SidePage **place = &block->page[page];
  if (*place && block->granules[page] != granules) {
    page_retire(side_table, *place, block->granules[page]);
    *place = NULL;
  }
  if (!*place) *place = page_new(side_table, granules);
  block->granules[page] = (uint8_t)granules;
  return *place ? number_at(block, page, granule_of(cell)) : NULL;
}

/* -- Bits ------------------------------------------------------------------ */

static void mark_in_page(SideTable *side_table, uintptr_t a, unsigned page,
                         uint64_t cells) {
  SideBlock *block = make_block(side_table, a);
  if (!block) return;
  if (!block->marked)
    block->marked = side_table_take(side_table, BLOCK_PAGES * sizeof(uint64_t));
  if (block->marked) block->marked[page] |= cells;
}

void side_table_mark(SideTable *side_table, const Block *block, unsigned page,
                     uint64_t cells) {
  mark_in_page(side_table, (uintptr_t)block, page, cells);
}

void side_table_mark_large(SideTable *side_table, const void *cell) {
  mark_in_page(side_table, (uintptr_t)cell, heap_word_of(cell), 1);
}

bool side_table_is_marked(const SideTable *side_table, const void *cell) {
  const SideBlock *block = find_block(side_table, (uintptr_t)cell);
  uint64_t bit = heap_is_large(cell) ? 1 : heap_bit_of(cell);
  return block && block->marked && (block->marked[heap_word_of(cell)] & bit);
}

/* -- For the sweep --------------------------------------------------------- */

void side_table_forget_cells(SideTable *side_table, const Block *block,
                             unsigned page, uint64_t cells) {
  SideBlock *noted = find_block(side_table, (uintptr_t)block);
  if (!noted || !noted->page[page]) return;
  for (; cells; cells &= cells - 1)
    *number_at(noted, page, bits_lowest(cells)) = 0;
}

void side_table_forget_large(SideTable *side_table, const void *cell) {
  SideBlock *noted = find_block(side_table, (uintptr_t)cell);
  unsigned page = heap_word_of(cell);
  if (noted && noted->page[page]) *number_at(noted, page, granule_of(cell)) = 0;
}
