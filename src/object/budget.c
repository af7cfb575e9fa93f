/* SPDX-License-Identifier: MIT */
/*
** budget.c -- how long a program may go on
*/
#define _POSIX_C_SOURCE 200809L

#include "object/budget.h"

#include <time.h>

/* Units between two reads of the clock: about 50 to 200 us. */
enum { SLICE = 65536 };

static const uint64_t NO_END = UINT64_MAX;

static uint64_t budget_clock(void) {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#else
  return (uint64_t)((double)clock() * (1e9 / CLOCKS_PER_SEC));
#endif
}

/* -- Slices ---------------------------------------------------------------- */

/* Subtracts the units of the finished slice from the budget. */
static void settle(Budget *b) {
  uint64_t used = (uint64_t)(b->slice - b->fuel);
  b->used += used;
  if (b->units != NO_END) b->units -= used < b->units ? used : b->units;
  b->slice = b->fuel = 0;
}

static void begin_slice(Budget *b) {
  b->slice = SLICE;
  if (b->units < SLICE) b->slice = (int64_t)b->units;
  b->fuel = b->slice;
}

bool budget_allows(const Budget *b, uint64_t nanoseconds) {
  if (b->units == 0) return false;
  return b->deadline == NO_END || budget_clock() + nanoseconds < b->deadline;
}

static bool is_over(const Budget *b) { return !budget_allows(b, 0); }

static uint64_t deadline_after(uint64_t nanoseconds) {
  return nanoseconds ? budget_clock() + nanoseconds : NO_END;
}

static uint64_t uint_min(uint64_t a, uint64_t b) { return a < b ? a : b; }

void budget_set(lua_State *L, uint64_t units, uint64_t nanoseconds) {
  Budget *b = &L->global->budget;
  b->on = units || nanoseconds;
  L->global->budget_was_over = false;
  b->stopping = false;
  b->trusts_finalizers = b->waiting = false;
  b->used = 0;
  b->units = units ? units : NO_END;
  b->deadline = deadline_after(nanoseconds);
  b->base = L->catcher;
  begin_slice(b);
  if (!b->on) b->fuel = b->slice = INT64_MAX;
}

void budget_add(lua_State *L, uint64_t units, uint64_t nanoseconds) {
  Budget *b = &L->global->budget;
  if (!b->on || b->stopping) return;
  settle(b);
  if (b->units != NO_END) b->units += units;
  if (b->deadline != NO_END && nanoseconds) {
    uint64_t now = budget_clock();
    b->deadline = (b->deadline > now ? b->deadline : now) + nanoseconds;
  }
  begin_slice(b);
}

uint64_t budget_used(lua_State *L) {
  const Budget *b = &L->global->budget;
  if (!b->on) return 0;
  return b->used + (uint64_t)(b->slice - b->fuel);
}

/* -- The end --------------------------------------------------------------- */

static _Noreturn void raise_message(lua_State *L, bool stuck) {
  Budget *b = &L->global->budget;
  b->stopping = true;
  b->stuck = stuck;
  b->slice = b->fuel = -1;
  L->global->budget_was_over = true;
  L->top = stack_live_top(L);
  value_set_string(L->top, stuck ? L->global->suspend_message
                                 : L->global->budget_message);
  L->top++;
  raise_throw(L, LUA_ERRRUN);
}

_Noreturn void budget_raise(lua_State *L) {
  const Budget *b = &L->global->budget;
  raise_message(L, b->stopping && b->stuck);
}

/* The host's function runs in the frame of the function that it interrupts.
** The stack does not move and nothing is allocated, because the caller may hold
** pointers into the stack, and an object that is not anchored yet. */
static int ask_host(lua_State *L, bool can_yield) {
  Budget *b = &L->global->budget;
  if (!b->decide) return BUDGET_STOP;
  Value *top = L->top, *frame_top = L->frame->top;
  bool allow_hook = L->allow_hook;
  L->top = stack_live_top(L);
  if (frame_top < L->top + STACK_EXTRA) L->frame->top = L->top + STACK_EXTRA;
  L->allow_hook = false;
  b->asking = true;
  b->fuel = b->slice = INT64_MAX; /* no limit for the host */
  int answer = b->decide(L, b->decide_data, can_yield);
  if (b->asking) b->fuel = b->slice = 0;
  b->asking = false;
  L->allow_hook = allow_hook;
  L->frame->top = frame_top;
  L->top = top;
  return answer;
}

/* Whether the program can be suspended here.  LATER: a C function is at work,
** and will return to the loop.  NEVER: the loop works for a C function that
** cannot be interrupted. */
typedef enum YieldChance { YIELD_LATER, YIELD_NEVER, YIELD_NOW } YieldChance;

