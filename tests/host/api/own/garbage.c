/* SPDX-License-Identifier: MIT */
/*
** garbage.c -- a host that makes garbage by one function of the API alone
**
** The collector works when a function that allocates polls it.  If one of them
** did not, a host that calls it in a loop would take ever more memory.  Each
** case makes a few megabytes of garbage at least, and then the heap must be
** small.
*/
#include "own.h"

enum { TIMES = 60000, MOST_KB = 1500 };

static const char padding[] = "enough text to make every string a long one";

/* A name that has not been used before. */
static const char *new_name(int i) {
  static char name[100];
  snprintf(name, sizeof name, "%s %d", padding, i);
  return name;
}

/* -- Strings --------------------------------------------------------------- */

static void pushlstring(lua_State *L, int i) {
  const char *name = new_name(i);
  lua_pushlstring(L, name, strlen(name));
}
static void pushstring(lua_State *L, int i) { lua_pushstring(L, new_name(i)); }
static void pushfstring(lua_State *L, int i) {
  lua_pushfstring(L, "%s %d", padding, i);
}
static void tolstring(lua_State *L, int i) {
  lua_pushnumber(L, i + 0.015625);
  lua_tolstring(L, -1, NULL);
}
static void concat(lua_State *L, int i) {
  lua_pushinteger(L, i);
  lua_pushliteral(L, "enough text to make every string a long one");
  lua_concat(L, 2);
}
static void buffer(lua_State *L, int i) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, padding);
  luaL_addstring(&b, new_name(i));
  luaL_pushresult(&b);
}
static void large_buffer(lua_State *L, int i) {
  luaL_Buffer b;
  if (i % 100) return;
  memset(luaL_buffinitsize(L, &b, 5000), 'x', 5000);
  luaL_pushresultsize(&b, 5000);
}
static void replaced(lua_State *L, int i) {
  luaL_gsub(L, new_name(i), "a", "bc");
}
static void object_to_string(lua_State *L, int i) {
  lua_pushnumber(L, i + 0.015625);
  luaL_tolstring(L, -1, NULL);
}

/* -- Names ----------------------------------------------------------------- */

static void getfield(lua_State *L, int i) {
  lua_getfield(L, LUA_REGISTRYINDEX, new_name(i));
}
static void getglobal(lua_State *L, int i) { lua_getglobal(L, new_name(i)); }
static void setfield(lua_State *L, int i) {
  lua_pushnil(L);
  lua_setfield(L, LUA_REGISTRYINDEX, new_name(i));
}
static void metafield(lua_State *L, int i) {
  lua_pushliteral(L, "");
  luaL_getmetafield(L, -1, new_name(i));
}
static void test_userdata(lua_State *L, int i) {
  luaL_testudata(L, 1, new_name(i));
}

/* -- Objects --------------------------------------------------------------- */

static int nothing(lua_State *L) {
  (void)L;
  return 0;
}
static void closure(lua_State *L, int i) {
  lua_pushinteger(L, i);
  lua_pushcclosure(L, nothing, 1);
}
static void table(lua_State *L, int i) {
  (void)i;
  lua_createtable(L, 3, 3);
}
static void userdata(lua_State *L, int i) {
  (void)i;
  lua_newuserdatauv(L, 50, 1);
}
static void thread(lua_State *L, int i) {
  if (i % 10 == 0) lua_newthread(L);
}
static void grown(lua_State *L, int i) {
  lua_newtable(L);
  lua_pushinteger(L, i);
  lua_rawsetp(L, -2, padding);
}
static void reference(lua_State *L, int i) {
  lua_pushstring(L, new_name(i));
  luaL_unref(L, LUA_REGISTRYINDEX, luaL_ref(L, LUA_REGISTRYINDEX));
}
static void subtable(lua_State *L, int i) {
  (void)i;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "one");
  lua_pushnil(L);
  lua_setfield(L, LUA_REGISTRYINDEX, "one");
}

/* -- Chunks ---------------------------------------------------------------- */

static void load(lua_State *L, int i) {
  if (i % 10 == 0) luaL_loadstring(L, "local a = ... return a + 1");
}
static void load_wrong(lua_State *L, int i) {
  if (i % 4 == 0) luaL_loadstring(L, "this is not a chunk, for all I know");
}
static void load_no_binary(lua_State *L, int i) {
  (void)i;
  luaL_loadbufferx(L, "\x1bLua, and then nothing", 21, padding, "b");
}
static void load_no_file(lua_State *L, int i) {
  if (i % 10 == 0) luaL_loadfilex(L, "/no/such/file/in/any/folder", NULL);
}

/* -- Errors ---------------------------------------------------------------- */

/* Functions in Lua that fail, at these places of the registry.  Nothing but the
** failure allocates or polls. */
enum { INDEX = 1001, ARITH, CALL, COMPARE, ERROR, DEAD };

static void fail(lua_State *L, int function) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, function);
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_ERRRUN);
}
static void fail_index(lua_State *L, int i) { (void)i, fail(L, INDEX); }
static void fail_arith(lua_State *L, int i) { (void)i, fail(L, ARITH); }
static void fail_call(lua_State *L, int i) { (void)i, fail(L, CALL); }
static void fail_compare(lua_State *L, int i) { (void)i, fail(L, COMPARE); }
static void fail_error(lua_State *L, int i) { (void)i, fail(L, ERROR); }

