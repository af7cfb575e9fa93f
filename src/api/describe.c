/* SPDX-License-Identifier: MIT */
/*
** describe.c -- descriptions of objects and references for people
*/
#include "api/describe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "observe/samples.h"
#include "vm/debug.h"

enum { SHOWN_BYTES = 120 /* of a string */ };

/* -- Text ------------------------------------------------------------------ */

static PRINTF_LIKE(3, 4) size_t
    words_print(char *text, size_t at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text + at, DESCRIBE_TEXT - at, format, arguments);
  va_end(arguments);
  return size_min(at + (length > 0 ? (size_t)length : 0), DESCRIBE_TEXT - 1);
}

/* Text that needs no printf, for what is described most often. */
static size_t words_text(char *text, const char *words) {
  size_t length = strlen(words);
  memcpy(text, words, length);
  return length;
}

/* Writes the beginning of a string, up to `most` bytes, and cuts it between two
** characters. */
static size_t words_string(char *text, size_t at, const String *s,
                           size_t most) {
  size_t length = string_length(s), shown = size_min(length, most);
  const char *bytes = string_bytes(s);
  while (shown < length && shown > 0 && (bytes[shown] & 0xC0) == 0x80) shown--;
  shown = size_min(shown, DESCRIBE_TEXT - 4 - at);
  memcpy(text + at, bytes, shown);
  if (shown == length) return at + shown;
  memcpy(text + at + shown, "...", 3);
  return at + shown + 3;
}

size_t describe_place(const Proto *p, char *text, size_t capacity) {
  char id[LUA_IDSIZE];
  const char *source = p->source ? string_bytes(p->source) : "=?";
  source_to_id(id, source, p->source ? string_length(p->source) : 2);
  int length = p->first_line == 0
                   ? snprintf(text, capacity, "%s", id)
                   : snprintf(text, capacity, "%s:%d", id, (int)p->first_line);
  return size_min((size_t)length, capacity - 1);
}

/* -- Paths ----------------------------------------------------------------- */

static PathEntry *path_slot(Paths *paths, const Cell *cell) {
  size_t i = ((uintptr_t)cell / GRANULE * 0x9e3779b1u) % PATH_SLOTS;
  while (paths->slot[i].cell && paths->slot[i].cell != cell)
    i = (i + 1) % PATH_SLOTS;
  return &paths->slot[i];
}

static void path_note(Paths *paths, const Value *v, const String *module,
                      const Value *name) {
  int type = value_type(v);
  if (!tag_is_collectable(v->tag) || value_type(name) != LUA_TSTRING ||
      (type != LUA_TTABLE && type != LUA_TFUNCTION) ||
      paths->count > PATH_SLOTS * 3 / 4)
    return;
  PathEntry *entry = path_slot(paths, v->as.cell);
  if (entry->cell) return;
  *entry = (PathEntry){v->as.cell, module, value_string(name)};
  paths->count++;
}

/* Notes the fields of a table, at most 512 of them: a larger table is not a
** module. */
static void path_note_fields(Paths *paths, Table *t, const String *module) {
  enum { MOST = 512 };
  Value slot[2];
  size_t at = 0;
  for (int i = 0; i < MOST; i++) {
    at = table_next_at(paths->global->main, t, at, slot);
    if (at == 0) return;
    path_note(paths, &slot[1], module, &slot[0]);
  }
}

static Table *registry_table(const Paths *paths, const char *name) {
  Global *g = paths->global;
  Table *registry = (Table *)(void *)g->registry.as.cell;
  Value slot[2];
  size_t at = 0;
  while ((at = table_next_at(g->main, registry, at, slot)) != 0) {
    bool found =
        name ? value_type(&slot[0]) == LUA_TSTRING &&
                   strcmp(string_bytes(value_string(&slot[0])), name) == 0
             : value_is_integer(&slot[0]) && slot[0].as.i == LUA_RIDX_GLOBALS;
    if (found && value_type(&slot[1]) == LUA_TTABLE)
      return (Table *)(void *)slot[1].as.cell;
    if (name && at > 4096) break; /* luaL_ref's array comes first: stop */
  }
  return NULL;
}

void describe_begin(Paths *paths, Global *g) {
  memset(paths, 0, sizeof *paths);
  paths->global = g;
}

/* The next module, except the one of the globals.  False at the end. */
static bool next_module(Paths *paths, const Table *globals, Value *slot) {
  enum { MOST = 64 };
  while (paths->modules++ <= MOST) {
    paths->at =
        table_next_at(paths->global->main, paths->loaded, paths->at, slot);
    if (paths->at == 0) return false;
    if (value_type(&slot[1]) == LUA_TTABLE &&
        value_type(&slot[0]) == LUA_TSTRING &&
        (Table *)(void *)slot[1].as.cell != globals)
      return true;
  }
  return false;
}

