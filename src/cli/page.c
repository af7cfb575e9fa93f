/* SPDX-License-Identifier: MIT */
/*
** page.c -- the page of a report, drawn by page.lua
**
** The page is drawn in a state of its own.  So it does not matter what the
** program has done to its globals, and a limit of memory or time holds only for
** the program.
*/

#include "cli.h"
#include "page_lua.h"

int page_open(lua_State *L) {
  const char *code = (const char *)page_lua;
  if (luaL_loadbufferx(L, code, sizeof page_lua, "=penumbra.page", "t"))
    return lua_error(L);
  lua_call(L, 0, 1);
  return 1;
}

/* Calls a function of the module. */
static int page_call(lua_State *L) {
  const PageCall *call = lua_touserdata(L, 1);
  luaL_openlibs(L);
  page_open(L);
  lua_getfield(L, -1, call->function);
  lua_pushlstring(L, call->text, call->size);
  lua_pushstring(L, call->file);
  lua_call(L, 2, 0);
  return 0;
}

bool page_run(const PageCall *call) {
  lua_State *L = luaL_newstate();
  if (!L) {
    cli_message("cannot draw the page: not enough memory");
    return false;
  }
  lua_pushcfunction(L, page_call);
  lua_pushlightuserdata(L, (void *)call);
  const int status = cli_report(L, lua_pcall(L, 1, 0, 0));
  lua_close(L);
  return status == LUA_OK;
}
