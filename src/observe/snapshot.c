/* SPDX-License-Identifier: MIT */
/*
** snapshot.c -- all objects of a heap and their references, as a file
**
** The work has these stages, each in small slices:
**
**   paths       notes the names of modules and their functions
**   roots       gives numbers to the roots
**   find        gives numbers, breadth first, to all objects that the roots
**               keep alive.  The number is the object's place in the file.
**               Notes entries of ephemerons by their keys.
**   finalizers  gives numbers to objects that wait for their finalizers.  Then
**               `find` continues with all that these keep alive.
**   rest        walks over the heap.  Gives numbers to objects that were live
**               in the beginning and were not found, because the program moved
**               them.
**   sweep       the collector sweeps: all that has a number stays.  Only now is
**               garbage freed, so what comes before must be short.
**   write       writes each object with all of its references, in the order of
**               the numbers.  An object that is referred to only now gets a
**               number as well, and is written at the end.
**   clean       frees memory
**   copy        joins the parts of the file
**   wait        waits until the thread of the queue has closed all files.  If
**               the snapshot has a file, and no writer of the host, that thread
**               also copies.  The collector continues meanwhile.
**
** An object is *confirmed* once an object with a smaller number, or one of the
** nodes in front, has been written with a reference to it.  If an object is not
** confirmed when its turn to be written comes, the reference by which it was
** found is gone.  Then a node in front gets a reference to it.  So every object
** in the file is reachable.
**
** Memory: for each object, 4 bytes for its number, 4 for its id and 8 for its
** place in the queue.  The ids stay after the snapshot.  Each entry of an
** ephemeron takes 24 bytes.  The parts of the file go to temporary files first,
** because the head of the file must tell the number of nodes and edges.
*/
#include "observe/snapshot.h"

#include <string.h>

#include "heap/side_table.h"
#include "observe/items.h"
#include "observe/buffered_file.h"

/* A unit takes about 3.4 ns; the prices were measured with a million tables. */
enum {
  FIND_BUDGET = 2048, /* units of work in one call: about 7 us */
  PRICE_FIND = 24,    /* units for finding an object */
  PRICE_FIND_EDGE = 10,
  PRICE_WRITE = 70,
  PRICE_WRITE_EDGE = 28,
  PRICE_COPY = 2400, /* units for copying a piece of the file */
  PRICE_WAIT = 8192, /* units for nothing: enough to end the step */
  PRICE_FREE = 6000, /* units for freeing a piece of memory */
  COPY_PIECE = 8192,
  NAME_SLOTS = 8192, /* slots of the table of names */
  WRITE_FACTOR = 3,  /* expected work for writing, in terms of finding */
  WRITE_JOBS = 24,   /* that a slice of writing may give to the queue */
  END_JOBS = 40,     /* that the end gives at once: four for each part */
  FINALIZER_PIECE = 64,
  NODE_FIELDS = 5
};

static const uint32_t CONFIRMED = UINT32_C(1) << 31;
static const uint32_t FIRST_ID = 11;

/* The nodes in front of all objects in the file. */
enum { FRONT_ROOT, FRONT_ROOTS, FRONT_FINALIZERS, FRONT_MOVED, FRONT_COUNT };
static const char *const front_names[FRONT_COUNT] = {
    "", "(GC roots)", "(to be finalized)", "(moved or dropped meanwhile)"};

typedef enum SnapshotStage {
  STAGE_PATHS,
  STAGE_ROOTS,
  STAGE_FIND,
  STAGE_FINALIZERS,
  STAGE_FIND_MORE,
  STAGE_REST,
  STAGE_SWEEP,
  STAGE_WRITE,
  STAGE_CLEAN,
  STAGE_COPY,
  STAGE_WAIT,
  STAGE_END
} SnapshotStage;

/* The parts of the file, in their order. */
enum {
  PART_HEAD,
  PART_NODES,
  PART_ROOT_EDGES,
  PART_FINALIZER_EDGES,
  PART_MOVED_EDGES,
  PART_EDGES,
  PART_STRINGS,
  PART_NAMES,
  PART_TAIL,
  PART_COUNT
};

