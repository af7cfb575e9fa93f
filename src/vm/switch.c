/* SPDX-License-Identifier: MIT */
/*
** switch.c -- coroutines and protected calls within the loop
**
** The order of actions in a switch matters to the collector:
**
**  1. The thread that stops gets the frames and the top that it keeps while it
**     rests.  The values to pass are still below its top, because a visit of
**     the collector clears the slots above the top.
**  2. A frame that ends in the other thread is removed.
**  3. The other thread becomes the running one.  So a store into its stack
**     needs no barrier.
**  4. The values are copied, and the top of the resting thread is lowered.
*/
#include "vm/switch.h"

#include "bytecode/bytecode.h"
#include "vm/call.h"
#include "vm/closing.h"
#include "vm/coroutine.h"
#include "vm/loop.h"
#include "vm/native.h"
#include "vm/watch.h"

/* In stress builds, moves the stack wherever it may move. */
static ALWAYS_INLINE void shake(lua_State *L) {
  if (PENUMBRA_STRESS) stack_move(L);
}

/* -- Pieces ---------------------------------------------------------------- */

/* Each switch is written once and compiled twice.  In the common case there is
** room for everything and no work for the collector, so no function is
** called. */
typedef enum Way { COMMON, GENERAL } Way;

/* The slots needed above the top for the frame of a C function that is not
** really called.  A host may push STACK_MIN_FREE values on a suspended
** coroutine, like a C function.  STACK_EXTRA of them always exist.  pcall and
** xpcall first add one or two values. */
enum {
  SLOTS_ABOVE = STACK_MIN_FREE - STACK_EXTRA,
  SLOTS_OF_PCALL = SLOTS_ABOVE + 1,
  SLOTS_OF_XPCALL = SLOTS_ABOVE + 2
};

static ALWAYS_INLINE bool has_slots(const lua_State *L, int slots) {
  return !PENUMBRA_STRESS && L->frame + 1 < L->frame_limit &&
         L->end - L->top >= slots;
}

/* Makes room for the frame of a C function that is not really called.  Its
** slots need not be cleared: see thread.h.  Returns the new address of `func`.
** NULL if the stack cannot grow; then nothing has moved. */
static Value *make_slots(lua_State *L, Value *func, int slots) {
  ptrdiff_t offset = stack_save(L, func);
  if (L->end - L->top < slots && !stack_try_grow(L, (size_t)slots)) return NULL;
  if (L->frame + 1 >= L->frame_limit) frame_grow(L);
  shake(L);
  return stack_restore(L, offset);
}

static ALWAYS_INLINE void push_frame(lua_State *L, Value *func) {
  Frame *f = L->frame + 1;
  f->func = func;
  f->top = L->top + STACK_MIN_FREE;
  f->u.c.k = NULL;
  f->status = FRAME_C | FRAME_SWITCH;
  L->frame = f;
}

static ALWAYS_INLINE void run(lua_State *from, lua_State *to, Way way) {
  if (way == COMMON) {
    gc_stack_run(gc_of(to), thread_cell(to));
    gc_stack_rest_fast(gc_of(to), thread_cell(from));
  } else {
    thread_switch(from, to);
  }
}

/* Copies `count` values to the results of a call.  Adds nils or drops values,
** so that there are `wanted`. */
static ALWAYS_INLINE void give(Value *to, ptrdiff_t wanted, const Value *from,
                               ptrdiff_t count) {
  for (; wanted > 0 && count > 0; wanted--, count--) value_copy(to++, from++);
  for (; wanted > 0; wanted--) value_set_nil(to++);
}

/* The same, but if `wanted` is negative, copies all values, and sets the top
** behind them. */
static ALWAYS_INLINE void give_any(lua_State *L, Value *to, ptrdiff_t wanted,
                                   const Value *from, ptrdiff_t count) {
  if (UNLIKELY(wanted < 0)) {
    wanted = count;
    L->top = to + count;
  }
  give(to, wanted, from, count);
}

