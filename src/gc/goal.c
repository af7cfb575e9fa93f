/* SPDX-License-Identifier: MIT */
/*
** goal.c -- how large the heap may become, and when the next cycle begins
**
**      bytes
**        |                    goal ---- /|
**        |                             / |
**        |        cycle begins   /----/  |   the program allocates while
**        |                      /        |   the cycle marks and sweeps
**        |  -------------------/         +---  live
**        +------------------------------------ time
**           |<------- growth ------->|
**
** A cycle should end at or below its goal, which is about live * pause / 100.
** So it begins earlier, by the bytes that the program allocates while the cycle
** does its work: the program and the steps share the time.
**
** One function makes the plan of a cycle: plan_cycle.  It computes the goal and
** the beginning from what the last cycle has found (GcFound) and from the
** settings, and from nothing else.  So calling it again, or changing a setting
** and changing it back, cannot put a cycle off.
**
** All places are readings of one clock, pace_clock: the bytes allocated so far,
** minus those that the program itself has freed.  Bytes held for objects
** outside of the heap count like bytes inside.
*/
#include "gc/gc_impl.h"

enum {
  GROWTH_FLOOR = 262144,  /* bytes: least growth; a shorter cycle costs more
                            ** than it frees */
  GROWTH_SMALL = 1048576, /* bytes: least growth in a heap of a few 100 KB */
  GROWTH_TINY = 32768,    /* bytes: least growth where cycles are rare */
  GROWTH_FIRST = 65536,   /* bytes: before the first cycle */
  LIMIT_FLOOR = 16384,    /* bytes: least growth near a limit */
  INCREMENTAL_MINOR = 40, /* percent of growth between minor cycles in
                            ** incremental mode, if the pause allows twice as
                            ** much */
  TARGET_PARTS = 8,       /* with a target that cannot be met the collector
                            ** works at most this many times as much */
  HEADROOM_LEAST = 4,     /* floating garbage leaves one part in so many of the
                            ** growth to the next cycle */
  BYTES_PER_UNIT = 8      /* for an unknown heap: no heap has more references
                            ** than one for this many bytes */
};

void pace_init(Gc *gc) {
  gc->pause = 200; /* the default in the Lua manual */
  gc->step_multiplier = 100;
  gc->step_size = 13;
  gc->minor_multiplier = 20;
  gc->major_multiplier = 100;
  gc->pace.growth = gc->pace.floor = GROWTH_FIRST;
  gc->pace.goal = gc->pace.cycle_at = gc->pace.step_at = GROWTH_FIRST;
  for (int minor = 0; minor < 2; minor++)
    gc->pace.last[minor].bytes_per_unit = UNIT_BYTES;
}

size_t gc_count(const Gc *gc) { return heap_used(&gc->heap); }

size_t pace_bytes(const Gc *gc) { return gc_count(gc) + gc->external_bytes; }

/* The bytes from `place` to `to`; 0 if `to` comes first. */
static size_t bytes_between(size_t place, size_t to) {
  ptrdiff_t bytes = (ptrdiff_t)(to - place);
  return bytes > 0 ? (size_t)bytes : 0;
}

static size_t size_less(size_t a, size_t b) { return a - size_min(a, b); }

/* `percent` of `bytes`, without overflow. */
static size_t percent_of(size_t bytes, int percent) {
  size_t factor = percent > 0 ? (size_t)percent : 0;
  return bytes / 100 * factor + bytes % 100 * factor / 100;
}

/* -- How much a heap may grow ---------------------------------------------- */

/* The least growth.  A process may have thousands of states, and a state that is
** hardly used must stay small.  So it rises with the live bytes, and with the
** number of cycles in a second. */
static size_t growth_floor(const Gc *gc, size_t live) {
  enum { MOST = 4 };
  size_t growth = size_min(live, GROWTH_SMALL / MOST) * MOST;
  growth = size_max(growth, GROWTH_FLOOR);
  return gc->step_nanoseconds ? size_min(growth, gc->pace.floor) : growth;
}

