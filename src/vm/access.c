/* SPDX-License-Identifier: MIT */
/*
** access.c -- reading and writing fields, with metamethods
*/
#include "vm/access.h"

#include "object/meta.h"
#include "vm/access_impl.h"
#include "vm/call.h"
#include "vm/error.h"

/* -- Up to a call ---------------------------------------------------------- */

static COLD _Noreturn void raise_chain(lua_State *L, const char *event) {
  raise_error(L, "'%s' chain too long; possible loop", event);
}

/* `missed`: the caller knows already that the object, a table, does not hold
** the key. */
static ALWAYS_INLINE bool find_along(lua_State *L, const Value *object,
                                     const Value *key, Value *out,
                                     AccessCall *call, bool missed) {
  Value *method = &call->method;
  for (int i = 0; i < ACCESS_CHAIN_MAX; i++) {
    access_charge(L, i);
    if (LIKELY(value_is_table(object))) {
      Table *t = value_table(object);
      if (!missed && table_get(L, t, key, out)) return true;
      missed = false;
      if (!meta_get_fast(L, t->metatable, META_INDEX, method)) {
        value_set_nil(out);
        return true;
      }
    } else if (UNLIKELY(!meta_get(L, object, META_INDEX, method))) {
      error_type(L, object, "index");
    }
    value_copy(&call->self, object);
    if (value_is_function(method)) return false;
    value_copy(&call->self, method);
    object = &call->self;
  }
  raise_chain(L, "__index");
}

bool access_find(lua_State *L, const Value *object, const Value *key,
                 Value *out, AccessCall *call) {
  return find_along(L, object, key, out, call, false);
}

bool access_find_beyond(lua_State *L, const Value *object, const Value *key,
                        Value *out, AccessCall *call) {
  return find_along(L, object, key, out, call, true);
}

/* Stores an element of the array; false if that needs a closer look. */
static ALWAYS_INLINE bool store_fast(lua_State *L, Table *t, const Value *key,
                                     const Value *value) {
  if (key->tag != TAG_INTEGER || !table_fast_set_int(t, key->as.i, value))
    return false;
  gc_barrier_back(gc_of(L), &t->cell, value_cell_or_null(value));
  return true;
}

/* `missed` as in find_along. */
static ALWAYS_INLINE bool store_along(lua_State *L, const Value *object,
                                      const Value *key, const Value *value,
                                      AccessCall *call, bool missed) {
  Value *method = &call->method;
  Value old;
  for (int i = 0; i < ACCESS_CHAIN_MAX; i++) {
    access_charge(L, i);
    if (LIKELY(value_is_table(object))) {
      Table *t = value_table(object);
      if (!missed && store_fast(L, t, key, value)) return true;
      if (!meta_get_fast(L, t->metatable, META_NEWINDEX, method) ||
          (!missed && table_get(L, t, key, &old))) {
        table_set(L, t, key, value);
        return true;
      }
      missed = false;
    } else if (UNLIKELY(!meta_get(L, object, META_NEWINDEX, method))) {
      error_type(L, object, "index");
    }
    value_copy(&call->self, object);
    if (value_is_function(method)) return false;
    value_copy(&call->self, method);
    object = &call->self;
  }
  raise_chain(L, "__newindex");
}

bool access_store(lua_State *L, const Value *object, const Value *key,
                  const Value *value, AccessCall *call) {
  return store_along(L, object, key, value, call, false);
}

bool access_store_beyond(lua_State *L, const Value *object, const Value *key,
                         const Value *value, AccessCall *call) {
  return store_along(L, object, key, value, call, true);
}

bool access_find_length(lua_State *L, const Value *object, Value *out,
                        Value *method) {
  if (value_is_table(object)) {
    Table *t = value_table(object);
    if (meta_get_fast(L, t->metatable, META_LEN, method)) return false;
    value_set_integer(out, (Integer)table_length(L, t));
    return true;
  }
  if (value_is_string(object)) {
    value_set_integer(out, (Integer)string_length(value_string(object)));
    return true;
  }
  if (!meta_get(L, object, META_LEN, method))
    error_type(L, object, "get length of");
  return false;
}

/* -- For the API ----------------------------------------------------------- */

void access_get(lua_State *L, const Value *object, const Value *key,
                Value *slot) {
  Value found;
  AccessCall call;
  if (access_find(L, object, key, &found, &call))
    value_copy(slot, &found);
  else
    call_meta_result(L, &call.method, &call.self, key, slot);
}

void access_get_str(lua_State *L, const Value *object, String *key,
                    Value *slot) {
  Value key_value;
  value_set_string(&key_value, key);
  access_get(L, object, &key_value, slot);
}

void access_get_int(lua_State *L, const Value *object, Integer key,
                    Value *slot) {
  Value key_value;
  value_set_integer(&key_value, key);
  access_get(L, object, &key_value, slot);
}

void access_set(lua_State *L, const Value *object, const Value *key,
                const Value *value) {
  AccessCall call;
  if (!access_store(L, object, key, value, &call))
    call_meta(L, &call.method, &call.self, key, value);
}

void access_set_str(lua_State *L, const Value *object, String *key,
                    const Value *value) {
  if (LIKELY(value_is_table(object) && !value_table(object)->metatable)) {
    table_set_str(L, value_table(object), key, value);
    return;
  }
  Value key_value;
  value_set_string(&key_value, key);
  access_set(L, object, &key_value, value);
}

void access_set_int(lua_State *L, const Value *object, Integer key,
                    const Value *value) {
  Value key_value;
  value_set_integer(&key_value, key);
  access_set(L, object, &key_value, value);
}

void access_length(lua_State *L, const Value *object, Value *slot) {
  Value found, method;
  if (access_find_length(L, object, &found, &method))
    value_copy(slot, &found);
  else
    call_meta_result(L, &method, object, object, slot);
}
