/* SPDX-License-Identifier: MIT */
/*
** snapshot.h -- all objects of a heap and what they refer to, as a file
**
** The format is that of Chrome's DevTools (.heapsnapshot).  A snapshot is a look
** (GcLook): the collector lets it work in units, at the end of a major cycle,
** while the program runs.
**
** What the picture shows.  Every object that is live when the look begins, and
** those made meanwhile that they come to refer to; each as it is at the moment
** when it is written, all of its references at once (tables and stacks of more
** than 256 slots: piece by piece).  Every reference leads to an object in the
** picture, and every object is reachable in it: what the program drops, or takes
** out of one object and puts into another between the visits of both, is shown
** below the node "(moved or dropped meanwhile)".  A snapshot in one go, with
** the program standing still, has nothing there.
**
** Numbers of objects (ids) stay the same as long as the object lives: a second
** snapshot of the same state tells old objects from new ones, also where a new
** one has the address of a dead one.
*/
#ifndef PENUMBRA_OBSERVE_SNAPSHOT_H
#define PENUMBRA_OBSERVE_SNAPSHOT_H

#include "gc/gc.h"

/* As DevTools numbers them. */
typedef enum NodeType {
  NODE_HIDDEN, NODE_ARRAY, NODE_STRING, NODE_OBJECT, NODE_CODE, NODE_CLOSURE,
  NODE_REGEXP, NODE_NUMBER, NODE_NATIVE, NODE_SYNTHETIC
} NodeType;

typedef enum LinkType {
  LINK_CONTEXT, LINK_ELEMENT, LINK_PROPERTY, LINK_INTERNAL, LINK_HIDDEN,
  LINK_SHORTCUT, LINK_WEAK
} LinkType;

enum { DESCRIBE_TEXT = 192 };

/* What an object is, in words. */
typedef struct NodeWords {
  NodeType type;
  size_t length;
  char text[DESCRIBE_TEXT];
} NodeWords;

/* How an object holds another one.  The name is a number, or the contents of a
** string that is an object itself, or a text. */
typedef struct EdgeWords {
  LinkType type;          /* of an edge that is not weak */
  size_t index;           /* for LINK_ELEMENT and LINK_HIDDEN */
  Cell *string;           /* a leaf whose words are the name, or NULL */
  size_t length;
  char text[DESCRIBE_TEXT];
} EdgeWords;

/* Those who know what the objects are.  Nothing here may allocate cells. */
typedef struct Describer {
  void (*begin)(void *context);
  /* Whether `weigh` is to be asked about the references of the object, */
  unsigned (*weakness)(void *context, Cell *cell);
  /* ... some of which are weaker than the collector sees them now. */
  void (*weigh)(void *context, unsigned weakness, GcEdge *edge);
  void (*node)(void *context, Cell *cell, NodeWords *words);
  void (*edge)(void *context, Cell *from, const GcEdge *edge,
               EdgeWords *words);
  void *context;
} Describer;

/* Takes the file; anything but 0 stops the snapshot. */
typedef int SnapshotWriter(void *context, const void *bytes, size_t size);

/* What came of it. */
typedef struct SnapshotResult {
  bool ok;
  const char *error;      /* if not */
  uint64_t nodes;
  uint64_t edges;
  uint64_t bytes;         /* sum of all sizes */
  uint64_t moved;         /* objects shown as moved or dropped */
} SnapshotResult;

typedef void SnapshotDone(void *context, const SnapshotResult *result);

/* Begins a snapshot, which the next major cycle will write; then `done` is
** called.  False: no memory, or somebody else is looking at the heap. */
bool snapshot_begin(Gc *gc, const Describer *describer, SnapshotWriter *write,
                    SnapshotDone *done, void *context);

#endif
