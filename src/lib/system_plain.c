/* SPDX-License-Identifier: MIT */
/*
** system_plain.c -- what the libraries do where there is only the C library
*/

#include "system.h"

#if !defined(LUA_USE_POSIX) && !defined(LUA_USE_WINDOWS)

#include <errno.h>
#include <limits.h>

/* -- Shared libraries ------------------------------------------------------ */

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

void system_push_path(lua_State *L, const char *path) {
  lua_pushstring(L, path);
}

/* -- Processes ------------------------------------------------------------- */

bool system_has_pipes(void) { return false; }

FILE *system_open_pipe(const char *command, const char *mode) {
  (void)command;
  (void)mode;
  return NULL;
}

int system_close_pipe(FILE *f) { return fclose(f); }

bool system_status_is_failure(int status) { return status != 0 && errno != 0; }

const char *system_status_kind(int *status) {
  (void)status;
  return "exit";
}

/* -- Files ----------------------------------------------------------------- */

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

/* -- Dates ----------------------------------------------------------------- */

bool system_split_time(time_t t, bool utc, struct tm *tm) {
  const struct tm *shared = utc ? gmtime(&t) : localtime(&t);
  if (shared != NULL) *tm = *shared;
  return shared != NULL;
}

size_t system_format_time(char *out, size_t size, const char *conversion,
                          const struct tm *tm) {
  return strftime(out, size, conversion, tm);
}

#else

typedef int system_plain_is_empty;

#endif
