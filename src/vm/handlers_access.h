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

/* -- Fields ---------------------------------------------------------------- */

/* After a function that finds a field: goes on if it has found one. */
#define CHECK_FOUND(node)                                    \
  do {                                                       \
    if (UNLIKELY(!(node))) RELOADED;                         \
    if (UNLIKELY((node) == &slow_calls)) goto shared_method; \
  } while (0)

/* Reads a field of `object`.  The fast path also takes a nil field if there is
** no metatable, because lists and trees end with those. */
#define GET_FIELD(object, target)                                      \
  do {                                                                 \
    if (LIKELY((object)->tag == TAG_TABLE)) {                          \
      const Table *t = value_table(object);                            \
      const String *key = value_string(&k[aux_key(*pc)]);              \
      const Node *n = table_hinted_key(t, key, aux_hint(*pc));         \
      if (UNLIKELY(!n || (n->value_tag == TAG_NIL && t->metatable))) { \
        SAVE_PC();                                                     \
        n = slow_find_field(L, t, key, pc);                            \
        CHECK_FOUND(n);                                                \
      }                                                                \
      Value *to = (target);                                            \
      to->as = n->value;                                               \
      to->tag = n->value_tag;                                          \
      pc++;                                                            \
      NEXT;                                                            \
    }                                                                  \
    SLOW(slow_get);                                                    \
  } while (0)

#define STEP_RELOAD(step)                         \
  do {                                            \
    if ((step) == STEP_CALLS) goto shared_method; \
    RELOADED;                                     \
  } while (0)

/* Writes a field of `object`.  The fast path overwrites a field, or gives a
** value to a field that has a node in a table without __newindex. */
#define SET_FIELD(object, from)                                         \
  do {                                                                  \
    if (LIKELY((object)->tag == TAG_TABLE)) {                           \
      Table *t = value_table(object);                                   \
      String *key = value_string(&k[aux_key(*pc)]);                     \
      Node *n = table_hinted_key(t, key, aux_hint(*pc));                \
      if (LIKELY(n && (n->value_tag != TAG_NIL || may_add_field(t)))) { \
        const Value *v = (from);                                        \
        unsigned tag = v->tag;                                          \
        node_set(n, v);                                                 \
        table_barrier(L, t, v, tag);                                    \
        pc++;                                                           \
        NEXT;                                                           \
      }                                                                 \
      SAVE_PC();                                                        \
      SlowStep step = slow_set_field(L, t, key, (from), pc);            \
      if (UNLIKELY(step != STEP_DONE)) STEP_RELOAD(step);               \
      pc++;                                                             \
      NEXT;                                                             \
    }                                                                   \
    SLOW(slow_set);                                                     \
  } while (0)

/* The end of a handler after a function has executed its instruction. */
SHARED(reload) { RELOAD; }

/* The same after STEP_CALLS.  A method with three arguments has no result. */
SHARED(method) {
  Value *func = frame->top;
  unsigned count = (unsigned)(L->top - func) - 1;
  ENTER_LUA(func, value_lua_closure(func), count, count == 2, FRAME_META);
  call_prepare(L, func, count == 2, FRAME_META);
  RELOAD;
}

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

/* Reads a field, and uses it as an operand of the next instruction.  The fast
** path needs a correct hint. */
#define GETFIELD_ARITH(code_other, int_op, float_op)            \
  do {                                                          \
    const Value *object = RB;                                   \
    if (UNLIKELY(object->tag != TAG_TABLE)) DO_ALONE(GETFIELD); \
    const Table *t = value_table(object);                       \
    const String *key = value_string(&k[aux_key(*pc)]);         \
    const Node *n = table_hinted_key(t, key, aux_hint(*pc));    \
    if (UNLIKELY(!n)) DO_ALONE(GETFIELD);                       \
    Instruction next = pc[1];                                   \
    const Value *other = slot_of(base, code_other(next));       \
    unsigned tag = n->value_tag;                                \
    if (UNLIKELY(other->tag != tag)) DO_ALONE(GETFIELD);        \
    Payload field = n->value;                                   \
    PAIR_RESULT(field, 2, int_op, float_op);                    \
    DO_ALONE(GETFIELD);                                         \
  } while (0)
