/* SPDX-License-Identifier: MIT */
/*
** pace.c -- how much work, and when
**
** The pause factor says how large the heap may be, in percent of what was
** live, when a cycle *ends*; so the next one begins earlier than that, by what
** the last one took.  During a cycle, each kilobyte allocated makes a number
** of units of work due (the step multiplier); they are paid in steps of
** bounded size.  What one step leaves over, because somebody allocated a lot
** at once, is spread over the following steps, which then come more often.
** A cycle that is late works at twice the rate.
**
** Cycles are meant to be short in terms of allocation.  What a program drops
** while they run is kept if it has been marked already, counts as live, and
** so raises the next goal: a slow cycle costs memory twice.
**
**      bytes
**        |                  goal ----- /|
**        |             cycle begins   / |
**        |                /----------/  |   allocation goes on while
**        |               /              |   marking and sweeping
**        |  ------------/               +---  live bytes
**        +------------------------------------ time
*/
#include "gc/gc_impl.h"

enum {
  DEFAULT_PAUSE = 200,
  DEFAULT_STEP_MULTIPLIER = 100,
  DEFAULT_STEP_SIZE = 13,       /* 8 KB */
  DEFAULT_MINOR = 20,
  DEFAULT_MAJOR = 100,
  INCREMENTAL_MINOR = 40,       /* percent, where nobody has set it */
  GROWTH_FLOOR = 262144,        /* a cycle is not worth less than this */
  GROWTH_SMALL = 1048576,       /* ... nor than this if not much is live */
  LIMIT_FLOOR = 16384,          /* ... nor than this, with a limit near */
  LARGE_HEAP = 2097152,         /* bytes beyond this let a heap grow by less */
  UNITS_PER_KB = 1024,          /* at a multiplier of 100 */
  STEP_UNITS = 2048,            /* most work in a step, likewise */
  LARGE_STEP_UNITS = 8192,      /* most work, after a large allocation */
  LARGE_ALLOCATION = 16384,     /* so many bytes since the last step */
  MUCH_CREDIT = 1000000,        /* nanoseconds: too much for small steps */
  HUGE_CREDIT = 4000000,        /* too much for those of LONGEST_STEP */
  LONGEST_STEP = 4,             /* times step_nanoseconds: 160 us for Lua */
  PATIENCE = 64,                /* polls between steps for large pieces */
  CLOCK_UNITS = 512,            /* between two looks at the clock */
  STEP_SIZE_MIN = 10,
  STEP_SIZE_MAX = 16,
  HURRIED_STEP = 2048,          /* bytes between steps when work is owed */
  SLOW_STEP = 8192,             /* likewise, if the last one took its time */
  LATE_SLOW_STEP = 4096,        /* ... in a late cycle */
  RUN_MIN = BLOCK_PAGE,         /* shortest run_limit */
  LATE_RATE = 2,                /* how much faster a late cycle works */
  SMALL_WORK = 16384            /* units of a whole cycle in one step */
};

void pace_init(Gc *gc) {
  gc->pause = DEFAULT_PAUSE;
  gc->step_multiplier = DEFAULT_STEP_MULTIPLIER;
  gc->step_size = DEFAULT_STEP_SIZE;
  gc->minor_multiplier = DEFAULT_MINOR;
  gc->major_multiplier = DEFAULT_MAJOR;
  gc->step_at = gc->cycle_at = gc->goal = GROWTH_FLOOR;
}

size_t gc_count(const Gc *gc) { return heap_used(&gc->heap); }

/* `percent` of `bytes`, without overflow. */
static size_t percent_of(size_t bytes, int percent) {
  size_t factor = percent > 0 ? (size_t)percent : 0;
  return bytes / 100 * factor + bytes % 100 * factor / 100;
}

/* -- When a step is due ---------------------------------------------------- */

void pace_notice(Gc *gc) {
  if (gc->debug.step_always) gc->step_due = !gc->stopped;
  if ((ptrdiff_t)(gc->heap.net_allocated - gc->step_at) >= 0)
    gc->step_due = !gc->stopped;
}

