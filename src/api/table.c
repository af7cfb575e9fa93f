/* SPDX-License-Identifier: MIT */
/*
** table.c -- the API: reading and writing tables and userdata
*/
#include "api/api_impl.h"
#include "object/meta.h"
#include "vm/access.h"

/* -- Reading --------------------------------------------------------------- */

/* Pushes the result, which was just written to the top of the stack. */
static int got(lua_State *L, Cell *was) {
  API_GROW_TOP(L);
  api_stored(L, L->top - 1);
  api_rest(L, was);
  api_poll(L);
  return value_type(L->top - 1);
}

static int get_named(lua_State *L, const Value *object, const char *name) {
  String *key = string_new_cached(L, name);
  Value out;
  if (value_is_table(object) && string_is_short(key) &&
      table_fast_get_str(value_table(object), key, &out)) {
    API_PUSH(L, &out);
    api_poll(L);
    return value_type(&out);
  }
  Cell *was = api_run(L);
  access_get_str(L, object, key, L->top);
  return got(L, was);
}

/* The table of globals. */
static const Value *globals(lua_State *L, Value *out) {
  table_get_int(L, value_table(&L->global->registry), LUA_RIDX_GLOBALS, out);
  return out;
}

LUA_API int lua_getglobal(lua_State *L, const char *name) {
  Value table;
  return get_named(L, globals(L, &table), name);
}

LUA_API int lua_getfield(lua_State *L, int idx, const char *k) {
  return get_named(L, API_AT(L, idx), k);
}

LUA_API int lua_gettable(lua_State *L, int idx) {
  const Value *object = API_AT(L, idx);
  API_CHECK_COUNT(L, 1);
  Cell *was = api_run(L);
  access_get(L, object, L->top - 1, L->top - 1);
  api_stored(L, L->top - 1);
  api_rest(L, was);
  return value_type(L->top - 1);
}

LUA_API int lua_geti(lua_State *L, int idx, lua_Integer n) {
  const Value *object = API_AT(L, idx);
  Value out;
  if (value_is_table(object) &&
      table_fast_get_int(value_table(object), n, &out)) {
    API_PUSH(L, &out);
    return value_type(&out);
  }
  Cell *was = api_run(L);
  access_get_int(L, object, n, L->top);
  return got(L, was);
}

static int push_raw(lua_State *L, const Value *v, const char *who) {
  api_push(L, v, who);
  return value_type(v);
}

LUA_API int lua_rawget(lua_State *L, int idx) {
  API_CHECK_COUNT(L, 1);
  Table *t = API_TABLE_AT(L, idx);
  Value out;
  table_get(L, t, L->top - 1, &out);
  api_pop(L, 1);
  return push_raw(L, &out, __func__);
}

LUA_API int lua_rawgeti(lua_State *L, int idx, lua_Integer n) {
  Value out;
  table_get_int(L, API_TABLE_AT(L, idx), n, &out);
  return push_raw(L, &out, __func__);
}

LUA_API int lua_rawgetp(lua_State *L, int idx, const void *p) {
  Value key, out;
  value_set_pointer(&key, (void *)(uintptr_t)p);
  table_get(L, API_TABLE_AT(L, idx), &key, &out);
  return push_raw(L, &out, __func__);
}

LUA_API int lua_next(lua_State *L, int idx) {
  API_CHECK_COUNT(L, 1);
  Table *t = API_TABLE_AT(L, idx);
  if (!table_next(L, t, L->top - 1)) {
    api_pop(L, 1);
    return 0;
  }
  API_GROW_TOP(L);
  api_stored(L, L->top - 2);
  return 1;
}

/* -- Writing --------------------------------------------------------------- */

static void set_named(lua_State *L, const Value *object, const char *name,
                      const char *who) {
  API_CHECK_COUNT_FOR(who, L, 1);
  String *key = string_new_cached(L, name);
  Value *value = L->top - 1;
  if (value_is_table(object) && string_is_short(key) &&
      table_fast_set_str(value_table(object), key, value)) {
    gc_barrier_back(gc_of(L), value_cell(object), value_cell_or_null(value));
    api_pop(L, 1);
    api_poll(L);
    return;
  }
  Cell *was = api_run(L);
  API_PUSH_STRING(L, key);
  access_set_str(L, object, key, L->top - 2);
  api_pop(L, 2);
  api_rest(L, was);
  api_poll(L);
}

