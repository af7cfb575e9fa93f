/* SPDX-License-Identifier: MIT */
/*
** debugger.c -- a debugger for clients of the Debug Adapter Protocol
**
** The vm calls debugger_event in the middle of the program.  Most of the time
** that returns at once.  When the program stops, debugger.lua answers the
** client's requests until one of them lets the program go on.
*/
#include "debugger_impl.h"

#include <errno.h>
#include <string.h>

#include "dap_lua.h"
#include "debugger_lua.h"
#include "lualib.h"
#include "vm/debug.h"

static const char debugger_key = 'd'; /* its address is a key of the registry */

static void debugger_event(lua_State *L, WatchEvent event, void *data);

Debugger *debugger_of(lua_State *L) {
  const VmState *vm = vm_of(L);
  return vm->watch == debugger_event ? vm->watch_data : NULL;
}

/* -- Calls of the session -------------------------------------------------- */

static void debugger_fail(Debugger *d) {
  const char *message = lua_tostring(d->session, -1);
  lua_writestringerror("debugger: %s\n", message ? message : "?");
  d->dead = true;
  wire_close(&d->wire);
  stepping_end(d);
}

bool debugger_call(Debugger *d, const char *function, int arguments) {
  lua_State *S = d->session;
  if (d->dead) {
    lua_settop(S, 0);
    return false;
  }
  lua_getglobal(S, function);
  lua_insert(S, -arguments - 1);
  if (lua_pcall(S, arguments, 1, 0) == LUA_OK) return true;
  debugger_fail(d);
  lua_settop(S, 0);
  return false;
}

/* The same; the result is true or not, and popped. */
static bool debugger_ask(Debugger *d, const char *function, int arguments) {
  if (!debugger_call(d, function, arguments)) return false;
  bool yes = lua_toboolean(d->session, -1);
  lua_settop(d->session, 0);
  return yes;
}

static StepMode step_mode_of(const char *name) {
  return !name                       ? STEP_NONE
         : strcmp(name, "in") == 0   ? STEP_IN
         : strcmp(name, "over") == 0 ? STEP_OVER
         : strcmp(name, "out") == 0  ? STEP_OUT
                                     : STEP_NONE;
}

void debugger_stop(Debugger *d, const char *reason, const char *text) {
  lua_State *S = d->session;
  StepMode mode = STEP_NONE;
  d->pauses++;
  lua_pushstring(S, reason);
  lua_pushstring(S, text);
  if (debugger_call(d, "on_stop", 2)) {
    mode = step_mode_of(lua_tostring(S, -1));
    lua_settop(S, 0);
  }
  code_forget(d);
  target_forget(d);
  stepping_begin(d, mode);
}

/* -- Breakpoints ----------------------------------------------------------- */

typedef struct PlaceSearch {
  uint32_t pc;
  bool found;
} PlaceSearch;

static void place_compare(void *context, uint32_t pc) {
  PlaceSearch *search = context;
  if (search->pc == pc) search->found = true;
}

/* Whether a breakpoint for the line, or for the function (0), belongs here. */
static bool is_place_for(const Frame *f, int line) {
  PlaceSearch search = {(uint32_t)debug_current_pc(f), false};
  watch_each_place(frame_closure(f)->proto, line, place_compare, &search);
  return search.found;
}

/* Asks the session whether a breakpoint of the user is here, and stops. */
static bool breakpoint_stops(Debugger *d, lua_State *L) {
  const Frame *f = L->frame;
  const Proto *p = frame_closure(f)->proto;
  int line = debug_current_line(f);
  bool of_line = is_place_for(f, line), of_function = is_place_for(f, 0);
  if (!p->source || (!of_line && !of_function)) return false;
  lua_State *S = d->session;
  d->pauses++; /* conditions are evaluated, with refs */
  lua_pushlstring(S, string_bytes(p->source), string_length(p->source));
  lua_pushinteger(S, of_line ? line : 0);
  lua_pushinteger(S, of_function ? p->first_line : -1);
  bool stops = debugger_ask(d, "on_break", 3);
  target_forget(d);
  return stops;
}

static bool is_passed(Debugger *d, const lua_State *L) {
  bool passed = d->passed_thread == L && d->passed == L->frame->u.lua.pc;
  d->passed_thread = NULL;
  return passed;
}

static void event_break(Debugger *d, lua_State *L) {
  if (is_passed(d, L)) return;
  bool step_ends = stepping_reaches(d, L);
  if (breakpoint_stops(d, L))
    debugger_stop(d, "breakpoint", NULL);
  else if (step_ends)
    debugger_stop(d, "step", NULL);
}

/* -- Steps and input ------------------------------------------------------- */

