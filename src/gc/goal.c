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
** does its work.
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
  LIMIT_FLOOR = 16384,    /* bytes: least growth near a limit */
  LARGE_HEAP = 2097152,   /* bytes above this allow 3/4 of the growth */
  INCREMENTAL_MINOR = 40, /* percent of growth between minor cycles in
                            ** incremental mode, if the pause allows twice as
                            ** much */
  TARGET_PARTS = 8,       /* with a target that cannot be met the collector
                            ** works at most this many times as much */
  BYTES_PER_UNIT = 8      /* for an unknown heap: no heap has more references
                            ** than one for this many bytes */
};

void pace_init(Gc *gc) {
  gc->pause = 200; /* the default in the Lua manual */
  gc->step_multiplier = 100;
  gc->step_size = 13;
  gc->minor_multiplier = 20;
  gc->major_multiplier = 100;
  gc->pace.growth = GROWTH_FLOOR;
  gc->pace.goal = gc->pace.cycle_at = gc->pace.step_at = GROWTH_FLOOR;
}

size_t gc_count(const Gc *gc) { return heap_used(&gc->heap); }

size_t pace_bytes(const Gc *gc) { return gc_count(gc) + gc->external_bytes; }

/* `percent` of `bytes`, without overflow. */
static size_t percent_of(size_t bytes, int percent) {
  size_t factor = percent > 0 ? (size_t)percent : 0;
  return bytes / 100 * factor + bytes % 100 * factor / 100;
}

/* -- How much a heap may grow ---------------------------------------------- */

/* The growth that `percent` allows.  A large heap grows by less, because there
** a little time saves much memory. */
static size_t growth_of(size_t live, int percent) {
  size_t beyond = live > LARGE_HEAP ? live - LARGE_HEAP : 0;
  return percent_of(live - beyond / 4, percent);
}

/* The least growth.  It rises with the live bytes, because a process may have
** thousands of states, and a state that is hardly used must stay small. */
static size_t growth_floor(size_t live) {
  enum { MOST = 4 };
  size_t growth = size_min(live, GROWTH_SMALL / MOST) * MOST;
  return size_max(growth, GROWTH_FLOOR);
}

uint64_t pace_major_work(const Gc *gc) {
  const GcRecord *last = &gc->pace.last[false];
  return last->marking + last->rest;
}

static int major_percent(const Gc *gc) {
  return gc->generational ? gc->major_multiplier : gc->pause - 100;
}

/* The growth between major cycles.  In generational mode a program that needs no
** minor cycles because major ones are little work gets those more often: the
** multipliers are the bounds, and within them the work may become much. */
static size_t major_growth(const Gc *gc, size_t live) {
  size_t most = growth_of(live, major_percent(gc));
  if (!gc->generational || gc->choice.minors_pay) return most;
  size_t least = growth_of(live, gc->minor_multiplier);
  size_t much = (size_t)pace_major_work(gc) * MUCH_WORK;
  return size_min(most, size_max(least, much));
}

