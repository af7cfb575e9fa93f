/* SPDX-License-Identifier: MIT */
/*
** error.c -- errors of operations, with the names of variables
*/
#include "vm/error.h"

#include "bytecode/names.h"
#include "object/format.h"
#include "object/meta.h"
#include "object/number.h"
#include "vm/debug.h"

/* -- Names ----------------------------------------------------------------- */

/* The kind of a variable, and its name.  This one finds upvalues; NULL if the
** value is not in one. */
static const char *upvalue_name(const Frame *f, const Value *v,
                                const char **name) {
  const LuaClosure *c = frame_closure(f);
  unsigned i = 0, count = c->cell.user;
  while (i < count && c->upvalue[i]->v != v) i++;
  if (i == count) return NULL;
  *name = names_upvalue(c->proto, i);
  return "upvalue";
}

/* The same for registers of the frame.  The name comes from the code before the
** current instruction. */
static const char *register_name(const Frame *f, const Value *v,
                                 const char **name) {
  const Value *base = f->func + 1, *r = base;
  while (r < f->top && r != v) r++;
  if (r >= f->top) return NULL;
  return names_register(frame_closure(f)->proto, (size_t)debug_current_pc(f),
                        (unsigned)(r - base), name);
}

/* Pushes " (local 'x')" and returns it; returns "" for no kind. */
static const char *describe(lua_State *L, const char *kind, const char *name) {
  return kind ? format_push(L, " (%s '%s')", kind, name) : "";
}

/* Describes the variable of the running function that holds the value. */
static const char *describe_variable(lua_State *L, const Value *v) {
  const Frame *f = L->frame;
  const char *name = NULL;
  if (!frame_is_lua(f)) return "";
  L->top = stack_live_top(L);
  const char *kind = upvalue_name(f, v, &name);
  if (!kind) kind = register_name(f, v, &name);
  return describe(L, kind, name);
}

/* -- Errors ---------------------------------------------------------------- */

static COLD _Noreturn void type_error(lua_State *L, const Value *v,
                                      const char *operation,
                                      const char *variable) {
  raise_error(L, "attempt to %s a %s value%s", operation, meta_type_name(L, v),
              variable);
}

COLD void error_type(lua_State *L, const Value *v, const char *operation) {
  type_error(L, v, operation, describe_variable(L, v));
}

/* The calling instruction tells the name of the function. */
COLD void error_call(lua_State *L, const Value *v) {
  const char *name = NULL, *kind = debug_name_callee(L->frame, &name);
  type_error(L, v, "call",
             kind ? describe(L, kind, name) : describe_variable(L, v));
}

COLD void error_for(lua_State *L, const Value *v, const char *what) {
  raise_error(L, "bad 'for' %s (number expected, got %s)", what,
              meta_type_name(L, v));
}

COLD void error_concat(lua_State *L, const Value *a, const Value *b) {
  if (value_is_string(a) || value_is_number(a)) a = b;
  error_type(L, a, "concatenate");
}

COLD void error_operands(lua_State *L, const Value *a, const Value *b,
                         const char *operation) {
  error_type(L, value_is_number(a) ? b : a, operation);
}

COLD void error_integer(lua_State *L, const Value *a, const Value *b) {
  Integer unused;
  if (value_number_to_integer(a, &unused, ROUND_EXACT)) a = b;
  raise_error(L, "number%s has no integer representation",
              describe_variable(L, a));
}

COLD void error_compare(lua_State *L, const Value *a, const Value *b) {
  const char *left = meta_type_name(L, a), *right = meta_type_name(L, b);
  bool alike = strcmp(left, right) == 0;
  raise_error(L,
              alike ? "attempt to compare two %s values"
                    : "attempt to compare %s with %s",
              left, right);
}
