/* SPDX-License-Identifier: MIT */
/*
** host.c -- a store at every unit of a cycle
**
**     host cases.lua [name]
**
** A case is a Lua function.  It makes a holder, calls step, stores a new object
** into the holder, calls finish, and returns the value that is in the holder.
**
**   step()     the collector does n units of a cycle
**   step_at_line()   the same at the caller's next line
**   new()      a new object with no other reference to it
**   finish()   the cycle ends; a minor one is followed by another one
**
** Each case runs with n = 0, 1, 2, ... until n units are a whole cycle; with
** objects of several kinds; with major and with minor cycles; and with an
** emergency collection at every allocation between step and finish.  It must
** return the object, intact.  Freed cells are overwritten.  With PENUMBRA_FULL
** in the environment all invariants are checked after each unit.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

#include "object/thread.h"

enum { BALLAST = 300, TEXT = 60, VERIFY = 17 };

typedef enum Sort {
  A_TABLE,
  A_LONG_STRING,
  A_SHORT_STRING,
  A_CLOSURE,
  SORTS
} Sort;

static const char *const sort_name[] = {"table", "long string", "short string",
                                        "closure"};

static struct {
  Gc *gc;
  const char *name; /* of the case */
  Sort sort;
  bool minor;
  bool emergencies;
  unsigned units; /* n */
  bool over;      /* n units were a whole cycle */
  bool stepped;
  unsigned serial; /* objects made so far */
  char text[TEXT]; /* contents of the last one */
} now;

static void complain(const char *what) {
  fprintf(stderr, "%s: a %s stored after %u units of a %s cycle: %s\n",
          now.name, sort_name[now.sort], now.units,
          now.minor ? "minor" : "major", what);
  if (now.emergencies) fprintf(stderr, "(with emergency collections)\n");
  exit(1);
}

static void broken(void *context, const char *message) {
  (void)context;
  complain(message);
}

/* -- Driving --------------------------------------------------------------- */

static void unit(void) { gc_step_work(now.gc, 1); }

/* Emergency collections are major cycles, and so few bytes are allocated that
** the collector may stop minor ones.  The next cycle is to be a minor one. */
static void keep_minor(void) {
  if (!now.minor) return;
  now.gc->choice.minors = 0;
  now.gc->choice.minors_pay = true;
  now.gc->major_next = false;
}

static int step(lua_State *L) {
  (void)L;
  for (unsigned i = 0; i < now.units; i++) {
    unit();
    if (now.gc->phase == PHASE_PAUSE) now.over = true;
  }
  now.stepped = true;
  keep_minor();
  now.gc->debug.collect_always = now.emergencies;
  return 0;
}

static void step_in_hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  step(L);
}

/* step_at_line(): step when the caller is at its next line.  No frame is above
** the caller's then, so the collector visits all below it. */
static int step_at_line(lua_State *L) {
  lua_sethook(L, step_in_hook, LUA_MASKLINE, 0);
  return 0;
}

/* Clears the slots above the stack, where calls may have left the object. */
static void forget(lua_State *L) {
  int top = lua_gettop(L);
  luaL_checkstack(L, 60, NULL);
  lua_settop(L, top + 60);
  lua_settop(L, top);
}

/* forget(...): does nothing, but leaves no copies of its arguments. */
static int forget_all(lua_State *L) {
  lua_settop(L, 0);
  forget(L);
  return 0;
}

static int finish(lua_State *L) {
  now.gc->debug.collect_always = false;
  forget(L);
  if (now.serial % VERIFY == 0) gc_verify(now.gc);
  now.gc->debug.checkmark = now.serial % VERIFY == 1;
  /* Objects born late are marked, so only the next minor cycle can free
  ** them. */
  for (int cycles = 0; cycles <= now.minor; cycles++) {
    keep_minor();
    do unit();
    while (now.gc->phase != PHASE_PAUSE);
  }
  return 0;
}

/* -- Objects --------------------------------------------------------------- */

static int closure_text(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  return 1;
}

