/* SPDX-License-Identifier: MIT */
/*
** aux_traceback.c -- the call stack as text
**
** A long stack is shown by its two ends:
**
**      level, level+1, ...            10 lines
**      ...  (skipping n levels)
**      ..., last-1, last              11 lines
*/

#include <stdint.h>
#include <string.h>

#include "lib.h"

enum { TRACE_HEAD = 10, TRACE_TAIL = 11 };
enum { FIELD_UNITS = 10 }; /* of a budget, to look at a field of a module */

/* -- Names of functions -------------------------------------------------- */

/* A function of the standard libraries is looked up under its declared name.  A
** walk through all loaded modules finds the names of all others of a listing;
** the first name counts, in the order of lua_next. */
typedef struct Names {
  int table;     /* index of a table: function -> its name, or true */
  int missing;   /* functions that have no name so far */
  uint64_t bits; /* of the functions in the table: see trace_bit */
  size_t seen;   /* fields of modules */
} Names;

/* A bit for the address of the function on top.  Most other functions have
** another bit, and need not be looked up. */
static uint64_t trace_bit(lua_State *L) {
  const uint64_t address = (uint64_t)(uintptr_t)lua_topointer(L, -1);
  return (uint64_t)1 << (address * 0x9e3779b97f4a7c15u >> 58);
}

static Names trace_begin_names(lua_State *L, int expected) {
  lua_createtable(L, 0, expected);
  const Names names = {lua_gettop(L), 0, 0, 0};
  return names;
}

/* Pushes the function of `ar`, which lives in L1, onto L. */
static bool trace_push_function(lua_State *L, lua_State *L1, lua_Debug *ar) {
  if (L != L1 && !lua_checkstack(L1, 1)) return false;
  lua_getinfo(L1, "f", ar);
  if (L != L1) lua_xmove(L1, L, 1);
  return true;
}

/* Pushes what the table has for the function on top. */
static int trace_push_known(lua_State *L, const Names *names) {
  lua_pushvalue(L, -1);
  return lua_rawget(L, names->table);
}

/* Asks for the name of the function of `ar`. */
static void trace_want(lua_State *L, lua_State *L1, lua_Debug *ar,
                       Names *names) {
  if (!trace_push_function(L, L1, ar)) return;
  names->bits |= trace_bit(L);
  const bool is_new = trace_push_known(L, names) == LUA_TNIL;
  lua_pop(L, 1);
  if (is_new) {
    lua_pushvalue(L, -1);
    if (!lib_push_declared_name(L)) {
      names->missing++;
      lua_pushboolean(L, 1);
    }
    lua_rawset(L, names->table);
  }
  lua_pop(L, 1);
}

/* A key and a function are on top.  Stores the key as the function's name, if
** that is missing; `module` is the index of the module's name, or 0. */
static void trace_found(lua_State *L, Names *names, int module) {
  const bool is_missing = trace_push_known(L, names) == LUA_TBOOLEAN;
  lua_pop(L, 1);
  if (!is_missing) return;
  names->missing--;
  lua_pushvalue(L, -1);
  if (module == 0 || strcmp(lua_tostring(L, module), LUA_GNAME) == 0)
    lua_pushvalue(L, -3);
  else
    lua_pushfstring(L, "%s.%s", lua_tostring(L, module), lua_tostring(L, -3));
  lua_rawset(L, names->table);
}

/* A key and its value are on top. */
static void trace_look_at(lua_State *L, Names *names, int module) {
  names->seen++;
  if (lua_type(L, -1) == LUA_TFUNCTION && lua_type(L, -2) == LUA_TSTRING &&
      trace_bit(L) & names->bits)
    trace_found(L, names, module);
}

/* The name of a module and its value, a table, are on top. */
static void trace_look_into(lua_State *L, Names *names) {
  const int module = lua_gettop(L) - 1;
  if (lua_type(L, module) != LUA_TSTRING) return;
  lua_pushnil(L);
  while (names->missing > 0 && lua_next(L, module + 1)) {
    trace_look_at(L, names, module);
    lua_pop(L, 1);
  }
  lua_settop(L, module + 1);
}

static void trace_find_names(lua_State *L, Names *names) {
  const int top = lua_gettop(L);
  if (lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE) == LUA_TTABLE) {
    lua_pushnil(L);
    while (names->missing > 0 && lua_next(L, top + 1)) {
      trace_look_at(L, names, 0);
      if (lua_istable(L, -1)) trace_look_into(L, names);
      lua_pop(L, 1);
    }
  }
  lua_settop(L, top);
  penumbra_spend(L, names->seen * FIELD_UNITS);
}

/* Pushes the name of the function of `ar`, if it is known. */
static bool trace_push_found(lua_State *L, lua_State *L1, lua_Debug *ar,
                             const Names *names) {
  if (!trace_push_function(L, L1, ar)) return false;
  const bool found = trace_push_known(L, names) == LUA_TSTRING;
  lua_remove(L, -2);
  if (!found) lua_pop(L, 1);
  return found;
}

