/* SPDX-License-Identifier: MIT */
/*
** number.c -- arithmetic on bare numbers, comparisons, coercions
*/
#include "object/number.h"

#include "object/string.h"

/* Integral operands use integer division, which is much faster.  A remainder of
** zero has the sign of a. */
lua_Number float_mod(lua_Number a, lua_Number b) {
  lua_Integer i, k;
  if (float_to_integer(a, &i) && float_to_integer(b, &k) && k != 0) {
    lua_Integer rest = int_mod(i, k);
    return rest == 0 ? copysign(0, a) : (lua_Number)rest;
  }
  lua_Number r = fmod(a, b);
  if (r != 0 && (r < 0) != (b < 0)) r += b;
  return r;
}

bool float_to_integer_mode(lua_Number n, lua_Integer *out, RoundMode mode) {
  lua_Number f = floor(n);
  if (f != n) {
    if (mode == ROUND_EXACT) return false;
    if (mode == ROUND_CEIL) f += 1;
  }
  if (!float_fits_integer(f)) return false;
  *out = (lua_Integer)f;
  return true;
}

/* -- Comparing integers with floats ---------------------------------------- */

/* Up to 2^53 every integer is a float, so floats are compared.  Beyond that,
** the float is rounded in the direction that keeps the answer. */
static bool int_is_exact_float(lua_Integer i) {
  const lua_Integer limit = (lua_Integer)1 << 53;
  return -limit <= i && i <= limit;
}

bool int_less_float(lua_Integer i, lua_Number n) {
  if (int_is_exact_float(i)) return (lua_Number)i < n;
  lua_Integer k;
  if (float_to_integer_mode(n, &k, ROUND_CEIL)) return i < k;
  return n > 0; /* n is out of range; false for NaN */
}

bool int_less_equal_float(lua_Integer i, lua_Number n) {
  if (int_is_exact_float(i)) return (lua_Number)i <= n;
  lua_Integer k;
  if (float_to_integer_mode(n, &k, ROUND_FLOOR)) return i <= k;
  return n > 0;
}

bool float_less_int(lua_Number n, lua_Integer i) {
  if (int_is_exact_float(i)) return n < (lua_Number)i;
  lua_Integer k;
  if (float_to_integer_mode(n, &k, ROUND_FLOOR)) return k < i;
  return n < 0;
}

bool float_less_equal_int(lua_Number n, lua_Integer i) {
  if (int_is_exact_float(i)) return n <= (lua_Number)i;
  lua_Integer k;
  if (float_to_integer_mode(n, &k, ROUND_CEIL)) return k <= i;
  return n < 0;
}

bool number_less(const Value *a, const Value *b) {
  if (a->tag == TAG_INTEGER) {
    if (b->tag == TAG_INTEGER) return a->as.i < b->as.i;
    return int_less_float(a->as.i, b->as.n);
  }
  if (b->tag == TAG_FLOAT) return a->as.n < b->as.n;
  return float_less_int(a->as.n, b->as.i);
}

bool number_less_equal(const Value *a, const Value *b) {
  if (a->tag == TAG_INTEGER) {
    if (b->tag == TAG_INTEGER) return a->as.i <= b->as.i;
    return int_less_equal_float(a->as.i, b->as.n);
  }
  if (b->tag == TAG_FLOAT) return a->as.n <= b->as.n;
  return float_less_equal_int(a->as.n, b->as.i);
}

/* -- Values to numbers ----------------------------------------------------- */

bool value_number_to_integer(const Value *v, lua_Integer *out, RoundMode mode) {
  if (v->tag == TAG_INTEGER) {
    *out = v->as.i;
    return true;
  }
  return v->tag == TAG_FLOAT && float_to_integer_mode(v->as.n, out, mode);
}

bool value_to_number(const Value *v, Value *out) {
  if (value_is_number(v)) {
    *out = *v;
    return true;
  }
  if (!value_is_string(v)) return false;
  const String *s = value_string(v);
  return number_from_text(string_bytes(s), string_length(s), out);
}

bool value_to_float(const Value *v, lua_Number *out) {
  Value number;
  if (value_number_to_float(v, out)) return true;
  return value_to_number(v, &number) && value_number_to_float(&number, out);
}

bool value_to_integer(const Value *v, lua_Integer *out, RoundMode mode) {
  Value number;
  if (LIKELY(v->tag == TAG_INTEGER)) {
    *out = v->as.i;
    return true;
  }
  return value_to_number(v, &number) &&
         value_number_to_integer(&number, out, mode);
}

/* -- Operators ------------------------------------------------------------- */

static bool arith_bitwise(int op, const Value *a, const Value *b, Value *out) {
  lua_Integer x, y, r;
  if (!value_number_to_integer(a, &x, ROUND_EXACT) ||
      !value_number_to_integer(b, &y, ROUND_EXACT))
    return false;
  switch (op) {
    case LUA_OPBAND: r = x & y; break;
    case LUA_OPBOR: r = x | y; break;
    case LUA_OPBXOR: r = x ^ y; break;
    case LUA_OPSHL: r = int_shl(x, y); break;
    case LUA_OPSHR: r = int_shr(x, y); break;
    default: r = ~x; break;
  }
  value_set_integer(out, r);
  return true;
}

static bool arith_integers(int op, lua_Integer x, lua_Integer y, Value *out) {
  lua_Integer r;
  switch (op) {
    case LUA_OPADD: r = int_add(x, y); break;
    case LUA_OPSUB: r = int_sub(x, y); break;
    case LUA_OPMUL: r = int_mul(x, y); break;
    case LUA_OPMOD:
      if (y == 0) return false;
      r = int_mod(x, y);
      break;
    case LUA_OPIDIV:
      if (y == 0) return false;
      r = int_idiv(x, y);
      break;
    default: r = int_neg(x); break;
  }
  value_set_integer(out, r);
  return true;
}

static lua_Number arith_floats(int op, lua_Number x, lua_Number y) {
  switch (op) {
    case LUA_OPADD: return x + y;
    case LUA_OPSUB: return x - y;
    case LUA_OPMUL: return x * y;
    case LUA_OPMOD: return float_mod(x, y);
    case LUA_OPPOW: return float_pow(x, y);
    case LUA_OPDIV: return x / y;
    case LUA_OPIDIV: return float_idiv(x, y);
    default: return -x;
  }
}

bool number_arith(int op, const Value *a, const Value *b, Value *out) {
  bool bitwise = (op >= LUA_OPBAND && op <= LUA_OPSHR) || op == LUA_OPBNOT;
  if (bitwise) return arith_bitwise(op, a, b, out);
  bool always_float = op == LUA_OPDIV || op == LUA_OPPOW;
  if (!always_float && a->tag == TAG_INTEGER && b->tag == TAG_INTEGER)
    return arith_integers(op, a->as.i, b->as.i, out);
  lua_Number x = 0, y = 0;
  value_number_to_float(a, &x);
  value_number_to_float(b, &y);
  value_set_float(out, arith_floats(op, x, y));
  return true;
}
