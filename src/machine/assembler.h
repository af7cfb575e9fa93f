/* SPDX-License-Identifier: MIT */
/*
** assembler.h -- the operations that machine code is made of
**
** Emitters know no processor.  They use the registers and operations of this
** file, and a file for each processor writes them as bytes: x64.c.  All
** operations work on 64 bits unless their name says otherwise.
**
** There are three kinds of registers:
**
**     BASE, STATE           the first register of the frame; lua_State
**     T0 ... T3, FT0, FT1   temporaries of one instruction
**     homes                 hold values of Lua registers from one instruction
**                           to another (context.h)
*/
#ifndef PENUMBRA_MACHINE_ASSEMBLER_H
#define PENUMBRA_MACHINE_ASSEMBLER_H

#include "base/base.h"

/* The numbers are those of x86-64. */
typedef enum Register {
  T0 = 0,    /* rax: results of C functions and of divisions */
  T1 = 1,    /* rcx: shift counts */
  T2 = 2,    /* rdx: remainders */
  T3 = 6,    /* rsi */
  BASE = 3,  /* rbx */
  STATE = 5, /* rbp */
  NO_REGISTER = 255
} Register;

typedef enum FloatRegister { FT0 = 0, FT1 = 1 } FloatRegister;

enum { WHOLE_HOMES = 9, FLOAT_HOMES = 14 };

/* The machine registers of homes. */
static inline Register whole_home(unsigned n) {
  return n == 0 ? (Register)7 : (Register)(n + 7); /* rdi, r8 ... r15 */
}
static inline FloatRegister float_home(unsigned n) {
  return (FloatRegister)(n + 2); /* xmm2 ... xmm15 */
}

/* Conditions, in pairs: the lowest bit is the opposite. */
typedef enum Condition {
  IF_BELOW = 2, /* unsigned, or of floats */
  IF_NOT_BELOW = 3,
  IF_EQUAL = 4,
  IF_NOT_EQUAL = 5,
  IF_NOT_ABOVE = 6,
  IF_ABOVE = 7,
  IF_LESS = 12, /* signed */
  IF_NOT_LESS = 13,
  IF_NOT_GREATER = 14,
  IF_GREATER = 15,
  ALWAYS = 16
} Condition;

static inline Condition condition_opposite(Condition c) {
  return (Condition)(c ^ 1);
}

typedef enum WholeOp {
  WHOLE_ADD = 0,
  WHOLE_OR = 1,
  WHOLE_AND = 4,
  WHOLE_SUB = 5,
  WHOLE_XOR = 6,
  WHOLE_COMPARE = 7
} WholeOp;

typedef enum ShiftOp {
  SHIFT_LEFT = 4,
  SHIFT_RIGHT = 5,
  SHIFT_SIGNED = 7
} ShiftOp;

typedef enum FloatOpCode {
  FLOAT_ADD = 0x58,
  FLOAT_MUL = 0x59,
  FLOAT_SUB = 0x5c,
  FLOAT_DIV = 0x5e
} FloatOpCode;

/* Where code is written.  `apart` is the distance from where it is written to
** where it runs.  After `end` nothing is written, and `full` is set. */
typedef struct Assembler {
  uint8_t *at, *end;
  ptrdiff_t apart;
  bool full;
} Assembler;

/* An operand in memory: [base + index * scale + offset]. */
typedef struct Memory {
  Register base, index;
  unsigned scale;
  int32_t offset;
} Memory;

static inline Memory memory_at(Register base, size_t offset) {
  return (Memory){base, NO_REGISTER, 1, (int32_t)offset};
}
static inline Memory memory_indexed(Register base, Register index,
                                    unsigned scale) {
  return (Memory){base, index, scale, 0};
}

/* -- Moving ---------------------------------------------------------------- */

