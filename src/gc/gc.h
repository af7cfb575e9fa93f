/* SPDX-License-Identifier: MIT */
/*
** gc.h -- the collector, for the code that uses it
**
** An incremental tri-color mark and sweep collector with no unbounded step,
** with a generational mode on the same machine.  It knows objects through
** kinds.h only.  It never calls up: finalizable objects leave through a queue
** (gc_next_finalizable), events through a listener (GcListener).  It never
** raises: failure is NULL or false.
**
** What code that uses it must do:
**
**   - anchor a new object (store it in something reachable, or a stack slot)
**     before the next allocation, since that may run an emergency collection;
**   - call a barrier after every store of a reference into an object;
**   - call gc_part_replaced after giving an object a new part;
**   - poll gc_step_due at points where every root is up to date, and then
**     call gc_step.
*/
#ifndef PENUMBRA_GC_H
#define PENUMBRA_GC_H

#include "gc/kinds.h"
#include "gc/worklist.h"

/* -- The phases ------------------------------------------------------------ */

/* See cycle.c for the diagram and the transitions. */
typedef enum GcPhase {
  PHASE_PAUSE,
  PHASE_UNMARK,       /* before a major cycle, if marks were kept */
  PHASE_MARK,
  PHASE_AGAIN,        /* mark again; barriers are forward now */
  PHASE_CLEAR_VALUES,
  PHASE_SEPARATE,
  PHASE_RESURRECT,
  PHASE_CLEAR_KEYS,
  PHASE_DYING,        /* close upvalues of unreached threads */
  PHASE_SWEEP_SET,    /* the set of interned strings */
  PHASE_SWEEP,
  PHASE_COUNT
} GcPhase;

/* What the slow path of a barrier does, decided once per phase. */
typedef enum GcBarrierMode {
  BARRIER_OFF,        /* nothing is black: stop watching the object */
  BARRIER_BACK,       /* visit the object again; forward if in pieces */
  BARRIER_FORWARD,    /* mark the value */
  BARRIER_IDLE        /* all that can be stored is marked: do nothing */
} GcBarrierMode;

/* -- Events ---------------------------------------------------------------- */

typedef enum GcEventType {
  EVENT_CYCLE_BEGIN, EVENT_CYCLE_END, EVENT_PHASE, EVENT_STEP,
  EVENT_LARGE_CELL, EVENT_EMERGENCY,
  EVENT_COLLECT         /* a whole collection has ended */
} GcEventType;

typedef struct GcEvent {
  GcEventType type;
  GcPhase phase;        /* the phase that begins, or in which a step ended */
  bool minor;           /* the cycle is a minor one */
  size_t bytes;         /* in use; for EVENT_LARGE_CELL the cell's size */
  size_t work;          /* of the step */
  uint64_t nanoseconds; /* of the step, or of the whole collection */
  uint64_t time;        /* gc_clock when it is told */
  uint64_t cpu;         /* likewise the processor's time of this thread */
} GcEvent;

typedef struct GcListener {
  void (*event)(void *context, const GcEvent *event);
  void *context;
} GcListener;

/* Hears of every so many bytes that are allocated, where allocation leaves the
** fast path: so it may be a few kilobytes later. */
typedef struct GcSampler {
  void (*sample)(void *context, size_t bytes);  /* NULL: nobody */
  void *context;
  size_t interval;      /* bytes */
  size_t last;          /* heap.allocation_clock at the last sample */
} GcSampler;

/* Durations of steps: HISTOGRAM_PARTS buckets for each power of two of
** nanoseconds, so that a bucket is known to an eighth.  Whole collections,
** which somebody asked for or which an emergency needed, are counted apart. */
enum { HISTOGRAM_PARTS = 8, HISTOGRAM_BUCKETS = 35 * HISTOGRAM_PARTS };
typedef struct GcHistogram {
  uint64_t count[HISTOGRAM_BUCKETS];
  uint64_t steps;
  uint64_t total_nanoseconds;
  uint64_t longest_nanoseconds;
  uint64_t collections;
  uint64_t collections_nanoseconds;
  uint64_t longest_collection;
} GcHistogram;

/* The least number of nanoseconds that belongs to the bucket. */
uint64_t gc_bucket_begin(unsigned bucket);

/* -- The client ------------------------------------------------------------ */

