/* SPDX-License-Identifier: MIT */
/*
** body.c -- the function that makes the calls, and its values
*/
#include "walk.h"

static int count_of(const Step *steps) {
  int n = 0;
  while (steps[n].name) n++;
  return n;
}

static const Step *choose_step(void) {
  static const Step *const groups[] = {stack_steps, access_steps, table_steps,
                                       table_steps, call_steps,   aux_steps};
  const Step *group = groups[walk_below(6)];
  return &group[walk_below((unsigned)count_of(group))];
}

/* Makes a random number of steps.  Returns the number of results it leaves. */
static int make_steps(Body *b) {
  int steps = 1 + (int)walk_below(12);
  while (steps-- > 0 && walk.budget > 0) {
    if (lua_gettop(b->L) > MAX_TOP)
      lua_settop(b->L, b->floor + (MAX_TOP - b->floor) / 2);
    luaL_checkstack(b->L, 20, "no room");
    const Step *step = choose_step();
    walk.budget--;
    trace("%s ", step->name);
    step->run(b);
    trace_stack(b->L);
  }
  int above = lua_gettop(b->L) - b->floor;
  return above > 0 ? (int)walk_below((unsigned)above + 1) : 0;
}

/* How an activation ends: results, an error, or a yield. */
static int end(Body *b, int results) {
  lua_State *L = b->L;
  walk.depth--;
  if (walk.budget > 0 && results > 0 && walk_once_in(12)) {
    trace("error\n");
    return lua_error(L);
  }
  if (walk.budget > 0 && lua_isyieldable(L) && walk_once_in(3)) {
    trace("yield %d\n", results);
    if (walk_once_in(2)) return lua_yield(L, results);
    return lua_yieldk(L, results, (lua_KContext)walk_below(9), body_continue);
  }
  trace("return %d\n", results);
  return results;
}

int body_run(lua_State *L) {
  Body b = {L, 0, 0};
  if (walk.depth >= MAX_DEPTH || walk.budget <= 0) {
    trace("body ends\n");
    lua_settop(L, 1);
    return 1;
  }
  walk.depth++;
  trace("body %d ", walk.depth);
  trace_stack(L);
  return end(&b, make_steps(&b));
}

int body_continue(lua_State *L, int status, lua_KContext context) {
  Body b = {L, lua_gettop(L), 0};
  trace("continue %d %d ", status, (int)context);
  trace_stack(L);
  if (walk.budget <= 0 || walk.depth >= MAX_DEPTH) return 0;
  walk.depth++;
  return end(&b, make_steps(&b));
}

/* -- Indices --------------------------------------------------------------- */

int any_index(Body *b) {
  int top = lua_gettop(b->L);
  if (top == 0 || walk_once_in(20)) return top + 1;
  int i = 1 + (int)walk_below((unsigned)top);
  return walk_once_in(2) ? i : i - top - 1;
}

int own_index(Body *b) {
  int above = lua_gettop(b->L) - b->floor;
  if (above <= 0) return 0;
  int i = 1 + (int)walk_below((unsigned)above);
  return walk_once_in(2) ? b->floor + i : -i;
}

int index_of_type(Body *b, int type) {
  int top = lua_gettop(b->L),
      first = top > 0 ? (int)walk_below((unsigned)top) : 0;
  for (int i = 0; i < top; i++) {
    int index = 1 + (first + i) % top;
    if (lua_type(b->L, index) == type) return index;
  }
  return 0;
}

/* -- Values ---------------------------------------------------------------- */

static int silent_finalizer(lua_State *L) {
  lua_settop(L, 5);
  lua_pushliteral(L, "finalizer");
  return 1;
}

/* A metamethod that traces its call, and sometimes continues the walk. */
static int metamethod(lua_State *L) {
  trace("metamethod %d\n", lua_gettop(L));
  if (walk_once_in(4)) return body_run(L);
  lua_settop(L, 2);
  if (walk_once_in(3)) lua_pushinteger(L, walk_integer());
  return 1;
}

void push_metatable(lua_State *L) {
  static const char *const events[] = {
      "__index", "__newindex", "__add", "__concat",   "__eq",   "__lt",
      "__call",  "__len",      "__unm", "__tostring", "__band", "__idiv"};
  lua_createtable(L, 0, 4);
  for (int i = 0; i < 4; i++) {
    const char *event = events[walk_below(12)];
    if (walk_once_in(6))
      push_table(L);
    else
      lua_pushcfunction(L, metamethod);
    if (strcmp(event, "__lt") == 0) {
      lua_pushvalue(L, -1);
      lua_setfield(L, -3, "__le");
    }
    lua_setfield(L, -2, event);
  }
  if (walk_once_in(6)) {
    lua_pushstring(L, walk_text());
    lua_setfield(L, -2, "__name");
  }
  if (walk_once_in(3)) {
    lua_pushcfunction(L, silent_finalizer);
    lua_setfield(L, -2, "__gc");
  }
}

void push_table(lua_State *L) {
  lua_createtable(L, (int)walk_below(4), (int)walk_below(4));
  for (int i = 1, n = (int)walk_below(5); i <= n; i++) {
    lua_pushinteger(L, i * 10);
    lua_rawseti(L, -2, i);
  }
  for (int n = (int)walk_below(4); n > 0; n--) {
    lua_pushstring(L, walk_text());
    lua_pushnumber(L, walk_number());
    lua_rawset(L, -3);
  }
}

void push_function(lua_State *L) {
  static const char *const names[] = {
      "body",  "twice", "guarded", "yields",   "tail",     "closes",
      "loops", "fails", "raises",  "wrapped",  "type",     "counter",
      "pcall", "error", "select",  "tostring", "rawequal", "setmetatable"};
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  lua_getfield(L, -1, names[walk_below(18)]);
  lua_remove(L, -2);
}

static void push_string(lua_State *L) {
  switch (walk_below(4)) {
    case 0: lua_pushlstring(L, "with\0zero", 9); break;
    case 1:
      lua_pushfstring(L, "%d %s %I %f %c %%%U", (int)walk_below(9), walk_text(),
                      (LUAI_UACINT)walk_integer(), walk_number(),
                      'a' + (int)walk_below(20), 0x20ACul);
      break;
    default: lua_pushstring(L, walk_text()); break;
  }
}

void push_any(lua_State *L) {
  static int here;
  switch (walk_below(14)) {
    case 0: lua_pushnil(L); break;
    case 1: lua_pushboolean(L, (int)walk_below(2)); break;
    case 2:
    case 3: lua_pushinteger(L, walk_integer()); break;
    case 4: lua_pushnumber(L, walk_number()); break;
    case 5:
    case 6: push_string(L); break;
    case 7: lua_pushlightuserdata(L, &here); break;
    case 8: push_function(L); break;
    case 9: push_table(L); break;
    case 10:
      push_table(L);
      push_metatable(L);
      lua_setmetatable(L, -2);
      break;
    case 11:
      memset(lua_newuserdatauv(L, walk_below(50) + 1, (int)walk_below(3)), 7,
             1);
      if (walk_once_in(2)) {
        push_metatable(L);
        lua_setmetatable(L, -2);
      }
      break;
    case 12: lua_pushthread(L); break;
    default:
      lua_pushinteger(L, walk_integer());
      lua_pushstring(L, walk_text());
      lua_pushcclosure(L, body_run, 2);
      break;
  }
}
