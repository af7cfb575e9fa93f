/* SPDX-License-Identifier: MIT */
/*
** meta.c -- metamethods: their names and how they are found
*/
#include "object/meta.h"

#include "object/object_impl.h"

static bool meta_get_from(lua_State *L, Table *metatable, MetaEvent event,
                          Value *out) {
  const Node *n = meta_find(L, metatable, event);
  if (UNLIKELY(!n || n->value_tag == TAG_NIL))
    return table_get_str(L, metatable, L->global->meta_name[event], out);
  node_get(n, out);
  return true;
}

bool meta_get_uncached(lua_State *L, Table *metatable, MetaEvent event,
                       Value *out) {
  ASSERT(event < META_CACHED_COUNT, "event %d has no bit", (int)event);
  if (meta_get_from(L, metatable, event, out)) return true;
  metatable->cell.user |= (uint8_t)(1u << event);
  return false;
}

/* While a sandbox runs, all C functions count as sandboxed, because sandboxed
** code may have passed one to a function of the host. */
Table *meta_of_type_here(const lua_State *L, int type) {
  const Global *g = L->global;
  bool in_c = !frame_is_lua(L->frame);
  if (!(in_c && g->sandbox_runs > 0) && !thread_is_sandboxed(L))
    return g->type_metatable[type];
  return type == TYPE_STRING ? g->sandbox_strings : NULL;
}

Table *meta_of(lua_State *L, const Value *v) {
  if (value_is_table(v)) return value_table(v)->metatable;
  if (value_is_userdata(v)) return value_userdata(v)->metatable;
  return meta_of_type(L, value_type(v));
}

bool meta_get(lua_State *L, const Value *v, MetaEvent event, Value *out) {
  Table *metatable = meta_of(L, v);
  if (metatable) return meta_get_from(L, metatable, event, out);
  value_set_nil(out);
  return false;
}

const char *meta_type_name(lua_State *L, const Value *v) {
  Value name;
  if ((value_is_table(v) || value_is_userdata(v)) &&
      meta_get(L, v, META_NAME, &name) && value_is_string(&name))
    return string_bytes(value_string(&name));
  return type_name(value_type(v));
}

void object_check_finalizer(lua_State *L, Cell *cell, Table *metatable) {
  Value gc_method;
  if (!meta_get_fast(L, metatable, META_GC, &gc_method)) return;
  if (L->global->closing) return;
  if (!gc_register_finalizer(gc_of(L), cell)) raise_memory(L);
}