static int new_object(lua_State *L) {
  int length = now.sort == A_SHORT_STRING ? 12 : TEXT - 1;
  snprintf(now.text, sizeof now.text, "%0*u", length, ++now.serial);
  if (now.sort == A_TABLE) {
    lua_newtable(L);
    lua_pushstring(L, now.text);
    lua_rawseti(L, -2, 1);
  } else {
    lua_pushstring(L, now.text);
    if (now.sort == A_CLOSURE) lua_pushcclosure(L, closure_text, 1);
  }
  return 1;
}

static bool is_text(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TSTRING &&
         strcmp(lua_tostring(L, index), now.text) == 0;
}

/* True if the object on top is intact. */
static bool is_whole(lua_State *L) {
  if (now.sort == A_TABLE) {
    if (!lua_istable(L, -1)) return false;
    lua_rawgeti(L, -1, 1);
  } else if (now.sort == A_CLOSURE) {
    if (lua_tocfunction(L, -1) != closure_text) return false;
    lua_getupvalue(L, -1, 1);
  } else {
    lua_pushvalue(L, -1);
  }
  bool whole = is_text(L, -1);
  lua_pop(L, 1);
  return whole;
}

/* Puts many tables around the value on top, each into the next. */
static void extend_chain(lua_State *L) {
  for (int i = 0; i < BALLAST; i++) {
    lua_newtable(L);
    lua_insert(L, -2);
    lua_rawseti(L, -2, 1);
  }
}

/* -- The API on a suspended thread ----------------------------------------- */

/* rest(...): a thread that never runs, with these values on its stack. */
static int api_rest_thread(lua_State *L) {
  int count = lua_gettop(L);
  lua_State *thread = lua_newthread(L);
  luaL_checkstack(thread, count + 20, NULL);
  lua_insert(L, 1);
  lua_xmove(L, thread, count);
  return 1;
}

static int pointer_key;

static int nothing(lua_State *L) {
  (void)L;
  return 0;
}

/* on(thread, operation [, value]): operates on its stack; see cases.lua. */
static int api_on(lua_State *L) {
  static const char *const names[] = {
      "gettable",      "getfield",     "geti",        "rawget",
      "rawgeti",       "rawgetp",      "next",        "getmetatable",
      "getiuservalue", "getupvalue",   "getglobal",   "pushvalue",
      "xmove",         "copy",         "replace",     "insert",
      "rotate",        "pushcclosure", "concat",      "tolstring",
      "pushstring",    "pushlstring",  "pushfstring", "settop",
      "pop",           "getinfo",      "arith",       "len",
      "call",          "lines",        "load",        NULL};
  lua_State *T = lua_tothread(L, 1);
  const char *given = now.text;
  switch (luaL_checkoption(L, 2, NULL, names)) {
    case 0:
      lua_pushliteral(T, "x");
      lua_gettable(T, 1);
      break;
    case 1: lua_getfield(T, 1, "x"); break;
    case 2: lua_geti(T, 1, 1); break;
    case 3:
      lua_pushliteral(T, "x");
      lua_rawget(T, 1);
      break;
    case 4: lua_rawgeti(T, 1, 1); break;
    case 5: lua_rawgetp(T, 1, &pointer_key); break;
    case 6:
      lua_pushnil(T);
      lua_next(T, 1);
      break;
    case 7: lua_getmetatable(T, 1); break;
    case 8: lua_getiuservalue(T, 1, 1); break;
    case 9: lua_getupvalue(T, 1, 1); break;
    case 10: lua_getglobal(T, "x"); break;
    case 11: lua_pushvalue(T, -1); break;
    case 12:
      lua_settop(L, 3);
      lua_xmove(L, T, 1);
      break;
    case 13:
      lua_copy(T, -1, 1);
      lua_pop(T, 1);
      break;
    case 14: lua_replace(T, 1); break;
    case 15: lua_insert(T, 1); break;
    case 16: lua_rotate(T, 1, -1); break;
    case 17: lua_pushcclosure(T, closure_text, 1); break;
    case 18:
      lua_pushstring(T, "a");
      lua_concat(T, 2);
      break;
    case 19: lua_tolstring(T, 1, NULL); break;
    case 20: lua_pushstring(T, given); break;
    case 21: lua_pushlstring(T, given, strlen(given)); break;
    case 22: lua_pushfstring(T, "%s", given); break;
    case 23: lua_settop(T, (int)lua_tointeger(L, 3)); break;
    case 24: lua_pop(T, 1); break;
    case 25: {
      lua_Debug ar;
      lua_pushvalue(T, -1);
      lua_getinfo(T, ">f", &ar);
      break;
    }
    case 26:
      lua_pushinteger(T, 1);
      lua_arith(T, LUA_OPADD);
      break;
    case 27: lua_len(T, 1); break;
    case 28: lua_call(T, 0, 1); break;
    case 29: {
      lua_Debug ar;
      lua_getinfo(T, ">L", &ar);
      break;
    }
    default: luaL_loadstring(T, "return 'loaded'"); break;
  }
  return 0;
}

