/* SPDX-License-Identifier: MIT */
/*
** presize.h -- how large the tables of a constructor become
**
** `{}` does not say what the table will hold, and `{x = 1}` does not say what
** will be added.  But tables made at the same place of a program mostly become
** alike.  From time to time a new table becomes a sample, and its size is
** measured a while later.  If a few samples in a row have outgrown their
** initial size, later tables get a cell of that size.  Their part lies in the
** cell from the beginning: it grows without an allocation, and is on the same
** cache lines as the table.
**
** Names that were added to all of these samples are kept in the template.  So
** they have the same node in every copy, no matter in which order they are
** added, and the hints of instructions stay correct.
**
** The program cannot see where the parts of a table lie: its length and the
** order of its keys do not depend on it (object/table_resize.c).  Only names
** may come in another order, which is a matter of chance anyway.
*/
#ifndef PENUMBRA_VM_PRESIZE_H
#define PENUMBRA_VM_PRESIZE_H

#include "object/thread.h"

typedef struct PresizeSample {
  Instruction *code; /* valid, like `table`, while `moment` is current */
  Table *table;      /* or NULL */
  Table *template;   /* the template it is a copy of, or NULL */
  uint64_t moment;   /* of its creation, see gc_moment */
} PresizeSample;

enum { PRESIZE_NAMES = 6, PRESIZE_WINDOWS = 8 };
typedef struct PresizeWindow {
  const Instruction *code; /* compared, never dereferenced */
  uint8_t least;           /* smallest room a sample needed */
  uint8_t count;           /* number of samples */
  bool names;              /* all samples had only short strings as keys */
  uint8_t added_count;     /* names that were added to all samples */
  uint32_t added[PRESIZE_NAMES]; /* ... as identified by presize.c */
} PresizeWindow;

/* Makes the new table `t` a sample.  `code` is the instruction that made it,
** and `template` the table it is a copy of, or NULL. */
void presize_sample(lua_State *L, Instruction *code, Table *t, Table *template);

/* Learns from the last sample, if it is still valid. */
void presize_learn(lua_State *L);

#endif
