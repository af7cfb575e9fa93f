/* SPDX-License-Identifier: MIT */
/*
** string_arith.c -- arithmetic on strings that contain numbers
**
** The core computes with numbers only.  These metamethods convert strings to
** numbers.  If that is impossible, they try the metamethod of the other
** operand.
*/

#include <string.h>

#include "lib.h"
#include "string_impl.h"

typedef struct ArithEvent {
  const char *name;
  int operation;
} ArithEvent;

/* Pushes the operand as a number; false if it is none, and pushes nothing. */
static bool push_converted(lua_State *L, int operand) {
  size_t length = 0;
  switch (lua_type(L, operand)) {
    case LUA_TNUMBER: lua_pushvalue(L, operand); return true;
    case LUA_TSTRING: break;
    default: return false;
  }
  const char *text = lua_tolstring(L, operand, &length);
  return lua_stringtonumber(L, text) > length;
}

static bool compute(lua_State *L, int operation) {
  for (int operand = 1; operand <= 2; operand++)
    if (!push_converted(L, operand)) return false;
  lua_arith(L, operation);
  return true;
}

/* Asks the second operand.  A string has only the metamethod that runs. */
static void ask_second(lua_State *L, const char *event) {
  const char *first = luaL_typename(L, 1), *second = luaL_typename(L, 2);
  bool is_string = lua_type(L, 2) == LUA_TSTRING;
  lua_settop(L, 2);
  if (is_string || luaL_getmetafield(L, 2, event) == LUA_TNIL)
    luaL_error(L, "attempt to %s a '%s' with a '%s'", event + strlen("__"),
               first, second);
  lua_rotate(L, 1, 1);
  lua_call(L, 2, 1);
}

static int arith(lua_State *L, const ArithEvent *event) {
  if (!compute(L, event->operation)) ask_second(L, event->name);
  return 1;
}

/* All events; X is a macro of an event and its operation. */
/* clang-format off */
#define ARITH_EVENTS(X) \
  X(add, LUA_OPADD)     \
  X(div, LUA_OPDIV)     \
  X(idiv, LUA_OPIDIV)   \
  X(mod, LUA_OPMOD)     \
  X(mul, LUA_OPMUL)     \
  X(pow, LUA_OPPOW)     \
  X(sub, LUA_OPSUB)     \
  X(unm, LUA_OPUNM)
/* clang-format on */

#define METAMETHOD(event, operation)                              \
  static int arith_##event(lua_State *L) {                        \
    return arith(L, &(const ArithEvent){"__" #event, operation}); \
  }
ARITH_EVENTS(METAMETHOD)

#define ENTRY(event, operation) {"__" #event, arith_##event},
static const luaL_Reg arith_metamethods[] = {ARITH_EVENTS(ENTRY){NULL, NULL}};

#define KNOWN(event, operation) vm_of(L)->text_arith[operation] = arith_##event;
void string_open_arith(lua_State *L) {
  luaL_setfuncs(L, arith_metamethods, 0);
  ARITH_EVENTS(KNOWN)
}
