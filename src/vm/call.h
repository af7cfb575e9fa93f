/* SPDX-License-Identifier: MIT */
/*
** call.h -- calls
**
** A call replaces func, arg1, ..., argN at the end of the stack by its results,
** which begin at the slot of the function.  The loop makes calls between Lua
** functions itself, without recursion in C.  This module has the calls from C,
** and the code that they share with the loop.
*/
#ifndef PENUMBRA_VM_CALL_H
#define PENUMBRA_VM_CALL_H

#include "object/thread.h"

/* -- For callers in C ------------------------------------------------------ */

/* Calls the value in `func`.  All values above it, up to the top, are
** arguments.  Afterwards `wanted` results (ALL_RESULTS: all) start at func's
** offset, and the top is just above the last one.  The stack may move. */
void call_value(lua_State *L, Value *func, int wanted);

/* Like call_value, but a coroutine cannot yield across the call. */
void call_value_no_yield(lua_State *L, Value *func, int wanted);

/* Enters one more level of C calls.  Raises "C stack overflow" at the limit. */
void call_check_depth(lua_State *L);
static inline void call_enter_c(lua_State *L) {
  if (UNLIKELY(++L->c_calls >= C_CALLS_MAX)) call_check_depth(L);
}
static inline void call_leave_c(lua_State *L) { L->c_calls--; }

/* -- For the loop and for coroutines --------------------------------------- */

/* Sets parameters without an argument to nil; returns their end. */
static ALWAYS_INLINE Value *call_fill_params(Value *v, Value *end) {
  do value_set_nil(v++);
  while (v < end);
  return v;
}

/* Turns `f`, whose func is set, into a frame for the prototype, with `count`
** arguments up to the top.  There must be room for its registers.  The pc is
** left to the caller. */
static ALWAYS_INLINE void call_make_lua_frame(lua_State *L, Frame *f,
                                              const Proto *p, unsigned count) {
  Value *base = f->func + 1;
  f->top = base + p->frame_size;
  f->u.lua.constants = p->constants;
  if (UNLIKELY(count < p->param_count))
    L->top = call_fill_params(L->top, base + p->param_count);
}

/* Turns a frame of a Lua function into one for a tail call of another, which is
** in the slot `callee` with its arguments up to the top. */
static ALWAYS_INLINE void call_remake_lua_frame(lua_State *L, Frame *f,
                                                const Value *callee,
                                                const Proto *p) {
  Value *to = f->func;
  const Value *end = L->top;
  L->top = to + (end - callee);
  for (; callee < end; callee++) value_copy(to++, callee);
  call_make_lua_frame(L, f, p, (unsigned)(L->top - f->func - 1));
  f->status = (uint16_t)((f->status & ~FRAME_OF_ONE_CALL) | FRAME_TAIL);
}

/* Prepares the call of the value in `func`.  A C function runs at once, and its
** results are stored; returns NULL.  For a Lua function, returns its new frame,
** which is now the running one, with the pc at the first instruction. */
NO_INLINE Frame *call_prepare(lua_State *L, Value *func, int wanted,
                              unsigned status);

/* Prepares a tail call of the value in `func` with the arguments above it, up
** to the top.  For a Lua function, the running frame becomes a frame of that
** function; returns true.  A C function runs at once.  All its results are
** between the slot of the function and the top; returns false. */
NO_INLINE bool call_prepare_tail(lua_State *L, Value *func);

/* Returns from the running frame with the `count` results below the top.
** Closes variables, calls hooks, moves the results, and removes the frame.  If
** the call was a metamethod for an instruction, finishes the instruction. */
void call_finish(lua_State *L, int count);

/* Checks the number of results that a C function returned. */
static ALWAYS_INLINE void call_check_results(const lua_State *L, int count) {
  ASSERT(count >= 0 && count < L->top - L->frame->func,
         "C function: more results than values on the stack (%d)", count);
}

/* Inserts the __call metamethod of `func` below it, and if that is not a
** function, its own below that, until there is a function.  Raises if there is
** none.  Returns the slot of the function, because the stack may move. */
Value *call_use_metamethod(lua_State *L, Value *func);

/* Moves the `count` results below the top to `to`.  Adds nils or drops results,
** so that there are `wanted` (ALL_RESULTS: all). */
void call_move_results(lua_State *L, Value *to, int count, int wanted);

/* Removes the running frame.  The frame below becomes the running one. */
static ALWAYS_INLINE void call_pop_frame(lua_State *L) {
  unsigned status = L->frame->status;
  L->frame--;
  if (UNLIKELY(status & FRAME_WATCH)) stack_uncover(L);
}

/* -- For metamethods ------------------------------------------------------- */

/* Calls f(a, b) and stores its result into the stack slot `result`.  The
** metamethod cannot yield. */
void call_meta_result(lua_State *L, const Value *f, const Value *a,
                      const Value *b, Value *result);

/* Calls f(a, b, c) for its effects. */
void call_meta(lua_State *L, const Value *f, const Value *a, const Value *b,
               const Value *c);

#endif
