/* SPDX-License-Identifier: MIT */
/*
** luac.h -- functions compiled by PUC's `luac` 5.4
**
** luac_read.c reads the bytes, luac_translate.c makes our instructions of the
** foreign ones.  Registers, constants, upvalues and variables keep their
** numbers.  What comes out is verified like every function that is read, so
** neither file has to know what is safe: they refuse only what they cannot
** express.
*/
#ifndef PENUMBRA_BYTECODE_LUAC_H
#define PENUMBRA_BYTECODE_LUAC_H

#include "bytecode/undump_impl.h"

/* A foreign instruction: k, B and C may be Bx, and with A, sJ or Ax.
**
**      31     24 23     16 15 14      7 6      0
**     |    C    |    B    | k |   A    | opcode |
*/
typedef uint32_t LuacWord;

typedef enum LuacOp {
#define LUAC(name, with, leads) LUAC_##name,
#include "bytecode/luac54.def"
  LUAC_OP_COUNT
} LuacOp;

/* -- Taking foreign instructions apart ------------------------------------- */

enum {
  SIGNED_B = 127, /* what is added to signed fields */
  SIGNED_BX = 65535,
  SIGNED_SJ = 16777215,
  C_BITS = 8
};

static inline LuacOp word_op(LuacWord w) { return (LuacOp)(w & 0x7f); }
static inline unsigned word_a(LuacWord w) { return w >> 7 & 0xff; }
static inline bool word_k(LuacWord w) { return w >> 15 & 1; }
static inline unsigned word_b(LuacWord w) { return w >> 16 & 0xff; }
static inline unsigned word_c(LuacWord w) { return w >> 24; }
static inline int word_sb(LuacWord w) { return (int)word_b(w) - SIGNED_B; }
static inline int word_sc(LuacWord w) { return (int)word_c(w) - SIGNED_B; }
static inline uint32_t word_bx(LuacWord w) { return w >> 15; }
static inline int word_sbx(LuacWord w) { return (int)word_bx(w) - SIGNED_BX; }
static inline uint32_t word_ax(LuacWord w) { return w >> 7; }
static inline int word_sj(LuacWord w) { return (int)word_ax(w) - SIGNED_SJ; }

/* -- Functions ------------------------------------------------------------- */

enum {
  LUAC_HAS_LINE = 1,   /* its line is not a difference */
  LUAC_TARGET = 2,     /* a jump leads to it */
  LUAC_PART = 4,       /* it belongs to the instruction before it */
  LUAC_STEP_1 = 8,     /* a FORPREP or FORLOOP with a step of 1 */
  LUAC_COPIES = 16,    /* ... whose variable is not its index */
  LUAC_OPEN_LIST = 32, /* a NEWTABLE whose list ends with open values */
  LUAC_TEMPLATE = 64   /* a NEWTABLE that copies a template */
};

/* What is known of a foreign instruction. */
typedef struct LuacNote {
  uint32_t word; /* where its translation begins */
  int32_t line;
  uint32_t flags;
} LuacNote;

/* A function that is translated.  There is one note more than instructions. */
typedef struct LuacFunction {
  Undump *u;
  Proto *p;
  const LuacWord *code;
  uint32_t size;
  LuacNote *notes;
  bool has_lines;
  bool jumps_back;        /* other than in a `for` loop */
  uint32_t new_constants; /* the last ones, once there is room for them */
  uint32_t templates;     /* the last ones of those */
  uint64_t slots;         /* of all templates, for items */
  Box *lines;             /* of the new words */
} LuacFunction;

/* C of the instruction at pc, with the bits of the next word. */
static inline uint64_t luac_long_c(const LuacFunction *f, uint32_t pc) {
  LuacWord w = f->code[pc];
  uint64_t high = word_k(w) ? word_ax(f->code[pc + 1]) : 0;
  return high << C_BITS | word_c(w);
}

/* The items of the list of a NEWTABLE, as its compiler has counted them. */
static inline uint64_t luac_items(const LuacFunction *f, uint32_t pc) {
  bool is_open = (f->notes[pc].flags & LUAC_OPEN_LIST) != 0;
  return luac_long_c(f, pc) + is_open;
}

/* Notes whether the NEWTABLE at pc can copy a template.  All other notes have
** been made. */
void luac_note_template(LuacFunction *f, uint32_t pc);

/* Makes all templates, the constants from number k on. */
void luac_make_templates(LuacFunction *f, uint32_t k);

/* Reads a function and those nested in it.  `first` is its first byte, which has
** been read. */
void luac_read(Undump *u, Proto *p, unsigned first);

/* Sets code and lines of f->p, and fills in the notes. */
void luac_translate(LuacFunction *f);

#endif
