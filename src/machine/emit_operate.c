/* SPDX-License-Identifier: MIT */
/*
** emit_operate.c -- arithmetic, bits, lengths
*/
#include "machine/piece_impl.h"
#if MACHINE_WORKS

#include "object/number.h"

/* An operand: a register, or a number. */
typedef struct Operand {
  bool is_number;
  unsigned reg;
  unsigned tag; /* known or guessed */
  Payload number;
} Operand;

static Operand operand_of_integer(Integer i) {
  return (Operand){true, 0, TAG_INTEGER, {.i = i}};
}

/* The operand in field 1 (B) or 2 (C). */
static Operand operand_of(const Piece *s, Instruction i, int field) {
  char letter = opcode_info[opcode_alone(code_op(i))].operands[field];
  unsigned number = field == 1 ? code_b(i) : code_c(i);
  if (letter == 'r') return (Operand){false, number, piece_tag(s, number), {0}};
  if (letter == 'h') return operand_of_integer((Integer)number);
  if (!operand_is_number(letter))
    return operand_of_integer(field == 1 ? code_sb(i) : code_sc(i));
  const Value *k = &s->p->constants[number];
  return (Operand){true, 0, k->tag, k->as};
}

static bool operand_has(const Operand *o, unsigned tag) {
  return o->tag == tag;
}
static bool operand_is_any_number(const Operand *o) {
  return o->tag == TAG_INTEGER || o->tag == TAG_FLOAT;
}

static void operand_guard(Piece *s, const Operand *o) {
  if (!o->is_number) piece_guard(s, o->reg, o->tag);
}

/* The integer in a machine register. */
static Register operand_whole(Piece *s, const Operand *o, Register other,
                              Register keep) {
  if (!o->is_number) return piece_whole(s, o->reg, other, keep);
  asm_number(&s->a, other, o->number.bits);
  return other;
}

static void operand_number_as_float(Piece *s, const Operand *o,
                                    FloatRegister to) {
  Payload n = o->number;
  if (o->tag == TAG_INTEGER) n.n = (Number)o->number.i;
  asm_number(&s->a, T0, n.bits);
  asm_float_bits(&s->a, to, T0);
}

/* The number as a float. */
static FloatRegister operand_float(Piece *s, const Operand *o,
                                   FloatRegister other, FloatRegister keep) {
  if (o->is_number) {
    operand_number_as_float(s, o, other);
    return other;
  }
  if (o->tag == TAG_FLOAT) return piece_float(s, o->reg, other, keep);
  Register whole = piece_whole(s, o->reg, T0, NO_REGISTER);
  asm_float_from_whole(&s->a, other, whole);
  return other;
}

/* What the result is if the operands are as guessed; only a guess. */
static void guess_result(Piece *s, unsigned to, int op, const Operand *x,
                         const Operand *y) {
  Value a, b, result;
  a.as = x->is_number ? x->number : s->guess[x->reg].as;
  b.as = y->is_number ? y->number : s->guess[y->reg].as;
  a.tag = (uint8_t)x->tag;
  b.tag = (uint8_t)y->tag;
  if (op <= ARITH_MUL && number_arith(op, &a, &b, &result))
    s->guess[to].as = result.as;
}

/* -- Integers -------------------------------------------------------------- */

static bool fits_32(const Operand *o) {
  return o->is_number && o->number.i >= INT32_MIN && o->number.i <= INT32_MAX;
}

static void emit_whole_op(Piece *s, WholeOp op, unsigned to, const Operand *x,
                          const Operand *y) {
  Register a = operand_whole(s, x, T1, NO_REGISTER);
  if (fits_32(y)) {
    Register r = piece_result(s, to, T0, NO_REGISTER);
    asm_move(&s->a, r, a);
    asm_whole_number(&s->a, op, r, (int32_t)y->number.i);
    piece_set_whole(s, to, r, TAG_INTEGER);
    return;
  }
  Register b = operand_whole(s, y, T2, a);
  Register r = piece_result(s, to, T0, b);
  asm_move(&s->a, r, a);
  asm_whole(&s->a, op, r, b);
  piece_set_whole(s, to, r, TAG_INTEGER);
}

static void emit_whole_multiply(Piece *s, unsigned to, const Operand *x,
                                const Operand *y) {
  Register a = operand_whole(s, x, T1, NO_REGISTER);
  Register b = operand_whole(s, y, T2, a);
  Register r = piece_result(s, to, T0, b);
  asm_move(&s->a, r, a);
  asm_multiply(&s->a, r, b);
  piece_set_whole(s, to, r, TAG_INTEGER);
}

