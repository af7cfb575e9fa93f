/* SPDX-License-Identifier: MIT */
/*
** slow_meta_impl.h -- finishing instructions, and calling metamethods for them
*/
#ifndef PENUMBRA_VM_SLOW_META_IMPL_H
#define PENUMBRA_VM_SLOW_META_IMPL_H

#include "bytecode/bytecode.h"
#include "object/thread.h"

/* The instruction ends with that value in its register A. */
void slow_put(lua_State *L, const Value *v);

/* The instruction ends without a value. */
void slow_skip(lua_State *L);

/* The comparison ends: jumps or not. */
void slow_branch(lua_State *L, bool condition);

/* The instruction ends when method(a, b) has returned; with its result. */
void slow_call_meta(lua_State *L, const Value *method, const Value *a,
                    const Value *b);

/* The instruction ends when method(a, b, c) has returned; nothing wanted. */
void slow_call_meta3(lua_State *L, const Value *method, const Value *a,
                     const Value *b, const Value *c);

#endif
