/* SPDX-License-Identifier: MIT */
/*
** oracle_check.c -- comparing the shadow with the real objects
*/
#include "toy/oracle_impl.h"

/* -- Single references ----------------------------------------------------- */

/* Checks that the real reference leads to the object with this id. */
static void expect(Oracle *oracle, const ShadowNode *holder, ToyRef ref,
                   uint32_t id) {
  if (id == 0) {
    REQUIRE(!toy_is_object(ref), "#%u refers to something, not to nothing",
            holder->id);
    return;
  }
  REQUIRE(toy_is_object(ref), "#%u lost its reference to #%u", holder->id, id);
  ShadowNode *node = oracle_node(oracle, ref);
  REQUIRE(node->id == id, "#%u refers to #%u, not #%u", holder->id, node->id,
          id);
}

/* Checks that a weak reference may have been cleared.  Its target must be
** unreachable now, or must have been when its finalizer became due.  `reached`
** says whether the marks of this round are up to date. */
static void may_be_cleared(Oracle *oracle, const ShadowNode *holder,
                           uint32_t id, uint64_t since, bool reached) {
  REQUIRE(!oracle->exact, "#%u was cleared from #%u too early", id, holder->id);
  if (!reached) reach_all(oracle);
  REQUIRE(!reach_has(oracle, id) || shadow_of(oracle, id)->resurrected >= since,
          "#%u is reachable, but was cleared from #%u", id, holder->id);
  oracle->cleared++;
}

static void read_weak_slot(Oracle *oracle, ShadowNode *node, size_t slot,
                           ToyRef value, bool reached) {
  uint32_t id = node->slot[slot];
  if (id && !toy_is_object(value)) {
    REQUIRE(shadow_value_is_weak(oracle, node, id),
            "#%u, held strongly, is missing from #%u", id, node->id);
    may_be_cleared(oracle, node, id, node->since[slot], reached);
    node->slot[slot] = 0;
  } else {
    expect(oracle, node, value, id);
  }
}

void oracle_read(Oracle *oracle, ToyRef object, size_t slot, ToyRef value) {
  ShadowNode *node = oracle_node(oracle, object);
  REQUIRE(slot < node->count, "#%u has no slot %zu", node->id, slot);
  if (node->kind == TOY_WEAK_ARRAY)
    read_weak_slot(oracle, node, slot, value, false);
  else
    expect(oracle, node, value, node->slot[slot]);
}

/* Follows an upvalue that closed by itself because its stack died. */
static void sync_upvalue(Oracle *oracle, ShadowNode *node, bool reached) {
  ToyUpvalue *real = (ToyUpvalue *)(void *)node->cell;
  REQUIRE(!real->stack || node->open, "#%u should be closed", node->id);
  if (real->stack) {
    const ShadowNode *stack = shadow_of(oracle, node->stack);
    REQUIRE(&real->stack->gc.cell == stack->cell &&
                stack->cell->kind == TOY_STACK && real->stack->id == stack->id,
            "#%u is open on #%u, which was freed", node->id, stack->id);
    return;
  }
  if (!node->open) return;
  if (!reached) reach_all(oracle);
  REQUIRE(!reach_has(oracle, node->stack),
          "#%u was closed, though its stack #%u is reachable", node->id,
          node->stack);
  shadow_close_upvalue(oracle, node);
}

ToyRef oracle_read_upvalue(Oracle *oracle, ToyRef upvalue) {
  ShadowNode *node = oracle_node(oracle, upvalue);
  sync_upvalue(oracle, node, false);
  ToyRef value = toy_upvalue_get(upvalue);
  expect(oracle, node, value, shadow_upvalue_value(oracle, node));
  return value;
}

/* -- Tables ---------------------------------------------------------------- */

void oracle_read_entry(Oracle *oracle, ToyRef table, ToyRef key, ToyRef value) {
  ShadowNode *node = oracle_node(oracle, table);
  ShadowNode *key_node = oracle_node(oracle, key);
  ShadowEntry *entry = shadow_find(node, key_node->id);
  REQUIRE(entry, "#%u is a key of #%u, but should not be", key_node->id,
          node->id);
  expect(oracle, node, value, entry->value);
}

/* Checks that a missing entry had an unreachable key or value. */
static void entry_is_missing(Oracle *oracle, ShadowNode *node,
                             ShadowEntry *entry, bool reached) {
  REQUIRE(!oracle->exact, "entry #%u was cleared from #%u too early",
          entry->key, node->id);
  if (!reached) reach_all(oracle);
  bool key_dead = shadow_key_is_weak(oracle, node, entry->key) &&
                  !reach_has(oracle, entry->key);
  if (!key_dead) {
    REQUIRE(shadow_value_is_weak(oracle, node, entry->value),
            "entry #%u, #%u is missing from #%u", entry->key, entry->value,
            node->id);
    may_be_cleared(oracle, node, entry->value, entry->since, true);
  }
  shadow_remove_entry(node, entry);
}

void oracle_read_key(Oracle *oracle, ToyRef table, ToyRef key, ToyRef value) {
  ShadowNode *node = oracle_node(oracle, table);
  ShadowEntry *entry = shadow_find(node, oracle_node(oracle, key)->id);
  if (!entry)
    REQUIRE(!toy_is_object(value), "#%u has an entry too many", node->id);
  else if (entry->value && !toy_is_object(value))
    entry_is_missing(oracle, node, entry, false);
  else
    expect(oracle, node, value, entry->value);
}

