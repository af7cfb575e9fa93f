/* SPDX-License-Identifier: MIT */
/*
** io_impl.h -- what the files of the io library share
*/

#ifndef PENUMBRA_IO_IMPL_H
#define PENUMBRA_IO_IMPL_H

/* Before any system header: requests getc_unlocked and its like. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <stdio.h>

#include "lib.h"

/* Registry keys of the default files. */
#define IO_INPUT  "_IO_input"
#define IO_OUTPUT "_IO_output"

/* -- io.c ---------------------------------------------------------------- */

/* The open file given as the first argument; raises an error if there is
** none. */
FILE *io_check_file(lua_State *L);

/* Like io_check_file, where a declaration has checked the argument. */
FILE *io_file(lua_State *L);

/* The open file kept in the registry under that key. */
FILE *io_default_file(lua_State *L, const char *key);

/* Opens a file for a function that cannot return failure: pushes the file or
** raises an error. */
void io_open_or_raise(lua_State *L, const char *name, const char *mode);

/* Closes the file given as the first argument; pushes and returns results as
** file:close does. */
int io_close_file(lua_State *L);

/* -- io_read.c ----------------------------------------------------------- */

int io_read_framed(lua_State *L);
int io_lines_framed(lua_State *L);
int file_read_framed(lua_State *L);
int file_lines_framed(lua_State *L);

#endif