#define INT_SUB_LEFT(a, b)   int_sub((b), (a))
#define FLOAT_SUB_LEFT(a, b) ((b) - (a))

HANDLER(GETFIELD_ADD) { GETFIELD_ARITH(code_b, int_add, FLOAT_ADD); }
HANDLER(GETFIELD_SUB) { GETFIELD_ARITH(code_b, int_sub, FLOAT_SUB); }
HANDLER(GETFIELD_MUL) { GETFIELD_ARITH(code_b, int_mul, FLOAT_MUL); }
HANDLER(GETFIELD_SUBL) { GETFIELD_ARITH(code_c, INT_SUB_LEFT, FLOAT_SUB_LEFT); }
HANDLER(SETFIELD) {
  const Value *object = RA;
  SET_FIELD(object, RB);
}
HANDLER(SETFIELDK) {
  const Value *object = RA;
  SET_FIELD(object, &k[code_d(i)]);
}

/* -- Elements -------------------------------------------------------------- */

#define SET_INT(t, key, v)                             \
  do {                                                 \
    unsigned tag = (v)->tag;                           \
    if (LIKELY(table_fast_set_int((t), (key), (v)))) { \
      table_barrier(L, (t), (v), tag);                 \
      NEXT;                                            \
    }                                                  \
  } while (0)

/* SETTABLE and SETTABLEK: elements of the array, string keys, and integer keys
** that append. */
#define SET_ELEMENT(v)                                                    \
  do {                                                                    \
    const Value *object = RA, *key = RB;                                  \
    if (LIKELY(object->tag == TAG_TABLE)) {                               \
      Table *t = value_table(object);                                     \
      Found at;                                                           \
      if (LIKELY(key->tag == TAG_INTEGER)) {                              \
        SET_INT(t, key->as.i, (v));                                       \
        at = table_find_int_to_write(t, key->as.i);                       \
      } else if (key->tag == TAG_SHORT_STRING) {                          \
        at = (Found){table_find_str(t, value_string(key)), 0};            \
      } else {                                                            \
        lua_Integer whole;                                                \
        if (key->tag == TAG_FLOAT && float_is_integer(key->as.n, &whole)) \
          SET_INT(t, whole, (v));                                         \
        SPEND_KEY(key);                                                   \
        at = table_find_to_write(L, t, key);                              \
      }                                                                   \
      Node *n = at.node;                                                  \
      if (LIKELY(n && (n->value_tag != TAG_NIL || may_add_field(t)))) {   \
        node_set(n, (v));                                                 \
        table_barrier(L, t, (v), (v)->tag);                               \
        NEXT;                                                             \
      }                                                                   \
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
        if (UNLIKELY(step != STEP_DONE)) STEP_RELOAD(step);               \
      }                                                                   \
      POLL_COLLECTOR();                                                   \
      NEXT;                                                               \
    }                                                                     \
    SLOW(slow_set);                                                       \
  } while (0)

/* Reads what a search of the hash has found, which may be nothing.  Does nothing
** if the table has other places to search. */
#define READ_FOUND(node)                                            \
  do {                                                              \
    const Node *n = (node);                                         \
    if (LIKELY(n && n->value_tag != TAG_NIL)) {                     \
      node_get(n, RA);                                              \
      NEXT;                                                         \
    }                                                               \
    if (LIKELY(!t->metatable && !(t->cell.user & TABLE_SPECIAL))) { \
      value_set_nil(RA);                                            \
      NEXT;                                                         \
    }                                                               \
  } while (0)

