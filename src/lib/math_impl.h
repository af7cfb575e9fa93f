/* SPDX-License-Identifier: MIT */
/*
** math_impl.h -- what the files of the math library share
*/

#ifndef PENUMBRA_MATH_IMPL_H
#define PENUMBRA_MATH_IMPL_H

#include "vm/native.h"

NativeFn math_random; /* math_random.c */
NativeFn math_randomseed;

/* Sets seeds that differ between runs and between states. */
void math_seed_any(lua_State *L);

#endif
