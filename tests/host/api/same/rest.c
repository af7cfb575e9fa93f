/* SPDX-License-Identifier: MIT */
/*
** rest.c -- functions and macros that the other programs do not use
*/
#include <errno.h>

#include "same.h"

/* -- Types --------------------------------------------------------------- */

static void test_types(lua_State *L) {
  int t;
  SECTION("types");
  for (t = LUA_TNONE; t < LUA_NUMTYPES; t++)
    printf("%d %s\n", t, lua_typename(L, t));
  run(L, "return nil, true, 1, 1.5, 's', {}, print, "
         "coroutine.create(print), io.stdout");
  lua_pushlightuserdata(L, L);
  for (t = 1; t <= lua_gettop(L) + 1; t++)
    printf("%d: %d%d%d%d%d%d%d%d%d\n", t, lua_isnil(L, t), lua_isboolean(L, t),
           lua_isfunction(L, t), lua_istable(L, t), lua_isthread(L, t),
           lua_islightuserdata(L, t), lua_isnone(L, t), lua_isnoneornil(L, t),
           lua_iscfunction(L, t));
  printf("%g %g\n", lua_tonumber(L, 3), lua_tonumber(L, 5));
  lua_settop(L, 0);
}

/* -- Arguments ----------------------------------------------------------- */

static int string_arguments(lua_State *L) {
  size_t a, b, c;
  const char *s = luaL_checklstring(L, 1, &a);
  const char *t = luaL_optlstring(L, 2, "default", &b);
  const char *u = luaL_optlstring(L, 3, NULL, &c);
  printf("%s %d %s %d %s %d\n", s, (int)a, t, (int)b, u ? u : "none", (int)c);
  printf("%s\n", luaL_optstring(L, 4, "fourth"));
  printf("%d\n", luaL_opt(L, (int)luaL_checkinteger, 5, 77));
  return 0;
}

static void call_with(lua_State *L, lua_CFunction f, const char *arguments) {
  int status;
  lua_pushcfunction(L, f);
  lua_setglobal(L, "f");
  status = luaL_loadstring(L, lua_pushfstring(L, "f(%s)", arguments)) ||
           lua_pcall(L, 0, 0, 0);
  printf("(%s) %d\n", arguments, status);
  if (status) printf("%s\n", lua_tostring(L, -1));
  lua_settop(L, 0);
}

static void test_arguments(lua_State *L) {
  SECTION("arguments");
  call_with(L, string_arguments, "'x', 'yy', 'z\\0z', 'fifth', 5");
  call_with(L, string_arguments, "10, nil");
  call_with(L, string_arguments, "1.5");
  call_with(L, string_arguments, "");
  call_with(L, string_arguments, "{}");
  call_with(L, string_arguments, "'x', {}");
  call_with(L, string_arguments, "'x', 'y', 'z', true");
  call_with(L, string_arguments, "'x', 'y', 'z', 'u', 'v'");
}

/* -- Results of the system ----------------------------------------------- */

static void show_results(lua_State *L, const char *label, int n) {
  printf("%d of ", n);
  show_stack(L, label);
  lua_settop(L, 0);
}

static void test_results(lua_State *L) {
  SECTION("results");
  show_results(L, "true", luaL_fileresult(L, 1, "name"));
  errno = ENOENT;
  show_results(L, "file", luaL_fileresult(L, 0, "name"));
  errno = EACCES;
  show_results(L, "no name", luaL_fileresult(L, 0, NULL));
  errno = 0;
  show_results(L, "exit 0", luaL_execresult(L, 0));
  show_results(L, "exit 1", luaL_execresult(L, 256));
  show_results(L, "signal 9", luaL_execresult(L, 9));
  errno = ENOMEM;
  show_results(L, "failed", luaL_execresult(L, -1));
  luaL_pushfail(L);
  show_top(L, "fail");
}

/* -- Files --------------------------------------------------------------- */

static void load_file(lua_State *L, const char *text, const char *mode) {
  const char *name = "chunk.tmp";
  FILE *f = fopen(name, "wb");
  int status;
  if (f == NULL) exit(EXIT_FAILURE);
  fputs(text, f);
  fclose(f);
  status = luaL_loadfilex(L, name, mode);
  if (status == LUA_OK) status = lua_pcall(L, 0, 1, 0);
  printf("status %d ", status);
  show_top(L, "file");
  remove(name);
}

static void test_files(lua_State *L) {
  SECTION("files");
  load_file(L, "return 1", NULL);
  load_file(L, "#!/usr/bin/lua\nreturn 2", "t");
  load_file(L, "#", "bt");
  load_file(L, "\xEF\xBB\xBF# comment\nreturn 3", "bt");
  load_file(L, "return 1", "b");
  load_file(L, "return +", NULL);
  load_file(L, "\x1bLua", NULL);
  load_file(L, "\n\nerror('x')", NULL);
  printf("%d ", luaL_loadfile(L, "no/such/file"));
  show_top(L, "missing");
  printf("%d ", luaL_dofile(L, "no/such/file"));
  show_top(L, "missing");
}

/* -- Formatting ---------------------------------------------------------- */

