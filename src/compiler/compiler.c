/* SPDX-License-Identifier: MIT */
/*
** compiler.c -- a chunk from beginning to end
**
** Everything the compiler makes is reachable from a few stack slots: the
** prototype of the main function (and so all others), the tables that keep
** strings alive, the boxes of scratch memory.  An error just drops them.
*/
#include "compiler/compiler.h"

#include "compiler/parse_impl.h"
#include "object/budget.h"

/* -- Anchors --------------------------------------------------------------- */

enum { ANCHOR_SLOTS = 10 };

static void compiler_push(lua_State *L, void *cell, unsigned tag) {
  value_set_cell(L->top++, cell, tag);
}

static void compiler_push_box(lua_State *L, Scratch *s) {
  s->box = box_new(L);
  s->count = 0;
  compiler_push(L, s->box, TAG_BOX);
}

/* Each object is anchored before the next one is made. */
static Proto *compiler_init(Compiler *c, lua_State *L, const char *name) {
  stack_ensure(L, ANCHOR_SLOTS);
  Proto *proto = proto_new(L);
  compiler_push(L, proto, TAG_PROTO);
  *c = (Compiler){.L = L};
  c->lexer.L = L;
  c->lexer.text = &c->text;
  c->lexer.strings = table_new(L);
  compiler_push(L, c->lexer.strings, TAG_TABLE);
  c->numbers = table_new(L);
  compiler_push(L, c->numbers, TAG_TABLE);
  compiler_push_box(L, &c->text);
  compiler_push_box(L, &c->variables);
  compiler_push_box(L, &c->gotos);
  compiler_push_box(L, &c->labels);
  compiler_push_box(L, &c->lines);
  c->lexer.source =
      lexer_new_string(&c->lexer, name, budget_strlen(c->L, name));
  c->env = lexer_new_string(&c->lexer, "_ENV", 4);
  return proto;
}

/* -- The main function ----------------------------------------------------- */

static void compiler_add_env(Function *f) {
  lua_State *L = f->compiler->L;
  Proto *p = f->proto;
  VECTOR_RESERVE(L, p, p->upvalues, 1, CODE_MAX_UPVALUES, "upvalues");
  p->upvalues[p->upvalue_count++] = (UpValueInfo){.name = f->compiler->env,
                                                  .in_stack = true,
                                                  .index = 0,
                                                  .kind = VARIABLE_REGULAR};
  proto_barrier(gc_of(L), p, f->compiler->env);
}

static void compiler_main(Compiler *c, Proto *proto) {
  Function f;
  Scope block;
  proto->is_vararg = true;
  function_open(c, &f, proto, &block);
  compiler_add_env(&f);
  emit_abc(&f, OP_VARARGPREP, 0, 0, 0);
  parse_next(c);
  parse_statements(c);
  parse_check(c, TOKEN_EOS);
  function_close(c);
}

/* -- The closure ----------------------------------------------------------- */

/* Makes and pushes the closure of the main function.  Its upvalues are nil. */
static LuaClosure *compiler_make_closure(lua_State *L, Proto *proto) {
  LuaClosure *closure = closure_new_lua(L, proto);
  compiler_push(L, closure, TAG_LUA_CLOSURE);
  for (uint32_t i = 0; i < proto->upvalue_count; i++) {
    UpValue *u = upvalue_new_closed(L);
    closure->upvalue[i] = u;
    gc_barrier_forward(gc_of(L), &closure->cell, &u->cell);
  }
  return closure;
}

LuaClosure *compiler_compile(lua_State *L, Stream *stream, const char *name,
                             int first) {
  Compiler c;
  ptrdiff_t base = stack_save(L, L->top);
  Proto *proto = compiler_init(&c, L, name);
  lexer_init(&c.lexer, stream, first);
  compiler_main(&c, proto);
  LuaClosure *closure = compiler_make_closure(L, proto);
  Value *slot = stack_restore(L, base);
  *slot = L->top[-1];
  L->top = slot + 1;
  return closure;
}
