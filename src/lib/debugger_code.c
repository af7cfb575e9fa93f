/* SPDX-License-Identifier: MIT */
/*
** debugger_code.c -- functions of the program, and their breakpoints
**
** A walk over all objects finds the functions, also those that no closure has
** been made of yet.  It takes about 0.1 s for a million objects, while the
** program waits, and does not touch the collector.
*/
#include "debugger_impl.h"

#include <stdlib.h>
#include <string.h>

#include "api/describe.h"
#include "vm/debug.h"

/* -- Finding objects ------------------------------------------------------- */

typedef void FoundFn(void *context, Cell *cell);

/* Calls f(context, cell) for each object of the kind.  False: no memory. */
static bool find_objects(lua_State *L, ObjectKind kind, FoundFn *f,
                         void *context) {
  Gc *gc = gc_of(L);
  Reach reach;
  Paths *paths = heap_raw_allocate(&gc->heap, sizeof *paths);
  if (!paths) return false;
  describe_paths(paths, L->global);
  Describer describer = describer_of(paths);
  reach_walk(&reach, gc, &describer, NULL, NULL, false);
  bool ok = !reach.failed;
  for (size_t i = 0; ok && i < reach.queue.count; i++) {
    Cell *cell = ((ReachItem *)items_item(&reach.queue, i))->cell;
    if (cell->kind == kind) f(context, cell);
  }
  reach_free(&reach);
  heap_raw_free(&gc->heap, paths, sizeof *paths);
  return ok;
}

/* -- The list of functions ------------------------------------------------- */

static void code_add(void *context, Cell *cell) {
  enum { FIRST = 64 };
  CodeList *list = context;
  if (list->count == list->room) {
    size_t room = list->room ? 2 * list->room : FIRST;
    Proto **proto = realloc(list->proto, room * sizeof *proto);
    if (!proto) {
      list->failed = true;
      return;
    }
    list->proto = proto;
    list->room = room;
  }
  list->proto[list->count++] = (Proto *)(void *)cell;
}

static void code_add_nested(CodeList *list, Proto *p) {
  code_add(list, &p->cell);
  for (uint32_t i = 0; i < p->proto_count; i++)
    code_add_nested(list, p->protos[i]);
}

void code_forget(Debugger *d) {
  free(d->code.proto);
  d->code = (CodeList){NULL, 0, 0, false};
}

bool code_collect(Debugger *d, Proto *chunk) {
  code_forget(d);
  if (chunk)
    code_add_nested(&d->code, chunk);
  else if (!find_objects(d->L, KIND_PROTO, code_add, &d->code))
    d->code.failed = true;
  return !d->code.failed;
}

/* -- Threads --------------------------------------------------------------- */

typedef struct ThreadCount {
  lua_State *L;
  lua_State **thread;
  size_t count, room;
} ThreadCount;

static void thread_count(void *context, Cell *cell) {
  ThreadCount *list = context;
  if (list->count < list->room)
    list->thread[list->count] = &((Thread *)(void *)cell)->state;
  list->count++;
}

/* The list is made in two walks, because the walk itself must not allocate in
** the heap. */
void code_list_threads(lua_State *L, int index) {
  ThreadCount list = {L, NULL, 0, 0};
  if (!find_objects(L, KIND_THREAD, thread_count, &list))
    luaL_error(L, "not enough memory");
  list.room = list.count;
  list.count = 0;
  list.thread = lua_newuserdatauv(L, list.room * sizeof *list.thread, 0);
  if (!find_objects(L, KIND_THREAD, thread_count, &list))
    luaL_error(L, "not enough memory");
  for (size_t i = 0; i < list.room && i < list.count; i++) {
    Value thread;
    value_set_thread(&thread, list.thread[i]);
    API_PUSH(L, &thread);
    lua_rawseti(L, index, (lua_Integer)i + 1);
  }
  lua_pop(L, 1);
}

/* -- Lines ----------------------------------------------------------------- */

static bool proto_is_of(const Proto *p, const char *source, size_t size) {
  return p->source && string_length(p->source) == size &&
         memcmp(string_bytes(p->source), source, size) == 0;
}

