/* SPDX-License-Identifier: MIT */
/*
** operate_impl.h -- operations up to the call of a metamethod
**
** The API and the loop call metamethods in different ways.  The code that they
** share is here.
*/
#ifndef PENUMBRA_VM_OPERATE_IMPL_H
#define PENUMBRA_VM_OPERATE_IMPL_H

#include "object/thread.h"

typedef enum CompareOp {
  COMPARE_EQUAL,
  COMPARE_LESS,
  COMPARE_LESS_EQUAL
} CompareOp;

/* True if the operands are numbers; the result is then in `out`.  False also
** for a bitwise operation on a number without an integer value.  Raises for a
** division of integers by zero. */
bool arith_numbers(lua_State *L, int op, const Value *a, const Value *b,
                   Value *out);

/* Finds the metamethod for the operation.  Raises an error if there is none. */
void arith_method(lua_State *L, int op, const Value *a, const Value *b,
                  Value *method);

/* True if the comparison needs no metamethod; the result is then in *result. */
bool compare_plain(lua_State *L, CompareOp op, const Value *a, const Value *b,
                   bool *result);

/* How a metamethod compares two values. */
typedef struct CompareCall {
  const Value *a, *b; /* first the operands, then its arguments */
  Value method;
  bool negated; /* the comparison is the opposite of its result */
} CompareCall;

/* Finds the metamethod for a comparison that is not plain.  False if equality
** has none; then the two values are different.  Without __le, uses __lt to
** compute not (b < a), as with LUA_COMPAT_LT_LE. */
bool compare_method(lua_State *L, CompareOp op, CompareCall *call);

/* Joins the strings and numbers at the end of `values` into one string, which
** replaces the first of them.  `tried`: concat_short has refused all of them.
** Returns the number of values left: `count` if the last two need a
** metamethod. */
int concat_tail(lua_State *L, Value *values, int count, bool tried);

/* Joins `count` values.  The string is not anchored.  NULL if the result is not
** short, if there are many values, or if one is neither a short string nor an
** integer. */
String *concat_short(lua_State *L, const Value *values, int count);
/* Like concat_short, for two values that need not be adjacent; also NULL if an
** integer is not small. */
String *concat_two_short(lua_State *L, const Value *a, const Value *b);

/* Joins two strings.  The result is not anchored.  NULL if it is short, and no
** operand is empty. */
String *concat_strings(lua_State *L, String *a, String *b);

/* Joins `count` strings and numbers.  The string is not anchored. */
String *concat_values(lua_State *L, const Value *values, int count);

static inline bool concat_is_plain(const Value *v) {
  return value_is_string(v) || value_is_number(v);
}

void concat_method(lua_State *L, const Value *a, const Value *b, Value *method);

#endif
