/* SPDX-License-Identifier: MIT */
/*
** global.c -- the beginning and the end of a state
*/
#include <string.h>
#include <time.h>

#include "object/budget.h"
#include "object/meta.h"
#include "object/string_set.h"

/* In the order of MetaEvent. */
static const char *const meta_names[META_COUNT] = {
    "__index", "__newindex", "__gc",       "__mode", "__len",  "__eq",
    "__call",  "__add",      "__sub",      "__mul",  "__mod",  "__pow",
    "__div",   "__idiv",     "__band",     "__bor",  "__bxor", "__shl",
    "__shr",   "__unm",      "__bnot",     "__lt",   "__le",   "__concat",
    "__close", "__name",     "__metatable"};

const char *meta_event_name(MetaEvent event) { return meta_names[event] + 2; }

/* In the order of ThreadStatus. */
static const char *const status_names[THREAD_STATUS_COUNT] = {
    "running", "dead", "suspended", "normal"};

/* -- Roots ----------------------------------------------------------------- */

/* A state under construction has only some of the roots. */
static void global_roots(void *data, GcEdgeFn *edge, void *context) {
  Global *g = data;
  if (g->main)
    edge_to(thread_of(g->main), EDGE_STRONG, LABEL_MAIN_THREAD, edge, context);
  value_edge(&g->registry, LABEL_REGISTRY, edge, context);
  for (int i = 0; i < TYPE_COUNT; i++)
    edge_if(g->type_metatable[i], EDGE_STRONG, LABEL_METATABLE, edge, context);
  edge_if(g->sandbox_strings, EDGE_STRONG, LABEL_METATABLE, edge, context);
}

/* The strings that build_strings makes.  No cycle runs meanwhile. */
static ALWAYS_INLINE void fixed_edges(Global *g, GcEdgeFn *edge,
                                      void *context) {
  for (int i = 0; i < META_COUNT; i++)
    edge_if(g->meta_name[i], EDGE_LEAF, LABEL_METAMETHOD, edge, context);
  for (int i = 0; i < TYPE_COUNT; i++)
    edge_if(g->type_names[i], EDGE_LEAF, LABEL_TYPE, edge, context);
  for (int i = 0; i < THREAD_STATUS_COUNT; i++)
    edge_if(g->status_names[i], EDGE_LEAF, LABEL_STATUS, edge, context);
  edge_if(g->file_type, EDGE_LEAF, LABEL_TYPE, edge, context);
  edge_if(g->memory_message, EDGE_LEAF, LABEL_MESSAGE, edge, context);
  edge_if(g->handler_message, EDGE_LEAF, LABEL_MESSAGE, edge, context);
  edge_if(g->budget_message, EDGE_LEAF, LABEL_MESSAGE, edge, context);
  edge_if(g->suspend_message, EDGE_LEAF, LABEL_MESSAGE, edge, context);
}

static void global_scan_fixed(void *data, Gc *gc) {
  fixed_edges(data, gc_mark_edge, gc);
}

static void global_walk_fixed(void *data, GcEdgeFn *edge, void *context) {
  fixed_edges(data, edge, context);
}

/* -- Building -------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t word) {
  h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 32;
}

/* Differs between runs if addresses or the time do. */
static uint64_t make_seed(const Global *g) {
  uint64_t h = mix(0, (uint64_t)(uintptr_t)g);
  h = mix(h, (uint64_t)(uintptr_t)&h);
  h = mix(h, (uint64_t)time(NULL));
  return mix(h, (uint64_t)clock());
}

static void build_strings(lua_State *L) {
  Global *g = L->global;
  g->memory_message = string_from_c(L, "not enough memory");
  g->handler_message = string_from_c(L, "error in error handling");
  g->budget_message = string_from_c(L, "budget exhausted");
  g->suspend_message =
      string_from_c(L, "attempt to yield across a C-call boundary");
  for (int row = 0; row < STRING_CACHE_ROWS; row++)
    for (int way = 0; way < STRING_CACHE_WAYS; way++)
      g->string_cache[row][way] = g->memory_message;
  for (int i = 0; i < META_COUNT; i++)
    g->meta_name[i] = string_from_c(L, meta_names[i]);
  for (int i = 0; i < TYPE_COUNT; i++)
    g->type_names[i] = string_from_c(L, type_name(i));
  for (int i = 0; i < THREAD_STATUS_COUNT; i++)
    g->status_names[i] = string_from_c(L, status_names[i]);
  g->file_type = string_from_c(L, "FILE*");
  ASSERT(g->gc.phase == PHASE_PAUSE, "a cycle has missed fixed roots");
}

static void build_body(lua_State *L, void *data) {
  (void)data;
  build_strings(L);
  value_set_table(&L->global->registry, table_new(L));
  L->global->complete = true;
}

static lua_State *global_build(Global *g) {
  if (!string_set_init(g)) return NULL;
  lua_State *L = thread_create_main(g);
  if (!L) return NULL;
  gc_stack_switch(&g->gc, thread_cell(L));
  return raise_protect(L, build_body, NULL) == STATUS_OK ? L : NULL;
}

/* A Allocator does not guarantee alignment. */
static Global *global_allocate(Allocator allocate, void *context, size_t size) {
  size_t raw_size = size + GRANULE;
  void *raw = allocate(context, NULL, TYPE_THREAD, raw_size);
  if (!raw) return NULL;
  Global *g = (Global *)size_round_up((uintptr_t)raw, GRANULE);
  memset(g, 0, size);
  g->raw = raw;
  g->raw_size = raw_size;
  return g;
}

/* The last work before the sweep: first the variables of dead threads, then the
** set of strings. */
static GcProgress global_sweep_set(void *context, Gc *gc, size_t from) {
  const size_t BEFORE_SET = SIZE_MAX;
  size_t work = threads_close_some(context);
  if (work > 0) return (GcProgress){BEFORE_SET, (uint32_t)work, WEAK_NONE};
  return string_set_sweep(context, gc, from == BEFORE_SET ? 0 : from);
}

/* An emergency collection takes time, so it is charged to the budget: a program
** at its memory limit causes many of them.  Skip the collection if the time
** left is hardly enough, at one nanosecond per byte. */
static bool global_emergency(void *context, size_t bytes) {
  Budget *b = &((Global *)context)->budget;
  if (LIKELY(!b->on || b->asking)) return true;
  b->fuel -= (int64_t)bytes;
  return budget_allows(b, bytes);
}

lua_State *global_new(Allocator allocate, void *context, size_t size) {
  Global *g = global_allocate(allocate, context, size);
  if (!g) return NULL;
  GcClient client = {.kinds = object_kinds,
                     .kind_count = OBJECT_KIND_COUNT,
                     .roots = global_roots,
                     .scan_fixed_roots = global_scan_fixed,
                     .walk_fixed_roots = global_walk_fixed,
                     .sweep_set = global_sweep_set,
                     .emergency = global_emergency,
                     .context = g};
  gc_init(&g->gc, &client, allocate, context);
  budget_init(&g->budget);
  uint64_t seed = make_seed(g);
  g->strings.seed = string_seed(seed);
  table_choose_secret(seed);
  lua_State *L = global_build(g);
  if (!L) global_free(g);
  return L;
}

void global_free(Global *g) {
  HeapAllocFn *allocate = g->gc.heap.allocate;
  void *context = g->gc.heap.context;
  string_set_free(g);
  gc_close(&g->gc);
  allocate(context, g->raw, g->raw_size, 0);
}
