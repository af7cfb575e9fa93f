/* SPDX-License-Identifier: MIT */
/*
** operate_impl.h -- operations up to the call of a metamethod
**
** The API and the loop call metamethods differently; everything else they
** share is here.
*/
#ifndef PENUMBRA_VM_OPERATE_IMPL_H
#define PENUMBRA_VM_OPERATE_IMPL_H

#include "object/thread.h"

typedef enum CompareOp { COMPARE_EQUAL, COMPARE_LESS, COMPARE_LESS_EQUAL }
    CompareOp;

/* True if the operands are numbers, and the result is in `out`.  Raises for a
** division of integers by zero. */
bool arith_numbers(lua_State *L, int op, const Value *a, const Value *b,
                   Value *out);

/* The metamethod for the operation.  Raises the right error if there is
** none. */
void arith_method(lua_State *L, int op, const Value *a, const Value *b,
                  Value *method);

/* True if the result, in *result, needs no metamethod. */
bool compare_plain(lua_State *L, CompareOp op, const Value *a, const Value *b,
                   bool *result);

/* How a metamethod compares two values. */
typedef struct CompareCall {
  const Value *a, *b;     /* its arguments; before, the operands */
  Value method;
  bool negated;           /* the comparison gives what the method does not */
} CompareCall;

/* The metamethod for a comparison that is not plain.  False: equality without
** one, the two are different.  Without __le, __lt is asked whether b < a, as
** LUA_COMPAT_LT_LE says. */
bool compare_method(lua_State *L, CompareOp op, CompareCall *call);

/* Joins as many of the last values as are strings or numbers into one, stored
** in place of the first of them: for those that concat_short has refused.
** Returns how many values are left: `count` if the last two need a
** metamethod. */
int concat_tail(lua_State *L, Value *values, int count);

/* The string made of `count` values, not anchored; NULL if it is not short, or
** one of them is no short string and no integer. */
String *concat_short(lua_State *L, const Value *values, int count);
/* The same for two that need not be neighbours. */
String *concat_two_short(lua_State *L, const Value *a, const Value *b);

/* The string made of `count` strings and numbers, not anchored. */
String *concat_values(lua_State *L, const Value *values, int count);

static inline bool concat_is_plain(const Value *v) {
  return value_is_string(v) || value_is_number(v);
}

void concat_method(lua_State *L, const Value *a, const Value *b,
                   Value *method);

#endif
