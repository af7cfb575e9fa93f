/* SPDX-License-Identifier: MIT */
/*
** profile.c -- the library `penumbra.profile`: where a program spends its time
**
** A timer of the process ticks, by default 100 times a second of the
** processor's time. Its signal handler may do next to nothing: it sets a hook on
** the thread that runs, and the hook notes the stack at the next call, return
** or jump. So a C function is seen when it returns, with all the ticks that
** came meanwhile. Ticks while the collector is at work count for it, below the
** function that made it work.
**
** Stacks are kept in a table, as text: "outer;inner count" is the format of
** flame graphs (folded stacks). profile_pprof.c writes the same as pprof.
** One state of a process can be profiled at a time.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "profile_impl.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#if defined(LUA_USE_POSIX)
#include <sys/time.h>
#endif

enum { PROFILE_DEPTH = 100, PROFILE_HZ = 100 };

static const char profile_key = 'p';

static lua_State *profile_state;          /* NULL: nothing is profiled */
static volatile sig_atomic_t profile_ticks;    /* not noted yet */
static volatile sig_atomic_t profile_gc_ticks; /* ... in the collector */

/* -- Stacks -------------------------------------------------------------- */

/* Pushes the name of a frame: "name (file:line)". */
static void profile_push_frame(lua_State *L, lua_State *from, lua_Debug *ar) {
  lua_getinfo(from, "nSl", ar);
  const char *name = ar->name;
  if (*ar->what == 'm') name = "main chunk";
  if (*ar->what == 'C')
    lua_pushfstring(L, "%s ([C])", name != NULL ? name : "?");
  else
    lua_pushfstring(L, "%s (%s:%d)", name != NULL ? name : "function",
                    ar->short_src, ar->currentline);
}

/* Pushes the stack of the thread as text, the outermost call first. */
static void profile_push_stack(lua_State *L, lua_State *from) {
  lua_Debug ar;
  int depth = 0;
  luaL_Buffer b;
  while (depth < PROFILE_DEPTH && lua_getstack(from, depth, &ar)) depth++;
  luaL_buffinit(L, &b);
  if (lua_getstack(from, PROFILE_DEPTH, &ar)) luaL_addstring(&b, "...;");
  for (int level = depth - 1; level >= 0; level--) {
    if (!lua_getstack(from, level, &ar)) continue;
    profile_push_frame(L, from, &ar);
    luaL_addvalue(&b);
    if (level > 0) luaL_addchar(&b, ';');
  }
  luaL_pushresult(&b);
}

/* Adds to what is noted for the text on top, and pops it. */
static void profile_count(lua_State *L, lua_Integer ticks) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &profile_key);
  lua_insert(L, -2);
  lua_pushvalue(L, -1);
  lua_rawget(L, -3);
  const lua_Integer before = lua_tointeger(L, -1);
  lua_pop(L, 1);
  lua_pushinteger(L, before + ticks);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* The hook: notes the stack, and is gone. */
static void profile_sample(lua_State *L, lua_Debug *ar) {
  (void)ar;
  const int gc_ticks = profile_gc_ticks;
  const int ticks = profile_ticks - gc_ticks;
  profile_ticks = profile_gc_ticks = 0;
  lua_sethook(L, NULL, 0, 0);
  if (profile_state == NULL || ticks + gc_ticks <= 0) return;
  if (!lua_checkstack(L, 8)) return;
  profile_push_stack(L, L);
  if (gc_ticks > 0) {
    lua_pushfstring(L, "%s;(collector)", lua_tostring(L, -1));
    profile_count(L, gc_ticks);
  }
  if (ticks > 0)
    profile_count(L, ticks);
  else
    lua_pop(L, 1);
}

/* -- The timer ----------------------------------------------------------- */

#if defined(LUA_USE_POSIX)

