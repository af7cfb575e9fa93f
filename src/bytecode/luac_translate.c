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

/* -- Notes ----------------------------------------------------------------- */

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
  if (target <= (int64_t)pc && word_op(f->code[pc]) == LUAC_JMP)
    f->jumps_back = true;
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

/* Where registers were last written or captured, in a walk over the code: a pc,
** counted from 1. */
typedef struct Writes {
  uint32_t one[CODE_MAX_OPERAND + 1];      /* this register */
  uint32_t several[CODE_MAX_OPERAND + 1];  /* this one and others above it */
  uint32_t captured[CODE_MAX_OPERAND + 1]; /* by a nested function */
  uint32_t made[CODE_MAX_OPERAND + 1];     /* its NEWTABLE, counted from 0 */
} Writes;

static void writes_add(Writes *writes, LuacWord w, uint32_t pc) {
  switch (word_op(w)) {
    case LUAC_SETUPVAL:
    case LUAC_SETTABUP:
    case LUAC_SETTABLE:
    case LUAC_SETI:
    case LUAC_SETFIELD:
    case LUAC_SETLIST: break;
    case LUAC_LOADNIL:
    case LUAC_SELF:
    case LUAC_CALL:
    case LUAC_TAILCALL:
    case LUAC_VARARG:
    case LUAC_FORLOOP:
    case LUAC_FORPREP:
    case LUAC_TFORPREP:
    case LUAC_TFORCALL:
    case LUAC_TFORLOOP: writes->several[word_a(w)] = pc + 1; break;
    default: writes->one[word_a(w)] = pc + 1; break;
  }
}

static void writes_add_captured(Writes *writes, const LuacFunction *f,
                                uint32_t pc) {
  uint32_t index = word_bx(f->code[pc]);
  if (index >= f->p->proto_count) return;
  const Proto *nested = f->p->protos[index];
  for (uint32_t n = 0; n < nested->upvalue_count; n++)
    if (nested->upvalues[n].in_stack)
      writes->captured[nested->upvalues[n].index] = pc + 1;
}

/* True if the register may have been written since `pc`, or can be by a nested
** function. */
static bool writes_since(const Writes *writes, unsigned reg, uint32_t pc) {
  bool found = writes->one[reg] > pc || writes->captured[reg] > pc;
  for (unsigned r = 0; r <= reg; r++) found |= writes->several[r] > pc;
  return found;
}

/* True if the loop from the FORPREP to the FORLOOP has a step that is loaded just
** before it, and is 1. */
static bool steps_by_1(const LuacFunction *f, uint32_t start, uint32_t end) {
  enum { STEP = 2 };
  unsigned a = word_a(f->code[end]);
  if (start == 0 || word_op(f->code[start]) != LUAC_FORPREP ||
      word_a(f->code[start]) != a || target_of(f, start) != end + 1 ||
      f->notes[start].flags & LUAC_TARGET)
    return false;
  LuacWord load = f->code[start - 1];
  return word_op(load) == LUAC_LOADI && word_a(load) == a + STEP &&
         word_sbx(load) == 1;
}

/* At the end of a loop. */
static void note_loop(LuacFunction *f, uint32_t end, const Writes *writes) {
  enum { VARIABLE = 3 };
  uint32_t body = (uint32_t)target_of(f, end);
  unsigned a = word_a(f->code[end]);
  if (body == 0 || a + VARIABLE > CODE_MAX_OPERAND ||
      !steps_by_1(f, body - 1, end))
    return;
  bool copies = writes_since(writes, a + VARIABLE, body);
  f->notes[body - 1].flags |= LUAC_STEP_1;
  f->notes[body - 2].flags |= LUAC_PART;
  f->notes[end].flags |= LUAC_STEP_1 | (copies ? (uint32_t)LUAC_COPIES : 0);
}

static void note_move(LuacFunction *f, uint32_t pc) {
  LuacNote *note = &f->notes[pc];
  LuacWord w = f->code[pc], next = pc + 1 < f->size ? f->code[pc + 1] : 0;
  if (pc + 1 == f->size || word_op(next) != LUAC_MOVE ||
      word_a(next) != word_a(w) + 1 || note[1].flags & LUAC_TARGET ||
      note->line != note[1].line)
    return;
  note[1].flags |= LUAC_PART;
}

