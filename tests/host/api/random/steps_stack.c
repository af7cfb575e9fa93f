/* SPDX-License-Identifier: MIT */
/*
** steps_stack.c -- the stack, access to values, other threads
*/
#include "walk.h"

/* -- The stack ------------------------------------------------------------- */

static void step_push(Body *b) { push_any(b->L); }
static void step_pushvalue(Body *b) {
  int i = any_index(b);
  if (!lua_isnone(b->L, i)) lua_pushvalue(b->L, i);
}
static void step_upvalue(Body *b) {
  lua_pushvalue(b->L, lua_upvalueindex(1));
  if (lua_isnil(b->L, -1)) return; /* there may be none */
  lua_copy(b->L, -1, lua_upvalueindex(2));
}
static void step_settop(Body *b) {
  int to = b->floor + (int)walk_below(10);
  if (walk_once_in(2)) to = lua_gettop(b->L) + 1 - (int)walk_below(3);
  if (to >= b->floor) lua_settop(b->L, to);
}
static void step_rotate(Body *b) {
  int i = own_index(b);
  if (!i) return;
  int count = lua_gettop(b->L) - lua_absindex(b->L, i) + 1;
  lua_rotate(b->L, i, (int)walk_below((unsigned)(2 * count + 1)) - count);
}
static void step_insert(Body *b) {
  int i = own_index(b);
  if (i) lua_insert(b->L, i);
}
static void step_remove(Body *b) {
  int i = own_index(b);
  if (i) lua_remove(b->L, i);
}
static void step_replace(Body *b) {
  int i = own_index(b);
  if (i) lua_replace(b->L, i);
}
static void step_copy(Body *b) {
  int from = any_index(b), to = own_index(b);
  if (to && !lua_isnone(b->L, from)) lua_copy(b->L, from, to);
}
static void step_checkstack(Body *b) {
  int n = walk_once_in(4) ? 2000000 : (int)walk_below(300);
  trace("%d %d ", n, lua_checkstack(b->L, n));
}
static void step_toclose(Body *b) {
  if (walk_once_in(4))
    lua_pushnil(b->L);
  else if (walk_once_in(8))
    push_any(b->L);
  else
    lua_getglobal(b->L, "closable");
  lua_toclose(b->L, -1);
  b->floor = lua_gettop(b->L);
  b->marked = lua_toboolean(b->L, -1) ? b->floor : 0; /* not for false */
}
/* 5.4.4 fails if the stack moves during the close, so reserve room first. */
static void step_close(Body *b) {
  if (!b->marked) return;
  luaL_checkstack(b->L, 200, "no room");
  walk.closing = 1;
  lua_closeslot(b->L, b->marked);
  walk.closing = 0;
  lua_settop(b->L, b->marked - 1);
  b->floor = b->marked - 1; /* a slot below may be marked, too */
  b->marked = 0;
}

/* Moves values to a thread that does not run, or back. */
static void step_xmove(Body *b) {
  WalkThread *t = &walk.threads[walk_below(THREADS)];
  if (t->busy || t->L == b->L || lua_status(t->L) != LUA_OK) return;
  int back = walk_once_in(2);
  int have = back ? lua_gettop(t->L) : lua_gettop(b->L) - b->floor;
  if (have <= 0) return;
  int n = (int)walk_below((unsigned)have + 1);
  if (n > 5) n = 5;
  if (lua_gettop(t->L) > MAX_TOP) lua_settop(t->L, 0);
  lua_checkstack(t->L, 10);
  if (back)
    lua_xmove(t->L, b->L, n);
  else
    lua_xmove(b->L, t->L, n);
  trace("%d of %d ", n, have);
}

/* Operations that are allowed on the stack of a thread that does not run. */
static void step_other(Body *b) {
  WalkThread *t = &walk.threads[walk_below(THREADS)];
  if (t->busy || t->L == b->L) return;
  lua_State *T = t->L;
  trace("status %d ", lua_status(T));
  if (lua_status(T) != LUA_OK || !lua_checkstack(T, 10)) return;
  if (lua_gettop(T) > MAX_TOP) lua_settop(T, 2);
  switch (walk_below(4)) {
    case 0: push_any(T); break;
    case 1: lua_settop(T, (int)walk_below(5)); break;
    case 2:
      if (lua_gettop(T) > 2) lua_rotate(T, 2, 1);
      break;
    default:
      if (lua_gettop(T) > 0) lua_pushvalue(T, 1);
      break;
  }
  trace_stack(T);
}

