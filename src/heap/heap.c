/* SPDX-License-Identifier: MIT */
/*
** heap.c -- allocating, freeing and sweeping small cells
**
** Each size class has lists of spans and a run of free cells.  The fast path,
** in heap.h, takes cells from the run.  When the run is used up, the next cell
** comes from the first of these that has one:
**
**   a cell that the program freed a moment ago        (still in the cache)
**   the next run of the current span
**   the first run of a span known to have free cells
**   the first run of an unswept span, after sweeping it
**   the first run of a sparse span, in which few cells are live
**   a new span made of free pages
**   the same, after sparse spans of all classes were cut into pieces
**   a new span in memory from the allocator
**
**                 sweep_begin                    sweep
**      partial --+----------> unswept --+--> partial   some cells free
**      sparse ---+                      +--> sparse    most cells free
**      full -----+                      +--> full      none free
**      current --+                      +--> (pages returned) all free
**
** Sparse spans come late, so that they have a chance to become empty.  Then
** their pages can serve another class, or go back to the allocator.
*/
#include "heap/heap_impl.h"

#include <string.h>

enum {
  REFILL_SWEEPS = 32, /* spans swept in one refill, at most */
  SPARSE_SHARE = 4,   /* less than 1/4 of a sparse span is live */
  CUT_SPANS = 8       /* spans cut for one new span, at most */
};

/* -- Bytes from the allocator ---------------------------------------------- */

bool heap_limit_allows(const Heap *heap, size_t more) {
  size_t held = heap_resident(heap) + heap->external + heap->held;
  return !heap->limit || (more <= heap->limit && held <= heap->limit - more);
}

static void *bytes_try(Heap *heap, void *old, size_t old_size, size_t size) {
  if (size > old_size && !heap_limit_allows(heap, size - old_size)) return NULL;
  void *pointer = heap->allocate(heap->context, old, old_size, size);
  if (!pointer) return NULL;
  heap->footprint += size - old_size;
  if (size > old_size) release_for_taken(heap, size - old_size);
  return pointer;
}

/* Idle memory goes back piece by piece, and only as long as the request is
** refused: it may come from a unit of the collector, and there may be much. */
static NO_INLINE void *bytes_try_again(Heap *heap, void *old, size_t old_size,
                                       size_t size) {
  size_t given;
  do {
    given = release_piece(heap);
    void *pointer = bytes_try(heap, old, old_size, size);
    if (pointer) return pointer;
  } while (given > 0);
  return NULL;
}

void *bytes_resize(Heap *heap, void *old, size_t old_size, size_t size) {
  void *pointer = bytes_try(heap, old, old_size, size);
  return LIKELY(pointer) ? pointer : bytes_try_again(heap, old, old_size, size);
}

void *bytes_allocate(Heap *heap, size_t size) {
  return bytes_resize(heap, NULL, 0, size);
}

void bytes_free(Heap *heap, void *pointer, size_t size) {
  heap->allocate(heap->context, pointer, size, 0);
  heap->footprint -= size;
}

/* -- Memory of the program's own ------------------------------------------- */

/* The bytes to ask the allocator for.  Never whole blocks: only chunks are, and
** an allocator may map those.  Buffers come and go much faster. */
static size_t extra_size(size_t size) {
  return size % BLOCK_SIZE ? size : size + GRANULE;
}

static void extra_free(Heap *heap, void *pointer, size_t size) {
  if (!pointer) return;
  if (size > RELEASE_PIECE)
    large_own_free(heap, pointer);
  else
    bytes_free(heap, pointer, extra_size(size));
}

static void *extra_allocate(Heap *heap, size_t size) {
  return size > RELEASE_PIECE ? large_own_allocate(heap, size)
                              : bytes_allocate(heap, extra_size(size));
}

static void *extra_move(Heap *heap, void *old, size_t old_size, size_t size) {
  void *moved = extra_allocate(heap, size);
  if (!moved) return NULL;
  if (old) memcpy(moved, old, size_min(old_size, size));
  extra_free(heap, old, old_size);
  return moved;
}

void *heap_memory_resize(Heap *heap, void *old, size_t old_size, size_t size) {
  bool was_large = old && old_size > RELEASE_PIECE;
  if (size == 0) {
    extra_free(heap, old, old_size);
    return NULL;
  }
  if (!old || was_large != (size > RELEASE_PIECE))
    return extra_move(heap, old, old_size, size);
  if (was_large) return large_own_resize(heap, old, size);
  return bytes_resize(heap, old, extra_size(old_size), extra_size(size));
}

