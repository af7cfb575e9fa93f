/* SPDX-License-Identifier: MIT */
/*
** table_impl.h -- tables from the inside
**
** A weak table takes a *detour* from its visit by the collector until its dead
** entries are cleared.  During a detour nothing is found directly in the table,
** so that every access comes to the functions of this folder, which hide dead
** entries.  The fields of the table are then
**
**     array_size = 0,  hash = a DetourPart, which begins like a hash part with
**                             one unused node
**
** and the real ones are in the detour part.  Functions that change a table do
** not know about detours: they work between detour_leave and detour_enter.
** They must not allocate in between, because the collector must not see the
** state in between.  An allocation may also begin a detour, so a function
** allocates first and reads the table afterwards.
*/
#ifndef PENUMBRA_OBJECT_TABLE_IMPL_H
#define PENUMBRA_OBJECT_TABLE_IMPL_H

#include "object/object_impl.h"

typedef struct DetourPart {
  Cell cell;
  uint32_t mask;
  uint32_t free;
  uint32_t hint_limit;
  Node none;
  Payload *array;
  HashPart *hash;
  uint32_t array_size;
  uint32_t weakness; /* GcWeakness, as found by the visit */
} DetourPart;
static_assert(offsetof(DetourPart, none) == offsetof(HashPart, node),
              "a detour begins like a hash part");

/* The empty hash that all tables without a hash share. */
typedef struct EmptyHash {
  Cell cell;
  uint32_t mask;
  uint32_t free;
  uint32_t hint_limit;
  Node none;
} EmptyHash;
extern const EmptyHash table_empty_hash;

/* A table with `bytes` bytes after it for a part. */
static ALWAYS_INLINE Table *table_with_part(lua_State *L, size_t bytes) {
  Table *t = object_new(L, sizeof(Table) + bytes, KIND_TABLE);
  t->array_size = 0;
  t->array = NULL;
  t->hash = (HashPart *)(uintptr_t)&table_empty_hash;
  t->metatable = NULL;
  return t;
}

/* Parts from these sizes on grow bit by bit: table_grow.c.  In stress builds
** even small ones do, and slowly. */
enum {
  TABLE_LARGE_ARRAY = PENUMBRA_STRESS ? 32 : 16384,
  TABLE_LARGE_HASH = PENUMBRA_STRESS ? 32 : 4096,
  TABLE_ARRAY_STEP = PENUMBRA_STRESS ? 8 : 256,
  TABLE_HUGE = 32768, /* from this size on, steps are smaller */
  TABLE_HUGE_STEP = PENUMBRA_STRESS ? 8 : 32,
  TABLE_HASH_STEP = PENUMBRA_STRESS ? 8 : 64,
  NODE_FILLED = 16 /* bytes that a new key fills in a large hash */
};

/* A part that has been replaced, and from which entries are still moving.
** Exactly one of `array` and `hash` is set, or neither while `size` is 0. */
typedef struct RetiredPart RetiredPart;
struct RetiredPart {
  Cell cell;
  uint32_t size;    /* slots or nodes */
  uint32_t cursor;  /* slots or nodes below it have moved */
  uint32_t adopted; /* a hash whose keys may go to the array */
  Payload *array;
  HashPart *hash;
  RetiredPart *older;
};

/* The real parts, in the table or in its detour part. */
typedef struct TableParts {
  Payload *array;
  HashPart *hash;
  uint32_t array_size;
} TableParts;

/* The detour part of a weak table; NULL if the table takes no detour.  It may
** still have TABLE_SPECIAL, because it grows. */
static inline DetourPart *table_weak_detour(const Table *t) {
  if (LIKELY(!(t->cell.user & TABLE_SPECIAL))) return NULL;
  if (t->hash->cell.kind != KIND_DETOUR_PART) return NULL;
  return (DetourPart *)(void *)t->hash;
}

static ALWAYS_INLINE TableParts table_parts(const Table *t) {
  const DetourPart *d = table_weak_detour(t);
  if (LIKELY(!d)) {
    TableParts parts = {t->array, t->hash, t->array_size};
    return parts;
  }
  TableParts parts = {d->array, d->hash, d->array_size};
  return parts;
}

