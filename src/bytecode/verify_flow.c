/* SPDX-License-Identifier: MIT */
/*
** verify_flow.c -- what holds on every path through the code
**
** The code is walked once in order, with a state of three sets of registers:
**
**     assigned   have been written on every path to here, and not lost since:
**                a call loses the registers above its results
**     captured   may be the variable of an open upvalue
**     closable   may have to be closed
**
** A jump merges its state into that of its target.  A register is then assigned
** if it is assigned on both paths, and captured or closable if it is so on
** either.  If a backward jump changes the state of its target, the target is
** *pending*: the block from there to the next target is visited again.  This may
** change the states of other targets, which are then pending.  The first of
** them in the code comes next, because what comes later will mostly change once
** more.  The sets change in one direction only, so this ends.  Code that takes
** more than REVISITS_PER_WORD visits is refused, unless it is short.
**
** In compiled code there is rarely such a visit, because the state of a loop's
** start rarely changes.  Two rules see to that.  Entering a `for` loop loses all
** registers above those of the loop.  The start of any other loop loses those
** that some instruction of the loop loses.  For this second rule, the starts of
** loops and what they lose must be known before: verify_loops.c.
**
** A numeric loop is a region, from after the FORPREP to after the FORLOOP.  No
** jump may enter it from outside.  Its three registers belong to the loop: no
** other instruction in the region reads or writes them.  FORLOOP1 has its index
** in the fourth one, the variable, and takes it for an integer.  So in such a
** loop no instruction writes or captures that one either.  All this depends on
** the place of an instruction and not on the path to it, so the first walk is
** enough to check it; visits again check the sets only.
*/
#include <string.h>

#include "base/check.h"
#include "bytecode/verify_demands_impl.h"
#include "bytecode/verify_impl.h"
#include "object/budget.h"
#include "object/part.h"
#include "object/value.h"

enum {
  WALK_PIECE = 1024,  /* words between two charges to the budget */
  UNITS_PER_WORD = 4, /* of the budget */
  LOOPS_MAX = CODE_MAX_REGISTERS / 3,
  SET_WORDS = 4,
  REGISTER_END = LOOP_LOSES_NONE /* above all registers */
};

/* The entry for a word of code: one of these, or for the target of a jump its
** number, counted from 1. */
enum { WORD_PLAIN = 0, WORD_AUX = UINT32_MAX };

typedef struct State {
  uint64_t assigned[SET_WORDS];
  uint64_t captured[SET_WORDS];
  uint64_t closable[SET_WORDS];
} State;

/* The state of a jump target. */
typedef struct FlowTarget {
  uint32_t pc;
  uint32_t
      from;     /* the start of the loop it is in; until the first walk comes to
                    it, the lowest pc of a forward jump to it */
  uint32_t end; /* of the loop it is in */
  uint8_t known;   /* true if `sets` holds a state */
  uint8_t pending; /* true if the block must be visited again */
  uint16_t lost;   /* registers from here on are lost at this place */
  uint64_t sets[];
} FlowTarget;

typedef struct Loop {
  uint32_t start, end;
  unsigned first_register, end_register; /* that belong to the loop */
  bool closed;                           /* its FORLOOP was there */
} Loop;

/* Memory that lasts from one walk to the next. */
typedef struct FlowMemory {
  CodeCheck *v;
  uint32_t *word;   /* for each word of code: see above */
  uint64_t *states; /* of the targets */
  uint32_t target_count, target_capacity;
  uint32_t *pending;        /* a heap: pcs of pending targets, once they have
                               been collected */
  uint32_t pending_count;   /* of them, also before that */
  size_t state_size;        /* in 64-bit words */
  Loop loop[LOOPS_MAX + 1]; /* the first one is the whole code */
} FlowMemory;

/* The state of one walk.  The first walk over a function of at most 64 registers
** is the one that takes time.  There, all functions that take its address are
** inlined, so that its fields are in registers. */
typedef struct Flow {
  FlowMemory *memory;
  const Proto *p;
  uint32_t *word; /* the same as in `memory` */
  Loop *loop;     /* the innermost one */
  State now;
  bool reached; /* some path leads to here */
  bool again;   /* all places are known: this is a visit to a block */
  int open;     /* first register of the open values, or -1 */
  const char *wrong;
  uint64_t writable[SET_WORDS]; /* registers of the frame, but not of loops;
                                   for a visit again, all */
} Flow;

/* -- Sets ------------------------------------------------------------------ */

/* The registers from `from` on in the set's word number `word`. */
static VERIFY_INLINE uint64_t mask_from(size_t word, unsigned from) {
  unsigned low = (unsigned)word * 64;
  if (from >= low + 64) return 0;
  if (word == 0) return ~UINT64_C(0) << from;
  return from > low ? ~UINT64_C(0) << (from - low) : ~UINT64_C(0);
}

/* The registers of [from, to) in the set's word number `word`. */
static VERIFY_INLINE uint64_t mask_range(size_t word, unsigned from,
                                         unsigned to) {
  return mask_from(word, from) & ~mask_from(word, to);
}

