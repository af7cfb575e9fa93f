/* SPDX-License-Identifier: MIT */
/*
** oracle_collect.c -- what a collection must do and must not do
*/
#include "toy/oracle_impl.h"

/* -- The queue of finalizable objects -------------------------------------- */

/* Records which objects are reachable without the objects queued now. */
static void remember_reached(Oracle *oracle) {
  reach_all(oracle);
  for (size_t i = 0; i < oracle->node_capacity; i++)
    if (oracle->node[i])
      oracle->node[i]->before = oracle->node[i]->mark == oracle->round;
}

/* Marks all that is reachable from the queued objects, from `first` on. */
static void resurrect(Oracle *oracle, size_t first) {
  oracle->clock++;
  for (size_t i = first; i < oracle->queue.count; i++)
    reach_from(oracle, oracle->queue.id[i]);
  for (size_t i = 0; i < oracle->node_capacity; i++) {
    ShadowNode *node = oracle->node[i];
    if (!node || node->mark != oracle->round || node->before) continue;
    node->resurrected = oracle->clock;
    oracle->resurrections++;
  }
}

static void queue_add(Oracle *oracle, ShadowNode *node) {
  id_list_add(&oracle->queue, node->id);
  node->registered = 0;
  node->queued = true;
}

/* Adds an object of the real queue to the shadow queue.  Only the first object
** of a cycle may have been registered later than the object before it. */
static void queue_notice(Oracle *oracle, ToyRef ref) {
  ShadowNode *node = oracle_node(oracle, ref);
  REQUIRE(node->registered, "#%u was queued but is not registered", node->id);
  REQUIRE(!node->before, "#%u was queued but is reachable", node->id);
  if (node->registered > oracle->last_queued) {
    REQUIRE(oracle->batches > 0,
            "#%u was registered later than #%u but is "
            "queued behind it",
            node->id, oracle->queue.id[oracle->queue.count - 1]);
    oracle->batches--;
  }
  oracle->last_queued = node->registered;
  queue_add(oracle, node);
}

/* Compares the real queue with the shadow queue, and adds its new objects to
** the latter. */
static void queue_compare(Oracle *oracle) {
  const Worklist *list = &oracle->toy->gc.to_finalize;
  WorkPlace place = worklist_begin(list);
  size_t at = oracle->queue_taken, known = oracle->queue.count;
  uintptr_t *entry;
  while ((entry = worklist_next(list, &place)) != NULL) {
    ToyRef ref = toy_ref_of((Cell *)*entry);
    if (at >= known) {
      queue_notice(oracle, ref);
    } else {
      uint32_t id = oracle_node(oracle, ref)->id;
      REQUIRE(id == oracle->queue.id[at], "#%u is queued where #%u was", id,
              oracle->queue.id[at]);
    }
    at++;
  }
  REQUIRE(at >= known, "%zu objects vanished from the queue", known - at);
}

/* How often the collector has begun to look for objects to finalize. */
static uint64_t separations(const Gc *gc) {
  return gc->stats.cycles + (gc->phase >= PHASE_SEPARATE);
}

void oracle_sync(Oracle *oracle) {
  const Gc *gc = &oracle->toy->gc;
  uint64_t now = separations(gc);
  bool more = gc->stats.finalizers_queued != oracle->queued_total;
  if (now != oracle->separations)
    oracle->batches = more ? oracle->batches + now - oracle->separations : 1;
  if (more) {
    size_t known = oracle->queue.count;
    remember_reached(oracle);
    queue_compare(oracle);
    resurrect(oracle, known);
    oracle->queued_total = gc->stats.finalizers_queued;
  }
  oracle->separations = now;
}

/* -- Cells ----------------------------------------------------------------- */