/* An entry of an ephemeron table, noted by its key. */
typedef struct PairRecord {
  Cell *value;
  Cell *table;
  uint32_t next; /* the next record of the same key; 0: none */
  uint32_t unused;
} PairRecord;

typedef struct NameSlot {
  uint64_t hash;
  uint32_t index;
  uint32_t used;
} NameSlot;

typedef struct Snapshot {
  Gc *gc;
  Describer describer;
  SnapshotTarget target;
  SnapshotResult result;
  SnapshotStage stage;
  SideTable numbers; /* place in the file, and CONFIRMED; a mark if it is new */
  SideTable pairs;   /* of a key: its first record */
  ItemList queue;    /* cells by number; the first is FRONT_COUNT */
  ItemList records;  /* PairRecord; the first is number 1 */
  NameSlot *names;
  uint32_t name_count;
  uint32_t found; /* length of the queue when writing began */
  size_t at;      /* the item of the queue that is being visited */
  size_t from;    /* where to continue among its references */
  uint32_t pair;  /* its next record to be written */
  HeapCursor cursor;
  Cell *cell;          /* the object that is being visited or written */
  unsigned weakness;   /* its weakness, as the Describer says */
  uint32_t edge_count; /* its edges so far */
  uint64_t self_size;  /* its bytes so far */
  uint32_t front_edges[FRONT_COUNT];
  size_t work;        /* units of work in this call */
  uint64_t done_work; /* units of work so far */
  uint64_t find_work; /* units of work until writing began */
  size_t expected;    /* units of work until then, estimated in the beginning */
  WriteQueue writes;
  BufferedFile part[PART_COUNT];
  BufferedFile out; /* the file; without a buffer if the host has a writer */
  unsigned copying; /* the part that is being copied */
  char *piece;      /* buffer for copying */
} Snapshot;

static void snapshot_fail(Snapshot *s, const char *error) {
  if (!s->result.error) s->result.error = error;
}

/* The writer thread is behind.  The collector waits for it only if it must. */
static bool wait_for_writes(Snapshot *s) {
  s->work += PRICE_WAIT;
  if (gc_may_wait(s->gc)) write_queue_wait();
  return true;
}

/* -- Numbers --------------------------------------------------------------- */

static uint32_t number_of(const Snapshot *s, const Cell *cell) {
  return side_table_get(&s->numbers, cell) & ~CONFIRMED;
}

static uint32_t id_of(Snapshot *s, const Cell *cell) {
  return side_table_get(s->gc->heap.side_table, cell);
}

static bool id_make(Snapshot *s, Cell *cell) {
  SideTable *ids = s->gc->heap.side_table;
  uint32_t *id = side_table_at(ids, cell);
  if (!id) return false;
  if (*id == 0) {
    *id = ids->next;
    ids->next += 2;
  }
  return true;
}

/* Gives a number to the object, unless it has one, and puts it into the queue.
** Its own references are visited later.  Not for parts: they belong to their
** owners.  Returns the number.  0: no memory. */
static uint32_t find_cell(Snapshot *s, Cell *cell) {
  uint32_t *number = side_table_at(&s->numbers, cell);
  if (number && *number != 0) return *number & ~CONFIRMED;
  Cell **item = number ? items_add(&s->gc->heap, &s->queue) : NULL;
  if (!item || !id_make(s, cell) || s->queue.count >= CONFIRMED) {
    snapshot_fail(s, "not enough memory");
    return 0;
  }
  *item = cell;
  return *number = (uint32_t)(s->queue.count - 1);
}

/* -- Finding --------------------------------------------------------------- */

static bool edge_is_weak(const GcEdge *edge) {
  return edge->strength == EDGE_WEAK || edge->strength == EDGE_WEAK_KEY;
}
static bool edge_is_pair(const GcEdge *edge) {
  return edge->strength == EDGE_EPHEMERON ||
         edge->strength == EDGE_EPHEMERON_LEAF;
}

static void note_pair(Snapshot *s, const GcEdge *edge) {
  uint32_t *first = side_table_at(&s->pairs, edge->key);
  PairRecord *record = first ? items_add(&s->gc->heap, &s->records) : NULL;
  if (!record) {
    snapshot_fail(s, "not enough memory");
    return;
  }
  *record = (PairRecord){edge->to, s->cell, *first, 0};
  *first = (uint32_t)(s->records.count - 1);
}

