/* SPDX-License-Identifier: MIT */
/*
** profile.c -- a profile ends with its state, whatever its finalizers do
**
** The timer of a profile belongs to the process, and its handler looks at the
** state.  So a state that has been closed must not leave the timer on.
*/
#include "own.h"

#include <sys/time.h>

/* Each is run in a state that is then closed. */
static const char *const programs[] = {
    "profile.start()",
    /* an object that is older than the profile, so finalized after it */
    "old = setmetatable({}, {__gc = function() pcall(profile.start) end})\n"
    "profile.start()",
    "old = setmetatable({}, {__gc = function() pcall(profile.start) end})\n"
    "profile.start() profile.stop('out')",
    "old = setmetatable({}, {__gc = function() pcall(profile.start) end})",
    "old = setmetatable({}, {__gc = profile.start})",
    /* newer ones */
    "profile.start() new = setmetatable({}, {__gc = function()\n"
    "  pcall(profile.stop, 'out') pcall(profile.start) end})",
    /* in a coroutine, and resurrected */
    "old = setmetatable({}, {__gc = function()\n"
    "  coroutine.wrap(pcall)(profile.start) end}) profile.start()",
    "old = setmetatable({}, {__gc = function(o) setmetatable(o, {__gc =\n"
    "  function() pcall(profile.start) end}) end})",
    /* variables of the main thread that are closed */
    "profile.start() local t = setmetatable({}, {__close = function()\n"
    "  pcall(profile.stop, 'out') pcall(profile.start) end}) return t"};

static int timer_is_on(void) {
  struct itimerval t;
  CHECK(getitimer(ITIMER_PROF, &t) == 0);
  return t.it_value.tv_sec || t.it_value.tv_usec;
}

/* Whether this system has such timers. */
static int timer_exists(void) {
  lua_State *L = own_open();
  int failed = luaL_dostring(L, "require('penumbra.profile').start()");
  lua_close(L);
  return !failed;
}

int main(void) {
  if (!timer_exists()) {
    puts("SKIPPED: no timer for profiles");
    return 77;
  }
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    lua_State *L = own_open();
    own_run(L, "profile = require 'penumbra.profile'");
    own_run(L, programs[i]);
    if (lua_gettop(L) > 0) lua_toclose(L, -1);
    lua_close(L);
    if (timer_is_on()) {
      fprintf(stderr, "the timer is on after\n%s\n", programs[i]);
      abort();
    }
  }
  remove("out");
  return 0;
}