static const ToyPart *part_of(const ShadowNode *node) {
  ToyRef ref = toy_ref_of(node->cell);
  switch ((ToyKind)node->kind) {
    case TOY_ARRAY:
    case TOY_WEAK_ARRAY: return toy_array(ref)->part;
    case TOY_EPHEMERON:
    case TOY_CACHE: return toy_table(ref)->part;
    case TOY_STACK: return toy_stack(ref)->part;
    default: return NULL;
  }
}

typedef struct CellCount {
  Oracle *oracle;
  size_t objects;
  size_t parts;
} CellCount;

static bool may_exist(const Oracle *oracle, const ShadowNode *node) {
  return node->mark == oracle->round || node->before;
}

static void count_cell(void *context, void *p, size_t size, bool marked) {
  CellCount *count = context;
  Cell *cell = p;
  (void)marked;
  Oracle *oracle = count->oracle;
  REQUIRE(size >= sizeof(Cell), "a cell of %zu bytes", size);
  if (cell->kind == TOY_PART) {
    const ShadowNode *owner =
        shadow_of(oracle, ((const ToyPart *)(const void *)cell)->owner);
    REQUIRE(may_exist(oracle, owner), "a part of #%u, which is dead",
            owner->id);
    REQUIRE(&part_of(owner)->cell == cell, "a part that #%u had before",
            owner->id);
    count->parts++;
    return;
  }
  const ShadowNode *node = oracle_node(oracle, toy_ref_of(cell));
  REQUIRE(may_exist(oracle, node), "#%u, a %s, should have been freed",
          node->id, toy_kinds[node->kind].name);
  count->objects++;
}

static void compact_list(const Oracle *oracle, IdList *list) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++)
    if (!shadow_of(oracle, list->id[i])->gone) list->id[kept++] = list->id[i];
  list->count = kept;
}

/* Marks all nodes that were not reached as gone. */
static void forget_unreached(Oracle *oracle) {
  for (size_t i = 0; i < oracle->node_capacity; i++) {
    ShadowNode *node = oracle->node[i];
    if (!node || node->gone || may_exist(oracle, node)) continue;
    node->gone = true;
    shadow_free(node);
  }
  compact_list(oracle, &oracle->upvalues);
  compact_list(oracle, &oracle->tables);
  compact_list(oracle, &oracle->symbols);
}

/* Checks that every cell belongs to a reached object. */
static CellCount compare_cells(Oracle *oracle) {
  CellCount count = {oracle, 0, 0};
  heap_walk(&oracle->toy->gc.heap, count_cell, &count);
  forget_unreached(oracle);
  return count;
}

/* Checks that every reached object has its cells. */
static void compare_counts(const Oracle *oracle, CellCount count) {
  size_t objects = 0, parts = 0;
  for (size_t i = 0; i < oracle->node_capacity; i++) {
    const ShadowNode *node = oracle->node[i];
    if (!node || node->gone || node->mark != oracle->round) continue;
    objects++;
    if (part_of(node)) parts++;
  }
  REQUIRE(objects == count.objects, "%zu objects, not %zu", count.objects,
          objects);
  REQUIRE(parts == count.parts, "%zu parts, not %zu", count.parts, parts);
}

/* A symbol may outlive the entry that kept it by one cycle.  Every other
** unreachable object is gone. */
void oracle_collect(Oracle *oracle) {
  gc_collect(&oracle->toy->gc);
  oracle_sync(oracle);
  remember_reached(oracle);
  oracle_check(oracle);
  compare_cells(oracle);
}

/* -- The exact effect of a full collection --------------------------------- */

static int compare_registration(const void *left, const void *right) {
  const ShadowNode *a = *(ShadowNode *const *)left;
  const ShadowNode *b = *(ShadowNode *const *)right;
  return a->registered < b->registered ? 1 : -(a->registered > b->registered);
}

