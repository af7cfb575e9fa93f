/* SPDX-License-Identifier: MIT */
/*
** error.h -- errors of operations, with the names of variables
*/
#ifndef PENUMBRA_VM_ERROR_H
#define PENUMBRA_VM_ERROR_H

#include "object/thread.h"

/* "attempt to <operation> a <type> value (local 'x')". */
_Noreturn void error_type(lua_State *L, const Value *v, const char *operation);

/* The value cannot be called. */
_Noreturn void error_call(lua_State *L, const Value *v);

/* A part of a numeric for is not a number. */
_Noreturn void error_for(lua_State *L, const Value *v, const char *what);

/* A concatenation of two values; one of them is not a string or a number. */
_Noreturn void error_concat(lua_State *L, const Value *a, const Value *b);

/* An operation on two values, such as "perform arithmetic on"; one of them is
** not a number. */
_Noreturn void error_operands(lua_State *L, const Value *a, const Value *b,
                              const char *operation);

/* One of two numbers has no integer representation. */
_Noreturn void error_integer(lua_State *L, const Value *a, const Value *b);

/* Two values that cannot be compared by order. */
_Noreturn void error_compare(lua_State *L, const Value *a, const Value *b);

#endif
