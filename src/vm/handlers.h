/* SPDX-License-Identifier: MIT */
/*
** handlers.h -- what each instruction does
**
** Included by loop.c, which explains the macros.  In the order of opcodes.def.
** Every handler ends in NEXT, RELOAD, SLOW or a macro that contains one.
*/

/* -- Calls of Lua functions ------------------------------------------------ */

/* Room for a frame, and for `size` slots above the top.  In stress builds every
** call goes through call_prepare, which moves the stack. */
#define HAS_ROOM(size)                                                      \
  (frame + 1 < L->frame_limit && !PENUMBRA_STRESS &&                        \
   L->limit - L->top >= (ptrdiff_t)(size))

/* Goes on in the Lua function `callee`, which is in `function`, with `count`
** arguments, up to the top; if there is no room, nothing has happened. */
#define ENTER_LUA(function, callee, count, results, how)                    \
  do {                                                                      \
    const LuaClosure *closure = (callee);                                   \
    const Proto *p = closure->proto;                                        \
    Instruction *code = closure_code(closure);                              \
    if (UNLIKELY(!HAS_ROOM(p->frame_size))) break;                          \
    frame++;                                                                \
    frame->func = (function);                                               \
    base = frame->func + 1;                                                 \
    frame->top = base + p->frame_size;                                      \
    frame_set_mode(frame, frame_mode_of((int)(results), (how)));            \
    k = p->constants;                                                       \
    frame->u.lua.constants = k;                                             \
    pc = code;                                                              \
    L->frame = frame;                                                       \
    if (UNLIKELY((count) < p->param_count))                                 \
      L->top = fill_params(L->top, base + p->param_count);                  \
    NEXT_POLLED;                                                            \
  } while (0)

/* -- Moving and loading ---------------------------------------------------- */

HANDLER(MOVE) {
  value_copy(RA, RB);
  NEXT;
}
HANDLER(MOVE2) {
  Value *ra = RA;
  value_copy(ra, RB);
  value_copy(ra + 1, RC);
  NEXT;
}
HANDLER(LOADNIL) {
  Value *ra = RA;
  for (unsigned n = code_b(i) + 1; n > 0; n--) value_set_nil(ra++);
  NEXT;
}
HANDLER(LOADFALSE) {
  RA->tag = TAG_FALSE;
  NEXT;
}
HANDLER(LOADTRUE) {
  RA->tag = TAG_TRUE;
  NEXT;
}
HANDLER(LOADFALSESKIP) {
  RA->tag = TAG_FALSE;
  pc++;
  NEXT;
}
HANDLER(LOADI) {
  value_set_integer(RA, code_sd(i));
  NEXT;
}
HANDLER(LOADF) {
  value_set_float(RA, code_sd(i));
  NEXT;
}
HANDLER(LOADK) {
  value_copy(RA, &k[code_d(i)]);
  NEXT;
}
HANDLER(LOADKX) {
  value_copy(RA, &k[*pc++]);
  NEXT;
}

/* -- Upvalues -------------------------------------------------------------- */

HANDLER(GETUPVAL) {
  value_copy(RA, CLOSURE()->upvalue[code_b(i)]->v);
  NEXT;
}
HANDLER(SETUPVAL) {
  upvalue_set(GC(), CLOSURE()->upvalue[code_b(i)], RA);
  NEXT;
}

/* -- Pairs ----------------------------------------------------------------- */

/* Whatever is not as it mostly is gets done one by one. */
#define DO_ALONE(name)                                                      \
  do {                                                                      \
    i = shared_instruction(i);                                              \
    goto do_##name;                                                         \
  } while (0)
#define DO_NEXT(name)                                                       \
  do {                                                                      \
    i = shared_instruction(*pc++);                                          \
    goto do_##name;                                                         \
  } while (0)

/* What was read, which has the tag of the `other` operand of `next`, goes to
** its register, and the result of `next` to its own, if these are numbers. */
#define PAIR_RESULT(read, words, int_op, float_op)                          \
  do {                                                                      \
    if (LIKELY(tag == TAG_FLOAT)) {                                         \
      lua_Number result = float_op(other->as.n, (read).n);                  \
      value_set_float(RA, (read).n);                                        \
      value_set_float(slot_a(base, next), result);                          \
      pc += (words);                                                        \
      NEXT;                                                                 \
    }                                                                       \
    if (LIKELY(tag == TAG_INTEGER)) {                                       \
      lua_Integer result = int_op(other->as.i, (read).i);                   \
      value_set_integer(RA, (read).i);                                      \
      value_set_integer(slot_a(base, next), result);                        \
      pc += (words);                                                        \
      NEXT;                                                                 \
    }                                                                       \
  } while (0)

#define FLOAT_ADD(a, b) ((a) + (b))
#define FLOAT_SUB(a, b) ((a) - (b))
#define FLOAT_MUL(a, b) ((a) * (b))
#define FLOAT_DIV(a, b) ((a) / (b))

/* -- Fields ---------------------------------------------------------------- */

/* The common part of reading a field of `object`.  A field with nil is what it
** is if there is no metatable: lists and trees end with those. */
#define GET_FIELD(object, target)                                           \
  do {                                                                      \
    if (LIKELY((object)->tag == TAG_TABLE)) {                               \
      const Table *t = value_table(object);                                 \
      const String *key = value_string(&k[aux_key(*pc)]);                   \
      const Node *n = table_hinted_key(t, key, aux_hint(*pc));              \
      if (UNLIKELY(!n || (n->value_tag == TAG_NIL && t->metatable)))        \
        n = slow_find_field(L, t, key, pc);                                 \
      if (LIKELY(n != NULL)) {                                              \
        Value *to = (target);                                               \
        to->as = n->value;                                                  \
        to->tag = n->value_tag;                                             \
        pc++;                                                               \
        NEXT;                                                               \
      }                                                                     \
    }                                                                       \
    SLOW(slow_get);                                                         \
  } while (0)

/* Overwrites a field, or makes one in a table without metatable. */
#define SET_FIELD(object, from)                                             \
  do {                                                                      \
    if (LIKELY((object)->tag == TAG_TABLE)) {                               \
      Table *t = value_table(object);                                       \
      String *key = value_string(&k[aux_key(*pc)]);                         \
      Node *n = table_hinted_key(t, key, aux_hint(*pc));                    \
      if (LIKELY(n && (n->value_tag != TAG_NIL || may_add_field(t)))) {     \
        const Value *v = (from);                                            \
        unsigned tag = v->tag;                                              \
        node_set(n, v);                                                     \
        table_barrier(L, t, v, tag);                                        \
        pc++;                                                               \
        NEXT;                                                               \
      }                                                                     \
      SAVE_PC();                                                            \
      if (LIKELY(slow_set_field(L, t, key, (from), pc))) {                  \
        pc++;                                                               \
        NEXT;                                                               \
      }                                                                     \
    }                                                                       \
    SLOW(slow_set);                                                         \
  } while (0)

HANDLER(GETUPFIELD) {
  const Value *object = CLOSURE()->upvalue[code_b(i)]->v;
  GET_FIELD(object, RA);
}
HANDLER(SETUPFIELD) {
  const Value *object = CLOSURE()->upvalue[code_a(i)]->v;
  SET_FIELD(object, RB);
}
HANDLER(SETUPFIELDK) {
  const Value *object = CLOSURE()->upvalue[code_a(i)]->v;
  SET_FIELD(object, &k[code_d(i)]);
}
HANDLER(GETFIELD) {
  const Value *object = RB;
  GET_FIELD(object, RA);
}

