/* SPDX-License-Identifier: MIT */
/*
** stacks.c -- C functions with very many values on their stacks
**
** The collector visits their slots in pieces while the function continues.
*/
#include "own.h"

/* In units of the collector's work; see tests/collector/pause/bound.lua. */
enum { UNIT_MAX = 3100 };

static penumbra_Stats stats_of(lua_State *L) {
  penumbra_Stats stats = {.size = sizeof stats};
  penumbra_getstats(L, &stats);
  return stats;
}

static void push_numbered(lua_State *L, int number) {
  lua_createtable(L, 1, 0);
  lua_pushinteger(L, number);
  lua_rawseti(L, -2, 1);
}

static void check_numbered(lua_State *L, int index, int number) {
  CHECK(lua_type(L, index) == LUA_TTABLE);
  lua_rawgeti(L, index, 1);
  CHECK(lua_tointeger(L, -1) == number);
  lua_pop(L, 1);
}

/* -- Pieces ---------------------------------------------------------------- */

enum { MANY = 300000 };

/* Makes garbage until `count` cycles are over. */
static void make_cycles(lua_State *L, int count) {
  lua_Unsigned goal = stats_of(L).cycles + (lua_Unsigned)count;
  while (stats_of(L).cycles < goal) {
    lua_createtable(L, 4, 4);
    lua_pop(L, 1);
  }
}

static int many_values(lua_State *L) {
  int i;
  size_t before;
  luaL_checkstack(L, MANY + 100, NULL);
  for (i = 1; i <= MANY; i++) push_numbered(L, i);
  lua_gc(L, LUA_GCCOLLECT);
  before = stats_of(L).bytes;
  make_cycles(L, 3);
  CHECK(stats_of(L).bytes < before * 3);
  for (i = 1; i <= MANY; i += 1001) check_numbered(L, i, i);
  return 0;
}

static void test_pieces(const char *mode) {
  lua_State *L = own_open();
  own_run(L, mode);
  lua_settop(L, 0);
  lua_pushcfunction(L, many_values);
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_OK);
  printf("largest unit %d\n", (int)stats_of(L).largest_unit);
  CHECK(stats_of(L).largest_unit <= UNIT_MAX);
  lua_close(L);
}

/* -- Overwriting visited slots --------------------------------------------- */

enum { SLOTS = 3000, TURNS = 60000 };

static int model[SLOTS + 200];

static unsigned random_state = 20240711;
static int random_below(int limit) {
  random_state = random_state * 1103515245u + 12345u;
  return (int)((random_state >> 8) % (unsigned)limit);
}

static int next_number = 1;

static void push(lua_State *L) {
  int top = lua_gettop(L) + 1;
  push_numbered(L, model[top] = next_number++);
  lua_getglobal(L, "meta");
  lua_setmetatable(L, -2);
}

static void pop_some(lua_State *L) {
  int count = random_below(lua_gettop(L) < 40 ? 1 : 40);
  lua_pop(L, count);
}

static void push_some(lua_State *L) {
  int count = random_below(80);
  while (count-- > 0 && lua_gettop(L) < SLOTS) push(L);
}

static void replace(lua_State *L) {
  int slot = 1 + random_below(lua_gettop(L));
  push(L);
  model[slot] = model[lua_gettop(L)];
  lua_replace(L, slot);
}

/* Moves the last value to a slot, or the value of that slot to the end. */
static void rotate(lua_State *L) {
  int top = lua_gettop(L), slot = top - random_below(top < 50 ? top : 50), i;
  int last = model[top], first = model[slot];
  if (random_below(2)) {
    lua_insert(L, slot);
    for (i = top; i > slot; i--) model[i] = model[i - 1];
    model[slot] = last;
  } else {
    lua_rotate(L, slot, -1);
    for (i = slot; i < top; i++) model[i] = model[i + 1];
    model[top] = first;
  }
}

/* Replaces the last values by the result of a call that takes them. */
static void call(lua_State *L) {
  int arguments = random_below(lua_gettop(L) < 20 ? 1 : 20);
  int top = lua_gettop(L) - arguments + 1;
  lua_getglobal(L, "make");
  lua_insert(L, top);
  lua_pushinteger(L, model[top] = next_number++);
  lua_insert(L, top + 1);
  CHECK(lua_pcall(L, arguments + 1, 1, 0) == LUA_OK);
}

/* Calls operators, which put their result in the place of an operand. */
static void operate(lua_State *L) {
  int top = lua_gettop(L);
  if (top < 3) return;
  lua_pushinteger(L, model[top] = next_number++);
  switch (random_below(3)) {
    case 0: lua_arith(L, LUA_OPADD); break;
    case 1: lua_concat(L, 2); break;
    default:
      lua_gettable(L, -2);
      lua_replace(L, -2);
      break;
  }
}

/* An error removes the last values. */
static void fail(lua_State *L) {
  int arguments = random_below(lua_gettop(L) < 20 ? 1 : 20);
  int top = lua_gettop(L) - arguments + 1;
  lua_getglobal(L, "fail");
  lua_insert(L, top);
  CHECK(lua_pcall(L, arguments, 1, 0) == LUA_ERRRUN);
  lua_pop(L, 1);
}

static void work(lua_State *L) {
  switch (random_below(8)) {
    case 0: pop_some(L); break;
    case 1: push_some(L); break;
    case 2: replace(L); break;
    case 3: rotate(L); break;
    case 4: call(L); break;
    case 5: operate(L); break;
    case 6:
      if (random_below(10) == 0) fail(L);
      break;
    default:
      push(L);
      lua_settop(L, -2);
      break;
  }
}

static int write_much(lua_State *L) {
  int turns = (int)lua_tointeger(L, 1), i, slot;
  lua_settop(L, 0);
  luaL_checkstack(L, SLOTS + 100, NULL);
  while (lua_gettop(L) < SLOTS / 2) push(L);
  for (i = 0; i < turns; i++) {
    if (lua_gettop(L) == 0) push(L);
    work(L);
    if (i % 500) continue;
    for (slot = 1; slot <= lua_gettop(L); slot++)
      check_numbered(L, slot, model[slot]);
  }
  return 0;
}

/* Other values are alive, too.  Otherwise a cycle would take a single step. */
static const char *const functions =
    "kept = {} for i = 1, 3000 do kept[i] = {i} end "
    "meta = {} "
    "function make(n) return setmetatable({n}, meta) end "
    "meta.__add = function(a, n) return make(n) end "
    "meta.__concat = function(a, n) return make(n) end "
    "meta.__index = function(a, n) return make(n) end "
    "function fail() for i = 1, 10 do local t = {} end error('no') end ";

static void test_writing(const char *mode, int turns) {
  lua_State *L = own_open();
  own_run(L, mode);
  own_run(L, functions);
  lua_settop(L, 0);
  lua_gc(L, LUA_GCSETPAUSE, 100);
  lua_pushcfunction(L, write_much);
  lua_pushinteger(L, turns);
  if (lua_pcall(L, 1, 0, 0)) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    abort();
  }
  CHECK(stats_of(L).cycles > 3);
  lua_close(L);
}

int main(int count, char **arguments) {
  int turns = count > 1 ? atoi(arguments[1]) : TURNS;
  test_writing("collectgarbage('incremental')", turns);
  test_writing("collectgarbage('generational')", turns);
  if (count > 1) return 0;
  test_pieces("collectgarbage('incremental')");
  test_pieces("collectgarbage('generational')");
  return 0;
}