static bool is_power_of_two(const Operand *o) {
  return o->is_number && o->number.i > 0 &&
         (o->number.i & (o->number.i - 1)) == 0;
}

/* The remainder and the quotient of a power of two need no division. */
static bool emit_by_power(Piece *s, unsigned to, int op, const Operand *x,
                          const Operand *y) {
  if (!is_power_of_two(y) || !fits_32(y)) return false;
  Register a = operand_whole(s, x, T1, NO_REGISTER);
  Register r = piece_result(s, to, T0, NO_REGISTER);
  asm_move(&s->a, r, a);
  if (op == ARITH_MOD)
    asm_whole_number(&s->a, WHOLE_AND, r, (int32_t)(y->number.i - 1));
  else
    asm_shift(&s->a, SHIFT_SIGNED, r, bits_lowest((uint64_t)y->number.i));
  piece_set_whole(s, to, r, TAG_INTEGER);
  return true;
}

/* The divisor is in T1.  0 and -1 are left to the loop: one is an error, and the
** processor cannot divide the minimum by the other. */
static void emit_check_divisor(Piece *s, const Operand *y) {
  if (y->is_number && y->number.i != 0 && y->number.i != -1) return;
  asm_address(&s->a, T2, memory_at(T1, 1));
  asm_whole_number(&s->a, WHOLE_COMPARE, T2, 1);
  piece_step_if(s, IF_NOT_ABOVE);
}

/* Rounds towards minus infinity: if there is a remainder, and its sign is not
** that of the divisor, adds the divisor to the one, and -1 to the other. */
static void emit_floor(Piece *s, int op) {
  asm_test(&s->a, T2, T2);
  Patch exact = asm_jump(&s->a, IF_EQUAL);
  asm_move(&s->a, T3, T2);
  asm_whole(&s->a, WHOLE_XOR, T3, T1);
  asm_test(&s->a, T3, T3);
  Patch same = asm_jump(&s->a, IF_NOT_LESS);
  if (op == ARITH_MOD)
    asm_whole(&s->a, WHOLE_ADD, T2, T1);
  else
    asm_whole_number(&s->a, WHOLE_SUB, T0, 1);
  asm_patch(&s->a, exact, s->a.at);
  asm_patch(&s->a, same, s->a.at);
}

static void emit_whole_divide(Piece *s, unsigned to, int op, const Operand *x,
                              const Operand *y) {
  if (emit_by_power(s, to, op, x, y)) return;
  Register b = operand_whole(s, y, T1, NO_REGISTER);
  asm_move(&s->a, T1, b);
  emit_check_divisor(s, y);
  Register a = operand_whole(s, x, T0, NO_REGISTER);
  asm_move(&s->a, T0, a);
  asm_divide(&s->a, T1);
  emit_floor(s, op);
  piece_set_whole(s, to, op == ARITH_MOD ? T2 : T0, TAG_INTEGER);
}

/* Shifts by 0 to 63. */
static bool emit_shift(Piece *s, unsigned to, ShiftOp op, const Operand *x,
                       const Operand *y) {
  enum { BITS = 64 };
  if (y->is_number && (Unsigned)y->number.i >= BITS) return false;
  if (y->is_number) {
    Register a = operand_whole(s, x, T1, NO_REGISTER);
    Register r = piece_result(s, to, T0, NO_REGISTER);
    asm_move(&s->a, r, a);
    asm_shift(&s->a, op, r, (unsigned)y->number.i);
    piece_set_whole(s, to, r, TAG_INTEGER);
    return true;
  }
  asm_move(&s->a, T1, operand_whole(s, y, T1, NO_REGISTER));
  asm_whole_number(&s->a, WHOLE_COMPARE, T1, BITS);
  piece_step_if(s, IF_NOT_BELOW);
  asm_move(&s->a, T0, operand_whole(s, x, T0, NO_REGISTER));
  asm_shift_by_t1(&s->a, op, T0);
  piece_set_whole(s, to, T0, TAG_INTEGER);
  return true;
}

