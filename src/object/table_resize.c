/* SPDX-License-Identifier: MIT */
/*
** table_resize.c -- choosing and changing the sizes of parts
**
** A key that finds no node makes the table count its integer keys.  The array
** then gets the largest power of two n such that more than n/2 slots would be
** used.  The hash gets the number of remaining keys, rounded up to a power of
** two.  These are the rules of PUC Lua 5.4, and programs see the resulting
** sizes (see table.h).  Two kinds of tables may have a larger hash: those with
** names only, and those in which more than TABLE_PUC_NODES nodes are used.
**
** A resize happens in steps of one allocation each.  After each step the table
** is valid.
**
** The sizes depend only on the contents of the table, not on where a part lies.
** A part uses the space in the table's own cell as long as it fits.
**
** For large parts only a sample is counted, and entries move bit by bit
** (table_grow.c).
*/
#include "object/table_impl.h"

/* -- Room in the table's own cell ------------------------------------------ */

/* The place for a part of that size.  NULL if the cell is too small, or holds
** another part than `leaving`. */
static void *space_for(Table *t, size_t bytes, const void *leaving) {
  if (sizeof(Table) + bytes > TABLE_CELL_MAX) return NULL;
  TableParts parts = table_parts(t);
  void *space = t + 1;
  bool array_is_there = parts.array && array_part(parts.array) == space;
  if (space != leaving && (array_is_there || parts.hash == space)) return NULL;
  return heap_cell_size(t) >= sizeof(Table) + bytes ? space : NULL;
}

/* For gc_part_replaced: a part inside the table's cell is not a cell. */
static Cell *part_cell(const Table *t, Cell *part) {
  return part_is_inside(t, part) ? NULL : part;
}

/* -- The array ------------------------------------------------------------- */

static void array_install(lua_State *L, Table *t, ArrayPart *part,
                          size_t slots) {
  part->border = (uint32_t)slots;
  t->array = part->payload;
  t->array_size = (uint32_t)slots;
  gc_part_replaced(gc_of(L), &t->cell, part_cell(t, &part->cell));
}

/* Moves integer keys from the hash that now belong into the array. */
void array_adopt(Table *t, size_t from) {
  size_t nodes = hash_size(t->hash);
  for (size_t i = 0; i < nodes; i++) {
    Node *n = &t->hash->node[i];
    Unsigned index = (Unsigned)n->key.i - 1;
    if (n->key_tag != TAG_INTEGER || index >= t->array_size || index < from)
      continue;
    if (n->value_tag != TAG_NIL) {
      t->array[index] = n->value;
      table_tags(t)[index] = n->value_tag;
    }
    node_leave(n);
  }
}

static ArrayPart *array_new(lua_State *L, size_t bytes, size_t cleared) {
  return gc_new_part(gc_of(L), bytes, cleared, KIND_ARRAY_PART);
}

ArrayPart *array_new_nil(lua_State *L, size_t slots) {
  size_t bytes = array_allocation(slots);
  ArrayPart *part = array_new(L, bytes, slots);
  if (!part) raise_memory(L);
  part->border = (uint32_t)slots;
  if (!heap_was_zero(part)) memset(part->payload + slots, TAG_NIL, slots);
  return part;
}

void array_init_inside(ArrayPart *part, size_t slots) {
  part->cell = part_header_inside(KIND_ARRAY_PART);
  part->border = (uint32_t)slots;
  memset(part->payload + slots, TAG_NIL, slots);
}

static ArrayPart *array_first(lua_State *L, Table *t, size_t slots) {
  ArrayPart *part = NULL;
  if (slots <= TABLE_LARGE_ARRAY) part = space_for(t, array_bytes(slots), NULL);
  if (!part) return array_new_nil(L, slots);
  array_init_inside(part, slots);
  return part;
}

/* Copies the array out of the table's own cell. */
static ArrayPart *array_move_out(lua_State *L, const TableParts *parts,
                                 size_t bytes) {
  const ArrayPart *old = array_part(parts->array);
  size_t used = size_min(array_bytes(parts->array_size), bytes);
  ArrayPart *part = array_new(L, bytes, bytes);
  if (part)
    memcpy(&part->border, &old->border, used - offsetof(ArrayPart, border));
  return part;
}

