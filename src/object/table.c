/* SPDX-License-Identifier: MIT */
/*
** table.c -- finding, reading and writing entries
*/
#include "object/table_impl.h"

#include "object/number.h"

const EmptyHash table_empty_hash = {{KIND_HASH_PART, GRAY_UNWATCHED, 0, 0},
                                    0,
                                    0,
                                    0,
                                    {{0}, {0}, 0, TAG_NIL, TAG_NIL, 0, 0}};

/* -- Hashing --------------------------------------------------------------- */

/* True if the order of keys is that of PUC Lua 5.4, which programs can see. */
static ALWAYS_INLINE bool mask_is_as_lua(uint32_t mask) {
  return mask < TABLE_AS_LUA;
}

static ALWAYS_INLINE uint32_t place_as_lua(uint64_t word, uint32_t mask) {
  if (LIKELY(word < mask)) return (uint32_t)word;
  uint32_t divisor = mask | 1;
  if (LIKELY(word <= UINT32_MAX)) return (uint32_t)word % divisor;
  return (uint32_t)(word % divisor);
}

static ALWAYS_INLINE uint32_t main_place_of_word(uint64_t word, uint32_t mask) {
  if (LIKELY(mask < TABLE_FITS_CACHE)) return table_hash_word(word) & mask;
  return table_place_in_order(word, mask);
}

/* Numbers lie in order in all parts that do not follow PUC Lua.  The common
** case are numbers in an arithmetic progression: indices, multiples, fields of
** a matrix.  Modulo a prime, as many of them as there are nodes have distinct
** places, for any stride.  When a queue or a window moves on, the next key
** finds the node of a removed one.  No power of two, nor a neighbour of one up
** to 2^50, is a multiple of these primes.
**
** A stride that is a multiple of the prime puts all keys into one chain.  When
** a chain has become long, the part is replaced by a scattered one, which
** hashes numbers. */
static const uint32_t
    modulus[] = {1,         3,         7,         15,         31,
                 63, /* not used: parts that follow PUC Lua */
                 107,       227,       491,       947,        1979,
                 3947,      7933,      15859,     31699,      63541,
                 127139,    254213,    508549,    1017077,    2034211,
                 4068443,   8136899,   16273883,  32547667,   65095523,
                 130191101, 260382323, 520764779, 1041529523, 2083059059};

static ALWAYS_INLINE uint32_t place_of_number(uint64_t number,
                                              const HashPart *h) {
  if (UNLIKELY(h->cell.user & HASH_SCATTERED))
    return table_hash_word(number) & h->mask;
  uint32_t prime = modulus[bits_highest(h->mask)];
  if (LIKELY(number <= UINT32_MAX)) return (uint32_t)number % prime;
  if (~number <= UINT32_MAX) /* negative: continues the progression */
    return prime - 1 - (uint32_t)~number % prime;
  return (uint32_t)(number % prime);
}

static ALWAYS_INLINE uint32_t main_place_of_int(lua_Integer key,
                                                const HashPart *h) {
  if (LIKELY(mask_is_as_lua(h->mask)))
    return place_as_lua((uint64_t)key, h->mask);
  return place_of_number((uint64_t)key, h);
}

/* The integer that 5.4 hashes instead of a float: the sum of 31 bits of its
** mantissa and its exponent. */
static uint32_t float_as_lua(lua_Number n) {
  int exponent;
  lua_Number mantissa = frexp(n, &exponent) * 0x1p31;
  if (!(fabs(mantissa) <= 0x1p31)) return 0;
  uint32_t sum = (uint32_t)exponent + (uint32_t)(int64_t)mantissa;
  return sum <= INT32_MAX ? sum : ~sum;
}

/* Numbers with the same fraction lie in order. */
static uint32_t main_place_of_float(lua_Number n, uint64_t bits,
                                    const HashPart *h) {
  if (mask_is_as_lua(h->mask)) return place_as_lua(float_as_lua(n), h->mask);
  if (!(fabs(n) < 0x1p53) || h->cell.user & HASH_SCATTERED)
    return table_hash_word(bits) & h->mask;
  int64_t whole = (int64_t)n;
  lua_Number fraction = n - (lua_Number)whole;
  memcpy(&bits, &fraction, sizeof bits);
  return (place_of_number((uint64_t)whole, h) + table_hash_word(bits)) &
         h->mask;
}

