/* SPDX-License-Identifier: MIT */
/*
** verify_impl.h -- what the two halves of the verifier share
**
** verify.c looks at each instruction by itself, verify_flow.c at the ways
** through the code.
*/
#ifndef PENUMBRA_BYTECODE_VERIFY_IMPL_H
#define PENUMBRA_BYTECODE_VERIFY_IMPL_H

#include "bytecode/bytecode.h"
#include "object/function.h"

/* What is known of a word of code.  Words that jumps lead to have a number,
** from 1 on. */
enum { WORD_PLAIN = 0, WORD_AUX = UINT32_MAX };

typedef struct CodeCheck {
  const Proto *p;
  size_t pc;              /* of the instruction that is looked at */
  uint32_t *word;         /* for each word of code: see above */
  uint64_t *states;       /* of the targets, for verify_flow.c */
  uint32_t target_count;
} CodeCheck;

/* -- Sets of registers ----------------------------------------------------- */

enum { SET_WORDS = 4 };

/* Words of 64 registers of which a function of that size has some. */
static inline size_t regs_words(const Proto *p) {
  return p->frame_size == 0 ? 1 : (p->frame_size + 63u) / 64;
}

/* 64-bit words that the state of one target takes. */
static inline size_t verify_state_size(const Proto *p) {
  return 2 + 3 * regs_words(p);
}

/* Where the instruction at pc jumps to; it is a jump. */
static inline size_t verify_target(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  Instruction aux = code_op(i) == OP_JMP ? 0 : p->code[pc + 1];
  return (size_t)((int64_t)pc + 1 + code_jump_offset(i, aux));
}

/* -- The halves ------------------------------------------------------------ */

/* Finds where instructions begin and where jumps lead.  NULL, or what is
** wrong. */
const char *verify_words(CodeCheck *v);

/* What an instruction that is not a plain one needs beyond its fields.  All
** fields are in range, but for the last of several registers. */
const char *verify_special(const Proto *p, size_t pc);

/* NULL, or what is wrong with some instruction or some way through the code. */
const char *verify_flow(CodeCheck *v);

#endif
