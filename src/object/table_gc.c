/* SPDX-License-Identifier: MIT */
/*
** table_gc.c -- what the collector does with tables
**
** A place in a visit is 1 + the position of a slot: first the array, then the
** nodes.  Place 0 is the beginning: there the visit also reports the parts and
** the metatable, and finds out whether the table is weak.
**
** How an entry is held:
**
**                    key                 value
**  ordinary          strong              strong
**  weak values       strong              weak
**  weak keys         weak                as long as the key
**  weak both         weak                weak
**
** Strings are not objects in this respect: a table always holds them strongly.
*/
#include "object/table_impl.h"

/* -- References ------------------------------------------------------------ */

static ALWAYS_INLINE bool key_can_die(const Node *n) {
  return tag_is_collectable(n->key_tag) && !tag_is_string(n->key_tag);
}

static void ephemeron_edge(const Node *n, GcEdgeFn *edge, void *context) {
  if (!key_can_die(n)) {
    payload_edge(n, n->key, n->key_tag, LABEL_KEY, edge, context);
    payload_edge(n, n->value, n->value_tag, LABEL_VALUE, edge, context);
    return;
  }
  bool alone = !tag_is_collectable(n->value_tag);
  edge_from(n, n->key.cell, alone ? EDGE_WEAK_KEY : EDGE_WEAK, LABEL_KEY, edge,
            context);
  if (alone) return;
  GcStrength strength =
      tag_is_string(n->value_tag) ? EDGE_EPHEMERON_LEAF : EDGE_EPHEMERON;
  edge(context, (GcEdge){n->value.cell, n->key.cell, strength,
                         edge_labels[LABEL_VALUE], n});
}

/* An entry that is weak in both is first looked at when values are cleared.
** Its strings are marked then, if it stays. */
static void all_weak_edges(const Node *n, GcEdgeFn *edge, void *context) {
  if (tag_is_collectable(n->key_tag))
    edge_from(n, n->key.cell, EDGE_WEAK, LABEL_KEY, edge, context);
  if (tag_is_collectable(n->value_tag))
    edge_from(n, n->value.cell, EDGE_WEAK, LABEL_VALUE, edge, context);
}

static ALWAYS_INLINE void node_edges(const Node *n, unsigned weakness,
                                     GcEdgeFn *edge, void *context) {
  if (n->value_tag == TAG_NIL) return;
  if (LIKELY(weakness == WEAK_NONE)) {
    payload_edge(n, n->key, n->key_tag, LABEL_KEY, edge, context);
    payload_edge(n, n->value, n->value_tag, LABEL_VALUE, edge, context);
  } else if (weakness == WEAK_VALUES) {
    payload_edge(n, n->key, n->key_tag, LABEL_KEY, edge, context);
    payload_edge_as(n, n->value, n->value_tag, EDGE_WEAK, LABEL_VALUE, edge,
                    context);
  } else if (weakness == WEAK_KEYS) {
    ephemeron_edge(n, edge, context);
  } else {
    all_weak_edges(n, edge, context);
  }
}

/* Checks eight tags at once, so that an array of numbers is skipped quickly. */
static ALWAYS_INLINE bool tags_have_cells(const uint8_t *tags) {
  uint64_t eight;
  memcpy(&eight, tags, sizeof eight);
  return (eight & UINT64_C(0x0101010101010101) * TAG_COLLECTABLE) != 0;
}

/* Returns the units saved: the work is one unit per slot minus this. */
static ALWAYS_INLINE size_t array_edges(const TableParts *parts, size_t from,
                                        size_t to, unsigned weakness,
                                        GcEdgeFn *edge, void *context) {
  const uint8_t *tags = parts_tags(parts);
  size_t saved = 0;
  for (size_t i = from; i < to; i++) {
    if (to - i >= 8 && !tags_have_cells(&tags[i])) {
      i += 7;
      saved += 7;
      continue;
    }
    size_t group = size_min(to, i + 8);
    for (; i < group; i++) {
      if (LIKELY(!(weakness & WEAK_VALUES)))
        payload_edge(&parts->array[i], parts->array[i], tags[i], LABEL_SLOT,
                     edge, context);
      else
        payload_edge_as(&parts->array[i], parts->array[i], tags[i], EDGE_WEAK,
                        LABEL_SLOT, edge, context);
    }
    i--;
  }
  return saved;
}

