/* SPDX-License-Identifier: MIT */
/*
** cli.h -- what the command lines share
**
** They see only the public headers, so a host program can do all that
** `penumbra` does.
*/

#ifndef PENUMBRA_CLI_H
#define PENUMBRA_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"

/* -- call.c: running chunks, reporting errors ---------------------------- */

/* The name in front of messages; NULL for none. */
extern const char *cli_program;

/* Prints a message to stderr, after the program's name. */
void cli_message(const char *text);

/* The same with a format of printf. */
void cli_print(const char *format, ...);

/* If the status is an error, reports the error on top of the stack and pops it.
** Returns the status. */
int cli_report(lua_State *L, int status);

/* The same for a file, or NULL, that could not be loaded. */
int cli_report_file(lua_State *L, int status, const char *file);

/* Calls the function below narg arguments. An error gets a traceback, and
** SIGINT interrupts the call. Returns the status. */
int cli_call(lua_State *L, int narg, int nres);

/* From now on, SIGINT interrupts calls by the check of budgets (penumbra.h). So
** it also ends C functions, pcall cannot catch it, and it never ends the process.
** Needs a budget; see limits_renew. */
void cli_interrupt_firmly(bool on);

void cli_print_version(void);

typedef void SignalHandler(int signum);

/* Sets the handler of a signal and returns the previous one. The signal
** interrupts a system call that waits. */
SignalHandler *cli_on_signal(int signum, SignalHandler *handler);

/* -- failure.c: how a failure is reported -------------------------------- */

/* Reads the value of --errors. False if it is wrong. */
bool failure_option(const char *value);

/* True if reports have source lines. */
bool failure_is_full(void);

/* Makes reports full, unless --errors said otherwise. */
void failure_prefer_full(void);

/* For message handlers: notes the stack from level `first` on, for the next
** report. The error is at index 1. */
void failure_note(lua_State *L, int first);
void failure_forget(void);

/* Also notes the stacks of errors that call no message handler, and of coroutines
** that die. `L` is the main thread. */
void failure_watch(lua_State *L);

/* Reports the error on top and pops it. `script` is the file that could not be
** loaded, or NULL. */
void failure_report(lua_State *L, int status, const char *script);

/* -- limits.c: --max-time and --max-memory ------------------------------- */

typedef struct Limits {
  lua_Unsigned microseconds; /* 0: no limit, for both */
  size_t bytes;
} Limits;

/* Sets the limit of the time; that of the memory is set already. Takes samples
** of what is used, of the memory only if `samples`. */
void limits_start(lua_State *L, const Limits *given, bool samples);

/* A new input of the prompt has all the time again. Without a limit, it gets a
** budget that does not end. */
void limits_renew(lua_State *L);

/* True if the error on top, of this status, means that a limit was reached. */
bool limits_is_reached(lua_State *L, int status);

/* Call when a limit is reached, before any function ends. */
void limits_note(lua_State *L);

/* No limits hold until limits_explain. That prints what the limit is and what
** used it up. */
void limits_lift(lua_State *L);
void limits_explain(lua_State *L, int status);

/* -- observe.c: observing a program -------------------------------------- */

typedef struct Observe {
  const char *profile_file; /* --profile, or NULL */
  const char *alloc_file;   /* --profile-alloc, or NULL */
  const char *report_file;  /* --report, or NULL */
  const char *page_file;    /* --report-page, or NULL */
  const char *trace_file;   /* --trace, or NULL */
  bool trace_lines;         /* --trace-gc */
  const char *why;          /* --why, or NULL */
  int snapshot_signal;      /* --snapshot-on, or 0 */
} Observe;

/* Reads the option argv[*i] and its value. Returns 1 if it is one of these, -1
** if its value is missing or wrong, 0 if it is another option. */
int observe_option(Observe *o, char **argv, int *i);

/* Starts what the options ask for. False, with a message, if that fails. */
bool observe_start(lua_State *L, const Observe *o);

/* Call when the program has ended. Writes profiles and the report. False if
** that fails. If the program calls os.exit instead, they are written then. */
bool observe_finish(lua_State *L);

/* -- adapter.c: debuggers ------------------------------------------------ */

typedef struct DebugOptions {
  bool on;             /* --debug: wait for a client */
  int port;            /* ... on this port of the loopback */
  int fd;              /* ... or on this descriptor; -1: on the port */
  bool adapter;        /* --debug-adapter */
  int adapter_port;    /* -1: on stdin and stdout */
  const char *program; /* argv[0] */
} DebugOptions;

