/* SPDX-License-Identifier: MIT */
/*
** operator.c -- operators: folding, choice of instructions, logic
**
** An operand that is a number stays a constant until both operands are known.
** Then the instruction with the best form is chosen.
*/
#include "compiler/operator_impl.h"

/* -- Folding --------------------------------------------------------------- */

static void expr_set_number(Expr *e, const Value *v) {
  if (v->tag == TAG_INTEGER) {
    e->kind = EXPR_INTEGER;
    e->as.integer = v->as.i;
  } else {
    e->kind = EXPR_FLOAT;
    e->as.number = v->as.n;
  }
}

static bool fold_is_division(int arith) {
  return arith == ARITH_DIV || arith == ARITH_IDIV || arith == ARITH_MOD;
}

static bool value_is_zero(const Value *v) {
  return v->tag == TAG_INTEGER ? v->as.i == 0 : v->as.n == 0;
}

/* Computes a constant result at compile time.  Operations that would raise an
** error are left to run time.  So are NaN and the float zero, whose sign may
** depend on the machine. */
static bool fold_arith(int arith, Expr *left, const Expr *right) {
  Value a, b, result;
  if (!expr_is_numeral(left) || !expr_is_numeral(right)) return false;
  expr_to_known(NULL, left, &a);
  expr_to_known(NULL, right, &b);
  if (fold_is_division(arith) && value_is_zero(&b)) return false;
  if (!number_arith(arith, &a, &b, &result)) return false;
  if (result.tag == TAG_FLOAT && (isnan(result.as.n) || result.as.n == 0))
    return false;
  expr_set_number(left, &result);
  return true;
}

/* -- Arithmetic ------------------------------------------------------------ */

enum { NO_FORM = OP_MOVE };

/* The instructions of an operation, by the kinds of their operands. */
typedef struct ArithForms {
  uint8_t rr, ri, rn, rf, ir, fr;
  int16_t low, high; /* range of immediates on the right */
  bool positive;     /* constants on the right must be positive */
} ArithForms;

static const ArithForms arith_forms[] = {
    [BINARY_ADD] = {OP_ADD_RR, OP_ADD_RI, OP_ADD_RN, OP_ADD_RF, OP_ADD_IR,
                    OP_ADD_FR, CODE_MIN_I8, CODE_MAX_I8, false},
    [BINARY_SUB] = {OP_SUB_RR, OP_SUB_RI, OP_SUB_RN, OP_SUB_RF, OP_SUB_IR,
                    OP_SUB_FR, CODE_MIN_I8, CODE_MAX_I8, false},
    [BINARY_MUL] = {OP_MUL_RR, OP_MUL_RI, OP_MUL_RN, OP_MUL_RF, OP_MUL_IR,
                    OP_MUL_FR, CODE_MIN_I8, CODE_MAX_I8, false},
    [BINARY_MOD] = {OP_MOD_RR, OP_MOD_RI, OP_MOD_RN, NO_FORM, NO_FORM, NO_FORM,
                    1, CODE_MAX_I8, true},
    [BINARY_POW] = {OP_POW_RR, OP_POW_RI, NO_FORM, OP_POW_RF, OP_POW_IR,
                    NO_FORM, CODE_MIN_I8, CODE_MAX_I8, false},
    [BINARY_DIV] = {OP_DIV_RR, OP_DIV_RI, OP_DIV_RN, OP_DIV_RF, OP_DIV_IR,
                    OP_DIV_FR, CODE_MIN_I8, CODE_MAX_I8, false},
    [BINARY_IDIV] = {OP_IDIV_RR, OP_IDIV_RI, OP_IDIV_RN, NO_FORM, NO_FORM,
                     NO_FORM, 1, CODE_MAX_I8, true},
    [BINARY_BAND] = {OP_BAND_RR, NO_FORM, OP_BAND_RN, NO_FORM, NO_FORM, NO_FORM,
                     0, 0, false},
    [BINARY_BOR] = {OP_BOR_RR, NO_FORM, OP_BOR_RN, NO_FORM, NO_FORM, NO_FORM, 0,
                    0, false},
    [BINARY_BXOR] = {OP_BXOR_RR, NO_FORM, OP_BXOR_RN, NO_FORM, NO_FORM, NO_FORM,
                     0, 0, false},
    [BINARY_SHL] = {OP_SHL_RR, OP_SHL_RI, NO_FORM, NO_FORM, OP_SHL_IR, NO_FORM,
                    0, 63, false},
    [BINARY_SHR] = {OP_SHR_RR, OP_SHR_RI, NO_FORM, NO_FORM, NO_FORM, NO_FORM, 0,
                    63, false},
};

