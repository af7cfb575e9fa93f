/* SPDX-License-Identifier: MIT */
/*
** verify.c -- is it safe to run this code?  Functions, and memory for checks.
**
** The letters in opcodes.def say what each field may hold.
** verify_demands_impl.h has what single instructions demand beyond that, and
** verify_flow.c what must hold on every path through the code.
** docs/verifier.md lists all rules.
*/
#include "bytecode/verify.h"

#include "bytecode/verify_impl.h"
#include "object/thread.h"

/* -- Functions ------------------------------------------------------------- */

/* Checks the places where closures of nested functions find their upvalues. */
static const char *verify_nested(const Proto *p) {
  for (uint32_t n = 0; n < p->proto_count; n++) {
    const Proto *nested = p->protos[n];
    for (uint32_t u = 0; u < nested->upvalue_count; u++) {
      const UpValueInfo *info = &nested->upvalues[u];
      uint32_t limit = info->in_stack ? p->frame_size : p->upvalue_count;
      if (info->index >= limit) return "upvalue from nowhere";
    }
  }
  return NULL;
}

static const char *verify_outline(const Proto *p) {
  if (p->code_size == 0) return "no code";
  if (p->param_count > p->frame_size) return "no room for parameters";
  if (p->is_vararg && code_op(p->code[0]) != OP_VARARGPREP)
    return "no VARARGPREP";
  return verify_nested(p);
}

const char *verify_in(lua_State *L, VerifyScratch *scratch, const Proto *p,
                      size_t *pc) {
  CodeCheck v = {.L = L, .p = p, .scratch = scratch};
  const char *wrong = verify_outline(p);
  if (!wrong) wrong = verify_flow(&v);
  scratch->head_count = 0;
  *pc = v.pc;
  return wrong;
}

static Box *push_box(lua_State *L) {
  Box *box = box_new(L);
  value_set_cell(L->top, box, TAG_BOX);
  L->top++;
  return box;
}

void verify_begin(lua_State *L, VerifyScratch *scratch) {
  stack_ensure(L, 3);
  scratch->words = push_box(L);
  scratch->states = push_box(L);
  scratch->heads = push_box(L);
  scratch->head_count = 0;
  scratch->visits = REVISITS;
}

void verify_add_head(lua_State *L, VerifyScratch *scratch, LoopHead head) {
  Box *heads = scratch->heads;
  size_t capacity = vector_capacity(heads->data);
  if (scratch->head_count == capacity)
    vector_resize(L, &heads->cell, &heads->data, sizeof head,
                  size_max(16, 2 * capacity));
  ((LoopHead *)heads->data)[scratch->head_count++] = head;
}

void verify_end(lua_State *L, VerifyScratch *scratch) {
  vector_resize(L, &scratch->words->cell, &scratch->words->data,
                sizeof(uint32_t), 0);
  vector_resize(L, &scratch->states->cell, &scratch->states->data,
                sizeof(uint64_t), 0);
  vector_resize(L, &scratch->heads->cell, &scratch->heads->data,
                sizeof(LoopHead), 0);
  for (int i = 0; i < 3; i++) value_set_nil(--L->top);
}

typedef struct HeadsOf {
  lua_State *L;
  VerifyScratch *scratch;
} HeadsOf;

static void add_head(void *context, LoopHead head) {
  HeadsOf *to = context;
  verify_add_head(to->L, to->scratch, head);
}

const char *verify_proto(lua_State *L, const Proto *p, size_t *pc) {
  VerifyScratch scratch;
  verify_begin(L, &scratch);
  verify_each_head(p, add_head, &(HeadsOf){L, &scratch});
  const char *wrong = verify_in(L, &scratch, p, pc);
  verify_end(L, &scratch);
  return wrong;
}