/* What is freed makes the next cycle begin later, but not the next step of the
** one under way: a buffer is often freed because something was made of it, and
** the work for that is owed. */
void pace_freed(Gc *gc, size_t bytes) {
  if (gc->phase == PHASE_PAUSE) return;
  gc->step_at -= bytes;
  gc->paid_until -= bytes;
}

void gc_part_reserved(Gc *gc, size_t bytes) {
  if (gc->phase == PHASE_PAUSE) return;
  gc->step_at += bytes;
  gc->paid_until += bytes;
}

void gc_part_filled(Gc *gc, size_t bytes) {
  if (gc->phase == PHASE_PAUSE) return;
  gc->step_at -= bytes;
  gc->paid_until -= bytes;
  pace_notice(gc);
}

/* When `bytes` more have been allocated, the next step is due. */
static void next_step_after(Gc *gc, size_t bytes) {
  gc->heap.run_limit = size_min(size_max(bytes, RUN_MIN), RUN_MAX);
  gc->step_at = gc->heap.net_allocated + bytes;
  gc->step_due = false;
  gc->patience = 0;
}

static size_t step_bytes(const Gc *gc) {
  int size = gc->step_size;
  if (size < STEP_SIZE_MIN) size = STEP_SIZE_MIN;
  if (size > STEP_SIZE_MAX) size = STEP_SIZE_MAX;
  return (size_t)1 << size;
}

/* Between cycles there may be things to do at leisure: objects to finalize,
** memory on its way back to the system. */
static bool has_leftovers(const Gc *gc) {
  return gc_has_finalizable(gc) || gc->heap.releasing;
}

static void next_step_in_pause(Gc *gc) {
  ptrdiff_t left = (ptrdiff_t)(gc->cycle_at - gc->heap.net_allocated);
  size_t bytes = left > 0 ? (size_t)left : 0;
  next_step_after(gc, has_leftovers(gc) ? size_min(bytes, HURRIED_STEP)
                                        : bytes);
}

/* What a factor of so many percent allows a heap to grow by.  Of what is beyond
** LARGE_HEAP only three quarters count: memory is saved where there is much of
** it, and time where cycles are frequent. */
static size_t growth_of(size_t live, int percent) {
  size_t beyond = live > LARGE_HEAP ? live - LARGE_HEAP : 0;
  return percent_of(live - beyond / 4, percent);
}

/* Where little is live, cycles that follow each other closely cost more time
** than the memory is worth.  But a process may have thousands of states: one
** that is hardly used must stay small. */
static size_t least_growth(size_t live) {
  enum { MOST = 4 };
  size_t growth = size_min(live, GROWTH_SMALL / MOST) * MOST;
  return size_max(growth, GROWTH_FLOOR);
}

size_t pace_major_growth(const Gc *gc, size_t live) {
  size_t growth = gc->pause > 100 ? growth_of(live, gc->pause - 100) : 0;
  return size_max(growth, least_growth(live));
}

/* The growth between minor cycles, in percent. */
static int minor_growth(const Gc *gc) {
  return gc->generational ? gc->minor_multiplier : INCREMENTAL_MINOR;
}

/* How much the heap may grow until the end of the next cycle. */
static size_t growth_allowed(const Gc *gc, size_t live) {
  if (!gc->marks_kept || !gc->choice.minors_pay)
    return pace_major_growth(gc, live);
  return size_max(percent_of(live, minor_growth(gc)), least_growth(live));
}

/* What the cycle has found live.  Objects born since then may be dead by now,
** so they do not raise the goal. */
static size_t live_bytes(const Gc *gc) {
  return gc->heap.marked_bytes + gc->external_bytes;
}

static size_t bytes_now(const Gc *gc) {
  return gc_count(gc) + gc->external_bytes;
}

