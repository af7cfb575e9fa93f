/* SPDX-License-Identifier: MIT */
/*
** memory.c -- the allocator, the collector, finalizers, warnings
*/
#include "same.h"

/* An allocator that counts, and refuses above its limit. */
typedef struct Account {
  size_t bytes;
  size_t limit; /* 0: no limit */
  int wrong;    /* number of inconsistent sizes */
} Account;

static void *count_bytes(void *data, void *old, size_t old_size,
                         size_t new_size) {
  Account *a = (Account *)data;
  size_t held = old ? old_size : 0;
  if (new_size == 0) {
    a->bytes -= held;
    free(old);
    return NULL;
  }
  if (a->limit && new_size > held && a->bytes - held + new_size > a->limit)
    return NULL;
  if (held > a->bytes) a->wrong++;
  a->bytes = a->bytes - held + new_size;
  return realloc(old, new_size);
}

static void test_allocator(void) {
  Account account = {0, 0, 0};
  void *data;
  lua_State *L = lua_newstate(count_bytes, &account);
  SECTION("allocator");
  luaL_openlibs(L);
  printf("uses it: %d\n", account.bytes > 1000);
  printf("function %d data %d\n", lua_getallocf(L, &data) == count_bytes,
         data == &account);
  lua_setallocf(L, count_bytes, &account);
  run(L, "local t = {} for i = 1, 10000 do t[i] = {tostring(i)} end");
  lua_close(L);
  printf("left %d, wrong %d\n", (int)account.bytes, account.wrong);
}

static int use_memory(lua_State *L) {
  luaL_loadstring(L, "local t = {} for i = 1, 1e7 do t[i] = {i} end");
  lua_call(L, 0, 0);
  return 0;
}

static void test_no_memory(void) {
  Account account = {0, 0, 0};
  lua_State *L = lua_newstate(count_bytes, &account);
  int i;
  SECTION("no memory");
  luaL_openlibs(L);
  for (i = 0; i < 3; i++) {
    account.limit = account.bytes + 1000000;
    try_call(L, "limited", use_memory);
    account.limit = 0;
    run(L, "collectgarbage()");
  }
  lua_pushcfunction(L, use_memory);
  account.limit = account.bytes + 1000000;
  printf("status %d\n", lua_pcall(L, 0, 0, 0) == LUA_ERRMEM);
  lua_close(L);
  printf("left %d\n", (int)account.bytes);
}

static void test_refused_state(void) {
  Account account = {0, 1, 0};
  SECTION("refused state");
  for (account.limit = 1; account.limit < 20000; account.limit += 300) {
    lua_State *L = lua_newstate(count_bytes, &account);
    if (L) lua_close(L);
    if (account.bytes) printf("left %d\n", (int)account.bytes);
  }
}

/* -- lua_gc ---------------------------------------------------------------- */

static void test_gc(lua_State *L) {
  int before, after;
  SECTION("gc");
  printf("running %d\n", lua_gc(L, LUA_GCISRUNNING));
  printf("stop %d ", lua_gc(L, LUA_GCSTOP));
  printf("running %d ", lua_gc(L, LUA_GCISRUNNING));
  printf("restart %d ", lua_gc(L, LUA_GCRESTART));
  printf("running %d\n", lua_gc(L, LUA_GCISRUNNING));
  printf("collect %d\n", lua_gc(L, LUA_GCCOLLECT));
  before = lua_gc(L, LUA_GCCOUNT);
  lua_newuserdatauv(L, 1000000, 0);
  after = lua_gc(L, LUA_GCCOUNT);
  printf("grew by a megabyte: %d\n", after - before >= 976);
  printf("rest %d\n", lua_gc(L, LUA_GCCOUNTB) < 1024);
  lua_pop(L, 1);
  lua_gc(L, LUA_GCCOLLECT);
  printf("shrank: %d\n", lua_gc(L, LUA_GCCOUNT) <= before + 4);
  lua_gc(L, LUA_GCSETPAUSE, 200);
  printf("pause %d ", lua_gc(L, LUA_GCSETPAUSE, 160));
  printf("%d\n", lua_gc(L, LUA_GCSETPAUSE, 200));
  lua_gc(L, LUA_GCSETSTEPMUL, 200);
  printf("stepmul %d ", lua_gc(L, LUA_GCSETSTEPMUL, 400));
  printf("%d\n", lua_gc(L, LUA_GCSETSTEPMUL, 100));
  printf("gen %d ", lua_gc(L, LUA_GCGEN, 0, 0));
  printf("gen %d ", lua_gc(L, LUA_GCGEN, 20, 100));
  printf("inc %d ", lua_gc(L, LUA_GCINC, 0, 0, 0));
  printf("inc %d\n", lua_gc(L, LUA_GCINC, 200, 100, 13));
  printf("large step %d\n", lua_gc(L, LUA_GCSTEP, 1000000));
  printf("unknown %d\n", lua_gc(L, 999));
  lua_gc(L, LUA_GCSTOP);
  for (before = 0; !lua_gc(L, LUA_GCSTEP, 0) && before < 1000000; before++)
    continue;
  printf("steps come to an end: %d\n", before < 1000000);
  printf("still stopped %d\n", lua_gc(L, LUA_GCISRUNNING));
  lua_gc(L, LUA_GCRESTART);
}

/* -- Finalizers ------------------------------------------------------------ */

static int finalize(lua_State *L) {
  lua_getiuservalue(L, 1, 1);
  printf("finalize ");
  show_value(L, -1);
  printf(", gc says %d\n", lua_gc(L, LUA_GCCOUNT));
  return 0;
}

static void push_finalizable(lua_State *L, int number) {
  lua_newuserdatauv(L, 10, 1);
  lua_pushinteger(L, number);
  lua_setiuservalue(L, -2, 1);
  if (luaL_newmetatable(L, "finalizable")) {
    lua_pushcfunction(L, finalize);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
}

static void test_finalizers(lua_State *L) {
  int i;
  SECTION("finalizers");
  for (i = 1; i <= 4; i++) push_finalizable(L, i);
  lua_remove(L, 2);
  lua_gc(L, LUA_GCCOLLECT);
  lua_settop(L, 1);
  lua_gc(L, LUA_GCCOLLECT);
  lua_settop(L, 0);
  push_finalizable(L, 10);
  lua_setfield(L, LUA_REGISTRYINDEX, "kept");
  push_finalizable(L, 11);
  lua_setfield(L, LUA_REGISTRYINDEX, "kept too");
}

/* -- Warnings -------------------------------------------------------------- */

static void warn(void *data, const char *message, int more) {
  printf("warn %d '%s' %d\n", *(int *)data, message, more);
}

static void test_warnings(lua_State *L) {
  static int number = 3;
  SECTION("warnings");
  lua_setwarnf(L, warn, &number);
  lua_warning(L, "whole", 0);
  lua_warning(L, "part one, ", 1);
  lua_warning(L, "part two", 0);
  run(L, "warn('a', 'b', 'c') warn('@on')");
  run(L, "setmetatable({}, {__gc = function() error('in gc', 0) end}) "
         "collectgarbage()");
  run(L, "setmetatable({}, {__gc = function() error({}) end}) "
         "collectgarbage()");
  lua_setwarnf(L, NULL, NULL);
  lua_warning(L, "not heard", 0);
}

int main(void) {
  lua_State *L;
  test_allocator();
  test_no_memory();
  test_refused_state();
  L = same_open();
  test_gc(L);
  test_warnings(L);
  test_finalizers(L);
  same_close(L);
  return 0;
}
