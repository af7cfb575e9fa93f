/* SPDX-License-Identifier: MIT */
/*
** results.c -- what each function returns, for every kind of argument
**
** Tables: each function at every index of a stack with a value of each kind,
** at indices without a value and at pseudo-indices; functions of two indices at
** every pair of them.  One line for each function and index; errors count as a
** result.
*/
#include "same.h"

/* -- A stack with one of each ---------------------------------------------- */

static int a_function(lua_State *L) {
  (void)L;
  return 0;
}

static int b_function(lua_State *L) {
  (void)L;
  return 0;
}

enum { ROOM = 60 };

/* Two objects of each kind that has an identity, and numbers at the limits. */
static int push_all(lua_State *L) {
  static int a, b;
  luaL_checkstack(L, ROOM, NULL);
  lua_pushnil(L);
  lua_pushboolean(L, 0);
  lua_pushboolean(L, 1);
  lua_pushinteger(L, 0);
  lua_pushinteger(L, 1);
  lua_pushinteger(L, LUA_MAXINTEGER);
  lua_pushinteger(L, LUA_MININTEGER);
  lua_pushnumber(L, 1.0);
  lua_pushnumber(L, -0.0);
  lua_pushnumber(L, 0.5);
  lua_pushnumber(L, 9223372036854775808.0);
  lua_pushnumber(L, -9223372036854775808.0);
  run(L, "return 0/0, 1/0, -1/0, '', 'a', 'b', 'a\\0', '10', '0x', "
         "('long'):rep(20), ('long'):rep(20), "
         "{}, {1, 2}, setmetatable({}, {__eq = function() return true end, "
         "__lt = function() return 1 end, __le = function() return nil end, "
         "__len = function() return 5 end, __index = {x = 1}, "
         "__metatable = 'hidden', __name = 'NAMED'}), "
         "function() end, function() end");
  lua_pushcfunction(L, a_function);
  lua_pushcfunction(L, b_function);
  lua_pushinteger(L, 1);
  lua_pushcclosure(L, a_function, 1);
  lua_pushlightuserdata(L, &a);
  lua_pushlightuserdata(L, &b);
  lua_pushlightuserdata(L, NULL);
  lua_newuserdatauv(L, 7, 1);
  lua_newuserdatauv(L, 0, 0);
  lua_pushthread(L);
  lua_newthread(L);
  return lua_gettop(L);
}

/* Every index that may be given to a function that takes an acceptable one. */
static int all_indices(int top, int *list) {
  int i, n = 0;
  for (i = 1; i <= top; i++) list[n++] = i;
  list[n++] = top + 1;
  list[n++] = top + 5;
  list[n++] = -1;
  list[n++] = -top;
  list[n++] = LUA_REGISTRYINDEX;
  list[n++] = lua_upvalueindex(1);
  list[n++] = lua_upvalueindex(2);
  list[n++] = lua_upvalueindex(255);
  return n;
}

/* -- Functions of two indices ---------------------------------------------- */

static int compare_body(lua_State *L) {
  int op = (int)lua_tointeger(L, lua_upvalueindex(1));
  int a = (int)lua_tointeger(L, lua_upvalueindex(2));
  int b = (int)lua_tointeger(L, lua_upvalueindex(3));
  int top, list[ROOM], result;
  lua_settop(L, 0);
  top = push_all(L);
  all_indices(top, list);
  result = op < 0 ? lua_rawequal(L, list[a], list[b])
                  : lua_compare(L, list[a], list[b], op);
  if (lua_gettop(L) != top) printf("(top)");
  lua_pushinteger(L, result);
  return 1;
}

/* The indices within the list: pseudo-indices are those of compare_body, whose
** first upvalues are numbers. */
static char compare_at(lua_State *L, int op, int a, int b) {
  char shown;
  lua_pushinteger(L, op);
  lua_pushinteger(L, a);
  lua_pushinteger(L, b);
  lua_pushcclosure(L, compare_body, 3);
  if (lua_pcall(L, 0, 1, 0) != LUA_OK) {
    shown = 'E';
  } else {
    shown = (char)('0' + lua_tointeger(L, -1));
  }
  lua_pop(L, 1);
  return shown;
}

