/* SPDX-License-Identifier: MIT */
/*
** world_edits.c -- the edits of the random program
**
** The program has registers (roots) and a stack.  An edit finds its objects by
** a walk from a root along random references, and compares each with the
** oracle.  It holds them in a register or on the stack until it is over.  After
** that the collector may free them.
*/
#include "toy/cells.h"
#include "toy/world_impl.h"

enum { ROOT_COUNT = TOY_ROOTS - WORLD_REGISTERS, SYMBOL_KEYS = 300 };

/* -- Holding --------------------------------------------------------------- */

static void set_root(World *world, unsigned index, ToyRef ref) {
  world->toy.root[index] = ref;
  oracle_set_root(&world->oracle, index, ref);
}

/* Pushes onto any stack.  False if there is no memory. */
static bool push(World *world, ToyRef stack, ToyRef value) {
  bool done = toy_stack_push(&world->toy, stack, value);
  oracle_sync(&world->oracle);
  if (!done) return false;
  oracle_set_count(&world->oracle, stack, toy_stack_top(stack));
  oracle_set_slot(&world->oracle, stack, toy_stack_top(stack) - 1, value);
  return true;
}

static void pop(World *world, ToyRef stack, size_t count) {
  size_t capacity = toy_stack_top(stack) - toy_stack(stack)->base;
  if (count > capacity) count = capacity;
  oracle_close_from(&world->oracle, stack, toy_stack_top(stack) - count);
  toy_stack_pop(&world->toy, stack, count);
  oracle_set_count(&world->oracle, stack, toy_stack_top(stack));
}

/* Keeps the object alive until the edit is over. */
static ToyRef hold(World *world, ToyRef ref) {
  if (!toy_is_object(ref)) return ref;
  set_root(world, ROOT_COUNT + world->held++, ref);
  ToyRef running = toy_running(&world->toy);
  if (running && chance(world, 50) && push(world, running, ref)) {
    set_root(world, ROOT_COUNT + --world->held, 0);
    world->pushed++;
  }
  return ref;
}

static void let_go(World *world) {
  while (world->held > 0) set_root(world, ROOT_COUNT + --world->held, 0);
  if (world->pushed) pop(world, toy_running(&world->toy), world->pushed);
  world->pushed = 0;
}

/* -- Walking --------------------------------------------------------------- */

static ToyRef step_table(World *world, ToyRef table) {
  size_t places = toy_table_places(table);
  ToyRef key, value;
  for (int tries = 0; places && tries < 4; tries++)
    if (toy_table_entry(&world->toy, table, below(world, places), &key,
                        &value)) {
      oracle_read_entry(&world->oracle, table, key, value);
      return chance(world, 50) ? key : value;
    }
  return 0;
}

static ToyRef step_slots(World *world, ToyRef object, size_t count) {
  if (count == 0) return 0;
  size_t slot = below(world, count);
  ToyRef value;
  if (toy_kind(object) == TOY_PAIR)
    value = toy_pair_get(object, (unsigned)slot);
  else if (toy_kind(object) == TOY_STACK)
    value = toy_stack_get(object, slot);
  else
    value = toy_array_get(&world->toy, object, slot);
  oracle_read(&world->oracle, object, slot, value);
  return value;
}

/* An object that this object refers to, or 0. */
static ToyRef step(World *world, ToyRef object) {
  oracle_node(&world->oracle, object);
  switch (toy_kind(object)) {
    case TOY_PAIR: return step_slots(world, object, 2);
    case TOY_ARRAY:
    case TOY_WEAK_ARRAY:
      return step_slots(world, object, toy_array_count(object));
    case TOY_STACK: return step_slots(world, object, toy_stack_top(object));
    case TOY_EPHEMERON:
    case TOY_CACHE: return step_table(world, object);
    case TOY_UPVALUE: return oracle_read_upvalue(&world->oracle, object);
    default: return 0;
  }
}

static ToyRef start(World *world) {
  ToyRef running = toy_running(&world->toy);
  if (running && chance(world, 30)) return running;
  if (chance(world, 10)) return world->toy.main_stack;
  return world->toy.root[below(world, ROOT_COUNT)];
}

/* A random object, held; 0 if the walk found none. */
static ToyRef pick(World *world) {
  ToyRef object = start(world);
  if (!toy_is_object(object)) return 0;
  for (size_t steps = below(world, 8); steps > 0; steps--) {
    ToyRef next = step(world, object);
    if (toy_is_object(next)) object = next;
  }
  oracle_node(&world->oracle, object);
  return hold(world, object);
}

