/* SPDX-License-Identifier: MIT */
/*
** base.c -- the basic functions: print, pairs, pcall and the like
**
** Loading chunks is in base_load.c, collectgarbage in base_gc.c.
*/

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib.h"
#include "lualib.h"
#include "base_impl.h"
#include "penumbra.h"

/* -- Output -------------------------------------------------------------- */

/* Strings are by far the most common, and need no copy on the stack. */
static void print_value(lua_State *L, int i) {
  size_t len;
  if (lua_type(L, i) == LUA_TSTRING) {
    const char *s = lua_tolstring(L, i, &len);
    lua_writestring(s, len);
    return;
  }
  const char *s = luaL_tolstring(L, i, &len);
  lua_writestring(s, len);
  lua_pop(L, 1);
}

static int base_print(lua_State *L) {
  const int n = lua_gettop(L);
  for (int i = 1; i <= n; i++) {
    if (i > 1) lua_writestring("\t", 1);
    print_value(L, i);
  }
  lua_writeline();
  return 0;
}

/* All arguments are checked before the first piece goes out. */
static int base_warn(lua_State *L) {
  const int n = lua_gettop(L);
  luaL_checkstring(L, 1);
  for (int i = 2; i <= n; i++) luaL_checkstring(L, i);
  for (int i = 1; i < n; i++) lua_warning(L, lua_tostring(L, i), 1);
  lua_warning(L, lua_tostring(L, n), 0);
  return 0;
}

/* -- Conversions --------------------------------------------------------- */

/* The value of a digit in bases up to 36, or 36 if it is none. */
static int digit_value(int c) {
  if (isdigit(c)) return c - '0';
  if (isalpha(c)) return toupper(c) - 'A' + 10;
  return 36;
}

#define BASE_BLANKS " \f\n\r\t\v"

/* Reads an integer in that base; NULL, or the first character after it and
** the blanks that follow. */
static const char *base_read_integer(const char *s, int base,
                                     lua_Integer *out) {
  lua_Unsigned n = 0;
  s += strspn(s, BASE_BLANKS);
  const bool minus = *s == '-';
  if (*s == '-' || *s == '+') s++;
  if (!isalnum((unsigned char)*s)) return NULL;
  do {
    const int digit = digit_value((unsigned char)*s);
    if (digit >= base) return NULL;
    n = n * (lua_Unsigned)base + (lua_Unsigned)digit;
    s++;
  } while (isalnum((unsigned char)*s));
  s += strspn(s, BASE_BLANKS);
  *out = (lua_Integer)(minus ? 0u - n : n);
  return s;
}

static int tonumber_in_base(lua_State *L) {
  size_t len;
  lua_Integer n;
  const lua_Integer base = luaL_checkinteger(L, 2);
  luaL_checktype(L, 1, LUA_TSTRING);
  const char *s = lua_tolstring(L, 1, &len);
  luaL_argcheck(L, 2 <= base && base <= 36, 2, "base out of range");
  if (base_read_integer(s, (int)base, &n) == s + len)
    lua_pushinteger(L, n);
  else
    luaL_pushfail(L);
  return 1;
}

static int base_tonumber(lua_State *L) {
  if (!lua_isnoneornil(L, 2)) return tonumber_in_base(L);
  if (lua_type(L, 1) == LUA_TNUMBER) {
    lua_settop(L, 1);
    return 1;
  }
  size_t len;
  const char *s = lua_tolstring(L, 1, &len);
  if (s != NULL && lua_stringtonumber(L, s) == len + 1) return 1;
  luaL_checkany(L, 1);
  luaL_pushfail(L);
  return 1;
}

static int base_tostring(lua_State *L) {
  luaL_checkany(L, 1);
  luaL_tolstring(L, 1, NULL);
  return 1;
}

static int base_type(lua_State *L) {
  const int t = lua_type(L, 1);
  luaL_argcheck(L, t != LUA_TNONE, 1, "value expected");
  lua_pushstring(L, lua_typename(L, t));
  return 1;
}

/* -- Errors -------------------------------------------------------------- */

static int base_error(lua_State *L) {
  const int level = (int)luaL_optinteger(L, 2, 1);
  lua_settop(L, 1);
  if (lua_type(L, 1) == LUA_TSTRING && level > 0) {
    luaL_where(L, level);
    lua_insert(L, 1);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int base_assert(lua_State *L) {
  if (luai_likely(lua_toboolean(L, 1))) return lua_gettop(L);
  luaL_checkany(L, 1);
  lua_remove(L, 1);
  lua_pushliteral(L, "assertion failed!");
  lua_settop(L, 1); /* the message given, or this one */
  return base_error(L);
}

/* Gathers the results of a protected call; `extra` values below them are not
** results. Also the continuation, when the called function yields. */
static int base_finish_pcall(lua_State *L, int status, lua_KContext extra) {
  if (luai_likely(status == LUA_OK || status == LUA_YIELD))
    return lua_gettop(L) - (int)extra;
  lua_pushboolean(L, 0);
  lua_pushvalue(L, -2);
  return 2;
}

static int base_pcall(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  const int status =
      lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, base_finish_pcall);
  return base_finish_pcall(L, status, 0);
}

/* Stack during the call: function, handler, true, function, arguments. */
static int base_xpcall(lua_State *L) {
  const int nargs = lua_gettop(L) - 2;
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_pushboolean(L, 1);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2);
  const int status = lua_pcallk(L, nargs, LUA_MULTRET, 2, 2, base_finish_pcall);
  return base_finish_pcall(L, status, 2);
}

