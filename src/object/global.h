/* SPDX-License-Identifier: MIT */
/*
** global.h -- the global state
**
** What all threads of a state share, as far as this layer uses it.  The state of
** a layer above is a structure that begins with the one of the layer below, in
** the same piece of memory:
**
**     Global  <  VmState (vm/state.h)  <  ApiState (api/api_impl.h)
*/
#ifndef PENUMBRA_OBJECT_GLOBAL_H
#define PENUMBRA_OBJECT_GLOBAL_H

#include <signal.h>

#include "object/string.h"
#include "object/value.h"

/* -- Metamethods ----------------------------------------------------------- */

/* In the order of meta_names in global.c.  The cached ones come first, see
** TABLE_ABSENT_MASK; arithmetic is in the order of ARITH_ADD ...
** ARITH_BNOT. */
typedef enum MetaEvent {
  META_INDEX,
  META_NEWINDEX,
  META_GC,
  META_MODE,
  META_LEN,
  META_EQ,
  META_CALL,
  META_CACHED_COUNT,
  META_ADD = META_CACHED_COUNT,
  META_SUB,
  META_MUL,
  META_MOD,
  META_POW,
  META_DIV,
  META_IDIV,
  META_BAND,
  META_BOR,
  META_BXOR,
  META_SHL,
  META_SHR,
  META_UNM,
  META_BNOT,
  META_LT,
  META_LE,
  META_CONCAT,
  META_CLOSE,
  META_NAME,      /* not a method: the type's name */
  META_METATABLE, /* not a method: the result of getmetatable */
  META_COUNT,
  META_NONE = META_COUNT
} MetaEvent;

/* -- The global state ------------------------------------------------------ */

/* The results of coroutine.status, in the order of status_names in global.c. */
typedef enum ThreadStatus {
  THREAD_RUNNING,
  THREAD_DEAD,
  THREAD_SUSPENDED,
  THREAD_NORMAL,
  THREAD_STATUS_COUNT
} ThreadStatus;

/* A resume in progress that is not a switch.  `by_lua`: see coroutine_resume. */
typedef struct ResumeLink {
  lua_State *thread, *from;
  bool by_lua;
  const struct ResumeLink *previous;
} ResumeLink;

/* For object/budget.h. */
typedef struct BudgetLimit {
  uint64_t units;
  uint64_t deadline; /* of this thread's processor time */
} BudgetLimit;

typedef struct OuterBudget OuterBudget;

typedef struct Budget {
  int64_t fuel;  /* left of the slice */
  int64_t slice; /* size of the slice */
  bool on;
  bool stopping;             /* the error has not arrived yet */
  bool stuck;                /* ... because it could not be suspended */
  bool asking;               /* the host is deciding */
  bool trusts_finalizers;    /* the code that it bounds cannot make any */
  bool waiting;              /* ... so that one of the host runs to its end */
  bool suspending;           /* all coroutines are being suspended */
  uint16_t base;             /* host_calls when it was set */
  int32_t until_clock;       /* units, when the slice began */
  uint64_t used;             /* since it was set, before the slice */
  BudgetLimit left;          /* including the slice */
  uint64_t wall_deadline;    /* not reached before this time of day */
  OuterBudget *outer;        /* NULL: this is the budget of the state */
  lua_State *outermost;      /* the coroutine that the host resumed */
  const ResumeLink *resumes; /* the innermost one */
} Budget;

/* What is around the budget of a penumbra_pcall. */
struct OuterBudget {
  Budget budget;
  BudgetLimit left; /* of all of them */
  uint64_t used;    /* in this penumbra_pcall, before its budget was set anew */
};

struct Global {
  Gc gc; /* must be first */
  Budget budget;
  bool budget_was_over; /* the last call with a budget exceeded it */
  uint16_t host_calls;  /* protected calls of the host under way */
  volatile sig_atomic_t interrupted; /* the budget counts as spent */
  int (*decide)(lua_State *L, void *data, int can_yield);
  void *decide_data;
  void (*witness)(lua_State *L, void *data, int status);
  void *witness_data;
  StringSet strings;
  Value registry;
  Table *type_metatable[TYPE_COUNT];
  Table *sandbox_strings; /* strings' metatable for sandboxed code, or NULL */
  String *meta_name[META_COUNT];
  uint16_t meta_hint[META_COUNT]; /* last place of each in a metatable */
  String *type_names[TYPE_COUNT];
  String *status_names[THREAD_STATUS_COUNT];
  String *file_type;       /* the type of files, as the registry knows it */
  String *memory_message;  /* preallocated messages: no memory */
  String *handler_message; /* ... error in a message handler */
  String *budget_message;  /* ... budget used up */
  String *stop_message;    /* ... interrupted by the host */
  String *suspend_message; /* ... and it cannot be suspended */
  lua_State *main;
  lua_State *dying;      /* dead threads with open upvalues: thread_gc.c */
  bool complete;         /* the state has been built */
  bool closing;          /* lua_close has begun */
  unsigned sandbox_runs; /* calls of penumbra_runsandbox under way */
  CFunction panic;
  /* Installed by the vm: calls the message handler L->handler with the value on
  ** top of the stack, and replaces the value by the result.  May raise. */
  void (*call_handler)(lua_State *L);
  /* Installed for a debugger: called before an error is raised; or NULL. */
  void (*on_error)(lua_State *L);
  void *raw;       /* address that the allocator returned */
  size_t raw_size; /* ... for that many bytes */
  String *string_cache[STRING_CACHE_ROWS][STRING_CACHE_WAYS];
  String *char_cache[UINT8_MAX + 1]; /* strings of one byte, or NULL */
#if PENUMBRA_MACHINE
  struct Machine *machine;              /* NULL: no function is hot */
  struct MachineCounts *machine_counts; /* NULL: none has been hot */
  int32_t machine_countdown; /* jumps back until the next look at loops */
  uint16_t machine_epoch;    /* another one when all code has been freed */
  uint16_t machine_settings;
  bool machine_calls;          /* a function that makes objects: no step now */
  const char *machine_refused; /* why there is no memory for code, or NULL */
  /* Installed by the libraries: the NativeFn of a C function that machine code
  ** may call, or NULL. */
  uintptr_t (*pure_function)(const lua_State *L, CFunction function,
                             bool *makes);
  /* By the vm: the next step of a generic `for` from that register on, by next or by
  ** the iterator of ipairs: 1, or 0 at its end.  -1 if it is another loop, or
  ** not so simple; then nothing has happened. */
  int (*for_step)(lua_State *L, Value *ra, unsigned wanted);
  /* Also: executes the instruction at pc, which makes an object or copies
  ** variable arguments.  May raise a memory error.  0: nothing has happened. */
  uint64_t (*make)(lua_State *L, uint32_t *pc);
#endif
};

/* A global state with its main thread, or NULL.  The registry is an empty
** table; nothing of the vm is installed.  `size` is the size of the structure
** that begins with the Global; the rest of it is zero. */
lua_State *global_new(Allocator allocate, void *context, size_t size);

/* Frees everything; runs no finalizer. */
void global_free(Global *g);

#endif