HANDLER(GETTABLE) {
  const Value *object = RB, *key = RC;
  if (LIKELY(object->tag == TAG_TABLE)) {
    Table *t = value_table(object);
    bool searched = true; /* the table itself does not have it */
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
        searched = false;
      } else {
        READ_FOUND(table_find_int(t, key->as.i));
      }
    } else if (key->tag == TAG_SHORT_STRING) {
      READ_FOUND(table_find_str(t, value_string(key)));
    } else if (tag_is_collectable(key->tag) && key->tag != TAG_LONG_STRING) {
      READ_FOUND(table_find_object(t, key));
    } else {
      searched = false;
    }
    Value v;
    SPEND_KEY(key);
    if ((searched && !(t->cell.user & TABLE_SPECIAL)) ||
        (!get_element(L, t, key, &v) && t->metatable)) {
      SAVE_PC();
      const Node *index = method_find(L, t, META_INDEX);
      if (index && index->value_tag == TAG_LUA_CLOSURE) {
        method_put(frame, object, key);
        ENTER_METHOD(index);
      }
      SlowStep step = slow_get_element(L, object, key, &v);
      if (UNLIKELY(step != STEP_DONE)) STEP_RELOAD(step);
    }
    value_copy(RA, &v);
    NEXT;
  }
  SLOW(slow_get);
}

/* Sets `tag` and `element` to those of R[B][R[C]], which may be nil.  An
** element outside the array falls back to the instruction `otherwise`. */
#define PAIR_ELEMENT(otherwise)                                \
  const Value *object = RB, *key = RC;                         \
  if (UNLIKELY(object->tag != TAG_TABLE)) DO_ALONE(otherwise); \
  if (UNLIKELY(key->tag != TAG_INTEGER)) DO_ALONE(otherwise);  \
  const Table *t = value_table(object);                        \
  lua_Unsigned index = (lua_Unsigned)key->as.i - 1;            \
  if (UNLIKELY(index >= t->array_size)) DO_ALONE(otherwise);   \
  unsigned tag = table_tags(t)[index];                         \
  Payload element = t->array[index]