/* A set has room for all registers of a frame.  `W` is its size in words: 1 for
** nearly all functions, and a constant in their first walk.  The register may be
** one beyond all frames, such as the one after R[255]. */
static VERIFY_INLINE bool regs_has(const uint64_t *set, size_t W, unsigned r) {
  return r < W * 64 && (set[W == 1 ? 0 : r / 64] >> r % 64 & 1);
}
static VERIFY_INLINE void regs_add(uint64_t *set, size_t W, unsigned r) {
  if (r < W * 64) set[W == 1 ? 0 : r / 64] |= UINT64_C(1) << r % 64;
}
static VERIFY_INLINE void regs_add_range(uint64_t *set, size_t W, unsigned from,
                                         unsigned to) {
  for (size_t w = 0; w < W; w++) set[w] |= mask_range(w, from, to);
}
static VERIFY_INLINE void regs_remove_range(uint64_t *set, size_t W,
                                            unsigned from, unsigned to) {
  for (size_t w = 0; w < W; w++) set[w] &= ~mask_range(w, from, to);
}
static VERIFY_INLINE bool regs_has_range(const uint64_t *set, size_t W,
                                         unsigned from, unsigned to) {
  uint64_t missing = 0;
  for (size_t w = 0; w < W; w++) missing |= mask_range(w, from, to) & ~set[w];
  return missing == 0 && to <= W * 64;
}
static VERIFY_INLINE bool regs_has_some(const uint64_t *set, size_t W,
                                        unsigned from, unsigned to) {
  uint64_t found = 0;
  for (size_t w = 0; w < W; w++) found |= mask_range(w, from, to) & set[w];
  return found != 0;
}

/* -- Fields ---------------------------------------------------------------- */

static VERIFY_INLINE void refuse(Flow *f, const char *why) {
  if (!f->wrong) f->wrong = why;
}

/* For operands that the vm does not check when it runs the instruction. */
static VERIFY_INLINE void check_operand(Flow *f, bool good) {
  if (UNLIKELY(!good)) refuse(f, "operand out of range");
}

static VERIFY_INLINE void check_constant(Flow *f, char letter, uint32_t k) {
  const Proto *p = f->p;
  if (UNLIKELY(k >= p->constant_count)) {
    refuse(f, "constant out of range");
    return;
  }
  unsigned tag = p->constants[k].tag;
  bool good = tag != TAG_TABLE;
  if (letter == 'n' || letter == 'm') good = tag == TAG_INTEGER;
  if (letter == 'f' || letter == 'e') good = tag == TAG_FLOAT;
  if (letter == 's' || letter == 'x') good = tag == TAG_SHORT_STRING;
  if (letter == 't') good = tag == TAG_TABLE;
  if (UNLIKELY(!good)) refuse(f, "constant of the wrong type");
  if (letter == 'm') check_operand(f, p->constants[k].as.i > 0);
  if (letter == 'e') check_operand(f, has_inverse(p->constants[k].as.n));
}

/* The letters are constants where this is inlined, so little of it remains. */
static VERIFY_INLINE void check_field(Flow *f, char letter, uint32_t raw) {
  const Proto *p = f->p;
  switch (letter) {
    case 'b':
      if (UNLIKELY(raw >= p->frame_size)) refuse(f, "register out of range");
      break;
    case 'k':
    case 'n':
    case 'm':
    case 'f':
    case 'e':
    case 'x':
    case 't': check_constant(f, letter, raw); break;
    case 'g': check_operand(f, (int8_t)raw > 0); break;
    case 'q': check_operand(f, is_power_of_two((int8_t)raw)); break;
    case 'h': check_operand(f, raw < 64); break;
    case 's':
      check_constant(f, letter, aux_key(raw));
      if (UNLIKELY(aux_hint(raw) != 0)) refuse(f, "hint in new code");
      break;
    case 'v':
      if (UNLIKELY(raw >= p->upvalue_count)) refuse(f, "upvalue out of range");
      break;
    case 'p':
      if (UNLIKELY(raw >= p->proto_count)) refuse(f, "function out of range");
      break;
    case '_':
      if (UNLIKELY(raw != 0)) refuse(f, "unused field is not zero");
      break;
    default: break; /* registers: use_one, give_one; jumps: way_to */
  }
}

static VERIFY_INLINE void check_ABC(Flow *f, const Instruction *code,
                                    const char *letters) {
  check_field(f, letters[0], code_a(*code));
  check_field(f, letters[1], code_b(*code));
  check_field(f, letters[2], code_c(*code));
}
static VERIFY_INLINE void check_ABCX(Flow *f, const Instruction *code,
                                     const char *letters) {
  check_ABC(f, code, letters);
  check_field(f, letters[3], code[1]);
}
static VERIFY_INLINE void check_AD(Flow *f, const Instruction *code,
                                   const char *letters) {
  check_field(f, letters[0], code_a(*code));
  check_field(f, letters[1], code_d(*code));
}
static VERIFY_INLINE void check_ADX(Flow *f, const Instruction *code,
                                    const char *letters) {
  check_AD(f, code, letters);
  check_field(f, letters[2], code[1]);
}
static VERIFY_INLINE void check_E(Flow *f, const Instruction *code,
                                  const char *letters) {
  (void)f, (void)code, (void)letters;
}

/* -- Registers ------------------------------------------------------------- */

/* Registers beyond the frame are never assigned, and never writable. */
static VERIFY_INLINE void use_one(Flow *f, size_t W, unsigned r) {
  if (UNLIKELY(!regs_has(f->now.assigned, W, r)))
    refuse(f, "register read before it is written");
}

static VERIFY_INLINE void use_range(Flow *f, size_t W, unsigned from,
                                    unsigned to) {
  if (UNLIKELY(!regs_has_range(f->now.assigned, W, from, to)))
    refuse(f, "register read before it is written");
}