/* Under a limit a cycle should end before that is met: an emergency would have
** to do all of its work in one go. */
static size_t growth_within_limit(const Gc *gc, size_t growth) {
  size_t limit = gc->heap.limit, now = bytes_now(gc);
  if (LIKELY(!limit)) return growth;
  size_t room = limit > now ? limit - now : 0;
  return size_min(growth, size_max(room / 2, LIMIT_FLOOR));
}

/* What the growth is measured by.  A minor cycle finds garbage live that is old:
** where it has shown that minor ones do not pay, the major one that is next
** should end where it would have ended without it.  Not so if it would be the
** first: a program that begins needs room. */
static size_t growth_base(const Gc *gc) {
  size_t live = live_bytes(gc);
  bool was_in_vain = !gc->generational && gc->minor &&
                     !gc->choice.minors_pay && gc->major_base > 0;
  return was_in_vain ? size_min(live, gc->major_base) : live;
}

/* How much the heap may grow from what it is now. */
static size_t growth_left(const Gc *gc) {
  size_t base = growth_base(gc);
  size_t goal = base + growth_allowed(gc, base);
  size_t now = bytes_now(gc);
  return growth_within_limit(
      gc, goal > now + GROWTH_FLOOR ? goal - now : GROWTH_FLOOR);
}

void pace_cycle_begun(Gc *gc) {
  gc->choice.cycle_work = gc->stats.work;
  gc->cycle_began = gc->heap.net_allocated;
  gc->cycle_bytes = bytes_now(gc);
}

/* By how much a cycle lets the heap grow, in percent of what it begins with. */
static unsigned cycle_cost(const Gc *gc) {
  ptrdiff_t grown = (ptrdiff_t)(gc->heap.net_allocated - gc->cycle_began);
  if (grown <= 0) return 0;
  return (unsigned)size_min((size_t)grown / (gc->cycle_bytes / 100 + 1), 1000);
}

/* How much the heap may grow until the next cycle begins, if it is to end at
** the goal: at least a quarter of the way. */
static size_t growth_before_cycle(const Gc *gc, size_t growth, bool minor) {
  size_t goal = bytes_now(gc) + growth;
  size_t begin = goal / (100 + gc->cycle_cost[minor]) * 100;
  size_t early = goal - begin;
  return growth - size_min(early, growth - growth / 4);
}

/* Memory that the last cycles needed and this one does not is kept for a while,
** but not more than is in use: to take it anew costs a fault for each page. */
void pace_swept(Gc *gc) {
  size_t now = bytes_now(gc), recent = gc->recent_peak;
  size_t grown = gc->heap.net_allocated - gc->cycle_began;
  if (recent > now) recent -= (recent - now) / 4;
  gc->recent_peak = size_max(recent, gc->cycle_bytes + grown);
  size_t kept = gc->recent_peak > now ? gc->recent_peak - now : 0;
  gc->heap.expected_growth = size_max(growth_left(gc), size_min(kept, now));
}

/* The next cycle after a minor one is a major one if the heap would outgrow its
** bounds by the end of a major one that comes after another minor one. */
static bool is_overgrown(const Gc *gc, size_t live) {
  int percent = gc->generational ? gc->major_multiplier : gc->pause - 100;
  size_t bound = gc->major_base + growth_of(gc->major_base, percent);
  size_t then = live + percent_of(live, minor_growth(gc));
  return gc->minor && then + percent_of(then, (int)gc->cycle_cost[0]) > bound;
}

void pace_cycle_done(Gc *gc) {
  size_t live = live_bytes(gc);
  gc->stats.live_bytes = live;
  gc->cycle_cost[gc->minor] = cycle_cost(gc);
  choose_cycle_done(gc, live);
  if (!gc->minor) {
    gc->major_base = live;
    gc->major_work = (size_t)(gc->stats.work - gc->choice.cycle_work);
  }
  gc->major_next = !gc->choice.minors_pay || is_overgrown(gc, live);
  size_t growth = growth_left(gc);
  bool minor_next = gc->marks_kept && !gc->major_next;
  gc->debt = 0;
  gc->paid_until = gc->heap.net_allocated;
  gc->goal = gc->heap.net_allocated + growth;
  gc->cycle_at = gc->heap.net_allocated +
                 growth_before_cycle(gc, growth, minor_next);
  next_step_in_pause(gc);
}