/* take(thread [, index]): returns the value there, or on top, and leaves it. */
static int api_take(lua_State *L) {
  lua_State *T = lua_tothread(L, 1);
  if (lua_gettop(T) == 0) complain("the thread is empty");
  lua_pushvalue(T, (int)luaL_optinteger(L, 2, -1));
  lua_xmove(T, L, 1);
  return 1;
}

/* -- The API on holders ---------------------------------------------------- */

/* rawsetp(table, value) */
static int api_rawsetp(lua_State *L) {
  lua_settop(L, 2);
  lua_rawsetp(L, 1, &pointer_key);
  return 0;
}

static int api_rawgetp(lua_State *L) {
  lua_rawgetp(L, 1, &pointer_key);
  return 1;
}

static int api_rawseti(lua_State *L) {
  lua_settop(L, 2);
  lua_rawseti(L, 1, 1);
  return 0;
}

static int api_setfield(lua_State *L) {
  lua_settop(L, 2);
  lua_setfield(L, 1, "x");
  return 0;
}

static int api_seti(lua_State *L) {
  lua_settop(L, 2);
  lua_seti(L, 1, 1);
  return 0;
}

static int api_ref(lua_State *L) {
  lua_settop(L, 1);
  lua_pushinteger(L, luaL_ref(L, LUA_REGISTRYINDEX));
  return 1;
}

static int api_deref(lua_State *L) {
  int ref = (int)lua_tointeger(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
  luaL_unref(L, LUA_REGISTRYINDEX, ref);
  return 1;
}

static int api_userdata(lua_State *L) {
  lua_newuserdatauv(L, 16, 2);
  return 1;
}

/* A function with two upvalues: f("copy" or "replace", v) stores, f() reads. */
static int cell_body(lua_State *L) {
  const char *how = lua_tostring(L, 1);
  if (!how) {
    lua_pushvalue(L, lua_upvalueindex(2));
    return 1;
  }
  if (strcmp(how, "copy") == 0) lua_copy(L, 2, lua_upvalueindex(2));
  if (strcmp(how, "replace") == 0) lua_replace(L, lua_upvalueindex(2));
  if (strcmp(how, "text") == 0) {
    lua_pushinteger(L, 10000000 + (int)now.serial);
    lua_replace(L, lua_upvalueindex(2));
    lua_tolstring(L, lua_upvalueindex(2), NULL);
  }
  return 0;
}

static int api_cell(lua_State *L) {
  lua_pushinteger(L, 1);
  lua_pushinteger(L, 2);
  lua_pushcclosure(L, cell_body, 2);
  return 1;
}

/* below(f, f2): calls f with a slot below it, in this C function's frame.  Puts
** the result of f there, calls f2, and returns the slot. */
static int api_below(lua_State *L) {
  lua_settop(L, 2);
  lua_pushnil(L);
  lua_pushvalue(L, 1);
  lua_call(L, 0, 1);
  lua_replace(L, 3);
  lua_pushvalue(L, 2);
  lua_call(L, 0, 0);
  lua_settop(L, 3);
  return 1;
}

/* pcallk(f): a protected call that allows yields; then the message. */
static int after_error(lua_State *L, int status, lua_KContext context) {
  (void)L;
  (void)context;
  return status == LUA_OK || status == LUA_YIELD ? 0 : 1;
}

static int api_pcallk(lua_State *L) {
  lua_settop(L, 1);
  return after_error(L, lua_pcallk(L, 0, 0, 0, 0, after_error), 0);
}

/* -- A C function with many slots ------------------------------------------ */

/* The collector visits many slots of a running C function in pieces.  Then the
** function pops or overwrites slots that were visited.  `before` fills the last
** slots, `after` leaves the object in the slot that the comment names, or on
** top. */
typedef struct Wide {
  const char *name;
  void (*before)(lua_State *L);
  void (*after)(lua_State *L);
} Wide;

enum { WIDE = 600, RESULT = 9 };

static void push_object(lua_State *L) { new_object(L); }

static void push_numbers(lua_State *L) {
  for (int i = 0; i < 8; i++) lua_pushinteger(L, i);
}

static void push_maker(lua_State *L) { lua_pushcfunction(L, new_object); }

static int raise_object(lua_State *L) {
  new_object(L);
  return lua_error(L);
}

static void push_raiser(lua_State *L) { lua_pushcfunction(L, raise_object); }

/* A value whose operators make the object. */
static void push_operand(lua_State *L) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushcfunction(L, new_object);
  lua_setfield(L, -2, "__add");
  lua_pushcfunction(L, new_object);
  lua_setfield(L, -2, "__unm");
  lua_pushcfunction(L, new_object);
  lua_setfield(L, -2, "__concat");
  lua_setmetatable(L, -2);
}

