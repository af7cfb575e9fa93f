/* SPDX-License-Identifier: MIT */
/*
** arm64.c -- the assembler for AArch64
**
** An instruction is a word.  Its operands are registers, or small constants;
** whatever is larger comes through x16 and x17, which nothing else uses: x16 for
** a number, x17 for an address.
*/
#include "machine/area_impl.h"
#if MACHINE_WORKS && defined(__aarch64__)

#include <string.h>

#include "machine/assembler.h"

enum {
  ARM64_X0 = 0,
  ARM64_X1 = 1,
  ARM64_X2 = 2,
  ARM64_HOMES = 3,   /* the fourth argument of the way in */
  ARM64_NUMBER = 16, /* a temporary */
  ARM64_PLACE = 17,  /* one for addresses */
  ARM64_FRAME = 29,
  ARM64_LINK = 30,
  ARM64_STACK = 31, /* in additions of constants, and as an address */
  ARM64_ZERO = 31   /* elsewhere */
};

/* -- Instructions ---------------------------------------------------------- */

/* Each with 0 in all its fields.  They work on 64 bits.  FLAGS: sets them. */
static const uint32_t
    /* with constants of 16 bits */
    ARM64_MOVZ = 0xd2800000,
    ARM64_MOVN = 0x92800000, ARM64_MOVK = 0xf2800000,
    /* with a constant: of 12 bits, or a mask */
    ARM64_ADD_SMALL = 0x91000000, ARM64_ADD_SMALL_FLAGS = 0xb1000000,
    ARM64_SUB_SMALL_FLAGS = 0xf1000000, ARM64_AND_MASK = 0x92000000,
    ARM64_OR_MASK = 0xb2000000, ARM64_XOR_MASK = 0xd2000000,
    ARM64_AND_MASK_FLAGS = 0xf2000000,
    /* with two registers and a result */
    ARM64_ADD = 0x8b000000, ARM64_SUB = 0xcb000000,
    ARM64_SUB_FLAGS = 0xeb000000, ARM64_AND = 0x8a000000,
    ARM64_AND_FLAGS = 0xea000000, ARM64_OR = 0xaa000000,
    ARM64_OR_NOT = 0xaa200000, ARM64_XOR = 0xca000000, ARM64_MUL = 0x9b007c00,
    ARM64_MUL_SUB = 0x9b008000, ARM64_DIV = 0x9ac00c00,
    ARM64_SHIFT_LEFT = 0x9ac02000, ARM64_SHIFT_RIGHT = 0x9ac02400,
    ARM64_SHIFT_SIGNED = 0x9ac02800,
    /* a field of bits */
    ARM64_FIELD = 0xd3400000, ARM64_FIELD_SIGNED = 0x93400000,
    /* memory, with an offset in units, in bytes, or in a register */
    ARM64_AT_UNITS = 0x39000000, ARM64_AT_BYTES = 0x38000000,
    ARM64_AT_REGISTER = 0x38206800,
    /* two registers at the stack pointer, which may be moved before or after */
    ARM64_STORE_TWO = 0xa9000000, ARM64_STORE_TWO_BEFORE = 0xa9800000,
    ARM64_LOAD_TWO = 0xa9400000, ARM64_LOAD_TWO_AFTER = 0xa8c00000,
    /* floats */
    ARM64_FLOAT_MOVE = 0x1e604000, ARM64_FLOAT_BITS = 0x9e670000,
    ARM64_FLOAT_FROM_WHOLE = 0x9e620000, ARM64_FLOAT_ADD = 0x1e602800,
    ARM64_FLOAT_SUB = 0x1e603800, ARM64_FLOAT_MUL = 0x1e600800,
    ARM64_FLOAT_DIV = 0x1e601800, ARM64_FLOAT_FLAGS = 0x1e602000,
    /* jumps: by a distance, with a condition, to a register */
    ARM64_JUMP = 0x14000000, ARM64_BRANCH = 0x54000000, ARM64_GO = 0xd61f0000,
    ARM64_CALL = 0xd63f0000, ARM64_RETURN = 0xd65f0000;

/* Some words are never used: a patch of what was not written changes those. */
enum { ARM64_WORD = sizeof(uint32_t), ARM64_RESERVE = 4 * ARM64_WORD };

