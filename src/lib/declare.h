/* SPDX-License-Identifier: MIT */
/*
** declare.h -- the arguments of library functions, declared once
**
** A library is a list of declarations:
**
**     #define MATH_NATIVES(RUN, BOTH, SPLIT, FRAMED)     \
**       RUN(math, abs, NUMBER(x))                        \
**       BOTH(math, max, ANY(x), REST)
**     NATIVE_LIBRARY(math, "math.", MATH_NATIVES)
**
** Each line makes the C function that programs and hosts see, the checks of its
** arguments with their messages, its field in the library's table, the hint of
** the prompt (penumbra_pushsignature), and its row in docs/library.md.
**
**     RUN      math_abs, a NativeFn (vm/native.h), handles all cases
**     BOTH     math_max, a NativeFn, handles some cases, and math_max_framed
**              handles the others
**     SPLIT    the same, but the ..._framed function can handle all cases, and
**              does so in calls with a frame
**     FRAMED   there is only the ..._framed function
**
** A ..._framed function is a lua_CFunction that is called with a frame.  Its
** arguments have the declared types: strings that contain a number are
** converted to numbers, and numbers to strings.  A parameter "..." stands for
** any number of further arguments.  A parameter in OWN is only described: the
** function checks it, because it does so in another order, or because a thread
** may stand before it.
**
** A NativeFn can also get arguments of other types, and then returns
** NATIVE_RETRY.  In the second call they have the declared types.
*/
#ifndef PENUMBRA_LIB_DECLARE_H
#define PENUMBRA_LIB_DECLARE_H

#include "lauxlib.h"
#include "vm/native.h"

/* Kinds of arguments. */
enum {
  TAKES_NOTHING, /* no further arguments are checked */
  TAKES_ANY,
  TAKES_INTEGER,
  TAKES_NUMBER,
  TAKES_STRING,
  TAKES_TABLE,
  TAKES_FUNCTION,
  TAKES_THREAD,
  TAKES_NIL_OR_TABLE,
  TAKES_TABLE_OR_STRING,
  TAKES_FUNCTION_OR_STRING, /* only in OWN */
  TAKES_FILE,               /* an open one */
  TAKES_KIND = 15,          /* bits of the kinds above */
  TAKES_OPTIONAL = 16,      /* a bit: nil or a missing argument is allowed */
  TAKES_IF_GIVEN = 32,      /* a bit: a missing argument is allowed */
  TAKES_OWN = 64,           /* a bit: not checked here */
  TAKES_MAYBE_MISSING = TAKES_OPTIONAL | TAKES_IF_GIVEN | TAKES_OWN
};

typedef struct NativeParam {
  const char *name; /* "..." stands for all that follow */
  int kind;
} NativeParam;

enum { NATIVE_PARAMS = 5 };

