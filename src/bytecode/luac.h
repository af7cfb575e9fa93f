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

enum {
  LUAC_HAS_LINE = 1,  /* its line is not a difference */
  LUAC_TARGET = 2,    /* a jump leads to it */
  LUAC_PART = 4,      /* it belongs to the instruction before it */
  LUAC_STEP_1 = 8,    /* a FORPREP or FORLOOP with a step of 1 */
  LUAC_COPIES = 16,   /* ... whose variable is not its index */
  LUAC_OPEN_LIST = 32 /* a NEWTABLE whose list ends with open values */
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
  uint32_t new_constants; /* the last ones, once there is room for them */
  Box *lines;             /* of the new words */
} LuacFunction;

/* Reads a function and those nested in it.  `first` is its first byte, which has
** been read. */
void luac_read(Undump *u, Proto *p, unsigned first);

/* Sets code and lines of f->p, and fills in the notes. */
void luac_translate(LuacFunction *f);

#endif
