/* SPDX-License-Identifier: MIT */
/*
** parse_primary.c -- literals, variables, calls, functions
*/
#include "compiler/parse_impl.h"

/* -- Functions ------------------------------------------------------------- */

static void parse_vararg_mark(Compiler *c, unsigned parameters) {
  c->function->proto->is_vararg = true;
  emit_abc(c->function, OP_VARARGPREP, parameters, 0, 0);
}

/* Reads a parameter.  True if it was `...`, which is the last one. */
static bool parse_parameter(Compiler *c) {
  if (parse_accept(c, TOKEN_DOTS)) return true;
  if (parse_kind(c) != TOKEN_NAME) compile_error(c, "<name> or '...' expected");
  scope_declare(c->function, parse_name(c));
  return false;
}

static void parse_parameters(Compiler *c) {
  Function *f = c->function;
  int count = 0;
  bool vararg = false;
  if (parse_kind(c) != ')') {
    do {
      vararg = parse_parameter(c);
      count += !vararg;
    } while (!vararg && parse_accept(c, ','));
  }
  scope_activate(f, count);
  f->proto->param_count = f->active;
  if (vararg) parse_vararg_mark(c, f->active);
  register_reserve(f, f->active);
}

void parse_function_body(Compiler *c, Expr *e, bool is_method, int line) {
  Function f;
  Scope block;
  uint32_t index;
  Proto *proto = function_new_nested(c->function, &index);
  proto->first_line = line;
  function_open(c, &f, proto, &block);
  parse_expect(c, '(');
  if (is_method) {
    scope_declare(&f, lexer_new_string(&c->lexer, "self", 4));
    scope_activate(&f, 1);
  }
  parse_parameters(c);
  parse_expect(c, ')');
  parse_statements(c);
  proto->last_line = c->lexer.line;
  parse_expect_match(c, TOKEN_END, TOKEN_FUNCTION, line);
  function_close(c);
  expr_init(e, EXPR_PENDING,
            emit_abcx(c->function, OP_CLOSURE, 0, 0, c->function->free_register,
                      index));
}

/* -- Calls ----------------------------------------------------------------- */

/* Reads the arguments; `e` is the last one, or void. */
static void parse_arguments(Compiler *c, Expr *e, int line) {
  switch (parse_kind(c)) {
    case '(':
      parse_next(c);
      if (parse_kind(c) == ')')
        e->kind = EXPR_VOID;
      else {
        parse_expression_list(c, e);
        if (expr_is_open(e)) expr_set_open(c->function, e);
      }
      parse_expect_match(c, ')', '(', line);
      break;
    case '{': parse_constructor(c, e); break;
    case TOKEN_STRING:
      expr_init(e, EXPR_STRING, 0);
      e->as.string = c->lexer.token.as.s;
      parse_next(c);
      break;
    default: compile_error(c, "function arguments expected");
  }
}

/* Emits the call of the function in the last register in use, or for a method
** in the last but one. */
static void parse_call(Compiler *c, Expr *e) {
  Function *f = c->function;
  Expr last;
  int32_t pc;
  int line = c->lexer.line;
  unsigned base = (unsigned)e->as.index;
  parse_arguments(c, &last, line);
  if (expr_is_open(&last)) {
    pc = emit_abc(f, OP_CALLM, base, 0, 2);
  } else {
    if (last.kind != EXPR_VOID) expr_to_next(f, &last);
    pc = emit_abc(f, OP_CALL, base, f->free_register - base - 1, 1);
  }
  expr_init(e, EXPR_CALL, pc);
  emit_fix_line(f, line);
  f->free_register = (uint8_t)(base + 1); /* one result remains */
}

/* -- Variables and what follows them --------------------------------------- */

void parse_variable(Compiler *c, Expr *e) {
  String *name = parse_name(c);
  scope_find(c->function, name, e);
}

void parse_field(Compiler *c, Expr *e) {
  Expr key;
  expr_to_any_or_upvalue(c->function, e);
  parse_next(c); /* the dot or colon */
  expr_init(&key, EXPR_STRING, 0);
  key.as.string = parse_name(c);
  expr_index(c->function, e, &key);
}

static void parse_index(Compiler *c, Expr *e) {
  Expr key;
  expr_to_any_or_upvalue(c->function, e);
  parse_next(c);
  parse_expression(c, &key);
  expr_to_value(c->function, &key);
  parse_expect(c, ']');
  expr_index(c->function, e, &key);
}

static void parse_primary(Compiler *c, Expr *e) {
  if (parse_kind(c) == TOKEN_NAME) {
    parse_variable(c, e);
    return;
  }
  int line = c->lexer.line;
  if (!parse_accept(c, '(')) compile_error(c, "unexpected symbol");
  parse_expression(c, e);
  parse_expect_match(c, ')', '(', line);
  expr_discharge(c->function, e); /* one value, no longer a variable */
}

void parse_suffixed(Compiler *c, Expr *e) {
  parse_primary(c, e);
  for (;;) {
    switch (parse_kind(c)) {
      case '.': parse_field(c, e); break;
      case '[': parse_index(c, e); break;
      case ':':
        parse_next(c);
        expr_self(c->function, e, parse_name(c));
        parse_call(c, e);
        break;
      case '(':
      case TOKEN_STRING:
      case '{':
        expr_to_next(c->function, e);
        parse_call(c, e);
        break;
      default: return;
    }
  }
}

/* -- Simple expressions ---------------------------------------------------- */

static void parse_vararg(Compiler *c, Expr *e) {
  if (!c->function->proto->is_vararg)
    compile_error(c, "cannot use '...' outside a vararg function");
  expr_init(e, EXPR_VARARG, emit_abc(c->function, OP_VARARG, 0, 0, 0));
  parse_next(c);
}

/* Reads a literal of one token.  False if there is none. */
static bool parse_literal(Compiler *c, Expr *e) {
  const Token *token = &c->lexer.token;
  expr_init(e, EXPR_VOID, 0);
  switch (token->kind) {
    case TOKEN_NIL: e->kind = EXPR_NIL; break;
    case TOKEN_TRUE: e->kind = EXPR_TRUE; break;
    case TOKEN_FALSE: e->kind = EXPR_FALSE; break;
    case TOKEN_INTEGER:
      e->kind = EXPR_INTEGER;
      e->as.integer = token->as.i;
      break;
    case TOKEN_FLOAT:
      e->kind = EXPR_FLOAT;
      e->as.number = token->as.n;
      break;
    case TOKEN_STRING:
      e->kind = EXPR_STRING;
      e->as.string = token->as.s;
      break;
    default: return false;
  }
  parse_next(c);
  return true;
}

void parse_simple(Compiler *c, Expr *e) {
  if (parse_literal(c, e)) return;
  switch (parse_kind(c)) {
    case TOKEN_DOTS: parse_vararg(c, e); break;
    case '{': parse_constructor(c, e); break;
    case TOKEN_FUNCTION: {
      int line = c->lexer.line;
      parse_next(c);
      parse_function_body(c, e, false, line);
      break;
    }
    default: parse_suffixed(c, e); break;
  }
}
