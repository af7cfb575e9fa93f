/* SPDX-License-Identifier: MIT */
/*
** luac_translate.c -- our instructions for those of PUC Lua 5.4
**
** First notes are made: where jumps lead, which words belong to the instruction
** before them, which loops have a step of 1.  Then the code is walked twice.
** The first time it is only measured, so that the second time the places are
** known to which jumps lead.
**
** Most instructions have one of ours.  These differ:
**
**     a condition and the jump after it      are a conditional jump
**     an operation and the word after it,    are one instruction; that word has
**     for its metamethod                     the operands as the program wrote
**                                            them
**     an operand that has no form of ours    is loaded into a register of its
**                                            own, the last one of the frame
**     two copies to neighboring registers    are a MOVE2
*/
#include "base/check.h"
#include "bytecode/luac.h"
#include "object/budget.h"
#include "object/number.h"
#include "object/thread.h"

typedef enum LuacOp {
#define LUAC(name, with, leads) LUAC_##name,
#include "bytecode/luac54.def"
  LUAC_OP_COUNT
} LuacOp;

/* -- Taking foreign instructions apart ------------------------------------- */

enum {
  SIGNED_B = 127, /* what is added to signed fields */
  SIGNED_BX = 65535,
  SIGNED_SJ = 16777215,
  C_BITS = 8
};

static LuacOp word_op(LuacWord w) { return (LuacOp)(w & 0x7f); }
static unsigned word_a(LuacWord w) { return w >> 7 & 0xff; }
static bool word_k(LuacWord w) { return w >> 15 & 1; }
static unsigned word_b(LuacWord w) { return w >> 16 & 0xff; }
static unsigned word_c(LuacWord w) { return w >> 24; }
static int word_sb(LuacWord w) { return (int)word_b(w) - SIGNED_B; }
static int word_sc(LuacWord w) { return (int)word_c(w) - SIGNED_B; }
static uint32_t word_bx(LuacWord w) { return w >> 15; }
static int word_sbx(LuacWord w) { return (int)word_bx(w) - SIGNED_BX; }
static uint32_t word_ax(LuacWord w) { return w >> 7; }
static int word_sj(LuacWord w) { return (int)word_ax(w) - SIGNED_SJ; }

/* The row of an instruction. */
enum { WITH_NOTHING, WITH_JUMP, WITH_EVENT, WITH_EXTRA, WITH_MORE };
enum {
  LEADS_ON,
  LEADS_JUMP,
  LEADS_FORWARD,
  LEADS_BACK,
  LEADS_OVER,
  LEADS_SKIP
};
static const struct {
  uint8_t with, leads;
} rows[LUAC_OP_COUNT] = {
#define LUAC(name, with, leads) {WITH_##with, LEADS_##leads},
#include "bytecode/luac54.def"
};

/* -- Notes ----------------------------------------------------------------- */

/* True if the next word belongs to the instruction. */
static bool takes_next(LuacWord w) {
  unsigned with = rows[word_op(w)].with;
  return with == WITH_MORE ? word_k(w) : with != WITH_NOTHING;
}

static bool is_next_of(LuacWord w, LuacOp next) {
  switch (rows[word_op(w)].with) {
    case WITH_JUMP: return next == LUAC_JMP;
    case WITH_EVENT: return next >= LUAC_MMBIN && next <= LUAC_MMBINK;
    default: return next == LUAC_EXTRAARG;
  }
}

/* Where the instruction at pc may lead, besides the next one; -1: nowhere. */
static int64_t target_of(const LuacFunction *f, uint32_t pc) {
  LuacWord w = f->code[pc];
  int64_t next = (int64_t)pc + 1;
  switch (rows[word_op(w)].leads) {
    case LEADS_JUMP: return next + word_sj(w);
    case LEADS_FORWARD: return next + word_bx(w);
    case LEADS_BACK: return next - word_bx(w);
    case LEADS_OVER: return next + word_bx(w) + 1;
    case LEADS_SKIP: return next + 1;
    default: return -1;
  }
}

static void note_target(LuacFunction *f, uint32_t pc) {
  int64_t target = target_of(f, pc);
  if (rows[word_op(f->code[pc])].leads == LEADS_ON) return;
  if (target < 0 || target >= f->size) undump_error(f->u, "jump out of range");
  f->notes[target].flags |= LUAC_TARGET;
}

