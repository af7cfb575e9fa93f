/* SPDX-License-Identifier: MIT */
/*
** why.c -- the API: penumbra.h, why an object is alive
*/
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/describe.h"

enum {
  PATH_LINKS = 64, /* links of a path that are shown at most */
  PATH_TEXT = 2048,
  CANDIDATES = 32 /* objects that are tried as the dominator */
};

/* The path to an object, and its text. */
typedef struct WhyPath {
  Cell *cell[PATH_LINKS]; /* from the object to a root */
  int count;
  bool whole; /* the last cell is a root */
  char text[PATH_TEXT];
  size_t length;
  bool in_field; /* a field that follows is written without " -> " */
  bool failed;   /* a walk had no memory, so its result means nothing */
} WhyPath;

static const char no_memory[] = "not enough memory";

/* -- Words ----------------------------------------------------------------- */

static PRINTF_LIKE(2, 3) void why_print(WhyPath *path, const char *format,
                                        ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(path->text + path->length, PATH_TEXT - path->length,
                         format, arguments);
  va_end(arguments);
  path->length =
      size_min(path->length + (length > 0 ? (size_t)length : 0), PATH_TEXT - 1);
}

static bool is_identifier(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    bool letter = (text[i] | 32) >= 'a' && (text[i] | 32) <= 'z';
    bool digit = text[i] >= '0' && text[i] <= '9' && i > 0;
    if (!letter && !digit && text[i] != '_') return false;
  }
  return length > 0;
}

/* Writes a key in quotes.  Bytes that would end or hide it are escaped, so that
** no two keys look the same. */
static void print_quoted(WhyPath *path, const char *text, size_t length) {
  why_print(path, "[\"");
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c < ' ')
      why_print(path, "\\%03u", (unsigned)c);
    else
      why_print(path, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
  }
  why_print(path, "\"]");
}

static void print_field(WhyPath *path, const EdgeWords *words) {
  if (!path->in_field) why_print(path, " -> ");
  if (words->type == LINK_ELEMENT)
    why_print(path, "[%zu]", words->index);
  else if (words->text[0] == '[' && !words->string)
    why_print(path, "%s", words->text);
  else if (is_identifier(words->text, words->length))
    why_print(path, ".%s", words->text);
  else
    print_quoted(path, words->text, words->length);
}

static void print_upvalue(WhyPath *path, const LuaClosure *c,
                          const EdgeWords *words) {
  char place[DESCRIBE_TEXT / 2];
  describe_place(c->proto, place, sizeof place);
  why_print(path, " -> upvalue '%s' of %s", words->text, place);
}

/* Writes one reference from `from`; NULL stands for the roots. */
static void print_link(WhyPath *path, Paths *paths, Cell *from,
                       const GcEdge *edge) {
  EdgeWords words;
  describe_edge(paths, from, edge, &words);
  words.text[size_min(words.length, DESCRIBE_TEXT - 1)] = '\0';
  bool registry = from == paths->global->registry.as.cell;
  bool field = from && from->kind == KIND_TABLE &&
               words.type != LINK_INTERNAL && words.type != LINK_HIDDEN;
  if (registry && strcmp(words.text, "_G") == 0) {
    path->length = 0;
    why_print(path, "_G");
  } else if (field) {
    print_field(path, &words);
  } else if (from && from->kind == KIND_LUA_CLOSURE && edge->at) {
    print_upvalue(path, (const LuaClosure *)(const void *)from, &words);
  } else if (!from || from->kind != KIND_UPVALUE) {
    why_print(path, "%s%s", path->length > 0 ? " -> " : "", words.text);
  }
  path->in_field = field || registry || !from || edge_is(edge, LABEL_METATABLE);
}

/* -- The path -------------------------------------------------------------- */

static void path_collect(WhyPath *path, const Reach *reach, Cell *target) {
  const ReachItem *item = reach_item(reach, target);
  path->count = 0;
  while (item && path->count < PATH_LINKS) {
    path->cell[path->count++] = item->cell;
    path->whole = item->parent == UINT32_MAX;
    if (path->whole) break;
    item = items_item(&reach->queue, item->parent);
  }
}

static void path_words(WhyPath *path, const Reach *reach, Paths *paths) {
  GcEdge edge;
  path->length = 0;
  path->in_field = false;
  if (!path->whole) why_print(path, "...");
  for (int i = path->count - 1; i >= 0; i--) {
    bool first = i == path->count - 1;
    if (first && !path->whole) continue;
    Cell *from = first ? NULL : path->cell[i + 1];
    if (reach_edge(reach, from, path->cell[i], &edge))
      print_link(path, paths, from, &edge);
    else if (first)
      why_print(path, path->cell[i] == reach->gc->running
                          ? "running thread"
                          : "waits for its finalizer");
  }
  path->text[path->length] = '\0';
}

