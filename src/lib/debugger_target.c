/* SPDX-License-Identifier: MIT */
/*
** debugger_target.c -- looks at values of the program, and changes them
**
** Objects of the program that the client may ask for later are in a table in
** the registry of the program, until the program goes on.  A *ref* is an index
** of that table.  No metamethod is called, except by code that the user wrote.
*/
#include "debugger_impl.h"

#include <stdlib.h>
#include <string.h>

#include "vm/debug.h"

static const char refs_key = 'd'; /* its address is a key of the registry */

/* -- Requests -------------------------------------------------------------- */

typedef struct RequestCall {
  RequestFn *function;
  Request *request;
} RequestCall;

static int request_body(lua_State *L) {
  RequestCall *call = lua_touserdata(L, 1);
  lua_settop(L, 0);
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  call->function(L, call->request);
  return 0;
}

/* The error is in the program's state, and goes on in the session's. */
int request_run(lua_State *session, RequestFn *f, Request *request) {
  lua_State *L = request->debugger->L;
  RequestCall call = {f, request};
  lua_pushcfunction(L, request_body);
  lua_pushlightuserdata(L, &call);
  int status = lua_pcall(L, 1, 0, 0);
  Text *text = &request->text;
  size_t size;
  if (status != LUA_OK) {
    const char *message = lua_tolstring(L, -1, &size);
    text->size = 0;
    if (lua_type(L, -1) == LUA_TSTRING)
      dap_add(text, message, size);
    else
      dap_brief(text, L, -1);
    lua_pop(L, 1);
  }
  bool failed = text->failed;
  lua_pushlstring(session, text->bytes ? text->bytes : "", text->size);
  dap_free(text);
  if (failed) return luaL_error(session, "not enough memory");
  if (status != LUA_OK) return lua_error(session);
  return 1;
}

Debugger *debugger_self(lua_State *session) {
  return lua_touserdata(session, lua_upvalueindex(1));
}

static Request request_make(lua_State *session) {
  return (Request){.debugger = debugger_self(session)};
}

/* Takes numbers from the arguments of the function. */
static void request_numbers(Request *r, lua_State *session, int count) {
  for (int i = 0; i < count; i++)
    r->number[i] = luaL_optinteger(session, i + 1, 0);
}

static void request_string(Request *r, lua_State *session, int nth, int index) {
  r->string[nth] = luaL_optlstring(session, index, "", &r->size[nth]);
}

/* -- Refs ------------------------------------------------------------------ */

static void refs_push(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &refs_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &refs_key);
}

/* The new ref of the value on top. */
static int ref_new(lua_State *L) {
  refs_push(L);
  int ref = (int)lua_rawlen(L, -1) + 1;
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, ref);
  lua_pop(L, 1);
  return ref;
}

static void target_push(lua_State *L, lua_Integer ref) {
  refs_push(L);
  if (lua_rawgeti(L, -1, ref) == LUA_TNIL)
    luaL_error(L, "this object is no longer known");
  lua_remove(L, -2);
}

static int forget_body(lua_State *L) {
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &refs_key);
  return 0;
}

void target_forget(Debugger *d) {
  lua_pushcfunction(d->L, forget_body);
  if (lua_pcall(d->L, 0, 0, 0) != LUA_OK) lua_pop(d->L, 1);
}

/* -- Items of lists -------------------------------------------------------- */

static void item_begin(Text *text) {
  if (text->size > 0 && text->bytes[text->size - 1] != '[')
    dap_add(text, ",", 1);
  dap_add(text, "{", 1);
}

static bool needs_ref(int type) {
  return type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA ||
         type == LUA_TTHREAD;
}

/* Describes the value on top, and pops it. */
static void item_value(Text *text, lua_State *L) {
  int ref = 0, indexed = 0;
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  if (needs_ref(lua_type(L, -1))) ref = ref_new(L);
  if (lua_type(L, -1) == LUA_TTABLE) {
    lua_Unsigned n = lua_rawlen(L, -1);
    indexed = n < INT32_MAX ? (int)n : INT32_MAX;
  }
  dap_value(text, L, -1, ref, indexed);
  lua_pop(L, 1);
}

