/* SPDX-License-Identifier: MIT */
/*
** verify.h -- is this code well formed?
*/
#ifndef PENUMBRA_BYTECODE_VERIFY_H
#define PENUMBRA_BYTECODE_VERIFY_H

#include "object/function.h"

/* NULL if every operand is in range, every jump leads to an instruction, open
** values are used at once, and code cannot run over its end; otherwise what is
** wrong, and where in `pc`. */
const char *verify_proto(const Proto *p, size_t *pc);

#endif