/* The element is the right operand of the ADD_RR that follows. */
HANDLER(GETTABLE_ADD) {
  PAIR_ELEMENT(GETTABLE);
  Instruction next = *pc;
  const Value *other = slot_of(base, code_b(next));
  if (UNLIKELY(other->tag != tag)) DO_ALONE(GETTABLE);
  PAIR_RESULT(element, 1, int_add, FLOAT_ADD);
  DO_ALONE(GETTABLE);
}
/* The element is a factor, and the product is added to a number.  The element
** is stored before the other operands are read, since it may be one of them. */
HANDLER(GETTABLE_MUL_ADD) {
  PAIR_ELEMENT(GETTABLE);
  if (UNLIKELY(tag != TAG_FLOAT)) DO_ALONE(GETTABLE);
  value_set_float(RA, element.n);
  Instruction multiply = pc[0], add = pc[1];
  const Value *factor = slot_of(base, code_b(multiply));
  const Value *other = slot_of(base, code_b(add));
  if (UNLIKELY(!((factor->tag == TAG_FLOAT) & (other->tag == TAG_FLOAT)))) NEXT;
  lua_Number product = factor->as.n * element.n;
  lua_Number result = other->as.n + product;
  value_set_float(slot_a(base, multiply), product);
  value_set_float(slot_a(base, add), result);
  pc += 2;
  NEXT;
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

/* Stores an element at the end of a loop, and goes on with the loop. */
#define SET_AND_LOOP(name, v, loop)                                         \
  do {                                                                      \
    const Value *object = RA, *key = RB;                                    \
    if (UNLIKELY(object->tag != TAG_TABLE)) DO_ALONE(name);                 \
    if (UNLIKELY(key->tag != TAG_INTEGER)) DO_ALONE(name);                  \
    unsigned tag = (v)->tag;                                                \
    Table *t = value_table(object);                                         \
    if (UNLIKELY(!table_fast_set_int(t, key->as.i, (v)))) {                 \
      if (UNLIKELY(t->metatable)) DO_ALONE(name);                           \
      Found at = table_find_int_to_write(t, key->as.i);                     \
      Node *n = at.node;                                                    \
      if (UNLIKELY(!n || (n->value_tag == TAG_NIL && !may_add_field(t)))) { \
        SAVE_PC();                                                          \
        table_add_int(L, t, at.place, key->as.i, (v));                      \
        POLL_COLLECTOR();                                                   \
        NEXT;                                                               \
      }                                                                     \
      node_set(n, (v));                                                     \
    }                                                                       \
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
/* Stores a constant that is true or false.  Its tag is all that there is to
** store, so an array of flags needs a ninth of the memory bandwidth. */
#define SET_FLAG_NEXT(v, next)                                            \
  do {                                                                    \
    const Value *object = RA, *key = RB;                                  \
    if (tag_type((v)->tag) == LUA_TBOOLEAN &&                             \
        LIKELY((object->tag == TAG_TABLE) & (key->tag == TAG_INTEGER))) { \
      uint8_t flag = (v)->tag;                                            \
      uint8_t *place = table_fast_slot(value_table(object), key->as.i);   \
      if (LIKELY(place)) {                                                \
        *place = flag;                                                    \
        next;                                                             \
      }                                                                   \
    }                                                                     \
  } while (0)

HANDLER(SETTABLEK) {
  const Value *v = KC;
  SET_FLAG_NEXT(v, NEXT);
  SET_ELEMENT(v);
}
HANDLER(SETTABLEK_FOR1) {
  const Value *v = KC;
  SET_FLAG_NEXT(v, DO_NEXT(FORLOOP1));
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
    Value v, key;
    if (!table_get_int_slow(L, value_table(object), code_c(i), &v) &&
        t->metatable) {
      SAVE_PC();
      value_set_integer(&key, code_c(i));
      SlowStep step = slow_get_element(L, object, &key, &v);
      if (UNLIKELY(step != STEP_DONE)) STEP_RELOAD(step);
    }
    value_copy(RA, &v);
    NEXT;
  }
  SLOW(slow_get);
}
HANDLER(SETINT) {
  const Value *object = RA, *v = RC;
  if (LIKELY(object->tag == TAG_TABLE)) {
    Table *t = value_table(object);
    SET_INT(t, (lua_Integer)code_b(i), v);
    if (!t->metatable) {
      SAVE_PC();
      table_set_int(L, t, (lua_Integer)code_b(i), v);
      POLL_COLLECTOR();
      NEXT;
    }
    Value key;
    SAVE_PC();
    value_set_integer(&key, code_b(i));
    SlowStep step = slow_set_element(L, object, &key, v, false);
    if (UNLIKELY(step != STEP_DONE)) STEP_RELOAD(step);
    POLL_COLLECTOR();
    NEXT;
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
    if (!n) {
      SAVE_PC();
      n = slow_find_field(L, t, key, pc);
      CHECK_FOUND(n);
    }
  } else if (value_is_string(object)) {
    const Table *t = string_methods(L);
    if (LIKELY(t != NULL)) n = table_hinted_node(t, key, aux_hint(*pc));
    if (!n) {
      SAVE_PC();
      n = slow_find_in_string(L, key, pc);
      CHECK_FOUND(n);
    }
  } else if (object->tag == TAG_USERDATA) {
    SAVE_PC();
    n = slow_find_in_userdata(L, value_userdata(object), key, pc);
    CHECK_FOUND(n);
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
/* Copies the template, and executes the SETFIELDs that follow.  Their fields
** have nodes already.  The keys are compared in the template and not in the
** copy.  The copy has just been written and may still be in the store buffer,
** where reading it with another access size is slow.  The copy has no
** metatable, and no absent metamethods are noted in it. */
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
HANDLER(SETLIST) { SLOW(slow_set_list); }