static void note_instruction(LuacFunction *f, uint32_t pc) {
  LuacWord w = f->code[pc];
  if (word_op(w) >= LUAC_OP_COUNT) undump_error(f->u, "no such opcode");
  note_target(f, pc);
  if (!takes_next(w)) return;
  if (pc + 1 >= f->size || word_op(f->code[pc + 1]) >= LUAC_OP_COUNT ||
      !is_next_of(w, word_op(f->code[pc + 1])))
    undump_error(f->u, "half an instruction");
  f->notes[pc + 1].flags |= LUAC_PART;
}

static void check_notes(const LuacFunction *f) {
  const uint32_t both = LUAC_PART | LUAC_TARGET;
  for (uint32_t pc = 0; pc < f->size; pc++)
    if ((f->notes[pc].flags & both) == both)
      undump_error(f->u, "jump into an instruction");
}

/* True if the instruction may write the register.  In doubt it does. */
static bool may_write(LuacWord w, unsigned reg) {
  switch (word_op(w)) {
    case LUAC_SETUPVAL:
    case LUAC_SETTABUP:
    case LUAC_SETTABLE:
    case LUAC_SETI:
    case LUAC_SETFIELD:
    case LUAC_SETLIST: return false;
    case LUAC_LOADNIL:
    case LUAC_SELF:
    case LUAC_CALL:
    case LUAC_TAILCALL:
    case LUAC_VARARG:
    case LUAC_FORLOOP:
    case LUAC_FORPREP:
    case LUAC_TFORPREP:
    case LUAC_TFORCALL:
    case LUAC_TFORLOOP: return word_a(w) <= reg;
    default: return word_a(w) == reg;
  }
}

static bool captures(const LuacFunction *f, LuacWord w, unsigned reg) {
  if (word_op(w) != LUAC_CLOSURE || word_bx(w) >= f->p->proto_count)
    return false;
  const Proto *nested = f->p->protos[word_bx(w)];
  for (uint32_t n = 0; n < nested->upvalue_count; n++)
    if (nested->upvalues[n].in_stack && nested->upvalues[n].index == reg)
      return true;
  return false;
}

/* A loop whose step is loaded just before it, and is 1. */
static void note_loop(LuacFunction *f, uint32_t pc) {
  enum { STEP = 2, VARIABLE = 3 };
  LuacWord w = f->code[pc], load = pc > 0 ? f->code[pc - 1] : 0;
  unsigned a = word_a(w);
  uint32_t end = pc + 1 + word_bx(w);
  uint32_t flags = LUAC_STEP_1;
  if (pc == 0 || f->notes[pc].flags & LUAC_TARGET ||
      f->notes[pc - 1].flags & LUAC_PART || word_op(load) != LUAC_LOADI ||
      word_a(load) != a + STEP || word_sbx(load) != 1 ||
      word_op(f->code[end]) != LUAC_FORLOOP || word_a(f->code[end]) != a)
    return;
  for (uint32_t i = pc + 1; i < end; i++)
    if (!(f->notes[i].flags & LUAC_PART) &&
        (may_write(f->code[i], a + VARIABLE) ||
         captures(f, f->code[i], a + VARIABLE)))
      flags |= LUAC_COPIES;
  f->notes[pc].flags |= LUAC_STEP_1;
  f->notes[pc - 1].flags |= LUAC_PART;
  f->notes[end].flags |= flags;
}

static void note_move(LuacFunction *f, uint32_t pc) {
  LuacNote *note = &f->notes[pc];
  LuacWord w = f->code[pc], next = pc + 1 < f->size ? f->code[pc + 1] : 0;
  if (note->flags & LUAC_PART || pc + 1 == f->size ||
      word_op(next) != LUAC_MOVE || word_a(next) != word_a(w) + 1 ||
      note[1].flags & LUAC_TARGET || note->line != note[1].line)
    return;
  note[1].flags |= LUAC_PART;
}

/* A list that ends with open values.  Its table, the last one that was made in
** that register, gets room for one of them, as it does from our compiler. */
static void note_open_list(LuacFunction *f, uint32_t pc, const uint32_t *made) {
  LuacWord w = f->code[pc];
  if (word_b(w) == 0) f->notes[made[word_a(w)]].flags |= LUAC_OPEN_LIST;
}

/* Once all targets are known. */
static void note_forms(LuacFunction *f) {
  uint32_t made[CODE_MAX_OPERAND + 1] = {0}; /* by register: its NEWTABLE */
  for (uint32_t pc = 0; pc < f->size; pc++) {
    LuacWord w = f->code[pc];
    switch (word_op(w)) {
      case LUAC_FORPREP: note_loop(f, pc); break;
      case LUAC_MOVE: note_move(f, pc); break;
      case LUAC_NEWTABLE: made[word_a(w)] = pc; break;
      case LUAC_SETLIST: note_open_list(f, pc, made); break;
      default: break;
    }
  }
}

