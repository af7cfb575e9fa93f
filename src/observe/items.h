/* SPDX-License-Identifier: MIT */
/*
** items.h -- a list in pieces that do not move
**
** It grows without copying, and goes piece by piece, from the front or as a
** whole: no operation takes long.
*/
#ifndef PENUMBRA_OBSERVE_ITEMS_H
#define PENUMBRA_OBSERVE_ITEMS_H

#include "heap/heap.h"

enum { ITEMS_PIECE = 4096 };

typedef struct ItemList {
  char **piece;
  size_t piece_room;        /* of the directory */
  size_t item_size;
  size_t count;
  size_t freed;             /* pieces in front that are gone */
} ItemList;

static inline ItemList items_list(size_t item_size) {
  return (ItemList){NULL, 0, item_size, 0, 0};
}

static inline void *items_item(const ItemList *list, size_t index) {
  return list->piece[index / ITEMS_PIECE] +
         index % ITEMS_PIECE * list->item_size;
}

/* Room for one item more; NULL: no memory. */
void *items_add(Heap *heap, ItemList *list);

/* Frees one piece in front of the item; false if there is none. */
bool items_free_some(Heap *heap, ItemList *list, size_t item);

/* Frees one piece, or the list; false if there is nothing left. */
bool items_free_rest(Heap *heap, ItemList *list);

#endif