static void find_edge(void *context, GcEdge edge) {
  Snapshot *s = context;
  s->work += PRICE_FIND_EDGE;
  if (s->weakness) s->describer.weigh(s->describer.context, s->weakness, &edge);
  if (!edge.to || edge.strength == EDGE_PART || edge_is_weak(&edge)) return;
  if (edge_is_pair(&edge)) note_pair(s, &edge);
  find_cell(s, edge.to);
}

/* Visits one piece of the references of an object.  True after the last one.
** The slots of a stack come last. */
static bool walk_piece(Snapshot *s, Cell *cell, GcEdgeFn *edge) {
  const GcKind *kind = gc_kind(s->gc, cell);
  static const size_t SLOTS = (size_t)1 << (sizeof(size_t) * 8 - 1);
  if (kind->flags & (KIND_PART | KIND_LEAF)) return true;
  s->weakness = s->describer.weakness(s->describer.context, cell);
  if (!(s->from & SLOTS)) {
    s->from = kind->walk(cell, s->from, edge, s).next;
    if (s->from != GC_DONE) return false;
    if (!(kind->flags & KIND_STACK)) return true;
    s->from = SLOTS;
  }
  size_t top = kind->stack_top(cell), at = s->from - SLOTS;
  size_t to = size_min(top, at + GC_PIECE);
  if (at < to) kind->walk_slots(cell, at, to, edge, s);
  s->from = to < top ? SLOTS + to : 0;
  return to >= top;
}

/* Visits objects of the queue within the budget.  False at the end of the
** queue. */
static bool find_some(Snapshot *s) {
  while (s->at < s->queue.count && s->work < FIND_BUDGET) {
    s->cell = *(Cell **)items_item(&s->queue, s->at);
    s->work += PRICE_FIND;
    if (walk_piece(s, s->cell, find_edge)) s->at++;
  }
  return s->at < s->queue.count;
}

/* -- Names ----------------------------------------------------------------- */

static uint64_t name_hash(const char *text, size_t length) {
  uint64_t h = UINT64_C(0xcbf29ce484222325) ^ length;
  for (size_t i = 0; i < length; i++)
    h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return h ^ h >> 29;
}

static uint32_t name_add(Snapshot *s, const char *text, size_t length) {
  buffered_put(&s->part[PART_NAMES], ",\n", 2);
  buffered_json(&s->part[PART_NAMES], text, length);
  return s->found + s->name_count++;
}

/* The index of a name.  A small table finds names that have been written
** before.  If it has no free slot for a name, the name is written again. */
static uint32_t name_index(Snapshot *s, const char *text, size_t length) {
  enum { TRIES = 4 };
  uint64_t hash = name_hash(text, length);
  for (unsigned i = 0; i < TRIES; i++) {
    NameSlot *slot = &s->names[(hash + i) % NAME_SLOTS];
    if (slot->used && slot->hash == hash) return slot->index;
    if (slot->used) continue;
    *slot = (NameSlot){hash, name_add(s, text, length), 1};
    return slot->index;
  }
  return name_add(s, text, length);
}

/* -- Writing --------------------------------------------------------------- */

static void put_edge(Snapshot *s, unsigned part, LinkType type, uint64_t name,
                     uint32_t to) {
  const uint64_t fields[] = {type, name, (uint64_t)to * NODE_FIELDS};
  buffered_numbers(&s->part[part], fields, 3);
  s->result.edges++;
}

static void confirm(Snapshot *s, Cell *cell) {
  uint32_t *number = side_table_at(&s->numbers, cell);
  if (number) *number |= CONFIRMED;
}

/* Writes a reference from a node in front to the object. */
static void put_front_edge(Snapshot *s, unsigned front, unsigned part,
                           Cell *cell) {
  uint32_t number = find_cell(s, cell);
  put_edge(s, part, LINK_ELEMENT, s->front_edges[front]++, number);
  confirm(s, cell);
}

