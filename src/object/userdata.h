/* SPDX-License-Identifier: MIT */
/*
** userdata.h -- memory of the host, with a metatable and some values
**
**     Userdata | [size] | uservalue[0 .. n) | bytes
**     16 bytes   8
**
** The bytes of the host are aligned to 16, like the result of malloc.  A small
** cell is aligned to 16; a large one begins 8 bytes after such an address.  So
** a large userdata stores its size in 8 additional bytes, and a small one in
** two bytes of the header.
*/
#ifndef PENUMBRA_OBJECT_USERDATA_H
#define PENUMBRA_OBJECT_USERDATA_H

#include "object/value.h"

struct Userdata {
  Cell cell;
  uint16_t value_count;
  uint16_t small_size; /* of the bytes; USERDATA_LARGE: see large_size */
  Table *metatable;
  POINTER_GAP(gap, 1)
  uint64_t large_size[]; /* one element, or none */
};
static_assert(sizeof(Userdata) == 16, "what follows is aligned");

enum { USERDATA_LARGE = UINT16_MAX };

static inline bool userdata_is_large(const Userdata *u) {
  return u->small_size == USERDATA_LARGE;
}
static inline size_t userdata_size(const Userdata *u) {
  return userdata_is_large(u) ? (size_t)u->large_size[0] : u->small_size;
}
static inline Value *userdata_values(const Userdata *u) {
  uintptr_t after = (uintptr_t)u->large_size;
  return (Value *)(after + (userdata_is_large(u) ? sizeof(uint64_t) : 0));
}
static inline void *userdata_bytes(const Userdata *u) {
  return userdata_values(u) + u->value_count;
}

/* A userdata with nil as user values and undefined bytes; not anchored.  Raises
** if there is no memory. */
Userdata *userdata_new(lua_State *L, size_t size, unsigned values);

/* Sets the metatable, with barrier.  Tells the collector about __gc. */
void userdata_set_metatable(lua_State *L, Userdata *u, Table *metatable);

#endif
