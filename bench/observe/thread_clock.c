/* SPDX-License-Identifier: MIT */
/*
** thread_clock.c -- clocks for snapshot.lua
**
** os.clock counts the time of all threads of the process, also of one that only
** writes a file while the program goes on.
*/
#include <stdlib.h>

#include "gc/clock.h"
#include "lauxlib.h"

/* now() returns seconds of CPU time of this thread, and of wall-clock time. */
static int now(lua_State *L) {
  lua_pushnumber(L, (lua_Number)clock_thread() / 1e9);
  lua_pushnumber(L, (lua_Number)clock_read(CLOCK_MONOTONIC) / 1e9);
  return 2;
}

/* touch(bytes) takes new memory from the system and touches it in pieces of 16
** KB.  Returns the longest time for a piece, and how many took more than 0.2 ms:
** what a program that takes so much memory cannot avoid on this machine. */
static int touch(lua_State *L) {
  enum { PIECE = 16384, PAGE = 4096, LONG = 200000 };
  size_t size = (size_t)luaL_checkinteger(L, 1), i, k;
  uint64_t longest = 0;
  lua_Integer many = 0;
  volatile char *memory = malloc(size);
  for (i = 0; memory != NULL && i + PIECE <= size; i += PIECE) {
    uint64_t took = clock_thread();
    for (k = 0; k < PIECE; k += PAGE) memory[i + k] = 1;
    took = clock_thread() - took;
    if (took > longest) longest = took;
    if (took > LONG) many++;
  }
  free((void *)memory);
  lua_pushnumber(L, (lua_Number)longest / 1e9);
  lua_pushinteger(L, many);
  return 2;
}

LUALIB_API int luaopen_thread_clock(lua_State *L);

LUALIB_API int luaopen_thread_clock(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"now", now}, {"touch", touch}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
