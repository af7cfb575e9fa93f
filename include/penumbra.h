/* SPDX-License-Identifier: MIT */
/*
** penumbra.h -- the additions of this implementation to the API of Lua 5.4
**
** docs/penumbra-api.md explains these functions, most of them with an example.
** A function raises errors only if its comment says so. Functions that run the
** collector or finalizers may call any Lua code, like lua_gc.
**
** A structure that the host declares begins with its size, because later
** versions may have more fields. A structure that a callback gets may have more
** fields at its end.
*/

#ifndef penumbra_h
#define penumbra_h

#include "lua.h"

/* -- Version ------------------------------------------------------------- */

/* Returns PENUMBRA_VERSION_NUM (lua.h) of the library that runs, which may be
** newer than this header. Before 1.0, another minor version may lack functions
** of this one; its symbols have another version then. */
LUA_API int (penumbra_version)(void);

/* -- Threads of the host ------------------------------------------------- */

/* Bytes of C stack that a thread needs to run any Lua program, in addition to
** what the host's own functions use: for 200 nested C calls, which is the limit,
** of the functions of the libraries that need most, in an optimized build. A
** program that is not trusted can use it up. Many systems give a new thread
** less (musl: 128 KB, macOS: 512 KB), so ask for it with
** pthread_attr_setstacksize. */
#define PENUMBRA_CSTACK (640 * 1024)

/* -- Time for the collector ---------------------------------------------- */

/* The result of penumbra_step. */
typedef struct penumbra_Step {
  size_t size;               /* sizeof(penumbra_Step), set before the call */
  lua_Unsigned nanoseconds;  /* duration of the call */
  size_t work;               /* units of work done */
  size_t left;               /* units of work until the cycle ends, estimated;
                             ** 0 between cycles */
  size_t finalizers;         /* finalizers that wait */
  size_t allocated;          /* bytes allocated since the previous call */
  size_t room;               /* bytes until the heap reaches its goal */
  int ended;                 /* 1 if a cycle has ended */
  int keeps_up;              /* 1 if, at this rate of work per byte allocated,
                             ** the cycle ends before the heap reaches its
                             ** goal */
} penumbra_Step;

/* For hosts with frames: runs the collector for about `microseconds`, or until
** its cycle ends. While time is left, it then calls finalizers that are due.
** While no cycle is due, the collector only gives unused memory back. Fills in
** `result` if it is not NULL. Returns 1 if no work is left, otherwise 0. It
** also works while the collector is stopped (LUA_GCSTOP). */
LUA_API int (penumbra_step)(lua_State *L, lua_Unsigned microseconds,
                            penumbra_Step *result);

/* Limits the automatic steps of the collector: between two calls of
** penumbra_step, they take about `microseconds` together at most. 0, the
** default, means no limit. If the heap is beyond its goal, steps may take
** longer. The limit doubles at a lateness of 1/2, and there is none at a
** lateness of 1, when the program is slowed down (docs/gc/pacing.md). Returns
** the previous limit. */
LUA_API lua_Unsigned (penumbra_setframebudget)(lua_State *L,
                                               lua_Unsigned microseconds);

/* Calls at most `count` finalizers that are due, and begins none after
** `microseconds`. For each of the two, 0 means no limit. Returns the number of
** finalizers called. */
LUA_API size_t (penumbra_finalize)(lua_State *L, size_t count,
                                   lua_Unsigned microseconds);

/* Sets how many finalizers are called after an automatic step of the collector
** at most (default: 64). With 0, finalizers wait for penumbra_step,
** penumbra_finalize or lua_gc. Returns the previous number. */
LUA_API int (penumbra_setfinalizers)(lua_State *L, int perstep);

/* -- Memory -------------------------------------------------------------- */

/* Sets a hard limit for the bytes that the state takes from its allocator, plus
** those that penumbra_addexternal counts. 0, the default, means no limit. A
** request that would exceed the limit first causes a collection. If that does
** not free enough, the error is "not enough memory" (LUA_ERRMEM). */
LUA_API void (penumbra_setlimit)(lua_State *L, size_t bytes);
LUA_API size_t (penumbra_getlimit)(lua_State *L);

