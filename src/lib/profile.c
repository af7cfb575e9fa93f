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
** A profile of allocations is made by the collector (penumbra_samplealloc).
**
** Stacks are kept in a table, as text: "outer;inner count" is the format of
** flame graphs (folded stacks).  profile_pprof.c writes the same as pprof.  The
** time of one state of a process can be profiled at a time.
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

/* The profile of a state. */
typedef struct Profile {
  lua_State *main;
  volatile sig_atomic_t ticks;    /* not recorded yet */
  volatile sig_atomic_t gc_ticks; /* ... in the collector */
  int hz;                         /* ticks in a second */
  bool counts;                    /* profiles allocations */
} Profile;

/* The one state whose time is profiled, or NULL.  It is global, because a
** signal handler cannot get an argument. */
static Profile *volatile profile_timed;

/* The profile of the state; NULL if none was begun. */
static Profile *profile_get(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &profile_key);
  Profile *p = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return p;
}

#if defined(LUA_USE_POSIX)

/* -- Stacks -------------------------------------------------------------- */

/* Pushes the name of a frame: "name (file:line)". */
static void profile_push_frame(lua_State *L, lua_State *from, lua_Debug *ar) {
  lua_getinfo(from, "nSl", ar);
  const char *name = ar->name;
  if (*ar->what == 'm') name = "main chunk";
  if (*ar->what == 'C')
    lua_pushfstring(L, "%s ([C])", name ? name : "?");
  else
    lua_pushfstring(L, "%s (%s:%d)", name ? name : "function", ar->short_src,
                    ar->currentline);
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

/* Adds ticks for the stack text on top, and pops the text. */
static void profile_count(lua_State *L, lua_Integer ticks) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &profile_ticks_key);
  lua_insert(L, -2);
  lua_pushvalue(L, -1);
  lua_rawget(L, -3);
  const lua_Integer before = lua_tointeger(L, -1);
  lua_pop(L, 1);
  lua_pushinteger(L, before + ticks);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* Records the stack for all ticks since the last time. */
static void profile_note(lua_State *L, Profile *p) {
  const int gc_ticks = p->gc_ticks;
  const int ticks = p->ticks - gc_ticks;
  p->ticks = p->gc_ticks = 0;
  if (profile_timed != p || ticks + gc_ticks <= 0) return;
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

/* The hook: removes itself, and records the stack. */
static void profile_sample(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  if (!lua_checkstack(L, 8)) return;
  Profile *p = profile_get(L);
  if (p) profile_note(L, p);
}

static void profile_set_hook(lua_State *L) {
  const int any = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  if (!lua_gethook(L)) lua_sethook(L, profile_sample, any, 1);
}

static void profile_tick(int signum) {
  Profile *p = profile_timed;
  (void)signum;
  if (!p) return;
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
  if (hz == 1) timer.it_interval.tv_sec = 1;
  if (hz > 1) timer.it_interval.tv_usec = 1000000 / hz;
  timer.it_value = timer.it_interval;
  return setitimer(ITIMER_PROF, &timer, NULL) == 0;
}

#else

static int profile_timer(int hz) {
  errno = ENOSYS;
  return hz == 0;
}

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
  (void)L;
  profile_end_time(p);
  return 0;
}

/* The profile of the state; creates one if there is none. */
static Profile *profile_make(lua_State *L) {
  Profile *p = profile_get(L);
  if (p) return p;
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
  if (lua_gc(L, LUA_GCCOUNT) < 0) /* the state may be closing */
    return luaL_error(L, "a profile cannot begin in a finalizer");
  Profile *p = profile_make(L);
  if (profile_timed) return luaL_error(L, "a profile is being made already");
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &profile_ticks_key);
  p->ticks = p->gc_ticks = 0;
  p->hz = (int)hz;
  profile_timed = p;
  if (profile_timer((int)hz)) return 0;
  profile_timed = NULL;
  return luaL_error(L, "no timer: %s", strerror(errno));
}

/* -- Results --------------------------------------------------------------- */

/* Writes the first `shown` number of each stack as folded stacks. */
static void profile_write_folded(lua_State *L, int idx, FILE *file, int shown) {
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 2)) {
    lua_rawgeti(L, -1, shown + 1);
    const lua_Integer n = lua_tointeger(L, -1);
    if (n > 0) fprintf(file, "%s %lld\n", lua_tostring(L, -3), (long long)n);
  }
}

/* What is written and returned, and how. */
typedef struct ProfileOutput {
  const ProfileType *types;
  int count; /* of types */
  int shown; /* the type of folded stacks and of the result */
  int asked; /* the type that pprof shows if it is not asked for another */
  const char *file;
  int pprof;
} ProfileOutput;

static bool profile_write(lua_State *L, int idx, const ProfileOutput *out) {
  FILE *file = fopen(out->file, "wb");
  if (file) {
    if (out->pprof)
      profile_write_pprof(L, idx, file, out->types, out->count, out->asked);
    else
      profile_write_folded(L, idx, file, out->shown);
    if (fclose(file) == 0) return true;
  }
  luaL_pushfail(L);
  lua_pushfstring(L, "%s: %s", out->file, strerror(errno));
  return false;
}

