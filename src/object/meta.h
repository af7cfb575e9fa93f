/* SPDX-License-Identifier: MIT */
/*
** meta.h -- metamethods: their names and how they are found
**
** The first events have a bit in the metatable's header that says "known to be
** absent", so that the next lookup costs one test.
*/
#ifndef PENUMBRA_OBJECT_META_H
#define PENUMBRA_OBJECT_META_H

#include "object/thread.h"

/* The field of a metatable with that method, or NULL.  Its place is remembered,
** because the next metatable usually has it in the same place. */
static inline const Node *meta_find(lua_State *L, const Table *metatable,
                                    MetaEvent event) {
  Global *g = L->global;
  const String *name = g->meta_name[event];
  const Node *n = table_hinted_key(metatable, name, g->meta_hint[event]);
  if (LIKELY(n != NULL)) return n;
  n = table_find_str(metatable, name);
  if (n) g->meta_hint[event] = (uint16_t)table_node_hint(metatable, n);
  return n;
}

/* Looks into the metatable.  If there is no such method, remembers that,
** returns false and sets `out` to nil.  Only for events below
** META_CACHED_COUNT. */
bool meta_get_uncached(lua_State *L, Table *metatable, MetaEvent event,
                       Value *out);

/* The metamethod of a metatable, which may be NULL.  False if there is none;
** that costs two tests in the usual case. */
static ALWAYS_INLINE bool meta_get_fast(lua_State *L, Table *metatable,
                                        MetaEvent event, Value *out) {
  if (!metatable || (metatable->cell.user & 1u << event)) return false;
  const Node *n = table_hinted_node(metatable, L->global->meta_name[event],
                                    L->global->meta_hint[event]);
  if (UNLIKELY(!n)) return meta_get_uncached(L, metatable, event, out);
  node_get(n, out);
  return true;
}

/* The event's name: "add" for __add. */
const char *meta_event_name(MetaEvent event);

/* The metatable of any value, or NULL. */
Table *meta_of(lua_State *L, const Value *v);

/* The metatable of a type whose values share one, or NULL.  Sandboxed code sees
** nothing that the host adds to them: strings have another one there, and other
** types have none. */
NO_INLINE Table *meta_of_type_here(const lua_State *L, int type);
static inline Table *meta_of_type(const lua_State *L, int type) {
  const Global *g = L->global;
  return LIKELY(!g->sandbox_strings) ? g->type_metatable[type]
                                     : meta_of_type_here(L, type);
}

/* The metamethod of any value for any event.  If there is none: false, and
** nil. */
bool meta_get(lua_State *L, const Value *v, MetaEvent event, Value *out);

/* The name of a value's type for messages: __name if it is a string. */
const char *meta_type_name(lua_State *L, const Value *v);

#endif
