/* SPDX-License-Identifier: MIT */
/*
** operate.c -- arithmetic and comparison, with metamethods
*/
#include "vm/operate.h"

#include "object/budget.h"
#include "object/meta.h"
#include "object/number.h"
#include "vm/call.h"
#include "vm/error.h"
#include "vm/operate_impl.h"

/* -- Arithmetic ------------------------------------------------------------ */

static bool op_is_bitwise(int op) {
  return (op >= ARITH_BAND && op <= ARITH_SHR) || op == ARITH_BNOT;
}

static COLD bool arith_refused(lua_State *L, int op) {
  if (op == ARITH_IDIV) raise_error(L, "attempt to divide by zero");
  if (op == ARITH_MOD) raise_error(L, "attempt to perform 'n%%0'");
  return false; /* bits of floats without integer value */
}

bool arith_numbers(lua_State *L, int op, const Value *a, const Value *b,
                   Value *out) {
  if (!value_is_number(a) || !value_is_number(b)) return false;
  return number_arith(op, a, b, out) || arith_refused(L, op);
}

static COLD _Noreturn void arith_error(lua_State *L, int op, const Value *a,
                                       const Value *b) {
  if (!op_is_bitwise(op)) error_operands(L, a, b, "perform arithmetic on");
  if (value_is_number(a) && value_is_number(b)) error_integer(L, a, b);
  error_operands(L, a, b, "perform bitwise operation on");
}

static bool method_of_either(lua_State *L, MetaEvent event, const Value *a,
                             const Value *b, Value *method) {
  return meta_get(L, a, event, method) || meta_get(L, b, event, method);
}

void arith_method(lua_State *L, int op, const Value *a, const Value *b,
                  Value *method) {
  static_assert(META_BNOT - META_ADD == ARITH_BNOT, "same order");
  MetaEvent event = (MetaEvent)(META_ADD + op);
  if (!method_of_either(L, event, a, b, method)) arith_error(L, op, a, b);
}

void operate_arith(lua_State *L, int op, const Value *a, const Value *b,
                   Value *slot) {
  Value result, method;
  if (arith_numbers(L, op, a, b, &result)) {
    value_copy(slot, &result);
    return;
  }
  arith_method(L, op, a, b, &method);
  call_meta_result(L, &method, a, b, slot);
}

/* -- Comparison ------------------------------------------------------------ */

static bool equal_plain(lua_State *L, const Value *a, const Value *b,
                        bool *result) {
  (void)L;
  *result = value_raw_equal(a, b);
  if (*result || a->tag != b->tag) return true;
  return a->tag != TAG_TABLE && a->tag != TAG_USERDATA;
}

/* Equality of most values, and the order of numbers and of strings. */
bool compare_plain(lua_State *L, CompareOp op, const Value *a, const Value *b,
                   bool *result) {
  if (op == COMPARE_EQUAL) return equal_plain(L, a, b, result);
  if (value_is_number(a) && value_is_number(b)) {
    *result = op == COMPARE_LESS ? number_less(a, b) : number_less_equal(a, b);
    return true;
  }
  if (!value_is_string(a) || !value_is_string(b)) return false;
  budget_spend_compared(L, a, b);
  int order = string_compare(value_string(a), value_string(b));
  *result = op == COMPARE_LESS ? order < 0 : order <= 0;
  return true;
}

/* False if there is no metamethod; then the two values are not equal. */
static bool equal_method(lua_State *L, const Value *a, const Value *b,
                         Value *method) {
  if (a->tag != TAG_TABLE) return method_of_either(L, META_EQ, a, b, method);
  return meta_get_fast(L, value_table(a)->metatable, META_EQ, method) ||
         meta_get_fast(L, value_table(b)->metatable, META_EQ, method);
}

/* Without __le, a <= b is computed as not (b < a) by __lt.  Swaps the
** operands. */
static bool less_method(lua_State *L, CompareCall *call) {
  const Value *a = call->a, *b = call->b;
  if (!method_of_either(L, META_LT, b, a, &call->method)) return false;
  call->a = b;
  call->b = a;
  call->negated = true;
  return true;
}

bool compare_method(lua_State *L, CompareOp op, CompareCall *call) {
  const Value *a = call->a, *b = call->b;
  call->negated = false;
  if (op == COMPARE_EQUAL) return equal_method(L, a, b, &call->method);
  MetaEvent event = op == COMPARE_LESS ? META_LT : META_LE;
  if (method_of_either(L, event, a, b, &call->method)) return true;
  if (op == COMPARE_LESS || !less_method(L, call)) error_compare(L, a, b);
  return true;
}

static bool operate_compare(lua_State *L, CompareOp op, const Value *a,
                            const Value *b) {
  bool result;
  CompareCall call = {.a = a, .b = b};
  if (compare_plain(L, op, a, b, &result)) return result;
  if (!compare_method(L, op, &call)) return false;
  call_meta_result(L, &call.method, call.a, call.b, L->top);
  return value_is_falsy(L->top) == call.negated;
}

bool operate_equal(lua_State *L, const Value *a, const Value *b) {
  return operate_compare(L, COMPARE_EQUAL, a, b);
}

bool operate_less(lua_State *L, const Value *a, const Value *b) {
  return operate_compare(L, COMPARE_LESS, a, b);
}

bool operate_less_equal(lua_State *L, const Value *a, const Value *b) {
  return operate_compare(L, COMPARE_LESS_EQUAL, a, b);
}
