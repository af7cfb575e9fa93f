/* SPDX-License-Identifier: MIT */
/*
** slow_operate.c -- the slow paths of operations, and finishing an instruction
** after its metamethod has returned
*/
#include "object/meta.h"
#include "object/number.h"
#include "vm/access_impl.h"
#include "vm/call.h"
#include "vm/collect.h"
#include "vm/loop.h"
#include "vm/operate_impl.h"
#include "vm/slow_impl.h"
#include "vm/slow_meta_impl.h"
#include "vm/traits_impl.h"
#include "vm/watch.h"

/* -- Ends of instructions -------------------------------------------------- */

void slow_put(lua_State *L, const Value *v) {
  Frame *f = L->frame;
  Instruction i = f->u.lua.pc[-1];
  value_copy(f->func + 1 + code_a(i), v);
  f->u.lua.pc += code_length(i) - 1;
}

void slow_skip(lua_State *L) {
  Frame *f = L->frame;
  f->u.lua.pc += code_length(f->u.lua.pc[-1]) - 1;
}

void slow_branch(lua_State *L, bool condition) {
  Frame *f = L->frame;
  if (condition != opcode_is_negated(code_op(watch_instruction(f))))
    f->u.lua.pc += (int32_t)*f->u.lua.pc;
  else
    f->u.lua.pc++;
}

/* -- Calls of metamethods -------------------------------------------------- */

bool slow_puts_method(lua_State *L, const Value *method, const Value *a,
                      const Value *b, const Value *c) {
  Value *func = L->frame->top; /* above all registers */
  traits_check(L, MAY_CALL);
  value_copy(func, method);
  value_copy(func + 1, a);
  value_copy(func + 2, b);
  L->top = func + 3;
  if (c) value_copy(L->top++, c);
  return value_is_lua_closure(func);
}

void slow_call_meta(lua_State *L, const Value *method, const Value *a,
                    const Value *b) {
  slow_puts_method(L, method, a, b, NULL);
  call_prepare(L, L->frame->top, 1, FRAME_META);
}

void slow_call_meta3(lua_State *L, const Value *method, const Value *a,
                     const Value *b, const Value *c) {
  slow_puts_method(L, method, a, b, c);
  call_prepare(L, L->frame->top, 0, FRAME_META);
}

/* -- Arithmetic ------------------------------------------------------------ */

/* An operand of arithmetic.  `letter` is that of opcodes.def. */
static const Value *arith_operand(const Frame *f, char letter, unsigned field,
                                  Value *space) {
  if (letter == 'r') return f->func + 1 + field;
  if (operand_is_number(letter)) return f->u.lua.constants + field;
  value_set_integer(space, (int8_t)field);
  return space;
}

const Node *slow_find_method(lua_State *L, const Table *metatable,
                             MetaEvent event) {
  return meta_find(L, metatable, event);
}

/* Computes with the numbers in strings, if `method` is the string library's
** metamethod for that.  False if it has to be called: for a division by zero,
** and if a hook or a budget has to see the call. */
static bool arith_texts(lua_State *L, int op, const Value *method,
                        const Value *a, const Value *b, Value *result) {
  Value x, y;
  if (method->tag != TAG_C_FUNCTION ||
      method->as.f != vm_of(L)->text_arith[op] || L->hook_mask ||
      L->global->budget.on || !value_to_number(a, &x) ||
      !value_to_number(b, &y))
    return false;
  if ((op == ARITH_IDIV || op == ARITH_MOD) && value_is_integer(&x) &&
      value_is_integer(&y) && y.as.i == 0)
    return false;
  return arith_numbers(L, op, &x, &y, result);
}

void slow_arith(lua_State *L) {
  const Frame *f = L->frame;
  Instruction i = watch_instruction(f);
  const OpInfo *info = &opcode_info[code_op(i)];
  const char *letters = info->operands;
  int op = info->event - META_ADD; /* ARITH_ADD ... */
  Value space, result, method;
  const Value *a = arith_operand(f, letters[1], code_b(i), &space);
  const Value *b = a;
  if (letters[2] != '_') b = arith_operand(f, letters[2], code_c(i), &space);
  if (arith_numbers(L, op, a, b, &result)) {
    slow_put(L, &result);
    return;
  }
  arith_method(L, op, a, b, &method);
  if (arith_texts(L, op, &method, a, b, &result))
    slow_put(L, &result);
  else
    slow_call_meta(L, &method, a, b);
}

/* -- Comparison ------------------------------------------------------------ */

static void compare_immediate(Instruction i, Value *out) {
  if (code_i15_is_float(i))
    value_set_float(out, code_i15(i));
  else
    value_set_integer(out, code_i15(i));
}

static CompareOp compare_op_of(Opcode op) {
  switch (opcode_info[op].event) {
    case META_EQ: return COMPARE_EQUAL;
    case META_LT: return COMPARE_LESS;
    default: return COMPARE_LESS_EQUAL;
  }
}

static void compare_call(lua_State *L, CompareOp op, const Value *a,
                         const Value *b) {
  CompareCall call = {.a = a, .b = b};
  if (!compare_method(L, op, &call)) {
    slow_branch(L, false);
    return;
  }
  L->frame->u2.negated = call.negated;
  slow_call_meta(L, &call.method, call.a, call.b);
}

