/* SPDX-License-Identifier: MIT */
/*
** memory.c -- the API: the collector and the allocator
*/
#include <limits.h>

#include "api/api_impl.h"

/* LUA_GCSTEP: units of work for each kilobyte asked for, at a step multiplier
** of 100; the least units of a step without a size, and its finalizers. */
enum { STEP_UNITS_PER_KB = 512, STEP_UNITS_BASIC = 1024, STEP_FINALIZERS = 10 };

static int clamp_to_int(size_t n) { return n > INT_MAX ? INT_MAX : (int)n; }

/* A step without a size does the work that is due for the bytes allocated since
** the last step.  A step with a size does the work that was asked for, and in
** addition the work without which the cycle would end beyond its goal. */
static size_t step_units(const Gc *gc, int kilobytes) {
  if (kilobytes <= 0) return size_max(gc_units_due(gc), STEP_UNITS_BASIC);
  int multiplier = gc->step_multiplier > 0 ? gc->step_multiplier : 1;
  uint64_t asked = (uint64_t)kilobytes * STEP_UNITS_PER_KB / 100;
  asked = asked * (uint64_t)multiplier + gc_units_to_goal(gc);
  return asked < SIZE_MAX ? (size_t)asked : SIZE_MAX;
}

/* The collector's part of a step.  True if a cycle ended.  Finalizers belong to
** the cycle that found them.  So if some wait, an incremental step does not
** begin another cycle. */
static bool step_cycle(Gc *gc, int kilobytes) {
  size_t units = step_units(gc, kilobytes);
  if (gc->generational) return gc_step_young(gc, units);
  if (gc->phase != PHASE_PAUSE || !gc_has_finalizable(gc))
    gc_step_work(gc, units);
  return gc_cycle_is_over(gc);
}

static bool step(lua_State *L, int kilobytes) {
  Gc *gc = gc_of(L);
  bool ended = step_cycle(gc, kilobytes);
  if (gc_has_finalizable(gc))
    collect_finalize(L, kilobytes <= 0 ? STEP_FINALIZERS : 0);
  return ended && !gc_has_finalizable(gc);
}

/* PUC Lua stores these parameters as multiples of four, and programs see that
** in the results of setpause and setstepmul.  It has no negative ones. */
static int rounded(int value) { return value > 0 ? value & ~3 : 0; }

/* 0 does not change a setting. */
static void set_if(Gc *gc, GcSetting setting, int value) {
  if (value != 0) gc_set(gc, setting, value);
}

static void set_rounded_if(Gc *gc, GcSetting setting, int value) {
  if (value != 0) gc_set(gc, setting, rounded(value));
}

static int mode_of(const Gc *gc) {
  return gc->generational ? LUA_GCGEN : LUA_GCINC;
}

/* What was allocated while the collector was stopped may be due now.  The
** program could stop the collector again before it polls.  Finalizers can
** wait. */
static int restart(lua_State *L) {
  gc_restart(gc_of(L));
  if (gc_step_due(gc_of(L))) collect_step_quietly(L);
  return 0;
}

/* Each option takes its own arguments from the list. */
typedef struct GcArguments {
  va_list list;
} GcArguments;

static int set_generational(Gc *gc, GcArguments *args) {
  int old = mode_of(gc);
  set_if(gc, GC_MINOR_MULTIPLIER, va_arg(args->list, int));
  set_rounded_if(gc, GC_MAJOR_MULTIPLIER, va_arg(args->list, int));
  gc_set_generational(gc, true);
  return old;
}

static int set_incremental(Gc *gc, GcArguments *args) {
  int old = mode_of(gc);
  set_rounded_if(gc, GC_PAUSE, va_arg(args->list, int));
  set_rounded_if(gc, GC_STEP_MULTIPLIER, va_arg(args->list, int));
  set_if(gc, GC_STEP_SIZE, va_arg(args->list, int));
  gc_set_generational(gc, false);
  return old;
}

static int run_option(lua_State *L, int what, GcArguments *args) {
  Gc *gc = gc_of(L);
  switch (what) {
    case LUA_GCSTOP: gc_stop(gc); return 0;
    case LUA_GCRESTART: return restart(L);
    case LUA_GCCOLLECT: collect_full(L); return 0;
    case LUA_GCCOUNT: return clamp_to_int(gc_count(gc) >> 10);
    case LUA_GCCOUNTB: return (int)(gc_count(gc) & 1023);
    case LUA_GCSTEP: return step(L, va_arg(args->list, int));
    case LUA_GCSETPAUSE:
      return gc_set(gc, GC_PAUSE, rounded(va_arg(args->list, int)));
    case LUA_GCSETSTEPMUL:
      return gc_set(gc, GC_STEP_MULTIPLIER, rounded(va_arg(args->list, int)));
    case LUA_GCISRUNNING: return !gc->stopped;
    case LUA_GCGEN: return set_generational(gc, args);
    case LUA_GCINC: return set_incremental(gc, args);
    default: return -1;
  }
}

/* Inside a finalizer, and while the state is being closed, it does nothing and
** returns -1. */
LUA_API int lua_gc(lua_State *L, int what, ...) {
  GcArguments args;
  if (vm_of(L)->gc_stopped_by) return -1;
  va_start(args.list, what);
  Cell *was = api_run(L);
  int result = run_option(L, what, &args);
  api_rest(L, was);
  va_end(args.list);
  return result;
}

LUA_API lua_Alloc lua_getallocf(lua_State *L, void **ud) {
  if (ud) *ud = gc_of(L)->heap.context;
  return gc_of(L)->heap.allocate;
}

LUA_API void lua_setallocf(lua_State *L, lua_Alloc f, void *ud) {
  heap_set_allocator(&gc_of(L)->heap, f, ud);
}
