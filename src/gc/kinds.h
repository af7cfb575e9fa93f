/* SPDX-License-Identifier: MIT */
/*
** kinds.h -- what the collector knows about objects
**
** Every cell begins with the header `Cell`.  Its first byte is the *kind* of
** the object.  The collector is given a table of kinds when it is created; it
** describes what can be done with the objects of each kind.  Each kind has
** exactly one list of its outgoing references, a function
**
**     GcProgress thing_edges(Thing *t, size_t from, GcEdgeFn *edge, void *ctx)
**
** GC_KIND_VISITS makes two functions of it for the table: one for the marker,
** with everything inlined, and one with a callback, for the verifier, snapshots
** and statistics.
**
** Objects with many references are visited in pieces.  `from` is 0 for the
** first piece.  The result says where the next piece begins (GC_DONE: there is
** none) and how much work was done.  A piece is at most GC_PIECE references.
*/
#ifndef PENUMBRA_GC_KINDS_H
#define PENUMBRA_GC_KINDS_H

#include "heap/heap.h"

typedef struct Gc Gc;

/* The header of every cell.  The four bytes after it belong to the object. */
typedef struct Cell {
  uint8_t kind;    /* index into the table of kinds */
  uint8_t barrier; /* enum GcBarrier */
  uint8_t flags;   /* enum GcFlag; for the collector */
  uint8_t user;    /* for the object's own use */
} Cell;

/* The barrier byte.  Together with the mark bit it is the color:
**
**    mark  barrier    color
**     0    ARMED      white
**     0    DISARMED   white, stores need no barrier; also new objects
**     1    LISTED     gray: on exactly one worklist
**     1    ARMED      black: visited, so stores call the barrier
**     1    DISARMED   only the running stack, which is visited at the end
*/
enum GcBarrier { BARRIER_ARMED, BARRIER_DISARMED, BARRIER_LISTED };

enum GcFlag {
  CELL_FINALIZABLE = 1,  /* registered with gc_register_finalizer */
  CELL_KEY_PENDING = 2,  /* weak key of a visited object, and not reached when
                          ** that was visited */
  CELL_IN_PIECES = 4,    /* visited in pieces: the barrier is forward */
  CELL_SCANNING = 8,     /* some pieces visited, some not */
  CELL_RESTART = 16,     /* not visited from the start yet: its slots moved, or
                          ** it was made while this cycle marks */
  CELL_DYING_HOOK = 32,  /* registered with gc_register_dying */
  CELL_WEAK_VALUES = 64, /* on the list weak_values of this cycle */
  CELL_WEAK_KEYS = 128   /* on the list weak_keys of this cycle */
};

/* How strongly a reference holds its target. */
typedef enum GcStrength {
  EDGE_STRONG,   /* the target is an object and will be visited */
  EDGE_LEAF,     /* strong; the target has no references: never visited */
  EDGE_PART,     /* like a leaf; the target belongs only to this object */
  EDGE_BORROWED, /* strong, but written without a barrier, because a stack that
                  ** also holds the target is visited again (open upvalues) */
  EDGE_BORROWED_LEAF, /* like EDGE_BORROWED; the target is a leaf */
  EDGE_WEAK,          /* does not keep its target */
  EDGE_WEAK_KEY,      /* like EDGE_WEAK; a key without an EDGE_EPHEMERON */
  EDGE_EPHEMERON,     /* keeps `to` (an object) while `key` is reached */
  EDGE_EPHEMERON_LEAF /* like EDGE_EPHEMERON; `to` is a leaf */
} GcStrength;

typedef struct GcEdge {
  Cell *to;
  Cell *key; /* for ephemerons, else NULL */
  GcStrength strength;
  const char *label; /* for tools: what the reference is, for people */
  const void *at;    /* for tools: where the reference is stored, or NULL */
} GcEdge;

typedef void GcEdgeFn(void *context, GcEdge edge);

/* Which references of an object are weak.  A visit finds this out. */
typedef enum GcWeakness {
  WEAK_NONE = 0,
  WEAK_VALUES = 1, /* clear entries with unreached values */
  WEAK_KEYS = 2,   /* ephemerons: clear entries with unreached keys */
  WEAK_BOTH = 3
} GcWeakness;

enum { GC_PIECE = 256, GC_DONE = 0 };

typedef struct GcProgress {
  size_t next;       /* pass as `from` for the next piece, or GC_DONE */
  uint32_t work;     /* references examined, at least 1 */
  uint32_t weakness; /* GcWeakness */
} GcProgress;

enum GcKindFlag {
  KIND_PART = 1, /* not an object: its owner marks it */
  KIND_LEAF = 2, /* an object without references */
  KIND_STACK = 4 /* begins with GcStack; slots have no barrier */
};

typedef GcProgress GcScanFn(Gc *gc, Cell *cell, size_t from);

enum { GC_KINDS_MAX = 32 };

typedef struct GcKind {
  const char *name;
  unsigned flags;

  /* Made by GC_KIND_VISITS.  NULL for parts and leaves. */
  GcScanFn *scan;
  GcProgress (*walk)(Cell *cell, size_t from, GcEdgeFn *edge, void *context);

  /* For kinds with weak references.  Each call removes the dead entries of one
  ** piece, using gc_is_reached().  Values are checked only by clear_values,
  ** keys only by clear_keys.  They must not allocate. */
  GcProgress (*clear_values)(Gc *gc, Cell *cell, size_t from);
  GcProgress (*clear_keys)(Gc *gc, Cell *cell, size_t from);
  /* The key has been reached: reports the value of the object's entry `key` to
  ** gc_mark_edge, or nothing if there is no such entry any more. */
  void (*resolve)(Gc *gc, Cell *cell, Cell *key);

  /* For KIND_STACK: stack_top is the number of slots in use.  While the stack
  ** runs, slots at or above stack_stable may be written without a barrier and
  ** without gc_stack_lower.  The collector visits those at the end of
  ** marking. */
  size_t (*stack_top)(const Cell *cell);
  size_t (*stack_stable)(const Cell *cell);
  /* Visits slots [from, to) of the stack. Made by GC_STACK_VISITS. */
  void (*scan_slots)(Gc *gc, Cell *cell, size_t from, size_t to);
  void (*walk_slots)(Cell *cell, size_t from, size_t to, GcEdgeFn *edge,
                     void *context);
  /* Slots below `watermark` are visited.  Arranges for gc_stack_lower to be
  ** called before a return lets the program write to any of them.  May be
  ** NULL. */
  void (*stack_watch)(Cell *cell, size_t watermark);

  /* The object was not reached and is about to be freed.  Releases what other
  ** objects still refer to (closes upvalues).  Must not allocate and must take
  ** constant time.  The client's sweep_set can do the rest in pieces. */
  void (*dying)(Gc *gc, Cell *cell);
} GcKind;

/* The beginning of every object of a stack kind.  Slots below the watermark
** have been visited in the cycle `epoch` and have not changed since. */
typedef struct GcStack {
  Cell cell;
  uint32_t epoch;
  size_t watermark;
} GcStack;

#endif
