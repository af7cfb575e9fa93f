/* SPDX-License-Identifier: MIT */
/*
** items.c -- a list in pieces that never move
*/
#include "observe/items.h"

#include <string.h>

static bool items_grow_directory(Heap *heap, ItemList *list) {
  size_t capacity = list->piece_capacity ? 2 * list->piece_capacity : 64;
  char **piece = heap_raw_allocate(heap, capacity * sizeof *piece);
  if (!piece) return false;
  if (list->piece) {
    memcpy(piece, list->piece, list->piece_capacity * sizeof *piece);
    heap_raw_free(heap, list->piece, list->piece_capacity * sizeof *piece);
  }
  memset(piece + list->piece_capacity, 0,
         (capacity - list->piece_capacity) * sizeof *piece);
  list->piece = piece;
  list->piece_capacity = capacity;
  return true;
}

void *items_add(Heap *heap, ItemList *list) {
  size_t piece = list->count / ITEMS_PIECE;
  if (piece >= list->piece_capacity && !items_grow_directory(heap, list))
    return NULL;
  if (!list->piece[piece])
    list->piece[piece] = heap_raw_allocate(heap, ITEMS_PIECE * list->item_size);
  if (!list->piece[piece]) return NULL;
  return items_item(list, list->count++);
}

bool items_free_some(Heap *heap, ItemList *list, size_t item) {
  while (list->freed < list->piece_capacity &&
         (list->freed + 1) * ITEMS_PIECE <= item) {
    char *piece = list->piece[list->freed];
    list->piece[list->freed++] = NULL;
    if (!piece) continue;
    heap_raw_free(heap, piece, ITEMS_PIECE * list->item_size);
    return true;
  }
  return false;
}

bool items_free_rest(Heap *heap, ItemList *list) {
  if (items_free_some(heap, list, SIZE_MAX)) return true;
  if (!list->piece) return false;
  heap_raw_free(heap, list->piece, list->piece_capacity * sizeof *list->piece);
  list->piece = NULL;
  list->piece_capacity = 0;
  return true;
}
