/* SPDX-License-Identifier: MIT */
/*
** oracle_reach.c -- reachability, computed in the simplest way
*/
#include "toy/oracle_impl.h"

#include <stdio.h>

static void reach(Oracle *oracle, uint32_t id) {
  if (id == 0) return;
  ShadowNode *node = shadow_of(oracle, id);
  if (node->mark == oracle->round) return;
  node->mark = oracle->round;
  node->from = oracle->visiting;
  id_list_add(&oracle->work, id);
}

static bool is_symbol(const Oracle *oracle, uint32_t id) {
  return id && shadow_of(oracle, id)->kind == TOY_SYMBOL;
}

static bool is_leaf(const Oracle *oracle, uint32_t id) {
  return id && shadow_of(oracle, id)->kind == TOY_LEAF;
}

bool shadow_key_is_weak(const Oracle *oracle, const ShadowNode *table,
                        uint32_t key) {
  if (is_symbol(oracle, key)) return false;
  return table->kind == TOY_CACHE || !is_leaf(oracle, key);
}

bool shadow_value_is_weak(const Oracle *oracle, const ShadowNode *holder,
                          uint32_t value) {
  return value && !is_symbol(oracle, value) &&
         (holder->kind == TOY_CACHE || holder->kind == TOY_WEAK_ARRAY);
}

static void reach_entry(Oracle *oracle, const ShadowNode *table,
                        const ShadowEntry *entry) {
  if (!shadow_key_is_weak(oracle, table, entry->key)) reach(oracle, entry->key);
  if (table->kind == TOY_EPHEMERON) {
    if (reach_has(oracle, entry->key)) reach(oracle, entry->value);
  } else if (!shadow_value_is_weak(oracle, table, entry->value)) {
    reach(oracle, entry->value);
  }
}

static void reach_node(Oracle *oracle, ShadowNode *node) {
  oracle->visiting = node->id;
  if (node->kind == TOY_SYMBOL) return; /* its count is its key */
  if (node->kind == TOY_UPVALUE) {
    reach(oracle, shadow_upvalue_value(oracle, node));
    return;
  }
  for (size_t i = 0; i < node->entries; i++)
    reach_entry(oracle, node, &node->entry[i]);
  for (size_t i = 0; i < node->count; i++)
    if (!shadow_value_is_weak(oracle, node, node->slot[i]))
      reach(oracle, node->slot[i]);
}

/* A stack keeps the upvalues that are open on it. */
static void reach_open_upvalues(Oracle *oracle) {
  for (size_t i = 0; i < oracle->upvalues.count; i++) {
    ShadowNode *node = shadow_of(oracle, oracle->upvalues.id[i]);
    if (!node->open || node->gone || !reach_has(oracle, node->stack)) continue;
    oracle->visiting = node->stack;
    reach(oracle, node->id);
  }
}

static void reach_ephemerons(Oracle *oracle) {
  for (size_t i = 0; i < oracle->tables.count; i++) {
    ShadowNode *node = shadow_of(oracle, oracle->tables.id[i]);
    if (node->mark == oracle->round) reach_node(oracle, node);
  }
}

/* Follows references until nothing changes. */
static void reach_closure(Oracle *oracle) {
  while (oracle->work.count > 0) {
    while (oracle->work.count > 0)
      reach_node(oracle,
                 shadow_of(oracle, oracle->work.id[--oracle->work.count]));
    reach_open_upvalues(oracle);
    reach_ephemerons(oracle);
  }
}

/* The end of the part of the queue that the program can reach.  Objects are
** queued in the middle of a collection, but are dead to the program until all
** that they refer to is resurrected. */
static size_t queue_end(const Oracle *oracle) {
  const Gc *gc = &oracle->toy->gc;
  if (gc->phase == PHASE_SEPARATE || gc->phase == PHASE_RESURRECT)
    return size_min(oracle->queue.count, oracle->queue_taken + gc->ready);
  return oracle->queue.count;
}

uint32_t reach_all(Oracle *oracle) {
  oracle->round++;
  oracle->work.count = 0;
  oracle->visiting = 0;
  for (int i = 0; i < TOY_ROOTS; i++) reach(oracle, oracle->root[i]);
  reach(oracle, oracle->running);
  reach(oracle, oracle->main_stack);
  for (size_t i = oracle->queue_taken; i < queue_end(oracle); i++)
    reach(oracle, oracle->queue.id[i]);
  reach_closure(oracle);
  return oracle->round;
}

void reach_from(Oracle *oracle, uint32_t id) {
  oracle->visiting = 0;
  reach(oracle, id);
  reach_closure(oracle);
}

const char *reach_path(const Oracle *oracle, uint32_t id) {
  static char text[400];
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < 12 && id && used < sizeof text; i++) {
    const ShadowNode *node = shadow_of(oracle, id);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s #%u",
                             i ? " < " : "", toy_kinds[node->kind].name, id);
    id = node->from;
  }
  return text;
}
