/* SPDX-License-Identifier: MIT */
/*
** loop.c -- the interpreter
**
** One function that runs Lua frames.  What every instruction needs is in local
** variables, and so in machine registers:
**
**     L         the thread           base   the first register of the frame
**     frame     L->frame             k      its constants
**     pc        the next word        jump   where handlers are, by opcode
**     i         the instruction
**
** A resume or a yield changes the thread (switch.h); L is another one then.
**
** handlers.h has the code of each instruction, in terms of the macros below.
** A handler does the common case itself.  For anything else it saves pc and
** calls a function of slow_impl.h, which does the whole instruction, and then
** takes up whatever frame is the running one (RELOAD).
**
** Rules for handlers
**
**  1. A handler uses no variables of the loop but those above, so that handlers
**     can be made into functions which end by calling each other.
**  2. Every way through a handler ends with a jump to the next instruction.
**     These macros are such jumps: NEXT, RELOAD, SLOW, and all whose names
**     begin with JUMP, DO_ or RETURN_ or end with _NEXT or _RELOAD.  ENTER_LUA
**     and BECOME_LUA jump if there is room, and go on below if not.
**  3. pc is behind the instruction's first word.  It is saved (SAVE_PC) before
**     anything that may raise an error, run other code or call the collector:
**     messages, hooks and tracebacks find the line by it.  What only reads, or
**     stores into a place that is there, needs no saved pc.
**  4. Stack and frames may move whenever code runs (a call, a metamethod, a
**     finalizer in a step of the collector, the host when it is asked for more
**     budget) and whenever the stack grows.  After that `base`, `frame` and all
**     addresses of registers are wrong.  LOAD_BASE is enough if the same frame
**     runs; RELOAD takes up any.  Register numbers stay right: use RA again.
**  5. The top of the stack means something only where a row of values ends
**     there: in a call, and after an instruction with any number of results.
**     Elsewhere the registers up to frame->top are what lives.
**  6. A store into a register needs no barrier.  A store of an object into a
**     table, an upvalue or any other object does, just after the store
**     (docs/gc/barriers.md).  So does a store into another thread's stack.
**  7. A new object is stored into a register before the next allocation.  Then
**     the collector is polled (gc_step_due), with a saved pc, by rules 3 and 4.
**  8. Operands are read before the result is written: they may be the same
**     register.
**  9. Jumps back and calls poll for hooks and budgets (NEXT_POLLED): so there
**     is no way around the poll in a program that does not end.
**
** Hooks cost nothing while there are none: when there is one, `jump` is a
** table in which every opcode leads to the same handler, which calls the hook
** and goes on through the other table.
**
** Budgets cost nothing while there are none: the loop is there twice, and the
** other one counts.  It does so where loops and calls come by, for all words of
** code at once that may have been run since.
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

/* The address of a register, once computed, is used for both its fields: left
** alone, compilers compute it again for each. */
static ALWAYS_INLINE Value *slot_of(Value *base, unsigned index) {
  Value *slot = base + index;
#if defined(__GNUC__)
  __asm__("" : "+r"(slot));
#endif
  return slot;
}

/* The register A of an instruction, with one machine instruction where that
** can be: gcc does not find it. */
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

/* The instruction, for code that many handlers share: left alone, compilers
** take it apart in each of them, before it is known to be needed. */
static ALWAYS_INLINE Instruction shared_instruction(Instruction i) {
#if defined(__GNUC__)
  __asm__("" : "+r"(i));
#endif
  return i;
}

/* Left alone, gcc keeps the address of the instruction as well.  Clang does
** not, and its version 14 loses the result where such code is shared. */
static ALWAYS_INLINE Instruction *next_word(Instruction *pc) {
  pc++;
#if defined(__GNUC__) && !defined(__clang__)
  __asm__("" : "+r"(pc));
#endif
  return pc;
}

#define RA slot_a(base, i)
#define RB slot_of(base, code_b(i))
#define RC slot_of(base, code_c(i))
#define KB (&k[code_b(i)])
#define KC (&k[code_c(i)])
#define CLOSURE() value_lua_closure(base - 1)
#define GC() (&L->global->gc)

#define SAVE_PC() ((void)(frame->u.lua.pc = pc))