/* -- Resume ---------------------------------------------------------------- */

/* True if `co` has yielded from a C function that has no continuation and no
** slot to close. */
static ALWAYS_INLINE bool has_yielded(const lua_State *co) {
  enum { HARMLESS = FRAME_WATCH | FRAME_DIRECT | FRAME_SWITCH };
  const Frame *f = co->frame;
  return co->status == STATUS_YIELD && (f->status & ~HARMLESS) == FRAME_C &&
         !f->u.c.k && frame_is_lua(f - 1) &&
         !closing_is_pending(co, f->func + 1);
}

/* True if `co` has not started, and its first function is a Lua function. */
static ALWAYS_INLINE bool can_start(const lua_State *co) {
  return co->status == STATUS_OK && co->frame == co->frames &&
         co->top == co->stack + 2 && co->stack[1].tag == TAG_LUA_CLOSURE;
}

/* True if `co` has no hooks, and is not in a protected call or loop. */
static ALWAYS_INLINE bool is_free(const lua_State *co) {
  return !co->hook_mask && !co->catcher;
}

/* Makes the registers of the first function usable, including the arguments.
** Makes no further room, because most coroutines stay small.  But a stack that
** must grow also gets room for a yield. */
static ALWAYS_INLINE bool make_registers(lua_State *co, size_t count) {
  Value *needed = co->top + count;
  if (UNLIKELY(needed > co->end))
    return stack_try_grow(co, count + 1 + SLOTS_ABOVE);
  Value *v = co->limit > co->top ? co->limit : co->top;
  for (; v < needed; v++) value_set_nil(v);
  if (co->limit < needed) co->limit = needed;
  return true;
}

/* Pushes the frame of the first function of a coroutine. */
static ALWAYS_INLINE void enter_function(lua_State *co, const Proto *p) {
  Frame *f = co->frame + 1;
  f->func = co->stack + 1;
  f->u.lua.pc = p->code;
  frame_set_mode(f, frame_mode_of(ALL_RESULTS, FRAME_FRESH));
  co->frame = f;
  call_make_lua_frame(co, f, p, p->param_count);
}

/* The first resume.  The arguments are behind the `keep` values at `func`.
** Those stay on the stack, because they refer to the coroutine. */
static NO_INLINE int start(lua_State *L, lua_State *co, Value *func,
                           unsigned argc, unsigned keep) {
  const Proto *p = value_lua_closure(&co->stack[1])->proto;
  if (!make_registers(co, (size_t)p->frame_size + argc)) return NATIVE_RETRY;
  shake(co);
  if (UNLIKELY(!has_slots(L, SLOTS_ABOVE)) &&
      !(func = make_slots(L, func, SLOTS_ABOVE)))
    return NATIVE_RETRY;
  push_frame(L, func);
  switch_attach(co, L);
  enter_function(co, p);
  thread_switch(L, co);
  Value *to = co->frame->func + 1;
  const size_t params = p->param_count;
  const size_t wanted = params > argc ? params : argc;
  give(to, wanted, func + keep, argc);
  co->top = to + wanted;
  L->top = func + keep;
  return NATIVE_SWITCHED;
}

/* A later resume: the yield returns the arguments. */
static ALWAYS_INLINE int proceed(lua_State *L, lua_State *co, Value *func,
                                 unsigned argc, unsigned keep, Way way) {
  push_frame(L, func);
  switch_attach(co, L);
  const Frame *f = co->frame--;
  co->status = STATUS_OK;
  run(L, co, way);
  give_any(co, f->func, f->wanted, func + keep, argc);
  if (UNLIKELY(!(f->status & FRAME_SWITCH))) loop_resume(co);
  L->top = func + keep;
  return NATIVE_SWITCHED;
}

