/* SPDX-License-Identifier: MIT */
/*
** emit_table.c -- elements, fields and upvalues
*/
#include "machine/piece_impl.h"
#if MACHINE_WORKS

/* -- Values in memory ------------------------------------------------------ */

/* True if a value with that tag is worth a guard, because what follows computes
** with it. */
static bool tag_is_guarded(const Piece *s, unsigned tag) {
  if (s->insists) return false;
  return tag == TAG_INTEGER || tag == TAG_FLOAT || tag == TAG_TABLE ||
         tag == TAG_LUA_CLOSURE;
}

/* SELF copies the table before it stores the method, but after all guards.  The
** table is in its home, so this changes no temporary. */
static void emit_self_copy(Piece *s) {
  if (s->self_to != s->self_from) piece_copy(s, s->self_to, s->self_from);
}

/* The payload goes to a register whose tag has been checked. */
static void emit_load_payload(Piece *s, unsigned to, Memory from,
                              unsigned tag) {
  emit_self_copy(s);
  if (tag == TAG_FLOAT) {
    FloatRegister r = piece_float_result(s, to, FT0, FT1);
    asm_float_load(&s->a, r, from);
    piece_set_float(s, to, r);
  } else {
    Register r = piece_result(s, to, T0, NO_REGISTER);
    asm_load(&s->a, r, from);
    piece_set_whole(s, to, r, tag);
  }
}

/* Reads a value, which is expected to be like the guess.  With `present`, nil is
** left to the loop. */
static void emit_load_value(Piece *s, unsigned to, Memory payload, Memory tag,
                            const Value *guess, bool present) {
  if (tag_is_guarded(s, guess->tag)) {
    asm_compare8(&s->a, tag, guess->tag);
    piece_guard_if(s, IF_NOT_EQUAL);
    emit_load_payload(s, to, payload, guess->tag);
  } else {
    asm_load(&s->a, T1, payload);
    asm_load8(&s->a, T0, tag); /* T0 may have been the index */
    if (present) {
      asm_test(&s->a, T0, T0);
      piece_step_if(s, IF_EQUAL);
    }
    emit_self_copy(s);
    piece_set_any(s, to, T1);
  }
  s->guess[to] = *guess;
}

/* What a store writes: a register or a constant. */
typedef struct Stored {
  const Value *constant; /* or NULL */
  unsigned reg;
  unsigned tag; /* or TAG_UNKNOWN */
} Stored;

static Stored stored_register(const Piece *s, unsigned reg) {
  return (Stored){NULL, reg, s->now.tag[reg]};
}
static Stored stored_constant(const Piece *s, unsigned number) {
  const Value *k = &s->p->constants[number];
  return (Stored){k, 0, k->tag};
}

/* Leaves to the loop a store of an object into one that the collector
** watches.  The watched object is a table, or an upvalue. */
static void emit_barrier(Piece *s, Register owner, const Stored *v) {
  if (v->tag != TAG_UNKNOWN && !tag_is_collectable(v->tag)) return;
  Patch harmless = NULL;
  if (v->tag == TAG_UNKNOWN) {
    asm_test8(&s->a, tag_at(v->reg), TAG_COLLECTABLE);
    harmless = asm_jump(&s->a, IF_EQUAL);
  }
  asm_compare8(&s->a, memory_at(owner, offsetof(Cell, barrier)), BARRIER_ARMED);
  piece_step_if(s, IF_EQUAL);
  if (harmless) asm_patch(&s->a, harmless, s->a.at);
}

/* The payload in a register.  A payload that does not count is not stored. */
static void emit_store_payload(Piece *s, Memory to, const Stored *v,
                               Register other) {
  if (v->tag <= TAG_FALSE || v->tag == TAG_TRUE) return;
  if (v->constant) {
    asm_number(&s->a, other, v->constant->as.bits);
    asm_store(&s->a, to, other);
  } else if (v->tag == TAG_FLOAT) {
    asm_float_store(&s->a, to, piece_float(s, v->reg, FT0, FT0));
  } else if (s->now.whole[home_of_whole(v->reg)] == v->reg) {
    asm_store(&s->a, to, whole_home(home_of_whole(v->reg)));
  } else {
    asm_load(&s->a, other, slot_at(v->reg));
    asm_store(&s->a, to, other);
  }
}