/* Sets a soft target for the bytes in objects, plus those that
** penumbra_addexternal counts. 0, the default, means no target. Cycles end
** below the target if the live objects allow that, and come up to eight times
** as often as without it. If a major cycle finds more than the target live, `f`
** is called (if it is not NULL). It is called when finalizers may run, and like
** a finalizer: it may call Lua code, and an error in it becomes a warning. */
typedef void (*penumbra_Target)(lua_State *L, void *ud, size_t live);
LUA_API void (penumbra_settarget)(lua_State *L, size_t bytes,
                                  penumbra_Target f, void *ud);
LUA_API size_t (penumbra_gettarget)(lua_State *L);

/* Tell the collector that objects of this state hold `bytes` more, or fewer,
** outside of its heap. penumbra_addexternal returns 0 if the limit does not
** allow the bytes, or if no program has so many. They are not counted then, and
** the caller should free them. */
LUA_API int (penumbra_addexternal)(lua_State *L, size_t bytes);
LUA_API void (penumbra_removeexternal)(lua_State *L, size_t bytes);

/* Memory for the caller's own use from the state's allocator. It counts, and is
** limited, like memory of objects. Works like realloc; nsize 0 frees. Returns
** NULL if there is no memory even after a collection; `ptr` is still valid
** then. The caller must free all of it before the state is closed, or in
** finalizers that run when the state is closed. */
LUA_API void *(penumbra_realloc)(lua_State *L, void *ptr, size_t osize,
                                 size_t nsize);

/* -- Budgets ------------------------------------------------------------- */

/* Limits how long programs may run, in units and in microseconds of this
** thread's CPU time. For each of the two, 0 means no limit; two zeros, the
** default, mean no budget. Each word of code that may have been executed counts
** as one unit. A call of a C function counts more, and the work of C functions
** counts in proportion to its size.
**
** When the budget is spent, the error "budget exhausted" is raised, usually
** within a millisecond. It ends at a protected call that the host made, and
** nothing inside that call can catch it. Which call that is: the budget belongs
** to the protected call that runs when it is set, and the error ends at the
** outermost protected call inside that one. If there is none, it ends at the
** call to which the budget belongs. When that call has returned, the budget
** belongs to the protected call around it. The budget applies to calls from C
** that begin after penumbra_setbudget. */
LUA_API void (penumbra_setbudget)(lua_State *L, lua_Unsigned units,
                                  lua_Unsigned microseconds);

/* Adds to the limits of the budget. A limit that is not set stays unset. Inside
** penumbra_pcall, these three functions are about the budget of that call. */
LUA_API void (penumbra_addbudget)(lua_State *L, lua_Unsigned units,
                                  lua_Unsigned microseconds);

/* Units used since penumbra_setbudget. */
LUA_API lua_Unsigned (penumbra_getbudgetused)(lua_State *L);

#define PENUMBRA_STOP    0 /* raise the error */
#define PENUMBRA_MORE    1 /* continue: penumbra_addbudget was called */
#define PENUMBRA_SUSPEND 2 /* yield without values; the host resumes later */

/* Called when the state's budget is spent, but not inside penumbra_pcall. If
** `canyield`, it can suspend the coroutine that the host has resumed, together
** with all coroutines that are running in it. If not, the effect of
** PENUMBRA_SUSPEND depends on what runs. Lua code that a C function without a
** continuation has called ends with an error. A C function continues, and `f`
** is called again a little later. `f` must not raise errors, call Lua code or
** make objects. The stack has room for five values. */
typedef int (*penumbra_BudgetHook)(lua_State *L, void *ud, int canyield);
LUA_API void (penumbra_setbudgethook)(lua_State *L, penumbra_BudgetHook f,
                                      void *ud);

/* lua_pcall with a budget of its own, inside all those around it. Sets *over, if
** `over` is not NULL, to 1 if a budget ended the call, otherwise to 0. */
LUA_API int (penumbra_pcall)(lua_State *L, int nargs, int nresults, int msgh,
                             lua_Unsigned units, lua_Unsigned microseconds,
                             int *over);

