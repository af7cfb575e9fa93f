/* SPDX-License-Identifier: MIT */
/*
** same.h -- for programs that must print the same on every Lua 5.4
**
** They are compiled once, with the headers of an installed Lua 5.4, and run
** with its library and with ours; see ../README.md.  So they use only the
** public API, and print nothing that may differ: no addresses, no sizes.
*/
#ifndef SAME_H
#define SAME_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

#define SECTION(name) printf("-- %s\n", name)

/* Shows the value at an index. */
static inline void show_value(lua_State *L, int idx) {
  switch (lua_type(L, idx)) {
    case LUA_TNONE: printf("none"); break;
    case LUA_TNIL: printf("nil"); break;
    case LUA_TBOOLEAN:
      printf("%s", lua_toboolean(L, idx) ? "true" : "false");
      break;
    case LUA_TNUMBER:
      if (lua_isinteger(L, idx))
        printf(LUA_INTEGER_FMT, (LUAI_UACINT)lua_tointeger(L, idx));
      else
        printf("%.14gf", lua_tonumber(L, idx));
      break;
    case LUA_TSTRING: printf("'%s'", lua_tostring(L, idx)); break;
    default: printf("<%s>", luaL_typename(L, idx)); break;
  }
}

/* Shows the whole stack on one line. */
static inline void show_stack(lua_State *L, const char *label) {
  int i, top = lua_gettop(L);
  printf("%s:", label);
  for (i = 1; i <= top; i++) {
    printf(" ");
    show_value(L, i);
  }
  printf("\n");
}

/* Shows and pops the top value. */
static inline void show_top(lua_State *L, const char *label) {
  printf("%s: ", label);
  show_value(L, -1);
  printf("\n");
  lua_pop(L, 1);
}

/* Runs a chunk.  Its results stay on the stack. */
static inline void run(lua_State *L, const char *code) {
  if (luaL_loadstring(L, code) || lua_pcall(L, 0, LUA_MULTRET, 0)) {
    printf("error: %s\n", lua_tostring(L, -1));
    lua_pop(L, 1);
  }
}

/* Calls f protected, with an empty stack. */
static inline void try_call(lua_State *L, const char *label, lua_CFunction f) {
  int status;
  lua_pushcfunction(L, f);
  status = lua_pcall(L, 0, 0, 0);
  printf("%s: status %d", label, status);
  if (status != LUA_OK) {
    printf(" ");
    show_value(L, -1);
    lua_pop(L, 1);
  }
  printf("\n");
}

static inline lua_State *same_open(void) {
  lua_State *L = luaL_newstate();
  if (!L) exit(EXIT_FAILURE);
  luaL_openlibs(L);
  return L;
}

static inline void same_close(lua_State *L) {
  printf("-- end, %d on the stack\n", lua_gettop(L));
  lua_close(L);
}

#endif