/* A random object of the given kinds (bits), held; 0 if there was none. */
static ToyRef pick_kind(World *world, unsigned kinds) {
  for (int tries = 0; tries < 3; tries++) {
    ToyRef object = start(world);
    if (!toy_is_object(object)) continue;
    for (int steps = 0; steps < 12; steps++) {
      if (kinds >> toy_kind(object) & 1 && chance(world, 40))
        return hold(world, object);
      ToyRef next = step(world, object);
      if (!toy_is_object(next)) break;
      object = next;
    }
  }
  return 0;
}

static ToyRef pick_or_number(World *world) {
  return chance(world, 10) ? toy_number(below(world, 1000)) : pick(world);
}

/* -- Creating -------------------------------------------------------------- */

/* The kinds that have slots to store into. */
enum {
  HOLDERS = 1 << TOY_PAIR | 1 << TOY_ARRAY | 1 << TOY_WEAK_ARRAY,
  TABLES = 1 << TOY_EPHEMERON | 1 << TOY_CACHE
};

static void store_into(World *world, ToyRef holder, ToyRef value) {
  Toy *toy = &world->toy;
  size_t slot;
  if (toy_kind(holder) == TOY_PAIR) {
    slot = below(world, 2);
    toy_pair_set(toy, holder, (unsigned)slot, value);
  } else {
    if (toy_array_count(holder) == 0) return;
    slot = below(world, toy_array_count(holder));
    toy_array_set(toy, holder, slot, value);
  }
  oracle_set_slot(&world->oracle, holder, slot, value);
}

static void put(World *world, ToyRef table, ToyRef key, ToyRef value) {
  bool done = toy_table_put(&world->toy, table, key, value);
  oracle_sync(&world->oracle);
  if (done) oracle_put(&world->oracle, table, key, value);
}

/* Stores an object that is held in a place where it may stay. */
static void keep_somewhere(World *world, ToyRef object) {
  ToyRef holder;
  switch (below(world, 8)) {
    case 0: {
      unsigned index = (unsigned)below(world, ROOT_COUNT);
      if (!world->toy.root[index] || chance(world, 5))
        set_root(world, index, object);
      break;
    }
    case 1:
    case 2:
      holder = pick_kind(world, TABLES);
      if (!holder) break;
      if (chance(world, 50)) {
        put(world, holder, object, pick_or_number(world));
      } else {
        ToyRef key = pick(world);
        if (key) put(world, holder, key, object);
      }
      break;
    default:
      holder = pick_kind(world, HOLDERS);
      if (holder) store_into(world, holder, object);
  }
}

static size_t random_count(World *world) {
  switch (below(world, 16)) {
    case 0: return 0;
    case 1: return 300 + below(world, 1500);
    case 2: return 100 + below(world, 200);
    default: return 1 + below(world, 20);
  }
}

static size_t random_capacity(World *world) {
  size_t capacity = chance(world, 10) ? 256 : 4;
  return chance(world, 30) ? 0 : capacity << below(world, 3);
}

static ToyRef create_leaf(World *world) {
  size_t size = sizeof(ToyLeaf) + below(world, chance(world, 10) ? 3000 : 60);
  return toy_new_leaf(&world->toy, size);
}

static ToyRef create_object(World *world) {
  Toy *toy = &world->toy;
  switch (below(world, 20)) {
    case 0:
    case 1:
    case 2: return create_leaf(world);
    case 3:
    case 4:
    case 5: return toy_new_array(toy, random_count(world));
    case 6:
    case 7: return toy_new_weak_array(toy, random_count(world));
    case 8:
    case 9:
    case 10: return toy_new_ephemeron(toy, random_capacity(world));
    case 11:
    case 12: return toy_new_cache(toy, random_capacity(world));
    case 13: return toy_new_stack(toy, below(world, 30));
    default: {
      ToyRef first = pick_or_number(world), second = pick_or_number(world);
      return toy_new_pair(toy, first, second);
    }
  }
}

static void edit_create(World *world) {
  ToyRef object = create_object(world);
  oracle_sync(&world->oracle);
  if (!object) return;
  oracle_created(&world->oracle, object);
  hold(world, object);
  if (chance(world, 10)) {
    bool done = toy_register(&world->toy, object);
    if (done) oracle_registered(&world->oracle, object);
  }
  if (chance(world, 90)) keep_somewhere(world, object);
}

