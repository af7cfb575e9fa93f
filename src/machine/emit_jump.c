/* SPDX-License-Identifier: MIT */
/*
** emit_jump.c -- jumps, comparisons, numeric loops
*/
#include "machine/piece_impl.h"
#if MACHINE_WORKS

#include "object/number.h"

/* -- Going on elsewhere ---------------------------------------------------- */

/* Goes to another place.  A jump back ends the piece, and polls. */
static void emit_go(Piece *s, uint32_t target) {
  if (target > s->pc) {
    s->next = target;
    return;
  }
  piece_poll(s, target);
  piece_edge_if(s, ALWAYS, target);
  s->ended = true;
}

/* Jumps if the condition holds.  The piece goes on where control is expected to
** go. */
static void emit_branch(Piece *s, Condition c, uint32_t target, bool expected) {
  if (expected || target <= s->pc) {
    piece_edge_if(s, condition_opposite(c), s->next);
    emit_go(s, target);
  } else {
    piece_edge_if(s, c, target);
  }
}

/* The target of a jump with its offset in AUX. */
static uint32_t jump_target(const Piece *s) {
  return s->pc + 1 + s->p->code[s->pc + 1];
}

static bool is_negated(Instruction i) {
  return opcode_is_negated(opcode_alone(code_op(i)));
}

/* A condition whose result is known. */
static bool emit_decided(Piece *s, Instruction i, bool holds) {
  if (holds != is_negated(i)) emit_go(s, jump_target(s));
  return true;
}

/* The same for flags.  `guess` is what the comparison most likely gives. */
static bool emit_decide(Piece *s, Instruction i, Condition c, bool guess) {
  if (is_negated(i)) {
    c = condition_opposite(c);
    guess = !guess;
  }
  emit_branch(s, c, jump_target(s), guess);
  return true;
}

bool emit_jump(Piece *s, Instruction i) {
  emit_go(s, s->pc + 1 + (uint32_t)code_e(i));
  return true;
}

/* -- Truth and nil --------------------------------------------------------- */

bool emit_truth(Piece *s, Instruction i) {
  unsigned reg = code_a(i), tag = s->now.tag[reg];
  if (tag != TAG_UNKNOWN) return emit_decided(s, i, tag > TAG_FALSE);
  asm_compare8(&s->a, tag_at(reg), TAG_FALSE);
  return emit_decide(s, i, IF_ABOVE, s->guess[reg].tag > TAG_FALSE);
}

/* The copy belongs to the jump, so code without it follows. */
bool emit_truth_set(Piece *s, Instruction i) {
  unsigned from = code_b(i), tag = s->now.tag[from];
  bool wants = !is_negated(i);
  uint32_t target = jump_target(s);
  if (tag != TAG_UNKNOWN) {
    if ((tag > TAG_FALSE) != wants) return true;
    piece_copy(s, code_a(i), from);
    emit_go(s, target);
    return true;
  }
  asm_compare8(&s->a, tag_at(from), TAG_FALSE);
  piece_edge_if(s, wants ? IF_NOT_ABOVE : IF_ABOVE, s->next);
  piece_copy(s, code_a(i), from);
  emit_go(s, target);
  return true;
}

bool emit_nil(Piece *s, Instruction i) {
  unsigned reg = code_a(i), tag = s->now.tag[reg];
  if (tag != TAG_UNKNOWN) return emit_decided(s, i, tag == TAG_NIL);
  asm_compare8(&s->a, tag_at(reg), TAG_NIL);
  return emit_decide(s, i, IF_EQUAL, s->guess[reg].tag == TAG_NIL);
}

/* -- Equality -------------------------------------------------------------- */

static bool tag_is_number(unsigned tag) {
  return tag == TAG_INTEGER || tag == TAG_FLOAT;
}
static bool tag_is_alone(unsigned tag) {
  return tag <= TAG_FALSE || tag == TAG_TRUE;
}

/* Tables without a metatable are equal only to themselves. */
static_assert((int)META_EQ < (int)META_CACHED_COUNT, "has a bit");

