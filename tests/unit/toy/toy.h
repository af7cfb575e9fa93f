/* SPDX-License-Identifier: MIT */
/*
** toy.h -- a toy program for tests of the collector
**
** The collector knows objects only through kinds.  These are the kinds of a toy
** language.  They suffice to test every promise of the collector:
**
**   leaf        no references
**   symbol      a leaf that is unique for its key, held by a weak set
**   pair        two references
**   array       any number of references, in a part; can be resized
**   weak array  the same, but does not keep its values alive
**   ephemeron   a table; an entry lives while its key does
**   cache       a table; an entry lives while its key and its value do
**   stack       slots without barrier, in frames; one of them runs
**   upvalue     refers to a slot of a stack, or, closed, to a value of its own
**
** Any object except a symbol can be registered to be finalized.  All stores go
** through the functions below, which call the right barrier.  Functions that
** create something return 0 (false) if there is no memory, and then change
** nothing.  The caller keeps the objects that it passes reachable.
**
** A reference says whether it leads to a leaf, so that the collector need not
** touch leaves.  Every object has a number, `id`, which a test compares with
** the id that it expects.
*/
#ifndef PENUMBRA_TOY_H
#define PENUMBRA_TOY_H

#include "gc/gc.h"
#include "toy/allocator.h"

/* -- References ------------------------------------------------------------ */

/* 0 is nothing; otherwise the address of an object and a tag, or a number. */
typedef uintptr_t ToyRef;

enum ToyTag {
  TOY_IS_LEAF = 1,
  TOY_IS_SYMBOL = 2, /* a leaf too */
  TOY_IS_NUMBER = 4, /* no reference at all */
  TOY_TAGS = 7
};

typedef enum ToyKind {
  TOY_PART,
  TOY_LEAF,
  TOY_SYMBOL,
  TOY_PAIR,
  TOY_ARRAY,
  TOY_WEAK_ARRAY,
  TOY_EPHEMERON,
  TOY_CACHE,
  TOY_STACK,
  TOY_UPVALUE,
  TOY_KIND_COUNT
} ToyKind;

extern const GcKind toy_kinds[TOY_KIND_COUNT];

static inline bool toy_is_object(ToyRef ref) {
  return ref != 0 && !(ref & TOY_IS_NUMBER);
}

static inline Cell *toy_cell(ToyRef ref) {
  return toy_is_object(ref) ? (Cell *)(ref & ~(uintptr_t)TOY_TAGS) : NULL;
}

static inline ToyRef toy_number(size_t number) {
  return (ToyRef)number << 3 | TOY_IS_NUMBER;
}

static inline size_t toy_number_of(ToyRef ref) { return ref >> 3; }

static inline ToyKind toy_kind(ToyRef ref) {
  return (ToyKind)toy_cell(ref)->kind;
}

/* -- Objects --------------------------------------------------------------- */

/* The memory behind arrays, tables and stacks. */
typedef struct ToyPart {
  Cell cell;
  uint32_t owner; /* id */
  ToyRef slot[];
} ToyPart;

typedef struct ToyLeaf {
  Cell cell;
  uint32_t id;
  size_t size; /* of the whole cell; the rest is filler */
} ToyLeaf;

typedef struct ToySymbol ToySymbol;
struct ToySymbol {
  Cell cell;
  uint32_t id;
  uint32_t key;
  ToySymbol *next; /* in its bucket; not a reference */
};

typedef struct ToyPair {
  Cell cell;
  uint32_t id;
  ToyRef slot[2];
} ToyPair;

typedef struct ToyArray { /* also weak arrays */
  Cell cell;
  uint32_t id;
  size_t count;
  ToyPart *part;
} ToyArray;

typedef struct ToyTable { /* ephemeron or cache */
  Cell cell;
  uint32_t id;
  size_t capacity; /* entries, a power of two, or 0 */
  size_t taken;    /* entries in use or deleted */
  ToyPart *part;   /* key, value, key, value ... */
} ToyTable;

typedef struct ToyUpvalue ToyUpvalue;

/*
**      frame            frame              running frame
**      +---+------------+---+--------------+---+-------------+
**      | . | slots      | . | slots        | . | slots       |
**      +---+------------+---+--------------+---+-------------+
**        ^ base of the frame below         ^    base          top
*/
typedef struct ToyStack {
  GcStack gc;
  uint32_t id;
  size_t base;
  size_t top;
  size_t capacity;
  size_t watched; /* a return below this slot tells the collector */
  ToyPart *part;
  ToyUpvalue *open; /* upvalues of this stack's slots */
} ToyStack;

struct ToyUpvalue {
  Cell cell;
  uint32_t id;
  size_t slot;      /* while open */
  ToyStack *stack;  /* NULL: closed.  Not a reference: see toy_stack.c */
  ToyRef value;     /* once closed */
  ToyUpvalue *next; /* in the stack's list */
};

/* The id of the object.  Every kind except parts has one. */
uint32_t toy_id(const Cell *cell);

/* -- The program ----------------------------------------------------------- */

enum { TOY_ROOTS = 16, TOY_SET_LEAST = 64 };

