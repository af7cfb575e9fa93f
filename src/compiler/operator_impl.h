/* SPDX-License-Identifier: MIT */
/*
** operator_impl.h -- operators
*/
#ifndef PENUMBRA_COMPILER_OPERATOR_IMPL_H
#define PENUMBRA_COMPILER_OPERATOR_IMPL_H

#include "compiler/expression_impl.h"

/* Those of arithmetic are in the order of LUA_OPADD ... LUA_OPSHR. */
typedef enum BinaryOp {
  BINARY_ADD, BINARY_SUB, BINARY_MUL, BINARY_MOD, BINARY_POW, BINARY_DIV,
  BINARY_IDIV, BINARY_BAND, BINARY_BOR, BINARY_BXOR, BINARY_SHL, BINARY_SHR,
  BINARY_CONCAT,
  BINARY_EQ, BINARY_NE, BINARY_LT, BINARY_LE, BINARY_GT, BINARY_GE,
  BINARY_AND, BINARY_OR,
  BINARY_NONE
} BinaryOp;

typedef enum UnaryOp {
  UNARY_MINUS, UNARY_BNOT, UNARY_NOT, UNARY_LEN,
  UNARY_NONE
} UnaryOp;

/* e := op e */
void operator_unary(Function *f, UnaryOp op, Expr *e, int line);

/* The left operand and the operator have been read ... */
void operator_left(Function *f, BinaryOp op, Expr *left);
/* ... and now the right one too: left := left op right. */
void operator_binary(Function *f, BinaryOp op, Expr *left, Expr *right,
                     int line);

/* Drops copies of variables that the last CONCAT does not need, if it has but
** two operands.  Returns its pc. */
int32_t concat_simplify(Function *f);

#endif
