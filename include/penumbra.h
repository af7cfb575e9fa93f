/* SPDX-License-Identifier: MIT */
/*
** penumbra.h -- what this implementation offers beyond the API of Lua 5.4
*/

#ifndef penumbra_h
#define penumbra_h

#include "lua.h"

/* -- For libraries ------------------------------------------------------- */

/* Says which C functions are the iterators of pairs and ipairs, so that a
** generic for can do their work without calling them. They must behave as the
** manual says of `next`, and of the function that ipairs returns. */
LUA_API void (penumbra_iterators)(lua_State *L, lua_CFunction next,
                                  lua_CFunction ipairs_step);

/* Functions that the machine can do by itself in the usual cases. */
enum penumbra_Builtin {
  PENUMBRA_ASSERT,
  PENUMBRA_GETMETATABLE,
  PENUMBRA_RAWEQUAL,
  PENUMBRA_RAWGET,
  PENUMBRA_RAWLEN,
  PENUMBRA_RAWSET,
  PENUMBRA_SELECT,
  PENUMBRA_SETMETATABLE,
  PENUMBRA_TONUMBER,
  PENUMBRA_TOSTRING,
  PENUMBRA_TYPE,
  PENUMBRA_MATH_ABS,
  PENUMBRA_MATH_CEIL,
  PENUMBRA_MATH_FLOOR,
  PENUMBRA_MATH_MAX,
  PENUMBRA_MATH_MIN,
  PENUMBRA_MATH_SQRT,
  PENUMBRA_STRING_BYTE,
  PENUMBRA_STRING_CHAR,
  PENUMBRA_STRING_LEN,
  PENUMBRA_STRING_SUB,
  PENUMBRA_TABLE_INSERT,
  PENUMBRA_TABLE_REMOVE,
  PENUMBRA_BUILTIN_COUNT
};

/* Says that `function` is the one of that name: a call of it may then be done
** without calling it. It must behave as the manual says. */
LUA_API void (penumbra_builtin)(lua_State *L, enum penumbra_Builtin which,
                                lua_CFunction function);

/* lua_yield for a C function that does nothing afterwards but to return what
** this returns: often cheaper. */
LUA_API int (penumbra_yield)(lua_State *L, int nresults);

/* -- For hosts ----------------------------------------------------------- */

/* Says that the state's allocator fills memory of `size` bytes or more that it
** hands out anew with zeros, as pages fresh from the system are; 0 takes that
** back, and so does lua_setallocf. Then large tables need not be cleared when
** they are made, which would take time. */
LUA_API void (penumbra_zeros_from)(lua_State *L, size_t size);

/* -- For tools ----------------------------------------------------------- */

/* Gives the writer a listing of the instructions of the Lua function on the
** top of the stack, and of those inside it; with `full`, also of constants,
** local variables and upvalues. Returns 0, what the writer returned if that
** was something else, or 1 if there is no Lua function. */
LUA_API int (penumbra_list)(lua_State *L, int full, lua_Writer writer,
                            void *data);

#endif