static void arm64_word(Assembler *a, uint32_t word) {
  if (a->end - a->at < ARM64_RESERVE) {
    a->full = true;
    return;
  }
  memcpy(a->at, &word, sizeof word);
  a->at += sizeof word;
}

/* An instruction with a register in each of its fields. */
static void arm64_two(Assembler *a, uint32_t form, unsigned to, unsigned from) {
  arm64_word(a, form | from << 5 | to);
}
static void arm64_three(Assembler *a, uint32_t form, unsigned to,
                        unsigned first, unsigned second) {
  arm64_word(a, form | second << 16 | first << 5 | to);
}

/* -- Numbers --------------------------------------------------------------- */

enum { ARM64_HALVES = 4, ARM64_HALF_BITS = 16, ARM64_HALF = 0xffff };

static unsigned arm64_half(uint64_t number, unsigned n) {
  return (unsigned)(number >> n * ARM64_HALF_BITS) & ARM64_HALF;
}

static unsigned arm64_count_halves(uint64_t number, unsigned half) {
  unsigned count = 0;
  for (unsigned n = 0; n < ARM64_HALVES; n++)
    count += arm64_half(number, n) == half;
  return count;
}

/* The first instruction sets all halves but one to 0, or to ones if that leaves
** less to do. */
static void arm64_number(Assembler *a, unsigned to, uint64_t number) {
  enum { SHIFT = 21 };
  bool inverted =
      arm64_count_halves(number, ARM64_HALF) > arm64_count_halves(number, 0);
  unsigned usual = inverted ? ARM64_HALF : 0;
  bool begun = false;
  for (unsigned n = 0; n < ARM64_HALVES; n++) {
    unsigned half = arm64_half(number, n);
    if (half == usual) continue;
    if (begun)
      arm64_word(a, ARM64_MOVK | n << SHIFT | half << 5 | to);
    else if (inverted)
      arm64_word(a, ARM64_MOVN | n << SHIFT | (half ^ ARM64_HALF) << 5 | to);
    else
      arm64_word(a, ARM64_MOVZ | n << SHIFT | half << 5 | to);
    begun = true;
  }
  if (!begun) arm64_word(a, (inverted ? ARM64_MOVN : ARM64_MOVZ) | to);
}

/* The fields of a constant in AND, ORR and EOR: ones side by side, rotated.
** False if the number is another one. */
static bool arm64_mask(uint64_t number, uint32_t *fields) {
  enum { BITS = 64, WIDE = 1 << 22, ROTATE = 16, COUNT = 10 };
  if (number == 0 || ~number == 0) return false;
  bool wraps = (number & 1) != 0; /* ones begin above the highest 0 */
  unsigned first =
      wraps ? (bits_highest(~number) + 1) % BITS : bits_lowest(number);
  unsigned count = bits_count(number);
  uint64_t ones = bits_below(count);
  uint64_t rotated = first == 0 ? ones : ones << first | ones >> (BITS - first);
  *fields = WIDE | (BITS - first) % BITS << ROTATE | (count - 1) << COUNT;
  return rotated == number;
}

/* -- Constants in additions ------------------------------------------------ */

/* The bit that makes an addition a subtraction. */
enum { ARM64_SUBTRACT = 1 << 30, ARM64_LIMIT = 1 << 12 };

/* to := from + number, if an instruction can have the number. */
static bool arm64_add_small(Assembler *a, uint32_t form, unsigned to,
                            unsigned from, int64_t number) {
  if (number <= -ARM64_LIMIT || number >= ARM64_LIMIT) return false;
  if (number < 0) form |= ARM64_SUBTRACT;
  uint32_t field = (uint32_t)(number < 0 ? -number : number);
  arm64_word(a, form | field << 10 | from << 5 | to);
  return true;
}

/* The same for all numbers.  `from` is not x17, unless the number is small. */
static void arm64_add_number(Assembler *a, unsigned to, unsigned from,
                             int64_t number) {
  if (arm64_add_small(a, ARM64_ADD_SMALL, to, from, number)) return;
  arm64_number(a, ARM64_PLACE, (uint64_t)number);
  arm64_three(a, ARM64_ADD, to, from, ARM64_PLACE);
}

/* -- Memory ---------------------------------------------------------------- */

