/* SPDX-License-Identifier: MIT */
/*
** span.c -- pages that hold cells of one size
**
** A span begins with a header of one granule.  The cells follow.  Only the bit
** of a cell's first granule counts, so for cells of k granules every k-th bit
** of the bitmaps is in use.  span_starts() is the mask of those bits.
**
**      page p                                    page p+1
**      +----+--------+--------+--------+-----+----+--------+
**      |head| cell   | cell   | cell   | cell     | cell   | ...
**      +----+--------+--------+--------+-----+----+--------+
**      0    a        a+k      a+2k               granules
**
** Cells whose size is a multiple of 64 or 32 bytes are aligned to 64 or 32
** bytes.  So cells of 32 and 64 bytes never cross the border of two cache
** lines.  The alignment costs no cell.
*/
#include "heap/heap_impl.h"
#include "heap/side_table.h"

#include <string.h>

#define WORD(bits) UINT64_C(bits)

/* For each class of cells of k granules: every k-th bit from bit 0 on. */
static const uint64_t class_bits[CLASS_COUNT] = {
    WORD(0xFFFFFFFFFFFFFFFF), WORD(0x5555555555555555),
    WORD(0x9249249249249249), WORD(0x1111111111111111),
    WORD(0x1084210842108421), WORD(0x1041041041041041),
    WORD(0x8102040810204081), WORD(0x0101010101010101),
    WORD(0x8040201008040201), WORD(0x1004010040100401),
    WORD(0x0080100200400801), WORD(0x1001001001001001),
    WORD(0x0010008004002001), WORD(0x0100040010004001),
    WORD(0x1000200040008001), WORD(0x0001000100010001),
    WORD(0x0040001000040001), WORD(0x1000010000100001),
    WORD(0x0000100000400001), WORD(0x0001000001000001),
    WORD(0x0010000004000001), WORD(0x0100000010000001),
    WORD(0x1000000040000001), WORD(0x0000000100000001),
    WORD(0x0000001000000001), WORD(0x0000010000000001),
    WORD(0x0000100000000001), WORD(0x0001000000000001),
    WORD(0x0010000000000001), WORD(0x0100000000000001),
    WORD(0x1000000000000001), WORD(0x0000000000000001)};

/* For each class: k, and 2^16 / k rounded up, to divide by k. */
#define CLASS(k) \
  { k, (65536 + (k)-1) / (k) }
static const struct {
  uint32_t granules;
  uint32_t inverse;
} classes[CLASS_COUNT] = {
    CLASS(1),  CLASS(2),  CLASS(3),  CLASS(4),  CLASS(5),  CLASS(6),  CLASS(7),
    CLASS(8),  CLASS(9),  CLASS(10), CLASS(11), CLASS(12), CLASS(13), CLASS(14),
    CLASS(15), CLASS(16), CLASS(18), CLASS(20), CLASS(22), CLASS(24), CLASS(26),
    CLASS(28), CLASS(30), CLASS(32), CLASS(36), CLASS(40), CLASS(44), CLASS(48),
    CLASS(52), CLASS(56), CLASS(60), CLASS(64)};
#undef CLASS

static unsigned span_granules(const Span *span) {
  return classes[span->class_index].granules;
}

/* The number of whole cells in `granules`.  The result is exact, because the
** error of the inverse is less than 1 and granules * k is at most 2^16. */
static_assert(BLOCK_SIZE / GRANULE * (CELL_MAX / GRANULE) <= 65536,
              "division by multiplication");
static unsigned granules_to_cells(const Span *span, unsigned granules) {
  return granules * classes[span->class_index].inverse >> 16;
}

static ALWAYS_INLINE uint64_t starts_in(const Span *span, unsigned page) {
  unsigned k = span_granules(span);
  unsigned word_first = page * 64, next = span->first_granule;
  if (word_first > next)
    next += granules_to_cells(span, word_first - next + k - 1) * k;
  unsigned phase = next - word_first;
  if (phase >= 64) return 0;
  uint64_t starts = class_bits[span->class_index] << phase;
  if (word_first + 64 > span->end_granule) {
    unsigned end =
        span->end_granule > word_first ? span->end_granule - word_first : 0;
    starts &= bits_below(end);
  }
  return starts;
}

uint64_t span_starts(const Span *span, unsigned page) {
  return starts_in(span, page);
}

Span *span_of(const void *cell) {
  Block *block = heap_block_of(cell);
  unsigned page = block->span_page[heap_word_of(cell)];
  size_t offset = page ? (size_t)page * BLOCK_PAGE : BLOCK_HEADER;
  return (Span *)(void *)((char *)block + offset);
}

/* -- Creating and destroying ----------------------------------------------- */

