/* SPDX-License-Identifier: MIT */
/*
** pattern.c -- the pattern ends at the first zero; the rest is the subject
*/
#include <stdbool.h>

#include "fuzz.h"

static void call(lua_State *L, const char *name) {
  lua_getglobal(L, "string");
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  bool replaces = strcmp(name, "gsub") == 0;
  if (replaces) lua_pushliteral(L, "<%0%1%%>");
  fuzz_call(L, replaces ? 3 : 2);
}

/* Takes the first results of an iterator. */
static void iterate(lua_State *L) {
  for (int i = 0; i < 20 && lua_isfunction(L, 3); i++) {
    lua_settop(L, 3);
    lua_pushvalue(L, 3);
    if (fuzz_call(L, 0) != LUA_OK) return;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t held;
  const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
  size_t pattern = zero ? (size_t)(zero - data) : size;
  size_t rest = zero ? size - pattern - 1 : 0;
  lua_State *L = fuzz_open(&held);
  lua_pushlstring(L, zero ? (const char *)zero + 1 : "", rest);
  lua_pushlstring(L, (const char *)data, pattern);
  static const char *const names[] = {"find", "match", "gmatch", "gsub"};
  for (int i = 0; i < 4; i++) {
    call(L, names[i]);
    iterate(L);
    lua_settop(L, 2);
  }
  fuzz_close(L, &held);
  return 0;
}
