/* SPDX-License-Identifier: MIT */
/*
** host.c -- a program of a user
**
** It includes the installed headers and links with the installed library.  It
** prints which library it found, and uses it a little.
*/
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

static int host_double(lua_State *L) {
  lua_pushinteger(L, 2 * luaL_checkinteger(L, 1));
  return 1;
}

int main(void) {
  lua_State *L = luaL_newstate();
  int ok;
  if (!L) return 1;
  luaL_openlibs(L);
  lua_register(L, "double", host_double);
  ok = luaL_dostring(L, "local t = {} for i = 1, 1000 do t[i] = double(i) end "
                        "collectgarbage() return t[1000]") == LUA_OK &&
       lua_tointeger(L, -1) == 2000 && strstr(lua_ident, "Penumbra");
  puts(ok ? lua_ident : lua_tostring(L, -1));
  lua_close(L);
  return !ok;
}
