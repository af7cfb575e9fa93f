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

#include <string.h>

#include "lib.h"

enum { TRACE_HEAD = 10, TRACE_TAIL = 11 };

/* -- Names of functions -------------------------------------------------- */

/* Pushes the first string key under which the table on top holds the value at
** `target`.  If there is none: false, and pushes nothing. */
static bool trace_push_key(lua_State *L, int target) {
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    const bool found =
        lua_type(L, -2) == LUA_TSTRING && lua_rawequal(L, -1, target);
    lua_pop(L, 1);
    if (found) return true;
  }
  return false;
}

/* A module's name and value are on top.  Replaces the value by the name that
** the module has for the value at `target`, if there is one. */
static bool trace_name_in_module(lua_State *L, int target) {
  if (lua_type(L, -2) != LUA_TSTRING) return false;
  if (lua_rawequal(L, -1, target)) {
    lua_pushvalue(L, -2);
  } else {
    if (!lua_istable(L, -1) || !trace_push_key(L, target)) return false;
    const char *module = lua_tostring(L, -3);
    if (strcmp(module, LUA_GNAME) != 0)
      lua_pushfstring(L, "%s.%s", module, lua_tostring(L, -1));
  }
  return true;
}

/* Pushes the function of `ar`, which lives in L1, onto L. */
static bool trace_push_function(lua_State *L, lua_State *L1, lua_Debug *ar) {
  if (L != L1 && !lua_checkstack(L1, 1)) return false;
  lua_getinfo(L1, "f", ar);
  if (L != L1) lua_xmove(L1, L, 1);
  return true;
}

bool aux_push_global_name(lua_State *L, lua_State *L1, lua_Debug *ar) {
  luaL_checkstack(L, 8, "not enough stack");
  if (!trace_push_function(L, L1, ar)) return false;
  const int target = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  bool found = false;
  if (lua_istable(L, -1)) {
    lua_pushnil(L);
    while (!found && lua_next(L, target + 1)) {
      found = trace_name_in_module(L, target);
      if (!found) lua_pop(L, 1);
    }
  }
  if (found) lua_replace(L, target);
  lua_settop(L, found ? target : target - 1);
  return found;
}

static void trace_push_name(lua_State *L, lua_State *L1, lua_Debug *ar) {
  if (aux_push_global_name(L, L1, ar)) {
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

static void trace_add_level(luaL_Buffer *b, lua_State *L1, lua_Debug *ar) {
  lua_State *L = b->L;
  lua_getinfo(L1, "Slnt", ar);
  if (ar->currentline <= 0)
    lua_pushfstring(L, "\n\t%s: in ", ar->short_src);
  else
    lua_pushfstring(L, "\n\t%s:%d: in ", ar->short_src, ar->currentline);
  luaL_addvalue(b);
  trace_push_name(L, L1, ar);
  luaL_addvalue(b);
  if (ar->istailcall) luaL_addstring(b, "\n\t(...tail calls...)");
}

LUALIB_API void luaL_traceback(lua_State *L, lua_State *L1, const char *msg,
                               int level) {
  luaL_Buffer b;
  lua_Debug ar;
  const int last = trace_last_level(L1);
  const bool is_long = last - level > TRACE_HEAD + TRACE_TAIL;
  const int gap = is_long ? level + TRACE_HEAD : -1;
  luaL_buffinit(L, &b);
  if (msg != NULL) {
    luaL_addstring(&b, msg);
    luaL_addchar(&b, '\n');
  }
  luaL_addstring(&b, "stack traceback:");
  for (; lua_getstack(L1, level, &ar); level++) {
    if (level == gap) {
      const int skipped = last - level - TRACE_TAIL + 1;
      /* Like lua5.4, does not count the first of them. */
      lua_pushfstring(L, "\n\t...\t(skipping %d levels)", skipped - 1);
      luaL_addvalue(&b);
      level += skipped - 1;
    } else {
      trace_add_level(&b, L1, &ar);
    }
  }
  luaL_pushresult(&b);
}
