/* SPDX-License-Identifier: MIT */
/*
** samples.h -- the API: samples of allocations, for other files of the API
*/
#ifndef PENUMBRA_API_SAMPLES_H
#define PENUMBRA_API_SAMPLES_H

#include "object/thread.h"
#include "observe/samples.h"

/* The samples of the state, or NULL. */
static inline Samples *samples_of(const Global *g) {
  return g->observer[OBSERVER_SAMPLES].data;
}

/* The innermost call of a stack that has a line, and what it calls. */
const char *stack_line(const char *stack);

/* The name of a kind: the Lua type, or the kind's own name for objects that are
** not Lua values. */
const char *kind_type(unsigned kind);

#endif