/* The first granule of the first cell, for cells of k granules.  `head` is the
** granule of the header. */
static unsigned span_first_granule(unsigned head, unsigned k) {
  enum { LINE_GRANULES = 64 / GRANULE };
  unsigned alignment = (unsigned)size_min(k & (0u - k), LINE_GRANULES);
  return (head + alignment) / alignment * alignment;
}

enum {
  SPARSE_PAGES = 4, /* a class with fewer pages is hardly used */
  BLOCK_FIRST_GRANULE = BLOCK_HEADER / GRANULE + 1 /* of a cell in page 0 */
};

/* The least number of pages that wastes at most an eighth.  A class with hardly
** any cells takes as few pages as hold one cell, because a fresh state has one
** or two cells of many classes. */
static unsigned span_least_pages(const SizeClass *class, unsigned granules) {
  unsigned pages = 1;
  for (; pages < BLOCK_PAGES; pages++) {
    unsigned all = pages * 64;
    unsigned room = all - span_first_granule(0, granules);
    unsigned used = room / granules * granules;
    if (all - used <= all / 8) break;
    if (used > 0 && class->pages < SPARSE_PAGES) break;
  }
  return pages;
}

/* True if a cell fits into `pages` pages that begin with page 0, the one with
** the block's header. */
static bool fits_at_page_0(unsigned pages, unsigned granules) {
  return pages * 64 - BLOCK_FIRST_GRANULE >= granules;
}

/* Spans grow with the number of pages of the class: a small heap has small
** spans. */
static unsigned span_wanted_pages(const SizeClass *class, unsigned least) {
  return (unsigned)size_min(size_max(class->pages / 4, least), BLOCK_PAGES);
}

Span *span_create(Heap *heap, unsigned class_index, bool may_grow) {
  SizeClass *class = &heap->classes[class_index];
  unsigned granules = (unsigned)heap_class_size(class_index) / GRANULE;
  unsigned least = span_least_pages(class, granules);
  unsigned wanted = span_wanted_pages(class, least);
  if (wanted > least && !fits_at_page_0(least, granules)) least++;
  unsigned first, count;
  bool whole = !fits_at_page_0(least, granules);
  Block *block = chunk_find_pages(heap, least, wanted, whole, &first, &count);
  if (!block && may_grow && chunk_add_block(heap))
    block = chunk_find_pages(heap, least, wanted, whole, &first, &count);
  if (!block) return NULL;
  chunk_take_pages(heap, block, first, count);
  size_t offset = first ? (size_t)first * BLOCK_PAGE : BLOCK_HEADER;
  Span *span = (Span *)(void *)((char *)block + offset);
  span->next = NULL;
  span->class_index = (uint8_t)class_index;
  span->first_page = (uint8_t)first;
  span->page_count = (uint8_t)count;
  span->unused = 0;
  span->first_granule =
      (uint16_t)span_first_granule((unsigned)(offset / GRANULE), granules);
  unsigned room = (first + count) * 64 - span->first_granule;
  span->end_granule =
      (uint16_t)(span->first_granule + room / granules * granules);
  for (unsigned page = first; page < first + count; page++)
    block->span_page[page] = (uint8_t)first;
  class->pages += count;
  return span;
}

void span_destroy(Heap *heap, Span *span) {
  heap->classes[span->class_index].pages -= span->page_count;
  chunk_return_pages(heap, span_block(span), span->first_page,
                     span->page_count);
}

/* -- Runs ------------------------------------------------------------------ */

/* The first live cell at or after the granule; end_granule if there is none. */
static unsigned span_first_live(const Span *span, unsigned granule) {
  const Block *block = span_block(span);
  unsigned end_page = span->first_page + span->page_count;
  unsigned page = granule / 64;
  uint64_t below = bits_below(granule % 64);
  for (; page < end_page; page++, below = 0) {
    uint64_t live = block->live[page] & ~below;
    if (live) return page * 64 + bits_lowest(live);
  }
  return span->end_granule;
}

/* True if a bitmap word has few cells of this size.  Then it is faster to go
** from cell to cell than from word to word. */
static bool span_is_sparse(const Span *span) {
  enum { SPARSE_GRANULES = 16 };
  return span_granules(span) > SPARSE_GRANULES;
}

static void set_bits_singly(const Span *span, uint64_t *bitmap, unsigned from,
                            unsigned to, bool set) {
  unsigned k = span_granules(span);
  for (unsigned cell = from; cell < to; cell += k) {
    uint64_t bit = WORD(1) << (cell % 64);
    if (set)
      bitmap[cell / 64] |= bit;
    else
      bitmap[cell / 64] &= ~bit;
  }
}

