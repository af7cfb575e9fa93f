/* SPDX-License-Identifier: MIT */
/*
** utf8.c -- the utf8 library on any bytes
*/
#include "fuzz.h"

static const char program[] =
    "local s, lax = ...\n"
    "local n = utf8.len(s, 1, -1, lax)\n"
    "if n then\n"
    "  local codes, count = {}, 0\n"
    "  for p, c in utf8.codes(s, lax) do\n"
    "    count = count + 1 codes[count] = c\n"
    "    assert(utf8.offset(s, count) == p)\n"
    "    assert(utf8.codepoint(s, p, p, lax) == c)\n"
    "  end\n"
    "  assert(count == n)\n"
    "  if n < 200 then assert(utf8.char(table.unpack(codes)) == s or lax) end\n"
    "else\n"
    "  assert(not pcall(function() for _ in utf8.codes(s, lax) do end end))\n"
    "end\n"
    "for i = -3, 3 do pcall(utf8.offset, s, i) pcall(utf8.len, s, i) end\n"
    "return true\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t held;
  if (size > 4096) return 0;
  lua_State *L = fuzz_open(&held);
  for (int lax = 0; lax <= 1; lax++) {
    CHECK(luaL_loadstring(L, program) == LUA_OK);
    lua_pushlstring(L, (const char *)data, size);
    lua_pushboolean(L, lax);
    if (penumbra_pcall(L, 2, 1, 0, 100 * FUZZ_UNITS, 0, NULL) != LUA_OK) {
      fprintf(stderr, "%s\n", lua_tostring(L, -1));
      abort();
    }
    lua_settop(L, 0);
  }
  fuzz_close(L, &held);
  return 0;
}
