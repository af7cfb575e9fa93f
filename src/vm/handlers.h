/* SPDX-License-Identifier: MIT */
/*
** handlers.h -- what each instruction does
**
** Included by loop.c, which explains the macros and has the rules for what is
** here.  In the order of opcodes.def.  What several parts use comes first.
*/

/* -- Calls of Lua functions ------------------------------------------------ */

/* Room for a frame, and for `size` slots above the top.  In stress builds every
** call goes through call_prepare, which moves the stack. */
#define HAS_ROOM(size)                                                      \
  (frame + 1 < L->frame_limit && !PENUMBRA_STRESS &&                        \
   L->limit - L->top >= (ptrdiff_t)(size))

/* Goes on in the Lua function `callee`, which is in `function`, with `count`
** arguments, up to the top; if there is no room, nothing has happened. */
#define ENTER_LUA(function, callee, count, results, how)                    \
  do {                                                                      \
    const LuaClosure *closure = (callee);                                   \
    const Proto *p = closure->proto;                                        \
    Instruction *code = closure_code(closure);                              \
    if (UNLIKELY(!HAS_ROOM(p->frame_size))) break;                          \
    frame++;                                                                \
    frame->func = (function);                                               \
    base = frame->func + 1;                                                 \
    frame->top = base + p->frame_size;                                      \
    frame_set_mode(frame, frame_mode_of((int)(results), (how)));            \
    k = p->constants;                                                       \
    frame->u.lua.constants = k;                                             \
    pc = code;                                                              \
    L->frame = frame;                                                       \
    if (UNLIKELY((count) < p->param_count))                                 \
      L->top = fill_params(L->top, base + p->param_count);                  \
    NEXT_POLLED(COST_SLOW + p->code_size);                                  \
  } while (0)

/* -- Pairs ----------------------------------------------------------------- */

/* Whatever is not as it mostly is gets done one by one. */
#define DO_ALONE(name)                                                      \
  do {                                                                      \
    i = shared_instruction(i);                                              \
    goto do_##name;                                                         \
  } while (0)
#define DO_NEXT(name)                                                       \
  do {                                                                      \
    i = shared_instruction(*pc++);                                          \
    goto do_##name;                                                         \
  } while (0)

/* What was read, which has the tag of the `other` operand of `next`, goes to
** its register, and the result of `next` to its own, if these are numbers. */
#define PAIR_RESULT(read, words, int_op, float_op)                          \
  do {                                                                      \
    if (LIKELY(tag == TAG_FLOAT)) {                                         \
      lua_Number result = float_op(other->as.n, (read).n);                  \
      value_set_float(RA, (read).n);                                        \
      value_set_float(slot_a(base, next), result);                          \
      pc += (words);                                                        \
      NEXT;                                                                 \
    }                                                                       \
    if (LIKELY(tag == TAG_INTEGER)) {                                       \
      lua_Integer result = int_op(other->as.i, (read).i);                   \
      value_set_integer(RA, (read).i);                                      \
      value_set_integer(slot_a(base, next), result);                        \
      pc += (words);                                                        \
      NEXT;                                                                 \
    }                                                                       \
  } while (0)

#define FLOAT_ADD(a, b) ((a) + (b))
#define FLOAT_SUB(a, b) ((a) - (b))
#define FLOAT_MUL(a, b) ((a) * (b))
#define FLOAT_DIV(a, b) ((a) / (b))

#include "vm/handlers_access.h"
#include "vm/handlers_operate.h"
#include "vm/handlers_flow.h"
