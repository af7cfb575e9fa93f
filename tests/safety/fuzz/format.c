/* SPDX-License-Identifier: MIT */
/*
** format.c -- string.format, pack, unpack, packsize: the format ends at the
** first zero; the rest is unpacked, and provides the values
*/
#include "fuzz.h"

/* Pushes values of all types, made from the rest. */
static int push_values(lua_State *L, const uint8_t *rest, size_t size) {
  lua_Integer integer = 0;
  lua_Number number = 0;
  memcpy(&integer, rest, size < 8 ? size : 8);
  if (size > 8) memcpy(&number, rest + 8, size - 8 < 8 ? size - 8 : 8);
  lua_pushinteger(L, integer);
  lua_pushnumber(L, number);
  lua_pushlstring(L, (const char *)rest, size);
  lua_pushboolean(L, 1);
  lua_pushnil(L);
  lua_pushinteger(L, integer & 0xff);
  return 6;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const uint8_t none[1];
  static const char *const names[] = {"format", "pack", "packsize"};
  size_t held;
  const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
  size_t format = zero ? (size_t)(zero - data) : size;
  size_t rest = zero ? size - format - 1 : 0;
  const uint8_t *bytes = zero ? zero + 1 : none;
  lua_State *L = fuzz_open(&held);
  lua_getglobal(L, "string");
  for (int i = 0; i < 3; i++) {
    lua_getfield(L, 1, names[i]);
    lua_pushlstring(L, (const char *)data, format);
    fuzz_call(L, 1 + (i < 2 ? push_values(L, bytes, rest) : 0));
    lua_settop(L, 1);
  }
  lua_getfield(L, 1, "unpack");
  lua_pushlstring(L, (const char *)data, format);
  lua_pushlstring(L, (const char *)bytes, rest);
  fuzz_call(L, 2);
  fuzz_close(L, &held);
  return 0;
}
