/* SPDX-License-Identifier: MIT */
/*
** parse_control.c -- if, loops, return
*/
#include "compiler/parse_impl.h"

/* -- Conditions ------------------------------------------------------------ */

/* Reads a condition and returns the jumps taken if it does not hold. */
static int32_t parse_condition(Compiler *c) {
  Expr e;
  parse_expression(c, &e);
  if (e.kind == EXPR_NIL) e.kind = EXPR_FALSE; /* the same as a condition */
  expr_go_if_true(c->function, &e);
  return e.if_false;
}

/* -- if -------------------------------------------------------------------- */

/* True if the block begins with `break` or `goto` and no variable has to be
** closed on the way.  `label` receives the target, NULL if it has not been seen
** yet. */
static bool parse_if_jumps(Compiler *c, const Label **label) {
  Function *f = c->function;
  *label = NULL;
  if (parse_kind(c) == TOKEN_BREAK) return true;
  if (parse_kind(c) != TOKEN_GOTO) return false;
  if (lexer_peek(&c->lexer) != TOKEN_NAME) return false;
  *label = label_find(f, c->lexer.ahead.as.s);
  return !*label || scope_level(f, (*label)->active) == register_level(f);
}

/* `if x then goto l end`: the jumps of the condition go directly to the label.
** Reads the block up to the end of the goto.  If the block goes on after it,
** returns the jump that is taken if the condition does not hold. */
static int32_t parse_if_jump(Compiler *c, int32_t jumps, const Label *label) {
  Function *f = c->function;
  int line = c->lexer.line;
  bool is_break = parse_kind(c) == TOKEN_BREAK;
  parse_next(c);
  String *name = is_break ? NULL : parse_name(c);
  if (label)
    jump_patch(f, jumps, label->pc);
  else
    label_goto(f, name, line, jumps);
  while (parse_accept(c, ';')) continue;
  return parse_at_block_end(c, false) ? NO_JUMP : jump_emit(f);
}

/* One condition and its block.  If another branch follows, adds the jump out of
** the block to `escapes`. */
static void parse_if_branch(Compiler *c, int32_t *escapes) {
  Function *f = c->function;
  const Label *label;
  Scope block;
  Expr e;
  int32_t otherwise;
  parse_next(c);
  parse_expression(c, &e);
  parse_expect(c, TOKEN_THEN);
  if (parse_if_jumps(c, &label)) {
    expr_go_if_false(f, &e);
    block_enter(f, &block, false);
    otherwise = parse_if_jump(c, e.if_true, label);
    if (otherwise == NO_JUMP) {
      block_leave(f);
      return;
    }
  } else {
    expr_go_if_true(f, &e);
    block_enter(f, &block, false);
    otherwise = e.if_false;
  }
  parse_statements(c);
  block_leave(f);
  if (parse_kind(c) == TOKEN_ELSE || parse_kind(c) == TOKEN_ELSEIF)
    jump_join(f, escapes, jump_emit(f));
  jump_patch_here(f, otherwise);
}

void parse_if(Compiler *c, int line) {
  int32_t escapes = NO_JUMP;
  parse_if_branch(c, &escapes);
  while (parse_kind(c) == TOKEN_ELSEIF) parse_if_branch(c, &escapes);
  if (parse_accept(c, TOKEN_ELSE)) parse_block(c);
  parse_expect_match(c, TOKEN_END, TOKEN_IF, line);
  jump_patch_here(c->function, escapes);
}

/* -- while and repeat ------------------------------------------------------ */

/* A condition and the jumps that leave if it does not hold. */
typedef struct Condition {
  int32_t start, end;
  int32_t exits;
} Condition;

/* True if the condition's last instruction is an exit.  It is not if the
** condition ends in a constant. */
static bool condition_ends_in_exit(Function *f, const Condition *c) {
  for (int32_t pc = c->exits; pc != NO_JUMP; pc = jump_next(f, pc))
    if (pc == f->last_pc) return code_op(*emit_at(f, pc)) != OP_JMP;
  return false;
}

/* Emits the code of the condition again.  Its jumps are not correct yet. */
static void condition_copy(Function *f, const Condition *c) {
  for (int32_t pc = c->start; pc < c->end;) {
    int length = code_length(*emit_at(f, pc));
    emit_copy(f, pc, length);
    pc += length;
  }
}