static const char *push_format(lua_State *L, const char *format, ...) {
  va_list list;
  const char *result;
  va_start(list, format);
  result = lua_pushvfstring(L, format, list);
  va_end(list);
  return result;
}

static void test_format(lua_State *L) {
  SECTION("format");
  printf("%s\n", push_format(L, "%s %d %c %% %f %I %U", "s", -5, 'c', 0.5,
                             (LUAI_UACINT)1 << 40, 0x20ACl));
  printf("%s\n", push_format(L, "%s", (char *)NULL));
  printf("%s\n", push_format(L, "no arguments"));
  lua_settop(L, 0);
}

/* -- Buffers ------------------------------------------------------------- */

static void test_buffers(lua_State *L) {
  luaL_Buffer b;
  char *p;
  SECTION("buffers");
  luaL_buffinit(L, &b);
  p = luaL_prepbuffer(&b);
  memcpy(p, "hello!", 6);
  luaL_addsize(&b, 6);
  luaL_buffsub(&b, 1);
  luaL_addchar(&b, '?');
  printf("%d %.6s\n", (int)luaL_bufflen(&b), luaL_buffaddr(&b));
  luaL_pushresult(&b);
  show_top(L, "result");
}

/* -- Old names ----------------------------------------------------------- */

static void test_old_names(lua_State *L) {
  SECTION("old names");
  memset(lua_newuserdata(L, 10), 0, 10);
  printf("%d\n", (int)lua_rawlen(L, -1));
  lua_pushinteger(L, 42);
  printf("%d ", lua_setuservalue(L, -2));
  printf("%d ", lua_getuservalue(L, -1));
  show_top(L, "user value");
  lua_settop(L, 0);
  printf("%d\n", lua_setcstacklimit(L, 300));
}

/* -- Metatables, libraries ----------------------------------------------- */

static int answer(lua_State *L) {
  lua_pushinteger(L, 42);
  return 1;
}

static void test_libraries(lua_State *L) {
  static const luaL_Reg list[] = {
      {"answer", answer}, {"nothing", NULL}, {NULL, NULL}};
  SECTION("libraries");
  luaL_checkversion(L);
  luaL_newmetatable(L, "rest.type");
  printf("%d ", luaL_getmetatable(L, "rest.type"));
  printf("%d\n", lua_rawequal(L, -1, -2));
  printf("%d\n", luaL_getmetatable(L, "rest.none"));
  lua_settop(L, 0);
  luaL_newlibtable(L, list);
  luaL_setfuncs(L, list, 0);
  lua_getfield(L, -1, "nothing");
  show_top(L, "nothing");
  lua_getfield(L, -1, "answer");
  lua_call(L, 0, 1);
  show_top(L, "answer");
  lua_settop(L, 0);
}

/* Opens each library alone, in a state without any. */
static void test_open(void) {
  static const luaL_Reg libs[] = {{LUA_GNAME, luaopen_base},
                                  {LUA_LOADLIBNAME, luaopen_package},
                                  {LUA_COLIBNAME, luaopen_coroutine},
                                  {LUA_TABLIBNAME, luaopen_table},
                                  {LUA_IOLIBNAME, luaopen_io},
                                  {LUA_OSLIBNAME, luaopen_os},
                                  {LUA_STRLIBNAME, luaopen_string},
                                  {LUA_MATHLIBNAME, luaopen_math},
                                  {LUA_UTF8LIBNAME, luaopen_utf8},
                                  {LUA_DBLIBNAME, luaopen_debug},
                                  {NULL, NULL}};
  const luaL_Reg *lib;
  SECTION("open");
  for (lib = libs; lib->func != NULL; lib++) {
    lua_State *L = luaL_newstate();
    int members = 0;
    if (L == NULL) exit(EXIT_FAILURE);
    luaL_requiref(L, lib->name, lib->func, 1);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) members++;
    printf("%s: %d %d ", lib->name, lua_gettop(L), members > 2);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    printf("%d\n", lua_getfield(L, -1, lib->name));
    lua_close(L);
  }
}

/* -- Numbers, texts ------------------------------------------------------ */

static void test_numbers(void) {
  lua_Integer n = 0;
  SECTION("numbers");
  printf("%d ", lua_numbertointeger(3.0, &n));
  printf("%d ", (int)n);
  printf("%d ", lua_numbertointeger(1e300, &n));
  printf("%d\n", (int)luaL_intop(+, LUA_MAXINTEGER, 2) < 0);
  printf("%d\n", (int)(lua_Integer)luaL_intop(-, 3, 5));
}

extern const char lua_ident[];

static void test_texts(void) {
  SECTION("texts");
  printf("%d\n", strstr(lua_ident, "Lua") != NULL);
  lua_writestring("text", 4);
  lua_writeline();
  lua_writestringerror("%s\n", "to stderr");
}

int main(void) {
  lua_State *L = same_open();
  test_types(L);
  test_arguments(L);
  test_results(L);
  test_files(L);
  test_format(L);
  test_buffers(L);
  test_old_names(L);
  test_libraries(L);
  test_open();
  test_numbers();
  test_texts();
  same_close(L);
  return 0;
}
