/* SPDX-License-Identifier: MIT */
/*
** debug.c -- the API: the debug interface
*/
#include "vm/debug.h"

#include "api/api_impl.h"

LUA_API int lua_getstack(lua_State *L, int level, lua_Debug *ar) {
  return debug_get_stack(L, level, ar);
}

/* With '>', pops a function.  Pushes up to two values.  The collector is told
** before and after: a table of lines is on the stack while it grows, and then
** an emergency may come. */
LUA_API int lua_getinfo(lua_State *L, const char *what, lua_Debug *ar) {
  ptrdiff_t first = stack_save(L, *what == '>' ? L->top - 1 : L->top);
  api_stored(L, stack_restore(L, first));
  int result = debug_get_info(L, what, ar);
  const Value *slot = stack_restore(L, first);
  if (L->top > slot) api_stored(L, slot);
  api_poll_quietly(L);
  return result;
}

LUA_API const char *lua_getlocal(lua_State *L, const lua_Debug *ar, int n) {
  const char *name = debug_get_local(L, ar, n);
  if (name && ar) api_stored(L, L->top - 1);
  stack_lower(L, L->top);
  return name;
}

LUA_API const char *lua_setlocal(lua_State *L, const lua_Debug *ar, int n) {
  const char *name = debug_set_local(L, ar, n);
  stack_lower(L, L->top);
  return name;
}

LUA_API void lua_sethook(lua_State *L, lua_Hook func, int mask, int count) {
  debug_set_hook(L, func, mask, count);
}

LUA_API lua_Hook lua_gethook(lua_State *L) { return L->hook; }
LUA_API int lua_gethookmask(lua_State *L) { return L->hook_mask & ~HOOK_STEP; }
LUA_API int lua_gethookcount(lua_State *L) { return L->base_hook_count; }

LUA_API int lua_setcstacklimit(lua_State *L, unsigned int limit) {
  (void)L;
  (void)limit;
  return C_CALLS_MAX;
}

/* -- Upvalues -------------------------------------------------------------- */

/* An upvalue of a function: its name, its value and the object that holds the
** value. */
typedef struct UpValuePlace {
  const char *name; /* NULL: there is no such upvalue */
  Value *value;
  UpValue *upvalue; /* the holder, for a Lua function */
  Cell *owner;      /* the holder, for a C function */
} UpValuePlace;

static UpValuePlace upvalue_place(const Value *function, int n) {
  UpValuePlace place = {NULL, NULL, NULL, NULL};
  if (function->tag == TAG_C_CLOSURE) {
    CClosure *c = value_c_closure(function);
    if (n < 1 || n > c->cell.user) return place;
    place.name = "";
    place.value = &c->upvalue[n - 1];
    place.owner = &c->cell;
  } else if (function->tag == TAG_LUA_CLOSURE) {
    LuaClosure *c = value_lua_closure(function);
    if (n < 1 || n > c->cell.user) return place;
    const String *name = c->proto->upvalues[n - 1].name;
    place.name = name ? string_bytes(name) : "(no name)";
    place.upvalue = c->upvalue[n - 1];
    place.value = place.upvalue->v;
  }
  return place;
}

LUA_API const char *lua_getupvalue(lua_State *L, int funcindex, int n) {
  UpValuePlace place = upvalue_place(API_AT(L, funcindex), n);
  if (place.name) API_PUSH(L, place.value);
  return place.name;
}

LUA_API const char *lua_setupvalue(lua_State *L, int funcindex, int n) {
  API_CHECK_COUNT(L, 1);
  Gc *gc = gc_of(L);
  UpValuePlace place = upvalue_place(API_AT(L, funcindex), n);
  if (!place.name) return NULL;
  api_pop(L, 1);
  if (place.upvalue) {
    upvalue_set(gc, place.upvalue, L->top);
  } else {
    value_copy(place.value, L->top);
    if (tag_is_collectable(L->top->tag))
      gc_barrier_forward(gc, place.owner, value_cell(L->top));
  }
  return place.name;
}

LUA_API void *lua_upvalueid(lua_State *L, int fidx, int n) {
  UpValuePlace place = upvalue_place(API_AT(L, fidx), n);
  if (!place.name) return NULL;
  return place.upvalue ? (void *)place.upvalue : (void *)place.value;
}

static LuaClosure *closure_at(lua_State *L, int index, int n) {
  const Value *v = API_AT(L, index);
  API_CHECK(value_is_lua_closure(v), "Lua function expected");
  LuaClosure *c = value_lua_closure(v);
  API_CHECK(1 <= n && n <= c->cell.user, "invalid upvalue index");
  (void)n;
  return c;
}

LUA_API void lua_upvaluejoin(lua_State *L, int fidx1, int n1, int fidx2,
                             int n2) {
  LuaClosure *to = closure_at(L, fidx1, n1);
  LuaClosure *from = closure_at(L, fidx2, n2);
  UpValue *shared = from->upvalue[n2 - 1];
  to->upvalue[n1 - 1] = shared;
  gc_barrier_forward(gc_of(L), &to->cell, &shared->cell);
}