static int raise(lua_State *L) { return luaL_error(L, "%s", padding); }
static void fail_in_c(lua_State *L, int i) {
  (void)i;
  lua_pushcfunction(L, raise);
  lua_pcall(L, 0, 0, 0);
}
static int wrong_argument(lua_State *L) {
  return luaL_argerror(L, 1, "one that is right expected");
}
static void fail_argument(lua_State *L, int i) {
  (void)i;
  lua_pushcfunction(L, wrong_argument);
  lua_pcall(L, 0, 0, 0);
}
static int index_in_c(lua_State *L) {
  lua_pushnil(L);
  lua_getfield(L, -1, "field");
  return 0;
}
static void fail_api(lua_State *L, int i) {
  (void)i;
  lua_pushcfunction(L, index_in_c);
  lua_pcall(L, 0, 0, 0);
}
static int traceback(lua_State *L) {
  luaL_traceback(L, L, lua_tostring(L, 1), 1);
  return 1;
}
static void fail_handled(lua_State *L, int i) {
  if (i % 10) return;
  lua_pushcfunction(L, traceback);
  lua_rawgeti(L, LUA_REGISTRYINDEX, ARITH);
  lua_pcall(L, 0, 0, -2);
}
static void fail_coroutine(lua_State *L, int i) {
  if (i % 10) return;
  int results;
  lua_State *co = lua_newthread(L);
  lua_rawgeti(co, LUA_REGISTRYINDEX, ARITH);
  lua_resume(co, L, 0, &results);
}
static void resume_dead(lua_State *L, int i) {
  (void)i;
  int results;
  lua_rawgeti(L, LUA_REGISTRYINDEX, DEAD);
  lua_State *co = lua_tothread(L, -1);
  lua_resume(co, L, 0, &results);
  lua_settop(co, 0);
}

/* -- Information ----------------------------------------------------------- */

static void lines(lua_State *L, int i) {
  lua_Debug ar;
  if (i % 4) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, ARITH);
  lua_getinfo(L, ">L", &ar);
}
static void position(lua_State *L, int i) {
  (void)i;
  luaL_where(L, 0);
  luaL_traceback(L, L, padding, 0);
}
static void file_result(lua_State *L, int i) {
  luaL_fileresult(L, 0, new_name(i));
}

/* -------------------------------------------------------------------------- */

typedef struct Case {
  const char *name;
  void (*make)(lua_State *L, int i);
} Case;

#define CASE(name) \
  { #name, name }
static const Case cases[] = {
    CASE(pushlstring),  CASE(pushstring),     CASE(pushfstring),
    CASE(tolstring),    CASE(concat),         CASE(buffer),
    CASE(large_buffer), CASE(replaced),       CASE(object_to_string),
    CASE(getfield),     CASE(getglobal),      CASE(setfield),
    CASE(metafield),    CASE(test_userdata),  CASE(closure),
    CASE(table),        CASE(userdata),       CASE(thread),
    CASE(grown),        CASE(reference),      CASE(subtable),
    CASE(load),         CASE(load_wrong),     CASE(load_no_binary),
    CASE(load_no_file), CASE(fail_index),     CASE(fail_arith),
    CASE(fail_call),    CASE(fail_compare),   CASE(fail_error),
    CASE(fail_in_c),    CASE(fail_argument),  CASE(fail_api),
    CASE(fail_handled), CASE(fail_coroutine), CASE(resume_dead),
    CASE(lines),        CASE(position),       CASE(file_result),
};

/* The largest heap while the case makes its garbage, in kilobytes. */
static int run(lua_State *L, const Case *c) {
  int most = 0;
  for (int i = 0; i < TIMES; i++) {
    c->make(L, i);
    lua_settop(L, 0);
    int now = lua_gc(L, LUA_GCCOUNT, 0);
    if (now > most) most = now;
  }
  lua_gc(L, LUA_GCCOLLECT, 0);
  return most;
}

static void prepare(lua_State *L) {
  static const char *const code[] = {
      "local t = {} return function() return t.missing.field end",
      "local t = {} return function() return t.missing * 2 end",
      "local t = {} return function() t.missing() end",
      "local t = {} return function() return t < 1 end",
      "return function() error('enough text to make it long, as above') end"};
  for (int i = INDEX; i <= ERROR; i++) {
    own_run(L, code[i - INDEX]);
    lua_rawseti(L, LUA_REGISTRYINDEX, i);
  }
  lua_State *co = lua_newthread(L);
  lua_rawseti(L, LUA_REGISTRYINDEX, DEAD);
  lua_pushcfunction(co, raise);
  int results;
  lua_resume(co, L, 0, &results);
  lua_settop(L, 0);
}

/* Returns how many cases took too much. */
static int run_all(lua_State *L) {
  int failed = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int most = run(L, &cases[i]);
    if (most <= MOST_KB) continue;
    printf("%s: %d KB\n", cases[i].name, most);
    failed++;
  }
  return failed;
}

int main(void) {
  lua_State *L = own_open();
  prepare(L);
  lua_gc(L, LUA_GCINC, 0, 0, 0);
  int failed = run_all(L);
  lua_gc(L, LUA_GCGEN, 0, 0);
  failed += run_all(L);
  lua_close(L);
  return failed != 0;
}