/* Ends the program that runs: until this is revoked with `on` 0, the budget
** counts as spent when it is checked, and the error is "interrupted!". A signal
** handler may call this function. It has no effect while no budget is set; one
** that is larger than any program needs will do. */
LUA_API void (penumbra_interrupt)(lua_State *L, int on);

/* For C functions that take long: spends `units` of the budget, if there is
** one. A unit is about a nanosecond of work, or 8 bytes copied. Raises the
** error if the budget is spent. */
LUA_API void (penumbra_spend)(lua_State *L, size_t units);

/* -- Errors without a message handler ------------------------------------ */

/* No message handler is called for the errors "not enough memory"
** (LUA_ERRMEM), "budget exhausted" and "interrupted!" (LUA_ERRRUN). The witness
** is called where they are raised, before any function ends. It may look at the
** stack with lua_getstack and lua_getinfo (options n, S, l, t and u), and must
** not do anything else with the state. NULL removes it.
**
** It is also called when a coroutine has died of an error, whose stack is gone
** when coroutine.wrap passes the error on. Then lua_status(L) is not LUA_OK, and
** the error is on top of L, to be read if it is a string. */
typedef void (*penumbra_Witness)(lua_State *L, void *ud, int status);
LUA_API void (penumbra_setwitness)(lua_State *L, penumbra_Witness f, void *ud);

/* -- Sandboxes ----------------------------------------------------------- */

/* What a sandbox may use. 0 means no limit, for each. `memory` is the number of
** bytes that the state may hold in addition to those before the call. */
typedef struct penumbra_Limits {
  size_t size;               /* sizeof(penumbra_Limits) */
  lua_Unsigned units;
  lua_Unsigned microseconds;
  size_t memory;
} penumbra_Limits;

/* Pushes a new table of globals for code that is not trusted. It has only safe
** functions, in library tables of its own. Opens the libraries that it needs.
** Of these, only the basic library sets globals of the state. May raise errors
** (memory). */
LUALIB_API void (penumbra_pushsandbox)(lua_State *L);

/* Loads and calls `code` (text only). The stack holds the table of globals and
** above it `nargs` arguments. Pops the arguments, keeps the globals, and pushes
** the results or the error. Returns the status. Sets *over, if `over` is not
** NULL, to 1 if the budget ended the call, otherwise to 0. Raises no errors. */
LUALIB_API int (penumbra_runsandbox)(lua_State *L, const char *code,
                                     size_t len, const char *name, int nargs,
                                     const penumbra_Limits *limits, int *over);

/* After luaL_openlibs, `require "penumbra.sandbox"` finds this library. */
#define PENUMBRA_SANDBOXLIBNAME "penumbra.sandbox"
LUAMOD_API int (luaopen_penumbra_sandbox)(lua_State *L);

/* -- Functions ----------------------------------------------------------- */

/* Pushes how the function at the index is called, such as
** "string.rep(s, n [, sep])" for a function of the standard libraries, or
** "function(a, ...)" for a Lua function. Returns 1. For other values it returns
** 0 and pushes nothing. May raise errors (memory). */
LUALIB_API int (penumbra_pushsignature)(lua_State *L, int index);

/* After luaL_openlibs, `require "penumbra.describe"` finds this library. */
#define PENUMBRA_DESCRIBELIBNAME "penumbra.describe"
LUAMOD_API int (luaopen_penumbra_describe)(lua_State *L);

/* -- Statistics ---------------------------------------------------------- */

