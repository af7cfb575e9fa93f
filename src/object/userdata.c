/* SPDX-License-Identifier: MIT */
/*
** userdata.c -- memory of the host
*/
#include "object/userdata.h"

#include "object/object_impl.h"

Userdata *userdata_new(lua_State *L, size_t size, unsigned values) {
  size_t header = sizeof(Userdata) + values * sizeof(Value);
  if (size > (size_t)PTRDIFF_MAX - header - GRANULE) raise_memory(L);
  Userdata *u = object_new(L, header + size, KIND_USERDATA);
  u->value_count = (uint16_t)values;
  u->unused = 0;
  u->metatable = NULL;
  u->size = size;
  for (unsigned i = 0; i < values; i++) value_set_nil(&u->value[i]);
  return u;
}

void userdata_set_metatable(lua_State *L, Userdata *u, Table *metatable) {
  u->metatable = metatable;
  if (!metatable) return;
  gc_barrier_forward(gc_of(L), &u->cell, &metatable->cell);
  object_check_finalizer(L, &u->cell, metatable);
}