static void emit_store_tag(Piece *s, Memory to, const Stored *v,
                           Register other) {
  if (v->tag != TAG_UNKNOWN) {
    asm_store8_number(&s->a, to, (uint8_t)v->tag);
  } else {
    asm_load8(&s->a, other, tag_at(v->reg));
    asm_store8(&s->a, to, other);
  }
}

/* -- Elements of arrays ---------------------------------------------------- */

/* The index of an element: a register, or a number. */
typedef struct Index {
  bool is_number;
  unsigned reg;
  uint32_t number;
} Index;

/* T2 := the payloads, T3 := the tags, T0 := the index from 0.  Leaves to the loop
** what is not in the array. */
static void emit_find_element(Piece *s, Register t, const Index *index) {
  if (index->is_number) {
    asm_number(&s->a, T0, index->number - 1);
  } else {
    Register k = piece_whole(s, index->reg, T2, t);
    asm_address(&s->a, T0, memory_at(k, (size_t)-1));
  }
  asm_load32(&s->a, T3, memory_at(t, offsetof(Table, array_size)));
  asm_whole(&s->a, WHOLE_COMPARE, T0, T3);
  piece_step_if(s, IF_NOT_BELOW);
  asm_load(&s->a, T2, memory_at(t, offsetof(Table, array)));
  asm_address(&s->a, T3, memory_indexed(T2, T3, sizeof(Payload)));
}

static Memory element_payload(void) {
  return memory_indexed(T2, T0, sizeof(Payload));
}
static Memory element_tag(void) { return memory_indexed(T3, T0, 1); }

/* The element that the instruction would read if all is as guessed. */
static Value guess_element(const Value *table, Integer index) {
  Value v = {.tag = TAG_NIL};
  const Table *t = value_table(table);
  if (!table_fast_get_int(t, index, &v) && t->array_size > 0)
    table_fast_get_int(t, 1, &v);
  return v;
}

static bool emit_element(Piece *s, unsigned to, unsigned table,
                         const Index *index, Integer guess) {
  if (piece_tag(s, table) != TAG_TABLE) return false;
  bool known = s->guess[table].tag == TAG_TABLE;
  Value v = {.tag = TAG_NIL};
  if (known) v = guess_element(&s->guess[table], guess);
  piece_guard(s, table, TAG_TABLE);
  if (!index->is_number) piece_guard(s, index->reg, TAG_INTEGER);
  Register t = piece_whole(s, table, T1, NO_REGISTER);
  emit_find_element(s, t, index);
  emit_load_value(s, to, element_payload(), element_tag(), &v, true);
  return true;
}

/* -- Elements with other keys ---------------------------------------------- */

/* Stands for a field that does not exist. */
static const Node no_field = {.value_tag = TAG_NIL};

static bool tag_is_key(unsigned tag) {
  return tag_is_collectable(tag) && tag != TAG_LONG_STRING;
}

static const Node *find_key(const Table *t, const Value *key) {
  return key->tag == TAG_SHORT_STRING ? table_find_str(t, value_string(key))
                                      : table_find_object(t, key);
}

/* The node with a key that is an object, or no_field.  NULL if that is not all
** there is to it. */
static const Node *call_find_key(const Table *t, const Value *key) {
  const Node *n = find_key(t, key);
  if (n && n->value_tag != TAG_NIL) return n;
  return t->metatable || t->cell.user & TABLE_SPECIAL ? NULL : &no_field;
}

/* The node that may be overwritten, or NULL. */
static const Node *call_find_key_to_write(Table *t, const Value *key) {
  const Node *n = find_key(t, key);
  if (!n || n->value_tag != TAG_NIL) return n;
  if (t->metatable) return NULL;
  table_forget_absent(t);
  return n;
}

/* T2 := the node. */
static void emit_find_key(Piece *s, unsigned table, unsigned key,
                          uintptr_t function) {
  asm_move(&s->a, T1, piece_whole(s, table, T1, NO_REGISTER));
  asm_address(&s->a, T3, slot_at(key));
  asm_arguments(&s->a, T1, T3);
  asm_call(&s->a, function);
  piece_called(s);
  asm_test(&s->a, T0, T0);
  piece_step_if(s, IF_EQUAL);
  asm_move(&s->a, T2, T0);
}