/* A step ends at an instruction that may also have a breakpoint. */
static void step_stops(Debugger *d, lua_State *L) {
  const Frame *f = L->frame;
  bool here = code_op(f->u.lua.pc[-1]) >= (Opcode)OPCODE_COUNT;
  bool breakpoint = here && breakpoint_stops(d, L);
  debugger_stop(d, breakpoint ? "breakpoint" : "step", NULL);
  d->passed_thread = here ? L : NULL;
  d->passed = L->frame->u.lua.pc;
}

static bool input_stops(Debugger *d) {
  if (!d->called) return false;
  d->called = 0;
  return debugger_ask(d, "on_input", 0);
}

static void event_step(Debugger *d, lua_State *L) {
  d->passed_thread = NULL;
  if (input_stops(d)) {
    debugger_stop(d, "pause", NULL);
    return;
  }
  if (stepping_is_done(d, L))
    step_stops(d, L);
  else if (d->step.mode == STEP_NONE || d->step.mode == STEP_OUT)
    stepping_watch(d, L, false);
}

/* -- Errors ---------------------------------------------------------------- */

static bool is_call_of(const Frame *f, lua_CFunction function) {
  return f->func->tag == TAG_C_FUNCTION && f->func->as.f == function;
}

static bool thread_catches(const Debugger *d, const lua_State *L) {
  for (const Frame *f = L->frame; f > L->frames; f--)
    if (!frame_is_lua(f) &&
        (is_call_of(f, d->pcall_function) || is_call_of(f, d->xpcall_function)))
      return true;
  return false;
}

/* True if a function of the program catches the error. */
static bool error_is_caught(const Debugger *d, const lua_State *L) {
  while (!thread_catches(d, L)) {
    L = watch_resumer(L);
    if (!L) return false;
    if (!frame_is_lua(L->frame) && is_call_of(L->frame, d->resume_function))
      return true;
  }
  return true;
}

/* As JSON: a message as it is, another value in short.  The value is below the
** frame's top. */
static void error_text(Text *text, lua_State *L) {
  if (lua_type(L, -1) == LUA_TSTRING) {
    size_t size;
    const char *message = lua_tolstring(L, -1, &size);
    dap_string(text, message, size);
    return;
  }
  dap_add(text, "\"", 1);
  dap_brief(text, L, -1);
  dap_add(text, "\"", 1);
}

static void event_error(Debugger *d, lua_State *L) {
  Text text = {NULL, 0, 0, false};
  bool caught = error_is_caught(d, L);
  if (caught ? !d->breaks_on_caught : !d->breaks_on_uncaught) return;
  error_text(&text, L);
  debugger_stop(d, "exception", text.bytes);
  dap_free(&text);
}

/* -- Chunks ---------------------------------------------------------------- */

static void event_load(Debugger *d, lua_State *L) {
  const Value *chunk = L->top - 1;
  if (!value_is_lua_closure(chunk)) return;
  if (code_collect(d, value_lua_closure(chunk)->proto))
    debugger_ask(d, "on_load", 0);
  code_forget(d);
}

/* -- All events ------------------------------------------------------------ */

static void debugger_called(void *data) {
  Debugger *d = data;
  d->called = 1;
  watch_step(penumbra_running(d->main), true);
}

static void debugger_event(lua_State *L, WatchEvent event, void *data) {
  Debugger *d = data;
  if (d->dead) {
    watch_step(L, false);
    return;
  }
  d->L = L;
  switch (event) {
    case WATCH_BREAK: event_break(d, L); break;
    case WATCH_STEP: event_step(d, L); break;
    case WATCH_ERROR: event_error(d, L); break;
    case WATCH_LOAD: event_load(d, L); break;
  }
}

/* -- Functions for debugger.lua -------------------------------------------- */

static int session_read(lua_State *S) {
  char bytes[4096];
  size_t size = wire_read(&debugger_self(S)->wire, bytes, sizeof bytes);
  if (size == 0) return 0;
  lua_pushlstring(S, bytes, size);
  return 1;
}

static int session_write(lua_State *S) {
  size_t size;
  const char *bytes = luaL_checklstring(S, 1, &size);
  lua_pushboolean(S, wire_write(&debugger_self(S)->wire, bytes, size));
  return 1;
}

static int session_ready(lua_State *S) {
  lua_pushboolean(S, wire_is_ready(&debugger_self(S)->wire));
  return 1;
}

static int session_accept(lua_State *S) {
  Debugger *d = debugger_self(S);
  lua_pushboolean(S, wire_accept(&d->wire, lua_toboolean(S, 1)));
  return 1;
}

static int session_hang_up(lua_State *S) {
  wire_hang_up(&debugger_self(S)->wire);
  return 0;
}

/* (caught, uncaught) */
static int session_errors(lua_State *S) {
  Debugger *d = debugger_self(S);
  d->breaks_on_caught = lua_toboolean(S, 1);
  d->breaks_on_uncaught = lua_toboolean(S, 2);
  return 0;
}