/* Sets or clears the bits of all cells in [from, to).  `from` is the start of a
** cell. */
static void span_set_bits(const Span *span, uint64_t *bitmap, unsigned from,
                          unsigned to, bool set) {
  if (span_is_sparse(span)) {
    set_bits_singly(span, bitmap, from, to, set);
    return;
  }
  for (unsigned page = from / 64; page * 64 < to; page++) {
    uint64_t cells = starts_in(span, page);
    if (page * 64 < from) cells &= ~bits_below(from - page * 64);
    if (to - page * 64 < 64) cells &= bits_below(to - page * 64);
    if (set)
      bitmap[page] |= cells;
    else
      bitmap[page] &= ~cells;
  }
}

static unsigned granule_in_block(const void *address) {
  return (unsigned)(((uintptr_t)address & (BLOCK_SIZE - 1)) / GRANULE);
}

/* Granules of the longest run allowed in the span, at least one cell. */
static unsigned run_granules(const Heap *heap, const Span *span) {
  unsigned limit = (unsigned)(heap->run_limit / GRANULE);
  unsigned k = span_granules(span);
  return limit > k ? limit - limit % k : k;
}

void heap_take_marked(const Heap *heap, Block *block, unsigned page,
                      uint64_t cells) {
  block->mark[page] |= cells;
  if (UNLIKELY(heap->born != NULL))
    side_table_mark(heap->born, block, page, cells);
}

static void note_born(const Heap *heap, const Span *span, unsigned from,
                      unsigned to) {
  unsigned k = span_granules(span);
  for (unsigned cell = from; cell < to; cell += k)
    side_table_mark(heap->born, span_block(span), cell / 64,
                    WORD(1) << (cell % 64));
}

/* Takes the cells in [from, to), in granules of the block, as a run. */
static void take_cells(const Heap *heap, const Span *span, unsigned from,
                       unsigned to, Run *run) {
  Block *block = span_block(span);
  span_set_bits(span, block->live, from, to, true);
  if (heap->allocate_marked) span_set_bits(span, block->mark, from, to, true);
  if (UNLIKELY(heap->born != NULL)) note_born(heap, span, from, to);
  run->next = (char *)block + (size_t)from * GRANULE;
  run->end = (char *)block + (size_t)to * GRANULE;
}

/* For sparse cells `cells` is 0, so that span_take_in_word finds nothing. */
void span_search_from(const Span *span, unsigned granule, Search *search) {
  unsigned last = span->first_page + span->page_count - 1u;
  search->granule = granule;
  search->cells = 0;
  if (span_is_sparse(span)) return;
  search->block = span_block(span);
  search->page = (unsigned)size_min(granule / 64, last);
  search->cells =
      starts_in(span, search->page) & ~bits_below(granule - search->page * 64);
}

/* Goes to the next word with a free cell; false if there is none. */
static bool search_free(const Span *span, Search *search) {
  const uint64_t *live = search->block->live;
  unsigned last = span->first_page + span->page_count - 1u;
  while (!(search->cells & ~live[search->page])) {
    if (search->page >= last) return false;
    search->page++;
    search->cells = starts_in(span, search->page);
  }
  return true;
}

/* Takes a run that may go on in the next words. */
static void take_across_words(const Heap *heap, const Span *span,
                              Search *search, Run *run) {
  uint64_t free_cells = search->cells & ~search->block->live[search->page];
  unsigned from = search->page * 64 + bits_lowest(free_cells);
  unsigned longest = run_granules(heap, span);
  unsigned to = span_first_live(span, from);
  if (to - from > longest) to = from + longest;
  take_cells(heap, span, from, to, run);
  span_search_from(span, to, search);
}

/* span_take_run for sparse cells: search->granule is the start of a cell. */
static bool take_singly(const Heap *heap, const Span *span, Search *search,
                        Run *run) {
  const uint64_t *live = span_block(span)->live;
  unsigned k = span_granules(span), from = search->granule;
  while (from < span->end_granule && live[from / 64] >> (from % 64) & 1)
    from += k;
  if (from >= span->end_granule) return false;
  unsigned to = from + k, end = from + run_granules(heap, span);
  if (end > span->end_granule) end = span->end_granule;
  while (to < end && !(live[to / 64] >> (to % 64) & 1)) to += k;
  take_cells(heap, span, from, to, run);
  search->granule = to;
  return true;
}

bool span_take_run(Heap *heap, Span *span, Search *search, Run *run) {
  if (span_is_sparse(span)) return take_singly(heap, span, search, run);
  if (!search_free(span, search)) return false;
  if (!span_take_in_word(heap, search, span_granules(span), run))
    take_across_words(heap, span, search, run);
  return true;
}