/* Fixes the jumps of the copy, which is `distance` words after the original.
** They lead to the same places as the original ones.  Exits join the list. */
static void condition_fix_copy(Function *f, Condition *c, int32_t distance) {
  for (int32_t pc = c->start; pc < c->end;) {
    Instruction i = *emit_at(f, pc);
    if (opcode_is_jump(code_op(i)) && jump_target(f, pc) == c->end)
      jump_fix(f, pc + distance, c->end);
    pc += code_length(i);
  }
  /* The list grows by the copies, which come after the originals. */
  for (int32_t pc = c->exits; pc != NO_JUMP && pc < c->end;
       pc = jump_next(f, pc)) {
    int32_t copy = pc + distance;
    jump_drop_value(f, copy);
    jump_fix(f, copy, copy); /* a list with only this jump */
    if (copy != f->last_pc) jump_join(f, &c->exits, copy);
  }
}

/* The end of a while loop.  If the condition is short enough, it is tested
** again here, instead of jumping back to it. */
static void while_again(Function *f, Condition *c, bool copyable) {
  if (!copyable) {
    jump_emit_to(f, c->start);
    return;
  }
  int32_t distance = jump_label(f) - c->start;
  condition_copy(f, c);
  condition_fix_copy(f, c, distance);
  jump_negate(f, f->last_pc);
  jump_fix(f, f->last_pc, c->end);
  scope_note_copy(f, c->start + distance);
}

void parse_loop_while(Compiler *c, int line) {
  enum { MAX_COPIED = 24 }; /* words */
  Function *f = c->function;
  Scope block;
  Condition condition;
  parse_next(c);
  condition.start = jump_label(f);
  condition.exits = parse_condition(c);
  condition.end = function_pc(f);
  bool copyable = condition.end - condition.start <= MAX_COPIED &&
                  condition_ends_in_exit(f, &condition);
  block_enter(f, &block, true);
  parse_expect(c, TOKEN_DO);
  parse_block(c);
  while_again(f, &condition, copyable);
  parse_expect_match(c, TOKEN_END, TOKEN_WHILE, line);
  block_leave(f);
  jump_patch_here(f, condition.exits);
}

/* For a block with captured variables, which are closed whether the loop
** continues or not.  Returns the jumps that continue it. */
static int32_t repeat_close(Function *f, int32_t again, unsigned level) {
  int32_t exit = jump_emit(f);
  jump_patch_here(f, again);
  emit_abc(f, OP_CLOSE, level, 0, 0);
  again = jump_emit(f);
  jump_patch_here(f, exit);
  return again;
}

void parse_loop_repeat(Compiler *c, int line) {
  Function *f = c->function;
  Scope loop, block;
  int32_t start = jump_label(f);
  block_enter(f, &loop, true);
  block_enter(f, &block, false);
  parse_next(c);
  parse_statements(c);
  parse_expect_match(c, TOKEN_UNTIL, TOKEN_REPEAT, line);
  int32_t again = parse_condition(c); /* sees the block's variables */
  block_leave(f);
  if (block.captured)
    again = repeat_close(f, again, scope_level(f, block.active));
  jump_patch(f, again, start);
  block_leave(f);
}

/* -- for ------------------------------------------------------------------- */

/* Declares the internal variables of a loop. */
static void for_declare_state(Compiler *c, int count) {
  String *name = lexer_new_string(&c->lexer, "(for state)", 11);
  for (int i = 0; i < count; i++) scope_declare(c->function, name);
}

/* Reads the body with its variables.  Returns the pc where it begins.  *changes
** is set to true if the body may change the first variable. */
static int32_t for_body(Compiler *c, int variables, bool *changes) {
  Function *f = c->function;
  Scope block;
  unsigned first = f->active;
  int32_t start = jump_label(f);
  block_enter(f, &block, false);
  scope_activate(f, variables);
  register_reserve(f, variables);
  parse_statements(c);
  *changes = function_variable(f, first)->changes;
  block_leave(f);
  return start;
}