static ArrayPart *array_allocate(lua_State *L, Table *t, size_t slots) {
  TableParts parts = table_parts(t);
  ArrayPart *old = array_part(parts.array);
  size_t bytes = array_allocation(slots);
  if (part_is_inside(t, old) && slots <= TABLE_LARGE_ARRAY &&
      space_for(t, array_bytes(slots), old))
    return old;
  if (!part_is_inside(t, old) && heap_cell_size(old) >= bytes) return old;
  ArrayPart *part =
      part_is_inside(t, old)
          ? array_move_out(L, &parts, bytes)
          : gc_resize_part(gc_of(L), old, heap_cell_size(old), bytes);
  if (!part) raise_memory(L);
  return part;
}

/* The array grows; the tags move up to their new place after the payloads. */
static void array_grow(lua_State *L, Table *t, size_t slots) {
  size_t used = table_parts(t).array_size;
  ArrayPart *part =
      used ? array_allocate(L, t, slots) : array_first(L, t, slots);
  gc_give_back(gc_of(L), array_bytes(slots));
  DetourPart *d = detour_leave(t);
  uint8_t *tags = (uint8_t *)(part->payload + slots);
  if (used) {
    memmove(tags, part->payload + used, used);
    memset(tags + used, TAG_NIL, slots - used);
  }
  array_install(L, t, part, slots);
  array_adopt(t, used);
  detour_enter(t, d);
}

static void array_free(lua_State *L, Table *t) {
  ArrayPart *part = array_part(t->array);
  t->array = NULL;
  t->array_size = 0;
  if (!part_is_inside(t, part))
    gc_free_part(gc_of(L), part, heap_cell_size(part));
}

/* The tags move down to their new place.  Slots from `slots` up are lost. */
static ArrayPart *array_cut(lua_State *L, Table *t, size_t slots) {
  DetourPart *d = detour_leave(t);
  ArrayPart *part = NULL;
  if (slots == 0) {
    array_free(L, t);
  } else {
    part = array_part(t->array);
    memmove(part->payload + slots, table_tags(t), slots);
    t->array_size = (uint32_t)slots;
    part->border = (uint32_t)slots;
  }
  detour_enter(t, d);
  return part;
}

/* If there is no memory for a smaller cell, the larger one is kept. */
static void array_shrink(lua_State *L, Table *t, size_t slots) {
  if (slots >= table_parts(t).array_size) return;
  ArrayPart *part = array_cut(L, t, slots);
  if (!part || part_is_inside(t, part)) return;
  part = gc_resize_part(gc_of(L), part, heap_cell_size(part),
                        array_allocation(slots));
  if (!part) return;
  DetourPart *d = detour_leave(t);
  array_install(L, t, part, slots);
  detour_enter(t, d);
}

/* -- The hash -------------------------------------------------------------- */

static void hash_set_size(HashPart *h, size_t nodes) {
  h->mask = (uint32_t)(nodes - 1);
  h->hint_limit = h->mask * 3;
  h->free = (uint32_t)nodes;
}

void hash_init(HashPart *h, size_t nodes) {
  hash_set_size(h, nodes);
  memset(h->node, 0, nodes * sizeof(Node));
}

HashPart *hash_new(lua_State *L, size_t nodes, bool link) {
  if (nodes == 0) return (HashPart *)(uintptr_t)&table_empty_hash;
  size_t bytes = link ? hash_linked_bytes(nodes) : hash_bytes(nodes);
  HashPart *h = gc_new_part(gc_of(L), bytes, bytes, KIND_HASH_PART);
  if (!h) raise_memory(L);
  hash_set_size(h, nodes);
  if (link) h->cell.user |= HASH_HAS_LINK;
  if (!heap_was_zero(h)) memset(h->node, 0, bytes - sizeof(HashPart));
  return h;
}

/* Takes a node; there must be room. */
static Node *hash_take_surely(const lua_State *L, HashPart *h,
                              const Value *key) {
  uint32_t place = hash_main_place(L, h, key);
  Node *n;
  do n = hash_take(h, place, key);
  while (!n && h->free > 0);
  return n;
}

/* Where chains may run into each other, keys whose main position is free go
** there first.  The other keys follow. */
void hash_move(lua_State *L, HashPart *from, HashPart *to) {
  size_t nodes = hash_size(from);
  for (int pass = hash_is_puc_layout(to) ? 1 : 0; pass < 2; pass++) {
    for (size_t i = 0; i < nodes; i++) {
      Node *old = &from->node[i];
      if (old->value_tag == TAG_NIL) continue;
      Value key = {.as = old->key, .tag = old->key_tag};
      Node *n = pass == 0 ? hash_take_main(L, to, &key)
                          : hash_take_surely(L, to, &key);
      if (!n) continue;
      n->value = old->value;
      n->value_tag = old->value_tag;
      old->value_tag = TAG_NIL;
    }
  }
}