/* As observe_option. */
int debug_option(DebugOptions *o, char **argv, int *i);

/* Begins to debug, if an option asks for it, and waits for the client. False,
** with a message, if that fails. */
bool debug_start(lua_State *L, const DebugOptions *o);

/* Serves an editor until it leaves. False, with a message, if that fails. */
bool adapter_run(const DebugOptions *o);

/* -- page.c: the page of a report ---------------------------------------- */

/* Opens the module penumbra.page, which is page.lua. */
int page_open(lua_State *L);

/* A function of the module and its arguments. */
typedef struct PageCall {
  const char *function;
  const char *text;
  size_t size;
  const char *file; /* or NULL */
} PageCall;

/* Calls the function. False, with a message, if that fails. */
bool page_run(const PageCall *call);

/* -- repl.c: the interactive mode ---------------------------------------- */

/* Reads, runs and prints until the input ends. */
void repl_run(lua_State *L);

/* True if stdin is a terminal. */
bool repl_stdin_is_terminal(void);

/* True if the text is an incomplete chunk. */
bool repl_is_unfinished(lua_State *L, const char *text);

/* -- line.c: one line from the user -------------------------------------- */

typedef enum LineStatus {
  LINE_READ,    /* pushed, without its newline */
  LINE_CLEARED, /* Ctrl-C: nothing pushed, begin again */
  LINE_END      /* nothing pushed, the input has ended */
} LineStatus;

LineStatus line_push(lua_State *L, const char *prompt);

/* Adds a text to the history, if there is line editing. */
void line_remember(const char *text);

/* -- editor.c: line editing by a library --------------------------------- */

/* Loads a library. False if there is none. */
bool editor_open(lua_State *L);

LineStatus editor_push(lua_State *L, const char *prompt);
void editor_remember(const char *text);

/* -- history.c: input of this run and earlier ones ----------------------- */

/* Passes all saved entries to `add`, oldest first. */
void history_open(lua_State *L, void (*add)(const char *text));

/* False for texts that are not saved: empty or very long ones, repetitions,
** texts that begin with a space. */
bool history_wants(const char *text);

void history_add(const char *text);

/* -- complete.c: completion of words ------------------------------------- */

/* A function for Lua. Given a line up to the cursor, returns a sorted list of
** candidates, where in the line the current word begins (from 0), and a table
** of the candidates with `true` for functions. */
int complete_line(lua_State *L);

/* Takes a line, and returns how the function is called whose arguments are being
** typed at its end; or nothing. */
int complete_hint(lua_State *L);

bool complete_is_keyword(const char *word);

/* -- show.c: values for human readers ------------------------------------ */

/* A function for Lua: prints its arguments. */
int show_print(lua_State *L);

/* Pushes the text for the value at the index. May raise errors. */
void show_push_text(lua_State *L, int index);

/* True if the file is a terminal, and neither NO_COLOR nor TERM objects. */
bool show_has_colors(FILE *file);

/* -- mark.c: errors with their source line ------------------------------- */

/* Keeps the text of an input, and pushes and returns its chunk name for
** luaL_loadbuffer. Messages begin with that name. `again` means that the text
** replaces the last input, which it may extend. */
const char *mark_push_name(lua_State *L, const char *text, bool again);

/* The text of the chunk of that name, which must stay valid. NULL for none. */
void mark_set_text(const char *name, const char *text);

/* Copies a line of a chunk to `out`. `name` is the name in messages; `file` is
** the name of the file, or NULL if it is the same. */
enum { MARK_LINE = 400 }; /* bytes of a line that are shown */
bool mark_find(lua_State *L, const char *name, const char *file, int line,
               char *out);

/* Prints a message in red, with a link to the place that it begins with. `file`
** is the name of that file if the message cuts it, or NULL. */
void mark_put_message(const char *msg, const char *file);

/* Prints the source line that the message names, with the suspected word
** underlined, or a given line. `word` is suspected if the message quotes none. */
bool mark_message(lua_State *L, const char *msg, const char *file,
                  const char *word);
void mark_level(lua_State *L, const char *name, const char *file, int number,
                const char *word);

/* The width of the terminal of stderr; very large if it is none. */
int mark_columns(void);

/* True if that line was printed last. */
bool mark_is_shown(const char *name, int line);

/* What follows on stderr leads to the file when it is clicked, on terminals that
** can do so. "" ends the link. */
void mark_link(const char *file);

/* Prints to stderr, in a color if it has colors. */
void mark_paint(const char *color, const char *s, size_t n);

#endif