/* Skips slots without references, up to a limit.  Returns the first slot to
** visit. */
static ALWAYS_INLINE size_t array_skip(const TableParts *parts, size_t from) {
  enum { MOST = 16 * GC_PIECE };
  const uint8_t *tags = parts_tags(parts);
  size_t end = size_min(parts->array_size, from + MOST);
  while (end - from >= 8 && !tags_have_cells(&tags[from])) from += 8;
  return from;
}

/* Retired parts belong to the table as well. */
static void retired_own_edges(const TableParts *parts, GcEdgeFn *edge,
                              void *context) {
  for (RetiredPart *r = parts_retired(parts); r; r = r->older) {
    edge_to(r, EDGE_PART, LABEL_RETIRED, edge, context);
    if (r->array)
      edge_to(array_part(r->array), EDGE_PART, LABEL_ARRAY, edge, context);
    else if (r->hash)
      edge_to(r->hash, EDGE_PART, LABEL_HASH, edge, context);
  }
}

static ALWAYS_INLINE void own_edges(const Table *t, GcEdgeFn *edge,
                                    void *context) {
  TableParts parts = table_parts(t);
  DetourPart *d = table_weak_detour(t);
  if (parts.array && !part_is_inside(t, array_part(parts.array)))
    edge_to(array_part(parts.array), EDGE_PART, LABEL_ARRAY, edge, context);
  if (!hash_is_empty(parts.hash) && !part_is_inside(t, parts.hash))
    edge_to(parts.hash, EDGE_PART, LABEL_HASH, edge, context);
  edge_if(d, EDGE_PART, LABEL_DETOUR, edge, context);
  if (UNLIKELY(hash_has_link(parts.hash)))
    retired_own_edges(&parts, edge, context);
  edge_if(t->metatable, EDGE_STRONG, LABEL_METATABLE, edge, context);
}

/* A removed entry does not keep its key alive.  The address of the key remains,
** because `next` may be called with this key during a walk. */
static ALWAYS_INLINE void node_bury_key(Node *n) {
  if (n->value_tag == TAG_NIL && tag_is_collectable(n->key_tag))
    n->key_tag = TAG_DEAD_KEY;
}

/* A reached weak key costs only a look at its mark.  Other weak keys get a
** flag, or are noted by address, which costs a few cache misses each. */
enum {
  WEAK_KEY_REACHED = 2,
  WEAK_KEY_FLAGGED = 6,
  WEAK_KEY_NOTED = 16,
  WEAK_KEYS_PIECE = 512, /* units */
  WEAK_KEYS_AHEAD = 8    /* keys prefetched */
};

/* The cost of visiting an entry with a weak key.  `unreached` is the cost if
** the key is not reached. */
static ALWAYS_INLINE size_t weak_key_price(const Node *n, size_t unreached) {
  if (n->value_tag == TAG_NIL || !key_can_die(n)) return 1;
  return heap_is_marked(n->key.cell) ? WEAK_KEY_REACHED : unreached;
}

typedef struct RetiredVisit {
  GcEdgeFn *edge;
  void *context;
  unsigned weakness;
  bool bury;
  size_t saved; /* as array_edges returns it */
  size_t extra; /* cost beyond one unit per node */
} RetiredVisit;

static void retired_edges(void *context, RetiredPart *r, size_t from,
                          size_t to) {
  RetiredVisit *v = context;
  TableParts parts = {r->array, r->hash, r->array ? r->size : 0};
  if (r->array) {
    v->saved += array_edges(&parts, from, to, v->weakness, v->edge, v->context);
    return;
  }
  for (; from < to; from++) {
    Node *n = &r->hash->node[from];
    if (v->weakness & WEAK_KEYS)
      v->extra += weak_key_price(n, WEAK_KEY_NOTED) - 1;
    if (v->bury) node_bury_key(n);
    node_edges(n, v->weakness, v->edge, v->context);
  }
}

static size_t parts_positions(const TableParts *parts) {
  size_t own = parts->array_size + hash_size(parts->hash);
  return LIKELY(!hash_has_link(parts->hash)) ? own
                                             : own + growth_positions(parts);
}

/* -- Records --------------------------------------------------------------- */

