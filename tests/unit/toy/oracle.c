/* SPDX-License-Identifier: MIT */
/*
** oracle.c -- the shadow graph, which records what the test did to the objects
*/
#include "toy/oracle_impl.h"

/* -- Memory that does not fail --------------------------------------------- */

static void *grow(void *old, size_t count, size_t size) {
  void *memory = realloc(old, count * size);
  REQUIRE(memory || count == 0, "no memory for the oracle");
  return memory;
}

void id_list_add(IdList *list, uint32_t id) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 64;
    list->id = grow(list->id, list->capacity, sizeof *list->id);
  }
  list->id[list->count++] = id;
}

/* -- Opening and closing --------------------------------------------------- */

void oracle_open(Oracle *oracle, Toy *toy) {
  memset(oracle, 0, sizeof *oracle);
  oracle->toy = toy;
}

void shadow_free(ShadowNode *node) {
  free(node->slot);
  free(node->since);
  free(node->entry);
  node->slot = NULL;
  node->since = NULL;
  node->entry = NULL;
  node->count = node->entries = node->capacity = 0;
}

void oracle_close(Oracle *oracle) {
  for (size_t i = 0; i < oracle->node_capacity; i++) {
    if (!oracle->node[i]) continue;
    shadow_free(oracle->node[i]);
    free(oracle->node[i]);
  }
  IdList *lists[] = {&oracle->upvalues, &oracle->tables, &oracle->symbols,
                     &oracle->queue, &oracle->work};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]->id);
  free(oracle->node);
}

/* -- Nodes ----------------------------------------------------------------- */

ShadowNode *shadow_of(const Oracle *oracle, uint32_t id) {
  REQUIRE(id < oracle->node_capacity && oracle->node[id], "no object #%u", id);
  return oracle->node[id];
}

uint32_t oracle_id(ToyRef ref) {
  return toy_is_object(ref) ? toy_id(toy_cell(ref)) : 0;
}

/* Checks that the object is where its shadow says, and has its kind and id. */
ShadowNode *oracle_node(Oracle *oracle, ToyRef ref) {
  Cell *cell = toy_cell(ref);
  REQUIRE(cell, "nothing where an object should be");
  REQUIRE(cell->kind < TOY_KIND_COUNT && cell->kind != TOY_PART,
          "no object at %p: kind %u", (void *)cell, cell->kind);
  ShadowNode *node = shadow_of(oracle, toy_id(cell));
  REQUIRE(node->cell == cell && node->kind == cell->kind,
          "#%u is a %s at %p, not a %s at %p", node->id,
          toy_kinds[node->kind].name, (void *)node->cell,
          toy_kinds[cell->kind].name, (void *)cell);
  REQUIRE(!node->gone, "#%u, a %s, was freed", node->id,
          toy_kinds[node->kind].name);
  return node;
}

bool shadow_is_table(const ShadowNode *node) {
  return node->kind == TOY_EPHEMERON || node->kind == TOY_CACHE;
}

static ShadowNode *node_add(Oracle *oracle, ToyRef ref) {
  uint32_t id = oracle_id(ref);
  if (id >= oracle->node_capacity) {
    size_t capacity = oracle->node_capacity ? 2 * oracle->node_capacity : 1024;
    while (capacity <= id) capacity *= 2;
    oracle->node = grow(oracle->node, capacity, sizeof *oracle->node);
    memset(oracle->node + oracle->node_capacity, 0,
           (capacity - oracle->node_capacity) * sizeof *oracle->node);
    oracle->node_capacity = capacity;
  }
  REQUIRE(!oracle->node[id], "#%u exists already", id);
  ShadowNode *node = grow(NULL, 1, sizeof *node);
  memset(node, 0, sizeof *node);
  node->id = id;
  node->kind = (uint8_t)toy_kind(ref);
  node->cell = toy_cell(ref);
  oracle->node[id] = node;
  if (node->kind == TOY_UPVALUE) id_list_add(&oracle->upvalues, id);
  if (shadow_is_table(node)) id_list_add(&oracle->tables, id);
  if (node->kind == TOY_SYMBOL) id_list_add(&oracle->symbols, id);
  return node;
}

static void node_set_count(Oracle *oracle, ShadowNode *node, size_t count) {
  if (count > node->capacity) {
    node->capacity = count + count / 2;
    node->slot = grow(node->slot, node->capacity, sizeof *node->slot);
    node->since = grow(node->since, node->capacity, sizeof *node->since);
  }
  for (size_t i = node->count; i < count; i++) {
    node->slot[i] = 0;
    node->since[i] = oracle->clock;
  }
  node->count = count;
}

void oracle_created(Oracle *oracle, ToyRef ref) {
  ShadowNode *node = node_add(oracle, ref);
  if (node->kind == TOY_PAIR) {
    node_set_count(oracle, node, 2);
    node->slot[0] = oracle_id(toy_pair_get(ref, 0));
    node->slot[1] = oracle_id(toy_pair_get(ref, 1));
  } else if (node->kind == TOY_ARRAY || node->kind == TOY_WEAK_ARRAY) {
    node_set_count(oracle, node, toy_array_count(ref));
  }
}

/* Called when a symbol for the key was made.  No other one may be in use. */
static void symbol_is_new(Oracle *oracle, uint32_t key) {
  for (size_t i = 0; i < oracle->symbols.count; i++) {
    ShadowNode *old = shadow_of(oracle, oracle->symbols.id[i]);
    if (old->gone || old->count != key) continue;
    reach_without_lost_entries(oracle);
    REQUIRE(!reach_has(oracle, old->id),
            "a symbol for %u was made though #%u is reachable", key, old->id);
    old->gone = true;
  }
}

