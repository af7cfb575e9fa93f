/* SPDX-License-Identifier: MIT */
/*
** host.c -- a program that embeds Lua and lets itself be debugged
**
** Prints the port, and runs a loop until a client ends it.  Checks what
** penumbra_debug returns.
*/
#include <errno.h>
#include <stdio.h>

#include "lauxlib.h"
#include "lualib.h"
#include "penumbra.h"

static const char program[] = "local turns = 0\n"
                              "local function turn(n)\n"
                              "  turns = turns + n\n"
                              "  return turns\n"
                              "end\n"
                              "while not finished do turn(1) end\n"
                              "return turns > 0\n";

int main(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  if (penumbra_debug(L, 70000) || errno != EINVAL) return 2;
  const int port = penumbra_debug(L, 0);
  if (port <= 0) return 3;
  if (penumbra_debug(L, 0) || errno != EALREADY) return 4;
  printf("%d\n", port);
  fflush(stdout);
  if (luaL_loadbuffer(L, program, sizeof program - 1, "@host.lua") ||
      lua_pcall(L, 0, 1, 0))
    return 5;
  const int ok = lua_toboolean(L, -1);
  lua_close(L);
  return ok ? 0 : 6;
}
