/* SPDX-License-Identifier: MIT */
/*
** emit.c -- writing code: words, jumps, registers
*/
#include "compiler/emit_impl.h"

#include "compiler/scope_impl.h"
#include "object/budget.h"

/* -- Errors ---------------------------------------------------------------- */

enum { ERROR_SLOTS = 8 }; /* stack slots for the parts of a message */

_Noreturn void compile_error(Compiler *c, const char *format, ...) {
  va_list list;
  stack_ensure(c->L, ERROR_SLOTS);
  va_start(list, format);
  const char *message = format_push_list(c->L, format, list);
  va_end(list);
  lexer_error_here(&c->lexer, message);
}

_Noreturn void compile_error_semantic(Compiler *c, const char *format, ...) {
  va_list list;
  stack_ensure(c->L, ERROR_SLOTS);
  va_start(list, format);
  const char *message = format_push_list(c->L, format, list);
  va_end(list);
  lexer_error_semantic(&c->lexer, message);
}

static COLD _Noreturn void compile_error_limit(Function *f, size_t limit,
                                               const char *what) {
  Compiler *c = f->compiler;
  int line = f->proto->first_line;
  stack_ensure(c->L, ERROR_SLOTS);
  const char *where = line == 0
                          ? "main function"
                          : format_push(c->L, "function at line %d", line);
  compile_error(c, "too many %s (limit is %d) in %s", what, (int)limit, where);
}

void compile_check_limit(Function *f, size_t value, size_t limit,
                         const char *what) {
  if (value > limit) compile_error_limit(f, limit, what);
}

/* -- Words ----------------------------------------------------------------- */

static void emit_word(Function *f, Instruction word) {
  Compiler *c = f->compiler;
  Proto *p = f->proto;
  VECTOR_RESERVE(c->L, p, p->code, p->code_size + 1, LIMIT_CODE, "opcodes");
  scratch_reserve(c->L, &c->lines, sizeof(int32_t), 1, LIMIT_CODE, "opcodes");
  ((int32_t *)c->lines.box->data)[c->lines.count++] = c->lexer.last_line;
  p->code[p->code_size++] = word;
}

static int32_t emit_instruction(Function *f, Instruction word) {
  f->last_pc = function_pc(f);
  if (code_op(word) == OP_LEN) f->last_length = f->last_pc;
  if (code_op(word) == OP_SETUPVAL) f->last_store = f->last_pc;
  emit_word(f, word);
  return f->last_pc;
}

int32_t emit_abc(Function *f, Opcode op, unsigned a, unsigned b, unsigned c) {
  return emit_instruction(f, code_make_abc(op, a, b, c));
}

int32_t emit_abcx(Function *f, Opcode op, unsigned a, unsigned b, unsigned c,
                  Instruction aux) {
  int32_t pc = emit_abc(f, op, a, b, c);
  emit_word(f, aux);
  return pc;
}

int32_t emit_ad(Function *f, Opcode op, unsigned a, int d) {
  return emit_instruction(f, code_make_ad(op, a, d));
}

int32_t emit_adx(Function *f, Opcode op, unsigned a, int d, Instruction aux) {
  int32_t pc = emit_ad(f, op, a, d);
  emit_word(f, aux);
  return pc;
}

void emit_fix_line(Function *f, int line) {
  int32_t *lines = (int32_t *)f->compiler->lines.box->data + f->first_line;
  for (int32_t pc = f->last_pc; pc < function_pc(f); pc++) lines[pc] = line;
}

void emit_aux(Function *f, Instruction aux) {
  const int32_t *lines = f->compiler->lines.box->data;
  int line = lines[f->first_line + (size_t)f->last_pc];
  emit_word(f, aux);
  emit_fix_line(f, line);
}

void emit_copy(Function *f, int32_t pc, int length) {
  const int32_t *lines = f->compiler->lines.box->data;
  int line = lines[f->first_line + (size_t)pc];
  emit_instruction(f, *emit_at(f, pc));
  if (length > 1) emit_word(f, *emit_at(f, pc + 1));
  emit_fix_line(f, line);
}

void emit_undo(Function *f) {
  ASSERT(f->last_pc >= 0, "the last instruction is not known");
  f->proto->code_size = (uint32_t)f->last_pc;
  f->compiler->lines.count = f->first_line + (size_t)f->last_pc;
  f->last_pc = f->last_length = f->last_store = -1;
}