static void test_pairs(lua_State *L) {
  static const char *const names[] = {"rawequal", "eq", "lt", "le"};
  static const int ops[] = {-1, LUA_OPEQ, LUA_OPLT, LUA_OPLE};
  int list[ROOM], count, a, b, i;
  count = all_indices(push_all(L), list);
  lua_settop(L, 0);
  for (i = 0; i < 4; i++) {
    SECTION(names[i]);
    for (a = 0; a < count; a++) {
      printf("%2d ", a);
      for (b = 0; b < count; b++) putchar(compare_at(L, ops[i], a, b));
      putchar('\n');
    }
  }
}

/* -- Functions of one index ------------------------------------------------ */

static void show_queries(lua_State *L, int i) {
  int is_number = 7, is_integer = 7;
  lua_Number n = lua_tonumberx(L, i, &is_number);
  lua_Integer k = lua_tointegerx(L, i, &is_integer);
  printf("type %d is %d%d%d%d%d to %d %.14g %d " LUA_INTEGER_FMT " %d len %d",
         lua_type(L, i), lua_isnumber(L, i), lua_isstring(L, i),
         lua_iscfunction(L, i), lua_isinteger(L, i), lua_isuserdata(L, i),
         is_number, n == n ? n : 77.0, is_integer, (LUAI_UACINT)k,
         lua_toboolean(L, i), (int)lua_rawlen(L, i));
  printf(" n %.14g i " LUA_INTEGER_FMT,
         lua_tonumber(L, i) == lua_tonumber(L, i) ? lua_tonumber(L, i) : 77.0,
         (LUAI_UACINT)lua_tointeger(L, i));
  printf(" c %d u %d t %d p %d\n", lua_tocfunction(L, i) == a_function,
         lua_touserdata(L, i) != NULL, lua_tothread(L, i) != NULL,
         lua_topointer(L, i) != NULL);
}

static void show_objects(lua_State *L, int i) {
  int top = lua_gettop(L), result = lua_getmetatable(L, i);
  printf("   metatable %d, %d", result, lua_gettop(L) - top);
  lua_settop(L, top);
  result = luaL_getmetafield(L, i, "__name");
  printf(" field %d, %d", result, lua_gettop(L) - top);
  lua_settop(L, top);
  result = luaL_callmeta(L, i, "__len");
  printf(" called %d, %d", result, lua_gettop(L) - top);
  lua_settop(L, top);
  if (lua_type(L, i) == LUA_TUSERDATA) {
    int n;
    for (n = 0; n <= 2; n++) {
      printf(" uv%d %d", n, lua_getiuservalue(L, i, n));
      lua_pop(L, 1);
      lua_pushinteger(L, n);
      printf(" %d", lua_setiuservalue(L, i, n));
    }
    printf(" now %d", lua_getiuservalue(L, i, 1));
  }
  if (lua_isfunction(L, i)) {
    int n;
    for (n = 0; n <= 2; n++) {
      const char *name = lua_getupvalue(L, i, n);
      printf(" up%d %s %d", n, name ? name : "NULL", lua_gettop(L) - top);
      lua_settop(L, top);
      lua_pushinteger(L, n);
      name = lua_setupvalue(L, i, n);
      printf(" %s %d", name ? name : "NULL", lua_gettop(L) - top);
      lua_settop(L, top);
    }
  }
  printf("\n");
  lua_settop(L, top);
}

/* Converts in place, so it comes last. */
static void show_text(lua_State *L, int i) {
  size_t length = 99;
  const char *text = lua_tolstring(L, i, &length);
  printf("   text %s %d, type %d\n", text ? text : "NULL", (int)length,
         lua_type(L, i));
}

static int test_one_index(lua_State *L) {
  int list[ROOM], count, i;
  lua_settop(L, 0);
  count = all_indices(push_all(L), list);
  SECTION("queries");
  for (i = 0; i < count; i++) {
    printf("%2d ", i);
    show_queries(L, list[i]);
    if (list[i] != LUA_REGISTRYINDEX) show_objects(L, list[i]);
    show_text(L, list[i]);
  }
  return 0;
}

