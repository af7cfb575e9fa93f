/* SPDX-License-Identifier: MIT */
/*
** function.c -- beginning and end of a function
*/
#include "bytecode/verify.h"
#include "compiler/parse_impl.h"

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
      .nil_constant = -1,
      .false_constant = -1,
      .true_constant = -1,
      .pair = {-1, -1, -1},
  };
  proto->source = c->lexer.source;
  proto_barrier(gc_of(c->L), proto, c->lexer.source);
  proto->frame_size = 2; /* there are always that many */
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

void function_emit_return(Function *f, unsigned first, int count) {
  if (f->block->inside_close)
    emit_abc(f, OP_RETURN, first, (unsigned)(count + 1), 1);
  else if (count == 0)
    emit_abc(f, OP_RETURN0, first, 1, 0);
  else if (count == 1)
    emit_abc(f, OP_RETURN1, first, 2, 0);
  else
    emit_abc(f, OP_RETURN, first, (unsigned)(count + 1), 0);
}

/* -- End ------------------------------------------------------------------- */

/* A jump to a jump goes to where that one leads.  The number of steps is
** limited because a program may jump in a circle. */
static int32_t function_final_target(Function *f, int32_t pc) {
  int32_t target = jump_target(f, pc);
  for (int steps = 0; steps < 100; steps++) {
    if (code_op(*emit_at(f, target)) != OP_JMP) break;
    target = jump_target(f, target);
  }
  return target;
}

/* Only now it is known whether returns have variables to close. */
static void function_finish_return(Function *f, int32_t pc) {
  Instruction i = *emit_at(f, pc);
  Opcode op = code_op(i);
  if (op == OP_RETURN0 || op == OP_RETURN1) {
    if (!f->needs_close && !f->proto->is_vararg) {
      unsigned value = op == OP_RETURN1 ? code_a(i) : 0;
      *emit_at(f, pc) = code_make_abc(op, value, 0, 0);
      return;
    }
    emit_set_op(f, pc, OP_RETURN);
  }
  if (f->needs_close) emit_set_c(f, pc, 1);
}

static void function_finish_code(Function *f) {
  for (int32_t pc = 0; pc < function_pc(f);) {
    Instruction i = *emit_at(f, pc);
    switch (code_op(i)) {
      case OP_RETURN:
      case OP_RETURN0:
      case OP_RETURN1:
      case OP_TAILCALL: function_finish_return(f, pc); break;
      default:
        if (opcode_is_jump(code_op(i)))
          jump_fix(f, pc, function_final_target(f, pc));
        break;
    }
    pc += code_length(i);
  }
}

static void function_check(const Proto *p) {
  size_t pc = 0;
  const char *wrong = PENUMBRA_DEBUG ? verify_proto(p, &pc) : NULL;
  ASSERT(!wrong, "word %zu of the function at line %d: %s", pc,
         (int)p->first_line, wrong);
}

/* Gives back what the vectors have too much. */
static void function_trim(Function *f) {
  lua_State *L = f->compiler->L;
  Proto *p = f->proto;
  VECTOR_RESIZE(L, p, p->code, p->code_size);
  VECTOR_RESIZE(L, p, p->constants, p->constant_count);
  VECTOR_RESIZE(L, p, p->protos, p->proto_count);
  VECTOR_RESIZE(L, p, p->upvalues, p->upvalue_count);
  VECTOR_RESIZE(L, p, p->locals, p->local_count);
}

void function_close(Compiler *c) {
  Function *f = c->function;
  function_emit_return(f, register_level(f), 0);
  block_leave(f);
  function_finish_code(f);
  function_check(f->proto);
  function_trim(f);
  proto_set_lines(c->L, f->proto,
                  (int32_t *)c->lines.box->data + f->first_line,
                  f->proto->code_size);
  c->lines.count = f->first_line;
  c->function = f->outer;
}
