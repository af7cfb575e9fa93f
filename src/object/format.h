/* SPDX-License-Identifier: MIT */
/*
** format.h -- messages made of pieces
**
** Understands %s %d %c %f %I (Integer) %p %U (UTF-8) %% and nothing else,
** as the manual says about lua_pushfstring.
*/
#ifndef PENUMBRA_OBJECT_FORMAT_H
#define PENUMBRA_OBJECT_FORMAT_H

#include <stdarg.h>

#include "object/value.h"

/* Pushes the string and returns its bytes.  Needs one more free stack slot than
** the string itself. */
const char *format_push_list(lua_State *L, const char *format, va_list list);
const char *format_push(lua_State *L, const char *format, ...);

#endif