/* What is copied from an index without a value is an ordinary nil. */
static int test_absent(lua_State *L) {
  static const int absent[] = {30, lua_upvalueindex(2), lua_upvalueindex(255)};
  size_t i;
  int how;
  SECTION("absent");
  for (i = 0; i < sizeof absent / sizeof *absent; i++) {
    for (how = 0; how < 2; how++) {
      lua_settop(L, 0);
      luaL_checkstack(L, 40, NULL);
      lua_pushinteger(L, 1);
      if (how == 0) {
        lua_pushvalue(L, absent[i]);
      } else {
        lua_pushinteger(L, 2);
        lua_copy(L, absent[i], 2);
      }
      lua_pushnil(L);
      printf("type %d nil %d %d equal %d %d", lua_type(L, 2),
             lua_rawequal(L, 2, 3), lua_rawequal(L, 3, 2),
             lua_compare(L, 2, 3, LUA_OPEQ), lua_isnone(L, 2));
      lua_newtable(L);
      lua_pushvalue(L, 2);
      lua_setfield(L, 4, "x");
      lua_pushvalue(L, 2);
      lua_rawseti(L, 4, 1);
      lua_pushnil(L);
      printf(" next %d", lua_next(L, 4));
      lua_settop(L, 4);
      printf(" field %d length %d", lua_getfield(L, 4, "x"),
             (int)lua_rawlen(L, 4));
      luaL_loadstring(L, "local a, b = ... return a == b, a == nil, type(a), "
                         "rawequal(a, nil), a or 'or', select('#', ...), "
                         "pcall(rawset, {}, a, 1)");
      lua_pushvalue(L, 2);
      lua_pushvalue(L, 3);
      lua_call(L, 2, 8);
      for (; lua_gettop(L) > 5; lua_remove(L, 6)) {
        printf(" %s", luaL_tolstring(L, 6, NULL));
        lua_pop(L, 1);
      }
      printf("\n");
    }
  }
  lua_pushvalue(L, LUA_REGISTRYINDEX);
  lua_copy(L, -1, LUA_REGISTRYINDEX);
  lua_pushliteral(L, "kept");
  lua_setfield(L, LUA_REGISTRYINDEX, "a field");
  printf("registry %d\n", lua_getfield(L, LUA_REGISTRYINDEX, "a field"));
  return 0;
}

/* -- Reading and writing tables -------------------------------------------- */

enum { GETTABLE, GETFIELD, GETI, RAWGET, RAWGETI, RAWGETP, NEXT, GETTERS };

static int get_body(lua_State *L) {
  int how = (int)lua_tointeger(L, lua_upvalueindex(1));
  int result = -9, top = lua_gettop(L); /* table, key */
  switch (how) {
    case GETTABLE: result = lua_gettable(L, 1); break;
    case GETFIELD: result = lua_getfield(L, 1, "x"); break;
    case GETI: result = lua_geti(L, 1, 1); break;
    case RAWGET: result = lua_rawget(L, 1); break;
    case RAWGETI: result = lua_rawgeti(L, 1, 1); break;
    case RAWGETP: result = lua_rawgetp(L, 1, NULL); break;
    default: result = lua_next(L, 1); break;
  }
  lua_pushfstring(L, "%d, %d values, type %d", result, lua_gettop(L) - top,
                  lua_gettop(L) > 1 ? lua_type(L, -1) : -9);
  return 1;
}

