/* SPDX-License-Identifier: MIT */
/*
** stack.c -- the API: moving values around on the stack
*/
#include "api/api_impl.h"
#include "vm/closing.h"

LUA_API int lua_absindex(lua_State *L, int idx) {
  if (idx > 0 || api_is_pseudo(idx)) return idx;
  return (int)(L->top - L->frame->func) + idx;
}

LUA_API int lua_gettop(lua_State *L) {
  return (int)(L->top - (L->frame->func + 1));
}

/* Closes the variables marked by lua_toclose that are removed. */
static void lower_top(lua_State *L, Value *top) {
  if (closing_is_pending(L, top)) {
    Cell *was = api_run(L);
    top = closing_run(L, top, CLOSE_NORMALLY, false);
    api_rest(L, was);
  }
  L->top = top;
  stack_lower(L, top);
}

LUA_API void lua_settop(lua_State *L, int idx) {
  Value *func = L->frame->func;
  if (idx < 0) {
    API_CHECK(-(idx + 1) <= L->top - (func + 1), "invalid new top");
    lower_top(L, L->top + idx + 1);
    return;
  }
  API_CHECK(idx <= L->frame->top - (func + 1), "new top too large");
  Value *top = func + 1 + idx;
  if (top < L->top) {
    lower_top(L, top);
    return;
  }
  while (L->top < top) value_set_nil(L->top++);
}

LUA_API void lua_closeslot(lua_State *L, int idx) {
  Value *level = API_SLOT(L, idx);
  API_CHECK(closing_is_pending(L, level), "no variable to close at level");
  Cell *was = api_run(L);
  level = closing_run(L, level, CLOSE_NORMALLY, false);
  api_rest(L, was);
  value_set_nil(level);
}

LUA_API void lua_toclose(lua_State *L, int idx) {
  Value *slot = API_SLOT(L, idx);
  API_CHECK(!closing_is_pending(L, slot),
            "marked index below or equal new one");
  closing_mark(L, slot);
}

LUA_API void lua_pushvalue(lua_State *L, int idx) {
  API_PUSH(L, API_AT(L, idx));
  if (value_is_nil(L->top - 1)) value_set_nil(L->top - 1);
}

static void reverse(Value *from, Value *to) {
  for (; from < to; from++, to--) {
    Value v = *from;
    value_copy(from, to);
    value_copy(to, &v);
  }
}

/* Exchanges two parts of the stack: reverses each of them, then the whole. */
LUA_API void lua_rotate(lua_State *L, int idx, int n) {
  Value *last = L->top - 1;
  Value *first = API_SLOT(L, idx);
  API_CHECK((n >= 0 ? n : -n) <= last - first + 1, "invalid 'n'");
  Value *middle = n >= 0 ? last - n : first - n - 1;
  reverse(first, middle);
  reverse(middle + 1, last);
  reverse(first, last);
  api_stored(L, first);
}

LUA_API void lua_copy(lua_State *L, int fromidx, int toidx) {
  const Value *from = API_AT(L, fromidx);
  Value *to = (Value *)(uintptr_t)API_AT(L, toidx);
  API_CHECK(api_is_valid(to), "invalid index");
  value_copy(to, from);
  if (value_is_nil(to)) value_set_nil(to);
  if (!tag_is_collectable(to->tag)) return;
  if (toidx < LUA_REGISTRYINDEX)
    gc_barrier_forward(gc_of(L), value_cell(L->frame->func), value_cell(to));
  else if (toidx == LUA_REGISTRYINDEX)
    return;
  else if (api_is_running(L))
    stack_barrier(L, to); /* a loop may write all slots: api_stored would
                            ** lower the watermark for each */
  else
    api_stored(L, to);
}

LUA_API int lua_checkstack(lua_State *L, int n) {
  API_CHECK(n >= 0, "negative 'n'");
  Frame *f = L->frame;
  if (L->end - L->top < n && !stack_try_reserve(L, (size_t)n)) return 0;
  f = L->frame;
  if (f->top < L->top + n) f->top = L->top + n;
  return 1;
}

LUA_API void lua_xmove(lua_State *from, lua_State *to, int n) {
  if (from == to) return;
  API_CHECK_COUNT(from, n);
  API_CHECK(from->global == to->global, "threads of different states");
  API_CHECK(to->frame->top - to->top >= n, "stack overflow");
  api_pop(from, n);
  for (int i = 0; i < n; i++) {
    value_copy(to->top, from->top + i);
    to->top++;
  }
  api_stored(to, to->top - n);
}
