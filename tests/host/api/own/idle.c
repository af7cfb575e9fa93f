/* SPDX-License-Identifier: MIT */
/*
** idle.c -- the collector also steps on threads that do not run
**
** A host may use the stack of a thread that was not resumed.  Every function
** that can allocate lets the collector step there, so the memory of a loop that
** makes garbage is bounded.  Each loop also runs on the main thread, and in a C
** function that uses another thread than the one that called it.
*/
#include "own.h"

/* Finalizers are called a few at a time, so their objects wait longer. */
enum { ROUNDS = 60000, BOUND_KB = 1024, BOUND_FINALIZERS_KB = 3072 };

/* Leaves the stack unchanged.  `n` is different each time. */
typedef void Body(lua_State *L, int n);

static int empty(lua_State *L) {
  (void)L;
  return 0;
}

static void text_of(char *text, int n) {
  sprintf(text, "a name that is too long for a short string, number %d", n);
}

static void do_newtable(lua_State *L, int n) {
  lua_createtable(L, n % 8, n % 8);
  lua_pop(L, 1);
}
static void do_newuserdata(lua_State *L, int n) {
  lua_newuserdatauv(L, (size_t)(n % 100), n % 3);
  lua_pop(L, 1);
}
static void do_pushlstring(lua_State *L, int n) {
  char text[80];
  text_of(text, n);
  lua_pushlstring(L, text, strlen(text));
  lua_pop(L, 1);
}
static void do_pushstring(lua_State *L, int n) {
  char text[80];
  text_of(text, n);
  lua_pushstring(L, text);
  lua_pop(L, 1);
}
static void do_pushfstring(lua_State *L, int n) {
  lua_pushfstring(L, "%d is a number in a text that is not so short", n);
  lua_pop(L, 1);
}
static void do_pushcclosure(lua_State *L, int n) {
  lua_pushinteger(L, n);
  lua_pushinteger(L, n);
  lua_pushcclosure(L, empty, 2);
  lua_pop(L, 1);
}
static void do_newthread(lua_State *L, int n) {
  (void)n;
  lua_newthread(L);
  lua_pop(L, 1);
}
static void do_tostring(lua_State *L, int n) {
  lua_pushnumber(L, n + 0.123456789);
  lua_tostring(L, -1);
  lua_pop(L, 1);
}
static void do_concat(lua_State *L, int n) {
  lua_pushinteger(L, n);
  lua_pushliteral(L, " and some text that makes it long enough to notice");
  lua_concat(L, 2);
  lua_pop(L, 1);
}
static void do_getfield(lua_State *L, int n) {
  char text[80];
  text_of(text, n);
  lua_getfield(L, 1, text);
  lua_pop(L, 1);
}
static void do_getglobal(lua_State *L, int n) {
  char text[80];
  text_of(text, n);
  lua_getglobal(L, text);
  lua_pop(L, 1);
}
static void do_setfield(lua_State *L, int n) {
  char text[80];
  text_of(text, n);
  lua_pushnil(L);
  lua_setfield(L, 1, text);
}
static void do_setglobal(lua_State *L, int n) {
  char text[80];
  text_of(text, n);
  lua_pushnil(L);
  lua_setglobal(L, text);
}
/* A table grows and is then dropped.  Only the growth can cause steps. */
static void grow(lua_State *L, int n) {
  if (n % 500 != 0) return;
  lua_newtable(L);
  lua_replace(L, 1);
}
static void do_settable(lua_State *L, int n) {
  grow(L, n);
  lua_pushinteger(L, n * 7);
  lua_pushboolean(L, 1);
  lua_settable(L, 1);
}
static void do_seti(lua_State *L, int n) {
  grow(L, n);
  lua_pushboolean(L, 1);
  lua_seti(L, 1, n % 500 + 1);
}
static void do_rawset(lua_State *L, int n) {
  grow(L, n);
  lua_pushnumber(L, n + 0.5);
  lua_pushboolean(L, 1);
  lua_rawset(L, 1);
}
static void do_rawseti(lua_State *L, int n) {
  grow(L, n);
  lua_pushboolean(L, 1);
  lua_rawseti(L, 1, n * 3);
}
static void do_rawsetp(lua_State *L, int n) {
  static char places[500];
  grow(L, n);
  lua_pushboolean(L, 1);
  lua_rawsetp(L, 1, &places[n % 500]);
}
static void do_setmetatable(lua_State *L, int n) {
  (void)n;
  lua_newtable(L);
  lua_pushvalue(L, 2); /* its metatable has __gc */
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}
static void do_load(lua_State *L, int n) {
  static const char code[] = "local a, b = ... return function() return a end";
  if (n % 10 != 0) return;
  luaL_loadbuffer(L, code, sizeof code - 1, "=code");
  lua_pop(L, 1);
}
static void do_getinfo(lua_State *L, int n) {
  lua_Debug ar;
  (void)n;
  lua_pushvalue(L, 3);
  lua_getinfo(L, ">fL", &ar);
  lua_pop(L, 2);
}
static void do_call(lua_State *L, int n) {
  lua_pushvalue(L, 3);
  lua_pushinteger(L, n);
  lua_call(L, 1, 1);
  lua_pop(L, 1);
}
static void do_pcall(lua_State *L, int n) {
  (void)n;
  lua_pushvalue(L, 4); /* fails with a new message each time */
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_ERRRUN);
  lua_pop(L, 1);
}
static void do_arith(lua_State *L, int n) {
  lua_pushvalue(L, 5); /* makes a table */
  lua_pushinteger(L, n);
  lua_arith(L, LUA_OPADD);
  lua_pop(L, 1);
}
static void do_compare(lua_State *L, int n) {
  lua_pushinteger(L, n);
  lua_compare(L, 5, -1, LUA_OPLE);
  lua_pop(L, 1);
}
static void do_len(lua_State *L, int n) {
  (void)n;
  lua_len(L, 5);
  lua_pop(L, 1);
}
static void do_gettable(lua_State *L, int n) {
  lua_pushinteger(L, n);
  lua_gettable(L, 5);
  lua_pop(L, 1);
}
static void do_geti(lua_State *L, int n) {
  lua_geti(L, 5, n);
  lua_pop(L, 1);
}
static void do_buffer(lua_State *L, int n) {
  luaL_Buffer b;
  if (n % 10 != 0) return;
  memset(luaL_buffinitsize(L, &b, 3000), 'x', 3000);
  luaL_pushresultsize(&b, 3000);
  lua_pop(L, 1);
}
static void do_ref(lua_State *L, int n) {
  grow(L, n);
  lua_pushvalue(L, 1);
  lua_pushboolean(L, 1);
  luaL_ref(L, -2);
  lua_pop(L, 1);
}
static void do_tolstring(lua_State *L, int n) {
  (void)n;
  luaL_tolstring(L, 5, NULL);
  lua_pop(L, 1);
}
static void do_gsub(lua_State *L, int n) {
  if (n % 10 != 0) return;
  luaL_gsub(L, "some text to be changed in some places", "e", "a long piece");
  lua_pop(L, 1);
}
static void do_traceback(lua_State *L, int n) {
  char text[80];
  text_of(text, n);
  luaL_traceback(L, L, text, 0);
  lua_pop(L, 1);
}
static void do_where(lua_State *L, int n) {
  char text[80];
  text_of(text, n);
  luaL_where(L, 0);
  lua_pushstring(L, text);
  lua_concat(L, 2);
  lua_pop(L, 1);
}
static void do_resume(lua_State *L, int n) {
  int count;
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, n % 2 ? 3 : 4);
  lua_xmove(L, co, 1);
  lua_resume(co, L, 0, &count);
  lua_pop(L, 1);
}
static void do_closethread(lua_State *L, int n) {
  lua_State *co = lua_newthread(L);
  lua_pushinteger(co, n);
  lua_closethread(co, L);
  lua_pop(L, 1);
}
static void do_toclose(lua_State *L, int n) {
  (void)n;
  lua_newtable(L);
  lua_pushvalue(L, 2);
  lua_setmetatable(L, -2);
  lua_toclose(L, -1);
  lua_pop(L, 1);
}