/* The field, if it is where it was last time, is an operand of what follows. */
#define GETFIELD_ARITH(code_other, int_op, float_op)                        \
  do {                                                                      \
    const Value *object = RB;                                               \
    if (UNLIKELY(object->tag != TAG_TABLE)) DO_ALONE(GETFIELD);             \
    const Table *t = value_table(object);                                   \
    const String *key = value_string(&k[aux_key(*pc)]);                     \
    const Node *n = table_hinted_key(t, key, aux_hint(*pc));                \
    if (UNLIKELY(!n)) DO_ALONE(GETFIELD);                                   \
    Instruction next = pc[1];                                               \
    const Value *other = slot_of(base, code_other(next));                   \
    unsigned tag = n->value_tag;                                            \
    if (UNLIKELY(other->tag != tag)) DO_ALONE(GETFIELD);                    \
    Payload field = n->value;                                               \
    PAIR_RESULT(field, 2, int_op, float_op);                                \
    DO_ALONE(GETFIELD);                                                     \
  } while (0)
#define INT_SUB_LEFT(a, b) int_sub((b), (a))
#define FLOAT_SUB_LEFT(a, b) ((b) - (a))
#define FLOAT_MUL_LEFT(a, b) ((b) * (a))

HANDLER(GETFIELD_ADD) { GETFIELD_ARITH(code_b, int_add, FLOAT_ADD); }
HANDLER(GETFIELD_SUB) { GETFIELD_ARITH(code_b, int_sub, FLOAT_SUB); }
HANDLER(GETFIELD_MUL) { GETFIELD_ARITH(code_b, int_mul, FLOAT_MUL); }
HANDLER(GETFIELD_SUBL) {
  GETFIELD_ARITH(code_c, INT_SUB_LEFT, FLOAT_SUB_LEFT);
}
HANDLER(GETFIELD_MULL) { GETFIELD_ARITH(code_c, int_mul, FLOAT_MUL_LEFT); }
HANDLER(SETFIELD) {
  const Value *object = RA;
  SET_FIELD(object, RB);
}
HANDLER(SETFIELDK) {
  const Value *object = RA;
  SET_FIELD(object, &k[code_d(i)]);
}

/* -- Elements -------------------------------------------------------------- */

#define SET_INT(t, key, v)                                                  \
  do {                                                                      \
    unsigned tag = (v)->tag;                                                \
    if (LIKELY(table_fast_set_int((t), (key), (v)))) {                      \
      table_barrier(L, (t), (v), tag);                                      \
      NEXT;                                                                 \
    }                                                                       \
  } while (0)

/* The rest of SETTABLE: string keys, and integers that append. */
#define SET_ELEMENT(v)                                                      \
  do {                                                                      \
    const Value *object = RA, *key = RB;                                    \
    if (LIKELY(object->tag == TAG_TABLE)) {                                 \
      Table *t = value_table(object);                                       \
      if (LIKELY(key->tag == TAG_INTEGER))                                  \
        SET_INT(t, key->as.i, (v));                                         \
      else if (key->tag == TAG_SHORT_STRING &&                              \
               table_fast_set_str(t, value_string(key), (v))) {             \
        table_barrier(L, t, (v), (v)->tag);                                 \
        NEXT;                                                               \
      }                                                                     \
      if (!t->metatable) {                                                  \
        SAVE_PC();                                                          \
        table_set(L, t, key, (v));                                          \
        POLL_COLLECTOR();                                                   \
        NEXT;                                                               \
      }                                                                     \
    }                                                                       \
    SLOW(slow_set);                                                         \
  } while (0)

HANDLER(GETTABLE) {
  const Value *object = RB, *key = RC;
  if (LIKELY(object->tag == TAG_TABLE)) {
    const Table *t = value_table(object);
    if (LIKELY(key->tag == TAG_INTEGER)) {
      lua_Unsigned index = (lua_Unsigned)key->as.i - 1;
      if (LIKELY(index < t->array_size)) {
        uint8_t tag = table_tags(t)[index];
        if (LIKELY(tag != TAG_NIL)) {
          Value *ra = RA;
          ra->as = t->array[index];
          ra->tag = tag;
          NEXT;
        }
      }
    } else if (key->tag == TAG_SHORT_STRING) {
      const Node *n = table_find_str(t, value_string(key));
      if (LIKELY(n && n->value_tag != TAG_NIL)) {
        node_get(n, RA);
        NEXT;
      }
    }
    Value v;
    if (get_element(L, value_table(object), key, &v) || !t->metatable) {
      value_copy(RA, &v);
      NEXT;
    }
  }
  SLOW(slow_get);
}

/* `tag` and `element` of R[B][R[C]], if that is in the array, and not nil. */
#define PAIR_ELEMENT(otherwise)                                             \
  const Value *object = RB, *key = RC;                                      \
  if (UNLIKELY(object->tag != TAG_TABLE)) DO_ALONE(otherwise);              \
  if (UNLIKELY(key->tag != TAG_INTEGER)) DO_ALONE(otherwise);               \
  const Table *t = value_table(object);                                     \
  lua_Unsigned index = (lua_Unsigned)key->as.i - 1;                         \
  if (UNLIKELY(index >= t->array_size)) DO_ALONE(otherwise);                \
  unsigned tag = table_tags(t)[index];                                      \
  Payload element = t->array[index]

/* The element is the right operand of what follows. */
#define GETTABLE_ARITH(int_op, float_op)                                    \
  do {                                                                      \
    PAIR_ELEMENT(GETTABLE);                                                 \
    Instruction next = *pc;                                                 \
    const Value *other = slot_of(base, code_b(next));                       \
    if (UNLIKELY(other->tag != tag)) DO_ALONE(GETTABLE);                    \
    PAIR_RESULT(element, 1, int_op, float_op);                              \
    DO_ALONE(GETTABLE);                                                     \
  } while (0)

HANDLER(GETTABLE_ADD) { GETTABLE_ARITH(int_add, FLOAT_ADD); }
HANDLER(GETTABLE_MUL) { GETTABLE_ARITH(int_mul, FLOAT_MUL); }
HANDLER(GETTABLE_MULF) {
  PAIR_ELEMENT(GETTABLE);
  if (LIKELY(tag == TAG_FLOAT)) {
    Instruction next = *pc++;
    lua_Number result = element.n * k[code_c(next)].as.n;
    value_set_float(RA, element.n);
    value_set_float(slot_a(base, next), result);
    NEXT;
  }
  DO_ALONE(GETTABLE);
}
/* The product of the element and a number, and a sum with that. */
#define GETTABLE_MUL_THEN_ADD(factor_is_float, multiplied)                  \
  do {                                                                      \
    PAIR_ELEMENT(GETTABLE);                                                 \
    Instruction multiply = pc[0], add = pc[1];                              \
    const Value *other = slot_of(base, code_b(add));                        \
    bool floats = (tag == TAG_FLOAT) & (other->tag == TAG_FLOAT);           \
    if (UNLIKELY(!(floats & (factor_is_float)))) DO_ALONE(GETTABLE);        \
    lua_Number product = (multiplied);                                      \
    lua_Number result = other->as.n + product;                              \
    value_set_float(RA, product);                                           \
    value_set_float(slot_a(base, add), result);                             \
    pc += 2;                                                                \
    NEXT;                                                                   \
  } while (0)
