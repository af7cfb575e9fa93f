/* SPDX-License-Identifier: MIT */
/*
** gclib_census.c -- the library `penumbra.gc`: what the heap consists of
**
** No Lua code may run while the collector counts.  So the lines are kept in
** memory of the C library until they become a table.
*/

#include <stdlib.h>
#include <string.h>

#include "gclib_impl.h"
#include "lualib.h"

typedef struct CensusLine {
  char name[128];
  int by;
  lua_Unsigned count;
  lua_Unsigned bytes;
} CensusLine;

typedef struct CensusList {
  CensusLine *line;
  size_t count;
  size_t capacity;
  int finished;
  int failed;
} CensusList;

static const char gclib_census_key = 'c';

static void census_add(void *ud, int by, const char *name, lua_Unsigned count,
                       lua_Unsigned bytes) {
  CensusList *list = ud;
  if (list->count == list->capacity) {
    const size_t capacity = list->capacity ? 2 * list->capacity : 64;
    CensusLine *line = realloc(list->line, capacity * sizeof *line);
    if (!line) {
      list->failed = 1;
      return;
    }
    list->line = line;
    list->capacity = capacity;
  }
  CensusLine *line = &list->line[list->count++];
  memset(line, 0, sizeof *line);
  strncpy(line->name, name, sizeof line->name - 1);
  line->by = by;
  line->count = count;
  line->bytes = bytes;
}

static void census_done(void *ud, int ok) {
  CensusList *list = ud;
  list->finished = 1;
  if (!ok) list->failed = 1;
}

static void census_push_line(lua_State *L, const CensusLine *line) {
  if (lua_getfield(L, -1, line->name) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, line->name);
  }
  const char *const fields[] = {"count", "bytes"};
  const lua_Unsigned more[] = {line->count, line->bytes};
  for (int i = 0; i < 2; i++) {
    lua_getfield(L, -1, fields[i]);
    lua_pushinteger(L, lua_tointeger(L, -1) + (lua_Integer)more[i]);
    lua_setfield(L, -3, fields[i]);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* {types = {table = {count =, bytes =}, ...}, sizes = ..., names = ...} */
static void census_push(lua_State *L, const CensusList *list) {
  static const char *const fields[] = {"types", "sizes", "names"};
  lua_createtable(L, 0, 3);
  for (int by = 0; by < 3; by++) {
    lua_newtable(L);
    for (size_t i = 0; i < list->count; i++)
      if (list->line[i].by == by) census_push_line(L, &list->line[i]);
    lua_setfield(L, -2, fields[by]);
  }
}

static int census_free(lua_State *L) {
  CensusList *list = lua_touserdata(L, 1);
  free(list->line);
  list->line = NULL;
  list->count = list->capacity = 0;
  return 0;
}

/* Pushes a userdata that holds a list; the list is freed with it. */
static CensusList *census_new(lua_State *L) {
  CensusList *list = lua_newuserdatauv(L, sizeof *list, 0);
  memset(list, 0, sizeof *list);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, census_free);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return list;
}

static int census_result(lua_State *L, const CensusList *list) {
  if (!list->failed) {
    census_push(L, list);
    return 1;
  }
  luaL_pushfail(L);
  lua_pushliteral(L, "not enough memory");
  return 2;
}

static int census_steps(lua_State *L) {
  CensusList *list = census_new(L);
  gclib_reserve(L,
                &gclib_census_key); /* so that it can be kept, if it begins */
  if (!penumbra_begincensus(L, census_add, census_done, list)) {
    luaL_pushfail(L);
    lua_pushliteral(L, "somebody is looking at the heap already");
    return 2;
  }
  lua_rawsetp(L, LUA_REGISTRYINDEX, &gclib_census_key);
  lua_pushboolean(L, 1);
  return 1;
}

static int census_last(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &gclib_census_key);
  const CensusList *list = lua_touserdata(L, -1);
  if (!list) return luaL_error(L, "no census was begun");
  if (list->finished) return census_result(L, list);
  lua_pushboolean(L, 0);
  return 1;
}

/* gc.census() counts at once; gc.census("steps") begins to count in steps, and
** gc.census("result") is false until that is finished. */
int gclib_census(lua_State *L) {
  static const char *const modes[] = {"whole", "steps", "result", NULL};
  const int mode = luaL_checkoption(L, 1, "whole", modes);
  if (mode == 1) return census_steps(L);
  if (mode == 2) return census_last(L);
  CensusList *list = census_new(L);
  if (!penumbra_census(L, census_add, list)) list->failed = 1;
  return census_result(L, list);
}

/* -- Differences --------------------------------------------------------- */

/* The number t.names[name][field] of the census at idx. */
static lua_Integer census_number(lua_State *L, int idx, const char *name,
                                 const char *field) {
  lua_Integer n = 0;
  const int top = lua_gettop(L);
  if (lua_getfield(L, idx, "names") == LUA_TTABLE &&
      lua_getfield(L, -1, name) == LUA_TTABLE) {
    lua_getfield(L, -1, field);
    n = lua_tointeger(L, -1);
  }
  lua_settop(L, top);
  return n;
}

/* How much more the second census has.  A table that a program made may have
** any numbers, so it wraps around. */
static lua_Integer diff_number(lua_State *L, const char *name,
                               const char *field) {
  const lua_Unsigned before = (lua_Unsigned)census_number(L, 1, name, field);
  return (lua_Integer)((lua_Unsigned)census_number(L, 2, name, field) - before);
}

/* Appends {name =, count =, bytes =} to the list at 3 if there is a
** difference. */
static void diff_add(lua_State *L, const char *name) {
  const lua_Integer count = diff_number(L, name, "count");
  const lua_Integer bytes = diff_number(L, name, "bytes");
  if (count == 0 && bytes == 0) return;
  lua_createtable(L, 0, 3);
  lua_pushstring(L, name);
  lua_setfield(L, -2, "name");
  gclib_set(L, "count", (lua_Unsigned)count);
  gclib_set(L, "bytes", (lua_Unsigned)bytes);
  lua_rawseti(L, 3, (lua_Integer)lua_rawlen(L, 3) + 1);
}

static int diff_less(lua_State *L) {
  lua_getfield(L, 1, "bytes");
  lua_getfield(L, 2, "bytes");
  lua_pushboolean(L, lua_compare(L, -1, -2, LUA_OPLT));
  return 1;
}

/* The names of the census at idx; with `only_new`, those that are not in the
** first census. */
static void diff_names(lua_State *L, int idx, int only_new) {
  lua_getfield(L, idx, "names");
  luaL_argcheck(L, lua_istable(L, -1), idx, "census expected");
  const int names = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, names); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    const char *name = lua_tostring(L, -2);
    if (only_new && census_number(L, 1, name, "count") != 0) continue;
    diff_add(L, name);
  }
  lua_pop(L, 1);
}

/* gc.diff(a, b): what b has more of, sorted by bytes, the most first. */
int gclib_diff(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  lua_newtable(L);
  diff_names(L, 1, 0);
  diff_names(L, 2, 1);
  luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 0);
  lua_getfield(L, -1, "sort");
  lua_pushvalue(L, 3);
  lua_pushcfunction(L, diff_less);
  lua_call(L, 2, 0);
  lua_settop(L, 3);
  return 1;
}
