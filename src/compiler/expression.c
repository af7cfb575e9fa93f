/* SPDX-License-Identifier: MIT */
/*
** expression.c -- from descriptions of values to values in registers
**
** A value stays a description for as long as possible.  When it is needed in a
** certain register, the instruction that computes it can write there directly.
** A constant may never need a register at all.
*/
#include "compiler/expression_impl.h"

#include "compiler/operator_impl.h"

/* -- Freeing registers ----------------------------------------------------- */

void expr_free(Function *f, const Expr *e) {
  if (e->kind == EXPR_REGISTER) register_free(f, (unsigned)e->as.index);
}

void expr_free_pair(Function *f, const Expr *a, const Expr *b) {
  if (a->kind == EXPR_REGISTER && b->kind == EXPR_REGISTER)
    register_free_pair(f, (unsigned)a->as.index, (unsigned)b->as.index);
  else {
    expr_free(f, a);
    expr_free(f, b);
  }
}

/* -- Open values ----------------------------------------------------------- */

/* Sets the number of results of a call; -1 for all. */
static void expr_call_results(Function *f, int32_t pc, int count) {
  Instruction i = *emit_at(f, pc);
  if (code_op(i) == OP_CALL && count < 0) {
    *emit_at(f, pc) = code_make_abc(OP_CALLM, code_a(i), code_b(i) + 1, 0);
  } else {
    emit_set_c(f, pc, (unsigned)(code_op(i) == OP_CALL ? count : count + 1));
  }
}

void expr_set_results(Function *f, Expr *e, int count) {
  if (e->kind == EXPR_CALL) {
    expr_call_results(f, e->as.index, count);
    return;
  }
  ASSERT(e->kind == EXPR_VARARG, "not an open expression");
  emit_set_b(f, e->as.index, (unsigned)(count + 1));
  emit_set_a(f, e->as.index, f->free_register);
  register_reserve(f, 1);
}

void expr_set_open(Function *f, Expr *e) { expr_set_results(f, e, -1); }

void expr_set_one(Function *f, Expr *e) {
  if (e->kind == EXPR_CALL) { /* a call is emitted for one result */
    e->kind = EXPR_REGISTER;
    e->as.index = (int32_t)code_a(*emit_at(f, e->as.index));
  } else if (e->kind == EXPR_VARARG) {
    emit_set_b(f, e->as.index, 2);
    e->kind = EXPR_PENDING;
  }
}

/* -- Variables ------------------------------------------------------------- */

void expr_from_known(Expr *e, const Value *v) {
  switch (v->tag) {
    case TAG_NIL: e->kind = EXPR_NIL; break;
    case TAG_FALSE: e->kind = EXPR_FALSE; break;
    case TAG_TRUE: e->kind = EXPR_TRUE; break;
    case TAG_INTEGER:
      e->kind = EXPR_INTEGER;
      e->as.integer = v->as.i;
      break;
    case TAG_FLOAT:
      e->kind = EXPR_FLOAT;
      e->as.number = v->as.n;
      break;
    default:
      e->kind = EXPR_STRING;
      e->as.string = value_string(v);
      break;
  }
}

/* Emits the instruction that reads an element, and frees its registers. */
static void expr_discharge_element(Function *f, Expr *e) {
  unsigned table = e->as.element.table;
  int32_t key = e->as.element.key;
  int32_t pc;
  switch (e->kind) {
    case EXPR_INDEX_UPVALUE:
      pc = emit_abcx(f, OP_GETUPFIELD, 0, table, 0, emit_field_aux(f, key));
      break;
    case EXPR_INDEX_FIELD:
      register_free(f, table);
      pc = emit_abcx(f, OP_GETFIELD, 0, table, 0, emit_field_aux(f, key));
      break;
    case EXPR_INDEX_INT:
      register_free(f, table);
      pc = emit_abc(f, OP_GETINT, 0, table, (unsigned)key);
      break;
    default:
      register_free_pair(f, table, (unsigned)key);
      pc = emit_abc(f, OP_GETTABLE, 0, table, (unsigned)key);
      break;
  }
  e->kind = EXPR_PENDING;
  e->as.index = pc;
}

