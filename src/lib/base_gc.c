/* SPDX-License-Identifier: MIT */
/*
** base_gc.c -- collectgarbage
**
** lua_gc returns -1 when it is called from inside a finalizer, where the
** collector cannot be controlled; the result is then fail.
*/

#include "base_impl.h"
#include "lib.h"

static int gc_fail(lua_State *L) {
  luaL_pushfail(L);
  return 1;
}

/* The memory in use, in Kbytes, with a fraction. */
static int gc_push_count(lua_State *L) {
  const int kbytes = lua_gc(L, LUA_GCCOUNT);
  const int bytes = lua_gc(L, LUA_GCCOUNTB);
  if (kbytes == -1) return gc_fail(L);
  lua_pushnumber(L, (lua_Number)kbytes + (lua_Number)bytes / 1024);
  return 1;
}

/* Options that return a boolean. */
static int gc_push_boolean(lua_State *L, int res) {
  if (res == -1) return gc_fail(L);
  lua_pushboolean(L, res);
  return 1;
}

/* Options that return a number. */
static int gc_push_integer(lua_State *L, int res) {
  if (res == -1) return gc_fail(L);
  lua_pushinteger(L, res);
  return 1;
}

/* Changes of mode return the previous mode. */
static int gc_push_mode(lua_State *L, int res) {
  if (res == -1) return gc_fail(L);
  lua_pushstring(L, res == LUA_GCINC ? "incremental" : "generational");
  return 1;
}

static int gc_argument(lua_State *L, int arg) {
  return (int)luaL_optinteger(L, arg, 0);
}

/* The time of a collection is proportional to the memory in use. */
static void gc_spend(lua_State *L) {
  penumbra_spend(L, (size_t)lua_gc(L, LUA_GCCOUNT) * 512 + 512);
}

static bool gc_takes_time(int option) {
  return option == LUA_GCCOLLECT || option == LUA_GCSTEP ||
         option == LUA_GCGEN || option == LUA_GCINC;
}

int base_collectgarbage_framed(lua_State *L) {
  static const char *const names[] = {
      "stop",         "restart",     "collect",    "count",
      "step",         "setpause",    "setstepmul", "isrunning",
      "generational", "incremental", NULL,
  };
  static const int options[] = {
      LUA_GCSTOP, LUA_GCRESTART,  LUA_GCCOLLECT,    LUA_GCCOUNT,
      LUA_GCSTEP, LUA_GCSETPAUSE, LUA_GCSETSTEPMUL, LUA_GCISRUNNING,
      LUA_GCGEN,  LUA_GCINC,
  };
  const int option = options[luaL_checkoption(L, 1, "collect", names)];
  if (gc_takes_time(option)) gc_spend(L);
  switch (option) {
    case LUA_GCCOUNT: return gc_push_count(L);
    case LUA_GCSTEP:
      return gc_push_boolean(L, lua_gc(L, option, gc_argument(L, 2)));
    case LUA_GCISRUNNING: return gc_push_boolean(L, lua_gc(L, option));
    case LUA_GCSETPAUSE:
    case LUA_GCSETSTEPMUL:
      return gc_push_integer(L, lua_gc(L, option, gc_argument(L, 2)));
    case LUA_GCGEN: {
      const int minor = gc_argument(L, 2);
      return gc_push_mode(L, lua_gc(L, option, minor, gc_argument(L, 3)));
    }
    case LUA_GCINC: {
      const int pause = gc_argument(L, 2);
      const int stepmul = gc_argument(L, 3);
      return gc_push_mode(L,
                          lua_gc(L, option, pause, stepmul, gc_argument(L, 4)));
    }
    default: return gc_push_integer(L, lua_gc(L, option));
  }
}
