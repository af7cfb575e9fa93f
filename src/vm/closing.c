/* SPDX-License-Identifier: MIT */
/*
** closing.c -- variables to be closed
*/
#include "vm/closing.h"

#include "object/budget.h"
#include "object/meta.h"
#include "vm/call.h"
#include "vm/debug.h"

enum { CLOSABLES_MAX = STACK_MAX };

/* The name of a variable of the running frame. */
static const char *variable_name(lua_State *L, const Value *slot) {
  const char *name = "(C temporary)";
  if (frame_is_lua(L->frame))
    name = proto_local_name(frame_closure(L->frame)->proto,
                            (int)(slot - L->frame->func),
                            (size_t)debug_current_pc(L->frame));
  return name ? name : "?";
}

void closing_mark(lua_State *L, Value *slot) {
  Value method;
  if (value_is_falsy(slot)) return;
  if (!meta_get(L, slot, META_CLOSE, &method))
    raise_error(L, "variable '%s' got a non-closable value",
                variable_name(L, slot));
  ptrdiff_t offset = stack_save(L, slot);
  vector_reserve(L, thread_cell(L), (void **)(void *)&L->closables,
                 sizeof *L->closables, (size_t)L->closable_count + 1,
                 CLOSABLES_MAX, "variables to be closed");
  L->closables[L->closable_count++] =
      (uint32_t)(offset / (ptrdiff_t)sizeof(Value));
}

void closing_put(lua_State *L, Value *func, const Value *slot,
                 const Value *error) {
  meta_get(L, slot, META_CLOSE, func); /* nil if removed: the call fails */
  value_copy(func + 1, slot);
  if (error)
    value_copy(func + 2, error);
  else
    value_set_nil(func + 2);
  L->top = func + 3;
}

/* Calls the __close of the value in `slot` with that value and the error. */
static void call_close(lua_State *L, const Value *slot, const Value *error,
                       bool yieldable) {
  Value *func = L->top;
  closing_put(L, func, slot, error);
  if (yieldable)
    call_value(L, func, 0);
  else
    call_value_no_yield(L, func, 0);
}

/* Closes the last variable of the list. */
static void close_last(lua_State *L, int status, bool yieldable) {
  Value *slot = closing_last(L);
  L->closable_count--;
  if (status == CLOSE_NORMALLY) {
    call_close(L, slot, NULL, yieldable);
    return;
  }
  /* Discard everything above the variable.  The error comes just above it. */
  raise_error_value(L, status, slot + 1);
  call_close(L, slot, slot + 1, yieldable);
}

/* While the error of a budget is on its way, nothing of the program runs, not
** even a library function: a stack has room for a million variables.  Userdata
** is what the host has made. */
static bool is_left_open(const lua_State *L, const Value *slot) {
  return UNLIKELY(budget_is_stopping(L)) && !value_is_userdata(slot);
}

Value *closing_run(lua_State *L, Value *level, int status, bool yieldable) {
  ptrdiff_t offset = stack_save(L, level);
  upvalue_close(L, level);
  while (closing_is_pending(L, stack_restore(L, offset))) {
    if (is_left_open(L, closing_last(L)))
      L->closable_count--;
    else
      close_last(L, status, yieldable);
  }
  return stack_restore(L, offset);
}
