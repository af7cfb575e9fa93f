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
** needed.  The sets change in one direction only, so this ends.  Compiled loops
** need two or three walks.  Code that needs more than WALKS_MAX is refused.
**
** A numeric loop is a region, from after the FORPREP to after the FORLOOP.  No
** jump may enter it from outside.  Its three registers belong to the loop: no
** other instruction in the region reads or writes them.
*/
#include <string.h>

#include "bytecode/verify_impl.h"
#include "object/value.h"

enum { WALKS_MAX = 32, LOOPS_MAX = CODE_MAX_REGISTERS / 3 };

typedef struct State {
  uint64_t assigned[SET_WORDS];
  uint64_t captured[SET_WORDS];
  uint64_t closable[SET_WORDS];
} State;

/* The state of a jump target. */
typedef struct FlowTarget {
  uint32_t first_source; /* lowest pc of a forward jump to it */
  uint32_t end;          /* end of the loop it is in */
  uint64_t known;        /* true if `sets` holds a state */
  uint64_t sets[];
} FlowTarget;

typedef struct Loop {
  uint32_t start, end;
  unsigned first_register;
} Loop;

typedef struct Flow {
  CodeCheck *v;
  const Proto *p;
  size_t words; /* of each set */
  State now;
  bool reached; /* some path leads to here */
  bool first;   /* this is the first walk */
  bool again;   /* a backward jump has changed its target */
  int open;     /* first register of the open values, or -1 */
  const char *wrong;
  uint64_t reserved[SET_WORDS]; /* registers of loops */
  size_t loop_count;
  Loop loop[LOOPS_MAX + 1]; /* the first one is the whole code */
} Flow;

/* -- Sets ------------------------------------------------------------------ */

/* The registers from `from` on in the set's word number `word`. */
static ALWAYS_INLINE uint64_t mask_from(size_t word, unsigned from) {
  unsigned low = (unsigned)word * 64;
  if (from >= low + 64) return 0;
  return from > low ? ~UINT64_C(0) << (from - low) : ~UINT64_C(0);
}

/* The registers of [from, to) in the set's word number `word`. */
static ALWAYS_INLINE uint64_t mask_range(size_t word, unsigned from,
                                         unsigned to) {
  return mask_from(word, from) & ~mask_from(word, to);
}

static ALWAYS_INLINE bool regs_has(const uint64_t *set, unsigned r) {
  return set[r / 64] >> r % 64 & 1;
}
static ALWAYS_INLINE void regs_add(uint64_t *set, unsigned r) {
  set[r / 64] |= UINT64_C(1) << r % 64;
}

#define FOR_WORDS(w, from, to) \
  for (size_t w = (from) / 64; w < SET_WORDS && w * 64 < (to); w++)

static ALWAYS_INLINE void regs_add_range(uint64_t *set, unsigned from,
                                         unsigned to) {
  FOR_WORDS(w, from, to) set[w] |= mask_range(w, from, to);
}
static ALWAYS_INLINE void regs_remove_range(uint64_t *set, unsigned from,
                                            unsigned to) {
  FOR_WORDS(w, from, to) set[w] &= ~mask_range(w, from, to);
}
static ALWAYS_INLINE bool regs_has_range(const uint64_t *set, unsigned from,
                                         unsigned to) {
  uint64_t missing = 0;
  FOR_WORDS(w, from, to) missing |= mask_range(w, from, to) & ~set[w];
  return missing == 0;
}
static ALWAYS_INLINE bool regs_has_some(const uint64_t *set, unsigned from,
                                        unsigned to) {
  uint64_t found = 0;
  FOR_WORDS(w, from, to) found |= mask_range(w, from, to) & set[w];
  return found != 0;
}

/* -- Fields ---------------------------------------------------------------- */

static NO_INLINE void refuse(Flow *f, const char *why) {
  if (!f->wrong) f->wrong = why;
}

