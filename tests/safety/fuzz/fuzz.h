/* SPDX-License-Identifier: MIT */
/*
** fuzz.h -- what the fuzz targets share
**
** A target is one file with LLVMFuzzerTestOneInput.  It gets bytes from a
** fuzzer, or from a file of the corpus (replay.c).  No input may cause a crash,
** a hang, a leak, or a report of a sanitizer.
*/
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"
#include "penumbra.h"

#include "../../check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_UNITS = 200000, FUZZ_MEMORY = 16 << 20 };

/* An allocator that counts. */
static inline void *fuzz_allocate(void *ud, void *ptr, size_t osize,
                                  size_t nsize) {
  size_t *held = ud;
  if (ptr == NULL) osize = 0;
  if (nsize == 0) {
    free(ptr);
    *held -= osize;
    return NULL;
  }
  void *moved = realloc(ptr, nsize);
  if (moved != NULL) *held += nsize - osize;
  return moved;
}

/* Opens a state without access to the system.  *held must live as long. */
static inline lua_State *fuzz_open(size_t *held) {
  static const luaL_Reg libraries[] = {
      {LUA_GNAME, luaopen_base},       {LUA_COLIBNAME, luaopen_coroutine},
      {LUA_TABLIBNAME, luaopen_table}, {LUA_STRLIBNAME, luaopen_string},
      {LUA_MATHLIBNAME, luaopen_math}, {LUA_UTF8LIBNAME, luaopen_utf8},
      {LUA_DBLIBNAME, luaopen_debug}};
  static const char *const unwanted[] = {"print", "dofile", "loadfile", "warn"};
  *held = 0;
  lua_State *L = lua_newstate(fuzz_allocate, held);
  CHECK(L != NULL);
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
    lua_pop(L, 1);
  }
  for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
    lua_pushnil(L);
    lua_setglobal(L, unwanted[i]);
  }
  lua_getglobal(L, "debug"); /* it reads from the terminal */
  lua_pushnil(L);
  lua_setfield(L, -2, "debug");
  lua_pop(L, 1);
  penumbra_setlimit(L, FUZZ_MEMORY);
  return L;
}

/* Closes the state.  Finalizers have a budget as well. */
static inline void fuzz_close(lua_State *L, const size_t *held) {
  lua_settop(L, 0);
  lua_sethook(L, NULL, 0, 0);
  penumbra_setbudget(L, FUZZ_UNITS, 0);
  lua_close(L);
  CHECK(*held == 0);
}

/* Calls the function below nargs arguments, within limits. */
static inline int fuzz_call(lua_State *L, int nargs) {
  return penumbra_pcall(L, nargs, LUA_MULTRET, 0, FUZZ_UNITS, 0, NULL);
}

#endif
