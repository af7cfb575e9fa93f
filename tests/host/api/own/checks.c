/* SPDX-License-Identifier: MIT */
/*
** checks.c -- a debug build reports which function was misused, and how
**
** Each misuse happens in a child process, which must abort with the name of the
** function and the reason on its stderr.  A release build has no such checks.
*/
#include <sys/wait.h>
#include <unistd.h>

#include "own.h"

typedef struct Misuse {
  lua_CFunction body;
  const char *function;
  const char *reason;
} Misuse;

static int nothing(lua_State *L) {
  (void)L;
  return 0;
}

/* -- Indices ------------------------------------------------------------- */

static int index_zero(lua_State *L) {
  lua_pushvalue(L, 0);
  return 0;
}
static int index_too_low(lua_State *L) {
  lua_pushnil(L);
  lua_type(L, -2);
  return 0;
}
static int index_too_high(lua_State *L) {
  lua_tolstring(L, 100, NULL);
  return 0;
}
static int index_of_upvalue(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(300));
  return 0;
}
static int index_to_remove(lua_State *L) {
  lua_pushnil(L);
  lua_remove(L, 3);
  return 0;
}
static int index_to_replace(lua_State *L) {
  lua_pushnil(L);
  lua_replace(L, 5);
  return 0;
}
static int index_pseudo(lua_State *L) {
  lua_pushnil(L);
  lua_insert(L, LUA_REGISTRYINDEX);
  return 0;
}
static int top_too_low(lua_State *L) {
  lua_pushnil(L);
  lua_settop(L, -4);
  return 0;
}
static int top_too_high(lua_State *L) {
  lua_settop(L, 1000);
  return 0;
}
static int handler_index(lua_State *L) {
  lua_pushcfunction(L, nothing);
  lua_pcall(L, 0, 0, 7);
  return 0;
}

/* -- The stack ----------------------------------------------------------- */

static int too_many_nils(lua_State *L) {
  int i;
  for (i = 0; i < 200; i++) lua_pushnil(L);
  return 0;
}
static int too_many_strings(lua_State *L) {
  int i;
  for (i = 0; i < 200; i++) lua_pushliteral(L, "x");
  return 0;
}
static int too_many_tables(lua_State *L) {
  int i;
  for (i = 0; i < 200; i++) lua_newtable(L);
  return 0;
}
static int too_many_integers(lua_State *L) {
  int i;
  for (i = 0; i < 200; i++) lua_pushinteger(L, i);
  return 0;
}
static int too_many_fields(lua_State *L) {
  int i;
  lua_newtable(L);
  for (i = 0; i < 200; i++) lua_rawgeti(L, 1, 1);
  return 0;
}
static int too_many_results(lua_State *L) {
  lua_pushnil(L);
  return 2;
}
static int results_below_zero(lua_State *L) {
  (void)L;
  return -1;
}

/* -- Missing values ------------------------------------------------------ */

static int call_without_function(lua_State *L) {
  lua_call(L, 0, 0);
  return 0;
}
static int call_without_argument(lua_State *L) {
  lua_pushcfunction(L, nothing);
  lua_call(L, 2, 0);
  return 0;
}
static int pcall_without_argument(lua_State *L) {
  lua_pushcfunction(L, nothing);
  lua_pcall(L, 1, 0, 0);
  return 0;
}
static int concat_too_much(lua_State *L) {
  lua_pushliteral(L, "x");
  lua_concat(L, 3);
  return 0;
}
static int arith_on_one(lua_State *L) {
  lua_pushinteger(L, 1);
  lua_arith(L, LUA_OPADD);
  return 0;
}
static int set_without_value(lua_State *L) {
  lua_pushvalue(L, LUA_REGISTRYINDEX);
  lua_settop(L, 0);
  lua_setfield(L, LUA_REGISTRYINDEX, "x");
  return 0;
}
static int settable_without_key(lua_State *L) {
  lua_newtable(L);
  lua_settable(L, 1);
  return 0;
}
static int rawset_without_key(lua_State *L) {
  lua_newtable(L);
  lua_rawset(L, 1);
  return 0;
}
static int global_without_value(lua_State *L) {
  lua_setglobal(L, "x");
  return 0;
}
static int closure_without_upvalue(lua_State *L) {
  lua_pushcclosure(L, nothing, 1);
  return 0;
}
static int error_without_value(lua_State *L) { return lua_error(L); }
static int next_without_key(lua_State *L) {
  lua_next(L, LUA_REGISTRYINDEX);
  return 0;
}
static int yield_without_values(lua_State *L) { return lua_yield(L, 3); }
static int resume_without_values(lua_State *L) {
  int nres;
  lua_State *thread = lua_newthread(L);
  lua_pushcfunction(thread, nothing);
  lua_resume(thread, L, 4, &nres);
  return 0;
}
static int move_without_values(lua_State *L) {
  lua_State *thread = lua_newthread(L);
  lua_xmove(L, thread, 3);
  return 0;
}
static int metatable_without_value(lua_State *L) {
  lua_newtable(L);
  lua_pop(L, 1);
  lua_setmetatable(L, LUA_REGISTRYINDEX);
  return 0;
}

