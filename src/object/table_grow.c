/* SPDX-License-Identifier: MIT */
/*
** table_grow.c -- large tables change their sizes bit by bit
**
** Copying or rehashing millions of entries at once would be a long pause.  So a
** large part that is outgrown is *retired*: the table gets a new part, and the
** entries follow in small groups, with every insertion.  Until then they are
** used in the retired part:
**
**    t->hash --> | nodes ... | link | --> RetiredPart --> RetiredPart ...
**                                             |  older
**                                             v
**                               | moved | not moved yet |
**                                       ^ cursor
**
**   - A key that has an array slot or a node at or above the cursor of a
**     retired part is held there, and nowhere else.  Its value may be nil.
**   - All other keys, and all new ones, are held by the parts of the table as
**     usual.
**   - So entries change their place, and with it the order of a walk, only when
**     a new key is inserted.  Slots that move from array to array do not change
**     the order, and may move at any time.
**
** While there are retired parts the table has TABLE_SPECIAL: what is not found
** directly is looked for there.  What is found directly is right.
**
** When the array grows, integer keys have to leave the hash.  A large hash is
** searched for them in the same way, as if it were retired.  This is called
** *adopting*: such a key is held by its node until the cursor has passed.
**
** Nodes move in the order of memory, so the processor loads them in advance.
** Where they go is known in advance, too: the next nodes to move prefetch their
** new places.
**
** The size of a new part is chosen by a sample, so it may be full before all
** entries have moved.  Then it is retired as well.
**
** A weak table stays weak while it grows: entries that move are held as before,
** and entries known to be dead do not move (table_gc.c).
*/
#include "object/table_place_impl.h"

/* The costs of moving; see growth_budget for the budget of a step. */
enum { COST_SLOT = 1, COST_NODE = 2, COST_INSERT = 6 };

/* -- Where a key is held --------------------------------------------------- */

static bool is_adopting(const TableParts *parts, const RetiredPart *r) {
  return r->hash == parts->hash;
}

static bool retired_holds_slot(const RetiredPart *r, const Value *key) {
  Unsigned index = (Unsigned)key->as.i - 1;
  return r->array && key->tag == TAG_INTEGER && index >= r->cursor &&
         index < r->size;
}

static Slot slot_of_array(Payload *array, size_t size, size_t index) {
  Slot slot = {&array[index], (uint8_t *)(array + size) + index, NULL};
  return slot;
}

static Slot slot_of_node(Node *n) {
  Slot slot = {&n->value, &n->value_tag, n};
  return slot;
}

/* Nodes below the cursor have lost their keys, or hold keys that stay in an
** adopting hash.  So every key that is found is held there. */
static Slot retired_locate(const lua_State *L, const TableParts *parts,
                           const Value *key) {
  Slot none = {NULL, NULL, NULL};
  for (const RetiredPart *r = parts_retired(parts); r; r = r->older) {
    if (retired_holds_slot(r, key))
      return slot_of_array(r->array, r->size, (size_t)key->as.i - 1);
    if (!r->hash) continue;
    Node *n = hash_find_from(r->hash, hash_place(L, r->hash, key), key);
    if (n) return slot_of_node(n);
  }
  return none;
}

/* `place` is the key's place in the hash. */
static ALWAYS_INLINE Slot locate(const lua_State *L, const TableParts *parts,
                                 const Value *key, uint32_t place) {
  Slot slot = retired_locate(L, parts, key);
  if (slot.value) return slot;
  Unsigned index = (Unsigned)key->as.i - 1;
  if (key->tag == TAG_INTEGER && index < parts->array_size)
    return slot_of_array(parts->array, parts->array_size, (size_t)index);
  Node *n = hash_find_from(parts->hash, place, key);
  return n ? slot_of_node(n) : slot;
}

Slot table_locate(const lua_State *L, const TableParts *parts,
                  const Value *key) {
  return locate(L, parts, key, hash_place(L, parts->hash, key));
}

Slot table_locate_to_write(const lua_State *L, const TableParts *parts,
                           const Value *key, uint32_t *place) {
  *place = hash_place(L, parts->hash, key);
  if (hash_has_link(parts->hash)) node_touch(&parts->hash->node[*place]);
  return locate(L, parts, key, *place);
}

/* -- Moving ---------------------------------------------------------------- */