/* ([all]) Finds the functions; without `all`, those of the chunk that has just
** been loaded are there already. */
static int code_find(lua_State *S) {
  Debugger *d = debugger_self(S);
  if (!code_collect(d, NULL)) return luaL_error(S, "not enough memory");
  return 0;
}

/* () Returns a table whose keys are the sources of the functions. */
static int code_sources(lua_State *S) {
  const Debugger *d = debugger_self(S);
  const String *last = NULL;
  lua_newtable(S);
  for (size_t i = 0; i < d->code.count; i++) {
    const String *source = d->code.proto[i]->source;
    if (!source || source == last) continue;
    lua_pushlstring(S, string_bytes(source), string_length(source));
    lua_pushboolean(S, 1);
    lua_rawset(S, -3);
    last = source;
  }
  return 1;
}

typedef struct NearLine {
  const Proto *proto;
  int wanted, near;
} NearLine;

static void near_look(NearLine *n) {
  const Proto *p = n->proto;
  if (!p->line_offset) return;
  for (uint32_t pc = 0; pc < p->code_size;
       pc += (uint32_t)code_length(proto_code(p)[pc])) {
    int line = watch_is_place(p, pc) ? proto_line(p, pc) : 0;
    if (line >= n->wanted && line < n->near) n->near = line;
  }
}

/* (source, line) Returns the first line from there on that has code, or nil. */
static int code_near(lua_State *S) {
  const Debugger *d = debugger_self(S);
  size_t size;
  const char *source = luaL_checklstring(S, 1, &size);
  NearLine n = {NULL, (int)luaL_checkinteger(S, 2), INT32_MAX};
  for (size_t i = 0; i < d->code.count; i++) {
    n.proto = d->code.proto[i];
    if (proto_is_of(n.proto, source, size)) near_look(&n);
  }
  if (n.near == INT32_MAX) return 0;
  lua_pushinteger(S, n.near);
  return 1;
}

/* (source) Returns a table whose keys are the lines that have code. */
static int code_lines(lua_State *S) {
  const Debugger *d = debugger_self(S);
  size_t size;
  const char *source = luaL_checklstring(S, 1, &size);
  lua_newtable(S);
  for (size_t i = 0; i < d->code.count; i++) {
    const Proto *p = d->code.proto[i];
    if (!p->line_offset || !proto_is_of(p, source, size)) continue;
    for (uint32_t pc = 0; pc < p->code_size;
         pc += (uint32_t)code_length(proto_code(p)[pc])) {
      if (!watch_is_place(p, pc)) continue;
      lua_pushboolean(S, 1);
      lua_rawseti(S, -2, proto_line(p, pc));
    }
  }
  return 1;
}

/* -- Breakpoints ----------------------------------------------------------- */

typedef struct Placing {
  lua_State *L;
  Proto *proto;
} Placing;

static void place_one(void *context, uint32_t pc) {
  Placing *placing = context;
  watch_break_at(placing->L, placing->proto, pc);
}

/* number: line, 0 for the beginning of a function, or -1 to remove all; line of
** the definition of the function, for line 0.  string: source. */
static void request_place(lua_State *L, Request *r) {
  const CodeList *code = &r->debugger->code;
  int line = (int)r->number[0], first = (int)r->number[1];
  for (size_t i = 0; i < code->count; i++) {
    Placing placing = {L, code->proto[i]};
    if (line < 0) {
      watch_clear(L, placing.proto);
      continue;
    }
    if (!proto_is_of(placing.proto, r->string[0], r->size[0])) continue;
    if (line > 0 || placing.proto->first_line == first)
      watch_each_place(placing.proto, line, place_one, &placing);
  }
}

/* (source, line [, first]) */
static int code_place(lua_State *S) {
  Request r = {.debugger = debugger_self(S)};
  r.string[0] = luaL_checklstring(S, 1, &r.size[0]);
  r.number[0] = luaL_checkinteger(S, 2);
  r.number[1] = luaL_optinteger(S, 3, 0);
  return request_run(S, request_place, &r);
}