void why_text(const Reach *reach, Paths *paths, Cell *target, char *text,
              size_t capacity) {
  WhyPath path = {.count = 0};
  path_collect(&path, reach, target);
  path_words(&path, reach, paths);
  size_t length = size_min(path.length, capacity - 1);
  memcpy(text, path.text, length);
  text[length] = '\0';
}

/* Looks first for a path without the variables of running functions, because
** the function that asks holds the object in one.  If there is no such path,
** variables count as well. */
static bool why_find(Reach *reach, Gc *gc, const Describer *d, WhyPath *path,
                     Cell *target) {
  Paths *paths = d->context;
  paths->without_open = true;
  if (reach_walk(reach, gc, d, target, NULL, true)) return true;
  path->failed = reach->failed;
  if (path->failed) return false;
  reach_free(reach);
  paths->without_open = false;
  if (reach_walk(reach, gc, d, target, NULL, false)) return true;
  /* not covered: memory for the first walk, but none for the second */
  path->failed = reach->failed;
  return false; /* not covered: likewise */
}

/* -- What it keeps alive --------------------------------------------------- */

static uint64_t bytes_without(Gc *gc, const Describer *d, WhyPath *path,
                              const Cell *without, bool no_running,
                              const Cell *target, bool *met) {
  Reach reach;
  reach_walk(&reach, gc, d, NULL, without, no_running);
  uint64_t bytes = reach.bytes;
  if (reach.failed) path->failed = true;
  if (target) *met = side_table_get(&reach.numbers, target) != 0;
  reach_free(&reach);
  return bytes;
}

/* The last object of the path without which the target would be dead. */
static Cell *why_dominator(Gc *gc, const Describer *d, WhyPath *path,
                           bool no_running) {
  for (int i = 1; i < path->count && i <= CANDIDATES && !path->failed; i++) {
    bool met = true;
    bytes_without(gc, d, path, path->cell[i], no_running, path->cell[0], &met);
    if (!met) return path->cell[i];
  }
  return NULL;
}

static void why_fill(penumbra_Why *why, Gc *gc, Paths *paths,
                     const Describer *d, WhyPath *path, bool no_running) {
  NodeWords words;
  Cell *target = path->cell[0];
  uint64_t all = bytes_without(gc, d, path, NULL, no_running, NULL, NULL);
  why->bytes = reach_size(gc, target);
  why->retained =
      all - bytes_without(gc, d, path, target, no_running, NULL, NULL);
  Cell *dominator = why_dominator(gc, d, path, no_running);
  snprintf(why->path, sizeof why->path, "%s", path->text);
  why->dominator[0] = '\0';
  if (!dominator) return;
  describe_node(paths, dominator, &words);
  words.text[words.length] = '\0';
  snprintf(why->dominator, sizeof why->dominator, "%s", words.text);
}

/* Fills in `why`.  Returns NULL, or what went wrong. */
static const char *why_answer(penumbra_Why *why, lua_State *L, Cell *target,
                              Paths *paths, WhyPath *path) {
  Gc *gc = gc_of(L);
  Reach reach;
  Describer d = describer_of(paths);
  describe_paths(paths, L->global);
  path->failed = false;
  bool found = why_find(&reach, gc, &d, path, target);
  if (found) path_collect(path, &reach, target);
  if (found) path_words(path, &reach, paths);
  bool no_running = reach.without_running;
  reach_free(&reach);
  if (found) why_fill(why, gc, paths, &d, path, no_running);
  if (path->failed) return no_memory;
  return found ? NULL : "not reachable";
}

static const char *why_run(penumbra_Why *why, lua_State *L, const Value *v) {
  Gc *gc = gc_of(L);
  if (!tag_is_collectable(v->tag)) return "not an object";
  if (gc->inside) return "the collector is at work";
  Paths *paths = heap_raw_allocate(&gc->heap, sizeof *paths);
  WhyPath *path = heap_raw_allocate(&gc->heap, sizeof *path);
  Cell *was = api_run(L);
  const char *wrong = no_memory;
  if (paths && path) wrong = why_answer(why, L, v->as.cell, paths, path);
  api_rest(L, was);
  if (paths) heap_raw_free(&gc->heap, paths, sizeof *paths);
  if (path) heap_raw_free(&gc->heap, path, sizeof *path);
  return wrong;
}

LUA_API int penumbra_why(lua_State *L, int index, penumbra_Why *why) {
  penumbra_Why all = {0};
  const char *wrong = why_run(&all, L, API_AT(L, index));
  if (wrong) {
    memset(&all, 0, sizeof all);
    snprintf(all.path, sizeof all.path, "%s", wrong);
  }
  API_COPY_SIZED(why, &all, sizeof all, "penumbra_Why");
  return wrong == NULL;
}