/* Parameters, as written in a list. */
#define ANY(name) \
  { #name, TAKES_ANY }
#define INTEGER(name) \
  { #name, TAKES_INTEGER }
#define NUMBER(name) \
  { #name, TAKES_NUMBER }
#define STRING(name) \
  { #name, TAKES_STRING }
#define TABLE(name) \
  { #name, TAKES_TABLE }
#define FUNCTION(name) \
  { #name, TAKES_FUNCTION }
#define THREAD(name) \
  { #name, TAKES_THREAD }
#define OPEN_FILE(name) \
  { #name, TAKES_FILE }
#define MAYBE(kind, name) \
  { #name, TAKES_##kind | TAKES_OPTIONAL }
#define GIVEN(kind, name) \
  { #name, TAKES_##kind | TAKES_IF_GIVEN }
#define OWN(kind, name) \
  { #name, TAKES_##kind | TAKES_OWN }
#define MAYBE_OWN(kind, name) \
  { #name, TAKES_##kind | TAKES_OPTIONAL | TAKES_OWN }
#define REST \
  { "...", TAKES_ANY | TAKES_OPTIONAL }
#define REST_OF(kind) \
  { "...", TAKES_##kind | TAKES_IF_GIVEN }
#define NOTHING \
  { NULL, TAKES_NOTHING }

typedef struct Native {
  const char *name;       /* NULL: the end of a list */
  lua_CFunction function; /* the one that the program sees */
  NativeFn *run;          /* or NULL */
  lua_CFunction framed;   /* handles the other cases; or NULL */
  NativeParam takes[NATIVE_PARAMS];
  const char *prefix; /* at the end of a list: what stands before the names */
} Native;

/* Called by the C function of `n`, which has a NativeFn: executes it. */
int native_enter(lua_State *L, const Native *n);

/* Calls `run` with the frame of the running C function. */
int native_run(lua_State *L, NativeFn *run);

/* Converts argument `arg` to that kind, or raises an error. */
void native_check_argument(lua_State *L, int arg, int kind);

/* Like native_check_argument, for all arguments from `arg` on, as `p`
** declares. */
void native_check_rest(lua_State *L, const NativeParam *p, int arg);

/* Fast path: most arguments have the declared type. */
static ALWAYS_INLINE bool native_is_right(const Value *v, int kind) {
  if (kind & TAKES_OWN) return true;
  switch (kind & TAKES_KIND) {
    case TAKES_ANY: return true;
    case TAKES_INTEGER: return value_is_integer(v);
    case TAKES_NUMBER: return value_is_number(v);
    case TAKES_STRING: return value_is_string(v);
    case TAKES_TABLE: return value_is_table(v);
    case TAKES_FUNCTION: return value_is_function(v);
    default: return false;
  }
}

/* Checks parameter i, in a call with a frame; false if it is the last one. */
static ALWAYS_INLINE bool native_check_one(lua_State *L, const Native *n,
                                           int i) {
  const NativeParam *p = &n->takes[i];
  const Value *v = L->frame->func + 1 + i;
  if (!p->name) return false;
  if (p->name[0] == '.') {
    if (p->kind != (TAKES_ANY | TAKES_OPTIONAL)) native_check_rest(L, p, i + 1);
    return false;
  }
  if (UNLIKELY(v < L->top ? !native_is_right(v, p->kind)
                          : !(p->kind & TAKES_MAYBE_MISSING)))
    native_check_argument(L, i + 1, p->kind);
  return true;
}

/* Converts the arguments to the declared types, or raises an error.  In an
** entry `n` is a constant, so this compiles to a few comparisons. */
static ALWAYS_INLINE void native_check(lua_State *L, const Native *n) {
  static_assert(NATIVE_PARAMS == 5, "no loop, which compilers would keep");
  (void)(native_check_one(L, n, 0) && native_check_one(L, n, 1) &&
         native_check_one(L, n, 2) && native_check_one(L, n, 3) &&
         native_check_one(L, n, 4));
}

/* Puts the functions of a list into the table on top of the stack. */
void native_open(lua_State *L, const Native *list);

/* The lists, for penumbra_pushsignature. */
const Native *base_list(void);
const Native *global_list(void);
const Native *package_list(void);
const Native *co_list(void);
const Native *string_list(void);
const Native *utf8_list(void);
const Native *table_list(void);
const Native *math_list(void);
const Native *io_list(void);
const Native *file_list(void);
const Native *os_list(void);
const Native *debug_list(void);

/* -- What a list becomes --------------------------------------------------- */

#define NATIVE_LIBRARY(lib, before, list) \
  NATIVE_TABLE(lib, before, list)         \
  const Native *lib##_list(void) { return lib##_natives; }

/* Like NATIVE_LIBRARY, for functions that are in no table. */
#define NATIVE_TABLE(lib, before, list)                              \
  enum {                                                             \
    list(NATIVE_NUMBER, NATIVE_NUMBER, NATIVE_NUMBER, NATIVE_NUMBER) \
        lib##_count                                                  \
  };                                                                 \
  static const Native lib##_natives[lib##_count + 1];                \
  list(NATIVE_ENTRY, NATIVE_ENTRY, NATIVE_FRAMED_ENTRY,              \
       NATIVE_FRAMED_ENTRY) static const Native                      \
      lib##_natives[lib##_count + 1] = {                             \
          list(NATIVE_RUN, NATIVE_BOTH, NATIVE_BOTH,                 \
               NATIVE_FRAMED){.prefix = before}};

#define NATIVE_NUMBER(lib, id, ...) lib##_number_of_##id,
#define NATIVE_ENTRY(lib, id, ...)                                \
  static int lib##_##id##_c(lua_State *L) {                       \
    return native_enter(L, &lib##_natives[lib##_number_of_##id]); \
  }
#define NATIVE_FRAMED_ENTRY(lib, id, ...)                  \
  static int lib##_##id##_c(lua_State *L) {                \
    native_check(L, &lib##_natives[lib##_number_of_##id]); \
    return lib##_##id##_framed(L);                         \
  }
#define NATIVE_RUN(lib, id, ...) \
  {#id, lib##_##id##_c, lib##_##id, NULL, {__VA_ARGS__}, NULL},
#define NATIVE_BOTH(lib, id, ...) \
  {#id, lib##_##id##_c, lib##_##id, lib##_##id##_framed, {__VA_ARGS__}, NULL},
#define NATIVE_FRAMED(lib, id, ...) \
  {#id, lib##_##id##_c, NULL, lib##_##id##_framed, {__VA_ARGS__}, NULL},

#endif
