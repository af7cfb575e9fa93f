/* SPDX-License-Identifier: MIT */
/*
** handlers_access.h -- moving, loading, fields, elements, new tables
**
** A part of handlers.h.
*/

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
  PASS_WORD();
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

/* -- Fields ---------------------------------------------------------------- */

/* After a function that has not done its part of the instruction. */
#define DO_STEP(step)                             \
  do {                                            \
    if ((step) == STEP_CALLS) goto shared_method; \
    RELOADED;                                     \
  } while (0)

/* Reads a field of `object`. */
#define DO_GET_FIELD(object)                                  \
  do {                                                        \
    if (UNLIKELY((object)->tag != TAG_TABLE)) SLOW(slow_get); \
    const Table *t = value_table(object);                     \
    const String *key = value_string(&k[aux_key(*pc)]);       \
    const Node *n = fast_field(t, key, aux_hint(*pc));        \
    if (UNLIKELY(!n)) {                                       \
      const Node *found;                                      \
      SAVE_PC();                                              \
      SlowStep step = slow_find_field(L, t, key, pc, &found); \
      if (UNLIKELY(step != STEP_DONE)) DO_STEP(step);         \
      n = found;                                              \
    }                                                         \
    node_get(n, RA);                                          \
    PASS_WORD();                                              \
    NEXT;                                                     \
  } while (0)

/* Writes a field of `object`. */
#define DO_SET_FIELD(object, from)                            \
  do {                                                        \
    if (UNLIKELY((object)->tag != TAG_TABLE)) SLOW(slow_set); \
    Table *t = value_table(object);                           \
    String *key = value_string(&k[aux_key(*pc)]);             \
    Node *n = table_hinted_key(t, key, aux_hint(*pc));        \
    if (UNLIKELY(!fast_set_node(L, t, n, (from)))) {          \
      SAVE_PC();                                              \
      SlowStep step = slow_set_field(L, t, key, (from), pc);  \
      if (UNLIKELY(step != STEP_DONE)) DO_STEP(step);         \
    }                                                         \
    PASS_WORD();                                              \
    NEXT;                                                     \
  } while (0)

/* The end of a handler after a function has executed its instruction. */
SHARED(reload) { RELOAD; }

/* Calls the metamethod in Lua that is above all registers, with its arguments
** up to the top.  With three arguments it has no result. */
SHARED(method) {
  Value *func = frame->top;
  const LuaClosure *method = value_lua_closure(func);
  unsigned count = (unsigned)(L->top - func) - 1;
  if (LIKELY(HAS_SLOTS(ENTER_SIZE(method->proto))))
    DO_ENTER(func, method, count, frame_mode_of(count == 2, FRAME_META));
  call_prepare(L, func, count == 2, FRAME_META);
  RELOAD;
}

HANDLER(GETUPFIELD) { DO_GET_FIELD(CLOSURE()->upvalue[code_b(i)]->v); }
HANDLER(SETUPFIELD) {
  const Value *object = CLOSURE()->upvalue[code_a(i)]->v;
  DO_SET_FIELD(object, RB);
}
HANDLER(SETUPFIELDK) {
  const Value *object = CLOSURE()->upvalue[code_a(i)]->v;
  DO_SET_FIELD(object, &k[code_d(i)]);
}
HANDLER(GETFIELD) {
  const Value *object = RB;
  DO_GET_FIELD(object);
}

/* Reads a field, and uses it as an operand of the next instruction.  The fast
** path needs a correct hint. */
#define FIELD_PAIR(name, code_other, int_op, float_op)                         \
  HANDLER(name) {                                                              \
    const Value *object = RB;                                                  \
    if (UNLIKELY(object->tag != TAG_TABLE)) DO_ALONE(GETFIELD);                \
    const String *key = value_string(&k[aux_key(*pc)]);                        \
    const Node *n = table_hinted_key(value_table(object), key, aux_hint(*pc)); \
    if (UNLIKELY(!n)) DO_ALONE(GETFIELD);                                      \
    Instruction next = pc[1];                                                  \
    const Value *other = slot_of(base, code_other(next));                      \
    unsigned tag = n->value_tag;                                               \
    if (UNLIKELY(other->tag != tag)) DO_ALONE(GETFIELD);                       \
    if (UNLIKELY(!fast_pair(base, i, next, tag, n->value, other, int_op,       \
                            float_op)))                                        \
      DO_ALONE(GETFIELD);                                                      \
    PASS_WORD();                                                               \
    pc++;                                                                      \
    NEXT;                                                                      \
  }

