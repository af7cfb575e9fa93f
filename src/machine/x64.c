/* SPDX-License-Identifier: MIT */
/*
** x64.c -- the assembler for x86-64
*/
#include "machine/area_impl.h"
#if MACHINE_WORKS && defined(__x86_64__)

#include <string.h>

#include "machine/assembler.h"

/* Registers with a role in calls. */
enum { X64_RCX = 1, X64_RDX = 2, X64_RSP = 4, X64_RSI = 6, X64_RDI = 7 };

/* -- Bytes ----------------------------------------------------------------- */

/* No instruction is longer than 15 bytes. */
enum { X64_LONGEST = 16 };

static bool x64_has_room(Assembler *a) {
  if (a->end - a->at >= X64_LONGEST) return true;
  a->full = true;
  return false;
}

static void x64_byte(Assembler *a, unsigned byte) { *a->at++ = (uint8_t)byte; }

static void x64_word(Assembler *a, uint32_t word) {
  memcpy(a->at, &word, sizeof word);
  a->at += sizeof word;
}

/* The form of an instruction: the last byte of its opcode, and what comes
** before it. */
enum {
  X64_WIDE = 0x100,    /* 64 bits */
  X64_LONG = 0x200,    /* 0x0f */
  X64_BYTE = 0x400,    /* the register is one of 8 bits */
  X64_DOUBLE = 0x800,  /* the prefix 0xf2 */
  X64_OPERAND = 0x1000 /* the prefix 0x66 */
};

static void x64_opcode(Assembler *a, unsigned form, unsigned reg,
                       unsigned index, unsigned base) {
  if (form & X64_OPERAND) x64_byte(a, 0x66);
  if (form & X64_DOUBLE) x64_byte(a, 0xf2);
  unsigned rex = (form & X64_WIDE ? 8u : 0u) | (reg >> 3 & 1) << 2 |
                 (index >> 3 & 1) << 1 | (base >> 3 & 1);
  if (rex || form & X64_BYTE) x64_byte(a, 0x40 | rex);
  if (form & X64_LONG) x64_byte(a, 0x0f);
  x64_byte(a, form & 0xff);
}

