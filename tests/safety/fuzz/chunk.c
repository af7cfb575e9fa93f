/* SPDX-License-Identifier: MIT */
/*
** chunk.c -- any bytes as a binary chunk
**
** The header is added if it is missing, so that the fuzzer need not find it.
*/
#include "fuzz.h"

static size_t header_of(lua_State *L, const char **chunk) {
  size_t length;
  lua_getglobal(L, "string");
  lua_getfield(L, -1, "dump");
  CHECK(luaL_loadstring(L, "") == LUA_OK);
  CHECK(lua_pcall(L, 1, 1, 0) == LUA_OK);
  *chunk = lua_tolstring(L, -1, &length);
  for (size_t i = 0; i + 9 < length; i++)
    if (memcmp(*chunk + i, "Penumbra", 8) == 0) return i + 9;
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t held;
  const char *chunk;
  lua_State *L = fuzz_open(&held);
  if (size > 0 && data[0] == 27) {
    if (luaL_loadbufferx(L, (const char *)data, size, "=fuzz", "b") == LUA_OK)
      fuzz_call(L, 0);
  } else {
    size_t header = header_of(L, &chunk);
    char *whole = malloc(header + size);
    memcpy(whole, chunk, header);
    if (size > 0) memcpy(whole + header, data, size);
    if (luaL_loadbufferx(L, whole, header + size, "=fuzz", "b") == LUA_OK)
      fuzz_call(L, 0);
    free(whole);
  }
  fuzz_close(L, &held);
  return 0;
}