FIELD_PAIR(GETFIELD_ADD, code_b, int_add, float_add)
FIELD_PAIR(GETFIELD_SUB, code_b, int_sub, float_sub)
FIELD_PAIR(GETFIELD_MUL, code_b, int_mul, float_mul)
FIELD_PAIR(GETFIELD_SUBL, code_c, int_sub_from, float_sub_from)
HANDLER(SETFIELD) {
  const Value *object = RA;
  DO_SET_FIELD(object, RB);
}
HANDLER(SETFIELDK) {
  const Value *object = RA;
  DO_SET_FIELD(object, &k[code_d(i)]);
}

/* -- Elements -------------------------------------------------------------- */

/* SETTABLE and SETTABLEK: elements of the array, string keys, and integer keys
** that append. */
#define DO_SET_ELEMENT(v)                                               \
  do {                                                                  \
    const Value *object = RA, *key = RB;                                \
    if (UNLIKELY(object->tag != TAG_TABLE)) SLOW(slow_set);             \
    Table *t = value_table(object);                                     \
    Found at;                                                           \
    if (LIKELY(key->tag == TAG_INTEGER)) {                              \
      if (LIKELY(fast_set_int(L, t, key->as.i, (v)))) NEXT;             \
      at = table_find_int_to_write(t, key->as.i);                       \
    } else if (key->tag == TAG_SHORT_STRING) {                          \
      at = (Found){table_find_str(t, value_string(key)), 0};            \
    } else {                                                            \
      Integer whole;                                                    \
      if (key->tag == TAG_FLOAT && float_is_integer(key->as.n, &whole)) \
        if (LIKELY(fast_set_int(L, t, whole, (v)))) NEXT;               \
      SPEND_KEY(key);                                                   \
      at = table_find_to_write(L, t, key);                              \
    }                                                                   \
    if (LIKELY(fast_set_node(L, t, at.node, (v)))) NEXT;                \
    SAVE_PC();                                                          \
    if (!t->metatable) {                                                \
      if (LIKELY(key->tag == TAG_INTEGER))                              \
        table_add_int(L, t, at.place, key->as.i, (v));                  \
      else if (key->tag != TAG_SHORT_STRING)                            \
        table_add(L, t, at.place, key, (v));                            \
      else                                                              \
        table_set(L, t, key, (v));                                      \
    } else {                                                            \
      SlowStep step = slow_set_element(L, object, key, (v), true);      \
      if (UNLIKELY(step != STEP_DONE)) DO_STEP(step);                   \
    }                                                                   \
    POLL_COLLECTOR();                                                   \
    NEXT;                                                               \
  } while (0)

HANDLER(GETTABLE) {
  const Value *object = RB, *key = RC;
  if (UNLIKELY(object->tag != TAG_TABLE)) SLOW(slow_get);
  Table *t = value_table(object);
  bool searched = true; /* the table itself does not have it */
  if (LIKELY(key->tag == TAG_INTEGER)) {
    Unsigned index = (Unsigned)key->as.i - 1;
    if (LIKELY(index < t->array_size)) {
      uint8_t tag = table_tags(t)[index];
      if (LIKELY(tag != TAG_NIL)) {
        Value *ra = RA;
        ra->as = t->array[index];
        ra->tag = tag;
        NEXT;
      }
      searched = false;
    } else {
      if (LIKELY(fast_found(t, table_find_int(t, key->as.i), RA))) NEXT;
    }
  } else if (key->tag == TAG_SHORT_STRING) {
    if (LIKELY(fast_found(t, table_find_str(t, value_string(key)), RA))) NEXT;
  } else if (tag_is_collectable(key->tag) && key->tag != TAG_LONG_STRING) {
    if (LIKELY(fast_found(t, table_find_object(t, key), RA))) NEXT;
  } else {
    searched = false;
  }
  Value v;
  SPEND_KEY(key);
  if ((searched && !(t->cell.user & TABLE_SPECIAL)) ||
      (!get_element(L, t, key, &v) && t->metatable)) {
    SAVE_PC();
    if (puts_method(L, frame, method_find(L, t, META_INDEX), object, key))
      goto shared_method;
    SlowStep step = slow_get_element(L, object, key, &v);
    if (UNLIKELY(step != STEP_DONE)) DO_STEP(step);
  }
  value_copy(RA, &v);
  NEXT;
}

