/* SPDX-License-Identifier: MIT */
/*
** bytecode.h -- the instructions: layout, limits, properties
**
** The contract between the compiler, which writes code, and the vm, which runs
** it.  Code is a vector of 32-bit words.  An instruction is one word.  Some
** opcodes have a second word, AUX:
**
**              31      24 23      16 15       8 7        0
**     ABC     |    C     |    B     |  opcode  |    A     |
**     AD      |          D          |  opcode  |    A     |
**     E       |       E, high       |  opcode  |  E, low  |
**     AUX     |                    32 bits                |
**
** The low byte holds A, the operand that almost all instructions have, because
** it is the cheapest byte to turn into an address: one machine instruction on
** AArch64.
**
** D and E are signed.  D is unsigned where it is the index of a constant.  Jump
** offsets count words from the word after the instruction's first word.  So a
** jump with its offset in AUX adds it to the address of AUX.
**
** opcodes.def lists the opcodes; docs/bytecode.md explains them.
*/
#ifndef PENUMBRA_BYTECODE_H
#define PENUMBRA_BYTECODE_H

#include "base/base.h"

typedef uint32_t Instruction;

typedef enum Opcode {
#define OP(name, format, operands, meaning) OP_##name,
#include "bytecode/opcodes.def"
#undef OP
  OPCODE_COUNT
} Opcode;

typedef enum OpFormat {
  FORMAT_ABC,
  FORMAT_ABCX,
  FORMAT_AD,
  FORMAT_ADX,
  FORMAT_E
} OpFormat;

/* What the encoding can hold.  The compiler reports programs that need more. */
enum {
  CODE_MAX_REGISTERS = 255, /* of a frame; registers are 0 .. 254 */
  CODE_MAX_UPVALUES = 255,
  CODE_MAX_OPERAND = 255, /* A, B, C */
  CODE_MAX_D = 65535,     /* constants of LOADK and SETFIELDK */
  CODE_MAX_FIELD = 65535, /* constants that can be field names in AUX */
  CODE_MIN_SD = -32768,
  CODE_MAX_SD = 32767,
  CODE_MIN_I8 = -128, /* immediates of arithmetic */
  CODE_MAX_I8 = 127,
  CODE_MIN_I15 = -16384, /* immediates of comparisons */
  CODE_MAX_I15 = 16383,
  CODE_MIN_E = -8388608, /* jumps of JMP */
  CODE_MAX_E = 8388607,
  CODE_MAX_NAMES = 64, /* of a template */
  CODE_MAX_ITEMS = 32  /* list items of a template: few enough to be moved
                            ** at once */
};

/* -- Taking instructions apart --------------------------------------------- */

static ALWAYS_INLINE Opcode code_op(Instruction i) {
  return (Opcode)(i >> 8 & 0xff);
}
static ALWAYS_INLINE unsigned code_a(Instruction i) { return i & 0xff; }
static ALWAYS_INLINE unsigned code_b(Instruction i) { return i >> 16 & 0xff; }
static ALWAYS_INLINE unsigned code_c(Instruction i) { return i >> 24; }
static ALWAYS_INLINE int code_sb(Instruction i) { return (int8_t)(i >> 16); }
static ALWAYS_INLINE int code_sc(Instruction i) { return (int32_t)i >> 24; }
static ALWAYS_INLINE unsigned code_d(Instruction i) { return i >> 16; }
static ALWAYS_INLINE int code_sd(Instruction i) { return (int32_t)i >> 16; }
static ALWAYS_INLINE int code_e(Instruction i) {
  return code_sd(i) * 256 + (int)code_a(i);
}

/* The immediate of a comparison.  The lowest bit of D says whether the program
** wrote a float.  Only a metamethod can see the difference. */
static ALWAYS_INLINE int code_i15(Instruction i) { return (int32_t)i >> 17; }
static ALWAYS_INLINE bool code_i15_is_float(Instruction i) {
  return (i >> 16 & 1) != 0;
}

/* AUX of field instructions: the constant, and a hint.  The hint belongs to the
** vm and must be 0 in new code. */
static ALWAYS_INLINE unsigned aux_key(Instruction aux) { return aux & 0xffff; }
static ALWAYS_INLINE unsigned aux_hint(Instruction aux) { return aux >> 16; }
static ALWAYS_INLINE Instruction aux_field(unsigned key, unsigned hint) {
  return (Instruction)(key | (hint & 0xffff) << 16);
}

/* B of DUPTABLE, and of a NEWTABLE without sizes, also belongs to the vm and is
** 0 in new code.  It holds the room behind the new table, in units of 16 bytes,
** and whether the table will be a hash with only short strings as keys. */
enum {
  CODE_ROOM_UNIT = 16,
  CODE_MAX_ROOM = 31,
  CODE_ROOM_NAMES = 32,
  CODE_ROOM_BASE = 64 /* of NEWTABLE: above any other B */
};