static void push_operands(lua_State *L) {
  push_operand(L);
  lua_pushinteger(L, 1);
}

static void push_key(lua_State *L) { lua_pushliteral(L, "x"); }

static void push_number(lua_State *L) { lua_pushinteger(L, 123456789); }

/* The holder at 1 has the object as its field, and no longer. */
static void set_field(lua_State *L) {
  new_object(L);
  lua_setfield(L, 1, "x");
  forget(L);
}

static void unset_field(lua_State *L) {
  lua_pushnil(L);
  lua_setfield(L, 1, "x");
}

static void after_pop(lua_State *L) {
  lua_pop(L, 7);
  gc_verify(now.gc);
  new_object(L);
}

static void after_settop(lua_State *L) {
  lua_settop(L, WIDE / 2);
  gc_verify(now.gc);
  new_object(L);
}

static void after_copy(lua_State *L) { /* RESULT */
  new_object(L);
  lua_copy(L, -1, RESULT);
  lua_pop(L, 1);
}

static void after_replace(lua_State *L) { /* RESULT */
  new_object(L);
  lua_replace(L, RESULT);
}

static void after_insert(lua_State *L) { /* RESULT */
  new_object(L);
  lua_insert(L, RESULT);
}

static void after_call(lua_State *L) { lua_call(L, 0, 1); }

static void after_pcall(lua_State *L) {
  if (lua_pcall(L, 0, 0, 0) != LUA_ERRRUN) complain("no error");
}

static void after_add(lua_State *L) { lua_arith(L, LUA_OPADD); }

static void after_minus(lua_State *L) { lua_arith(L, LUA_OPUNM); }

static void after_concat(lua_State *L) { lua_concat(L, 2); }

static void after_gettable(lua_State *L) {
  set_field(L);
  lua_gettable(L, 1);
  unset_field(L);
}

static void after_rawget(lua_State *L) {
  set_field(L);
  lua_rawget(L, 1);
  unset_field(L);
}

/* The object is a key of the holder, and no longer. */
static void after_next(lua_State *L) {
  new_object(L);
  lua_pushboolean(L, 1);
  lua_rawset(L, 1);
  forget(L);
  lua_next(L, 1);
  lua_pop(L, 1);
  lua_pushvalue(L, -1);
  lua_pushnil(L);
  lua_rawset(L, 1);
}

static void after_closure(lua_State *L) {
  lua_pushcclosure(L, closure_text, 1);
  finish(L);
  lua_call(L, 0, 1);
}

static void after_tostring(lua_State *L) {
  size_t length;
  lua_tolstring(L, -1, &length);
  finish(L);
  if (length != 9 || strcmp(lua_tostring(L, -1), "123456789") != 0)
    complain("the string is lost");
  new_object(L);
}

static void after_getinfo(lua_State *L) {
  lua_Debug ar;
  lua_getinfo(L, ">S", &ar);
  gc_verify(now.gc);
  new_object(L);
}