void emit_remove_word(Function *f, int32_t pc) {
  Proto *p = f->proto;
  int32_t *lines = (int32_t *)f->compiler->lines.box->data + f->first_line;
  size_t rest = p->code_size - (size_t)pc - 1;
  memmove(&p->code[pc], &p->code[pc + 1], rest * sizeof p->code[0]);
  memmove(&lines[pc], &lines[pc + 1], rest * sizeof lines[0]);
  p->code_size--;
  f->compiler->lines.count--;
  f->last_pc--;
  f->last_length = f->last_store = -1;
}

/* As in `n = n + 1; return n`. */
void emit_drop_reload(Function *f, unsigned reg, int line) {
  int32_t pc = f->last_pc;
  if (pc <= 0 || pc - 1 != f->last_store || f->last_target >= pc) return;
  Instruction load = *emit_at(f, pc), store = *emit_at(f, pc - 1);
  if (code_op(load) != OP_GETUPVAL || code_a(load) != reg ||
      code_a(store) != reg || code_b(load) != code_b(store))
    return;
  const int32_t *lines = f->compiler->lines.box->data;
  if (lines[f->first_line + (size_t)pc] == line) emit_undo(f);
}

void emit_set_op(Function *f, int32_t pc, Opcode op) {
  Instruction *i = emit_at(f, pc);
  *i = code_with_op(*i, op);
}

void emit_set_a(Function *f, int32_t pc, unsigned a) {
  Instruction *i = emit_at(f, pc);
  *i = code_make_abc(code_op(*i), a, code_b(*i), code_c(*i));
}

void emit_set_b(Function *f, int32_t pc, unsigned b) {
  Instruction *i = emit_at(f, pc);
  *i = code_make_abc(code_op(*i), code_a(*i), b, code_c(*i));
}

void emit_set_c(Function *f, int32_t pc, unsigned c) {
  Instruction *i = emit_at(f, pc);
  *i = code_make_abc(code_op(*i), code_a(*i), code_b(*i), c);
}

/* -- Loads ----------------------------------------------------------------- */

/* The last instruction, if the next one may be merged into it because no jump
** leads between the two.  Otherwise NULL. */
static Instruction *emit_extensible(Function *f) {
  bool known = f->last_pc >= 0 && function_pc(f) > f->last_target;
  return known ? emit_at(f, f->last_pc) : NULL;
}

/* True if the last instruction is on the current line.  Only then may the next
** one be merged into it, because a line hook must see no difference. */
static bool emit_is_on_line(const Function *f) {
  const Scratch *lines = &f->compiler->lines;
  return ((int32_t *)lines->box->data)[lines->count - 1] ==
         f->compiler->lexer.last_line;
}

/* Merges two MOVEs to neighboring registers into a MOVE2.  Arguments of calls
** are mostly copies of variables, one after the other. */
void emit_move(Function *f, unsigned reg, unsigned from) {
  Instruction *i = emit_extensible(f);
  if (i && code_op(*i) == OP_MOVE && code_a(*i) + 1 == reg &&
      emit_is_on_line(f))
    *i = code_make_abc(OP_MOVE2, code_a(*i), code_b(*i), from);
  else
    emit_abc(f, OP_MOVE, reg, from, 0);
}

int32_t emit_load_constant(Function *f, unsigned reg, int32_t index) {
  if (index <= CODE_MAX_D) return emit_ad(f, OP_LOADK, reg, index);
  return emit_abcx(f, OP_LOADKX, reg, 0, 0, (Instruction)index);
}

void emit_load_integer(Function *f, unsigned reg, Integer i) {
  if (i >= CODE_MIN_SD && i <= CODE_MAX_SD)
    emit_ad(f, OP_LOADI, reg, (int)i);
  else
    emit_load_constant(f, reg, constant_integer(f, i));
}

/* Extends a LOADNIL just before, unless a jump leads between the two. */
void emit_load_nil(Function *f, unsigned from, unsigned count) {
  unsigned last = from + count - 1;
  Instruction *i = emit_extensible(f);
  if (i) {
    unsigned old = code_a(*i), old_last = old + code_b(*i);
    if (code_op(*i) == OP_LOADNIL && old <= from && from <= old_last + 1) {
      if (last > old_last) emit_set_b(f, f->last_pc, last - old);
      return;
    }
  }
  emit_abc(f, OP_LOADNIL, from, count - 1, 0);
}

