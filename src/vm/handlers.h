/* SPDX-License-Identifier: MIT */
/*
** handlers.h -- the code of each instruction
**
** Included by loop.c, which explains the macros and the rules for handlers.
** Macros that several parts use come first.  The handlers are in the order of
** opcodes.def.
*/

/* -- Calls of Lua functions ------------------------------------------------ */

/* True if there is room for a frame and for `size` slots above the top.  Always
** false in stress builds, so that every call goes through call_prepare, which
** moves the stack. */
#define HAS_SLOTS(size)                              \
  (frame + 1 < L->frame_limit && !PENUMBRA_STRESS && \
   L->limit - L->top >= (ptrdiff_t)(size))

/* Enters the Lua function `callee`, which is in the slot `function`, with the
** `count` arguments up to the top.  There must be room. */
#define DO_ENTER(function, callee, count, mode) \
  do {                                          \
    const Proto *p = (callee)->proto;           \
    Instruction *code = closure_code(callee);   \
    FORGET_CODE();                              \
    frame++;                                    \
    frame->func = (function);                   \
    frame_set_mode(frame, (mode));              \
    L->frame = frame;                           \
    call_make_lua_frame(L, frame, p, (count));  \
    base = frame->func + 1;                     \
    k = frame->u.lua.constants;                 \
    pc = code;                                  \
    NEXT_POLLED(COST_SLOW + p->code_size);      \
  } while (0)

/* -- Pairs ----------------------------------------------------------------- */

/* The slow path executes the instructions of a pair separately.  DO_ALONE
** executes the first one as a plain instruction.  DO_NEXT goes on with the next
** one, whose opcode is known. */
#define DO_ALONE(name)         \
  do {                         \
    i = shared_instruction(i); \
    goto do_##name;            \
  } while (0)
#define DO_NEXT(name)              \
  do {                             \
    i = shared_instruction(*pc++); \
    goto do_##name;                \
  } while (0)

#include "vm/handlers_access.h"
#include "vm/handlers_operate.h"
#include "vm/handlers_flow.h"
