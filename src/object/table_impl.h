/* SPDX-License-Identifier: MIT */
/*
** table_impl.h -- tables from the inside
**
** A weak table takes a *detour* from the moment the collector has visited it
** until its dead entries are cleared: nothing is found directly in it, so that
** every access comes to the functions of this folder, which leave out what is
** dead.  The fields of the table are then
**
**     array_size = 0,  hash = a DetourPart, which begins like a hash part with
**                             one node that is not used
**
** and the real ones are in the detour part.  Functions that change a table do
** not know about detours: they work between detour_leave and detour_enter,
** with no allocation in between, because the collector may only see one or the
** other.  Allocation may also begin a detour; so a function that allocates
** does so first, and looks at the table afterwards.
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
  uint32_t weakness;      /* GcWeakness, as found by the visit */
} DetourPart;
static_assert(offsetof(DetourPart, none) == offsetof(HashPart, node),
              "a detour begins like a hash part");

/* What all tables without a hash share. */
typedef struct EmptyHash {
  Cell cell;
  uint32_t mask;
  uint32_t free;
  uint32_t hint_limit;
  Node none;
} EmptyHash;
extern const EmptyHash table_empty_hash;

/* Parts from these sizes on change bit by bit: table_grow.c.  In stress builds
** even small ones do, and slowly. */
enum {
  TABLE_LARGE_ARRAY = PENUMBRA_STRESS ? 32 : 16384,
  TABLE_LARGE_HASH = PENUMBRA_STRESS ? 32 : 4096,
  TABLE_ARRAY_STEP = PENUMBRA_STRESS ? 8 : 256,
  TABLE_HUGE = 32768,      /* slots from which fewer are moved at a time */
  TABLE_HUGE_STEP = PENUMBRA_STRESS ? 8 : 32,
  TABLE_HASH_STEP = PENUMBRA_STRESS ? 8 : 40,
  TABLE_CELLAR = 8,        /* nodes of a large hash to one of its cellar */
  NODE_FILLED = 16         /* bytes of such a hash that a new key fills */
};

/* A part that has been replaced, and from which entries still move.  Exactly
** one of `array` and `hash` is set, or neither while `size` is 0. */
typedef struct RetiredPart RetiredPart;
struct RetiredPart {
  Cell cell;
  uint32_t size;          /* slots or nodes */
  uint32_t cursor;        /* slots below have moved; keys with main positions
                          ** below */
  uint32_t adopted;       /* a hash, from which keys may go to the array */
  uint32_t cellar;        /* nodes of the cellar in use */
  Payload *array;
  HashPart *hash;
  RetiredPart *older;
};

/* The real parts, wherever they are. */
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
/* Nodes to look at; the shared empty part has none. */
static inline size_t hash_size(const HashPart *h) {
  return hash_is_empty(h) ? 0 : (size_t)h->mask + 1;
}
static inline size_t hash_bytes(size_t nodes) {
  return sizeof(HashPart) + nodes * sizeof(Node);
}
static inline bool hash_has_link(const HashPart *h) {
  return (h->cell.user & HASH_HAS_LINK) != 0;
}
/* Of a template: nodes without a value are there for names that its copies are
** likely to get.  Those are held, unlike the keys of removed entries. */
static inline bool hash_keeps_names(const HashPart *h) {
  return (h->cell.user & HASH_KEEPS_NAMES) != 0;
}
/* Small, and all keys of a chain have the same main position. */
static inline bool hash_is_as_lua(const HashPart *h) {
  return h->mask < TABLE_AS_LUA &&
         !(h->cell.user & (HASH_HAS_LINK | HASH_MIXED));
}
/* The part is to be replaced by a scattered one; its successors stay so. */
static inline bool hash_is_tangled(const HashPart *h) {
  return (h->cell.user & (HASH_TANGLED | HASH_SCATTERED)) == HASH_TANGLED;
}
static inline void hash_succeed(HashPart *h, const HashPart *old) {
  if (UNLIKELY(old->cell.user & (HASH_TANGLED | HASH_SCATTERED)) &&
      !hash_is_empty(h))
    h->cell.user |= HASH_SCATTERED;
}
/* Behind the nodes of a large hash: one for the link, and its cellar. */
static inline size_t hash_annex(size_t nodes) {
  return 1 + nodes / TABLE_CELLAR;
}
static inline size_t hash_part_bytes(const HashPart *h) {
  size_t nodes = (size_t)h->mask + 1;
  return hash_bytes(hash_has_link(h) ? nodes + hash_annex(nodes) : nodes);
}
/* The list of retired parts of the table. */
static inline RetiredPart **hash_link(HashPart *h) {
  return (RetiredPart **)(void *)(h->node + h->mask + 1);
}
static ALWAYS_INLINE RetiredPart *parts_retired(const TableParts *p) {
  return UNLIKELY(hash_has_link(p->hash)) ? *hash_link(p->hash) : NULL;
}
/* Makes a page of fresh memory be there for writing.  Read first, the system
** would map it once for reading and then again. */
static ALWAYS_INLINE void node_touch(Node *n) {
  *(volatile uint8_t *)&n->touched = 0;
}
/* The entry has gone elsewhere: the node has no key any more, and its chain is
** as it was. */
static inline void node_leave(Node *n) {
  n->value_tag = TAG_NIL;
  n->key_tag = TAG_DEAD_KEY;
  n->key.bits = 0;
}
static inline size_t array_bytes(size_t slots) {
  return sizeof(ArrayPart) + slots * (sizeof(Payload) + 1);
}

