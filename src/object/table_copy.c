/* SPDX-License-Identifier: MIT */
/*
** table_copy.c -- new tables of a known shape
**
** One part of such a table lies in the table's own cell: the hash if there is
** one, else the array.  If earlier tables of the same origin have grown, the
** cell has room for their final size (vm/presize.h).
**
** The known contents of a constructor's result are a table of their own, the
** template.  The result begins as a copy of the template, which needs no
** hashing.  The contents need no barrier: they are constants of a function, as
** the template is, so they are marked whenever the new table is.
**
** A template can also have nodes without a value, for names that were later
** added to its copies.  In a copy these are like removed entries.
*/
#include "object/table_impl.h"

static bool fits_inside(size_t bytes) {
  return sizeof(Table) + bytes <= TABLE_CELL_MAX;
}

/* Large arrays grow bit by bit, which needs a cell of their own. */
static bool array_fits_inside(size_t slots) {
  return fits_inside(array_bytes(slots)) && slots <= TABLE_LARGE_ARRAY;
}

/* -- Empty ones ------------------------------------------------------------ */

/* Clears the tags of an array at the end of a cell, a word at a time.  This may
** also clear payloads in front of the tags, which are not yet in use. */
static ALWAYS_INLINE void clear_tags_up_to(void *end, const uint8_t *tags) {
  static_assert(TAG_NIL == 0, "a tag of zeros is nil");
  uint64_t *word = end;
  do *--word = 0;
  while ((uint8_t *)word > tags);
}

static ALWAYS_INLINE Table *new_with_array(lua_State *L, size_t slots) {
  size_t size = heap_rounded_size(sizeof(Table) + array_bytes(slots));
  Table *t = table_with_part(L, size - sizeof(Table));
  ArrayPart *part = (ArrayPart *)(void *)(t + 1);
  part->cell = part_header_inside(KIND_ARRAY_PART);
  part->border = (uint32_t)slots;
  t->array = part->payload;
  t->array_size = (uint32_t)slots;
  clear_tags_up_to((char *)t + size, table_tags(t));
  return t;
}

static Table *new_with_hash(lua_State *L, size_t nodes) {
  Table *t = table_with_part(L, hash_bytes(nodes));
  t->hash = (HashPart *)(void *)(t + 1);
  hash_init_inside(t->hash, nodes);
  return t;
}

size_t table_names_in_space(size_t space) {
  if (space < hash_bytes(1)) return 0;
  return (size_t)1 << bits_highest((space - sizeof(HashPart)) / sizeof(Node));
}

Table *table_new_presized(lua_State *L, size_t space, bool names) {
  size_t nodes = names ? table_names_in_space(space) : 0;
  if (nodes == 0) return table_with_part(L, space);
  Table *t = new_with_hash(L, nodes);
  t->hash->cell.user = HASH_FORESEEN;
  return t;
}

Table *table_new_for(lua_State *L, size_t array_slots, size_t hash_entries) {
  if (hash_entries > 0 && hash_entries < TABLE_CELL_MAX) {
    size_t nodes = node_count_for(L, hash_entries);
    if (fits_inside(hash_bytes(nodes))) return new_with_hash(L, nodes);
  } else if (array_slots > 0 && array_slots < TABLE_CELL_MAX) {
    if (array_fits_inside(array_slots)) return new_with_array(L, array_slots);
  }
  return table_new(L);
}

/* The flags of a hash that also hold for its copy. */
enum { FLAGS_OF_COPY = HASH_FORESEEN | HASH_MIXED };

/* -- Copies ---------------------------------------------------------------- */

/* All cells are aligned to 16 bytes, and multiples of 16 bytes long. */
static ALWAYS_INLINE void copy_granules(void *to, const void *from,
                                        size_t bytes) {
  enum { TWO = 2 * GRANULE };
  size_t i = 0;
  for (; i + GRANULE < bytes; i += TWO)
    memcpy((char *)to + i, (const char *)from + i, TWO);
  if (i < bytes) memcpy((char *)to + i, (const char *)from + i, GRANULE);
}

static void copy_array(lua_State *L, Table *t, const Table *from) {
  size_t bytes = array_bytes(from->array_size);
  ArrayPart *part =
      gc_new(gc_of(L), array_allocation(from->array_size), KIND_ARRAY_PART);
  if (UNLIKELY(!part)) raise_memory(L);
  memcpy(&part->border, &array_part(from->array)->border,
         bytes - offsetof(ArrayPart, border));
  t->array = part->payload;
  t->array_size = from->array_size;
  gc_part_replaced(gc_of(L), &t->cell, &part->cell);
}

/* Copies a template with an array only, into the table's own cell. */
static void copy_with_array(lua_State *L, Value *to, const Table *from,
                            size_t space) {
  size_t bytes = array_bytes(from->array_size);
  Table *t = table_with_part(L, size_max(bytes, space));
  ArrayPart *part = (ArrayPart *)(void *)(t + 1);
  copy_granules(part, array_part(from->array), bytes);
  part->cell = part_header_inside(KIND_ARRAY_PART);
  t->array = part->payload;
  t->array_size = from->array_size;
  value_set_table(to, t);
}

