/* SPDX-License-Identifier: MIT */
/*
** scope.c -- local variables, upvalues, blocks
*/
#include "compiler/scope_impl.h"

#include "compiler/expression_impl.h"
#include "object/budget.h"

/* -- Declaring ------------------------------------------------------------- */

unsigned scope_declare(Function *f, String *name) {
  Compiler *c = f->compiler;
  size_t number = c->variables.count - f->first_variable;
  compile_check_limit(f, number + 1, LIMIT_VARIABLES, "local variables");
  scratch_reserve(c->L, &c->variables, sizeof(Variable), 1, INT32_MAX,
                  "local variables");
  Variable *v = compiler_variable(c, c->variables.count++);
  *v = (Variable){.name = name, .kind = VARIABLE_REGULAR, .local = -1};
  return (unsigned)number;
}

unsigned scope_level(const Function *f, unsigned active) {
  while (active-- > 0) {
    const Variable *v = function_variable(f, active);
    if (v->kind != VARIABLE_FOLDED) return v->reg + 1u;
  }
  return 0;
}

/* Adds an entry to the debug information. */
static int32_t scope_add_local(Function *f, String *name) {
  lua_State *L = f->compiler->L;
  Proto *p = f->proto;
  VECTOR_RESERVE(L, p, p->locals, p->local_count + 1, INT32_MAX,
                 "local variables");
  p->locals[p->local_count] = (LocalInfo){name, function_pc(f), 0};
  if (name) proto_barrier(gc_of(L), p, name);
  return (int32_t)p->local_count++;
}

void scope_activate(Function *f, int count) {
  unsigned reg = scope_level(f, f->active);
  for (; count > 0; count--) {
    Variable *v = function_variable(f, f->active++);
    v->reg = (uint8_t)reg++;
    v->local = scope_add_local(f, v->name);
  }
}

void scope_note_copy(Function *f, int32_t start) {
  int32_t local = scope_add_local(f, NULL);
  f->proto->locals[local].end = start;
}

/* Variables from number `active` on are no longer in scope. */
static void scope_remove(Function *f, unsigned active) {
  while (f->active > active) {
    const Variable *v = function_variable(f, --f->active);
    if (v->kind != VARIABLE_FOLDED)
      f->proto->locals[v->local].end = function_pc(f);
  }
  f->compiler->variables.count = f->first_variable + active;
}

/* -- Finding --------------------------------------------------------------- */

static bool scope_find_local(Function *f, const String *name, Expr *e) {
  for (unsigned i = f->active; i-- > 0;) {
    const Variable *v = function_variable(f, i);
    if (v->name != name) continue;
    if (v->kind == VARIABLE_FOLDED) {
      expr_init(e, EXPR_FOLDED, (int32_t)(f->first_variable + i));
    } else {
      expr_init(e, EXPR_LOCAL, 0);
      e->as.local.reg = v->reg;
      e->as.local.active = (uint8_t)i;
    }
    return true;
  }
  return false;
}

/* The block that declares the variable must close it when it ends. */
static void scope_mark_captured(Function *f, unsigned number) {
  Scope *block = f->block;
  while (block->active > number) block = block->outer;
  block->captured = true;
  Variable *v = function_variable(f, number);
  v->changes = true;
  if (v->reg < f->captured) f->captured = v->reg;
}

static int scope_find_upvalue(const Function *f, const String *name) {
  for (uint32_t i = 0; i < f->proto->upvalue_count; i++)
    if (f->proto->upvalues[i].name == name) return (int)i;
  return -1;
}

/* `e` is the variable as the enclosing function sees it. */
static int scope_add_upvalue(Function *f, String *name, const Expr *e) {
  lua_State *L = f->compiler->L;
  Proto *p = f->proto;
  bool in_stack = e->kind == EXPR_LOCAL;
  compile_check_limit(f, p->upvalue_count + 1, CODE_MAX_UPVALUES, "upvalues");
  VECTOR_RESERVE(L, p, p->upvalues, p->upvalue_count + 1, CODE_MAX_UPVALUES,
                 "upvalues");
  UpValueInfo *info = &p->upvalues[p->upvalue_count];
  *info = (UpValueInfo){.name = name, .in_stack = in_stack};
  if (in_stack) {
    info->index = e->as.local.reg;
    info->kind = function_variable(f->outer, e->as.local.active)->kind;
  } else {
    info->index = (uint8_t)e->as.index;
    info->kind = f->outer->proto->upvalues[e->as.index].kind;
  }
  proto_barrier(gc_of(L), p, name);
  return (int)p->upvalue_count++;
}