/* Moves the first array slots of a retired part to the same places of the new
** array, which are still empty. */
static size_t move_slots(lua_State *L, Table *t, const TableParts *parts,
                         RetiredPart *r, size_t most) {
  size_t from = r->cursor;
  size_t end = size_min(r->size, parts->array_size);
  size_t count = from < end ? size_min(most, end - from) : 0;
  TableParts old = {r->array, NULL, r->size};
  table_clear_moving_slots(gc_of(L), t, &old, from, from + count);
  memcpy(parts->array + from, r->array + from, count * sizeof(Payload));
  memcpy(parts_tags(parts) + from, parts_tags(&old) + from, count);
  table_slots_moved(gc_of(L), t, parts, from, from + count);
  r->cursor += (uint32_t)count;
  return count;
}

/* Moves an entry to its new place.  False if there is no room. */
static ALWAYS_INLINE bool move_entry(lua_State *L, Table *t,
                                     const TableParts *parts, const Value *key,
                                     Payload as, uint8_t tag) {
  Unsigned index = (Unsigned)key->as.i - 1;
  if (key->tag == TAG_INTEGER && index < parts->array_size) {
    parts->array[index] = as;
    parts_tags(parts)[index] = tag;
    table_slots_moved(gc_of(L), t, parts, (size_t)index, (size_t)index + 1);
  } else {
    uint32_t place = hash_place(L, parts->hash, key);
    Node *n = hash_take_quickly(parts->hash, place, key);
    if (!n) return false;
    n->value = as;
    n->value_tag = tag;
    table_node_moved(gc_of(L), t, n);
  }
  return true;
}

/* Moves a slot of an array that is larger than the new one to the hash.  Each
** of these functions returns its cost, or 0 if there is no room. */
static size_t move_expelled(lua_State *L, Table *t, const TableParts *parts,
                            RetiredPart *r) {
  Value key;
  Slot slot = slot_of_array(r->array, r->size, r->cursor);
  TableParts old = {r->array, NULL, r->size};
  value_set_integer(&key, (Integer)r->cursor + 1);
  table_clear_moving_slots(gc_of(L), t, &old, r->cursor, r->cursor + 1);
  bool live = *slot.tag != TAG_NIL;
  if (live && !move_entry(L, t, parts, &key, *slot.value, *slot.tag)) return 0;
  r->cursor++;
  return live ? COST_SLOT + COST_INSERT : COST_SLOT;
}

static bool is_adoptable(const TableParts *parts, const Node *n) {
  return n->key_tag == TAG_INTEGER &&
         (Unsigned)n->key.i - 1 < parts->array_size;
}

/* Forget the key of a node whose entry has moved, because the key may die.  In
** an adopting hash only keys that go to the array move. */
static bool move_node(lua_State *L, Table *t, const TableParts *parts,
                      bool adopting, Node *n) {
  Value key = {.as = n->key, .tag = n->key_tag};
  if (adopting && !is_adoptable(parts, n)) return true;
  table_clear_moving_node(gc_of(L), t, n);
  if (n->value_tag != TAG_NIL &&
      !move_entry(L, t, parts, &key, n->value, n->value_tag))
    return false;
  node_leave(n);
  return true;
}

static size_t move_next_node(lua_State *L, Table *t, const TableParts *parts,
                             RetiredPart *r) {
  Node *n = &r->hash->node[r->cursor];
  bool used = n->key_tag != TAG_NIL && n->key_tag != TAG_DEAD_KEY;
  if (used && !move_node(L, t, parts, is_adopting(parts, r), n)) return 0;
  r->cursor++;
  return used ? COST_NODE + COST_INSERT : COST_NODE;
}

static size_t move_some(lua_State *L, Table *t, const TableParts *parts,
                        RetiredPart *r, size_t budget) {
  if (r->hash) return move_next_node(L, t, parts, r);
  size_t moved = move_slots(L, t, parts, r, budget);
  return moved ? moved * COST_SLOT : move_expelled(L, t, parts, r);
}

/* -- Letting go ------------------------------------------------------------ */

/* Removes the first retired part of the list, which is empty. */
static void retired_drop(lua_State *L, Table *t, const TableParts *parts) {
  Gc *gc = gc_of(L);
  RetiredPart **link = hash_link(parts->hash);
  RetiredPart *r = *link;
  *link = r->older;
  if (r->older) gc_part_replaced(gc, &t->cell, NULL); /* positions change */
  if (r->array)
    part_free(L, t, array_part(r->array), heap_cell_size(array_part(r->array)));
  else if (r->hash && !is_adopting(parts, r))
    gc_free_part(gc, r->hash, hash_part_bytes(r->hash));
  gc_free_part(gc, r, sizeof *r);
  gc_part_settled(gc);
  if (*link) return;
  if (parts->hash->cell.user & HASH_LEAVING) hash_shrink_soon(parts->hash);
  if (!table_weak_detour(t)) t->cell.user &= (uint8_t)~TABLE_SPECIAL;
}

