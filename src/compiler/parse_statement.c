/* SPDX-License-Identifier: MIT */
/*
** parse_statement.c -- statements: declarations, assignments, calls
*/
#include "compiler/parse_impl.h"

/* -- Lists of values ------------------------------------------------------- */

void parse_adjust(Compiler *c, int wanted, int got, Expr *e) {
  Function *f = c->function;
  int missing = wanted - got;
  if (expr_is_open(e)) {
    expr_set_results(f, e, missing < 0 ? 0 : missing + 1);
  } else {
    if (e->kind != EXPR_VOID) expr_to_next(f, e);
    if (missing > 0) emit_load_nil(f, f->free_register, (unsigned)missing);
  }
  if (missing > 0)
    register_reserve(f, missing);
  else
    f->free_register = (uint8_t)(f->free_register + missing);
}

/* -- Local declarations ---------------------------------------------------- */

static VariableKind parse_attribute(Compiler *c) {
  if (!parse_accept(c, '<')) return VARIABLE_REGULAR;
  const char *name = string_bytes(parse_name(c));
  parse_expect(c, '>');
  if (strcmp(name, "const") == 0) return VARIABLE_CONST;
  if (strcmp(name, "close") == 0) return VARIABLE_CLOSE;
  compile_error_semantic(c, "unknown attribute '%s'", name);
}

/* Declares the names.  `close` is the number of the one to be closed, or -1.
** Returns the number of names. */
static int parse_local_names(Compiler *c, int *close) {
  Function *f = c->function;
  int count = 0;
  *close = -1;
  do {
    unsigned number = scope_declare(f, parse_name(c));
    VariableKind kind = parse_attribute(c);
    function_variable(f, number)->kind = (uint8_t)kind;
    if (kind == VARIABLE_CLOSE) {
      if (*close >= 0)
        compile_error_semantic(c,
                               "multiple to-be-closed variables in local list");
      *close = (int)number;
    }
    count++;
  } while (parse_accept(c, ','));
  return count;
}

/* If the last variable is <const> and its value is known, it gets no register.
** False if not. */
static bool parse_local_fold(Compiler *c, int names, int values,
                             const Expr *e) {
  Function *f = c->function;
  if (names != values) return false;
  Variable *v = function_variable(f, (size_t)(f->active + names - 1));
  if (v->kind != VARIABLE_CONST) return false;
  if (!expr_to_known(f, e, &v->value)) return false;
  v->kind = VARIABLE_FOLDED;
  scope_activate(f, names - 1);
  f->active++;
  return true;
}

void parse_local(Compiler *c) {
  Function *f = c->function;
  Expr e;
  int close, values = 0;
  int names = parse_local_names(c, &close);
  if (parse_accept(c, '='))
    values = parse_expression_list(c, &e);
  else
    expr_init(&e, EXPR_VOID, 0);
  if (parse_local_fold(c, names, values, &e)) return;
  parse_adjust(c, names, values, &e);
  scope_activate(f, names);
  if (close < 0) return;
  scope_note_close(f);
  emit_abc(f, OP_TBC, function_variable(f, (size_t)close)->reg, 0, 0);
}

void parse_local_function(Compiler *c) {
  Function *f = c->function;
  Expr body;
  unsigned number = scope_declare(f, parse_name(c));
  scope_activate(f, 1); /* the function may call itself */
  parse_function_body(c, &body, false, c->lexer.line);
  expr_to_next(f, &body);
  const Variable *v = function_variable(f, number);
  f->proto->locals[v->local].start = function_pc(f);
}

/* function a.b.c:d() ... end */
void parse_function_statement(Compiler *c, int line) {
  Expr name, body;
  bool is_method = false;
  parse_next(c);
  parse_variable(c, &name);
  while (parse_kind(c) == '.') parse_field(c, &name);
  if (parse_kind(c) == ':') {
    is_method = true;
    parse_field(c, &name);
  }
  parse_function_body(c, &body, is_method, line);
  scope_note_assignment(c->function, &name);
  expr_to_next(c->function, &body); /* a separate line event */
  expr_store(c->function, &name, &body);
  emit_fix_line(c->function, line); /* it is defined on this line */
}

/* -- Assignments and calls ------------------------------------------------- */

/* The left side of an assignment; the last target comes first. */
typedef struct Target {
  struct Target *previous;
  Expr e;
} Target;

/* If the element uses the variable `e`, it will use `reg` instead.  False if it
** does not. */
static bool target_evade(Expr *element, const Expr *e, unsigned reg) {
  bool found = false;
  if (element->kind == EXPR_INDEX_UPVALUE) {
    if (e->kind != EXPR_UPVALUE || element->as.element.table != e->as.index)
      return false;
    element->kind = EXPR_INDEX_FIELD;
    element->as.element.table = (uint8_t)reg;
    return true;
  }
  if (e->kind != EXPR_LOCAL || !expr_is_element(element)) return false;
  if (element->as.element.table == e->as.local.reg) {
    element->as.element.table = (uint8_t)reg;
    found = true;
  }
  if (element->kind == EXPR_INDEX &&
      element->as.element.key == e->as.local.reg) {
    element->as.element.key = (int32_t)reg;
    found = true;
  }
  return found;
}

