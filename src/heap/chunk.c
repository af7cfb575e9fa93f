/* SPDX-License-Identifier: MIT */
/*
** chunk.c -- cutting memory from the allocator into blocks
**
** Chunks start small, so that a fresh heap is small, and grow with the heap.
** The allocator promises no alignment.  As long as chunks turn out to be
** aligned, we assume that the allocator aligns them, and ask for whole blocks.
** Otherwise we ask for almost one block more and align within the chunk.  A
** chunk has at least two blocks, which are enough for a fresh state with its
** libraries: to align each block by itself would waste half of the memory.  A
** chunk has one block only if there is no memory for two.
**
** A block is in one of three states:
**
**   fresh   without a header: never used, or given back  chunk->fresh
**   empty   all pages are free                           heap->empty_blocks
**   in use  some page is taken       heap->partial_blocks if some are free
**
** Blocks with free pages are on one of four lists, by the length of their
** longest row of free pages: one page, 2 or 3, 4 to 7, 8 or more.
**
** Empty blocks go back to the allocator with their chunk, when all of it is
** empty.  If the allocator can discard the contents of memory, empty blocks
** also go back one by one.  So that chunks become empty, blocks of chunks in
** use are taken first, and blocks of empty chunks last.
*/
#include "heap/heap_impl.h"

#include <string.h>

enum {
  CHUNK_BLOCKS_MAX = 8, /* 128 KB; bounds the time to give a chunk back */
  CHUNK_BLOCKS_MIN = 2,
  PARTIAL_SEARCH = 8 /* blocks searched in one list */
};

/* -- Lists ----------------------------------------------------------------- */

static void block_link(Block **list, Block *block) {
  block->previous = NULL;
  block->next = *list;
  if (*list) (*list)->previous = block;
  *list = block;
}

static void block_unlink(Block **list, Block *block) {
  if (block->previous)
    block->previous->next = block->next;
  else
    *list = block->next;
  if (block->next) block->next->previous = block->previous;
}

static void empty_push(Heap *heap, Block *block) {
  block_link(&heap->empty_blocks, block);
  if (!block->next) heap->empty_last = block;
}

static void empty_append(Heap *heap, Block *block) {
  block->next = NULL;
  block->previous = heap->empty_last;
  if (heap->empty_last)
    heap->empty_last->next = block;
  else
    heap->empty_blocks = block;
  heap->empty_last = block;
}

static void empty_unlink(Heap *heap, Block *block) {
  if (heap->empty_last == block) heap->empty_last = block->previous;
  block_unlink(&heap->empty_blocks, block);
}

static void chunk_link(Chunk **list, Chunk *chunk) {
  chunk->previous = NULL;
  chunk->next = *list;
  if (*list) (*list)->previous = chunk;
  *list = chunk;
}

static void chunk_unlink(Chunk **list, Chunk *chunk) {
  if (chunk->previous)
    chunk->previous->next = chunk->next;
  else
    *list = chunk->next;
  if (chunk->next) chunk->next->previous = chunk->previous;
}

/* Bytes of the chunk that lie in no block. */
static size_t chunk_slack(const Chunk *chunk) {
  return chunk->raw_size - (size_t)chunk->block_count * BLOCK_SIZE;
}

static void empty_chunk_link(Heap *heap, Chunk *chunk) {
  chunk_link(&heap->empty_chunks, chunk);
  heap->empty_slack += chunk_slack(chunk);
}

static void empty_chunk_unlink(Heap *heap, Chunk *chunk) {
  chunk_unlink(&heap->empty_chunks, chunk);
  heap->empty_slack -= chunk_slack(chunk);
}

static void fresh_link(Heap *heap, Chunk *chunk) {
  chunk->previous_fresh = NULL;
  chunk->next_fresh = heap->fresh_chunks;
  if (chunk->next_fresh) chunk->next_fresh->previous_fresh = chunk;
  heap->fresh_chunks = chunk;
}

static void fresh_unlink(Heap *heap, Chunk *chunk) {
  if (chunk->previous_fresh)
    chunk->previous_fresh->next_fresh = chunk->next_fresh;
  else
    heap->fresh_chunks = chunk->next_fresh;
  if (chunk->next_fresh)
    chunk->next_fresh->previous_fresh = chunk->previous_fresh;
}

