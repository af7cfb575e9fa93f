/* SPDX-License-Identifier: MIT */
/*
** package_impl.h -- libraries written in C, for the package library
*/

#ifndef PENUMBRA_PACKAGE_IMPL_H
#define PENUMBRA_PACKAGE_IMPL_H

#include "lua.h"

/* In a module's name: the part before it does not name the function. */
#define PACKAGE_IGNORE "-"

typedef enum ClibStatus {
  CLIB_OK,
  CLIB_NO_LIBRARY,
  CLIB_NO_FUNCTION
} ClibStatus;

/* Prepares the record of libraries in use. */
void clib_open(lua_State *L);

/* Pushes the function that opens a module from a library, or a message. */
ClibStatus clib_push_opener(lua_State *L, const char *file, const char *name);

int package_loadlib_framed(lua_State *L);

#endif
