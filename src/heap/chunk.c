/* SPDX-License-Identifier: MIT */
/*
** chunk.c -- blocks out of what the allocator gives
**
** Chunks start small, so that a fresh heap is small, and grow with the heap.
** The allocator promises no alignment.  If the first chunk happens to be
** aligned we assume that the allocator helps us and ask for whole blocks;
** otherwise we ask for almost one block more and align inside.  Two blocks are
** enough for a fresh state with its libraries; to align each by itself would
** waste half of what we ask for.
**
** A block is in one of three states:
**
**   fresh   never used, its header not even written     chunk->fresh
**   empty   no page belongs to a span                   heap->empty_blocks
**   in use  some page does                heap->roomy_blocks if some does not
*/
#include "heap/heap_impl.h"

#include <string.h>

enum {
  CHUNK_BLOCKS_MAX = 8,     /* 128 KB: also bounds the work of giving back */
  CHUNK_BLOCKS_MIN = 2,
  ROOMY_SEARCH = 8          /* blocks looked at before an empty one is taken */
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

/* -- Chunks ---------------------------------------------------------------- */

static char *block_align(char *address) {
  return (char *)(((uintptr_t)address + BLOCK_SIZE - 1) &
                  ~(uintptr_t)(BLOCK_SIZE - 1));
}

/* Raw memory that contains at least one aligned block, or NULL. */
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
    bytes_free(heap, raw, *size); /* not even 16 bytes aligned */
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
  chunk->fresh = 0;
  heap->block_count += chunk->block_count;
  heap->free_block_count += chunk->block_count;
  chunk_link(&heap->empty_chunks, chunk);
  return chunk;
}

static Chunk *chunk_create(Heap *heap) {
  size_t wanted = size_max(heap->block_count / 4, CHUNK_BLOCKS_MIN);
  unsigned blocks = (unsigned)size_min(wanted, CHUNK_BLOCKS_MAX);
  Chunk *chunk = chunk_create_of(heap, blocks);
  return chunk ? chunk : chunk_create_of(heap, 1);
}

/* Takes the chunk's unused or empty blocks out of all lists and frees it. */
static size_t chunk_destroy(Heap *heap, Chunk *chunk) {
  size_t size = chunk->raw_size;
  for (unsigned i = 0; i < chunk->fresh; i++)
    block_unlink(&heap->empty_blocks, chunk_block(chunk, i));
  if (heap->fresh_chunk == chunk) heap->fresh_chunk = NULL;
  heap->block_count -= chunk->block_count;
  heap->free_block_count -= chunk->block_count;
  chunk_unlink(&heap->empty_chunks, chunk);
  bytes_free(heap, chunk->raw, size);
  heap_raw_free(heap, chunk, sizeof *chunk);
  return size;
}

/* What will be needed before the next sweep is kept, and a little more: giving
** memory back and asking again costs a page fault for every page. */
static bool chunk_is_wanted(const Heap *heap, const Chunk *chunk) {
  size_t in_use = heap->block_count - heap->free_block_count;
  size_t kept = heap->free_block_count - chunk->block_count;
  size_t wanted = heap->expected_growth / BLOCK_SIZE + in_use / 8;
  return kept < wanted + FREE_BLOCKS_KEPT;
}

size_t chunk_release_one(Heap *heap, bool all) {
  Chunk *chunk = heap->empty_chunks;
  if (!chunk || heap->walk) return 0;
  if (!all && chunk_is_wanted(heap, chunk)) return 0;
  return chunk_destroy(heap, chunk);
}

void chunk_release_every(Heap *heap) {
  while (heap->chunks) {
    Chunk *chunk = heap->chunks;
    heap->chunks = chunk->next;
    bytes_free(heap, chunk->raw, chunk->raw_size);
    heap_raw_free(heap, chunk, sizeof *chunk);
  }
  heap->empty_blocks = NULL;
  while (heap->empty_chunks) {
    heap->empty_chunks->fresh = 0;
    chunk_destroy(heap, heap->empty_chunks);
  }
}

