/* SPDX-License-Identifier: MIT */
/*
** machine_code.c -- the API: penumbra.h, machine code
*/
#include "api/api_impl.h"

#if PENUMBRA_MACHINE

#include "machine/machine.h"

static void machine_fill(const Global *g, penumbra_Machine *all) {
  MachineFigures figures;
  machine_figures(g, &figures);
  all->why = machine_why_not(g);
  all->bytes = figures.bytes;
  all->code = figures.code_bytes;
  all->functions = figures.functions;
  all->pieces = figures.pieces;
  all->exits = figures.exits;
  all->drops = figures.drops;
}

#else

static void machine_fill(UNUSED const Global *g, penumbra_Machine *all) {
  all->why = "it was not built in (PENUMBRA_MACHINE)";
}
static inline void machine_switch(UNUSED Global *g, UNUSED bool on) {}
static inline void machine_allow(UNUSED Proto *p, UNUSED bool on) {}

#endif

LUA_API void penumbra_getmachine(lua_State *L, penumbra_Machine *result) {
  penumbra_Machine all = {0};
  machine_fill(L->global, &all);
  all.on = all.why == NULL;
  API_COPY_SIZED(result, &all, sizeof all, "penumbra_Machine");
}

LUA_API int penumbra_setmachine(lua_State *L, int on) {
  penumbra_Machine old = {.size = sizeof old};
  penumbra_getmachine(L, &old);
  machine_switch(L->global, on != 0);
  return old.on;
}

LUA_API int penumbra_setmachinefor(lua_State *L, int index, int on) {
  const Value *v = API_AT(L, index);
  if (!value_is_lua_closure(v)) return 0;
  machine_allow(value_lua_closure(v)->proto, on != 0);
  return 1;
}
