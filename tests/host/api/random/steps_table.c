/* SPDX-License-Identifier: MIT */
/*
** steps_table.c -- tables, metatables, userdata, globals
*/
#include "walk.h"

/* The index of a table, which is pushed if there is none. */
static int some_table(Body *b) {
  int i = index_of_type(b, LUA_TTABLE);
  if (i) return i;
  push_table(b->L);
  return lua_gettop(b->L);
}

/* The index of a value to index.  One in eight may not be indexable. */
static int some_indexed(Body *b) {
  int i = walk_once_in(8) ? any_index(b) : some_table(b);
  return lua_isnone(b->L, i) ? some_table(b) : lua_absindex(b->L, i);
}

static void push_key(lua_State *L) {
  if (walk_once_in(2))
    lua_pushstring(L, walk_text());
  else if (walk_once_in(8))
    push_any(L);
  else
    lua_pushinteger(L, walk_integer());
}

/* Pushes a key that is valid for rawset: neither nil nor NaN. */
static void push_valid_key(lua_State *L) {
  push_key(L);
  if (lua_isnil(L, -1) ||
      (lua_type(L, -1) == LUA_TNUMBER && !lua_rawequal(L, -1, -1))) {
    lua_pop(L, 1);
    lua_pushinteger(L, 1);
  }
}

static void step_gettable(Body *b) {
  int t = some_indexed(b);
  push_key(b->L);
  int type = lua_gettable(b->L, t);
  trace("%d ", type);
}
static void step_getfield(Body *b) {
  int type = lua_getfield(b->L, some_indexed(b), walk_text());
  trace("%d ", type);
}
static void step_geti(Body *b) {
  int type = lua_geti(b->L, some_indexed(b), walk_integer());
  trace("%d ", type);
}
static void step_rawget(Body *b) {
  int t = some_table(b);
  push_key(b->L);
  trace("%d ", lua_rawget(b->L, t));
}
static void step_rawgeti(Body *b) {
  trace("%d ", lua_rawgeti(b->L, some_table(b), walk_integer()));
}
static void step_rawgetp(Body *b) {
  trace("%d ", lua_rawgetp(b->L, some_table(b), &walk));
}
static void step_settable(Body *b) {
  int t = some_indexed(b);
  push_key(b->L);
  push_any(b->L);
  lua_settable(b->L, t);
}
static void step_setfield(Body *b) {
  int t = some_indexed(b);
  push_any(b->L);
  lua_setfield(b->L, t, walk_text());
}
static void step_seti(Body *b) {
  int t = some_indexed(b);
  push_any(b->L);
  lua_seti(b->L, t, walk_integer());
}
static void step_rawset(Body *b) {
  int t = some_table(b);
  push_valid_key(b->L);
  push_any(b->L);
  lua_rawset(b->L, t);
}
static void step_rawseti(Body *b) {
  int t = some_table(b);
  push_any(b->L);
  lua_rawseti(b->L, t, walk_integer());
}
static void step_rawsetp(Body *b) {
  int t = some_table(b);
  push_any(b->L);
  lua_rawsetp(b->L, t, &walk);
}
static void step_createtable(Body *b) {
  lua_createtable(b->L, (int)walk_below(100), (int)walk_below(100));
}

/* The order is undefined, so the trace has only a sum over the entries. */
static void step_next(Body *b) {
  lua_State *L = b->L;
  int t = some_table(b), count = 0;
  unsigned long sum = 0;
  lua_pushnil(L);
  while (lua_next(L, t)) {
    count++;
    sum += (unsigned long)lua_type(L, -1) * 7 + (unsigned long)lua_type(L, -2);
    if (lua_type(L, -2) == LUA_TSTRING) sum += lua_rawlen(L, -2) * 31;
    lua_pop(L, 1);
  }
  trace("%d %lu ", count, sum);
}
static void step_setmetatable(Body *b) {
  int t = walk_once_in(3) ? index_of_type(b, LUA_TUSERDATA) : some_table(b);
  if (!t) return;
  if (walk_once_in(4))
    lua_pushnil(b->L);
  else
    push_metatable(b->L);
  lua_setmetatable(b->L, t);
}
static void step_getmetatable(Body *b) {
  int i = any_index(b);
  if (!lua_isnone(b->L, i)) trace("%d ", lua_getmetatable(b->L, i));
}
static void step_setiuservalue(Body *b) {
  int u = index_of_type(b, LUA_TUSERDATA);
  if (!u) return;
  push_any(b->L);
  trace("%d ", lua_setiuservalue(b->L, u, (int)walk_below(4)));
}
static void step_getiuservalue(Body *b) {
  int u = index_of_type(b, LUA_TUSERDATA);
  if (u) trace("%d ", lua_getiuservalue(b->L, u, (int)walk_below(4)));
}
/* Stores no function: messages name a function by the first global that holds
** it. */
static void step_setglobal(Body *b) {
  push_any(b->L);
  if (lua_isfunction(b->L, -1)) {
    lua_pop(b->L, 1);
    lua_pushboolean(b->L, 1);
  }
  lua_setglobal(b->L, walk_once_in(2) ? "g1" : "g2");
}
static void step_getglobal(Body *b) {
  trace("%d ", lua_getglobal(b->L, walk_once_in(2) ? "g1" : "none"));
}

const Step table_steps[] = {{"gettable", step_gettable},
                            {"getfield", step_getfield},
                            {"geti", step_geti},
                            {"rawget", step_rawget},
                            {"rawgeti", step_rawgeti},
                            {"rawgetp", step_rawgetp},
                            {"settable", step_settable},
                            {"setfield", step_setfield},
                            {"seti", step_seti},
                            {"rawset", step_rawset},
                            {"rawseti", step_rawseti},
                            {"rawsetp", step_rawsetp},
                            {"createtable", step_createtable},
                            {"next", step_next},
                            {"setmetatable", step_setmetatable},
                            {"getmetatable", step_getmetatable},
                            {"setiuservalue", step_setiuservalue},
                            {"getiuservalue", step_getiuservalue},
                            {"setglobal", step_setglobal},
                            {"getglobal", step_getglobal},
                            {NULL, NULL}};
