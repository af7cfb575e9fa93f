/* SPDX-License-Identifier: MIT */
/*
** hook.c -- events for the host's hook function
*/
#include "vm/hook.h"

#include "vm/debug.h"
#include "vm/watch.h"
#include "lua.h"

/* What a hook must not change. */
typedef struct HookSaved {
  ptrdiff_t frame;
  ptrdiff_t top;
  ptrdiff_t frame_top;
} HookSaved;

static HookSaved hook_save(const lua_State *L) {
  HookSaved saved = {L->frame - L->frames, stack_save(L, L->top),
                     stack_save(L, L->frame->top)};
  return saved;
}

static void hook_restore(lua_State *L, const HookSaved *saved, unsigned mask) {
  Frame *f = L->frames + saved->frame;
  L->allow_hook = true;
  f->top = stack_restore(L, saved->frame_top);
  L->top = stack_restore(L, saved->top);
  f->status &= (uint16_t)~mask;
}

void hook_run(lua_State *L, int event, int line, int first, int count) {
  HookFunction hook = L->hook;
  if (!hook || !L->allow_hook) return;
  unsigned mask = FRAME_HOOKED;
  HookSaved saved = hook_save(L);
  lua_Debug ar;
  ar.event = event;
  ar.currentline = line;
  debug_set_frame(&ar, saved.frame);
  if (count != 0) {
    mask |= FRAME_TRANSFER;
    L->frame->u2.transfer.first = (uint16_t)first;
    L->frame->u2.transfer.count = (uint16_t)count;
  }
  L->top = stack_live_top(L); /* keep all registers */
  stack_ensure(L, STACK_MIN_FREE);
  if (L->frame->top < L->top + STACK_MIN_FREE)
    L->frame->top = L->top + STACK_MIN_FREE;
  L->allow_hook = false;
  L->frame->status |= (uint16_t)mask;
  hook(L, &ar);
  hook_restore(L, &saved, mask);
}

/* -- Calls and returns ----------------------------------------------------- */

static void hook_call_lua(lua_State *L) {
  const Frame *f = L->frame;
  L->old_pc = 0;
  if (!(L->hook_mask & HOOK_MASK_CALL)) return;
  int event = f->status & FRAME_TAIL ? HOOK_TAIL_CALL : HOOK_CALL;
  hook_run(L, event, -1, 1, frame_closure(f)->proto->param_count);
}

void hook_call(lua_State *L) {
  if (frame_is_lua(L->frame))
    hook_call_lua(L);
  else
    hook_run(L, HOOK_CALL, -1, 1, (int)(L->top - L->frame->func) - 1);
}

void hook_return(lua_State *L, int count) {
  if (L->hook_mask & HOOK_MASK_RETURN) {
    ptrdiff_t first = L->top - count - L->frame->func;
    hook_run(L, HOOK_RETURN, -1, (int)first, count);
  }
  const Frame *below = L->frame - 1;
  if (frame_is_lua(below)) L->old_pc = (uint32_t)debug_current_pc(below);
}

/* -- Instructions ---------------------------------------------------------- */

/* Reports the call at the first instruction of a function.  In a vararg
** function that is the instruction after VARARGPREP.  Returns true for
** VARARGPREP itself, which hooks do not see.  A function that had begun before
** there was a hook counts as reported, even if it jumps back to its first
** instruction. */
static bool hook_entry(lua_State *L) {
  Frame *f = L->frame;
  if (LIKELY(f->status & FRAME_ENTERED)) return false;
  const Proto *p = frame_closure(f)->proto;
  int pc = debug_current_pc(f);
  if (p->is_vararg && pc == 0) return true;
  f->status |= FRAME_ENTERED;
  if (pc != p->is_vararg || f->status & FRAME_HOOK_YIELD) return false;
  hook_call(L);
  L->old_pc = (uint32_t)pc; /* so hook_line reports the line */
  return false;
}

/* True if the program jumps back.  The compiler copies the condition of a while
** loop to the end of the body.  A step to that copy counts as a jump back.  The
** jump from the copy to the body does not. */
static bool hook_is_jump_back(const Proto *p, size_t old_pc, size_t pc) {
  size_t start;
  if (proto_find_copy(p, pc, &start) && pc == start) return true;
  return pc <= old_pc && !proto_find_copy(p, old_pc, &start);
}

static void hook_line(lua_State *L) {
  const Frame *f = L->frame;
  const Proto *p = frame_closure(f)->proto;
  size_t old_pc = L->old_pc < p->code_size ? L->old_pc : 0;
  size_t pc = (size_t)debug_current_pc(f);
  int line = proto_line(p, pc);
  if (proto_line(p, old_pc) != line || hook_is_jump_back(p, old_pc, pc))
    hook_run(L, HOOK_LINE, line, 0, 0);
  L->old_pc = (uint32_t)pc;
}

static bool hook_counts_down(lua_State *L) {
  if (!(L->hook_mask & HOOK_MASK_COUNT) || L->base_hook_count <= 0)
    return false;
  if (--L->hook_count > 0) return false;
  L->hook_count = L->base_hook_count;
  return true;
}

bool hook_is_far(const lua_State *L) {
  enum { OFTEN = 256 };
  return L->hook_mask == HOOK_MASK_COUNT && L->hook_count >= HOOK_NEAR &&
         L->base_hook_count >= OFTEN && !L->global->budget.on;
}

bool hook_op_uses_top(Instruction i) {
  Opcode op = code_op(i);
  if (op == OP_VARARGPREP) return true; /* it counts the arguments */
  return (op == OP_CALLM || op == OP_TAILCALL || op == OP_RETURN ||
          op == OP_SETLIST) &&
         code_b(i) == 0;
}

/* The hook has called lua_yield.  The resume pushes its values above the
** registers; they are ignored. */
static _Noreturn void hook_yield(lua_State *L, bool counted) {
  if (!hook_op_uses_top(watch_instruction(L->frame)))
    L->top = stack_live_top(L);
  if (counted) L->hook_count = 1; /* count again when resumed */
  L->frame->status |= FRAME_HOOK_YIELD;
  raise_throw(L, STATUS_YIELD);
}

void hook_instruction(lua_State *L) {
  Opcode op = code_op(watch_instruction(L->frame));
  if (hook_is_silent(op) || hook_entry(L)) return;
  int mask = L->hook_mask;
  if (hook_is_return(op)) L->frame->status |= FRAME_LEAVING;
  bool counted = hook_counts_down(L);
  if (!counted && !(mask & HOOK_MASK_LINE)) return;
  if (L->frame->status & FRAME_HOOK_YIELD) {
    L->frame->status &= (uint16_t)~FRAME_HOOK_YIELD;
    return;
  }
  if (counted) hook_run(L, HOOK_COUNT, -1, 0, 0);
  if (mask & HOOK_MASK_LINE) hook_line(L);
  if (UNLIKELY(L->status == STATUS_YIELD)) hook_yield(L, counted);
}

void hook_step(lua_State *L) {
  Opcode op = code_op(watch_instruction(L->frame));
  if (!hook_is_silent(op) && op != OP_VARARGPREP) watch_run(L, WATCH_STEP);
}
