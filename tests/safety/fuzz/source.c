/* SPDX-License-Identifier: MIT */
/*
** source.c -- any text as a program: loaded, dumped, loaded again, run
*/
#include "fuzz.h"

/* The verifier must accept the output of the compiler. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t held;
  lua_State *L = fuzz_open(&held);
  if (luaL_loadbufferx(L, (const char *)data, size, "=fuzz", "t") == LUA_OK) {
    lua_getglobal(L, "string");
    lua_getfield(L, -1, "dump");
    lua_pushvalue(L, 1);
    if (lua_pcall(L, 1, 1, 0) == LUA_OK) {
      size_t length;
      const char *chunk = lua_tolstring(L, -1, &length);
      CHECK(luaL_loadbufferx(L, chunk, length, "=chunk", "b") == LUA_OK);
    }
    lua_settop(L, 1);
    fuzz_call(L, 0);
  }
  fuzz_close(L, &held);
  return 0;
}
