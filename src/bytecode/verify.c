/* SPDX-License-Identifier: MIT */
/*
** verify.c -- is it safe to run this code?  Checks of single instructions.
**
** The letters in opcodes.def say what each field may hold.  verify_flow.c
** checks what must hold on every path through the code.  docs/verifier.md lists
** all rules.
*/
#include "bytecode/verify.h"

#include "bytecode/verify_impl.h"
#include "object/thread.h"

/* -- Words ----------------------------------------------------------------- */

/* A jump must lead to the first word of an instruction. */
static const char *verify_jump(CodeCheck *v, size_t pc, int32_t offset) {
  int64_t target = (int64_t)pc + 1 + offset;
  if (target < 0 || target >= v->p->code_size) return "jump out of range";
  if (v->word[target] == WORD_AUX) return "jump into an instruction";
  if (v->word[target] == WORD_PLAIN) v->word[target] = ++v->target_count;
  return NULL;
}

static ALWAYS_INLINE bool op_may_jump(Opcode op) {
  return (op >= OP_JMP && op <= OP_TFORLOOP) || op == OP_LOADFALSESKIP;
}

static const char *verify_jump_of(CodeCheck *v, size_t pc) {
  Instruction i = v->p->code[pc];
  if (code_op(i) == OP_LOADFALSESKIP) return verify_jump(v, pc, 1);
  if (code_op(i) == OP_TFORCALL) return NULL;
  Instruction aux = code_op(i) == OP_JMP ? 0 : v->p->code[pc + 1];
  return verify_jump(v, pc, code_jump_offset(i, aux));
}

const char *verify_words(CodeCheck *v) {
  const Proto *p = v->p;
  const char *wrong = NULL;
  for (size_t pc = 0; pc < p->code_size && !wrong;) {
    Opcode op = code_op(p->code[pc]);
    size_t first = pc++;
    v->pc = first;
    if (op >= OPCODE_COUNT) return "no such opcode";
    if (opcode_info[op].length > 1) {
      if (pc == p->code_size) return "code ends early";
      if (v->word[pc] != WORD_PLAIN) return "jump into an instruction";
      v->word[pc++] = WORD_AUX;
    }
    if (op_may_jump(op)) wrong = verify_jump_of(v, first);
  }
  return wrong;
}

/* -- What instructions need beyond their fields ---------------------------- */

/* The end of the registers of an instruction that uses several; else 0. */
static unsigned end_register(Instruction i) {
  unsigned a = code_a(i), b = code_b(i), c = code_c(i);
  switch (code_op(i)) {
    case OP_LOADNIL: return a + b + 1;
    case OP_MOVE2:
    case OP_SELF: return a + 2;
    case OP_SETLIST: return b ? a + b : a + 1;
    case OP_CONCAT: return b + c;
    case OP_FORPREP:
    case OP_FORPREP1:
    case OP_FORLOOP:
    case OP_FORLOOP1:
    case OP_TFORPREP: return a + 4;
    case OP_TFORLOOP: return a + 5;
    case OP_TFORCALL: return a + 4 + (b > 3 ? b : 3);
    case OP_CALL: return a + (b + 1 > c ? b + 1 : c);
    case OP_CALLM: return a + (b > c ? b : c > 0 ? c - 1 : 0);
    case OP_TAILCALL: return a + b;
    case OP_VARARG:
    case OP_RETURN: return b > 1 ? a + b - 1 : a;
    case OP_NEWTABLE:
    case OP_DUPTABLE:
    case OP_DUPTABLE_SET:
    case OP_CLOSURE: return c; /* C: the registers in use */
    default: return 0;
  }
}

/* A plausible number of items or fields: the constructors in code of this size
** cannot ask for more, because one instruction fills at most 255 registers. */
static bool size_is_likely(const Proto *p, size_t count) {
  return count / CODE_MAX_OPERAND <= p->code_size;
}