/* What the program around the collector provides, once, at creation. */
typedef struct GcClient {
  const GcKind *kinds;
  unsigned kind_count;
  /* Reports the roots, a small constant number of them. */
  void (*roots)(void *context, GcEdgeFn *edge, void *edge_context);
  /* What is left to do before the sweep, in pieces from position `from`:
  ** removes unreached members from the set of interned strings, about 256
  ** buckets at a time.  NULL if there is nothing. */
  GcProgress (*sweep_set)(void *context, Gc *gc, size_t from);
  /* May there be an emergency collection, with so many bytes in use?  The
  ** program has to wait for it.  NULL: always. */
  bool (*emergency)(void *context, size_t bytes);
  void *context;
} GcClient;

/* -- Looking at the heap --------------------------------------------------- */

/* Somebody who looks at all that is live, between the clearing and the sweep of
** a major cycle.  Then what is not marked is dead, and nothing that lives refers
** to it; what is born is marked.  The program runs between two units. */
typedef struct GcLook {
  /* One unit; the work done, 0 at the end.  It must not allocate cells. */
  size_t (*unit)(void *context);
  /* The state is closed before the end. */
  void (*drop)(void *context);
  void *context;
  double left;          /* units that are left, about: sets the pace */
} GcLook;

/* -- Containers of the collector itself ------------------------------------ */

typedef struct PendingRecord PendingRecord;
typedef struct PendingSlab PendingSlab;

enum { PENDING_ASKED = 4 };

/* Undecided ephemeron entries, by key: ephemeron.c. */
typedef struct PendingMap {
  Cell *asked[PENDING_ASKED]; /* large objects, asked for every key */
  unsigned asked_count;
  PendingRecord ***pages;     /* directory of pages of buckets */
  size_t page_capacity;       /* of the directory */
  size_t bucket_count;        /* grows one bucket at a time */
  size_t key_count;
  PendingSlab *slabs;
  PendingRecord *free_records;
} PendingMap;

/* -- Statistics and settings ----------------------------------------------- */

/* How minor cycles fare, see choose.c. */
typedef struct GcChoice {
  size_t period_began;        /* heap.allocation_clock after the last major cycle */
  uint64_t period_work;       /* stats.work then */
  unsigned minors;            /* cycles since then */
  unsigned majors_left;       /* before minor cycles are tried again */
  unsigned wait;              /* majors_left next time */
  bool minors_pay;
} GcChoice;

/* What the last cycle of a sort took. */
typedef struct GcRecord {
  size_t bytes;               /* in use when it began; 0: there was none */
  uint64_t marking;           /* units of work until marking ended */
  uint64_t rest;              /* ... and after that */
  double bytes_per_unit;      /* allocated meanwhile, for each unit */
} GcRecord;

/* Where the heap is, where it should be, and how it gets there.  Places are told
** by pace_clock, in bytes allocated. */
typedef struct GcPace {
  size_t goal;                /* the cycle should have ended here */
  size_t growth;              /* bytes: what lateness is measured in */
  size_t cycle_at;            /* the next cycle begins here */
  size_t step_at;             /* ... and the next step, if there is time */
  size_t due_at;              /* ... and was due here */
  size_t done_at;             /* the last cycle ended here */
  size_t stepped_at;          /* the last step was here */
  size_t reserved;            /* bytes allocated in advance, not in use yet */
  size_t waived;              /* bytes since the last step that no step waits
                              ** for, as they are not filled in one go */
  size_t began_at;            /* the cycle began here */
  size_t began_bytes;         /* bytes in use then */
  uint64_t began_work;        /* stats.work when the cycle began */
  uint64_t marked_work;       /* ... when marking ended */
  uint64_t revived_work;      /* units spent on objects to be finalized */
  double goal_per_live;       /* the goal, as a multiple of what was live */
  size_t old_revived;         /* bytes that the last major cycle revived */
  GcRecord last[2];           /* of each sort: [minor] */
  size_t asked_at;            /* the last step by hand was here */
  uint64_t frame_most;        /* nanoseconds of steps in a frame; 0: any */
  uint64_t frame_used;        /* ... and in this one so far */
  double credit;              /* nanoseconds that steps may take now */
  uint64_t credit_at;         /* when that was reckoned */
} GcPace;

