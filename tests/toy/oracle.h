/* SPDX-License-Identifier: MIT */
/*
** oracle.h -- what the heap of the toy program ought to look like
**
** A shadow of every object, kept in ordinary memory by the test beside what it
** does to the real ones, and reachability computed over it in the plainest way:
** mark from the roots, visit all ephemerons again until nothing changes.  No
** increments, no barriers, no colors: nothing of the collector's is used but
** its queue of finalizable objects, to learn what has been queued when.
**
** What must hold at any time:
**
**   - what is reachable in the shadow exists, with the right contents;
**   - a weak container shows what is reachable, and may hide the rest;
**   - an object is queued for its finalizer only when unreachable, once for
**     each registration, later registrations first;
**
** and after a full collection, exactly:
**
**   - weak containers hold what is left by the rules, queued is what was
**     registered and unreachable;
**   - there is no cell but those of reachable objects and their parts.
**
** Failures end in check_failed, like those of the collector's own verifier.
*/
#ifndef PENUMBRA_ORACLE_H
#define PENUMBRA_ORACLE_H

#include "toy/toy.h"

typedef struct ShadowEntry { /* of a table */
  uint32_t key;
  uint32_t value;
  uint32_t seen;  /* round in which it was found to be there */
  uint64_t since; /* when the value was stored */
} ShadowEntry;

typedef struct ShadowNode {
  uint32_t id;
  uint8_t kind;         /* ToyKind */
  bool gone;            /* was found to be freed, as it should be */
  bool queued;          /* waits for its finalizer */
  bool before;          /* reached before finalizers were looked for */
  bool open;            /* of an upvalue: refers to a slot */
  uint32_t stack;       /* of an open upvalue */
  uint32_t mark;        /* round in which it was last reached */
  uint32_t from;        /* what it was reached from; 0: a root */
  uint64_t registered;  /* when; 0: not */
  uint64_t resurrected; /* when last found among what a finalizer sees */
  Cell *cell;
  size_t count;       /* slots; of an open upvalue: the slot */
  uint32_t *slot;     /* ids; 0 is nothing or a number */
  uint64_t *since;    /* of a weak array: when each was stored */
  ShadowEntry *entry; /* of a table */
  size_t entries;
  size_t room; /* for slots or entries */
} ShadowNode;

typedef struct IdList {
  uint32_t *id;
  size_t count;
  size_t room;
} IdList;

typedef struct Oracle {
  Toy *toy;
  ShadowNode **node; /* by id */
  size_t node_room;
  IdList upvalues; /* nodes of some kinds, perhaps gone */
  IdList tables;
  IdList symbols;
  uint32_t root[TOY_ROOTS];
  uint32_t running;
  uint32_t main_stack;
  IdList queue;       /* next one first */
  size_t queue_taken; /* entries of it that were handed out */
  uint64_t queued_total;
  uint64_t separations; /* known of at the last oracle_sync */
  uint64_t batches;     /* of those, that may have queued nothing yet */
  uint64_t last_queued; /* registration of the one queued last */
  bool exact;           /* nothing may differ: just collected */
  uint64_t clock;       /* counts stores and registrations */
  uint32_t round;
  uint32_t visiting; /* what is being reached from */
  IdList work;
  uint64_t checks; /* statistics */
  uint64_t exact_checks;
  uint64_t cleared; /* weak entries found cleared */
  uint64_t resurrections;
} Oracle;

void oracle_open(Oracle *oracle, Toy *toy);
void oracle_close(Oracle *oracle);

/* -- Telling it what was done ---------------------------------------------- */

/* The id of what a reference leads to; 0 for nothing. */
uint32_t oracle_id(ToyRef ref);

/* The node of an object that must exist: checks that it does. */
ShadowNode *oracle_node(Oracle *oracle, ToyRef ref);

/* A new object, with the contents it has now. */
void oracle_created(Oracle *oracle, ToyRef ref);
/* A symbol was asked for: new or old, as the set must have decided. */
void oracle_interned(Oracle *oracle, ToyRef ref, uint32_t key);

void oracle_set_root(Oracle *oracle, unsigned index, ToyRef value);
void oracle_set_slot(Oracle *oracle, ToyRef object, size_t slot, ToyRef value);
void oracle_set_count(Oracle *oracle, ToyRef object, size_t count);
void oracle_put(Oracle *oracle, ToyRef table, ToyRef key, ToyRef value);
void oracle_remove(Oracle *oracle, ToyRef table, ToyRef key);
void oracle_opened(Oracle *oracle, ToyRef upvalue, ToyRef stack, size_t slot);
void oracle_set_upvalue(Oracle *oracle, ToyRef upvalue, ToyRef value);
/* Upvalues of slots from `slot` up, or one upvalue, closed. */
void oracle_close_from(Oracle *oracle, ToyRef stack, size_t slot);
void oracle_closed(Oracle *oracle, ToyRef upvalue);
void oracle_registered(Oracle *oracle, ToyRef object);

/* -- Looking through it ---------------------------------------------------- */

/* The object's slot, read by the program as `value`, must be that. */
void oracle_read(Oracle *oracle, ToyRef object, size_t slot, ToyRef value);
/* Reads an upvalue, which has a slot only as long as its stack lives. */
ToyRef oracle_read_upvalue(Oracle *oracle, ToyRef upvalue);
/* An entry seen in a table must be there. */
void oracle_read_entry(Oracle *oracle, ToyRef table, ToyRef key, ToyRef value);
/* What the table answered for the key. */
void oracle_read_key(Oracle *oracle, ToyRef table, ToyRef key, ToyRef value);

/* Whether the program could get at the object. */
bool oracle_can_reach(Oracle *oracle, ToyRef object);

/* After anything that may have made the collector work. */
void oracle_sync(Oracle *oracle);

/* The object was handed out to be finalized: must be the next one. */
void oracle_finalizing(Oracle *oracle, ToyRef object);

/* -- Checking the whole ---------------------------------------------------- */

/* Compares everything reachable with what is really there. */
void oracle_check(Oracle *oracle);

/* Full collection, in whatever phase: afterwards there is no cell too many. */
void oracle_collect(Oracle *oracle);

/* Finishes the cycle, makes a full collection and checks that the result is
** exactly what it must be. */
void oracle_collect_exact(Oracle *oracle);

#endif
