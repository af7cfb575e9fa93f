/* SPDX-License-Identifier: MIT */
/*
** query.c -- the API: types, comparisons, conversions and operators
*/
#include "api/api_impl.h"
#include "object/budget.h"
#include "object/number.h"
#include "vm/access.h"
#include "vm/operate.h"

LUA_API int lua_type(lua_State *L, int idx) {
  const Value *v = API_AT(L, idx);
  return api_is_valid(v) ? value_type(v) : LUA_TNONE;
}

LUA_API const char *lua_typename(lua_State *L, int tp) {
  (void)L;
  API_CHECK(LUA_TNONE <= tp && tp < LUA_NUMTYPES, "invalid type");
  return type_name(tp);
}

LUA_API int lua_iscfunction(lua_State *L, int idx) {
  const Value *v = API_AT(L, idx);
  return v->tag == TAG_C_FUNCTION || v->tag == TAG_C_CLOSURE;
}

LUA_API int lua_isinteger(lua_State *L, int idx) {
  return value_is_integer(API_AT(L, idx));
}

LUA_API int lua_isnumber(lua_State *L, int idx) {
  lua_Number n;
  const Value *v = API_AT(L, idx);
  budget_numeral(L, v);
  return value_to_float(v, &n);
}

LUA_API int lua_isstring(lua_State *L, int idx) {
  const Value *v = API_AT(L, idx);
  return value_is_string(v) || value_is_number(v);
}

LUA_API int lua_isuserdata(lua_State *L, int idx) {
  const Value *v = API_AT(L, idx);
  return v->tag == TAG_USERDATA || v->tag == TAG_POINTER;
}

LUA_API int lua_rawequal(lua_State *L, int idx1, int idx2) {
  const Value *a = API_AT(L, idx1), *b = API_AT(L, idx2);
  budget_spend_compared(L, a, b);
  return api_is_valid(a) && api_is_valid(b) && value_raw_equal(a, b);
}

LUA_API int lua_compare(lua_State *L, int idx1, int idx2, int op) {
  const Value *a = API_AT(L, idx1), *b = API_AT(L, idx2);
  bool result = false;
  if (op == LUA_OPLT && a->tag == b->tag) { /* fast path for sorting */
    if (a->tag == TAG_INTEGER) return a->as.i < b->as.i;
    if (a->tag == TAG_FLOAT) return a->as.n < b->as.n;
  }
  if (!api_is_valid(a) || !api_is_valid(b)) return 0;
  Cell *was = api_run(L);
  switch (op) {
    case LUA_OPEQ: result = operate_equal(L, a, b); break;
    case LUA_OPLT: result = operate_less(L, a, b); break;
    case LUA_OPLE: result = operate_less_equal(L, a, b); break;
    default: /* not covered: the check fails */
      API_CHECK(false, "invalid option");
  }
  api_rest(L, was);
  return result;
}

/* -- Conversions ----------------------------------------------------------- */

LUA_API lua_Number lua_tonumberx(lua_State *L, int idx, int *isnum) {
  lua_Number n = 0;
  const Value *v = API_AT(L, idx);
  budget_numeral(L, v);
  bool ok = value_to_float(v, &n);
  if (isnum) *isnum = ok;
  return ok ? n : 0;
}

LUA_API lua_Integer lua_tointegerx(lua_State *L, int idx, int *isnum) {
  const Value *v = API_AT(L, idx);
  lua_Integer i = 0;
  if (LIKELY(v->tag == TAG_INTEGER)) {
    if (isnum) *isnum = true;
    return v->as.i;
  }
  budget_numeral(L, v);
  bool ok = value_to_integer(v, &i, ROUND_EXACT);
  if (isnum) *isnum = ok;
  return ok ? i : 0;
}

LUA_API int lua_toboolean(lua_State *L, int idx) {
  const Value *v = API_AT(L, idx);
  return !(value_is_nil(v) || v->tag == TAG_FALSE);
}

/* Replaces a number by its string, in the same place. */
static void stringify(lua_State *L, int idx) {
  char text[NUMBER_TEXT_SIZE];
  budget_text(L, API_AT(L, idx));
  size_t length = number_to_text(API_AT(L, idx), text);
  String *s = string_new(L, text, length);
  Value *slot = (Value *)(uintptr_t)API_AT(L, idx);
  value_set_string(slot, s);
  if (idx < LUA_REGISTRYINDEX)
    gc_barrier_forward(gc_of(L), value_cell(L->frame->func), &s->cell);
  else
    api_stored(L, slot);
  api_poll(L);
}

