/* SPDX-License-Identifier: MIT */
/*
** heap.h -- cells of memory with mark bits beside them
**
** The heap takes memory from a lua_Alloc-shaped function in chunks, cuts it
** into aligned blocks, blocks into spans, spans into cells of one size.
**
**   chunk   what the allocator gave, any alignment
**   block   16 KB, aligned to 16 KB; begins with the bitmaps of its cells
**   page    1 KB of a block: exactly one 64-bit word of each bitmap
**   span    some pages of one block that hold cells of one size class
**   cell    what the caller gets: a multiple of 16 bytes
**
**      block      0       128     256   304                          16384
**                 +-------+-------+-----+------------+-----------------+
**                 | mark  | live  | ... | span cells | span cells ...  |
**                 +-------+-------+-----+------------+-----------------+
**
** One bit stands for one 16-byte granule; only the bit of a cell's first
** granule is ever set.  `live` says that the cell is handed out, `mark` is
** the collector's.  So a cell's mark is found from its address alone, marking
** never touches the cell, and sweeping a span is a few word operations:
** live := mark.  Dead cells are not read.
**
** A cell of more than CELL_MAX bytes is a *large* cell with a header of its
** own, straight from the allocator.  Large cells lie at addresses that are 8
** modulo 16, all others at multiples of 16, so one bit of the address tells
** them apart.
**
** The heap knows cells, not colors: what is marked, and when to sweep, is the
** collector's business.  It never raises: failure is NULL or false.
*/
#ifndef PENUMBRA_HEAP_H
#define PENUMBRA_HEAP_H

#include "base/check.h"

enum {
  GRANULE = 16,             /* cells are multiples of this */
  BLOCK_SIZE = 16384,       /* alignment and size of a block */
  BLOCK_PAGES = 16,         /* pages, and so bitmap words, per block */
  BLOCK_PAGE = 1024,        /* bytes per page: 64 granules, one word */
  CELL_MAX = 1024,          /* larger cells are large cells */
  CLASS_COUNT = 32,         /* size classes */
  NO_SPAN = 255,            /* in span_page: see heap_pages_allocate */
  FREED_CELLS = 4,          /* explicitly freed cells remembered per class */
  RUN_MAX = 8192,           /* run_limit of a new heap */
  RELEASE_PIECE = 131072,   /* large memory goes back in such pieces */
  DEAD_LISTS = 32,          /* lists of dead large cells, by size */
  ROOMY_LISTS = 4           /* lists of blocks with free pages, by their rows */
};

/* The contract of lua_Alloc. */
typedef void *HeapAllocFn(void *context, void *pointer, size_t old_size,
                          size_t new_size);

/* The contents of these bytes, which were allocated, are of no use any more:
** the system may have their pages back, but the addresses stay ours.  0:
** nothing was given back, nor will it be another time. */
typedef int HeapDiscardFn(void *context, void *pointer, size_t size);

typedef struct Block Block;
typedef struct Chunk Chunk;
typedef struct Large Large;
typedef struct Span Span;

/* The first part of a block's header; the address of a cell leads here. */
struct Block {
  uint64_t mark[BLOCK_PAGES];
  uint64_t live[BLOCK_PAGES];
  Chunk *chunk;
  Block *next;              /* in roomy_blocks or empty_blocks */
  Block *previous;
  uint16_t free_pages;      /* bit set: page belongs to no span */
  uint8_t span_page[BLOCK_PAGES]; /* first page of the span each page is in,
                                  ** or NO_SPAN if it holds no cells */
};

/* The header of a large cell, directly in front of it. */
struct Large {
  Large *next;
  Large *previous;
  size_t size;              /* bytes of the cell */
  POINTER_GAP(gap, 3)
  uint32_t raw_offset;      /* from the allocator's pointer to this header */
  uint8_t marked;
  uint8_t sweep_epoch;      /* of the heap when this was last swept */
  uint8_t is_zero;          /* was all zero when it was handed out */
  uint8_t unused;
  uint64_t padding;         /* keeps the cell at 8 modulo 16 */
};
static_assert(sizeof(Large) == 40, "large cells lie at 8 modulo 16");

/* A stretch of free cells of one class, consumed from its low end. */
typedef struct Run {
  char *next;
  char *end;
} Run;

