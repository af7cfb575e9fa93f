/* SPDX-License-Identifier: MIT */
/*
** walk.h -- a random walk through the C API
**
** A sequence is a C function, body_run, that makes random calls in its own
** stack frame.  It runs protected, calls itself through every kind of call, and
** runs in coroutines.  A sequence depends only on its seed and on the answers
** of the library.  Each answer goes into a trace.  Two libraries that behave
** alike make the same trace.
**
** It makes only calls that the manual allows.  A step checks the type of a
** value before a call that needs one.  Calls that may raise an error are made
** only on the running thread.
*/
#ifndef WALK_H
#define WALK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

enum { THREADS = 4, MAX_TOP = 40, MAX_DEPTH = 6 };

/* A thread of the sequence.  `busy` while it runs, or while a thread that it
** has resumed runs. */
typedef struct {
  lua_State *L;
  int yielded; /* values on its stack since it yielded */
  int busy;
} WalkThread;

typedef struct {
  uint64_t random;
  int budget;  /* steps left */
  int depth;   /* of calls from C */
  int closing; /* a slot is being closed: no walk meanwhile */
  int printing;
  uint64_t hash; /* of the trace */
  WalkThread threads[THREADS];
  int refs[4];
} Walk;

/* One activation of body_run.  Slots up to `floor` must not move, because one
** of them is or may be to be closed. */
typedef struct {
  lua_State *L;
  int floor;
  int marked; /* the slot last marked, or 0 */
} Body;

typedef struct {
  const char *name;
  void (*run)(Body *b);
} Step;

extern Walk walk;

/* -- Random choices -------------------------------------------------------- */

unsigned walk_below(unsigned n); /* from 0 to n - 1 */
int walk_once_in(unsigned n);
lua_Integer walk_integer(void);
lua_Number walk_number(void);
const char *walk_text(void); /* often used as a key */

/* -- The trace ------------------------------------------------------------- */

void trace(const char *format, ...);
void trace_value(lua_State *L, int index);
void trace_stack(lua_State *L);

/* -- Values ---------------------------------------------------------------- */

void push_any(lua_State *L); /* needs some free slots */
void push_table(lua_State *L);
void push_metatable(lua_State *L);
void push_function(lua_State *L);     /* Lua or C, from a small set */
int any_index(Body *b);               /* of a value, or of no value */
int own_index(Body *b);               /* above the floor; 0 if there is none */
int index_of_type(Body *b, int type); /* 0 if there is none */

/* -- Functions ------------------------------------------------------------- */

int body_run(lua_State *L); /* a lua_CFunction */
int body_continue(lua_State *L, int status, lua_KContext context);

extern const Step stack_steps[], access_steps[], table_steps[], call_steps[],
    aux_steps[];

#endif