Instruction emit_field_aux(Function *f, int32_t constant) {
  ASSERT(f->proto->constants[constant].tag == TAG_SHORT_STRING,
         "constant %d is no field name", (int)constant);
  return aux_field((unsigned)constant, 0);
}

/* -- Jumps ----------------------------------------------------------------- */

int32_t jump_target(Function *f, int32_t pc) {
  const Instruction *i = emit_at(f, pc);
  Instruction aux = code_length(*i) > 1 ? i[1] : 0;
  return pc + 1 + code_jump_offset(*i, aux);
}

int32_t jump_next(Function *f, int32_t pc) {
  enum { UNITS = 4 };
  budget_spend(f->compiler->L, UNITS); /* a list may be long */
  int32_t target = jump_target(f, pc);
  return target == pc ? NO_JUMP : target;
}

void jump_fix(Function *f, int32_t pc, int32_t target) {
  Instruction *i = emit_at(f, pc);
  int32_t offset = target - (pc + 1);
  if (code_op(*i) != OP_JMP) {
    i[1] = (Instruction)offset;
    return;
  }
  if (offset < CODE_MIN_E || offset > CODE_MAX_E)
    compile_error(f->compiler, "control structure too long");
  *i = code_make_e(OP_JMP, offset);
}

int32_t jump_emit(Function *f) {
  return emit_instruction(f, code_make_e(OP_JMP, -1));
}

void jump_emit_to(Function *f, int32_t target) {
  jump_fix(f, jump_emit(f), target);
}

void jump_join(Function *f, int32_t *list, int32_t other) {
  if (other == NO_JUMP) return;
  if (*list == NO_JUMP) {
    *list = other;
    return;
  }
  if (jump_next(f, other) == NO_JUMP) { /* a single one, in front of the list */
    jump_fix(f, other, *list);
    *list = other;
    return;
  }
  int32_t last = *list;
  for (int32_t next; (next = jump_next(f, last)) != NO_JUMP;) last = next;
  jump_fix(f, last, other);
}

int32_t jump_label(Function *f) {
  f->last_target = function_pc(f);
  return f->last_target;
}

void jump_negate(Function *f, int32_t pc) {
  Opcode op = code_op(*emit_at(f, pc));
  ASSERT(opcode_is_condition(op), "no condition: opcode %d", (int)op);
  emit_set_op(f, pc, opcode_opposite(op));
}

static_assert((OP_JNGEI - OP_JT) % 2 == 1 && OP_JF == OP_JT + 1,
              "conditions come in pairs");

void jump_drop_value(Function *f, int32_t pc) {
  Instruction i = *emit_at(f, pc);
  if (code_op(i) != OP_JTSET && code_op(i) != OP_JFSET) return;
  Opcode op = code_op(i) == OP_JTSET ? OP_JT : OP_JF;
  *emit_at(f, pc) = code_make_abc(op, code_b(i), 0, 0);
}

void jump_patch(Function *f, int32_t list, int32_t target) {
  while (list != NO_JUMP) {
    int32_t next = jump_next(f, list);
    jump_drop_value(f, list);
    jump_fix(f, list, target);
    list = next;
  }
}

void jump_patch_here(Function *f, int32_t list) {
  jump_patch(f, list, jump_label(f));
}

/* -- Registers ------------------------------------------------------------- */

void register_check(Function *f, int count) {
  int needed = f->free_register + count;
  if (needed <= f->proto->frame_size) return;
  if (needed >= CODE_MAX_REGISTERS)
    compile_error(f->compiler,
                  "function or expression needs too many registers");
  f->proto->frame_size = (uint8_t)needed;
}

unsigned register_reserve(Function *f, int count) {
  unsigned first = f->free_register;
  register_check(f, count);
  f->free_register = (uint8_t)(first + (unsigned)count);
  return first;
}

unsigned register_level(const Function *f) { return scope_level(f, f->active); }

void register_free(Function *f, unsigned reg) {
  if (reg < register_level(f)) return;
  f->free_register--;
  ASSERT(reg == f->free_register, "register %u is not the last", reg);
}

void register_free_pair(Function *f, unsigned a, unsigned b) {
  register_free(f, a > b ? a : b);
  register_free(f, a > b ? b : a);
}
