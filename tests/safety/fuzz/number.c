/* SPDX-License-Identifier: MIT */
/*
** number.c -- numerals: a number that is written reads back as the same
*/
#include "fuzz.h"

static void check_round_trip(lua_State *L, int idx) {
  char text[200];
  if (lua_isinteger(L, idx)) {
    lua_pushvalue(L, idx);
    const char *s = lua_tostring(L, -1);
    CHECK(lua_stringtonumber(L, s) == strlen(s) + 1);
    CHECK(lua_rawequal(L, -1, idx));
    lua_pop(L, 2);
    return;
  }
  lua_Number n = lua_tonumber(L, idx);
  if (n != n || n - n != 0) return;
  lua_getglobal(L, "string");
  lua_getfield(L, -1, "format");
  lua_pushliteral(L, "%a");
  lua_pushnumber(L, n);
  CHECK(lua_pcall(L, 2, 1, 0) == LUA_OK);
  CHECK(lua_stringtonumber(L, lua_tostring(L, -1)) > 0);
  CHECK(lua_tonumber(L, -1) == n);
  snprintf(text, sizeof text, "%.17g", n);
  CHECK(lua_stringtonumber(L, text) > 0);
  CHECK(lua_tonumber(L, -1) == n);
  lua_settop(L, idx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t held;
  lua_State *L = fuzz_open(&held);
  lua_pushlstring(L, (const char *)data, size);
  const char *s = lua_tostring(L, 1);
  if (lua_stringtonumber(L, s)) check_round_trip(L, lua_gettop(L));
  lua_settop(L, 1);
  if (size >= sizeof(lua_Number)) {
    lua_Number n;
    lua_Integer i;
    memcpy(&n, data, sizeof n);
    memcpy(&i, data, sizeof i);
    lua_pushnumber(L, n);
    check_round_trip(L, 2);
    lua_pushinteger(L, i);
    check_round_trip(L, lua_gettop(L));
    lua_settop(L, 1);
  }
  lua_getglobal(L, "tonumber");
  lua_pushvalue(L, 1);
  lua_pushinteger(L, size ? 2 + data[0] % 35 : 10);
  fuzz_call(L, 2);
  fuzz_close(L, &held);
  return 0;
}