static bool is_power_of_two(lua_Integer n) { return n > 0 && !(n & (n - 1)); }

/* True if n is a power of two, and n and 1 / n are normal numbers. */
static bool has_inverse(lua_Number n) {
  uint64_t bits;
  memcpy(&bits, &n, sizeof bits);
  unsigned exponent = (unsigned)(bits >> 52);
  return bits << 12 == 0 && exponent > 0 && exponent < 2046;
}

/* Operands that the vm does not check when it runs the instruction. */
static const char *verify_number(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  unsigned b = code_b(i), c = code_c(i);
  bool good = true;
  switch (code_op(i)) {
    case OP_MOD_RI:
    case OP_IDIV_RI: good = code_sc(i) > 0; break;
    case OP_MOD_RN:
    case OP_IDIV_RN: good = p->constants[c].as.i > 0; break;
    case OP_MOD_RI2:
    case OP_DIV_RI2: good = is_power_of_two(code_sc(i)); break;
    case OP_DIV_RF2: good = has_inverse(p->constants[c].as.n); break;
    case OP_SHL_RI:
    case OP_SHR_RI: good = c < 64; break;
    case OP_CONCAT: good = c > 1; break;
    case OP_TFORCALL: good = b > 0; break;
    case OP_JEQS:
    case OP_JNEQS: good = p->constants[b].tag == TAG_SHORT_STRING; break;
    case OP_NEWTABLE:
      good = b <= 32 && size_is_likely(p, b ? (size_t)1 << (b - 1) : 0) &&
             size_is_likely(p, p->code[pc + 1]);
      break;
    case OP_SETLIST: good = size_is_likely(p, p->code[pc + 1]); break;
    case OP_RETURN:
    case OP_TAILCALL: good = c <= (RETURN_CLOSE | RETURN_VARARG); break;
    case OP_RETURN0:
    case OP_RETURN1: good = !p->is_vararg; break;
    default: break;
  }
  return good ? NULL : "operand out of range";
}

/* True for `t[#t + 1] = v` in three instructions.  LENAPPEND, the first of
** them, may do the work of all three. */
static bool appends(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  unsigned a = code_a(i), b = code_b(i);
  if (pc + 2 >= p->code_size || a == b) return false;
  return p->code[pc + 1] == code_make_abc(OP_ADD_RI, a, a, 1) &&
         code_is_store(p->code[pc + 2], b, a);
}

/* True if the second instruction of the pair follows. */
static bool pair_is_whole(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  size_t next = pc + (size_t)code_length(i);
  return next < p->code_size && code_is_pair(i, p->code[next]);
}

/* Checks instructions that need a certain next instruction. */
static const char *verify_next(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  size_t next = pc + (size_t)code_length(i);
  Instruction then = next < p->code_size ? p->code[next] : 0;
  bool same = code_a(then) == code_a(i);
  switch (code_op(i)) {
    case OP_LENAPPEND:
      if (!appends(p, pc)) return "LENAPPEND without its store";
      break;
    case OP_TFORCALL:
      if (code_op(then) != OP_TFORLOOP || !same)
        return "TFORCALL without TFORLOOP";
      break;
    case OP_TAILCALL:
      if (code_op(then) != OP_RETURN || !same || code_b(then) != 0)
        return "TAILCALL without RETURN";
      break;
    default:
      if (code_op(i) != opcode_alone(code_op(i)) && !pair_is_whole(p, pc))
        return "half a pair";
  }
  return NULL;
}

static const char *verify_kind(const Proto *p, size_t pc) {
  Instruction i = p->code[pc];
  bool flag = (code_c(i) & RETURN_VARARG) != 0;
  switch (code_op(i)) {
    case OP_VARARG: return p->is_vararg ? NULL : "VARARG in a function without";
    case OP_VARARGPREP:
      if (pc == 0 && p->is_vararg && code_a(i) == p->param_count) return NULL;
      return "VARARGPREP where it should not be";
    case OP_TAILCALL:
    case OP_RETURN:
      return flag == p->is_vararg ? NULL
                                  : "a return of another kind of function";
    default: return NULL;
  }
}

