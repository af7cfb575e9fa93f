/* SPDX-License-Identifier: MIT */
/*
** verify_loops.c -- the starts of loops, and the registers that they lose
**
** This is searched for when a chunk is written, and is part of the chunk, so that
** loading takes less time.  The verifier does not trust it.
*/
#include "bytecode/bytecode.h"
#include "bytecode/verify.h"
#include "bytecode/verify_impl.h"

/* The instructions that lose registers, in order.  Of an instruction that loses
** no more than a later one, nothing is kept. */
typedef struct Losses {
  int count;
  struct {
    size_t pc;
    unsigned lost; /* all registers from here on */
  } entry[LOOP_LOSES_NONE + 1];
} Losses;

/* The first register that the instruction loses. */
static unsigned first_lost(const Instruction *pc) {
  Instruction i = *pc;
  unsigned a = code_a(i);
  switch (code_op(i)) {
    case OP_CALL:
    case OP_CALLM:
    case OP_TAILCALL:
    case OP_FORPREP:
    case OP_FORPREP1: return a;
    case OP_VARARG: return code_b(i) == 0 ? a : LOOP_LOSES_NONE;
    case OP_CONCAT: return code_b(i);
    case OP_CONCAT_RR: return pc[1] > a ? pc[1] : a + 1;
    case OP_TFORPREP:
    case OP_TFORCALL:
    case OP_TFORLOOP: return a + 4;
    case OP_NEWTABLE:
    case OP_DUPTABLE:
    case OP_DUPTABLE_SET:
    case OP_CLOSURE: return code_c(i) > a ? code_c(i) : a + 1;
    default: return LOOP_LOSES_NONE;
  }
}

static void losses_add(Losses *losses, size_t pc, unsigned lost) {
  if (lost >= LOOP_LOSES_NONE) return;
  while (losses->count > 0 && losses->entry[losses->count - 1].lost >= lost)
    losses->count--;
  losses->entry[losses->count].pc = pc;
  losses->entry[losses->count++].lost = lost;
}

/* The first register that is lost from pc on. */
static unsigned losses_since(const Losses *losses, size_t pc) {
  unsigned lost = LOOP_LOSES_NONE;
  for (int n = losses->count; n > 0 && losses->entry[n - 1].pc >= pc; n--)
    lost = losses->entry[n - 1].lost;
  return lost;
}

/* Stops where the code is no longer good.  A target that is an AUX word is found
** out later. */
void verify_each_head(const Proto *p, LoopHeadFn *f, void *context) {
  Losses losses;
  const Instruction *code = proto_code(p);
  losses.count = 0;
  for (size_t pc = 0; pc < p->code_size;) {
    Instruction i = code[pc];
    if (code_op(i) >= OPCODE_COUNT) return;
    size_t next = pc + (size_t)code_length(i);
    if (next > p->code_size) return;
    losses_add(&losses, pc, first_lost(&code[pc]));
    int64_t target =
        opcode_is_free_jump(code_op(i)) ? verify_target(p, pc) : INT64_MAX;
    if (target >= 0 && target <= (int64_t)pc) {
      LoopHead head = {(uint32_t)target, losses_since(&losses, (size_t)target)};
      f(context, head);
    }
    pc = next;
  }
}