void expr_discharge(Function *f, Expr *e) {
  switch (e->kind) {
    case EXPR_LOCAL:
      e->as.index = e->as.local.reg;
      e->kind = EXPR_REGISTER;
      break;
    case EXPR_UPVALUE:
      e->as.index = emit_abc(f, OP_GETUPVAL, 0, (unsigned)e->as.index, 0);
      e->kind = EXPR_PENDING;
      break;
    case EXPR_FOLDED: {
      const Variable *v = compiler_variable(f->compiler, (size_t)e->as.index);
      expr_from_known(e, &v->value);
      break;
    }
    case EXPR_CALL:
    case EXPR_VARARG: expr_set_one(f, e); break;
    default:
      if (expr_is_element(e)) expr_discharge_element(f, e);
      break;
  }
}

/* -- Into registers -------------------------------------------------------- */

bool expr_float_is_small(Number n, Integer *out) {
  if (!float_to_integer(n, out)) return false;
  if (*out == 0 && signbit(n)) return false;
  return *out >= CODE_MIN_SD && *out <= CODE_MAX_SD;
}

static void expr_load_float(Function *f, unsigned reg, Number n) {
  Integer i;
  if (expr_float_is_small(n, &i))
    emit_ad(f, OP_LOADF, reg, (int)i);
  else
    emit_load_constant(f, reg, constant_float(f, n));
}

/* Loads the value without looking at its jumps. */
static void expr_load(Function *f, Expr *e, unsigned reg) {
  expr_discharge(f, e);
  switch (e->kind) {
    case EXPR_NIL: emit_load_nil(f, reg, 1); break;
    case EXPR_FALSE: emit_abc(f, OP_LOADFALSE, reg, 0, 0); break;
    case EXPR_TRUE: emit_abc(f, OP_LOADTRUE, reg, 0, 0); break;
    case EXPR_INTEGER: emit_load_integer(f, reg, e->as.integer); break;
    case EXPR_FLOAT: expr_load_float(f, reg, e->as.number); break;
    case EXPR_STRING:
      emit_load_constant(f, reg, constant_string(f, e->as.string));
      break;
    case EXPR_PENDING:
      if (e->as.index == f->pair.pc) e->as.index = concat_simplify(f);
      emit_set_a(f, e->as.index, reg);
      break;
    case EXPR_REGISTER:
      if (reg != (unsigned)e->as.index)
        emit_move(f, reg, (unsigned)e->as.index);
      break;
    default: return; /* a jump, or nothing */
  }
  e->kind = EXPR_REGISTER;
  e->as.index = (int32_t)reg;
}

static void expr_load_any(Function *f, Expr *e) {
  expr_discharge(f, e);
  if (e->kind != EXPR_REGISTER) expr_load(f, e, register_reserve(f, 1));
}

/* True if some jump of the list carries no value. */
static bool jumps_need_value(Function *f, int32_t list) {
  for (; list != NO_JUMP; list = jump_next(f, list)) {
    Opcode op = code_op(*emit_at(f, list));
    if (op != OP_JTSET && op != OP_JFSET) return true;
  }
  return false;
}

/* Makes the jump copy its value to `reg`.  False if it carries none. */
static bool jump_bring_value(Function *f, int32_t pc, unsigned reg) {
  Instruction i = *emit_at(f, pc);
  if (code_op(i) != OP_JTSET && code_op(i) != OP_JFSET) return false;
  if (code_b(i) == reg)
    jump_drop_value(f, pc); /* it is there already */
  else
    emit_set_a(f, pc, reg);
  return true;
}

/* Sends jumps that carry a value to `end`, the others to `load`. */
static void jumps_to_values(Function *f, int32_t list, unsigned reg,
                            int32_t end, int32_t load) {
  while (list != NO_JUMP) {
    int32_t next = jump_next(f, list);
    jump_fix(f, list, jump_bring_value(f, list, reg) ? end : load);
    list = next;
  }
}