/* What an instruction moves: the lowest bits are its size. */
enum {
  ARM64_BYTE = 0,
  ARM64_SHORT = 1,
  ARM64_INT = 2,
  ARM64_LONG = 3,
  ARM64_SIZE = 3,
  ARM64_LOAD = 1 << 22,
  ARM64_FLOAT = 1 << 26
};

/* The address of an operand with an index. */
static void arm64_place(Assembler *a, unsigned to, Memory m) {
  enum { SCALE = 10 };
  unsigned base = m.base;
  if (m.offset != 0) {
    arm64_add_number(a, ARM64_PLACE, base, m.offset);
    base = ARM64_PLACE;
  }
  arm64_three(a, ARM64_ADD | bits_lowest(m.scale) << SCALE, to, base, m.index);
}

static void arm64_indexed(Assembler *a, unsigned form, unsigned reg, Memory m) {
  enum { SCALED = 1 << 12 };
  arm64_three(a, ARM64_AT_REGISTER | form | (m.scale > 1 ? SCALED : 0), reg,
              m.base, m.index);
}

/* A register and a constant.  If that is too large, x17 becomes the address. */
static void arm64_offset(Assembler *a, unsigned form, unsigned size,
                         unsigned reg, unsigned base, int32_t offset) {
  enum { SHORT = 256, FIELD = 10, SHORT_FIELD = 12, SHORT_MASK = 0x1ff };
  uint32_t units = (uint32_t)offset >> size;
  if (offset >= 0 && units < ARM64_LIMIT && units << size == (uint32_t)offset) {
    arm64_two(a, ARM64_AT_UNITS | form | units << FIELD, reg, base);
  } else if (offset >= -SHORT && offset < SHORT) {
    arm64_two(a,
              ARM64_AT_BYTES | form |
                  ((uint32_t)offset & SHORT_MASK) << SHORT_FIELD,
              reg, base);
  } else {
    arm64_add_number(a, ARM64_PLACE, base, offset);
    arm64_two(a, ARM64_AT_UNITS | form, reg, ARM64_PLACE);
  }
}

static void arm64_memory(Assembler *a, unsigned what, unsigned reg, Memory m) {
  enum { SIZE_FIELD = 30 };
  unsigned size = what & ARM64_SIZE;
  unsigned form = (what & ~(unsigned)ARM64_SIZE) | size << SIZE_FIELD;
  if (m.index == NO_REGISTER) {
    arm64_offset(a, form, size, reg, m.base, m.offset);
  } else if (m.offset == 0 && (m.scale == 1 || m.scale == 1u << size)) {
    arm64_indexed(a, form, reg, m);
  } else {
    arm64_place(a, ARM64_PLACE, m);
    arm64_offset(a, form, size, reg, ARM64_PLACE, 0);
  }
}

/* -- Moving ---------------------------------------------------------------- */

void asm_load(Assembler *a, Register to, Memory from) {
  arm64_memory(a, ARM64_LOAD | ARM64_LONG, to, from);
}
void asm_load32(Assembler *a, Register to, Memory from) {
  arm64_memory(a, ARM64_LOAD | ARM64_INT, to, from);
}
void asm_load16(Assembler *a, Register to, Memory from) {
  arm64_memory(a, ARM64_LOAD | ARM64_SHORT, to, from);
}
void asm_load8(Assembler *a, Register to, Memory from) {
  arm64_memory(a, ARM64_LOAD | ARM64_BYTE, to, from);
}
void asm_store(Assembler *a, Memory to, Register from) {
  arm64_memory(a, ARM64_LONG, from, to);
}
void asm_store32(Assembler *a, Memory to, Register from) {
  arm64_memory(a, ARM64_INT, from, to);
}
void asm_store8(Assembler *a, Memory to, Register from) {
  arm64_memory(a, ARM64_BYTE, from, to);
}

/* A register with the number. */
static unsigned arm64_number_in(Assembler *a, uint64_t number) {
  if (number == 0) return ARM64_ZERO;
  arm64_number(a, ARM64_NUMBER, number);
  return ARM64_NUMBER;
}

void asm_store32_number(Assembler *a, Memory to, uint32_t number) {
  arm64_memory(a, ARM64_INT, arm64_number_in(a, number), to);
}
void asm_store8_number(Assembler *a, Memory to, uint8_t number) {
  arm64_memory(a, ARM64_BYTE, arm64_number_in(a, number), to);
}

