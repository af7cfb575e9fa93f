/* SPDX-License-Identifier: MIT */
/*
** repl.c -- the interactive mode
**
** A line is tried as an expression first, by putting "return" before it, and
** then as a statement.  A statement whose syntax error is at its end is not
** finished: more lines are read until it is.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <string.h>

#include "cli.h"

#if defined(LUA_USE_POSIX)
#include <unistd.h>
#endif

/* How the compiler names the end of the input in its messages. */
#define REPL_END "<eof>"

bool repl_stdin_is_terminal(void) {
#if defined(LUA_USE_POSIX)
  return isatty(STDIN_FILENO) != 0;
#else
  return true;
#endif
}

/* -- Reading ------------------------------------------------------------- */

/* Pushes the prompt, which a program may set; any value will do. */
static const char *repl_push_prompt(lua_State *L, bool first) {
  if (lua_getglobal(L, first ? "_PROMPT" : "_PROMPT2") == LUA_TNIL) {
    lua_pop(L, 1);
    return lua_pushstring(L, first ? "> " : ">> ");
  }
  const char *text = luaL_tolstring(L, -1, NULL);
  lua_remove(L, -2);
  return text;
}

/* Pushes a line; a '=' at the beginning of the first is an old way to write
** "return". */
static bool repl_push_line(lua_State *L, bool first) {
  const char *prompt = repl_push_prompt(L, first);
  const bool ok = line_push(L, prompt);
  lua_remove(L, ok ? -2 : -1);
  if (!ok) return false;
  const char *line = lua_tostring(L, -1);
  if (first && *line == '=') {
    lua_pushfstring(L, "return %s", line + 1);
    lua_remove(L, -2);
  }
  return true;
}

/* Compiles the line at index 1 as an expression; leaves nothing if it is not
** one. */
static bool repl_load_expression(lua_State *L) {
  const char *line = lua_tostring(L, 1);
  const char *text = lua_pushfstring(L, "return %s", line);
  const int status = luaL_loadbuffer(L, text, strlen(text), "=stdin");
  lua_remove(L, 2);
  if (status == LUA_OK) {
    line_remember(line);
    return true;
  }
  lua_pop(L, 1);
  return false;
}

/* True if the message on top complains about the end of the text. */
static bool repl_is_incomplete(lua_State *L, int status) {
  if (status != LUA_ERRSYNTAX) return false;
  size_t len;
  const char *msg = lua_tolstring(L, -1, &len);
  const size_t mark = strlen(REPL_END);
  return len >= mark && strcmp(msg + len - mark, REPL_END) == 0;
}

/* Compiles the line at index 1 as a statement, with as many more lines as it
** takes. */
static int repl_load_statement(lua_State *L) {
  for (;;) {
    size_t len;
    const char *text = lua_tolstring(L, 1, &len);
    const int status = luaL_loadbuffer(L, text, len, "=stdin");
    if (!repl_is_incomplete(L, status) || !repl_push_line(L, false)) {
      line_remember(text);
      return status;
    }
    lua_remove(L, 2); /* the message */
    lua_pushliteral(L, "\n");
    lua_insert(L, 2);
    lua_concat(L, 3);
  }
}

/* Leaves a function or a message; false at the end of the input. */
static bool repl_load(lua_State *L, int *status) {
  lua_settop(L, 0);
  if (!repl_push_line(L, true)) return false;
  *status = repl_load_expression(L) ? LUA_OK : repl_load_statement(L);
  lua_remove(L, 1);
  return true;
}

/* -- Printing ------------------------------------------------------------ */

/* Prints all values on the stack with whatever `print` is now. */
static void repl_print(lua_State *L) {
  const int n = lua_gettop(L);
  if (n == 0) return;
  luaL_checkstack(L, LUA_MINSTACK, "too many results to print");
  lua_getglobal(L, "print");
  lua_insert(L, 1);
  if (lua_pcall(L, n, 0, 0) != LUA_OK)
    cli_message(
        lua_pushfstring(L, "error calling 'print' (%s)", lua_tostring(L, -1)));
}

void repl_run(lua_State *L) {
  const char *program = cli_program;
  int status;
  cli_program = NULL; /* messages are for the person at hand */
  while (repl_load(L, &status)) {
    if (status == LUA_OK) status = cli_call(L, 0, LUA_MULTRET);
    if (status == LUA_OK)
      repl_print(L);
    else
      cli_report(L, status);
  }
  lua_settop(L, 0);
  lua_writeline();
  cli_program = program;
}
