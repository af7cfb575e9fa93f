/* SPDX-License-Identifier: MIT */
/*
** state.c -- the API: states, coroutines, warnings
*/
#include "vm/state.h"

#include "api/api_impl.h"
#include "vm/coroutine.h"

const char lua_ident[] =
    "$LuaVersion: " LUA_RELEASE " (Penumbra " PENUMBRA_VERSION ") $";

LUA_API lua_State *lua_newstate(lua_Alloc f, void *ud) {
  return state_open(f, ud, sizeof(ApiState));
}

LUA_API void lua_close(lua_State *L) {
  L = L->global->main; /* another thread may be freed meanwhile */
  state_finish(L);
  trace_stop(L->global);
  samples_stop(L->global);
  recorder_stop(L->global);
  state_free(L);
}

LUA_API lua_Number lua_version(lua_State *L) {
  (void)L;
  return LUA_VERSION_NUM;
}

LUA_API lua_CFunction lua_atpanic(lua_State *L, lua_CFunction panicf) {
  lua_CFunction old = L->global->panic;
  L->global->panic = panicf;
  return old;
}

/* -- Coroutines ------------------------------------------------------------ */

LUA_API lua_State *lua_newthread(lua_State *L) {
  lua_State *thread = thread_new(L);
  API_PUSH_CELL(L, thread_of(thread), TAG_THREAD);
  api_poll(L);
  return thread;
}

LUA_API int lua_closethread(lua_State *L, lua_State *from) {
  return coroutine_close(L, from);
}

LUA_API int lua_resetthread(lua_State *L) { return lua_closethread(L, NULL); }

LUA_API int lua_resume(lua_State *L, lua_State *from, int narg, int *nres) {
  API_CHECK(L->status == LUA_YIELD || narg < L->top - L->frame->func,
            "not enough values on the stack");
  return coroutine_resume(L, from, narg, nres, false);
}

LUA_API int lua_yieldk(lua_State *L, int nresults, lua_KContext ctx,
                       lua_KFunction k) {
  API_CHECK_COUNT(L, nresults);
  return coroutine_yield(L, nresults, ctx, k);
}

LUA_API int lua_status(lua_State *L) { return L->status; }

LUA_API int lua_isyieldable(lua_State *L) { return coroutine_can_yield(L); }

/* -- Warnings -------------------------------------------------------------- */

LUA_API void lua_setwarnf(lua_State *L, lua_WarnFunction f, void *ud) {
  vm_of(L)->warn = f;
  vm_of(L)->warn_data = ud;
}

LUA_API void lua_warning(lua_State *L, const char *msg, int tocont) {
  warn_emit(L, msg, tocont != 0);
}