/* -- Writing words --------------------------------------------------------- */

/* A walk over the foreign code. */
typedef struct Walk {
  LuacFunction *f;
  Instruction *code; /* NULL: only measure */
  int32_t *lines;
  uint32_t pc;        /* of the foreign instruction */
  uint32_t size;      /* words so far */
  uint32_t constants; /* that are new */
  bool uses_spare;    /* the register after those of the frame */
} Walk;

static void put(Walk *t, Instruction word) {
  if (t->code) {
    t->code[t->size] = word;
    t->lines[t->size] = t->f->notes[t->pc].line;
  }
  t->size++;
}

static void put_abc(Walk *t, Opcode op, unsigned a, unsigned b, unsigned c) {
  put(t, code_make_abc(op, a, b, c));
}

static void put_abcx(Walk *t, Opcode op, unsigned a, unsigned b, unsigned c,
                     Instruction aux) {
  put_abc(t, op, a, b, c);
  put(t, aux);
}

static void put_ad(Walk *t, Opcode op, unsigned a, int d) {
  put(t, code_make_ad(op, a, d));
}

/* The offset from the word after the one at `from` to the translation of the
** instruction at `target`. */
static int32_t offset_to(const Walk *t, uint32_t from, int64_t target) {
  return (int32_t)t->f->notes[target].word - (int32_t)(from + 1);
}

static void put_jump(Walk *t, int64_t target) {
  int32_t offset = offset_to(t, t->size, target);
  if (t->code && (offset < CODE_MIN_E || offset > CODE_MAX_E))
    undump_error(t->f->u, "control structure too long");
  put(t, code_make_e(OP_JMP, offset));
}

/* A jump with its offset in AUX. */
static void put_branch(Walk *t, Instruction word, int64_t target) {
  Instruction offset = (Instruction)offset_to(t, t->size, target);
  put(t, word);
  put(t, offset);
}

static unsigned spare_register(Walk *t) {
  const Proto *p = t->f->p;
  if (p->frame_size == CODE_MAX_REGISTERS)
    undump_error(t->f->u, "too many registers");
  t->uses_spare = true;
  return p->frame_size;
}

static const Value *constant_of(const Walk *t, uint32_t k) {
  if (k >= t->f->p->constant_count)
    undump_error(t->f->u, "constant out of range");
  return &t->f->p->constants[k];
}

static void put_constant(Walk *t, unsigned reg, uint32_t k) {
  if (k <= CODE_MAX_D)
    put_ad(t, OP_LOADK, reg, (int)k);
  else
    put_abcx(t, OP_LOADKX, reg, 0, 0, k);
}

/* Room for new constants is made between the two walks. */
static void put_new_constant(Walk *t, unsigned reg, Value v) {
  const Proto *p = t->f->p;
  uint32_t k = p->constant_count - t->f->new_constants + t->constants++;
  if (t->code) p->constants[k] = v;
  put_constant(t, reg, k);
}

/* -- Loading --------------------------------------------------------------- */

static void put_load_number(Walk *t, LuacWord w) {
  bool is_float = word_op(w) == LUAC_LOADF;
  int n = word_sbx(w);
  Value v;
  if (n >= CODE_MIN_SD && n <= CODE_MAX_SD) {
    put_ad(t, is_float ? OP_LOADF : OP_LOADI, word_a(w), n);
    return;
  }
  if (is_float)
    value_set_float(&v, n);
  else
    value_set_integer(&v, n);
  put_new_constant(t, word_a(w), v);
}

static void put_move(Walk *t, LuacWord w) {
  LuacWord next = t->pc + 1 < t->f->size ? t->f->code[t->pc + 1] : 0;
  bool joins = word_op(next) == LUAC_MOVE && t->pc + 1 < t->f->size &&
               t->f->notes[t->pc + 1].flags & LUAC_PART;
  if (joins)
    put_abc(t, OP_MOVE2, word_a(w), word_b(w), word_b(next));
  else
    put_abc(t, OP_MOVE, word_a(w), word_b(w), 0);
}

/* The next instruction is a LOADTRUE of one word in all code of compilers. */
static void put_false_skip(Walk *t, LuacWord w) {
  const LuacFunction *f = t->f;
  bool short_step =
      t->pc + 1 < f->size && word_op(f->code[t->pc + 1]) == LUAC_LOADTRUE;
  put_abc(t, short_step ? OP_LOADFALSESKIP : OP_LOADFALSE, word_a(w), 0, 0);
  if (!short_step) put_jump(t, target_of(f, t->pc));
}