/* Queues the registered objects that were not reached, later registrations
** first. */
static void expect_queue(Oracle *oracle) {
  size_t count = 0;
  ShadowNode **found = malloc((oracle->node_capacity + 1) * sizeof *found);
  REQUIRE(found, "no memory for the oracle");
  for (size_t i = 0; i < oracle->node_capacity; i++) {
    ShadowNode *node = oracle->node[i];
    if (node && !node->gone && node->registered && !node->before)
      found[count++] = node;
  }
  qsort(found, count, sizeof *found, compare_registration);
  for (size_t i = 0; i < count; i++) {
    oracle->last_queued = found[i]->registered;
    queue_add(oracle, found[i]);
  }
  free(found);
}

/* Removes the weak values of a container that were not reached in this
** round. */
static void expect_values(Oracle *oracle, ShadowNode *node) {
  if (node->kind == TOY_WEAK_ARRAY)
    for (size_t i = 0; i < node->count; i++)
      if (shadow_value_is_weak(oracle, node, node->slot[i]) &&
          !reach_has(oracle, node->slot[i]))
        node->slot[i] = 0;
  if (node->kind == TOY_CACHE)
    for (size_t i = node->entries; i-- > 0;)
      if (shadow_value_is_weak(oracle, node, node->entry[i].value) &&
          !reach_has(oracle, node->entry[i].value))
        shadow_remove_entry(node, &node->entry[i]);
}

/* Does so for the containers that were reached before the search for
** finalizable objects, or for the others. */
static void expect_cleared_values(Oracle *oracle, bool before) {
  for (size_t i = 0; i < oracle->node_capacity; i++) {
    ShadowNode *node = oracle->node[i];
    if (node && node->mark == oracle->round && node->before == before)
      expect_values(oracle, node);
  }
}

static void expect_cleared_keys(Oracle *oracle) {
  for (size_t i = 0; i < oracle->node_capacity; i++) {
    ShadowNode *node = oracle->node[i];
    if (!node || node->mark != oracle->round || !shadow_is_table(node))
      continue;
    for (size_t j = node->entries; j-- > 0;)
      if (shadow_key_is_weak(oracle, node, node->entry[j].key) &&
          !reach_has(oracle, node->entry[j].key))
        shadow_remove_entry(node, &node->entry[j]);
  }
}

static void expect_closed_upvalues(Oracle *oracle) {
  for (size_t i = 0; i < oracle->upvalues.count; i++) {
    ShadowNode *node = shadow_of(oracle, oracle->upvalues.id[i]);
    if (node->mark == oracle->round && node->open &&
        !reach_has(oracle, node->stack))
      shadow_close_upvalue(oracle, node);
  }
}

/* Registered objects have been kept, with all that they refer to, whether they
** are reachable or not.  Some weak entries among those have been cleared. */
static void check_registered(Oracle *oracle) {
  reach_without_lost_entries(oracle);
  for (size_t i = 0; i < oracle->node_capacity; i++) {
    const ShadowNode *node = oracle->node[i];
    if (node && !node->gone && node->registered) reach_from(oracle, node->id);
  }
  check_reached(oracle);
}

void oracle_collect_exact(Oracle *oracle) {
  Gc *gc = &oracle->toy->gc;
  while (gc->phase != PHASE_PAUSE) gc_step_work(gc, SIZE_MAX);
  oracle_sync(oracle);
  check_registered(oracle);
  size_t known = oracle->queue.count;
  remember_reached(oracle);
  expect_cleared_values(oracle, true);
  expect_queue(oracle);
  resurrect(oracle, known);
  expect_cleared_values(oracle, false);
  expect_cleared_keys(oracle);
  expect_closed_upvalues(oracle);
  gc_collect(gc);
  oracle->batches = 0;
  queue_compare(oracle);
  oracle->queued_total = gc->stats.finalizers_queued;
  oracle->separations = separations(gc);
  oracle->exact = true;
  check_reached(oracle);
  oracle->exact = false;
  compare_counts(oracle, compare_cells(oracle));
  oracle->exact_checks++;
}
