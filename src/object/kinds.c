/* SPDX-License-Identifier: MIT */
/*
** kinds.c -- the table of kinds, and the references of simple objects
**
** Tables and threads have files of their own.  The marker, the verifier and the
** tools all use these lists; there are no others.
*/
#include "object/object_impl.h"

const char *const edge_labels[LABEL_COUNT] = {
#define LABEL(name, text) text,
#include "object/labels.def"
#undef LABEL
};

/* -- Upvalues -------------------------------------------------------------- */

/* Open upvalues form a chain.  The thread refers only to the first one, because
** a thread may have very many of them. */
static ALWAYS_INLINE void open_upvalue_edges(UpValue *u, GcEdgeFn *edge,
                                             void *context) {
  const Value *v = u->v;
  if (tag_is_string(v->tag))
    edge_to(v->as.cell, EDGE_BORROWED_LEAF, LABEL_SLOT, edge, context);
  else if (tag_is_collectable(v->tag))
    edge_to(v->as.cell, EDGE_BORROWED, LABEL_SLOT, edge, context);
  edge_if(u->u.open.next, EDGE_STRONG, LABEL_NEXT, edge, context);
}

static ALWAYS_INLINE GcProgress upvalue_edges(UpValue *u, size_t from,
                                              GcEdgeFn *edge, void *context) {
  (void)from;
  if (upvalue_is_open(u))
    open_upvalue_edges(u, edge, context);
  else
    value_edge(&u->u.closed, LABEL_VALUE, edge, context);
  return progress_done(1);
}
GC_KIND_VISITS(upvalue, UpValue)

/* -- Closures -------------------------------------------------------------- */

static ALWAYS_INLINE GcProgress lua_closure_edges(LuaClosure *c, size_t from,
                                                  GcEdgeFn *edge,
                                                  void *context) {
  (void)from;
  edge_to(c->proto, EDGE_STRONG, LABEL_PROTO, edge, context);
  for (unsigned i = 0; i < c->cell.user; i++)
    if (c->upvalue[i])
      edge_from(&c->upvalue[i], c->upvalue[i], EDGE_STRONG, LABEL_UPVALUE, edge,
                context);
  return progress_done(c->cell.user);
}

static GcProgress lua_closure_walk(Cell *cell, size_t from, GcEdgeFn *edge,
                                   void *context) {
  return lua_closure_edges((LuaClosure *)(void *)cell, from, edge, context);
}

typedef struct ClosureVisit {
  Gc *gc;
  uint32_t upvalues; /* visited with the closure */
} ClosureVisit;

/* A closed upvalue is visited together with the closure: it has one reference,
** and was most likely made together with the closure.  Open ones go through the
** worklist, because they form chains. */
static ALWAYS_INLINE void mark_closure_edge(void *context, GcEdge edge) {
  ClosureVisit *visit = (ClosureVisit *)context;
  if (!heap_mark(edge.to)) return;
  if (edge.to->kind != KIND_UPVALUE || edge.to->user != 0) {
    gc_push_gray(visit->gc, edge.to);
    return;
  }
  edge.to->barrier = BARRIER_ARMED;
  upvalue_edges((UpValue *)(void *)edge.to, 0, gc_mark_edge, visit->gc);
  visit->upvalues++;
}

static GcProgress lua_closure_scan(Gc *gc, Cell *cell, size_t from) {
  enum { PRICE_UPVALUE = 5 }; /* as if it came from the worklist */
  ClosureVisit visit = {gc, 0};
  GcProgress progress = lua_closure_edges((LuaClosure *)(void *)cell, from,
                                          mark_closure_edge, &visit);
  progress.work += visit.upvalues * PRICE_UPVALUE;
  return progress;
}

static ALWAYS_INLINE GcProgress c_closure_edges(CClosure *c, size_t from,
                                                GcEdgeFn *edge, void *context) {
  (void)from;
  for (unsigned i = 0; i < c->cell.user; i++)
    value_edge(&c->upvalue[i], LABEL_UPVALUE, edge, context);
  return progress_done(c->cell.user);
}
GC_KIND_VISITS(c_closure, CClosure)

/* -- Prototypes ------------------------------------------------------------ */

static ALWAYS_INLINE void vector_edge(void *elements, EdgeLabel label,
                                      GcEdgeFn *edge, void *context) {
  edge_if(vector_cell(elements), EDGE_PART, label, edge, context);
}

static ALWAYS_INLINE void proto_own_edges(Proto *p, GcEdgeFn *edge,
                                          void *context) {
  vector_edge(p->code, LABEL_CODE, edge, context);
  vector_edge(p->constants, LABEL_CONSTANTS, edge, context);
  vector_edge(p->protos, LABEL_PROTOS, edge, context);
  vector_edge(p->upvalues, LABEL_UPVALUES, edge, context);
  vector_edge(p->locals, LABEL_LOCALS, edge, context);
  vector_edge(p->line_offset, LABEL_LINES, edge, context);
  vector_edge(p->line_base, LABEL_LINES, edge, context);
  edge_if(p->source, EDGE_LEAF, LABEL_SOURCE, edge, context);
}

