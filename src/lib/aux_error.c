/* SPDX-License-Identifier: MIT */
/*
** aux_error.c -- raising errors, and checking the arguments of C functions
**
** Programs read these messages and tests compare them, so their wording is
** part of the interface.
*/

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"
#include "system.h"
#include "values.h"

/* -- Errors -------------------------------------------------------------- */

LUALIB_API void luaL_where(lua_State *L, int lvl) {
  lua_Debug ar;
  ar.currentline = -1;
  if (lua_getstack(L, lvl, &ar)) lua_getinfo(L, "Sl", &ar);
  if (ar.currentline <= 0)
    lua_pushliteral(L, "");
  else
    lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
}

LUALIB_API int luaL_error(lua_State *L, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  luaL_where(L, 1);
  lua_pushvfstring(L, fmt, args);
  va_end(args);
  lua_concat(L, 2);
  return lua_error(L);
}

/* Pushes the name of an argument of the running function for a message.  The
** object of a method is not counted. */
static const char *error_push_argument(lua_State *L, int arg) {
  lua_Debug ar;
  if (!lua_getstack(L, 0, &ar))
    return lua_pushfstring(L, "bad argument #%d", arg);
  lua_getinfo(L, "n", &ar);
  const int number = arg - (strcmp(ar.namewhat, "method") == 0);
  if (number == 0)
    return lua_pushfstring(L, "calling '%s' on bad self", ar.name);
  if (!ar.name)
    ar.name = aux_push_global_name(L, L, &ar) ? lua_tostring(L, -1) : "?";
  return lua_pushfstring(L, "bad argument #%d to '%s'", number, ar.name);
}

LUALIB_API int luaL_argerror(lua_State *L, int arg, const char *extramsg) {
  return luaL_error(L, "%s (%s)", error_push_argument(L, arg), extramsg);
}

/* The type of an argument, by the name in its metatable if there is one. */
static const char *error_type_name(lua_State *L, int arg) {
  if (luaL_getmetafield(L, arg, "__name") == LUA_TSTRING)
    return lua_tostring(L, -1);
  if (lua_type(L, arg) == LUA_TLIGHTUSERDATA) return "light userdata";
  return luaL_typename(L, arg);
}

LUALIB_API int luaL_typeerror(lua_State *L, int arg, const char *tname) {
  const char *got = error_type_name(L, arg);
  return luaL_argerror(L, arg,
                       lua_pushfstring(L, "%s expected, got %s", tname, got));
}

/* -- Results of the C library -------------------------------------------- */

LUALIB_API int luaL_fileresult(lua_State *L, int stat, const char *fname) {
  const int code = errno; /* before any call can change it */
  if (stat) return values_push(L, "b", 1);
  const char *why = code != 0 ? strerror(code) : "(no extra info)";
  const int pushed = values_push(L, "-si", why, code);
  if (fname) {
    lua_pushfstring(L, "%s: %s", fname, why);
    lua_replace(L, -pushed);
  }
  return pushed;
}

LUALIB_API int luaL_execresult(lua_State *L, int stat) {
  if (system_status_is_failure(stat)) return luaL_fileresult(L, 0, NULL);
  const char *kind = system_status_kind(&stat);
  const bool success = stat == 0 && strcmp(kind, "exit") == 0;
  return success ? values_push(L, "bsi", true, kind, stat)
                 : values_push(L, "-si", kind, stat);
}

/* -- Arguments ----------------------------------------------------------- */

static int error_expected(lua_State *L, int arg, int type) {
  return luaL_typeerror(L, arg, lua_typename(L, type));
}

LUALIB_API void luaL_checktype(lua_State *L, int arg, int t) {
  if (luai_unlikely(lua_type(L, arg) != t)) error_expected(L, arg, t);
}

LUALIB_API void luaL_checkany(lua_State *L, int arg) {
  if (luai_unlikely(lua_type(L, arg) == LUA_TNONE))
    luaL_argerror(L, arg, "value expected");
}

LUALIB_API const char *luaL_checklstring(lua_State *L, int arg, size_t *l) {
  const char *s = lua_tolstring(L, arg, l);
  if (luai_unlikely(!s)) error_expected(L, arg, LUA_TSTRING);
  return s;
}

LUALIB_API const char *luaL_optlstring(lua_State *L, int arg, const char *def,
                                       size_t *l) {
  if (!lua_isnoneornil(L, arg)) return luaL_checklstring(L, arg, l);
  if (l) *l = def ? strlen(def) : 0;
  return def;
}

LUALIB_API lua_Number luaL_checknumber(lua_State *L, int arg) {
  int ok;
  const lua_Number n = lua_tonumberx(L, arg, &ok);
  return luai_likely(ok) ? n : error_expected(L, arg, LUA_TNUMBER);
}

LUALIB_API lua_Number luaL_optnumber(lua_State *L, int arg, lua_Number def) {
  return luaL_opt(L, luaL_checknumber, arg, def);
}

LUALIB_API lua_Integer luaL_checkinteger(lua_State *L, int arg) {
  int ok;
  const lua_Integer n = lua_tointegerx(L, arg, &ok);
  if (luai_likely(ok)) return n;
  return lua_isnumber(L, arg)
             ? luaL_argerror(L, arg, "number has no integer representation")
             : error_expected(L, arg, LUA_TNUMBER);
}

LUALIB_API lua_Integer luaL_optinteger(lua_State *L, int arg, lua_Integer def) {
  return luaL_opt(L, luaL_checkinteger, arg, def);
}

LUALIB_API int luaL_checkoption(lua_State *L, int arg, const char *def,
                                const char *const lst[]) {
  const char *const *option = lst;
  const char *given = lua_isnoneornil(L, arg) ? def : NULL;
  if (!given) given = luaL_checkstring(L, arg);
  while (*option && strcmp(*option, given) != 0) option++;
  if (*option) return (int)(option - lst);
  lua_pushfstring(L, "invalid option '%s'", given);
  return luaL_argerror(L, arg, lua_tostring(L, -1));
}

LUALIB_API void luaL_checkstack(lua_State *L, int sz, const char *msg) {
  if (luai_likely(lua_checkstack(L, sz))) return;
  luaL_error(L, msg ? "stack overflow (%s)" : "stack overflow", msg);
}