/* The same, where the heap may be so late that this is all it gets. */
static size_t growth_least(const Gc *gc) {
  size_t live = gc->pace.found.live;
  if (live >= GROWTH_SMALL) return GROWTH_FLOOR;
  return size_min(growth_floor(gc, live), GROWTH_FLOOR);
}

/* A cycle of a heap of at most 1 MB takes less than a millisecond.  If one comes
** every 20 ms or less often, that is little, however small the growth is.  If
** they come every 10 ms, the growth doubles. */
static void note_interval(Gc *gc) {
  enum { INTERVAL = 10 };
  GcPace *pace = &gc->pace;
  if (gc->step_nanoseconds == 0) return;
  uint32_t now = (uint32_t)(gc_clock() / 1000000),
           passed = now - pace->ended_at;
  pace->ended_at = now;
  if (passed < INTERVAL)
    pace->floor = (uint32_t)size_min((size_t)pace->floor * 2, GROWTH_SMALL);
  else if (passed > 2 * INTERVAL)
    pace->floor = (uint32_t)size_max(pace->floor / 2, GROWTH_TINY);
}

uint64_t pace_major_work(const Gc *gc) {
  const GcRecord *last = &gc->pace.last[false];
  return (uint64_t)(last->marking + last->rest);
}

static int major_percent(const Gc *gc) {
  return gc->generational ? gc->major_multiplier : gc->pause - 100;
}

/* The growth between major cycles.  In generational mode, major cycles that are
** cheap replace minor cycles, and run more often.  The growth then lies between
** that of the minor and that of the major multiplier, in proportion to the work
** of a major cycle. */
static size_t major_growth(const Gc *gc, size_t live) {
  size_t most = percent_of(live, major_percent(gc));
  if (!gc->generational || gc->choice.minors_pay) return most;
  size_t least = percent_of(live, gc->minor_multiplier);
  size_t much = (size_t)pace_major_work(gc) * MUCH_WORK;
  return size_min(most, size_max(least, much));
}

size_t pace_major_growth(const Gc *gc, size_t live) {
  return size_max(percent_of(live, gc->pause - 100), growth_floor(gc, live));
}

/* The growth between minor cycles.  Incremental mode has no setting for it.  At
** least two minor cycles must fit into the growth that the pause allows,
** otherwise they are of no use. */
static int minor_percent(const Gc *gc) {
  if (gc->generational) return gc->minor_multiplier;
  int half = major_percent(gc) / 2;
  return half < INCREMENTAL_MINOR ? half : INCREMENTAL_MINOR;
}

/* With a limit, a cycle ends before the heap reaches it, because an emergency
** collection does all of its work at once.  With a target, a cycle ends at the
** target, if the live bytes allow that. */
static size_t growth_within_bounds(const Gc *gc, size_t growth) {
  if (LIKELY(!gc->target && !gc->heap.limit)) return growth;
  size_t bytes = gc->pace.found.bytes;
  if (gc->target) {
    size_t headroom = size_less(gc->target, bytes);
    size_t least = size_max(growth / TARGET_PARTS, GROWTH_FLOOR);
    growth = size_min(growth, size_max(headroom, least));
  }
  if (gc->heap.limit) {
    size_t headroom = size_less(gc->heap.limit, bytes);
    size_t parts = gc->pace.frame_most ? 4 : 2; /* a frame may make it late */
    growth = size_min(growth, size_max(headroom / parts, LIMIT_FLOOR));
  }
  return growth;
}

/* -- What is live ---------------------------------------------------------- */

/* The bytes of objects that wait for their finalizers, and of what they refer
** to.  They were marked but die soon, so they must not raise the goal.
** Otherwise a program that makes many of them would let the heap grow without
** end. */
static size_t revived_bytes(const Gc *gc) {
  return size_min(gc->pace.revived, gc->heap.marked_bytes);
}