/* Where free cells of a span are looked for. */
typedef struct Search {
  uint64_t cells;           /* in that word, not looked at: bits of starts */
  Block *block;
  uint32_t page;            /* the bitmap word */
  uint32_t granule;         /* instead of those, for sparse cells: span.c */
} Search;

/* All that belongs to one size class. */
typedef struct SizeClass {
  Search search;            /* for free cells in `current` */
  uint32_t freed_count;
  uint32_t pages;           /* pages in all spans of the class */
  Span *current;            /* where the run comes from; on no list */
  Span *unswept;            /* marks still to be turned into live bits */
  Span *partial;            /* swept, may have free cells */
  Span *sparse;             /* swept, most cells free: taken last */
  Span *sparse_last;        /* the end of that list */
  Span *full;               /* swept, nothing free */
  Span *full_last;          /* the end of that list */
  void *freed[FREED_CELLS]; /* freed by the program since the last sweep */
} SizeClass;

typedef struct Heap {
  Run run[CLASS_COUNT];
  /* Bytes handed out, with what is left of the runs counted as if it were;
  ** heap_used() is the exact figure. */
  size_t charged;
  /* The same without what sweeping frees: a clock of allocation. */
  size_t net_allocated;
  size_t marked_bytes;      /* found marked by the sweep so far */
  size_t footprint;         /* bytes held from the allocator */
  size_t external;          /* bytes held elsewhere, under the same limit */
  size_t limit;             /* bound on what is resident, and external; 0 is
                            ** none */
  size_t run_limit;         /* bytes in the longest run taken at a time, at
                            ** least a page; the collector steps no more often
                            ** than that */
  SizeClass classes[CLASS_COUNT];
  Block *roomy_blocks[ROOMY_LISTS]; /* some pages free, some not: chunk.c */
  Block *empty_blocks;      /* all pages free */
  Chunk *chunks;            /* with at least one span */
  Chunk *empty_chunks;      /* without any */
  Block *empty_last;        /* the end of empty_blocks */
  Chunk *fresh_chunks;      /* with blocks that were never used, or that were
                            ** given back */
  size_t block_count;
  size_t free_block_count;  /* blocks without any span */
  size_t empty_slack;       /* bytes in no block of empty chunks */
  size_t discarded_blocks;  /* those of them that the system has back */
  Large *large;             /* swept */
  Large *large_unswept;
  size_t large_bytes;       /* in cells, not counting dead ones */
  Large *releasing;         /* dead large cells, the last one first */
  Large *releasing_last;
  Large *leaving;           /* one that goes back piece by piece */
  Large *dead[DEAD_LISTS];  /* those of `releasing`, by size */
  size_t releasing_bytes;   /* of the allocator's, in dead large cells */
  size_t peak;              /* most bytes held since the last sweep ended, */
  size_t last_peak;         /* ... and in the cycle before: see release.c */
  size_t release_due;       /* bytes to be given back for those taken */
  size_t release_earned;    /* bytes of that paid for by filling */
  struct HeapCursor *walk;  /* a walk under way, or NULL */
  struct Notes *notes;      /* forgets cells that die (notes.h), or NULL */
  struct Notes *born;       /* notes what is handed out marked, or NULL */
  HeapAllocFn *allocate;
  HeapDiscardFn *discard;   /* NULL: the allocator has none */
  void *context;
  uint32_t sweep_class;     /* the sweeper's place */
  uint32_t cut_class;       /* the class whose sparse span was cut last */
  uint8_t sweep_epoch;      /* grows with every sweep */
  size_t zeros_from;        /* memory from this size on that the allocator hands
                            ** out anew is zero; 0: it is not */
  bool sweeping;            /* some span or large cell may be unswept */
  bool keep_marks;          /* this sweep leaves marks set (generations) */
  bool allocate_marked;     /* cells handed out now are already marked */
  bool unaligned_chunks;    /* the allocator does not align blocks for us */
  bool moves_on_shrink;     /* the allocator copies when it shrinks */
  bool poison;              /* overwrite freed cells (debugging) */
} Heap;

/* -- Life of a heap -------------------------------------------------------- */

/* A heap without any memory yet; nothing can fail. */
void heap_init(Heap *heap, HeapAllocFn *allocate, void *context);

