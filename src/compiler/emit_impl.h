/* SPDX-License-Identifier: MIT */
/*
** emit_impl.h -- writing code: words, jumps, constants, registers
*/
#ifndef PENUMBRA_COMPILER_EMIT_IMPL_H
#define PENUMBRA_COMPILER_EMIT_IMPL_H

#include "compiler/state_impl.h"

/* -- Errors ---------------------------------------------------------------- */

/* Raise a syntax error with a message made by format.h.  The first names the
** current token, the second names no token. */
_Noreturn void compile_error(Compiler *c, const char *format, ...);
_Noreturn void compile_error_semantic(Compiler *c, const char *format, ...);

/* Raises "too many <what> (limit is N) in <function>" if value > limit. */
void compile_check_limit(Function *f, size_t value, size_t limit,
                         const char *what);

/* -- Instructions: each returns its pc ------------------------------------- */

int32_t emit_abc(Function *f, Opcode op, unsigned a, unsigned b, unsigned c);
int32_t emit_abcx(Function *f, Opcode op, unsigned a, unsigned b, unsigned c,
                  Instruction aux);
int32_t emit_ad(Function *f, Opcode op, unsigned a, int d);
int32_t emit_adx(Function *f, Opcode op, unsigned a, int d, Instruction aux);

/* R[reg] := R[from]. */
void emit_move(Function *f, unsigned reg, unsigned from);
/* R[reg] := K[index]. */
int32_t emit_load_constant(Function *f, unsigned reg, int32_t index);
/* R[reg] := integer. */
void emit_load_integer(Function *f, unsigned reg, Integer i);
/* R[from .. from + count - 1] := nil. */
void emit_load_nil(Function *f, unsigned from, unsigned count);

/* AUX of an instruction that names a field. */
Instruction emit_field_aux(Function *f, int32_t constant);

/* Emits the instruction at pc again, with the same line. */
void emit_copy(Function *f, int32_t pc, int length);

/* Appends the AUX word of the last instruction, which had none. */
void emit_aux(Function *f, Instruction aux);

/* Gives the last instruction this line. */
void emit_fix_line(Function *f, int line);

/* Removes the last instruction. */
void emit_undo(Function *f);
/* Call before an instruction on `line` that uses `reg`.  If the code before it
** stores an upvalue from `reg` and then loads it into `reg`, the load is
** removed: the value is still there. */
void emit_drop_reload(Function *f, unsigned reg, int line);
/* Removes a word.  The code from there to the last instruction has no jumps. */
void emit_remove_word(Function *f, int32_t pc);

static inline Instruction *emit_at(Function *f, int32_t pc) {
  return &f->proto->code[pc];
}
void emit_set_op(Function *f, int32_t pc, Opcode op);
void emit_set_a(Function *f, int32_t pc, unsigned a);
void emit_set_b(Function *f, int32_t pc, unsigned b);
void emit_set_c(Function *f, int32_t pc, unsigned c);

/* -- Jumps ----------------------------------------------------------------- */

/* Jumps that will go to the same place form a list: the offset of each leads to
** the next.  The last jump of a list leads to itself. */

/* Emits a jump.  Returns a list with only this jump. */
int32_t jump_emit(Function *f);
/* Emits a jump back to `target`. */
void jump_emit_to(Function *f, int32_t target);
/* Appends the list `other`. */
void jump_join(Function *f, int32_t *list, int32_t other);
/* Sends a list to `target`, or to the next instruction. */
void jump_patch(Function *f, int32_t list, int32_t target);
void jump_patch_here(Function *f, int32_t list);
/* Sends one jump, which is in no list, to `target`. */
void jump_fix(Function *f, int32_t pc, int32_t target);
/* Where a jump leads. */
int32_t jump_target(Function *f, int32_t pc);
/* The next jump of the list, or NO_JUMP. */
int32_t jump_next(Function *f, int32_t pc);
/* A jump will lead to the next instruction, so it is not merged with the last
** one.  Returns its pc. */
int32_t jump_label(Function *f);
/* Negates the condition of the jump. */
void jump_negate(Function *f, int32_t pc);
/* The jump no longer carries a value: JTSET and JFSET become JT and JF. */
void jump_drop_value(Function *f, int32_t pc);

/* -- Constants: each returns its index ------------------------------------- */

int32_t constant_nil(Function *f);
int32_t constant_bool(Function *f, bool b);
int32_t constant_integer(Function *f, Integer i);
int32_t constant_float(Function *f, Number n);
int32_t constant_string(Function *f, String *s);
/* The template of a constructor, which the caller has anchored. */
int32_t constant_table(Function *f, Table *t);

/* -- Registers ------------------------------------------------------------- */

/* Makes room in the frame for `count` registers from free_register on. */
void register_check(Function *f, int count);
/* Takes `count` registers and returns the first one. */
unsigned register_reserve(Function *f, int count);
/* The number of registers that active variables occupy.  This is also the first
** temporary register. */
unsigned register_level(const Function *f);
/* Frees a register if it is temporary.  It must be the last one in use. */
void register_free(Function *f, unsigned reg);
void register_free_pair(Function *f, unsigned a, unsigned b);

#endif
