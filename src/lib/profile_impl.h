/* SPDX-License-Identifier: MIT */
/*
** profile_impl.h -- what the files of the library `penumbra.profile` share
*/

#ifndef PENUMBRA_PROFILE_IMPL_H
#define PENUMBRA_PROFILE_IMPL_H

#include <stdio.h>

#include "lib.h"

/* What a number of a profile measures. */
typedef struct ProfileType {
  const char *name;
  const char *unit;
} ProfileType;

/* Writes a table of stacks as a profile for pprof.  It leads from a text to a
** list of `count` numbers, one for each type.  pprof shows the type number
** `shown` if it is not asked for another. */
void profile_write_pprof(lua_State *L, int idx, FILE *file,
                         const ProfileType *types, int count, int shown);

#endif
