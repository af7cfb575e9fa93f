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
  VerifyScratch *scratch;
  size_t pc; /* of the instruction being checked */
} CodeCheck;

/* The target of the jump at pc. */
static inline int64_t verify_target(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  Instruction aux = code_op(i) == OP_JMP ? 0 : p->code[pc + 1];
  return (int64_t)pc + 1 + code_jump_offset(i, aux);
}

/* Checks all instructions and paths.  Returns NULL, or what is wrong. */
const char *verify_flow(CodeCheck *v);

#endif
