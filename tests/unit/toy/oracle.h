/* SPDX-License-Identifier: MIT */
/*
** oracle.h -- the expected state of the toy program's heap
**
** The test keeps a shadow of every object in ordinary memory, and repeats there
** what it does to the real objects.  Reachability over the shadow is computed
** in the simplest way: mark from the roots, and visit all ephemerons again
** until nothing changes.  There are no increments, barriers or colors.  The
** oracle uses nothing of the collector except its queue of finalizable objects,
** to learn what has been queued and when.
**
** At any time the following holds:
**
**   - an object that is reachable in the shadow exists, with its contents;
**   - a weak container shows reachable objects, and may hide others;
**   - an object is queued for its finalizer only if unreachable, once for each
**     registration, later registrations first.
**
** After a full collection these hold exactly:
**
**   - weak containers hold what the rules leave in them, and the queue holds
** the
**     registered objects that are unreachable;
**   - the only cells are those of reachable objects and their parts.
**
** Failures end in check_failed, like those of the collector's own verifier.
*/
#ifndef PENUMBRA_ORACLE_H
#define PENUMBRA_ORACLE_H

#include "toy/toy.h"

typedef struct ShadowEntry { /* an entry of a table */
  uint32_t key;
  uint32_t value;
  uint32_t seen;  /* last round in which it was found */
  uint64_t since; /* when the value was stored */
} ShadowEntry;

typedef struct ShadowNode {
  uint32_t id;
  uint8_t kind;         /* ToyKind */
  bool gone;            /* found to be freed, rightly */
  bool queued;          /* waits for its finalizer */
  bool before;          /* reached before the search for finalizable objects */
  bool open;            /* of an upvalue: it refers to a slot */
  uint32_t stack;       /* of an open upvalue */
  uint32_t mark;        /* round in which it was last reached */
  uint32_t from;        /* id of the node that it was reached from; 0: a root */
  uint64_t registered;  /* time of registration; 0: not registered */
  uint64_t resurrected; /* last time a finalizer could reach it */
  Cell *cell;
  size_t count;       /* number of slots; of an open upvalue: its slot */
  uint32_t *slot;     /* ids; 0 is nothing or a number */
  uint64_t *since;    /* of a weak array: when each value was stored */
  ShadowEntry *entry; /* of a table */
  size_t entries;
  size_t capacity; /* capacity in slots or entries */
} ShadowNode;

typedef struct IdList {
  uint32_t *id;
  size_t count;
  size_t capacity;
} IdList;

typedef struct Oracle {
  Toy *toy;
  ShadowNode **node; /* by id */
  size_t node_capacity;
  IdList upvalues; /* nodes of some kinds; some may be gone */
  IdList tables;
  IdList symbols;
  uint32_t root[TOY_ROOTS];
  uint32_t running;
  uint32_t main_stack;
  IdList queue;       /* the next object first */
  size_t queue_taken; /* number of its entries that were handed out */
  uint64_t queued_total;
  uint64_t separations; /* seen by the last oracle_sync */
  uint64_t batches;     /* of these, those that may have queued nothing yet */
  uint64_t last_queued; /* registration time of the object queued last */
  bool exact;           /* just collected: nothing may differ */
  uint64_t clock;       /* counts stores and registrations */
  uint32_t round;
  uint32_t visiting; /* node whose references are being followed */
  IdList work;
  uint64_t checks; /* statistics */
  uint64_t exact_checks;
  uint64_t cleared; /* weak entries found cleared */
  uint64_t resurrections;
} Oracle;

void oracle_open(Oracle *oracle, Toy *toy);
void oracle_close(Oracle *oracle);

/* -- Recording operations -------------------------------------------------- */

/* The id of the object that a reference leads to; 0 for nothing. */
uint32_t oracle_id(ToyRef ref);

/* Returns the node of an object.  Checks that the object exists. */
ShadowNode *oracle_node(Oracle *oracle, ToyRef ref);

/* Records a new object with its current contents. */
void oracle_created(Oracle *oracle, ToyRef ref);
/* Records a request for a symbol, and checks whether it had to be a new one. */
void oracle_interned(Oracle *oracle, ToyRef ref, uint32_t key);

void oracle_set_root(Oracle *oracle, unsigned index, ToyRef value);
void oracle_set_slot(Oracle *oracle, ToyRef object, size_t slot, ToyRef value);
void oracle_set_count(Oracle *oracle, ToyRef object, size_t count);
void oracle_put(Oracle *oracle, ToyRef table, ToyRef key, ToyRef value);
void oracle_remove(Oracle *oracle, ToyRef table, ToyRef key);
void oracle_opened(Oracle *oracle, ToyRef upvalue, ToyRef stack, size_t slot);
void oracle_set_upvalue(Oracle *oracle, ToyRef upvalue, ToyRef value);
/* Record that one upvalue, or all upvalues of slots from `slot` up, closed. */
void oracle_close_from(Oracle *oracle, ToyRef stack, size_t slot);
void oracle_closed(Oracle *oracle, ToyRef upvalue);
void oracle_registered(Oracle *oracle, ToyRef object);

/* -- Checking reads -------------------------------------------------------- */

/* Checks that `value` is what the program must read from the object's slot. */
void oracle_read(Oracle *oracle, ToyRef object, size_t slot, ToyRef value);
/* Reads an upvalue.  It has a slot only while its stack lives. */
ToyRef oracle_read_upvalue(Oracle *oracle, ToyRef upvalue);
/* Checks that an entry seen in a table belongs there. */
void oracle_read_entry(Oracle *oracle, ToyRef table, ToyRef key, ToyRef value);
/* Checks the table's answer for the key. */
void oracle_read_key(Oracle *oracle, ToyRef table, ToyRef key, ToyRef value);

/* True if the program can reach the object. */
bool oracle_can_reach(Oracle *oracle, ToyRef object);

/* Call after any operation that may have run the collector. */
void oracle_sync(Oracle *oracle);

/* Checks that an object handed out for finalization is the next in order. */
void oracle_finalizing(Oracle *oracle, ToyRef object);

/* -- Checking everything --------------------------------------------------- */

/* Compares everything reachable with the real objects. */
void oracle_check(Oracle *oracle);

/* Runs a full collection in any phase.  Checks that no superfluous cell is
** left. */
void oracle_collect(Oracle *oracle);

/* Finishes the cycle, runs a full collection and checks that the result is
** exactly the expected one. */
void oracle_collect_exact(Oracle *oracle);

#endif