typedef struct GcStats {
  uint64_t cycles;            /* finished, of both sorts */
  uint64_t minor_cycles;
  uint64_t emergencies;
  uint64_t steps;
  uint64_t finalizers_queued;
  uint64_t finalizers_taken;  /* by gc_next_finalizable */
  uint64_t work;              /* units, in all */
  size_t largest_unit;        /* in work units */
  size_t largest_step;        /* ... but for work in proportion to the size of an
                              ** allocation */
  size_t live_bytes;          /* after the last cycle */
  size_t peak_bytes;
} GcStats;

/* For tests and debugging; all off by default except in stress builds. */
typedef struct GcDebug {
  bool step_always;       /* a step is due at every allocation */
  bool collect_always;    /* an emergency collection at every allocation */
  bool verify;            /* all invariants after every step */
  bool checkmark;         /* mark a second time after atomic, and compare */
  uint32_t skip;          /* enum GcSkip: leave a thing out, to be caught */
  bool fail_after;        /* refusals go on after the first */
  uint64_t fail_in;       /* refuse the nth allocation from now; 0: none */
  uint64_t refused;       /* allocations refused so */
} GcDebug;

/* What a test of the verifier can leave out. */
enum GcSkip {
  SKIP_BARRIER_BACK = 1, SKIP_BARRIER_FORWARD = 2, SKIP_ROOTS_AGAIN = 4,
  SKIP_RUNNING_STACK = 8, SKIP_PART_BARRIER = 16, SKIP_CLEAR_VALUES = 32,
  SKIP_CLEAR_KEYS = 64, SKIP_RESTART = 128, SKIP_STACK_LOWER = 256,
  SKIP_SET_REVIVE = 512, SKIP_RESURRECT = 1024, SKIP_EPHEMERON = 2048,
  SKIP_DYING = 4096, SKIP_DIRTY_STACKS = 8192
};

/* A walk over a list that closes the gaps it makes. */
typedef struct GcListPlace {
  WorkPlace place;            /* the next entry to look at */
  WorkPlace hole;             /* where the next entry that stays is written */
  size_t hole_index;          /* ... counted from the start of the list */
  size_t left;                /* entries still to be looked at */
} GcListPlace;

/* A walk over a list of weak objects. */
typedef struct GcClearPlace {
  WorkPlace keys;             /* in weak_keys */
  Cell *object;               /* the weak object being cleared, or NULL */
  size_t piece;               /* where to go on in it */
} GcClearPlace;

/* -- The collector --------------------------------------------------------- */

struct Gc {
  Heap heap;                  /* first: allocation is the hottest path */
  Cell newborn;               /* header of objects created now, but for kind */
  bool step_due;              /* poll me */
  uint8_t barrier_mode;       /* GcBarrierMode */
  uint8_t phase;              /* GcPhase; assigned in cycle.c only */
  bool stopped;               /* by the user: no steps happen by themselves */
  bool inside;                /* the collector is at work: no re-entry */
  bool generational;          /* the mode chosen by the user */
  bool minor;                 /* the current cycle starts from kept marks */
  bool marks_kept;            /* marks of the last cycle are set: old objects */
  bool major_next;            /* the next cycle is major, marks kept or not */
  bool emergency;             /* an emergency collection is under way */
  bool gray_lost;             /* a gray object is on no list: memory was short */
  bool weak_lost;             /* likewise a weak object */
  bool pending_lost;          /* an ephemeron entry could not be noted */
  bool key_lost;              /* ... and a key that may be its was reached */
  bool revisiting;            /* the walk for lost objects is for those, too */
  bool frame_waits;           /* marking would end, but for a large frame */
  bool finishing;             /* ... but somebody waits for the end of it */
  bool closing;               /* all registered objects are to be finalized */
  bool finalizers_first;      /* the client calls those that are ready now */
  bool target_missed;         /* the last major cycle found more than that */
  uint32_t epoch;             /* of watermarks: grows at each major cycle */
  uint32_t stacks_waiting;    /* set back since the last unit; see barrier.c */
  Cell *running;              /* the stack that runs, or NULL */
  Cell *scanning;             /* the object being visited */