static bool limit_allows_soon(Gc *gc, size_t more) {
  if (heap_limit_allows(&gc->heap, more)) return true;
  gc_collect_emergency(gc);
  return heap_limit_allows(&gc->heap, more);
}

bool gc_external_bytes(Gc *gc, size_t more, size_t less) {
  Heap *heap = &gc->heap;
  less = size_min(less, heap->external);
  heap->external -= less;
  gc->external_bytes -= less;
  if (more == 0) return true;
  if (UNLIKELY(!limit_allows_soon(gc, more))) return false;
  heap->external += more;
  gc->external_bytes += more;
  heap->net_allocated += more;
  pace_notice(gc);
  return true;
}

void *gc_memory_resize(Gc *gc, void *pointer, size_t old_size,
                       size_t new_size) {
  Heap *heap = &gc->heap;
  if (!pointer) old_size = 0;
  void *moved = heap_memory_resize(heap, pointer, old_size, new_size);
  if (UNLIKELY(!moved && new_size > 0)) {
    gc_collect_emergency(gc);
    moved = heap_memory_resize(heap, pointer, old_size, new_size);
    if (!moved) return NULL;
  }
  gc->external_bytes += new_size - old_size;
  heap->net_allocated += new_size - old_size;
  if (new_size < old_size) pace_freed(gc, old_size - new_size);
  pace_notice(gc);
  return moved;
}

/* -- Steps ----------------------------------------------------------------- */

bool pace_is_late(const Gc *gc) {
  return (ptrdiff_t)(gc->heap.net_allocated - gc->goal) > 0;
}

/* Units of work due for the bytes allocated since the last step. */
static size_t units_due(Gc *gc) {
  ptrdiff_t bytes = (ptrdiff_t)(gc->heap.net_allocated - gc->paid_until);
  gc->paid_until = gc->heap.net_allocated;
  if (bytes < 0) bytes = 0;
  size_t rate = percent_of(UNITS_PER_KB, gc->step_multiplier);
  if (pace_is_late(gc)) rate *= LATE_RATE;
  return (size_t)bytes / 1024 * rate + (size_t)bytes % 1024 * rate / 1024 + 1;
}

/* Works until `units` are done or a cycle ends; the work done. */
static size_t work_units(Gc *gc, size_t units) {
  size_t work = 0;
  while (work < units) {
    size_t done = cycle_unit(gc);
    work += done;
    if (done == 0 || gc->phase == PHASE_PAUSE) break;
  }
  return work;
}

/* What a step may do. */
typedef struct Allowance {
  size_t units;
  uint64_t nanoseconds;         /* no unit begins after that; 0: any time */
} Allowance;

/* Without a limit of time the clock stands still, and every run is the same. */
static uint64_t pace_clock(const Gc *gc) {
  return gc->step_nanoseconds ? report_clock() : 1;
}

/* A program that allocates in large pieces takes few steps.  What it has made
** may have to be visited before the cycle can end, at a unit for each 9 bytes;
** so twice that is due, or the cycle would never catch up.
**
** What came before the cycle was spread over many allocations, and does not
** count.
**
** Its steps are paid for by time as well: a third of the time goes to them.
** Who fills a large piece in one go is not waiting for the collector.
**
** Returns the time, if there is such a debt. */
static uint64_t note_large_pieces(Gc *gc) {
  ptrdiff_t bytes = (ptrdiff_t)(gc->heap.net_allocated - gc->paid_until);
  if (gc->phase == PHASE_PAUSE) gc->large_debt = 0;
  if (!gc->large_debt) gc->time_credit = gc->step_ended = 0;
  if (gc->phase != PHASE_PAUSE && bytes >= LARGE_ALLOCATION)
    gc->large_debt += (size_t)bytes / 4;
  if (!gc->large_debt) return 0;
  uint64_t now = pace_clock(gc);
  if (gc->step_ended) gc->time_credit += (now - gc->step_ended) / 2;
  return now;
}