/* The bytes made while a major cycle marks, and reached by it. */
static size_t new_bytes(const Gc *gc, size_t marked) {
  const GcPace *pace = &gc->pace;
  double work = (double)(pace->marked_work - pace->began_work) + 1;
  size_t bytes = (size_t)((double)marked * (double)pace->new_work / work);
  return size_min(bytes, bytes_between(pace->began_at, pace->marked_at));
}

/* Garbage that was found marked.  Objects made between the end of marking and
** the sweep are marked without having been reached.  An object that is made and
** reached while a major cycle marks may have taken the place of another one
** that was reached before; on average half of them have.  A heap that has grown
** since the last cycle has more live bytes instead.  But if the cycle lasted
** too long, what it made meanwhile counts as garbage, or each cycle could end
** later than the one before.  With a frame budget, every cycle may last too
** long. */
static size_t floating_bytes(const Gc *gc, size_t marked) {
  enum { LONG = 4 };
  const GcPace *pace = &gc->pace;
  size_t unseen = bytes_between(pace->marked_at, pace->swept_at);
  size_t made = gc->minor ? 0 : new_bytes(gc, marked);
  size_t grown = size_less(marked, pace->found.live + pace->floating);
  size_t floating = size_less(unseen + made / 2, grown);
  size_t usual = pace->frame_most ? 0 : pace->growth / LONG;
  return size_max(floating, size_less(unseen + made, usual));
}

/* A minor cycle does not find floating garbage of the cycles before it. */
static void note_floating(Gc *gc, size_t marked) {
  size_t floating = floating_bytes(gc, marked);
  if (gc->minor) floating += gc->pace.floating;
  gc->pace.floating = size_min(floating, marked - marked / 8);
}

/* The bytes allocated during the cycle beyond the usual amount.  They may be in
** parts whose live bytes are unknown: a weak table grows with garbage as long
** as the cycle lasts.  Making a small object takes as long as visiting one.  So
** an excess consists of large objects or external bytes, most of them dead.
** With a frame budget, a cycle can last for any time, and then nothing is
** usual. */
static size_t excess_bytes(const Gc *gc) {
  const GcPace *pace = &gc->pace;
  size_t made = bytes_between(pace->began_at, pace_clock(gc));
  size_t work = (size_t)(gc->stats.work - pace->began_work);
  size_t usual = size_min(pace->growth / 2, work * BYTES_PER_UNIT);
  return size_less(made, pace->frame_most ? 0 : usual);
}

/* What the cycle that has just ended found.  The one place that says which of
** the marked bytes count as live.  More external bytes than the last time may
** belong to dead objects, so they allow no growth yet. */
static void note_found(Gc *gc) {
  GcPace *pace = &gc->pace;
  size_t more = size_less(gc->external_bytes, pace->external_counted);
  pace->external_counted = gc->external_bytes;
  size_t marked = gc->heap.marked_bytes - revived_bytes(gc);
  marked += pace->external_counted;
  note_floating(gc, marked);
  pace->leaving += size_max(excess_bytes(gc), more);
  pace->found = (GcFound){.at = pace_clock(gc),
                          .bytes = pace_bytes(gc),
                          .live = marked - pace->floating};
  pace->found_minor = gc->minor;
  gc->stats.live_bytes = marked;
}

void gc_part_leaves(Gc *gc, size_t bytes) { gc->pace.leaving += bytes; }

/* True if the client calls finalizers that may free external bytes.  Until they
** have run, the number of live external bytes is unknown. */
static bool external_is_in_doubt(const Gc *gc) {
  return gc->finalizers_first && gc_has_finalizable(gc);
}

