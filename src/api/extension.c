/* SPDX-License-Identifier: MIT */
/*
** extension.c -- the API: penumbra.h, for profilers and allocators
*/
#include "api/api_impl.h"

LUA_API int penumbra_version(void) { return PENUMBRA_VERSION_NUM; }

LUA_API void penumbra_setsampler(lua_State *L, size_t bytes, penumbra_Sampler f,
                                 void *ud) {
  GcSampler sampler = {f, ud, bytes, 0};
  gc_set_sampler(gc_of(L), f ? &sampler : NULL);
}

LUA_API lua_State *penumbra_running(lua_State *L) { return thread_running(L); }

LUA_API int penumbra_iscollecting(lua_State *L) { return gc_of(L)->inside; }

LUA_API void penumbra_setzeros(lua_State *L, size_t size) {
  heap_set_zeros(&gc_of(L)->heap, size);
}

LUA_API void penumbra_setdiscard(lua_State *L, penumbra_Discard discard) {
  heap_set_discard(&gc_of(L)->heap, discard);
}
