/* SPDX-License-Identifier: MIT */
/*
** describe.h -- descriptions of objects and references for people
**
**   strings      their beginning
**   tables       the `__name` of their metatable; or their path (`string`,
**                `_G`); or the path of the metatable or its __index; or else
**                `Object` or `Array`, with `made at file:line` if samples of
**                allocations know that
**   functions    their path; file and line
**   threads      file and line of the function that they run
**   userdata     as tables, without a path of their own; or else `userdata`
**
** A path is where a program finds an object.  A reference has the name of the
** field, the variable or the upvalue.
*/
#ifndef PENUMBRA_API_DESCRIBE_H
#define PENUMBRA_API_DESCRIBE_H

#include "api/api_impl.h"
#include "observe/reach.h"
#include "observe/snapshot.h"

/* The path of an object: `module.name` or `name`. */
typedef struct PathEntry {
  const Cell *cell;
  const String *module; /* NULL: a global, or a module itself */
  const String *name;
} PathEntry;

enum { PATH_SLOTS = 2048 };

typedef struct Paths {
  Global *global;
  bool without_open; /* a thread's list of open upvalues does not keep them
                          ** alive */
  Table *loaded;     /* package.loaded, or NULL */
  unsigned modules;  /* of `loaded` so far */
  size_t at;         /* the place of the last one */
  size_t count;
  PathEntry slot[PATH_SLOTS];
} Paths;

/* Collects the paths of functions and tables: globals, modules and their
** fields, as many as fit. */
void describe_paths(Paths *paths, Global *g);

/* Like describe_paths, in pieces, which the Describer does: the first is the
** globals and the names of all modules, the others are the fields of one module
** each. */
void describe_begin(Paths *paths, Global *g);

/* The functions that use the paths; `context` is the Paths. */
Describer describer_of(Paths *paths);
void describe_node(void *context, Cell *cell, NodeWords *words);
void describe_edge(void *context, Cell *from, const GcEdge *edge,
                   EdgeWords *words);

/* Writes the path by which the walk reached the object. */
void why_text(const Reach *reach, Paths *paths, Cell *target, char *text,
              size_t capacity);

/* The innermost call of a stack that has a line, and what it calls. */
const char *stack_line(const char *stack);

/* The name of a kind: the Lua type, or the kind's own name for objects that are
** not Lua values. */
const char *kind_type(unsigned kind);

/* Writes "file:line" of a function, or the file of a main chunk.  Returns the
** length. */
size_t describe_place(const Proto *p, char *text, size_t capacity);

#endif