/* Most tables are records: a few named fields in one small hash, and no detour.
** A record is visited at once, much faster than other tables. */
static ALWAYS_INLINE bool is_record(const Table *t) {
  return t->array_size == 0 && !(t->cell.user & TABLE_SPECIAL) &&
         !(t->hash->cell.user & (HASH_HAS_LINK | HASH_KEEPS_NAMES)) &&
         t->hash->mask < GC_PIECE;
}

static ALWAYS_INLINE GcProgress record_edges(const Table *t, bool bury,
                                             GcEdgeFn *edge, void *context) {
  HashPart *h = t->hash;
  if (!part_is_inside(t, h) && !hash_is_empty(h))
    edge_to(h, EDGE_PART, LABEL_HASH, edge, context);
  edge_if(t->metatable, EDGE_STRONG, LABEL_METATABLE, edge, context);
  uint32_t count = (uint32_t)hash_size(h);
  for (Node *n = h->node, *end = n + count; n < end; n++) {
    if (bury) node_bury_key(n);
    node_edges(n, WEAK_NONE, edge, context);
  }
  return (GcProgress){GC_DONE, count + 1, WEAK_NONE};
}

/* -- Templates ------------------------------------------------------------- */

/* Visits the names that copies are likely to get; other nodes are visited as
** usual. */
static NO_INLINE void kept_names_edges(const HashPart *h, GcEdgeFn *edge,
                                       void *context) {
  for (const Node *n = h->node, *end = n + hash_size(h); n < end; n++)
    if (n->value_tag == TAG_NIL)
      payload_edge(n, n->key, n->key_tag, LABEL_NAME, edge, context);
}

/* -- All tables ------------------------------------------------------------ */

/* Moves *from, a position in the hash, to the next node that may be used, and
** returns the position up to which that is known. */
static ALWAYS_INLINE size_t hash_piece(const TableParts *parts, size_t *from) {
  size_t end = hash_size(parts->hash), begin = parts->array_size;
  if (UNLIKELY(hash_has_link(parts->hash)))
    *from = begin + hash_skip_groups(parts->hash, *from - begin, &end);
  return begin + end;
}

/* Moves *from to the next position worth a visit, and returns a limit for the
** piece that starts there. */
static ALWAYS_INLINE size_t piece_limit(const TableParts *parts, size_t *from,
                                        size_t total) {
  size_t slots = parts->array_size;
  if (*from < slots) {
    *from = array_skip(parts, *from);
    return hash_has_link(parts->hash) ? slots : total;
  }
  return *from < slots + hash_size(parts->hash) ? hash_piece(parts, from)
                                                : total;
}

/* A free node has no valid address here; prefetching it is harmless. */
static ALWAYS_INLINE void prefetch_key(const Node *n) { PREFETCH(n->key.cell); }

/* Visits one piece of the nodes of a table with weak keys, from that place on.
** Nodes of retired parts are visited in pieces of their own. */
static ALWAYS_INLINE GcProgress weak_keys_edges(const TableParts *parts,
                                                size_t from, size_t unreached,
                                                RetiredVisit *v, GcEdgeFn *edge,
                                                void *context) {
  size_t own = parts->array_size + hash_size(parts->hash);
  size_t total = parts_positions(parts), work = 1, began = from;
  size_t end = from < own ? hash_piece(parts, &from) : own;
  for (; from < end && work < WEAK_KEYS_PIECE; from++) {
    Node *n = &parts->hash->node[from - parts->array_size];
    if (end - from > WEAK_KEYS_AHEAD) prefetch_key(n + WEAK_KEYS_AHEAD);
    work += weak_key_price(n, unreached);
    if (v->bury) node_bury_key(n);
    node_edges(n, v->weakness, edge, context);
  }
  if (from >= own && from == began) {
    from = size_min(total, from + WEAK_KEYS_PIECE / WEAK_KEY_NOTED);
    growth_each(parts, began - own, from - own, retired_edges, v);
    work += from - began - v->saved + v->extra;
  }
  return (GcProgress){from < total ? from + 1 : GC_DONE, (uint32_t)work,
                      v->weakness};
}

