/* SPDX-License-Identifier: MIT */
/*
** line.c -- one line from the user
**
** At a terminal, a library for line editing reads the line if there is one; see
** editor.c.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "cli.h"

/* Prints input that does not come from a terminal, so that the output reads
** like a session. */
static void line_echo(lua_State *L) {
  if (repl_stdin_is_terminal()) return;
  size_t len;
  const char *s = lua_tolstring(L, -1, &len);
  fwrite(s, 1, len, stdout);
  fputc('\n', stdout);
  fflush(stdout);
}

static volatile sig_atomic_t line_cleared;

static void line_interrupted(int signum) {
  (void)signum;
  line_cleared = 1;
}

/* Reads a line. Returns its last byte: a newline, or EOF if the input has ended
** or a signal came. */
static int line_read(luaL_Buffer *b) {
  int c;
  while ((c = getc(stdin)) != EOF && c != '\n') luaL_addchar(b, (char)c);
  return c;
}

static LineStatus line_push_plain(lua_State *L, const char *prompt) {
  const bool terminal = repl_stdin_is_terminal();
  SignalHandler *before = SIG_DFL;
  luaL_Buffer b;
  line_cleared = 0;
  if (terminal) before = cli_on_signal(SIGINT, line_interrupted);
  fputs(prompt, stdout);
  fflush(stdout);
  luaL_buffinit(L, &b);
  const int c = line_read(&b);
  if (terminal) cli_on_signal(SIGINT, before);
  const bool ok = c == '\n' || luaL_bufflen(&b) > 0;
  luaL_pushresult(&b);
  if (line_cleared) {
    clearerr(stdin);
    fputc('\n', stdout);
    lua_pop(L, 1);
    return LINE_CLEARED;
  }
  if (ok) {
    line_echo(L);
    return LINE_READ;
  }
  lua_pop(L, 1);
  return LINE_END;
}

LineStatus line_push(lua_State *L, const char *prompt) {
  if (repl_stdin_is_terminal() && editor_open(L)) return editor_push(L, prompt);
  return line_push_plain(L, prompt);
}

void line_remember(const char *text) { editor_remember(text); }