static bool emit_get_by_key(Piece *s, unsigned to, unsigned table,
                            unsigned key) {
  unsigned tag = piece_tag(s, key);
  Value guess = {.tag = TAG_NIL};
  if (!tag_is_key(tag) || piece_tag(s, table) != TAG_TABLE) return false;
  if (s->guess[table].tag == TAG_TABLE && s->guess[key].tag == tag) {
    const Node *n = find_key(value_table(&s->guess[table]), &s->guess[key]);
    if (n) node_get(n, &guess);
  }
  piece_guard(s, table, TAG_TABLE);
  piece_guard(s, key, tag);
  emit_find_key(s, table, key, (uintptr_t)call_find_key);
  emit_load_value(s, to, memory_at(T2, offsetof(Node, value)),
                  memory_at(T2, offsetof(Node, value_tag)), &guess, false);
  return true;
}

static bool emit_set_by_key(Piece *s, unsigned table, unsigned key, Stored v) {
  unsigned tag = piece_tag(s, key);
  if (!tag_is_key(tag) || piece_tag(s, table) != TAG_TABLE) return false;
  piece_guard(s, table, TAG_TABLE);
  piece_guard(s, key, tag);
  if (!v.constant) v = stored_register(s, v.reg);
  emit_find_key(s, table, key, (uintptr_t)call_find_key_to_write);
  emit_barrier(s, piece_whole(s, table, T1, NO_REGISTER), &v);
  emit_store_payload(s, memory_at(T2, offsetof(Node, value)), &v, T0);
  emit_store_tag(s, memory_at(T2, offsetof(Node, value_tag)), &v, T0);
  return true;
}

bool emit_get_table(Piece *s, Instruction i) {
  unsigned key = code_c(i);
  if (piece_tag(s, key) != TAG_INTEGER)
    return emit_get_by_key(s, code_a(i), code_b(i), key);
  Index index = {false, key, 0};
  return emit_element(s, code_a(i), code_b(i), &index, s->guess[key].as.i);
}

bool emit_get_int(Piece *s, Instruction i) {
  Index index = {true, 0, code_c(i)};
  return emit_element(s, code_a(i), code_b(i), &index, (Integer)code_c(i));
}

/* An empty slot of the array may be filled if there is no metatable and the
** table does not grow bit by bit.  Uses T1. */
static void emit_fill(Piece *s, Register t) {
  Memory border =
      memory_at(T2, (size_t)offsetof(ArrayPart, border) - sizeof(ArrayPart));
  asm_compare8(&s->a, element_tag(), TAG_NIL);
  Patch full = asm_jump(&s->a, IF_NOT_EQUAL);
  asm_compare(&s->a, memory_at(t, offsetof(Table, metatable)), 0);
  piece_step_if(s, IF_NOT_EQUAL);
  asm_test8(&s->a, memory_at(t, offsetof(Cell, user)), TABLE_SPECIAL);
  piece_step_if(s, IF_NOT_EQUAL);
  asm_load32(&s->a, T1, border);
  asm_whole(&s->a, WHOLE_COMPARE, T0, T1);
  Patch below = asm_jump(&s->a, IF_BELOW);
  asm_address(&s->a, T1, memory_at(T0, 1));
  asm_store32(&s->a, border, T1);
  asm_patch(&s->a, below, s->a.at);
  asm_patch(&s->a, full, s->a.at);
}

static bool emit_store_element(Piece *s, unsigned table, const Index *index,
                               Stored v) {
  if (piece_tag(s, table) != TAG_TABLE) return false;
  piece_guard(s, table, TAG_TABLE);
  if (!index->is_number) piece_guard(s, index->reg, TAG_INTEGER);
  if (!v.constant) v = stored_register(s, v.reg);
  Register t = piece_whole(s, table, T1, NO_REGISTER);
  if (t == T1) return false; /* T1 is needed */
  emit_barrier(s, t, &v);
  emit_find_element(s, t, index);
  emit_fill(s, t);
  emit_store_payload(s, element_payload(), &v, T1);
  emit_store_tag(s, element_tag(), &v, T1);
  return true;
}

bool emit_set_table(Piece *s, Instruction i) {
  unsigned key = code_b(i);
  bool constant = opcode_alone(code_op(i)) == OP_SETTABLEK;
  Stored v =
      constant ? stored_constant(s, code_c(i)) : stored_register(s, code_c(i));
  if (piece_tag(s, key) != TAG_INTEGER)
    return emit_set_by_key(s, code_a(i), key, v);
  Index index = {false, key, 0};
  return emit_store_element(s, code_a(i), &index, v);
}

