/* SPDX-License-Identifier: MIT */
/*
** assembler.h -- the operations that machine code is made of
**
** Emitters know no processor.  They use the registers and operations of this
** file, and a file for each processor writes them as bytes: x64.c, arm64.c.  The
** numbers of its registers are in x64_impl.h or arm64_impl.h.  All operations
** work on 64 bits unless their name says otherwise.  Only comparisons and tests
** set flags that may be used.  Any other operation may change them, except moves,
** loads, stores and addresses.
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

#if defined(__aarch64__)
#include "machine/arm64_impl.h"
#else
#include "machine/x64_impl.h" /* also where there is no machine code */
#endif

/* Conditions, in pairs: the lowest bit is the opposite.  With NaN, no condition
** of floats holds but those with NOT. */
typedef enum Condition {
  IF_BELOW, /* unsigned */
  IF_NOT_BELOW,
  IF_EQUAL,
  IF_NOT_EQUAL,
  IF_ABOVE,
  IF_NOT_ABOVE,
  IF_LESS, /* signed */
  IF_NOT_LESS,
  IF_GREATER,
  IF_NOT_GREATER,
  IF_FLOAT_GREATER, /* after asm_float_compare */
  IF_FLOAT_NOT_GREATER,
  IF_FLOAT_AT_LEAST,
  IF_FLOAT_NOT_AT_LEAST,
  IF_FLOAT_EQUAL, /* after asm_float_equal */
  IF_FLOAT_NOT_EQUAL,
  ALWAYS
} Condition;

static inline Condition condition_opposite(Condition c) {
  return (Condition)(c ^ 1);
}

typedef enum WholeOp {
  WHOLE_ADD,
  WHOLE_OR,
  WHOLE_AND,
  WHOLE_SUB,
  WHOLE_XOR,
  WHOLE_COMPARE
} WholeOp;

typedef enum ShiftOp { SHIFT_LEFT, SHIFT_RIGHT, SHIFT_SIGNED } ShiftOp;

typedef enum FloatOpCode {
  FLOAT_ADD,
  FLOAT_MUL,
  FLOAT_SUB,
  FLOAT_DIV
} FloatOpCode;

/* Where code is written.  What begins at `start` has not been published.
** `apart` is the distance from where it is written to where it runs.  After `end`
** nothing is written, and `full` is set. */
typedef struct Assembler {
  uint8_t *start, *at, *end;
  ptrdiff_t apart;
  bool full;
} Assembler;

/* An operand in memory: [base + index * scale + offset].  The scale is 1, 2, 4
** or 8. */
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

/* The place in the code of a distance or a number that is set later. */
typedef uint8_t *Patch;

/* -- Moving ---------------------------------------------------------------- */

void asm_load(Assembler *a, Register to, Memory from);
void asm_load32(Assembler *a, Register to, Memory from);
void asm_load16(Assembler *a, Register to, Memory from);
void asm_load8(Assembler *a, Register to, Memory from);
void asm_store(Assembler *a, Memory to, Register from);
void asm_store32(Assembler *a, Memory to, Register from);
void asm_store8(Assembler *a, Memory to, Register from);
void asm_store32_number(Assembler *a, Memory to, uint32_t number);
/* The same for a number that asm_patch_number sets later. */
Patch asm_store32_later(Assembler *a, Memory to);
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

/* Set the flags, as a comparison of memory with a number.  What is shorter than
** 64 bits is unsigned. */
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

/* Sets the flags for IF_FLOAT_GREATER and IF_FLOAT_AT_LEAST. */
void asm_float_compare(Assembler *a, FloatRegister x, FloatRegister y);

/* The same for IF_FLOAT_EQUAL.  May change T0 and T1. */
void asm_float_equal(Assembler *a, FloatRegister x, FloatRegister y);

/* -- Jumps ----------------------------------------------------------------- */

/* A jump whose target asm_patch sets.  It reaches all that is written before the
** code is published, if that is no more than 1 MB. */
Patch asm_jump(Assembler *a, Condition condition);

/* False if the jump does not reach the target: then nothing has changed. */
bool asm_patch(Assembler *a, Patch at, const uint8_t *target);
void asm_patch_number(Assembler *a, Patch at, uint32_t number);

/* A jump to code that exists, anywhere. */
void asm_go(Assembler *a, Condition condition, const uint8_t *target);

/* Overwrites what is at `at` by a jump. */
void asm_replace_by_jump(Assembler *a, uint8_t *at, const uint8_t *target);
void asm_jump_to(Assembler *a, Register address);

/* The first two arguments of a C function.  If they differ, the first is no home
** and not T3. */
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

/* Loads all homes from there. */
static inline void asm_load_homes(Assembler *a, Register homes) {
  for (unsigned n = 0; n < WHOLE_HOMES; n++)
    asm_load(a, whole_home(n), memory_at(homes, n * sizeof(uint64_t)));
  for (unsigned n = 0; n < FLOAT_HOMES; n++)
    asm_float_load(
        a, float_home(n),
        memory_at(homes, offsetof(Homes, floats) + n * sizeof(uint64_t)));
}

/* Writes a function of this type.  With `homes`, it loads them. */
typedef uint64_t EnterFn(void *state, void *base, const void *code,
                         const Homes *homes);
void asm_enter(Assembler *a, bool homes);

/* Returns T0 from it. */
void asm_leave(Assembler *a);

/* -- Code that runs -------------------------------------------------------- */

/* What has been written since the start may run from now on.  A patch of code
** that was published before takes effect at once. */
void asm_publish(Assembler *a);

/* To be called before code runs, because another thread may have written it:
** void asm_meet_thread(uintptr_t *last), in the processor's header. */

#endif