static bool emit_integers(Piece *s, unsigned to, int op, const Operand *x,
                          const Operand *y) {
  switch (op) {
    case ARITH_ADD: emit_whole_op(s, WHOLE_ADD, to, x, y); return true;
    case ARITH_SUB: emit_whole_op(s, WHOLE_SUB, to, x, y); return true;
    case ARITH_MUL: emit_whole_multiply(s, to, x, y); return true;
    case ARITH_BAND: emit_whole_op(s, WHOLE_AND, to, x, y); return true;
    case ARITH_BOR: emit_whole_op(s, WHOLE_OR, to, x, y); return true;
    case ARITH_BXOR: emit_whole_op(s, WHOLE_XOR, to, x, y); return true;
    case ARITH_MOD:
    case ARITH_IDIV: emit_whole_divide(s, to, op, x, y); return true;
    case ARITH_SHL: return emit_shift(s, to, SHIFT_LEFT, x, y);
    case ARITH_SHR: return emit_shift(s, to, SHIFT_RIGHT, x, y);
    default: return false;
  }
}

/* -- Floats ---------------------------------------------------------------- */

static void emit_float_op(Piece *s, FloatOpCode op, unsigned to,
                          const Operand *x, const Operand *y) {
  FloatRegister a = operand_float(s, x, FT0, FT0);
  FloatRegister b = operand_float(s, y, FT1, a);
  FloatRegister r = piece_float_result(s, to, FT0, b);
  asm_float_move(&s->a, r, a);
  asm_float(&s->a, op, r, b);
  piece_set_float(s, to, r);
}

static Number call_pow(Number a, Number b) { return float_pow(a, b); }
static Number call_mod(Number a, Number b) { return float_mod(a, b); }
static Number call_idiv(Number a, Number b) { return float_idiv(a, b); }

/* By a C function.  Both operands must be in temporaries: the second first,
** because its home might be lost otherwise. */
static void emit_float_call(Piece *s, unsigned to, uintptr_t function,
                            const Operand *x, const Operand *y) {
  asm_float_move(&s->a, FT1, operand_float(s, y, FT1, FT1));
  asm_float_move(&s->a, FT0, operand_float(s, x, FT0, FT0));
  asm_call(&s->a, function);
  piece_called(s);
  piece_set_float(s, to, FT0);
}

/* x ^ 2 is x * x, as in the loop. */
static bool operand_is_two(const Operand *o) {
  return o->is_number &&
         (o->tag == TAG_INTEGER ? o->number.i == 2 : o->number.n == 2.0);
}

/* A division by a power of two: the product with the inverse is the same. */
static bool emit_by_inverse(Piece *s, unsigned to, const Operand *x,
                            const Operand *y) {
  if (!y->is_number) return false;
  Number n = y->tag == TAG_INTEGER ? (Number)y->number.i : y->number.n;
  if (!float_has_inverse(n)) return false;
  Operand inverse = {true, 0, TAG_FLOAT, {.n = float_inverse(n)}};
  emit_float_op(s, FLOAT_MUL, to, x, &inverse);
  return true;
}

static bool emit_floats(Piece *s, unsigned to, int op, const Operand *x,
                        const Operand *y) {
  switch (op) {
    case ARITH_ADD: emit_float_op(s, FLOAT_ADD, to, x, y); return true;
    case ARITH_SUB: emit_float_op(s, FLOAT_SUB, to, x, y); return true;
    case ARITH_MUL: emit_float_op(s, FLOAT_MUL, to, x, y); return true;
    case ARITH_DIV:
      if (!emit_by_inverse(s, to, x, y)) emit_float_op(s, FLOAT_DIV, to, x, y);
      return true;
    case ARITH_POW:
      if (operand_is_two(y))
        emit_float_op(s, FLOAT_MUL, to, x, x);
      else
        emit_float_call(s, to, (uintptr_t)call_pow, x, y);
      return true;
    case ARITH_MOD:
      emit_float_call(s, to, (uintptr_t)call_mod, x, y);
      return true;
    case ARITH_IDIV:
      emit_float_call(s, to, (uintptr_t)call_idiv, x, y);
      return true;
    default: return false;
  }
}

/* -- Instructions ---------------------------------------------------------- */

/* Events are in the order of ARITH_ADD ... */
static int operation_of(Instruction i) {
  return opcode_info[opcode_alone(code_op(i))].event - META_ADD;
}

static bool operation_is_of_integers(int op) {
  return op >= ARITH_BAND && op <= ARITH_SHR;
}
static bool operation_is_of_floats(int op) {
  return op == ARITH_DIV || op == ARITH_POW;
}

/* As in the loop, `x - n` is `x + (-n)`: they differ for -0.0 - 0. */
static bool is_subtraction_of_number(Instruction i) {
  return opcode_alone(code_op(i)) == OP_SUB_RI;
}

