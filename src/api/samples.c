/* SPDX-License-Identifier: MIT */
/*
** samples.c -- the API: penumbra.h, where memory is allocated
**
** The stack is read in the middle of an allocation.  That is safe, because an
** allocation may raise an error: frames and their pc are in place.
*/
#include "observe/samples.h"

#include <stdio.h>
#include <string.h>

#include "api/describe.h"
#include "vm/debug.h"

enum { STACK_DEPTH = 64 /* innermost calls of a stack */ };

/* -- The stack as text ----------------------------------------------------- */

/* The same text as the profile of time has: "name (file:line)". */
static size_t frame_text(lua_State *L, int level, char *text, size_t capacity) {
  lua_Debug ar;
  if (!debug_get_stack(L, level, &ar)) return 0;
  debug_get_info(L, "nSl", &ar);
  const char *name = *ar.what == 'm' ? "main chunk" : ar.name;
  int length =
      *ar.what == 'C'
          ? snprintf(text, capacity, "%.60s ([C])", name ? name : "?")
          : snprintf(text, capacity, "%.60s (%s:%d)", name ? name : "function",
                     ar.short_src, ar.currentline);
  return length > 0 ? (size_t)length : 0;
}

/* Semicolons separate calls, and a text is a line of a file. */
static void frame_clean(char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (text[i] == ';' || (unsigned char)text[i] < ' ') text[i] = '_';
}

static lua_State *stack_now(const Global *g) {
  bool is_running = g->complete && g->gc.running;
  return is_running ? thread_running(g->main) : NULL;
}

static size_t stack_text(void *context, char *text, size_t capacity) {
  enum { FRAME_TEXT_MAX = 60 + LUA_IDSIZE + 24 };
  lua_State *L = stack_now(context);
  size_t at = 0;
  if (!L) return (size_t)snprintf(text, capacity, "(state)");
  int depth = (int)(L->frame - L->frames), first = depth;
  if (depth > STACK_DEPTH) first = STACK_DEPTH;
  if (first < depth) at = (size_t)snprintf(text, capacity, "...");
  for (int level = first - 1; level >= 0 && capacity - at > FRAME_TEXT_MAX;
       level--) {
    if (at > 0) text[at++] = ';';
    size_t length = frame_text(L, level, text + at, capacity - at);
    frame_clean(text + at, length);
    at += length;
  }
  return at > 0 ? at : (size_t)snprintf(text, capacity, "(host)");
}

/* -- The stack as a number ------------------------------------------------- */

static uint64_t key_add(uint64_t key, uint64_t more) {
  key = (key ^ more) * UINT64_C(0x9e3779b97f4a7c15);
  return key ^ key >> 29;
}

/* The beginning of the name of the source, as in the text. */
static uint64_t source_key(const String *source) {
  uint64_t key = 0, word = 0;
  if (!source) return key;
  size_t length = size_min(string_length(source), LUA_IDSIZE);
  const char *bytes = string_bytes(source);
  for (size_t i = 0; i < length; i += sizeof word) {
    word = 0;
    memcpy(&word, bytes + i, size_min(sizeof word, length - i));
    key = key_add(key, word);
  }
  return key_add(key, string_length(source));
}

/* A Lua function is known by its source, its line and the size of its code. */
static uint64_t stack_key(void *context) {
  const lua_State *L = stack_now(context);
  const String *source = NULL;
  uint64_t key = 1, from = 0;
  if (!L) return 0;
  int depth = (int)(L->frame - L->frames);
  for (int i = 0; i < depth && i < STACK_DEPTH; i++) {
    const Frame *f = L->frame - i;
    key = key_add(key, f->status & FRAME_TAIL);
    if (!frame_is_lua(f)) continue;
    const Proto *p = frame_closure(f)->proto;
    if (p->source != source) from = source_key(source = p->source);
    key = key_add(key, from + (uint64_t)(unsigned)p->first_line * 65599 +
                           p->code_size);
    key = key_add(key, (uint64_t)(unsigned)debug_current_pc(f));
  }
  return key_add(key, (uint64_t)(depth > STACK_DEPTH));
}

const char *stack_line(const char *stack) {
  const char *found = stack;
  for (const char *at = stack; at; at = strchr(at, ';')) {
    if (*at == ';') at++;
    const char *end = strchr(at, ';');
    size_t length = end ? (size_t)(end - at) : strlen(at);
    if (length < 5 || strncmp(at + length - 5, "([C])", 5) != 0) found = at;
  }
  return found;
}

