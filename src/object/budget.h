/* SPDX-License-Identifier: MIT */
/*
** budget.h -- how long a program may go on
**
** A budget is counted in units: about one for each executed word of code, and
** more for work that C functions do (penumbra_spend).  The units are handed out
** in slices.  Code that spends units decrements `fuel`.  When a slice is used
** up, the rest of the budget and the clock are checked, and the next slice
** begins.  When nothing is left, the host decides; the usual decision is an
** error.
**
** The error is on its way (`stopping`) until it reaches the call that the host
** made.  No function in between can catch it.  Lua code that is called
** meanwhile, for example a __close, ends at its first poll, because there is no
** fuel.
*/
#ifndef PENUMBRA_OBJECT_BUDGET_H
#define PENUMBRA_OBJECT_BUDGET_H

#include "object/thread.h"

enum { BUDGET_STOP, BUDGET_MORE, BUDGET_YIELD }; /* as in penumbra.h */

/* Sets a bound of `units` units and `nanoseconds` of this thread's processor
** time. 0 means no bound.  The error goes to the call that the host is in now,
** if any. */
void budget_set(lua_State *L, uint64_t units, uint64_t nanoseconds);

/* Adds to the bounds that are set.  If the time is up, the new time is counted
** from now. */
void budget_add(lua_State *L, uint64_t units, uint64_t nanoseconds);

/* True if that much time is left.  Reads the clock. */
bool budget_allows(const Budget *b, uint64_t nanoseconds);

/* Units spent since budget_set. */
uint64_t budget_used(lua_State *L);

/* The slice is used up.  Returns if there is another one; otherwise raises. */
NO_INLINE void budget_next(lua_State *L);

/* The same in the interpreter loop, where yielding may be possible.  True if
** the host wants to yield. */
NO_INLINE bool budget_next_in_loop(lua_State *L);

static ALWAYS_INLINE void budget_spend(lua_State *L, size_t units) {
  Budget *b = &L->global->budget;
  if (LIKELY(!b->on)) return;
  b->fuel -= (int64_t)units;
  if (UNLIKELY(b->fuel < 0)) budget_next(L);
}

/* Bytes that may be copied without a check of the budget. */
enum { BUDGET_PIECE = 1 << 16, BUDGET_BYTES_PER_UNIT = 8 };

/* Spends units for work on `bytes` bytes, such as a copy of them. */
static ALWAYS_INLINE void budget_spend_bytes(lua_State *L, size_t bytes) {
  budget_spend(L, bytes / BUDGET_BYTES_PER_UNIT);
}

/* memcpy, in pieces. */
void budget_copy(lua_State *L, char *to, const char *from, size_t size);

/* Spends units where no error can be raised: the next poll raises it. */
static ALWAYS_INLINE void budget_charge(lua_State *L, size_t units) {
  if (UNLIKELY(L->global->budget.on)) L->global->budget.fuel -= (int64_t)units;
}

/* Charges for reading the number that a long string may contain. */
enum { NUMERAL_BYTES_PER_UNIT = 4 };
static ALWAYS_INLINE void budget_charge_numeral(lua_State *L, const Value *v) {
  if (UNLIKELY(v->tag == TAG_LONG_STRING))
    budget_charge(L, string_length(value_string(v)) / NUMERAL_BYTES_PER_UNIT);
}

/* Spends units for comparing two values, which may be long strings. */
static ALWAYS_INLINE void budget_spend_compared(lua_State *L, const Value *a,
                                                const Value *b) {
  if (UNLIKELY(a->tag == TAG_LONG_STRING && b->tag == TAG_LONG_STRING))
    budget_spend_bytes(L, string_length(value_string(a)));
}

/* Call after a protected call of L has ended.  If that call caught the budget's
** error and is not the host's own, the error is raised again. */
NO_INLINE void budget_caught_slow(lua_State *L, int status);
static ALWAYS_INLINE void budget_caught(lua_State *L, int status) {
  if (UNLIKELY(L->global->budget.stopping)) budget_caught_slow(L, status);
}
static ALWAYS_INLINE bool budget_is_stopping(const lua_State *L) {
  const Budget *b = &L->global->budget;
  return b->stopping && !b->waiting;
}

/* A finalizer of the host that becomes due while sandboxed code runs counts, but
** is not stopped halfway, unless it calls sandboxed code.  budget_wait returns
** true if the budget waits for it; then budget_go_on must follow.  There is no
** fuel after that, so the next poll reads the clock. */
bool budget_wait(lua_State *L);
void budget_go_on(lua_State *L);

/* False if the next one should wait until the sandboxed code has ended, because
** there is no time left.  Reads the clock. */
bool budget_allows_finalizer(lua_State *L);

/* Raises the budget's error. */
_Noreturn void budget_raise(lua_State *L);

/* A call with a budget of its own, within the budget of the state.  *outer
** keeps the outer budget until budget_end. */
void budget_begin(lua_State *L, Budget *outer, uint64_t units,
                  uint64_t nanoseconds);
void budget_end(lua_State *L, const Budget *outer);

#endif
