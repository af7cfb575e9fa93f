/* SPDX-License-Identifier: MIT */
/*
** coroutine.h -- resuming, yielding, closing
*/
#ifndef PENUMBRA_VM_COROUTINE_H
#define PENUMBRA_VM_COROUTINE_H

#include "object/thread.h"

/* lua_resume: starts or continues L, and passes the `count` values on its top.
** `from` may be NULL.  Sets *result_count.  `by_lua`: called by a function of
** the library, which can be suspended, and resumes again.  Any other resume is
** a call of the host. */
int coroutine_resume(lua_State *L, lua_State *from, int count,
                     int *result_count, bool by_lua);

/* lua_yieldk.  Does not return in a C function, but returns in a hook. */
int coroutine_yield(lua_State *L, int count, ContinuationContext context,
                    Continuation k);

/* Like coroutine_yield, for a C function that returns the result of this
** function.  If the loop called the C function directly, this returns instead
** of jumping. */
int coroutine_yield_result(lua_State *L, int count);

/* Runs the running frame, a Lua function, in a protected loop.  That loop can
** switch between coroutines, see switch.h. */
void coroutine_host(lua_State *L);

/* Called by the loop when the host wants to suspend all coroutines, from L up to
** the one that it has resumed.  Each of these keeps its place.  lua_resume of
** the host's coroutine continues in L. */
_Noreturn void coroutine_pause(lua_State *L);

/* The message of a resume that finds the coroutine dead. */
#define COROUTINE_IS_DEAD "cannot resume dead coroutine"

/* lua_closethread: closes pending variables and resets L.  The error value, if
** any, stays on its stack. */
int coroutine_close(lua_State *L, lua_State *from);

/* coroutine.status(co), called by L.  A thread that has not yielded is normal
** if it has calls in progress.  Without calls it has ended if its stack is
** empty; otherwise it has not started. */
static inline ThreadStatus coroutine_status(const lua_State *L,
                                            const lua_State *co) {
  if (L == co) return THREAD_RUNNING;
  if (co->status == STATUS_YIELD) return THREAD_SUSPENDED;
  if (co->status != STATUS_OK) return THREAD_DEAD;
  if (co->frame != co->frames) return THREAD_NORMAL;
  return co->top == co->stack + 1 ? THREAD_DEAD : THREAD_SUSPENDED;
}

static inline bool coroutine_can_yield(const lua_State *L) {
  return L->no_yield == 0;
}

#endif
