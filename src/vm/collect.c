/* SPDX-License-Identifier: MIT */
/*
** collect.c -- steps of the collector, finalizers, warnings
*/
#include "vm/collect.h"

#include "object/budget.h"
#include "object/meta.h"
#include "vm/call.h"
#include "vm/protect.h"
#include "vm/state.h"
#include "vm/traits_impl.h"

enum {
  FINALIZER_MEMORY = 262144, /* bytes that a sandboxed script cannot use up */
  FINALIZER_C_CALLS = 32,    /* nested C calls ... */
  FINALIZER_SLOTS = 16384,   /* ... slots and frames that are left for them */
  FINALIZER_SPARE = 1024     /* slots that there is memory for */
};

/* -- Finalizers ------------------------------------------------------------ */

/* The object as a value. */
static void value_of_cell(Cell *cell, Value *out) {
  unsigned tag = cell->kind == KIND_TABLE ? TAG_TABLE : TAG_USERDATA;
  value_set_cell(out, cell, tag);
}

static void finalizer_body(lua_State *L, void *unused) {
  (void)unused;
  call_value_no_yield(L, L->top - 2, 0);
}

/* A finalizer of the host has some memory of its own while a sandboxed script
** runs, as far as the host's own limit allows.  The loan is limited, because
** the finalizer may call functions of the script.  Returns the script's
** limit. */
static size_t lend_memory(lua_State *L) {
  size_t limit = gc_of(L)->heap.limit, more = limit + FINALIZER_MEMORY;
  size_t most = vm_of(L)->host_limit;
  if (limit == 0 || L->global->sandbox_runs == 0 || more < limit) return limit;
  if (most) more = size_max(limit, size_min(more, most));
  gc_lend_limit(gc_of(L), more);
  return limit;
}

/* Calls the function below the top with the value on top as its argument.
** `where` is the name of the function in a warning. */
static void finalizer_call(lua_State *L, const char *where) {
  VmState *vm = vm_of(L);
  bool allow_hook = L->allow_hook;
  uint8_t stopped_by = vm->gc_stopped_by;
  ptrdiff_t frame = L->frame - L->frames;
  uint64_t began = gc_finalizer_begins(gc_of(L));
  bool waiting = budget_wait(L);
  size_t limit = lend_memory(L);
  vm->gc_stopped_by |= STOP_FINALIZER;
  L->allow_hook = false;
  L->frame->status |= FRAME_FINALIZER;
  int status =
      protect_run(L, finalizer_body, NULL, stack_save(L, L->top - 2), 0);
  L->frames[frame].status &= (uint16_t)~FRAME_FINALIZER;
  L->allow_hook = allow_hook;
  vm->gc_stopped_by = stopped_by;
  if (UNLIKELY(began)) gc_finalizer_ends(gc_of(L), began);
  if (UNLIKELY(status != STATUS_OK)) {
    if (!budget_is_stopping(L)) warn_error(L, where);
    L->top--; /* the next poll raises the budget's error again */
  }
  if (waiting) budget_go_on(L);
  if (L->global->sandbox_runs > 0) gc_lend_limit(gc_of(L), limit);
}

/* Calls the finalizer of the next object that is ready.  False if there is no
** such object. */
static bool finalize_one(lua_State *L) {
  Cell *cell = gc_next_finalizable(gc_of(L));
  if (!cell) return false;
  Value object, method;
  value_of_cell(cell, &object);
  if (!meta_get(L, &object, META_GC, &method)) return true;
  value_copy(L->top, &method); /* there is always STACK_EXTRA */
  value_copy(L->top + 1, &object);
  L->top += 2;
  finalizer_call(L, "__gc");
  return true;
}

void collect_finalize(lua_State *L, size_t limit) {
  for (size_t i = 0; limit == 0 || i < limit; i++)
    if (!finalize_one(L) || !budget_allows_finalizer(L)) return;
}

size_t collect_finalize_until(lua_State *L, size_t limit, uint64_t end) {
  size_t count = 0;
  while (limit == 0 || count < limit) {
    if (end != UINT64_MAX && gc_clock() >= end) break;
    if (!finalize_one(L)) break;
    count++;
  }
  return count;
}

/* -- The soft target ------------------------------------------------------- */

static int target_call(lua_State *L) {
  VmState *vm = vm_of(L);
  vm->on_target(L, vm->on_target_data, gc_of(L)->stats.live_bytes);
  return 0;
}

/* The host's function runs where finalizers may run, under the same rules. */
void collect_tell_target(lua_State *L) {
  if (LIKELY(!gc_target_missed(gc_of(L))) || !vm_of(L)->on_target) return;
  value_set_c_function(L->top, target_call);
  value_set_nil(L->top + 1);
  L->top += 2;
  finalizer_call(L, "target");
}

/* -- Steps ----------------------------------------------------------------- */