/* -- Tables ---------------------------------------------------------------- */

/* A register that holds RK[C]. */
static unsigned value_register(Walk *t, LuacWord w) {
  if (!word_k(w)) return word_c(w);
  unsigned spare = spare_register(t);
  put_constant(t, spare, word_c(w));
  return spare;
}

static void put_set_upvalue_field(Walk *t, LuacWord w) {
  Instruction key = aux_field(word_b(w), 0);
  if (word_k(w)) {
    put_ad(t, OP_SETUPFIELDK, word_a(w), (int)word_c(w));
    put(t, key);
  } else {
    put_abcx(t, OP_SETUPFIELD, word_a(w), word_c(w), 0, key);
  }
}

static void put_set_field(Walk *t, LuacWord w) {
  Instruction key = aux_field(word_b(w), 0);
  if (word_k(w)) {
    put_ad(t, OP_SETFIELDK, word_a(w), (int)word_c(w));
    put(t, key);
  } else {
    put_abcx(t, OP_SETFIELD, word_a(w), word_c(w), 0, key);
  }
}

static void put_set_integer(Walk *t, LuacWord w) {
  unsigned value = value_register(t, w);
  put_abc(t, OP_SETINT, word_a(w), word_b(w), value);
}

/* A name that is long, or in a register, is read before R[A+1] is written. */
static void put_self(Walk *t, LuacWord w) {
  unsigned a = word_a(w), name = word_c(w);
  if (word_k(w) && constant_of(t, name)->tag == TAG_SHORT_STRING) {
    put_abcx(t, OP_SELF, a, word_b(w), 0, aux_field(name, 0));
    return;
  }
  unsigned spare = spare_register(t);
  if (word_k(w))
    put_constant(t, spare, name);
  else
    put_abc(t, OP_MOVE, spare, name, 0);
  put_abc(t, OP_MOVE, a + 1, word_b(w), 0);
  put_abc(t, OP_GETTABLE, a, a + 1, spare);
}

/* C of a foreign instruction, with the bits of the next word. */
static uint64_t long_c(const Walk *t, LuacWord w) {
  uint64_t high = word_k(w) ? word_ax(t->f->code[t->pc + 1]) : 0;
  return high << C_BITS | word_c(w);
}

/* Sizes are hints. */
static void put_new_table(Walk *t, LuacWord w) {
  uint64_t items = long_c(t, w);
  uint64_t most = (uint64_t)t->f->size * CODE_ITEMS_PER_WORD;
  unsigned a = word_a(w), fields = word_b(w);
  if (t->f->notes[t->pc].flags & LUAC_OPEN_LIST) items++;
  if (items > most) items = 0;
  if (fields > 32 || (fields > 0 && UINT64_C(1) << (fields - 1) > most))
    fields = 0;
  put_abcx(t, OP_NEWTABLE, a, fields, a, (Instruction)items);
}

static void put_set_list(Walk *t, LuacWord w) {
  uint64_t before = long_c(t, w);
  unsigned items = word_b(w);
  if (items == CODE_MAX_OPERAND || before > INT32_MAX)
    undump_error(t->f->u, "operand out of range");
  put_abcx(t, OP_SETLIST, word_a(w), items ? items + 1 : 0, 0,
           (Instruction)before);
}

/* -- Operations ------------------------------------------------------------ */

typedef struct Operand {
  enum { IS_REGISTER, IS_IMMEDIATE, IS_CONSTANT } kind;
  int n;
} Operand;

/* The kinds of operands that opcodes have: the letters at the ends of their
** names. */
typedef enum Form { RR, RI, RN, RF, IR, FR, FORM_COUNT, NO_FORM } Form;

#define FORMS_ALL(op)                                                     \
  {                                                                       \
    OP_##op##_RR, OP_##op##_RI, OP_##op##_RN, OP_##op##_RF, OP_##op##_IR, \
        OP_##op##_FR                                                      \
  }
