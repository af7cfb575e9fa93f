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
** A handler executes the common case itself.  Otherwise it saves pc and calls a
** function of slow_impl.h, which executes the whole instruction.  Then it
** continues with the running frame, which may be another one (RELOAD).
**
** Rules for handlers
**
**  1. A handler uses only the variables of the loop that are listed above.  So
**     handlers can be turned into functions that tail call each other.
**  2. Every path through a handler ends with a jump to the next instruction.
**     These macros are such jumps: NEXT, RELOAD, RELOADED, SLOW, and all macros
**     whose names begin with JUMP, DO_ or RETURN_ or end with _NEXT or _RELOAD.
**     ENTER_LUA, ENTER_METHOD, BECOME_LUA, RETURN_TAIL, SET_INT, PAIR_RESULT
**     and READ_FOUND jump only on their fast path, and CHECK_FOUND only on its
**     slow path.  Otherwise they do nothing.
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
#include "vm/hook.h"
#include "vm/operate_impl.h"
#include "vm/slow_impl.h"
#include "vm/switch.h"

/* -- Pieces of handlers ---------------------------------------------------- */

/* The type of `i`.  From a word of 32 bits, gcc takes two machine instructions
** on x86-64 to make an index of the opcode, at the end of every handler. */
#if defined(__x86_64__)
typedef uint64_t LoopWord;
#else
typedef Instruction LoopWord;
#endif

/* Computes the address of a register once for both its fields.  Without the
** asm, compilers compute it again for each field. */
static ALWAYS_INLINE Value *slot_of(Value *base, unsigned index) {
  Value *slot = base + index;
#if defined(__GNUC__)
  __asm__("" : "+r"(slot));
#endif
  return slot;
}

/* The register A of an instruction.  On ARM64 this takes one machine
** instruction, which gcc does not find by itself. */
static ALWAYS_INLINE Value *slot_a(Value *base, Instruction i) {
#if defined(__GNUC__) && defined(__aarch64__)
  static_assert(sizeof(Value) == 16, "registers are so far apart");
  Value *slot;
  __asm__("add %0, %1, %w2, uxtb #4" : "=r"(slot) : "r"(base), "r"(i));
  return slot;
#else
  return slot_of(base, code_a(i));
#endif
}

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

/* True if the two are the same.  The asm hides from compilers that one may then
** stand for the other. */
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
enum { COST_SLOW = 8, COST_C_CALL = 64 };
#define FUEL()       (L->global->budget.fuel)
#define SPEND(units) ((void)(LOOP_COUNTS && (FUEL() -= (int64_t)(units))))

/* Spends for a value that is compared or looked up.  Only a long string costs
** anything. */
#define SPEND_KEY(key)                                                 \
  do {                                                                 \
    if (LOOP_COUNTS && UNLIKELY((key)->tag == TAG_LONG_STRING))        \
      SPEND(string_length(value_string(key)) / BUDGET_BYTES_PER_UNIT); \
  } while (0)

