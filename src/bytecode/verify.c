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

void verify_begin(lua_State *L, VerifyScratch *scratch) {
  stack_ensure(L, 3);
  scratch->words = box_new_anchored(L);
  scratch->states = box_new_anchored(L);
  scratch->heads = box_new_anchored(L);
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

void verify_end(lua_State *L) {
  box_drop(L, sizeof(LoopHead));
  box_drop(L, sizeof(uint64_t));
  box_drop(L, sizeof(uint32_t));
}

typedef struct HeadsOf {
  lua_State *L;
  VerifyScratch *scratch;
} HeadsOf;

static void add_head(void *context, LoopHead head) {
  HeadsOf *to = context;
  verify_add_head(to->L, to->scratch, head);
}

void verify_add_heads(lua_State *L, VerifyScratch *scratch, const Proto *p) {
  verify_each_head(p, add_head, &(HeadsOf){L, scratch});
}

const char *verify_proto(lua_State *L, const Proto *p, size_t *pc) {
  VerifyScratch scratch;
  verify_begin(L, &scratch);
  verify_add_heads(L, &scratch, p);
  const char *wrong = verify_in(L, &scratch, p, pc);
  verify_end(L);
  return wrong;
}