/* Argument 1 is a file name, argument 2 a format; its default depends on the
** file name. */
static void profile_read_output(lua_State *L, ProfileOutput *out) {
  static const char *const formats[] = {"folded", "pprof", NULL};
  out->file = luaL_optstring(L, 1, NULL);
  const char *dot = out->file ? strrchr(out->file, '.') : NULL;
  const int ending =
      dot && (strcmp(dot, ".pb") == 0 || strcmp(dot, ".pprof") == 0);
  out->pprof = luaL_checkoption(L, 2, formats[ending], formats);
}

/* Writes the table of lists on top, and returns a table with one number for
** each stack. */
static int profile_finish(lua_State *L, const ProfileOutput *out) {
  const int lists = lua_gettop(L);
  if (out->file && !profile_write(L, lists, out)) return 2;
  lua_settop(L, lists);
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, lists);) {
    lua_rawgeti(L, -1, out->shown + 1);
    lua_replace(L, -2);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
  return 1;
}

/* -- Time ------------------------------------------------------------------ */

/* Pushes a table from stacks to lists of two numbers, ticks and their time. */
static void profile_push_ticks(lua_State *L, int hz) {
  lua_newtable(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &profile_ticks_key);
  for (lua_pushnil(L); lua_next(L, -2);) {
    const lua_Integer ticks = lua_tointeger(L, -1);
    lua_createtable(L, 2, 0);
    lua_insert(L, -2);
    lua_rawseti(L, -2, 1);
    lua_pushinteger(L, ticks * (1000000 / hz) * 1000); /* as the timer */
    lua_rawseti(L, -2, 2);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -5);
  }
  lua_pop(L, 1);
}

/* profile.stop([file [, format]]): the format is "pprof" or "folded".  The
** default depends on the file name: .pb and .pprof mean pprof.  Returns the
** number of ticks by stack. */
static int profile_stop(lua_State *L) {
  static const ProfileType types[] = {{"samples", "count"},
                                      {"cpu", "nanoseconds"}};
  ProfileOutput out = {types, 2, 0, 1, NULL, 0};
  Profile *p = profile_get(L);
  if (!p || profile_timed != p)
    return luaL_error(L, "no profile is being made");
  profile_end_time(p);
  profile_read_output(L, &out);
  profile_push_ticks(L, p->hz);
  return profile_finish(L, &out);
}

/* -- Allocations ----------------------------------------------------------- */

/* profile.startalloc([bytes]) begins to record where memory is allocated. */
static int profile_startalloc(lua_State *L) {
  const lua_Integer bytes = luaL_optinteger(L, 1, PROFILE_BYTES);
  luaL_argcheck(L, bytes > 0, 1, "positive number expected");
  Profile *p = profile_make(L);
  if (p->counts) return luaL_error(L, "a profile is being made already");
  const size_t most = (size_t)-1;
  if (!penumbra_samplealloc(L,
                            (lua_Unsigned)bytes < most ? (size_t)bytes : most))
    return luaL_error(L, "not enough memory");
  p->counts = true;
  return 0;
}

/* Adds a list of numbers to the table at index 4. */
static void profile_add_site(void *ud, const penumbra_Site *site) {
  lua_State *L = ud;
  const lua_Unsigned value[] = {site->objects, site->bytes, site->live_objects,
                                site->live_bytes};
  lua_createtable(L, 4, 0);
  for (int i = 0; i < 4; i++) {
    lua_pushinteger(L, (lua_Integer)value[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, 4, site->stack);
}

/* profile.readalloc([file [, format [, type]]]) writes and returns the
** allocations so far. */
static int profile_readalloc(lua_State *L) {
  static const ProfileType types[] = {{"alloc_objects", "count"},
                                      {"alloc_space", "bytes"},
                                      {"inuse_objects", "count"},
                                      {"inuse_space", "bytes"}};
  static const char *const names[] = {"alloc_objects", "alloc_space",
                                      "inuse_objects", "inuse_space", NULL};
  ProfileOutput out = {types, 4, 0, 0, NULL, 0};
  const Profile *p = profile_get(L);
  if (!p || !p->counts) return luaL_error(L, "no profile is being made");
  profile_read_output(L, &out);
  out.shown = out.asked = luaL_checkoption(L, 3, "alloc_space", names);
  lua_settop(L, 3); /* the texts must stay */
  lua_newtable(L);
  penumbra_getsites(L, profile_add_site, L);
  return profile_finish(L, &out);
}

/* profile.stopalloc([file [, format [, type]]]): the same, and ends it. */
static int profile_stopalloc(lua_State *L) {
  const int results = profile_readalloc(L);
  profile_get(L)->counts = false;
  penumbra_samplealloc(L, 0);
  return results;
}

static const luaL_Reg profile_functions[] = {
    {"readalloc", profile_readalloc},   {"start", profile_start},
    {"startalloc", profile_startalloc}, {"stop", profile_stop},
    {"stopalloc", profile_stopalloc},   {NULL, NULL},
};

LUAMOD_API int luaopen_penumbra_profile(lua_State *L) {
  luaL_newlib(L, profile_functions);
  return 1;
}