static VERIFY_INLINE void give_one(Flow *f, size_t W, unsigned r) {
  if (UNLIKELY(!regs_has(f->writable, W, r)))
    refuse(f, "register out of range, or of a loop");
  regs_add(f->now.assigned, W, r);
}

static VERIFY_INLINE void give_range(Flow *f, size_t W, unsigned from,
                                     unsigned to) {
  if (UNLIKELY(!regs_has_range(f->writable, W, from, to)))
    refuse(f, "register out of range, or of a loop");
  regs_add_range(f->now.assigned, W, from, to);
}

static VERIFY_INLINE uint64_t lose_in_word(Flow *f, size_t w, uint64_t mask) {
  uint64_t frame = mask & mask_range(w, 0, f->p->frame_size);
  f->now.assigned[w] &= ~mask;
  return ((f->now.captured[w] | f->now.closable[w]) & mask) |
         (frame & ~f->writable[w]);
}

/* The contents of the registers from `from` on are lost. */
static VERIFY_INLINE void lose_from(Flow *f, size_t W, unsigned from) {
  uint64_t bad = 0;
  for (size_t w = 0; w < W; w++) bad |= lose_in_word(f, w, mask_from(w, from));
  if (UNLIKELY(bad)) refuse(f, "open variable or register of a loop lost");
}

static VERIFY_INLINE bool has_open(const uint64_t *set, size_t W) {
  uint64_t found = 0;
  for (size_t w = 0; w < W; w++) found |= set[w];
  return found != 0;
}

/* -- Targets --------------------------------------------------------------- */

/* Makes room for `count` elements in the vector of the box. */
static void *box_reserve(lua_State *L, Box *box, size_t size, size_t count) {
  if (count > vector_capacity(box->data))
    vector_resize(L, &box->cell, &box->data, size, count);
  return box->data;
}

static VERIFY_INLINE FlowTarget *target_number(const FlowMemory *m,
                                               uint32_t number) {
  return (FlowTarget *)(void *)(m->states + (number - 1) * m->state_size);
}

static NO_INLINE void target_grow(FlowMemory *m) {
  size_t scratch = m->target_capacity < 8 ? 16 : (size_t)m->target_capacity * 2;
  m->states = box_reserve(m->v->L, m->v->scratch->states, sizeof *m->states,
                          scratch * m->state_size);
  m->target_capacity = (uint32_t)scratch;
}

static NO_INLINE FlowTarget *target_new(FlowMemory *m, uint32_t *word) {
  if (m->target_count == m->target_capacity) target_grow(m);
  *word = ++m->target_count;
  FlowTarget *t = target_number(m, *word);
  t->pc = (uint32_t)(word - m->word);
  t->pending = false;
  t->from = UINT32_MAX;
  t->end = 0;
  t->known = false;
  t->lost = REGISTER_END;
  return t;
}

/* The target at pc, which becomes one if it is not.  NULL if that is in the
** middle of an instruction. */
static VERIFY_INLINE FlowTarget *target_at(FlowMemory *m, size_t pc) {
  uint32_t *word = &m->word[pc];
  if (*word == WORD_PLAIN) return target_new(m, word);
  return *word != WORD_AUX ? target_number(m, *word) : NULL;
}

/* Merges the current state into that of the target.  True if the target's state
** has changed. */
static VERIFY_INLINE bool target_add(const Flow *f, size_t W, FlowTarget *t) {
  uint64_t changed = 0;
  uint64_t *assigned = t->sets, *captured = assigned + W;
  uint64_t *closable = captured + W;
  if (!t->known) {
    t->known = true;
    for (size_t w = 0; w < W; w++) {
      assigned[w] = f->now.assigned[w];
      captured[w] = f->now.captured[w];
      closable[w] = f->now.closable[w];
    }
    return true;
  }
  for (size_t w = 0; w < W; w++) {
    changed |= assigned[w] & ~f->now.assigned[w];
    changed |= f->now.captured[w] & ~captured[w];
    changed |= f->now.closable[w] & ~closable[w];
    assigned[w] &= f->now.assigned[w];
    captured[w] |= f->now.captured[w];
    closable[w] |= f->now.closable[w];
  }
  return changed != 0;
}

/* Adds a pc to the heap, whose smallest element is the first one. */
static void pending_push(FlowMemory *m, uint32_t pc) {
  size_t at = m->pending_count++;
  for (; at > 0 && m->pending[(at - 1) / 2] > pc; at = (at - 1) / 2)
    m->pending[at] = m->pending[(at - 1) / 2];
  m->pending[at] = pc;
}

static uint32_t pending_pop(FlowMemory *m) {
  uint32_t *heap = m->pending, first = heap[0];
  uint32_t last = heap[--m->pending_count];
  size_t at = 0, child;
  for (; (child = 2 * at + 1) < m->pending_count; at = child) {
    if (child + 1 < m->pending_count && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= last) break;
    heap[at] = heap[child];
  }
  heap[at] = last;
  return first;
}

/* The block that begins at the target must be visited again. */
static VERIFY_INLINE void target_pend(FlowMemory *m, FlowTarget *t) {
  if (t->pending) return;
  t->pending = true;
  if (m->pending)
    pending_push(m, t->pc);
  else
    m->pending_count++;
}