/* Makes all paths to here put their value into `reg`. */
static void expr_collect_jumps(Function *f, Expr *e, unsigned reg) {
  int32_t load_false = NO_JUMP, load_true = NO_JUMP;
  if (jumps_need_value(f, e->if_true) || jumps_need_value(f, e->if_false)) {
    int32_t over = e->kind == EXPR_JUMP ? NO_JUMP : jump_emit(f);
    load_false = jump_label(f);
    emit_abc(f, OP_LOADFALSESKIP, reg, 0, 0);
    load_true = jump_label(f);
    emit_abc(f, OP_LOADTRUE, reg, 0, 0);
    jump_patch_here(f, over);
  }
  int32_t end = jump_label(f);
  jumps_to_values(f, e->if_false, reg, end, load_false);
  jumps_to_values(f, e->if_true, reg, end, load_true);
}

void expr_to_register(Function *f, Expr *e, unsigned reg) {
  expr_load(f, e, reg);
  if (e->kind == EXPR_JUMP) jump_join(f, &e->if_true, e->as.index);
  if (expr_has_jumps(e)) expr_collect_jumps(f, e, reg);
  expr_init(e, EXPR_REGISTER, (int32_t)reg);
}

unsigned expr_to_next(Function *f, Expr *e) {
  expr_discharge(f, e);
  expr_free(f, e);
  unsigned reg = register_reserve(f, 1);
  expr_to_register(f, e, reg);
  return reg;
}

unsigned expr_to_any(Function *f, Expr *e) {
  expr_discharge(f, e);
  if (e->kind == EXPR_REGISTER) {
    if (!expr_has_jumps(e)) return (unsigned)e->as.index;
    if ((unsigned)e->as.index >= register_level(f)) { /* no variable */
      expr_to_register(f, e, (unsigned)e->as.index);
      return (unsigned)e->as.index;
    }
  }
  return expr_to_next(f, e);
}

void expr_to_any_or_upvalue(Function *f, Expr *e) {
  if (e->kind != EXPR_UPVALUE || expr_has_jumps(e)) expr_to_any(f, e);
}

void expr_to_value(Function *f, Expr *e) {
  if (e->kind == EXPR_JUMP || expr_has_jumps(e))
    expr_to_any(f, e);
  else
    expr_discharge(f, e);
}

/* -- Constants ------------------------------------------------------------- */

bool expr_to_constant(Function *f, const Expr *e, int32_t limit,
                      int32_t *index) {
  Value v;
  if (!expr_to_known(f, e, &v)) return false;
  switch (v.tag) {
    case TAG_NIL: *index = constant_nil(f); break;
    case TAG_FALSE: *index = constant_bool(f, false); break;
    case TAG_TRUE: *index = constant_bool(f, true); break;
    case TAG_INTEGER: *index = constant_integer(f, v.as.i); break;
    case TAG_FLOAT: *index = constant_float(f, v.as.n); break;
    default: *index = constant_string(f, value_string(&v)); break;
  }
  return *index <= limit;
}

bool expr_to_known(const Function *f, const Expr *e, Value *out) {
  if (expr_has_jumps(e)) return false;
  switch (e->kind) {
    case EXPR_NIL: value_set_nil(out); return true;
    case EXPR_FALSE: value_set_bool(out, false); return true;
    case EXPR_TRUE: value_set_bool(out, true); return true;
    case EXPR_INTEGER: value_set_integer(out, e->as.integer); return true;
    case EXPR_FLOAT: value_set_float(out, e->as.number); return true;
    case EXPR_STRING: value_set_string(out, e->as.string); return true;
    case EXPR_FOLDED:
      *out = compiler_variable(f->compiler, (size_t)e->as.index)->value;
      return true;
    default: return false;
  }
}

/* -- Elements -------------------------------------------------------------- */

/* True if the key fits into AUX as a field name. */
static bool expr_is_field_name(Function *f, const Expr *key,
                               int32_t *constant) {
  if (key->kind != EXPR_STRING || expr_has_jumps(key)) return false;
  if (!string_is_short(key->as.string)) return false;
  *constant = constant_string(f, key->as.string);
  return *constant <= CODE_MAX_FIELD;
}

static bool expr_is_small_key(const Expr *key) {
  return key->kind == EXPR_INTEGER && !expr_has_jumps(key) &&
         key->as.integer >= 0 && key->as.integer <= CODE_MAX_OPERAND;
}

static void expr_make_element(Expr *e, ExprKind kind, unsigned table,
                              int32_t key) {
  e->kind = kind;
  e->as.element.table = (uint8_t)table;
  e->as.element.key = key;
}

