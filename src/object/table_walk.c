/* SPDX-License-Identifier: MIT */
/*
** table_walk.c -- next, length, and the check of a table
**
** A position in a walk counts the slots of the array and then the nodes.
**
** One step of a walk skips all empty slots.  In a table from which nearly all
** entries have been removed, one step can take time proportional to the table,
** as in every Lua.  A whole walk is linear in the size of the table all the
** same.  Remembering the first entry would take a word in each table and a test
** at each store.  A program that repeatedly removes the first entry should keep
** a list instead.
*/
#include "object/budget.h"
#include "object/table_impl.h"

/* -- Next ------------------------------------------------------------------ */

/* Whether a node has the key, or had it: an entry that was removed during the
** walk still has its key, or, if the collector has buried the key, its
** address. */
typedef enum Sought { SOUGHT_KEY, SOUGHT_BURIED } Sought;

static bool node_counts(const Node *n, const Value *key, Sought sought) {
  if (sought == SOUGHT_BURIED)
    return n->key_tag == TAG_DEAD_KEY && n->key.cell == key->as.cell;
  if (n->key_tag != key->tag) return false;
  if (key->tag == TAG_FALSE || key->tag == TAG_TRUE) return true;
  if (n->key.bits == key->as.bits) return true;
  return key->tag == TAG_LONG_STRING && n->value_tag != TAG_NIL &&
         string_equal((const String *)(void *)n->key.cell, value_string(key));
}

/* The place of a node with that key, or SIZE_MAX. */
static size_t place_of_key(lua_State *L, HashPart *h, const Value *key,
                           Sought sought) {
  budget_charge_key(L, key);
  const Node *n = hash_main_node(L, h, key);
  while (!node_counts(n, key, sought)) {
    if (n->next == 0) return SIZE_MAX;
    n += n->next;
  }
  return (size_t)(n - h->node);
}

/* The index of the key in a retired array, or SIZE_MAX. */
static size_t place_in_array(const RetiredPart *r, const Value *key) {
  Unsigned index = (Unsigned)key->as.i - 1;
  if (key->tag != TAG_INTEGER || index < r->cursor || index >= r->size)
    return SIZE_MAX;
  return (size_t)index;
}

/* The position after a key in a retired part, or 0. */
static size_t position_in_retired(lua_State *L, const TableParts *parts,
                                  const Value *key, Sought sought) {
  size_t base = parts->array_size + hash_size(parts->hash);
  for (RetiredPart *r = parts_retired(parts); r; r = r->older) {
    bool adopting = r->hash == parts->hash;
    size_t place = r->hash ? place_of_key(L, r->hash, key, sought)
                           : place_in_array(r, key);
    if (place != SIZE_MAX)
      return (adopting ? parts->array_size : base) + place + 1;
    if (!adopting) base += r->size;
  }
  return 0;
}

static size_t position_in_hash(lua_State *L, const TableParts *parts,
                               const Value *key, Sought sought) {
  size_t place = place_of_key(L, parts->hash, key, sought);
  return place == SIZE_MAX ? 0 : parts->array_size + place + 1;
}

/* The position after a key, or 0.  A float with an integral value is never a
** key that a walk returned, so it is not converted.  A key that is not buried
** has one node at most. */
static size_t position_of_key(lua_State *L, const TableParts *parts,
                              const Value *key) {
  size_t position = position_in_retired(L, parts, key, SOUGHT_KEY);
  if (position) return position;
  Unsigned index = (Unsigned)key->as.i - 1;
  if (key->tag == TAG_INTEGER && index < parts->array_size)
    return (size_t)index + 1;
  return position_in_hash(L, parts, key, SOUGHT_KEY);
}

/* Like position_of_key, for a buried key.  A key that was buried, inserted
** again and removed again has several nodes.  The walk continues from the
** newest one.  New keys go to the newest part, and there to the first removed
** node of their chain, so the search finds the newest node first. */
static size_t position_of_buried(lua_State *L, const TableParts *parts,
                                 const Value *key) {
  size_t position = position_in_hash(L, parts, key, SOUGHT_BURIED);
  return position ? position
                  : position_in_retired(L, parts, key, SOUGHT_BURIED);
}

/* The message has no position, as if `next` had been called, even if it was
** not. */
static _Noreturn void raise_invalid_key(lua_State *L) {
  String *message = string_from_c(L, "invalid key to 'next'");
  value_set_string(L->top, message);
  L->top++;
  raise_value(L);
}

