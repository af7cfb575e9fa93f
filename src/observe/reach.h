/* SPDX-License-Identifier: MIT */
/*
** reach.h -- by which references an object is kept, and what it keeps itself
**
** All of it in one go: the program waits, about 0.1 s for a million objects and
** walk.  The collector must not be in the midst of a unit.
*/
#ifndef PENUMBRA_OBSERVE_REACH_H
#define PENUMBRA_OBSERVE_REACH_H

#include "heap/notes.h"
#include "observe/items.h"
#include "observe/snapshot.h"

/* A walk from the roots, breadth first. */
typedef struct Reach {
  Gc *gc;
  const Describer *describer;
  const Cell *without;      /* is not entered, or NULL */
  bool without_running;     /* slots of the running stack are left out */
  Notes numbers;            /* 1 + place in the queue */
  Notes pairs;              /* ephemerons by key: 1 + place in records */
  ItemList queue;           /* ReachItem */
  ItemList records;
  uint32_t at;              /* the item whose references are visited */
  unsigned weakness;
  uint64_t bytes;           /* of all objects that were met */
  bool failed;              /* no memory */
} Reach;

typedef struct ReachItem {
  Cell *cell;
  uint32_t parent;          /* the item through which it was met; UINT32_MAX: a
                            ** root */
} ReachItem;

/* Walks from all roots until `target` is met, or (NULL) to the end.  True if it
** was met.  reach_free must follow. */
bool reach_walk(Reach *reach, Gc *gc, const Describer *describer,
                const Cell *target, const Cell *without,
                bool without_running);
void reach_free(Reach *reach);

/* The item of an object that was met; NULL: it was not. */
const ReachItem *reach_item(const Reach *reach, const Cell *cell);

/* A reference from the object of an item to another one, or from a root (NULL);
** false if there is none. */
bool reach_edge(const Reach *reach, Cell *from, const Cell *to, GcEdge *edge);

/* Bytes of an object and its parts. */
uint64_t reach_size(Gc *gc, Cell *cell);

#endif
