/* SPDX-License-Identifier: MIT */
/*
** table.c -- the table library, except sort (table_sort.c)
*/

#include <limits.h>
#include <string.h>

#include "lib.h"
#include "lualib.h"
#include "penumbra.h"
#include "table_impl.h"

/* True if the metatable at `meta` has the field. */
static bool table_has(lua_State *L, int meta, const char *field) {
  lua_pushstring(L, field);
  const bool has = lua_rawget(L, meta) != LUA_TNIL;
  lua_pop(L, 1);
  return has;
}

/* True if something that is no table can be used like one. */
static bool table_imitates(lua_State *L, int arg, int uses) {
  if (!lua_getmetatable(L, arg)) return false;
  const int meta = lua_gettop(L);
  const bool ok = (!(uses & TABLE_READ) || table_has(L, meta, "__index")) &&
                  (!(uses & TABLE_WRITE) || table_has(L, meta, "__newindex")) &&
                  (!(uses & TABLE_LENGTH) || table_has(L, meta, "__len"));
  lua_pop(L, 1);
  return ok;
}

static void table_check_arg(lua_State *L, int arg, int uses) {
  if (luai_unlikely(lua_type(L, arg) != LUA_TTABLE) &&
      !table_imitates(L, arg, uses))
    luaL_checktype(L, arg, LUA_TTABLE);
}

lua_Integer table_check_length(lua_State *L, int arg, int uses) {
  if (luai_likely(lua_type(L, arg) == LUA_TTABLE)) {
    if (!lua_getmetatable(L, arg)) return (lua_Integer)lua_rawlen(L, arg);
    lua_pop(L, 1);
  } else {
    table_check_arg(L, arg, uses | TABLE_LENGTH);
  }
  return luaL_len(L, arg);
}

/* -- Shifting ------------------------------------------------------------ */

/* Copies n elements from the table at index 1 to the one at `to`, from the
** first on. */
static void copy_up(lua_State *L, int to, lua_Integer from, lua_Integer n,
                    lua_Integer dest) {
  for (lua_Integer i = 0; i < n; i++) {
    lib_step(L, (size_t)i);
    lua_geti(L, 1, from + i);
    lua_seti(L, to, dest + i);
  }
}

/* The same from the last on, for a place further up in the same table. */
static void copy_down(lua_State *L, int to, lua_Integer from, lua_Integer n,
                      lua_Integer dest) {
  for (lua_Integer i = n - 1; i >= 0; i--) {
    lib_step(L, (size_t)i);
    lua_geti(L, 1, from + i);
    lua_seti(L, to, dest + i);
  }
}

/* -- One element --------------------------------------------------------- */

static int table_insert(lua_State *L) {
  const lua_Integer len = table_check_length(L, 1, TABLE_READ | TABLE_WRITE);
  const lua_Integer end = luaL_intop(+, len, 1);
  switch (lua_gettop(L)) {
    case 2: lua_seti(L, 1, end); return 0;
    case 3: {
      const lua_Integer pos = luaL_checkinteger(L, 2);
      luaL_argcheck(L, (lua_Unsigned)pos - 1u < (lua_Unsigned)end, 2,
                    "position out of bounds");
      copy_down(L, 1, pos, end - pos, pos + 1);
      lua_seti(L, 1, pos);
      return 0;
    }
    default: return luaL_error(L, "wrong number of arguments to 'insert'");
  }
}

static int table_remove(lua_State *L) {
  const lua_Integer len = table_check_length(L, 1, TABLE_READ | TABLE_WRITE);
  lua_Integer pos = luaL_optinteger(L, 2, len);
  if (pos != len)
    luaL_argcheck(L, (lua_Unsigned)pos - 1u <= (lua_Unsigned)len, 2,
                  "position out of bounds");
  lua_geti(L, 1, pos);
  if (pos < len) {
    copy_up(L, 1, pos + 1, len - pos, pos);
    pos = len;
  }
  lua_pushnil(L);
  lua_seti(L, 1, pos);
  return 1;
}

