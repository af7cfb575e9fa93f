/* SPDX-License-Identifier: MIT */
/*
** builtin.h -- functions of the standard libraries that the loop does itself
**
** A library says which of its C functions is, for example, string.byte
** (penumbra.h).  A call of that function then does its common case here,
** without a frame and without the API.  Whatever is out of the ordinary, wrong
** arguments above all, is left to the C function, so that a program cannot
** tell the difference.
**
** The function of a call is found by its address, in a hash without
** collisions.
*/
#ifndef PENUMBRA_VM_BUILTIN_H
#define PENUMBRA_VM_BUILTIN_H

#include "object/thread.h"

/* A BuiltinFn finds its arguments in func[1] ... func[argc].  It stores results
** from func[0] on, argc + 1 at most, and returns how many; -1 if the C function
** must be called, and then nothing has happened.  The running frame is that of
** the caller, its pc saved; the stack may move.  Those of coroutines may return
** something else, see switch.h. */

/* `which` is one of penumbra_Builtin. */
void builtin_set(Global *g, unsigned which, lua_CFunction function);

static ALWAYS_INLINE unsigned builtin_slot(const Global *g, uint64_t address) {
  return (unsigned)(address * g->builtin_multiplier >>
                    (64 - BUILTIN_SLOT_BITS));
}

/* Does the call of the C function in `func` if it can. */
static ALWAYS_INLINE int builtin_call(lua_State *L, Value *func,
                                      unsigned argc) {
  const Global *g = L->global;
  const Builtin *b = &g->builtins[builtin_slot(g, func->as.bits)];
  if (b->function != func->as.f) return -1;
  return b->run(L, func, argc);
}

#endif
