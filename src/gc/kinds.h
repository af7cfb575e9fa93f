/* SPDX-License-Identifier: MIT */
/*
** kinds.h -- what the collector knows about objects
**
** Every cell begins with the header `Cell`.  Its first byte says which *kind*
** of object it is, and a table of kinds, given to the collector when it is
** created, says what can be done with such an object.  For each kind there is
** exactly one list of its outgoing references, a function
**
**     GcProgress thing_edges(Thing *t, size_t from, GcEdgeFn *edge, void *ctx)
**
** from which GC_KIND_VISITS makes the two functions the table needs: the
** marker's, with everything inlined, and the one with a callback for the
** verifier, snapshots and statistics.
**
** Objects with many references are visited in pieces.  `from` is 0 for the
** first piece; the result says where to go on (GC_DONE: finished) and how much
** was done.  A piece is at most GC_PIECE references.
*/
#ifndef PENUMBRA_GC_KINDS_H
#define PENUMBRA_GC_KINDS_H

#include "heap/heap.h"

typedef struct Gc Gc;

/* The header of every cell.  The four bytes after it are the owner's. */
typedef struct Cell {
  uint8_t kind;   /* index into the table of kinds */
  uint8_t gray;   /* enum GcGray */
  uint8_t flags;  /* enum GcFlag; the collector's */
  uint8_t user;   /* the owner's */
} Cell;

/* The gray byte.  Together with the mark bit it is the color:
**
**    mark  gray        color
**     0    WATCHED     white: not reached
**     0    UNWATCHED   light gray: not reached, barrier off; so are newborns
**     1    LISTED      gray: reached, on exactly one worklist
**     1    WATCHED     black: reached and visited, the barrier watches it
**     1    UNWATCHED   only the running stack, which is visited at the end
*/
enum GcGray { GRAY_WATCHED, GRAY_UNWATCHED, GRAY_LISTED };

enum GcFlag {
  CELL_FINALIZABLE = 1,   /* registered with gc_register_finalizer */
  CELL_KEY_PENDING = 2,   /* weak key of a visited object, not yet reached */
  CELL_IN_PIECES = 4,     /* visited in pieces: stores take the forward barrier */
  CELL_SCANNING = 8,      /* some pieces visited, some not */
  CELL_RESTART = 16,      /* its slots moved: visit again from the start */
  CELL_DYING_HOOK = 32,   /* registered with gc_register_dying */
  CELL_WEAK_VALUES = 64,  /* on the list weak_values of this cycle */
  CELL_WEAK_KEYS = 128    /* on the list weak_keys of this cycle */
};

/* How a reference holds its target. */
typedef enum GcStrength {
  EDGE_STRONG,    /* the target is an object and will be visited */
  EDGE_LEAF,      /* strong, and the target has no references: never touched */
  EDGE_PART,      /* like a leaf; the target belongs to this object alone */
  EDGE_BORROWED,  /* strong, but written without a barrier because a stack
                  ** that holds it too is visited again (open upvalues) */
  EDGE_BORROWED_LEAF, /* likewise, the target being a leaf */
  EDGE_WEAK,      /* does not keep its target */
  EDGE_WEAK_KEY,  /* likewise; a key that EDGE_EPHEMERON does not report */
  EDGE_EPHEMERON, /* keeps `to` (an object) while `key` is reached */
  EDGE_EPHEMERON_LEAF /* likewise, `to` being a leaf */
} GcStrength;

typedef struct GcEdge {
  Cell *to;
  Cell *key;          /* for ephemerons, else NULL */
  GcStrength strength;
  const char *label;  /* for tools: "metatable", "upvalue" ... */
  const void *at;     /* likewise: where the reference is stored, or NULL */
} GcEdge;

typedef void GcEdgeFn(void *context, GcEdge edge);

/* Which references of an object are weak, as found while visiting it. */
typedef enum GcWeakness {
  WEAK_NONE = 0,
  WEAK_VALUES = 1,      /* clear entries with unreached values */
  WEAK_KEYS = 2,        /* ephemerons: clear entries with unreached keys */
  WEAK_BOTH = 3
} GcWeakness;

enum { GC_PIECE = 256, GC_DONE = 0 };

typedef struct GcProgress {
  size_t next;          /* pass as `from` for the next piece, or GC_DONE */
  uint32_t work;        /* references looked at, at least 1 */
  uint32_t weakness;    /* GcWeakness */
} GcProgress;

enum GcKindFlag {
  KIND_PART = 1,        /* not an object: its owner marks it */
  KIND_LEAF = 2,        /* an object without references */
  KIND_STACK = 4        /* begins with GcStack; slots have no barrier */
};

typedef GcProgress GcScanFn(Gc *gc, Cell *cell, size_t from);

enum { GC_KINDS_MAX = 32 };

typedef struct GcKind {
  const char *name;
  unsigned flags;

  /* Made by GC_KIND_VISITS.  NULL for parts and leaves. */
  GcScanFn *scan;
  GcProgress (*walk)(Cell *cell, size_t from, GcEdgeFn *edge, void *context);

  /* For kinds with weak references; each removes dead entries within one
  ** piece, using gc_is_reached().  clear_values looks at values only,
  ** clear_keys at keys only.  They must not allocate. */
  GcProgress (*clear_values)(Gc *gc, Cell *cell, size_t from);
  GcProgress (*clear_keys)(Gc *gc, Cell *cell, size_t from);
  /* The key has been reached: report the value kept by the entry `key` of
  ** this object to gc_mark_edge (nothing if there is no such entry now). */
  void (*resolve)(Gc *gc, Cell *cell, Cell *key);

  /* For KIND_STACK: the number of slots in use.  Slots at or above `stable`
  ** may be written without a barrier and without gc_stack_lower while the
  ** stack runs; the collector leaves those for the end of marking. */
  size_t (*stack_top)(const Cell *cell);
  size_t (*stack_stable)(const Cell *cell);
  /* Visits slots [from, to) of the stack. Made by GC_STACK_VISITS. */
  void (*scan_slots)(Gc *gc, Cell *cell, size_t from, size_t to);
  void (*walk_slots)(Cell *cell, size_t from, size_t to, GcEdgeFn *edge,
                     void *context);
  /* Slots below `watermark` are visited: arrange for gc_stack_lower to be
  ** called before any of them is written by a return.  May be NULL. */
  void (*stack_watch)(Cell *cell, size_t watermark);

  /* The object was not reached and is about to vanish: let go of what others
  ** still refer to (close upvalues).  Must not allocate, and take constant
  ** time: the client's sweep_set can do the rest in pieces. */
  void (*dying)(Gc *gc, Cell *cell);
} GcKind;

/* The beginning of every object of a stack kind.  Slots below the watermark
** have been visited in the cycle `epoch` and not changed since. */
typedef struct GcStack {
  Cell cell;
  uint32_t epoch;
  size_t watermark;
} GcStack;

#endif