/* In `t[i], t = ...` the element must be one of the old t.  So this copies the
** variable that will be assigned, if elements before it use it. */
static void target_keep_variable(Function *f, Target *before, const Expr *e) {
  unsigned reg = f->free_register;
  bool found = false;
  for (; before; before = before->previous)
    if (target_evade(&before->e, e, reg)) found = true;
  if (!found) return;
  if (e->kind == EXPR_LOCAL)
    emit_move(f, reg, e->as.local.reg);
  else
    emit_abc(f, OP_GETUPVAL, reg, (unsigned)e->as.index, 0);
  register_reserve(f, 1);
}

static void parse_target_check(Compiler *c, const Target *target) {
  ExprKind kind = target->e.kind;
  if (kind < EXPR_LOCAL || kind > EXPR_INDEX_UPVALUE)
    compile_error(c, "syntax error");
  scope_note_assignment(c->function, &target->e);
}

/* Reads the right side.  True if the last target has got its value. */
static bool parse_assigned_values(Compiler *c, Target *last, int targets) {
  Function *f = c->function;
  Expr e;
  parse_expect(c, '=');
  int values = parse_expression_list(c, &e);
  if (values != targets) {
    parse_adjust(c, targets, values, &e);
    return false;
  }
  expr_set_one(f, &e);
  expr_store(f, &last->e, &e); /* without a temporary register */
  return true;
}

static void parse_assignment(Compiler *c, Target *last, int targets) {
  Function *f = c->function;
  parse_target_check(c, last);
  if (parse_accept(c, ',')) {
    Target next = {.previous = last};
    parse_suffixed(c, &next.e);
    if (!expr_is_element(&next.e)) target_keep_variable(f, last, &next.e);
    parse_enter_level(c);
    parse_assignment(c, &next, targets + 1);
    parse_leave_level(c);
  } else if (parse_assigned_values(c, last, targets)) {
    return;
  }
  Expr value;
  expr_init(&value, EXPR_REGISTER, f->free_register - 1);
  expr_store(f, &last->e, &value);
}

void parse_expression_statement(Compiler *c) {
  Target target = {.previous = NULL};
  parse_suffixed(c, &target.e);
  if (parse_kind(c) == '=' || parse_kind(c) == ',') {
    parse_assignment(c, &target, 1);
    return;
  }
  if (target.e.kind != EXPR_CALL) compile_error(c, "syntax error");
  expr_set_results(c->function, &target.e, 0);
}

/* -- Labels ---------------------------------------------------------------- */

static void parse_statement(Compiler *c);

static void parse_label(Compiler *c, int line) {
  Function *f = c->function;
  String *name = parse_name(c);
  parse_expect(c, TOKEN_DBCOLON);
  while (parse_kind(c) == ';' || parse_kind(c) == TOKEN_DBCOLON)
    parse_statement(c);
  const Label *old = label_find(f, name);
  if (old)
    compile_error_semantic(c, "label '%s' already defined on line %d",
                           string_bytes(name), old->line);
  label_create(f, name, line, parse_at_block_end(c, false));
}

static void parse_goto(Compiler *c, int line) {
  Function *f = c->function;
  String *name = parse_name(c);
  const Label *label = label_find(f, name);
  if (label)
    label_goto_back(f, label);
  else
    label_goto(f, name, line, jump_emit(f));
}

/* -- Any statement --------------------------------------------------------- */

static void parse_do(Compiler *c, int line) {
  parse_next(c);
  parse_block(c);
  parse_expect_match(c, TOKEN_END, TOKEN_DO, line);
}

static void parse_local_statement(Compiler *c) {
  parse_next(c);
  if (parse_accept(c, TOKEN_FUNCTION))
    parse_local_function(c);
  else
    parse_local(c);
}

static void parse_statement_kind(Compiler *c) {
  int line = c->lexer.line;
  switch (parse_kind(c)) {
    case ';': parse_next(c); break;
    case TOKEN_IF: parse_if(c, line); break;
    case TOKEN_WHILE: parse_loop_while(c, line); break;
    case TOKEN_DO: parse_do(c, line); break;
    case TOKEN_FOR: parse_loop_for(c, line); break;
    case TOKEN_REPEAT: parse_loop_repeat(c, line); break;
    case TOKEN_FUNCTION: parse_function_statement(c, line); break;
    case TOKEN_LOCAL: parse_local_statement(c); break;
    case TOKEN_RETURN: parse_return(c); break;
    case TOKEN_DBCOLON:
      parse_next(c);
      parse_label(c, line);
      break;
    case TOKEN_BREAK:
      parse_next(c);
      label_goto(c->function, NULL, line, jump_emit(c->function));
      break;
    case TOKEN_GOTO:
      parse_next(c);
      parse_goto(c, line);
      break;
    default: parse_expression_statement(c); break;
  }
}

static void parse_statement(Compiler *c) {
  Function *f = c->function;
  parse_enter_level(c);
  parse_statement_kind(c);
  ASSERT(f->free_register >= register_level(f), "a variable lost its place");
  f->free_register = (uint8_t)register_level(f);
  parse_leave_level(c);
  parse_poll(c);
}

void parse_statements(Compiler *c) {
  while (!parse_at_block_end(c, true)) {
    bool last = parse_kind(c) == TOKEN_RETURN;
    parse_statement(c);
    if (last) return;
  }
}

void parse_block(Compiler *c) {
  Scope block;
  block_enter(c->function, &block, false);
  parse_statements(c);
  block_leave(c->function);
}
