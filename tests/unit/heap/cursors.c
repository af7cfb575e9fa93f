/* SPDX-License-Identifier: MIT */
/*
** cursors.c -- walks in pieces, while everything they stand on may move
**
** A walk over the heap is under way while the program allocates, frees and
** resizes cells, takes and returns pages, makes chunks empty and uses them
** again, and has memory given back or refused.  What a walk promises:
**
**   - A cell that lives from its beginning to its end is visited exactly once.
**     A large cell that is resized is still the same cell.
**   - Nothing is visited that is not a cell in use.
**   - After a walk that clears marks, no cell has a mark.
**
** Each cell contains its number in the model, so a visit knows which one it
** sees.  A failure prints the seed.  CURSOR_SEED=n replays it, CURSOR_SEEDS=n
** tries that many.
*/
#include "heap_test.h"

#include <stdio.h>

enum { CELLS = 256, PAGES = 24, OPERATIONS = 600, SIZES = 4 };

typedef enum WalkKind { WALK_NONE, WALK_VISIT, WALK_UNMARK } WalkKind;

typedef struct KnownCell {
  char *memory;
  size_t size;
  bool old; /* was there when the walk began */
  unsigned visits;
} KnownCell;

typedef struct KnownPages {
  void *memory;
  unsigned count;
} KnownPages;

typedef struct Model {
  HeapTest test;
  TestRandom random;
  KnownCell cell[CELLS];
  size_t count;
  KnownPages pages[PAGES];
  size_t pages_count;
  size_t size[SIZES]; /* of the cells of this seed */
  WalkKind walk;
  HeapCursor cursor;
  size_t walks; /* that came to their end */
  size_t moved; /* times that the chunk of a walk became empty */
} Model;

static uint64_t seed; /* of the run under way; 0: none */

static bool chance(Model *model, unsigned percent) {
  return random_chance(&model->random, percent);
}

/* -- Cells ----------------------------------------------------------------- */

static void number_write(Model *model, size_t index) {
  uint32_t number = (uint32_t)index;
  memcpy(model->cell[index].memory, &number, sizeof number);
}

static KnownCell *number_read(Model *model, const void *memory) {
  uint32_t number;
  memcpy(&number, memory, sizeof number);
  if (number >= model->count || model->cell[number].memory != memory)
    fail_msg("%p is not a cell in use", memory);
  return &model->cell[number];
}

static size_t pick_size(Model *model) {
  if (chance(model, 8))
    return CELL_MAX + 1 + random_below(&model->random, 9000);
  return model->size[random_below(&model->random, SIZES)];
}

static void allocate_cell(Model *model) {
  if (model->count == CELLS) return;
  KnownCell cell = {NULL, pick_size(model), false, 0};
  cell.memory = heap_allocate(&model->test.heap, cell.size);
  if (!cell.memory) return;
  assert_false(heap_is_marked(cell.memory));
  model->cell[model->count++] = cell;
  number_write(model, model->count - 1);
}

static void forget_cell(Model *model, size_t index) {
  model->cell[index] = model->cell[--model->count];
  if (index < model->count) number_write(model, index);
}

static void free_cell(Model *model, size_t index) {
  KnownCell *cell = &model->cell[index];
  heap_free(&model->test.heap, cell->memory, cell->size);
  forget_cell(model, index);
}

static void free_any(Model *model) {
  if (model->count > 0)
    free_cell(model, random_below(&model->random, model->count));
}

/* Frees all cells that share a block with some cell. */
static void free_block(Model *model) {
  if (model->count == 0) return;
  size_t any = random_below(&model->random, model->count);
  const Block *block = heap_block_of(model->cell[any].memory);
  for (size_t i = model->count; i-- > 0;)
    if (heap_block_of(model->cell[i].memory) == block) free_cell(model, i);
}

static void resize_cell(Model *model) {
  if (model->count == 0) return;
  size_t index = random_below(&model->random, model->count);
  KnownCell *cell = &model->cell[index];
  if (cell->size <= CELL_MAX) return;
  bool marked = heap_is_marked(cell->memory);
  size_t size = CELL_MAX + 1 + random_below(&model->random, 12000);
  if (chance(model, 10)) size += RELEASE_PIECE;
  char *moved = heap_resize_large(&model->test.heap, cell->memory, size);
  if (!moved) return;
  assert_true(heap_is_marked(moved) == marked);
  cell->memory = moved;
  cell->size = size;
}

static void take_pages(Model *model) {
  if (model->pages_count == PAGES) return;
  unsigned count = 1 + (unsigned)random_below(&model->random, 15);
  void *memory = heap_pages_allocate(&model->test.heap, count);
  if (!memory) return;
  memset(memory, 0xEE, (size_t)count * BLOCK_PAGE);
  model->pages[model->pages_count++] = (KnownPages){memory, count};
}

static void return_pages(Model *model) {
  if (model->pages_count == 0) return;
  size_t index = random_below(&model->random, model->pages_count);
  KnownPages pages = model->pages[index];
  heap_pages_free(&model->test.heap, pages.memory, pages.count);
  model->pages[index] = model->pages[--model->pages_count];
}

/* -- Sweeps and memory ----------------------------------------------------- */

/* A whole sweep, between two walks.  The survivors keep their marks. */
static void sweep(Model *model) {
  if (model->walk != WALK_NONE) return;
  unsigned live = (unsigned)random_below(&model->random, 101);
  for (size_t i = 0; i < model->count; i++)
    if (chance(model, live)) heap_mark(model->cell[i].memory);
  for (size_t i = model->count; i-- > 0;)
    if (!heap_is_marked(model->cell[i].memory)) forget_cell(model, i);
  heap_test_sweep(&model->test.heap, chance(model, 80));
}

