/* SPDX-License-Identifier: MIT */
/*
** table_copy.c -- new tables of a known shape
**
** One part of such a table lies in the table's own cell: the hash if there is
** one, else the array.
**
** What a constructor knows of its result beforehand is a table of its own, the
** template; the result begins as a copy of that, which takes no hashing at all.
** No barrier is needed for the contents: they are constants of a function, as
** the template is, and whatever marked the new table has marked those too.
*/
#include "object/table_impl.h"

/* A table with `bytes` behind it for a part. */
static ALWAYS_INLINE Table *table_with_part(lua_State *L, size_t bytes) {
  Table *t = object_new(L, sizeof(Table) + bytes, KIND_TABLE);
  t->array_size = 0;
  t->array = NULL;
  t->hash = (HashPart *)(uintptr_t)&table_empty_hash;
  t->metatable = NULL;
  return t;
}

static bool fits_inside(size_t bytes) {
  return sizeof(Table) + bytes <= TABLE_CELL_MAX;
}

/* -- Empty ones ------------------------------------------------------------ */

static Table *new_with_array(lua_State *L, size_t slots) {
  slots = slots_in_cell(sizeof(Table), slots);
  Table *t = table_with_part(L, array_bytes(slots));
  ArrayPart *part = (ArrayPart *)(void *)(t + 1);
  part->cell = (Cell){.kind = KIND_ARRAY_PART, .gray = GRAY_UNWATCHED};
  part->border = 0;
  t->array = part->payload;
  t->array_size = (uint32_t)slots;
  memset(table_tags(t), TAG_NIL, slots);
  return t;
}

static Table *new_with_hash(lua_State *L, size_t nodes) {
  Table *t = table_with_part(L, hash_bytes(nodes));
  HashPart *h = (HashPart *)(void *)(t + 1);
  hash_init(h, nodes);
  h->cell = (Cell){.kind = KIND_HASH_PART, .gray = GRAY_UNWATCHED};
  t->hash = h;
  return t;
}

Table *table_new_for(lua_State *L, size_t array_slots, size_t hash_entries) {
  if (hash_entries > 0 && hash_entries < TABLE_CELL_MAX) {
    size_t nodes = node_count_for(L, hash_entries);
    if (fits_inside(hash_bytes(nodes))) return new_with_hash(L, nodes);
  } else if (array_slots > 0 && array_slots < TABLE_CELL_MAX) {
    if (fits_inside(array_bytes(array_slots)))
      return new_with_array(L, array_slots);
  }
  return table_new(L);
}

/* -- Copies ---------------------------------------------------------------- */

/* All cells are multiples of 16 bytes long, and aligned so. */
static ALWAYS_INLINE void copy_granules(void *to, const void *from,
                                        size_t bytes) {
  for (size_t i = 0; i < bytes; i += GRANULE)
    memcpy((char *)to + i, (const char *)from + i, GRANULE);
}

static void copy_array(lua_State *L, Table *t, const Table *from) {
  size_t bytes = array_bytes(from->array_size);
  ArrayPart *part = gc_new(gc_of(L), bytes, KIND_ARRAY_PART);
  if (UNLIKELY(!part)) raise_memory(L);
  memcpy(&part->border, &array_part(from->array)->border,
         bytes - offsetof(ArrayPart, border));
  t->array = part->payload;
  t->array_size = from->array_size;
  gc_part_replaced(gc_of(L), &t->cell, &part->cell);
}

/* Everything, for templates that are too large to be copied into one cell. */
static void copy_slowly(lua_State *L, Value *to, const Table *from) {
  size_t nodes = hash_size(from->hash);
  Table *t = table_new_for(L, 0, nodes);
  value_set_table(to, t);
  table_reserve(L, t, 0, nodes);
  if (nodes)
    memcpy(&t->hash->mask, &from->hash->mask,
           hash_bytes(nodes) - offsetof(HashPart, mask));
  if (from->array_size) copy_array(L, t, from);
}

void table_new_copy(lua_State *L, Value *to, const Table *from) {
  size_t nodes = (size_t)from->hash->mask + 1;
  if (UNLIKELY(from->array_size > 0 || !fits_inside(hash_bytes(nodes)))) {
    copy_slowly(L, to, from);
    return;
  }
  Table *t = table_with_part(L, hash_bytes(nodes));
  t->hash = (HashPart *)(void *)(t + 1);
  copy_granules(t->hash, from->hash, hash_bytes(nodes));
  value_set_table(to, t);
}