/* () Removes all breakpoints. */
static int code_clear(lua_State *S) {
  Request r = {.debugger = debugger_self(S), .number = {-1}};
  return request_run(S, request_place, &r);
}

/* -- Replacing functions --------------------------------------------------- */

/*
** A function that is to be replaced gets new code in place: its closures then
** refer to the new prototype.  So all variables that hold it have the new one,
** and its upvalues stay.  Calls under way end with the old code: their frames
** get closures of their own.
*/
typedef struct Replacing {
  lua_State *L;
  Proto *from, *to;
  int count;
  const char *problem;
  char text[120];
} Replacing;

/* The number of the upvalue of the old function with that name; -1: none. */
static int upvalue_named(const Proto *p, const String *name) {
  for (uint32_t i = 0; i < p->upvalue_count; i++)
    if (name && p->upvalues[i].name == name) return (int)i;
  return -1;
}

/* NULL, or why `to` cannot take the place of `from`. */
static const char *replace_obstacle(Replacing *r) {
  const Proto *from = r->from, *to = r->to;
  for (uint32_t i = 0; i < to->upvalue_count; i++) {
    const String *name = to->upvalues[i].name;
    if (upvalue_named(from, name) >= 0) continue;
    l_sprintf(r->text, sizeof r->text,
              "the new function uses '%.60s', which the old one does not",
              name ? string_bytes(name) : "?");
    return r->text;
  }
  return to->upvalue_count > from->upvalue_count
             ? "the new function has more upvalues"
             : NULL;
}

/* Gives the frames of the closure that run a closure of their own. */
static void keep_running(lua_State *L, lua_State *thread, const LuaClosure *c) {
  for (ptrdiff_t n = thread->frame - thread->frames; n > 0; n--) {
    const Frame *f = thread->frames + n;
    if (!frame_is_lua(f) || frame_closure(f) != c) continue;
    LuaClosure *copy = closure_new_lua(L, c->proto);
    for (unsigned i = 0; i < c->cell.user; i++)
      copy->upvalue[i] = c->upvalue[i];
    f = thread->frames + n;
    value_set_cell(f->func, copy, TAG_LUA_CLOSURE);
    stack_barrier(thread, f->func);
  }
}

static void replace_one(Replacing *r, LuaClosure *c) {
  UpValue *upvalue[UINT8_MAX + 1];
  Gc *gc = gc_of(r->L);
  for (uint32_t i = 0; i < r->to->upvalue_count; i++)
    upvalue[i] = c->upvalue[upvalue_named(r->from, r->to->upvalues[i].name)];
  for (uint32_t i = 0; i < r->to->upvalue_count; i++) {
    c->upvalue[i] = upvalue[i];
    gc_barrier_forward(gc, &c->cell, &upvalue[i]->cell);
  }
  c->cell.user = (uint8_t)r->to->upvalue_count;
  c->proto = r->to;
  c->code_distance = r->to->code_distance;
  gc_barrier_forward(gc, &c->cell, &r->to->cell);
  r->count++;
}

/* Where the list of closures is while they are being replaced. */
typedef struct ClosureList {
  const Proto *of;
  LuaClosure **closure;
  size_t count, room;
} ClosureList;

static void closure_count(void *context, Cell *cell) {
  ClosureList *list = context;
  LuaClosure *c = (LuaClosure *)(void *)cell;
  if (c->proto != list->of) return;
  if (list->count < list->room) list->closure[list->count] = c;
  list->count++;
}

/* Pushes a list of all closures of the prototype. */
static ClosureList closures_push(lua_State *L, const Proto *of) {
  ClosureList list = {of, NULL, 0, 0};
  if (!find_objects(L, KIND_LUA_CLOSURE, closure_count, &list))
    luaL_error(L, "not enough memory");
  list.room = list.count;
  list.count = 0;
  list.closure = lua_newuserdatauv(L, list.room * sizeof(LuaClosure *), 0);
  if (!find_objects(L, KIND_LUA_CLOSURE, closure_count, &list))
    luaL_error(L, "not enough memory");
  return list;
}