static const struct {
  const char *name;
  Body *body;
} loops[] = {
    {"newtable", do_newtable},
    {"newuserdata", do_newuserdata},
    {"pushlstring", do_pushlstring},
    {"pushstring", do_pushstring},
    {"pushfstring", do_pushfstring},
    {"pushcclosure", do_pushcclosure},
    {"newthread", do_newthread},
    {"tostring", do_tostring},
    {"concat", do_concat},
    {"getfield", do_getfield},
    {"getglobal", do_getglobal},
    {"setfield", do_setfield},
    {"setglobal", do_setglobal},
    {"settable", do_settable},
    {"seti", do_seti},
    {"rawset", do_rawset},
    {"rawseti", do_rawseti},
    {"rawsetp", do_rawsetp},
    {"setmetatable", do_setmetatable},
    {"load", do_load},
    {"getinfo", do_getinfo},
    {"call", do_call},
    {"pcall", do_pcall},
    {"arith", do_arith},
    {"compare", do_compare},
    {"len", do_len},
    {"gettable", do_gettable},
    {"geti", do_geti},
    {"buffer", do_buffer},
    {"ref", do_ref},
    {"tolstring", do_tolstring},
    {"gsub", do_gsub},
    {"traceback", do_traceback},
    {"where", do_where},
    {"resume", do_resume},
    {"closethread", do_closethread},
    {"toclose", do_toclose},
};
enum { LOOPS = sizeof loops / sizeof *loops };

