/* SPDX-License-Identifier: MIT */
/*
** cstack.c -- how much C stack a program can need
**
**    api_own_cstack [check]
**
** Whatever makes C functions call each other is nested as deep as the limit of
** C calls allows, and there each of the functions that need most is called.
** Each combination runs in a thread of its own, whose stack was painted before:
** where the paint is gone, the stack was used.  With an argument, no more than
** PENUMBRA_CSTACK may be used, including what the system needs for a thread.
*/
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "own.h"

enum { ROOM = 8 << 20, PAINT = 0xA5 };

/* Ways to nest: each calls `inner(n - 1)` through C. */
static const char nests[] =
    "local nests = {}\n"
    "function nests.gsub(n, inner)\n"
    "  return ('x'):gsub('x', function() inner(n - 1) end) .. ''\n"
    "end\n"
    "function nests.gsub_table(n, inner)\n"
    "  return ('x'):gsub('x', setmetatable({}, {__index = function() inner(n - "
    "1) end})) .. ''\n"
    "end\n"
    "function nests.sort(n, inner)\n"
    "  local once = true\n"
    "  table.sort({1, 2, 3, 4, 5}, function(a, b)\n"
    "    if once then once = false inner(n - 1) end\n"
    "    return a < b end)\n"
    "end\n"
    "function nests.sort_lt(n, inner)\n"
    "  local once, meta = true, {}\n"
    "  function meta.__lt(a, b)\n"
    "    if once then once = false inner(n - 1) end\n"
    "    return a.x < b.x\n"
    "  end\n"
    "  local t = {}\n"
    "  for i = 1, 5 do t[i] = setmetatable({x = i}, meta) end\n"
    "  table.sort(t)\n"
    "end\n"
    "function nests.tostring(n, inner)\n"
    "  tostring(setmetatable({}, {__tostring = function() inner(n - 1) return "
    "'' end}))\n"
    "end\n"
    "function nests.format(n, inner)\n"
    "  string.format('%10.5s', setmetatable({}, {__tostring = function() "
    "inner(n - 1) return '' end}))\n"
    "end\n"
    "function nests.concat(n, inner)\n"
    "  table.concat(setmetatable({}, {__index = function() inner(n - 1) return "
    "'' end}), ',', 1, 1)\n"
    "end\n"
    "function nests.unpack(n, inner)\n"
    "  table.unpack(setmetatable({}, {__index = function() inner(n - 1) end}), "
    "1, 1)\n"
    "end\n"
    "function nests.insert(n, inner)\n"
    "  table.insert(setmetatable({}, {__len = function() inner(n - 1) return 0 "
    "end}), 1)\n"
    "end\n"
    "function nests.index(n, inner)\n"
    "  local t = setmetatable({}, {__index = function() inner(n - 1) end})\n"
    "  return t.x\n"
    "end\n"
    "function nests.arith(n, inner)\n"
    "  local t = setmetatable({}, {__add = function() inner(n - 1) end,\n"
    "    __concat = function() inner(n - 1) end})\n"
    "  if n % 2 == 0 then return t + 1 end\n"
    "  return t .. 'x'\n"
    "end\n"
    "function nests.pcall(n, inner) assert(pcall(inner, n - 1)) end\n"
    "function nests.xpcall(n, inner) assert(xpcall(inner, function(m) return m "
    "end, n - 1)) end\n"
    "function nests.handler(n, inner) xpcall(error, function() inner(n - 1) "
    "end) end\n"
    "function nests.close(n, inner)\n"
    "  local x <close> = setmetatable({}, {__close = function() inner(n - 1) "
    "end})\n"
    "end\n"
    "function nests.close_error(n, inner)\n"
    "  pcall(function()\n"
    "    local x <close> = setmetatable({}, {__close = function() inner(n - 1) "
    "end})\n"
    "    error 'x'\n"
    "  end)\n"
    "end\n"
    "function nests.coroutine(n, inner) "
    "assert(coroutine.resume(coroutine.create(inner), n - 1)) end\n"
    "function nests.wrap(n, inner) coroutine.wrap(inner)(n - 1) end\n"
    "function nests.close_coroutine(n, inner)\n"
    "  local c = coroutine.create(function()\n"
    "    local x <close> = setmetatable({}, {__close = function() inner(n - 1) "
    "end})\n"
    "    coroutine.yield()\n"
    "  end)\n"
    "  coroutine.resume(c) coroutine.close(c)\n"
    "end\n"
    "function nests.require(n, inner)\n"
    "  local name = 'nested' .. n\n"
    "  package.loaded[name] = nil\n"
    "  package.preload[name] = function() inner(n - 1) end\n"
    "  require(name)\n"
    "end\n"
    "function nests.searcher(n, inner)\n"
    "  local searchers = package.searchers\n"
    "  package.loaded.searched = nil\n"
    "  package.searchers = {function() package.searchers = searchers inner(n - "
    "1) return pcall end}\n"
    "  pcall(require, 'searched' .. n)\n"
    "end\n"
    "function nests.load(n, inner)\n"
    "  load(function() inner(n - 1) end)\n"
    "end\n"
    "function nests.finalizer(n, inner)\n"
    "  setmetatable({}, {__gc = function() inner(n - 1) end})\n"
    "  collectgarbage()\n"
    "end\n"
    "function nests.dofile(n, inner)\n"
    "  NEXT = function() inner(n - 1) end\n"
    "  assert(load('return NEXT()'))()\n"
    "end\n"
    "function nests.hook(n, inner)\n"
    "  local f = function() debug.sethook() inner(n - 1) end\n"
    "  debug.sethook(f, 'c') math.abs(1) debug.sethook()\n"
    "end\n"
    "return nests\n";

