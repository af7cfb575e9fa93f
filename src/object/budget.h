/* SPDX-License-Identifier: MIT */
/*
** budget.h -- how long a program may go on
**
** A budget is counted in units: about one for each word of code that is run,
** more for work that C functions do (penumbra_spend).  The units are handed
** out in slices.  Whoever spends counts `fuel` down; when a slice is used up,
** what is left of the budget and the clock are looked at, and the next slice
** begins.  When there is nothing left, the host decides; mostly it is an error.
**
** That error is on its way (`stopping`) until it comes to the call that the
** host made: nobody in between can catch it, and Lua code that is called
** meanwhile, by a __close say, ends at its first poll, as there is no fuel.
*/
#ifndef PENUMBRA_OBJECT_BUDGET_H
#define PENUMBRA_OBJECT_BUDGET_H

#include "object/thread.h"

enum { BUDGET_STOP, BUDGET_MORE, BUDGET_YIELD };  /* as in penumbra.h */

/* So many units, and so many nanoseconds of this thread's time on the
** processor; 0 is no bound, for each.  The call that the host is in now, if
** any, is the one to which the error goes. */
void budget_set(lua_State *L, uint64_t units, uint64_t nanoseconds);

/* More of what is bounded; the time is counted from now on if it is up. */
void budget_add(lua_State *L, uint64_t units, uint64_t nanoseconds);

/* Is so much time left?  Asks the clock. */
bool budget_allows(const Budget *b, uint64_t nanoseconds);

/* Units spent since budget_set. */
uint64_t budget_used(lua_State *L);

/* The slice is used up.  Returns if there is another one; otherwise raises. */
NO_INLINE void budget_next(lua_State *L);

/* The same in the loop, where it may be possible to yield: true if the host
** wants that. */
NO_INLINE bool budget_next_in_loop(lua_State *L);

static ALWAYS_INLINE void budget_spend(lua_State *L, size_t units) {
  Budget *b = &L->global->budget;
  if (LIKELY(!b->on)) return;
  b->fuel -= (int64_t)units;
  if (UNLIKELY(b->fuel < 0)) budget_next(L);
}

/* Bytes that may be copied without a look at the budget. */
enum { BUDGET_PIECE = 1 << 16, BUDGET_BYTES_PER_UNIT = 8 };

/* Work on so many bytes, as a copy of them. */
static ALWAYS_INLINE void budget_spend_bytes(lua_State *L, size_t bytes) {
  budget_spend(L, bytes / BUDGET_BYTES_PER_UNIT);
}

/* memcpy, in pieces. */
void budget_copy(lua_State *L, char *to, const char *from, size_t size);

/* For the comparison of two values, which may be long strings. */
static ALWAYS_INLINE void budget_spend_compared(lua_State *L, const Value *a,
                                                const Value *b) {
  if (UNLIKELY(a->tag == TAG_LONG_STRING && b->tag == TAG_LONG_STRING))
    budget_spend_bytes(L, string_length(value_string(a)));
}

/* A protected call of L has ended.  If it has caught the error of the budget
** and is not the host's own, the error goes on from here. */
NO_INLINE void budget_caught_slow(lua_State *L, int status);
static ALWAYS_INLINE void budget_caught(lua_State *L, int status) {
  if (UNLIKELY(L->global->budget.stopping)) budget_caught_slow(L, status);
}
static ALWAYS_INLINE bool budget_is_stopping(const lua_State *L) {
  return L->global->budget.stopping;
}

/* Raises the error once more. */
_Noreturn void budget_raise(lua_State *L);

/* A call with a budget of its own, within that of the state.  What was before
** is kept in *outer until the end. */
void budget_begin(lua_State *L, Budget *outer, uint64_t units,
                  uint64_t nanoseconds);
void budget_end(lua_State *L, const Budget *outer);

#endif
