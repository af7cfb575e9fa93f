/* SPDX-License-Identifier: MIT */
/*
** names.h -- what the program calls the value in a register
**
** For messages such as "attempt to index a nil value (field 'x')".  The
** instruction that last wrote the register tells where its value came from.  If
** a jump makes that uncertain, there is no name.  The code is only read, not
** run.
**
** In all functions `pc` is the number of any word of the instruction.
*/
#ifndef PENUMBRA_BYTECODE_NAMES_H
#define PENUMBRA_BYTECODE_NAMES_H

#include "object/function.h"

/* Returns the kind of name: "local", "global", "field", "upvalue", "method" or
** "constant".  `name` receives the name.  NULL if nothing is known. */
const char *names_register(const Proto *p, size_t pc, unsigned reg,
                           const char **name);

/* Like names_register, for the function that the instruction calls.  Its kind
** can also be "for iterator" or "metamethod". */
const char *names_called(const Proto *p, size_t pc, const char **name);

/* The name of an upvalue, "?" if unknown. */
const char *names_upvalue(const Proto *p, unsigned index);

/* The first word of the instruction that contains the word `pc`. */
size_t names_instruction_start(const Proto *p, size_t pc);

#endif