static void test_getters(lua_State *L) {
  static const char *const objects[] = {
      "{}",
      "{10, 20, x = 1}",
      "setmetatable({}, {__index = {x = 'i', 5}})",
      "setmetatable({}, {__index = function(_, k) return k end})",
      "setmetatable({x = 1}, {__index = error})",
      "'text'",
      "12",
      "nil"};
  static const char *const keys[] = {
      "1",   "2",   "3",  "'x'", "1.0",
      "0/0", "nil", "{}", "1.5", "math.maxinteger",
      "true"};
  size_t o, k;
  int how;
  SECTION("getters");
  for (o = 0; o < sizeof objects / sizeof *objects; o++) {
    for (k = 0; k < sizeof keys / sizeof *keys; k++) {
      for (how = 0; how < GETTERS; how++) {
        if (o >= 5 && how >= RAWGET) continue; /* a table is expected */
        lua_pushinteger(L, how);
        lua_pushcclosure(L, get_body, 1);
        lua_pushfstring(L, "return %s, %s", objects[o], keys[k]);
        luaL_loadstring(L, lua_tostring(L, -1));
        lua_remove(L, -2);
        lua_call(L, 0, 2);
        lua_pcall(L, 2, 1, 0);
        printf("%s %s %d: %s\n", objects[o], keys[k], how, lua_tostring(L, -1));
        lua_pop(L, 1);
      }
    }
  }
}

static int set_body(lua_State *L) {
  int how = (int)lua_tointeger(L, lua_upvalueindex(1));
  int top = lua_gettop(L); /* table, key, value */
  switch (how) {
    case GETTABLE: lua_settable(L, 1); break;
    case GETFIELD: lua_setfield(L, 1, "x"); break;
    case GETI: lua_seti(L, 1, 1); break;
    case RAWGET: lua_rawset(L, 1); break;
    case RAWGETI: lua_rawseti(L, 1, 3); break;
    default: lua_rawsetp(L, 1, NULL); break;
  }
  lua_pushfstring(L, "%d", lua_gettop(L) - top);
  luaL_loadstring(L, "local t, n = ..., 0 "
                     "for k, v in next, t do n = n + (tonumber(v) or 1) end "
                     "return ' n ' .. n .. ' # ' .. #t");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  lua_concat(L, 2);
  return 1;
}

static void test_setters(lua_State *L) {
  static const char *const objects[] = {
      "{}", "{10, 20, x = 1}", "setmetatable({}, {__newindex = error})",
      ("setmetatable({x = 2}, {__newindex = function(t, k, v) "
       "rawset(t, 1, 99) end})")};
  static const char *const keys[] = {"1", "3", "'x'", "0/0", "nil", "1.5"};
  static const char *const values[] = {"7", "nil", "'8'"};
  size_t o, k, v;
  int how;
  SECTION("setters");
  for (o = 0; o < sizeof objects / sizeof *objects; o++) {
    for (k = 0; k < sizeof keys / sizeof *keys; k++) {
      for (v = 0; v < sizeof values / sizeof *values; v++) {
        for (how = 0; how <= RAWGETP; how++) {
          lua_pushinteger(L, how);
          lua_pushcclosure(L, set_body, 1);
          lua_pushfstring(L, "return %s, %s, %s", objects[o], keys[k],
                          values[v]);
          luaL_loadstring(L, lua_tostring(L, -1));
          lua_remove(L, -2);
          lua_call(L, 0, 3);
          lua_pcall(L, 3, 1, 0);
          printf("%d %s %s %d: %s\n", (int)o, keys[k], values[v], how,
                 lua_tostring(L, -1) ? lua_tostring(L, -1) : "(none)");
          lua_pop(L, 1);
        }
      }
    }
  }
}

/* -- lua_gc ---------------------------------------------------------------- */

/* Every option with every argument: the result, and that of the one after it,
** which for settings is the old value. */
static void test_gc_settings(lua_State *L) {
  static const int values[] = {0,   1,   3,   4,    5, 100, 199,
                               200, 201, 400, 1000, 0, 0,   1020};
  size_t i;
  SECTION("lua_gc");
  for (i = 0; i < sizeof values / sizeof *values; i++) {
    int v = values[i];
    printf("%d: pause %d", v, lua_gc(L, LUA_GCSETPAUSE, v));
    printf(" stepmul %d", lua_gc(L, LUA_GCSETSTEPMUL, v));
    printf(" inc %d", lua_gc(L, LUA_GCINC, 0, 0, 0));
    printf(" gen %d", lua_gc(L, LUA_GCGEN, 0, 0));
    printf(" gen %d", lua_gc(L, LUA_GCGEN, v > 0 && v <= 100 ? v : 20, v));
    printf(" inc %d", lua_gc(L, LUA_GCINC, v, v, 0));
    printf(" inc %d\n", lua_gc(L, LUA_GCINC, 0, 0, 13));
  }
  printf("in the end pause %d stepmul %d\n", lua_gc(L, LUA_GCSETPAUSE, 200),
         lua_gc(L, LUA_GCSETSTEPMUL, 100));
}