/* Visits all references of a table that is not a record.  With `bury`, which
** the marker sets, also buries keys.  The marker skips nodes that are weak in
** both: they keep nothing alive. */
static ALWAYS_INLINE GcProgress table_edges(Table *t, size_t from, bool bury,
                                            size_t unreached, GcEdgeFn *edge,
                                            void *context) {
  const DetourPart *d = table_weak_detour(t);
  TableParts parts = table_parts(t);
  unsigned weakness = UNLIKELY(d != NULL) ? d->weakness : (unsigned)WEAK_NONE;
  size_t own = parts.array_size + hash_size(parts.hash);
  bool skips_nodes = weakness == WEAK_BOTH && bury;
  size_t total = skips_nodes ? parts.array_size : parts_positions(&parts);
  bool keeps = UNLIKELY(hash_keeps_names(parts.hash));
  if (UNLIKELY(keeps && from == 0)) kept_names_edges(parts.hash, edge, context);
  bury &= !keeps;
  if (from == 0)
    own_edges(t, edge, context);
  else
    from = size_min(from - 1, total); /* a part may be gone by now */
  size_t skipped = from;
  size_t end = piece_limit(&parts, &from, total);
  skipped = from - skipped;
  size_t to = size_min(piece_end(from, total), end);
  if (to > parts.array_size && to < own && hash_is_puc_layout(parts.hash))
    to = own; /* entries may move within the hash */
  RetiredVisit visit = {edge, context, weakness, bury, 0, 0};
  if (UNLIKELY(weakness & WEAK_KEYS) && !skips_nodes) {
    if (from >= parts.array_size)
      return weak_keys_edges(&parts, from, unreached, &visit, edge, context);
    to = size_min(to, parts.array_size);
  }
  GcProgress progress = {to < total ? to + 1 : GC_DONE,
                         (uint32_t)(to - from + skipped / 32 + 1), weakness};
  if (from < parts.array_size) {
    size_t array_to = size_min(to, parts.array_size);
    progress.work -=
        (uint32_t)array_edges(&parts, from, array_to, weakness, edge, context);
    from = array_to;
  }
  size_t hash_to = size_min(to, own);
  for (; from < hash_to; from++) {
    Node *n = &parts.hash->node[from - parts.array_size];
    if (bury) node_bury_key(n);
    node_edges(n, weakness, edge, context);
  }
  if (UNLIKELY(from < to)) {
    growth_each(&parts, from - own, to - own, retired_edges, &visit);
    progress.work -= (uint32_t)visit.saved;
  }
  return progress;
}

/* -- Weakness -------------------------------------------------------------- */

/* The field of a metatable.  Changes nothing, because the collector is at
** work. */
static const Node *find_field(const Table *t, const String *name) {
  TableParts parts = table_parts(t);
  Value key;
  if (UNLIKELY(hash_has_link(parts.hash))) {
    value_set_string(&key, name);
    return table_locate(NULL, &parts, &key).node;
  }
  const Node *n = &parts.hash->node[name->hash & parts.hash->mask];
  while (!node_has_str(n, name)) {
    if (n->next == 0) return NULL;
    n += n->next;
  }
  return n;
}

/* True if it is already known that there is no __mode. */
static ALWAYS_INLINE bool is_known_strong(const Table *t) {
  const Table *meta = t->metatable;
  return !meta || (meta->cell.user & 1u << META_MODE);
}

/* The meaning of __mode. */
static unsigned table_weakness(const Global *g, const Table *t) {
  Table *meta = t->metatable;
  if (is_known_strong(t)) return WEAK_NONE;
  const String *name = g->meta_name[META_MODE];
  const Node *n = find_field(meta, name);
  if (!n) meta->cell.user |= 1u << META_MODE;
  if (!n || !tag_is_string(n->value_tag)) return WEAK_NONE;
  const char *mode = string_bytes((const String *)(void *)n->value.cell);
  return (strchr(mode, 'v') ? WEAK_VALUES : 0u) |
         (strchr(mode, 'k') ? WEAK_KEYS : 0u);
}

/* A weak table takes a detour from here on.  If there is no memory for that, it
** counts as an ordinary table in this cycle. */
static void table_find_weakness(Gc *gc, Table *t) {
  const Global *g = gc->client.context;
  unsigned weakness = table_weakness(g, t);
  DetourPart *d = table_weak_detour(t);
  if (weakness == WEAK_NONE) {
    if (d) detour_leave(t);
    return;
  }
  if (!d && detour_begin(gc, t)) d = table_weak_detour(t);
  if (d) d->weakness = weakness;
}