/* True for an entry that exists but is hidden, because its key is being
** resurrected or may still be. */
static bool entry_is_hidden(const Oracle *oracle, const ShadowNode *table,
                            const ShadowEntry *entry) {
  const ToyTable *real = (const ToyTable *)(const void *)table->cell;
  const Cell *key = shadow_of(oracle, entry->key)->cell;
  if (!gc_unmarked_is_dead(&oracle->toy->gc)) return false;
  if (reach_has(oracle, entry->key) &&
      shadow_of(oracle, entry->key)->resurrected < entry->since)
    return false;
  for (size_t i = 0; i < real->capacity; i++)
    if (toy_cell(real->part->slot[2 * i]) == key) return true;
  return false;
}

static void check_table(Oracle *oracle, ShadowNode *node) {
  ToyRef table = toy_ref_of(node->cell), key, value;
  for (size_t i = 0; i < toy_table_places(table); i++) {
    if (!toy_table_entry(oracle->toy, table, i, &key, &value)) continue;
    oracle_read_entry(oracle, table, key, value);
    shadow_find(node, oracle_id(key))->seen = oracle->round;
  }
  for (size_t i = node->entries; i-- > 0;) {
    ShadowEntry *entry = &node->entry[i];
    if (entry->seen == oracle->round) continue;
    if (!entry_is_hidden(oracle, node, entry))
      entry_is_missing(oracle, node, entry, true);
  }
}

/* -- Whole objects --------------------------------------------------------- */

static void check_leaf(const ShadowNode *node) {
  const ToyLeaf *leaf = (const ToyLeaf *)(const void *)node->cell;
  const unsigned char *filler = (const unsigned char *)(leaf + 1);
  for (size_t i = 0; i < leaf->size - sizeof *leaf; i++)
    REQUIRE(filler[i] == (node->id & 0x7F), "byte %zu of leaf #%u changed", i,
            node->id);
}

static void check_slots(Oracle *oracle, ShadowNode *node, const ToyPart *part,
                        size_t count) {
  REQUIRE(count == node->count, "#%u has %zu slots, not %zu", node->id, count,
          node->count);
  if (count == 0) return;
  REQUIRE(part->cell.kind == TOY_PART && part->owner == node->id,
          "the part of #%u was freed", node->id);
  for (size_t i = 0; i < count; i++)
    if (node->kind == TOY_WEAK_ARRAY)
      read_weak_slot(oracle, node, i,
                     toy_array_get(oracle->toy, toy_ref_of(node->cell), i),
                     true);
    else
      expect(oracle, node, part->slot[i], node->slot[i]);
}

/* Checks the contents of a node that is reachable in this round. */
static void check_node(Oracle *oracle, ShadowNode *node) {
  REQUIRE(node->cell->kind == node->kind && toy_id(node->cell) == node->id,
          "freed, but reachable: %s", reach_path(oracle, node->id));
  ToyRef ref = toy_ref_of(node->cell);
  switch ((ToyKind)node->kind) {
    case TOY_LEAF: check_leaf(node); break;
    case TOY_PAIR:
      expect(oracle, node, toy_pair_get(ref, 0), node->slot[0]);
      expect(oracle, node, toy_pair_get(ref, 1), node->slot[1]);
      break;
    case TOY_ARRAY:
    case TOY_WEAK_ARRAY:
      check_slots(oracle, node, toy_array(ref)->part, toy_array_count(ref));
      break;
    case TOY_EPHEMERON:
    case TOY_CACHE: check_table(oracle, node); break;
    case TOY_STACK:
      check_slots(oracle, node, toy_stack(ref)->part, toy_stack_top(ref));
      break;
    case TOY_UPVALUE:
      sync_upvalue(oracle, node, true);
      expect(oracle, node, toy_upvalue_get(ref),
             shadow_upvalue_value(oracle, node));
      break;
    case TOY_SYMBOL:
    case TOY_PART:
    case TOY_KIND_COUNT: break;
  }
}

void check_reached(Oracle *oracle) {
  for (size_t i = 0; i < oracle->node_capacity; i++) {
    ShadowNode *node = oracle->node[i];
    if (node && !node->gone && node->mark == oracle->round)
      check_node(oracle, node);
  }
}

/* The first pass finds entries that a collection has removed.  Such an entry
** may have been the only reference to a symbol, so everything is marked
** again. */
void reach_without_lost_entries(Oracle *oracle) {
  reach_all(oracle);
  for (size_t i = 0; i < oracle->tables.count; i++) {
    ShadowNode *node = shadow_of(oracle, oracle->tables.id[i]);
    if (!node->gone && node->mark == oracle->round) check_node(oracle, node);
  }
  reach_all(oracle);
}

bool oracle_can_reach(Oracle *oracle, ToyRef object) {
  uint32_t id = oracle_node(oracle, object)->id;
  reach_without_lost_entries(oracle);
  return reach_has(oracle, id);
}

void oracle_check(Oracle *oracle) {
  oracle->checks++;
  reach_without_lost_entries(oracle);
  check_reached(oracle);
}