  GcScanFn *visit[GC_KINDS_MAX]; /* what to do with a gray object, by kind */
  Worklist gray;              /* stack of reached, unvisited objects */
  Worklist again;             /* set back by a barrier; dirty stacks */
  Worklist weak_values;       /* reached objects with weak values */
  Worklist weak_keys;         /* ... with weak keys */
  Worklist returning;         /* weak keys reached by resurrection */
  Worklist finalizable;       /* registered, oldest first */
  Worklist to_finalize;       /* queue, next one first */
  Worklist dying_hooks;       /* registered with gc_register_dying */
  WorkSegment *spare_segments;
  PendingMap pending;
  PendingRecord *resolving;   /* keys that have been reached */

  /* Where the current phase is: only the member of that phase has a meaning. */
  union {
    GcListPlace list;         /* separate, dying */
    GcClearPlace clear;       /* clear values, clear keys */
    size_t set_piece;         /* sweep set: where to go on in the set */
  } at;

  /* Places that outlast a phase. */
  WorkPlace root_place;       /* in the queue of finalizable objects */
  WorkPlace values_place;     /* in weak_values, from clear values to clear keys */
  size_t finalizable_old;     /* registered entries known to be old */
  size_t ready;               /* entries of to_finalize that may be taken */
  uint8_t stage;              /* of the phase; see cycle.c */
  HeapCursor heap_cursor;

  /* Pacing: goal.c and step.c. */
  int pause;                  /* percent */
  int step_multiplier;
  int step_size;              /* logarithm of bytes */
  int minor_multiplier;       /* percent */
  int major_multiplier;       /* percent */
  uint64_t step_nanoseconds;  /* a step begins no unit after that; 0: any time
                              ** will do, and steps depend on nothing else but
                              ** the program */
  size_t target;              /* bytes the heap should stay below; 0: none */
  GcPace pace;
  size_t frame_since;         /* heap.allocation_clock when frame_waits was set */
  size_t external_bytes;      /* held on behalf of objects, not in cells */
  size_t major_base;          /* live bytes after the last major cycle */
  GcChoice choice;            /* minor or major cycles, see choose.c */

  GcClient client;
  GcListener listener;
  GcSampler sampler;
  GcLook look;                /* nobody looks if `unit` is NULL */
  GcHistogram *histogram;     /* NULL: off */
  GcStats stats;
  GcDebug debug;
};

/* -- Life ------------------------------------------------------------------ */

/* Prepares a collector; takes no memory yet. */
void gc_init(Gc *gc, const GcClient *client, HeapAllocFn *allocate,
             void *context);

/* Frees everything.  Finalizers are the client's business: see
** gc_queue_all_finalizable. */
void gc_close(Gc *gc);

/* -- For code that creates objects ----------------------------------------- */

/* A step is due: call gc_step as soon as every root is in place. */
static inline bool gc_step_due(const Gc *gc) { return gc->step_due; }

/* Allocation off the fast path: collects in an emergency.  NULL: no memory. */
NO_INLINE void *gc_allocate_slow(Gc *gc, size_t size);

/* The next cell of the run that fits, or NULL.  Debug builds have no fast path,
** so that every allocation can be made to step, collect or fail. */
static ALWAYS_INLINE void *gc_allocate_fast(Gc *gc, size_t size) {
  if (PENUMBRA_DEBUG || UNLIKELY(size > CELL_MAX)) return NULL;
  unsigned class_index = heap_class_for(size);
  Run *run = &gc->heap.run[class_index];
  char *cell = run->next;
  char *next = cell + heap_class_size(class_index);
  if (UNLIKELY(next > run->end)) return NULL;
  run->next = next;
  return cell;
}

/* Sets the header of a new cell, if there is one. */
static ALWAYS_INLINE void *gc_begin_object(const Gc *gc, Cell *cell,
                                           unsigned kind) {
  if (UNLIKELY(!cell)) return NULL;
  *cell = gc->newborn;
  cell->kind = (uint8_t)kind;
  return cell;
}

/* A new object or part of `size` bytes, its header set and the rest undefined.
** It must be anchored before the next allocation.  NULL: no memory. */
static ALWAYS_INLINE void *gc_new(Gc *gc, size_t size, unsigned kind) {
  Cell *cell = gc_allocate_fast(gc, size);
  if (UNLIKELY(!cell)) cell = gc_allocate_slow(gc, size);
  return gc_begin_object(gc, cell, kind);
}

