/* SPDX-License-Identifier: MIT */
/*
** failing.c -- Lua programs with every allocation refused in turn
**
** A program runs with its first, second, third ... object refused, either only
** this one or all from then on.  It may end with the memory error.  If it
** caught the error itself, it may end in any way.  The state must stay usable
** and not lose a byte.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "object/thread.h"
#include "toy/allocator.h"
#include "lua.h"

typedef struct Program {
  const char *name;
  const char *code;
} Program;

static const Program programs[] = {
    {"compiler",
     "local function f(a, b, ...) local c <const> = 1.5 "
     "for i = 1, 10 do local x = a[i] if x then goto continue end "
     "b = b .. 'text' .. i ::continue:: end "
     "return function(...) a, b = b, a return {a, b, c, n = 1, ...} end end "
     "return f({}, '', 1, 2, 3)().n"},
    {"tables",
     "local t = {} for i = 1, 100 do t[i] = {i} t['key' .. i] = i end "
     "for i = 1, 100, 2 do t[i] = nil end "
     "local n = 0 for k, v in next, t do n = n + 1 end return n"},
    {"closures", "local list = {} for i = 1, 30 do local x = i "
                 "list[i] = function() x = x + 1 return x end end "
                 "local s = 0 for i = 1, 30 do s = s + list[i]() end return s"},
    {"metatables",
     "local mt = {} mt.__index = function(t, k) return k .. '!' end "
     "mt.__add = function(a, b) return setmetatable({}, mt) end "
     "mt.__concat = function(a, b) return 'joined' end "
     "mt.__close = function() end mt.__gc = function() end "
     "local a = setmetatable({}, mt) for i = 1, 20 do a = a + a end "
     "do local c <close> = a end return a.name .. (a .. 'x')"},
    {"errors",
     "local function f(n) if n == 0 then error({code = 1}) end "
     "local ok, e = pcall(f, n - 1) if not ok then error(e, 0) end end "
     "local ok, e = pcall(f, 20) if ok then error('not caught') end "
     "local ok2, m = pcall(function() local x = nil; return x.field end) "
     "return type(e) .. type(m)"},
    {"deep", "local function f(n) if n == 0 then return 0 end "
             "return 1 + f(n - 1) end return f(300)"}};

typedef struct Trial {
  lua_State *L;
  TestAllocator allocator;
} Trial;

static void refuse(Trial *run, uint64_t nth, bool after) {
  gc_of(run->L)->debug.fail_in = nth;
  gc_of(run->L)->debug.fail_after = after;
}

/* The functions that the programs use.  lib is above this layer. */
static int base_pcall(lua_State *L) {
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  lua_pushboolean(L, status == LUA_OK);
  lua_insert(L, 1);
  return lua_gettop(L);
}
static int base_error(lua_State *L) {
  lua_settop(L, 1);
  return lua_error(L);
}
static int base_setmetatable(lua_State *L) {
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}
static int base_type(lua_State *L) {
  lua_pushstring(L, lua_typename(L, lua_type(L, 1)));
  return 1;
}
static int base_next(lua_State *L) {
  lua_settop(L, 2);
  if (lua_next(L, 1)) return 2;
  lua_pushnil(L);
  return 1;
}

static const char *read_string(lua_State *L, void *data, size_t *size) {
  const char **text = data, *piece = *text;
  (void)L;
  if (!piece) return NULL;
  *size = strlen(piece);
  *text = NULL;
  return piece;
}

static int run_program(lua_State *L) {
  const char *code = lua_touserdata(L, 1);
  if (lua_load(L, read_string, &code, "=program", "t") != LUA_OK)
    return lua_error(L);
  lua_call(L, 0, 1);
  return 1;
}

static int run_coroutine(lua_State *L) {
  const char *code =
      "local n = ... while n > 0 do n = n - yield(n) end return 'end'";
  lua_State *co = lua_newthread(L);
  int results;
  if (lua_load(co, read_string, &code, "=coroutine", "t") != LUA_OK) {
    lua_xmove(co, L, 1);
    return lua_error(L);
  }
  lua_pushinteger(co, 10);
  int status = lua_resume(co, L, 1, &results);
  while (status == LUA_YIELD) {
    lua_settop(co, 0);
    lua_pushinteger(co, 1);
    status = lua_resume(co, L, 1, &results);
  }
  lua_xmove(co, L, 1);
  if (status != LUA_OK) return lua_error(L);
  return 1;
}
static int base_yield(lua_State *L) { return lua_yield(L, lua_gettop(L)); }

static void run_open(Trial *run) {
  memset(run, 0, sizeof *run);
  run->L = lua_newstate(test_allocate, &run->allocator);
  assert_non_null(run->L);
  lua_register(run->L, "pcall", base_pcall);
  lua_register(run->L, "error", base_error);
  lua_register(run->L, "setmetatable", base_setmetatable);
  lua_register(run->L, "type", base_type);
  lua_register(run->L, "next", base_next);
  lua_register(run->L, "yield", base_yield);
}

/* Runs a program with one refusal.  True if nothing was refused. */
static bool run_once(const char *name, lua_CFunction f, const char *code,
                     uint64_t nth, bool after) {
  Trial run;
  run_open(&run);
  lua_State *L = run.L;
  Gc *gc = gc_of(L);
  lua_pushcfunction(L, f);
  lua_pushlightuserdata(L, (void *)(uintptr_t)code);
  refuse(&run, nth, after);
  int status = lua_pcall(L, 1, 1, 0);
  gc->debug.fail_in = 0;
  bool refused = gc->debug.refused > 0;
  if (status != LUA_OK && !refused)
    fail_msg("%s: %s", name, lua_tostring(L, -1));
  gc_verify(gc);
  lua_settop(L, 0);
  lua_pushcfunction(L, run_program);
  lua_pushlightuserdata(L, (void *)(uintptr_t) "return 'usable'");
  lua_call(L, 1, 1);
  assert_string_equal(lua_tostring(L, -1), "usable");
  gc_collect(gc);
  gc_verify(gc);
  lua_close(L);
  assert_int_equal(run.allocator.bytes, 0);
  return !refused;
}

static uint64_t stride(uint64_t n) {
  return getenv("PENUMBRA_FULL") ? 1 : 1 + n / 24;
}

static void run_all(bool after) {
  if (!PENUMBRA_DEBUG) skip();
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    const Program *p = &programs[i];
    for (uint64_t n = 1; !run_once(p->name, run_program, p->code, n, after);)
      n += stride(n);
  }
  for (uint64_t n = 1; !run_once("coroutine", run_coroutine, "", n, after);)
    n += stride(n);
}

static void test_one_object_refused(void **unused) {
  (void)unused;
  run_all(false);
}

static void test_no_objects_from_then_on(void **unused) {
  (void)unused;
  run_all(true);
}

/* The allocator itself refuses while the state is made. */
static void test_new_states(void **unused) {
  (void)unused;
  for (uint64_t n = 1;; n++) {
    TestAllocator allocator;
    memset(&allocator, 0, sizeof allocator);
    test_allocator_fail(&allocator, n, n % 2);
    lua_State *L = lua_newstate(test_allocate, &allocator);
    if (L) lua_close(L);
    assert_int_equal(allocator.bytes, 0);
    if (L) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_object_refused),
      cmocka_unit_test(test_no_objects_from_then_on),
      cmocka_unit_test(test_new_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
