/* SPDX-License-Identifier: MIT */
/*
** parse_impl.h -- what the parser's files share
*/
#ifndef PENUMBRA_COMPILER_PARSE_IMPL_H
#define PENUMBRA_COMPILER_PARSE_IMPL_H

#include "compiler/emit_impl.h"
#include "compiler/expression_impl.h"
#include "compiler/operator_impl.h"
#include "compiler/scope_impl.h"

/* -- Tokens (parse.c) ------------------------------------------------------ */

static inline int parse_kind(const Compiler *c) { return c->lexer.token.kind; }
static inline void parse_next(Compiler *c) { lexer_next(&c->lexer); }

/* Skips the token if it is of that kind. */
static inline bool parse_accept(Compiler *c, int kind) {
  if (parse_kind(c) != kind) return false;
  parse_next(c);
  return true;
}
/* Raises "<kind> expected" unless the token is of that kind. */
void parse_check(Compiler *c, int kind);
/* Like parse_check, and skips the token. */
void parse_expect(Compiler *c, int kind);
/* As parse_expect, for the end of what began with `open` at `line`. */
void parse_expect_match(Compiler *c, int kind, int open, int line);
/* Skips a name and returns it. */
String *parse_name(Compiler *c);
/* Is the token the end of a block? */
bool parse_at_block_end(const Compiler *c, bool with_until);

/* Nested constructs use the C stack, so their depth has a limit. */
void parse_enter_level(Compiler *c);
void parse_leave_level(Compiler *c);

/* A safepoint: the collector may run a step. */
static inline void parse_poll(Compiler *c) {
  if (UNLIKELY(gc_step_due(gc_of(c->L)))) gc_step(gc_of(c->L));
}

/* -- Functions (function.c) ------------------------------------------------ */

void function_open(Compiler *c, Function *f, Proto *proto, Scope *block);
void function_close(Compiler *c);
/* Makes a prototype nested in the function; `index` is its number. */
Proto *function_new_nested(Function *f, uint32_t *index);
/* Emits the return of `count` values from R[first] on; -1 for open. */
void function_emit_return(Function *f, unsigned first, int count);
/* Makes a tail call of the call at pc, which is all that is returned. */
void function_make_tail_call(Function *f, int32_t pc);

/* -- Expressions (parse_expression.c, _primary.c, _constructor.c) ---------- */

void parse_expression(Compiler *c, Expr *e);
/* Reads a list.  `e` is the last expression, the others are in registers.
** Returns the number of expressions. */
int parse_expression_list(Compiler *c, Expr *e);
/* A variable, call or parenthesized expression, with the suffixes after it. */
void parse_suffixed(Compiler *c, Expr *e);
/* A literal, constructor, function or suffixed expression. */
void parse_simple(Compiler *c, Expr *e);
void parse_variable(Compiler *c, Expr *e);
/* { ... } */
void parse_constructor(Compiler *c, Expr *e);
/* Parameters and body, after `function` and its name. */
void parse_function_body(Compiler *c, Expr *e, bool is_method, int line);
/* .name */
void parse_field(Compiler *c, Expr *e);

/* -- Statements (parse_statement.c, parse_control.c) ----------------------- */

void parse_block(Compiler *c);
void parse_statements(Compiler *c);
void parse_loop_while(Compiler *c, int line);
void parse_loop_repeat(Compiler *c, int line);
void parse_loop_for(Compiler *c, int line);
void parse_if(Compiler *c, int line);
void parse_return(Compiler *c);
void parse_local(Compiler *c);
void parse_local_function(Compiler *c);
void parse_function_statement(Compiler *c, int line);
void parse_expression_statement(Compiler *c);
/* Adjusts a list of `got` values, which ends with e, to `wanted` values. */
void parse_adjust(Compiler *c, int wanted, int got, Expr *e);

#endif
