/* SPDX-License-Identifier: MIT */
/*
** coroutine.c -- resuming, yielding, closing
**
** A yield discards the C stack of the coroutine, down to its resume.  The
** frames hold everything that is needed to continue.  A resume goes through
** them from the last one.  It finishes C functions by their continuations and
** Lua functions by the loop, until no frame is left or there is another yield.
** An error is handled in the same way, from the last frame with FRAME_PCALL on.
**
** There are two kinds of resume.  lua_resume is a C function, and protects the
** coroutine itself.  A resume from Lua code is a switch within the loop
** (switch.h).  The host of that loop (see below) protects all coroutines that
** run in it.
*/
#include "vm/coroutine.h"

#include "object/budget.h"
#include "vm/call.h"
#include "vm/closing.h"
#include "vm/collect.h"
#include "vm/loop.h"
#include "vm/protect.h"
#include "vm/switch.h"
#include "vm/traits_impl.h"

/* -- Finishing what a yield interrupted ------------------------------------ */

/* Ends the lua_pcallk of the running frame, after a yield or an error. */
static int finish_pcall(lua_State *L) {
  Frame *f = L->frame;
  int status = f->u.c.recover;
  if (LIKELY(status == STATUS_OK)) {
    status = STATUS_YIELD;
  } else {
    Value *func = stack_restore(L, f->u2.function_slot);
    L->allow_hook = (f->status & FRAME_ALLOW_HOOK) != 0;
    func = closing_run(L, func, status, true);
    raise_error_value(L, status, func);
    stack_recover(L);
    L->frame->u.c.recover = STATUS_OK;
  }
  f = L->frame;
  f->status &= (uint16_t)~FRAME_PCALL;
  L->handler = f->u.c.old_handler;
  L->c_calls = (uint16_t)(thread_c_depth(L) + f->u.c.pcalls);
  L->pcalls = f->u.c.pcalls;
  return status;
}

/* Continues the C function of the running frame until it returns. */
static void finish_c(lua_State *L) {
  Frame *f = L->frame;
  int count;
  if (f->status & FRAME_CLOSING) {
    count = f->u2.results;
    f->status &= (uint16_t)~FRAME_CLOSING;
  } else {
    int status = STATUS_YIELD;
    if (f->status & FRAME_PCALL) status = finish_pcall(L);
    f = L->frame;
    if (f->top < L->top) f->top = L->top;
    if (status > STATUS_YIELD)
      collect_poll(L); /* an error may have made a message */
    f = L->frame;
    count = f->u.c.k(L, status, f->u.c.context);
  }
  call_finish(L, count);
}

static void run_frames(lua_State *L, void *unused) {
  (void)unused;
  while (L->frame != L->frames) {
    if (!frame_is_lua(L->frame)) {
      finish_c(L);
    } else {
      loop_resume(L);
      loop_run(L);
      if (L->status == STATUS_YIELD) return;
    }
  }
}

/* -- Resume ---------------------------------------------------------------- */

/* Continues after a yield, with `count` values passed to it. */
static void resume_yielded(lua_State *L, int count) {
  Frame *f = L->frame;
  L->status = STATUS_OK;
  if (L->paused_in) {
    L->top -= count;
    coroutine_host(L);
    if (L->status == STATUS_YIELD) return;
  } else if (frame_is_lua(f)) { /* a hook yielded: no values */
    f->u.lua.pc--;              /* the instruction has yet to run */
    L->top -= count;
    loop_run(L);
    if (L->status == STATUS_YIELD) return;
  } else {
    if (f->u.c.k) count = f->u.c.k(L, STATUS_YIELD, f->u.c.context);
    call_finish(L, count);
  }
  run_frames(L, NULL);
}

static void resume_body(lua_State *L, void *data) {
  int count = *(int *)data;
  if (L->status != STATUS_OK) {
    resume_yielded(L, count);
    return;
  }
  Value *func = L->top - count - 1;
  if (call_prepare(L, func, ALL_RESULTS, FRAME_FRESH)) loop_run(L);
}

/* The last frame above the first `below` that catches errors, or NULL. */
static Frame *find_pcall(const lua_State *L, ptrdiff_t below) {
  for (Frame *f = L->frame; f - L->frames > below; f--)
    if (f->status & FRAME_PCALL) return f;
  return NULL;
}

