/* SPDX-License-Identifier: MIT */
/*
** loop_function.h -- the loop itself
**
** Included by loop.c, once for each of the two loops.  LOOP_NAME is the name of
** the function.  LOOP_COUNTS is 1 if it counts, for a budget or for a hook.
*/
static NO_INLINE LoopEnd LOOP_NAME(lua_State *L) {
  static const void *const plain[OPCODE_ALL] = {
#define OP(name, ...)   &&do_##name,
#define PAIR(name, ...) &&do_##name,
#include "bytecode/opcodes.def"
      [OP_BREAK] = &&breakpoint, [OP_BREAKX] = &&breakpoint};
  static const void *const with_hooks[OPCODE_ALL] = {
#define OP(name, ...)   &&hooked,
#define PAIR(name, ...) &&hooked,
#include "bytecode/opcodes.def"
      [OP_BREAK] = &&hooked, [OP_BREAKX] = &&hooked};
#if PENUMBRA_MACHINE && !LOOP_COUNTS
#include "vm/tables_machine.h"
#endif
  const void *const *jump = plain;
  Frame *frame;
  Value *base;
  const Value *k;
  Instruction *pc, *back = NULL;
  LoopWord i = 0; /* none yet */
  const bool for_hook = LOOP_COUNTS && !L->global->budget.on;

  RELOAD;

#include "vm/handlers.h"

  /* The other loop goes on. */
change:
  SAVE_PC();
  return LOOP_CHANGES;

  /* The slice of the budget is used up.  There may be another one, or the host
  ** wants to suspend all coroutines.  Behind a jump back, the line of the error
  ** is that of the instruction to come, not of the one before it. */
spent:
  SAVE_PC();
  if (code_op(i) == OP_JMP || is_same_word(pc, back)) frame->u.lua.pc++;
  if (budget_next_in_loop(L)) {
    SAVE_PC();
    if (!hook_op_uses_top(watch_next(frame))) L->top = stack_live_top(L);
    coroutine_pause(L);
  }
  LOAD_BASE();
  NEXT;

  /* A jump back to another place than the last one. */
another_loop:
  pc = back;
  COUNT_JUMP();
  NEXT_POLLED(0);

#if PENUMBRA_MACHINE && LOOP_COUNTS
  /* never reached: see SEEK_CODE and COUNT_JUMP */
count_jump:
enter_code:
  NEXT;
#elif PENUMBRA_MACHINE
#include "vm/handlers_machine.h"
#endif

polled:
  if (for_hook || hook_is_far(L)) goto change;
  jump = with_hooks;
  NEXT;

  /* While there is a hook, every instruction comes here first. */
hooked:
  if (UNLIKELY(!L->hook_mask)) {
    jump = plain;
  } else if (LOOP_COUNTS || !hook_passes(L, frame, code_op(pc[-1]))) {
    if (LOOP_COUNTS && UNLIKELY((FUEL() -= COST_SLOW) < 0)) {
      pc--;
      goto spent;
    }
    SAVE_PC();
    if (UNLIKELY(L->hook_mask & HOOK_STEP)) hook_step(L);
    hook_instruction(L);
    LOAD_BASE();
  }
  i = pc[-1]; /* hooks see single instructions, no pairs */
  if (code_op(i) == OP_TFORCALL) goto shared_for_call;
  goto *plain[opcode_alone(code_op(i))];

  /* The debugger is called, and then the instruction under the breakpoint is
  ** executed. */
breakpoint:
  SAVE_PC();
  watch_run(L, WATCH_BREAK);
  LOAD_BASE();
  if (L->hook_mask) jump = with_hooks; /* a step begins here */
  i = watch_instruction(frame);
  if (code_op(i) == OP_TFORCALL && L->hook_mask) goto shared_for_call;
  goto *plain[opcode_alone(code_op(i))];
}
