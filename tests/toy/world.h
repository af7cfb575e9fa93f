/* SPDX-License-Identifier: MIT */
/*
** world.h -- a toy program that does anything, and an oracle that watches
**
** Random edits of a toy heap, each told to the oracle, between steps of the
** collector of any size in any mode.  The same seed makes the same run.
*/
#ifndef PENUMBRA_WORLD_H
#define PENUMBRA_WORLD_H

#include "toy/oracle.h"

enum { WORLD_REGISTERS = 6 };

typedef struct WorldOptions {
  uint64_t seed;
  size_t edits;
  size_t nodes;        /* about so many objects; 0: chosen by the seed */
  size_t check_every;  /* edits between comparisons; 0: chosen by the seed */
  bool verify;         /* the collector's verifier after every step */
  bool failures;       /* the allocator refuses at times */
  uint64_t fail_at;    /* ... refuses this request, counted from 1 */
  bool fail_after;     /* ... and all that follow */
  bool step_always;    /* a step is due at every allocation */
  bool collect_always; /* every allocation collects (debug builds) */
  uint32_t skip;       /* enum GcSkip */
  bool verbose;
} WorldOptions;

typedef struct World {
  Toy toy;
  Oracle oracle;
  WorldOptions options;
  TestRandom random;
  size_t edit;
  unsigned held;   /* registers in use by this edit */
  unsigned pushed; /* stack slots in use by this edit */
  size_t target;   /* objects the seed aims at */
  size_t check_every;
  unsigned step_percent;
  unsigned trouble; /* edits left with a refusing allocator */
  size_t external;
  uint64_t requests; /* made to the allocator until the end */
} World;

/* Runs one world from beginning to end.  Returns normally if all is well. */
void world_run(World *world, const WorldOptions *options);

#endif