/* Moves array slots from `slots` up to the hash. */
static void array_expel(lua_State *L, Table *t, HashPart *to, size_t slots) {
  uint8_t *tags = table_tags(t);
  for (size_t i = slots; i < t->array_size; i++) {
    if (tags[i] == TAG_NIL) continue;
    Value key;
    value_set_integer(&key, (Integer)(i + 1));
    Node *n = hash_take_surely(L, to, &key);
    n->value = t->array[i];
    n->value_tag = tags[i];
  }
}

/* Moves all entries of `old` to `h`, and makes `h` the hash of the table. */
static void hash_take_over(lua_State *L, Table *t, HashPart *old, HashPart *h,
                           size_t slots) {
  if (slots < t->array_size) array_expel(L, t, h, slots);
  hash_move(L, old, h);
  t->hash = h;
}

/* Entries that were not counted must not move either. */
static void hash_drop_dead(lua_State *L, const Table *t) {
  HashPart *h = table_parts(t).hash;
  if (LIKELY(!table_weak_detour(t))) return;
  for (size_t i = 0; i < hash_size(h); i++)
    table_clear_moving_node(gc_of(L), t, &h->node[i]);
}

void hash_init_inside(HashPart *h, size_t nodes) {
  h->cell = part_header_inside(KIND_HASH_PART);
  hash_init(h, nodes);
}

/* Rebuilds the hash within the table's own cell, where the old one may be
** too. */
static void hash_rebuild_inside(lua_State *L, Table *t, HashPart *h,
                                size_t nodes, size_t slots) {
  union {
    HashPart part;
    char bytes[TABLE_CELL_MAX];
  } copy;
  hash_drop_dead(L, t);
  DetourPart *d = detour_leave(t);
  HashPart *old = t->hash;
  bool same_place = old == h;
  if (same_place) old = memcpy(&copy, h, hash_bytes(hash_size(h)));
  hash_init_inside(h, nodes);
  hash_take_over(L, t, old, h, slots);
  gc_part_replaced(gc_of(L), &t->cell, NULL);
  if (!same_place && !hash_is_empty(old))
    gc_free_part(gc_of(L), old, hash_part_bytes(old));
  detour_enter(t, d);
}

static void hash_rebuild_outside(lua_State *L, Table *t, size_t nodes,
                                 size_t slots) {
  HashPart *h = hash_new(L, nodes, nodes >= TABLE_LARGE_HASH);
  hash_drop_dead(L, t);
  DetourPart *d = detour_leave(t);
  HashPart *old = t->hash;
  hash_succeed(h, old);
  hash_take_over(L, t, old, h, slots);
  gc_part_replaced(gc_of(L), &t->cell, nodes ? &h->cell : NULL);
  if (!hash_is_empty(old)) part_free(L, t, old, hash_part_bytes(old));
  detour_enter(t, d);
}

/* Rebuilds the hash with that many nodes, and cuts the array to at most
** `slots`. */
static void hash_rebuild(lua_State *L, Table *t, size_t nodes, size_t slots) {
  TableParts parts = table_parts(t);
  HashPart *space = NULL;
  if (nodes == 0 && hash_is_empty(parts.hash) && slots >= parts.array_size)
    return;
  if (nodes > 0 && nodes < TABLE_LARGE_HASH)
    space = space_for(t, hash_bytes(nodes), table_parts(t).hash);
  if (space)
    hash_rebuild_inside(L, t, space, nodes, slots);
  else
    hash_rebuild_outside(L, t, nodes, slots);
  if (slots < table_parts(t).array_size) array_shrink(L, t, slots);
}

/* -- Counting -------------------------------------------------------------- */

enum { CENSUS_BITS = TABLE_MAX_HASH_BITS + 1 };

/* The number of entries, and where the integer keys among them lie: slice[b]
** counts keys from 2^(b-1) + 1 to 2^b. */
typedef struct Census {
  size_t slice[CENSUS_BITS];
  size_t candidates; /* sum of the slices */
  size_t total;      /* all entries */
  size_t names;      /* ... with a short string for a key */
  size_t in_array;   /* ... that are in the array now */
  size_t pending;    /* ... that still have to move from retired parts */
  bool sampled;      /* counts are not exact */
} Census;

