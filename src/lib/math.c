/* SPDX-License-Identifier: MIT */
/*
** math.c -- the math library, except random numbers (math_random.c)
**
** Functions that round return an integer whenever the result fits one.  The
** names that Lua 5.3 deprecated (pow, cosh, ...) are still here, because
** distributions build Lua with them and programs use them.
*/
#include <math.h>

#include "declare.h"
#include "lualib.h"
#include "math_impl.h"
#include "object/number.h"

#define MATH_PI 3.141592653589793238462643383279502884

/* Two arguments as floats. */
static ALWAYS_INLINE bool take_floats(const Value *args, unsigned argc,
                                      lua_Number *a, lua_Number *b) {
  return argc >= 2 && value_number_to_float(&args[0], a) &&
         value_number_to_float(&args[1], b);
}

/* -- Rounding and integers ------------------------------------------------- */

/* An integral float, as an integer if it fits. */
static ALWAYS_INLINE int give_integral(Value *out, lua_Number n) {
  if (UNLIKELY(!float_fits_integer(n))) return give_float(out, n);
  return give_integer(out, (lua_Integer)n);
}

NATIVE(math_floor) {
  if (argc == 0) return NATIVE_RETRY;
  if (value_is_float(args)) return give_integral(out, floor(args->as.n));
  return value_is_integer(args) ? give_value(out, args) : NATIVE_RETRY;
}

NATIVE(math_ceil) {
  if (argc == 0) return NATIVE_RETRY;
  if (value_is_float(args)) return give_integral(out, ceil(args->as.n));
  return value_is_integer(args) ? give_value(out, args) : NATIVE_RETRY;
}

NATIVE(math_abs) {
  if (argc == 0) return NATIVE_RETRY;
  if (value_is_float(args)) return give_float(out, fabs(args->as.n));
  if (!value_is_integer(args)) return NATIVE_RETRY;
  lua_Integer i = args->as.i;
  return give_integer(out, i < 0 ? int_neg(i) : i);
}

/* C's % has the right sign, but overflows for the least integer and -1. */
enum { FMOD_UNITS = 32 }; /* the C library may divide bit by bit */

NATIVE(math_fmod) {
  lua_Number a, b;
  if (argc >= 2 && value_is_integer(&args[0]) && value_is_integer(&args[1])) {
    lua_Integer divisor = args[1].as.i;
    if (LIKELY(divisor > 0)) return give_integer(out, args[0].as.i % divisor);
    if (divisor < -1) return give_integer(out, args[0].as.i % divisor);
    if (divisor == -1) return give_integer(out, 0);
    if (!native_has_frame(L)) return NATIVE_RETRY;
    return luaL_argerror(L, 2, "zero");
  }
  if (!take_floats(args, argc, &a, &b)) return NATIVE_RETRY;
  budget_charge(L, FMOD_UNITS);
  return give_float(out, float_remainder(a, b));
}

/* The fraction of an infinity is 0. */
NATIVE(math_modf) {
  if (argc == 0 || !value_is_number(args)) return NATIVE_RETRY;
  lua_Number fraction = 0;
  if (value_is_integer(args)) {
    give_value(out, args);
  } else {
    lua_Number n = args->as.n, whole = n < 0 ? ceil(n) : floor(n);
    fraction = n == whole ? 0 : n - whole;
    give_integral(out, whole);
  }
  value_set_float(&out[1], fraction);
  return 2;
}

/* Strings that contain an integer are accepted. */
NATIVE(math_tointeger) {
  lua_Integer i;
  if (argc == 0) return NATIVE_RETRY;
  if (value_is_integer(args)) return give_value(out, args);
  if (value_is_float(args))
    return float_to_integer(args->as.n, &i) ? give_integer(out, i)
                                            : give_nil(out);
  if (value_is_string(args) &&
      native_needs_frame(L, string_length(value_string(args))))
    return NATIVE_RETRY;
  budget_numeral(L, args);
  if (!value_to_integer(args, &i, ROUND_EXACT)) return give_nil(out);
  return give_integer(out, i);
}

