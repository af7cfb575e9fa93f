/* SPDX-License-Identifier: MIT */
/*
** gc.h -- the collector, for the code that uses it
**
** An incremental tri-color mark and sweep collector without unbounded steps.
** The generational mode uses the same phases.  The collector knows objects
** through kinds.h only.  It never calls the layers above it: finalizable
** objects leave through a queue (gc_next_finalizable), events through a
** listener (GcListener).  It never raises an error: failure is NULL or false.
**
** Rules for code that uses the collector:
**
**   - anchor a new object (store it in a reachable object or a stack slot)
**     before the next allocation, which may run an emergency collection;
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
  PHASE_INSPECT, /* between cycles, if an inspection has a second part */
  PHASE_UNMARK,  /* before a major cycle, if marks were kept: drop them */
  PHASE_MARK,
  PHASE_AGAIN, /* mark what was set back; barriers are forward now */
  PHASE_CLEAR_VALUES,
  PHASE_SEPARATE,
  PHASE_RESURRECT,
  PHASE_CLEAR_KEYS,
  PHASE_DYING,     /* close upvalues of unreached threads */
  PHASE_SWEEP_SET, /* remove dead strings from the set of interned strings */
  PHASE_SWEEP,
  PHASE_COUNT
} GcPhase;

/* What the slow path of a barrier does, decided once per phase. */
typedef enum GcBarrierMode {
  BARRIER_OFF,     /* marks mean nothing: stop watching the object */
  BARRIER_BACK,    /* visit the object again; mark the value instead if the
                      ** object is visited in pieces */
  BARRIER_FORWARD, /* mark the value */
  BARRIER_IDLE     /* everything that can be stored is marked: do nothing */
} GcBarrierMode;

/* -- Events ---------------------------------------------------------------- */

typedef enum GcEventType {
  EVENT_CYCLE_BEGIN,
  EVENT_CYCLE_END,
  EVENT_PHASE,
  EVENT_STEP,
  EVENT_LARGE_CELL,
  EVENT_EMERGENCY,
  EVENT_COLLECT,  /* a full collection has ended */
  EVENT_FINALIZER /* a finalizer has ended */
} GcEventType;

/* Why the program waits. */
typedef enum GcWait {
  WAIT_STEP,       /* an automatic step */
  WAIT_HAND,       /* a step that the program asked for */
  WAIT_COLLECTION, /* a full collection that the program asked for */
  WAIT_EMERGENCY,  /* a full collection because memory ran out */
  WAIT_FINALIZER,  /* a finalizer, which the client calls */
  WAIT_COUNT
} GcWait;

/* A name for people, such as "automatic step". */
const char *gc_wait_name(GcWait wait);

typedef struct GcEvent {
  GcEventType type;
  GcPhase phase;        /* the phase that begins, or in which a step ended */
  bool minor;           /* the cycle is a minor one */
  size_t bytes;         /* bytes in use; for EVENT_LARGE_CELL the cell's size */
  size_t work;          /* work of the step */
  uint64_t nanoseconds; /* duration of the step, the full collection or the
                        ** finalizer */
  GcWait wait;          /* what the program waits for */
  uint64_t wait_began;  /* `cpu` when that began; 0 outside of a wait */
  uint64_t time;        /* gc_clock when the event is reported */
  uint64_t cpu;         /* processor time of this thread at the same moment */
} GcEvent;

typedef struct GcListener {
  void (*event)(void *context, const GcEvent *event);
  void *context;
} GcListener;

/* Is called once for every `interval` bytes of allocation.  The call comes from
** the slow path of allocation, so it may be a few kilobytes late. */
typedef struct GcSampler {
  void (*sample)(void *context, size_t bytes); /* NULL: no sampler */
  void *context;
  size_t interval; /* bytes */
  size_t last;     /* heap.allocation_clock at the last sample */
} GcSampler;

/* Follows some new cells until they die.  `clear` and `moved` cost nothing
** while no watch is set, and neither does the fast path of allocation. */
typedef struct GcWatch {
  /* A cell was made, `bytes` of allocation after the last one reported.  Called
  ** from the slow path of allocation, once for about every `interval` bytes.  The
  ** header of the cell is not set yet.  A part that grows is reported again
  ** before it moves.  NULL: there is no watch. */
  void (*made)(void *context, void *cell, size_t size, size_t bytes);
  /* A part has moved.  `to` is NULL if it was freed. */
  void (*moved)(void *context, const void *cell, void *to);
  /* Looks at some of the followed cells, from position `from` on.  Called
  ** before every sweep: cells without a mark are dead.  Any position must be
  ** accepted, because the watch may change during the phase. */
  GcProgress (*clear)(void *context, size_t from);
  void *context;
  size_t interval;  /* bytes, on average */
  size_t threshold; /* bytes after which the next cell is reported */
  size_t last;      /* heap.allocation_clock at the last cell reported */
  size_t waiting;   /* cells of `waiting_size` until one is reported */
  size_t waiting_size;
  uint64_t random;
} GcWatch;

