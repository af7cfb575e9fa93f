/* SPDX-License-Identifier: MIT */
/*
** table.h -- tables: an array and a hash, each a part of its own
**
** Table, 32 bytes:
**
**     Cell (user: TableFlag) | array_size | array | hash | metatable
**
** Array part: values and tags are separate, 9 bytes a slot.  `array` points at
** the first payload.  An 8-byte header lies before it, and the tags after it:
**
**     Cell | border | payload[0 .. n) | tag[0 .. n)          n = array_size
**                   ^ array
**
** Hash part: 16 bytes of header and 2^k nodes of 24 bytes.  A key lies in a
** chain that starts at its main position.  Removing an entry only sets its
** value to nil.
**
** In a part of more than TABLE_PUC_NODES nodes, chains may run into each other
** (coalesced hashing, Vitter 1982).  No entry ever moves within such a part, so
** that the collector can visit it in pieces.  An insertion reuses a removed
** node of its chain, so a table whose entries come and go is not rebuilt as
** long as a quarter of its nodes is free.
**
** Programs can see the sizes of parts, by the length of a table with holes.
** They can also see where numbers lie in a small hash, by the order of its
** keys.  Some programs depend on it.  So array_size is the size that PUC Lua
** 5.4 has after the same assignments, even if the cell has more space.  The
** same holds for the size of a hash of up to TABLE_PUC_NODES nodes, unless all
** its keys are names.  In such a part, numbers have the main positions of 5.4.
** If the main position of a new key is taken by a key that is not at its own
** main position, that key moves away (Brent 1973).
**
** Empty parts are shared constants, so that a lookup needs no special case.
**
** A table whose size is known when it is made has one part in its own cell,
** right after these fields: one allocation instead of two, and both on the same
** cache lines.  The cell can be larger than that part, which then grows in
** place.  Once the part has moved out, the other part can use the space.
**
** TABLE_SPECIAL is set in two kinds of tables.  In both, an entry that is found
** directly is right, and only a failed lookup must test the flag.  Only this
** module, and code that uses array_size, array or hash itself, see the flag.
**
** 1. Weak tables that the collector is about to clear.  They take a detour:
**    array_size is 0, and hash is a stub in which nothing is found.  The real
**    parts are behind the stub (table_impl.h).
** 2. Large tables while they grow bit by bit.  Some entries are still in the
**    previous parts (table_grow.c).
*/
#ifndef PENUMBRA_OBJECT_TABLE_H
#define PENUMBRA_OBJECT_TABLE_H

#include <stdatomic.h>

#include "object/string.h"
#include "object/value.h"

typedef struct Node {
  Payload value;
  Payload key;
  int32_t next; /* of the chain, relative; 0: the end */
  uint8_t value_tag;
  uint8_t key_tag;   /* TAG_NIL: a free node */
  uint8_t touched;   /* always 0, see node_touch in table_impl.h */
  uint8_t main_bits; /* the low bits of the key's main position */
} Node;
static_assert(sizeof(Node) == 24, "a node is 24 bytes");

typedef struct HashPart {
  Cell cell;           /* user: HASH_HAS_LINK ..., see below */
  uint32_t mask;       /* number of nodes - 1 */
  uint32_t free;       /* the next search for a free node starts below */
  uint32_t hint_limit; /* largest hint, 3 * mask */
  Node node[];
} HashPart;
static_assert(sizeof(HashPart) == 16, "the header of a hash is 16 bytes");
enum {
  HASH_HAS_LINK = 1,
  HASH_KEEPS_NAMES = 2,
  HASH_FORESEEN = 4,   /* names only; may have more nodes than in 5.4 */
  HASH_MIXED = 8,      /* chains may run into each other */
  HASH_TANGLED = 16,   /* a chain is long: numbers must be scattered */
  HASH_SCATTERED = 32, /* numbers are hashed, and not in order */
  HASH_LEAVING = 64    /* the next insertion should choose a smaller size */
};

typedef struct ArrayPart {
  Cell cell;
  uint32_t border; /* where the search for a length starts; at most
                        ** array_size, and if less, more than half of it */
  Payload payload[];
} ArrayPart;
static_assert(sizeof(ArrayPart) == 8, "the header of an array is 8 bytes");

/* Bits of Cell.user.  The lower ones say, in a table used as a metatable,
** that the metamethod with that number (meta.h) is known to be absent.
** TABLE_SPECIAL: weak or growing, see above. */
enum TableFlag { TABLE_ABSENT_MASK = 0x7f, TABLE_SPECIAL = 0x80 };