static void replace_closures(Replacing *r) {
  lua_State *L = r->L;
  ClosureList list = closures_push(L, r->from);
  lua_newtable(L);
  code_list_threads(L, lua_gettop(L));
  lua_Integer threads = (lua_Integer)lua_rawlen(L, -1);
  for (size_t i = 0; i < list.room; i++) {
    for (lua_Integer n = 1; n <= threads; n++) {
      lua_rawgeti(L, -1, n);
      keep_running(L, lua_tothread(L, -1), list.closure[i]);
      lua_pop(L, 1);
    }
    replace_one(r, list.closure[i]);
  }
  lua_pop(L, 2);
}

/* Functions that make closures of the old prototype make closures of the new
** one.  They find the upvalues where they were. */
static void replace_nested(Replacing *r, const CodeList *code) {
  for (uint32_t i = 0; i < r->to->upvalue_count; i++) {
    UpValueInfo *info = &r->to->upvalues[i];
    const UpValueInfo *was =
        &r->from->upvalues[upvalue_named(r->from, info->name)];
    info->in_stack = was->in_stack;
    info->index = was->index;
  }
  for (size_t n = 0; n < code->count; n++) {
    Proto *p = code->proto[n];
    for (uint32_t i = 0; i < p->proto_count; i++) {
      if (p->protos[i] != r->from) continue;
      p->protos[i] = r->to;
      proto_barrier(gc_of(r->L), p, r->to);
    }
  }
}

/* The innermost function around the line, not the main one; NULL: none. */
static Proto *innermost(Proto *p, int line) {
  for (uint32_t i = 0; i < p->proto_count; i++) {
    Proto *nested = p->protos[i];
    if (nested->first_line > line || nested->last_line < line) continue;
    Proto *inner = innermost(nested, line);
    return inner ? inner : nested;
  }
  return NULL;
}

/* Compiles the file, and pushes the chunk, which anchors the function. */
static Proto *reload_compile(lua_State *L, const Request *r) {
  if (luaL_loadbufferx(L, r->string[0], r->size[0], r->string[1], "t"))
    lua_error(L);
  const Value *chunk = L->top - 1;
  Proto *p = innermost(value_lua_closure(chunk)->proto, (int)r->number[0]);
  if (!p) luaL_error(L, "there is no function at this line");
  return p;
}

/* number: a line in the function.  string: the new text, the source. */
static void request_reload(lua_State *L, Request *r) {
  Debugger *d = r->debugger;
  int count = 0;
  if (!code_collect(d, NULL)) luaL_error(L, "not enough memory");
  for (size_t i = 0; i < d->code.count; i++) {
    Replacing one = {.L = L, .from = d->code.proto[i]};
    if (!proto_is_of(one.from, r->string[1], r->size[1]) ||
        one.from->first_line == 0)
      continue;
    one.to = reload_compile(L, r);
    if (one.from->first_line == one.to->first_line) {
      one.problem = replace_obstacle(&one);
      if (one.problem) luaL_error(L, "%s", one.problem);
      replace_nested(&one, &d->code);
      replace_closures(&one);
      count += one.count;
    }
    lua_settop(L, 0);
  }
  if (count == 0)
    luaL_error(L, "no function of the program begins where this one does");
  dap_print(&r->text, "%d", count);
}

/* (line, text, source) Returns the number of functions replaced. */
static int code_reload(lua_State *S) {
  Request r = {.debugger = debugger_self(S)};
  r.number[0] = luaL_checkinteger(S, 1);
  r.string[0] = luaL_checklstring(S, 2, &r.size[0]);
  r.string[1] = luaL_checklstring(S, 3, &r.size[1]);
  return request_run(S, request_reload, &r);
}

const luaL_Reg code_functions[] = {
    {"find", code_find},     {"sources", code_sources},
    {"near", code_near},     {"lines", code_lines},
    {"place", code_place},   {"clear", code_clear},
    {"reload", code_reload}, {NULL, NULL},
};