/* Copies a template that is too large for one cell. */
static void copy_slowly(lua_State *L, Value *to, const Table *from) {
  size_t nodes = hash_size(from->hash);
  Table *t = table_new_for(L, 0, nodes);
  value_set_table(to, t);
  table_reserve(L, t, 0, nodes);
  if (nodes) t->hash->cell.user |= from->hash->cell.user & FLAGS_OF_COPY;
  if (nodes)
    memcpy(&t->hash->mask, &from->hash->mask,
           hash_bytes(nodes) - offsetof(HashPart, mask));
  if (hash_has_link(t->hash)) hash_note_all_used(t->hash);
  if (from->array_size) copy_array(L, t, from);
}

static NO_INLINE void copy_with_items(lua_State *L, Value *to,
                                      const Table *from, size_t space) {
  if (hash_is_empty(from->hash) && array_fits_inside(from->array_size))
    copy_with_array(L, to, from, space);
  else
    copy_slowly(L, to, from);
}

/* Fills a new table with a copy of that hash, inside the table's cell. */
static ALWAYS_INLINE void copy_into(Table *t, const HashPart *h, size_t bytes,
                                    Value *to) {
  HashPart *inside = (HashPart *)(void *)(t + 1);
  t->array_size = 0;
  t->array = NULL;
  t->hash = inside;
  t->metatable = NULL;
  copy_granules(inside, h, bytes);
  inside->cell = part_header_inside(KIND_HASH_PART);
  inside->cell.user = h->cell.user & FLAGS_OF_COPY;
  value_set_table(to, t);
}

static NO_INLINE void copy_into_new(lua_State *L, Value *to, const HashPart *h,
                                    size_t size) {
  Table *t = gc_new_slow(gc_of(L), size, KIND_TABLE);
  if (UNLIKELY(!t)) raise_memory(L);
  copy_into(t, h, hash_bytes((size_t)h->mask + 1), to);
}

/* The rare cases are tail calls, so that no register must be saved and
** restored. */
void table_new_copy(lua_State *L, Value *to, const Table *from, size_t space) {
  const HashPart *h = from->hash;
  size_t bytes = hash_bytes((size_t)h->mask + 1);
  if (UNLIKELY(from->array_size > 0 || !fits_inside(bytes))) {
    copy_with_items(L, to, from, space);
    return;
  }
  size_t size = sizeof(Table) + size_max(bytes, space);
  Table *t = gc_new_fast(gc_of(L), size, KIND_TABLE);
  if (LIKELY(t != NULL))
    copy_into(t, h, bytes, to); /* not covered: not in debug builds */
  else
    copy_into_new(L, to, h, size);
}

/* -- What became of them --------------------------------------------------- */

static bool has_names_only(const HashPart *h) {
  for (size_t i = 0; i < hash_size(h); i++) {
    const Node *n = &h->node[i];
    if (n->value_tag != TAG_NIL && n->key_tag != TAG_SHORT_STRING) return false;
  }
  return true;
}

size_t table_space_used(const Table *t, bool *names) {
  size_t bytes = 0;
  *names = false;
  if (t->cell.user & TABLE_SPECIAL || hash_has_link(t->hash)) return 0;
  if (!hash_is_empty(t->hash))
    bytes = hash_part_bytes(t->hash);
  else if (t->array_size > 0)
    bytes = array_bytes(t->array_size);
  if (!fits_inside(bytes)) return 0;
  *names =
      !hash_is_empty(t->hash) && t->array_size == 0 && has_names_only(t->hash);
  return bytes;
}

size_t table_names_beyond(const Table *t, const Table *template, String **name,
                          size_t most) {
  size_t count = 0;
  for (size_t i = 0; i < hash_size(t->hash) && count < most; i++) {
    const Node *n = &t->hash->node[i];
    if (n->key_tag != TAG_SHORT_STRING) continue;
    String *s = (String *)(void *)n->key.cell;
    if (!table_find_str(template, s)) name[count++] = s;
  }
  return count;
}

/* Gives kept nodes a value while others are added; otherwise the next name
** would take them.  Returns which nodes these are. */
static uint32_t names_show(HashPart *h) {
  uint32_t shown = 0;
  for (uint32_t i = 0; i <= h->mask; i++) {
    Node *n = &h->node[i];
    if (n->key_tag == TAG_NIL || n->value_tag != TAG_NIL) continue;
    n->value_tag = TAG_FALSE;
    shown |= 1u << i;
  }
  return shown;
}

void table_keep_names(lua_State *L, Table *template, String *const *name,
                      size_t count) {
  HashPart *h = template->hash;
  if (h->mask >= 32 || hash_is_empty(h)) return;
  uint32_t kept = names_show(h);
  for (size_t i = 0; i < count; i++) {
    Value key;
    value_set_cell(&key, name[i], TAG_SHORT_STRING);
    Node *n = hash_take_still(h, table_place_of_str(name[i], h->mask), &key);
    if (!n) break;
    n->value_tag = TAG_FALSE;
    kept |= 1u << (n - h->node);
    gc_revive_leaf(gc_of(L), key.as.cell);
    gc_barrier_back(gc_of(L), &template->cell, key.as.cell);
  }
  for (uint32_t i = 0; i <= h->mask; i++)
    if (kept >> i & 1) h->node[i].value_tag = TAG_NIL;
  if (kept) h->cell.user |= HASH_KEEPS_NAMES | HASH_FORESEEN;
}
