/* SPDX-License-Identifier: MIT */
/*
** call.c -- calls, returns, and moving values between frames
**
** A call makes a frame.  For a Lua function that is all; the loop runs it.  A C
** function runs here, at once.  Frames return through call_finish.  The common
** returns of Lua functions are an exception: the loop does them itself.
*/
#include "vm/call.h"

#include "object/budget.h"
#include "object/meta.h"
#include "vm/closing.h"
#include "vm/collect.h"
#include "vm/error.h"
#include "vm/hook.h"
#include "vm/loop.h"
#include "vm/machine_impl.h"

/* -- Limits ---------------------------------------------------------------- */

/* The error handler of an overflow may use a tenth more than the limit. */
COLD void call_check_depth(lua_State *L) {
  if (L->c_calls == C_CALLS_MAX)
    raise_error(L, "C stack overflow");
  else if (L->c_calls >= C_CALLS_MAX / 10 * 11)
    raise_throw(L, STATUS_ERROR_HANDLER);
}

/* Makes `count` slots above the top usable.  Returns the new address of
** `slot`. */
static COLD Value *grow_keeping(lua_State *L, Value *slot, size_t count) {
  ptrdiff_t offset = stack_save(L, slot);
  stack_grow(L, count);
  return stack_restore(L, offset);
}

static ALWAYS_INLINE Value *ensure_keeping(lua_State *L, Value *slot,
                                           size_t count) {
  if (LIKELY(L->limit - L->top >= (ptrdiff_t)count)) return slot;
  return grow_keeping(L, slot, count);
}

/* -- Results --------------------------------------------------------------- */

void call_move_results(lua_State *L, Value *to, int count, int wanted) {
  const Value *from = L->top - count;
  if (wanted == 1) {
    if (count == 0)
      value_set_nil(to);
    else
      value_copy(to, from);
    L->top = to + 1;
    return;
  }
  if (wanted == ALL_RESULTS) wanted = count;
  int i = 0;
  for (; i < count && i < wanted; i++) value_copy(to + i, from + i);
  for (; i < wanted; i++) value_set_nil(to + i);
  L->top = to + wanted;
}

/* Closes the slots that a returning C function marked with lua_toclose. */
static COLD int close_before_return(lua_State *L, int count) {
  Frame *f = L->frame;
  f->status |= FRAME_CLOSING;
  f->u2.results = count;
  closing_run(L, f->func + 1, CLOSE_NORMALLY, true);
  f = L->frame;
  f->status &= (uint16_t)~FRAME_CLOSING;
  return count;
}

void call_finish(lua_State *L, int count) {
  if (count > 0) budget_spend_values(L, (size_t)count);
  if (UNLIKELY(L->closable_count > 0) && !frame_is_lua(L->frame) &&
      closing_is_pending(L, L->frame->func + 1))
    close_before_return(L, count);
  if (UNLIKELY(L->hook_mask)) hook_return(L, count);
  Frame *f = L->frame;
  unsigned status = f->status;
  call_move_results(L, f->func, count, f->wanted);
  call_pop_frame(L);
  if (UNLIKELY(status & FRAME_META)) loop_finish(L);
}

/* -- Calls ----------------------------------------------------------------- */

static void reverse_values(Value *from, Value *end) {
  for (; from < --end; from++) {
    Value v = *from;
    value_copy(from, end);
    value_copy(end, &v);
  }
}

/* The metamethod of `func` is not a function, but has a __call of its own, and
** so on.  A script can make the chain long, or endless.  So the metamethods are
** collected above the arguments, and moved below them once, in reverse: the last
** one is called, with the others as its first arguments. */
static COLD Value *call_use_chain(lua_State *L, Value *func, Value *method) {
  enum { LEVEL_UNITS = 16 };
  size_t count = (size_t)(L->top - func);
  for (;;) {
    func = ensure_keeping(L, func, 1);
    value_copy(L->top++, method);
    if (value_is_function(method)) break;
    budget_spend(L, LEVEL_UNITS);
    if (!meta_get(L, L->top - 1, META_CALL, method)) {
      value_copy(func, L->top - 1);
      error_call(L, func);
    }
  }
  budget_spend(L, (size_t)(L->top - func));
  reverse_values(func, L->top);
  reverse_values(L->top - count, L->top);
  return func;
}

Value *call_use_metamethod(lua_State *L, Value *func) {
  Value method;
  func = ensure_keeping(L, func, 1);
  if (!meta_get(L, func, META_CALL, &method)) error_call(L, func);
  if (UNLIKELY(!value_is_function(&method)))
    return call_use_chain(L, func, &method);
  budget_charge(L, (size_t)(L->top - func));
  for (Value *p = L->top; p > func; p--) value_copy(p, p - 1);
  L->top++;
  value_copy(func, &method);
  return func;
}

static ALWAYS_INLINE void call_c(lua_State *L, Value *func, CFunction f,
                                 int wanted, unsigned status) {
  func = ensure_keeping(L, func, STACK_MIN_FREE);
  Frame *frame = frame_next(L);
  frame->func = func;
  frame->top = L->top + STACK_MIN_FREE;
  frame->wanted = (int16_t)wanted;
  frame->status = (uint16_t)(status | FRAME_C);
  L->frame = frame;
  if (UNLIKELY(L->hook_mask & HOOK_MASK_CALL)) hook_call(L);
  int count = f(L);
  call_check_results(L, count);
  collect_poll(L);
  call_finish(L, count);
}