/* After the first walk all targets are known, so there is room for each.  The
** starts of loops are targets by now, so their memory is free. */
static void pending_collect(FlowMemory *m) {
  m->pending = box_reserve(m->v->L, m->v->scratch->heads, sizeof(LoopHead),
                           m->target_count);
  m->pending_count = 0;
  for (uint32_t n = 1; n <= m->target_count; n++) {
    const FlowTarget *t = target_number(m, n);
    if (t->pending) pending_push(m, t->pc);
  }
}

/* A jump from pc.  Jumps that no path leads to make targets as well.  A forward
** jump of the first walk leads to a place that the walk has yet to come to. */
static VERIFY_INLINE void way_to(Flow *f, size_t W, size_t pc, int64_t target) {
  if (target < 0 || target >= f->p->code_size) {
    refuse(f, "jump out of range");
    return;
  }
  bool forward = target > (int64_t)pc;
  if (!forward && f->word[target] == WORD_PLAIN) {
    refuse(f, "loop without a beginning");
    return;
  }
  FlowTarget *t = target_at(f->memory, (size_t)target);
  if (!t) refuse(f, "jump into an instruction");
  if (!t || !f->reached) return;
  bool changed = target_add(f, W, t);
  if (forward && !f->again) {
    if (pc < t->from) t->from = (uint32_t)pc;
    return;
  }
  if (pc < t->from || pc >= t->end) refuse(f, "jump into a loop");
  if (changed) target_pend(f->memory, t);
}

static VERIFY_INLINE bool in_loop(const Flow *f) {
  return f->loop != f->memory->loop;
}

static VERIFY_INLINE void leave_loops(Flow *f, size_t W, size_t pc) {
  while (in_loop(f) && f->loop->end == pc) {
    const Loop *loop = f->loop--;
    if (!loop->closed) refuse(f, "loop without an end");
    regs_add_range(f->writable, W, loop->first_register, loop->end_register);
  }
}

/* Continues with the state of the target. */
static VERIFY_INLINE void continue_from(Flow *f, size_t W, FlowTarget *t) {
  if (t->lost < REGISTER_END)
    regs_remove_range(t->sets, W, t->lost, f->p->frame_size);
  for (size_t w = 0; w < W; w++) {
    f->now.assigned[w] = t->sets[w];
    f->now.captured[w] = t->sets[W + w];
    f->now.closable[w] = t->sets[2 * W + w];
  }
  f->reached = true;
}

/* The first walk comes to the target at pc.  The end of a loop is always a
** target. */
static VERIFY_INLINE void arrive(Flow *f, size_t W, size_t pc) {
  FlowTarget *t = target_number(f->memory, f->word[pc]);
  leave_loops(f, W, pc);
  if (t->from < f->loop->start) refuse(f, "jump into a loop");
  t->from = f->loop->start;
  t->end = f->loop->end;
  if (f->reached) target_add(f, W, t);
  if (!t->known) return;
  continue_from(f, W, t);
}

/* -- Loops ----------------------------------------------------------------- */

/* The registers that belong to a loop.  `end` is the target of its FORPREP.  If
** no FORLOOP is there, that is found out later. */
static VERIFY_INLINE unsigned loop_registers(const Proto *p, int64_t end) {
  bool known = end >= 2 && end <= p->code_size;
  return known && code_op(p->code[end - 2]) == OP_FORLOOP1 ? 4 : 3;
}

/* After a FORPREP: its loop begins.  Its target is its end. */
static VERIFY_INLINE void enter_loop(Flow *f, size_t W, size_t pc, unsigned a,
                                     unsigned a_end, size_t end) {
  if (end < pc + 4 || end > f->loop->end ||
      f->loop == f->memory->loop + LOOPS_MAX ||
      !regs_has_range(f->writable, W, a, a_end)) {
    refuse(f, "loop without an end");
    return;
  }
  *++f->loop = (Loop){(uint32_t)pc + 2, (uint32_t)end, a, a_end, false};
  regs_remove_range(f->writable, W, a, a_end);
  target_at(f->memory, pc + 2);
}

/* -- Instructions ---------------------------------------------------------- */

static VERIFY_INLINE void flow_follow(Flow *f, size_t W, size_t pc) {
  way_to(f, W, pc, verify_target(f->p, pc));
}

static bool uses_open(Instruction i) {
  switch (code_op(i)) {
    case OP_CALLM:
    case OP_TAILCALL:
    case OP_RETURN:
    case OP_SETLIST: return code_b(i) == 0;
    default: return false;
  }
}

/* The values from register a on are open.  The next instruction must use them,
** and no jump may lead there. */
static VERIFY_INLINE void give_open(Flow *f, size_t pc, unsigned a) {
  const Proto *p = f->p;
  if (pc + 1 >= p->code_size || !uses_open(p->code[pc + 1]))
    refuse(f, "open values not used");
  else if (f->word[pc + 1] != WORD_PLAIN)
    refuse(f, "jump to open values");
  f->open = (int)a;
}

/* Reads the registers [a, end).  If `takes_open`, reads those from a to the end
** of the open values instead.  Open values must not begin below `first`. */
static VERIFY_INLINE void use_values(Flow *f, size_t W, unsigned a,
                                     unsigned first, bool takes_open,
                                     unsigned end) {
  if (!takes_open) {
    use_range(f, W, a, end);
    return;
  }
  if (f->open < (int)first)
    refuse(f, "open values used, but not made");
  else
    use_range(f, W, a, (unsigned)f->open);
}

