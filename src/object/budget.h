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
** made.  No function in between can catch it, and only userdata is closed.  Lua
** code that is called meanwhile ends at its first poll, because there is no fuel.
**
** The protected calls that the host has under way are counted (host_calls), and
** `base` is that number when the budget was set.  The error ends in the first
** of them on its way out that was made at that level or is further out:
**
**     lua_pcall                  level 0    catches: it is the call in which
**       C function                          the budget was set, unless ...
**         penumbra_setbudget     base 1
**         lua_pcall              level 1    ... it is raised in here
**           lua_pcall            level 2    does not catch
**
** pcall, coroutine.resume and the like are no calls of the host.  When a call
** returns, a budget that was set in it belongs to the level outside.
*/
#ifndef PENUMBRA_OBJECT_BUDGET_H
#define PENUMBRA_OBJECT_BUDGET_H

#include "object/thread.h"

enum { BUDGET_STOP, BUDGET_MORE, BUDGET_YIELD }; /* as in penumbra.h */

void budget_init(Budget *b);

/* Sets a bound of `units` units and `nanoseconds` of this thread's processor
** time.  0 means no bound.  In a call with a budget of its own, that one is
** replaced; the bounds of the outer ones hold. */
void budget_set(lua_State *L, uint64_t units, uint64_t nanoseconds);

/* Adds to the bounds that are set.  If the time is up, the new time is counted
** from now. */
void budget_add(lua_State *L, uint64_t units, uint64_t nanoseconds);

/* Raises the budget's error. */
_Noreturn void budget_raise(lua_State *L);

/* Pushes the message of that error, while it is on its way. */
void budget_push_message(lua_State *L);

/* True if that much time is left.  Reads the clock. */
bool budget_allows(Budget *b, uint64_t nanoseconds);

/* Units spent since budget_set. */
uint64_t budget_used(lua_State *L);

/* The slice is used up.  Returns if there is another one; otherwise raises. */
NO_INLINE void budget_next(lua_State *L);

/* Like budget_next, in the interpreter loop, where yielding may be possible.
** True if the host wants to yield. */
NO_INLINE bool budget_next_in_loop(lua_State *L);

/* Spends units for work that begins now.  If it is long and cannot be
** interrupted, there must be time left for all of it. */
enum { BUDGET_AHEAD = 8192 };
NO_INLINE void budget_spend_ahead(lua_State *L, size_t units);
static ALWAYS_INLINE void budget_spend(lua_State *L, size_t units) {
  Budget *b = &L->global->budget;
  if (LIKELY(!b->on)) return;
  if (UNLIKELY(units > BUDGET_AHEAD)) {
    budget_spend_ahead(L, units);
    return;
  }
  b->fuel -= (int64_t)units;
  if (UNLIKELY(b->fuel < 0)) budget_next(L);
}

/* Bytes that may be copied or searched without a check of the budget, and how
** many of them a unit stands for. */
enum {
  BUDGET_PIECE = 1 << 16,
  BUDGET_BYTES_PER_UNIT = 8,
  BUDGET_SCANNED_PER_UNIT = 32
};

/* Spends units for work on `bytes` bytes, such as a copy of them. */
static ALWAYS_INLINE void budget_spend_bytes(lua_State *L, size_t bytes) {
  budget_spend(L, bytes / BUDGET_BYTES_PER_UNIT);
}

/* memcpy, memchr and strlen, in pieces. */
void budget_copy(lua_State *L, char *to, const char *from, size_t size);
const char *budget_find(lua_State *L, const char *s, char c, size_t size);
size_t budget_strlen(lua_State *L, const char *s);

/* A new string, which is filled in pieces. */
NO_INLINE String *budget_string_slow(lua_State *L, const char *bytes,
                                     size_t length);
static ALWAYS_INLINE String *budget_string(lua_State *L, const char *bytes,
                                           size_t length) {
  if (LIKELY(length <= BUDGET_PIECE)) return string_new(L, bytes, length);
  return budget_string_slow(L, bytes, length);
}

/* Spends units where no error can be raised: the next poll raises it. */
static ALWAYS_INLINE void budget_charge(const lua_State *L, size_t units) {
  if (UNLIKELY(L->global->budget.on)) L->global->budget.fuel -= (int64_t)units;
}