/* Prefetches what the next step needs.  In a group that is not used yet, the
** processor would only search for a page that does not exist.  (The compiler
** removes calls of functions that only prefetch, so this one must be
** inlined.) */
static ALWAYS_INLINE void prefetch_next_nodes(const lua_State *L,
                                              const TableParts *parts,
                                              const RetiredPart *r) {
  enum { COUNT = TABLE_HASH_STEP / (COST_NODE + COST_INSERT) };
  const uint8_t *used = hash_used_groups(parts->hash);
  size_t end = size_min(r->size, (size_t)r->cursor + COUNT);
  for (size_t i = r->cursor; i < end; i++) {
    const Node *n = &r->hash->node[i];
    if (n->value_tag == TAG_NIL || n->key_tag == TAG_LONG_STRING) continue;
    Value key = {.as = n->key, .tag = n->key_tag};
    uint32_t place = hash_place(L, parts->hash, &key);
    if (used[place / HASH_GROUP]) PREFETCH_WRITE(&parts->hash->node[place]);
  }
}

/* False if there is no room for the entries that have to move. */
static bool growth_work(lua_State *L, Table *t, size_t budget) {
  TableParts parts = table_parts(t);
  for (RetiredPart *r; (r = parts_retired(&parts)) != NULL;) {
    while (r->cursor < r->size) {
      if (budget == 0) {
        if (r->hash && !is_adopting(&parts, r))
          prefetch_next_nodes(L, &parts, r);
        return true;
      }
      size_t cost = move_some(L, t, &parts, r, budget);
      if (cost == 0) return false;
      budget -= size_min(budget, cost);
    }
    retired_drop(L, t, &parts);
  }
  return true;
}

/* The parts of a huge table are not in the caches, and new parts are not even
** in memory.  So a huge array moves fewer slots per step: a program that
** inserts many entries in a row would notice larger steps. */
static size_t growth_budget(const RetiredPart *r) {
  if (r->hash) return TABLE_HASH_STEP;
  return r->size > TABLE_HUGE ? TABLE_HUGE_STEP : TABLE_ARRAY_STEP;
}

/* The bytes by which such a step enlarges the table.  The new part is twice as
** large as the old one, which is freed when all entries have moved. */
static size_t growth_filled(const RetiredPart *r) {
  size_t budget = growth_budget(r);
  if (r->array) return array_bytes(budget / COST_SLOT);
  return budget / (COST_NODE + COST_INSERT) * sizeof(Node);
}

void growth_step(lua_State *L, Table *t) {
  TableParts parts = table_parts(t);
  const RetiredPart *r = parts_retired(&parts);
  if (!r) return;
  size_t filled = growth_filled(r);
  growth_work(L, t, growth_budget(r));
  gc_part_filled(gc_of(L), filled);
}

void growth_step_read(lua_State *L, Table *t) {
  TableParts parts = table_parts(t);
  RetiredPart *r = parts_retired(&parts);
  if (!r || !r->array || r->size > parts.array_size) return;
  move_slots(L, t, &parts, r, growth_budget(r));
}

/* -- Retiring -------------------------------------------------------------- */

/* Gives the hash a link.  It must be small: a large hash already has one. */
static void growth_link(lua_State *L, Table *t) {
  HashPart *old = table_parts(t).hash;
  if (hash_has_link(old)) return;
  size_t nodes = hash_size(old);
  HashPart *h = hash_new(L, size_max(nodes, 1), true);
  DetourPart *d = detour_leave(t);
  hash_succeed(h, old);
  hash_move(L, old, h);
  t->hash = h;
  gc_part_replaced(gc_of(L), &t->cell, &h->cell);
  if (nodes) part_free(L, t, old, hash_bytes(nodes));
  detour_enter(t, d);
}

/* Adds an entry to the list of retired parts.  It is filled in when there is
** memory for the new part. */
static RetiredPart *growth_reserve(lua_State *L, Table *t) {
  growth_link(L, t);
  RetiredPart *r = *hash_link(table_parts(t).hash);
  if (r && r->size == 0) return r;
  r = gc_new(gc_of(L), sizeof *r, KIND_RETIRED_PART);
  if (!r) raise_memory(L);
  RetiredPart **link = hash_link(table_parts(t).hash);
  r->size = r->cursor = r->adopted = 0;
  r->array = NULL;
  r->hash = NULL;
  r->older = *link;
  *link = r;
  t->cell.user |= TABLE_SPECIAL;
  gc_part_replaced(gc_of(L), &t->cell, &r->cell);
  return r;
}