/* -- Wrong values -------------------------------------------------------- */

static int raw_of_number(lua_State *L) {
  lua_pushinteger(L, 1);
  lua_rawgeti(L, 1, 1);
  return 0;
}
static int rawset_of_nil(lua_State *L) {
  lua_pushnil(L);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_rawset(L, 1);
  return 0;
}
static int metatable_is_number(lua_State *L) {
  lua_newtable(L);
  lua_pushinteger(L, 1);
  lua_setmetatable(L, 1);
  return 0;
}
static int uservalue_of_table(lua_State *L) {
  lua_newtable(L);
  lua_getiuservalue(L, 1, 1);
  return 0;
}
static int dump_of_number(lua_State *L) {
  lua_dump(L, NULL, NULL, 0);
  return 0;
}
static int compare_unknown(lua_State *L) {
  lua_pushnil(L);
  lua_pushnil(L);
  lua_compare(L, 1, 2, 17);
  return 0;
}
static int arith_unknown(lua_State *L) {
  lua_pushnil(L);
  lua_pushnil(L);
  lua_arith(L, 99);
  return 0;
}
static int xmove_to_stranger(lua_State *L) {
  lua_State *other = luaL_newstate();
  lua_pushnil(L);
  lua_xmove(L, other, 1);
  return 0;
}

/* -- Buffers ------------------------------------------------------------- */

/* Leaves a value above the slot of a buffer, of either sort. */
static void buffer_below_value(lua_State *L, luaL_Buffer *b, int boxed) {
  luaL_buffinit(L, b);
  if (boxed) luaL_addsize(b, luaL_prepbuffsize(b, 100000) ? 100000 : 0);
  lua_pushcfunction(L, nothing);
}
static int buffer_addstring(lua_State *L) {
  luaL_Buffer b;
  buffer_below_value(L, &b, 0);
  luaL_addstring(&b, "x");
  return 0;
}
static int buffer_addlstring(lua_State *L) {
  luaL_Buffer b;
  buffer_below_value(L, &b, 1);
  luaL_addlstring(&b, "x", 1);
  return 0;
}
static int buffer_addnothing(lua_State *L) {
  luaL_Buffer b;
  buffer_below_value(L, &b, 0);
  luaL_addlstring(&b, "", 0);
  return 0;
}
static int buffer_addvalue(lua_State *L) {
  luaL_Buffer b;
  buffer_below_value(L, &b, 0);
  lua_pushliteral(L, "x");
  luaL_addvalue(&b);
  return 0;
}
static int buffer_addvalue_boxed(lua_State *L) {
  luaL_Buffer b;
  buffer_below_value(L, &b, 1);
  lua_newuserdatauv(L, 16, 0);
  lua_pushliteral(L, "x");
  luaL_addvalue(&b);
  return 0;
}
static int buffer_addgsub(lua_State *L) {
  luaL_Buffer b;
  buffer_below_value(L, &b, 1);
  luaL_addgsub(&b, "x", "y", "z");
  return 0;
}
static int buffer_prepare(lua_State *L) {
  luaL_Buffer b;
  buffer_below_value(L, &b, 0);
  luaL_prepbuffsize(&b, 1);
  return 0;
}
static int buffer_addchar(lua_State *L) {
  luaL_Buffer b;
  buffer_below_value(L, &b, 1);
  for (;;) luaL_addchar(&b, 'x');
  return 0;
}
static int buffer_pushresult(lua_State *L) {
  luaL_Buffer b;
  buffer_below_value(L, &b, 0);
  luaL_pushresult(&b);
  return 0;
}
static int buffer_pushresultsize(lua_State *L) {
  luaL_Buffer b;
  buffer_below_value(L, &b, 1);
  luaL_pushresultsize(&b, 0);
  return 0;
}
static int buffer_slot_popped(lua_State *L) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  lua_settop(L, 0);
  luaL_pushresult(&b);
  return 0;
}

