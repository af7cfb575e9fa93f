/* SPDX-License-Identifier: MIT */
/*
** math.c -- the math library, except random numbers (math_random.c)
**
** Functions that round give an integer whenever the result fits one.  The
** names that Lua 5.3 declared old (pow, cosh, ...) are still here, because
** distributions build Lua with them and programs use them.
*/

#include <math.h>

#include "lib.h"
#include "lualib.h"
#include "math_impl.h"
#include "penumbra.h"

#define MATH_PI 3.141592653589793238462643383279502884

/* Pushes an integral float as an integer if it fits. */
static void math_push_integral(lua_State *L, lua_Number x) {
  lua_Integer n;
  if (lua_numbertointeger(x, &n))
    lua_pushinteger(L, n);
  else
    lua_pushnumber(L, x);
}

/* -- Rounding and integers ----------------------------------------------- */

static int math_floor(lua_State *L) {
  if (lua_isinteger(L, 1))
    lua_settop(L, 1);
  else
    math_push_integral(L, floor(luaL_checknumber(L, 1)));
  return 1;
}

static int math_ceil(lua_State *L) {
  if (lua_isinteger(L, 1))
    lua_settop(L, 1);
  else
    math_push_integral(L, ceil(luaL_checknumber(L, 1)));
  return 1;
}

static int math_abs(lua_State *L) {
  if (lua_isinteger(L, 1)) {
    const lua_Integer n = lua_tointeger(L, 1);
    lua_pushinteger(L, n < 0 ? luaL_intop(-, 0, n) : n);
  } else {
    lua_pushnumber(L, fabs(luaL_checknumber(L, 1)));
  }
  return 1;
}

/* C's % has the sign fmod wants, but overflows for the least integer and -1.
*/
static int math_fmod_integers(lua_State *L) {
  const lua_Integer a = lua_tointeger(L, 1), b = lua_tointeger(L, 2);
  luaL_argcheck(L, b != 0, 2, "zero");
  lua_pushinteger(L, b == -1 ? 0 : a % b);
  return 1;
}

static int math_fmod(lua_State *L) {
  if (lua_isinteger(L, 1) && lua_isinteger(L, 2)) return math_fmod_integers(L);
  const lua_Number a = luaL_checknumber(L, 1);
  lua_pushnumber(L, fmod(a, luaL_checknumber(L, 2)));
  return 1;
}

static int math_modf(lua_State *L) {
  if (lua_isinteger(L, 1)) {
    lua_settop(L, 1);
    lua_pushnumber(L, 0);
    return 2;
  }
  const lua_Number x = luaL_checknumber(L, 1);
  const lua_Number whole = x < 0 ? ceil(x) : floor(x);
  math_push_integral(L, whole);
  lua_pushnumber(L, x == whole ? 0.0 : x - whole); /* infinities: 0 */
  return 2;
}

static int math_tointeger(lua_State *L) {
  int ok;
  const lua_Integer n = lua_tointegerx(L, 1, &ok);
  if (luai_likely(ok)) {
    lua_pushinteger(L, n);
  } else {
    luaL_checkany(L, 1);
    luaL_pushfail(L);
  }
  return 1;
}

static int math_type(lua_State *L) {
  if (lua_type(L, 1) == LUA_TNUMBER) {
    lua_pushstring(L, lua_isinteger(L, 1) ? "integer" : "float");
  } else {
    luaL_checkany(L, 1);
    luaL_pushfail(L);
  }
  return 1;
}

static int math_ult(lua_State *L) {
  const lua_Unsigned a = (lua_Unsigned)luaL_checkinteger(L, 1);
  const lua_Unsigned b = (lua_Unsigned)luaL_checkinteger(L, 2);
  lua_pushboolean(L, a < b);
  return 1;
}

/* -- Choosing ------------------------------------------------------------ */

static int math_max(lua_State *L) {
  const int n = lua_gettop(L);
  int best = 1;
  luaL_argcheck(L, n >= 1, 1, "value expected");
  for (int i = 2; i <= n; i++)
    if (lua_compare(L, best, i, LUA_OPLT)) best = i;
  lua_pushvalue(L, best);
  return 1;
}

static int math_min(lua_State *L) {
  const int n = lua_gettop(L);
  int best = 1;
  luaL_argcheck(L, n >= 1, 1, "value expected");
  for (int i = 2; i <= n; i++)
    if (lua_compare(L, i, best, LUA_OPLT)) best = i;
  lua_pushvalue(L, best);
  return 1;
}

/* -- Functions of the reals ---------------------------------------------- */