/* Nor are those whose metatable is known to have no __eq. */
static void emit_no_metamethod(Piece *s, Register t) {
  asm_load(&s->a, T0, memory_at(t, offsetof(Table, metatable)));
  asm_test(&s->a, T0, T0);
  Patch none = asm_jump(&s->a, IF_EQUAL);
  asm_test8(&s->a, memory_at(T0, offsetof(Cell, user)), 1u << META_EQ);
  piece_step_if(s, IF_EQUAL);
  asm_patch(&s->a, none, s->a.at);
}

static bool emit_equal_payloads(Piece *s, Instruction i, unsigned tag) {
  unsigned a = code_a(i), b = code_b(i);
  Register x = piece_whole(s, a, T1, NO_REGISTER);
  Register y = piece_whole(s, b, T2, x);
  asm_whole(&s->a, WHOLE_COMPARE, x, y);
  if (tag == TAG_TABLE) {
    Patch same = asm_jump(&s->a, IF_EQUAL);
    emit_no_metamethod(s, x);
    emit_no_metamethod(s, y);
    asm_whole(&s->a, WHOLE_COMPARE, x, y);
    asm_patch(&s->a, same, s->a.at);
  }
  return emit_decide(s, i, IF_EQUAL,
                     s->guess[a].as.bits == s->guess[b].as.bits);
}

/* An integer and a float are compared by functions of C. */
static uint64_t call_equal(const Value *a, const Value *b) {
  return value_raw_equal(a, b);
}
static uint64_t call_less(const Value *a, const Value *b) {
  return number_less(a, b);
}
static uint64_t call_less_equal(const Value *a, const Value *b) {
  return number_less_equal(a, b);
}

static bool emit_compare_mixed(Piece *s, Instruction i, uintptr_t function) {
  unsigned a = code_a(i), b = code_b(i);
  piece_guard(s, a, piece_tag(s, a));
  piece_guard(s, b, piece_tag(s, b));
  asm_address(&s->a, T1, slot_at(a));
  asm_address(&s->a, T3, slot_at(b));
  asm_arguments(&s->a, T1, T3);
  asm_call(&s->a, function);
  piece_called(s);
  asm_test(&s->a, T0, T0);
  return emit_decide(s, i, IF_NOT_EQUAL, false);
}

bool emit_equal(Piece *s, Instruction i) {
  unsigned a = code_a(i), b = code_b(i);
  unsigned tag = piece_tag(s, a), other = piece_tag(s, b);
  if (tag != other && tag_is_number(tag) && tag_is_number(other))
    return emit_compare_mixed(s, i, (uintptr_t)call_equal);
  if (tag == other && (tag == TAG_LONG_STRING || tag == TAG_USERDATA))
    return false;
  piece_guard(s, a, tag);
  piece_guard(s, b, other);
  if (tag != other) return emit_decided(s, i, false);
  if (tag_is_alone(tag)) return emit_decided(s, i, true);
  if (tag != TAG_FLOAT) return emit_equal_payloads(s, i, tag);
  FloatRegister x = piece_float(s, a, FT0, FT0);
  FloatRegister y = piece_float(s, b, FT1, x);
  asm_float_equal(&s->a, x, y);
  return emit_decide(s, i, IF_FLOAT_EQUAL,
                     s->guess[a].as.n == s->guess[b].as.n);
}

static bool emit_equal_float(Piece *s, Instruction i, unsigned reg, Number n) {
  Payload number = {.n = n};
  asm_number(&s->a, T0, number.bits);
  asm_float_bits(&s->a, FT1, T0);
  asm_float_equal(&s->a, piece_float(s, reg, FT0, FT0), FT1);
  return emit_decide(s, i, IF_FLOAT_EQUAL, s->guess[reg].as.n == n);
}

static bool emit_equal_bits(Piece *s, Instruction i, unsigned reg,
                            uint64_t bits) {
  Register r = piece_whole(s, reg, T1, NO_REGISTER);
  asm_number(&s->a, T0, bits);
  asm_whole(&s->a, WHOLE_COMPARE, r, T0);
  return emit_decide(s, i, IF_EQUAL, s->guess[reg].as.bits == bits);
}