static ALWAYS_INLINE Frame *call_lua(lua_State *L, Value *func, int wanted,
                                     unsigned status) {
  Proto *p = value_lua_closure(func)->proto;
  COUNT_CALL(L, p);
  func = ensure_keeping(L, func, p->frame_size);
  Frame *frame = frame_next(L);
  frame->func = func;
  frame->u.lua.pc = p->code;
  frame_set_mode(frame, frame_mode_of(wanted, status));
  L->frame = frame;
  call_make_lua_frame(L, frame, p, (unsigned)(L->top - func - 1));
  return frame;
}

/* In stress builds every call moves the stack, which finds pointers that are
** kept across a call.  Large stacks stay, because moving them takes too
** long.
** unreached: only in the stress build */
static Value *move_stack(lua_State *L, Value *func) {
  enum { MOVABLE_SLOTS = 4096 };
  if (L->end - L->stack > MOVABLE_SLOTS) return func;
  ptrdiff_t offset = stack_save(L, func);
  stack_move(L);
  return stack_restore(L, offset);
}

Frame *call_prepare(lua_State *L, Value *func, int wanted, unsigned status) {
  if (PENUMBRA_STRESS) func = move_stack(L, func);
  for (;;) {
    switch (func->tag) {
      case TAG_LUA_CLOSURE: return call_lua(L, func, wanted, status);
      case TAG_C_FUNCTION:
        call_c(L, func, func->as.f, wanted, status & ~(unsigned)FRAME_FRESH);
        return NULL;
      case TAG_C_CLOSURE:
        call_c(L, func, value_c_closure(func)->function, wanted,
               status & ~(unsigned)FRAME_FRESH);
        return NULL;
      default: func = call_use_metamethod(L, func);
    }
  }
}

/* Turns the running frame into a call of the Lua function in `func`. */
static void tail_lua(lua_State *L, Value *func) {
  Proto *p = value_lua_closure(func)->proto;
  COUNT_CALL(L, p);
  func = ensure_keeping(L, func, p->frame_size);
  Frame *f = L->frame;
  const Proto *old = frame_closure(f)->proto;
  if (old->is_vararg) {
    f->func -= f->u.lua.extra_args + old->param_count + 1;
    stack_lower(L, f->func);
  }
  call_remake_lua_frame(L, f, func, p);
  f->u.lua.pc = p->code;
}

bool call_prepare_tail(lua_State *L, Value *func) {
  if (!value_is_function(func)) func = call_use_metamethod(L, func);
  if (value_is_lua_closure(func)) {
    tail_lua(L, func);
    return true;
  }
  call_prepare(L, func, ALL_RESULTS, 0);
  return false;
}

/* -- From C ---------------------------------------------------------------- */

static void call_run(lua_State *L, Value *func, int wanted) {
  if (call_prepare(L, func, wanted, FRAME_FRESH)) loop_run(L);
}

/* The collector has visited slots of the calling C function.  The return lowers
** the watermark below them, but they do not change during the call.  So the old
** watermark is put back, unless a new major cycle has visited the stack. */
static COLD void call_run_watched(lua_State *L, Value *func, int wanted) {
  GcStack *stack = &thread_of(L)->gc;
  stack_lower(L, func);
  size_t visited = stack->watermark;
  uint32_t epoch = stack->epoch;
  call_run(L, func, wanted);
  if (stack->epoch != epoch || stack->watermark >= visited) return;
  stack->watermark = visited;
  thread_stack_watch(&stack->cell, visited);
}

static void call_nested(lua_State *L, Value *func, int wanted) {
  if (UNLIKELY(++L->c_calls >= C_CALLS_MAX)) {
    func = ensure_keeping(L, func, 0); /* top not in STACK_EXTRA */
    call_check_depth(L);
  }
  size_t frame = (size_t)(L->frame->func - L->stack);
  if (LIKELY(thread_of(L)->gc.watermark <= frame))
    call_run(L, func, wanted);
  else
    call_run_watched(L, func, wanted);
  L->c_calls--;
}

/* The host calls a function on a thread that is not resumed.  The thread counts
** as running during the call. */
static COLD void call_on_other_thread(lua_State *L, Value *func, int wanted) {
  Gc *gc = gc_of(L);
  Cell *running = gc->running;
  gc_stack_switch(gc, thread_cell(L));
  call_nested(L, func, wanted);
  gc_stack_switch(gc, running);
}

void call_value(lua_State *L, Value *func, int wanted) {
  if (UNLIKELY(gc_of(L)->running != thread_cell(L)))
    call_on_other_thread(L, func, wanted);
  else
    call_nested(L, func, wanted);
}

void call_value_no_yield(lua_State *L, Value *func, int wanted) {
  L->no_yield++;
  call_value(L, func, wanted);
  L->no_yield--;
}

/* -- Metamethods called from C --------------------------------------------- */

void call_meta_result(lua_State *L, const Value *f, const Value *a,
                      const Value *b, Value *result) {
  ptrdiff_t offset = stack_save(L, result);
  Value *func = L->top;
  value_copy(func, f);
  value_copy(func + 1, a);
  value_copy(func + 2, b);
  L->top = func + 3;
  call_value_no_yield(L, func, 1);
  L->top--;
  value_copy(stack_restore(L, offset), L->top);
}

void call_meta(lua_State *L, const Value *f, const Value *a, const Value *b,
               const Value *c) {
  Value *func = L->top;
  value_copy(func, f);
  value_copy(func + 1, a);
  value_copy(func + 2, b);
  value_copy(func + 3, c);
  L->top = func + 4;
  call_value_no_yield(L, func, 0);
}
