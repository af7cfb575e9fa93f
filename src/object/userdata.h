/* SPDX-License-Identifier: MIT */
/*
** userdata.h -- memory of the host, with a metatable and some values
**
**     Userdata | uservalue[0 .. n) | bytes
*/
#ifndef PENUMBRA_OBJECT_USERDATA_H
#define PENUMBRA_OBJECT_USERDATA_H

#include "object/value.h"

struct Userdata {
  Cell cell;
  uint16_t value_count;
  uint16_t unused;
  Table *metatable;
  size_t size;          /* of the host's bytes */
  Value value[];
};

static inline void *userdata_bytes(Userdata *u) {
  return &u->value[u->value_count];
}

/* With nil as user values and undefined bytes; not anchored.  Raises if there
** is no memory. */
Userdata *userdata_new(lua_State *L, size_t size, unsigned values);

/* With barrier.  Tells the collector about __gc. */
void userdata_set_metatable(lua_State *L, Userdata *u, Table *metatable);

#endif
