/* SPDX-License-Identifier: MIT */
/*
** compiler.h -- source text to a function
*/
#ifndef PENUMBRA_COMPILER_H
#define PENUMBRA_COMPILER_H

#include "bytecode/stream.h"
#include "object/function.h"

/* Compiles a chunk and pushes the closure of its main function, which is also
** the result.  Its only upvalue, _ENV, is nil.  `first` is the byte already
** taken from the stream.  `name` is the chunk's name as in lua_load.  Raises
** syntax errors (LUA_ERRSYNTAX) and whatever the reader raises. */
LuaClosure *compiler_compile(lua_State *L, Stream *stream, const char *name,
                             int first);

#endif
