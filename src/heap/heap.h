/* SPDX-License-Identifier: MIT */
/*
** heap.h -- cells of memory with mark bits beside them
**
** The heap takes memory from a lua_Alloc-shaped function in chunks, cuts it
** into aligned blocks, blocks into spans, spans into cells of one size.
**
**   chunk   one piece of memory from the allocator, of any alignment
**   block   16 KB, aligned to 16 KB; begins with the bitmaps of its cells
**   page    1 KB of a block: exactly one 64-bit word of each bitmap
**   span    some pages of one block that hold cells of one size class
**   cell    one allocation of the caller: a multiple of 16 bytes
**
**      block      0       128     256   304                          16384
**                 +-------+-------+-----+------------+-----------------+
**                 | mark  | live  | ... | span cells | span cells ...  |
**                 +-------+-------+-----+------------+-----------------+
**
** One bit stands for one 16-byte granule.  Only the bit of a cell's first
** granule is ever set.  `live` says that the cell is handed out.  `mark`
** belongs to the collector.  So the address of a cell leads to its mark,
** marking never touches the cell, and sweeping a span is a few word
** operations: live := mark.  Dead cells are not read.
**
** A cell of more than CELL_MAX bytes is a *large* cell.  It has a header of its
** own and comes straight from the allocator.  Large cells lie at addresses that
** are 8 modulo 16, all others at multiples of 16, so one bit of the address
** tells them apart.
**
** The heap knows cells, not colors.  The collector decides what is marked and
** when to sweep.  The heap never raises an error: failure is NULL or false.
*/
#ifndef PENUMBRA_HEAP_H
#define PENUMBRA_HEAP_H

#include "base/check.h"

enum {
  GRANULE = 16,           /* cells are multiples of this */
  BLOCK_SIZE = 16384,     /* alignment and size of a block */
  BLOCK_PAGES = 16,       /* pages, and so bitmap words, per block */
  BLOCK_PAGE = 1024,      /* bytes per page: 64 granules, one word */
  CELL_MAX = 1024,        /* larger cells are large cells */
  CLASS_COUNT = 32,       /* size classes */
  NO_SPAN = 255,          /* in span_page: see heap_pages_allocate */
  FREED_CELLS = 4,        /* explicitly freed cells remembered per class */
  RUN_MAX = 8192,         /* run_limit of a new heap */
  RELEASE_PIECE = 131072, /* larger dead cells are not freed at once */
  DEAD_LISTS = 32,        /* lists of dead large cells, by size */
  PARTIAL_LISTS = 4       /* lists of blocks with free pages: chunk.c */
};

/* The contract of lua_Alloc. */
typedef void *HeapAllocFn(void *context, void *pointer, size_t old_size,
                          size_t new_size);

/* Tells the system that the contents of these allocated bytes are not needed
** any more.  The system may take their pages back, but the addresses remain
** allocated.  Returns 0 if nothing was given back.  Then the heap does not call
** it again. */
typedef int HeapDiscardFn(void *context, void *pointer, size_t size);

typedef struct Block Block;
typedef struct Chunk Chunk;
typedef struct Large Large;
typedef struct Span Span;

/* The first part of a block's header.  It is found from the address of a
** cell. */
struct Block {
  uint64_t mark[BLOCK_PAGES];
  uint64_t live[BLOCK_PAGES];
  Chunk *chunk;
  Block *next; /* in partial_blocks or empty_blocks */
  Block *previous;
  uint16_t free_pages;            /* bit set: page belongs to no span */
  uint8_t span_page[BLOCK_PAGES]; /* first page of the span each page is in,
                                  ** or NO_SPAN if it holds no cells */
};

/* The header of a large cell, directly in front of it. */
struct Large {
  Large *next;
  Large *previous;
  size_t size; /* bytes of the cell */
  POINTER_GAP(gap, 3)
  uint32_t raw_offset; /* from the allocator's pointer to this header */
  uint8_t marked;
  uint8_t sweep_epoch; /* heap->sweep_epoch when this was last swept */
  uint8_t is_zero;     /* the cell was all zero when it was handed out */
  uint8_t unused;
  uint64_t padding; /* keeps the cell at 8 modulo 16 */
};
static_assert(sizeof(Large) == 40, "large cells lie at 8 modulo 16");