/* -- Raw memory ------------------------------------------------------------ */

/* The byte in front of the result is its distance from the pointer that the
** allocator returned. */
void *heap_raw_allocate(Heap *heap, size_t size) {
  char *bytes = bytes_allocate(heap, size + RAW_SLACK);
  if (!bytes) return NULL;
  size_t offset = GRANULE - (uintptr_t)bytes % GRANULE;
  bytes[offset - 1] = (char)offset;
  return bytes + offset;
}

void heap_raw_free(Heap *heap, void *pointer, size_t size) {
  char *raw = pointer;
  bytes_free(heap, raw - raw[-1], size + RAW_SLACK);
}

/* -- Life ------------------------------------------------------------------ */

void heap_init(Heap *heap, HeapAllocFn *allocate, void *context) {
  memset(heap, 0, sizeof *heap);
  heap->allocate = allocate;
  heap->context = context;
  heap->run_limit = RUN_MAX;
}

void heap_close(Heap *heap) {
  large_release_every(heap);
  chunk_release_every(heap);
  ASSERT(heap->footprint == 0, "%zu bytes were not given back",
         heap->footprint);
  heap_init(heap, heap->allocate, heap->context);
}

/* -- Lists of spans -------------------------------------------------------- */

static Span *span_list_pop(Span **list) {
  Span *span = *list;
  *list = span->next;
  return span;
}

static void span_list_push(Span **list, Span *span) {
  span->next = *list;
  *list = span;
}

/* Prefetches the header and the bitmaps of the span that is swept next.  They
** have hardly been used since the last sweep, so they are not in the cache. */
static void span_prefetch(Span *span) {
  enum { LINE = 64 };
  char *bitmaps = (char *)heap_block_of(span);
  PREFETCH_WRITE(span);
  for (size_t i = 0; i < offsetof(Block, chunk); i += LINE)
    PREFETCH_WRITE(bitmaps + i);
}

static Span *class_pop_unswept(SizeClass *class) {
  Span *span = span_list_pop(&class->unswept);
  if (class->unswept) span_prefetch(class->unswept);
  return span;
}

static void class_push_full(SizeClass *class, Span *span) {
  if (!class->full) class->full_last = span;
  span_list_push(&class->full, span);
}

static void class_push_sparse(SizeClass *class, Span *span) {
  if (!class->sparse) class->sparse_last = span;
  span_list_push(&class->sparse, span);
}

static void class_drop_current(SizeClass *class) {
  if (class->current) class_push_full(class, class->current);
  class->current = NULL;
  class->search.cells = 0;
}

/* -- Allocating ------------------------------------------------------------ */

/* Takes a cell that the program freed since the last sweep, or NULL.  It is in
** no run, because runs are taken only while there is no such cell. */
static void *refill_from_freed(Heap *heap, unsigned class_index) {
  SizeClass *class = &heap->classes[class_index];
  if (class->freed_count == 0) return NULL;
  void *cell = class->freed[--class->freed_count];
  uint64_t *word = &heap_block_of(cell)->live[heap_word_of(cell)];
  ASSERT(!(*word & heap_bit_of(cell)), "a freed cell is in use");
  *word |= heap_bit_of(cell);
  heap_account(heap, heap_class_size(class_index), 0);
  return cell;
}

static void sweep_span(Heap *heap, Span *span, unsigned *live) {
  unsigned freed;
  *live = span_sweep(heap, span, &freed);
  heap->charged -= freed * span_cell_size(span);
  heap->marked_bytes += *live * span_cell_size(span);
}

static unsigned span_capacity(const Span *span) {
  return (span->end_granule - span->first_granule) /
         (unsigned)(span_cell_size(span) / GRANULE);
}

/* Puts a span that is swept and not empty on the right list. */
static void class_keep(SizeClass *class, Span *span, unsigned live) {
  unsigned capacity = span_capacity(span);
  if (live >= capacity)
    class_push_full(class, span);
  else if (live * SPARSE_SHARE >= capacity)
    span_list_push(&class->partial, span);
  else
    class_push_sparse(class, span);
}