void expr_index(Function *f, Expr *e, Expr *key) {
  int32_t constant;
  if (key->kind == EXPR_FOLDED) expr_discharge(f, key);
  bool named = expr_is_field_name(f, key, &constant);
  if (e->kind == EXPR_UPVALUE && named) {
    expr_make_element(e, EXPR_INDEX_UPVALUE, (unsigned)e->as.index, constant);
    return;
  }
  unsigned table = expr_to_any(f, e);
  if (named)
    expr_make_element(e, EXPR_INDEX_FIELD, table, constant);
  else if (expr_is_small_key(key))
    expr_make_element(e, EXPR_INDEX_INT, table, (int32_t)key->as.integer);
  else
    expr_make_element(e, EXPR_INDEX, table, (int32_t)expr_to_any(f, key));
}

/* For a name that does not fit into AUX.  names.c recognizes this code. */
static void expr_self_far(Function *f, unsigned base, unsigned object,
                          String *name) {
  emit_abc(f, OP_MOVE, base + 1, object, 0);
  emit_load_constant(f, base, constant_string(f, name));
  emit_abc(f, OP_GETTABLE, base, base + 1, base);
}

void expr_self(Function *f, Expr *e, String *name) {
  Expr key;
  int32_t constant;
  unsigned object = expr_to_any(f, e);
  expr_free(f, e);
  unsigned base = register_reserve(f, 2);
  expr_init(&key, EXPR_STRING, 0);
  key.as.string = name;
  if (expr_is_field_name(f, &key, &constant))
    emit_abcx(f, OP_SELF, base, object, 0, emit_field_aux(f, constant));
  else
    expr_self_far(f, base, object, name);
  expr_init(e, EXPR_REGISTER, (int32_t)base);
}

/* -- Assignments ----------------------------------------------------------- */

static void expr_store_field(Function *f, const Expr *variable, Expr *value) {
  bool up = variable->kind == EXPR_INDEX_UPVALUE;
  unsigned table = variable->as.element.table;
  Instruction aux = emit_field_aux(f, variable->as.element.key);
  int32_t k;
  if (expr_to_constant(f, value, CODE_MAX_D, &k)) {
    emit_adx(f, up ? OP_SETUPFIELDK : OP_SETFIELDK, table, k, aux);
    return;
  }
  unsigned reg = expr_to_any(f, value);
  emit_abcx(f, up ? OP_SETUPFIELD : OP_SETFIELD, table, reg, 0, aux);
}

/* After a store: marks it as an append if the code before computes the key as
** `#table + 1`. */
static void expr_mark_append(Function *f, unsigned table, unsigned key) {
  int32_t pc = f->last_pc - 2;
  if (pc < 0 || pc != f->last_length || table == key) return;
  if (*emit_at(f, pc) == code_make_abc(OP_LEN, key, table, 0) &&
      *emit_at(f, pc + 1) == code_make_abc(OP_ADD_RI, key, key, 1))
    emit_set_op(f, pc, OP_LENAPPEND);
}

static void expr_store_index(Function *f, const Expr *variable, Expr *value) {
  unsigned table = variable->as.element.table;
  unsigned key = (unsigned)variable->as.element.key;
  int32_t k;
  if (expr_to_constant(f, value, CODE_MAX_OPERAND, &k))
    emit_abc(f, OP_SETTABLEK, table, key, (unsigned)k);
  else
    emit_abc(f, OP_SETTABLE, table, key, expr_to_any(f, value));
  expr_mark_append(f, table, key);
}

void expr_store(Function *f, const Expr *variable, Expr *value) {
  switch (variable->kind) {
    case EXPR_LOCAL:
      expr_discharge(f, value);
      expr_free(f, value);
      expr_to_register(f, value, variable->as.local.reg);
      return;
    case EXPR_UPVALUE: {
      unsigned reg = expr_to_any(f, value);
      emit_abc(f, OP_SETUPVAL, reg, (unsigned)variable->as.index, 0);
      break;
    }
    case EXPR_INDEX_UPVALUE:
    case EXPR_INDEX_FIELD: expr_store_field(f, variable, value); break;
    case EXPR_INDEX_INT: {
      unsigned reg = expr_to_any(f, value);
      emit_abc(f, OP_SETINT, variable->as.element.table,
               (unsigned)variable->as.element.key, reg);
      break;
    }
    default: expr_store_index(f, variable, value); break;
  }
  expr_free(f, value);
}

