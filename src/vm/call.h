/* SPDX-License-Identifier: MIT */
/*
** call.h -- calls
**
** A call turns func, arg1, ..., argN at the end of the stack into its results,
** which begin where the function was.  Calls between Lua functions are made by
** the loop itself and nest without recursion in C; what is here is for calls
** that come from C, and for the pieces the loop shares with them.
*/
#ifndef PENUMBRA_VM_CALL_H
#define PENUMBRA_VM_CALL_H

#include "object/thread.h"

/* -- For callers in C ------------------------------------------------------ */

/* Calls the value in `func` with all values above it, up to the top, as
** arguments.  Afterwards `wanted` results (LUA_MULTRET: all) start at func's
** offset, and the top is just above the last one.  The stack may have moved. */
void call_value(lua_State *L, Value *func, int wanted);

/* The same across which no coroutine can yield. */
void call_value_no_yield(lua_State *L, Value *func, int wanted);

/* One level of C more.  Raises "C stack overflow" at the limit. */
void call_check_depth(lua_State *L);
static inline void call_enter_c(lua_State *L) {
  if (UNLIKELY(++L->c_calls >= C_CALLS_MAX)) call_check_depth(L);
}
static inline void call_leave_c(lua_State *L) { L->c_calls--; }

/* -- For the loop and for coroutines --------------------------------------- */

/* Prepares the call of the value in `func`.  For a C function, runs it and
** delivers its results; returns NULL.  For a Lua function, returns its new
** frame, the running one now, with its pc at the first instruction. */
NO_INLINE Frame *call_prepare(lua_State *L, Value *func, int wanted,
                              unsigned status);

/* Prepares a tail call of the value in `func` with the arguments above it, up
** to the top.  For a Lua function, the running frame is made one of that
** function; returns true.  For a C function, runs it: all its results begin
** where the function was and end at the top; returns false. */
NO_INLINE bool call_prepare_tail(lua_State *L, Value *func);

/* Leaves the running frame with `count` results, which lie below the top:
** hooks, to-be-closed variables, moving the results, the frame below. */
void call_finish(lua_State *L, int count);

/* A C function has returned so many results. */
static ALWAYS_INLINE void call_check_results(const lua_State *L, int count) {
  ASSERT(count >= 0 && count < L->top - L->frame->func,
         "C function: more results than values on the stack (%d)", count);
}

/* Puts the __call metamethod of `func` in front of it.  Raises if there is
** none.  Returns the place of the function, as the stack may have moved. */
Value *call_use_metamethod(lua_State *L, Value *func);

/* Moves `count` results from below the top to `to`, making them `wanted`. */
void call_move_results(lua_State *L, Value *to, int count, int wanted);

/* Removes the running frame: the one below is the running one now. */
static ALWAYS_INLINE void call_pop_frame(lua_State *L) {
  unsigned status = L->frame->status;
  L->frame--;
  if (UNLIKELY(status & FRAME_WATCH)) stack_uncover(L);
}

/* -- For metamethods ------------------------------------------------------- */

/* Calls f(a, b) and stores its result into the stack slot `result`; when
** called from C, no yield is possible. */
void call_meta_result(lua_State *L, const Value *f, const Value *a,
                      const Value *b, Value *result);

/* Calls f(a, b, c) for its effects. */
void call_meta(lua_State *L, const Value *f, const Value *a, const Value *b,
               const Value *c);

#endif
