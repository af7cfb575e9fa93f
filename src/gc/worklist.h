/* SPDX-License-Identifier: MIT */
/*
** worklist.h -- lists of words that grow without moving
**
** The collector's lists (gray objects, weak objects, finalizable objects ...)
** are chains of segments.  Pushing, popping and shifting take constant time;
** no element ever moves, so no list makes the program wait while it grows.
** Segments come from the heap's allocator and may be refused: every caller
** has a way to live with that.
*/
#ifndef PENUMBRA_GC_WORKLIST_H
#define PENUMBRA_GC_WORKLIST_H

#include "gc/kinds.h"

enum { SEGMENT_WORDS = 509 };

typedef struct WorkSegment WorkSegment;

struct WorkSegment {
  WorkSegment *previous;
  WorkSegment *next;
  uintptr_t word[SEGMENT_WORDS];
};

typedef struct Worklist {
  WorkSegment *first;     /* oldest */
  WorkSegment *last;      /* newest */
  size_t read;            /* place in `first` of the oldest word */
  size_t write;           /* place in `last` behind the newest word */
  size_t count;
} Worklist;

/* Adds a segment at the end.  False: no memory. */
bool worklist_grow(Gc *gc, Worklist *list);

/* Drops the last (empty) or first (used up) segment. */
void worklist_drop_last(Gc *gc, Worklist *list);
void worklist_drop_first(Gc *gc, Worklist *list);

/* Appends a word.  False: no memory. */
static inline bool worklist_push(Gc *gc, Worklist *list, uintptr_t word) {
  if (UNLIKELY(!list->last || list->write == SEGMENT_WORDS))
    if (!worklist_grow(gc, list)) return false;
  list->last->word[list->write++] = word;
  list->count++;
  return true;
}

/* Takes the newest word; the list must not be empty. */
static inline uintptr_t worklist_pop(Gc *gc, Worklist *list) {
  uintptr_t word = list->last->word[--list->write];
  list->count--;
  if (UNLIKELY(list->write == 0 && list->last != list->first))
    worklist_drop_last(gc, list);
  return word;
}

/* Takes the oldest word; the list must not be empty. */
uintptr_t worklist_shift(Gc *gc, Worklist *list);

/* Forgets all words but gives back only what is bounded: one segment.  True
** when nothing is left.  Call until it says so. */
bool worklist_clear_some(Gc *gc, Worklist *list);

/* Gives back everything at once, for closing down. */
void worklist_free(Gc *gc, Worklist *list);

/* Gives back one spare segment; false if there is none to spare. */
bool worklist_trim_spares(Gc *gc);

/* -- Walking over a list ------------------------------------------------------ */

typedef struct WorkPlace {
  WorkSegment *segment;
  size_t index;
} WorkPlace;

static inline WorkPlace worklist_begin(const Worklist *list) {
  WorkPlace place = {list->first, list->read};
  return place;
}

/* The word at the place, moving the place on; NULL at the end. */
uintptr_t *worklist_next(const Worklist *list, WorkPlace *place);

/* The place behind the newest word, for walking backwards. */
static inline WorkPlace worklist_end(const Worklist *list) {
  WorkPlace place = {list->last, list->write};
  return place;
}

/* The word in front of the place, moving the place back; NULL at the start. */
uintptr_t *worklist_back(const Worklist *list, WorkPlace *place);

/* Cuts the list off at a place reached by worklist_next, which is behind
** `count` words.  Constant time: the segments behind it become spare. */
void worklist_truncate(Gc *gc, Worklist *list, WorkPlace place, size_t count);

#endif