/* The same as lua_tolstring for a value that is no string.  A function of its
** own, so that lua_tolstring need not save registers. */
static NO_INLINE const char *number_to_lstring(lua_State *L, int idx,
                                               size_t *len) {
  if (!value_is_number(API_AT(L, idx))) {
    if (len) *len = 0;
    return NULL;
  }
  stringify(L, idx);
  return lua_tolstring(L, idx, len);
}

LUA_API const char *lua_tolstring(lua_State *L, int idx, size_t *len) {
  const Value *v = API_AT(L, idx);
  if (UNLIKELY(!value_is_string(v))) return number_to_lstring(L, idx, len);
  const String *s = value_string(v);
  if (len) *len = string_length(s);
  return string_bytes(s);
}

LUA_API lua_Unsigned lua_rawlen(lua_State *L, int idx) {
  const Value *v = API_AT(L, idx);
  if (value_is_string(v)) return string_length(value_string(v));
  if (value_is_userdata(v)) return userdata_size(value_userdata(v));
  if (value_is_table(v)) return table_length(L, value_table(v));
  return 0;
}

LUA_API lua_CFunction lua_tocfunction(lua_State *L, int idx) {
  const Value *v = API_AT(L, idx);
  if (v->tag == TAG_C_FUNCTION) return v->as.f;
  if (v->tag == TAG_C_CLOSURE) return value_c_closure(v)->function;
  return NULL;
}

LUA_API void *lua_touserdata(lua_State *L, int idx) {
  const Value *v = API_AT(L, idx);
  if (v->tag == TAG_USERDATA) return userdata_bytes(value_userdata(v));
  return v->tag == TAG_POINTER ? v->as.p : NULL;
}

LUA_API lua_State *lua_tothread(lua_State *L, int idx) {
  const Value *v = API_AT(L, idx);
  return value_is_thread(v) ? value_thread(v) : NULL;
}

LUA_API const void *lua_topointer(lua_State *L, int idx) {
  const Value *v = API_AT(L, idx);
  switch (v->tag) {
    case TAG_C_FUNCTION: return (const void *)(uintptr_t)v->as.f;
    case TAG_USERDATA: return userdata_bytes(value_userdata(v));
    case TAG_POINTER: return v->as.p;
    case TAG_THREAD: return value_thread(v);
    default: return value_cell_or_null(v);
  }
}

LUA_API size_t lua_stringtonumber(lua_State *L, const char *s) {
  size_t length = budget_strlen(L, s);
  if (UNLIKELY(L->global->budget.on)) budget_numeral_slow(L, length);
  if (!number_from_text(s, length, L->top)) return 0;
  API_GROW_TOP(L);
  return length + 1;
}

/* -- Operators ------------------------------------------------------------- */

LUA_API void lua_arith(lua_State *L, int op) {
  API_CHECK(op >= LUA_OPADD && op <= LUA_OPBNOT, "invalid option");
  Cell *was = api_run(L);
  if (op == LUA_OPUNM || op == LUA_OPBNOT) {
    API_CHECK_COUNT(L, 1);
    API_PUSH(L, L->top - 1);
  }
  API_CHECK_COUNT(L, 2);
  stack_lower(L, L->top - 2);
  operate_arith(L, op, L->top - 2, L->top - 1, L->top - 2);
  L->top--;
  api_rest(L, was);
}

LUA_API void lua_concat(lua_State *L, int n) {
  API_CHECK_COUNT(L, n);
  Cell *was = api_run(L);
  stack_lower(L, L->top - n);
  if (n == 0)
    API_PUSH_STRING(L, string_new(L, "", 0));
  else if (n > 1)
    operate_concat(L, n);
  api_rest(L, was);
  api_poll(L);
}

LUA_API void lua_len(lua_State *L, int idx) {
  const Value *v = API_AT(L, idx);
  Cell *was = api_run(L);
  access_length(L, v, L->top);
  API_GROW_TOP(L);
  api_rest(L, was);
}
