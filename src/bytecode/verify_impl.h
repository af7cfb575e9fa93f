/* SPDX-License-Identifier: MIT */
/*
** verify_impl.h -- what the two halves of the verifier share
**
** verify.c checks each instruction by itself, verify_flow.c the paths through
** the code.
*/
#ifndef PENUMBRA_BYTECODE_VERIFY_IMPL_H
#define PENUMBRA_BYTECODE_VERIFY_IMPL_H

#include "bytecode/bytecode.h"
#include "object/function.h"

/* The entry for a word of code: one of these, or for the target of a jump its
** number, counted from 1. */
enum { WORD_PLAIN = 0, WORD_AUX = UINT32_MAX };

typedef struct CodeCheck {
  const Proto *p;
  size_t pc;        /* of the instruction being checked */
  uint32_t *word;   /* for each word of code: see above */
  uint64_t *states; /* of the targets, for verify_flow.c */
  uint32_t target_count;
} CodeCheck;

/* -- Sets of registers ----------------------------------------------------- */

enum { SET_WORDS = 4 };

/* The 64-bit words that a set of the function's registers needs. */
static inline size_t regs_words(const Proto *p) {
  return p->frame_size == 0 ? 1 : (p->frame_size + 63u) / 64;
}

/* The 64-bit words that the state of one target takes. */
static inline size_t verify_state_size(const Proto *p) {
  return 2 + 3 * regs_words(p);
}

/* The target of the jump at pc. */
static inline size_t verify_target(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  Instruction aux = code_op(i) == OP_JMP ? 0 : p->code[pc + 1];
  return (size_t)((int64_t)pc + 1 + code_jump_offset(i, aux));
}

/* -- The two halves -------------------------------------------------------- */

/* Finds where instructions begin and where jumps lead.  Returns NULL, or what
** is wrong. */
const char *verify_words(CodeCheck *v);

/* Checks what a special instruction demands beyond its fields.  The fields must
** be in range; of several registers, only the first must be.  Returns NULL, or
** what is wrong. */
const char *verify_special(const Proto *p, size_t pc);

/* Checks all instructions and paths.  Returns NULL, or what is wrong. */
const char *verify_flow(CodeCheck *v);

#endif