/* The same without collecting; NULL if that might be due. */
static ALWAYS_INLINE void *gc_new_fast(Gc *gc, size_t size, unsigned kind) {
  return gc_begin_object(gc, gc_allocate_fast(gc, size), kind);
}

/* The same after that. */
static inline void *gc_new_slow(Gc *gc, size_t size, unsigned kind) {
  return gc_begin_object(gc, gc_allocate_slow(gc, size), kind);
}

/* The same for a huge object without references that fills itself: memory of
** one that has died is used again if possible, which is faster than giving it
** back to the system and taking other memory from there. */
void *gc_new_huge(Gc *gc, size_t size, unsigned kind);
enum { HUGE_SIZE = RELEASE_PIECE };

/* The same for a part of which `cleared` bytes must be made zero, unless
** heap_was_zero: memory of a dead one is used again if that takes less time
** than fresh memory does. */
void *gc_new_part(Gc *gc, size_t size, size_t cleared, unsigned kind);

/* So many bytes have been taken, and are filled in one go.  If there is memory
** to be given back to the system, twice as many bytes of it are, which takes
** less time than to fill others. */
void gc_give_back(Gc *gc, size_t size);

/* A part of that size has been allocated in advance, and so much of it is used
** now.  While a cycle is under way, steps come with the use: a program that
** fills huge parts allocates seldom, and is not doing it in one go. */
void gc_part_reserved(Gc *gc, size_t bytes);
void gc_part_filled(Gc *gc, size_t bytes);
/* ... and the rest of it counts as used from now on. */
void gc_part_settled(Gc *gc);

/* Frees a part that has been replaced; nothing may refer to it any more. */
void gc_free_part(Gc *gc, void *part, size_t size);

/* Changes the size of a part, perhaps moving it; contents are kept up to the
** smaller size.  The owner must then call gc_part_replaced.  NULL: no memory,
** and the part is as it was. */
void *gc_resize_part(Gc *gc, void *part, size_t old_size, size_t new_size);

/* -- For code that stores references --------------------------------------- */

void gc_barrier_back_slow(Gc *gc, Cell *from, Cell *to);
void gc_barrier_forward_slow(Gc *gc, Cell *from, Cell *to);

/* Call after storing `to` (NULL if it is no object) into `from`.  Made for
** objects that are written many times, such as tables: only the header of
** `from` is looked at. */
static inline void gc_barrier_back(Gc *gc, Cell *from, Cell *to) {
  if (UNLIKELY(from->gray == GRAY_WATCHED)) gc_barrier_back_slow(gc, from, to);
}

/* The same for objects that are rarely written: marks `to`. */
static inline void gc_barrier_forward(Gc *gc, Cell *from, Cell *to) {
  if (UNLIKELY(from->gray == GRAY_WATCHED))
    gc_barrier_forward_slow(gc, from, to);
}

/* Call after `owner` was given a new part, or its slots moved within parts
** (a resize): the part lives as long as its owner, and a visit under way
** starts again. */
void gc_part_replaced(Gc *gc, Cell *owner, Cell *part);

/* -- For code that runs stacks --------------------------------------------- */

/* `stack` runs from now on instead of gc->running; NULL is allowed for both. */
void gc_stack_switch(Gc *gc, Cell *stack);

/* The parts of that, for a client that knows its stacks: gc->running is another
** one now.  What is left to do is to lower the watermark of the other one, and
** to watch it. */
void gc_stack_rest_slow(Gc *gc, Cell *stack);
static inline bool gc_stack_rest_fast(const Gc *gc, Cell *stack) {
  if (gc->barrier_mode == BARRIER_OFF || stack->gray == GRAY_LISTED)
    return true;
  if (gc->barrier_mode != BARRIER_IDLE) return false;
  stack->gray = GRAY_WATCHED;   /* all that is in it is marked */
  return true;
}
static inline void gc_stack_rest(Gc *gc, Cell *stack) {
  if (!gc_stack_rest_fast(gc, stack)) gc_stack_rest_slow(gc, stack);
}
static inline void gc_stack_run(Gc *gc, Cell *stack) {
  gc->running = stack;
  if (stack->gray == GRAY_WATCHED) stack->gray = GRAY_UNWATCHED;
}

/* A stack that does not run was written to (a push from outside). */
void gc_stack_touch_slow(Gc *gc, Cell *stack);
static inline void gc_stack_touch(Gc *gc, Cell *stack) {
  if (stack->gray != GRAY_LISTED) gc_stack_touch_slow(gc, stack);
}