#define FACTOR slot_of(base, code_b(multiply))

HANDLER(GETTABLE_MUL_ADD) {
  GETTABLE_MUL_THEN_ADD(FACTOR->tag == TAG_FLOAT, FACTOR->as.n * element.n);
}
HANDLER(GETTABLE_MULF_ADD) {
  GETTABLE_MUL_THEN_ADD(true, element.n * k[code_c(multiply)].as.n);
}
HANDLER(GETTABLE_SET) {
  PAIR_ELEMENT(GETTABLE);
  if (UNLIKELY(tag == TAG_NIL)) DO_ALONE(GETTABLE);
  Value *v = RA;
  v->as = element;
  v->tag = (uint8_t)tag;
  Instruction store = *pc;
  const Value *target = slot_a(base, store);
  const Value *place = slot_of(base, code_b(store));
  if (LIKELY(target->tag == TAG_TABLE && place->tag == TAG_INTEGER)) {
    Table *to = value_table(target);
    if (LIKELY(table_fast_set_int(to, place->as.i, v))) {
      table_barrier(L, to, v, tag);
      pc++;
    }
  }
  NEXT;
}

/* A store at the end of a loop. */
#define SET_AND_LOOP(name, v, loop)                                         \
  do {                                                                      \
    const Value *object = RA, *key = RB;                                    \
    if (UNLIKELY(object->tag != TAG_TABLE)) DO_ALONE(name);                 \
    if (UNLIKELY(key->tag != TAG_INTEGER)) DO_ALONE(name);                  \
    unsigned tag = (v)->tag;                                                \
    Table *t = value_table(object);                                         \
    if (UNLIKELY(!table_fast_set_int(t, key->as.i, (v)))) DO_ALONE(name);   \
    table_barrier(L, t, (v), tag);                                          \
    DO_NEXT(loop);                                                          \
  } while (0)

HANDLER(SETTABLE) {
  const Value *v = RC;
  SET_ELEMENT(v);
}
HANDLER(SETTABLE_FOR) {
  const Value *v = RC;
  SET_AND_LOOP(SETTABLE, v, FORLOOP);
}
HANDLER(SETTABLE_FOR1) {
  const Value *v = RC;
  SET_AND_LOOP(SETTABLE, v, FORLOOP1);
}
HANDLER(SETTABLEK) {
  const Value *v = KC;
  SET_ELEMENT(v);
}
HANDLER(SETTABLEK_FOR) {
  const Value *v = KC;
  SET_AND_LOOP(SETTABLEK, v, FORLOOP);
}
HANDLER(SETTABLEK_FOR1) {
  const Value *v = KC;
  SET_AND_LOOP(SETTABLEK, v, FORLOOP1);
}
HANDLER(GETINT) {
  const Value *object = RB;
  if (LIKELY(object->tag == TAG_TABLE)) {
    const Table *t = value_table(object);
    uint32_t index = code_c(i) - 1;
    if (LIKELY(index < t->array_size)) {
      uint8_t tag = table_tags(t)[index];
      if (LIKELY(tag != TAG_NIL)) {
        Value *ra = RA;
        ra->as = t->array[index];
        ra->tag = tag;
        NEXT;
      }
    }
  }
  SLOW(slow_get);
}
HANDLER(SETINT) {
  const Value *object = RA, *v = RC;
  if (LIKELY(object->tag == TAG_TABLE)) {
    Table *t = value_table(object);
    SET_INT(t, (lua_Integer)code_b(i), v);
  }
  SLOW(slow_set);
}
HANDLER(SELF) {
  const Value *object = RB;
  const String *key = value_string(&k[aux_key(*pc)]);
  const Node *n = NULL;
  if (LIKELY(object->tag == TAG_TABLE)) {
    const Table *t = value_table(object);
    n = table_hinted_node(t, key, aux_hint(*pc));
    if (!n) n = slow_find_field(L, t, key, pc);
  } else if (value_is_string(object)) {
    const Table *t = string_methods(L);
    if (LIKELY(t != NULL)) n = table_hinted_node(t, key, aux_hint(*pc));
    if (!n) n = slow_find_in_string(L, key, pc);
  }
  if (LIKELY(n != NULL)) {
    Value *ra = RA;
    value_copy(ra + 1, object);
    ra->as = n->value;
    ra->tag = n->value_tag;
    pc++;
    NEXT;
  }
  SLOW(slow_get);
}
HANDLER(NEWTABLE) {
  SAVE_PC();
  if (code_b(i) | *pc)
    slow_new_table(L, i, *pc);
  else
    value_set_table(RA, table_new(L));
  if (UNLIKELY(gc_step_due(GC()))) {
    slow_collect_table(L);
    LOAD_BASE();
  }
  pc++;
  NEXT;
}
HANDLER(DUPTABLE) {
  SAVE_PC();
  table_new_copy(L, RA, value_table(&k[*pc]), code_room(i));
  if (UNLIKELY(gc_step_due(GC()))) {
    slow_collect_table(L);
    LOAD_BASE();
  }
  pc++;
  NEXT;
}
/* The fields that follow have places already.  These are looked up in the
** template: what was just written into the copy may be on its way to the cache
** still, and is late when read in other units.  There is no metatable, and
** nobody has looked for methods in the table. */
HANDLER(DUPTABLE_SET) {
  SAVE_PC();
  table_new_copy(L, RA, value_table(&k[*pc]), code_room(i));
  if (UNLIKELY(gc_step_due(GC()))) {
    slow_collect_table(L);
    LOAD_BASE();
    pc++;
    NEXT;
  }
  const Table *template = value_table(&k[*pc]);
  Table *t = value_table(RA);
  Node *node = t->hash->node;
  unsigned register_a = code_a(i);
  for (pc++; code_is_set_field(*pc, register_a); pc += 2) {
    const String *key = value_string(&k[aux_key(pc[1])]);
    unsigned hint = aux_hint(pc[1]);
    if (UNLIKELY(!table_hinted_key(template, key, hint))) break;
    const Value *v = slot_of(base, code_b(*pc));
    unsigned tag = v->tag;
    node_set(table_node_of_hint(node, hint), v);
    table_barrier(L, t, v, tag);
  }
  NEXT;
}
HANDLER(SETLIST) {
  SLOW(slow_set_list);
}

/* -- Arithmetic ------------------------------------------------------------ */

/* Operands that are not numbers, or not as they are. */
#define ARITH_OTHERWISE goto shared_arith

/* Most often that is a table on the left with a metamethod in Lua.  It is
** called above all registers. */
SHARED(arith) {
  i = shared_instruction(i);
  const SlowArith *what = &slow_arith_info[code_op(i) - OP_ADD_RR];
  const Value *rb = RB;
  if (LIKELY(what->left == 'r' && rb->tag == TAG_TABLE)) {
    const Table *metatable = value_table(rb)->metatable;
    const Node *n = metatable ? arith_find(L, metatable, what->op) : NULL;
    if (LIKELY(n && n->value_tag == TAG_LUA_CLOSURE)) {
      const LuaClosure *method = (const void *)n->value.cell;
      Value *func = frame->top;
      value_copy(func + 1, rb);
      arith_put_right(what->right, func + 2, rb, i, base, k);
      value_set_cell(func, n->value.cell, TAG_LUA_CLOSURE);
      SAVE_PC();
      L->top = func + 3;
      ENTER_LUA(func, method, 2, 1, FRAME_META);
    }
  }
  SLOW(slow_arith);
}