/* Describes the value on top as a variable, and pops it. */
static void item_variable(Text *text, lua_State *L, const char *name, int n) {
  item_begin(text);
  dap_name(text, "name");
  dap_string(text, name, strlen(name));
  dap_name(text, "n");
  dap_print(text, "%d", n);
  item_value(text, L);
  dap_add(text, "}", 1);
}

/* -- Frames ---------------------------------------------------------------- */

/* The thread of a ref; 0 is the one that has stopped. */
static lua_State *thread_of_ref(lua_State *L, lua_Integer ref) {
  if (ref == 0) return L;
  target_push(L, ref);
  lua_State *thread = lua_tothread(L, -1);
  if (!thread) luaL_error(L, "this is not a thread");
  lua_pop(L, 1); /* the ref anchors it */
  return thread;
}

/* On the thread that has stopped, the request itself has a frame. */
static bool frame_find(const lua_State *L, lua_State *thread, int level,
                       lua_Debug *ar) {
  return level >= 0 && lua_getstack(thread, level + (thread == L), ar);
}

static void frame_need(lua_State *L, lua_State *thread, lua_Integer level,
                       lua_Debug *ar) {
  if (level < 0 || level > INT32_MAX - 1 ||
      !frame_find(L, thread, (int)level, ar))
    luaL_error(L, "this call is no longer known");
}

/* Pops a value of the thread and pushes it to L. */
static void frame_take(lua_State *L, lua_State *thread) {
  if (thread != L) lua_xmove(thread, L, 1);
}

static void frame_add(Text *text, lua_State *thread, lua_Debug *ar, int level) {
  lua_getinfo(thread, "nSlt", ar);
  item_begin(text);
  dap_print(text, "\"level\":%d,\"line\":%d,\"first\":%d", level,
            ar->currentline, ar->linedefined);
  dap_name(text, "what");
  dap_string(text, ar->what, strlen(ar->what));
  dap_name(text, "kind");
  dap_string(text, ar->namewhat, strlen(ar->namewhat));
  dap_name(text, "source");
  dap_string(text, ar->source, ar->srclen);
  dap_name(text, "short");
  dap_string(text, ar->short_src, strlen(ar->short_src));
  if (ar->name) {
    dap_name(text, "name");
    dap_string(text, ar->name, strlen(ar->name));
  }
  dap_add(text, "}", 1);
}

/* The frames of a thread, from a level on. */
static void request_stack(lua_State *L, Request *r) {
  enum { MOST = 1000 };
  lua_State *thread = thread_of_ref(L, r->number[0]);
  lua_Integer level = r->number[1], count = r->number[2];
  lua_Debug ar;
  if (count <= 0 || count > MOST) count = MOST;
  dap_add(&r->text, "[", 1);
  if (!lua_checkstack(thread, LUA_MINSTACK)) luaL_error(L, "stack overflow");
  for (; count > 0 && level < INT32_MAX - 1; level++, count--) {
    if (!frame_find(L, thread, (int)level, &ar)) break;
    frame_add(&r->text, thread, &ar, (int)level);
  }
  dap_add(&r->text, "]", 1);
}

static void request_threads(lua_State *L, Request *r) {
  lua_newtable(L);
  code_list_threads(L, 1);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
  dap_add(&r->text, "[", 1);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 1, i);
    lua_State *thread = lua_tothread(L, -1);
    lua_Debug ar;
    item_begin(&r->text);
    dap_print(&r->text,
              "\"main\":%s,\"stopped\":%s,\"address\":\"%p\",\"alive\":%s",
              thread == r->debugger->main ? "true" : "false",
              thread == L ? "true" : "false", (void *)thread,
              thread == L || lua_getstack(thread, 0, &ar) ? "true" : "false");
    item_value(&r->text, L);
    dap_add(&r->text, "}", 1);
  }
  dap_add(&r->text, "]", 1);
}

/* -- Variables ------------------------------------------------------------- */

/* Locals come in the order of their registers.  A later one of the same name
** hides an earlier one; both are listed. */
static void request_locals(lua_State *L, Request *r) {
  lua_State *thread = thread_of_ref(L, r->number[0]);
  const char *name;
  lua_Debug ar;
  char vararg[32];
  frame_need(L, thread, r->number[1], &ar);
  if (!lua_checkstack(thread, LUA_MINSTACK)) luaL_error(L, "stack overflow");
  dap_add(&r->text, "[", 1);
  for (int n = 1; (name = lua_getlocal(thread, &ar, n)) != NULL; n++) {
    frame_take(L, thread);
    if (*name == '(')
      lua_pop(L, 1); /* a temporary value */
    else
      item_variable(&r->text, L, name, n);
  }
  for (int n = 1; lua_getlocal(thread, &ar, -n) != NULL; n++) {
    frame_take(L, thread);
    l_sprintf(vararg, sizeof vararg, "...[%d]", n);
    item_variable(&r->text, L, vararg, -n);
  }
  dap_add(&r->text, "]", 1);
}