/* Large parts are counted by samples at regular distances.  Each sample is at a
** random place within its distance, so that regular patterns do not mislead. */
enum { CENSUS_SAMPLES = 1024 };
static size_t census_stride(size_t count, size_t large) {
  return count >= large ? size_max(count / CENSUS_SAMPLES, 1) : 1;
}
static size_t census_place(size_t at, size_t stride) {
  return at + (at * UINT64_C(0x9e3779b97f4a7c15) >> 32) % stride;
}

/* Counts the tags that are not 0, eight at a time. */
static size_t count_used(const uint8_t *tags, size_t count) {
  size_t used = 0;
  const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
  for (; count >= 8; tags += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, tags, sizeof word);
    used += bits_count((((word & low) + low) | word) & ~low);
  }
  for (; count > 0; count--) used += *tags++ != TAG_NIL;
  return used;
}

static unsigned ceil_log2(size_t n) {
  return n <= 1 ? 0 : bits_highest(n - 1) + 1;
}

static void census_key(Census *c, const Value *key, size_t weight) {
  c->total += weight;
  if (key->tag == TAG_SHORT_STRING) c->names += weight;
  if (key->tag != TAG_INTEGER) return;
  if ((Unsigned)key->as.i - 1 >= TABLE_MAX_ARRAY) return;
  c->slice[ceil_log2((size_t)key->as.i)] += weight;
  c->candidates += weight;
}

static void census_sample_array(Census *c, const TableParts *parts,
                                size_t stride) {
  const uint8_t *tags = parts_tags(parts);
  for (size_t i = 0; i + stride <= parts->array_size; i += stride) {
    Value key;
    size_t index = census_place(i, stride);
    if (tags[index] == TAG_NIL) continue;
    value_set_integer(&key, (Integer)index + 1);
    census_key(c, &key, stride);
    c->in_array += stride;
  }
}

static void census_array(Census *c, const TableParts *parts) {
  size_t stride = census_stride(parts->array_size, TABLE_LARGE_ARRAY);
  if (stride > 1) {
    c->sampled = true;
    census_sample_array(c, parts, stride);
    return;
  }
  const uint8_t *tags = parts_tags(parts);
  size_t from = 0;
  for (unsigned bits = 0; from < parts->array_size; bits++) {
    size_t to = size_min((size_t)1 << bits, parts->array_size);
    size_t used = count_used(tags + from, to - from);
    c->slice[bits] += used;
    c->candidates += used;
    c->total += used;
    c->in_array += used;
    from = to;
  }
}

/* For a weak table, skips entries that the collector is about to remove. */
static void census_hash(Census *c, const Gc *gc, const Table *t,
                        const HashPart *h) {
  size_t nodes = hash_size(h);
  size_t stride = census_stride(nodes, TABLE_LARGE_HASH);
  c->sampled |= stride > 1;
  for (size_t i = 0; i < nodes; i += stride) {
    const Node *n = &h->node[census_place(i, stride)];
    if (n->value_tag == TAG_NIL || table_node_is_dead(gc, t, n)) continue;
    Value key = {.as = n->key, .tag = n->key_tag};
    census_key(c, &key, stride);
  }
}

/* Counts entries that still have to move.  The count is too low only by
** chance. */
static void census_retired(Census *c, const Gc *gc, const Table *t,
                           const TableParts *parts) {
  for (const RetiredPart *r = parts_retired(parts); r; r = r->older) {
    Census part = {.total = 0};
    if (r->array) c->pending += r->size - r->cursor;
    if (!r->hash || r->hash == parts->hash) continue;
    census_hash(&part, gc, t, r->hash);
    c->pending += part.total + part.total / 8;
  }
}

/* The best size of the array; *inside is set to the number of its entries.
** Counts of large parts are not exact, and a large part may count as full
** before its last node is used.  (A slot takes less than half of the memory of
** a node.) */
static size_t census_array_size(const Census *c, size_t *inside) {
  size_t best = 0, sum = 0;
  *inside = 0;
  for (unsigned bits = 0; bits < CENSUS_BITS; bits++) {
    size_t size = (size_t)1 << bits;
    size_t half = size / 2;
    if (c->sampled && size > TABLE_LARGE_HASH) half -= size / 16;
    if (c->candidates <= half) break;
    sum += c->slice[bits];
    if (sum > half) {
      best = size;
      *inside = sum;
    }
  }
  return best;
}

