/* SPDX-License-Identifier: MIT */
/*
** budget.c -- the API: budgets, of penumbra.h
*/
#include "object/budget.h"

#include "api/api_impl.h"

LUA_API void penumbra_setbudget(lua_State *L, lua_Unsigned units,
                                lua_Unsigned microseconds) {
  budget_set(L, units, api_nanoseconds(microseconds));
}

LUA_API void penumbra_addbudget(lua_State *L, lua_Unsigned units,
                                lua_Unsigned microseconds) {
  budget_add(L, units, api_nanoseconds(microseconds));
}

LUA_API lua_Unsigned penumbra_getbudgetused(lua_State *L) {
  return budget_used(L);
}

static_assert(PENUMBRA_STOP == (int)BUDGET_STOP &&
                  PENUMBRA_MORE == (int)BUDGET_MORE &&
                  PENUMBRA_SUSPEND == (int)BUDGET_YIELD,
              "the same answers");

LUA_API void penumbra_setbudgethook(lua_State *L, penumbra_BudgetHook f,
                                    void *ud) {
  L->global->decide = f;
  L->global->decide_data = ud;
}

/* lua_pcall returns even if the outer budget is spent during the call.  Then
** budget_end leaves the outer budget spent as well, and it raises its error
** when it is checked next. */
LUA_API int penumbra_pcall(lua_State *L, int nargs, int nresults, int msgh,
                           lua_Unsigned units, lua_Unsigned microseconds,
                           int *over) {
  OuterBudget outer;
  bool outer_was_over = L->global->budget_was_over;
  budget_begin(L, &outer, units, api_nanoseconds(microseconds));
  int status = lua_pcall(L, nargs, nresults, msgh);
  bool was_over = L->global->budget_was_over;
  L->global->budget_was_over = outer_was_over;
  budget_end(L, &outer);
  if (over) *over = was_over && status != LUA_OK;
  return status;
}

/* More units than a budget has are as many as it has: the fuel must not wrap
** around. */
LUA_API void penumbra_spend(lua_State *L, size_t units) {
  const uint64_t most = INT64_MAX / 2;
  budget_spend(L, units < most ? units : (size_t)most);
}