/* The most units of a step that has nothing to do with large pieces. */
static size_t usual_units(const Gc *gc) {
  size_t units = percent_of(STEP_UNITS, gc->step_multiplier);
  units = size_max(units, STEP_UNITS);
  if (pace_is_late(gc)) units *= LATE_RATE;
  return size_min(units, LARGE_STEP_UNITS);
}

/* The longest step for large pieces.  What is marked and dies in a cycle makes
** the next goal larger, and the next cycle longer.  Hence a credit so large
** that small steps would not use it up makes longer ones: or memory would be
** without bound.  If that is not enough either, the program spends many
** milliseconds on filling a single piece, and a step may take a share of
** those. */
static uint64_t longest_for_credit(const Gc *gc) {
  uint64_t time = gc->step_nanoseconds, credit = gc->time_credit;
  if (credit >= HUGE_CREDIT) return credit / 4;
  return (credit >= MUCH_CREDIT ? LONGEST_STEP : 3) * time;
}

/* What there is for a step at the time `now`: never more than the program has
** run since the last one, whatever credit it had before. */
static uint64_t credit_for_step(const Gc *gc, uint64_t now) {
  if (!gc->step_ended || now < gc->step_ended) return 0;
  uint64_t fair = now - gc->step_ended;
  return fair < gc->time_credit ? fair : gc->time_credit;
}

static Allowance allowance(const Gc *gc, uint64_t now) {
  size_t usual = usual_units(gc);
  if (gc->large_debt < usual) return (Allowance){usual, share_limit(gc)};
  size_t units = size_min(gc->large_debt, LARGE_STEP_UNITS);
  uint64_t earned = credit_for_step(gc, now), most = longest_for_credit(gc);
  if (!gc->step_nanoseconds || earned <= gc->step_nanoseconds)
    return (Allowance){units, share_limit(gc)};
  if (gc->time_credit >= MUCH_CREDIT) units = gc->large_debt;
  return (Allowance){units, earned < most ? earned : most};
}

/* The same as work_units, but not for long: units are priced as if half of the
** data were in the caches; if it is not, a step does fewer of them.  Says
** whether that was so. */
static size_t work_allowed(Gc *gc, Allowance most, bool *slow) {
  uint64_t limit = most.nanoseconds, began = gc->share_at;
  size_t work = 0, next_look = limit ? CLOCK_UNITS : SIZE_MAX;
  *slow = false;
  while (work < most.units && !*slow) {
    size_t done = cycle_unit(gc);
    work += done;
    if (done == 0 || gc->phase == PHASE_PAUSE) break;
    if (work < next_look) continue;
    uint64_t passed = gc_clock() - began;
    next_look = work + (passed > limit / 2 ? CLOCK_UNITS / 2 : CLOCK_UNITS);
    *slow = passed > limit;
  }
  return work;
}

/* What every way of stepping has around it. */
static void step_begin(Gc *gc, uint64_t *started) {
  gc->inside = true;
  *started = report_is_timed(gc) ? report_clock() : 0;
}

/* Steps by hand may be repeated until the cycle ends, and if it was a large
** frame that this waits for, that would be for ever.  Who counts on it that
** garbage is gone then has not asked for generations. */
static void step_begin_by_hand(Gc *gc, uint64_t *started) {
  step_begin(gc, started);
  gc->finishing = gc->frame_waits;
  if (!gc->generational) gc->major_next = true;
}

static void step_end(Gc *gc, size_t work, uint64_t started) {
  gc->inside = gc->finishing = false;
  if (gc->step_ended) gc->step_ended = pace_clock(gc);
  gc->stats.steps++;
  if (work > gc->stats.largest_step) gc->stats.largest_step = work;
  size_t bytes = gc_count(gc);
  if (bytes > gc->stats.peak_bytes) gc->stats.peak_bytes = bytes;
  if (started) report_step(gc, work, started);
  if (gc->debug.verify) gc_verify(gc);
}