/* The number is in the first two instructions, one half in each. */
Patch asm_store32_later(Assembler *a, Memory to) {
  enum { SECOND_HALF = 1 << 21 };
  Patch at = a->at;
  arm64_word(a, ARM64_MOVZ | ARM64_NUMBER);
  arm64_word(a, ARM64_MOVK | SECOND_HALF | ARM64_NUMBER);
  arm64_memory(a, ARM64_INT, ARM64_NUMBER, to);
  return at;
}

void asm_address(Assembler *a, Register to, Memory of) {
  if (of.index == NO_REGISTER)
    arm64_add_number(a, to, of.base, of.offset);
  else
    arm64_place(a, to, of);
}

void asm_move(Assembler *a, Register to, Register from) {
  if (to != from) arm64_three(a, ARM64_OR, to, ARM64_ZERO, from);
}

void asm_extend32(Assembler *a, Register number) {
  enum { LAST = 31 << 10 };
  arm64_two(a, ARM64_FIELD_SIGNED | LAST, number, number);
}

void asm_number(Assembler *a, Register to, uint64_t number) {
  arm64_number(a, to, number);
}

/* -- Integers -------------------------------------------------------------- */

/* Of each operation: with a register, and with a mask. */
static const uint32_t arm64_whole[] = {
    [WHOLE_ADD] = ARM64_ADD, [WHOLE_OR] = ARM64_OR,
    [WHOLE_AND] = ARM64_AND, [WHOLE_SUB] = ARM64_SUB,
    [WHOLE_XOR] = ARM64_XOR, [WHOLE_COMPARE] = ARM64_SUB_FLAGS,
};
static const uint32_t arm64_whole_mask[] = {[WHOLE_OR] = ARM64_OR_MASK,
                                            [WHOLE_AND] = ARM64_AND_MASK,
                                            [WHOLE_XOR] = ARM64_XOR_MASK};

static void arm64_whole_op(Assembler *a, WholeOp op, unsigned to,
                           unsigned from) {
  unsigned result = op == WHOLE_COMPARE ? ARM64_ZERO : to;
  arm64_three(a, arm64_whole[op], result, to, from);
}

/* True if an instruction can have the constant. */
static bool arm64_whole_constant(Assembler *a, WholeOp op, unsigned to,
                                 int64_t number) {
  uint32_t fields;
  switch (op) {
    case WHOLE_ADD: return arm64_add_small(a, ARM64_ADD_SMALL, to, to, number);
    case WHOLE_SUB: return arm64_add_small(a, ARM64_ADD_SMALL, to, to, -number);
    case WHOLE_COMPARE: /* for 0, an addition would have another carry */
      return arm64_add_small(
          a, number == 0 ? ARM64_SUB_SMALL_FLAGS : ARM64_ADD_SMALL_FLAGS,
          ARM64_ZERO, to, -number);
    default:
      if (!arm64_mask((uint64_t)number, &fields)) return false;
      arm64_two(a, arm64_whole_mask[op] | fields, to, to);
      return true;
  }
}

/* With a constant that may need the register `other`. */
static void arm64_whole_number(Assembler *a, WholeOp op, unsigned to,
                               int64_t number, unsigned other) {
  if (arm64_whole_constant(a, op, to, number)) return;
  arm64_number(a, other, (uint64_t)number);
  arm64_whole_op(a, op, to, other);
}

void asm_whole(Assembler *a, WholeOp op, Register to, Register from) {
  arm64_whole_op(a, op, to, from);
}
void asm_whole_number(Assembler *a, WholeOp op, Register to, int32_t number) {
  arm64_whole_number(a, op, to, number, ARM64_NUMBER);
}
void asm_whole_memory(Assembler *a, WholeOp op, Register to, Memory from) {
  asm_load(a, (Register)ARM64_NUMBER, from);
  arm64_whole_op(a, op, to, ARM64_NUMBER);
}
void asm_multiply(Assembler *a, Register to, Register from) {
  arm64_three(a, ARM64_MUL, to, to, from);
}
void asm_negate(Assembler *a, Register to) {
  arm64_three(a, ARM64_SUB, to, ARM64_ZERO, to);
}
void asm_invert(Assembler *a, Register to) {
  arm64_three(a, ARM64_OR_NOT, to, ARM64_ZERO, to);
}