/* An operand in the form in which the instruction will hold it. */
typedef struct ArithOperand {
  char kind; /* as in names of opcodes: R I N F */
  unsigned field;
} ArithOperand;

static bool operand_in_constants(Function *f, const Expr *e, ArithOperand *out,
                                 char kind) {
  int32_t index;
  if (!expr_to_constant(f, e, CODE_MAX_OPERAND, &index)) return false;
  *out = (ArithOperand){kind, (unsigned)index};
  return true;
}

/* Tries the right operand as a constant. */
static bool operand_right(Function *f, const ArithForms *forms, const Expr *e,
                          ArithOperand *out) {
  if (!expr_is_numeral(e)) return false;
  if (e->kind == EXPR_FLOAT)
    return forms->rf != NO_FORM && operand_in_constants(f, e, out, 'F');
  Integer i = e->as.integer;
  if (forms->ri != NO_FORM && i >= forms->low && i <= forms->high) {
    *out = (ArithOperand){'I', (unsigned)i & 0xff};
    return true;
  }
  if (forms->rn == NO_FORM || (forms->positive && i <= 0)) return false;
  return operand_in_constants(f, e, out, 'N');
}

/* Tries the left operand as a constant. */
static bool operand_left(Function *f, const ArithForms *forms, const Expr *e,
                         ArithOperand *out) {
  if (!expr_is_numeral(e)) return false;
  if (e->kind == EXPR_FLOAT)
    return forms->fr != NO_FORM && operand_in_constants(f, e, out, 'F');
  Integer i = e->as.integer;
  if (forms->ir == NO_FORM || i < CODE_MIN_I8 || i > CODE_MAX_I8) return false;
  *out = (ArithOperand){'I', (unsigned)i & 0xff};
  return true;
}

static Opcode arith_opcode(const ArithForms *forms, char left, char right) {
  if (left == 'I') return (Opcode)forms->ir;
  if (left == 'F') return (Opcode)forms->fr;
  switch (right) {
    case 'I': return (Opcode)forms->ri;
    case 'N': return (Opcode)forms->rn;
    case 'F': return (Opcode)forms->rf;
    default: return (Opcode)forms->rr;
  }
}

/* Chooses an opcode without a division if the divisor is a power of two. */
static Opcode arith_division(Opcode op, const Expr *right) {
  if (op == OP_DIV_RI && float_has_inverse((Number)right->as.integer))
    return OP_DIV_RI2;
  if (op == OP_DIV_RF && float_has_inverse(right->as.number)) return OP_DIV_RF2;
  if (op == OP_MOD_RI && (right->as.integer & (right->as.integer - 1)) == 0)
    return OP_MOD_RI2;
  return op;
}

static ArithOperand operand_register(Function *f, Expr *e) {
  return (ArithOperand){'R', expr_to_any(f, e)};
}

static void operator_arith(Function *f, BinaryOp op, Expr *left, Expr *right,
                           int line) {
  const ArithForms *forms = &arith_forms[op];
  ArithOperand a, b;
  if (operand_right(f, forms, right, &b)) {
    a = operand_register(f, left);
  } else {
    b = operand_register(f, right);
    if (!operand_left(f, forms, left, &a)) a = operand_register(f, left);
  }
  expr_free_pair(f, left, right);
  Opcode code = arith_opcode(forms, a.kind, b.kind);
  if (op == BINARY_DIV || op == BINARY_MOD) code = arith_division(code, right);
  if (a.kind == 'R') emit_drop_reload(f, a.field, line);
  expr_init(left, EXPR_PENDING, emit_abc(f, code, 0, a.field, b.field));
  emit_fix_line(f, line);
}

/* -- Concatenation --------------------------------------------------------- */

/* Puts an operand into the next register.  A removable copy must be an
** instruction of its own, because concat_simplify may remove it. */
static void concat_operand(Function *f, Expr *e, bool removable) {
  if (removable) jump_label(f);
  expr_to_next(f, e);
}

static void concat_left(Function *f, Expr *left) {
  bool moved = left->kind == EXPR_LOCAL && !expr_has_jumps(left);
  concat_operand(f, left, moved);
  f->pair.left_move = moved ? f->last_pc : -1;
}

/* True if evaluating the operand cannot change a variable, so that the left
** operand needs no copy. */
static bool concat_is_simple(const Expr *e) {
  if (expr_has_jumps(e)) return false;
  return e->kind >= EXPR_NIL && e->kind <= EXPR_FOLDED;
}