/* True if a frame catches the error.  That frame is then the running one.
** `depth` is the thread_c_depth that it continues with. */
static bool catch_by_frame(lua_State *L, int status, ptrdiff_t below,
                           unsigned depth) {
  Frame *f = budget_is_stopping(L) ? NULL : find_pcall(L, below);
  traits_check(L, MAY_RAISE);
  if (!f) return false;
  L->frame = f;
  L->pcalls = f->u.c.pcalls;
  L->c_calls = (uint16_t)(depth + L->pcalls);
  f->u.c.recover = (int16_t)status;
  stack_uncover(L);
  return true;
}

/* Continues from the frames that catch errors, until the coroutine yields,
** ends, or raises an error that no frame catches. */
static int recover(lua_State *L, int status) {
  while (status > STATUS_YIELD &&
         catch_by_frame(L, status, 0, L->resume_depth)) {
    L->no_yield = 0;
    status = raise_protect(L, run_frames, NULL);
  }
  return status;
}

/* No frame has caught the error: the coroutine is dead.  It keeps its stack. */
static void die(lua_State *L, int status) {
  const Global *g = L->global;
  L->status = (uint8_t)status;
  raise_error_value(L, status, L->top);
  L->frame->top = L->top;
  if (UNLIKELY(g->witness != NULL)) g->witness(L, g->witness_data, status);
}

/* Runs nothing.  The message replaces the values that were passed. */
static int resume_refused(lua_State *L, const char *message, int count) {
  L->top -= count;
  String *text = string_new_cached(L, message);
  value_set_string(L->top, text);
  L->top++;
  if (L->frame->top < L->top) L->frame->top = L->top;
  return STATUS_ERROR;
}

static const char *resume_obstacle(const lua_State *L, int count,
                                   unsigned depth) {
  if (L->status == STATUS_OK) {
    if (L->frame != L->frames) return "cannot resume non-suspended coroutine";
    if (L->top - (L->frame->func + 1) == count) return COROUTINE_IS_DEAD;
  } else if (L->status != STATUS_YIELD) {
    return COROUTINE_IS_DEAD;
  }
  return depth >= C_CALLS_MAX ? "C stack overflow" : NULL;
}

static int result_count_of(const lua_State *L, int status) {
  if (L->paused_in) return 0;
  return status == STATUS_YIELD ? L->frame->u2.yielded
                                : (int)(L->top - (L->frame->func + 1));
}

int coroutine_resume(lua_State *L, lua_State *from, int count,
                     int *result_count, bool by_lua) {
  Gc *gc = gc_of(L);
  Cell *running = gc->running;
  unsigned depth = from ? from->c_calls : 0;
  const char *obstacle = resume_obstacle(L, count, depth);
  if (obstacle) return resume_refused(L, obstacle, count);
  Budget *budget = &L->global->budget;
  lua_State *outermost = budget->outermost;
  uint16_t level = L->global->host_calls;
  bool by_host = !by_lua && (!from || level == budget->base);
  if (!by_lua) budget_enter(L);
  ResumeLink link = {L, from, by_lua, budget->resumes};
  if (by_host) budget->outermost = L;
  budget->resumes = &link;
  L->resume_depth = (uint16_t)(depth + 1);
  L->c_calls = (uint16_t)(L->resume_depth + L->pcalls);
  L->no_yield = 0;
  if (from) L->hook_mask |= from->hook_mask & HOOK_STEP;
  gc_stack_switch(gc, thread_cell(L));
  int status = recover(L, raise_protect(L, resume_body, &count));
  budget->outermost = outermost;
  budget->resumes = link.previous;
  if (by_host) budget->suspending = false;
  if (status == STATUS_OK) status = L->status; /* perhaps yielded */
  if (status > STATUS_YIELD) die(L, status);
  *result_count = result_count_of(L, status);
  gc_stack_switch(gc, running);
  int error = status > STATUS_YIELD ? status : STATUS_OK;
  if (by_lua)
    budget_pass(from, error);
  else if (from)
    budget_leave(from, level, error);
  else
    budget_leave(L, level, STATUS_OK); /* no thread to raise an error in */
  return status;
}

/* -- The host of a loop that switches -------------------------------------- */

/* Makes a resume return the error on top of L, or raises it if the frame on top
** of L belongs to a wrapped function and not to coroutine.resume. */
static void resume_fails(lua_State *L) {
  Value *error = L->top - 1;
  if (budget_is_stopping(L)) budget_raise(L);
  if (switch_is_wrapped(L->frame)) {
    vm_of(L)->wrapped_failed(L);
    return; /* not covered: the function raises */
  }
  value_copy(error + 1, error);
  value_set_bool(error, false);
  L->top++;
  call_finish(L, 2);
}