static ALWAYS_INLINE uint8_t *parts_tags(const TableParts *p) {
  return (uint8_t *)(p->array + p->array_size);
}
static inline bool hash_is_empty(const HashPart *h) {
  return (const void *)h == &table_empty_hash;
}
/* The number of nodes; the shared empty part has none. */
static inline size_t hash_size(const HashPart *h) {
  return hash_is_empty(h) ? 0 : (size_t)h->mask + 1;
}
static inline size_t hash_bytes(size_t nodes) {
  return sizeof(HashPart) + nodes * sizeof(Node);
}
static inline bool hash_has_link(const HashPart *h) {
  return (h->cell.user & HASH_HAS_LINK) != 0;
}
/* For a template: nodes without a value are there for names that its copies are
** likely to get.  These names are held, unlike the keys of removed entries. */
static inline bool hash_keeps_names(const HashPart *h) {
  return (h->cell.user & HASH_KEEPS_NAMES) != 0;
}
/* True if the hash is small, and all keys of a chain have the same main
** position. */
static inline bool hash_is_puc_layout(const HashPart *h) {
  return h->mask < TABLE_PUC_NODES &&
         !(h->cell.user & (HASH_HAS_LINK | HASH_MIXED));
}
/* True if the part must be replaced by a scattered one.  The successors of a
** scattered part are scattered, too. */
static inline bool hash_is_tangled(const HashPart *h) {
  return (h->cell.user & (HASH_TANGLED | HASH_SCATTERED)) == HASH_TANGLED;
}
static inline void hash_succeed(HashPart *h, const HashPart *old) {
  if (UNLIKELY(old->cell.user & (HASH_TANGLED | HASH_SCATTERED)) &&
      !hash_is_empty(h))
    h->cell.user |= HASH_SCATTERED;
}
/* After the nodes of a large hash there are the link, which takes the place of
** a node, and a byte for each group of nodes: 0 if none of them was ever used.
** The collector and walks skip such groups.  Reading them would make the system
** map their pages twice: for reading, and later for writing. */
enum { HASH_GROUP = 256 };
static inline size_t hash_groups(size_t nodes) {
  return (nodes + HASH_GROUP - 1) / HASH_GROUP;
}
static inline size_t hash_linked_bytes(size_t nodes) {
  return hash_bytes(nodes + 1) + hash_groups(nodes);
}
static inline size_t hash_part_bytes(const HashPart *h) {
  size_t nodes = (size_t)h->mask + 1;
  return hash_has_link(h) ? hash_linked_bytes(nodes) : hash_bytes(nodes);
}
static ALWAYS_INLINE uint8_t *hash_used_groups(const HashPart *h) {
  return (uint8_t *)(uintptr_t)(h->node + h->mask + 2);
}
/* Call after writing nodes of a large hash in another way than one by one. */
static inline void hash_note_all_used(HashPart *h) {
  memset(hash_used_groups(h), 1, hash_groups((size_t)h->mask + 1));
}
static inline bool hash_group_is_free(const HashPart *h, size_t group) {
  size_t at = group * HASH_GROUP, nodes = (size_t)h->mask + 1;
  for (size_t end = size_min(at + HASH_GROUP, nodes); at < end; at++)
    if (h->node[at].key_tag != TAG_NIL) return false;
  return true;
}
/* The first node from `at` on in a group that is used, or the end.  *end is set
** to the end of that group.  After many groups that are not used, the result
** and *end are the same. */
static ALWAYS_INLINE size_t hash_skip_groups(const HashPart *h, size_t at,
                                             size_t *end) {
  enum { MOST = 64 };
  size_t nodes = (size_t)h->mask + 1, group = at / HASH_GROUP;
  size_t last = size_min(group + MOST, hash_groups(nodes));
  const uint8_t *used = hash_used_groups(h);
  if (LIKELY(used[group])) {
    *end = size_min((group + 1) * HASH_GROUP, nodes);
    return at;
  }
  for (; group < last && !used[group]; group++)
    ASSERT(hash_group_is_free(h, group), "group %zu is used", group);
  *end = size_min((group + (group < last)) * HASH_GROUP, nodes);
  return size_min(group * HASH_GROUP, nodes);
}
/* The list of retired parts of the table. */
static inline RetiredPart **hash_link(HashPart *h) {
  return (RetiredPart **)(void *)(h->node + h->mask + 1);
}
static ALWAYS_INLINE RetiredPart *parts_retired(const TableParts *p) {
  return UNLIKELY(hash_has_link(p->hash)) ? *hash_link(p->hash) : NULL;
}
/* The last integer that was inserted; it lies behind the link. */
static ALWAYS_INLINE Unsigned *hash_last_int(HashPart *h) {
  static_assert(sizeof(RetiredPart *) + sizeof(Unsigned) <= sizeof(Node),
                "both take the place of a node");
  return (Unsigned *)(void *)((char *)hash_link(h) + sizeof(Payload));
}
/* Makes the page of a fresh node writable.  Reading it first would make the
** system map the page twice: for reading, and then for writing. */
static ALWAYS_INLINE void node_touch(Node *n) {
  *(volatile uint8_t *)&n->touched = 0;
}
/* The entry has moved: the node loses its key, but stays in its chain. */
static inline void node_leave(Node *n) {
  n->value_tag = TAG_NIL;
  n->key_tag = TAG_DEAD_KEY;
  n->key.bits = 0;
}
static inline size_t array_bytes(size_t slots) {
  return sizeof(ArrayPart) + slots * (sizeof(Payload) + 1);
}

