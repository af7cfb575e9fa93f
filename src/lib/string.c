/* SPDX-License-Identifier: MIT */
/*
** string.c -- the string library: its plain functions, and its opening
*/

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "lib.h"
#include "lualib.h"
#include "penumbra.h"
#include "string_impl.h"

static int string_len(lua_State *L) {
  size_t len;
  luaL_checklstring(L, 1, &len);
  lua_pushinteger(L, (lua_Integer)len);
  return 1;
}

static int string_sub(lua_State *L) {
  size_t len;
  const char *s = luaL_checklstring(L, 1, &len);
  const size_t from = lib_start_pos(luaL_checkinteger(L, 2), len);
  const size_t to = lib_end_pos(luaL_optinteger(L, 3, -1), len);
  if (from <= to)
    lua_pushlstring(L, s + from - 1, to - from + 1);
  else
    lua_pushliteral(L, "");
  return 1;
}

static int string_byte(lua_State *L) {
  size_t len;
  const char *s = luaL_checklstring(L, 1, &len);
  const lua_Integer i = luaL_optinteger(L, 2, 1);
  const size_t from = lib_start_pos(i, len);
  const size_t to = lib_end_pos(luaL_optinteger(L, 3, i), len);
  if (from > to) return 0;
  if (luai_unlikely(to - from >= (size_t)INT_MAX))
    return luaL_error(L, "string slice too long");
  const int n = (int)(to - from) + 1;
  if (n > LUA_MINSTACK / 2) luaL_checkstack(L, n, "string slice too long");
  for (int k = 0; k < n; k++) {
    lib_step(L, (size_t)k);
    lua_pushinteger(L, (unsigned char)s[from + (size_t)k - 1]);
  }
  return n;
}

static int string_char(lua_State *L) {
  luaL_Buffer b;
  const int n = lua_gettop(L);
  char *p = luaL_buffinitsize(L, &b, (size_t)n);
  for (int i = 1; i <= n; i++) {
    const lua_Unsigned c = (lua_Unsigned)luaL_checkinteger(L, i);
    luaL_argcheck(L, c <= (lua_Unsigned)UCHAR_MAX, i, "value out of range");
    p[i - 1] = (char)(unsigned char)c;
  }
  luaL_pushresultsize(&b, (size_t)n);
  return 1;
}

static int string_reverse(lua_State *L) {
  size_t len;
  luaL_Buffer b;
  const char *s = luaL_checklstring(L, 1, &len);
  char *p = luaL_buffinitsize(L, &b, len);
  for (size_t i = 0; i < len; i++) {
    lib_step(L, i);
    p[i] = s[len - i - 1];
  }
  luaL_pushresultsize(&b, len);
  return 1;
}

static int string_lower(lua_State *L) {
  size_t len;
  luaL_Buffer b;
  const char *s = luaL_checklstring(L, 1, &len);
  char *p = luaL_buffinitsize(L, &b, len);
  for (size_t i = 0; i < len; i++) {
    lib_step(L, i);
    p[i] = (char)tolower((unsigned char)s[i]);
  }
  luaL_pushresultsize(&b, len);
  return 1;
}

static int string_upper(lua_State *L) {
  size_t len;
  luaL_Buffer b;
  const char *s = luaL_checklstring(L, 1, &len);
  char *p = luaL_buffinitsize(L, &b, len);
  for (size_t i = 0; i < len; i++) {
    lib_step(L, i);
    p[i] = (char)toupper((unsigned char)s[i]);
  }
  luaL_pushresultsize(&b, len);
  return 1;
}

/* -- Repetition ---------------------------------------------------------- */

/* Fills `total` bytes whose first `unit` are there already: each copy doubles
** what is done. */
static void rep_fill(lua_State *L, char *p, size_t unit, size_t total) {
  size_t done = unit;
  while (done < total) {
    const size_t n = done <= total - done ? done : total - done;
    lib_copy(L, p + done, p, n);
    done += n;
  }
}

