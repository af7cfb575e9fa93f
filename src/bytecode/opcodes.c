/* SPDX-License-Identifier: MIT */
/*
** opcodes.c -- properties of instructions, from opcodes.def
*/
#include "bytecode/bytecode.h"

#include <string.h>

#include "lua.h"

#define LENGTH_ABC  1
#define LENGTH_AD   1
#define LENGTH_E    1
#define LENGTH_ABCX 2
#define LENGTH_ADX  2

const OpInfo opcode_info[OPCODE_COUNT] = {
#define OP(name, format, operands, meaning) \
  {#name, operands, meaning, FORMAT_##format, LENGTH_##format},
#include "bytecode/opcodes.def"
#undef OP
};

static_assert(OPCODE_COUNT <= 256, "an opcode is one byte");

bool opcode_is_jump(Opcode op) {
  return strchr(opcode_info[op].operands, 'j') != NULL;
}

/* -- Operations ------------------------------------------------------------ */

/* The operation of the opcodes from `first` to `last`, both included. */
typedef struct EventRange {
  uint8_t first, last;
  int8_t arith;
  const char *event;
} EventRange;

static const EventRange event_ranges[] = {
    {OP_ADD_RR, OP_ADD_RI_GET, LUA_OPADD, "add"},
    {OP_SUB_RR, OP_SUB_FR, LUA_OPSUB, "sub"},
    {OP_MUL_RR, OP_MUL_RR_SUB, LUA_OPMUL, "mul"},
    {OP_DIV_RR, OP_DIV_RF2, LUA_OPDIV, "div"},
    {OP_MOD_RR, OP_MOD_RI2, LUA_OPMOD, "mod"},
    {OP_IDIV_RR, OP_IDIV_RN, LUA_OPIDIV, "idiv"},
    {OP_POW_RR, OP_POW_IR, LUA_OPPOW, "pow"},
    {OP_BAND_RR, OP_BAND_RN, LUA_OPBAND, "band"},
    {OP_BOR_RR, OP_BOR_RN, LUA_OPBOR, "bor"},
    {OP_BXOR_RR, OP_BXOR_RN, LUA_OPBXOR, "bxor"},
    {OP_SHL_RR, OP_SHL_IR, LUA_OPSHL, "shl"},
    {OP_SHR_RR, OP_SHR_RI, LUA_OPSHR, "shr"},
    {OP_UNM, OP_UNM, LUA_OPUNM, "unm"},
    {OP_BNOT, OP_BNOT, LUA_OPBNOT, "bnot"},
    {OP_LEN, OP_LENAPPEND, -1, "len"},
    {OP_CONCAT, OP_CONCAT_RR, -1, "concat"},
    {OP_JEQ, OP_JNEQI, -1, "eq"},
    {OP_JLT, OP_JNLT, -1, "lt"},
    {OP_JLE, OP_JNLE, -1, "le"},
    {OP_JLTI, OP_JNLTI, -1, "lt"},
    {OP_JLEI, OP_JNLEI, -1, "le"},
    {OP_JGTI, OP_JNGTI, -1, "lt"},
    {OP_JGEI, OP_JNGEI, -1, "le"},
};

static const EventRange *event_range_of(Opcode op) {
  size_t count = sizeof event_ranges / sizeof event_ranges[0];
  for (size_t i = 0; i < count; i++) {
    if (op >= event_ranges[i].first && op <= event_ranges[i].last)
      return &event_ranges[i];
  }
  return NULL;
}

/* The operand in a field, which `letter` describes as in opcodes.def. */
static Operand operand_of(char letter, unsigned raw) {
  switch (letter) {
    case 'r': return (Operand){OPERAND_REGISTER, (int)raw};
    case 'k':
    case 'n':
    case 'f': return (Operand){OPERAND_CONSTANT, (int)raw};
    case 'i': return (Operand){OPERAND_INTEGER, (int8_t)raw};
    default: return (Operand){OPERAND_NONE, 0};
  }
}

static Operand operand_immediate(Instruction i) {
  OperandKind kind = code_i15_is_float(i) ? OPERAND_FLOAT : OPERAND_INTEGER;
  return (Operand){kind, code_i15(i)};
}

/* The operands of a comparison are in A and in B or D. */
static void operation_compare(Operation *operation, Instruction i) {
  Opcode op = code_op(i);
  const OpInfo *info = &opcode_info[op];
  Operand first = operand_of('r', code_a(i));
  Operand second = info->format == FORMAT_ADX
                       ? operand_immediate(i)
                       : operand_of(info->operands[1], code_b(i));
  bool swapped = op >= OP_JGTI && op <= OP_JNGEI;
  operation->left = swapped ? second : first;
  operation->right = swapped ? first : second;
}

Operation code_operation(Instruction i) {
  Operation result = {NULL, -1, {OPERAND_NONE, 0}, {OPERAND_NONE, 0}};
  const EventRange *range = event_range_of(code_op(i));
  if (!range) return result;
  result.event = range->event;
  result.arith = range->arith;
  if (opcode_is_jump(code_op(i))) {
    operation_compare(&result, i);
    return result;
  }
  const char *operands = opcode_info[code_op(i)].operands;
  result.left = operand_of(operands[1], code_b(i));
  result.right = operand_of(operands[2], code_c(i));
  return result;
}
