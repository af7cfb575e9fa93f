/* SPDX-License-Identifier: MIT */
/*
** scope_impl.h -- variables, blocks, labels
*/
#ifndef PENUMBRA_COMPILER_SCOPE_IMPL_H
#define PENUMBRA_COMPILER_SCOPE_IMPL_H

#include "compiler/state_impl.h"

/* -- Variables ------------------------------------------------------------- */

/* Declares a local variable, which is not in scope yet.  Returns its number in
** the function. */
unsigned scope_declare(Function *f, String *name);

/* Brings the next `count` declared variables into scope. */
void scope_activate(Function *f, int count);

/* For debuggers: from `start` to here is a copy of a loop's condition. */
void scope_note_copy(Function *f, int32_t start);

/* The number of registers the first `active` variables occupy. */
unsigned scope_level(const Function *f, unsigned active);

/* Finds the variable with that name, which may be global. */
void scope_find(Function *f, String *name, Expr *e);

/* Call before an assignment to the variable.  Raises if it is constant. */
void scope_note_assignment(Function *f, const Expr *e);

/* Call when the block gets a variable to be closed at its end. */
void scope_note_close(Function *f);

/* -- Blocks ---------------------------------------------------------------- */

void block_enter(Function *f, Scope *block, bool is_loop);
void block_leave(Function *f);

/* -- Labels and gotos ------------------------------------------------------ */

/* The visible label, or NULL. */
Label *label_find(Function *f, const String *name);

/* Creates a label at the next instruction.  The name NULL is the end of a loop.
** `last`: only void statements follow in its block.  True if a CLOSE was
** emitted here. */
bool label_create(Function *f, String *name, int line, bool last);

/* Adds a jump to a label not seen yet; NULL is the end of the loop. */
void label_goto(Function *f, String *name, int line, int32_t jump);

/* Emits a jump to a label seen before. */
void label_goto_back(Function *f, const Label *label);

#endif
