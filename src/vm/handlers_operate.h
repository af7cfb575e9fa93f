/* SPDX-License-Identifier: MIT */
/*
** handlers_operate.h -- arithmetic, bits, concatenation
**
** A part of handlers.h.
*/

/* -- Arithmetic ------------------------------------------------------------ */

/* Operands that need a conversion or a metamethod. */
#define ARITH_OTHERWISE goto shared_arith

/* The slow path of arithmetic.  Its most frequent case comes first: a table on
** the left with a metamethod in Lua.  The call is above all registers. */
SHARED(arith) {
  i = shared_instruction(i);
  const SlowArith *what = &slow_arith_info[code_op(i) - OP_ADD_RR];
  const Value *rb = RB;
  if (LIKELY(what->left == 'r' && rb->tag == TAG_TABLE)) {
    MetaEvent event = (MetaEvent)(META_ADD + what->op);
    value_copy(frame->top + 1, rb);
    arith_put_right(what->right, frame->top + 2, rb, i, base, k);
    ENTER_METHOD(method_find(L, value_table(rb), event));
  }
  SLOW(slow_arith);
}

/* Two registers.  The result is an integer if both operands are, otherwise a
** float.  The macros below are the same for a register and a number. */
#define ARITH_RR(int_op, float_op)                                        \
  do {                                                                    \
    const Value *rb = RB, *rc = RC;                                       \
    lua_Number x, y;                                                      \
    if (LIKELY(both_integers(rb, rc))) {                                  \
      lua_Integer result = int_op(rb->as.i, rc->as.i);                    \
      value_set_integer(RA, result);                                      \
      NEXT;                                                               \
    }                                                                     \
    if (LIKELY(both_floats(rb, rc))) {                                    \
      lua_Number result = float_op(rb->as.n, rc->as.n);                   \
      value_set_float(RA, result);                                        \
      NEXT;                                                               \
    }                                                                     \
    if (value_number_to_float(rb, &x) && value_number_to_float(rc, &y)) { \
      lua_Number result = float_op(x, y);                                 \
      value_set_float(RA, result);                                        \
      NEXT;                                                               \
    }                                                                     \
    ARITH_OTHERWISE;                                                      \
  } while (0)

/* A small integer on the right; in ARITH_RI it is in the instruction. */
#define ARITH_RS(int_op, float_op, small)                            \
  do {                                                               \
    const Value *rb = RB;                                            \
    if (LIKELY(rb->tag == TAG_INTEGER)) {                            \
      value_set_integer(RA, int_op(rb->as.i, (lua_Integer)(small))); \
      NEXT;                                                          \
    }                                                                \
    if (LIKELY(rb->tag == TAG_FLOAT)) {                              \
      value_set_float(RA, float_op(rb->as.n, (lua_Number)(small)));  \
      NEXT;                                                          \
    }                                                                \
    ARITH_OTHERWISE;                                                 \
  } while (0)
#define ARITH_RI(int_op, float_op) ARITH_RS(int_op, float_op, code_sc(i))

#define ARITH_RN(int_op, float_op)                            \
  do {                                                        \
    const Value *rb = RB;                                     \
    lua_Integer n = KC->as.i;                                 \
    if (LIKELY(rb->tag == TAG_INTEGER)) {                     \
      value_set_integer(RA, int_op(rb->as.i, n));             \
      NEXT;                                                   \
    }                                                         \
    if (LIKELY(rb->tag == TAG_FLOAT)) {                       \
      value_set_float(RA, float_op(rb->as.n, (lua_Number)n)); \
      NEXT;                                                   \
    }                                                         \
    ARITH_OTHERWISE;                                          \
  } while (0)