/* Durations of steps.  There are HISTOGRAM_PARTS buckets for each power of two
** of nanoseconds, so a bucket is precise to an eighth.  Full collections, by
** hand or in an emergency, are counted separately. */
enum { HISTOGRAM_PARTS = 8, HISTOGRAM_BUCKETS = 35 * HISTOGRAM_PARTS };
typedef struct GcHistogram {
  uint64_t count[HISTOGRAM_BUCKETS];
  uint64_t steps;
  uint64_t total_nanoseconds;
  uint64_t longest_nanoseconds;
  uint64_t collections;
  uint64_t collections_nanoseconds;
  uint64_t longest_collection;
  uint64_t finalizers_nanoseconds;
  uint64_t longest_wait[WAIT_COUNT];
} GcHistogram;

/* Counts a step, a full collection or a finalizer. */
void gc_histogram_add(GcHistogram *histogram, GcWait wait,
                      uint64_t nanoseconds);

/* What the program has waited for longest: the index into longest_wait. */
GcWait gc_histogram_worst(const GcHistogram *histogram);

/* The smallest duration, in nanoseconds, that belongs to the bucket. */
uint64_t gc_bucket_begin(unsigned bucket);

/* -- The client ------------------------------------------------------------ */

/* What the client provides when it creates the collector. */
typedef struct GcClient {
  const GcKind *kinds;
  unsigned kind_count;
  /* Reports the roots.  There is a small constant number of them. */
  void (*roots)(void *context, GcEdgeFn *edge, void *edge_context);
  /* Mark and report further roots, which always refer to the same objects: one
  ** visit in each major cycle is enough.  NULL if there are none. */
  void (*scan_fixed_roots)(void *context, Gc *gc);
  void (*walk_fixed_roots)(void *context, GcEdgeFn *edge, void *edge_context);
  /* Does the last work before the sweep, one piece from position `from` on:
  ** removes unreached members from the set of interned strings, 32 buckets at a
  ** time.  NULL if there is nothing to do. */
  GcProgress (*sweep_set)(void *context, Gc *gc, size_t from);
  /* Decides whether an emergency collection may run with `bytes` in use.  The
  ** program has to wait for it.  While it runs, decides with 0 bytes whether it
  ** may go on.  NULL: it always may. */
  bool (*emergency)(void *context, size_t bytes);
  void *context;
} GcClient;

/* -- Inspections of the heap ----------------------------------------------- */

typedef enum InspectionPart {
  INSPECT_FIRST,
  INSPECT_SECOND,
  INSPECT_ELSEWHERE
} InspectionPart;

/* An inspection: a function that examines all live objects.  The program runs
** between two slices.  The first part is between the clearing and the sweep of
** a major cycle: an unmarked object is dead and no live object refers to it,
** and new objects are marked.  Nothing is freed in this time, so it should be
** short.  There may be a second part after the sweep.  All objects that the
** first part has seen are still there, even if they have died.  The remaining
** work may run on another thread.  The collector then continues, and asks at
** each step whether that thread is done. */
typedef struct GcInspection {
  /* Does one slice, and sets `left` and `part`.  Returns the work done, 0 at
  ** the end.  Must not allocate cells.  May wait for another thread if
  ** gc_may_wait says so. */
  size_t (*slice)(struct GcInspection *inspection);
  /* Called instead if the state is closed before the end. */
  void (*drop)(void *context);
  void *context;
  double left; /* about how many units of this part are left: sets the pace */
  InspectionPart part;
} GcInspection;

/* -- Containers of the collector itself ------------------------------------ */

typedef struct PendingRecord PendingRecord;
typedef struct PendingSlab PendingSlab;
typedef struct PendingDirectory PendingDirectory;

enum { PENDING_ASKED = 4 };

/* Undecided ephemeron entries, by key: ephemeron.c. */
typedef struct PendingMap {
  Cell *asked[PENDING_ASKED]; /* large objects; each is asked for every key */
  unsigned asked_count;
  PendingDirectory *directory; /* of pages of buckets, or NULL */
  size_t bucket_count;         /* grows one bucket at a time */
  size_t key_count;
  size_t passed; /* keys passed in long chains: work not reported yet */
  PendingSlab *slabs;
  PendingRecord *free_records;
} PendingMap;

/* -- Statistics and settings ----------------------------------------------- */

/* Whether minor cycles pay: choose.c. */
typedef struct GcChoice {
  size_t period_began;  /* heap.allocation_clock at the end of the last
                              ** major cycle */
  uint64_t period_work; /* stats.work at that time */
  unsigned minors;      /* minor cycles since that time */
  unsigned majors_left; /* major cycles before the next minor one */
  unsigned wait;        /* the next value of majors_left */
  bool minors_pay;
} GcChoice;

