/* SPDX-License-Identifier: MIT */
/*
** profile_impl.h -- what the files of the library `penumbra.profile` share
*/

#ifndef PENUMBRA_PROFILE_IMPL_H
#define PENUMBRA_PROFILE_IMPL_H

#include <stdio.h>

#include "lib.h"
#include "penumbra.h"

/* Writes a table of stacks, text to number, as a profile for pprof.  The
** numbers measure `type`, in `unit`s. */
void profile_write_pprof(lua_State *L, int idx, FILE *file, const char *type,
                         const char *unit);

#endif
