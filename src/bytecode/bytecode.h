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
#define OP(name, ...)   OP_##name,
#define PAIR(name, ...) OP_##name,
#include "bytecode/opcodes.def"
  OPCODE_COUNT
} Opcode;

typedef enum OpFormat {
  FORMAT_ABC,
  FORMAT_ABCX,
  FORMAT_AD,
  FORMAT_ADX,
  FORMAT_E
} OpFormat;

/* Words of an instruction. */
enum {
  LENGTH_ABC = 1,
  LENGTH_ABCX = 2,
  LENGTH_AD = 1,
  LENGTH_ADX = 2,
  LENGTH_E = 1
};

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
  CODE_MAX_ITEMS = 32, /* list items of a template: few enough to be moved
                            ** at once */
  CODE_MAX_FLUSH = 50, /* list items that one SETLIST stores, of two words */
  CODE_ITEMS_PER_WORD = CODE_MAX_FLUSH / 2
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
** 0 in new code.  It holds the space reserved behind the new table, in units of
** 16 bytes, and whether the table will be a hash with only short strings as
** keys. */
enum {
  CODE_PRESIZE_STEP = 16,
  CODE_PRESIZE_MAX = 31,
  CODE_PRESIZE_NAMES = 32,
  CODE_PRESIZE_BASE = 64 /* of NEWTABLE: above any other B */
};

static ALWAYS_INLINE unsigned code_presize_base(Instruction i) {
  return code_op(i) == OP_NEWTABLE ? CODE_PRESIZE_BASE : 0;
}
static inline bool code_copies_table(Instruction i) {
  return code_op(i) == OP_DUPTABLE || code_op(i) == OP_DUPTABLE_SET;
}
static inline bool code_is_presized(Instruction i) {
  return code_copies_table(i) ||
         (code_op(i) == OP_NEWTABLE && code_b(i) >= CODE_PRESIZE_BASE);
}
static ALWAYS_INLINE size_t code_presize(Instruction i) {
  return (size_t)(code_b(i) & CODE_PRESIZE_MAX) * CODE_PRESIZE_STEP;
}
static inline bool code_presize_is_for_names(Instruction i) {
  return (code_b(i) & CODE_PRESIZE_NAMES) != 0;
}
static inline Instruction code_with_presize(Instruction i, unsigned units,
                                            bool names) {
  unsigned b = code_presize_base(i) + units + (names ? CODE_PRESIZE_NAMES : 0);
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

/* True if such a store stores K[C], not R[C]. */
static ALWAYS_INLINE bool code_stores_constant(Instruction i) {
  return code_op(i) >= OP_SETTABLEK;
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

/* What an instruction may do besides what its operands say. */
typedef enum OpTrait {
  QUIET = 0,
  MAY_RAISE = 1,                /* an error of the program */
  MAY_ALLOCATE = 2 | MAY_RAISE, /* and then run finalizers, or be refused */
  MAY_CALL = 4 | MAY_ALLOCATE,  /* any function, which may switch threads */
  ENDS_BLOCK = 8,               /* the next word is not executed after it */
  IS_SWAPPED = 16,              /* the event has the operands in turn */
  OF_LOOP = 32                  /* a jump that belongs to a `for` loop */
} OpTrait;

/* Which operand of the second instruction of a pair is the result of the first:
** B, C, C of a store, A of a store, or none. */
typedef enum PairLink {
  LINK_NOTHING, /* this is no pair */
  LINK_LEFT,
  LINK_RIGHT,
  LINK_VALUE,
  LINK_TABLE,
  LINK_ANY,
  LINK_APPEND /* LENAPPEND, which the compiler makes itself */
} PairLink;

/* The row of an opcode. */
typedef struct OpInfo {
  const char *name;
  const char *operands; /* letters, see opcodes.def */
  const char *meaning;  /* NULL for a pair */
  uint8_t format;       /* OpFormat */
  uint8_t length;       /* in words */
  uint8_t event;        /* MetaEvent, or META_NONE */
  uint8_t traits;       /* OpTrait */
  uint8_t first;        /* of a pair: the opcode that it begins with */
  uint8_t second;       /* of a pair: the opcode that must follow */
  uint8_t link;         /* PairLink */
} OpInfo;

extern const OpInfo opcode_info[OPCODE_COUNT];

/* True for the letter of a constant number. */
static ALWAYS_INLINE bool operand_is_number(char letter) {
  return letter == 'n' || letter == 'f' || letter == 'm' || letter == 'e';
}

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

/* Like opcode_is_jump, but not for those of `for` loops. */
static inline bool opcode_is_free_jump(Opcode op) {
  return opcode_is_jump(op) && !(opcode_info[op].traits & OF_LOOP);
}

/* What follows from the order in opcodes.def, for code that has no time to look
** at rows.  tests/unit/bytecode compares it with them. */
static ALWAYS_INLINE bool opcode_is_arithmetic(Opcode op) {
  return op >= OP_ADD_RR && op <= OP_BNOT;
}
static ALWAYS_INLINE bool opcode_is_comparison(Opcode op) {
  return op >= OP_JEQ && op <= OP_JNGEI;
}
static ALWAYS_INLINE bool opcode_is_condition(Opcode op) {
  return op >= OP_JT && op <= OP_JNGEI;
}
static ALWAYS_INLINE bool opcode_is_return(Opcode op) {
  return op >= OP_RETURN && op <= OP_RETURN1;
}
/* True for a condition that jumps if it does not hold. */
static ALWAYS_INLINE bool opcode_is_negated(Opcode op) {
  return (op - OP_JT) & 1;
}
static inline Opcode opcode_opposite(Opcode op) {
  return (Opcode)(((op - OP_JT) ^ 1) + OP_JT);
}

/* -- Pairs: superinstructions ---------------------------------------------- */

/* The opcode of the first half of a pair.  Other opcodes stay the same. */
static inline Opcode opcode_alone(Opcode op) {
  return (Opcode)opcode_info[op].first;
}

/* The opcode that `first` should have if `second` follows it.  The compiler
** sets LENAPPEND earlier, so it stays. */
Opcode code_pair(Instruction first, Instruction second);

/* True if `first` is a pair and `second` is the instruction it needs next. */
bool code_is_pair(Instruction first, Instruction second);

/* -- Operations ------------------------------------------------------------ */

/* "add", "lt" ... as in __add, __lt: the event of an arithmetic, bitwise,
** concatenation, length or comparison instruction.  NULL for all others. */
const char *opcode_event(Opcode op);

#endif