struct Table {
  Cell cell;
  uint32_t array_size;
  Payload *array;
  HashPart *hash;
  Table *metatable;
  POINTER_GAP(gap, 3)
};
static_assert(sizeof(Table) == 32, "a table is 32 bytes");

/* The largest array part, and the logarithm of the largest hash part. */
enum { TABLE_MAX_ARRAY = 1 << 30, TABLE_MAX_HASH_BITS = 30 };

/* -- Pieces of the fast paths ---------------------------------------------- */

static ALWAYS_INLINE ArrayPart *array_part(Payload *array) {
  return (ArrayPart *)(void *)((char *)array - sizeof(ArrayPart));
}

static ALWAYS_INLINE uint8_t *table_tags(const Table *t) {
  return (uint8_t *)(t->array + t->array_size);
}

/* A part with more nodes than this does not fit the cache. */
enum { TABLE_FITS_CACHE = 1 << 11 };

/* A part of at most this many nodes follows PUC Lua 5.4. */
enum { TABLE_PUC_NODES = 64 };

/* In a larger part, a chain with more nodes than this is no coincidence. */
enum { TABLE_LONG_CHAIN = 40 };

/* Multiplicative hashing (Knuth 6.4).  In a product of 128 bits, the low half
** depends on the lower bits of the word, and the high half on the upper ones,
** which for example tell floats like 0.5 apart. */
static ALWAYS_INLINE uint32_t table_hash_with(uint64_t word, uint64_t factor) {
  Product product = multiply(word, factor);
  uint64_t both = product.high ^ product.low;
  return (uint32_t)(both ^ both >> 32);
}
static ALWAYS_INLINE uint32_t table_hash_word(uint64_t word) {
  return table_hash_with(word, UINT64_C(0x9e3779b97f4a7c15));
}

/* The hash of a number in a scattered part.  Programs choose numbers, and must
** not be able to choose numbers that collide.  So the hash depends on a secret,
** which the first state of the process chooses by a seed. */
extern _Atomic uint32_t table_secret;
void table_choose_secret(uint64_t seed);
static inline uint32_t table_hash_secretly(uint64_t number) {
  uint64_t secret = atomic_load_explicit(&table_secret, memory_order_relaxed);
  uint64_t factor = secret * UINT64_C(0x9e3779b97f4a7c15);
  return table_hash_with(number ^ factor >> 32, factor);
}

/* Addresses are often used in order.  In a part that is larger than the cache,
** keys that are neighbors in memory should be neighbors in the part.  The place
** is the address plus an offset, modulo the size of the part.  The offset is a
** hash of the upper bits of the address, so it changes only from one multiple
** of that size to the next. */
static ALWAYS_INLINE uint32_t table_place_in_order(uint64_t word,
                                                   uint32_t mask) {
  uint64_t high = word >> (bits_highest(mask) + 1);
  return ((uint32_t)word + table_hash_word(high)) & mask;
}

/* The place at which the chain of a short string starts.  A short string is
** unique, so a large part can use its address.  Then strings made one after the
** other are neighbors, and neither a lookup nor the growth of the table has to
** load the string itself. */
static ALWAYS_INLINE uint32_t table_place_of_str(const String *key,
                                                 uint32_t mask) {
  if (LIKELY(mask < TABLE_FITS_CACHE)) return key->hash & mask;
  return table_place_in_order((uintptr_t)key / GRANULE, mask);
}

static ALWAYS_INLINE Node *table_main_node(const Table *t, const String *key) {
  return &t->hash->node[table_place_of_str(key, t->hash->mask)];
}

static ALWAYS_INLINE bool node_has_str(const Node *n, const String *key) {
  return n->key.cell == (const Cell *)key && n->key_tag == TAG_SHORT_STRING;
}

static ALWAYS_INLINE void node_get(const Node *n, Value *out) {
  out->as = n->value;
  out->tag = n->value_tag;
}

static ALWAYS_INLINE void node_set(Node *n, const Value *v) {
  n->value = v->as;
  n->value_tag = v->tag;
}

/* True if the float has an integral value that is an integer. */
static ALWAYS_INLINE bool float_is_integer(Number n, Integer *i) {
  if (UNLIKELY(!(n >= -0x1p63 && n < 0x1p63))) return false;
  *i = (Integer)n;
  return (Number)*i == n;
}

/* -- Fast reading: inline, no calls; false means "ask a slow function" ----- */

