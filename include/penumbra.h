/* SPDX-License-Identifier: MIT */
/*
** penumbra.h -- what this implementation offers beyond the API of Lua 5.4
**
** docs/penumbra-api.md explains each function with an example. None of them
** raises an error, but where it says so. Functions that let the collector
** work, or finalizers run, may call any Lua code: like lua_gc.
*/

#ifndef penumbra_h
#define penumbra_h

#include "lua.h"

/* -- Time for the collector ---------------------------------------------- */

/* How a step by hand went. */
typedef struct penumbra_Step {
  size_t size;               /* sizeof(penumbra_Step), set before the call */
  lua_Unsigned nanoseconds;  /* that the call took */
  size_t work;               /* units of work done */
  size_t left;               /* until the cycle ends, as far as can be judged;
                             ** 0 between cycles */
  size_t finalizers;         /* that wait */
  size_t allocated;          /* bytes since the call before */
  size_t room;               /* bytes until the heap meets its goal */
  int ended;                 /* a cycle has ended */
  int keeps_up;              /* with as much work for the bytes allocated, the
                             ** cycle ends before the heap meets its goal */
} penumbra_Step;

/* For hosts with frames: lets the collector work for about so many microseconds,
** or until its cycle ends; then, while there is time left, calls finalizers that
** are due. Does nothing while nothing is due. Returns 1 if nothing is left to
** do, otherwise 0. `told`, if not NULL, is filled in. Works also when the
** collector is stopped (LUA_GCSTOP). */
LUA_API int (penumbra_step)(lua_State *L, lua_Unsigned microseconds,
                            penumbra_Step *told);

/* Between two calls of penumbra_step, the collector's own steps take at most
** about so many microseconds; 0, as at first, is no bound. They take more only
** if the heap is beyond its goal: twice as much half-way to where the program
** is slowed down, and any time from there. Returns the bound before. */
LUA_API lua_Unsigned (penumbra_setframe)(lua_State *L,
                                         lua_Unsigned microseconds);

/* Calls finalizers that are due: at most `count` of them, beginning none after
** so many microseconds; 0 is no bound, for each. Returns how many it called. */
LUA_API size_t (penumbra_finalize)(lua_State *L, size_t count,
                                   lua_Unsigned microseconds);

/* How many finalizers the collector calls by itself after each of its steps, at
** most (64 at first). With 0 they wait for penumbra_step, penumbra_finalize or
** lua_gc. Returns the number before. */
LUA_API int (penumbra_setfinalizers)(lua_State *L, int perstep);

/* -- Memory -------------------------------------------------------------- */

/* A bound on the bytes that the state takes from its allocator and those that
** it was told of by penumbra_addexternal; 0, as at first, is none. Where it
** would be passed there is a collection, and if that does not help, the error
** "not enough memory" (LUA_ERRMEM). */
LUA_API void (penumbra_setlimit)(lua_State *L, size_t bytes);
LUA_API size_t (penumbra_getlimit)(lua_State *L);

/* A soft target for the bytes in objects and those told of by
** penumbra_addexternal; 0, as at first, is none. Cycles then end below it, if
** what is live allows that, and come up to eight times as often as otherwise.
** When a cycle has found more than that live, `f` is called, if it is not NULL,
** at a moment when finalizers run, and in the same way: it may call Lua code,
** and an error in it becomes a warning. */
typedef void (*penumbra_Target)(lua_State *L, void *ud, size_t live);
LUA_API void (penumbra_settarget)(lua_State *L, size_t bytes,
                                  penumbra_Target f, void *ud);
LUA_API size_t (penumbra_gettarget)(lua_State *L);

/* Tells the collector that objects of this state hold more memory elsewhere,
** or less. Returns 0 if the limit does not allow for more; then they are not
** counted, and the caller should not keep them. */
LUA_API int (penumbra_addexternal)(lua_State *L, size_t bytes);
LUA_API void (penumbra_removeexternal)(lua_State *L, size_t bytes);