static VERIFY_INLINE void mark_closable(Flow *f, size_t W, unsigned r) {
  if (regs_has_some(f->now.closable, W, r, 256))
    refuse(f, "variables to be closed are not in order");
  regs_add(f->now.closable, W, r);
}

static VERIFY_INLINE void flow_return(Flow *f, size_t W, Instruction i) {
  bool closes = code_op(i) == OP_RETURN && code_c(i) & RETURN_CLOSE;
  if (!closes && (has_open(f->now.captured, W) || has_open(f->now.closable, W)))
    refuse(f, "variables are left open");
  f->reached = false;
}

static VERIFY_INLINE void flow_closure(Flow *f, size_t W, size_t pc,
                                       Instruction i) {
  const Proto *nested = f->p->protos[f->p->code[pc + 1]];
  for (uint32_t n = 0; n < nested->upvalue_count; n++) {
    const UpValueInfo *info = &nested->upvalues[n];
    if (!info->in_stack) continue;
    if (info->index != code_a(i)) use_one(f, W, info->index);
    if (UNLIKELY(!regs_has(f->writable, W, info->index)))
      refuse(f, "register of a loop captured");
    regs_add(f->now.captured, W, info->index);
  }
}

/* The new object and the registers below C, those in use, are kept.  The
** collector may clear all others. */
static VERIFY_INLINE void flow_new(Flow *f, size_t W, size_t pc,
                                   Instruction i) {
  unsigned a = code_a(i), used = code_c(i) > a ? code_c(i) : a + 1;
  lose_from(f, W, used);
  if (code_op(i) == OP_CLOSURE) flow_closure(f, W, pc, i);
  give_one(f, W, a);
}

static VERIFY_INLINE void flow_tail_call(Flow *f, size_t W, Instruction i) {
  bool closes = (code_c(i) & RETURN_CLOSE) != 0;
  if (has_open(f->now.closable, W) || (!closes && has_open(f->now.captured, W)))
    refuse(f, "variables are left open");
  regs_remove_range(f->now.captured, W, 0, 256);
}

static VERIFY_INLINE void flow_call(Flow *f, size_t W, Instruction i) {
  unsigned a = code_a(i), b = code_b(i), c = code_c(i);
  use_range(f, W, a, a + b + 1);
  lose_from(f, W, a);
  give_range(f, W, a, a + c);
}

/* Calls with variable numbers of arguments or results. */
static VERIFY_INLINE void flow_open_call(Flow *f, size_t W, size_t pc,
                                         Instruction i) {
  unsigned a = code_a(i), b = code_b(i), c = code_c(i);
  use_values(f, W, a, a + 1, b == 0, a + b);
  if (code_op(i) == OP_TAILCALL) flow_tail_call(f, W, i);
  lose_from(f, W, a);
  f->open = -1;
  if (code_op(i) == OP_TAILCALL || c == 0)
    give_open(f, pc, a);
  else
    give_range(f, W, a, a + c - 1);
}

static VERIFY_INLINE void flow_for_prepare(Flow *f, size_t W, size_t pc,
                                           Instruction i) {
  int64_t end = verify_target(f->p, pc);
  unsigned a = code_a(i), a_end = a + loop_registers(f->p, end);
  use_range(f, W, a, code_op(i) == OP_FORPREP ? a + 3 : a + 2);
  if (regs_has_some(f->now.captured, W, a, a_end))
    refuse(f, "register of a loop captured");
  regs_remove_range(f->now.assigned, W, a, f->p->frame_size);
  flow_follow(f, W, pc);
  give_one(f, W, a + 3);
  if (!f->wrong && !f->again) enter_loop(f, W, pc, a, a_end, (size_t)end);
}

/* True if the instruction at pc ends the loop that the walk is in. */
static VERIFY_INLINE bool ends_loop(const Flow *f, size_t pc, Instruction i) {
  const Loop *loop = f->loop;
  Opcode op = code_op(i) == OP_FORLOOP ? OP_FORPREP : OP_FORPREP1;
  return in_loop(f) && loop->end == pc + 2 &&
         loop->first_register == code_a(i) &&
         verify_target(f->p, pc) == loop->start &&
         code_op(f->p->code[loop->start - 2]) == op;
}

static VERIFY_INLINE void flow_for_loop(Flow *f, size_t W, size_t pc,
                                        Instruction i) {
  if (!f->again && !ends_loop(f, pc, i)) {
    refuse(f, "loop without a beginning");
    return;
  }
  f->loop->closed = true;
  regs_add(f->now.assigned, W, code_a(i) + 3);
  flow_follow(f, W, pc);
}

/* The results of the iterator. */
static VERIFY_INLINE void give_results(Flow *f, size_t W, Instruction call) {
  unsigned a = code_a(call);
  lose_from(f, W, a + 4);
  give_range(f, W, a + 4, a + 4 + code_b(call));
}

/* The three parts of a generic loop.  Its body comes after the first one, and
** is reached from the last one.  Going there at once, with the results of the
** iterator, saves a walk. */
static VERIFY_INLINE void flow_generic_prepare(Flow *f, size_t W, size_t pc,
                                               Instruction i) {
  const Proto *p = f->p;
  int64_t target = verify_target(p, pc);
  bool good = target > (int64_t)pc && target < p->code_size;
  Instruction call = good ? p->code[target] : 0;
  if (code_op(call) != OP_TFORCALL || code_a(call) != code_a(i)) {
    refuse(f, "loop without an end");
    return;
  }
  use_range(f, W, code_a(i), code_a(i) + 4);
  mark_closable(f, W, code_a(i) + 3);
  lose_from(f, W, code_a(i) + 4);
  way_to(f, W, pc, target);
  bool usual = target + 2 < p->code_size &&
               verify_target(p, (size_t)target + 1) == (int64_t)pc + 2;
  if (usual && code_a(call) + 4 + code_b(call) <= p->frame_size) {
    give_results(f, W, call);
    target_at(f->memory, pc + 2);
  } else {
    f->reached = false;
  }
}