static uint32_t key_hash(const lua_State *L, const Value *key) {
  switch (key->tag) {
    case TAG_LONG_STRING: return string_hash(L, value_string(key));
    case TAG_FALSE: return 0;
    case TAG_TRUE: return 1;
    default: return table_hash_word(key->as.bits);
  }
}

/* True for an object, whose hash depends on its address alone. */
static ALWAYS_INLINE bool key_is_object(const Value *key) {
  return tag_is_collectable(key->tag) && !tag_is_string(key->tag);
}

uint32_t hash_main_place(const lua_State *L, const HashPart *h,
                         const Value *key) {
  if (key->tag == TAG_INTEGER) return main_place_of_int(key->as.i, h);
  if (key->tag == TAG_SHORT_STRING)
    return table_place_of_str(value_string(key), h->mask);
  if (key_is_object(key))
    return main_place_of_word((uintptr_t)key->as.cell / GRANULE, h->mask);
  if (key->tag == TAG_FLOAT)
    return main_place_of_float(key->as.n, key->as.bits, h);
  return key_hash(L, key) & h->mask;
}

/* -- Finding nodes --------------------------------------------------------- */

static ALWAYS_INLINE Node *hash_find_int(const HashPart *h, lua_Integer key) {
  const Node *n = &h->node[main_place_of_int(key, h)];
  for (;;) {
    if (n->key.i == key && n->key_tag == TAG_INTEGER) return (Node *)n;
    if (n->next == 0) return NULL;
    n += n->next;
  }
}

static ALWAYS_INLINE Node *hash_find_int_to_write(HashPart *h,
                                                  lua_Integer key) {
  Node *n = &h->node[main_place_of_int(key, h)];
  if (hash_has_link(h)) node_touch(n);
  for (;;) {
    if (n->key.i == key && n->key_tag == TAG_INTEGER) return n;
    if (n->next == 0) return NULL;
    n += n->next;
  }
}

static Node *hash_find_short(const HashPart *h, const String *key) {
  const Node *n = &h->node[table_place_of_str(key, h->mask)];
  for (;;) {
    if (node_has_str(n, key)) return (Node *)n;
    if (n->next == 0) return NULL;
    n += n->next;
  }
}

static ALWAYS_INLINE Node *hash_find_object(const HashPart *h,
                                            const Value *key) {
  uint64_t word = (uintptr_t)key->as.cell / GRANULE;
  const Node *n = &h->node[main_place_of_word(word, h->mask)];
  for (;;) {
    if (n->key.bits == key->as.bits && n->key_tag == key->tag) return (Node *)n;
    if (n->next == 0) return NULL;
    n += n->next;
  }
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
  return hash_find_from(h, hash_main_place(L, h, key), key);
}

static Node *hash_use(Node *n, uint32_t place, const Value *key) {
  n->key = key->as;
  n->key_tag = key->tag;
  n->main_bits = (uint8_t)place;
  n->value_tag = TAG_NIL;
  return n;
}

/* Many nodes in a row are used: look for a free one in other places. */
static Node *hash_probe_free(HashPart *h) {
  enum { PROBES = 64 };
  for (uint32_t i = 0; i < PROBES; i++) {
    uint32_t place = table_hash_word(h->free * (uint64_t)PROBES + i);
    Node *n = &h->node[place & h->mask];
    node_touch(n);
    if (n->key_tag == TAG_NIL) return n;
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
    if (n->key_tag == TAG_NIL) return n;
  }
  return last > 0 ? hash_probe_free(h) : NULL;
}

Node *hash_take_here(HashPart *h, uint32_t place, const Value *key) {
  Node *n = &h->node[place];
  if (n->key_tag == TAG_NIL) return hash_use(n, place, key);
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
  if (h->mask < TABLE_AS_LUA) h->cell.user |= HASH_MIXED;
  return hash_use(n, place, key);
}