/* The function of a frame, as a value. */
static void request_function(lua_State *L, Request *r) {
  lua_State *thread = thread_of_ref(L, r->number[0]);
  lua_Debug ar;
  frame_need(L, thread, r->number[1], &ar);
  if (!lua_checkstack(thread, LUA_MINSTACK)) luaL_error(L, "stack overflow");
  lua_getinfo(thread, "f", &ar);
  frame_take(L, thread);
  dap_add(&r->text, "{", 1);
  item_value(&r->text, L);
  dap_add(&r->text, "}", 1);
}

static void request_globals(lua_State *L, Request *r) {
  lua_pushglobaltable(L);
  dap_add(&r->text, "{", 1);
  item_value(&r->text, L);
  dap_add(&r->text, "}", 1);
}

/* The key at the index as the name of a variable. */
static void key_text(Text *name, lua_State *L, int index) {
  size_t size;
  const char *s =
      lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &size) : NULL;
  bool plain = s && size > 0 &&
               strspn(s, "abcdefghijklmnopqrstuvwxyz"
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_") == size &&
               (*s < '0' || *s > '9');
  name->size = 0;
  if (plain) {
    dap_add(name, s, size);
    return;
  }
  dap_add(name, "[", 1);
  dap_brief(name, L, index);
  dap_add(name, "]", 1);
}

/* The key is below the value, which is on top and popped. */
static void item_of_table(Text *text, Text *name, lua_State *L) {
  key_text(name, L, lua_gettop(L) - 1);
  item_begin(text);
  dap_name(text, "name");
  dap_add(text, "\"", 1); /* the name is escaped already */
  dap_add(text, name->bytes ? name->bytes : "", name->size);
  dap_add(text, "\"", 1);
  item_value(text, L);
  dap_add(text, "}", 1);
}

/* True for a key that is among the first `n` positions. */
static bool key_is_position(lua_State *L, int index, lua_Integer n) {
  lua_Integer key = lua_isinteger(L, index) ? lua_tointeger(L, index) : 0;
  return key >= 1 && key <= n;
}

/* Positions first, then other keys. */
static void list_positions(lua_State *L, Request *r, Text *name,
                           lua_Integer from, lua_Integer to) {
  for (lua_Integer i = from; i <= to; i++) {
    lua_pushinteger(L, i);
    lua_rawgeti(L, 1, i);
    item_of_table(&r->text, name, L);
    lua_pop(L, 1);
  }
}

/* Returns true if there are more than `count` after `start`. */
static bool list_keys(lua_State *L, Request *r, Text *name, lua_Integer n,
                      lua_Integer start, lua_Integer count) {
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    if (key_is_position(L, -2, n) || start-- > 0) {
      lua_pop(L, 1);
    } else if (count-- <= 0) {
      lua_pop(L, 2);
      return true;
    } else {
      item_of_table(&r->text, name, L);
    }
  }
  return false;
}

static void list_metatable(lua_State *L, Request *r) {
  if (lua_getmetatable(L, 1)) item_variable(&r->text, L, "[metatable]", 0);
}

/* number: ref, what (1: positions, 2: keys, 3: upvalues or user values), start,
** count.  The object is at index 1. */
static bool list_children(lua_State *L, Request *r, Text *name) {
  lua_Integer start = r->number[2], count = r->number[3];
  const char *label;
  char number[32];
  if (lua_type(L, 1) == LUA_TTABLE) {
    lua_Integer n = (lua_Integer)lua_rawlen(L, 1);
    if (r->number[1] == 1) {
      lua_Integer to = start < n && count < n - start ? start + count : n;
      list_positions(L, r, name, start + 1, to);
      return to < n;
    }
    if (start == 0) list_metatable(L, r);
    return list_keys(L, r, name, n, start, count);
  }
  if (lua_type(L, 1) == LUA_TFUNCTION)
    for (int i = 1; (label = lua_getupvalue(L, 1, i)) != NULL; i++)
      item_variable(&r->text, L, *label ? label : "(upvalue)", i);
  if (lua_type(L, 1) == LUA_TUSERDATA) {
    list_metatable(L, r);
    for (int i = 1; lua_getiuservalue(L, 1, i) != LUA_TNONE; i++) {
      l_sprintf(number, sizeof number, "(user value %d)", i);
      item_variable(&r->text, L, number, i);
    }
    lua_pop(L, 1);
  }
  return false;
}

