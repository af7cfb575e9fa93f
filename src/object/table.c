/* SPDX-License-Identifier: MIT */
/*
** table.c -- finding, reading and writing entries
*/
#include "object/budget.h"
#include "object/number.h"
#include "object/table_place_impl.h"

const EmptyHash table_empty_hash = {{KIND_HASH_PART, BARRIER_DISARMED, 0, 0},
                                    0,
                                    0,
                                    0,
                                    {{0}, {0}, 0, TAG_NIL, TAG_NIL, 0, 0}};

/* -- Hashing --------------------------------------------------------------- */

/* By the number of nodes.  The first ones are not used: such parts follow PUC
** Lua. */
#define MODULUS(p) \
  { UINT64_MAX / (p), (p), UINT64_MAX % (p) + 1 }
const Modulus table_modulus[] = {
    MODULUS(3),         MODULUS(3),         MODULUS(3),
    MODULUS(3),         MODULUS(3),         MODULUS(3),
    MODULUS(107),       MODULUS(227),       MODULUS(491),
    MODULUS(947),       MODULUS(1979),      MODULUS(3947),
    MODULUS(7933),      MODULUS(15859),     MODULUS(31699),
    MODULUS(63541),     MODULUS(127139),    MODULUS(254213),
    MODULUS(508549),    MODULUS(1017077),   MODULUS(2034211),
    MODULUS(4068443),   MODULUS(8136899),   MODULUS(16273883),
    MODULUS(32547667),  MODULUS(65095523),  MODULUS(130191101),
    MODULUS(260382323), MODULUS(520764779), MODULUS(1041529523),
    MODULUS(2083059059)};
#undef MODULUS

_Atomic uint32_t table_secret = 0;

/* The secret is odd, so 0 means that there is none yet. */
void table_choose_secret(uint64_t seed) {
  uint32_t none = 0, secret = (uint32_t)(seed >> 16) | 1;
  atomic_compare_exchange_strong(&table_secret, &none, secret);
}

static uint32_t key_hash(const lua_State *L, const Value *key) {
  switch (key->tag) {
    case TAG_LONG_STRING: return string_hash(L, value_string(key));
    case TAG_FALSE: return 0;
    case TAG_TRUE: return 1;
    default: return table_hash_word(key->as.bits);
  }
}

uint32_t hash_main_place(const lua_State *L, const HashPart *h,
                         const Value *key) {
  switch (key->tag) {
    case TAG_INTEGER: return main_place_of_int(key->as.i, h);
    case TAG_SHORT_STRING:
      return table_place_of_str(value_string(key), h->mask);
    case TAG_FLOAT: return main_place_of_float(key->as.n, key->as.bits, h);
    default: break;
  }
  if (key_is_object(key))
    return main_place_of_word((uintptr_t)key->as.cell / GRANULE, h->mask);
  return key_hash(L, key) & h->mask;
}

/* -- Finding nodes --------------------------------------------------------- */

static ALWAYS_INLINE Node *hash_find_int_from(const HashPart *h, uint32_t place,
                                              Integer key) {
  const Node *n = &h->node[place];
  for (;;) {
    if (n->key.i == key && n->key_tag == TAG_INTEGER) return (Node *)n;
    if (n->next == 0) return NULL;
    n += n->next;
  }
}

static ALWAYS_INLINE Node *hash_find_int(const HashPart *h, Integer key) {
  return hash_find_int_from(h, main_place_of_int(key, h), key);
}

static ALWAYS_INLINE Node *hash_find_short_from(const HashPart *h,
                                                uint32_t place,
                                                const String *key) {
  const Node *n = &h->node[place];
  for (;;) {
    if (node_has_str(n, key)) return (Node *)n;
    if (n->next == 0) return NULL;
    n += n->next;
  }
}

static Node *hash_find_short(const HashPart *h, const String *key) {
  return hash_find_short_from(h, table_place_of_str(key, h->mask), key);
}

static ALWAYS_INLINE Node *hash_find_bits_from(const HashPart *h,
                                               uint32_t place,
                                               const Value *key) {
  const Node *n = &h->node[place];
  for (;;) {
    if (n->key.bits == key->as.bits && n->key_tag == key->tag) return (Node *)n;
    if (n->next == 0) return NULL;
    n += n->next;
  }
}