/* For tools: between its clearing and the next cycle a weak table is visited as
** if it were strong, but tools want to know its weakness. */
unsigned table_weakness_told(const Global *g, const Table *t) {
  return t->metatable ? table_weakness(g, t) : (unsigned)WEAK_NONE;
}

static unsigned weakness_now(const Table *t) {
  const DetourPart *d = table_weak_detour(t);
  return UNLIKELY(d != NULL) ? d->weakness : (unsigned)WEAK_NONE;
}

/* The cost of a weak key of this table that is not reached. */
static size_t unreached_price(const Gc *gc, const Table *t) {
  if (weakness_now(t) != WEAK_KEYS) return WEAK_KEY_FLAGGED;
  return gc_ephemeron_is_asked(gc, &t->cell) ? WEAK_KEY_FLAGGED
                                             : WEAK_KEY_NOTED;
}

static NO_INLINE GcProgress table_scan_piece(Gc *gc, Table *t, size_t from) {
  if (from == 0 && UNLIKELY(t->metatable || t->cell.user & TABLE_SPECIAL))
    table_find_weakness(gc, t);
  return table_edges(t, from, true, unreached_price(gc, t), gc_mark_edge, gc);
}

GcProgress table_scan(Gc *gc, Cell *cell, size_t from) {
  Table *t = (Table *)(void *)cell;
  if (LIKELY(from == 0 && is_record(t) && is_known_strong(t)))
    return record_edges(t, true, gc_mark_edge, gc);
  return table_scan_piece(gc, t, from);
}

GcProgress table_walk(Cell *cell, size_t from, GcEdgeFn *edge, void *context) {
  Table *t = (Table *)(void *)cell;
  if (from == 0 && is_record(t)) return record_edges(t, false, edge, context);
  return table_edges(t, from, false, 1, edge, context);
}

/* -- For tools ------------------------------------------------------------- */

static bool array_has(const Payload *array, size_t size, const void *payload) {
  return (uintptr_t)payload - (uintptr_t)array < size * sizeof(Payload);
}

static bool is_leaf(const Cell *cell) {
  return (object_kinds[cell->kind].flags & KIND_LEAF) != 0;
}

/* A string is never weak for tools. */
static void pick_weak_edge(void *context, GcEdge e) {
  GcEdge *edge = context;
  bool weak =
      e.strength > EDGE_WEAK || (e.strength == EDGE_WEAK && !is_leaf(e.to));
  if (weak && e.label == edge->label) *edge = e;
}

void table_weigh(unsigned weakness, GcEdge *edge) {
  if (edge_is(edge, LABEL_KEY) || edge_is(edge, LABEL_VALUE))
    node_edges(edge->at, weakness, pick_weak_edge, edge);
  else if (edge_is(edge, LABEL_SLOT) && weakness & WEAK_VALUES &&
           !is_leaf(edge->to))
    edge->strength = EDGE_WEAK;
}

size_t table_slot_index(const Table *t, const void *payload) {
  TableParts parts = table_parts(t);
  const Payload *slot = payload;
  if (array_has(parts.array, parts.array_size, payload))
    return (size_t)(slot - parts.array) + 1;
  for (const RetiredPart *r = parts_retired(&parts); r; r = r->older)
    if (r->array && array_has(r->array, r->size, payload))
      return (size_t)(slot - r->array) + 1;
  return 0; /* not covered: tools ask only for slots */
}

/* -- Moving entries -------------------------------------------------------- */

/* The entries of a visited table are marked, or noted where they are held
** weakly, so moving them within the table needs no work.  While a visit is in
** progress, an entry might move from the part not yet visited to the visited
** one.  So it is visited on its own, and held as before. */
static bool is_under_visit(const Table *t) {
  return (t->cell.flags & CELL_SCANNING) != 0;
}

void table_node_moved(Gc *gc, Table *t, const Node *n) {
  if (LIKELY(!is_under_visit(t))) return;
  gc_mark_from(gc, &t->cell);
  node_edges(n, weakness_now(t), gc_mark_edge, gc);
}

