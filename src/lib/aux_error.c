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

#if defined(LUA_USE_POSIX)
#include <sys/wait.h>
#endif

/* -- Errors -------------------------------------------------------------- */

LUALIB_API void luaL_where(lua_State *L, int lvl) {
  lua_Debug ar;
  if (lua_getstack(L, lvl, &ar)) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline > 0) {
      lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
      return;
    }
  }
  lua_pushliteral(L, "");
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

/* How the running function is called in messages. */
static const char *error_function_name(lua_State *L, lua_Debug *ar) {
  if (ar->name != NULL) return ar->name;
  if (aux_push_global_name(L, L, ar)) return lua_tostring(L, -1);
  return "?";
}

LUALIB_API int luaL_argerror(lua_State *L, int arg, const char *extramsg) {
  lua_Debug ar;
  if (!lua_getstack(L, 0, &ar))
    return luaL_error(L, "bad argument #%d (%s)", arg, extramsg);
  lua_getinfo(L, "n", &ar);
  if (strcmp(ar.namewhat, "method") == 0 && --arg == 0)
    return luaL_error(L, "calling '%s' on bad self (%s)", ar.name, extramsg);
  return luaL_error(L, "bad argument #%d to '%s' (%s)", arg,
                    error_function_name(L, &ar), extramsg);
}

/* The type of an argument, as its metatable calls it. */
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
  if (stat) {
    lua_pushboolean(L, 1);
    return 1;
  }
  const char *why = code != 0 ? strerror(code) : "(no extra info)";
  luaL_pushfail(L);
  if (fname != NULL)
    lua_pushfstring(L, "%s: %s", fname, why);
  else
    lua_pushstring(L, why);
  lua_pushinteger(L, code);
  return 3;
}

/* Splits what system() or pclose() said into a code and its kind. */
static const char *error_exit_kind(int *stat) {
#if defined(LUA_USE_POSIX)
  if (WIFSIGNALED(*stat)) {
    *stat = WTERMSIG(*stat);
    return "signal";
  }
  if (WIFEXITED(*stat)) *stat = WEXITSTATUS(*stat);
#else
  (void)stat;
#endif
  return "exit";
}

LUALIB_API int luaL_execresult(lua_State *L, int stat) {
  if (stat != 0 && errno != 0) return luaL_fileresult(L, 0, NULL);
  const char *kind = error_exit_kind(&stat);
  if (*kind == 'e' && stat == 0)
    lua_pushboolean(L, 1);
  else
    luaL_pushfail(L);
  lua_pushstring(L, kind);
  lua_pushinteger(L, stat);
  return 3;
}

/* -- Arguments ----------------------------------------------------------- */

static void error_expected(lua_State *L, int arg, int type) {
  luaL_typeerror(L, arg, lua_typename(L, type));
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
  if (luai_unlikely(s == NULL)) error_expected(L, arg, LUA_TSTRING);
  return s;
}

LUALIB_API const char *luaL_optlstring(lua_State *L, int arg, const char *def,
                                       size_t *l) {
  if (!lua_isnoneornil(L, arg)) return luaL_checklstring(L, arg, l);
  if (l != NULL) *l = def != NULL ? strlen(def) : 0;
  return def;
}

LUALIB_API lua_Number luaL_checknumber(lua_State *L, int arg) {
  int ok;
  lua_Number n = lua_tonumberx(L, arg, &ok);
  if (luai_unlikely(!ok)) error_expected(L, arg, LUA_TNUMBER);
  return n;
}

LUALIB_API lua_Number luaL_optnumber(lua_State *L, int arg, lua_Number def) {
  return luaL_opt(L, luaL_checknumber, arg, def);
}

static void error_no_integer(lua_State *L, int arg) {
  if (lua_isnumber(L, arg))
    luaL_argerror(L, arg, "number has no integer representation");
  error_expected(L, arg, LUA_TNUMBER);
}

LUALIB_API lua_Integer luaL_checkinteger(lua_State *L, int arg) {
  int ok;
  lua_Integer n = lua_tointegerx(L, arg, &ok);
  if (luai_unlikely(!ok)) error_no_integer(L, arg);
  return n;
}

LUALIB_API lua_Integer luaL_optinteger(lua_State *L, int arg, lua_Integer def) {
  return luaL_opt(L, luaL_checkinteger, arg, def);
}

LUALIB_API int luaL_checkoption(lua_State *L, int arg, const char *def,
                                const char *const lst[]) {
  const char *name =
      def != NULL ? luaL_optstring(L, arg, def) : luaL_checkstring(L, arg);
  for (int i = 0; lst[i] != NULL; i++)
    if (strcmp(lst[i], name) == 0) return i;
  return luaL_argerror(L, arg, lua_pushfstring(L, "invalid option '%s'", name));
}

LUALIB_API void luaL_checkstack(lua_State *L, int sz, const char *msg) {
  if (luai_likely(lua_checkstack(L, sz))) return;
  if (msg != NULL) luaL_error(L, "stack overflow (%s)", msg);
  luaL_error(L, "stack overflow");
}