/* The part of the live bytes that the growth is a share of.  Memory in parts
** that will be freed soon must not raise the goal.  Otherwise a weak table,
** which grows with garbage, would let the next cycle leave even more
** garbage. */
static size_t lasting_bytes(const Gc *gc, size_t live) {
  size_t doubtful = gc->pace.leaving;
  if (external_is_in_doubt(gc)) doubtful += gc->pace.external_counted;
  return size_less(live, doubtful);
}

/* -- What a cycle takes ---------------------------------------------------- */

size_t pace_began_bytes(const Gc *gc) {
  const GcPace *pace = &gc->pace;
  return pace->found.bytes + bytes_between(pace->found.at, pace->began_at);
}

/* A major cycle visits everything that is live, so its work follows the size of
** the heap: `bytes` now, `then` when the work was measured.  Bytes allocated since
** then are assumed to be full of references. */
static GcWork work_scaled(const GcRecord *last, size_t bytes, size_t then) {
  GcWork work = {last->marking, last->rest};
  if (bytes >= then) {
    work.marking += (double)(bytes - then) / BYTES_PER_UNIT;
    return work;
  }
  double scale = (double)bytes / (double)then;
  return (GcWork){work.marking * scale, work.rest * scale};
}

static bool follows_size(const GcRecord *last, bool minor) {
  return !minor || last->bytes == 0;
}

GcWork pace_expected(const Gc *gc, bool minor, size_t bytes) {
  const GcRecord *last = &gc->pace.last[minor];
  size_t then = follows_size(last, minor) ? last->bytes : bytes;
  return work_scaled(last, bytes, then);
}

/* The work of a cycle that has not begun.  The bytes that are live now are
** compared with those that the last cycle had to visit. */
static GcWork work_planned(const Gc *gc, bool minor) {
  const GcRecord *last = &gc->pace.last[minor];
  size_t live = gc->pace.found.live;
  return work_scaled(last, live,
                     follows_size(last, minor) ? (size_t)last->visited : live);
}

/* The bytes that the program will allocate during such a cycle. */
static size_t cycle_bytes(const Gc *gc, bool minor) {
  GcWork work = work_planned(gc, minor);
  double units = work.marking + work.rest;
  double bytes = units * gc->pace.last[minor].bytes_per_unit / step_share(gc);
  return bytes < (double)PTRDIFF_MAX ? (size_t)bytes : PTRDIFF_MAX;
}

/* The part of the growth that is kept for a cycle.  A part of that is for errors
** of the estimate. */
static size_t cycle_headroom(const Gc *gc, bool minor) {
  size_t bytes = cycle_bytes(gc, minor);
  return bytes + bytes / ESTIMATE_PARTS;
}

/* Nanoseconds that the program itself took during the cycle.  What passes
** between steps includes the time of other programs; the processor time of the
** thread does not, but another thread may have gone on with the state. */
static float program_time(const Gc *gc) {
  const GcPace *pace = &gc->pace;
  float cpu = (float)(int64_t)(report_clock() - pace->began_cpu);
  float own = cpu - pace->step_time;
  return own > 0 && own < pace->program_time ? own : pace->program_time;
}

/* How many bytes the program allocated in the time of a unit of work.  A
** collection by hand leaves no time to the program, and says nothing. */
static void note_speed(const Gc *gc, GcRecord *last, size_t grown) {
  if (gc->step_nanoseconds == 0) return;
  float own = program_time(gc), steps = gc->pace.step_time;
  if (grown == 0 || !(own > 0) || !(steps > 0)) return;
  float unit = steps / (last->marking + last->rest + 1);
  float bytes = (float)grown / own * unit;
  last->bytes_per_unit = bytes > UNIT_BYTES_MIN ? bytes : UNIT_BYTES_MIN;
}

static void remember_cycle(Gc *gc) {
  GcPace *pace = &gc->pace;
  GcRecord *last = &pace->last[gc->minor];
  last->bytes = pace_began_bytes(gc) + 1;
  last->marking = (float)(pace->marked_work - pace->began_work);
  last->rest = (float)(gc->stats.work - pace->marked_work);
  size_t made = bytes_between(pace->began_at, pace_clock(gc));
  last->visited = (float)size_less(pace_bytes(gc), made);
  note_speed(gc, last, made);
}

