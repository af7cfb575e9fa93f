/* SPDX-License-Identifier: MIT */
/*
** luac_template.c -- constructors with names become copies of a template
**
** Our compiler makes a table with named fields by copying a template that has
** the names (docs/bytecode.md, Constructors).  PUC's has instructions that store
** one field after the other, and nothing says where the constructor ends.  But
** as long as nothing else reads or captures the register of the new table, no
** part of the program can see it.  So the names that are stored until then, on
** the only path, can be those of a template.
*/
#include "bytecode/luac.h"
#include "object/table.h"
#include "object/thread.h"

enum { LOOK = 8 }; /* instructions for each name */

static bool closure_captures(const LuacFunction *f, LuacWord w, unsigned reg) {
  if (word_bx(w) >= f->p->proto_count) return true;
  const Proto *nested = f->p->protos[word_bx(w)];
  for (uint32_t n = 0; n < nested->upvalue_count; n++)
    if (nested->upvalues[n].in_stack && nested->upvalues[n].index == reg)
      return true;
  return false;
}

/* True if the instruction does nothing with the register, and the next one comes
** after it.  In doubt it does. */
static bool leaves_alone(const LuacFunction *f, LuacWord w, unsigned reg) {
  bool a = word_a(w) == reg, b = word_b(w) == reg;
  bool c = word_c(w) == reg && !word_k(w);
  switch (word_op(w)) {
    case LUAC_LOADI:
    case LUAC_LOADF:
    case LUAC_LOADK:
    case LUAC_LOADKX:
    case LUAC_LOADFALSE:
    case LUAC_LOADTRUE:
    case LUAC_GETUPVAL:
    case LUAC_GETTABUP: return !a;
    case LUAC_MOVE:
    case LUAC_GETI:
    case LUAC_GETFIELD:
    case LUAC_ADDI:
    case LUAC_ADDK:
    case LUAC_SUBK:
    case LUAC_MULK:
    case LUAC_MODK:
    case LUAC_POWK:
    case LUAC_DIVK:
    case LUAC_IDIVK:
    case LUAC_UNM:
    case LUAC_NOT:
    case LUAC_LEN: return !a && !b;
    case LUAC_GETTABLE:
    case LUAC_ADD:
    case LUAC_SUB:
    case LUAC_MUL:
    case LUAC_MOD:
    case LUAC_POW:
    case LUAC_DIV:
    case LUAC_IDIV: return !a && !b && word_c(w) != reg;
    case LUAC_SETFIELD:
    case LUAC_SETI: return !a && !c;
    case LUAC_SELF: return word_a(w) > reg && !b && !c;
    case LUAC_LOADNIL:
    case LUAC_NEWTABLE:
    case LUAC_CONCAT:
    case LUAC_CALL:
    case LUAC_SETLIST:
    case LUAC_VARARG: return word_a(w) > reg;
    case LUAC_CLOSURE: return word_a(w) > reg && !closure_captures(f, w, reg);
    default: return false;
  }
}

/* A name that the table from pc is given before anything can see it. */
static bool stores_name(const LuacFunction *f, LuacWord w, unsigned reg) {
  bool stores = word_op(w) == LUAC_SETFIELD && word_a(w) == reg;
  return stores && (word_k(w) || word_c(w) != reg) &&
         word_b(w) < f->p->constant_count &&
         f->p->constants[word_b(w)].tag == TAG_SHORT_STRING;
}

/* Of an operation, or of an instruction with more bits. */
static bool is_second_word(LuacWord w) {
  LuacOp op = word_op(w);
  return (op >= LUAC_MMBIN && op <= LUAC_MMBINK) || op == LUAC_EXTRAARG;
}

/* The next instruction after pc that gives the table a name, or 0. */
static uint32_t next_name(const LuacFunction *f, uint32_t pc, unsigned reg) {
  for (uint32_t left = LOOK; left > 0 && ++pc < f->size;) {
    if (f->notes[pc].flags & LUAC_TARGET) return 0;
    if (is_second_word(f->code[pc])) continue;
    if (stores_name(f, f->code[pc], reg)) return pc;
    if (!leaves_alone(f, f->code[pc], reg)) return 0;
    left--;
  }
  return 0;
}

/* How many names a constructor has at most. */
static uint32_t most_names(LuacWord w) {
  unsigned b = word_b(w);
  return b == 0 || b > 7 ? 0 : UINT32_C(1) << (b - 1);
}
static_assert(1 << 6 == CODE_MAX_NAMES, "the largest size of a template");

/* In a nested function, which is likely to run more than once. */
void luac_note_template(LuacFunction *f, uint32_t pc) {
  LuacWord w = f->code[pc];
  uint64_t slots = luac_items(f, pc) + f->slots;
  if (f->p->first_line == 0 || most_names(w) == 0 ||
      slots > (uint64_t)f->size * CODE_ITEMS_PER_WORD ||
      next_name(f, pc, word_a(w)) == 0)
    return;
  f->slots = slots;
  f->templates++;
  f->notes[pc].flags |= LUAC_TEMPLATE;
}

static uint32_t count_names(const LuacFunction *f, uint32_t pc) {
  LuacWord w = f->code[pc];
  uint32_t count = 0, most = most_names(w);
  while (count < most && (pc = next_name(f, pc, word_a(w))) != 0) count++;
  return count;
}

static void make_template(LuacFunction *f, uint32_t pc, uint32_t k) {
  lua_State *L = f->u->L;
  Proto *p = f->p;
  unsigned reg = word_a(f->code[pc]);
  uint32_t count = count_names(f, pc);
  Table *t = table_new(L);
  value_set_table(&p->constants[k], t);
  proto_barrier(gc_of(L), p, t);
  table_resize(L, t, (size_t)luac_items(f, pc), count);
  for (; count > 0; count--) {
    Value none;
    pc = next_name(f, pc, reg);
    value_set_bool(&none, false);
    table_set(L, t, &p->constants[word_b(f->code[pc])], &none);
  }
}

void luac_make_templates(LuacFunction *f, uint32_t k) {
  for (uint32_t pc = 0; pc < f->size; pc++)
    if (f->notes[pc].flags & LUAC_TEMPLATE) make_template(f, pc, k++);
}