/* The cost of the last minor or major cycle. */
typedef struct GcRecord {
  size_t bytes;         /* bytes in use at its start; 0: there was none */
  float visited;        /* bytes in use at its end, without what was made
                        ** meanwhile */
  float marking;        /* units of work until marking ended */
  float rest;           /* units of work after that */
  float bytes_per_unit; /* bytes that the program allocated in the time that a
                              ** unit of work takes */
} GcRecord;

/* What the last cycle has found.  What the program frees afterwards is
** subtracted. */
typedef struct GcFound {
  size_t at;    /* the place where it ended */
  size_t bytes; /* bytes in use there */
  size_t live;  /* the part of them that is probably live */
} GcFound;

/* The size of the heap, its goal, and the schedule of steps.  Places are
** readings of pace_clock, in bytes allocated.  Every state has one, so what need
** not be exact is a float. */
typedef struct GcPace {
  /* The plan: goal.c */
  GcFound found;
  GcRecord last[2];  /* the last cycle of each type: [minor] */
  size_t goal;       /* the cycle should have ended here */
  size_t growth;     /* bytes of growth: the unit of lateness */
  size_t cycle_at;   /* the next cycle begins here */
  float margin;      /* bytes: steps aim at a place so far before the goal */
  uint32_t frees;    /* times that the program has freed memory */
  uint32_t floor;    /* bytes: the least growth of a small heap */
  uint32_t ended_at; /* milliseconds: when the last cycle ended */
  bool found_minor;  /* the last cycle was a minor one */
  bool restarted;    /* a restart has moved this goal */
  float lump;        /* bytes: the next size of the largest table that has grown
                      ** since the last cycle began */

  /* What is known of the live bytes */
  size_t floating;         /* bytes of garbage that was probably found marked */
  size_t revived;          /* bytes marked only for finalizers */
  size_t old_revived;      /* bytes that the last major cycle revived */
  size_t leaving;          /* bytes of parts that will be replaced soon */
  size_t external_counted; /* external bytes that were found live */

  /* The cycle under way */
  size_t began_at;      /* it began here */
  size_t marked_at;     /* marking ended here */
  size_t swept_at;      /* the sweep began here */
  uint64_t began_work;  /* stats.work when it began */
  uint64_t marked_work; /* stats.work when marking ended */
  float new_work;       /* units of marking for objects made meanwhile */
  float step_time;      /* nanoseconds of its steps */
  float program_time;   /* nanoseconds between them */
  float credit;         /* nanoseconds that steps may take now */
  uint64_t began_cpu;   /* processor time of the thread when it began */

  /* Steps: step.c */
  uint64_t credit_at;  /* the time when `credit` was computed */
  size_t step_at;      /* the next step happens here, if there is time */
  size_t stepped_at;   /* the last step was here */
  size_t reserved;     /* bytes allocated in advance, not in use yet */
  size_t waived;       /* bytes since the last step that do not make the next
                              ** step longer, because they are not filled at
                              ** once */
  size_t asked_at;     /* the last step by hand was here */
  uint64_t frame_most; /* most nanoseconds of steps in a frame; 0: any */
  uint64_t frame_used; /* nanoseconds of steps in this frame so far */
} GcPace;

/* What steps by hand have done since the program last allocated. */
typedef struct GcQuiet {
  size_t clock; /* heap_clock and pace.frees after the last step */
  uint32_t frees;
  unsigned cycles; /* that have ended */
} GcQuiet;

typedef struct GcStats {
  uint64_t cycles; /* finished cycles, minor and major */
  uint64_t minor_cycles;
  uint64_t emergencies;
  uint64_t steps;
  uint64_t finalizers_queued;
  uint64_t finalizers_taken; /* by gc_next_finalizable */
  uint64_t work;             /* units of work in total */
  size_t largest_unit;       /* the largest slice, in units of work */
  size_t largest_step;       /* the largest step, without work in proportion to
                              ** the size of an allocation */
  size_t live_bytes;         /* after the last cycle */
  size_t peak_bytes;
} GcStats;

/* For tests and debugging; all off by default except in stress builds. */
typedef struct GcDebug {
  bool step_always;    /* a step is due at every allocation */
  bool collect_always; /* an emergency collection at every allocation */
  bool verify;         /* all invariants after steps; see verify_step */
  bool checkmark;      /* mark again after the atomic step, and compare */
  uint32_t skip;       /* enum GcSkip: work that a test leaves out */
  bool fail_after;     /* after the first refusal, refuse every allocation */
  uint64_t fail_in;    /* refuse the nth allocation from now; 0: none */
  uint64_t refused;    /* number of allocations refused by fail_in */
  size_t unverified;   /* steps since the last check */
} GcDebug;

