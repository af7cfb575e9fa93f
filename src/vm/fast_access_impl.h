/* SPDX-License-Identifier: MIT */
/*
** fast_access_impl.h -- the common cases of reading and writing tables
*/
#ifndef PENUMBRA_VM_FAST_ACCESS_IMPL_H
#define PENUMBRA_VM_FAST_ACCESS_IMPL_H

#include "bytecode/bytecode.h"
#include "object/meta.h"
#include "vm/state.h"

/* -- Metatables ------------------------------------------------------------ */

/* False if the table is known to have no such metamethod: one of those with a
** bit (meta.h). */
static ALWAYS_INLINE bool may_have(const Table *t, MetaEvent event) {
  const Table *metatable = t->metatable;
  return metatable && !(metatable->cell.user & 1u << event);
}

/* True if a field with a node and no value may get a value directly.  The
** caller must then store it. */
static ALWAYS_INLINE bool may_add_field(Table *t) {
  if (UNLIKELY(may_have(t, META_NEWINDEX))) return false;
  table_forget_absent(t);
  return true;
}

/* The __index table of strings.  NULL if the hint does not find it, or if it
** depends on the function. */
static ALWAYS_INLINE const Table *string_methods(const lua_State *L) {
  const Global *g = L->global;
  const Table *metatable = g->type_metatable[TYPE_STRING];
  if (UNLIKELY(!metatable || g->sandbox_strings)) return NULL;
  const Node *n = table_hinted_key(metatable, g->meta_name[META_INDEX],
                                   vm_of(L)->string_index_hint);
  if (UNLIKELY(!n || n->value_tag != TAG_TABLE)) return NULL;
  return (const Table *)(const void *)n->value.cell;
}

/* -- Reading --------------------------------------------------------------- */

/* The field at the hint.  A nil field counts if there is no metatable, because
** lists and trees end with those.  Otherwise NULL. */
static ALWAYS_INLINE const Node *fast_field(const Table *t, const String *key,
                                            unsigned hint) {
  const Node *n = table_hinted_key(t, key, hint);
  if (UNLIKELY(!n || (n->value_tag == TAG_NIL && t->metatable))) return NULL;
  return n;
}

/* The results of SELF: the method, and the object. */
static ALWAYS_INLINE void put_self(Value *to, const Value *object,
                                   const Node *method) {
  value_copy(to + 1, object);
  to->as = method->value;
  to->tag = method->value_tag;
}

/* The element of an array, which may be nil. */
static ALWAYS_INLINE bool fast_element(const Value *object, const Value *key,
                                       Payload *element, unsigned *tag) {
  if (UNLIKELY(object->tag != TAG_TABLE)) return false;
  if (UNLIKELY(key->tag != TAG_INTEGER)) return false;
  const Table *t = value_table(object);
  Unsigned index = (Unsigned)key->as.i - 1;
  if (UNLIKELY(index >= t->array_size)) return false;
  *tag = table_tags(t)[index];
  *element = t->array[index];
  return true;
}

/* What a search of the hash has found goes to a register.  False if the key may
** be elsewhere: in another part of the table, or by a metatable. */
static ALWAYS_INLINE bool fast_found(const Table *t, const Node *n, Value *to) {
  if (LIKELY(n && n->value_tag != TAG_NIL)) {
    node_get(n, to);
    return true;
  }
  if (UNLIKELY(t->metatable || t->cell.user & TABLE_SPECIAL)) return false;
  value_set_nil(to);
  return true;
}

/* Reads an element that the fast path has not found. */
static ALWAYS_INLINE bool get_element(lua_State *L, Table *t, const Value *key,
                                      Value *out) {
  if (key->tag == TAG_INTEGER) return table_get_int_slow(L, t, key->as.i, out);
  if (key->tag == TAG_FLOAT) return table_get_float(L, t, key->as.n, out);
  return table_get(L, t, key, out);
}

/* -- Writing --------------------------------------------------------------- */

/* The barrier after a store of `v` into a table.  `tag` is v->tag, read before
** the store: compilers would load it again, because the store might change
** it. */
static ALWAYS_INLINE void table_barrier(lua_State *L, Table *t, const Value *v,
                                        unsigned tag) {
  if (tag_is_collectable(tag))
    gc_barrier_back(&L->global->gc, &t->cell, v->as.cell);
}

/* Overwrites a field, or gives a value to a field that has a node in a table
** without __newindex. */
static ALWAYS_INLINE bool fast_set_node(lua_State *L, Table *t, Node *n,
                                        const Value *v) {
  if (UNLIKELY(!n || (n->value_tag == TAG_NIL && !may_add_field(t))))
    return false;
  unsigned tag = v->tag;
  node_set(n, v);
  table_barrier(L, t, v, tag);
  return true;
}

/* Overwrites an element of the array. */
static ALWAYS_INLINE bool fast_set_int(lua_State *L, Table *t, Integer key,
                                       const Value *v) {
  unsigned tag = v->tag;
  if (UNLIKELY(!table_fast_set_int(t, key, v))) return false;
  table_barrier(L, t, v, tag);
  return true;
}

/* Overwrites an element by true or false.  The tag is all that there is to
** store, so an array of flags needs a ninth of the memory bandwidth. */
static ALWAYS_INLINE bool fast_set_flag(const Value *object, const Value *key,
                                        const Value *v) {
  uint8_t flag = v->tag;
  if (tag_type(flag) != TYPE_BOOLEAN) return false;
  if (UNLIKELY((object->tag != TAG_TABLE) | (key->tag != TAG_INTEGER)))
    return false;
  uint8_t *place = table_fast_slot(value_table(object), key->as.i);
  if (UNLIKELY(!place)) return false;
  *place = flag;
  return true;
}

#endif
