/* SPDX-License-Identifier: MIT */
/*
** aux_load.c -- chunks from files and from memory
**
** A file may begin with a byte order mark, and with a line that starts with
** '#', for the shell.  Neither is part of the chunk.  The line break of that
** line is kept, so that line numbers stay correct.
*/

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib.h"

/* -- Files --------------------------------------------------------------- */

typedef struct FileReader {
  FILE *file;
  size_t pending; /* characters already in `text` */
  char text[BUFSIZ];
} FileReader;

/* At the end of input from a terminal, reading again would wait. */
static const char *load_read_file(lua_State *L, void *ud, size_t *size) {
  FileReader *r = ud;
  (void)L;
  *size = r->pending;
  r->pending = 0;
  if (*size == 0 && !feof(r->file))
    *size = fread(r->text, 1, sizeof(r->text), r->file);
  return r->text;
}

/* Replaces the chunk's name, which has a mark in front, and all values above it
** by a message. */
static int load_file_error(lua_State *L, const char *what, int name) {
  const char *reason = errno != 0 ? strerror(errno) : NULL;
  lua_pushfstring(L, reason ? "cannot %s %s: %s" : "cannot %s %s", what,
                  lua_tostring(L, name) + 1, reason);
  lua_replace(L, name);
  lua_settop(L, name);
  return LUA_ERRFILE;
}

/* The first character after a byte order mark, if there is one.  An incomplete
** mark is left for the compiler, which reports an error. */
static int load_skip_mark(FILE *f) {
  const int c = getc(f);
  if (c == 0xEF && getc(f) == 0xBB && getc(f) == 0xBF) return getc(f);
  return c;
}

/* Skips a first line that is not Lua.  *c is the first character of the chunk.
** True if a line was skipped. */
static bool load_skip_comment(FILE *f, int *c) {
  *c = load_skip_mark(f);
  if (*c != '#') return false;
  do {
    *c = getc(f);
  } while (*c != EOF && *c != '\n');
  *c = getc(f);
  return true;
}

/* Finds the start of the chunk, and reopens a binary one in binary mode.  False
** if that fails. */
static bool load_prepare(FileReader *r, const char *filename) {
  int c;
  r->pending = 0;
  if (load_skip_comment(r->file, &c)) r->text[r->pending++] = '\n';
  if (c == LUA_SIGNATURE[0]) {
    r->pending = 0;
    if (filename) {
      errno = 0;
      r->file = freopen(filename, "rb", r->file);
      if (!r->file) return false;
      load_skip_comment(r->file, &c);
    }
  }
  if (c != EOF) r->text[r->pending++] = (char)c;
  return true;
}

/* Opens the file and compiles it.  Returns the operation that failed, or NULL.
** The chunk's name is on top; the result of lua_load is pushed above it. */
static const char *load_chunk(lua_State *L, FileReader *r, const char *filename,
                              const char *mode, int *status) {
  const char *name = lua_tostring(L, -1);
  errno = 0;
  r->file = filename ? fopen(filename, "r") : stdin;
  if (!r->file) return "open";
  if (!load_prepare(r, filename)) return "reopen";
  errno = 0;
  *status = lua_load(L, load_read_file, r, name, mode);
  return ferror(r->file) ? "read" : NULL;
}

LUALIB_API int luaL_loadfilex(lua_State *L, const char *filename,
                              const char *mode) {
  FileReader r;
  int status = LUA_ERRFILE;
  const int name = lua_gettop(L) + 1;
  lua_pushfstring(L, filename ? "@%s" : "=stdin", filename);
  const char *failure = load_chunk(L, &r, filename, mode, &status);
  const int code = errno;
  if (filename && r.file) fclose(r.file);
  errno = code;
  if (failure) return load_file_error(L, failure, name);
  lua_remove(L, name);
  return status;
}

/* -- Memory -------------------------------------------------------------- */

typedef struct TextReader {
  const char *text;
  size_t size;
} TextReader;

static const char *load_read_text(lua_State *L, void *ud, size_t *size) {
  TextReader *r = ud;
  (void)L;
  *size = r->size;
  r->size = 0;
  return *size > 0 ? r->text : NULL;
}

LUALIB_API int luaL_loadbufferx(lua_State *L, const char *buff, size_t sz,
                                const char *name, const char *mode) {
  TextReader r = {buff, sz};
  return lua_load(L, load_read_text, &r, name, mode);
}

LUALIB_API int luaL_loadstring(lua_State *L, const char *s) {
  return luaL_loadbufferx(L, s, strlen(s), s, NULL);
}
