/* SPDX-License-Identifier: MIT */
/*
** base_impl.h -- the basic functions that have files of their own
*/

#ifndef PENUMBRA_BASE_IMPL_H
#define PENUMBRA_BASE_IMPL_H

#include "lua.h"

int base_load_framed(lua_State *L); /* base_load.c */
int base_loadfile_framed(lua_State *L);
int base_dofile_framed(lua_State *L);
int base_collectgarbage_framed(lua_State *L); /* base_gc.c */

#endif
