/* SPDX-License-Identifier: MIT */
/*
** string_arith.c -- arithmetic on strings that contain numbers
**
** The core computes with numbers only.  These metamethods convert strings to
** numbers.  If that is impossible, they try the metamethod of the other
** operand.
*/

#include "lib.h"
#include "string_impl.h"

/* Pushes the argument as a number.  If it is none: false, and pushes
** nothing. */
static bool arith_push_number(lua_State *L, int arg) {
  if (lua_type(L, arg) == LUA_TNUMBER) {
    lua_pushvalue(L, arg);
    return true;
  }
  size_t len;
  const char *s = lua_tolstring(L, arg, &len);
  return s != NULL && lua_stringtonumber(L, s) == len + 1;
}

/* The first operand's metamethod is this one.  A string as the second operand
** has no other. */
static int arith_try_other(lua_State *L, const char *event) {
  lua_settop(L, 2);
  if (lua_type(L, 2) == LUA_TSTRING || !luaL_getmetafield(L, 2, event))
    return luaL_error(L, "attempt to %s a '%s' with a '%s'", event + 2,
                      luaL_typename(L, 1), luaL_typename(L, 2));
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

static int arith(lua_State *L, int op, const char *event) {
  if (arith_push_number(L, 1) && arith_push_number(L, 2)) {
    lua_arith(L, op);
    return 1;
  }
  return arith_try_other(L, event);
}

static int arith_add(lua_State *L) { return arith(L, LUA_OPADD, "__add"); }
static int arith_sub(lua_State *L) { return arith(L, LUA_OPSUB, "__sub"); }
static int arith_mul(lua_State *L) { return arith(L, LUA_OPMUL, "__mul"); }
static int arith_mod(lua_State *L) { return arith(L, LUA_OPMOD, "__mod"); }
static int arith_pow(lua_State *L) { return arith(L, LUA_OPPOW, "__pow"); }
static int arith_div(lua_State *L) { return arith(L, LUA_OPDIV, "__div"); }
static int arith_idiv(lua_State *L) { return arith(L, LUA_OPIDIV, "__idiv"); }
static int arith_unm(lua_State *L) { return arith(L, LUA_OPUNM, "__unm"); }

static const luaL_Reg arith_metamethods[] = {
    {"__add", arith_add}, {"__div", arith_div}, {"__idiv", arith_idiv},
    {"__mod", arith_mod}, {"__mul", arith_mul}, {"__pow", arith_pow},
    {"__sub", arith_sub}, {"__unm", arith_unm}, {NULL, NULL},
};

void string_open_arith(lua_State *L) { luaL_setfuncs(L, arith_metamethods, 0); }