/* What an array of its own takes; not less than three slots, see below. */
static inline size_t array_room(size_t slots) {
  enum { LEAST = 3 };
  return array_bytes(size_max(slots, LEAST));
}

/* A part in the table's own cell begins right behind the table.  Nothing else
** can: there a cell of the same size would begin, and parts are larger. */
enum { TABLE_CELL_MAX = 512 };
static inline bool part_is_inside(const Table *t, const void *part) {
  return part == (const void *)(t + 1);
}
static_assert(sizeof(ArrayPart) + 3 * (sizeof(Payload) + 1) >
                      sizeof(Table) &&
                  sizeof(HashPart) + sizeof(Node) > sizeof(Table),
              "parts are larger than tables");

/* The header of such a part, which no list and no mark ever concerns. */
static inline Cell part_header_inside(ObjectKind kind) {
  return (Cell){.kind = (uint8_t)kind, .gray = GRAY_UNWATCHED};
}

/* Frees a part of the table that is no longer in use. */
static inline void part_free(lua_State *L, const Table *t, void *part,
                             size_t size) {
  if (!part_is_inside(t, part)) gc_free_part(gc_of(L), part, size);
}

/* A place for a value; all NULL: there is none.  `node` is NULL in arrays. */
typedef struct Slot {
  Payload *value;
  uint8_t *tag;
  Node *node;
} Slot;

/* -- table_detour.c -------------------------------------------------------- */

/* Puts the real parts back, if the table takes a detour; for detour_enter. */
DetourPart *detour_leave(Table *t);
void detour_enter(Table *t, DetourPart *d);

/* Begins a detour; false if there is no memory.  Only for the collector. */
bool detour_begin(Gc *gc, Table *t);

/* Ends the detour if nothing in the table can be dead now.  True if the table
** can be used directly: it does not grow either. */
bool detour_end(lua_State *L, Table *t);

/* False if the collector is about to remove such an entry. */
bool detour_shows(Gc *gc, Payload as, unsigned tag);
bool detour_shows_node(Gc *gc, const Node *n);
bool detour_shows_slot(Gc *gc, const Slot *slot);

/* -- table.c --------------------------------------------------------------- */

/* Where the chain of a normal key (see below) starts: the same for all keys
** that are raw equal. */
uint32_t hash_main_place(const lua_State *L, const HashPart *h,
                         const Value *key);
static inline Node *hash_main_node(const lua_State *L, HashPart *h,
                                   const Value *key) {
  return &h->node[hash_main_place(L, h, key)];
}

/* A float with an integer's value is that integer as a key. */
static inline Value key_normal(const Value *key) {
  Value k = *key;
  lua_Integer i;
  if (k.tag == TAG_FLOAT && k.as.n >= -0x1p63 && k.as.n < 0x1p63) {
    i = (lua_Integer)k.as.n;
    if ((lua_Number)i == k.as.n) value_set_integer(&k, i);
  }
  return k;
}

/* The node of a normal key, or NULL.  Its value may be nil.  The second one is
** told the main position. */
Node *hash_find(const lua_State *L, const HashPart *h, const Value *key);
Node *hash_find_from(const HashPart *h, uint32_t place, const Value *key);