const Step stack_steps[] = {{"push", step_push},
                            {"push", step_push},
                            {"push", step_push},
                            {"pushvalue", step_pushvalue},
                            {"upvalue", step_upvalue},
                            {"settop", step_settop},
                            {"rotate", step_rotate},
                            {"insert", step_insert},
                            {"remove", step_remove},
                            {"replace", step_replace},
                            {"copy", step_copy},
                            {"checkstack", step_checkstack},
                            {"toclose", step_toclose},
                            {"close", step_close},
                            {"xmove", step_xmove},
                            {"other", step_other},
                            {NULL, NULL}};

/* -- Access ---------------------------------------------------------------- */

static void step_type(Body *b) {
  lua_State *L = b->L;
  int i = any_index(b);
  trace("%s %d%d%d%d%d%d%d ", luaL_typename(L, i), lua_isnumber(L, i),
        lua_isstring(L, i), lua_isinteger(L, i), lua_iscfunction(L, i),
        lua_isuserdata(L, i), lua_toboolean(L, i), lua_isnoneornil(L, i));
  trace("%d%d%d%d ", lua_topointer(L, i) != NULL, lua_touserdata(L, i) != NULL,
        lua_tothread(L, i) != NULL, lua_tocfunction(L, i) != NULL);
}
static void step_tonumber(Body *b) {
  int i = any_index(b), isnum = 9, isint = 9;
  lua_Number n = lua_tonumberx(b->L, i, &isnum);
  lua_Integer k = lua_tointegerx(b->L, i, &isint);
  trace("%d %.17g %d %lld ", isnum, n, isint, (long long)k);
}
static void step_tolstring(Body *b) {
  int i = own_index(b);
  size_t length = 99;
  if (!i) return;
  const char *s = lua_tolstring(b->L, i, &length);
  trace("%s %d ", s ? "text" : "none", s ? (int)length : 0);
}
static void step_rawlen(Body *b) {
  int i = any_index(b);
  if (lua_type(b->L, i) != LUA_TTABLE) trace("%d ", (int)lua_rawlen(b->L, i));
}
static void step_rawequal(Body *b) {
  trace("%d ", lua_rawequal(b->L, any_index(b), any_index(b)));
}
static void step_compare(Body *b) {
  int x = any_index(b), y = any_index(b);
  static const int operators[] = {LUA_OPEQ, LUA_OPLT, LUA_OPLE};
  int op = operators[walk_below(3)];
  int result = lua_compare(b->L, x, y, op);
  trace("%d %d ", op, result);
}
static void step_arith(Body *b) {
  int op = (int)walk_below(14);
  int operands = op == LUA_OPUNM || op == LUA_OPBNOT ? 1 : 2;
  while (lua_gettop(b->L) - b->floor < operands) push_any(b->L);
  trace("%d ", op);
  lua_arith(b->L, op);
}
/* Without metamethods: 5.4.4 fails when a metamethod makes the stack move. */
static void step_concat(Body *b) {
  int have = lua_gettop(b->L) - b->floor;
  int n = have <= 0 ? 0 : (int)walk_below((unsigned)have + 1);
  for (int i = 1; i <= n; i++)
    if (luaL_getmetafield(b->L, -i, "__concat") != LUA_TNIL) {
      lua_pop(b->L, 1);
      return;
    }
  lua_concat(b->L, n);
}
static void step_len(Body *b) {
  int i = any_index(b);
  if (lua_isnone(b->L, i)) return;
  if (lua_type(b->L, i) == LUA_TTABLE) {
    if (luaL_getmetafield(b->L, i, "__len") == LUA_TNIL) return;
    lua_pop(b->L, 1);
  }
  lua_len(b->L, i);
}
static void step_stringtonumber(Body *b) {
  trace("%d ", (int)lua_stringtonumber(b->L, walk_text()));
}

const Step access_steps[] = {{"type", step_type},
                             {"tonumber", step_tonumber},
                             {"tolstring", step_tolstring},
                             {"rawlen", step_rawlen},
                             {"rawequal", step_rawequal},
                             {"compare", step_compare},
                             {"arith", step_arith},
                             {"arith", step_arith},
                             {"concat", step_concat},
                             {"len", step_len},
                             {"stringtonumber", step_stringtonumber},
                             {"push", step_push},
                             {NULL, NULL}};
