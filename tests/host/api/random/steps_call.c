/* SPDX-License-Identifier: MIT */
/*
** steps_call.c -- calls, threads, loading, debug information, the collector
*/
#include "walk.h"

/* -- Calls ----------------------------------------------------------------- */

/* Pushes a function, or sometimes another value, and arguments.  Returns the
** number of arguments. */
static int push_call(lua_State *L) {
  if (walk_once_in(12))
    push_any(L);
  else
    push_function(L);
  int n = (int)walk_below(4);
  for (int i = 0; i < n; i++) {
    if (walk_once_in(3))
      push_function(L);
    else
      push_any(L);
  }
  return n;
}

static int wanted_results(void) {
  return walk_once_in(2) ? LUA_MULTRET : (int)walk_below(4);
}

/* Reserves room for many results first, as the manual requires. */
static void step_call(Body *b) {
  int n = push_call(b->L), wanted = wanted_results();
  trace("%d %d\n", n, wanted);
  if (walk_once_in(2))
    lua_call(b->L, n, wanted);
  else
    lua_callk(b->L, n, wanted, 3, body_continue);
}

static int handler(lua_State *L) {
  trace("handler ");
  trace_value(L, 1);
  trace("\n");
  if (walk_once_in(3))
    luaL_traceback(L, L, "trace", 1);
  else if (walk_once_in(6))
    return luaL_error(L, "in the handler");
  return 1;
}

static void step_pcall(Body *b) {
  int index = 0, depth = walk.depth;
  if (walk_once_in(2)) {
    lua_pushcfunction(b->L, handler);
    index = lua_gettop(b->L);
  }
  int n = push_call(b->L), wanted = wanted_results(), status;
  trace("%d %d\n", n, wanted);
  if (walk_once_in(2))
    status = lua_pcall(b->L, n, wanted, index);
  else
    status = lua_pcallk(b->L, n, wanted, index, 4, body_continue);
  walk.depth = depth;
  trace("status %d ", status);
}

static void step_error(Body *b) {
  if (!walk_once_in(4)) return;
  push_any(b->L);
  walk.depth--;
  lua_error(b->L);
}

/* -- Threads --------------------------------------------------------------- */

/* Prepares a thread for a resume.  Returns the number of arguments. */
static int ready(WalkThread *t) {
  lua_State *T = t->L;
  if (lua_status(T) == LUA_YIELD) {
    lua_pop(T, t->yielded);
    int n = (int)walk_below(3);
    for (int i = 0; i < n; i++) push_any(T);
    return n;
  }
  lua_settop(T, 0);
  if (walk_once_in(4)) {
    lua_pushcfunction(T, body_run);
    return 0;
  }
  push_function(T);
  int n = (int)walk_below(3);
  for (int i = 0; i < n; i++) push_function(T);
  return n;
}

static void step_resume(Body *b) {
  WalkThread *t = &walk.threads[walk_below(THREADS)];
  int depth = walk.depth;
  if (t->busy || t->L == b->L || !lua_checkstack(t->L, 20)) return;
  if (lua_status(t->L) > LUA_YIELD) return;
  int n = ready(t);
  t->busy = 1;
  trace("%d with %d\n", (int)(t - walk.threads), n);
  int status = lua_resume(t->L, b->L, n, &t->yielded);
  t->busy = 0;
  walk.depth = depth;
  trace("status %d %d ", status, status <= LUA_YIELD ? t->yielded : -1);
  if (status > LUA_YIELD)
    trace_value(t->L, -1);
  else
    trace_stack(t->L);
}

/* Avoids errors in __close during the reset, because 5.4.4 is wrong there. */
static void step_reset(Body *b) {
  WalkThread *t = &walk.threads[walk_below(THREADS)];
  int depth = walk.depth;
  if (t->busy || t->L == b->L) return;
  t->busy = 1;
  walk.closing = 1;
  int status = lua_resetthread(t->L);
  walk.closing = 0;
  t->busy = 0;
  walk.depth = depth;
  trace("%d %d ", status, lua_status(t->L));
  trace_stack(t->L);
  lua_settop(t->L, 0);
}

