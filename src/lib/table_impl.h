/* SPDX-License-Identifier: MIT */
/*
** table_impl.h -- what the files of the table library share
*/

#ifndef PENUMBRA_TABLE_IMPL_H
#define PENUMBRA_TABLE_IMPL_H

#include "lib.h"

enum { TABLE_READ = 1, TABLE_WRITE = 2, TABLE_LENGTH = 4 };

/* Checks that the argument is a table, or has the metamethods for these uses
** and for its length; returns that length. */
lua_Integer table_check_length(lua_State *L, int arg, int uses);

int table_sort_framed(lua_State *L); /* table_sort.c */

#endif
