/* SPDX-License-Identifier: MIT */
/*
** table_impl.h -- how the table library reaches elements
**
** Tables without a metatable are read and written raw, which is faster; all
** others, and things that only behave like tables, through the operations
** that respect metamethods.
*/

#ifndef PENUMBRA_TABLE_IMPL_H
#define PENUMBRA_TABLE_IMPL_H

#include "lib.h"

enum { TABLE_READ = 1, TABLE_WRITE = 2, TABLE_LENGTH = 4 };

/* Checks that the argument is a table, or has the metamethods to do these
** things; true if it may be handled raw. */
bool table_check_arg(lua_State *L, int arg, int uses);

/* The length of an argument that was checked. */
static inline lua_Integer table_length(lua_State *L, int arg, bool raw) {
  return raw ? (lua_Integer)lua_rawlen(L, arg) : luaL_len(L, arg);
}

/* Pushes element i; returns its type. */
static inline int table_get(lua_State *L, int arg, bool raw, lua_Integer i) {
  return raw ? lua_rawgeti(L, arg, i) : lua_geti(L, arg, i);
}

/* Pops a value into element i. */
static inline void table_set(lua_State *L, int arg, bool raw, lua_Integer i) {
  if (raw)
    lua_rawseti(L, arg, i);
  else
    lua_seti(L, arg, i);
}

int table_sort(lua_State *L);             /* table_sort.c */

#endif