/* Work that a test of the verifier can leave out. */
enum GcSkip {
  SKIP_BARRIER_BACK = 1,
  SKIP_BARRIER_FORWARD = 2,
  SKIP_ROOTS_AGAIN = 4,
  SKIP_RUNNING_STACK = 8,
  SKIP_PART_BARRIER = 16,
  SKIP_CLEAR_VALUES = 32,
  SKIP_CLEAR_KEYS = 64,
  SKIP_RESTART = 128,
  SKIP_STACK_LOWER = 256,
  SKIP_SET_REVIVE = 512,
  SKIP_RESURRECT = 1024,
  SKIP_EPHEMERON = 2048,
  SKIP_DYING = 4096,
  SKIP_DIRTY_STACKS = 8192
};

/* A walk over a list that removes entries and closes the gaps. */
typedef struct GcListPlace {
  WorkPlace place;   /* the next entry to examine */
  WorkPlace hole;    /* where to write the next entry that stays */
  size_t hole_index; /* the index of `hole` in the list */
  size_t left;       /* entries still to be examined */
} GcListPlace;

/* A walk over a list of weak objects. */
typedef struct GcClearPlace {
  WorkPlace keys; /* the position in weak_keys */
  Cell *object;   /* the weak object being cleared, or NULL */
  size_t piece;   /* where clearing the object continues */
} GcClearPlace;

/* -- The collector --------------------------------------------------------- */

struct Gc {
  Heap heap;               /* first: allocation is the hottest path */
  Cell newborn;            /* header of new objects, except for the kind */
  bool step_due;           /* a step is due: see gc_step_due */
  uint8_t barrier_mode;    /* GcBarrierMode */
  uint8_t phase;           /* GcPhase; assigned in cycle.c only */
  uint8_t stage;           /* stage within the phase: cycle.c */
  bool stopped;            /* by the user: no automatic steps */
  bool inside;             /* the collector is working: no re-entry */
  bool generational;       /* the mode chosen by the user */
  bool minor;              /* the current cycle starts from kept marks */
  bool marks_kept;         /* marks of the last cycle are set: old objects */
  bool major_next;         /* the next cycle is major, marks kept or not */
  bool emergency;          /* an emergency collection is under way */
  bool gray_lost;          /* a gray object is on no list (no memory) */
  bool gray_twice;         /* the walk for lost objects may have listed some
                              ** that were not lost; skipped the second time */
  bool weak_lost;          /* a weak object is on no list (no memory) */
  bool pending_lost;       /* an ephemeron has no record (no memory) */
  bool key_lost;           /* after that, a key was reached that may belong
                              ** to such an entry */
  bool revisiting;         /* the walk for lost objects also revisits objects
                              ** with ephemerons */
  bool frame_waits;        /* marking cannot end because of a large frame */
  bool finishing;          /* the cycle must end: wait for no frame */
  bool closing;            /* all registered objects are to be finalized */
  bool finalizers_first;   /* the client calls ready finalizers before the
                              ** next cycle begins */
  bool target_missed;      /* the last major cycle found more live bytes than
                              ** the target */
  uint32_t epoch;          /* of watermarks: grows with each major cycle */
  uint32_t stacks_waiting; /* set back since the last slice: barrier.c */
  Cell *running;           /* the running stack, or NULL */
  Cell *scanning;          /* the object being visited */

  GcScanFn *visit[GC_KINDS_MAX]; /* what to do with a gray object, by kind */
  Worklist gray;                 /* stack of reached, unvisited objects */
  Worklist again;                /* set back by a barrier; also dirty stacks */
  Worklist weak_values;          /* reached objects with weak values */
  Worklist weak_keys;            /* reached objects with weak keys */
  Worklist returning;            /* weak keys reached by resurrection */
  Worklist finalizable;          /* registered objects, oldest first */
  Worklist to_finalize;          /* queue of objects, the next one first */
  Worklist dying_hooks;          /* objects registered with gc_register_dying */
  WorkSegment *spare_segments;
  PendingMap pending;
  PendingRecord *resolving; /* records of keys that have been reached */

  /* The progress of the current phase.  Only the member of that phase is
  ** valid. */
  union {
    GcListPlace list;   /* phases separate and dying */
    GcClearPlace clear; /* phases clear values and clear keys */
    size_t set_piece;   /* phase sweep set: position in the set, and then in
                         ** the followed cells */
  } at;

  /* Progress that outlasts a phase. */
  WorkPlace root_place;   /* in to_finalize, whose objects are roots */
  WorkPlace values_place; /* in weak_values: clear values, clear keys */
  size_t finalizable_old; /* registered entries known to be old */
  size_t ready;           /* entries of to_finalize that may be taken */
  HeapCursor heap_cursor;