/* Creates a long chain at once, or an array full of pairs: more than one unit
** of work for the collector. */
static void edit_create_many(World *world) {
  Toy *toy = &world->toy;
  size_t count = 20 + below(world, 400);
  ToyRef top = toy_new_array(toy, chance(world, 50) ? count : 1);
  oracle_sync(&world->oracle);
  if (!top) return;
  oracle_created(&world->oracle, top);
  hold(world, top);
  for (size_t i = 0; i < count; i++) {
    size_t slot = i % toy_array_count(top);
    ToyRef pair = toy_new_pair(toy, toy_array_get(toy, top, slot), 0);
    oracle_sync(&world->oracle);
    if (!pair) return;
    oracle_created(&world->oracle, pair);
    toy_array_set(toy, top, slot, pair);
    oracle_set_slot(&world->oracle, top, slot, pair);
  }
  if (chance(world, 20) && toy_register(toy, top))
    oracle_registered(&world->oracle, top);
  keep_somewhere(world, top);
}

static void edit_intern(World *world) {
  uint32_t key = (uint32_t)below(world, SYMBOL_KEYS);
  ToyRef symbol = toy_intern(&world->toy, key);
  oracle_sync(&world->oracle);
  if (!symbol) return;
  oracle_interned(&world->oracle, symbol, key);
  hold(world, symbol);
  if (chance(world, 40)) keep_somewhere(world, symbol);
}

/* -- Changing -------------------------------------------------------------- */

static void edit_store(World *world) {
  ToyRef holder = pick_kind(world, HOLDERS);
  if (!holder) return;
  store_into(world, holder, chance(world, 30) ? 0 : pick_or_number(world));
}

static void edit_put(World *world) {
  ToyRef table = pick_kind(world, TABLES), key = pick(world);
  if (!table || !key) return;
  ToyRef seen = toy_table_get(&world->toy, table, key);
  oracle_read_key(&world->oracle, table, key, seen);
  if (chance(world, 25)) {
    toy_table_remove(&world->toy, table, key);
    oracle_remove(&world->oracle, table, key);
  } else if (toy_table(table)->taken < 600) {
    put(world, table, key, pick_or_number(world));
  }
}

static void resize(World *world, ToyRef array, size_t count) {
  bool done = toy_array_resize(&world->toy, array, count);
  oracle_sync(&world->oracle);
  if (done) oracle_set_count(&world->oracle, array, count);
}

static void edit_resize(World *world) {
  ToyRef array = pick_kind(world, 1 << TOY_ARRAY | 1 << TOY_WEAK_ARRAY);
  if (array) resize(world, array, random_count(world));
}

/* Roots in use are seldom overwritten, because much is reachable from them. */
static void edit_root(World *world) {
  unsigned index = (unsigned)below(world, ROOT_COUNT);
  if (world->toy.root[index] && !chance(world, 5)) return;
  set_root(world, index, chance(world, 20) ? 0 : pick(world));
}

/* Leaves deleted entries behind, so that the next growth shrinks the table. */
static void edit_empty_table(World *world) {
  ToyRef table = pick_kind(world, TABLES), key, value;
  if (!table) return;
  for (size_t i = 0; i < toy_table_places(table); i++) {
    if (!toy_table_entry(&world->toy, table, i, &key, &value)) continue;
    oracle_read_entry(&world->oracle, table, key, value);
    if (chance(world, 20)) continue;
    toy_table_remove(&world->toy, table, key);
    oracle_remove(&world->oracle, table, key);
  }
}

/* Adds many entries at once, so that tables are visited in pieces and grow
** during the visit.  A list holds the keys; without it they die at once. */
static void edit_fill_table(World *world) {
  Toy *toy = &world->toy;
  ToyRef table = pick_kind(world, TABLES), keys = 0;
  if (!table || toy_table(table)->taken > 600) return;
  bool keep = chance(world, 70);
  unsigned root = ROOT_COUNT + world->held++;
  for (size_t i = 20 + below(world, 300); i > 0; i--) {
    ToyRef key = toy_new_pair(toy, keep ? keys : 0, 0);
    oracle_sync(&world->oracle);
    if (!key) return;
    oracle_created(&world->oracle, key);
    set_root(world, root, key);
    keys = key;
    ToyRef value = toy_new_pair(toy, 0, 0);
    oracle_sync(&world->oracle);
    if (!value) return;
    oracle_created(&world->oracle, value);
    set_root(world, ROOT_COUNT + world->held, value);
    put(world, table, key, value);
    set_root(world, ROOT_COUNT + world->held, 0);
    if (chance(world, 10)) gc_step_work(&toy->gc, 1);
    oracle_sync(&world->oracle);
  }
  keep_somewhere(world, keys);
}

