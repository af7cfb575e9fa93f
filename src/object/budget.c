/* SPDX-License-Identifier: MIT */
/*
** budget.c -- how long a program may go on
*/
#define _POSIX_C_SOURCE 200809L

#include "object/budget.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* Units between two looks at the clock.  A unit is at most some ten nanoseconds
** (tests/safety/sandbox/units.lua), so that is less than a millisecond; usually
** it is 10 to 20 us. */
enum { SLICE = 8192 };
static_assert((int)SLICE == (int)BUDGET_AHEAD, "more must be announced");

static const uint64_t NO_END = UINT64_MAX;

static uint64_t uint_min(uint64_t a, uint64_t b) { return a < b ? a : b; }

#if defined(CLOCK_THREAD_CPUTIME_ID) && defined(CLOCK_MONOTONIC)
static uint64_t budget_clock_read(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static uint64_t budget_clock(void) {
  return budget_clock_read(CLOCK_THREAD_CPUTIME_ID);
}
static uint64_t wall_clock(void) { return budget_clock_read(CLOCK_MONOTONIC); }
#else
static uint64_t budget_clock(void) {
  return (uint64_t)((double)clock() * (1e9 / CLOCKS_PER_SEC));
}
static uint64_t wall_clock(void) { return NO_END; }
#endif

/* -- Slices ---------------------------------------------------------------- */

static const BudgetLimit NO_LIMIT = {UINT64_MAX, UINT64_MAX};

static bool is_limit(const BudgetLimit *l) {
  return l->units != NO_END || l->deadline != NO_END;
}

/* What is left in the budget and in those around it. */
static BudgetLimit budget_left(const Budget *b) {
  const OuterBudget *outer = b->outer;
  if (!outer) return b->left;
  return (BudgetLimit){uint_min(b->left.units, outer->left.units),
                       uint_min(b->left.deadline, outer->left.deadline)};
}

static void limit_spend(BudgetLimit *l, uint64_t units) {
  if (l->units != NO_END) l->units -= uint_min(units, l->units);
}

static void spend(Budget *b, uint64_t units) {
  b->used += units;
  limit_spend(&b->left, units);
  if (b->outer) limit_spend(&b->outer->left, units);
}

/* Subtracts the units of the finished slice from the budget. */
static void settle(Budget *b) {
  uint64_t used = (uint64_t)(b->slice - b->fuel);
  spend(b, used);
  b->until_clock -= (int32_t)uint_min(used, SLICE);
  if (b->until_clock < 0) b->until_clock = 0;
  b->slice = b->fuel = 0;
}

/* A slice ends where the clock is to be read, whatever budgets have begun and
** ended since it was read last.  So calls with budgets of their own do not
** delay the end of the outer one, however short they are. */
static void begin_slice(Budget *b) {
  uint64_t units = budget_left(b).units;
  b->slice = (int64_t)uint_min(units, (uint64_t)b->until_clock);
  b->fuel = b->slice;
}

/* Reading the processor time is a system call.  No more of it than of other
** time can have passed since the last reading, so usually it is enough to look
** at the clock on the wall.  That clock may be adjusted a little, so it is
** trusted for a short time only. */
static bool time_allows(Budget *b, uint64_t deadline, uint64_t nanoseconds) {
  enum { TRUSTED = 10000000 };
  uint64_t wall = wall_clock();
  if (wall < b->wall_deadline && nanoseconds < b->wall_deadline - wall)
    return true;
  uint64_t now = budget_clock();
  if (now >= deadline) return false;
  uint64_t left = deadline - now;
  b->wall_deadline = wall + uint_min(left, TRUSTED);
  return nanoseconds < left;
}

bool budget_allows(Budget *b, uint64_t nanoseconds) {
  BudgetLimit left = budget_left(b);
  if (left.units == 0) return false;
  return left.deadline == NO_END || time_allows(b, left.deadline, nanoseconds);
}

/* Reads the clock.  `ahead`: nanoseconds of work that is about to begin.  If the
** budget is over, the budgets around it are to read the clock
** at once, too. */
static bool is_over(Budget *b, uint64_t ahead) {
  bool over = !budget_allows(b, ahead);
  b->until_clock = over ? 0 : SLICE;
  return over;
}

static uint64_t deadline_after(uint64_t nanoseconds) {
  return nanoseconds ? budget_clock() + nanoseconds : NO_END;
}

static void switch_off(Budget *b) {
  b->on = false;
  b->fuel = b->slice = INT64_MAX;
}

void budget_init(Budget *b) {
  b->left = NO_LIMIT;
  switch_off(b);
}

static bool has_limit(const Budget *b) {
  return is_limit(&b->left) || (b->outer && is_limit(&b->outer->left));
}

void budget_set(lua_State *L, uint64_t units, uint64_t nanoseconds) {
  Budget *b = &L->global->budget;
  if (b->on)
    settle(b);
  else
    b->until_clock = SLICE;
  if (b->outer) b->outer->used += b->used;
  L->global->budget_was_over = false;
  b->stopping = b->trusts_finalizers = b->waiting = false;
  b->used = 0;
  b->left.units = units ? units : NO_END;
  b->left.deadline = deadline_after(nanoseconds);
  b->wall_deadline = 0;
  b->base = L->global->host_calls;
  b->on = has_limit(b);
  begin_slice(b);
  if (!b->on) switch_off(b);
}

void budget_add(lua_State *L, uint64_t units, uint64_t nanoseconds) {
  Budget *b = &L->global->budget;
  if (!b->on || b->stopping) return;
  settle(b);
  if (b->left.units != NO_END)
    b->left.units += uint_min(units, NO_END - b->left.units);
  if (b->left.deadline != NO_END && nanoseconds) {
    uint64_t now = budget_clock();
    uint64_t end = b->left.deadline > now ? b->left.deadline : now;
    b->left.deadline = end + uint_min(nanoseconds, NO_END - end);
  }
  begin_slice(b);
}

uint64_t budget_used(lua_State *L) {
  const Budget *b = &L->global->budget;
  if (!b->on) return 0;
  return b->used + (uint64_t)(b->slice - b->fuel);
}

/* -- The end --------------------------------------------------------------- */

static String *message_of(const Global *g, bool stuck) {
  if (stuck) return g->suspend_message;
  return g->interrupted ? g->stop_message : g->budget_message;
}

static _Noreturn void raise_message(lua_State *L, bool stuck) {
  Budget *b = &L->global->budget;
  const bool again = b->stopping;
  b->stopping = true;
  b->stuck = stuck;
  b->slice = b->fuel = -1;
  L->global->budget_was_over = true;
  if (!again) raise_witnessed(L, STATUS_ERROR);
  L->top = stack_live_top(L);
  budget_push_message(L);
  raise_throw(L, STATUS_ERROR);
}

void budget_push_message(lua_State *L) {
  value_set_string(L->top, message_of(L->global, L->global->budget.stuck));
  L->top++;
}

_Noreturn void budget_raise(lua_State *L) {
  const Budget *b = &L->global->budget;
  raise_message(L, b->stopping && b->stuck);
}

/* The host's function runs in the frame of the function that it interrupts.
** The stack does not move and nothing is allocated, because the caller may hold
** pointers into the stack, and an object that is not anchored yet. */
static int ask_host(lua_State *L, bool can_yield) {
  Global *g = L->global;
  Budget *b = &g->budget;
  if (!g->decide || b->outer) return BUDGET_STOP;
  Value *top = L->top, *frame_top = L->frame->top;
  bool allow_hook = L->allow_hook;
  L->top = stack_live_top(L);
  if (frame_top < L->top + STACK_EXTRA) L->frame->top = L->top + STACK_EXTRA;
  L->allow_hook = false;
  b->asking = true;
  b->fuel = b->slice = INT64_MAX; /* no limit for the host */
  int answer = g->decide(L, g->decide_data, can_yield);
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

/* True if the host wants to yield.  `ahead`: nanoseconds of work that is about to
** begin. */
static bool next_slice(lua_State *L, YieldChance chance, uint64_t ahead) {
  Budget *b = &L->global->budget;
  if (b->waiting && !thread_is_sandboxed(L)) {
    settle(b);
    b->slice = b->fuel = SLICE;
    return false;
  }
  b->waiting = false;
  if (b->stopping) budget_raise(L);
  if (b->asking || !b->on) { /* not covered: INT64_MAX units must be spent */
    b->fuel = b->slice = INT64_MAX;
    return false;
  }
  settle(b);
  if (L->global->interrupted) budget_raise(L);
  if (!is_over(b, ahead)) {
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
  if (answer != BUDGET_MORE || is_over(b, 0)) budget_raise(L);
  if (b->fuel == 0) begin_slice(b);
  return false;
}

void budget_next(lua_State *L) { next_slice(L, YIELD_LATER, 0); }

void budget_spend_ahead(lua_State *L, size_t units) {
  enum { NANOSECONDS = 2 };
  Budget *b = &L->global->budget;
  b->fuel -= (int64_t)units;
  next_slice(L, YIELD_LATER, NANOSECONDS * (uint64_t)units);
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
      if (!link || link->thread != L || !link->by_lua) return false;
      L = link->from;
      link = link->previous;
    }
  }
  return false;
}

bool budget_next_in_loop(lua_State *L) {
  return next_slice(L, can_suspend(L) ? YIELD_NOW : YIELD_NEVER, 0);
}

void budget_leave_slow(lua_State *L, uint16_t level, int status) {
  Budget *b = &L->global->budget;
  bool arrived = b->base >= level;
  if (arrived) b->base = level;
  if (!budget_is_stopping(L)) return;
  if (arrived)
    b->stopping = false;
  else if (status != STATUS_OK)
    budget_raise(L);
}

/* Only the first digits of a long text are converted, which costs most. */
void budget_numeral_slow(lua_State *L, size_t length) {
  enum { UNITS = 16, DIGITS = 1000, BYTES_PER_UNIT = 4 };
  size_t units = UNITS + size_min(length, DIGITS) + length / BYTES_PER_UNIT;
  if (length > BUDGET_PIECE)
    budget_spend(L, units);
  else
    budget_charge(L, units);
}

void budget_text_slow(const lua_State *L, Number n) {
  enum { UNITS = 16, BITS_PER_UNIT = 8 };
  int exponent = 0;
  if (isfinite(n)) frexp(n, &exponent);
  budget_charge(L, UNITS + (size_t)abs(exponent) / BITS_PER_UNIT);
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

/* The string is not anchored meanwhile: checks of the budget allocate nothing. */
String *budget_string_slow(lua_State *L, const char *bytes, size_t length) {
  String *s = string_new_long(L, length);
  budget_copy(L, string_buffer(s), bytes, length);
  return s;
}

/* Only what was passed is paid for: a script may search a long text for many
** places near each other. */
const char *budget_find(lua_State *L, const char *s, char c, size_t size) {
  for (;;) {
    const size_t piece = size_min(size, BUDGET_PIECE);
    const char *hit = memchr(s, c, piece);
    const size_t passed = hit ? (size_t)(hit - s) : piece;
    budget_spend(L, passed / BUDGET_SCANNED_PER_UNIT);
    size -= piece;
    if (hit || size == 0) return hit;
    s += piece;
  }
}

/* memchr reads nothing behind the zero. */
size_t budget_strlen(lua_State *L, const char *s) {
  const char *end = memchr(s, '\0', BUDGET_PIECE), *piece = s;
  for (; UNLIKELY(!end); end = memchr(piece, '\0', BUDGET_PIECE)) {
    budget_spend(L, BUDGET_PIECE / BUDGET_SCANNED_PER_UNIT);
    piece += BUDGET_PIECE;
  }
  budget_charge(L, (size_t)(end - piece) / BUDGET_SCANNED_PER_UNIT);
  return (size_t)(end - s);
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
  Budget *b = &L->global->budget;
  return !b->on || !b->trusts_finalizers || b->waiting || budget_allows(b, 0);
}

/* -- Calls with budgets of their own --------------------------------------- */

void budget_begin(lua_State *L, OuterBudget *outer, uint64_t units,
                  uint64_t nanoseconds) {
  Budget *b = &L->global->budget;
  if (b->on) settle(b);
  outer->budget = *b;
  outer->left = b->on && !b->waiting ? budget_left(b) : NO_LIMIT;
  outer->used = b->used = 0;
  b->outer = outer;
  budget_set(L, units, nanoseconds);
}

void budget_end(lua_State *L, const OuterBudget *outer) {
  Budget *b = &L->global->budget;
  if (b->on) settle(b);
  uint64_t used = b->used + outer->used;
  int32_t until_clock = b->until_clock;
  *b = outer->budget;
  if (!b->on) {
    switch_off(b);
    return;
  }
  b->until_clock = until_clock;
  spend(b, used);
  begin_slice(b);
  if (b->stopping) b->slice = b->fuel = -1;
}