typedef struct penumbra_Stats {
  size_t size;               /* sizeof(penumbra_Stats), set before the call */
  size_t bytes;              /* bytes in objects now */
  size_t live;               /* bytes in objects that the last cycle reached */
  size_t peak;               /* the largest `bytes` at the end of a step */
  size_t footprint;          /* bytes held from the allocator for objects */
  size_t external;           /* bytes of penumbra_addexternal and
                             ** penumbra_realloc */
  size_t goal;               /* `bytes` plus `external` at which the cycle
                             ** should end */
  size_t limit;              /* set by penumbra_setlimit */
  size_t target;             /* set by penumbra_settarget */
  size_t allocated;          /* bytes allocated so far, less those that were
                             ** freed without a sweep */
  size_t debt;               /* units of work that a step would do now */
  size_t largest_unit;       /* the most work done without interruption */
  size_t largest_step;       /* the most work done in one step, without work in
                             ** proportion to the size of an allocation */
  lua_Unsigned work;         /* units of work so far */
  lua_Unsigned steps;
  lua_Unsigned cycles;       /* ended cycles, minor and major */
  lua_Unsigned minor_cycles;
  lua_Unsigned emergencies;  /* collections because memory ran out */
  lua_Unsigned finalizers_found;
  lua_Unsigned finalizers_called;
  size_t finalizers_due;     /* found, and may be called now */
  int phase;                 /* phase of the cycle; 0 between two cycles */
  const char *phase_name;
  int generational;
  int running;               /* 0 if stopped by LUA_GCSTOP */
} penumbra_Stats;

/* Fills in the statistics that fit into stats->size, since later versions have
** more. Takes less than a microsecond. */
LUA_API void (penumbra_getstats)(lua_State *L, penumbra_Stats *stats);

/* -- Pauses -------------------------------------------------------------- */

#define PENUMBRA_BUCKETS 280

#define PENUMBRA_WAITS   5

/* How long the program waited for steps of the collector, without finalizers,
** in nanoseconds of CPU time. Whole collections (LUA_GCCOLLECT, or when memory
** runs out) are counted separately. `longest_wait` is the longest time of all,
** for whatever reason: an "automatic step", a "step by hand", a "whole
** collection" that the program asked for, an "emergency collection" because
** memory ran out, or a single "finalizer". */
typedef struct penumbra_Pauses {
  size_t size;               /* sizeof(penumbra_Pauses), set before the call */
  lua_Unsigned count;        /* steps */
  lua_Unsigned total;
  lua_Unsigned longest;
  lua_Unsigned collections;
  lua_Unsigned collections_total;
  lua_Unsigned longest_collection;
  lua_Unsigned bucket[PENUMBRA_BUCKETS]; /* steps by their duration */
  lua_Unsigned longest_wait;
  const char *cause;                     /* of the longest wait */
  lua_Unsigned wait[PENUMBRA_WAITS];     /* the longest for each cause ... */
  const char *wait_name[PENUMBRA_WAITS]; /* ... and its name */
} penumbra_Pauses;

/* Starts measuring steps from zero, or stops measuring. Returns 0 if there is
** no memory. By default, steps are not measured, which costs nothing. */
LUA_API int (penumbra_timepauses)(lua_State *L, int on);

/* Copies the measurements. Returns 0 if steps are not measured. */
LUA_API int (penumbra_getpauses)(lua_State *L, penumbra_Pauses *pauses);

/* Bucket i counts steps of at least penumbra_bucketbegin(i) nanoseconds and
** less than penumbra_bucketbegin(i + 1). */
LUA_API lua_Unsigned (penumbra_bucketbegin)(int bucket);

/* A duration that `percent` of the steps do not exceed. The error is at most an
** eighth, and the result is never more than the longest step. */
LUA_API lua_Unsigned (penumbra_percentile)(const penumbra_Pauses *pauses,
                                           lua_Number percent);

/* Writes the statistics, and the pauses if they are measured, in the text
** format of Prometheus. Like snprintf, it returns the length of the whole text,
** and writes what fits and a zero. 8 KB are enough. */
LUA_API size_t (penumbra_metrics)(lua_State *L, char *text, size_t size);

/* -- Events -------------------------------------------------------------- */

#define PENUMBRA_CYCLEBEGIN 0
#define PENUMBRA_CYCLEEND   1
#define PENUMBRA_PHASE      2 /* a phase of the cycle begins */
#define PENUMBRA_STEP       3 /* a step has ended */
#define PENUMBRA_LARGE      4 /* an object of 64 KB or more was made */
#define PENUMBRA_EMERGENCY  5 /* memory ran out, a collection begins */
#define PENUMBRA_COLLECT    6 /* a whole collection has ended */

