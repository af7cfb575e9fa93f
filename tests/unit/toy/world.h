/* SPDX-License-Identifier: MIT */
/*
** world.h -- a toy program that makes random edits, checked by an oracle
**
** The program edits a toy heap at random and tells the oracle of each edit.
** Between the edits the collector takes steps of any size in any mode.  The
** same seed makes the same run.
*/
#ifndef PENUMBRA_WORLD_H
#define PENUMBRA_WORLD_H

#include "toy/oracle.h"

enum { WORLD_REGISTERS = 6 };

typedef struct WorldOptions {
  uint64_t seed;
  size_t edits;
  size_t nodes;        /* about how many objects; 0: chosen by the seed */
  size_t check_every;  /* edits between comparisons; 0: chosen by the seed */
  bool verify;         /* run the collector's verifier after every step */
  bool failures;       /* the allocator refuses some requests */
  uint64_t fail_at;    /* the allocator refuses this request, counted from 1 */
  bool fail_after;     /* it also refuses all later requests */
  size_t fail_size;    /* it refuses requests of exactly this size */
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
  size_t target;   /* number of objects, chosen by the seed */
  size_t check_every;
  unsigned step_percent;
  unsigned trouble; /* edits left during which the allocator refuses */
  size_t external;
  uint64_t requests; /* made to the allocator by the end */
} World;

/* Runs one world from beginning to end.  Returns if there is no failure. */
void world_run(World *world, const WorldOptions *options);

#endif