/* The constant of a comparison. */
static Value compared_constant(const Piece *s, Instruction i) {
  Value v = {.tag = TAG_INTEGER};
  Opcode op = opcode_alone(code_op(i));
  if (op == OP_JEQI || op == OP_JNEQI)
    v.as.i = code_i15(i);
  else
    v = s->p->constants[code_b(i)];
  return v;
}

bool emit_equal_constant(Piece *s, Instruction i) {
  unsigned reg = code_a(i), tag = piece_tag(s, reg);
  Value k = compared_constant(s, i);
  if (tag == k.tag && tag == TAG_LONG_STRING) return false;
  if (tag == TAG_INTEGER && k.tag == TAG_FLOAT) return false;
  piece_guard(s, reg, tag);
  if (tag == TAG_FLOAT && tag_is_number(k.tag)) {
    bool whole = k.tag == TAG_INTEGER;
    Number n = whole ? (Number)k.as.i : k.as.n;
    if (whole && (k.as.i > 1 << 24 || k.as.i < -(1 << 24))) return false;
    return emit_equal_float(s, i, reg, n);
  }
  if (tag != k.tag) return emit_decided(s, i, false);
  if (tag_is_alone(tag)) return emit_decided(s, i, true);
  return emit_equal_bits(s, i, reg, k.as.bits);
}

/* -- Order ----------------------------------------------------------------- */

static bool guess_order(MetaEvent event, const Value *a, const Value *b) {
  if (a->tag == TAG_FLOAT)
    return event == META_LT ? a->as.n < b->as.n : a->as.n <= b->as.n;
  return event == META_LT ? a->as.i < b->as.i : a->as.i <= b->as.i;
}

/* x < y or x <= y.  The operands are compared the other way round, so that NaN
** is not less. */
static bool emit_order_floats(Piece *s, Instruction i, FloatRegister x,
                              FloatRegister y, bool less, bool guess) {
  asm_float_compare(&s->a, y, x);
  return emit_decide(s, i, less ? IF_FLOAT_GREATER : IF_FLOAT_AT_LEAST, guess);
}

bool emit_order(Piece *s, Instruction i) {
  unsigned a = code_a(i), b = code_b(i), tag = piece_tag(s, a);
  MetaEvent event = (MetaEvent)opcode_info[opcode_alone(code_op(i))].event;
  bool less = event == META_LT;
  if (!tag_is_number(tag) || !tag_is_number(piece_tag(s, b))) return false;
  if (tag != piece_tag(s, b))
    return emit_compare_mixed(
        s, i, less ? (uintptr_t)call_less : (uintptr_t)call_less_equal);
  piece_guard(s, a, tag);
  piece_guard(s, b, tag);
  Value left = s->guess[a], right = s->guess[b];
  left.tag = right.tag = (uint8_t)tag;
  bool guess = guess_order(event, &left, &right);
  if (tag == TAG_FLOAT) {
    FloatRegister x = piece_float(s, a, FT0, FT0);
    FloatRegister y = piece_float(s, b, FT1, x);
    return emit_order_floats(s, i, x, y, less, guess);
  }
  Register x = piece_whole(s, a, T1, NO_REGISTER);
  Register y = piece_whole(s, b, T2, x);
  asm_whole(&s->a, WHOLE_COMPARE, x, y);
  return emit_decide(s, i, less ? IF_LESS : IF_NOT_GREATER, guess);
}

static bool guess_order_number(MetaEvent event, bool swapped, const Value *v,
                               int number) {
  Value n = {.tag = v->tag};
  if (v->tag == TAG_FLOAT)
    n.as.n = number;
  else
    n.as.i = number;
  return swapped ? guess_order(event, &n, v) : guess_order(event, v, &n);
}

