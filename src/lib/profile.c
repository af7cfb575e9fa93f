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
** A profile of allocations works alike: after every so many bytes the collector
** tells, and the hook notes the stack with the bytes since the last time.
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

enum { PROFILE_DEPTH = 100, PROFILE_HZ = 100, PROFILE_BYTES = 524288 };

static const char profile_key = 'p';
static const char profile_bytes_key = 'b';

static lua_State *profile_state;          /* NULL: nothing is profiled */
static volatile sig_atomic_t profile_ticks;    /* not noted yet */
static volatile sig_atomic_t profile_gc_ticks; /* ... in the collector */

static lua_State *profile_bytes_state;    /* the same for allocations */
static lua_Unsigned profile_bytes;

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

/* Adds to what the table noted for the text on top, and pops it. */
static void profile_count(lua_State *L, const char *key, lua_Integer ticks) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  lua_insert(L, -2);
  lua_pushvalue(L, -1);
  lua_rawget(L, -3);
  const lua_Integer before = lua_tointeger(L, -1);
  lua_pop(L, 1);
  lua_pushinteger(L, before + ticks);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* Notes ticks for the stack on top. */
static void profile_note_ticks(lua_State *L, int ticks, int gc_ticks) {
  if (gc_ticks > 0) {
    lua_pushfstring(L, "%s;(collector)", lua_tostring(L, -1));
    profile_count(L, &profile_key, gc_ticks);
  }
  if (ticks <= 0) return;
  lua_pushvalue(L, -1);
  profile_count(L, &profile_key, ticks);
}

/* The hook: notes the stack, and is gone. */
static void profile_sample(lua_State *L, lua_Debug *ar) {
  (void)ar;
  const int gc_ticks = profile_gc_ticks;
  const int ticks = profile_ticks - gc_ticks;
  const lua_Unsigned bytes = profile_bytes;
  profile_ticks = profile_gc_ticks = 0;
  profile_bytes = 0;
  lua_sethook(L, NULL, 0, 0);
  const bool timed = profile_state != NULL && ticks + gc_ticks > 0;
  const bool counted = profile_bytes_state != NULL && bytes > 0;
  if ((!timed && !counted) || !lua_checkstack(L, 8)) return;
  profile_push_stack(L, L);
  if (timed) profile_note_ticks(L, ticks, gc_ticks);
  if (counted) {
    lua_pushvalue(L, -1);
    profile_count(L, &profile_bytes_key, (lua_Integer)bytes);
  }
  lua_pop(L, 1);
  profile_bytes = 0;                      /* what this has allocated */
}

static void profile_set_hook(lua_State *L) {
  const int any = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  if (lua_gethook(L) == NULL) lua_sethook(L, profile_sample, any, 1);
}

static void profile_allocated(void *ud, size_t bytes) {
  (void)ud;
  profile_bytes += bytes;
  profile_set_hook(penumbra_running(profile_bytes_state));
}

/* -- The timer ----------------------------------------------------------- */

#if defined(LUA_USE_POSIX)

static void profile_tick(int signum) {
  (void)signum;
  if (profile_state == NULL) return;
  profile_ticks++;
  if (penumbra_iscollecting(profile_state)) profile_gc_ticks++;
  profile_set_hook(penumbra_running(profile_state));
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

/* A table of stacks is collected.  If it is the one in use, the state is being
** closed: no more ticks. */
static int profile_closed(lua_State *L) {
  const char *key = lua_touserdata(L, lua_upvalueindex(1));
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  if (!lua_rawequal(L, 1, -1)) return 0;
  if (key == &profile_bytes_key) {
    penumbra_setsampler(L, 0, NULL, NULL);
    profile_bytes_state = NULL;
  } else if (profile_state != NULL) {
    profile_timer(0);
    profile_state = NULL;
  }
  return 0;
}

/* A new table of stacks under that key. Pushes nothing, returns the main
** thread. */
static lua_State *profile_begin(lua_State *L, const char *key) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushlightuserdata(L, (void *)key);
  lua_pushcclosure(L, profile_closed, 1);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State *main = lua_tothread(L, -1);
  lua_pop(L, 1);
  return main;
}