/* The program may run between two pieces, but objects seen in the first one stay
** in memory. */
static bool describe_more(void *context) {
  Paths *paths = context;
  Table *globals = registry_table(paths, NULL);
  Value slot[2];
  if (paths->modules == 0) { /* the first piece */
    paths->loaded = registry_table(paths, "_LOADED");
    if (paths->loaded) path_note_fields(paths, paths->loaded, NULL);
    if (globals) path_note_fields(paths, globals, NULL);
    paths->modules = 1;
    return paths->loaded != NULL;
  }
  if (!next_module(paths, globals, slot)) return false;
  path_note_fields(paths, (Table *)(void *)slot[1].as.cell,
                   value_string(&slot[0]));
  return true;
}

void describe_paths(Paths *paths, Global *g) {
  describe_begin(paths, g);
  while (describe_more(paths)) continue;
}

/* Writes the path of an object, if it has one.  Returns the new length of the
** text. */
static size_t path_print(Paths *paths, const Cell *cell, char *text,
                         size_t at) {
  const PathEntry *entry = path_slot(paths, cell);
  if (!entry->cell) return at;
  if (entry->module) {
    at = words_string(text, at, entry->module, 40);
    text[at++] = '.';
  }
  return words_string(text, at, entry->name, 40);
}

/* -- Weak tables ----------------------------------------------------------- */

/* A value beside those of GcWeakness: the list of open upvalues of a thread
** keeps nothing alive. */
enum { WEAK_LINKS = 4 };

static unsigned describe_weakness(void *context, Cell *cell) {
  const Paths *paths = context;
  if (paths->without_open &&
      (cell->kind == KIND_UPVALUE || cell->kind == KIND_THREAD))
    return WEAK_LINKS;
  if (cell->kind != KIND_TABLE) return WEAK_NONE;
  return table_weakness_told(paths->global, (const Table *)(void *)cell);
}

static void describe_weigh(void *context, unsigned weakness, GcEdge *edge) {
  (void)context;
  if (weakness != WEAK_LINKS)
    table_weigh(weakness, edge);
  else if (edge_is(edge, LABEL_OPEN_UPVALUE) || edge_is(edge, LABEL_NEXT))
    edge->strength = EDGE_WEAK;
}

/* -- Nodes ----------------------------------------------------------------- */

static bool meta_field(const Paths *paths, Table *meta, MetaEvent event,
                       Value *out) {
  const Global *g = paths->global;
  return table_get_str(g->main, meta, g->meta_name[event], out);
}

/* Writes the name of a class: the __name of the metatable. */
static size_t own_class_print(const Paths *paths, Table *meta, char *text) {
  Value v;
  if (!meta || !meta_field(paths, meta, META_NAME, &v) ||
      value_type(&v) != LUA_TSTRING)
    return 0;
  return words_string(text, 0, value_string(&v), 60);
}

/* Writes the name of a class: the path of the metatable, or of its __index. */
static size_t class_print(Paths *paths, Table *meta, char *text) {
  Value v;
  size_t length = path_print(paths, &meta->cell, text, 0);
  if (length > 0) return length;
  if (meta_field(paths, meta, META_INDEX, &v) && value_type(&v) == LUA_TTABLE)
    return path_print(paths, v.as.cell, text, 0);
  return 0;
}

/* Writes the line that has made the object, if samples of allocations know
** it: "f (file:line)" is the innermost call. */
static size_t made_print(const Paths *paths, const Cell *cell, char *text,
                         size_t at) {
  const Samples *samples = api_of(paths->global)->samples;
  const SampleSite *site = samples ? samples_find(samples, cell) : NULL;
  if (!site) return at;
  const char *line = stack_line(site->stack), *end = strchr(line, ';');
  size_t length = end ? (size_t)(end - line) : strlen(line);
  const char *open = memchr(line, '(', length);
  if (!open || line[length - 1] != ')') return at;
  return words_print(text, at, " made at %.*s",
                     (int)(line + length - 1 - (open + 1)), open + 1);
}

static void table_words(Paths *paths, Table *t, NodeWords *words) {
  words->type = NODE_OBJECT;
  if (&t->cell == paths->global->registry.as.cell) {
    words->length = words_text(words->text, "registry");
    return;
  }
  words->length = own_class_print(paths, t->metatable, words->text);
  if (words->length == 0)
    words->length = path_print(paths, &t->cell, words->text, 0);
  if (words->length == 0 && t->metatable)
    words->length = class_print(paths, t->metatable, words->text);
  if (words->length > 0) return;
  bool plain = t->array_size > 0 && !(t->cell.user & TABLE_SPECIAL) &&
               t->hash->mask == 0;
  words->length = words_text(words->text, plain ? "Array" : "Object");
  words->length = made_print(paths, &t->cell, words->text, words->length);
}

