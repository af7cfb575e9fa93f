/* SPDX-License-Identifier: MIT */
/*
** collect.c -- steps of the collector, finalizers, warnings
*/
#include "vm/collect.h"

#include "object/budget.h"
#include "object/meta.h"
#include "vm/call.h"
#include "vm/protect.h"
#include "vm/room.h"

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

/* Calls the function below the top with the value on top as its argument.
** `where` is the name of the function in a warning. */
static void finalizer_call(lua_State *L, const char *where) {
  Global *g = L->global;
  bool allow_hook = L->allow_hook;
  uint8_t stopped_by = g->gc_stopped_by;
  ptrdiff_t frame = L->frame - L->frames;
  uint64_t began = g->finalizers_timed ? gc_clock() : 0;
  bool waiting = budget_wait(L);
  g->gc_stopped_by |= STOP_FINALIZER;
  L->allow_hook = false;
  L->frame->status |= FRAME_FINALIZER;
  int status =
      protect_run(L, finalizer_body, NULL, stack_save(L, L->top - 2), 0);
  L->frames[frame].status &= (uint16_t)~FRAME_FINALIZER;
  L->allow_hook = allow_hook;
  g->gc_stopped_by = stopped_by;
  if (began) g->finalizer_nanoseconds += gc_clock() - began;
  if (UNLIKELY(status != LUA_OK)) {
    if (!budget_is_stopping(L)) warn_error(L, where);
    L->top--; /* the next poll raises the budget's error again */
  }
  if (waiting) budget_go_on(L);
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
  const Global *g = L->global;
  g->on_target(L, g->on_target_data, g->gc.stats.live_bytes);
  return 0;
}

/* The host's function runs where finalizers may run, under the same rules. */
void collect_tell_target(lua_State *L) {
  Global *g = L->global;
  if (LIKELY(!g->gc.target_missed)) return;
  g->gc.target_missed = false;
  if (!g->on_target) return;
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
  Global *g = L->global;
  if (LIKELY(g->cycles_shrunk == g->gc.stats.cycles)) return;
  g->cycles_shrunk = g->gc.stats.cycles;
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

/* Runs a step of the collector, and then finalizers, unless `quiet`.  The next
** cycle waits for pending finalizers only if this function calls them. */
static void run_step(lua_State *L, bool quiet) {
  Gc *gc = gc_of(L);
  const Global *g = L->global;
  if (gc->inside) return;
  room_learn(L);
  bool none = quiet || g->gc_stopped_by;
  size_t most = none ? 0 : (size_t)g->finalizers_per_step;
  gc->finalizers_first = most > 0;
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
  Global *g = L->global;
  g->growth_passed = !g->growth_passed && !g->gc.debug.step_always;
  if (!g->growth_passed) collect_step_below(L, live_end);
}

void collect_full(lua_State *L) {
  stack_shrink(L);
  gc_collect(gc_of(L));
  if (L->global->gc_stopped_by) return;
  collect_finalize(L, 0);
  collect_tell_target(L);
}

/* -- Warnings -------------------------------------------------------------- */

void warn_emit(lua_State *L, const char *message, bool to_continue) {
  Global *g = L->global;
  if (g->warn) g->warn(g->warn_data, message, to_continue);
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