bool emit_set_int(Piece *s, Instruction i) {
  Index index = {true, 0, code_b(i)};
  return emit_store_element(s, code_a(i), &index,
                            stored_register(s, code_c(i)));
}

/* -- Fields ---------------------------------------------------------------- */

static String *field_key(const Piece *s) {
  return value_string(&s->p->constants[aux_key(s->p->code[s->pc + 1])]);
}

/* The node that has the field now. */
static const Node *field_node(const Table *t, const String *key) {
  const Node *n = table_find_str(t, key);
  return n && n->value_tag != TAG_NIL ? n : NULL;
}

static Memory node_at(const Table *t, const Node *n, size_t offset) {
  size_t place = (size_t)((const char *)n - (const char *)t->hash);
  return memory_at(T1, place + offset);
}

/* T1 := the hash, in which the node at the same place must have the key.  False
** if the place is too far away. */
static bool emit_find_node(Piece *s, Register t, const Table *like,
                           const Node *n, const String *key) {
  size_t hint = (size_t)(n - like->hash->node) * 3;
  if (hint > TABLE_HINT_MAX) return false;
  asm_load(&s->a, T1, memory_at(t, offsetof(Table, hash)));
  if (hint > 0) {
    asm_compare32(&s->a, memory_at(T1, offsetof(HashPart, hint_limit)),
                  (uint32_t)hint);
    piece_guard_if(s, IF_BELOW);
  }
  asm_number(&s->a, T0, (uint64_t)(uintptr_t)key);
  asm_whole_memory(&s->a, WHOLE_COMPARE, T0,
                   node_at(like, n, offsetof(Node, key)));
  piece_guard_if(s, IF_NOT_EQUAL);
  return true;
}

/* Both tags of a node, as one number. */
static uint32_t node_tags(unsigned value_tag) {
  static_assert(offsetof(Node, key_tag) == offsetof(Node, value_tag) + 1,
                "side by side");
  return value_tag | (uint32_t)TAG_SHORT_STRING << 8;
}

static void emit_load_field(Piece *s, unsigned to, const Table *like,
                            const Node *n) {
  Value guess;
  node_get(n, &guess);
  if (tag_is_guarded(s, guess.tag)) {
    asm_load16(&s->a, T0, node_at(like, n, offsetof(Node, value_tag)));
    asm_whole_number(&s->a, WHOLE_COMPARE, T0, (int32_t)node_tags(guess.tag));
    piece_guard_if(s, IF_NOT_EQUAL);
    emit_load_payload(s, to, node_at(like, n, offsetof(Node, value)),
                      guess.tag);
    s->guess[to] = guess;
    return;
  }
  asm_compare8(&s->a, node_at(like, n, offsetof(Node, key_tag)),
               TAG_SHORT_STRING);
  piece_guard_if(s, IF_NOT_EQUAL);
  asm_load8(&s->a, T0, node_at(like, n, offsetof(Node, value_tag)));
  asm_test(&s->a, T0, T0);
  piece_step_if(s, IF_EQUAL);
  asm_load(&s->a, T1, node_at(like, n, offsetof(Node, value)));
  emit_self_copy(s);
  piece_set_any(s, to, T1);
  s->guess[to] = guess;
}

/* True if the register has a table, as far as one can guess. */
static const Table *guess_table(const Piece *s, unsigned reg) {
  if (piece_tag(s, reg) != TAG_TABLE || s->guess[reg].tag != TAG_TABLE)
    return NULL;
  return value_table(&s->guess[reg]);
}

/* The node of the field in the table or in its chain of __index tables, or
** no_field at its end.  NULL if that is not all there is to it. */
static const Node *call_find_along(const lua_State *L, const Table *t,
                                   const String *key) {
  enum { MOST = 16 };
  const String *index = L->global->meta_name[META_INDEX];
  for (int n = 0; n < MOST; n++) {
    const Node *found = field_node(t, key);
    if (found) return found;
    if (t->cell.user & TABLE_SPECIAL) return NULL;
    if (!t->metatable) return &no_field;
    const Node *next = field_node(t->metatable, index);
    if (!next)
      return t->metatable->cell.user & TABLE_SPECIAL ? NULL : &no_field;
    if (next->value_tag != TAG_TABLE) return NULL;
    t = (const Table *)(const void *)next->value.cell;
  }
  return NULL;
}

