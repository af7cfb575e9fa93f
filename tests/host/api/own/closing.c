/* SPDX-License-Identifier: MIT */
/*
** closing.c -- variables to be closed when memory runs out
**
** Each case fills the memory that the state may have: in the block, in a
** closing function, in a message handler, with yields in between.  Every
** variable is closed once, in order; the error is the one that came last; and
** the state is good for something afterwards.
*/
#include "own.h"

static const char prelude[] =
    "log = {}\n"
    "function note(s) log[#log + 1] = s end\n"
    "function fill() local t = {} "
    "  while true do t[#t + 1] = ('x'):rep(10000) .. #t end end\n"
    "function closing(name, f)\n"
    "  return setmetatable({}, {__close = function(_, e)\n"
    "    note(name .. ':' .. tostring(e)) if f then f() end end})\n"
    "end\n"
    "function run(f, ...)\n"
    "  local r = table.pack(pcall(f, ...))\n"
    "  for i = 1, r.n do note(tostring(r[i])) end\n"
    "end\n";

static const struct {
  const char *code;
  const char *log;
} cases[] = {
    {"run(function() local a <close> = closing('a') "
     "local b <close> = closing('b') fill() end)",
     "b:not enough memory a:not enough memory false not enough memory"},
    {"run(function() local a <close> = closing('a') "
     "local b <close> = closing('b', fill) return 1 end)",
     "b:nil a:not enough memory false not enough memory"},
    {"run(function() local a <close> = closing('a', fill) "
     "local b <close> = closing('b', fill) error('e', 0) end)",
     "b:e a:not enough memory false not enough memory"},
    {"run(function() local a <close> = closing('a', function() error('x', 0) "
     "end) "
     "fill() end)",
     "a:not enough memory false x"},
    {"run(function() for i = 1, 2 do local a <close> = closing('a' .. i) "
     "if i == 2 then fill() end end end)",
     "a1:nil a2:not enough memory false not enough memory"},
    {"run(function() return xpcall(function() local a <close> = closing('a') "
     "error('e', 0) end, function(m) fill() end) end)",
     "a:not enough memory true false not enough memory"},
    {"run(function() return xpcall(function() local a <close> = closing('a') "
     "fill() end, function(m) note('h:' .. m) return 'handled' end) end)",
     "a:not enough memory true false not enough memory"},
    {"local co = coroutine.wrap(function() return pcall(function() "
     "local a <close> = closing('a', function() coroutine.yield('in a') end) "
     "fill() end) end) note(co()) run(co)",
     "a:not enough memory in a true false not enough memory"},
    {"local co = coroutine.wrap(function() return pcall(function() "
     "local a <close> = closing('a', function() coroutine.yield('y') fill() "
     "end) "
     "local b <close> = closing('b') error('e', 0) end) end) "
     "note(co()) run(co)",
     "b:e a:e y true false not enough memory"},
    {"local co = coroutine.create(function() "
     "local a <close> = closing('a', fill) local b <close> = closing('b') "
     "coroutine.yield() end) coroutine.resume(co) "
     "run(function() return coroutine.close(co) end)",
     "b:nil a:nil true false not enough memory"},
    {"run(function() for _ in function() fill() end, nil, nil, closing('it') "
     "do "
     "end end)",
     "it:not enough memory false not enough memory"},
    {"run(function() local t = setmetatable({}, {__index = fill}) "
     "local a <close> = closing('a') return t.x end)",
     "a:not enough memory false not enough memory"},
};

static void run_case(size_t i) {
  lua_State *L = own_open();
  own_run(L, prelude);
  lua_gc(L, LUA_GCCOLLECT);
  penumbra_Stats stats = {.size = sizeof stats};
  penumbra_getstats(L, &stats);
  penumbra_setlimit(L, stats.footprint + (2 << 20));
  own_run(L, cases[i].code);
  own_run(L, "return table.concat(log, ' ')");
  if (strcmp(lua_tostring(L, -1), cases[i].log) != 0) {
    fprintf(stderr, "case %d:\n%s\n%s\n", (int)i, cases[i].log,
            lua_tostring(L, -1));
    abort();
  }
  CHECK(lua_gettop(L) == 1);
  penumbra_setlimit(L, 0);
  own_run(L,
          "local t = {} for i = 1, 1000 do t[i] = {i} end assert(#t == 1000)");
  lua_close(L);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run_case(i);
  return 0;
}