/* The general case.  A yield that takes all results may need a larger stack. */
static NO_INLINE int proceed_anyway(lua_State *L, lua_State *co, Value *func,
                                    unsigned argc, unsigned keep) {
  if (co->frame->wanted < 0 && co->limit - co->top < (ptrdiff_t)argc &&
      !stack_try_grow(co, argc))
    return NATIVE_RETRY;
  shake(co);
  if (!(func = make_slots(L, func, SLOTS_ABOVE))) return NATIVE_RETRY;
  return proceed(L, co, func, argc, keep, GENERAL);
}

static NO_INLINE int resume_anyway(lua_State *L, lua_State *co, Value *func,
                                   unsigned argc, unsigned keep) {
  bool starts = can_start(co);
  if (!is_free(co) || L->c_calls >= C_CALLS_MAX) return NATIVE_RETRY;
  if (!starts && !has_yielded(co)) return NATIVE_RETRY;
  if (thread_c_depth(L) != L->host_depth) return NATIVE_NEEDS_HOST;
  return starts ? start(L, co, func, argc, keep)
                : proceed_anyway(L, co, func, argc, keep);
}

/* Charges for values that go from one stack to another, if they are many. */
static ALWAYS_INLINE void charge_values(const lua_State *L, unsigned count) {
  enum { UNITS = 2 };
  if (UNLIKELY(count > BUDGET_FEW_VALUES))
    budget_charge(L, (size_t)count * UNITS);
}

static ALWAYS_INLINE int resume(lua_State *L, lua_State *co, Value *func,
                                unsigned argc, unsigned keep) {
  charge_values(L, argc);
  if (LIKELY(has_yielded(co) && is_free(co) &&
             thread_c_depth(L) == L->host_depth && L->c_calls < C_CALLS_MAX &&
             co->frame->wanted >= 0 && has_slots(L, SLOTS_ABOVE) &&
             thread_switch_is_free(L, co, co->frame - 1)))
    return proceed(L, co, func, argc, keep, COMMON);
  return resume_anyway(L, co, func, argc, keep);
}

/* Resuming a dead coroutine returns false and a message. */
static NO_INLINE int resume_dead(lua_State *L, Value *out) {
  String *message = string_new_cached(L, COROUTINE_IS_DEAD);
  value_set_bool(&out[0], false);
  value_set_string(&out[1], message);
  return 2;
}

int switch_resume(lua_State *L, Value *args, unsigned argc, Value *func) {
  if (argc == 0 || args->tag != TAG_THREAD || L->hook_mask) return NATIVE_RETRY;
  lua_State *co = value_thread(args);
  int done = resume(L, co, func, argc - 1, 2);
  bool dead = done == NATIVE_RETRY && coroutine_status(L, co) == THREAD_DEAD;
  return UNLIKELY(dead) ? resume_dead(L, func) : done;
}

int switch_wrapped(lua_State *L, UNUSED Value *args, unsigned argc,
                   Value *func) {
  const Value *thread = &value_c_closure(func)->upvalue[0];
  /* A debugger can replace the upvalue. */
  if (UNLIKELY(thread->tag != TAG_THREAD)) return NATIVE_RETRY;
  return resume(L, value_thread(thread), func, argc, 1);
}

/* -- Yield and return ------------------------------------------------------ */

/* True if the resumer can take the values in the common case. */
static ALWAYS_INLINE bool takes_easily(const lua_State *L,
                                       const lua_State *resumer) {
  return !resumer->hook_mask && resumer->frame->wanted >= 0 &&
         !PENUMBRA_STRESS &&
         thread_switch_is_free(L, resumer, resumer->frame - 1);
}

/* True if the resumer can take `count` values without growing its stack. */
static ALWAYS_INLINE bool can_take(const lua_State *resumer, int count) {
  const Frame *f = resumer->frame;
  return !resumer->hook_mask &&
         (f->wanted >= 0 || resumer->limit - f->func > (ptrdiff_t)count);
}

