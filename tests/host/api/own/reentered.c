/* SPDX-License-Identifier: MIT */
/*
** reentered.c -- functions of penumbra.gc that a finalizer calls again
**
** Such a function makes an object that the collector writes into, and keeps it
** in the registry.  Making it may run finalizers, and these may call the same
** function.  Nobody may lose the object that is in use.
*/
#include "own.h"

/* Calls `outer` again and again, while finalizers call `inner`. */
static const char *const driver =
    "local outer, inner = ...\n"
    "local gc = require 'penumbra.gc'\n"
    "outer = assert(load('local gc, i = ... ' .. outer))\n"
    "inner = assert(load('local gc, i = ... ' .. inner))\n"
    "local inside, nested = false, 0\n"
    "local mt = {__gc = function()\n"
    "  if inside then nested = nested + 1 end inner(gc, nested) end}\n"
    "for i = 1, 1000 do\n"
    "  for j = 1, 5 do setmetatable({}, mt) end\n"
    "  local t = {} for j = 1, i % 97 do t[j] = {j} end\n"
    "  inside = true outer(gc, i) inside = false\n"
    "end\n"
    "mt.__gc = nil\n"
    "collectgarbage() collectgarbage()\n"
    "return nested";

static void run(const char *outer, const char *inner) {
  lua_State *L = own_open();
  CHECK(luaL_loadstring(L, driver) == LUA_OK);
  lua_pushstring(L, outer);
  lua_pushstring(L, inner);
  if (lua_pcall(L, 2, 1, 0) != LUA_OK) {
    fprintf(stderr, "%s, %s: %s\n", outer, inner, lua_tostring(L, -1));
    abort();
  }
  printf("%s: %d times in the middle\n", outer, (int)lua_tointeger(L, -1));
  CHECK(lua_tointeger(L, -1) > 0);
  own_run(L,
          "local gc = require 'penumbra.gc' gc.listen(nil) gc.events(false)");
  CHECK(penumbra_getlistener(L, NULL) == NULL);
  lua_close(L);
}

int main(void) {
  run("gc.events(i)", "gc.events(16)");
  run("gc.events(i)", "gc.events(i % 2 == 0 and 16)");
  run("gc.listen(type) gc.events(false) gc.listen(function() end)",
      "gc.events(false) gc.listen(function() end)");
  run("gc.census('steps') if i % 9 == 0 then gc.census('result') end",
      "gc.census('steps')");
  run("gc.snapshot('reentered.out', 'steps')",
      "gc.snapshot('reentered.out', 'steps')");
  remove("reentered.out");
  return 0;
}