/* The element is the right operand of the ADD_RR that follows. */
HANDLER(GETTABLE_ADD) {
  Payload element;
  unsigned tag;
  if (UNLIKELY(!fast_element(RB, RC, &element, &tag))) DO_ALONE(GETTABLE);
  Instruction next = *pc;
  const Value *other = slot_of(base, code_b(next));
  if (UNLIKELY(other->tag != tag)) DO_ALONE(GETTABLE);
  if (UNLIKELY(
          !fast_pair(base, i, next, tag, element, other, int_add, float_add)))
    DO_ALONE(GETTABLE);
  pc++;
  NEXT;
}
/* The element is a factor, and the product is added to a number.  The element
** is stored before the other operands are read, since it may be one of them. */
HANDLER(GETTABLE_MUL_ADD) {
  Payload element;
  unsigned tag;
  if (UNLIKELY(!fast_element(RB, RC, &element, &tag))) DO_ALONE(GETTABLE);
  if (UNLIKELY(tag != TAG_FLOAT)) DO_ALONE(GETTABLE);
  value_set_float(RA, element.n);
  Instruction multiply = pc[0], add = pc[1];
  const Value *factor = slot_of(base, code_b(multiply));
  const Value *other = slot_of(base, code_b(add));
  if (UNLIKELY(!both_floats(factor, other))) NEXT;
  Number product = factor->as.n * element.n;
  Number result = other->as.n + product;
  value_set_float(slot_a(base, multiply), product);
  value_set_float(slot_a(base, add), result);
  pc += 2;
  NEXT;
}
HANDLER(GETTABLE_SET) {
  Payload element;
  unsigned tag;
  if (UNLIKELY(!fast_element(RB, RC, &element, &tag))) DO_ALONE(GETTABLE);
  if (UNLIKELY(tag == TAG_NIL)) DO_ALONE(GETTABLE);
  Value *v = RA;
  v->as = element;
  v->tag = (uint8_t)tag;
  Instruction store = *pc;
  const Value *target = slot_a(base, store);
  const Value *place = slot_of(base, code_b(store));
  if (LIKELY(target->tag == TAG_TABLE && place->tag == TAG_INTEGER))
    if (LIKELY(fast_set_int(L, value_table(target), place->as.i, v))) pc++;
  NEXT;
}

/* Stores an element at the end of a loop, and goes on with the loop. */
#define DO_SET_AND_LOOP(name, v, loop)                             \
  do {                                                             \
    const Value *object = RA, *key = RB;                           \
    if (UNLIKELY(object->tag != TAG_TABLE)) DO_ALONE(name);        \
    if (UNLIKELY(key->tag != TAG_INTEGER)) DO_ALONE(name);         \
    Table *t = value_table(object);                                \
    if (LIKELY(fast_set_int(L, t, key->as.i, (v)))) DO_NEXT(loop); \
    if (UNLIKELY(t->metatable)) DO_ALONE(name);                    \
    Found at = table_find_int_to_write(t, key->as.i);              \
    if (LIKELY(fast_set_node(L, t, at.node, (v)))) DO_NEXT(loop);  \
    SAVE_PC();                                                     \
    table_add_int(L, t, at.place, key->as.i, (v));                 \
    POLL_COLLECTOR();                                              \
    NEXT;                                                          \
  } while (0)