static size_t position_after(lua_State *L, const TableParts *parts,
                             const Value *key) {
  if (key->tag == TAG_NIL) return 0;
  size_t position = position_of_key(L, parts, key);
  if (!position && tag_is_collectable(key->tag))
    position = position_of_buried(L, parts, key);
  if (!position) raise_invalid_key(L);
  return position;
}

/* Empty slots skipped for one charge to the budget. */
enum { PASS = 4096 };

/* The first slot from `i` on that is not nil, or `end`: eight at a time. */
static ALWAYS_INLINE size_t pass_slots(const uint8_t *tags, size_t i,
                                       size_t end) {
  static_assert(TAG_NIL == 0, "a word of nils is 0");
  for (; i + 8 <= end; i += 8) {
    uint64_t word;
    memcpy(&word, tags + i, sizeof word);
    if (word) break;
  }
  while (i < end && tags[i] == TAG_NIL) i++;
  return i;
}

/* The same for nodes. */
static ALWAYS_INLINE size_t pass_nodes(const Node *node, size_t i, size_t end) {
  while (i < end && node[i].value_tag == TAG_NIL) i++;
  return i;
}

static size_t next_in_array(lua_State *L, const TableParts *parts, bool detour,
                            size_t from, Value *slot) {
  const uint8_t *tags = parts_tags(parts);
  size_t size = parts->array_size;
  for (size_t i = from; i < size; i++) {
    size_t end = size_min(size, i - i % PASS + PASS);
    i = pass_slots(tags, i, end);
    if (UNLIKELY(i == end)) {
      if (i % PASS == 0) budget_spend(L, PASS);
      i--;
      continue;
    }
    if (detour && !detour_shows(gc_of(L), parts->array[i], tags[i])) continue;
    value_set_integer(&slot[0], (Integer)(i + 1));
    slot[1].as = parts->array[i];
    slot[1].tag = tags[i];
    return i + 1;
  }
  return 0;
}

static size_t next_in_hash(lua_State *L, const TableParts *parts, size_t nodes,
                           bool detour, size_t from, Value *slot) {
  for (size_t i = from; i < nodes; i++) {
    size_t end = size_min(nodes, i - i % PASS + PASS);
    i = pass_nodes(parts->hash->node, i, end);
    if (UNLIKELY(i == end)) {
      if (i % PASS == 0) budget_spend(L, PASS);
      i--;
      continue;
    }
    const Node *n = &parts->hash->node[i];
    if (detour && !detour_shows_node(gc_of(L), n)) continue;
    slot[0].as = n->key;
    slot[0].tag = n->key_tag;
    node_get(n, &slot[1]);
    return parts->array_size + i + 1;
  }
  return 0;
}

static size_t next_in_retired(lua_State *L, const TableParts *parts,
                              bool detour, size_t position, Value *slot) {
  size_t base = parts->array_size + hash_size(parts->hash);
  for (RetiredPart *r = parts_retired(parts); r; r = r->older) {
    if (r->hash == parts->hash) continue;
    size_t from = position > base ? position - base : 0;
    from = size_max(from, r->cursor);
    TableParts p = {r->array, r->hash, r->array ? r->size : 0};
    size_t next = r->array ? next_in_array(L, &p, detour, from, slot)
                           : next_in_hash(L, &p, r->size, detour, from, slot);
    if (next) return base + next;
    base += r->size;
  }
  return 0;
}

size_t table_next_at(lua_State *L, Table *t, size_t position, Value *slot) {
  TableParts parts = table_parts(t);
  bool detour = table_weak_detour(t) != NULL;
  if (position < parts.array_size) {
    size_t next = next_in_array(L, &parts, detour, position, slot);
    if (next) return next;
    position = parts.array_size;
  }
  size_t nodes = hash_size(parts.hash);
  if (position < parts.array_size + nodes) {
    size_t next = next_in_hash(L, &parts, nodes, detour,
                               position - parts.array_size, slot);
    if (next || !parts_retired(&parts)) return next;
    position = parts.array_size + nodes;
  }
  return next_in_retired(L, &parts, detour, position, slot);
}

/* Most keys are names, in tables that are not growing. */
static ALWAYS_INLINE const Node *node_of_name(const Table *t,
                                              const Value *key) {
  if (key->tag != TAG_SHORT_STRING || t->cell.user & TABLE_SPECIAL) return NULL;
  return table_find_str(t, value_string(key));
}

bool table_next(lua_State *L, Table *t, Value *slot) {
  TableParts parts = table_parts(t);
  const Node *n = node_of_name(t, slot);
  if (LIKELY(n))
    return next_in_hash(L, &parts, hash_size(parts.hash), false,
                        (size_t)(n - parts.hash->node) + 1, slot) != 0;
  return table_next_at(L, t, position_after(L, &parts, slot), slot) != 0;
}

