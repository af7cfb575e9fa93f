/* SPDX-License-Identifier: MIT */
/*
** slow_impl.h -- what the loop leaves to functions
**
** Each does the whole current instruction of the running frame, whose pc has
** been saved: it is the word after the instruction's first.  When it returns,
** the frame's pc is where to go on; or else another frame is the running one,
** that of a metamethod in Lua, and the rest is done when that returns, by
** loop_finish.  Either way the loop goes on with the running frame.
*/
#ifndef PENUMBRA_VM_SLOW_IMPL_H
#define PENUMBRA_VM_SLOW_IMPL_H

#include "bytecode/bytecode.h"
#include "object/thread.h"

NO_INLINE void slow_get(lua_State *L);      /* GETFIELD ... SELF */
NO_INLINE void slow_set(lua_State *L);      /* SETFIELD ... SETINT */
NO_INLINE void slow_arith(lua_State *L);
NO_INLINE void slow_compare(lua_State *L);  /* jumps that compare */
NO_INLINE void slow_length(lua_State *L);
NO_INLINE void slow_concat(lua_State *L);   /* CONCAT and CONCAT_RR */
NO_INLINE void slow_concat_step(lua_State *L);  /* ... a step after them */

/* What an instruction of arithmetic computes, ADD_RR being the first. */
typedef struct SlowArith {
  int8_t op;        /* LUA_OPADD ... */
  char left;        /* operands: 'r' a register, 'k' a constant, 'i' a number */
  char right;       /* ... and '=' the other one again */
} SlowArith;
enum { SLOW_ARITH_COUNT = OP_BNOT - OP_ADD_RR + 1 };
extern const SlowArith slow_arith_info[SLOW_ARITH_COUNT];

/* The field of a metatable with the method of LUA_OPADD ..., or NULL; its place
** is remembered in the global state. */
NO_INLINE const Node *slow_find_arith(lua_State *L, const Table *metatable,
                                      int op);

/* The field of a short string in a table that the hint does not find, or in
** those that its __index leads to; a node with nil if there is none.  Remembers
** the place in *aux.  NULL if the instruction is done without, or a metamethod
** is being called for it. */
NO_INLINE const Node *slow_find_field(lua_State *L, const Table *t,
                                      const String *key, Instruction *aux);

/* The same of any string: what its metatable's __index has. */
NO_INLINE const Node *slow_find_in_string(lua_State *L, const String *key,
                                          Instruction *aux);

/* Stores into the field of a short string that the hint does not find, or into
** the table that __newindex leads to.  Remembers the place in *aux.  False if
** the instruction is done, or a metamethod is being called for it. */
NO_INLINE bool slow_set_field(lua_State *L, Table *t, String *key,
                              const Value *value, Instruction *aux);

/* An element that a table has not got itself: true, and the value that its
** metatable leads to; or false, and a metamethod is being called. */
NO_INLINE bool slow_get_element(lua_State *L, const Value *object,
                                const Value *key, Value *out);

/* Stores an element of a table with a metatable: true, or false as above. */
NO_INLINE bool slow_set_element(lua_State *L, const Value *object,
                                const Value *key, const Value *value);

NO_INLINE void slow_for_prepare(lua_State *L);      /* FORPREP */
NO_INLINE void slow_for_prepare1(lua_State *L);     /* FORPREP1 */
NO_INLINE void slow_for_loop(lua_State *L);         /* FORLOOP1 */
NO_INLINE void slow_new_table(lua_State *L, Instruction i, size_t slots);
NO_INLINE void slow_set_list(lua_State *L);
NO_INLINE void slow_closure(lua_State *L, Value *to, Proto *p);
NO_INLINE void slow_collect_new(lua_State *L);    /* after CLOSURE */
NO_INLINE void slow_collect_table(lua_State *L);  /* after NEWTABLE, DUPTABLE */
NO_INLINE void slow_vararg_prepare(lua_State *L);
NO_INLINE void slow_vararg(lua_State *L);
NO_INLINE void slow_close(lua_State *L);
NO_INLINE void slow_mark_closable(lua_State *L, unsigned reg);

/* RETURN of any sort from the running frame; see loop.c. */
NO_INLINE void slow_return(lua_State *L, Value *first, int count, bool close);

/* Does what is left of the instruction of the running frame, which called a
** metamethod. */
NO_INLINE void slow_finish(lua_State *L, const Value *result);

/* One step of a generic for over a table with the function `next`: replaces
** the key in control[0] and stores key and value in control[2], control[3].
** False at the end.  The slot control[0] also has a hint, which must be 0 when
** a loop begins. */
NO_INLINE bool slow_for_next(lua_State *L, Table *t, Value *control);

#endif