static void profile_tick(int signum) {
  const int any = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  (void)signum;
  if (profile_state == NULL) return;
  lua_State *L = penumbra_running(profile_state);
  profile_ticks++;
  if (penumbra_iscollecting(profile_state)) profile_gc_ticks++;
  if (lua_gethook(L) == NULL) lua_sethook(L, profile_sample, any, 1);
}

static int profile_timer(int hz) {
  struct itimerval timer;
  struct sigaction action;
  memset(&timer, 0, sizeof timer);
  memset(&action, 0, sizeof action);
  action.sa_handler = hz > 0 ? profile_tick : SIG_IGN;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGPROF, &action, NULL) != 0) return 0;
  if (hz > 0) timer.it_interval.tv_usec = 1000000 / hz;
  timer.it_value = timer.it_interval;
  return setitimer(ITIMER_PROF, &timer, NULL) == 0;
}

#else

static int profile_timer(int hz) { return hz == 0; }

#endif

/* -- The library --------------------------------------------------------- */

/* The state ends: no more ticks. */
static int profile_closed(lua_State *L) {
  (void)L;
  if (profile_state != NULL) profile_timer(0);
  profile_state = NULL;
  return 0;
}

/* profile.start([hz]) begins anew. */
static int profile_start(lua_State *L) {
  const lua_Integer hz = luaL_optinteger(L, 1, PROFILE_HZ);
  luaL_argcheck(L, hz > 0 && hz <= 10000, 1, "rate out of range");
  if (profile_state != NULL)
    return luaL_error(L, "a profile is being made already");
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, profile_closed);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &profile_key);
  profile_ticks = profile_gc_ticks = 0;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  profile_state = lua_tothread(L, -1);
  lua_pop(L, 1);
  if (profile_timer((int)hz)) return 0;
  profile_state = NULL;
  return luaL_error(L, "no timer: %s", strerror(errno));
}

/* Writes the table of stacks at idx as folded stacks. */
static void profile_write_folded(lua_State *L, int idx, FILE *file) {
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1))
    fprintf(file, "%s %lld\n", lua_tostring(L, -2),
            (long long)lua_tointeger(L, -1));
}

static int profile_write(lua_State *L, int idx, const char *name, int pprof) {
  FILE *file = fopen(name, "wb");
  if (file != NULL) {
    if (pprof)
      profile_write_pprof(L, idx, file);
    else
      profile_write_folded(L, idx, file);
    if (fclose(file) == 0) return 1;
  }
  luaL_pushfail(L);
  lua_pushfstring(L, "%s: %s", name, strerror(errno));
  return 0;
}

/* profile.stop([file [, format]]) ends it, and writes it; "pprof" or "folded". By
** default it is the ending of the name: .pb and .pprof are pprof. Returns the
** table: number of ticks by stack. */
static int profile_stop(lua_State *L) {
  static const char *const formats[] = {"folded", "pprof", NULL};
  const char *name = luaL_optstring(L, 1, NULL);
  const char *dot = name != NULL ? strrchr(name, '.') : NULL;
  const int ending =
      dot != NULL && (strcmp(dot, ".pb") == 0 || strcmp(dot, ".pprof") == 0);
  const int pprof = luaL_checkoption(L, 2, formats[ending], formats);
  if (profile_state == NULL) return luaL_error(L, "no profile is being made");
  profile_timer(0);
  profile_state = NULL;
  lua_newtable(L);
  const int copy = lua_gettop(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &profile_key);
  for (lua_pushnil(L); lua_next(L, -2);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, copy);
  }
  lua_settop(L, copy);
  if (name != NULL && !profile_write(L, copy, name, pprof)) return 2;
  lua_settop(L, copy);
  return 1;
}

static const luaL_Reg profile_functions[] = {
    {"start", profile_start},
    {"stop", profile_stop},
    {NULL, NULL},
};

LUAMOD_API int luaopen_penumbra_profile(lua_State *L) {
  luaL_newlib(L, profile_functions);
  return 1;
}
