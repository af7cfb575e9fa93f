/* SPDX-License-Identifier: MIT */
/*
** call.c -- the API: calls, chunks, errors
*/
#include "api/api_impl.h"
#include "bytecode/dump.h"
#include "compiler/compiler.h"
#include "object/budget.h"
#include "object/format.h"
#include "vm/protect.h"
#include "vm/watch.h"

#define API_CHECK_RESULTS(L, nargs, nresults)                       \
  API_CHECK((nresults) == LUA_MULTRET ||                            \
                (L)->frame->top - (L)->top >= (nresults) - (nargs), \
            "results would overflow the stack")

LUA_API void lua_callk(lua_State *L, int nargs, int nresults, lua_KContext ctx,
                       lua_KFunction k) {
  API_CHECK(!k || !frame_is_lua(L->frame), "continuation in a hook");
  API_CHECK_COUNT(L, nargs + 1);
  API_CHECK(L->status == LUA_OK, "call in a thread that is not normal");
  API_CHECK_RESULTS(L, nargs, nresults);
  Cell *was = api_run(L);
  protect_call_k(L, L->top - (nargs + 1), nresults, ctx, k);
  api_rest(L, was);
}

LUA_API int lua_pcallk(lua_State *L, int nargs, int nresults, int errfunc,
                       lua_KContext ctx, lua_KFunction k) {
  API_CHECK(!k || !frame_is_lua(L->frame), "continuation in a hook");
  API_CHECK_COUNT(L, nargs + 1);
  API_CHECK(L->status == LUA_OK, "call in a thread that is not normal");
  API_CHECK_RESULTS(L, nargs, nresults);
  ptrdiff_t handler = 0;
  if (errfunc != 0) {
    Value *slot = API_SLOT(L, errfunc);
    API_CHECK(value_is_function(slot), "error handler must be a function");
    handler = stack_save(L, slot);
  }
  Cell *was = api_run(L);
  int status =
      protect_pcall_k(L, L->top - (nargs + 1), nresults, handler, ctx, k);
  api_rest(L, was);
  api_poll(L); /* an error may have made a message */
  return status;
}

LUA_API int lua_error(lua_State *L) {
  API_CHECK_COUNT(L, 1);
  const Value *error = L->top - 1;
  if (error->tag == TAG_SHORT_STRING &&
      value_string(error) == L->global->memory_message)
    raise_memory(L); /* raised again: it stays a memory error */
  raise_value(L);
}

/* -- Chunks ---------------------------------------------------------------- */

typedef struct LoadData {
  Stream stream;
  const char *name;
  const char *mode; /* NULL: text and binary */
} LoadData;

static void load_check_mode(lua_State *L, const char *mode, const char *found) {
  if (!mode || budget_find(L, mode, found[0], budget_strlen(L, mode))) return;
  format_push(L, "attempt to load a %s chunk (mode is '%s')", found, mode);
  raise_throw(L, LUA_ERRSYNTAX);
}

static void load_body(lua_State *L, void *data) {
  LoadData *load = data;
  int first = stream_get(&load->stream);
  if (first == LUA_SIGNATURE[0]) {
    load_check_mode(L, load->mode, "binary");
    undump(L, &load->stream, load->name);
  } else {
    load_check_mode(L, load->mode, "text");
    compiler_compile(L, &load->stream, load->name, first);
  }
}

/* The first upvalue of a chunk is _ENV.  It gets the table of globals. */
static void load_set_globals(lua_State *L) {
  LuaClosure *c = value_lua_closure(L->top - 1);
  Value table;
  if (c->cell.user == 0) return;
  table_get_int(L, value_table(&L->global->registry), LUA_RIDX_GLOBALS, &table);
  upvalue_set(gc_of(L), c->upvalue[0], &table);
}

/* Units of a budget, besides those for the text and for a long name: a compiler
** is set up. */
enum { LOAD_UNITS = 4000 };

LUA_API int lua_load(lua_State *L, lua_Reader reader, void *dt,
                     const char *chunkname, const char *mode) {
  LoadData load = {.name = chunkname ? chunkname : "?", .mode = mode};
  stream_init(&load.stream, L, reader, dt);
  budget_charge(L, LOAD_UNITS);
  Cell *was = api_run(L);
  L->no_yield++;
  uint16_t level = budget_enter(L);
  int status =
      protect_run(L, load_body, &load, stack_save(L, L->top), L->handler);
  L->no_yield--;
  if (status == LUA_OK) load_set_globals(L);
  stack_lower(L, L->top - 1); /* the debugger may call the collector */
  if (status == LUA_OK) watch_run(L, WATCH_LOAD);
  api_rest(L, was);
  budget_leave(L, level, status);
  api_stored(L, L->top - 1);
  api_poll(L);
  return status;
}

LUA_API int lua_dump(lua_State *L, lua_Writer writer, void *data, int strip) {
  API_CHECK_COUNT(L, 1);
  const Value *v = L->top - 1;
  if (!value_is_lua_closure(v)) return 1;
  return dump(L, value_lua_closure(v)->proto, writer, data, strip != 0);
}
