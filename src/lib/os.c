/* SPDX-License-Identifier: MIT */
/*
** os.c -- the os library, except dates (os_date.c)
*/

#include "os_impl.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(LUA_USE_POSIX)
#include <unistd.h>
#endif

#include "lualib.h"

static int os_execute(lua_State *L) {
  const char *command = luaL_optstring(L, 1, NULL);
  errno = 0;
  const int status = system(command);
  if (command != NULL) return luaL_execresult(L, status);
  lua_pushboolean(L, status); /* whether there is a shell */
  return 1;
}

static int os_remove(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  errno = 0;
  return luaL_fileresult(L, remove(name) == 0, name);
}

static int os_rename(lua_State *L) {
  const char *from = luaL_checkstring(L, 1);
  const char *to = luaL_checkstring(L, 2);
  errno = 0;
  return luaL_fileresult(L, rename(from, to) == 0, NULL);
}

static int os_tmpname(lua_State *L) {
#if defined(LUA_USE_POSIX)
  char name[] = "/tmp/lua_XXXXXX";
  const int fd = mkstemp(name); /* makes the file, so that nobody else can */
  if (fd != -1) close(fd);
  const bool ok = fd != -1;
#else
  char name[L_tmpnam];
  const bool ok = tmpnam(name) != NULL;
#endif
  if (luai_unlikely(!ok))
    return luaL_error(L, "unable to generate a unique filename");
  lua_pushstring(L, name);
  return 1;
}

static int os_getenv(lua_State *L) {
  lua_pushstring(L, getenv(luaL_checkstring(L, 1)));
  return 1;
}

static int os_clock(lua_State *L) {
  lua_pushnumber(L, (lua_Number)clock() / (lua_Number)CLOCKS_PER_SEC);
  return 1;
}

static int os_setlocale(lua_State *L) {
  static const int category[] = {
      LC_ALL, LC_COLLATE, LC_CTYPE, LC_MONETARY, LC_NUMERIC, LC_TIME,
  };
  static const char *const names[] = {
      "all", "collate", "ctype", "monetary", "numeric", "time", NULL,
  };
  const char *locale = luaL_optstring(L, 1, NULL);
  const int op = luaL_checkoption(L, 2, "all", names);
  lua_pushstring(L, setlocale(category[op], locale));
  return 1;
}

static int os_exit(lua_State *L) {
  int status;
  if (lua_isboolean(L, 1))
    status = lua_toboolean(L, 1) ? EXIT_SUCCESS : EXIT_FAILURE;
  else
    status = (int)luaL_optinteger(L, 1, EXIT_SUCCESS);
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