/* A list that ends with open values.  Its table, the last one that was made in
** that register, gets room for one of them, as it does from our compiler. */
static void note_open_list(LuacFunction *f, uint32_t pc, const Writes *writes) {
  LuacWord w = f->code[pc];
  if (word_b(w) == 0) f->notes[writes->made[word_a(w)]].flags |= LUAC_OPEN_LIST;
}

/* Once all targets are known. */
static void note_forms(LuacFunction *f) {
  Writes writes = {{0}, {0}, {0}, {0}};
  for (uint32_t pc = 0; pc < f->size; pc++) {
    LuacWord w = f->code[pc];
    if (f->notes[pc].flags & LUAC_PART) continue;
    switch (word_op(w)) {
      case LUAC_FORLOOP: note_loop(f, pc, &writes); break;
      case LUAC_MOVE: note_move(f, pc); break;
      case LUAC_NEWTABLE: writes.made[word_a(w)] = pc; break;
      case LUAC_SETLIST: note_open_list(f, pc, &writes); break;
      case LUAC_CLOSURE: writes_add_captured(&writes, f, pc); break;
      default: break;
    }
    writes_add(&writes, w, pc);
  }
  for (uint32_t pc = 0; pc < f->size; pc++)
    if (word_op(f->code[pc]) == LUAC_NEWTABLE) luac_note_template(f, pc);
}

/* -- Writing words --------------------------------------------------------- */

/* A walk over the foreign code. */
typedef struct Walk {
  LuacFunction *f;
  Instruction *code; /* NULL: only measure */
  int32_t *lines;
  uint32_t pc;        /* of the foreign instruction */
  uint32_t size;      /* words so far */
  uint32_t constants; /* new numbers so far */
  uint32_t templates; /* so far */
  bool uses_spare;    /* the register after those of the frame */
} Walk;

static void out_word(Walk *t, Instruction word) {
  if (t->code) {
    t->code[t->size] = word;
    t->lines[t->size] = t->f->notes[t->pc].line;
  }
  t->size++;
}

static void out_abc(Walk *t, Opcode op, unsigned a, unsigned b, unsigned c) {
  out_word(t, code_make_abc(op, a, b, c));
}

static void out_abcx(Walk *t, Opcode op, unsigned a, unsigned b, unsigned c,
                     Instruction aux) {
  out_abc(t, op, a, b, c);
  out_word(t, aux);
}

static void out_ad(Walk *t, Opcode op, unsigned a, int d) {
  out_word(t, code_make_ad(op, a, d));
}

/* The offset from the word after the one at `from` to the translation of the
** instruction at `target`. */
static int32_t offset_to(const Walk *t, uint32_t from, int64_t target) {
  return (int32_t)t->f->notes[target].word - (int32_t)(from + 1);
}

static void out_jump(Walk *t, int64_t target) {
  int32_t offset = offset_to(t, t->size, target);
  if (t->code && (offset < CODE_MIN_E || offset > CODE_MAX_E))
    undump_error(t->f->u, "control structure too long");
  out_word(t, code_make_e(OP_JMP, offset));
}

