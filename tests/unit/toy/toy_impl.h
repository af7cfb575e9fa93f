/* SPDX-License-Identifier: MIT */
/*
** toy_impl.h -- what the files of the toy mutator share
*/
#ifndef PENUMBRA_TOY_IMPL_H
#define PENUMBRA_TOY_IMPL_H

#include "toy/toy.h"

/* A deleted key.  The search continues behind it, to later entries. */
static const ToyRef TOY_DELETED = TOY_IS_NUMBER;

static inline size_t toy_part_size(size_t slots) {
  return sizeof(ToyPart) + slots * sizeof(ToyRef);
}

static inline size_t toy_hash(uint32_t id) {
  return (size_t)(id * UINT32_C(0x9E3779B1) >> 7);
}

/* Makes an object with the next id. */
void *toy_new(Toy *toy, size_t size, ToyKind kind);

/* Makes a part with empty slots. */
ToyPart *toy_new_part(Toy *toy, uint32_t owner, size_t slots);

/* True if the object is dying but not cleared yet: hide it from the program. */
static inline bool toy_is_dead(const Toy *toy, ToyRef ref) {
  return gc_unmarked_is_dead(&toy->gc) && toy_is_object(ref) &&
         !gc_is_reached(toy_cell(ref));
}

/* -- toy_set.c ------------------------------------------------------------- */

GcProgress toy_set_sweep(void *context, Gc *gc, size_t from);

/* -- toy_stack.c ----------------------------------------------------------- */

/* Closes the upvalues of slots from `slot` up.  `gc` is NULL if that needs no
** barrier. */
void toy_stack_close_upvalues(Gc *gc, ToyStack *stack, size_t slot);

#endif
