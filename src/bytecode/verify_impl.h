/* SPDX-License-Identifier: MIT */
/*
** verify_impl.h -- what verify.c and verify_flow.c share
*/
#ifndef PENUMBRA_BYTECODE_VERIFY_IMPL_H
#define PENUMBRA_BYTECODE_VERIFY_IMPL_H

#include "bytecode/bytecode.h"
#include "bytecode/verify.h"
#include "object/function.h"

typedef struct CodeCheck {
  lua_State *L;
  const Proto *p;
  const VerifyRoom *room;
  size_t pc; /* of the instruction being checked */
} CodeCheck;

/* Checks all instructions and paths.  Returns NULL, or what is wrong. */
const char *verify_flow(CodeCheck *v);

#endif
