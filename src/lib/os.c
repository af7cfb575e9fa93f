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

#include "declare.h"
#include "lualib.h"
#include "system.h"
#include "values.h"

/* Without a command: returns whether there is a shell. */
static int os_execute_framed(lua_State *L) {
  const char *command = luaL_optstring(L, 1, NULL);
  errno = 0;
  const int status = system(command);
  return command ? luaL_execresult(L, status) : values_push(L, "b", status);
}

static int os_remove_framed(lua_State *L) {
  const char *name = lua_tostring(L, 1);
  errno = 0;
  return luaL_fileresult(L, remove(name) == 0, name);
}

static int os_rename_framed(lua_State *L) {
  const char *from = lua_tostring(L, 1), *to = lua_tostring(L, 2);
  errno = 0;
  return luaL_fileresult(L, rename(from, to) == 0, NULL);
}

static int os_tmpname_framed(lua_State *L) {
  char name[SYSTEM_NAME];
  if (system_temporary_name(name)) return values_push(L, "s", name);
  return luaL_error(L, "unable to generate a unique filename");
}

/* Units of a budget: the system is asked. */
enum { ASK_UNITS = 500 };

/* A string, or nil for NULL. */
static int give_text(lua_State *L, Value *out, const char *text) {
  return text ? give_new_string(L, out, string_from_c(L, text)) : give_nil(out);
}

NATIVE(os_getenv) {
  if (argc == 0 || !value_is_string(args)) return NATIVE_RETRY;
  return give_text(L, out, getenv(string_bytes(value_string(args))));
}

NATIVE(os_clock) {
  budget_charge(L, ASK_UNITS);
  return give_float(out, (lua_Number)clock() / (lua_Number)CLOCKS_PER_SEC);
}

/* The time of a table, and errors, are left to the framed function. */
NATIVE(os_time) {
  const time_t now = argc == 0 ? time(NULL) : (time_t)-1;
  return now == (time_t)-1 ? NATIVE_RETRY : give_integer(out, (lua_Integer)now);
}

NATIVE(os_difftime) {
  if (argc < 2 || !value_is_integer(&args[0]) || !value_is_integer(&args[1]))
    return NATIVE_RETRY;
  const time_t a = (time_t)args[0].as.i, b = (time_t)args[1].as.i;
  if ((lua_Integer)a != args[0].as.i || (lua_Integer)b != args[1].as.i)
    return NATIVE_RETRY;
  return give_float(out, (lua_Number)difftime(a, b));
}

/* The categories of a locale, by name and by number. */
static const char *const locale_names[] = {
    "all", "collate", "ctype", "monetary", "numeric", "time", NULL,
};
static const int locale_numbers[] = {
    LC_ALL, LC_COLLATE, LC_CTYPE, LC_MONETARY, LC_NUMERIC, LC_TIME,
};

/* Asks for the current locale. */
NATIVE(os_setlocale) {
  if (!is_missing(args, argc, 0) || !is_missing(args, argc, 1))
    return NATIVE_RETRY;
  return give_text(L, out, setlocale(LC_ALL, NULL));
}

static int os_setlocale_framed(lua_State *L) {
  const char *locale = luaL_optstring(L, 1, NULL);
  const int part = luaL_checkoption(L, 2, locale_names[0], locale_names);
  return values_push(L, "s", setlocale(locale_numbers[part], locale));
}

static int os_exit_framed(lua_State *L) {
  static const int status_of[] = {EXIT_FAILURE, EXIT_SUCCESS};
  const int status = lua_type(L, 1) == LUA_TBOOLEAN
                         ? status_of[lua_toboolean(L, 1)]
                         : (int)luaL_optinteger(L, 1, EXIT_SUCCESS);
  if (lua_toboolean(L, 2)) lua_close(L);
  exit(status);
}

#define OS_NATIVES(RUN, BOTH, SPLIT, FRAMED)                          \
  RUN(os, clock, NOTHING)                                             \
  FRAMED(os, date, MAYBE(STRING, format), MAYBE(INTEGER, time))       \
  BOTH(os, difftime, INTEGER(t2), INTEGER(t1))                        \
  FRAMED(os, execute, MAYBE(STRING, command))                         \
  FRAMED(os, exit, MAYBE_OWN(INTEGER, code), MAYBE(ANY, close))       \
  RUN(os, getenv, STRING(varname))                                    \
  FRAMED(os, remove, STRING(filename))                                \
  FRAMED(os, rename, STRING(oldname), STRING(newname))                \
  BOTH(os, setlocale, MAYBE(STRING, locale), MAYBE(STRING, category)) \
  BOTH(os, time, MAYBE(TABLE, table))                                 \
  FRAMED(os, tmpname, NOTHING)

NATIVE_LIBRARY(os, "os.", OS_NATIVES)

LUAMOD_API int luaopen_os(lua_State *L) {
  lua_createtable(L, 0, os_count);
  native_open(L, os_natives);
  return 1;
}