static ALWAYS_INLINE Node *hash_find_object(const HashPart *h,
                                            const Value *key) {
  uint64_t word = (uintptr_t)key->as.cell / GRANULE;
  return hash_find_bits_from(h, main_place_of_word(word, h->mask), key);
}

static bool node_has_key(const Node *n, const Value *key) {
  if (n->key_tag != key->tag) return false;
  if (key->tag == TAG_FALSE || key->tag == TAG_TRUE) return true;
  if (n->key.bits == key->as.bits) return true;
  return key->tag == TAG_LONG_STRING &&
         string_equal_long((const String *)(void *)n->key.cell,
                           value_string(key));
}

Node *hash_find_from(const HashPart *h, uint32_t place, const Value *key) {
  const Node *n = &h->node[place];
  for (;;) {
    if (node_has_key(n, key)) return (Node *)n;
    if (n->next == 0) return NULL;
    n += n->next;
  }
}

Node *hash_find(const lua_State *L, const HashPart *h, const Value *key) {
  budget_charge_key(L, key);
  return hash_find_from(h, hash_main_place(L, h, key), key);
}

/* Many nodes in a row are used: look for a free one in other places. */
static Node *hash_probe_free(HashPart *h) {
  enum { PROBES = 64 };
  for (uint32_t i = 0; i < PROBES; i++) {
    uint32_t place = table_hash_word(h->free * (uint64_t)PROBES + i) & h->mask;
    Node *n = &h->node[place];
    node_touch(n);
    if (n->key_tag != TAG_NIL) continue;
    hash_note_used(h, place);
    return n;
  }
  return NULL;
}

/* Searches from the end.  The main positions of a new part fill up evenly, so
** one end is as good as the other. */
static Node *hash_take_free(HashPart *h) {
  enum { SEARCH = PENUMBRA_STRESS ? 32 : 512 };
  uint32_t last = 0;
  if (hash_has_link(h) && h->free > SEARCH) last = h->free - SEARCH;
  while (h->free > last) {
    Node *n = &h->node[--h->free];
    node_touch(n);
    if (n->key_tag != TAG_NIL) continue;
    hash_note_used(h, h->free);
    return n;
  }
  return last > 0 ? hash_probe_free(h) : NULL;
}

/* A removed entry of the chain, or NULL. */
static Node *hash_take_removed(HashPart *h, uint32_t place, const Value *key) {
  Node *n = &h->node[place];
  for (int length = 1;; n += n->next, length++) {
    if (n->value_tag == TAG_NIL) return hash_use(n, place, key);
    if (n->next == 0) {
      if (UNLIKELY(length > TABLE_LONG_CHAIN)) h->cell.user |= HASH_TANGLED;
      return NULL;
    }
  }
}

Node *hash_take_main(const lua_State *L, HashPart *h, const Value *key) {
  uint32_t place = hash_main_place(L, h, key);
  Node *n = &h->node[place];
  if (n->key_tag != TAG_NIL) return NULL;
  if (h->mask < TABLE_PUC_NODES) h->cell.user |= HASH_MIXED;
  hash_note_used(h, place);
  return hash_use(n, place, key);
}

/* Inserts a node as the second of the chain. */
static Node *hash_chain(HashPart *h, uint32_t place, Node *n,
                        const Value *key) {
  Node *main = &h->node[place];
  n->next = main->next ? (int32_t)(main + main->next - n) : 0;
  main->next = (int32_t)(n - main);
  return hash_use(n, place, key);
}

Node *hash_take_other(HashPart *h, uint32_t place, const Value *key) {
  Node *n = hash_take_removed(h, place, key);
  if (n) return n;
  n = hash_take_free(h);
  return n ? hash_chain(h, place, n, key) : NULL;
}

Node *hash_take_still(HashPart *h, uint32_t place, const Value *key) {
  return hash_is_empty(h) ? NULL : hash_take_quickly(h, place, key);
}

/* Moves the entry to the free node `to`, and leaves its own node free.  All
** keys of its chain have the same main position, so they have the same
** main_bits. */
static void node_move(HashPart *h, Node *n, Node *to) {
  Node *before = &h->node[n->main_bits];
  while (before + before->next != n) before += before->next;
  before->next = (int32_t)(to - before);
  *to = *n;
  if (n->next) to->next += (int32_t)(n - to);
  n->next = 0;
}