/* Memory for the caller's own use from the state's allocator, counted and
** limited like that of objects: as realloc, with nsize 0 to free. Returns NULL
** if there is none, even after a collection; then what ptr points to is still
** there. All of it must be freed before the state is closed, or by finalizers
** when it is. */
LUA_API void *(penumbra_realloc)(lua_State *L, void *ptr, size_t osize,
                                 size_t nsize);

/* -- Budgets ------------------------------------------------------------- */

/* How long programs may run: in units, of which each word of code that may have
** been run counts one, a call of a C function some more, and work that C
** functions do according to its size; and in microseconds of this thread's time
** on the processor. 0 is no bound, for each; both 0, as at first, is no budget.
** The error "budget exhausted" comes when nothing is left, mostly within a
** millisecond: nothing between there and the call that the host made (which is
** the innermost protected call when this is called, or else every call) can
** catch it. Holds for calls from C that begin later. */
LUA_API void (penumbra_setbudget)(lua_State *L, lua_Unsigned units,
                                  lua_Unsigned microseconds);

/* More of what is bounded. */
LUA_API void (penumbra_addbudget)(lua_State *L, lua_Unsigned units,
                                  lua_Unsigned microseconds);

/* Units spent since penumbra_setbudget. */
LUA_API lua_Unsigned (penumbra_getspent)(lua_State *L);

#define PENUMBRA_STOP    0 /* the error */
#define PENUMBRA_MORE    1 /* it goes on: penumbra_addbudget has been called */
#define PENUMBRA_SUSPEND 2 /* a yield without values, to be resumed later */

/* Is asked when nothing is left of the budget. It can suspend the coroutine
** that the host has resumed, if `canyield`; otherwise, after PENUMBRA_SUSPEND,
** it is asked again a little later. It must not raise errors, call Lua code or
** make objects; there is room for five values on the stack. */
typedef int (*penumbra_Decide)(lua_State *L, void *ud, int canyield);
LUA_API void (penumbra_setdecide)(lua_State *L, penumbra_Decide f, void *ud);

/* lua_pcall with a budget of its own, within the state's. *over, if that is not
** NULL, tells whether it was ended by the budget. */
LUA_API int (penumbra_pcall)(lua_State *L, int nargs, int nresults, int msgh,
                             lua_Unsigned units, lua_Unsigned microseconds,
                             int *over);

/* For C functions that take long: spends so many units of the budget, if there
** is one. A unit is about a nanosecond's work, or 16 bytes copied. Raises the
** error if nothing is left. */
LUA_API void (penumbra_spend)(lua_State *L, size_t units);

/* -- Sandboxes ----------------------------------------------------------- */

/* What code may use; 0 is no bound, for each. `memory` is how much more the
** state may hold than before, whoever takes it. */
typedef struct penumbra_Limits {
  lua_Unsigned units;
  lua_Unsigned microseconds;
  size_t memory;
} penumbra_Limits;

/* Pushes a new table of globals for code that is not trusted: safe functions
** only, in tables of its own. Opens the libraries that it needs, without making
** them global. May raise errors (memory). */
LUALIB_API void (penumbra_pushsandbox)(lua_State *L);

/* Loads and calls code (text only) with the globals below `nargs` arguments,
** which are popped; the globals stay. Pushes the results, or the error. Returns
** the status; *over, if that is not NULL, tells whether the budget ended it. */
LUALIB_API int (penumbra_runsandbox)(lua_State *L, const char *code,
                                     size_t len, const char *name, int nargs,
                                     const penumbra_Limits *limits, int *over);

/* luaL_openlibs makes it ready for `require "penumbra.sandbox"`. */
#define PENUMBRA_SANDBOXLIBNAME "penumbra.sandbox"
LUAMOD_API int (luaopen_penumbra_sandbox)(lua_State *L);