void asm_load(Assembler *a, Register to, Memory from);
void asm_load32(Assembler *a, Register to, Memory from);
void asm_load16(Assembler *a, Register to, Memory from);
void asm_load8(Assembler *a, Register to, Memory from);
void asm_store(Assembler *a, Memory to, Register from);
void asm_store32(Assembler *a, Memory to, Register from);
void asm_store8(Assembler *a, Memory to, Register from);
void asm_store32_number(Assembler *a, Memory to, uint32_t number);
void asm_store8_number(Assembler *a, Memory to, uint8_t number);
void asm_address(Assembler *a, Register to, Memory of);
void asm_move(Assembler *a, Register to, Register from);
/* Extends a number of 32 bits, such as an int from a C function, to 64. */
void asm_extend32(Assembler *a, Register number);
void asm_number(Assembler *a, Register to, uint64_t number);

/* -- Integers -------------------------------------------------------------- */

void asm_whole(Assembler *a, WholeOp op, Register to, Register from);
void asm_whole_number(Assembler *a, WholeOp op, Register to, int32_t number);
void asm_whole_memory(Assembler *a, WholeOp op, Register to, Memory from);
void asm_multiply(Assembler *a, Register to, Register from);
void asm_negate(Assembler *a, Register to);
void asm_invert(Assembler *a, Register to);
void asm_shift(Assembler *a, ShiftOp op, Register to, unsigned by);
void asm_shift_by_t1(Assembler *a, ShiftOp op, Register to);

/* Adds 1 to a number in memory. */
void asm_increment(Assembler *a, Memory number);

/* T0 := T0 / by, T2 := the remainder, both towards 0. */
void asm_divide(Assembler *a, Register by);

/* Set the flags, as a comparison of memory with a number. */
void asm_compare8(Assembler *a, Memory with, uint8_t number);
void asm_compare16(Assembler *a, Memory with, uint16_t number);
void asm_compare32(Assembler *a, Memory with, uint32_t number);
void asm_compare(Assembler *a, Memory with, int32_t number);

/* Set the flags for the bits that both have: equal if none. */
void asm_test8(Assembler *a, Memory with, uint8_t bits);
void asm_test(Assembler *a, Register with, Register other);

/* -- Floats ---------------------------------------------------------------- */

void asm_float_load(Assembler *a, FloatRegister to, Memory from);
void asm_float_store(Assembler *a, Memory to, FloatRegister from);
void asm_float_move(Assembler *a, FloatRegister to, FloatRegister from);
void asm_float_bits(Assembler *a, FloatRegister to, Register from);
void asm_float_from_whole(Assembler *a, FloatRegister to, Register from);
void asm_float(Assembler *a, FloatOpCode op, FloatRegister to,
               FloatRegister from);

/* Sets the flags: above, or below or equal, which includes NaN; not below, or
** below, which includes NaN. */
void asm_float_compare(Assembler *a, FloatRegister x, FloatRegister y);

/* The same, but IF_NOT_EQUAL means that they are equal, and IF_EQUAL that they
** are not.  Uses T0 and T1. */
void asm_float_equal(Assembler *a, FloatRegister x, FloatRegister y);

/* -- Jumps ----------------------------------------------------------------- */

/* The address of a jump's distance, which asm_patch sets later. */
typedef uint8_t *Patch;

Patch asm_jump(Assembler *a, Condition condition);
void asm_patch(Patch at, const uint8_t *target);

/* Overwrites what is at `at` by a jump. */
enum { ASM_JUMP_BYTES = 5 };
void asm_replace_by_jump(uint8_t *at, const uint8_t *target);
void asm_jump_to(Assembler *a, Register address);

/* The first two arguments of a C function.  The first is no home. */
void asm_arguments(Assembler *a, Register first, Register second);
/* The third. */
void asm_third_argument(Assembler *a, uint64_t number);

/* Calls a C function.  Only BASE and STATE keep their values. */
void asm_call(Assembler *a, uintptr_t function);

/* -- The way in and out ---------------------------------------------------- */

/* What the way in loads into homes. */
typedef struct Homes {
  uint64_t whole[WHOLE_HOMES];
  uint64_t floats[FLOAT_HOMES];
} Homes;

/* Writes a function of this type.  With `homes`, it loads them. */
typedef uint64_t EnterFn(void *state, void *base, const void *code,
                         const Homes *homes);
void asm_enter(Assembler *a, bool homes);

/* Returns T0 from it. */
void asm_leave(Assembler *a);

#endif
