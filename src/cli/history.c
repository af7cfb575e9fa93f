/* SPDX-License-Identifier: MIT */
/*
** history.c -- the history of inputs, kept from one run to the next
**
** The file is $XDG_STATE_HOME/penumbra/history, by default in ~/.local/state.
** PENUMBRA_HISTORY names another file; if it is empty, there is none.  Each
** entry is one line, with \n for a newline in the entry and \\ for a backslash.
** An entry is written before it is executed, so several prompts can share the
** file, and a prompt that is killed loses none.  A file that has become long is
** cut when it is read; a lock keeps other prompts from adding to it meanwhile.
** If an entry cannot be written, the user is told once.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#if defined(LUA_USE_POSIX)

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HISTORY_ENTRIES = 1000, HISTORY_LENGTH = 100000 };

static char *history_file; /* NULL: none */
static char *history_last; /* the last entry; a repetition is not added */

static char *history_copy(const char *s) {
  char *copy = malloc(strlen(s) + 1);
  return copy ? strcpy(copy, s) : NULL;
}

/* Makes the folders above the file. */
static void history_make_folders(char *path) {
  for (char *p = path + 1; (p = strchr(p, '/')) != NULL; p++) {
    *p = '\0';
    mkdir(path, 0700);
    *p = '/';
  }
}

/* Pushes the name of the file. False if there is none. */
static bool history_push_name(lua_State *L) {
  const char *name = getenv("PENUMBRA_HISTORY");
  const char *state = getenv("XDG_STATE_HOME");
  const char *home = getenv("HOME");
  if (name)
    lua_pushstring(L, name);
  else if (state && *state == '/')
    lua_pushfstring(L, "%s/penumbra/history", state);
  else if (home && *home == '/')
    lua_pushfstring(L, "%s/.local/state/penumbra/history", home);
  else
    lua_pushliteral(L, "");
  return *lua_tostring(L, -1) != '\0';
}

/* Undoes the escapes of history_write_entry, in place. */
static void history_decode(char *s) {
  char *to = s;
  for (; *s != '\0'; s++) {
    if (*s == '\\' && s[1] != '\0') {
      s++;
      *to++ = *s == 'n' ? '\n' : *s;
    } else {
      *to++ = *s;
    }
  }
  *to = '\0';
}

static void history_write_entry(FILE *file, const char *s) {
  for (; *s != '\0'; s++) {
    if (*s == '\n')
      fputs("\\n", file);
    else if (*s == '\\')
      fputs("\\\\", file);
    else
      fputc(*s, file);
  }
  fputc('\n', file);
}

/* True if the file still has its name: another prompt may have cut it. */
static bool history_is_current(int fd) {
  struct stat mine, named;
  return fstat(fd, &mine) == 0 && stat(history_file, &named) == 0 &&
         mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

/* Opens the file and locks it, until it is closed. Returns -1, or a file that
** is not locked where there are no locks. */
static int history_lock(int flags) {
  for (;;) {
    const int fd = open(history_file, flags, 0600);
    if (fd < 0 || flock(fd, LOCK_EX) != 0 || history_is_current(fd)) return fd;
    close(fd);
  }
}

/* Keeps the last HISTORY_ENTRIES entries of a file that has more than twice as
** many. The new file replaces the old one in one operation. */
static void history_cut(lua_State *L) {
  const int old = history_lock(O_RDONLY);
  FILE *file = old >= 0 ? fdopen(old, "r") : NULL;
  const char *name = lua_pushfstring(L, "%s.new", history_file);
  const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  FILE *new_file = fd >= 0 ? fdopen(fd, "w") : NULL;
  int skip = -HISTORY_ENTRIES, c;
  while (file && (c = getc(file)) != EOF) skip += c == '\n';
  if (file) rewind(file);
  while (file && new_file && (c = getc(file)) != EOF) {
    if (skip <= 0) putc(c, new_file);
    if (c == '\n') skip--;
  }
  const bool read_all = file && !ferror(file);
  if (new_file && fclose(new_file) == 0 && read_all) rename(name, history_file);
  if (file) fclose(file);
  lua_pop(L, 1);
}

/* Passes each entry to `add`. Returns the number of entries. */
static int history_read(void (*add)(const char *)) {
  FILE *file = fopen(history_file, "r");
  char *line = NULL;
  size_t size = 0;
  ssize_t len;
  int lines = 0;
  if (!file) return 0;
  while ((len = getline(&line, &size, file)) > 0) {
    if (line[len - 1] == '\n') line[len - 1] = '\0';
    history_decode(line);
    if (*line == '\0') continue;
    add(line);
    free(history_last);
    history_last = history_copy(line);
    lines++;
  }
  free(line);
  fclose(file);
  return lines;
}

void history_open(lua_State *L, void (*add)(const char *)) {
  const int top = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
  if (!lua_toboolean(L, -1) && !history_file && history_push_name(L)) {
    history_file = history_copy(lua_tostring(L, -1));
    const int lines = history_file ? history_read(add) : 0;
    if (lines > 2 * HISTORY_ENTRIES) history_cut(L);
  }
  lua_settop(L, top);
}

bool history_wants(const char *text) {
  if (*text == '\0' || *text == ' ' || strlen(text) > HISTORY_LENGTH)
    return false;
  return !history_last || strcmp(history_last, text) != 0;
}

/* Opens the file for an entry; makes its folders if there are none. */
static FILE *history_open_end(void) {
  const int flags = O_WRONLY | O_APPEND | O_CREAT;
  int fd = history_lock(flags);
  if (fd < 0 && errno == ENOENT) {
    history_make_folders(history_file);
    fd = history_lock(flags);
  }
  return fd >= 0 ? fdopen(fd, "a") : NULL;
}

static void history_complain(void) {
  static bool complained;
  if (complained) return;
  complained = true;
  cli_print("the history is not saved: %s: %s", history_file, strerror(errno));
}

void history_add(const char *text) {
  free(history_last);
  history_last = history_copy(text);
  if (!history_file) return;
  FILE *file = history_open_end();
  if (file) history_write_entry(file, text);
  if (!file || fclose(file) != 0) history_complain();
}

#else

void history_open(lua_State *L, void (*add)(const char *)) {
  (void)L, (void)add;
}
bool history_wants(const char *text) { return *text != '\0'; }
void history_add(const char *text) { (void)text; }

#endif