static void step_traceback(Body *b) {
  WalkThread *t = &walk.threads[walk_below(THREADS)];
  if (!t->busy) luaL_traceback(b->L, t->L, walk_text(), (int)walk_below(3));
}

/* -- Loading --------------------------------------------------------------- */

static const char *const chunks[] = {
    "return 1, 2",
    "return ...",
    "x = 1 y =",
    "local a <close> = 5",
    "return body(...)",
    "for i = 1, 2 do body(i) end",
    "error('chunk', 2)",
    "local t = {} t.x.y = 1",
    "return coroutine.isyieldable()",
    "goto x",
    "local a, b = ... return function() a = b return a end"};

static void step_load(Body *b) {
  static const char *const modes[] = {NULL, "t", "bt", "b"};
  const char *s = chunks[walk_below(sizeof chunks / sizeof *chunks)];
  int status =
      luaL_loadbufferx(b->L, s, strlen(s), "=chunk", modes[walk_below(4)]);
  trace("%d ", status);
}

/* A chunk in pieces.  `left` may run out before the text ends. */
typedef struct {
  const char *text;
  int left;
} Pieces;

static const char *read_piece(lua_State *L, void *data, size_t *size) {
  Pieces *p = data;
  (void)L;
  if (!*p->text || p->left-- <= 0) return NULL;
  *size = strlen(p->text) < 3 ? 1 : 3;
  p->text += *size;
  return p->text - *size;
}

static void step_load_pieces(Body *b) {
  Pieces p = {chunks[walk_below(sizeof chunks / sizeof *chunks)],
              (int)walk_below(20)};
  int status = lua_load(b->L, read_piece, &p, walk_text(), NULL);
  trace("%d ", status);
}

static int dump_piece(lua_State *L, const void *p, size_t size, void *buffer) {
  (void)L;
  luaL_addlstring(buffer, p, size);
  return 0;
}

/* Dumps a Lua function and loads it again. */
static void step_dump(Body *b) {
  lua_State *L = b->L;
  luaL_Buffer buffer;
  size_t size;
  lua_getglobal(L, walk_once_in(2) ? "guarded" : "counter");
  if (lua_type(L, -1) != LUA_TFUNCTION || lua_iscfunction(L, -1)) return;
  lua_State *T = walk.threads[1].L;
  if (walk.threads[1].busy || T == L || lua_status(T) != LUA_OK) return;
  lua_settop(T, 0);
  lua_checkstack(T, 20);
  luaL_buffinit(T, &buffer);
  int status = lua_dump(L, dump_piece, &buffer, (int)walk_below(2));
  luaL_pushresult(&buffer);
  const char *s = lua_tolstring(T, -1, &size);
  trace("%d ", status);
  trace("%d ", luaL_loadbufferx(L, s, size, "binary", "b"));
  lua_settop(T, 0);
}

/* -- Debug information ----------------------------------------------------- */

static void step_getinfo(Body *b) {
  lua_Debug ar;
  memset(&ar, 0, sizeof ar);
  int level = (int)walk_below(4);
  if (!lua_getstack(b->L, level, &ar)) {
    trace("no level %d ", level);
    return;
  }
  lua_getinfo(b->L, "nSltu", &ar);
  trace("%s %s %s %d %d %d ", ar.name ? ar.name : "?", ar.namewhat, ar.what,
        ar.currentline, ar.linedefined, ar.lastlinedefined);
  trace("%s %d %d %d %d ", ar.short_src, ar.nups, ar.nparams, ar.isvararg,
        ar.istailcall != 0);
}