static void x64_registers(Assembler *a, unsigned form, unsigned reg,
                          unsigned rm) {
  if (!x64_has_room(a)) return;
  x64_opcode(a, form, reg, 0, rm);
  x64_byte(a, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

static void x64_memory(Assembler *a, unsigned form, unsigned reg, Memory m) {
  enum { SIB = 4, NO_INDEX = 4 };
  if (!x64_has_room(a)) return;
  bool indexed = m.index != NO_REGISTER;
  unsigned index = indexed ? (unsigned)m.index : NO_INDEX;
  unsigned base = (unsigned)m.base;
  x64_opcode(a, form, reg, indexed ? index : 0, base);
  bool is_short = m.offset >= -128 && m.offset < 128;
  unsigned mode = (is_short ? 0x40u : 0x80u) | (reg & 7) << 3;
  if (indexed || (base & 7) == SIB) {
    x64_byte(a, mode | SIB);
    x64_byte(a, bits_lowest(m.scale) << 6 | (index & 7) << 3 | (base & 7));
  } else {
    x64_byte(a, mode | (base & 7));
  }
  if (is_short)
    x64_byte(a, (unsigned)m.offset);
  else
    x64_word(a, (uint32_t)m.offset);
}

/* The constant after an instruction. */
static void x64_constant(Assembler *a, uint32_t number, bool is_byte) {
  if (!x64_has_room(a)) return;
  if (is_byte)
    x64_byte(a, number);
  else
    x64_word(a, number);
}

/* -- Moving ---------------------------------------------------------------- */

void asm_load(Assembler *a, Register to, Memory from) {
  x64_memory(a, X64_WIDE | 0x8b, to, from);
}
void asm_load32(Assembler *a, Register to, Memory from) {
  x64_memory(a, 0x8b, to, from);
}
void asm_load16(Assembler *a, Register to, Memory from) {
  x64_memory(a, X64_LONG | 0xb7, to, from);
}
void asm_load8(Assembler *a, Register to, Memory from) {
  x64_memory(a, X64_LONG | 0xb6, to, from);
}
void asm_store(Assembler *a, Memory to, Register from) {
  x64_memory(a, X64_WIDE | 0x89, from, to);
}
void asm_store32(Assembler *a, Memory to, Register from) {
  x64_memory(a, 0x89, from, to);
}
void asm_store8(Assembler *a, Memory to, Register from) {
  x64_memory(a, X64_BYTE | 0x88, from, to);
}
void asm_store32_number(Assembler *a, Memory to, uint32_t number) {
  x64_memory(a, 0xc7, 0, to);
  x64_constant(a, number, false);
}
Patch asm_store32_later(Assembler *a, Memory to) {
  asm_store32_number(a, to, 0);
  return a->at - sizeof(uint32_t);
}
void asm_store8_number(Assembler *a, Memory to, uint8_t number) {
  x64_memory(a, 0xc6, 0, to);
  x64_constant(a, number, true);
}
void asm_address(Assembler *a, Register to, Memory of) {
  x64_memory(a, X64_WIDE | 0x8d, to, of);
}
void asm_move(Assembler *a, Register to, Register from) {
  if (to != from) x64_registers(a, X64_WIDE | 0x89, from, to);
}

void asm_extend32(Assembler *a, Register number) {
  x64_registers(a, X64_WIDE | 0x63, number, number);
}

static void x64_number64(Assembler *a, Register to, uint64_t number) {
  x64_byte(a, 0x48u | (to >> 3 & 1));
  x64_byte(a, 0xb8u | (to & 7));
  x64_word(a, (uint32_t)number);
  x64_word(a, (uint32_t)(number >> 32));
}

void asm_number(Assembler *a, Register to, uint64_t number) {
  if (!x64_has_room(a)) return;
  if (number <= UINT32_MAX) {
    if (to & 8) x64_byte(a, 0x41);
    x64_byte(a, 0xb8u | (to & 7));
    x64_word(a, (uint32_t)number);
  } else if ((int64_t)number == (int32_t)(uint32_t)number) {
    x64_registers(a, X64_WIDE | 0xc7, 0, to);
    x64_constant(a, (uint32_t)number, false);
  } else {
    x64_number64(a, to, number);
  }
}

/* -- Integers -------------------------------------------------------------- */

static const uint8_t x64_whole[] = {
    [WHOLE_ADD] = 0, [WHOLE_OR] = 1,  [WHOLE_AND] = 4,
    [WHOLE_SUB] = 5, [WHOLE_XOR] = 6, [WHOLE_COMPARE] = 7,
};
static const uint8_t x64_shift[] = {
    [SHIFT_LEFT] = 4, [SHIFT_RIGHT] = 5, [SHIFT_SIGNED] = 7};

void asm_whole(Assembler *a, WholeOp op, Register to, Register from) {
  x64_registers(a, X64_WIDE | (unsigned)x64_whole[op] << 3 | 1, from, to);
}
void asm_whole_number(Assembler *a, WholeOp op, Register to, int32_t number) {
  bool is_byte = number >= -128 && number < 128;
  x64_registers(a, X64_WIDE | (is_byte ? 0x83 : 0x81), x64_whole[op], to);
  x64_constant(a, (uint32_t)number, is_byte);
}
void asm_whole_memory(Assembler *a, WholeOp op, Register to, Memory from) {
  x64_memory(a, X64_WIDE | (unsigned)x64_whole[op] << 3 | 3, to, from);
}
void asm_multiply(Assembler *a, Register to, Register from) {
  x64_registers(a, X64_WIDE | X64_LONG | 0xaf, to, from);
}
void asm_negate(Assembler *a, Register to) {
  x64_registers(a, X64_WIDE | 0xf7, 3, to);
}
void asm_invert(Assembler *a, Register to) {
  x64_registers(a, X64_WIDE | 0xf7, 2, to);
}
void asm_shift(Assembler *a, ShiftOp op, Register to, unsigned by) {
  x64_registers(a, X64_WIDE | 0xc1, x64_shift[op], to);
  x64_constant(a, by, true);
}
void asm_shift_by_t1(Assembler *a, ShiftOp op, Register to) {
  x64_registers(a, X64_WIDE | 0xd3, x64_shift[op], to);
}
void asm_increment(Assembler *a, Memory number) {
  x64_memory(a, X64_WIDE | 0xff, 0, number);
}
void asm_divide(Assembler *a, Register by) {
  if (!x64_has_room(a)) return;
  x64_byte(a, 0x48);
  x64_byte(a, 0x99);
  x64_registers(a, X64_WIDE | 0xf7, 7, by);
}

void asm_compare8(Assembler *a, Memory with, uint8_t number) {
  x64_memory(a, 0x80, x64_whole[WHOLE_COMPARE], with);
  x64_constant(a, number, true);
}
void asm_compare16(Assembler *a, Memory with, uint16_t number) {
  x64_memory(a, X64_OPERAND | 0x81, x64_whole[WHOLE_COMPARE], with);
  if (!x64_has_room(a)) return;
  x64_byte(a, number & 0xffu);
  x64_byte(a, number >> 8);
}
void asm_compare32(Assembler *a, Memory with, uint32_t number) {
  x64_memory(a, 0x81, x64_whole[WHOLE_COMPARE], with);
  x64_constant(a, number, false);
}
void asm_compare(Assembler *a, Memory with, int32_t number) {
  x64_memory(a, X64_WIDE | 0x81, x64_whole[WHOLE_COMPARE], with);
  x64_constant(a, (uint32_t)number, false);
}
void asm_test8(Assembler *a, Memory with, uint8_t bits) {
  x64_memory(a, 0xf6, 0, with);
  x64_constant(a, bits, true);
}
void asm_test(Assembler *a, Register with, Register other) {
  x64_registers(a, X64_WIDE | 0x85, other, with);
}

/* -- Floats ---------------------------------------------------------------- */

void asm_float_load(Assembler *a, FloatRegister to, Memory from) {
  x64_memory(a, X64_DOUBLE | X64_LONG | 0x10, to, from);
}
void asm_float_store(Assembler *a, Memory to, FloatRegister from) {
  x64_memory(a, X64_DOUBLE | X64_LONG | 0x11, from, to);
}
void asm_float_move(Assembler *a, FloatRegister to, FloatRegister from) {
  if (to != from) x64_registers(a, X64_LONG | 0x28, to, from);
}
void asm_float_bits(Assembler *a, FloatRegister to, Register from) {
  x64_registers(a, X64_OPERAND | X64_WIDE | X64_LONG | 0x6e, to, from);
}

/* Clears the register first, so as not to wait for its old value. */
void asm_float_from_whole(Assembler *a, FloatRegister to, Register from) {
  x64_registers(a, X64_LONG | 0x57, to, to);
  x64_registers(a, X64_DOUBLE | X64_WIDE | X64_LONG | 0x2a, to, from);
}
void asm_float(Assembler *a, FloatOpCode op, FloatRegister to,
               FloatRegister from) {
  static const uint8_t code[] = {[FLOAT_ADD] = 0x58,
                                 [FLOAT_MUL] = 0x59,
                                 [FLOAT_SUB] = 0x5c,
                                 [FLOAT_DIV] = 0x5e};
  x64_registers(a, X64_DOUBLE | X64_LONG | code[op], to, from);
}
void asm_float_compare(Assembler *a, FloatRegister x, FloatRegister y) {
  x64_registers(a, X64_OPERAND | X64_LONG | 0x2e, x, y);
}
/* The result of the last instruction is not zero if they are equal. */
void asm_float_equal(Assembler *a, FloatRegister x, FloatRegister y) {
  asm_float_compare(a, x, y);
  x64_registers(a, X64_LONG | 0x9b, 0, T0); /* no NaN */
  x64_registers(a, X64_LONG | 0x94, 0, T1); /* equal */
  x64_registers(a, 0x84, T0, T1);
}

/* -- Jumps ----------------------------------------------------------------- */

/* The low bits of the opcodes of jumps.  Floats set the flags as unsigned numbers
** do, and NaN is below and equal. */
static const uint8_t x64_condition[] = {
    [IF_BELOW] = 2,          [IF_NOT_BELOW] = 3,
    [IF_EQUAL] = 4,          [IF_NOT_EQUAL] = 5,
    [IF_ABOVE] = 7,          [IF_NOT_ABOVE] = 6,
    [IF_LESS] = 12,          [IF_NOT_LESS] = 13,
    [IF_GREATER] = 15,       [IF_NOT_GREATER] = 14,
    [IF_FLOAT_GREATER] = 7,  [IF_FLOAT_NOT_GREATER] = 6,
    [IF_FLOAT_AT_LEAST] = 3, [IF_FLOAT_NOT_AT_LEAST] = 2,
    [IF_FLOAT_EQUAL] = 5,    [IF_FLOAT_NOT_EQUAL] = 4,
};

Patch asm_jump(Assembler *a, Condition condition) {
  if (!x64_has_room(a)) return a->at;
  if (condition == ALWAYS) {
    x64_byte(a, 0xe9);
  } else {
    x64_byte(a, 0x0f);
    x64_byte(a, 0x80u | x64_condition[condition]);
  }
  Patch at = a->at;
  x64_word(a, 0);
  return at;
}
bool asm_patch(UNUSED Assembler *a, Patch at, const uint8_t *target) {
  int32_t distance = (int32_t)(target - (at + sizeof(int32_t)));
  memcpy(at, &distance, sizeof distance);
  return true;
}
void asm_patch_number(UNUSED Assembler *a, Patch at, uint32_t number) {
  memcpy(at, &number, sizeof number);
}
void asm_go(Assembler *a, Condition condition, const uint8_t *target) {
  asm_patch(a, asm_jump(a, condition), target);
}
void asm_replace_by_jump(Assembler *a, uint8_t *at, const uint8_t *target) {
  *at = 0xe9;
  asm_patch(a, at + 1, target);
}
void asm_jump_to(Assembler *a, Register address) {
  x64_registers(a, 0xff, 4, address);
}
void asm_arguments(Assembler *a, Register first, Register second) {
  asm_move(a, (Register)X64_RSI, second); /* may be rdi */
  asm_move(a, (Register)X64_RDI, first);
}
void asm_third_argument(Assembler *a, uint64_t number) {
  asm_number(a, (Register)X64_RDX, number);
}
void asm_call(Assembler *a, uintptr_t function) {
  asm_number(a, T0, function);
  x64_registers(a, 0xff, 2, T0);
}

/* -- The way in and out ---------------------------------------------------- */

enum { X64_FRAME = 8 }; /* bytes, so that the stack is aligned */

/* The registers that a C function must preserve: rbx, rbp, r12 ... r15. */
static const uint8_t x64_preserved[] = {3, 5, 12, 13, 14, 15};
enum { X64_PRESERVED = sizeof x64_preserved };

static void x64_stack(Assembler *a, unsigned opcode, unsigned reg) {
  if (!x64_has_room(a)) return;
  if (reg & 8) x64_byte(a, 0x41);
  x64_byte(a, opcode | (reg & 7));
}

void asm_enter(Assembler *a, bool homes) {
  for (int n = 0; n < X64_PRESERVED; n++) x64_stack(a, 0x50, x64_preserved[n]);
  asm_whole_number(a, WHOLE_SUB, (Register)X64_RSP, X64_FRAME);
  asm_move(a, STATE, (Register)X64_RDI);
  asm_move(a, BASE, (Register)X64_RSI);
  asm_move(a, T0, (Register)X64_RDX);
  if (homes) asm_load_homes(a, (Register)X64_RCX);
  asm_jump_to(a, T0);
}

void asm_leave(Assembler *a) {
  asm_whole_number(a, WHOLE_ADD, (Register)X64_RSP, X64_FRAME);
  for (int n = X64_PRESERVED - 1; n >= 0; n--)
    x64_stack(a, 0x58, x64_preserved[n]);
  if (x64_has_room(a)) x64_byte(a, 0xc3);
}

/* -- Code that runs -------------------------------------------------------- */

/* The processor sees what is written, by any address. */
void asm_publish(Assembler *a) { a->start = a->at; }

#else
typedef int X64NotBuilt;
#endif