static const luaL_Reg session_functions[] = {
    {"read", session_read},
    {"write", session_write},
    {"ready", session_ready},
    {"accept", session_accept},
    {"hang_up", session_hang_up},
    {"errors", session_errors},
    {NULL, NULL},
};

static void session_library(lua_State *S, Debugger *d, const char *name,
                            const luaL_Reg *functions) {
  lua_newtable(S);
  lua_pushlightuserdata(S, d);
  luaL_setfuncs(S, functions, 1);
  lua_setglobal(S, name);
}

/* -- Beginning and end ----------------------------------------------------- */

static void session_run(lua_State *S, const unsigned char *code, size_t size,
                        const char *name) {
  if (luaL_loadbufferx(S, (const char *)code, size, name, "t")) lua_error(S);
  lua_call(S, 0, 1);
}

static int session_open(lua_State *S) {
  Debugger *d = lua_touserdata(S, 1);
  luaL_openlibs(S);
  lua_getglobal(S, "pcall");
  d->pcall_function = lua_tocfunction(S, -1);
  lua_getglobal(S, "xpcall");
  d->xpcall_function = lua_tocfunction(S, -1);
  lua_getglobal(S, "coroutine");
  lua_getfield(S, -1, "resume");
  d->resume_function = lua_tocfunction(S, -1);
  session_library(S, d, "wire", session_functions);
  session_library(S, d, "code", code_functions);
  session_library(S, d, "target", target_functions);
  session_run(S, dap_lua, sizeof dap_lua, "=dap");
  lua_setglobal(S, "dap");
  session_run(S, debugger_lua, sizeof debugger_lua, "=debugger");
  return 0;
}

/* The __gc of the debugger: the state is being closed. */
static int debugger_end(lua_State *L) {
  Debugger *d = lua_touserdata(L, 1);
  if (!d->session) return 0;
  if (vm_of(L)->watch_data == d) watch_set(L, NULL, NULL);
  wire_notify(&d->wire, NULL, d);
  d->L = L;
  debugger_ask(d, "on_end", 0);
  wire_close(&d->wire);
  code_forget(d);
  lua_close(d->session);
  d->session = NULL;
  return 0;
}

/* Pushes a debugger without a connection. */
static Debugger *debugger_make(lua_State *L) {
  Debugger *d = lua_newuserdatauv(L, sizeof *d, 0);
  memset(d, 0, sizeof *d);
  wire_init(&d->wire);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, debugger_end);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  d->main = d->L = L->global->main;
  d->session = luaL_newstate();
  if (!d->session) luaL_error(L, "not enough memory");
  lua_pushcfunction(d->session, session_open);
  lua_pushlightuserdata(d->session, d);
  if (lua_pcall(d->session, 1, 0, 0) != LUA_OK)
    luaL_error(L, "%s", lua_tostring(d->session, -1));
  return d;
}

/* How the debugger is to be reached. */
typedef struct Start {
  int port; /* -1: by the descriptors */
  int in, out;
  int result; /* 0: failed, see error */
  int error;
} Start;

static int debugger_start(lua_State *L) {
  Start *start = lua_touserdata(L, 1);
  Debugger *d = debugger_make(L);
  errno = 0;
  if (start->port >= 0)
    start->result = wire_listen(&d->wire, start->port);
  else
    start->result = wire_use(&d->wire, start->in, start->out);
  start->error = errno;
  if (!start->result) return 0;
  lua_rawsetp(L, LUA_REGISTRYINDEX, &debugger_key);
  watch_set(L, debugger_event, d);
  wire_notify(&d->wire, debugger_called, d);
  return 0;
}

static int debugger_open(lua_State *L, Start *start) {
  if (debugger_of(L)) {
    errno = EALREADY;
    return 0;
  }
  lua_pushcfunction(L, debugger_start);
  lua_pushlightuserdata(L, start);
  start->error = ENOMEM;
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    lua_pop(L, 1);
    start->result = 0;
  }
  if (!start->result) errno = start->error;
  return start->result;
}

LUA_API int penumbra_debug(lua_State *L, int port) {
  Start start = {.port = port < 0 || port > 65535 ? 0 : port};
  if (start.port == port) return debugger_open(L, &start);
  errno = EINVAL;
  return 0;
}

LUA_API int penumbra_debugfd(lua_State *L, int in, int out) {
  Start start = {.port = -1, .in = in, .out = out};
  return debugger_open(L, &start);
}

LUA_API void penumbra_debugwait(lua_State *L) {
  Debugger *d = debugger_of(L);
  if (!d) return;
  d->L = L;
  if (!lua_checkstack(L, LUA_MINSTACK)) return;
  vm_of(L)->watching = true;
  bool stops = debugger_ask(d, "on_wait", 0);
  vm_of(L)->watching = false;
  wire_notify(&d->wire, debugger_called, d);
  if (stops) stepping_begin(d, STEP_IN);
}
