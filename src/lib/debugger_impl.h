/* SPDX-License-Identifier: MIT */
/*
** debugger_impl.h -- the parts of the debugger
**
**     debugger.lua          the protocol, in a state of its own
**     debugger.c            begins and ends a session; what the program reports
**     debugger_step.c       steps: when does the program stop again?
**     debugger_code.c       functions of the program, and their breakpoints
**     debugger_target.c     looks at values of the program, and changes them
**     debugger_text.c       what it has found, as JSON
**     debugger_wire.c       the connection to the client
**
** Two states take part: the program's, and the session's, which runs
** debugger.lua.  So the debugger's own tables and strings are not in the heap of
** the program.  An error in one state must not jump over functions of the other.
** So what is found in the program is written as text, outside of both.
*/
#ifndef PENUMBRA_DEBUGGER_IMPL_H
#define PENUMBRA_DEBUGGER_IMPL_H

#include <signal.h>

#include "lib.h"
#include "vm/watch.h"

/* -- debugger_text.c: JSON ------------------------------------------------- */

/* A text that grows.  After a failed allocation it stays as it is. */
typedef struct Text {
  char *bytes;
  size_t size, room;
  bool failed;
} Text;

void dap_free(Text *text);
void dap_add(Text *text, const char *bytes, size_t size);
void dap_print(Text *text, const char *format, ...);

/* Adds a string literal.  A byte that is not UTF-8 becomes \xNN. */
void dap_string(Text *text, const char *bytes, size_t size);

/* Adds "name": before a value. */
void dap_name(Text *text, const char *name);

/* Adds the members that describe the value at the index of L: type, text, and
** for an object a ref, by which it can be asked for. */
void dap_value(Text *text, lua_State *L, int index, int ref, int indexed);

/* Adds the value as one word or a few, for a line. */
void dap_brief(Text *text, lua_State *L, int index);

/* -- debugger_wire.c: the connection --------------------------------------- */

typedef struct Wire {
  int listener; /* -1: none */
  int in, out;  /* -1: no client */
} Wire;

void wire_init(Wire *wire);

/* Asks for a signal when there are bytes or a client.  Its handler calls
** f(data), on the thread that called this function last.  With NULL, it no longer
** does for this data. */
void wire_notify(const Wire *wire, void (*f)(void *data), void *data);

/* Listens on the loopback.  Returns the port; 0 if that fails, see errno. */
int wire_listen(Wire *wire, int port);

/* Uses these descriptors.  False if that fails. */
bool wire_use(Wire *wire, int in, int out);

/* Takes a client that waits.  If `waits`, waits for one.  True if there is
** one. */
bool wire_accept(Wire *wire, bool waits);

/* Waits for bytes and reads some.  0: the client has gone. */
size_t wire_read(const Wire *wire, char *bytes, size_t size);

/* True if there are bytes to read, or the client has gone. */
bool wire_is_ready(const Wire *wire);

bool wire_write(const Wire *wire, const char *bytes, size_t size);
void wire_hang_up(Wire *wire);
void wire_close(Wire *wire);

/* -- debugger.c ------------------------------------------------------------ */

typedef enum StepMode { STEP_NONE, STEP_IN, STEP_OVER, STEP_OUT } StepMode;

/* A place where a step ends: the instruction after a call. */
typedef struct StepTarget {
  const Proto *proto;
  uint32_t pc;
  lua_State *thread;
  ptrdiff_t frame; /* its number in the thread */
} StepTarget;

enum { STEP_TARGETS = 256 };

typedef struct Step {
  StepMode mode;
  lua_State *thread;
  ptrdiff_t frame;
  const Proto *proto;
  int line;
  uint32_t pc;
  int target_count;
  StepTarget target[STEP_TARGETS];
} Step;

/* Functions found in the program, for as long as it does not run. */
typedef struct CodeList {
  Proto **proto;
  size_t count, room;
  bool failed;
} CodeList;

typedef struct Debugger {
  lua_State *session; /* runs debugger.lua */
  lua_State *main;    /* the main thread of the program */
  lua_State *L;       /* the thread that has stopped */
  Wire wire;
  Step step;
  CodeList code;
  lua_Integer pauses;           /* how often the program has stopped */
  volatile sig_atomic_t called; /* the client has sent something */
  bool breaks_on_caught, breaks_on_uncaught;
  lua_CFunction pcall_function, xpcall_function, resume_function;
  bool dead;                /* the session has failed */
  lua_State *passed_thread; /* a step has stopped at the place of a
                                ** breakpoint, which is passed next */
  const Instruction *passed;
} Debugger;

/* The debugger of the state; NULL if there is none. */
Debugger *debugger_of(lua_State *L);

/* Calls a function of debugger.lua with the arguments on top of the session.
** Leaves one result there.  False if it failed; then there is none. */
bool debugger_call(Debugger *d, const char *function, int arguments);

/* Stops the program until the client lets it go on. */
void debugger_stop(Debugger *d, const char *reason, const char *text);

/* -- debugger_step.c ------------------------------------------------------- */

void stepping_begin(Debugger *d, StepMode mode);
void stepping_end(Debugger *d);

/* Switches events for single instructions of L on or off.  They stay on while the
** client has sent something that nobody has looked at: its signal comes once, and
** may have come just before. */
void stepping_watch(Debugger *d, lua_State *L, bool on);

/* True if the step ends before the next instruction of L. */
bool stepping_is_done(Debugger *d, lua_State *L);

/* The same at a breakpoint. */
bool stepping_reaches(Debugger *d, lua_State *L);

/* -- debugger_code.c ------------------------------------------------------- */

/* Finds all functions of the program, or those of a chunk. */
bool code_collect(Debugger *d, Proto *chunk);
void code_forget(Debugger *d);

/* Functions for debugger.lua; see there. */
extern const luaL_Reg code_functions[];
extern const luaL_Reg target_functions[];

/* The debugger that a function for debugger.lua belongs to. */
Debugger *debugger_self(lua_State *session);

/* Calls f(L, data) in the program, protected, and pushes the text that it wrote
** to the session.  Raises its error there. */
typedef struct Request {
  Debugger *debugger;
  Text text;
  lua_Integer number[4];
  const char *string[2];
  size_t size[2];
} Request;
typedef void RequestFn(lua_State *L, Request *request);
int request_run(lua_State *session, RequestFn *f, Request *request);

/* All coroutines and the main thread, each pushed to a list at `index`. */
void code_list_threads(lua_State *L, int index);

/* Makes refs invalid. */
void target_forget(Debugger *d);

#endif