/* -- Length ---------------------------------------------------------------- */

static bool has_int(lua_State *L, Table *t, Unsigned key) {
  Value out;
  return table_get_int(L, t, (Integer)key, &out);
}

/* A border between `there`, a key that exists (or 0), and `gone`, one that does
** not. */
static Unsigned search_border(lua_State *L, Table *t, Unsigned there,
                              Unsigned gone) {
  while (gone - there > 1) {
    Unsigned middle = there + (gone - there) / 2;
    if (has_int(L, t, middle))
      there = middle;
    else
      gone = middle;
  }
  return there;
}

/* `size` is the size of the array.  Key size + 1 exists, and so does key `size`
** unless it is 0.  Looks for a border above. */
static Unsigned search_upwards(lua_State *L, Table *t, Unsigned size) {
  Unsigned there = size ? size : 1;
  for (;;) {
    if (there > (Unsigned)INTEGER_MAX / 2) {
      if (has_int(L, t, INTEGER_MAX)) return INTEGER_MAX;
      return search_border(L, t, there, INTEGER_MAX);
    }
    Unsigned next = there * 2;
    if (!has_int(L, t, next)) return search_border(L, t, there, next);
    there = next;
  }
}

/* An array.  `tags` is NULL if the tags do not tell which slots are in use. */
typedef struct Slots {
  lua_State *L;
  Table *t;
  const uint8_t *tags;
  uint32_t *border;
  uint32_t size;
} Slots;

static ALWAYS_INLINE bool slots_have(const Slots *s, uint32_t key) {
  return LIKELY(s->tags != NULL) ? s->tags[key - 1] != TAG_NIL
                                 : has_int(s->L, s->t, key);
}

static ALWAYS_INLINE uint32_t slots_search(const Slots *s, uint32_t there,
                                           uint32_t gone) {
  while (gone - there > 1) {
    uint32_t middle = (there + gone) / 2;
    if (slots_have(s, middle))
      there = middle;
    else
      gone = middle;
  }
  return there;
}

/* As in PUC Lua 5.4: a border in the lower half is not remembered, and none in
** an array whose size is not a power of two. */
static ALWAYS_INLINE uint32_t slots_remember(const Slots *s, uint32_t border) {
  if (border > s->size / 2 && (s->size & (s->size - 1)) == 0)
    *s->border = border;
  return border;
}

/* A border within the array, or its size if the last slot is used.  If there
** are several borders, this is the one that 5.4 finds: next to the remembered
** border, or by a binary search that starts there. */
static ALWAYS_INLINE uint32_t slots_border(const Slots *s) {
  uint32_t b = *s->border;
  if (!slots_have(s, b)) {
    if (b >= 2 && slots_have(s, b - 1)) return slots_remember(s, b - 1);
    return slots_remember(s, slots_search(s, 0, b));
  }
  if (b == s->size || !slots_have(s, b + 1)) return b;
  if (slots_have(s, s->size)) return s->size;
  return slots_remember(s, slots_search(s, b, s->size));
}

/* For any table, also on a detour or with a hash. */
static NO_INLINE Unsigned length_slow(lua_State *L, Table *t) {
  enum { SEARCH_UNITS = 64 };
  bool direct = LIKELY(!(t->cell.user & TABLE_SPECIAL)) || detour_end(L, t);
  TableParts parts = table_parts(t);
  uint32_t size = parts.array_size;
  if (size > 0) {
    Slots s = {L, t, direct ? parts_tags(&parts) : NULL,
               &array_part(parts.array)->border, size};
    uint32_t border = slots_border(&s);
    if (border < size) return border;
  }
  if (hash_is_empty(t->hash)) return size;
  if (!has_int(L, t, (Unsigned)size + 1)) return size;
  budget_charge(L, SEARCH_UNITS);
  return search_upwards(L, t, size);
}

/* Most arrays have no hash beside them. */
Unsigned table_length(lua_State *L, Table *t) {
  if (UNLIKELY(!hash_is_empty(t->hash) || t->cell.user & TABLE_SPECIAL))
    return length_slow(L, t);
  if (t->array_size == 0) return 0;
  Slots s = {NULL, NULL, table_tags(t), &array_part(t->array)->border,
             t->array_size};
  return slots_border(&s);
}

/* -- Check ----------------------------------------------------------------- */

/* True if an integer key of the hash still has to move to the array. */
static bool key_is_adopted(const TableParts *parts, const Node *n) {
  for (const RetiredPart *r = parts_retired(parts); r; r = r->older)
    if (r->hash == parts->hash && n >= &r->hash->node[r->cursor]) return true;
  return false; /* not covered: the check fails */
}

