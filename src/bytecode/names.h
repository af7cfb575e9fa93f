/* SPDX-License-Identifier: MIT */
/*
** names.h -- what the program calls the value in a register
**
** For messages such as "attempt to index a nil value (field 'x')".  The code
** before the instruction is looked at, not run: the instruction that last
** wrote the register says where its value came from, unless a jump makes
** that doubtful.
**
** Everywhere `pc` is the number of any word of the instruction.
*/
#ifndef PENUMBRA_BYTECODE_NAMES_H
#define PENUMBRA_BYTECODE_NAMES_H

#include "object/function.h"

/* The kind of name, "local", "global", "field", "upvalue", "method" or
** "constant", and in `name` the name; NULL if nothing is known. */
const char *names_register(const Proto *p, size_t pc, unsigned reg,
                           const char **name);

/* Likewise for the function called by the instruction: also "for iterator"
** and "metamethod". */
const char *names_called(const Proto *p, size_t pc, const char **name);

/* The name of an upvalue, "?" if unknown. */
const char *names_upvalue(const Proto *p, unsigned index);

/* The first word of the instruction that has the word `pc`. */
size_t names_instruction_start(const Proto *p, size_t pc);

#endif
