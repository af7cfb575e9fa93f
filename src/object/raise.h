/* SPDX-License-Identifier: MIT */
/*
** raise.h -- errors: from here up, functions may not return
**
** An error is a value on top of the stack, and a status.  raise_throw jumps to
** the innermost raise_protect of the thread.  Below this layer nothing jumps,
** and nothing that may raise is called while the collector is at work.
*/
#ifndef PENUMBRA_OBJECT_RAISE_H
#define PENUMBRA_OBJECT_RAISE_H

#include <stdarg.h>

#include "object/jump.h"
#include "object/value.h"

/* -- Raising --------------------------------------------------------------- */

/* Leaves for the innermost protected call with that status; the error value is
** where its receiver expects it (see raise_error_value).  Nobody protects: the
** main thread's protection is used, or the host's panic function is called,
** and then abort. */
_Noreturn void raise_throw(lua_State *L, int status);

/* The value on top of the stack is the error: the message handler, if there is
** one, gets to see it first. */
_Noreturn void raise_value(lua_State *L);

/* A message, in front of which the running Lua function's source and line are
** put.  Formats are those of format.h. */
_Noreturn void raise_error(lua_State *L, const char *format, ...);

/* "not enough memory", which needs none. */
_Noreturn void raise_memory(lua_State *L);

/* -- Catching -------------------------------------------------------------- */

/* Calls body(L, data) and returns LUA_OK, or the status of the error that ended
** it.  C-call depth is as before; everything else is the caller's to repair. */
int raise_protect(lua_State *L, RaiseBody *body, void *data);

/* The same where other threads share the catcher of L: *raiser is the one that
** raised the error. */
int raise_protect_shared(lua_State *L, RaiseBody *body, void *data,
                         lua_State **raiser);

/* Puts the error value that goes with `status` into `slot`, and makes
** slot + 1 the top. */
void raise_error_value(lua_State *L, int status, Value *slot);

/* -- Positions ------------------------------------------------------------- */

/* The printable form of a chunk's source, at most LUA_IDSIZE bytes. */
void source_to_id(char id[LUA_IDSIZE], const char *source, size_t length);

/* Pushes "id:line: message" and returns it.  `source` may be NULL. */
const char *raise_add_position(lua_State *L, const char *message,
                               const String *source, int line);

#endif