/* The size of an array in a cell of its own; at least three slots, see
** below. */
static inline size_t array_allocation(size_t slots) {
  enum { LEAST = 3 };
  return array_bytes(size_max(slots, LEAST));
}

/* A part in the table's own cell begins right after the table.  No other part
** can have that address: a cell there would have the size of a table, and parts
** are larger. */
enum { TABLE_CELL_MAX = 512 };
static inline bool part_is_inside(const Table *t, const void *part) {
  return part == (const void *)(t + 1);
}
static_assert(sizeof(ArrayPart) + 3 * (sizeof(Payload) + 1) > sizeof(Table) &&
                  sizeof(HashPart) + sizeof(Node) > sizeof(Table),
              "parts are larger than tables");

/* The header of such a part, which is never on a list and never marked. */
static inline Cell part_header_inside(ObjectKind kind) {
  return (Cell){.kind = (uint8_t)kind, .barrier = BARRIER_DISARMED};
}

/* Frees a part of the table that is no longer in use. */
static inline void part_free(lua_State *L, const Table *t, void *part,
                             size_t size) {
  if (!part_is_inside(t, part)) gc_free_part(gc_of(L), part, size);
}

/* A place for a value.  All fields are NULL if there is none; `node` is NULL
** for an array slot. */
typedef struct Slot {
  Payload *value;
  uint8_t *tag;
  Node *node;
} Slot;

/* -- table_detour.c -------------------------------------------------------- */

/* Puts the real parts back if the table takes a detour.  The result is for
** detour_enter. */
DetourPart *detour_leave(Table *t);
void detour_enter(Table *t, DetourPart *d);

/* Begins a detour; false if there is no memory.  Only for the collector. */
bool detour_begin(Gc *gc, Table *t);

/* Ends the detour if nothing in the table can be dead now.  True if the table
** can then be used directly, which means that it does not grow either. */
bool detour_end(lua_State *L, Table *t);

/* False if the collector is about to remove an entry with that key or value. */
bool detour_shows(Gc *gc, Payload as, unsigned tag);
bool detour_shows_node(Gc *gc, const Node *n);
bool detour_shows_slot(Gc *gc, const Slot *slot);

/* -- table.c --------------------------------------------------------------- */

/* Where the chain of a normal key (see below) starts.  Raw equal keys have the
** same place. */
uint32_t hash_main_place(const lua_State *L, const HashPart *h,
                         const Value *key);
static inline Node *hash_main_node(const lua_State *L, HashPart *h,
                                   const Value *key) {
  return &h->node[hash_main_place(L, h, key)];
}

/* A float with an integral value becomes that integer as a key. */
static inline Value key_normal(const Value *key) {
  Value k = *key;
  Integer i;
  if (k.tag == TAG_FLOAT && float_is_integer(k.as.n, &i))
    value_set_integer(&k, i);
  return k;
}

/* The node of a normal key, or NULL.  Its value may be nil.  The second
** function is given the main position. */
Node *hash_find(const lua_State *L, const HashPart *h, const Value *key);
Node *hash_find_from(const HashPart *h, uint32_t place, const Value *key);