static void put_node(Snapshot *s, NodeType type, uint32_t name, uint32_t id,
                     uint64_t size, uint32_t edges) {
  const uint64_t fields[NODE_FIELDS] = {
      type, name, id, size < UINT32_MAX ? size : UINT32_MAX, edges};
  buffered_numbers(&s->part[PART_NODES], fields, NODE_FIELDS);
  s->result.nodes++;
  s->result.bytes += size;
}

/* The name of an edge.  The contents of a string found before writing began are
** in the list of strings, so its number is the index of the name. */
static uint64_t edge_name(Snapshot *s, const EdgeWords *words, LinkType type) {
  if (type == LINK_ELEMENT || type == LINK_HIDDEN) return words->index;
  uint32_t number = words->string ? number_of(s, words->string) : 0;
  if (number > 0 && number < s->found) return number;
  return name_index(s, words->text, words->length);
}

static const char *cell_text(Snapshot *s, Cell *cell, NodeWords *words) {
  s->describer.node(s->describer.context, cell, words);
  words->text[size_min(words->length, DESCRIBE_TEXT - 1)] = '\0';
  return words->text;
}

/* DevTools recognizes ephemerons by this text.  Then it knows which of the two
** references, from the key and from the table, keeps the value alive. */
static uint32_t pair_name(Snapshot *s, Cell *key, Cell *value, Cell *table) {
  NodeWords key_words, value_words;
  char text[DESCRIBE_TEXT];
  uint32_t pair = (uint32_t)s->result.edges;
  int length = snprintf(
      text, sizeof text,
      "%u / part of key (%.40s @%u) -> value (%.40s @%u) pair in WeakMap "
      "(table @%u)",
      (unsigned)pair, cell_text(s, key, &key_words), (unsigned)id_of(s, key),
      cell_text(s, value, &value_words), (unsigned)id_of(s, value),
      (unsigned)id_of(s, table));
  return name_add(s, text, size_min((size_t)length, sizeof text - 1));
}

static void write_pair_edge(Snapshot *s, Cell *key, Cell *value, Cell *table) {
  uint32_t to = number_of(s, value);
  if (to == 0 || number_of(s, key) == 0) return;
  put_edge(s, PART_EDGES, LINK_INTERNAL, pair_name(s, key, value, table), to);
  s->edge_count++;
}

/* Confirms an object that is referred to, and returns its number.  A program
** that keeps linking new objects to old ones must not delay the end of the
** snapshot forever.  So beyond 4096 new objects plus an eighth of those found
** before, further new ones are left out.  Returns 0 for these. */
static uint32_t find_late(Snapshot *s, Cell *cell) {
  enum { MOST = 4096, SHARE = 8 };
  uint32_t *number = side_table_at(&s->numbers, cell);
  bool many = s->queue.count - s->found > s->found / SHARE + MOST;
  if (!number || (*number == 0 && (many || !find_cell(s, cell)))) return 0;
  *number |= CONFIRMED;
  return *number & ~CONFIRMED;
}

static void write_edge(void *context, GcEdge edge) {
  Snapshot *s = context;
  s->work += PRICE_WRITE_EDGE;
  if (!edge.to) return;
  if (s->weakness) s->describer.weigh(s->describer.context, s->weakness, &edge);
  if (edge.strength == EDGE_PART) {
    s->self_size += heap_cell_size(edge.to);
    return;
  }
  uint32_t to =
      edge_is_weak(&edge) ? number_of(s, edge.to) : find_late(s, edge.to);
  if (to == 0) return;
  if (edge_is_pair(&edge)) {
    write_pair_edge(s, edge.key, edge.to, s->cell);
    return;
  }
  EdgeWords words;
  s->describer.edge(s->describer.context, s->cell, &edge, &words);
  LinkType type = edge_is_weak(&edge) ? LINK_WEAK : words.type;
  if (type == LINK_WEAK && words.type == LINK_ELEMENT)
    words.length =
        (size_t)snprintf(words.text, sizeof words.text, "%zu", words.index);
  put_edge(s, PART_EDGES, type, edge_name(s, &words, type), to);
  s->edge_count++;
}