/* -- Figures ------------------------------------------------------------- */

typedef struct penumbra_Stats {
  size_t size;               /* sizeof(penumbra_Stats), set before the call */
  size_t bytes;              /* in objects, now */
  size_t live;               /* in those that the last cycle reached */
  size_t peak;               /* most `bytes` at the end of a step */
  size_t footprint;          /* held from the allocator for objects */
  size_t external;           /* held elsewhere, and by penumbra_realloc */
  size_t goal;               /* bytes and external, at the end of the cycle */
  size_t limit;              /* penumbra_setlimit */
  size_t target;             /* penumbra_settarget */
  size_t allocated;          /* in all so far, less what was freed at once */
  size_t debt;               /* units that the next step would do now */
  size_t largest_unit;       /* most work done in one piece */
  size_t largest_step;       /* ... and in one step, but for what waits for an
                             ** allocation in proportion to its size */
  lua_Unsigned work;         /* units of work in all */
  lua_Unsigned steps;
  lua_Unsigned cycles;       /* ended, of both sorts */
  lua_Unsigned minor_cycles;
  lua_Unsigned emergencies;  /* collections because memory ran out */
  lua_Unsigned finalizers_found;
  lua_Unsigned finalizers_called;
  size_t finalizers_due;     /* found, and may be called now */
  int phase;                 /* of the cycle; 0 is the pause between two */
  const char *phase_name;
  int generational;
  int running;               /* not stopped by LUA_GCSTOP */
} penumbra_Stats;

/* Fills in the figures, as many as fit stats->size: later versions have more.
** Costs little. */
LUA_API void (penumbra_getstats)(lua_State *L, penumbra_Stats *stats);

/* -- Pauses -------------------------------------------------------------- */

#define PENUMBRA_BUCKETS 280

/* How long the program had to wait for steps of the collector, finalizers not
** included; in nanoseconds of the processor's time. Collections in one go,
** because somebody asked for one or because memory ran out, are apart. */
typedef struct penumbra_Pauses {
  lua_Unsigned count;        /* steps */
  lua_Unsigned total;
  lua_Unsigned longest;
  lua_Unsigned collections;
  lua_Unsigned collections_total;
  lua_Unsigned longest_collection;
  lua_Unsigned bucket[PENUMBRA_BUCKETS]; /* steps by their duration */
} penumbra_Pauses;

/* Begins anew to time steps, or stops that. Returns 0 if there is no memory for
** it. At first nothing is timed, and nothing is spent on it. */
LUA_API int (penumbra_timepauses)(lua_State *L, int on);

/* Copies the figures; returns 0 if nothing is timed. */
LUA_API int (penumbra_getpauses)(lua_State *L, penumbra_Pauses *pauses);

/* Bucket i counts steps of at least penumbra_bucketbegin(i) nanoseconds and
** less than penumbra_bucketbegin(i + 1). */
LUA_API lua_Unsigned (penumbra_bucketbegin)(int bucket);

/* A duration that so many percent of the steps do not pass; right to an
** eighth, and never more than the longest. */
LUA_API lua_Unsigned (penumbra_percentile)(const penumbra_Pauses *pauses,
                                           lua_Number percent);

/* Writes the figures, and the pauses if they are timed, in the text format of
** Prometheus. As snprintf: returns the length of all of it, writes what fits,
** and a zero. 8 KB are enough. */
LUA_API size_t (penumbra_metrics)(lua_State *L, char *text, size_t size);

/* -- Events -------------------------------------------------------------- */

#define PENUMBRA_CYCLEBEGIN 0
#define PENUMBRA_CYCLEEND   1
#define PENUMBRA_PHASE      2 /* a phase of the cycle begins */
#define PENUMBRA_STEP       3 /* a step has ended */
#define PENUMBRA_LARGE      4 /* an object of 64 KB or more was made */
#define PENUMBRA_EMERGENCY  5 /* memory ran out, a collection begins */
#define PENUMBRA_COLLECT    6 /* a collection in one go has ended */