/* A step has ended in the middle of a cycle, or could not begin one. */
static void next_step_in_cycle(Gc *gc) {
  next_step_after(gc, gc->debt ? HURRIED_STEP : step_bytes(gc));
}

/* What was done for large pieces. */
static void pay_large(Gc *gc, size_t work, uint64_t began) {
  gc->large_debt -= size_min(gc->large_debt, work);
  if (!gc->large_debt) return;
  gc->step_ended = pace_clock(gc);
  uint64_t spent = gc->step_ended - began;
  gc->time_credit -= spent < gc->time_credit ? spent : gc->time_credit;
}

/* The next step for large pieces comes when the program polls next, if there
** is time for it, or else a little later. */
static void next_step_large(Gc *gc) {
  next_step_after(gc, step_bytes(gc));
  gc->patience = gc->time_credit >= gc->step_nanoseconds ? 0 : PATIENCE;
  gc->step_due = !gc->stopped;
}

/* Whether the program may go on a little.  That is, it has just polled, not
** allocated as much as makes a step due. */
static bool is_patient(Gc *gc) {
  if (LIKELY(gc->patience == 0)) return false;
  gc->patience--;
  return (ptrdiff_t)(gc->heap.net_allocated - gc->step_at) < 0;
}

static bool is_idle(const Gc *gc) {
  return gc->phase == PHASE_PAUSE &&
         (ptrdiff_t)(gc->heap.net_allocated - gc->cycle_at) < 0;
}

/* A step is due, but there have been too many just now. */
static bool must_wait(Gc *gc) {
  if (share_allows_step(gc) || gc->debug.step_always) return false;
  next_step_after(gc, HURRIED_STEP);
  return true;
}

/* Between cycles memory goes back to the system, which takes its time too. */
static void idle_step(Gc *gc) {
  uint64_t started = report_is_timed(gc) ? report_clock() : 0;
  size_t released = heap_release_some(&gc->heap);
  next_step_in_pause(gc);
  share_spend(gc);
  if (started && released) report_step(gc, 0, started);
}

/* A step has done `work` and left the cycle unfinished. */
static void step_paid(Gc *gc, size_t work, bool slow, uint64_t began) {
  if (gc->large_debt) pay_large(gc, work, began);
  if (gc->large_debt)
    next_step_large(gc);
  else if (slow)
    next_step_after(gc, pace_is_late(gc) ? LATE_SLOW_STEP : SLOW_STEP);
  else
    next_step_in_cycle(gc);
  if (gc->frame_waits) gc->step_due = !gc->stopped;
}

void gc_step(Gc *gc) {
  uint64_t started;
  bool slow;
  if (gc->inside || is_patient(gc) || must_wait(gc)) return;
  if (is_idle(gc) && !gc->debug.step_always) {
    idle_step(gc);
    return;
  }
  step_begin(gc, &started);
  uint64_t began = note_large_pieces(gc);
  Allowance most = allowance(gc, began);
  size_t owed = gc->debt + units_due(gc);
  most.units = size_min(owed, most.units);
  size_t work = work_allowed(gc, most, &slow);
  if (gc->phase != PHASE_PAUSE || work == 0) {
    gc->debt = owed > work ? owed - work : 0;
    step_paid(gc, work, slow, began);
  }
  share_spend(gc);
  step_end(gc, work, started);
}

bool gc_cycle_is_over(const Gc *gc) {
  return gc->phase == PHASE_PAUSE && (gc->generational || !gc->minor);
}

bool gc_step_work(Gc *gc, size_t units) {
  uint64_t started;
  if (gc->inside) return false;
  step_begin_by_hand(gc, &started);
  size_t work = work_units(gc, units);
  if (gc->phase != PHASE_PAUSE) next_step_in_cycle(gc);
  step_end(gc, work, started);
  return gc_cycle_is_over(gc);
}

