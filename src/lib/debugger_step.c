/* SPDX-License-Identifier: MIT */
/*
** debugger_step.c -- steps: when does the program stop again?
**
** A step watches each instruction of one thread, in the function that it began
** in.  A function that this one calls runs at full speed: the step then waits at
** *targets*, breakpoints after the calls that are under way.  One of them is
** reached whether the call returns, yields, or ends by an error.
**
** Breakpoints of targets are not removed when a step ends.  One that is reached
** later without a step does nothing.
*/
#include "debugger_impl.h"

#include "vm/debug.h"

/* -- Targets --------------------------------------------------------------- */

typedef struct Aim {
  Step *step;
  lua_State *thread;
  ptrdiff_t frame;
} Aim;

static int aim_body(lua_State *L) {
  const Aim *aim = lua_touserdata(L, 1);
  const Frame *f = aim->thread->frames + aim->frame;
  Proto *p = frame_closure(f)->proto;
  uint32_t pc = watch_next_pc(f);
  while (pc < p->code_size && !watch_is_place(p, pc))
    pc += (uint32_t)code_length(proto_code(p)[pc]);
  if (pc >= p->code_size) return 0;
  watch_break_at(L, p, pc);
  aim->step->target[aim->step->target_count++] =
      (StepTarget){p, pc, aim->thread, aim->frame};
  return 0;
}

/* If there is no memory for a target, there is none. */
static void aim_at(Debugger *d, lua_State *thread, ptrdiff_t frame) {
  Aim aim = {&d->step, thread, frame};
  if (d->step.target_count == STEP_TARGETS) return;
  lua_pushcfunction(d->L, aim_body);
  lua_pushlightuserdata(d->L, &aim);
  if (lua_pcall(d->L, 1, 0, 0) != LUA_OK) lua_pop(d->L, 1);
}

/* Sets targets in the frame with that number, and in those that wait for it. */
static void aim_below(Debugger *d, lua_State *thread, ptrdiff_t number) {
  enum { FRAMES_AIMED = 40 };
  for (int n = 0; thread && n < FRAMES_AIMED; n++) {
    if (number <= 0) {
      thread = watch_resumer(thread);
      if (thread) number = thread->frame - thread->frames;
      continue;
    }
    if (frame_is_lua(thread->frames + number)) aim_at(d, thread, number);
    number--;
  }
}

void stepping_watch(Debugger *d, lua_State *L, bool on) {
  watch_step(L, on);
  if (d->called) watch_step(L, true);
}

/* -- Beginning and end ----------------------------------------------------- */

static void step_here(Debugger *d, lua_State *L) {
  Step *step = &d->step;
  const Frame *f = L->frame;
  step->thread = L;
  step->frame = f - L->frames;
  step->proto = frame_is_lua(f) ? frame_closure(f)->proto : NULL;
  step->line = step->proto ? debug_current_line(f) : -1;
  step->pc = step->proto ? (uint32_t)debug_current_pc(f) : 0;
}

void stepping_begin(Debugger *d, StepMode mode) {
  lua_State *L = d->L;
  stepping_end(d);
  d->step.mode = mode;
  step_here(d, L);
  if (mode == STEP_NONE) return;
  aim_below(d, L, d->step.frame - 1);
  stepping_watch(d, L, mode != STEP_OUT);
}

void stepping_end(Debugger *d) {
  d->step.mode = STEP_NONE;
  d->step.target_count = 0;
}

/* -- Events ---------------------------------------------------------------- */

/* The function calls others, which are not stepped into. */
static bool step_waits(Debugger *d, lua_State *L) {
  stepping_watch(d, L, false);
  if (L == d->step.thread) aim_below(d, L, d->step.frame);
  return false;
}

static bool step_in_function(Step *step, lua_State *L) {
  const Frame *f = L->frame;
  uint32_t pc = (uint32_t)debug_current_pc(f);
  bool back = pc <= step->pc;
  bool moved = frame_closure(f)->proto != step->proto ||
               debug_current_line(f) != step->line;
  step->pc = pc;
  return moved || back;
}

bool stepping_is_done(Debugger *d, lua_State *L) {
  Step *step = &d->step;
  ptrdiff_t frame = L->frame - L->frames;
  if (step->mode == STEP_NONE) return false;
  if (L != step->thread) return step->mode == STEP_IN || step_waits(d, L);
  if (step->mode == STEP_OUT && frame >= step->frame) return false;
  if (frame > step->frame) return step->mode == STEP_IN || step_waits(d, L);
  return frame < step->frame || step_in_function(step, L);
}

/* True if L is at a target. */
static bool step_is_at_target(const Step *step, const lua_State *L) {
  const Proto *p = frame_closure(L->frame)->proto;
  uint32_t pc = (uint32_t)debug_current_pc(L->frame);
  for (int i = 0; i < step->target_count; i++) {
    const StepTarget *t = &step->target[i];
    if (t->proto == p && t->pc == pc && t->thread == L &&
        t->frame == L->frame - L->frames)
      return true;
  }
  return false;
}

bool stepping_reaches(Debugger *d, lua_State *L) {
  Step *step = &d->step;
  if (step->mode == STEP_NONE || !step_is_at_target(step, L)) return false;
  if (L != step->thread || L->frame - L->frames < step->frame) return true;
  watch_step(L, true); /* the step goes on in its function */
  return stepping_is_done(d, L);
}