/* NEXT with a poll, at backward jumps and calls.  A hook may have been set,
** perhaps by a signal handler, or the budget may be used up. */
#define NEXT_POLLED(units)                                                     \
  do {                                                                         \
    if (UNLIKELY(L->hook_mask)) goto polled;                                   \
    if (LOOP_COUNTS && UNLIKELY((FUEL() -= (int64_t)(units)) < 0)) goto spent; \
    NEXT;                                                                      \
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
** If pc were the sum here, it would depend on a load of the offset, so that one
** iteration could not begin before the load for the last one had ended.  `back`
** is where the last such jump went, most often the same place.  The processor
** predicts that they are equal, and goes on from `back` at once. */
#define JUMP_BACK(offset)                        \
  do {                                           \
    Instruction *target = pc + (offset);         \
    SPEND(-(offset));                            \
    if (UNLIKELY(!is_same_word(target, back))) { \
      back = target;                             \
      goto another_loop;                         \
    }                                            \
    pc = back;                                   \
    NEXT_POLLED(0);                              \
  } while (0)

/* Jumps by the offset in AUX, where pc is.  A backward jump polls. */
#define JUMP()                         \
  do {                                 \
    int32_t offset = (int32_t)*pc;     \
    if (offset < 0) JUMP_BACK(offset); \
    pc += offset;                      \
    NEXT;                              \
  } while (0)

#define JUMP_IF(condition) \
  do {                     \
    if (condition) JUMP(); \
    pc++;                  \
    NEXT;                  \
  } while (0)

/* Jumps back to the start of a loop. */
#define JUMP_LOOP()                \
  do {                             \
    int32_t offset = (int32_t)*pc; \
    JUMP_BACK(offset);             \
  } while (0)

/* `&` makes this one condition; with `&&` compilers make two branches. */
static ALWAYS_INLINE bool both_integers(const Value *a, const Value *b) {
  return (a->tag == TAG_INTEGER) & (b->tag == TAG_INTEGER);
}

static ALWAYS_INLINE bool both_floats(const Value *a, const Value *b) {
  return (a->tag == TAG_FLOAT) & (b->tag == TAG_FLOAT);
}

/* The number as a float.  False if it is not exactly representable, or the
** value is not a number. */
static ALWAYS_INLINE bool exact_float(const Value *v, lua_Number *out) {
  const lua_Unsigned most = (lua_Unsigned)1 << 53;
  if (v->tag == TAG_FLOAT) {
    *out = v->as.n;
    return true;
  }
  *out = (lua_Number)v->as.i;
  return v->tag == TAG_INTEGER && (lua_Unsigned)v->as.i + most <= 2 * most;
}

/* The number as an integer.  False if its value is not an integer, or not a
** number. */
static ALWAYS_INLINE bool exact_integer(const Value *v, lua_Integer *out) {
  if (v->tag == TAG_INTEGER) {
    *out = v->as.i;
    return true;
  }
  return v->tag == TAG_FLOAT && float_to_integer(v->as.n, out);
}

/* The barrier after a store of `v` into a table.  `tag` is v->tag, read before
** the store: compilers would load it again, because the store might change
** it. */
static ALWAYS_INLINE void table_barrier(lua_State *L, Table *t, const Value *v,
                                        unsigned tag) {
  if (tag_is_collectable(tag))
    gc_barrier_back(&L->global->gc, &t->cell, v->as.cell);
}

/* The __index table of strings.  NULL if the hint does not find it, or if it
** depends on the function. */
static ALWAYS_INLINE const Table *string_methods(const lua_State *L) {
  const Global *g = L->global;
  const Table *metatable = g->type_metatable[LUA_TSTRING];
  if (UNLIKELY(!metatable || g->sandbox_strings)) return NULL;
  const Node *n = table_hinted_key(metatable, g->meta_name[META_INDEX],
                                   g->string_index_hint);
  if (UNLIKELY(!n || n->value_tag != TAG_TABLE)) return NULL;
  return (const Table *)(const void *)n->value.cell;
}

/* False if the table is known to have no such metamethod: one of those with a
** bit (meta.h). */
static ALWAYS_INLINE bool may_have(const Table *t, MetaEvent event) {
  const Table *metatable = t->metatable;
  return metatable && !(metatable->cell.user & 1u << event);
}

/* True if a field with a node and no value may get a value directly.  The
** caller must then store it. */
static ALWAYS_INLINE bool may_add_field(Table *t) {
  if (UNLIKELY(may_have(t, META_NEWINDEX))) return false;
  table_forget_absent(t);
  return true;
}

/* Reads an element that the fast path has not found. */
static ALWAYS_INLINE bool get_element(lua_State *L, Table *t, const Value *key,
                                      Value *out) {
  if (key->tag == TAG_INTEGER) return table_get_int_slow(L, t, key->as.i, out);
  if (key->tag == TAG_FLOAT) return table_get_float(L, t, key->as.n, out);
  return table_get(L, t, key, out);
}

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

/* Puts the arguments of a metamethod above all registers. */
static ALWAYS_INLINE void method_put(const Frame *f, const Value *a,
                                     const Value *b) {
  Value *func = f->top;
  value_copy(func + 1, a);
  value_copy(func + 2, b);
}

/* Copies the right operand of arithmetic to an argument of a metamethod. */
static ALWAYS_INLINE void arith_put_right(char kind, Value *to,
                                          const Value *left, Instruction i,
                                          const Value *base, const Value *k) {
  if (kind == 'r')
    value_copy(to, &base[code_c(i)]);
  else if (kind == 'k')
    value_copy(to, &k[code_c(i)]);
  else if (kind == '=')
    value_copy(to, left);
  else
    value_set_integer(to, code_sc(i));
}

/* Sets parameters without an argument to nil; returns their end. */
static ALWAYS_INLINE Value *fill_params(Value *v, Value *end) {
  do value_set_nil(v++);
  while (v < end);
  return v;
}

/* Flags of one call, which a tail call clears. */
enum { FRAME_OF_CALL = FRAME_ENTERED | FRAME_LEAVING | FRAME_TRANSFER };

/* A return with any of these flags is not the simplest one; most of them use
** slow_return. */
enum {
  FRAME_RETURN_SLOW =
      FRAME_FRESH | FRAME_WATCH | FRAME_META | FRAME_LEAVING | FRAME_SWITCH
};

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

/* Floor division by a positive number cannot overflow. */
static ALWAYS_INLINE lua_Integer int_mod_positive(lua_Integer a,
                                                  lua_Integer b) {
  lua_Integer r = a % b;
  return r < 0 ? r + b : r;
}

static ALWAYS_INLINE lua_Integer int_idiv_positive(lua_Integer a,
                                                   lua_Integer b) {
  lua_Integer q = a / b;
  return q * b > a ? q - 1 : q;
}

/* -- The loops ------------------------------------------------------------- */

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
  if (UNLIKELY(L->global->budget.on))
    loop_counting(L);
  else
    loop_plain(L);
}