static const Misuse misuses[] = {
    {index_zero, "lua_pushvalue", "invalid index"},
    {index_too_low, "lua_type", "invalid index"},
    {index_too_high, "lua_tolstring", "unacceptable index"},
    {index_of_upvalue, "lua_pushvalue", "upvalue index too large"},
    {index_to_remove, "lua_rotate", "invalid index"},
    {index_to_replace, "lua_copy", "invalid index"},
    {index_pseudo, "lua_rotate", "index of a slot expected"},
    {top_too_low, "lua_settop", "invalid new top"},
    {top_too_high, "lua_settop", "new top too large"},
    {handler_index, "lua_pcallk", "invalid index"},
    {too_many_nils, "lua_pushnil", "stack overflow"},
    {too_many_strings, "lua_pushstring", "stack overflow"},
    {too_many_tables, "lua_createtable", "stack overflow"},
    {too_many_integers, "lua_pushinteger", "stack overflow"},
    {too_many_fields, "lua_rawgeti", "stack overflow"},
    {too_many_results, "C function", "more results than values"},
    {results_below_zero, "C function", "more results than values"},
    {call_without_function, "lua_callk", "not enough values"},
    {call_without_argument, "lua_callk", "not enough values"},
    {pcall_without_argument, "lua_pcallk", "not enough values"},
    {concat_too_much, "lua_concat", "not enough values"},
    {arith_on_one, "lua_arith", "not enough values"},
    {set_without_value, "lua_setfield", "not enough values"},
    {settable_without_key, "lua_settable", "not enough values"},
    {rawset_without_key, "lua_rawset", "not enough values"},
    {global_without_value, "lua_setglobal", "not enough values"},
    {closure_without_upvalue, "lua_pushcclosure", "not enough values"},
    {error_without_value, "lua_error", "not enough values"},
    {next_without_key, "lua_next", "not enough values"},
    {yield_without_values, "lua_yieldk", "not enough values"},
    {resume_without_values, "lua_resume", "not enough values"},
    {move_without_values, "lua_xmove", "not enough values"},
    {metatable_without_value, "lua_setmetatable", "not enough values"},
    {raw_of_number, "lua_rawgeti", "table expected"},
    {rawset_of_nil, "lua_rawset", "table expected"},
    {metatable_is_number, "lua_setmetatable", "table expected"},
    {uservalue_of_table, "lua_getiuservalue", "userdata expected"},
    {dump_of_number, "lua_dump", "not enough values"},
    {compare_unknown, "lua_compare", "invalid option"},
    {arith_unknown, "lua_arith", "invalid option"},
    {buffer_addstring, "luaL_addstring", "slot of the buffer is not on top"},
    {buffer_addlstring, "luaL_addlstring", "slot of the buffer is not on top"},
    {buffer_addnothing, "luaL_addlstring", "slot of the buffer is not on top"},
    {buffer_addvalue, "luaL_addvalue", "is not below the value on top"},
    {buffer_addvalue_boxed, "luaL_addvalue", "is not below the value on top"},
    {buffer_addgsub, "luaL_addgsub", "slot of the buffer is not on top"},
    {buffer_prepare, "luaL_prepbuffsize", "slot of the buffer is not on top"},
    {buffer_addchar, "luaL_prepbuffsize", "slot of the buffer is not on top"},
    {buffer_pushresult, "luaL_pushresult", "slot of the buffer is not on top"},
    {buffer_pushresultsize, "luaL_pushresultsize", "is not on top"},
    {buffer_slot_popped, "luaL_pushresult", "slot of the buffer is not on top"},
    {xmove_to_stranger, "lua_xmove", "threads of different states"},
};

/* In the child: calls the function in the same way as a C function. */
static void misbehave(const Misuse *misuse, int err) {
  lua_State *L = own_open();
  dup2(err, STDERR_FILENO);
  lua_pushcfunction(L, misuse->body);
  lua_pcall(L, 0, 0, 0);
  _exit(0);
}

/* Runs a misuse in a child and collects its messages.  True if it aborted. */
static int aborts(const Misuse *misuse, char *text, size_t size) {
  int ends[2], status;
  size_t length = 0;
  ssize_t n;
  pid_t child;
  CHECK(pipe(ends) == 0);
  fflush(NULL);
  child = fork();
  CHECK(child >= 0);
  if (child == 0) misbehave(misuse, ends[1]);
  close(ends[1]);
  while ((n = read(ends[0], text + length, size - 1 - length)) > 0)
    length += (size_t)n;
  text[length] = '\0';
  close(ends[0]);
  CHECK(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status);
}

int main(void) {
  size_t i, wrong = 0, count = sizeof misuses / sizeof *misuses;
#if !defined(PENUMBRA_DEBUG)
  printf("SKIPPED: no checks in a release build\n");
  return 77;
#endif
  for (i = 0; i < count; i++) {
    char text[2000];
    const Misuse *misuse = &misuses[i];
    int aborted = aborts(misuse, text, sizeof text);
    if (aborted && strstr(text, misuse->function) &&
        strstr(text, misuse->reason))
      continue;
    printf("%s, %s: %s %s\n", misuse->function, misuse->reason,
           aborted ? "aborted with" : "went on", text);
    wrong++;
  }
  printf("%d misuses, %d not reported\n", (int)count, (int)wrong);
  return wrong > 0;
}
