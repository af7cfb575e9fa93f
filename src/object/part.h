/* SPDX-License-Identifier: MIT */
/*
** part.h -- vectors that belong to an object, and boxes to keep them in
**
** A vector is a cell of its own (a *part*).  The owner keeps the address of the
** first element.  The 8 bytes before it hold the header and the capacity in
** elements.
**
**     Cell | capacity | element[0] | element[1] | ...
**                     ^ the owner's pointer; NULL: no vector
**
** The owner reports vector_cell() as an EDGE_PART.  Elements are aligned to 8.
**
** A Box is an object that holds one vector of bytes and nothing else.  Anchored
** in a stack slot, it is memory that an error cannot leak.
*/
#ifndef PENUMBRA_OBJECT_PART_H
#define PENUMBRA_OBJECT_PART_H

#include "object/value.h"

typedef struct VectorPart {
  Cell cell;
  uint32_t capacity;
} VectorPart;

static inline Cell *vector_cell(const void *elements) {
  return elements ? (Cell *)((uintptr_t)elements - sizeof(VectorPart)) : NULL;
}
static inline size_t vector_capacity(const void *elements) {
  if (!elements) return 0;
  return ((const VectorPart *)((uintptr_t)elements - sizeof(VectorPart)))
      ->capacity;
}

/* Changes the capacity; 0 frees.  `*vector` is a field of `owner`; the
** collector is told about the change.  Raises if there is no memory, and then
** changes nothing. */
void vector_resize(lua_State *L, Cell *owner, void **vector,
                   size_t element_size, size_t capacity);

/* Makes room for `needed` elements by doubling.  Raises "too many <what> (limit
** is N)" if that is more than `limit`. */
void vector_reserve(lua_State *L, Cell *owner, void **vector,
                    size_t element_size, size_t needed, size_t limit,
                    const char *what);

/* Calls vector_reserve for a typed field: VECTOR_RESERVE(L, p, p->code, n,
** ...). */
#define VECTOR_RESERVE(L, owner, field, needed, limit, what)              \
  do {                                                                    \
    if (UNLIKELY((size_t)(needed) > vector_capacity(field)))              \
      vector_reserve((L), &(owner)->cell, (void **)(void *)&(field),      \
                     sizeof *(field), (size_t)(needed), (limit), (what)); \
  } while (0)

#define VECTOR_RESIZE(L, owner, field, capacity)                \
  vector_resize((L), &(owner)->cell, (void **)(void *)&(field), \
                sizeof *(field), (size_t)(capacity))

struct Box {
  Cell cell;
  uint32_t unused;
  void *data; /* a vector, or NULL */
};

/* An empty box, not anchored (use TAG_BOX). */
Box *box_new(lua_State *L);

/* An empty box on top of the stack, which has room for it. */
Box *box_new_anchored(lua_State *L);

/* Frees the vector of the box on top of the stack, and pops the box. */
void box_drop(lua_State *L, size_t element_size);

#endif