/* What is called at the deepest place. */
static const char leaves[] =
    "local gc, sandbox = require 'penumbra.gc', require 'penumbra.sandbox'\n"
    "local leaves = {}\n"
    "function leaves.nothing() end\n"
    "function leaves.match() string.find(('a'):rep(400) .. 'b', "
    "('(.-)'):rep(30) .. 'c?b') end\n"
    "function leaves.deep_match() ('a'):rep(1000):match(('a?'):rep(190) .. "
    "('a'):rep(5)) end\n"
    "function leaves.gsub() ('abc'):rep(100):gsub('(%w)(%w)', '%2%1') end\n"
    "function leaves.format() string.format('%99.99f %q %a', 1e308, "
    "('\\0'):rep(50), 0.1) end\n"
    "function leaves.numeral() tonumber(('1'):rep(190) .. 'e-300') "
    "tostring(1e-310) end\n"
    "function leaves.parens() load('return ' .. ('('):rep(150) .. '1' .. "
    "(')'):rep(150)) end\n"
    "function leaves.functions() load(('function f() '):rep(150) .. ('end "
    "'):rep(150)) end\n"
    "function leaves.tables() load('return ' .. ('{'):rep(150) .. "
    "('}'):rep(150)) end\n"
    "function leaves.operators() load('return ' .. ('- not #'):rep(60) .. '1') "
    "end\n"
    "function leaves.powers() load('return ' .. ('2^'):rep(150) .. '1') end\n"
    "function leaves.concats() load('return ' .. ('\"a\"..'):rep(150) .. "
    "'\"a\"') end\n"
    "function leaves.blocks() load(('do while x do if x then '):rep(60) .. "
    "('end '):rep(180)) end\n"
    "function leaves.dump()\n"
    "  local code = load(('return function() '):rep(100) .. ('end "
    "'):rep(100))\n"
    "  if code then load(string.dump(code, true)) end\n"
    "end\n"
    "function leaves.traceback() debug.traceback('x') end\n"
    "function leaves.error() xpcall(error, debug.traceback, 'x') end\n"
    "function leaves.sort()\n"
    "  local t = {}\n"
    "  for i = 1, 5000 do t[i] = (i * 7919) % 5003 end\n"
    "  table.sort(t)\n"
    "end\n"
    "function leaves.require() pcall(require, 'no.such.module') end\n"
    "function leaves.date() os.date('%c %x %X') end\n"
    "function leaves.pack() string.pack('<i16 z s8', 1, 'x', 'y') end\n"
    "function leaves.collect() collectgarbage() end\n"
    "function leaves.step() collectgarbage('step', 100) end\n"
    "function leaves.generational() collectgarbage('generational') "
    "collectgarbage('step') collectgarbage('incremental') end\n"
    "function leaves.census() gc.census() end\n"
    "function leaves.why() gc.why(leaves) end\n"
    "function leaves.metrics() gc.metrics() end\n"
    "function leaves.sandbox() sandbox.new {units = 100}:run('while true do "
    "end') end\n"
    "function leaves.getinfo() debug.getinfo(1, 'nSltufrL') end\n"
    "return leaves\n";