HANDLER(SETTABLE) {
  const Value *v = RC;
  DO_SET_ELEMENT(v);
}
HANDLER(SETTABLE_FOR) {
  const Value *v = RC;
  DO_SET_AND_LOOP(SETTABLE, v, FORLOOP);
}
HANDLER(SETTABLE_FOR1) {
  const Value *v = RC;
  DO_SET_AND_LOOP(SETTABLE, v, FORLOOP1);
}
HANDLER(SETTABLEK) {
  const Value *v = KC;
  if (fast_set_flag(RA, RB, v)) NEXT;
  DO_SET_ELEMENT(v);
}
HANDLER(SETTABLEK_FOR1) {
  const Value *v = KC;
  if (fast_set_flag(RA, RB, v)) DO_NEXT(FORLOOP1);
  DO_SET_AND_LOOP(SETTABLEK, v, FORLOOP1);
}
HANDLER(GETINT) {
  const Value *object = RB;
  if (UNLIKELY(object->tag != TAG_TABLE)) SLOW(slow_get);
  Table *t = value_table(object);
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
  Value v, key;
  if (!table_get_int_slow(L, t, code_c(i), &v) && t->metatable) {
    SAVE_PC();
    value_set_integer(&key, code_c(i));
    SlowStep step = slow_get_element(L, object, &key, &v);
    if (UNLIKELY(step != STEP_DONE)) DO_STEP(step);
  }
  value_copy(RA, &v);
  NEXT;
}
HANDLER(SETINT) {
  const Value *object = RA, *v = RC;
  if (UNLIKELY(object->tag != TAG_TABLE)) SLOW(slow_set);
  Table *t = value_table(object);
  if (LIKELY(fast_set_int(L, t, (Integer)code_b(i), v))) NEXT;
  SAVE_PC();
  if (!t->metatable) {
    table_set_int(L, t, (Integer)code_b(i), v);
  } else {
    Value key;
    value_set_integer(&key, code_b(i));
    SlowStep step = slow_set_element(L, object, &key, v, false);
    if (UNLIKELY(step != STEP_DONE)) DO_STEP(step);
  }
  POLL_COLLECTOR();
  NEXT;
}
HANDLER(SELF) {
  const Value *object = RB;
  const String *key = value_string(&k[aux_key(*pc)]);
  const Node *n = NULL;
  if (LIKELY(object->tag == TAG_TABLE)) {
    const Table *t = value_table(object);
    n = table_hinted_node(t, key, aux_hint(*pc));
    if (!n) {
      const Node *found;
      SAVE_PC();
      SlowStep step = slow_find_field(L, t, key, pc, &found);
      if (UNLIKELY(step != STEP_DONE)) DO_STEP(step);
      n = found;
    }
  } else if (value_is_string(object)) {
    const Table *t = string_methods(L);
    if (LIKELY(t != NULL)) n = table_hinted_node(t, key, aux_hint(*pc));
  }
  if (UNLIKELY(!n)) goto shared_self;
  put_self(RA, object, n);
  PASS_WORD();
  NEXT;
}
/* A method of a userdata, or of a string if the hint does not find it. */
SHARED(self) {
  i = shared_instruction(i);
  const Node *found;
  SAVE_PC();
  SlowStep step = slow_find_self(L, RB, pc, &found);
  if (UNLIKELY(step != STEP_DONE)) DO_STEP(step);
  put_self(RA, RB, found);
  PASS_WORD();
  NEXT;
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
  PASS_WORD();
  NEXT;
}
HANDLER(DUPTABLE) {
  SAVE_PC();
  table_new_copy(L, RA, value_table(&k[*pc]), code_presize(i));
  if (UNLIKELY(gc_step_due(GC()))) {
    slow_collect_table(L);
    LOAD_BASE();
  }
  PASS_WORD();
  NEXT;
}
/* Copies the template, and executes the SETFIELDs that follow.  Their fields
** have nodes already.  The keys are compared in the template and not in the
** copy.  The copy has just been written and may still be in the store buffer,
** where reading it with another access size is slow.  The copy has no
** metatable, and no absent metamethods are noted in it. */
HANDLER(DUPTABLE_SET) {
  SAVE_PC();
  table_new_copy(L, RA, value_table(&k[*pc]), code_presize(i));
  if (UNLIKELY(gc_step_due(GC()))) {
    slow_collect_table(L);
    LOAD_BASE();
    PASS_WORD();
    NEXT;
  }
  const Table *template = value_table(&k[*pc]);
  Table *t = value_table(RA);
  Node *node = t->hash->node;
  unsigned register_a = code_a(i);
  PASS_WORD();
  while (code_is_set_field(*pc, register_a)) {
    const String *key = value_string(&k[aux_key(pc[1])]);
    unsigned hint = aux_hint(pc[1]);
    if (UNLIKELY(!table_hinted_key(template, key, hint))) break;
    const Value *v = slot_of(base, code_b(*pc));
    unsigned tag = v->tag;
    node_set(table_node_of_hint(node, hint), v);
    table_barrier(L, t, v, tag);
    pc++;
    PASS_WORD();
  }
  NEXT;
}
HANDLER(SETLIST) { SLOW(slow_set_list); }