/* Consecutive free cells of one class.  Allocation takes them from the low
** end. */
typedef struct Run {
  char *next;
  char *end;
} Run;

/* The position of the search for free cells in a span. */
typedef struct Search {
  uint64_t cells; /* first granules of the cells in word `page` still
                            ** to be searched */
  Block *block;
  uint32_t page;    /* index of the bitmap word */
  uint32_t granule; /* the position in a span of sparse cells, instead
                            ** of the other fields: span.c */
} Search;

/* The spans and the state of one size class. */
typedef struct SizeClass {
  Search search; /* for free cells in `current` */
  uint32_t freed_count;
  uint32_t pages;           /* pages in all spans of the class */
  Span *current;            /* the span that runs are taken from; on no list */
  Span *unswept;            /* spans that this sweep has not reached yet */
  Span *partial;            /* swept, may have free cells */
  Span *sparse;             /* swept, most cells free: taken last */
  Span *sparse_last;        /* the end of that list */
  Span *full;               /* swept, nothing free */
  Span *full_last;          /* the end of that list */
  void *freed[FREED_CELLS]; /* freed by the program since the last sweep */
} SizeClass;

typedef struct Heap {
  Run run[CLASS_COUNT];
  /* Bytes in cells that are handed out.  The unused rest of each run counts
  ** too; heap_used() is exact. */
  size_t charged;
  /* A clock that advances with allocation.  Like `charged`, but sweeping does
  ** not change it, and goal.c adds bytes held elsewhere.  It also runs
  ** backwards: when the program itself frees cells, and when the rest of a run
  ** is returned. */
  size_t allocation_clock;
  size_t marked_bytes; /* found marked by the sweep so far */
  size_t footprint;    /* bytes held from the allocator */
  size_t external;     /* bytes held elsewhere; the limit covers them */
  size_t held;         /* the same, but no collection frees it: see heap_hold */
  size_t limit;        /* bound for resident, external and held; 0: none */
  size_t run_limit;    /* bytes in the longest run taken at a time, at
                            ** least a page; the collector cannot step more
                            ** often than once a run */
  SizeClass classes[CLASS_COUNT];
  Block *partial_blocks[PARTIAL_LISTS]; /* some pages free, some not: chunk.c */
  Block *empty_blocks;                  /* all pages free */
  Chunk *chunks;                        /* chunks with a block in use */
  Chunk *empty_chunks;                  /* chunks without a block in use */
  Block *empty_last;                    /* the end of empty_blocks */
  Chunk *fresh_chunks; /* chunks with blocks that were never used or were
                            ** given back */
  size_t block_count;
  size_t free_block_count; /* blocks whose pages are all free */
  size_t empty_slack;      /* bytes of empty chunks that lie in no block */
  size_t discarded_blocks; /* free blocks whose pages the system has back */
  Large *large;            /* swept large cells */
  Large *large_unswept;
  size_t large_bytes; /* bytes in large cells that are not dead */
  Large *releasing;   /* dead large cells, the newest first */
  Large *releasing_last;
  Large *leaving;          /* the dead cell that is given back in pieces */
  Large *slack_buffer;     /* the buffer in a cell much larger than needed */
  Large *dead[DEAD_LISTS]; /* the cells of `releasing`, by size */
  size_t releasing_bytes;  /* bytes from the allocator in dead large cells */
  size_t peak;             /* most bytes held since the last sweep ended */
  size_t last_peak;        /* most bytes held in the cycle before: release.c */
  size_t release_due;      /* bytes to give back because others were taken */
  size_t release_earned;   /* bytes of release_due that filling has earned */
  struct HeapCursor *walk; /* a walk under way, or NULL */
  struct SideTable
      *side_table;        /* forgets cells that die (side_table.h), or NULL */
  struct SideTable *born; /* notes cells handed out marked, or NULL */
  HeapAllocFn *allocate;
  HeapDiscardFn *discard; /* NULL: the allocator has none */
  void *context;
  uint16_t sweep_class;  /* the class that the sweep is in */
  uint16_t cut_class;    /* the class whose sparse span was cut last */
  uint8_t sweep_epoch;   /* grows with every sweep */
  size_t zeros_from;     /* fresh memory from the allocator of at least this
                            ** size is zero; 0: it never is */
  bool sweeping;         /* some span or large cell may be unswept */
  bool keep_marks;       /* this sweep leaves marks set (generations) */
  bool allocate_marked;  /* cells handed out now are already marked */
  bool unaligned_chunks; /* the allocator does not align blocks for us */
  bool moves_on_shrink;  /* the allocator copies when it shrinks */
  bool poison;           /* overwrite freed cells (debugging) */
} Heap;