/* The coroutine has ended with the error on its top. */
static void pass_error(lua_State *co) {
  lua_State *L = switch_detach(co);
  thread_switch(co, L);
  stack_ensure(L, STACK_MIN_FREE);
  value_copy(L->top, co->top - 1);
  L->top++;
  co->top--;
  resume_fails(L);
}

static void pass_too_many(lua_State *L) {
  stack_ensure(L, STACK_MIN_FREE);
  String *text = string_from_c(L, "too many results to resume");
  value_set_string(L->top++, text);
  resume_fails(L);
}

/* The resume returns the `count` values on top of the coroutine. */
static void pass_values(lua_State *co, int count) {
  lua_State *L = switch_detach(co);
  thread_switch(co, L);
  bool fits = stack_try_grow(L, (size_t)count + STACK_MIN_FREE);
  co->top -= count; /* an allocation may clear slots above */
  if (!fits) {
    pass_too_many(L);
    return;
  }
  int first = switch_is_wrapped(L->frame) ? 0 : 1;
  if (first) value_set_bool(L->top++, true);
  for (int i = 0; i < count; i++) value_copy(L->top++, co->top + i);
  call_finish(L, first + count);
}

/* A call from C in the coroutine has ended.  Continues the frame on top, as in
** run_frames.  Without a frame, the coroutine has ended. */
static void host_finish(lua_State *co) {
  if (co->frame == co->frames) {
    pass_values(co, (int)(co->top - (co->stack + 1)));
    return;
  }
  if (!frame_is_lua(co->frame)) finish_c(co);
  if (frame_is_lua(co->frame)) loop_resume(co);
}

/* Attaches a coroutine that was suspended in the loop of L, and those that
** resumed it, to the new host of that loop. */
static void attach_again(lua_State *co, const lua_State *L) {
  if (co->resumer != L) attach_again(co->resumer, L);
  switch_attach(co, co->resumer);
}

/* Continues what coroutine_pause interrupted in the loop of L. */
static void host_unpause(lua_State *L) {
  lua_State *co = L->paused_in;
  L->paused_in = NULL;
  attach_again(co, L);
  gc_stack_switch(gc_of(L), thread_cell(co));
}

/* Runs the loop until it returns in L.  It can also return in a coroutine, at
** the end of a call that C made before a yield.  *thrown is NULL, or a
** coroutine that ended or yielded by a jump; its values are still to be passed
** on. */
static void host_body(lua_State *L, void *data) {
  lua_State **thrown = data, *co = *thrown;
  *thrown = NULL;
  if (L->paused_in)
    host_unpause(L);
  else if (co && co->status == STATUS_YIELD)
    pass_values(co, co->frame->u2.yielded);
  else if (co && co->status != STATUS_OK)
    pass_error(co);
  for (;;) {
    co = thread_running(L);
    if (co != L && co->paused_in) {
      coroutine_host(co); /* not covered: no test suspends a host in a host */
    } else if (frame_is_lua(co->frame)) {
      loop_run(co);
      if (thread_running(L) == L) return;
    }
    host_finish(thread_running(L));
  }
}

/* Handles a jump that the coroutine `co` made. */
static void host_catch(lua_State *co, int status) {
  gc_stack_switch(gc_of(co), thread_cell(co));
  co->no_yield = 0;
  if (status > STATUS_YIELD && !catch_by_frame(co, status, 0, co->resume_depth))
    die(co, status);
}

/* The number of frames below those of the loop that runs L. */
static ptrdiff_t frames_below_loop(const lua_State *L) {
  const Frame *f = L->frame;
  while (!(f->status & FRAME_FRESH) && f > L->frames) f--;
  return f - L->frames;
}

/* A coroutine that can yield does not catch its errors here.  They go on to its
** resume, so that the C functions in between continue as after a yield. */
void coroutine_host(lua_State *L) {
  const uint16_t outer = L->host_depth, no_yield = L->no_yield;
  const ptrdiff_t below = frames_below_loop(L);
  lua_State *thrown = NULL, *raiser;
  int status;
  L->host_depth = (uint16_t)thread_c_depth(L);
  for (;;) {
    status = raise_protect_shared(L, host_body, &thrown, &raiser);
    if (status == STATUS_OK) break;
    thrown = NULL;
    if (raiser == L) {
      gc_stack_switch(gc_of(L), thread_cell(L));
      if (status == STATUS_YIELD || no_yield == 0 ||
          !catch_by_frame(L, status, below, L->host_depth))
        break;
      L->no_yield = no_yield;
    } else if (status == STATUS_YIELD && L->global->budget.suspending) {
      gc_stack_switch(gc_of(L), thread_cell(L));
      L->paused_in = raiser;
      if (!L->resumer) L->status = STATUS_YIELD;
      break;
    } else {
      L->c_calls = (uint16_t)(L->host_depth + L->pcalls);
      host_catch(raiser, status);
      thrown = raiser;
    }
  }
  L->host_depth = outer;
  if (status != STATUS_OK) raise_throw(L, status);
}