/* A shift moves a field of bits: to the right by its first bit, or to the left by
** what is missing to 64. */
void asm_shift(Assembler *a, ShiftOp op, Register to, unsigned by) {
  enum { BITS = 64, FIRST = 16, LAST = 10 };
  uint32_t form = op == SHIFT_SIGNED ? ARM64_FIELD_SIGNED : ARM64_FIELD;
  unsigned first = by, last = BITS - 1;
  if (op == SHIFT_LEFT) {
    first = (BITS - by) % BITS;
    last = BITS - 1 - by;
  }
  arm64_two(a, form | first << FIRST | last << LAST, to, to);
}

/* The lowest six bits of T1 count. */
void asm_shift_by_t1(Assembler *a, ShiftOp op, Register to) {
  static const uint32_t form[] = {[SHIFT_LEFT] = ARM64_SHIFT_LEFT,
                                  [SHIFT_RIGHT] = ARM64_SHIFT_RIGHT,
                                  [SHIFT_SIGNED] = ARM64_SHIFT_SIGNED};
  arm64_three(a, form[op], to, to, T1);
}

void asm_increment(Assembler *a, Memory number) {
  asm_load(a, (Register)ARM64_NUMBER, number);
  arm64_add_small(a, ARM64_ADD_SMALL, ARM64_NUMBER, ARM64_NUMBER, 1);
  asm_store(a, number, (Register)ARM64_NUMBER);
}

/* T2 := T0 - quotient * by. */
void asm_divide(Assembler *a, Register by) {
  arm64_three(a, ARM64_DIV, ARM64_NUMBER, T0, by);
  arm64_three(a, ARM64_MUL_SUB | T0 << 10, T2, ARM64_NUMBER, by);
  asm_move(a, T0, (Register)ARM64_NUMBER);
}

static void arm64_compare(Assembler *a, unsigned what, Memory with,
                          int64_t number) {
  arm64_memory(a, ARM64_LOAD | what, ARM64_NUMBER, with);
  arm64_whole_number(a, WHOLE_COMPARE, ARM64_NUMBER, number, ARM64_PLACE);
}
void asm_compare8(Assembler *a, Memory with, uint8_t number) {
  arm64_compare(a, ARM64_BYTE, with, number);
}
void asm_compare16(Assembler *a, Memory with, uint16_t number) {
  arm64_compare(a, ARM64_SHORT, with, number);
}
void asm_compare32(Assembler *a, Memory with, uint32_t number) {
  arm64_compare(a, ARM64_INT, with, number);
}
void asm_compare(Assembler *a, Memory with, int32_t number) {
  arm64_compare(a, ARM64_LONG, with, number);
}

void asm_test8(Assembler *a, Memory with, uint8_t bits) {
  uint32_t fields;
  asm_load8(a, (Register)ARM64_NUMBER, with);
  if (arm64_mask(bits, &fields)) {
    arm64_two(a, ARM64_AND_MASK_FLAGS | fields, ARM64_ZERO, ARM64_NUMBER);
  } else {
    arm64_number(a, ARM64_PLACE, bits);
    arm64_three(a, ARM64_AND_FLAGS, ARM64_ZERO, ARM64_NUMBER, ARM64_PLACE);
  }
}
void asm_test(Assembler *a, Register with, Register other) {
  arm64_three(a, ARM64_AND_FLAGS, ARM64_ZERO, with, other);
}

/* -- Floats ---------------------------------------------------------------- */