/* -- The plan -------------------------------------------------------------- */

/* The live bytes after the last major cycle.  A minor cycle also finds old
** garbage live. */
static size_t major_live(const Gc *gc) {
  const GcPace *pace = &gc->pace;
  bool minor = pace->found_minor && gc->major_base > 0;
  return minor ? gc->major_base : pace->found.live;
}

/* How much the heap may have grown at the end of the next major cycle.  Where
** marks are kept, revived objects are old and survive until the next major
** cycle.  Only half of their bytes is added, so that they cannot accumulate
** from one major cycle to the next. */
static size_t major_headroom(const Gc *gc) {
  size_t live = major_live(gc);
  size_t growth = major_growth(gc, lasting_bytes(gc, live));
  growth = size_max(growth, growth_floor(gc, live));
  return growth + gc->pace.old_revived / 2;
}

static bool minor_is_next(const Gc *gc) {
  if (gc->phase != PHASE_PAUSE) return gc->minor;
  return gc->marks_kept && gc->choice.minors_pay && !gc->major_next;
}

static size_t minor_growth(const Gc *gc) {
  size_t live = gc->pace.found.live;
  size_t growth = percent_of(lasting_bytes(gc, live), minor_percent(gc));
  return size_max(growth, growth_floor(gc, live));
}

/* The bytes that the heap may have at the end of the next cycle.  After a minor
** cycle there must be headroom left for a major one. */
static size_t goal_bytes(const Gc *gc) {
  size_t bound = major_live(gc) + major_headroom(gc);
  if (!minor_is_next(gc)) return bound;
  bound = size_less(bound, cycle_headroom(gc, false));
  return size_min(bound, gc->pace.found.live + minor_growth(gc));
}

/* True if the next cycle must be a major one: after a minor cycle, with half of
** its usual headroom, there would be too little left. */
static bool is_overgrown(const Gc *gc) {
  enum { PARTS = 2 };
  size_t bound = major_live(gc) + growth_within_bounds(gc, major_headroom(gc));
  size_t then = gc->pace.found.live + minor_growth(gc) / PARTS;
  return gc->minor && then + cycle_headroom(gc, false) > bound;
}

/* A table that has grown will perhaps grow again, by twice as much at once.  Then
** a cycle that began only with that could not end at the goal, so it begins
** that much earlier. */
static size_t begin_for_lump(const Gc *gc) {
  const GcPace *pace = &gc->pace;
  size_t headroom = bytes_between(pace->found.at, pace->goal);
  return pace->goal - size_min((size_t)pace->lump, headroom);
}

void pace_lump(Gc *gc) {
  size_t begin = begin_for_lump(gc);
  if (bytes_between(begin, gc->pace.cycle_at) == 0) return;
  gc->pace.cycle_at = begin;
  step_after_cycle(gc);
}

/* Sets the goal of the next cycle and the place where it begins. */
static void plan_cycle(Gc *gc) {
  GcPace *pace = &gc->pace;
  size_t goal = goal_bytes(gc), growth = size_less(goal, pace->found.live);
  growth = growth_within_bounds(gc, size_max(growth, growth_least(gc)));
  size_t headroom = size_less(goal, pace->found.bytes);
  size_t least = size_min(growth / HEADROOM_LEAST, pace->floating);
  headroom = size_max(headroom, size_max(least, growth_least(gc)));
  headroom = growth_within_bounds(gc, headroom);
  size_t needed = cycle_headroom(gc, minor_is_next(gc));
  needed = size_min(needed, headroom / 2);
  pace->growth = growth;
  pace->goal = pace->found.at + headroom;
  pace->margin = (float)(needed / ESTIMATE_PARTS);
  needed = size_max(needed, bytes_between(begin_for_lump(gc), pace->goal));
  pace->cycle_at = pace->goal - needed;
  if (gc->phase == PHASE_PAUSE) step_after_cycle(gc);
}

