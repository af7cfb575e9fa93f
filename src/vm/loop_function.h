/* SPDX-License-Identifier: MIT */
/*
** loop_function.h -- the loop itself
**
** Included by loop.c, once for each of the two loops.  LOOP_NAME is the name of
** the function.  LOOP_COUNTS is 1 if it counts for a budget.
*/
static NO_INLINE void LOOP_NAME(lua_State *L) {
  static const void *const plain[OPCODE_COUNT] = {
#define OP(name, ...)   &&do_##name,
#define PAIR(name, ...) &&do_##name,
#include "bytecode/opcodes.def"
  };
  static const void *const with_hooks[OPCODE_COUNT] = {
#define OP(name, ...)   &&hooked,
#define PAIR(name, ...) &&hooked,
#include "bytecode/opcodes.def"
  };
#if PENUMBRA_MACHINE && !LOOP_COUNTS
#include "vm/tables_machine.h"
#endif
  const void *const *jump = plain;
  Frame *frame;
  Value *base;
  const Value *k;
  Instruction *pc, *back = NULL;
  LoopWord i;

  RELOAD;

#include "vm/handlers.h"

  /* The slice of the budget is used up.  There may be another one, or the host
  ** wants to suspend all coroutines. */
spent:
  SAVE_PC();
  if (budget_next_in_loop(L)) {
    if (!hook_op_uses_top(pc[0])) L->top = stack_live_top(L);
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
    hook_instruction(L);
    LOAD_BASE();
  }
  i = pc[-1]; /* hooks see single instructions, no pairs */
  if (code_op(i) == OP_TFORCALL) goto shared_for_call;
  goto *plain[opcode_alone(code_op(i))];
}