LUA_API void lua_setglobal(lua_State *L, const char *name) {
  Value table;
  set_named(L, globals(L, &table), name, __func__);
}

LUA_API void lua_setfield(lua_State *L, int idx, const char *k) {
  set_named(L, API_AT(L, idx), k, __func__);
}

LUA_API void lua_settable(lua_State *L, int idx) {
  const Value *object = API_AT(L, idx);
  API_CHECK_COUNT(L, 2);
  Cell *was = api_run(L);
  access_set(L, object, L->top - 2, L->top - 1);
  api_pop(L, 2);
  api_rest(L, was);
  api_poll(L);
}

LUA_API void lua_seti(lua_State *L, int idx, lua_Integer n) {
  const Value *object = API_AT(L, idx);
  Value *value = L->top - 1;
  API_CHECK_COUNT(L, 1);
  if (value_is_table(object) &&
      table_fast_set_int(value_table(object), n, value)) {
    gc_barrier_back(gc_of(L), value_cell(object), value_cell_or_null(value));
    api_pop(L, 1);
    return;
  }
  Cell *was = api_run(L);
  access_set_int(L, object, n, value);
  api_pop(L, 1);
  api_rest(L, was);
  api_poll(L);
}

LUA_API void lua_rawset(lua_State *L, int idx) {
  API_CHECK_COUNT(L, 2);
  table_set(L, API_TABLE_AT(L, idx), L->top - 2, L->top - 1);
  api_pop(L, 2);
  api_poll_quietly(L);
}

LUA_API void lua_rawseti(lua_State *L, int idx, lua_Integer n) {
  API_CHECK_COUNT(L, 1);
  table_set_int(L, API_TABLE_AT(L, idx), n, L->top - 1);
  api_pop(L, 1);
  api_poll_quietly(L);
}

LUA_API void lua_rawsetp(lua_State *L, int idx, const void *p) {
  Value key;
  API_CHECK_COUNT(L, 1);
  value_set_pointer(&key, (void *)(uintptr_t)p);
  table_set(L, API_TABLE_AT(L, idx), &key, L->top - 1);
  api_pop(L, 1);
  api_poll_quietly(L);
}

/* -- Metatables and user values -------------------------------------------- */

LUA_API int lua_getmetatable(lua_State *L, int objindex) {
  Table *metatable = meta_of(L, API_AT(L, objindex));
  if (!metatable) return 0;
  API_PUSH_CELL(L, metatable, TAG_TABLE);
  return 1;
}

LUA_API int lua_setmetatable(lua_State *L, int objindex) {
  API_CHECK_COUNT(L, 1);
  const Value *object = API_AT(L, objindex);
  const Value *top = L->top - 1;
  API_CHECK(value_is_nil(top) || value_is_table(top), "table expected");
  Table *metatable = value_is_nil(top) ? NULL : value_table(top);
  if (value_is_table(object))
    table_set_metatable(L, value_table(object), metatable);
  else if (value_is_userdata(object))
    userdata_set_metatable(L, value_userdata(object), metatable);
  else
    L->global->type_metatable[value_type(object)] = metatable;
  api_pop(L, 1);
  api_poll_quietly(L);
  return 1;
}

static Userdata *userdata_at(lua_State *L, int idx, const char *who) {
  const Value *v = api_at(L, idx, who);
  API_CHECK_FOR(who, value_is_userdata(v), "full userdata expected");
  return value_userdata(v);
}

LUA_API int lua_getiuservalue(lua_State *L, int idx, int n) {
  const Userdata *u = userdata_at(L, idx, __func__);
  if (n <= 0 || n > u->value_count) {
    value_set_nil(L->top);
    API_GROW_TOP(L);
    return LUA_TNONE;
  }
  return push_raw(L, &userdata_values(u)[n - 1], __func__);
}

LUA_API int lua_setiuservalue(lua_State *L, int idx, int n) {
  API_CHECK_COUNT(L, 1);
  Userdata *u = userdata_at(L, idx, __func__);
  bool there = n > 0 && n <= u->value_count;
  if (there) {
    Value *v = &userdata_values(u)[n - 1];
    value_copy(v, L->top - 1);
    if (tag_is_collectable(v->tag))
      gc_barrier_forward(gc_of(L), &u->cell, value_cell(v));
  }
  api_pop(L, 1);
  return there;
}
