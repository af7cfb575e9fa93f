/* SPDX-License-Identifier: MIT */
/*
** parse_expression.c -- operators and their precedence
*/
#include "compiler/parse_impl.h"

typedef struct Operator {
  uint8_t op, left, right; /* BinaryOp, its priorities */
} Operator;

/* Indexed by the kind of token.  A token that is no operator has the priority
** 0, which is above no limit. */
static const Operator binary_operators[TOKEN_LIMIT] = {
#define BINARY(token, name, left, right) [token] = {BINARY_##name, left, right},
#include "compiler/tokens.def"
#undef BINARY
};

static const uint8_t unary_operators[TOKEN_LIMIT] = {
#define UNARY(token, name) [token] = UNARY_##name,
#include "compiler/tokens.def"
#undef UNARY
};

enum { UNARY_PRIORITY = 12 };

static void parse_operators(Compiler *c, Expr *e, int limit);

/* Skips an operator.  Returns its line. */
static int parse_operator(Compiler *c) {
  int line = c->lexer.line;
  parse_next(c);
  return line;
}

/* An operand with the unary operators before it. */
static void parse_operand(Compiler *c, Expr *e) {
  UnaryOp op = (UnaryOp)unary_operators[parse_kind(c)];
  if (op != UNARY_NONE) {
    int line = parse_operator(c);
    parse_operators(c, e, UNARY_PRIORITY);
    operator_unary(c->function, op, e, line);
  } else {
    parse_simple(c, e);
  }
}

/* e := e o right, where the operator is the current token. */
static void parse_right(Compiler *c, Expr *e, const Operator *o) {
  Expr right;
  int line = parse_operator(c);
  operator_left(c->function, (BinaryOp)o->op, e);
  parse_operators(c, &right, o->right);
  operator_binary(c->function, (BinaryOp)o->op, e, &right, line);
}

/* Reads operands joined by operators that bind stronger than `limit`. */
static void parse_operators(Compiler *c, Expr *e, int limit) {
  parse_enter_level(c);
  parse_operand(c, e);
  for (;;) {
    const Operator *o = &binary_operators[parse_kind(c)];
    if (o->left <= limit) break;
    parse_right(c, e, o);
  }
  parse_leave_level(c);
}

void parse_expression(Compiler *c, Expr *e) { parse_operators(c, e, 0); }

int parse_expression_list(Compiler *c, Expr *e) {
  for (int count = 1;; count++) {
    parse_expression(c, e);
    if (!parse_accept(c, ',')) return count;
    expr_to_next(c->function, e);
  }
}
