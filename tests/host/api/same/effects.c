/* SPDX-License-Identifier: MIT */
/*
** effects.c -- what each function leaves on the stack, on every path
**
** Each case begins with the same stack, in a C function with two upvalues.  It
** calls one or two functions.  It shows their results or errors, and then the
** whole stack.
*/
#include "same.h"

/* -- The stack -------------------------------------------------------------- */

enum { /* the initial stack of every case */
       NIL = 1,
       TRUE,
       INTEGER,
       FLOAT,
       NUMERAL,
       TEXT,
       TABLE,
       META,
       FUNCTION,
       CFUNCTION,
       CLOSURE,
       LIGHT,
       FULL,
       THREAD,
       TOP = THREAD
};

static int light_function(lua_State *L) {
  lua_pushliteral(L, "light");
  return 1;
}

static void prepare(lua_State *L) {
  luaL_checkstack(L, 40, NULL);
  lua_pushnil(L);
  lua_pushboolean(L, 1);
  lua_pushinteger(L, 7);
  lua_pushnumber(L, 2.0);
  lua_pushliteral(L, "0x10");
  lua_pushliteral(L, "text");
  run(L, "return {10, 20, x = 1, [2.5] = 'f'}, setmetatable({}, {"
         "__index = function(t, k) return 'index ' .. tostring(k) end,"
         "__newindex = function(t, k, v) rawset(t, 'set', tostring(k)) end,"
         "__len = function() return 'length' end,"
         "__add = function() return 'sum', 'more' end,"
         "__concat = function() return 'joined' end,"
         "__lt = function(a, b) return true end,"
         "__call = function(self, ...) return 'called', ... end,"
         "__tostring = function() return 'shown' end,"
         "__close = function() closed = true end, __name = 'META'}),"
         "function(a, b, ...) local c = META; return a, b, c end");
  lua_pushcfunction(L, light_function);
  lua_pushinteger(L, 1);
  lua_pushliteral(L, "upvalue");
  lua_pushcclosure(L, light_function, 2);
  lua_pushlightuserdata(L, &prepare);
  lua_newuserdatauv(L, 4, 2);
  lua_newthread(L);
}

/* -- Cases ------------------------------------------------------------------ */

#define INT(call)  printf(" = %d", (int)(call))
#define TYPE(call) printf(" = %s", lua_typename(L, (call)))
#define STRING(call)                         \
  do {                                       \
    const char *text_ = (call);              \
    printf(" = %s", text_ ? text_ : "NULL"); \
  } while (0)
#define FOUND(call) printf(" = %s", (call) ? "found" : "NULL")
#define UP(n)       lua_upvalueindex(n)

