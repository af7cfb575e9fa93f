/* SPDX-License-Identifier: MIT */
/*
** extension.c -- the API: penumbra.h
*/
#include "penumbra.h"

#include "api/api_impl.h"
#include "vm/coroutine.h"

LUA_API void penumbra_iterators(lua_State *L, lua_CFunction next,
                                lua_CFunction ipairs_step) {
  L->global->next_function = next;
  L->global->ipairs_function = ipairs_step;
}

LUA_API int penumbra_yield(lua_State *L, int nresults) {
  API_CHECK_COUNT(L, nresults);
  return coroutine_yield_result(L, nresults);
}