bool emit_order_number(Piece *s, Instruction i) {
  unsigned a = code_a(i), tag = piece_tag(s, a);
  const OpInfo *info = &opcode_info[opcode_alone(code_op(i))];
  bool swapped = (info->traits & IS_SWAPPED) != 0;
  bool less = info->event == META_LT;
  if (!tag_is_number(tag)) return false;
  piece_guard(s, a, tag);
  Value v = s->guess[a];
  v.tag = (uint8_t)tag;
  bool guess =
      guess_order_number((MetaEvent)info->event, swapped, &v, code_i15(i));
  if (tag == TAG_FLOAT) {
    Payload n = {.n = code_i15(i)};
    asm_number(&s->a, T0, n.bits);
    asm_float_bits(&s->a, FT1, T0);
    FloatRegister x = piece_float(s, a, FT0, FT0);
    return swapped ? emit_order_floats(s, i, FT1, x, less, guess)
                   : emit_order_floats(s, i, x, FT1, less, guess);
  }
  Register x = piece_whole(s, a, T1, NO_REGISTER);
  asm_whole_number(&s->a, WHOLE_COMPARE, x, code_i15(i));
  Condition c = swapped ? (less ? IF_GREATER : IF_NOT_LESS)
                        : (less ? IF_LESS : IF_NOT_GREATER);
  return emit_decide(s, i, c, guess);
}

/* -- Numeric loops --------------------------------------------------------- */

/* The registers of a loop, from its first one. */
enum { FOR_LIMIT = 1, FOR_STEP = 2, FOR_VARIABLE = 3 };

bool emit_for_prepare1(Piece *s, Instruction i) {
  unsigned a = code_a(i);
  if (piece_tag(s, a) != TAG_INTEGER ||
      piece_tag(s, a + FOR_LIMIT) != TAG_INTEGER)
    return false;
  piece_guard(s, a, TAG_INTEGER);
  piece_guard(s, a + FOR_LIMIT, TAG_INTEGER);
  bool guess = s->guess[a].as.i > s->guess[a + FOR_LIMIT].as.i;
  piece_set_number(s, a + FOR_STEP, (Payload){.i = 1}, TAG_INTEGER);
  piece_copy(s, a + FOR_VARIABLE, a);
  Register x = piece_whole(s, a, T1, NO_REGISTER);
  Register y = piece_whole(s, a + FOR_LIMIT, T2, x);
  asm_whole(&s->a, WHOLE_COMPARE, x, y);
  emit_branch(s, IF_GREATER, jump_target(s), guess);
  return true;
}

enum { FOR_IS_ENTERED, FOR_IS_LEFT, FOR_IS_WRONG };

/* Prepares a loop of three integers, as the loop does it. */
static uint64_t call_for_prepare(Value *ra) {
  Integer start = ra->as.i, limit = ra[FOR_LIMIT].as.i;
  Integer step = ra[FOR_STEP].as.i;
  Unsigned count = (Unsigned)limit - (Unsigned)start;
  if (step == 0) return FOR_IS_WRONG;
  if (step > 0 ? start > limit : start < limit) return FOR_IS_LEFT;
  if (step > 0)
    count /= (Unsigned)step;
  else
    count = (0u - count) / (0u - (Unsigned)step);
  value_set_integer(&ra[FOR_LIMIT], (Integer)count);
  value_set_integer(&ra[FOR_VARIABLE], start);
  return FOR_IS_ENTERED;
}

bool emit_for_prepare(Piece *s, Instruction i) {
  unsigned a = code_a(i);
  for (unsigned n = a; n <= a + FOR_STEP; n++)
    if (piece_tag(s, n) != TAG_INTEGER) return false;
  for (unsigned n = a; n <= a + FOR_STEP; n++) piece_guard(s, n, TAG_INTEGER);
  asm_address(&s->a, T3, slot_at(a));
  asm_arguments(&s->a, T3, T3);
  asm_call(&s->a, (uintptr_t)call_for_prepare);
  piece_called(s);
  context_forget(&s->now, a + FOR_VARIABLE);
  asm_whole_number(&s->a, WHOLE_COMPARE, T0, FOR_IS_LEFT);
  piece_step_if(s, IF_ABOVE);
  piece_edge_if(s, IF_EQUAL, jump_target(s));
  if (!piece_is_captured(s, a + FOR_VARIABLE))
    s->now.tag[a + FOR_VARIABLE] = TAG_INTEGER;
  piece_guess_tag(s, a + FOR_VARIABLE, TAG_INTEGER);
  return true;
}

static void emit_loop_back(Piece *s) { emit_go(s, jump_target(s)); }