/* -- Deciding -------------------------------------------------------------- */

size_t node_count_for(lua_State *L, size_t entries) {
  if (entries == 0) return 0;
  unsigned bits = ceil_log2(entries);
  if (bits > TABLE_MAX_HASH_BITS) raise_error(L, "table overflow");
  return (size_t)1 << bits;
}

/* Afterwards the search for a length starts at the end of the array. */
static void reshape(lua_State *L, Table *t, size_t slots, size_t nodes) {
  if (slots > table_parts(t).array_size) array_grow(L, t, slots);
  hash_rebuild(L, t, nodes, slots);
  TableParts parts = table_parts(t);
  if (parts.array) array_part(parts.array)->border = parts.array_size;
}

/* A hash that does not grow anyway is rebuilt with a quarter of its nodes free.
** Otherwise the next insertions would have to rebuild it again. */
static size_t nodes_with_headroom(lua_State *L, size_t entries, size_t now) {
  size_t nodes = node_count_for(L, entries);
  if (nodes == 1) nodes = 2;
  if (nodes > 2 && nodes <= now && entries > nodes / 4 * 3)
    nodes = node_count_for(L, nodes + 1);
  return nodes;
}

static bool is_large(const TableParts *parts) {
  return parts_retired(parts) ||
         hash_size(parts->hash) >= TABLE_LARGE_HASH / 2 ||
         parts->array_size > TABLE_LARGE_ARRAY;
}

/* An array keeps its size, except that it may grow, or shrink if it is large
** and nearly empty.  It also keeps its size while entries still move because of
** the last change. */
static void grow_large(lua_State *L, Table *t, const TableParts *parts,
                       const Census *c) {
  size_t inside, size = parts->array_size;
  size_t slots = census_array_size(c, &inside);
  size_t outside = c->total - inside;
  bool keep = slots < size && (slots > size / 4 || size <= TABLE_LARGE_ARRAY);
  if (parts_retired(parts) || keep) {
    slots = size;
    outside = c->total - c->in_array + c->pending;
  }
  size_t nodes =
      nodes_with_headroom(L, outside + outside / 8, hash_size(parts->hash));
  growth_hash(L, t, size_max(nodes, 2));
  if (slots != size) growth_array(L, t, size_max(slots, 1), false);
}

/* The number of nodes for that many keys in the hash. */
static size_t nodes_for(lua_State *L, size_t entries, size_t now, bool names) {
  size_t nodes = node_count_for(L, entries);
  return names || nodes > TABLE_PUC_NODES ? nodes_with_headroom(L, entries, now)
                                          : nodes;
}

void table_grow_for(lua_State *L, Table *t, const Value *key) {
  Census census = {.total = 0};
  TableParts parts = table_parts(t);
  census_array(&census, &parts);
  census_hash(&census, gc_of(L), t, parts.hash);
  census_retired(&census, gc_of(L), t, &parts);
  census_key(&census, key, 1);
  if (is_large(&parts)) {
    grow_large(L, t, &parts, &census);
    return;
  }
  size_t inside;
  size_t slots = census_array_size(&census, &inside);
  size_t outside = census.total - inside;
  bool names = census.names == census.total;
  reshape(L, t, slots, nodes_for(L, outside, hash_size(parts.hash), names));
  if (names) table_parts(t).hash->cell.user |= HASH_FORESEEN;
}

/* -- Foresight ------------------------------------------------------------- */

static size_t count_values(const HashPart *h) {
  size_t count = 0;
  for (size_t i = 0; i < hash_size(h); i++)
    count += h->node[i].value_tag != TAG_NIL;
  return count;
}

static size_t count_keys(const HashPart *h) {
  size_t count = 0;
  for (size_t i = 0; i < hash_size(h); i++)
    count += h->node[i].key_tag != TAG_NIL;
  return count;
}

/* Also frees the nodes for names that were expected and not added. */
void table_unforesee(lua_State *L, Table *t) {
  HashPart *h = t->hash;
  bool mixed = (h->cell.user & HASH_MIXED) != 0;
  h->cell.user &= (uint8_t)~HASH_FORESEEN;
  size_t entries = count_values(h), nodes = node_count_for(L, entries);
  if (nodes > TABLE_PUC_NODES) return;
  if (nodes != hash_size(h) || entries < count_keys(h) || mixed)
    hash_rebuild(L, t, nodes, t->array_size);
}

