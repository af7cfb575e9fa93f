/* SPDX-License-Identifier: MIT */
/*
** steps_aux.c -- the auxiliary library
*/
#include "walk.h"

/* The index of an argument, mostly a present one. */
static int argument(Body *b) {
  int top = lua_gettop(b->L);
  return 1 + (int)walk_below((unsigned)top + 1);
}

static void step_tolstring(Body *b) {
  int i = any_index(b);
  if (!lua_isnone(b->L, i)) luaL_tolstring(b->L, i, NULL);
}
static void step_check(Body *b) {
  lua_State *L = b->L;
  int i = argument(b);
  switch (walk_below(6)) {
    case 0: trace("%lld ", (long long)luaL_checkinteger(L, i)); break;
    case 1: trace("%.17g ", luaL_checknumber(L, i)); break;
    case 2:
      if (lua_type(L, i) != LUA_TNUMBER || i > b->floor)
        trace("%d ", (int)strlen(luaL_checkstring(L, i)) < 8);
      break;
    case 3: luaL_checktype(L, i, (int)walk_below(9)); break;
    case 4: luaL_checkany(L, i); break;
    default: luaL_checkudata(L, i, "walk.type"); break;
  }
}
static void step_opt(Body *b) {
  int i = argument(b);
  lua_Integer k = luaL_optinteger(b->L, i, 42);
  trace("%lld ", (long long)k);
}
static void step_checkoption(Body *b) {
  static const char *const options[] = {"a", "b", "x", NULL};
  int i = argument(b);
  if (i <= b->floor) return;
  int k = luaL_checkoption(b->L, i, "b", options);
  trace("%d ", k);
}
static void step_raise(Body *b) {
  if (!walk_once_in(5)) return;
  walk.depth--;
  switch (walk_below(3)) {
    case 0: luaL_error(b->L, "%s %d", walk_text(), (int)walk_below(9)); break;
    case 1: luaL_argerror(b->L, argument(b), "extra"); break;
    default: luaL_typeerror(b->L, argument(b), "something"); break;
  }
}
static void step_where(Body *b) { luaL_where(b->L, (int)walk_below(3)); }
static void step_getmetafield(Body *b) {
  int i = any_index(b);
  if (lua_isnone(b->L, i)) return;
  trace("%d ", luaL_getmetafield(b->L, i, "__index"));
}
static void step_callmeta(Body *b) {
  int i = any_index(b);
  if (lua_isnone(b->L, i)) return;
  int called = luaL_callmeta(b->L, i, "__len");
  trace("%d ", called);
}
static void step_newmetatable(Body *b) {
  trace("%d ", luaL_newmetatable(b->L, "walk.type"));
}
static void step_typed(Body *b) {
  lua_newuserdatauv(b->L, 8, 1);
  luaL_newmetatable(b->L, "walk.type");
  lua_pop(b->L, 1);
  luaL_setmetatable(b->L, "walk.type");
  trace("%d ", luaL_testudata(b->L, -1, "walk.type") != NULL);
}
static void step_ref(Body *b) {
  int slot = (int)walk_below(4);
  if (walk.refs[slot]) luaL_unref(b->L, LUA_REGISTRYINDEX, walk.refs[slot]);
  push_any(b->L);
  walk.refs[slot] = luaL_ref(b->L, LUA_REGISTRYINDEX);
}
static void step_deref(Body *b) {
  int slot = (int)walk_below(4);
  if (walk.refs[slot] > 0)
    trace("%d ", lua_rawgeti(b->L, LUA_REGISTRYINDEX, walk.refs[slot]));
}
static void step_gsub(Body *b) {
  const char *pattern = walk_text();
  luaL_gsub(b->L, "a hello a world", *pattern ? pattern : "a", walk_text());
}
static void step_getsubtable(Body *b) {
  int t = index_of_type(b, LUA_TTABLE);
  if (!t) return;
  int was = luaL_getsubtable(b->L, t, walk_text());
  trace("%d ", was);
}
static int library_function(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, lua_upvalueindex(2));
  return 2;
}

static int open_library(lua_State *L) {
  static const luaL_Reg functions[] = {{"f", library_function},
                                       {"body", body_run},
                                       {"hole", NULL},
                                       {NULL, NULL}};
  luaL_checkversion(L);
  luaL_newlibtable(L, functions);
  push_any(L);
  push_any(L);
  luaL_setfuncs(L, functions, 2);
  return 1;
}
/* Does not keep the library: a function stored there would have a second
** name. */
static void step_library(Body *b) {
  luaL_requiref(b->L, walk_once_in(2) ? "one" : "two", open_library,
                (int)walk_below(2));
  if (lua_getfield(b->L, -1, "f") == LUA_TFUNCTION) lua_call(b->L, 0, 1);
  lua_remove(b->L, -2);
}
static void step_files(Body *b) {
  int status = luaL_loadfilex(b->L, "no such file", NULL);
  trace("%d %d ", status, luaL_fileresult(b->L, 1, NULL));
}
static void step_auxlen(Body *b) {
  int i = any_index(b);
  if (lua_isnone(b->L, i)) return;
  if (lua_type(b->L, i) == LUA_TTABLE) {
    if (luaL_getmetafield(b->L, i, "__len") == LUA_TNIL) return;
    lua_pop(b->L, 1);
  }
  lua_Integer n = luaL_len(b->L, i);
  trace("%lld ", (long long)n);
}
static void step_dostring(Body *b) {
  int depth = walk.depth, status = luaL_dostring(b->L, "return body(1, 2)");
  walk.depth = depth;
  trace("%d ", status);
}

/* A buffer grows beyond its initial room.  Its slot on the stack is
** reserved. */
static void step_buffer(Body *b) {
  luaL_Buffer buffer;
  static char block[3000];
  luaL_buffinit(b->L, &buffer);
  for (int n = (int)walk_below(8); n > 0; n--) {
    switch (walk_below(5)) {
      case 0: luaL_addchar(&buffer, 'c'); break;
      case 1: luaL_addstring(&buffer, walk_text()); break;
      case 2:
        memset(block, 'z', sizeof block);
        luaL_addlstring(&buffer, block, walk_below(sizeof block));
        break;
      case 3:
        lua_pushinteger(b->L, walk_integer());
        luaL_addvalue(&buffer);
        break;
      default: {
        size_t room = walk_below(2000);
        memset(luaL_prepbuffsize(&buffer, room), 'p', room);
        luaL_addsize(&buffer, room);
        if (room > 3 && walk_once_in(2)) luaL_buffsub(&buffer, 3);
        break;
      }
    }
  }
  trace("%d ", (int)luaL_bufflen(&buffer));
  luaL_pushresult(&buffer);
  lua_pushinteger(b->L, (lua_Integer)lua_rawlen(b->L, -1));
  if (lua_rawlen(b->L, -2) > 60) lua_remove(b->L, -2);
}

const Step aux_steps[] = {{"tolstring", step_tolstring},
                          {"check", step_check},
                          {"opt", step_opt},
                          {"checkoption", step_checkoption},
                          {"raise", step_raise},
                          {"where", step_where},
                          {"getmetafield", step_getmetafield},
                          {"callmeta", step_callmeta},
                          {"newmetatable", step_newmetatable},
                          {"typed", step_typed},
                          {"ref", step_ref},
                          {"deref", step_deref},
                          {"gsub", step_gsub},
                          {"getsubtable", step_getsubtable},
                          {"dostring", step_dostring},
                          {"library", step_library},
                          {"files", step_files},
                          {"len", step_auxlen},
                          {"buffer", step_buffer},
                          {NULL, NULL}};
