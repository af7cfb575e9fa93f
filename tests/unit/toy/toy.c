/* SPDX-License-Identifier: MIT */
/*
** toy.c -- the toy program: opening and closing, leaves, pairs and arrays
*/
#include "toy/toy_impl.h"

/* -- Roots ----------------------------------------------------------------- */

static void root_edge(ToyRef ref, GcEdgeFn *edge, void *context) {
  if (!toy_is_object(ref)) return;
  bool leaf = (ref & (TOY_IS_LEAF | TOY_IS_SYMBOL)) != 0;
  GcEdge e = {toy_cell(ref), NULL, leaf ? EDGE_LEAF : EDGE_STRONG, "root",
              NULL};
  edge(context, e);
}

static void toy_roots(void *context, GcEdgeFn *edge, void *edge_context) {
  Toy *toy = context;
  for (int i = 0; i < TOY_ROOTS; i++)
    root_edge(toy->root[i], edge, edge_context);
  root_edge(toy->newborn, edge, edge_context);
  root_edge(toy->main_stack, edge, edge_context);
}

/* -- Opening and closing --------------------------------------------------- */

void toy_open(Toy *toy) {
  memset(toy, 0, sizeof *toy);
  GcClient client = {.kinds = toy_kinds,
                     .kind_count = TOY_KIND_COUNT,
                     .roots = toy_roots,
                     .sweep_set = toy_set_sweep,
                     .context = toy};
  gc_init(&toy->gc, &client, test_allocate, &toy->allocator);
  toy->gc.heap.poison = true;
}

void toy_close(Toy *toy) {
  gc_close(&toy->gc);
  free(toy->set);
}

/* -- Objects in general ---------------------------------------------------- */

void *toy_new(Toy *toy, size_t size, ToyKind kind) {
  Cell *cell = gc_new(&toy->gc, size, kind);
  if (!cell) return NULL;
  uint32_t id = ++toy->last_id;
  if (kind == TOY_STACK)
    ((ToyStack *)(void *)cell)->id = id;
  else
    ((ToyLeaf *)(void *)cell)->id = id;
  return cell;
}

ToyPart *toy_new_part(Toy *toy, uint32_t owner, size_t slots) {
  ToyPart *part = gc_new(&toy->gc, toy_part_size(slots), TOY_PART);
  if (!part) return NULL;
  part->owner = owner;
  memset(part->slot, 0, slots * sizeof *part->slot);
  return part;
}

uint32_t toy_id(const Cell *cell) {
  if (cell->kind == TOY_STACK)
    return ((const ToyStack *)(const void *)cell)->id;
  return ((const ToyLeaf *)(const void *)cell)->id;
}

ToyRef toy_ref_of(const Cell *cell) {
  ToyRef ref = (ToyRef)cell;
  if (cell->kind == TOY_LEAF) ref |= TOY_IS_LEAF;
  if (cell->kind == TOY_SYMBOL) ref |= TOY_IS_SYMBOL;
  return ref;
}

/* -- Leaves and pairs ------------------------------------------------------ */

ToyRef toy_new_leaf(Toy *toy, size_t size) {
  ToyLeaf *leaf = toy_new(toy, size, TOY_LEAF);
  if (!leaf) return 0;
  leaf->size = size;
  memset(leaf + 1, (int)(leaf->id & 0x7F), size - sizeof *leaf);
  return toy_ref_of(&leaf->cell);
}

ToyRef toy_new_pair(Toy *toy, ToyRef first, ToyRef second) {
  ToyPair *pair = toy_new(toy, sizeof *pair, TOY_PAIR);
  if (!pair) return 0;
  pair->slot[0] = first;
  pair->slot[1] = second;
  return toy_ref_of(&pair->cell);
}

void toy_pair_set(Toy *toy, ToyRef pair, unsigned slot, ToyRef value) {
  toy_pair(pair)->slot[slot] = value;
  if (slot == 0)
    gc_barrier_forward(&toy->gc, toy_cell(pair), toy_cell(value));
  else
    gc_barrier_back(&toy->gc, toy_cell(pair), toy_cell(value));
}

/* -- Arrays ---------------------------------------------------------------- */

static ToyRef new_array(Toy *toy, size_t count, ToyKind kind) {
  ToyArray *array = toy_new(toy, sizeof *array, kind);
  if (!array) return 0;
  array->count = 0;
  array->part = NULL;
  toy->newborn = toy_ref_of(&array->cell);
  ToyRef result = toy->newborn;
  if (!toy_array_resize(toy, result, count)) result = 0;
  toy->newborn = 0;
  return result;
}

ToyRef toy_new_array(Toy *toy, size_t count) {
  return new_array(toy, count, TOY_ARRAY);
}

ToyRef toy_new_weak_array(Toy *toy, size_t count) {
  return new_array(toy, count, TOY_WEAK_ARRAY);
}

void toy_array_set(Toy *toy, ToyRef array, size_t slot, ToyRef value) {
  toy_array(array)->part->slot[slot] = value;
  gc_barrier_back(&toy->gc, toy_cell(array), toy_cell(value));
}

ToyRef toy_array_get(const Toy *toy, ToyRef array, size_t slot) {
  ToyRef value = toy_array(array)->part->slot[slot];
  if (toy_kind(array) == TOY_WEAK_ARRAY && toy_is_dead(toy, value)) return 0;
  return value;
}

static void array_drop_part(Toy *toy, ToyArray *array) {
  ToyPart *part = array->part;
  size_t count = array->count;
  array->part = NULL;
  array->count = 0;
  gc_part_replaced(&toy->gc, &array->cell, NULL);
  gc_free_part(&toy->gc, part, toy_part_size(count));
}

bool toy_array_resize(Toy *toy, ToyRef ref, size_t count) {
  ToyArray *array = toy_array(ref);
  if (count == array->count) return true;
  if (count == 0) {
    array_drop_part(toy, array);
    return true;
  }
  ToyPart *part;
  if (array->part)
    part = gc_resize_part(&toy->gc, array->part, toy_part_size(array->count),
                          toy_part_size(count));
  else
    part = toy_new_part(toy, array->id, count);
  if (!part) return false;
  for (size_t i = array->count; i < count; i++) part->slot[i] = 0;
  array->part = part;
  array->count = count;
  gc_part_replaced(&toy->gc, &array->cell, &part->cell);
  return true;
}

/* -- Finalizers ------------------------------------------------------------ */

bool toy_register(Toy *toy, ToyRef object) {
  return gc_register_finalizer(&toy->gc, toy_cell(object));
}

ToyRef toy_next_finalizable(Toy *toy) {
  Cell *cell = gc_next_finalizable(&toy->gc);
  return cell ? toy_ref_of(cell) : 0;
}
