/* SPDX-License-Identifier: MIT */
/*
** deprecated.c -- the API: names of version 0.1.0 in penumbra.h
**
** A host that was linked with them still starts.  They go with version 0.2.
*/
#define PENUMBRA_NODEPRECATED

#include "api/api_impl.h"
#include "penumbra.h"

LUA_API lua_Unsigned penumbra_setframe(lua_State *L,
                                       lua_Unsigned microseconds) {
  return penumbra_setframebudget(L, microseconds);
}

LUA_API lua_Unsigned penumbra_getspent(lua_State *L) {
  return penumbra_getbudgetused(L);
}

LUA_API void penumbra_setdecide(lua_State *L, penumbra_BudgetHook f, void *ud) {
  penumbra_setbudgethook(L, f, ud);
}

LUA_API void penumbra_mark(lua_State *L, const char *name) {
  penumbra_tracemark(L, name);
}

LUA_API int penumbra_issnapshot(lua_State *L) {
  return penumbra_isinspecting(L);
}

LUA_API int penumbra_list(lua_State *L, int full, lua_Writer writer,
                          void *data) {
  return penumbra_listcode(L, full, writer, data);
}
