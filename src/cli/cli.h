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

typedef void SignalHandler(int signum);

/* Sets the handler of a signal; returns the one before. It interrupts a call
** that waits. */
SignalHandler *cli_on_signal(int signum, SignalHandler *handler);

/* -- observe.c: looking at a program ------------------------------------- */

typedef struct Observe {
  const char *profile_file; /* --profile, or NULL */
  const char *trace_file; /* --trace, or NULL */
  bool trace_lines;       /* --trace-gc */
  int snapshot_signal;    /* --snapshot-on, or 0 */
} Observe;

/* Reads the option argv[*i] and its value: 1 if that is one of these, -1 if its
** value is missing or wrong, 0 if it is another one. */
int observe_option(Observe *o, char **argv, int *i);

/* Does what the options ask for; false, with a message, if it cannot. */
bool observe_start(lua_State *L, const Observe *o);

/* The program has ended: writes what is left to write. */
bool observe_finish(lua_State *L, const Observe *o);

/* -- repl.c: the interactive mode ---------------------------------------- */

/* Reads, runs and prints until the input ends. */
void repl_run(lua_State *L);

/* True if a person is typing. */
bool repl_stdin_is_terminal(void);

/* True if the text is the beginning of a chunk, and not one yet. */
bool repl_is_unfinished(lua_State *L, const char *text);

/* -- line.c: one line from the user -------------------------------------- */

typedef enum LineStatus {
  LINE_READ,    /* pushed, without its end */
  LINE_CLEARED, /* Ctrl-C: nothing pushed, begin again */
  LINE_END      /* nothing pushed, the input has ended */
} LineStatus;

LineStatus line_push(lua_State *L, const char *prompt);

/* Remembers a text for the arrow keys, if there is line editing. */
void line_remember(const char *text);

/* -- editor.c: line editing by a library --------------------------------- */

/* Finds a library; false if there is none. */
bool editor_open(lua_State *L);

LineStatus editor_push(lua_State *L, const char *prompt);
void editor_remember(const char *text);

/* -- history.c: what was typed, from one run to the next ----------------- */

/* Gives all that was kept to `add`, oldest first. */
void history_open(lua_State *L, void (*add)(const char *text));

/* False for what is not remembered: repetitions, texts that begin with a
** space. */
bool history_wants(const char *text);

void history_add(const char *text);

/* -- complete.c: what may follow ----------------------------------------- */

/* A function for Lua: given a line up to the cursor, returns a sorted list of
** words, where in the line the present word begins (from 0), and a table of the
** words with `true` for functions. */
int complete_line(lua_State *L);

bool complete_is_keyword(const char *word);

/* -- show.c: values as a person wants to read them ----------------------- */

/* A function for Lua: prints its arguments. */
int show_print(lua_State *L);

/* True if stdout is a terminal and nobody objects. */
bool show_has_colors(void);

/* -- mark.c: errors with the line where they are ------------------------- */

/* Keeps the text of an input under the name that its messages have; pushes the
** name, for luaL_loadbuffer. `again`: it is the last input, perhaps longer. */
const char *mark_push_name(lua_State *L, const char *text, bool again);

/* Prints the message on top, and the line that it is about; pops it. */
void mark_report(lua_State *L);

#endif
