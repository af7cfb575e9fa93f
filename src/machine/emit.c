/* SPDX-License-Identifier: MIT */
/*
** emit.c -- which emitter an instruction has; moving and loading
*/
#include "machine/piece_impl.h"
#if MACHINE_WORKS

/* -- Moving and loading ---------------------------------------------------- */

static bool emit_move(Piece *s, Instruction i) {
  piece_copy(s, code_a(i), code_b(i));
  return true;
}

/* In the order of the loop: the second copy may read the result of the first. */
static bool emit_move2(Piece *s, Instruction i) {
  piece_copy(s, code_a(i), code_b(i));
  piece_copy(s, code_a(i) + 1, code_c(i));
  return true;
}

static bool emit_load_nil(Piece *s, Instruction i) {
  for (unsigned n = 0; n <= code_b(i); n++)
    piece_set_tag(s, code_a(i) + n, TAG_NIL);
  return true;
}

static bool emit_load_bool(Piece *s, Instruction i) {
  Opcode op = opcode_alone(code_op(i));
  piece_set_tag(s, code_a(i), op == OP_LOADTRUE ? TAG_TRUE : TAG_FALSE);
  if (op == OP_LOADFALSESKIP) s->next = s->pc + 2;
  return true;
}

static bool emit_load_integer(Piece *s, Instruction i) {
  piece_set_number(s, code_a(i), (Payload){.i = code_sd(i)}, TAG_INTEGER);
  return true;
}

static bool emit_load_float(Piece *s, Instruction i) {
  piece_set_number(s, code_a(i), (Payload){.n = code_sd(i)}, TAG_FLOAT);
  return true;
}

static bool emit_load_constant(Piece *s, Instruction i) {
  bool is_long = opcode_alone(code_op(i)) == OP_LOADKX;
  uint32_t number = is_long ? s->p->code[s->pc + 1] : code_d(i);
  const Value *k = &s->p->constants[number];
  if (k->tag <= TAG_FALSE || k->tag == TAG_TRUE)
    piece_set_tag(s, code_a(i), k->tag);
  else
    piece_set_number(s, code_a(i), k->as, k->tag);
  return true;
}

/* -- The table of emitters ------------------------------------------------- */

static EmitFn *const emitters[OPCODE_COUNT] = {
    [OP_MOVE] = emit_move,
    [OP_MOVE2] = emit_move2,
    [OP_LOADNIL] = emit_load_nil,
    [OP_LOADFALSE] = emit_load_bool,
    [OP_LOADTRUE] = emit_load_bool,
    [OP_LOADFALSESKIP] = emit_load_bool,
    [OP_LOADI] = emit_load_integer,
    [OP_LOADF] = emit_load_float,
    [OP_LOADK] = emit_load_constant,
    [OP_LOADKX] = emit_load_constant,
    [OP_GETUPVAL] = emit_get_upvalue,
    [OP_SETUPVAL] = emit_set_upvalue,
    [OP_GETUPFIELD] = emit_get_upfield,
    [OP_SETUPFIELD] = emit_set_upfield,
    [OP_SETUPFIELDK] = emit_set_upfield,
    [OP_GETFIELD] = emit_get_field,
    [OP_SETFIELD] = emit_set_field,
    [OP_SETFIELDK] = emit_set_field,
    [OP_GETTABLE] = emit_get_table,
    [OP_SETTABLE] = emit_set_table,
    [OP_SETTABLEK] = emit_set_table,
    [OP_GETINT] = emit_get_int,
    [OP_SETINT] = emit_set_int,
    [OP_SELF] = emit_self,
    [OP_NEWTABLE] = emit_new_table,
    [OP_DUPTABLE] = emit_new_table,
    [OP_SETLIST] = emit_set_list,
    [OP_CLOSURE] = emit_closure,
    [OP_CLOSE] = emit_close,
    [OP_CONCAT] = emit_concat,
    [OP_CONCAT_RR] = emit_concat,
    [OP_VARARG] = emit_varargs,
    [OP_VARARGPREP] = emit_set_varargs_aside,
    [OP_UNM] = emit_unm,
    [OP_BNOT] = emit_bnot,
    [OP_NOT] = emit_not,
    [OP_LEN] = emit_len,
    [OP_JMP] = emit_jump,
    [OP_JT] = emit_truth,
    [OP_JF] = emit_truth,
    [OP_JTSET] = emit_truth_set,
    [OP_JFSET] = emit_truth_set,
    [OP_JNIL] = emit_nil,
    [OP_JNNIL] = emit_nil,
    [OP_JEQ] = emit_equal,
    [OP_JNEQ] = emit_equal,
    [OP_JEQS] = emit_equal_constant,
    [OP_JNEQS] = emit_equal_constant,
    [OP_JEQK] = emit_equal_constant,
    [OP_JNEQK] = emit_equal_constant,
    [OP_JEQI] = emit_equal_constant,
    [OP_JNEQI] = emit_equal_constant,
    [OP_JLT] = emit_order,
    [OP_JNLT] = emit_order,
    [OP_JLE] = emit_order,
    [OP_JNLE] = emit_order,
    [OP_JLTI] = emit_order_number,
    [OP_JNLTI] = emit_order_number,
    [OP_JLEI] = emit_order_number,
    [OP_JNLEI] = emit_order_number,
    [OP_JGTI] = emit_order_number,
    [OP_JNGTI] = emit_order_number,
    [OP_JGEI] = emit_order_number,
    [OP_JNGEI] = emit_order_number,
    [OP_FORPREP] = emit_for_prepare,
    [OP_FORPREP1] = emit_for_prepare1,
    [OP_FORLOOP] = emit_for_loop,
    [OP_FORLOOP1] = emit_for_loop1,
    [OP_FORCOPY1] = emit_for_loop1,
    [OP_TFORPREP] = emit_generic_prepare,
    [OP_TFORCALL] = emit_generic_call,
    [OP_TFORLOOP] = emit_generic_loop,
    [OP_CALL] = emit_call,
    [OP_CALLM] = emit_call,
    [OP_TAILCALL] = emit_tail_call,
    [OP_RETURN] = emit_return,
    [OP_RETURN0] = emit_return,
    [OP_RETURN1] = emit_return,
};

/* Operations with two operands have no rows of their own. */
EmitFn *emit_function(Opcode op) {
  if (emitters[op]) return emitters[op];
  return opcode_is_arithmetic(op) ? emit_arith : NULL;
}

#else
typedef int EmitNotBuilt;
#endif
