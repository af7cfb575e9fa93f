/* SPDX-License-Identifier: MIT */
/*
** pairs.c -- superinstructions: one opcode for two or three instructions
**
** The second instruction of a pair stays in the code.  Jumps to it, hooks and
** the slow path of the pair execute it.  So a pair is only another opcode for
** its first instruction.
**
** The list has only pairs that occur in programs of others, not just in those
** of bench/lua.  docs/bytecode.md says where each was found.
*/
#include "bytecode/bytecode.h"

/* Which operand of the second instruction is the result of the first.  It must
** be no other operand as well, because operands may be read before that result
** is stored. */
typedef enum PairLink {
  LINK_NONE,
  LINK_LEFT,  /* B */
  LINK_RIGHT, /* C */
  LINK_VALUE, /* C of a store */
  LINK_TABLE  /* A of a store */
} PairLink;

typedef struct Pair {
  uint8_t pair, second;
  uint8_t link; /* PairLink */
} Pair;

/* A pair whose second instruction is itself a pair comes before the pairs with
** the same first half. */
static const Pair pair_list[] = {
    {OP_GETTABLE_MUL_ADD, OP_MUL_RR_ADD, LINK_RIGHT},
    {OP_GETFIELD_ADD, OP_ADD_RR, LINK_RIGHT},
    {OP_GETFIELD_SUB, OP_SUB_RR, LINK_RIGHT},
    {OP_GETFIELD_MUL, OP_MUL_RR, LINK_RIGHT},
    {OP_GETFIELD_SUBL, OP_SUB_RR, LINK_LEFT},
    {OP_GETTABLE_ADD, OP_ADD_RR, LINK_RIGHT},
    {OP_GETTABLE_SET, OP_SETTABLE, LINK_VALUE},
    {OP_DUPTABLE_SET, OP_SETFIELD, LINK_TABLE},
    {OP_SETTABLE_FOR, OP_FORLOOP, LINK_NONE},
    {OP_SETTABLE_FOR1, OP_FORLOOP1, LINK_NONE},
    {OP_SETTABLEK_FOR1, OP_FORLOOP1, LINK_NONE},
    {OP_ADD_RR_FOR1, OP_FORLOOP1, LINK_NONE},
    {OP_ADD_RI_GET, OP_GETTABLE, LINK_RIGHT},
    {OP_MUL_RR_ADD, OP_ADD_RR, LINK_RIGHT},
    {OP_MUL_RR_ADDL, OP_ADD_RR, LINK_LEFT},
    {OP_MUL_RR_SUB, OP_SUB_RR, LINK_RIGHT},
};
enum { PAIR_COUNT = sizeof pair_list / sizeof pair_list[0] };

/* The first half of each pair; 0 for all other opcodes. */
static const uint8_t pair_first[OPCODE_COUNT] = {
    [OP_GETFIELD_ADD] = OP_GETFIELD,  [OP_GETFIELD_SUB] = OP_GETFIELD,
    [OP_GETFIELD_MUL] = OP_GETFIELD,  [OP_GETFIELD_SUBL] = OP_GETFIELD,
    [OP_GETTABLE_ADD] = OP_GETTABLE,  [OP_GETTABLE_MUL_ADD] = OP_GETTABLE,
    [OP_GETTABLE_SET] = OP_GETTABLE,  [OP_SETTABLE_FOR] = OP_SETTABLE,
    [OP_SETTABLE_FOR1] = OP_SETTABLE, [OP_SETTABLEK_FOR1] = OP_SETTABLEK,
    [OP_DUPTABLE_SET] = OP_DUPTABLE,  [OP_ADD_RR_FOR1] = OP_ADD_RR,
    [OP_ADD_RI_GET] = OP_ADD_RI,      [OP_MUL_RR_ADD] = OP_MUL_RR,
    [OP_MUL_RR_ADDL] = OP_MUL_RR,     [OP_MUL_RR_SUB] = OP_MUL_RR,
    [OP_LENAPPEND] = OP_LEN,
};

Opcode opcode_alone(Opcode op) {
  return pair_first[op] ? (Opcode)pair_first[op] : op;
}

/* Most instructions begin no pair and need no search. */
static bool pair_may_begin(Opcode op) {
  switch (op) {
    case OP_GETFIELD:
    case OP_GETTABLE:
    case OP_SETTABLE:
    case OP_SETTABLEK:
    case OP_DUPTABLE:
    case OP_ADD_RR:
    case OP_ADD_RI:
    case OP_MUL_RR: return true;
    default: return false;
  }
}

static bool pair_is_linked(const Pair *p, Instruction first,
                           Instruction second) {
  unsigned result = code_a(first);
  bool a = code_a(second) == result;
  bool b = code_b(second) == result;
  bool c = code_c(second) == result;
  switch (p->link) {
    case LINK_LEFT: return b && !c;
    case LINK_RIGHT: return c && !b;
    case LINK_VALUE: return c && !a && !b;
    case LINK_TABLE: return a;
    default: return true;
  }
}

/* `op` is the plain opcode of `first`. */
static bool pair_matches(const Pair *p, Opcode op, Instruction first,
                         Instruction second) {
  Opcode next = code_op(second);
  if (pair_first[p->pair] != op) return false;
  if (!pair_first[p->second]) next = opcode_alone(next);
  return p->second == next && pair_is_linked(p, first, second);
}

Opcode code_pair(Instruction first, Instruction second) {
  if (code_op(first) == OP_LENAPPEND) return OP_LENAPPEND;
  Opcode op = opcode_alone(code_op(first));
  if (!pair_may_begin(op)) return op;
  for (int n = 0; n < PAIR_COUNT; n++)
    if (pair_matches(&pair_list[n], op, first, second))
      return (Opcode)pair_list[n].pair;
  return op;
}

bool code_is_pair(Instruction first, Instruction second) {
  Opcode op = code_op(first);
  for (int n = 0; n < PAIR_COUNT; n++)
    if (pair_list[n].pair == op)
      return pair_matches(&pair_list[n], opcode_alone(op), first, second);
  return false;
}
