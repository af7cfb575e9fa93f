/* SPDX-License-Identifier: MIT */
/*
** loop.c -- the interpreter
**
** One function that runs Lua frames.  The values that every instruction needs
** are in local variables, and so in machine registers:
**
**     L         the thread           base   the first register of the frame
**     frame     L->frame             k      its constants
**     pc        the next word        jump   addresses of handlers, by opcode
**     i         the instruction      back   where the last jump back went
**
** A resume or a yield switches to another thread, and changes L (switch.h).
**
** handlers.h has the code of each instruction, in terms of the macros below.
** A handler executes the common case itself, mostly by functions of
** fast_operate_impl.h and fast_access_impl.h.  Otherwise it saves pc and calls a
** function of slow_impl.h, which executes the whole instruction.  Then it
** continues with the running frame, which may be another one (RELOAD).
**
** Rules for handlers
**
**  1. A handler uses only the variables of the loop that are listed above.  So
**     handlers can be turned into functions that tail call each other.
**  2. Every path through a handler ends with a jump to the next instruction.
**     These macros are such jumps, on all their paths: NEXT, NEXT_POLLED, RELOAD,
**     RELOADED, SLOW, and those whose names begin with JUMP or DO_.  SEEK_CODE
**     and COUNT_JUMP may leave for machine code, with pc at an instruction; no
**     other macro jumps, except those that make whole handlers.  A macro uses its
**     parameters and the variables of the loop, and no others.  A common case
**     is an inline function (fast_*_impl.h), which returns whether it has done
**     it.
**  3. pc is behind the instruction's first word.  Save it (SAVE_PC) before
**     anything that may raise an error, run other code or call the collector,
**     because messages, hooks and tracebacks find the line by it.  A handler
**     that only reads, or stores into an existing slot, need not save pc.
**  4. Stack and frames may move whenever other code runs (a call, a metamethod,
**     a finalizer in a step of the collector, the host when it is asked for
**     more budget) and whenever the stack grows.  After that `base`, `frame`
**     and all addresses of registers are invalid.  LOAD_BASE is enough if the
**     same frame runs; RELOAD loads any frame.  Register numbers stay valid, so
**     use RA again.
**  5. The top of the stack is meaningful only where a list of values ends
**     there: in a call, and after an instruction with any number of results.
**     Elsewhere the registers up to frame->top are live.
**  6. A store into a register needs no barrier.  A store of an object into a
**     table, an upvalue or any other object needs one, just after the store
**     (docs/gc/barriers.md).  So does a store into another thread's stack.
**  7. Store a new object into a register before the next allocation.  Then poll
**     the collector (gc_step_due), with a saved pc, following rules 3 and 4.
**  8. Read the operands before writing the result: they may be the same
**     register.
**  9. Backward jumps and calls poll for hooks and budgets (NEXT_POLLED).  So a
**     program that does not end cannot avoid the poll.
**
** Hooks cost nothing while there are none.  When there is one, `jump` is a
** table in which every opcode leads to the same handler.  That handler calls
** the hook, and goes on through the other table.
**
** Budgets cost nothing while there are none, because the loop is compiled
** twice.  Only the second loop counts.  It counts at backward jumps and at
** calls, for all words of code that may have been executed since the last one.
** It also executes programs with a count hook, as long as the next event is far
** away.  Then it counts the words that have been executed.
*/
#include "vm/loop.h"

#include "bytecode/bytecode.h"
#include "object/budget.h"
#include "object/meta.h"
#include "object/number.h"
#include "vm/native.h"
#include "vm/call.h"
#include "vm/collect.h"
#include "vm/coroutine.h"
#include "vm/fast_access_impl.h"
#include "vm/fast_operate_impl.h"
#include "vm/hook.h"
#include "vm/machine_impl.h"
#include "vm/operate_impl.h"
#include "vm/slow_impl.h"
#include "vm/switch.h"
#include "vm/watch.h"

/* -- Pieces of handlers ---------------------------------------------------- */

/* The instruction, for code that many handlers share.  Without the asm,
** compilers decode its operands in each of these handlers, before it is known
** whether they are needed. */
static ALWAYS_INLINE Instruction shared_instruction(Instruction i) {
#if defined(__GNUC__)
  __asm__("" : "+r"(i));
#endif
  return i;
}

/* Without the asm, gcc keeps the address of the instruction as well.  Clang
** does not need the asm, and clang 14 loses the result where such code is
** shared. */
static ALWAYS_INLINE Instruction *next_word(Instruction *pc) {
  pc++;
#if defined(__GNUC__) && !defined(__clang__)
  __asm__("" : "+r"(pc));
#endif
  return pc;
}

