/* SPDX-License-Identifier: MIT */
/*
** model.c -- the heap compared with a list of cells, by random operations
**
** The model is an array of the cells that were allocated and are not freed or
** swept yet.  Each cell is filled with bytes that depend on its number, which
** reveals a cell that was handed out twice, moved or overwritten.  A failure
** prints the seed; HEAP_SEED=n replays it.
*/
#include "heap_test.h"

#include <stdio.h>

enum { MODEL_CELLS = 3000 };

typedef struct ModelCell {
  unsigned char *memory;
  size_t size;
  unsigned char fill;
  bool marked;
  bool doomed; /* not marked when the sweep began */
} ModelCell;

typedef struct Model {
  HeapTest test;
  TestRandom random;
  ModelCell cell[MODEL_CELLS];
  size_t count;
  size_t bytes; /* of all cells that are not doomed */
  size_t doomed_bytes;
  bool sweeping;
  bool keep_marks;
  unsigned char next_fill;
} Model;

static void model_fill(ModelCell *cell) {
  memset(cell->memory, cell->fill, cell->size);
}

static void model_check_fill(const ModelCell *cell, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (cell->memory[i] != cell->fill)
      fail_msg("byte %zu of a cell of %zu bytes has changed", i, cell->size);
}

static size_t model_size(Model *model) {
  switch (random_below(&model->random, 8)) {
    case 0: return 1 + random_below(&model->random, 2 * CELL_MAX);
    case 1: return CELL_MAX + 1 + random_below(&model->random, 10000);
    case 2: return 1 + random_below(&model->random, CELL_MAX);
    default: return 1 + random_below(&model->random, 128);
  }
}

static void model_allocate(Model *model) {
  if (model->count == MODEL_CELLS) return;
  Heap *heap = &model->test.heap;
  ModelCell cell = {NULL, model_size(model), model->next_fill++, false, false};
  cell.memory = heap_allocate(heap, cell.size);
  if (!cell.memory) {
    assert_true(model->test.allocator.fail_percent > 0);
    return;
  }
  cell.marked = heap->allocate_marked;
  assert_true(heap_is_marked(cell.memory) == cell.marked);
  model_fill(&cell);
  model->bytes += heap_rounded_size(cell.size);
  model->cell[model->count++] = cell;
}

static void model_forget(Model *model, size_t index) {
  ModelCell *cell = &model->cell[index];
  size_t size = heap_rounded_size(cell->size);
  *(cell->doomed ? &model->doomed_bytes : &model->bytes) -= size;
  *cell = model->cell[--model->count];
}

/* A random cell that is not doomed, or NULL. */
static ModelCell *model_pick(Model *model) {
  if (model->count == 0) return NULL;
  ModelCell *cell = &model->cell[random_below(&model->random, model->count)];
  return cell->doomed ? NULL : cell;
}

static void model_free(Model *model) {
  ModelCell *cell = model_pick(model);
  if (!cell) return;
  model_check_fill(cell, cell->size);
  heap_free(&model->test.heap, cell->memory, cell->size);
  model_forget(model, (size_t)(cell - model->cell));
}

static void model_resize(Model *model) {
  ModelCell *cell = model_pick(model);
  if (!cell || cell->size <= CELL_MAX) return;
  size_t size = CELL_MAX + 1 + random_below(&model->random, 12000);
  unsigned char *moved =
      heap_resize_large(&model->test.heap, cell->memory, size);
  if (!moved) {
    assert_true(model->test.allocator.fail_percent > 0);
    return;
  }
  cell->memory = moved;
  model_check_fill(cell, size_min(size, cell->size));
  model->bytes = model->bytes - cell->size + size;
  cell->size = size;
  model_fill(cell);
}

static void model_mark(Model *model) {
  ModelCell *cell = model_pick(model);
  if (!cell || model->sweeping) return;
  assert_true(heap_mark(cell->memory) == !cell->marked);
  cell->marked = true;
}

static void model_unmark(Model *model) {
  ModelCell *cell = model_pick(model);
  if (!cell || model->sweeping) return;
  heap_test_unmark(cell->memory);
  cell->marked = false;
}

static void model_sweep_begin(Model *model) {
  if (model->sweeping) return;
  model->sweeping = true;
  model->keep_marks = random_chance(&model->random, 50);
  for (size_t i = 0; i < model->count; i++) {
    ModelCell *cell = &model->cell[i];
    if (cell->marked) continue;
    cell->doomed = true;
    model->bytes -= heap_rounded_size(cell->size);
    model->doomed_bytes += heap_rounded_size(cell->size);
  }
  heap_sweep_begin(&model->test.heap, model->keep_marks);
}