bool aux_push_global_name(lua_State *L, lua_State *L1, lua_Debug *ar) {
  luaL_checkstack(L, 12, "not enough stack");
  Names names = trace_begin_names(L, 1);
  trace_want(L, L1, ar, &names);
  trace_find_names(L, &names);
  const bool found = trace_push_found(L, L1, ar, &names);
  lua_remove(L, names.table);
  return found;
}

static void trace_push_name(lua_State *L, lua_State *L1, lua_Debug *ar,
                            const Names *names) {
  if (trace_push_found(L, L1, ar, names)) {
    lua_pushfstring(L, "function '%s'", lua_tostring(L, -1));
    lua_remove(L, -2);
  } else if (*ar->namewhat != '\0') {
    lua_pushfstring(L, "%s '%s'", ar->namewhat, ar->name);
  } else if (*ar->what == 'm') {
    lua_pushliteral(L, "main chunk");
  } else if (*ar->what != 'C') {
    lua_pushfstring(L, "function <%s:%d>", ar->short_src, ar->linedefined);
  } else {
    lua_pushliteral(L, "?");
  }
}

/* -- The listing --------------------------------------------------------- */

/* The number of the outermost level, or -1 if there is none.  Levels can only
** be tried, so this doubles the level and then does a binary search. */
static int trace_last_level(lua_State *L) {
  lua_Debug ar;
  int inside = -1, outside = 0;
  while (lua_getstack(L, outside, &ar)) {
    inside = outside;
    outside = 2 * outside + 1;
  }
  while (outside - inside > 1) {
    const int middle = inside + (outside - inside) / 2;
    if (lua_getstack(L, middle, &ar))
      inside = middle;
    else
      outside = middle;
  }
  return inside;
}

static void trace_add_level(luaL_Buffer *b, lua_State *L1, lua_Debug *ar,
                            const Names *names) {
  lua_State *L = b->L;
  lua_getinfo(L1, "Slnt", ar);
  if (ar->currentline <= 0)
    lua_pushfstring(L, "\n\t%s: in ", ar->short_src);
  else
    lua_pushfstring(L, "\n\t%s:%d: in ", ar->short_src, ar->currentline);
  luaL_addvalue(b);
  trace_push_name(L, L1, ar, names);
  luaL_addvalue(b);
  if (ar->istailcall) luaL_addstring(b, "\n\t(...tail calls...)");
}

/* The levels that are shown, from the first on. */
typedef struct TraceLevels {
  int level; /* the next one */
  int last;  /* the outermost one */
  int gap;   /* the first that is left out, or -1 */
} TraceLevels;

/* A level that does not exist stands for none: the list is empty. */
static TraceLevels trace_levels_from(lua_State *L1, int level) {
  const int last = trace_last_level(L1);
  if (level < 0 || level > last) level = last + 1;
  TraceLevels shown = {level, last, -1};
  if (shown.last - level > TRACE_HEAD + TRACE_TAIL)
    shown.gap = level + TRACE_HEAD;
  return shown;
}

/* Steps to the next level to show, and returns the number of those that it
** skips.  `ar` receives the level. */
static bool trace_step(lua_State *L1, TraceLevels *shown, lua_Debug *ar,
                       int *skipped) {
  *skipped = 0;
  if (shown->level == shown->gap) {
    *skipped = shown->last - shown->level - TRACE_TAIL + 1;
    shown->level += *skipped;
  }
  return lua_getstack(L1, shown->level++, ar);
}

/* Finds the names of all functions that are shown.  Pushes their table. */
static Names trace_push_names(lua_State *L, lua_State *L1, TraceLevels shown) {
  lua_Debug ar;
  int skipped;
  Names names = trace_begin_names(L, TRACE_HEAD);
  while (trace_step(L1, &shown, &ar, &skipped)) trace_want(L, L1, &ar, &names);
  trace_find_names(L, &names);
  return names;
}

LUALIB_API void luaL_traceback(lua_State *L, lua_State *L1, const char *msg,
                               int level) {
  luaL_Buffer b;
  lua_Debug ar;
  int skipped;
  TraceLevels shown = trace_levels_from(L1, level);
  luaL_checkstack(L, 16, "not enough stack");
  const Names names = trace_push_names(L, L1, shown);
  luaL_buffinit(L, &b);
  if (msg) {
    luaL_addstring(&b, msg);
    luaL_addchar(&b, '\n');
  }
  luaL_addstring(&b, "stack traceback:");
  while (trace_step(L1, &shown, &ar, &skipped)) {
    if (skipped > 0) {
      /* Like lua5.4, does not count the first of them. */
      lua_pushfstring(L, "\n\t...\t(skipping %d levels)", skipped - 1);
      luaL_addvalue(&b);
    }
    trace_add_level(&b, L1, &ar, &names);
  }
  luaL_pushresult(&b);
  lua_remove(L, names.table);
}
