/* SPDX-License-Identifier: MIT */
/*
** handlers_operate.h -- arithmetic, bits, concatenation
**
** A part of handlers.h.
*/

/* -- Arithmetic ------------------------------------------------------------ */

/* The slow path of arithmetic: operands that need a conversion or a metamethod.
** Its most frequent case comes first: a table on the left with a metamethod in
** Lua.  The call is above all registers. */
SHARED(arith) {
  i = shared_instruction(i);
  const OpInfo *what = &opcode_info[code_op(i)];
  const Value *rb = RB;
  if (LIKELY(what->operands[1] == 'r' && rb->tag == TAG_TABLE)) {
    const Table *t = value_table(rb);
    const Node *method = method_find(L, t, (MetaEvent)what->event);
    Value right;
    SAVE_PC();
    arith_put_right(what->operands[2], &right, rb, i, base, k);
    if (LIKELY(puts_method(L, frame, method, rb, &right))) goto shared_method;
  }
  SLOW(slow_arith);
}

/* Each of these macros is a handler.  Two registers: */
#define ARITH_RR(name, int_op, float_op)                      \
  HANDLER(name) {                                             \
    const Value *rb = RB, *rc = RC;                           \
    if (LIKELY(fast_integers(base, i, rb, rc, int_op))) NEXT; \
    if (LIKELY(fast_floats(base, i, rb, rc, float_op))) NEXT; \
    if (LIKELY(fast_mixed(base, i, rb, rc, float_op))) NEXT;  \
    goto shared_arith;                                        \
  }

/* Two registers, with a result that is always a float: */
#define FLOAT_RR(name, float_op)                              \
  HANDLER(name) {                                             \
    const Value *rb = RB, *rc = RC;                           \
    if (LIKELY(fast_floats(base, i, rb, rc, float_op))) NEXT; \
    if (LIKELY(fast_mixed(base, i, rb, rc, float_op))) NEXT;  \
    goto shared_arith;                                        \
  }

/* A register and an integer, which is on the right (WITH) or on the left (OF).
** It is decoded when the type of the register is known. */
#define WITH_INTEGER(name, number, int_op, float_op)            \
  HANDLER(name) {                                               \
    const Value *v = RB;                                        \
    if (LIKELY(v->tag == TAG_INTEGER)) {                        \
      value_set_integer(RA, int_op(v->as.i, number));           \
      NEXT;                                                     \
    }                                                           \
    if (LIKELY(v->tag == TAG_FLOAT)) {                          \
      value_set_float(RA, float_op(v->as.n, (Number)(number))); \
      NEXT;                                                     \
    }                                                           \
    goto shared_arith;                                          \
  }
#define OF_INTEGER(name, number, int_op, float_op)              \
  HANDLER(name) {                                               \
    const Value *v = RC;                                        \
    if (LIKELY(v->tag == TAG_INTEGER)) {                        \
      value_set_integer(RA, int_op(number, v->as.i));           \
      NEXT;                                                     \
    }                                                           \
    if (LIKELY(v->tag == TAG_FLOAT)) {                          \
      value_set_float(RA, float_op((Number)(number), v->as.n)); \
      NEXT;                                                     \
    }                                                           \
    goto shared_arith;                                          \
  }

/* A register and a float.  The result is a float. */
#define WITH_FLOAT(name, number, float_op)                              \
  HANDLER(name) {                                                       \
    const Value *v = RB;                                                \
    if (LIKELY(v->tag == TAG_FLOAT)) {                                  \
      value_set_float(RA, float_op(v->as.n, (Number)(number)));         \
      NEXT;                                                             \
    }                                                                   \
    if (LIKELY(v->tag == TAG_INTEGER)) {                                \
      value_set_float(RA, float_op((Number)v->as.i, (Number)(number))); \
      NEXT;                                                             \
    }                                                                   \
    goto shared_arith;                                                  \
  }
#define OF_FLOAT(name, number, float_op)                                \
  HANDLER(name) {                                                       \
    const Value *v = RC;                                                \
    if (LIKELY(v->tag == TAG_FLOAT)) {                                  \
      value_set_float(RA, float_op((Number)(number), v->as.n));         \
      NEXT;                                                             \
    }                                                                   \
    if (LIKELY(v->tag == TAG_INTEGER)) {                                \
      value_set_float(RA, float_op((Number)(number), (Number)v->as.i)); \
      NEXT;                                                             \
    }                                                                   \
    goto shared_arith;                                                  \
  }

/* Other operands; `fast` is the common case. */
#define ARITH(name, fast, ...)                    \
  HANDLER(name) {                                 \
    if (LIKELY(fast(base, i, __VA_ARGS__))) NEXT; \
    goto shared_arith;                            \
  }