static void function_words(Paths *paths, Cell *cell, const Proto *p,
                           NodeWords *words) {
  char place[DESCRIBE_TEXT / 2];
  size_t at = path_print(paths, cell, words->text, 0);
  words->type = NODE_CLOSURE;
  if (!p) {
    if (at == 0) at = words_print(words->text, 0, "C function");
  } else {
    describe_place(p, place, sizeof place);
    at =
        words_print(words->text, at, at > 0 ? " (%s)" : "function <%s>", place);
  }
  words->length = at;
}

static void thread_words(const Paths *paths, const Thread *t,
                         NodeWords *words) {
  const lua_State *L = &t->state;
  char place[DESCRIBE_TEXT / 2] = "";
  const char *what = L == paths->global->main ? "main thread" : "coroutine";
  for (const Frame *f = L->frame; f > L->frames && !place[0]; f--)
    if (frame_is_lua(f))
      describe_place(frame_closure(f)->proto, place, sizeof place);
  words->type = NODE_NATIVE;
  words->length = place[0]
                      ? words_print(words->text, 0, "%s in %s", what, place)
                      : words_print(words->text, 0, "%s", what);
}

static void userdata_words(Paths *paths, const Userdata *u, NodeWords *words) {
  words->type = NODE_NATIVE;
  words->length = own_class_print(paths, u->metatable, words->text);
  if (words->length == 0 && u->metatable)
    words->length = class_print(paths, u->metatable, words->text);
  if (words->length == 0)
    words->length = words_print(words->text, 0, "userdata");
}

static void proto_words(const Proto *p, NodeWords *words) {
  char place[DESCRIBE_TEXT / 2];
  describe_place(p, place, sizeof place);
  words->type = NODE_CODE;
  words->length = words_print(words->text, 0, "code of %s", place);
}

void describe_node(void *context, Cell *cell, NodeWords *words) {
  Paths *paths = context;
  void *object = cell;
  switch ((ObjectKind)cell->kind) {
    case KIND_SHORT_STRING:
    case KIND_LONG_STRING:
      words->type = NODE_STRING;
      words->length = words_string(words->text, 0, object, SHOWN_BYTES);
      break;
    case KIND_TABLE: table_words(paths, object, words); break;
    case KIND_LUA_CLOSURE:
      function_words(paths, cell, ((LuaClosure *)object)->proto, words);
      break;
    case KIND_C_CLOSURE: function_words(paths, cell, NULL, words); break;
    case KIND_THREAD: thread_words(paths, object, words); break;
    case KIND_USERDATA: userdata_words(paths, object, words); break;
    case KIND_PROTO: proto_words(object, words); break;
    default:
      words->type = NODE_HIDDEN;
      words->length = words_text(words->text, object_kinds[cell->kind].name);
  }
}

/* -- Edges ----------------------------------------------------------------- */

static void index_words(lua_Integer i, EdgeWords *words) {
  words->type = LINK_ELEMENT;
  words->index = (size_t)i;
  if (i >= 0 && i <= INT32_MAX) return;
  words->type = LINK_PROPERTY;
  words->length =
      words_print(words->text, 0, "[" LUA_INTEGER_FMT "]", (LUAI_UACINT)i);
}

/* Describes the reference to the value of a table's entry by the key. */
static void entry_words(Paths *paths, const Node *n, EdgeWords *words) {
  NodeWords key;
  words->type = LINK_PROPERTY;
  if (tag_is_string(n->key_tag)) {
    words->string = n->key.cell;
    words->length = words_string(
        words->text, 0, (const String *)(const void *)n->key.cell, SHOWN_BYTES);
  } else if (n->key_tag == TAG_INTEGER) {
    index_words(n->key.i, words);
  } else if (n->key_tag == TAG_FLOAT) {
    words->length = words_print(words->text, 0, "[%.14g]", n->key.n);
  } else if (tag_is_collectable(n->key_tag)) {
    describe_node(paths, n->key.cell, &key);
    key.text[key.length] = '\0';
    words->length = words_print(words->text, 0, "[%.100s]", key.text);
  } else {
    words->length = words_print(words->text, 0, "[%s]",
                                n->key_tag == TAG_TRUE    ? "true"
                                : n->key_tag == TAG_FALSE ? "false"
                                                          : "pointer");
  }
}