void table_widen(lua_State *L, Table *template, size_t nodes) {
  if (nodes <= hash_size(template->hash)) return;
  table_resize(L, template, template->array_size, nodes);
  template->hash->cell.user |= HASH_FORESEEN;
}

/* -- Appending ------------------------------------------------------------- */

/* For a large array, checks a sample.  It need not be full, because moving the
** slots after a hole from the array to the hash would not pay. */
static bool array_is_dense(const Table *t) {
  enum { SAMPLES = 1024, ALL_UP_TO = 16 * SAMPLES };
  const uint8_t *tags = table_tags(t);
  size_t size = t->array_size;
  if (size <= ALL_UP_TO) return count_used(tags, size) == size;
  size_t used = 0, stride = size / SAMPLES;
  for (size_t i = 0; i < SAMPLES; i++) used += tags[i * stride] != TAG_NIL;
  return used * 2 >= SAMPLES;
}

/* True if none of the tags is nil. */
static ALWAYS_INLINE bool tags_are_full(const uint8_t *tags, size_t count) {
  for (size_t i = count; i > 0; i--)
    if (tags[i - 1] == TAG_NIL) return false;
  return true;
}

enum { STRETCH_MOST = 16 };

/* Moves the tags behind twice as many slots, and clears those of the new ones.
** There is room for all of them.  With the number as a constant this takes a
** few instructions. */
static ALWAYS_INLINE void move_tags(ArrayPart *part, size_t used) {
  uint8_t tags[2 * STRETCH_MOST] = {TAG_NIL};
  memcpy(tags, part->payload + used, used);
  memcpy(part->payload + 2 * used, tags, 2 * used);
}

/* Doubles a full array in place if its cell has room: only the tags move.
** There is no hash. */
static bool array_stretch(Table *t) {
  size_t used = t->array_size, slots = 2 * used;
  if (used == 0 || used > STRETCH_MOST || !tags_are_full(table_tags(t), used))
    return false;
  ArrayPart *part = array_part(t->array);
  size_t bytes = part_is_inside(t, part) ? heap_cell_size(t) - sizeof(Table)
                                         : heap_cell_size(part);
  if (bytes < array_bytes(slots)) return false;
  switch (used) {
    case 1: move_tags(part, 1); break;
    case 2: move_tags(part, 2); break;
    case 4: move_tags(part, 4); break;
    case 8: move_tags(part, 8); break;
    case STRETCH_MOST: move_tags(part, STRETCH_MOST); break;
    default: return false;
  }
  part->border = t->array_size = (uint32_t)slots;
  return true;
}

bool table_grow_array(lua_State *L, Table *t) {
  size_t size = t->array_size;
  if (hash_is_empty(t->hash) && array_stretch(t)) return true;
  if (size >= TABLE_MAX_ARRAY / 2 || !array_is_dense(t)) return false;
  size_t slots = (size_t)1 << ceil_log2(size + 1);
  TableParts parts = table_parts(t);
  if (slots <= TABLE_LARGE_ARRAY && !is_large(&parts))
    array_grow(L, t, slots);
  else if (growth_has_array(&parts))
    return false;
  else
    growth_array(L, t, slots, true);
  return true;
}

/* In a table that is already large, only the array grows. */
static void grow_only_array(lua_State *L, Table *t, const TableParts *parts,
                            size_t array_slots) {
  if (array_slots > parts->array_size && !growth_has_array(parts))
    growth_array(L, t, array_slots, true);
}

static NO_INLINE size_t count_hash(lua_State *L, Table *t, HashPart *h) {
  Census census = {.total = 0};
  census_hash(&census, gc_of(L), t, h);
  return census.total;
}

void table_resize(lua_State *L, Table *t, size_t array_slots,
                  size_t hash_entries) {
  if (array_slots > TABLE_MAX_ARRAY) raise_error(L, "table overflow");
  growth_settle(L, t);
  TableParts parts = table_parts(t);
  if (is_large(&parts)) {
    grow_only_array(L, t, &parts, array_slots);
    return;
  }
  size_t entries = hash_is_empty(parts.hash) ? 0 : count_hash(L, t, parts.hash);
  if (array_slots < parts.array_size)
    entries += count_used(parts_tags(&parts) + array_slots,
                          parts.array_size - array_slots);
  size_t nodes = node_count_for(L, size_max(hash_entries, entries));
  if (nodes != hash_size(parts.hash) || array_slots != parts.array_size)
    reshape(L, t, array_slots, nodes);
}