typedef struct penumbra_Event {
  int type;
  int phase;
  const char *phase_name;
  int minor;                 /* 1 if the cycle is a minor one */
  size_t bytes;              /* bytes in use; for PENUMBRA_LARGE, the size of
                             ** the object */
  size_t work;               /* for PENUMBRA_STEP: units of work */
  lua_Unsigned nanoseconds;  /* for PENUMBRA_STEP and PENUMBRA_COLLECT: the
                             ** duration in CPU time */
  lua_Unsigned time;         /* when it happened, in nanoseconds of a monotonic
                             ** clock */
  lua_Unsigned cpu;          /* the same in nanoseconds of CPU time */
  const char *cause;         /* for PENUMBRA_STEP and PENUMBRA_COLLECT: one of
                             ** the names in penumbra_Pauses; otherwise "" */
} penumbra_Event;

/* Called in the middle of the collector's work, so it must not call any
** function with that state. */
typedef void (*penumbra_Listener)(void *ud, const penumbra_Event *event);

/* Sets the listener. NULL removes it. Without one, events cost nothing. */
LUA_API void (penumbra_setlistener)(lua_State *L, penumbra_Listener f,
                                    void *ud);
LUA_API penumbra_Listener (penumbra_getlistener)(lua_State *L, void **ud);

/* -- The timeline -------------------------------------------------------- */

/* Writes what the collector does as trace events (JSON, for Perfetto and
** DevTools) to `events`, and a line for each cycle to `lines`. Each of them may
** be NULL. Both are called with `ud` and some text in the middle of the
** collector's work, so they must not call any function with that state. If
** `events` returns anything but 0, it is not called again; the result of
** `lines` is ignored. A call of penumbra_trace ends the previous trace, and so
** does closing the state. With both functions NULL it does nothing else, and
** returns 0 if the previous trace was not written completely. Otherwise it
** returns 0 if there is no memory. */
typedef int (*penumbra_TraceWriter)(void *ud, const char *text, size_t size);
LUA_API int (penumbra_trace)(lua_State *L, penumbra_TraceWriter events,
                             penumbra_TraceWriter lines, void *ud);

/* The same with trace events into a file of this name. A thread of the library
** writes it, because now and then the system takes milliseconds for that; the
** end of the trace waits for the thread. If the result is 0, errno tells why. */
LUA_API int (penumbra_tracefile)(lua_State *L, const char *name,
                                 penumbra_TraceWriter lines, void *ud);

/* Marks the beginning of a frame, a request or another part of the program. The
** trace shows the time from one mark to the next of the same `name`. */
LUA_API void (penumbra_tracemark)(lua_State *L, const char *name);

/* -- Heap snapshots ------------------------------------------------------ */

/* The result of a snapshot. */
typedef struct penumbra_Snapshot {
  size_t size;               /* sizeof(penumbra_Snapshot), set before the call */
  int ok;
  const char *error;         /* a message if not ok */
  lua_Unsigned nodes;
  lua_Unsigned edges;
  lua_Unsigned bytes;        /* sum of the sizes of all objects */
  lua_Unsigned moved;        /* objects that the program moved or dropped
                             ** during the snapshot */
} penumbra_Snapshot;

/* Writes all live objects and their references in the format of Chrome's
** DevTools (.heapsnapshot). The program waits until the snapshot is complete.
** Returns 0 if it failed. `result` may be NULL. */
LUA_API int (penumbra_snapshot)(lua_State *L, lua_Writer writer, void *ud,
                                penumbra_Snapshot *result);

/* Writes a snapshot in small steps while the program runs. The next major
** cycle of the collector finds the objects, and they are written after it. At
** the end `done` is called (if not NULL), also if the snapshot fails or the
** state is closed before. Both functions are called in the middle of the
** collector's work, so they must not call any function with that state. Returns
** 0 if the snapshot cannot begin, because a snapshot or a census is under way or
** there is no memory. */
typedef void (*penumbra_SnapshotDone)(void *ud, const penumbra_Snapshot *result);
LUA_API int (penumbra_beginsnapshot)(lua_State *L, lua_Writer writer,
                                     penumbra_SnapshotDone done, void *ud);