/* Lets integer keys leave a large hash for the array. */
static void growth_adopt(lua_State *L, Table *t) {
  if (hash_size(table_parts(t).hash) < TABLE_LARGE_HASH) return;
  RetiredPart *r = growth_reserve(L, t);
  r->hash = table_parts(t).hash;
  r->size = (uint32_t)hash_size(r->hash);
}

/* Copies a small array into a new, larger one. */
static void copy_small_array(lua_State *L, Table *t, ArrayPart *part,
                             size_t slots) {
  ArrayPart *old = array_part(t->array);
  size_t size = t->array_size;
  memcpy(part->payload, old->payload, size * sizeof(Payload));
  memcpy((uint8_t *)(part->payload + slots), table_tags(t), size);
  if (!part_is_inside(t, old)) gc_free_part(gc_of(L), old, heap_cell_size(old));
}

static void growth_install_array(lua_State *L, Table *t, RetiredPart *r,
                                 ArrayPart *part, size_t slots) {
  size_t old_size = t->array_size;
  if (old_size > TABLE_LARGE_ARRAY) {
    r->array = t->array;
    r->size = (uint32_t)old_size;
  } else if (t->array) {
    copy_small_array(L, t, part, slots);
  }
  t->array = part->payload;
  t->array_size = (uint32_t)slots;
  gc_part_replaced(gc_of(L), &t->cell, &part->cell);
  for (r = *hash_link(t->hash); r; r = r->older) r->adopted = r->hash != NULL;
  if (hash_size(t->hash) < TABLE_LARGE_HASH) array_adopt(t, old_size);
}

void growth_array(lua_State *L, Table *t, size_t slots, bool adopt) {
  if (adopt) growth_adopt(L, t);
  RetiredPart *r = growth_reserve(L, t);
  ArrayPart *part = array_new_nil(L, slots);
  gc_part_reserved(gc_of(L), array_bytes(slots));
  DetourPart *d = detour_leave(t);
  growth_install_array(L, t, r, part, slots);
  detour_enter(t, d);
}

/* Removes the adopting entry for that hash, which is useless when the hash is
** retired.  True if there was one. */
static bool drop_adopting(lua_State *L, RetiredPart **link,
                          const HashPart *hash) {
  bool found = false;
  for (RetiredPart *r; (r = *link) != NULL;) {
    if (r->hash != hash) {
      link = &r->older;
      continue;
    }
    *link = r->older;
    found = true;
    gc_free_part(gc_of(L), r, sizeof *r);
  }
  return found;
}

void growth_hash(lua_State *L, Table *t, size_t nodes) {
  RetiredPart *r = growth_reserve(L, t);
  HashPart *h = hash_new(L, nodes, true);
  gc_part_reserved(gc_of(L), hash_part_bytes(h));
  DetourPart *d = detour_leave(t);
  HashPart *old = t->hash;
  hash_succeed(h, old);
  r->adopted = drop_adopting(L, hash_link(old), old);
  *hash_link(h) = *hash_link(old);
  r->hash = old;
  r->size = old->mask + 1;
  t->hash = h;
  gc_part_replaced(gc_of(L), &t->cell, &h->cell);
  detour_enter(t, d);
}

/* -- Walking --------------------------------------------------------------- */

size_t growth_positions(const TableParts *parts) {
  size_t sum = 0;
  for (const RetiredPart *r = parts_retired(parts); r; r = r->older)
    if (!is_adopting(parts, r)) sum += r->size;
  return sum;
}

void growth_each(const TableParts *parts, size_t from, size_t to,
                 RetiredFn *visit, void *context) {
  for (RetiredPart *r = parts_retired(parts); r && to > 0; r = r->older) {
    if (is_adopting(parts, r)) continue;
    size_t begin = size_max(from, r->cursor), end = size_min(to, r->size);
    if (begin < end) visit(context, r, begin, end);
    from -= size_min(from, r->size);
    to -= size_min(to, r->size);
  }
}

/* -- Sizes ----------------------------------------------------------------- */

bool growth_has_array(const TableParts *parts) {
  for (const RetiredPart *r = parts_retired(parts); r; r = r->older)
    if (r->array || r->adopted) return true;
  return false;
}

enum { SETTLE_MAX = 4096 };

void growth_settle(lua_State *L, Table *t) {
  TableParts parts = table_parts(t);
  if (growth_positions(&parts) > SETTLE_MAX) return;
  /* not covered: only if the new hash was chosen much too small */
  while (!growth_work(L, t, SIZE_MAX)) {
    parts = table_parts(t);
    growth_hash(L, t, 2 * hash_size(parts.hash));
  }
}
