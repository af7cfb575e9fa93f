/* SPDX-License-Identifier: MIT */
/*
** reach.h -- which references keep an object alive, and what it keeps alive
**
** The program waits while a walk runs: about 0.1 s for a million objects.  The
** collector must not be in the middle of a slice.
*/
#ifndef PENUMBRA_OBSERVE_REACH_H
#define PENUMBRA_OBSERVE_REACH_H

#include "heap/side_table.h"
#include "observe/items.h"
#include "observe/snapshot.h"

/* A breadth-first walk from the roots. */
typedef struct Reach {
  Gc *gc;
  const Describer *describer;
  const Cell *without;  /* the walk ignores this object, or NULL */
  bool without_running; /* the walk ignores slots of the running stack */
  SideTable numbers;    /* of a reached cell: 1 + index in the queue */
  SideTable pairs;      /* of an ephemeron's key: 1 + index in records */
  ItemList queue;       /* ReachItem, in the order of the walk */
  ItemList records;     /* ReachPair */
  uint32_t at;          /* the item whose references are being visited */
  unsigned weakness;    /* of that item, as the Describer says */
  uint64_t bytes;       /* size of all visited objects with their parts */
  bool failed;          /* no memory */
} Reach;

typedef struct ReachItem {
  Cell *cell;
  uint32_t parent; /* the item that led to it; UINT32_MAX: a root */
} ReachItem;

/* Walks from all roots until it reaches `target`.  If that is NULL, it walks to
** the end.  True if it reached the target.  The caller must call reach_free
** afterwards. */
bool reach_walk(Reach *reach, Gc *gc, const Describer *describer,
                const Cell *target, const Cell *without, bool without_running);
void reach_free(Reach *reach);

/* The item of an object, or NULL if the walk did not reach the object. */
const ReachItem *reach_item(const Reach *reach, const Cell *cell);

/* Finds a reference from `from` to `to` that is not weak; NULL stands for the
** roots.  False if there is none. */
bool reach_edge(const Reach *reach, Cell *from, const Cell *to, GcEdge *edge);

/* The size of an object with its parts, in bytes. */
uint64_t reach_size(Gc *gc, Cell *cell);

#endif
