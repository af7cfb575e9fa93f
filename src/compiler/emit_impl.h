/* SPDX-License-Identifier: MIT */
/*
** emit_impl.h -- writing code: words, jumps, constants, registers
*/
#ifndef PENUMBRA_COMPILER_EMIT_IMPL_H
#define PENUMBRA_COMPILER_EMIT_IMPL_H

#include "compiler/state_impl.h"

/* -- Errors ---------------------------------------------------------------- */

/* Raise a syntax error made with format.h, at the current token, or without
** naming a token. */
_Noreturn void compile_error(Compiler *c, const char *format, ...);
_Noreturn void compile_error_semantic(Compiler *c, const char *format, ...);

/* Raises "too many <what> (limit is N) in <function>" if above. */
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
void emit_load_integer(Function *f, unsigned reg, lua_Integer i);
/* R[from .. from + count - 1] := nil. */
void emit_load_nil(Function *f, unsigned from, unsigned count);

/* AUX of an instruction that names a field. */
Instruction emit_field_aux(Function *f, int32_t constant);

/* The same instruction once more, with the same line. */
void emit_copy(Function *f, int32_t pc, int length);

/* The last instruction gets that line. */
void emit_fix_line(Function *f, int line);

/* Takes the last instruction back. */
void emit_undo(Function *f);
/* An instruction on that line follows, which uses the register.  If the last
** one has read a variable to where it was stored from just before, it goes: the
** value is still there. */
void emit_drop_reload(Function *f, unsigned reg, int line);
/* Removes a word from straight code that ends with the last instruction. */
void emit_remove_word(Function *f, int32_t pc);

static inline Instruction *emit_at(Function *f, int32_t pc) {
  return &f->proto->code[pc];
}
void emit_set_op(Function *f, int32_t pc, Opcode op);
void emit_set_a(Function *f, int32_t pc, unsigned a);
void emit_set_b(Function *f, int32_t pc, unsigned b);
void emit_set_c(Function *f, int32_t pc, unsigned c);

/* -- Jumps ----------------------------------------------------------------- */

/* Jumps that will go to the same place form a list, each one's offset leading
** to the next.  A jump not yet anywhere leads to itself. */

/* Emits a jump and returns the list of it alone. */
int32_t jump_emit(Function *f);
/* ... a backward jump. */
void jump_emit_to(Function *f, int32_t target);
/* Appends list `other`. */
void jump_join(Function *f, int32_t *list, int32_t other);
/* Sends a list to `target`, or to the next instruction. */
void jump_patch(Function *f, int32_t list, int32_t target);
void jump_patch_here(Function *f, int32_t list);
/* Sets one jump, which is in no list. */
void jump_fix(Function *f, int32_t pc, int32_t target);
/* Where a jump leads. */
int32_t jump_target(Function *f, int32_t pc);
/* The next jump of the list. */
int32_t jump_next(Function *f, int32_t pc);
/* The next instruction is jumped to: it keeps its place. */
int32_t jump_label(Function *f);
/* The jump is taken when it was not, and the other way round. */
void jump_negate(Function *f, int32_t pc);
/* The value the jump might bring along is not wanted. */
void jump_drop_value(Function *f, int32_t pc);

/* -- Constants: their numbers ---------------------------------------------- */

int32_t constant_nil(Function *f);
int32_t constant_bool(Function *f, bool b);
int32_t constant_integer(Function *f, lua_Integer i);
int32_t constant_float(Function *f, lua_Number n);
int32_t constant_string(Function *f, String *s);
/* A template of a constructor; the caller has anchored it. */
int32_t constant_table(Function *f, Table *t);

/* -- Registers ------------------------------------------------------------- */

/* The frame has room for `count` more above the free register. */
void register_check(Function *f, int count);
/* Takes `count` registers; the first one is the result. */
unsigned register_reserve(Function *f, int count);
/* Registers of active variables, that is, the first temporary one. */
unsigned register_level(const Function *f);
/* Gives back a register if it is temporary; it must be the last one. */
void register_free(Function *f, unsigned reg);
void register_free_pair(Function *f, unsigned a, unsigned b);

#endif