/* A node for a key that is not there, or NULL if all are used; in a large hash
** also if none was found soon, which is seldom before it is nearly full.  May
** move another entry within a small hash.  The collector does not notice: it
** visits those in one piece, unless the table takes a detour.  Then an entry
** must stay where it is. */
Node *hash_take(const lua_State *L, HashPart *h, const Value *key);
Node *hash_take_still(const lua_State *L, HashPart *h, const Value *key);

/* The node at its main position, if that is free; not in a part as in PUC
** Lua. */
Node *hash_take_main(const lua_State *L, HashPart *h, const Value *key);

/* The same for a key with that main position: the node there, or a removed
** entry of its chain, or NULL.  hash_chain makes a node the second one. */
Node *hash_take_here(HashPart *h, uint32_t place, const Value *key);
Node *hash_chain(HashPart *h, uint32_t place, Node *n, const Value *key);

/* -- table_grow.c ---------------------------------------------------------- */

/* Where a normal key is held, or would be without taking a node. */
Slot table_locate(const lua_State *L, const TableParts *parts,
                  const Value *key);
Slot table_locate_to_write(const lua_State *L, const TableParts *parts,
                           const Value *key);

/* Retires the hash, or the array if it is large, in favor of a new one.  With
** `adopt` the hash may have integer keys that belong into the new array.  Raise
** if there is no memory, leaving the table whole. */
void growth_hash(lua_State *L, Table *t, size_t nodes);
void growth_array(lua_State *L, Table *t, size_t slots, bool adopt);

/* A node of a retired hash for a key that is not there, if it belongs there
** and there is room, or NULL. */
Node *growth_take(const lua_State *L, const TableParts *parts,
                  const Value *key);

/* Moves a few entries, after the insertion of a new one. */
void growth_step(lua_State *L, Table *t);

/* Moves all entries that are still to move if there are few.  Raises if there
** is no memory. */
void growth_settle(lua_State *L, Table *t);

/* Moves slots from array to array, after one was read that has not moved. */
void growth_step_read(lua_State *L, Table *t);

/* True if array slots are still to move, or integer keys to the array: then the
** array must not be replaced once more. */
bool growth_has_array(const TableParts *parts);

/* Positions in retired parts count from 0, all slots of the first one, and so
** on; `visit` gets pieces of single parts, without array slots that have
** moved. */
size_t growth_positions(const TableParts *parts);
typedef void RetiredFn(void *context, RetiredPart *r, size_t from, size_t to);
size_t retired_positions(const RetiredPart *r);
size_t retired_nodes(const RetiredPart *r);
void growth_each(const TableParts *parts, size_t from, size_t to,
                 RetiredFn *visit, void *context);

/* -- table_gc.c ------------------------------------------------------------ */

/* Entries have come to that place of the table from another. */
void table_node_moved(Gc *gc, Table *t, const Node *n);
void table_slots_moved(Gc *gc, Table *t, const TableParts *parts, size_t from,
                       size_t to);

/* Entries are about to move: removes those that are dead. */
void table_clear_moving_node(const Gc *gc, const Table *t, Node *n);
void table_clear_moving_slots(const Gc *gc, const Table *t,
                              const TableParts *parts, size_t from, size_t to);

/* True if the collector is about to remove that entry, or might as well. */
bool table_node_is_dead(const Gc *gc, const Table *t, const Node *n);

/* -- table_resize.c -------------------------------------------------------- */

/* Parts in which nothing is.  Raise if there is no memory. */
HashPart *hash_new(lua_State *L, size_t nodes, bool link);
ArrayPart *array_new_nil(lua_State *L, size_t slots);

/* The same where there is room behind a table. */
void hash_init_inside(HashPart *h, size_t nodes);
void array_init_inside(ArrayPart *part, size_t slots);

/* Takes all entries of one hash over into another. */
void hash_move(lua_State *L, HashPart *from, HashPart *to);

/* Integer keys that belong into the array now leave the hash. */
void array_adopt(Table *t, size_t from);

/* What a constructor with that many fields needs: 0 or a power of two. */
size_t node_count_for(lua_State *L, size_t entries);

/* All nodes free.  The header of the cell is the caller's business. */
void hash_init(HashPart *h, size_t nodes);

/* Makes room for one more entry with that key. */
void table_grow_for(lua_State *L, Table *t, const Value *key);

/* Doubles the array, for a key just behind it that finds no node; false if it
** is not full.  A large one need not be more than half full. */
bool table_grow_array(lua_State *L, Table *t);

/* Gives a hash made for names the size that it would have without foresight. */
void table_unforesee(lua_State *L, Table *t);

#endif