typedef struct Toy {
  Gc gc;
  TestAllocator allocator;
  ToyRef root[TOY_ROOTS]; /* written without a barrier */
  ToyRef newborn;         /* a root for an object under construction */
  ToyRef main_stack;      /* a root; 0 until a test makes one */
  ToySymbol **set;        /* buckets, a power of two */
  size_t set_buckets;
  size_t set_count;
  uint32_t last_id;
} Toy;

/* Opening allocates nothing from the collector. */
void toy_open(Toy *toy);
void toy_close(Toy *toy);

/* Takes a step if one is due.  Every root must be in place. */
static inline void toy_poll(Toy *toy) {
  if (gc_step_due(&toy->gc)) gc_step(&toy->gc);
}

/* -- Creating -------------------------------------------------------------- */

ToyRef toy_new_leaf(Toy *toy, size_t size); /* at least sizeof(ToyLeaf) */
ToyRef toy_intern(Toy *toy, uint32_t key);
ToyRef toy_new_pair(Toy *toy, ToyRef first, ToyRef second);
ToyRef toy_new_array(Toy *toy, size_t count);
ToyRef toy_new_weak_array(Toy *toy, size_t count);
ToyRef toy_new_ephemeron(Toy *toy, size_t capacity);
ToyRef toy_new_cache(Toy *toy, size_t capacity);
ToyRef toy_new_stack(Toy *toy, size_t capacity);
/* The upvalue of a slot.  There is at most one for each slot. */
ToyRef toy_new_upvalue(Toy *toy, ToyRef stack, size_t slot);

/* -- Pairs and arrays ------------------------------------------------------ */

static inline ToyPair *toy_pair(ToyRef ref) {
  return (ToyPair *)(void *)toy_cell(ref);
}
static inline ToyArray *toy_array(ToyRef ref) {
  return (ToyArray *)(void *)toy_cell(ref);
}

/* The first slot of a pair uses the forward barrier, the second the backward
** barrier. */
void toy_pair_set(Toy *toy, ToyRef pair, unsigned slot, ToyRef value);

static inline ToyRef toy_pair_get(ToyRef pair, unsigned slot) {
  return toy_pair(pair)->slot[slot];
}

/* For both sorts of arrays.  A weak array does not show dead objects. */
void toy_array_set(Toy *toy, ToyRef array, size_t slot, ToyRef value);
ToyRef toy_array_get(const Toy *toy, ToyRef array, size_t slot);
bool toy_array_resize(Toy *toy, ToyRef array, size_t count);
static inline size_t toy_array_count(ToyRef array) {
  return toy_array(array)->count;
}

/* -- Tables ---------------------------------------------------------------- */

static inline ToyTable *toy_table(ToyRef ref) {
  return (ToyTable *)(void *)toy_cell(ref);
}

/* Keys are objects.  Leaves and symbols as keys of an ephemeron, and symbols
** anywhere in a table or weak array, are held strongly. */
bool toy_table_put(Toy *toy, ToyRef table, ToyRef key, ToyRef value);
void toy_table_remove(Toy *toy, ToyRef table, ToyRef key);
ToyRef toy_table_get(const Toy *toy, ToyRef table, ToyRef key);

/* The entry at a place below toy_table_places.  False if there is no entry, or
** no live one. */
bool toy_table_entry(const Toy *toy, ToyRef table, size_t place, ToyRef *key,
                     ToyRef *value);
static inline size_t toy_table_places(ToyRef table) {
  return toy_table(table)->capacity;
}

/* -- Stacks and upvalues --------------------------------------------------- */

static inline ToyStack *toy_stack(ToyRef ref) {
  return (ToyStack *)(void *)toy_cell(ref);
}
static inline ToyUpvalue *toy_upvalue(ToyRef ref) {
  return (ToyUpvalue *)(void *)toy_cell(ref);
}

/* Makes the stack the running one; 0: no stack runs. */
void toy_switch(Toy *toy, ToyRef stack);
ToyRef toy_running(const Toy *toy);

/* These work for any stack, running or not. */
bool toy_stack_push(Toy *toy, ToyRef stack, ToyRef value);
void toy_stack_pop(Toy *toy, ToyRef stack, size_t count);
void toy_stack_set(Toy *toy, ToyRef stack, size_t slot, ToyRef value);
bool toy_stack_reserve(Toy *toy, ToyRef stack, size_t capacity);
static inline ToyRef toy_stack_get(ToyRef stack, size_t slot) {
  return toy_stack(stack)->part->slot[slot];
}
static inline size_t toy_stack_top(ToyRef stack) {
  return toy_stack(stack)->top;
}

/* Push or pop a frame of the running stack. */
bool toy_call(Toy *toy);
bool toy_return(Toy *toy);

void toy_upvalue_set(Toy *toy, ToyRef upvalue, ToyRef value);
ToyRef toy_upvalue_get(ToyRef upvalue);
void toy_upvalue_close(Toy *toy, ToyRef upvalue);

/* -- Finalizers ------------------------------------------------------------ */

bool toy_register(Toy *toy, ToyRef object);
/* The next object to finalize, or 0. */
ToyRef toy_next_finalizable(Toy *toy);

/* The reference that leads to an object. */
ToyRef toy_ref_of(const Cell *cell);

#endif