Node *hash_take(HashPart *h, uint32_t place, const Value *key) {
  if (!hash_is_puc_layout(h)) return hash_take_still(h, place, key);
  Node *main = &h->node[place];
  if (hash_is_empty(h)) return NULL;
  if (main->value_tag == TAG_NIL) return hash_use(main, place, key);
  Node *n = hash_take_free(h);
  if (!n) return NULL;
  if (main->main_bits == place) return hash_chain(h, place, n, key);
  node_move(h, main, n);
  return hash_use(main, place, key);
}

/* -- Reading --------------------------------------------------------------- */

static bool get_nil(Value *out) {
  out->tag = TAG_NIL;
  return false;
}

static bool get_node(const Node *n, Value *out) {
  if (!n || n->value_tag == TAG_NIL) return get_nil(out);
  node_get(n, out);
  return true;
}

/* While the collector marks, all entries of a weak table are visible.  A
** program that allocates little can stay in that phase for long.  So if the
** table does not grow either, returns true and its real parts, which can be
** read directly. */
static ALWAYS_INLINE bool parts_in_sight(const lua_State *L, const Table *t,
                                         TableParts *parts) {
  const DetourPart *d = table_weak_detour(t);
  GcPhase phase = gc_of(L)->phase;
  if (!d || (phase != PHASE_MARK && phase != PHASE_AGAIN)) return false;
  *parts = (TableParts){d->array, d->hash, d->array_size};
  return !parts_retired(parts);
}

/* Reads a normal key from a table with TABLE_SPECIAL. */
static bool get_special(lua_State *L, Table *t, const Value *key, Value *out) {
  if (detour_end(L, t)) return table_get(L, t, key, out);
  TableParts parts = table_parts(t);
  Slot slot = table_locate(L, &parts, key);
  if (!slot.value || *slot.tag == TAG_NIL) return get_nil(out);
  if (table_weak_detour(t) && !detour_shows_slot(gc_of(L), &slot))
    return get_nil(out);
  out->as = *slot.value;
  out->tag = *slot.tag;
  if (!slot.node) growth_step_read(L, t);
  return true;
}

const Node *table_find_int(const Table *t, Integer key) {
  return hash_find_int(t->hash, key);
}

const Node *table_find_object(const Table *t, const Value *key) {
  return hash_find_object(t->hash, key);
}

/* Reads from parts found by parts_in_sight. */
static bool get_int(const TableParts *parts, Integer key, Value *out) {
  Unsigned index = (Unsigned)key - 1;
  if (index >= parts->array_size)
    return get_node(hash_find_int(parts->hash, key), out);
  out->as = parts->array[index];
  out->tag = parts_tags(parts)[index];
  return out->tag != TAG_NIL;
}

bool table_get_int_slow(lua_State *L, Table *t, Integer key, Value *out) {
  TableParts parts;
  if (LIKELY((Unsigned)key - 1 >= t->array_size)) {
    const Node *n = hash_find_int(t->hash, key);
    if (n && n->value_tag != TAG_NIL) {
      node_get(n, out);
      return true;
    }
    if (LIKELY(!(t->cell.user & TABLE_SPECIAL))) return get_nil(out);
  }
  if (UNLIKELY(t->cell.user & TABLE_SPECIAL)) {
    if (parts_in_sight(L, t, &parts)) return get_int(&parts, key, out);
    Value k;
    value_set_integer(&k, key);
    return get_special(L, t, &k, out);
  }
  table_note_filled(t->array, (uint32_t)key - 1);
  return get_nil(out);
}

bool table_get_str_slow(lua_State *L, Table *t, const String *key, Value *out) {
  TableParts parts;
  if (parts_in_sight(L, t, &parts))
    return get_node(hash_find_short(parts.hash, key), out);
  Value k;
  value_set_string(&k, key);
  return get_special(L, t, &k, out);
}

static bool get_generic(lua_State *L, Table *t, const Value *key, Value *out) {
  TableParts parts = {NULL, t->hash, 0};
  if (UNLIKELY(t->cell.user & TABLE_SPECIAL) && !parts_in_sight(L, t, &parts))
    return get_special(L, t, key, out);
  if (LIKELY(key_is_object(key)))
    return get_node(hash_find_object(parts.hash, key), out);
  return get_node(hash_find(L, parts.hash, key), out);
}

