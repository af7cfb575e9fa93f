/* SPDX-License-Identifier: MIT */
/*
** string_impl.h -- what the files of the string library share
*/

#ifndef PENUMBRA_STRING_IMPL_H
#define PENUMBRA_STRING_IMPL_H

#include "vm/native.h"

NativeFn string_find; /* string_find.c */
int string_find_framed(lua_State *L);
int string_match_framed(lua_State *L);
int string_gmatch_framed(lua_State *L);
int string_gsub_framed(lua_State *L);   /* string_gsub.c */
int string_format_framed(lua_State *L); /* string_format.c */
int string_pack_framed(lua_State *L);   /* string_pack.c */
int string_packsize_framed(lua_State *L);
int string_unpack_framed(lua_State *L);

/* Fills the metatable on top with the arithmetic of strings. */
void string_open_arith(lua_State *L); /* string_arith.c */

/* Pushes a new metatable of strings, whose __index is the table on top. */
void string_push_metatable(lua_State *L); /* string.c */

#endif
