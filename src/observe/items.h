/* SPDX-License-Identifier: MIT */
/*
** items.h -- a list in pieces that never move
**
** The list grows without copying items.  It is freed one piece at a time,
** either the pieces in front or all of them.  So no operation takes long.
*/
#ifndef PENUMBRA_OBSERVE_ITEMS_H
#define PENUMBRA_OBSERVE_ITEMS_H

#include "heap/heap.h"

enum { ITEMS_PIECE = 4096 };

typedef struct ItemList {
  char **piece;
  size_t piece_capacity; /* capacity of the directory `piece` */
  size_t item_size;
  size_t count;
  size_t freed; /* pieces in front that have been freed */
} ItemList;

static inline ItemList items_list(size_t item_size) {
  return (ItemList){NULL, 0, item_size, 0, 0};
}

static inline void *items_item(const ItemList *list, size_t index) {
  return list->piece[index / ITEMS_PIECE] +
         index % ITEMS_PIECE * list->item_size;
}

/* Adds an item, whose contents are undefined.  NULL: no memory. */
void *items_add(Heap *heap, ItemList *list);

/* Frees one piece all of whose items are in front of `item`.  False if there is
** no such piece. */
bool items_free_some(Heap *heap, ItemList *list, size_t item);

/* Frees one piece, or the directory after the last piece.  False if nothing is
** left. */
bool items_free_rest(Heap *heap, ItemList *list);

#endif
