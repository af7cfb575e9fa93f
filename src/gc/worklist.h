/* SPDX-License-Identifier: MIT */
/*
** worklist.h -- lists of words that grow without moving
**
** The collector's lists (gray objects, weak objects, finalizable objects ...)
** are chains of segments.  Pushing, popping and shifting take constant time.
** No element ever moves, so no list makes the program wait while it grows.
** Segments are pages of the heap, and there may be no memory for one.  Every
** caller can handle that.
*/
#ifndef PENUMBRA_GC_WORKLIST_H
#define PENUMBRA_GC_WORKLIST_H

#include "gc/kinds.h"

enum { SEGMENT_PAGES = 1, SEGMENT_WORDS = 126 };

typedef struct WorkSegment WorkSegment;

struct WorkSegment {
  WorkSegment *previous;
  WorkSegment *next;
  uintptr_t word[SEGMENT_WORDS];
};
static_assert(sizeof(WorkSegment) <= SEGMENT_PAGES * BLOCK_PAGE,
              "a segment is some whole pages");

/* Words are added and removed at `top`, and also removed at `bottom`. */
typedef struct Worklist {
  uintptr_t *top;     /* one past the newest word, in `last` */
  uintptr_t *limit;   /* the end of `last` */
  uintptr_t *bottom;  /* the oldest word, in `first` */
  WorkSegment *first; /* oldest */
  WorkSegment *last;  /* newest; without words only in an empty list */
  size_t segments;
} Worklist;

/* Adds a segment at the end.  False: no memory. */
bool worklist_grow(Gc *gc, Worklist *list);

/* Drops the last segment, which is empty. */
void worklist_drop_last(Gc *gc, Worklist *list);

static inline bool worklist_is_empty(const Worklist *list) {
  return list->top == list->bottom;
}

static inline size_t worklist_count(const Worklist *list) {
  if (!list->last) return 0;
  return (list->segments - 1) * SEGMENT_WORDS +
         (size_t)(list->top - list->last->word) -
         (size_t)(list->bottom - list->first->word);
}

/* Appends a word.  False: no memory. */
static ALWAYS_INLINE bool worklist_push(Gc *gc, Worklist *list,
                                        uintptr_t word) {
  if (UNLIKELY(list->top == list->limit) && !worklist_grow(gc, list))
    return false;
  *list->top++ = word;
  return true;
}

/* Takes the newest word; the list must not be empty. */
static ALWAYS_INLINE uintptr_t worklist_pop(Gc *gc, Worklist *list) {
  uintptr_t word = *--list->top;
  if (UNLIKELY(list->top == list->last->word) && list->last != list->first)
    worklist_drop_last(gc, list);
  return word;
}

/* Takes the oldest word; the list must not be empty. */
uintptr_t worklist_shift(Gc *gc, Worklist *list);

/* Frees all segments at once, for closing down. */
void worklist_free(Gc *gc, Worklist *list);

/* Frees one spare segment, but keeps the last one.  False: none is left to
** free. */
bool worklist_trim_spares(Gc *gc);

/* -- Walking over a list --------------------------------------------------- */

typedef struct WorkPlace {
  WorkSegment *segment;
  uintptr_t *word;
} WorkPlace;

static inline WorkPlace worklist_begin(const Worklist *list) {
  WorkPlace place = {list->first, list->bottom};
  return place;
}

/* The word at the place; the place moves on.  NULL at the end. */
uintptr_t *worklist_next(const Worklist *list, WorkPlace *place);

/* The place after the newest word, for walking backwards. */
static inline WorkPlace worklist_end(const Worklist *list) {
  WorkPlace place = {list->last, list->top};
  return place;
}

/* The word before the place; the place moves back.  NULL at the start. */
uintptr_t *worklist_back(const Worklist *list, WorkPlace *place);

/* Cuts the list off at a place reached by worklist_next.  `count` is the number
** of words before it.  Constant time: the segments after it become spare. */
void worklist_truncate(Gc *gc, Worklist *list, WorkPlace place, size_t count);

#endif
