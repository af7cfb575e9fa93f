/* SPDX-License-Identifier: MIT */
/*
** os_impl.h -- what the files of the os library share
*/

#ifndef PENUMBRA_OS_IMPL_H
#define PENUMBRA_OS_IMPL_H

/* Before any system header: requests POSIX functions. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "lib.h"

int os_date_framed(lua_State *L); /* os_date.c */
int os_time_framed(lua_State *L);
int os_difftime_framed(lua_State *L);

#endif
