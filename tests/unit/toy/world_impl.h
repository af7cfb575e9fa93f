/* SPDX-License-Identifier: MIT */
/*
** world_impl.h -- what the files of the random program share
*/
#ifndef PENUMBRA_WORLD_IMPL_H
#define PENUMBRA_WORLD_IMPL_H

#include "toy/world.h"

static inline size_t below(World *world, size_t bound) {
  return random_below(&world->random, bound);
}

static inline bool chance(World *world, unsigned percent) {
  return random_chance(&world->random, percent);
}

/* One random edit. */
void world_edit(World *world);

#endif
