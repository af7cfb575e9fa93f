/* SPDX-License-Identifier: MIT */
/*
** protect.h -- protected calls
*/
#ifndef PENUMBRA_VM_PROTECT_H
#define PENUMBRA_VM_PROTECT_H

#include "object/thread.h"

/* Runs body(L, data), and returns the status.  After an error, restores the
** frame, the running thread, no_yield and allow_hook, and closes the variables
** from `old_top` up.  The error value is then at `old_top`, on top of the
** stack.  `handler` is the stack offset of the message handler, 0 for none. */
int protect_run(lua_State *L, RaiseBody *body, void *data, ptrdiff_t old_top,
                ptrdiff_t handler);

/* Calls the value in `func` with the arguments above it, protected: a call of
** the host. */
int protect_call(lua_State *L, Value *func, int wanted, ptrdiff_t handler);

/* Closes variables from `level` up, protected.  After an error in a __close,
** closes the remaining ones with that error.  Returns the status of the last
** error, or `status`. */
int protect_close(lua_State *L, ptrdiff_t level, int status);

/* -- With continuations: lua_callk and lua_pcallk -------------------------- */

void protect_call_k(lua_State *L, Value *func, int wanted,
                    ContinuationContext context, Continuation k);
int protect_pcall_k(lua_State *L, Value *func, int wanted, ptrdiff_t handler,
                    ContinuationContext context, Continuation k);

#endif
