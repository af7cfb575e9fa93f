/* SPDX-License-Identifier: MIT */
/*
** own.h -- for programs that test promises of this implementation only
**
** They use the public headers and our static library.  A check that fails
** prints its place and ends the program.
*/
#ifndef OWN_H
#define OWN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"
#include "penumbra.h"

#include "../../../check.h"

#if defined(__has_feature)
#define OWN_HAS(feature) __has_feature(feature)
#else
#define OWN_HAS(feature) 0
#endif

/* Sanitizers change sizes and times. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    OWN_HAS(address_sanitizer) || OWN_HAS(thread_sanitizer)
#define OWN_SANITIZED 1
#else
#define OWN_SANITIZED 0
#endif

/* Opens a state with luaL_newstate, and its libraries. */
static inline lua_State *own_open(void) {
  lua_State *L = luaL_newstate();
  CHECK(L != NULL);
  luaL_openlibs(L);
  return L;
}

/* Runs a chunk that must succeed.  Its results stay on the stack. */
static inline void own_run(lua_State *L, const char *code) {
  if (luaL_loadstring(L, code) || lua_pcall(L, 0, LUA_MULTRET, 0)) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    abort();
  }
}

/* An allocator that counts, with no better alignment than malloc. */
typedef struct OwnAllocator {
  size_t bytes;
  size_t peak;
  size_t pieces;
} OwnAllocator;

static inline void *own_allocate(void *ud, void *p, size_t osize,
                                 size_t nsize) {
  OwnAllocator *a = (OwnAllocator *)ud;
  void *moved = NULL;
  if (p == NULL) osize = 0;
  if (nsize == 0) {
    free(p);
    a->pieces -= p != NULL;
  } else {
    moved = realloc(p, nsize);
    if (moved == NULL) return NULL;
    a->pieces += p == NULL;
  }
  a->bytes += nsize - osize;
  if (a->bytes > a->peak) a->peak = a->bytes;
  return moved;
}

#endif