/* The same into a file of this name. A thread of the library writes it, because
** now and then the system takes milliseconds for that. The program does not wait
** for the thread, unless the heap is far beyond its goal meanwhile; but a whole
** collection and lua_close do. `done` is called by a step of the collector, as
** above, after the file is closed; `error` is valid during that call only. If
** the result is 0, errno tells why the file cannot be opened; ENOMEM: no memory;
** 0: a snapshot or a census is under way. */
LUA_API int (penumbra_snapshotfile)(lua_State *L, const char *name,
                                    penumbra_SnapshotDone done, void *ud);

/* True while a snapshot or a census is under way. */
LUA_API int (penumbra_isinspecting)(lua_State *L);

/* -- What the heap consists of ------------------------------------------- */

#define PENUMBRA_BYTYPE 0    /* "table", "string" ... */
#define PENUMBRA_BYSIZE 1    /* "64": objects of more than 32, up to 64 bytes */
#define PENUMBRA_BYNAME 2    /* as in a snapshot; all strings are "string" */

/* Called with the number of live objects of one sort and their bytes. The same
** name may come several times. */
typedef void (*penumbra_CensusLine)(void *ud, int by, const char *name,
                                    lua_Unsigned count, lua_Unsigned bytes);
typedef void (*penumbra_CensusDone)(void *ud, int ok);

/* Counts all live objects while the program waits. Returns 0 if there is no
** memory, or if it is called in the middle of the collector's work. */
LUA_API int (penumbra_census)(lua_State *L, penumbra_CensusLine line, void *ud);

/* Counts all live objects in steps of the collector while the program runs,
** under the rules of penumbra_beginsnapshot. Returns 0 if it cannot begin. */
LUA_API int (penumbra_begincensus)(lua_State *L, penumbra_CensusLine line,
                                   penumbra_CensusDone done, void *ud);

/* -- Why is this alive? -------------------------------------------------- */

typedef struct penumbra_Why {
  size_t size;               /* sizeof(penumbra_Why), set before the call */
  char path[2048];           /* the shortest path from a root, in words */
  char dominator[192];       /* the last object of the path without which this
                             ** one would be dead, or "" */
  lua_Unsigned bytes;        /* of the object */
  lua_Unsigned retained;     /* bytes that would be freed with the object */
} penumbra_Why;

/* Tells why the object at `index` is alive. The program waits, 0.1 s or more
** for a million objects. Variables of running functions count only if nothing
** else keeps the object. Returns 0 if the value is not an object, if there is
** not enough memory for the search, or if it is called in the middle of the
** collector's work; `path` says which. */
LUA_API int (penumbra_why)(lua_State *L, int index, penumbra_Why *why);

/* -- Reports ------------------------------------------------------------- */

/* Begins to record what the collector does, for a report, or forgets the record
** if `on` is 0. Also begins to sample allocations (penumbra_samplealloc) if
** that is not on. Takes about 0.5 MB, however long the program runs. Returns 0
** if there is no memory. */
LUA_API int (penumbra_record)(lua_State *L, int on);

/* Writes a report of the record so far as JSON: pauses, the heap, allocation and
** survivors over time, lines that allocate, live objects. docs/report.md lists
** its members; `penumbra --report-page` makes a page of it, with plots and with
** what the figures suggest. The writer is called once, with the whole text. The
** program waits, about 0.5 s for a million objects. Returns 0 if there is no
** record, if the writer fails, if there is no memory, or in the middle of the
** collector's work. */
LUA_API int (penumbra_report)(lua_State *L, const char *title,
                              lua_Writer writer, void *ud);

/* -- Where memory is allocated -------------------------------------------- */

/* Bytes and objects that were allocated with the same stack of calls. Parts of
** objects, such as the array of a table, count as objects. The numbers are
** estimates from samples. */
typedef struct penumbra_Site {
  const char *stack;         /* the outermost call first, separated by ';':
                             ** "main chunk (a.lua:7);f (a.lua:2)" */
  const char *type;          /* of an object that is live: "table" ..., or "" */
  const char *name;          /* of that object, as in a census, or "" */
  lua_Unsigned objects;      /* allocated */
  lua_Unsigned bytes;
  lua_Unsigned live_objects; /* of these, not found dead yet */
  lua_Unsigned live_bytes;
  lua_Unsigned growth;       /* live bytes gained from the first major cycle
                             ** since the samples began to the last one */
  int cycles;                /* major cycles that were compared, 16 at most,
                             ** from the whole time */
  int growing;               /* 1 if live bytes rise all the time */
} penumbra_Site;

