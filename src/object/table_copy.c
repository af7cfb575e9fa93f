/* SPDX-License-Identifier: MIT */
/*
** table_copy.c -- new tables of a known shape
**
** One part of such a table lies in the table's own cell: the hash if there is
** one, else the array.  Where tables of the same origin have been seen to grow,
** the cell has room for what they became (vm/room.h).
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

/* Large arrays grow bit by bit, which takes a cell of their own. */
static bool array_fits_inside(size_t slots) {
  return fits_inside(array_bytes(slots)) && slots <= TABLE_LARGE_ARRAY;
}

/* -- Empty ones ------------------------------------------------------------ */

static Table *new_with_array(lua_State *L, size_t slots) {
  slots = slots_in_cell(sizeof(Table), slots);
  Table *t = table_with_part(L, array_bytes(slots));
  ArrayPart *part = (ArrayPart *)(void *)(t + 1);
  array_init_inside(part, slots);
  t->array = part->payload;
  t->array_size = (uint32_t)slots;
  return t;
}

static Table *new_with_hash(lua_State *L, size_t nodes) {
  Table *t = table_with_part(L, hash_bytes(nodes));
  t->hash = (HashPart *)(void *)(t + 1);
  hash_init_inside(t->hash, nodes);
  return t;
}

size_t table_names_in_room(size_t room) {
  if (room < hash_bytes(1)) return 0;
  return (size_t)1 << bits_highest((room - sizeof(HashPart)) / sizeof(Node));
}

Table *table_new_with_room(lua_State *L, size_t room, bool names) {
  size_t nodes = names ? table_names_in_room(room) : 0;
  return nodes > 0 ? new_with_hash(L, nodes) : table_with_part(L, room);
}

Table *table_new_for(lua_State *L, size_t array_slots, size_t hash_entries) {
  if (hash_entries > 0 && hash_entries < TABLE_CELL_MAX) {
    size_t nodes = node_count_for(L, hash_entries);
    if (fits_inside(hash_bytes(nodes))) return new_with_hash(L, nodes);
  } else if (array_slots > 0 && array_slots < TABLE_CELL_MAX) {
    if (array_fits_inside(slots_in_cell(sizeof(Table), array_slots)))
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

/* An array alone, in the table's own cell. */
static void copy_with_array(lua_State *L, Value *to, const Table *from,
                            size_t room) {
  size_t bytes = array_bytes(from->array_size);
  Table *t = table_with_part(L, size_max(bytes, room));
  ArrayPart *part = (ArrayPart *)(void *)(t + 1);
  part->cell = part_header_inside(KIND_ARRAY_PART);
  memcpy(&part->border, &array_part(from->array)->border,
         bytes - offsetof(ArrayPart, border));
  t->array = part->payload;
  t->array_size = from->array_size;
  value_set_table(to, t);
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

void table_new_copy(lua_State *L, Value *to, const Table *from, size_t room) {
  size_t nodes = (size_t)from->hash->mask + 1;
  if (UNLIKELY(from->array_size > 0 || !fits_inside(hash_bytes(nodes)))) {
    if (hash_is_empty(from->hash) && array_fits_inside(from->array_size))
      copy_with_array(L, to, from, room);
    else
      copy_slowly(L, to, from);
    return;
  }
  Table *t = table_with_part(L, size_max(hash_bytes(nodes), room));
  t->hash = (HashPart *)(void *)(t + 1);
  copy_granules(t->hash, from->hash, hash_bytes(nodes));
  value_set_table(to, t);
}

/* -- What became of them --------------------------------------------------- */

static bool has_names_only(const HashPart *h) {
  for (size_t i = 0; i < hash_size(h); i++) {
    const Node *n = &h->node[i];
    if (n->value_tag != TAG_NIL && n->key_tag != TAG_SHORT_STRING) return false;
  }
  return true;
}

size_t table_room_used(const Table *t, bool *names) {
  size_t bytes = 0;
  *names = false;
  if (t->cell.user & TABLE_DETOUR || hash_has_link(t->hash)) return 0;
  if (!hash_is_empty(t->hash))
    bytes = hash_part_bytes(t->hash);
  else if (t->array_size > 0)
    bytes = array_bytes(t->array_size);
  if (!fits_inside(bytes)) return 0;
  *names = !hash_is_empty(t->hash) && t->array_size == 0 &&
           has_names_only(t->hash);
  return bytes;
}