/* Sweeps spans of the class until one has enough free cells.  Returns an empty
** or a partial span.  NULL: none was found among REFILL_SWEEPS spans. */
static Span *refill_by_sweeping(Heap *heap, SizeClass *class) {
  for (int i = 0; class->unswept && i < REFILL_SWEEPS; i++) {
    Span *span = class_pop_unswept(class);
    unsigned live;
    sweep_span(heap, span, &live);
    if (live == 0) return span;
    class_keep(class, span, live);
    if (class->partial) return span_list_pop(&class->partial);
  }
  return NULL;
}

/* Takes a sparse span off its list, from each class in turn, or NULL. */
static Span *sparse_pop(Heap *heap) {
  for (unsigned i = 0; i < CLASS_COUNT; i++) {
    heap->cut_class = (heap->cut_class + 1) % CLASS_COUNT;
    SizeClass *class = &heap->classes[heap->cut_class];
    if (class->sparse) return span_list_pop(&class->sparse);
  }
  return NULL;
}

/* Cuts a sparse span.  The pieces become partial spans, so they are not cut
** again in this cycle.  Cells that the program has freed may lie in pages that
** are returned, so they are forgotten.  Returns the number of pages
** returned. */
static unsigned cut_span(Heap *heap, Span *span) {
  SizeClass *class = &heap->classes[span->class_index];
  unsigned freed = span->page_count;
  class->freed_count = 0;
  for (Span *next, *piece = span_split(heap, span); piece; piece = next) {
    next = piece->next;
    freed -= piece->page_count;
    span_list_push(&class->partial, piece);
  }
  return freed;
}

/* Cuts sparse spans of all classes until about `pages` pages are free. */
static void cut_sparse_spans(Heap *heap, unsigned pages) {
  unsigned freed = 0;
  for (int i = 0; freed < pages && i < CUT_SPANS; i++) {
    Span *span = sparse_pop(heap);
    if (!span) return;
    freed += cut_span(heap, span);
  }
}

/* A span of new pages.  Before the heap grows, sparse spans are cut. */
static Span *refill_with_pages(Heap *heap, unsigned class_index) {
  Span *span = span_create(heap, class_index, false);
  if (span) return span;
  cut_sparse_spans(heap, BLOCK_PAGES);
  span = span_create(heap, class_index, false);
  return span ? span : span_create(heap, class_index, true);
}

/* Makes the next span with free cells current.  False: no memory. */
static bool refill_next_span(Heap *heap, unsigned class_index) {
  SizeClass *class = &heap->classes[class_index];
  class_drop_current(class);
  Span *span = NULL;
  if (class->partial)
    span = span_list_pop(&class->partial);
  else if (class->unswept)
    span = refill_by_sweeping(heap, class);
  if (!span && class->sparse) span = span_list_pop(&class->sparse);
  if (!span) span = refill_with_pages(heap, class_index);
  if (!span) return false;
  class->current = span;
  span_search_from(span, span->first_granule, &class->search);
  return true;
}

/* Takes the next run, from the current span or from the next one that has free
** cells.  False: no memory. */
static bool refill_run(Heap *heap, unsigned class_index) {
  SizeClass *class = &heap->classes[class_index];
  Run *run = &heap->run[class_index];
  while (!class->current ||
         !span_take_run(heap, class->current, &class->search, run)) {
    if (!refill_next_span(heap, class_index)) return false;
  }
  return true;
}

/* Hands out the first cell of a new run. */
static ALWAYS_INLINE void *refill_begin(Heap *heap, Run *run, size_t size) {
  char *cell = run->next;
  heap_account(heap, (size_t)(run->end - cell), 0);
  run->next = cell + size;
  return cell;
}

static NO_INLINE void *refill_elsewhere(Heap *heap, unsigned class_index) {
  void *cell = refill_from_freed(heap, class_index);
  if (cell) return cell;
  if (!refill_run(heap, class_index)) return NULL;
  return refill_begin(heap, &heap->run[class_index],
                      heap_class_size(class_index));
}

/* In a heap with survivors everywhere runs are short, and this function takes
** most of the time of an allocation.  So the usual case calls no function. */
void *heap_refill(Heap *heap, unsigned class_index) {
  SizeClass *class = &heap->classes[class_index];
  Run *run = &heap->run[class_index];
  size_t size = heap_class_size(class_index);
  if (LIKELY(class->freed_count == 0 &&
             span_take_in_word(heap, &class->search, (unsigned)(size / GRANULE),
                               run)))
    return refill_begin(heap, run, size);
  return refill_elsewhere(heap, class_index);
}

void heap_return_run(Heap *heap, size_t size) {
  span_return_run(heap, heap_class_for(size));
}

