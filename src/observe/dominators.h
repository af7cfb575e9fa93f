/* SPDX-License-Identifier: MIT */
/*
** dominators.h -- what would be free without an object, for all objects at once
**
** Object a dominates b if every path from a root to b goes through a.  Without
** a, all that it dominates would be dead: its *retained* size.  The program
** waits: about 0.5 s for a million objects, which take 12 bytes each beside
** those of a walk (reach.h).
*/
#ifndef PENUMBRA_OBSERVE_DOMINATORS_H
#define PENUMBRA_OBSERVE_DOMINATORS_H

#include "observe/reach.h"

enum { DOMINATORS_MAX = 4000000 /* objects, at most */ };

typedef struct Dominators {
  Reach reach;        /* a walk to the end */
  size_t count;       /* objects; their numbers are 1 ... count, in the order of
                       ** the walk */
  uint32_t *above;    /* the dominator of each object; 0: the roots */
  uint64_t *retained; /* bytes; entry 0 is for all */
  uint64_t steps;     /* that may still be taken */
  bool changed;
} Dominators;

/* False if there are too many objects, no memory, or if it takes too long.
** dominators_free must be called in any case. */
bool dominators_find(Dominators *d, Gc *gc, const Describer *describer);
void dominators_free(Dominators *d);

/* Numbers of the objects that retain most, the most first.  Returns how many
** there are, up to `count`. */
size_t dominators_top(const Dominators *d, uint32_t *top, size_t count);

static inline Cell *dominators_cell(const Dominators *d, uint32_t number) {
  return ((ReachItem *)items_item(&d->reach.queue, number - 1))->cell;
}

#endif