/* Prepares slots 1 to 5 for the bodies. */
static void prepare(lua_State *L) {
  lua_settop(L, 0);
  CHECK(lua_checkstack(L, 40));
  lua_newtable(L);
  own_run(L,
          "local made = {}\n"
          "local function make() return {made, made, made} end\n"
          "return {__gc = function() made[1] = {} end,\n"
          "        __close = function() end},\n"
          "  function(a)\n    local t = {a, a}\n    return t\n  end,\n"
          "  function() local nothing return nothing.field end,\n"
          "  setmetatable({}, {__add = make, __le = make, __len = make,\n"
          "    __index = make, __tostring = function()\n"
          "      return tostring(make()) .. ' as quite a long string' end})");
  CHECK(lua_gettop(L) == 5);
}

/* Runs the loop on L1.  Returns the peak growth in KB. */
static int run_loop(lua_State *L1, Body *body) {
  int n, base, peak = 0;
  prepare(L1);
  lua_gc(L1, LUA_GCCOLLECT);
  lua_gc(L1, LUA_GCCOLLECT);
  base = lua_gc(L1, LUA_GCCOUNT);
  for (n = 0; n < ROUNDS; n++) {
    int kilobytes;
    body(L1, n);
    if (n % 100 != 0) continue;
    kilobytes = lua_gc(L1, LUA_GCCOUNT) - base;
    if (kilobytes > peak) peak = kilobytes;
  }
  CHECK(lua_gettop(L1) == 5);
  return peak;
}

/* Uses the stack of its argument, a thread, while its own thread runs. */
static int within_function(lua_State *L) {
  int index = (int)lua_tointeger(L, 2);
  lua_pushinteger(L, run_loop(lua_tothread(L, 1), loops[index].body));
  return 1;
}

static int run_within(lua_State *L, int index) {
  int peak;
  lua_pushcfunction(L, within_function);
  lua_newthread(L);
  lua_pushinteger(L, index);
  lua_call(L, 2, 1);
  peak = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return peak;
}

static int test_loop(lua_State *L, int index) {
  Body *body = loops[index].body;
  int idle, within, running, bound = BOUND_KB;
  lua_State *L1;
  if (body == do_setmetatable || body == do_toclose)
    bound = BOUND_FINALIZERS_KB;
  lua_settop(L, 0);
  L1 = lua_newthread(L);
  luaL_ref(L, LUA_REGISTRYINDEX);
  idle = run_loop(L1, body);
  lua_settop(L1, 0);
  within = run_within(L, index);
  running = run_loop(L, body);
  printf("%-14s %5d KB idle, %5d KB within, %5d KB running\n",
         loops[index].name, idle, within, running);
  return idle < bound && within < bound && running < bound;
}

int main(void) {
  lua_State *L = own_open();
  int index, good = 1;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (index = 0; index < LOOPS; index++)
    if (!test_loop(L, index)) good = 0;
  lua_close(L);
  CHECK(good);
  return 0;
}