static VERIFY_INLINE void flow_generic_call(Flow *f, size_t W, Instruction i) {
  unsigned a = code_a(i);
  use_range(f, W, a, a + 3);
  give_one(f, W, a + 2);
  give_results(f, W, i);
}

static VERIFY_INLINE void flow_generic_loop(Flow *f, size_t W, size_t pc,
                                            Instruction i) {
  unsigned a = code_a(i);
  bool alone = pc == 0 || code_op(f->p->code[pc - 1]) != OP_TFORCALL;
  if (alone || f->word[pc] != WORD_PLAIN || f->word[pc - 1] == WORD_AUX)
    refuse(f, "TFORLOOP without TFORCALL");
  use_one(f, W, a + 4);
  give_one(f, W, a + 2);
  flow_follow(f, W, pc);
  lose_from(f, W, a + 4);
}

/* For instructions whose letters name all their registers. */
static VERIFY_INLINE void flow_ABC(Flow *f, size_t W, Instruction i,
                                   const char *letters) {
  if (letters[0] == 'r') use_one(f, W, code_a(i));
  if (letters[1] == 'r') use_one(f, W, code_b(i));
  if (letters[2] == 'r') use_one(f, W, code_c(i));
  if (letters[0] == 'w') give_one(f, W, code_a(i));
}
static VERIFY_INLINE void flow_AD(Flow *f, size_t W, Instruction i,
                                  const char *letters) {
  if (letters[0] == 'r') use_one(f, W, code_a(i));
  if (letters[0] == 'w') give_one(f, W, code_a(i));
}
static VERIFY_INLINE void flow_E(Flow *f, size_t W, Instruction i,
                                 const char *letters) {
  (void)f, (void)W, (void)i, (void)letters;
}
#define flow_ABCX flow_ABC
#define flow_ADX  flow_AD

/* A jump that writes R[A], but only if it is taken. */
static VERIFY_INLINE void flow_set_branch(Flow *f, size_t W, size_t pc,
                                          Instruction i) {
  unsigned a = code_a(i);
  bool assigned = regs_has(f->now.assigned, W, a);
  use_one(f, W, code_b(i));
  give_one(f, W, a);
  flow_follow(f, W, pc);
  if (!assigned) regs_remove_range(f->now.assigned, W, a, a + 1);
}

static VERIFY_INLINE void flow_skip(Flow *f, size_t W, size_t pc,
                                    Instruction i) {
  give_one(f, W, code_a(i));
  way_to(f, W, pc, (int64_t)pc + 2);
  f->reached = false;
}

static VERIFY_INLINE void flow_concat(Flow *f, size_t W, Instruction i) {
  unsigned b = code_b(i);
  use_range(f, W, b, b + code_c(i));
  lose_from(f, W, b);
  give_one(f, W, code_a(i));
}

/* The operands may be variables.  The registers from AUX on are not in use. */
static VERIFY_INLINE void flow_concat_two(Flow *f, size_t W, size_t pc,
                                          Instruction i) {
  unsigned a = code_a(i), used = f->p->code[pc + 1];
  use_one(f, W, code_b(i));
  use_one(f, W, code_c(i));
  lose_from(f, W, used > a ? used : a + 1);
  give_one(f, W, a);
}

static VERIFY_INLINE void flow_close(Flow *f, size_t W, Instruction i) {
  regs_remove_range(f->now.captured, W, code_a(i), 256);
  regs_remove_range(f->now.closable, W, code_a(i), 256);
}

static VERIFY_INLINE void flow_vararg(Flow *f, size_t W, size_t pc,
                                      Instruction i) {
  unsigned a = code_a(i), b = code_b(i);
  if (b == 0) {
    lose_from(f, W, a);
    give_open(f, pc, a);
  } else {
    give_range(f, W, a, a + b - 1);
  }
}

static VERIFY_INLINE void flow_values(Flow *f, size_t W, Instruction i) {
  unsigned a = code_a(i), b = code_b(i);
  bool returns = code_op(i) == OP_RETURN;
  unsigned end = returns ? (b > 1 ? a + b - 1 : a) : a + b;
  use_values(f, W, a, returns ? a : a + 1, b == 0, end);
  f->open = -1;
  if (returns) flow_return(f, W, i);
}