static void check_key(const TableParts *parts, const Node *n) {
  Value key = {.as = n->key, .tag = n->key_tag};
  Value normal = key_normal(&key);
  REQUIRE(key.tag == normal.tag, "float %g is a key", key.as.n);
  REQUIRE(key.tag != TAG_INTEGER ||
              (Unsigned)key.as.i - 1 >= parts->array_size ||
              key_is_adopted(parts, n),
          "integer %lld in the hash, array of %u", key.as.i, parts->array_size);
}

static void check_node(lua_State *L, const TableParts *parts, size_t index) {
  const Node *n = &parts->hash->node[index];
  size_t nodes = hash_size(parts->hash);
  size_t next = (size_t)((ptrdiff_t)index + n->next);
  REQUIRE(next < nodes, "node %zu leads to %zu of %zu", index, next, nodes);
  if (n->key_tag == TAG_NIL) {
    REQUIRE(n->value_tag == TAG_NIL && n->next == 0, "node %zu", index);
    return;
  }
  REQUIRE(!hash_has_link(parts->hash) ||
              hash_used_groups(parts->hash)[index / HASH_GROUP],
          "the group of node %zu counts as unused", index);
  if (n->value_tag == TAG_NIL) return;
  Value key = {.as = n->key, .tag = n->key_tag};
  check_key(parts, n);
  REQUIRE(n->main_bits == (uint8_t)hash_main_place(L, parts->hash, &key),
          "bits of node %zu", index);
  REQUIRE(hash_find(L, parts->hash, &key) == n, "node %zu is not found", index);
  REQUIRE(table_locate(L, parts, &key).node == n, "node %zu is not meant",
          index);
}

typedef struct RetiredCheck {
  lua_State *L;
  const TableParts *parts;
} RetiredCheck;

/* Entries that have not moved are found in the retired part, and only there. */
static void check_retired(void *context, RetiredPart *r, size_t from,
                          size_t to) {
  const RetiredCheck *check = context;
  const uint8_t *tags = (const uint8_t *)(r->array + r->size);
  for (size_t i = from; i < to; i++) {
    Value key;
    if (r->array) {
      REQUIRE(i >= check->parts->array_size ||
                  parts_tags(check->parts)[i] == TAG_NIL,
              "slot %zu", i);
      if (tags[i] == TAG_NIL) continue;
      value_set_integer(&key, (Integer)i + 1);
    } else {
      const Node *n = &r->hash->node[i];
      if (n->value_tag == TAG_NIL) continue;
      key = (Value){.as = n->key, .tag = n->key_tag};
    }
    Slot slot = table_locate(check->L, check->parts, &key);
    const Payload *here = r->array ? &r->array[i] : &r->hash->node[i].value;
    REQUIRE(slot.value == here, "entry %zu of a retired part", i);
    Node *n = hash_find(check->L, check->parts->hash, &key);
    REQUIRE(!n || n->value_tag == TAG_NIL, "entry %zu is there twice", i);
  }
}

void table_check(lua_State *L, Table *t) {
  TableParts parts = table_parts(t);
  if (parts.array_size > 0) {
    ArrayPart *part = array_part(parts.array);
    REQUIRE(part->cell.kind == KIND_ARRAY_PART, "kind %d", part->cell.kind);
    size_t bytes = part_is_inside(t, part) ? heap_cell_size(t) - sizeof(Table)
                                           : heap_cell_size(part);
    REQUIRE(bytes >= array_bytes(parts.array_size), "%zu bytes for %u slots",
            bytes, parts.array_size);
    REQUIRE(part->border >= 1 && part->border <= parts.array_size,
            "border %u of %u", part->border, parts.array_size);
  }
  RetiredCheck check = {L, &parts};
  growth_each(&parts, 0, SIZE_MAX, check_retired, &check);
  REQUIRE(!(t->cell.user & TABLE_SPECIAL) ==
              !(table_weak_detour(t) || parts_retired(&parts)),
          "flag");
  size_t nodes = hash_size(parts.hash);
  if (nodes == 0) return;
  REQUIRE(parts.hash->cell.kind == KIND_HASH_PART, "hash");
  REQUIRE((nodes & (nodes - 1)) == 0, "%zu nodes", nodes);
  bool leaves = (parts.hash->cell.user & HASH_LEAVING) != 0;
  for (size_t i = 0; i < nodes; i++) {
    check_node(L, &parts, i);
    REQUIRE(leaves || i < parts.hash->free ||
                parts.hash->node[i].key_tag != TAG_NIL,
            "node %zu is free, but the search starts below", i);
  }
}
