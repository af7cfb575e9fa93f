/* SPDX-License-Identifier: MIT */
/*
** line.c -- one line from the user
**
** Line editing comes from GNU readline, if it is there when a person is typing.
** It is loaded at run time: without it everything works, only less
** comfortably.  A build may name another library of the same interface
** (-DPENUMBRA_READLINE="...").
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* -- Without line editing ------------------------------------------------ */

/* Input that does not come from a terminal has not been seen by anybody: show
** it, so that the output reads like a session. */
static void line_echo(lua_State *L) {
  if (repl_stdin_is_terminal()) return;
  size_t len;
  const char *s = lua_tolstring(L, -1, &len);
  fwrite(s, 1, len, stdout);
  fputc('\n', stdout);
  fflush(stdout);
}

static bool line_push_plain(lua_State *L, const char *prompt) {
  luaL_Buffer b;
  int c;
  fputs(prompt, stdout);
  fflush(stdout);
  luaL_buffinit(L, &b);
  while ((c = getc(stdin)) != EOF && c != '\n') luaL_addchar(&b, (char)c);
  const bool ok = c == '\n' || luaL_bufflen(&b) > 0;
  luaL_pushresult(&b);
  if (ok)
    line_echo(L);
  else
    lua_pop(L, 1);
  return ok;
}

/* -- With line editing --------------------------------------------------- */

#if !defined(PENUMBRA_READLINE) && defined(__linux__)
#define PENUMBRA_READLINE "libreadline.so.8"
#endif

#if defined(PENUMBRA_READLINE) && defined(LUA_USE_DLOPEN)

#include <dlfcn.h>

typedef char *(*ReadFunction)(const char *prompt);
typedef void (*HistoryFunction)(const char *line);

static ReadFunction line_read;
static HistoryFunction line_add_history;

/* Finds the two functions, the first time. */
static void line_load_editor(void) {
  static bool tried = false;
  if (tried) return;
  tried = true;
  void *lib = dlopen(PENUMBRA_READLINE, RTLD_NOW | RTLD_LOCAL);
  if (lib == NULL) return;
  union {
    void *data;
    ReadFunction f;
  } read = {dlsym(lib, "readline")};
  union {
    void *data;
    HistoryFunction f;
  } add = {dlsym(lib, "add_history")};
  if (read.data == NULL || add.data == NULL) return;
  line_read = read.f;
  line_add_history = add.f;
}

bool line_push(lua_State *L, const char *prompt) {
  if (repl_stdin_is_terminal()) line_load_editor();
  if (line_read == NULL) return line_push_plain(L, prompt);
  char *line = line_read(prompt);
  if (line == NULL) return false;
  lua_pushstring(L, line);
  free(line);
  return true;
}

void line_remember(const char *text) {
  if (line_add_history != NULL && *text != '\0') line_add_history(text);
}

#else

bool line_push(lua_State *L, const char *prompt) {
  return line_push_plain(L, prompt);
}

void line_remember(const char *text) { (void)text; }

#endif
