/* SPDX-License-Identifier: MIT */
/*
** value.c -- raw equality and names of types
*/
#include "object/value.h"

#include "object/number.h"
#include "object/thread.h"

static bool numbers_equal(const Value *a, const Value *b) {
  if (a->tag == TAG_INTEGER) {
    if (b->tag == TAG_INTEGER) return a->as.i == b->as.i;
    return int_equal_float(a->as.i, b->as.n);
  }
  if (b->tag == TAG_FLOAT) return a->as.n == b->as.n;
  return int_equal_float(b->as.i, a->as.n);
}

bool value_raw_equal_slow(const Value *a, const Value *b) {
  if (value_type(a) != value_type(b)) return false;
  if (value_is_number(a)) return numbers_equal(a, b);
  if (a->tag != b->tag) return value_is_nil(a);
  switch (a->tag) {
    case TAG_FALSE:
    case TAG_TRUE:
    case TAG_NIL:
    case TAG_ABSENT: return true;
    case TAG_LONG_STRING: return string_equal(value_string(a), value_string(b));
    case TAG_C_FUNCTION: return a->as.f == b->as.f;
    case TAG_POINTER: return a->as.p == b->as.p;
    default: return a->as.cell == b->as.cell;
  }
}

const char *type_name(int type) {
  static const char *const names[] = {
      "no value", "nil",     "boolean",  "userdata", "number",
      "string",   "table",   "function", "userdata", "thread",
      "proto",    "upvalue", "box"};
  return names[type + 1];
}