/* Writes references from the object, as a weak key, to its values in ephemeron
** tables.  True after the last one. */
static bool write_pairs(Snapshot *s) {
  while (s->pair != 0 && s->work < FIND_BUDGET) {
    const PairRecord *record = items_item(&s->records, s->pair);
    write_pair_edge(s, s->cell, record->value, record->table);
    s->work += 2 * PRICE_WRITE_EDGE;
    s->pair = record->next;
  }
  return s->pair == 0;
}

static void write_begin(Snapshot *s, Cell *cell) {
  s->cell = cell;
  s->edge_count = 0;
  s->self_size = heap_cell_size(cell);
  s->pair = s->records.count > 1 ? side_table_get(&s->pairs, cell) : 0;
  s->work += PRICE_WRITE;
  if (!(side_table_get(&s->numbers, cell) & CONFIRMED)) {
    put_front_edge(s, FRONT_MOVED, PART_MOVED_EDGES, cell);
    s->result.moved++;
  }
}

/* In the list of strings, a string has the same place as among the nodes.
** Other nodes leave their places empty.  All other names follow, including
** strings that were found after writing began. */
static void write_end(Snapshot *s) {
  NodeWords words;
  BufferedFile *strings = &s->part[PART_STRINGS];
  s->describer.node(s->describer.context, s->cell, &words);
  uint32_t name = (uint32_t)s->at;
  bool has_place = s->at < s->found;
  if (has_place) buffered_put(strings, ",\n", 2);
  if (has_place && words.type == NODE_STRING) {
    buffered_json(strings, words.text, words.length);
  } else {
    if (has_place) buffered_put(strings, "\"\"", 2);
    name = name_index(s, words.text, words.length);
  }
  put_node(s, words.type, name, id_of(s, s->cell), s->self_size, s->edge_count);
}

/* Writes objects of the queue within the budget.  False at the end. */
static bool write_some(Snapshot *s) {
  Heap *heap = &s->gc->heap;
  if (!write_queue_has_space(&s->writes, WRITE_JOBS)) return wait_for_writes(s);
  while (s->at < s->queue.count && s->work < FIND_BUDGET) {
    Cell *cell = *(Cell **)items_item(&s->queue, s->at);
    if (s->cell != cell) write_begin(s, cell);
    if (s->from != SIZE_MAX) {
      bool finished = walk_piece(s, cell, write_edge);
      if (!finished) continue;
      s->from = SIZE_MAX;
    }
    if (!write_pairs(s)) continue;
    write_end(s);
    s->cell = NULL;
    s->from = 0;
    s->at++;
  }
  items_free_some(heap, &s->queue, s->at);
  return s->at < s->queue.count;
}

/* -- Roots ----------------------------------------------------------------- */

static void root_find(void *context, GcEdge edge) {
  if (edge.to) find_cell(context, edge.to);
}

static void root_write(void *context, GcEdge edge) {
  Snapshot *s = context;
  uint32_t to = edge.to ? number_of(s, edge.to) : 0;
  if (to == 0) return;
  EdgeWords words;
  s->describer.edge(s->describer.context, NULL, &edge, &words);
  put_edge(s, PART_ROOT_EDGES, words.type, edge_name(s, &words, words.type),
           to);
  s->front_edges[FRONT_ROOTS]++;
  confirm(s, edge.to);
}

/* Their number is constant. */
static void roots_each(Snapshot *s, GcEdgeFn *edge) {
  Gc *gc = s->gc;
  gc_roots(gc, edge, s);
  if (gc->running)
    edge(s, (GcEdge){gc->running, NULL, EDGE_STRONG, "running thread", NULL});
  s->work += FIND_BUDGET;
}

static bool finalizers_some(Snapshot *s) {
  for (int i = 0; i < FINALIZER_PIECE; i++) {
    Cell *cell = gc_next_waiting(s->gc);
    s->work += PRICE_FIND;
    if (!cell) return false;
    if (!(side_table_get(&s->numbers, cell) & CONFIRMED))
      put_front_edge(s, FRONT_FINALIZERS, PART_FINALIZER_EDGES, cell);
  }
  return true;
}

/* -- The rest -------------------------------------------------------------- */

static void rest_cell(void *context, void *address, size_t size, bool marked) {
  Snapshot *s = context;
  Cell *cell = address;
  (void)size;
  s->work += PRICE_FIND / 4;
  if (!marked || gc_kind(s->gc, cell)->flags & KIND_PART) return;
  if (number_of(s, cell) == 0 && !side_table_is_marked(&s->numbers, cell))
    find_cell(s, cell);
}