static void after_getlocal(lua_State *L) {
  lua_getlocal(L, NULL, 1);
  gc_verify(now.gc);
  new_object(L);
}

/* The collector works between two pieces of the text. */
typedef struct Pieces {
  const char *first, *last;
  int count;
} Pieces;

static const char *read_piece(lua_State *L, void *context, size_t *size) {
  Pieces *pieces = context;
  if (++pieces->count > 2) return NULL;
  if (pieces->count == 2) step(L);
  const char *piece = pieces->count == 1 ? pieces->first : pieces->last;
  *size = strlen(piece);
  return piece;
}

static void after_load(lua_State *L) {
  Pieces pieces = {"local a = 1 ", "return 'loaded'", 0};
  if (lua_load(L, read_piece, &pieces, "=text", NULL) != LUA_OK)
    complain(lua_tostring(L, -1));
  finish(L);
  lua_call(L, 0, 1);
  if (strcmp(lua_tostring(L, -1), "loaded") != 0) complain("code is lost");
  new_object(L);
}

static void after_bad_load(lua_State *L) {
  Pieces pieces = {"f(1) ", "[[ ", 0};
  if (lua_load(L, read_piece, &pieces, "=text", NULL) != LUA_ERRSYNTAX)
    complain("no error");
  finish(L);
  if (!strstr(lua_tostring(L, -1), "text:")) complain("the message is lost");
  new_object(L);
}

static const Wide wide[] = {
    {"pop", push_numbers, after_pop},
    {"settop", push_numbers, after_settop},
    {"copy", push_numbers, after_copy},
    {"replace", push_numbers, after_replace},
    {"insert", push_numbers, after_insert},
    {"call", push_maker, after_call},
    {"pcall", push_raiser, after_pcall},
    {"arith", push_operands, after_add},
    {"arith of one", push_operand, after_minus},
    {"concat", push_operands, after_concat},
    {"gettable", push_key, after_gettable},
    {"rawget", push_key, after_rawget},
    {"next", lua_pushnil, after_next},
    {"tolstring", push_number, after_tostring},
    {"pushcclosure", push_object, after_closure},
    {"getinfo", push_maker, after_getinfo},
    {"getlocal", push_maker, after_getlocal},
    {"load", push_numbers, after_load},
    {"load with an error", push_numbers, after_bad_load},
};

/* Work between the visit of the last slots and the end of marking. */
static void push_chain(lua_State *L) {
  lua_newtable(L);
  extend_chain(L);
}

/* wide(i): runs operation i.  wide(i, true): its name, or nil. */
static int api_wide(lua_State *L) {
  const Wide *w = wide + lua_tointeger(L, 1);
  if (lua_toboolean(L, 2)) {
    lua_pushstring(L, w < wide + sizeof wide / sizeof *wide ? w->name : NULL);
    return 1;
  }
  luaL_checkstack(L, WIDE + 100, NULL);
  lua_settop(L, 0);
  lua_newtable(L);
  while (lua_gettop(L) < WIDE) lua_pushinteger(L, 1);
  push_chain(L);
  w->before(L);
  step(L);
  w->after(L);
  finish(L);
  if (!lua_isinteger(L, RESULT)) lua_settop(L, RESULT);
  return 1;
}

/* late(v): keeps v where a cycle comes late.  late(): that, and forgets it. */
static int late(lua_State *L) {
  int count = lua_gettop(L);
  lua_settop(L, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, "late");
  if (count == 0) lua_rawgeti(L, 2, 2);
  lua_pushvalue(L, 1);
  lua_rawseti(L, 2, 2);
  return count == 0;
}

static const luaL_Reg functions[] = {{"step", step},
                                     {"step_at_line", step_at_line},
                                     {"finish", finish},
                                     {"new", new_object},
                                     {"forget", forget_all},
                                     {"late", late},
                                     {"rest", api_rest_thread},
                                     {"on", api_on},
                                     {"take", api_take},
                                     {"rawsetp", api_rawsetp},
                                     {"rawgetp", api_rawgetp},
                                     {"rawseti", api_rawseti},
                                     {"setfield", api_setfield},
                                     {"seti", api_seti},
                                     {"ref", api_ref},
                                     {"deref", api_deref},
                                     {"userdata", api_userdata},
                                     {"cell", api_cell},
                                     {"below", api_below},
                                     {"pcallk", api_pcallk},
                                     {"wide", api_wide},
                                     {"nothing", nothing},
                                     {NULL, NULL}};