static void model_sweep_some(Model *model) {
  if (!model->sweeping) return;
  if (heap_sweep_some(&model->test.heap)) return;
  model->sweeping = false;
  for (size_t i = model->count; i-- > 0;)
    if (model->cell[i].doomed) model_forget(model, i);
  for (size_t i = 0; i < model->count; i++)
    if (!model->keep_marks) model->cell[i].marked = false;
}

static void model_set_allocate_marked(Model *model) {
  if (model->sweeping) return;
  heap_set_allocate_marked(&model->test.heap,
                           random_chance(&model->random, 50));
}

static void model_release(Model *model) {
  Heap *heap = &model->test.heap;
  if (random_chance(&model->random, 10))
    heap_release_all(heap);
  else if (random_chance(&model->random, 50))
    heap->peak = heap->last_peak = 0;
  else
    heap_release_some(heap);
}

static void model_trouble(Model *model) {
  bool trouble = random_chance(&model->random, 30);
  model->test.allocator.fail_percent = trouble ? 50 : 0;
}

/* -- Comparing ------------------------------------------------------------- */

static int model_compare(const void *left, const void *right) {
  const ModelCell *a = left, *b = right;
  return a->memory < b->memory ? -1 : a->memory > b->memory;
}

typedef struct ModelWalk {
  Model *model;
  size_t found;
} ModelWalk;

static void model_visit(void *context, void *memory, size_t size, bool marked) {
  ModelWalk *walk = context;
  ModelCell wanted = {memory, 0, 0, false, false};
  ModelCell *cell = bsearch(&wanted, walk->model->cell, walk->model->count,
                            sizeof wanted, model_compare);
  if (!cell) fail_msg("a cell of %zu bytes nobody asked for", size);
  assert_int_equal(size, heap_rounded_size(cell->size));
  if (!walk->model->sweeping) assert_true(marked == cell->marked);
  if (!cell->doomed) walk->found++;
}

static void model_check(Model *model) {
  Heap *heap = &model->test.heap;
  size_t living = 0;
  heap_check(heap);
  assert_int_equal(heap->footprint, model->test.allocator.bytes);
  size_t used = heap_used(heap);
  assert_true(used >= model->bytes);
  assert_true(used <= model->bytes + model->doomed_bytes);
  qsort(model->cell, model->count, sizeof(ModelCell), model_compare);
  for (size_t i = 0; i < model->count; i++) {
    ModelCell *cell = &model->cell[i];
    if (cell->doomed) continue;
    living++;
    model_check_fill(cell, cell->size);
  }
  ModelWalk walk = {model, 0};
  if (!model->sweeping) heap_walk(heap, model_visit, &walk);
  if (!model->sweeping) assert_int_equal(walk.found, living);
}

static void model_operate(Model *model) {
  switch (random_below(&model->random, 64)) {
    case 0: model_sweep_begin(model); break;
    case 1: model_set_allocate_marked(model); break;
    case 2: model_trouble(model); break;
    case 3: model_release(model); break;
    case 4:
    case 5:
    case 6:
    case 7: model_sweep_some(model); break;
    case 8:
    case 9:
    case 10:
    case 11:
    case 12: model_resize(model); break;
    case 13: model_unmark(model); break;
    default:
      if (random_chance(&model->random, 40))
        model_allocate(model);
      else if (random_chance(&model->random, 70))
        model_mark(model);
      else
        model_free(model);
  }
}

static void model_run(uint64_t seed, size_t operations) {
  static Model model;
  memset(&model, 0, sizeof model);
  model.random.state = seed;
  heap_test_open(&model.test);
  model.test.allocator.random.state = ~seed;
  model.test.allocator.moves_on_shrink = seed & 1;
  model.test.allocator.offset = (seed >> 1 & 1) ? (unsigned)(seed % 16) : 0;
  model.test.allocator.offset_varies = seed % 8 == 7;
  if (seed % 3) model.test.heap.discard = test_discard;
  for (size_t i = 0; i < operations; i++) {
    model_operate(&model);
    if (i % 2000 == 0) model_check(&model);
  }
  model.test.allocator.fail_percent = 0;
  model_check(&model);
  heap_test_close(&model.test);
}

static void test_random_operations(void **state) {
  (void)state;
  const char *chosen = getenv("HEAP_SEED");
  uint64_t first = chosen ? strtoull(chosen, NULL, 0) : 1;
  uint64_t seeds = chosen ? 1 : getenv("PENUMBRA_FULL") ? 2000 : 40;
  if (getenv("PENUMBRA_VALGRIND")) seeds = 2;
  for (uint64_t seed = first; seed < first + seeds; seed++) {
    fprintf(stderr, "HEAP_SEED=%llu\r", (unsigned long long)seed);
    model_run(seed, 20000);
  }
  fprintf(stderr, "%*s\r", 40, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_operations)};
  return cmocka_run_group_tests_name("heap model", tests, NULL, NULL);
}