/* Reports reference number i of those in vectors. */
static ALWAYS_INLINE void proto_item_edge(Proto *p, size_t i, GcEdgeFn *edge,
                                          void *context) {
  if (i < p->constant_count) {
    value_edge(&p->constants[i], LABEL_CONSTANT, edge, context);
    return;
  }
  i -= p->constant_count;
  if (i < p->proto_count) {
    edge_if(p->protos[i], EDGE_STRONG, LABEL_PROTO, edge, context);
    return;
  }
  i -= p->proto_count;
  if (i < p->upvalue_count) {
    edge_if(p->upvalues[i].name, EDGE_LEAF, LABEL_NAME, edge, context);
    return;
  }
  edge_if(p->locals[i - p->upvalue_count].name, EDGE_LEAF, LABEL_NAME, edge,
          context);
}

static ALWAYS_INLINE GcProgress proto_edges(Proto *p, size_t from,
                                            GcEdgeFn *edge, void *context) {
  size_t total = (size_t)p->constant_count + p->proto_count + p->upvalue_count +
                 p->local_count;
  if (from == 0)
    proto_own_edges(p, edge, context);
  else
    from--;
  size_t to = piece_end(from, total);
  GcProgress progress = {to < total ? to + 1 : GC_DONE,
                         (uint32_t)(to - from + 1), WEAK_NONE};
  for (; from < to; from++) proto_item_edge(p, from, edge, context);
  return progress;
}
GC_KIND_VISITS(proto, Proto)

/* -- Userdata and boxes ---------------------------------------------------- */

static ALWAYS_INLINE GcProgress userdata_edges(Userdata *u, size_t from,
                                               GcEdgeFn *edge, void *context) {
  if (from == 0) {
    edge_if(u->metatable, EDGE_STRONG, LABEL_METATABLE, edge, context);
  } else {
    from--;
  }
  size_t to = piece_end(from, u->value_count);
  GcProgress progress = {to < u->value_count ? to + 1 : GC_DONE,
                         (uint32_t)(to - from + 1), WEAK_NONE};
  for (; from < to; from++)
    value_edge(&userdata_values(u)[from], LABEL_USERVALUE, edge, context);
  return progress;
}
GC_KIND_VISITS(userdata, Userdata)

static ALWAYS_INLINE GcProgress box_edges(Box *box, size_t from, GcEdgeFn *edge,
                                          void *context) {
  (void)from;
  vector_edge(box->data, LABEL_DATA, edge, context);
  return progress_done(1);
}
GC_KIND_VISITS(box, Box)

/* -- The table ------------------------------------------------------------- */

#define PLAIN_KIND(what) \
  { .name = #what, .scan = what##_scan, .walk = what##_walk }

const GcKind object_kinds[OBJECT_KIND_COUNT] = {
    [KIND_SHORT_STRING] = {.name = "short string", .flags = KIND_LEAF},
    [KIND_LONG_STRING] = {.name = "long string", .flags = KIND_LEAF},
    [KIND_TABLE] = {.name = "table",
                    .scan = table_scan,
                    .walk = table_walk,
                    .clear_values = table_clear_values,
                    .clear_keys = table_clear_keys,
                    .resolve = table_resolve},
    [KIND_LUA_CLOSURE] = PLAIN_KIND(lua_closure),
    [KIND_C_CLOSURE] = PLAIN_KIND(c_closure),
    [KIND_UPVALUE] = PLAIN_KIND(upvalue),
    [KIND_PROTO] = PLAIN_KIND(proto),
    [KIND_USERDATA] = PLAIN_KIND(userdata),
    [KIND_THREAD] = {.name = "thread",
                     .flags = KIND_STACK,
                     .scan = thread_scan,
                     .walk = thread_walk,
                     .scan_slots = thread_scan_slots,
                     .walk_slots = thread_walk_slots,
                     .stack_top = thread_stack_top,
                     .stack_stable = thread_stack_stable,
                     .stack_watch = thread_stack_watch,
                     .dying = thread_dying},
    [KIND_BOX] = PLAIN_KIND(box),
    [KIND_ARRAY_PART] = {.name = "array part", .flags = KIND_PART},
    [KIND_HASH_PART] = {.name = "hash part", .flags = KIND_PART},
    [KIND_DETOUR_PART] = {.name = "detour part", .flags = KIND_PART},
    [KIND_RETIRED_PART] = {.name = "retired part", .flags = KIND_PART},
    [KIND_VECTOR_PART] = {.name = "vector", .flags = KIND_PART},
};
