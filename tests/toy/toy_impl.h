/* SPDX-License-Identifier: MIT */
/*
** toy_impl.h -- what the files of the toy mutator share
*/
#ifndef PENUMBRA_TOY_IMPL_H
#define PENUMBRA_TOY_IMPL_H

#include "toy/toy.h"

/* A key that was deleted: later entries of the chain are still to be found. */
static const ToyRef TOY_DELETED = TOY_IS_NUMBER;

static inline size_t toy_part_size(size_t slots) {
  return sizeof(ToyPart) + slots * sizeof(ToyRef);
}

static inline size_t toy_hash(uint32_t id) {
  return (size_t)(id * UINT32_C(0x9E3779B1) >> 7);
}

/* A new object with the next number. */
void *toy_new(Toy *toy, size_t size, ToyKind kind);

/* A new part, all of its slots empty. */
ToyPart *toy_new_part(Toy *toy, uint32_t owner, size_t slots);

/* Must be hidden from the program: dying, and not yet cleared. */
static inline bool toy_is_dead(const Toy *toy, ToyRef ref) {
  return gc_unmarked_is_dead(&toy->gc) && toy_is_object(ref) &&
         !gc_is_reached(toy_cell(ref));
}

/* -- toy_set.c ------------------------------------------------------------- */

GcProgress toy_set_sweep(void *context, Gc *gc, size_t from);

/* -- toy_stack.c ----------------------------------------------------------- */

/* Gives the upvalues of slots from `slot` up values of their own; `gc` is NULL
** when that needs no barrier. */
void toy_stack_close_upvalues(Gc *gc, ToyStack *stack, size_t slot);

#endif
