/* SPDX-License-Identifier: MIT */
/*
** bounds.c -- how much time and memory a chunk may take
**
**     bounds bounds.lua ROOT
**
** Runs the script, which makes chunks.  It has two functions here.  Both load a
** chunk in a state of its own:
**
**     memory(chunk)   most bytes held at once while loading, and the message if
**                     the chunk was refused
**     seconds(chunk)  processor time of the shortest of several loads
**     optimized       true if times are worth a comparison
*/
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

enum { TURNS = 5 };

typedef struct Held {
  size_t now, most;
} Held;

static void *allocate(void *ud, void *ptr, size_t old, size_t size) {
  Held *held = ud;
  if (!ptr) old = 0;
  if (size == 0) {
    free(ptr);
    held->now -= old;
    return NULL;
  }
  void *result = realloc(ptr, size);
  if (!result) return NULL;
  held->now += size - old;
  if (held->now > held->most) held->most = held->now;
  return result;
}

static int measure_memory(lua_State *L) {
  size_t size;
  const char *bytes = luaL_checklstring(L, 1, &size);
  Held held = {0, 0};
  lua_State *fresh = lua_newstate(allocate, &held);
  size_t before = held.now;
  held.most = before;
  int status = luaL_loadbufferx(fresh, bytes, size, "=x", "b");
  lua_pushinteger(L, (lua_Integer)(held.most - before));
  if (status == LUA_OK)
    lua_pushnil(L);
  else
    lua_pushstring(L, lua_tostring(fresh, -1));
  lua_close(fresh);
  return 2;
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static int measure_seconds(lua_State *L) {
  size_t size;
  const char *bytes = luaL_checklstring(L, 1, &size);
  double least = 1e9;
  for (int turn = 0; turn < TURNS; turn++) {
    lua_State *fresh = luaL_newstate();
    lua_gc(fresh, LUA_GCSTOP);
    double start = seconds();
    luaL_loadbufferx(fresh, bytes, size, "=x", "b");
    double time = seconds() - start;
    if (time < least) least = time;
    lua_close(fresh);
  }
  lua_pushnumber(L, least);
  return 1;
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (argc != 3) return 2;
  luaL_openlibs(L);
  lua_register(L, "memory", measure_memory);
  lua_register(L, "seconds", measure_seconds);
#ifdef __OPTIMIZE__
  lua_pushboolean(L, !PENUMBRA_SLOW);
#else
  lua_pushboolean(L, 0);
#endif
  lua_setglobal(L, "optimized");
  lua_pushstring(L, argv[2]);
  lua_setglobal(L, "ROOT");
  if (luaL_dofile(L, argv[1]) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    return 1;
  }
  lua_close(L);
  return 0;
}