/* Reads named variables, and the stack values of a C function. */
static void step_locals(Body *b) {
  lua_Debug ar;
  int n = (int)walk_below(5) - 1;
  if (!lua_getstack(b->L, (int)walk_below(3), &ar)) return;
  const char *name = lua_getlocal(b->L, &ar, n);
  if (name &&
      (strcmp(name, "(temporary)") == 0 || strcmp(name, "(for state)") == 0)) {
    lua_pop(b->L, 1);
    return;
  }
  trace("%d %s ", n, name ? name : "none");
}

static void step_state(Body *b) {
  lua_State *L = b->L;
  trace("%d %d %d ", lua_isyieldable(L), lua_status(L), lua_pushthread(L));
  lua_pushglobaltable(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  trace("%d %d ", lua_rawequal(L, -1, -2), (int)lua_version(L) / 100);
  lua_pop(L, 3);
}

static void step_functioninfo(Body *b) {
  lua_Debug ar;
  memset(&ar, 0, sizeof ar);
  push_function(b->L);
  if (lua_type(b->L, -1) != LUA_TFUNCTION) return;
  lua_pushvalue(b->L, -1);
  lua_getinfo(b->L, ">Su", &ar);
  trace("%s %d %d %d %d ", ar.what, ar.linedefined, ar.nups, ar.nparams,
        ar.isvararg);
}

static void step_upvalues(Body *b) {
  lua_State *L = b->L;
  int f = index_of_type(b, LUA_TFUNCTION), n = (int)walk_below(4);
  if (!f) return;
  const char *name = lua_getupvalue(L, f, n);
  trace("%s ", name ? name : "none");
  if (!name) return;
  trace("%d ", lua_upvalueid(L, f, n) != NULL);
  if (strcmp(name, "_ENV") == 0) lua_pop(L, 1); /* it holds the names */
  if (walk_once_in(2) || strcmp(name, "_ENV") == 0) return;
  push_any(L);
  lua_setupvalue(L, f, n);
}

static void step_join(Body *b) {
  lua_State *L = b->L;
  for (int i = 0; i < 2; i++)
    if (luaL_dostring(L, "return counter()")) return;
  if (lua_iscfunction(L, -1) || lua_iscfunction(L, -2) ||
      lua_type(L, -1) != LUA_TFUNCTION || lua_type(L, -2) != LUA_TFUNCTION)
    return;
  if (!lua_getupvalue(L, -2, 1)) return;
  lua_pop(L, 1);
  lua_upvaluejoin(L, -2, 1, -1, 1);
  trace("%d ", lua_upvalueid(L, -2, 1) == lua_upvalueid(L, -1, 1));
}

/* -- The collector --------------------------------------------------------- */

static void step_gc(Body *b) {
  switch (walk_below(6)) {
    case 0: trace("%d ", lua_gc(b->L, LUA_GCCOLLECT)); break;
    case 1: lua_gc(b->L, LUA_GCSTEP, (int)walk_below(20)); break;
    case 2: trace("%d ", lua_gc(b->L, LUA_GCGEN, 0, 0)); break;
    case 3: trace("%d ", lua_gc(b->L, LUA_GCINC, 0, 0, 0)); break;
    case 4: lua_gc(b->L, walk_once_in(2) ? LUA_GCSTOP : LUA_GCRESTART); break;
    default: trace("%d ", lua_gc(b->L, LUA_GCISRUNNING)); break;
  }
}

const Step call_steps[] = {{"call", step_call},
                           {"call", step_call},
                           {"pcall", step_pcall},
                           {"pcall", step_pcall},
                           {"pcall", step_pcall},
                           {"error", step_error},
                           {"resume", step_resume},
                           {"resume", step_resume},
                           {"resume", step_resume},
                           {"reset", step_reset},
                           {"traceback", step_traceback},
                           {"load", step_load},
                           {"load_pieces", step_load_pieces},
                           {"locals", step_locals},
                           {"state", step_state},
                           {"dump", step_dump},
                           {"getinfo", step_getinfo},
                           {"functioninfo", step_functioninfo},
                           {"upvalues", step_upvalues},
                           {"join", step_join},
                           {"gc", step_gc},
                           {NULL, NULL}};
