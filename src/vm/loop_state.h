/* SPDX-License-Identifier: MIT */
/*
** loop_state.h -- numeric loops as a debugger sees and changes them
**
** A loop has three hidden registers, "(for state)".  In FORLOOP they are the
** index, the number of iterations left, and the step.  FORLOOP1 and FORCOPY1
** have the limit in the second and ignore the third, and the index of FORLOOP1
** is in the variable.  This saves two stores in every iteration.  A debugger
** sees the state of FORLOOP in all of them.  When a debugger writes one of the
** three, or the variable, the loop becomes one like FORLOOP: the tag of the
** index becomes TAG_CHANGED_INDEX, and slow_for_loop executes the loop.
*/
#ifndef PENUMBRA_VM_LOOP_STATE_H
#define PENUMBRA_VM_LOOP_STATE_H

#include "object/thread.h"

/* True if the slot belongs to the state of a loop by 1 that the Lua frame is in.
** Then `out` is the value that a debugger sees. */
bool loop_state_get(const Frame *f, const Value *slot, Value *out);

/* Stores the value if the slot belongs to such a loop; false if not. */
bool loop_state_set(const Frame *f, Value *slot, const Value *v);

/* Like loop_state_set, for a slot with the name of a variable. */
bool loop_variable_set(const Frame *f, Value *slot, const Value *v);

#endif
