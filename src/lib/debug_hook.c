/* SPDX-License-Identifier: MIT */
/*
** debug_hook.c -- hooks written in Lua
**
** The core knows one C hook per thread.  The Lua function behind it is kept
** in a table in the registry, keyed by thread and weak in its keys, so that
** a hook does not keep its thread alive.
*/

#include <string.h>

#include "lib.h"
#include "debug_impl.h"

#define HOOK_TABLE "_HOOKKEY"

/* Pushes the function set for L1, or nil; needs the table on top of L. */
static int hook_push_function(lua_State *L, lua_State *L1) {
  lua_pushthread(L1);
  debug_move(L1, L);
  return lua_rawget(L, -2);
}

/* The hook the core calls: passes the event on. */
static void hook_pass_on(lua_State *L, lua_Debug *ar) {
  static const char *const event_name[] = {
      "call", "return", "line", "count", "tail call",
  };
  lua_getfield(L, LUA_REGISTRYINDEX, HOOK_TABLE);
  if (hook_push_function(L, L) != LUA_TFUNCTION) return;
  lua_pushstring(L, event_name[ar->event]);
  if (ar->currentline >= 0)
    lua_pushinteger(L, ar->currentline);
  else
    lua_pushnil(L);
  lua_call(L, 2, 0);
}

static int hook_read_mask(const char *letters, int count) {
  int mask = 0;
  if (strchr(letters, 'c')) mask |= LUA_MASKCALL;
  if (strchr(letters, 'r')) mask |= LUA_MASKRET;
  if (strchr(letters, 'l')) mask |= LUA_MASKLINE;
  if (count > 0) mask |= LUA_MASKCOUNT;
  return mask;
}

static void hook_push_mask(lua_State *L, int mask) {
  char letters[4];
  int n = 0;
  if (mask & LUA_MASKCALL) letters[n++] = 'c';
  if (mask & LUA_MASKRET) letters[n++] = 'r';
  if (mask & LUA_MASKLINE) letters[n++] = 'l';
  letters[n] = '\0';
  lua_pushstring(L, letters);
}

/* Pushes the table of hooks, making it the first time. */
static void hook_push_table(lua_State *L) {
  if (luaL_getsubtable(L, LUA_REGISTRYINDEX, HOOK_TABLE)) return;
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_pushvalue(L, -1);
  lua_setmetatable(L, -2);
}

int debug_sethook(lua_State *L) {
  int shift, mask = 0, count = 0;
  lua_Hook hook = NULL;
  lua_State *L1 = debug_thread(L, &shift);
  if (lua_isnoneornil(L, shift + 1)) {
    lua_settop(L, shift + 1); /* turns the hook off */
  } else {
    const char *letters = luaL_checkstring(L, shift + 2);
    luaL_checktype(L, shift + 1, LUA_TFUNCTION);
    count = (int)luaL_optinteger(L, shift + 3, 0);
    hook = hook_pass_on;
    mask = hook_read_mask(letters, count);
  }
  hook_push_table(L);
  debug_check_stack(L, L1, 1);
  lua_pushthread(L1);
  debug_move(L1, L);
  lua_pushvalue(L, shift + 1);
  lua_rawset(L, -3);
  lua_sethook(L1, hook, mask, count);
  return 0;
}

int debug_gethook(lua_State *L) {
  int shift;
  lua_State *L1 = debug_thread(L, &shift);
  lua_Hook hook = lua_gethook(L1);
  if (hook == NULL) {
    luaL_pushfail(L);
    return 1;
  }
  if (hook != hook_pass_on) {
    lua_pushliteral(L, "external hook");
  } else {
    lua_getfield(L, LUA_REGISTRYINDEX, HOOK_TABLE);
    debug_check_stack(L, L1, 1);
    hook_push_function(L, L1);
    lua_remove(L, -2);
  }
  hook_push_mask(L, lua_gethookmask(L1));
  lua_pushinteger(L, lua_gethookcount(L1));
  return 3;
}
