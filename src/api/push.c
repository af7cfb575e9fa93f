/* SPDX-License-Identifier: MIT */
/*
** push.c -- the API: from C values to the stack
*/
#include "api/api_impl.h"
#include "object/budget.h"
#include "object/format.h"

LUA_API void lua_pushnil(lua_State *L) {
  value_set_nil(L->top);
  API_GROW_TOP(L);
}

LUA_API void lua_pushnumber(lua_State *L, lua_Number n) {
  value_set_float(L->top, n);
  API_GROW_TOP(L);
}

LUA_API void lua_pushinteger(lua_State *L, lua_Integer n) {
  value_set_integer(L->top, n);
  API_GROW_TOP(L);
}

LUA_API void lua_pushboolean(lua_State *L, int b) {
  value_set_bool(L->top, b != 0);
  API_GROW_TOP(L);
}

LUA_API void lua_pushlightuserdata(lua_State *L, void *p) {
  value_set_pointer(L->top, p);
  API_GROW_TOP(L);
}

LUA_API const char *lua_pushlstring(lua_State *L, const char *s, size_t len) {
  String *string = budget_string(L, len == 0 ? "" : s, len);
  API_PUSH_STRING(L, string);
  api_poll(L);
  return string_bytes(string);
}

LUA_API const char *lua_pushstring(lua_State *L, const char *s) {
  if (!s) {
    lua_pushnil(L);
    return NULL;
  }
  String *string = string_new_cached(L, s);
  API_PUSH_STRING(L, string);
  api_poll(L);
  return string_bytes(string);
}

LUA_API const char *lua_pushvfstring(lua_State *L, const char *fmt,
                                     va_list argp) {
  const char *text = format_push_list(L, fmt, argp);
  api_stored(L, L->top - 1);
  api_poll(L);
  return text;
}

LUA_API const char *lua_pushfstring(lua_State *L, const char *fmt, ...) {
  va_list list;
  va_start(list, fmt);
  const char *text = lua_pushvfstring(L, fmt, list);
  va_end(list);
  return text;
}

/* The stores into the new closure need no barrier, because the collector has
** not visited it yet. */
LUA_API void lua_pushcclosure(lua_State *L, lua_CFunction fn, int n) {
  if (n == 0) {
    value_set_c_function(L->top, fn);
    API_GROW_TOP(L);
    return;
  }
  API_CHECK_COUNT(L, n);
  API_CHECK(n <= 255, "too many upvalues");
  CClosure *c = closure_new_c(L, fn, (unsigned)n);
  api_pop(L, n);
  for (int i = 0; i < n; i++) value_copy(&c->upvalue[i], L->top + i);
  API_PUSH_CELL(L, c, TAG_C_CLOSURE);
  api_poll(L);
}

LUA_API int lua_pushthread(lua_State *L) {
  API_PUSH_CELL(L, thread_of(L), TAG_THREAD);
  return L == L->global->main;
}

LUA_API void lua_createtable(lua_State *L, int narr, int nrec) {
  size_t slots = narr > 0 ? (size_t)narr : 0;
  size_t entries = nrec > 0 ? (size_t)nrec : 0;
  Table *t = table_new_for(L, slots, entries);
  API_PUSH_CELL(L, t, TAG_TABLE);
  table_reserve(L, t, slots, entries);
  api_poll(L);
}

LUA_API void *lua_newuserdatauv(lua_State *L, size_t sz, int nuvalue) {
  API_CHECK(0 <= nuvalue && nuvalue < 65535, "invalid number of values");
  Userdata *u = userdata_new(L, sz, (unsigned)nuvalue);
  API_PUSH_CELL(L, u, TAG_USERDATA);
  api_poll(L);
  return userdata_bytes(u);
}