bool emit_arith(Piece *s, Instruction i) {
  Operand x = operand_of(s, i, 1), y = operand_of(s, i, 2);
  int op = operation_of(i);
  if (is_subtraction_of_number(i)) {
    op = ARITH_ADD;
    y.number.i = -y.number.i;
  }
  if (!operand_is_any_number(&x) || !operand_is_any_number(&y)) return false;
  bool integers = operand_has(&x, TAG_INTEGER) && operand_has(&y, TAG_INTEGER);
  if (operation_is_of_integers(op) && !integers) return false;
  operand_guard(s, &x);
  operand_guard(s, &y);
  guess_result(s, code_a(i), op, &x, &y);
  if (integers && !operation_is_of_floats(op))
    return emit_integers(s, code_a(i), op, &x, &y);
  return emit_floats(s, code_a(i), op, &x, &y);
}

static void emit_negate_float(Piece *s, unsigned to, unsigned from) {
  asm_load(&s->a, T0, slot_at(from));
  asm_number(&s->a, T1, UINT64_C(1) << 63);
  asm_whole(&s->a, WHOLE_XOR, T0, T1);
  asm_float_bits(&s->a, FT0, T0);
  piece_set_float(s, to, FT0);
}

bool emit_unm(Piece *s, Instruction i) {
  unsigned to = code_a(i), from = code_b(i), tag = piece_tag(s, from);
  if (tag != TAG_INTEGER && tag != TAG_FLOAT) return false;
  piece_guard(s, from, tag);
  if (tag == TAG_FLOAT) {
    emit_negate_float(s, to, from);
    return true;
  }
  asm_move(&s->a, T0, piece_whole(s, from, T0, NO_REGISTER));
  asm_negate(&s->a, T0);
  piece_set_whole(s, to, T0, TAG_INTEGER);
  return true;
}

bool emit_bnot(Piece *s, Instruction i) {
  unsigned from = code_b(i);
  if (piece_tag(s, from) != TAG_INTEGER) return false;
  piece_guard(s, from, TAG_INTEGER);
  asm_move(&s->a, T0, piece_whole(s, from, T0, NO_REGISTER));
  asm_invert(&s->a, T0);
  piece_set_whole(s, code_a(i), T0, TAG_INTEGER);
  return true;
}

/* The tag of a boolean is a variant of the other. */
bool emit_not(Piece *s, Instruction i) {
  unsigned from = code_b(i), tag = s->now.tag[from];
  if (tag != TAG_UNKNOWN) {
    piece_set_tag(s, code_a(i), tag <= TAG_FALSE ? TAG_TRUE : TAG_FALSE);
    return true;
  }
  asm_number(&s->a, T0, TAG_TRUE);
  asm_compare8(&s->a, tag_at(from), TAG_FALSE);
  Patch is_false = asm_jump(&s->a, IF_NOT_ABOVE);
  asm_number(&s->a, T0, TAG_FALSE);
  asm_patch(&s->a, is_false, s->a.at);
  asm_store8(&s->a, tag_at(code_a(i)), T0);
  context_forget(&s->now, code_a(i));
  piece_guess_tag(s, code_a(i), TAG_FALSE);
  return true;
}

static Unsigned call_length(lua_State *L, Table *t) {
  Unsigned n = table_fast_length(t);
  return n != 0 ? n : table_length(L, t);
}

static uint64_t call_string_length(const String *text) {
  return string_length(text);
}

static bool emit_string_length(Piece *s, unsigned to, unsigned from,
                               unsigned tag) {
  piece_guard(s, from, tag);
  Register text = piece_whole(s, from, T1, NO_REGISTER);
  asm_arguments(&s->a, text, text);
  asm_call(&s->a, (uintptr_t)call_string_length);
  piece_called(s);
  piece_set_whole(s, to, T0, TAG_INTEGER);
  return true;
}

bool emit_len(Piece *s, Instruction i) {
  unsigned from = code_b(i), tag = piece_tag(s, from);
  if (tag == TAG_SHORT_STRING || tag == TAG_LONG_STRING)
    return emit_string_length(s, code_a(i), from, tag);
  if (tag != TAG_TABLE) return false;
  piece_guard(s, from, TAG_TABLE);
  Register t = piece_whole(s, from, T1, NO_REGISTER);
  asm_compare(&s->a, memory_at(t, offsetof(Table, metatable)), 0);
  piece_step_if(s, IF_NOT_EQUAL);
  asm_arguments(&s->a, STATE, t);
  asm_call(&s->a, (uintptr_t)call_length);
  piece_called(s);
  piece_set_whole(s, code_a(i), T0, TAG_INTEGER);
  return true;
}

#else
typedef int EmitOperateNotBuilt;
#endif
