/* SPDX-License-Identifier: MIT */
/*
** machinelib.c -- the library `penumbra.machine`: machine code, on and off
**
** docs/machine-code.md is its manual.
*/

#include "lib.h"

static int machinelib_set(lua_State *L, int on) {
  if (lua_isnoneornil(L, 1)) {
    penumbra_setmachine(L, on);
    return 0;
  }
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_argcheck(L, penumbra_setmachinefor(L, 1, on), 1,
                "Lua function expected");
  return 0;
}

static int machinelib_on(lua_State *L) { return machinelib_set(L, 1); }

static int machinelib_off(lua_State *L) { return machinelib_set(L, 0); }

static void machinelib_figure(lua_State *L, const char *name, lua_Unsigned n) {
  lua_pushinteger(L, (lua_Integer)n);
  lua_setfield(L, -2, name);
}

static int machinelib_status(lua_State *L) {
  penumbra_Machine m = {.size = sizeof m};
  penumbra_getmachine(L, &m);
  lua_createtable(L, 0, 8);
  lua_pushboolean(L, m.on);
  lua_setfield(L, -2, "on");
  lua_pushstring(L, m.why);
  lua_setfield(L, -2, "why");
  machinelib_figure(L, "bytes", m.bytes);
  machinelib_figure(L, "code", m.code);
  machinelib_figure(L, "functions", m.functions);
  machinelib_figure(L, "pieces", m.pieces);
  machinelib_figure(L, "exits", m.exits);
  machinelib_figure(L, "drops", m.drops);
  return 1;
}

static const luaL_Reg machinelib_functions[] = {
    {"off", machinelib_off},
    {"on", machinelib_on},
    {"status", machinelib_status},
    {NULL, NULL},
};

LUAMOD_API int luaopen_penumbra_machine(lua_State *L) {
  luaL_newlib(L, machinelib_functions);
  return 1;
}
