/* SPDX-License-Identifier: MIT */
/*
** repl.c -- the interactive mode
**
** A line is tried as an expression first, with "return" before it, and then as
** a statement.  If the syntax error of a statement is at its end, the statement
** is incomplete: more lines are read until it is complete.
**
** At a terminal, values are shown with their contents (show.c) and errors with
** their source line (mark.c).  The variables _, __ and ___ hold the first
** results of the last three lines that had any.  Without a terminal, the output
** is that of PUC Lua, byte for byte.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

#if defined(LUA_USE_POSIX)
#include <unistd.h>
#elif defined(LUA_USE_WINDOWS)
#include <io.h>
#endif

/* How the compiler names the end of the input in its messages. */
#define REPL_END "<eof>"

bool repl_stdin_is_terminal(void) {
#if defined(LUA_USE_POSIX) || defined(LUA_USE_WINDOWS)
  return isatty(STDIN_FILENO) != 0;
#else
  return true;
#endif
}

/* True if stdin and stdout are terminals. */
static bool repl_is_rich;

static void repl_look_around(void) {
#if defined(LUA_USE_POSIX)
  repl_is_rich = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
#endif
}

/* -- Reading ------------------------------------------------------------- */

/* Pushes the prompt. The program may set it to any value. */
static const char *repl_push_prompt(lua_State *L, bool first) {
  if (lua_getglobal(L, first ? "_PROMPT" : "_PROMPT2") == LUA_TNIL) {
    lua_pop(L, 1);
    return lua_pushstring(L, first ? "> " : ">> ");
  }
  const char *text = luaL_tolstring(L, -1, NULL);
  lua_remove(L, -2);
  return text;
}

/* Pushes a line. A '=' at the beginning of the first line is an old way to
** write "return". */
static LineStatus repl_push_line(lua_State *L, bool first) {
  const char *prompt = repl_push_prompt(L, first);
  const LineStatus got = line_push(L, prompt);
  lua_remove(L, got == LINE_READ ? -2 : -1);
  if (got != LINE_READ) return got;
  const char *line = lua_tostring(L, -1);
  if (first && *line == '=') {
    lua_pushfstring(L, "return %s", line + 1);
    lua_remove(L, -2);
  }
  return got;
}

/* Pushes the name of the chunk whose text is at index 1. */
static const char *repl_push_name(lua_State *L, bool again) {
  if (repl_is_rich) return mark_push_name(L, lua_tostring(L, 1), again);
  return lua_pushliteral(L, "=stdin");
}

/* Compiles the line at index 1 as an expression. Otherwise pushes nothing. */
static bool repl_load_expression(lua_State *L) {
  const char *line = lua_tostring(L, 1);
  const char *text = lua_pushfstring(L, "return %s", line);
  const char *name = repl_push_name(L, false);
  const int status = luaL_loadbuffer(L, text, strlen(text), name);
  lua_replace(L, 2);
  lua_settop(L, 2);
  if (status == LUA_OK) {
    line_remember(line);
    return true;
  }
  lua_pop(L, 1);
  return false;
}

/* True if the error on top is at the end of the text. */
static bool repl_is_incomplete(lua_State *L, int status) {
  if (status != LUA_ERRSYNTAX) return false;
  size_t len;
  const char *msg = lua_tolstring(L, -1, &len);
  const size_t mark = strlen(REPL_END);
  return len >= mark && strcmp(msg + len - mark, REPL_END) == 0;
}

/* Compiles the text of a chunk. Pushes a function or a message. */
static int repl_compile(lua_State *L, const char *text, size_t len) {
  const char *name = repl_push_name(L, true);
  const int status = luaL_loadbuffer(L, text, len, name);
  lua_remove(L, -2);
  return status;
}

static int repl_try(lua_State *L) {
  const char *text = lua_tostring(L, 1);
  const char *value = lua_pushfstring(L, "return %s", text);
  if (luaL_loadbuffer(L, value, strlen(value), "=") == LUA_OK) return 0;
  const int status = luaL_loadbuffer(L, text, strlen(text), "=");
  lua_pushboolean(L, repl_is_incomplete(L, status));
  return 1;
}

bool repl_is_unfinished(lua_State *L, const char *text) {
  if (!lua_checkstack(L, LUA_MINSTACK)) return false;
  lua_pushcfunction(L, repl_try);
  lua_pushstring(L, *text == '=' ? text + 1 : text);
  const bool unfinished =
      lua_pcall(L, 1, 1, 0) == LUA_OK && lua_toboolean(L, -1);
  lua_pop(L, 1);
  return unfinished;
}

