/* SPDX-License-Identifier: MIT */
/*
** traits_impl.h -- the running instruction does no more than its row says
**
** A check of debug builds, for the column `traits` of opcodes.def.  What hooks
** and budgets do between instructions is not a matter of the instructions.
*/
#ifndef PENUMBRA_VM_TRAITS_IMPL_H
#define PENUMBRA_VM_TRAITS_IMPL_H

#include "base/check.h"
#include "bytecode/bytecode.h"
#include "object/function.h"
#include "object/thread.h"

/* The running frame allocates, raises an error or calls a metamethod. */
static inline void traits_check(const lua_State *L, OpTrait trait) {
  const Frame *f = L->frame;
  if (!PENUMBRA_DEBUG || !frame_is_lua(f)) return;
  if (L->hook_mask || !L->allow_hook || L->global->budget.on ||
      f->u.lua.pc == frame_closure(f)->proto->code)
    return;
  const OpInfo *info = &opcode_info[code_op(f->u.lua.pc[-1])];
  ASSERT((info->traits & trait) == trait, "%s does what its row does not say",
         info->name);
}

#endif
