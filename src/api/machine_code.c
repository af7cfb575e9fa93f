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

typedef void MachineWriter(void *context, const char *text);

static void machine_fill(UNUSED const Global *g, penumbra_Machine *all) {
  all->why = "it was not built in (PENUMBRA_MACHINE)";
}
static inline void machine_switch(UNUSED Global *g, UNUSED bool on) {}
static inline void machine_allow(UNUSED Proto *p, UNUSED bool on) {}
static inline void machine_record(UNUSED Global *g) {}
static inline void machine_list(UNUSED const Global *g, UNUSED const Proto *p,
                                UNUSED MachineWriter *write,
                                UNUSED void *context) {}

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
  if (on == PENUMBRA_RECORDMACHINE) machine_record(L->global);
  return old.on;
}

/* -- Listing --------------------------------------------------------------- */

static void machine_list_nested(const Proto *p, TextTarget *to) {
  machine_list(to->L->global, p, api_write_text, to);
  for (uint32_t n = 0; n < p->proto_count; n++)
    machine_list_nested(p->protos[n], to);
}

LUA_API int penumbra_listmachine(lua_State *L, lua_Writer writer, void *data) {
  API_CHECK_COUNT(L, 1);
  const Value *v = L->top - 1;
  if (!value_is_lua_closure(v)) return 1;
  TextTarget to = {L, writer, data, 0};
  machine_list_nested(value_lua_closure(v)->proto, &to);
  return to.status;
}

LUA_API int penumbra_setmachinefor(lua_State *L, int index, int on) {
  const Value *v = API_AT(L, index);
  if (!value_is_lua_closure(v)) return 0;
  machine_allow(value_lua_closure(v)->proto, on != 0);
  return 1;
}