/* profile.start([hz]) begins anew. */
static int profile_start(lua_State *L) {
  const lua_Integer hz = luaL_optinteger(L, 1, PROFILE_HZ);
  luaL_argcheck(L, hz > 0 && hz <= 10000, 1, "rate out of range");
  if (profile_state != NULL)
    return luaL_error(L, "a profile is being made already");
  profile_ticks = profile_gc_ticks = 0;
  profile_state = profile_begin(L, &profile_key);
  if (profile_timer((int)hz)) return 0;
  profile_state = NULL;
  return luaL_error(L, "no timer: %s", strerror(errno));
}

/* profile.startalloc([bytes]) begins to note where memory is allocated. */
static int profile_startalloc(lua_State *L) {
  const lua_Integer bytes = luaL_optinteger(L, 1, PROFILE_BYTES);
  luaL_argcheck(L, bytes > 0, 1, "positive number expected");
  if (profile_bytes_state != NULL)
    return luaL_error(L, "a profile is being made already");
  profile_bytes = 0;
  profile_bytes_state = profile_begin(L, &profile_bytes_key);
  penumbra_setsampler(L, (size_t)bytes, profile_allocated, NULL);
  return 0;
}

/* Writes the table of stacks at idx as folded stacks. */
static void profile_write_folded(lua_State *L, int idx, FILE *file) {
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1))
    fprintf(file, "%s %lld\n", lua_tostring(L, -2),
            (long long)lua_tointeger(L, -1));
}

static int profile_write(lua_State *L, int idx, const char *name, int pprof,
                         bool bytes) {
  FILE *file = fopen(name, "wb");
  if (file != NULL) {
    if (pprof)
      profile_write_pprof(L, idx, file, bytes ? "alloc_space" : "samples",
                          bytes ? "bytes" : "count");
    else
      profile_write_folded(L, idx, file);
    if (fclose(file) == 0) return 1;
  }
  luaL_pushfail(L);
  lua_pushfstring(L, "%s: %s", name, strerror(errno));
  return 0;
}

/* Pushes a copy of the table of stacks. */
static void profile_push_copy(lua_State *L, const char *key) {
  lua_newtable(L);
  const int copy = lua_gettop(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  for (lua_pushnil(L); lua_next(L, -2);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, copy);
  }
  lua_settop(L, copy);
}

/* Writes what is noted under the key to the file that argument 1 names, in the
** format that argument 2 or the name tells; returns the table. */
static int profile_finish(lua_State *L, const char *key, bool bytes) {
  static const char *const formats[] = {"folded", "pprof", NULL};
  const char *name = luaL_optstring(L, 1, NULL);
  const char *dot = name != NULL ? strrchr(name, '.') : NULL;
  const int ending =
      dot != NULL && (strcmp(dot, ".pb") == 0 || strcmp(dot, ".pprof") == 0);
  const int pprof = luaL_checkoption(L, 2, formats[ending], formats);
  profile_push_copy(L, key);
  const int copy = lua_gettop(L);
  if (name != NULL && !profile_write(L, copy, name, pprof, bytes)) return 2;
  lua_settop(L, copy);
  return 1;
}

/* profile.stop([file [, format]]): "pprof" or "folded". By default it is the
** ending of the name: .pb and .pprof are pprof. Returns the number of ticks by
** stack. */
static int profile_stop(lua_State *L) {
  if (profile_state == NULL) return luaL_error(L, "no profile is being made");
  profile_timer(0);
  profile_state = NULL;
  return profile_finish(L, &profile_key, false);
}

/* The same for allocations: returns bytes by stack. */
static int profile_stopalloc(lua_State *L) {
  if (profile_bytes_state == NULL)
    return luaL_error(L, "no profile is being made");
  penumbra_setsampler(L, 0, NULL, NULL);
  profile_bytes_state = NULL;
  return profile_finish(L, &profile_bytes_key, true);
}

static const luaL_Reg profile_functions[] = {
    {"start", profile_start},
    {"startalloc", profile_startalloc},
    {"stop", profile_stop},
    {"stopalloc", profile_stopalloc},
    {NULL, NULL},
};

LUAMOD_API int luaopen_penumbra_profile(lua_State *L) {
  luaL_newlib(L, profile_functions);
  return 1;
}