static void request_children(lua_State *L, Request *r) {
  Text name = {NULL, 0, 0, false};
  target_push(L, r->number[0]);
  dap_add(&r->text, "{\"items\":[", 10);
  bool more = list_children(L, r, &name);
  dap_free(&name);
  dap_print(&r->text, "],\"more\":%s}", more ? "true" : "false");
}

/* -- Code of the user ------------------------------------------------------ */

/* What a chunk sees as its globals: the variables of a frame, and behind them
** its globals. */
enum { PROXY_THREAD = 1, PROXY_FRAME, PROXY_ENV, PROXY_PAUSE };

/* False when the program has gone on since: the frame may be another. */
static bool proxy_frame(lua_State *L, lua_State **thread, lua_Debug *ar) {
  const Debugger *d = debugger_of(L);
  *thread = lua_tothread(L, lua_upvalueindex(PROXY_THREAD));
  if (!*thread || !d || !vm_of(L)->watching ||
      lua_tointeger(L, lua_upvalueindex(PROXY_PAUSE)) != d->pauses)
    return false;
  debug_set_frame(ar,
                  (ptrdiff_t)lua_tointeger(L, lua_upvalueindex(PROXY_FRAME)));
  return lua_checkstack(*thread, LUA_MINSTACK);
}

/* The number of the innermost variable of that name; 0: none. */
static int find_local(lua_State *thread, const lua_Debug *ar,
                      const char *wanted) {
  int found = 0;
  const char *name;
  for (int n = 1; (name = lua_getlocal(thread, ar, n)) != NULL; n++) {
    lua_pop(thread, 1);
    if (strcmp(name, wanted) == 0) found = n;
  }
  return found;
}

/* Pushes the function of the frame.  Returns the number of its upvalue of that
** name; 0: none. */
static int find_upvalue(lua_State *L, lua_State *thread, lua_Debug *ar,
                        const char *wanted) {
  const char *name;
  lua_getinfo(thread, "f", ar);
  frame_take(L, thread);
  for (int n = 1; (name = lua_getupvalue(L, -1, n)) != NULL; n++) {
    lua_pop(L, 1);
    if (strcmp(name, wanted) == 0) return n;
  }
  return 0;
}

/* Pushes the variable of the frame; false, and nothing, if there is none. */
static bool push_variable(lua_State *L, lua_State *thread, lua_Debug *ar,
                          const char *name) {
  int n = find_local(thread, ar, name);
  if (n > 0) {
    lua_getlocal(thread, ar, n);
    frame_take(L, thread);
    return true;
  }
  n = find_upvalue(L, thread, ar, name);
  if (n > 0) {
    lua_getupvalue(L, -1, n);
    lua_remove(L, -2);
    return true;
  }
  lua_pop(L, 1);
  return false;
}

static int proxy_index(lua_State *L) {
  lua_State *thread;
  lua_Debug ar;
  if (lua_type(L, 2) == LUA_TSTRING && proxy_frame(L, &thread, &ar) &&
      push_variable(L, thread, &ar, lua_tostring(L, 2)))
    return 1;
  lua_settop(L, 2);
  lua_gettable(L, lua_upvalueindex(PROXY_ENV));
  return 1;
}

/* Stores the value on top in a variable of the frame.  False if there is no such
** variable. */
static bool store_variable(lua_State *L, lua_State *thread, lua_Debug *ar,
                           const char *name) {
  int n = find_local(thread, ar, name);
  if (n > 0) {
    if (thread != L) lua_xmove(L, thread, 1);
    lua_setlocal(thread, ar, n);
    return true;
  }
  n = find_upvalue(L, thread, ar, name);
  if (n == 0) return false;
  lua_pushvalue(L, -2);
  lua_setupvalue(L, -2, n);
  return true;
}