/* -- Many elements ------------------------------------------------------- */

static int table_move(lua_State *L) {
  const lua_Integer from = luaL_checkinteger(L, 2);
  const lua_Integer last = luaL_checkinteger(L, 3);
  const lua_Integer dest = luaL_checkinteger(L, 4);
  const int to = !lua_isnoneornil(L, 5) ? 5 : 1;
  table_check_arg(L, 1, TABLE_READ);
  table_check_arg(L, to, TABLE_WRITE);
  if (last >= from) {
    luaL_argcheck(L, from > 0 || last < LUA_MAXINTEGER + from, 3,
                  "too many elements to move");
    const lua_Integer n = last - from + 1;
    luaL_argcheck(L, dest <= LUA_MAXINTEGER - n + 1, 4,
                  "destination wrap around");
    if (from < dest && dest <= last &&
        (to == 1 || lua_compare(L, 1, to, LUA_OPEQ)))
      copy_down(L, to, from, n, dest);
    else
      copy_up(L, to, from, n, dest);
  }
  lua_pushvalue(L, to);
  return 1;
}

static void concat_add(lua_State *L, luaL_Buffer *b, lua_Integer i) {
  lib_step(L, (size_t)i);
  lua_geti(L, 1, i);
  if (luai_unlikely(!lua_isstring(L, -1)))
    luaL_error(L, "invalid value (%s) at index %I in table for 'concat'",
               luaL_typename(L, -1), (LUAI_UACINT)i);
  luaL_addvalue(b);
}

static int table_concat(lua_State *L) {
  luaL_Buffer b;
  size_t sep_len;
  const lua_Integer len = table_check_length(L, 1, TABLE_READ);
  const char *sep = luaL_optlstring(L, 2, "", &sep_len);
  lua_Integer i = luaL_optinteger(L, 3, 1);
  const lua_Integer last = luaL_optinteger(L, 4, len);
  luaL_buffinit(L, &b);
  for (; i < last; i++) {
    concat_add(L, &b, i);
    luaL_addlstring(&b, sep, sep_len);
  }
  if (i == last) /* i < last would overflow at the maximum */
    concat_add(L, &b, i);
  luaL_pushresult(&b);
  return 1;
}

static int table_pack(lua_State *L) {
  const int n = lua_gettop(L);
  lua_createtable(L, n, 1);
  lua_insert(L, 1);
  for (int i = n; i >= 1; i--) {
    lib_step(L, (size_t)i);
    lua_rawseti(L, 1, i);
  }
  lua_pushinteger(L, n);
  lua_setfield(L, 1, "n");
  return 1;
}

/* Works on anything that can be indexed, and so checks nothing. */
static int table_unpack(lua_State *L) {
  lua_Integer i = luaL_optinteger(L, 2, 1);
  const lua_Integer last = luaL_opt(L, luaL_checkinteger, 3, luaL_len(L, 1));
  if (i > last) return 0;
  const lua_Unsigned n = (lua_Unsigned)last - (lua_Unsigned)i;
  if (luai_unlikely(n >= (unsigned int)INT_MAX ||
                    !lua_checkstack(L, (int)n + 1)))
    return luaL_error(L, "too many results to unpack");
  for (; i < last; i++) {
    lib_step(L, (size_t)i);
    lua_geti(L, 1, i);
  }
  lua_geti(L, 1, last);
  return (int)n + 1;
}

static const luaL_Reg table_functions[] = {
    {"concat", table_concat}, {"insert", table_insert},
    {"move", table_move},     {"pack", table_pack},
    {"remove", table_remove}, {"sort", table_sort},
    {"unpack", table_unpack}, {NULL, NULL},
};

LUAMOD_API int luaopen_table(lua_State *L) {
  luaL_newlib(L, table_functions);
  penumbra_builtin(L, PENUMBRA_TABLE_CONCAT, table_concat);
  penumbra_builtin(L, PENUMBRA_TABLE_INSERT, table_insert);
  penumbra_builtin(L, PENUMBRA_TABLE_REMOVE, table_remove);
  return 1;
}