/* -- Life of a heap -------------------------------------------------------- */

/* Makes a heap without any memory.  Cannot fail. */
void heap_init(Heap *heap, HeapAllocFn *allocate, void *context);

/* The allocator is another one from now on, without what follows. */
static inline void heap_set_allocator(Heap *heap, HeapAllocFn *allocate,
                                      void *context) {
  heap->allocate = allocate;
  heap->context = context;
  heap->zeros_from = 0;
  heap->discard = NULL;
}
static inline void heap_set_zeros(Heap *heap, size_t from) {
  heap->zeros_from = from;
}
static inline void heap_set_discard(Heap *heap, HeapDiscardFn *discard) {
  heap->discard = discard;
}

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

/* Returns the next cell of a class whose run is used up.  NULL: no memory. */
NO_INLINE void *heap_refill(Heap *heap, unsigned class_index);

/* Allocates a large cell.  NULL: no memory. */
void *heap_allocate_large(Heap *heap, size_t size);

/* Like heap_allocate_large, in the memory of a dead large cell, which may be
** larger by an eighth.  NULL: no dead cell fits. */
void *heap_reuse_large(Heap *heap, size_t size);

/* Allocates a cell of the class.  Its contents are undefined.  NULL: no memory.
** A class without a run has the address NULL, to which nothing may be added, so
** the comparison is between numbers. */
static inline void *heap_allocate_class(Heap *heap, unsigned class_index) {
  Run *run = &heap->run[class_index];
  char *cell = run->next;
  size_t size = heap_class_size(class_index);
  if (LIKELY((uintptr_t)cell + size <= (uintptr_t)run->end)) {
    run->next = cell + size;
    return cell;
  }
  return heap_refill(heap, class_index);
}

static inline void *heap_allocate(Heap *heap, size_t size) {
  if (UNLIKELY(size > CELL_MAX)) return heap_allocate_large(heap, size);
  return heap_allocate_class(heap, heap_class_for(size));
}

/* Frees a cell that nothing refers to any more.  `size` is the size it was
** allocated with. */
void heap_free(Heap *heap, void *cell, size_t size);

/* Returns the rest of the run for cells of `size`.  The next allocation of that
** size leaves the fast path. */
void heap_return_run(Heap *heap, size_t size);

/* Bytes that are left of that run. */
size_t heap_run_bytes(const Heap *heap, size_t size);

/* Changes the size of a large cell to another large size.  The cell may move,
** and its mark moves with it.  NULL: no memory, and the cell is unchanged. */
void *heap_resize_large(Heap *heap, void *cell, size_t new_size);


/* Bytes that a cell of `size` really takes. */
size_t heap_rounded_size(size_t size);

/* Memory that is not a cell, such as a histogram.  It comes from the same
** allocator, counts toward the same limit and is aligned to 16 bytes. */
void *heap_raw_allocate(Heap *heap, size_t size);
void heap_raw_free(Heap *heap, void *pointer, size_t size);

/* Memory of any alignment for the program's own use, also within the limit.
** Works like realloc; a size of 0 frees the memory.  NULL: no memory. */
void *heap_memory_resize(Heap *heap, void *old, size_t old_size, size_t size);

/* True if the limit allows `more` bytes. */
bool heap_limit_allows(const Heap *heap, size_t more);

/* The program holds `more` bytes elsewhere, and `less` of those before.  They
** count toward the limit, but not toward what makes a collection due, because
** none frees them. */
static inline void heap_hold(Heap *heap, size_t more, size_t less) {
  heap->held += more - less;
}

/* Whole pages, for lists and maps that come and go in large numbers.  They are
** cheap to allocate, and freeing them never triggers expensive work in the
** allocator.  NULL: no memory. */
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

