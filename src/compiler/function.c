/* SPDX-License-Identifier: MIT */
/*
** function.c -- beginning and end of a function
*/
#include "bytecode/verify.h"
#include "compiler/parse_impl.h"
#include "object/budget.h"

/* -- Beginning ------------------------------------------------------------- */

void function_open(Compiler *c, Function *f, Proto *proto, Scope *block) {
  *f = (Function){
      .proto = proto,
      .outer = c->function,
      .compiler = c,
      .first_variable = c->variables.count,
      .first_label = c->labels.count,
      .first_line = c->lines.count,
      .last_target = -1,
      .last_pc = -1,
      .last_length = -1,
      .last_store = -1,
      .nil_constant = -1,
      .false_constant = -1,
      .true_constant = -1,
      .captured = NO_REGISTER,
      .pair = {.pc = -1, .left_move = -1, .right_move = -1},
  };
  proto->source = c->lexer.source;
  proto_barrier(gc_of(c->L), proto, c->lexer.source);
  proto->frame_size = 2; /* the smallest frame */
  c->function = f;
  block_enter(f, block, false);
}

Proto *function_new_nested(Function *f, uint32_t *index) {
  lua_State *L = f->compiler->L;
  Proto *p = f->proto;
  VECTOR_RESERVE(L, p, p->protos, p->proto_count + 1, INT32_MAX, "functions");
  Proto *nested = proto_new(L);
  p->protos[p->proto_count] = nested;
  *index = p->proto_count++;
  proto_barrier(gc_of(L), p, nested);
  return nested;
}

/* -- Returning ------------------------------------------------------------- */

/* Until the function ends, C of a return is the number of registers that
** variables occupy there.  CLOSE_ANYWAY means that a variable must be
** closed. */
enum { CLOSE_ANYWAY = 255 };

static unsigned return_level(const Function *f) {
  return f->block->inside_close ? CLOSE_ANYWAY : register_level(f);
}

void function_emit_return(Function *f, unsigned first, int count) {
  Opcode op = count == 0 ? OP_RETURN0 : count == 1 ? OP_RETURN1 : OP_RETURN;
  emit_abc(f, op, first, (unsigned)(count + 1), return_level(f));
}

void function_make_tail_call(Function *f, int32_t pc) {
  Instruction i = *emit_at(f, pc);
  unsigned arguments = code_op(i) == OP_CALL ? code_b(i) + 1 : code_b(i);
  *emit_at(f, pc) =
      code_make_abc(OP_TAILCALL, code_a(i), arguments, return_level(f));
}

/* -- End ------------------------------------------------------------------- */

/* What an instruction costs in a pass over the code.  A budget may end there. */
enum { PASS_UNITS = 4 };

/* A jump to a jump goes to the target of the second one.  The number of steps
** is limited because a program may jump in a circle. */
static int32_t function_final_target(Function *f, int32_t pc) {
  int32_t target = jump_target(f, pc);
  for (int steps = 0; steps < 100; steps++) {
    if (code_op(*emit_at(f, target)) != OP_JMP) break;
    budget_charge(f->compiler->L, 2);
    target = jump_target(f, target);
  }
  return target;
}

/* Captured variables are known only at the end of the function.  A return
** closes them if one of them is in scope there. */
static void function_finish_return(Function *f, int32_t pc) {
  Instruction i = *emit_at(f, pc);
  Opcode op = code_op(i);
  bool close = code_c(i) == CLOSE_ANYWAY || f->captured < code_c(i);
  bool plain = !close && !f->proto->is_vararg;
  if (op == OP_RETURN0 && plain)
    *emit_at(f, pc) = code_make_abc(op, 0, 0, 0);
  else if (op == OP_RETURN1 && plain)
    *emit_at(f, pc) = code_make_abc(op, code_a(i), 0, 0);
  else
    *emit_at(f, pc) =
        code_make_abc(op == OP_TAILCALL ? op : OP_RETURN, code_a(i), code_b(i),
                      (close ? RETURN_CLOSE : 0u) |
                          (f->proto->is_vararg ? RETURN_VARARG : 0u));
}

static void function_finish_code(Function *f) {
  lua_State *L = f->compiler->L;
  const bool counts = L->global->budget.on;
  for (int32_t pc = 0; pc < function_pc(f);) {
    if (UNLIKELY(counts)) budget_spend(L, PASS_UNITS);
    Instruction i = *emit_at(f, pc);
    switch (code_op(i)) {
      case OP_RETURN:
      case OP_RETURN0:
      case OP_RETURN1:
      case OP_TAILCALL: function_finish_return(f, pc); break;
      default:
        /* Those of `for` loops keep their target, because the jump back to a
        ** body that begins with `break` is a line event. */
        if (opcode_is_free_jump(code_op(i)))
          jump_fix(f, pc, function_final_target(f, pc));
        break;
    }
    pc += code_length(i);
  }
}

/* Chooses the opcodes of pairs.  All registers are known by now. */
static void function_join_pairs(Function *f) {
  lua_State *L = f->compiler->L;
  const bool counts = L->global->budget.on;
  int32_t next;
  for (int32_t pc = 0; pc < function_pc(f); pc = next) {
    if (UNLIKELY(counts)) budget_spend(L, PASS_UNITS);
    Instruction i = *emit_at(f, pc);
    next = pc + code_length(i);
    if (next < function_pc(f))
      emit_set_op(f, pc, code_pair(i, *emit_at(f, next)));
  }
}

static void function_check(lua_State *L, const Proto *p) {
  size_t pc = 0;
  const char *wrong = PENUMBRA_DEBUG ? verify_proto(L, p, &pc) : NULL;
  (void)L;
  ASSERT(!wrong, "word %zu of the function at line %d: %s", pc,
         (int)p->first_line, wrong);
}

/* Shrinks the vectors to the elements in use. */
static void function_trim(Function *f) {
  lua_State *L = f->compiler->L;
  Proto *p = f->proto;
  VECTOR_RESIZE(L, p, p->code, p->code_size);
  proto_fix_code(p);
  VECTOR_RESIZE(L, p, p->constants, p->constant_count);
  VECTOR_RESIZE(L, p, p->protos, p->proto_count);
  VECTOR_RESIZE(L, p, p->upvalues, p->upvalue_count);
  VECTOR_RESIZE(L, p, p->locals, p->local_count);
}

void function_close(Compiler *c) {
  /* For each word that is copied, and its line; and for each constant. */
  enum { FINISH_UNITS = 4 };
  Function *f = c->function;
  function_emit_return(f, register_level(f), 0);
  block_leave(f);
  function_finish_code(f);
  function_join_pairs(f);
  function_join_pairs(f); /* again, for pairs of pairs */
  function_check(c->L, f->proto);
  budget_spend(c->L, FINISH_UNITS * ((size_t)f->proto->code_size +
                                     f->proto->constant_count));
  function_trim(f);
  proto_set_lines(c->L, f->proto, (int32_t *)c->lines.box->data + f->first_line,
                  f->proto->code_size);
  c->lines.count = f->first_line;
  c->function = f->outer;
}
