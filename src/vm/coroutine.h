/* SPDX-License-Identifier: MIT */
/*
** coroutine.h -- resuming, yielding, closing
*/
#ifndef PENUMBRA_VM_COROUTINE_H
#define PENUMBRA_VM_COROUTINE_H

#include "object/thread.h"

/* lua_resume: starts or goes on with L, `count` values on its top being passed.
** `from` may be NULL.  Sets *result_count. */
int coroutine_resume(lua_State *L, lua_State *from, int count,
                     int *result_count);

/* lua_yieldk: in a C function it does not return; in a hook it does. */
int coroutine_yield(lua_State *L, int count, lua_KContext context,
                    lua_KFunction k);

/* The same for a C function that returns what this returns: if the loop called
** it directly, nothing has to be thrown away. */
int coroutine_yield_result(lua_State *L, int count);

/* Runs the running frame, a Lua function, as the loop does, but protected, so
** that the loop can switch between coroutines: see switch.h. */
void coroutine_host(lua_State *L);

/* lua_closethread: closes what is pending and makes L as good as new; the error
** value, if any, is left on its stack. */
int coroutine_close(lua_State *L, lua_State *from);

/* coroutine.status(co), called by L.  A thread that has not yielded is normal
** if it has calls going on; without any it has not started, or, if its stack is
** empty, it has ended. */
static inline ThreadStatus coroutine_status(const lua_State *L,
                                            const lua_State *co) {
  if (L == co) return THREAD_RUNNING;
  if (co->status == LUA_YIELD) return THREAD_SUSPENDED;
  if (co->status != LUA_OK) return THREAD_DEAD;
  if (co->frame != co->frames) return THREAD_NORMAL;
  return co->top == co->stack + 1 ? THREAD_DEAD : THREAD_SUSPENDED;
}

static inline bool coroutine_can_yield(const lua_State *L) {
  return L->no_yield == 0;
}

#endif
