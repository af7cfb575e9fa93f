/* SPDX-License-Identifier: MIT */
/*
** loop_state.h -- numeric loops as a debugger sees and changes them
**
** A loop has three registers of its own, "(for state)": in FORLOOP the index, how
** often it goes on, and the step.  FORLOOP1 has the limit in the second and does
** not look at the third, which saves a store in every iteration.  A debugger
** sees it as if it were like FORLOOP.  When one of the three is written, the loop
** becomes one like FORLOOP: the tag of the index is TAG_CHANGED_INDEX from then
** on, and slow_for_loop does the work.
*/
#ifndef PENUMBRA_VM_LOOP_STATE_H
#define PENUMBRA_VM_LOOP_STATE_H

#include "object/thread.h"

/* True, with what a debugger sees in `out`, if the slot of the Lua frame belongs
** to the state of a FORLOOP1 that it is in. */
bool loop_state_get(const Frame *f, const Value *slot, Value *out);

/* Stores the value, and returns true, if the slot is such a one. */
bool loop_state_set(const Frame *f, Value *slot, const Value *v);

#endif