/* True if the two are the same.  The asm keeps compilers from using one in
** place of the other after the comparison. */
static ALWAYS_INLINE bool is_same_word(const Instruction *a,
                                       const Instruction *b) {
  uintptr_t apart = (uintptr_t)a - (uintptr_t)b;
#if defined(__GNUC__)
  __asm__("" : "+r"(apart));
#endif
  return apart == 0;
}

#define RA        slot_a(base, i)
#define RB        slot_of(base, code_b(i))
#define RC        slot_of(base, code_c(i))
#define KB        (&k[code_b(i)])
#define KC        (&k[code_c(i)])
#define CLOSURE() value_lua_closure(base - 1)
#define GC()      (&L->global->gc)

#define SAVE_PC() ((void)(frame->u.lua.pc = pc))

/* Loads the variables of the running frame, which may be another one. */
#define LOAD_FRAME()            \
  do {                          \
    frame = L->frame;           \
    base = frame->func + 1;     \
    pc = frame->u.lua.pc;       \
    k = frame->u.lua.constants; \
  } while (0)

/* Loads only the variables that change when stacks and frames move. */
#define LOAD_BASE()         \
  do {                      \
    frame = L->frame;       \
    base = frame->func + 1; \
  } while (0)

/* The index is code_op(i), in the width of i. */
#define NEXT                   \
  do {                         \
    i = *pc;                   \
    pc = next_word(pc);        \
    goto *jump[i >> 8 & 0xff]; \
  } while (0)

#define RELOAD              \
  do {                      \
    LOAD_FRAME();           \
    SEEK_CODE();            \
    NEXT_POLLED(COST_SLOW); \
  } while (0)

/* After a function that executed the instruction, or began a call for it. */
#define RELOADED goto shared_reload

/* Executes the instruction by a function. */
#define SLOW(function) \
  do {                 \
    SAVE_PC();         \
    function(L);       \
    RELOAD;            \
  } while (0)

/* Costs in units of a budget, for the loop that counts.  A word of code is one
** unit.  These operations cost more. */
enum { COST_SLOW = 8, COST_C_CALL = 64, COST_MOD = 32 };
#define FUEL() (L->global->budget.fuel)
#define SPEND(units) \
  ((void)(LOOP_COUNTS && !for_hook && (FUEL() -= (int64_t)(units))))

/* A budget is spent for all words of a loop or a function, because all of them
** may have been executed.  A count hook gets those back that were skipped, and
** counts those of a function when it ends. */
#define SPEND_LOOP(words)                \
  do {                                   \
    if (for_hook)                        \
      L->hook_count -= (int32_t)(words); \
    else if (LOOP_COUNTS)                \
      FUEL() -= (int64_t)(words);        \
  } while (0)
#define SPEND_SKIPPED(words) \
  ((void)(for_hook && (L->hook_count += (int32_t)(words))))
/* Skips a word that is not executed, such as the second one of an
** instruction. */
#define PASS_WORD() (pc++, SPEND_SKIPPED(1))
#define SPEND_CODE()  \
  ((void)(for_hook && \
          (L->hook_count -= (int32_t)(pc - closure_code(CLOSURE())))))

/* Spends for a value that is compared or looked up.  Only a long string costs
** anything. */
#define SPEND_KEY(key)                                            \
  do {                                                            \
    if (LOOP_COUNTS && UNLIKELY((key)->tag == TAG_LONG_STRING)) { \
      SAVE_PC();                                                  \
      budget_spend_key(L, (key));                                 \
    }                                                             \
  } while (0)

/* Spends for open values, which end at the top.  pc must be saved. */
#define SPEND_VALUES(count)                                                \
  do {                                                                     \
    if (LOOP_COUNTS && !for_hook) budget_spend_values(L, (size_t)(count)); \
  } while (0)

/* True if the instructions have to be looked at one by one. */
#define HOOK_DUE() (for_hook ? hook_is_near(L) : L->hook_mask != 0)

/* NEXT with a poll, at backward jumps and calls.  A hook may have been set,
** perhaps by a signal handler, or the budget may be used up. */
#define NEXT_POLLED(units)                          \
  do {                                              \
    if (UNLIKELY(HOOK_DUE())) goto polled;          \
    if (LOOP_COUNTS && !for_hook &&                 \
        UNLIKELY((FUEL() -= (int64_t)(units)) < 0)) \
      goto spent;                                   \
    NEXT;                                           \
  } while (0)

/* Polls the collector after a store that may have allocated, because tables
** also grow in programs that make no objects.  pc must be saved. */
#define POLL_COLLECTOR()                   \
  do {                                     \
    if (UNLIKELY(gc_step_due(GC()))) {     \
      collect_after_growth(L, frame->top); \
      LOAD_BASE();                         \
    }                                      \
  } while (0)