/* Instructions that do more with registers than their letters say.  `op` is a
** constant where this is inlined. */
static VERIFY_INLINE void flow_special(Flow *f, size_t W, Opcode op, size_t pc,
                                       Instruction i) {
  unsigned a = code_a(i);
  switch (op) {
    case OP_LOADNIL: give_range(f, W, a, a + code_b(i) + 1); break;
    case OP_LOADFALSESKIP: flow_skip(f, W, pc, i); break;
    case OP_NEWTABLE:
    case OP_DUPTABLE:
    case OP_CLOSURE: flow_new(f, W, pc, i); break;
    case OP_CONCAT: flow_concat(f, W, i); break;
    case OP_CONCAT_RR: flow_concat_two(f, W, pc, i); break;
    case OP_JMP:
      flow_follow(f, W, pc);
      f->reached = false;
      break;
    case OP_JTSET:
    case OP_JFSET: flow_set_branch(f, W, pc, i); break;
    case OP_FORPREP:
    case OP_FORPREP1: flow_for_prepare(f, W, pc, i); break;
    case OP_FORLOOP:
    case OP_FORLOOP1:
    case OP_FORCOPY1: flow_for_loop(f, W, pc, i); break;
    case OP_TFORPREP: flow_generic_prepare(f, W, pc, i); break;
    case OP_TFORCALL: flow_generic_call(f, W, i); break;
    case OP_TFORLOOP: flow_generic_loop(f, W, pc, i); break;
    case OP_CALL: flow_call(f, W, i); break;
    case OP_CALLM:
    case OP_TAILCALL: flow_open_call(f, W, pc, i); break;
    case OP_SETLIST:
    case OP_RETURN: flow_values(f, W, i); break;
    case OP_RETURN1: use_one(f, W, a); /* FALLTHROUGH */
    case OP_RETURN0: flow_return(f, W, i); break;
    case OP_VARARG: flow_vararg(f, W, pc, i); break;
    case OP_VARARGPREP: break;
    case OP_CLOSE: flow_close(f, W, i); break;
    case OP_MOVE2: /* two moves in order: the first may give what the second
                      reads */
      use_one(f, W, code_b(i));
      give_one(f, W, a);
      use_one(f, W, code_c(i));
      give_one(f, W, a + 1);
      break;
    case OP_SELF:
      use_one(f, W, code_b(i));
      give_one(f, W, a);
      give_one(f, W, a + 1);
      break;
    case OP_TBC:
      use_one(f, W, a);
      mark_closable(f, W, a);
      break;
    default: break;
  }
}

/* The word after an instruction is its AUX. */
static VERIFY_INLINE bool take_aux(Flow *f, size_t pc) {
  if (UNLIKELY(pc + 1 >= f->p->code_size)) {
    refuse(f, "code ends early");
    return false;
  }
  uint32_t *word = &f->word[pc + 1];
  if (UNLIKELY(*word != WORD_PLAIN && *word != WORD_AUX))
    refuse(f, "jump into an instruction");
  *word = WORD_AUX;
  return true;
}

/* Unreachable code is checked as if all registers were assigned. */
static VERIFY_INLINE void lose_way(Flow *f, size_t W) {
  memset(&f->now, 0, sizeof f->now);
  regs_add_range(f->now.assigned, W, 0, f->p->frame_size);
}

/* How an instruction is checked: one way for each shape of PLAIN ones, one for
** each SPECIAL one, and one for all pairs, which continues with that of the first
** half. */
#define WAY_PLAIN(name, format, operands)   WAY_##format##_##operands
#define WAY_SPECIAL(name, format, operands) WAY_OF_##name