static void test_gc_results(lua_State *L) {
  static const int options[] = {LUA_GCSTOP,      LUA_GCISRUNNING, LUA_GCSTOP,
                                LUA_GCRESTART,   LUA_GCISRUNNING, LUA_GCRESTART,
                                LUA_GCISRUNNING, LUA_GCCOLLECT};
  static const int unknown[] = {-1, 8, 12, 99, 2147483647};
  size_t i;
  for (i = 0; i < sizeof options / sizeof *options; i++)
    printf("option %d: %d\n", options[i], lua_gc(L, options[i]));
  for (i = 0; i < sizeof unknown / sizeof *unknown; i++)
    printf("option %d: %d\n", unknown[i], lua_gc(L, unknown[i]));
  printf("count %d rest %d\n", lua_gc(L, LUA_GCCOUNT) > 0,
         lua_gc(L, LUA_GCCOUNTB) >= 0 && lua_gc(L, LUA_GCCOUNTB) < 1024);
}

/* In a finalizer the collector does not answer. */
static int in_finalizer(lua_State *L) {
  static const int options[] = {
      LUA_GCSTOP,      LUA_GCRESTART, LUA_GCCOLLECT,  LUA_GCCOUNT,
      LUA_GCCOUNTB,    LUA_GCSTEP,    LUA_GCSETPAUSE, LUA_GCSETSTEPMUL,
      LUA_GCISRUNNING, LUA_GCGEN,     LUA_GCINC};
  size_t i;
  printf("finalizer:");
  for (i = 0; i < sizeof options / sizeof *options; i++)
    printf(" %d", lua_gc(L, options[i], 0, 0, 0));
  printf("\n");
  return 0;
}

static void push_finalizable(lua_State *L, lua_CFunction f) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushcfunction(L, f);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
}

static int finalized;
static int count_finalized(lua_State *L) {
  (void)L;
  finalized++;
  return 0;
}

/* Whole cycles by steps alone: all that wait are called before a step tells
** that the cycle is over. */
static void test_gc_steps(lua_State *L) {
  int round, i, steps;
  for (round = 0; round < 3; round++) {
    lua_gc(L, LUA_GCCOLLECT);
    lua_gc(L, LUA_GCSTOP);
    finalized = 0;
    for (i = 0; i < 200; i++) {
      push_finalizable(L, count_finalized);
      lua_pop(L, 1);
    }
    for (steps = 0; steps < 100000 && finalized < 200; steps++)
      lua_gc(L, LUA_GCSTEP, round);
    printf("steps of %d: %d called\n", round, finalized);
    lua_gc(L, LUA_GCRESTART);
  }
}

static void test_gc_in_finalizer(lua_State *L) {
  push_finalizable(L, in_finalizer);
  lua_pop(L, 1);
  lua_gc(L, LUA_GCCOLLECT);
  printf("running after it: %d\n", lua_gc(L, LUA_GCISRUNNING));
  push_finalizable(L, in_finalizer); /* called when the state closes */
  lua_setfield(L, LUA_REGISTRYINDEX, "kept");
}

/* -- Stack levels, locals, hooks ------------------------------------------- */

static void no_hook(lua_State *L, lua_Debug *ar) {
  (void)L;
  (void)ar;
}

static int show_levels(lua_State *L) {
  lua_Debug ar;
  int level, n, top = lua_gettop(L);
  for (level = 0; level < 6; level++) {
    int found = lua_getstack(L, level, &ar);
    printf("level %d: %d", level, found);
    if (!found) {
      printf("\n");
      continue;
    }
    for (n = -3; n <= 4; n++) {
      const char *name = lua_getlocal(L, &ar, n);
      printf(" %d %s", n, name ? name : "NULL");
      if (name) printf(" %d", lua_type(L, -1));
      lua_settop(L, top);
      lua_pushinteger(L, 40 + n);
      name = level > 0 ? lua_setlocal(L, &ar, n) : "-";
      printf(" %s %d", name ? name : "NULL", lua_gettop(L) - top);
      lua_settop(L, top);
    }
    printf("\n");
  }
  return 0;
}

