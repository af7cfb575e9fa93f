/* SPDX-License-Identifier: MIT */
/*
** repl.c -- the interactive mode
**
** A line is tried as an expression first, with "return" before it, and then as
** a statement.  If the syntax error of a statement is at its end, the statement
** is incomplete: more lines are read until it is complete.
**
** At a terminal, values are shown with their contents (show.c) and errors with
** their source line (failure.c).  The variables _, __ and ___ hold the first
** results of the last three lines that had any, `help` is what help.lua returns,
** and the time of a long command is printed.  Without a terminal, the output is
** that of PUC Lua, byte for byte.
**
** Finalizers run only while a command does, so that Ctrl-C can stop them.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "help_lua.h"
#include "penumbra.h"

#if defined(LUA_USE_POSIX)
#include <time.h>
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

static bool repl_left; /* by `exit` */

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

/* True if the line asks to leave, and is no expression of the program's own. */
static bool repl_is_exit(lua_State *L) {
  static const char *const words[] = {"exit", "exit()", "quit", "quit()"};
  const char *line = lua_tostring(L, 1);
  const size_t n = strcspn(line, " \t");
  if (!repl_is_rich || line[n + strspn(line + n, " \t")] != '\0') return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strlen(words[i]) != n || strncmp(line, words[i], n) != 0) continue;
    lua_pushglobaltable(L);
    lua_pushlstring(L, line, 4);
    const bool unknown = lua_rawget(L, -2) == LUA_TNIL;
    lua_pop(L, 2);
    return unknown;
  }
  return false;
}

/* Reads a chunk and leaves a function or a message. False at the end of the
** input. If the user clears a line, reads the next one. */
static bool repl_load(lua_State *L, int *status) {
  bool cleared;
  do {
    lua_settop(L, 0);
    const LineStatus got = repl_push_line(L, true);
    if (got == LINE_END) return false;
    if (got == LINE_READ && repl_is_exit(L)) {
      line_remember(lua_tostring(L, 1));
      repl_left = true;
      return false;
    }
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

/* -- Commands ------------------------------------------------------------ */

/* Seconds of a clock. */
static double repl_clock(void) {
#if defined(LUA_USE_POSIX)
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
#else
  return 0;
#endif
}

/* The time of a command is worth telling if the user noticed it. */
static void repl_print_time(double seconds) {
  enum { NOTICED_MS = 500 };
  if (seconds * 1000 < NOTICED_MS) return;
  const bool paints = show_has_colors(stdout);
  printf("%s(%.2f s)%s\n", paints ? "\033[2m" : "", seconds,
         paints ? "\033[0m" : "");
  fflush(stdout);
}

/* Runs the function on top and prints its results, or the error. */
static void repl_run_command(lua_State *L) {
  const double begun = repl_clock();
  const int status = cli_call(L, 0, LUA_MULTRET);
  const double seconds = repl_clock() - begun;
  if (status == LUA_OK)
    repl_print(L);
  else
    cli_report(L, status);
  if (repl_is_rich) repl_print_time(seconds);
}

/* -- At a terminal ------------------------------------------------------- */

/* Sets the global `help`, unless the program has one. */
static int repl_set_help(lua_State *L) {
  lua_pushglobaltable(L);
  lua_pushliteral(L, "help");
  if (lua_rawget(L, -2) != LUA_TNIL) return 0;
  const char *code = (const char *)help_lua;
  if (luaL_loadbufferx(L, code, sizeof help_lua, "=help", "t"))
    return lua_error(L);
  lua_call(L, 0, 1);
  lua_pushliteral(L, "help");
  lua_insert(L, -2);
  lua_rawset(L, 1);
  return 0;
}

/* In a sandbox there is no `help`, because it needs libraries. */
static void repl_greet(lua_State *L) {
  lua_pushcfunction(L, repl_set_help);
  const bool helps = lua_pcall(L, 0, 0, 0) == LUA_OK;
  printf(helps ? "Type help for help, exit to leave.\n"
               : "Type exit to leave.\n");
  lua_settop(L, 0);
}

static SignalHandler *repl_before; /* of SIGINT */

/* Ctrl-C clears lines and interrupts programs. In between it is ignored. */
static void repl_begin(lua_State *L) {
  failure_prefer_full();
  cli_interrupt_firmly(true);
  repl_before = cli_on_signal(SIGINT, SIG_IGN);
  repl_greet(L);
}

static void repl_end(void) {
  cli_interrupt_firmly(false);
  cli_on_signal(SIGINT, repl_before);
}

/* Runs a command so that Ctrl-C ends it, wherever it is. */
static void repl_run_firmly(lua_State *L, int *finalizers) {
  limits_renew(L);
  penumbra_setfinalizers(L, *finalizers);
  repl_run_command(L);
  *finalizers = penumbra_setfinalizers(L, 0);
}

/* -- All of it ----------------------------------------------------------- */

void repl_run(lua_State *L) {
  const char *program = cli_program;
  int status, finalizers = 0;
  cli_program = NULL; /* the user knows which program it is */
  repl_look_around();
  lua_getglobal(L, "print");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &repl_print_key);
  if (repl_is_rich) {
    repl_begin(L);
    finalizers = penumbra_setfinalizers(L, 0);
  }
  while (repl_load(L, &status)) {
    if (status != LUA_OK)
      cli_report(L, status);
    else if (repl_is_rich)
      repl_run_firmly(L, &finalizers);
    else
      repl_run_command(L);
  }
  if (repl_is_rich) {
    penumbra_setfinalizers(L, finalizers);
    repl_end();
  }
  lua_settop(L, 0);
  if (!repl_left) lua_writeline();
  cli_program = program;
}
