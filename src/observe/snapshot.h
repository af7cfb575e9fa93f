/* SPDX-License-Identifier: MIT */
/*
** snapshot.h -- all objects of a heap and their references, as a file
**
** The format is that of Chrome's DevTools (.heapsnapshot).  A snapshot is an
** inspection (GcInspection): the collector runs it in slices at the end of a
** major cycle, while the program runs.
**
** Contents.  The snapshot has every object that is live when the inspection
** begins.  It also has objects made during the inspection that these come to
** refer to, up to a bound (find_late in snapshot.c).  Each object is written in
** its state at that moment, with all of its references at once.  Tables and
** stacks of more than 256 slots are written piece by piece.  Every reference
** leads to an object in the snapshot, and every object is reachable in it.  The
** program may drop an object, or move it from one object to another between the
** visits of the two.  Such an object is shown below the node "(moved or dropped
** meanwhile)".  If the program waits for the whole snapshot, nothing is below
** that node.
**
** The number of an object (its id) stays the same as long as the object lives.
** So a second snapshot of the same state tells old objects from new ones, even
** if a new object has the address of a dead one.
*/
#ifndef PENUMBRA_OBSERVE_SNAPSHOT_H
#define PENUMBRA_OBSERVE_SNAPSHOT_H

#include <stdio.h>

#include "gc/gc.h"

/* The numbers of DevTools. */
typedef enum NodeType {
  NODE_HIDDEN,
  NODE_ARRAY,
  NODE_STRING,
  NODE_OBJECT,
  NODE_CODE,
  NODE_CLOSURE,
  NODE_REGEXP,
  NODE_NUMBER,
  NODE_NATIVE,
  NODE_SYNTHETIC
} NodeType;

typedef enum LinkType {
  LINK_CONTEXT,
  LINK_ELEMENT,
  LINK_PROPERTY,
  LINK_INTERNAL,
  LINK_HIDDEN,
  LINK_SHORTCUT,
  LINK_WEAK
} LinkType;

enum { DESCRIBE_TEXT = 192 };

/* The description of an object. */
typedef struct NodeWords {
  NodeType type;
  size_t length;
  char text[DESCRIBE_TEXT];
} NodeWords;

/* The description of a reference.  Its name is a number (`index`), or the
** contents of a string object, or a text. */
typedef struct EdgeWords {
  LinkType type; /* if the reference is not weak */
  size_t index;  /* for LINK_ELEMENT and LINK_HIDDEN */
  Cell *string;  /* the string whose contents are the name, or NULL */
  size_t length;
  char text[DESCRIBE_TEXT];
} EdgeWords;

enum { PRICE_DESCRIBE = 2048 }; /* units of work for a call of `begin` */

/* Functions that know the meaning of objects.  They must not allocate cells. */
typedef struct Describer {
  /* Called once or more before all others, until it returns false.  Does a
  ** piece of work. */
  bool (*begin)(void *context);
  /* How weak the references of the object are.  0: `weigh` need not be
  ** called. */
  unsigned (*weakness)(void *context, Cell *cell);
  /* Corrects the strength of a reference that is weaker than the collector sees
  ** it now.  `weakness` is the result of the function above. */
  void (*weigh)(void *context, unsigned weakness, GcEdge *edge);
  void (*node)(void *context, Cell *cell, NodeWords *words);
  void (*edge)(void *context, Cell *from, const GcEdge *edge, EdgeWords *words);
  void *context;
} Describer;

/* Takes the bytes of the file.  Any result but 0 stops the snapshot. */
typedef int SnapshotWriter(void *context, const void *bytes, size_t size);

/* The result of a snapshot. */
typedef struct SnapshotResult {
  bool ok;
  const char *error; /* a message if not ok */
  uint64_t nodes;
  uint64_t edges;
  uint64_t bytes; /* sum of the sizes of all objects */
  uint64_t moved; /* objects shown as moved or dropped */
} SnapshotResult;

typedef void SnapshotDone(void *context, const SnapshotResult *result);

/* Where a snapshot goes: to `file`, which another thread writes and closes, or
** to `write`, which the collector calls. */
typedef struct SnapshotTarget {
  SnapshotWriter *write;
  SnapshotDone *done; /* may be NULL */
  void *context;      /* of both functions */
  FILE *file;         /* NULL: none */
} SnapshotTarget;

/* Begins a snapshot.  The next major cycle finds its objects.  They are written
** after that cycle, and then `done` is called.  False: no memory, or another
** look at the heap is under way.  Then the file is still the caller's. */
bool snapshot_begin(Gc *gc, const Describer *describer,
                    const SnapshotTarget *target);

#endif