/* -- Chunks ---------------------------------------------------------------- */

static char *block_align(char *address) {
  return (char *)(((uintptr_t)address + BLOCK_SIZE - 1) &
                  ~(uintptr_t)(BLOCK_SIZE - 1));
}

/* Memory from the allocator that contains at least one aligned block, or
** NULL. */
static char *chunk_request(Heap *heap, unsigned blocks, size_t *size) {
  *size = (size_t)blocks * BLOCK_SIZE;
  if (!heap->unaligned_chunks) {
    char *raw = bytes_allocate(heap, *size);
    if (!raw || block_align(raw) == raw) return raw;
    heap->unaligned_chunks = true;
    if (blocks > CHUNK_BLOCKS_MIN) return raw;
    bytes_free(heap, raw, *size);
  }
  *size += BLOCK_SIZE - GRANULE;
  char *raw = bytes_allocate(heap, *size);
  if (raw && block_align(raw) - raw > BLOCK_SIZE - GRANULE) {
    bytes_free(heap, raw, *size); /* not even aligned to 16 bytes */
    *size += GRANULE;
    raw = bytes_allocate(heap, *size);
  }
  return raw;
}

static Chunk *chunk_create_of(Heap *heap, unsigned blocks) {
  Chunk *chunk = heap_raw_allocate(heap, sizeof *chunk);
  if (!chunk) return NULL;
  chunk->raw = chunk_request(heap, blocks, &chunk->raw_size);
  if (!chunk->raw) {
    heap_raw_free(heap, chunk, sizeof *chunk);
    return NULL;
  }
  chunk->first = block_align(chunk->raw);
  size_t lost = (size_t)(chunk->first - chunk->raw);
  chunk->block_count = (unsigned)((chunk->raw_size - lost) / BLOCK_SIZE);
  chunk->free_count = chunk->block_count;
  chunk->fresh = (uint16_t)bits_below(chunk->block_count);
  chunk->discarded = 0;
  heap->block_count += chunk->block_count;
  heap->free_block_count += chunk->block_count;
  empty_chunk_link(heap, chunk);
  fresh_link(heap, chunk);
  return chunk;
}

static Chunk *chunk_create(Heap *heap) {
  size_t wanted = size_max(heap->block_count / 4, CHUNK_BLOCKS_MIN);
  unsigned blocks = (unsigned)size_min(wanted, CHUNK_BLOCKS_MAX);
  Chunk *chunk = chunk_create_of(heap, blocks);
  return chunk ? chunk : chunk_create_of(heap, 1);
}

/* Takes the blocks of an empty chunk off all lists and frees the chunk.
** Returns its bytes, without the blocks that the system had back already. */
static size_t chunk_destroy(Heap *heap, Chunk *chunk) {
  size_t size = chunk->raw_size;
  size_t resident = size - (size_t)bits_count(chunk->discarded) * BLOCK_SIZE;
  for (unsigned i = 0; i < chunk->block_count; i++)
    if (!chunk_is_fresh(chunk, i)) empty_unlink(heap, chunk_block(chunk, i));
  if (chunk->fresh) fresh_unlink(heap, chunk);
  heap->discarded_blocks -= bits_count(chunk->discarded);
  heap->block_count -= chunk->block_count;
  heap->free_block_count -= chunk->block_count;
  empty_chunk_unlink(heap, chunk);
  bytes_free(heap, chunk->raw, size);
  heap_raw_free(heap, chunk, sizeof *chunk);
  return resident;
}

/* Gives the pages of one empty block back to the system.  Returns its bytes, or
** 0. */
static size_t block_discard(Heap *heap) {
  Block *block = heap->empty_last;
  if (!heap->discard || !block) return 0;
  Chunk *chunk = block->chunk;
  Block *previous = block->previous;
  if (!heap->discard(heap->context, block, BLOCK_SIZE)) {
    heap->discard = NULL;
    return 0;
  }
  heap->empty_last = previous;
  *(previous ? &previous->next : &heap->empty_blocks) = NULL;
  unsigned index = (unsigned)((char *)block - chunk->first) / BLOCK_SIZE;
  if (!chunk->fresh) fresh_link(heap, chunk);
  chunk->fresh |= (uint16_t)(1u << index);
  chunk->discarded |= (uint16_t)(1u << index);
  heap->discarded_blocks++;
  return BLOCK_SIZE;
}