/* If the right operand is itself a concatenation, one instruction does both. */
static bool concat_merge(Function *f, const Expr *left, Expr *right) {
  if (right->kind != EXPR_PENDING || right->as.index != f->last_pc ||
      expr_has_jumps(right))
    return false;
  Instruction i = *emit_at(f, f->last_pc);
  if (code_op(i) != OP_CONCAT || code_b(i) != (unsigned)left->as.index + 1)
    return false;
  *emit_at(f, f->last_pc) =
      code_make_abc(OP_CONCAT, 0, code_b(i) - 1, code_c(i) + 1);
  return true;
}

static void operator_concat(Function *f, Expr *left, Expr *right, int line) {
  if (concat_merge(f, left, right)) {
    expr_free(f, left);
    expr_init(left, EXPR_PENDING, f->last_pc);
    return;
  }
  bool simple = concat_is_simple(right);
  bool local = right->kind == EXPR_LOCAL;
  bool left_last = f->pair.left_move >= 0 && f->pair.left_move == f->last_pc &&
                   code_op(*emit_at(f, f->last_pc)) == OP_MOVE;
  int32_t left_move = simple && left_last ? f->pair.left_move : -1;
  concat_operand(f, right, local);
  int32_t right_move = simple && local ? f->last_pc : -1;
  expr_free_pair(f, left, right);
  int32_t pc = emit_abc(f, OP_CONCAT, 0, (unsigned)left->as.index, 2);
  emit_fix_line(f, line);
  f->pair = (ConcatPair){pc, f->free_register, left_move, right_move};
  expr_init(left, EXPR_PENDING, pc);
}

int32_t concat_simplify(Function *f) {
  ConcatPair pair = f->pair;
  Instruction i = *emit_at(f, pair.pc);
  f->pair.pc = f->pair.left_move = -1;
  bool movable = pair.left_move >= 0 || pair.right_move >= 0;
  if (!movable || pair.pc != f->last_pc || code_c(i) != 2) return pair.pc;
  unsigned left = code_b(i), right = left + 1;
  if (pair.right_move >= 0) {
    right = code_b(*emit_at(f, pair.right_move));
    emit_remove_word(f, pair.right_move);
  }
  if (pair.left_move >= 0) {
    left = code_b(*emit_at(f, pair.left_move));
    emit_remove_word(f, pair.left_move);
  }
  *emit_at(f, f->last_pc) = code_make_abc(OP_CONCAT_RR, 0, left, right);
  emit_aux(f, pair.used);
  return f->last_pc;
}

/* -- Comparison ------------------------------------------------------------ */

/* The line of a comparison is where its right operand ends, as in PUC Lua.  The
** line of any other operation is that of its operator. */

/* Emits a jump that is taken if the comparison holds. */
static void compare_emit(Function *f, Expr *e, Opcode op, unsigned a,
                         unsigned b) {
  expr_init(e, EXPR_JUMP, emit_abcx(f, op, a, b, 0, (Instruction)-1));
}

static void compare_emit_immediate(Function *f, Expr *e, Opcode op, unsigned a,
                                   int d) {
  expr_init(e, EXPR_JUMP, emit_adx(f, op, a, d, (Instruction)-1));
}

/* True if the number fits into D.  `d` receives the encoded field. */
static bool fits_immediate(const Expr *e, int *d) {
  Integer i;
  if (!expr_is_numeral(e)) return false;
  if (e->kind == EXPR_INTEGER)
    i = e->as.integer;
  else if (!expr_float_is_small(e->as.number, &i))
    return false;
  if (i < CODE_MIN_I15 || i > CODE_MAX_I15) return false;
  *d = code_make_i15((int)i, e->kind == EXPR_FLOAT);
  return true;
}

static bool expr_is_constant(const Expr *e) {
  return e->kind >= EXPR_NIL && e->kind <= EXPR_STRING && !expr_has_jumps(e);
}

/* Compares a register with a constant for equality.  False if the constant does
** not fit. */
static bool equal_constant(Function *f, Expr *e, unsigned reg,
                           const Expr *constant) {
  int d;
  int32_t k;
  if (constant->kind == EXPR_NIL) {
    compare_emit(f, e, OP_JNIL, reg, 0);
    return true;
  }
  if (fits_immediate(constant, &d)) {
    compare_emit_immediate(f, e, OP_JEQI, reg, d);
    return true;
  }
  if (!expr_to_constant(f, constant, CODE_MAX_OPERAND, &k)) return false;
  bool name =
      constant->kind == EXPR_STRING && string_is_short(constant->as.string);
  compare_emit(f, e, name ? OP_JEQS : OP_JEQK, reg, (unsigned)k);
  return true;
}

