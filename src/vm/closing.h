/* SPDX-License-Identifier: MIT */
/*
** closing.h -- variables to be closed
**
** L->closables lists the stack offsets of such variables, in order.
*/
#ifndef PENUMBRA_VM_CLOSING_H
#define PENUMBRA_VM_CLOSING_H

#include "object/thread.h"

enum { CLOSE_NORMALLY = -1 };

/* Notes that the variable in `slot` must be closed, unless it is nil or false.
** Raises if it has no __close. */
void closing_mark(lua_State *L, Value *slot);

/* Closes upvalues and calls the __close metamethods of variables from `level`
** up, the last one first.  `status` is CLOSE_NORMALLY, LUA_OK (which passes
** nil as well but from a coroutine being closed), or an error, whose value is
** then passed.  The stack may have moved; returns where `level` is. */
Value *closing_run(lua_State *L, Value *level, int status, bool yieldable);

/* True if there is something to close from `level` up. */
static inline bool closing_is_pending(const lua_State *L,
                                      const Value *level) {
  return L->closable_count > 0 &&
         L->closables[L->closable_count - 1] >=
             (uint32_t)(level - L->stack);
}

#endif