/* Longer results are taken for mistakes. */
#define REP_MAX ((lua_Unsigned)INT_MAX)

static int string_rep(lua_State *L) {
  size_t len, sep_len;
  const char *s = luaL_checklstring(L, 1, &len);
  const lua_Integer n = luaL_checkinteger(L, 2);
  const char *sep = luaL_optlstring(L, 3, "", &sep_len);
  const size_t unit = len + sep_len;
  if (n <= 0 || unit == 0) {
    lua_pushliteral(L, "");
    return 1;
  }
  if (luai_unlikely(unit < len || unit > REP_MAX / (lua_Unsigned)n))
    return luaL_error(L, "resulting string too large");
  const size_t total = (size_t)n * unit - sep_len;
  luaL_Buffer b;
  char *p = luaL_buffinitsize(L, &b, total);
  memcpy(p, s, len);
  if (n > 1) {
    memcpy(p + len, sep, sep_len);
    rep_fill(L, p, unit, total);
  }
  luaL_pushresultsize(&b, total);
  return 1;
}

/* -- Binary chunks ------------------------------------------------------- */

/* The buffer takes its stack slot at the first piece only: until then the
** function to dump must stay on top. */
typedef struct DumpTarget {
  bool started;
  luaL_Buffer buffer;
} DumpTarget;

static int dump_write(lua_State *L, const void *p, size_t size, void *ud) {
  DumpTarget *target = ud;
  if (!target->started) {
    target->started = true;
    luaL_buffinit(L, &target->buffer);
  }
  luaL_addlstring(&target->buffer, p, size);
  return 0;
}

static int string_dump(lua_State *L) {
  DumpTarget target;
  const int strip = lua_toboolean(L, 2);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  target.started = false;
  if (luai_unlikely(lua_dump(L, dump_write, &target, strip) != 0))
    return luaL_error(L, "unable to dump given function");
  luaL_pushresult(&target.buffer);
  return 1;
}

/* -- Opening ------------------------------------------------------------- */

static const luaL_Reg string_functions[] = {
    {"byte", string_byte},     {"char", string_char},
    {"dump", string_dump},     {"find", string_find},
    {"format", string_format}, {"gmatch", string_gmatch},
    {"gsub", string_gsub},     {"len", string_len},
    {"lower", string_lower},   {"match", string_match},
    {"pack", string_pack},     {"packsize", string_packsize},
    {"rep", string_rep},       {"reverse", string_reverse},
    {"sub", string_sub},       {"unpack", string_unpack},
    {"upper", string_upper},   {NULL, NULL},
};

/* All strings share one metatable; its __index is the library. */
static void string_set_metatable(lua_State *L) {
  lua_createtable(L, 0, 9);
  string_open_arith(L);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "__index");
  lua_pushliteral(L, "");
  lua_pushvalue(L, -2);
  lua_setmetatable(L, -2);
  lua_pop(L, 2);
}

LUAMOD_API int luaopen_string(lua_State *L) {
  luaL_newlib(L, string_functions);
  penumbra_builtin(L, PENUMBRA_STRING_BYTE, string_byte);
  penumbra_builtin(L, PENUMBRA_STRING_CHAR, string_char);
  penumbra_builtin(L, PENUMBRA_STRING_FIND, string_find);
  penumbra_builtin(L, PENUMBRA_STRING_LEN, string_len);
  penumbra_builtin(L, PENUMBRA_STRING_LOWER, string_lower);
  penumbra_builtin(L, PENUMBRA_STRING_REP, string_rep);
  penumbra_builtin(L, PENUMBRA_STRING_REVERSE, string_reverse);
  penumbra_builtin(L, PENUMBRA_STRING_SUB, string_sub);
  penumbra_builtin(L, PENUMBRA_STRING_UPPER, string_upper);
  string_set_metatable(L);
  return 1;
}
