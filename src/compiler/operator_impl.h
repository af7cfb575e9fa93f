/* SPDX-License-Identifier: MIT */
/*
** operator_impl.h -- operators
*/
#ifndef PENUMBRA_COMPILER_OPERATOR_IMPL_H
#define PENUMBRA_COMPILER_OPERATOR_IMPL_H

#include "compiler/expression_impl.h"

typedef enum BinaryOp {
#define BINARY(token, name, left, right) BINARY_##name,
#include "compiler/tokens.def"
#undef BINARY
} BinaryOp;

typedef enum UnaryOp {
  UNARY_NONE,
#define UNARY(token, name) UNARY_##name,
#include "compiler/tokens.def"
#undef UNARY
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