static bool rest_some(Snapshot *s) {
  if (find_some(s)) return true;
  return heap_walk_some(&s->gc->heap, &s->cursor, rest_cell, s) ||
         s->at < s->queue.count;
}

/* -- The file -------------------------------------------------------------- */

static const char head_form[] =
    "{\"snapshot\":{\"meta\":{\n"
    "\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\"],\n"
    "\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\","
    "\"closure\",\"regexp\",\"number\",\"native\",\"synthetic\","
    "\"concatenated string\",\"sliced string\",\"symbol\",\"bigint\"],"
    "\"string\",\"number\",\"number\",\"number\"],\n"
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\n"
    "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\","
    "\"hidden\",\"shortcut\",\"weak\"],\"string_or_number\",\"node\"]},\n";

/* Writes the nodes in front.  Their numbers of edges are known only now. */
static void head_nodes(Snapshot *s, BufferedFile *head) {
  s->front_edges[FRONT_ROOT] = FRONT_COUNT - 1;
  for (unsigned i = 0; i < FRONT_COUNT; i++) {
    buffered_text(head, i > 0 ? ",\n" : "");
    buffered_number(head, NODE_SYNTHETIC);
    buffered_put(head, ",", 1);
    buffered_number(head, i);
    buffered_put(head, ",", 1);
    buffered_number(head, 2 * i + 1);
    buffered_text(head, ",0,");
    buffered_number(head, s->front_edges[i]);
  }
}

static void write_head(Snapshot *s) {
  BufferedFile *head = &s->part[PART_HEAD];
  s->result.nodes += FRONT_COUNT;
  s->result.edges += FRONT_COUNT - 1;
  buffered_text(head, head_form);
  buffered_text(head, "\"node_count\":");
  buffered_number(head, s->result.nodes);
  buffered_text(head, ",\"edge_count\":");
  buffered_number(head, s->result.edges);
  buffered_text(head, ",\"trace_function_count\":0},\n\"nodes\":[");
  head_nodes(s, head);
  buffered_text(&s->part[PART_TAIL], "]}\n");
}

/* Writes the text between two parts. */
static void write_seams(Snapshot *s) {
  buffered_text(&s->part[PART_NODES], "],\n\"edges\":[");
  for (unsigned i = 1; i < FRONT_COUNT; i++) {
    char text[64];
    snprintf(text, sizeof text, "%s%d,%u,%u", i > 1 ? ",\n" : "", LINK_ELEMENT,
             i, i * NODE_FIELDS);
    buffered_text(&s->part[PART_NODES], text);
  }
  buffered_text(&s->part[PART_EDGES], "],\n\"strings\":[");
  for (unsigned i = 0; i < FRONT_COUNT; i++) {
    if (i > 0) buffered_put(&s->part[PART_EDGES], ",", 1);
    buffered_json(&s->part[PART_EDGES], front_names[i], strlen(front_names[i]));
  }
}

/* Copies one piece of the file.  False at the end. */
static bool copy_some(Snapshot *s) {
  if (s->result.error || s->out.buffer) return false;
  if (!write_queue_is_idle(&s->writes)) return wait_for_writes(s);
  BufferedFile *part = &s->part[s->copying];
  s->work += PRICE_COPY;
  size_t size = buffered_take(part, s->piece, COPY_PIECE);
  if (part->error) return false;
  if (size == 0) return ++s->copying < PART_COUNT;
  if (s->target.write(s->target.context, s->piece, size) != 0)
    snapshot_fail(s, "cannot write");
  return true;
}

/* Writes what was not known before, and the rest of each part. */
static void copy_begin(Snapshot *s) {
  write_head(s);
  write_seams(s);
  for (unsigned i = 0; i < PART_COUNT; i++) {
    BufferedFile *part = &s->part[i];
    if (s->out.buffer)
      buffered_append(&s->out, part);
    else if (part->in_file)
      buffered_flush(part);
  }
  if (s->out.buffer) buffered_flush(&s->out);
}

