/* SPDX-License-Identifier: MIT */
/*
** slow_impl.h -- the slow paths of the loop
**
** Each function executes the whole current instruction of the running frame.
** The saved pc is the word after the instruction's first.  When the function
** returns, there are two cases:
**
**   - The instruction is finished, and the frame's pc is the next instruction.
**   - The running frame is that of a metamethod in Lua.  loop_finish finishes
**     the instruction when the metamethod returns.
**
** In both cases the loop continues with the running frame.
*/
#ifndef PENUMBRA_VM_SLOW_IMPL_H
#define PENUMBRA_VM_SLOW_IMPL_H

#include "bytecode/bytecode.h"
#include "vm/state.h"

NO_INLINE void slow_get(lua_State *L); /* GETFIELD ... SELF */
NO_INLINE void slow_set(lua_State *L); /* SETFIELD ... SETINT */
NO_INLINE void slow_arith(lua_State *L);
NO_INLINE void slow_compare(lua_State *L); /* jumps with a comparison */
NO_INLINE void slow_length(lua_State *L);
NO_INLINE void slow_concat(lua_State *L);      /* CONCAT and CONCAT_RR */
NO_INLINE void slow_concat_step(lua_State *L); /* the collector after them */

/* The field of a metatable with that metamethod, or NULL.  Updates the hint in
** the global state. */
NO_INLINE const Node *slow_find_method(lua_State *L, const Table *metatable,
                                       MetaEvent event);

/* How a part of an instruction went. */
typedef enum SlowStep {
  STEP_DONE,     /* the loop goes on with the instruction */
  STEP_FINISHED, /* the loop goes on with the running frame, see above */
  STEP_CALLS     /* the loop must call the Lua function above all registers;
                 ** its arguments end at the top */
} SlowStep;

/* Finds the field of a short string that the hint does not find, in the table
** or in its chain of __index tables.  Updates the hint in *aux.  If it is done,
** *found is a node, with nil if there is no such field. */
NO_INLINE SlowStep slow_find_field(lua_State *L, const Table *t,
                                   const String *key, Instruction *aux,
                                   const Node **found);

/* Like slow_find_field, for the method that SELF reads from a value that is no
** table. */
NO_INLINE SlowStep slow_find_self(lua_State *L, const Value *object,
                                  Instruction *aux, const Node **found);

/* Stores into the field of a short string that the hint does not find, in the
** table or in its chain of __newindex tables.  Updates the hint in *aux. */
NO_INLINE SlowStep slow_set_field(lua_State *L, Table *t, String *key,
                                  const Value *value, Instruction *aux);

/* Reads an element that the table does not hold itself, by its metatable.  If
** it is done, the value is in `out`. */
NO_INLINE SlowStep slow_get_element(lua_State *L, const Value *object,
                                    const Value *key, Value *out);

/* Stores an element of a table with a metatable.  `missed`: the array and the
** hash do not have it; only the parts that a growing table leaves may. */
NO_INLINE SlowStep slow_set_element(lua_State *L, const Value *object,
                                    const Value *key, const Value *value,
                                    bool missed);

NO_INLINE void slow_for_prepare(lua_State *L);  /* FORPREP */
NO_INLINE void slow_for_prepare1(lua_State *L); /* FORPREP1 */
NO_INLINE void slow_for_loop(lua_State *L);     /* FORLOOP1 */
NO_INLINE void slow_new_table(lua_State *L, Instruction i, size_t slots);
NO_INLINE void slow_set_list(lua_State *L);
NO_INLINE void slow_closure(lua_State *L, Value *to, Proto *p);
NO_INLINE void slow_collect_new(lua_State *L);   /* after CLOSURE */
NO_INLINE void slow_collect_table(lua_State *L); /* after NEWTABLE, DUPTABLE */
NO_INLINE void slow_close(lua_State *L);
NO_INLINE void slow_mark_closable(lua_State *L, unsigned reg);

/* Any return from the running frame; see RETURN_SLOW in handlers_flow.h. */
NO_INLINE void slow_return(lua_State *L, Value *first, int count, bool close);

/* Finishes the instruction of the running frame that called a metamethod. */
NO_INLINE void slow_finish(lua_State *L, const Value *result);

/* One iteration of a generic for over a table with the function `next`.
** Replaces the key in control[0], and stores key and value in control[2] and
** control[3].  False at the end.  The slot control[0] also holds a hint, which
** must be 0 when a loop begins. */
NO_INLINE bool slow_for_next(lua_State *L, Table *t, Value *control);

#endif