/* Switches to the resumer.  The `count` values at `from` become the results of
** the resume. */
static ALWAYS_INLINE void leave(lua_State *L, const Value *from, int count,
                                Way way) {
  lua_State *resumer = switch_detach(L);
  const Frame *f = resumer->frame--;
  Value *to = f->func;
  ptrdiff_t wanted = f->wanted;
  bool wrapped = switch_is_wrapped(f);
  run(L, resumer, way);
  if (!wrapped && wanted != 0) {
    value_set_bool(to++, true);
    if (wanted > 0) wanted--;
  }
  if (way == COMMON)
    give(to, wanted, from, count);
  else
    give_any(resumer, to, wanted, from, count);
}

static ALWAYS_INLINE int yield(lua_State *L, Value *func, unsigned argc,
                               Way way) {
  push_frame(L, func);
  L->status = STATUS_YIELD;
  leave(L, func + 1, (int)argc, way);
  L->top = func + 1;
  return NATIVE_SWITCHED;
}

static NO_INLINE int yield_anyway(lua_State *L, Value *func, unsigned argc) {
  if (!can_take(L->resumer, (int)argc)) return NATIVE_RETRY;
  if (!(func = make_slots(L, func, SLOTS_ABOVE))) return NATIVE_RETRY;
  shake(L->resumer);
  return yield(L, func, argc, GENERAL);
}

/* A call that forbids yields comes from C, so c_calls is larger there. */
int switch_yield(lua_State *L, UNUSED Value *args, unsigned argc, Value *func) {
  const lua_State *resumer = L->resumer;
  if (UNLIKELY(!resumer || thread_c_depth(L) != L->resume_depth ||
               L->hook_mask))
    return NATIVE_RETRY;
  ASSERT(L->no_yield == 0, "no_yield is %d in the loop", L->no_yield);
  charge_values(L, argc);
  if (LIKELY(takes_easily(L, resumer) && has_slots(L, SLOTS_ABOVE)))
    return yield(L, func, argc, COMMON);
  return yield_anyway(L, func, argc);
}

bool switch_return(lua_State *L, const Value *first, int count) {
  const lua_State *resumer = L->resumer;
  if (L->frame - 1 != L->frames || !resumer || L->hook_mask ||
      !takes_easily(L, resumer))
    return false;
  L->frame--;
  leave(L, first, count, COMMON);
  L->top = L->stack + 1;
  stack_release(L);
  return true;
}

bool switch_back(lua_State *L) {
  if (L->frame != L->frames || !L->resumer) return false;
  int count = (int)(L->top - (L->stack + 1));
  if (!can_take(L->resumer, count)) return false;
  shake(L->resumer);
  leave(L, L->stack + 1, count, GENERAL);
  L->top = L->stack + 1;
  stack_release(L);
  return true;
}

/* -- Protected calls ------------------------------------------------------- */

/* The results that the current instruction, a call, wants. */
static int wanted_results(const Frame *f) {
  Instruction i = watch_instruction(f);
  switch (code_op(i)) {
    case OP_CALL: return (int)code_c(i);
    case OP_CALLM: return (int)code_c(i) - 1;
    case OP_TFORCALL: return (int)code_b(i);
    default: return ALL_RESULTS;
  }
}

/* Counts the results, which are on top of the stack.  Without an error, they
** follow a `true` at `place`, counted from the slot of pcall.  Also the
** continuation of pcall. */
static int switch_finish_pcall(lua_State *L, int status,
                               ContinuationContext place) {
  if (status == STATUS_OK || status == STATUS_YIELD)
    return (int)(L->top - (L->frame->func + place));
  stack_ensure(L, 1);
  value_copy(L->top, L->top - 1);
  value_set_bool(L->top - 1, false);
  L->top++;
  return 2;
}