size_t chunk_release_one(Heap *heap) {
  Chunk *chunk = heap->empty_chunks;
  return chunk ? chunk_destroy(heap, chunk) : block_discard(heap);
}

static void chunk_release_list(Heap *heap, Chunk *chunk) {
  while (chunk) {
    Chunk *next = chunk->next;
    bytes_free(heap, chunk->raw, chunk->raw_size);
    heap_raw_free(heap, chunk, sizeof *chunk);
    chunk = next;
  }
}

void chunk_release_every(Heap *heap) {
  chunk_release_list(heap, heap->chunks);
  chunk_release_list(heap, heap->empty_chunks);
}

/* -- Pages ----------------------------------------------------------------- */

/* Finds a row of at least `least` set bits, and no more than `most` of them;
** false if there is none. */
static bool pages_find_row(unsigned set, unsigned least, unsigned most,
                           unsigned *first, unsigned *count) {
  for (unsigned page = 0; page < BLOCK_PAGES;) {
    if (!(set >> page & 1)) {
      page++;
      continue;
    }
    unsigned end = page;
    while (end < BLOCK_PAGES && end - page < most && (set >> end & 1)) end++;
    if (end - page >= least) {
      *first = page;
      *count = end - page;
      return true;
    }
    page = end;
  }
  return false;
}

/* True if the limit allows the block to be used again.  A block that was given
** back to the system counts as new memory. */
static bool block_may_return(Heap *heap, const Chunk *chunk, unsigned bit) {
  if (!(chunk->discarded & bit)) return true;
  while (!heap_limit_allows(heap, BLOCK_SIZE))
    if (!large_release_piece(heap)) return false;
  return true;
}

/* Turns a fresh block into an empty one.  NULL: no memory. */
static Block *block_fresh(Heap *heap) {
  if (!heap->fresh_chunks && !chunk_create(heap)) return NULL;
  Chunk *chunk = heap->fresh_chunks;
  unsigned index = bits_lowest(chunk->fresh);
  uint16_t bit = (uint16_t)(1u << index);
  Block *block = chunk_block(chunk, index);
  if (!block_may_return(heap, chunk, bit)) return NULL;
  heap->discarded_blocks -= (chunk->discarded & bit) != 0;
  chunk->discarded &= (uint16_t)~bit;
  chunk->fresh &= (uint16_t)~bit;
  if (!chunk->fresh) fresh_unlink(heap, chunk);
  memset(block, 0, sizeof *block);
  block->chunk = chunk;
  block->free_pages = WHOLE_BLOCK;
  empty_push(heap, block);
  return block;
}

/* The list for a block with these free pages: the logarithm of the length of
** their longest row.  The first page does not count, because part of it is the
** header. */
static unsigned partial_list(unsigned free_pages) {
  unsigned rows = free_pages & ~1u, list = 0;
  for (unsigned length = 1; list < PARTIAL_LISTS - 1; length *= 2) {
    rows &= rows >> length;
    if (!rows) break;
    list++;
  }
  return list;
}

static void partial_link(Heap *heap, Block *block) {
  block_link(&heap->partial_blocks[partial_list(block->free_pages)], block);
}

static void partial_unlink(Heap *heap, Block *block) {
  block_unlink(&heap->partial_blocks[partial_list(block->free_pages)], block);
}

/* The arguments of chunk_find_pages. */
typedef struct PageRequest {
  unsigned usable; /* pages of a block that may be used, as bits */
  unsigned least;
  unsigned most;
  unsigned *first;
  unsigned *count;
} PageRequest;

static bool pages_find_in(const PageRequest *request, const Block *block) {
  return pages_find_row(block->free_pages & request->usable, request->least,
                        request->most, request->first, request->count);
}

static Block *partial_find(const Heap *heap, unsigned list,
                           const PageRequest *request) {
  Block *block = heap->partial_blocks[list];
  for (int i = 0; block && i < PARTIAL_SEARCH; i++, block = block->next)
    if (pages_find_in(request, block)) return block;
  return NULL;
}