/* Slot `key` of the array, if it is there and not nil. */
static ALWAYS_INLINE bool table_fast_get_int(const Table *t, Integer key,
                                             Value *out) {
  Unsigned index = (Unsigned)key - 1;
  if (UNLIKELY(index >= t->array_size)) return false;
  uint8_t tag = table_tags(t)[index];
  out->as = t->array[index];
  out->tag = tag; /* if there is nothing: nil, and returns false */
  return LIKELY(tag != TAG_NIL);
}

/* The node of a short string, or NULL.  Its value may be nil. */
static ALWAYS_INLINE Node *table_find_str(const Table *t, const String *key) {
  Node *n = table_main_node(t, key);
  for (;;) {
    if (LIKELY(node_has_str(n, key))) return n;
    if (n->next == 0) return NULL;
    n += n->next;
  }
}

/* The field with a short string as its key, if it exists and is not nil. */
static ALWAYS_INLINE bool table_fast_get_str(const Table *t, const String *key,
                                             Value *out) {
  const Node *n = table_find_str(t, key);
  if (!n || n->value_tag == TAG_NIL) return false;
  node_get(n, out);
  return true;
}

/* A hint is the last known place of a node, in units of 8 bytes: 0, or a result
** of table_node_hint, perhaps for another table.  Nodes beyond TABLE_HINT_MAX
** have no hint. */
enum { TABLE_HINT_UNIT = 8, TABLE_HINT_MAX = 0xffff };
static_assert(sizeof(Node) == 3 * TABLE_HINT_UNIT, "hints are multiples of 3");

static ALWAYS_INLINE Node *table_node_of_hint(Node *first, uint32_t hint) {
  return (Node *)(void *)((char *)first + (size_t)hint * TABLE_HINT_UNIT);
}

/* The node at the hint if it holds that key, or NULL.  The branch on the limit
** is predicted by the processor; a mask would add a dependency. */
static ALWAYS_INLINE Node *table_hinted_key(const Table *t, const String *key,
                                            uint32_t hint) {
  HashPart *h = t->hash;
  if (UNLIKELY(hint > h->hint_limit)) return NULL;
  Node *n = table_node_of_hint(h->node, hint);
  bool right =
      (n->key.cell == (const Cell *)key) & (n->key_tag == TAG_SHORT_STRING);
  return LIKELY(right) ? n : NULL;
}

/* The node with that hint and key, or NULL; also NULL if it holds no value. */
static ALWAYS_INLINE Node *table_hinted_node(const Table *t, const String *key,
                                             uint32_t hint) {
  HashPart *h = t->hash;
  if (UNLIKELY(hint > h->hint_limit)) return NULL;
  Node *n = table_node_of_hint(h->node, hint);
  bool right = (n->key.cell == (const Cell *)key) &
               (n->key_tag == TAG_SHORT_STRING) & (n->value_tag != TAG_NIL);
  return LIKELY(right) ? n : NULL;
}

/* The hint for that node. */
static ALWAYS_INLINE uint32_t table_node_hint(const Table *t, const Node *n) {
  size_t hint = (size_t)(n - t->hash->node) * 3;
  return hint <= TABLE_HINT_MAX ? (uint32_t)hint : 0;
}

/* -- Fast writing: the caller does gc_barrier_back(gc, &t->cell, ...) ------ */

/* Makes the next search for a length start at a newly filled slot. */
static ALWAYS_INLINE void table_note_filled(Payload *array, uint32_t index) {
  uint32_t *border = &array_part(array)->border;
  if (UNLIKELY(index >= *border)) *border = index + 1;
}

/* The tag of a slot of the array that is about to be written, or NULL.  An empty
** slot can be filled only if there is no metatable that might have __newindex,
** and the table does not grow bit by bit. */
static ALWAYS_INLINE uint8_t *table_fast_slot(Table *t, Integer key) {
  Unsigned index = (Unsigned)key - 1;
  if (UNLIKELY(index >= t->array_size)) return NULL;
  uint8_t *tag = &table_tags(t)[index];
  if (UNLIKELY(*tag == TAG_NIL)) {
    if (t->metatable || t->cell.user & TABLE_SPECIAL) return NULL;
    table_note_filled(t->array, (uint32_t)index);
  }
  return tag;
}

