/* SPDX-License-Identifier: MIT */
/*
** extension.c -- the API: penumbra.h
*/
#include "penumbra.h"

#include "api/api_impl.h"
#include "object/decimal.h"
#include "vm/builtin.h"
#include "vm/call.h"
#include "vm/coroutine.h"

LUA_API void penumbra_iterators(lua_State *L, lua_CFunction next,
                                lua_CFunction ipairs_step) {
  L->global->next_function = next;
  L->global->ipairs_function = ipairs_step;
}

LUA_API void penumbra_wrapped(lua_State *L, lua_CFunction wrapped,
                              lua_CFunction failed) {
  L->global->wrapped_function = wrapped;
  L->global->wrapped_failed = failed;
}

LUA_API void penumbra_builtin(lua_State *L, enum penumbra_Builtin which,
                              lua_CFunction function) {
  API_CHECK(which < PENUMBRA_BUILTIN_COUNT, "no such function");
  builtin_set(L->global, which, function);
}

LUA_API void *penumbra_patternspace(lua_State *L, size_t size) {
  Global *g = L->global;
  if (g->pattern_space) return g->pattern_space;
  g->pattern_space = heap_raw_allocate(&g->gc.heap, size);
  if (!g->pattern_space) return NULL;
  memset(g->pattern_space, 0, size);
  g->pattern_space_size = size;
  return g->pattern_space;
}

LUA_API size_t penumbra_writefloat(char *text, lua_Number n, char letter,
                                   int precision) {
  static_assert((int)DECIMAL_TEXT_SIZE == PENUMBRA_FLOATSIZE, "same size");
  return decimal_write(text, n, letter, precision);
}

LUA_API int penumbra_test(lua_State *L, int function, int a, int b) {
  Value *func = L->top;
  API_CHECK(L->frame->top - func >= 3, "stack overflow");
  value_copy(&func[0], API_AT(L, function));
  value_copy(&func[1], API_AT(L, a));
  value_copy(&func[2], API_AT(L, b));
  L->top = func + 3;
  Cell *was = api_run(L);
  call_value_no_yield(L, func, 1);
  api_rest(L, was);
  api_pop(L, 1);
  return !value_is_falsy(L->top);
}

LUA_API int penumbra_yield(lua_State *L, int nresults) {
  API_CHECK_COUNT(L, nresults);
  return coroutine_yield_result(L, nresults);
}

LUA_API void penumbra_setsampler(lua_State *L, size_t bytes,
                                 penumbra_Sampler f, void *ud) {
  GcSampler sampler = {f, ud, bytes, 0};
  gc_set_sampler(gc_of(L), f ? &sampler : NULL);
}

LUA_API lua_State *penumbra_running(lua_State *L) {
  return thread_running(L);
}

LUA_API int penumbra_iscollecting(lua_State *L) { return gc_of(L)->inside; }

LUA_API void penumbra_zeros_from(lua_State *L, size_t size) {
  gc_of(L)->heap.zeros_from = size;
}

LUA_API void penumbra_discards(lua_State *L, penumbra_Discard discard) {
  gc_of(L)->heap.discard = discard;
}