  /* Pacing: goal.c and step.c. */
  int pause; /* percent */
  int step_multiplier;
  int step_size;             /* logarithm of bytes */
  int minor_multiplier;      /* percent */
  int major_multiplier;      /* percent */
  GcWait wait;               /* what the program waits for, while it does */
  uint64_t step_nanoseconds; /* a step begins no slice after this time; 0: steps
                              ** do not depend on time, only on the program */
  size_t target;             /* bytes the heap should stay below; 0: none */
  GcPace pace;
  size_t frame_since;    /* heap.allocation_clock when the wait began */
  size_t external_bytes; /* bytes held for objects outside of cells */
  size_t major_base;     /* live bytes after the last major cycle */
  GcQuiet quiet;         /* for steps in generational mode: collect.c */
  GcChoice choice;       /* minor or major cycles: choose.c */

  GcClient client;
  GcListener listener;
  GcSampler sampler;
  GcWatch watch;
  GcInspection inspection; /* no inspection if `slice` is NULL */
  GcHistogram *histogram;  /* NULL: off */
  uint64_t wait_began; /* `wait` began then; 0: it did not, or nobody asks */
  GcStats stats;
  GcDebug debug;
};

/* -- Life ------------------------------------------------------------------ */

/* Prepares a collector; takes no memory yet. */
void gc_init(Gc *gc, const GcClient *client, HeapAllocFn *allocate,
             void *context);

/* Frees everything.  Does not call finalizers: the client does that first, see
** gc_queue_all_finalizable. */
void gc_close(Gc *gc);

/* -- For code that creates objects ----------------------------------------- */

/* True if a step is due.  Call gc_step at the next safepoint. */
static inline bool gc_step_due(const Gc *gc) { return gc->step_due; }

/* The slow path of allocation.  Runs an emergency collection if memory is
** short.  NULL: no memory. */
NO_INLINE void *gc_allocate_slow(Gc *gc, size_t size);

/* Takes the next cell of the run, or NULL.  Debug builds have no fast path, so
** that every allocation can be made to step, collect or fail. */
static ALWAYS_INLINE void *gc_allocate_fast(Gc *gc, size_t size) {
  if (PENUMBRA_DEBUG || UNLIKELY(size > CELL_MAX)) return NULL;
  unsigned class_index = heap_class_for(size);
  Run *run = &gc->heap.run[class_index];
  char *cell = run->next; /* NULL without a run: see heap_allocate_class */
  size_t cell_size = heap_class_size(class_index);
  if (UNLIKELY((uintptr_t)cell + cell_size > (uintptr_t)run->end)) return NULL;
  run->next = cell + cell_size;
  return cell;
}

/* Sets the header of a new cell.  A NULL cell stays NULL. */
static ALWAYS_INLINE void *gc_begin_object(const Gc *gc, Cell *cell,
                                           unsigned kind) {
  if (UNLIKELY(!cell)) return NULL;
  *cell = gc->newborn;
  cell->kind = (uint8_t)kind;
  return cell;
}

/* Makes an object or part of `size` bytes.  The header is set, the rest is
** undefined.  It must be anchored before the next allocation.  NULL: no
** memory. */
static ALWAYS_INLINE void *gc_new(Gc *gc, size_t size, unsigned kind) {
  Cell *cell = gc_allocate_fast(gc, size);
  if (UNLIKELY(!cell)) cell = gc_allocate_slow(gc, size);
  return gc_begin_object(gc, cell, kind);
}

/* gc_new on the fast path only, which never collects.  NULL: call
** gc_new_slow. */
static ALWAYS_INLINE void *gc_new_fast(Gc *gc, size_t size, unsigned kind) {
  return gc_begin_object(gc, gc_allocate_fast(gc, size), kind);
}

/* gc_new after the fast path has failed. */
static inline void *gc_new_slow(Gc *gc, size_t size, unsigned kind) {
  return gc_begin_object(gc, gc_allocate_slow(gc, size), kind);
}

/* gc_new for a huge object without references whose owner fills it at once.
** Reuses the memory of a dead one if possible, which is faster than giving that
** back to the system and taking new memory. */
void *gc_new_huge(Gc *gc, size_t size, unsigned kind);
enum { HUGE_SIZE = RELEASE_PIECE };

/* gc_new for a part of which `cleared` bytes must be made zero, unless
** heap_was_zero.  Reuses the memory of a dead part if that is faster than fresh
** memory. */
void *gc_new_part(Gc *gc, size_t size, size_t cleared, unsigned kind);

/* Call after allocating `size` bytes that are filled at once.  If unused memory
** is due to go back to the system, returns up to twice as many bytes of it,
** because that takes less time than filling the new ones. */
void gc_give_back(Gc *gc, size_t size);

/* gc_part_reserved: `bytes` of a part have been allocated in advance.
** gc_part_filled: `bytes` of them are in use now.  While a cycle is under way,
** reserved bytes cause steps only as they are filled: a program that fills huge
** parts allocates seldom, and does not fill them at once. */
void gc_part_reserved(Gc *gc, size_t bytes);
void gc_part_filled(Gc *gc, size_t bytes);
/* All reserved bytes count as used from now on. */
void gc_part_settled(Gc *gc);
/* The part, which is marked, will soon be replaced by one that is smaller by
** `bytes`.  They do not count as live when the next goal is set. */
void gc_part_leaves(Gc *gc, size_t bytes);

