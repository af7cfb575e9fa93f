/* SPDX-License-Identifier: MIT */
/*
** system_posix.c -- what the libraries ask of Linux, macOS and their relatives
*/

/* Before any system header: requests POSIX functions and 64-bit offsets. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#if !defined(_FILE_OFFSET_BITS)
#define _FILE_OFFSET_BITS 64
#endif

#include "system.h"

#if defined(LUA_USE_POSIX)

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- Shared libraries ------------------------------------------------------ */

const char system_load_step[] = "open";

void *system_load(lua_State *L, const char *file, bool global) {
  void *lib = dlopen(file, RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  if (luai_unlikely(!lib)) lua_pushstring(L, dlerror());
  return lib;
}

lua_CFunction system_find(lua_State *L, void *lib, const char *name) {
  union {
    void *data;
    lua_CFunction function;
  } symbol;
  symbol.data = dlsym(lib, name);
  if (luai_unlikely(!symbol.data)) {
    lua_pushstring(L, dlerror());
    return NULL;
  }
  return symbol.function;
}

void system_unload(void *lib) { dlclose(lib); }

void system_expand_path(lua_State *L) { (void)L; }

/* -- Processes ------------------------------------------------------------- */

bool system_has_pipes(void) { return true; }

FILE *system_open_pipe(const char *command, const char *mode) {
  return popen(command, mode);
}

int system_close_pipe(FILE *f) { return pclose(f); }

bool system_status_is_failure(int status) { return status != 0 && errno != 0; }

const char *system_status_kind(int *status) {
  if (WIFSIGNALED(*status)) {
    *status = WTERMSIG(*status);
    return "signal";
  }
  if (WIFEXITED(*status)) *status = WEXITSTATUS(*status);
  return "exit";
}

/* -- Files ----------------------------------------------------------------- */

bool system_temporary_name(char name[SYSTEM_NAME]) {
  const int fd = mkstemp(strcpy(name, "/tmp/lua_XXXXXX"));
  return fd != -1 && close(fd) == 0;
}

bool system_has_offset(lua_Integer offset) { return (off_t)offset == offset; }

int system_seek(FILE *f, lua_Integer offset, int whence) {
  return fseeko(f, (off_t)offset, whence);
}

lua_Integer system_position(FILE *f) { return (lua_Integer)ftello(f); }

size_t system_bytes_left(FILE *f) {
  struct stat info;
  const int fd = fileno(f);
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
  const off_t pos = ftello(f);
  return pos >= 0 && pos < info.st_size ? (size_t)(info.st_size - pos) : 0;
}

void system_remove_plain(const char *name) {
  struct stat info;
  if (lstat(name, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1)
    remove(name);
}

/* -- Dates ----------------------------------------------------------------- */

bool system_split_time(time_t t, bool utc, struct tm *tm) {
  return (utc ? gmtime_r(&t, tm) : localtime_r(&t, tm)) != NULL;
}

#else

typedef int system_posix_is_empty;

#endif