static ALWAYS_INLINE void check_constant(Flow *f, char letter, uint32_t k) {
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
static ALWAYS_INLINE void check_field(Flow *f, char letter, uint32_t raw) {
  const Proto *p = f->p;
  switch (letter) {
    case 'r':
    case 'b':
    case 'w':
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
    default: break; /* jumps: see verify_words */
  }
}

static ALWAYS_INLINE void check_ABC(Flow *f, const Instruction *code,
                                    const char *letters) {
  check_field(f, letters[0], code_a(*code));
  check_field(f, letters[1], code_b(*code));
  check_field(f, letters[2], code_c(*code));
}
static ALWAYS_INLINE void check_ABCX(Flow *f, const Instruction *code,
                                     const char *letters) {
  check_ABC(f, code, letters);
  check_field(f, letters[3], code[1]);
}
static ALWAYS_INLINE void check_AD(Flow *f, const Instruction *code,
                                   const char *letters) {
  check_field(f, letters[0], code_a(*code));
  check_field(f, letters[1], code_d(*code));
}
static ALWAYS_INLINE void check_ADX(Flow *f, const Instruction *code,
                                    const char *letters) {
  check_AD(f, code, letters);
  check_field(f, letters[2], code[1]);
}
static ALWAYS_INLINE void check_E(Flow *f, const Instruction *code,
                                  const char *letters) {
  (void)f, (void)code, (void)letters;
}

/* -- Registers ------------------------------------------------------------- */

static inline void use_one(Flow *f, unsigned r) {
  if (UNLIKELY(!regs_has(f->now.assigned, r)))
    refuse(f, "register read before it is written");
}

static void use_range(Flow *f, unsigned from, unsigned to) {
  if (!regs_has_range(f->now.assigned, from, to))
    refuse(f, "register read before it is written");
}

static inline void give_one(Flow *f, unsigned r) {
  if (UNLIKELY(regs_has(f->reserved, r))) refuse(f, "register of a loop");
  regs_add(f->now.assigned, r);
}

static void give_range(Flow *f, unsigned from, unsigned to) {
  if (regs_has_some(f->reserved, from, to)) refuse(f, "register of a loop");
  regs_add_range(f->now.assigned, from, to);
}

/* The contents of the registers from `from` on are lost. */
static void lose_from(Flow *f, unsigned from) {
  uint64_t open = 0, reserved = 0;
  for (size_t w = from / 64; w < f->words; w++) {
    uint64_t mask = mask_from(w, from);
    open |= (f->now.captured[w] | f->now.closable[w]) & mask;
    reserved |= f->reserved[w] & mask;
    f->now.assigned[w] &= ~mask;
  }
  if (UNLIKELY(open)) refuse(f, "open variable overwritten");
  if (UNLIKELY(reserved)) refuse(f, "register of a loop");
}

static bool has_open(const Flow *f, const uint64_t *set) {
  uint64_t found = 0;
  for (size_t w = 0; w < f->words; w++) found |= set[w];
  return found != 0;
}

/* -- Targets --------------------------------------------------------------- */

static FlowTarget *target_at(const Flow *f, size_t pc) {
  size_t number = f->v->word[pc] - 1;
  uint64_t *state = f->v->states + number * verify_state_size(f->p);
  return (FlowTarget *)(void *)state;
}

static const Loop *innermost(const Flow *f) {
  return &f->loop[f->loop_count - 1];
}

/* Merges the current state into that of the target.  True if the target's state
** has changed. */
static bool target_add(const Flow *f, FlowTarget *t) {
  uint64_t changed = 0;
  uint64_t *assigned = t->sets, *captured = assigned + f->words;
  uint64_t *closable = captured + f->words;
  if (!t->known) {
    t->known = true;
    memcpy(assigned, f->now.assigned, f->words * sizeof *assigned);
    memcpy(captured, f->now.captured, f->words * sizeof *captured);
    memcpy(closable, f->now.closable, f->words * sizeof *closable);
    return true;
  }
  for (size_t w = 0; w < f->words; w++) {
    changed |= assigned[w] & ~f->now.assigned[w];
    changed |= f->now.captured[w] & ~captured[w];
    changed |= f->now.closable[w] & ~closable[w];
    assigned[w] &= f->now.assigned[w];
    captured[w] |= f->now.captured[w];
    closable[w] |= f->now.closable[w];
  }
  return changed != 0;
}

static void way_to(Flow *f, size_t pc, size_t target) {
  if (!f->reached) return;
  FlowTarget *t = target_at(f, target);
  bool changed = target_add(f, t);
  if (target > pc) {
    if (pc < t->first_source) t->first_source = (uint32_t)pc;
    return;
  }
  if (pc >= t->end) refuse(f, "jump into a loop");
  if (changed) f->again = true;
}

/* Continues with the state of the target at pc. */
static void arrive(Flow *f, size_t pc) {
  FlowTarget *t = target_at(f, pc);
  t->end = innermost(f)->end;
  if (f->reached) target_add(f, t);
  if (!t->known) return;
  if (t->first_source < innermost(f)->start) refuse(f, "jump into a loop");
  memcpy(f->now.assigned, t->sets, f->words * sizeof *t->sets);
  memcpy(f->now.captured, t->sets + f->words, f->words * sizeof *t->sets);
  memcpy(f->now.closable, t->sets + 2 * f->words, f->words * sizeof *t->sets);
  f->reached = true;
}

/* -- Loops ----------------------------------------------------------------- */

static bool is_loop(const Flow *f, size_t prepare, size_t end) {
  const Proto *p = f->p;
  if (end < prepare + 4 || f->v->word[end - 2] == WORD_AUX) return false;
  Instruction i = p->code[prepare], last = p->code[end - 2];
  Opcode op = code_op(i) == OP_FORPREP ? OP_FORLOOP : OP_FORLOOP1;
  return code_op(last) == op && code_a(last) == code_a(i) &&
         verify_target(p, end - 2) == prepare + 2;
}

/* After a FORPREP: its loop begins. */
static void enter_loop(Flow *f, size_t pc) {
  unsigned a = code_a(f->p->code[pc]);
  size_t end = verify_target(f->p, pc);
  if (end > innermost(f)->end || f->loop_count > LOOPS_MAX ||
      regs_has_some(f->reserved, a, a + 3) || !is_loop(f, pc, end)) {
    refuse(f, "loop without an end");
    return;
  }
  f->loop[f->loop_count++] = (Loop){(uint32_t)pc + 2, (uint32_t)end, a};
  regs_add_range(f->reserved, a, a + 3);
}

static void leave_loop(Flow *f) {
  const Loop *loop = &f->loop[--f->loop_count];
  unsigned a = loop->first_register;
  regs_remove_range(f->reserved, a, a + 3);
}

/* -- Instructions ---------------------------------------------------------- */

static void flow_follow(Flow *f, size_t pc) {
  way_to(f, pc, verify_target(f->p, pc));
}

/* Reads the registers [a, end).  If `takes_open`, reads those from a to the end
** of the open values instead.  Open values must not begin below `first`. */
static void use_values(Flow *f, unsigned a, unsigned first, bool takes_open,
                       unsigned end) {
  if (!takes_open) {
    use_range(f, a, end);
    return;
  }
  if (f->open < (int)first)
    refuse(f, "open values used, but not made");
  else
    use_range(f, a, (unsigned)f->open);
}

static void mark_closable(Flow *f, unsigned r) {
  if (regs_has_some(f->now.closable, r, 256))
    refuse(f, "variables to be closed are not in order");
  regs_add(f->now.closable, r);
}

static void flow_return(Flow *f, Instruction i) {
  bool closes = code_op(i) == OP_RETURN && code_c(i) & RETURN_CLOSE;
  if (!closes && (has_open(f, f->now.captured) || has_open(f, f->now.closable)))
    refuse(f, "variables are left open");
  f->reached = false;
}

static void flow_closure(Flow *f, size_t pc, Instruction i) {
  const Proto *nested = f->p->protos[f->p->code[pc + 1]];
  for (uint32_t n = 0; n < nested->upvalue_count; n++) {
    const UpValueInfo *info = &nested->upvalues[n];
    if (!info->in_stack) continue;
    if (info->index != code_a(i)) use_one(f, info->index);
    regs_add(f->now.captured, info->index);
  }
}

/* The new object and the registers below C, those in use, are kept.  The
** collector may clear all others. */
static void flow_new(Flow *f, size_t pc, Instruction i) {
  unsigned a = code_a(i), used = code_c(i) > a ? code_c(i) : a + 1;
  lose_from(f, used);
  if (code_op(i) == OP_CLOSURE) flow_closure(f, pc, i);
  give_one(f, a);
}

static void flow_tail_call(Flow *f, Instruction i) {
  bool closes = (code_c(i) & RETURN_CLOSE) != 0;
  if (has_open(f, f->now.closable) || (!closes && has_open(f, f->now.captured)))
    refuse(f, "variables are left open");
  regs_remove_range(f->now.captured, 0, 256);
}

static void flow_call(Flow *f, Instruction i) {
  unsigned a = code_a(i), b = code_b(i), c = code_c(i);
  bool fixed = code_op(i) == OP_CALL;
  use_values(f, a, a + 1, !fixed && b == 0, fixed ? a + b + 1 : a + b);
  if (code_op(i) == OP_TAILCALL) flow_tail_call(f, i);
  lose_from(f, a);
  f->open = -1;
  if (fixed)
    give_range(f, a, a + c);
  else if (code_op(i) == OP_TAILCALL || c == 0)
    f->open = (int)a;
  else
    give_range(f, a, a + c - 1);
}

static void flow_for_prepare(Flow *f, size_t pc, Instruction i) {
  unsigned a = code_a(i);
  use_range(f, a, code_op(i) == OP_FORPREP ? a + 3 : a + 2);
  regs_remove_range(f->now.assigned, a, a + 4);
  if (regs_has_some(f->now.captured, a, a + 3)) refuse(f, "register of a loop");
  flow_follow(f, pc);
  give_one(f, a + 3);
}

static void flow_for_loop(Flow *f, size_t pc, Instruction i) {
  const Loop *loop = innermost(f);
  if (loop->end != pc + 2 || loop->first_register != code_a(i) ||
      f->loop_count == 1) {
    refuse(f, "loop without a beginning");
    return;
  }
  give_one(f, code_a(i) + 3);
  flow_follow(f, pc);
}

/* The three parts of a generic loop. */
static void flow_generic_prepare(Flow *f, size_t pc, Instruction i) {
  size_t target = verify_target(f->p, pc);
  Instruction call = f->p->code[target];
  if (target < pc || code_op(call) != OP_TFORCALL ||
      code_a(call) != code_a(i)) {
    refuse(f, "loop without an end");
    return;
  }
  use_range(f, code_a(i), code_a(i) + 4);
  mark_closable(f, code_a(i) + 3);
  way_to(f, pc, target);
  f->reached = false;
}

static void flow_generic_call(Flow *f, Instruction i) {
  unsigned a = code_a(i);
  use_range(f, a, a + 3);
  give_one(f, a + 2);
  lose_from(f, a + 4);
  give_range(f, a + 4, a + 4 + code_b(i));
}

static void flow_generic_loop(Flow *f, size_t pc, Instruction i) {
  unsigned a = code_a(i);
  bool alone = pc == 0 || code_op(f->p->code[pc - 1]) != OP_TFORCALL;
  if (alone || f->v->word[pc] != WORD_PLAIN || f->v->word[pc - 1] == WORD_AUX)
    refuse(f, "TFORLOOP without TFORCALL");
  use_one(f, a + 4);
  give_one(f, a + 2);
  flow_follow(f, pc);
  lose_from(f, a + 4);
}

/* For instructions whose letters name all their registers. */
static ALWAYS_INLINE void flow_ABC(Flow *f, Instruction i,
                                   const char *letters) {
  if (letters[0] == 'r') use_one(f, code_a(i));
  if (letters[1] == 'r') use_one(f, code_b(i));
  if (letters[2] == 'r') use_one(f, code_c(i));
  if (letters[0] == 'w') give_one(f, code_a(i));
}
static ALWAYS_INLINE void flow_AD(Flow *f, Instruction i, const char *letters) {
  if (letters[0] == 'r') use_one(f, code_a(i));
  if (letters[0] == 'w') give_one(f, code_a(i));
}
static ALWAYS_INLINE void flow_E(Flow *f, Instruction i, const char *letters) {
  (void)f, (void)i, (void)letters;
}
#define flow_ABCX flow_ABC
#define flow_ADX  flow_AD

static void flow_plain(Flow *f, Instruction i) {
  const OpInfo *info = &opcode_info[code_op(i)];
  if (info->format == FORMAT_ABC || info->format == FORMAT_ABCX)
    flow_ABC(f, i, info->operands);
  else
    flow_AD(f, i, info->operands);
}

/* A conditional jump. */
static void flow_branch(Flow *f, size_t pc, Instruction i) {
  Opcode op = code_op(i);
  if (op != OP_JTSET && op != OP_JFSET) {
    flow_plain(f, i);
    flow_follow(f, pc);
    return;
  }
  State before = f->now; /* R[A] is written only if the jump is taken */
  flow_plain(f, i);
  flow_follow(f, pc);
  f->now = before;
}

static void flow_skip(Flow *f, size_t pc, Instruction i) {
  give_one(f, code_a(i));
  way_to(f, pc, pc + 2);
  f->reached = false;
}

static void flow_concat(Flow *f, Instruction i) {
  unsigned b = code_b(i);
  use_range(f, b, b + code_c(i));
  lose_from(f, b);
  give_one(f, code_a(i));
}

static void flow_close(Flow *f, Instruction i) {
  regs_remove_range(f->now.captured, code_a(i), 256);
  regs_remove_range(f->now.closable, code_a(i), 256);
}

static void flow_vararg(Flow *f, Instruction i) {
  unsigned a = code_a(i), b = code_b(i);
  if (b == 0) {
    lose_from(f, a);
    f->open = (int)a;
  } else {
    give_range(f, a, a + b - 1);
  }
}

static void flow_values(Flow *f, Instruction i) {
  unsigned a = code_a(i), b = code_b(i);
  bool returns = code_op(i) == OP_RETURN;
  unsigned end = returns ? (b > 1 ? a + b - 1 : a) : a + b;
  use_values(f, a, returns ? a : a + 1, b == 0, end);
  f->open = -1;
  if (returns) flow_return(f, i);
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

/* Instructions that have registers or demands beyond their letters. */
static void flow_special(Flow *f, size_t pc, Instruction i) {
  unsigned a = code_a(i);
  bool plain = !f->first || (code_op(i) >= OP_JMP && code_op(i) <= OP_JNGEI &&
                             code_op(i) != OP_JEQS && code_op(i) != OP_JNEQS);
  const char *wrong = plain ? NULL : verify_special(f->p, pc);
  if (UNLIKELY(wrong)) {
    refuse(f, wrong);
    return;
  }
  switch (code_op(i)) {
    case OP_LOADNIL: give_range(f, a, a + code_b(i) + 1); break;
    case OP_MOVE2:
    case OP_SELF:
      flow_plain(f, i);
      give_one(f, a + 1);
      break;
    case OP_LOADFALSESKIP: flow_skip(f, pc, i); break;
    case OP_NEWTABLE:
    case OP_DUPTABLE:
    case OP_DUPTABLE_SET:
    case OP_CLOSURE: flow_new(f, pc, i); break;
    case OP_CONCAT: flow_concat(f, i); break;
    case OP_JMP:
      flow_follow(f, pc);
      f->reached = false;
      break;
    case OP_FORPREP:
    case OP_FORPREP1: flow_for_prepare(f, pc, i); break;
    case OP_FORLOOP:
    case OP_FORLOOP1: flow_for_loop(f, pc, i); break;
    case OP_TFORPREP: flow_generic_prepare(f, pc, i); break;
    case OP_TFORCALL: flow_generic_call(f, i); break;
    case OP_TFORLOOP: flow_generic_loop(f, pc, i); break;
    case OP_CALL:
    case OP_CALLM:
    case OP_TAILCALL: flow_call(f, i); break;
    case OP_SETLIST:
    case OP_RETURN: flow_values(f, i); break;
    case OP_RETURN1: use_one(f, a); /* FALLTHROUGH */
    case OP_RETURN0: flow_return(f, i); break;
    case OP_VARARG: flow_vararg(f, i); break;
    case OP_VARARGPREP: break;
    case OP_CLOSE: flow_close(f, i); break;
    case OP_TBC:
      use_one(f, a);
      mark_closable(f, a);
      break;
    default:
      if (code_op(i) >= OP_JMP)
        flow_branch(f, pc, i);
      else
        flow_plain(f, i);
  }
}

/* True if the instruction has registers or demands beyond its letters. */
static ALWAYS_INLINE bool is_special(Opcode op) {
  switch (op) {
    case OP_LOADNIL:
    case OP_MOVE2:
    case OP_SELF:
    case OP_LOADFALSESKIP:
    case OP_NEWTABLE:
    case OP_DUPTABLE:
    case OP_DUPTABLE_SET:
    case OP_SETLIST:
    case OP_DIV_RI2:
    case OP_DIV_RF2:
    case OP_MOD_RI:
    case OP_MOD_RN:
    case OP_MOD_RI2:
    case OP_IDIV_RI:
    case OP_IDIV_RN:
    case OP_SHL_RI:
    case OP_SHR_RI:
    case OP_LENAPPEND:
    case OP_CONCAT:
    case OP_GETFIELD_ADD:
    case OP_GETFIELD_SUB:
    case OP_GETFIELD_MUL:
    case OP_GETFIELD_SUBL:
    case OP_GETTABLE_ADD:
    case OP_GETTABLE_MUL_ADD:
    case OP_GETTABLE_SET:
    case OP_SETTABLE_FOR:
    case OP_SETTABLE_FOR1:
    case OP_SETTABLEK_FOR1:
    case OP_ADD_RR_FOR1:
    case OP_ADD_RI_GET:
    case OP_MUL_RR_ADD:
    case OP_MUL_RR_ADDL:
    case OP_MUL_RR_SUB: return true;
    default: return op >= OP_JMP;
  }
}

/* One case for each opcode, so that its letters are constants. */
static void flow_instruction(Flow *f, size_t pc, Instruction i) {
  const Instruction *code = f->p->code + pc;
  switch (code_op(i)) {
#define OP(name, format, operands, meaning) \
  case OP_##name:                           \
    check_##format(f, code, operands);      \
    if (is_special(OP_##name)) break;       \
    flow_##format(f, i, operands);          \
    return;
#include "bytecode/opcodes.def"
#undef OP
    default: return;
  }
  if (!f->wrong) flow_special(f, pc, i);
}

/* Only the next instruction may use open values, and it must. */
static void check_open(Flow *f, Instruction i, bool is_target) {
  if (uses_open(i)) {
    if (is_target) refuse(f, "jump to open values");
  } else if (f->open >= 0) {
    refuse(f, "open values not used");
  }
}

/* Unreachable code is checked as if all registers were assigned. */
static void lose_way(Flow *f) {
  memset(&f->now, 0, sizeof f->now);
  regs_add_range(f->now.assigned, 0, f->p->frame_size);
}

static void flow_at(Flow *f, size_t pc) {
  Instruction i = f->p->code[pc];
  bool is_target = f->v->word[pc] != WORD_PLAIN;
  while (f->loop_count > 1 && innermost(f)->end == pc) leave_loop(f);
  if (is_target) arrive(f, pc);
  if (UNLIKELY(f->open >= 0 || uses_open(i))) check_open(f, i, is_target);
  flow_instruction(f, pc, i);
  if (UNLIKELY(!f->reached)) lose_way(f);
  if (code_op(i) == OP_FORPREP || code_op(i) == OP_FORPREP1) enter_loop(f, pc);
}

static void walk_begin(Flow *f) {
  memset(&f->now, 0, sizeof f->now);
  memset(f->reserved, 0, sizeof f->reserved);
  regs_add_range(f->now.assigned, 0, f->p->param_count);
  f->reached = true;
  f->again = false;
  f->open = -1;
  f->loop_count = 1;
  f->loop[0] = (Loop){0, f->p->code_size, 0};
}

static void walk(Flow *f) {
  walk_begin(f);
  for (size_t pc = 0; pc < f->p->code_size && !f->wrong;) {
    f->v->pc = pc;
    flow_at(f, pc);
    pc += (size_t)code_length(f->p->code[pc]);
  }
}

static void forget_targets(Flow *f) {
  size_t size = verify_state_size(f->p);
  for (uint32_t n = 0; n < f->v->target_count; n++) {
    FlowTarget *t = (FlowTarget *)(void *)(f->v->states + n * size);
    t->first_source = UINT32_MAX;
    t->end = 0;
    t->known = false;
  }
}

const char *verify_flow(CodeCheck *v) {
  Flow f = {.v = v, .p = v->p, .words = regs_words(v->p)};
  if (v->p->is_vararg && v->word[0] != WORD_PLAIN)
    return "jump to the start of a vararg function";
  forget_targets(&f);
  for (int n = 0; n < WALKS_MAX && !f.wrong; n++) {
    f.first = n == 0;
    walk(&f);
    if (!f.again) return f.wrong;
  }
  return f.wrong ? f.wrong : "too many ways through the code";
}