bool table_get_float(lua_State *L, Table *t, Number key, Value *out) {
  Integer i;
  Value k;
  if (float_is_integer(key, &i)) return table_get_int(L, t, i, out);
  value_set_float(&k, key);
  uint32_t place = main_place_of_float(key, k.as.bits, t->hash);
  const Node *n = hash_find_bits_from(t->hash, place, &k);
  if (n && n->value_tag != TAG_NIL) {
    node_get(n, out);
    return true;
  }
  if (LIKELY(!(t->cell.user & TABLE_SPECIAL))) return get_nil(out);
  return get_generic(L, t, &k, out);
}

bool table_get(lua_State *L, Table *t, const Value *key, Value *out) {
  switch (key->tag) {
    case TAG_SHORT_STRING: return table_get_str(L, t, value_string(key), out);
    case TAG_INTEGER: return table_get_int(L, t, key->as.i, out);
    case TAG_NIL: return get_nil(out);
    case TAG_FLOAT: return table_get_float(L, t, key->as.n, out);
    default: return get_generic(L, t, key, out);
  }
}

/* -- Writing --------------------------------------------------------------- */

static void barrier(lua_State *L, Table *t, const Value *v) {
  gc_barrier_back(gc_of(L), &t->cell, value_cell_or_null(v));
}

/* Fills a node that was taken for that key. */
static ALWAYS_INLINE void set_taken(lua_State *L, Table *t, Node *n,
                                    const Value *key, const Value *value) {
  node_set(n, value);
  table_forget_absent(t);
  barrier(L, t, key);
  barrier(L, t, value);
  if (UNLIKELY(hash_has_link(t->hash))) gc_part_filled(gc_of(L), NODE_FILLED);
}

/* Adds an entry that does not exist.  Its chain starts at that place. */
static void set_new(lua_State *L, Table *t, uint32_t place, const Value *key,
                    const Value *value) {
  if (value->tag == TAG_NIL) return;
  if (UNLIKELY(t->hash->cell.user & HASH_FORESEEN) &&
      key->tag != TAG_SHORT_STRING) {
    table_unforesee(L, t);
    place = hash_main_place(L, t->hash, key);
  }
  Node *n = hash_take(t->hash, place, key);
  if (UNLIKELY(!n)) {
    table_grow_for(L, t, key);
    table_set(L, t, key, value);
    return;
  }
  set_taken(L, t, n, key, value);
  if (UNLIKELY(hash_is_tangled(t->hash))) table_grow_for(L, t, key);
}

static void set_node(lua_State *L, Table *t, Node *n, const Value *value) {
  node_set(n, value);
  table_forget_absent(t);
  barrier(L, t, value);
}

/* Takes a node for a new key, in a table with TABLE_SPECIAL.  NULL if the table
** had to grow first; then the caller starts again. */
static Node *take_special(lua_State *L, Table *t, uint32_t place,
                          const Value *key) {
  TableParts parts = table_parts(t);
  if (!table_weak_detour(t) && key->tag == TAG_INTEGER &&
      (Unsigned)key->as.i - 1 == parts.array_size && table_grow_array(L, t))
    return NULL;
  Node *n = hash_take_still(parts.hash, place, key);
  if (!n) table_grow_for(L, t, key);
  return n;
}

/* Writes to a table with TABLE_SPECIAL. */
static void set_special(lua_State *L, Table *t, const Value *key,
                        const Value *value) {
  TableParts parts = table_parts(t);
  uint32_t place;
  Slot slot = table_locate_to_write(L, &parts, key, &place);
  bool fresh = value->tag != TAG_NIL && (!slot.value || *slot.tag == TAG_NIL);
  if (!slot.value) {
    if (!fresh) return;
    Node *n = take_special(L, t, place, key);
    if (!n) {
      table_set(L, t, key, value);
      return;
    }
    slot = (Slot){&n->value, &n->value_tag, n};
  }
  *slot.value = value->as;
  *slot.tag = value->tag;
  table_forget_absent(t);
  if (slot.node)
    barrier(L, t, key);
  else if ((Unsigned)key->as.i - 1 < parts.array_size)
    table_note_filled(parts.array, (uint32_t)key->as.i - 1);
  barrier(L, t, value);
  if (!fresh) return;
  growth_step(L, t);
  if (UNLIKELY(hash_is_tangled(table_parts(t).hash))) table_grow_for(L, t, key);
}