NATIVE(math_type) {
  if (argc == 0) return NATIVE_RETRY;
  if (!value_is_number(args)) return give_nil(out);
  const char *name = value_is_integer(args) ? "integer" : "float";
  return give_new_string(L, out, string_new_cached(L, name));
}

NATIVE(math_ult) {
  if (argc < 2 || !value_is_integer(&args[0]) || !value_is_integer(&args[1]))
    return NATIVE_RETRY;
  return give_bool(out,
                   (lua_Unsigned)args[0].as.i < (lua_Unsigned)args[1].as.i);
}

/* -- Choosing -------------------------------------------------------------- */

/* True if a is less than b, for two numbers. */
static ALWAYS_INLINE bool math_less(const Value *a, const Value *b) {
  if (LIKELY(a->tag == b->tag))
    return a->tag == TAG_INTEGER ? a->as.i < b->as.i : a->as.n < b->as.n;
  return number_less(a, b);
}

/* The greatest or the least argument; the first one if several are equal. */
static ALWAYS_INLINE int choose(const Value *args, unsigned argc, Value *out,
                                bool least) {
  const Value *best = args;
  if (argc == 0 || !value_is_number(args)) return NATIVE_RETRY;
  for (const Value *v = args + 1; v < args + argc; v++) {
    if (!value_is_number(v)) return NATIVE_RETRY;
    if (least ? math_less(v, best) : math_less(best, v)) best = v;
  }
  return give_value(out, best);
}

/* Other values are compared by `<`. */
static int choose_any(lua_State *L, bool least) {
  int best = 1;
  for (int i = 2; i <= lua_gettop(L); i++)
    if (lua_compare(L, least ? i : best, least ? best : i, LUA_OPLT)) best = i;
  lua_pushvalue(L, best);
  return 1;
}

NATIVE(math_max) { return choose(args, argc, out, false); }
NATIVE(math_min) { return choose(args, argc, out, true); }
static int math_max_framed(lua_State *L) { return choose_any(L, false); }
static int math_min_framed(lua_State *L) { return choose_any(L, true); }

/* -- Functions of the reals ------------------------------------------------ */

#define MATH_DEGREES(x) ((x) * (180.0 / MATH_PI))
#define MATH_RADIANS(x) ((x) * (MATH_PI / 180.0))

#define MATH_UNARY(id, function)                                            \
  NATIVE(math_##id) {                                                       \
    lua_Number x;                                                           \
    if (argc == 0 || !value_number_to_float(args, &x)) return NATIVE_RETRY; \
    return give_float(out, function(x));                                    \
  }

MATH_UNARY(sqrt, sqrt)
MATH_UNARY(exp, exp)
MATH_UNARY(sin, sin)
MATH_UNARY(cos, cos)
MATH_UNARY(tan, tan)
MATH_UNARY(asin, asin)
MATH_UNARY(acos, acos)
MATH_UNARY(sinh, sinh)
MATH_UNARY(cosh, cosh)
MATH_UNARY(tanh, tanh)
MATH_UNARY(log10, log10)
MATH_UNARY(deg, MATH_DEGREES)
MATH_UNARY(rad, MATH_RADIANS)

NATIVE(math_atan) {
  lua_Number y, x = 1;
  if (argc == 0 || !value_number_to_float(&args[0], &y)) return NATIVE_RETRY;
  if (!is_missing(args, argc, 1) && !value_number_to_float(&args[1], &x))
    return NATIVE_RETRY;
  return give_float(out, atan2(y, x));
}

#define math_atan2 math_atan

/* Bases 2 and 10 have exact functions of their own. */
static lua_Number math_log_of(lua_Number x, lua_Number base) {
  if (base == 2) return log2(x);
  return base == 10 ? log10(x) : log(x) / log(base);
}

NATIVE(math_log) {
  lua_Number x, base;
  if (argc == 0 || !value_number_to_float(&args[0], &x)) return NATIVE_RETRY;
  if (is_missing(args, argc, 1)) return give_float(out, log(x));
  if (!value_number_to_float(&args[1], &base)) return NATIVE_RETRY;
  return give_float(out, math_log_of(x, base));
}

