/* SPDX-License-Identifier: MIT */
/*
** protect.c -- protected calls, and restoring the state after an error
*/
#include "vm/protect.h"

#include "object/budget.h"
#include "vm/call.h"
#include "vm/closing.h"
#include "vm/traits_impl.h"

/* The values to restore after an error. */
typedef struct Saved {
  ptrdiff_t frame;
  Cell *running;
  uint16_t no_yield;
  uint16_t pcalls;
  bool allow_hook;
} Saved;

static Saved protect_save(const lua_State *L) {
  Saved saved = {L->frame - L->frames, gc_of(L)->running, L->no_yield,
                 L->pcalls, L->allow_hook};
  return saved;
}

static void protect_restore(lua_State *L, const Saved *saved) {
  gc_stack_switch(gc_of(L), saved->running);
  L->frame = L->frames + saved->frame;
  L->no_yield = saved->no_yield;
  L->pcalls = saved->pcalls;
  L->allow_hook = saved->allow_hook;
  stack_uncover(L);
}

/* -- Closing --------------------------------------------------------------- */

typedef struct CloseData {
  ptrdiff_t level;
  int status;
} CloseData;

static void close_body(lua_State *L, void *data) {
  CloseData *close = data;
  closing_run(L, stack_restore(L, close->level), close->status, false);
}

int protect_close(lua_State *L, ptrdiff_t level, int status) {
  Saved saved = protect_save(L);
  for (;;) {
    CloseData close = {level, status};
    int result = raise_protect(L, close_body, &close);
    if (LIKELY(result == STATUS_OK)) return status;
    protect_restore(L, &saved);
    status = result; /* an error in a __close replaces the first one ... */
    if (UNLIKELY(budget_is_stopping(L))) { /* ... unless that is a budget's */
      budget_push_message(L);
      status = STATUS_ERROR;
    }
  }
}

/* -- Running --------------------------------------------------------------- */

int protect_run(lua_State *L, RaiseBody *body, void *data, ptrdiff_t old_top,
                ptrdiff_t handler) {
  Saved saved = protect_save(L);
  ptrdiff_t old_handler = L->handler;
  L->handler = handler;
  int status = raise_protect(L, body, data);
  if (UNLIKELY(status != STATUS_OK)) {
    traits_check(L, MAY_RAISE);
    protect_restore(L, &saved);
    status = protect_close(L, old_top, status);
    raise_error_value(L, status, stack_restore(L, old_top));
    stack_recover(L);
  }
  L->handler = old_handler;
  return status;
}

typedef struct CallData {
  Value *func;
  int wanted;
} CallData;

static void call_body(lua_State *L, void *data) {
  CallData *call = data;
  call_value_no_yield(L, call->func, call->wanted);
}

int protect_call(lua_State *L, Value *func, int wanted, ptrdiff_t handler) {
  CallData call = {func, wanted};
  uint16_t level = budget_enter(L);
  int status = protect_run(L, call_body, &call, stack_save(L, func), handler);
  budget_leave(L, level, status);
  return status;
}

/* -- With continuations ---------------------------------------------------- */

/* After a call with all results, extends the C function's frame over them. */
static void allow_results(lua_State *L, int wanted) {
  if (wanted <= ALL_RESULTS && L->frame->top < L->top) L->frame->top = L->top;
}

void protect_call_k(lua_State *L, Value *func, int wanted,
                    ContinuationContext context, Continuation k) {
  if (k && L->no_yield == 0) {
    L->frame->u.c.k = k;
    L->frame->u.c.context = context;
    call_value(L, func, wanted);
  } else {
    call_value_no_yield(L, func, wanted);
  }
  allow_results(L, wanted);
}

/* A yield may discard the C stack of this call, so no setjmp on it can catch
** errors.  The frame says what to do instead (see coroutine.c). */
static void pcall_by_frame(lua_State *L, Value *func, int wanted,
                           ptrdiff_t handler) {
  Frame *f = L->frame;
  f->u2.function_slot = (int32_t)stack_save(L, func);
  f->u.c.old_handler = (int32_t)L->handler;
  f->u.c.recover = STATUS_OK;
  f->u.c.pcalls = L->pcalls;
  L->handler = handler;
  f->status &= (uint16_t)~FRAME_ALLOW_HOOK;
  f->status |= FRAME_PCALL | (L->allow_hook ? FRAME_ALLOW_HOOK : 0);
  call_value(L, func, wanted);
  f = L->frame;
  f->status &= (uint16_t)~FRAME_PCALL;
  L->handler = f->u.c.old_handler;
}

/* The error of a budget passes a call with a continuation, as it does if that is
** made by frame; but not if nothing else would catch it. */
static int pcall_by_c(lua_State *L, Value *func, int wanted, ptrdiff_t handler,
                      bool continues) {
  if (!continues || L->global->host_calls == 0)
    return protect_call(L, func, wanted, handler);
  CallData call = {func, wanted};
  int status = protect_run(L, call_body, &call, stack_save(L, func), handler);
  budget_pass(L, status);
  return status;
}

int protect_pcall_k(lua_State *L, Value *func, int wanted, ptrdiff_t handler,
                    ContinuationContext context, Continuation k) {
  int status = STATUS_OK;
  if (k && L->no_yield == 0) {
    L->frame->u.c.k = k;
    L->frame->u.c.context = context;
    pcall_by_frame(L, func, wanted, handler);
  } else {
    status = pcall_by_c(L, func, wanted, handler, k != NULL);
  }
  allow_results(L, wanted);
  return status;
}
