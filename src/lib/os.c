/* SPDX-License-Identifier: MIT */
/*
** os.c -- the os library, except dates (os_date.c)
*/

#include "os_impl.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(LUA_USE_POSIX)
#include <unistd.h>
#endif

#include "lualib.h"
#include "values.h"

/* Without a command: returns whether there is a shell. */
static int os_execute(lua_State *L) {
  const char *command = luaL_optstring(L, 1, NULL);
  errno = 0;
  const int status = system(command);
  return command != NULL ? luaL_execresult(L, status)
                         : values_push(L, "b", status);
}

/* The file name for a call of the C library that may fail. */
static const char *os_file_name(lua_State *L, int arg) {
  const char *name = luaL_checkstring(L, arg);
  errno = 0;
  return name;
}

static int os_remove(lua_State *L) {
  const char *name = os_file_name(L, 1);
  return luaL_fileresult(L, remove(name) == 0, name);
}

static int os_rename(lua_State *L) {
  const char *from = os_file_name(L, 1), *to = os_file_name(L, 2);
  return luaL_fileresult(L, rename(from, to) == 0, NULL);
}

/* Makes an unused name; false if there is none.  With POSIX also creates the
** file, so that no other process can. */
static bool os_make_name(char *name) {
#if defined(LUA_USE_POSIX)
  const int fd = mkstemp(strcpy(name, "/tmp/lua_XXXXXX"));
  return fd != -1 && close(fd) == 0;
#else
  return tmpnam(name) != NULL;
#endif
}

static int os_tmpname(lua_State *L) {
  char name[L_tmpnam + 32];
  if (os_make_name(name)) return values_push(L, "s", name);
  return luaL_error(L, "unable to generate a unique filename");
}

static int os_getenv(lua_State *L) {
  return values_push(L, "s", getenv(luaL_checkstring(L, 1)));
}

static int os_clock(lua_State *L) {
  lua_pushnumber(L, (lua_Number)clock() / (lua_Number)CLOCKS_PER_SEC);
  return 1;
}

/* The categories of a locale, by name and by number. */
static const char *const locale_names[] = {
    "all", "collate", "ctype", "monetary", "numeric", "time", NULL,
};
static const int locale_numbers[] = {
    LC_ALL, LC_COLLATE, LC_CTYPE, LC_MONETARY, LC_NUMERIC, LC_TIME,
};

static int os_setlocale(lua_State *L) {
  const char *locale = luaL_optstring(L, 1, NULL);
  const int part = luaL_checkoption(L, 2, locale_names[0], locale_names);
  return values_push(L, "s", setlocale(locale_numbers[part], locale));
}

static int os_exit(lua_State *L) {
  static const int status_of[] = {EXIT_FAILURE, EXIT_SUCCESS};
  const int status = lua_type(L, 1) == LUA_TBOOLEAN
                         ? status_of[lua_toboolean(L, 1)]
                         : (int)luaL_optinteger(L, 1, EXIT_SUCCESS);
  if (lua_toboolean(L, 2)) lua_close(L);
  exit(status);
}

static const luaL_Reg os_functions[] = {
    {"clock", os_clock},         {"date", os_date},
    {"difftime", os_difftime},   {"execute", os_execute},
    {"exit", os_exit},           {"getenv", os_getenv},
    {"remove", os_remove},       {"rename", os_rename},
    {"setlocale", os_setlocale}, {"time", os_time},
    {"tmpname", os_tmpname},     {NULL, NULL},
};

LUAMOD_API int luaopen_os(lua_State *L) {
  luaL_newlib(L, os_functions);
  return 1;
}