/* The running stack may shrink once in a cycle.  Its limit tells how deep it
** was since the end of marking.  So a program whose depth goes up and down
** keeps the memory of its stack. */
static void shrink_running(lua_State *L) {
  enum { KEPT = 4 };
  uint64_t cycles = gc_of(L)->stats.cycles;
  if (LIKELY(vm_of(L)->cycles_shrunk == cycles)) return;
  vm_of(L)->cycles_shrunk = cycles;
  if ((L->limit - L->stack) * KEPT < L->end - L->stack) stack_shrink_some(L);
}

/* The collector's work counts against a budget, too, because a unit of it takes
** some nanoseconds. */
static void step_and_spend(lua_State *L) {
  enum { WORK_UNITS = 4 };
  Gc *gc = gc_of(L);
  uint64_t work = gc->stats.work;
  gc_step(gc);
  L->global->budget.fuel -= (int64_t)(gc->stats.work - work) * WORK_UNITS;
}

/* True if there is memory for a few calls.  A small stack can grow within the
** memory that lend_memory gives. */
static bool stack_has_spare(const lua_State *L) {
  enum { BYTES = 4 * sizeof(Value), MOST = FINALIZER_MEMORY / BYTES };
  if (gc_of(L)->heap.limit == 0) return true;
  return (L->end - L->stack < MOST || L->end - L->top >= FINALIZER_SPARE) &&
         (L->frame_limit - L->frames < MOST / 4 ||
          L->frame_limit - L->frame >= FINALIZER_SPARE / 4);
}

/* Where a sandboxed script has nearly filled the stack, finalizers of the host
** wait, because they would fail.  What waits counts against the script's limit
** of memory. */
static bool finalizers_have_slots(const lua_State *L) {
  if (LIKELY(L->global->sandbox_runs == 0)) return true;
  const ptrdiff_t most = STACK_MAX - FINALIZER_SLOTS;
  return L->c_calls < C_CALLS_MAX - FINALIZER_C_CALLS &&
         L->top - L->stack < most && L->frame - L->frames < most &&
         stack_has_spare(L);
}

/* True if a finalizer runs that this file called.  When it returns, the others
** are called. */
static bool others_follow(lua_State *L) {
  return vm_of(L)->gc_stopped_by == STOP_FINALIZER && !gc_is_late(gc_of(L));
}

/* Runs a step of the collector, and then finalizers, unless `quiet`.  The next
** cycle waits for pending finalizers if they are called here, or by a caller of
** this function.  It does not wait for ever: a finalizer may run for long. */
static void run_step(lua_State *L, bool quiet) {
  Gc *gc = gc_of(L);
  const VmState *vm = vm_of(L);
  if (gc->inside) return;
  traits_check(L, MAY_ALLOCATE);
  presize_learn(L);
  bool none = quiet || vm->gc_stopped_by || !finalizers_have_slots(L);
  size_t most = none ? 0 : (size_t)vm->finalizers_per_step;
  gc_expect_finalizers(gc, most > 0 || others_follow(L));
  step_and_spend(L);
  if (gc_has_finalizable(gc) && most > 0)
    collect_finalize(L, size_min(gc_finalizers_due(gc), most));
  if (!none) collect_tell_target(L);
}

void collect_step_quietly(lua_State *L) { run_step(L, true); }

void collect_step(lua_State *L) {
  run_step(L, false);
  shrink_running(L);
}

void collect_step_below(lua_State *L, Value *live_end) {
  Value *old_top = L->top;
  ptrdiff_t frame = L->frame - L->frames;
  ptrdiff_t frame_top = L->frame->top - L->stack;
  ptrdiff_t top = old_top - L->stack;
  L->frame->top = L->top = live_end;
  run_step(L, false);
  L->frames[frame].top = L->stack + frame_top;
  L->top = L->stack + top;
  shrink_running(L);
}

void collect_after_growth(lua_State *L, Value *live_end) {
  VmState *vm = vm_of(L);
  vm->growth_passed = !vm->growth_passed && !gc_of(L)->debug.step_always;
  if (!vm->growth_passed) collect_step_below(L, live_end);
}

void collect_full(lua_State *L) {
  stack_shrink(L);
  gc_collect(gc_of(L));
  if (vm_of(L)->gc_stopped_by) return;
  collect_finalize(L, 0);
  collect_tell_target(L);
}

/* -- Warnings -------------------------------------------------------------- */

void warn_emit(lua_State *L, const char *message, bool to_continue) {
  VmState *vm = vm_of(L);
  if (vm->warn) vm->warn(vm->warn_data, message, to_continue);
}

void warn_error(lua_State *L, const char *where) {
  const Value *error = L->top - 1;
  const char *message = value_is_string(error)
                            ? string_bytes(value_string(error))
                            : "error object is not a string";
  warn_emit(L, "error in ", true);
  warn_emit(L, where, true);
  warn_emit(L, " (", true);
  warn_emit(L, message, true);
  warn_emit(L, ")", false);
}
