/* SPDX-License-Identifier: MIT */
/*
** compiler.h -- source text to a function
*/
#ifndef PENUMBRA_COMPILER_H
#define PENUMBRA_COMPILER_H

#include "bytecode/stream.h"
#include "object/function.h"

/* Compiles a chunk, and pushes and returns the closure of its main function.
** Its only upvalue, _ENV, is nil.  `first` is the byte already taken from the
** stream.  `name` is the chunk's name as in lua_load.  Raises syntax errors
** (STATUS_ERROR_SYNTAX) and the errors of the reader. */
LuaClosure *compiler_compile(lua_State *L, Stream *stream, const char *name,
                             int first);

#endif