#define FORMS_BITS(op) \
  { OP_##op##_RR, [RN] = OP_##op##_RN }

/* OP_MOVE, which is 0, stands where there is none. */
static const uint8_t forms[][FORM_COUNT] = {
    [META_ADD - META_ADD] = FORMS_ALL(ADD),
    [META_SUB - META_ADD] = FORMS_ALL(SUB),
    [META_MUL - META_ADD] = FORMS_ALL(MUL),
    [META_MOD - META_ADD] = {OP_MOD_RR, OP_MOD_RI, OP_MOD_RN},
    [META_POW -
        META_ADD] = {OP_POW_RR, OP_POW_RI, [RF] = OP_POW_RF, [IR] = OP_POW_IR},
    [META_DIV - META_ADD] = FORMS_ALL(DIV),
    [META_IDIV - META_ADD] = {OP_IDIV_RR, OP_IDIV_RI, OP_IDIV_RN},
    [META_BAND - META_ADD] = FORMS_BITS(BAND),
    [META_BOR - META_ADD] = FORMS_BITS(BOR),
    [META_BXOR - META_ADD] = FORMS_BITS(BXOR),
    [META_SHL - META_ADD] = {OP_SHL_RR, OP_SHL_RI, [IR] = OP_SHL_IR},
    [META_SHR - META_ADD] = {OP_SHR_RR, OP_SHR_RI},
};
static_assert(OP_MOVE == 0, "it stands for no opcode");

/* A constant that is a small integer is an immediate. */
static Operand as_immediate(const Walk *t, Operand o) {
  if (o.kind != IS_CONSTANT) return o;
  const Value *v = constant_of(t, (uint32_t)o.n);
  if (v->tag != TAG_INTEGER || v->as.i < CODE_MIN_I8 || v->as.i > CODE_MAX_I8)
    return o;
  return (Operand){IS_IMMEDIATE, (int)v->as.i};
}

/* Which form the operands have.  At most one of them is no register. */
static Form form_of(const Walk *t, Operand left, Operand right) {
  Operand other = left.kind == IS_REGISTER ? right : left;
  bool swapped = left.kind != IS_REGISTER;
  if (other.kind == IS_REGISTER) return RR;
  if (other.kind == IS_IMMEDIATE)
    return other.n < CODE_MIN_I8 || other.n > CODE_MAX_I8 ? NO_FORM
           : swapped                                      ? IR
                                                          : RI;
  switch (constant_of(t, (uint32_t)other.n)->tag) {
    case TAG_INTEGER: return swapped ? NO_FORM : RN;
    case TAG_FLOAT: return swapped ? FR : RF;
    default: return NO_FORM;
  }
}

/* True if the opcode allows this right operand, which is no register. */
static bool allows(const Walk *t, Opcode op, Operand right) {
  switch (op) {
    case OP_MOD_RI:
    case OP_IDIV_RI: return right.n > 0;
    case OP_MOD_RN:
    case OP_IDIV_RN: return constant_of(t, (uint32_t)right.n)->as.i > 0;
    case OP_SHL_RI:
    case OP_SHR_RI: return right.n >= 0 && right.n < 64;
    default: return true;
  }
}

/* The opcode for a divisor that is a power of two. */
static Opcode for_power(const Walk *t, Opcode op, Operand right) {
  if (op == OP_DIV_RF)
    return float_has_inverse(constant_of(t, (uint32_t)right.n)->as.n)
               ? OP_DIV_RF2
               : op;
  if (right.n <= 0 || right.n & (right.n - 1)) return op;
  return op == OP_DIV_RI ? OP_DIV_RI2 : op == OP_MOD_RI ? OP_MOD_RI2 : op;
}

static Operand in_register(Walk *t, Operand o) {
  if (o.kind == IS_REGISTER) return o;
  unsigned spare = spare_register(t);
  if (o.kind == IS_IMMEDIATE)
    put_ad(t, OP_LOADI, spare, o.n);
  else
    put_constant(t, spare, (uint32_t)o.n);
  return (Operand){IS_REGISTER, (int)spare};
}

static void put_operation(Walk *t, unsigned result, MetaEvent event,
                          Operand left, Operand right) {
  left = as_immediate(t, left);
  right = as_immediate(t, right);
  const uint8_t *row = forms[event - META_ADD];
  Form form = form_of(t, left, right);
  Opcode op = form == NO_FORM ? OP_MOVE : (Opcode)row[form];
  if (op == OP_MOVE || (right.kind != IS_REGISTER && !allows(t, op, right))) {
    left = in_register(t, left);
    right = in_register(t, right);
    op = (Opcode)row[RR];
  } else if (right.kind != IS_REGISTER) {
    op = for_power(t, op, right);
  }
  put_abc(t, op, result, (unsigned)left.n, (unsigned)right.n);
}

/* The word after the operation has its event, k if the operands are swapped, and
** the operand that is no register.  Bits of an event are in the order of ours,
** but begin with another number. */
static void put_operation_with(Walk *t, LuacWord w, MetaEvent event,
                               Operand other) {
  Operand left = {IS_REGISTER, (int)word_b(w)};
  if (word_k(t->f->code[t->pc + 1]))
    put_operation(t, word_a(w), event, other, left);
  else
    put_operation(t, word_a(w), event, left, other);
}

static MetaEvent event_from(LuacOp op, LuacOp first, MetaEvent event) {
  return (MetaEvent)((int)event + (int)(op - first));
}

static void put_register_operation(Walk *t, LuacWord w) {
  put_operation(t, word_a(w), event_from(word_op(w), LUAC_ADD, META_ADD),
                (Operand){IS_REGISTER, (int)word_b(w)},
                (Operand){IS_REGISTER, (int)word_c(w)});
}

static void put_constant_operation(Walk *t, LuacWord w) {
  put_operation_with(t, w, event_from(word_op(w), LUAC_ADDK, META_ADD),
                     (Operand){IS_CONSTANT, (int)word_c(w)});
}

/* x - 5 is an addition of -5, and x << 5 a shift to the right by -5.  The word
** that follows tells. */
static void put_immediate_operation(Walk *t, LuacWord w) {
  enum { FOREIGN_SUB = 7, FOREIGN_SHL = 16 };
  LuacWord next = t->f->code[t->pc + 1];
  bool adds = word_op(w) == LUAC_ADDI;
  bool opposite = word_c(next) == (adds ? FOREIGN_SUB : FOREIGN_SHL) &&
                  word_op(w) != LUAC_SHLI;
  int n = opposite ? -word_sc(w) : word_sc(w);
  MetaEvent event = adds       ? (opposite ? META_SUB : META_ADD)
                    : opposite ? META_SHL
                               : META_SHR;
  if (word_op(w) == LUAC_SHLI) event = META_SHL;
  put_operation_with(t, w, event, (Operand){IS_IMMEDIATE, n});
}

/* -- Conditions ------------------------------------------------------------ */

/* Jumps as the next word says, if the condition holds as k says. */
static void put_condition(Walk *t, LuacWord w, Instruction condition) {
  if (!word_k(w))
    condition = code_with_op(condition, opcode_opposite(code_op(condition)));
  put_branch(t, condition, target_of(t->f, t->pc + 1));
}

static void put_compare(Walk *t, LuacWord w, Opcode op) {
  put_condition(t, w, code_make_abc(op, word_a(w), word_b(w), 0));
}

static void put_compare_number(Walk *t, LuacWord w, Opcode op) {
  int n = code_make_i15(word_sb(w), word_c(w) != 0);
  put_condition(t, w, code_make_ad(op, word_a(w), n));
}

static void put_compare_constant(Walk *t, LuacWord w) {
  unsigned tag = constant_of(t, word_b(w))->tag;
  if (tag == TAG_NIL)
    put_condition(t, w, code_make_abc(OP_JNIL, word_a(w), 0, 0));
  else
    put_compare(t, w, tag == TAG_SHORT_STRING ? OP_JEQS : OP_JEQK);
}

/* -- Loops, calls, functions ----------------------------------------------- */

/* A jump that has A, and an offset that its row describes. */
static void put_branch_a(Walk *t, LuacWord w, Opcode op) {
  put_branch(t, code_make_abc(op, word_a(w), 0, 0), target_of(t->f, t->pc));
}

static void put_loop_start(Walk *t, LuacWord w) {
  uint32_t flags = t->f->notes[t->pc].flags;
  put_branch_a(t, w, flags & LUAC_STEP_1 ? OP_FORPREP1 : OP_FORPREP);
}

static void put_loop(Walk *t, LuacWord w) {
  uint32_t flags = t->f->notes[t->pc].flags;
  Opcode op = OP_FORLOOP;
  if (flags & LUAC_STEP_1) op = flags & LUAC_COPIES ? OP_FORCOPY1 : OP_FORLOOP1;
  put_branch_a(t, w, op);
}

static void put_call(Walk *t, LuacWord w) {
  unsigned b = word_b(w), c = word_c(w);
  if (b > 0 && c > 0)
    put_abc(t, OP_CALL, word_a(w), b - 1, c - 1);
  else
    put_abc(t, OP_CALLM, word_a(w), b, c);
}

static void put_return(Walk *t, LuacWord w, Opcode op) {
  unsigned flags = (word_k(w) ? RETURN_CLOSE : 0u) |
                   (t->f->p->is_vararg ? RETURN_VARARG : 0u);
  put_abc(t, op, word_a(w), word_b(w), flags);
}

/* Up to 5.4.4, PUC's compiler forgets the variable to be closed of a generic
** loop that a `break` leaves.  Its CLOSE comes after the end of the loop. */
static void put_close(Walk *t, LuacWord w) {
  const LuacWord *before = t->pc > 0 ? &t->f->code[t->pc - 1] : &w;
  unsigned level = word_a(w);
  if (word_op(*before) == LUAC_TFORLOOP && word_a(*before) < level)
    level = word_a(*before);
  put_abc(t, OP_CLOSE, level, 0, 0);
}

static void put_closure(Walk *t, LuacWord w) {
  put_abcx(t, OP_CLOSURE, word_a(w), 0, word_a(w), word_bx(w));
}

/* -- Instructions ---------------------------------------------------------- */

static void put_instruction(Walk *t, LuacWord w) {
  unsigned a = word_a(w), b = word_b(w), c = word_c(w);
  switch (word_op(w)) {
    case LUAC_MOVE: put_move(t, w); break;
    case LUAC_LOADI:
    case LUAC_LOADF: put_load_number(t, w); break;
    case LUAC_LOADK: put_constant(t, a, word_bx(w)); break;
    case LUAC_LOADKX: put_constant(t, a, word_ax(t->f->code[t->pc + 1])); break;
    case LUAC_LOADFALSE: put_abc(t, OP_LOADFALSE, a, 0, 0); break;
    case LUAC_LFALSESKIP: put_false_skip(t, w); break;
    case LUAC_LOADTRUE: put_abc(t, OP_LOADTRUE, a, 0, 0); break;
    case LUAC_LOADNIL: put_abc(t, OP_LOADNIL, a, b, 0); break;
    case LUAC_GETUPVAL: put_abc(t, OP_GETUPVAL, a, b, 0); break;
    case LUAC_SETUPVAL: put_abc(t, OP_SETUPVAL, a, b, 0); break;
    case LUAC_GETTABUP:
      put_abcx(t, OP_GETUPFIELD, a, b, 0, aux_field(c, 0));
      break;
    case LUAC_GETTABLE: put_abc(t, OP_GETTABLE, a, b, c); break;
    case LUAC_GETI: put_abc(t, OP_GETINT, a, b, c); break;
    case LUAC_GETFIELD:
      put_abcx(t, OP_GETFIELD, a, b, 0, aux_field(c, 0));
      break;
    case LUAC_SETTABUP: put_set_upvalue_field(t, w); break;
    case LUAC_SETTABLE:
      put_abc(t, word_k(w) ? OP_SETTABLEK : OP_SETTABLE, a, b, c);
      break;
    case LUAC_SETI: put_set_integer(t, w); break;
    case LUAC_SETFIELD: put_set_field(t, w); break;
    case LUAC_NEWTABLE: put_new_table(t, w); break;
    case LUAC_SELF: put_self(t, w); break;
    case LUAC_ADDI:
    case LUAC_SHRI:
    case LUAC_SHLI: put_immediate_operation(t, w); break;
    case LUAC_ADDK:
    case LUAC_SUBK:
    case LUAC_MULK:
    case LUAC_MODK:
    case LUAC_POWK:
    case LUAC_DIVK:
    case LUAC_IDIVK:
    case LUAC_BANDK:
    case LUAC_BORK:
    case LUAC_BXORK: put_constant_operation(t, w); break;
    case LUAC_ADD:
    case LUAC_SUB:
    case LUAC_MUL:
    case LUAC_MOD:
    case LUAC_POW:
    case LUAC_DIV:
    case LUAC_IDIV:
    case LUAC_BAND:
    case LUAC_BOR:
    case LUAC_BXOR:
    case LUAC_SHL:
    case LUAC_SHR: put_register_operation(t, w); break;
    case LUAC_UNM: put_abc(t, OP_UNM, a, b, 0); break;
    case LUAC_BNOT: put_abc(t, OP_BNOT, a, b, 0); break;
    case LUAC_NOT: put_abc(t, OP_NOT, a, b, 0); break;
    case LUAC_LEN: put_abc(t, OP_LEN, a, b, 0); break;
    case LUAC_CONCAT: put_abc(t, OP_CONCAT, a, a, b); break;
    case LUAC_CLOSE: put_close(t, w); break;
    case LUAC_TBC: put_abc(t, OP_TBC, a, 0, 0); break;
    case LUAC_JMP: put_jump(t, target_of(t->f, t->pc)); break;
    case LUAC_EQ: put_compare(t, w, OP_JEQ); break;
    case LUAC_LT: put_compare(t, w, OP_JLT); break;
    case LUAC_LE: put_compare(t, w, OP_JLE); break;
    case LUAC_EQK: put_compare_constant(t, w); break;
    case LUAC_EQI: put_compare_number(t, w, OP_JEQI); break;
    case LUAC_LTI: put_compare_number(t, w, OP_JLTI); break;
    case LUAC_LEI: put_compare_number(t, w, OP_JLEI); break;
    case LUAC_GTI: put_compare_number(t, w, OP_JGTI); break;
    case LUAC_GEI: put_compare_number(t, w, OP_JGEI); break;
    case LUAC_TEST: put_condition(t, w, code_make_abc(OP_JT, a, 0, 0)); break;
    case LUAC_TESTSET:
      put_condition(t, w, code_make_abc(OP_JTSET, a, b, 0));
      break;
    case LUAC_CALL: put_call(t, w); break;
    case LUAC_TAILCALL: put_return(t, w, OP_TAILCALL); break;
    case LUAC_RETURN: put_return(t, w, OP_RETURN); break;
    case LUAC_RETURN0: put_abc(t, OP_RETURN0, 0, 0, 0); break;
    case LUAC_RETURN1: put_abc(t, OP_RETURN1, a, 0, 0); break;
    case LUAC_FORLOOP: put_loop(t, w); break;
    case LUAC_FORPREP: put_loop_start(t, w); break;
    case LUAC_TFORPREP: put_branch_a(t, w, OP_TFORPREP); break;
    case LUAC_TFORCALL: put_abc(t, OP_TFORCALL, a, c, 0); break;
    case LUAC_TFORLOOP: put_branch_a(t, w, OP_TFORLOOP); break;
    case LUAC_SETLIST: put_set_list(t, w); break;
    case LUAC_CLOSURE: put_closure(t, w); break;
    case LUAC_VARARG: put_abc(t, OP_VARARG, a, c, 0); break;
    case LUAC_VARARGPREP: put_abc(t, OP_VARARGPREP, a, 0, 0); break;
    default: undump_error(t->f->u, "half an instruction");
  }
}

/* -- Functions ------------------------------------------------------------- */

enum {
  WALK_UNITS = 4,      /* of the budget, for an instruction */
  WALK_PIECE = 1 << 10 /* instructions between two payments */
};

static Walk walk_all(LuacFunction *f, Instruction *code, int32_t *lines) {
  Walk t = {.f = f, .code = code, .lines = lines};
  for (t.pc = 0; t.pc < f->size; t.pc++) {
    LuacNote *note = &f->notes[t.pc];
    note->word = t.size;
    if (t.pc % WALK_PIECE == 0) budget_spend(f->u->L, WALK_PIECE * WALK_UNITS);
    if (!(note->flags & LUAC_PART)) put_instruction(&t, f->code[t.pc]);
  }
  f->notes[f->size].word = t.size;
  return t;
}

/* Makes room for what the first walk has counted. */
static void make_room(LuacFunction *f, const Walk *t) {
  lua_State *L = f->u->L;
  Proto *p = f->p;
  uint32_t old = p->constant_count;
  VECTOR_RESIZE(L, p, p->code, t->size);
  VECTOR_RESIZE(L, p, p->constants, old + t->constants);
  for (uint32_t k = old; k < old + t->constants; k++)
    value_set_nil(&p->constants[k]);
  p->constant_count = old + t->constants;
  f->new_constants = t->constants;
  vector_resize(L, &f->lines->cell, &f->lines->data, sizeof(int32_t), 0);
  vector_resize(L, &f->lines->cell, &f->lines->data, sizeof(int32_t), t->size);
}

/* Chooses the opcodes of pairs, twice, for pairs of pairs. */
static void join_pairs(Proto *p) {
  for (int turn = 0; turn < 2; turn++) {
    uint32_t next;
    for (uint32_t pc = 0; pc < p->code_size; pc = next) {
      Instruction *i = &p->code[pc];
      next = pc + (uint32_t)code_length(*i);
      if (next < p->code_size)
        *i = code_with_op(*i, code_pair(*i, p->code[next]));
    }
  }
}

void luac_translate(LuacFunction *f) {
  Proto *p = f->p;
  for (uint32_t pc = 0; pc < f->size; pc++) note_instruction(f, pc);
  check_notes(f);
  note_forms(f);
  Walk measured = walk_all(f, NULL, NULL);
  make_room(f, &measured);
  Walk t = walk_all(f, p->code, f->lines->data);
  ASSERT(t.size == measured.size, "%u words measured, %u made",
         (unsigned)measured.size, (unsigned)t.size);
  p->code_size = t.size;
  if (t.uses_spare) p->frame_size++;
  join_pairs(p);
  proto_fix_code(p);
  if (f->has_lines) proto_set_lines(f->u->L, p, f->lines->data, t.size);
}
