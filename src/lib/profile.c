/* SPDX-License-Identifier: MIT */
/*
** profile.c -- the library `penumbra.profile`: where a program spends its time
**
** A timer of the process ticks, by default 100 times per second of processor
** time.  Its signal handler may do almost nothing: it sets a hook on the
** running thread, and the hook records the stack at the next call, return or
** jump.  So a C function is seen when it returns, with all the ticks since it
** was called.  Ticks while the collector is at work are attributed to it, below
** the function that triggered it.
**
** A profile of allocations works similarly: the collector reports after a given
** number of bytes, and the hook records the stack with the bytes since the last
** report.
**
** Stacks are kept in a table, as text: "outer;inner count" is the format of
** flame graphs (folded stacks).  profile_pprof.c writes the same as pprof.  One
** state of a process can be profiled at a time.
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

/* Their addresses are keys of the registry. */
static const char profile_key = 'p';
static const char profile_ticks_key = 't';
static const char profile_bytes_key = 'b';

/* The profile of a state. */
typedef struct Profile {
  lua_State *main;
  volatile sig_atomic_t ticks;    /* not recorded yet */
  volatile sig_atomic_t gc_ticks; /* ... in the collector */
  bool counts;                    /* profiles allocations */
  lua_Unsigned bytes;             /* not recorded yet */
} Profile;

/* The one state whose time is profiled, or NULL.  It is global, because a
** signal handler cannot get an argument. */
static Profile *volatile profile_timed;

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

/* Adds to the table's number for the text on top, and pops the text. */
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

/* The profile of the state; NULL if none was begun. */
static Profile *profile_get(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &profile_key);
  Profile *p = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return p;
}

/* Adds ticks for the stack text on top. */
static void profile_note_ticks(lua_State *L, int ticks, int gc_ticks) {
  if (gc_ticks > 0) {
    lua_pushfstring(L, "%s;(collector)", lua_tostring(L, -1));
    profile_count(L, &profile_ticks_key, gc_ticks);
  }
  if (ticks <= 0) return;
  lua_pushvalue(L, -1);
  profile_count(L, &profile_ticks_key, ticks);
}

/* Records the stack for all ticks and bytes since the last time. */
static void profile_note(lua_State *L, Profile *p) {
  const int gc_ticks = p->gc_ticks;
  const int ticks = p->ticks - gc_ticks;
  const lua_Unsigned bytes = p->bytes;
  p->ticks = p->gc_ticks = 0;
  p->bytes = 0;
  const bool timed = profile_timed == p && ticks + gc_ticks > 0;
  const bool counted = p->counts && bytes > 0;
  if (!timed && !counted) return;
  profile_push_stack(L, L);
  if (timed) profile_note_ticks(L, ticks, gc_ticks);
  if (counted) {
    lua_pushvalue(L, -1);
    profile_count(L, &profile_bytes_key, (lua_Integer)bytes);
  }
  lua_pop(L, 1);
  p->bytes = 0; /* do not count these allocations */
}

/* The hook: removes itself, and records the stack. */
static void profile_sample(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  if (!lua_checkstack(L, 8)) return;
  Profile *p = profile_get(L);
  if (p != NULL) profile_note(L, p);
}

static void profile_set_hook(lua_State *L) {
  const int any = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  if (lua_gethook(L) == NULL) lua_sethook(L, profile_sample, any, 1);
}

static void profile_allocated(void *ud, size_t bytes) {
  Profile *p = ud;
  p->bytes += bytes;
  profile_set_hook(penumbra_running(p->main));
}

/* -- The timer ----------------------------------------------------------- */

#if defined(LUA_USE_POSIX)

static void profile_tick(int signum) {
  Profile *p = profile_timed;
  (void)signum;
  if (p == NULL) return;
  p->ticks++;
  if (penumbra_iscollecting(p->main)) p->gc_ticks++;
  profile_set_hook(penumbra_running(p->main));
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

static void profile_end_time(const Profile *p) {
  if (profile_timed != p) return;
  profile_timer(0);
  profile_timed = NULL;
}

/* Called when the state is closed. */
static int profile_closed(lua_State *L) {
  const Profile *p = lua_touserdata(L, 1);
  profile_end_time(p);
  penumbra_setsampler(L, 0, NULL, NULL);
  return 0;
}

/* The profile of the state; creates one if there is none. */
static Profile *profile_make(lua_State *L) {
  Profile *p = profile_get(L);
  if (p != NULL) return p;
  p = lua_newuserdatauv(L, sizeof *p, 0);
  memset(p, 0, sizeof *p);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, profile_closed);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &profile_key);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  p->main = lua_tothread(L, -1);
  lua_pop(L, 1);
  return p;
}

/* profile.start([hz]) begins a new profile. */
static int profile_start(lua_State *L) {
  const lua_Integer hz = luaL_optinteger(L, 1, PROFILE_HZ);
  luaL_argcheck(L, hz > 0 && hz <= 10000, 1, "rate out of range");
  Profile *p = profile_make(L);
  if (profile_timed != NULL)
    return luaL_error(L, "a profile is being made already");
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &profile_ticks_key);
  p->ticks = p->gc_ticks = 0;
  profile_timed = p;
  if (profile_timer((int)hz)) return 0;
  profile_timed = NULL;
  return luaL_error(L, "no timer: %s", strerror(errno));
}

/* profile.startalloc([bytes]) begins to record where memory is allocated. */
static int profile_startalloc(lua_State *L) {
  const lua_Integer bytes = luaL_optinteger(L, 1, PROFILE_BYTES);
  luaL_argcheck(L, bytes > 0, 1, "positive number expected");
  Profile *p = profile_make(L);
  if (p->counts) return luaL_error(L, "a profile is being made already");
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &profile_bytes_key);
  p->counts = true;
  p->bytes = 0;
  penumbra_setsampler(L, (size_t)bytes, profile_allocated, p);
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

/* Writes the stacks under the key to the file given by argument 1, in the
** format given by argument 2 or by the file name.  Returns the table. */
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

/* profile.stop([file [, format]]): the format is "pprof" or "folded".  The
** default depends on the file name: .pb and .pprof mean pprof.  Returns the
** number of ticks by stack. */
static int profile_stop(lua_State *L) {
  Profile *p = profile_get(L);
  if (p == NULL || profile_timed != p)
    return luaL_error(L, "no profile is being made");
  profile_end_time(p);
  return profile_finish(L, &profile_ticks_key, false);
}

/* The same for allocations: returns bytes by stack. */
static int profile_stopalloc(lua_State *L) {
  Profile *p = profile_get(L);
  if (p == NULL || !p->counts) return luaL_error(L, "no profile is being made");
  penumbra_setsampler(L, 0, NULL, NULL);
  p->counts = false;
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