void asm_float_load(Assembler *a, FloatRegister to, Memory from) {
  arm64_memory(a, ARM64_FLOAT | ARM64_LOAD | ARM64_LONG, to, from);
}
void asm_float_store(Assembler *a, Memory to, FloatRegister from) {
  arm64_memory(a, ARM64_FLOAT | ARM64_LONG, from, to);
}
void asm_float_move(Assembler *a, FloatRegister to, FloatRegister from) {
  if (to != from) arm64_two(a, ARM64_FLOAT_MOVE, to, from);
}
void asm_float_bits(Assembler *a, FloatRegister to, Register from) {
  arm64_two(a, ARM64_FLOAT_BITS, to, from);
}
void asm_float_from_whole(Assembler *a, FloatRegister to, Register from) {
  arm64_two(a, ARM64_FLOAT_FROM_WHOLE, to, from);
}
void asm_float(Assembler *a, FloatOpCode op, FloatRegister to,
               FloatRegister from) {
  static const uint32_t form[] = {[FLOAT_ADD] = ARM64_FLOAT_ADD,
                                  [FLOAT_MUL] = ARM64_FLOAT_MUL,
                                  [FLOAT_SUB] = ARM64_FLOAT_SUB,
                                  [FLOAT_DIV] = ARM64_FLOAT_DIV};
  arm64_three(a, form[op], to, to, from);
}
void asm_float_compare(Assembler *a, FloatRegister x, FloatRegister y) {
  arm64_three(a, ARM64_FLOAT_FLAGS, 0, x, y);
}
void asm_float_equal(Assembler *a, FloatRegister x, FloatRegister y) {
  asm_float_compare(a, x, y);
}

/* -- Jumps ----------------------------------------------------------------- */

/* A comparison with NaN sets the flags of carry and overflow.  So conditions of
** floats are those of signed numbers. */
static const uint8_t arm64_condition[] = {
    [IF_BELOW] = 3,           [IF_NOT_BELOW] = 2,
    [IF_EQUAL] = 0,           [IF_NOT_EQUAL] = 1,
    [IF_ABOVE] = 8,           [IF_NOT_ABOVE] = 9,
    [IF_LESS] = 11,           [IF_NOT_LESS] = 10,
    [IF_GREATER] = 12,        [IF_NOT_GREATER] = 13,
    [IF_FLOAT_GREATER] = 12,  [IF_FLOAT_NOT_GREATER] = 13,
    [IF_FLOAT_AT_LEAST] = 10, [IF_FLOAT_NOT_AT_LEAST] = 11,
    [IF_FLOAT_EQUAL] = 0,     [IF_FLOAT_NOT_EQUAL] = 1,
};

/* Distances of jumps, in words. */
enum {
  ARM64_JUMP_BITS = 26,
  ARM64_BRANCH_BITS = 19, /* of a jump with a condition */
  ARM64_BRANCH_FIELD = 5
};

