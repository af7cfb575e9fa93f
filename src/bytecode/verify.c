/* SPDX-License-Identifier: MIT */
/*
** verify.c -- is this code well formed?
**
** Follows opcodes.def, whose letters say what each field may hold.  It proves
** that operands are in range, not that registers hold what is expected.
*/
#include "bytecode/verify.h"

#include "bytecode/bytecode.h"

/* -- Jumps ----------------------------------------------------------------- */

/* Does an instruction begin at that word?  Not asked of very long code, where
** it would take too long. */
static bool is_boundary(const Proto *p, size_t target) {
  enum { LONG_CODE = 20000 };
  size_t pc = 0;
  if (p->code_size > LONG_CODE) return true;
  while (pc < target) pc += (size_t)code_length(p->code[pc]);
  return pc == target;
}

static const char *verify_jump(const Proto *p, size_t pc, int32_t offset) {
  int64_t target = (int64_t)pc + 1 + offset;
  if (target < 0 || target >= p->code_size) return "jump out of range";
  if (!is_boundary(p, (size_t)target)) return "jump into an instruction";
  return NULL;
}

/* -- Fields ---------------------------------------------------------------- */

static const char *verify_constant(const Proto *p, char letter, uint32_t k) {
  if (k >= p->constant_count) return "constant out of range";
  unsigned tag = p->constants[k].tag;
  if (letter == 'n' && tag != TAG_INTEGER) return "constant is no integer";
  if (letter == 'f' && tag != TAG_FLOAT) return "constant is no float";
  if (letter == 's' && tag != TAG_SHORT_STRING)
    return "constant is no short string";
  if ((letter == 't') != (tag == TAG_TABLE)) return "template, or no template";
  return NULL;
}

static const char *verify_field(const Proto *p, size_t pc, char letter,
                                uint32_t raw) {
  switch (letter) {
    case 'w':
    case 'r':
    case 'b': return raw < p->frame_size ? NULL : "register out of range";
    case 'k':
    case 'n':
    case 'f':
    case 't': return verify_constant(p, letter, raw);
    case 's': return verify_constant(p, letter, aux_key(raw));
    case 'v': return raw < p->upvalue_count ? NULL : "upvalue out of range";
    case 'p': return raw < p->proto_count ? NULL : "function out of range";
    case 'j': return verify_jump(p, pc, (int32_t)raw);
    case '-': return raw == 0 ? NULL : "unused field is not zero";
    default: return NULL;
  }
}

static const char *verify_fields(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  const OpInfo *info = &opcode_info[code_op(i)];
  const char *letters = info->operands;
  if (info->format == FORMAT_E)
    return verify_field(p, pc, letters[0], (uint32_t)code_e(i));
  const char *wrong = verify_field(p, pc, *letters++, code_a(i));
  if (info->format == FORMAT_ABC || info->format == FORMAT_ABCX) {
    if (!wrong) wrong = verify_field(p, pc, *letters++, code_b(i));
    if (!wrong) wrong = verify_field(p, pc, *letters++, code_c(i));
  } else if (!wrong) {
    wrong = verify_field(p, pc, *letters++, code_d(i));
  }
  if (!wrong && info->length > 1)
    wrong = verify_field(p, pc, *letters, p->code[pc + 1]);
  return wrong;
}

/* -- What instructions need beyond their fields ---------------------------- */

/* The highest register used by instructions that have several. */
static unsigned last_register(Instruction i) {
  unsigned a = code_a(i), b = code_b(i), c = code_c(i);
  switch (code_op(i)) {
    case OP_LOADNIL: return a + b;
    case OP_MOVE2:
    case OP_SELF: return a + 1;
    case OP_SETLIST: return b ? a + b - 1 : a;
    case OP_CONCAT: return b + c - 1;
    case OP_FORPREP:
    case OP_FORPREP1:
    case OP_FORLOOP:
    case OP_FORLOOP1: return a + 3;
    case OP_TFORCALL: return a + 3 + (b > 3 ? b : 3);
    case OP_CALL: return a + (b + 1 > c ? b : c - 1);
    case OP_VARARG: return b > 1 ? a + b - 2 : 0;
    case OP_RETURN: return b == 0 ? a : a + b >= 2 ? a + b - 2 : 0;
    default: return 0;
  }
}

static bool makes_open(Instruction i) {
  return (code_op(i) == OP_CALLM && code_c(i) == 0) ||
         (code_op(i) == OP_VARARG && code_b(i) == 0);
}

static bool uses_open(Instruction i) {
  switch (code_op(i)) {
    case OP_CALLM:
    case OP_TAILCALL:
    case OP_RETURN:
    case OP_SETLIST: return code_b(i) == 0;
    default: return false;
  }
}

static bool is_end(Opcode op) {
  return op == OP_RETURN || op == OP_RETURN0 || op == OP_RETURN1;
}

/* `t[#t + 1] = v` in three instructions, the first of which may do it all. */
static bool appends(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  unsigned a = code_a(i), b = code_b(i);
  if (pc + 2 >= p->code_size || a == b) return false;
  return p->code[pc + 1] == code_make_abc(OP_ADD_RI, a, a, 1) &&
         code_is_store(p->code[pc + 2], b, a);
}

/* Is the second instruction of a pair there? */
static bool pair_is_whole(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  size_t next = pc + (size_t)code_length(i);
  return next < p->code_size && code_op(p->code[next]) < OPCODE_COUNT &&
         code_pair(i, p->code[next]) == code_op(i);
}

/* `before` is the instruction before, or one that does nothing. */
static const char *verify_instruction(const Proto *p, size_t pc,
                                      Instruction before) {
  Instruction i = p->code[pc];
  if (code_op(i) >= OPCODE_COUNT) return "no such opcode";
  if (pc + (size_t)code_length(i) > p->code_size) return "code ends early";
  const char *wrong = verify_fields(p, pc);
  if (wrong) return wrong;
  if (last_register(i) >= p->frame_size) return "registers out of range";
  bool after_tail = code_op(before) == OP_TAILCALL && is_end(code_op(i));
  if (uses_open(i) && !makes_open(before) && !after_tail)
    return "open values used, but not made";
  if (makes_open(before) && !uses_open(i)) return "open values not used";
  if (code_op(before) == OP_TFORCALL && code_op(i) != OP_TFORLOOP)
    return "TFORCALL without TFORLOOP";
  if (code_op(i) == OP_LENAPPEND && !appends(p, pc))
    return "LENAPPEND without its store";
  if (code_op(i) != opcode_alone(code_op(i)) && !pair_is_whole(p, pc))
    return "half a pair";
  if (code_op(i) == OP_VARARG && !p->is_vararg)
    return "VARARG in a function without";
  if ((code_op(i) == OP_TAILCALL || code_op(i) == OP_RETURN) &&
      ((code_c(i) & RETURN_VARARG) != 0) != p->is_vararg)
    return "a return of another kind of function";
  return NULL;
}

const char *verify_proto(const Proto *p, size_t *pc) {
  Instruction before = code_make_abc(OP_MOVE, 0, 0, 0);
  size_t next;
  for (*pc = 0; *pc < p->code_size; *pc = next) {
    const char *wrong = verify_instruction(p, *pc, before);
    if (wrong) return wrong;
    before = p->code[*pc];
    next = *pc + (size_t)code_length(before);
  }
  if (!is_end(code_op(before))) return "code does not end with a return";
  return NULL;
}