/* Takes up the running frame, whichever it is. */
#define LOAD_FRAME()              \
  do {                            \
    frame = L->frame;             \
    base = frame->func + 1;       \
    pc = frame->u.lua.pc;         \
    k = frame->u.lua.constants;   \
  } while (0)

/* Only what moves when stacks and frames grow. */
#define LOAD_BASE()               \
  do {                            \
    frame = L->frame;             \
    base = frame->func + 1;       \
  } while (0)

#define NEXT                      \
  do {                            \
    i = *pc;                      \
    pc = next_word(pc);           \
    goto *jump[code_op(i)];       \
  } while (0)

#define RELOAD                    \
  do {                            \
    LOAD_FRAME();                 \
    NEXT_POLLED(COST_SLOW);       \
  } while (0)

/* A function has done the instruction, or begun a call for it. */
#define RELOADED goto shared_reload

/* Leaves the instruction to a function. */
#define SLOW(function)            \
  do {                            \
    SAVE_PC();                    \
    function(L);                  \
    RELOAD;                       \
  } while (0)

/* What is spent of a budget, by a loop that counts: a word of code is one unit,
** and these are more than they seem. */
enum { COST_SLOW = 8, COST_C_CALL = 64 };
#define FUEL() (L->global->budget.fuel)
#define SPEND(units) ((void)(LOOP_COUNTS && (FUEL() -= (int64_t)(units))))

/* For a value that is compared or looked up: a long string takes its time. */
#define SPEND_KEY(key)                                                      \
  do {                                                                      \
    if (LOOP_COUNTS && UNLIKELY((key)->tag == TAG_LONG_STRING))             \
      SPEND(string_length(value_string(key)) / BUDGET_BYTES_PER_UNIT);      \
  } while (0)

/* The same where loops and calls come by: a hook may have been set, perhaps by
** a signal; and there may be nothing left to spend. */
#define NEXT_POLLED(units)                                                  \
  do {                                                                      \
    if (UNLIKELY(L->hook_mask)) goto polled;                                \
    if (LOOP_COUNTS && UNLIKELY((FUEL() -= (int64_t)(units)) < 0))          \
      goto spent;                                                           \
    NEXT;                                                                   \
  } while (0)

/* After something that may have allocated, pc being saved: tables grow also
** where no objects are made. */
#define POLL_COLLECTOR()                              \
  do {                                                \
    if (UNLIKELY(gc_step_due(GC()))) {                \
      collect_after_growth(L, frame->top);            \
      LOAD_BASE();                                    \
    }                                                 \
  } while (0)

/* pc stands on AUX.  A jump back is part of a loop. */
#define JUMP()                                        \
  do {                                                \
    int32_t offset = (int32_t)*pc;                    \
    pc += offset;                                     \
    if (offset < 0) NEXT_POLLED(-offset);             \
    NEXT;                                             \
  } while (0)

#define JUMP_IF(condition)                            \
  do {                                                \
    if (condition) JUMP();                            \
    pc++;                                             \
    NEXT;                                             \
  } while (0)

/* Back to the start of a loop. */
#define JUMP_LOOP()                                   \
  do {                                                \
    int32_t offset = (int32_t)*pc;                    \
    pc += offset;                                     \
    NEXT_POLLED(-offset);                             \
  } while (0)

/* One condition, so that the compiler does not make two of it. */
static ALWAYS_INLINE bool both_integers(const Value *a, const Value *b) {
  return (a->tag == TAG_INTEGER) & (b->tag == TAG_INTEGER);
}

static ALWAYS_INLINE bool both_floats(const Value *a, const Value *b) {
  return (a->tag == TAG_FLOAT) & (b->tag == TAG_FLOAT);
}

/* The number as a float, if that is its value to the last digit. */
static ALWAYS_INLINE bool exact_float(const Value *v, lua_Number *out) {
  const lua_Unsigned most = (lua_Unsigned)1 << 53;
  if (v->tag == TAG_FLOAT) {
    *out = v->as.n;
    return true;
  }
  *out = (lua_Number)v->as.i;
  return v->tag == TAG_INTEGER && (lua_Unsigned)v->as.i + most <= 2 * most;
}