void slow_compare(lua_State *L) {
  const Frame *f = L->frame;
  Instruction i = watch_instruction(f);
  Opcode op = code_op(i);
  Value space;
  bool result;
  const Value *a = f->func + 1 + code_a(i);
  const Value *b = f->func + 1 + code_b(i);
  if (opcode_info[op].format == FORMAT_ADX) {
    compare_immediate(i, &space);
    b = &space;
  }
  if (opcode_info[op].traits & IS_SWAPPED) { /* x > I is I < x */
    b = a;
    a = &space;
  }
  CompareOp what = compare_op_of(op);
  if (compare_plain(L, what, a, b, &result))
    slow_branch(L, result);
  else
    compare_call(L, what, a, b);
}

static void compare_finish(lua_State *L, const Value *result) {
  bool negated = L->frame->u2.negated;
  slow_branch(L, value_is_falsy(result) == negated);
}

/* -- Length and concatenation ---------------------------------------------- */

void slow_length(lua_State *L) {
  const Frame *f = L->frame;
  const Value *object = f->func + 1 + code_b(f->u.lua.pc[-1]);
  Value result, method;
  if (access_find_length(L, object, &result, &method))
    slow_put(L, &result);
  else
    slow_call_meta(L, &method, object, object);
}

/* Runs a step of the collector after the result was stored, and finishes the
** instruction.  Live are the result and what is below the first operand, or
** what CONCAT_RR says. */
void slow_concat_step(lua_State *L) {
  const Frame *f = L->frame;
  Instruction i = watch_instruction(f);
  unsigned result = code_a(i);
  unsigned used = code_op(i) == OP_CONCAT ? code_b(i) : *f->u.lua.pc;
  collect_step_below(L, f->func + 1 + (used > result ? used : result + 1));
  slow_skip(L);
}

/* Finishes the instruction with a new string, and polls the collector. */
static void concat_done(lua_State *L, const Value *v) {
  const Frame *f = L->frame;
  value_copy(f->func + 1 + code_a(f->u.lua.pc[-1]), v);
  if (UNLIKELY(gc_step_due(gc_of(L))))
    slow_concat_step(L);
  else
    slow_skip(L);
}

/* Joins the first `count` operands of a CONCAT, up to the next metamethod.  Many
** numbers are joined in several groups.  `tried` as for concat_tail. */
static void concat_continue(lua_State *L, int count, bool tried) {
  Frame *f = L->frame;
  Value *values = f->func + 1 + code_b(f->u.lua.pc[-1]);
  int left;
  while ((left = concat_tail(L, values, count, tried)) > 1 && left < count)
    count = left;
  if (left == 1) {
    concat_done(L, values);
    return;
  }
  Value method;
  Value *a = values + left - 2;
  f->u2.results = left - 1; /* operands left after the metamethod */
  concat_method(L, a, a + 1, &method);
  slow_call_meta(L, &method, a, a + 1);
}

/* The usual case that is left for the slow path: the result of two strings is
** long.  NULL if it is not. */
static String *concat_two_long(lua_State *L, const Value *a, const Value *b) {
  if (!value_is_string(a) || !value_is_string(b)) return NULL;
  return concat_strings(L, value_string(a), value_string(b));
}

static void concat_two(lua_State *L, Instruction i) {
  const Value *base = L->frame->func + 1;
  Value pair[2], method;
  const Value *a = base + code_b(i), *b = base + code_c(i);
  String *joined = concat_two_long(L, a, b);
  if (joined) {
    value_set_string(&pair[0], joined);
    concat_done(L, &pair[0]);
    return;
  }
  if (!concat_is_plain(a) || !concat_is_plain(b)) {
    concat_method(L, a, b, &method);
    slow_call_meta(L, &method, a, b);
    return;
  }
  value_copy(&pair[0], a);
  value_copy(&pair[1], b);
  String *s = concat_values(L, pair, 2);
  value_set_string(&pair[0], s);
  concat_done(L, &pair[0]);
}

void slow_concat(lua_State *L) {
  const Frame *f = L->frame;
  Instruction i = watch_instruction(f);
  if (code_op(i) == OP_CONCAT_RR)
    concat_two(L, i);
  else
    concat_continue(L, (int)code_c(i), true);
}

static void concat_finish(lua_State *L, const Value *result) {
  Frame *f = L->frame;
  int count = f->u2.results;
  Value *values = f->func + 1 + code_b(f->u.lua.pc[-1]);
  value_copy(&values[count - 1], result);
  if (count == 1)
    slow_put(L, result);
  else
    concat_continue(L, count, false);
}

/* -- After a metamethod ---------------------------------------------------- */

void slow_finish(lua_State *L, const Value *result) {
  Instruction i = watch_instruction(L->frame);
  if (code_op(i) == OP_CONCAT) {
    concat_finish(L, result);
    return;
  }
  switch (opcode_info[code_op(i)].event) {
    case META_NEWINDEX: slow_skip(L); break;
    case META_CLOSE: slow_close(L); break;
    case META_EQ:
    case META_LT:
    case META_LE: compare_finish(L, result); break;
    default: slow_put(L, result);
  }
}

void loop_finish(lua_State *L) { slow_finish(L, L->top - 1); }

/* An instruction that closes variables is executed again, to close the next
** variable. */
void loop_resume(lua_State *L) {
  Frame *f = L->frame;
  Instruction i = watch_instruction(f);
  if (code_op(i) == OP_CLOSE) {
    f->u.lua.pc--;
  } else if (code_op(i) == OP_RETURN) {
    L->top = f->func + 1 + code_a(i) + f->u2.results;
    f->u.lua.pc--;
  }
}