/* Names the two indices of the registry that the manual defines. */
static void registry_words(EdgeWords *words) {
  if (words->type != LINK_ELEMENT) return;
  const char *name = words->index == LUA_RIDX_GLOBALS      ? "_G"
                     : words->index == LUA_RIDX_MAINTHREAD ? "main thread"
                                                           : NULL;
  if (!name) return;
  words->type = LINK_PROPERTY;
  words->length = words_print(words->text, 0, "%s", name);
}

static void table_edge_words(Paths *paths, const Table *t, const GcEdge *edge,
                             EdgeWords *words) {
  if (edge_is(edge, LABEL_SLOT)) {
    index_words((lua_Integer)table_slot_index(t, edge->at), words);
  } else if (edge_is(edge, LABEL_VALUE)) {
    entry_words(paths, edge->at, words);
  } else if (edge->strength == EDGE_LEAF) {
    words->type = LINK_HIDDEN; /* a key: the value's reference shows it */
  }
  if (&t->cell == paths->global->registry.as.cell) registry_words(words);
}

static void upvalue_words(const LuaClosure *c, const GcEdge *edge,
                          EdgeWords *words) {
  size_t i = (size_t)((UpValue *const *)edge->at - c->upvalue);
  const String *name =
      i < c->proto->upvalue_count ? c->proto->upvalues[i].name : NULL;
  words->type = LINK_CONTEXT;
  words->length = name ? words_string(words->text, 0, name, SHOWN_BYTES)
                       : words_print(words->text, 0, "upvalue %zu", i + 1);
}

/* The frame of a slot: the last frame whose function is not above the slot. */
static const Frame *frame_of_slot(const lua_State *L, const Value *slot) {
  const Frame *low = L->frames, *high = L->frame;
  while (low < high) {
    const Frame *middle = low + (high - low + 1) / 2;
    if (middle->func <= slot)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static void lua_slot_words(const Frame *f, const Value *slot,
                           EdgeWords *words) {
  const Proto *p = frame_closure(f)->proto;
  char place[DESCRIBE_TEXT / 2];
  int pc = debug_current_pc(f), n = (int)(slot - f->func);
  const char *name =
      n > 0 && pc >= 0 ? proto_local_name(p, n, (size_t)pc) : NULL;
  describe_place(p, place, sizeof place);
  if (n == 0)
    words->length = words_print(words->text, 0, "call of %s", place);
  else if (name)
    words->length =
        words_print(words->text, 0, "local '%.60s' of %s", name, place);
  else
    words->length = words_print(words->text, 0, "register %d of %s", n, place);
}

static void slot_words(const lua_State *L, const Value *slot,
                       EdgeWords *words) {
  const Frame *f = frame_of_slot(L, slot);
  if (frame_is_lua(f)) {
    lua_slot_words(f, slot, words);
    return;
  }
  words->length = words_print(words->text, 0, "%s %d",
                              f == L->frames ? "stack slot" : "C stack slot",
                              (int)(slot - f->func));
}

static void user_value_words(const Userdata *u, const GcEdge *edge,
                             EdgeWords *words) {
  size_t i = (size_t)((const Value *)edge->at - userdata_values(u));
  words->length = words_print(words->text, 0, "user value %zu", i + 1);
}

static void c_upvalue_words(const CClosure *c, const GcEdge *edge,
                            EdgeWords *words) {
  int i = (int)((const Value *)edge->at - c->upvalue);
  words->type = LINK_CONTEXT;
  words->length = words_print(words->text, 0, "upvalue %d", i + 1);
}

static void edge_words_from(Paths *paths, Cell *from, const GcEdge *edge,
                            EdgeWords *words) {
  void *object = from;
  switch ((ObjectKind)from->kind) {
    case KIND_TABLE: table_edge_words(paths, object, edge, words); break;
    case KIND_LUA_CLOSURE: upvalue_words(object, edge, words); break;
    case KIND_C_CLOSURE: c_upvalue_words(object, edge, words); break;
    case KIND_THREAD:
      slot_words(&((const Thread *)object)->state, edge->at, words);
      break;
    case KIND_USERDATA: user_value_words(object, edge, words); break;
    default: break;
  }
}

static void label_words(const GcEdge *edge, EdgeWords *words) {
  words->length = strlen(edge->label);
  memcpy(words->text, edge->label, words->length + 1);
}

void describe_edge(void *context, Cell *from, const GcEdge *edge,
                   EdgeWords *words) {
  Paths *paths = context;
  words->type = LINK_INTERNAL;
  words->index = 0;
  words->string = NULL;
  words->length = 0;
  if (from && edge->at) edge_words_from(paths, from, edge, words);
  bool empty_key = words->string != NULL;
  if (words->length == 0 && !empty_key) label_words(edge, words);
}

Describer describer_of(Paths *paths) {
  return (Describer){describe_more, describe_weakness, describe_weigh,
                     describe_node, describe_edge,     paths};
}