/* The index is in the variable, or, if the body may change that, in the first
** register. */
bool emit_for_loop1(Piece *s, Instruction i) {
  unsigned a = code_a(i);
  bool copies = opcode_alone(code_op(i)) == OP_FORCOPY1;
  unsigned variable = a + FOR_VARIABLE;
  if (piece_tag(s, a) != TAG_INTEGER) return false;
  piece_guard(s, a, TAG_INTEGER);
  Register x = piece_whole(s, copies ? a : variable, T1, NO_REGISTER);
  Register y = piece_whole(s, a + FOR_LIMIT, T2, x);
  asm_whole(&s->a, WHOLE_COMPARE, x, y);
  piece_edge_if(s, IF_NOT_LESS, s->next);
  asm_address(&s->a, T0, memory_at(x, 1));
  if (copies) piece_set_whole(s, a, T0, TAG_INTEGER);
  piece_set_whole(s, variable, T0, TAG_INTEGER);
  emit_loop_back(s);
  return true;
}

bool emit_for_loop(Piece *s, Instruction i) {
  unsigned a = code_a(i);
  if (piece_tag(s, a + FOR_STEP) != TAG_INTEGER) return false;
  piece_guard(s, a + FOR_STEP, TAG_INTEGER);
  Register count = piece_whole(s, a + FOR_LIMIT, T1, NO_REGISTER);
  asm_test(&s->a, count, count);
  piece_edge_if(s, IF_EQUAL, s->next);
  asm_move(&s->a, T0, piece_whole(s, a, T0, NO_REGISTER));
  Register step = piece_whole(s, a + FOR_STEP, T2, NO_REGISTER);
  asm_whole(&s->a, WHOLE_ADD, T0, step);
  asm_address(&s->a, T1, memory_at(count, (size_t)-1));
  piece_set_whole(s, a + FOR_LIMIT, T1, TAG_INTEGER);
  piece_set_whole(s, a, T0, TAG_INTEGER);
  piece_set_whole(s, a + FOR_VARIABLE, T0, TAG_INTEGER);
  emit_loop_back(s);
  return true;
}

/* -- Generic loops --------------------------------------------------------- */

enum { FOR_CONTROL = 2, FOR_CLOSED = 3, FOR_RESULTS = 4 };

/* The TFORCALL follows, at the target. */
bool emit_generic_prepare(Piece *s, Instruction i) {
  unsigned a = code_a(i);
  Memory position = slot_at(a + FOR_CONTROL);
  position.offset += (int32_t)offsetof(Value, position);
  asm_compare8(&s->a, tag_at(a + FOR_CLOSED), TAG_FALSE);
  piece_step_if(s, IF_ABOVE);
  asm_store32_number(&s->a, position, 0);
  emit_go(s, jump_target(s));
  return true;
}

/* By next or ipairs.  The step includes the TFORLOOP. */
bool emit_generic_call(Piece *s, Instruction i) {
  unsigned a = code_a(i);
  uint32_t loop = s->pc + 1;
  if (s->guess[a].tag != TAG_C_FUNCTION) return false;
  asm_address(&s->a, T3, slot_at(a));
  asm_arguments(&s->a, STATE, T3);
  asm_third_argument(&s->a, code_b(i));
  asm_call(&s->a, (uintptr_t)s->L->global->for_step);
  piece_called(s);
  context_forget(&s->now, a + FOR_CONTROL);
  context_forget_from(&s->now, a + FOR_RESULTS);
  asm_extend32(&s->a, T0);
  asm_whole_number(&s->a, WHOLE_COMPARE, T0, 0);
  piece_step_if(s, IF_LESS);
  piece_edge_if(s, IF_EQUAL, loop + 2);
  s->pc = loop; /* the jump is that of the TFORLOOP */
  uint32_t target = jump_target(s);
  s->pc = loop - 1;
  emit_go(s, target);
  return true;
}

bool emit_generic_loop(Piece *s, Instruction i) {
  unsigned a = code_a(i), first = a + FOR_RESULTS;
  asm_compare8(&s->a, tag_at(first), TAG_NIL);
  piece_edge_if(s, IF_EQUAL, s->next);
  piece_copy(s, a + FOR_CONTROL, first);
  emit_loop_back(s);
  return true;
}

#else
typedef int EmitJumpNotBuilt;
#endif