/* -- Pages ----------------------------------------------------------------- */

/* Finds a row of set bits; false if there is none as long as `least`. */
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

/* A block of the fresh ones, made ready; NULL: no memory. */
static Block *block_fresh(Heap *heap) {
  if (!heap->fresh_chunk) {
    heap->fresh_chunk = chunk_create(heap);
    if (!heap->fresh_chunk) return NULL;
  }
  Chunk *chunk = heap->fresh_chunk;
  Block *block = chunk_block(chunk, chunk->fresh++);
  if (chunk->fresh == chunk->block_count) heap->fresh_chunk = NULL;
  memset(block, 0, sizeof *block);
  block->chunk = chunk;
  block->free_pages = WHOLE_BLOCK;
  block_link(&heap->empty_blocks, block);
  return block;
}

Block *chunk_find_pages(Heap *heap, unsigned least, unsigned most, bool whole,
                        unsigned *first, unsigned *count) {
  unsigned usable = whole ? WHOLE_BLOCK & ~1u : WHOLE_BLOCK;
  Block *block = heap->roomy_blocks;
  for (int i = 0; block && i < ROOMY_SEARCH; i++, block = block->next)
    if (pages_find_row(block->free_pages & usable, least, most, first, count))
      return block;
  block = heap->empty_blocks;
  if (!block) block = block_fresh(heap);
  if (!block) return NULL;
  pages_find_row(usable, least, most, first, count);
  return block;
}

static unsigned pages_mask(unsigned first, unsigned count) {
  return (unsigned)bits_below(count) << first;
}

static void block_leaves_empty(Heap *heap, Block *block) {
  Chunk *chunk = block->chunk;
  block_unlink(&heap->empty_blocks, block);
  heap->free_block_count--;
  if (chunk->free_count-- == chunk->block_count) {
    chunk_unlink(&heap->empty_chunks, chunk);
    chunk_link(&heap->chunks, chunk);
  }
}

static void block_becomes_empty(Heap *heap, Block *block) {
  Chunk *chunk = block->chunk;
  block_link(&heap->empty_blocks, block);
  heap->free_block_count++;
  if (++chunk->free_count == chunk->block_count) {
    chunk_unlink(&heap->chunks, chunk);
    chunk_link(&heap->empty_chunks, chunk);
  }
}

void chunk_take_pages(Heap *heap, Block *block, unsigned first,
                      unsigned count) {
  unsigned before = block->free_pages;
  unsigned after = before & ~pages_mask(first, count);
  block->free_pages = (uint16_t)after;
  if (before == WHOLE_BLOCK)
    block_leaves_empty(heap, block);
  else
    block_unlink(&heap->roomy_blocks, block);
  if (after) block_link(&heap->roomy_blocks, block);
}

void chunk_return_pages(Heap *heap, Block *block, unsigned first,
                        unsigned count) {
  unsigned before = block->free_pages;
  unsigned after = before | pages_mask(first, count);
  block->free_pages = (uint16_t)after;
  if (before) block_unlink(&heap->roomy_blocks, block);
  if (after == WHOLE_BLOCK)
    block_becomes_empty(heap, block);
  else
    block_link(&heap->roomy_blocks, block);
}

/* -- Pages without cells --------------------------------------------------- */

void *heap_pages_allocate(Heap *heap, unsigned pages) {
  unsigned first, count;
  Block *block = chunk_find_pages(heap, pages, pages, true, &first, &count);
  if (!block) return NULL;
  chunk_take_pages(heap, block, first, count);
  for (unsigned page = first; page < first + count; page++) {
    block->span_page[page] = NO_SPAN;
    block->live[page] = block->mark[page] = 0;
  }
  return (char *)block + (size_t)first * BLOCK_PAGE;
}

void heap_pages_free(Heap *heap, void *address, unsigned pages) {
  Block *block = heap_block_of(address);
  chunk_return_pages(heap, block, heap_word_of(address), pages);
}