/* The object that the collector is visiting in pieces, held.  0 if there is
** none, or if the program cannot reach it. */
static ToyRef pick_visited(World *world) {
  Gc *gc = &world->toy.gc;
  if (gc->phase != PHASE_MARK && gc->phase != PHASE_AGAIN) return 0;
  if (!gc->scanning || !cells_include(&gc->heap, gc->scanning)) return 0;
  if (!(gc->scanning->flags & CELL_SCANNING)) return 0;
  ToyRef object = toy_ref_of(gc->scanning);
  if (!oracle_can_reach(&world->oracle, object)) return 0;
  return hold(world, object);
}

/* Puts and removes entries until the table is rehashed. */
static void churn_table(World *world, ToyRef table) {
  size_t places = toy_table_places(table);
  ToyRef key = world->toy.main_stack;
  if (!key) return; /* there was no memory for it */
  for (int i = 0; i < 2000 && toy_table_places(table) == places; i++) {
    put(world, table, key, 0);
    toy_table_remove(&world->toy, table, key);
    oracle_remove(&world->oracle, table, key);
  }
}

/* The worst case for a visit in pieces: the pieces move. */
static void edit_disturb_visit(World *world) {
  ToyRef object = pick_visited(world);
  if (!object) return;
  if (toy_kind(object) == TOY_EPHEMERON || toy_kind(object) == TOY_CACHE)
    churn_table(world, object);
  else if (toy_kind(object) == TOY_ARRAY || toy_kind(object) == TOY_WEAK_ARRAY)
    resize(world, object, random_count(world));
}

/* -- Stacks ---------------------------------------------------------------- */

static ToyRef some_stack(World *world) {
  ToyRef running = toy_running(&world->toy);
  if (running && chance(world, 60)) return running;
  return pick_kind(world, 1 << TOY_STACK);
}

static void edit_push(World *world) {
  ToyRef value = pick_or_number(world), stack = some_stack(world);
  if (!stack || toy_stack_top(stack) > 3000) return;
  let_go(world); /* the value pushed next stays on the stack */
  if (toy_is_object(value)) set_root(world, ROOT_COUNT + world->held++, value);
  push(world, stack, value);
}

static void edit_pop(World *world) {
  ToyRef stack = some_stack(world);
  if (!stack) return;
  let_go(world);
  pop(world, stack, 1 + below(world, 5));
}

static void edit_set_slot(World *world) {
  ToyRef stack = some_stack(world), value = pick_or_number(world);
  if (!stack || toy_stack_top(stack) == 0) return;
  size_t slot = below(world, toy_stack_top(stack));
  /* The slot below the base of a frame does not belong to the program. */
  if (toy_stack_get(stack, slot) & TOY_IS_NUMBER) return;
  toy_stack_set(&world->toy, stack, slot, value);
  oracle_set_slot(&world->oracle, stack, slot, value);
}

static void edit_call(World *world) {
  ToyRef running = toy_running(&world->toy);
  if (!running || toy_stack_top(running) > 3000) return;
  bool done = toy_call(&world->toy);
  oracle_sync(&world->oracle);
  if (!done) return;
  oracle_set_count(&world->oracle, running, toy_stack_top(running));
  oracle_set_slot(&world->oracle, running, toy_stack_top(running) - 1, 0);
  for (size_t i = below(world, 40); i > 0; i--) push(world, running, 0);
}

static void edit_return(World *world) {
  ToyRef running = toy_running(&world->toy);
  if (!running || toy_stack(running)->base == 0) return;
  oracle_close_from(&world->oracle, running, toy_stack(running)->base - 1);
  toy_return(&world->toy);
  oracle_set_count(&world->oracle, running, toy_stack_top(running));
}

static void edit_switch(World *world) {
  ToyRef stack = chance(world, 10) ? 0 : pick_kind(world, 1 << TOY_STACK);
  if (!stack && chance(world, 70)) stack = world->toy.main_stack;
  let_go(world);
  toy_switch(&world->toy, stack);
  world->oracle.running = oracle_id(stack);
}

/* -- Upvalues -------------------------------------------------------------- */

static size_t open_upvalues(ToyRef stack) {
  size_t count = 0;
  for (ToyUpvalue *up = toy_stack(stack)->open; up; up = up->next) count++;
  return count;
}