/* Defines math_<name> as the C function of that name. */
#define MATH_UNARY(name)                             \
  static int math_##name(lua_State *L) {             \
    lua_pushnumber(L, name(luaL_checknumber(L, 1))); \
    return 1;                                        \
  }

MATH_UNARY(sqrt)
MATH_UNARY(exp)
MATH_UNARY(sin)
MATH_UNARY(cos)
MATH_UNARY(tan)
MATH_UNARY(asin)
MATH_UNARY(acos)
MATH_UNARY(sinh)
MATH_UNARY(cosh)
MATH_UNARY(tanh)
MATH_UNARY(log10)

static int math_atan(lua_State *L) {
  const lua_Number y = luaL_checknumber(L, 1);
  lua_pushnumber(L, atan2(y, luaL_optnumber(L, 2, 1)));
  return 1;
}

/* Bases 2 and 10 have exact functions of their own. */
static int math_log(lua_State *L) {
  const lua_Number x = luaL_checknumber(L, 1);
  lua_Number res;
  if (lua_isnoneornil(L, 2)) {
    res = log(x);
  } else {
    const lua_Number base = luaL_checknumber(L, 2);
    if (base == 2.0)
      res = log2(x);
    else if (base == 10.0)
      res = log10(x);
    else
      res = log(x) / log(base);
  }
  lua_pushnumber(L, res);
  return 1;
}

static int math_deg(lua_State *L) {
  lua_pushnumber(L, luaL_checknumber(L, 1) * (180.0 / MATH_PI));
  return 1;
}

static int math_rad(lua_State *L) {
  lua_pushnumber(L, luaL_checknumber(L, 1) * (MATH_PI / 180.0));
  return 1;
}

static int math_pow(lua_State *L) {
  const lua_Number x = luaL_checknumber(L, 1);
  lua_pushnumber(L, pow(x, luaL_checknumber(L, 2)));
  return 1;
}

static int math_frexp(lua_State *L) {
  int exponent;
  lua_pushnumber(L, frexp(luaL_checknumber(L, 1), &exponent));
  lua_pushinteger(L, exponent);
  return 2;
}

static int math_ldexp(lua_State *L) {
  const lua_Number x = luaL_checknumber(L, 1);
  lua_pushnumber(L, ldexp(x, (int)luaL_checkinteger(L, 2)));
  return 1;
}

/* -- Opening ------------------------------------------------------------- */

static const luaL_Reg math_functions[] = {
    {"abs", math_abs},     {"acos", math_acos},   {"asin", math_asin},
    {"atan", math_atan},   {"atan2", math_atan},  {"ceil", math_ceil},
    {"cos", math_cos},     {"cosh", math_cosh},   {"deg", math_deg},
    {"exp", math_exp},     {"floor", math_floor}, {"fmod", math_fmod},
    {"frexp", math_frexp}, {"huge", NULL},        {"ldexp", math_ldexp},
    {"log", math_log},     {"log10", math_log10}, {"max", math_max},
    {"maxinteger", NULL},  {"min", math_min},     {"mininteger", NULL},
    {"modf", math_modf},   {"pi", NULL},          {"pow", math_pow},
    {"rad", math_rad},     {"random", NULL},      {"randomseed", NULL},
    {"sin", math_sin},     {"sinh", math_sinh},   {"sqrt", math_sqrt},
    {"tan", math_tan},     {"tanh", math_tanh},   {"tointeger", math_tointeger},
    {"type", math_type},   {"ult", math_ult},     {NULL, NULL},
};

/* What the machine need not call. */
static void math_tell(lua_State *L) {
  penumbra_builtin(L, PENUMBRA_MATH_ABS, math_abs);
  penumbra_builtin(L, PENUMBRA_MATH_CEIL, math_ceil);
  penumbra_builtin(L, PENUMBRA_MATH_FLOOR, math_floor);
  penumbra_builtin(L, PENUMBRA_MATH_MAX, math_max);
  penumbra_builtin(L, PENUMBRA_MATH_MIN, math_min);
  penumbra_builtin(L, PENUMBRA_MATH_SQRT, math_sqrt);
}

LUAMOD_API int luaopen_math(lua_State *L) {
  luaL_newlib(L, math_functions);
  math_tell(L);
  lua_pushnumber(L, MATH_PI);
  lua_setfield(L, -2, "pi");
  lua_pushnumber(L, (lua_Number)HUGE_VAL);
  lua_setfield(L, -2, "huge");
  lua_pushinteger(L, LUA_MAXINTEGER);
  lua_setfield(L, -2, "maxinteger");
  lua_pushinteger(L, LUA_MININTEGER);
  lua_setfield(L, -2, "mininteger");
  math_open_random(L);
  return 1;
}
