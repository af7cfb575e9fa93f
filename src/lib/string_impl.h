/* SPDX-License-Identifier: MIT */
/*
** string_impl.h -- the string functions that have files of their own
*/

#ifndef PENUMBRA_STRING_IMPL_H
#define PENUMBRA_STRING_IMPL_H

#include "lua.h"

int string_find(lua_State *L); /* string_find.c */
int string_match(lua_State *L);
int string_gmatch(lua_State *L);
int string_gsub(lua_State *L);   /* string_gsub.c */
int string_format(lua_State *L); /* string_format.c */
int string_pack(lua_State *L);   /* string_pack.c */
int string_packsize(lua_State *L);
int string_unpack(lua_State *L);

/* Fills the metatable on top with the arithmetic of strings. */
void string_open_arith(lua_State *L); /* string_arith.c */

#endif