/* -- Tables -------------------------------------------------------------- */

static int base_getmetatable(lua_State *L) {
  luaL_checkany(L, 1);
  if (!lua_getmetatable(L, 1))
    lua_pushnil(L);
  else
    luaL_getmetafield(L, 1, "__metatable");
  return 1;
}

static int base_setmetatable(lua_State *L) {
  const int t = lua_type(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, t == LUA_TNIL || t == LUA_TTABLE, 2, "nil or table");
  if (luai_unlikely(luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL))
    return luaL_error(L, "cannot change a protected metatable");
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

static int base_rawequal(lua_State *L) {
  luaL_checkany(L, 1);
  luaL_checkany(L, 2);
  lua_pushboolean(L, lua_rawequal(L, 1, 2));
  return 1;
}

static int base_rawlen(lua_State *L) {
  const int t = lua_type(L, 1);
  luaL_argexpected(L, t == LUA_TTABLE || t == LUA_TSTRING, 1,
                   "table or string");
  lua_pushinteger(L, (lua_Integer)lua_rawlen(L, 1));
  return 1;
}

static int base_rawget(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  lua_rawget(L, 1);
  return 1;
}

static int base_rawset(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  luaL_checkany(L, 3);
  lua_settop(L, 3);
  lua_rawset(L, 1);
  return 1;
}

/* -- Iteration ----------------------------------------------------------- */

static int base_next(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  if (lua_next(L, 1)) return 2;
  lua_pushnil(L);
  return 1;
}

static int base_finish_pairs(lua_State *L, int status, lua_KContext ctx) {
  (void)L;
  (void)status;
  (void)ctx;
  return 3;
}

static int base_pairs(lua_State *L) {
  luaL_checkany(L, 1);
  if (luaL_getmetafield(L, 1, "__pairs") == LUA_TNIL) {
    lua_pushcfunction(L, base_next);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
  } else {
    lua_pushvalue(L, 1);
    lua_callk(L, 1, 3, 0, base_finish_pairs);
  }
  return 3;
}

static int ipairs_step(lua_State *L) {
  lua_Integer i = luaL_checkinteger(L, 2);
  i = luaL_intop(+, i, 1);
  lua_pushinteger(L, i);
  return lua_geti(L, 1, i) == LUA_TNIL ? 1 : 2;
}

static int base_ipairs(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushcfunction(L, ipairs_step);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

static int base_select(lua_State *L) {
  const int n = lua_gettop(L);
  if (lua_type(L, 1) == LUA_TSTRING && *lua_tostring(L, 1) == '#') {
    lua_pushinteger(L, n - 1);
    return 1;
  }
  lua_Integer i = luaL_checkinteger(L, 1);
  if (i < 0)
    i = n + i;
  else if (i > n)
    i = n;
  luaL_argcheck(L, 1 <= i, 1, "index out of range");
  return n - (int)i;
}

/* -- Opening ------------------------------------------------------------- */

static const luaL_Reg base_functions[] = {
    {"assert", base_assert},
    {"collectgarbage", base_collectgarbage},
    {"dofile", base_dofile},
    {"error", base_error},
    {"getmetatable", base_getmetatable},
    {"ipairs", base_ipairs},
    {"load", base_load},
    {"loadfile", base_loadfile},
    {"next", base_next},
    {"pairs", base_pairs},
    {"pcall", base_pcall},
    {"print", base_print},
    {"rawequal", base_rawequal},
    {"rawget", base_rawget},
    {"rawlen", base_rawlen},
    {"rawset", base_rawset},
    {"select", base_select},
    {"setmetatable", base_setmetatable},
    {"tonumber", base_tonumber},
    {"tostring", base_tostring},
    {"type", base_type},
    {"warn", base_warn},
    {"xpcall", base_xpcall},
    {NULL, NULL},
};

/* What the machine need not call. */
static void base_tell(lua_State *L) {
  penumbra_iterators(L, base_next, ipairs_step);
  penumbra_builtin(L, PENUMBRA_ASSERT, base_assert);
  penumbra_builtin(L, PENUMBRA_GETMETATABLE, base_getmetatable);
  penumbra_builtin(L, PENUMBRA_RAWEQUAL, base_rawequal);
  penumbra_builtin(L, PENUMBRA_RAWGET, base_rawget);
  penumbra_builtin(L, PENUMBRA_RAWLEN, base_rawlen);
  penumbra_builtin(L, PENUMBRA_RAWSET, base_rawset);
  penumbra_builtin(L, PENUMBRA_SELECT, base_select);
  penumbra_builtin(L, PENUMBRA_SETMETATABLE, base_setmetatable);
  penumbra_builtin(L, PENUMBRA_TONUMBER, base_tonumber);
  penumbra_builtin(L, PENUMBRA_TOSTRING, base_tostring);
  penumbra_builtin(L, PENUMBRA_TYPE, base_type);
}

LUAMOD_API int luaopen_base(lua_State *L) {
  base_tell(L);
  lua_pushglobaltable(L);
  luaL_setfuncs(L, base_functions, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, LUA_GNAME);
  lua_pushliteral(L, LUA_VERSION);
  lua_setfield(L, -2, "_VERSION");
  return 1;
}
