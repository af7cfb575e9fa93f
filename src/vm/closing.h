/* SPDX-License-Identifier: MIT */
/*
** closing.h -- variables to be closed
**
** L->closables lists the stack offsets of these variables, in ascending order.
*/
#ifndef PENUMBRA_VM_CLOSING_H
#define PENUMBRA_VM_CLOSING_H

#include "object/thread.h"

enum { CLOSE_NORMALLY = -1 };

/* Marks the variable in `slot` as to be closed, unless it is nil or false.
** Raises if it has no __close. */
void closing_mark(lua_State *L, Value *slot);

/* Closes upvalues and calls the __close metamethods of variables from `level`
** up, the last one first.  While the error of a budget is on its way, calls only
** those of userdata.  The stack may move; returns the new address of `level`.
** `status` is one of
**
**   CLOSE_NORMALLY   passes nil as the error
**   STATUS_OK        passes nil too, for a thread that is closed: discards the
**                    stack above each variable
**   an error status  passes the error value, and discards the same slots
*/
Value *closing_run(lua_State *L, Value *level, int status, bool yieldable);

/* True if there is something to close from `level` up. */
static inline bool closing_is_pending(const lua_State *L, const Value *level) {
  return L->closable_count > 0 &&
         L->closables[L->closable_count - 1] >= (uint32_t)(level - L->stack);
}

/* Puts the call of the __close metamethod of `slot` at `func`, up to the top.
** `error` may be NULL. */
void closing_put(lua_State *L, Value *func, const Value *slot,
                 const Value *error);

/* The variable that is closed next. */
static inline Value *closing_last(const lua_State *L) {
  return L->stack + L->closables[L->closable_count - 1];
}

#endif