/* Frees a part that has been replaced.  Nothing may refer to it any more. */
void gc_free_part(Gc *gc, void *part, size_t size);

/* Changes the size of a part, which may move.  The contents are kept up to the
** smaller size.  The owner must then call gc_part_replaced.  NULL: no memory,
** and the part is unchanged. */
void *gc_resize_part(Gc *gc, void *part, size_t old_size, size_t new_size);

/* -- For code that stores references --------------------------------------- */

void gc_barrier_back_slow(Gc *gc, Cell *from, Cell *to);
void gc_barrier_forward_slow(Gc *gc, Cell *from, Cell *to);

/* Call after storing `to` (NULL if it is no object) into `from`.  For objects
** that are written many times, such as tables: it reads only the header of
** `from`. */
static inline void gc_barrier_back(Gc *gc, Cell *from, Cell *to) {
  if (UNLIKELY(from->barrier == BARRIER_ARMED))
    gc_barrier_back_slow(gc, from, to);
}

/* Like gc_barrier_back, for objects that are rarely written.  Marks `to`. */
static inline void gc_barrier_forward(Gc *gc, Cell *from, Cell *to) {
  if (UNLIKELY(from->barrier == BARRIER_ARMED))
    gc_barrier_forward_slow(gc, from, to);
}

/* Call after `owner` was given a new part, or after its slots moved within
** parts (a resize).  The part lives as long as its owner.  If a visit of the
** owner is under way, it starts again. */
void gc_part_replaced(Gc *gc, Cell *owner, Cell *part);

/* -- For code that runs stacks --------------------------------------------- */

/* Makes `stack` the running stack instead of gc->running.  Both may be NULL. */
void gc_stack_switch(Gc *gc, Cell *stack);

/* The two halves of gc_stack_switch, for a client that knows its stacks.  Call
** gc_stack_run for the new stack first, and then gc_stack_rest for the old one.
** The client itself must lower the watermark of the new stack and call
** stack_watch for it. */
void gc_stack_rest_slow(Gc *gc, Cell *stack);
static inline bool gc_stack_rest_fast(const Gc *gc, Cell *stack) {
  if (gc->barrier_mode == BARRIER_OFF || stack->barrier == BARRIER_LISTED)
    return true;
  if (gc->barrier_mode != BARRIER_IDLE) return false;
  stack->barrier = BARRIER_ARMED; /* everything in it is marked */
  return true;
}
static inline void gc_stack_rest(Gc *gc, Cell *stack) {
  if (!gc_stack_rest_fast(gc, stack)) gc_stack_rest_slow(gc, stack);
}
static inline void gc_stack_run(Gc *gc, Cell *stack) {
  gc->running = stack;
  if (stack->barrier == BARRIER_ARMED) stack->barrier = BARRIER_DISARMED;
}

/* Call after writing to a stack that does not run (a push from outside). */
void gc_stack_touch_slow(Gc *gc, Cell *stack);
static inline void gc_stack_touch(Gc *gc, Cell *stack) {
  if (stack->barrier != BARRIER_LISTED) gc_stack_touch_slow(gc, stack);
}

/* Call after storing `to` into a slot of a stack, if the store was not done by
** the frame that owns the slot, but by an open upvalue or a debugger.  The gray
** byte is no help here.  A running stack, or one visited in pieces, is not
** watched, but its slots below the watermark are not visited again. */
static inline void gc_stack_barrier(Gc *gc, Cell *stack, Cell *to) {
  if (gc->barrier_mode == BARRIER_BACK || gc->barrier_mode == BARRIER_FORWARD)
    gc_barrier_forward_slow(gc, stack, to);
}

/* The program has returned into the frame that begins at `slot`.  From now on
** slots at or above `slot` may be written without a barrier. */
static inline void gc_stack_lower(Gc *gc, GcStack *stack, size_t slot) {
  if (slot < stack->watermark && !(gc->debug.skip & SKIP_STACK_LOWER))
    stack->watermark = slot;
}

/* -- For kinds ------------------------------------------------------------- */

/* The mark bit (heap_is_marked) under the name that kinds use for it.  While
** gc_unmarked_is_dead(), false means that the object is dead.  Weak objects
** check this when they are cleared, and when the program reads them before
** that. */
static inline bool gc_is_reached(const Cell *cell) {
  return heap_is_marked(cell);
}

/* True while unmarked objects are dead: between the end of marking and the
** sweep.  Only then must readers of weak objects check gc_is_reached. */
static inline bool gc_unmarked_is_dead(const Gc *gc) {
  return gc->phase >= PHASE_CLEAR_VALUES && gc->phase <= PHASE_SWEEP_SET;
}