/* The function was called for as many results as pcall has to return.  But
** pcall adds `true` in front of them, so there may be one result too many. */
void switch_end_pcall(lua_State *L) {
  Frame *f = L->frame;
  L->handler = f->u.c.old_handler;
  L->pcalls--;
  call_leave_c(L);
  if (UNLIKELY(L->hook_mask)) {
    f->status &= (uint16_t)~FRAME_PCALL;
    call_finish(L, switch_finish_pcall(L, STATUS_OK, f->u.c.context));
    return;
  }
  ptrdiff_t wanted = f->wanted;
  const Value *from = f->func + f->u.c.context;
  Value *to = f->func;
  call_pop_frame(L);
  if (wanted < 0) wanted = L->top - from;
  L->top = to + wanted;
  for (; wanted > 0; wanted--) value_copy(to++, from++);
}

/* Pushes the frame of pcall.  `place` is that of `true`; the function to call
** and its arguments follow. */
static ALWAYS_INLINE void push_pcall(lua_State *L, Value *func, ptrdiff_t place,
                                     ptrdiff_t handler) {
  int wanted = wanted_results(L->frame);
  value_set_bool(&func[place], true);
  push_frame(L, func);
  Frame *f = L->frame;
  f->wanted = (int16_t)wanted;
  f->status |= FRAME_PCALL | (L->allow_hook ? FRAME_ALLOW_HOOK : 0);
  f->u.c.k = switch_finish_pcall;
  f->u.c.context = place;
  f->u.c.recover = STATUS_OK;
  f->u.c.pcalls = L->pcalls++;
  f->u.c.old_handler = (int32_t)L->handler;
  f->u2.function_slot = (int32_t)stack_save(L, &func[place + 1]);
  L->handler = handler;
  call_enter_c(L);
}

/* Calls the function above `place`. */
static int protected_call(lua_State *L, ptrdiff_t place) {
  Value *callee = L->frame->func + place + 1;
  int wanted = L->frame->wanted;
  budget_spend_values(L, (size_t)(L->top - callee));
  if (UNLIKELY(!value_is_function(callee)))
    callee = call_use_metamethod(L, callee);
  if (LIKELY(value_is_lua_closure(callee))) {
    call_prepare(L, callee, wanted, FRAME_SWITCH);
    return NATIVE_SWITCHED;
  }
  ptrdiff_t func = stack_save(L, L->frame->func);
  call_prepare(L, callee, wanted, 0);
  switch_end_pcall(L);
  return wanted < 0 ? (int)(L->top - stack_restore(L, func)) : wanted;
}

/* Stack during the call: pcall, true, function, arguments. */
int switch_pcall(lua_State *L, UNUSED Value *args, unsigned argc, Value *func) {
  if (UNLIKELY(argc == 0 || L->hook_mask)) return NATIVE_RETRY;
  if (UNLIKELY(thread_c_depth(L) != L->host_depth)) return NATIVE_NEEDS_HOST;
  if (UNLIKELY(!has_slots(L, SLOTS_OF_PCALL)) &&
      !(func = make_slots(L, func, SLOTS_OF_PCALL)))
    return NATIVE_RETRY;
  for (Value *v = L->top++; v > &func[1]; v--) value_copy(v, v - 1);
  push_pcall(L, func, 1, 0);
  return protected_call(L, 1);
}

/* Stack during the call: xpcall, function, handler, true, function,
** arguments. */
int switch_xpcall(lua_State *L, Value *args, unsigned argc, Value *func) {
  if (UNLIKELY(argc < 2 || !value_is_function(&args[1]) || L->hook_mask))
    return NATIVE_RETRY;
  if (UNLIKELY(thread_c_depth(L) != L->host_depth)) return NATIVE_NEEDS_HOST;
  if (UNLIKELY(!has_slots(L, SLOTS_OF_XPCALL)) &&
      !(func = make_slots(L, func, SLOTS_OF_XPCALL)))
    return NATIVE_RETRY;
  L->top += 2;
  for (Value *v = L->top - 1; v > &func[4]; v--) value_copy(v, v - 2);
  value_copy(&func[4], &func[1]);
  push_pcall(L, func, 3, stack_save(L, &func[2]));
  return protected_call(L, 3);
}