/* The number as an integer, if it is one. */
static ALWAYS_INLINE bool exact_integer(const Value *v, lua_Integer *out) {
  if (v->tag == TAG_INTEGER) {
    *out = v->as.i;
    return true;
  }
  return v->tag == TAG_FLOAT && float_to_integer(v->as.n, out);
}

/* After a store into a table of `v`, whose tag that is: compilers would load it
** again, as the store might have changed it. */
static ALWAYS_INLINE void table_barrier(lua_State *L, Table *t, const Value *v,
                                        unsigned tag) {
  if (tag_is_collectable(tag))
    gc_barrier_back(&L->global->gc, &t->cell, v->as.cell);
}

/* The table in which strings find their methods, if it is where it was last
** time. */
static ALWAYS_INLINE const Table *string_methods(const lua_State *L) {
  const Global *g = L->global;
  const Table *metatable = g->type_metatable[LUA_TSTRING];
  if (UNLIKELY(!metatable)) return NULL;
  const Node *n = table_hinted_key(metatable, g->meta_name[META_INDEX],
                                   g->string_index_hint);
  if (UNLIKELY(!n || n->value_tag != TAG_TABLE)) return NULL;
  return (const Table *)(const void *)n->value.cell;
}

static ALWAYS_INLINE bool may_have_newindex(const Table *t) {
  const Table *metatable = t->metatable;
  return metatable && !(metatable->cell.user & 1u << META_NEWINDEX);
}

/* A field that has a node, but no value: if so, it will get one. */
static ALWAYS_INLINE bool may_add_field(Table *t) {
  if (UNLIKELY(may_have_newindex(t))) return false;
  table_forget_absent(t);
  return true;
}

/* An element that is not in the array. */
static ALWAYS_INLINE bool get_element(lua_State *L, Table *t, const Value *key,
                                      Value *out) {
  if (key->tag == TAG_INTEGER)
    return table_get_int_slow(L, t, key->as.i, out);
  return table_get(L, t, key, out);
}

/* The field with a method of arithmetic, or NULL; most likely it is where such
** a one was last time. */
static ALWAYS_INLINE const Node *arith_find(lua_State *L,
                                            const Table *metatable, int op) {
  const Global *g = L->global;
  const Node *n = table_hinted_key(metatable, g->meta_name[META_ADD + op],
                                   g->meta_hint[META_ADD + op]);
  return LIKELY(n != NULL) ? n : slow_find_arith(L, metatable, op);
}

/* The right operand of arithmetic, as an argument of a metamethod. */
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

/* Parameters for which there is no argument; returns their end. */
static ALWAYS_INLINE Value *fill_params(Value *v, Value *end) {
  do value_set_nil(v++); while (v < end);
  return v;
}

/* What a frame says about one call, and not about another that replaces it. */
enum { FRAME_OF_CALL = FRAME_ENTERED | FRAME_LEAVING | FRAME_TRANSFER };

/* Returns: all but the simplest go through slow_return. */
enum {
  FRAME_RETURN_SLOW = FRAME_FRESH | FRAME_WATCH | FRAME_META | FRAME_LEAVING
};

static bool may_have_eq(const Table *t) {
  const Table *metatable = t->metatable;
  return metatable && !(metatable->cell.user & 1u << META_EQ);
}

/* The raw equality of values whose tags are equal; -1 if a metamethod must be
** asked. */
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
      return -(may_have_eq(value_table(a)) || may_have_eq(value_table(b)));
    case TAG_USERDATA: return a->as.bits == b->as.bits ? 1 : -1;
    default: return a->as.bits == b->as.bits;
  }
}

/* Floor division by a positive number needs no case of overflow. */
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
#define SHARED(name) shared_##name:         /* the end of several handlers */

#define LOOP_NAME loop_plain
#define LOOP_COUNTS 0
#include "vm/loop_function.h"
#undef LOOP_NAME
#undef LOOP_COUNTS

#define LOOP_NAME loop_counting
#define LOOP_COUNTS 1
#include "vm/loop_function.h"

void loop_run(lua_State *L) {
  if (UNLIKELY(L->global->budget.on))
    loop_counting(L);
  else
    loop_plain(L);
}
