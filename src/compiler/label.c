/* SPDX-License-Identifier: MIT */
/*
** label.c -- labels, goto, break
**
** A goto whose label has not been seen yet waits in a list.  When its block
** ends, it moves to the enclosing block.  If it leaves the scope of captured
** variables on the way, a CLOSE is emitted at its label.
*/
#include "compiler/scope_impl.h"

#include "compiler/emit_impl.h"
#include "object/budget.h"

enum { LIMIT_LABELS = INT16_MAX };

Label *label_find(Function *f, const String *name) {
  Compiler *c = f->compiler;
  budget_spend(c->L, c->labels.count - f->first_label);
  for (size_t i = f->first_label; i < c->labels.count; i++) {
    Label *label = compiler_label(c, i);
    if (label->name == name) return label;
  }
  return NULL;
}

static Label *label_add(Function *f, Scratch *list, String *name, int line,
                        int32_t pc) {
  scratch_reserve(f->compiler->L, list, sizeof(Label), 1, LIMIT_LABELS,
                  "labels/gotos");
  Label *label = (Label *)list->box->data + list->count++;
  *label = (Label){
      .name = name,
      .pc = pc,
      .line = line,
      .active = f->active,
      .level = (uint8_t)scope_level(f, f->active),
  };
  return label;
}

void label_goto(Function *f, String *name, int line, int32_t jump) {
  label_add(f, &f->compiler->gotos, name, line, jump);
}

void label_goto_back(Function *f, const Label *label) {
  const Label to = *label; /* the list may move */
  const unsigned level = scope_level(f, to.active);
  const bool leaves_scope = level < register_level(f);
  if (leaves_scope) emit_abc(f, OP_CLOSE, level, 0, 0);
  jump_emit_to(f, to.pc);
}

static _Noreturn void label_error_scope(Function *f, const Label *g) {
  const Variable *v = function_variable(f, g->active);
  compile_error_semantic(
      f->compiler, "<goto %s> at line %d jumps into the scope of local '%s'",
      g->name ? string_bytes(g->name) : "break", g->line,
      string_bytes(v->name));
}

/* Sends the waiting gotos of the current block to the label.  True if some of
** them left the scope of captured variables. */
static bool label_resolve(Function *f, Label label) {
  Compiler *c = f->compiler;
  bool close = false;
  size_t kept = f->block->first_goto;
  budget_spend(c->L, 2 * (c->gotos.count - kept));
  for (size_t i = kept; i < c->gotos.count; i++) {
    Label *g = compiler_goto(c, i);
    if (g->name != label.name) {
      *compiler_goto(c, kept++) = *g;
      continue;
    }
    if (g->active < label.active) label_error_scope(f, g);
    close |= g->close;
    jump_patch(f, g->pc, label.pc);
  }
  c->gotos.count = kept;
  return close;
}

bool label_create(Function *f, String *name, int line, bool last) {
  Compiler *c = f->compiler;
  Label *label = label_add(f, &c->labels, name, line, jump_label(f));
  if (last) label->active = f->block->active;
  if (!label_resolve(f, *label)) return false;
  emit_abc(f, OP_CLOSE, register_level(f), 0, 0);
  return true;
}
