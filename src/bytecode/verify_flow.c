/* SPDX-License-Identifier: MIT */
/*
** verify_flow.c -- what holds on every path through the code
**
** The code is walked in order, with a state of three sets of registers:
**
**     assigned   have been written on every path to here, and not lost since:
**                a call loses the registers above its results
**     captured   may be the variable of an open upvalue
**     closable   may have to be closed
**
** A jump merges its state into that of its target.  A register is then assigned
** if it is assigned on both paths, and captured or closable if it is so on
** either.  If a backward jump changes the state of its target, another walk is
** needed.  The sets change in one direction only, so this ends.  Code that
** needs more than WALKS_MAX walks is refused, unless it is short.
**
** Compiled code mostly takes one walk, because it rarely changes the state of a
** loop's start.  Two rules see to that.  Entering a `for` loop loses all
** registers above those of the loop.  The start of any other loop loses those
** that some instruction of the loop loses.  For this second rule, the starts of
** loops and what they lose must be known before: verify_loops.c.
**
** A numeric loop is a region, from after the FORPREP to after the FORLOOP.  No
** jump may enter it from outside.  Its three registers belong to the loop: no
** other instruction in the region reads or writes them.
*/
#include <string.h>

#include "base/check.h"
#include "bytecode/verify_demands_impl.h"
#include "bytecode/verify_impl.h"
#include "object/part.h"
#include "object/value.h"

enum {
  WALKS_MAX = 32,
  WALK_WORDS = 1 << 18, /* more walks may visit so many words in all */
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
  uint32_t first_source; /* lowest pc of a forward jump to it */
  uint32_t end;          /* end of the loop it is in */
  uint32_t known;        /* true if `sets` holds a state */
  uint32_t lost;         /* registers from here on are lost at this place */
  uint64_t sets[];
} FlowTarget;

typedef struct Loop {
  uint32_t start, end;
  unsigned first_register;
  bool closed; /* its FORLOOP was there */
} Loop;

/* Memory that lasts from one walk to the next. */
typedef struct FlowMemory {
  CodeCheck *v;
  uint32_t *word;   /* for each word of code: see above */
  uint64_t *states; /* of the targets */
  uint32_t target_count, target_room;
  size_t state_size;        /* in 64-bit words */
  Loop loop[LOOPS_MAX + 1]; /* the first one is the whole code */
} FlowMemory;