/* Returns every byte to the allocator. */
void heap_close(Heap *heap);

/* -- For code that creates and frees cells --------------------------------- */

/* Sizes of cells: every 16 bytes up to 256, every 32 up to 512, every 64 up to
** CELL_MAX.  Written as arithmetic, so that it vanishes for constant sizes. */
static ALWAYS_INLINE unsigned heap_class_for(size_t size) {
  unsigned granules = (unsigned)((size + GRANULE - 1) / GRANULE);
  if (granules <= 16) return granules - (granules > 0);
  if (granules <= 32) return 16 + (granules - 17) / 2;
  return 24 + (granules - 33) / 4;
}

static ALWAYS_INLINE size_t heap_class_size(unsigned class_index) {
  if (class_index < 16) return ((size_t)class_index + 1) * 16;
  if (class_index < 24) return ((size_t)class_index - 15) * 32 + 256;
  return ((size_t)class_index - 23) * 64 + 512;
}

/* Next cell of a class after its run is used up.  NULL: no memory. */
NO_INLINE void *heap_refill(Heap *heap, unsigned class_index);

/* A cell of its own.  NULL: no memory. */
void *heap_allocate_large(Heap *heap, size_t size);

/* The same, in memory that was used before; NULL if there is none that would
** do.  It may be larger by an eighth. */
void *heap_reuse_large(Heap *heap, size_t size);

/* A cell of the class; its contents are undefined.  NULL: no memory. */
static inline void *heap_allocate_class(Heap *heap, unsigned class_index) {
  Run *run = &heap->run[class_index];
  char *cell = run->next;
  char *next = cell + heap_class_size(class_index);
  if (LIKELY(next <= run->end)) {
    run->next = next;
    return cell;
  }
  return heap_refill(heap, class_index);
}

static inline void *heap_allocate(Heap *heap, size_t size) {
  if (UNLIKELY(size > CELL_MAX)) return heap_allocate_large(heap, size);
  return heap_allocate_class(heap, heap_class_for(size));
}

/* Frees a cell that nothing refers to any more.  `size` is what it was
** allocated with. */
void heap_free(Heap *heap, void *cell, size_t size);

/* Changes the size of a large cell to another large size, perhaps moving it;
** its mark moves with it.  NULL: no memory, and the cell is as it was. */
void *heap_resize_large(Heap *heap, void *cell, size_t new_size);


/* Bytes a request of `size` really takes. */
size_t heap_rounded_size(size_t size);

/* Memory that is not a cell (worklists and such), from the same allocator and
** within the same limit, aligned to 16 bytes. */
void *heap_raw_allocate(Heap *heap, size_t size);
void heap_raw_free(Heap *heap, void *pointer, size_t size);

/* Bytes of any alignment for the program's own use, within the limit too: like
** realloc, with a size of 0 to free them.  NULL: no memory. */
void *heap_memory_resize(Heap *heap, void *old, size_t old_size, size_t size);

/* The limit would allow for so many bytes more. */
bool heap_limit_allows(const Heap *heap, size_t more);

/* Whole pages for lists and maps that come and go in large numbers: they cost
** little, and their return never makes the allocator tidy up.  NULL: no
** memory. */
void *heap_pages_allocate(Heap *heap, unsigned pages);
void heap_pages_free(Heap *heap, void *address, unsigned pages);

/* -- For the collector ----------------------------------------------------- */

static inline bool heap_is_large(const void *cell) {
  return ((uintptr_t)cell & 8) != 0;
}

static inline Large *heap_large_of(const void *cell) {
  return (Large *)((uintptr_t)cell - sizeof(Large));
}

static inline Block *heap_block_of(const void *cell) {
  return (Block *)((uintptr_t)cell & ~(uintptr_t)(BLOCK_SIZE - 1));
}

/* True if the cell was zero, but for what its header takes, when it was handed
** out: pages fresh from the system, which need not be touched before they are
** used. */
static inline bool heap_was_zero(const void *cell) {
  return heap_is_large(cell) && heap_large_of(cell)->is_zero;
}

/* The cell's bit within word heap_word_of() of its block's bitmaps. */
static inline uint64_t heap_bit_of(const void *cell) {
  return UINT64_C(1) << (((uintptr_t)cell / GRANULE) & 63);
}

