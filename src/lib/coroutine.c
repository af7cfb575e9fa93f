/* SPDX-License-Identifier: MIT */
/*
** coroutine.c -- the coroutine library
*/

#include "lib.h"
#include "lualib.h"
#include "penumbra.h"

typedef enum CoStatus { CO_RUNNING, CO_DEAD, CO_SUSPENDED, CO_NORMAL } CoStatus;

static const char *const co_status_name[] = {
    "running",
    "dead",
    "suspended",
    "normal",
};

static lua_State *co_check(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  luaL_argexpected(L, co != NULL, 1, "thread");
  return co;
}

/* A thread that has not yielded is normal if it has calls going on; without
** any it has not started, or, if its stack is empty, it has ended. */
static CoStatus co_status(lua_State *L, lua_State *co) {
  lua_Debug ar;
  if (L == co) return CO_RUNNING;
  switch (lua_status(co)) {
    case LUA_YIELD: return CO_SUSPENDED;
    case LUA_OK:
      if (lua_getstack(co, 0, &ar)) return CO_NORMAL;
      return lua_gettop(co) == 0 ? CO_DEAD : CO_SUSPENDED;
    default: return CO_DEAD;
  }
}

/* Moves the narg values on top of L to co; false if there is no room. */
static bool co_pass(lua_State *L, lua_State *co, int narg) {
  if (luai_unlikely(!lua_checkstack(co, narg))) {
    lua_pushliteral(L, "too many arguments to resume");
    return false;
  }
  lua_xmove(L, co, narg);
  return true;
}

/* Resumes co, which has been passed narg values, and moves what comes back to
** L: the number of results, or -1 with a message on top. */
static int co_resume(lua_State *L, lua_State *co, int narg) {
  int nres;
  const int status = lua_resume(co, L, narg, &nres);
  if (luai_unlikely(status != LUA_OK && status != LUA_YIELD)) {
    lua_xmove(co, L, 1);
    return -1;
  }
  if (luai_unlikely(!lua_checkstack(L, nres + 1))) {
    lua_pop(co, nres);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, nres);
  return nres;
}

static int co_lib_resume(lua_State *L) {
  lua_State *co = co_check(L);
  const int narg = lua_gettop(L) - 1;
  if (luai_likely(co_pass(L, co, narg))) {
    lua_pushboolean(L, 1);
    const int n = co_resume(L, co, narg);
    if (luai_likely(n >= 0)) return n + 1;
    lua_remove(L, -2);
  }
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

/* Ends a wrapped coroutine that failed, and passes its error on with the
** place of the call in front. */
static int co_raise(lua_State *L, lua_State *co) {
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) {
    status = lua_closethread(co, L); /* closes its variables */
    lua_xmove(co, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

/* The same where it was not co_wrapped that resumed it. */
static int co_failed(lua_State *L) {
  return co_raise(L, lua_tothread(L, lua_upvalueindex(1)));
}

static int co_wrapped(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  const int narg = lua_gettop(L);
  const int n = co_pass(L, co, narg) ? co_resume(L, co, narg) : -1;
  return luai_likely(n >= 0) ? n : co_raise(L, co);
}

static int co_lib_create(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  return 1;
}

static int co_lib_wrap(lua_State *L) {
  co_lib_create(L);
  lua_pushcclosure(L, co_wrapped, 1);
  return 1;
}

static int co_lib_yield(lua_State *L) {
  return penumbra_yield(L, lua_gettop(L));
}

static int co_lib_status(lua_State *L) {
  lua_State *co = co_check(L);
  lua_pushstring(L, co_status_name[co_status(L, co)]);
  return 1;
}

static int co_lib_isyieldable(lua_State *L) {
  lua_State *co = lua_isnone(L, 1) ? L : co_check(L);
  lua_pushboolean(L, lua_isyieldable(co));
  return 1;
}

static int co_lib_running(lua_State *L) {
  const int is_main = lua_pushthread(L);
  lua_pushboolean(L, is_main);
  return 2;
}

static int co_lib_close(lua_State *L) {
  lua_State *co = co_check(L);
  const CoStatus status = co_status(L, co);
  if (status != CO_DEAD && status != CO_SUSPENDED)
    return luaL_error(L, "cannot close a %s coroutine", co_status_name[status]);
  if (lua_closethread(co, L) == LUA_OK) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_pushboolean(L, 0);
  lua_xmove(co, L, 1);
  return 2;
}

static const luaL_Reg co_functions[] = {
    {"close", co_lib_close},
    {"create", co_lib_create},
    {"isyieldable", co_lib_isyieldable},
    {"resume", co_lib_resume},
    {"running", co_lib_running},
    {"status", co_lib_status},
    {"wrap", co_lib_wrap},
    {"yield", co_lib_yield},
    {NULL, NULL},
};

LUAMOD_API int luaopen_coroutine(lua_State *L) {
  luaL_newlib(L, co_functions);
  penumbra_wrapped(L, co_wrapped, co_failed);
  penumbra_builtin(L, PENUMBRA_COROUTINE_CREATE, co_lib_create);
  penumbra_builtin(L, PENUMBRA_COROUTINE_RESUME, co_lib_resume);
  penumbra_builtin(L, PENUMBRA_COROUTINE_STATUS, co_lib_status);
  penumbra_builtin(L, PENUMBRA_COROUTINE_WRAP, co_lib_wrap);
  penumbra_builtin(L, PENUMBRA_COROUTINE_YIELD, co_lib_yield);
  return 1;
}
