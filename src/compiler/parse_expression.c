/* SPDX-License-Identifier: MIT */
/*
** parse_expression.c -- operators and their precedence
*/
#include "compiler/parse_impl.h"

/* An operator binds its left operand if left is above the limit so far, and
** leaves to its right operand what binds stronger than right. */
typedef struct Priority {
  uint8_t left, right;
} Priority;

static const Priority binary_priority[] = {
    [BINARY_OR] = {1, 1},     [BINARY_AND] = {2, 2},
    [BINARY_EQ] = {3, 3},     [BINARY_NE] = {3, 3},
    [BINARY_LT] = {3, 3},     [BINARY_LE] = {3, 3},
    [BINARY_GT] = {3, 3},     [BINARY_GE] = {3, 3},
    [BINARY_BOR] = {4, 4},    [BINARY_BXOR] = {5, 5},
    [BINARY_BAND] = {6, 6},   [BINARY_SHL] = {7, 7},
    [BINARY_SHR] = {7, 7},    [BINARY_CONCAT] = {9, 8}, /* to the right */
    [BINARY_ADD] = {10, 10},  [BINARY_SUB] = {10, 10},
    [BINARY_MUL] = {11, 11},  [BINARY_DIV] = {11, 11},
    [BINARY_IDIV] = {11, 11}, [BINARY_MOD] = {11, 11},
    [BINARY_POW] = {14, 13}, /* to the right */
};

enum { UNARY_PRIORITY = 12 };

static UnaryOp token_unary(int kind) {
  switch (kind) {
    case '-': return UNARY_MINUS;
    case '~': return UNARY_BNOT;
    case '#': return UNARY_LEN;
    case TOKEN_NOT: return UNARY_NOT;
    default: return UNARY_NONE;
  }
}

static BinaryOp token_binary(int kind) {
  switch (kind) {
    case '+': return BINARY_ADD;
    case '-': return BINARY_SUB;
    case '*': return BINARY_MUL;
    case '/': return BINARY_DIV;
    case '%': return BINARY_MOD;
    case '^': return BINARY_POW;
    case '&': return BINARY_BAND;
    case '|': return BINARY_BOR;
    case '~': return BINARY_BXOR;
    case '<': return BINARY_LT;
    case '>': return BINARY_GT;
    case TOKEN_IDIV: return BINARY_IDIV;
    case TOKEN_SHL: return BINARY_SHL;
    case TOKEN_SHR: return BINARY_SHR;
    case TOKEN_CONCAT: return BINARY_CONCAT;
    case TOKEN_EQ: return BINARY_EQ;
    case TOKEN_NE: return BINARY_NE;
    case TOKEN_LE: return BINARY_LE;
    case TOKEN_GE: return BINARY_GE;
    case TOKEN_AND: return BINARY_AND;
    case TOKEN_OR: return BINARY_OR;
    default: return BINARY_NONE;
  }
}

static BinaryOp parse_operators(Compiler *c, Expr *e, int limit);

/* An operand with the unary operators before it. */
static void parse_operand(Compiler *c, Expr *e) {
  UnaryOp op = token_unary(parse_kind(c));
  if (op == UNARY_NONE) {
    parse_simple(c, e);
    return;
  }
  int line = c->lexer.line;
  parse_next(c);
  parse_operators(c, e, UNARY_PRIORITY);
  operator_unary(c->function, op, e, line);
}

/* Reads operands joined by operators that bind stronger than `limit`.  Returns
** the first operator that does not. */
static BinaryOp parse_operators(Compiler *c, Expr *e, int limit) {
  parse_enter_level(c);
  parse_operand(c, e);
  BinaryOp op = token_binary(parse_kind(c));
  while (op != BINARY_NONE && binary_priority[op].left > limit) {
    Expr right;
    int line = c->lexer.line;
    parse_next(c);
    operator_left(c->function, op, e);
    BinaryOp next = parse_operators(c, &right, binary_priority[op].right);
    operator_binary(c->function, op, e, &right, line);
    op = next;
  }
  parse_leave_level(c);
  return op;
}

void parse_expression(Compiler *c, Expr *e) { parse_operators(c, e, 0); }

int parse_expression_list(Compiler *c, Expr *e) {
  int count = 1;
  parse_expression(c, e);
  while (parse_accept(c, ',')) {
    expr_to_next(c->function, e);
    parse_expression(c, e);
    count++;
  }
  return count;
}
