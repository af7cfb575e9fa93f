/* SPDX-License-Identifier: MIT */
/*
** describe.h -- objects and references in words, for people
**
**   strings      their beginning
**   tables       where a program finds them (`string`, `_G`), what their
**                metatable is called (`__name`, or where a program finds it or
**                its __index), or `Object` and `Array`
**   functions    where a program finds them, file and line
**   threads      the function that they run, file and line
**
** References have the name of the field, the variable, the upvalue.
*/
#ifndef PENUMBRA_API_DESCRIBE_H
#define PENUMBRA_API_DESCRIBE_H

#include "object/thread.h"
#include "observe/snapshot.h"

/* Where a program finds an object: `module.name`, or `name`. */
typedef struct PathEntry {
  const Cell *cell;
  const String *module;   /* NULL: a global, or a module itself */
  const String *name;
} PathEntry;

enum { PATH_SLOTS = 2048 };

typedef struct Paths {
  Global *global;
  bool without_open;      /* variables that functions share do not count as kept
                          ** by the thread that they are variables of */
  size_t count;
  PathEntry slot[PATH_SLOTS];
} Paths;

/* Where a program finds functions and tables: globals, modules and what is in
** them, but no more than fit. */
void describe_begin(void *paths);

/* For a Describer, `context` being the Paths. */
unsigned describe_weakness(void *context, Cell *cell);
void describe_weigh(void *context, unsigned weakness, GcEdge *edge);
void describe_node(void *context, Cell *cell, NodeWords *words);
void describe_edge(void *context, Cell *from, const GcEdge *edge,
                   EdgeWords *words);

/* "file:line" of a function. */
size_t describe_place(const Proto *p, char *text, size_t room);

#endif