static int parameter_names(lua_State *L) {
  int n;
  for (n = 0; n <= 4; n++) {
    const char *name;
    lua_pushvalue(L, 1);
    name = lua_getlocal(L, NULL, n);
    printf("parameter %d %s %d\n", n, name ? name : "NULL", lua_gettop(L));
    lua_settop(L, 1);
  }
  return 0;
}

static void test_levels(lua_State *L) {
  SECTION("levels");
  lua_register(L, "levels", show_levels);
  lua_register(L, "parameters", parameter_names);
  run(L, "local function f(a, b, ...) local c = 3; levels(1, 2); "
         "return a, b, c, ... end "
         "return f(1, 2, 3, 4)");
  show_stack(L, "after");
  lua_settop(L, 0);
  run(L, "parameters(function(a, b, ...) local c end) parameters(print)");
  printf("hook %d mask %d count %d\n", lua_gethook(L) == NULL,
         lua_gethookmask(L), lua_gethookcount(L));
  lua_sethook(L, no_hook, LUA_MASKCOUNT | LUA_MASKRET, 12);
  printf("hook %d mask %d count %d\n", lua_gethook(L) == no_hook,
         lua_gethookmask(L), lua_gethookcount(L));
  lua_sethook(L, no_hook, 0, 12);
  printf("hook %d mask %d\n", lua_gethook(L) == NULL, lua_gethookmask(L));
  lua_sethook(L, NULL, LUA_MASKCALL, 0);
  printf("hook %d mask %d\n", lua_gethook(L) == NULL, lua_gethookmask(L));
}

/* -- Threads --------------------------------------------------------------- */

static int yield_some(lua_State *L) {
  return lua_yield(L, (int)lua_tointeger(L, lua_upvalueindex(1)));
}

static void test_threads(lua_State *L) {
  int wanted, status, results;
  SECTION("threads");
  for (wanted = 0; wanted <= 3; wanted++) {
    lua_State *T = lua_newthread(L);
    lua_pushinteger(T, wanted);
    lua_pushcclosure(T, yield_some, 1);
    for (results = 1; results <= 3; results++) lua_pushinteger(T, results);
    results = -1;
    status = lua_resume(T, L, 3, &results);
    printf("yield %d: status %d results %d top %d yieldable %d %d", wanted,
           status, results, lua_gettop(T), lua_isyieldable(T),
           lua_isyieldable(L));
    lua_pop(T, results);
    lua_pushliteral(T, "again");
    status = lua_resume(T, L, 1, &results);
    printf(" then %d %d status %d top %d", status, results, lua_status(T),
           lua_gettop(T));
    lua_settop(T, 0);
    status = lua_resume(T, L, 0, &results);
    printf(" dead %d", status);
    printf(" reset %d top %d status %d\n", lua_resetthread(T), lua_gettop(T),
           lua_status(T));
    lua_pop(L, 1);
  }
  printf("pushthread %d", lua_pushthread(L));
  lua_pop(L, 1);
  printf(" checkstack %d %d\n", lua_checkstack(L, 0),
         lua_checkstack(L, 2000000));
}

int main(void) {
  lua_State *L = same_open();
  test_pairs(L);
  lua_pushliteral(L, "up");
  lua_pushcclosure(L, test_one_index, 1);
  lua_call(L, 0, 0);
  lua_pushliteral(L, "up");
  lua_pushcclosure(L, test_absent, 1);
  lua_call(L, 0, 0);
  test_getters(L);
  test_setters(L);
  test_gc_settings(L);
  test_gc_results(L);
  test_gc_steps(L);
  test_gc_in_finalizer(L);
  test_levels(L);
  test_threads(L);
  same_close(L);
  return 0;
}