/* Call before reading the number that a value may contain.  A string costs
** something.  Raises an error only if it is very long. */
NO_INLINE void budget_numeral_slow(lua_State *L, size_t length);
static ALWAYS_INLINE void budget_numeral(lua_State *L, const Value *v) {
  if (UNLIKELY(value_is_string(v)) && L->global->budget.on)
    budget_numeral_slow(L, string_length(value_string(v)));
}

/* Charges for the text of a number.  That of a float costs the more, the further
** away from 1 it is. */
NO_INLINE void budget_text_slow(const lua_State *L, Number n);
static ALWAYS_INLINE void budget_text(const lua_State *L, const Value *v) {
  if (UNLIKELY(L->global->budget.on) && v->tag == TAG_FLOAT)
    budget_text_slow(L, v->as.n);
}

/* Spends units for values that are moved from one frame to another, if they are
** many.  A stack has room for a million of them, and every function that a
** program is in may move them once more. */
enum { BUDGET_FEW_VALUES = 32 };
static ALWAYS_INLINE void budget_spend_values(lua_State *L, size_t count) {
  if (UNLIKELY(count > BUDGET_FEW_VALUES)) budget_spend(L, count);
}

/* The cost of hashing a key, or of comparing it with an equal one. */
static ALWAYS_INLINE void budget_charge_key(const lua_State *L,
                                            const Value *key) {
  if (UNLIKELY(L->global->budget.on) && key->tag == TAG_LONG_STRING)
    budget_charge(L, string_length(value_string(key)) / BUDGET_BYTES_PER_UNIT);
}

/* Like budget_charge_key, where an error can be raised.  A comparison reads two
** strings. */
static ALWAYS_INLINE void budget_spend_key(lua_State *L, const Value *key) {
  if (UNLIKELY(key->tag == TAG_LONG_STRING))
    budget_spend_bytes(L, 2 * string_length(value_string(key)));
}

/* Spends units for comparing two values, which may be long strings. */
static ALWAYS_INLINE void budget_spend_compared(lua_State *L, const Value *a,
                                                const Value *b) {
  if (UNLIKELY(b->tag == TAG_LONG_STRING)) budget_spend_key(L, a);
}

static ALWAYS_INLINE bool budget_is_stopping(const lua_State *L) {
  const Budget *b = &L->global->budget;
  return b->stopping && !b->waiting;
}

/* A protected call of the host begins.  Returns its level, for budget_leave. */
static ALWAYS_INLINE uint16_t budget_enter(lua_State *L) {
  return L->global->host_calls++;
}

/* ... and has ended.  If that was the budget's error, and it has to go further,
** raises it again. */
NO_INLINE void budget_leave_slow(lua_State *L, uint16_t level, int status);
static ALWAYS_INLINE void budget_leave(lua_State *L, uint16_t level,
                                       int status) {
  const Budget *b = &L->global->budget;
  L->global->host_calls = level;
  if (UNLIKELY(b->stopping || b->base > level))
    budget_leave_slow(L, level, status);
}

/* Call after a protected call that is not one of the host. */
static ALWAYS_INLINE void budget_pass(lua_State *L, int status) {
  if (UNLIKELY(status != STATUS_OK && budget_is_stopping(L))) budget_raise(L);
}

/* A finalizer of the host that runs while sandboxed code runs spends the
** budget, but runs to its end even when the budget is spent.  Exception:
** sandboxed code that it calls is stopped.  budget_wait returns true if the
** budget waits for it; then budget_go_on must follow.  There is no fuel after
** that, so the next poll reads the clock. */
bool budget_wait(lua_State *L);
void budget_go_on(lua_State *L);

/* False if the next one should wait until the sandboxed code has ended, because
** there is no time left.  Reads the clock. */
bool budget_allows_finalizer(lua_State *L);

/* A call with a budget of its own, within the budget of the state.  *outer
** keeps the outer budget until budget_end. */
void budget_begin(lua_State *L, OuterBudget *outer, uint64_t units,
                  uint64_t nanoseconds);
void budget_end(lua_State *L, const OuterBudget *outer);

#endif
