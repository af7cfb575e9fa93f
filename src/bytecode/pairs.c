/* SPDX-License-Identifier: MIT */
/*
** pairs.c -- superinstructions: one opcode for two or three instructions
**
** The second instruction of a pair stays in the code.  Jumps to it, hooks and
** the slow path of the pair execute it.  So a pair is only another opcode for
** its first instruction.
**
** opcodes.def has only pairs that occur in programs of others, not just in those
** of bench/lua.  docs/bytecode.md says where each was found.
*/
#include "bytecode/bytecode.h"

static const uint8_t pairs[] = {
#define OP(name, ...)
#define PAIR(name, ...) OP_##name,
#include "bytecode/opcodes.def"
};
enum { PAIR_COUNT = sizeof pairs / sizeof pairs[0] };

/* Most instructions begin no pair and need no search. */
static bool pair_may_begin(Opcode op) {
  return false
#define OP(name, ...)
#define PAIR(name, first, second, link) || op == OP_##first
#include "bytecode/opcodes.def"
      ;
}

/* The result of the first instruction must be no other operand of the second as
** well, because operands may be read before that result is stored. */
static bool pair_is_linked(PairLink link, Instruction first,
                           Instruction second) {
  unsigned result = code_a(first);
  bool a = code_a(second) == result;
  bool b = code_b(second) == result;
  bool c = code_c(second) == result;
  switch (link) {
    case LINK_LEFT: return b && !c;
    case LINK_RIGHT: return c && !b;
    case LINK_VALUE: return c && !a && !b;
    case LINK_TABLE: return a;
    case LINK_ANY: return true;
    default: return false;
  }
}

/* `op` is the plain opcode of `first`. */
static bool pair_matches(const OpInfo *pair, Opcode op, Instruction first,
                         Instruction second) {
  Opcode next = code_op(second);
  if (pair->first != op) return false;
  if (opcode_alone((Opcode)pair->second) == pair->second)
    next = opcode_alone(next);
  return pair->second == next &&
         pair_is_linked((PairLink)pair->link, first, second);
}

Opcode code_pair(Instruction first, Instruction second) {
  if (code_op(first) == OP_LENAPPEND) return OP_LENAPPEND;
  Opcode op = opcode_alone(code_op(first));
  if (!pair_may_begin(op)) return op;
  for (int n = 0; n < PAIR_COUNT; n++)
    if (pair_matches(&opcode_info[pairs[n]], op, first, second))
      return (Opcode)pairs[n];
  return op;
}

bool code_is_pair(Instruction first, Instruction second) {
  const OpInfo *info = &opcode_info[code_op(first)];
  return pair_matches(info, (Opcode)info->first, first, second);
}