static void close_files(Snapshot *s) {
  for (unsigned i = 0; i < PART_COUNT; i++) buffered_close(&s->part[i]);
  buffered_close(&s->out);
  write_queue_stop(&s->writes);
}

/* False when the writer thread has done all. */
static bool wait_some(Snapshot *s) {
  if (!write_queue_has_ended(&s->writes)) return wait_for_writes(s);
  if (s->out.error) snapshot_fail(s, strerror(s->out.error));
  for (unsigned i = 0; i < PART_COUNT; i++)
    if (s->part[i].error) snapshot_fail(s, "cannot write temporary file");
  buffered_free_spare(&s->gc->heap, &s->writes);
  return false;
}

/* -- Beginning and end ----------------------------------------------------- */

/* Frees one piece of memory.  False at the end. */
static bool clean_some(Snapshot *s) {
  Heap *heap = &s->gc->heap;
  s->work += PRICE_FREE;
  if (items_free_rest(heap, &s->queue)) return true;
  if (items_free_rest(heap, &s->records)) return true;
  if (side_table_free_some(&s->numbers)) return true;
  return side_table_free_some(&s->pairs);
}

/* True if there are too many jobs.  To close the files there is always
** room. */
static bool end_must_wait(Snapshot *s) {
  if (s->result.error || write_queue_has_space(&s->writes, END_JOBS))
    return false;
  return wait_for_writes(s);
}

static void snapshot_finish(Snapshot *s) {
  Heap *heap = &s->gc->heap;
  s->result.ok = s->result.error == NULL;
  if (s->target.done) s->target.done(s->target.context, &s->result);
  if (s->piece) heap_raw_free(heap, s->piece, COPY_PIECE);
  if (s->names) heap_raw_free(heap, s->names, NAME_SLOTS * sizeof(NameSlot));
  heap_raw_free(heap, s, sizeof *s);
}

static void end_births(Snapshot *s) {
  Heap *heap = &s->gc->heap;
  heap_note_births(heap, NULL);
  if (heap->walk == &s->cursor) heap_walk_end(heap);
}

static void enter_stage(Snapshot *s, SnapshotStage stage) {
  s->stage = stage;
  if (stage == STAGE_FINALIZERS) gc_begin_waiting(s->gc);
  if (stage == STAGE_REST) heap_walk_begin(&s->gc->heap, &s->cursor);
  if (stage == STAGE_SWEEP) {
    end_births(s);
    s->found = (uint32_t)s->queue.count;
    s->find_work = s->done_work;
    s->at = FRONT_COUNT;
    s->cell = NULL;
  }
  if (stage == STAGE_WRITE) roots_each(s, root_write);
  if (stage == STAGE_CLEAN) end_births(s);
  if (stage == STAGE_COPY && !s->result.error) copy_begin(s);
  if (stage == STAGE_WAIT) close_files(s);
}

/* True while the stage is not finished. */
static bool stage_slice(Snapshot *s) {
  switch (s->stage) {
    case STAGE_PATHS:
      s->work += PRICE_DESCRIBE;
      return s->describer.begin(s->describer.context);
    case STAGE_ROOTS:
      heap_note_births(&s->gc->heap, &s->numbers);
      roots_each(s, root_find);
      return false;
    case STAGE_FIND:
    case STAGE_FIND_MORE: return find_some(s);
    case STAGE_FINALIZERS: return finalizers_some(s);
    case STAGE_REST: return rest_some(s);
    case STAGE_SWEEP: return false;
    case STAGE_WRITE: return write_some(s);
    case STAGE_CLEAN: return clean_some(s) || end_must_wait(s);
    case STAGE_COPY: return copy_some(s);
    case STAGE_WAIT: return wait_some(s);
    case STAGE_END: break;
  }
  return false;
}

/* Work for copying what has been written and is not copied yet. */
static double files_left(const Snapshot *s) {
  double bytes = 0;
  for (unsigned i = 0; i < PART_COUNT && !s->out.buffer; i++)
    bytes += (double)(s->part[i].size - s->part[i].taken);
  return bytes / COPY_PIECE * PRICE_COPY;
}

