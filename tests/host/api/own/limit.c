/* SPDX-License-Identifier: MIT */
/*
** limit.c -- a memory limit: exceeding it is an ordinary error, and the host
** survives
*/
#include "own.h"

enum { LIMIT = 4 << 20 };

static OwnAllocator allocator;

static lua_State *open_limited(void) {
  lua_State *L;
  memset(&allocator, 0, sizeof allocator);
  L = lua_newstate(own_allocate, &allocator);
  CHECK(L != NULL);
  luaL_openlibs(L);
  CHECK(penumbra_getlimit(L) == 0);
  penumbra_setlimit(L, LIMIT);
  CHECK(penumbra_getlimit(L) == LIMIT);
  return L;
}

/* The allocator's count decides.  Only the state itself, a few kilobytes, is
** outside of objects and parts. */
static void close_limited(lua_State *L) {
  CHECK(allocator.peak <= LIMIT + 16384);
  lua_close(L);
  CHECK(allocator.bytes == 0 && allocator.pieces == 0);
}

/* The chunk runs out of memory.  Afterwards the state is usable. */
static void runs_out(const char *code) {
  lua_State *L = open_limited();
  int i;
  CHECK(luaL_loadstring(L, code) == LUA_OK);
  if (lua_pcall(L, 0, 0, 0) != LUA_ERRMEM) {
    fprintf(stderr, "%s: %s\n", code, lua_tostring(L, -1));
    abort();
  }
  CHECK(strcmp(lua_tostring(L, -1), "not enough memory") == 0);
  lua_settop(L, 0);
  for (i = 0; i < 10; i++) lua_gc(L, LUA_GCCOLLECT); /* for finalizers */
  CHECK(lua_gc(L, LUA_GCCOUNT) < 100);
  own_run(L, "local t = {} for i = 1, 10000 do t[i] = {} end "
             "local s = ('x'):rep(1 << 20)");
  close_limited(L);
}

static void test_objects(void) {
  runs_out("local t = {} while true do t[#t + 1] = {} end");
  runs_out("local t while true do t = {t} end");
  runs_out("local t = {} for i = 1, 1e9 do t['k' .. i] = i end");
  runs_out("local s = 'x' while true do s = s .. s end");
  runs_out("local function f() return 1 + f() end f()");
  runs_out("local t = {} while true do t[#t + 1] = "
           "coroutine.wrap(function() coroutine.yield() end) end");
  runs_out("local t = {} while true do t[#t + 1] = "
           "setmetatable({}, {__gc = function() end}) end");
  /* load returns its error, so something else has to fail. */
  runs_out("local t = {} "
           "while true do t[#t + 1] = load('return 1') or {} end");
}

/* The texts of buffers come from the same allocator. */
static void test_buffers(void) {
  runs_out("('x'):rep(1 << 30)");
  runs_out("('x'):rep(1 << 20):gsub('x', ('y'):rep(100))");
  runs_out("local t = {} for i = 1, 1000 do t[i] = ('x'):rep(2000) end "
           "for i = 1, 1000 do t[#t + 1] = t[i] end table.concat(t, t[1])");
  runs_out("local s = ('x'):rep(1 << 20) "
           "string.format('%s%s%s%s', s, s, s, s)");
}

/* Garbage alone never reaches the limit. */
static void test_garbage(void) {
  lua_State *L = open_limited();
  penumbra_Stats stats = {.size = sizeof stats};
  own_run(L, "for i = 1, 300000 do local t = {{}, {}} end "
             "for i = 1, 300 do local s = ('x'):rep(100000 + i) end");
  penumbra_getstats(L, &stats);
  CHECK(stats.cycles > 2);
  close_limited(L);
}

static int finish_buffer(lua_State *L) {
  luaL_Buffer b;
  size_t size = (size_t)lua_tointeger(L, 1);
  memset(luaL_buffinitsize(L, &b, size), 'x', size);
  luaL_pushresultsize(&b, size);
  return 1;
}