/* A float constant on the right; in ARITH_FR it is on the left. */
#define ARITH_RF(float_op)                                           \
  do {                                                               \
    const Value *rb = RB;                                            \
    if (LIKELY(rb->tag == TAG_FLOAT)) {                              \
      value_set_float(RA, float_op(rb->as.n, KC->as.n));             \
      NEXT;                                                          \
    }                                                                \
    if (LIKELY(rb->tag == TAG_INTEGER)) {                            \
      value_set_float(RA, float_op((lua_Number)rb->as.i, KC->as.n)); \
      NEXT;                                                          \
    }                                                                \
    ARITH_OTHERWISE;                                                 \
  } while (0)

#define ARITH_FR(float_op)                                           \
  do {                                                               \
    const Value *rc = RC;                                            \
    if (LIKELY(rc->tag == TAG_FLOAT)) {                              \
      value_set_float(RA, float_op(KB->as.n, rc->as.n));             \
      NEXT;                                                          \
    }                                                                \
    if (LIKELY(rc->tag == TAG_INTEGER)) {                            \
      value_set_float(RA, float_op(KB->as.n, (lua_Number)rc->as.i)); \
      NEXT;                                                          \
    }                                                                \
    ARITH_OTHERWISE;                                                 \
  } while (0)

#define ARITH_IR(int_op, float_op)                                      \
  do {                                                                  \
    const Value *rc = RC;                                               \
    if (LIKELY(rc->tag == TAG_INTEGER)) {                               \
      value_set_integer(RA, int_op((lua_Integer)code_sb(i), rc->as.i)); \
      NEXT;                                                             \
    }                                                                   \
    if (LIKELY(rc->tag == TAG_FLOAT)) {                                 \
      value_set_float(RA, float_op((lua_Number)code_sb(i), rc->as.n));  \
      NEXT;                                                             \
    }                                                                   \
    ARITH_OTHERWISE;                                                    \
  } while (0)

/* Operations whose result is always a float. */
#define FLOAT_RR(float_op)                                                \
  do {                                                                    \
    const Value *rb = RB, *rc = RC;                                       \
    lua_Number x, y;                                                      \
    if (LIKELY(both_floats(rb, rc))) {                                    \
      value_set_float(RA, float_op(rb->as.n, rc->as.n));                  \
      NEXT;                                                               \
    }                                                                     \
    if (value_number_to_float(rb, &x) && value_number_to_float(rc, &y)) { \
      value_set_float(RA, float_op(x, y));                                \
      NEXT;                                                               \
    }                                                                     \
    ARITH_OTHERWISE;                                                      \
  } while (0)

#define FLOAT_RI(float_op)                                      \
  do {                                                          \
    lua_Number x;                                               \
    if (LIKELY(value_number_to_float(RB, &x))) {                \
      value_set_float(RA, float_op(x, (lua_Number)code_sc(i))); \
      NEXT;                                                     \
    }                                                           \
    ARITH_OTHERWISE;                                            \
  } while (0)

#define FLOAT_RN(float_op)                                    \
  do {                                                        \
    lua_Number x;                                             \
    if (LIKELY(value_number_to_float(RB, &x))) {              \
      value_set_float(RA, float_op(x, (lua_Number)KC->as.i)); \
      NEXT;                                                   \
    }                                                         \
    ARITH_OTHERWISE;                                          \
  } while (0)

#define FLOAT_IR(float_op)                                      \
  do {                                                          \
    lua_Number x;                                               \
    if (LIKELY(value_number_to_float(RC, &x))) {                \
      value_set_float(RA, float_op((lua_Number)code_sb(i), x)); \
      NEXT;                                                     \
    }                                                           \
    ARITH_OTHERWISE;                                            \
  } while (0)