void oracle_interned(Oracle *oracle, ToyRef ref, uint32_t key) {
  uint32_t id = oracle_id(ref);
  bool known = id < oracle->node_capacity && oracle->node[id];
  if (!known) {
    symbol_is_new(oracle, key);
    node_add(oracle, ref)->count = key;
  }
  ShadowNode *node = oracle_node(oracle, ref);
  REQUIRE(node->kind == TOY_SYMBOL && node->count == key,
          "#%u is not the symbol for %u", id, key);
}

/* -- Stores ---------------------------------------------------------------- */

void oracle_set_root(Oracle *oracle, unsigned index, ToyRef value) {
  if (toy_is_object(value)) oracle_node(oracle, value);
  oracle->root[index] = oracle_id(value);
}

void oracle_set_slot(Oracle *oracle, ToyRef object, size_t slot, ToyRef value) {
  ShadowNode *node = oracle_node(oracle, object);
  if (toy_is_object(value)) oracle_node(oracle, value);
  REQUIRE(slot < node->count, "#%u has no slot %zu", node->id, slot);
  node->slot[slot] = oracle_id(value);
  node->since[slot] = ++oracle->clock;
}

void oracle_set_count(Oracle *oracle, ToyRef object, size_t count) {
  node_set_count(oracle, oracle_node(oracle, object), count);
}

ShadowEntry *shadow_find(ShadowNode *table, uint32_t key) {
  for (size_t i = 0; i < table->entries; i++)
    if (table->entry[i].key == key) return &table->entry[i];
  return NULL;
}

void shadow_remove_entry(ShadowNode *table, ShadowEntry *entry) {
  *entry = table->entry[--table->entries];
}

void oracle_put(Oracle *oracle, ToyRef table, ToyRef key, ToyRef value) {
  ShadowNode *node = oracle_node(oracle, table);
  oracle_node(oracle, key);
  if (toy_is_object(value)) oracle_node(oracle, value);
  ShadowEntry *entry = shadow_find(node, oracle_id(key));
  if (!entry) {
    if (node->entries == node->capacity) {
      node->capacity = node->capacity ? 2 * node->capacity : 4;
      node->entry = grow(node->entry, node->capacity, sizeof *node->entry);
    }
    entry = &node->entry[node->entries++];
    entry->seen = 0;
    entry->key = oracle_id(key);
  }
  entry->value = oracle_id(value);
  entry->since = ++oracle->clock;
}

void oracle_remove(Oracle *oracle, ToyRef table, ToyRef key) {
  ShadowNode *node = oracle_node(oracle, table);
  ShadowEntry *entry = shadow_find(node, oracle_id(key));
  if (entry) shadow_remove_entry(node, entry);
}

/* -- Upvalues -------------------------------------------------------------- */

void oracle_opened(Oracle *oracle, ToyRef upvalue, ToyRef stack, size_t slot) {
  uint32_t id = oracle_id(upvalue);
  if (id >= oracle->node_capacity || !oracle->node[id])
    node_add(oracle, upvalue);
  ShadowNode *node = oracle_node(oracle, upvalue);
  node->open = true;
  node->stack = oracle_id(stack);
  node->count = slot;
}

uint32_t shadow_upvalue_value(const Oracle *oracle, const ShadowNode *upvalue) {
  if (!upvalue->open) return upvalue->slot ? upvalue->slot[0] : 0;
  ShadowNode *stack = shadow_of(oracle, upvalue->stack);
  REQUIRE(upvalue->count < stack->count, "#%u is open on slot %zu of %zu",
          upvalue->id, upvalue->count, stack->count);
  return stack->slot[upvalue->count];
}

void shadow_close_upvalue(Oracle *oracle, ShadowNode *upvalue) {
  uint32_t value = shadow_upvalue_value(oracle, upvalue);
  upvalue->open = false;
  upvalue->count = 0;
  node_set_count(oracle, upvalue, 1);
  upvalue->slot[0] = value;
}

void oracle_set_upvalue(Oracle *oracle, ToyRef upvalue, ToyRef value) {
  ShadowNode *node = oracle_node(oracle, upvalue);
  if (toy_is_object(value)) oracle_node(oracle, value);
  if (node->open)
    shadow_of(oracle, node->stack)->slot[node->count] = oracle_id(value);
  else
    node->slot[0] = oracle_id(value);
}

void oracle_closed(Oracle *oracle, ToyRef upvalue) {
  ShadowNode *node = oracle_node(oracle, upvalue);
  if (node->open) shadow_close_upvalue(oracle, node);
}

void oracle_close_from(Oracle *oracle, ToyRef stack, size_t slot) {
  uint32_t id = oracle_id(stack);
  for (size_t i = 0; i < oracle->upvalues.count; i++) {
    ShadowNode *node = shadow_of(oracle, oracle->upvalues.id[i]);
    if (node->open && node->stack == id && node->count >= slot)
      shadow_close_upvalue(oracle, node);
  }
}

/* -- Registering ----------------------------------------------------------- */

void oracle_registered(Oracle *oracle, ToyRef object) {
  ShadowNode *node = oracle_node(oracle, object);
  if (node->registered || node->queued) return;
  node->registered = ++oracle->clock;
}

void oracle_finalizing(Oracle *oracle, ToyRef object) {
  ShadowNode *node = oracle_node(oracle, object);
  REQUIRE(oracle->queue_taken < oracle->queue.count,
          "#%u handed out, but nothing was queued", node->id);
  uint32_t next = oracle->queue.id[oracle->queue_taken++];
  REQUIRE(next == node->id, "#%u handed out before #%u", node->id, next);
  node->queued = false;
}