/* Tries lists with rows at least as long as `most` first, the shortest rows
** first.  Then it tries lists with shorter rows, the longest rows first. */
static Block *partial_find_any(const Heap *heap, const PageRequest *request) {
  unsigned enough = bits_highest(request->most);
  Block *block = NULL;
  for (unsigned list = enough; !block && list < PARTIAL_LISTS; list++)
    block = partial_find(heap, list, request);
  unsigned list = (unsigned)size_min(enough, PARTIAL_LISTS);
  while (!block && list-- > bits_highest(request->least))
    block = partial_find(heap, list, request);
  return block;
}

Block *chunk_find_pages(Heap *heap, unsigned least, unsigned most, bool whole,
                        unsigned *first, unsigned *count) {
  PageRequest request = {whole ? WHOLE_BLOCK & ~1u : WHOLE_BLOCK, least, most,
                         first, count};
  Block *block = partial_find_any(heap, &request);
  if (block) return block;
  block = heap->empty_blocks;
  if (block) pages_find_in(&request, block);
  return block;
}

bool chunk_add_block(Heap *heap) { return block_fresh(heap) != NULL; }

static unsigned pages_mask(unsigned first, unsigned count) {
  return (unsigned)bits_below(count) << first;
}

static void block_leaves_empty(Heap *heap, Block *block) {
  Chunk *chunk = block->chunk;
  empty_unlink(heap, block);
  heap->free_block_count--;
  release_note_peak(heap);
  if (chunk->free_count-- == chunk->block_count) {
    empty_chunk_unlink(heap, chunk);
    chunk_link(&heap->chunks, chunk);
  }
}

/* Moves the chunk's blocks to the end of the list: they are taken after those
** of all other chunks. */
static void chunk_becomes_empty(Heap *heap, Chunk *chunk) {
  walk_leaves_chunk(heap, chunk);
  chunk_unlink(&heap->chunks, chunk);
  empty_chunk_link(heap, chunk);
  for (unsigned i = 0; i < chunk->block_count; i++) {
    if (chunk_is_fresh(chunk, i)) continue;
    empty_unlink(heap, chunk_block(chunk, i));
    empty_append(heap, chunk_block(chunk, i));
  }
}

static void block_becomes_empty(Heap *heap, Block *block) {
  Chunk *chunk = block->chunk;
  empty_push(heap, block);
  heap->free_block_count++;
  if (++chunk->free_count == chunk->block_count)
    chunk_becomes_empty(heap, chunk);
}

void chunk_take_pages(Heap *heap, Block *block, unsigned first,
                      unsigned count) {
  unsigned before = block->free_pages;
  unsigned after = before & ~pages_mask(first, count);
  if (before == WHOLE_BLOCK)
    block_leaves_empty(heap, block);
  else
    partial_unlink(heap, block);
  block->free_pages = (uint16_t)after;
  if (after) partial_link(heap, block);
}

void chunk_return_pages(Heap *heap, Block *block, unsigned first,
                        unsigned count) {
  unsigned before = block->free_pages;
  unsigned after = before | pages_mask(first, count);
  if (before) partial_unlink(heap, block);
  block->free_pages = (uint16_t)after;
  if (after == WHOLE_BLOCK)
    block_becomes_empty(heap, block);
  else
    partial_link(heap, block);
}

/* -- Pages without cells --------------------------------------------------- */

void *heap_pages_allocate(Heap *heap, unsigned pages) {
  unsigned first, count;
  Block *block = chunk_find_pages(heap, pages, pages, true, &first, &count);
  if (!block && chunk_add_block(heap))
    block = chunk_find_pages(heap, pages, pages, true, &first, &count);
  if (!block) return NULL;
  chunk_take_pages(heap, block, first, count);
  for (unsigned page = first; page < first + count; page++)
    block->span_page[page] = NO_SPAN;
  return (char *)block + (size_t)first * BLOCK_PAGE;
}

void heap_pages_free(Heap *heap, void *address, unsigned pages) {
  Block *block = heap_block_of(address);
  chunk_return_pages(heap, block, heap_word_of(address), pages);
}
