/* SPDX-License-Identifier: MIT */
/*
** verify_demands_impl.h -- what single instructions demand beyond their fields
**
** docs/verifier.md lists all rules.
*/
#ifndef PENUMBRA_BYTECODE_VERIFY_DEMANDS_IMPL_H
#define PENUMBRA_BYTECODE_VERIFY_DEMANDS_IMPL_H

#include <string.h>

#include "bytecode/bytecode.h"
#include "object/function.h"
#include "object/value.h"

/* Functions that take an opcode or a size as a constant.  Without optimization,
** to inline them would take minutes and gigabytes; with sanitizers, most of a
** minute. */
#if defined(__OPTIMIZE__) && !PENUMBRA_DEBUG
#define VERIFY_INLINE ALWAYS_INLINE
#else
#define VERIFY_INLINE inline
#endif

/* The end of the registers of an instruction that uses several; else 0. */
static VERIFY_INLINE unsigned end_register(Opcode op, Instruction i) {
  unsigned a = code_a(i), b = code_b(i), c = code_c(i);
  switch (op) {
    case OP_LOADNIL: return a + b + 1;
    case OP_CLOSE: return a + 1;
    case OP_SETLIST: return b ? a + b : a + 1;
    case OP_CONCAT: return b + c;
    case OP_FORPREP:
    case OP_FORPREP1:
    case OP_FORLOOP:
    case OP_FORLOOP1:
    case OP_FORCOPY1:
    case OP_TFORPREP: return a + 4;
    case OP_TFORLOOP: return a + 5;
    case OP_TFORCALL: return a + 4 + (b > 3 ? b : 3);
    case OP_CALL: return a + (b + 1 > c ? b + 1 : c);
    case OP_CALLM: return a + (b > c ? b : c > 0 ? c - 1 : 0);
    case OP_TAILCALL: return a + b;
    case OP_VARARG: return a + (b > 2 ? b - 1 : 1);
    case OP_RETURN: return b > 1 ? a + b - 1 : a;
    case OP_NEWTABLE:
    case OP_DUPTABLE:
    case OP_CLOSURE: return c; /* C: the registers in use */
    default: return 0;
  }
}

/* A plausible number of items or fields: the constructors in code of this size
** cannot ask for more. */
static inline bool size_is_likely(const Proto *p, size_t count) {
  return count / CODE_ITEMS_PER_WORD <= p->code_size;
}

static inline bool is_power_of_two(Integer n) {
  return n > 0 && !(n & (n - 1));
}

/* True if n is a power of two, and n and 1 / n are normal numbers. */
static inline bool has_inverse(Number n) {
  uint64_t bits;
  memcpy(&bits, &n, sizeof bits);
  unsigned exponent = (unsigned)(bits >> 52);
  return bits << 12 == 0 && exponent > 0 && exponent < 2046;
}

/* Operands that the vm does not check when it runs the instruction. */
static VERIFY_INLINE bool number_is_good(const Proto *p, Opcode op, size_t pc) {
  Instruction i = p->code[pc];
  unsigned b = code_b(i), c = code_c(i);
  switch (op) {
    case OP_CONCAT: return c > 1;
    case OP_CONCAT_RR: return p->code[pc + 1] <= p->frame_size;
    case OP_TFORCALL: return b > 0;
    case OP_NEWTABLE:
      return b <= 32 && size_is_likely(p, b ? (size_t)1 << (b - 1) : 0) &&
             size_is_likely(p, p->code[pc + 1]);
    case OP_SETLIST: return size_is_likely(p, p->code[pc + 1]);
    case OP_RETURN:
    case OP_TAILCALL: return c <= (RETURN_CLOSE | RETURN_VARARG);
    case OP_RETURN0:
    case OP_RETURN1: return !p->is_vararg;
    default: return true;
  }
}

/* True for `t[#t + 1] = v` in three instructions.  LENAPPEND, the first of
** them, may do the work of all three. */
static inline bool appends(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  unsigned a = code_a(i), b = code_b(i);
  if (pc + 2 >= p->code_size || a == b) return false;
  return p->code[pc + 1] == code_make_abc(OP_ADD_RI, a, a, 1) &&
         code_is_store(p->code[pc + 2], b, a);
}

/* Checks that the second instruction of a pair follows. */
static inline const char *pair_check(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  if (code_op(i) == OP_LENAPPEND)
    return appends(p, pc) ? NULL : "LENAPPEND without its store";
  size_t next = pc + (size_t)code_length(i);
  if (next > p->code_size) return "code ends early";
  bool whole = next < p->code_size && code_op(p->code[next]) < OPCODE_COUNT &&
               code_is_pair(i, p->code[next]);
  return whole ? NULL : "half a pair";
}

/* Checks instructions that need a certain next instruction. */
static VERIFY_INLINE const char *demand_next(const Proto *p, Opcode op,
                                             size_t pc) {
  Instruction i = p->code[pc];
  size_t next = pc + (size_t)code_length(i);
  Instruction then = next < p->code_size ? p->code[next] : 0;
  bool same = code_a(then) == code_a(i);
  switch (op) {
    case OP_TFORCALL:
      if (code_op(then) != OP_TFORLOOP || !same)
        return "TFORCALL without TFORLOOP";
      break;
    case OP_TAILCALL:
      if (code_op(then) != OP_RETURN || !same || code_b(then) != 0)
        return "TAILCALL without RETURN";
      break;
    default: break;
  }
  return NULL;
}

static VERIFY_INLINE const char *demand_kind(const Proto *p, Opcode op,
                                             size_t pc) {
  Instruction i = p->code[pc];
  bool flag = (code_c(i) & RETURN_VARARG) != 0;
  switch (op) {
    case OP_VARARG: return p->is_vararg ? NULL : "VARARG in a function without";
    case OP_VARARGPREP:
      if (pc == 0 && p->is_vararg && code_a(i) == p->param_count) return NULL;
      return "VARARGPREP where it should not be";
    case OP_TAILCALL:
    case OP_RETURN:
      return flag == p->is_vararg ? NULL
                                  : "a return of another kind of function";
    default: return NULL;
  }
}

/* Checks what an instruction demands beyond its fields.  The fields must be in
** range; of several registers, only the first must be.  Returns NULL, or what
** is wrong.  `op` is a constant where this is inlined, so little of it
** remains. */
static VERIFY_INLINE const char *demand_check(const Proto *p, Opcode op,
                                              size_t pc) {
  if (end_register(op, p->code[pc]) > p->frame_size)
    return "registers out of range";
  if (!number_is_good(p, op, pc)) return "operand out of range";
  const char *wrong = demand_next(p, op, pc);
  return wrong ? wrong : demand_kind(p, op, pc);
}

#endif