Node *hash_chain(HashPart *h, uint32_t place, Node *n, const Value *key) {
  Node *main = &h->node[place];
  n->next = main->next ? (int32_t)(main + main->next - n) : 0;
  main->next = (int32_t)(n - main);
  return hash_use(n, place, key);
}

Node *hash_take_still(const lua_State *L, HashPart *h, const Value *key) {
  if (hash_is_empty(h)) return NULL;
  uint32_t place = hash_main_place(L, h, key);
  node_touch(&h->node[place]);
  if (h->mask < TABLE_AS_LUA) h->cell.user |= HASH_MIXED;
  Node *n = hash_take_here(h, place, key);
  if (n) return n;
  n = hash_take_free(h);
  return n ? hash_chain(h, place, n, key) : NULL;
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

Node *hash_take(const lua_State *L, HashPart *h, const Value *key) {
  if (!hash_is_as_lua(h)) return hash_take_still(L, h, key);
  uint32_t place = hash_main_place(L, h, key);
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

/* Reads from parts found by parts_in_sight. */
static bool get_int(const TableParts *parts, lua_Integer key, Value *out) {
  lua_Unsigned index = (lua_Unsigned)key - 1;
  if (index >= parts->array_size)
    return get_node(hash_find_int(parts->hash, key), out);
  out->as = parts->array[index];
  out->tag = parts_tags(parts)[index];
  return out->tag != TAG_NIL;
}

bool table_get_int_slow(lua_State *L, Table *t, lua_Integer key, Value *out) {
  TableParts parts;
  if (LIKELY((lua_Unsigned)key - 1 >= t->array_size)) {
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
  if (UNLIKELY(t->cell.user & TABLE_SPECIAL)) {
    if (parts_in_sight(L, t, &parts))
      return get_node(hash_find_short(parts.hash, key), out);
    Value k;
    value_set_string(&k, key);
    return get_special(L, t, &k, out);
  }
  return get_node(hash_find_short(t->hash, key), out);
}

static bool get_generic(lua_State *L, Table *t, const Value *key, Value *out) {
  TableParts parts = {NULL, t->hash, 0};
  if (UNLIKELY(t->cell.user & TABLE_SPECIAL) && !parts_in_sight(L, t, &parts))
    return get_special(L, t, key, out);
  if (LIKELY(key_is_object(key)))
    return get_node(hash_find_object(parts.hash, key), out);
  return get_node(hash_find(L, parts.hash, key), out);
}

bool table_get(lua_State *L, Table *t, const Value *key, Value *out) {
  switch (key->tag) {
    case TAG_SHORT_STRING: return table_get_str(L, t, value_string(key), out);
    case TAG_INTEGER: return table_get_int(L, t, key->as.i, out);
    case TAG_NIL: return get_nil(out);
    case TAG_FLOAT: {
      Value k = key_normal(key);
      if (k.tag == TAG_INTEGER) return table_get_int(L, t, k.as.i, out);
      return get_generic(L, t, &k, out);
    }
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

/* Adds an entry that does not exist. */
static void set_new(lua_State *L, Table *t, const Value *key,
                    const Value *value) {
  if (value->tag == TAG_NIL) return;
  if (UNLIKELY(t->hash->cell.user & HASH_FORESEEN) &&
      key->tag != TAG_SHORT_STRING)
    table_unforesee(L, t);
  Node *n = hash_take(L, t->hash, key);
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
static Node *take_special(lua_State *L, Table *t, const Value *key) {
  TableParts parts = table_parts(t);
  if (!table_weak_detour(t) && key->tag == TAG_INTEGER &&
      (lua_Unsigned)key->as.i - 1 == parts.array_size && table_grow_array(L, t))
    return NULL;
  Node *n = growth_take(L, &parts, key);
  if (!n) n = hash_take_still(L, parts.hash, key);
  if (!n) table_grow_for(L, t, key);
  return n;
}

/* Writes to a table with TABLE_SPECIAL. */
static void set_special(lua_State *L, Table *t, const Value *key,
                        const Value *value) {
  TableParts parts = table_parts(t);
  Slot slot = table_locate_to_write(L, &parts, key);
  bool fresh = value->tag != TAG_NIL && (!slot.value || *slot.tag == TAG_NIL);
  if (!slot.value) {
    if (!fresh) return;
    Node *n = take_special(L, t, key);
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
  else if ((lua_Unsigned)key->as.i - 1 < parts.array_size)
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

/* The key is not in use, or the array cannot be written directly. */
static NO_INLINE void set_int_slow(lua_State *L, Table *t, lua_Integer key,
                                   const Value *value) {
  lua_Unsigned index = (lua_Unsigned)key - 1;
  Value k;
  if (index == t->array_size && hash_is_empty(t->hash) &&
      value->tag != TAG_NIL && table_grow_array(L, t)) {
    table_set_int(L, t, key, value);
    return;
  }
  value_set_integer(&k, key);
  if (set_if_special(L, t, &k, value)) return;
  if (index < t->array_size) {
    table_set_int(L, t, key, value); /* no longer special */
    return;
  }
  Node *n = hash_find_int(t->hash, key);
  if (n)
    set_node(L, t, n, value);
  else
    set_new(L, t, &k, value);
}

void table_set_int(lua_State *L, Table *t, lua_Integer key,
                   const Value *value) {
  lua_Unsigned index = (lua_Unsigned)key - 1;
  if (LIKELY(index >= t->array_size)) {
    Node *n = hash_find_int_to_write(t->hash, key);
    if (n && n->value_tag != TAG_NIL) {
      node_set(n, value);
      barrier(L, t, value);
      return;
    }
  } else if (LIKELY(!(t->cell.user & TABLE_SPECIAL) ||
                    table_tags(t)[index] != TAG_NIL)) {
    t->array[index] = value->as;
    table_tags(t)[index] = value->tag;
    table_note_filled(t->array, (uint32_t)index);
    barrier(L, t, value);
    return;
  }
  set_int_slow(L, t, key, value);
}

void table_set_str(lua_State *L, Table *t, String *key, const Value *value) {
  Value k;
  value_set_string(&k, key);
  if (set_if_special(L, t, &k, value)) return;
  Node *n = string_is_short(key) ? hash_find_short(t->hash, key)
                                 : hash_find(L, t->hash, &k);
  if (n)
    set_node(L, t, n, value);
  else
    set_new(L, t, &k, value);
}

Node *table_add_str(lua_State *L, Table *t, String *key, const Value *value) {
  Value k;
  value_set_cell(&k, key, TAG_SHORT_STRING);
  Node *n = NULL;
  if (LIKELY(!(t->cell.user & TABLE_SPECIAL) && value->tag != TAG_NIL))
    n = hash_take(L, t->hash, &k);
  if (LIKELY(n != NULL)) {
    set_taken(L, t, n, &k, value);
    return n;
  }
  table_set_str(L, t, key, value);
  return table_find_str(t, key);
}

static void set_generic(lua_State *L, Table *t, const Value *key,
                        const Value *value) {
  if (set_if_special(L, t, key, value)) return;
  Node *n = LIKELY(key_is_object(key)) ? hash_find_object(t->hash, key)
                                       : hash_find(L, t->hash, key);
  if (n)
    set_node(L, t, n, value);
  else
    set_new(L, t, key, value);
}

void table_set(lua_State *L, Table *t, const Value *key, const Value *value) {
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

/* -- Life ------------------------------------------------------------------ */

Table *table_new(lua_State *L) {
  Table *t = object_new(L, sizeof(Table), KIND_TABLE);
  t->array_size = 0;
  t->array = NULL;
  t->hash = (HashPart *)(uintptr_t)&table_empty_hash;
  t->metatable = NULL;
  return t;
}

void table_set_metatable(lua_State *L, Table *t, Table *metatable) {
  t->metatable = metatable;
  if (!metatable) return;
  gc_barrier_forward(gc_of(L), &t->cell, &metatable->cell);
  object_check_finalizer(L, &t->cell, metatable);
}
