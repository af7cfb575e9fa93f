/* SPDX-License-Identifier: MIT */
/*
** table_copy.c -- new tables from templates
**
** What a constructor knows of its result beforehand is a table of its own;
** the result begins as a copy of that, which takes no hashing at all.
**
** No barrier is needed for the contents: they are constants of a function, as
** the template is, and whatever marked the new table has marked those too.
*/
#include "object/table_impl.h"

static void *copy_part(lua_State *L, const void *from, size_t size,
                       ObjectKind kind) {
  char *part = gc_new(gc_of(L), size, kind);
  if (UNLIKELY(!part)) raise_memory(L);
  memcpy(part + sizeof(Cell), (const char *)from + sizeof(Cell),
         size - sizeof(Cell));
  return part;
}

static void copy_array(lua_State *L, Table *t, const Table *from) {
  ArrayPart *part = copy_part(L, array_part(from->array),
                              array_bytes(from->array_size),
                              KIND_ARRAY_PART);
  t->array = part->payload;
  t->array_size = from->array_size;
  gc_part_replaced(gc_of(L), &t->cell, &part->cell);
}

void table_copy_parts(lua_State *L, Table *t, const Table *from) {
  size_t nodes = hash_size(from->hash);
  if (nodes) {
    t->hash = copy_part(L, from->hash, hash_bytes(nodes), KIND_HASH_PART);
    gc_part_replaced(gc_of(L), &t->cell, &t->hash->cell);
  }
  if (from->array_size) copy_array(L, t, from);
}