/* True if the table has TABLE_SPECIAL; the entry is set then. */
static bool set_if_special(lua_State *L, Table *t, const Value *key,
                           const Value *value) {
  if (LIKELY(!(t->cell.user & TABLE_SPECIAL))) return false;
  if (detour_end(L, t)) return false;
  set_special(L, t, key, value);
  return true;
}

/* Most integer keys are the next ones of a progression.  In a huge hash the
** place of the following key is probably not in the cache. */
static ALWAYS_INLINE void prefetch_following(HashPart *h, Integer key) {
  if (LIKELY(h->mask < TABLE_HUGE)) return;
  Unsigned *last = hash_last_int(h);
  Unsigned next = 2 * (Unsigned)key - *last;
  *last = (Unsigned)key;
  PREFETCH_WRITE(&h->node[main_place_of_int((Integer)next, h)]);
}

/* Appends to a full array, in a table without a hash. */
static ALWAYS_INLINE bool append_int(lua_State *L, Table *t, Unsigned index,
                                     const Value *value) {
  if (index != t->array_size || !hash_is_empty(t->hash) ||
      t->cell.user & TABLE_SPECIAL || value->tag == TAG_NIL ||
      !table_grow_array(L, t))
    return false;
  if (UNLIKELY(t->cell.user & TABLE_SPECIAL)) {
    table_set_int(L, t, (Integer)index + 1, value);
    return true;
  }
  t->array[index] = value->as;
  table_tags(t)[index] = value->tag;
  table_note_filled(t->array, (uint32_t)index);
  barrier(L, t, value);
  return true;
}

/* The key is not in use.  `n` is its node, or NULL; its chain starts at that
** place, unless the table has TABLE_SPECIAL. */
static NO_INLINE void add_int(lua_State *L, Table *t, uint32_t place, Node *n,
                              Integer key, const Value *value) {
  Value k;
  value_set_integer(&k, key);
  prefetch_following(t->hash, key);
  if (UNLIKELY(t->cell.user & TABLE_SPECIAL)) {
    if (!set_if_special(L, t, &k, value)) table_set_int(L, t, key, value);
  } else if (n) {
    set_node(L, t, n, value);
  } else if (!append_int(L, t, (Unsigned)key - 1, value)) {
    set_new(L, t, place, &k, value);
  }
}

/* A slot without a value, in the array of a table with TABLE_SPECIAL. */
static NO_INLINE void fill_special(lua_State *L, Table *t, Integer key,
                                   const Value *value) {
  Value k;
  value_set_integer(&k, key);
  if (!set_if_special(L, t, &k, value)) table_set_int(L, t, key, value);
}

/* Where the chain starts.  The node is about to be written. */
static ALWAYS_INLINE uint32_t int_place_to_write(HashPart *h, Integer key) {
  uint32_t place = main_place_of_int(key, h);
  if (hash_has_link(h)) node_touch(&h->node[place]);
  return place;
}

Found table_find_int_to_write(Table *t, Integer key) {
  HashPart *h = t->hash;
  if (hash_is_empty(h)) return (Found){NULL, 0};
  uint32_t place = int_place_to_write(h, key);
  return (Found){hash_find_int_from(h, place, key), place};
}

Found table_find_to_write(const lua_State *L, Table *t, const Value *key) {
  HashPart *h = t->hash;
  Integer i;
  if (LIKELY(key_is_object(key))) {
    uint32_t place = hash_place(L, h, key);
    if (hash_has_link(h)) node_touch(&h->node[place]);
    return (Found){hash_find_bits_from(h, place, key), place};
  }
  if (key->tag == TAG_FLOAT && float_is_integer(key->as.n, &i))
    return table_find_int_to_write(t, i);
  if (UNLIKELY(key->tag == TAG_NIL))
    return (Found){NULL, 0}; /* matches free nodes */
  budget_charge_key(L, key);
  uint32_t place = hash_main_place(L, h, key);
  if (hash_has_link(h)) node_touch(&h->node[place]);
  Node *n = key->tag == TAG_FLOAT ? hash_find_bits_from(h, place, key)
                                  : hash_find_from(h, place, key);
  return (Found){n, place};
}

