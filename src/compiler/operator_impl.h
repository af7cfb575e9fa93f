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

/* Call when the left operand and the operator have been read. */
void operator_left(Function *f, BinaryOp op, Expr *left);
/* Call when the right operand has been read: left := left op right. */
void operator_binary(Function *f, BinaryOp op, Expr *left, Expr *right,
                     int line);

/* If the last CONCAT has only two operands, removes copies of variables that it
** does not need.  Returns its pc. */
int32_t concat_simplify(Function *f);

#endif