typedef struct penumbra_Event {
  int type;
  int phase;
  const char *phase_name;
  int minor;                 /* of a minor cycle */
  size_t bytes;              /* in use; of PENUMBRA_LARGE, the object's */
  size_t work;               /* of PENUMBRA_STEP: units */
  lua_Unsigned nanoseconds;  /* of PENUMBRA_STEP and PENUMBRA_COLLECT, of
                             ** the processor's time */
  lua_Unsigned time;         /* when it was: nanoseconds of a clock that does
                             ** not stop, */
  lua_Unsigned cpu;          /* ... and of the processor's time */
} penumbra_Event;

/* Is called in the midst of the collector's work: it must not call any function
** with that state. */
typedef void (*penumbra_Listener)(void *ud, const penumbra_Event *event);

/* Sets the listener, or none (NULL). Without one, events cost nothing. */
LUA_API void (penumbra_setlistener)(lua_State *L, penumbra_Listener f,
                                    void *ud);
LUA_API penumbra_Listener (penumbra_getlistener)(lua_State *L, void **ud);

/* -- The timeline -------------------------------------------------------- */

/* Writes what the collector does as trace events (JSON, for Perfetto and
** DevTools) to `events`, and a line for each cycle to `lines`; NULL is nothing
** of the kind. Both get `ud` and some text, in the midst of the collector's work:
** they must not call any function with that state. Anything but 0 stops the
** trace. With two times NULL, or when the state is closed, the last trace ends.
** Returns 0 if there is no memory, or the last trace could not be written. */
typedef int (*penumbra_TraceWriter)(void *ud, const char *text, size_t size);
LUA_API int (penumbra_trace)(lua_State *L, penumbra_TraceWriter events,
                             penumbra_TraceWriter lines, void *ud);

/* The program begins its next frame, request or whatever it calls `name`: the
** trace shows the time from one such mark to the next. */
LUA_API void (penumbra_mark)(lua_State *L, const char *name);

/* -- Heap snapshots ------------------------------------------------------ */

/* What came of a snapshot. */
typedef struct penumbra_Snapshot {
  int ok;
  const char *error;         /* a message, if not */
  lua_Unsigned nodes;
  lua_Unsigned edges;
  lua_Unsigned bytes;        /* sum of the sizes of all objects */
  lua_Unsigned moved;        /* objects that were moved or dropped meanwhile */
} penumbra_Snapshot;

/* Gives the writer a picture of all live objects and their references, in the
** format of Chrome's DevTools (.heapsnapshot), in one go: the program waits.
** Returns 0 if it failed. `result` may be NULL. */
LUA_API int (penumbra_snapshot)(lua_State *L, lua_Writer writer, void *ud,
                                penumbra_Snapshot *result);

/* The same in small steps while the program runs: the next major cycle of the
** collector does it, and calls `done` (if that is not NULL) at the end, also if
** it fails or the state is closed before. Both functions are called in the midst
** of the collector's work: they must not call any function with that state.
** Returns 0 if it cannot begin: another one is under way, or there is no
** memory. */
typedef void (*penumbra_SnapshotDone)(void *ud, const penumbra_Snapshot *result);
LUA_API int (penumbra_beginsnapshot)(lua_State *L, lua_Writer writer,
                                     penumbra_SnapshotDone done, void *ud);

/* True while a snapshot, or a census in steps, is under way. */
LUA_API int (penumbra_issnapshot)(lua_State *L);

/* -- What the heap consists of ------------------------------------------- */

#define PENUMBRA_BYTYPE 0    /* "table", "string" ... */
#define PENUMBRA_BYSIZE 1    /* "64": objects of more than 32, up to 64 bytes */
#define PENUMBRA_BYNAME 2    /* as in a snapshot; all strings are "string" */