static void operator_equal(Function *f, BinaryOp op, Expr *left, Expr *right) {
  if (expr_is_constant(left)) { /* constants to the right */
    Expr other = *left;
    *left = *right;
    *right = other;
  }
  unsigned a = expr_to_any(f, left);
  Expr value = *left;
  if (expr_is_constant(right) && equal_constant(f, left, a, right)) {
    expr_free(f, &value);
  } else {
    unsigned b = expr_to_any(f, right);
    expr_free_pair(f, &value, right);
    compare_emit(f, left, OP_JEQ, a, b);
  }
  if (op == BINARY_NE) jump_negate(f, left->as.index);
}

static bool operator_order_immediate(Function *f, BinaryOp op, Expr *left,
                                     Expr *right) {
  static const uint8_t with_right[] = {OP_JLTI, OP_JLEI, OP_JGTI, OP_JGEI};
  static const uint8_t with_left[] = {OP_JGTI, OP_JGEI, OP_JLTI, OP_JLEI};
  int d;
  int order = (int)op - BINARY_LT;
  bool is_right = fits_immediate(right, &d);
  if (!is_right && !fits_immediate(left, &d)) return false;
  Expr *value = is_right ? left : right;
  unsigned reg = expr_to_any(f, value);
  expr_free(f, value);
  Opcode code = (Opcode)(is_right ? with_right : with_left)[order];
  compare_emit_immediate(f, left, code, reg, d);
  return true;
}

static void operator_order(Function *f, BinaryOp op, Expr *left, Expr *right) {
  if (operator_order_immediate(f, op, left, right)) return;
  bool swapped = op == BINARY_GT || op == BINARY_GE;
  bool strict = op == BINARY_LT || op == BINARY_GT;
  unsigned a = expr_to_any(f, left);
  unsigned b = expr_to_any(f, right);
  expr_free_pair(f, left, right);
  compare_emit(f, left, strict ? OP_JLT : OP_JLE, swapped ? b : a,
               swapped ? a : b);
}

/* -- The interface --------------------------------------------------------- */

void operator_unary(Function *f, UnaryOp op, Expr *e, int line) {
  static const uint8_t codes[] = {
      [UNARY_MINUS] = OP_UNM, [UNARY_BNOT] = OP_BNOT, [UNARY_LEN] = OP_LEN};
  static const Expr zero = {EXPR_INTEGER, {.integer = 0}, NO_JUMP, NO_JUMP};
  expr_discharge(f, e);
  if (op == UNARY_NOT) {
    expr_not(f, e);
    return;
  }
  if (op == UNARY_MINUS && fold_arith(ARITH_UNM, e, &zero)) return;
  if (op == UNARY_BNOT && fold_arith(ARITH_BNOT, e, &zero)) return;
  unsigned reg = expr_to_any(f, e);
  expr_free(f, e);
  expr_init(e, EXPR_PENDING, emit_abc(f, (Opcode)codes[op], 0, reg, 0));
  emit_fix_line(f, line);
}

void operator_left(Function *f, BinaryOp op, Expr *left) {
  if (op != BINARY_CONCAT) expr_discharge(f, left);
  switch (op) {
    case BINARY_AND: expr_go_if_true(f, left); break;
    case BINARY_OR: expr_go_if_false(f, left); break;
    case BINARY_CONCAT: concat_left(f, left); break;
    case BINARY_EQ:
    case BINARY_NE:
      if (!expr_is_constant(left)) expr_to_any(f, left);
      break;
    case BINARY_LT:
    case BINARY_LE:
    case BINARY_GT:
    case BINARY_GE: {
      int d;
      if (!fits_immediate(left, &d)) expr_to_any(f, left);
      break;
    }
    default:
      if (!expr_is_numeral(left)) expr_to_any(f, left);
      break;
  }
}

void operator_binary(Function *f, BinaryOp op, Expr *left, Expr *right,
                     int line) {
  if (op != BINARY_CONCAT) expr_discharge(f, right);
  switch (op) {
    case BINARY_AND:
      jump_join(f, &right->if_false, left->if_false);
      *left = *right;
      break;
    case BINARY_OR:
      jump_join(f, &right->if_true, left->if_true);
      *left = *right;
      break;
    case BINARY_CONCAT: operator_concat(f, left, right, line); break;
    case BINARY_EQ:
    case BINARY_NE: operator_equal(f, op, left, right); break;
    case BINARY_LT:
    case BINARY_LE:
    case BINARY_GT:
    case BINARY_GE: operator_order(f, op, left, right); break;
    default:
      if (!fold_arith((int)op, left, right))
        operator_arith(f, op, left, right, line);
      break;
  }
}