/* The case of a SPECIAL instruction; a PLAIN one has that of its shape. */
#define CASE_PLAIN(name, format, operands)
#define CASE_SPECIAL(name, format, operands)                \
  case WAY_OF_##name:                                       \
    if (LENGTH_##format == 2 && !take_aux(f, pc)) return 1; \
    check_##format(f, code + pc, operands);                 \
    if (f->wrong) return 1;                                 \
    wrong = demand_check(f->p, OP_##name, pc);              \
    if (UNLIKELY(wrong != NULL)) break;                     \
    flow_special(f, W, OP_##name, pc, i);                   \
    if (UNLIKELY(!f->reached)) lose_way(f, W);              \
    return LENGTH_##format;

enum {
  WAY_UNKNOWN, /* no opcode */
  WAY_PAIR,
#define SHAPE(format, operands) WAY_##format##_##operands,
#include "bytecode/shapes.def"
#define OP(name, ...)   WAY_OF_##name,
#define PAIR(name, ...) /* like the first half */
#include "bytecode/opcodes.def"
};

static const uint8_t ways[256] = {
#define OP(name, format, operands, check, ...) \
  [OP_##name] = WAY_##check(name, format, operands),
#define PAIR(name, ...) [OP_##name] = WAY_PAIR,
#include "bytecode/opcodes.def"
};

/* Checks the instruction at pc and returns its length.  The letters are constants
** in each case. */
static VERIFY_INLINE size_t flow_instruction(Flow *f, size_t W,
                                             const Instruction *code,
                                             size_t pc) {
  Instruction i = code[pc];
  const char *wrong = "no such opcode";
  unsigned way = ways[code_op(i)];
  if (way == WAY_PAIR) {
    wrong = pair_check(f->p, pc);
    way = wrong ? WAY_UNKNOWN : ways[opcode_alone(code_op(i))];
  }
  switch (way) {
#define SHAPE(format, operands)                              \
  case WAY_##format##_##operands:                            \
    if (LENGTH_##format == 2 && !take_aux(f, pc)) return 1;  \
    check_##format(f, code + pc, #operands);                 \
    flow_##format(f, W, i, #operands);                       \
    if (#operands[sizeof #operands - 2] == 'j') goto follow; \
    return LENGTH_##format;
#include "bytecode/shapes.def"
#define OP(name, format, operands, check, ...) \
  CASE_##check(name, format, #operands)
#define PAIR(name, ...)
#include "bytecode/opcodes.def"
    default: break;
  }
  refuse(f, wrong);
  return 1;
follow:
  flow_follow(f, W, pc);
  return 2;
}

/* The same for all other walks. */
static NO_INLINE size_t flow_instruction_again(Flow *f, size_t W, size_t pc) {
  return flow_instruction(f, W, f->p->code, pc);
}

/* -- The starts of loops --------------------------------------------------- */

/* Makes the starts of loops targets.  False if one is out of range. */
static bool note_heads(FlowMemory *m) {
  const VerifyScratch *scratch = m->v->scratch;
  const LoopHead *head = scratch->heads->data;
  for (uint32_t n = 0; n < scratch->head_count; n++) {
    if (head[n].pc >= m->v->p->code_size) return false;
    FlowTarget *t = target_at(m, head[n].pc);
    if (head[n].lost < t->lost) t->lost = (uint16_t)head[n].lost;
  }
  return true;
}

/* -- Walks ----------------------------------------------------------------- */

static VERIFY_INLINE Flow walk_begin(FlowMemory *m, size_t W) {
  const Proto *p = m->v->p;
  Flow f = {.memory = m, .p = p, .word = m->word, .loop = m->loop};
  *f.loop = (Loop){0, p->code_size, 0, 0, true};
  regs_add_range(f.writable, W, 0, p->frame_size);
  regs_add_range(f.now.assigned, W, 0, p->param_count);
  f.reached = true;
  f.open = -1;
  return f;
}

/* Walks over the code.  Returns what is wrong, or NULL. */
static VERIFY_INLINE const char *walk_all(FlowMemory *m, size_t W) {
  Flow f = walk_begin(m, W);
  const Instruction *code = f.p->code;
  size_t pc = 0, size = f.p->code_size, length = 0;
  while (pc < size && !f.wrong) {
    size_t stop = size_min(size, pc + WALK_PIECE);
    budget_spend(m->v->L, (stop - pc) * UNITS_PER_WORD);
    for (; pc < stop && LIKELY(!f.wrong); pc += length) {
      if (UNLIKELY(f.word[pc] != WORD_PLAIN)) arrive(&f, W, pc);
      length = W == 1 ? flow_instruction(&f, W, code, pc)
                      : flow_instruction_again(&f, W, pc);
    }
  }
  m->v->pc = pc - length;
  return f.wrong;
}

/* Visits the code from the target to the next one, or to where no path goes on.
** The last instruction is a return.  Returns the end. */
static size_t visit_block(Flow *f, size_t W, FlowTarget *t) {
  size_t pc = t->pc, length;
  continue_from(f, W, t);
  do {
    length = flow_instruction_again(f, W, pc);
    pc += length;
  } while (f->reached && !f->wrong && f->word[pc] == WORD_PLAIN);
  f->memory->v->pc = pc - length;
  return pc;
}

/* Visits blocks again as long as the state of a target changes. */
static const char *walk_again(FlowMemory *m, size_t W) {
  VerifyScratch *scratch = m->v->scratch;
  Flow f = walk_begin(m, W);
  f.again = true;
  pending_collect(m);
  while (m->pending_count > 0 && !f.wrong) {
    uint32_t start = pending_pop(m);
    FlowTarget *t = target_number(m, f.word[start]);
    t->pending = false;
    size_t end = visit_block(&f, W, t);
    if (scratch->visits < end - start) return "too many ways through the code";
    scratch->visits -= end - start;
    budget_spend(m->v->L, (end - start) * UNITS_PER_WORD);
    if (f.wrong || !f.reached) continue;
    FlowTarget *next = target_number(m, f.word[end]);
    if (target_add(&f, W, next)) target_pend(m, next);
  }
  return f.wrong;
}

static size_t set_words(const Proto *p) {
  return p->frame_size <= 64 ? 1 : SET_WORDS;
}

static const char *walk(FlowMemory *m) {
  return set_words(m->v->p) == 1 ? walk_all(m, 1) : walk_all(m, SET_WORDS);
}

/* The last word must be a return, not the AUX of another instruction. */
static bool ends_well(const FlowMemory *m) {
  size_t last = m->v->p->code_size - 1;
  Opcode op = code_op(m->v->p->code[last]);
  return opcode_is_return(op) && m->word[last] != WORD_AUX;
}

static void memory_begin(FlowMemory *m, CodeCheck *v) {
  const Proto *p = v->p;
  m->v = v;
  m->state_size = sizeof(FlowTarget) / sizeof(uint64_t) + 3 * set_words(p);
  m->word = box_reserve(v->L, v->scratch->words, sizeof *m->word, p->code_size);
  memset(m->word, 0, p->code_size * sizeof *m->word);
  m->target_count = 0;
  m->pending = NULL;
  m->pending_count = 0;
  m->states = v->scratch->states->data;
  m->target_capacity = (uint32_t)(vector_capacity(m->states) / m->state_size);
}

const char *verify_flow(CodeCheck *v) {
  FlowMemory memory;
  memory_begin(&memory, v);
  if (!note_heads(&memory)) return "loop out of range";
  if (v->p->is_vararg && memory.word[0] != WORD_PLAIN)
    return "jump to the start of a vararg function";
  const char *wrong = walk(&memory);
  if (wrong) return wrong;
  if (!ends_well(&memory)) return "code does not end with a return";
  v->scratch->visits += (uint64_t)v->p->code_size * REVISITS_PER_WORD;
  if (memory.pending_count == 0) return NULL;
  return walk_again(&memory, set_words(v->p));
}