/* `to` was stored into a slot of the stack by something other than the frame
** that owns the slot (an open upvalue, a debugger).  The gray byte cannot tell:
** a running stack, or one visited in pieces, is not watched, but its slots below
** the watermark will not be visited again. */
static inline void gc_stack_barrier(Gc *gc, Cell *stack, Cell *to) {
  if (gc->barrier_mode == BARRIER_BACK || gc->barrier_mode == BARRIER_FORWARD)
    gc_barrier_forward_slow(gc, stack, to);
}

/* Slots from `slot` up may be written without a barrier from now on: the
** program returned into the frame that holds them. */
static inline void gc_stack_lower(Gc *gc, GcStack *stack, size_t slot) {
  if (slot < stack->watermark && !(gc->debug.skip & SKIP_STACK_LOWER))
    stack->watermark = slot;
}

/* -- For kinds ------------------------------------------------------------- */

/* True unless the object is known to be dead.  Weak objects ask this when
** they are cleared, and when the program looks into them in between. */
static inline bool gc_is_reached(const Cell *cell) {
  return heap_is_marked(cell);
}

/* True while an unmarked object is a dead one: between the end of marking and
** its sweep.  Only then must readers of weak objects ask gc_is_reached. */
static inline bool gc_unmarked_is_dead(const Gc *gc) {
  return gc->phase >= PHASE_CLEAR_VALUES && gc->phase <= PHASE_SWEEP_SET;
}

/* For programs that look at weak keys.  An object that comes back for its
** finalizer stays hidden until all it refers to is marked: taken apart before
** that, some of it would be lost. */
static inline bool gc_key_is_visible(const Gc *gc, const Cell *key) {
  if (!gc_unmarked_is_dead(gc)) return true;
  bool coming_back = gc->phase >= PHASE_SEPARATE &&
                     gc->phase <= PHASE_RESURRECT &&
                     key->flags & CELL_KEY_PENDING;
  return gc_is_reached(key) && !coming_back;
}

/* The time in sweeps begun or ended: an object made at a moment is still in its
** place, alive or not, as long as the moment is the same. */
static inline uint64_t gc_moment(const Gc *gc) {
  return gc->stats.cycles * 2 + (gc->phase >= PHASE_SWEEP_SET);
}

/* A member of the interned set was found and will be used again: if it was
** dying, it is alive. */
static inline void gc_revive_leaf(Gc *gc, Cell *cell) {
  if (UNLIKELY(gc_unmarked_is_dead(gc)) && !(gc->debug.skip & SKIP_SET_REVIVE))
    heap_mark(cell);
}

/* -- Weak objects and finalizers ------------------------------------------- */

/* The object will be handed out by gc_next_finalizable once it is not reached,
** later registrations first.  Constant time.  Registering twice is once.
** False: no memory. */
bool gc_register_finalizer(Gc *gc, Cell *cell);

/* The object's kind wants `dying` called if it is not reached. */
bool gc_register_dying(Gc *gc, Cell *cell);

/* The next object to finalize, or NULL.  It is an ordinary object again, and
** not yet anchored. */
Cell *gc_next_finalizable(Gc *gc);
static inline bool gc_has_finalizable(const Gc *gc) {
  return gc->ready > 0 || (gc->closing && !worklist_is_empty(&gc->finalizable));
}

/* How many the client should call after a step, so that none is left when the
** next cycle begins. */
size_t gc_finalizers_due(const Gc *gc);

/* For closing down: finishes the current cycle and makes gc_next_finalizable
** hand out all registered objects, reached or not, also those registered from
** now on. */
void gc_queue_all_finalizable(Gc *gc);

/* -- Driving it ------------------------------------------------------------ */

/* Pays a bounded part of the work that allocation has made due. */
void gc_step(Gc *gc);

/* What steps by hand tell: no cycle is under way, and the last one has freed
** what was garbage when it began.  Minor ones do not, and count only if the
** user has chosen generations. */
bool gc_cycle_is_over(const Gc *gc);

/* A cycle is under way, or should begin. */
bool gc_is_due(const Gc *gc);

/* Works for about `microseconds`, or until the cycle ends; then gives memory
** back that is not needed.  Does nothing as long as nothing is due. */
void gc_step_time(Gc *gc, uint64_t microseconds);