/* -- Yield ----------------------------------------------------------------- */

static void check_can_yield(lua_State *L) {
  if (LIKELY(coroutine_can_yield(L))) return;
  raise_error(L, L == L->global->main
                     ? "attempt to yield from outside a coroutine"
                     : "attempt to yield across a C-call boundary");
}

int coroutine_yield(lua_State *L, int count, ContinuationContext context,
                    Continuation k) {
  check_can_yield(L);
  Frame *f = L->frame;
  L->status = STATUS_YIELD;
  f->u2.yielded = count;
  if (frame_is_lua(f)) return 0; /* in a hook, which does the rest */
  f->u.c.k = k;
  f->u.c.context = context;
  raise_throw(L, STATUS_YIELD);
}

/* A yield that does not jump clears FRAME_DIRECT.  The loop then looks at
** L->status, and returns. */
int coroutine_yield_result(lua_State *L, int count) {
  Frame *f = L->frame;
  if (!(f->status & FRAME_DIRECT) || thread_c_depth(L) != L->resume_depth ||
      L->resumer || !coroutine_can_yield(L))
    return coroutine_yield(L, count, 0, NULL);
  L->status = STATUS_YIELD;
  f->u2.yielded = count;
  f->u.c.k = NULL;
  f->status &= (uint16_t)~FRAME_DIRECT;
  return count;
}

/* -- Suspending all coroutines --------------------------------------------- */

/*
** The host has resumed `outer`, whose Lua code has resumed other coroutines by
** switching:
**
**     lua_resume(outer)
**       coroutine_host        outer -> co -> L
**
** L jumps to the host of its loop.  The host notes L in outer->paused_in, and
** outer yields.  The others keep their frames and resumers, and count as normal
** coroutines.  When outer is resumed, a new host attaches them again and runs
** the loop in L.
**
** A loop that a C function with a continuation has entered, such as pcall, has
** a host of its own.  Then the jump passes several hosts, and each notes where
** it was left.  A coroutine that was resumed by lua_resume in coroutine.resume
** yields; then the function that has called lua_resume yields as well, with a
** continuation that resumes again (lib/coroutine.c).
*/
_Noreturn void coroutine_pause(lua_State *L) {
  L->global->budget.suspending = true;
  if (!L->resumer) { /* like a yield in a hook */
    L->frame->u.lua.pc++;
    L->frame->u2.yielded = 0;
    L->status = STATUS_YIELD;
  }
  raise_throw(L, STATUS_YIELD);
}

/* Closes the coroutines that were suspended in the loop of L. */
static void close_paused(lua_State *L, lua_State *from) {
  while (L->paused_in) {
    lua_State *co = L->paused_in;
    close_paused(co, from);
    lua_State *resumer = switch_detach(co);
    L->paused_in = resumer == L ? NULL : resumer;
    coroutine_close(co, from);
  }
}

/* -- Close ----------------------------------------------------------------- */

int coroutine_close(lua_State *L, lua_State *from) {
  Gc *gc = gc_of(L);
  Cell *running = gc->running;
  int status = L->status == STATUS_YIELD ? STATUS_OK : L->status;
  close_paused(L, from);
  L->c_calls = from ? from->c_calls : 0;
  L->pcalls = 0;
  gc_stack_switch(gc, thread_cell(L));
  L->frame = L->frames;
  value_set_nil(L->stack);
  L->frame->func = L->stack;
  L->frame->status = FRAME_C;
  stack_uncover(L);
  L->status = STATUS_OK; /* so that it can run __close */
  L->handler = 0;
  status = protect_close(L, (ptrdiff_t)sizeof(Value), status);
  if (status != STATUS_OK)
    raise_error_value(L, status, L->stack + 1);
  else
    L->top = L->stack + 1;
  L->frame->top = L->top + STACK_MIN_FREE;
  stack_shrink(L);
  gc_stack_switch(gc, running);
  return status;
}
