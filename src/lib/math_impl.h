/* SPDX-License-Identifier: MIT */
/*
** math_impl.h -- what the files of the math library share
*/

#ifndef PENUMBRA_MATH_IMPL_H
#define PENUMBRA_MATH_IMPL_H

#include "lua.h"

/* Adds random and randomseed to the table on top. */
void math_open_random(lua_State *L); /* math_random.c */

#endif
