/* SPDX-License-Identifier: MIT */
/*
** names.c -- what the program calls the value in a register
*/
#include "bytecode/names.h"

#include <string.h>

#include "bytecode/bytecode.h"

static const char NAME_LOCAL[] = "local";
static const char NAME_UPVALUE[] = "upvalue";
static const char NAME_CONSTANT[] = "constant";

/* True if the word is no instruction, or one without AUX.  In both cases the
** next word is the first word of an instruction. */
static bool ends_instruction(Instruction word) {
  return code_op(word) >= OPCODE_COUNT || code_length(word) == 1;
}

/* Goes back to a word that certainly begins an instruction. */
static size_t certain_start(const Proto *p, size_t pc) {
  while (pc > 0 && !ends_instruction(proto_code(p)[pc - 1])) pc--;
  return pc;
}

size_t names_instruction_start(const Proto *p, size_t pc) {
  size_t start = certain_start(p, pc), next;
  while ((next = start + (size_t)code_length(proto_code(p)[start])) <= pc)
    start = next;
  return start;
}

const char *names_upvalue(const Proto *p, unsigned index) {
  const String *name = p->upvalues[index].name;
  return name ? string_bytes(name) : "?";
}

/* -- Which instruction wrote a register ------------------------------------ */

static bool register_in(unsigned reg, unsigned first, unsigned count) {
  return reg >= first && reg < first + count;
}

/* True if the instruction writes the register or gives its value a name.
** SETUPVAL counts, because emit_drop_reload removes a GETUPVAL after it. */
static bool instruction_writes(Instruction i, unsigned reg) {
  unsigned a = code_a(i);
  switch (code_op(i)) {
    case OP_SETUPVAL: return reg == a;
    case OP_LOADNIL: return register_in(reg, a, code_b(i) + 1);
    case OP_MOVE2:
    case OP_SELF: return register_in(reg, a, 2);
    case OP_CALL:
    case OP_CALLM:
    case OP_TAILCALL: return reg >= a;
    case OP_VARARG:
      return code_b(i) ? register_in(reg, a, code_b(i) - 1) : reg >= a;
    case OP_FORPREP:
    case OP_FORPREP1:
    case OP_FORLOOP:
    case OP_FORLOOP1:
    case OP_FORCOPY1: return register_in(reg, a, 4);
    case OP_TFORCALL: return reg >= a + 4;
    case OP_TFORLOOP: return reg == a + 2;
    default: return opcode_info[code_op(i)].operands[0] == 'w' && reg == a;
  }
}

/* The target of a forward jump within an expression or a branch, or 0.  Jumps
** of loops do not count. */
static size_t instruction_jumps_to(const Proto *p, size_t pc) {
  Instruction i = proto_code(p)[pc];
  if (!opcode_is_free_jump(code_op(i))) return 0;
  Instruction aux = code_op(i) == OP_JMP ? 0 : proto_code(p)[pc + 1];
  int offset = code_jump_offset(i, aux);
  return offset > 0 ? pc + 1 + (size_t)offset : 0;
}

/* True if a jump at or before `pc` leads to a place behind it, but not behind
** `last`. */
static bool is_jumped_over(const Proto *p, size_t pc, size_t last) {
  size_t next = 0;
  while (next <= pc) {
    Instruction i = proto_code(p)[next];
    if (LIKELY(code_length(i) == 1 && code_op(i) != OP_JMP)) {
      next++;
      continue;
    }
    size_t target = instruction_jumps_to(p, next);
    if (target > pc && target <= last) return true;
    next += (size_t)code_length(i);
  }
  return false;
}

/* Finds the last instruction in [from, to) that wrote the register.  False if
** there is none. */
static bool find_writer_in(const Proto *p, size_t from, size_t to, unsigned reg,
                           size_t *writer) {
  bool found = false;
  for (; from < to; from += (size_t)code_length(proto_code(p)[from])) {
    if (!instruction_writes(proto_code(p)[from], reg)) continue;
    *writer = from;
    found = true;
  }
  return found;
}

/* Finds the last instruction before `last` that wrote the register.  False if
** there is none, or if a jump may have skipped it.  The code is searched from
** the back, some words at a time, because the beginning of a single instruction
** can be far from it to find. */
static bool find_writer(const Proto *p, size_t last, unsigned reg,
                        size_t *writer) {
  enum { WINDOW = 64 };
  for (size_t to = last, from; to > 0; to = from) {
    from = certain_start(p, to > WINDOW ? to - WINDOW : 0);
    if (find_writer_in(p, from, to, reg, writer))
      return !is_jumped_over(p, *writer, last);
  }
  return false;
}