static int proxy_newindex(lua_State *L) {
  lua_State *thread;
  lua_Debug ar;
  if (lua_type(L, 2) == LUA_TSTRING && proxy_frame(L, &thread, &ar) &&
      store_variable(L, thread, &ar, lua_tostring(L, 2)))
    return 0;
  lua_settop(L, 3);
  lua_settable(L, lua_upvalueindex(PROXY_ENV));
  return 0;
}

static void push_proxy_function(lua_State *L, lua_CFunction f,
                                lua_State *thread, const lua_Debug *ar,
                                int env) {
  if (thread) {
    lua_pushthread(thread);
    frame_take(L, thread);
  } else {
    lua_pushnil(L);
  }
  lua_pushinteger(L, thread ? (lua_Integer)(intptr_t)ar->i_ci : 0);
  lua_pushvalue(L, env);
  lua_pushinteger(L, debugger_of(L)->pauses);
  lua_pushcclosure(L, f, PROXY_PAUSE);
}

/* Pushes the table of globals for a chunk.  `frame` may be NULL. */
static void push_proxy(lua_State *L, lua_State *thread, lua_Debug *frame) {
  if (!frame || !push_variable(L, thread, frame, "_ENV"))
    lua_pushglobaltable(L);
  int env = lua_gettop(L);
  lua_newtable(L);
  lua_createtable(L, 0, 2);
  push_proxy_function(L, proxy_index, frame ? thread : NULL, frame, env);
  lua_setfield(L, -2, "__index");
  push_proxy_function(L, proxy_newindex, frame ? thread : NULL, frame, env);
  lua_setfield(L, -2, "__newindex");
  lua_setmetatable(L, -2);
  lua_remove(L, env);
}

/* Compiles an expression; if `statements`, also statements. */
static void push_chunk(lua_State *L, const Request *r, bool statements) {
  static const char name[] = "=(debugger)";
  lua_pushliteral(L, "return ");
  lua_pushlstring(L, r->string[0], r->size[0]);
  lua_concat(L, 2);
  size_t size;
  const char *code = lua_tolstring(L, -1, &size);
  int status = luaL_loadbufferx(L, code, size, name, "t");
  if (status != LUA_OK && statements) {
    lua_pop(L, 1);
    status = luaL_loadbufferx(L, r->string[0], r->size[0], name, "t");
  }
  if (status != LUA_OK) lua_error(L);
  lua_remove(L, -2);
}

static int push_varargs(lua_State *L, lua_State *thread, const lua_Debug *ar) {
  int n = 0;
  while (lua_getlocal(thread, ar, -(n + 1)) != NULL) {
    frame_take(L, thread);
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    n++;
  }
  return n;
}

/* Pushes the results of a chunk that runs in a frame, or raises its error.
** Returns their number. */
static int target_evaluate(lua_State *L, const Request *r, lua_State *thread,
                           lua_Debug *frame) {
  int base = lua_gettop(L);
  push_chunk(L, r, r->number[2] != 0);
  push_proxy(L, thread, frame);
  if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
  lua_call(L, frame ? push_varargs(L, thread, frame) : 0, LUA_MULTRET);
  return lua_gettop(L) - base;
}

/* The frame in which code runs.  With a level below 0 there is none: NULL. */
static lua_Debug *evaluation_frame(lua_State *L, const Request *r,
                                   lua_State **thread, lua_Debug *ar) {
  *thread = thread_of_ref(L, r->number[0]);
  if (r->number[1] < 0) return NULL;
  frame_need(L, *thread, r->number[1], ar);
  if (!lua_checkstack(*thread, LUA_MINSTACK)) luaL_error(L, "stack overflow");
  return ar;
}

/* number: thread, level, statements.  string: code. */
static void request_evaluate(lua_State *L, Request *r) {
  lua_State *thread;
  lua_Debug ar;
  lua_Debug *frame = evaluation_frame(L, r, &thread, &ar);
  int count = target_evaluate(L, r, thread, frame);
  int base = lua_gettop(L) - count;
  dap_add(&r->text, "[", 1);
  for (int i = 1; i <= count; i++) {
    item_begin(&r->text);
    dap_name(&r->text, "truth");
    dap_print(&r->text, lua_toboolean(L, base + i) ? "true" : "false");
    lua_pushvalue(L, base + i);
    item_value(&r->text, L);
    dap_add(&r->text, "}", 1);
  }
  dap_add(&r->text, "]", 1);
}

