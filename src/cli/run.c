/* SPDX-License-Identifier: MIT */
/*
** run.c -- running chunks for the command line
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

const char *cli_program = "penumbra";

void cli_message(const char *text) {
  if (cli_program) lua_writestringerror("%s: ", cli_program);
  lua_writestringerror("%s\n", text);
}

int cli_report(lua_State *L, int status) {
  if (status == LUA_OK) return status;
  const char *msg = lua_tostring(L, -1);
  cli_message(msg ? msg : "(error message not a string)");
  lua_pop(L, 1);
  return status;
}

/* The line ends with the owner of the language, because programs for Lua look
** for it there. */
void cli_print_version(void) {
  printf("Penumbra %s (%s)  Lua is a language by Lua.org, PUC-Rio\n",
         PENUMBRA_VERSION, LUA_RELEASE);
  fflush(stdout);
}

/* -- Interruption -------------------------------------------------------- */

/* The running state, for the signal handler, which gets no argument of ours. */
static lua_State *call_running;

SignalHandler *cli_on_signal(int signum, SignalHandler *handler) {
#if defined(LUA_USE_POSIX)
  struct sigaction action, old;
  memset(&action, 0, sizeof(action));
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(signum, &action, &old);
  return old.sa_handler;
#else
  return signal(signum, handler);
#endif
}

static void call_stop(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  luaL_error(L, "interrupted!");
}

/* A signal handler may do very little, but it may set a hook, which stops the
** program at its next step. If that does not help, a second signal kills it. */
static void call_interrupted(int signum) {
  const int any = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  cli_on_signal(signum, SIG_DFL);
  lua_sethook(call_running, call_stop, any, 1);
}

/* -- Calls --------------------------------------------------------------- */

/* Turns any error into a message with a traceback. An error object that has
** __tostring makes its own message and gets no traceback. */
static int call_handle_error(lua_State *L) {
  if (!lua_isstring(L, 1)) {
    const bool speaks = luaL_callmeta(L, 1, "__tostring");
    if (speaks && lua_type(L, -1) == LUA_TSTRING) return 1;
    lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
    lua_replace(L, 1);
  }
  luaL_traceback(L, L, lua_tostring(L, 1), 1);
  return 1;
}

int cli_call(lua_State *L, int narg, int nres) {
  call_running = L;
  SignalHandler *before = cli_on_signal(SIGINT, call_interrupted);
  const int handler = lua_absindex(L, -narg - 1);
  lua_pushcfunction(L, call_handle_error);
  lua_rotate(L, handler, 1);
  const int status = lua_pcall(L, narg, nres, handler);
  lua_remove(L, handler);
  cli_on_signal(SIGINT, before);
  return status;
}