/* Runs the case with this number.  False if there is none. */
#define CASE(...)                \
  if (index++ == number) {       \
    printf("%s:", #__VA_ARGS__); \
    __VA_ARGS__;                 \
    return 1;                    \
  }

static int run_values(lua_State *L, int number) {
  int index = 0;
  CASE(INT(lua_absindex(L, -1)); INT(lua_absindex(L, LUA_REGISTRYINDEX)))
  CASE(INT(lua_absindex(L, UP(1)) == UP(1)); INT(lua_absindex(L, 30)))
  CASE(lua_settop(L, 3))
  CASE(lua_settop(L, TOP + 2))
  CASE(lua_settop(L, -3))
  CASE(lua_settop(L, 0))
  CASE(lua_pop(L, 0))
  CASE(lua_pushvalue(L, TEXT))
  CASE(lua_pushvalue(L, TOP + 1))
  CASE(lua_pushvalue(L, UP(1)); lua_pushvalue(L, UP(2)))
  CASE(lua_pushvalue(L, UP(3)); lua_pushvalue(L, UP(255)))
  CASE(lua_pushvalue(L, LUA_REGISTRYINDEX))
  CASE(lua_rotate(L, 3, 1))
  CASE(lua_rotate(L, 3, -1))
  CASE(lua_rotate(L, -1, 0); lua_rotate(L, -3, 3))
  CASE(lua_insert(L, 1); lua_remove(L, 2); lua_replace(L, 3))
  CASE(lua_copy(L, TEXT, NIL); lua_copy(L, TOP + 1, TRUE))
  CASE(lua_copy(L, TEXT, UP(1)); lua_pushvalue(L, UP(1)))
  CASE(lua_copy(L, UP(9), TEXT))
  CASE(INT(lua_checkstack(L, 100)); INT(lua_checkstack(L, 10000000)))
  CASE(lua_xmove(L, lua_tothread(L, THREAD), 0))
  CASE(lua_xmove(L, L, 2))
  CASE(INT(lua_isnumber(L, NUMERAL)); INT(lua_isnumber(L, TEXT)))
  CASE(INT(lua_isnumber(L, TOP + 1)); INT(lua_isstring(L, FLOAT)))
  CASE(INT(lua_iscfunction(L, CFUNCTION)); INT(lua_iscfunction(L, CLOSURE)))
  CASE(INT(lua_iscfunction(L, FUNCTION)); INT(lua_isinteger(L, FLOAT)))
  CASE(INT(lua_isuserdata(L, LIGHT)); INT(lua_isuserdata(L, TOP + 1)))
  CASE(INT(lua_type(L, TOP + 1)); INT(lua_type(L, UP(7))))
  CASE(TYPE(lua_type(L, LUA_REGISTRYINDEX)); TYPE(LUA_TNONE))
  CASE(int is; printf("%.14g", lua_tonumberx(L, NUMERAL, &is)); INT(is))
  CASE(int is; printf("%.14g", lua_tonumberx(L, TEXT, &is)); INT(is))
  CASE(int is; INT(lua_tointegerx(L, FLOAT, &is)); INT(is))
  CASE(int is; INT(lua_tointegerx(L, NUMERAL, &is)); INT(is))
  CASE(int is; INT(lua_tointegerx(L, UP(9), &is)); INT(is))
  CASE(INT(lua_toboolean(L, NIL)); INT(lua_toboolean(L, TOP + 1)))
  CASE(STRING(lua_tolstring(L, INTEGER, NULL)))
  CASE(size_t n; STRING(lua_tolstring(L, FLOAT, &n)); INT(n))
  CASE(size_t n = 5; STRING(lua_tolstring(L, TABLE, &n)); INT(n))
  CASE(size_t n = 5; STRING(lua_tolstring(L, TOP + 1, &n)); INT(n))
  CASE(STRING(lua_tolstring(L, UP(1), NULL)); lua_pushvalue(L, UP(1)))
  CASE(INT(lua_rawlen(L, TEXT)); INT(lua_rawlen(L, TABLE)))
  CASE(INT(lua_rawlen(L, FULL)); INT(lua_rawlen(L, LIGHT)))
  CASE(INT(lua_rawlen(L, INTEGER)); INT(lua_rawlen(L, TOP + 1)))
  CASE(FOUND(lua_tocfunction(L, CLOSURE)); FOUND(lua_tocfunction(L, TEXT)))
  CASE(FOUND(lua_tocfunction(L, CFUNCTION)); FOUND(lua_tocfunction(L, 9)))
  CASE(FOUND(lua_touserdata(L, LIGHT)); FOUND(lua_touserdata(L, TABLE)))
  CASE(FOUND(lua_tothread(L, THREAD)); FOUND(lua_tothread(L, TOP + 1)))
  CASE(FOUND(lua_topointer(L, TABLE)); FOUND(lua_topointer(L, INTEGER)))
  CASE(FOUND(lua_topointer(L, CFUNCTION)); FOUND(lua_topointer(L, TEXT)))
  CASE(INT(lua_rawequal(L, INTEGER, INTEGER)); INT(lua_rawequal(L, 1, 30)))
  CASE(INT(lua_compare(L, INTEGER, FLOAT, LUA_OPLT)))
  CASE(INT(lua_compare(L, META, META, LUA_OPLE)))
  CASE(INT(lua_compare(L, META, INTEGER, LUA_OPLE)))
  CASE(INT(lua_compare(L, TOP + 1, TEXT, LUA_OPLE)))
  CASE(INT(lua_compare(L, TABLE, TEXT, LUA_OPLE)))
  CASE(INT(lua_compare(L, TABLE, TABLE, LUA_OPLT)))
  CASE(INT(lua_compare(L, UP(1), UP(1), LUA_OPEQ)))
  CASE(lua_settop(L, FLOAT); lua_arith(L, LUA_OPADD))
  CASE(lua_settop(L, NUMERAL); lua_arith(L, LUA_OPUNM))
  CASE(lua_settop(L, META); lua_arith(L, LUA_OPADD))
  CASE(lua_settop(L, TABLE); lua_arith(L, LUA_OPADD))
  CASE(lua_settop(L, TEXT); lua_arith(L, LUA_OPBNOT))
  CASE(lua_concat(L, 0))
  CASE(lua_concat(L, 1))
  CASE(lua_settop(L, TEXT); lua_concat(L, 4))
  CASE(lua_settop(L, META); lua_concat(L, 2))
  CASE(lua_settop(L, TABLE); lua_concat(L, 3))
  CASE(lua_len(L, TEXT); lua_len(L, META))
  CASE(lua_len(L, INTEGER))
  CASE(lua_len(L, TOP + 1))
  CASE(INT(lua_stringtonumber(L, " 0x1p4 ")))
  CASE(INT(lua_stringtonumber(L, "1e")))
  return 0;
}

static int run_tables(lua_State *L, int number) {
  int index = 0;
  CASE(lua_pushnil(L); lua_pushboolean(L, 9); lua_pushinteger(L, -1))
  CASE(STRING(lua_pushlstring(L, "abc", 2)); STRING(lua_pushstring(L, NULL)))
  CASE(STRING(lua_pushlstring(L, NULL, 0)); STRING(lua_pushliteral(L, "l")))
  CASE(STRING(lua_pushfstring(L, "%s %d %I %f %c %U %%", "s", 1, (LUAI_UACINT)2,
                              1.5, 'c', 228L)))
  CASE(STRING(lua_pushfstring(L, "%p", (void *)0)))
  CASE(STRING(lua_pushfstring(L, "%p %p", (void *)1, (void *)0x90abcdef)))
  CASE(STRING(lua_pushfstring(L, "%y")))
  CASE(lua_pushcclosure(L, light_function, 0))
  CASE(lua_pushcclosure(L, light_function, 3))
  CASE(INT(lua_pushthread(L) == 0))
  CASE(lua_pushglobaltable(L))
  CASE(TYPE(lua_getglobal(L, "no such global")))
  CASE(TYPE(lua_getfield(L, TABLE, "x")); TYPE(lua_getfield(L, TABLE, "n")))
  CASE(TYPE(lua_getfield(L, META, "x")))
  CASE(TYPE(lua_getfield(L, INTEGER, "x")))
  CASE(TYPE(lua_getfield(L, NIL, "x")))
  CASE(TYPE(lua_getfield(L, TOP + 1, "x")))
  CASE(TYPE(lua_getfield(L, UP(2), "len")))
  CASE(TYPE(lua_getfield(L, TEXT, "nothing")))
  CASE(TYPE(lua_geti(L, TABLE, 2)); TYPE(lua_geti(L, META, 3)))
  CASE(TYPE(lua_geti(L, TRUE, 2)))
  CASE(lua_pushinteger(L, 1); TYPE(lua_gettable(L, TABLE)))
  CASE(lua_pushnumber(L, 2.0); TYPE(lua_gettable(L, TABLE)))
  CASE(lua_pushnil(L); TYPE(lua_gettable(L, TABLE)))
  CASE(lua_pushnil(L); TYPE(lua_gettable(L, FULL)))
  CASE(lua_pushnumber(L, 2.5); TYPE(lua_rawget(L, TABLE)))
  CASE(TYPE(lua_rawgeti(L, TABLE, 3)); TYPE(lua_rawgeti(L, META, 1)))
  CASE(TYPE(lua_rawgetp(L, TABLE, &prepare)))
  CASE(lua_createtable(L, 3, 3); lua_createtable(L, 0, 0))
  CASE(FOUND(lua_newuserdatauv(L, 0, 0)); lua_newuserdatauv(L, 8, 1))
  CASE(INT(lua_getmetatable(L, TABLE)); INT(lua_getmetatable(L, META)))
  CASE(INT(lua_getmetatable(L, TEXT)); INT(lua_getmetatable(L, TOP + 9)))
  CASE(TYPE(lua_getiuservalue(L, FULL, 1)); INT(lua_getiuservalue(L, FULL, 3)))
  CASE(INT(lua_getiuservalue(L, FULL, 0)))
  CASE(lua_setglobal(L, "effect"); lua_getglobal(L, "effect"))
  CASE(lua_setfield(L, TABLE, "x"); lua_getfield(L, TABLE, "x"))
  CASE(lua_setfield(L, META, "y"); lua_getfield(L, META, "set"))
  CASE(lua_setfield(L, INTEGER, "y"))
  CASE(lua_setfield(L, FUNCTION, "y"))
  CASE(lua_pushinteger(L, 5); lua_seti(L, TABLE, 4))
  CASE(lua_pushinteger(L, 5); lua_seti(L, META, 4))
  CASE(lua_pushinteger(L, 5); lua_seti(L, NIL, 4))
  CASE(lua_pushinteger(L, 5); lua_pushnil(L); lua_settable(L, TABLE))
  CASE(lua_pushnil(L); lua_pushinteger(L, 5); lua_settable(L, TABLE))
  CASE(lua_pushnumber(L, 0.0 / 0.0 * 0); lua_pushnil(L); lua_rawset(L, TABLE))
  CASE(lua_pushliteral(L, "k"); lua_pushinteger(L, 5); lua_rawset(L, TABLE))
  CASE(lua_pushinteger(L, 5); lua_rawseti(L, TABLE, 1))
  CASE(lua_pushinteger(L, 5); lua_rawsetp(L, TABLE, &prepare))
  CASE(lua_newtable(L); INT(lua_setmetatable(L, TABLE)))
  CASE(lua_pushnil(L); INT(lua_setmetatable(L, FULL)))
  CASE(lua_pushinteger(L, 5); INT(lua_setiuservalue(L, FULL, 2)))
  CASE(lua_pushinteger(L, 5); INT(lua_setiuservalue(L, FULL, 3)))
  CASE(lua_pushinteger(L, 5); INT(lua_setiuservalue(L, FULL, 0)))
  CASE(lua_pushnil(L); INT(lua_next(L, TABLE)))
  CASE(lua_newtable(L); lua_pushnil(L); INT(lua_next(L, -2)))
  CASE(lua_pushliteral(L, "no key"); INT(lua_next(L, TABLE)))
  return 0;
}

static int run_calls(lua_State *L, int number) {
  int index = 0;
  CASE(lua_settop(L, FUNCTION); lua_call(L, 0, 5))
  CASE(lua_settop(L, CFUNCTION); lua_call(L, 0, LUA_MULTRET))
  CASE(lua_settop(L, META); lua_pushnil(L); lua_call(L, 1, LUA_MULTRET))
  CASE(lua_settop(L, META); lua_pushnil(L); lua_call(L, 1, 0))
  CASE(lua_settop(L, TEXT); lua_call(L, 0, 0))
  CASE(INT(lua_pcall(L, 0, 2, 0)))
  CASE(lua_settop(L, FUNCTION); INT(lua_pcall(L, 3, 1, 0)))
  CASE(lua_settop(L, TEXT); INT(lua_pcall(L, 2, 1, 0)))
  CASE(lua_pushvalue(L, TEXT); INT(lua_pcall(L, 0, 1, CFUNCTION)))
  CASE(lua_pushvalue(L, TEXT); INT(lua_pcall(L, 0, 1, FUNCTION)))
  CASE(lua_error(L))
  CASE(lua_pushliteral(L, "an error"); lua_error(L))
  CASE(INT(luaL_loadstring(L, "return 1")))
  CASE(INT(luaL_loadstring(L, "return return")))
  CASE(INT(luaL_loadbufferx(L, "x", 1, "=x", "b")))
  CASE(INT(luaL_loadfile(L, "no such file")))
  CASE(INT(luaL_dostring(L, "return 1, 2")); INT(luaL_dostring(L, "x()")))
  CASE(int n; lua_State *T = lua_tothread(L, THREAD);
       INT(lua_resume(T, L, 0, &n)); show_stack(T, " thread"))
  CASE(int n; lua_State *T = lua_tothread(L, THREAD);
       lua_pushcfunction(T, light_function); lua_pushnil(T);
       INT(lua_resume(T, L, 1, &n)); INT(n); show_stack(T, " thread");
       INT(lua_resetthread(T)); show_stack(T, " closed"))
  CASE(int n; lua_State *T = lua_tothread(L, THREAD);
       lua_pushliteral(T, "no function"); INT(lua_resume(T, L, 0, &n));
       show_stack(T, " thread"); INT(lua_status(T)); INT(lua_resetthread(T));
       show_stack(T, " reset"))
  CASE(INT(lua_isyieldable(L)); lua_yield(L, 0))
  CASE(INT(lua_gc(L, LUA_GCCOLLECT)); INT(lua_gc(L, LUA_GCISRUNNING)))
  CASE(INT(lua_gc(L, 99)))
  CASE(lua_newtable(L); lua_toclose(L, -1))
  CASE(lua_pushvalue(L, META); lua_toclose(L, -1); lua_closeslot(L, -1))
  CASE(lua_pushvalue(L, META); lua_toclose(L, -1); lua_settop(L, META))
  CASE(lua_pushboolean(L, 0); lua_toclose(L, -1))
  CASE(lua_Debug ar; INT(lua_getstack(L, 1000, &ar)))
  CASE(lua_Debug ar; INT(lua_getstack(L, -1, &ar)))
  CASE(lua_Debug ar; lua_pushvalue(L, FUNCTION);
       INT(lua_getinfo(L, ">Sfu", &ar)); INT(ar.nparams))
  CASE(lua_Debug ar; lua_pushvalue(L, CLOSURE); INT(lua_getinfo(L, ">fL", &ar)))
  CASE(lua_Debug ar; lua_pushvalue(L, FUNCTION);
       INT(lua_getinfo(L, ">fL", &ar)))
  CASE(lua_Debug ar; lua_pushvalue(L, FUNCTION);
       INT(lua_getinfo(L, ">?S", &ar)))
  CASE(lua_pushvalue(L, FUNCTION); STRING(lua_getlocal(L, NULL, 1)))
  CASE(lua_pushvalue(L, FUNCTION); STRING(lua_getlocal(L, NULL, 3)))
  CASE(lua_pushvalue(L, FUNCTION); STRING(lua_getlocal(L, NULL, 0)))
  CASE(lua_pushvalue(L, FUNCTION); STRING(lua_getlocal(L, NULL, -1)))
  CASE(lua_pushvalue(L, CFUNCTION); STRING(lua_getlocal(L, NULL, 1)))
  CASE(STRING(lua_getlocal(L, NULL, 1)))
  CASE(lua_Debug ar; lua_getstack(L, 0, &ar);
       STRING(lua_getlocal(L, &ar, TEXT)))
  CASE(lua_Debug ar; lua_getstack(L, 0, &ar);
       STRING(lua_getlocal(L, &ar, TOP + 1)))
  CASE(lua_Debug ar; lua_getstack(L, 0, &ar); lua_pushinteger(L, 5);
       STRING(lua_setlocal(L, &ar, TEXT)))
  CASE(lua_Debug ar; lua_getstack(L, 0, &ar); lua_pushinteger(L, 5);
       STRING(lua_setlocal(L, &ar, 99)))
  CASE(lua_Debug ar; lua_getstack(L, 0, &ar); INT(lua_getinfo(L, "nfr", &ar)))
  CASE(lua_settop(L, CFUNCTION); INT(lua_dump(L, NULL, NULL, 0)))
  CASE(luaL_loadstring(L, "return x"); lua_upvaluejoin(L, FUNCTION, 1, -1, 1))
  CASE(STRING(lua_getupvalue(L, FUNCTION, 1)))
  CASE(STRING(lua_getupvalue(L, FUNCTION, 2)))
  CASE(STRING(lua_getupvalue(L, FUNCTION, 0)))
  CASE(STRING(lua_getupvalue(L, CLOSURE, 2)))
  CASE(STRING(lua_getupvalue(L, CLOSURE, 3)))
  CASE(STRING(lua_getupvalue(L, CFUNCTION, 1)))
  CASE(STRING(lua_getupvalue(L, TEXT, 1)))
  CASE(lua_pushnil(L); STRING(lua_setupvalue(L, CLOSURE, 1)))
  CASE(lua_pushnil(L); STRING(lua_setupvalue(L, CLOSURE, 9)))
  CASE(lua_pushnil(L); STRING(lua_setupvalue(L, CFUNCTION, 1)))
  CASE(FOUND(lua_upvalueid(L, FUNCTION, 1)); FOUND(lua_upvalueid(L, 9, 5)))
  CASE(FOUND(lua_upvalueid(L, CLOSURE, 2)); FOUND(lua_upvalueid(L, 10, 1)))
  return 0;
}

static int run_auxiliary(lua_State *L, int number) {
  int index = 0;
  CASE(INT(luaL_getmetafield(L, META, "__name")))
  CASE(INT(luaL_getmetafield(L, META, "none")))
  CASE(INT(luaL_getmetafield(L, TABLE, "none")))
  CASE(INT(luaL_callmeta(L, META, "__len")))
  CASE(INT(luaL_callmeta(L, TABLE, "__len")))
  CASE(STRING(luaL_tolstring(L, META, NULL)))
  CASE(STRING(luaL_tolstring(L, FLOAT, NULL)); luaL_tolstring(L, NIL, NULL))
  CASE(luaL_argerror(L, 2, "reason"))
  CASE(luaL_typeerror(L, META, "kind"))
  CASE(luaL_typeerror(L, LIGHT, "kind"))
  CASE(luaL_checklstring(L, TABLE, NULL))
  CASE(size_t n; STRING(luaL_checklstring(L, INTEGER, &n)); INT(n))
  CASE(size_t n; STRING(luaL_optlstring(L, TOP + 1, "default", &n)); INT(n))
  CASE(size_t n; STRING(luaL_optlstring(L, NIL, NULL, &n)); INT(n))
  CASE(luaL_checknumber(L, TEXT))
  CASE(printf("%.14g", luaL_checknumber(L, NUMERAL)))
  CASE(printf("%.14g", luaL_optnumber(L, NIL, 1.5)))
  CASE(INT(luaL_checkinteger(L, FLOAT)); INT(luaL_optinteger(L, NIL, 9)))
  CASE(lua_pushnumber(L, 1.5); luaL_checkinteger(L, -1))
  CASE(luaL_checkinteger(L, TOP + 1))
  CASE(luaL_checkstack(L, 10000000, "message"))
  CASE(luaL_checkstack(L, 10000000, NULL))
  CASE(luaL_checktype(L, TEXT, LUA_TNUMBER))
  CASE(luaL_checktype(L, TOP + 1, LUA_TNUMBER))
  CASE(luaL_checkany(L, NIL); luaL_checkany(L, TOP + 1))
  CASE(INT(luaL_newmetatable(L, "effects")); lua_pop(L, 1);
       INT(luaL_newmetatable(L, "effects")))
  CASE(luaL_setmetatable(L, "no such type"))
  CASE(TYPE(luaL_getmetatable(L, "no such type")))
  CASE(FOUND(luaL_testudata(L, FULL, "effects")))
  CASE(FOUND(luaL_testudata(L, TABLE, "effects")))
  CASE(luaL_checkudata(L, FULL, "effects"))
  CASE(luaL_where(L, 0); luaL_where(L, 50))
  CASE(luaL_error(L, "message %d", 5))
  CASE(const char *const list[] = {"text", NULL};
       INT(luaL_checkoption(L, TEXT, NULL, list)))
  CASE(const char *const list[] = {"a", "b", NULL};
       INT(luaL_checkoption(L, TOP + 1, "b", list));
       luaL_checkoption(L, TEXT, NULL, list))
  CASE(INT(luaL_fileresult(L, 1, NULL)); INT(luaL_execresult(L, 0)))
  CASE(lua_pushnil(L); INT(luaL_ref(L, TABLE)))
  CASE(lua_pushliteral(L, "r"); int r = luaL_ref(L, TABLE);
       luaL_unref(L, TABLE, r); luaL_unref(L, TABLE, LUA_NOREF))
  CASE(INT(luaL_len(L, TABLE)); luaL_len(L, META))
  CASE(STRING(luaL_gsub(L, "a.b.c", ".", "--")))
  CASE(luaL_setfuncs(L, (const luaL_Reg[]){{NULL, NULL}}, 2))
  CASE(INT(luaL_getsubtable(L, TABLE, "sub"));
       INT(luaL_getsubtable(L, TABLE, "sub")))
  CASE(INT(luaL_getsubtable(L, TABLE, "x")))
  CASE(luaL_traceback(L, lua_tothread(L, THREAD), "m", 0))
  CASE(luaL_traceback(L, lua_tothread(L, THREAD), NULL, 0))
  CASE(luaL_requiref(L, "effects.m", light_function, 0))
  CASE(luaL_newlib(L,
                   ((const luaL_Reg[]){
                       {"f", light_function}, {"holder", NULL}, {NULL, NULL}})))
  CASE(luaL_Buffer b; luaL_buffinit(L, &b); luaL_addstring(&b, "ab");
       lua_pushinteger(L, 5); luaL_addvalue(&b); luaL_addchar(&b, 'c');
       luaL_pushresult(&b))
  CASE(luaL_Buffer b; memset(luaL_buffinitsize(L, &b, 5000), 'x', 5000);
       luaL_pushresultsize(&b, 10))
  CASE(luaL_Buffer b; luaL_buffinit(L, &b); luaL_addgsub(&b, "a.b", ".", "!");
       luaL_pushresult(&b))
  CASE(luaL_pushfail(L); lua_warning(L, "@off", 0))
  return 0;
}

/* -- Running --------------------------------------------------------------- */

typedef int Group(lua_State *L, int number);
static Group *const groups[] = {run_values, run_tables, run_calls,
                                run_auxiliary};

/* Shows some fields of a table, raw. */
static void show_fields(lua_State *L, int index) {
  static const char *const names[] = {"x", "k", "set", "sub", "y", "f"};
  size_t i;
  for (i = 1; i <= 5; i++) {
    lua_rawgeti(L, index, (lua_Integer)i);
    printf(" ");
    show_value(L, -1);
    lua_pop(L, 1);
  }
  for (i = 0; i < sizeof names / sizeof *names; i++) {
    lua_pushstring(L, names[i]);
    lua_rawget(L, index);
    printf(" %s=", names[i]);
    show_value(L, -1);
    lua_pop(L, 1);
  }
}

static int case_body(lua_State *L) {
  Group *group = groups[lua_tointeger(L, 1)];
  int number = (int)lua_tointeger(L, 2), i;
  lua_settop(L, 0);
  prepare(L);
  if (!group(L, number)) {
    lua_pushboolean(L, 0);
    return 1;
  }
  luaL_checkstack(L, 10, NULL);
  show_stack(L, "\n ");
  for (i = 1; i <= lua_gettop(L); i++) {
    if (lua_type(L, i) != LUA_TTABLE) continue;
    printf("  table %d:", i);
    show_fields(L, i);
    printf("\n");
  }
  lua_pushboolean(L, 1);
  return 1;
}

/* False if there is no such case. */
static int test_case(lua_State *L, int group, int number) {
  int more = 1;
  lua_pushinteger(L, 42);
  lua_getglobal(L, "string");
  lua_pushcclosure(L, case_body, 2);
  lua_pushinteger(L, group);
  lua_pushinteger(L, number);
  if (lua_pcall(L, 2, 1, 0) == LUA_OK) {
    more = lua_toboolean(L, -1);
  } else {
    printf(" raises ");
    show_value(L, -1);
    printf("\n");
  }
  lua_pop(L, 1);
  return more;
}

int main(void) {
  lua_State *L = same_open();
  size_t group;
  for (group = 0; group < sizeof groups / sizeof *groups; group++) {
    int number = 0;
    while (test_case(L, (int)group, number)) number++;
    printf("-- %d cases\n", number);
  }
  same_close(L);
  return 0;
}