/* -- Assignments ----------------------------------------------------------- */

/* Stores the value on top under the key with that name, as JSON has it. */
static void assign_key(lua_State *L, int table, const Request *r) {
  Text name = {NULL, 0, 0, false};
  bool found = false;
  int value = lua_gettop(L);
  lua_pushnil(L);
  while (!found && lua_next(L, table)) {
    lua_pop(L, 1);
    key_text(&name, L, lua_gettop(L));
    found = name.size == r->size[1] &&
            memcmp(name.bytes, r->string[1], name.size) == 0;
  }
  dap_free(&name);
  if (!found) luaL_error(L, "there is no such field");
  lua_pushvalue(L, value);
  lua_rawset(L, table);
}

/* Stores the value on top in a member of the object below it. */
static void assign_member(lua_State *L, const Request *r) {
  int object = lua_gettop(L) - 1, n = (int)r->number[3];
  if (lua_type(L, object) == LUA_TTABLE && n == 0) {
    assign_key(L, object, r);
    return;
  }
  lua_pushvalue(L, -1);
  if (lua_type(L, object) == LUA_TFUNCTION && lua_setupvalue(L, object, n))
    return;
  if (lua_type(L, object) == LUA_TUSERDATA && lua_setiuservalue(L, object, n))
    return;
  luaL_error(L, "this cannot be assigned to");
}

static void assign_local(lua_State *L, const Request *r, lua_State *thread,
                         const lua_Debug *frame) {
  lua_pushvalue(L, -1);
  if (thread != L) lua_xmove(L, thread, 1);
  if (!frame || !lua_setlocal(thread, frame, (int)r->number[3]))
    luaL_error(L, "there is no such variable");
}

/* number: thread, level, object or 0, n of a variable.  string: code, key. */
static void request_assign(lua_State *L, Request *r) {
  lua_State *thread;
  lua_Debug ar;
  lua_Debug *frame = evaluation_frame(L, r, &thread, &ar);
  lua_Integer object = r->number[2];
  r->number[2] = 0; /* an expression only */
  int top = lua_gettop(L);
  if (object != 0) target_push(L, object);
  int count = target_evaluate(L, r, thread, frame);
  if (count == 0) lua_pushnil(L);
  lua_settop(L, top + (object != 0) + 1); /* the first result */
  if (object != 0)
    assign_member(L, r);
  else
    assign_local(L, r, thread, frame);
  lua_settop(L, top + (object != 0) + 1);
  dap_add(&r->text, "{", 1);
  item_value(&r->text, L);
  dap_add(&r->text, "}", 1);
}

/* -- For debugger.lua ------------------------------------------------------ */

#define TARGET_NUMBERS(name, count)            \
  static int target_##name(lua_State *S) {     \
    Request r = request_make(S);               \
    request_numbers(&r, S, count);             \
    return request_run(S, request_##name, &r); \
  }

TARGET_NUMBERS(threads, 0)  /* () */
TARGET_NUMBERS(stack, 3)    /* (thread, level, count) */
TARGET_NUMBERS(locals, 2)   /* (thread, level) */
TARGET_NUMBERS(function, 2) /* (thread, level) */
TARGET_NUMBERS(globals, 0)  /* () */
TARGET_NUMBERS(children, 4) /* (ref, what, start, count) */

/* (thread, level, statements, code) */
static int target_run(lua_State *S) {
  Request r = request_make(S);
  request_numbers(&r, S, 3);
  request_string(&r, S, 0, 4);
  return request_run(S, request_evaluate, &r);
}

/* (thread, level, object, n, code, key) */
static int target_assign(lua_State *S) {
  Request r = request_make(S);
  request_numbers(&r, S, 4);
  request_string(&r, S, 0, 5);
  request_string(&r, S, 1, 6);
  return request_run(S, request_assign, &r);
}

const luaL_Reg target_functions[] = {
    {"threads", target_threads},
    {"stack", target_stack},
    {"locals", target_locals},
    {"func", target_function},
    {"globals", target_globals},
    {"children", target_children},
    {"evaluate", target_run},
    {"assign", target_assign},
    {NULL, NULL},
};