static inline unsigned heap_word_of(const void *cell) {
  return (unsigned)(((uintptr_t)cell / BLOCK_PAGE) & (BLOCK_PAGES - 1));
}

static inline bool heap_is_marked(const void *cell) {
  if (UNLIKELY(heap_is_large(cell))) return heap_large_of(cell)->marked;
  return (heap_block_of(cell)->mark[heap_word_of(cell)] &
          heap_bit_of(cell)) != 0;
}

/* Marks a cell that is known not to be large; true if it was not marked. */
static inline bool heap_mark_small(const void *cell) {
  uint64_t *word = &heap_block_of(cell)->mark[heap_word_of(cell)];
  uint64_t bit = heap_bit_of(cell);
  uint64_t old = *word;
  if (old & bit) return false;
  *word = old | bit;
  return true;
}

/* Marks a cell; true if it was not marked before. */
static inline bool heap_mark(const void *cell) {
  if (LIKELY(!heap_is_large(cell))) return heap_mark_small(cell);
  Large *large = heap_large_of(cell);
  bool fresh = !large->marked;
  large->marked = 1;
  return fresh;
}

static inline void heap_unmark(const void *cell) {
  if (heap_is_large(cell))
    heap_large_of(cell)->marked = 0;
  else
    heap_block_of(cell)->mark[heap_word_of(cell)] &= ~heap_bit_of(cell);
}

/* From now on (true) cells are handed out already marked, or (false) are not.
** Bounded work: one step for each size class. */
void heap_set_allocate_marked(Heap *heap, bool marked);

/* Every cell not marked now is dead.  Afterwards the allocator sweeps a span
** before it hands anything out from it.  With `keep_marks` the sweep leaves
** the marks of the living set.  Bounded work. */
void heap_sweep_begin(Heap *heap, bool keep_marks);

/* Sweeps one span or one large cell.  Returns the work done, in granules'
** worth of bitmap, or 0 if nothing is left to sweep. */
size_t heap_sweep_some(Heap *heap);

/* -- For the collector: giving back ---------------------------------------- */

/* Bytes that the heap holds, does not need, and would rather give back.
** (release.c says what it keeps.) */
size_t heap_excess(const Heap *heap);

/* Gives back one piece of dead large memory, an empty chunk or an empty block,
** if there is an excess.  Returns the bytes given back. */
size_t heap_release_some(Heap *heap);

/* `bytes` that were taken before have been filled now: twice as many go back,
** if there is an excess that has grown by that. */
void heap_release_filled(Heap *heap, size_t bytes);

/* Gives back all that can be given back, whatever it takes. */
void heap_release_all(Heap *heap);

/* Bytes held that the system does not have back already. */
size_t heap_resident(const Heap *heap);

/* -- Walking --------------------------------------------------------------- */

/* A place in the walk over all blocks, large cells last.  Cells allocated
** while the walk is under way may or may not be seen.  At most one walk is
** under way; no chunk is given back meanwhile. */
typedef struct HeapCursor {
  Chunk *chunk;
  unsigned block;
  Large *large;
  bool in_large;
} HeapCursor;

/* The walk lasts until a function below returns false or heap_walk_end. */
void heap_walk_begin(Heap *heap, HeapCursor *cursor);
void heap_walk_end(Heap *heap);

typedef void HeapCellFn(void *context, void *cell, size_t size, bool marked);

/* Visits the cells of one block, or a few large cells.  False at the end. */
bool heap_walk_some(Heap *heap, HeapCursor *cursor, HeapCellFn *visit,
                    void *context);

/* Clears the marks of one block, or of a few large cells.  False at the end. */
bool heap_unmark_some(Heap *heap, HeapCursor *cursor);

/* Visits every cell that is handed out. */
void heap_walk(Heap *heap, HeapCellFn *visit, void *context);

/* -- Figures and checks ---------------------------------------------------- */

/* Exact bytes in cells that are handed out. */
size_t heap_used(const Heap *heap);

/* Size of the cell as the heap sees it: its class, or a large cell's size. */
size_t heap_cell_size(const void *cell);

/* Proves that counts, bits, lists and bytes agree; REQUIREs each. */
void heap_check(Heap *heap);

#endif