/* An instruction in memory. */
static uint32_t arm64_read(const uint8_t *at) {
  uint32_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* The only way in which an instruction that exists is changed: if it has been
** published, it is published again. */
static void arm64_change(Assembler *a, uint8_t *at, uint32_t word);

static bool arm64_reaches(ptrdiff_t words, unsigned bits) {
  ptrdiff_t end = (ptrdiff_t)1 << (bits - 1);
  return words >= -end && words < end;
}

Patch asm_jump(Assembler *a, Condition condition) {
  Patch at = a->at;
  arm64_word(a, condition == ALWAYS
                    ? ARM64_JUMP
                    : ARM64_BRANCH | arm64_condition[condition]);
  return at;
}

/* A jump without a condition.  It reaches 128 MB. */
static uint32_t arm64_jump_by(ptrdiff_t words) {
  return ARM64_JUMP | ((uint32_t)words & (uint32_t)bits_below(ARM64_JUMP_BITS));
}

static uint32_t arm64_branch_by(uint32_t branch, ptrdiff_t words) {
  uint32_t field = (uint32_t)bits_below(ARM64_BRANCH_BITS)
                   << ARM64_BRANCH_FIELD;
  return (branch & ~field) | ((uint32_t)words << ARM64_BRANCH_FIELD & field);
}

bool asm_patch(Assembler *a, Patch at, const uint8_t *target) {
  ptrdiff_t words = (target - at) / ARM64_WORD;
  uint32_t word = arm64_read(at);
  bool always = word >> ARM64_JUMP_BITS == ARM64_JUMP >> ARM64_JUMP_BITS;
  if (!always && !arm64_reaches(words, ARM64_BRANCH_BITS)) return false;
  arm64_change(a, at,
               always ? arm64_jump_by(words) : arm64_branch_by(word, words));
  return true;
}

void asm_patch_number(Assembler *a, Patch at, uint32_t number) {
  const uint32_t field = ARM64_HALF << 5;
  uint8_t *next = at + ARM64_WORD;
  arm64_change(a, at, (arm64_read(at) & ~field) | arm64_half(number, 0) << 5);
  arm64_change(a, next,
               (arm64_read(next) & ~field) | arm64_half(number, 1) << 5);
}

/* If the target is too far for a condition, the opposite one jumps over a jump
** without a condition. */
void asm_go(Assembler *a, Condition condition, const uint8_t *target) {
  Patch jump = asm_jump(a, condition);
  if (asm_patch(a, jump, target)) return;
  a->at = jump;
  Patch over = asm_jump(a, condition_opposite(condition));
  asm_patch(a, asm_jump(a, ALWAYS), target);
  asm_patch(a, over, a->at);
}

void asm_replace_by_jump(Assembler *a, uint8_t *at, const uint8_t *target) {
  arm64_change(a, at, arm64_jump_by((target - at) / ARM64_WORD));
}

void asm_jump_to(Assembler *a, Register address) {
  arm64_two(a, ARM64_GO, 0, address);
}

void asm_arguments(Assembler *a, Register first, Register second) {
  asm_move(a, (Register)ARM64_X1, second); /* may be x0 */
  asm_move(a, (Register)ARM64_X0, first);
}
void asm_third_argument(Assembler *a, uint64_t number) {
  arm64_number(a, ARM64_X2, number);
}
void asm_call(Assembler *a, uintptr_t function) {
  arm64_number(a, ARM64_NUMBER, function);
  arm64_two(a, ARM64_CALL, 0, ARM64_NUMBER);
}

/* -- The way in and out ---------------------------------------------------- */

/* What the frame keeps: the frame before it, the link, BASE and STATE. */
enum { ARM64_FRAME_WORDS = 4, ARM64_KEPT = 2 };

/* Stores or loads two registers.  `offset` counts registers. */
static void arm64_pair(Assembler *a, uint32_t form, unsigned first,
                       unsigned second, int offset) {
  enum { FIELD = 15, MASK = 0x7f };
  arm64_word(a, form | ((uint32_t)offset & MASK) << FIELD | second << 10 |
                    ARM64_STACK << 5 | first);
}

void asm_enter(Assembler *a, bool homes) {
  arm64_pair(a, ARM64_STORE_TWO_BEFORE, ARM64_FRAME, ARM64_LINK,
             -ARM64_FRAME_WORDS);
  arm64_pair(a, ARM64_STORE_TWO, BASE, STATE, ARM64_KEPT);
  arm64_add_small(a, ARM64_ADD_SMALL, ARM64_FRAME, ARM64_STACK, 0);
  asm_move(a, STATE, (Register)ARM64_X0);
  asm_move(a, BASE, (Register)ARM64_X1);
  if (homes) asm_load_homes(a, (Register)ARM64_HOMES);
  asm_jump_to(a, (Register)ARM64_X2);
}

void asm_leave(Assembler *a) {
  arm64_pair(a, ARM64_LOAD_TWO, BASE, STATE, ARM64_KEPT);
  arm64_pair(a, ARM64_LOAD_TWO_AFTER, ARM64_FRAME, ARM64_LINK,
             ARM64_FRAME_WORDS);
  arm64_two(a, ARM64_RETURN, 0, ARM64_LINK);
}

/* -- Code that runs -------------------------------------------------------- */

/* Nothing tells the cache of instructions what has been written.  The cache of
** data must pass it on to where instructions are read from, and then the other
** cache must drop what it has.  The addresses are those where the code runs,
** because a cache of instructions may find its lines by them.  A cache of data
** finds a line by its place in memory, so this passes on what was written by the
** other addresses, too.  All of this reaches the other processors as well.  What
** this one has read ahead is dropped; for the others, see asm_meet_thread. */
static void arm64_publish(const Assembler *a, uint8_t *from, uint8_t *end) {
  char *run = (char *)(from + a->apart);
  __builtin___clear_cache(run, run + (end - from));
}

static void arm64_change(Assembler *a, uint8_t *at, uint32_t word) {
  memcpy(at, &word, sizeof word);
  if (at < a->start || at >= a->at) arm64_publish(a, at, at + sizeof word);
}

void asm_publish(Assembler *a) {
  arm64_publish(a, a->start, a->at);
  a->start = a->at;
}

#else
typedef int Arm64NotBuilt;
#endif