/* -- Running --------------------------------------------------------------- */

/* Makes objects to mark, so that marking takes many units, before and after the
** objects that are reached from the stack. */
static void make_ballast(lua_State *L) {
  for (int list = 0; list < 2; list++) {
    lua_newtable(L);
    if (list == 0) {
      lua_pushvalue(L, -1);
      lua_setfield(L, LUA_REGISTRYINDEX, "late");
    }
    extend_chain(L);
    if (list == 0) lua_setfield(L, LUA_REGISTRYINDEX, "ballast");
  }
}

static void begin(lua_State *L, bool minor, bool emergencies) {
  now.gc = gc_of(L);
  now.minor = minor;
  now.emergencies = emergencies;
  now.gc->debug.step_always = false;
  now.gc->debug.collect_always = false;
  now.gc->debug.verify = getenv("PENUMBRA_FULL") != NULL;
  now.gc->debug.checkmark = false;
  now.gc->heap.poison = true;
  lua_gc(L, LUA_GCSTOP);
}

/* Minor cycles leave old garbage, so a major one runs from time to time. */
static void between(void) {
  while (now.gc->phase != PHASE_PAUSE) unit();
  gc_set_generational(now.gc, now.minor);
  now.gc->choice.minors_pay = now.minor;
  if (now.minor && now.units % 16 == 0) gc_collect(now.gc);
  now.gc->choice.minors_pay = now.minor;
  now.over = now.stepped = false;
  now.gc->debug.collect_always = false;
}

/* Runs the case on top once. */
static void run_once(lua_State *L, Sort sort) {
  now.sort = sort;
  between();
  lua_pushvalue(L, -1);
  if (lua_pcall(L, 0, 1, 0) != LUA_OK) complain(lua_tostring(L, -1));
  if (!now.stepped) complain("step was not called");
  if (!is_whole(L)) complain("it is not there any more");
  lua_pop(L, 1);
}

/* Runs a case for each sort of object, or for the given one.  Tables are stored
** after every number of units; the other sorts take turns.  An emergency ends
** the cycle, so its place in the cycle matters little. */
static void run_case(lua_State *L, int sort, unsigned stride) {
  if (now.emergencies) stride *= 24;
  bool over = false;
  for (now.units = 0; !over; now.units += stride) {
    run_once(L, sort < 0 ? A_TABLE : (Sort)sort);
    over = now.over;
    if (sort < 0) run_once(L, (Sort)(1 + now.units / stride % (SORTS - 1)));
  }
}

static int field_of_case(lua_State *L, const char *name, int otherwise) {
  lua_getfield(L, -1, name);
  int value = (int)luaL_optinteger(L, -1, otherwise);
  lua_pop(L, 1);
  return value;
}

static void run_cases(lua_State *L, const char *only) {
  size_t count = lua_rawlen(L, -1);
  for (size_t i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i);
    int sort = field_of_case(L, "sort", -1);
    int stride = field_of_case(L, "stride", 1);
    lua_getfield(L, -1, "name");
    lua_getfield(L, -2, "body");
    now.name = lua_tostring(L, -2);
    if (!only || strcmp(only, now.name) == 0)
      run_case(L, sort, (unsigned)stride);
    lua_pop(L, 3);
  }
}

int main(int argc, char **argv) {
  check_set_handler(broken, NULL);
  for (int mode = 0; mode <= 3; mode++) {
    lua_State *L = luaL_newstate();
    begin(L, mode & 1, mode & 2);
    luaL_openlibs(L);
    for (const luaL_Reg *f = functions; f->name; f++)
      lua_register(L, f->name, f->func);
    make_ballast(L);
    now.name = "(loading)";
    if (argc < 2 || luaL_loadfile(L, argv[1]) || lua_pcall(L, 0, 1, 0)) {
      fprintf(stderr, "%s\n", lua_tostring(L, -1));
      return 1;
    }
    run_cases(L, argv[2]);
    lua_close(L);
  }
  printf("%u stores\n", now.serial);
  return 0;
}
