/* SPDX-License-Identifier: MIT */
/*
** main.c -- runs sequences and prints a line for each
**
**   walk <seed> <count>        a line for each seed, with the hash of its trace
**   walk --trace <seed>        the whole trace of one seed
*/
#include <stdarg.h>

#include "walk.h"

Walk walk;

/* -- Random choices -------------------------------------------------------- */

static uint64_t walk_bits(void) { /* splitmix64 */
  uint64_t z = (walk.random += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

unsigned walk_below(unsigned n) { return (unsigned)((walk_bits() >> 32) % n); }

int walk_once_in(unsigned n) { return walk_below(n) == 0; }

lua_Integer walk_integer(void) {
  static const lua_Integer border[] = {0,
                                       1,
                                       2,
                                       3,
                                       -1,
                                       -2,
                                       7,
                                       10,
                                       63,
                                       64,
                                       255,
                                       1000,
                                       LUA_MAXINTEGER,
                                       LUA_MININTEGER,
                                       (lua_Integer)1 << 53,
                                       ((lua_Integer)1 << 53) + 1};
  if (walk_once_in(2)) return (lua_Integer)walk_below(8);
  return border[walk_below(sizeof border / sizeof *border)];
}

lua_Number walk_number(void) {
  static const lua_Number border[] = {0.0,
                                      -0.0,
                                      0.5,
                                      1.0,
                                      -1.5,
                                      3.0,
                                      1e15,
                                      1e100,
                                      9007199254740992.0,
                                      9223372036854775808.0,
                                      -9223372036854775808.0,
                                      1e308,
                                      123456.789};
  return border[walk_below(sizeof border / sizeof *border)];
}

const char *walk_text(void) {
  static const char *const texts[] = {
      "a",       "b",
      "x",       "key",
      "",        "10",
      "0x1F",    " 3.5 ",
      "1e2",     "hello world",
      "__index", "n",
      "5x",      "a longer text that does not fit into forty bytes"};
  return texts[walk_below(sizeof texts / sizeof *texts)];
}

/* -- The trace ------------------------------------------------------------- */

static void trace_text(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    walk.hash = (walk.hash ^ (unsigned char)text[i]) * 0x100000001B3u;
  if (walk.printing) fwrite(text, 1, length, stdout);
}

void trace(const char *format, ...) {
  char line[400];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  trace_text(line, strlen(line));
}

/* Traces a text without the digits after "0x", because they are an address. */
static void trace_masked(const char *s, size_t length) {
  for (size_t i = 0; i < length; i++) {
    trace_text(&s[i], 1);
    if (s[i] == 'x' && i > 0 && s[i - 1] == '0')
      while (i + 1 < length && strchr("0123456789abcdef", s[i + 1]) && s[i + 1])
        i++;
  }
}

void trace_value(lua_State *L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNONE: trace("none"); break;
    case LUA_TNIL: trace("nil"); break;
    case LUA_TBOOLEAN: trace(lua_toboolean(L, index) ? "true" : "false"); break;
    case LUA_TNUMBER:
      if (lua_isinteger(L, index))
        trace("%lld", (long long)lua_tointeger(L, index));
      else if (lua_tonumber(L, index) != lua_tonumber(L, index))
        trace("nan");
      else
        trace("%.17gf", lua_tonumber(L, index));
      break;
    case LUA_TSTRING: {
      size_t length;
      const char *s = lua_tolstring(L, index, &length);
      trace("'");
      trace_masked(s, length);
      trace("'");
      break;
    }
    default: trace("<%s>", luaL_typename(L, index)); break;
  }
}

void trace_stack(lua_State *L) {
  int top = lua_gettop(L);
  trace("[%d", top);
  for (int i = top > 6 ? top - 5 : 1; i <= top; i++) {
    trace(" ");
    trace_value(L, i);
  }
  trace("]\n");
}

/* -- Sequences ------------------------------------------------------------- */

static const char *const PRELUDE =
    "function twice(f, ...) f(...) return f(...) end\n"
    "function guarded(...) return 'guarded', pcall(body, ...) end\n"
    "function yields(...) local a = coroutine.yield(...) "
    "return coroutine.yield(a, body(a)) end\n"
    "function tail(...) return body(...) end\n"
    "function closes(...) local c <close> = closable return body(...) end\n"
    "function loops(n) for i = 1, 2 do for k in body, i do if not k then break "
    "end body(k) break end end return n end\n"
    "function fails(x) local t = x + 1 return t.y.z end\n"
    "function raises(...) error(...) end\n"
    "function wrapped(...) local f = coroutine.wrap(body) f(...) return f() "
    "end\n"
    "function counter() local n, m = 0, 'm' return function(d) n = n + (d or "
    "1) "
    "return n, m end end\n";

static void silent_warnings(void *data, const char *message, int more) {
  (void)data;
  trace("warning '%s' %d\n", message, more);
}

static int body_close(lua_State *L) {
  trace("close %d ", lua_gettop(L));
  trace_value(L, 2);
  trace("\n");
  return !walk.closing && walk_once_in(3) ? body_run(L) : 0;
}

/* Gives strings a metatable that does not lead to the library.  A function
** stored in the library would have a second name, and messages use the first
** name that they find. */
static void prepare_strings(lua_State *L) {
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_createtable(L, 0, 0);
  lua_pushnil(L);
  while (lua_next(L, -3)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
  lua_createtable(L, 0, 0);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -3);
  lua_settop(L, 0);
}

/* Prepares global functions, and a value that can be closed. */
static void prepare(lua_State *L) {
  luaL_openlibs(L);
  prepare_strings(L);
  lua_setwarnf(L, silent_warnings, NULL);
  lua_register(L, "body", body_run);
  lua_createtable(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, body_close);
  lua_setfield(L, -2, "__close");
  lua_setmetatable(L, -2);
  lua_setglobal(L, "closable");
  if (luaL_dostring(L, PRELUDE)) abort();
  walk.threads[0] = (WalkThread){L, 0, 1};
  for (int i = 1; i < THREADS; i++) {
    walk.threads[i] = (WalkThread){lua_newthread(L), 0, 0};
    lua_rawsetp(L, LUA_REGISTRYINDEX, &walk.threads[i]);
  }
}

static void sequence(uint64_t seed) {
  lua_State *L = luaL_newstate();
  if (!L) abort();
  memset(&walk.refs, 0, sizeof walk.refs);
  walk.random = seed;
  walk.depth = 0;
  walk.hash = 0xCBF29CE484222325u;
  walk.budget = 0;
  prepare(L);
  walk.budget = 10 + (int)walk_below(80);
  while (walk.budget > 0) {
    walk.depth = walk.closing = 0;
    lua_pushcfunction(L, body_run);
    lua_pushinteger(L, 5);
    int status = lua_pcall(L, 1, LUA_MULTRET, 0);
    trace("status %d ", status);
    trace_stack(L);
    lua_settop(L, 0);
  }
  lua_close(L);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: walk <seed> <count> | --trace <seed>\n");
    return 2;
  }
  walk.printing = strcmp(argv[1], "--trace") == 0;
  uint64_t first = strtoull(argv[walk.printing ? 2 : 1], NULL, 10);
  uint64_t count = walk.printing ? 1 : strtoull(argv[2], NULL, 10);
  for (uint64_t seed = first; seed < first + count; seed++) {
    if (!walk.printing) printf("%llu ", (unsigned long long)seed);
    sequence(seed);
    if (!walk.printing) printf("%016llx\n", (unsigned long long)walk.hash);
    fflush(stdout);
  }
  return 0;
}
