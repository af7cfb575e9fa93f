/* SPDX-License-Identifier: MIT */
/*
** slow_meta_impl.h -- finishing instructions, and calling metamethods for them
*/
#ifndef PENUMBRA_VM_SLOW_META_IMPL_H
#define PENUMBRA_VM_SLOW_META_IMPL_H

#include "bytecode/bytecode.h"
#include "object/thread.h"

/* Finishes the instruction with the value in its register A. */
void slow_put(lua_State *L, const Value *v);

/* Finishes the instruction without a value. */
void slow_skip(lua_State *L);

/* Finishes a comparison with that result: jumps or not. */
void slow_branch(lua_State *L, bool condition);

/* Puts a metamethod and its arguments above all registers; c may be NULL.  True
** if it is a Lua function. */
bool slow_puts_method(lua_State *L, const Value *method, const Value *a,
                      const Value *b, const Value *c);

/* Calls method(a, b).  Its result finishes the instruction. */
void slow_call_meta(lua_State *L, const Value *method, const Value *a,
                    const Value *b);

/* Calls method(a, b, c).  Its return finishes the instruction, without a
** value. */
void slow_call_meta3(lua_State *L, const Value *method, const Value *a,
                     const Value *b, const Value *c);

#endif