void table_add_int(lua_State *L, Table *t, uint32_t place, Integer key,
                   const Value *value) {
  Unsigned index = (Unsigned)key - 1;
  if (LIKELY(index >= t->array_size))
    add_int(L, t, place, NULL, key, value);
  else
    table_set_int(L, t, key, value);
}

void table_set_int(lua_State *L, Table *t, Integer key, const Value *value) {
  Unsigned index = (Unsigned)key - 1;
  if (LIKELY(index >= t->array_size)) {
    HashPart *h = t->hash;
    uint32_t place = int_place_to_write(h, key);
    Node *n = hash_find_int_from(h, place, key);
    if (LIKELY(n && n->value_tag != TAG_NIL)) {
      node_set(n, value);
      barrier(L, t, value);
    } else {
      add_int(L, t, place, n, key, value);
    }
  } else if (LIKELY(!(t->cell.user & TABLE_SPECIAL) ||
                    table_tags(t)[index] != TAG_NIL)) {
    t->array[index] = value->as;
    table_tags(t)[index] = value->tag;
    table_note_filled(t->array, (uint32_t)index);
    barrier(L, t, value);
  } else {
    fill_special(L, t, key, value);
  }
}

void table_set_str(lua_State *L, Table *t, String *key, const Value *value) {
  Value k;
  value_set_string(&k, key);
  budget_charge_key(L, &k);
  if (set_if_special(L, t, &k, value)) return;
  uint32_t place = hash_main_place(L, t->hash, &k);
  Node *n = string_is_short(key) ? hash_find_short_from(t->hash, place, key)
                                 : hash_find_from(t->hash, place, &k);
  if (n)
    set_node(L, t, n, value);
  else
    set_new(L, t, place, &k, value);
}

Node *table_add_str(lua_State *L, Table *t, String *key, const Value *value) {
  Value k;
  value_set_cell(&k, key, TAG_SHORT_STRING);
  Node *n = NULL;
  if (LIKELY(!(t->cell.user & TABLE_SPECIAL) && value->tag != TAG_NIL))
    n = hash_take(t->hash, table_place_of_str(key, t->hash->mask), &k);
  if (LIKELY(n != NULL)) {
    set_taken(L, t, n, &k, value);
    return n;
  }
  table_set_str(L, t, key, value);
  return table_find_str(t, key);
}

static void set_generic(lua_State *L, Table *t, const Value *key,
                        const Value *value) {
  budget_charge_key(L, key);
  if (set_if_special(L, t, key, value)) return;
  uint32_t place = hash_main_place(L, t->hash, key);
  if (hash_has_link(t->hash)) node_touch(&t->hash->node[place]);
  Node *n = LIKELY(key_is_object(key))
                ? hash_find_bits_from(t->hash, place, key)
                : hash_find_from(t->hash, place, key);
  if (n)
    set_node(L, t, n, value);
  else
    set_new(L, t, place, key, value);
}

void table_set(lua_State *L, Table *t, const Value *key, const Value *value) {
  if (key->tag == TAG_INTEGER) {
    table_set_int(L, t, key->as.i, value);
    return;
  }
  if (key_is_object(key)) {
    set_generic(L, t, key, value);
    return;
  }
  Value k = key_normal(key);
  switch (k.tag) {
    case TAG_SHORT_STRING: table_set_str(L, t, value_string(&k), value); break;
    case TAG_INTEGER: table_set_int(L, t, k.as.i, value); break;
    case TAG_NIL: raise_error(L, "table index is nil");
    case TAG_FLOAT:
      if (isnan(k.as.n)) raise_error(L, "table index is NaN");
      set_generic(L, t, &k, value);
      break;
    default: set_generic(L, t, &k, value); break;
  }
}

void table_add(lua_State *L, Table *t, uint32_t place, const Value *key,
               const Value *value) {
  if (LIKELY(key_is_object(key) && !(t->cell.user & TABLE_SPECIAL)))
    set_new(L, t, place, key, value);
  else
    table_set(L, t, key, value);
}

/* -- Life ------------------------------------------------------------------ */

Table *table_new(lua_State *L) { return table_with_part(L, 0); }

void table_set_metatable(lua_State *L, Table *t, Table *metatable) {
  t->metatable = metatable;
  if (!metatable) return;
  gc_barrier_forward(gc_of(L), &t->cell, &metatable->cell);
  object_check_finalizer(L, &t->cell, metatable);
}