/* A node for a new key whose chain starts at that place, or NULL if all are
** used.  In a large hash also NULL if the search takes too long, which is rare
** before it is nearly full.  May move another entry within a small hash.  The
** collector does not notice, because it visits such a hash at once.  The
** exception is a table on a detour: there entries must stay where they are, and
** hash_take_still is used. */
Node *hash_take(HashPart *h, uint32_t place, const Value *key);
Node *hash_take_still(HashPart *h, uint32_t place, const Value *key);

/* The node at the main position of the key, if that is free; not for a part
** that follows PUC Lua. */
Node *hash_take_main(const lua_State *L, HashPart *h, const Value *key);

/* -- table_grow.c ---------------------------------------------------------- */

/* Where a normal key is held, or would be without taking a node.  If there is
** none, the second function sets *place to the main position in the hash. */
Slot table_locate(const lua_State *L, const TableParts *parts,
                  const Value *key);
Slot table_locate_to_write(const lua_State *L, const TableParts *parts,
                           const Value *key, uint32_t *place);

/* Retires the hash, or the array if it is large, and replaces it by a new one.
** With `adopt` the hash may have integer keys that belong into the new array.
** Both raise if there is no memory, and then leave the table valid. */
void growth_hash(lua_State *L, Table *t, size_t nodes);
void growth_array(lua_State *L, Table *t, size_t slots, bool adopt);

/* Moves a few entries, after the insertion of a new one. */
void growth_step(lua_State *L, Table *t);

/* Moves all remaining entries if there are few.  Raises if there is no
** memory. */
void growth_settle(lua_State *L, Table *t);

/* Moves slots from array to array, after a read of a slot that has not moved
** yet. */
void growth_step_read(lua_State *L, Table *t);

/* True if array slots, or integer keys for the array, still have to move: then
** the array must not be replaced again. */
bool growth_has_array(const TableParts *parts);

/* Positions in retired parts count from 0: all slots of the first part, then of
** the next, and so on.  `visit` gets pieces of single parts, without array
** slots that have moved. */
size_t growth_positions(const TableParts *parts);
typedef void RetiredFn(void *context, RetiredPart *r, size_t from, size_t to);
void growth_each(const TableParts *parts, size_t from, size_t to,
                 RetiredFn *visit, void *context);

/* -- table_gc.c ------------------------------------------------------------ */

/* Call after entries have moved to that place of the table. */
void table_node_moved(Gc *gc, Table *t, const Node *n);
void table_slots_moved(Gc *gc, Table *t, const TableParts *parts, size_t from,
                       size_t to);

/* If less than a quarter of a large hash is used, it counts as full, so that
** the next insertion of a new key chooses a smaller size.  Returns the bytes
** that are not used, or 0. */
size_t hash_shrink_soon(HashPart *h);

/* Call before entries move: removes those that are dead. */
void table_clear_moving_node(Gc *gc, const Table *t, Node *n);
void table_clear_moving_slots(const Gc *gc, const Table *t,
                              const TableParts *parts, size_t from, size_t to);

/* True if the entry is dead, and the collector is about to remove it. */
bool table_node_is_dead(const Gc *gc, const Table *t, const Node *n);

/* -- table_resize.c -------------------------------------------------------- */

/* New empty parts.  Raise if there is no memory. */
HashPart *hash_new(lua_State *L, size_t nodes, bool link);
ArrayPart *array_new_nil(lua_State *L, size_t slots);

/* New empty parts in the space after a table, inside its cell. */
void hash_init_inside(HashPart *h, size_t nodes);
void array_init_inside(ArrayPart *part, size_t slots);

/* Moves all entries of one hash into another. */
void hash_move(lua_State *L, HashPart *from, HashPart *to);

/* Moves integer keys from the hash that now belong into the array. */
void array_adopt(Table *t, size_t from);

/* The number of nodes for a constructor with that many fields: 0 or a power of
** two. */
size_t node_count_for(lua_State *L, size_t entries);

/* Makes all nodes free.  The caller sets the header of the cell. */
void hash_init(HashPart *h, size_t nodes);

/* Makes room for one more entry with that key. */
void table_grow_for(lua_State *L, Table *t, const Value *key);

/* Doubles the array for a key just after it that finds no node.  False if the
** array is not full.  A large array need only be half full. */
bool table_grow_array(lua_State *L, Table *t);

/* Gives a hash that was made for names the size that it would otherwise
** have. */
void table_unforesee(lua_State *L, Table *t);

#endif
