/* SPDX-License-Identifier: MIT */
/*
** coroutine.c -- the coroutine library
**
** Lua code resumes and yields by switching (vm/switch.h).  The functions here
** that resume and yield are for calls from C, and for unusual cases.
*/

#include "declare.h"
#include "lib.h"
#include "lualib.h"
#include "vm/coroutine.h"
#include "vm/switch.h"

/* Moves the narg values on top of L to co; false if there is no room. */
static bool co_pass(lua_State *L, lua_State *co, int narg) {
  if (luai_unlikely(!lua_checkstack(co, narg))) {
    lua_pushliteral(L, "too many arguments to resume");
    return false;
  }
  lua_xmove(L, co, narg);
  return true;
}

/* Resumes co, to which narg values have been passed, and moves its results to
** L.  Returns the number of results, or -1 with a message on top.  If the host
** suspends all coroutines, L yields, and k is to resume co again. */
static int co_resume(lua_State *L, lua_State *co, int narg, lua_KFunction k) {
  int nres;
  const int status = coroutine_resume(co, L, narg, &nres, true);
  if (luai_unlikely(L->global->budget.suspending))
    return lua_yieldk(L, 0, 0, k);
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

/* Returns from coroutine.resume with the message on top. */
static int co_refuse(lua_State *L) {
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

static int co_resume_again(lua_State *L, int status, lua_KContext context);

/* The rest of coroutine.resume.  `true` is on top of L. */
static int co_resume_passed(lua_State *L, lua_State *co, int narg) {
  const int n = co_resume(L, co, narg, co_resume_again);
  if (luai_likely(n >= 0)) return n + 1;
  lua_pushboolean(L, 0); /* in place of `true` */
  lua_replace(L, -3);
  return 2;
}

static int co_resume_again(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  return co_resume_passed(L, lua_tothread(L, 1), 0);
}

static int co_resume_framed(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  const int narg = lua_gettop(L) - 1;
  if (luai_unlikely(!co_pass(L, co, narg))) return co_refuse(L);
  lua_pushboolean(L, 1);
  return co_resume_passed(L, co, narg);
}

/* Closes a wrapped coroutine that failed, and raises its error with the
** position of the call in front. */
static int co_raise(lua_State *L, lua_State *co) {
  bool has_failed = lua_status(co) > LUA_YIELD;
  int status = has_failed ? lua_closethread(co, L) : lua_status(co);
  if (has_failed) lua_xmove(co, L, 1);
  bool wants_place = lua_type(L, -1) == LUA_TSTRING && status != LUA_ERRMEM;
  if (wants_place) {
    luaL_where(L, 1);
    lua_pushvalue(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

/* The same if co_wrapped did not resume it. */
static int co_failed(lua_State *L) {
  return co_raise(L, lua_tothread(L, lua_upvalueindex(1)));
}

static int co_wrapped_again(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  const int n = co_resume(L, co, 0, co_wrapped_again);
  return luai_likely(n >= 0) ? n : co_raise(L, co);
}

static int co_wrapped(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  const int narg = lua_gettop(L);
  const int n =
      co_pass(L, co, narg) ? co_resume(L, co, narg, co_wrapped_again) : -1;
  return luai_likely(n >= 0) ? n : co_raise(L, co);
}

static int co_yield_framed(lua_State *L) {
  return coroutine_yield_result(L, lua_gettop(L));
}

/* -- Coroutines as objects ------------------------------------------------- */

/* Creates a thread that begins with the function.  The thread replaces the
** function on the stack. */
static ALWAYS_INLINE bool make_thread(lua_State *L, const Value *args,
                                      unsigned argc, Value *out) {
  if (argc == 0 || !value_is_function(args)) return false;
  lua_State *co = thread_new(L);
  value_copy(co->top, args);
  co->top++;
  value_set_thread(out, co);
  return true;
}

NATIVE(co_create) {
  return make_thread(L, args, argc, out) ? give_new(L, out) : NATIVE_RETRY;
}

NATIVE(co_wrap) {
  if (!make_thread(L, args, argc, out)) return NATIVE_RETRY;
  if (native_has_frame(L)) L->top = out + 1;
  CClosure *c = closure_new_c(L, co_wrapped, 1);
  value_copy(&c->upvalue[0], out);
  value_set_cell(out, c, TAG_C_CLOSURE);
  return give_new(L, out);
}

NATIVE(co_status) {
  if (argc == 0 || args->tag != TAG_THREAD) return NATIVE_RETRY;
  ThreadStatus status = coroutine_status(L, value_thread(args));
  return give_fixed(out, L->global->status_names[status]);
}

NATIVE(co_isyieldable) {
  if (argc > 0 && args->tag != TAG_THREAD) return NATIVE_RETRY;
  const lua_State *co = argc > 0 ? value_thread(args) : L;
  return give_bool(out, coroutine_can_yield(co));
}

NATIVE(co_running) {
  if (native_free_slots(L, out) < 2) return NATIVE_RETRY;
  value_set_thread(&out[0], L);
  value_set_bool(&out[1], L == L->global->main);
  return 2;
}

static int co_close_framed(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  const ThreadStatus status = coroutine_status(L, co);
  if (status != THREAD_DEAD && status != THREAD_SUSPENDED)
    return luaL_error(L, "cannot close a %s coroutine",
                      string_bytes(L->global->status_names[status]));
  if (lua_closethread(co, L) == LUA_OK) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_pushboolean(L, 0);
  lua_xmove(co, L, 1);
  return 2;
}

/* -- Opening --------------------------------------------------------------- */

#define CO_NATIVES(RUN, BOTH, SPLIT, FRAMED) \
  FRAMED(co, close, THREAD(co))              \
  RUN(co, create, FUNCTION(f))               \
  RUN(co, isyieldable, GIVEN(THREAD, co))    \
  FRAMED(co, resume, THREAD(co), REST)       \
  RUN(co, running, NOTHING)                  \
  RUN(co, status, THREAD(co))                \
  RUN(co, wrap, FUNCTION(f))                 \
  FRAMED(co, yield, REST)

NATIVE_LIBRARY(co, "coroutine.", CO_NATIVES)

LUAMOD_API int luaopen_coroutine(lua_State *L) {
  luaL_checkversion(L);
  lua_createtable(L, 0, co_count);
  native_open(L, co_natives);
  vm_of(L)->wrapped_function = co_wrapped;
  vm_of(L)->wrapped_failed = co_failed;
  native_set(L, co_resume_c, switch_resume);
  native_set(L, co_yield_c, switch_yield);
  return 1;
}