static ALWAYS_INLINE unsigned code_room_base(Instruction i) {
  return code_op(i) == OP_NEWTABLE ? CODE_ROOM_BASE : 0;
}
static inline bool code_copies_table(Instruction i) {
  return code_op(i) == OP_DUPTABLE || code_op(i) == OP_DUPTABLE_SET;
}
static inline bool code_has_room(Instruction i) {
  return code_copies_table(i) ||
         (code_op(i) == OP_NEWTABLE && code_b(i) >= CODE_ROOM_BASE);
}
static ALWAYS_INLINE size_t code_room(Instruction i) {
  return (size_t)(code_b(i) & CODE_MAX_ROOM) * CODE_ROOM_UNIT;
}
static inline bool code_room_is_for_names(Instruction i) {
  return (code_b(i) & CODE_ROOM_NAMES) != 0;
}
static inline Instruction code_with_room(Instruction i, unsigned units,
                                         bool names) {
  unsigned b = code_room_base(i) + units + (names ? CODE_ROOM_NAMES : 0);
  if (units == 0) b = 0;
  return (i & ~UINT32_C(0xff0000)) | (Instruction)b << 16;
}

/* Bits of C of TAILCALL and RETURN, in the order in which they are acted on. */
enum {
  RETURN_CLOSE = 1, /* there may be something to close */
  RETURN_VARARG = 2 /* the function has variable arguments */
};

/* True if the instruction is R[table][R[key]] := ... */
static inline bool code_is_store(Instruction i, unsigned table, unsigned key) {
  return code_op(i) >= OP_SETTABLE && code_op(i) <= OP_SETTABLEK_FOR1 &&
         code_a(i) == table && code_b(i) == key;
}

/* True if the instruction is R[table][K] := R[B]. */
static ALWAYS_INLINE bool code_is_set_field(Instruction i, unsigned table) {
  return (i & 0xffff) == (OP_SETFIELD << 8 | table);
}

/* -- Putting them together ------------------------------------------------- */

static inline Instruction code_make_abc(Opcode op, unsigned a, unsigned b,
                                        unsigned c) {
  return (Instruction)op << 8 | (Instruction)(a & 0xff) |
         (Instruction)(b & 0xff) << 16 | (Instruction)(c & 0xff) << 24;
}
static inline Instruction code_make_ad(Opcode op, unsigned a, int d) {
  return (Instruction)op << 8 | (Instruction)(a & 0xff) |
         ((Instruction)d & 0xffff) << 16;
}
static inline Instruction code_make_e(Opcode op, int e) {
  return code_make_ad(op, (unsigned)e, (int)((Instruction)e >> 8));
}
static inline Instruction code_with_op(Instruction i, Opcode op) {
  return (i & ~UINT32_C(0xff00)) | (Instruction)op << 8;
}
/* The value of D for the immediate of a comparison. */
static inline int code_make_i15(int value, bool is_float) {
  return value * 2 + is_float;
}

/* -- Properties ------------------------------------------------------------ */

typedef struct OpInfo {
  const char *name;
  const char *operands; /* letters, see opcodes.def */
  const char *meaning;
  uint8_t format; /* OpFormat */
  uint8_t length; /* in words */
} OpInfo;

extern const OpInfo opcode_info[OPCODE_COUNT];

/* The words an instruction occupies: 1 or 2. */
static inline int code_length(Instruction i) {
  return opcode_info[code_op(i)].length;
}

/* The offset of a jump.  `aux` is its AUX word; JMP ignores it. */
static inline int code_jump_offset(Instruction i, Instruction aux) {
  return code_op(i) == OP_JMP ? code_e(i) : (int)(int32_t)aux;
}

/* True for instructions that have a jump offset. */
bool opcode_is_jump(Opcode op);

/* -- Pairs: superinstructions ---------------------------------------------- */

/* The opcode of the first half of a pair.  Other opcodes stay the same. */
Opcode opcode_alone(Opcode op);

/* The opcode that `first` should have if `second` follows it.  The compiler
** sets LENAPPEND earlier, so it stays. */
Opcode code_pair(Instruction first, Instruction second);

/* True if `first` is a pair and `second` is the instruction it needs next. */
bool code_is_pair(Instruction first, Instruction second);

/* -- For slow paths: operations and their operands ------------------------- */

typedef enum OperandKind {
  OPERAND_NONE,
  OPERAND_REGISTER,
  OPERAND_CONSTANT,
  OPERAND_INTEGER, /* the number itself */
  OPERAND_FLOAT    /* the number itself, a float for metamethods */
} OperandKind;

typedef struct Operand {
  OperandKind kind;
  int index; /* register, constant or number */
} Operand;

/* What an instruction computes. */
typedef struct Operation {
  const char *event; /* "add", "lt" ... as in __add, __lt; NULL if none */
  int arith;         /* LUA_OPADD ... LUA_OPBNOT, or -1 */
  Operand left, right;
} Operation;

/* Describes arithmetic, bitwise, concatenation, length and comparison
** instructions.  `right` is OPERAND_NONE for unary ones.  `left` is the
** immediate for JGTI and JGEI, because x > I is I < x. */
Operation code_operation(Instruction i);

#endif