/* Work that is left until the sweep.  The estimate is a unit for each live byte;
** small tables take two thirds of that. */
static double finding_left(const Snapshot *s) {
  double expected = (double)s->expected, least = expected / 8;
  double left = expected - (double)s->done_work;
  return left > least ? left : least;
}

/* Work that is left after the sweep, estimated by what the objects and their
** part of the files have taken so far. */
static double writing_left(const Snapshot *s) {
  enum { ENOUGH = 1024 }; /* objects that say something about the others */
  double files = files_left(s);
  if (s->stage > STAGE_WRITE) return files;
  if (s->at < ENOUGH) return (double)s->find_work * WRITE_FACTOR;
  double each = ((double)(s->done_work - s->find_work) + files) / (double)s->at;
  return each * (double)(s->queue.count - s->at) + files;
}

static size_t snapshot_slice(GcInspection *inspection) {
  Snapshot *s = inspection->context;
  s->work = 1;
  if (s->gc->emergency && s->stage < STAGE_CLEAN)
    snapshot_fail(s, "not enough memory");
  if (write_queue_is_lost(&s->writes))
    snapshot_fail(s, "the process was forked");
  if (s->stage == STAGE_PATHS) s->expected = s->gc->heap.marked_bytes;
  bool more = stage_slice(s);
  if (s->result.error && s->stage < STAGE_CLEAN)
    enter_stage(s, STAGE_CLEAN);
  else if (!more)
    enter_stage(s, s->stage + 1);
  s->done_work += s->work;
  inspection->left = s->stage < STAGE_SWEEP ? finding_left(s) : writing_left(s);
  if (s->stage == STAGE_SWEEP) inspection->part = INSPECT_SECOND;
  if (s->stage == STAGE_WAIT) inspection->part = INSPECT_ELSEWHERE;
  if (s->stage != STAGE_END) return s->work;
  snapshot_finish(s);
  return 0;
}

/* The state is closed, or the snapshot could not begin. */
static void snapshot_drop(void *context) {
  Snapshot *s = context;
  if (s->stage < STAGE_WAIT) snapshot_fail(s, "state closed");
  if (s->stage < STAGE_CLEAN) enter_stage(s, STAGE_CLEAN);
  while (clean_some(s)) continue;
  close_files(s);
  write_queue_finish(&s->writes);
  wait_some(s);
  snapshot_finish(s);
}

static bool make_files(Snapshot *s, FILE *file) {
  Heap *heap = &s->gc->heap;
  for (unsigned i = 0; i < PART_COUNT; i++)
    if (!buffered_open(&s->part[i], heap, &s->writes, NULL)) return false;
  return !file || buffered_open(&s->out, heap, &s->writes, file);
}

static bool make_buffers(Snapshot *s) {
  Heap *heap = &s->gc->heap;
  side_table_init(&s->numbers, heap);
  side_table_init(&s->pairs, heap);
  s->queue = items_list(sizeof(Cell *));
  s->records = items_list(sizeof(PairRecord));
  s->piece = heap_raw_allocate(heap, COPY_PIECE);
  s->names = heap_raw_allocate(heap, NAME_SLOTS * sizeof(NameSlot));
  if (!s->piece || !s->names) return false;
  memset(s->names, 0, NAME_SLOTS * sizeof(NameSlot));
  for (unsigned i = 0; i < FRONT_COUNT; i++)
    if (!items_add(heap, &s->queue)) return false;
  return items_add(heap, &s->records) != NULL;
}

bool snapshot_begin(Gc *gc, const Describer *describer,
                    const SnapshotTarget *target) {
  if (gc_is_inspecting(gc) || !side_table_make(&gc->heap, FIRST_ID))
    return false;
  Snapshot *s = heap_raw_allocate(&gc->heap, sizeof *s);
  if (!s) return false;
  memset(s, 0, sizeof *s);
  s->gc = gc;
  s->at = FRONT_COUNT;
  write_queue_open(&s->writes);
  if (!make_buffers(s) || !make_files(s, target->file)) {
    snapshot_drop(s);
    return false;
  }
  s->describer = *describer;
  s->target = *target;
  GcInspection inspection = {snapshot_slice, snapshot_drop, s,
                             (double)gc_count(gc), INSPECT_FIRST};
  return gc_inspect(gc, &inspection);
}