/* -- Beginning and end ----------------------------------------------------- */

void samples_stop(Global *g) {
  Samples *samples = api_of(g)->samples;
  if (samples) samples_end(samples);
  api_of(g)->samples = NULL;
}

LUA_API int penumbra_samplealloc(lua_State *L, size_t bytes) {
  Global *g = L->global;
  samples_stop(g);
  if (bytes == 0) return 1;
  SampleStack stack = {stack_text, stack_key, g};
  api_of(g)->samples = samples_begin(&g->gc, bytes, &stack);
  return api_of(g)->samples != NULL;
}

/* -- Results --------------------------------------------------------------- */

/* Names of objects, and the texts of a site. */
typedef struct SiteWords {
  Paths paths;
  NodeWords words;
} SiteWords;

/* An object of the site that is not dead, or NULL. */
static Cell *site_example(const Gc *gc, const SampleSite *s) {
  Cell *cell = (Cell *)(uintptr_t)s->example;
  if (!cell || (gc_unmarked_is_dead(gc) && !heap_is_marked(cell))) return NULL;
  return cell;
}

/* Pushes the object if it is a value of a program, otherwise nil. */
static void push_example(lua_State *L, Cell *cell) {
  Value v = {.as.cell = NULL};
  value_set_nil(&v);
  switch (cell ? (ObjectKind)cell->kind : OBJECT_KIND_COUNT) {
    case KIND_TABLE: value_set_cell(&v, cell, TAG_TABLE); break;
    case KIND_LUA_CLOSURE: value_set_cell(&v, cell, TAG_LUA_CLOSURE); break;
    case KIND_C_CLOSURE: value_set_cell(&v, cell, TAG_C_CLOSURE); break;
    case KIND_USERDATA: value_set_cell(&v, cell, TAG_USERDATA); break;
    case KIND_THREAD: value_set_cell(&v, cell, TAG_THREAD); break;
    default: break;
  }
  API_PUSH(L, &v);
}

static void site_name(SiteWords *w, Cell *cell) {
  NodeWords *words = &w->words;
  words->length = 0;
  if (cell &&
      (cell->kind == KIND_SHORT_STRING || cell->kind == KIND_LONG_STRING))
    words->length = (size_t)snprintf(words->text, DESCRIBE_TEXT, "string");
  else if (cell)
    describe_node(&w->paths, cell, words);
  words->text[size_min(words->length, DESCRIBE_TEXT - 1)] = '\0';
}

static penumbra_Site site_of(const Samples *samples, const SampleSite *s,
                             const Cell *example, const SiteWords *w) {
  SampleGrowth growth = samples_growth(samples, s);
  return (penumbra_Site){.stack = s->stack,
                         .type = example ? kind_type(example->kind) : "",
                         .name = w->words.text,
                         .objects = (lua_Unsigned)(s->cells + 0.5),
                         .bytes = s->bytes,
                         .live_objects = (lua_Unsigned)(s->live_cells + 0.5),
                         .live_bytes = s->live,
                         .growth = growth.bytes,
                         .cycles = (int)growth.records,
                         .growing = growth.is_growing};
}

/* The function may allocate.  So more samples may be taken meanwhile, but there
** are never fewer sites. */
static void sites_pass(lua_State *L, SiteWords *w, penumbra_SiteLine f,
                       void *ud) {
  const Samples *samples = api_of(L->global)->samples;
  size_t count = samples->site_count;
  for (size_t i = 0; i < count && api_of(L->global)->samples == samples; i++) {
    const SampleSite *s = samples_site(samples, i);
    if (s->bytes == 0) continue;
    Cell *example = site_example(gc_of(L), s);
    site_name(w, example);
    penumbra_Site site = site_of(samples, s, example, w);
    push_example(L, example);
    f(ud, &site);
    lua_settop(L, -2);
  }
}

/* If the function raises an error, the words are not freed.  So they are a
** userdata. */
LUA_API int penumbra_getsites(lua_State *L, penumbra_SiteLine f, void *ud) {
  if (!api_of(L->global)->samples || !lua_checkstack(L, 2)) return 0;
  SiteWords *w = lua_newuserdatauv(L, sizeof *w, 0);
  describe_paths(&w->paths, L->global);
  sites_pass(L, w, f, ud);
  lua_settop(L, -2);
  return 1;
}
