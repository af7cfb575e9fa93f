/* SPDX-License-Identifier: MIT */
/*
** system_plain.c -- what the C library can do by itself
**
** First what one of the other systems shares; then all the rest, for systems of
** which nothing else is known.
*/

#include "system.h"

#include <errno.h>
#include <limits.h>

/* -- As with POSIX --------------------------------------------------------- */

#if !defined(LUA_USE_WINDOWS)

size_t system_format_time(char *out, size_t size, const char *conversion,
                          const struct tm *tm) {
  return strftime(out, size, conversion, tm);
}

#endif

/* -- As on Windows --------------------------------------------------------- */

#if !defined(LUA_USE_POSIX)

const char *system_status_kind(int *status) {
  (void)status;
  return "exit";
}

size_t system_bytes_left(FILE *f) {
  (void)f;
  return 0;
}

void system_remove_plain(const char *name) { (void)name; }

bool system_split_time(time_t t, bool utc, struct tm *tm) {
  const struct tm *shared = utc ? gmtime(&t) : localtime(&t);
  if (shared) *tm = *shared;
  return shared != NULL;
}

#endif

/* -- Nothing else is known ------------------------------------------------- */

#if !defined(LUA_USE_POSIX) && !defined(LUA_USE_WINDOWS)

const char system_load_step[] = "absent";

static void *say_no_libraries(lua_State *L) {
  lua_pushliteral(L, "dynamic libraries not enabled; check your Lua "
                     "installation");
  return NULL;
}

void *system_load(lua_State *L, const char *file, bool global) {
  (void)file;
  (void)global;
  return say_no_libraries(L);
}

lua_CFunction system_find(lua_State *L, void *lib, const char *name) {
  (void)lib;
  (void)name;
  say_no_libraries(L);
  return NULL;
}

void system_unload(void *lib) { (void)lib; }

void system_expand_path(lua_State *L) { (void)L; }

bool system_has_pipes(void) { return false; }

FILE *system_open_pipe(const char *command, const char *mode) {
  (void)command;
  (void)mode;
  return NULL;
}

int system_close_pipe(FILE *f) { return fclose(f); }

bool system_status_is_failure(int status) { return status != 0 && errno != 0; }

bool system_temporary_name(char name[SYSTEM_NAME]) {
  _Static_assert((int)L_tmpnam <= (int)SYSTEM_NAME, "tmpnam needs room");
  return tmpnam(name) != NULL;
}

bool system_has_offset(lua_Integer offset) {
  return offset >= LONG_MIN && offset <= LONG_MAX;
}

int system_seek(FILE *f, lua_Integer offset, int whence) {
  return fseek(f, (long)offset, whence);
}

lua_Integer system_position(FILE *f) { return ftell(f); }

#endif