void table_slots_moved(Gc *gc, Table *t, const TableParts *parts, size_t from,
                       size_t to) {
  if (LIKELY(!is_under_visit(t))) return;
  gc_mark_from(gc, &t->cell);
  array_edges(parts, from, to, weakness_now(t), gc_mark_edge, gc);
}

/* -- Clearing -------------------------------------------------------------- */

static bool is_dead(Payload as, unsigned tag) {
  return tag_is_collectable(tag) && !tag_is_string(tag) &&
         !gc_is_reached(as.cell);
}

/* Which dead entries can be removed from a weak table now.  While objects are
** resurrected for their finalizers, no further object is known to be dead. */
static unsigned weakness_decided(const Gc *gc, const Table *t) {
  unsigned weakness = weakness_now(t);
  if (LIKELY(weakness == WEAK_NONE) || !gc_unmarked_is_dead(gc))
    return WEAK_NONE;
  if (gc->phase == PHASE_CLEAR_VALUES) return weakness & WEAK_VALUES;
  return gc->phase >= PHASE_CLEAR_KEYS ? weakness : (unsigned)WEAK_NONE;
}

bool table_node_is_dead(const Gc *gc, const Table *t, const Node *n) {
  unsigned decided = weakness_decided(gc, t);
  return (decided & WEAK_VALUES && is_dead(n->value, n->value_tag)) ||
         (decided & WEAK_KEYS && is_dead(n->key, n->key_tag));
}

static void clear_array(const TableParts *parts, size_t from, size_t to) {
  uint8_t *tags = parts_tags(parts);
  for (size_t i = from; i < to; i++)
    if (is_dead(parts->array[i], tags[i])) tags[i] = TAG_NIL;
}

/* The entry stays for now.  Its key may still die, or come back for a
** finalizer. */
static void node_stays(Gc *gc, const Node *n) {
  if (tag_is_string(n->value_tag)) heap_mark(n->value.cell);
  if (tag_is_string(n->key_tag))
    heap_mark(n->key.cell);
  else if (key_can_die(n) && !gc_is_reached(n->key.cell))
    gc_weak_key_pending(gc, n->key.cell);
}

static void clear_node_value(Gc *gc, Node *n) {
  if (is_dead(n->value, n->value_tag)) n->value_tag = TAG_NIL;
  if (n->value_tag != TAG_NIL) node_stays(gc, n);
  node_bury_key(n);
}

static void clear_node_key(Node *n) {
  if (is_dead(n->key, n->key_tag)) n->value_tag = TAG_NIL;
  node_bury_key(n);
}

/* Dead entries must not move from the part of the table not yet cleared to the
** cleared one.  So an entry is cleared before it moves. */
void table_clear_moving_node(Gc *gc, const Table *t, Node *n) {
  unsigned decided = weakness_decided(gc, t);
  if (decided & WEAK_VALUES) clear_node_value(gc, n);
  if (decided & WEAK_KEYS) clear_node_key(n);
}

void table_clear_moving_slots(const Gc *gc, const Table *t,
                              const TableParts *parts, size_t from, size_t to) {
  if (weakness_decided(gc, t) & WEAK_VALUES) clear_array(parts, from, to);
}

static void clear_retired_values(void *context, RetiredPart *r, size_t from,
                                 size_t to) {
  TableParts parts = {r->array, r->hash, r->array ? r->size : 0};
  if (r->array)
    clear_array(&parts, from, to);
  else
    for (; from < to; from++) clear_node_value(context, &r->hash->node[from]);
}

static void clear_retired_keys(void *context, RetiredPart *r, size_t from,
                               size_t to) {
  (void)context;
  if (!r->hash) return;
  for (; from < to; from++) clear_node_key(&r->hash->node[from]);
}

/* The number of entries in a large hash, by a sample. */
static size_t estimate_entries(const HashPart *h) {
  enum { SAMPLES = 64 };
  size_t count = size_min(hash_size(h), SAMPLES), found = 0;
  size_t stride = hash_size(h) / count;
  const uint8_t *used = hash_used_groups(h);
  for (size_t i = 0; i < hash_size(h); i += stride)
    found += used[i / HASH_GROUP] && h->node[i].value_tag != TAG_NIL;
  return found * stride;
}

size_t hash_shrink_soon(HashPart *h) {
  enum { SPARSE = 4 };
  size_t used = estimate_entries(h);
  if (used >= hash_size(h) / SPARSE) return 0;
  h->free = 0;
  return hash_part_bytes(h) - hash_bytes(used);
}