/* Reads the step.  True if it is 1: then its register is only reserved. */
static bool for_step(Compiler *c) {
  Expr step;
  if (!parse_accept(c, ',')) {
    register_reserve(c->function, 1);
    return true;
  }
  parse_expression(c, &step);
  if (step.kind == EXPR_FOLDED) expr_discharge(c->function, &step);
  if (step.kind == EXPR_INTEGER && step.as.integer == 1 &&
      !expr_has_jumps(&step)) {
    register_reserve(c->function, 1);
    return true;
  }
  expr_to_next(c->function, &step);
  return false;
}

static void for_value(Compiler *c) {
  Expr e;
  parse_expression(c, &e);
  expr_to_next(c->function, &e);
}

/* for name = start, limit, step do ... end */
static void for_numeric(Compiler *c, String *name, int line) {
  Function *f = c->function;
  unsigned base = f->free_register;
  bool changes;
  for_declare_state(c, 3);
  scope_declare(f, name);
  parse_expect(c, '=');
  for_value(c);
  parse_expect(c, ',');
  for_value(c);
  bool unit = for_step(c);
  scope_activate(f, 3);
  parse_expect(c, TOKEN_DO);
  int32_t prepare =
      emit_abcx(f, unit ? OP_FORPREP1 : OP_FORPREP, base, 0, 0, 0);
  int32_t start = for_body(c, 1, &changes);
  Opcode unit_loop = changes ? OP_FORCOPY1 : OP_FORLOOP1;
  int32_t loop = emit_abcx(f, unit ? unit_loop : OP_FORLOOP, base, 0, 0, 0);
  jump_fix(f, loop, start);
  jump_fix(f, prepare, jump_label(f));
  emit_fix_line(f, line);
}

/* for name, ... in values do ... end */
static void for_generic(Compiler *c, String *first) {
  Function *f = c->function;
  Expr e;
  unsigned base = f->free_register;
  int variables = 1;
  bool changes;
  for_declare_state(c, 4);
  scope_declare(f, first);
  for (; parse_accept(c, ','); variables++) scope_declare(f, parse_name(c));
  parse_expect(c, TOKEN_IN);
  int line = c->lexer.line;
  int values = parse_expression_list(c, &e);
  parse_adjust(c, 4, values, &e);
  scope_activate(f, 4);
  scope_note_close(f);
  register_check(f, 3); /* the iterator and its arguments */
  parse_expect(c, TOKEN_DO);
  int32_t prepare = emit_abcx(f, OP_TFORPREP, base, 0, 0, 0);
  int32_t start = for_body(c, variables, &changes);
  jump_fix(f, prepare, jump_label(f));
  emit_abc(f, OP_TFORCALL, base, (unsigned)variables, 0);
  emit_fix_line(f, line);
  int32_t loop = emit_abcx(f, OP_TFORLOOP, base, 0, 0, 0);
  jump_fix(f, loop, start);
  emit_fix_line(f, line);
}

void parse_loop_for(Compiler *c, int line) {
  Function *f = c->function;
  Scope block;
  block_enter(f, &block, true);
  parse_next(c);
  String *name = parse_name(c);
  switch (parse_kind(c)) {
    case '=': for_numeric(c, name, line); break;
    case ',':
    case TOKEN_IN: for_generic(c, name); break;
    default: compile_error(c, "'=' or 'in' expected");
  }
  parse_expect_match(c, TOKEN_END, TOKEN_FOR, line);
  block_leave(f);
}

/* -- return ---------------------------------------------------------------- */

/* Reads the values of a return.  Returns their number, -1 for open.  A single
** value sets `first` to its register. */
static int return_values(Compiler *c, unsigned *first) {
  Function *f = c->function;
  Expr e;
  int count = parse_expression_list(c, &e);
  if (expr_is_open(&e)) {
    if (e.kind == EXPR_CALL && count == 1 && !f->block->inside_close)
      function_make_tail_call(f, e.as.index);
    else
      expr_set_open(f, &e);
    return -1;
  }
  if (count == 1) {
    *first = expr_to_any(f, &e);
    emit_drop_reload(f, *first, c->lexer.last_line);
  } else {
    expr_to_next(f, &e);
  }
  return count;
}

void parse_return(Compiler *c) {
  Function *f = c->function;
  unsigned first = register_level(f);
  int count = 0;
  parse_next(c);
  if (!parse_at_block_end(c, true) && parse_kind(c) != ';')
    count = return_values(c, &first);
  function_emit_return(f, first, count);
  parse_accept(c, ';');
}