/* Loads the value of the node in T0, which a call has found; the interpreter goes
** on if it is NULL. */
static void emit_load_found(Piece *s, unsigned to, unsigned from,
                            const Value *guess) {
  asm_test(&s->a, T0, T0);
  piece_step_if(s, IF_EQUAL);
  asm_move(&s->a, T2, T0);
  piece_whole(s, from, T3, NO_REGISTER);
  emit_load_value(s, to, memory_at(T2, offsetof(Node, value)),
                  memory_at(T2, offsetof(Node, value_tag)), guess, false);
}

/* Reads a field that the table in `from` inherits. */
static void emit_load_inherited(Piece *s, unsigned to, unsigned from,
                                const Value *guess) {
  const String *key = field_key(s);
  Register t = piece_whole(s, from, T1, NO_REGISTER);
  asm_arguments(&s->a, STATE, t);
  asm_third_argument(&s->a, (uint64_t)(uintptr_t)key);
  asm_call(&s->a, (uintptr_t)call_find_along);
  piece_called(s);
  emit_load_found(s, to, from, guess);
}

/* Reads the field of the table in `from`. */
static bool emit_field(Piece *s, unsigned to, unsigned from) {
  const Table *like = guess_table(s, from);
  const String *key = field_key(s);
  if (!like) return false;
  const Node *own = field_node(like, key);
  const Node *n = own ? own : call_find_along(s->L, like, key);
  if (!n) return false;
  piece_guard(s, from, TAG_TABLE);
  if (own && !s->insists) {
    Register t = piece_whole(s, from, T1, NO_REGISTER);
    if (!emit_find_node(s, t, like, n, key)) return false;
    emit_load_field(s, to, like, n);
    return true;
  }
  Value guess;
  node_get(n, &guess);
  emit_load_inherited(s, to, from, &guess);
  return true;
}

bool emit_get_field(Piece *s, Instruction i) {
  return emit_field(s, code_a(i), code_b(i));
}

/* The method of strings, or NULL. */
static const Node *call_find_method(const lua_State *L, const String *key) {
  const Global *g = L->global;
  const Table *t = g->type_metatable[TYPE_STRING];
  if (!t || g->sandbox_strings) return NULL;
  const Node *n = field_node(t, g->meta_name[META_INDEX]);
  if (!n || n->value_tag != TAG_TABLE) return NULL;
  return field_node((const Table *)(const void *)n->value.cell, key);
}

static bool emit_method_of_string(Piece *s, unsigned to, unsigned from,
                                  unsigned tag) {
  const String *key = field_key(s);
  const Node *n = call_find_method(s->L, key);
  if (!n) return false;
  Value guess;
  node_get(n, &guess);
  piece_guard(s, from, tag);
  asm_number(&s->a, T3, (uint64_t)(uintptr_t)key);
  asm_arguments(&s->a, STATE, T3);
  asm_call(&s->a, (uintptr_t)call_find_method);
  piece_called(s);
  emit_load_found(s, to, from, &guess);
  return true;
}

bool emit_self(Piece *s, Instruction i) {
  unsigned to = code_a(i), from = code_b(i), tag = piece_tag(s, from);
  if (piece_is_captured(s, from)) return false;
  s->self_to = to + 1;
  s->self_from = from;
  bool done = tag == TAG_SHORT_STRING || tag == TAG_LONG_STRING
                  ? emit_method_of_string(s, to, from, tag)
                  : emit_field(s, to, from);
  s->self_to = s->self_from = 0;
  return done;
}

/* T2 := the address of the upvalue's variable. */
static void emit_find_upvalue(Piece *s, unsigned number) {
  Memory function = memory_at(BASE, (size_t)0 - sizeof(Value));
  asm_load(&s->a, T2, function);
  asm_load(&s->a, T2,
           memory_at(T2, offsetof(LuaClosure, upvalue) +
                             number * sizeof(UpValue *)));
}
static void emit_find_variable(Piece *s, unsigned number) {
  emit_find_upvalue(s, number);
  asm_load(&s->a, T2, memory_at(T2, offsetof(UpValue, v)));
}

static const Value *guess_upvalue(const Piece *s, unsigned number) {
  return value_lua_closure(s->base - 1)->upvalue[number]->v;
}