/* A weak table grows with the garbage of a cycle.  If most of it was garbage,
** it must shrink, and its unused memory must not count when the next goal is
** set.  This is done once for a part, because a table without insertions stays
** as it is.  Parts that it has outgrown leave anyway, and come first. */
static void weak_hash_leaves(Gc *gc, const TableParts *parts) {
  HashPart *h = parts->hash;
  if (hash_size(h) < TABLE_LARGE_HASH || h->cell.user & HASH_LEAVING) return;
  const RetiredPart *r = parts_retired(parts);
  size_t bytes = r ? 0 : hash_shrink_soon(h);
  if (bytes > 0 || r) h->cell.user |= HASH_LEAVING;
  for (; r; r = r->older)
    if (r->hash && r->hash != h) bytes += hash_part_bytes(r->hash);
  gc_part_leaves(gc, bytes);
}

/* The table has no dead entries and can be read directly again.  There are two
** exceptions.  A table whose keys and values are weak is cleared twice, and
** this may be the first time.  And nothing is freed while the collector walks
** over the heap. */
static void table_cleared(Gc *gc, Table *t, unsigned which) {
  if (weakness_now(t) != which || gc->weak_lost) return;
  DetourPart *d = detour_leave(t);
  gc_free_part(gc, d, sizeof *d);
}

GcProgress table_clear_values(Gc *gc, Cell *cell, size_t from) {
  Table *t = (Table *)(void *)cell;
  TableParts parts = table_parts(t);
  size_t own = parts.array_size + hash_size(parts.hash);
  size_t total = parts_positions(&parts);
  if (from > 0) from = size_min(from - 1, total);
  size_t to = piece_end(from, total);
  GcProgress progress = {to < total ? to + 1 : GC_DONE,
                         (uint32_t)(to - from + 1), WEAK_NONE};
  if (from < parts.array_size) {
    size_t array_to = size_min(to, parts.array_size);
    clear_array(&parts, from, array_to);
    from = array_to;
  }
  for (; from < size_min(to, own); from++)
    clear_node_value(gc, &parts.hash->node[from - parts.array_size]);
  if (from < to)
    growth_each(&parts, from - own, to - own, clear_retired_values, gc);
  if (progress.next == GC_DONE) {
    weak_hash_leaves(gc, &parts);
    table_cleared(gc, t, WEAK_VALUES);
  }
  return progress;
}

GcProgress table_clear_keys(Gc *gc, Cell *cell, size_t from) {
  Table *t = (Table *)(void *)cell;
  TableParts parts = table_parts(t);
  size_t nodes = hash_size(parts.hash);
  size_t total = parts_positions(&parts) - parts.array_size;
  if (from > 0) from = size_min(from - 1, total);
  size_t to = piece_end(from, total);
  GcProgress progress = {to < total ? to + 1 : GC_DONE,
                         (uint32_t)(to - from + 1), WEAK_NONE};
  for (; from < size_min(to, nodes); from++)
    clear_node_key(&parts.hash->node[from]);
  if (from < to)
    growth_each(&parts, from - nodes, to - nodes, clear_retired_keys, NULL);
  if (progress.next == GC_DONE) {
    weak_hash_leaves(gc, &parts);
    table_cleared(gc, t, WEAK_KEYS);
  }
  return progress;
}

/* The hash of an object depends on its address alone. */
static const Node *find_object(HashPart *h, Cell *key) {
  Value k;
  value_set_cell(&k, key, TAG_TABLE);
  const Node *n = hash_main_node(NULL, h, &k);
  for (;; n += n->next) {
    if (key_can_die(n) && n->key.cell == key) return n;
    if (n->next == 0) return NULL;
  }
}

void table_resolve(Gc *gc, Cell *cell, Cell *key) {
  TableParts parts = table_parts((Table *)(void *)cell);
  const Node *n = find_object(parts.hash, key);
  for (RetiredPart *r = parts_retired(&parts); r && !n; r = r->older)
    if (r->hash) n = find_object(r->hash, key);
  if (n && n->value_tag != TAG_NIL)
    payload_edge(n, n->value, n->value_tag, LABEL_VALUE, gc_mark_edge, gc);
}