/* True if the host wants to yield. */
static bool next_slice(lua_State *L, YieldChance chance) {
  Budget *b = &L->global->budget;
  if (b->waiting && !thread_is_sandboxed(L)) {
    settle(b);
    b->slice = b->fuel = SLICE;
    return false;
  }
  b->waiting = false;
  if (b->stopping) budget_raise(L);
  if (b->asking || !b->on) { /* unreached: INT64_MAX units must be spent */
    b->fuel = b->slice = INT64_MAX;
    return false;
  }
  settle(b);
  if (!is_over(b)) {
    begin_slice(b);
    return false;
  }
  int answer = ask_host(L, chance == YIELD_NOW);
  if (!b->on) return false;
  if (answer == BUDGET_YIELD && chance == YIELD_NOW) return true;
  if (answer == BUDGET_YIELD && chance == YIELD_NEVER) raise_message(L, true);
  if (answer == BUDGET_YIELD) { /* ask again after this slice */
    b->slice = b->fuel = SLICE;
    return false;
  }
  if (answer != BUDGET_MORE || is_over(b)) budget_raise(L);
  if (b->fuel == 0) begin_slice(b);
  return false;
}

void budget_next(lua_State *L) { next_slice(L, YIELD_LATER); }

/* True if the running C function of L is coroutine.resume or one made by
** coroutine.wrap.  These can be suspended, and resume again. */
static bool resumes_again(const lua_State *L) {
  const Value *f = L->frame->func;
  if (frame_is_lua(L->frame)) return false;
  if (f->tag == TAG_C_CLOSURE)
    return value_c_closure(f)->function == L->global->wrapped_function;
  return f->tag == TAG_C_FUNCTION && f->as.f == L->global->resume_function;
}

/* True if all coroutines from L up to the one that the host has resumed can be
** suspended. */
static bool can_suspend(const lua_State *L) {
  const Budget *b = &L->global->budget;
  const ResumeLink *link = b->resumes;
  while (L->no_yield == 0) {
    if (L == b->outermost) return true;
    if (L->resumer) {
      L = L->resumer;
    } else {
      if (!link || link->thread != L || !link->from) return false;
      L = link->from;
      link = link->previous;
      if (!resumes_again(L)) return false;
    }
  }
  return false;
}

bool budget_next_in_loop(lua_State *L) {
  return next_slice(L, can_suspend(L) ? YIELD_NOW : YIELD_NEVER);
}

void budget_caught_slow(lua_State *L, int status) {
  Budget *b = &L->global->budget;
  if (b->waiting) return;
  if (L->catcher == b->base)
    b->stopping = false; /* the error has arrived */
  else if (status != LUA_OK)
    budget_raise(L);
}

void budget_copy(lua_State *L, char *to, const char *from, size_t size) {
  for (; size > BUDGET_PIECE; size -= BUDGET_PIECE) {
    memcpy(to, from, BUDGET_PIECE);
    budget_spend_bytes(L, BUDGET_PIECE);
    to += BUDGET_PIECE;
    from += BUDGET_PIECE;
  }
  memcpy(to, from, size);
}

/* -- Finalizers of the host ------------------------------------------------ */

bool budget_wait(lua_State *L) {
  Budget *b = &L->global->budget;
  if (!b->on || !b->trusts_finalizers || b->waiting) return false;
  settle(b);
  b->slice = b->fuel = SLICE;
  b->waiting = true;
  return true;
}

void budget_go_on(lua_State *L) {
  Budget *b = &L->global->budget;
  b->waiting = false;
  settle(b);
  if (b->stopping) b->slice = b->fuel = -1;
}

bool budget_allows_finalizer(lua_State *L) {
  const Budget *b = &L->global->budget;
  return !b->on || !b->trusts_finalizers || b->waiting || !is_over(b);
}

/* -- Calls with budgets of their own --------------------------------------- */

void budget_begin(lua_State *L, Budget *outer, uint64_t units,
                  uint64_t nanoseconds) {
  Budget *b = &L->global->budget;
  if (b->on) settle(b);
  *outer = *b;
  budget_set(L, units, nanoseconds);
  b->decide = NULL;
  if (!outer->on || outer->waiting) return;
  b->on = true;
  b->units = uint_min(b->units, outer->units);
  b->deadline = uint_min(b->deadline, outer->deadline);
  begin_slice(b);
}

void budget_end(lua_State *L, const Budget *outer) {
  Budget *b = &L->global->budget;
  if (b->on) settle(b);
  uint64_t used = b->used;
  *b = *outer;
  if (!b->on) {
    b->fuel = b->slice = INT64_MAX;
    return;
  }
  b->used += used;
  if (b->units != NO_END) b->units -= uint_min(used, b->units);
  begin_slice(b);
}