size_t heap_run_bytes(const Heap *heap, size_t size) {
  const Run *run = &heap->run[heap_class_for(size)];
  return (size_t)(run->end - run->next);
}

/* -- Freeing --------------------------------------------------------------- */

static void free_small(Heap *heap, char *cell, size_t size) {
  unsigned class_index = heap_class_for(size);
  SizeClass *class = &heap->classes[class_index];
  Run *run = &heap->run[class_index];
  size = heap_class_size(class_index);
  if (heap->poison) memset(cell, 0xDB, size);
  heap_unmark_small(cell);
  if (cell + size == run->next) {
    run->next = cell; /* the last cell handed out goes back to the run */
    if (heap->allocate_marked) heap_mark_small(cell);
    return;
  }
  heap_block_of(cell)->live[heap_word_of(cell)] &= ~heap_bit_of(cell);
  heap_account(heap, 0, size);
  if (heap->sweeping || heap->allocate_marked) return;
  if (class->freed_count < FREED_CELLS)
    class->freed[class->freed_count++] = cell;
}

void heap_free(Heap *heap, void *cell, size_t size) {
  if (heap_is_large(cell))
    large_free(heap, cell);
  else
    free_small(heap, cell, size);
}

size_t heap_rounded_size(size_t size) {
  return size > CELL_MAX ? size : heap_class_size(heap_class_for(size));
}

/* -- Sweeping -------------------------------------------------------------- */

static void return_all_runs(Heap *heap) {
  for (unsigned i = 0; i < CLASS_COUNT; i++) {
    if (heap->run[i].end) span_return_run(heap, i);
    heap->classes[i].freed_count = 0;
  }
}

void heap_set_allocate_marked(Heap *heap, bool marked) {
  return_all_runs(heap);
  heap->allocate_marked = marked;
}

void heap_note_births(Heap *heap, struct SideTable *born) {
  heap->born = born;
  if (born) heap_set_allocate_marked(heap, true);
}

static void class_sweep_begin(SizeClass *class) {
  ASSERT(!class->unswept, "a sweep begins before the last one has ended");
  class_drop_current(class);
  class->unswept = class->partial;
  if (class->sparse) {
    class->sparse_last->next = class->unswept;
    class->unswept = class->sparse;
  }
  if (class->full) {
    class->full_last->next = class->unswept;
    class->unswept = class->full;
  }
  class->full = class->sparse = class->partial = NULL;
}

void heap_sweep_begin(Heap *heap, bool keep_marks) {
  ASSERT(!heap->walk, "a sweep during a walk");
  heap_set_allocate_marked(heap, false);
  for (unsigned i = 0; i < CLASS_COUNT; i++)
    class_sweep_begin(&heap->classes[i]);
  ASSERT(!heap->large_unswept, "large cells left from the last sweep");
  heap->large_unswept = heap->large;
  heap->large = NULL;
  heap->marked_bytes = 0;
  heap->sweep_class = 0;
  heap->sweep_epoch++;
  heap->sweeping = true;
  heap->keep_marks = keep_marks;
}

static size_t sweep_one_span(Heap *heap, SizeClass *class) {
  Span *span = class_pop_unswept(class);
  size_t work = span->page_count;
  unsigned live;
  sweep_span(heap, span, &live);
  if (live == 0)
    span_destroy(heap, span);
  else
    class_keep(class, span, live);
  return work;
}

size_t heap_sweep_some(Heap *heap) {
  while (heap->sweep_class < CLASS_COUNT) {
    SizeClass *class = &heap->classes[heap->sweep_class];
    if (class->unswept) return sweep_one_span(heap, class);
    heap->sweep_class++;
  }
  size_t work = large_sweep_one(heap);
  if (work > 0) return work;
  if (heap->sweeping) release_cycle_ended(heap);
  heap->sweeping = false;
  return 0;
}

/* -- Figures --------------------------------------------------------------- */

size_t heap_used(const Heap *heap) {
  size_t used = heap->charged;
  for (unsigned i = 0; i < CLASS_COUNT; i++)
    used -= (size_t)(heap->run[i].end - heap->run[i].next);
  return used;
}

size_t heap_clock(const Heap *heap) {
  return heap->allocation_clock - heap->charged + heap_used(heap);
}

size_t heap_cell_size(const void *cell) {
  if (heap_is_large(cell)) return heap_large_of(cell)->size;
  return span_cell_size(span_of(cell));
}