/* How a cycle fares, for hosts that give it time by hand. */
typedef struct GcProspect {
  size_t left;          /* units of work until the cycle ends, judged by the last
                        ** one; 0 between cycles */
  size_t room;          /* bytes until the heap meets its goal */
  size_t allocated;     /* bytes since this was asked before */
} GcProspect;
GcProspect gc_prospect(Gc *gc);

/* Automatic steps may take so many nanoseconds until the next call, more only
** if the heap is beyond its goal.  0: no bound. */
void gc_begin_frame(Gc *gc, uint64_t nanoseconds);

/* Units that an automatic step would do now: for steps by hand that are to keep
** up with the program. */
size_t gc_units_due(const Gc *gc);

/* Those of them without which the cycle would end beyond its goal. */
size_t gc_units_to_goal(const Gc *gc);

/* The heap is beyond its goal. */
bool gc_is_late(const Gc *gc);

/* Works `units`, or until the cycle ends; tells whether it is over. */
bool gc_step_work(Gc *gc, size_t units);

/* For generational mode: works `units` on the current cycle and the one after
** it.  True if one of them ended.  If the heap is small, or a major cycle would
** not take more units than that, both end and the second is a major one:
** garbage is then gone, whenever it was born. */
bool gc_step_young(Gc *gc, size_t units);

/* Finishes the current cycle and runs one whole major cycle. */
void gc_collect(Gc *gc);

/* The same because memory ran out.  No finalizer may run. */
void gc_collect_emergency(Gc *gc);

void gc_stop(Gc *gc);
void gc_restart(Gc *gc);

/* Changes the mode.  Bounded: marks are kept or dropped by the cycles that
** follow. */
void gc_set_generational(Gc *gc, bool generational);

/* Bytes held elsewhere on behalf of objects, so that pacing and the limit see
** them.  False: the limit does not allow for more, even after a collection;
** then those are not counted. */
bool gc_external_bytes(Gc *gc, size_t more, size_t less);

/* Memory of the client's own from the same allocator, seen likewise: like
** realloc, with a new size of 0 to free it.  NULL: no memory, and what there
** was is as it was. */
void *gc_memory_resize(Gc *gc, void *pointer, size_t old_size,
                       size_t new_size);

/* Bound on the bytes taken from the allocator and held elsewhere; 0 is none. */
void gc_set_limit(Gc *gc, size_t bytes);

/* Bytes the heap should stay below, those held elsewhere included: cycles end
** there, and come up to eight times as often as otherwise.  If what a major
** cycle finds live is more, gc->target_missed is set.  0 is none. */
void gc_set_target(Gc *gc, size_t bytes);

/* Bytes in use, those held elsewhere included, at which the cycle should end. */
size_t gc_goal(const Gc *gc);

/* Bytes in objects and parts now. */
size_t gc_count(const Gc *gc);

/* -- Looking at it --------------------------------------------------------- */

const char *gc_phase_name(GcPhase phase);

/* Nanoseconds of a clock that never goes back. */
uint64_t gc_clock(void);

static inline const GcKind *gc_kind(const Gc *gc, const Cell *cell) {
  return &gc->client.kinds[cell->kind];
}

/* Visits all references of an object, slots of stacks included. */
void gc_walk_edges(const Gc *gc, Cell *cell, GcEdgeFn *edge, void *context);

/* Sets the sampler; NULL: none. */
void gc_set_sampler(Gc *gc, const GcSampler *sampler);

/* Has somebody look at the heap once.  A major cycle begins as soon as it can.
** False: somebody else is looking. */
bool gc_look(Gc *gc, const GcLook *look);

/* Switches the histogram of step durations on or off.  False: no memory. */
bool gc_enable_histogram(Gc *gc, bool on);

/* Switches on what a list like "step,verify,checkmark,poison,collect" names
** (see GcDebug), and everything else off.  False: there is no such name.  Every
** allocation passes by these settings in debug builds only. */
bool gc_debug_settings(Gc *gc, const char *names);

/* Proves every invariant of docs/gc/invariants.md that holds in this phase. */
void gc_verify(Gc *gc);

/* -- For GC_KIND_VISITS ---------------------------------------------------- */

#include "gc/mark.h"

#endif