/* A jump with its offset in AUX. */
static void out_branch(Walk *t, Instruction word, int64_t target) {
  Instruction offset = (Instruction)offset_to(t, t->size, target);
  out_word(t, word);
  out_word(t, offset);
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

static void out_constant(Walk *t, unsigned reg, uint32_t k) {
  if (k <= CODE_MAX_D)
    out_ad(t, OP_LOADK, reg, (int)k);
  else
    out_abcx(t, OP_LOADKX, reg, 0, 0, k);
}

/* Room for new constants is made between the two walks. */
static void out_new_constant(Walk *t, unsigned reg, Value v) {
  const Proto *p = t->f->p;
  uint32_t k = p->constant_count - t->f->new_constants + t->constants++;
  if (t->code) p->constants[k] = v;
  out_constant(t, reg, k);
}

/* -- Loading --------------------------------------------------------------- */

static void out_load_number(Walk *t, LuacWord w) {
  bool is_float = word_op(w) == LUAC_LOADF;
  int n = word_sbx(w);
  Value v;
  if (n >= CODE_MIN_SD && n <= CODE_MAX_SD) {
    out_ad(t, is_float ? OP_LOADF : OP_LOADI, word_a(w), n);
    return;
  }
  if (is_float)
    value_set_float(&v, n);
  else
    value_set_integer(&v, n);
  out_new_constant(t, word_a(w), v);
}

static void out_move(Walk *t, LuacWord w) {
  LuacWord next = t->pc + 1 < t->f->size ? t->f->code[t->pc + 1] : 0;
  bool joins = word_op(next) == LUAC_MOVE && t->pc + 1 < t->f->size &&
               t->f->notes[t->pc + 1].flags & LUAC_PART;
  if (joins)
    out_abc(t, OP_MOVE2, word_a(w), word_b(w), word_b(next));
  else
    out_abc(t, OP_MOVE, word_a(w), word_b(w), 0);
}

/* The next instruction is a LOADTRUE of one word in all code of compilers. */
static void out_false_skip(Walk *t, LuacWord w) {
  const LuacFunction *f = t->f;
  bool short_step =
      t->pc + 1 < f->size && word_op(f->code[t->pc + 1]) == LUAC_LOADTRUE;
  out_abc(t, short_step ? OP_LOADFALSESKIP : OP_LOADFALSE, word_a(w), 0, 0);
  if (!short_step) out_jump(t, target_of(f, t->pc));
}

/* -- Tables ---------------------------------------------------------------- */

/* A register that holds RK[C]. */
static unsigned value_register(Walk *t, LuacWord w) {
  if (!word_k(w)) return word_c(w);
  unsigned spare = spare_register(t);
  out_constant(t, spare, word_c(w));
  return spare;
}

static void out_set_upvalue_field(Walk *t, LuacWord w) {
  Instruction key = aux_field(word_b(w), 0);
  if (word_k(w)) {
    out_ad(t, OP_SETUPFIELDK, word_a(w), (int)word_c(w));
    out_word(t, key);
  } else {
    out_abcx(t, OP_SETUPFIELD, word_a(w), word_c(w), 0, key);
  }
}

static void out_set_field(Walk *t, LuacWord w) {
  Instruction key = aux_field(word_b(w), 0);
  if (word_k(w)) {
    out_ad(t, OP_SETFIELDK, word_a(w), (int)word_c(w));
    out_word(t, key);
  } else {
    out_abcx(t, OP_SETFIELD, word_a(w), word_c(w), 0, key);
  }
}

static void out_set_integer(Walk *t, LuacWord w) {
  unsigned value = value_register(t, w);
  out_abc(t, OP_SETINT, word_a(w), word_b(w), value);
}

/* A name that is long, or in a register, is read before R[A+1] is written. */
static void out_self(Walk *t, LuacWord w) {
  unsigned a = word_a(w), name = word_c(w);
  if (word_k(w) && constant_of(t, name)->tag == TAG_SHORT_STRING) {
    out_abcx(t, OP_SELF, a, word_b(w), 0, aux_field(name, 0));
    return;
  }
  unsigned spare = spare_register(t);
  if (word_k(w))
    out_constant(t, spare, name);
  else
    out_abc(t, OP_MOVE, spare, name, 0);
  out_abc(t, OP_MOVE, a + 1, word_b(w), 0);
  out_abc(t, OP_GETTABLE, a, a + 1, spare);
}

/* Sizes are hints. */
static void out_new_table(Walk *t, LuacWord w) {
  const LuacFunction *f = t->f;
  uint64_t items = luac_items(f, t->pc);
  uint64_t most = (uint64_t)f->size * CODE_ITEMS_PER_WORD;
  unsigned a = word_a(w), fields = word_b(w);
  if (f->notes[t->pc].flags & LUAC_TEMPLATE) {
    uint32_t first = f->p->constant_count - f->templates;
    out_abcx(t, OP_DUPTABLE, a, 0, a, first + t->templates++);
    return;
  }
  if (items > most) items = 0;
  if (fields > 32 || (fields > 0 && UINT64_C(1) << (fields - 1) > most))
    fields = 0;
  out_abcx(t, OP_NEWTABLE, a, fields, a, (Instruction)items);
}

static void out_set_list(Walk *t, LuacWord w) {
  uint64_t before = luac_long_c(t->f, t->pc);
  unsigned items = word_b(w);
  if (items == CODE_MAX_OPERAND || before > INT32_MAX)
    undump_error(t->f->u, "operand out of range");
  out_abcx(t, OP_SETLIST, word_a(w), items ? items + 1 : 0, 0,
           (Instruction)before);
}

/* -- Operations ------------------------------------------------------------ */

typedef struct Operand {
  enum { IS_REGISTER, IS_IMMEDIATE, IS_CONSTANT } kind;
  int n;
} Operand;

/* The kinds of operands that opcodes have: the letters at the ends of their
** names. */
typedef enum Form { RR, RI, RN, RF, IR, FR, FORMS, OTHER_FORM } Form;

#define FORMS_ALL(op)                                                     \
  {                                                                       \
    OP_##op##_RR, OP_##op##_RI, OP_##op##_RN, OP_##op##_RF, OP_##op##_IR, \
        OP_##op##_FR                                                      \
  }
#define FORMS_BITS(op) \
  { OP_##op##_RR, [RN] = OP_##op##_RN }

/* OP_MOVE, which is 0, stands where there is none. */
static const uint8_t forms[][FORMS] = {
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
    return other.n < CODE_MIN_I8 || other.n > CODE_MAX_I8 ? OTHER_FORM
           : swapped                                      ? IR
                                                          : RI;
  switch (constant_of(t, (uint32_t)other.n)->tag) {
    case TAG_INTEGER: return swapped ? OTHER_FORM : RN;
    case TAG_FLOAT: return swapped ? FR : RF;
    default: return OTHER_FORM;
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
    out_ad(t, OP_LOADI, spare, o.n);
  else
    out_constant(t, spare, (uint32_t)o.n);
  return (Operand){IS_REGISTER, (int)spare};
}

static void out_operation(Walk *t, unsigned result, MetaEvent event,
                          Operand left, Operand right) {
  left = as_immediate(t, left);
  right = as_immediate(t, right);
  const uint8_t *row = forms[event - META_ADD];
  Form form = form_of(t, left, right);
  Opcode op = form == OTHER_FORM ? OP_MOVE : (Opcode)row[form];
  if (op == OP_MOVE || (right.kind != IS_REGISTER && !allows(t, op, right))) {
    left = in_register(t, left);
    right = in_register(t, right);
    op = (Opcode)row[RR];
  } else if (right.kind != IS_REGISTER) {
    op = for_power(t, op, right);
  }
  out_abc(t, op, result, (unsigned)left.n, (unsigned)right.n);
}

/* The word after the operation has its event, k if the operands are swapped, and
** the operand that is no register.  Bits of an event are in the order of ours,
** but begin with another number. */
static void out_operation_with(Walk *t, LuacWord w, MetaEvent event,
                               Operand other) {
  Operand left = {IS_REGISTER, (int)word_b(w)};
  if (word_k(t->f->code[t->pc + 1]))
    out_operation(t, word_a(w), event, other, left);
  else
    out_operation(t, word_a(w), event, left, other);
}

static MetaEvent event_from(LuacOp op, LuacOp first, MetaEvent event) {
  return (MetaEvent)((int)event + (int)(op - first));
}

static void out_register_operation(Walk *t, LuacWord w) {
  out_operation(t, word_a(w), event_from(word_op(w), LUAC_ADD, META_ADD),
                (Operand){IS_REGISTER, (int)word_b(w)},
                (Operand){IS_REGISTER, (int)word_c(w)});
}

static void out_constant_operation(Walk *t, LuacWord w) {
  out_operation_with(t, w, event_from(word_op(w), LUAC_ADDK, META_ADD),
                     (Operand){IS_CONSTANT, (int)word_c(w)});
}

/* x - 5 is an addition of -5, and x << 5 a shift to the right by -5.  The word
** that follows tells. */
static void out_immediate_operation(Walk *t, LuacWord w) {
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
  out_operation_with(t, w, event, (Operand){IS_IMMEDIATE, n});
}

/* -- Conditions ------------------------------------------------------------ */

/* Jumps as the next word says, if the condition holds as k says. */
static void out_condition(Walk *t, LuacWord w, Instruction condition) {
  if (!word_k(w))
    condition = code_with_op(condition, opcode_opposite(code_op(condition)));
  out_branch(t, condition, target_of(t->f, t->pc + 1));
}

static void out_compare(Walk *t, LuacWord w, Opcode op) {
  out_condition(t, w, code_make_abc(op, word_a(w), word_b(w), 0));
}

static void out_compare_number(Walk *t, LuacWord w, Opcode op) {
  int n = code_make_i15(word_sb(w), word_c(w) != 0);
  out_condition(t, w, code_make_ad(op, word_a(w), n));
}

static void out_compare_constant(Walk *t, LuacWord w) {
  unsigned tag = constant_of(t, word_b(w))->tag;
  if (tag == TAG_NIL)
    out_condition(t, w, code_make_abc(OP_JNIL, word_a(w), 0, 0));
  else
    out_compare(t, w, tag == TAG_SHORT_STRING ? OP_JEQS : OP_JEQK);
}

/* -- Loops, calls, functions ----------------------------------------------- */

/* A jump that has A, and an offset that its row describes. */
static void out_branch_a(Walk *t, LuacWord w, Opcode op) {
  out_branch(t, code_make_abc(op, word_a(w), 0, 0), target_of(t->f, t->pc));
}

static void out_loop_start(Walk *t, LuacWord w) {
  uint32_t flags = t->f->notes[t->pc].flags;
  out_branch_a(t, w, flags & LUAC_STEP_1 ? OP_FORPREP1 : OP_FORPREP);
}

static void out_loop(Walk *t, LuacWord w) {
  uint32_t flags = t->f->notes[t->pc].flags;
  Opcode op = OP_FORLOOP;
  if (flags & LUAC_STEP_1) op = flags & LUAC_COPIES ? OP_FORCOPY1 : OP_FORLOOP1;
  out_branch_a(t, w, op);
}

static void out_call(Walk *t, LuacWord w) {
  unsigned b = word_b(w), c = word_c(w);
  if (b > 0 && c > 0)
    out_abc(t, OP_CALL, word_a(w), b - 1, c - 1);
  else
    out_abc(t, OP_CALLM, word_a(w), b, c);
}

static void out_return(Walk *t, LuacWord w, Opcode op) {
  unsigned flags = (word_k(w) ? RETURN_CLOSE : 0u) |
                   (t->f->p->is_vararg ? RETURN_VARARG : 0u);
  out_abc(t, op, word_a(w), word_b(w), flags);
}

/* Up to 5.4.4, PUC's compiler forgets the variable to be closed of a generic
** loop that a `break` leaves.  Its CLOSE comes after the end of the loop. */
static void out_close(Walk *t, LuacWord w) {
  const LuacWord *before = t->pc > 0 ? &t->f->code[t->pc - 1] : &w;
  unsigned level = word_a(w);
  if (word_op(*before) == LUAC_TFORLOOP && word_a(*before) < level)
    level = word_a(*before);
  out_abc(t, OP_CLOSE, level, 0, 0);
}

static void out_closure(Walk *t, LuacWord w) {
  out_abcx(t, OP_CLOSURE, word_a(w), 0, word_a(w), word_bx(w));
}

/* -- Instructions ---------------------------------------------------------- */

static void out_instruction(Walk *t, LuacWord w) {
  unsigned a = word_a(w), b = word_b(w), c = word_c(w);
  switch (word_op(w)) {
    case LUAC_MOVE: out_move(t, w); break;
    case LUAC_LOADI:
    case LUAC_LOADF: out_load_number(t, w); break;
    case LUAC_LOADK: out_constant(t, a, word_bx(w)); break;
    case LUAC_LOADKX: out_constant(t, a, word_ax(t->f->code[t->pc + 1])); break;
    case LUAC_LOADFALSE: out_abc(t, OP_LOADFALSE, a, 0, 0); break;
    case LUAC_LFALSESKIP: out_false_skip(t, w); break;
    case LUAC_LOADTRUE: out_abc(t, OP_LOADTRUE, a, 0, 0); break;
    case LUAC_LOADNIL: out_abc(t, OP_LOADNIL, a, b, 0); break;
    case LUAC_GETUPVAL: out_abc(t, OP_GETUPVAL, a, b, 0); break;
    case LUAC_SETUPVAL: out_abc(t, OP_SETUPVAL, a, b, 0); break;
    case LUAC_GETTABUP:
      out_abcx(t, OP_GETUPFIELD, a, b, 0, aux_field(c, 0));
      break;
    case LUAC_GETTABLE: out_abc(t, OP_GETTABLE, a, b, c); break;
    case LUAC_GETI: out_abc(t, OP_GETINT, a, b, c); break;
    case LUAC_GETFIELD:
      out_abcx(t, OP_GETFIELD, a, b, 0, aux_field(c, 0));
      break;
    case LUAC_SETTABUP: out_set_upvalue_field(t, w); break;
    case LUAC_SETTABLE:
      out_abc(t, word_k(w) ? OP_SETTABLEK : OP_SETTABLE, a, b, c);
      break;
    case LUAC_SETI: out_set_integer(t, w); break;
    case LUAC_SETFIELD: out_set_field(t, w); break;
    case LUAC_NEWTABLE: out_new_table(t, w); break;
    case LUAC_SELF: out_self(t, w); break;
    case LUAC_ADDI:
    case LUAC_SHRI:
    case LUAC_SHLI: out_immediate_operation(t, w); break;
    case LUAC_ADDK:
    case LUAC_SUBK:
    case LUAC_MULK:
    case LUAC_MODK:
    case LUAC_POWK:
    case LUAC_DIVK:
    case LUAC_IDIVK:
    case LUAC_BANDK:
    case LUAC_BORK:
    case LUAC_BXORK: out_constant_operation(t, w); break;
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
    case LUAC_SHR: out_register_operation(t, w); break;
    case LUAC_UNM: out_abc(t, OP_UNM, a, b, 0); break;
    case LUAC_BNOT: out_abc(t, OP_BNOT, a, b, 0); break;
    case LUAC_NOT: out_abc(t, OP_NOT, a, b, 0); break;
    case LUAC_LEN: out_abc(t, OP_LEN, a, b, 0); break;
    case LUAC_CONCAT: out_abc(t, OP_CONCAT, a, a, b); break;
    case LUAC_CLOSE: out_close(t, w); break;
    case LUAC_TBC: out_abc(t, OP_TBC, a, 0, 0); break;
    case LUAC_JMP: out_jump(t, target_of(t->f, t->pc)); break;
    case LUAC_EQ: out_compare(t, w, OP_JEQ); break;
    case LUAC_LT: out_compare(t, w, OP_JLT); break;
    case LUAC_LE: out_compare(t, w, OP_JLE); break;
    case LUAC_EQK: out_compare_constant(t, w); break;
    case LUAC_EQI: out_compare_number(t, w, OP_JEQI); break;
    case LUAC_LTI: out_compare_number(t, w, OP_JLTI); break;
    case LUAC_LEI: out_compare_number(t, w, OP_JLEI); break;
    case LUAC_GTI: out_compare_number(t, w, OP_JGTI); break;
    case LUAC_GEI: out_compare_number(t, w, OP_JGEI); break;
    case LUAC_TEST: out_condition(t, w, code_make_abc(OP_JT, a, 0, 0)); break;
    case LUAC_TESTSET:
      out_condition(t, w, code_make_abc(OP_JTSET, a, b, 0));
      break;
    case LUAC_CALL: out_call(t, w); break;
    case LUAC_TAILCALL: out_return(t, w, OP_TAILCALL); break;
    case LUAC_RETURN: out_return(t, w, OP_RETURN); break;
    case LUAC_RETURN0: out_abc(t, OP_RETURN0, 0, 0, 0); break;
    case LUAC_RETURN1: out_abc(t, OP_RETURN1, a, 0, 0); break;
    case LUAC_FORLOOP: out_loop(t, w); break;
    case LUAC_FORPREP: out_loop_start(t, w); break;
    case LUAC_TFORPREP: out_branch_a(t, w, OP_TFORPREP); break;
    case LUAC_TFORCALL: out_abc(t, OP_TFORCALL, a, c, 0); break;
    case LUAC_TFORLOOP: out_branch_a(t, w, OP_TFORLOOP); break;
    case LUAC_SETLIST: out_set_list(t, w); break;
    case LUAC_CLOSURE: out_closure(t, w); break;
    case LUAC_VARARG: out_abc(t, OP_VARARG, a, c, 0); break;
    case LUAC_VARARGPREP: out_abc(t, OP_VARARGPREP, a, 0, 0); break;
    default: undump_error(t->f->u, "half an instruction");
  }
}

/* -- Functions ------------------------------------------------------------- */

enum {
  LUAC_UNITS = 4,      /* of the budget, for an instruction */
  LUAC_PIECE = 1 << 10 /* instructions between two payments */
};

static Walk translate_all(LuacFunction *f, Instruction *code, int32_t *lines) {
  Walk t = {.f = f, .code = code, .lines = lines};
  for (t.pc = 0; t.pc < f->size; t.pc++) {
    LuacNote *note = &f->notes[t.pc];
    note->word = t.size;
    if (t.pc % LUAC_PIECE == 0) budget_spend(f->u->L, LUAC_PIECE * LUAC_UNITS);
    if (!(note->flags & LUAC_PART)) out_instruction(&t, f->code[t.pc]);
  }
  f->notes[f->size].word = t.size;
  return t;
}

/* Makes room for new constants: numbers, then templates. */
static void add_constants(LuacFunction *f, uint32_t numbers) {
  Proto *p = f->p;
  uint32_t old = p->constant_count, count = old + numbers + f->templates;
  VECTOR_RESIZE(f->u->L, p, p->constants, count);
  for (uint32_t k = old; k < count; k++) value_set_nil(&p->constants[k]);
  p->constant_count = count;
  f->new_constants = count - old;
  luac_make_templates(f, old + numbers);
}

/* Makes room for what the first walk has counted. */
static void make_room(LuacFunction *f, const Walk *t) {
  lua_State *L = f->u->L;
  VECTOR_RESIZE(L, f->p, f->p->code, t->size);
  add_constants(f, t->constants);
  if (vector_capacity(f->lines->data) < t->size)
    vector_resize(L, &f->lines->cell, &f->lines->data, sizeof(int32_t),
                  t->size);
}

/* Chooses the opcodes of pairs.  A product that is a pair may be the second half
** of another one, so the instruction before it comes after it. */
static void join_pairs(const LuacFunction *f) {
  Proto *p = f->p;
  Instruction next = 0;
  for (uint32_t pc = f->size; pc-- > 0;) {
    if (f->notes[pc].flags & LUAC_PART) continue;
    Instruction *i = &p->code[f->notes[pc].word];
    if (next) *i = code_with_op(*i, code_pair(*i, next));
    next = *i;
  }
}

void luac_translate(LuacFunction *f) {
  Proto *p = f->p;
  for (uint32_t pc = 0; pc < f->size; pc++) note_instruction(f, pc);
  check_notes(f);
  note_forms(f);
  Walk measured = translate_all(f, NULL, NULL);
  make_room(f, &measured);
  Walk t = translate_all(f, p->code, f->lines->data);
  ASSERT(t.size == measured.size, "%u words measured, %u made",
         (unsigned)measured.size, (unsigned)t.size);
  p->code_size = t.size;
  if (t.uses_spare) p->frame_size++;
  join_pairs(f);
  proto_fix_code(p);
  if (f->has_lines) proto_set_lines(f->u->L, p, f->lines->data, t.size);
}