void expr_store_named(Function *f, unsigned table, String *name, Expr *value) {
  Expr field, key;
  int32_t constant;
  expr_init(&field, EXPR_REGISTER, (int32_t)table);
  expr_init(&key, EXPR_STRING, 0);
  key.as.string = name;
  if (expr_is_field_name(f, &key, &constant)) {
    expr_make_element(&field, EXPR_INDEX_FIELD, table, constant);
    expr_store(f, &field, value);
    return;
  }
  unsigned reg = expr_to_any(f, value);
  emit_abc(f, OP_SETTABLE, table, expr_to_any(f, &key), reg);
}

/* -- Conditions ------------------------------------------------------------ */

/* Emits a jump if the value is true (or false).  The jump may carry the
** value. */
static int32_t expr_jump_if(Function *f, Expr *e, bool condition) {
  if (e->kind == EXPR_PENDING && e->as.index == f->last_pc) {
    Instruction i = *emit_at(f, f->last_pc);
    if (code_op(i) == OP_NOT) {
      emit_undo(f);
      return emit_abcx(f, condition ? OP_JF : OP_JT, code_b(i), 0, 0,
                       (Instruction)-1);
    }
  }
  expr_load_any(f, e);
  expr_free(f, e);
  return emit_abcx(f, condition ? OP_JTSET : OP_JFSET, NO_REGISTER,
                   (unsigned)e->as.index, 0, (Instruction)-1);
}

void expr_go_if_true(Function *f, Expr *e) {
  int32_t jump;
  expr_discharge(f, e);
  switch (e->kind) {
    case EXPR_JUMP:
      jump_negate(f, e->as.index);
      jump = e->as.index;
      break;
    case EXPR_TRUE:
    case EXPR_INTEGER:
    case EXPR_FLOAT:
    case EXPR_STRING: jump = NO_JUMP; break;
    case EXPR_FALSE: jump = jump_emit(f); break;
    default: jump = expr_jump_if(f, e, false); break;
  }
  jump_join(f, &e->if_false, jump);
  jump_patch_here(f, e->if_true);
  e->if_true = NO_JUMP;
}

void expr_go_if_false(Function *f, Expr *e) {
  int32_t jump;
  expr_discharge(f, e);
  switch (e->kind) {
    case EXPR_JUMP: jump = e->as.index; break;
    case EXPR_NIL:
    case EXPR_FALSE: jump = NO_JUMP; break;
    case EXPR_TRUE: jump = jump_emit(f); break;
    default: jump = expr_jump_if(f, e, true); break;
  }
  jump_join(f, &e->if_true, jump);
  jump_patch_here(f, e->if_false);
  e->if_false = NO_JUMP;
}

/* The jumps no longer carry their values. */
static void jumps_drop_values(Function *f, int32_t list) {
  for (; list != NO_JUMP; list = jump_next(f, list)) jump_drop_value(f, list);
}

static void expr_not_value(Function *f, Expr *e) {
  switch (e->kind) {
    case EXPR_NIL:
    case EXPR_FALSE: e->kind = EXPR_TRUE; break;
    case EXPR_TRUE:
    case EXPR_INTEGER:
    case EXPR_FLOAT:
    case EXPR_STRING: e->kind = EXPR_FALSE; break;
    case EXPR_JUMP: jump_negate(f, e->as.index); break;
    default:
      expr_load_any(f, e);
      expr_free(f, e);
      e->as.index = emit_abc(f, OP_NOT, 0, (unsigned)e->as.index, 0);
      e->kind = EXPR_PENDING;
      break;
  }
}

void expr_not(Function *f, Expr *e) {
  expr_discharge(f, e);
  expr_not_value(f, e);
  int32_t list = e->if_true;
  e->if_true = e->if_false;
  e->if_false = list;
  jumps_drop_values(f, e->if_true);
  jumps_drop_values(f, e->if_false);
}