/* Begins to take a sample of every `bytes` allocated, and forgets all samples
** taken before. 0 stops it. Returns 0 if there is no memory. By default there
** are no samples, which costs nothing. Memory is bounded: beyond 16,384 live
** samples, fewer are taken. */
LUA_API int (penumbra_samplealloc)(lua_State *L, size_t bytes);

/* Calls `f` for every stack of the samples. While it is called, an object of
** that stack that is live is on top of L's stack, or nil. The texts are valid
** during the call, too. Returns 0 if there are no samples. May raise a memory
** error. */
typedef void (*penumbra_SiteLine)(void *ud, const penumbra_Site *site);
LUA_API int (penumbra_getsites)(lua_State *L, penumbra_SiteLine f, void *ud);

/* -- Debuggers ----------------------------------------------------------- */

/* Lets a client of the Debug Adapter Protocol (an editor) debug the programs of
** this state. The client connects to this port, on the loopback only; 0 is any
** port that is free. It may come at any time, and a new one when it has gone.
** What runs is interrupted by the signal SIGIO. Until a client sets breakpoints
** the program runs at its full speed. Returns the port. If the result is 0,
** errno tells why: EALREADY: there is a debugger; ENOSYS: this system has no
** sockets. Closing the state ends it. */
LUA_API int (penumbra_debug)(lua_State *L, int port);

/* The same with descriptors that are open: the client's messages are read from
** `in`, and answers written to `out`. Returns 0 if that fails. */
LUA_API int (penumbra_debugfd)(lua_State *L, int in, int out);

/* Waits until a client has connected and has set its breakpoints. */
LUA_API void (penumbra_debugwait)(lua_State *L);

/* -- Libraries for Lua programs, and profilers --------------------------- */

/* After luaL_openlibs, `require "penumbra.gc"` finds this library. It offers
** the functions above to Lua programs. */
#define PENUMBRA_GCLIBNAME "penumbra.gc"
LUAMOD_API int (luaopen_penumbra_gc)(lua_State *L);

/* After luaL_openlibs, `require "penumbra.profile"` finds this library. It
** shows where a program spends its time. */
#define PENUMBRA_PROFILELIBNAME "penumbra.profile"
LUAMOD_API int (luaopen_penumbra_profile)(lua_State *L);

/* Calls `f` after every `bytes` allocated, with the number of bytes since the
** last call. The call comes when allocation next leaves its fast path. NULL
** removes the sampler. `f` must not call any function with that state except
** lua_sethook, lua_gethook and penumbra_running. */
typedef void (*penumbra_Sampler)(void *ud, size_t bytes);
LUA_API void (penumbra_setsampler)(lua_State *L, size_t bytes,
                                   penumbra_Sampler f, void *ud);

/* For profilers: the thread that runs now, and whether the collector is at
** work. A signal handler may call both. */
LUA_API lua_State *(penumbra_running)(lua_State *L);
LUA_API int (penumbra_iscollecting)(lua_State *L);

/* -- Machine code -------------------------------------------------------- */

/* Machine code for functions that run often is an experiment. The libraries that
** are built by default have none: docs/machine-code.md. */
typedef struct penumbra_Machine {
  size_t size;            /* sizeof(penumbra_Machine), set before the call */
  int on;                 /* 1 if such functions get machine code */
  const char *why;        /* why they do not, in words; NULL: they do */
  size_t bytes;           /* memory for code, a part of `external` */
  size_t code;            /* bytes of code in it */
  lua_Unsigned functions; /* that got code, so far */
  lua_Unsigned pieces;    /* of code, so far */
  lua_Unsigned exits;     /* from code to the interpreter, so far */
  lua_Unsigned drops;     /* of all code at once, most often because its
                             ** memory was full */
} penumbra_Machine;
LUA_API void (penumbra_getmachine)(lua_State *L, penumbra_Machine *result);