/* All forms of an operator except a small integer on the right. */
#define ARITH_BUT_RI(name, int_op, float_op)          \
  ARITH_RR(name##_RR, int_op, float_op)               \
  WITH_INTEGER(name##_RN, KC->as.i, int_op, float_op) \
  WITH_FLOAT(name##_RF, KC->as.n, float_op)           \
  OF_INTEGER(name##_IR, code_sb(i), int_op, float_op) \
  OF_FLOAT(name##_FR, KB->as.n, float_op)

ARITH_BUT_RI(ADD, int_add, float_add)
WITH_INTEGER(ADD_RI, code_sc(i), int_add, float_add)
HANDLER(ADD_RR_FOR1) {
  const Value *rb = RB, *rc = RC;
  unsigned tag = rb->tag;
  if (UNLIKELY(rc->tag != tag)) DO_ALONE(ADD_RR);
  if (LIKELY(tag == TAG_FLOAT)) {
    value_set_float(RA, rb->as.n + rc->as.n);
    DO_NEXT(FORLOOP1);
  }
  if (LIKELY(tag == TAG_INTEGER)) {
    value_set_integer(RA, int_add(rb->as.i, rc->as.i));
    DO_NEXT(FORLOOP1);
  }
  DO_ALONE(ADD_RR);
}
HANDLER(ADD_RI_GET) {
  const Value *rb = RB;
  Instruction next = *pc;
  const Value *object = slot_of(base, code_b(next));
  if (UNLIKELY(rb->tag != TAG_INTEGER)) DO_ALONE(ADD_RI);
  if (UNLIKELY(object->tag != TAG_TABLE)) DO_ALONE(ADD_RI);
  Integer key = int_add(rb->as.i, code_sc(i));
  const Table *t = value_table(object);
  Unsigned index = (Unsigned)key - 1;
  if (UNLIKELY(index >= t->array_size)) DO_ALONE(ADD_RI);
  uint8_t tag = table_tags(t)[index];
  if (UNLIKELY(tag == TAG_NIL)) DO_ALONE(ADD_RI);
  Payload element = t->array[index];
  value_set_integer(RA, key);
  Value *to = slot_a(base, next);
  to->as = element;
  to->tag = tag;
  pc++;
  NEXT;
}
ARITH_BUT_RI(SUB, int_sub, float_sub)
/* As in PUC Lua, `x - n` is computed as `x + (-n)`.  The result differs only
** for -0.0 - 0. */
WITH_INTEGER(SUB_RI, -code_sc(i), int_add, float_add)
ARITH_BUT_RI(MUL, int_mul, float_mul)
WITH_INTEGER(MUL_RI, code_sc(i), int_mul, float_mul)

/* A product, which is an operand of the next instruction. */
#define PRODUCT_PAIR(name, code_other, int_op, float_op)                    \
  HANDLER(name) {                                                           \
    const Value *rb = RB, *rc = RC;                                         \
    Instruction next = *pc;                                                 \
    const Value *other = slot_of(base, code_other(next));                   \
    if (UNLIKELY(                                                           \
            !fast_product(base, i, next, rb, rc, other, int_op, float_op))) \
      DO_ALONE(MUL_RR);                                                     \
    pc++;                                                                   \
    NEXT;                                                                   \
  }

PRODUCT_PAIR(MUL_RR_ADD, code_b, int_add, float_add)
PRODUCT_PAIR(MUL_RR_ADDL, code_c, int_add, float_add_to)
PRODUCT_PAIR(MUL_RR_SUB, code_b, int_sub, float_sub)
FLOAT_RR(DIV_RR, float_div)
WITH_FLOAT(DIV_RI, code_sc(i), float_div)
WITH_FLOAT(DIV_RN, KC->as.i, float_div)
WITH_FLOAT(DIV_RF, KC->as.n, float_div)
OF_FLOAT(DIV_IR, code_sb(i), float_div)
OF_FLOAT(DIV_FR, KB->as.n, float_div)
/* A division by a power of two: the product with its inverse is exact, and
** faster. */
WITH_FLOAT(DIV_RI2, float_inverse(code_sc(i)), float_mul)
WITH_FLOAT(DIV_RF2, float_inverse(KC->as.n), float_mul)

/* The remainder of floats is slow, so it costs more of a budget. */
HANDLER(MOD_RR) {
  const Value *rb = RB, *rc = RC;
  if (!both_integers(rb, rc)) SPEND(COST_MOD);
  if (LIKELY(fast_division(base, i, rb, rc, int_mod, float_mod))) NEXT;
  goto shared_arith;
}
#define FLOAT_MOD(a, b) (SPEND(COST_MOD), float_mod(a, b))

WITH_INTEGER(MOD_RI, code_sc(i), int_mod_positive, FLOAT_MOD)
WITH_INTEGER(MOD_RN, KC->as.i, int_mod_positive, FLOAT_MOD)
WITH_INTEGER(MOD_RI2, code_sc(i), int_mod_power, FLOAT_MOD)
ARITH(IDIV_RR, fast_division, RB, RC, int_idiv, float_idiv)
WITH_INTEGER(IDIV_RI, code_sc(i), int_idiv_positive, float_idiv)
WITH_INTEGER(IDIV_RN, KC->as.i, int_idiv_positive, float_idiv)
FLOAT_RR(POW_RR, float_pow)
WITH_FLOAT(POW_RI, code_sc(i), float_pow)
WITH_FLOAT(POW_RF, KC->as.n, float_pow)
OF_FLOAT(POW_IR, code_sb(i), float_pow)

/* -- Bits ------------------------------------------------------------------ */

ARITH(BAND_RR, fast_bits, RB, RC, int_and)
ARITH(BAND_RN, fast_bits_with, RB, KC->as.i, int_and)
ARITH(BOR_RR, fast_bits, RB, RC, int_or)
ARITH(BOR_RN, fast_bits_with, RB, KC->as.i, int_or)
ARITH(BXOR_RR, fast_bits, RB, RC, int_xor)
ARITH(BXOR_RN, fast_bits_with, RB, KC->as.i, int_xor)
ARITH(SHL_RR, fast_bits, RB, RC, int_shl)
ARITH(SHL_RI, fast_bits_with, RB, code_c(i), int_shl_by)
ARITH(SHL_IR, fast_bits_of, code_sb(i), RC, int_shl)
ARITH(SHR_RR, fast_bits, RB, RC, int_shr)
ARITH(SHR_RI, fast_bits_with, RB, code_c(i), int_shr_by)

/* -- One operand, and concatenation ---------------------------------------- */

HANDLER(UNM) {
  const Value *rb = RB;
  if (LIKELY(rb->tag == TAG_INTEGER)) {
    value_set_integer(RA, int_neg(rb->as.i));
    NEXT;
  }
  if (LIKELY(rb->tag == TAG_FLOAT)) {
    value_set_float(RA, -rb->as.n);
    NEXT;
  }
  goto shared_arith;
}
ARITH(BNOT, fast_bits_with, RB, -1, int_xor)
HANDLER(NOT) {
  value_set_bool(RA, value_is_falsy(RB));
  NEXT;
}
#define DO_LENGTH()                                                    \
  do {                                                                 \
    const Value *rb = RB;                                              \
    if (LIKELY(rb->tag == TAG_TABLE)) {                                \
      Table *t = value_table(rb);                                      \
      if (LIKELY(!t->metatable)) {                                     \
        Unsigned n = table_fast_length(t);                             \
        if (UNLIKELY(n == 0)) n = table_length(L, t);                  \
        value_set_integer(RA, (Integer)n);                             \
        NEXT;                                                          \
      }                                                                \
    } else if (value_is_string(rb)) {                                  \
      value_set_integer(RA, (Integer)string_length(value_string(rb))); \
      NEXT;                                                            \
    }                                                                  \
    goto shared_length;                                                \
  } while (0)

/* A table with a metatable, or a value of another type. */
SHARED(length) {
  i = shared_instruction(i);
  const Value *rb = RB;
  if (rb->tag == TAG_TABLE && may_have(value_table(rb), META_LEN)) {
    const Node *method = method_find(L, value_table(rb), META_LEN);
    SAVE_PC();
    if (LIKELY(puts_method(L, frame, method, rb, rb))) goto shared_method;
  }
  SLOW(slow_length);
}

HANDLER(LEN) { DO_LENGTH(); }
/* t[#t + 1] = v.  The fast path executes the next two instructions, too.  The
** slow path computes only the length. */
HANDLER(LENAPPEND) {
  const Value *list = RB;
  if (LIKELY(list->tag == TAG_TABLE)) {
    Table *t = value_table(list);
    uint32_t n = table_fast_length(t);
    if (LIKELY(n != 0 && !t->metatable)) {
      Instruction store = pc[1];
      value_set_integer(RA, (Integer)n + 1);
      const Value *v = code_stores_constant(store) ? k : base;
      v += code_c(store);
      unsigned tag = v->tag;
      table_fast_append(t, n, v);
      table_barrier(L, t, v, tag);
      pc += 2;
      if (code_op(store) == OP_SETTABLE_FOR1) DO_NEXT(FORLOOP1);
      NEXT;
    }
  }
  DO_LENGTH();
}
/* `short_result` is NULL if the result is not short; then the slow path is
** taken. */
#define DO_CONCATENATE(short_result, aux_words)              \
  do {                                                       \
    SAVE_PC();                                               \
    String *s = short_result;                                \
    if (UNLIKELY(!s)) goto shared_concat;                    \
    LOAD_BASE();                                             \
    value_set_cell(RA, s, TAG_SHORT_STRING);                 \
    if (UNLIKELY(gc_step_due(GC()))) SLOW(slow_concat_step); \
    pc += (aux_words);                                       \
    NEXT;                                                    \
  } while (0)

/* A result that is not short, or a metamethod. */
SHARED(concat) {
  i = shared_instruction(i);
  const Value *rb = RB;
  if (rb->tag == TAG_TABLE && code_op(i) == OP_CONCAT_RR) {
    const Node *method = method_find(L, value_table(rb), META_CONCAT);
    if (LIKELY(puts_method(L, frame, method, rb, RC))) goto shared_method;
  }
  SLOW(slow_concat);
}

HANDLER(CONCAT) { DO_CONCATENATE(concat_short(L, RB, (int)code_c(i)), 0); }
HANDLER(CONCAT_RR) { DO_CONCATENATE(concat_two_short(L, RB, RC), 1); }