/* True if the cell, except its header, was zero when it was handed out.  Its
** pages are fresh from the system and need not be touched before they are
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
  return (heap_block_of(cell)->mark[heap_word_of(cell)] & heap_bit_of(cell)) !=
         0;
}

/* 1 if a cell that is known not to be large is marked, 0 if not. */
static ALWAYS_INLINE uint64_t heap_mark_of_small(const void *cell) {
  uint64_t word = heap_block_of(cell)->mark[heap_word_of(cell)];
  return word >> (((uintptr_t)cell / GRANULE) & 63) & 1;
}

/* Marks a cell that is known not to be large.  True if it was not marked
** before. */
static inline bool heap_mark_small(const void *cell) {
  uint64_t *word = &heap_block_of(cell)->mark[heap_word_of(cell)];
  uint64_t bit = heap_bit_of(cell);
  uint64_t old = *word;
  if (old & bit) return false;
  *word = old | bit;
  return true;
}

/* Marks a cell.  True if it was not marked before. */
static inline bool heap_mark(const void *cell) {
  if (LIKELY(!heap_is_large(cell))) return heap_mark_small(cell);
  Large *large = heap_large_of(cell);
  bool fresh = !large->marked;
  large->marked = 1;
  return fresh;
}

static inline void heap_unmark_small(const void *cell) {
  heap_block_of(cell)->mark[heap_word_of(cell)] &= ~heap_bit_of(cell);
}

/* Sets whether cells are handed out already marked.  Bounded work: one step for
** each size class. */
void heap_set_allocate_marked(Heap *heap, bool marked);

/* From now on cells are handed out marked, and a mark in `born` tells them from
** older ones.  NULL: they are not noted any more. */
void heap_note_births(Heap *heap, struct SideTable *born);

/* Begins a sweep: every cell that is not marked now is dead.  From now on the
** allocator sweeps a span before it takes cells from it.  With `keep_marks` the
** marks of live cells stay set.  Bounded work. */
void heap_sweep_begin(Heap *heap, bool keep_marks);

/* Sweeps one span or one large cell.  Returns the work done, or 0 if nothing is
** left to sweep.  The unit of work is one page of a span, which is one word of
** each bitmap. */
size_t heap_sweep_some(Heap *heap);

/* -- For the collector: giving back ---------------------------------------- */

/* Bytes that the heap holds and should give back.  release.c says which
** memory it keeps. */
size_t heap_excess(const Heap *heap);

/* Gives back a piece of a dead large cell, an empty chunk or an empty block, if
** there is an excess.  Returns the bytes given back. */
size_t heap_release_some(Heap *heap);

/* The program has filled `bytes` of memory that were taken earlier.  Gives back
** up to twice as many bytes, as far as they are due (release.c). */
void heap_release_filled(Heap *heap, size_t bytes);

/* `bytes` were allocated that could not be in a dead cell.  As they are filled,
** idle memory above the peak goes back. */
void heap_release_useless(Heap *heap, size_t bytes);

/* Gives back all idle memory.  This takes unbounded time. */
void heap_release_all(Heap *heap);

/* Bytes held from the allocator, without the blocks that the system has
** back. */
size_t heap_resident(const Heap *heap);

/* -- Walking --------------------------------------------------------------- */

/* The position of a walk over all blocks.  Large cells come last.  A cell that
** lives as long as the walk is seen once.  Cells allocated during the walk may
** or may not be seen.  At most one walk is under way at a time, and none during
** a sweep. */
typedef struct HeapCursor {
  Chunk *chunk;   /* the next one to visit, on heap->chunks, or NULL */
  unsigned block; /* the next block of it */
  Large *large;   /* the next one to visit, on heap->large, or NULL */
  bool in_large;  /* all blocks have been visited */
} HeapCursor;

/* Begins a walk.  It lasts until one of the functions below returns false, or
** until heap_walk_end is called. */
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

/* The exact number of bytes in cells that are handed out. */
size_t heap_used(const Heap *heap);

/* allocation_clock without the unused rests of runs.  If the program frees
** nothing, this advances with each cell handed out, and only then. */
size_t heap_clock(const Heap *heap);

/* The size of the cell: that of its class, or the size of a large cell. */
size_t heap_cell_size(const void *cell);

/* Checks with REQUIRE that counts, bits, lists and bytes agree. */
void heap_check(Heap *heap);

#endif