/* Nests as deep as it goes, then again with the leaf a few calls before. */
static const char run[] =
    "local nest, leaf = ...\n"
    "local deepest = 0\n"
    "local function dive(n)\n"
    "  deepest = math.max(deepest, 1000 - n)\n"
    "  if n > 0 then nest(n, dive) end\n"
    "end\n"
    "pcall(dive, 1000)\n"
    "for spare = 2, 14, 3 do\n"
    "  local last = math.max(deepest - spare, 1)\n"
    "  local function go(n)\n"
    "    if n <= 0 then pcall(leaf) else nest(n, go) end\n"
    "  end\n"
    "  pcall(go, last)\n"
    "end\n"
    "return deepest\n";

typedef struct Run {
  const char *nest, *leaf;
  int deepest;
} Run;

static void push_field(lua_State *L, const char *code, const char *name) {
  CHECK(luaL_dostring(L, code) == LUA_OK);
  lua_getfield(L, -1, name);
  lua_replace(L, -2);
}

static void *thread_main(void *data) {
  Run *r = data;
  lua_State *L = own_open();
  CHECK(luaL_loadstring(L, run) == LUA_OK);
  push_field(L, nests, r->nest);
  push_field(L, leaves, r->leaf);
  CHECK(lua_pcall(L, 2, 1, 0) == LUA_OK);
  r->deepest = (int)lua_tointeger(L, -1);
  lua_close(L);
  return NULL;
}

/* Runs in a thread, and returns the bytes of its stack that were used. */
static size_t used_by(void *(*body)(void *), void *data, unsigned char *stack) {
  pthread_attr_t attributes;
  pthread_t thread;
  memset(stack, PAINT, ROOM);
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstack(&attributes, stack, ROOM) == 0);
  CHECK(pthread_create(&thread, &attributes, body, data) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  pthread_attr_destroy(&attributes);
  size_t clean = 0;
  while (clean < ROOM && stack[clean] == PAINT) clean++;
  return ROOM - clean;
}

/* The names of a table, as a list on the stack of L. */
static void push_names(lua_State *L, const char *code) {
  lua_getglobal(L, "names");
  CHECK(luaL_dostring(L, code) == LUA_OK);
  lua_call(L, 1, 1);
}

int main(int argc, char **argv) {
  const bool check = argc > 1 && strcmp(argv[1], "check") == 0;
  size_t worst = 0;
  Run worst_run = {"", "", 0};
  unsigned char *stack = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(stack != MAP_FAILED);
  lua_State *L = own_open();
  own_run(L,
          "function names(t) local l = {} for k in pairs(t) do l[#l + 1] = k "
          "end table.sort(l) return l end");
  push_names(L, nests);
  push_names(L, leaves);
  for (lua_Integer i = 1; lua_rawgeti(L, 1, i) != LUA_TNIL; i++) {
    Run r = {lua_tostring(L, -1), "nothing", 0}, most_of = r;
    size_t base = 0, largest = 0;
    for (lua_Integer j = 1; lua_rawgeti(L, 2, j) != LUA_TNIL; j++) {
      r.leaf = lua_tostring(L, -1);
      size_t used = used_by(thread_main, &r, stack);
      if (strcmp(r.leaf, "nothing") == 0) base = used;
      if (used > largest) largest = used, most_of = r;
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
    printf("%-16s %4d deep %4zu KB, with %-12s %4zu KB\n", r.nest, r.deepest,
           base / 1024, most_of.leaf, largest / 1024);
    CHECK(r.deepest >= 1 && r.deepest <= 1000);
    if (largest > worst) worst = largest, worst_run = most_of;
    lua_pop(L, 1);
  }
  printf("most: %zu KB (%s, %s)\n", worst / 1024, worst_run.nest,
         worst_run.leaf);
  lua_close(L);
  munmap(stack, ROOM);
  CHECK(!check || worst <= PENUMBRA_CSTACK);
  return 0;
}
