/* SPDX-License-Identifier: MIT */
/*
** types.h -- the types, statuses and bounds of the language
**
** The floors below the API use these names, not those of lua.h, so that they do
** not depend on one version of the public header.  api/types_agree.c asserts
** that both mean the same.
*/
#ifndef PENUMBRA_OBJECT_TYPES_H
#define PENUMBRA_OBJECT_TYPES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* -- Numbers --------------------------------------------------------------- */

typedef long long Integer;
typedef unsigned long long Unsigned;
typedef double Number;

#define INTEGER_MAX   LLONG_MAX
#define INTEGER_MIN   LLONG_MIN
#define NUMBER_FORMAT "%.14g" /* of floats, for printf */

/* -- Functions of the host ------------------------------------------------- */

typedef struct lua_State lua_State;
typedef struct lua_Debug lua_Debug;

typedef int (*CFunction)(lua_State *L);
typedef intptr_t ContinuationContext;
typedef int (*Continuation)(lua_State *L, int status,
                            ContinuationContext context);
typedef void *(*Allocator)(void *context, void *block, size_t old_size,
                           size_t new_size);
typedef void (*HookFunction)(lua_State *L, lua_Debug *event);
typedef void (*WarnFunction)(void *context, const char *message, int more);
typedef const char *(*ByteReader)(lua_State *L, void *context, size_t *size);
typedef int (*ByteWriter)(lua_State *L, const void *bytes, size_t size,
                          void *context);

/* -- Types of values ------------------------------------------------------- */

enum ValueType {
  TYPE_NONE = -1,
  TYPE_NIL,
  TYPE_BOOLEAN,
  TYPE_LIGHT_USERDATA,
  TYPE_NUMBER,
  TYPE_STRING,
  TYPE_TABLE,
  TYPE_FUNCTION,
  TYPE_USERDATA,
  TYPE_THREAD,
  TYPE_COUNT
};

/* -- Statuses of threads and calls ----------------------------------------- */

enum {
  STATUS_OK,
  STATUS_YIELD,
  STATUS_ERROR, /* any error but those below */
  STATUS_ERROR_SYNTAX,
  STATUS_ERROR_MEMORY,
  STATUS_ERROR_HANDLER /* an error in a message handler */
};

/* -- Hooks ----------------------------------------------------------------- */

enum { HOOK_CALL, HOOK_RETURN, HOOK_LINE, HOOK_COUNT, HOOK_TAIL_CALL };

enum {
  HOOK_MASK_CALL = 1 << HOOK_CALL,
  HOOK_MASK_RETURN = 1 << HOOK_RETURN,
  HOOK_MASK_LINE = 1 << HOOK_LINE,
  HOOK_MASK_COUNT = 1 << HOOK_COUNT
};

/* -- Arithmetic and bitwise operations ------------------------------------- */

enum {
  ARITH_ADD,
  ARITH_SUB,
  ARITH_MUL,
  ARITH_MOD,
  ARITH_POW,
  ARITH_DIV,
  ARITH_IDIV,
  ARITH_BAND,
  ARITH_BOR,
  ARITH_BXOR,
  ARITH_SHL,
  ARITH_SHR,
  ARITH_UNM,
  ARITH_BNOT
};

/* -- Items of the registry ------------------------------------------------- */

enum {
  REGISTRY_MAIN_THREAD = 1,
  REGISTRY_GLOBALS = 2,
  REGISTRY_LAST = REGISTRY_GLOBALS
};

/* -- Bounds that a host can see -------------------------------------------- */

enum {
  ALL_RESULTS = -1,    /* as many results as a function returns */
  STACK_MIN_FREE = 20, /* slots that a C function has above its arguments */
  STACK_MAX = 1000000, /* slots of a stack */
  SOURCE_ID_SIZE = 60, /* bytes of the printable form of a source */
  EXTRA_SPACE = sizeof(void *) /* bytes of the host before each thread */
};

#endif