/* All forms of an operator except a small integer on the right. */
#define ARITH_BUT_RI(name, int_op, float_op)         \
  HANDLER(name##_RR) { ARITH_RR(int_op, float_op); } \
  HANDLER(name##_RN) { ARITH_RN(int_op, float_op); } \
  HANDLER(name##_RF) { ARITH_RF(float_op); }         \
  HANDLER(name##_IR) { ARITH_IR(int_op, float_op); } \
  HANDLER(name##_FR) { ARITH_FR(float_op); }

ARITH_BUT_RI(ADD, int_add, FLOAT_ADD)
HANDLER(ADD_RI) { ARITH_RI(int_add, FLOAT_ADD); }
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
  lua_Integer key = int_add(rb->as.i, code_sc(i));
  const Table *t = value_table(object);
  lua_Unsigned index = (lua_Unsigned)key - 1;
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
ARITH_BUT_RI(SUB, int_sub, FLOAT_SUB)
/* As in PUC Lua, `x - n` is computed as `x + (-n)`.  The result differs only
** for -0.0 - 0. */
HANDLER(SUB_RI) { ARITH_RS(int_add, FLOAT_ADD, -code_sc(i)); }
ARITH_BUT_RI(MUL, int_mul, FLOAT_MUL)
HANDLER(MUL_RI) { ARITH_RI(int_mul, FLOAT_MUL); }

/* A product, which is an operand of the next instruction. */
#define MUL_ARITH(code_other, int_op, float_op)                             \
  do {                                                                      \
    const Value *rb = RB, *rc = RC;                                         \
    Instruction next = *pc;                                                 \
    const Value *other = slot_of(base, code_other(next));                   \
    unsigned tag = rb->tag;                                                 \
    if (UNLIKELY((rc->tag != tag) | (other->tag != tag))) DO_ALONE(MUL_RR); \
    if (LIKELY(tag == TAG_FLOAT)) {                                         \
      lua_Number product = rb->as.n * rc->as.n;                             \
      lua_Number result = float_op(other->as.n, product);                   \
      value_set_float(RA, product);                                         \
      value_set_float(slot_a(base, next), result);                          \
      pc++;                                                                 \
      NEXT;                                                                 \
    }                                                                       \
    if (LIKELY(tag == TAG_INTEGER)) {                                       \
      lua_Integer product = int_mul(rb->as.i, rc->as.i);                    \
      lua_Integer result = int_op(other->as.i, product);                    \
      value_set_integer(RA, product);                                       \
      value_set_integer(slot_a(base, next), result);                        \
      pc++;                                                                 \
      NEXT;                                                                 \
    }                                                                       \
    DO_ALONE(MUL_RR);                                                       \
  } while (0)
#define FLOAT_ADD_LEFT(a, b) ((b) + (a))

HANDLER(MUL_RR_ADD) { MUL_ARITH(code_b, int_add, FLOAT_ADD); }
HANDLER(MUL_RR_ADDL) { MUL_ARITH(code_c, int_add, FLOAT_ADD_LEFT); }
HANDLER(MUL_RR_SUB) { MUL_ARITH(code_b, int_sub, FLOAT_SUB); }
HANDLER(DIV_RR) { FLOAT_RR(FLOAT_DIV); }
HANDLER(DIV_RI) { FLOAT_RI(FLOAT_DIV); }
HANDLER(DIV_RN) { FLOAT_RN(FLOAT_DIV); }
HANDLER(DIV_RF) { ARITH_RF(FLOAT_DIV); }
HANDLER(DIV_IR) { FLOAT_IR(FLOAT_DIV); }
HANDLER(DIV_FR) { ARITH_FR(FLOAT_DIV); }
/* Multiplies by the inverse of a power of two, which is exact and faster than a
** division. */
#define MULTIPLY_INVERSE(divisor)                         \
  do {                                                    \
    const Value *rb = RB;                                 \
    lua_Number inverse = float_inverse(divisor);          \
    if (LIKELY(rb->tag == TAG_FLOAT)) {                   \
      value_set_float(RA, rb->as.n *inverse);             \
      NEXT;                                               \
    }                                                     \
    if (LIKELY(rb->tag == TAG_INTEGER)) {                 \
      value_set_float(RA, (lua_Number)rb->as.i *inverse); \
      NEXT;                                               \
    }                                                     \
    ARITH_OTHERWISE;                                      \
  } while (0)

HANDLER(DIV_RI2) { MULTIPLY_INVERSE(code_sc(i)); }
HANDLER(DIV_RF2) { MULTIPLY_INVERSE(KC->as.n); }

/* The slow path raises the error for an integer divisor of 0. */
#define DIVIDE_RR(int_op, float_op)                    \
  do {                                                 \
    const Value *rb = RB, *rc = RC;                    \
    lua_Number x, y;                                   \
    if (LIKELY(both_integers(rb, rc))) {               \
      if (UNLIKELY(rc->as.i == 0)) ARITH_OTHERWISE;    \
      lua_Integer result = int_op(rb->as.i, rc->as.i); \
      value_set_integer(RA, result);                   \
      NEXT;                                            \
    }                                                  \
    if (LIKELY(value_number_to_float(rb, &x) &&        \
               value_number_to_float(rc, &y))) {       \
      lua_Number result = float_op(x, y);              \
      value_set_float(RA, result);                     \
      NEXT;                                            \
    }                                                  \
    ARITH_OTHERWISE;                                   \
  } while (0)

#define INT_MOD_POWER(a, b) ((a) & ((b)-1))

HANDLER(MOD_RR) { DIVIDE_RR(int_mod, float_mod); }
HANDLER(MOD_RI) { ARITH_RI(int_mod_positive, float_mod); }
HANDLER(MOD_RN) { ARITH_RN(int_mod_positive, float_mod); }
HANDLER(MOD_RI2) { ARITH_RI(INT_MOD_POWER, float_mod); }
HANDLER(IDIV_RR) { DIVIDE_RR(int_idiv, float_idiv); }
HANDLER(IDIV_RI) { ARITH_RI(int_idiv_positive, float_idiv); }
HANDLER(IDIV_RN) { ARITH_RN(int_idiv_positive, float_idiv); }
HANDLER(POW_RR) { FLOAT_RR(float_pow); }
HANDLER(POW_RI) { FLOAT_RI(float_pow); }
HANDLER(POW_RF) { ARITH_RF(float_pow); }
HANDLER(POW_IR) { FLOAT_IR(float_pow); }

/* -- Bits ------------------------------------------------------------------ */

#define BITS_RR(int_op)                                           \
  do {                                                            \
    const Value *rb = RB, *rc = RC;                               \
    lua_Integer x, y;                                             \
    if (LIKELY(exact_integer(rb, &x) && exact_integer(rc, &y))) { \
      value_set_integer(RA, int_op(x, y));                        \
      NEXT;                                                       \
    }                                                             \
    ARITH_OTHERWISE;                                              \
  } while (0)

#define BITS_R(int_op, operand)                    \
  do {                                             \
    lua_Integer x;                                 \
    if (LIKELY(exact_integer(RB, &x))) {           \
      value_set_integer(RA, int_op(x, (operand))); \
      NEXT;                                        \
    }                                              \
    ARITH_OTHERWISE;                               \
  } while (0)

#define BITS_AND(a, b) ((a) & (b))
#define BITS_OR(a, b)  ((a) | (b))
#define BITS_XOR(a, b) ((a) ^ (b))
#define BITS_SHL(a, b) ((lua_Integer)((lua_Unsigned)(a) << (b)))
#define BITS_SHR(a, b) ((lua_Integer)((lua_Unsigned)(a) >> (b)))

/* With a register or a constant on the right. */
#define BITS_BOTH(name, int_op)           \
  HANDLER(name##_RR) { BITS_RR(int_op); } \
  HANDLER(name##_RN) { BITS_R(int_op, KC->as.i); }

BITS_BOTH(BAND, BITS_AND)
BITS_BOTH(BOR, BITS_OR)
BITS_BOTH(BXOR, BITS_XOR)
HANDLER(SHL_RR) { BITS_RR(int_shl); }
HANDLER(SHL_RI) { BITS_R(BITS_SHL, code_c(i)); }
HANDLER(SHL_IR) {
  const Value *rc = RC;
  if (LIKELY(rc->tag == TAG_INTEGER)) {
    value_set_integer(RA, int_shl((lua_Integer)code_sb(i), rc->as.i));
    NEXT;
  }
  ARITH_OTHERWISE;
}
HANDLER(SHR_RR) { BITS_RR(int_shr); }
HANDLER(SHR_RI) { BITS_R(BITS_SHR, code_c(i)); }

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
  ARITH_OTHERWISE;
}
HANDLER(BNOT) {
  lua_Integer x;
  if (LIKELY(exact_integer(RB, &x))) {
    value_set_integer(RA, ~x);
    NEXT;
  }
  ARITH_OTHERWISE;
}
HANDLER(NOT) {
  value_set_bool(RA, value_is_falsy(RB));
  NEXT;
}
#define LENGTH()                                                           \
  do {                                                                     \
    const Value *rb = RB;                                                  \
    if (LIKELY(rb->tag == TAG_TABLE)) {                                    \
      Table *t = value_table(rb);                                          \
      if (LIKELY(!t->metatable)) {                                         \
        lua_Unsigned n = table_fast_length(t);                             \
        if (UNLIKELY(n == 0)) n = table_length(L, t);                      \
        value_set_integer(RA, (lua_Integer)n);                             \
        NEXT;                                                              \
      }                                                                    \
    } else if (value_is_string(rb)) {                                      \
      value_set_integer(RA, (lua_Integer)string_length(value_string(rb))); \
      NEXT;                                                                \
    }                                                                      \
    goto shared_length;                                                    \
  } while (0)

/* A table with a metatable, or a value of another type. */
SHARED(length) {
  i = shared_instruction(i);
  const Value *rb = RB;
  if (rb->tag == TAG_TABLE && may_have(value_table(rb), META_LEN)) {
    method_put(frame, rb, rb);
    ENTER_METHOD(method_find(L, value_table(rb), META_LEN));
  }
  SLOW(slow_length);
}

HANDLER(LEN) { LENGTH(); }
/* t[#t + 1] = v.  The fast path executes the next two instructions, too.  The
** slow path computes only the length. */
HANDLER(LENAPPEND) {
  const Value *list = RB;
  if (LIKELY(list->tag == TAG_TABLE)) {
    Table *t = value_table(list);
    uint32_t n = table_fast_length(t);
    if (LIKELY(n != 0 && !t->metatable)) {
      Instruction store = pc[1];
      value_set_integer(RA, (lua_Integer)n + 1);
      const Value *v = code_op(store) >= OP_SETTABLEK ? k : base;
      v += code_c(store);
      unsigned tag = v->tag;
      table_fast_append(t, n, v);
      table_barrier(L, t, v, tag);
      pc += 2;
      if (code_op(store) == OP_SETTABLE_FOR1) DO_NEXT(FORLOOP1);
      NEXT;
    }
  }
  LENGTH();
}
/* `short_result` is NULL if the result is not short; then the slow path is
** taken. */
#define CONCATENATE(short_result)                            \
  do {                                                       \
    SAVE_PC();                                               \
    String *s = short_result;                                \
    if (UNLIKELY(!s)) goto shared_concat;                    \
    LOAD_BASE();                                             \
    value_set_cell(RA, s, TAG_SHORT_STRING);                 \
    if (UNLIKELY(gc_step_due(GC()))) SLOW(slow_concat_step); \
    NEXT;                                                    \
  } while (0)

/* A result that is not short, or a metamethod. */
SHARED(concat) {
  i = shared_instruction(i);
  const Value *rb = RB;
  if (rb->tag == TAG_TABLE && code_op(i) == OP_CONCAT_RR) {
    method_put(frame, rb, RC);
    ENTER_METHOD(method_find(L, value_table(rb), META_CONCAT));
  }
  SLOW(slow_concat);
}

HANDLER(CONCAT) { CONCATENATE(concat_short(L, RB, (int)code_c(i))); }
HANDLER(CONCAT_RR) { CONCATENATE(concat_two_short(L, RB, RC)); }