/* The table in an upvalue, in T2. */
static const Table *emit_upvalue_table(Piece *s, unsigned number) {
  const Value *v = guess_upvalue(s, number);
  if (v->tag != TAG_TABLE) return NULL;
  emit_find_variable(s, number);
  asm_compare8(&s->a, memory_at(T2, offsetof(Value, tag)), TAG_TABLE);
  piece_step_if(s, IF_NOT_EQUAL);
  asm_load(&s->a, T2, memory_at(T2, 0));
  return value_table(v);
}

bool emit_get_upfield(Piece *s, Instruction i) {
  const String *key = field_key(s);
  const Table *like = emit_upvalue_table(s, code_b(i));
  const Node *n = like ? field_node(like, key) : NULL;
  if (!n || !emit_find_node(s, T2, like, n, key)) return false;
  emit_load_field(s, code_a(i), like, n);
  return true;
}

static bool emit_store_field(Piece *s, Register t, const Table *like,
                             const Stored *v) {
  const String *key = field_key(s);
  const Node *n = field_node(like, key);
  if (!n) return false;
  emit_barrier(s, t, v);
  if (!emit_find_node(s, t, like, n, key)) return false;
  bool same = v->tag == n->value_tag;
  Memory tags = node_at(like, n, offsetof(Node, value_tag));
  asm_load16(&s->a, T0, tags);
  if (same) {
    asm_whole_number(&s->a, WHOLE_COMPARE, T0, (int32_t)node_tags(v->tag));
    piece_guard_if(s, IF_NOT_EQUAL);
  } else {
    /* any value but nil: the low byte of the tags is above 0 */
    asm_whole_number(&s->a, WHOLE_COMPARE, T0, (int32_t)node_tags(TAG_NIL));
    piece_guard_if(s, IF_NOT_ABOVE);
    asm_whole_number(&s->a, WHOLE_COMPARE, T0, (int32_t)node_tags(UINT8_MAX));
    piece_guard_if(s, IF_ABOVE);
  }
  emit_store_payload(s, node_at(like, n, offsetof(Node, value)), v, T0);
  if (!same) emit_store_tag(s, tags, v, T0);
  return true;
}

/* The node that may be overwritten, or NULL. */
static const Node *call_find_field_to_write(Table *t, const String *key) {
  const Node *n = table_find_str(t, key);
  if (!n || n->value_tag != TAG_NIL) return n;
  const Table *m = t->metatable;
  if (m && !(m->cell.user & 1u << META_NEWINDEX)) return NULL;
  table_forget_absent(t);
  return n;
}
static_assert((int)META_NEWINDEX < (int)META_CACHED_COUNT, "has a bit");

/* For a field without a value, and for tables of many shapes. */
static bool emit_store_field_found(Piece *s, unsigned table, const Stored *v) {
  asm_move(&s->a, T1, piece_whole(s, table, T1, NO_REGISTER));
  asm_number(&s->a, T3, (uint64_t)(uintptr_t)field_key(s));
  asm_arguments(&s->a, T1, T3);
  asm_call(&s->a, (uintptr_t)call_find_field_to_write);
  piece_called(s);
  asm_test(&s->a, T0, T0);
  piece_step_if(s, IF_EQUAL);
  asm_move(&s->a, T2, T0);
  emit_barrier(s, piece_whole(s, table, T1, NO_REGISTER), v);
  emit_store_payload(s, memory_at(T2, offsetof(Node, value)), v, T0);
  emit_store_tag(s, memory_at(T2, offsetof(Node, value_tag)), v, T0);
  return true;
}

bool emit_set_field(Piece *s, Instruction i) {
  bool constant = opcode_alone(code_op(i)) == OP_SETFIELDK;
  const Table *like = guess_table(s, code_a(i));
  if (!like) return false;
  piece_guard(s, code_a(i), TAG_TABLE);
  Stored v =
      constant ? stored_constant(s, code_d(i)) : stored_register(s, code_b(i));
  if (!field_node(like, field_key(s))) return false; /* a new one */
  if (s->insists) return emit_store_field_found(s, code_a(i), &v);
  Register t = piece_whole(s, code_a(i), T2, NO_REGISTER);
  return emit_store_field(s, t, like, &v);
}

bool emit_set_upfield(Piece *s, Instruction i) {
  bool constant = opcode_alone(code_op(i)) == OP_SETUPFIELDK;
  const Table *like = emit_upvalue_table(s, code_a(i));
  if (!like) return false;
  Stored v =
      constant ? stored_constant(s, code_d(i)) : stored_register(s, code_b(i));
  return emit_store_field(s, T2, like, &v);
}