/* The text of a buffer counts while the buffer is being filled. */
static void test_buffer_counts(void) {
  lua_State *L = open_limited();
  penumbra_Stats stats = {.size = sizeof stats};
  lua_pushcfunction(L, finish_buffer);
  lua_pushinteger(L, LIMIT / 2);
  CHECK(lua_pcall(L, 1, 1, 0) == LUA_ERRMEM); /* too much: both copies */
  lua_pop(L, 1);
  lua_pushcfunction(L, finish_buffer);
  lua_pushinteger(L, LIMIT / 3);
  CHECK(lua_pcall(L, 1, 1, 0) == LUA_OK);
  CHECK(lua_rawlen(L, -1) == LIMIT / 3);
  lua_gc(L, LUA_GCCOLLECT);
  penumbra_getstats(L, &stats);
  CHECK(stats.external == 0);
  close_limited(L);
}

static void test_external(void) {
  lua_State *L = open_limited();
  penumbra_Stats stats = {.size = sizeof stats};
  CHECK(penumbra_addexternal(L, LIMIT / 2) == 1);
  CHECK(penumbra_addexternal(L, LIMIT / 2) == 0);
  penumbra_getstats(L, &stats);
  CHECK(stats.external == LIMIT / 2);
  luaL_loadstring(L, "return ('x'):rep(2 << 20)");
  CHECK(lua_pcall(L, 0, 1, 0) == LUA_ERRMEM);
  penumbra_removeexternal(L, LIMIT / 2);
  own_run(L, "return ('x'):rep(1 << 20)");
  close_limited(L);
}

/* The more external memory is held, the sooner cycles begin. */
static void test_external_drives(void) {
  lua_State *L = own_open();
  penumbra_Stats stats = {.size = sizeof stats};
  int i;
  for (i = 0; i < 1000; i++) {
    lua_newuserdatauv(L, 16, 0);
    lua_pop(L, 1);
    CHECK(penumbra_addexternal(L, 100000) == 1);
    penumbra_removeexternal(L, 100000);
  }
  penumbra_getstats(L, &stats);
  CHECK(stats.cycles > 3 && stats.external == 0);
  lua_close(L);
}

static void test_realloc(void) {
  lua_State *L = open_limited();
  size_t before = allocator.bytes;
  char *p = (char *)penumbra_realloc(L, NULL, 0, 1000);
  CHECK(p != NULL && allocator.bytes == before + 1000);
  memset(p, 7, 1000);
  p = (char *)penumbra_realloc(L, p, 1000, 2000000);
  CHECK(p != NULL && p[999] == 7);
  CHECK(penumbra_realloc(L, p, 2000000, LIMIT) == NULL);
  CHECK(p[999] == 7);
  CHECK(penumbra_realloc(L, p, 2000000, 0) == NULL);
  CHECK(penumbra_realloc(L, NULL, 0, 0) == NULL);
  lua_gc(L, LUA_GCCOLLECT); /* the memory may have been kept for reuse */
  CHECK(allocator.bytes <= before);
  close_limited(L);
}

/* With a limit below the memory in use, everything fails until it is raised. */
static void test_too_low(void) {
  lua_State *L = open_limited();
  penumbra_setlimit(L, 1000);
  CHECK(luaL_loadstring(L, "local t = {} for i = 1, 1e6 do t[i] = {} end") ==
            LUA_ERRMEM ||
        lua_pcall(L, 0, 0, 0) == LUA_ERRMEM);
  lua_settop(L, 0);
  penumbra_setlimit(L, 0);
  own_run(L, "local t = {} for i = 1, 1e5 do t[i] = {} end");
  lua_close(L);
}

int main(void) {
  test_objects();
  test_buffers();
  test_garbage();
  test_buffer_counts();
  test_external();
  test_external_drives();
  test_realloc();
  test_too_low();
  return 0;
}
