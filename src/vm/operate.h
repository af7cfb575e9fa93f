/* SPDX-License-Identifier: MIT */
/*
** operate.h -- arithmetic, comparison and concatenation, with metamethods
*/
#ifndef PENUMBRA_VM_OPERATE_H
#define PENUMBRA_VM_OPERATE_H

#include "object/thread.h"

/* slot := a op b.  `op` is ARITH_ADD ... ARITH_BNOT.  For unary operations, b
** is the same as a. */
void operate_arith(lua_State *L, int op, const Value *a, const Value *b,
                   Value *slot);

bool operate_equal(lua_State *L, const Value *a, const Value *b);
bool operate_less(lua_State *L, const Value *a, const Value *b);
bool operate_less_equal(lua_State *L, const Value *a, const Value *b);

/* Replaces the `count` (> 1) values on top by their concatenation. */
void operate_concat(lua_State *L, int count);

#endif