/* What was found has become less, or a setting has changed.  A cycle that is due
** stays due.  The goal may come nearer, but not so near that the heap is late at
** once: `least` bytes are left, unless fewer were left before. */
static void plan_again(Gc *gc, size_t least) {
  GcPace *pace = &gc->pace;
  size_t now = pace_clock(gc), begin = pace->cycle_at;
  ptrdiff_t before = (ptrdiff_t)(pace->goal - now);
  plan_cycle(gc);
  if (gc->phase == PHASE_PAUSE && bytes_between(now, begin) == 0) {
    pace->cycle_at = begin;
    step_after_cycle(gc);
  }
  ptrdiff_t after = (ptrdiff_t)(pace->goal - now);
  if (before > (ptrdiff_t)least) before = (ptrdiff_t)least;
  if (after >= before) return;
  pace->goal = now + (size_t)before;
  pace->margin = 0;
}

/* -- Between cycles -------------------------------------------------------- */

void pace_marked(Gc *gc) {
  gc->pace.marked_work = gc->stats.work;
  gc->pace.marked_at = gc->pace.swept_at = pace_clock(gc);
}

void pace_sweeps(Gc *gc) { gc->pace.swept_at = pace_clock(gc); }

/* From now on the clock shows less, if a table has grown before. */
void pace_cycle_begun(Gc *gc) {
  GcPace *pace = &gc->pace;
  pace_marked(gc);
  pace->began_work = pace->marked_work;
  pace->revived = pace->leaving = 0;
  pace->began_at = pace->marked_at - pace->reserved;
  pace->marked_at = pace->swept_at = pace->began_at;
  pace->program_time = pace->step_time = pace->new_work = 0;
  if (pace->reserved == 0) pace->lump = 0;
  pace->began_cpu = gc->step_nanoseconds ? report_clock() : 0;
}

/* An inspection between cycles has ended. */
void pace_inspected(Gc *gc) { plan_cycle(gc); }

/* All finalizers of the last cycle have been called, or the last one is about to
** be.  Now it is known which external bytes are live. */
void pace_finalized(Gc *gc) {
  if (gc->phase == PHASE_PAUSE && gc->pace.external_counted > 0)
    plan_again(gc, GROWTH_FLOOR);
}

void pace_cycle_done(Gc *gc) {
  GcPace *pace = &gc->pace;
  pace->reserved = 0;
  pace->restarted = false;
  remember_cycle(gc);
  note_found(gc);
  note_interval(gc);
  size_t live = pace->found.live;
  choose_cycle_done(gc, live);
  if (!gc->minor) {
    gc->major_base = live;
    pace->old_revived = gc->marks_kept ? revived_bytes(gc) : 0;
  }
  bool beyond = gc->target && live > gc->target;
  gc->target_missed = beyond && !gc->minor;
  gc->major_next = !gc->choice.minors_pay || is_overgrown(gc) ||
                   (beyond && gc->minor) || inspection_is_due(gc);
  plan_cycle(gc);
}

/* The collector was stopped.  The cycle begins now.  If the heap is beyond the
** goal, that is the program's own decision, so once in a cycle the goal moves:
** a program that loads a level with the collector stopped is not slowed down
** afterwards.  The next time, what was allocated meanwhile counts as one
** allocation. */
void pace_restart(Gc *gc) {
  GcPace *pace = &gc->pace;
  bool late = gc_is_late(gc), again = late && pace->restarted;
  pace->cycle_at = pace_clock(gc);
  if (late && !again) {
    pace->restarted = true;
    pace->goal = pace->cycle_at + pace->growth;
    pace->margin = 0;
  }
  if (!again) step_after_cycle(gc);
  pace_notice(gc);
}

