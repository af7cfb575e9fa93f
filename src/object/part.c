/* SPDX-License-Identifier: MIT */
/*
** part.c -- vectors that belong to an object
*/
#include "object/part.h"

#include "object/thread.h"

static size_t vector_bytes(size_t element_size, size_t capacity) {
  return sizeof(VectorPart) + element_size * capacity;
}

static void vector_free(lua_State *L, void **vector, size_t element_size) {
  Cell *cell = vector_cell(*vector);
  if (!cell) return;
  size_t bytes = vector_bytes(element_size, vector_capacity(*vector));
  *vector = NULL;
  gc_free_part(gc_of(L), cell, bytes);
}

static VectorPart *vector_allocate(lua_State *L, void **vector,
                                   size_t element_size, size_t capacity) {
  Cell *old = vector_cell(*vector);
  size_t bytes = vector_bytes(element_size, capacity);
  if (!old) return gc_new_part(gc_of(L), bytes, 0, KIND_VECTOR_PART);
  size_t old_bytes = vector_bytes(element_size, vector_capacity(*vector));
  return gc_resize_part(gc_of(L), old, old_bytes, bytes);
}

void vector_resize(lua_State *L, Cell *owner, void **vector,
                   size_t element_size, size_t capacity) {
  if (capacity == vector_capacity(*vector)) return;
  if (capacity == 0) {
    vector_free(L, vector, element_size);
    return;
  }
  if (capacity > UINT32_MAX || capacity > PTRDIFF_MAX / element_size - 2)
    raise_memory(L);
  VectorPart *part = vector_allocate(L, vector, element_size, capacity);
  if (!part) raise_memory(L);
  part->capacity = (uint32_t)capacity;
  *vector = part + 1;
  gc_part_replaced(gc_of(L), owner, &part->cell);
}

void vector_reserve(lua_State *L, Cell *owner, void **vector,
                    size_t element_size, size_t needed, size_t limit,
                    const char *what) {
  size_t capacity = vector_capacity(*vector);
  if (needed <= capacity) return;
  if (needed > limit)
    /* not covered: memory, or a check of the caller, ends first */
    raise_error(L, "too many %s (limit is %I)", what, (Integer)limit);
  size_t wanted = size_max(size_max(capacity * 2, needed), 4);
  vector_resize(L, owner, vector, element_size, size_min(wanted, limit));
}

Box *box_new(lua_State *L) {
  Box *box = object_new(L, sizeof(Box), KIND_BOX);
  box->data = NULL;
  return box;
}

Box *box_new_anchored(lua_State *L) {
  Box *box = box_new(L);
  value_set_cell(L->top, box, TAG_BOX);
  L->top++;
  return box;
}

void box_drop(lua_State *L, size_t element_size) {
  Box *box = (Box *)L->top[-1].as.cell;
  vector_resize(L, &box->cell, &box->data, element_size, 0);
  value_set_nil(--L->top);
}
