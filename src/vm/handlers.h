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
#define HAS_ROOM(size)                               \
  (frame + 1 < L->frame_limit && !PENUMBRA_STRESS && \
   L->limit - L->top >= (ptrdiff_t)(size))

/* Enters the Lua function `callee`, which is in the slot `function`, with the
** `count` arguments up to the top.  Does nothing if there is no room. */
#define ENTER_LUA(function, callee, count, results, how)         \
  do {                                                           \
    const LuaClosure *closure = (callee);                        \
    const Proto *p = closure->proto;                             \
    Instruction *code = closure_code(closure);                   \
    if (UNLIKELY(!HAS_ROOM(p->frame_size))) break;               \
    frame++;                                                     \
    frame->func = (function);                                    \
    base = frame->func + 1;                                      \
    frame->top = base + p->frame_size;                           \
    frame_set_mode(frame, frame_mode_of((int)(results), (how))); \
    k = p->constants;                                            \
    frame->u.lua.constants = k;                                  \
    pc = code;                                                   \
    L->frame = frame;                                            \
    if (UNLIKELY((count) < p->param_count))                      \
      L->top = fill_params(L->top, base + p->param_count);       \
    NEXT_POLLED(COST_SLOW + p->code_size);                       \
  } while (0)

/* Calls the metamethod in that field for the instruction, if it is a Lua
** function.  The two arguments are above all registers already. */
#define ENTER_METHOD(field)                                                \
  do {                                                                     \
    const Node *n = (field);                                               \
    if (UNLIKELY(!n || n->value_tag != TAG_LUA_CLOSURE)) break;            \
    Value *func = frame->top;                                              \
    value_set_cell(func, n->value.cell, TAG_LUA_CLOSURE);                  \
    SAVE_PC();                                                             \
    L->top = func + 3;                                                     \
    ENTER_LUA(func, (const LuaClosure *)(const void *)n->value.cell, 2, 1, \
              FRAME_META);                                                 \
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

/* The second half of a pair that reads `read` and then computes with it in the
** instruction `next`.  `tag` is the tag of `read` and also of the `other`
** operand of `next`.  For numbers, stores `read` and the result into their
** registers.  Does nothing for other values. */
#define PAIR_RESULT(read, words, int_op, float_op)         \
  do {                                                     \
    if (LIKELY(tag == TAG_FLOAT)) {                        \
      lua_Number result = float_op(other->as.n, (read).n); \
      value_set_float(RA, (read).n);                       \
      value_set_float(slot_a(base, next), result);         \
      pc += (words);                                       \
      NEXT;                                                \
    }                                                      \
    if (LIKELY(tag == TAG_INTEGER)) {                      \
      lua_Integer result = int_op(other->as.i, (read).i);  \
      value_set_integer(RA, (read).i);                     \
      value_set_integer(slot_a(base, next), result);       \
      pc += (words);                                       \
      NEXT;                                                \
    }                                                      \
  } while (0)

#define FLOAT_ADD(a, b) ((a) + (b))
#define FLOAT_SUB(a, b) ((a) - (b))
#define FLOAT_MUL(a, b) ((a) * (b))
#define FLOAT_DIV(a, b) ((a) / (b))

#include "vm/handlers_access.h"
#include "vm/handlers_operate.h"
#include "vm/handlers_flow.h"