NATIVE(math_pow) {
  lua_Number x, y;
  if (!take_floats(args, argc, &x, &y)) return NATIVE_RETRY;
  return give_float(out, pow(x, y));
}

NATIVE(math_frexp) {
  lua_Number x;
  int exponent;
  if (argc == 0 || !value_number_to_float(args, &x)) return NATIVE_RETRY;
  value_set_float(&out[0], frexp(x, &exponent));
  value_set_integer(&out[1], exponent);
  return 2;
}

NATIVE(math_ldexp) {
  lua_Number x;
  if (argc < 2 || !value_number_to_float(&args[0], &x) ||
      !value_is_integer(&args[1]))
    return NATIVE_RETRY;
  return give_float(out, ldexp(x, (int)args[1].as.i));
}

/* -- Opening --------------------------------------------------------------- */

#define MATH_NATIVES(RUN, BOTH, SPLIT, FRAMED)                \
  RUN(math, abs, NUMBER(x))                                   \
  RUN(math, acos, NUMBER(x))                                  \
  RUN(math, asin, NUMBER(x))                                  \
  RUN(math, atan, NUMBER(y), MAYBE(NUMBER, x))                \
  RUN(math, atan2, NUMBER(y), MAYBE(NUMBER, x))               \
  RUN(math, ceil, NUMBER(x))                                  \
  RUN(math, cos, NUMBER(x))                                   \
  RUN(math, cosh, NUMBER(x))                                  \
  RUN(math, deg, NUMBER(x))                                   \
  RUN(math, exp, NUMBER(x))                                   \
  RUN(math, floor, NUMBER(x))                                 \
  RUN(math, fmod, NUMBER(x), NUMBER(y))                       \
  RUN(math, frexp, NUMBER(x))                                 \
  RUN(math, ldexp, NUMBER(m), INTEGER(e))                     \
  RUN(math, log, NUMBER(x), MAYBE(NUMBER, base))              \
  RUN(math, log10, NUMBER(x))                                 \
  BOTH(math, max, ANY(x), REST)                               \
  BOTH(math, min, ANY(x), REST)                               \
  RUN(math, modf, NUMBER(x))                                  \
  RUN(math, pow, NUMBER(x), NUMBER(y))                        \
  RUN(math, rad, NUMBER(x))                                   \
  RUN(math, random, GIVEN(INTEGER, m), GIVEN(INTEGER, n))     \
  RUN(math, randomseed, GIVEN(INTEGER, x), MAYBE(INTEGER, y)) \
  RUN(math, sin, NUMBER(x))                                   \
  RUN(math, sinh, NUMBER(x))                                  \
  RUN(math, sqrt, NUMBER(x))                                  \
  RUN(math, tan, NUMBER(x))                                   \
  RUN(math, tanh, NUMBER(x))                                  \
  RUN(math, tointeger, ANY(x))                                \
  RUN(math, type, ANY(x))                                     \
  RUN(math, ult, INTEGER(m), INTEGER(n))

NATIVE_LIBRARY(math, "math.", MATH_NATIVES)

typedef struct Constant {
  const char *name;
  bool is_integer;
  lua_Integer integer;
  lua_Number number;
} Constant;

static const Constant math_constants[] = {
    {"huge", false, 0, (lua_Number)HUGE_VAL},
    {"maxinteger", true, LUA_MAXINTEGER, 0},
    {"mininteger", true, LUA_MININTEGER, 0},
    {"pi", false, 0, MATH_PI},
};
enum { MATH_CONSTANTS = sizeof math_constants / sizeof *math_constants };

static void math_set_constant(lua_State *L, const Constant *c) {
  if (c->is_integer)
    lua_pushinteger(L, c->integer);
  else
    lua_pushnumber(L, c->number);
  lua_setfield(L, -2, c->name);
}

LUAMOD_API int luaopen_math(lua_State *L) {
  luaL_checkversion(L);
  lua_createtable(L, 0, math_count + MATH_CONSTANTS);
  native_open(L, math_natives);
  for (int i = 0; i < MATH_CONSTANTS; i++)
    math_set_constant(L, &math_constants[i]);
  math_seed_any(L);
  return 1;
}
