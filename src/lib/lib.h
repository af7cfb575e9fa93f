/* SPDX-License-Identifier: MIT */
/*
** lib.h -- what the files of this folder share
**
** Most files use the public API only; some also use the layers object and vm,
** for speed.  This header is for the few helpers that more than one file needs.
*/

#ifndef PENUMBRA_LIB_H
#define PENUMBRA_LIB_H

#include <stdbool.h>
#include <stddef.h>

#include "lua.h"
#include "lauxlib.h"
#include "penumbra.h"

/* -- aux_memory.c -------------------------------------------------------- */

/* The allocator of luaL_newstate; a lua_Alloc whose `ud` is an AuxMemory. */
typedef struct AuxMemory AuxMemory;
void *aux_allocate(void *ud, void *ptr, size_t osize, size_t nsize);

/* NULL if there is no memory.  Once a state uses it, it need not be closed: it
** is freed with the last piece of memory. */
AuxMemory *aux_memory_open(void);
void aux_memory_use(AuxMemory *memory);
void aux_memory_close(AuxMemory *memory);

/* Requests from this size on get zeroed pages; 0: never. */
size_t aux_zeros_from(void);

/* A penumbra_Discard function for it. */
int aux_discard(void *ud, void *ptr, size_t size);

/* -- aux_traceback.c ----------------------------------------------------- */

/* Pushes the name under which a loaded module holds the function that `ar` (an
** activation record of L1) describes.  If there is none: false, and pushes
** nothing. */
bool aux_push_global_name(lua_State *L, lua_State *L1, lua_Debug *ar);

/* -- signature.c --------------------------------------------------------- */

/* The function on top may belong to a standard library.  If it does, and is still
** the field of a loaded module under its name: pushes that name. */
bool lib_push_declared_name(lua_State *L);

/* -- Budgets -------------------------------------------------------------- */

/* Call once for each element of a loop: spends units now and then. */
static inline void lib_step(lua_State *L, size_t i) {
  enum { STEPS = 64, UNITS = 16 };
  if (luai_unlikely(i % STEPS == STEPS - 1)) penumbra_spend(L, STEPS * UNITS);
}

/* Like lib_step, for each byte of a text, which takes less time. */
static inline void lib_step_byte(lua_State *L, size_t i) {
  enum { BYTES = 64 };
  if (luai_unlikely(i % BYTES == BYTES - 1)) penumbra_spend(L, BYTES);
}

/* -- Strings -------------------------------------------------------------- */

/* The longest string that the libraries build: its length must fit both the
** size of a block and a Lua integer. */
static inline size_t lib_max_string(void) {
  const lua_Unsigned max_int = (lua_Unsigned)LUA_MAXINTEGER;
  return (lua_Unsigned) ~(size_t)0 < max_int ? ~(size_t)0 : (size_t)max_int;
}

#endif