static ALWAYS_INLINE bool table_fast_set_int(Table *t, Integer key,
                                             const Value *v) {
  uint8_t *tag = table_fast_slot(t, key), new_tag = v->tag;
  if (UNLIKELY(!tag)) return false;
  t->array[(Unsigned)key - 1] = v->as;
  *tag = new_tag;
  return true;
}

/* Fills slots of the array, without checking for a metatable.  The caller does
** the barriers for all of them. */
static ALWAYS_INLINE bool table_fast_set_list(Table *t, size_t first,
                                              const Value *v, size_t count) {
  if (UNLIKELY(first + count > t->array_size || t->cell.user & TABLE_SPECIAL))
    return false;
  Payload *slot = t->array + first;
  uint8_t *tag = table_tags(t) + first;
  for (const Value *end = v + count; v < end; v++) {
    uint8_t new_tag = v->tag;
    *slot++ = v->as;
    *tag++ = new_tag;
  }
  return true;
}

/* Overwrites a field that holds a value. */
static ALWAYS_INLINE bool table_fast_set_str(Table *t, const String *key,
                                             const Value *v) {
  Node *n = table_find_str(t, key);
  if (!n || n->value_tag == TAG_NIL) return false;
  node_set(n, v);
  return true;
}

/* -- Fast lengths ---------------------------------------------------------- */

/* The length, if it is the remembered border and that is not the end of the
** array.  Otherwise 0. */
static ALWAYS_INLINE uint32_t table_fast_length(const Table *t) {
  uint32_t size = t->array_size;
  if (UNLIKELY(size == 0 || t->cell.user & TABLE_SPECIAL)) return 0;
  const uint8_t *tags = table_tags(t);
  uint32_t border = array_part(t->array)->border;
  if (UNLIKELY(border - 1 >= size - 1)) return 0;
  bool right = (tags[border] == TAG_NIL) & (tags[border - 1] != TAG_NIL);
  return LIKELY(right) ? border : 0;
}

/* Fills the slot after that length, which is not 0.  There is no metatable. */
static ALWAYS_INLINE void table_fast_append(Table *t, uint32_t length,
                                            const Value *v) {
  Payload *array = t->array, as = v->as;
  uint8_t *tag = table_tags(t) + length;
  array_part(array)->border = length + 1;
  array[length] = as;
  *tag = v->tag;
}

/* -- Reading everything: never raises, never allocates --------------------- */

/* The node with that key in the hash, or NULL.  A value that is not nil is that
** of the entry.  Otherwise, call table_get_int_slow. */
const Node *table_find_int(const Table *t, Integer key);

/* Like table_find_int, for a key that is an object but no string.  If the
** result is NULL or its value is nil, call table_get. */
const Node *table_find_object(const Table *t, const Value *key);

/* Each stores the raw value, or nil if there is none, and returns true if it is
** not nil. */
bool table_get_int_slow(lua_State *L, Table *t, Integer key, Value *out);
bool table_get_str_slow(lua_State *L, Table *t, const String *key, Value *out);
bool table_get_float(lua_State *L, Table *t, Number key, Value *out);
bool table_get(lua_State *L, Table *t, const Value *key, Value *out);

static inline bool table_get_int(lua_State *L, Table *t, Integer key,
                                 Value *out) {
  if (table_fast_get_int(t, key, out)) return true;
  return table_get_int_slow(L, t, key, out);
}

/* `key` is a short string. */
static inline bool table_get_str(lua_State *L, Table *t, const String *key,
                                 Value *out) {
  if (table_fast_get_str(t, key, out)) return true;
  if (UNLIKELY(t->cell.user & TABLE_SPECIAL))
    return table_get_str_slow(L, t, key, out);
  out->tag = TAG_NIL;
  return false;
}

/* A border, as `#` without metamethods returns it. */
Unsigned table_length(lua_State *L, Table *t);

/* -- Writing everything: barrier included ---------------------------------- */

/* Raw assignments.  They raise if there is no memory; table_set also raises for
** a key that is nil or NaN.  `value` may be nil.  `key` and `value` must be
** anchored. */
void table_set(lua_State *L, Table *t, const Value *key, const Value *value);
void table_set_int(lua_State *L, Table *t, Integer key, const Value *value);
void table_set_str(lua_State *L, Table *t, String *key, const Value *value);

/* The node with that key in the hash, or NULL, for code that writes to it, or
** inserts the key if there is none.  Its value may be nil.  If it is not, the
** node can be written directly.  The second is for any key except a short
** string. */
typedef struct Found {
  Node *node;
  uint32_t place; /* where the chain of the key starts */
} Found;
Found table_find_int_to_write(Table *t, Integer key);
Found table_find_to_write(const lua_State *L, Table *t, const Value *key);