/* Two registers, or one and a number of the instruction; integers if both are,
** else floats. */
#define ARITH_RR(int_op, float_op)                                          \
  do {                                                                      \
    const Value *rb = RB, *rc = RC;                                         \
    lua_Number x, y;                                                        \
    if (LIKELY(both_integers(rb, rc))) {                                    \
      lua_Integer result = int_op(rb->as.i, rc->as.i);                      \
      value_set_integer(RA, result);                                        \
      NEXT;                                                                 \
    }                                                                       \
    if (LIKELY(both_floats(rb, rc))) {                                      \
      lua_Number result = float_op(rb->as.n, rc->as.n);                     \
      value_set_float(RA, result);                                          \
      NEXT;                                                                 \
    }                                                                       \
    if (value_number_to_float(rb, &x) && value_number_to_float(rc, &y)) {   \
      lua_Number result = float_op(x, y);                                   \
      value_set_float(RA, result);                                          \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

/* A small integer on the right. */
#define ARITH_RS(int_op, float_op, small)                                   \
  do {                                                                      \
    const Value *rb = RB;                                                   \
    if (LIKELY(rb->tag == TAG_INTEGER)) {                                   \
      value_set_integer(RA, int_op(rb->as.i, (lua_Integer)(small)));        \
      NEXT;                                                                 \
    }                                                                       \
    if (LIKELY(rb->tag == TAG_FLOAT)) {                                     \
      value_set_float(RA, float_op(rb->as.n, (lua_Number)(small)));         \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)
#define ARITH_RI(int_op, float_op) ARITH_RS(int_op, float_op, code_sc(i))

#define ARITH_RN(int_op, float_op)                                          \
  do {                                                                      \
    const Value *rb = RB;                                                   \
    lua_Integer n = KC->as.i;                                               \
    if (LIKELY(rb->tag == TAG_INTEGER)) {                                   \
      value_set_integer(RA, int_op(rb->as.i, n));                           \
      NEXT;                                                                 \
    }                                                                       \
    if (LIKELY(rb->tag == TAG_FLOAT)) {                                     \
      value_set_float(RA, float_op(rb->as.n, (lua_Number)n));               \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

/* A float constant on the right, and on the left. */
#define ARITH_RF(float_op)                                                  \
  do {                                                                      \
    const Value *rb = RB;                                                   \
    if (LIKELY(rb->tag == TAG_FLOAT)) {                                     \
      value_set_float(RA, float_op(rb->as.n, KC->as.n));                    \
      NEXT;                                                                 \
    }                                                                       \
    if (LIKELY(rb->tag == TAG_INTEGER)) {                                   \
      value_set_float(RA, float_op((lua_Number)rb->as.i, KC->as.n));        \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

#define ARITH_FR(float_op)                                                  \
  do {                                                                      \
    const Value *rc = RC;                                                   \
    if (LIKELY(rc->tag == TAG_FLOAT)) {                                     \
      value_set_float(RA, float_op(KB->as.n, rc->as.n));                    \
      NEXT;                                                                 \
    }                                                                       \
    if (LIKELY(rc->tag == TAG_INTEGER)) {                                   \
      value_set_float(RA, float_op(KB->as.n, (lua_Number)rc->as.i));        \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

#define ARITH_IR(int_op, float_op)                                          \
  do {                                                                      \
    const Value *rc = RC;                                                   \
    if (LIKELY(rc->tag == TAG_INTEGER)) {                                   \
      value_set_integer(RA, int_op((lua_Integer)code_sb(i), rc->as.i));     \
      NEXT;                                                                 \
    }                                                                       \
    if (LIKELY(rc->tag == TAG_FLOAT)) {                                     \
      value_set_float(RA, float_op((lua_Number)code_sb(i), rc->as.n));      \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

/* The result is a float whatever the operands are. */
#define FLOAT_RR(float_op)                                                  \
  do {                                                                      \
    const Value *rb = RB, *rc = RC;                                         \
    lua_Number x, y;                                                        \
    if (LIKELY(both_floats(rb, rc))) {                                      \
      value_set_float(RA, float_op(rb->as.n, rc->as.n));                    \
      NEXT;                                                                 \
    }                                                                       \
    if (value_number_to_float(rb, &x) && value_number_to_float(rc, &y)) {   \
      value_set_float(RA, float_op(x, y));                                  \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

#define FLOAT_RI(float_op)                                                  \
  do {                                                                      \
    lua_Number x;                                                           \
    if (LIKELY(value_number_to_float(RB, &x))) {                            \
      value_set_float(RA, float_op(x, (lua_Number)code_sc(i)));             \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

#define FLOAT_RN(float_op)                                                  \
  do {                                                                      \
    lua_Number x;                                                           \
    if (LIKELY(value_number_to_float(RB, &x))) {                            \
      value_set_float(RA, float_op(x, (lua_Number)KC->as.i));               \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

#define FLOAT_IR(float_op)                                                  \
  do {                                                                      \
    lua_Number x;                                                           \
    if (LIKELY(value_number_to_float(RC, &x))) {                            \
      value_set_float(RA, float_op((lua_Number)code_sb(i), x));             \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

HANDLER(ADD_RR) { ARITH_RR(int_add, FLOAT_ADD); }
HANDLER(ADD_RI) { ARITH_RI(int_add, FLOAT_ADD); }
HANDLER(ADD_RN) { ARITH_RN(int_add, FLOAT_ADD); }
HANDLER(ADD_RF) { ARITH_RF(FLOAT_ADD); }
HANDLER(ADD_IR) { ARITH_IR(int_add, FLOAT_ADD); }
HANDLER(ADD_FR) { ARITH_FR(FLOAT_ADD); }
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
HANDLER(ADD_RR_MULF) {
  const Value *rb = RB, *rc = RC;
  if (UNLIKELY(!both_floats(rb, rc))) DO_ALONE(ADD_RR);
  Instruction next = *pc++;
  lua_Number sum = rb->as.n + rc->as.n;
  lua_Number result = sum * k[code_c(next)].as.n;
  value_set_float(RA, sum);
  value_set_float(slot_a(base, next), result);
  NEXT;
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
HANDLER(SUB_RR) { ARITH_RR(int_sub, FLOAT_SUB); }
/* As in PUC Lua, `x - n` is `x + (-n)` here; only -0.0 - 0 shows it. */
HANDLER(SUB_RI) { ARITH_RS(int_add, FLOAT_ADD, -code_sc(i)); }
HANDLER(SUB_RN) { ARITH_RN(int_sub, FLOAT_SUB); }
HANDLER(SUB_RF) { ARITH_RF(FLOAT_SUB); }
HANDLER(SUB_IR) { ARITH_IR(int_sub, FLOAT_SUB); }
HANDLER(SUB_FR) { ARITH_FR(FLOAT_SUB); }
HANDLER(MUL_RR) { ARITH_RR(int_mul, FLOAT_MUL); }
HANDLER(MUL_RI) { ARITH_RI(int_mul, FLOAT_MUL); }
HANDLER(MUL_RN) { ARITH_RN(int_mul, FLOAT_MUL); }
HANDLER(MUL_RF) { ARITH_RF(FLOAT_MUL); }
HANDLER(MUL_IR) { ARITH_IR(int_mul, FLOAT_MUL); }
HANDLER(MUL_FR) { ARITH_FR(FLOAT_MUL); }

/* A product, and what is done with it next. */
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
HANDLER(MUL_RF_ADD) {
  const Value *rb = RB;
  Instruction next = *pc;
  const Value *other = slot_of(base, code_b(next));
  if (UNLIKELY(!both_floats(rb, other))) DO_ALONE(MUL_RF);
  lua_Number product = rb->as.n * KC->as.n;
  lua_Number result = other->as.n + product;
  value_set_float(RA, product);
  value_set_float(slot_a(base, next), result);
  pc++;
  NEXT;
}
HANDLER(DIV_RR) { FLOAT_RR(FLOAT_DIV); }
HANDLER(DIV_RI) { FLOAT_RI(FLOAT_DIV); }
HANDLER(DIV_RN) { FLOAT_RN(FLOAT_DIV); }
HANDLER(DIV_RF) { ARITH_RF(FLOAT_DIV); }
HANDLER(DIV_IR) { FLOAT_IR(FLOAT_DIV); }
HANDLER(DIV_FR) { ARITH_FR(FLOAT_DIV); }
/* The inverse of a power of two is exact, and faster to multiply with. */
#define MULTIPLY_INVERSE(divisor)                                           \
  do {                                                                      \
    const Value *rb = RB;                                                   \
    lua_Number inverse = float_inverse(divisor);                            \
    if (LIKELY(rb->tag == TAG_FLOAT)) {                                     \
      value_set_float(RA, rb->as.n * inverse);                              \
      NEXT;                                                                 \
    }                                                                       \
    if (LIKELY(rb->tag == TAG_INTEGER)) {                                   \
      value_set_float(RA, (lua_Number)rb->as.i * inverse);                  \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

HANDLER(DIV_RI2) { MULTIPLY_INVERSE(code_sc(i)); }
HANDLER(DIV_RF2) { MULTIPLY_INVERSE(KC->as.n); }

/* A divisor of 0 is an error only for integers: the slow path. */
#define DIVIDE_RR(int_op, float_op)                                         \
  do {                                                                      \
    const Value *rb = RB, *rc = RC;                                         \
    lua_Number x, y;                                                        \
    if (LIKELY(both_integers(rb, rc))) {                                    \
      if (UNLIKELY(rc->as.i == 0)) ARITH_OTHERWISE;                         \
      lua_Integer result = int_op(rb->as.i, rc->as.i);                      \
      value_set_integer(RA, result);                                        \
      NEXT;                                                                 \
    }                                                                       \
    if (LIKELY(value_number_to_float(rb, &x) &&                             \
               value_number_to_float(rc, &y))) {                            \
      lua_Number result = float_op(x, y);                                   \
      value_set_float(RA, result);                                          \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

#define INT_MOD_POWER(a, b) ((a) & ((b) - 1))

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

/* Floats with an integer's value are rare enough for the slow path. */
#define BITS_RR(int_op)                                                     \
  do {                                                                      \
    const Value *rb = RB, *rc = RC;                                         \
    if (LIKELY(both_integers(rb, rc))) {                                    \
      value_set_integer(RA, int_op(rb->as.i, rc->as.i));                    \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

#define BITS_R(int_op, operand)                                             \
  do {                                                                      \
    const Value *rb = RB;                                                   \
    if (LIKELY(rb->tag == TAG_INTEGER)) {                                   \
      value_set_integer(RA, int_op(rb->as.i, (operand)));                   \
      NEXT;                                                                 \
    }                                                                       \
    ARITH_OTHERWISE;                                                        \
  } while (0)

#define BITS_AND(a, b) ((a) & (b))
#define BITS_OR(a, b) ((a) | (b))
#define BITS_XOR(a, b) ((a) ^ (b))
#define BITS_SHL(a, b) ((lua_Integer)((lua_Unsigned)(a) << (b)))
#define BITS_SHR(a, b) ((lua_Integer)((lua_Unsigned)(a) >> (b)))

HANDLER(BAND_RR) { BITS_RR(BITS_AND); }
HANDLER(BAND_RN) { BITS_R(BITS_AND, KC->as.i); }
HANDLER(BOR_RR) { BITS_RR(BITS_OR); }
HANDLER(BOR_RN) { BITS_R(BITS_OR, KC->as.i); }
HANDLER(BXOR_RR) { BITS_RR(BITS_XOR); }
HANDLER(BXOR_RN) { BITS_R(BITS_XOR, KC->as.i); }
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
  const Value *rb = RB;
  if (LIKELY(rb->tag == TAG_INTEGER)) {
    value_set_integer(RA, ~rb->as.i);
    NEXT;
  }
  ARITH_OTHERWISE;
}
HANDLER(NOT) {
  value_set_bool(RA, value_is_falsy(RB));
  NEXT;
}
#define LENGTH()                                                            \
  do {                                                                      \
    const Value *rb = RB;                                                   \
    if (LIKELY(rb->tag == TAG_TABLE)) {                                     \
      Table *t = value_table(rb);                                           \
      if (LIKELY(!t->metatable)) {                                          \
        lua_Unsigned n = table_fast_length(t);                              \
        if (UNLIKELY(n == 0)) n = table_length(L, t);                       \
        value_set_integer(RA, (lua_Integer)n);                              \
        NEXT;                                                               \
      }                                                                     \
    } else if (value_is_string(rb)) {                                       \
      value_set_integer(RA, (lua_Integer)string_length(value_string(rb)));  \
      NEXT;                                                                 \
    }                                                                       \
    SLOW(slow_length);                                                      \
  } while (0)

HANDLER(LEN) { LENGTH(); }
/* Stores and skips the next two instructions. */
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
/* Short results are made at once. */
#define CONCATENATE(short_result)                                           \
  do {                                                                      \
    SAVE_PC();                                                              \
    String *s = short_result;                                               \
    if (UNLIKELY(!s)) SLOW(slow_concat);                                    \
    LOAD_BASE();                                                            \
    value_set_cell(RA, s, TAG_SHORT_STRING);                                \
    if (UNLIKELY(gc_step_due(GC()))) SLOW(slow_concat_step);                \
    NEXT;                                                                   \
  } while (0)

HANDLER(CONCAT) {
  CONCATENATE(concat_short(L, RB, (int)code_c(i)));
}
HANDLER(CONCAT_RR) {
  CONCATENATE(concat_two_short(L, RB, RC));
}

/* -- Jumps ----------------------------------------------------------------- */

HANDLER(JMP) {
  int offset = code_e(i);
  pc += offset;
  if (offset < 0) NEXT_POLLED;
  NEXT;
}
HANDLER(JT) { JUMP_IF(!value_is_falsy(RA)); }
HANDLER(JF) { JUMP_IF(value_is_falsy(RA)); }
HANDLER(JTSET) {
  const Value *rb = RB;
  if (!value_is_falsy(rb)) {
    value_copy(RA, rb);
    JUMP();
  }
  pc++;
  NEXT;
}
HANDLER(JFSET) {
  const Value *rb = RB;
  if (value_is_falsy(rb)) {
    value_copy(RA, rb);
    JUMP();
  }
  pc++;
  NEXT;
}
HANDLER(JNIL) { JUMP_IF(RA->tag == TAG_NIL); }
HANDLER(JNNIL) { JUMP_IF(RA->tag != TAG_NIL); }

/* `sense` is what the comparison must give for a jump. */
#define JUMP_EQUAL(sense)                                                   \
  do {                                                                      \
    const Value *ra = RA, *rb = RB;                                         \
    if (LIKELY(ra->tag == rb->tag)) {                                       \
      if (LIKELY(ra->tag == TAG_INTEGER || ra->tag == TAG_SHORT_STRING))    \
        JUMP_IF((ra->as.bits == rb->as.bits) == (sense));                   \
      int equal = equal_same_tag(ra, rb);                                   \
      if (LIKELY(equal >= 0)) JUMP_IF(equal == (sense));                    \
    } else if (!(value_is_number(ra) && value_is_number(rb))) {             \
      JUMP_IF(!(sense));                                                    \
    }                                                                       \
    SLOW(slow_compare);                                                     \
  } while (0)

#define JUMP_EQUAL_STRING(sense)                                            \
  do {                                                                      \
    const Value *ra = RA, *kb = KB;                                         \
    JUMP_IF((ra->tag == TAG_SHORT_STRING && ra->as.bits == kb->as.bits) ==  \
            (sense));                                                       \
  } while (0)

#define JUMP_EQUAL_INT(sense)                                               \
  do {                                                                      \
    const Value *ra = RA;                                                   \
    if (LIKELY(ra->tag == TAG_INTEGER))                                     \
      JUMP_IF((ra->as.i == code_i15(i)) == (sense));                        \
    if (ra->tag == TAG_FLOAT)                                               \
      JUMP_IF((ra->as.n == (lua_Number)code_i15(i)) == (sense));            \
    JUMP_IF(!(sense));                                                      \
  } while (0)

HANDLER(JEQ) { JUMP_EQUAL(true); }
HANDLER(JNEQ) { JUMP_EQUAL(false); }
HANDLER(JEQS) { JUMP_EQUAL_STRING(true); }
HANDLER(JNEQS) { JUMP_EQUAL_STRING(false); }
HANDLER(JEQK) { JUMP_IF(value_raw_equal(RA, KB)); }
HANDLER(JNEQK) { JUMP_IF(!value_raw_equal(RA, KB)); }
HANDLER(JEQI) { JUMP_EQUAL_INT(true); }
HANDLER(JNEQI) { JUMP_EQUAL_INT(false); }

#define JUMP_ORDER(operator, sense)                                         \
  do {                                                                      \
    const Value *ra = RA, *rb = RB;                                         \
    if (LIKELY(both_integers(ra, rb)))                                      \
      JUMP_IF((ra->as.i operator rb->as.i) == (sense));                     \
    if (LIKELY(both_floats(ra, rb)))                                        \
      JUMP_IF((ra->as.n operator rb->as.n) == (sense));                     \
    SLOW(slow_compare);                                                     \
  } while (0)

#define JUMP_ORDER_INT(operator, sense)                                     \
  do {                                                                      \
    const Value *ra = RA;                                                   \
    if (LIKELY(ra->tag == TAG_INTEGER))                                     \
      JUMP_IF((ra->as.i operator code_i15(i)) == (sense));                  \
    if (LIKELY(ra->tag == TAG_FLOAT))                                       \
      JUMP_IF((ra->as.n operator (lua_Number)code_i15(i)) == (sense));      \
    SLOW(slow_compare);                                                     \
  } while (0)

HANDLER(JLT) { JUMP_ORDER(<, true); }
HANDLER(JNLT) { JUMP_ORDER(<, false); }
HANDLER(JLE) { JUMP_ORDER(<=, true); }
HANDLER(JNLE) { JUMP_ORDER(<=, false); }
HANDLER(JLTI) { JUMP_ORDER_INT(<, true); }
HANDLER(JNLTI) { JUMP_ORDER_INT(<, false); }
HANDLER(JLEI) { JUMP_ORDER_INT(<=, true); }
HANDLER(JNLEI) { JUMP_ORDER_INT(<=, false); }
HANDLER(JGTI) { JUMP_ORDER_INT(>, true); }
HANDLER(JNGTI) { JUMP_ORDER_INT(>, false); }
HANDLER(JGEI) { JUMP_ORDER_INT(>=, true); }
HANDLER(JNGEI) { JUMP_ORDER_INT(>=, false); }

/* -- Loops ----------------------------------------------------------------- */

HANDLER(FORPREP) {
  SLOW(slow_for_prepare);
}
HANDLER(FORLOOP) {
  Value *ra = RA;
  if (LIKELY(ra[2].tag == TAG_INTEGER)) {
    lua_Unsigned count = (lua_Unsigned)ra[1].as.i;
    if (count > 0) {
      lua_Integer index = int_add(ra->as.i, ra[2].as.i);
      ra[1].as.i = (lua_Integer)(count - 1);
      ra->as.i = index;
      value_set_integer(ra + 3, index);
      JUMP_LOOP();
    }
  } else {
    lua_Number step = ra[2].as.n, limit = ra[1].as.n;
    lua_Number index = ra->as.n + step;
    if (step > 0 ? index <= limit : limit <= index) {
      ra->as.n = index;
      value_set_float(ra + 3, index);
      JUMP_LOOP();
    }
  }
  pc++;
  NEXT;
}
HANDLER(FORPREP1) {
  Value *ra = RA;
  if (LIKELY(both_integers(ra, ra + 1))) {
    value_set_integer(ra + 2, 1);           /* for debuggers */
    value_copy(ra + 3, ra);
    JUMP_IF(ra->as.i > ra[1].as.i);
  }
  SLOW(slow_for_prepare1);
}
HANDLER(FORLOOP1) {
  Value *ra = RA;
  if (LIKELY(ra[3].tag == TAG_INTEGER)) {
    lua_Integer index = ra[3].as.i;
    if (index < ra[1].as.i) {
      ra[3].as.i = index + 1;
      JUMP_LOOP();
    }
  } else {
    lua_Number index = ra[3].as.n + 1;
    if (index <= ra[1].as.n) {
      ra[3].as.n = index;
      JUMP_LOOP();
    }
  }
  pc++;
  NEXT;
}
/* Runs a C function for which there is room, arguments being up to the top.  It
** may have yielded (see coroutine.c), or left something to call_finish. */
#define RUN_C(where, function, results)                                     \
  do {                                                                      \
    frame++;                                                                \
    frame->func = (where);                                                  \
    frame->top = L->top + LUA_MINSTACK;                                     \
    frame->wanted = (int16_t)(results);                                     \
    frame->status = FRAME_C | FRAME_DIRECT;                                 \
    L->frame = frame;                                                       \
    int count = (function)(L);                                              \
    call_check_results(L, count);                                           \
    frame = L->frame;                                                       \
    if (UNLIKELY(frame->status != (FRAME_C | FRAME_DIRECT) ||               \
                 L->hook_mask || L->closable_count)) {                      \
      if (L->status == LUA_YIELD) return;                                   \
      call_finish(L, count);                                                \
      RELOAD;                                                               \
    }                                                                       \
    Value *to = frame->func;                                                \
    const Value *from = L->top - count;                                     \
    unsigned wanted = (results);                                            \
    L->frame = --frame;                                                     \
    base = frame->func + 1;                                                 \
    if (LIKELY(wanted == 1 && count > 0)) {                                 \
      value_copy(to, from);                                                 \
      NEXT;                                                                 \
    }                                                                       \
    for (; wanted > 0 && count > 0; wanted--, count--)                      \
      value_copy(to++, from++);                                             \
    for (; wanted > 0; wanted--) value_set_nil(to++);                       \
    NEXT;                                                                   \
  } while (0)

/* What a BuiltinFn returned, when it did neither the call nor nothing. */
#define BUILTIN_SWITCH(done, results)                                       \
  do {                                                                      \
    if (UNLIKELY((done) == BUILTIN_NEEDS_HOST)) {                           \
      frame->u.lua.pc = pc - 1;                                             \
      coroutine_host(L);                                                    \
      return;                                                               \
    }                                                                       \
    L->frame->wanted = (int16_t)(results);                                  \
    L = thread_running(L);                                                  \
    RELOAD;                                                                 \
  } while (0)

HANDLER(TFORPREP) {
  slow_for_hint(RA + 2, 0);
  if (!value_is_falsy(RA + 3)) {
    SAVE_PC();
    slow_mark_closable(L, code_a(i) + 3);
    LOAD_BASE();
  }
  pc += (int32_t)*pc;
  NEXT;
}
HANDLER(TFORCALL) {
  Value *ra = RA;
  if (ra->tag == TAG_C_FUNCTION && ra[1].tag == TAG_TABLE) {
    if (ra->as.f == L->global->next_function) {
      SAVE_PC();
      if (slow_for_next(L, value_table(ra + 1), ra + 2)) {
        for (unsigned n = code_b(i); n > 2; n--) value_set_nil(ra + 3 + n);
        pc++;                             /* do what TFORLOOP would do */
        JUMP_LOOP();
      }
      pc += 2;
      NEXT;
    }
    if (ra->as.f == L->global->ipairs_function &&
        ra[2].tag == TAG_INTEGER) {
      lua_Integer index = int_add(ra[2].as.i, 1);
      if (LIKELY(table_fast_get_int(value_table(ra + 1), index, ra + 5))) {
        ra[2].as.i = index;
        value_set_integer(ra + 4, index);
        for (unsigned n = code_b(i); n > 2; n--) value_set_nil(ra + 3 + n);
        pc++;
        JUMP_LOOP();
      }
    }
  }
  value_copy(ra + 4, ra);
  value_copy(ra + 5, ra + 1);
  value_copy(ra + 6, ra + 2);
  SAVE_PC();
  L->top = ra + 7;
  if (ra->tag == TAG_C_CLOSURE && !L->hook_mask) {
    lua_CFunction function = value_c_closure(ra)->function;
    if (switch_is_wrapped_call(L, ra)) {
      int done = switch_wrapped(L, ra + 4, 2);
      if (LIKELY(done != -1)) BUILTIN_SWITCH(done, code_b(i));
    }
    if (LIKELY(HAS_ROOM(LUA_MINSTACK))) RUN_C(ra + 4, function, code_b(i));
  }
  call_prepare(L, ra + 4, (int)code_b(i), 0);
  RELOAD;
}
HANDLER(TFORLOOP) {
  Value *ra = RA;
  if (ra[4].tag != TAG_NIL) {
    value_copy(ra + 2, ra + 4);
    JUMP_LOOP();
  }
  pc++;
  NEXT;
}

/* -- Calls ----------------------------------------------------------------- */

/* Back in the frame below, whose pc and constants are other ones. */
#define LEAVE_FRAME()                                                       \
  do {                                                                      \
    L->frame = --frame;                                                     \
    base = frame->func + 1;                                                 \
    pc = frame->u.lua.pc;                                                   \
    k = frame->u.lua.constants;                                             \
  } while (0)

/* After a builtin gave `count` results where `wanted` were; RA anew, as the
** stack may have moved. */
#define BUILTIN_DONE(count, wanted)                                         \
  do {                                                                      \
    LOAD_BASE();                                                            \
    for (Value *to = RA; (count) < (wanted); (count)++)                     \
      value_set_nil(&to[count]);                                            \
    NEXT;                                                                   \
  } while (0)

/* Leaves the frame of a metamethod, with the result of the instruction that
** called it. */
#define RETURN_META(value)                                                  \
  do {                                                                      \
    const Value *result = (value);                                          \
    LEAVE_FRAME();                                                          \
    i = pc[-1];                                                             \
    if (LIKELY(code_op(i) >= OP_ADD_RR && code_op(i) <= OP_BNOT)) {         \
      value_copy(RA, result);                                               \
      NEXT;                                                                 \
    }                                                                       \
    slow_finish(L, result);                                                 \
    RELOAD;                                                                 \
  } while (0)

/* Does the RETURN that follows a tail call, of one value, if there is nothing
** special about it; the function has no variable arguments. */
#define RETURN_TAIL(value)                                                  \
  do {                                                                      \
    unsigned special = frame->status & FRAME_RETURN_SLOW;                   \
    if (special == FRAME_META) RETURN_META(value);                          \
    if (UNLIKELY(special || frame->wanted != 1)) break;                     \
    value_copy(base - 1, (value));                                          \
    LEAVE_FRAME();                                                          \
    NEXT;                                                                   \
  } while (0)

/* The running frame goes on as a call of the Lua function in `function`, with
** arguments up to the top; if there is no room, nothing has happened.  It must
** not be one with variable arguments: see call_prepare_tail. */
#define BECOME_LUA(function)                                                \
  do {                                                                      \
    const Value *from = (function), *end = L->top;                          \
    const LuaClosure *closure = value_lua_closure(from);                    \
    const Proto *p = closure->proto;                                        \
    Instruction *code = closure_code(closure);                              \
    if (UNLIKELY(L->limit - end < (ptrdiff_t)p->frame_size)) break;         \
    L->top = base - 1 + (end - from);                                       \
    for (Value *to = base - 1; from < end; from++) value_copy(to++, from);  \
    if (UNLIKELY(L->top < base + p->param_count))                           \
      L->top = fill_params(L->top, base + p->param_count);                  \
    frame->top = base + p->frame_size;                                      \
    frame->status = (uint16_t)((frame->status & ~FRAME_OF_CALL) |           \
                               FRAME_TAIL);                                 \
    k = p->constants;                                                       \
    frame->u.lua.constants = k;                                             \
    pc = code;                                                              \
    NEXT_POLLED;                                                            \
  } while (0)

HANDLER(CALL) {
  Value *ra = RA;
  SAVE_PC();
  L->top = ra + 1 + code_b(i);
  if (LIKELY(ra->tag == TAG_LUA_CLOSURE)) {
    ENTER_LUA(ra, value_lua_closure(ra), code_b(i), code_c(i), 0);
  } else if (LIKELY(ra->tag == TAG_C_FUNCTION && !L->hook_mask)) {
    int done = builtin_call(L, ra, code_b(i));
    if (done >= 0) BUILTIN_DONE(done, (int)code_c(i));
    if (done != -1) BUILTIN_SWITCH(done, code_c(i));
    if (LIKELY(HAS_ROOM(LUA_MINSTACK))) RUN_C(ra, ra->as.f, code_c(i));
  } else if (ra->tag == TAG_C_CLOSURE && !L->hook_mask) {
    lua_CFunction function = value_c_closure(ra)->function;
    if (switch_is_wrapped_call(L, ra)) {
      int done = switch_wrapped(L, ra, code_b(i));
      if (LIKELY(done != -1)) BUILTIN_SWITCH(done, code_c(i));
    }
    if (LIKELY(HAS_ROOM(LUA_MINSTACK))) RUN_C(ra, function, code_c(i));
  }
  call_prepare(L, ra, (int)code_c(i), 0);
  RELOAD;
}
HANDLER(CALLM) {
  Value *ra = RA;
  int wanted = (int)code_c(i) - 1;
  SAVE_PC();
  if (code_b(i) != 0) L->top = ra + code_b(i);
  if (LIKELY(ra->tag == TAG_LUA_CLOSURE)) {
    unsigned count = (unsigned)(L->top - ra - 1);
    ENTER_LUA(ra, value_lua_closure(ra), count, wanted, 0);
  } else if (ra->tag == TAG_C_FUNCTION && !L->hook_mask) {
    int done = builtin_call(L, ra, (unsigned)(L->top - ra - 1));
    if (done >= 0) {
      if (wanted < 0) L->top = L->frame->func + 1 + code_a(i) + done;
      BUILTIN_DONE(done, wanted);
    }
    if (done != -1) BUILTIN_SWITCH(done, wanted);
  } else if (switch_is_wrapped_call(L, ra)) {
    int done = switch_wrapped(L, ra, (unsigned)(L->top - ra - 1));
    if (done != -1) BUILTIN_SWITCH(done, wanted);
  }
  call_prepare(L, ra, wanted, 0);
  RELOAD;
}
HANDLER(TAILCALL) {
  Value *ra = RA;
  SAVE_PC();
  if (code_b(i) != 0) L->top = ra + code_b(i);
  if (code_c(i) & RETURN_CLOSE) upvalue_close(L, base);
  if (LIKELY(ra->tag == TAG_LUA_CLOSURE)) {
    if (LIKELY(!(code_c(i) & RETURN_VARARG))) BECOME_LUA(ra);
  } else if (ra->tag == TAG_C_FUNCTION && !L->hook_mask) {
    int done = builtin_call(L, ra, (unsigned)(L->top - ra - 1));
    if (done >= 0) {
      LOAD_BASE();
      if (LIKELY(done == 1 && !(code_c(i) & RETURN_VARARG))) RETURN_TAIL(RA);
      L->top = RA + done;                 /* for the RETURN that follows */
      NEXT;
    }
    if (done != -1) BUILTIN_SWITCH(done, LUA_MULTRET);
  } else if (switch_is_wrapped_call(L, ra)) {
    int done = switch_wrapped(L, ra, (unsigned)(L->top - ra - 1));
    if (done != -1) BUILTIN_SWITCH(done, LUA_MULTRET);
  }
  call_prepare_tail(L, ra);
  RELOAD;
}

/* Leaves the frame when there is something special about that. */
#define RETURN_SLOW(first, count, close)                                    \
  do {                                                                      \
    SAVE_PC();                                                              \
    if ((status & FRAME_RETURN_SLOW) == FRAME_FRESH && !(close) &&          \
        switch_return(L, (first), (count))) {                               \
      L = thread_running(L);                                                \
      RELOAD;                                                               \
    }                                                                       \
    slow_return(L, (first), (count), (close));                              \
    if (status & FRAME_FRESH) {                                             \
      if (!switch_back(L)) return;                                          \
      L = thread_running(L);                                                \
    }                                                                       \
    RELOAD;                                                                 \
  } while (0)

HANDLER(RETURN) {
  const Value *from = RA;
  unsigned status = frame->status;
  int count = (int)code_b(i) - 1;
  if (count < 0) count = (int)(L->top - from);
  bool close = (code_c(i) & RETURN_CLOSE) != 0;
  if (close && L->closable_count == 0) {
    upvalue_close(L, base);
    close = false;
  }
  if (UNLIKELY(status & FRAME_RETURN_SLOW || close)) {
    if ((status & FRAME_RETURN_SLOW) == FRAME_META && !close && count > 0) {
      RETURN_META(from);
    }
    RETURN_SLOW(RA, count, close);
  }
  Value *to = base - 1;
  if (UNLIKELY(code_c(i) & RETURN_VARARG))
    to -= frame->u.lua.extra_args + CLOSURE()->proto->param_count + 1;
  int wanted = frame->wanted;
  LEAVE_FRAME();
  if (wanted < 0) {
    wanted = count;
    L->top = to + count;
  }
  for (; wanted > 0 && count > 0; wanted--, count--)
    value_copy(to++, from++);
  for (; wanted > 0; wanted--) value_set_nil(to++);
  NEXT;
}
HANDLER(RETURN0) {
  if (LIKELY(frame_mode(frame) == frame_mode_of(0, 0))) {
    LEAVE_FRAME();
    NEXT;
  }
  unsigned status = frame->status;
  if (UNLIKELY(status & FRAME_RETURN_SLOW)) RETURN_SLOW(base, 0, false);
  int wanted = frame->wanted;
  Value *to = base - 1;
  LEAVE_FRAME();
  if (wanted < 0) L->top = to;
  for (; wanted > 0; wanted--) value_set_nil(to++);
  NEXT;
}
HANDLER(RETURN1) {
  if (LIKELY(frame_mode(frame) == frame_mode_of(1, 0))) {
    value_copy(base - 1, RA);
    LEAVE_FRAME();
    NEXT;
  }
  unsigned status = frame->status;
  if (UNLIKELY(status & FRAME_RETURN_SLOW)) {
    if ((status & FRAME_RETURN_SLOW) == FRAME_META) {
      RETURN_META(RA);
    }
    if ((status & FRAME_RETURN_SLOW) == FRAME_FRESH && !L->hook_mask &&
        frame->wanted == 1) {
      value_copy(base - 1, RA);
      L->top = base;
      L->frame = frame - 1;
      return;
    }
    RETURN_SLOW(RA, 1, false);
  }
  int wanted = frame->wanted;
  Value *to = base - 1;
  if (wanted != 0) value_copy(to, RA);
  LEAVE_FRAME();
  if (wanted < 0) L->top = to + 1;
  for (; wanted > 1; wanted--) value_set_nil(++to);
  NEXT;
}
HANDLER(VARARGPREP) {
  SLOW(slow_vararg_prepare);
}
HANDLER(VARARG) {
  SLOW(slow_vararg);
}
HANDLER(CLOSURE) {
  SAVE_PC();
  slow_closure(L, RA, CLOSURE()->proto->protos[*pc]);
  if (UNLIKELY(gc_step_due(GC()))) {
    slow_collect_new(L);
    LOAD_BASE();
  }
  pc++;
  NEXT;
}
HANDLER(CLOSE) {
  SLOW(slow_close);
}
HANDLER(TBC) {
  SAVE_PC();
  slow_mark_closable(L, code_a(i));
  LOAD_BASE();
  NEXT;
}