size_t pace_major_growth(const Gc *gc, size_t live) {
  return size_max(growth_of(live, gc->pause - 100), growth_floor(live));
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
  size_t now = pace_bytes(gc);
  if (gc->target) {
    size_t room = gc->target > now ? gc->target - now : 0;
    size_t least = size_max(growth / TARGET_PARTS, GROWTH_FLOOR);
    growth = size_min(growth, size_max(room, least));
  }
  if (gc->heap.limit) {
    size_t room = gc->heap.limit > now ? gc->heap.limit - now : 0;
    size_t parts = gc->pace.frame_most ? 4 : 2; /* a frame may make it late */
    growth = size_min(growth, size_max(room / parts, LIMIT_FLOOR));
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

static size_t live_bytes(const Gc *gc) {
  size_t marked = gc->heap.marked_bytes - revived_bytes(gc);
  return marked + gc->pace.external_counted;
}

void gc_part_leaves(Gc *gc, size_t bytes) { gc->pace.leaving += bytes; }

/* True if the client calls finalizers that may free external bytes.  Until then
** nobody knows how many of these bytes are live. */
static bool external_is_in_doubt(const Gc *gc) {
  return gc->finalizers_first && gc_has_finalizable(gc);
}

/* The part of the live bytes that the growth is a share of.  Room in parts that
** leave must not raise the goal: a weak table grows with the garbage of a
** cycle, and would allow the next cycle more garbage. */
static size_t lasting_bytes(const Gc *gc, size_t live) {
  size_t doubtful = gc->pace.leaving;
  if (external_is_in_doubt(gc)) doubtful += gc->pace.external_counted;
  return live - size_min(live, doubtful);
}

/* The bytes that the heap may have at the end of the next major cycle, if the
** last cycle found `live` bytes.  A minor cycle also finds old garbage live, so
** after one the result of the last major cycle counts.  Where marks are kept,
** revived objects are old and stay until then.  Half of them is allowed for, so
** that they cannot add up from one major cycle to the next. */
static size_t major_bound(const Gc *gc, size_t live) {
  size_t base = gc->minor && gc->major_base > 0 ? gc->major_base : live;
  base -= size_min(base, gc->pace.floating);
  size_t growth = major_growth(gc, lasting_bytes(gc, base));
  return base + size_max(growth, growth_floor(base)) + gc->pace.old_revived / 2;
}

static bool minor_is_next(const Gc *gc) {
  return gc->marks_kept && gc->choice.minors_pay && !gc->major_next;
}

static size_t goal_bytes(const Gc *gc, size_t live) {
  size_t bound = major_bound(gc, live);
  if (!minor_is_next(gc)) return bound;
  live -= size_min(live, gc->pace.floating);
  size_t growth = percent_of(lasting_bytes(gc, live), minor_percent(gc));
  return size_min(bound, live + size_max(growth, growth_floor(live)));
}

/* -- What a cycle takes ---------------------------------------------------- */

/* A major cycle visits everything that is live, so its work follows the size of
** the heap.  Bytes allocated since the last one count as full of references. */
GcWork pace_expected(const Gc *gc, bool minor, size_t bytes) {
  const GcRecord *last = &gc->pace.last[minor];
  GcWork work = {(double)last->marking, (double)last->rest};
  if (minor && last->bytes > 0) return work;
  if (bytes >= last->bytes) {
    work.marking += (double)(bytes - last->bytes) / BYTES_PER_UNIT;
    return work;
  }
  double scale = (double)bytes / (double)last->bytes;
  return (GcWork){work.marking * scale, work.rest * scale};
}

/* The bytes that the program will allocate during such a cycle. */
static size_t cycle_bytes(const Gc *gc, bool minor) {
  const GcRecord *last = &gc->pace.last[minor];
  GcWork work = pace_expected(gc, minor, pace_bytes(gc));
  double rate = step_least_rate(gc), bytes_per_unit = last->bytes_per_unit;
  if (bytes_per_unit * rate < 1) bytes_per_unit = 1 / rate;
  double bytes = (work.marking + work.rest) * bytes_per_unit;
  return bytes < (double)PTRDIFF_MAX ? (size_t)bytes : PTRDIFF_MAX;
}

static void remember_cycle(Gc *gc) {
  GcPace *pace = &gc->pace;
  GcRecord *last = &pace->last[gc->minor];
  uint64_t work = gc->stats.work - pace->began_work;
  ptrdiff_t grown = (ptrdiff_t)(pace_clock(gc) - pace->began_at);
  last->bytes = pace->began_bytes + 1;
  last->marking = pace->marked_work - pace->began_work;
  last->rest = gc->stats.work - pace->marked_work;
  last->bytes_per_unit = grown > 0 ? (double)grown / (double)(work + 1) : 0;
}

/* -- Between cycles -------------------------------------------------------- */

void pace_marked(Gc *gc) { gc->pace.marked_work = gc->stats.work; }

void pace_cycle_begun(Gc *gc) {
  GcPace *pace = &gc->pace;
  pace_marked(gc);
  pace->began_work = pace->marked_work;
  pace->revived = pace->leaving = 0;
  pace->began_at = pace_clock(gc);
  pace->began_bytes = pace_bytes(gc);
}

void pace_held(Gc *gc, size_t since) {
  GcPace *pace = &gc->pace;
  if (pace->held_back) return;
  pace->held_back = true;
  pace->held_at = since;
}

/* Objects that die after they were marked, or that are born marked, are found
** live; so are external bytes that wait for finalizers.  At the least rate a
** cycle lasts for one byte of allocation for each unit of its work.  Large
** allocations can make it last longer.  What is born beyond that must not raise
** the goal, or each cycle could end later than the one before. */
static void note_excess(Gc *gc) {
  GcPace *pace = &gc->pace;
  ptrdiff_t born = (ptrdiff_t)(pace_clock(gc) - pace->began_at);
  ptrdiff_t work = (ptrdiff_t)(gc->stats.work - pace->began_work);
  if (born > work) pace->leaving += (size_t)(born - work);
}

/* If a frame or a look has held the cycle back, all that was allocated since may
** be garbage that is found live.  Half of it is taken for garbage, because the
** heap may also have grown.  A minor cycle does not find what was found live by
** mistake before. */
static void note_floating(Gc *gc) {
  GcPace *pace = &gc->pace;
  ptrdiff_t born = (ptrdiff_t)(pace_clock(gc) - pace->held_at);
  if (!gc->minor) pace->floating = 0;
  if (pace->held_back && born > 0) {
    pace->floating += (size_t)born / 2;
    pace->leaving += (size_t)born;
  } else {
    note_excess(gc);
  }
  pace->held_back = false;
}

/* The bytes that the heap may grow by from now on. */
static size_t room_now(const Gc *gc) {
  size_t goal = goal_bytes(gc, live_bytes(gc)), now = pace_bytes(gc);
  size_t room = goal > now ? goal - now : 0;
  return growth_within_bounds(gc, size_max(room, GROWTH_FLOOR));
}

/* True if the cycle after this minor one must be major: the heap would outgrow
** its bound by the end of a major cycle that follows another minor one. */
static bool is_overgrown(const Gc *gc, size_t live) {
  size_t then = live + percent_of(live, minor_percent(gc));
  return gc->minor && then + cycle_bytes(gc, false) > major_bound(gc, live);
}

/* The next cycle begins early enough to end at the goal. */
static void set_begin(Gc *gc, size_t room) {
  size_t needed = size_min(cycle_bytes(gc, minor_is_next(gc)), room);
  gc->pace.cycle_at = gc->pace.goal - needed;
  step_after_cycle(gc);
}

/* Sets the goal and the place where the next cycle begins. */
static void set_goal(Gc *gc) {
  GcPace *pace = &gc->pace;
  size_t live = live_bytes(gc), room = room_now(gc);
  size_t growth = goal_bytes(gc, live) - size_min(live, goal_bytes(gc, live));
  pace->growth = growth_within_bounds(gc, size_max(growth, GROWTH_FLOOR));
  pace->done_at = pace_clock(gc);
  pace->goal_per_live = 1 + (double)growth / (double)(live + 1);
  pace->goal = pace_clock(gc) + room;
  set_begin(gc, room);
}

/* A look between cycles has ended.  The goal is still that of the next cycle. */
void pace_looked(Gc *gc) {
  ptrdiff_t room = (ptrdiff_t)(gc->pace.goal - pace_clock(gc));
  set_begin(gc, room > 0 ? (size_t)room : 0);
}

/* All finalizers of the last cycle have been called, or the last one is about to
** be.  Now it is known which external bytes are live. */
void pace_finalized(Gc *gc) {
  if (gc->phase == PHASE_PAUSE && gc->pace.external_counted > 0) set_goal(gc);
}

void pace_cycle_done(Gc *gc) {
  gc->pace.external_counted = gc->external_bytes;
  size_t live = live_bytes(gc);
  gc->stats.live_bytes = live;
  gc->pace.reserved = 0;
  remember_cycle(gc);
  note_floating(gc);
  choose_cycle_done(gc, live);
  if (!gc->minor) {
    gc->major_base = live;
    gc->pace.old_revived = gc->marks_kept ? revived_bytes(gc) : 0;
  }
  bool beyond = gc->target && live > gc->target;
  gc->target_missed = beyond && !gc->minor;
  gc->major_next = !gc->choice.minors_pay || is_overgrown(gc, live) ||
                   (beyond && gc->minor) || look_is_due(gc);
  set_goal(gc);
}

/* The collector was stopped, so it is not late, even if the heap is beyond the
** goal: the goal moves instead. */
void pace_restart(Gc *gc) {
  GcPace *pace = &gc->pace;
  pace->cycle_at = pace_clock(gc);
  if (gc_is_late(gc)) pace->goal = pace->cycle_at + pace->growth;
  step_after_cycle(gc);
  pace_notice(gc);
}

void gc_set_limit(Gc *gc, size_t bytes) {
  gc->heap.limit = bytes;
  if (gc->phase == PHASE_PAUSE) set_goal(gc);
}

void gc_set_target(Gc *gc, size_t bytes) {
  gc->target = bytes;
  if (gc->phase == PHASE_PAUSE) set_goal(gc);
}

size_t gc_goal(const Gc *gc) {
  ptrdiff_t room = (ptrdiff_t)(gc->pace.goal - pace_clock(gc));
  size_t now = pace_bytes(gc);
  if (room >= 0) return now + (size_t)room;
  return now - size_min(now, (size_t)-room);
}

/* -- What the program frees ------------------------------------------------ */

/* The program has freed more bytes than it has allocated since the last cycle.
** The difference was live at that time, so the goal is too high. */
static void lower_goal(Gc *gc) {
  GcPace *pace = &gc->pace;
  size_t freed = pace->done_at - pace_clock(gc);
  size_t lower = (size_t)((double)freed * pace->goal_per_live);
  size_t room = pace->goal - pace_clock(gc);
  pace->done_at -= freed;
  gc->major_base -= size_min(freed, gc->major_base);
  lower = size_min(lower, room - size_min(room, GROWTH_FLOOR));
  pace->goal -= lower;
  pace->cycle_at -= lower;
  if (gc->phase == PHASE_PAUSE) step_after_cycle(gc);
}

/* The clock has run backwards.  The next step still comes at the same distance:
** a program often frees a buffer after it has made something of it. */
void pace_freed(Gc *gc, size_t bytes) {
  GcPace *pace = &gc->pace;
  pace->frees++;
  if (gc->phase != PHASE_PAUSE || pace->step_at != pace->cycle_at) {
    pace->step_at -= bytes;
    pace->due_at -= bytes;
    pace->stepped_at -= bytes;
  }
  if ((ptrdiff_t)(pace_clock(gc) - pace->done_at) < 0) lower_goal(gc);
}

/* -- Bytes outside of the heap --------------------------------------------- */

static bool limit_allows_soon(Gc *gc, size_t more) {
  if (heap_limit_allows(&gc->heap, more)) return true;
  gc_collect_emergency(gc);
  return heap_limit_allows(&gc->heap, more);
}

/* External bytes that counted as live when the goal was set are gone, so the
** goal was too high: finalizers free the bytes of objects that were dead.  Older
** bytes are taken to go first.  The clock does not run backwards, as it does
** where the program frees memory of the heap. */
static void external_freed(Gc *gc, size_t bytes) {
  GcPace *pace = &gc->pace;
  bytes = size_min(bytes, pace->external_counted);
  if (LIKELY(bytes == 0)) return;
  pace->external_counted -= bytes;
  if (!gc->minor) gc->major_base -= size_min(bytes, gc->major_base);
  if (external_is_in_doubt(gc)) return; /* the goal does not count them */
  double grown = (double)bytes * (pace->goal_per_live - 1);
  size_t growth = pace->growth - size_min(pace->growth, GROWTH_FLOOR);
  pace->growth -= grown < (double)growth ? (size_t)grown : growth;
  ptrdiff_t left = (ptrdiff_t)(pace->goal - pace_clock(gc));
  size_t room = left > GROWTH_FLOOR ? (size_t)left - GROWTH_FLOOR : 0;
  size_t lower = grown < (double)room ? (size_t)grown : room;
  pace->goal -= lower;
  pace->cycle_at -= lower;
  if (gc->phase == PHASE_PAUSE) step_after_cycle(gc);
}

bool gc_external_bytes(Gc *gc, size_t more, size_t less) {
  Heap *heap = &gc->heap;
  less = size_min(less, heap->external);
  heap->external -= less;
  gc->external_bytes -= less;
  external_freed(gc, less);
  if (more == 0) return true;
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