/* Like table_set_int and table_set, for a key for which table_find_int_to_write
** or table_find_to_write has returned this place and no node. */
void table_add_int(lua_State *L, Table *t, uint32_t place, Integer key,
                   const Value *value);
void table_add(lua_State *L, Table *t, uint32_t place, const Value *key,
               const Value *value);

/* Like table_add, for a short string for which table_find_str returns NULL.
** Returns the new node, or NULL if it cannot be found directly. */
Node *table_add_str(lua_State *L, Table *t, String *key, const Value *value);

/* Forgets which metamethods are absent; for code that itself writes to nodes
** whose value was nil. */
static ALWAYS_INLINE void table_forget_absent(Table *t) {
  t->cell.user &= (uint8_t)~TABLE_ABSENT_MASK;
}

/* -- Walking --------------------------------------------------------------- */

/* Replaces slot[0], a key, by the next key and slot[1] by its value.  False at
** the end.  Raises if slot[0] is not a key of the table. */
bool table_next(lua_State *L, Table *t, Value *slot);

/* Like table_next, by position, for loops that keep one.  The first position is
** 0.  The result is the position to continue from, 0 at the end.  Positions
** stay valid while fields are only cleared or overwritten. */
size_t table_next_at(lua_State *L, Table *t, size_t position, Value *slot);

/* For tools: the index of the array slot at that address, the meaning of __mode
** as GcWeakness, and how a table with that weakness holds a reference. */
size_t table_slot_index(const Table *t, const void *payload);
unsigned table_weakness_told(const Global *g, const Table *t);
void table_weigh(unsigned weakness, GcEdge *edge);

/* -- Life ------------------------------------------------------------------ */

/* An empty table, not anchored.  Raises if there is no memory. */
Table *table_new(lua_State *L);

/* An empty table, not anchored, intended for that many array slots and hash
** entries.  It has room for those that fit into its cell.  Once it is anchored,
** table_reserve makes room for the rest.  Raises if there is no memory. */
Table *table_new_for(lua_State *L, size_t array_slots, size_t hash_entries);

/* An empty table, not anchored, with `space` bytes after it for a part.  With
** `names` it has a hash of that size from the beginning, because the order of
** names does not matter.  The first key of another type gives the hash the size
** that it would have without `names`. */
Table *table_new_presized(lua_State *L, size_t space, bool names);

/* The number of nodes of that hash. */
size_t table_names_in_space(size_t space);

/* The space that would have been enough for the current hash, or for the array
** if there is no hash; 0 if that part is large.  Sets *names if it is a hash
** whose keys are all short strings. */
size_t table_space_used(const Table *t, bool *names);

/* Makes room for that many array slots and hash entries, and keeps the
** contents.  Raises if there is no memory, and then leaves the table
** unchanged. */
void table_resize(lua_State *L, Table *t, size_t array_slots,
                  size_t hash_entries);

/* Like table_resize, for a table from table_new_for that is still empty. */
static inline void table_reserve(lua_State *L, Table *t, size_t array_slots,
                                 size_t hash_entries) {
  if (array_slots > t->array_size || hash_entries > (size_t)t->hash->mask + 1)
    table_resize(L, t, array_slots, hash_entries);
}

/* Stores into `to`, a place that the collector must visit, a copy of a
** template: a table without metatable that holds only constants of a function.
** The cell of the copy has at least `space` bytes for a part, unless the
** template is large.  Raises if there is no memory. */
void table_new_copy(lua_State *L, Value *to, const Table *from, size_t space);

/* Stores the names of fields that `t`, which is small, has or had and the
** template does not have, up to `most`.  Returns their number. */
size_t table_names_beyond(const Table *t, const Table *template, String **name,
                          size_t most);

/* Keeps nodes of the template for these names, which it does not have, as far
** as nodes are free.  Copies will then have these names in the same places. */
void table_keep_names(lua_State *L, Table *template, String *const *name,
                      size_t count);

/* Gives the template `nodes` nodes if it has fewer, like a hash that was made
** for names. */
void table_widen(lua_State *L, Table *template, size_t nodes);

/* Sets the metatable of a table, with barrier.  Tells the collector about
** __gc. */
void table_set_metatable(lua_State *L, Table *t, Table *metatable);

/* Checks that the parts are as described in this file. */
void table_check(lua_State *L, Table *t);

#endif