/* Compiles the line at index 1 as a statement. Reads more lines until it is
** complete. Sets *cleared if the user cleared it. */
static int repl_load_statement(lua_State *L, bool *cleared) {
  for (;;) {
    size_t len;
    const char *text = lua_tolstring(L, 1, &len);
    const int status = repl_compile(L, text, len);
    LineStatus got = LINE_END;
    if (repl_is_incomplete(L, status)) got = repl_push_line(L, false);
    *cleared = got == LINE_CLEARED;
    if (got != LINE_READ) {
      if (!*cleared) line_remember(text);
      return status;
    }
    lua_remove(L, 2); /* the message */
    lua_pushliteral(L, "\n");
    lua_insert(L, 2);
    lua_concat(L, 3);
  }
}

/* Reads a chunk and leaves a function or a message. False at the end of the
** input. If the user clears a line, reads the next one. */
static bool repl_load(lua_State *L, int *status) {
  bool cleared;
  do {
    lua_settop(L, 0);
    const LineStatus got = repl_push_line(L, true);
    if (got == LINE_END) return false;
    cleared = got == LINE_CLEARED;
    if (cleared) continue;
    *status =
        repl_load_expression(L) ? LUA_OK : repl_load_statement(L, &cleared);
  } while (cleared);
  lua_remove(L, 1);
  return true;
}

/* -- Results ------------------------------------------------------------- */

static const char repl_print_key = 0; /* registry: the original `print` */

/* Pops the value on top and stores it in a global variable, unless the user has
** put another value there. The registry keeps the value stored last. */
static void repl_set_result(lua_State *L, const char *name) {
  lua_pushglobaltable(L);
  lua_pushstring(L, name);
  const bool is_set = lua_rawget(L, -2) != LUA_TNIL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, name);
  if (!is_set || lua_rawequal(L, -1, -2)) {
    lua_pop(L, 2);
    lua_pushstring(L, name);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pushvalue(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, name);
  } else {
    lua_pop(L, 2);
  }
  lua_pop(L, 2);
}

/* The results are the whole stack. */
static void repl_keep_results(lua_State *L) {
  static const char one[] = "_", two[] = "__", three[] = "___";
  lua_rawgetp(L, LUA_REGISTRYINDEX, two);
  repl_set_result(L, three);
  lua_rawgetp(L, LUA_REGISTRYINDEX, one);
  repl_set_result(L, two);
  lua_pushvalue(L, 1);
  repl_set_result(L, one);
}

/* Pushes the function that prints results: `print`, or at a terminal show_print
** if `print` is still the original one. */
static void repl_push_printer(lua_State *L) {
  lua_getglobal(L, "print");
  if (!repl_is_rich) return;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &repl_print_key);
  const bool usual = lua_rawequal(L, -1, -2);
  lua_pop(L, 1);
  if (!usual) return;
  lua_pop(L, 1);
  lua_pushcfunction(L, show_print);
}

/* Prints all values on the stack. */
static void repl_print(lua_State *L) {
  const int n = lua_gettop(L);
  if (n == 0) return;
  luaL_checkstack(L, LUA_MINSTACK, "too many results to print");
  if (repl_is_rich) repl_keep_results(L);
  repl_push_printer(L);
  lua_insert(L, 1);
  const int status = repl_is_rich ? cli_call(L, n, 0) : lua_pcall(L, n, 0, 0);
  if (status != LUA_OK)
    cli_message(
        lua_pushfstring(L, "error calling 'print' (%s)", lua_tostring(L, -1)));
}

static void repl_report(lua_State *L, int status) {
  if (repl_is_rich)
    mark_report(L);
  else
    cli_report(L, status);
}

void repl_run(lua_State *L) {
  const char *program = cli_program;
  int status;
  cli_program = NULL; /* the user knows which program it is */
  repl_look_around();
  /* Ctrl-C clears lines and interrupts programs. In between it is ignored. */
  SignalHandler *before = SIG_DFL;
  if (repl_is_rich) before = cli_on_signal(SIGINT, SIG_IGN);
  lua_getglobal(L, "print");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &repl_print_key);
  while (repl_load(L, &status)) {
    if (status == LUA_OK) status = cli_call(L, 0, LUA_MULTRET);
    if (status == LUA_OK)
      repl_print(L);
    else
      repl_report(L, status);
  }
  if (repl_is_rich) cli_on_signal(SIGINT, before);
  lua_settop(L, 0);
  lua_writeline();
  cli_program = program;
}
