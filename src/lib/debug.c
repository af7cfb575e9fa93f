/* SPDX-License-Identifier: MIT */
/*
** debug.c -- the debug library, except hooks (debug_hook.c)
**
** Many functions take a thread as an optional first argument.  They ask
** debug_thread() for it, which also tells by how much the other arguments
** are shifted.
*/

#include <stdio.h>
#include <string.h>

#include "lib.h"
#include "lualib.h"
#include "debug_impl.h"

lua_State *debug_thread(lua_State *L, int *shift) {
  *shift = lua_isthread(L, 1);
  return *shift ? lua_tothread(L, 1) : L;
}

void debug_check_stack(lua_State *L, lua_State *L1, int n) {
  if (luai_unlikely(L != L1 && !lua_checkstack(L1, n)))
    luaL_error(L, "stack overflow");
}

/* -- Values -------------------------------------------------------------- */

static int debug_getregistry(lua_State *L) {
  lua_pushvalue(L, LUA_REGISTRYINDEX);
  return 1;
}

static int debug_getmetatable(lua_State *L) {
  luaL_checkany(L, 1);
  if (!lua_getmetatable(L, 1)) lua_pushnil(L);
  return 1;
}

static int debug_setmetatable(lua_State *L) {
  const int t = lua_type(L, 2);
  luaL_argexpected(L, t == LUA_TNIL || t == LUA_TTABLE, 2, "nil or table");
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

static int debug_getuservalue(lua_State *L) {
  const int n = (int)luaL_optinteger(L, 2, 1);
  if (lua_type(L, 1) != LUA_TUSERDATA) {
    luaL_pushfail(L);
    return 1;
  }
  if (lua_getiuservalue(L, 1, n) == LUA_TNONE) return 1;
  lua_pushboolean(L, 1);
  return 2;
}

static int debug_setuservalue(lua_State *L) {
  const int n = (int)luaL_optinteger(L, 3, 1);
  luaL_checktype(L, 1, LUA_TUSERDATA);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  if (!lua_setiuservalue(L, 1, n)) luaL_pushfail(L);
  return 1;
}

/* -- Information about functions ----------------------------------------- */

static void info_set_string(lua_State *L, const char *key, const char *s) {
  lua_pushstring(L, s);
  lua_setfield(L, -2, key);
}

static void info_set_integer(lua_State *L, const char *key, int n) {
  lua_pushinteger(L, n);
  lua_setfield(L, -2, key);
}

static void info_set_boolean(lua_State *L, const char *key, int b) {
  lua_pushboolean(L, b);
  lua_setfield(L, -2, key);
}

static void info_set_source(lua_State *L, const lua_Debug *ar) {
  lua_pushlstring(L, ar->source, ar->srclen);
  lua_setfield(L, -2, "source");
  info_set_string(L, "short_src", ar->short_src);
  info_set_integer(L, "linedefined", ar->linedefined);
  info_set_integer(L, "lastlinedefined", ar->lastlinedefined);
  info_set_string(L, "what", ar->what);
}

/* Fills the table on top with the plain fields that the options select. */
static void info_set_fields(lua_State *L, const char *options,
                            const lua_Debug *ar) {
  if (strchr(options, 'S')) info_set_source(L, ar);
  if (strchr(options, 'l')) info_set_integer(L, "currentline", ar->currentline);
  if (strchr(options, 'u')) {
    info_set_integer(L, "nups", ar->nups);
    info_set_integer(L, "nparams", ar->nparams);
    info_set_boolean(L, "isvararg", ar->isvararg);
  }
  if (strchr(options, 'n')) {
    info_set_string(L, "name", ar->name);
    info_set_string(L, "namewhat", ar->namewhat);
  }
  if (strchr(options, 'r')) {
    info_set_integer(L, "ftransfer", ar->ftransfer);
    info_set_integer(L, "ntransfer", ar->ntransfer);
  }
  if (strchr(options, 't')) info_set_boolean(L, "istailcall", ar->istailcall);
}

/* Takes the value that lua_getinfo left on L1, below anything left later, and
** puts it into the table on top of L. */
static void info_take_value(lua_State *L, lua_State *L1, const char *key) {
  if (L == L1)
    lua_rotate(L, -2, 1); /* the value lies below the table */
  else
    lua_xmove(L1, L, 1);
  lua_setfield(L, -2, key);
}

static int debug_getinfo(lua_State *L) {
  lua_Debug ar;
  int shift;
  lua_State *L1 = debug_thread(L, &shift);
  const char *options = luaL_optstring(L, shift + 2, "flnSrtu");
  debug_check_stack(L, L1, 3);
  luaL_argcheck(L, options[0] != '>', shift + 2, "invalid option '>'");
  if (lua_isfunction(L, shift + 1)) {
    options = lua_pushfstring(L, ">%s", options);
    lua_pushvalue(L, shift + 1);
    debug_move(L, L1);
  } else if (!lua_getstack(L1, (int)luaL_checkinteger(L, shift + 1), &ar)) {
    luaL_pushfail(L);
    return 1;
  }
  if (!lua_getinfo(L1, options, &ar))
    return luaL_argerror(L, shift + 2, "invalid option");
  lua_newtable(L);
  info_set_fields(L, options, &ar);
  if (strchr(options, 'L')) info_take_value(L, L1, "activelines");
  if (strchr(options, 'f')) info_take_value(L, L1, "func");
  return 1;
}

static int debug_traceback(lua_State *L) {
  int shift;
  lua_State *L1 = debug_thread(L, &shift);
  const char *msg = lua_tostring(L, shift + 1);
  if (msg == NULL && !lua_isnoneornil(L, shift + 1)) {
    lua_pushvalue(L, shift + 1); /* not a message: leave it alone */
  } else {
    const int level = (int)luaL_optinteger(L, shift + 2, L == L1 ? 1 : 0);
    luaL_traceback(L, L1, msg, level);
  }
  return 1;
}

/* -- Variables ----------------------------------------------------------- */

static int debug_getlocal(lua_State *L) {
  lua_Debug ar;
  int shift;
  lua_State *L1 = debug_thread(L, &shift);
  const int n = (int)luaL_checkinteger(L, shift + 2);
  if (lua_isfunction(L, shift + 1)) {
    lua_pushvalue(L, shift + 1);
    lua_pushstring(L, lua_getlocal(L, NULL, n));
    return 1;
  }
  const int level = (int)luaL_checkinteger(L, shift + 1);
  if (luai_unlikely(!lua_getstack(L1, level, &ar)))
    return luaL_argerror(L, shift + 1, "level out of range");
  debug_check_stack(L, L1, 1);
  const char *name = lua_getlocal(L1, &ar, n);
  if (name == NULL) {
    luaL_pushfail(L);
    return 1;
  }
  debug_move(L1, L);
  lua_pushstring(L, name);
  lua_rotate(L, -2, 1);
  return 2;
}

static int debug_setlocal(lua_State *L) {
  lua_Debug ar;
  int shift;
  lua_State *L1 = debug_thread(L, &shift);
  const int level = (int)luaL_checkinteger(L, shift + 1);
  const int n = (int)luaL_checkinteger(L, shift + 2);
  if (luai_unlikely(!lua_getstack(L1, level, &ar)))
    return luaL_argerror(L, shift + 1, "level out of range");
  luaL_checkany(L, shift + 3);
  lua_settop(L, shift + 3);
  debug_check_stack(L, L1, 1);
  debug_move(L, L1);
  const char *name = lua_setlocal(L1, &ar, n);
  if (name == NULL) lua_pop(L1, 1);
  lua_pushstring(L, name);
  return 1;
}

static int debug_getupvalue(lua_State *L) {
  const int n = (int)luaL_checkinteger(L, 2);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  const char *name = lua_getupvalue(L, 1, n);
  if (name == NULL) return 0;
  lua_pushstring(L, name);
  lua_insert(L, -2);
  return 2;
}

static int debug_setupvalue(lua_State *L) {
  luaL_checkany(L, 3);
  const int n = (int)luaL_checkinteger(L, 2);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  const char *name = lua_setupvalue(L, 1, n);
  if (name == NULL) return 0;
  lua_pushstring(L, name);
  return 1;
}

/* The identity of upvalue number `arg` + 1 of the function at `arg`. */
static void *upvalue_id(lua_State *L, int arg, int *n) {
  *n = (int)luaL_checkinteger(L, arg + 1);
  luaL_checktype(L, arg, LUA_TFUNCTION);
  return lua_upvalueid(L, arg, *n);
}

static int debug_upvalueid(lua_State *L) {
  int n;
  void *id = upvalue_id(L, 1, &n);
  if (id != NULL)
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

static int debug_upvaluejoin(lua_State *L) {
  const int n1 = upvalue_check(L, 1);
  const int n2 = upvalue_check(L, 3);
  luaL_argcheck(L, !lua_iscfunction(L, 1), 1, "Lua function expected");
  luaL_argcheck(L, !lua_iscfunction(L, 3), 3, "Lua function expected");
  lua_upvaluejoin(L, 1, n1, 3, n2);
  return 0;
}

/* -- Odds and ends ------------------------------------------------------- */

static int debug_setcstacklimit(lua_State *L) {
  const int limit = (int)luaL_checkinteger(L, 1);
  lua_pushinteger(L, lua_setcstacklimit(L, (unsigned int)limit));
  return 1;
}

static int debug_debug(lua_State *L) {
  char line[250];
  for (;;) {
    lua_writestringerror("%s", "lua_debug> ");
    if (fgets(line, sizeof(line), stdin) == NULL || strcmp(line, "cont\n") == 0)
      return 0;
    if (luaL_loadbuffer(L, line, strlen(line), "=(debug command)") ||
        lua_pcall(L, 0, 0, 0))
      lua_writestringerror("%s\n", luaL_tolstring(L, -1, NULL));
    lua_settop(L, 0);
  }
}

static const luaL_Reg debug_functions[] = {
    {"debug", debug_debug},
    {"gethook", debug_gethook},
    {"getinfo", debug_getinfo},
    {"getlocal", debug_getlocal},
    {"getmetatable", debug_getmetatable},
    {"getregistry", debug_getregistry},
    {"getupvalue", debug_getupvalue},
    {"getuservalue", debug_getuservalue},
    {"setcstacklimit", debug_setcstacklimit},
    {"sethook", debug_sethook},
    {"setlocal", debug_setlocal},
    {"setmetatable", debug_setmetatable},
    {"setupvalue", debug_setupvalue},
    {"setuservalue", debug_setuservalue},
    {"traceback", debug_traceback},
    {"upvalueid", debug_upvalueid},
    {"upvaluejoin", debug_upvaluejoin},
    {NULL, NULL},
};

LUAMOD_API int luaopen_debug(lua_State *L) {
  luaL_newlib(L, debug_functions);
  return 1;
}