/* Gets the number of live objects of a sort and their bytes. A name may come
** several times. */
typedef void (*penumbra_CensusLine)(void *ud, int by, const char *name,
                                    lua_Unsigned count, lua_Unsigned bytes);
typedef void (*penumbra_CensusDone)(void *ud, int ok);

/* Counts all live objects in one go. Returns 0 if there is no memory. */
LUA_API int (penumbra_census)(lua_State *L, penumbra_CensusLine line, void *ud);

/* The same in steps of the collector while the program runs, as a snapshot.
** Returns 0 if it cannot begin. */
LUA_API int (penumbra_begincensus)(lua_State *L, penumbra_CensusLine line,
                                   penumbra_CensusDone done, void *ud);

/* -- Why is this alive? -------------------------------------------------- */

typedef struct penumbra_Why {
  char path[2048];           /* the shortest one from a root, in words */
  char dominator[192];       /* the last object in there without which this one
                             ** would be dead, or "" */
  lua_Unsigned size;         /* bytes of the object */
  lua_Unsigned retained;     /* bytes that would be free without it */
} penumbra_Why;

/* Tells why the object at that index is alive. The program waits, some 0.1 s
** and more for a million objects. Variables of running functions count only if
** nothing else keeps the object. Returns 0 if it is no object, or there is no
** memory. */
LUA_API int (penumbra_why)(lua_State *L, int index, penumbra_Why *why);

/* -- The same for Lua programs ------------------------------------------- */

/* luaL_openlibs makes it ready for `require "penumbra.gc"`. */
#define PENUMBRA_GCLIBNAME "penumbra.gc"
LUAMOD_API int (luaopen_penumbra_gc)(lua_State *L);

/* Likewise `require "penumbra.profile"`: where a program spends its time. */
#define PENUMBRA_PROFILELIBNAME "penumbra.profile"
LUAMOD_API int (luaopen_penumbra_profile)(lua_State *L);

/* Calls `f` after every `bytes` allocated, with the number since the last time,
** where allocation leaves its fast path; NULL: nobody. It must not call any
** function with that state but lua_sethook, lua_gethook and penumbra_running. */
typedef void (*penumbra_Sampler)(void *ud, size_t bytes);
LUA_API void (penumbra_setsampler)(lua_State *L, size_t bytes,
                                   penumbra_Sampler f, void *ud);

/* For profilers: the thread that runs now, and whether the collector is at work.
** A signal handler may ask. */
LUA_API lua_State *(penumbra_running)(lua_State *L);
LUA_API int (penumbra_iscollecting)(lua_State *L);

/* -- For hosts ----------------------------------------------------------- */

/* Says that the state's allocator fills memory of `size` bytes or more that it
** hands out anew with zeros, as pages fresh from the system are; 0 takes that
** back, and so does lua_setallocf. Then large tables need not be cleared when
** they are made, which would take time. */
LUA_API void (penumbra_zeros_from)(lua_State *L, size_t size);

/* Says that the state's allocator can give the pages of a piece of memory back
** to the system while the piece stays allocated; its contents are then of no
** use, whatever they are. The function gets the allocator's `ud` and some bytes
** of a piece, aligned to 16 KB if the piece is; it returns 0 if it cannot do
** that here, and is then not called again. NULL takes that back, and so does
** lua_setallocf. Then memory goes back to the system in units of 16 KB, instead
** of whole pieces. */
typedef int (*penumbra_Discard)(void *ud, void *ptr, size_t size);
LUA_API void (penumbra_discards)(lua_State *L, penumbra_Discard discard);

/* -- For tools ----------------------------------------------------------- */

/* Gives the writer a listing of the instructions of the Lua function on the
** top of the stack, and of those inside it; with `full`, also of constants,
** local variables and upvalues. Returns 0, what the writer returned if that
** was something else, or 1 if there is no Lua function. */
LUA_API int (penumbra_list)(lua_State *L, int full, lua_Writer writer,
                            void *data);

#endif
