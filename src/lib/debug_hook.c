/* SPDX-License-Identifier: MIT */
/*
** debug_hook.c -- hooks written in Lua
**
** The core supports one C hook per thread.  The Lua function that it calls is
** kept in a table in the registry.  The table has threads as weak keys, so that
** a hook does not keep its thread alive.
*/

#include "debug_impl.h"
#include "lib.h"
#include "values.h"
#include "object/thread.h"

#define HOOK_TABLE "_HOOKKEY"

/* The names of events for programs, and the letters that select them, in the
** order of the core's event numbers.  Count events are selected by a number. */
static const struct HookEvent {
  const char *name;
  char letter;
} hook_events[] = {
    [LUA_HOOKCALL] = {"call", 'c'},           [LUA_HOOKRET] = {"return", 'r'},
    [LUA_HOOKLINE] = {"line", 'l'},           [LUA_HOOKCOUNT] = {"count", '\0'},
    [LUA_HOOKTAILCALL] = {"tail call", '\0'},
};

/* The bit of a mask for an event that has a letter. */
static int hook_bit(int event) { return 1 << event; }

/* The table of functions; NULL if no hook was ever set. */
static Table *hook_table(lua_State *L) {
  Value v;
  table_get_str(L, value_table(&L->global->registry),
                string_new_cached(L, HOOK_TABLE), &v);
  return value_is_table(&v) ? value_table(&v) : NULL;
}

static Table *hook_make_table(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, HOOK_TABLE);
  values_push(L, "s", "k");
  lua_setfield(L, -2, "__mode");
  lua_pushvalue(L, -1);
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
  return hook_table(L);
}

/* Pushes the function of the thread, or nil. */
static void hook_push_function(lua_State *L, lua_State *thread) {
  Table *t = hook_table(L);
  Value key;
  value_set_thread(&key, thread);
  value_set_nil(L->top);
  if (t) table_get(L, t, &key, L->top);
  L->top++;
}

/* The hook that the core calls: calls the Lua function. */
static void hook_pass_on(lua_State *L, lua_Debug *ar) {
  const bool has_line = ar->currentline >= 0;
  hook_push_function(L, L);
  if (!lua_isfunction(L, -1)) return;
  values_push(L, has_line ? "si" : "s-", hook_events[ar->event].name,
              ar->currentline);
  lua_call(L, 2, 0);
}

/* The mask for those letters; other letters are ignored. */
static int hook_mask(const char *letters, int count) {
  int mask = count > 0 ? LUA_MASKCOUNT : 0;
  for (; *letters != '\0'; letters++)
    for (int event = LUA_HOOKCALL; event <= LUA_HOOKLINE; event++)
      if (*letters == hook_events[event].letter) mask |= hook_bit(event);
  return mask;
}

/* If the hook is removed, nil is stored for the thread. */
int debug_sethook_framed(lua_State *L) {
  lua_State *L1;
  const int function = debug_first_argument(L, &L1);
  const bool on = !lua_isnoneornil(L, function);
  const char *letters = on ? luaL_checkstring(L, function + 1) : "";
  if (on) luaL_checktype(L, function, LUA_TFUNCTION);
  const int count = on ? (int)luaL_optinteger(L, function + 2, 0) : 0;
  const int mask = on ? hook_mask(letters, count) : 0;
  lua_settop(L, function);
  Table *t = hook_table(L);
  Value key;
  if (!t) t = hook_make_table(L);
  value_set_thread(&key, L1);
  table_set(L, t, &key, L->top - 1);
  lua_sethook(L1, on ? hook_pass_on : NULL, mask, count);
  return 0;
}

int debug_gethook_framed(lua_State *L) {
  char letters[LUA_HOOKLINE + 2] = "", *end = letters;
  lua_State *L1;
  debug_first_argument(L, &L1);
  const lua_Hook hook = lua_gethook(L1);
  if (!hook) return values_push(L, "-");
  for (int event = LUA_HOOKCALL; event <= LUA_HOOKLINE; event++)
    if (lua_gethookmask(L1) & hook_bit(event))
      *end++ = hook_events[event].letter;
  if (hook == hook_pass_on)
    hook_push_function(L, L1);
  else
    lua_pushliteral(L, "external hook");
  return 1 + values_push(L, "si", letters, lua_gethookcount(L1));
}