/* True if the program may see the weak key.  An object that is resurrected for
** its finalizer stays hidden until everything it refers to is marked.  If the
** program took it apart before that, some of it would be lost. */
static inline bool gc_key_is_visible(const Gc *gc, const Cell *key) {
  if (!gc_unmarked_is_dead(gc)) return true;
  bool coming_back = gc->phase >= PHASE_SEPARATE &&
                     gc->phase <= PHASE_RESURRECT &&
                     key->flags & CELL_KEY_PENDING;
  return gc_is_reached(key) && !coming_back;
}

/* A number that changes when a sweep begins or ends.  As long as it is the same
** as when an object was made, the object is still in its place, alive or
** dead. */
static inline uint64_t gc_moment(const Gc *gc) {
  return gc->stats.cycles * 2 + (gc->phase >= PHASE_SWEEP_SET);
}

/* A member of the interned set was found and will be used again.  If it was
** dead, this marks it. */
static inline void gc_revive_leaf(Gc *gc, Cell *cell) {
  if (UNLIKELY(gc_unmarked_is_dead(gc)) && !(gc->debug.skip & SKIP_SET_REVIVE))
    heap_mark(cell);
}

/* -- Weak objects and finalizers ------------------------------------------- */

/* Registers the object: gc_next_finalizable returns it when it is not reached
** any more, later registrations first.  Constant time.  A second registration
** has no effect.  False: no memory. */
bool gc_register_finalizer(Gc *gc, Cell *cell);

/* Registers the object: its kind's `dying` is called when it is not reached any
** more.  False: no memory. */
bool gc_register_dying(Gc *gc, Cell *cell);

/* Takes the next object to finalize, or NULL.  It is an ordinary object again,
** and is not anchored yet. */
Cell *gc_next_finalizable(Gc *gc);
static inline bool gc_has_finalizable(const Gc *gc) {
  return gc->ready > 0 || (gc->closing && !worklist_is_empty(&gc->finalizable));
}

/* The number of finalizers that the client should call after a step, so that
** none is left when the next cycle begins. */
size_t gc_finalizers_due(const Gc *gc);

/* For closing down.  Finishes the current cycle.  From now on
** gc_next_finalizable returns all registered objects, reached or not, including
** those registered later. */
void gc_queue_all_finalizable(Gc *gc);

/* -- Driving it ------------------------------------------------------------ */

/* Does a bounded part of the work that allocation has made due. */
void gc_step(Gc *gc);

/* The result of steps by hand: true if no cycle is under way and the last one
** has freed what was garbage when it began.  A minor cycle does not free all of
** it, so it counts only if the user has chosen generational mode. */
bool gc_cycle_is_over(const Gc *gc);

/* True if a cycle is under way or should begin. */
bool gc_is_due(const Gc *gc);

/* Runs the collector for about `microseconds`, or until the cycle ends.
** Between cycles it gives back memory that is not needed.  If no cycle is due,
** it does nothing else. */
void gc_step_time(Gc *gc, uint64_t microseconds);

/* The state of the current cycle, for hosts that run the collector by hand. */
typedef struct GcProspect {
  size_t left;      /* units of work until the cycle ends, estimated from
                        ** the last one; 0 between cycles */
  size_t headroom;  /* bytes until the heap reaches its goal */
  size_t allocated; /* bytes allocated since the last call */
} GcProspect;
GcProspect gc_prospect(Gc *gc);

/* Begins a frame.  Until the next call automatic steps take about `nanoseconds`
** in total.  They take more only if the heap is beyond its goal.  0: no
** bound. */
void gc_begin_frame(Gc *gc, uint64_t nanoseconds);

/* The units that an automatic step would do now, for steps by hand that should
** keep up with the program. */
size_t gc_units_due(const Gc *gc);

/* The part of gc_units_due without which the cycle would end beyond its
** goal. */
size_t gc_units_to_goal(const Gc *gc);

/* True if the heap is beyond its goal. */
bool gc_is_late(const Gc *gc);

/* Does `units` of work, or fewer if the cycle ends.  Returns
** gc_cycle_is_over. */
bool gc_step_work(Gc *gc, size_t units);

/* For generational mode: does `units` of work on the current cycle and the next
** one.  True if one of them ended.  If the heap is small, or a major cycle
** would not take more than `units`, both cycles end and the second is a major
** one.  Then all garbage is gone, both young and old.  If no object is young, it
** does nothing and returns true. */
bool gc_step_young(Gc *gc, size_t units);

/* Finishes the current cycle and runs one full major cycle. */
void gc_collect(Gc *gc);

/* Like gc_collect, because memory ran out.  No finalizer may run. */
void gc_collect_emergency(Gc *gc);

void gc_stop(Gc *gc);
void gc_restart(Gc *gc);

/* Changes a setting for the pace, and returns the old value. */
typedef enum GcSetting {
  GC_PAUSE,
  GC_STEP_MULTIPLIER,
  GC_STEP_SIZE,
  GC_MINOR_MULTIPLIER,
  GC_MAJOR_MULTIPLIER
} GcSetting;
int gc_set(Gc *gc, GcSetting setting, int value);