/* -- Names ----------------------------------------------------------------- */

static const char *constant_name(const Proto *p, size_t index) {
  const Value *k = &p->constants[index];
  return value_is_string(k) ? string_bytes(value_string(k)) : "?";
}

/* The register that the instruction copied to `reg`. */
static unsigned copied_register(Instruction i, unsigned reg) {
  return code_op(i) == OP_MOVE2 && reg != code_a(i) ? code_c(i) : code_b(i);
}

/* Names of variables and constants.  `pc` is the first word of an instruction.
** It becomes the pc of the instruction that wrote the register. */
static const char *names_plain(const Proto *p, size_t *pc, unsigned reg,
                               const char **name, bool *known) {
  *known = true;
  *name = proto_local_name(p, (int)reg + 1, *pc);
  if (*name) return NAME_LOCAL;
  if (!find_writer(p, *pc, reg, pc)) {
    *known = false;
    return NULL;
  }
  Instruction i = proto_code(p)[*pc];
  size_t index;
  switch (code_op(i)) {
    case OP_MOVE:
    case OP_MOVE2: {
      unsigned from = copied_register(i, reg);
      if (from < reg) return names_plain(p, pc, from, name, known);
      return NULL;
    }
    case OP_SETUPVAL:
    case OP_GETUPVAL: *name = names_upvalue(p, code_b(i)); return NAME_UPVALUE;
    case OP_LOADK: index = code_d(i); break;
    case OP_LOADKX: index = proto_code(p)[*pc + 1]; break;
    default: return NULL;
  }
  if (!value_is_string(&p->constants[index])) return NULL;
  *name = constant_name(p, index);
  return NAME_CONSTANT;
}

static bool is_env_name(const char *name) {
  return name && strcmp(name, "_ENV") == 0;
}

/* A field of the variable _ENV is a global variable. */
static const char *field_kind(const Proto *p, size_t pc, unsigned table) {
  const char *name;
  bool known;
  const char *kind = names_plain(p, &pc, table, &name, &known);
  bool variable = kind == NAME_LOCAL || kind == NAME_UPVALUE;
  return variable && is_env_name(name) ? "global" : "field";
}

/* The name of the key in a register, if it is a constant. */
static const char *key_name(const Proto *p, size_t pc, unsigned reg) {
  const char *name;
  const char *kind = names_register(p, pc, reg, &name);
  return kind == NAME_CONSTANT ? name : "?";
}

/* True for the instruction that takes the place of a SELF whose name does not
** fit.  Elsewhere the table is evaluated before the key, and so has the lower
** register.  Variables can be in any order, but their names are found first. */
static bool is_far_method(Instruction i) {
  return code_c(i) == code_a(i) && code_b(i) == code_a(i) + 1;
}

/* The name of a value that the instruction at pc read from a table. */
static const char *names_element(const Proto *p, size_t pc, const char **name) {
  Instruction i = proto_code(p)[pc];
  switch (opcode_alone(code_op(i))) {
    case OP_GETUPFIELD:
      *name = constant_name(p, aux_key(proto_code(p)[pc + 1]));
      return is_env_name(names_upvalue(p, code_b(i))) ? "global" : "field";
    case OP_GETFIELD:
      *name = constant_name(p, aux_key(proto_code(p)[pc + 1]));
      return field_kind(p, pc, code_b(i));
    case OP_GETTABLE:
      *name = key_name(p, pc, code_c(i));
      return is_far_method(i) ? "method" : field_kind(p, pc, code_b(i));
    case OP_GETINT: *name = "integer index"; return "field";
    case OP_SELF:
      *name = constant_name(p, aux_key(proto_code(p)[pc + 1]));
      return "method";
    default: return NULL;
  }
}

const char *names_register(const Proto *p, size_t pc, unsigned reg,
                           const char **name) {
  bool known;
  pc = names_instruction_start(p, pc);
  const char *kind = names_plain(p, &pc, reg, name, &known);
  if (kind) return kind;
  return known ? names_element(p, pc, name) : NULL;
}

/* -- Called functions ------------------------------------------------------ */

const char *names_called(const Proto *p, size_t pc, const char **name) {
  pc = names_instruction_start(p, pc);
  Instruction i = proto_code(p)[pc];
  switch (code_op(i)) {
    case OP_CALL:
    case OP_CALLM:
    case OP_TAILCALL: return names_register(p, pc, code_a(i), name);
    case OP_TFORCALL: return *name = "for iterator";
    default: break;
  }
  const char *event = opcode_event(code_op(i));
  if (!event) return NULL;
  *name = event;
  return "metamethod";
}
