/* SPDX-License-Identifier: MIT */
/*
** cli.h -- what the command lines share
**
** They see only the public headers: whatever `penumbra` does, a host program
** can do too.
*/

#ifndef PENUMBRA_CLI_H
#define PENUMBRA_CLI_H

#include <stdbool.h>

#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"

/* -- call.c: running chunks, reporting errors ---------------------------- */

/* The name in front of messages; NULL for none. */
extern const char *cli_program;

/* Prints a message to stderr, after the program's name. */
void cli_message(const char *text);

/* If the status is an error, prints the message on top and pops it. Returns
** the status. */
int cli_report(lua_State *L, int status);

/* Calls the function below narg arguments; an error gets a traceback, and
** SIGINT interrupts the call. Returns the status. */
int cli_call(lua_State *L, int narg, int nres);

void cli_print_version(void);

/* -- repl.c: the interactive mode ---------------------------------------- */

/* Reads, runs and prints until the input ends. */
void repl_run(lua_State *L);

/* True if a person is typing. */
bool repl_stdin_is_terminal(void);

/* -- line.c: one line from the user -------------------------------------- */

/* Pushes a line, without its end; false, nothing pushed, at the end of the
** input. */
bool line_push(lua_State *L, const char *prompt);

/* Remembers a line for the arrow keys, if there is line editing. */
void line_remember(const char *text);

#endif