static void edit_open_upvalue(World *world) {
  ToyRef stack = some_stack(world);
  if (!stack) return;
  /* Not on the slots that this edit holds. */
  size_t top = toy_stack_top(stack);
  if (stack == toy_running(&world->toy)) top -= world->pushed;
  if (top == 0 || open_upvalues(stack) >= 12) return;
  size_t slot = below(world, top);
  ToyRef upvalue = toy_new_upvalue(&world->toy, stack, slot);
  oracle_sync(&world->oracle);
  if (!upvalue) return;
  oracle_opened(&world->oracle, upvalue, stack, slot);
  hold(world, upvalue);
  keep_somewhere(world, upvalue);
}

static bool is_frame_link(ToyRef upvalue) {
  ToyUpvalue *up = toy_upvalue(upvalue);
  return up->stack && up->stack->part->slot[up->slot] & TOY_IS_NUMBER;
}

static void edit_upvalue(World *world) {
  ToyRef upvalue = pick_kind(world, 1 << TOY_UPVALUE);
  if (!upvalue) return;
  oracle_read_upvalue(&world->oracle, upvalue);
  ToyUpvalue *up = toy_upvalue(upvalue);
  if (up->stack && chance(world, 10)) {
    toy_upvalue_close(&world->toy, upvalue);
    oracle_closed(&world->oracle, upvalue);
    return;
  }
  if (is_frame_link(upvalue)) return;
  ToyRef value = pick_or_number(world);
  toy_upvalue_set(&world->toy, upvalue, value);
  oracle_set_upvalue(&world->oracle, upvalue, value);
}

/* -- Finalizers ------------------------------------------------------------ */

static void edit_register(World *world) {
  ToyRef object = pick(world);
  if (!object || toy_kind(object) == TOY_SYMBOL) return;
  if (toy_register(&world->toy, object))
    oracle_registered(&world->oracle, object);
}

/* The finalizer.  It sometimes resurrects itself, and sometimes registers
** again. */
static void edit_finalize(World *world) {
  if (!gc_has_finalizable(&world->toy.gc)) return;
  ToyRef object = toy_next_finalizable(&world->toy);
  REQUIRE(object, "said to have something to finalize, and has not");
  oracle_finalizing(&world->oracle, object);
  hold(world, object);
  if (chance(world, 30) && toy_register(&world->toy, object))
    oracle_registered(&world->oracle, object);
  if (chance(world, 40)) keep_somewhere(world, object);
}

/* -- Choosing -------------------------------------------------------------- */

static size_t object_count(const World *world) {
  return gc_count(&world->toy.gc) / 100;
}

/* Empties a slot, which makes garbage. */
static void edit_drop(World *world) {
  ToyRef holder = pick_kind(world, HOLDERS);
  if (holder && chance(world, 80))
    store_into(world, holder, 0);
  else if (chance(world, 3))
    set_root(world, (unsigned)below(world, ROOT_COUNT), 0);
}

/* An edit and its frequency in a thousand.  Some edits make the heap grow. */
typedef struct Edit {
  void (*run)(World *world);
  unsigned weight;
  bool grows;
} Edit;

static const Edit edits[] = {
    {edit_create, 175, true},   {edit_create_many, 4, true},
    {edit_fill_table, 8, true}, {edit_intern, 31, false},
    {edit_store, 125, false},   {edit_put, 95, false},
    {edit_resize, 30, false},   {edit_empty_table, 4, false},
    {edit_root, 31, false},     {edit_push, 62, false},
    {edit_pop, 31, false},      {edit_set_slot, 62, false},
    {edit_call, 31, false},     {edit_return, 31, false},
    {edit_switch, 31, false},   {edit_open_upvalue, 31, false},
    {edit_upvalue, 62, false},  {edit_register, 31, false},
    {edit_finalize, 31, false}, {edit_disturb_visit, 31, false},
    {edit_drop, 10, false},
};

static const Edit *choose_edit(World *world) {
  size_t count = sizeof edits / sizeof *edits, sum = 0, i = 0;
  for (size_t n = 0; n < count; n++) sum += edits[n].weight;
  size_t place = below(world, sum);
  for (; place >= edits[i].weight; i++) place -= edits[i].weight;
  return &edits[i];
}

void world_edit(World *world) {
  bool crowded = object_count(world) > world->target;
  const Edit *edit = choose_edit(world);
  if (crowded && (edit->grows || chance(world, 5)))
    edit_drop(world);
  else
    edit->run(world);
  let_go(world);
}