/* Jumps back to the start of a loop.  All that the loop executes depends on pc.
** Computing pc from the offset would put the load of the offset on the critical
** path from one iteration to the next.  `back` is where the last such jump
** went, most often the same place.  The processor predicts that they are equal,
** and goes on from `back` at once. */
#define JUMP_BACK(offset)                        \
  do {                                           \
    Instruction *target = pc + (offset);         \
    SPEND_LOOP(-(offset));                       \
    if (UNLIKELY(!is_same_word(target, back))) { \
      back = target;                             \
      goto another_loop;                         \
    }                                            \
    pc = back;                                   \
    COUNT_JUMP();                                \
    NEXT_POLLED(0);                              \
  } while (0)

/* Jumps by the offset in AUX, where pc is.  A backward jump polls. */
#define JUMP()                         \
  do {                                 \
    int32_t offset = (int32_t)*pc;     \
    if (offset < 0) JUMP_BACK(offset); \
    SPEND_SKIPPED(offset);             \
    pc += offset;                      \
    NEXT;                              \
  } while (0)

#define JUMP_IF(condition) \
  do {                     \
    if (condition) JUMP(); \
    PASS_WORD();           \
    NEXT;                  \
  } while (0)

/* Jumps back to the start of a loop. */
#define JUMP_LOOP()                \
  do {                             \
    int32_t offset = (int32_t)*pc; \
    JUMP_BACK(offset);             \
  } while (0)

/* The field with a metamethod of a table, or NULL.  Most often the hint is
** correct. */
static ALWAYS_INLINE const Node *method_find(lua_State *L, const Table *t,
                                             MetaEvent event) {
  const Global *g = L->global;
  const Table *metatable = t->metatable;
  if (UNLIKELY(!metatable)) return NULL;
  const Node *n =
      table_hinted_key(metatable, g->meta_name[event], g->meta_hint[event]);
  return LIKELY(n != NULL) ? n : slow_find_method(L, metatable, event);
}

/* Puts the metamethod of that field and its arguments above all registers, if
** it is a Lua function. */
static ALWAYS_INLINE bool puts_method(lua_State *L, const Frame *f,
                                      const Node *field, const Value *a,
                                      const Value *b) {
  if (UNLIKELY(!field || field->value_tag != TAG_LUA_CLOSURE)) return false;
  Value *func = f->top;
  value_set_cell(func, field->value.cell, TAG_LUA_CLOSURE);
  value_copy(func + 1, a);
  value_copy(func + 2, b);
  L->top = func + 3;
  return true;
}

/* Copies the right operand of arithmetic to an argument of a metamethod. */
static ALWAYS_INLINE void arith_put_right(char letter, Value *to,
                                          const Value *left, Instruction i,
                                          const Value *base, const Value *k) {
  if (letter == 'r')
    value_copy(to, &base[code_c(i)]);
  else if (operand_is_number(letter))
    value_copy(to, &k[code_c(i)]);
  else if (letter == '_')
    value_copy(to, left);
  else
    value_set_integer(to, code_sc(i));
}

/* The raw equality of values whose tags are equal; -1 if there may be a
** metamethod. */
static int equal_same_tag(const Value *a, const Value *b) {
  switch (a->tag) {
    case TAG_NIL:
    case TAG_FALSE:
    case TAG_TRUE: return 1;
    case TAG_FLOAT: return a->as.n == b->as.n;
    case TAG_LONG_STRING:
      return string_equal_long(value_string(a), value_string(b));
    case TAG_TABLE:
      if (a->as.bits == b->as.bits) return 1;
      return -(may_have(value_table(a), META_EQ) ||
               may_have(value_table(b), META_EQ));
    case TAG_USERDATA: return a->as.bits == b->as.bits ? 1 : -1;
    default: return a->as.bits == b->as.bits;
  }
}

/* -- The loops ------------------------------------------------------------- */

/* Why a loop returns: its first frame has returned, or a hook is near or far
** now, so that the other loop has to go on. */
typedef enum LoopEnd { LOOP_ENDS, LOOP_CHANGES } LoopEnd;

#define HANDLER(name) do_##name:
#define SHARED(name)  shared_##name: /* code that handlers share */

#define LOOP_NAME   loop_plain
#define LOOP_COUNTS 0
#include "vm/loop_function.h"
#undef LOOP_NAME
#undef LOOP_COUNTS

#define LOOP_NAME   loop_counting
#define LOOP_COUNTS 1
#include "vm/loop_function.h"

void loop_run(lua_State *L) {
  for (;;) {
    bool counts = L->global->budget.on || (L->hook_mask && hook_is_far(L));
    LoopEnd end = UNLIKELY(counts) ? loop_counting(L) : loop_plain(L);
    if (LIKELY(end == LOOP_ENDS)) return;
    L = thread_running(L); /* it may have switched */
  }
}