static void release(Model *model) {
  Heap *heap = &model->test.heap;
  if (chance(model, 30)) heap->peak = heap->last_peak = 0;
  if (chance(model, 20))
    heap_release_all(heap);
  else
    heap_release_some(heap);
}

/* Refuses half of the requests for a while. */
static void refuse(Model *model) {
  model->test.allocator.fail_percent = chance(model, 30) ? 50 : 0;
}

/* -- Walks ----------------------------------------------------------------- */

static void begin_walk(Model *model) {
  if (model->walk != WALK_NONE) return;
  model->walk = chance(model, 50) ? WALK_VISIT : WALK_UNMARK;
  for (size_t i = 0; i < model->count; i++) {
    model->cell[i].old = true;
    model->cell[i].visits = 0;
  }
  heap_walk_begin(&model->test.heap, &model->cursor);
}

static void visit_cell(void *context, void *memory, size_t size, bool marked) {
  KnownCell *cell = number_read(context, memory);
  assert_int_equal(size, heap_cell_size(memory));
  assert_true(size >= cell->size); /* more in the memory of a dead cell */
  assert_true(marked == heap_is_marked(memory));
  cell->visits++;
}

static void walk_ended(Model *model) {
  for (size_t i = 0; i < model->count; i++) {
    KnownCell *cell = &model->cell[i];
    if (model->walk == WALK_UNMARK && heap_is_marked(cell->memory))
      fail_msg("a mark is left on a cell of %zu bytes", cell->size);
    if (model->walk == WALK_VISIT && cell->visits != 1 &&
        (cell->old || cell->visits > 1))
      fail_msg("a cell of %zu bytes was visited %u times", cell->size,
               cell->visits);
    cell->old = false;
  }
  model->walk = WALK_NONE;
  model->walks++;
  heap_check(&model->test.heap);
}

static void walk_some(Model *model) {
  Heap *heap = &model->test.heap;
  if (model->walk == WALK_NONE) return;
  bool more = model->walk == WALK_VISIT
                  ? heap_walk_some(heap, &model->cursor, visit_cell, model)
                  : heap_unmark_some(heap, &model->cursor);
  if (!more) walk_ended(model);
}

static void abandon_walk(Model *model) {
  if (model->walk == WALK_NONE || !chance(model, 10)) return;
  heap_walk_end(&model->test.heap);
  model->walk = WALK_NONE;
  for (size_t i = 0; i < model->count; i++) model->cell[i].old = false;
}

/* -- Running --------------------------------------------------------------- */

static void operate(Model *model) {
  const Chunk *at = model->walk == WALK_NONE ? NULL : model->cursor.chunk;
  switch (random_below(&model->random, 64)) {
    case 0: sweep(model); break;
    case 1: refuse(model); break;
    case 2:
    case 3: release(model); break;
    case 4: abandon_walk(model); break;
    case 5:
    case 6:
    case 7: begin_walk(model); break;
    case 8:
    case 9: free_block(model); break;
    case 10:
    case 11:
    case 12: resize_cell(model); break;
    case 13:
    case 14:
    case 15: take_pages(model); break;
    case 16:
    case 17:
    case 18:
    case 19: return_pages(model); break;
    case 20:
    case 21:
    case 22:
    case 23: walk_some(model); return;
    default:
      if (chance(model, 65))
        allocate_cell(model);
      else
        free_any(model);
  }
  if (at && model->cursor.chunk != at) model->moved++;
}

static void open_model(Model *model) {
  memset(model, 0, sizeof *model);
  model->random.state = seed;
  heap_test_open(&model->test);
  TestAllocator *allocator = &model->test.allocator;
  allocator->random.state = ~seed;
  allocator->moves_on_shrink = seed & 1;
  if (seed % 3) model->test.heap.discard = test_discard;
  if (seed % 5 == 0) allocator->offset = (unsigned)(seed % 16);
  for (size_t i = 0; i < SIZES; i++)
    model->size[i] =
        16 + random_below(&model->random, chance(model, 70) ? 1009 : 100);
}

static void run(Model *model) {
  open_model(model);
  for (size_t i = 0; i < OPERATIONS; i++) {
    operate(model);
    if (chance(model, 3)) heap_check(&model->test.heap);
  }
  while (model->walk != WALK_NONE) walk_some(model);
  while (model->pages_count > 0) return_pages(model);
  heap_test_close(&model->test);
}

static uint64_t number_from(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 0) : otherwise;
}

static void broken(void *context, const char *message) {
  (void)context;
  fail_msg("%s", message);
}

static int setup(void **state) {
  (void)state;
  check_set_handler(broken, NULL);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  if (seed) fprintf(stderr, "CURSOR_SEED=%llu\n", (unsigned long long)seed);
  return 0;
}

static void test_walks_find_their_way(void **state) {
  (void)state;
  static Model model;
  uint64_t seeds = getenv("PENUMBRA_FULL") ? 1000000 : 20000;
  if (getenv("PENUMBRA_VALGRIND")) seeds = 20;
  seeds = number_from("CURSOR_SEEDS", getenv("CURSOR_SEED") ? 1 : seeds);
  uint64_t first = number_from("CURSOR_SEED", 1);
  size_t walks = 0, moved = 0;
  for (seed = first; seed < first + seeds; seed++) {
    run(&model);
    walks += model.walks;
    moved += model.moved;
  }
  seed = 0;
  print_message("%llu seeds, %zu walks, %zu chunks became empty under a walk\n",
                (unsigned long long)seeds, walks, moved);
  if (seeds >= 2000) assert_true(walks > seeds && moved > seeds / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_walks_find_their_way, setup,
                                      teardown),
  };
  return cmocka_run_group_tests_name("heap cursors", tests, NULL, NULL);
}