/* Looks in this function, then in those around it.  A variable found further
** out becomes an upvalue of all functions in between. */
static void scope_find_in(Function *f, String *name, Expr *e) {
  if (scope_find_local(f, name, e)) return;
  int index = scope_find_upvalue(f, name);
  if (index < 0) {
    if (!f->outer) {
      expr_init(e, EXPR_VOID, 0);
      return;
    }
    scope_find_in(f->outer, name, e);
    if (e->kind == EXPR_LOCAL)
      scope_mark_captured(f->outer, e->as.local.active);
    else if (e->kind != EXPR_UPVALUE)
      return; /* global, or a constant that needs no variable */
    index = scope_add_upvalue(f, name, e);
  }
  expr_init(e, EXPR_UPVALUE, index);
}

/* Spends for a search in all functions around. */
static NO_INLINE void scope_spend(const Function *f) {
  enum { NAMES_PER_UNIT = 4 };
  lua_State *L = f->compiler->L;
  size_t names = 0;
  for (; f; f = f->outer) names += f->active + f->proto->upvalue_count;
  budget_spend(L, names / NAMES_PER_UNIT);
}

void scope_find(Function *f, String *name, Expr *e) {
  if (UNLIKELY(f->compiler->L->global->budget.on)) scope_spend(f);
  Expr key;
  scope_find_in(f, name, e);
  if (e->kind != EXPR_VOID) return;
  scope_find_in(f, f->compiler->env, e); /* a field of _ENV */
  expr_to_any_or_upvalue(f, e);
  expr_init(&key, EXPR_STRING, 0);
  key.as.string = name;
  expr_index(f, e, &key);
}

/* -- Assigning ------------------------------------------------------------- */

/* The local variable of an enclosing function that the upvalue refers to. */
static Variable *scope_origin(Function *f, int upvalue) {
  const UpValueInfo *info = &f->proto->upvalues[upvalue];
  while (f->outer && !info->in_stack) {
    f = f->outer;
    info = &f->proto->upvalues[info->index];
  }
  if (!f->outer) return NULL; /* _ENV of the main function */
  for (unsigned i = f->outer->active; i-- > 0;) {
    Variable *v = function_variable(f->outer, i);
    if (v->kind != VARIABLE_FOLDED && v->reg == info->index) return v;
  }
  return NULL;
}

static Variable *scope_variable_of(Function *f, const Expr *e) {
  switch (e->kind) {
    case EXPR_FOLDED:
      return compiler_variable(f->compiler, (size_t)e->as.index);
    case EXPR_LOCAL: return function_variable(f, e->as.local.active);
    case EXPR_UPVALUE: return scope_origin(f, e->as.index);
    default: return NULL;
  }
}

void scope_note_assignment(Function *f, const Expr *e) {
  Variable *v = scope_variable_of(f, e);
  if (!v) return;
  if (v->kind != VARIABLE_REGULAR)
    compile_error_semantic(f->compiler,
                           "attempt to assign to const variable '%s'",
                           string_bytes(v->name));
  v->changes = true;
}

void scope_note_close(Function *f) {
  f->block->captured = true;
  f->block->inside_close = true;
}

/* -- Blocks ---------------------------------------------------------------- */

void block_enter(Function *f, Scope *block, bool is_loop) {
  Compiler *c = f->compiler;
  *block = (Scope){
      .outer = f->block,
      .first_label = c->labels.count,
      .first_goto = c->gotos.count,
      .active = f->active,
      .is_loop = is_loop,
      .inside_close = f->block && f->block->inside_close,
  };
  f->block = block;
  ASSERT(f->free_register == register_level(f), "temporaries at block entry");
}

/* Moves gotos that have not found their label to the enclosing block. */
static void block_move_gotos_out(Function *f, const Scope *block,
                                 unsigned level) {
  Compiler *c = f->compiler;
  for (size_t i = block->first_goto; i < c->gotos.count; i++) {
    Label *g = compiler_goto(c, i);
    if (g->level > level) g->close |= block->captured;
    g->active = block->active;
    g->level = (uint8_t)level;
  }
}

static void block_check_gotos(Function *f, const Scope *block) {
  Compiler *c = f->compiler;
  if (block->first_goto >= c->gotos.count) return;
  const Label *g = compiler_goto(c, block->first_goto);
  if (!g->name)
    compile_error_semantic(c, "break outside loop at line %d", g->line);
  compile_error_semantic(c, "no visible label '%s' for <goto> at line %d",
                         string_bytes(g->name), g->line);
}

void block_leave(Function *f) {
  Scope *block = f->block;
  unsigned level = scope_level(f, block->active);
  bool closed = false;
  scope_remove(f, block->active);
  if (block->is_loop) closed = label_create(f, NULL, 0, false);
  if (!closed && block->outer && block->captured)
    emit_abc(f, OP_CLOSE, level, 0, 0);
  f->free_register = (uint8_t)level;
  f->compiler->labels.count = block->first_label;
  f->block = block->outer;
  if (f->block)
    block_move_gotos_out(f, block, level);
  else
    block_check_gotos(f, block);
}