void span_return_run(Heap *heap, unsigned class_index) {
  Run *run = &heap->run[class_index];
  SizeClass *class = &heap->classes[class_index];
  if (run->next < run->end) {
    Span *span = span_of(run->next);
    Block *block = span_block(span);
    unsigned from = granule_in_block(run->next);
    unsigned to = from + (unsigned)(run->end - run->next) / GRANULE;
    span_set_bits(span, block->live, from, to, false);
    span_set_bits(span, block->mark, from, to, false);
    heap_account(heap, 0, (size_t)(run->end - run->next));
    if (span == class->current) span_search_from(span, from, &class->search);
  }
  run->next = run->end = NULL;
}

/* -- Splitting ------------------------------------------------------------- */

/* Where survivors are few, each of them keeps a whole span of up to 16 KB.  So
** such spans are cut before the heap grows: pages without a live cell become
** free, and the other pages become smaller spans.
**
**      |head      |   live   |          |          | live  |       |
**      |<-- span ------->|    <-- free pages -->   |head live| free
**
** Cells do not move.  The header of a piece takes the first granule of its
** first page.  If a live cell begins there, the piece also keeps the page in
** front. */

/* The pages of the span that live cells need, as a bit set. */
static unsigned pages_with_cells(const Span *span) {
  const Block *block = span_block(span);
  unsigned end = span->first_page + span->page_count, needed = 0;
  for (unsigned page = span->first_page; page < end; page++) {
    uint64_t live = block->live[page];
    if (!live) continue;
    bool goes_on = bits_highest(live) + span_granules(span) > 64;
    needed |= (goes_on ? 3u : 1u) << page;
    bool needs_front = page > span->first_page && (live & 1);
    if (needs_front) needed |= 1u << (page - 1);
  }
  return needed;
}

/* Makes a span of the pages [first, end).  It has the cells of `old` that lie
** within them. */
static Span *span_of_pages(Block *block, const Span *old, unsigned first,
                           unsigned end) {
  unsigned k = span_granules(old);
  size_t offset = first ? (size_t)first * BLOCK_PAGE : BLOCK_HEADER;
  Span *span = (Span *)(void *)((char *)block + offset);
  unsigned cell = old->first_granule, head = (unsigned)(offset / GRANULE);
  if (cell <= head) cell += granules_to_cells(old, head - cell + k) * k;
  unsigned room = (unsigned)size_min(end * 64, old->end_granule) - cell;
  Span piece = {NULL,
                old->class_index,
                (uint8_t)first,
                (uint8_t)(end - first),
                0,
                (uint16_t)cell,
                (uint16_t)(cell + room / k * k)};
  *span = piece;
  for (unsigned page = first; page < end; page++)
    block->span_page[page] = (uint8_t)first;
  return span;
}

static unsigned row_end(unsigned set, unsigned page, unsigned end) {
  bool in = set >> page & 1;
  while (page < end && (set >> page & 1) == in) page++;
  return page;
}

Span *span_split(Heap *heap, Span *span) {
  Span whole = *span, *pieces = NULL;
  Block *block = span_block(span);
  unsigned end = whole.first_page + whole.page_count;
  unsigned needed = pages_with_cells(span);
  for (unsigned page = whole.first_page, next; page < end; page = next) {
    next = row_end(needed, page, end);
    if (needed >> page & 1) {
      Span *piece = span_of_pages(block, &whole, page, next);
      piece->next = pieces;
      pieces = piece;
    } else {
      heap->classes[whole.class_index].pages -= next - page;
      chunk_return_pages(heap, block, page, next - page);
    }
  }
  return pieces;
}

/* -- Sweeping -------------------------------------------------------------- */

static void poison_cells(Span *span, unsigned page, uint64_t cells) {
  char *start = (char *)span_block(span) + (size_t)page * BLOCK_PAGE;
  for (; cells; cells &= cells - 1)
    memset(start + (size_t)bits_lowest(cells) * GRANULE, 0xDB,
           span_cell_size(span));
}

unsigned span_sweep(Heap *heap, Span *span, unsigned *freed) {
  Block *block = span_block(span);
  unsigned end_page = span->first_page + span->page_count;
  unsigned before = 0, after = 0;
  for (unsigned page = span->first_page; page < end_page; page++) {
    uint64_t live = block->live[page];
    uint64_t mark = block->mark[page];
    before += bits_count(live);
    after += bits_count(mark);
    if (UNLIKELY(heap->poison)) poison_cells(span, page, live & ~mark);
    if (UNLIKELY(heap->side_table != NULL) && live & ~mark)
      side_table_forget_cells(heap->side_table, block, page, live & ~mark);
    block->live[page] = mark;
    if (!heap->keep_marks) block->mark[page] = 0;
  }
  *freed = before - after;
  return after;
}