const char *verify_special(const Proto *p, size_t pc) {
  if (end_register(p->code[pc]) > p->frame_size)
    return "registers out of range";
  if (code_op(p->code[pc]) == OP_CALL) return NULL;
  const char *wrong = verify_number(p, pc);
  if (!wrong) wrong = verify_next(p, pc);
  return wrong ? wrong : verify_kind(p, pc);
}

/* -- Functions ------------------------------------------------------------- */

static bool is_end(Opcode op) {
  return op == OP_RETURN || op == OP_RETURN0 || op == OP_RETURN1;
}

/* The last word must be a return, not the AUX of another instruction. */
static bool ends_well(const CodeCheck *v) {
  size_t last = v->p->code_size - 1;
  return v->word[last] != WORD_AUX && is_end(code_op(v->p->code[last]));
}

/* Checks the places where closures of nested functions find their upvalues. */
static const char *verify_nested(const Proto *p) {
  for (uint32_t n = 0; n < p->proto_count; n++) {
    const Proto *nested = p->protos[n];
    for (uint32_t u = 0; u < nested->upvalue_count; u++) {
      const UpValueInfo *info = &nested->upvalues[u];
      uint32_t limit = info->in_stack ? p->frame_size : p->upvalue_count;
      if (info->index >= limit) return "upvalue from nowhere";
    }
  }
  return NULL;
}

static const char *verify_outline(CodeCheck *v) {
  const Proto *p = v->p;
  if (p->code_size == 0) return "no code";
  if (p->param_count > p->frame_size) return "no room for parameters";
  if (p->is_vararg && code_op(p->code[0]) != OP_VARARGPREP)
    return "no VARARGPREP";
  const char *wrong = verify_words(v);
  if (wrong) return wrong;
  if (!ends_well(v)) return "code does not end with a return";
  return verify_nested(p);
}

/* Makes room for `count` elements in the vector of the box. */
static void *box_reserve(lua_State *L, Box *box, size_t size, size_t count) {
  if (count > vector_capacity(box->data))
    vector_resize(L, &box->cell, &box->data, size, count);
  return box->data;
}

const char *verify_in(lua_State *L, const VerifyRoom *room, const Proto *p,
                      size_t *pc) {
  CodeCheck v = {.p = p};
  v.word = box_reserve(L, room->words, sizeof *v.word, p->code_size);
  if (v.word) memset(v.word, 0, p->code_size * sizeof *v.word);
  const char *wrong = verify_outline(&v);
  if (!wrong) {
    v.states = box_reserve(L, room->states, sizeof *v.states,
                           v.target_count * verify_state_size(p));
    wrong = verify_flow(&v);
  }
  *pc = v.pc;
  return wrong;
}

static Box *push_box(lua_State *L) {
  Box *box = box_new(L);
  value_set_cell(L->top, box, TAG_BOX);
  L->top++;
  return box;
}

void verify_begin(lua_State *L, VerifyRoom *room) {
  stack_ensure(L, 2);
  room->words = push_box(L);
  room->states = push_box(L);
}

void verify_end(lua_State *L, VerifyRoom *room) {
  vector_resize(L, &room->words->cell, &room->words->data, sizeof(uint32_t), 0);
  vector_resize(L, &room->states->cell, &room->states->data, sizeof(uint64_t),
                0);
  value_set_nil(--L->top);
  value_set_nil(--L->top);
}

const char *verify_proto(lua_State *L, const Proto *p, size_t *pc) {
  VerifyRoom room;
  verify_begin(L, &room);
  const char *wrong = verify_in(L, &room, p, pc);
  verify_end(L, &room);
  return wrong;
}
