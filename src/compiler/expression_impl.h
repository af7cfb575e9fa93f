/* SPDX-License-Identifier: MIT */
/*
** expression_impl.h -- from descriptions of values to values in registers
*/
#ifndef PENUMBRA_COMPILER_EXPRESSION_IMPL_H
#define PENUMBRA_COMPILER_EXPRESSION_IMPL_H

#include "compiler/emit_impl.h"

/* -- Getting values -------------------------------------------------------- */

/* Replaces a variable or an open expression by its value.  Afterwards the
** expression is a constant, a register, a pending instruction or a jump. */
void expr_discharge(Function *f, Expr *e);

/* Put the value into the given register, the next one, or any one.  The last
** two return the register. */
void expr_to_register(Function *f, Expr *e, unsigned reg);
unsigned expr_to_next(Function *f, Expr *e);
unsigned expr_to_any(Function *f, Expr *e);
/* As expr_to_any, but an upvalue may stay one. */
void expr_to_any_or_upvalue(Function *f, Expr *e);
/* As expr_discharge, but no jumps remain.  Afterwards the expression is a
** constant, a register or a pending instruction. */
void expr_to_value(Function *f, Expr *e);

/* True if the value is a constant whose index is at most `limit`. */
bool expr_to_constant(Function *f, const Expr *e, int32_t limit,
                      int32_t *index);
/* True if the value is known at compile time. */
bool expr_to_known(const Function *f, const Expr *e, Value *out);
/* Gives an initialized expression a known value. */
void expr_from_known(Expr *e, const Value *v);

/* True if the float is a 16-bit integer, and not -0.0. */
bool expr_float_is_small(Number n, Integer *out);

/* Frees the register of a temporary value. */
void expr_free(Function *f, const Expr *e);
void expr_free_pair(Function *f, const Expr *a, const Expr *b);

/* -- Calls and varargs: how many results ----------------------------------- */

void expr_set_results(Function *f, Expr *e, int count);
void expr_set_open(Function *f, Expr *e);
/* Exactly one result. */
void expr_set_one(Function *f, Expr *e);

/* -- Elements -------------------------------------------------------------- */

/* e := e[key].  `e` is in a register or an upvalue. */
void expr_index(Function *f, Expr *e, Expr *key);
/* Prepares e:name(...): method and object in the next two registers. */
void expr_self(Function *f, Expr *e, String *name);
/* variable := value */
void expr_store(Function *f, const Expr *variable, Expr *value);
/* table.name := value, for a table in a register.  May leave registers in
** use. */
void expr_store_named(Function *f, unsigned table, String *name, Expr *value);

/* -- Conditions ------------------------------------------------------------ */

/* Continue if the value is true (false), and jump otherwise.  The jumps are in
** if_false (if_true). */
void expr_go_if_true(Function *f, Expr *e);
void expr_go_if_false(Function *f, Expr *e);

/* e := not e */
void expr_not(Function *f, Expr *e);

#endif