/* Steps begin no slice after this time; 0: they do not depend on time. */
static inline void gc_set_step_time(Gc *gc, uint64_t nanoseconds) {
  gc->step_nanoseconds = nanoseconds;
}

/* The client calls ready finalizers after the next step: a cycle can wait. */
static inline void gc_expect_finalizers(Gc *gc, bool expected) {
  gc->finalizers_first = expected;
}

/* Changes the mode.  Bounded work: the following cycles keep or drop marks. */
void gc_set_generational(Gc *gc, bool generational);

/* Counts bytes that objects hold outside of cells, for pacing and for the
** limit.  False: the limit does not allow `more` bytes, even after a
** collection.  Then they are not counted. */
bool gc_external_bytes(Gc *gc, size_t more, size_t less);

/* Memory for the client's own use from the same allocator, also counted for
** pacing and the limit.  Works like realloc; a new size of 0 frees the memory.
** NULL: no memory, and the old memory is unchanged. */
void *gc_memory_resize(Gc *gc, void *pointer, size_t old_size, size_t new_size);

/* Sets a bound for the bytes taken from the allocator plus those held
** elsewhere.  0 is none. */
void gc_set_limit(Gc *gc, size_t bytes);

/* Sets the limit for a short time, and does not plan the cycle anew. */
static inline void gc_lend_limit(Gc *gc, size_t bytes) {
  gc->heap.limit = bytes;
}

/* Sets the bytes that the heap, with those held elsewhere, should stay below.
** Cycles end there, and run up to eight times as often as without a target.  If
** a major cycle finds more live bytes, gc_target_missed says so.  0 is none. */
void gc_set_target(Gc *gc, size_t bytes);

/* True once after a major cycle that found more live bytes than the target. */
static inline bool gc_target_missed(Gc *gc) {
  bool missed = gc->target_missed;
  gc->target_missed = false;
  return missed;
}

/* The bytes in use, with those held elsewhere, at which the cycle should
** end. */
size_t gc_goal(const Gc *gc);

/* Bytes in objects and parts now. */
size_t gc_count(const Gc *gc);

/* -- Looking at it --------------------------------------------------------- */

const char *gc_phase_name(GcPhase phase);

/* Nanoseconds of a monotonic clock. */
uint64_t gc_clock(void);

static inline const GcKind *gc_kind(const Gc *gc, const Cell *cell) {
  return &gc->client.kinds[cell->kind];
}

/* Visits all roots. */
void gc_roots(const Gc *gc, GcEdgeFn *edge, void *context);

/* Visits all references of an object, including the slots of a stack. */
void gc_walk_edges(const Gc *gc, Cell *cell, GcEdgeFn *edge, void *context);

/* Sets the listener; `event` may be NULL. */
static inline void gc_set_listener(Gc *gc, GcListener listener) {
  gc->listener = listener;
}

/* Sets the sampler; NULL: none. */
void gc_set_sampler(Gc *gc, const GcSampler *sampler);

/* Sets the watch; NULL: none. */
void gc_set_watch(Gc *gc, const GcWatch *watch);

/* From now on the watch follows half as many cells. */
static inline void gc_thin_watch(Gc *gc) { gc->watch.interval *= 2; }

/* Runs an inspection once.  A major cycle begins as soon as possible.  False:
** another inspection is under way. */
bool gc_inspect(Gc *gc, const GcInspection *inspection);

/* True if an inspection is under way. */
static inline bool gc_is_inspecting(const Gc *gc) {
  return gc->inspection.slice != NULL;
}

/* Visit objects that wait for their finalizers, from the last to the first: the
** program takes them from the other end.  For inspections.  NULL: the end. */
void gc_begin_waiting(Gc *gc);
Cell *gc_next_waiting(Gc *gc);

/* True if a slice may wait for another thread: the program wants a whole
** collection, or the heap is so far beyond its goal that no bound holds. */
bool gc_may_wait(const Gc *gc);

/* The client calls these before and after a finalizer.  The first returns 0 if
** durations are not measured. */
uint64_t gc_finalizer_begins(const Gc *gc);
void gc_finalizer_ends(Gc *gc, uint64_t began);

/* Switches the histogram of step durations on or off.  False: no memory. */
bool gc_enable_histogram(Gc *gc, bool on);

/* Switches on the settings in a list such as
** "step,verify,checkmark,poison,collect" (see GcDebug), and all others off.
** False: an unknown name.  Only debug builds check these settings at every
** allocation. */
bool gc_debug_settings(Gc *gc, const char *names);

/* Checks every invariant of docs/gc/invariants.md that must hold in this
** phase. */
void gc_verify(Gc *gc);

/* -- For GC_KIND_VISITS ---------------------------------------------------- */

#include "gc/mark.h"

#endif
