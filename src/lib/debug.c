/* SPDX-License-Identifier: MIT */
/*
** debug.c -- the debug library, except hooks (debug_hook.c)
**
** Many functions take a thread as an optional first argument.  They call
** debug_first_argument() for it, which also tells where the other arguments
** begin.
*/

#include <stdio.h>
#include <string.h>

#include "debug_impl.h"
#include "declare.h"
#include "lib.h"
#include "lualib.h"
#include "values.h"
#include "object/meta.h"

int debug_first_argument(lua_State *L, lua_State **L1) {
  lua_State *given = lua_tothread(L, 1);
  *L1 = given ? given : L;
  return given ? 2 : 1;
}

void debug_check_stack(lua_State *L, lua_State *L1, int n) {
  if (luai_unlikely(L != L1 && !lua_checkstack(L1, n)))
    luaL_error(L, "stack overflow");
}

/* -- Values -------------------------------------------------------------- */

NATIVE(debug_getregistry) { return give_value(out, &L->global->registry); }

NATIVE(debug_getmetatable) {
  if (argc == 0) return NATIVE_RETRY;
  Table *metatable = meta_of(L, args);
  if (!metatable) return give_nil(out);
  value_set_table(out, metatable);
  return 1;
}

static int debug_setmetatable_framed(lua_State *L) {
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

static int debug_getuservalue_framed(lua_State *L) {
  const int n = (int)luaL_optinteger(L, 2, 1);
  if (lua_type(L, 1) != LUA_TUSERDATA) return values_push(L, "-");
  const bool exists = lua_getiuservalue(L, 1, n) != LUA_TNONE;
  return exists ? 1 + values_push(L, "b", 1) : 1;
}

static int debug_setuservalue_framed(lua_State *L) {
  const int n = (int)luaL_optinteger(L, 3, 1);
  luaL_checktype(L, 1, LUA_TUSERDATA);
  luaL_checkany(L, 2);
  lua_pushvalue(L, 2);
  return values_push(L, lua_setiuservalue(L, 1, n) ? "v" : "-", 1);
}

/* -- Information about functions ----------------------------------------- */

/* The fields that lua_getinfo fills in, by option. */
#define INFO(option, kind, name) \
  { #name, offsetof(lua_Debug, name), kind, 0, option }

static const Field info_fields[] = {
    INFO('S', FIELD_CHARS, short_src),     INFO('S', FIELD_INT, linedefined),
    INFO('S', FIELD_INT, lastlinedefined), INFO('S', FIELD_TEXT, what),
    INFO('l', FIELD_INT, currentline),     INFO('u', FIELD_BYTE, nups),
    INFO('u', FIELD_BYTE, nparams),        INFO('u', FIELD_FLAG, isvararg),
    INFO('n', FIELD_TEXT, name),           INFO('n', FIELD_TEXT, namewhat),
    INFO('r', FIELD_SHORT, ftransfer),     INFO('r', FIELD_SHORT, ntransfer),
    INFO('t', FIELD_FLAG, istailcall),
};

/* The values that lua_getinfo pushes, the last one first. */
static const struct {
  char option;
  const char *name;
} info_values[] = {{'L', "activelines"}, {'f', "func"}};

/* An upper bound for the number of requested fields. */
static int info_count(const char *options) {
  int count = 1; /* source */
  for (size_t i = 0; i < sizeof(info_values) / sizeof(info_values[0]); i++)
    count += strchr(options, info_values[i].option) != NULL;
  for (size_t i = 0; i < sizeof(info_fields) / sizeof(info_fields[0]); i++)
    count += strchr(options, info_fields[i].option) != NULL;
  return count;
}

/* Stores the requested fields in the table at `table`. */
static void info_store(lua_State *L, lua_State *L1, const char *options,
                       const lua_Debug *ar, int table) {
  for (size_t i = 0; i < sizeof(info_values) / sizeof(info_values[0]); i++) {
    if (!strchr(options, info_values[i].option)) continue;
    debug_move(L1, L);
    lua_setfield(L, table, info_values[i].name);
  }
  lua_settop(L, table);
  for (size_t i = 0; i < sizeof(info_fields) / sizeof(info_fields[0]); i++)
    if (strchr(options, info_fields[i].option))
      field_store(L, &info_fields[i], ar);
  if (!strchr(options, 'S')) return;
  lua_pushlstring(L, ar->source, ar->srclen); /* may contain zeros */
  lua_setfield(L, table, "source");
}

static int debug_getinfo_framed(lua_State *L) {
  lua_Debug ar;
  lua_State *L1;
  const int what = debug_first_argument(L, &L1);
  const char *options = luaL_optstring(L, what + 1, "flnSrtu");
  debug_check_stack(L, L1, 3);
  luaL_argcheck(L, *options != '>', what + 1, "invalid option '>'");
  const bool is_function = lua_isfunction(L, what);
  if (!is_function && !lua_getstack(L1, (int)luaL_checkinteger(L, what), &ar))
    return values_push(L, "-");
  if (is_function) options = lua_pushfstring(L, ">%s", options);
  lua_createtable(L, 0, info_count(options));
  const int table = lua_gettop(L);
  if (is_function) {
    lua_pushvalue(L, what);
    debug_move(L, L1);
  }
  if (!lua_getinfo(L1, options, &ar))
    return luaL_argerror(L, what + 1, "invalid option");
  info_store(L, L1, options, &ar, table);
  return 1;
}

/* A message that is not a string is returned unchanged. */
static int debug_traceback_framed(lua_State *L) {
  lua_State *L1;
  const int message = debug_first_argument(L, &L1);
  if (!lua_isnoneornil(L, message) && !lua_isstring(L, message))
    return values_push(L, "v", message);
  const lua_Integer level = luaL_optinteger(L, message + 1, L == L1);
  luaL_traceback(L, L1, lua_tostring(L, message), (int)level);
  return 1;
}

/* -- Variables ----------------------------------------------------------- */

/* Finds the frame of L1 at the level, which is argument `arg`. */
static void frame_check(lua_State *L, lua_State *L1, lua_Integer level, int arg,
                        lua_Debug *ar) {
  luaL_argcheck(L, lua_getstack(L1, (int)level, ar), arg, "level out of range");
  debug_check_stack(L, L1, 1);
}

/* The results for a variable whose value is on top. */
static int variable_results(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_insert(L, -2);
  return 2;
}

static int debug_getlocal_framed(lua_State *L) {
  lua_Debug ar;
  lua_State *L1;
  const int where = debug_first_argument(L, &L1);
  const int number = (int)luaL_checkinteger(L, where + 1);
  if (lua_isfunction(L, where)) { /* a parameter's name; it has no value */
    lua_settop(L, where);
    return values_push(L, "s", lua_getlocal(L, NULL, number));
  }
  frame_check(L, L1, luaL_checkinteger(L, where), where, &ar);
  const char *name = lua_getlocal(L1, &ar, number);
  if (!name) return values_push(L, "-");
  debug_move(L1, L);
  return variable_results(L, name);
}

static int debug_setlocal_framed(lua_State *L) {
  lua_Debug ar;
  lua_State *L1;
  const int where = debug_first_argument(L, &L1);
  const lua_Integer level = luaL_checkinteger(L, where);
  const int number = (int)luaL_checkinteger(L, where + 1);
  frame_check(L, L1, level, where, &ar);
  luaL_checkany(L, where + 2);
  lua_settop(L, where + 2);
  debug_move(L, L1);
  const char *name = lua_setlocal(L1, &ar, number);
  if (!name) lua_pop(L1, 1); /* no such variable */
  lua_pushstring(L, name);
  return 1;
}

/* The function and number given by the first arguments. */
static int upvalue_number(lua_State *L) {
  const lua_Integer number = luaL_checkinteger(L, 2);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  return (int)number;
}

/* A Lua function has the names of its upvalues as strings. */
NATIVE(debug_getupvalue) {
  if (argc < 2 || !value_is_lua_closure(&args[0]) ||
      !value_is_integer(&args[1]))
    return NATIVE_RETRY;
  const LuaClosure *c = value_lua_closure(&args[0]);
  const lua_Unsigned n = (lua_Unsigned)args[1].as.i - 1;
  if (n >= c->cell.user) return 0;
  const String *name = c->proto->upvalues[n].name;
  if (!name) return NATIVE_RETRY;
  value_copy(&out[1], c->upvalue[n]->v);
  value_set_string(&out[0], name);
  return 2;
}

static int debug_getupvalue_framed(lua_State *L) {
  const char *name = lua_getupvalue(L, 1, upvalue_number(L));
  return name ? variable_results(L, name) : 0;
}

static int debug_setupvalue_framed(lua_State *L) {
  luaL_checkany(L, 3);
  const char *name = lua_setupvalue(L, 1, upvalue_number(L));
  return name ? values_push(L, "s", name) : 0;
}

/* The identity of upvalue number `arg` + 1 of the function at `arg`. */
static void *upvalue_id(lua_State *L, int arg, int *n) {
  *n = (int)luaL_checkinteger(L, arg + 1);
  luaL_checktype(L, arg, LUA_TFUNCTION);
  return lua_upvalueid(L, arg, *n);
}

static int debug_upvalueid_framed(lua_State *L) {
  int n;
  void *id = upvalue_id(L, 1, &n);
  if (id)
    lua_pushlightuserdata(L, id);
  else
    luaL_pushfail(L);
  return 1;
}

/* For upvaluejoin: an upvalue that exists, of a Lua function. */
static int upvalue_check(lua_State *L, int arg) {
  int n;
  void *id = upvalue_id(L, arg, &n);
  luaL_argcheck(L, id != NULL, arg + 1, "invalid upvalue index");
  return n;
}

static int debug_upvaluejoin_framed(lua_State *L) {
  const int n1 = upvalue_check(L, 1);
  const int n2 = upvalue_check(L, 3);
  luaL_argcheck(L, !lua_iscfunction(L, 1), 1, "Lua function expected");
  luaL_argcheck(L, !lua_iscfunction(L, 3), 3, "Lua function expected");
  lua_upvaluejoin(L, 1, n1, 3, n2);
  return 0;
}

/* -- Odds and ends ------------------------------------------------------- */

static int debug_setcstacklimit_framed(lua_State *L) {
  const int limit = (int)lua_tointeger(L, 1);
  lua_pushinteger(L, lua_setcstacklimit(L, (unsigned int)limit));
  return 1;
}

/* Asks for a line; false at the end of the input or of the session. */
static bool command_read(char *line, int size) {
  fputs("lua_debug> ", stderr);
  fflush(stderr);
  return fgets(line, size, stdin) && strcmp(line, "cont\n") != 0;
}

static int debug_debug_framed(lua_State *L) {
  char line[250];
  while (command_read(line, sizeof(line))) {
    int status = luaL_loadbuffer(L, line, strlen(line), "=(debug command)");
    if (status == LUA_OK) status = lua_pcall(L, 0, 0, 0);
    if (status != LUA_OK)
      lua_writestringerror("%s\n", luaL_tolstring(L, -1, NULL));
    lua_settop(L, 0);
  }
  return 0;
}

/* Where a thread may stand first, and where the manual leaves the order of the
** checks open, the functions check by themselves. */
#define DEBUG_NATIVES(RUN, BOTH, SPLIT, FRAMED)                                \
  FRAMED(debug, debug, NOTHING)                                                \
  FRAMED(debug, gethook, MAYBE_OWN(THREAD, thread))                            \
  FRAMED(debug, getinfo, MAYBE_OWN(THREAD, thread), OWN(FUNCTION, f),          \
         MAYBE_OWN(STRING, what))                                              \
  FRAMED(debug, getlocal, MAYBE_OWN(THREAD, thread), OWN(FUNCTION, f),         \
         OWN(INTEGER, local))                                                  \
  RUN(debug, getmetatable, ANY(value))                                         \
  RUN(debug, getregistry, NOTHING)                                             \
  BOTH(debug, getupvalue, OWN(FUNCTION, f), OWN(INTEGER, up))                  \
  FRAMED(debug, getuservalue, MAYBE_OWN(ANY, u), MAYBE(INTEGER, n))            \
  FRAMED(debug, setcstacklimit, INTEGER(limit))                                \
  FRAMED(debug, sethook, MAYBE_OWN(THREAD, thread), OWN(FUNCTION, hook),       \
         OWN(STRING, mask), MAYBE_OWN(INTEGER, count))                         \
  FRAMED(debug, setlocal, MAYBE_OWN(THREAD, thread), OWN(INTEGER, level),      \
         OWN(INTEGER, local), OWN(ANY, value))                                 \
  FRAMED(debug, setmetatable, OWN(ANY, value), {"table", TAKES_NIL_OR_TABLE})  \
  FRAMED(debug, setupvalue, OWN(FUNCTION, f), OWN(INTEGER, up),                \
         OWN(ANY, value))                                                      \
  FRAMED(debug, setuservalue, OWN(ANY, udata), OWN(ANY, value),                \
         MAYBE_OWN(INTEGER, n))                                                \
  FRAMED(debug, traceback, MAYBE_OWN(THREAD, thread), MAYBE_OWN(ANY, message), \
         MAYBE_OWN(INTEGER, level))                                            \
  FRAMED(debug, upvalueid, OWN(FUNCTION, f), OWN(INTEGER, n))                  \
  FRAMED(debug, upvaluejoin, OWN(FUNCTION, f1), OWN(INTEGER, n1),              \
         OWN(FUNCTION, f2), OWN(INTEGER, n2))

NATIVE_LIBRARY(debug, "debug.", DEBUG_NATIVES)

LUAMOD_API int luaopen_debug(lua_State *L) {
  lua_createtable(L, 0, debug_count);
  native_open(L, debug_natives);
  return 1;
}