/* Units that a major cycle would take, judged by the last one. */
static size_t major_work_expected(const Gc *gc) {
  enum { BYTES_PER_UNIT = 8 }; /* few heaps have so many references */
  size_t bytes = bytes_now(gc);
  if (gc->major_base == 0) return bytes / BYTES_PER_UNIT;
  double growth = (double)bytes / (double)gc->major_base;
  return (size_t)((double)gc->major_work * growth);
}

/* Ends the cycle under way and begins another: a minor one cannot free what
** the first has made old.  A small heap is collected whole instead. */
bool gc_step_young(Gc *gc, size_t units) {
  uint64_t started, cycles = gc->stats.cycles;
  if (gc->inside) return false;
  bool small = major_work_expected(gc) <= size_max(units, SMALL_WORK);
  if (small) units = 2 * size_max(units, SMALL_WORK); /* a guess may be wrong */
  step_begin_by_hand(gc, &started);
  size_t work = gc->phase != PHASE_PAUSE ? work_units(gc, units) : 0;
  if (gc->phase == PHASE_PAUSE && work < units) {
    if (small) gc->major_next = true;
    work += work_units(gc, units - work);
  }
  if (gc->phase != PHASE_PAUSE) next_step_in_cycle(gc);
  step_end(gc, work, started);
  return gc->stats.cycles != cycles;
}

bool gc_step_time(Gc *gc, uint64_t microseconds) {
  uint64_t started;
  if (gc->inside) return false;
  step_begin_by_hand(gc, &started);
  uint64_t end = gc_clock() + microseconds * 1000;
  size_t work = 0;
  do {
    size_t done = cycle_unit(gc);
    work += done;
    if (done == 0 || gc->phase == PHASE_PAUSE) break;
  } while (gc_clock() < end);
  if (gc->phase != PHASE_PAUSE) next_step_in_cycle(gc);
  step_end(gc, work, started);
  return gc_cycle_is_over(gc);
}

/* -- Whole collections ----------------------------------------------------- */

static void collect(Gc *gc) {
  cycle_finish(gc);
  gc->major_next = true;
  gc->choice.minors = 0;        /* says nothing about what they cost */
  if (cycle_unit(gc) > 0) cycle_finish(gc);
  heap_release_all(&gc->heap);
}

void gc_collect(Gc *gc) {
  uint64_t started;
  if (gc->inside) return;
  step_begin(gc, &started);
  collect(gc);
  gc->inside = false;
  if (started) report_collection(gc, started);
  if (gc->debug.verify) gc_verify(gc);
}

void gc_collect_emergency(Gc *gc) {
  if (gc->inside) return;
  gc->stats.emergencies++;
  report_event(gc, EVENT_EMERGENCY, gc_count(gc));
  gc->emergency = true;
  gc_collect(gc);
  gc->emergency = false;
}

void gc_stop(Gc *gc) {
  gc->stopped = true;
  gc->step_due = false;
}

void gc_restart(Gc *gc) {
  gc->stopped = false;
  gc->debt = 0;
  gc->paid_until = gc->heap.net_allocated;
  gc->cycle_at = gc->heap.net_allocated;
  next_step_after(gc, 0);
  pace_notice(gc);
}

void gc_set_generational(Gc *gc, bool generational) {
  if (gc->generational == generational) return;
  gc->generational = generational;
  choose_mode(gc);
}

void gc_set_limit(Gc *gc, size_t bytes) {
  gc->heap.limit = bytes;
  ptrdiff_t left = (ptrdiff_t)(gc->cycle_at - gc->heap.net_allocated);
  if (!bytes || left <= 0 || gc->phase != PHASE_PAUSE) return;
  gc->cycle_at =
      gc->heap.net_allocated + growth_within_limit(gc, (size_t)left);
  next_step_in_pause(gc);
}
