/* SPDX-License-Identifier: MIT */
/*
** sweep.c -- programs with every allocation failing in turn
**
**     sweep TRIES program.lua...
**
** Each program runs once to count the requests to its allocator.  Then it runs
** repeatedly.  Each time another request fails, either alone or with all that
** follow.  TRIES requests are spread over the run; 0 means all.  Nothing may
** crash or leak, the state must stay usable, and the error must be "not enough
** memory".
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"
#include "penumbra.h"

enum { UNITS = 20000000 }; /* budget of one run */

typedef struct Allocator {
  size_t bytes;
  unsigned long requests;
  unsigned long fail_at; /* 0: never */
  int fail_after;        /* all later requests fail, too */
} Allocator;

static void *allocate(void *ud, void *ptr, size_t osize, size_t nsize) {
  Allocator *a = ud;
  if (ptr == NULL) osize = 0;
  if (nsize == 0) {
    free(ptr);
    a->bytes -= osize;
    return NULL;
  }
  a->requests++;
  if (nsize > osize && a->fail_at &&
      (a->requests == a->fail_at ||
       (a->fail_after && a->requests > a->fail_at)))
    return NULL;
  void *moved = realloc(ptr, nsize);
  if (moved) a->bytes += nsize - osize;
  return moved;
}

static int quiet(lua_State *L) {
  (void)L;
  return 0;
}

static int run_body(lua_State *L) {
  const char *path = lua_touserdata(L, 1);
  luaL_openlibs(L);
  lua_register(L, "print", quiet);
  lua_getglobal(L, "io");
  lua_pushcfunction(L, quiet);
  lua_setfield(L, -2, "write");
  if (luaL_loadfile(L, path) != LUA_OK) return lua_error(L);
  lua_call(L, 0, 0);
  return 0;
}

static void complain(const char *path, const Allocator *a, const char *what) {
  fprintf(stderr, "%s, request %lu%s: %s\n", path, a->fail_at,
          a->fail_after ? " and all that follow" : "", what);
  exit(1);
}

/* Checks that the state works again when memory is back. */
static int use_body(lua_State *L) {
  luaL_openlibs(L);
  if (luaL_dostring(L, "local t = {} for i = 1, 100 do t[i] = {i .. ''} end "
                       "return #t"))
    return lua_error(L);
  if (lua_tointeger(L, -1) != 100) return luaL_error(L, "wrong");
  return 0;
}

static void run(const char *path, Allocator *a) {
  char name[1024];
  lua_State *L = lua_newstate(allocate, a);
  snprintf(name, sizeof name, "%s", path);
  if (L == NULL) {
    if (a->bytes != 0) complain(path, a, "bytes lost without a state");
    return;
  }
  lua_pushcfunction(L, run_body);
  lua_pushlightuserdata(L, name);
  int status = penumbra_pcall(L, 1, 0, 0, UNITS, 0, NULL);
  if (status == LUA_ERRMEM &&
      strcmp(lua_tostring(L, -1), "not enough memory") != 0)
    complain(path, a, "another message");
  lua_sethook(L, NULL, 0, 0);
  lua_settop(L, 0);
  unsigned long fail_at = a->fail_at;
  a->fail_at = 0;
  lua_pushcfunction(L, use_body);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
    a->fail_at = fail_at;
    complain(path, a, lua_tostring(L, -1));
  }
  penumbra_setbudget(L, UNITS, 0); /* for finalizers of the program */
  lua_close(L);
  a->fail_at = fail_at;
  if (a->bytes != 0) complain(path, a, "bytes lost");
}

static unsigned long sweep(const char *path, unsigned long tries) {
  Allocator all = {0};
  unsigned long count = 0;
  run(path, &all);
  unsigned long step = tries ? all.requests / tries + 1 : 1;
  for (unsigned long n = 1; n <= all.requests; n += step) {
    for (int after = 0; after <= 1; after++, count++) {
      Allocator a = {.fail_at = n, .fail_after = after};
      run(path, &a);
    }
  }
  return count;
}

int main(int argc, char **argv) {
  unsigned long runs = 0;
  if (argc < 3) {
    fprintf(stderr, "usage: sweep TRIES program.lua...\n");
    return 2;
  }
  for (int i = 2; i < argc; i++)
    runs += sweep(argv[i], strtoul(argv[1], NULL, 10));
  printf("%lu runs of %d programs\n", runs, argc - 2);
  return 0;
}