int gc_set(Gc *gc, GcSetting setting, int value) {
  int *place[] = {&gc->pause, &gc->step_multiplier, &gc->step_size,
                  &gc->minor_multiplier, &gc->major_multiplier};
  int old = *place[setting];
  *place[setting] = value;
  return old;
}

void gc_set_limit(Gc *gc, size_t bytes) {
  gc->heap.limit = bytes;
  if (gc->phase == PHASE_PAUSE) plan_again(gc, LIMIT_FLOOR);
}

void gc_set_target(Gc *gc, size_t bytes) {
  gc->target = bytes;
  if (gc->phase == PHASE_PAUSE) plan_again(gc, LIMIT_FLOOR);
}

size_t gc_goal(const Gc *gc) {
  ptrdiff_t headroom = (ptrdiff_t)(gc->pace.goal - pace_clock(gc));
  size_t now = pace_bytes(gc);
  if (headroom >= 0) return now + (size_t)headroom;
  return size_less(now, (size_t)-headroom);
}

/* -- What the program frees ------------------------------------------------ */

/* Bytes that were found live are gone, so the goal was too high. */
static void found_less(Gc *gc, size_t bytes) {
  GcFound *found = &gc->pace.found;
  found->bytes = size_less(found->bytes, bytes);
  found->live = size_less(found->live, bytes);
  plan_again(gc, GROWTH_FLOOR);
}

/* The clock has run backwards.  The next step still comes at the same distance:
** a program often frees a buffer after it has made something of it.  If more was
** freed than allocated since the last cycle, the difference was live then. */
void pace_freed(Gc *gc, size_t bytes) {
  GcPace *pace = &gc->pace;
  pace->frees++;
  if (gc->phase != PHASE_PAUSE || pace->step_at != pace->cycle_at) {
    pace->step_at -= bytes;
    pace->stepped_at -= bytes;
  }
  size_t freed = bytes_between(pace_clock(gc), pace->found.at);
  if (LIKELY(freed == 0)) return;
  pace->found.at -= freed;
  gc->major_base = size_less(gc->major_base, freed);
  found_less(gc, freed);
}

/* -- Bytes outside of the heap --------------------------------------------- */

static bool limit_allows_soon(Gc *gc, size_t more) {
  if (heap_limit_allows(&gc->heap, more)) return true;
  gc_collect_emergency(gc);
  return heap_limit_allows(&gc->heap, more);
}

/* External bytes that counted as live are gone: finalizers free the bytes of
** objects that were dead.  Older bytes are taken to go first.  The clock does
** not run backwards, as it does where the program frees memory of the heap. */
static void external_freed(Gc *gc, size_t bytes) {
  bytes = size_min(bytes, gc->pace.external_counted);
  if (LIKELY(bytes == 0)) return;
  gc->pace.external_counted -= bytes;
  if (!gc->pace.found_minor) gc->major_base = size_less(gc->major_base, bytes);
  found_less(gc, bytes);
}

/* The most external bytes.  No program has more, and sums with them do not
** overflow. */
static const size_t EXTERNAL_MOST = SIZE_MAX / 8 * 3;

bool gc_external_bytes(Gc *gc, size_t more, size_t less) {
  Heap *heap = &gc->heap;
  less = size_min(less, heap->external);
  heap->external -= less;
  gc->external_bytes -= less;
  external_freed(gc, less);
  if (more == 0) return true;
  if (UNLIKELY(more > EXTERNAL_MOST || heap->external > EXTERNAL_MOST - more))
    return false;
  if (UNLIKELY(!limit_allows_soon(gc, more))) return false;
  heap->external += more;
  gc->external_bytes += more;
  heap->allocation_clock += more;
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
  heap->allocation_clock += new_size - old_size;
  if (new_size < old_size) pace_freed(gc, old_size - new_size);
  pace_notice(gc);
  return moved;
}