/* Switches machine code on or off for the state. Off frees all code. With
** PENUMBRA_RECORDMACHINE it is on, and what penumbra_listmachine shows is noted
** from then on. Returns 1 if it was on. */
#define PENUMBRA_RECORDMACHINE 2
LUA_API int (penumbra_setmachine)(lua_State *L, int on);

/* The same for the Lua function at the index, with all closures that the same
** text of the program makes, but not for functions inside of it. Returns 0 if
** the value is not a Lua function, otherwise 1. */
LUA_API int (penumbra_setmachinefor)(lua_State *L, int index, int on);

/* Writes a listing of the machine code of the Lua function on top of the stack
** and of the functions nested in it, with counters. Returns the first result of
** the writer that is not 0, or 1 if the value is not a Lua function, otherwise
** 0. */
LUA_API int (penumbra_listmachine)(lua_State *L, lua_Writer writer, void *data);

/* Offers these functions to Lua programs. After luaL_openlibs, `require
** "penumbra.machine"` finds this library if machine code was built in. */
#define PENUMBRA_MACHINELIBNAME "penumbra.machine"
LUAMOD_API int (luaopen_penumbra_machine)(lua_State *L);

/* -- For hosts ----------------------------------------------------------- */

/* Declares that new memory of `size` bytes or more from the state's allocator
** is filled with zeros, like fresh pages from the system. Then large tables
** need not be cleared when they are made, which saves time. 0 revokes this, and
** so does lua_setallocf. */
LUA_API void (penumbra_setzeros)(lua_State *L, size_t size);

/* Declares that the state's allocator can give the pages of a piece of memory
** back to the system while the piece stays allocated. The contents are
** undefined afterwards. With this function, memory goes back to the system in
** units of 16 KB instead of whole pieces. It gets the allocator's `ud` and a
** range of bytes inside a piece, aligned to 16 KB if the piece is. It returns 0
** if it cannot discard the range, and is then not called again. NULL revokes
** this, and so does lua_setallocf. */
typedef int (*penumbra_Discard)(void *ud, void *ptr, size_t size);
LUA_API void (penumbra_setdiscard)(lua_State *L, penumbra_Discard discard);

/* -- For tools ----------------------------------------------------------- */

/* Writes a listing of the instructions of the Lua function on top of the stack
** and of the functions nested in it. With `full`, it also lists constants,
** local variables and upvalues. Returns the first result of the writer that is
** not 0, or 1 if the value is not a Lua function, otherwise 0. */
LUA_API int (penumbra_listcode)(lua_State *L, int full, lua_Writer writer,
                                void *data);

/* -- Deprecated names ---------------------------------------------------- */

/* The names of version 0.1.0. They do the same as the new ones, and go with
** version 0.2. Compilers warn about them, unless PENUMBRA_NODEPRECATED is
** defined before this header is included. */
#if defined(PENUMBRA_NODEPRECATED)
#define PENUMBRA_DEPRECATED /* deprecated, but without a warning */
#elif defined(__GNUC__)
#define PENUMBRA_DEPRECATED __attribute__((__deprecated__))
#else
#define PENUMBRA_DEPRECATED /* deprecated */
#endif

typedef penumbra_BudgetHook penumbra_Decide; /* deprecated */
LUA_API PENUMBRA_DEPRECATED lua_Unsigned (penumbra_setframe)(
    lua_State *L, lua_Unsigned microseconds);
LUA_API PENUMBRA_DEPRECATED lua_Unsigned (penumbra_getspent)(lua_State *L);
LUA_API PENUMBRA_DEPRECATED void (penumbra_setdecide)(
    lua_State *L, penumbra_BudgetHook f, void *ud);
LUA_API PENUMBRA_DEPRECATED void (penumbra_mark)(
    lua_State *L, const char *name);
LUA_API PENUMBRA_DEPRECATED int (penumbra_issnapshot)(lua_State *L);
LUA_API PENUMBRA_DEPRECATED int (penumbra_list)(
    lua_State *L, int full, lua_Writer writer, void *data);

#endif