/* A walk.  It is a variable of the function that walks, whose address stays
** there: all that works with it is inlined, so that it can be in registers. */
typedef struct Flow {
  FlowMemory *memory;
  const Proto *p;
  uint32_t *word; /* the same as in `memory` */
  Loop *loop;     /* the innermost one */
  State now;
  bool reached; /* some path leads to here */
  bool again;   /* a backward jump has changed its target */
  int open;     /* first register of the open values, or -1 */
  const char *wrong;
  uint64_t writable[SET_WORDS]; /* registers of the frame, but not of loops */
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

/* A set has room for all registers of a frame.  `W` is its size in words, a
** constant where this is inlined: 1 for nearly all functions.  The register may
** be one beyond all frames, such as the one after R[255]. */
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

static VERIFY_INLINE void check_constant(Flow *f, char letter, uint32_t k) {
  const Proto *p = f->p;
  if (UNLIKELY(k >= p->constant_count)) {
    refuse(f, "constant out of range");
    return;
  }
  unsigned tag = p->constants[k].tag;
  bool good = tag != TAG_TABLE;
  if (letter == 'n') good = tag == TAG_INTEGER;
  if (letter == 'f') good = tag == TAG_FLOAT;
  if (letter == 's') good = tag == TAG_SHORT_STRING;
  if (letter == 't') good = tag == TAG_TABLE;
  if (UNLIKELY(!good)) refuse(f, "constant of the wrong type");
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
    case 'f':
    case 't': check_constant(f, letter, raw); break;
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
    case '-':
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
  size_t room = m->target_room < 8 ? 16 : (size_t)m->target_room * 2;
  m->states = box_reserve(m->v->L, m->v->room->states, sizeof *m->states,
                          room * m->state_size);
  m->target_room = (uint32_t)room;
}

static NO_INLINE FlowTarget *target_new(FlowMemory *m, uint32_t *word) {
  if (m->target_count == m->target_room) target_grow(m);
  *word = ++m->target_count;
  FlowTarget *t = target_number(m, *word);
  t->first_source = UINT32_MAX;
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

/* A jump from pc.  Jumps that no path leads to make targets as well. */
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
  if (forward) {
    if (pc < t->first_source) t->first_source = (uint32_t)pc;
    return;
  }
  if (pc >= t->end) refuse(f, "jump into a loop");
  if (changed) f->again = true;
}

static VERIFY_INLINE bool in_loop(const Flow *f) {
  return f->loop != f->memory->loop;
}

static VERIFY_INLINE void leave_loops(Flow *f, size_t W, size_t pc) {
  while (in_loop(f) && f->loop->end == pc) {
    unsigned a = f->loop->first_register;
    if (!f->loop->closed) refuse(f, "loop without an end");
    regs_add_range(f->writable, W, a, a + 3);
    f->loop--;
  }
}

/* Continues with the state of the target at pc.  The end of a loop is always a
** target. */
static VERIFY_INLINE void arrive(Flow *f, size_t W, size_t pc) {
  FlowTarget *t = target_number(f->memory, f->word[pc]);
  leave_loops(f, W, pc);
  t->end = f->loop->end;
  if (f->reached) target_add(f, W, t);
  if (!t->known) return;
  if (t->first_source < f->loop->start) refuse(f, "jump into a loop");
  if (t->lost < REGISTER_END)
    regs_remove_range(t->sets, W, t->lost, f->p->frame_size);
  for (size_t w = 0; w < W; w++) {
    f->now.assigned[w] = t->sets[w];
    f->now.captured[w] = t->sets[W + w];
    f->now.closable[w] = t->sets[2 * W + w];
  }
  f->reached = true;
}

/* -- Loops ----------------------------------------------------------------- */

/* After a FORPREP: its loop begins.  Its target is its end. */
static VERIFY_INLINE void enter_loop(Flow *f, size_t W, size_t pc, unsigned a,
                                     size_t end) {
  if (end < pc + 4 || end > f->loop->end ||
      f->loop == f->memory->loop + LOOPS_MAX ||
      !regs_has_range(f->writable, W, a, a + 3)) {
    refuse(f, "loop without an end");
    return;
  }
  *++f->loop = (Loop){(uint32_t)pc + 2, (uint32_t)end, a, false};
  regs_remove_range(f->writable, W, a, a + 3);
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
  unsigned a = code_a(i);
  use_range(f, W, a, code_op(i) == OP_FORPREP ? a + 3 : a + 2);
  if (regs_has_some(f->now.captured, W, a, a + 3))
    refuse(f, "register of a loop");
  regs_remove_range(f->now.assigned, W, a, f->p->frame_size);
  flow_follow(f, W, pc);
  give_one(f, W, a + 3);
  if (!f->wrong) enter_loop(f, W, pc, a, (size_t)verify_target(f->p, pc));
}

static VERIFY_INLINE void flow_for_loop(Flow *f, size_t W, size_t pc,
                                        Instruction i) {
  Loop *loop = f->loop;
  Opcode op = code_op(i) == OP_FORLOOP ? OP_FORPREP : OP_FORPREP1;
  if (!in_loop(f) || loop->end != pc + 2 || loop->first_register != code_a(i) ||
      verify_target(f->p, pc) != loop->start ||
      code_op(f->p->code[loop->start - 2]) != op) {
    refuse(f, "loop without a beginning");
    return;
  }
  loop->closed = true;
  give_one(f, W, code_a(i) + 3);
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

/* Conditional jumps that write no register. */
#define BRANCHES(op) \
  ((op) >= OP_JT && (op) <= OP_JNGEI && (op) != OP_JTSET && (op) != OP_JFSET)

/* True if the instruction has registers or demands beyond its letters. */
#define IS_SPECIAL(op)                                                         \
  ((op) == OP_LOADNIL || (op) == OP_MOVE2 || (op) == OP_SELF ||                \
   (op) == OP_LOADFALSESKIP || (op) == OP_NEWTABLE || (op) == OP_DUPTABLE ||   \
   (op) == OP_SETLIST || (op) == OP_DIV_RI2 || (op) == OP_DIV_RF2 ||           \
   (op) == OP_MOD_RI || (op) == OP_MOD_RN || (op) == OP_MOD_RI2 ||             \
   (op) == OP_IDIV_RI || (op) == OP_IDIV_RN || (op) == OP_SHL_RI ||            \
   (op) == OP_SHR_RI || (op) == OP_LENAPPEND || (op) == OP_CONCAT ||           \
   (op) == OP_JEQS || (op) == OP_JNEQS || ((op) >= OP_JMP && !BRANCHES(op)) || \
   IS_PAIR(op))

/* Instructions that do more with registers than their letters say.  False for
** all others.  `op` is a constant where this is inlined. */
static VERIFY_INLINE bool flow_special(Flow *f, size_t W, Opcode op, size_t pc,
                                       Instruction i) {
  unsigned a = code_a(i);
  switch (op) {
    case OP_LOADNIL: give_range(f, W, a, a + code_b(i) + 1); break;
    case OP_LOADFALSESKIP: flow_skip(f, W, pc, i); break;
    case OP_NEWTABLE:
    case OP_DUPTABLE:
    case OP_DUPTABLE_SET:
    case OP_CLOSURE: flow_new(f, W, pc, i); break;
    case OP_CONCAT: flow_concat(f, W, i); break;
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
    case OP_MOVE2:
    case OP_SELF:
      use_one(f, W, code_b(i));
      if (op == OP_MOVE2) use_one(f, W, code_c(i));
      give_one(f, W, a);
      give_one(f, W, a + 1);
      break;
    case OP_TBC:
      use_one(f, W, a);
      mark_closable(f, W, a);
      break;
    default: return false;
  }
  return true;
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

/* Opcodes with the same letters are checked by the same code.  What must be
** added to an opcode to get the one whose code it is; 0 for its own. */
#define LIKE(op, other) [OP_##op] = (uint8_t)(OP_##other - OP_##op)
static const uint8_t like[256] = {
    LIKE(LOADTRUE, LOADFALSE),
    LIKE(LOADF, LOADI),
    LIKE(ADD_RR, GETTABLE),
    LIKE(SUB_RR, GETTABLE),
    LIKE(SUB_RI, ADD_RI),
    LIKE(SUB_RN, ADD_RN),
    LIKE(SUB_RF, ADD_RF),
    LIKE(SUB_IR, ADD_IR),
    LIKE(SUB_FR, ADD_FR),
    LIKE(MUL_RR, GETTABLE),
    LIKE(MUL_RI, ADD_RI),
    LIKE(MUL_RN, ADD_RN),
    LIKE(MUL_RF, ADD_RF),
    LIKE(MUL_IR, ADD_IR),
    LIKE(MUL_FR, ADD_FR),
    LIKE(DIV_RR, GETTABLE),
    LIKE(DIV_RI, ADD_RI),
    LIKE(DIV_RN, ADD_RN),
    LIKE(DIV_RF, ADD_RF),
    LIKE(DIV_IR, ADD_IR),
    LIKE(DIV_FR, ADD_FR),
    LIKE(MOD_RR, GETTABLE),
    LIKE(IDIV_RR, GETTABLE),
    LIKE(POW_RR, GETTABLE),
    LIKE(POW_RI, ADD_RI),
    LIKE(POW_RF, ADD_RF),
    LIKE(POW_IR, ADD_IR),
    LIKE(BAND_RR, GETTABLE),
    LIKE(BAND_RN, ADD_RN),
    LIKE(BOR_RR, GETTABLE),
    LIKE(BOR_RN, ADD_RN),
    LIKE(BXOR_RR, GETTABLE),
    LIKE(BXOR_RN, ADD_RN),
    LIKE(SHL_RR, GETTABLE),
    LIKE(SHL_IR, ADD_IR),
    LIKE(SHR_RR, GETTABLE),
    LIKE(UNM, MOVE),
    LIKE(BNOT, MOVE),
    LIKE(NOT, MOVE),
    LIKE(LEN, MOVE),
    LIKE(CONCAT_RR, GETTABLE),
    LIKE(JF, JT),
    LIKE(JNIL, JT),
    LIKE(JNNIL, JT),
    LIKE(JNEQ, JEQ),
    LIKE(JNEQK, JEQK),
    LIKE(JNEQI, JEQI),
    LIKE(JLT, JEQ),
    LIKE(JNLT, JEQ),
    LIKE(JLE, JEQ),
    LIKE(JNLE, JEQ),
    LIKE(JLTI, JEQI),
    LIKE(JNLTI, JEQI),
    LIKE(JLEI, JEQI),
    LIKE(JNLEI, JEQI),
    LIKE(JGTI, JEQI),
    LIKE(JNGTI, JEQI),
    LIKE(JGEI, JEQI),
    LIKE(JNGEI, JEQI),
};

#define LENGTH_ABC  1
#define LENGTH_AD   1
#define LENGTH_E    1
#define LENGTH_ABCX 2
#define LENGTH_ADX  2

/* Checks the instruction at pc and returns its length.  There is one case for
** each opcode, so that its letters are constants. */
static VERIFY_INLINE size_t flow_instruction(Flow *f, size_t W,
                                             const Instruction *code,
                                             size_t pc) {
  Instruction i = code[pc];
  uint8_t op = (uint8_t)(code_op(i) + like[code_op(i)]);
  ASSERT(op >= OPCODE_COUNT ||
             (opcode_info[op].format == opcode_info[code_op(i)].format &&
              strcmp(opcode_info[op].operands,
                     opcode_info[code_op(i)].operands) == 0),
         "opcode %d is not like %d", (int)code_op(i), (int)op);
  switch (op) {
#define OP(name, format, operands, meaning)                  \
  case OP_##name:                                            \
    if (like[OP_##name]) goto unknown;                       \
    if (LENGTH_##format == 2 && !take_aux(f, pc)) return 1;  \
    check_##format(f, code + pc, operands);                  \
    if (IS_SPECIAL(OP_##name)) {                             \
      if (f->wrong) return 1;                                \
      const char *wrong = demand_check(f->p, OP_##name, pc); \
      if (UNLIKELY(wrong != NULL)) {                         \
        refuse(f, wrong);                                    \
        return 1;                                            \
      }                                                      \
      if (flow_special(f, W, OP_##name, pc, i)) {            \
        if (UNLIKELY(!f->reached)) lose_way(f, W);           \
        return LENGTH_##format;                              \
      }                                                      \
    }                                                        \
    flow_##format(f, W, i, operands);                        \
    if (BRANCHES(OP_##name)) goto follow;                    \
    return LENGTH_##format;
#include "bytecode/opcodes.def"
#undef OP
    default: goto unknown;
  }
unknown:
  refuse(f, "no such opcode");
  return 1;
follow:
  flow_follow(f, W, pc);
  return 2;
}

/* -- The starts of loops --------------------------------------------------- */

/* Makes the starts of loops targets.  False if one is out of range. */
static bool note_heads(FlowMemory *m) {
  const VerifyRoom *room = m->v->room;
  const LoopHead *head = room->heads->data;
  for (uint32_t n = 0; n < room->head_count; n++) {
    if (head[n].pc >= m->v->p->code_size) return false;
    FlowTarget *t = target_at(m, head[n].pc);
    if (head[n].lost < t->lost) t->lost = head[n].lost;
  }
  return true;
}

/* -- Walks ----------------------------------------------------------------- */

static VERIFY_INLINE Flow walk_begin(FlowMemory *m, size_t W) {
  const Proto *p = m->v->p;
  Flow f = {.memory = m, .p = p, .word = m->word, .loop = m->loop};
  *f.loop = (Loop){0, p->code_size, 0, true};
  regs_add_range(f.writable, W, 0, p->frame_size);
  regs_add_range(f.now.assigned, W, 0, p->param_count);
  f.reached = true;
  f.open = -1;
  return f;
}

/* Walks over the code.  Returns what is wrong, or NULL.  Sets `again` if
** another walk is needed. */
static VERIFY_INLINE const char *walk_all(FlowMemory *m, size_t W,
                                          bool *again) {
  Flow f = walk_begin(m, W);
  const Instruction *code = f.p->code;
  size_t pc = 0, size = f.p->code_size, length = 0;
  for (; pc < size && LIKELY(!f.wrong); pc += length) {
    if (UNLIKELY(f.word[pc] != WORD_PLAIN)) arrive(&f, W, pc);
    length = flow_instruction(&f, W, code, pc);
  }
  m->v->pc = pc - length;
  *again = f.again;
  return f.wrong;
}

static const char *walk(FlowMemory *m, bool *again) {
  if (m->v->p->frame_size <= 64) return walk_all(m, 1, again);
  return walk_all(m, SET_WORDS, again);
}

/* The last word must be a return, not the AUX of another instruction. */
static bool ends_well(const FlowMemory *m) {
  size_t last = m->v->p->code_size - 1;
  Opcode op = code_op(m->v->p->code[last]);
  bool returns = op == OP_RETURN || op == OP_RETURN0 || op == OP_RETURN1;
  return returns && m->word[last] != WORD_AUX;
}

static void memory_begin(FlowMemory *m, CodeCheck *v) {
  const Proto *p = v->p;
  size_t words = p->frame_size <= 64 ? 1 : SET_WORDS;
  m->v = v;
  m->state_size = sizeof(FlowTarget) / sizeof(uint64_t) + 3 * words;
  m->word = box_reserve(v->L, v->room->words, sizeof *m->word, p->code_size);
  memset(m->word, 0, p->code_size * sizeof *m->word);
  m->target_count = 0;
  m->states = v->room->states->data;
  m->target_room = (uint32_t)(vector_capacity(m->states) / m->state_size);
}

const char *verify_flow(CodeCheck *v) {
  FlowMemory memory;
  bool again = false;
  memory_begin(&memory, v);
  if (!note_heads(&memory)) return "loop out of range";
  if (v->p->is_vararg && memory.word[0] != WORD_PLAIN)
    return "jump to the start of a vararg function";
  const char *wrong = walk(&memory, &again);
  for (int n = 1; again && !wrong; n++) {
    if (n >= WALKS_MAX && n * (uint64_t)v->p->code_size > WALK_WORDS)
      return "too many ways through the code";
    wrong = walk(&memory, &again);
  }
  if (!wrong && !ends_well(&memory)) return "code does not end with a return";
  return wrong;
}
