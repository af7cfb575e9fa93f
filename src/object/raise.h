/* SPDX-License-Identifier: MIT */
/*
** raise.h -- errors: from this layer up, functions may not return
**
** An error is a value on top of the stack, and a status.  raise_throw jumps to
** the innermost raise_protect of the thread.  Below this layer nothing jumps.
** While the collector works, it calls nothing that may raise.
*/
#ifndef PENUMBRA_OBJECT_RAISE_H
#define PENUMBRA_OBJECT_RAISE_H

#include <stdarg.h>

#include "object/jump.h"
#include "object/value.h"

/* -- Raising --------------------------------------------------------------- */

/* Jumps to the innermost protected call with that status.  The error value is
** where the receiver expects it (see raise_error_value).  If the thread has no
** protected call, the main thread's is used.  If there is none either, the
** host's panic function is called, and then abort. */
_Noreturn void raise_throw(lua_State *L, int status);

/* The value on top of the stack is the error.  The message handler, if there is
** one, sees it first. */
_Noreturn void raise_value(lua_State *L);

/* Raises a message, prefixed with the source and line of the running Lua
** function.  Formats are those of format.h. */
_Noreturn void raise_error(lua_State *L, const char *format, ...);

/* "not enough memory"; needs no memory itself. */
_Noreturn void raise_memory(lua_State *L);

/* -- Catching -------------------------------------------------------------- */

/* Calls body(L, data).  Returns STATUS_OK, or the status of the error that
** ended it.  Restores the C-call depth; the caller restores everything else. */
int raise_protect(lua_State *L, RaiseBody *body, void *data);

/* Like raise_protect, where other threads share the catcher of L.  *raiser is
** the thread that raised the error. */
int raise_protect_shared(lua_State *L, RaiseBody *body, void *data,
                         lua_State **raiser);

/* Puts the error value for `status` into `slot`, and makes slot + 1 the top. */
void raise_error_value(lua_State *L, int status, Value *slot);

/* -- Positions ------------------------------------------------------------- */

/* The printable form of a chunk's source, at most SOURCE_ID_SIZE bytes. */
void source_to_id(char id[SOURCE_ID_SIZE], const char *source, size_t length);

/* Pushes "id:line: message" and returns it.  `source` may be NULL. */
const char *raise_add_position(lua_State *L, const char *message,
                               const String *source, int line);

#endif
