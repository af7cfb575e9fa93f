/* SPDX-License-Identifier: MIT */
/*
** userdata.c -- memory of the host
*/
#include "object/userdata.h"

#include "object/object_impl.h"

Userdata *userdata_new(lua_State *L, size_t size, unsigned values) {
  size_t header = sizeof(Userdata) + values * sizeof(Value);
  if (size > (size_t)PTRDIFF_MAX - header - GRANULE) raise_memory(L);
  bool large = header + size > CELL_MAX;
  if (large) header += sizeof(uint64_t);
  Userdata *u = object_new(L, header + size, KIND_USERDATA);
  u->value_count = (uint16_t)values;
  u->small_size = large ? USERDATA_LARGE : (uint16_t)size;
  u->metatable = NULL;
  if (large) u->large_size[0] = size;
  Value *value = userdata_values(u);
  for (unsigned i = 0; i < values; i++) value_set_nil(&value[i]);
  ASSERT((uintptr_t)userdata_bytes(u) % GRANULE == 0, "%p of %zu bytes",
         userdata_bytes(u), size);
  return u;
}

void userdata_set_metatable(lua_State *L, Userdata *u, Table *metatable) {
  u->metatable = metatable;
  if (!metatable) return;
  gc_barrier_forward(gc_of(L), &u->cell, &metatable->cell);
  object_check_finalizer(L, &u->cell, metatable);
}