/* -- New objects ----------------------------------------------------------- */

/* The vm executes the instruction, unless a step of the collector is due.  The
** next piece sees what it has made. */
static void emit_make(Piece *s) {
  asm_number(&s->a, T3, (uint64_t)(uintptr_t)&s->p->code[s->pc]);
  asm_arguments(&s->a, STATE, T3);
  asm_call(&s->a, (uintptr_t)s->L->global->make);
  piece_called(s);
  asm_test(&s->a, T0, T0);
  piece_step_if(s, IF_EQUAL);
}

static bool emit_made(Piece *s, unsigned reg, unsigned tag) {
  context_forget(&s->now, reg);
  if (!piece_is_captured(s, reg)) s->now.tag[reg] = (uint8_t)tag;
  piece_edge_if(s, ALWAYS, s->next);
  s->ended = true;
  return true;
}

static bool emit_made_any(Piece *s, unsigned reg) {
  context_forget(&s->now, reg);
  piece_edge_if(s, ALWAYS, s->next);
  s->ended = true;
  return true;
}

bool emit_new_table(Piece *s, Instruction i) {
  emit_make(s);
  return emit_made(s, code_a(i), TAG_TABLE);
}

bool emit_closure(Piece *s, Instruction i) {
  emit_make(s);
  return emit_made(s, code_a(i), TAG_LUA_CLOSURE);
}

bool emit_concat(Piece *s, Instruction i) {
  emit_make(s);
  return emit_made(s, code_a(i), TAG_SHORT_STRING);
}

bool emit_set_list(Piece *s, Instruction i) {
  if (code_b(i) == 0) return false;
  emit_make(s);
  return true;
}

bool emit_close(Piece *s, UNUSED Instruction i) {
  emit_make(s);
  return true;
}

/* An instruction that has no better code for these operands. */
bool emit_by_call(Piece *s, Instruction i) {
  Opcode op = opcode_alone(code_op(i));
  bool reads = op == OP_GETTABLE || op == OP_GETFIELD;
  if (!piece_may_call(op)) return false;
  if (op != OP_SETUPVAL && !guess_table(s, reads ? code_b(i) : code_a(i)))
    return false;
  emit_make(s);
  return !reads || emit_made_any(s, code_a(i));
}

/* The next piece sees which, and how many. */
bool emit_varargs(Piece *s, Instruction i) {
  emit_make(s);
  context_forget_from(&s->now, code_a(i));
  piece_edge_if(s, ALWAYS, s->next);
  s->ended = true;
  return true;
}

/* The registers are others from here on. */
bool emit_set_varargs_aside(Piece *s, UNUSED Instruction i) {
  emit_make(s);
  asm_load(&s->a, T2, memory_at(STATE, offsetof(lua_State, frame)));
  asm_load(&s->a, BASE, memory_at(T2, offsetof(Frame, func)));
  asm_whole_number(&s->a, WHOLE_ADD, BASE, sizeof(Value));
  context_forget_from(&s->now, 0);
  piece_edge_if(s, ALWAYS, s->next);
  s->ended = true;
  return true;
}

/* -- Upvalues -------------------------------------------------------------- */

bool emit_get_upvalue(Piece *s, Instruction i) {
  Value guess;
  value_copy(&guess, guess_upvalue(s, code_b(i)));
  emit_find_variable(s, code_b(i));
  emit_load_value(s, code_a(i), memory_at(T2, 0),
                  memory_at(T2, offsetof(Value, tag)), &guess, false);
  return true;
}

/* Objects are left to the loop, for the barriers. */
bool emit_set_upvalue(Piece *s, Instruction i) {
  Stored v = stored_register(s, code_a(i));
  if (v.tag != TAG_UNKNOWN && tag_is_collectable(v.tag)) return false;
  if (v.tag == TAG_UNKNOWN) {
    asm_test8(&s->a, tag_at(v.reg), TAG_COLLECTABLE);
    piece_step_if(s, IF_NOT_EQUAL);
  }
  emit_find_variable(s, code_b(i));
  emit_store_payload(s, memory_at(T2, 0), &v, T0);
  emit_store_tag(s, memory_at(T2, offsetof(Value, tag)), &v, T0);
  return true;
}

#else
typedef int EmitTableNotBuilt;
#endif
