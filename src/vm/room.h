/* SPDX-License-Identifier: MIT */
/*
** room.h -- how large the tables of a constructor become
**
** `{}` does not say what will be in it, and `{x = 1}` not what will be added.
** But tables made at the same place of a program mostly end up alike.  Now and
** then one is remembered, and looked at a while later; if a few in a row have
** outgrown what they began with, those to come get a cell with room for the
** same, so that their part can lie there from the beginning: no allocation when
** they grow, and on the same lines of the cache.
**
** Names that were added to all of these are kept in the template, so that they
** are in the same place of every copy, whatever the order they are added in,
** and instructions find them where they were last time.
**
** What the program can see of a table, such as its length and the order of its
** keys, does not depend on where its parts lie (object/table_resize.c).  Only
** names may come in another order, which is a matter of chance anyway.
*/
#ifndef PENUMBRA_VM_ROOM_H
#define PENUMBRA_VM_ROOM_H

#include "object/thread.h"

/* A new table, the instruction that made it, and what it is a copy of, or
** NULL. */
void room_sample(Global *g, Instruction *code, Table *t, Table *template);

/* Looks at the last sample, if it is still there. */
void room_learn(lua_State *L);

#endif
